//! How a model call fails: a kind, which decides what is done about it, and a sentence for the person.

use std::fmt;
use std::time::Duration;

use crate::message::Usage;

/// The kind of a failure. The classes and what to do about each are those that the providers' own
/// documentation describes, brought to one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The server is overloaded or still loading the model.
    Overloaded,
    /// Too many requests or tokens in a time.
    RateLimit,
    /// The server failed.
    Server,
    /// A wait ran into its limit, here or at the server.
    Timeout,
    /// No connection: refused, reset, unknown host.
    Network,
    /// The stream ended before the answer did.
    StreamCut,
    /// What came was not the API's form.
    BadStream,
    /// A well-formed answer without any content.
    EmptyResponse,
    /// The provider says that the model wrote a call it could not read.
    MalformedToolCall,
    /// The conversation is longer than the model's window.
    ContextOverflow,
    /// The request is larger than the server takes.
    TooLarge,
    /// The key was refused.
    Auth,
    /// The key may not do this.
    Permission,
    /// No such model or address.
    NotFound,
    /// No credit or quota.
    Billing,
    /// A filter refused the prompt.
    ContentFilter,
    /// The server refused the request as malformed.
    InvalidRequest,
}

impl ErrorKind {
    /// The name used in output for scripts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Overloaded => "overloaded",
            Self::RateLimit => "rate_limit",
            Self::Server => "server",
            Self::Timeout => "timeout",
            Self::Network => "network",
            Self::StreamCut => "stream_cut",
            Self::BadStream => "bad_stream",
            Self::EmptyResponse => "empty_response",
            Self::MalformedToolCall => "malformed_tool_call",
            Self::ContextOverflow => "context_overflow",
            Self::TooLarge => "too_large",
            Self::Auth => "auth",
            Self::Permission => "permission",
            Self::NotFound => "not_found",
            Self::Billing => "billing",
            Self::ContentFilter => "content_filter",
            Self::InvalidRequest => "invalid_request",
        }
    }

    /// Whether the same request may work later.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::Overloaded
                | Self::RateLimit
                | Self::Server
                | Self::Timeout
                | Self::Network
                | Self::StreamCut
                | Self::BadStream
                | Self::EmptyResponse
                | Self::MalformedToolCall
        )
    }

    /// Whether the failure lies with the provider or the network and passes by itself (exit code 75).
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Overloaded | Self::RateLimit | Self::Server | Self::Timeout | Self::Network)
    }
}

/// A failed model call.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What happened, to what, and what to do, in one sentence or two. Never holds a key.
    pub message: String,
    /// The HTTP status, if there was one.
    pub status: Option<u16>,
    /// Whether the same request may work later; the kind's answer unless the server said otherwise.
    pub retryable: bool,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Tokens reported before the failure.
    pub usage: Usage,
    /// True when the failure came before the first event and the one-piece call may still work.
    pub try_without_stream: bool,
}

impl ProviderError {
    /// An error of `kind` with no more known about it.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            retryable: kind.is_retryable(),
            retry_after: None,
            usage: Usage::default(),
            try_without_stream: false,
        }
    }
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProviderError {}
