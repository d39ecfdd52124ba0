//! SIGINT, SIGTERM and SIGHUP end a run: they cancel it, and decide the exit code. In an interactive session each
//! turn has a token of its own, so that an interrupt ends the turn and not the session.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Exit;

/// The signals of a process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    received: Arc<AtomicI32>,
    current: Arc<Mutex<CancellationToken>>,
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
                    signals.current().cancel();
                }
            });
        }
        signals
    }

    /// A token for one turn; the next signal cancels it. After a signal that ends the session it is cancelled
    /// from the start.
    pub(crate) fn fresh(&self) -> CancellationToken {
        let token = CancellationToken::new();
        if self.exit_or(Exit::Success) == Exit::Terminated {
            token.cancel();
        }
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }

    fn current(&self) -> CancellationToken {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
