//! The sentence that a person reads when a model call fails: what happened, at which server and model,
//! and what to do. Keys are taken out of whatever a server echoes.

use super::auth::Secret;
use super::error::{ErrorKind, ProviderError};

/// Keys shorter than this are placeholders for servers that want none, in bytes.
const SHORTEST_SECRET: usize = 6;

/// The call that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// The provider's name.
    pub(super) provider: &'a str,
    /// The model asked for.
    pub(super) model: &'a str,
    /// The address posted to.
    pub(super) url: &'a str,
    /// Where the key came from, if one was sent.
    pub(super) key_source: Option<&'a str>,
    /// Where a key would have been looked for.
    pub(super) key_names: &'a [&'static str],
}

/// Turns what the server said into a whole message.
pub(super) fn explain(mut error: ProviderError, call: &Call<'_>, secrets: &[&Secret]) -> ProviderError {
    let said = one_line(&redact(error.message.trim().trim_end_matches('.'), secrets));
    error.message = redact(&sentence(&error, &said, call), secrets);
    error
}

/// The text with every secret in it replaced.
pub(super) fn redact(text: &str, secrets: &[&Secret]) -> String {
    let mut text = text.to_owned();
    // A placeholder of a few letters is no secret, and would be found in every other word.
    for secret in secrets.iter().filter(|secret| secret.expose().len() >= SHORTEST_SECRET) {
        text = text.replace(secret.expose(), "[key]");
    }
    text
}

/// The text on one line, without control characters, cut where no person reads on.
fn one_line(text: &str) -> String {
    const MOST: usize = 800;
    let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        line.push('…');
    }
    line
}

fn sentence(error: &ProviderError, said: &str, call: &Call<'_>) -> String {
    let Call { provider, model, url, .. } = call;
    let status = error.status.map(|status| format!(" ({status})")).unwrap_or_default();
    let quoted = if said.is_empty() { "no reason was given" } else { said };
    match error.kind {
        ErrorKind::Auth => format!("{provider} refused {}{status}: {quoted}. {}", key(call), key_advice(call)),
        ErrorKind::Permission => format!(
            "{provider} does not let {} use {model}{status}: {quoted}. Check what the key may do, or choose another model.",
            key(call)
        ),
        ErrorKind::NotFound => format!(
            "{provider} found no model \"{model}\", or nothing is at {url}{status}: {quoted}. Check the model's name and the base URL."
        ),
        ErrorKind::Billing => format!(
            "{provider} has no credit left for {model}{status}: {quoted}. Check the account's plan and balance; trying again will not help."
        ),
        ErrorKind::RateLimit => {
            format!("{provider} limits the rate of requests to {model}{status}: {quoted}.{}", wait(error))
        }
        ErrorKind::Overloaded => {
            format!("{provider} is overloaded and cannot run {model} now{status}: {quoted}.{}", wait(error))
        }
        ErrorKind::Server => format!("{provider} failed to answer for {model}{status}: {quoted}.{}", wait(error)),
        ErrorKind::ContextOverflow => format!(
            "The conversation is longer than {model} at {provider} takes{status}: {quoted}. Compact it (/compact) or start anew."
        ),
        ErrorKind::TooLarge => format!(
            "The request is larger than {provider} takes{status}: {quoted}. Images and long tool results are the usual cause."
        ),
        ErrorKind::ContentFilter => {
            format!("A content filter at {provider} refused the request{status}: {quoted}. Word it differently.")
        }
        ErrorKind::InvalidRequest => format!("{provider} refused the request for {model}{status}: {quoted}."),
        ErrorKind::MalformedToolCall => {
            format!("{model} at {provider} wrote a tool call that the server could not read{status}: {quoted}.")
        }
        ErrorKind::EmptyResponse => {
            format!("{provider} sent an answer without any content for {model}. Trying again may help.")
        }
        ErrorKind::StreamCut => format!("The answer of {model} at {provider} broke off before its end: {quoted}."),
        ErrorKind::BadStream => {
            format!("{provider} sent something that is no answer of its API, from {url}: {quoted}.")
        }
        ErrorKind::Network | ErrorKind::Timeout => {
            let asked =
                if error.status.is_some() { format!("{provider}{status}: {quoted}") } else { quoted.to_owned() };
            format!("{asked}.")
        }
    }
}

fn key(call: &Call<'_>) -> String {
    call.key_source.map_or_else(|| "a request without a key".to_owned(), |source| format!("the key from {source}"))
}

fn key_advice(call: &Call<'_>) -> String {
    match (call.key_source, call.key_names) {
        (Some(source), _) => format!("Check the value of {source}, and that it belongs to {}.", call.url),
        (None, []) => format!("Set BAREAGENT_API_KEY to a key for {}.", call.url),
        (None, names) => format!("Set {} to your key.", names.join(" or ")),
    }
}

fn wait(error: &ProviderError) -> String {
    match error.retry_after {
        Some(wait) if error.retryable => format!(" It asks to wait {}.", humantime::format_duration(round(wait))),
        _ if error.retryable => " Trying again later may help.".to_owned(),
        _ => String::new(),
    }
}

/// Whole seconds above one second; a person needs no more.
fn round(wait: std::time::Duration) -> std::time::Duration {
    if wait.as_secs() == 0 { wait } else { std::time::Duration::from_secs(wait.as_secs_f64().ceil() as u64) }
}
