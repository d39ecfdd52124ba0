//! What happens, written to the terminal as it comes. Finished text is never touched again; below it, while
//! something is waited for, one line says what and for how long.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::queue;
use crossterm::style::Print;
use crossterm::terminal::{self, Clear, ClearType};
use unicode_width::UnicodeWidthStr;

use super::describe::describe;
use super::diff;
use super::style::{Style, Tone};
use super::visible::{fit, visible, visible_line};
use crate::event::{Event, EventSink, Phase};
use crate::message::{ToolCall, ToolResult};

/// Lines of a result that are shown.
const RESULT_LINES: usize = 4;
/// Lines of a change that are shown.
const CHANGE_LINES: usize = 16;

/// The terminal as a sink of events.
#[derive(Debug)]
pub struct Screen {
    style: Style,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Columns of the line that is being written; `None` when a tab makes that hard to say.
    column: Option<usize>,
    /// What is waited for, since when.
    waiting: Option<(Phase, Instant)>,
    /// Where the line that says so is on the screen, if it is.
    status: Option<StatusLine>,
}

/// Where the status line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatusLine {
    /// On the line that the next text goes to.
    Here,
    /// Below a line that is not ended; its text ends in this column.
    Below(u16),
}

impl Screen {
    /// A screen in this style.
    pub fn new(style: Style) -> Self {
        let state = State { column: Some(0), waiting: None, status: None };
        Self { style, state: Mutex::new(state) }
    }

    /// Its style.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Writes a line in a tone.
    pub fn line(&self, tone: Option<Tone>, text: &str) {
        let mut state = self.lock();
        self.clear_status(&mut state);
        self.own_line(&mut state);
        let text = visible(text);
        let painted = tone.map_or_else(|| text.clone(), |tone| self.style.paint(tone, &text));
        self.write(&format!("{painted}\n"));
    }

    /// Says anew how long is waited; called about once a second while a turn runs.
    pub fn tick(&self) {
        let mut state = self.lock();
        self.draw_status(&mut state);
    }

    /// Nothing is waited for any more.
    pub fn settle(&self) {
        let mut state = self.lock();
        self.clear_status(&mut state);
        self.own_line(&mut state);
        state.waiting = None;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A terminal that is gone takes nothing more; the turn goes on to its end.
    fn write(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn own_line(&self, state: &mut State) {
        if state.column != Some(0) {
            self.write("\n");
            state.column = Some(0);
        }
    }

    fn clear_status(&self, state: &mut State) {
        let status = state.status.take();
        if status.is_some() {
            let _ = queue!(io::stdout(), MoveToColumn(0), Clear(ClearType::CurrentLine));
        }
        if let Some(StatusLine::Below(column)) = status {
            let _ = queue!(io::stdout(), MoveUp(1), MoveToColumn(column));
        }
    }

    fn draw_status(&self, state: &mut State) {
        let Some((phase, since)) = &state.waiting else { return };
        let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns)).max(1);
        let text = format!("{} · {} s · ctrl+c interrupts", name(phase), since.elapsed().as_secs());
        let text = self.style.paint(Tone::Dim, &fit(&text, width));
        let place = match (state.status, state.column.map(|column| column % width)) {
            (Some(place), _) => place,
            (None, Some(0)) if state.column == Some(0) => StatusLine::Here,
            // A line that ends at the screen's edge leaves the cursor in between: better no status than a torn line.
            (None, Some(column)) if column > 0 => StatusLine::Below(u16::try_from(column).unwrap_or(0)),
            (None, _) => return,
        };
        if !self.style.moves {
            return;
        }
        let is_new_below = state.status.is_none() && place != StatusLine::Here;
        let start = if is_new_below { "\n" } else { "" };
        let _ = queue!(io::stdout(), Print(start), MoveToColumn(0), Clear(ClearType::CurrentLine));
        self.write(&text);
        state.status = Some(place);
    }

    /// Writes a piece of running text.
    fn say(&self, text: &str, tone: Option<Tone>) {
        let mut state = self.lock();
        self.clear_status(&mut state);
        let shown = visible(text);
        state.column = column_after(state.column, &shown);
        state.waiting = Some((Phase::Streaming, Instant::now()));
        self.write(&tone.map_or_else(|| shown.clone(), |tone| self.style.paint(tone, &shown)));
    }

    fn wait_for(&self, phase: Phase) {
        let mut state = self.lock();
        state.waiting = Some((phase, Instant::now()));
        self.draw_status(&mut state);
    }

    fn tool_finished(&self, call: &ToolCall, result: &ToolResult, elapsed: Duration) {
        let mark = if result.is_error { self.style.paint(Tone::Error, "✗") } else { "●".to_owned() };
        let took = if elapsed.as_secs() > 0 { format!("  ({} s)", elapsed.as_secs()) } else { String::new() };
        let head = format!("{mark} {}{took}", visible_line(&describe(call)));
        let text = result.content.text();
        let is_change = text.lines().any(|line| line.starts_with("@@ "));
        let most = if is_change { CHANGE_LINES } else { RESULT_LINES };
        let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns)).max(20);
        let mut lines = vec![head];
        for line in text.lines().take(most) {
            let line = fit(&visible_line(line), width - 4);
            let painted = if is_change { diff::paint(&line, self.style) } else { self.style.paint(Tone::Dim, &line) };
            lines.push(format!("    {painted}"));
        }
        let more = text.lines().count().saturating_sub(most);
        if more > 0 {
            lines.push(self.style.paint(Tone::Dim, &format!("    … {more} more lines")));
        }
        let mut state = self.lock();
        self.clear_status(&mut state);
        self.own_line(&mut state);
        self.write(&format!("{}\n", lines.join("\n")));
    }
}

impl EventSink for Screen {
    fn emit(&self, event: Event) {
        match event {
            Event::Phase(phase) => self.wait_for(phase),
            Event::Text(text) => self.say(&text, None),
            Event::Thinking(text) => self.say(&text, Some(Tone::Dim)),
            Event::Assistant { stop, .. } => {
                let mut state = self.lock();
                self.clear_status(&mut state);
                self.own_line(&mut state);
                state.waiting = None;
                drop(state);
                if stop.is_none() {
                    self.line(Some(Tone::Warning), "[the answer above was cut off]");
                }
            }
            Event::ToolStarted(call) => self.wait_for(Phase::RunningTool(call.name)),
            Event::ToolFinished { call, result, elapsed } => self.tool_finished(&call, &result, elapsed),
            Event::Background { id, status } => self.line(Some(Tone::Dim), &format!("background task {id}: {status}")),
            Event::Compacted { before, after, how, .. } => {
                self.line(Some(Tone::Dim), &format!("compacted: about {before} to {after} tokens, {how}"));
            }
            Event::Notice(text) => self.line(Some(Tone::Dim), &text),
            Event::Warning(text) => self.line(Some(Tone::Warning), &text),
            Event::Steering(text) => self.line(Some(Tone::Dim), &format!("> {text}")),
            Event::Denied { .. } | Event::Results(_) => {}
        }
    }
}

/// The column after more text; a tab makes it unknown until the line ends.
fn column_after(column: Option<usize>, text: &str) -> Option<usize> {
    let (before, last) = text.rsplit_once('\n').map_or((column, text), |(_, last)| (Some(0), last));
    before.filter(|_| !last.contains('\t')).map(|before| before + last.width())
}

/// A phase in words.
fn name(phase: &Phase) -> String {
    match phase {
        Phase::Connecting => "connecting".to_owned(),
        Phase::WaitingForModel => "waiting for the model".to_owned(),
        Phase::Streaming => "receiving".to_owned(),
        Phase::Compacting => "summarising the conversation".to_owned(),
        Phase::WaitingForApproval => "waiting for your decision".to_owned(),
        Phase::RunningTool(tool) => format!("running {tool}"),
    }
}
