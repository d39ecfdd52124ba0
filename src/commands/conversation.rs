//! `/clear`, `/new`, `/compact`, `/sessions` and `/resume`.

use std::time::SystemTime;

use futures::FutureExt;
use futures::future::{BoxFuture, ready};

use super::{Context, Flow};
use crate::session::Session;
use crate::store::list::Listed;

/// Sessions that `/resume` without an id offers.
const OFFERED: usize = 10;

pub(super) fn start_over<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    cx.session.start_over();
    (cx.out)("a new conversation");
    ready(Ok(Flow::Continue)).boxed()
}

pub(super) fn compact<'a>(cx: &'a mut Context<'_>, focus: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    async move {
        let focus = Some(focus).filter(|focus| !focus.is_empty());
        if !cx.session.compact(focus, cx.events, cx.cancel).await {
            (cx.out)("nothing was compacted");
        }
        Ok(Flow::Continue)
    }
    .boxed()
}

pub(super) fn sessions<'a>(cx: &'a mut Context<'_>, _: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(list(cx, usize::MAX).map(|_| Flow::Continue)).boxed()
}

pub(super) fn resume<'a>(cx: &'a mut Context<'_>, wanted: &'a str) -> BoxFuture<'a, Result<Flow, String>> {
    ready(resume_now(cx, wanted).map(|()| Flow::Continue)).boxed()
}

fn resume_now(cx: &mut Context<'_>, wanted: &str) -> Result<(), String> {
    if wanted.is_empty() {
        if list(cx, OFFERED)? > 0 {
            (cx.out)("/resume NUMBER, or the beginning of an id, goes on from one of them");
        }
        return Ok(());
    }
    let chosen = match wanted.parse::<usize>() {
        // A short number is a place in the list; a long one is the beginning of an id.
        Ok(number) if wanted.len() <= 2 => {
            let listed = others(cx.session)?.into_iter().nth(number.wrapping_sub(1));
            listed.ok_or_else(|| format!("there is no session {number} in the list"))?.id
        }
        _ => wanted.to_owned(),
    };
    for notice in cx.session.resume(Some(&chosen))? {
        (cx.out)(&format!("note: {notice}"));
    }
    let count = cx.session.transcript().messages().len();
    (cx.out)(&format!("going on from session {} ({count} messages)", short(cx.session.id())));
    Ok(())
}

fn others(session: &Session) -> Result<Vec<Listed>, String> {
    Ok(session.list()?.into_iter().filter(|listed| listed.id != session.id()).collect())
}

/// Lists the other sessions, newest first, and says how many there are.
fn list(cx: &mut Context<'_>, most: usize) -> Result<usize, String> {
    let sessions = others(cx.session)?;
    if sessions.is_empty() {
        (cx.out)("there is no other session of this project");
    }
    for (index, session) in sessions.iter().take(most).enumerate() {
        let age = SystemTime::now().duration_since(session.modified).unwrap_or_default();
        (cx.out)(&format!("{:>3}  {}  {:>8}  {}", index + 1, short(&session.id), ago(age.as_secs()), session.title));
    }
    Ok(sessions.len())
}

/// As much of an id as tells sessions apart: the time it was made.
fn short(id: &str) -> &str {
    id.get(..18).unwrap_or(id)
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}
