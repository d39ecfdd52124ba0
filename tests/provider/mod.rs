//! The providers, over real HTTP to the scripted model server.

mod answers;
mod arguments;
mod bodies;
mod catalog;
mod errors;
mod faults;
mod fixtures;
mod model_server;

use bareagent::event::Phase;
use bareagent::message::Message;
use bareagent::provider::{
    Credential, Delta, Endpoint, Provider, ProviderError, Request, Response, ToolSpec, Wire, connect,
};
use serde_json::json;

use crate::support::model_server::{self as support, ModelServer};

/// What a call gave back, and what was shown meanwhile.
#[derive(Debug)]
pub struct Heard {
    result: Result<Response, ProviderError>,
    text: String,
    thinking: String,
    phases: Vec<Phase>,
    notices: Vec<String>,
}

impl Heard {
    #[track_caller]
    fn response(&self) -> &Response {
        self.result.as_ref().unwrap_or_else(|error| panic!("{error:?}"))
    }

    #[track_caller]
    fn error(&self) -> &ProviderError {
        self.result.as_ref().expect_err("the call should have failed")
    }
}

/// Streams, or asks for one piece.
async fn call(provider: &dyn Provider, request: Request<'_>, stream: bool) -> Heard {
    let mut heard = Heard {
        result: Err(ProviderError::new(bareagent::provider::ErrorKind::Server, "not called")),
        text: String::new(),
        thinking: String::new(),
        phases: Vec::new(),
        notices: Vec::new(),
    };
    let mut on_delta = |delta: Delta<'_>| match delta {
        Delta::Text(text) => heard.text.push_str(text),
        Delta::Thinking(text) => heard.thinking.push_str(text),
        Delta::Phase(phase) => heard.phases.push(phase),
        Delta::Notice(text) => heard.notices.push(text),
    };
    let result = match stream {
        true => provider.stream(request, &mut on_delta).await,
        false => provider.create(request, &mut on_delta).await,
    };
    Heard { result, ..heard }
}

/// The form in the library's words.
fn library_wire(wire: support::Wire) -> Wire {
    match wire {
        support::Wire::Anthropic => Wire::Anthropic,
        support::Wire::OpenAi => Wire::OpenAiChat,
    }
}

/// An endpoint at a server that no catalog knows, with a key.
fn endpoint(server: &ModelServer, wire: support::Wire) -> Endpoint {
    let mut endpoint = Endpoint::new("test", library_wire(wire), server.base_url_for(wire));
    endpoint.credential = Some(Credential::new("sk-test-0123456789", "TEST_API_KEY"));
    endpoint
}

fn provider(server: &ModelServer, wire: support::Wire) -> Box<dyn Provider> {
    connect(endpoint(server, wire))
}

/// A request of these messages, with a system text and without tools.
fn request(messages: &[Message]) -> Request<'_> {
    Request { model: "scripted", system: "Be brief.", messages, tools: &[], max_tokens: 1000 }
}

fn tool(name: &str) -> ToolSpec {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    ToolSpec { name: name.into(), description: format!("The tool {name}."), schema }
}
