//! The interactive session, as a person at a terminal has it.

use rustix::process::test_kill_process;
use serde_json::json;

use crate::support::model_server::{Gate, ModelServer, Turn, eventually};
use crate::support::pty::Terminal;
use crate::support::run::Place;

fn start(turns: impl IntoIterator<Item = Turn>) -> (Terminal, ModelServer, Place) {
    let (server, place) = (ModelServer::start(turns), Place::new());
    let terminal = Terminal::start(&place, &server, &[]);
    terminal.wait_for_prompt("default >");
    (terminal, server, place)
}

fn touch(name: &str) -> Turn {
    Turn::call("bash", json!({"command": format!("touch {name}")}))
}

#[test]
fn an_answer_is_shown_as_it_comes() {
    let gate = Gate::new();
    let (terminal, server, _place) =
        start([Turn::text("The first half, ").then_gate(&gate).and_text("and the second.")]);
    terminal.send("hello\r");
    terminal.wait_for("The first half,");
    assert!(!terminal.text().contains("and the second."));
    gate.open();
    terminal.wait_for("The first half, and the second.");
    terminal.wait_for_prompt("default >");
    assert!(server.last_request().text().contains("hello"));
    terminal.send("\x04");
    assert_eq!(terminal.exit_code(), 0);
}

#[test]
fn a_question_shows_the_command_and_takes_yes() {
    let (terminal, _server, place) = start([touch("made"), Turn::text("done")]);
    terminal.send("go\r");
    terminal.wait_for("[y] yes");
    for part in ["Run this command?", "touch made", "because", "always in this session: bash(touch *)"] {
        assert!(terminal.text().contains(part), "{part}\n{}", terminal.text());
    }
    assert!(!place.exists("made"));
    terminal.send("y");
    terminal.wait_for("done");
    assert!(place.exists("made"));
}

#[test]
fn always_is_not_asked_again() {
    let (terminal, _server, place) = start([touch("one"), touch("two"), Turn::text("done")]);
    terminal.send("go\r");
    terminal.wait_for("[y] yes");
    terminal.send("a");
    terminal.wait_for("done");
    assert!(place.exists("one") && place.exists("two"));
    assert_eq!(terminal.text().matches("[y] yes").count(), 1);
}

#[test]
fn no_and_its_reason_reach_the_model() {
    let (terminal, server, place) = start([touch("one"), Turn::text("then not"), touch("two"), Turn::text("I see")]);
    terminal.send("go\r");
    terminal.wait_for("[y] yes");
    terminal.send("n");
    terminal.wait_for("then not");
    assert!(server.last_request().last_results()[0].1.contains("refused"));
    terminal.wait_for_prompt("default >");
    terminal.send("again\r");
    terminal.wait_for_count("[y] yes", 2);
    terminal.send("rnot here\x7f\x7f\x7f\x7fin src\r");
    terminal.wait_for("I see");
    assert!(server.last_request().last_results()[0].1.contains("not in src"), "{}", server.last_request().text());
    assert!(!place.exists("one") && !place.exists("two"));
}

#[test]
fn a_question_about_a_file_shows_the_change() {
    let server = ModelServer::start([
        Turn::call("edit_file", json!({"path": "a.txt", "old_string": "two", "new_string": "2"})),
        Turn::text("done"),
    ]);
    let place = Place::new();
    std::fs::write(place.work().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    let terminal = Terminal::start(&place, &server, &[]);
    terminal.wait_for_prompt("default >");
    terminal.send("go\r");
    terminal.wait_for("[y] yes");
    for part in ["a.txt?", "-two", "+2"] {
        assert!(terminal.text().contains(part), "{part}\n{}", terminal.text());
    }
    terminal.send("y");
    terminal.wait_for("done");
    assert_eq!(place.read("a.txt"), "one\n2\nthree\n");
}

#[test]
fn keys_typed_before_a_question_do_not_answer_it() {
    let gate = Gate::new();
    let (terminal, _server, place) = start([touch("made").gate(&gate), Turn::text("done")]);
    terminal.send("go\r");
    terminal.wait_for("waiting for the model");
    terminal.send("yyy");
    gate.open();
    terminal.wait_for("[y] yes");
    terminal.send("n");
    terminal.wait_for("done");
    assert!(!place.exists("made"));
}

#[test]
fn a_stall_in_the_middle_of_a_line_is_shown_below_it_and_leaves_no_trace() {
    let gate = Gate::new();
    let (terminal, _server, _place) =
        start([Turn::text("The first half, ").then_gate(&gate).and_text("and the second.")]);
    terminal.send("hello\r");
    terminal.wait_for("receiving · ");
    gate.open();
    terminal.wait_for("The first half, and the second.");
    terminal.wait_for_prompt("default >");
    assert!(!terminal.text().contains("receiving"), "{}", terminal.text());
}

#[test]
fn an_interrupt_ends_a_stalled_answer_and_the_session_goes_on() {
    let (terminal, server, _place) = start([Turn::stall_after("so far so"), Turn::text("still here")]);
    terminal.send("go\r");
    terminal.wait_for("so far so");
    terminal.send("\x03");
    terminal.wait_for("interrupted");
    terminal.wait_for_prompt("default >");
    server.wait_for_hangups(1);
    terminal.send("are you there?\r");
    terminal.wait_for("still here");
    let sent = server.last_request().text();
    assert!(sent.contains("so far so") && sent.contains("cut off"), "{sent}");
}

#[test]
fn an_interrupt_ends_a_running_command_at_once() {
    let command = json!({"command": "echo $$ > pid; sleep 60"});
    let server = ModelServer::start([Turn::call("bash", command), Turn::text("still here")]);
    let place = Place::new();
    let terminal = Terminal::start(&place, &server, &["--permission-mode", "bypass"]);
    terminal.wait_for_prompt("bypass >");
    terminal.send("go\r");
    eventually("the command to start", || place.exists("pid") && place.read("pid").ends_with('\n'));
    let pid = rustix::process::Pid::from_raw(place.read("pid").trim().parse().unwrap()).unwrap();
    terminal.send("\x03");
    terminal.wait_for_prompt("bypass >");
    eventually("the command to be gone", || test_kill_process(pid).is_err());
    terminal.send("and now?\r");
    terminal.wait_for("still here");
    assert!(server.last_request().text().contains("interrupted by the user"));
}

#[test]
fn another_process_can_go_on_from_a_session() {
    let (terminal, server, place) = start([Turn::text("Noted."), Turn::text("It was 42.")]);
    terminal.send("remember 42\r");
    terminal.wait_for("Noted.");
    terminal.wait_for_prompt("default >");
    terminal.send("/exit\r");
    terminal.wait_for("bareagent -r ");
    assert_eq!(terminal.exit_code(), 0);

    let terminal = Terminal::start(&place, &server, &[]);
    terminal.wait_for_prompt("default >");
    terminal.send("/resume\r");
    terminal.wait_for("remember 42");
    terminal.wait_for_prompt("default >");
    terminal.send("/resume 1\r");
    terminal.wait_for("going on from session");
    terminal.wait_for_prompt("default >");
    terminal.send("which number?\r");
    terminal.wait_for("It was 42.");
    assert!(server.last_request().text().contains("remember 42"));
}

#[test]
fn a_paste_of_several_lines_does_not_send() {
    let (terminal, server, _place) = start([Turn::text("got it")]);
    terminal.send("\x1b[200~first line\nsecond line\n\x1b[201~");
    terminal.wait_for("second line");
    assert_eq!(server.requests().len(), 0);
    terminal.send("third\r");
    terminal.wait_for("got it");
    assert!(
        server.last_request().text().contains(r"first line\nsecond line\nthird"),
        "{}",
        server.last_request().text()
    );
}

#[test]
fn a_paste_during_a_turn_does_not_send_either() {
    let gate = Gate::new();
    let (terminal, server, _place) = start([Turn::text("first").gate(&gate), Turn::text("second")]);
    terminal.send("hello\r");
    terminal.wait_for("waiting for the model");
    terminal.send("\x1b[200~one\rtwo\r\x1b[201~three");
    gate.open();
    terminal.wait_for("three");
    assert_eq!(server.requests().len(), 1);
    terminal.send("\r");
    terminal.wait_for("second");
    assert!(server.last_request().text().contains(r"one\ntwo\nthree"), "{}", server.last_request().text());
}

#[test]
fn a_backslash_at_the_end_begins_a_new_line() {
    let (terminal, server, _place) = start([Turn::text("got it")]);
    terminal.send("one \\\r");
    terminal.send("two\r");
    terminal.wait_for("got it");
    assert!(server.last_request().text().contains(r"one \ntwo"), "{}", server.last_request().text());
}

#[test]
fn shift_tab_changes_the_mode_and_keeps_what_is_typed() {
    let (terminal, _server, _place) = start([]);
    terminal.send("half\x1b[Z");
    terminal.wait_for("auto > half");
    terminal.send("\x1b[Z");
    terminal.wait_for("plan > half");
    terminal.send("\x1b[Z");
    terminal.wait_for_prompt("default > half");
}

#[test]
fn an_unknown_command_gets_a_suggestion_and_is_not_sent() {
    let (terminal, server, _place) = start([]);
    terminal.send("/comact\r");
    terminal.wait_for("did you mean /compact?");
    terminal.wait_for_prompt("default >");
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn ctrl_c_clears_a_line_and_twice_on_an_empty_one_exits() {
    let (terminal, _server, _place) = start([]);
    terminal.send("half a thought");
    terminal.wait_for("half a thought");
    terminal.send("\x03");
    terminal.wait_for_prompt("default >");
    assert!(!terminal.text().contains("once more"));
    terminal.send("\x03");
    terminal.wait_for("once more exits");
    terminal.wait_for_prompt("default >");
    terminal.send("\x03");
    assert_eq!(terminal.exit_code(), 0);
}

#[test]
fn a_prompt_on_the_command_line_is_the_first_turn() {
    let (server, place) = (ModelServer::start([Turn::text("hello yourself")]), Place::new());
    let terminal = Terminal::start(&place, &server, &["say hello"]);
    terminal.wait_for("hello yourself");
    terminal.wait_for_prompt("default >");
    assert!(server.last_request().text().contains("say hello"));
}

#[test]
fn no_color_means_no_colour() {
    for env in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let (server, place) = (ModelServer::start([touch("a"), Turn::text("done")]), Place::new());
        let terminal = Terminal::start_with(&place, &server, &[], &[env]);
        terminal.wait_for("default >");
        terminal.send("go\r");
        terminal.wait_for("[y] yes");
        terminal.send("y");
        terminal.wait_for("done");
        let raw = terminal.raw();
        let sequences = raw.split("\x1b[").skip(1).filter_map(|rest| {
            let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
            (rest.as_bytes()[end] == b'm').then(|| rest[..end].to_owned())
        });
        let colours: Vec<String> =
            sequences.filter(|sequence| !matches!(sequence.as_str(), "" | "0" | "39" | "49")).collect();
        assert_eq!(colours, Vec::<String>::new(), "{env:?}");
    }
}

#[test]
fn a_failed_turn_is_one_line_and_the_prompt_returns() {
    let (terminal, _server, _place) =
        start([Turn::error(401, "authentication_error", "invalid x-api-key"), Turn::text("better")]);
    terminal.send("go\r");
    terminal.wait_for("BAREAGENT_API_KEY");
    terminal.wait_for_prompt("default >");
    terminal.send("again\r");
    terminal.wait_for("better");
}
