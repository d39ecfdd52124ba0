//! `/help`, `/exit` and `/next`.

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::{COMMANDS, Context, Flow};

pub(super) fn help<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    for command in COMMANDS {
        let usage = format!("{} {}", command.name, command.argument);
        (cx.out)(&format!("  {usage:<20} {}", command.summary));
    }
    ready(Ok(Flow::Continue)).boxed()
}

pub(super) fn exit<'a>(_: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(Ok(Flow::Exit)).boxed()
}

/// Between two messages of a script there is nothing left to do.
pub(super) fn next<'a>(_: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(Ok(Flow::Continue)).boxed()
}
