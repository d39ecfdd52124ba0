//! The tools, called as the loop calls them, on real files and processes.

mod background;
mod bash;
mod edit_file;
mod glob;
mod grep;
mod input;
mod read_file;
mod write_file;
