//! LLD macros in keys and texts of prototypes.

use jiff::tz::TimeZone;
use lang::lld::{EscapeTarget, RowIn, expand_key, expand_text};
use model::snapshot::LldRow;

/// A key with the row's values, quoted where the key needs it; as it is where a value cannot stand
/// there.
pub(crate) fn key(key: &str, row: &LldRow, zone: &TimeZone) -> String {
    expand_key(key, RowIn::new(row, zone)).unwrap_or_else(|_unquotable| key.to_owned())
}

/// A name with the row's values.
pub(crate) fn text(text: &str, row: &LldRow, zone: &TimeZone) -> String {
    if !text.contains("{#") {
        return text.to_owned();
    }
    let expanded = expand_text(text, RowIn::new(row, zone), EscapeTarget::Text);
    expanded.unwrap_or_else(|_unquotable| text.to_owned())
}

/// The name of an object: spaces around it do not belong to it.
pub(crate) fn name(written: &str, row: &LldRow, zone: &TimeZone) -> String {
    let expanded = text(written, row, zone);
    let trimmed = expanded.trim_matches([' ', '\t', '\r', '\n']);
    if trimmed.len() == expanded.len() { expanded } else { trimmed.to_owned() }
}
