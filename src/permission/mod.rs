//! The permission gate: what may run, what is asked about, what is refused.
//!
//! `policy.rs` is the decision, a pure function of rules, mode and what a call would do; `rule.rs` reads
//! and matches rules, `paths.rs` resolves and judges paths, `shell.rs` takes a command apart into what it
//! would do, `programs.rs` is the table of known programs, and `gate.rs` puts questions to a person.

mod decision;
mod gate;
mod policy;

pub use decision::{Decision, Judgement, Mode, Part};
pub use gate::{Answer, Approver, Gate, Question, Verdict};
pub use policy::Policy;
