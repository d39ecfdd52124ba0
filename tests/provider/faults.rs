//! What goes wrong between here and the server, and that it is told truthfully: the kind, a sentence,
//! what had come, and whether asking in one piece may help.

use std::time::Duration;

use bareagent::message::Message;
use bareagent::provider::{ErrorKind, Timeouts, connect};
use serde_json::json;

use super::{Heard, call, endpoint, provider, request};
use crate::support::model_server::{ModelServer, Turn, Wire, refused_url};

const SHORT: Duration = Duration::from_millis(40);

/// Plays one turn of a server, streamed, with these limits.
async fn failing(wire: Wire, turn: Turn, timeouts: Timeouts) -> Heard {
    let server = ModelServer::start([turn]);
    let mut endpoint = endpoint(&server, wire);
    endpoint.timeouts = timeouts;
    call(&*connect(endpoint), request(&[Message::user("hi")]), true).await
}

#[tokio::test]
async fn broken_connections_are_told_apart() {
    let cases = [
        (Turn::reset(), ErrorKind::Network, "", "closed the connection without an answer"),
        (Turn::close(), ErrorKind::Network, "", "closed the connection without an answer"),
        (Turn::cut_before_first_event(), ErrorKind::StreamCut, "", "broke off before its end"),
        (Turn::text("half of").then_cut(), ErrorKind::StreamCut, "half of", "broke off before its end"),
        (Turn::cut_tool_call("bash", "{\"command\":\"rm -rf ."), ErrorKind::StreamCut, "", "broke off"),
        (Turn::text("a ").and_call("bash", json!({})).then_cut(), ErrorKind::StreamCut, "a ", "broke off"),
        (Turn::text("shown").then_malformed(), ErrorKind::BadStream, "shown", "not valid JSON"),
        (Turn::text("shown").then_error("overloaded_error", "busy"), ErrorKind::Overloaded, "shown", "busy"),
    ];
    for (turn, kind, text, message) in cases {
        for wire in Wire::ALL {
            let heard = failing(wire, turn.clone(), Timeouts::default()).await;
            let error = heard.error();
            assert_eq!((error.kind, heard.text.as_str()), (kind, text), "{wire:?}: {error:?}");
            assert!(error.message.contains(message), "{wire:?}: {}", error.message);
            assert!(error.retryable, "{wire:?}: {error:?}");
            assert!(!error.try_without_stream, "{wire:?}: {error:?}");
        }
    }
}

#[tokio::test]
async fn a_refused_connection_and_an_unknown_host_fail_at_once_in_words() {
    let cases = [
        (refused_url(), "the connection was refused"),
        // A label this long is no name anywhere, so no resolver is asked.
        (format!("http://{}.invalid/v1", "n".repeat(64)), "Cannot find the host nnnn"),
        ("ftp://example.com".to_owned(), "cannot be used"),
        ("not an address".to_owned(), "cannot be used"),
    ];
    for (base_url, words) in cases {
        let server = ModelServer::start([]);
        let mut endpoint = endpoint(&server, Wire::OpenAi);
        endpoint.base_url = base_url.clone();
        let heard = call(&*connect(endpoint), request(&[Message::user("hi")]), true).await;
        let message = &heard.error().message;
        assert!(message.contains(words) && message.contains(&base_url), "{message}");
        let kind = if words == "cannot be used" { ErrorKind::InvalidRequest } else { ErrorKind::Network };
        assert_eq!(heard.error().kind, kind);
    }
}

#[tokio::test]
async fn each_wait_has_its_own_limit_and_names_it() {
    let first_byte = Timeouts { first_byte: SHORT, ..Timeouts::default() };
    let idle = Timeouts { idle: SHORT, ..Timeouts::default() };
    let cases = [
        (Turn::stall_before_headers(), first_byte, "timeouts.first_byte", ""),
        (Turn::empty().then_stall(), first_byte, "timeouts.first_byte", ""),
        (Turn::stall_after("some"), idle, "timeouts.idle", "some"),
    ];
    for (turn, timeouts, name, text) in cases {
        for wire in Wire::ALL {
            let heard = failing(wire, turn.clone(), timeouts).await;
            assert_eq!((heard.error().kind, heard.text.as_str()), (ErrorKind::Timeout, text), "{name}");
            assert!(heard.error().message.contains(name), "{}", heard.error().message);
        }
    }
}

#[tokio::test]
async fn a_handshake_that_never_ends_is_a_connection_that_never_stood() {
    // The server speaks no TLS and waits for the rest of a request.
    let server = ModelServer::start([]);
    let mut endpoint = endpoint(&server, Wire::Anthropic);
    endpoint.base_url = server.base_url().replace("http:", "https:");
    endpoint.timeouts.connect = SHORT;
    let heard = call(&*connect(endpoint), request(&[Message::user("hi")]), true).await;
    assert_eq!(heard.error().kind, ErrorKind::Timeout);
    assert!(heard.error().message.contains("timeouts.connect"), "{}", heard.error().message);
}

#[tokio::test]
async fn keep_alives_count_as_life() {
    // Silent for longer than the limit in all, but for comments in between.
    let (pause, limit) = (Duration::from_millis(100), Duration::from_secs(1));
    let slow = (0..12).fold(Turn::text("thinking "), |turn, _| turn.then_delay(pause).then_comment());
    let heard = failing(Wire::OpenAi, slow.and_text("done"), Timeouts { idle: limit, ..Timeouts::default() }).await;
    assert_eq!(heard.response().message.text(), "thinking done");
}

#[tokio::test]
async fn what_is_no_answer_of_the_api_is_said_to_be_none() {
    let html = "<!DOCTYPE html><html><body><h1>Welcome to nginx!</h1></body></html>";
    for wire in Wire::ALL {
        let heard = failing(wire, Turn::raw_body("text/html", html), Timeouts::default()).await;
        let error = heard.error();
        assert_eq!((error.kind, error.retryable, error.try_without_stream), (ErrorKind::BadStream, false, false));
        assert!(error.message.contains("web page") && error.message.contains("Welcome to nginx!"), "{}", error.message);

        let heard = failing(wire, Turn::malformed_event(), Timeouts::default()).await;
        assert_eq!((heard.error().kind, heard.error().try_without_stream), (ErrorKind::BadStream, true));

        let error = json!({"error": {"type": "overloaded_error", "message": "busy"}}).to_string();
        let heard = failing(wire, Turn::raw_body("application/json", error), Timeouts::default()).await;
        assert_eq!((heard.error().kind, heard.error().try_without_stream), (ErrorKind::Overloaded, false));

        let heard = failing(wire, Turn::raw_body("application/json", "{\"hello\": 1}"), Timeouts::default()).await;
        assert_eq!(heard.error().kind, ErrorKind::BadStream);
    }
}

#[tokio::test]
async fn one_piece_answers_that_break_are_errors_too() {
    for wire in Wire::ALL {
        for (turn, kind) in [
            (Turn::text("a long enough text").then_cut(), ErrorKind::StreamCut),
            (Turn::malformed_event(), ErrorKind::BadStream),
            (Turn::error(500, "api_error", "oops"), ErrorKind::Server),
        ] {
            let server = ModelServer::start([turn]);
            let heard = call(&*provider(&server, wire), request(&[Message::user("hi")]), false).await;
            assert_eq!(heard.error().kind, kind);
            assert!(!heard.error().try_without_stream);
        }
    }
}

#[tokio::test]
async fn dropping_a_call_closes_its_connection() {
    for turn in [Turn::stall_before_headers(), Turn::stall_after("some")] {
        let server = ModelServer::start([turn]);
        let provider = provider(&server, Wire::Anthropic);
        let (started, wait) = tokio::sync::oneshot::channel();
        let mut started = Some(started);
        let messages = [Message::user("hi")];
        let mut on_delta = |delta: bareagent::provider::Delta<'_>| {
            if matches!(delta, bareagent::provider::Delta::Phase(bareagent::event::Phase::WaitingForModel)) {
                started.take().map(|started| started.send(()));
            }
        };
        tokio::select! {
            _ = provider.stream(request(&messages), &mut on_delta) => panic!("the call should not end"),
            _ = async { wait.await.unwrap(); tokio::task::yield_now().await; server_has(&server, 1).await } => {}
        }
        // The pool closes the socket on its next turn of the loop.
        tokio::task::spawn_blocking(move || server.wait_for_hangups(1)).await.unwrap();
    }
}

async fn server_has(server: &ModelServer, count: usize) {
    while server.requests().len() < count {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
