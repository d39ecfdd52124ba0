//! What a wire form is: a builder of requests and a decoder of answers, both pure. `http.rs` does the
//! rest for all of them; a new form is one implementation of each trait here.

use std::collections::HashSet;
use std::sync::Arc;

use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

use super::auth::Credential;
use super::error::ProviderError;
use super::{DeltaSink, Request, Response};
use crate::message::{Message, ToolCall, Usage};

/// How the answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// As a stream of events.
    Stream,
    /// As one JSON object.
    OnePiece,
}

/// A wire form at one endpoint.
pub(super) trait WireForm: Send + Sync {
    /// Where a request goes, from the base address without trailing slashes.
    fn url(&self, base_url: &str, request: &Request<'_>, mode: Mode) -> String;

    /// The headers that carry the key, and those that the form asks for. A key that no header can hold is left out.
    fn headers(&self, key: Option<&Credential>) -> HeaderMap;

    /// The request's body, without the fields in `omitted`.
    fn body(&self, request: &Request<'_>, mode: Mode, omitted: &[&'static str]) -> String;

    /// Fields that a server may not know and that can be left out (or written otherwise) then.
    fn optional_fields(&self) -> &'static [&'static str];

    /// A decoder for the answer to `request`.
    fn decoder(&self, request: &Request<'_>) -> Box<dyn Decoder>;
}

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// More is needed.
    More,
    /// The answer is whole; token counts may follow.
    Complete,
    /// Nothing that follows counts.
    Done,
}

/// Puts an answer together. Errors carry the server's words as their message.
pub(super) trait Decoder: Send {
    /// Takes an event of the stream.
    fn event(&mut self, name: Option<&str>, data: &Value, out: DeltaSink<'_>) -> Result<Progress, ProviderError>;

    /// Takes the `[DONE]` marker.
    fn end_marker(&mut self) {}

    /// Takes a whole answer in one piece.
    fn whole(&mut self, body: &Value, out: DeltaSink<'_>) -> Result<(), ProviderError>;

    /// The tokens reported so far.
    fn usage(&self) -> Usage;

    /// The whole answer, or why there is none. Text that was held back goes to `out` in either case.
    fn finish(self: Box<Self>, out: DeltaSink<'_>) -> Result<Response, ProviderError>;
}

/// What stands in an answer that was cut off, so that the model knows.
pub(super) const CUT_OFF: &str = "[This answer was cut off before it was complete.]";

/// The ids of the calls in a history, so that an answer's can be kept apart from them.
pub(super) struct CallIds(HashSet<String>);

impl CallIds {
    pub(super) fn of(messages: &[Message]) -> Self {
        Self(messages.iter().flat_map(Message::tool_calls).map(|call| call.id.clone()).collect())
    }

    /// The server's id where it is there and new, else one of our own.
    pub(super) fn assign(&mut self, given: &str) -> String {
        let id = match given {
            "" => Self::own(),
            taken if self.0.contains(taken) => Self::own(),
            new => new.to_owned(),
        };
        self.0.insert(id.clone());
        id
    }

    fn own() -> String {
        format!("call_{}", uuid::Uuid::now_v7().simple())
    }
}

/// A call's id in a form that a server takes: kept where it fits, else a hash that is always the same.
pub(super) fn wire_id(id: &str, short: bool) -> String {
    let fits = match short {
        true => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        false => !id.is_empty() && id.len() <= 64 && id.bytes().all(is_name_byte),
    };
    if fits {
        return id.to_owned();
    }
    // FNV-1a: short, and the same in every build.
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    if short { format!("{hash:016x}")[7..].to_owned() } else { format!("call_{hash:016x}") }
}

/// A tool's name in the form that every server takes. Models invent names; the history must not break on them.
pub(super) fn wire_name(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii() && is_name_byte(c as u8) { c } else { '_' }).take(64).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The messages as the elements of a JSON array, each rendered once and kept. `render` returns nothing
/// for a message that has no content to send.
pub(super) fn join_messages(form: &Arc<str>, messages: &[Message], render: impl Fn(&Message) -> String) -> String {
    let mut joined = String::new();
    for message in messages {
        let element = message.wire.get_or_make(form, || render(message));
        if !joined.is_empty() && !element.is_empty() {
            joined.push(',');
        }
        joined.push_str(&element);
    }
    joined
}

/// A body whose last field is `messages`, so that each request is the previous one and more.
pub(super) fn body_with_messages(head: Map<String, Value>, messages: &str) -> String {
    let mut body = Value::Object(head).to_string();
    body.pop();
    body.push_str(",\"messages\":[");
    body.push_str(messages);
    body.push_str("]}");
    body
}

/// Whether text has anything in it; providers refuse blank text.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A call for the answer's message from its raw arguments.
pub(super) fn tool_call(id: String, name: String, raw: &str, cut: bool) -> ToolCall {
    match super::tool_input::read(raw, cut) {
        Ok(input) => ToolCall { id, name, input, invalid: None },
        Err(invalid) => ToolCall { id, name, input: Map::new(), invalid: Some(invalid) },
    }
}
