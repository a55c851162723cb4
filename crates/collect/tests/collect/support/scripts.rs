//! A host of scripts with prepared results that records requests.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use collect::Transcript;
use collect::ports::{ScriptAnswer, ScriptError, ScriptHost, ScriptRequest};
use collect::transcript::LineKind;

type Result = std::result::Result<Option<String>, ScriptError>;

#[derive(Default)]
pub struct Play {
    /// Without results no script ever ends.
    pub results: Mutex<VecDeque<Result>>,
    pub requests: Mutex<Vec<ScriptRequest>>,
}

impl Play {
    pub fn result(&self, result: Result) {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).push_back(result);
    }

    pub fn requests(&self) -> Vec<ScriptRequest> {
        std::mem::take(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ScriptHost for Play {
    fn run(&self, request: ScriptRequest) -> ScriptAnswer<'_> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        let next = self.results.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(async {
            match next {
                Some(result) => result,
                None => std::future::pending().await,
            }
        })
    }

    fn run_with_transcript(
        &self,
        request: ScriptRequest,
        transcript: &Transcript,
    ) -> ScriptAnswer<'_> {
        transcript.push(LineKind::Note, "log: played", b"");
        self.run(request)
    }
}
