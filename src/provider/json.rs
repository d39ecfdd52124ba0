//! Reading JSON as models and servers write it: strictly first, then once more with two harmless
//! faults mended (raw control characters inside strings, halves of surrogate pairs).

use serde_json::Value;

/// Parses one JSON text.
pub(super) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match mend(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// The JSON values that stand one after the other in a text, or `None` when one does not parse.
pub(super) fn parse_sequence(text: &str) -> Option<Vec<Value>> {
    let mended = mend(text);
    serde_json::Deserializer::from_str(mended.as_deref().unwrap_or(text)).into_iter().collect::<Result<_, _>>().ok()
}

/// The text with control characters inside strings escaped and lone surrogates replaced by U+FFFD;
/// `None` when there is nothing to mend.
pub(super) fn mend(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 16);
    let (mut rest, mut in_string, mut changed) = (text, false, false);
    while let Some(at) = rest.find(|c: char| c == '"' || c == '\\' || c < ' ') {
        out.push_str(&rest[..at]);
        let found = rest.as_bytes()[at];
        rest = &rest[at..];
        let taken = match found {
            b'"' => {
                in_string = !in_string;
                out.push('"');
                1
            }
            b'\\' => {
                let (taken, escape) = escape(rest);
                changed |= escape != &rest[..taken];
                out.push_str(escape);
                taken
            }
            control => {
                if in_string {
                    changed = true;
                    out.push_str(&format!("\\u{control:04x}"));
                } else {
                    out.push(control.into());
                }
                1
            }
        };
        rest = &rest[taken..];
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// The escape that `text` begins with: how many bytes it takes, and what it should read.
fn escape(text: &str) -> (usize, &str) {
    match unit(text) {
        Some(0xD800..=0xDBFF) if matches!(text.get(6..).and_then(unit), Some(0xDC00..=0xDFFF)) => (12, &text[..12]),
        Some(0xD800..=0xDFFF) => (6, "\\ufffd"),
        _ => {
            let length = 1 + text[1..].chars().next().map_or(0, char::len_utf8);
            (length, &text[..length])
        }
    }
}

/// The UTF-16 unit of a `\uXXXX` escape at the beginning of `text`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

/// A count of tokens, however the server writes numbers.
pub(super) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
}

/// A string that is there and not empty.
pub(super) fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}
