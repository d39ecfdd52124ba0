//! What is sent: valid for the API whatever the history holds, and stable, so that prompt caches hit.

use bareagent::message::{Block, ImageSource, Message, Role, ToolCall, ToolContent, ToolResult};
use bareagent::provider::{Credential, Endpoint, Provider, Request, connect};
use serde_json::{Value, json};

use super::{call, endpoint, library_wire, provider, request, tool};
use crate::support::model_server::{ModelServer, Recorded, Turn, Wire};

/// The request that goes out for a history.
async fn sent(wire: Wire, messages: &[Message]) -> Recorded {
    let server = ModelServer::start([Turn::text("ok")]);
    call(&*provider(&server, wire), request(messages), true).await.response();
    server.last_request()
}

fn tool_call(id: &str, name: &str) -> Block {
    let input = json!({"zeta": 1, "alpha": 2}).as_object().unwrap().clone();
    Block::ToolUse(ToolCall { id: id.into(), name: name.into(), input, invalid: None })
}

fn result(id: &str, text: &str) -> Block {
    let content = ToolContent::Text(text.into());
    Block::ToolResult(ToolResult { tool_use_id: id.into(), content, is_error: false })
}

fn image() -> Block {
    Block::Image { source: ImageSource::Base64 { media_type: "image/png".into(), data: "iVBORw0=".into() } }
}

#[tokio::test]
async fn anthropic_requests_have_the_fields_that_the_api_asks_for() {
    let server = ModelServer::start([Turn::text("ok")]);
    let tools = [tool("bash"), tool("grep")];
    let messages = [Message::user("hello")];
    let request = Request { tools: &tools, ..request(&messages) };
    call(&*provider(&server, Wire::Anthropic), request, true).await.response();
    let sent = server.last_request();
    assert_eq!(sent.path, "/v1/messages");
    assert_eq!(sent.header("x-api-key"), Some("sk-test-0123456789"));
    assert_eq!(sent.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(sent.header("content-type"), Some("application/json"));
    let mark = json!({"type": "ephemeral"});
    assert_eq!(sent.json["system"], json!([{"type": "text", "text": "Be brief.", "cache_control": mark}]));
    assert_eq!((&sent.json["cache_control"], &sent.json["max_tokens"]), (&mark, &json!(1000)));
    assert_eq!(
        (&sent.json["tools"][0]["cache_control"], &sent.json["tools"][1]["cache_control"]),
        (&Value::Null, &mark)
    );
    assert_eq!(sent.json["tools"][0]["input_schema"]["type"], "object");
    assert_eq!(sent.json["messages"], json!([{"role": "user", "content": [{"type": "text", "text": "hello"}]}]));
}

#[tokio::test]
async fn openai_requests_have_the_fields_that_the_api_asks_for() {
    let server = ModelServer::start([Turn::text("ok"), Turn::text("ok")]);
    let tools = [tool("bash")];
    let messages = [Message::user("hello")];
    let provider = provider(&server, Wire::OpenAi);
    let with_tools = Request { tools: &tools, ..request(&messages) };
    call(&*provider, with_tools, true).await.response();
    let sent = server.last_request();
    assert_eq!(sent.path, "/v1/chat/completions");
    assert_eq!(sent.header("authorization"), Some("Bearer sk-test-0123456789"));
    assert_eq!((&sent.json["max_tokens"], &sent.json["stream_options"]["include_usage"]), (&json!(1000), &json!(true)));
    let function = json!({"name": "bash", "description": "The tool bash.", "parameters": tools[0].schema});
    assert_eq!(sent.json["tools"], json!([{"type": "function", "function": function}]));
    let system = json!({"role": "system", "content": "Be brief."});
    assert_eq!(sent.json["messages"], json!([system, {"role": "user", "content": "hello"}]));

    call(&*provider, Request { system: "", ..request(&messages) }, false).await.response();
    let sent = server.last_request();
    assert!(["tools", "stream_options"].iter().all(|field| sent.json[field].is_null()), "{}", sent.text());
    assert_eq!(sent.json["messages"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn no_key_means_no_header_and_extra_headers_are_sent() {
    for wire in Wire::ALL {
        let server = ModelServer::start([Turn::text("ok")]);
        let mut endpoint = Endpoint::new("test", library_wire(wire), format!("{}/", server.base_url_for(wire)));
        endpoint.headers = vec![("x-team".into(), "blue".into())];
        call(&*connect(endpoint), request(&[Message::user("hi")]), true).await.response();
        let sent = server.last_request();
        assert_eq!((sent.header("authorization"), sent.header("x-api-key")), (None, None));
        assert_eq!(sent.header("x-team"), Some("blue"));
        assert!(!sent.path.contains("//"), "{}", sent.path);
    }
}

#[tokio::test]
async fn anthropic_tokens_go_into_the_authorization_header_alone() {
    let server = ModelServer::start([Turn::text("ok")]);
    let mut endpoint = endpoint(&server, Wire::Anthropic);
    endpoint.credential = Some(Credential::new("token", "ANTHROPIC_AUTH_TOKEN"));
    call(&*connect(endpoint), request(&[Message::user("hi")]), true).await.response();
    let sent = server.last_request();
    assert_eq!((sent.header("authorization"), sent.header("x-api-key")), (Some("Bearer token"), None));
}

#[tokio::test]
async fn results_answer_their_calls_in_each_forms_way() {
    let failed = Block::ToolResult(ToolResult::error("b", "no such file"));
    let picture = ToolContent::Blocks(vec![Block::text("a picture"), image()]);
    let shown = Block::ToolResult(ToolResult { tool_use_id: "c".into(), content: picture, is_error: false });
    let history = [
        Message::user("go"),
        Message::new(
            Role::Assistant,
            vec![tool_call("a", "bash"), tool_call("b", "grep"), tool_call("c", "read_file")],
        ),
        Message::new(Role::User, vec![Block::text("and hurry"), result("a", ""), failed, shown]),
    ];
    let anthropic = sent(Wire::Anthropic, &history).await;
    let results = &anthropic.messages()[2]["content"];
    assert_eq!(results[0], json!({"type": "tool_result", "tool_use_id": "a", "content": ""}));
    assert_eq!(results[1]["is_error"], true);
    assert_eq!(results[2]["content"][1]["source"]["media_type"], "image/png");
    assert_eq!(results[3], json!({"type": "text", "text": "and hurry"}), "results come first");
    assert!(anthropic.text().contains(r#""input":{"zeta":1,"alpha":2}"#), "key order is kept");

    let openai = sent(Wire::OpenAi, &history).await;
    let messages = openai.messages();
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], r#"{"zeta":1,"alpha":2}"#);
    assert_eq!(messages[2]["content"], Value::Null);
    assert_eq!(messages[3], json!({"role": "tool", "tool_call_id": "a", "content": "(no output)"}));
    assert_eq!(messages[4]["content"], "Error: no such file");
    assert_eq!(messages[5]["content"], "a picture");
    let parts = messages[6]["content"].as_array().unwrap();
    assert_eq!(parts[0]["image_url"]["url"], "data:image/png;base64,iVBORw0=");
    assert_eq!(parts[1]["text"], "and hurry");
    assert_eq!(messages.len(), 7);
}

#[tokio::test]
async fn nothing_empty_goes_out() {
    let thought = Block::Thinking { thinking: "hm".into(), signature: None, origin: None };
    let history = [
        Message::user("one"),
        Message::new(Role::Assistant, vec![Block::text(" \n")]),
        Message::new(Role::Assistant, vec![thought]),
        Message::new(Role::User, vec![Block::text(""), Block::text("two")]),
        Message::new(Role::User, vec![]),
    ];
    for wire in Wire::ALL {
        let sent = sent(wire, &history).await;
        let texts: Vec<_> =
            sent.messages().iter().filter(|m| m["role"] != "system").map(|m| m["content"].to_string()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("one") && texts[1].contains("two"), "{texts:?}");
    }
}

#[tokio::test]
async fn the_model_is_told_that_its_answer_was_cut() {
    let mut cut = Message::new(Role::Assistant, vec![Block::text("The first step is ")]);
    cut.incomplete = true;
    let mut nothing = Message::new(Role::Assistant, vec![]);
    nothing.incomplete = true;
    let history = [Message::user("go"), cut, Message::user("on"), nothing, Message::user("and on")];
    for wire in Wire::ALL {
        let sent = sent(wire, &history).await;
        let said: Vec<_> =
            sent.messages().iter().filter(|m| m["role"] == "assistant").map(|m| m["content"].to_string()).collect();
        assert_eq!(said.len(), 2);
        assert!(said[0].contains("The first step is") && said[0].contains("cut off"), "{}", said[0]);
        assert!(said[1].contains("cut off"), "{}", said[1]);
    }
}

#[tokio::test]
async fn odd_ids_and_names_are_mapped_alike_for_call_and_result() {
    let history = [
        Message::user("go"),
        Message::new(Role::Assistant, vec![tool_call("functions.bash:0", "my tool!")]),
        Message::new(Role::User, vec![result("functions.bash:0", "ok")]),
    ];
    let plain = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    let anthropic = sent(Wire::Anthropic, &history).await;
    let (call, result) = (&anthropic.messages()[1]["content"][0], &anthropic.messages()[2]["content"][0]);
    assert_eq!(call["id"], result["tool_use_id"]);
    assert!(plain(call["id"].as_str().unwrap()) && call["name"] == "my_tool_", "{call}");

    let server = ModelServer::start([Turn::text("ok")]);
    let mistral = connect(Endpoint::new("mistral", library_wire(Wire::OpenAi), server.base_url()));
    super::call(&*mistral, request(&history), true).await.response();
    let sent = server.last_request();
    let (call, result) = (&sent.messages()[2]["tool_calls"][0], &sent.messages()[3]);
    assert_eq!(call["id"], result["tool_call_id"]);
    assert_eq!(call["id"].as_str().unwrap().len(), 9);
    assert!(sent.json["stream_options"].is_null());
}

#[tokio::test]
async fn signed_reasoning_goes_back_to_its_own_model_only() {
    let turn = || Turn::call("bash", json!({})).thinking("step by step", "c2lnbmVk");
    for wire in Wire::ALL {
        let server = ModelServer::start([turn(), Turn::text("a"), Turn::text("b")]);
        let provider = provider(&server, wire);
        let mut history = vec![Message::user("go")];
        let answer = call(&*provider, request(&history), true).await.response().message.clone();
        let id = answer.tool_calls().next().unwrap().id.clone();
        history.push(answer);
        history.push(Message::new(Role::User, vec![result(&id, "done")]));
        call(&*provider, request(&history), true).await.response();
        let back = server.last_request();
        assert!(back.text().contains("step by step"), "{}", back.text());
        if wire == Wire::Anthropic {
            let block = json!({"type": "thinking", "thinking": "step by step", "signature": "c2lnbmVk"});
            assert_eq!(back.messages()[1]["content"][0], block);
        } else {
            assert_eq!(back.messages()[2]["reasoning_content"], "step by step");
        }
        call(&*provider, Request { model: "another", ..request(&history) }, true).await.response();
        assert!(!server.last_request().text().contains("step by step"), "{wire:?}");
    }
}

#[tokio::test]
async fn the_messages_of_a_request_begin_with_those_of_the_one_before() {
    let tools = [tool("bash"), tool("read_file")];
    for wire in Wire::ALL {
        let turn = |n: u32| match n % 3 {
            0 => Turn::text(format!("text {n}")).thinking("hm", "sig"),
            1 => Turn::calls([("bash", json!({"command": "ls"})), ("read_file", json!({"path": "ä \"x\""}))]),
            _ => Turn::call_with_arguments("bash", "{\"command\": broken"),
        };
        let server = ModelServer::start((0..10).map(turn));
        let provider = provider(&server, wire);
        let mut history = vec![Message::user("begin")];
        for n in 0..10 {
            let request = Request { tools: &tools, ..request(&history) };
            let answer = call(&*provider, request, true).await.response().message.clone();
            let results: Vec<_> = answer.tool_calls().map(|call| result(&call.id, &format!("result {n}"))).collect();
            history.push(answer);
            history.push(if results.is_empty() { Message::user("go on") } else { Message::new(Role::User, results) });
        }
        assert_prefixes(&server, wire);
    }
}

fn assert_prefixes(server: &ModelServer, wire: Wire) {
    let bodies: Vec<String> = server.requests().iter().map(Recorded::text).collect();
    assert_eq!(bodies.len(), 10);
    for pair in bodies.windows(2) {
        // All but the array's and the body's end.
        let earlier = pair[0].strip_suffix("]}").unwrap();
        assert!(pair[1].starts_with(earlier), "{wire:?}:\n{}\n{}", pair[0], pair[1]);
        assert!(pair[1].len() > pair[0].len());
    }
}

#[tokio::test]
async fn dialects_follow_the_name() {
    for (name, field) in [("groq", "max_completion_tokens"), ("deepseek", "max_tokens"), ("openai", "max_tokens")] {
        let server = ModelServer::start([Turn::text("ok")]);
        let provider = connect(Endpoint::new(name, library_wire(Wire::OpenAi), server.base_url()));
        let provider: &dyn Provider = &*provider;
        let history = [Message::user("a"), Message::new(Role::Assistant, vec![Block::text("b")]), Message::user("c")];
        call(provider, request(&history), true).await.response();
        let sent = server.last_request();
        assert_eq!(sent.json[field], 1000, "{name}: {}", sent.text());
        let reasoning = if name == "deepseek" { json!("") } else { Value::Null };
        assert_eq!(sent.messages()[2]["reasoning_content"], reasoning, "{name}");
    }
}
