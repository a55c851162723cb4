//! Templates from Zabbix's export format.

use crate::{Actor, ConfigError, Db};

/// What an import may do. Template groups are made as needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportRules {
    /// Make templates that are not there.
    pub create: bool,
    /// Bring templates that are there to what the file says.
    pub update: bool,
    /// Delete objects of such templates that the file does not have.
    pub delete_missing: bool,
}

impl Default for ImportRules {
    fn default() -> Self {
        Self { create: true, update: true, delete_missing: true }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportReport {
    /// Names of the templates made or updated.
    pub templates: Vec<String>,
}

pub(crate) fn import(
    _db: &Db,
    _actor: Actor,
    _text: &str,
    _rules: &ImportRules,
) -> Result<ImportReport, ConfigError> {
    Err(ConfigError::application("not there yet"))
}
