//! Sessions on disk: written as they happen, found again, and readable whatever happened to the file.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::model_server::{ModelServer, Turn, Wire};
use crate::support::run::{Place, Run};

fn session_file(place: &Place) -> PathBuf {
    let sessions = place.state().join("sessions");
    let mut files: Vec<_> = Place::files_under(&sessions).into_iter().map(|file| sessions.join(file)).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn kinds(text: &str) -> Vec<String> {
    let kind = |line: &str| serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned();
    text.lines().map(kind).collect()
}

#[test]
fn each_step_is_a_record_in_order() {
    let script = [Turn::call("bash", json!({"command": "echo hi"})), Turn::text("done")];
    let server = ModelServer::start(script);
    let outcome = Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "go"]).run().assert_code(0);
    let text = fs::read_to_string(session_file(&outcome.place)).unwrap();
    assert_eq!(kinds(&text), ["meta", "message", "message", "tool_start", "message", "message"]);
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for pair in records.windows(2) {
        assert_eq!(pair[1]["parent"], pair[0]["id"]);
    }
    assert_eq!(records[2]["message"]["content"].as_array().unwrap().last().unwrap()["type"], "tool_use");
}

#[test]
fn continue_and_resume_go_on_from_what_was_said() {
    for wire in Wire::ALL {
        let server = ModelServer::start([Turn::text("Noted."), Turn::text("42."), Turn::text("Still 42.")]);
        let first = Run::new().provider_at(&server, wire).args(["-p", "Remember 42."]).run().assert_code(0);
        let id = session_file(&first.place).file_stem().unwrap().to_str().unwrap().to_owned();
        let run = || Run::at(&first.place).provider_at(&server, wire);
        run().args(["-c", "-p", "Which number?"]).run().assert_code(0);
        run().args(["-r", &id[..30], "-p", "And now?"]).run().assert_code(0);
        let sent = server.last_request().text();
        for said in ["Remember 42.", "Noted.", "Which number?", "42.", "And now?"] {
            assert!(sent.contains(said), "{said}: {sent}");
        }
        assert_eq!(session_file(&first.place).file_stem().unwrap().to_str().unwrap(), id, "the same file goes on");
    }
}

#[test]
fn an_earlier_requests_messages_are_a_prefix_of_the_next_ones_across_a_resume() {
    for wire in Wire::ALL {
        let call =
            |n: usize| Turn::call("bash", json!({"command": format!("echo {n}"), "description": "z", "timeout_s": 5}));
        let script: Vec<Turn> = (0..6).map(call).chain([Turn::text("a"), Turn::text("b")]).collect();
        let server = ModelServer::start(script);
        let first = Run::new().provider_at(&server, wire).args(["-p", "go"]).run().assert_code(0);
        Run::at(&first.place).provider_at(&server, wire).args(["-c", "-p", "more"]).run().assert_code(0);
        let bodies: Vec<String> = server.requests().iter().map(|request| request.text()).collect();
        let messages = |body: &str| {
            let start = body.find("\"messages\":[").unwrap();
            body[start..].trim_end_matches(['}', ']']).to_owned()
        };
        for pair in bodies.windows(2) {
            let (before, after) = (messages(&pair[0]), messages(&pair[1]));
            assert!(after.starts_with(&before), "{wire:?}\n{before}\n{after}");
        }
    }
}

#[test]
fn a_damaged_file_is_read_as_far_as_it_is_good() {
    let script = [Turn::call("bash", json!({"command": "echo hi"})), Turn::text("done")];
    let server = ModelServer::start(script);
    let first = Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "the first task"]).run().assert_code(0);
    let path = session_file(&first.place);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // A line of rubbish in the middle; the answer to the call missing; the last line torn.
    let damaged = format!("{}\n{}\nrubbish\n{}\n{}\n{}", lines[0], lines[1], lines[2], lines[3], &lines[5][..40]);
    fs::write(&path, damaged).unwrap();

    server.push(Turn::text("on we go"));
    let next = Run::at(&first.place).provider_at(&server, Wire::Anthropic).args(["-c", "-p", "next"]).run();
    assert_eq!((next.code, next.stdout.as_str()), (0, "on we go\n"), "{next}");
    assert!(next.stderr.contains("skipped") && next.stderr.contains("cut off"), "{next}");
    let request = server.last_request();
    let messages = request.messages();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "user"]);
    let result = &messages[2]["content"][0];
    assert_eq!((&result["type"], &result["is_error"]), (&json!("tool_result"), &json!(true)));
    assert!(result["content"].to_string().contains("interrupted while it ran"), "{result}");

    server.push(Turn::text("and on"));
    Run::at(&first.place).provider_at(&server, Wire::Anthropic).args(["-c", "-p", "once more"]).run().assert_code(0);
    assert!(server.last_request().text().contains("on we go"), "what was appended after the tear is there");
}

#[test]
fn no_session_leaves_no_file() {
    let server = ModelServer::start([Turn::text("ok")]);
    let outcome =
        Run::new().provider_at(&server, Wire::Anthropic).args(["-p", "go", "--no-session"]).run().assert_code(0);
    assert_eq!(Place::files_under(&outcome.place.state()), Vec::<PathBuf>::new());
}
