//! What happens, as lines on standard error.

use super::say;
use crate::event::{CompactTrigger, Event, EventSink};
use crate::message::{Message, ToolCall, ToolResult};
use crate::ui::describe::describe;
use crate::ui::visible::visible_line;

/// Lines of a result that are shown when everything is.
const RESULT_LINES: usize = 10;

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Notices, warnings and denials too.
    Normal,
    /// A line a tool call too.
    Calls,
    /// Everything: what the model says between calls, and the first lines of results.
    Full,
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
            Event::Assistant { message, .. } if self.verbosity == Verbosity::Full => return say_before_calls(&message),
            Event::ToolFinished { call, result, .. } if self.verbosity >= Verbosity::Calls => {
                say(&visible_line(&call_line(&call, &result)));
                if self.verbosity == Verbosity::Full {
                    say_first_lines(&result.content.text());
                }
                return;
            }
            Event::Denied { call, reason, way_out } => {
                let way_out = way_out.map(|way| format!(" ({way} would allow it)")).unwrap_or_default();
                format!("denied: {}: {reason}{way_out}", describe(&call))
            }
            Event::Background { id, status } => format!("background task {id}: {status}"),
            Event::Compacted { trigger, before, after, how } => compacted(trigger, before, after, &how),
            Event::Notice(text) => format!("note: {text}"),
            Event::Warning(text) => format!("warning: {text}"),
            _ => return,
        };
        if self.verbosity > Verbosity::Quiet {
            say(&visible_line(&line));
        }
    }
}

/// What the model says before it calls tools; a final answer goes to standard output instead.
fn say_before_calls(message: &Message) {
    let text = message.text();
    if message.tool_calls().next().is_some() && !text.trim().is_empty() {
        text.trim().lines().for_each(|line| say(&visible_line(line)));
    }
}

fn say_first_lines(text: &str) {
    text.lines().take(RESULT_LINES).for_each(|line| say(&visible_line(&format!("    {line}"))));
    let more = text.lines().count().saturating_sub(RESULT_LINES);
    if more > 0 {
        say(&format!("    … {more} more lines"));
    }
}

fn compacted(trigger: CompactTrigger, before: u64, after: u64, how: &str) -> String {
    format!("compacted ({}): about {before} to {after} tokens, {how}", trigger.as_str())
}

fn call_line(call: &ToolCall, result: &ToolResult) -> String {
    let mark = if result.is_error { "✗" } else { "●" };
    format!("{mark} {}", describe(call))
}
