//! Remote commands in the list of checks, and their results with the values.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::ActiveMessageError;
use crate::lenient;

/// A command for the agent to run (since 7.0).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command<'a> {
    #[serde(deserialize_with = "lenient::whole_or_zero")]
    pub id: u64,
    pub command: Cow<'a, str>,
    /// 1: the result is required.
    #[serde(deserialize_with = "lenient::whole_or_zero")]
    pub wait: u64,
    /// Such as `30s`.
    #[serde(default)]
    pub timeout: Cow<'a, str>,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandResult {
    #[serde(deserialize_with = "lenient::whole_or_zero")]
    pub id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Reads the array that [`crate::sender::SenderRequest::commands`] gives.
///
/// # Errors
/// When it is not an array of results.
pub fn parse_command_results(json: &str) -> Result<Vec<CommandResult>, ActiveMessageError> {
    Ok(serde_json::from_str(json)?)
}

/// The array for the member `commands`.
#[must_use]
pub fn encode_command_results(results: &[CommandResult]) -> Vec<u8> {
    super::to_json(&results)
}
