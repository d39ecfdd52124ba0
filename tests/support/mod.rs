//! What the tests stand on.

pub mod tool_fixture;
