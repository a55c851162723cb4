//! The interface to run scripts, without an engine of one's own.

use crate::source::Script;

/// Runs scripts: [`crate::Engine`], where there is one.
pub trait Scripts {
    /// The result of a script over a value; `None`: the value is discarded.
    ///
    /// # Errors
    /// What the script threw or which limit it met, with the place.
    fn run(&mut self, script: &Script, value: &str) -> Result<Option<String>, String>;
}

/// For places that cannot run scripts.
#[derive(Debug, Clone, Copy)]
pub struct NoScripts;

impl Scripts for NoScripts {
    fn run(&mut self, _script: &Script, _value: &str) -> Result<Option<String>, String> {
        Err("scripts are not run here".to_owned())
    }
}
