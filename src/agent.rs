//! What the loop works with: everything it needs, borrowed from the session for one turn.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::context::compactor::{Compactor, Summariser};
use crate::event::EventSink;
use crate::inbox::Inbox;
use crate::permission::Gate;
use crate::provider::{Provider, Request};
use crate::store::transcript::Transcript;
use crate::tools::{Registry, ToolContext};
use crate::workspace::Workspace;

/// What the loop works with.
pub struct Agent<'a> {
    /// The model.
    pub provider: &'a dyn Provider,
    /// The model's name there.
    pub model: &'a str,
    /// The system text.
    pub system: &'a str,
    /// The tools on offer.
    pub tools: &'a Registry,
    /// What may run.
    pub gate: &'a Gate,
    /// Keeps the conversation within the model's window.
    pub compactor: Compactor,
    /// What comes from outside between iterations.
    pub inbox: &'a Inbox,
    /// Where the tools work.
    pub workspace: &'a Workspace,
    /// Who watches.
    pub events: &'a dyn EventSink,
    /// Ends the turn.
    pub cancel: &'a CancellationToken,
    /// Bounds of the turn.
    pub limits: Limits,
    /// Whether answers are streamed; without it each is asked for in one piece.
    pub streaming: bool,
}

impl<'a> Agent<'a> {
    /// Whom the compactor asks.
    pub fn summariser(&self) -> Summariser<'a> {
        let (provider, model, events, cancel) = (self.provider, self.model, self.events, self.cancel);
        Summariser { provider, model, events, cancel, focus: None }
    }

    /// The next model call.
    pub fn request(&self, transcript: &'a Transcript) -> Request<'a> {
        let (model, system, max_tokens) = (self.model, self.system, self.limits.max_tokens);
        Request { model, system, messages: transcript.messages(), tools: self.tools.specs(), max_tokens }
    }

    /// The surroundings of a running call.
    pub fn tool_context(&self, call_id: &'a str) -> ToolContext<'a> {
        ToolContext {
            call_id,
            workspace: self.workspace,
            cancel: self.cancel,
            events: self.events,
            background: self.inbox.background(),
            bash_timeout: self.limits.bash_timeout,
        }
    }
}

/// Bounds of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Model calls.
    pub max_iterations: u32,
    /// Tokens of one answer.
    pub max_tokens: u32,
    /// How long a command may run when the call does not say.
    pub bash_timeout: Duration,
}
