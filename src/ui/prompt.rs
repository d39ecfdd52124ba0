//! The line that a person types: history on disk, several lines, a paste that never sends.

use std::borrow::Cow;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use reedline::{
    Color, EditCommand, EditMode, Emacs, FileBackedHistory, Highlighter, KeyCode, KeyModifiers, Keybindings, Prompt,
    PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent, ReedlineRawEvent, Signal, StyledText,
    ValidationResult, Validator, default_emacs_keybindings,
};

use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use super::style::Style;
use crate::permission::{Gate, Mode};

/// Lines kept in the history file.
const HISTORY_LINES: usize = 10_000;
/// What the person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// Sent a message or a command.
    Line(String),
    /// Cleared what was typed.
    Cleared,
    /// Pressed Ctrl+C with nothing typed.
    Interrupt,
    /// Ended the input.
    End,
}

/// The line editor.
pub struct Editor {
    line: Reedline,
    style: Style,
    has_text: Arc<AtomicBool>,
    continued: Continuation,
    gate: Arc<Gate>,
}

impl Editor {
    /// An editor with its history in a file; without one when the file cannot be used, which is told. The prompt
    /// shows the gate's mode, and Shift+Tab changes it.
    pub fn new(history: &Path, style: Style, gate: Arc<Gate>) -> (Self, Option<String>) {
        let continued = Continuation::default();
        let has_text = Arc::<AtomicBool>::default();
        let mut line = Reedline::create()
            .use_bracketed_paste(style.moves)
            .use_kitty_keyboard_enhancement(style.moves)
            .with_ansi_colors(style.color)
            .with_validator(Box::new(continued.clone()))
            .with_highlighter(Box::new(Watcher(Arc::clone(&has_text))))
            .with_edit_mode(Box::new(Keys { emacs: Emacs::new(keys()), gate: Arc::clone(&gate) }));
        let notice = match open_history(history) {
            Ok(history) => {
                line = line.with_history(Box::new(history));
                None
            }
            Err(error) => Some(format!("the history in {} cannot be used: {error}", history.display())),
        };
        (Self { line, style, has_text, continued, gate }, notice)
    }

    /// Waits for the person. Blocks the thread; nothing wakes while nothing is typed.
    ///
    /// # Errors
    /// When the terminal cannot be read.
    pub fn read(&mut self) -> io::Result<Typed> {
        self.has_text.store(false, Ordering::Relaxed);
        let prompt = ModePrompt { gate: &self.gate, color: self.style.color };
        match self.line.read_line(&prompt).map_err(io::Error::other)? {
            Signal::Success(text) => Ok(Typed::Line(self.continued.join(text))),
            Signal::CtrlC if self.has_text.load(Ordering::Relaxed) => Ok(Typed::Cleared),
            Signal::CtrlC => Ok(Typed::Interrupt),
            _ => Ok(Typed::End),
        }
    }
}

/// Emacs keys, and the agent's own.
fn keys() -> Keybindings {
    let mut keys = default_emacs_keybindings();
    let new_line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line.clone());
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::Enter, new_line);
    for modifiers in [KeyModifiers::SHIFT, KeyModifiers::NONE] {
        keys.add_binding(modifiers, KeyCode::BackTab, ReedlineEvent::SwitchMode(PromptEditMode::Default));
    }
    keys
}

/// The keys with Shift+Tab, which changes the permission mode in place: the line and the prompt stay where they are.
struct Keys {
    emacs: Emacs,
    gate: Arc<Gate>,
}

impl EditMode for Keys {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        match self.emacs.parse_event(event) {
            ReedlineEvent::SwitchMode(_) => {
                self.gate.set_mode(next_mode(self.gate.mode()));
                ReedlineEvent::Repaint
            }
            event => event,
        }
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.emacs.edit_mode()
    }
}

/// Everything without asking is not one slip of a key away, so bypass is not in the round.
fn next_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Default => Mode::Auto,
        Mode::Auto => Mode::Plan,
        Mode::Plan | Mode::Bypass => Mode::Default,
    }
}

/// The history file, private to the user.
fn open_history(path: &Path) -> io::Result<FileBackedHistory> {
    if let Some(dir) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    FileBackedHistory::with_file(HISTORY_LINES, path.to_owned()).map_err(io::Error::other)
}

/// A backslash at the end goes on in a new line instead of sending. Which ones did is remembered, so that those of a
/// pasted shell command stay.
#[derive(Debug, Clone, Default)]
struct Continuation(Arc<Mutex<Vec<String>>>);

impl Continuation {
    /// Takes the backslashes that made a new line out of a text.
    fn join(&self, mut text: String) -> String {
        let starts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for start in starts.iter().rev() {
            if text.strip_prefix(start.as_str()).is_some_and(|rest| rest.starts_with('\n')) {
                text.remove(start.len() - 1);
            }
        }
        text
    }
}

impl Validator for Continuation {
    fn validate(&self, line: &str) -> ValidationResult {
        if !line.ends_with('\\') {
            return ValidationResult::Complete;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        ValidationResult::Incomplete
    }
}

/// Colours nothing, but sees each line that is painted: the editor has cleared it by the time it tells of a
/// Ctrl+C, and whether there was something to clear decides what that means.
struct Watcher(Arc<AtomicBool>);

impl Highlighter for Watcher {
    fn highlight(&self, line: &str, _: usize) -> StyledText {
        self.0.store(!line.is_empty(), Ordering::Relaxed);
        let mut text = StyledText::new();
        text.push((nu_ansi_term::Style::new(), line.to_owned()));
        text
    }
}

struct ModePrompt<'a> {
    gate: &'a Gate,
    color: bool,
}

impl Prompt for ModePrompt<'_> {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.gate.mode().as_str())
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(" > ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("… ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("search: {} > ", search.term))
    }

    fn get_prompt_color(&self) -> Color {
        if self.color { Color::Cyan } else { Color::Default }
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }
}

/// While it lives, what is typed is neither shown nor cut into lines; it waits for the next prompt. Pastes stay marked
/// as such, so that one that comes meanwhile does not send there either.
pub struct QuietInput {
    before: Option<Termios>,
    style: Style,
}

impl QuietInput {
    /// Begins to hold input back, where there is a terminal.
    pub fn begin(style: Style) -> Self {
        let before = tcgetattr(io::stdin()).ok();
        if let Some(before) = &before {
            let mut quiet = before.clone();
            // An interrupt must not throw away what was typed.
            quiet.local_modes.insert(LocalModes::NOFLSH);
            quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON);
            // Enter must still be Enter, and not a line feed, for whoever reads it later.
            quiet.input_modes.remove(InputModes::ICRNL);
            quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
            quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &quiet);
        }
        if style.moves {
            let _ = crossterm::execute!(io::stdout(), EnableBracketedPaste);
        }
        Self { before, style }
    }
}

impl Drop for QuietInput {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
        if self.style.moves {
            let _ = crossterm::execute!(io::stdout(), DisableBracketedPaste);
        }
    }
}
