//! The terminal. Only this module writes escape sequences.
//!
//! `screen.rs` writes what happens, `prompt.rs` reads what is typed, `question.rs` asks for approval by `keys.rs`, `diff.rs`
//! and `visible.rs` make text fit to be shown, `style.rs` says which sequences may be used.

pub mod describe;
pub mod diff;
pub mod keys;
pub mod prompt;
pub mod question;
pub mod screen;
pub mod style;
pub mod visible;

/// Puts the terminal back into its usual state. Safe to call at any time, also when it is in that state.
pub fn restore() {
    if crossterm::terminal::is_raw_mode_enabled().unwrap_or(false) {
        let _ = crossterm::terminal::disable_raw_mode();
        let _ =
            crossterm::execute!(std::io::stdout(), crossterm::event::DisableBracketedPaste, crossterm::cursor::Show);
    }
}
