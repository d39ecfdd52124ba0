//! Script mode: what comes on standard input is read as if a person had typed it.

use super::Exit;
use super::args::{Args, OutputFormat};
use super::build::{self, StartError};
use super::connect::Reconnect;
use super::input::read_stdin;
use super::oneshot::Front;
use super::signals::Signals;
use crate::commands::{self, Command, Context, Flow, Line};
use crate::output::say;
use crate::session::{Session, TurnEnd};
use crate::ui::visible::visible;

/// A step of a script.
#[derive(Clone)]
pub(crate) enum Step {
    /// A message.
    Turn(String),
    /// A command with its argument.
    Command(&'static Command, String),
}

/// Takes a script apart: a line that starts with a known command is that command, all text between two commands
/// is one message.
///
/// # Errors
/// When a message would begin with something that looks like a command and is none.
pub(crate) fn split(script: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut text = String::new();
    for line in script.lines() {
        match commands::read(line) {
            Line::Command(command, argument) => {
                flush(&mut text, &mut steps);
                let is_message = command.is_prefix && !argument.is_empty();
                let own = if is_message { "" } else { argument };
                steps.push(Step::Command(command, own.to_owned()));
                if is_message {
                    text = format!("{argument}\n");
                }
            }
            Line::Unknown(problem) if text.trim().is_empty() => return Err(problem),
            Line::Unknown(_) | Line::Text => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    flush(&mut text, &mut steps);
    Ok(steps)
}

fn flush(text: &mut String, steps: &mut Vec<Step>) {
    let message = std::mem::take(text);
    if !message.trim().is_empty() {
        steps.push(Step::Turn(message.trim_matches('\n').to_owned()));
    }
}

/// Runs the script on standard input.
pub(crate) async fn run(args: &Args) -> Exit {
    let front = Front::new(&args.options);
    let steps = match read_steps(args) {
        Ok(steps) => steps,
        Err(error) => return front.fail(&error),
    };
    let setup = match build::setup(&args.options) {
        Ok(setup) => setup,
        Err(error) => return front.fail(&error),
    };
    match front.session(&setup, &args.options).await {
        Ok(session) => {
            let connect = Reconnect { settings: &setup.settings, options: &args.options };
            Script { front, session, connect, signals: Signals::listen() }.play(steps).await
        }
        Err(error) => front.fail(&error),
    }
}

fn read_steps(args: &Args) -> Result<Vec<Step>, StartError> {
    let script = read_stdin(args.options.quiet).map_err(StartError::usage)?.unwrap_or_default();
    let steps = split(&script).map_err(StartError::usage)?;
    if steps.is_empty() { Err(StartError::usage("no task: standard input is empty")) } else { Ok(steps) }
}

struct Script<'a> {
    front: Front,
    session: Session,
    connect: Reconnect<'a>,
    signals: Signals,
}

impl Script<'_> {
    async fn play(mut self, steps: Vec<Step>) -> Exit {
        let mut last: Option<TurnEnd> = None;
        for step in steps {
            match step {
                Step::Turn(text) => {
                    if let Some(end) = last.take() {
                        self.print(&end);
                    }
                    let end = self.session.turn(&text, &self.front.progress, &self.signals.cancel).await;
                    let is_failed = Exit::of(&end) != Exit::Success;
                    last = Some(end);
                    if is_failed {
                        break;
                    }
                }
                Step::Command(command, argument) => match self.command(command, &argument).await {
                    Ok(Flow::Continue) => {}
                    Ok(Flow::Exit) => break,
                    Err(problem) => {
                        if let Some(end) = last.take() {
                            self.print(&end);
                        }
                        self.session.close().await;
                        return self.front.fail(&StartError::usage(format!("{}: {problem}", command.name)));
                    }
                },
            }
        }
        match last {
            Some(end) => self.front.finish(&mut self.session, &end, &self.signals).await,
            None => self.front.finish_without_turn(&mut self.session).await,
        }
    }

    /// Prints the answer of a turn that another one follows.
    fn print(&self, end: &TurnEnd) {
        if let (Ok(text), OutputFormat::Text) = (&end.result, self.front.format) {
            self.front.print_answer(text);
        }
    }

    async fn command(&mut self, command: &Command, argument: &str) -> Result<Flow, String> {
        let out = |text: &str| say(&visible(text));
        let mut cx = Context {
            session: &mut self.session,
            events: &self.front.progress,
            cancel: &self.signals.cancel,
            connect: &self.connect,
            out: &out,
        };
        command.run(argument, &mut cx).await
    }
}
