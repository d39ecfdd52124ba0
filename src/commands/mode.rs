//! `/mode` and the modes by name.

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::{Context, Flow};
use crate::permission::Mode;

pub(super) fn mode<'a>(cx: &'a mut Context<'_>, name: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    if name.is_empty() {
        (cx.out)(&format!("permission mode: {}", cx.session.gate().mode()));
        return ready(Ok(Flow::Continue)).boxed();
    }
    ready(name.parse().map(|mode| set(cx, mode))).boxed()
}

pub(super) fn default<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(Ok(set(cx, Mode::Default))).boxed()
}

pub(super) fn auto<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(Ok(set(cx, Mode::Auto))).boxed()
}

pub(super) fn plan<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(Ok(set(cx, Mode::Plan))).boxed()
}

pub(super) fn bypass<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(Ok(set(cx, Mode::Bypass))).boxed()
}

fn set(cx: &mut Context<'_>, mode: Mode) -> Flow {
    cx.session.set_mode(mode);
    (cx.out)(&format!("permission mode: {mode}"));
    Flow::Continue
}
