//! Keys: a string that never shows itself, and where each provider's key is looked for.

use std::fmt;

use super::catalog::Row;

/// A key or token. It has no `Display`, and its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key; white space around it (a pasted line break) is dropped.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    /// The key itself, for the header that carries it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A key and the name of the place it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The key.
    pub secret: Secret,
    /// For messages: an environment variable, or a file and its key.
    pub source: String,
}

impl Credential {
    /// A key from a named place.
    pub fn new(key: impl AsRef<str>, source: impl Into<String>) -> Self {
        Self { secret: Secret::new(key), source: source.into() }
    }

    /// Anthropic's tokens (as opposed to keys) go into the `authorization` header alone.
    pub(super) fn is_token(&self) -> bool {
        self.source == "ANTHROPIC_AUTH_TOKEN" || self.secret.expose().starts_with("sk-ant-oat")
    }
}

/// The key for a provider: the first of its variables that is set and not blank.
pub fn find_key(row: &Row, env: impl Fn(&str) -> Option<String>) -> Option<Credential> {
    let mut set = row.key_env.iter().filter_map(|name| Some((env(name)?, *name)));
    set.find(|(key, _)| !key.trim().is_empty()).map(|(key, name)| Credential::new(key, name))
}
