//! Running another program, with its output in view.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::tally::Tally;

/// A command about to run.
pub(crate) struct Run(Command);

impl Run {
    pub(crate) fn new(program: impl AsRef<OsStr>, directory: &Path) -> Self {
        let mut command = Command::new(program);
        // What cargo told us about this program is not meant for the programs it starts.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_")) {
                command.env_remove(name);
            }
        }
        command.current_dir(directory).env_remove("CARGO_MANIFEST_DIR").stdin(Stdio::null());
        Self(command)
    }

    pub(crate) fn arguments<A: AsRef<OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.0.args(arguments);
        self
    }

    pub(crate) fn environment(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Runs it; whether it succeeded.
    pub(crate) fn passes(mut self) -> Result<bool> {
        let status = self.0.status().with_context(|| format!("cannot run {self}"))?;
        Ok(status.success())
    }

    /// Runs it, its output going to a file; an error names the file.
    pub(crate) fn succeeds_quietly(mut self, log: &Path) -> Result<()> {
        let file = std::fs::File::create(log).with_context(|| log.display().to_string())?;
        self.0.stdout(file.try_clone()?).stderr(file);
        let status = self.0.status().with_context(|| format!("cannot run {self}"))?;
        if !status.success() {
            bail!("{self} failed: see {}", log.display());
        }
        Ok(())
    }

    /// Runs it and returns what it printed, without the line end.
    pub(crate) fn output(mut self) -> Result<String> {
        let output = self.0.output().with_context(|| format!("cannot run {self}"))?;
        if !output.status.success() {
            bail!("{self}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Runs a test program, passing its output on and counting what it reports.
    ///
    /// A failure that no test accounts for (it did not build, it crashed) counts as one, with what cargo says of it. On
    /// a thread with a name other than the first's, which runs beside others, every line begins with that name.
    pub(crate) fn tests(mut self) -> Result<Tally> {
        let name = self.to_string();
        let (output, both) = io::pipe()?;
        self.0.stdout(both.try_clone()?).stderr(both);
        let mut child = self.0.spawn().with_context(|| format!("cannot run {name}"))?;
        // Its ends of the pipe are held here too: the output ends when they are gone.
        drop(self);
        let thread = thread::current();
        let label = thread.name().filter(|name| *name != "main");
        let mut tally = Tally::default();
        let mut complaints = String::new();
        for line in BufReader::new(output).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            match label {
                Some(label) => println!("{label}: {line}"),
                None => println!("{line}"),
            }
            tally.read(&line);
            if ["error", "process didn't exit"].iter().any(|it| line.trim_start().starts_with(it)) {
                complaints += &format!("\n    {}", line.trim());
            }
        }
        if !child.wait()?.success() && tally.failed == 0 {
            tally.fail(format!("{name} failed outside of any test{complaints}"));
        }
        if tally.passed + tally.failed + tally.skipped == 0 {
            // A filter that names nothing any more.
            tally.fail(format!("{name} ran no test"));
        }
        Ok(tally)
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.get_program().to_string_lossy())?;
        for argument in self.0.get_args() {
            write!(f, " {}", argument.to_string_lossy())?;
        }
        Ok(())
    }
}
