//! Reading documents of the API: numbers stand in them as text.

use model::document::Body;
use serde_json::Value as Json;

pub(crate) fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

pub(crate) fn number_of<T: std::str::FromStr + Default>(body: &Body, name: &str) -> T {
    text_of(body, name).parse().unwrap_or_default()
}

pub(crate) fn parts<'a>(body: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = body.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}
