//! `bash`: runs a shell command, in the foreground with a limit or in the background.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;

use super::text::seconds;
use super::{Output, Tool, ToolContext, ToolError};
use crate::access::{Access, Preview};
use crate::exec::capture::SHOWN;
use crate::exec::process::{self, Ended, Process, STOP_GRACE, Shell};
use crate::workspace::Workspace;

/// The longest that a call may ask for.
const LONGEST: Duration = Duration::from_secs(600);
/// A person who interrupts waits for this before what does not heed is killed.
const CANCEL_GRACE: Duration = Duration::from_millis(60);

/// The tool, with the names of environment variables that commands must not see.
pub(super) struct Bash {
    pub(super) hidden: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    command: String,
    /// Default 120, at most 600.
    timeout_s: Option<u64>,
    /// Return at once; you are told when it ends. For servers and long jobs.
    background: Option<bool>,
    /// What it does, in a few words.
    #[expect(dead_code, reason = "read by the person who is asked, from the call itself")]
    description: Option<String>,
}

/// How a foreground command came to its end.
enum End {
    Exited(std::io::Result<Ended>),
    TimedOut(Duration),
    Cancelled,
}

impl Tool for Bash {
    const NAME: &'static str = "bash";
    const DESCRIPTION: &'static str = "Run a bash command. Every call is a new shell in the workspace root, without \
        terminal or input. stdout and stderr come together; the middle of long output goes to a file.";
    type Input = Input;

    fn access(&self, input: &Input, workspace: &Workspace) -> Vec<Access> {
        vec![Access::Run { command: input.command.clone(), cwd: workspace.root().to_path_buf() }]
    }

    fn preview(&self, input: &Input, _: &Workspace) -> Preview {
        Preview::Command(input.command.clone())
    }

    async fn run(&self, input: Input, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
        let outputs = cx.background.outputs();
        let shell = Shell { command: &input.command, cwd: cx.workspace.root(), outputs, hidden: &self.hidden };
        if input.command.contains('\0') {
            return Err(ToolError::new("The command contains a NUL character, which no shell can take."));
        }
        if input.background == Some(true) {
            return background(&shell, cx);
        }
        let limit = limit(input.timeout_s, cx.bash_timeout);
        foreground(&shell, limit, cx).await
    }
}

fn limit(asked: Option<u64>, default: Duration) -> Duration {
    match asked {
        Some(asked) => Duration::from_secs(asked.max(1)).min(LONGEST.max(default)),
        None => default,
    }
}

fn background(shell: &Shell<'_>, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
    let task = cx.background.start(shell).map_err(cannot_start)?;
    let (id, group, output) = (&task.id, task.process_group, task.output.display());
    let text = format!(
        "Task {id} started; its output goes to {output}. You will be told when it ends, and it ends with the \
         session. To stop it: kill -- -{group}"
    );
    Ok(Output::Text(text))
}

async fn foreground(shell: &Shell<'_>, limit: Duration, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
    let started = Instant::now();
    let mut process = Process::spawn(shell).map_err(cannot_start)?;
    let end = tokio::select! {
        biased;
        () = cx.cancel.cancelled() => End::Cancelled,
        ended = process.finish() => End::Exited(ended),
        () = tokio::time::sleep(limit) => End::TimedOut(limit),
    };
    match &end {
        End::Exited(_) => {}
        End::TimedOut(_) => {
            // Stopping takes a while where a command does not heed; the person may still interrupt that.
            tokio::select! {
                biased;
                () = cx.cancel.cancelled() => process.stop(Duration::ZERO).await,
                () = process.stop(STOP_GRACE) => {}
            }
        }
        End::Cancelled => process.stop(CANCEL_GRACE).await,
    }
    let elapsed = started.elapsed();
    let shown = process.output().show(SHOWN);
    let mut lines = if shown.text.is_empty() { Vec::new() } else { vec![shown.text] };
    lines.extend(shown.notes.into_iter().map(|note| format!("[{note}]")));
    if matches!(&end, End::Exited(Ok(ended)) if ended.has_survivors) {
        lines.push(adopt(process, shell.command, cx));
    }
    conclude(end, elapsed, lines)
}

/// Hands what the command left running to the session, and says so.
fn adopt(process: Process, command: &str, cx: &ToolContext<'_>) -> String {
    let is_daemon = !process.can_be_stopped();
    match cx.background.adopt(process, command) {
        Ok(left) if is_daemon => {
            format!("[a daemon that it started still writes; more output goes to {}]", left.output.display())
        }
        Ok(left) => format!(
            "[processes that it started still run and end with the session; more output goes to {}; to stop them: \
             kill -- -{}]",
            left.output.display(),
            left.process_group
        ),
        Err(error) => format!("[processes that it started were killed: no place for their output ({error})]"),
    }
}

/// The result's last line says how it ended; only success is no error.
fn conclude(end: End, elapsed: Duration, mut lines: Vec<String>) -> Result<Output, ToolError> {
    let elapsed = seconds(elapsed);
    let is_success = matches!(&end, End::Exited(Ok(ended)) if ended.status.success());
    lines.push(match end {
        End::Exited(Ok(ended)) => format!("[{}, {elapsed}]", process::describe(ended.status)),
        End::Exited(Err(error)) => format!("[its exit status was lost after {elapsed}: {error}]"),
        End::TimedOut(limit) => format!(
            "[timed out: stopped with all that it started after {}. For longer set timeout_s (at most {}) or \
             background: true]",
            seconds(limit),
            LONGEST.as_secs()
        ),
        End::Cancelled => format!("[interrupted by the user after {elapsed}; stopped with all that it started]"),
    });
    let text = lines.join("\n");
    if is_success { Ok(Output::Text(text)) } else { Err(ToolError(text)) }
}

fn cannot_start(error: process::SpawnError) -> ToolError {
    ToolError::new(format!("The command did not run: {error}."))
}
