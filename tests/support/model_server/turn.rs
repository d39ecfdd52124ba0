//! What a test writes: the turns of a script, and the gates that hold them.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{PATIENCE, Recorded};

/// One answer of the server, with its faults.
#[derive(Clone)]
pub struct Turn {
    pub(super) kind: Kind,
    pub(super) parts: Vec<Part>,
    pub(super) end: End,
    pub(super) stop: Option<Stop>,
    pub(super) usage: Option<(u64, u64)>,
    pub(super) cached: u64,
    pub(super) headers: Vec<(String, String)>,
    pub(super) delay: Duration,
    pub(super) gate: Option<Gate>,
    pub(super) end_gate: Option<Gate>,
    pub(super) pieces_of: Option<usize>,
    only_for: Option<String>,
}

/// What sort of answer.
#[derive(Clone)]
pub(super) enum Kind {
    /// The parts, in the request's wire form.
    Answer,
    /// This status, content type and body, as they are.
    Raw { status: u16, content_type: String, body: Vec<u8> },
    /// An error body in the request's wire form.
    Error { status: u16, kind: String, message: String },
    /// No byte at all, for ever.
    Silence,
    /// The connection is reset (RST) instead of an answer.
    Reset,
    /// The connection is closed instead of an answer.
    Close,
}

/// A piece of an answer.
#[derive(Clone)]
pub(super) enum Part {
    Text(String),
    Thinking(String, String),
    Call {
        id: Option<String>,
        name: String,
        arguments: String,
    },
    /// A call whose arguments end here; nothing of the answer follows.
    CutCall {
        name: String,
        arguments: String,
    },
    Gate(Gate),
    Delay(Duration),
    Comment,
}

/// How the answer ends.
#[derive(Clone, PartialEq)]
pub(super) enum End {
    Whole,
    /// The connection closes in the middle of the body.
    Cut,
    /// Nothing more comes, and the connection stays open.
    Stall,
    /// An event that is not JSON.
    Malformed,
    /// An error event in the stream.
    Error(String, String),
}

/// Why the answer says that it ended, where the parts do not say it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stop {
    MaxTokens,
    Refusal,
}

impl Turn {
    fn of(kind: Kind, parts: Vec<Part>) -> Self {
        Self {
            kind,
            parts,
            end: End::Whole,
            stop: None,
            usage: Some((100, 20)),
            cached: 0,
            headers: Vec::new(),
            delay: Duration::ZERO,
            gate: None,
            end_gate: None,
            pieces_of: None,
            only_for: None,
        }
    }

    fn answer(parts: Vec<Part>) -> Self {
        Self::of(Kind::Answer, parts)
    }

    fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// An answer of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::answer(vec![Part::Text(text.into())])
    }

    /// An answer of one tool call.
    pub fn call(name: &str, input: Value) -> Self {
        Self::answer(Vec::new()).and_call(name, input)
    }

    /// An answer of several tool calls.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        calls.into_iter().fold(Self::answer(Vec::new()), |turn, (name, input)| turn.and_call(name, input))
    }

    /// A call whose arguments are this text, valid or not.
    pub fn call_with_arguments(name: &str, arguments: &str) -> Self {
        Self::answer(vec![Part::Call { id: None, name: name.into(), arguments: arguments.into() }])
    }

    /// A call whose arguments break off after `arguments`; then the connection closes.
    pub fn cut_tool_call(name: &str, arguments: &str) -> Self {
        Self::answer(vec![Part::CutCall { name: name.into(), arguments: arguments.into() }]).ending(End::Cut)
    }

    /// Text that the token limit cuts.
    pub fn max_tokens(text: impl Into<String>) -> Self {
        let mut turn = Self::text(text);
        turn.stop = Some(Stop::MaxTokens);
        turn
    }

    /// Text and a refusal.
    pub fn refusal(text: impl Into<String>) -> Self {
        let mut turn = Self::text(text);
        turn.stop = Some(Stop::Refusal);
        turn
    }

    /// A well-formed answer without any content.
    pub fn empty() -> Self {
        Self::answer(Vec::new())
    }

    /// Nothing at all: the request is read, and no byte comes back.
    pub fn stall_before_headers() -> Self {
        Self::of(Kind::Silence, Vec::new())
    }

    /// Text, and then nothing more on an open connection.
    pub fn stall_after(text: impl Into<String>) -> Self {
        Self::text(text).then_stall()
    }

    /// A stream whose first event is not JSON (in one piece: a body that is not).
    pub fn malformed_event() -> Self {
        Self::answer(Vec::new()).ending(End::Malformed)
    }

    /// The headers of an answer and then a closed connection.
    pub fn cut_before_first_event() -> Self {
        Self::answer(Vec::new()).ending(End::Cut)
    }

    /// A reset (RST) instead of an answer.
    pub fn reset() -> Self {
        Self::of(Kind::Reset, Vec::new())
    }

    /// A closed connection instead of an answer.
    pub fn close() -> Self {
        Self::of(Kind::Close, Vec::new())
    }

    /// This status with a JSON (or other) body, as it is.
    pub fn status(status: u16, body: impl Into<Body>) -> Self {
        let Body { content_type, bytes } = body.into();
        Self::of(Kind::Raw { status, content_type, body: bytes }, Vec::new())
    }

    /// This status and body, byte for byte.
    pub fn raw_status(status: u16, content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        let (content_type, body) = (content_type.to_owned(), bytes.as_ref().to_vec());
        Self::of(Kind::Raw { status, content_type, body }, Vec::new())
    }

    /// An error in the request's wire form.
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        Self::of(Kind::Error { status, kind: kind.into(), message: message.into() }, Vec::new())
    }

    /// These bytes as an event stream.
    pub fn raw_sse(bytes: impl AsRef<[u8]>) -> Self {
        Self::raw_body("text/event-stream", bytes)
    }

    /// These bytes with status 200.
    pub fn raw_body(content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::raw_status(200, content_type, bytes)
    }

    /// More text.
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// One more call.
    pub fn and_call(mut self, name: &str, input: Value) -> Self {
        self.parts.push(Part::Call { id: None, name: name.into(), arguments: input.to_string() });
        self
    }

    /// One more call, with an id of the test's choice.
    pub fn and_call_with_id(mut self, id: &str, name: &str, input: Value) -> Self {
        self.parts.push(Part::Call { id: Some(id.into()), name: name.into(), arguments: input.to_string() });
        self
    }

    /// Reasoning, before what is already there.
    pub fn thinking(mut self, text: &str, signature: &str) -> Self {
        self.parts.insert(0, Part::Thinking(text.into(), signature.into()));
        self
    }

    /// After what is there, the connection closes in the middle of the answer.
    pub fn then_cut(self) -> Self {
        self.ending(End::Cut)
    }

    /// After what is there, nothing more comes.
    pub fn then_stall(self) -> Self {
        self.ending(End::Stall)
    }

    /// After what is there comes an event that is not JSON.
    pub fn then_malformed(self) -> Self {
        self.ending(End::Malformed)
    }

    /// After what is there comes an error event.
    pub fn then_error(self, kind: &str, message: &str) -> Self {
        self.ending(End::Error(kind.into(), message.into()))
    }

    /// What is there so far is sent; what is added later waits until the gate opens.
    pub fn then_gate(mut self, gate: &Gate) -> Self {
        self.parts.push(Part::Gate(gate.clone()));
        self
    }

    /// A pause within the answer, for tests that watch time pass; prefer [`Turn::then_gate`].
    pub fn then_delay(mut self, delay: Duration) -> Self {
        self.parts.push(Part::Delay(delay));
        self
    }

    /// A comment in the stream, as servers send to keep a connection alive.
    pub fn then_comment(mut self) -> Self {
        self.parts.push(Part::Comment);
        self
    }

    /// Nothing is sent until the gate opens.
    pub fn gate(mut self, gate: &Gate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// The whole body is sent, but it is not ended before the gate opens (the connection stays open).
    pub fn body_gate(mut self, gate: &Gate) -> Self {
        self.end_gate = Some(gate.clone());
        self
    }

    /// A pause before the headers.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The tokens that the answer reports: prompt (cached ones aside) and output.
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Some((input, output));
        self
    }

    /// Prompt tokens reported as read from the cache, beside those of [`Turn::usage`].
    pub fn cached(mut self, tokens: u64) -> Self {
        self.cached = tokens;
        self
    }

    /// The answer reports no tokens.
    pub fn no_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// One more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The body goes out in pieces of this many bytes, so that events and characters are split.
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.pieces_of = Some(bytes);
        self
    }

    /// Only a request whose body contains `text` gets this turn; others pass it by.
    pub fn only_for(mut self, text: &str) -> Self {
        self.only_for = Some(text.into());
        self
    }

    pub(super) fn fits(&self, request: &Recorded) -> bool {
        self.only_for.as_ref().is_none_or(|text| request.text().contains(text))
    }
}

/// A body for [`Turn::status`]: JSON from a value, plain text from a string, HTML if it looks like it.
pub struct Body {
    content_type: String,
    bytes: Vec<u8>,
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        Self { content_type: "application/json".into(), bytes: value.to_string().into_bytes() }
    }
}

impl From<&str> for Body {
    fn from(text: &str) -> Self {
        let kind = match text.trim_start().chars().next() {
            Some('<') => "text/html",
            Some('{' | '[') => "application/json",
            _ => "text/plain",
        };
        Self { content_type: kind.into(), bytes: text.into() }
    }
}

/// A hold on a turn: the server waits at it until the test opens it.
#[derive(Clone, Default)]
pub struct Gate(Arc<GateState>);

struct GateState {
    open: Semaphore,
    reached: Mutex<bool>,
    changed: Condvar,
    arrivals: Semaphore,
}

impl Default for GateState {
    fn default() -> Self {
        let (open, arrivals) = (Semaphore::new(0), Semaphore::new(0));
        Self { open, reached: Mutex::new(false), changed: Condvar::new(), arrivals }
    }
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the gate, for good.
    pub fn open(&self) {
        self.0.open.add_permits(1000);
    }

    /// Blocks until the server stands at the gate: what comes before it has been sent.
    pub fn wait_reached(&self) {
        let reached = self.0.reached.lock().unwrap();
        let (_held, timeout) = self.0.changed.wait_timeout_while(reached, PATIENCE, |reached| !*reached).unwrap();
        assert!(!timeout.timed_out(), "the server did not come to the gate within {PATIENCE:?}");
    }

    /// The same for tests whose client runs on this thread's runtime.
    pub async fn reached(&self) {
        let arrival = tokio::time::timeout(PATIENCE, self.0.arrivals.acquire()).await;
        drop(arrival.expect("the server did not come to the gate").unwrap());
    }

    pub(super) async fn pass(&self) {
        *self.0.reached.lock().unwrap() = true;
        self.0.changed.notify_all();
        self.0.arrivals.add_permits(1000);
        drop(self.0.open.acquire().await.unwrap());
    }
}

/// An error body of Anthropic's form, for [`Turn::status`].
pub fn anthropic_error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"})
}

/// An error body of OpenAI's form, for [`Turn::status`].
pub fn openai_error(kind: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
}
