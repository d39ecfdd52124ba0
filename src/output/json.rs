//! The result object: one JSON object that says how a run ended, for scripts.

use serde_json::{Value, json};

use crate::message::{StopReason, ToolCall, Usage};

/// What the object says.
#[derive(Debug, Clone)]
pub struct RunResult<'a> {
    /// `success`, or which kind of error.
    pub subtype: &'a str,
    /// The process's exit code.
    pub exit_code: u8,
    /// The final answer's text.
    pub text: &'a str,
    /// What went wrong, one sentence each.
    pub errors: &'a [String],
    /// Model calls.
    pub num_turns: u32,
    /// Wall time.
    pub duration_ms: u128,
    /// Time waiting for the model.
    pub duration_api_ms: u128,
    /// Tokens.
    pub usage: Usage,
    /// Calls that were refused, with the reasons.
    pub denials: Vec<(&'a ToolCall, &'a str)>,
    /// Why the last answer ended.
    pub stop: Option<StopReason>,
    /// The session; `None` when none was begun.
    pub session_id: Option<&'a str>,
}

impl RunResult<'_> {
    /// The object as one line.
    pub fn to_line(&self) -> String {
        let denials = self.denials.iter().map(|(call, reason)| {
            json!({"tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input, "reason": reason})
        });
        let object = json!({
            "type": "result",
            "subtype": self.subtype,
            "is_error": self.exit_code != 0,
            "exit_code": self.exit_code,
            "result": self.text,
            "errors": self.errors,
            "num_turns": self.num_turns,
            "duration_ms": self.duration_ms as u64,
            "duration_api_ms": self.duration_api_ms as u64,
            "total_cost_usd": Value::Null,
            "usage": {
                "input_tokens": self.usage.input,
                "output_tokens": self.usage.output,
                "cache_read_input_tokens": self.usage.cache_read,
                "cache_creation_input_tokens": self.usage.cache_write,
            },
            "permission_denials": denials.collect::<Vec<_>>(),
            "stop_reason": self.stop.map(StopReason::as_str),
            "session_id": self.session_id,
        });
        format!("{object}\n")
    }
}
