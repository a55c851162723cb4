//! Steps that leave the thread of their chain.

use super::data::Data;
use super::error::StepError;
use crate::script::Script;

/// What a heavy step made of a value; `None`: discarded.
pub type HeavyResult = Result<Option<Data<'static>>, StepError>;

/// Runs scripts: [`crate::script::Engine`], where there is one.
pub trait Scripts {
    /// The result of a script over a value; `None`: the value is discarded.
    ///
    /// # Errors
    /// What the script threw or which limit it met, with the place.
    fn run(&mut self, script: &Script, value: &str) -> Result<Option<String>, String>;
}

/// Where no script can run.
#[derive(Debug, Clone, Copy)]
pub struct NoScripts;

impl Scripts for NoScripts {
    fn run(&mut self, _script: &Script, _value: &str) -> Result<Option<String>, String> {
        Err("scripts are not run here".to_owned())
    }
}

/// The result of a script as a value.
pub(super) fn javascript<'a>(
    data: &Data<'_>,
    script: &Script,
    scripts: &mut dyn Scripts,
) -> Result<Option<Data<'a>>, StepError> {
    let result = scripts.run(script, &data.as_text()).map_err(StepError::Value)?;
    Ok(result.map(Data::text))
}
