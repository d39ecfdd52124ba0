//! Where things are: the XDG directories, or all of it under `BAREAGENT_HOME`.

use std::env;
use std::path::PathBuf;

/// The directories of the program, for one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// `config.toml` and the user's instructions.
    pub config: PathBuf,
    /// Sessions and history.
    pub state: PathBuf,
}

impl Paths {
    /// Reads the environment. Without a home directory everything is below the system's temporary directory.
    pub fn from_env() -> Self {
        if let Some(home) = dir("BAREAGENT_HOME") {
            return Self { config: home.clone(), state: home };
        }
        let home = user_home().unwrap_or_else(env::temp_dir);
        let config = dir("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let state = dir("XDG_STATE_HOME").unwrap_or_else(|| home.join(".local/state"));
        Self { config: config.join("bareagent"), state: state.join("bareagent") }
    }

    /// The user's configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The user's instructions for every project.
    pub fn instructions(&self) -> PathBuf {
        self.config.join("AGENTS.md")
    }

    /// The sessions of all projects.
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// The lines typed at the prompt.
    pub fn history(&self) -> PathBuf {
        self.state.join("history")
    }
}

/// The user's home directory.
pub fn user_home() -> Option<PathBuf> {
    dir("HOME")
}

/// An absolute directory from the environment; the XDG specification says to ignore relative ones.
fn dir(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}
