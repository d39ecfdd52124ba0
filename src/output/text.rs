//! What happens, as lines on standard error.

use serde_json::Value;

use super::say;
use crate::event::{CompactTrigger, Event, EventSink};
use crate::message::{ToolCall, ToolResult};

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Notices, warnings and denials too.
    Normal,
    /// A line a tool call too.
    Calls,
}

/// A sink that writes a line for what matters.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    verbosity: Verbosity,
}

impl Progress {
    /// A sink that says this much.
    pub fn new(verbosity: Verbosity) -> Self {
        Self { verbosity }
    }
}

impl EventSink for Progress {
    fn emit(&self, event: Event) {
        let line = match event {
            Event::ToolFinished { call, result, .. } if self.verbosity == Verbosity::Calls => call_line(&call, &result),
            Event::Denied { call, reason, .. } => format!("denied: {}: {reason}", describe(&call)),
            Event::Background { id, status } => format!("background task {id}: {status}"),
            Event::Compacted { trigger, before, after, how } => compacted(trigger, before, after, &how),
            Event::Notice(text) => format!("note: {text}"),
            Event::Warning(text) => format!("warning: {text}"),
            _ => return,
        };
        if self.verbosity > Verbosity::Quiet {
            say(&one_line(&line));
        }
    }
}

fn compacted(trigger: CompactTrigger, before: u64, after: u64, how: &str) -> String {
    format!("compacted ({}): about {before} to {after} tokens, {how}", trigger.as_str())
}

fn call_line(call: &ToolCall, result: &ToolResult) -> String {
    let mark = if result.is_error { "✗" } else { "●" };
    format!("{mark} {}", describe(call))
}

/// A call in one line: the tool and what it works on.
pub fn describe(call: &ToolCall) -> String {
    let main = ["command", "path", "pattern", "url", "prompt"];
    let object = main.iter().find_map(|key| call.input.get(*key)).or_else(|| call.input.values().next());
    let object = match object {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let short: String = object.chars().take(120).collect();
    let more = if short.len() < object.len() { "…" } else { "" };
    format!("{}  {short}{more}", call.name).trim_end().to_owned()
}

/// Text of a model or a tool, fit for one line of a terminal: nothing in it can move the cursor.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
