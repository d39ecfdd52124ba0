//! Makes a command's output readable as plain text while it streams: terminal codes are dropped, and a
//! line that was redrawn with carriage returns (a progress bar) keeps only its last state.

/// A line longer than this is passed on in pieces, so that memory stays bounded.
const LONGEST_LINE: usize = 64 * 1024;
/// A title or link code longer than this is taken for text gone wrong, and ends.
const LONGEST_STRING: usize = 4096;

/// Where in a terminal code the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    /// After ESC.
    Escape,
    /// After ESC and an intermediate byte (`ESC ( B`): one more byte follows.
    Charset,
    /// In `ESC [ …`; `only_one` while the parameters are empty or `1`.
    Csi {
        only_one: bool,
    },
    /// In `ESC ] …` and its like, until BEL or `ESC \`.
    String {
        length: usize,
    },
}

/// The filter and what it has not yet passed on.
#[derive(Debug)]
pub(super) struct Cleaner {
    state: State,
    line: Vec<u8>,
    /// A carriage return came: the next byte of text starts the line anew.
    returned: bool,
}

impl Default for Cleaner {
    fn default() -> Self {
        Self { state: State::Text, line: Vec::new(), returned: false }
    }
}

impl Cleaner {
    /// Takes bytes and hands what is settled to `out`.
    pub(super) fn push(&mut self, bytes: &[u8], mut out: impl FnMut(&[u8])) {
        // Most output is plain; it is passed on without a look at each byte.
        let special = [0x1b, b'\r', 0x08, 0x07].iter().any(|byte| bytes.contains(byte));
        if special || self.returned || self.state != State::Text {
            for &byte in bytes {
                self.byte(byte, &mut out);
            }
        } else {
            self.plain(bytes, &mut out);
        }
        if self.line.len() > LONGEST_LINE {
            out(&self.line);
            self.line.clear();
        }
    }

    /// The line that is still open.
    pub(super) fn open_line(&self) -> &[u8] {
        &self.line
    }

    fn plain(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8])) {
        match bytes.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => {
                if !self.line.is_empty() {
                    out(&self.line);
                    self.line.clear();
                }
                out(&bytes[..=end]);
                self.line.extend_from_slice(&bytes[end + 1..]);
            }
            None => self.line.extend_from_slice(bytes),
        }
    }

    fn byte(&mut self, byte: u8, out: &mut impl FnMut(&[u8])) {
        self.state = match (self.state, byte) {
            (State::Text, 0x1b) => State::Escape,
            (State::Text, _) => {
                self.text(byte, out);
                State::Text
            }
            (State::Escape, b'[') => State::Csi { only_one: true },
            (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::String { length: 0 },
            (State::Escape, 0x20..=0x2f) => State::Charset,
            (State::Escape, 0x1b) => State::Escape,
            (State::Escape | State::Charset, _) => State::Text,
            (State::Csi { only_one }, 0x20..=0x3f) => State::Csi { only_one: only_one && byte == b'1' },
            (State::Csi { only_one }, 0x40..=0x7e) => {
                // Column 1: the same as a carriage return.
                self.returned |= byte == b'G' && only_one;
                State::Text
            }
            (State::String { .. }, 0x07) => State::Text,
            (State::String { .. } | State::Csi { .. }, 0x1b) => State::Escape,
            (State::String { length }, _) if byte != b'\n' && length < LONGEST_STRING => {
                State::String { length: length + 1 }
            }
            (State::String { .. } | State::Csi { .. }, _) => {
                self.text(byte, out);
                State::Text
            }
        };
    }

    fn text(&mut self, byte: u8, out: &mut impl FnMut(&[u8])) {
        match byte {
            b'\n' => {
                self.returned = false;
                self.line.push(byte);
                out(&self.line);
                self.line.clear();
            }
            b'\r' => self.returned = true,
            0x07 => {}
            0x08 => while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            _ => {
                if std::mem::take(&mut self.returned) {
                    self.line.clear();
                }
                self.line.push(byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cleaner;

    fn clean(pieces: &[&str]) -> String {
        let (mut cleaner, mut out) = (Cleaner::default(), Vec::new());
        for piece in pieces {
            cleaner.push(piece.as_bytes(), |bytes| out.extend_from_slice(bytes));
        }
        out.extend_from_slice(cleaner.open_line());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn drops_codes_and_folds_redrawn_lines_wherever_the_stream_is_cut() {
        let cases = [
            ("plain\ntext", "plain\ntext"),
            ("\x1b[1;31mred\x1b[0m\n", "red\n"),
            ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
            ("dos\r\nlines\r\n", "dos\nlines\n"),
            ("kept at the end\r", "kept at the end"),
            ("\x1b]0;title\x07text", "text"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1b(Bcharset", "charset"),
            ("one\x1b[2K\x1b[1Gtwo", "two"),
            ("one\x1b[5Gtwo", "onetwo"),
            ("spin|\x08/\x08-é\x08.", "spin-."),
            ("bell\x07", "bell"),
            ("\x1b]never ended\nnext", "\nnext"),
        ];
        for (input, expected) in cases {
            assert_eq!(clean(&[input]), expected, "{input:?} at once");
            for (at, _) in input.char_indices() {
                assert_eq!(clean(&[&input[..at], &input[at..]]), expected, "{input:?} cut at {at}");
            }
        }
    }
}
