//! A program that one talks to.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use wirespeed_system_tests::process;
use wirespeed_system_tests::running::Running;

/// A program in conversation.
pub(super) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Session {
    pub(super) fn start(program: &mut Command) -> Result<Self, String> {
        let piped = program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().map_err(|error| format!("{program:?}: {error}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("it was piped")?;
        Ok(Self { child, input, output })
    }

    /// Closes its input and waits for its end.
    pub(super) fn end(mut self) -> Result<(), String> {
        drop(self.input.take());
        self.child.wait().map(|_| ()).map_err(|error| error.to_string())
    }

    pub(super) fn say(&mut self, words: &str) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("its input is closed")?;
        input.write_all(words.as_bytes()).map_err(|error| error.to_string())
    }

    pub(super) fn receive(&mut self, mut bytes: usize) -> Result<(), String> {
        let mut buffer = vec![0; 1 << 16];
        while bytes > 0 {
            let wanted = bytes.min(buffer.len());
            match self.output.read(&mut buffer[..wanted]) {
                Ok(0) => return Err(format!("ended {bytes} bytes too early")),
                Ok(count) => bytes -= count,
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processes by the name of `program` that a server has now, and had not `before`.
pub(super) fn newcomers(server: &Running, program: &str, before: &[u32]) -> Vec<u32> {
    let mut processes = server.processes();
    processes.retain(|it| {
        process::name(*it).is_some_and(|name| name == program) && !before.contains(it)
    });
    processes
}
