//! Background commands: started by one tool call, reported to the model at the top of a later iteration.
//! The session owns them here, and with them the processes that a finished command left running; all of
//! them end with the session.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::OutputDir;
use super::process::{self, Process, STOP_GRACE, Shell};

/// Characters of output that a notice carries.
const TAIL: usize = 2_000;
/// Longer than a stop can take; a task that is not done by then is left to the kernel.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(5);

/// The background tasks of a session. Dropping it kills them.
#[derive(Debug, Default)]
pub struct Background {
    state: Arc<Mutex<State>>,
    outputs: Arc<OutputDir>,
}

#[derive(Debug, Default)]
struct State {
    /// How many were started, for the next one's id.
    count: u32,
    tasks: Vec<Task>,
    leftovers: Vec<Leftover>,
    finished: Vec<Finished>,
}

/// A task in the making of its end.
#[derive(Debug)]
struct Task {
    about: Running,
    group: super::group::Group,
    stop: CancellationToken,
    watcher: JoinHandle<()>,
}

/// What a finished command left running. The process is kept for its kill on drop.
#[derive(Debug)]
struct Leftover {
    about: Running,
    process: Process,
}

/// A background command that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// `bg1`, `bg2`, …
    pub id: String,
    /// The command line.
    pub command: String,
    /// The number of its process group.
    pub process_group: i32,
    /// Where its output goes.
    pub output: PathBuf,
    /// When it was started.
    pub since: Instant,
    /// True for what an ordinary command left behind; its end is not reported.
    pub is_leftover: bool,
}

/// A background command that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// `bg1`, `bg2`, …
    pub id: String,
    /// The command line.
    pub command: String,
    /// For example `completed (exit 0)` or `failed (exit 2)`.
    pub status: String,
    /// The end of its output; may be empty.
    pub tail: String,
    /// Where its output is.
    pub output: PathBuf,
    /// How long it ran.
    pub elapsed: Duration,
}

impl Background {
    /// Starts a command that outlives the call. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When it cannot be started, or there is no place for its output.
    pub fn start(&self, shell: &Shell<'_>) -> Result<Running, process::SpawnError> {
        let process = Process::spawn(shell)?;
        let mut state = self.lock();
        let about = state.describe(&process, shell.command, false)?;
        let (group, stop) = (process.group().clone(), CancellationToken::new());
        let watcher = tokio::spawn(watch(process, about.clone(), stop.clone(), Arc::clone(&self.state)));
        state.tasks.push(Task { about: about.clone(), group, stop, watcher });
        Ok(about)
    }

    /// Takes over a command whose shell has ended while processes that it started still run. They go on,
    /// their output too, until the session ends.
    ///
    /// # Errors
    /// When there is no place for their output; then they are killed.
    pub fn adopt(&self, process: Process, command: &str) -> std::io::Result<Running> {
        let mut state = self.lock();
        state.leftovers.retain(|leftover| leftover.process.has_survivors());
        let about = state.describe(&process, command, true)?;
        state.leftovers.push(Leftover { about: about.clone(), process });
        Ok(about)
    }

    /// The tasks that ended since this was last called, in the order of their ends. Costs nothing when
    /// there are none.
    pub fn finished(&self) -> Vec<Finished> {
        std::mem::take(&mut self.lock().finished)
    }

    /// The directory for output files, which goes with the session.
    pub fn outputs(&self) -> &Arc<OutputDir> {
        &self.outputs
    }

    /// What runs, leftovers last.
    pub fn running(&self) -> Vec<Running> {
        let mut state = self.lock();
        state.leftovers.retain(|leftover| leftover.process.has_survivors());
        let tasks = state.tasks.iter().map(|task| &task.about);
        tasks.chain(state.leftovers.iter().map(|leftover| &leftover.about)).cloned().collect()
    }

    /// Ends everything, asking first and killing what does not heed, and reaps it.
    pub async fn shutdown(&self) {
        let (tasks, leftovers) = {
            let mut state = self.lock();
            (std::mem::take(&mut state.tasks), std::mem::take(&mut state.leftovers))
        };
        tasks.iter().for_each(|task| task.stop.cancel());
        let stop_leftovers = leftovers.into_iter().map(|mut leftover| async move {
            leftover.process.stop(STOP_GRACE).await;
        });
        let watchers = futures::future::join_all(tasks.into_iter().map(|task| task.watcher));
        let all = futures::future::join(futures::future::join_all(stop_leftovers), watchers);
        let _ = tokio::time::timeout(SHUTDOWN_LIMIT, all).await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let mut state = self.lock();
        state.leftovers.clear();
        for task in std::mem::take(&mut state.tasks) {
            // The watcher owns the process, but may not be polled again: kill here.
            task.group.signal(Signal::KILL);
            task.watcher.abort();
        }
    }
}

impl State {
    fn describe(&mut self, process: &Process, command: &str, is_leftover: bool) -> std::io::Result<Running> {
        let output = process.output().keep_file()?;
        self.count += 1;
        Ok(Running {
            id: format!("bg{}", self.count),
            command: command.to_owned(),
            process_group: process.id(),
            output,
            since: Instant::now(),
            is_leftover,
        })
    }
}

/// Waits for a task's end, or ends it when told to, and files the report.
async fn watch(mut process: Process, about: Running, stop: CancellationToken, state: Arc<Mutex<State>>) {
    let status = tokio::select! {
        status = run(&mut process) => match status {
            Ok(status) if status.success() => format!("completed ({})", process::describe(status)),
            Ok(status) => format!("failed ({})", process::describe(status)),
            Err(error) => format!("lost ({error})"),
        },
        () = stop.cancelled() => {
            process.stop(STOP_GRACE).await;
            "stopped".to_owned()
        }
    };
    let tail = process.output().show(TAIL).text;
    let mut state = lock(&state);
    state.tasks.retain(|task| task.about.id != about.id);
    let elapsed = about.since.elapsed();
    let Running { id, command, output, .. } = about.clone();
    state.finished.push(Finished { id, command, status, tail, output, elapsed });
    if process.has_survivors() {
        state.leftovers.push(Leftover { about: Running { is_leftover: true, ..about }, process });
    }
}

/// A task is over when its shell has ended and nothing writes any more: `server &` is still running.
async fn run(process: &mut Process) -> std::io::Result<std::process::ExitStatus> {
    let status = process.wait().await?;
    process.output().closed().await;
    Ok(status)
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
