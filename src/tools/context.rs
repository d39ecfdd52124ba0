//! What a running tool has at hand, borrowed from the session for the length of a call.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::event::EventSink;
use crate::exec::background::Background;
use crate::workspace::Workspace;

/// A running call's surroundings.
#[derive(Clone, Copy)]
pub struct ToolContext<'a> {
    /// The id of the call.
    pub call_id: &'a str,
    /// Where the session works.
    pub workspace: &'a Workspace,
    /// Ends the call when cancelled. A tool must return soon after, with its processes gone.
    pub cancel: &'a CancellationToken,
    /// Where progress goes.
    pub events: &'a dyn EventSink,
    /// Work that outlives the call.
    pub background: &'a Background,
    /// How long a command may run when the call does not say.
    pub bash_timeout: Duration,
}
