//! Anthropic Messages (`POST /v1/messages`).

mod body;
mod decoder;

use std::sync::Arc;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::auth::Credential;
use super::wire::{CallIds, Decoder, Mode, WireForm};
use super::{Request, catalog};

/// The form at one endpoint.
pub(super) struct Anthropic {
    provider: String,
    /// At other hosts the key goes into both usual headers.
    is_vendor: bool,
}

impl Anthropic {
    pub(super) fn new(provider: &str, base_url: &str) -> Self {
        Self { provider: provider.to_owned(), is_vendor: catalog::host(base_url).ends_with("anthropic.com") }
    }

    /// Where an answer of this model comes from; its signatures go back only there.
    fn origin(&self, model: &str) -> String {
        format!("{}/{model}", self.provider)
    }
}

impl WireForm for Anthropic {
    fn url(&self, base_url: &str, _: &Request<'_>, _: Mode) -> String {
        // Both habits of writing the base are common.
        format!("{}/v1/messages", base_url.strip_suffix("/v1").unwrap_or(base_url))
    }

    fn headers(&self, key: Option<&Credential>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static("anthropic-version"), HeaderValue::from_static("2023-06-01"));
        let Some(key) = key else { return headers };
        let mut add = |name, value: String| {
            if let Ok(mut value) = HeaderValue::try_from(value) {
                value.set_sensitive(true);
                headers.insert(HeaderName::from_static(name), value);
            }
        };
        if !key.is_token() {
            add("x-api-key", key.secret.expose().to_owned());
        }
        if key.is_token() || !self.is_vendor {
            add("authorization", format!("Bearer {}", key.secret.expose()));
        }
        headers
    }

    fn body(&self, request: &Request<'_>, mode: Mode, omitted: &[&'static str]) -> String {
        let origin = self.origin(request.model);
        body::build(request, mode, omitted, &origin, &Arc::from(format!("anthropic {origin}")))
    }

    fn optional_fields(&self) -> &'static [&'static str] {
        &["cache_control"]
    }

    fn decoder(&self, request: &Request<'_>) -> Box<dyn Decoder> {
        Box::new(decoder::AnthropicDecoder::new(self.origin(request.model), CallIds::of(request.messages)))
    }
}
