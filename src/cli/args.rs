//! The arguments. A doc comment here is the help text.

use std::path::PathBuf;

use clap::{ArgAction, Parser, ValueEnum};

use crate::permission::Mode;

/// A terminal coding agent.
///
/// Without -p in a terminal this is an interactive session. With -p it runs one task and prints the answer; what
/// comes on standard input is added to the task. A script on standard input is read as if it were typed.
#[derive(Debug, Parser)]
#[command(
    name = "bareagent",
    version,
    about,
    long_about,
    subcommand_precedence_over_arg = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(crate) struct Args {
    /// The first message of an interactive session; with -p, the task.
    #[arg(value_name = "PROMPT")]
    pub prompt: Option<String>,

    /// Run TASK, print the final answer and exit; without TASK, or with -, standard input is the task.
    #[arg(short, long, value_name = "TASK", num_args = 0..=1)]
    pub print: Option<Option<String>>,

    /// Flags of every way in.
    #[command(flatten)]
    pub options: Options,

    /// What else the program does.
    #[command(subcommand)]
    pub subcommand: Option<Subcommand>,
}

/// Subcommands.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Subcommand {
    /// Show the agent at work on a small project; the model's side is a recording, no key or network is needed.
    Demo(Demo),
}

/// Flags of the demo.
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Give the same task to the configured model instead of playing the recording.
    #[arg(long)]
    pub live: bool,
}

/// Flags of every way in.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Options {
    /// Model to use, by its name or as PROVIDER/NAME.
    #[arg(short, long, value_name = "NAME", global = true, help_heading = "Model")]
    pub model: Option<String>,

    /// Provider to use: one that is built in, or [providers.NAME] of the configuration.
    #[arg(long, value_name = "NAME", global = true, help_heading = "Model")]
    pub provider: Option<String>,

    /// Address of the provider's API, for any compatible server.
    #[arg(long, value_name = "URL", global = true, help_heading = "Model")]
    pub base_url: Option<String>,

    /// Limit on the tokens of one answer.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), global = true, help_heading = "Model")]
    pub max_tokens: Option<u32>,

    /// Limit on the model calls of one turn [default: 200].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), global = true, help_heading = "Model")]
    pub max_iterations: Option<u32>,

    /// Ask for each answer in one piece instead of a stream.
    #[arg(long, global = true, help_heading = "Model")]
    pub no_stream: bool,

    /// Replace the agent's own system text.
    #[arg(long, value_name = "TEXT", global = true, help_heading = "Model")]
    pub system_prompt: Option<String>,

    /// Add to the system text.
    #[arg(long, value_name = "TEXT", global = true, help_heading = "Model")]
    pub append_system_prompt: Option<String>,

    /// What runs without asking: default (reading), auto (edits and known-safe commands too), plan (reading only),
    /// bypass (everything).
    #[arg(long, value_name = "MODE", global = true, help_heading = "Permission")]
    pub permission_mode: Option<ModeArg>,

    /// The same as --permission-mode bypass.
    #[arg(long, global = true, conflicts_with = "permission_mode", help_heading = "Permission")]
    pub dangerously_skip_permissions: bool,

    /// Let calls through that match RULE, such as 'bash(cargo test *)' or 'edit_file(src/**)'; repeatable.
    #[arg(long, value_name = "RULE", action = ArgAction::Append, global = true, help_heading = "Permission")]
    pub allow: Vec<String>,

    /// Always ask about calls that match RULE; repeatable.
    #[arg(long, value_name = "RULE", action = ArgAction::Append, global = true, help_heading = "Permission")]
    pub ask: Vec<String>,

    /// Never run calls that match RULE; repeatable.
    #[arg(long, value_name = "RULE", action = ArgAction::Append, global = true, help_heading = "Permission")]
    pub deny: Vec<String>,

    /// Offer only these tools, as a comma-separated list.
    #[arg(long, value_name = "LIST", value_delimiter = ',', global = true, help_heading = "Permission")]
    pub tools: Option<Vec<String>>,

    /// Go on from the newest session of this directory.
    #[arg(short, long = "continue", global = true, conflicts_with = "resume", help_heading = "Session")]
    pub continue_: bool,

    /// Go on from a session of this directory, named by the beginning of its id or by its title.
    #[arg(short, long, value_name = "ID", num_args = 0..=1, global = true, help_heading = "Session")]
    pub resume: Option<Option<String>>,

    /// Keep nothing of this session on disk.
    #[arg(long, global = true, conflicts_with_all = ["continue_", "resume"], help_heading = "Session")]
    pub no_session: bool,

    /// Work in DIR.
    #[arg(short = 'C', long, value_name = "DIR", global = true, help_heading = "Session")]
    pub cwd: Option<PathBuf>,

    /// A further directory that belongs to the workspace; repeatable.
    #[arg(long, value_name = "DIR", action = ArgAction::Append, global = true, help_heading = "Session")]
    pub add_dir: Vec<PathBuf>,

    /// Read a further configuration file, over the user's and the project's.
    #[arg(long, value_name = "FILE", global = true, help_heading = "Session")]
    pub config: Option<PathBuf>,

    /// Write the model's side of this run to FILE, for --replay.
    #[arg(long, value_name = "FILE", global = true, help_heading = "Session")]
    pub record: Option<PathBuf>,

    /// Play the model's side from FILE; the tools run for real.
    #[arg(long, value_name = "FILE", global = true, help_heading = "Session")]
    pub replay: Option<PathBuf>,

    /// Play the recording that is built in; set by the demo, no flag.
    #[arg(skip)]
    pub demo_recording: bool,

    /// What standard output carries: the answer's text, or one JSON object.
    #[arg(long, value_name = "FORMAT", default_value = "text", global = true, help_heading = "Output")]
    pub output_format: OutputFormat,

    /// Only errors on standard error.
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// A line for each tool call on standard error, even when it is no terminal.
    #[arg(short, long, global = true, help_heading = "Output")]
    pub verbose: bool,

    /// Colours on a terminal.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true, help_heading = "Output")]
    pub color: ColorChoice,
}

impl Options {
    /// The permission mode that the flags ask for.
    pub(crate) fn mode(&self) -> Option<Mode> {
        if self.dangerously_skip_permissions { Some(Mode::Bypass) } else { self.permission_mode.map(Into::into) }
    }
}

/// The permission modes as flag values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// Reading runs, the rest is asked about.
    Default,
    /// Edits and known-safe commands run too.
    Auto,
    /// Reading only.
    Plan,
    /// Everything runs.
    Bypass,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Default => Self::Default,
            ModeArg::Auto => Self::Auto,
            ModeArg::Plan => Self::Plan,
            ModeArg::Bypass => Self::Bypass,
        }
    }
}

/// What standard output carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The last answer's text.
    #[default]
    Text,
    /// One result object.
    Json,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
