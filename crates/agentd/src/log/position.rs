//! The position of reading, and the errors of log items.

use std::io;

use serde::{Deserialize, Serialize};

/// Where reading continues, as sent in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// Bytes of the file.
    pub lastlogsize: u64,
    /// When the file was changed, seconds since 1970.
    pub mtime: u64,
}

/// `Cannot open file "/x": [2] No such file or directory`.
pub(super) fn cannot(what: &str, path: &str, error: &io::Error) -> String {
    let reason = match error.raw_os_error() {
        Some(code) => format!("[{code}] {}", nix::errno::Errno::from_raw(code).desc()),
        None => error.to_string(),
    };
    format!("Cannot {what} file \"{path}\": {reason}")
}
