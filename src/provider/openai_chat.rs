//! OpenAI Chat Completions (`POST {base}/chat/completions`), as OpenAI and two dozen compatible servers
//! speak it. How they differ when asked is in the catalog's dialects; how they differ when they answer
//! is read the same way for all.

mod body;
mod calls;
mod decoder;
mod details;
mod text_calls;
mod think;
mod usage;

use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use super::auth::Credential;
use super::catalog::{self, Dialect};
use super::wire::{CallIds, Decoder, Mode, WireForm};
use super::{Request, ToolSpec};

/// The form at one endpoint.
pub(super) struct OpenAiChat {
    provider: String,
    dialect: Dialect,
    is_azure: bool,
}

impl OpenAiChat {
    pub(super) fn new(provider: &str, base_url: &str) -> Self {
        let dialect = catalog::dialect(provider, base_url);
        let is_azure = catalog::host(base_url).ends_with(".openai.azure.com");
        Self { provider: provider.to_owned(), dialect, is_azure }
    }

    /// Where an answer of this model comes from; its reasoning goes back only there.
    fn origin(&self, model: &str) -> String {
        format!("{}/{model}", self.provider)
    }
}

impl WireForm for OpenAiChat {
    fn url(&self, base_url: &str, _: &Request<'_>, _: Mode) -> String {
        // Azure's older addresses carry a query.
        match base_url.split_once('?') {
            Some((path, query)) => format!("{}/chat/completions?{query}", path.trim_end_matches('/')),
            None => format!("{base_url}/chat/completions"),
        }
    }

    fn headers(&self, key: Option<&Credential>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let Some(key) = key else { return headers };
        let (name, value) = match self.is_azure {
            true => (HeaderName::from_static("api-key"), key.secret.expose().to_owned()),
            false => (AUTHORIZATION, format!("Bearer {}", key.secret.expose())),
        };
        if let Ok(mut value) = HeaderValue::try_from(value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        headers
    }

    fn body(&self, request: &Request<'_>, mode: Mode, omitted: &[&'static str]) -> String {
        let origin = self.origin(request.model);
        let form = Arc::from(format!("openai-chat {origin}"));
        body::Body { dialect: &self.dialect, origin: &origin, omitted }.build(request, mode, &form)
    }

    fn optional_fields(&self) -> &'static [&'static str] {
        &["stream_options", "max_completion_tokens", "max_tokens", "tool_stream", "reasoning_content"]
    }

    fn decoder(&self, request: &Request<'_>) -> Box<dyn Decoder> {
        let offered = |tools: &[ToolSpec]| tools.iter().map(|tool| tool.name.clone()).collect();
        let text_tools = if self.dialect.calls_in_text { offered(request.tools) } else { Vec::new() };
        let ids = CallIds::of(request.messages);
        Box::new(decoder::ChatDecoder::new(self.origin(request.model), ids, text_tools))
    }
}
