//! The command line: arguments, which front end they ask for, and the exit code.

mod args;
mod build;
mod connect;
mod demo;
mod exit;
mod input;
mod oneshot;

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
    match (args.print.is_some() || args.prompt.is_some() && !(stdin && stdout), stdin) {
        (true, _) => oneshot::run(&args).await,
        (false, false) => oneshot::run_script(&args).await,
        (false, true) => oneshot::run(&args).await,
    }
}
