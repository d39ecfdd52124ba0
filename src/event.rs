//! What a person or a script may watch: one stream of events, from the loop and its parts to one sink.
//!
//! Events go one way. Nothing is decided by them; what must be decided goes through
//! [`crate::permission::Approver`].

use std::time::Duration;

use crate::message::{Message, StopReason, ToolCall, ToolResult, Usage};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A named wait began (or the next one took over).
    Phase(Phase),
    /// A piece of the answer's text.
    Text(String),
    /// A piece of visible reasoning.
    Thinking(String),
    /// An assistant message is complete and in the history.
    Assistant {
        /// The message.
        message: Message,
        /// Why it ended; `None` when it was cut off.
        stop: Option<StopReason>,
        /// Its tokens.
        usage: Usage,
        /// How long the model call took.
        elapsed: Duration,
    },
    /// A tool call is about to be judged and run.
    ToolStarted(ToolCall),
    /// A tool call has its result.
    ToolFinished {
        /// The call.
        call: ToolCall,
        /// Its result.
        result: ToolResult,
        /// Time from start to result, approval included.
        elapsed: Duration,
    },
    /// A call was refused by the gate or the person.
    Denied {
        /// The call.
        call: ToolCall,
        /// Why.
        reason: String,
        /// What would allow it, when it would have been asked about but nobody could be asked.
        way_out: Option<String>,
    },
    /// All results of one round, as the one user message that went into the history.
    Results(Message),
    /// A message of the person's, delivered while the agent works.
    Steering(String),
    /// A background task ended (or began).
    Background {
        /// Its id.
        id: String,
        /// For example `completed (exit 0)`.
        status: String,
    },
    /// The conversation was compacted.
    Compacted {
        /// What set it off.
        trigger: CompactTrigger,
        /// Estimated tokens before.
        before: u64,
        /// Estimated tokens after.
        after: u64,
        /// What was done, in words.
        how: String,
    },
    /// Something the person should know that is no error.
    Notice(String),
    /// Something that went wrong without ending the run.
    Warning(String),
}

/// What the agent waits for. Each phase has a limit of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// A connection to the model server.
    Connecting,
    /// The first byte of the answer.
    WaitingForModel,
    /// More of the answer.
    Streaming,
    /// The summary of a compaction.
    Compacting,
    /// A person's decision.
    WaitingForApproval,
    /// A tool, by name.
    RunningTool(String),
}

/// What set a compaction off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactTrigger {
    /// The context was nearly full.
    Auto,
    /// The person asked for it.
    Manual,
    /// The provider refused the request as too long.
    Overflow,
}

impl CompactTrigger {
    /// The word used in output and session files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Manual => "manual",
            Self::Overflow => "overflow",
        }
    }
}

/// Where events go. Called directly; never blocks for long and never fails.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn emit(&self, event: Event);
}
