//! The form of a configuration file. What is not listed here is an error that names the nearest known key.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::permission::Mode;
use crate::provider::Wire;

/// A whole file; every part may be missing.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigFile {
    /// Which model.
    pub provider: ProviderChoice,
    /// Servers of the user's own, by name.
    pub providers: BTreeMap<String, ProviderEntry>,
    /// The gate.
    pub permission: PermissionTable,
    /// The conversation's size.
    pub context: ContextTable,
    /// Bounds.
    pub limits: LimitsTable,
    /// Limits of waits, in seconds.
    pub timeouts: TimeoutsTable,
}

/// `[provider]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderChoice {
    /// A provider's name.
    pub name: Option<String>,
    /// A model's name there.
    pub model: Option<String>,
    /// Another address for it.
    pub base_url: Option<String>,
    /// Tokens of one answer.
    pub max_tokens: Option<u32>,
}

/// `[providers.NAME]`: any compatible server.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderEntry {
    /// The API that it speaks.
    pub wire: Wire,
    /// Its address, with the version part (`…/v1`) where the API has one.
    pub base_url: String,
    /// The environment variable that holds its key.
    #[serde(default)]
    pub api_key_env: Option<String>,
    /// Headers to send with each request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// `[permission]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PermissionTable {
    /// The mode.
    pub mode: Option<Mode>,
    /// Allow rules.
    pub allow: Vec<String>,
    /// Ask rules.
    pub ask: Vec<String>,
    /// Deny rules.
    pub deny: Vec<String>,
}

/// `[context]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContextTable {
    /// The share of the model's window at which compaction begins, above 0 and at most 1.
    pub compact_at: Option<f64>,
}

/// `[limits]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsTable {
    /// Model calls a turn.
    pub max_iterations: Option<u32>,
    /// How long a command may run when the call does not say, in seconds.
    pub bash_timeout_s: Option<u64>,
}

/// `[timeouts]`, in seconds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimeoutsTable {
    /// Until there is a connection.
    pub connect: Option<f64>,
    /// Until the first byte of the answer.
    pub first_byte: Option<f64>,
    /// Between two pieces of the answer.
    pub idle: Option<f64>,
}
