//! Script mode: standard input read as if a person had typed it.

use serde_json::json;

use crate::support::model_server::{ModelServer, Turn, Wire};
use crate::support::run::{Outcome, Run};

/// Runs a script; also returns the user's messages as the server saw them in its last request.
fn run(script: &str, turns: usize, args: &[&str]) -> (Outcome, Vec<String>, ModelServer) {
    let server = ModelServer::start((1..=turns).map(|n| Turn::text(format!("answer {n}"))));
    let outcome = Run::new().provider_at(&server, Wire::Anthropic).args(args).stdin(script).run();
    let messages = server.requests().last().map(|request| {
        let users = request.messages().iter().filter(|message| message["role"] == "user");
        users
            .map(|message| {
                message["content"].as_array().map_or_else(
                    || message["content"].as_str().unwrap().to_owned(),
                    |blocks| blocks[0]["text"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    });
    (outcome, messages.unwrap_or_default(), server)
}

#[test]
fn text_is_one_turn_and_commands_separate() {
    let cases: [(&str, &[&str]); 9] = [
        ("fix the test\n", &["fix the test"]),
        ("one\ntwo\n\nthree", &["one\ntwo\n\nthree"]),
        ("one\n/next\ntwo\n", &["one", "two"]),
        ("/plan\nlook\n/default\ndo\n", &["look", "do"]),
        ("/plan look at x\nand y\n", &["look at x\nand y"]),
        ("/next\n/next\none\n/next\n\n", &["one"]),
        ("see\n/usr/lib is a path\n", &["see\n/usr/lib is a path"]),
        ("/usr/lib is what?\n", &["/usr/lib is what?"]),
        ("talk about\n/comact here\n", &["talk about\n/comact here"]),
    ];
    for (script, expected) in cases {
        let (outcome, messages, server) = run(script, expected.len(), &[]);
        assert_eq!(outcome.code, 0, "{script:?}: {outcome}");
        assert_eq!(messages, expected, "{script:?}");
        let answers: String = (1..=expected.len()).map(|n| format!("answer {n}\n")).collect();
        assert_eq!(outcome.stdout, answers, "{script:?}");
        server.assert_finished();
    }
}

#[test]
fn an_unknown_command_at_the_start_of_a_turn_is_told_before_anything_is_sent() {
    for script in ["/comact\n", "one\n/next\n/comact\n"] {
        let (outcome, _, server) = run(script, 0, &[]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome}");
        assert!(outcome.stderr.contains("did you mean /compact?"), "{outcome}");
        assert_eq!(server.requests().len(), 0);
    }
}

#[test]
fn the_first_failing_turn_ends_the_script_with_its_code() {
    let server = ModelServer::start([
        Turn::text("one"),
        Turn::error(529, "overloaded_error", "Overloaded"),
        Turn::text("never"),
    ]);
    let outcome = Run::new().provider_at(&server, Wire::Anthropic).stdin("a\n/next\nb\n/next\nc\n").run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (75, "one\n"), "{outcome}");
    assert_eq!(server.remaining(), 1);
}

#[test]
fn modes_hold_from_where_they_are_set() {
    let write = || Turn::call("write_file", json!({"path": "a", "content": "x"}));
    let server = ModelServer::start([write(), Turn::text("planned"), write(), Turn::text("written")]);
    let outcome = Run::new().provider_at(&server, Wire::Anthropic).stdin("/plan\nplan it\n/auto\ndo it\n").run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "planned\nwritten\n"), "{outcome}");
    assert!(server.requests()[1].text().contains("plan mode only reads"));
    assert_eq!(outcome.place.read("a"), "x");
    assert!(outcome.stderr.contains("permission mode: plan"), "{outcome}");
}

#[test]
fn commands_speak_on_standard_error_and_their_mistakes_end_the_script() {
    let (outcome, _, _server) = run("/help\n/cost\n/model\n", 0, &[]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{outcome}");
    for said in ["/compact", "model calls: 0", "scripted at anthropic"] {
        assert!(outcome.stderr.contains(said), "{said}: {outcome}");
    }
    let (outcome, _, _server) = run("/mode sideways\n", 0, &[]);
    assert!(outcome.code == 2 && outcome.stderr.contains("sideways"), "{outcome}");
    let (outcome, messages, _server) = run("/model other-one\nhello\n/exit\nnever\n", 1, &[]);
    assert_eq!((outcome.code, messages), (0, vec!["hello".to_owned()]), "{outcome}");
}

#[test]
fn json_output_is_one_object_for_the_last_turn() {
    let (outcome, _, _server) = run("one\n/next\ntwo\n", 2, &["--output-format", "json"]);
    let result = outcome.json();
    assert_eq!(
        (&result["result"], &result["num_turns"], &result["exit_code"]),
        (&json!("answer 2"), &json!(2), &json!(0))
    );
}

#[test]
fn clear_and_resume_change_the_conversation() {
    let (outcome, messages, _server) = run("one\n/clear\ntwo\n", 2, &[]);
    assert_eq!((outcome.code, messages), (0, vec!["two".to_owned()]), "{outcome}");
    let (outcome, messages, _server) = run("one\n/clear\ntwo\n/resume 1\nthree\n", 3, &[]);
    assert_eq!((outcome.code, messages), (0, vec!["one".to_owned(), "three".to_owned()]), "{outcome}");
}

#[test]
fn compacting_by_hand_puts_a_summary_in_the_place_of_the_history() {
    let (outcome, messages, server) = run("one\n/compact the numbers\ntwo\n", 3, &[]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(server.requests()[1].text().contains("Dwell on this: the numbers"));
    assert_eq!(messages.last().map(String::as_str), Some("two"));
    assert!(server.last_request().text().contains("answer 2"), "the summary is what the model said");
    assert!(outcome.stderr.contains("compacted (manual)"), "{outcome}");
}
