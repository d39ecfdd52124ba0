//! `bash`: results, limits, cancelling, and that nothing is left running by accident.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::tool_fixture::{Tools, is_running, until};

/// A result without its last line, and that line.
fn parts(text: &str) -> (&str, &str) {
    text.rsplit_once('\n').unwrap_or(("", text))
}

/// The file that a result names.
fn file_in(text: &str) -> std::path::PathBuf {
    let rest = text.split_once("whole output: ").unwrap().1;
    rest.split([' ', ']', '\n']).next().unwrap().into()
}

#[tokio::test]
async fn says_output_exit_code_and_duration() {
    let tools = Tools::new();
    let text = tools.ok("bash", json!({"command": "echo one; echo two >&2; echo three"})).await;
    let (output, end) = parts(&text);
    assert_eq!(output, "one\ntwo\nthree");
    assert!(end.starts_with("[exit 0, 0.") && end.ends_with(" s]"), "{end}");

    let silent = tools.ok("bash", json!({"command": "true"})).await;
    assert!(silent.starts_with("[exit 0, "), "{silent}");
}

#[tokio::test]
async fn a_failing_command_is_an_error_with_its_output() {
    let tools = Tools::new();
    for (command, output, end) in [
        ("echo why; exit 3", "why", "[exit 3, "),
        ("kill -9 $$", "", "[killed by signal 9, "),
        ("no-such-program-here", "bash: line 1: no-such-program-here: command not found", "[exit 127, "),
    ] {
        let text = tools.error("bash", json!({ "command": command })).await;
        assert_eq!(parts(&text).0, output, "{command}");
        assert!(parts(&text).1.starts_with(end), "{command}: {text}");
    }
}

#[tokio::test]
async fn starts_in_the_workspace_without_terminal_input_or_editor() {
    let tools = Tools::new();
    let root = tools.workspace.root().display().to_string();
    let cases = [
        ("pwd", root.as_str()),
        ("cat; echo read", "read"),
        ("(exec 3</dev/tty) 2>/dev/null || echo no terminal", "no terminal"),
        ("tty", "not a tty"),
        ("$EDITOR x || echo no editor", "no editor"),
        ("echo $PAGER $GIT_PAGER $TERM $GIT_TERMINAL_PROMPT", "cat cat dumb 0"),
    ];
    for (command, expected) in cases {
        let result = tools.call("bash", json!({ "command": command })).await;
        let text = result.unwrap_or_else(|error| error);
        assert_eq!(parts(&text).0, expected, "{command}");
    }
}

#[tokio::test]
async fn git_says_why_it_opens_no_editor() {
    let tools = Tools::new();
    let command = "git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty";
    let text = tools.error("bash", json!({ "command": command })).await;
    assert!(text.contains("No editor here"), "{text}");
}

#[tokio::test]
async fn cleans_the_output_for_reading() {
    let tools = Tools::new();
    for (command, expected) in [
        (r"printf '\033[31mred\033[0m\n'", "red"),
        (r"printf '10%%\r50%%\r100%%\ndone\n'", "100%\ndone"),
        (r"printf 'a\0b\n'", "a\u{2400}b"),
        (r"printf 'caf\351\n'", "caf\u{fffd}\n[some bytes are not UTF-8 and show as \u{fffd}]"),
        (r"printf '\303'; sleep 0.05; printf '\251'", "é"),
    ] {
        let text = tools.ok("bash", json!({ "command": command })).await;
        assert_eq!(parts(&text).0, expected, "{command}");
    }
}

#[tokio::test]
async fn binary_output_is_named_and_kept_in_a_file() {
    let tools = Tools::new();
    let text = tools.ok("bash", json!({"command": r"printf '\037\213\010\0\0\377'"})).await;
    assert!(text.starts_with("[gzip data, not shown; whole output: "), "{text}");
    let file = file_in(&text);
    assert_eq!(std::fs::read(&file).unwrap(), b"\x1f\x8b\x08\0\0\xff");
}

#[tokio::test]
async fn of_a_hundred_megabytes_both_ends_are_shown_and_all_is_in_a_file() {
    let tools = Tools::new();
    let command = "echo begin; yes 0123456789012345678 | head -c 100000000; echo end";
    let text = tools.ok("bash", json!({ "command": command })).await;
    let (output, end) = parts(&text);
    assert!(end.starts_with("[exit 0, "), "{end}");
    assert!(output.starts_with("begin\n0123456789") && output.ends_with("\nend"), "{output:.80}");
    assert!(output.chars().count() < 30_500);
    let left_out: usize =
        output.split_once(" characters left out").unwrap().0.rsplit_once(' ').unwrap().1.parse().unwrap();
    let note = output.lines().find(|line| line.contains("left out")).unwrap();
    // The line with the note replaces what is left out; two line ends around it are ours, one was trimmed.
    assert_eq!(output.chars().count() - note.chars().count() - 1 + left_out, 100_000_010 + 1 - 1 - 1);
    let file = file_in(output);
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 100_000_010);
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree_and_says_how_to_get_more() {
    let mut tools = Tools::new();
    tools.timeout = Duration::from_millis(300);
    // `timeout` makes a process group of its own; a plain background child is in the shell's.
    let command = "echo before; timeout 1000 sleep 1000 & echo $! > own; sleep 1000 & echo $! > plain; wait";
    let text = tools.error("bash", json!({ "command": command })).await;
    assert!(text.starts_with("before\n[timed out: stopped with all that it started after 0.30 s"), "{text}");
    assert!(text.contains("timeout_s (at most 600)") && text.contains("background: true"), "{text}");
    for file in ["own", "plain"] {
        assert!(!is_running(tools.pid_in(file).await), "{file}");
    }
}

#[tokio::test]
async fn what_ignores_sigterm_is_killed() {
    let mut tools = Tools::new();
    tools.timeout = Duration::from_millis(200);
    let command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.2; done";
    let text = tools.error("bash", json!({ "command": command })).await;
    assert!(text.contains("timed out"), "{text}");
    assert!(!is_running(tools.pid_in("pid").await));
}

#[tokio::test]
async fn timeout_s_is_in_seconds_and_may_be_a_string() {
    let tools = Tools::new();
    let text = tools.error("bash", json!({"command": "sleep 1000", "timeout_s": "1"})).await;
    assert!(text.contains("after 1.00 s"), "{text}");
}

#[tokio::test]
async fn cancelling_kills_at_once_and_keeps_the_output() {
    let tools = Tools::new();
    let command = "echo started; trap '' TERM; (trap '' TERM; echo $BASHPID > pid; exec sleep 1000) & wait";
    let call = tools.call("bash", json!({ "command": command }));
    let interrupt = async {
        let pid = tools.pid_in("pid").await;
        tools.cancel.cancel();
        (pid, Instant::now())
    };
    let (result, (pid, at)) = tokio::join!(call, interrupt);
    assert!(at.elapsed() < Duration::from_secs(1), "{:?}", at.elapsed());
    let text = result.unwrap_err();
    assert!(text.starts_with("started\n[interrupted by the user after "), "{text}");
    assert!(!is_running(pid));
}

#[tokio::test]
async fn dropping_the_call_kills_too() {
    let tools = Tools::new();
    let call = tools.call("bash", json!({"command": "sleep 1000 & echo $! > pid; wait"}));
    let pid = tokio::select! {
        _ = call => panic!("it should not end"),
        pid = tools.pid_in("pid") => pid,
    };
    until(|| !is_running(pid)).await;
}

#[tokio::test]
async fn a_child_that_keeps_the_pipe_does_not_hang_the_call_and_ends_with_the_session() {
    let tools = Tools::new();
    let started = Instant::now();
    let text = tools.ok("bash", json!({"command": "sleep 1000 & echo $! > pid; echo done"})).await;
    assert!(started.elapsed() < Duration::from_secs(10));
    let pid = tools.pid_in("pid").await;
    assert!(text.starts_with("done\n[processes that it started still run and end with the session"), "{text}");
    assert!(is_running(pid));
    assert!(tools.background.running()[0].is_leftover);
    tools.background.shutdown().await;
    assert!(!is_running(pid));
}

#[tokio::test]
async fn a_child_that_let_go_of_the_pipe_is_owned_as_well() {
    let mut tools = Tools::new();
    let command = "timeout 1000 sleep 1000 > /dev/null 2>&1 & echo $! > pid";
    let text = tools.ok("bash", json!({ "command": command })).await;
    assert!(text.contains("still run"), "{text}");
    let pid = tools.pid_in("pid").await;
    drop(std::mem::take(&mut tools.background));
    until(|| !is_running(pid)).await;
}

#[tokio::test]
async fn a_daemon_in_its_own_session_does_not_hang_the_call() {
    let tools = Tools::new();
    let text = tools.ok("bash", json!({"command": "setsid sleep 1000 & echo $! > pid"})).await;
    assert!(text.starts_with("[a daemon that it started still writes; "), "{text}");
    let pid = rustix::process::Pid::from_raw(tools.pid_in("pid").await).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn hidden_variables_do_not_reach_a_command() {
    let mut tools = Tools::new();
    tools.registry = bareagent::tools::Registry::builtin_hiding(&["HOME".to_owned()]);
    let text = tools.ok("bash", json!({"command": "echo \"[${HOME-unset}] [${PATH:+set}]\""})).await;
    assert!(text.starts_with("[unset] [set]\n"), "{text}");
}

#[tokio::test]
async fn a_workspace_that_is_gone_and_a_nul_are_explained() {
    let tools = Tools::new();
    let text = tools.error("bash", json!({"command": "echo a\0b"})).await;
    assert!(text.contains("NUL"), "{text}");
    std::fs::remove_dir_all(tools.workspace.root()).unwrap();
    let text = tools.error("bash", json!({"command": "true"})).await;
    assert!(text.contains("the working directory") && text.contains("does not exist"), "{text}");
}
