//! Fields of requests, made of what a file says.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::reader::Node;
use crate::error::ConfigError;

pub(super) type Fields = JsonMap<String, Json>;

pub(super) fn object(value: Json) -> Fields {
    match value {
        Json::Object(it) => it,
        _ => Fields::new(),
    }
}

pub(super) fn tags(node: &mut Node) -> Result<Json, ConfigError> {
    let mut tags = Vec::new();
    for mut tag in node.list("tags")? {
        let request = json!({
            "tag": tag.needed_text("tag")?, "value": tag.text("value")?.unwrap_or_default()
        });
        tag.finish()?;
        tags.push(request);
    }
    Ok(Json::Array(tags))
}
