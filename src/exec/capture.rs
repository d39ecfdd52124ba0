//! A command's output while it comes: the head and the tail of it as readable text, the whole in a spool.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::clean::Cleaner;
use super::sniff;
use super::spool::{OutputDir, Spool};

/// The most characters that are shown of one output.
pub const SHOWN: usize = 30_000;
/// How many of them come from the start when the middle is cut; errors tend to be at the end.
const HEAD_SHARE: usize = 3;
/// A character has at most four bytes, so an output of [`SHOWN`] characters is whole in the head.
const HEAD_BYTES: usize = SHOWN * 4;

/// Output shared between the thread that reads it and those who show it.
#[derive(Debug, Clone)]
pub struct Capture {
    inner: Arc<Mutex<Inner>>,
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct Inner {
    cleaner: Cleaner,
    text: Ends,
    spool: Spool,
}

/// What is shown of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The text, its middle cut if it was long, without line ends at its end.
    pub text: String,
    /// What else there is to say about it, in words.
    pub notes: Vec<String>,
}

impl Capture {
    pub(super) fn new(dir: Arc<OutputDir>) -> Self {
        let inner = Inner { spool: Spool::new(dir), ..Inner::default() };
        Self { inner: Arc::new(Mutex::new(inner)), closed: CancellationToken::new() }
    }

    /// Takes bytes as they came.
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut inner = self.lock();
        let Inner { cleaner, text, spool } = &mut *inner;
        spool.push(bytes);
        cleaner.push(bytes, |clean| text.push(clean));
    }

    /// Says that no more will come.
    pub(super) fn close(&self) {
        self.closed.cancel();
    }

    /// Resolves once no more will come: every process that could write has closed the pipe.
    pub async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Whether no more will come.
    pub fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// The file with all output so far, which from now on stays.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn keep_file(&self) -> std::io::Result<PathBuf> {
        self.lock().spool.keep()
    }

    /// The output in at most `limit` characters (and no more than [`SHOWN`]). What is cut or is no text
    /// is in a file, which the text names.
    pub fn show(&self, limit: usize) -> Shown {
        let mut inner = self.lock();
        let mut notes = Vec::new();
        if let Some(kind) = sniff::binary_kind(inner.spool.start()) {
            let text = format!("[{kind}, not shown; {}]", inner.whole_in_file());
            return Shown { text, notes };
        }
        let mut ends = inner.text.clone();
        ends.push(inner.cleaner.open_line());
        let (text, valid) = match ends.cut(limit.min(SHOWN)) {
            Cut::Whole(text) => readable(text),
            Cut::Ends { head, tail, characters, lines } => {
                let ((head, head_valid), (tail, tail_valid)) = (readable(head), readable(tail));
                let whole = inner.whole_in_file();
                let text = format!("{head}\n[… {lines} lines, {characters} characters left out; {whole} …]\n{tail}");
                (text, head_valid && tail_valid)
            }
        };
        if !valid {
            notes.push("some bytes are not UTF-8 and show as \u{fffd}".to_owned());
        }
        Shown { text, notes }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn whole_in_file(&mut self) -> String {
        match self.spool.keep() {
            Ok(path) => {
                let shortfall = self.spool.shortfall().map(|text| format!(" ({text})")).unwrap_or_default();
                format!("whole output: {}{shortfall}", path.display())
            }
            Err(error) => format!("the whole could not be saved: {error}"),
        }
    }
}

/// Bytes as text for a reader, and whether all of them were UTF-8. A NUL is shown as its picture.
fn readable(bytes: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(bytes.trim_ascii_end());
    (text.replace('\0', "\u{2400}"), std::str::from_utf8(bytes).is_ok())
}

/// The first and the last bytes of a stream, and how long it was.
#[derive(Debug, Clone, Default)]
struct Ends {
    head: Vec<u8>,
    /// Up to twice what is needed, so that old bytes are dropped in large steps.
    tail: Vec<u8>,
    characters: usize,
    lines: usize,
}

enum Cut<'a> {
    Whole(&'a [u8]),
    Ends { head: &'a [u8], tail: &'a [u8], characters: usize, lines: usize },
}

impl Ends {
    fn push(&mut self, bytes: &[u8]) {
        let (characters, lines) = count(bytes);
        self.characters += characters;
        self.lines += lines;
        let room = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(HEAD_BYTES)..]);
        if self.tail.len() > 2 * HEAD_BYTES {
            self.tail.drain(..self.tail.len() - HEAD_BYTES);
        }
    }

    /// All of it if it has at most `limit` characters; else a head and a tail that do.
    fn cut(&self, limit: usize) -> Cut<'_> {
        if self.characters <= limit {
            return Cut::Whole(&self.head);
        }
        let head = first_whole_lines(&self.head, limit / HEAD_SHARE);
        let tail = last_whole_lines(&self.tail, limit - limit / HEAD_SHARE);
        let (head_count, tail_count) = (count(head), count(tail));
        Cut::Ends {
            head,
            tail,
            characters: self.characters - head_count.0 - tail_count.0,
            lines: self.lines - head_count.1 - tail_count.1,
        }
    }
}

/// Characters (bytes that do not continue one) and line ends.
fn count(bytes: &[u8]) -> (usize, usize) {
    let characters = bytes.iter().filter(|&&byte| starts_character(byte)).count();
    let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
    (characters, lines)
}

fn starts_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

/// The first `limit` characters without a broken last line, unless dropping that would cost more than half.
fn first_whole_lines(bytes: &[u8], limit: usize) -> &[u8] {
    let starts = bytes.iter().enumerate().filter(|(_, byte)| starts_character(**byte));
    let bytes = &bytes[..starts.map(|(at, _)| at).nth(limit).unwrap_or(bytes.len())];
    match bytes.iter().rposition(|&byte| byte == b'\n') {
        Some(end) if end >= bytes.len() / 2 => &bytes[..=end],
        _ => bytes,
    }
}

/// The last `limit` characters without a broken first line, unless dropping that would cost more than half.
fn last_whole_lines(bytes: &[u8], limit: usize) -> &[u8] {
    let starts = bytes.iter().enumerate().rev().filter(|(_, byte)| starts_character(**byte));
    let start = starts.map(|(at, _)| at).nth(limit.saturating_sub(1)).unwrap_or(0);
    let (before, bytes) = bytes.split_at(start);
    match bytes.iter().position(|&byte| byte == b'\n') {
        _ if before.ends_with(b"\n") => bytes,
        Some(end) if end < bytes.len() / 2 => &bytes[end + 1..],
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Deref;
    use std::sync::Arc;

    use super::{Capture, OutputDir};

    /// A shown text with the directory of the file that it may name.
    #[derive(Debug)]
    struct Text {
        text: String,
        _dir: Arc<OutputDir>,
    }

    impl Deref for Text {
        type Target = str;

        fn deref(&self) -> &str {
            &self.text
        }
    }

    fn shown(pieces: &[&[u8]], limit: usize) -> Text {
        let dir = Arc::<OutputDir>::default();
        let capture = Capture::new(Arc::clone(&dir));
        pieces.iter().for_each(|piece| capture.push(piece));
        Text { text: capture.show(limit).text, _dir: dir }
    }

    /// Takes the file away that a text names, and gives its content.
    fn take_file(text: &str) -> String {
        let path = text.split_once("whole output: ").unwrap().1.split(' ').next().unwrap();
        let content = std::fs::read_to_string(path).unwrap();
        std::fs::remove_file(path).unwrap();
        content
    }

    #[test]
    fn short_output_is_whole() {
        assert_eq!(*shown(&[b"one\n", b"two\n\n"], 100), *"one\ntwo");
        assert_eq!(*shown(&["é".repeat(100).as_bytes()], 100), *"é".repeat(100));
    }

    #[test]
    fn the_middle_of_a_long_output_is_cut_at_lines_and_counted() {
        let lines: String = (1..=1000).map(|number| format!("line {number:04}\n")).collect();
        let text = shown(&[lines.as_bytes()], 300);
        let (head, rest) = text.split_once("\n[… ").unwrap();
        let (note, tail) = rest.split_once(" …]\n").unwrap();
        assert!(head.starts_with("line 0001\n") && head.ends_with("line 0010"), "{head}");
        assert!(tail.starts_with("line 0981\n") && tail.ends_with("line 1000"), "{tail}");
        assert!(note.starts_with("970 lines, 9700 characters left out; whole output: "), "{note}");
        assert_eq!(take_file(&text), lines);
    }

    #[test]
    fn a_long_line_of_wide_characters_is_cut_between_characters() {
        let text = shown(&["語".repeat(50_000).as_bytes()], 300);
        assert!(!text.contains('\u{fffd}'), "{text:?}");
        assert!(
            text.starts_with("語") && text.ends_with("語") && text.contains("0 lines, 49700 characters"),
            "{text:?}"
        );
        take_file(&text);
    }
}
