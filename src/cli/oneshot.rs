//! One task without a terminal (`-p`), and what all runs without a terminal share.

use std::io::IsTerminal;
use std::time::Instant;

use super::Exit;
use super::args::{Args, Options, OutputFormat};
use super::build::{self, Setup, StartError};
use super::input::read_stdin;
use super::signals::Signals;
use crate::event::{Event, EventSink};
use crate::loop_error::LoopError;
use crate::message::Role;
use crate::output::json::RunResult;
use crate::output::text::{Progress, Verbosity};
use crate::output::{Stdout, say};
use crate::session::{Session, TurnEnd};
use crate::ui::visible::{visible, visible_line};

/// Runs one task and prints its answer.
pub(crate) async fn run(args: &Args) -> Exit {
    let front = Front::new(&args.options);
    let started = match task(args).and_then(|task| Ok((task, build::setup(&args.options)?))) {
        Ok(started) => started,
        Err(error) => return front.fail(&error),
    };
    let (task, setup) = started;
    match front.session(&setup, &args.options).await {
        Ok(mut session) => {
            let signals = Signals::listen();
            let end = session.turn(&task, &front.progress, &signals.cancel).await;
            front.finish(&mut session, &end, &signals).await
        }
        Err(error) => front.fail(&error),
    }
}

/// The task: the flag's, the positional's, or standard input; piped input is added to a task that was given.
fn task(args: &Args) -> Result<String, StartError> {
    let by_flag = args.print.clone().flatten();
    if let (Some(_), Some(second)) = (&by_flag, &args.prompt) {
        return Err(StartError::usage(format!(
            "two tasks: -p has one already, and \"{second}\" is another; quote a task of several words"
        )));
    }
    let given = by_flag.or_else(|| args.prompt.clone()).filter(|task| task != "-");
    let piped = read_stdin(args.options.quiet).map_err(StartError::usage)?;
    let given = given.filter(|task| !task.trim().is_empty());
    let piped = piped.filter(|text| !text.trim().is_empty());
    match (given, piped) {
        (Some(task), Some(piped)) => Ok(format!("{task}\n\n<stdin>\n{piped}\n</stdin>")),
        (Some(task), None) => Ok(task),
        (None, Some(piped)) => Ok(piped),
        (None, None) => Err(StartError::usage("no task: give one to -p, or on standard input")),
    }
}

/// The parts of a front end without a terminal.
pub(crate) struct Front {
    pub(crate) format: OutputFormat,
    started: Instant,
    /// What standard error hears.
    pub progress: Progress,
    stdout: Stdout,
}

impl Front {
    /// For these flags, from now on.
    pub(crate) fn new(options: &Options) -> Self {
        let is_watched = std::io::stderr().is_terminal();
        let verbosity = match (options.quiet, options.verbose || is_watched) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Calls,
            (false, false) => Verbosity::Normal,
        };
        let progress = Progress::new(verbosity);
        Self { format: options.output_format, started: Instant::now(), progress, stdout: Stdout::default() }
    }

    /// Makes the session, with the settings' notices told.
    ///
    /// # Errors
    /// See [`build::session`].
    pub(crate) async fn session(&self, setup: &Setup, options: &Options) -> Result<Session, StartError> {
        for notice in &setup.settings.notices {
            self.progress.emit(Event::Notice(notice.clone()));
        }
        build::session(setup, options, None).await
    }

    /// Ends a run that could not begin.
    pub(crate) fn fail(&self, error: &StartError) -> Exit {
        say(&format!("error: {}", error.message));
        if self.format == OutputFormat::Json {
            self.stdout.write(&self.result(error.exit, "", std::slice::from_ref(&error.message), None).to_line());
        }
        error.exit
    }

    /// Ends a run: the answer or the result object on standard output, the error on standard error.
    pub(crate) async fn finish(&self, session: &mut Session, end: &TurnEnd, signals: &Signals) -> Exit {
        let exit = signals.exit_or(Exit::of(end));
        let errors = self.tell(session, end, exit).await;
        let text = answer(session, end);
        match self.format {
            OutputFormat::Text => self.print_answer(&text),
            OutputFormat::Json => {
                self.stdout.write(&self.result(exit, &text, &errors, Some(session)).to_line());
            }
        }
        exit
    }

    /// Ends a run of commands without a turn.
    pub(crate) async fn finish_without_turn(&self, session: &mut Session) -> Exit {
        session.close().await;
        if self.format == OutputFormat::Json {
            self.stdout.write(&self.result(Exit::Success, "", &[], Some(session)).to_line());
        }
        Exit::Success
    }

    /// Prints an answer as the product of a turn.
    pub(crate) fn print_answer(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = text.trim_end_matches('\n');
        // A file or a pipe gets the text as it is; a terminal must not act on what a model says.
        let text = if std::io::stdout().is_terminal() { visible(text) } else { text.to_owned() };
        self.stdout.write(&format!("{text}\n"));
    }

    async fn tell(&self, session: &mut Session, end: &TurnEnd, exit: Exit) -> Vec<String> {
        let mut errors = Vec::new();
        if let Err(error) = &end.result {
            errors.push(if exit == Exit::Terminated { "terminated".to_owned() } else { error.to_string() });
        } else if end.ended_on_denial {
            errors.push("the run ended on a tool call that was denied because nobody could be asked".to_owned());
        }
        for error in &errors {
            say(&format!("error: {}", visible_line(error)));
        }
        for task in session.close().await {
            self.progress.emit(Event::Warning(format!("background task still running at the end was stopped: {task}")));
        }
        errors
    }

    fn result<'a>(
        &self,
        exit: Exit,
        text: &'a str,
        errors: &'a [String],
        session: Option<&'a Session>,
    ) -> RunResult<'a> {
        let totals = session.map(Session::totals);
        RunResult {
            subtype: exit.subtype(),
            exit_code: exit.code(),
            text,
            errors,
            num_turns: totals.map_or(0, |totals| totals.model_calls),
            duration_ms: self.started.elapsed().as_millis(),
            duration_api_ms: totals.map_or(0, |totals| totals.api_time.as_millis()),
            usage: totals.map(|totals| totals.usage).unwrap_or_default(),
            denials: totals.map_or_else(Vec::new, |totals| {
                totals.denials.iter().map(|denial| (&denial.call, denial.reason.as_str())).collect()
            }),
            stop: totals.and_then(|totals| totals.stop),
            session_id: session.map(Session::id),
        }
    }
}

/// The text of a turn: its answer, or what there is of one that was cut off.
fn answer(session: &Session, end: &TurnEnd) -> String {
    match &end.result {
        Ok(text) => text.clone(),
        Err(LoopError::CutShort { .. }) => {
            let last = session.transcript().messages().last().filter(|message| message.role == Role::Assistant);
            last.map(|message| message.text()).unwrap_or_default()
        }
        Err(_) => String::new(),
    }
}
