//! Objects of the configuration, made as the API makes them.

use db::{ConfigError, Editor, ObjectKind};
use serde_json::Value;

/// Gives the id.
pub(crate) fn make(
    editor: &mut Editor,
    kind: ObjectKind,
    fields: &Value,
) -> Result<u64, ConfigError> {
    editor.create(kind, fields.as_object().cloned().unwrap_or_default())
}
