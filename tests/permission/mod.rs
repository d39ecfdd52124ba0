//! The gate's policy against tables of cases.

mod cases;
mod mangled;
mod suggested;
