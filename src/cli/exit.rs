//! Exit codes, and what ends with which.

use std::process::ExitCode;

use crate::loop_error::LoopError;
use crate::provider::ErrorKind;
use crate::session::TurnEnd;

/// How the program ends. The numbers are part of the command line's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The model finished.
    Success = 0,
    /// The run failed.
    Failure = 1,
    /// Wrong usage or configuration, or no provider.
    Usage = 2,
    /// The run ended on a tool call that was denied because nobody could be asked.
    Denied = 3,
    /// The iteration limit was reached.
    Limit = 4,
    /// The provider failed in a way that passes: worth trying again (`EX_TEMPFAIL` of sysexits).
    Transient = 75,
    /// SIGINT.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

impl Exit {
    /// What a turn's end means for the exit code; an interrupt counts as SIGINT.
    pub fn of(end: &TurnEnd) -> Self {
        match &end.result {
            Ok(_) if end.ended_on_denial => Self::Denied,
            Ok(_) => Self::Success,
            Err(LoopError::IterationLimit(_)) => Self::Limit,
            Err(LoopError::Interrupted) => Self::Interrupted,
            Err(LoopError::Provider(error)) if error.kind == ErrorKind::StreamCut => Self::Transient,
            Err(LoopError::Provider(error) | LoopError::BrokeOff(error)) if error.kind.is_transient() => {
                Self::Transient
            }
            Err(_) => Self::Failure,
        }
    }

    /// The number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The `subtype` of the result object.
    pub fn subtype(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure | Self::Usage | Self::Transient => "error_during_execution",
            Self::Denied => "error_permission",
            Self::Limit => "error_max_turns",
            Self::Interrupted | Self::Terminated => "error_interrupted",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
