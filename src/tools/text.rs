//! Wording shared by the tools' results: times, sizes, cut lines, plural forms.

use std::time::Duration;

/// A time for a reader: `0.04 s`, `12.3 s`, `4 m 5 s`.
pub(super) fn seconds(time: Duration) -> String {
    let total = time.as_secs();
    match total {
        0..=9 => format!("{:.2} s", time.as_secs_f64()),
        10..=119 => format!("{:.1} s", time.as_secs_f64()),
        _ => format!("{} m {} s", total / 60, total % 60),
    }
}

/// A size for a reader: `512 bytes`, `12.0 kB`, `5.4 GB`.
pub(super) fn size(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, unit)| bytes as f64 >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / unit),
        None => count(bytes, "byte"),
    }
}

/// `1 line`, `2 lines`, `2 matches`.
pub(super) fn count(number: u64, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "match") => format!("{number} matches"),
        (_, "directory") => format!("{number} directories"),
        _ => format!("{number} {noun}s"),
    }
}

/// The first `limit` characters, and whether that is less than all.
pub(super) fn first(text: &str, limit: usize) -> (&str, bool) {
    match text.char_indices().nth(limit) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// Bytes as text: bytes that are not UTF-8 become U+FFFD, which is counted in the second part.
pub(super) fn lossy(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), true),
    }
}
