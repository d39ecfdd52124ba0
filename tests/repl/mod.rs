//! The interactive session in a pseudo-terminal, and scripts on standard input.

mod script;
mod terminal;
mod visible;
