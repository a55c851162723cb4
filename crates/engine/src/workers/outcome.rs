//! How a script ended.

use script::RunError;

pub(super) type Outcome = Result<Option<String>, Fault>;

/// Why a script has no result.
#[derive(Debug)]
pub enum Fault {
    /// Nobody runs it.
    Environment(String),
    Compile(String),
    Execute(String),
}

impl From<RunError> for Fault {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Compile(it) => Self::Compile(it),
            RunError::Execute(it) => Self::Execute(it),
        }
    }
}

impl Fault {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Environment(it) | Self::Compile(it) | Self::Execute(it) => it,
        }
    }
}
