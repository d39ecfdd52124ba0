//! A tool call in words.

use serde_json::Value;

use crate::message::ToolCall;

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
