//! From arguments to a session: settings, workspace, gate, tools, model.

use std::path::Path;
use std::sync::Arc;

use super::Exit;
use super::args::Options;
use super::connect;
use crate::config::paths::{Paths, user_home};
use crate::config::{self, Overrides, Settings};
use crate::context::system_prompt;
use crate::permission::{Approver, Gate, Policy};
use crate::session::{Parts, Session};
use crate::store::list::project_slug;
use crate::tools::Registry;
use crate::workspace::Workspace;

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct StartError {
    /// The exit code it means.
    pub exit: Exit,
    /// What is wrong and what to do.
    pub message: String,
}

impl StartError {
    /// Wrong usage or configuration.
    pub(crate) fn usage(message: impl ToString) -> Self {
        Self { exit: Exit::Usage, message: message.to_string() }
    }
}

/// What is known before there is a session.
#[derive(Debug)]
pub(crate) struct Setup {
    /// Where the program's files are.
    pub paths: Paths,
    /// The settings, resolved.
    pub settings: Settings,
    /// Where the session works.
    pub workspace: Workspace,
}

/// Resolves directories and settings.
///
/// # Errors
/// A directory that cannot be used, or a configuration that cannot be understood.
pub(crate) fn setup(options: &Options) -> Result<Setup, StartError> {
    let dir = options.cwd.as_deref().unwrap_or(Path::new("."));
    for dir in std::iter::once(dir).chain(options.add_dir.iter().map(AsRef::as_ref)) {
        check_dir(dir)?;
    }
    let workspace = Workspace::new(dir, &options.add_dir, user_home())
        .map_err(|error| StartError::usage(format!("{}: cannot be used as the workspace: {error}", dir.display())))?;
    let paths = Paths::from_env();
    let overrides = Overrides {
        config: options.config.clone(),
        provider: options.provider.clone(),
        model: options.model.clone(),
        base_url: options.base_url.clone(),
        max_tokens: options.max_tokens,
        max_iterations: options.max_iterations,
        mode: options.mode(),
        allow: options.allow.clone(),
        ask: options.ask.clone(),
        deny: options.deny.clone(),
    };
    let settings = config::load(&paths, workspace.root(), overrides).map_err(StartError::usage)?;
    Ok(Setup { paths, settings, workspace })
}

fn check_dir(dir: &Path) -> Result<(), StartError> {
    match dir.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(StartError::usage(format!("{}: not a directory", dir.display()))),
        Err(error) => Err(StartError::usage(format!("{}: {error}", dir.display()))),
    }
}

/// Makes the session. `approver` is whoever can be asked.
///
/// # Errors
/// A rule, tool name or provider that cannot be used, or a session that cannot be gone on from.
pub(crate) async fn session(
    setup: &Setup,
    options: &Options,
    approver: Option<Box<dyn Approver>>,
) -> Result<Session, StartError> {
    let Setup { paths, settings, workspace } = setup;
    let policy =
        Policy::new(settings.mode, &settings.allow, &settings.ask, &settings.deny).map_err(StartError::usage)?;
    let tools = tools(settings, options.tools.as_deref())?;
    let model = connect::model(settings, options).await?;
    let sessions_dir = (!options.no_session).then(|| paths.sessions().join(project_slug(workspace.root())));
    let mut session = Session::new(Parts {
        model,
        system: system_prompt::build(
            workspace,
            &paths.instructions(),
            options.system_prompt.as_deref(),
            options.append_system_prompt.as_deref(),
        ),
        tools,
        gate: Arc::new(Gate::new(policy, approver)),
        workspace: workspace.clone(),
        max_iterations: settings.max_iterations,
        bash_timeout: settings.bash_timeout,
        compact_at: settings.compact_at,
        streaming: !options.no_stream,
        sessions_dir,
    });
    resume(&mut session, options)?;
    Ok(session)
}

fn tools(settings: &Settings, only: Option<&[String]>) -> Result<Registry, StartError> {
    let keys: Vec<String> = settings.providers.values().filter_map(|own| own.api_key_env.clone()).collect();
    let registry = Registry::builtin_hiding(&keys);
    let Some(only) = only else { return Ok(registry) };
    if let Some(unknown) = only.iter().find(|name| registry.get(name).is_none()) {
        return Err(StartError::usage(format!("--tools: {}", registry.unknown(unknown))));
    }
    Ok(registry.only(|name| only.iter().any(|wanted| wanted == name)))
}

fn resume(session: &mut Session, options: &Options) -> Result<(), StartError> {
    let wanted = match (&options.resume, options.continue_) {
        (Some(Some(wanted)), _) => Some(wanted.as_str()),
        (Some(None), _) => {
            let choose = "--resume needs the beginning of an id here, where nobody can choose; --continue takes the newest session";
            return Err(StartError::usage(choose));
        }
        (None, true) => None,
        (None, false) => return Ok(()),
    };
    for notice in session.resume(wanted).map_err(StartError::usage)? {
        crate::output::say(&format!("note: {notice}"));
    }
    Ok(())
}
