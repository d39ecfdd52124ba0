//! Slash commands: the table that lists them, and what each does. The interactive session and scripts share them.
//!
//! A new command is a function and one line in [`COMMANDS`]; help and suggestions derive from the list.

mod conversation;
mod help;
mod mode;
mod model;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::event::EventSink;
use crate::session::{Model, Session};

/// A slash command.
#[derive(Clone, Copy)]
pub struct Command {
    /// Its name, with the slash.
    pub name: &'static str,
    /// What may follow it, for the help.
    pub argument: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Whether text after it is the next message rather than its argument.
    pub is_prefix: bool,
    run: Run,
}

type Run = for<'a> fn(&'a mut Context<'_>, &'a str) -> BoxFuture<'a, Result<Flow, String>>;

/// What a command works with.
pub struct Context<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// Who watches.
    pub events: &'a dyn EventSink,
    /// Ends a command that waits.
    pub cancel: &'a CancellationToken,
    /// Connects another model.
    pub connect: &'a dyn Connect,
    /// Where the command's words for the person go.
    pub out: &'a (dyn Fn(&str) + Sync),
}

/// Connects a model by its name, as the command line would.
pub trait Connect: Sync {
    /// The model of that name.
    fn connect<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Model, String>>;
}

/// How to go on after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// With the next line.
    Continue,
    /// By ending the session.
    Exit,
}

/// All commands, in the order of the help.
pub static COMMANDS: &[Command] = &[
    command("/help", "", "list the commands", help::help),
    command("/exit", "", "end the session", help::exit),
    command("/clear", "", "begin an empty conversation; the old one stays on disk", conversation::start_over),
    command("/new", "", "the same as /clear", conversation::start_over),
    command(
        "/compact",
        "[FOCUS]",
        "summarise the conversation to make room, with regard to FOCUS",
        conversation::compact,
    ),
    command("/sessions", "", "list this project's sessions", conversation::sessions),
    command("/resume", "[ID]", "go on from another session; without ID, choose from a list", conversation::resume),
    prefix("/default", "permission mode: reading runs, the rest is asked about", mode::default),
    prefix("/auto", "permission mode: edits and known-safe commands run too", mode::auto),
    prefix("/plan", "permission mode: reading only", mode::plan),
    prefix("/bypass", "permission mode: everything runs", mode::bypass),
    command("/mode", "[NAME]", "show or set the permission mode", mode::mode),
    command("/model", "[NAME]", "show or change the model", model::model),
    command("/cost", "", "show what the session has used", model::cost),
    command("/next", "", "in a script, end one message and begin another", help::next),
];

const fn command(name: &'static str, argument: &'static str, summary: &'static str, run: Run) -> Command {
    Command { name, argument, summary, is_prefix: false, run }
}

const fn prefix(name: &'static str, summary: &'static str, run: Run) -> Command {
    Command { name, argument: "[MESSAGE]", summary, is_prefix: true, run }
}

/// What a line is.
pub enum Line<'a> {
    /// A command with what follows it.
    Command(&'static Command, &'a str),
    /// Something that looks like a command and is none; the sentence for the person.
    Unknown(String),
    /// Text.
    Text,
}

/// Reads a line. A path such as `/usr/lib` is text, and so is a word that names something on disk.
pub fn read(line: &str) -> Line<'_> {
    let line = line.trim_end();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if let Some(command) = COMMANDS.iter().find(|command| command.name == word) {
        return Line::Command(command, rest.trim());
    }
    let name = word.strip_prefix('/').unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if !is_name || std::path::Path::new(word).exists() {
        return Line::Text;
    }
    let nearest = COMMANDS.iter().max_by(|a, b| strsim::jaro(a.name, word).total_cmp(&strsim::jaro(b.name, word)));
    let hint = nearest
        .filter(|near| strsim::jaro(near.name, word) > 0.75)
        .map(|near| format!(" (did you mean {}?)", near.name));
    Line::Unknown(format!("unknown command {word}{}; /help lists them", hint.unwrap_or_default()))
}

impl Command {
    /// Runs it.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub async fn run(&self, argument: &str, cx: &mut Context<'_>) -> Result<Flow, String> {
        (self.run)(cx, argument).await
    }
}
