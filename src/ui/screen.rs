//! What happens, written to the terminal as it comes. Finished text is never touched again; below it, while
//! something is waited for, one line says what and for how long.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossterm::cursor::MoveToColumn;
use crossterm::queue;
use crossterm::terminal::{self, Clear, ClearType};

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
    /// Whether the cursor is at the start of a line of its own.
    at_line_start: bool,
    /// What is waited for, since when.
    waiting: Option<(Phase, Instant)>,
    /// Whether the line that says so is on the screen.
    status_shown: bool,
}

impl Screen {
    /// A screen in this style.
    pub fn new(style: Style) -> Self {
        let state = State { at_line_start: true, waiting: None, status_shown: false };
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
        if !state.at_line_start {
            self.write("\n");
            state.at_line_start = true;
        }
    }

    fn clear_status(&self, state: &mut State) {
        if std::mem::take(&mut state.status_shown) {
            let _ = queue!(io::stdout(), MoveToColumn(0), Clear(ClearType::CurrentLine));
        }
    }

    fn draw_status(&self, state: &mut State) {
        let Some((phase, since)) = &state.waiting else { return };
        if !self.style.moves || !state.at_line_start {
            return;
        }
        let width = terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let text = format!("{} · {} s · ctrl+c interrupts", name(phase), since.elapsed().as_secs());
        let text = self.style.paint(Tone::Dim, &fit(&text, width));
        let _ = queue!(io::stdout(), MoveToColumn(0), Clear(ClearType::CurrentLine));
        self.write(&text);
        state.status_shown = true;
    }

    fn say(&self, text: &str) {
        let mut state = self.lock();
        self.clear_status(&mut state);
        self.write(&visible(text));
        state.at_line_start = text.ends_with('\n');
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
            Event::Text(text) => self.say(&text),
            Event::Thinking(text) => {
                let mut state = self.lock();
                self.clear_status(&mut state);
                self.write(&self.style.paint(Tone::Dim, &visible(&text)));
                state.at_line_start = text.ends_with('\n');
            }
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
