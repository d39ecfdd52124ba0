//! Output without a terminal: events and a turn's end, as text or as one JSON object.
//!
//! Standard output carries the product, standard error everything else.

pub mod json;
pub mod text;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output that ends quietly when its reader has gone (`… | head -1`).
#[derive(Debug, Default)]
pub struct Stdout {
    is_gone: AtomicBool,
}

impl Stdout {
    /// Writes and flushes. A reader that has gone is no error; another failure is told on standard error.
    pub fn write(&self, text: &str) {
        if self.is_gone.load(Ordering::Relaxed) {
            return;
        }
        let mut out = io::stdout().lock();
        if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            self.is_gone.store(true, Ordering::Relaxed);
            if error.kind() != io::ErrorKind::BrokenPipe {
                say(&format!("error: standard output cannot be written: {error}"));
            }
        }
    }
}

/// Writes a line to standard error. That nobody can be told when this fails is no reason to stop.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
