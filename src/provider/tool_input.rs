//! Reading the arguments of a tool call, once the whole answer is there.
//!
//! Three repairs are made, each of which leaves every byte of a value as the model wrote it. No quote,
//! bracket or comma is ever invented: a guessed end turns `rm -rf ./build` into something else.

use serde_json::{Map, Value};

use super::json;
use crate::message::{InvalidInput, InvalidKind};

/// The arguments in `raw`. `cut` says that the token limit or the end of the stream may have cut them.
pub(super) fn read(raw: &str, cut: bool) -> Result<Map<String, Value>, InvalidInput> {
    let text = raw.trim();
    let fault = |kind| InvalidInput { kind, raw: raw.to_owned() };
    if text.is_empty() {
        return if cut { Err(fault(InvalidKind::Truncated)) } else { Ok(Map::new()) };
    }
    match json::parse(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(Value::String(inner)) => match json::parse(&inner) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err(fault(InvalidKind::NotObject)),
        },
        Ok(_) => Err(fault(InvalidKind::NotObject)),
        Err(_) if cut => Err(fault(InvalidKind::Truncated)),
        Err(_) => repair(text).ok_or_else(|| fault(InvalidKind::InvalidJson)),
    }
}

/// Whether `text` is one complete JSON object.
pub(super) fn is_object(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('{') && text.ends_with('}') && matches!(json::parse(text), Ok(Value::Object(_)))
}

/// Surplus closing braces; an empty object before the real one; the same object twice.
fn repair(text: &str) -> Option<Map<String, Value>> {
    let mut whole = text;
    while let Some(shorter) = whole.strip_suffix('}') {
        whole = shorter.trim_end();
        if let Ok(Value::Object(object)) = json::parse(whole) {
            return Some(object);
        }
    }
    match json::parse_sequence(text)?.as_slice() {
        [Value::Object(first), Value::Object(second)] if first.is_empty() || first == second => Some(second.clone()),
        _ => None,
    }
}
