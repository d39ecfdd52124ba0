//! Recorded-style streams of both wire forms: each must give what its `expected.json` says, however
//! the bytes are cut. `NAME.sse` is the body, `NAME.http` (if any) the status line and headers.

use std::path::{Path, PathBuf};

use bareagent::message::{Block, InvalidKind, Message, ToolCall, Usage};
use serde_json::{Value, json};

use super::{Heard, call, provider, request, tool};
use crate::support::model_server::{ModelServer, Turn, Wire};

const OFFERED: [&str; 8] = ["bash", "read_file", "write_file", "edit_file", "glob", "grep", "web_fetch", "todo_write"];

#[tokio::test]
async fn anthropic_streams_read_as_expected() {
    all(Wire::Anthropic, "anthropic", 12).await;
}

#[tokio::test]
async fn openai_chat_streams_read_as_expected() {
    all(Wire::OpenAi, "openai_chat", 39).await;
}

async fn all(wire: Wire, folder: &str, count: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/provider/fixtures").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ext| ext == "sse")).collect();
    paths.sort();
    assert_eq!(paths.len(), count, "fixtures in {}", folder.display());
    let mut problems = Vec::new();
    for path in &paths {
        let expected = std::fs::read(path.with_extension("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        for pieces in [None, Some(1), Some(7)] {
            let heard = play(wire, path, pieces).await;
            for problem in differences(&expected, &actual(&heard)) {
                problems.push(format!("{} (pieces: {pieces:?}): {problem}", path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// Reads one fixture over HTTP.
async fn play(wire: Wire, path: &Path, pieces: Option<usize>) -> Heard {
    let body = std::fs::read(path).unwrap();
    let turn = match std::fs::read_to_string(path.with_extension("http")) {
        Ok(head) => with_head(&head, &body),
        Err(_) => Turn::raw_sse(&body),
    };
    let turn = pieces.map_or(turn.clone(), |size| turn.in_pieces_of(size));
    // Twice: a server that refuses a field is asked once more without it.
    let server = ModelServer::start([turn.clone(), turn]);
    let tools = OFFERED.map(tool);
    let messages = [Message::user("hello")];
    let request = bareagent::provider::Request { tools: &tools, ..request(&messages) };
    call(&*provider(&server, wire), request, true).await
}

fn with_head(head: &str, body: &[u8]) -> Turn {
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<_> = lines.filter_map(|line| line.split_once(": ")).collect();
    let content_type = headers.iter().find(|(name, _)| *name == "content-type").unwrap().1;
    let turn = Turn::raw_status(status, content_type, body);
    headers
        .iter()
        .filter(|(name, _)| *name != "content-type")
        .fold(turn, |turn, (name, value)| turn.header(name, value))
}

/// What came out, in the fixtures' neutral shape.
fn actual(heard: &Heard) -> Value {
    match &heard.result {
        Ok(response) => {
            let message = &response.message;
            assert!(
                message.text().starts_with(heard.text.trim_end()),
                "{:?} was shown, not {:?}",
                heard.text,
                message.text()
            );
            json!({"text": message.text(), "thinking": thinking(message),
                "tool_calls": message.tool_calls().map(neutral_call).collect::<Vec<_>>(),
                "stop_reason": response.stop.as_str(), "usage": usage(&response.usage), "echo": echo(message)})
        }
        Err(error) => json!({"text": heard.text, "thinking": heard.thinking, "tool_calls": [], "stop_reason": null,
            "usage": usage(&error.usage),
            "error": {"kind": error.kind.as_str(), "message": error.message, "retryable": error.retryable,
                "retry_after_s": error.retry_after.map(|wait| wait.as_secs_f64())}}),
    }
}

fn thinking(message: &Message) -> String {
    let blocks = message.content.iter();
    blocks
        .filter_map(|block| if let Block::Thinking { thinking, .. } = block { Some(thinking.as_str()) } else { None })
        .collect()
}

fn neutral_call(call: &ToolCall) -> Value {
    match &call.invalid {
        None => json!({"id": call.id, "name": call.name, "input": call.input}),
        Some(invalid) => {
            assert!(call.input.is_empty(), "an unreadable call must go back as an empty object");
            let kind = match invalid.kind {
                InvalidKind::Truncated => "truncated",
                InvalidKind::InvalidJson => "invalid_json",
                InvalidKind::NotObject => "not_object",
            };
            json!({"id": call.id, "name": call.name, "input": null, "raw": invalid.raw, "invalid": kind})
        }
    }
}

fn usage(usage: &Usage) -> Value {
    match *usage == Usage::default() {
        true => Value::Null,
        false => json!({"input": usage.input, "output": usage.output,
            "cache_read": usage.cache_read, "cache_write": usage.cache_write}),
    }
}

fn echo(message: &Message) -> Value {
    let mut echo = Vec::new();
    for block in &message.content {
        match block {
            Block::Thinking { signature: Some(signature), .. } => {
                echo.push(json!({"kind": "signature", "value": signature}));
            }
            Block::ProviderItem { value, .. } => match value["type"].as_str() {
                Some("redacted_thinking") => echo.push(json!({"kind": "redacted_thinking", "value": value["data"]})),
                Some("reasoning_field") => echo.push(json!({"kind": value["name"], "value": thinking(message)})),
                Some("reasoning_details") => {
                    let details = value["details"].as_array().unwrap().iter();
                    echo.extend(details.map(|detail| json!({"kind": "reasoning_details", "value": detail})));
                }
                _ => {}
            },
            _ => {}
        }
    }
    echo.into()
}

/// Where `got` is not what was wanted.
fn differences(want: &Value, got: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let mut differ = |place: &str, want: &Value, got: &Value| out.push(format!("{place}: want {want}, got {got}"));
    for key in ["text", "thinking", "stop_reason", "usage"] {
        if want[key] != got[key] {
            differ(key, &want[key], &got[key]);
        }
    }
    if want["echo"].is_array() && sorted(&want["echo"]) != sorted(&got["echo"]) {
        differ("echo", &want["echo"], &got["echo"]);
    }
    let (wanted, calls) = (want["tool_calls"].as_array().unwrap(), got["tool_calls"].as_array().unwrap());
    if wanted.len() != calls.len() {
        differ("tool_calls", &want["tool_calls"], &got["tool_calls"]);
    }
    for (want, got) in wanted.iter().zip(calls) {
        let id_fits = got["id"].as_str().is_some_and(|id| !id.is_empty() && (want["id"] == "*" || want["id"] == id));
        let fits = ["name", "input", "raw", "invalid"].iter().all(|key| want[*key] == got[*key]);
        if !id_fits || !fits {
            differ("call", want, got);
        }
    }
    let ids: std::collections::HashSet<_> = calls.iter().map(|call| call["id"].to_string()).collect();
    assert_eq!(ids.len(), calls.len(), "ids are distinct: {ids:?}");
    if want["error"].is_null() != got["error"].is_null() {
        differ("error", &want["error"], &got["error"]);
    } else if !want["error"].is_null() {
        let (want, got) = (&want["error"], &got["error"]);
        let kind_fits = want["kind"].as_str().unwrap().split('|').any(|kind| got["kind"] == kind);
        let message_fits = got["message"].as_str().unwrap().contains(want["message"].as_str().unwrap());
        let wait_fits =
            want["retry_after_s"].is_null() || want["retry_after_s"].as_f64() == got["retry_after_s"].as_f64();
        if !kind_fits || !message_fits || !wait_fits || want["retryable"] != got["retryable"] {
            differ("error", want, got);
        }
    }
    out
}

/// The value as text with its keys in order, for comparing without regard to key order.
fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}
