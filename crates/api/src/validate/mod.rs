//! Parameters of create and update against an object's description.
//!
//! The result is canonical: texts are texts, codes and numbers are decimal texts, one object where a list is
//! due is a list of one, defaults are filled in (create only), unknown fields are refused by name. Rules over
//! several fields or objects belong to `db`.

mod columns;
mod dependencies;
mod inventory;
pub(crate) mod numbers;

use std::borrow::Cow;
use std::sync::Arc;

use model::document::Document;
use model::field_path::FieldPath;
use model::map::Set;
use serde_json::{Map, Value};

pub use self::columns::as_columns;
use self::dependencies::Seen;
pub use self::numbers::{integer, number, timestamp};
use self::numbers::{join, number_text};
use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Create,
    Update,
}

/// Takes the parameters of a create or update method, one object or a list, and gives canonical
/// objects. `id` is the id's field, required for updates.
///
/// # Errors
/// In Zabbix's words, with the path of the first wrong field.
pub fn objects(
    fields: &[Field],
    id: &str,
    params: &Value,
    mode: Mode,
) -> Result<Vec<Map<String, Value>>, ApiError> {
    let mut list = given_objects(fields, id, params, mode)?;
    if mode == Mode::Create {
        list.iter_mut().for_each(|it| fill(fields, it));
    }
    Ok(list)
}

/// As [`objects`], without the defaults of omitted fields.
///
/// # Errors
/// As [`objects`].
pub fn given_objects(
    fields: &[Field],
    id: &str,
    params: &Value,
    mode: Mode,
) -> Result<Vec<Map<String, Value>>, ApiError> {
    changes(fields, id, params, mode, &|_| None)
}

/// As [`given_objects`], of documents as `before` gives them: the fields that are not changed, too, decide
/// which may be given.
///
/// # Errors
/// As [`objects`].
pub fn changes(
    fields: &[Field],
    id: &str,
    params: &Value,
    mode: Mode,
    before: Before<'_>,
) -> Result<Vec<Map<String, Value>>, ApiError> {
    let list = elements(params, false)
        .ok_or_else(|| ApiError::field(FieldPath::root(), "an array is expected"))?;
    if list.is_empty() {
        return Err(ApiError::field(FieldPath::root(), "cannot be empty"));
    }
    let each = list.into_iter().enumerate().map(|(at, it)| {
        let id_given = it.get(id).and_then(number_text).and_then(|it| it.parse().ok());
        let old = id_given.filter(|_| mode == Mode::Update).and_then(before);
        let path = FieldPath::object(at);
        given_of((fields, old.as_deref(), None), Some(id), it, mode, &path)
    });
    let list: Vec<Map<String, Value>> = each.collect::<Result<_, _>>()?;
    for (at, it) in list.iter().enumerate() {
        unique_parts(fields, it, &FieldPath::object(at))?;
    }
    Ok(list)
}

/// The elements of a list. One object is accepted in place of a list of one where that is allowed; with
/// numbers for names it is a list as PHP writes it.
#[must_use]
pub fn elements(value: &Value, is_list_only: bool) -> Option<Vec<&Value>> {
    match value {
        Value::Array(it) => Some(it.iter().collect()),
        Value::Object(it) => {
            let is_number = |it: &String| it.bytes().all(|it| it.is_ascii_digit());
            if !is_list_only && !it.keys().next().is_none_or(is_number) {
                return Some(vec![value]);
            }
            let mut members: Vec<(&String, &Value)> = it.iter().collect();
            members.sort_by_key(|(name, _)| name.parse::<u64>().unwrap_or(u64::MAX));
            Some(members.into_iter().map(|it| it.1).collect())
        }
        _ => None,
    }
}

/// Parts of lists that may not have the same in some fields, in lists of parts too.
fn unique_parts(
    fields: &[Field],
    object: &Map<String, Value>,
    path: &FieldPath,
) -> Result<(), ApiError> {
    for field in fields {
        let (path, value) = (path.member(field.name), object.get(field.name));
        match (field.kind, value) {
            (FieldType::List(fields), Some(Value::Array(list))) => {
                let parts: Vec<&Map<String, Value>> =
                    list.iter().filter_map(Value::as_object).collect();
                for names in field.unique {
                    unique_at(&parts, names, |_, value| Cow::Borrowed(value), &|at| {
                        path.element(at)
                    })?;
                }
                for (at, it) in parts.into_iter().enumerate() {
                    unique_parts(fields, it, &path.element(at))?;
                }
            }
            (FieldType::Object(fields), Some(Value::Object(it))) => {
                unique_parts(fields, it, &path)?;
            }
            (FieldType::Texts { .. }, Some(Value::Array(list))) if field.is_each_once => {
                unique_texts(list, &path)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Texts of a list that may stand in it once.
fn unique_texts(list: &[Value], path: &FieldPath) -> Result<(), ApiError> {
    let mut seen = Set::default();
    for (at, it) in list.iter().enumerate() {
        let text = it.as_str().unwrap_or_default();
        if !seen.insert(text) {
            let what = format!("value ({text}) already exists");
            return Err(ApiError::field(path.element(at), &what));
        }
    }
    Ok(())
}

/// Documents as they are, by id.
pub type Before<'a> = &'a dyn Fn(u64) -> Option<Arc<Document>>;

/// Gives a new object the defaults of omitted fields.
pub fn fill(fields: &[Field], object: &mut Map<String, Value>) {
    for field in fields {
        if let Rule::Default(default) | Rule::Constant(default) = field.rule {
            let value = || Value::String(default.to_owned());
            object.entry(field.name).or_insert_with(value);
        }
    }
}

/// The parameters of a method that takes one object, not a list.
///
/// # Errors
/// As [`objects`]; paths have no position.
pub fn object_at_root(fields: &[Field], params: &Value) -> Result<Map<String, Value>, ApiError> {
    let it = object((fields, None), None, params, Mode::Create, &FieldPath::root())?;
    unique_parts(fields, &it, &FieldPath::root())?;
    Ok(it)
}

/// As [`object_at_root`], without the defaults of omitted fields; of an existing document, if it is one.
///
/// # Errors
/// As [`objects`].
pub fn given_at_root(
    fields: &[Field],
    params: &Value,
    old: Option<&Document>,
) -> Result<Map<String, Value>, ApiError> {
    let it = given_of((fields, old, None), None, params, Mode::Create, &FieldPath::root())?;
    unique_parts(fields, &it, &FieldPath::root())?;
    Ok(it)
}

/// Whether a member may be given.
fn is_known(fields: &[Field], id: Option<&str>, name: &str, mode: Mode) -> bool {
    match fields.iter().find(|it| it.name == name) {
        None => false,
        Some(it) if it.rule == Rule::ReadOnly => Some(name) == id && mode == Mode::Update,
        Some(it) if it.is_constant() => mode == Mode::Create,
        Some(it) if it.is_update_only => mode == Mode::Update,
        Some(_) => true,
    }
}

/// One object of a list, at its path, without the defaults of omitted fields.
///
/// # Errors
/// As [`objects`].
pub fn object_at(
    fields: &[Field],
    id: Option<&str>,
    value: &Value,
    mode: Mode,
    path: &FieldPath,
) -> Result<Map<String, Value>, ApiError> {
    let it = given_of((fields, None, None), id, value, mode, path)?;
    unique_parts(fields, &it, path)?;
    Ok(it)
}

/// Without unknown members, for objects whose methods are of Zabbix's older kind.
#[must_use]
pub fn without_unknown(fields: &[Field], id: Option<&str>, value: &Value, mode: Mode) -> Value {
    match value {
        Value::Array(list) => list.iter().map(|it| without_unknown(fields, id, it, mode)).collect(),
        Value::Object(given) => {
            let known = given.iter().filter(|(name, _)| is_known(fields, id, name, mode));
            let known = known.map(|(name, value)| {
                let field = fields.iter().find(|it| it.name == *name);
                let value = match field.map(|it| (it.kind, it.ignores_unknown)) {
                    Some((FieldType::List(fields), true)) => {
                        without_unknown(fields, part_id(fields), value, mode)
                    }
                    Some((FieldType::Object(fields), _)) => {
                        without_unknown(fields, None, value, mode)
                    }
                    _ => value.clone(),
                };
                (name.clone(), value)
            });
            Value::Object(known.collect())
        }
        other => other.clone(),
    }
}

/// The object that a part belongs to, if it does.
type Around<'a> = Option<&'a Seen<'a>>;

fn object(
    (fields, around): (&[Field], Around<'_>),
    id: Option<&str>,
    value: &Value,
    mode: Mode,
    path: &FieldPath,
) -> Result<Map<String, Value>, ApiError> {
    let mut object = given_of((fields, None, around), id, value, mode, path)?;
    if mode == Mode::Create {
        fill(fields, &mut object);
    }
    Ok(object)
}

/// The given fields, without defaults for the others; parts of it have theirs. Of a document as it is, if it
/// is one.
fn given_of(
    (fields, old, around): (&[Field], Option<&Document>, Around<'_>),
    id: Option<&str>,
    value: &Value,
    mode: Mode,
    path: &FieldPath,
) -> Result<Map<String, Value>, ApiError> {
    let given = match value {
        Value::Object(it) => it,
        // PHP writes an empty object as an empty array.
        Value::Array(it) if it.is_empty() => &Map::new(),
        Value::Array(_) => return Err(ApiError::unexpected(path, "0")),
        _ => return Err(ApiError::field(path, "an array is expected")),
    };
    if let Some(name) = given.keys().find(|it| !is_known(fields, id, it, mode)) {
        return Err(ApiError::unexpected(path, name));
    }
    let mut canonical = Map::new();
    for field in fields {
        let seen = Seen { fields, given: &canonical, old, around };
        match given.get(field.name) {
            Some(value) => {
                let of_field = path.member(field.name);
                let value = match seen.default_of(field) {
                    Some(_) if field.depends.is_absent_elsewhere => {
                        return Err(ApiError::unexpected(path, field.name));
                    }
                    Some(default) => dependencies::is_default(field, value, default, &of_field)?,
                    None => {
                        let value =
                            check(&seen.narrowed(field), value, mode, &of_field, Some(&seen))?;
                        seen.judge(field, &value, &of_field)?;
                        value
                    }
                };
                canonical.insert(field.name.to_owned(), value);
            }
            None if missing(field, id, mode) || seen.misses(field) => {
                if let Some(message) = field.missing_message {
                    return Err(ApiError::params(message));
                }
                // it is there, and what others have become needs it
                let is_asked_again = field.depends.needed_with.is_some();
                if old.is_some() && id.is_some() && !missing(field, id, mode) && !is_asked_again {
                    return Err(ApiError::field(path.member(field.name), "cannot be empty"));
                }
                return Err(ApiError::missing(path, field.name));
            }
            None => {}
        }
    }
    Ok(canonical)
}

fn missing(field: &Field, id: Option<&str>, mode: Mode) -> bool {
    match mode {
        Mode::Create => field.rule == Rule::Required,
        Mode::Update => Some(field.name) == id,
    }
}

fn check(
    field: &Field,
    value: &Value,
    mode: Mode,
    path: &FieldPath,
    around: Around<'_>,
) -> Result<Value, ApiError> {
    let wrong = |what: &str| Err(ApiError::field(path, what));
    if field.is_judged_later {
        let number = value.as_i64().map(|it| Value::String(it.to_string()));
        return Ok(number.unwrap_or_else(|| value.clone()));
    }
    match field.kind {
        FieldType::Id => match numbers::id(value) {
            Ok(it) => Ok(Value::String(it)),
            Err(what) => wrong(what),
        },
        FieldType::Text { max } => text(field, value, max, path),
        FieldType::Uuid => uuid(field, value, path),
        FieldType::Int { min, max } => match integer(value) {
            Ok(it) if (min..=max).contains(&it) => Ok(Value::String(it.to_string())),
            Ok(it) if is_too_large(it, max) => wrong("a number is too large"),
            Ok(_) => match field.range {
                Some(range) => wrong(&format!("value must be one of {range}")),
                None => wrong(&format!("value must be one of {min}-{max}")),
            },
            Err(what) => wrong(what),
        },
        FieldType::Code(codes) => match integer(value) {
            Ok(it) if codes.contains(&it) => Ok(Value::String(it.to_string())),
            Ok(it) if is_too_large(it, 0) => wrong("a number is too large"),
            Ok(_) if codes.len() == 1 => wrong(&format!("value must be {}", codes[0])),
            Ok(_) => wrong(&format!("value must be one of {}", join(codes))),
            Err(what) => wrong(what),
        },
        FieldType::Timestamp => match timestamp(value) {
            Ok(it) => formed(field, it.to_string(), path),
            Err(what) => wrong(what),
        },
        FieldType::Bool if value.is_boolean() => Ok(value.clone()),
        FieldType::Bool => wrong("a boolean is expected"),
        FieldType::Float => match value {
            Value::Number(it) => formed(field, it.to_string(), path),
            Value::String(it) if it.parse::<f64>().is_ok_and(f64::is_finite) => {
                formed(field, it.clone(), path)
            }
            _ => wrong("a floating point value is expected"),
        },
        FieldType::Object(_)
            if field.may_be_empty
                && (*value == Value::Object(Map::new()) || *value == Value::Array(Vec::new())) =>
        {
            Ok(Value::Object(Map::new()))
        }
        FieldType::Object(fields) => {
            Ok(Value::Object(object((fields, around), None, value, Mode::Create, path)?))
        }
        FieldType::Inventory(_) => inventory::checked(value, path).map(Value::Object),
        FieldType::List(fields) => list(field, (fields, around), value, mode, path),
        FieldType::Texts { max } => texts(field, value, max, path),
    }
}

fn text(field: &Field, value: &Value, max: usize, path: &FieldPath) -> Result<Value, ApiError> {
    let text = match value {
        Value::String(it) => it.clone(),
        Value::Number(it) if field.takes_numbers => it.to_string(),
        _ => return Err(ApiError::field(path, "a character string is expected")),
    };
    let is_never_empty = field.is_never_empty || field.rule == Rule::Required;
    if text.is_empty() && is_never_empty && !field.may_be_empty {
        return Err(ApiError::field(path, "cannot be empty"));
    }
    if !field.words.is_empty() && !field.words.contains(&text.as_str()) {
        let words: Vec<String> = field.words.iter().map(|it| format!("\"{it}\"")).collect();
        let one = words.len() == 1;
        let what = if one { "value must be " } else { "value must be one of " };
        return Err(ApiError::field(path, &format!("{what}{}", words.join(", "))));
    }
    if max < text.chars().count() {
        return Err(ApiError::field(path, "value is too long"));
    }
    formed(field, text, path)
}

/// A text in the form that its field has.
fn formed(field: &Field, text: String, path: &FieldPath) -> Result<Value, ApiError> {
    let judge = field.form.map(|it| it.judge).or(field.judge);
    match judge.filter(|_| !text.is_empty()).map(|it| it(&text)) {
        Some(Err(what)) => Err(ApiError::field(path, &what)),
        _ => Ok(Value::String(text)),
    }
}

fn uuid(field: &Field, value: &Value, path: &FieldPath) -> Result<Value, ApiError> {
    let given = text(field, value, usize::MAX, path)?;
    let text = given.as_str().unwrap_or_default();
    if text.is_empty() {
        return Ok(given);
    }
    if text.chars().count() != 32 {
        return Err(ApiError::field(path, "must be 32 characters long"));
    }
    let bytes = text.as_bytes();
    let is_hex = bytes.iter().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let is_v4 =
        bytes.get(12) == Some(&b'4') && matches!(bytes.get(16), Some(b'8' | b'9' | b'a' | b'b'));
    if is_hex && is_v4 { Ok(given) } else { Err(ApiError::field(path, "UUIDv4 is expected")) }
}

/// One value of a field, read by itself.
///
/// # Errors
/// As [`objects`].
pub fn value(field: &Field, value: &Value, path: &FieldPath) -> Result<Value, ApiError> {
    check(field, value, Mode::Create, path, None)
}

/// A part, read by itself, without the defaults of omitted fields.
///
/// # Errors
/// As [`objects`].
pub fn part(
    fields: &[Field],
    value: &Value,
    path: &FieldPath,
) -> Result<Map<String, Value>, ApiError> {
    let part = given_of((fields, None, None), None, value, Mode::Create, path)?;
    unique_parts(fields, &part, path)?;
    Ok(part)
}

/// Names of fields to return: all by `extend`, or a list of known ones.
///
/// # Errors
/// If it is neither.
pub fn output<'k>(
    value: &Value,
    known: &[&'k str],
    path: &FieldPath,
) -> Result<Vec<&'k str>, ApiError> {
    let names = match value {
        Value::String(it) if it == "extend" => return Ok(known.to_vec()),
        Value::String(_) => return Err(ApiError::field(path, "value must be \"extend\"")),
        Value::Array(it) => it,
        _ => {
            return Err(ApiError::field(path, "an array or a character string is expected"));
        }
    };
    let mut wanted = Vec::with_capacity(names.len());
    for (at, name) in names.iter().enumerate() {
        let path = path.element(at);
        let Value::String(name) = name else {
            return Err(ApiError::field(path, "a character string is expected"));
        };
        let Some(name) = known.iter().find(|it| *it == name) else {
            let all: Vec<String> = known.iter().map(|it| format!("\"{it}\"")).collect();
            let one_of = if all.len() == 1 { "" } else { "one of " };
            let what = format!("value must be {one_of}{}", all.join(", "));
            return Err(ApiError::field(path, &what));
        };
        if wanted.contains(name) {
            return Err(ApiError::field(path, &format!("value ({name}) already exists")));
        }
        wanted.push(*name);
    }
    Ok(wanted)
}

/// A list of parts, read by themselves.
///
/// # Errors
/// As [`objects`], with the path of the first wrong field.
pub fn parts(
    field: &Field,
    value: &Value,
    path: &FieldPath,
) -> Result<Vec<Map<String, Value>>, ApiError> {
    let FieldType::List(fields) = field.kind else { return Ok(Vec::new()) };
    let Value::Array(list) = list(field, (fields, None), value, Mode::Create, path)? else {
        return Ok(Vec::new());
    };
    let parts: Vec<Map<String, Value>> = list
        .into_iter()
        .filter_map(|it| if let Value::Object(it) = it { Some(it) } else { None })
        .collect();
    for names in field.unique {
        let all: Vec<&Map<String, Value>> = parts.iter().collect();
        unique_at(&all, names, |_, value| Cow::Borrowed(value), &|at| path.element(at))?;
    }
    Ok(parts)
}

/// Whether a number has no place in 32 bits, and no field of that size takes it.
fn is_too_large(it: i64, max: i64) -> bool {
    i32::try_from(it).is_err() && i32::try_from(max).is_ok()
}

fn list(
    field: &Field,
    (fields, around): (&[Field], Around<'_>),
    value: &Value,
    mode: Mode,
    path: &FieldPath,
) -> Result<Value, ApiError> {
    let Some(given) = elements(value, field.is_list_only) else {
        return Err(ApiError::field(path, "an array is expected"));
    };
    if given.is_empty()
        && !field.may_be_empty
        && (field.rule == Rule::Required || field.is_never_empty)
    {
        return Err(ApiError::field(path, "cannot be empty"));
    }
    // A sub-object with its id is an update of that one: omitted fields keep their values.
    let id = part_id(fields);
    let each = given.into_iter().enumerate().map(|(at, it)| {
        let is_update = mode == Mode::Update && id.is_some_and(|id| it.get(id).is_some());
        let sub_mode = if is_update { Mode::Update } else { Mode::Create };
        let sub_id = id.filter(|_| is_update);
        object((fields, around), sub_id, it, sub_mode, &path.element(at)).map(Value::Object)
    });
    let list: Vec<Value> = each.collect::<Result<_, _>>()?;
    if let [Field { name, kind: FieldType::Id, .. }] = fields {
        unique_references(&list, name, path)?;
    }
    Ok(Value::Array(list))
}

/// The field by which a part stays the same part.
fn part_id(fields: &[Field]) -> Option<&'static str> {
    let is_id = |it: &&Field| it.rule == Rule::ReadOnly || it.is_part_id;
    fields.iter().find(is_id).map(|it| it.name)
}

/// A list of references names each object once.
fn unique_references(list: &[Value], name: &str, path: &FieldPath) -> Result<(), ApiError> {
    let mut seen = Set::default();
    for (at, it) in list.iter().enumerate() {
        let id = it.get(name).and_then(Value::as_str).unwrap_or_default();
        if !seen.insert(id) {
            let what = format!("value ({name})=({id}) already exists");
            return Err(ApiError::field(path.element(at), &what));
        }
    }
    Ok(())
}

/// No two objects of a request may have the same values in all of these fields.
///
/// # Errors
/// For the first object that has them again.
pub fn unique(list: &[Map<String, Value>], fields: &[&str]) -> Result<(), ApiError> {
    unique_in_form(list, fields, |_, value| Cow::Borrowed(value))
}

/// As [`unique`], of values in the form in which they are compared.
///
/// # Errors
/// As [`unique`].
pub fn unique_in_form(
    list: &[Map<String, Value>],
    fields: &[&str],
    form: for<'a> fn(&str, &'a str) -> Cow<'a, str>,
) -> Result<(), ApiError> {
    let list: Vec<&Map<String, Value>> = list.iter().collect();
    unique_at(&list, fields, form, &FieldPath::object)
}

fn unique_at(
    list: &[&Map<String, Value>],
    fields: &[&str],
    form: for<'a> fn(&str, &'a str) -> Cow<'a, str>,
    path: &dyn Fn(usize) -> FieldPath,
) -> Result<(), ApiError> {
    let mut seen = Set::default();
    for (at, it) in list.iter().enumerate() {
        let values: Option<Vec<&str>> =
            fields.iter().map(|name| it.get(*name).and_then(Value::as_str)).collect();
        let Some(values) = values else { continue };
        // an empty identity is made when the object is stored
        if values.iter().all(|it| it.is_empty()) {
            continue;
        }
        let joined = values.join(", ");
        let compared: Vec<_> =
            fields.iter().zip(values).map(|(it, value)| form(it, value)).collect();
        if !seen.insert(compared) {
            let what = format!("value ({})=({joined}) already exists", fields.join(", "));
            return Err(ApiError::field(path(at), &what));
        }
    }
    Ok(())
}

fn texts(field: &Field, value: &Value, max: usize, path: &FieldPath) -> Result<Value, ApiError> {
    let given = match value {
        Value::String(_) => vec![value],
        Value::Number(_) if field.takes_numbers => vec![value],
        Value::Array(it) => it.iter().collect(),
        _ => return Err(ApiError::field(path, "an array is expected")),
    };
    if given.is_empty() && field.rule == Rule::Required && !field.may_be_empty {
        return Err(ApiError::field(path, "cannot be empty"));
    }
    let each = given.into_iter().enumerate().map(|(at, it)| match it {
        Value::String(text) if text.chars().count() <= max => Ok(it.clone()),
        Value::String(_) => Err(ApiError::field(path.element(at), "value is too long")),
        Value::Number(it) if field.takes_numbers => Ok(Value::String(it.to_string())),
        _ => Err(ApiError::field(path.element(at), "a character string is expected")),
    });
    Ok(Value::Array(each.collect::<Result<_, _>>()?))
}

/// One id.
///
/// # Errors
/// In Zabbix's words.
pub fn id(value: &Value) -> Result<u64, &'static str> {
    numbers::id(value)?.parse().map_err(|_no| "a number is expected")
}

/// The parameters of a delete method: ids.
///
/// # Errors
/// If the list is empty, or one is no id or named twice.
pub fn ids(params: &Value) -> Result<Vec<u64>, ApiError> {
    ids_at(params, &FieldPath::root())
}

/// As [`ids`], of a parameter at a path.
///
/// # Errors
/// As [`ids`].
pub fn ids_at(params: &Value, root: &FieldPath) -> Result<Vec<u64>, ApiError> {
    let list = match (params, elements(params, true)) {
        (Value::Object(it), Some(_)) if it.keys().any(|it| it.parse::<u64>().is_err()) => {
            return Err(ApiError::field(root, "an array is expected"));
        }
        (_, Some(list)) => list,
        (one, None) => vec![one],
    };
    if list.is_empty() {
        return Err(ApiError::field(root, "cannot be empty"));
    }
    let mut ids = Vec::with_capacity(list.len());
    let mut seen = Set::default();
    for (at, given) in list.into_iter().enumerate() {
        let path = root.element(at);
        let id = id(given).map_err(|what| ApiError::field(&path, what))?;
        if !seen.insert(id) {
            return Err(ApiError::field(&path, &format!("value ({id}) already exists")));
        }
        ids.push(id);
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::describe::FLAG;

    const TAG: &[Field] = &[
        Field::new("tag", FieldType::Text { max: 255 }, Rule::Required, "Name"),
        Field::new("value", FieldType::Text { max: 255 }, Rule::Default(""), "Value"),
    ];
    const FIELDS: &[Field] = &[
        Field::new("deviceid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", FieldType::Text { max: 5 }, Rule::Required, "Name"),
        Field::new("status", FLAG, Rule::Default("0"), "Status"),
        Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags"),
    ];

    fn error(params: &Value, mode: Mode) -> String {
        let error = objects(FIELDS, "deviceid", params, mode).expect_err("wrong parameters");
        assert_eq!(error.class, crate::error::ErrorClass::InvalidParams);
        error.data().into_owned()
    }

    #[test]
    fn create_fills_defaults_and_makes_texts() {
        let given = json!({"name": "7", "tags": {"tag": "a"}});
        let canonical = objects(FIELDS, "deviceid", &given, Mode::Create).expect("good parameters");
        let expected = json!({"name": "7", "status": "0", "tags": [{"tag": "a", "value": ""}]});
        assert_eq!(Value::Object(canonical[0].clone()), expected);
    }

    #[test]
    fn update_needs_the_id_and_fills_nothing() {
        let given = json!([{"deviceid": 5, "status": 1}]);
        let canonical = objects(FIELDS, "deviceid", &given, Mode::Update).expect("good parameters");
        assert_eq!(Value::Object(canonical[0].clone()), json!({"deviceid": "5", "status": "1"}));
        let missing = "Invalid parameter \"/1\": the parameter \"deviceid\" is missing.";
        assert_eq!(error(&json!({"status": 1}), Mode::Update), missing);
    }

    #[test]
    fn errors_name_path_and_reason_in_zabbix_words() {
        for (given, text) in [
            (json!({}), "Invalid parameter \"/\": cannot be empty."),
            (json!({"status": 0}), "Invalid parameter \"/1\": the parameter \"name\" is missing."),
            (json!({"name": 7}), "Invalid parameter \"/1/name\": a character string is expected."),
            (json!({"name": ""}), "Invalid parameter \"/1/name\": cannot be empty."),
            (json!({"name": "123456"}), "Invalid parameter \"/1/name\": value is too long."),
            (
                json!([{"name": "a"}, {"name": "b", "x": 1}]),
                "Invalid parameter \"/2\": unexpected parameter \"x\".",
            ),
            (
                json!({"name": "a", "status": 2}),
                "Invalid parameter \"/1/status\": value must be one of 0, 1.",
            ),
            (
                json!({"name": "a", "tags": [{"value": "v"}]}),
                "Invalid parameter \"/1/tags/1\": the parameter \"tag\" is missing.",
            ),
            (json!(5), "Invalid parameter \"/\": an array is expected."),
        ] {
            assert_eq!(error(&given, Mode::Create), text, "{given}");
        }
    }
}
