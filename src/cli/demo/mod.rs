//! `bareagent demo`: the real loop, gate and tools on a small project, with a recording in the model's place.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Exit;
use super::args::{Demo, Options};
use super::build::{self, StartError};
use super::oneshot::Front;
use super::signals::Signals;
use crate::output::say;
use crate::output::text::{Progress, Verbosity};
use crate::provider::replay::Replay;

const TASK: &str = "A test of this project fails. Find out why, fix it, and show that the tests pass.";
const RECORDING: &str = include_str!("recording.jsonl");
const FILES: [(&str, &str); 3] = [
    ("README.md", include_str!("README.md")),
    ("leap.sh", include_str!("leap.sh")),
    ("test.sh", include_str!("test.sh")),
];

/// Unpacks the project, runs the agent on it, and checks with the project's own test that it did the work.
pub(crate) async fn run(options: &Options, demo: &Demo) -> Exit {
    let mut front = Front::new(options);
    if !options.quiet {
        front.progress = Progress::new(Verbosity::Full);
    }
    match play(&mut front, options, demo).await {
        Ok(exit) => exit,
        Err(error) => front.fail(&error),
    }
}

/// The recorded conversation.
///
/// # Errors
/// When the recording that was built in is damaged.
pub(crate) fn recording() -> Result<Replay, StartError> {
    Replay::parse("(built in)", RECORDING)
        .map_err(|error| StartError { exit: Exit::Failure, message: error.to_string() })
}

async fn play(front: &mut Front, options: &Options, demo: &Demo) -> Result<Exit, StartError> {
    let project = unpack().map_err(|error| StartError {
        exit: Exit::Failure,
        message: format!("the demo's project cannot be unpacked: {error}"),
    })?;
    let options = Options {
        cwd: Some(project.path().to_owned()),
        permission_mode: options.permission_mode.or(Some(super::args::ModeArg::Auto)),
        allow: [options.allow.clone(), vec!["bash(bash test.sh)".to_owned()]].concat(),
        demo_recording: !demo.live && options.replay.is_none(),
        no_session: true,
        ..options.clone()
    };
    let setup = build::setup(&options)?;
    let mut session = front.session(&setup, &options).await?;
    if !options.quiet {
        introduce(&options, demo, session.model().name.as_str(), project.path());
    }
    let signals = Signals::listen();
    let end = session.turn(TASK, &front.progress, &signals.cancel).await;
    let exit = front.finish(&mut session, &end, &signals).await;
    if exit != Exit::Success {
        return Ok(exit);
    }
    Ok(check(project.path(), options.quiet))
}

fn introduce(options: &Options, demo: &Demo, model: &str, project: &Path) {
    say(&format!("A small project with a failing test is in {}.", project.display()));
    if demo.live {
        say(&format!("The task goes to the configured model ({model})."));
    } else {
        say("The model's side is a RECORDING; the loop, the permission gate and the tools are real and run now.");
    }
    let mode = options.mode().unwrap_or_default();
    say(&format!("Permission: mode {mode}, and --allow 'bash(bash test.sh)'."));
    say(&format!("\n> {TASK}\n"));
}

/// Runs the project's test once more, without the agent.
fn check(project: &Path, is_quiet: bool) -> Exit {
    let status =
        Command::new("bash").arg("test.sh").current_dir(project).stdin(Stdio::null()).stdout(Stdio::null()).status();
    let passes = status.is_ok_and(|status| status.success());
    if passes && !is_quiet {
        say("\nChecked: the project's test passes now.");
    }
    if !passes {
        say("error: the project's test still fails");
    }
    if passes { Exit::Success } else { Exit::Failure }
}

fn unpack() -> std::io::Result<tempfile::TempDir> {
    let project = tempfile::Builder::new().prefix("bareagent-demo-").tempdir()?;
    for (name, text) in FILES {
        fs::write(project.path().join(name), text)?;
    }
    Ok(project)
}
