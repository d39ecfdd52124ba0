//! A shell command taken apart into every simple command that it would run.
//!
//! tree-sitter-bash parses; `walk.rs` goes through the tree by a list of the constructs it knows, follows `cd`, and
//! refuses everything else (`assign.rs` for variables, `redirect.rs` for redirections, `text.rs` for what the parser
//! does not see). `heredoc.rs` finds where here-documents end, `word.rs` turns a word's source into what the shell
//! would make of it.
//! Nothing here decides: it says what would run, or that it cannot say.

mod assign;
mod heredoc;
mod redirect;
mod text;
mod walk;
mod word;

pub(super) use walk::parse;
pub(super) use word::{Kind, Word};

use std::path::PathBuf;

/// A simple command as the shell would run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    /// Its source, for people.
    pub(super) text: String,
    /// Assignments in front, or on their own.
    pub(super) assignments: Vec<Assignment>,
    /// The program and its arguments; empty for assignments alone.
    pub(super) words: Vec<Word>,
    /// Where its input comes from and its output goes.
    pub(super) redirects: Vec<Redirect>,
    /// Every directory that may be current when it runs.
    pub(super) dirs: Dirs,
}

/// `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    /// The variable.
    pub(super) name: String,
    /// Whether the value is the same for every run.
    pub(super) is_literal: bool,
    /// Whether a command follows it, so that it goes into that command's environment.
    pub(super) is_environment: bool,
}

/// A redirection to or from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    /// True when the file is written.
    pub(super) writes: bool,
    /// The file, as the shell would find it.
    pub(super) targets: Vec<Word>,
}

/// The directories that may be current.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Dirs {
    /// Those that are known.
    pub(super) known: Vec<PathBuf>,
    /// True when it may be another one too.
    pub(super) or_unknown: bool,
}

impl Dirs {
    /// Exactly this one.
    pub(super) fn one(dir: PathBuf) -> Self {
        Self { known: vec![dir], or_unknown: false }
    }

    /// One that nobody knows.
    pub(super) fn unknown() -> Self {
        Self { known: Vec::new(), or_unknown: true }
    }

    /// These or those.
    pub(super) fn or(mut self, other: &Self) -> Self {
        for dir in &other.known {
            if !self.known.contains(dir) {
                self.known.push(dir.clone());
            }
        }
        self.or_unknown |= other.or_unknown;
        self
    }
}

/// A command that cannot be taken apart, and why; it is never allowed by a rule or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotUnderstood(pub(super) String);

impl NotUnderstood {
    /// With this reason, a clause such as "it defines a function".
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}
