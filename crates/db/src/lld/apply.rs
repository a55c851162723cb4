//! Stub.
use super::{LldReport, LldRow};
use crate::{ConfigError, Db};
use model::{ItemId, Time};
pub(crate) fn apply_text(
    _db: &Db,
    _rule: ItemId,
    _text: &str,
    _now: Time,
) -> Result<LldReport, ConfigError> {
    Err(ConfigError::application("not there yet"))
}
pub(crate) fn apply_rows(
    _db: &Db,
    _rule: ItemId,
    _rows: Vec<LldRow>,
    _now: Time,
) -> Result<LldReport, ConfigError> {
    Err(ConfigError::application("not there yet"))
}
