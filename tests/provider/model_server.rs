//! The scripted model server and the runner keep their own promises.

use std::io::Write;

use serde_json::json;

use crate::support::model_server::{Gate, ModelServer, Turn, Wire, refused_url};
use crate::support::run::Run;

fn post(url: &str, stream: bool) -> reqwest::RequestBuilder {
    let body = json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "hi"}]});
    // No TLS is spoken here, but the client wants a configuration.
    let tls = rustls::ClientConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let client = reqwest::Client::builder().no_proxy().tls_backend_preconfigured(tls).build().unwrap();
    client.post(url).body(body.to_string())
}

#[tokio::test]
async fn plays_its_script_in_both_forms_and_records_what_it_was_asked() {
    let call = || Turn::text("let me see").and_call("bash", json!({"command": "ls -la | head -3"}));
    let server = ModelServer::start([call(), call(), call(), call()]);
    for (path, stream, needles) in [
        ("/v1/messages", false, [r#""stop_reason":"tool_use""#, r#""input":{"command":"ls -la | head -3"}"#]),
        ("/v1/messages", true, ["event: message_stop\n", r#""partial_json":" head -3\"}""#]),
        ("/x/v1/chat/completions", false, [r#""finish_reason":"tool_calls""#, r#"\"ls -la | head -3\"}"#]),
        ("/x/v1/chat/completions", true, ["data: [DONE]\n", r#""arguments":" head -3\"}""#]),
    ] {
        let text = post(&format!("{}{path}", server.base_url()), stream).send().await.unwrap().text().await.unwrap();
        for needle in needles {
            assert!(text.contains(needle), "{path} {stream}: {needle} is not in\n{text}");
        }
    }
    server.assert_finished();
    assert_eq!(server.connections(), 4);
    let requests = server.requests();
    assert_eq!(requests[2].path, "/x/v1/chat/completions");
    assert_eq!(requests[2].messages()[0]["content"], "hi");
    assert_eq!(requests[3].connection, 4);
}

#[tokio::test]
async fn says_so_when_the_script_has_run_out() {
    let server = ModelServer::start([]);
    let answer = post(&format!("{}/v1/messages", server.base_url()), true).send().await.unwrap();
    assert_eq!(answer.status(), 500);
    assert!(answer.text().await.unwrap().contains("no turn for this request"));
    assert_eq!(server.overrun(), 1);
}

#[tokio::test]
async fn breaks_connections_as_scripted() {
    let server = ModelServer::start([Turn::reset(), Turn::close(), Turn::text("abc").then_cut()]);
    let url = format!("{}/v1/messages", server.base_url());
    let error = post(&url, true).send().await.unwrap_err();
    assert!(format!("{error:?}").contains("ConnectionReset"), "{error:?}");
    assert!(post(&url, true).send().await.is_err());
    let answer = post(&url, true).send().await.unwrap();
    assert!(answer.text().await.is_err());
    assert!(post(&refused_url(), true).send().await.unwrap_err().is_connect());
}

#[tokio::test]
async fn waits_at_a_gate_and_notices_a_hang_up() {
    let gate = Gate::new();
    let server =
        ModelServer::start([Turn::text("before ").then_gate(&gate).and_text("after"), Turn::stall_before_headers()]);
    let url = format!("{}/v1/messages", server.base_url());
    let mut answer = post(&url, true).send().await.unwrap();
    gate.reached().await;
    gate.wait_reached();
    let mut text = String::new();
    while !text.contains("before ") {
        text.push_str(&String::from_utf8_lossy(&answer.chunk().await.unwrap().unwrap()));
    }
    assert!(!text.contains("after"));
    gate.open();
    assert!(answer.text().await.unwrap().contains("after"));

    let mut client = std::net::TcpStream::connect(server.base_url().trim_start_matches("http://")).unwrap();
    client.write_all(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}").unwrap();
    server.wait_for_requests(2);
    drop(client);
    server.wait_for_hangups(1);
}

#[test]
fn runs_the_binary_in_a_place_of_its_own() {
    let server = ModelServer::start([]);
    let first = Run::new().provider_at(&server, Wire::OpenAi).file("src/a.rs", "fn a() {}").args(["--version"]).run();
    assert_eq!(first.code, 0, "{first}");
    assert_eq!(first.place.read("src/a.rs"), "fn a() {}");
    Run::at(&first.place).args(["--version"]).stdin("ignored").run().assert_code(0);
}
