//! `-p` against a scripted server, in both wire forms: what is printed, what is sent, how it ends.

use std::time::Duration;

use rustix::process::{Signal, test_kill_process};
use serde_json::{Value, json};

use crate::support::model_server::{Gate, ModelServer, Turn, Wire, eventually, refused_url};
use crate::support::run::{Outcome, Run};

/// Runs one task on a script, in one wire form.
fn run(wire: Wire, script: impl IntoIterator<Item = Turn>, args: &[&str]) -> (Outcome, ModelServer) {
    let server = ModelServer::start(script);
    let outcome = Run::new().provider_at(&server, wire).args(args).run();
    (outcome, server)
}

/// The result object, which must agree with the exit code and standard error.
#[track_caller]
fn result(outcome: &Outcome) -> Value {
    let result = outcome.json();
    assert_eq!(result["type"], "result", "{outcome}");
    assert_eq!(result["exit_code"], outcome.code, "{outcome}");
    assert_eq!(result["is_error"], outcome.code != 0, "{outcome}");
    assert_eq!(result["subtype"] == "success", outcome.code == 0, "{outcome}");
    for error in result["errors"].as_array().unwrap() {
        assert!(outcome.stderr.contains(error.as_str().unwrap()), "{outcome}");
    }
    result
}

#[test]
fn a_plain_answer_is_all_that_stdout_gets() {
    for wire in Wire::ALL {
        let (outcome, server) = run(wire, [Turn::text("Hello there.")], &["-p", "Say hello."]);
        assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "Hello there.\n", ""));
        let request = server.last_request();
        assert_eq!(request.json["stream"], true);
        assert!(request.body.len() <= 8_000, "the first request has {} bytes", request.body.len());
        assert!(request.text().contains("Say hello."));
        server.assert_finished();
    }
}

#[test]
fn an_answer_in_one_piece_is_the_same() {
    for wire in Wire::ALL {
        let (outcome, server) = run(wire, [Turn::text("Hello there.")], &["-p", "Say hello.", "--no-stream"]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "Hello there.\n"));
        assert_ne!(server.last_request().json["stream"], true);
    }
}

#[test]
fn five_tool_turns_end_with_the_answer() {
    for wire in Wire::ALL {
        let calls = (1..=5).map(|n| Turn::call("bash", json!({"command": format!("echo round {n}")})));
        let script: Vec<Turn> = calls.chain([Turn::text("All five ran.")]).collect();
        let (outcome, server) = run(wire, script, &["-p", "go", "--output-format", "json"]);
        let result = result(&outcome);
        assert_eq!((&result["result"], &result["num_turns"]), (&json!("All five ran."), &json!(6)));
        assert_eq!(result["stop_reason"], "end_turn");
        for (n, request) in server.requests().iter().enumerate().skip(1) {
            assert!(request.last_results()[0].1.contains(&format!("round {n}")), "{}", request.text());
        }
        server.assert_finished();
    }
}

#[test]
fn three_calls_of_one_answer_are_answered_in_one_round_in_order() {
    for wire in Wire::ALL {
        let calls = ["one", "two", "three"].map(|word| ("bash", json!({"command": format!("echo {word}")})));
        let (outcome, server) = run(wire, [Turn::calls(calls), Turn::text("done")], &["-p", "go"]);
        assert_eq!(outcome.code, 0, "{outcome}");
        let results = server.last_request().last_results();
        let texts: Vec<bool> =
            results.iter().zip(["one", "two", "three"]).map(|(got, want)| got.1.contains(want)).collect();
        assert_eq!((results.len(), texts), (3, vec![true; 3]), "{results:?}");
        if wire == Wire::Anthropic {
            assert_eq!(server.last_request().messages().len(), 3, "one user message for all results");
        }
    }
}

#[test]
fn what_goes_wrong_with_a_call_is_told_to_the_model_and_the_run_goes_on() {
    let cases = [
        (Turn::call("shell", json!({"command": "ls"})), "no tool \"shell\""),
        (Turn::call("bash", json!({"timeout_s": 5})), "command"),
        (Turn::call("read_file", json!({"path": ["a"]})), "path"),
        (Turn::call_with_arguments("bash", "{\"command\": \"ls\" oops"), "not valid JSON"),
        (Turn::call("bash", json!({"command": "ls /definitely/not/there; exit 7"})), "7"),
        (Turn::call("bash", json!({"command": "cat definitely-not-there"})), "No such file"),
        (Turn::call("read_file", json!({"path": "nope.txt"})), "nope.txt"),
    ];
    for wire in Wire::ALL {
        for (turn, told) in &cases {
            let (outcome, server) =
                run(wire, [turn.clone(), Turn::text("I see.")], &["-p", "go", "--permission-mode", "bypass"]);
            assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "I see.\n"), "{told}: {outcome}");
            let results = server.last_request().last_results();
            assert!(results[0].1.contains(told), "{told}: {results:?}");
        }
    }
}

#[test]
fn a_denied_call_names_the_way_out_and_ends_with_3() {
    for wire in Wire::ALL {
        let script = [Turn::call("bash", json!({"command": "rm -f precious"})), Turn::text("I may not.")];
        let server = ModelServer::start(script);
        let outcome = Run::new()
            .file("precious", "x")
            .provider_at(&server, wire)
            .args(["-p", "delete precious", "--output-format", "json"])
            .run();
        let result = result(&outcome);
        assert_eq!((outcome.code, &result["subtype"]), (3, &json!("error_permission")), "{outcome}");
        let denial = &result["permission_denials"][0];
        assert_eq!(
            (&denial["tool_name"], &denial["tool_input"]["command"]),
            (&json!("bash"), &json!("rm -f precious"))
        );
        assert!(server.last_request().last_results()[0].1.contains("--allow"), "the model is told the rule");
        assert!(outcome.stderr.contains("--allow"), "the person is told the rule: {outcome}");
        assert!(outcome.place.exists("precious"));
    }
}

#[test]
fn a_denial_that_the_model_gets_around_is_no_failure() {
    let script = [
        Turn::call("bash", json!({"command": "rm -f precious"})),
        Turn::call("bash", json!({"command": "echo fine"})),
        Turn::text("done another way"),
    ];
    let (outcome, _server) = run(Wire::Anthropic, script, &["-p", "go"]);
    assert_eq!(outcome.code, 0, "{outcome}");
}

#[test]
fn the_iteration_limit_ends_with_4() {
    for wire in Wire::ALL {
        let script: Vec<Turn> = (0..201).map(|_| Turn::call("bash", json!({"command": "true"}))).collect();
        let (outcome, server) = run(wire, script, &["-p", "go", "--output-format", "json"]);
        let result = result(&outcome);
        assert_eq!(
            (outcome.code, &result["subtype"], &result["num_turns"]),
            (4, &json!("error_max_turns"), &json!(200))
        );
        assert_eq!(server.requests().len(), 200);
    }
    let script: Vec<Turn> = (0..5).map(|_| Turn::call("bash", json!({"command": "true"}))).collect();
    let (outcome, server) = run(Wire::Anthropic, script, &["-p", "go", "--max-iterations", "2"]);
    assert_eq!((outcome.code, server.requests().len()), (4, 2));
}

#[test]
fn failures_of_the_model_have_the_right_exit_code_and_one_line() {
    let cases: Vec<(Turn, i32, &str)> = vec![
        (Turn::error(401, "authentication_error", "invalid x-api-key"), 1, "BAREAGENT_API_KEY"),
        (Turn::error(429, "rate_limit_error", "slow down"), 75, "slow down"),
        (Turn::error(529, "overloaded_error", "Overloaded"), 75, "verloaded"),
        (Turn::error(500, "api_error", "oops"), 75, "oops"),
        (Turn::text("half an answ").then_cut(), 1, "broke off"),
        (Turn::cut_before_first_event(), 75, ""),
        (Turn::close(), 75, ""),
        (Turn::reset(), 75, ""),
        (Turn::max_tokens("the first ha"), 1, "--max-tokens"),
        (Turn::empty(), 1, "empty answer"),
        (Turn::text("some").then_malformed(), 1, "broke off"),
        (Turn::text("some").then_error("overloaded_error", "Overloaded"), 75, "verloaded"),
    ];
    for wire in Wire::ALL {
        for (turn, code, said) in &cases {
            let (outcome, _server) = run(wire, [turn.clone()], &["-p", "go", "--output-format", "json"]);
            let result = result(&outcome);
            assert_eq!(outcome.code, *code, "{wire:?} {said}: {outcome}");
            assert!(outcome.stderr.contains(said), "{wire:?} {said}: {outcome}");
            assert_eq!(outcome.stderr.trim().lines().count(), 1, "one line: {outcome}");
            assert!(!outcome.stderr.contains("test-key"), "{outcome}");
            assert_eq!(result["errors"].as_array().unwrap().len(), 1);
        }
    }
}

#[test]
fn a_broken_stream_is_kept_marked_and_the_next_run_goes_on_from_it() {
    for wire in Wire::ALL {
        let server = ModelServer::start([Turn::text("The answer is forty-").then_cut()]);
        let first = Run::new().provider_at(&server, wire).args(["-p", "what is it?"]).run();
        assert_eq!((first.code, first.stdout.as_str()), (1, ""), "{first}");
        server.push(Turn::text("It is 42."));
        let second = Run::at(&first.place).provider_at(&server, wire).args(["-c", "-p", "again"]).run();
        assert_eq!((second.code, second.stdout.as_str()), (0, "It is 42.\n"), "{second}");
        let sent = server.last_request().text();
        assert!(
            sent.contains("The answer is forty-") && sent.contains("cut off") && sent.contains("what is it?"),
            "{sent}"
        );
    }
}

#[test]
fn nothing_of_a_half_received_call_is_run() {
    for wire in Wire::ALL {
        let server = ModelServer::start([Turn::cut_tool_call("bash", r#"{"command": "touch ran"#)]);
        let outcome = Run::new().provider_at(&server, wire).args(["-p", "go", "--permission-mode", "bypass"]).run();
        assert_ne!(outcome.code, 0, "{outcome}");
        assert!(!outcome.place.exists("ran"));
    }
}

#[test]
fn a_refused_connection_is_told_at_once_and_transient() {
    let outcome = Run::new()
        .env("BAREAGENT_PROVIDER", "openai")
        .env("BAREAGENT_BASE_URL", refused_url())
        .env("BAREAGENT_MODEL", "m")
        .env("BAREAGENT_API_KEY", "k")
        .args(["-p", "go"])
        .limit(Duration::from_secs(10))
        .run();
    assert_eq!(outcome.code, 75, "{outcome}");
    assert!(outcome.stderr.contains("127.0.0.1"), "{outcome}");
}

#[test]
fn sigint_ends_a_stalled_stream_and_a_running_tool() {
    for wire in Wire::ALL {
        let server = ModelServer::start([Turn::stall_after("so far")]);
        let running = Run::new().provider_at(&server, wire).args(["-p", "go", "--output-format", "json"]).spawn();
        server.wait_for_requests(1);
        running.signal(Signal::INT);
        let outcome = running.wait();
        assert_eq!((outcome.code, &result(&outcome)["subtype"]), (130, &json!("error_interrupted")), "{outcome}");
    }

    let server = ModelServer::start([Turn::call("bash", json!({"command": "echo $$ > pid; sleep 60"}))]);
    let running =
        Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "go", "--permission-mode", "bypass"]).spawn();
    let place = running.place().clone();
    eventually("the command to start", || place.exists("pid") && !place.read("pid").trim().is_empty());
    let pid = rustix::process::Pid::from_raw(place.read("pid").trim().parse().unwrap()).unwrap();
    running.signal(Signal::TERM);
    let outcome = running.wait();
    assert_eq!(outcome.code, 143, "{outcome}");
    eventually("the command to be gone", || test_kill_process(pid).is_err());
    server.push(Turn::text("going on"));
    let next = Run::at(&outcome.place).provider_at(&server, Wire::Anthropic).args(["-c", "-p", "and now?"]).run();
    assert_eq!(next.code, 0, "{next}");
    assert!(server.last_request().text().contains("interrupted"), "the call has a result");
}

#[test]
fn only_the_named_tools_are_offered() {
    let (outcome, server) = run(Wire::Anthropic, [Turn::text("ok")], &["-p", "go", "--tools", "read_file,grep"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(server.last_request().tool_names(), ["read_file", "grep"]);
    let (outcome, server) = run(Wire::Anthropic, [], &["-p", "go", "--tools", "read_fil"]);
    assert_eq!((outcome.code, server.requests().len()), (2, 0));
    assert!(outcome.stderr.contains("Did you mean read_file?"), "{outcome}");
}

#[test]
fn verbose_shows_a_line_a_call_and_quiet_shows_none() {
    let script = || [Turn::call("bash", json!({"command": "echo hi"})), Turn::text("ok")];
    let (outcome, _server) = run(Wire::Anthropic, script(), &["-p", "go", "-v"]);
    assert!(outcome.stderr.contains("bash  echo hi"), "{outcome}");
    let (outcome, _server) = run(Wire::Anthropic, script(), &["-p", "go", "-q"]);
    assert_eq!(outcome.stderr, "");
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains('\u{1b}'));
    }
}

#[test]
fn background_work_is_reported_at_the_top_of_a_later_iteration() {
    let wait = json!({"command": "while [ ! -e seen ]; do sleep 0.01; done; sleep 0.1"});
    let script = [
        Turn::call("bash", json!({"command": "echo from the back; touch seen", "background": true})),
        Turn::call("bash", wait),
        Turn::text("done"),
    ];
    let (outcome, server) = run(Wire::Anthropic, script, &["-p", "go", "--permission-mode", "bypass"]);
    assert_eq!(outcome.code, 0, "{outcome}");
    let requests = server.requests();
    assert!(requests[1].last_results()[0].1.contains("bg1"), "an id at once: {}", requests[1].text());
    let last = requests[2].text();
    assert!(last.contains("background_task") && last.contains("from the back"), "{last}");
}

#[test]
fn the_file_of_a_long_output_can_be_read_and_goes_with_the_run() {
    let gate = Gate::new();
    let script = [
        Turn::call("bash", json!({"command": "seq 1 20000"})),
        Turn::call("bash", json!({"command": "true"})).gate(&gate),
    ];
    let server = ModelServer::start(script);
    let running = Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "go"]).spawn();
    server.wait_for_requests(2);
    let (_, result) = server.last_request().last_results().remove(0);
    let start = result.find("/bareagent-").and_then(|at| result[..at].rfind([' ', '\n'])).unwrap() + 1;
    let path = result[start..].split_once(".log").unwrap().0.to_owned() + ".log";
    server.push(Turn::call("read_file", json!({"path": path, "offset": 10_000, "limit": 1})));
    server.push(Turn::text("done"));
    gate.open();
    let outcome = running.wait();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "done\n"), "{outcome}");
    assert!(server.last_request().last_results()[0].1.contains("10000"), "{:?}", server.last_request().last_results());
    assert!(!std::path::Path::new(&path).exists(), "{path} is left behind");
}

#[test]
fn a_placeholder_for_a_key_does_not_garble_messages() {
    let server = ModelServer::start([Turn::error(401, "authentication_error", "invalid key")]);
    let run = Run::new().provider_at(&server, Wire::Anthropic).env("BAREAGENT_API_KEY", "k").args(["-p", "go"]);
    let outcome = run.run().assert_code(1);
    assert!(outcome.stderr.contains("invalid key") && !outcome.stderr.contains("[key]"), "{outcome}");
}
