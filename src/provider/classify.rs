//! What an error answer means: from status, headers and body, or from an error object inside a stream,
//! to a [`ProviderError`] whose message is what the server said. `explain.rs` makes the sentence of it.

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::error::{ErrorKind, ProviderError};
use super::{json, retry_after};

/// Classifies an answer with an error status.
pub(super) fn response(status: u16, headers: &HeaderMap, body: &str) -> ProviderError {
    let value = json::parse(body.trim()).unwrap_or(Value::Null);
    let mut said = Said::read(&value);
    if said.message.is_empty() {
        said.message = plain_text(body);
    }
    let mut error = ProviderError::new(kind(Some(status), &said), said.message.clone());
    error.status = Some(status);
    match headers.get("x-should-retry").and_then(|value| value.to_str().ok()) {
        Some("true") if !is_final(error.kind) => error.retryable = true,
        Some("false") => error.retryable = false,
        _ => {}
    }
    if error.retryable {
        error.retry_after = retry_after::read(Some(headers), &value, &said.message);
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let id = header("request-id").or_else(|| header("x-request-id"));
    if let Some(id) = id.or_else(|| json::text(&value["request_id"]).map(str::to_owned)) {
        error.message.push_str(&format!(" [request {id}]"));
    }
    error
}

/// Classifies an error object that came with status 200: in a stream, or instead of an answer.
pub(super) fn object(value: &Value) -> ProviderError {
    let said = Said::read(value);
    let mut error = ProviderError::new(kind(None, &said), said.message.clone());
    if error.retryable {
        error.retry_after = retry_after::read(None, value, &said.message);
    }
    error
}

/// Whether an answer with status 200 is an error object.
pub(super) fn is_error(value: &Value) -> bool {
    let present = match &value["error"] {
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    };
    present || value["object"] == "error" || value["type"] == "error"
}

/// Failures that no later attempt mends, whatever a header says.
fn is_final(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Billing | ErrorKind::ContextOverflow | ErrorKind::TooLarge | ErrorKind::ContentFilter)
}

/// What an error object says, wherever it says it.
#[derive(Debug, Default)]
struct Said {
    message: String,
    /// Types, codes and states, in lower case.
    names: Vec<String>,
    /// All of it in lower case, for texts.
    text: String,
}

impl Said {
    fn read(value: &Value) -> Self {
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let error = &value["error"];
        let message = [&error["message"], error, &value["message"], &value["detail"], &value["msg"]];
        let message = message.into_iter().filter(|field| !field.is_object() || is_detail(field)).map(sentence);
        let mut message = message.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        // A router's "Provider returned error" says less than what the provider said.
        if let Some(raw) = json::text(&error["metadata"]["raw"]) {
            message = format!("{message}: {}", plain_text(raw));
        }
        let mut names = Vec::new();
        for holder in [error, value] {
            let fields = ["type", "code", "status", "status_code", "error_type"].map(|key| &holder[key]);
            names.extend(fields.into_iter().chain([&holder["metadata"]["error_type"]]).filter_map(name));
            let details = holder["details"].as_array().into_iter().flatten();
            names.extend(details.filter_map(|detail| name(&detail["reason"])));
        }
        if !error["failed_generation"].is_null() {
            names.push("tool_use_failed".to_owned());
        }
        let text = message.to_lowercase();
        Self { message, names, text }
    }

    fn is(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(&name.as_str()))
    }

    fn says(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.text.contains(text))
    }

    /// A status given as a code in the object.
    fn status(&self) -> Option<u16> {
        self.names.iter().filter(|name| name.len() == 3).find_map(|name| name.parse().ok())
    }
}

/// A type or code, be it a string or a number.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_lowercase()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn is_detail(value: &Value) -> bool {
    value["detail"].is_array() || value["detail"].is_string()
}

/// A message that may be a string, or a list of what is wrong with which field.
fn sentence(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) => {
            items.iter().map(sentence).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
        }
        Value::Object(_) if is_detail(value) => sentence(&value["detail"]),
        Value::Object(_) => {
            let place = value["loc"].as_array().map(|path| path.iter().filter_map(name).collect::<Vec<_>>().join("."));
            let said = value["msg"].as_str().or(value["message"].as_str()).unwrap_or_default();
            place.map_or_else(|| said.to_owned(), |place| format!("{place}: {said}"))
        }
        _ => String::new(),
    }
}

/// The first 300 characters of a body that is no JSON, without tags.
pub(super) fn plain_text(body: &str) -> String {
    let mut text = String::new();
    let mut in_tag = false;
    for character in body.chars() {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                text.push(' ');
            }
            _ if !in_tag => text.push(character),
            _ => {}
        }
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().take(300).collect()
}

fn kind(status: Option<u16>, said: &Said) -> ErrorKind {
    let failed_generation = ["tool_use_failed", "malformed_function_call"];
    if said.is(&failed_generation) || said.says(&["failed to call a function"]) {
        return ErrorKind::MalformedToolCall;
    }
    // Never for a 429: "tokens per minute" is a rate.
    if status != Some(429) && is_overflow(said) {
        return ErrorKind::ContextOverflow;
    }
    if status == Some(413) || said.is(&["request_too_large"]) {
        return ErrorKind::TooLarge;
    }
    if status == Some(402) || is_billing(said) {
        return ErrorKind::Billing;
    }
    if said.is(&["content_filter", "data_inspection_failed", "content_policy_violation"]) {
        return ErrorKind::ContentFilter;
    }
    match status {
        Some(status) => by_status(status, said),
        None => {
            by_name(said).or_else(|| said.status().map(|status| by_status(status, said))).unwrap_or(ErrorKind::Server)
        }
    }
}

fn by_status(status: u16, said: &Said) -> ErrorKind {
    match status {
        401 => ErrorKind::Auth,
        402 => ErrorKind::Billing,
        403 => ErrorKind::Permission,
        404 => ErrorKind::NotFound,
        408 | 504 => ErrorKind::Timeout,
        409 | 425 => ErrorKind::Server,
        413 => ErrorKind::TooLarge,
        429 => ErrorKind::RateLimit,
        503 | 529 => ErrorKind::Overloaded,
        500..=599 if is_template_error(said) => ErrorKind::InvalidRequest,
        500..=599 => match by_name(said) {
            Some(ErrorKind::Overloaded) => ErrorKind::Overloaded,
            Some(ErrorKind::RateLimit) => ErrorKind::RateLimit,
            _ => ErrorKind::Server,
        },
        _ => match by_name(said) {
            Some(named @ (ErrorKind::Auth | ErrorKind::NotFound | ErrorKind::Permission)) => named,
            Some(ErrorKind::RateLimit) => ErrorKind::RateLimit,
            Some(ErrorKind::Overloaded) => ErrorKind::Overloaded,
            _ => ErrorKind::InvalidRequest,
        },
    }
}

/// Types and codes, for errors without a status.
fn by_name(said: &Said) -> Option<ErrorKind> {
    let table: [(&[&str], ErrorKind); 9] = [
        (
            &[
                "overloaded_error",
                "overloaded",
                "unavailable",
                "server_is_overloaded",
                "slow_down",
                "service_unavailable_error",
                "engine_overloaded_error",
                "provider_overloaded",
            ],
            ErrorKind::Overloaded,
        ),
        (
            &[
                "rate_limit_error",
                "rate_limit_exceeded",
                "resource_exhausted",
                "too_many_requests",
                "1302",
                "1303",
                "1305",
            ],
            ErrorKind::RateLimit,
        ),
        (&["timeout_error", "deadline_exceeded"], ErrorKind::Timeout),
        (&["authentication_error", "invalid_api_key", "unauthenticated", "api_key_invalid"], ErrorKind::Auth),
        (&["permission_error", "permission_denied"], ErrorKind::Permission),
        (&["not_found_error", "model_not_found", "not_found"], ErrorKind::NotFound),
        (
            &["api_error", "server_error", "internal", "internal_server_error", "provider_unavailable"],
            ErrorKind::Server,
        ),
        (&["billing_error"], ErrorKind::Billing),
        (&["invalid_request_error", "invalid_argument", "badrequesterror"], ErrorKind::InvalidRequest),
    ];
    if said.says(&["stream closed before response.completed"]) {
        return Some(ErrorKind::StreamCut);
    }
    let named = table.iter().find(|(names, _)| said.is(names)).map(|(_, kind)| *kind);
    let loading = said.says(&["loading model", "model is loading", "overloaded"]);
    match named {
        Some(ErrorKind::Server) | None if loading => Some(ErrorKind::Overloaded),
        other => other,
    }
}

/// The texts by which servers say that the conversation is too long.
fn is_overflow(said: &Said) -> bool {
    let names = ["context_length_exceeded", "exceed_context_size_error", "1261"];
    let texts = [
        "prompt is too long",
        "exceed context limit",
        "maximum context length",
        "exceeds the context window",
        "maximum prompt length is",
        "reduce the length of the messages",
        "exceeded model token limit",
        "prompt exceeds max length",
        "range of input length should be",
        "context window exceeds limit",
        "exceeds the available context size",
        "greater than the context length",
        "context size has been exceeded",
        "input is too long for requested model",
    ];
    let pairs = [
        ("input token count", "exceeds the maximum"),
        ("trying to keep the first", "context"),
        ("prompt token count of", "exceeds the limit"),
    ];
    said.is(&names) || said.says(&texts) || pairs.iter().any(|(a, b)| said.says(&[a]) && said.says(&[b]))
}

/// An empty account. "Exceeded your current quota" counts only with the exact code: others use the
/// same words for a limit per minute.
fn is_billing(said: &Said) -> bool {
    said.is(&["billing_error", "insufficient_quota", "usage_limit_reached", "arrearage", "insufficient_balance"])
        || said.says(&["credit balance is too low", "insufficient balance", "insufficient account balance"])
        || said.says(&["account is in arrears", "in good standing", "insufficient credits"])
}

/// A local server's chat template that cannot take the request; it answers with status 500.
fn is_template_error(said: &Said) -> bool {
    said.says(&["chat template", "jinja", "roles must alternate", "system message must be at the beginning"])
}
