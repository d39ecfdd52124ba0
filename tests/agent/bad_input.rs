//! Bad input: one clear line, the right exit code, no panic, and nothing sent.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::model_server::{ModelServer, Turn, Wire};
use crate::support::run::Run;

#[test]
fn no_task_is_a_usage_error_and_nothing_is_sent() {
    let server = ModelServer::start([]);
    let run = || Run::new().provider_at(&server, Wire::Anthropic);
    let cases = [
        run().args(["-p", ""]),
        run().args(["-p", "  \n"]),
        run().args(["-p"]),
        run().args(["-p", "-"]),
        run().args(["-p"]).stdin("  \n"),
        run().stdin(""),
        run(),
    ];
    for case in cases {
        let outcome = case.run().assert_code(2);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.trim().lines().count()), ("", 1), "{outcome}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn bad_flags_and_directories_are_usage_errors() {
    let cases: [(&[&str], &str); 11] = [
        (&["-p", "fix", "the test"], "two tasks"),
        (&["-p", "x", "-r"], "--continue"),
        (&["-p", "x", "--cwd", "nowhere"], "nowhere"),
        (&["-p", "x", "-C", "file.txt"], "not a directory"),
        (&["-p", "x", "--add-dir", "nowhere"], "nowhere"),
        (&["-p", "x", "--permission-mode", "yolo"], "yolo"),
        (&["-p", "x", "--max-iterations", "0"], "--max-iterations"),
        (&["-p", "x", "--allow", "bash(ls"], "bash(ls"),
        (&["-p", "x", "--replay", "nowhere.jsonl"], "nowhere.jsonl"),
        (&["-p", "x", "--replay", "file.txt"], "file.txt"),
        (&["-p", "x", "-c"], "no earlier session"),
    ];
    for (args, said) in cases {
        let server = ModelServer::start([]);
        let outcome = Run::new().file("file.txt", "text").provider_at(&server, Wire::Anthropic).args(args).run();
        assert_eq!(outcome.code, 2, "{args:?}: {outcome}");
        assert!(outcome.stderr.contains(said) && !outcome.stderr.contains("panicked"), "{args:?}: {outcome}");
        assert_eq!(server.requests().len(), 0);
    }
}

#[test]
fn odd_files_are_results_that_say_what_is_wrong() {
    let server = ModelServer::start([
        Turn::calls([
            ("read_file", json!({"path": "binary"})),
            ("read_file", json!({"path": "."})),
            ("read_file", json!({"path": "missing/dir/file"})),
            ("read_file", json!({"path": "latin1.txt"})),
            ("bash", json!({"command": "printf 'caf\\351 au lait'"})),
            ("glob", json!({"pattern": "*", "path": "nowhere"})),
            ("grep", json!({"pattern": "("})),
            ("write_file", json!({"path": "binary/x", "content": "a"})),
        ]),
        Turn::text("fine"),
    ]);
    let outcome = Run::new()
        .file("binary", [0, 159, 146, 150, 0, 1, 2])
        .file("latin1.txt", b"caf\xe9\n")
        .provider_at(&server, Wire::Anthropic)
        .args(["-p", "go", "--permission-mode", "bypass"])
        .run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "fine\n"), "{outcome}");
    let results: Vec<String> = server.last_request().last_results().into_iter().map(|(_, text)| text).collect();
    assert_eq!(results.len(), 8);
    assert!(results[0].to_lowercase().contains("binary"), "{}", results[0]);
    assert!(results[2].contains("missing/dir/file"), "{}", results[2]);
    assert!(results[3].contains("caf\u{fffd}"), "{}", results[3]);
    assert!(results[4].contains("caf\u{fffd} au lait"), "{}", results[4]);
    assert!(results[5].contains("nowhere"), "{}", results[5]);
    assert!(results[7].contains("binary"), "{}", results[7]);
}

#[test]
fn a_hundred_megabytes_of_output_are_cut_and_said_so() {
    let command = json!({"command": "head -c 100000000 /dev/zero | tr '\\0' x"});
    let server = ModelServer::start([Turn::call("bash", command), Turn::text("much")]);
    let outcome =
        Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "go", "--permission-mode", "bypass"]).run();
    assert_eq!(outcome.code, 0, "{outcome}");
    let (_, result) = &server.last_request().last_results()[0];
    assert!(result.len() < 40_000, "{} bytes", result.len());
    assert!(result.starts_with("xxx") || result.contains("xxx"));
}

#[test]
fn an_unreadable_place_for_sessions_costs_a_warning_and_not_the_run() {
    let server = ModelServer::start([Turn::text("ok")]);
    let run = Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "go"]).state_file("sessions", "a file");
    let outcome = run.run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "ok\n"), "{outcome}");
    assert!(outcome.stderr.contains("cannot be written") && outcome.stderr.trim().lines().count() == 1, "{outcome}");
}

#[test]
fn stdin_is_added_to_the_task_and_capped() {
    let server = ModelServer::start([Turn::text("reviewed"), Turn::text("hm")]);
    let run = || Run::new().provider_at(&server, Wire::Anthropic);
    run().args(["-p", "review"]).stdin("+ a line\n").run().assert_code(0);
    let sent = server.last_request().text();
    assert!(sent.contains("review\\n\\n<stdin>\\n+ a line\\n\\n</stdin>"), "{sent}");
    run().args(["-p", "what is it?"]).stdin(b"caf\xe9").run().assert_code(0);
    assert!(server.last_request().text().contains("caf\u{fffd}"));
    let outcome = run().args(["-p", "review"]).stdin("x".repeat(10 * 1024 * 1024 + 1)).run().assert_code(2);
    assert!(outcome.stderr.contains("10 MB"), "{outcome}");
}

#[test]
fn a_task_can_come_on_stdin_alone() {
    let server = ModelServer::start([Turn::text("a"), Turn::text("b"), Turn::text("c")]);
    let run = || Run::new().provider_at(&server, Wire::Anthropic);
    for case in [run().args(["-p"]), run().args(["-p", "-"]), run()] {
        case.stdin("fix the test\n").run().assert_code(0);
        assert!(server.last_request().text().contains("fix the test"));
    }
}

#[test]
fn session_files_are_private() {
    let server = ModelServer::start([Turn::text("ok")]);
    let outcome = Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "go"]).run().assert_code(0);
    let sessions = outcome.place.state().join("sessions");
    let project = std::fs::read_dir(&sessions).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::read_dir(&project).unwrap().next().unwrap().unwrap().path();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&sessions), mode(&project), mode(&file)), (0o700, 0o700, 0o600));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("test-key"), "no key on disk");
}
