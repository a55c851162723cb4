//! From the API's fields to content and back, field by field.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::content::{ItemContent, ItemOverrides, ItemType};
use model::field_path::FieldPath;
use model::snapshot::ItemRow;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map as JsonMap, Value as Json};

use crate::configuration::store::RowKind;
use crate::error::ConfigError;

/// `base` with the given fields in place of its own. Fields that `base` does not have are ignored.
pub(crate) fn merge<T: Serialize + DeserializeOwned>(
    base: &T,
    fields: &JsonMap<String, Json>,
) -> Result<T, ConfigError> {
    let mut merged = to_object(base);
    for (name, value) in fields {
        if let Some(old) = merged.get_mut(name) {
            *old = match (&*old, value) {
                // Texts that look like numbers ("delay": 30) come as numbers from some clients.
                (Json::String(_), Json::Number(number)) => Json::String(number.to_string()),
                _ => value.clone(),
            };
        }
    }
    from_object(merged)
}

pub(super) fn from_object<T: DeserializeOwned>(
    object: JsonMap<String, Json>,
) -> Result<T, ConfigError> {
    // `api` has checked shapes: only rules of the type itself can still fail.
    serde_json::from_value(Json::Object(object))
        .map_err(|error| ConfigError::invalid(FieldPath::object(0), error))
}

pub(crate) fn to_object(value: &impl Serialize) -> JsonMap<String, Json> {
    match serde_json::to_value(value) {
        Ok(Json::Object(it)) => it,
        _ => JsonMap::new(),
    }
}

/// The first field in which two contents differ.
pub(super) fn first_difference(one: &impl Serialize, two: &impl Serialize) -> Option<String> {
    let two = to_object(two);
    to_object(one).into_iter().find(|(name, value)| two.get(name) != Some(value)).map(|it| it.0)
}

/// An id in a field: text or number.
pub(super) fn id_of(value: &Json) -> Option<u64> {
    match value {
        Json::String(it) => it.parse().ok(),
        Json::Number(it) => it.as_u64(),
        _ => None,
    }
}

pub(super) fn id_field(fields: &JsonMap<String, Json>, name: &str) -> Option<u64> {
    fields.get(name).and_then(id_of).filter(|it| *it != 0)
}

pub(super) fn text_field<'a>(fields: &'a JsonMap<String, Json>, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Json::as_str)
}

pub(super) fn int_field(fields: &JsonMap<String, Json>, name: &str) -> Option<i64> {
    match fields.get(name)? {
        Json::String(it) => it.parse().ok(),
        Json::Number(it) => it.as_i64(),
        Json::Bool(it) => Some(i64::from(*it)),
        _ => None,
    }
}

/// `[{"groupid": "1"}, …]` or `["1", …]`: the ids, or `None` if the field is absent.
pub(super) fn ids_field(
    fields: &JsonMap<String, Json>,
    name: &str,
    id_name: &str,
) -> Option<Vec<u64>> {
    let list = fields.get(name)?;
    let list = match list {
        Json::Array(it) => it.as_slice(),
        one => std::slice::from_ref(one),
    };
    let mut ids: Vec<u64> = Vec::with_capacity(list.len());
    let mut known = BTreeSet::new();
    for entry in list {
        let id = match entry {
            Json::Object(it) => it.get(id_name).and_then(id_of),
            other => id_of(other),
        };
        if let Some(id) = id.filter(|it| known.insert(*it)) {
            ids.push(id);
        }
    }
    Some(ids)
}

/// The objects of a list field, or `None` if it is absent.
pub(super) fn objects_field<'a>(
    fields: &'a JsonMap<String, Json>,
    name: &str,
) -> Option<Vec<&'a JsonMap<String, Json>>> {
    let list = fields.get(name)?.as_array()?;
    Some(list.iter().filter_map(Json::as_object).collect())
}

/// The overrides of `base` that make it `wanted`.
///
/// # Errors
/// Names the first field that is not the holder's to change.
pub(super) fn overrides_of<R: RowKind>(
    base: &Arc<R::Content>,
    wanted: &R::Content,
) -> Result<R::Overrides, ConfigError> {
    let overrides = R::between(base, wanted);
    only_overrides::<R>(base, wanted, overrides)
}

/// As [`overrides_of`], of items.
pub(super) fn item_overrides(
    base: &Arc<ItemContent>,
    wanted: &ItemContent,
) -> Result<ItemOverrides, ConfigError> {
    let mut overrides = ItemOverrides::between(base, wanted);
    // The text of a script or formula may be the host's own; that of a query is the template's. Of web scenarios
    // the editor looks at what differs.
    let has_own_params = matches!(
        wanted.kind,
        ItemType::Ssh
            | ItemType::Telnet
            | ItemType::Calculated
            | ItemType::Script
            | ItemType::WebItem
    );
    if !has_own_params {
        overrides.params = None;
    }
    only_overrides::<ItemRow>(base, wanted, overrides)
}

/// The overrides, if nothing else differs.
fn only_overrides<R: RowKind>(
    base: &Arc<R::Content>,
    wanted: &R::Content,
    overrides: R::Overrides,
) -> Result<R::Overrides, ConfigError> {
    match first_difference(wanted, &*R::apply(&overrides, base)) {
        None => Ok(overrides),
        Some(field) => Err(readonly(&field, "inherited")),
    }
}

pub(super) fn readonly(field: &str, of: &str) -> ConfigError {
    let what = format_args!("cannot update readonly parameter \"{field}\" of {of} object");
    ConfigError::invalid(FieldPath::object(0), what)
}

#[cfg(test)]
mod tests {
    use model::InterfaceId;
    use model::content::ItemStatus;
    use serde_json::json;

    use super::*;

    fn fields(value: Json) -> JsonMap<String, Json> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn given_fields_replace_and_unknown_ones_are_ignored() {
        let base = ItemContent { key_: "a".to_owned(), ..ItemContent::default() };
        let request = json!({"name": "n", "delay": 30, "status": "1", "nonsense": 1, "type": 2});
        let merged: ItemContent = merge(&base, &fields(request)).unwrap();
        assert_eq!((merged.key_.as_str(), merged.name.as_str()), ("a", "n"));
        assert_eq!((merged.delay.as_str(), merged.status), ("30", ItemStatus::Disabled));
        assert_eq!(merged.kind, ItemType::Trapper);
    }

    #[test]
    fn a_field_of_the_template_is_named_and_a_field_of_the_host_becomes_an_override() {
        let base = Arc::new(ItemContent::default());
        let wanted = ItemContent {
            status: ItemStatus::Disabled,
            interfaceid: InterfaceId(7),
            ..ItemContent::default()
        };
        let overrides = item_overrides(&base, &wanted).unwrap();
        assert_eq!(overrides.status, Some(ItemStatus::Disabled));
        assert_eq!(overrides.interfaceid, Some(InterfaceId(7)));
        assert_eq!(overrides.history, None);
        let wanted = ItemContent { name: "other".to_owned(), ..ItemContent::default() };
        let error = |wanted| item_overrides(&base, &wanted).unwrap_err().text();
        assert!(error(wanted).contains("readonly parameter \"name\""));
        let wanted = ItemContent { params: "other".to_owned(), ..ItemContent::default() };
        assert!(error(wanted).contains("readonly parameter \"params\""));
    }

    #[test]
    fn ids_come_as_objects_or_plain_and_only_once() {
        let request = fields(json!({"groups": [{"groupid": "2"}, "3", 2, {"other": "9"}]}));
        assert_eq!(ids_field(&request, "groups", "groupid"), Some(vec![2, 3]));
        assert_eq!(ids_field(&request, "templates", "templateid"), None);
    }
}
