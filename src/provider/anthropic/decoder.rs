//! Puts an answer together from the stream's events. Blocks may interleave; compatible servers leave
//! out indices, stops and even starts, so a delta finds its block as best it can.

use serde_json::{Value, json};

use crate::message::{Block, Message, Role, StopReason, Usage};
use crate::provider::error::{ErrorKind, ProviderError};
use crate::provider::wire::{CallIds, Decoder, Progress, tool_call};
use crate::provider::{Delta, DeltaSink, Response, classify, json};

pub(super) struct AnthropicDecoder {
    origin: String,
    ids: CallIds,
    message_id: Option<String>,
    blocks: Vec<Open>,
    stop: Option<String>,
    usage: Usage,
    ended: bool,
}

/// A block as far as it has come.
struct Open {
    index: Option<u64>,
    kind: Kind,
}

enum Kind {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        id: String,
        name: String,
        start: Value,
        pieces: String,
    },
    /// A block that only the server understands, with the pieces of its input.
    Other {
        value: Value,
        pieces: String,
    },
}

impl AnthropicDecoder {
    pub(super) fn new(origin: String, ids: CallIds) -> Self {
        let (message_id, blocks, stop) = (None, Vec::new(), None);
        Self { origin, ids, message_id, blocks, stop, usage: Usage::default(), ended: false }
    }

    fn message_start(&mut self, message: &Value) -> Result<(), ProviderError> {
        let id = message["id"].as_str().unwrap_or_default().to_owned();
        if let Some(first) = &self.message_id {
            // A second attempt was spliced in; merged, its signed reasoning could never be sent back.
            if *first != id || !self.blocks.is_empty() {
                return Err(ProviderError::new(ErrorKind::BadStream, "a second message began inside the answer"));
            }
            return Ok(());
        }
        self.message_id = Some(id);
        self.take_usage(&message["usage"]);
        Ok(())
    }

    fn block_start(&mut self, index: Option<u64>, block: &Value, out: DeltaSink<'_>) {
        let string = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        let kind = match block["type"].as_str() {
            Some("text") => Kind::Text(string("text")),
            Some("thinking") => Kind::Thinking { text: string("thinking"), signature: string("signature") },
            Some("tool_use") => {
                let start = block["input"].clone();
                Kind::Call { id: string("id"), name: string("name"), start, pieces: String::new() }
            }
            _ => Kind::Other { value: block.clone(), pieces: String::new() },
        };
        match &kind {
            Kind::Text(text) if !text.is_empty() => out(Delta::Text(text)),
            Kind::Thinking { text, .. } if !text.is_empty() => out(Delta::Thinking(text)),
            _ => {}
        }
        self.blocks.push(Open { index, kind });
    }

    fn block_delta(&mut self, index: Option<u64>, delta: &Value, out: DeltaSink<'_>) {
        let place = match index {
            Some(index) => self.blocks.iter().rposition(|block| block.index == Some(index)),
            None => self.blocks.len().checked_sub(1),
        };
        let kind = delta["type"].as_str().unwrap_or_default();
        let Some(place) = place else {
            // A server that leaves out the start of a block.
            match kind {
                "text_delta" => self.block_start(index, &json!({"type": "text", "text": delta["text"]}), out),
                "thinking_delta" => {
                    self.block_start(index, &json!({"type": "thinking", "thinking": delta["thinking"]}), out);
                }
                _ => {}
            }
            return;
        };
        let piece = |key: &str| delta[key].as_str().unwrap_or_default();
        match (kind, &mut self.blocks[place].kind) {
            ("text_delta", Kind::Text(text)) => {
                text.push_str(piece("text"));
                out(Delta::Text(piece("text")));
            }
            ("thinking_delta", Kind::Thinking { text, .. }) => {
                text.push_str(piece("thinking"));
                out(Delta::Thinking(piece("thinking")));
            }
            ("signature_delta", Kind::Thinking { signature, .. }) => signature.push_str(piece("signature")),
            ("input_json_delta", Kind::Call { pieces, .. } | Kind::Other { pieces, .. }) => {
                pieces.push_str(piece("partial_json"));
            }
            _ => {}
        }
    }

    fn message_delta(&mut self, event: &Value, out: DeltaSink<'_>) {
        if let Some(stop) = json::text(&event["delta"]["stop_reason"]) {
            self.stop = Some(stop.to_owned());
        }
        if let Some(explanation) = json::text(&event["delta"]["stop_details"]["explanation"]) {
            out(Delta::Notice(explanation.to_owned()));
        }
        self.take_usage(&event["usage"]);
    }

    /// Later figures replace earlier ones, but for zeros: some servers know the prompt's size only at the end.
    fn take_usage(&mut self, usage: &Value) {
        let positive = |key: &str| json::count(&usage[key]).filter(|&count| count > 0);
        self.usage.input = positive("input_tokens").or(self.usage.input);
        self.usage.cache_read = positive("cache_read_input_tokens").or(self.usage.cache_read);
        self.usage.cache_write = positive("cache_creation_input_tokens").or(self.usage.cache_write);
        self.usage.output = json::count(&usage["output_tokens"]).or(self.usage.output);
    }

    fn content(&mut self, stop: StopReason) -> Vec<Block> {
        let cut_by_limit = matches!(stop, StopReason::MaxTokens | StopReason::ContextWindow);
        let runs_no_calls = matches!(stop, StopReason::Refusal | StopReason::ContentFilter);
        let blocks = std::mem::take(&mut self.blocks);
        let last = blocks.len().saturating_sub(1);
        let mut content = Vec::new();
        for (place, block) in blocks.into_iter().enumerate() {
            match block.kind {
                Kind::Text(text) if text.is_empty() => {}
                Kind::Text(text) => content.push(Block::Text { text }),
                Kind::Thinking { text, signature } => content.push(Block::Thinking {
                    thinking: text,
                    signature: (!signature.is_empty()).then_some(signature),
                    origin: Some(self.origin.clone()),
                }),
                Kind::Call { .. } if runs_no_calls => {}
                Kind::Call { id, name, start, pieces } => {
                    let raw = arguments(&start, pieces);
                    let id = self.ids.assign(&id);
                    content.push(Block::ToolUse(tool_call(id, name, &raw, cut_by_limit && place == last)));
                }
                Kind::Other { mut value, pieces } => {
                    if let Ok(input) = json::parse(&pieces) {
                        value["input"] = input;
                    }
                    content.push(Block::ProviderItem { origin: self.origin.clone(), value });
                }
            }
        }
        content
    }
}

/// The pieces where any came, else what the block began with.
fn arguments(start: &Value, pieces: String) -> String {
    match start {
        _ if !pieces.trim().is_empty() => pieces,
        Value::Object(input) if input.is_empty() => String::new(),
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn stop_reason(word: Option<&str>, has_calls: bool) -> StopReason {
    match word {
        Some("max_tokens") => StopReason::MaxTokens,
        Some("refusal") => StopReason::Refusal,
        Some("content_filter") => StopReason::ContentFilter,
        Some("model_context_window_exceeded") => StopReason::ContextWindow,
        _ if has_calls => StopReason::ToolUse,
        None | Some("end_turn" | "tool_use") => StopReason::EndTurn,
        Some("stop_sequence") => StopReason::StopSequence,
        Some("pause_turn") => StopReason::PauseTurn,
        Some(_) => StopReason::Unknown,
    }
}

impl Decoder for AnthropicDecoder {
    fn event(&mut self, name: Option<&str>, data: &Value, out: DeltaSink<'_>) -> Result<Progress, ProviderError> {
        let index = data["index"].as_u64();
        match data["type"].as_str().or(name) {
            Some("message_start") => self.message_start(&data["message"])?,
            Some("content_block_start") => self.block_start(index, &data["content_block"], out),
            Some("content_block_delta") => self.block_delta(index, &data["delta"], out),
            Some("message_delta") => self.message_delta(data, out),
            Some("message_stop") => self.ended = true,
            Some("error") => return Err(classify::object(data)),
            _ if classify::is_error(data) => return Err(classify::object(data)),
            _ => {}
        }
        Ok(match (self.ended, &self.stop) {
            (true, _) => Progress::Done,
            (false, Some(_)) => Progress::Complete,
            (false, None) => Progress::More,
        })
    }

    fn whole(&mut self, body: &Value, out: DeltaSink<'_>) -> Result<(), ProviderError> {
        let Some(content) = body["content"].as_array() else {
            return Err(ProviderError::new(ErrorKind::BadStream, "the answer has no content"));
        };
        self.message_start(body)?;
        for (index, block) in content.iter().enumerate() {
            self.block_start(Some(index as u64), block, out);
        }
        self.message_delta(
            &json!({"delta": {"stop_reason": body["stop_reason"],
            "stop_details": body["stop_details"]}}),
            out,
        );
        self.ended = true;
        Ok(())
    }

    fn usage(&self) -> Usage {
        let Usage { input, output, cache_read, cache_write } = self.usage;
        let known = [input, output, cache_read, cache_write].iter().any(|count| count.is_some_and(|count| count > 0));
        if !known {
            return Usage::default();
        }
        // In a known prompt, a part that is not mentioned is none; a prompt without figures stays unknown.
        let prompt_known = input.is_some() || cache_read.is_some() || cache_write.is_some();
        let part = |count: Option<u64>| count.or(prompt_known.then_some(0));
        Usage { input: part(input), output, cache_read: part(cache_read), cache_write: part(cache_write) }
    }

    fn finish(mut self: Box<Self>, _: DeltaSink<'_>) -> Result<Response, ProviderError> {
        let usage = self.usage();
        let failed = |kind, text: &str| Err(ProviderError { usage, ..ProviderError::new(kind, text) });
        if !self.ended && self.stop.is_none() {
            return failed(ErrorKind::StreamCut, "the connection ended early");
        }
        if self.message_id.is_none() && self.blocks.is_empty() {
            return failed(ErrorKind::EmptyResponse, "");
        }
        let has_calls = self.blocks.iter().any(|block| matches!(block.kind, Kind::Call { .. }));
        let stop = stop_reason(self.stop.as_deref(), has_calls);
        let content = self.content(stop);
        Ok(Response { message: Message::new(Role::Assistant, content), stop, usage })
    }
}
