//! Times whole processes of the release binary against the in-process model server: start-up, a one-shot
//! answer, and what each tool turn adds. Prints medians; asserts nothing, for machines differ.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use serde_json::json;
use support::model_server::{ModelServer, Turn, Wire};
use support::run::Run;

const RUNS: usize = 30;
const TOOL_TURNS: usize = 20;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn version() -> Duration {
    let run = || {
        let started = Instant::now();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_bareagent")).arg("--version").output().unwrap();
        assert!(output.status.success());
        started.elapsed()
    };
    run();
    median((0..RUNS).map(|_| run()).collect())
}

fn one_shot(wire: Wire, tool_turns: usize, runs: usize) -> Duration {
    let run = || {
        let turn = |n: usize| Turn::call("bash", json!({"command": format!("echo {n}")}));
        let server = ModelServer::start((0..tool_turns).map(turn).chain([Turn::text("done")]));
        let outcome = Run::new().provider_at(&server, wire).args(["-p", "go"]).run();
        assert_eq!(outcome.code, 0, "{outcome}");
        outcome.elapsed
    };
    run();
    median((0..runs).map(|_| run()).collect())
}

fn main() {
    println!("--version            {:7.2} ms", ms(version()));
    for (wire, name) in [(Wire::Anthropic, "anthropic"), (Wire::OpenAi, "openai-chat")] {
        let plain = one_shot(wire, 0, RUNS);
        let tools = one_shot(wire, TOOL_TURNS, RUNS / 3);
        println!("one-shot, {name:<11}{:7.2} ms", ms(plain));
        println!("a tool turn, {name:<8}{:7.2} ms", ms(tools.saturating_sub(plain)) / TOOL_TURNS as f64);
    }
}
