//! Compaction: when, what it keeps, and what it does when the model cannot be asked.

use bareagent::context::compactor::Compactor;
use bareagent::event::Event;
use bareagent::message::{Message, Role};
use bareagent::provider::{ErrorKind, ProviderError};
use bareagent::tools::Output;
use serde_json::json;

use crate::support::scripted::{Stage, Step, calls, text};

/// A stage whose tool returns results of about 2,000 tokens in a window of `window`.
fn stage(window: u64, steps: Vec<Step>) -> Stage {
    let mut stage = Stage::new(steps).tool("big", |_| Ok(Output::Text("0123456789abcde\n".repeat(500))));
    stage.compactor = Compactor { window, compact_at: 0.8, fixed: 0 };
    stage
}

fn rounds(count: usize) -> Vec<Step> {
    (0..count).map(|_| calls([("big", json!({}))])).collect()
}

fn compactions(stage: &Stage) -> Vec<(u64, u64, String)> {
    let events = stage.events().into_iter();
    events
        .filter_map(|event| match event {
            Event::Compacted { before, after, how, .. } => Some((before, after, how)),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn old_results_are_shortened_first_and_recent_ones_stay_whole() {
    let mut steps = rounds(9);
    steps.push(text("done"));
    let mut stage = stage(20_000, steps);
    assert_eq!(stage.turn("the task").await.unwrap(), "done");
    let compactions = compactions(&stage);
    assert!(!compactions.is_empty());
    assert!(
        compactions.iter().all(|(before, after, how)| after < before && how.contains("shortened")),
        "{compactions:?}"
    );
    let results: Vec<String> =
        stage.transcript.messages().iter().flat_map(|m| m.tool_results()).map(|r| r.content.text()).collect();
    assert!(results[0].len() < 1000 && results[0].contains("left out"), "{}", results[0]);
    assert_eq!(results.last().unwrap().len(), 8000);
}

#[tokio::test]
async fn a_summary_keeps_the_users_words_and_the_latest_exchange() {
    let mut steps = vec![text("first answer")];
    steps.extend(rounds(3));
    steps.push(text("THE SUMMARY"));
    steps.push(text("done"));
    let mut stage = stage(7_000, steps);
    stage.turn("remember the number 42").await.unwrap();
    assert_eq!(stage.turn("now read the big things").await.unwrap(), "done");
    let messages = stage.transcript.messages();
    let first = messages[0].text();
    for part in ["remember the number 42", "now read the big things", "THE SUMMARY"] {
        assert!(first.contains(part), "{first}");
    }
    let latest: Vec<Role> = messages[1..].iter().map(|message| message.role).collect();
    assert_eq!(latest, [Role::Assistant, Role::User, Role::Assistant]);
    assert_eq!(messages[2].tool_results().next().unwrap().content.text().len(), 8000);
    let requests = stage.provider.requests.lock().unwrap();
    let asked = requests.iter().find(|(messages, _)| messages.len() == 1 && messages[0].text().contains("Summarise"));
    assert!(asked.is_some_and(|(messages, _)| messages[0].tool_calls().next().is_none()));
}

#[tokio::test]
async fn when_the_summary_fails_the_turn_goes_on_with_shortened_results() {
    let mut steps = rounds(4);
    steps.push(Step::Fail("", ProviderError::new(ErrorKind::Overloaded, "busy")));
    steps.push(text("done"));
    let mut stage = stage(9_500, steps);
    let end = stage.turn("go").await;
    let warned = stage.events().iter().any(|event| matches!(event, Event::Warning(text) if text.contains("busy")));
    assert!(warned, "{:?}", compactions(&stage));
    assert_eq!(end.unwrap(), "done");
}

#[tokio::test]
async fn a_conversation_that_the_provider_finds_too_long_is_compacted_and_sent_once_more() {
    let too_long = || Step::Fail("", ProviderError::new(ErrorKind::ContextOverflow, "prompt is too long"));
    let mut stage = stage(1_000_000, vec![text("one"), too_long(), text("THE SUMMARY"), text("two")]);
    stage.turn("a").await.unwrap();
    assert_eq!(stage.turn("b").await.unwrap(), "two");
    assert_eq!(compactions(&stage).len(), 1);

    let mut stage = self::stage(1_000_000, vec![text("one"), too_long(), text("THE SUMMARY"), too_long()]);
    stage.turn("a").await.unwrap();
    assert!(stage.turn("b").await.is_err(), "once, not for ever");
    assert_eq!(stage.transcript.messages().last().map(Message::text).as_deref(), Some("b"));
}
