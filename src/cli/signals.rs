//! SIGINT, SIGTERM and SIGHUP end a run: they cancel it, and decide the exit code.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Exit;

/// The signals of one run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    received: Arc<AtomicI32>,
    /// Cancelled by the first signal.
    pub cancel: CancellationToken,
}

impl Signals {
    /// Starts to listen. Where that is not possible, the signals keep their usual effect.
    pub(crate) fn listen() -> Self {
        let signals = Self::default();
        for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
            let Ok(mut stream) = signal(kind) else { continue };
            let signals = signals.clone();
            tokio::spawn(async move {
                while stream.recv().await.is_some() {
                    signals.received.store(kind.as_raw_value(), Ordering::Relaxed);
                    signals.cancel.cancel();
                }
            });
        }
        signals
    }

    /// The exit code of a run that would end with `exit` had no signal come.
    pub(crate) fn exit_or(&self, exit: Exit) -> Exit {
        match self.received.load(Ordering::Relaxed) {
            signal if signal == SignalKind::terminate().as_raw_value() => Exit::Terminated,
            signal if signal == SignalKind::hangup().as_raw_value() => Exit::Terminated,
            signal if signal == SignalKind::interrupt().as_raw_value() => Exit::Interrupted,
            _ => exit,
        }
    }
}
