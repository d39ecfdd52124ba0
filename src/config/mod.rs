//! Settings: where they come from, in which order, and what they are once resolved.
//!
//! `file.rs` is the form of a configuration file, `layers.rs` lays the files, the environment and the flags
//! over each other (later wins), `paths.rs` says where things are.

pub mod file;
mod layers;
pub mod paths;

pub use layers::{ConfigError, Overrides, load};

use std::collections::BTreeMap;
use std::time::Duration;

use crate::permission::Mode;
use crate::provider::Timeouts;
use file::ProviderEntry;

/// Everything that can be set, resolved once at start.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The provider asked for, if any.
    pub provider: Option<String>,
    /// The model asked for, if any.
    pub model: Option<String>,
    /// The address asked for, if any.
    pub base_url: Option<String>,
    /// The user's own providers, by name.
    pub providers: BTreeMap<String, ProviderEntry>,
    /// Tokens of one answer, if set.
    pub max_tokens: Option<u32>,
    /// The permission mode.
    pub mode: Mode,
    /// Allow rules.
    pub allow: Vec<String>,
    /// Ask rules.
    pub ask: Vec<String>,
    /// Deny rules.
    pub deny: Vec<String>,
    /// The share of the window at which compaction begins.
    pub compact_at: f64,
    /// Model calls a turn.
    pub max_iterations: u32,
    /// How long a command may run when the call does not say.
    pub bash_timeout: Duration,
    /// Limits of the waits of a model call.
    pub timeouts: Timeouts,
    /// What the person should know about how the settings came to be.
    pub notices: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            provider: None,
            model: None,
            base_url: None,
            providers: BTreeMap::new(),
            max_tokens: None,
            mode: Mode::Default,
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            compact_at: 0.8,
            max_iterations: 200,
            bash_timeout: Duration::from_secs(120),
            timeouts: Timeouts::default(),
            notices: Vec::new(),
        }
    }
}
