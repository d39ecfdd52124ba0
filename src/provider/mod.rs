//! The border to model providers: the trait, what is asked, what comes back, and how it fails.
//!
//! [`connect`] makes a provider of an [`Endpoint`]. `http.rs` posts and times each phase, `reader.rs`
//! reads what comes back by way of `sse.rs`; `anthropic.rs` and `openai_chat.rs` are one wire form each
//! (a body builder and a pure decoder, see `wire.rs`); `tool_input.rs` reads tool arguments. Failures
//! are classified in `classify.rs` and `network.rs` and put into words in `explain.rs`. `catalog.rs`
//! knows the providers by name: adding one that speaks a known wire form is one row there.

mod anthropic;
pub mod auth;
pub mod catalog;
mod classify;
mod client;
mod error;
mod explain;
mod http;
mod json;
mod network;
mod openai_chat;
mod probe;
mod reader;
pub mod replay;
mod retry_after;
mod sse;
mod tool_input;
mod wire;

pub use auth::{Credential, Secret};
pub use catalog::Wire;
pub use error::{ErrorKind, ProviderError};
pub use http::Timeouts;
pub use probe::{Local, first_model, probe_local};

use futures::future::BoxFuture;
use serde_json::Value;

use crate::event::{Event, Phase};
use crate::message::{Message, StopReason, Usage};

/// One model call: everything the provider needs, borrowed for the length of the call.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The model's name at the provider.
    pub model: &'a str,
    /// The system text; may be empty.
    pub system: &'a str,
    /// The history; the last message is from the user.
    pub messages: &'a [Message],
    /// The tools on offer, in a fixed order.
    pub tools: &'a [ToolSpec],
    /// Limit on the answer's tokens.
    pub max_tokens: u32,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: String,
    /// What the tool does and when to use it.
    pub description: String,
    /// JSON Schema of the input; its top level is an object.
    pub schema: Value,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The assistant message. Call ids are distinct within it and non-empty.
    pub message: Message,
    /// Why it ended.
    pub stop: StopReason,
    /// Its tokens, as far as reported.
    pub usage: Usage,
}

/// A piece of an answer, or of what is known about it, as it comes.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta<'a> {
    /// A named wait began.
    Phase(Phase),
    /// Visible text.
    Text(&'a str),
    /// Visible reasoning.
    Thinking(&'a str),
    /// Something the person should know: a fallback, a repaired oddity.
    Notice(String),
}

impl From<Delta<'_>> for Event {
    fn from(delta: Delta<'_>) -> Self {
        match delta {
            Delta::Phase(phase) => Self::Phase(phase),
            Delta::Text(text) => Self::Text(text.to_owned()),
            Delta::Thinking(text) => Self::Thinking(text.to_owned()),
            Delta::Notice(text) => Self::Notice(text),
        }
    }
}

/// Where an answer's pieces go as they come.
pub type DeltaSink<'a> = &'a mut (dyn FnMut(Delta<'_>) + Send);

/// A model behind some API. Dropping a returned future cancels the call and closes its connection.
pub trait Provider: Send + Sync {
    /// The provider's name, for messages to the person.
    fn name(&self) -> &str;

    /// Streams an answer: pieces go to `on_delta` as they come, and the whole answer is the return
    /// value, so that a stream which ends without it cannot pass for one.
    ///
    /// # Errors
    /// Any failure, classified. Text shown before the failure has gone to `on_delta` already.
    fn stream<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>>;

    /// Asks for the answer in one piece, for servers that cannot stream. `on_delta` gets phases only.
    ///
    /// # Errors
    /// Any failure, classified.
    fn create<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>>;
}

/// Where a provider is and how it is spoken to.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The provider's name: a row of the catalog, or the person's own.
    pub name: String,
    /// The wire form.
    pub wire: Wire,
    /// The address, up to where the wire form's own path begins.
    pub base_url: String,
    /// The key, if there is one.
    pub credential: Option<Credential>,
    /// Headers of the person's own.
    pub headers: Vec<(String, String)>,
    /// How long each phase of a call may take.
    pub timeouts: Timeouts,
}

impl Endpoint {
    /// An endpoint without key or headers of its own, with the usual limits.
    pub fn new(name: impl Into<String>, wire: Wire, base_url: impl Into<String>) -> Self {
        let (name, base_url) = (name.into(), base_url.into());
        Self { name, wire, base_url, credential: None, headers: Vec::new(), timeouts: Timeouts::default() }
    }
}

/// A provider at this endpoint. Nothing is sent and nothing is loaded before the first call.
pub fn connect(endpoint: Endpoint) -> Box<dyn Provider> {
    let form: Box<dyn wire::WireForm> = match endpoint.wire {
        Wire::Anthropic => Box::new(anthropic::Anthropic::new(&endpoint.name, &endpoint.base_url)),
        Wire::OpenAiChat => Box::new(openai_chat::OpenAiChat::new(&endpoint.name, &endpoint.base_url)),
    };
    Box::new(http::HttpProvider::new(endpoint, form))
}
