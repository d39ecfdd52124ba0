//! THE loop. Everything else in this program serves it.
//!
//! Each iteration: take in what came from outside (finished background work, steering), compact if the
//! context is nearly full, stream an answer, append it, run the tool calls it asks for, append one message
//! with all the results. It ends when the model calls no more tools.
//!
//! The loop holds no state and does no I/O of its own: all context is in the [`Transcript`]. A failing tool is
//! a result that the model reads; a failing model call is a [`LoopError`]; there is no third way out but the
//! cancellation that [`LoopError::Interrupted`] reports.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures::FutureExt;

use crate::access::Preview;
use crate::agent::Agent;
use crate::event::{CompactTrigger, Event, Phase};
use crate::loop_error::LoopError;
use crate::message::{Block, Message, Role, StopReason, ToolCall, ToolContent, ToolResult, Usage};
use crate::permission::Verdict;
use crate::provider::{Delta, ErrorKind, ProviderError, Response};
use crate::store::transcript::Transcript;
use crate::tools::{Handler, Output};

/// How long a cancelled tool may take to hand over what it has before it is dropped (which kills it).
const CANCEL_GRACE: Duration = Duration::from_millis(300);

/// Runs one turn: from the transcript's last user message to the model's final answer, which is returned.
///
/// # Errors
/// See [`LoopError`]. Whatever happens, the transcript stays one that the next turn can go on from.
pub async fn agent_loop(agent: &Agent<'_>, transcript: &mut Transcript) -> Result<String, LoopError> {
    let mut streaming = agent.streaming;
    for _ in 0..agent.limits.max_iterations {
        transcript.report_failure(agent.events);
        for message in agent.inbox.take(agent.events) {
            transcript.push(message);
        }
        agent.compactor.compact(agent.summariser(), transcript, CompactTrigger::Auto).await;
        let Response { message, stop, usage } = ask_model(agent, transcript, &mut streaming).await?;
        let calls: Vec<ToolCall> = message.tool_calls().cloned().collect();
        let text = message.text();
        if calls.is_empty() && stop != StopReason::PauseTurn {
            return finish(text, stop, usage);
        }
        let results = run_calls(agent, transcript, &calls).await;
        if !results.is_empty() {
            let results = Message::new(Role::User, results.into_iter().map(Block::ToolResult).collect());
            transcript.push(results.clone());
            agent.events.emit(Event::Results(results));
        }
        if agent.cancel.is_cancelled() {
            return Err(LoopError::Interrupted);
        }
    }
    Err(LoopError::IterationLimit(agent.limits.max_iterations))
}

/// The end of a turn: an answer that is whole, or the honest reason why there is none.
fn finish(text: String, stop: StopReason, usage: Usage) -> Result<String, LoopError> {
    match stop {
        StopReason::EndTurn | StopReason::StopSequence | StopReason::ToolUse | StopReason::Unknown => {
            if text.trim().is_empty() { Err(LoopError::EmptyAnswer { stop, usage }) } else { Ok(text) }
        }
        stop => Err(LoopError::CutShort { stop }),
    }
}

/// Asks for one answer and appends it. A conversation that the provider finds too long is compacted, once.
async fn ask_model(
    agent: &Agent<'_>,
    transcript: &mut Transcript,
    streaming: &mut bool,
) -> Result<Response, LoopError> {
    let started = Instant::now();
    let mut shown = String::new();
    let mut result = call_model(agent, transcript, streaming, &mut shown).await;
    if matches!(&result, Some(Err(error)) if error.kind == ErrorKind::ContextOverflow && shown.is_empty())
        && agent.compactor.compact(agent.summariser(), transcript, CompactTrigger::Overflow).await
    {
        result = call_model(agent, transcript, streaming, &mut shown).await;
    }
    let error = match result {
        Some(Ok(response)) => {
            keep(agent, transcript, response.message.clone(), Some(response.stop), response.usage, started);
            return Ok(response);
        }
        Some(Err(error)) if shown.trim().is_empty() => LoopError::Provider(error),
        Some(Err(error)) => LoopError::BrokeOff(error),
        None => LoopError::Interrupted,
    };
    if !shown.trim().is_empty() {
        let cut = Message { incomplete: true, ..Message::new(Role::Assistant, vec![Block::text(shown)]) };
        keep(agent, transcript, cut, None, error.usage(), started);
    }
    Err(error)
}

/// Appends an answer, unless there is nothing in it, and tells of it.
fn keep(
    agent: &Agent<'_>,
    transcript: &mut Transcript,
    message: Message,
    stop: Option<StopReason>,
    usage: Usage,
    started: Instant,
) {
    if !message.is_blank() {
        transcript.push_answer(message.clone(), stop, usage);
    }
    agent.events.emit(Event::Assistant { message, stop, usage, elapsed: started.elapsed() });
}

/// One model call, streamed or in one piece; `None` when cancelled. Text goes out, and into `shown`, as it comes.
async fn call_model(
    agent: &Agent<'_>,
    transcript: &Transcript,
    streaming: &mut bool,
    shown: &mut String,
) -> Option<Result<Response, ProviderError>> {
    let request = agent.request(transcript);
    if *streaming {
        let mut on_delta = |delta: Delta<'_>| {
            if let Delta::Text(text) = &delta {
                shown.push_str(text);
            }
            agent.events.emit(delta.into());
        };
        let streamed = agent.cancel.run_until_cancelled(agent.provider.stream(request, &mut on_delta)).await?;
        match streamed {
            Err(error) if error.try_without_stream && shown.is_empty() => {
                let notice = format!("{error}; asking for the answer in one piece instead");
                agent.events.emit(Event::Notice(notice));
                *streaming = false;
            }
            result => return Some(result),
        }
    }
    let mut on_delta = |delta: Delta<'_>| agent.events.emit(delta.into());
    let result = agent.cancel.run_until_cancelled(agent.provider.create(request, &mut on_delta)).await?;
    if let Ok(response) = &result {
        shown.push_str(&response.message.text());
        agent.events.emit(Event::Text(shown.clone()));
    }
    Some(result)
}

/// Runs the calls of one answer. Each gets exactly one result, in call order, whatever happens.
async fn run_calls(agent: &Agent<'_>, transcript: &mut Transcript, calls: &[ToolCall]) -> Vec<ToolResult> {
    let mut results = Vec::with_capacity(calls.len());
    for call in calls {
        let started = Instant::now();
        agent.events.emit(Event::ToolStarted(call.clone()));
        let result = match run_call(agent, transcript, call).await {
            Ok(content) => ToolResult { tool_use_id: call.id.clone(), content, is_error: false },
            Err(text) => ToolResult::error(&call.id, text),
        };
        let finished = Event::ToolFinished { call: call.clone(), result: result.clone(), elapsed: started.elapsed() };
        agent.events.emit(finished);
        results.push(result);
    }
    results
}

/// Looks up, asks, runs. The error is the text of a failed result.
async fn run_call(agent: &Agent<'_>, transcript: &mut Transcript, call: &ToolCall) -> Result<ToolContent, String> {
    if agent.cancel.is_cancelled() {
        return Err("interrupted by the user before it ran".to_owned());
    }
    let handler = agent.tools.get(&call.name).ok_or_else(|| agent.tools.unknown(&call.name))?;
    if let Some(invalid) = &call.invalid {
        return Err(invalid.to_string());
    }
    let accesses = handler.access(&call.input, agent.workspace).map_err(|error| error.to_string())?;
    let preview =
        || handler.preview(&call.input, agent.workspace).unwrap_or_else(|error| Preview::Text(error.to_string()));
    match agent.gate.check(call, &accesses, preview, agent.workspace, agent.cancel).await {
        Verdict::Run => {}
        Verdict::Refuse { .. } if agent.cancel.is_cancelled() => return Err("interrupted by the user".to_owned()),
        Verdict::Refuse { text, reason, way_out } => {
            agent.events.emit(Event::Denied { call: call.clone(), reason, way_out });
            return Err(text);
        }
    }
    transcript.tool_start(call);
    agent.events.emit(Event::Phase(Phase::RunningTool(call.name.clone())));
    run_handler(agent, handler, call).await
}

/// Runs a handler, turning a panic into a failed result and a cancel into a prompt end.
async fn run_handler(agent: &Agent<'_>, handler: &dyn Handler, call: &ToolCall) -> Result<ToolContent, String> {
    let cx = agent.tool_context(&call.id);
    let running = AssertUnwindSafe(handler.run(&call.input, &cx)).catch_unwind();
    let overdue = async {
        agent.cancel.cancelled().await;
        tokio::time::sleep(CANCEL_GRACE).await;
    };
    tokio::select! {
        biased;
        outcome = running => match outcome {
            Ok(result) => result.map(Output::into_content).map_err(|error| error.to_string()),
            Err(_) => Err(format!("{} failed with an internal error; try another way", call.name)),
        },
        () = overdue => Err("interrupted by the user".to_owned()),
    }
}
