//! Output for the terminal.

use std::io::{self, Write as _};

/// Prints a text as it is.
///
/// # Errors
/// Standard output can't be written; one that was closed is no error.
pub fn say(text: &str) -> io::Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        // `saker check --sample | head` is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}
