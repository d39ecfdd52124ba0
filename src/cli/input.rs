//! Standard input as text: read to its end, with a cap, and without a silent wait.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::output::say;

/// The most that is taken from standard input, in bytes.
const CAP: u64 = 10 * 1024 * 1024;
/// After this long without the end of the input, the person is told what is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Reads standard input to its end; `None` when it is a terminal. Invalid UTF-8 is replaced, and told.
///
/// # Errors
/// A sentence, when there is too much or it cannot be read.
pub(crate) fn read_stdin(is_quiet: bool) -> Result<Option<String>, String> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = io::stdin().lock().take(CAP + 1).read_to_end(&mut bytes);
        let _ = sender.send(result.map(|_| bytes));
    });
    let read = match receiver.recv_timeout(PATIENCE) {
        Ok(read) => read,
        Err(RecvTimeoutError::Disconnected) => return Ok(None),
        Err(RecvTimeoutError::Timeout) => {
            if !is_quiet {
                say(
                    "note: waiting for the end of standard input (redirect it from /dev/null if there is none to read)",
                );
            }
            receiver.recv().map_err(|_| "standard input cannot be read".to_owned())?
        }
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        // A closed descriptor reads as an error; it is the same as no input.
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::BADF.raw_os_error()) => return Ok(None),
        Err(error) => return Err(format!("standard input cannot be read: {error}")),
    };
    if bytes.len() as u64 > CAP {
        return Err("standard input is over 10 MB; give the agent a file to read instead".to_owned());
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        if !is_quiet {
            say("note: standard input is not all valid UTF-8; what is not is shown as \u{fffd}");
        }
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    });
    Ok(Some(text))
}
