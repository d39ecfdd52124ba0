//! Which model a run talks to, from settings and environment, and the connection to it.

use super::Exit;
use super::args::Options;
use super::build::StartError;
use super::demo;
use crate::config::Settings;
use crate::provider::Provider;
use crate::provider::replay::{Recorder, Replay, ReplayError};
use crate::session::Model;

/// A recording's stand-in for a model's window, in tokens.
const REPLAY_WINDOW: u64 = 200_000;
const REPLAY_MAX_TOKENS: u32 = 8192;

/// Connects the model that flags and settings ask for.
///
/// # Errors
/// When none is configured, or what is configured cannot be used; the text says what to do.
pub(crate) async fn model(settings: &Settings, options: &Options) -> Result<Model, StartError> {
    let model = match (&options.replay, options.demo_recording) {
        (Some(path), _) => replay(Replay::open(path).map_err(unusable)?),
        (None, true) => replay(demo::recording()?),
        (None, false) => return Err(StartError::usage(format!("no provider {:?}", settings.provider))),
    };
    match &options.record {
        Some(path) => {
            let recorder = Recorder::create(path, model.provider, &model.name).map_err(unusable)?;
            Ok(Model { provider: Box::new(recorder), ..model })
        }
        None => Ok(model),
    }
}

fn replay(replay: Replay) -> Model {
    let name = replay.model().to_owned();
    let provider: Box<dyn Provider> = Box::new(replay);
    Model { provider, name, window: REPLAY_WINDOW, max_tokens: REPLAY_MAX_TOKENS }
}

fn unusable(error: ReplayError) -> StartError {
    StartError { exit: Exit::Usage, message: error.to_string() }
}
