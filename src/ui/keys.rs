//! Single keys, for a question: raw mode, and a wait that costs nothing and can be cancelled.
//!
//! The keys are read from the terminal itself and not through the line editor's event reader, which a second
//! waiting reader would get in the way of.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::sync::Arc;

use crossterm::terminal;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{QueueSelector, tcflush};
use tokio_util::sync::CancellationToken;

/// A key that a question can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Ctrl+C.
    Interrupt,
    /// Another one, such as an arrow.
    Other,
}

/// The keyboard in raw mode, for as long as this lives.
pub struct Keys {
    pending: VecDeque<Key>,
    wake: PipeWriter,
    woken: Arc<PipeReader>,
}

impl Keys {
    /// Begins to read single keys. What was typed before is dropped.
    ///
    /// # Errors
    /// When there is no terminal to read from.
    pub fn open() -> io::Result<Self> {
        let (woken, wake) = io::pipe()?;
        terminal::enable_raw_mode()?;
        let keys = Self { pending: VecDeque::new(), wake, woken: Arc::new(woken) };
        tcflush(rustix::stdio::stdin(), QueueSelector::IFlush)?;
        Ok(keys)
    }

    /// The next key; `None` when cancelled or when the terminal is gone.
    pub async fn next(&mut self, cancel: &CancellationToken) -> Option<Key> {
        while self.pending.is_empty() {
            let woken = Arc::clone(&self.woken);
            let reading = tokio::task::spawn_blocking(move || read(&woken));
            tokio::select! {
                bytes = reading => self.pending.extend(parse(&bytes.ok()??)),
                () = cancel.cancelled() => {
                    let _ = self.wake.write_all(b"x");
                    return None;
                }
            }
        }
        self.pending.pop_front()
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let _ = terminal::disable_raw_mode();
    }
}

/// Waits for input or to be woken; `None` in the second case and at the end of the input.
fn read(woken: &PipeReader) -> Option<Vec<u8>> {
    let stdin = rustix::stdio::stdin();
    let mut sources = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
    loop {
        match poll(&mut sources, None) {
            Ok(_) => break,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    if !sources[1].revents().is_empty() {
        return None;
    }
    let mut bytes = [0; 256];
    let length = rustix::io::read(stdin, &mut bytes).ok().filter(|length| *length > 0)?;
    Some(bytes[..length].to_vec())
}

/// The keys in what one read gave. An escape with more behind it is a sequence, for a terminal sends it whole.
fn parse(bytes: &[u8]) -> Vec<Key> {
    if bytes.first() == Some(&0x1b) && bytes.len() > 1 {
        return vec![Key::Other];
    }
    let keys = String::from_utf8_lossy(bytes);
    let key = |c| match c {
        '\u{3}' => Key::Interrupt,
        '\r' | '\n' => Key::Enter,
        '\u{8}' | '\u{7f}' => Key::Backspace,
        '\u{1b}' => Key::Escape,
        c if c.is_control() => Key::Other,
        c => Key::Char(c),
    };
    keys.chars().map(key).collect()
}
