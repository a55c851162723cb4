//! Values from rows.

use serde_json::{Map, Value as Json};

use crate::manager::Rows;
use crate::question::{RESULT_BYTES_MAX, too_long};

/// The first column of the first row.
pub(crate) fn first(rows: &mut Rows<'_>) -> Result<String, String> {
    if !rows.next()? {
        return Err("SQL query returned empty result.".to_owned());
    }
    rows.column(1, RESULT_BYTES_MAX)?.ok_or_else(|| "SQL query returned NULL value.".to_owned())
}

/// Reads rows and columns that are only shown: the other columns and some rows.
pub(crate) fn read_on(rows: &mut Rows<'_>) -> Result<(), String> {
    let n_columns = rows.seen().n_columns_shown();
    for at in 2..=n_columns {
        rows.column(at, RESULT_BYTES_MAX)?;
    }
    while rows.next()? {
        if !rows.seen().is_counted() {
            rows.seen().has_more = true;
            break;
        }
        if rows.seen().is_shown() {
            for at in 1..=n_columns {
                rows.column(at, RESULT_BYTES_MAX)?;
            }
        }
    }
    Ok(())
}

/// All rows, by the names of their columns.
pub(crate) fn rows(rows: &mut Rows<'_>) -> Result<String, String> {
    let names = (1..=rows.n_columns).map(|it| rows.name(it)).collect::<Result<Vec<_>, _>>()?;
    objects(rows, &names)
}

/// All rows, by macros made from the names of columns.
pub(crate) fn discovery(rows: &mut Rows<'_>) -> Result<String, String> {
    let mut names: Vec<String> = Vec::new();
    for at in 1..=rows.n_columns {
        let name = macro_of(&rows.name(at)?)
            .ok_or_else(|| format!("Cannot convert column #{at} name to macro."))?;
        if names.contains(&name) {
            return Err(format!("Duplicate macro name: {name}."));
        }
        names.push(name);
    }
    objects(rows, &names)
}

/// `None`: the name has a letter that macros do not allow.
fn macro_of(name: &str) -> Option<String> {
    let name = name.to_ascii_uppercase();
    let may_stand = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || b"._".contains(&it);
    name.bytes().all(may_stand).then(|| format!("{{#{name}}}"))
}

fn objects(rows: &mut Rows<'_>, names: &[String]) -> Result<String, String> {
    let (mut all, mut left) = (Vec::new(), RESULT_BYTES_MAX);
    while rows.next()? {
        let mut object = Map::new();
        for (name, at) in names.iter().zip(1..) {
            let value = rows.column(at, left)?;
            // With the name and the characters around it.
            let taken = name.len() + value.as_ref().map_or(0, String::len) + 8;
            left = left.checked_sub(taken).ok_or_else(too_long)?;
            object.insert(name.clone(), value.map_or(Json::Null, Json::String));
        }
        all.push(Json::Object(object));
    }
    Ok(Json::Array(all).to_string())
}

#[cfg(test)]
mod tests {
    use super::macro_of;

    #[test]
    fn names_of_columns_become_macros() {
        for (name, expected) in [
            ("name", Some("{#NAME}")),
            ("a_1.b", Some("{#A_1.B}")),
            ("count(*)", None),
            ("größe", None),
        ] {
            assert_eq!(macro_of(name).as_deref(), expected);
        }
    }
}
