//! Event streams (`text/event-stream`) as the HTML standard defines them, read from bytes.
//!
//! Only whole lines are decoded, so a character or a line end split between two reads is whole again
//! in the next. One addition to the standard: [`Parser::finish`] hands out an event that the end of
//! the body left without its blank line; the caller decides whether its data is complete.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// The `event:` name, where there was one.
    pub(super) name: Option<String>,
    /// The `data:` lines, joined with line feeds.
    pub(super) data: String,
}

/// Reads events from pieces of a body.
#[derive(Debug, Default)]
pub(super) struct Parser {
    /// Bytes of the line that is not whole yet.
    line: Vec<u8>,
    /// The data of the event that is not whole yet; `None` before its first `data` line.
    data: Option<Vec<u8>>,
    name: Option<String>,
    /// The last byte was a CR, so that an LF right after it ends no second line.
    after_cr: bool,
    past_start: bool,
}

impl Parser {
    /// Takes the next bytes of the body and hands every event that they complete to `out`.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut out: impl FnMut(Event)) {
        while let Some(&first) = bytes.first() {
            if self.after_cr {
                self.after_cr = false;
                if first == b'\n' {
                    bytes = &bytes[1..];
                    continue;
                }
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(bytes);
                return;
            };
            self.line.extend_from_slice(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if let Some(event) = self.end_line() {
                out(event);
            }
        }
    }

    /// The event that the end of the body left unfinished.
    pub(super) fn finish(mut self) -> Option<Event> {
        let last = if self.line.is_empty() { None } else { self.end_line() };
        last.or_else(|| self.end_event())
    }

    /// How many bytes are held for an event that is not whole yet.
    pub(super) fn held(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !self.past_start {
            self.past_start = true;
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_event();
        }
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let (field, value) = (&line[..colon], line.get(colon + 1..).unwrap_or_default());
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => match &mut self.data {
                None => self.data = Some(value.to_vec()),
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
            },
            b"event" => self.name = Some(String::from_utf8_lossy(value).into_owned()),
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        let name = self.name.take().filter(|name| !name.is_empty());
        let data = self.data.take()?;
        Some(Event { name, data: String::from_utf8_lossy(&data).into_owned() })
    }
}
