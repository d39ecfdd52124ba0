//! Turns into bytes: an answer in either wire form, streamed or in one piece.

use std::time::Duration;

use serde_json::{Value, json};

use super::turn::{End, Gate, Kind, Part, Stop, Turn, anthropic_error, openai_error};
use super::{Recorded, Wire};

/// What goes over the connection.
pub(super) struct Answer {
    pub(super) before: Vec<Piece>,
    pub(super) head: Option<Head>,
    pub(super) body: Vec<Piece>,
}

/// Status line and headers.
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    /// The body's length where it is sent in one piece; `None` is chunked.
    pub(super) length: Option<usize>,
}

/// One step of sending.
pub(super) enum Piece {
    Bytes(Vec<u8>),
    Gate(Gate),
    Sleep(Duration),
    Stall,
    Reset,
    Close,
}

/// The answer of `turn` to `request`; `number` makes ids unique.
pub(super) fn answer(turn: &Turn, request: &Recorded, number: usize) -> Answer {
    let mut before = Vec::new();
    if !turn.delay.is_zero() {
        before.push(Piece::Sleep(turn.delay));
    }
    before.extend(turn.gate.clone().map(Piece::Gate));
    let wire = if request.path.contains("chat/completions") { Wire::OpenAi } else { Wire::Anthropic };
    let mut answer = match &turn.kind {
        Kind::Silence => Answer { before: Vec::new(), head: None, body: vec![Piece::Stall] },
        Kind::Reset => Answer { before: Vec::new(), head: None, body: vec![Piece::Reset] },
        Kind::Close => Answer { before: Vec::new(), head: None, body: vec![Piece::Close] },
        Kind::Raw { status, content_type, body } => whole(*status, content_type, body.clone(), &turn.headers),
        Kind::Error { status, kind, message } => {
            let body = error_body(wire, kind, message);
            whole(*status, "application/json", body.to_string().into_bytes(), &turn.headers)
        }
        Kind::Answer if request.json["stream"] == true => streamed(turn, wire, number),
        Kind::Answer => one_piece(turn, wire, number),
    };
    if let Some(size) = turn.pieces_of {
        answer.body = answer.body.into_iter().flat_map(|piece| split(piece, size)).collect();
        // Each piece becomes a chunk, and so a read of its own.
        answer.head.iter_mut().for_each(|head| head.length = None);
    }
    if let Some(gate) = &turn.end_gate {
        answer.body.push(Piece::Gate(gate.clone()));
        answer.head.iter_mut().for_each(|head| head.length = None);
    }
    before.append(&mut answer.before);
    Answer { before, ..answer }
}

/// The answer to `GET …/models`.
pub(super) fn models(path: &str) -> Answer {
    let (status, body) = match path.ends_with("/models") {
        true => (200, json!({"object": "list", "data": [{"id": "scripted", "object": "model"}]})),
        false => (404, json!({"error": {"message": format!("no such path: {path}")}})),
    };
    whole(status, "application/json", body.to_string().into_bytes(), &[])
}

fn whole(status: u16, content_type: &str, body: Vec<u8>, headers: &[(String, String)]) -> Answer {
    let length = Some(body.len());
    let mut all = vec![("content-type".to_owned(), content_type.to_owned())];
    all.extend_from_slice(headers);
    Answer { before: Vec::new(), head: Some(Head { status, headers: all, length }), body: vec![Piece::Bytes(body)] }
}

fn split(piece: Piece, size: usize) -> Vec<Piece> {
    match piece {
        Piece::Bytes(bytes) => bytes.chunks(size.max(1)).map(|chunk| Piece::Bytes(chunk.to_vec())).collect(),
        other => vec![other],
    }
}

fn error_body(wire: Wire, kind: &str, message: &str) -> Value {
    match wire {
        Wire::Anthropic => anthropic_error(kind, message),
        Wire::OpenAi => openai_error(kind, message),
    }
}

fn one_piece(turn: &Turn, wire: Wire, number: usize) -> Answer {
    if let End::Error(kind, message) = &turn.end {
        return whole(200, "application/json", error_body(wire, kind, message).to_string().into_bytes(), &turn.headers);
    }
    let body = match wire {
        Wire::Anthropic => anthropic_message(turn, number),
        Wire::OpenAi => openai_completion(turn, number),
    };
    let mut answer = whole(200, "application/json", body.to_string().into_bytes(), &turn.headers);
    let Some(Piece::Bytes(mut bytes)) = answer.body.pop() else { return answer };
    if turn.end != End::Whole {
        bytes.truncate(bytes.len() / 2);
    }
    if turn.end == End::Malformed
        && let Some(head) = &mut answer.head
    {
        head.length = Some(bytes.len());
    }
    let waits = turn.parts.iter().filter_map(aside);
    answer.body.extend(waits.filter(|piece| !matches!(piece, Piece::Bytes(_))));
    answer.body.push(Piece::Bytes(bytes));
    answer.body.extend(last_step(&turn.end));
    answer
}

/// A part that is no content of the answer.
fn aside(part: &Part) -> Option<Piece> {
    match part {
        Part::Comment => Some(Piece::Bytes(b": keep-alive\n\n".to_vec())),
        Part::Gate(gate) => Some(Piece::Gate(gate.clone())),
        Part::Delay(delay) => Some(Piece::Sleep(*delay)),
        _ => None,
    }
}

fn last_step(end: &End) -> Option<Piece> {
    match end {
        End::Cut => Some(Piece::Close),
        End::Stall => Some(Piece::Stall),
        _ => None,
    }
}

fn streamed(turn: &Turn, wire: Wire, number: usize) -> Answer {
    let mut headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    headers.extend_from_slice(&turn.headers);
    let nothing = turn.parts.is_empty() && turn.end != End::Whole;
    let mut body = match wire {
        _ if nothing => Vec::new(),
        Wire::Anthropic => anthropic_events(turn, number),
        Wire::OpenAi => openai_events(turn, number),
    };
    match &turn.end {
        End::Malformed => body.push(Piece::Bytes(b"data: {\"type\": \"content_bl\n\n".to_vec())),
        End::Error(kind, message) => body.push(sse(wire, error_body(wire, kind, message))),
        _ => body.extend(last_step(&turn.end)),
    }
    Answer { before: Vec::new(), head: Some(Head { status: 200, headers, length: None }), body }
}

/// One event; Anthropic's carry their type as the event's name too.
fn sse(wire: Wire, data: Value) -> Piece {
    let name = match wire {
        Wire::Anthropic => format!("event: {}\n", data["type"].as_str().unwrap_or("message")),
        Wire::OpenAi => String::new(),
    };
    Piece::Bytes(format!("{name}data: {data}\n\n").into_bytes())
}

/// Text in pieces of about ten characters, as models send it.
fn fragments(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(10).map(|piece| piece.iter().collect()).collect()
}

fn call_id(turn: usize, place: usize, id: Option<&String>) -> String {
    id.cloned().unwrap_or_else(|| format!("call_{turn}_{place}"))
}

fn has_calls(turn: &Turn) -> bool {
    turn.parts.iter().any(|part| matches!(part, Part::Call { .. }))
}

// Anthropic Messages.

fn anthropic_stop(turn: &Turn) -> &'static str {
    match turn.stop {
        Some(Stop::MaxTokens) => "max_tokens",
        Some(Stop::Refusal) => "refusal",
        None if has_calls(turn) => "tool_use",
        None => "end_turn",
    }
}

fn anthropic_usage(turn: &Turn) -> Value {
    let Some((input, output)) = turn.usage else { return json!({}) };
    json!({"input_tokens": input, "output_tokens": output,
        "cache_read_input_tokens": turn.cached, "cache_creation_input_tokens": 0})
}

fn anthropic_message(turn: &Turn, number: usize) -> Value {
    let block = |(place, part): (usize, &Part)| match part {
        Part::Text(text) => Some(json!({"type": "text", "text": text})),
        Part::Thinking(text, signature) => Some(json!({"type": "thinking", "thinking": text, "signature": signature})),
        Part::Call { id, name, arguments } => {
            let input = serde_json::from_str(arguments).unwrap_or(Value::String(arguments.clone()));
            Some(json!({"type": "tool_use", "id": call_id(number, place, id.as_ref()), "name": name, "input": input}))
        }
        Part::CutCall { .. } | Part::Gate(_) | Part::Delay(_) | Part::Comment => None,
    };
    json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "scripted",
        "content": turn.parts.iter().enumerate().filter_map(block).collect::<Vec<_>>(),
        "stop_reason": anthropic_stop(turn), "stop_sequence": null, "usage": anthropic_usage(turn)})
}

fn anthropic_events(turn: &Turn, number: usize) -> Vec<Piece> {
    let event = |data: Value| sse(Wire::Anthropic, data);
    let mut usage = anthropic_usage(turn);
    if !usage["output_tokens"].is_null() {
        usage["output_tokens"] = json!(1);
    }
    let message = json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "scripted",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut out = vec![event(json!({"type": "message_start", "message": message}))];
    let mut index = 0;
    for (place, part) in turn.parts.iter().enumerate() {
        if let Some(piece) = aside(part) {
            out.push(piece);
            continue;
        }
        out.extend(anthropic_block(part, index, &call_id(number, place, part_id(part))));
        index += 1;
    }
    if turn.end == End::Whole {
        out.push(event(json!({"type": "message_delta",
            "delta": {"stop_reason": anthropic_stop(turn), "stop_sequence": null}, "usage": anthropic_usage(turn)})));
        out.push(event(json!({"type": "message_stop"})));
    }
    out
}

fn part_id(part: &Part) -> Option<&String> {
    match part {
        Part::Call { id, .. } => id.as_ref(),
        _ => None,
    }
}

fn anthropic_block(part: &Part, index: usize, id: &str) -> Vec<Piece> {
    let (start, deltas) = match part {
        Part::Text(text) => {
            let delta = |text| json!({"type": "text_delta", "text": text});
            (json!({"type": "text", "text": ""}), fragments(text).into_iter().map(delta).collect::<Vec<_>>())
        }
        Part::Thinking(text, signature) => {
            let delta = |text| json!({"type": "thinking_delta", "thinking": text});
            let mut deltas: Vec<_> = fragments(text).into_iter().map(delta).collect();
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        Part::Call { name, arguments, .. } | Part::CutCall { name, arguments } => {
            let delta = |text| json!({"type": "input_json_delta", "partial_json": text});
            let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
            (start, fragments(arguments).into_iter().map(delta).collect())
        }
        Part::Gate(_) | Part::Delay(_) | Part::Comment => return Vec::new(),
    };
    let event = |data: Value| sse(Wire::Anthropic, data);
    let mut out = vec![event(json!({"type": "content_block_start", "index": index, "content_block": start}))];
    let delta = |delta| event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
    out.extend(deltas.into_iter().map(delta));
    if !matches!(part, Part::CutCall { .. }) {
        out.push(event(json!({"type": "content_block_stop", "index": index})));
    }
    out
}

// OpenAI Chat Completions.

fn openai_stop(turn: &Turn) -> &'static str {
    match turn.stop {
        Some(Stop::MaxTokens) => "length",
        Some(Stop::Refusal) => "content_filter",
        None if has_calls(turn) => "tool_calls",
        None => "stop",
    }
}

fn openai_usage(turn: &Turn) -> Value {
    let Some((input, output)) = turn.usage else { return Value::Null };
    let prompt = input + turn.cached;
    json!({"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": turn.cached}})
}

fn openai_completion(turn: &Turn, number: usize) -> Value {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for (place, part) in turn.parts.iter().enumerate() {
        match part {
            Part::Text(more) => text.push_str(more),
            Part::Thinking(more, _) => reasoning.push_str(more),
            Part::Call { id, name, arguments } => calls.push(json!({"id": call_id(number, place, id.as_ref()),
                "type": "function", "function": {"name": name, "arguments": arguments}})),
            Part::CutCall { .. } | Part::Gate(_) | Part::Delay(_) | Part::Comment => {}
        }
    }
    let mut message = json!({"role": "assistant", "content": if text.is_empty() { Value::Null } else { json!(text) }});
    if !reasoning.is_empty() {
        message["reasoning_content"] = json!(reasoning);
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({"id": format!("chatcmpl-{number}"), "object": "chat.completion", "created": 0, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": openai_stop(turn)}],
        "usage": openai_usage(turn)})
}

fn openai_chunk(number: usize, choices: Value, usage: Value) -> Piece {
    sse(
        Wire::OpenAi,
        json!({"id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "created": 0,
            "model": "scripted", "choices": choices, "usage": usage}),
    )
}

fn openai_events(turn: &Turn, number: usize) -> Vec<Piece> {
    let chunk = |delta: Value, finish: Value| {
        openai_chunk(number, json!([{"index": 0, "delta": delta, "finish_reason": finish}]), Value::Null)
    };
    let mut out = vec![chunk(json!({"role": "assistant", "content": ""}), Value::Null)];
    let mut index = 0;
    for (place, part) in turn.parts.iter().enumerate() {
        if let Some(piece) = aside(part) {
            out.push(piece);
            continue;
        }
        out.extend(openai_deltas(part, index, &call_id(number, place, part_id(part))).map(|d| chunk(d, Value::Null)));
        index += usize::from(matches!(part, Part::Call { .. }));
    }
    if turn.end == End::Whole {
        out.push(chunk(json!({}), json!(openai_stop(turn))));
        if turn.usage.is_some() {
            out.push(openai_chunk(number, json!([]), openai_usage(turn)));
        }
        out.push(Piece::Bytes(b"data: [DONE]\n\n".to_vec()));
    }
    out
}

fn openai_deltas(part: &Part, index: usize, id: &str) -> std::vec::IntoIter<Value> {
    let deltas: Vec<Value> = match part {
        Part::Text(text) => fragments(text).into_iter().map(|text| json!({"content": text})).collect(),
        Part::Thinking(text, _) => fragments(text).into_iter().map(|text| json!({"reasoning_content": text})).collect(),
        Part::Call { name, arguments, .. } | Part::CutCall { name, arguments } => {
            let first = json!({"tool_calls": [{"index": index, "id": id, "type": "function",
                "function": {"name": name, "arguments": ""}}]});
            let more = |text| json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]});
            std::iter::once(first).chain(fragments(arguments).into_iter().map(more)).collect()
        }
        Part::Gate(_) | Part::Delay(_) | Part::Comment => Vec::new(),
    };
    deltas.into_iter()
}
