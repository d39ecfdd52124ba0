//! Failures below HTTP, in words: no such host, refused, reset, a certificate, a limit that ran out.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::catalog;
use super::error::{ErrorKind, ProviderError};

/// The connection did not stand in time.
pub(super) fn no_connection(name: &str, url: &str, limit: Duration) -> ProviderError {
    timed_out(format!(
        "No connection to {name} at {url} within {} (timeouts.connect). Check the network, the proxy settings and the base URL",
        seconds(limit)
    ))
}

/// The request went out, and no byte came back in time.
pub(super) fn no_answer(name: &str, url: &str, limit: Duration) -> ProviderError {
    timed_out(format!(
        "{name} at {url} took the request but sent no byte of an answer within {} (timeouts.first_byte)",
        seconds(limit)
    ))
}

/// The answer stopped coming.
pub(super) fn stalled(name: &str, limit: Duration) -> ProviderError {
    timed_out(format!(
        "{name} stopped in the middle of its answer: nothing came for {} (timeouts.idle)",
        seconds(limit)
    ))
}

fn timed_out(text: String) -> ProviderError {
    ProviderError::new(ErrorKind::Timeout, text)
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

/// The request could not be sent, or no answer came to it.
pub(super) fn failed(name: &str, url: &str, error: &reqwest::Error) -> ProviderError {
    let host = catalog::host(url);
    let cause = cause(error);
    // No later attempt meets another certificate.
    let retryable = !matches!(cause, Cause::Certificate(_));
    let text = match cause {
        Cause::UnknownHost => {
            format!("Cannot find the host {host} of {name} ({url}). Check the base URL and the network")
        }
        Cause::Certificate(said) => format!(
            "The certificate of {name} at {host} is not trusted: {said}. Behind a proxy with its own authority, name its certificate file in SSL_CERT_FILE"
        ),
        Cause::Refused => format!(
            "Cannot connect to {name} at {url}: the connection was refused. Check that the server runs there and that the base URL is right"
        ),
        Cause::Broken => format!("{name} at {url} closed the connection without an answer"),
        Cause::Other(said) if error.is_connect() => format!("Cannot connect to {name} at {url}: {said}"),
        Cause::Other(said) => format!("The request to {name} at {url} failed: {said}"),
    };
    ProviderError { retryable, ..ProviderError::new(ErrorKind::Network, text) }
}

/// The connection broke while the answer came.
pub(super) fn broken(error: &reqwest::Error) -> ProviderError {
    let said = match cause(error) {
        Cause::Broken => "the connection was closed".to_owned(),
        _ => innermost(error),
    };
    ProviderError::new(ErrorKind::StreamCut, said)
}

enum Cause {
    UnknownHost,
    Certificate(String),
    Refused,
    Broken,
    Other(String),
}

fn cause(error: &reqwest::Error) -> Cause {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if text.contains("dns error") || text.contains("failed to lookup address") {
            return Cause::UnknownHost;
        }
        // The TLS library's own words; its error lies inside nested I/O errors.
        if let Some((_, said)) = text.split_once("invalid peer certificate: ") {
            return Cause::Certificate(said.to_owned());
        }
        if let Some(io) = error.downcast_ref::<io::Error>() {
            match io.kind() {
                io::ErrorKind::ConnectionRefused => return Cause::Refused,
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof => return Cause::Broken,
                _ => {}
            }
        }
        // The HTTP library's own words for a peer that left.
        if text.contains("connection closed before message completed") || text.contains("unexpected EOF") {
            return Cause::Broken;
        }
        next = error.source();
    }
    Cause::Other(innermost(error))
}

/// The words of the last error in the chain, which say most.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(next) = last.source() {
        last = next;
    }
    last.to_string()
}
