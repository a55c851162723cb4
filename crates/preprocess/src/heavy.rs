//! Steps that are run outside the thread of their chain.

use super::data::Data;
use super::error::StepError;
use script::{Script, Scripts};

/// The result of a heavy step; `None`: discarded.
pub type HeavyResult = Result<Option<Data<'static>>, StepError>;

/// The result of a script as a value.
pub(super) fn javascript<'a>(
    data: &Data<'_>,
    script: &Script,
    scripts: &mut dyn Scripts,
) -> Result<Option<Data<'a>>, StepError> {
    let result = scripts.run(script, &data.as_text()).map_err(StepError::Value)?;
    Ok(result.map(Data::text))
}
