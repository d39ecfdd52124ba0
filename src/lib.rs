//! `bareagent`: a terminal coding agent. One loop, and plain parts around it.

pub mod access;
pub mod agent;
pub mod agent_loop;
pub mod cli;
pub mod config;
pub mod context;
pub mod event;
pub mod exec;
pub mod inbox;
pub mod loop_error;
pub mod message;
pub mod output;
pub mod permission;
pub mod provider;
pub mod session;
pub mod store;
pub mod tools;
pub mod workspace;
