//! What is kept on disk: sessions as append-only journals, and files written whole or not at all.

pub mod atomic;
pub mod journal;
pub mod list;
pub mod repair;
pub mod transcript;
