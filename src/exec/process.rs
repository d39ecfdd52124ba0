//! One command as a process of its own session: started without a terminal or input, its output read
//! by a thread, and ended as a whole tree. Whatever happens to its owner, nothing is left running by
//! accident: dropping a [`Process`] kills it.

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};

use super::OutputDir;
use super::capture::Capture;
use super::environment;
use super::group::Group;

/// After the shell's end, so long may what it started take to end before it counts as left running.
const PIPE_GRACE: Duration = Duration::from_millis(200);
/// After SIGTERM, so long may a command take to end by itself.
pub const STOP_GRACE: Duration = Duration::from_secs(2);
/// After SIGKILL, so long is waited for the kernel.
const KILL_GRACE: Duration = Duration::from_secs(1);
/// How often the process table is looked at while a command is being stopped.
const POLL: Duration = Duration::from_millis(10);

/// What to run.
#[derive(Debug, Clone, Copy)]
pub struct Shell<'a> {
    /// The command line, for `bash -c`.
    pub command: &'a str,
    /// The directory it starts in.
    pub cwd: &'a Path,
    /// Where its output goes when it is long.
    pub outputs: &'a Arc<OutputDir>,
    /// Environment variables that it must not see, besides those whose names look like secrets.
    pub hidden: &'a [String],
}

/// Why a command could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// There is no bash.
    #[error("bash was not found on PATH; commands need it to be installed")]
    NoBash,
    /// The directory is gone.
    #[error("the working directory {} does not exist", .0.display())]
    NoDirectory(PathBuf),
    /// The system refused.
    #[error("bash could not be started: {0}")]
    Refused(#[from] io::Error),
}

/// How a command ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// The shell's status.
    pub status: ExitStatus,
    /// Whether processes that it started still run, or hold its output open.
    pub has_survivors: bool,
}

/// A running command.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Group,
    output: Capture,
}

impl Process {
    /// Starts a command. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// See [`SpawnError`].
    pub fn spawn(shell: &Shell<'_>) -> Result<Self, SpawnError> {
        let (reader, child) = spawn(shell).map_err(|error| explain(error, shell.cwd))?;
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pid = pid.ok_or_else(|| io::Error::other("it has no process number"))?;
        let output = Capture::new(Arc::clone(shell.outputs));
        let process = Self { child, group: Group::new(pid), output: output.clone() };
        // A blocking thread reads at the command's own speed without holding up the runtime. It ends when
        // the last writer does.
        let thread = std::thread::Builder::new().name("output".to_owned()).stack_size(256 * 1024);
        thread.spawn(move || drain(reader, &output))?;
        Ok(process)
    }

    /// The number of the shell, its process group and its session.
    pub fn id(&self) -> i32 {
        self.group.id()
    }

    /// What it wrote so far; usable after the process is gone.
    pub fn output(&self) -> &Capture {
        &self.output
    }

    pub(super) fn group(&self) -> &Group {
        &self.group
    }

    /// Waits for the shell's end and, briefly, for the end of its output and of what it started. May be
    /// dropped and called again.
    ///
    /// # Errors
    /// When the system cannot tell how it ended.
    pub async fn finish(&mut self) -> io::Result<Ended> {
        let status = self.wait().await?;
        let all_gone = async {
            self.output.closed().await;
            while self.group.is_alive() {
                tokio::time::sleep(POLL).await;
            }
        };
        let has_survivors = tokio::time::timeout(PIPE_GRACE, all_gone).await.is_err();
        Ok(Ended { status, has_survivors })
    }

    /// Waits for the shell's end.
    ///
    /// # Errors
    /// When the system cannot tell how it ended.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.group.leader_reaped();
        Ok(status)
    }

    /// Whether processes that the command started still run (or hold its output open) after its end.
    pub fn has_survivors(&self) -> bool {
        !self.output.is_closed() || self.group.is_alive()
    }

    /// Whether what survives is within reach: not so for a daemon in a session of its own.
    pub fn can_be_stopped(&self) -> bool {
        self.group.is_alive()
    }

    /// Ends the command and all that it started: asks, waits up to `grace`, kills, reaps.
    pub async fn stop(&mut self, grace: Duration) {
        self.group.signal(Signal::TERM);
        if tokio::time::timeout(grace, self.gone()).await.is_err() {
            self.group.signal(Signal::KILL);
            let _ = tokio::time::timeout(KILL_GRACE, self.killed()).await;
        }
        let _ = tokio::time::timeout(PIPE_GRACE, self.output.closed()).await;
    }

    async fn gone(&mut self) {
        // An error here means that there is no child to wait for.
        let _ = self.wait().await;
        while self.group.is_alive() {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Like `gone`, with the signal repeated: a process may have been forked while it was sent.
    async fn killed(&mut self) {
        let _ = self.wait().await;
        while self.group.is_alive() {
            self.group.signal(Signal::KILL);
            tokio::time::sleep(POLL).await;
        }
    }
}

impl Drop for Process {
    /// Kills at once what still runs; tokio reaps the shell. Survivors that shall live on must have been
    /// handed to [`super::background::Background::adopt`].
    fn drop(&mut self) {
        self.group.signal(Signal::KILL);
    }
}

/// How a process ended, in a few words: `exit 2`, `killed by signal 9`.
pub fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

/// Starts bash with one pipe for both outputs, so that they keep their order.
#[allow(unsafe_code)]
fn spawn(shell: &Shell<'_>) -> io::Result<(PipeReader, Child)> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new("bash");
    command.arg("-c").arg(OsStr::new(shell.command)).current_dir(shell.cwd);
    command.env_clear().envs(environment::clean(shell.hidden));
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    // SAFETY: between fork and exec only setsid is called, which is async-signal-safe and allocates nothing.
    unsafe {
        // A session of its own has no controlling terminal, so nothing can ask a person for a password.
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
    // `command` holds the writing ends; they must close here for the reader to see the end.
    Ok((reader, command.spawn()?))
}

fn explain(error: io::Error, cwd: &Path) -> SpawnError {
    match error.kind() {
        io::ErrorKind::NotFound if !cwd.is_dir() => SpawnError::NoDirectory(cwd.to_path_buf()),
        io::ErrorKind::NotFound => SpawnError::NoBash,
        _ => SpawnError::Refused(error),
    }
}

/// Reads to the end of the output.
fn drain(mut reader: PipeReader, output: &Capture) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => output.push(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    output.close();
}
