//! What the tests stand on: a scripted model server, and running the built binary.
#![allow(dead_code)]

pub mod model_server;
pub mod run;
pub mod scripted;
