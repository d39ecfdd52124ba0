//! Background commands: started at once, reported once, ended with the session.

use serde_json::json;

use crate::support::tool_fixture::{Tools, is_running, until};

async fn finished(tools: &Tools, count: usize) -> Vec<bareagent::exec::background::Finished> {
    let found = std::cell::RefCell::new(Vec::new());
    until(|| {
        found.borrow_mut().extend(tools.background.finished());
        found.borrow().len() >= count
    })
    .await;
    found.into_inner()
}

#[tokio::test]
async fn each_end_is_reported_once_with_status_tail_and_file() {
    let tools = Tools::new();
    let good = tools.ok("bash", json!({"command": "echo good", "background": true})).await;
    assert!(good.starts_with("Task bg1 started; its output goes to "), "{good}");
    let bad = tools.ok("bash", json!({"command": "echo bad; exit 2", "background": "true"})).await;
    assert!(bad.starts_with("Task bg2 started"), "{bad}");
    let mut ended = finished(&tools, 2).await;
    ended.sort_by(|a, b| a.id.cmp(&b.id));
    let facts: Vec<_> = ended
        .iter()
        .map(|task| (task.id.as_str(), task.command.as_str(), task.status.as_str(), task.tail.as_str()))
        .collect();
    assert_eq!(
        facts,
        [("bg1", "echo good", "completed (exit 0)", "good"), ("bg2", "echo bad; exit 2", "failed (exit 2)", "bad")]
    );
    assert!(tools.background.finished().is_empty());
    assert!(tools.background.running().is_empty());
    for task in ended {
        assert!(good.contains(&*task.output.display().to_string()) || task.id == "bg2");
        assert_eq!(std::fs::read_to_string(&task.output).unwrap(), format!("{}\n", task.tail));
    }
}

#[tokio::test]
async fn a_running_one_is_listed_and_its_output_is_in_the_file_as_it_comes() {
    let tools = Tools::new();
    tools.ok("bash", json!({"command": "echo ready; echo $$ > pid; sleep 1000", "background": true})).await;
    let pid = tools.pid_in("pid").await;
    let running = tools.background.running();
    assert_eq!(running.len(), 1);
    assert_eq!((running[0].id.as_str(), running[0].is_leftover), ("bg1", false));
    until(|| std::fs::read_to_string(&running[0].output).is_ok_and(|text| text == "ready\n")).await;
    assert!(tools.background.finished().is_empty());
    tools.background.shutdown().await;
    assert!(!is_running(pid));
    assert!(tools.background.running().is_empty());
}

#[tokio::test]
async fn shutdown_kills_what_does_not_heed() {
    let tools = Tools::new();
    let command = "trap '' TERM; echo $$ > pid; while :; do sleep 0.2; done";
    tools.ok("bash", json!({"command": command, "background": true})).await;
    let pid = tools.pid_in("pid").await;
    tools.background.shutdown().await;
    assert!(!is_running(pid));
}

#[tokio::test]
async fn dropping_the_owner_kills() {
    let mut tools = Tools::new();
    tools.ok("bash", json!({"command": "echo $$ > pid; sleep 1000", "background": true})).await;
    let pid = tools.pid_in("pid").await;
    drop(std::mem::take(&mut tools.background));
    until(|| !is_running(pid)).await;
}

#[tokio::test]
async fn cancelling_the_turn_leaves_background_work_alone() {
    let tools = Tools::new();
    tools.ok("bash", json!({"command": "echo $$ > pid; sleep 1000", "background": true})).await;
    let pid = tools.pid_in("pid").await;
    tools.cancel.cancel();
    tokio::task::yield_now().await;
    assert!(is_running(pid));
    tools.background.shutdown().await;
    assert!(!is_running(pid));
}
