//! The decision: rules, then the mode, on what a call would do.

use super::{Decision, Judgement, Mode};
use crate::access::Access;
use crate::workspace::Workspace;

/// The rules and the mode in force.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The mode in force.
    pub mode: Mode,
}

impl Policy {
    /// A policy from rules as they are written in flags and configuration.
    ///
    /// # Errors
    /// A rule that cannot be read, with what is wrong.
    pub fn new(mode: Mode, _allow: &[String], _ask: &[String], _deny: &[String]) -> Result<Self, String> {
        Ok(Self { mode })
    }

    /// Adds an allow rule ("always" answers).
    pub fn allow(&mut self, _rule: &str) {}

    /// Judges a call of `tool` by what it would do.
    pub fn judge(&self, _tool: &str, _accesses: &[Access], _workspace: &Workspace) -> Judgement {
        let decision = if self.mode == Mode::Bypass { Decision::Allow } else { Decision::Ask };
        Judgement { decision, reason: "not judged yet".into(), rule: None, parts: vec![], suggested_rule: None }
    }
}
