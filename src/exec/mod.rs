//! Running processes: `process.rs` starts, bounds and kills one as a group, `background.rs` keeps
//! those that outlive their call.

pub mod background;
