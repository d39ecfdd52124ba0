//! Which model a run talks to, from settings and environment, and the connection to it.

use std::env;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::args::Options;
use super::build::StartError;
use super::demo;
use crate::commands::Connect;
use crate::config::Settings;
use crate::provider::replay::{Recorder, Replay, ReplayError};
use crate::provider::{Credential, Endpoint, Provider, Wire, auth, catalog, connect, first_model, probe_local};
use crate::session::Model;

/// A recording's stand-in for a model's window and answer limit, in tokens.
const REPLAY_WINDOW: u64 = 200_000;
const REPLAY_MAX_TOKENS: u32 = 8192;
/// Asked for at most, where the model could give more: an answer this long is seldom wanted.
const MAX_TOKENS: u32 = 32_000;

const NO_PROVIDER: &str = "no model to talk to. The quickest ways to begin:
  1. a key:          export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, OPENROUTER_API_KEY, …)
  2. a local server: ollama serve                 (llama.cpp and LM Studio are found too)
  3. only to look:   bareagent demo";

/// Connects the model that flags and settings ask for.
///
/// # Errors
/// When none is configured, or what is configured cannot be used; the text says what to do.
pub(crate) async fn model(settings: &Settings, options: &Options) -> Result<Model, StartError> {
    let model = match (&options.replay, options.demo_recording) {
        (Some(path), _) => replay(Replay::open(path).map_err(unusable)?),
        (None, true) => replay(demo::recording()?),
        (None, false) => live(settings).await.map_err(StartError::usage)?,
    };
    match &options.record {
        Some(path) => {
            let recorder = Recorder::create(path, model.provider, &model.name).map_err(unusable)?;
            Ok(Model { provider: Box::new(recorder), ..model })
        }
        None => Ok(model),
    }
}

/// Connects the model that the settings ask for, from a server.
///
/// # Errors
/// A sentence that says what is missing.
pub(crate) async fn live(settings: &Settings) -> Result<Model, String> {
    let Target { mut endpoint, model, is_local } = target(settings).await?;
    let model = match model {
        Some(model) => model,
        None if is_local => first_model(&endpoint.base_url).await.ok_or_else(|| {
            format!(
                "{} at {} does not tell which models it has; is it running? Name one with --model",
                endpoint.name, endpoint.base_url
            )
        })?,
        None => return Err(format!("no model named for {}; name one with --model", endpoint.name)),
    };
    endpoint.timeouts = settings.timeouts;
    let size = catalog::model_size(&endpoint.name, &model);
    let max_tokens = settings.max_tokens.unwrap_or(size.max_output.min(MAX_TOKENS));
    Ok(Model { provider: connect(endpoint), name: model, window: size.window, max_tokens })
}

/// Connects models by name while a session runs.
pub(crate) struct Reconnect<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) options: &'a Options,
}

impl Connect for Reconnect<'_> {
    fn connect<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Model, String>> {
        let mut settings = self.settings.clone();
        let options = Options { replay: None, demo_recording: false, record: None, ..self.options.clone() };
        async move {
            let names_provider = name.split_once('/').is_some_and(|(provider, _)| is_provider(&settings, provider));
            if names_provider {
                settings.provider = None;
                settings.base_url = None;
            }
            settings.model = Some(name.to_owned());
            model(&settings, &options).await.map_err(|error| error.message)
        }
        .boxed()
    }
}

fn is_provider(settings: &Settings, name: &str) -> bool {
    settings.providers.contains_key(name) || catalog::find(name).is_some()
}

/// Where to, and which model there.
struct Target {
    endpoint: Endpoint,
    model: Option<String>,
    is_local: bool,
}

async fn target(settings: &Settings) -> Result<Target, String> {
    let (provider, model) = split(settings);
    if let Some(name) = provider {
        return named(settings, &name, model);
    }
    if let Some((row, _)) = catalog::first_with_key(var) {
        return named(settings, row.name, model);
    }
    if settings.base_url.is_some() {
        return named(settings, "openai", model);
    }
    let with_address = |row: &&catalog::Row| row.base_url_env.iter().any(|name| var(name).is_some());
    if let Some(row) = catalog::all().iter().find(with_address) {
        return named(settings, row.name, model);
    }
    let local = probe_local(var).await.ok_or(NO_PROVIDER)?;
    let endpoint = Endpoint::new(local.provider, Wire::OpenAiChat, local.base_url);
    Ok(Target { endpoint, model: model.or(Some(local.model)), is_local: true })
}

/// Provider and model of the settings; `PROVIDER/NAME` as the model names both, where the first is a provider.
fn split(settings: &Settings) -> (Option<String>, Option<String>) {
    let both = settings.model.as_deref().and_then(|model| model.split_once('/'));
    match both {
        Some((provider, model))
            if settings.provider.as_deref().is_none_or(|named| named == provider)
                && is_provider(settings, provider) =>
        {
            (Some(provider.to_owned()), Some(model.to_owned()))
        }
        _ => (settings.provider.clone(), settings.model.clone()),
    }
}

/// A provider by its name: the user's own, or one of the catalogue.
fn named(settings: &Settings, name: &str, model: Option<String>) -> Result<Target, String> {
    let general = var("BAREAGENT_API_KEY").map(|key| Credential::new(key, "BAREAGENT_API_KEY"));
    if let Some(own) = settings.providers.get(name) {
        let base_url = settings.base_url.clone().unwrap_or_else(|| own.base_url.clone());
        let mut endpoint = Endpoint::new(name, own.wire, base_url);
        endpoint.credential = match &own.api_key_env {
            Some(variable) => {
                let key = var(variable).ok_or_else(|| format!("no key for {name}: {variable} is not set"))?;
                Some(Credential::new(key, variable))
            }
            None => general,
        };
        endpoint.headers = own.headers.clone().into_iter().collect();
        return Ok(Target { endpoint, model, is_local: false });
    }
    let row = catalog::find(name).ok_or_else(|| unknown(settings, name))?;
    let base_url = settings.base_url.clone().unwrap_or_else(|| catalog::base_url(row, var));
    let credential = general.or_else(|| auth::find_key(row, var));
    if credential.is_none() && !row.is_local && base_url == row.base_url {
        return Err(format!("no key for {name}: set {}", row.key_env.join(" or ")));
    }
    let mut endpoint = Endpoint::new(name, row.wire, base_url);
    endpoint.credential = credential;
    Ok(Target { endpoint, model: model.or(row.default_model.map(str::to_owned)), is_local: row.is_local })
}

fn unknown(settings: &Settings, name: &str) -> String {
    let known = catalog::all().iter().map(|row| row.name);
    let known: Vec<&str> = known.chain(settings.providers.keys().map(String::as_str)).collect();
    let nearest = known.iter().max_by(|a, b| strsim::jaro(a, name).total_cmp(&strsim::jaro(b, name)));
    let hint = nearest.filter(|near| strsim::jaro(near, name) > 0.7).map(|near| format!(" (did you mean {near}?)"));
    format!("unknown provider \"{name}\"{}; known are {}", hint.unwrap_or_default(), known.join(", "))
}

fn var(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}

fn replay(replay: Replay) -> Model {
    let name = replay.model().to_owned();
    let provider: Box<dyn Provider> = Box::new(replay);
    Model { provider, name, window: REPLAY_WINDOW, max_tokens: REPLAY_MAX_TOKENS }
}

fn unusable(error: ReplayError) -> StartError {
    StartError::usage(error)
}
