//! Background commands: started by one tool call, reported to the model at the top of a later iteration.

/// The background tasks of a session.
#[derive(Default)]
pub struct Background {}
