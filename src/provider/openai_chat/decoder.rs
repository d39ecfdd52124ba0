//! Puts an answer together from chunks, or from one whole completion (which reads like one big chunk).

use serde_json::Value;

use super::calls::Calls;
use super::details::{self, Details};
use super::text_calls;
use super::think::{Piece, Splitter};
use super::usage;
use crate::message::{Block, Message, Role, StopReason, ToolCall, Usage};
use crate::provider::error::{ErrorKind, ProviderError};
use crate::provider::json::text;
use crate::provider::wire::{CallIds, Decoder, Progress};
use crate::provider::{Delta, DeltaSink, Response, classify};

/// The fields that reasoning comes in. Servers in transition send two of them; one counts.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

pub(super) struct ChatDecoder {
    origin: String,
    ids: CallIds,
    /// The tools whose calls are looked for in the text.
    text_tools: Vec<String>,
    text: String,
    /// How much of `text` has been shown.
    shown: usize,
    thinking: String,
    reasoning_field: Option<&'static str>,
    details: Details,
    splitter: Splitter,
    calls: Calls,
    finish: Option<String>,
    native_finish: Option<String>,
    refused: bool,
    usage: Usage,
    had_choice: bool,
    had_end_marker: bool,
}

impl ChatDecoder {
    pub(super) fn new(origin: String, ids: CallIds, text_tools: Vec<String>) -> Self {
        Self {
            origin,
            ids,
            text_tools,
            text: String::new(),
            shown: 0,
            thinking: String::new(),
            reasoning_field: None,
            details: Details::default(),
            splitter: Splitter::default(),
            calls: Calls::default(),
            finish: None,
            native_finish: None,
            refused: false,
            usage: Usage::default(),
            had_choice: false,
            had_end_marker: false,
        }
    }

    /// One chunk, or a whole completion, whose `message` is a delta that holds everything.
    fn chunk(&mut self, chunk: &Value, out: DeltaSink<'_>) -> Result<(), ProviderError> {
        if let Some(usage) = usage::in_chunk(chunk) {
            self.usage = usage;
        }
        let mut choices = chunk["choices"].as_array().into_iter().flatten();
        // Only the first choice matters.
        let choice = choices.find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        let Some(choice) = choice else { return Ok(()) };
        self.had_choice = true;
        let is_whole = !choice["delta"].is_object();
        let delta = if is_whole { &choice["message"] } else { &choice["delta"] };
        self.reasoning(delta, out);
        self.content(&delta["content"], out);
        if let Some(refusal) = text(&delta["refusal"]) {
            self.refused = true;
            self.push_text(refusal, out);
        }
        for entry in delta["tool_calls"].as_array().into_iter().flatten() {
            if is_whole { self.calls.add_whole(entry) } else { self.calls.add(entry) }
        }
        if delta["function_call"].is_object() {
            self.calls.add_legacy(&delta["function_call"]);
        }
        let word = |key: &str| text(&choice[key]).map(str::to_owned);
        self.finish = word("finish_reason").or(self.finish.take());
        self.native_finish = word("native_finish_reason").or(self.native_finish.take());
        if classify::is_error(choice) { Err(classify::object(choice)) } else { Ok(()) }
    }

    fn reasoning(&mut self, delta: &Value, out: DeltaSink<'_>) {
        self.details.add(&delta["reasoning_details"]);
        let field = REASONING.into_iter().find_map(|name| Some((name, text(&delta[name])?)));
        let visible = match field {
            Some((name, words)) => {
                self.reasoning_field.get_or_insert(name);
                words.to_owned()
            }
            None => details::visible(&delta["reasoning_details"]),
        };
        if !visible.is_empty() {
            self.splitter.switch_off();
            self.push_thinking(&visible, out);
        }
    }

    /// Content is a string, or a list of parts (Mistral).
    fn content(&mut self, content: &Value, out: DeltaSink<'_>) {
        match content {
            Value::String(piece) => {
                for piece in self.splitter.push(piece) {
                    self.push_piece(piece, out);
                }
            }
            Value::Array(parts) => {
                for part in parts {
                    if part["type"] == "thinking" {
                        self.splitter.switch_off();
                        self.push_thinking(&part_text(&part["thinking"]), out);
                    } else {
                        self.content(&part["text"], out);
                    }
                }
            }
            _ => {}
        }
    }

    fn push_piece(&mut self, piece: Piece, out: DeltaSink<'_>) {
        match piece {
            Piece::Thinking(words) => self.push_thinking(&words, out),
            Piece::Text(words) => self.push_text(&words, out),
        }
    }

    fn push_thinking(&mut self, words: &str, out: DeltaSink<'_>) {
        self.thinking.push_str(words);
        out(Delta::Thinking(words));
    }

    fn push_text(&mut self, words: &str, out: DeltaSink<'_>) {
        self.text.push_str(words);
        let looks_for_calls = !self.text_tools.is_empty() && self.calls.is_empty();
        let end = if looks_for_calls { text_calls::showable(&self.text, self.shown) } else { self.text.len() };
        self.show(end, out);
    }

    fn show(&mut self, end: usize, out: DeltaSink<'_>) {
        if let Some(words) = self.text.get(self.shown..end).filter(|words| !words.is_empty()) {
            out(Delta::Text(words));
            self.shown = end;
        }
    }

    /// Errors of an answer that came without an error object.
    fn failure(&self) -> Option<ProviderError> {
        let error = |kind, said: &str| Some(ProviderError::new(kind, said));
        match self.finish.as_deref() {
            None if !self.had_end_marker => error(ErrorKind::StreamCut, "the connection ended early"),
            None if !self.had_choice => error(ErrorKind::EmptyResponse, ""),
            Some("error" | "network_error") if self.native_says_malformed() => {
                error(ErrorKind::MalformedToolCall, "the provider could not read the call")
            }
            Some(word @ ("error" | "network_error")) => {
                error(ErrorKind::Server, &format!("the answer ended with the reason \"{word}\""))
            }
            _ if self.calls.is_empty() && self.native_says_malformed() => {
                error(ErrorKind::MalformedToolCall, "the provider could not read the call")
            }
            _ => None,
        }
    }

    fn native_says_malformed(&self) -> bool {
        matches!(self.native_finish.as_deref(), Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL"))
    }

    /// Why the answer ended, leaving calls aside.
    fn stop_word(&self) -> StopReason {
        match self.finish.as_deref() {
            _ if self.refused => StopReason::Refusal,
            None | Some("stop" | "tool_calls" | "function_call" | "end_turn" | "eos" | "tool_use") => {
                StopReason::EndTurn
            }
            Some("length" | "max_tokens") => StopReason::MaxTokens,
            Some("content_filter" | "sensitive") => StopReason::ContentFilter,
            Some("refusal") => StopReason::Refusal,
            Some("model_context_window_exceeded") => StopReason::ContextWindow,
            Some("stop_sequence") => StopReason::StopSequence,
            Some(_) => StopReason::Unknown,
        }
    }

    /// The calls to run, structured or in the text, which then loses them.
    fn take_calls(&mut self, stop: StopReason) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.calls);
        if matches!(stop, StopReason::Refusal | StopReason::ContentFilter) {
            return Vec::new();
        }
        if !calls.is_empty() {
            let limited = matches!(stop, StopReason::MaxTokens | StopReason::ContextWindow);
            return calls.finish(&mut self.ids, limited || self.finish.is_none());
        }
        if stop != StopReason::EndTurn || self.text_tools.is_empty() {
            return Vec::new();
        }
        let Some((end, found)) = text_calls::find(&self.text, &self.text_tools) else { return Vec::new() };
        self.text.truncate(end);
        let call = |call: text_calls::TextCall| ToolCall {
            id: self.ids.assign(""),
            name: call.name,
            input: call.input,
            invalid: None,
        };
        found.into_iter().map(call).collect()
    }

    fn content_blocks(&mut self, calls: Vec<ToolCall>) -> Vec<Block> {
        let mut content = Vec::new();
        let origin = &self.origin;
        if !self.thinking.is_empty() {
            let thinking = std::mem::take(&mut self.thinking);
            content.push(Block::Thinking { thinking, signature: None, origin: Some(origin.clone()) });
        }
        // Details are the fuller form of `reasoning`; what came as `reasoning_content` goes back in any case.
        let field = self.reasoning_field.filter(|&name| name == REASONING[0] || self.details.is_empty());
        let items = field.map(details::field_item).into_iter().chain(std::mem::take(&mut self.details).into_item());
        content.extend(items.map(|value| Block::ProviderItem { origin: origin.clone(), value }));
        if !self.text.is_empty() {
            content.push(Block::text(std::mem::take(&mut self.text)));
        }
        content.extend(calls.into_iter().map(Block::ToolUse));
        content
    }
}

/// The words of a part that may itself be a list of parts.
fn part_text(part: &Value) -> String {
    match part {
        Value::String(words) => words.clone(),
        Value::Array(parts) => parts.iter().map(|part| part_text(&part["text"])).collect(),
        _ => String::new(),
    }
}

impl Decoder for ChatDecoder {
    fn event(&mut self, name: Option<&str>, data: &Value, out: DeltaSink<'_>) -> Result<Progress, ProviderError> {
        self.chunk(data, out)?;
        if classify::is_error(data) || name == Some("error") {
            return Err(classify::object(data));
        }
        Ok(if self.finish.is_some() { Progress::Complete } else { Progress::More })
    }

    fn end_marker(&mut self) {
        self.had_end_marker = true;
    }

    fn whole(&mut self, body: &Value, out: DeltaSink<'_>) -> Result<(), ProviderError> {
        if !body["choices"].is_array() {
            return Err(ProviderError::new(ErrorKind::BadStream, "the answer has no choices"));
        }
        self.chunk(body, out)?;
        self.had_end_marker = true;
        Ok(())
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn finish(mut self: Box<Self>, out: DeltaSink<'_>) -> Result<Response, ProviderError> {
        for piece in self.splitter.finish() {
            self.push_piece(piece, out);
        }
        if let Some(mut error) = self.failure() {
            self.show(self.text.len(), out);
            error.usage = self.usage;
            return Err(error);
        }
        let word = self.stop_word();
        let calls = self.take_calls(word);
        self.show(self.text.len(), out);
        let stop = match word {
            StopReason::EndTurn | StopReason::StopSequence | StopReason::Unknown if !calls.is_empty() => {
                StopReason::ToolUse
            }
            word => word,
        };
        let content = self.content_blocks(calls);
        Ok(Response { message: Message::new(Role::Assistant, content), stop, usage: self.usage })
    }
}
