//! Other machines: they print prepared output and record commands.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use collect::Transcript;
use collect::ports::{Printed, RemoteShells, ShellAnswer, ShellCommand};
use collect::transcript::LineKind;

#[derive(Default)]
pub struct Play {
    /// Without answers no command ever ends.
    pub answers: Mutex<VecDeque<Result<Vec<u8>, String>>>,
    pub commands: Mutex<Vec<ShellCommand>>,
}

impl Play {
    pub fn answer(&self, answer: Result<&[u8], &str>) {
        let answer = answer.map(<[u8]>::to_vec).map_err(str::to_owned);
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(answer);
    }

    pub fn commands(&self) -> Vec<ShellCommand> {
        std::mem::take(&mut self.commands.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RemoteShells for Play {
    fn run(&self, command: ShellCommand) -> ShellAnswer<'_> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).push(command);
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(async {
            match next {
                Some(answer) => answer.map(|bytes| Printed { bytes, room: None }),
                None => std::future::pending().await,
            }
        })
    }

    fn run_with_transcript(
        &self,
        command: ShellCommand,
        transcript: &Transcript,
    ) -> ShellAnswer<'_> {
        transcript.push(LineKind::Sent, &command.command, b"");
        self.run(command)
    }
}
