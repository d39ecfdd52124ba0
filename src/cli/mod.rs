//! The command line: arguments, which front end they ask for, and the exit code.

mod args;
mod build;
mod connect;
mod demo;
mod exit;
mod input;
mod oneshot;
mod repl;
mod script;
mod signals;

pub use exit::Exit;

use std::io::IsTerminal;

use clap::Parser;

use args::{Args, Subcommand};

/// Runs the program on this process's arguments.
pub async fn run() -> Exit {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let is_request = !error.use_stderr();
            let _ = error.print();
            return if is_request { Exit::Success } else { Exit::Usage };
        }
    };
    if let Some(Subcommand::Demo(demo)) = &args.subcommand {
        return demo::run(&args.options, demo).await;
    }
    let (stdin, stdout) = (std::io::stdin().is_terminal(), std::io::stdout().is_terminal());
    match (args.print.is_some(), stdin, stdout) {
        (false, true, true) => repl::run(&args).await,
        (false, false, _) if args.prompt.is_none() => script::run(&args).await,
        _ => oneshot::run(&args).await,
    }
}

/// Makes a panic one clear line on standard error. The session is on disk already.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        crate::ui::restore();
        let place = info.location().map(|at| format!(" at {}:{}", at.file(), at.line())).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or("unknown cause");
        crate::output::say(&format!(
            "error: internal error{place}: {message} (please report this; the session is kept)"
        ));
    }));
}

/// Says that the asynchronous runtime could not start.
pub fn no_runtime(error: &std::io::Error) -> Exit {
    crate::output::say(&format!("error: the runtime cannot start: {error}"));
    Exit::Failure
}
