//! The interactive session: read a line, run it as a command or a turn, again.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Exit;
use super::args::{Args, ColorChoice, Options, OutputFormat};
use super::build::{self, Setup, StartError};
use super::connect::Reconnect;
use super::signals::Signals;
use crate::commands::{self, Command, Context, Flow, Line};
use crate::output::say;
use crate::session::Session;
use crate::ui::prompt::{Editor, Typed};
use crate::ui::question::TerminalApprover;
use crate::ui::screen::Screen;
use crate::ui::style::{Style, Tone};
use crate::ui::{self};

/// How often the line that shows what is waited for is written anew.
const TICK: Duration = Duration::from_secs(1);

/// Runs the interactive session.
pub(crate) async fn run(args: &Args) -> Exit {
    match start(args).await {
        Ok(exit) => exit,
        Err(error) => {
            say(&format!("error: {}", error.message));
            error.exit
        }
    }
}

async fn start(args: &Args) -> Result<Exit, StartError> {
    if args.options.output_format != OutputFormat::Text {
        return Err(StartError::usage("--output-format is for runs without a terminal; give the task to -p"));
    }
    let style = Style::detect(match args.options.color {
        ColorChoice::Auto => None,
        ColorChoice::Always => Some(true),
        ColorChoice::Never => Some(false),
    });
    let setup = build::setup(&args.options)?;
    let screen = Arc::new(Screen::new(style));
    let chooses = matches!(args.options.resume, Some(None));
    let options = Options { resume: args.options.resume.clone().filter(|_| !chooses), ..args.options.clone() };
    let approver = TerminalApprover::new(Arc::clone(&screen));
    let session = build::session(&setup, &options, Some(Box::new(approver))).await?;
    let mut repl = Repl { screen, session, setup: &setup, options: &options, signals: Signals::listen() };
    repl.greet();
    let mut first: Vec<String> = Vec::new();
    first.extend(chooses.then(|| "/resume".to_owned()));
    first.extend(
        args.prompt.clone().or_else(|| args.print.clone().flatten()).filter(|prompt| !prompt.trim().is_empty()),
    );
    let exit = repl.converse(first).await;
    repl.close().await;
    Ok(exit)
}

struct Repl<'a> {
    screen: Arc<Screen>,
    session: Session,
    setup: &'a Setup,
    options: &'a Options,
    signals: Signals,
}

impl Repl<'_> {
    fn greet(&self) {
        for notice in &self.setup.settings.notices {
            self.screen.line(Some(Tone::Dim), notice);
        }
        let model = self.session.model();
        let place = self.session.workspace().root().display();
        let header =
            format!("bareagent {} · {} at {} · {place}", env!("CARGO_PKG_VERSION"), model.name, model.provider.name());
        self.screen.line(Some(Tone::Dim), &header);
        self.screen.line(Some(Tone::Dim), "/help lists the commands; shift+tab changes the permission mode");
    }

    async fn converse(&mut self, first: Vec<String>) -> Exit {
        let (mut editor, notice) = Editor::new(&self.setup.paths.history(), self.screen.style(), self.session.gate());
        if let Some(notice) = notice {
            self.screen.line(Some(Tone::Warning), &notice);
        }
        for line in first {
            if self.line(&line).await == Flow::Exit {
                return Exit::Success;
            }
        }
        let mut interrupts = 0;
        loop {
            let typed;
            (editor, typed) = match self.read(editor).await {
                Read::Typed(editor, typed) => (*editor, typed),
                Read::Failed(error) => {
                    say(&format!("error: the terminal cannot be read: {error}"));
                    return Exit::Failure;
                }
                Read::Signal(exit) => return exit,
            };
            interrupts = if typed == Typed::Interrupt { interrupts + 1 } else { 0 };
            match typed {
                Typed::Line(line) if self.line(&line).await == Flow::Exit => return Exit::Success,
                Typed::Interrupt if interrupts > 1 => return Exit::Success,
                Typed::Interrupt => self.screen.line(Some(Tone::Dim), "ctrl+c once more exits"),
                Typed::End => return Exit::Success,
                Typed::Line(_) | Typed::Cleared => {}
            }
        }
    }

    /// Reads on a thread of its own, so that signals and background tasks are still attended to.
    async fn read(&mut self, mut editor: Editor) -> Read {
        let mode = self.session.gate().mode();
        let cancel = self.signals.fresh();
        let reading = tokio::task::spawn_blocking(move || {
            let typed = editor.read();
            (Box::new(editor), typed)
        });
        let read = tokio::select! {
            read = reading => match read {
                Ok((editor, Ok(typed))) => Read::Typed(editor, typed),
                Ok((_, Err(error))) => Read::Failed(error),
                Err(error) => Read::Failed(io::Error::other(error)),
            },
            () = cancel.cancelled() => {
                ui::restore();
                Read::Signal(self.signals.exit_or(Exit::Interrupted))
            }
        };
        let new_mode = self.session.gate().mode();
        if new_mode != mode {
            self.session.set_mode(new_mode);
        }
        read
    }

    async fn line(&mut self, line: &str) -> Flow {
        match commands::read(line) {
            _ if line.trim().is_empty() => Flow::Continue,
            Line::Command(command, argument) => self.command(command, argument).await,
            Line::Unknown(problem) => {
                self.screen.line(Some(Tone::Error), &problem);
                Flow::Continue
            }
            Line::Text => {
                self.turn(line).await;
                Flow::Continue
            }
        }
    }

    async fn command(&mut self, command: &Command, argument: &str) -> Flow {
        let cancel = self.signals.fresh();
        let connect = Reconnect { settings: &self.setup.settings, options: self.options };
        let screen = Arc::clone(&self.screen);
        let out = |text: &str| screen.line(None, text);
        let mut cx = Context {
            session: &mut self.session,
            events: screen.as_ref(),
            cancel: &cancel,
            connect: &connect,
            out: &out,
        };
        let own = if command.is_prefix { "" } else { argument };
        let outcome = ticking(&screen, command.run(own, &mut cx)).await;
        self.screen.settle();
        match outcome {
            Ok(flow) => {
                if command.is_prefix && !argument.is_empty() {
                    self.turn(argument).await;
                }
                flow
            }
            Err(problem) => {
                self.screen.line(Some(Tone::Error), &format!("{}: {problem}", command.name));
                Flow::Continue
            }
        }
    }

    async fn turn(&mut self, prompt: &str) {
        let cancel = self.signals.fresh();
        let started = Instant::now();
        let screen = Arc::clone(&self.screen);
        let before = self.session.totals().model_calls;
        let echo = ui::prompt::QuietInput::begin(screen.style());
        let end = ticking(&screen, self.session.turn(prompt, screen.as_ref(), &cancel)).await;
        drop(echo);
        self.screen.settle();
        if let Err(error) = &end.result {
            self.screen.line(Some(Tone::Error), &error.to_string());
        }
        let (used, window) = self.session.context_use();
        let calls = self.session.totals().model_calls - before;
        let summary = format!(
            "{:.1} s · {calls} model calls · about {used} tokens of context ({} %)",
            started.elapsed().as_secs_f64(),
            used * 100 / window.max(1)
        );
        self.screen.line(Some(Tone::Dim), &summary);
    }

    async fn close(&mut self) {
        for task in self.session.close().await {
            self.screen.line(Some(Tone::Warning), &format!("stopped background task {task}"));
        }
        if self.session.path().is_some_and(std::path::Path::exists) {
            let id = self.session.id();
            self.screen
                .line(Some(Tone::Dim), &format!("bareagent -r {} goes on from here", id.get(..18).unwrap_or(id)));
        }
    }
}

/// What became of waiting for a line.
enum Read {
    Typed(Box<Editor>, Typed),
    Failed(io::Error),
    Signal(Exit),
}

/// Runs something that is waited for, with the age of the wait on the screen.
async fn ticking<T>(screen: &Screen, work: impl Future<Output = T>) -> T {
    let ticks = async {
        loop {
            tokio::time::sleep(TICK).await;
            screen.tick();
        }
    };
    tokio::select! {
        biased;
        done = work => done,
        never = ticks => never,
    }
}
