//! How a script ended.

use script::RunError;

pub(super) type Outcome = Result<Option<String>, ScriptFailure>;

/// Why a script has no result.
#[derive(Debug)]
pub enum ScriptFailure {
    /// No engine runs it.
    Environment(String),
    Compile(String),
    Execute(String),
}

impl From<RunError> for ScriptFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Compile(it) => Self::Compile(it),
            RunError::Execute(it) => Self::Execute(it),
        }
    }
}

impl ScriptFailure {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Environment(it) | Self::Compile(it) | Self::Execute(it) => it,
        }
    }
}
