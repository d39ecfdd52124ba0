//! What the model is told, and how much of it: the system text, the user's and project's instructions, the
//! estimate of a conversation's size, and compaction.

pub mod budget;
pub mod compactor;
pub mod system_prompt;
