//! What the policy decides, and the words for it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What is to happen with a call, from mildest to most severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

/// A decision with what decided it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The decision.
    pub decision: Decision,
    /// Why, in a short clause that follows "because": `rm is not known to be harmless`.
    pub reason: String,
    /// The rule that decided, as it was written.
    pub rule: Option<String>,
    /// For a shell command, each simple command in it.
    pub parts: Vec<Part>,
    /// A rule that would let this very call through, if a person said "always".
    #[serde(skip)]
    pub suggested_rule: Option<String>,
}

/// One simple command of a shell command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Its text.
    pub command: String,
    /// What the policy says of it alone.
    pub decision: Decision,
    /// Why.
    pub reason: String,
}

/// How much runs without asking; the table is in the README.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Reading runs, the rest is asked about.
    #[default]
    Default,
    /// Edits in the workspace and known-safe commands run too.
    Auto,
    /// Reading only; changes are refused.
    Plan,
    /// Everything runs but what a rule forbids or asks about.
    Bypass,
}

impl Mode {
    /// All modes, in the order in which Shift+Tab goes through them.
    pub const ALL: [Self; 4] = [Self::Default, Self::Auto, Self::Plan, Self::Bypass];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Auto => "auto",
            Self::Plan => "plan",
            Self::Bypass => "bypass",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.as_str() == word)
            .ok_or_else(|| format!("unknown permission mode \"{word}\" (default, auto, plan or bypass)"))
    }
}
