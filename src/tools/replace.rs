//! Exact replacement in a file's bytes. The text to find is taken literally; only line ends may differ
//! between file and call, and then those of the file stay. No byte outside a match changes.

use std::ops::Range;

/// Line numbers listed when the text is not unique.
const LINES_LISTED: usize = 10;

/// Why nothing was replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoReplacement {
    /// The text to find does not occur.
    NotFound,
    /// It occurs more than once, and only one replacement was asked for.
    NotUnique {
        /// How often.
        count: usize,
        /// On which lines the first ones start.
        lines: Vec<usize>,
    },
}

/// Replaces `old` by `new`: the only occurrence, or with `all` every one. Gives the new bytes and how many
/// places changed. `old` must not be empty.
pub(super) fn replace(file: &[u8], old: &str, new: &str, all: bool) -> Result<(Vec<u8>, usize), NoReplacement> {
    let mut found = find_all(file, old.as_bytes());
    if found.is_empty() && (file.contains(&b'\r') || old.contains('\r')) {
        found = find_despite_line_ends(file, old);
    }
    // A match of a bare line feed takes the carriage return before it along.
    for range in &mut found {
        let splits_crlf = file[range.start] == b'\n' && file[..range.start].ends_with(b"\r");
        range.start -= usize::from(splits_crlf);
    }
    if found.is_empty() {
        return Err(NoReplacement::NotFound);
    }
    if !all && found.len() > 1 {
        let lines = found.iter().take(LINES_LISTED).map(|range| line_of(file, range.start)).collect();
        return Err(NoReplacement::NotUnique { count: found.len(), lines });
    }
    let found = without_overlaps(found);
    let mut bytes = Vec::with_capacity(file.len() + found.len() * new.len());
    let mut end = 0;
    for range in &found {
        bytes.extend_from_slice(&file[end..range.start]);
        bytes.extend_from_slice(with_line_ends(new, ends_in_crlf(file, range)).as_bytes());
        end = range.end;
    }
    bytes.extend_from_slice(&file[end..]);
    Ok((bytes, found.len()))
}

/// The line, from 1, that a byte is on.
pub(super) fn line_of(file: &[u8], at: usize) -> usize {
    1 + file[..at].iter().filter(|&&byte| byte == b'\n').count()
}

/// Every occurrence, overlapping ones included: `aa` is not unique in `aaa`.
fn find_all(file: &[u8], old: &[u8]) -> Vec<Range<usize>> {
    let at = |start: usize| start..start + old.len();
    match (std::str::from_utf8(file), std::str::from_utf8(old)) {
        // The library's search is linear, ours is not.
        (Ok(text), Ok(old_text)) => {
            let mut found = Vec::new();
            let mut from = 0;
            while let Some(start) = text.get(from..).and_then(|rest| rest.find(old_text)) {
                found.push(at(from + start));
                from += start + text[from + start..].chars().next().map_or(1, char::len_utf8);
            }
            found
        }
        _ => file
            .windows(old.len())
            .enumerate()
            .filter(|(_, window)| *window == old)
            .map(|(start, _)| at(start))
            .collect(),
    }
}

/// Occurrences when both sides are taken with plain line feeds, as places in the file as it is.
fn find_despite_line_ends(file: &[u8], old: &str) -> Vec<Range<usize>> {
    // Where a carriage return was left out, as places in the normalised bytes.
    let mut removed = Vec::new();
    let mut normalised = Vec::with_capacity(file.len());
    for (at, &byte) in file.iter().enumerate() {
        if byte == b'\r' && file.get(at + 1) == Some(&b'\n') {
            removed.push(normalised.len());
        } else {
            normalised.push(byte);
        }
    }
    // A match that begins with a line end begins before its carriage return, one that ends before a
    // line end ends before it as well.
    let place = |at: usize| at + removed.partition_point(|&gap| gap < at);
    find_all(&normalised, old.replace("\r\n", "\n").as_bytes())
        .into_iter()
        .map(|range| place(range.start)..place(range.end))
        .collect()
}

fn without_overlaps(found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut end = 0;
    let apart = found.into_iter().filter(|range| {
        let is_apart = range.start >= end;
        end = if is_apart { range.end } else { end };
        is_apart
    });
    apart.collect()
}

/// Whether what replaces this range should have CRLF line ends: as the replaced lines have, or where there is
/// no line end in it, as the line it is on.
fn ends_in_crlf(file: &[u8], range: &Range<usize>) -> bool {
    let matched = &file[range.clone()];
    let first_end = |bytes: &[u8]| bytes.iter().position(|&byte| byte == b'\n');
    match first_end(matched) {
        Some(_) => crlf_only(matched),
        None => match first_end(&file[range.end..]) {
            Some(end) => file[..range.end + end].ends_with(b"\r"),
            None => {
                let before = &file[..range.start];
                let end = before.iter().rposition(|&byte| byte == b'\n');
                end.is_some_and(|end| before[..end].ends_with(b"\r"))
            }
        },
    }
}

fn crlf_only(bytes: &[u8]) -> bool {
    let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.all(|(at, _)| at > 0 && bytes[at - 1] == b'\r')
}

fn with_line_ends(text: &str, crlf: bool) -> String {
    let plain = text.replace("\r\n", "\n");
    if crlf { plain.replace('\n', "\r\n") } else { plain }
}
