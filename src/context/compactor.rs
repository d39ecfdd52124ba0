//! Compaction: keeps a conversation within the model's window.
//!
//! First the bodies of old tool results are shortened. If that is not enough, the model is asked for a summary,
//! which then stands for the history beside the user's own messages and the latest exchange. If the summary
//! fails, the turn goes on with the shortened form. The rules here are pure; only the summary asks the model.

use tokio_util::sync::CancellationToken;

use super::budget;
use crate::event::{CompactTrigger, Event, EventSink, Phase};
use crate::message::{Block, Message, Role, ToolContent};
use crate::provider::{Delta, Provider, Request};
use crate::store::transcript::Transcript;

/// A result at least this long is worth shortening, in characters.
const LONG_RESULT: usize = 1000;
/// What is kept of a shortened result, in characters from its start.
const KEPT_OF_RESULT: usize = 200;
/// The newest messages whose results stay whole.
const RECENT_MESSAGES: usize = 6;
/// Tokens that the summary may take.
const SUMMARY_TOKENS: u32 = 4096;

const SUMMARY_SYSTEM: &str = "You summarise the work of a coding agent so that it can go on from your summary alone. Be exact and \
complete about facts (paths, names, commands, errors, numbers), and brief about everything else.";
const SUMMARY_REQUEST: &str = "Summarise the conversation above for the agent that goes on with it. Say: the goal; decisions and their \
reasons; the state of the work; files read or changed, and why; commands that matter, with results; what failed and need not be tried \
again; the next step.";

/// When to compact, and against what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compactor {
    /// The model's window in tokens.
    pub window: u64,
    /// The share of the window at which compaction begins.
    pub compact_at: f64,
    /// Tokens of the system text and the tools.
    pub fixed: u64,
}

/// Whom to ask for a summary, and who watches.
#[derive(Clone, Copy)]
pub struct Summariser<'a> {
    /// The model.
    pub provider: &'a dyn Provider,
    /// The model's name there.
    pub model: &'a str,
    /// Who watches.
    pub events: &'a dyn EventSink,
    /// Ends the wait.
    pub cancel: &'a CancellationToken,
    /// What the summary should dwell on, in the user's words.
    pub focus: Option<&'a str>,
}

impl Compactor {
    /// The size from which the conversation is compacted, in tokens.
    pub fn limit(&self) -> u64 {
        (self.window as f64 * self.compact_at) as u64
    }

    /// The conversation's size in tokens.
    pub fn size(&self, transcript: &Transcript) -> u64 {
        budget::conversation(transcript, self.fixed)
    }

    /// Compacts when the conversation is near the window's end, when the provider said that it is beyond, or when
    /// the person asks. Says whether the history changed. It cannot fail; it may leave the history as it is.
    pub async fn compact(&self, by: Summariser<'_>, transcript: &mut Transcript, trigger: CompactTrigger) -> bool {
        let before = self.size(transcript);
        let is_due = before > self.limit() && !transcript.is_just_compacted();
        if trigger == CompactTrigger::Auto && !is_due || transcript.messages().len() < 2 {
            return false;
        }
        let (shortened, count) = shorten(transcript.messages());
        let estimate = |messages: &[Message]| {
            let saved = budget::messages(transcript.messages()).saturating_sub(budget::messages(messages));
            before.saturating_sub(saved)
        };
        let is_enough = trigger == CompactTrigger::Auto && estimate(&shortened) < self.limit() * 3 / 4;
        let (messages, how) = if is_enough {
            (shortened, format!("{count} old tool results shortened"))
        } else {
            match self.summarise(by, &shortened).await {
                Ok(summary) => {
                    (rebuild(transcript.messages(), &summary, self.window / 8), "summarised by the model".to_owned())
                }
                Err(_) if by.cancel.is_cancelled() => return false,
                Err(error) => {
                    by.events.emit(Event::Warning(format!(
                        "no summary could be made ({error}); old tool results are shortened instead"
                    )));
                    (shortened, format!("{count} old tool results shortened"))
                }
            }
        };
        if messages == transcript.messages() {
            return false;
        }
        let after = estimate(&messages);
        transcript.compact(messages, trigger, before, after);
        by.events.emit(Event::Compacted { trigger, before, after, how });
        true
    }

    /// Asks the model, without tools, for a summary of the history as plain text.
    async fn summarise(&self, by: Summariser<'_>, messages: &[Message]) -> Result<String, String> {
        by.events.emit(Event::Phase(Phase::Compacting));
        let room = (self.window.saturating_sub(u64::from(SUMMARY_TOKENS) + 2000) * 3) as usize;
        let mut question = middle_cut(&as_text(messages), room.max(8000));
        question.push_str("\n\n");
        question.push_str(SUMMARY_REQUEST);
        if let Some(focus) = by.focus {
            question.push_str(&format!(" Dwell on this: {focus}"));
        }
        let messages = [Message::user(question)];
        let request = Request {
            model: by.model,
            system: SUMMARY_SYSTEM,
            messages: &messages,
            tools: &[],
            max_tokens: SUMMARY_TOKENS,
        };
        let mut ignore = |_: Delta<'_>| {};
        let answer = by.cancel.run_until_cancelled(by.provider.stream(request, &mut ignore)).await;
        let response = answer.ok_or("interrupted")?.map_err(|error| error.to_string())?;
        let text = response.message.text();
        if text.trim().is_empty() { Err("the model returned nothing".to_owned()) } else { Ok(text) }
    }
}

/// The history with the bodies of old, long tool results cut to their start, and how many were.
fn shorten(messages: &[Message]) -> (Vec<Message>, usize) {
    let old = messages.len().saturating_sub(RECENT_MESSAGES);
    let mut count = 0;
    let shortened = messages.iter().enumerate().map(|(index, message)| {
        let is_long = |block: &Block| matches!(block, Block::ToolResult(result) if result.content.text().len() > LONG_RESULT);
        if index >= old || !message.content.iter().any(is_long) {
            return message.clone();
        }
        let content = message.content.iter().cloned().map(|block| match block {
            Block::ToolResult(mut result) if result.content.text().len() > LONG_RESULT => {
                let text = result.content.text();
                let start: String = text.chars().take(KEPT_OF_RESULT).collect();
                count += 1;
                result.content = ToolContent::Text(format!(
                    "{start}\n[shortened to save context: {} of {} characters left out; run the call again if you need them]",
                    text.chars().count() - start.chars().count(),
                    text.chars().count(),
                ));
                Block::ToolResult(result)
            }
            other => other,
        });
        let content = content.collect();
        Message::new(message.role, content)
    });
    (shortened.collect(), count)
}

/// The compacted history: the user's own messages and the summary as one message, then the latest exchange whole.
fn rebuild(messages: &[Message], summary: &str, budget_for_own: u64) -> Vec<Message> {
    let (older, latest) = messages.split_at(start_of_latest(messages));
    let mut spent = 0;
    let mut own: Vec<Block> = older
        .iter()
        .rev()
        .filter(|message| message.role == Role::User)
        .flat_map(|message| message.content.iter().rev())
        .filter_map(own_words)
        .take_while(|text| {
            spent += budget::text(text);
            spent <= budget_for_own
        })
        .map(Block::text)
        .collect();
    own.reverse();
    let mut content = vec![Block::text(
        "[The conversation up to here was compacted. The user's own messages and a summary of the work follow.]",
    )];
    content.append(&mut own);
    content.push(Block::text(format!("<summary>\n{summary}\n</summary>")));
    let mut compacted = vec![Message::new(Role::User, content)];
    compacted.extend(latest.iter().cloned());
    compacted
}

/// What the user said in a block, wrapped so that the next compaction knows it again.
fn own_words(block: &Block) -> Option<String> {
    let Block::Text { text } = block else { return None };
    if text.starts_with("<user_message>") {
        return Some(text.clone());
    }
    let is_ours = ["<summary>", "<background_task", "[The conversation up to here was compacted"];
    if is_ours.iter().any(|start| text.starts_with(start)) {
        None
    } else {
        Some(format!("<user_message>\n{text}\n</user_message>"))
    }
}

/// Where the latest exchange begins: the trailing user messages and, if they hold results, the calls these answer.
fn start_of_latest(messages: &[Message]) -> usize {
    let after_answer =
        messages.iter().rposition(|message| message.role == Role::Assistant).map_or(0, |index| index + 1);
    let has_results = messages[after_answer..].iter().any(|message| message.tool_results().next().is_some());
    if has_results { after_answer - 1 } else { after_answer }
}

/// The history as text, so that any provider takes it whatever calls it holds.
fn as_text(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in messages {
        let who = if message.role == Role::User { "User" } else { "Agent" };
        for block in &message.content {
            match block {
                Block::Text { text: said } => text.push_str(&format!("{who}: {said}\n\n")),
                Block::ToolUse(call) => {
                    let input = serde_json::Value::Object(call.input.clone());
                    text.push_str(&format!("Agent calls {}: {input}\n\n", call.name));
                }
                Block::ToolResult(result) => text.push_str(&format!("Result: {}\n\n", result.content.text())),
                Block::Image { .. } => text.push_str("[an image]\n\n"),
                Block::Thinking { .. } | Block::ProviderItem { .. } => {}
            }
        }
    }
    text
}

/// At most `limit` bytes of a text: its start and its end.
fn middle_cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit / 3);
    let tail = text.ceil_char_boundary(text.len() - limit * 2 / 3);
    format!("{}\n[… {} bytes left out …]\n{}", &text[..head], tail - head, &text[tail..])
}
