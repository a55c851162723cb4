//! LLD macros in keys and texts.

use model::snapshot::LldRow;

/// A key with the row's values, quoted where the key needs it.
pub(crate) fn key(key: &str, row: &LldRow) -> String {
    text(key, row)
}

/// A text with the row's values.
pub(crate) fn text(text: &str, row: &LldRow) -> String {
    let mut expanded = text.to_owned();
    for (name, value) in row {
        expanded = expanded.replace(&**name, value);
    }
    expanded
}
