//! The built binary in a real pseudo-terminal, with a screen that can be read and waited for.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::model_server::{ModelServer, Wire};
use super::run::Place;

/// The longest that any wait takes before it fails the test.
const PATIENCE: Duration = Duration::from_secs(20);

const ROWS: NonZero<u16> = NonZero::new(40).unwrap();
const COLUMNS: NonZero<u16> = NonZero::new(100).unwrap();

/// What the reading thread and the test share.
struct Shared {
    screen: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser,
    raw: Vec<u8>,
    is_closed: bool,
}

/// A running interactive session.
pub struct Terminal {
    shared: Arc<Shared>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
}

impl Terminal {
    /// Starts the binary in a place, with a server as its provider.
    pub fn start(place: &Place, server: &ModelServer, args: &[&str]) -> Self {
        Self::start_with(place, server, args, &[])
    }

    /// The same with further variables in its environment.
    pub fn start_with(place: &Place, server: &ModelServer, args: &[&str], env: &[(&str, &str)]) -> Self {
        let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_bareagent"));
        command.args(args);
        command.cwd(place.work());
        command.env_clear();
        let variables = [
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", place.home().display().to_string()),
            ("BAREAGENT_HOME", place.state().display().to_string()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("BAREAGENT_PROVIDER", "anthropic".to_owned()),
            ("BAREAGENT_BASE_URL", server.base_url_for(Wire::Anthropic)),
            ("BAREAGENT_MODEL", "scripted".to_owned()),
            ("BAREAGENT_API_KEY", "test-key".to_owned()),
        ];
        for (name, value) in variables {
            command.env(name, value);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let state = State { parser: vt100::Parser::new(ROWS, COLUMNS, 500), raw: Vec::new(), is_closed: false };
        let shared = Arc::new(Shared { screen: Mutex::new(state), changed: Condvar::new() });
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let reader = pair.master.try_clone_reader().unwrap();
        let (theirs, answers) = (Arc::clone(&shared), Arc::clone(&keyboard));
        std::thread::spawn(move || read(reader, &theirs, &answers));
        Self { shared, keyboard, child, _master: pair.master }
    }

    /// Types text or keys (`\r` is Enter, `\x03` Ctrl+C, `\x04` Ctrl+D, `\x1b[Z` Shift+Tab).
    pub fn send(&self, keys: &str) {
        let mut keyboard = self.keyboard.lock().unwrap();
        keyboard.write_all(keys.as_bytes()).unwrap();
        keyboard.flush().unwrap();
    }

    /// Waits until the screen or what scrolled off it contains a text.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait(&format!("{text:?} on the screen"), |state| contents(state).contains(text));
    }

    /// Waits until a text was written so many times in all, whatever became of it on the screen.
    #[track_caller]
    pub fn wait_for_count(&self, text: &str, count: usize) {
        let enough = |state: &State| String::from_utf8_lossy(&state.raw).matches(text).count() >= count;
        self.wait(&format!("{text:?} {count} times"), enough);
    }

    /// Waits until the last line with anything on it begins with this and nothing follows: the prompt.
    #[track_caller]
    pub fn wait_for_prompt(&self, prompt: &str) {
        self.wait(&format!("the prompt {prompt:?}"), |state| {
            let text = contents(state);
            text.lines().rev().find(|line| !line.trim().is_empty()).is_some_and(|line| line.trim_end() == prompt)
        });
    }

    #[track_caller]
    fn wait(&self, what: &str, enough: impl Fn(&State) -> bool) {
        let state = self.shared.screen.lock().unwrap();
        let (state, timeout) = self.shared.changed.wait_timeout_while(state, PATIENCE, |state| !enough(state)).unwrap();
        assert!(!timeout.timed_out(), "waited {PATIENCE:?} for {what}; the screen:\n{}", contents(&state));
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        contents(&self.shared.screen.lock().unwrap())
    }

    /// All bytes that were written.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.shared.screen.lock().unwrap().raw).into_owned()
    }

    /// Waits for the end and returns the exit code.
    #[track_caller]
    pub fn exit_code(mut self) -> u32 {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(start.elapsed() < PATIENCE, "it did not end; the screen:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(3));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn contents(state: &State) -> String {
    state.parser.screen().contents()
}

/// Feeds the screen, and answers what a terminal is asked: where the cursor is, and what it is.
fn read(mut reader: Box<dyn Read + Send>, shared: &Shared, answers: &Mutex<Box<dyn Write + Send>>) {
    let mut buffer = [0; 4096];
    loop {
        let length = reader.read(&mut buffer).unwrap_or(0);
        let mut state = shared.screen.lock().unwrap();
        if length == 0 {
            state.is_closed = true;
            shared.changed.notify_all();
            return;
        }
        state.raw.extend_from_slice(&buffer[..length]);
        let mut rest = &buffer[..length];
        while let Some(at) = rest.windows(4).position(|bytes| bytes == b"\x1b[6n") {
            state.parser.process(&rest[..at]);
            let (row, column) = state.parser.screen().cursor_position();
            let reply = format!("\x1b[{};{}R", row + 1, column + 1);
            let _ = answers.lock().unwrap().write_all(reply.as_bytes());
            rest = &rest[at + 4..];
        }
        if rest.windows(3).any(|bytes| bytes == b"\x1b[c") {
            let _ = answers.lock().unwrap().write_all(b"\x1b[?1;2c");
        }
        state.parser.process(rest);
        shared.changed.notify_all();
    }
}
