//! Keys that the agent has without any settings.

use agent::Agent;

/// Runs a command.
pub(crate) const RUN: &str = "system.run";
/// Keys without a value of their own: they follow a file.
const LOG_KEYS: [&str; 4] = ["log", "log.count", "logrt", "logrt.count"];
pub(crate) fn is_log_key(name: &str) -> bool {
    LOG_KEYS.contains(&name)
}

/// Whether a key is one of the agent's own.
pub(crate) fn is_own_key(name: &str) -> bool {
    name == RUN || is_log_key(name) || Agent::keys().any(|it| it.0 == name)
}
