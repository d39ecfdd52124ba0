//! Error answers: their kinds, the waits they ask for, and messages that help without giving keys away.

use bareagent::message::Message;
use bareagent::provider::{Credential, ErrorKind, Wire as Form, connect};
use serde_json::{Value, json};

use super::{Heard, call, endpoint, provider, request};
use crate::support::model_server::{ModelServer, Turn, Wire};

async fn answered(wire: Wire, turn: Turn) -> Heard {
    let server = ModelServer::start([turn.clone(), turn]);
    call(&*provider(&server, wire), request(&[Message::user("hi")]), true).await
}

#[tokio::test]
async fn kinds_follow_status_type_and_text() {
    let error = |kind: &str, message: &str| json!({"error": {"type": kind, "message": message, "code": kind}});
    let cases: Vec<(u16, Value, ErrorKind)> = vec![
        (400, error("invalid_request_error", "bad"), ErrorKind::InvalidRequest),
        (400, error("invalid_request_error", "Your credit balance is too low"), ErrorKind::Billing),
        (400, error("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"), ErrorKind::ContextOverflow),
        (400, error("context_length_exceeded", "too long"), ErrorKind::ContextOverflow),
        (400, error("content_filter", "no"), ErrorKind::ContentFilter),
        (
            400,
            json!({"error": {"status": "INVALID_ARGUMENT", "message": "bad key",
            "details": [{"reason": "API_KEY_INVALID"}]}}),
            ErrorKind::Auth,
        ),
        (400, error("tool_use_failed", "Failed to call a function."), ErrorKind::MalformedToolCall),
        (401, error("authentication_error", "no"), ErrorKind::Auth),
        (402, error("billing_error", "pay"), ErrorKind::Billing),
        (403, error("permission_error", "no"), ErrorKind::Permission),
        (404, error("not_found_error", "no model"), ErrorKind::NotFound),
        (408, json!({}), ErrorKind::Timeout),
        (409, json!({}), ErrorKind::Server),
        (413, json!({}), ErrorKind::TooLarge),
        (422, json!({"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}), ErrorKind::InvalidRequest),
        (429, error("rate_limit_error", "tokens per minute: maximum context length"), ErrorKind::RateLimit),
        (429, error("insufficient_quota", "You exceeded your current quota"), ErrorKind::Billing),
        (429, json!({"error": "INSUFFICIENT QUOTA"}), ErrorKind::RateLimit),
        (500, error("api_error", "oops"), ErrorKind::Server),
        (500, error("server_error", "Jinja template: roles must alternate"), ErrorKind::InvalidRequest),
        (500, error("exceed_context_size_error", "no"), ErrorKind::ContextOverflow),
        (502, json!({}), ErrorKind::Server),
        (503, error("x", "Loading model"), ErrorKind::Overloaded),
        (504, json!({}), ErrorKind::Timeout),
        (529, error("overloaded_error", "Overloaded"), ErrorKind::Overloaded),
    ];
    for (status, body, kind) in cases {
        for wire in Wire::ALL {
            let heard = answered(wire, Turn::status(status, body.clone())).await;
            let error = heard.error();
            assert_eq!((error.kind, error.status), (kind, Some(status)), "{status} {body}: {}", error.message);
            assert_eq!(error.retryable, kind.is_retryable(), "{status} {body}");
            let may_help = kind == ErrorKind::InvalidRequest && status != 500;
            assert_eq!(error.try_without_stream, may_help, "{status} {body}");
        }
    }
}

#[tokio::test]
async fn overflow_is_known_by_each_servers_words() {
    for text in [
        "input length and `max_tokens` exceed context limit: 9 + 8 > 7",
        "This model's maximum context length is 8 tokens",
        "Your input exceeds the context window of this model",
        "The input token count (9) exceeds the maximum number of tokens allowed (8)",
        "This model's maximum prompt length is 8 but the request contains 9 tokens",
        "Please reduce the length of the messages or completion",
        "Prompt contains 9 tokens … too large for model with 8 maximum context length",
        "Your request exceeded model token limit: 8 (requested: 9)",
        "Prompt exceeds max length",
        "Range of input length should be [1, 8]",
        "context window exceeds limit",
        "request (9 tokens) exceeds the available context size (8 tokens)",
        "Input is too long for requested model",
        "prompt token count of 9 exceeds the limit of 8",
        "Context size has been exceeded",
    ] {
        let heard = answered(Wire::OpenAi, Turn::status(400, json!({"error": {"message": text}}))).await;
        assert_eq!(heard.error().kind, ErrorKind::ContextOverflow, "{text}");
        assert!(heard.error().message.contains("/compact"));
    }
}

#[tokio::test]
async fn waits_are_read_from_headers_bodies_and_words() {
    let rate = |message: &str| json!({"error": {"message": message}});
    let retry_info = json!({"error": {"message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "26.5s"}]}});
    let cases = [
        (vec![("retry-after", "7")], rate("x"), Some(7.0)),
        (vec![("retry-after", "0.5")], rate("x"), Some(0.5)),
        (vec![("retry-after", "9"), ("retry-after-ms", "1500")], rate("x"), Some(1.5)),
        (vec![("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], rate("x"), Some(0.0)),
        (vec![("retry-after", "soon")], rate("x"), None),
        (vec![], retry_info, Some(26.5)),
        (vec![], rate("Please try again in 1.8s."), Some(1.8)),
        (vec![], rate("retry in 12 seconds"), Some(12.0)),
        (vec![], rate("limits reset after 2m"), Some(120.0)),
        (vec![], rate("try again in 1m30s"), Some(90.0)),
        (vec![], rate("try again in 120ms"), Some(0.12)),
        (vec![], rate("try again later"), None),
        (vec![("x-ratelimit-reset-requests", "1s"), ("x-ratelimit-reset-tokens", "6m0s")], rate("x"), Some(1.0)),
    ];
    for (headers, body, wait) in cases {
        let turn = headers.iter().fold(Turn::status(429, body.clone()), |turn, (k, v)| turn.header(k, v));
        let heard = answered(Wire::Anthropic, turn).await;
        let got = heard.error().retry_after.map(|wait| wait.as_secs_f64());
        assert_eq!(got, wait, "{headers:?} {body}");
    }
}

#[tokio::test]
async fn an_http_date_in_the_future_is_the_time_until_then() {
    let turn = Turn::status(429, json!({})).header("retry-after", "Fri, 01 Jan 2100 00:00:00 GMT");
    let wait = answered(Wire::OpenAi, turn).await.error().retry_after.unwrap();
    // 2100-01-01 is 4102444800 seconds after 1970.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    assert!((wait + now).as_secs().abs_diff(4_102_444_800) <= 5, "{wait:?}");
}

#[tokio::test]
async fn the_server_may_forbid_or_permit_a_retry() {
    for (status, header, retryable) in [(500, "false", false), (400, "true", true), (402, "true", false)] {
        let turn = Turn::status(status, json!({"error": {"message": "x"}})).header("x-should-retry", header);
        assert_eq!(answered(Wire::Anthropic, turn).await.error().retryable, retryable, "{status} {header}");
    }
}

#[tokio::test]
async fn messages_say_what_to_what_and_what_to_do() {
    let cases = [
        (401, vec!["test refused the key from TEST_API_KEY (401)", "Check the value of TEST_API_KEY"]),
        (403, vec!["does not let the key from TEST_API_KEY use scripted"]),
        (404, vec!["no model \"scripted\"", "/v1/", "Check the model's name and the base URL"]),
        (402, vec!["has no credit left", "balance"]),
        (429, vec!["limits the rate", "asks to wait 7s"]),
        (529, vec!["is overloaded", "Trying again later"]),
    ];
    for (status, needles) in cases {
        for wire in Wire::ALL {
            let mut turn =
                Turn::status(status, json!({"error": {"message": "the reason"}})).header("request-id", "req_9");
            if status == 429 {
                turn = turn.header("retry-after", "7");
            }
            let message = answered(wire, turn).await.error().message.clone();
            for needle in needles.iter().chain(&["the reason", "req_9"]) {
                assert!(message.contains(needle), "{needle:?} is not in {message}");
            }
        }
    }
}

#[tokio::test]
async fn a_web_page_as_error_is_cut_to_its_words() {
    let page = format!("<html><body><h1>502 Bad Gateway</h1>{}</body></html>", "<p>filler</p>".repeat(500));
    let message = answered(Wire::OpenAi, Turn::status(502, page.as_str())).await.error().message.clone();
    assert!(message.contains("502 Bad Gateway filler") && !message.contains('<') && message.len() < 500, "{message}");
}

#[tokio::test]
async fn keys_are_never_shown() {
    let key = "sk-secret-0123456789";
    for wire in Wire::ALL {
        let echo = format!("Incorrect API key provided: {key}. Header was 'Bearer {key}' and h3ader-s3cret");
        for body in [json!({"error": {"message": echo}}), json!(echo)] {
            for status in [401, 500] {
                let server = ModelServer::start([Turn::status(status, body.clone())]);
                let mut endpoint = endpoint(&server, wire);
                endpoint.credential = Some(Credential::new(format!(" {key}\n"), "TEST_API_KEY"));
                endpoint.headers = vec![("x-extra".into(), "h3ader-s3cret".into())];
                assert!(!format!("{endpoint:?}").contains(key), "Debug shows the key");
                let heard = call(&*connect(endpoint), request(&[Message::user("hi")]), true).await;
                let error = heard.error();
                assert!(error.message.contains("[key]"), "{}", error.message);
                assert!(!format!("{error:?}").contains(key) && !error.message.contains("s3cret"), "{}", error.message);
                let sent = server.last_request();
                assert!(sent.headers.iter().any(|(_, value)| value.contains(key)), "the key was sent, trimmed");
                assert_eq!(sent.header("x-extra"), Some("h3ader-s3cret"));
            }
        }
    }
}

#[tokio::test]
async fn a_missing_key_is_said_to_be_missing() {
    for (name, form, advice) in [
        ("anthropic", Form::Anthropic, "Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"),
        ("work", Form::OpenAiChat, "Set BAREAGENT_API_KEY"),
    ] {
        let server = ModelServer::start([Turn::status(401, json!({"error": {"message": "no key"}}))]);
        let endpoint = bareagent::provider::Endpoint::new(name, form, server.base_url());
        let heard = call(&*connect(endpoint), request(&[Message::user("hi")]), true).await;
        assert!(heard.error().message.contains(advice), "{}", heard.error().message);
    }
}

#[tokio::test]
async fn a_field_that_a_server_does_not_know_is_left_out_from_then_on() {
    let refuse = |field: &str| {
        Turn::status(422, json!({"detail": [{"loc": ["body", field], "msg": "Extra inputs are not permitted"}]}))
    };
    let unknown = |field: &str| {
        let message = format!(
            "Unsupported parameter: '{field}' is not supported with this model. Use 'max_completion_tokens' instead."
        );
        Turn::status(400, json!({"error": {"message": message, "param": field, "code": "unsupported_parameter"}}))
    };
    let cases = [
        (Wire::OpenAi, refuse("stream_options"), "stream_options", None),
        (Wire::OpenAi, unknown("max_tokens"), "max_tokens", Some("max_completion_tokens")),
        (Wire::Anthropic, refuse("cache_control"), "cache_control", None),
    ];
    for (wire, refusal, field, instead) in cases {
        let server = ModelServer::start([refusal, Turn::text("one"), Turn::text("two")]);
        let provider = provider(&server, wire);
        let heard = call(&*provider, request(&[Message::user("hi")]), true).await;
        assert_eq!(heard.response().message.text(), "one");
        assert_eq!(heard.notices.len(), 1, "{:?}", heard.notices);
        call(&*provider, request(&[Message::user("hi")]), true).await.response();
        let requests = server.requests();
        assert!(requests[0].text().contains(&format!("\"{field}\":")));
        for request in &requests[1..] {
            assert!(!request.text().contains(&format!("\"{field}\":")), "{}", request.text());
            assert!(instead.is_none_or(|instead| request.json[instead] == 1000), "{}", request.text());
        }
    }
}

#[tokio::test]
async fn several_unknown_fields_are_found_one_by_one() {
    let refuse = |field: &str| Turn::status(400, json!({"error": {"message": format!("Unknown field: {field}")}}));
    let script = [refuse("stream_options"), refuse("max_tokens"), Turn::text("ok"), Turn::text("ok")];
    let server = ModelServer::start(script);
    let provider = provider(&server, Wire::OpenAi);
    for _ in 0..2 {
        assert_eq!(call(&*provider, request(&[Message::user("hi")]), true).await.response().message.text(), "ok");
    }
    server.assert_finished();
}

#[tokio::test]
async fn what_cannot_be_sent_is_said_before_anything_is() {
    let server = ModelServer::start([]);
    let mut bad_key = endpoint(&server, Wire::OpenAi);
    bad_key.credential = Some(Credential::new("sk-one\nsk-two", "TEST_API_KEY"));
    let mut bad_header = endpoint(&server, Wire::OpenAi);
    bad_header.headers = vec![("x team".into(), "blue".into())];
    for (endpoint, words) in [(bad_key, "The key from TEST_API_KEY"), (bad_header, "The header \"x team\"")] {
        let heard = call(&*connect(endpoint), request(&[Message::user("hi")]), true).await;
        let message = &heard.error().message;
        assert!(message.contains(words) && !message.contains("sk-one"), "{message}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn passwords_in_addresses_and_control_characters_are_not_shown() {
    let server = ModelServer::start([Turn::status(404, json!({"error": {"message": "no\u{1b}[31m\nsuch"}}))]);
    let mut endpoint = endpoint(&server, Wire::OpenAi);
    endpoint.base_url = server.base_url().replace("http://", "http://me:pa55word@");
    let message = call(&*connect(endpoint), request(&[Message::user("hi")]), true).await.error().message.clone();
    assert!(message.contains("no [31m such") && message.contains("http://127.0.0.1:"), "{message}");
    assert!(!message.contains("pa55word"), "{message}");
}

#[tokio::test]
async fn a_moved_address_is_named() {
    let turn = Turn::status(301, "").header("location", "https://api.example.com/v1/messages");
    let message = answered(Wire::Anthropic, turn).await.error().message.clone();
    assert!(message.contains("moved to https://api.example.com/v1/messages"), "{message}");
}
