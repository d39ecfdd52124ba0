//! Running processes: `process.rs` starts, bounds and kills one with all that it starts, `group.rs`
//! knows who belongs to it, `capture.rs` keeps the output's two ends (`spool.rs` the whole on disk,
//! `clean.rs` without terminal codes), `environment.rs` what a command may see, `background.rs` those
//! that outlive their call, and `sniff.rs` tells text from binary data.

pub mod background;
pub mod capture;
mod clean;
mod environment;
mod group;
pub mod process;
pub mod sniff;
mod spool;

pub use spool::OutputDir;
