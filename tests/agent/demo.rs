//! The demo, and recordings: written from a run, played, and compared.

use serde_json::json;

use crate::support::model_server::{ModelServer, Turn, Wire};
use crate::support::run::Run;

#[test]
fn the_demo_fixes_the_project_without_key_or_network() {
    let outcome = Run::new().args(["demo"]).run().assert_code(0);
    assert!(outcome.stderr.contains("RECORDING"), "{outcome}");
    assert!(outcome.stderr.contains("FAIL  1900") && outcome.stderr.contains("test passes now"), "{outcome}");
    assert!(!outcome.stderr.contains("replay:"), "the tools say what the recording says: {outcome}");
    assert!(outcome.stdout.contains("leap.sh:3"), "{outcome}");
}

#[test]
fn a_live_demo_gives_the_task_to_the_configured_model() {
    let fix = json!({"path": "leap.sh", "old_string": "  (( $1 % 4 == 0 ))", "new_string": "  (( $1 % 4 == 0 && $1 % 100 != 0 || $1 % 400 == 0 ))"});
    let server = ModelServer::start([Turn::call("edit_file", fix), Turn::text("Fixed.")]);
    let outcome = Run::new().provider_at(&server, Wire::OpenAi).args(["demo", "--live"]).run().assert_code(0);
    assert!(outcome.stderr.contains("configured model") && !outcome.stderr.contains("RECORDING"), "{outcome}");

    let server = ModelServer::start([Turn::text("I would rather not.")]);
    let outcome = Run::new().provider_at(&server, Wire::OpenAi).args(["demo", "--live"]).run().assert_code(1);
    assert!(outcome.stderr.contains("still fails"), "{outcome}");
}

#[test]
fn a_recorded_run_plays_again_and_tells_where_results_differ() {
    let script = [Turn::call("bash", json!({"command": "cat note.txt"})), Turn::text("It says so.")];
    let server = ModelServer::start(script);
    let first = Run::new()
        .file("note.txt", "alpha\nbeta\n")
        .provider_at(&server, Wire::Anthropic)
        .args(["-p", "go", "--record", "run.jsonl"])
        .run()
        .assert_code(0);
    let again = || Run::at(&first.place).args(["-p", "go", "--replay", "run.jsonl"]);
    let same = again().run().assert_code(0);
    assert_eq!((same.stdout.as_str(), same.stderr.as_str()), ("It says so.\n", ""));
    let other = again().file("note.txt", "alpha\ngamma\n").run().assert_code(0);
    assert_eq!(other.stdout, "It says so.\n");
    assert!(other.stderr.contains("replay:") && other.stderr.contains("gamma"), "{other}");
    assert_eq!(server.requests().len(), 2, "a replay asks no server");
}

#[test]
fn a_replay_that_is_at_its_end_is_an_error() {
    let server = ModelServer::start([Turn::text("hello")]);
    let first = Run::new()
        .provider_at(&server, Wire::Anthropic)
        .args(["-p", "go", "--record", "run.jsonl"])
        .run()
        .assert_code(0);
    let script = "one\n/next\ntwo\n";
    let outcome = Run::at(&first.place).args(["--replay", "run.jsonl"]).stdin(script).run().assert_code(1);
    assert!(outcome.stderr.contains("at its end"), "{outcome}");
}
