//! `bareagent`: a terminal coding agent. One loop, and plain parts around it.

pub mod access;
pub mod event;
pub mod exec;
pub mod message;
pub mod permission;
pub mod provider;
pub mod store;
pub mod tools;
pub mod workspace;
