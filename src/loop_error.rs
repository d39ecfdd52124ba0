//! Why a turn ended without an answer, and the sentences that say so.

use crate::message::{StopReason, Usage};
use crate::provider::ProviderError;

/// Why a turn ended without an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LoopError {
    /// The model call failed before anything was shown.
    #[error("{0}")]
    Provider(ProviderError),
    /// The model call failed after text was shown, which is in the history, marked incomplete.
    #[error("the answer broke off after some text, which is kept in the conversation and marked as incomplete: {0}")]
    BrokeOff(ProviderError),
    /// The model answered with nothing.
    #[error(
        "the model returned an empty answer (stop reason {}, {} input and {} output tokens); try again or choose another model",
        .stop.as_str(), tokens(.usage.prompt()), tokens(.usage.output)
    )]
    EmptyAnswer {
        /// Why it says it stopped.
        stop: StopReason,
        /// The tokens it reported.
        usage: Usage,
    },
    /// The answer ended for another reason than being done; what came of it is in the history.
    #[error("{}", cut_short(*.stop))]
    CutShort {
        /// Why it ended.
        stop: StopReason,
    },
    /// The iteration limit was reached.
    #[error("stopped after {0} iterations without a final answer; raise --max-iterations, or continue with --continue")]
    IterationLimit(u32),
    /// Cancelled. Every call has a result; the next turn can go on.
    #[error("interrupted")]
    Interrupted,
}

impl LoopError {
    /// The tokens that were reported before the failure.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Provider(error) | Self::BrokeOff(error) => error.usage,
            Self::EmptyAnswer { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }
}

fn tokens(count: Option<u64>) -> String {
    count.map_or_else(|| "unknown".to_owned(), |count| count.to_string())
}

fn cut_short(stop: StopReason) -> &'static str {
    match stop {
        StopReason::MaxTokens => {
            "the answer was cut off by the output token limit; raise --max-tokens or ask for less at once"
        }
        StopReason::ContextWindow => {
            "the answer was cut off because the model's context window is full; use /compact or start anew"
        }
        StopReason::Refusal => "the model refused to answer; rephrase the task or choose another model",
        StopReason::ContentFilter => "the provider's content filter cut the answer off; rephrase the task",
        _ => "the answer ended before it was complete",
    }
}
