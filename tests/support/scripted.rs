//! The loop's surroundings in one process: a provider that plays a script, tools made of closures, a sink
//! that remembers. For rules of the loop that need no wire form.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bareagent::access::{Access, Preview};
use bareagent::agent::{Agent, Limits};
use bareagent::agent_loop::agent_loop;
use bareagent::context::compactor::Compactor;
use bareagent::event::{Event, EventSink};
use bareagent::inbox::Inbox;
use bareagent::loop_error::LoopError;
use bareagent::message::{Block, Message, Role, StopReason, ToolCall, Usage};
use bareagent::permission::{Approver, Gate, Mode, Policy};
use bareagent::provider::{Delta, DeltaSink, ErrorKind, Provider, ProviderError, Request, Response, ToolSpec};
use bareagent::store::transcript::Transcript;
use bareagent::tools::{Handler, Output, Registry, ToolContext, ToolError};
use bareagent::workspace::Workspace;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

/// What the provider does with one request.
pub enum Step {
    /// Answers.
    Answer(Response),
    /// Shows this text, then fails.
    Fail(&'static str, ProviderError),
    /// Shows this text, then waits for ever.
    Stall(&'static str),
}

/// An answer of text, by a server that reports no tokens.
pub fn text(text: &str) -> Step {
    Step::Answer(Response { usage: Usage::default(), ..response(vec![Block::text(text)], StopReason::EndTurn) })
}

/// An answer of one call a name, by a server that reports no tokens.
pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Step {
    let content = calls.into_iter().enumerate().map(|(index, (name, input))| {
        let input = input.as_object().cloned().unwrap_or_default();
        Block::ToolUse(ToolCall { id: format!("{name}-{index}"), name: name.to_owned(), input, invalid: None })
    });
    Step::Answer(Response { usage: Usage::default(), ..response(content.collect(), StopReason::ToolUse) })
}

/// A response of these blocks.
pub fn response(content: Vec<Block>, stop: StopReason) -> Response {
    let usage = Usage { input: Some(10), output: Some(5), ..Usage::default() };
    Response { message: Message::new(Role::Assistant, content), stop, usage }
}

/// A provider that plays steps and keeps what it was sent.
#[derive(Default)]
pub struct Scripted {
    steps: Mutex<VecDeque<Step>>,
    /// The messages of each request, and whether it was streamed.
    pub requests: Mutex<Vec<(Vec<Message>, bool)>>,
}

impl Scripted {
    fn play<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
        is_stream: bool,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        async move {
            self.requests.lock().unwrap().push((request.messages.to_vec(), is_stream));
            let step = self.steps.lock().unwrap().pop_front();
            match step {
                Some(Step::Answer(response)) => {
                    if is_stream {
                        on_delta(Delta::Text(&response.message.text()));
                    }
                    Ok(response)
                }
                Some(Step::Fail(shown, error)) => {
                    on_delta(Delta::Text(shown));
                    Err(error)
                }
                Some(Step::Stall(shown)) => {
                    on_delta(Delta::Text(shown));
                    std::future::pending().await
                }
                None => Err(ProviderError::new(ErrorKind::InvalidRequest, "the script is at its end")),
            }
        }
        .boxed()
    }
}

impl Provider for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn stream<'a>(
        &'a self,
        request: Request<'a>,
        out: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        self.play(request, out, true)
    }

    fn create<'a>(
        &'a self,
        request: Request<'a>,
        out: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        self.play(request, out, false)
    }
}

type Body = dyn Fn(&Map<String, Value>) -> Result<Output, ToolError> + Send + Sync;

/// A tool made of a closure.
pub struct Closure {
    spec: ToolSpec,
    access: Access,
    body: Box<Body>,
}

impl Handler for Closure {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self, input: &Map<String, Value>, _: &Workspace) -> Result<Vec<Access>, ToolError> {
        if input.contains_key("bad") {
            return Err(ToolError::new("Invalid input: \"bad\" is no field"));
        }
        Ok(vec![self.access.clone()])
    }

    fn preview(&self, _: &Map<String, Value>, _: &Workspace) -> Result<Preview, ToolError> {
        Ok(Preview::Text("a closure".to_owned()))
    }

    fn run<'a>(
        &'a self,
        input: &Map<String, Value>,
        _: &'a ToolContext<'a>,
    ) -> BoxFuture<'a, Result<Output, ToolError>> {
        let input = input.clone();
        async move {
            if input.contains_key("wait") {
                std::future::pending::<()>().await;
            }
            (self.body)(&input)
        }
        .boxed()
    }
}

/// A sink that remembers.
#[derive(Default)]
pub struct Memory(pub Mutex<Vec<Event>>);

impl EventSink for Memory {
    fn emit(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

/// A loop ready to run.
pub struct Stage {
    pub provider: Scripted,
    pub tools: Registry,
    pub gate: Gate,
    pub compactor: Compactor,
    pub inbox: Inbox,
    pub events: Arc<Memory>,
    pub cancel: CancellationToken,
    pub transcript: Transcript,
    pub max_iterations: u32,
    pub streaming: bool,
    workspace: Workspace,
}

impl Stage {
    /// A stage on which the provider plays `steps` and everything is allowed.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let policy = Policy::new(Mode::Bypass, &[], &[], &[]).unwrap();
        Self {
            provider: Scripted { steps: Mutex::new(steps.into_iter().collect()), ..Scripted::default() },
            tools: Registry::new(),
            gate: Gate::new(policy, None),
            compactor: Compactor { window: 100_000, compact_at: 0.8, fixed: 0 },
            inbox: Inbox::default(),
            events: Arc::default(),
            cancel: CancellationToken::new(),
            transcript: Transcript::default(),
            max_iterations: 200,
            streaming: true,
            workspace: Workspace::new(Path::new(env!("CARGO_MANIFEST_DIR")), &[], None).unwrap(),
        }
    }

    /// Adds a tool.
    pub fn tool(
        mut self,
        name: &str,
        body: impl Fn(&Map<String, Value>) -> Result<Output, ToolError> + Send + Sync + 'static,
    ) -> Self {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            schema: json!({"type": "object", "properties": {}}),
        };
        let handler = Closure { spec, access: Access::Unknown, body: Box::new(body) };
        self.tools = std::mem::take(&mut self.tools).with_handler(Box::new(handler));
        self
    }

    /// Sets the gate's mode and who can be asked.
    pub fn gate(mut self, mode: Mode, approver: Option<Box<dyn Approver>>) -> Self {
        self.gate = Gate::new(Policy::new(mode, &[], &[], &[]).unwrap(), approver);
        self
    }

    /// Says `prompt` and runs the turn.
    pub async fn turn(&mut self, prompt: &str) -> Result<String, LoopError> {
        self.transcript.push(Message::user(prompt));
        let agent = Agent {
            provider: &self.provider,
            model: "scripted",
            system: "",
            tools: &self.tools,
            gate: &self.gate,
            compactor: self.compactor,
            inbox: &self.inbox,
            workspace: &self.workspace,
            events: self.events.as_ref(),
            cancel: &self.cancel,
            limits: Limits {
                max_iterations: self.max_iterations,
                max_tokens: 1000,
                bash_timeout: Duration::from_secs(10),
            },
            streaming: self.streaming,
        };
        agent_loop(&agent, &mut self.transcript).await
    }

    /// The results of the last user message, as `(id, text, is_error)`.
    pub fn results(&self) -> Vec<(String, String, bool)> {
        let messages = self.transcript.messages();
        let last = messages.iter().rev().find(|message| message.tool_results().next().is_some());
        let results = last.into_iter().flat_map(Message::tool_results);
        results.map(|result| (result.tool_use_id.clone(), result.content.text(), result.is_error)).collect()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<Event> {
        self.events.0.lock().unwrap().clone()
    }
}
