//! What a conversation is made of: messages, their blocks, token usage and stop reasons.
//!
//! Pure data in the shape of Anthropic's content blocks, which is also the shape on disk. Each wire
//! form in `provider/` translates from and to it. Nothing here does I/O or knows another module.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Who speaks in a [`Message`]. System text is not a message; it travels beside the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person, or the results of tools run on the person's behalf.
    User,
    /// The model.
    Assistant,
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Block>,
    /// Set on an answer that was cut off (a broken stream, an interrupt). Providers are told so in words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// The wire form, made once; see [`WireCache`].
    #[serde(skip)]
    pub wire: WireCache,
}

impl Message {
    /// A user message of one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Block::text(text)])
    }

    /// A message of the given blocks.
    pub fn new(role: Role, content: Vec<Block>) -> Self {
        Self { role, content, incomplete: false, wire: WireCache::default() }
    }

    /// All text blocks, joined with nothing between them.
    pub fn text(&self) -> String {
        self.content
            .iter()
            .filter_map(|block| match block {
                Block::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Whether there is neither text nor a tool call in it.
    pub fn is_blank(&self) -> bool {
        self.tool_calls().next().is_none() && self.text().trim().is_empty()
    }

    /// The tool calls of an assistant message, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }

    /// The tool results of a user message, in order.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        })
    }
}

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Plain text.
    Text {
        /// The text as it came.
        text: String,
    },
    /// An image, as base64 or by address.
    Image {
        /// Where the image's bytes are.
        source: ImageSource,
    },
    /// Reasoning that the provider shows; it goes back unchanged to the model that made it.
    Thinking {
        /// The visible reasoning; may be empty when only the signature matters.
        thinking: String,
        /// The provider's proof that the reasoning is its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// `provider/model` that made it; only there may the signature go back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<String>,
    },
    /// A tool call of the model.
    ToolUse(ToolCall),
    /// The answer to a tool call.
    ToolResult(ToolResult),
    /// Something only one API understands (redacted thinking, an unknown block): sent back there unchanged.
    ProviderItem {
        /// `provider/model` that made it.
        origin: String,
        /// The item, byte for byte as far as JSON allows.
        value: Value,
    },
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// Where an image's bytes are, in Anthropic's form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ImageSource {
    /// Bytes in base64.
    Base64 {
        /// For example `image/png`.
        media_type: String,
        /// The bytes.
        data: String,
    },
    /// A public address.
    Url {
        /// The address.
        url: String,
    },
}

/// A model's request to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the conversation.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments; empty when `invalid` is set, because malformed ones in the history make servers refuse it.
    pub input: Map<String, Value>,
    /// Why the arguments cannot be used. Such a call is never run.
    #[serde(skip)]
    pub invalid: Option<InvalidInput>,
}

/// Arguments that cannot be used, and what came instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidInput {
    /// What is wrong with them.
    pub kind: InvalidKind,
    /// The text that arrived.
    pub raw: String,
}

/// The text of the failed result, for the model.
impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            InvalidKind::Truncated => {
                "The call was cut off before its arguments were complete, so it was not run. Send it again, in smaller parts if it is long."
            }
            InvalidKind::InvalidJson => {
                "The arguments are not valid JSON, so the call was not run. Send it again with valid JSON."
            }
            InvalidKind::NotObject => {
                "The arguments are not a JSON object, so the call was not run. Send it again with an object."
            }
        };
        let shown: String = self.raw.chars().take(2000).collect();
        write!(f, "{what} What arrived: {shown}")
    }
}

/// What is wrong with a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidKind {
    /// The stream or the token limit cut them.
    Truncated,
    /// Not JSON.
    InvalidJson,
    /// JSON, but not an object.
    NotObject,
}

/// The answer to one tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call.
    pub tool_use_id: String,
    /// What the model reads.
    pub content: ToolContent,
    /// Whether the call failed, was denied or was interrupted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// A failed call's result.
    pub fn error(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { tool_use_id: id.into(), content: ToolContent::Text(text.into()), is_error: true }
    }
}

/// A result's content: a string, or text and image blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ToolContent {
    /// Text.
    Text(String),
    /// Text and image blocks.
    Blocks(Vec<Block>),
}

impl ToolContent {
    /// The text of the content; images are left out.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => Message::new(Role::User, blocks.clone()).text(),
        }
    }
}

/// Tokens of one or more model calls. `None` means unknown, never zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Prompt tokens neither read from nor written to a cache.
    pub input: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub output: Option<u64>,
    /// Prompt tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens written to a cache.
    pub cache_write: Option<u64>,
}

impl Usage {
    /// The prompt's whole size, if known.
    pub fn prompt(&self) -> Option<u64> {
        let input = self.input?;
        Some(input + self.cache_read.unwrap_or(0) + self.cache_write.unwrap_or(0))
    }

    /// Adds another call's tokens; unknown plus known is known.
    pub fn add(&mut self, other: &Usage) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
        self.input = sum(self.input, other.input);
        self.output = sum(self.output, other.output);
        self.cache_read = sum(self.cache_read, other.cache_read);
        self.cache_write = sum(self.cache_write, other.cache_write);
    }
}

/// Why an answer ended. It follows the content: `ToolUse` if and only if there are calls to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model is done.
    EndTurn,
    /// The model waits for tool results.
    ToolUse,
    /// The output token limit cut the answer.
    MaxTokens,
    /// A stop sequence was met.
    StopSequence,
    /// The server paused a long turn; send the answer back and go on.
    PauseTurn,
    /// The model refused.
    Refusal,
    /// A filter cut the answer.
    ContentFilter,
    /// The context window is full.
    ContextWindow,
    /// A reason that this version does not know.
    Unknown,
}

impl StopReason {
    /// The name as it is written to scripts and session files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::PauseTurn => "pause_turn",
            Self::Refusal => "refusal",
            Self::ContentFilter => "content_filter",
            Self::ContextWindow => "context_window",
            Self::Unknown => "unknown",
        }
    }
}

/// A message's bytes on the wire, made once and kept, so that a turn costs what is new and the
/// prefix of a request stays byte-identical (prompt caches depend on it).
#[derive(Debug, Clone, Default)]
pub struct WireCache(OnceLock<(Arc<str>, Arc<str>)>);

impl WireCache {
    /// The message's bytes in the wire form named `form` (which takes in the provider and the model,
    /// for reasoning goes back only to its own), made by `make` at most once for the first form in use.
    pub fn get_or_make(&self, form: &Arc<str>, make: impl FnOnce() -> String) -> Arc<str> {
        match self.0.get() {
            Some((kept, bytes)) if kept == form => Arc::clone(bytes),
            Some(_) => make().into(),
            None => Arc::clone(&self.0.get_or_init(|| (Arc::clone(form), make().into())).1),
        }
    }
}

/// The cache is no part of what a message says.
impl PartialEq for WireCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
