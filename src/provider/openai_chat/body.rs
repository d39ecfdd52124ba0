//! The request's body. One of our messages may become several of the API's: each tool result is a
//! message of its own, and images in results follow in a user message after all of them.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::details;
use crate::message::{Block, ImageSource, Message, Role, ToolCall, ToolContent, ToolResult};
use crate::provider::catalog::{Dialect, Reasoning};
use crate::provider::wire::{CUT_OFF, Mode, body_with_messages, is_blank, join_messages, wire_id, wire_name};
use crate::provider::{Request, ToolSpec};

/// How bodies are built at one endpoint.
pub(super) struct Body<'a> {
    pub(super) dialect: &'a Dialect,
    pub(super) origin: &'a str,
    pub(super) omitted: &'a [&'static str],
}

impl Body<'_> {
    pub(super) fn build(&self, request: &Request<'_>, mode: Mode, form: &Arc<str>) -> String {
        let mut head = Map::new();
        head.insert("model".into(), request.model.into());
        head.insert("stream".into(), (mode == Mode::Stream).into());
        if mode == Mode::Stream && self.dialect.stream_options && self.sends("stream_options") {
            head.insert("stream_options".into(), json!({"include_usage": true}));
        }
        head.insert(self.limit_field().into(), request.max_tokens.into());
        if let Some((name, value)) = self.dialect.extra.filter(|(name, _)| self.sends(name)) {
            head.insert(name.into(), serde_json::from_str(value).unwrap_or_default());
        }
        if !request.tools.is_empty() {
            head.insert("tools".into(), request.tools.iter().map(tool).collect());
        }
        let mut messages = String::new();
        if !is_blank(request.system) {
            messages = json!({"role": "system", "content": request.system}).to_string();
        }
        let history = join_messages(form, request.messages, |message| self.render(message));
        if !messages.is_empty() && !history.is_empty() {
            messages.push(',');
        }
        messages.push_str(&history);
        body_with_messages(head, &messages)
    }

    fn sends(&self, field: &str) -> bool {
        !self.omitted.contains(&field)
    }

    /// A server that refuses the one name of the limit knows the other.
    fn limit_field(&self) -> &'static str {
        match self.dialect.max_tokens {
            name if self.sends(name) => name,
            "max_tokens" => "max_completion_tokens",
            _ => "max_tokens",
        }
    }

    /// The messages of the API that one of ours becomes, or nothing where no content is left.
    fn render(&self, message: &Message) -> String {
        let rendered = match message.role {
            Role::User => self.user(message),
            Role::Assistant => self.assistant(message).into_iter().collect(),
        };
        rendered.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
    }

    fn user(&self, message: &Message) -> Vec<Value> {
        let mut out: Vec<Value> = message.tool_results().map(|result| self.tool_result(result)).collect();
        let mut parts: Vec<Value> = message.tool_results().flat_map(images).collect();
        parts.extend(message.content.iter().filter_map(part));
        if message.incomplete {
            parts.push(text_part(CUT_OFF));
        }
        match parts.as_slice() {
            [] => {}
            [only] if only["type"] == "text" => out.push(json!({"role": "user", "content": only["text"]})),
            _ => out.push(json!({"role": "user", "content": parts})),
        }
        out
    }

    fn tool_result(&self, result: &ToolResult) -> Value {
        let text = result.content.text();
        let has_images = images(result).next().is_some();
        let content = match (is_blank(&text), has_images, result.is_error) {
            (true, true, _) => "(the image follows in the next message)".to_owned(),
            // Local templates drop a result without text.
            (true, false, false) => "(no output)".to_owned(),
            (true, false, true) => "Error: the tool failed without a message.".to_owned(),
            // The API has no mark for a failed call.
            (false, _, true) if !text.starts_with("Error") => format!("Error: {text}"),
            (false, ..) => text,
        };
        json!({"role": "tool", "tool_call_id": self.id(&result.tool_use_id), "content": content})
    }

    fn assistant(&self, message: &Message) -> Option<Value> {
        let mut text = message.text();
        if message.incomplete {
            let gap = if is_blank(&text) { "" } else { "\n\n" };
            text = format!("{}{gap}{CUT_OFF}", text.trim_end());
        }
        let calls: Vec<Value> = message.tool_calls().map(|call| self.call(call)).collect();
        if is_blank(&text) && calls.is_empty() {
            return None;
        }
        let mut out = Map::new();
        out.insert("role".into(), "assistant".into());
        out.insert("content".into(), if is_blank(&text) { Value::Null } else { text.into() });
        self.add_reasoning(message, &mut out);
        if !calls.is_empty() {
            out.insert("tool_calls".into(), calls.into());
        }
        Some(out.into())
    }

    /// Reasoning goes back to the model that made it, under the name that it came as.
    fn add_reasoning(&self, message: &Message, out: &mut Map<String, Value>) {
        if self.dialect.reasoning == Reasoning::Dropped {
            return;
        }
        for block in &message.content {
            let Block::ProviderItem { origin, value } = block else { continue };
            if origin != self.origin {
                continue;
            }
            if let Some(field) = details::field(value) {
                out.insert(field.to_owned(), own_thinking(message, self.origin).into());
            } else if let Some(list) = details::list(value) {
                out.insert("reasoning_details".into(), list.clone());
            }
        }
        if let Reasoning::Required(filler) = self.dialect.reasoning
            && self.sends("reasoning_content")
        {
            out.entry("reasoning_content").or_insert_with(|| filler.into());
        }
    }

    fn call(&self, call: &ToolCall) -> Value {
        let arguments = Value::Object(call.input.clone()).to_string();
        json!({"id": self.id(&call.id), "type": "function",
            "function": {"name": wire_name(&call.name), "arguments": arguments}})
    }

    fn id(&self, id: &str) -> String {
        wire_id(id, self.dialect.short_ids)
    }
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.schema}})
}

fn own_thinking(message: &Message, here: &str) -> String {
    let thinking = message.content.iter().filter_map(|block| match block {
        Block::Thinking { thinking, origin, .. } if origin.as_deref() == Some(here) => Some(thinking.as_str()),
        _ => None,
    });
    thinking.collect()
}

fn text_part(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn part(block: &Block) -> Option<Value> {
    match block {
        Block::Text { text } => (!is_blank(text)).then(|| text_part(text)),
        Block::Image { source } => Some(image(source)),
        _ => None,
    }
}

fn image(source: &ImageSource) -> Value {
    let url = match source {
        ImageSource::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
        ImageSource::Url { url } => url.clone(),
    };
    json!({"type": "image_url", "image_url": {"url": url}})
}

fn images(result: &ToolResult) -> impl Iterator<Item = Value> {
    let blocks = match &result.content {
        ToolContent::Blocks(blocks) => blocks.as_slice(),
        ToolContent::Text(_) => &[],
    };
    blocks.iter().filter(|block| matches!(block, Block::Image { .. })).filter_map(part)
}
