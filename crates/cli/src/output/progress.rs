//! The progress bar: on standard error, and only if that is a terminal.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// How far the measuring has come.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of so many slices, invisible away from a terminal.
    pub(crate) fn new(slices: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(slices);
        // Block characters only: readable without colour.
        let style =
            ProgressStyle::with_template("{wide_bar} {percent:>3} %  {eta:>4} left  {msg:28}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    /// A sign that something is done whose end is not known, invisible away from a terminal.
    pub(crate) fn spinner(what: &'static str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new_spinner().with_message(what);
        let style = ProgressStyle::with_template("{elapsed:>4}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    /// Says what is being measured.
    pub(crate) fn at(&self, what: String) {
        self.bar.set_message(what);
    }

    /// One slice more.
    pub(crate) fn tick(&self) {
        self.bar.inc(1);
    }

    /// So many slices in all.
    pub(crate) fn reach(&self, slices: u64) {
        self.bar.set_position(slices);
    }

    /// Lets `print` write to the terminal without the bar in its way.
    pub(crate) fn around<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the bar away.
    pub(crate) fn done(self) {
        self.bar.finish_and_clear();
    }
}
