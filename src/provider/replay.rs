//! A recorded conversation: writing one from a run, and playing one in a model's place.
//!
//! A recording is a JSONL file: a header, then a line a model call with the tool results that came before it
//! and the answer. Playing it, the tools run for real; where their results differ from the recorded ones the
//! replay goes on and says where.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::{Delta, DeltaSink, ErrorKind, Provider, ProviderError, Request, Response};
use crate::message::{Message, StopReason, ToolResult, Usage};

/// The first line of a recording.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    bareagent_recording: u32,
    provider: String,
    model: String,
}

/// A line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Call {
    /// The tool results that the call answered.
    results: Vec<ToolResult>,
    message: Message,
    stop: StopReason,
    usage: Usage,
}

/// A recording that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read or written.
    #[error("recording {}: {source}", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line is not of a recording.
    #[error("recording {name}:{line}: not a line of a recording ({message})")]
    Line {
        /// Which file.
        name: String,
        /// Where, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// Plays a recording.
pub struct Replay {
    model: String,
    calls: Mutex<Playing>,
    volatile: Option<Regex>,
}

struct Playing {
    left: VecDeque<Call>,
    played: usize,
}

impl Replay {
    /// Reads a recording from a file.
    ///
    /// # Errors
    /// When it cannot be read or is no recording.
    pub fn open(path: &Path) -> Result<Self, ReplayError> {
        let text = fs::read_to_string(path).map_err(|source| ReplayError::Io { path: path.to_owned(), source })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// Reads a recording from text; `name` is for messages.
    ///
    /// # Errors
    /// When it is no recording.
    pub fn parse(name: &str, text: &str) -> Result<Self, ReplayError> {
        let bad = |index: usize, error: serde_json::Error| ReplayError::Line {
            name: name.to_owned(),
            line: index + 1,
            message: error.to_string(),
        };
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().unwrap_or_default();
        let header: Header = serde_json::from_str(first).map_err(|error| bad(0, error))?;
        let calls = lines
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(index, line)| serde_json::from_str(line).map_err(|error| bad(index, error)));
        let left = calls.collect::<Result<_, _>>()?;
        let playing = Playing { left, played: 0 };
        // Times differ from run to run; a difference in nothing else is none.
        let volatile = Regex::new(r"\b\d+(\.\d+)?\s?(ms|µs|s|seconds?)\b").ok();
        Ok(Self { model: header.model, calls: Mutex::new(playing), volatile })
    }

    /// The model that was recorded.
    pub fn model(&self) -> &str {
        &self.model
    }

    fn next(&self, request: &Request<'_>) -> Result<(Response, Option<String>), ProviderError> {
        let mut playing = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(call) = playing.left.pop_front() else {
            let message = format!("the recording is at its end after {} answers", playing.played);
            return Err(ProviderError::new(ErrorKind::InvalidRequest, message));
        };
        playing.played += 1;
        let difference = self.difference(&call.results, &last_results(request.messages));
        let notice = difference.map(|what| format!("replay: before answer {} {what}", playing.played));
        Ok((Response { message: call.message, stop: call.stop, usage: call.usage }, notice))
    }

    /// Where the results of this run differ from the recorded ones, in words.
    fn difference(&self, recorded: &[ToolResult], now: &[ToolResult]) -> Option<String> {
        if recorded.len() != now.len() {
            return Some(format!("there are {} tool results, the recording had {}", now.len(), recorded.len()));
        }
        let (index, (then, now)) =
            recorded.iter().zip(now).enumerate().find(|(_, (then, now))| !self.is_same(then, now))?;
        let (then, now) = (then.content.text(), now.content.text());
        let line =
            then.lines().zip(now.lines()).take_while(|(then, now)| self.steady(then) == self.steady(now)).count();
        let show = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").chars().take(80).collect::<String>();
        Some(format!(
            "tool result {} differs from the recording in line {}: \"{}\", recorded \"{}\"",
            index + 1,
            line + 1,
            show(&now),
            show(&then)
        ))
    }

    fn is_same(&self, then: &ToolResult, now: &ToolResult) -> bool {
        then.is_error == now.is_error && self.steady(&then.content.text()) == self.steady(&now.content.text())
    }

    fn steady(&self, text: &str) -> String {
        self.volatile.as_ref().map_or_else(|| text.to_owned(), |volatile| volatile.replace_all(text, "T").into_owned())
    }
}

impl Provider for Replay {
    fn name(&self) -> &str {
        "replay"
    }

    fn stream<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        async move {
            let (response, notice) = self.next(&request)?;
            if let Some(notice) = notice {
                on_delta(Delta::Notice(notice));
            }
            for word in response.message.text().split_inclusive(' ') {
                on_delta(Delta::Text(word));
            }
            Ok(response)
        }
        .boxed()
    }

    fn create<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        async move {
            let (response, notice) = self.next(&request)?;
            if let Some(notice) = notice {
                on_delta(Delta::Notice(notice));
            }
            Ok(response)
        }
        .boxed()
    }
}

/// Another provider, with its answers written to a recording as they come.
pub struct Recorder {
    inner: Box<dyn Provider>,
    file: Mutex<File>,
    path: PathBuf,
}

impl Recorder {
    /// Begins a recording at `path`; a file that is there is replaced.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, inner: Box<dyn Provider>, model: &str) -> Result<Self, ReplayError> {
        let header = Header { bareagent_recording: 1, provider: inner.name().to_owned(), model: model.to_owned() };
        let file = File::create(path).and_then(|mut file| write_line(&mut file, &header).map(|()| file));
        let file = file.map_err(|source| ReplayError::Io { path: path.to_owned(), source })?;
        Ok(Self { inner, file: Mutex::new(file), path: path.to_owned() })
    }

    fn write(&self, messages: &[Message], response: &Response, on_delta: DeltaSink<'_>) {
        let call = Call {
            results: last_results(messages),
            message: response.message.clone(),
            stop: response.stop,
            usage: response.usage,
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = write_line(&mut file, &call) {
            on_delta(Delta::Notice(format!("the recording {} cannot be written: {error}", self.path.display())));
        }
    }
}

impl Provider for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn stream<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        async move {
            let response = self.inner.stream(request, on_delta).await?;
            self.write(request.messages, &response, on_delta);
            Ok(response)
        }
        .boxed()
    }

    fn create<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        async move {
            let response = self.inner.create(request, on_delta).await?;
            self.write(request.messages, &response, on_delta);
            Ok(response)
        }
        .boxed()
    }
}

/// The tool results since the last answer.
fn last_results(messages: &[Message]) -> Vec<ToolResult> {
    let since =
        messages.iter().rposition(|message| message.role == crate::message::Role::Assistant).map_or(0, |at| at + 1);
    messages[since..].iter().flat_map(Message::tool_results).cloned().collect()
}

fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}
