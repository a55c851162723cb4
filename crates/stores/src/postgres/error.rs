//! Errors that pass, and others.

use history::Error;
use postgres::error::SqlState;
use postgres_tls::with_causes;

pub(super) use crate::error::{away, refused};

/// Errors that waiting does not resolve are refusals: logins, rights, names, types.
pub(super) fn failure(error: &postgres::Error) -> Error {
    let Some(db) = error.as_db_error() else { return away(with_causes(error)) };
    let reason = format!("{}: {}", db.severity(), db.message());
    let class = db.code().code().get(..2).unwrap_or_default();
    let is_final = matches!(class, "28" | "42" | "3D" | "3F" | "22" | "0A");
    if is_final && *db.code() != SqlState::UNDEFINED_TABLE { refused(reason) } else { away(reason) }
}
