//! An in-process model server that plays a script.
//!
//! It listens on a random loopback port, on a thread of its own, and speaks both wire forms: a request
//! to `…/messages` is answered in Anthropic's, one to `…/chat/completions` in OpenAI's, streamed or in
//! one piece as the request's `stream` says. Each request plays the next [`Turn`] of the script; what
//! was asked is kept for the test. HTTP/1.1 is spoken by hand because half of the script is faults
//! (cuts, resets, stalls) that a server library would not let through.

mod http;
mod render;
mod turn;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub use turn::{Gate, Turn};

/// The longest that any waiting helper waits before it fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A wire form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenAi,
}

impl Wire {
    /// Both, for tests that hold in either.
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    /// The provider name that selects this form.
    pub fn provider(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// `POST` or `GET`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Header names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body parsed, or null.
    pub json: Value,
    /// The body's bytes.
    pub body: Vec<u8>,
    /// Which TCP connection it came on, counted from 1.
    pub connection: usize,
}

impl Recorded {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The request's messages.
    pub fn messages(&self) -> &[Value] {
        self.json["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The names of the offered tools, in either wire form.
    pub fn tool_names(&self) -> Vec<String> {
        let tools = self.json["tools"].as_array().into_iter().flatten();
        let name = |tool: &Value| tool["name"].as_str().or(tool["function"]["name"].as_str()).map(str::to_owned);
        tools.filter_map(name).collect()
    }

    /// The tool results of the request's last round as `(call id, text)`, in either wire form.
    pub fn last_results(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let Some(last) = self.messages().last() else { return Vec::new() };
        if last["role"] == "tool" {
            let mut round: Vec<_> =
                self.messages().iter().rev().take_while(|message| message["role"] == "tool").collect();
            round.reverse();
            return round.iter().map(|m| (text(&m["tool_call_id"]), text(&m["content"]))).collect();
        }
        let blocks = last["content"].as_array().into_iter().flatten();
        let results = blocks.filter(|block| block["type"] == "tool_result");
        results.map(|block| (text(&block["tool_use_id"]), text(&block["content"]))).collect()
    }
}

/// What the server's thread and the test share.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    connections: AtomicUsize,
}

#[derive(Default)]
struct State {
    script: VecDeque<Turn>,
    played: usize,
    overrun: usize,
    hangups: usize,
    requests: Vec<Recorded>,
}

impl Shared {
    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let out = change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
        out
    }

    fn wait(&self, what: &str, enough: impl Fn(&State) -> bool) {
        let (state, timeout) =
            self.changed.wait_timeout_while(self.state.lock().unwrap(), PATIENCE, |state| !enough(state)).unwrap();
        assert!(!timeout.timed_out(), "waited {PATIENCE:?} for {what}; {} requests so far", state.requests.len());
    }
}

/// The running server. Dropping it closes every connection.
pub struct ModelServer {
    port: u16,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a server that plays `script`, one turn a request. After the last turn it answers 500.
    pub fn start(script: impl IntoIterator<Item = Turn>) -> Self {
        let shared = Arc::new(Shared::default());
        shared.with(|state| state.script.extend(script));
        let (stop, stopped) = oneshot::channel();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let theirs = Arc::clone(&shared);
        let thread = std::thread::spawn(move || serve(listener, theirs, stopped));
        Self { port, shared, stop: Some(stop), thread: Some(thread) }
    }

    /// A server's root address, without a path: `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The base address as a user of that wire form would write it (OpenAI's ends in `/v1`).
    pub fn base_url_for(&self, wire: Wire) -> String {
        match wire {
            Wire::Anthropic => self.base_url(),
            Wire::OpenAi => format!("{}/v1", self.base_url()),
        }
    }

    /// Adds a turn to the end of the script.
    pub fn push(&self, turn: Turn) {
        self.shared.with(|state| state.script.push_back(turn));
    }

    /// The requests so far that asked for an answer (`POST`).
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.with(|state| state.requests.iter().filter(|request| request.method == "POST").cloned().collect())
    }

    /// The last request.
    pub fn last_request(&self) -> Recorded {
        self.requests().pop().expect("no request has come")
    }

    /// Blocks until `count` requests have come.
    pub fn wait_for_requests(&self, count: usize) {
        self.shared.wait("requests", |state| state.requests.len() >= count);
    }

    /// How many TCP connections have been opened.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Blocks until clients have hung up on `count` unfinished answers (a cancel, a timeout).
    pub fn wait_for_hangups(&self, count: usize) {
        self.shared.wait("hang-ups", |state| state.hangups >= count);
    }

    /// How many requests came after the script had run out.
    pub fn overrun(&self) -> usize {
        self.shared.with(|state| state.overrun)
    }

    /// How many turns are still to be played.
    pub fn remaining(&self) -> usize {
        self.shared.with(|state| state.script.len())
    }

    /// Fails unless the script was played to its end and nothing more was asked.
    #[track_caller]
    pub fn assert_finished(&self) {
        assert_eq!((self.remaining(), self.overrun()), (0, 0), "(turns not played, requests beyond the script)");
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the model server's thread panicked");
        }
    }
}

/// An address where nobody listens.
pub fn refused_url() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// Blocks until `done` says so, looking again every few milliseconds, and fails the test after a while.
pub fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}");
        std::thread::sleep(Duration::from_millis(3));
    }
}

fn serve(listener: std::net::TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let accept = async {
            while let Ok((stream, _)) = listener.accept().await {
                let number = shared.connections.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::spawn(converse(stream, number, Arc::clone(&shared)));
            }
        };
        tokio::select! {
            () = accept => {}
            _ = stopped => {}
        }
    });
}

/// Answers the requests of one connection until it closes or a turn breaks it.
async fn converse(mut stream: TcpStream, connection: usize, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let mut buffer = Vec::new();
    while let Some(mut request) = http::read_request(&mut stream, &mut buffer).await {
        request.connection = connection;
        let answer = next_answer(&shared, request);
        match http::play(&mut stream, &answer).await {
            http::Played::Whole => {}
            http::Played::Broken => return,
            http::Played::HungUp => return shared.with(|state| state.hangups += 1),
        }
    }
}

/// Records the request and renders the next turn for it.
fn next_answer(shared: &Shared, request: Recorded) -> render::Answer {
    shared.with(|state| {
        state.requests.push(request.clone());
        if request.method == "GET" {
            return render::models(&request.path);
        }
        let next = state.script.iter().position(|turn| turn.fits(&request));
        match next.and_then(|at| state.script.remove(at)) {
            Some(turn) => {
                state.played += 1;
                render::answer(&turn, &request, state.played)
            }
            None => {
                state.overrun += 1;
                let text = format!("the script has no turn for this request (request {})", state.requests.len());
                render::answer(&Turn::error(500, "api_error", &text), &request, 0)
            }
        }
    })
}
