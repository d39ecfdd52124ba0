//! What a tool call would do, in terms that the permission gate can judge and a person can read.
//!
//! A tool says which [`Access`]es a call needs and how to show it ([`Preview`]); the gate, and later
//! the sandbox, the snapshots and the scheduler, all work from the same list.

use std::path::PathBuf;

/// One thing that a call would do. Paths are as the tool would open them: absolute, `~` expanded, not yet
/// resolved through links (the gate judges the link and its target).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Read a file, or list a directory.
    Read(PathBuf),
    /// Search below a directory, perhaps only files that match a glob pattern.
    Search {
        /// Where the search starts.
        root: PathBuf,
        /// The file pattern, which may itself leave `root` (`../**`).
        pattern: Option<String>,
    },
    /// Create or change a file.
    Write(PathBuf),
    /// Run a shell command in a directory.
    Run {
        /// The command line as the shell gets it.
        command: String,
        /// The directory it starts in.
        cwd: PathBuf,
    },
    /// Fetch a web address.
    Fetch(String),
    /// Touches nothing outside the conversation.
    Nothing,
    /// Not known: a tool of somebody else.
    Unknown,
}

/// How a call is shown to the person who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// A shell command.
    Command(String),
    /// A file as it is and as it would be.
    Diff {
        /// Which file.
        path: PathBuf,
        /// Its text now; empty when it does not exist.
        before: String,
        /// Its text after the call.
        after: String,
    },
    /// Anything else, in one or a few lines.
    Text(String),
}
