//! Queries of structured texts.

use super::super::value::{Env, Val};
use super::args::{text_of, wrong_number};
use formats::jsonpath::JsonPath;
use formats::xml;

/// `jsonpath(text, path[, default])`.
pub(super) fn jsonpath<'v>(
    _name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Result<Val<'v>, String> {
    query(args, |json, path| {
        let path = JsonPath::parse(path).map_err(|it| it.to_string())?;
        path.query_text(json).map_err(|it| it.to_string())
    })
}

/// `xmlxpath(text, path[, default])`.
pub(super) fn xmlxpath<'v>(
    _name: &'static str,
    args: Vec<Val<'v>>,
    _env: &Env<'_>,
) -> Result<Val<'v>, String> {
    query(args, |text, path| {
        let path = xml::XPath::parse(path).map_err(|it| it.to_string())?;
        let doc = xml::Doc::parse(text).map_err(|it| it.to_string())?;
        path.find_text(&doc).map_err(|it| it.to_string())
    })
}

/// The result of a query, else the third argument.
fn query<'v>(
    args: Vec<Val<'v>>,
    find: impl FnOnce(&str, &str) -> Result<Option<String>, String>,
) -> Result<Val<'v>, String> {
    let mut args = args.into_iter();
    let (Some(text), Some(path), default, None) =
        (args.next(), args.next(), args.next(), args.next())
    else {
        return Err(wrong_number());
    };
    let (text, path) = (text_of(text)?, text_of(path)?);
    match find(&text, &path)? {
        Some(found) => Ok(Val::Text(found.into())),
        None => default.ok_or_else(|| "no data matches the specified path".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use crate::expression::{Env, Operand, Program, Value, parse};

    fn eval(text: &str) -> Option<String> {
        let zone = TimeZone::UTC;
        let env = Env::new(model::Time::ZERO, &zone);
        let program = Program::compile(&parse(text).unwrap()).unwrap();
        match program.eval(&[] as &[Operand<'_>], &env) {
            Ok(Value::Text(it)) => Some(it),
            _ => None,
        }
    }

    #[test]
    fn the_default_replaces_a_missing_node_but_no_empty_text() {
        let some = |it: &str| Some(it.to_owned());
        assert_eq!(eval("xmlxpath(\"<a><b/></a>\",\"/a/b/text()\",\"none\")"), some("none"));
        assert_eq!(eval("xmlxpath(\"<a><b/></a>\",\"string(/a/b)\",\"none\")"), some(""));
        assert_eq!(eval("xmlxpath(\"<a><b>x</b></a>\",\"/a/b\")"), some("<b>x</b>"));
        assert_eq!(eval("xmlxpath(\"<a/>\",\"/a/b\")"), None);
        assert_eq!(eval("jsonpath(\"{}\",\"$.a\",\"none\")"), some("none"));
    }
}
