//! The permission gate: what may run, what is asked about, what is refused.
//!
//! `policy.rs` is the decision, a pure function of rules, mode and what a call would do; `rule.rs` reads
//! and matches rules, `paths.rs` resolves and judges paths. `shell/` takes a command apart into what it would
//! run, `command.rs` says what each part would do, by `programs.rs`, the table of known programs
//! (`readers.rs`, `develop.rs`), with `arguments.rs`, `wrappers.rs`, `special.rs`, `scripts.rs` and `awk.rs` for what is not in a table. `suggest.rs` finds the rule that is
//! offered with a question, `gate.rs` puts questions to a person.

mod arguments;
mod awk;
mod command;
mod decision;
mod develop;
mod gate;
mod paths;
mod policy;
mod programs;
mod readers;
mod rule;
mod scripts;
mod shell;
mod special;
mod suggest;
mod wrappers;

pub use decision::{Decision, Judgement, Mode, Part};
pub use gate::{Answer, Approver, Gate, Question, Verdict};
pub use policy::Policy;
pub use rule::RuleError;
