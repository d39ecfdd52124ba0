//! The request's body. Every message is rendered once; cache marks stand outside the messages (on the
//! last tool, the system text, and once at the top level for the end of the history), so that the
//! bytes of the messages never change.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::message::{Block, Message, Role, ToolCall, ToolContent, ToolResult};
use crate::provider::wire::{CUT_OFF, Mode, body_with_messages, is_blank, join_messages, wire_id, wire_name};
use crate::provider::{Request, ToolSpec};

pub(super) fn build(
    request: &Request<'_>,
    mode: Mode,
    omitted: &[&'static str],
    origin: &str,
    form: &Arc<str>,
) -> String {
    let mark = (!omitted.contains(&"cache_control")).then(|| json!({"type": "ephemeral"}));
    let mut head = Map::new();
    head.insert("model".into(), request.model.into());
    head.insert("max_tokens".into(), request.max_tokens.into());
    head.insert("stream".into(), (mode == Mode::Stream).into());
    if let Some(mark) = &mark {
        head.insert("cache_control".into(), mark.clone());
    }
    if !is_blank(request.system) {
        let mut block = json!({"type": "text", "text": request.system});
        set_mark(&mut block, mark.as_ref());
        head.insert("system".into(), json!([block]));
    }
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
        if let Some(last) = tools.last_mut() {
            set_mark(last, mark.as_ref());
        }
        head.insert("tools".into(), tools.into());
    }
    body_with_messages(head, &join_messages(form, request.messages, |message| render(message, origin)))
}

fn set_mark(value: &mut Value, mark: Option<&Value>) {
    if let (Some(fields), Some(mark)) = (value.as_object_mut(), mark) {
        fields.insert("cache_control".into(), mark.clone());
    }
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"name": spec.name, "description": spec.description, "input_schema": spec.schema})
}

/// One message, or nothing where no content is left.
fn render(message: &Message, origin: &str) -> String {
    // Results come first in their message; the server insists.
    let (mut content, rest): (Vec<_>, Vec<_>) =
        message.content.iter().partition(|block| matches!(block, Block::ToolResult(_)));
    content.extend(rest);
    let mut blocks: Vec<Value> = content.into_iter().filter_map(|block| render_block(block, origin)).collect();
    if message.incomplete {
        blocks.push(json!({"type": "text", "text": CUT_OFF}));
    }
    // Reasoning alone is no message.
    if blocks.iter().all(|block| matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))) {
        return String::new();
    }
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    json!({"role": role, "content": blocks}).to_string()
}

fn render_block(block: &Block, here: &str) -> Option<Value> {
    match block {
        Block::Text { text } => (!is_blank(text)).then(|| json!({"type": "text", "text": text})),
        Block::Image { source } => Some(json!({"type": "image", "source": source})),
        Block::Thinking { thinking, signature: Some(signature), origin } if origin.as_deref() == Some(here) => {
            Some(json!({"type": "thinking", "thinking": thinking, "signature": signature}))
        }
        // Reasoning without a proof, or of another model, is refused.
        Block::Thinking { .. } => None,
        Block::ToolUse(ToolCall { id, name, input, .. }) => {
            Some(json!({"type": "tool_use", "id": wire_id(id, false), "name": wire_name(name), "input": input}))
        }
        Block::ToolResult(result) => Some(tool_result(result)),
        Block::ProviderItem { origin, value } => (origin == here).then(|| value.clone()),
    }
}

fn tool_result(result: &ToolResult) -> Value {
    let content: Value = match &result.content {
        ToolContent::Text(text) => text.as_str().into(),
        ToolContent::Blocks(blocks) => blocks.iter().filter_map(|block| render_block(block, "")).collect(),
    };
    let mut value =
        json!({"type": "tool_result", "tool_use_id": wire_id(&result.tool_use_id, false), "content": content});
    if result.is_error {
        value["is_error"] = true.into();
    }
    value
}
