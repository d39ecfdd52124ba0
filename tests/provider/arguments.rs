//! Tool arguments: how fragments join to calls, and what is made of arguments that do not parse.

use bareagent::message::{InvalidKind, Message};
use serde_json::{Value, json};

use super::{call, provider, request};
use crate::support::model_server::{ModelServer, Turn, Wire};

#[tokio::test]
async fn arguments_are_repaired_in_three_ways_and_never_guessed() {
    let ok = |value: Value| Ok(value);
    let bad = |kind| Err(kind);
    let cases = [
        ("", ok(json!({}))),
        ("  ", ok(json!({}))),
        ("null", ok(json!({}))),
        (r#"{"a":1}"#, ok(json!({"a": 1}))),
        (r#""{\"a\":1}""#, ok(json!({"a": 1}))),
        ("{\"a\":\"two\nlines\tand a tab\"}", ok(json!({"a": "two\nlines\tand a tab"}))),
        (r#"{"a":"\ud83d\ude42 \ud83d"}"#, ok(json!({"a": "🙂 \u{fffd}"}))),
        (r#"{"a":1}}"#, ok(json!({"a": 1}))),
        (r#"{"a":{"b":2}} } }"#, ok(json!({"a": {"b": 2}}))),
        (r#"{}{"a":1}"#, ok(json!({"a": 1}))),
        (r#"{"a":1}{"a":1}"#, ok(json!({"a": 1}))),
        (r#"{"a":1}{"a":1}{"a":1}"#, bad(InvalidKind::InvalidJson)),
        (r#"{"a":1}{"a":2}"#, bad(InvalidKind::InvalidJson)),
        (r#"{"a":"rm -rf ./build"#, bad(InvalidKind::InvalidJson)),
        (r#"{"a":1"#, bad(InvalidKind::InvalidJson)),
        (r#"{'a':1}"#, bad(InvalidKind::InvalidJson)),
        (r#"{"a":1,}"#, bad(InvalidKind::InvalidJson)),
        ("[1]", bad(InvalidKind::NotObject)),
        ("7", bad(InvalidKind::NotObject)),
        (r#""ls""#, bad(InvalidKind::NotObject)),
    ];
    for (arguments, expected) in cases {
        for wire in Wire::ALL {
            let server = ModelServer::start([Turn::call_with_arguments("bash", arguments)]);
            let heard = call(&*provider(&server, wire), request(&[Message::user("hi")]), true).await;
            let calls: Vec<_> = heard.response().message.tool_calls().collect();
            let [call] = calls.as_slice() else { panic!("one call from {arguments}, not {calls:?}") };
            match (&expected, &call.invalid) {
                (Ok(value), None) => assert_eq!(&Value::Object(call.input.clone()), value, "{arguments}"),
                (Err(kind), Some(invalid)) => {
                    assert_eq!((&invalid.kind, invalid.raw.as_str()), (kind, arguments));
                    assert!(call.input.is_empty());
                }
                (expected, got) => panic!("{arguments}: expected {expected:?}, got {got:?} {:?}", call.input),
            }
        }
    }
}

/// The calls that these entries of `tool_calls`, one a chunk, join to: `name arguments`.
async fn joined(entries: &[Value]) -> Vec<String> {
    let chunk = |entry: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [entry]}}]}));
    let mut stream: String = entries.iter().map(chunk).collect();
    stream.push_str("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n");
    let server = ModelServer::start([Turn::raw_sse(stream)]);
    let heard = call(&*provider(&server, Wire::OpenAi), request(&[Message::user("hi")]), true).await;
    let calls = heard.response().message.tool_calls();
    calls.map(|call| format!("{} {}", call.name, serde_json::to_string(&call.input).unwrap())).collect()
}

fn entry(id: &str, index: Option<u32>, name: &str, arguments: &str) -> Value {
    let mut entry = json!({"function": {"arguments": arguments}});
    if !id.is_empty() {
        entry["id"] = id.into();
    }
    if let Some(index) = index {
        entry["index"] = index.into();
    }
    if !name.is_empty() {
        entry["function"]["name"] = name.into();
    }
    entry
}

#[tokio::test]
async fn fragments_join_to_calls_whatever_the_server_leaves_out() {
    let cases: [(&str, Vec<Value>, &[&str]); 13] = [
        (
            "a throw-away id in each fragment",
            vec![entry("a", Some(0), "bash", r#"{"x":"#), entry("b", Some(0), "", "1}")],
            &[r#"bash {"x":1}"#],
        ),
        (
            "a throw-away id and the name again",
            vec![entry("a", Some(0), "bash", r#"{"x":"#), entry("b", Some(0), "bash", "1}")],
            &[r#"bash {"x":1}"#],
        ),
        (
            "the same index for every call",
            vec![entry("a", Some(0), "bash", r#"{"x":1}"#), entry("b", Some(0), "bash", r#"{"x":1}"#)],
            &[r#"bash {"x":1}"#, r#"bash {"x":1}"#],
        ),
        (
            "an index used again without ids",
            vec![entry("", Some(0), "bash", r#"{"x":1}"#), entry("", Some(0), "glob", r#"{"x":2}"#)],
            &[r#"bash {"x":1}"#, r#"glob {"x":2}"#],
        ),
        (
            "the id comes after the name",
            vec![entry("", Some(0), "bash", ""), entry("a", Some(0), "", r#"{"x":1}"#)],
            &[r#"bash {"x":1}"#],
        ),
        (
            "the same id at two indices",
            vec![
                entry("a", Some(0), "bash", r#"{"x":1}"#),
                entry("a", Some(1), "bash", r#"{"x":"#),
                entry("a", Some(1), "", "2}"),
            ],
            &[r#"bash {"x":1}"#, r#"bash {"x":2}"#],
        ),
        (
            "no ids and no indices",
            vec![entry("", None, "bash", r#"{"x":"#), entry("", None, "", "1}"), entry("", None, "glob", "{}")],
            &[r#"bash {"x":1}"#, "glob {}"],
        ),
        (
            "the name again with every fragment, without id and index",
            vec![entry("", None, "bash", r#"{"x":"#), entry("", None, "bash", "1}")],
            &[r#"bash {"x":1}"#],
        ),
        (
            "a name in pieces",
            vec![entry("a", Some(0), "read", ""), entry("", Some(0), "_file", r#"{"x":1}"#)],
            &[r#"read_file {"x":1}"#],
        ),
        (
            "a name that grows",
            vec![entry("a", Some(0), "read", ""), entry("", Some(0), "read_file", r#"{"x":1}"#)],
            &[r#"read_file {"x":1}"#],
        ),
        (
            "the name comes last",
            vec![entry("a", Some(0), "", r#"{"x":1}"#), entry("a", Some(0), "bash", "")],
            &[r#"bash {"x":1}"#],
        ),
        (
            "all arguments once more at the end",
            vec![
                entry("a", Some(0), "bash", r#"{"x""#),
                entry("", Some(0), "", ":1}"),
                entry("a", Some(0), "", r#"{"x":1}"#),
            ],
            &[r#"bash {"x":1}"#],
        ),
        (
            "an empty object first",
            vec![entry("a", Some(0), "bash", "{}"), entry("", Some(0), "", r#"{"x":"#), entry("", Some(0), "", "1}")],
            &[r#"bash {"x":1}"#],
        ),
    ];
    for (what, entries, calls) in cases {
        assert_eq!(joined(&entries).await, calls, "{what}");
    }
}

#[tokio::test]
async fn the_old_form_of_one_function_call_is_read() {
    let chunk = |call: Value| format!("data: {}\n\n", json!({"choices": [{"delta": {"function_call": call}}]}));
    let stream = [
        chunk(json!({"name": "bash", "arguments": ""})),
        chunk(json!({"arguments": "{\"x\":"})),
        chunk(json!({"arguments": "1}"})),
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"function_call\"}]}\n\n".to_owned(),
    ];
    let server = ModelServer::start([Turn::raw_sse(stream.concat())]);
    let heard = call(&*provider(&server, Wire::OpenAi), request(&[Message::user("hi")]), true).await;
    let call = heard.response().message.tool_calls().next().unwrap();
    assert_eq!((call.name.as_str(), &call.input["x"]), ("bash", &json!(1)));
}
