//! LLD macros in keys and texts of prototypes.

use lang::lld::{Row, Target, expand_key, expand_text};
use model::snapshot::LldRow;

/// The row in the form that `lang` works with.
pub(crate) fn as_row(row: &LldRow) -> Row {
    Row { macros: row.clone() }
}

/// A key with the row's values, quoted where the key needs it; as it is where a value cannot stand
/// there.
pub(crate) fn key(key: &str, row: &LldRow) -> String {
    expand_key(key, &as_row(row)).unwrap_or_else(|_unquotable| key.to_owned())
}

/// A name with the row's values.
pub(crate) fn text(text: &str, row: &LldRow) -> String {
    if !text.contains("{#") {
        return text.to_owned();
    }
    let expanded = expand_text(text, &as_row(row), Target::Text);
    expanded.unwrap_or_else(|_unquotable| text.to_owned())
}
