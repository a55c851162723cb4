//! Queries of structured texts.

use super::super::eval::{Env, Val};
use super::{text_of, wrong_number};
use crate::jsonpath::JsonPath;

/// `jsonpath(text, path[, default])`.
pub(super) fn jsonpath<'v>(
    _name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Result<Val<'v>, String> {
    let mut args = args.into_iter();
    let (Some(json), Some(path), default, None) =
        (args.next(), args.next(), args.next(), args.next())
    else {
        return Err(wrong_number());
    };
    let (json, path) = (text_of(json)?, text_of(path)?);
    let path = JsonPath::parse(&path).map_err(|it| it.to_string())?;
    match path.query_text(&json).map_err(|it| it.to_string())? {
        Some(found) => Ok(Val::Text(found.into())),
        None => match default {
            Some(it) => Ok(it),
            None => Err("no data matches the specified path".to_owned()),
        },
    }
}
