//! Programs under `padlock-run`: which runner they get, and what they see of the tracer.

mod chains;
mod command;
mod kinds;
mod signals;
mod support;
