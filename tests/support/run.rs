//! Running the built binary: its own home, state and working directory, a clean environment, a time
//! limit, and everything it said as the result.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use super::model_server::{ModelServer, Wire};

/// The directories of one user in one project. Clones share them; the last one removes them.
#[derive(Clone, Debug)]
pub struct Place(Arc<TempDir>);

impl Place {
    /// Fresh, empty directories.
    pub fn new() -> Self {
        let place = Self(Arc::new(TempDir::new().unwrap()));
        for directory in [place.home(), place.state(), place.work()] {
            std::fs::create_dir(directory).unwrap();
        }
        place
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// Where the program keeps its files (`BAREAGENT_HOME`).
    pub fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    /// The working directory.
    pub fn work(&self) -> PathBuf {
        self.root().join("work")
    }

    /// A file's text in the working directory.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.work().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Whether something is there in the working directory.
    pub fn exists(&self, path: &str) -> bool {
        self.work().join(path).exists()
    }

    /// The files under a directory, relative to it, in order.
    pub fn files_under(directory: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![directory.to_owned()];
        while let Some(next) = open.pop() {
            for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => open.push(entry.path()),
                    _ => found.push(entry.path().strip_prefix(directory).unwrap().to_owned()),
                }
            }
        }
        found.sort();
        found
    }

    /// The temporary directory itself, with a real (symlink-free) path.
    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }
}

/// A run to be: arguments, environment, input.
#[must_use]
pub struct Run {
    place: Place,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    stdin: Option<Vec<u8>>,
    limit: Duration,
}

impl Default for Run {
    fn default() -> Self {
        Self::new()
    }
}

impl Run {
    /// A run in a place of its own.
    pub fn new() -> Self {
        Self::at(&Place::new())
    }

    /// A run in a place that an earlier one used: same home, same sessions, same files.
    pub fn at(place: &Place) -> Self {
        Self { place: place.clone(), args: Vec::new(), env: Vec::new(), stdin: None, limit: Duration::from_secs(30) }
    }

    /// Uses this server as the provider, in that wire form.
    pub fn provider_at(self, server: &ModelServer, wire: Wire) -> Self {
        self.env("BAREAGENT_PROVIDER", wire.provider())
            .env("BAREAGENT_BASE_URL", server.base_url_for(wire))
            .env("BAREAGENT_MODEL", "scripted")
            .env("BAREAGENT_API_KEY", "test-key")
    }

    /// Adds arguments.
    pub fn args<T: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// What comes on stdin; without it stdin is empty (`/dev/null`).
    pub fn stdin(mut self, input: impl AsRef<[u8]>) -> Self {
        self.stdin = Some(input.as_ref().to_vec());
        self
    }

    /// Writes a file of the working directory before the run.
    pub fn file(self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        write(&self.place.work().join(path), content.as_ref());
        self
    }

    /// Writes a file of `BAREAGENT_HOME` before the run, such as `config.toml`.
    pub fn state_file(self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        write(&self.place.state().join(path), content.as_ref());
        self
    }

    /// How long the run may take before it is killed and the test fails (30 s).
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Where it runs.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Runs to the end.
    #[track_caller]
    pub fn run(self) -> Outcome {
        self.spawn().wait()
    }

    /// Starts it.
    #[track_caller]
    pub fn spawn(self) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bareagent"));
        command
            .args(&self.args)
            .current_dir(self.place.work())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.place.home())
            .env("BAREAGENT_HOME", self.place.state())
            .env("LANG", "C.UTF-8")
            .envs(self.env)
            .process_group(0)
            .stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot start the binary: {error}"));
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), self.stdin) {
            // A program that does not read its input must not fail the test here.
            std::thread::spawn(move || drop(pipe.write_all(&input)));
        }
        let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
        Running {
            child,
            stdout,
            stderr,
            place: self.place,
            deadline: Instant::now() + self.limit,
            started: Instant::now(),
        }
    }
}

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

/// A run in progress. Dropping it kills the process and its group.
#[must_use]
pub struct Running {
    child: Child,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    place: Place,
    deadline: Instant,
    started: Instant,
}

impl Running {
    /// Sends a signal to the process itself (not to its children).
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Where it runs.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The process id.
    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits for the end. A run over its limit is killed, and the test fails with what it said.
    #[track_caller]
    pub fn wait(mut self) -> Outcome {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > self.deadline {
                self.kill();
                let outcome = self.outcome(None);
                panic!("the run did not end in time\n{outcome}");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        // A signal's death is reported as a shell would.
        self.outcome(status.code().or(status.signal().map(|signal| 128 + signal)))
    }

    #[track_caller]
    fn outcome(&mut self, code: Option<i32>) -> Outcome {
        let text = |pipe: &Receiver<Vec<u8>>, name: &str| {
            let bytes = pipe.recv_timeout(Duration::from_secs(5));
            let bytes = bytes.unwrap_or_else(|_| panic!("a process that outlived the run still holds its {name}"));
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (stdout, stderr) = (text(&self.stdout, "stdout"), text(&self.stderr, "stderr"));
        Outcome { code: code.unwrap_or(-1), stdout, stderr, place: self.place.clone(), elapsed: self.started.elapsed() }
    }

    fn kill(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            let _ = kill_process_group(self.pid(), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a run did.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; 128 + N after signal N.
    pub code: i32,
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
    /// Where it ran; pass it to [`Run::at`] for another run there.
    pub place: Place,
    /// How long it took.
    pub elapsed: Duration,
}

impl Outcome {
    /// Fails with everything that was said unless the exit code is `code`.
    #[track_caller]
    pub fn assert_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "exit code\n{self}");
        self
    }

    /// Stdout as one JSON value.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("stdout is not JSON: {error}\n{self}"))
    }

    /// Stdout as one JSON value a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}\n{self}"));
        self.stdout.lines().map(parse).collect()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}
