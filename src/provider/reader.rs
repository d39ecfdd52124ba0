//! Reads the body of an answer with status 200: an event stream, or what a server sends instead of
//! one (a whole answer, an error object, a web page). The first character tells which.

use std::time::Duration;

use tokio::time::timeout;

use super::error::{ErrorKind, ProviderError};
use super::http::Timeouts;
use super::wire::{Decoder, Mode, Progress};
use super::{Delta, DeltaSink, Response, catalog, classify, json, network, sse};
use crate::event::Phase;

/// How long after a whole answer token counts may still come.
const SETTLE: Duration = Duration::from_secs(2);
/// How long the body's end is waited for after the last event, so that the connection can be used again.
const DRAIN: Duration = Duration::from_millis(100);
/// More than any answer: what holds this much in one event or one object is not read further.
const MOST: usize = 64 * 1024 * 1024;

/// An answer to be read.
pub(super) struct Reader<'a> {
    pub(super) answer: reqwest::Response,
    pub(super) decoder: Box<dyn Decoder>,
    pub(super) limits: &'a Timeouts,
    pub(super) mode: Mode,
    pub(super) name: &'a str,
}

/// How the reading of a stream ended.
enum End {
    /// The terminal event came.
    Terminal,
    /// The body ended, or broke off with this error.
    Body(Option<ProviderError>),
}

/// What the first character of a body says.
enum Form {
    Events,
    Json,
    Html,
}

impl Reader<'_> {
    pub(super) async fn read(mut self, out: DeltaSink<'_>) -> Result<Response, ProviderError> {
        let mut start = Vec::new();
        let form = loop {
            let limit = self.limits.first_byte_in(self.mode);
            match timeout(limit, self.answer.chunk()).await {
                Err(_) => return Err(self.no_answer(limit)),
                Ok(Err(error)) => return Err(network::broken(&error)),
                Ok(Ok(None)) => break Form::Events,
                Ok(Ok(Some(bytes))) => start.extend_from_slice(&bytes),
            }
            if let Some(form) = sniff(&start) {
                break form;
            }
        };
        out(Delta::Phase(Phase::Streaming));
        match form {
            Form::Events => self.events(start, out).await,
            Form::Json => self.whole(start, out).await,
            Form::Html => Err(self.web_page(start).await),
        }
    }

    fn no_answer(&self, limit: Duration) -> ProviderError {
        network::no_answer(self.name, &catalog::shown_url(self.answer.url().as_str()), limit)
    }

    async fn events(mut self, start: Vec<u8>, out: DeltaSink<'_>) -> Result<Response, ProviderError> {
        let mut count = 0;
        let end = self.follow(start, &mut count, out).await;
        let usage = self.decoder.usage();
        let finished = match end {
            Ok(End::Terminal) => {
                self.drain().await;
                self.decoder.finish(out)
            }
            Ok(End::Body(None)) => self.decoder.finish(out),
            // Whole before it broke is whole.
            Ok(End::Body(Some(error))) => self.decoder.finish(out).map_err(|_| error),
            Err(error) => {
                // What was held back is shown; the answer itself is lost.
                let _ = self.decoder.finish(out);
                Err(error)
            }
        };
        finished.map_err(|mut error| {
            error.usage = usage;
            error.try_without_stream = count == 0 && error.kind == ErrorKind::BadStream;
            error
        })
    }

    /// Feeds events to the decoder until the answer ends in some way. `count` counts those that were read.
    async fn follow(&mut self, start: Vec<u8>, count: &mut u32, out: DeltaSink<'_>) -> Result<End, ProviderError> {
        let mut parser = sse::Parser::default();
        let mut progress = Progress::More;
        let mut pending = Vec::new();
        parser.push(&start, |event| pending.push(event));
        loop {
            for event in pending.drain(..) {
                progress = self.event(&event, progress, count, out)?;
                if progress == Progress::Done {
                    return Ok(End::Terminal);
                }
            }
            if parser.held() > MOST {
                return Err(ProviderError::new(ErrorKind::BadStream, "one event grew beyond all bounds"));
            }
            let limit = if progress == Progress::Complete { SETTLE } else { self.limits.idle };
            let end = match timeout(limit, self.answer.chunk()).await {
                Ok(Ok(Some(bytes))) => {
                    parser.push(&bytes, |event| pending.push(event));
                    continue;
                }
                Ok(Ok(None)) => None,
                Ok(Err(error)) => Some(network::broken(&error)),
                Err(_) => Some(network::stalled(self.name, limit)),
            };
            // An event without its blank line counts if its data is complete.
            if let Some(event) = parser.finish()
                && (event.data.trim() == "[DONE]" || json::parse(event.data.trim()).is_ok())
            {
                self.event(&event, progress, count, out)?;
            }
            return Ok(End::Body(end));
        }
    }

    fn event(
        &mut self,
        event: &sse::Event,
        progress: Progress,
        count: &mut u32,
        out: DeltaSink<'_>,
    ) -> Result<Progress, ProviderError> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.decoder.end_marker();
            return Ok(Progress::Done);
        }
        if !data.starts_with(['{', '[']) {
            // A keep-alive.
            return Ok(progress);
        }
        let value = json::parse(data).map_err(|error| {
            let shown: String = data.chars().take(80).collect();
            ProviderError::new(ErrorKind::BadStream, format!("an event is not valid JSON ({error}): {shown}"))
        })?;
        let progress = self.decoder.event(event.name.as_deref(), &value, out);
        *count += 1;
        progress
    }

    /// A whole answer in one piece, or an error object.
    async fn whole(mut self, body: Vec<u8>, out: DeltaSink<'_>) -> Result<Response, ProviderError> {
        let body = self.rest(body).await?;
        let text = String::from_utf8_lossy(&body);
        let read = json::parse(text.trim_start_matches('\u{feff}').trim())
            .map_err(|error| ProviderError::new(ErrorKind::BadStream, format!("the answer is not valid JSON: {error}")))
            .and_then(|value| match classify::is_error(&value) {
                true => Err(classify::object(&value)),
                false => self.decoder.whole(&value, out),
            });
        match read {
            Ok(()) => self.decoder.finish(out),
            Err(mut error) => {
                error.try_without_stream = error.kind == ErrorKind::BadStream;
                Err(error)
            }
        }
    }

    /// A proxy's page, or that of whatever listens at a wrong address.
    async fn web_page(&mut self, start: Vec<u8>) -> ProviderError {
        let page = self.rest(start).await.unwrap_or_default();
        let shown = classify::plain_text(&String::from_utf8_lossy(&page));
        let text =
            format!("the address answered with a web page, not as an API; check the base URL. The page says: {shown}");
        ProviderError { retryable: false, ..ProviderError::new(ErrorKind::BadStream, text) }
    }

    async fn rest(&mut self, mut body: Vec<u8>) -> Result<Vec<u8>, ProviderError> {
        loop {
            match timeout(self.limits.idle, self.answer.chunk()).await {
                Err(_) => return Err(network::stalled(self.name, self.limits.idle)),
                Ok(Err(error)) => return Err(network::broken(&error)),
                Ok(Ok(None)) => return Ok(body),
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
            }
            if body.len() > MOST {
                return Err(ProviderError::new(ErrorKind::BadStream, "the answer grew beyond all bounds"));
            }
        }
    }

    /// Reads to the body's end, but does not wait long for it.
    async fn drain(&mut self) {
        let _ = timeout(DRAIN, async { while let Ok(Some(_)) = self.answer.chunk().await {} }).await;
    }
}

/// What a body is, as soon as it can be told.
fn sniff(start: &[u8]) -> Option<Form> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    match start.first()? {
        b'{' | b'[' => Some(Form::Json),
        b'<' => Some(Form::Html),
        _ => Some(Form::Events),
    }
}
