//! How long a server asks to wait: headers first, then details of the body, then words in the message.

use std::time::{Duration, SystemTime};

use regex::Regex;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// The wait that an error asks for.
pub(super) fn read(headers: Option<&HeaderMap>, body: &Value, message: &str) -> Option<Duration> {
    let header = |name: &str| headers.and_then(|headers| headers.get(name)).and_then(|value| value.to_str().ok());
    header("retry-after-ms")
        .and_then(|value| seconds(value, 0.001))
        .or_else(|| {
            header("retry-after").and_then(|value| seconds(value, 1.0).or_else(|| until(value, SystemTime::now())))
        })
        .or_else(|| retry_info(body))
        .or_else(|| in_words(message))
        .or_else(|| {
            // When the whole budget is full again: later than needed, so only where nothing else is said.
            let resets = ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens"];
            resets.into_iter().filter_map(|name| span(header(name)?)).min()
        })
}

fn seconds(value: &str, unit: f64) -> Option<Duration> {
    let number: f64 = value.trim().parse().ok()?;
    Duration::try_from_secs_f64(number.max(0.0) * unit).ok()
}

/// Google's `RetryInfo`: `{"@type": "…RetryInfo", "retryDelay": "26.5s"}`.
fn retry_info(body: &Value) -> Option<Duration> {
    let error = if body["error"].is_object() { &body["error"] } else { body };
    let details = error["details"].as_array()?;
    details.iter().find_map(|detail| span(detail["retryDelay"].as_str()?))
}

/// "try again in 1.8s", "retry in 12 seconds", "reset after 2m".
fn in_words(message: &str) -> Option<Duration> {
    let pattern =
        r"(?i)(?:try again|retry|retrying|resets?)\s+(?:in|after)\s+(\d[\d.]*\s*[a-z]+(?:\s*\d[\d.]*\s*[a-z]+)*)";
    span(Regex::new(pattern).ok()?.captures(message)?.get(1)?.as_str())
}

/// A span such as `6m0s`, `120ms`, `26.5s` or `12 seconds`.
fn span(text: &str) -> Option<Duration> {
    let mut total = 0.0;
    let parts = Regex::new(r"(\d+(?:\.\d+)?)\s*([a-zA-Z]+)").ok()?;
    for part in parts.captures_iter(text) {
        let unit = match part[2].to_ascii_lowercase().as_str() {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            // The sentence goes on after the span: "in 20 seconds or 3 requests".
            _ => break,
        };
        total += part[1].parse::<f64>().ok()? * unit;
    }
    (total > 0.0).then(|| Duration::try_from_secs_f64(total).ok())?
}

/// The time from `now` until an HTTP date (`Wed, 21 Oct 2015 07:28:00 GMT`).
fn until(date: &str, now: SystemTime) -> Option<Duration> {
    let mut fields = date.trim().strip_suffix("GMT")?.split_ascii_whitespace().skip(1);
    let day: i64 = fields.next()?.parse().ok()?;
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let name = fields.next()?;
    let month = months.iter().position(|month| *month == name)? as i64 + 1;
    let year: i64 = fields.next()?.parse().ok()?;
    let mut clock = fields.next()?.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Days since 1970, with years that begin in March so that the leap day comes last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    let at = days * 86_400 + hour * 3600 + minute * 60 + second;
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs() as i64;
    Some(Duration::from_secs(u64::try_from(at - now).unwrap_or(0)))
}
