//! The integration tests: one folder a capability, all on the support in `support/`.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agent;
mod permission;
mod provider;
mod repl;
mod support;
mod tools;
