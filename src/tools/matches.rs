//! The matches of one file as `grep` shows them: `12:line` for a match, `13-line` for its surroundings,
//! `--` between places that are apart.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::text;
use crate::exec::capture::SHOWN;

/// Characters shown of a line.
const WIDTH: usize = 500;
/// Bytes shown before the match where a longer line is cut.
const LEAD: usize = 100;

/// What a search of one file has found so far.
pub(super) struct FileMatches<'m> {
    matcher: &'m RegexMatcher,
    lines: Vec<Line>,
    /// Matches whose lines are kept at most, and so far.
    most: u64,
    pub(super) kept: u64,
    /// Length of the kept lines.
    pub(super) bytes: usize,
    /// One match is enough.
    stops_at_first: bool,
    /// All matches.
    pub(super) total: u64,
    /// The file turned out to be binary.
    pub(super) is_binary: bool,
}

/// A line as it is shown.
pub(super) struct Line {
    pub(super) text: String,
    /// Counts as a match: the first line of one.
    pub(super) is_match: bool,
}

impl<'m> FileMatches<'m> {
    /// Keeps the lines of the first `most` matches and counts all.
    pub(super) fn with_lines(matcher: &'m RegexMatcher, most: u64) -> Self {
        Self { matcher, lines: Vec::new(), most, kept: 0, bytes: 0, stops_at_first: false, total: 0, is_binary: false }
    }

    /// Keeps no lines and counts all matches.
    pub(super) fn counted(matcher: &'m RegexMatcher) -> Self {
        Self::with_lines(matcher, 0)
    }

    /// Looks only for whether there is a match.
    pub(super) fn first_only(matcher: &'m RegexMatcher) -> Self {
        Self { stops_at_first: true, ..Self::with_lines(matcher, 0) }
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Whether lines that come now could still be shown.
    fn keeps(&self) -> bool {
        self.total <= self.most && self.bytes <= SHOWN
    }

    fn push(&mut self, number: Option<u64>, mark: char, bytes: &[u8], is_match: bool) {
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        let found = || self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start());
        let text = format!("{number}{mark}{}", cut(bytes, found));
        self.bytes += text.len();
        self.lines.push(Line { text, is_match });
    }
}

impl Sink for &mut FileMatches<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.total += 1;
        if self.keeps() {
            self.kept += 1;
            for (at, line) in found.lines().enumerate() {
                self.push(found.line_number().map(|first| first + at as u64), ':', line, at == 0);
            }
        }
        Ok(!self.stops_at_first)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        // Lines before the first match that is no longer kept come too early to be told apart; they stay.
        if self.keeps() {
            self.push(context.line_number(), '-', context.bytes(), false);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if self.total < self.most && self.keeps() {
            self.lines.push(Line { text: "--".to_owned(), is_match: false });
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary = end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A line without its end; of a long one the part around the match.
fn cut(line: &[u8], found: impl FnOnce() -> usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= WIDTH {
        return text::lossy(line).0;
    }
    let lead = found().min(line.len()).saturating_sub(LEAD);
    let start = (lead..line.len()).find(|at| line[*at] & 0xc0 != 0x80).unwrap_or(lead);
    let piece = text::lossy(&line[start..line.len().min(start + 4 * WIDTH)]).0;
    let (piece, is_cut) = text::first(&piece, WIDTH);
    let before = if start > 0 { "…" } else { "" };
    let after = if is_cut { format!("… [line of {}]", text::size(line.len() as u64)) } else { String::new() };
    format!("{before}{piece}{after}")
}
