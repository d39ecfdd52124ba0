//! The loop, and the ways into it without a terminal.

mod bad_input;
mod compaction;
mod demo;
mod imports;
mod loop_rules;
mod oneshot;
mod sessions;
mod settings;
