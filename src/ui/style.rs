//! Which escape sequences may be used, and the few styles there are: the terminal's own colours.

use std::env;

use crossterm::style::{Attribute, Color, ContentStyle, StyledContent};

/// What the terminal may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Colours and attributes.
    pub color: bool,
    /// Cursor movement, for the line that shows what is waited for.
    pub moves: bool,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Said by the way.
    Dim,
    /// Needs attention.
    Warning,
    /// Went wrong.
    Error,
    /// Stands out.
    Strong,
    /// A line that goes.
    Removed,
    /// A line that comes.
    Added,
}

impl Style {
    /// What this terminal may be sent, unless the person said otherwise.
    pub fn detect(wanted: Option<bool>) -> Self {
        let is_dumb = env::var("TERM").is_ok_and(|term| term == "dumb");
        let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { color: wanted.unwrap_or(!is_dumb && !no_color), moves: !is_dumb && wanted != Some(false) }
    }

    /// A text in a tone.
    pub fn paint(self, tone: Tone, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let mut style = ContentStyle::new();
        match tone {
            Tone::Dim => style.attributes.set(Attribute::Dim),
            Tone::Strong => style.attributes.set(Attribute::Bold),
            Tone::Warning => style.foreground_color = Some(Color::Yellow),
            Tone::Error | Tone::Removed => style.foreground_color = Some(Color::Red),
            Tone::Added => style.foreground_color = Some(Color::Green),
        }
        StyledContent::new(style, text).to_string()
    }
}
