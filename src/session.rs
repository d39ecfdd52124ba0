//! One conversation with its surroundings: builds the [`Agent`], runs turns, holds totals.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Limits};
use crate::agent_loop::agent_loop;
use crate::context::budget;
use crate::context::compactor::{Compactor, Summariser};
use crate::event::{CompactTrigger, Event, EventSink};
use crate::inbox::Inbox;
use crate::loop_error::LoopError;
use crate::message::{Block, Message, Role, StopReason, ToolCall, Usage};
use crate::permission::{Gate, Mode};
use crate::provider::Provider;
use crate::store::journal::{Journal, Meta};
use crate::store::list::{self, Listed};
use crate::store::transcript::Transcript;
use crate::tools::Registry;
use crate::workspace::Workspace;

/// A model, connected.
pub struct Model {
    /// The provider behind it.
    pub provider: Box<dyn Provider>,
    /// Its name there.
    pub name: String,
    /// Its window in tokens.
    pub window: u64,
    /// The limit asked for on an answer's tokens.
    pub max_tokens: u32,
}

/// What a session is made from.
pub struct Parts {
    /// The model.
    pub model: Model,
    /// The system text.
    pub system: String,
    /// The tools.
    pub tools: Registry,
    /// The gate, with whoever can be asked.
    pub gate: Arc<Gate>,
    /// Where it works.
    pub workspace: Workspace,
    /// Model calls a turn.
    pub max_iterations: u32,
    /// How long a command may run when the call does not say.
    pub bash_timeout: Duration,
    /// The share of the window at which compaction begins.
    pub compact_at: f64,
    /// Whether answers are streamed.
    pub streaming: bool,
    /// `sessions/<project>`; `None` keeps nothing on disk.
    pub sessions_dir: Option<PathBuf>,
}

/// One conversation.
pub struct Session {
    parts: Parts,
    inbox: Arc<Inbox>,
    id: String,
    transcript: Transcript,
    totals: Totals,
}

/// What a session has used so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Model calls that were answered.
    pub model_calls: u32,
    /// Their tokens.
    pub usage: Usage,
    /// Time spent waiting for the model.
    pub api_time: Duration,
    /// Calls that were refused.
    pub denials: Vec<Denial>,
    /// Why the last answer ended.
    pub stop: Option<StopReason>,
}

/// A call that was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Denial {
    /// The call.
    pub call: ToolCall,
    /// Why.
    pub reason: String,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// The final answer, or why there is none.
    pub result: Result<String, LoopError>,
    /// True when the last round of tool calls held one that was refused because nobody could be asked.
    pub ended_on_denial: bool,
}

impl Session {
    /// A new, empty session.
    pub fn new(mut parts: Parts) -> Self {
        let inbox = Arc::<Inbox>::default();
        parts.workspace.allow_reading(inbox.background().outputs().path());
        let mut session =
            Self { parts, inbox, id: String::new(), transcript: Transcript::default(), totals: Totals::default() };
        session.start_over();
        session
    }

    /// Begins an empty conversation under a new id; the old one stays on disk.
    pub fn start_over(&mut self) {
        self.id = uuid::Uuid::now_v7().to_string();
        let journal = self.parts.sessions_dir.as_ref().map(|dir| {
            let meta = Meta {
                version: 1,
                session_id: self.id.clone(),
                cwd: self.parts.workspace.root().to_owned(),
                provider: self.parts.model.provider.name().to_owned(),
                model: self.parts.model.name.clone(),
            };
            Journal::create(dir.join(format!("{}.jsonl", self.id)), meta)
        });
        self.transcript = Transcript::new(journal);
        self.totals = Totals::default();
    }

    /// The sessions of this project, newest first, with their titles.
    ///
    /// # Errors
    /// A sentence that says why they cannot be listed.
    pub fn list(&self) -> Result<Vec<Listed>, String> {
        Ok(list::with_titles(self.list_untitled()?))
    }

    fn list_untitled(&self) -> Result<Vec<Listed>, String> {
        let Some(dir) = &self.parts.sessions_dir else { return Ok(Vec::new()) };
        list::sessions(dir).map_err(|error| format!("sessions in {} cannot be listed: {error}", dir.display()))
    }

    /// Goes on from a session of this project: the one that `wanted` names (the beginning of an id, or a title),
    /// else the newest. Returns what was odd about its file.
    ///
    /// # Errors
    /// A sentence that says why there is none to go on from. The conversation at hand stays.
    pub fn resume(&mut self, wanted: Option<&str>) -> Result<Vec<String>, String> {
        let sessions: Vec<_> = self.list_untitled()?.into_iter().filter(|session| session.id != self.id).collect();
        let chosen = match wanted {
            Some(wanted) => list::find(sessions, wanted)?,
            None => sessions.into_iter().next().ok_or("there is no earlier session of this project")?,
        };
        let opened = Transcript::open(&chosen.path);
        let (transcript, notices) =
            opened.map_err(|error| format!("session {} cannot be read: {error}", chosen.path.display()))?;
        self.id = chosen.id;
        self.transcript = transcript;
        self.totals = Totals::default();
        Ok(notices)
    }

    /// Runs one turn on a prompt.
    pub async fn turn(&mut self, prompt: &str, events: &dyn EventSink, cancel: &CancellationToken) -> TurnEnd {
        self.transcript.push(Message::new(Role::User, vec![Block::text(prompt)]));
        let tally = Tally { totals: Mutex::new(std::mem::take(&mut self.totals)), round: Mutex::default(), events };
        let agent = agent(&self.parts, &self.inbox, &tally, cancel);
        let result = agent_loop(&agent, &mut self.transcript).await;
        self.transcript.report_failure(events);
        let ended_on_denial = tally.ended_on_denial();
        self.totals = tally.totals.into_inner().unwrap_or_else(PoisonError::into_inner);
        TurnEnd { result, ended_on_denial }
    }

    /// Compacts now. Says whether there was anything to do.
    pub async fn compact(&mut self, focus: Option<&str>, events: &dyn EventSink, cancel: &CancellationToken) -> bool {
        let agent = agent(&self.parts, &self.inbox, events, cancel);
        let by = Summariser { focus, ..agent.summariser() };
        agent.compactor.compact(by, &mut self.transcript, CompactTrigger::Manual).await
    }

    /// Ends what outlives a turn: background tasks. Names those that were still running.
    pub async fn close(&mut self) -> Vec<String> {
        let running = self.inbox.background().running();
        let running = running.into_iter().map(|task| format!("{}: {}", task.id, task.command)).collect();
        self.inbox.background().shutdown().await;
        running
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The conversation.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// What was used so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The gate, which may be used while a turn runs.
    pub fn gate(&self) -> Arc<Gate> {
        Arc::clone(&self.parts.gate)
    }

    /// The letter box, which may be used while a turn runs.
    pub fn inbox(&self) -> Arc<Inbox> {
        Arc::clone(&self.inbox)
    }

    /// The model in use.
    pub fn model(&self) -> &Model {
        &self.parts.model
    }

    /// Changes the model from the next call on.
    pub fn set_model(&mut self, model: Model) {
        self.parts.model = model;
    }

    /// Changes the permission mode and notes it in the session.
    pub fn set_mode(&mut self, mode: Mode) {
        self.parts.gate.set_mode(mode);
        if !self.transcript.messages().is_empty() {
            self.transcript.mode(mode.as_str());
        }
    }

    /// Where the session works.
    pub fn workspace(&self) -> &Workspace {
        &self.parts.workspace
    }

    /// The size of the conversation and of the model's window, in tokens.
    pub fn context_use(&self) -> (u64, u64) {
        let compactor = compactor(&self.parts);
        (compactor.size(&self.transcript), compactor.window)
    }

    /// The session's file, if it is kept.
    pub fn path(&self) -> Option<&Path> {
        self.transcript.path()
    }
}

fn agent<'a>(
    parts: &'a Parts,
    inbox: &'a Inbox,
    events: &'a dyn EventSink,
    cancel: &'a CancellationToken,
) -> Agent<'a> {
    Agent {
        provider: parts.model.provider.as_ref(),
        model: &parts.model.name,
        system: &parts.system,
        tools: &parts.tools,
        gate: &parts.gate,
        compactor: compactor(parts),
        inbox,
        workspace: &parts.workspace,
        events,
        cancel,
        limits: Limits {
            max_iterations: parts.max_iterations,
            max_tokens: parts.model.max_tokens,
            bash_timeout: parts.bash_timeout,
        },
        streaming: parts.streaming,
    }
}

fn compactor(parts: &Parts) -> Compactor {
    let tools = parts.tools.specs().iter().map(|spec| spec.description.len() + spec.schema.to_string().len());
    let fixed = budget::text(&parts.system) + tools.sum::<usize>() as u64 / 4;
    Compactor { window: parts.model.window, compact_at: parts.compact_at, fixed }
}

/// Counts as events go by.
struct Tally<'a> {
    totals: Mutex<Totals>,
    round: Mutex<Round>,
    events: &'a dyn EventSink,
}

/// Whether the round of calls under way, and the last whole one, held a call that nobody could be asked about.
#[derive(Default)]
struct Round {
    current: bool,
    last: bool,
}

impl Tally<'_> {
    fn ended_on_denial(&self) -> bool {
        self.round.lock().unwrap_or_else(PoisonError::into_inner).last
    }

    fn count(&self, event: &Event) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let mut round = self.round.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Assistant { stop, usage, elapsed, .. } => {
                totals.model_calls += 1;
                totals.usage.add(usage);
                totals.api_time += *elapsed;
                totals.stop = *stop;
            }
            Event::Denied { call, reason, way_out } => {
                round.current |= way_out.is_some();
                totals.denials.push(Denial { call: call.clone(), reason: reason.clone() });
            }
            Event::Results(_) => {
                round.last = round.current;
                round.current = false;
            }
            _ => {}
        }
    }
}

impl EventSink for Tally<'_> {
    fn emit(&self, event: Event) {
        self.count(&event);
        self.events.emit(event);
    }
}
