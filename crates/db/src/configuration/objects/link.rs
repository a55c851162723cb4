//! Links in objects: of schemes that the settings admit.

use model::document::Body;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use crate::error::{ConfigError, edited};

/// Refuses a link that the settings do not admit.
pub(super) fn check(snapshot: &Snapshot, body: &Body, field: &str) -> Result<(), ConfigError> {
    let link = body.get(field).and_then(Json::as_str).unwrap_or_default();
    let schemes = snapshot.globals.settings.uri_schemes.as_deref();
    if lang::link::is_acceptable(link, schemes) {
        return Ok(());
    }
    Err(ConfigError::invalid(edited(field), "unacceptable URL"))
}
