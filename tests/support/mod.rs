//! What the tests stand on: a scripted model server, running the built binary, the loop's surroundings.
#![allow(dead_code, unused_imports)]

pub mod model_server;
pub mod policy;
pub mod pty;
pub mod run;
pub mod scripted;
pub mod tool_fixture;
