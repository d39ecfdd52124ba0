//! Lays the sources of settings over each other: built-in, user file, project file, `--config` file,
//! environment, flags. A project's file may not do what needs trust; what it may not is left out and told.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Settings;
use super::file::ConfigFile;
use super::paths::Paths;
use crate::permission::Mode;

/// What the flags say; `None` and empty leave the lower layers as they are.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--config`.
    pub config: Option<PathBuf>,
    /// `--provider`.
    pub provider: Option<String>,
    /// `--model`.
    pub model: Option<String>,
    /// `--base-url`.
    pub base_url: Option<String>,
    /// `--max-tokens`.
    pub max_tokens: Option<u32>,
    /// `--max-iterations`.
    pub max_iterations: Option<u32>,
    /// `--permission-mode`.
    pub mode: Option<Mode>,
    /// `--allow`.
    pub allow: Vec<String>,
    /// `--ask`.
    pub ask: Vec<String>,
    /// `--deny`.
    pub deny: Vec<String>,
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that says something it must not.
    #[error("{}:{line}: {message}", .path.display())]
    Parse {
        /// Which.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
        /// What is wrong, and the nearest known key.
        message: String,
    },
    /// A value from the environment that cannot be used.
    #[error("{variable}: {message}")]
    Environment {
        /// Which.
        variable: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// A number out of its range.
    #[error("{}: {message}", .path.display())]
    Range {
        /// In which file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Reads and lays over each other all layers for a project at `root`.
///
/// # Errors
/// The first thing that cannot be read or understood.
pub fn load(paths: &Paths, root: &Path, flags: Overrides) -> Result<Settings, ConfigError> {
    let mut settings = Settings::default();
    apply_file(&mut settings, &paths.config_file(), read_optional(&paths.config_file())?)?;
    let project = root.join(".bareagent/config.toml");
    if let Some(mut file) = read_optional(&project)? {
        let untrusted = take_untrusted(&mut file);
        if !untrusted.is_empty() {
            settings.notices.push(format!(
                "{}: ignored in a project's file: {}",
                project.display(),
                untrusted.join(", ")
            ));
        }
        apply_file(&mut settings, &project, Some(file))?;
    }
    let explicit = flags.config.clone().or_else(|| text("BAREAGENT_CONFIG").map(PathBuf::from));
    if let Some(path) = explicit {
        apply_file(&mut settings, &path, Some(read(&path)?))?;
    }
    apply_env(&mut settings)?;
    apply_flags(&mut settings, flags);
    Ok(settings)
}

fn read_optional(path: &Path) -> Result<Option<ConfigFile>, ConfigError> {
    match read(path) {
        Err(ConfigError::Read { source, .. })
            if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        result => result.map(Some),
    }
}

fn read(path: &Path) -> Result<ConfigFile, ConfigError> {
    let text = fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
    toml::from_str(&text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.as_bytes()[..start.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
        ConfigError::Parse { path: path.to_owned(), line, message: explain(error.message()) }
    })
}

/// Serde's "unknown field `x`, expected one of `a`, `b`" with the nearest of the known ones in front.
fn explain(message: &str) -> String {
    let Some(rest) = message.strip_prefix("unknown field `") else { return message.trim().replace('\n', " ") };
    let mut names = rest.split('`').step_by(2);
    let unknown = names.next().unwrap_or_default();
    let known: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let nearest = known.iter().max_by(|a, b| strsim::jaro(unknown, a).total_cmp(&strsim::jaro(unknown, b)));
    let hint = nearest.filter(|name| strsim::jaro(unknown, name) > 0.6);
    match hint {
        Some(name) => format!("unknown key \"{unknown}\" (did you mean \"{name}\"?)"),
        None => format!("unknown key \"{unknown}\" (known here: {})", known.join(", ")),
    }
}

/// Removes what a project's file may not set before the user has trusted it, and names it.
fn take_untrusted(file: &mut ConfigFile) -> Vec<&'static str> {
    let mut taken = Vec::new();
    if file.provider.base_url.take().is_some() {
        taken.push("provider.base_url");
    }
    if !std::mem::take(&mut file.providers).is_empty() {
        taken.push("providers");
    }
    if file.permission.mode.take().is_some() {
        taken.push("permission.mode");
    }
    if !std::mem::take(&mut file.permission.allow).is_empty() {
        taken.push("permission.allow");
    }
    taken
}

fn apply_file(settings: &mut Settings, path: &Path, file: Option<ConfigFile>) -> Result<(), ConfigError> {
    let Some(file) = file else { return Ok(()) };
    check_ranges(path, &file)?;
    choose(settings, file.provider.name, file.provider.model, file.provider.base_url);
    replace(&mut settings.max_tokens, file.provider.max_tokens);
    settings.providers.extend(file.providers);
    set(&mut settings.mode, file.permission.mode);
    settings.allow.extend(file.permission.allow);
    settings.ask.extend(file.permission.ask);
    settings.deny.extend(file.permission.deny);
    set(&mut settings.compact_at, file.context.compact_at);
    set(&mut settings.max_iterations, file.limits.max_iterations);
    set(&mut settings.bash_timeout, file.limits.bash_timeout_s.map(Duration::from_secs));
    set(&mut settings.timeouts.connect, file.timeouts.connect.map(Duration::from_secs_f64));
    set(&mut settings.timeouts.first_byte, file.timeouts.first_byte.map(Duration::from_secs_f64));
    set(&mut settings.timeouts.idle, file.timeouts.idle.map(Duration::from_secs_f64));
    Ok(())
}

fn check_ranges(path: &Path, file: &ConfigFile) -> Result<(), ConfigError> {
    let range = |message: String| Err(ConfigError::Range { path: path.to_owned(), message });
    if let Some(share) = file.context.compact_at.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
        return range(format!("context.compact_at is {share}; it must be above 0 and at most 1"));
    }
    let waits =
        [("connect", file.timeouts.connect), ("first_byte", file.timeouts.first_byte), ("idle", file.timeouts.idle)];
    for (name, seconds) in waits {
        if let Some(seconds) = seconds.filter(|seconds| !(*seconds > 0.0 && *seconds <= 86_400.0)) {
            return range(format!("timeouts.{name} is {seconds}; it must be above 0 and at most 86400 seconds"));
        }
    }
    let counts =
        [("limits.max_iterations", file.limits.max_iterations), ("provider.max_tokens", file.provider.max_tokens)];
    match counts.iter().find(|(_, count)| *count == Some(0)) {
        Some((name, _)) => range(format!("{name} is 0; it must be at least 1")),
        None => Ok(()),
    }
}

fn apply_env(settings: &mut Settings) -> Result<(), ConfigError> {
    choose(settings, text("BAREAGENT_PROVIDER"), text("BAREAGENT_MODEL"), text("BAREAGENT_BASE_URL"));
    if let Some(mode) = text("BAREAGENT_PERMISSION_MODE") {
        let variable = "BAREAGENT_PERMISSION_MODE";
        settings.mode = mode.parse().map_err(|message| ConfigError::Environment { variable, message })?;
    }
    Ok(())
}

fn apply_flags(settings: &mut Settings, flags: Overrides) {
    choose(settings, flags.provider, flags.model, flags.base_url);
    replace(&mut settings.max_tokens, flags.max_tokens);
    set(&mut settings.max_iterations, flags.max_iterations);
    set(&mut settings.mode, flags.mode);
    settings.allow.extend(flags.allow);
    settings.ask.extend(flags.ask);
    settings.deny.extend(flags.deny);
}

/// Takes a layer's choice of model. Another provider than the lower layers' leaves their model and address behind.
fn choose(settings: &mut Settings, provider: Option<String>, model: Option<String>, base_url: Option<String>) {
    if provider.is_some() && provider != settings.provider {
        settings.model = None;
        settings.base_url = None;
    }
    replace(&mut settings.provider, provider);
    replace(&mut settings.model, model);
    replace(&mut settings.base_url, base_url);
}

/// A variable that is set and not empty.
pub(super) fn text(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.trim().is_empty())
}

fn replace<T>(slot: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *slot = value;
    }
}

fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}
