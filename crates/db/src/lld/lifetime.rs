//! Stub.
use super::LldReport;
use crate::{ConfigError, Db};
use model::Time;
pub(crate) fn sweep(_db: &Db, _now: Time) -> Result<LldReport, ConfigError> {
    Ok(LldReport::default())
}
