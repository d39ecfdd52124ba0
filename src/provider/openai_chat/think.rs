//! Reasoning inside the content: `<think>…</think>` at the very beginning of an answer, from servers
//! that do not take it apart. A tag anywhere else is text.

/// The opening tags with their closing ones.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// A piece of the content, told apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Thinking(String),
    Text(String),
}

/// Splits content as it comes; holds back what may be the beginning of a tag.
#[derive(Default)]
pub(super) struct Splitter {
    state: State,
    held: String,
}

#[derive(Default, Clone, Copy)]
enum State {
    /// Nothing but blanks or the beginning of a tag so far.
    #[default]
    Start,
    /// Inside the tag that this one closes. `true` once something visible came.
    Thinking(&'static str, bool),
    /// After the closing tag, before the first visible character.
    Gap,
    /// All else is text.
    Text,
}

impl Splitter {
    /// Takes it that the server sends reasoning in a field of its own: all content is text.
    pub(super) fn switch_off(&mut self) {
        if matches!(self.state, State::Start) {
            self.state = State::Text;
        }
    }

    /// The next piece of content.
    pub(super) fn push(&mut self, content: &str) -> Vec<Piece> {
        self.held.push_str(content);
        let mut out = Vec::new();
        while self.step(&mut out) {}
        out
    }

    /// What was held back, at the end of the answer.
    pub(super) fn finish(&mut self) -> Vec<Piece> {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Start | State::Text if !held.is_empty() => vec![Piece::Text(held)],
            State::Thinking(_, begun) => {
                let text = if begun { held.trim_end() } else { held.trim() };
                if text.is_empty() { Vec::new() } else { vec![Piece::Thinking(text.to_owned())] }
            }
            _ => Vec::new(),
        }
    }

    /// One step forward; false when more content is needed.
    fn step(&mut self, out: &mut Vec<Piece>) -> bool {
        match self.state {
            State::Start => self.open(),
            State::Thinking(close, begun) => self.think(close, begun, out),
            State::Gap => {
                self.held = self.held.trim_start().to_owned();
                if !self.held.is_empty() {
                    self.state = State::Text;
                }
                !self.held.is_empty()
            }
            State::Text => {
                if !self.held.is_empty() {
                    out.push(Piece::Text(std::mem::take(&mut self.held)));
                }
                false
            }
        }
    }

    fn open(&mut self) -> bool {
        let start = self.held.trim_start();
        if let Some((open, close)) = TAGS.iter().find(|(open, _)| start.starts_with(open)) {
            self.held = start[open.len()..].to_owned();
            self.state = State::Thinking(close, false);
            return true;
        }
        if TAGS.iter().any(|(open, _)| open.starts_with(start)) {
            return false;
        }
        self.state = State::Text;
        true
    }

    fn think(&mut self, close: &'static str, begun: bool, out: &mut Vec<Piece>) -> bool {
        if !begun {
            self.held = self.held.trim_start().to_owned();
        }
        let end = self.held.find(close);
        // Blanks at the end are shown only once something follows, and a tag may be half there.
        let shown = end.unwrap_or_else(|| self.held.len() - partial_tag(&self.held, close));
        let thinking = self.held[..shown].trim_end();
        let length = thinking.len();
        if length > 0 {
            out.push(Piece::Thinking(thinking.to_owned()));
        }
        match end {
            Some(end) => {
                self.held.drain(..end + close.len());
                self.state = State::Gap;
                true
            }
            None => {
                self.held.drain(..length);
                self.state = State::Thinking(close, begun || length > 0);
                false
            }
        }
    }
}

/// How many bytes at the end of `text` may be the beginning of `tag`.
pub(super) fn partial_tag(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|&length| text.ends_with(&tag[..length])).unwrap_or(0)
}
