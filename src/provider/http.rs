//! One model call over HTTP, for every wire form: post, wait for each named phase within its limit,
//! read the stream (or what came instead of one), and say in words what went wrong.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::auth::{Credential, Secret};
use super::error::{ErrorKind, ProviderError};
use super::explain::{Call, explain};
use super::reader::Reader;
use super::wire::{Mode, WireForm};
use super::{Delta, DeltaSink, Endpoint, Provider, Request, Response, catalog, classify, client, network};
use crate::event::Phase;

/// How long each phase of a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands, name look-up and TLS included.
    pub connect: Duration,
    /// From there until the answer's first byte. An answer in one piece is written whole before its
    /// first byte, so it may take five times as long.
    pub first_byte: Duration,
    /// Between two reads of the answer. Keep-alives count as reads.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(10), first_byte: seconds(120), idle: seconds(90) }
    }
}

impl Timeouts {
    pub(super) fn first_byte_in(&self, mode: Mode) -> Duration {
        match mode {
            Mode::Stream => self.first_byte,
            Mode::OnePiece => self.first_byte * 5,
        }
    }
}

/// A provider at some address, speaking some wire form.
pub(super) struct HttpProvider {
    endpoint: Endpoint,
    form: Box<dyn WireForm>,
    key_names: &'static [&'static str],
    client: OnceLock<Result<reqwest::Client, String>>,
    /// Fields that this server has refused; they are left out from then on.
    omitted: Mutex<Vec<&'static str>>,
}

impl HttpProvider {
    pub(super) fn new(mut endpoint: Endpoint, form: Box<dyn WireForm>) -> Self {
        endpoint.base_url = endpoint.base_url.trim().trim_end_matches('/').to_owned();
        endpoint.credential = endpoint.credential.filter(|key| !key.secret.expose().is_empty());
        let key_names = catalog::find(&endpoint.name).map_or(&[][..], |row| row.key_env);
        Self { endpoint, form, key_names, client: OnceLock::new(), omitted: Mutex::new(Vec::new()) }
    }

    /// A call, asked again without the fields that the server says it does not know.
    async fn call(&self, request: Request<'_>, mode: Mode, out: DeltaSink<'_>) -> Result<Response, ProviderError> {
        // What fails on this side is said as it is; what the server says is explained at the end.
        let (client, headers) = (self.client()?, self.headers(mode)?);
        let known = self.omitted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut omitted = known.clone();
        let result = loop {
            let result = self.attempt(&request, mode, client, &headers, &omitted, out).await;
            let refused = result.as_ref().err().and_then(|error| self.refused_field(error, &request, mode, &omitted));
            match refused {
                Some(field) => omitted.push(field),
                None => break result,
            }
        };
        // Only what helped is remembered.
        let helped = !matches!(&result, Err(error) if error.kind == ErrorKind::InvalidRequest);
        if helped && omitted.len() > known.len() {
            let fields = omitted[known.len()..].join(", ");
            out(Delta::Notice(format!("{} does not know {fields}; it is asked without.", self.endpoint.name)));
            *self.omitted.lock().unwrap_or_else(PoisonError::into_inner) = omitted;
        }
        result.map_err(|error| self.explain(error, &request, mode))
    }

    /// The optional field that a refusal is about, if it was sent.
    fn refused_field(
        &self,
        error: &ProviderError,
        request: &Request<'_>,
        mode: Mode,
        omitted: &[&'static str],
    ) -> Option<&'static str> {
        let words = ["unsupported", "not support", "unknown", "unrecognized", "unexpected", "extra", "not permitted"];
        let more_words = ["not allowed", "invalid field", "no such field", "not recognized", "unknown field"];
        let said = error.message.to_lowercase();
        let is_refusal = error.kind == ErrorKind::InvalidRequest
            && matches!(error.status, Some(400 | 422))
            && words.iter().chain(&more_words).any(|word| said.contains(word));
        if !is_refusal {
            return None;
        }
        let body = self.form.body(request, mode, omitted);
        let was_sent = |field: &&&str| body.contains(&format!("\"{field}\":"));
        // The field that is named first: "max_tokens is not supported, use max_completion_tokens".
        let named = self.form.optional_fields().iter().filter(|field| !omitted.contains(field)).filter(was_sent);
        named.filter_map(|field| Some((said.find(field)?, *field))).min().map(|(_, field)| field)
    }

    async fn attempt(
        &self,
        request: &Request<'_>,
        mode: Mode,
        client: &reqwest::Client,
        headers: &HeaderMap,
        omitted: &[&'static str],
        out: DeltaSink<'_>,
    ) -> Result<Response, ProviderError> {
        let url = self.form.url(&self.endpoint.base_url, request, mode);
        let body = self.form.body(request, mode, omitted);
        let limits = &self.endpoint.timeouts;
        let post = client.post(&url).headers(headers.clone());
        let answer = self.post(post, &url, body, mode, out).await?;
        if !answer.status().is_success() {
            return Err(refusal(answer, limits.idle).await);
        }
        let reader = Reader { answer, decoder: self.form.decoder(request), limits, mode, name: &self.endpoint.name };
        reader.read(out).await
    }

    /// Posts the request and waits for the answer's headers.
    async fn post(
        &self,
        post: reqwest::RequestBuilder,
        url: &str,
        body: String,
        mode: Mode,
        out: DeltaSink<'_>,
    ) -> Result<reqwest::Response, ProviderError> {
        let length = body.len();
        // The body is asked for when the connection stands: that is how the end of connecting is known.
        let (connected, mut on_connected) = oneshot::channel();
        let body = futures::stream::once(async move {
            let _ = connected.send(());
            Ok::<_, std::convert::Infallible>(body.into_bytes())
        });
        let sent = post.header(CONTENT_LENGTH, length).body(reqwest::Body::wrap_stream(body)).send();
        let mut sent = std::pin::pin!(sent);
        let limits = &self.endpoint.timeouts;
        let name = &self.endpoint.name;
        let url = catalog::shown_url(url);
        let url = url.as_str();
        out(Delta::Phase(Phase::Connecting));
        let connecting = timeout(limits.connect, async {
            tokio::select! {
                biased;
                answer = &mut sent => Some(answer),
                _ = &mut on_connected => None,
            }
        });
        let early = connecting.await.map_err(|_| network::no_connection(name, url, limits.connect))?;
        out(Delta::Phase(Phase::WaitingForModel));
        let answer = match early {
            Some(answer) => answer,
            None => {
                let limit = limits.first_byte_in(mode);
                timeout(limit, sent).await.map_err(|_| network::no_answer(name, url, limit))?
            }
        };
        answer.map_err(|error| network::failed(name, url, &error))
    }

    /// The client, set up at the first call.
    ///
    /// # Errors
    /// When the address is none, or the certificates cannot be read.
    fn client(&self) -> Result<&reqwest::Client, ProviderError> {
        let Endpoint { name, base_url, .. } = &self.endpoint;
        let fault = |text| ProviderError::new(ErrorKind::InvalidRequest, text);
        let url = catalog::shown_url(base_url);
        match reqwest::Url::parse(base_url) {
            Ok(parsed) if matches!(parsed.scheme(), "http" | "https") && parsed.has_host() => {}
            Ok(_) => {
                return Err(fault(format!(
                    "The base URL {url} of {name} cannot be used: it must begin with http:// or https://."
                )));
            }
            Err(error) => return Err(fault(format!("The base URL \"{url}\" of {name} cannot be used: {error}."))),
        }
        self.client.get_or_init(|| client::build(base_url)).as_ref().map_err(|text| fault(text.clone()))
    }

    /// The headers of a request.
    ///
    /// # Errors
    /// When a key or one of the person's own headers cannot be sent; going on without it would only puzzle.
    fn headers(&self, mode: Mode) -> Result<HeaderMap, ProviderError> {
        let Endpoint { name: provider, credential, headers: own, .. } = &self.endpoint;
        let refuse = |kind, text: String| Err(ProviderError::new(kind, text));
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let accept = match mode {
            Mode::Stream => "text/event-stream",
            Mode::OnePiece => "application/json",
        };
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(Credential { secret, source }) = credential
            && HeaderValue::from_str(secret.expose()).is_err()
        {
            let text =
                format!("The key from {source} holds a character that cannot be sent to {provider}. Set it anew.");
            return refuse(ErrorKind::Auth, text);
        }
        headers.extend(self.form.headers(credential.as_ref()));
        for (name, value) in own {
            let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
                let text =
                    format!("The header \"{name}\" set for {provider} cannot be sent: its name or value is not valid.");
                return refuse(ErrorKind::InvalidRequest, text);
            };
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn explain(&self, error: ProviderError, request: &Request<'_>, mode: Mode) -> ProviderError {
        let credential = self.endpoint.credential.as_ref();
        let url = catalog::shown_url(&self.form.url(&self.endpoint.base_url, request, mode));
        let call = Call {
            provider: &self.endpoint.name,
            model: request.model,
            url: &url,
            key_source: credential.map(|Credential { source, .. }| source.as_str()),
            key_names: self.key_names,
        };
        // Headers of the person's own hold keys as often as not.
        let headers: Vec<Secret> = self.endpoint.headers.iter().map(|(_, value)| Secret::new(value)).collect();
        let long = headers.iter().filter(|value| value.expose().len() >= 8);
        let secrets: Vec<&Secret> = credential.map(|key| &key.secret).into_iter().chain(long).collect();
        let mut error = explain(error, &call, &secrets);
        error.try_without_stream &= mode == Mode::Stream;
        error
    }
}

/// An answer with an error status, classified.
async fn refusal(answer: reqwest::Response, idle: Duration) -> ProviderError {
    let status = answer.status().as_u16();
    let headers = answer.headers().clone();
    let mut error = match headers.get(LOCATION).and_then(|value| value.to_str().ok()) {
        Some(target) if (300..400).contains(&status) => ProviderError {
            status: Some(status),
            ..ProviderError::new(
                ErrorKind::InvalidRequest,
                format!("the address has moved to {target}; use that as the base URL"),
            )
        },
        _ => classify::response(status, &headers, &error_body(answer, idle).await),
    };
    // A server that cannot stream says so in one of these ways.
    error.try_without_stream =
        status == 501 || (error.kind == ErrorKind::InvalidRequest && matches!(status, 400 | 405 | 415 | 422));
    error
}

/// The body of an error: what of it comes in time, up to a size that no honest error has.
async fn error_body(mut answer: reqwest::Response, idle: Duration) -> String {
    const MOST: usize = 256 * 1024;
    let mut body = Vec::new();
    while let Ok(Ok(Some(bytes))) = timeout(idle, answer.chunk()).await {
        body.extend_from_slice(&bytes);
        if body.len() > MOST {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

impl Provider for HttpProvider {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn stream<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        self.call(request, Mode::Stream, on_delta).boxed()
    }

    fn create<'a>(
        &'a self,
        request: Request<'a>,
        on_delta: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<Response, ProviderError>> {
        async move {
            let mut quiet = |delta: Delta<'_>| {
                if !matches!(delta, Delta::Text(_) | Delta::Thinking(_)) {
                    on_delta(delta);
                }
            };
            self.call(request, Mode::OnePiece, &mut quiet).await
        }
        .boxed()
    }
}
