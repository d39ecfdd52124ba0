//! Tool calls that a model wrote into its text, because its server has no parser for them.
//!
//! They are taken only when the markup ends the message, stands outside any code fence, names a tool
//! that was offered and holds an object. Anything else stays text: a file that the model quotes must
//! never become a command.

use serde_json::{Map, Value};

use super::think::partial_tag;
use crate::provider::json;

/// The beginnings of the markup that some model family writes.
const MARKERS: [&str; 3] = ["<tool_call>", "<function=", "<|tool_calls_section_begin|>"];

/// A call found in text.
#[derive(Debug, PartialEq)]
pub(super) struct TextCall {
    pub(super) name: String,
    pub(super) input: Map<String, Value>,
}

/// The calls at the end of `text`, and where the text before them ends.
pub(super) fn find(text: &str, offered: &[String]) -> Option<(usize, Vec<TextCall>)> {
    let all_offered = |calls: &Vec<TextCall>| calls.iter().all(|call| offered.contains(&call.name));
    if let Some(call) = bare_object(text) {
        return Some((0, vec![call])).filter(|(_, calls)| all_offered(calls));
    }
    let mut starts: Vec<usize> =
        MARKERS.iter().flat_map(|marker| text.match_indices(marker).map(|(at, _)| at)).collect();
    starts.sort_unstable();
    let outside = starts.into_iter().filter(|&start| !in_fence(&text[..start]));
    let mut found = outside.filter_map(|start| Some((text[..start].trim_end().len(), sequence(&text[start..])?)));
    found.find(|(_, calls)| all_offered(calls))
}

/// How much of a text that is still growing can be shown, when `shown` of it has been: what may turn
/// out to be a call is held back.
pub(super) fn showable(text: &str, shown: usize) -> usize {
    if shown == 0 && may_be_bare_object(text) {
        return 0;
    }
    let hidden = text.get(shown..).unwrap_or_default();
    let first_outside = |marker: &&str| {
        let mut places = hidden.match_indices(marker).map(|(at, _)| shown + at);
        places.find(|&at| !in_fence(&text[..at]))
    };
    let partial = MARKERS.iter().map(|marker| partial_tag(hidden, marker)).max().unwrap_or(0);
    MARKERS.iter().filter_map(first_outside).min().unwrap_or(text.len() - partial)
}

/// Whether a code fence is open at the end of `text`.
fn in_fence(text: &str) -> bool {
    let mut open: Option<&str> = None;
    for line in text.lines().map(str::trim_start) {
        match open {
            None => open = ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence)),
            Some(fence) if line.starts_with(fence) => open = None,
            Some(_) => {}
        }
    }
    open.is_some()
}

/// Calls one after the other, up to the end.
fn sequence(text: &str) -> Option<Vec<TextCall>> {
    let mut calls = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (mut found, after) = tagged(rest).or_else(|| function(rest)).or_else(|| section(rest))?;
        calls.append(&mut found);
        rest = after.trim_start();
    }
    (!calls.is_empty()).then_some(calls)
}

/// `<tool_call>…</tool_call>` around JSON or a function tag.
fn tagged(text: &str) -> Option<(Vec<TextCall>, &str)> {
    let inside = text.strip_prefix("<tool_call>")?.trim_start();
    if let Some((calls, rest)) = function(inside) {
        return Some((calls, rest.trim_start().strip_prefix("</tool_call>")?));
    }
    // The closing tag may occur inside a string, so the first one that leaves whole JSON counts.
    inside.match_indices("</tool_call>").find_map(|(at, tag)| {
        let call = object(&inside[..at], &["arguments"])?;
        Some((vec![call], &inside[at + tag.len()..]))
    })
}

/// `<function=NAME><parameter=KEY>value</parameter></function>`.
fn function(text: &str) -> Option<(Vec<TextCall>, &str)> {
    let (name, mut rest) = text.strip_prefix("<function=")?.split_once('>')?;
    let mut input = Map::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("</function>") {
            return Some((vec![TextCall { name: name.trim().to_owned(), input }], after));
        }
        let (key, after) = rest.strip_prefix("<parameter=")?.split_once('>')?;
        let (value, after) = after.split_once("</parameter>")?;
        let value = value.strip_prefix('\n').unwrap_or(value);
        input.insert(key.trim().to_owned(), value.strip_suffix('\n').unwrap_or(value).into());
        rest = after;
    }
}

/// Kimi's section of calls.
fn section(text: &str) -> Option<(Vec<TextCall>, &str)> {
    let mut rest = text.strip_prefix("<|tool_calls_section_begin|>")?;
    let mut calls = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("<|tool_calls_section_end|>") {
            return (!calls.is_empty()).then_some((calls, after));
        }
        let (id, after) = rest.strip_prefix("<|tool_call_begin|>")?.split_once("<|tool_call_argument_begin|>")?;
        let (arguments, after) = after.split_once("<|tool_call_end|>")?;
        let name = id.trim().strip_prefix("functions.")?.rsplit_once(':')?.0;
        let Ok(Value::Object(input)) = json::parse(arguments.trim()) else { return None };
        calls.push(TextCall { name: name.to_owned(), input });
        rest = after;
    }
}

/// A message that is one JSON object and nothing else, perhaps in one fence.
fn bare_object(text: &str) -> Option<TextCall> {
    let text = text.trim();
    let inside = match text.strip_prefix("```") {
        Some(fenced) => fenced.split_once('\n')?.1.strip_suffix("```")?,
        None => text,
    };
    object(inside, &["arguments", "parameters"])
}

/// `{"name": …, "arguments": {…}}` and no other field.
fn object(text: &str, keys: &[&str]) -> Option<TextCall> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    let Ok(Value::Object(mut fields)) = json::parse(text) else { return None };
    let name = fields.get("name")?.as_str()?.to_owned();
    let input = keys.iter().find_map(|key| fields.shift_remove(*key))?;
    match input {
        Value::Object(input) if fields.len() == 1 => Some(TextCall { name, input }),
        _ => None,
    }
}

/// Whether a text may still become a bare object: its beginning decides.
fn may_be_bare_object(text: &str) -> bool {
    let text = text.trim_start();
    let inside = match text.strip_prefix("```") {
        Some(fenced) => match fenced.split_once('\n') {
            Some((_, inside)) => inside.trim_start(),
            None => return fenced.len() < 16,
        },
        None if "```".starts_with(text) => return !text.is_empty(),
        None => text,
    };
    match inside.strip_prefix('{') {
        Some(inside) => {
            let inside = inside.trim_start();
            ["\"name\"", "\"arguments\"", "\"parameters\""]
                .iter()
                .any(|key| inside.starts_with(key) || key.starts_with(inside))
        }
        None => inside.is_empty() && !text.is_empty(),
    }
}
