//! What lies on disk: `atomic.rs` replaces files whole.

pub mod atomic;
