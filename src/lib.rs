//! `bareagent`: a terminal coding agent. One loop, and plain parts around it.
//!
//! ```text
//! main ─► cli (arguments → Settings → which front end) ─► session.turn(prompt)
//!                                                              │
//!         ┌─► inbox (background, steering) ─► compact ─► provider.stream ─► transcript.push ─┐
//!         │                                                                                  │ no calls: return text
//!         └────────── transcript.push(one user message of results) ◄─ run ◄─ gate ◄──────────┘
//!                                                              │ Events, one way
//!                               front end: text · json · terminal
//! ```
//!
//! Data goes down by plain calls and comes back as return values. What a person may watch goes out as
//! [`event::Event`]s to one sink; what a person must decide comes back through one
//! [`permission::Approver`]. Start reading at [`agent_loop`].

pub mod access;
pub mod agent;
pub mod agent_loop;
pub mod cli;
pub mod commands;
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
pub mod ui;
pub mod workspace;
