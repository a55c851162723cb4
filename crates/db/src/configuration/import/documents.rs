//! Objects by their descriptions: names of their fields in files, and their import.

use model::describe::{Field, FieldType, Rule};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::fields::Fields;
use super::reader::{Node, unsupported};
use super::rules::ImportRule;
use crate::configuration::editor::Editor;
use crate::configuration::editor::content::{merge, to_object};
use crate::configuration::objects::Stored;
use crate::configuration::objects::in_file::{FileOrder, InFile};
use crate::error::ConfigError;

/// Makes and updates objects as far as the rule allows, and gives their ids. They are found by what is
/// unique of them.
pub(super) fn import(
    e: &mut Editor,
    stored: &'static Stored,
    list: Vec<Node>,
    rule: ImportRule,
) -> Result<Vec<u64>, ConfigError> {
    let mut touched = Vec::new();
    for mut node in list {
        let mut fields = fields_of(stored.object.fields, &mut node)?;
        node.finish()?;
        let known = e.snapshot().documents.by_key(stored.object.name, &stored.key_of(&fields));
        match known.map(|it| it.id) {
            Some(id) if rule.update => {
                let constant = stored.object.fields.iter().filter(|it| it.is_constant());
                constant.for_each(|it| drop(fields.remove(it.name)));
                complete(stored.object.fields, &mut fields);
                e.update(stored.kind(), id, fields)?;
                touched.push(id);
            }
            None if rule.create => {
                touched.push(e.create(stored.kind(), fields)?);
            }
            _ => {}
        }
    }
    Ok(touched)
}

/// Fields missing in a file are as those of a new object; secrets, which files need not have, stay.
pub(super) fn complete(fields: &[Field], given: &mut Fields) {
    for field in fields.iter().filter(|it| !it.is_secret) {
        let left_out = match (field.kind, field.rule) {
            (FieldType::Id, _) => continue,
            (FieldType::List(_), Rule::Optional) => Json::Array(Vec::new()),
            (_, Rule::Default(value)) => Json::from(value),
            _ => continue,
        };
        given.entry(field.name).or_insert(left_out);
    }
}

/// The fields of an object, or of a part of one, under the names that the API has. Ids are of one installation:
/// exports of documents have none.
pub(super) fn fields_of(fields: &[Field], node: &mut Node) -> Result<Fields, ConfigError> {
    let mut found = Fields::new();
    for field in fields.iter().filter(|it| it.rule != Rule::ReadOnly) {
        if let Some(value) = value_of(field, node)? {
            found.insert(field.name.to_owned(), value);
        }
    }
    Ok(found)
}

/// The value of one field; `None` where the file leaves it out.
fn value_of(field: &Field, node: &mut Node) -> Result<Option<Json>, ConfigError> {
    let tag = field.tag.unwrap_or(field.name);
    let value = match field.kind {
        FieldType::Id => return Ok(None),
        FieldType::List(inner) => {
            let list = node.list(tag)?.into_iter();
            let parts: Vec<Json> = list
                .map(|mut it| {
                    let part = fields_of(inner, &mut it)?;
                    it.finish().map(|()| Json::Object(part))
                })
                .collect::<Result<_, _>>()?;
            Some(Json::Array(parts))
        }
        FieldType::Object(inner) => match node.child(tag)? {
            Some(mut it) => {
                let part = fields_of(inner, &mut it)?;
                it.finish()?;
                Some(Json::Object(part))
            }
            None => None,
        },
        FieldType::Texts { .. } => Some(node.texts(tag)?.into_iter().map(Json::from).collect()),
        FieldType::Code(codes) => code(field, codes, tag, node)?.map(Json::from),
        _ => node.text(tag)?.map(Json::from),
    };
    match value {
        None if field.rule == Rule::Required => Err(node.missing(tag)),
        value => Ok(value),
    }
}

/// Reads what files have of a content under the names that the API has. What they leave out is as it is by default;
/// those in `fields` are read already. `in_file` gives a field as this object has it in files.
pub(super) fn read_content<C, P>(
    fields: &mut Fields,
    node: &mut Node,
    order: FileOrder<C, P>,
    is_prototype: bool,
    in_file: &dyn Fn(&Field) -> Field,
) -> Result<(), ConfigError> {
    for place in order.iter().copied().flatten() {
        let described = match place {
            InFile::Field(it) => it,
            InFile::OfPrototypes(it) if is_prototype => it,
            InFile::OfPrototypes(_) | InFile::Part(_) => continue,
        };
        if fields.contains_key(described.field.name) {
            continue;
        }
        let field = in_file(&described.field);
        let value = match field.kind {
            FieldType::List(_) => Some(pairs(node, field.name)?),
            _ => value_of(&field, node)?,
        };
        let default = match field.rule {
            Rule::Default(it) => Some(Json::from(it)),
            _ => None,
        };
        if let Some(value) = value.or(default) {
            fields.insert(field.name.to_owned(), value);
        }
    }
    Ok(())
}

/// Headers, query fields, parameters, variables.
pub(super) fn pairs(node: &mut Node, name: &str) -> Result<Json, ConfigError> {
    let mut pairs = Vec::new();
    for mut pair in node.list(name)? {
        pairs.push(json!({
            "name": pair.text("name")?.unwrap_or_default(),
            "value": pair.text("value")?.unwrap_or_default(),
        }));
        pair.finish()?;
    }
    Ok(Json::Array(pairs))
}

/// The content of a file: missing fields have their default.
pub(super) fn whole<C: Default + Serialize + DeserializeOwned>(
    fields: &Fields,
) -> Result<C, ConfigError> {
    // The API and the content write it the other way round.
    let mut fields = fields.clone();
    fields.remove("discover");
    merge(&C::default(), &fields)
}

/// The request for an update to a content of which nothing stays as it was. `fields` is what the file says of it,
/// `others` are members that requests have in another form, or not at all.
pub(super) fn whole_request<C: Serialize>(whole: &C, fields: &Fields, others: &[&str]) -> Fields {
    let mut request = to_object(whole);
    others.iter().for_each(|it| drop(request.remove(*it)));
    // A file without an identity does not take that of the object.
    if request.get("uuid").and_then(Json::as_str) == Some("") {
        request.remove("uuid");
    }
    let discover = fields.get("discover").cloned();
    request.insert("discover".to_owned(), discover.unwrap_or_else(|| Json::from("0")));
    request
}

/// A code by the name that exports have for it, or as it is where they have none.
fn code(
    field: &Field,
    codes: &[i64],
    tag: &str,
    node: &mut Node,
) -> Result<Option<String>, ConfigError> {
    if !field.constants.is_empty() {
        return node.code_if_any(tag, field.constants);
    }
    let Some(text) = node.text(tag)? else { return Ok(None) };
    if codes.iter().any(|it| it.to_string() == text) {
        return Ok(Some(text));
    }
    let what = format!("unexpected constant \"{text}\"");
    Err(unsupported(&node.path_of(tag), what))
}
