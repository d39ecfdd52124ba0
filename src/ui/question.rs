//! The approval question: what would run or change, why it is asked, and the answer's key.

use std::io::{self, Write};
use std::sync::Arc;

use crossterm::terminal;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::describe::describe;
use super::diff;
use super::keys::{Key, Keys};
use super::screen::Screen;
use super::style::Tone;
use super::visible::{fit, visible, visible_line};
use crate::access::Preview;
use crate::permission::{Answer, Approver, Decision, Question};

/// Rows that the question needs besides what it shows.
const FRAME: usize = 8;

/// Asks at the terminal.
pub struct TerminalApprover {
    screen: Arc<Screen>,
}

impl TerminalApprover {
    /// Asks on this screen.
    pub fn new(screen: Arc<Screen>) -> Self {
        Self { screen }
    }

    fn show(&self, question: &Question<'_>) {
        let (columns, rows) =
            terminal::size().map_or((80, 24), |(columns, rows)| (usize::from(columns), usize::from(rows)));
        let style = self.screen.style();
        let mut lines = vec![style.paint(Tone::Strong, &format!("? {}", headline(question)))];
        lines.extend(match question.preview {
            // Whole, however long: nobody should approve what was not shown.
            Preview::Command(command) => visible(command).lines().map(|line| format!("  {line}")).collect(),
            Preview::Diff { before, after, .. } => diff::lines(before, after, rows.saturating_sub(FRAME).max(6), style),
            Preview::Text(text) => visible(text).lines().map(|line| format!("  {line}")).collect(),
        });
        lines.push(style.paint(Tone::Dim, &format!("because {}", visible_line(&question.judgement.reason))));
        let asking = question.judgement.parts.iter().filter(|part| part.decision != Decision::Allow);
        if question.judgement.parts.len() > 1 {
            for part in asking.take(4) {
                let text = format!("  {}: {}", visible_line(&part.command), visible_line(&part.reason));
                lines.push(style.paint(Tone::Warning, &fit(&text, columns)));
            }
        }
        lines.push(keys(question));
        // In raw mode a line feed alone does not return to the first column.
        print(&format!("{}\r\n", lines.join("\r\n")));
    }
}

fn headline(question: &Question<'_>) -> String {
    match question.preview {
        Preview::Command(_) => "Run this command?".to_owned(),
        Preview::Diff { path, .. } => format!("Change {}?", visible_line(&path.display().to_string())),
        Preview::Text(_) => format!("Allow {}?", visible_line(&describe(question.call))),
    }
}

fn keys(question: &Question<'_>) -> String {
    let always = question.judgement.suggested_rule.as_ref();
    let always = always.map(|rule| format!("  [a] always in this session: {}", visible_line(rule))).unwrap_or_default();
    format!("[y] yes{always}  [n] no  [r] no, and say why")
}

fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

impl Approver for TerminalApprover {
    fn ask<'a>(&'a self, question: Question<'a>, cancel: &'a CancellationToken) -> BoxFuture<'a, Answer> {
        async move {
            self.screen.settle();
            // What was typed before the question was there is no answer to it; opening the keys drops it.
            let answer = match Keys::open() {
                Ok(mut keys) => {
                    self.show(&question);
                    read_answer(&mut keys, &question, cancel).await
                }
                Err(_) => Answer::No(None),
            };
            self.screen.line(Some(Tone::Dim), &spoken(&answer));
            answer
        }
        .boxed()
    }
}

/// The answer in words, for the scrollback.
fn spoken(answer: &Answer) -> String {
    match answer {
        Answer::Yes => "yes".to_owned(),
        Answer::Always => "always".to_owned(),
        Answer::No(None) => "no".to_owned(),
        Answer::No(Some(reason)) => format!("no: {reason}"),
    }
}

async fn read_answer(keys: &mut Keys, question: &Question<'_>, cancel: &CancellationToken) -> Answer {
    loop {
        match keys.next(cancel).await {
            Some(Key::Interrupt) => {
                cancel.cancel();
                return Answer::No(None);
            }
            None | Some(Key::Escape | Key::Char('n' | 'N')) => return Answer::No(None),
            Some(Key::Char('y' | 'Y')) => return Answer::Yes,
            Some(Key::Char('a' | 'A')) if question.judgement.suggested_rule.is_some() => return Answer::Always,
            Some(Key::Char('r' | 'R')) => return Answer::No(read_reason(keys, cancel).await),
            Some(_) => {}
        }
    }
}

/// A line typed as the reason; nothing typed is no reason.
async fn read_reason(keys: &mut Keys, cancel: &CancellationToken) -> Option<String> {
    let mut reason = String::new();
    print("why: ");
    loop {
        match keys.next(cancel).await {
            Some(Key::Interrupt) => {
                cancel.cancel();
                break reason.clear();
            }
            None | Some(Key::Escape) => break reason.clear(),
            Some(Key::Enter) => break,
            Some(Key::Backspace) => {
                if reason.pop().is_some() {
                    print("\u{8} \u{8}");
                }
            }
            Some(Key::Char(c)) => {
                reason.push(c);
                print(&visible_line(&c.to_string()));
            }
            Some(Key::Other) => {}
        }
    }
    print("\r\n");
    Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty())
}
