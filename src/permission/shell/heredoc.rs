//! Quoted here-documents, found before the parser sees them. Their text is data whatever it holds, but the
//! grammar ends some of them too early; so the text is blanked, and the parser must then agree on where it was.

use std::ops::Range;

/// A command line of the same length with the texts of quoted here-documents blanked, and where they were.
pub(super) fn blank_quoted(command: &str) -> (String, Vec<Range<usize>>) {
    let mut scan = Scan { rest: command, at: 0, pending: Vec::new(), blanked: Vec::new() };
    while !scan.rest.is_empty() {
        scan.step();
    }
    let mut bytes = command.as_bytes().to_vec();
    for range in &scan.blanked {
        for byte in &mut bytes[range.clone()] {
            if *byte != b'\n' {
                *byte = b'_';
            }
        }
    }
    // Whole characters were replaced byte by byte, so this is ASCII where it was changed.
    (String::from_utf8_lossy(&bytes).into_owned(), scan.blanked)
}

/// A here-document whose text begins on the next line.
struct Pending {
    delimiter: String,
    is_quoted: bool,
    strips_tabs: bool,
}

struct Scan<'a> {
    rest: &'a str,
    at: usize,
    pending: Vec<Pending>,
    blanked: Vec<Range<usize>>,
}

impl Scan<'_> {
    fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.rest = &self.rest[bytes..];
    }

    /// One piece: a quoted string, a comment, a here-document's start, a line's end, or a character.
    fn step(&mut self) {
        let Some(c) = self.rest.chars().next() else { return };
        match c {
            '\'' => self.skip(self.rest[1..].find('\'').map_or(self.rest.len(), |end| end + 2)),
            '"' => self.skip(end_of_double_quotes(self.rest)),
            '\\' => self.skip(1 + self.rest[1..].chars().next().map_or(0, char::len_utf8)),
            '\n' => {
                self.skip(1);
                self.bodies();
            }
            _ if self.rest.starts_with("<<<") => self.skip(3),
            _ if self.rest.starts_with("<<") => self.start(),
            c => self.skip(c.len_utf8()),
        }
    }

    /// `<<'EOF'`, `<<-EOF`; the delimiter ends at a blank or an operator.
    fn start(&mut self) {
        self.skip(2);
        let strips_tabs = self.rest.starts_with('-');
        self.skip(usize::from(strips_tabs));
        self.skip(self.rest.len() - self.rest.trim_start_matches([' ', '\t']).len());
        let end = self.rest.find([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        let delimiter: String = word.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        let is_quoted = delimiter.len() < word.len();
        self.skip(end);
        if !delimiter.is_empty() {
            self.pending.push(Pending { delimiter, is_quoted, strips_tabs });
        }
    }

    /// The texts of the here-documents that the line before began.
    fn bodies(&mut self) {
        for document in std::mem::take(&mut self.pending) {
            let from = self.at;
            loop {
                let line = self.rest.split('\n').next().unwrap_or_default();
                let text = if document.strips_tabs { line.trim_start_matches('\t') } else { line };
                if text == document.delimiter || self.rest.is_empty() {
                    break;
                }
                self.skip((line.len() + 1).min(self.rest.len()));
            }
            if document.is_quoted && !self.rest.is_empty() && from < self.at {
                self.blanked.push(from..self.at);
            }
            let delimiter_line = self.rest.find('\n').unwrap_or(self.rest.len());
            self.skip(delimiter_line);
        }
    }
}

fn end_of_double_quotes(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
