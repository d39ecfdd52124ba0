//! Answers in both wire forms, streamed and in one piece: the same script must read the same.

use bareagent::event::Phase;
use bareagent::message::{Block, Message, Role, StopReason, ToolResult};
use bareagent::provider::{Request, Response};
use serde_json::json;

use super::{call, provider, request, tool};
use crate::support::model_server::{ModelServer, Turn, Wire};

/// Asks for `turn` in every form and way.
async fn in_every_form(turn: impl Fn() -> Turn, check: impl Fn(&Response, &str)) {
    for wire in Wire::ALL {
        for stream in [true, false] {
            let server = ModelServer::start([turn()]);
            let heard = call(&*provider(&server, wire), request(&[Message::user("hi")]), stream).await;
            let place = format!("{wire:?}, stream: {stream}");
            check(heard.response(), &place);
            assert_eq!(server.last_request().json["stream"], stream, "{place}");
            let shown = if stream { heard.response().message.text() } else { String::new() };
            assert_eq!(heard.text, shown, "text shown in {place}");
        }
    }
}

fn names_and_inputs(response: &Response) -> Vec<(String, String)> {
    let calls = response.message.tool_calls();
    calls.map(|call| (call.name.clone(), serde_json::to_string(&call.input).unwrap())).collect()
}

#[tokio::test]
async fn text_comes_whole_with_its_tokens() {
    let turn = || Turn::text("Größe: 3 µm 🦀, and more").usage(70, 9).cached(30);
    in_every_form(turn, |response, place| {
        assert_eq!(response.message.text(), "Größe: 3 µm 🦀, and more", "{place}");
        assert_eq!(response.stop, StopReason::EndTurn, "{place}");
        let usage = response.usage;
        assert_eq!((usage.input, usage.output, usage.cache_read), (Some(70), Some(9), Some(30)), "{place}");
    })
    .await;
}

#[tokio::test]
async fn calls_come_in_order_with_distinct_ids() {
    let turn = || {
        Turn::text("Looking.")
            .and_call_with_id("same", "read_file", json!({"path": "a \"quoted\" name.rs"}))
            .and_call_with_id("same", "bash", json!({"command": "ls\n-la"}))
            .and_call("todo_write", json!({}))
    };
    in_every_form(turn, |response, place| {
        let calls = [
            ("read_file", r#"{"path":"a \"quoted\" name.rs"}"#),
            ("bash", r#"{"command":"ls\n-la"}"#),
            ("todo_write", "{}"),
        ];
        assert_eq!(names_and_inputs(response), calls.map(|(name, input)| (name.into(), input.into())), "{place}");
        assert_eq!(response.stop, StopReason::ToolUse, "{place}");
        let mut ids: Vec<_> = response.message.tool_calls().map(|call| call.id.as_str()).collect();
        assert_eq!(ids[0], "same", "{place}");
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 3, "{place}");
    })
    .await;
}

#[tokio::test]
async fn an_id_that_the_history_holds_already_is_replaced() {
    for wire in Wire::ALL {
        let turn = || Turn::calls([]).and_call_with_id("bash:0", "bash", json!({"command": "ls"}));
        let server = ModelServer::start([turn(), turn()]);
        let provider = provider(&server, wire);
        let mut messages = vec![Message::user("hi")];
        for _ in 0..2 {
            let heard = call(&*provider, request(&messages), true).await;
            let answer = heard.response().message.clone();
            let id = answer.tool_calls().next().unwrap().id.clone();
            messages.push(answer);
            messages.push(Message::new(Role::User, vec![Block::ToolResult(ToolResult::error(id, "no"))]));
        }
        let ids: Vec<_> = messages.iter().flat_map(Message::tool_calls).map(|call| &call.id).collect();
        assert_eq!(ids[0], "bash:0");
        assert_ne!(ids[0], ids[1], "{wire:?}");
    }
}

#[tokio::test]
async fn ends_are_told_apart() {
    let cases = [
        (Turn::max_tokens as fn(&'static str) -> Turn, StopReason::MaxTokens),
        (|text| Turn::text(text), StopReason::EndTurn),
    ];
    for (turn, stop) in cases {
        in_every_form(|| turn("text"), |response, place| assert_eq!(response.stop, stop, "{place}")).await;
    }
    // No call of a refused answer is run.
    let refusal = || Turn::refusal("No. ").and_call("bash", json!({"command": "ls"}));
    in_every_form(refusal, |response, place| {
        assert!(matches!(response.stop, StopReason::Refusal | StopReason::ContentFilter), "{place}");
        assert_eq!(response.message.tool_calls().count(), 0, "{place}");
    })
    .await;
}

#[tokio::test]
async fn an_empty_answer_is_an_answer_without_content() {
    in_every_form(Turn::empty, |response, place| {
        assert_eq!((response.message.content.len(), response.stop), (0, StopReason::EndTurn), "{place}");
    })
    .await;
}

#[tokio::test]
async fn tokens_that_are_not_reported_are_unknown() {
    let check = |response: &Response, place: &str| assert_eq!(response.usage.prompt(), None, "{place}");
    in_every_form(|| Turn::text("hi").no_usage(), check).await;
    in_every_form(|| Turn::text("hi").usage(0, 0), check).await;
}

#[tokio::test]
async fn a_call_that_the_limit_cut_is_marked_and_the_ones_before_it_are_whole() {
    let body = json!({"choices": [{"message": {"tool_calls": [
        {"id": "a", "function": {"name": "bash", "arguments": "{\"command\":\"ls\"}"}},
        {"id": "b", "function": {"name": "bash", "arguments": "{\"command\":\"rm -rf ./bu"}}]},
        "finish_reason": "length"}]});
    let server = ModelServer::start([Turn::raw_body("application/json", body.to_string())]);
    let heard = call(&*provider(&server, Wire::OpenAi), request(&[Message::user("hi")]), false).await;
    let invalid: Vec<_> = heard.response().message.tool_calls().map(|call| call.invalid.clone()).collect();
    assert_eq!(invalid[0], None);
    assert_eq!(invalid[1].as_ref().unwrap().raw, "{\"command\":\"rm -rf ./bu");
    assert_eq!(heard.response().stop, StopReason::MaxTokens);
}

#[tokio::test]
async fn phases_are_named_in_order() {
    for wire in Wire::ALL {
        let server = ModelServer::start([Turn::text("a"), Turn::text("b")]);
        for stream in [true, false] {
            let heard = call(&*provider(&server, wire), request(&[Message::user("hi")]), stream).await;
            assert_eq!(heard.phases, [Phase::Connecting, Phase::WaitingForModel, Phase::Streaming]);
        }
    }
}

#[tokio::test]
async fn turns_share_one_connection() {
    for wire in Wire::ALL {
        let server = ModelServer::start((0..5).map(|n| Turn::text(format!("answer {n}"))));
        let provider = provider(&server, wire);
        for n in 0..5 {
            let heard = call(&*provider, request(&[Message::user("hi")]), n != 3).await;
            assert_eq!(heard.response().message.text(), format!("answer {n}"));
        }
        assert_eq!(server.connections(), 1, "{wire:?}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_stream_may_answer_in_one_piece() {
    let openai = json!({"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]});
    let anthropic = json!({"content": [{"type": "text", "text": "whole"}], "stop_reason": "end_turn"});
    for (wire, body) in [(Wire::OpenAi, openai), (Wire::Anthropic, anthropic)] {
        let server = ModelServer::start([Turn::raw_body("application/json", body.to_string())]);
        let heard = call(&*provider(&server, wire), request(&[Message::user("hi")]), true).await;
        assert_eq!(heard.response().message.text(), "whole");
        assert_eq!(heard.text, "whole");
    }
}

#[tokio::test]
async fn a_stream_is_read_where_one_piece_was_asked_for() {
    let stream =
        "data: {\"choices\":[{\"delta\":{\"content\":\"streamed\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = ModelServer::start([Turn::raw_sse(stream)]);
    let heard = call(&*provider(&server, Wire::OpenAi), request(&[Message::user("hi")]), false).await;
    assert_eq!(heard.response().message.text(), "streamed");
    assert_eq!(heard.text, "");
}

#[tokio::test]
async fn an_answer_that_is_whole_does_not_wait_for_the_end_of_the_body() {
    // The terminal event came; the server keeps the connection open and silent.
    let done = Turn::text("done");
    for wire in Wire::ALL {
        let gate = crate::support::model_server::Gate::new();
        let tail = match wire {
            Wire::Anthropic => Turn::raw_sse(
                "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
            ),
            Wire::OpenAi => Turn::raw_sse("data: {\"choices\":[{\"delta\":{}}]}\n\ndata: [DONE]\n\n"),
        };
        let server = ModelServer::start([tail.body_gate(&gate), done.clone()]);
        let provider = provider(&server, wire);
        assert!(call(&*provider, request(&[Message::user("hi")]), true).await.result.is_ok());
        let heard = call(&*provider, request(&[Message::user("hi")]), true).await;
        assert_eq!(heard.response().message.text(), "done");
    }
}

#[tokio::test]
async fn calls_written_as_text_are_taken_only_where_nothing_is_quoted() {
    let call_text = r#"<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>"#;
    let function = "<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>";
    let kimi = "<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>\
                {\"command\": \"ls\"}<|tool_call_end|><|tool_calls_section_end|>";
    let bare = r#"{"name": "bash", "arguments": {"command": "ls"}}"#;
    let cases = [
        (format!("Look:\n\n{call_text}\n"), 1, "Look:"),
        (format!("{call_text}\n{call_text}"), 2, ""),
        (function.to_owned(), 1, ""),
        (format!("<tool_call>\n{function}\n</tool_call>"), 1, ""),
        (format!("Now.\n{kimi}"), 1, "Now."),
        (bare.to_owned(), 1, ""),
        (format!("```json\n{bare}\n```"), 1, ""),
        (format!("```\n{call_text}\n```"), 0, "```"),
        (format!("```\n{call_text}"), 0, "```"),
        (format!("{call_text} is how it is written."), 0, "<tool_call>"),
        (call_text.replace("bash", "rm_all"), 0, "<tool_call>"),
        (call_text.replace("{\"command\": \"ls\"}", "\"ls\""), 0, "<tool_call>"),
        (bare.replace("\"name\"", "\"x\": 1, \"name\""), 0, "{\"x\""),
        (format!("Like so: {bare}"), 0, "Like so:"),
    ];
    let tools = [tool("bash")];
    for (text, count, beginning) in cases {
        for stream in [true, false] {
            let server = ModelServer::start([Turn::text(&text)]);
            let messages = [Message::user("hi")];
            let request = Request { tools: &tools, ..request(&messages) };
            let heard = call(&*provider(&server, Wire::OpenAi), request, stream).await;
            let message = &heard.response().message;
            assert_eq!(message.tool_calls().count(), count, "{text}");
            assert!(message.text().starts_with(beginning), "{text}: {:?}", message.text());
            assert!(message.tool_calls().all(|call| call.input["command"] == "ls"), "{text}");
            if count == 0 {
                assert_eq!(message.text(), text);
                assert!(!stream || heard.text == text, "all text is shown: {:?}", heard.text);
            } else {
                assert!(!heard.text.contains("ls"), "a call is not shown as text: {:?}", heard.text);
            }
        }
    }
}
