//! The binary: a runtime, the front end, the exit code.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use bareagent::cli::{self, Exit};

fn main() -> ExitCode {
    cli::install_panic_hook();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return cli::no_runtime(&error).into(),
    };
    let exit = panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(cli::run()))).unwrap_or(Exit::Failure);
    // A read of standard input or a slow disk must not keep the process from ending.
    runtime.shutdown_background();
    exit.into()
}
