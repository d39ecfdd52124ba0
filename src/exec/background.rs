//! Background commands: started by one tool call, reported to the model at the top of a later iteration.

use std::path::PathBuf;

/// A task that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its id.
    pub id: String,
    /// Its command.
    pub command: String,
    /// How it ended.
    pub status: String,
    /// The end of its output.
    pub tail: String,
    /// Where the whole output is.
    pub output_path: PathBuf,
}

/// The background tasks of a session.
#[derive(Default)]
pub struct Background {}

impl Background {
    /// Takes those that ended since last asked.
    pub fn finished(&self) -> Vec<Finished> {
        Vec::new()
    }

    /// The tasks still running, as `id: command`.
    pub fn running(&self) -> Vec<String> {
        Vec::new()
    }

    /// Kills every task and waits until it is gone.
    pub async fn shutdown(&self) {}
}
