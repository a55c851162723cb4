//! Answers of `get` methods: what is common to all objects.
//!
//! An object's own file finds the candidates (permissions, `hostids` and the like) and gives single
//! fields of a row on demand; here rows are filtered, searched, sorted, limited and written. Only
//! hits are ever written out, so that asking for one item of a million costs no million answers.

mod strict;

use std::collections::BTreeMap;

use model::map::Set;
use serde_json::{Map, Value};

use crate::answer::{Answer, Text};
use crate::describe::{Field, Gives, Object, Select};
use crate::error::ApiError;
use crate::flow::Out;
use crate::json;
use crate::sort::{self, Key};
use crate::validate::number;
pub(crate) use strict::is_strict;

/// Which properties an answer holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// All output fields.
    Extend,
    /// The id only, or what a list names (unknown names are ignored, as Zabbix does).
    Fields(Vec<String>),
    /// Of selects: the number of objects.
    Count,
}

impl Output {
    /// # Errors
    /// If the value is neither a list of names nor one of the words.
    pub fn parse(value: &Value, path: &str) -> Result<Self, ApiError> {
        match value {
            Value::String(it) if it == "extend" => Ok(Self::Extend),
            Value::String(it) if it == "count" => Ok(Self::Count),
            // Before "extend" there was "shorten" and "refer": ids only.
            Value::String(it) if it == "shorten" || it == "refer" => Ok(Self::Fields(Vec::new())),
            Value::Array(names) => {
                let names = names.iter().filter_map(|it| it.as_str().map(str::to_owned));
                Ok(Self::Fields(names.collect()))
            }
            _ => {
                Err(ApiError::field(path, "value must be one of \"extend\", \"count\" or an array"))
            }
        }
    }

    /// Of selects that Zabbix does not check: a text names one field, true means all.
    fn lenient(value: &Value) -> Self {
        match value {
            Value::Bool(true) => Self::Extend,
            Value::String(it) if it == "extend" => Self::Extend,
            Value::String(it) => Self::Fields(vec![it.clone()]),
            _ => Self::Fields(Vec::new()),
        }
    }

    #[must_use]
    pub fn wants(&self, field: &str) -> bool {
        match self {
            Self::Extend => true,
            Self::Fields(names) => names.iter().any(|it| it == field),
            Self::Count => false,
        }
    }
}

/// Parameters that all get methods take.
#[derive(Clone, Debug)]
pub struct Options {
    pub output: Output,
    pub count: bool,
    pub selects: Vec<(&'static Select, Output)>,
    /// Field → accepted values as texts; `null` in the parameters: the field is not filtered.
    pub filter: Vec<(String, Vec<String>)>,
    /// Field → patterns, in lower case.
    pub search: Vec<(String, Vec<String>)>,
    pub search_by_any: bool,
    pub wildcards: bool,
    pub start_search: bool,
    pub exclude_search: bool,
    /// Field, and whether it falls.
    pub sort: Vec<(String, bool)>,
    pub limit: Option<usize>,
    pub preserve_keys: bool,
    pub editable: bool,
    /// With `countOutput` and `groupCount`: field and ids by which hits are counted.
    pub group_by: Vec<(String, Set<String>)>,
    /// Nothing can be found.
    pub is_empty: bool,
    /// Related objects of one row at most.
    pub limit_selects: Option<usize>,
    /// Where the answer goes.
    pub out: Out,
}

impl Options {
    /// Takes the common parameters out of `params`; the rest is the object's own.
    ///
    /// # Errors
    /// In Zabbix's words, for the first parameter of a wrong kind.
    pub fn parse(object: &Object, params: &Map<String, Value>) -> Result<Self, ApiError> {
        strict::check(object, params)?;
        let is_strict = is_strict(object);
        let flag = |name: &str| is_true(params.get(name));
        let mut options = Self {
            output: match params.get("output") {
                None | Some(Value::Null) => Output::Extend,
                Some(it) if is_strict => strict::output(object, it)?,
                // What is no list and no known word names nothing but the id.
                Some(it) => Output::parse(it, "/output").unwrap_or(Output::Fields(Vec::new())),
            },
            count: flag("countOutput"),
            selects: Vec::new(),
            filter: filter(object, params)?,
            search: by_field(is_strict, patterns(params.get("search"), "/search"))?,
            search_by_any: flag("searchByAny"),
            wildcards: flag("searchWildcardsEnabled"),
            start_search: flag("startSearch"),
            exclude_search: flag("excludeSearch"),
            sort: sort_fields(object, params)?,
            limit: limit(is_strict, params.get("limit"))?,
            preserve_keys: flag("preservekeys"),
            editable: flag("editable"),
            group_by: Vec::new(),
            is_empty: strict::asks_for_foreign(object, params),
            limit_selects: match params.get("limitSelects") {
                Some(given) if object.params.taken.contains(&"limitSelects") => {
                    limit(is_strict, Some(given))?
                }
                _ => None,
            },
            out: Out::default(),
        };
        if options.count && flag("groupCount") {
            options.group_by = group_by(object, params)?;
        }
        for (name, value) in params {
            if let Some(select) = object.select(name)
                && !value.is_null()
            {
                let output = match value {
                    // Whatever is given sets the flag.
                    _ if matches!(select.gives, Gives::Field) => Output::Extend,
                    Value::String(_) | Value::Bool(_) if select.is_lenient => {
                        Output::lenient(value)
                    }
                    _ => Output::parse(value, &format!("/{name}"))?,
                };
                options.selects.push((select, output));
            }
        }
        Ok(options)
    }

    /// Whether fields hold what a search asks for; `text` gives a field in lower case.
    pub fn finds<'s, F>(
        &self,
        search: impl Iterator<Item = (F, &'s Vec<String>)>,
        mut text: impl FnMut(F) -> String,
    ) -> bool {
        let mut matches = search.map(|(field, patterns)| {
            let value = text(field);
            let mut each = patterns.iter().map(|it| matches_pattern(&value, it, self));
            if self.search_by_any { each.any(|it| it) } else { each.all(|it| it) }
        });
        let found = if self.search_by_any { matches.any(|it| it) } else { matches.all(|it| it) };
        found != self.exclude_search
    }
}

/// A field whose accepted values are an empty list or text is not filtered, except by the host of an
/// object: then none is accepted.
fn filter(
    object: &Object,
    params: &Map<String, Value>,
) -> Result<Vec<(String, Vec<String>)>, ApiError> {
    let given = params.get("filter");
    let mut filter = by_field(is_strict(object), texts_by_field(given, "/filter"))?;
    filter.retain(|(field, _)| {
        let is_empty = match given.and_then(|it| it.get(field)) {
            Some(Value::Array(list)) => list.is_empty(),
            Some(Value::String(text)) => text.is_empty(),
            _ => false,
        };
        !is_empty || field == "host" && object.field(field).is_none()
    });
    Ok(filter)
}

/// Field → patterns, in lower case.
///
/// # Errors
/// If that is no object.
pub fn patterns(value: Option<&Value>, path: &str) -> Result<Vec<(String, Vec<String>)>, ApiError> {
    let mut search = texts_by_field(value, path)?;
    for (_, patterns) in &mut search {
        patterns.iter_mut().for_each(|it| *it = it.to_lowercase());
    }
    Ok(search)
}

/// Hits are counted by the ids that they were asked for by: `hostids` gives `hostid`.
fn group_by(
    object: &Object,
    params: &Map<String, Value>,
) -> Result<Vec<(String, Set<String>)>, ApiError> {
    let mut fields = Vec::new();
    for name in params.keys().filter(|it| *it != object.ids) {
        let Some(field) = name.strip_suffix('s').filter(|it| it.ends_with("id")) else { continue };
        let Some(wanted) = ids(params, name, is_strict(object))? else { continue };
        fields.push((field.to_owned(), wanted.iter().map(ToString::to_string).collect()));
    }
    Ok(fields)
}

/// Zabbix's idea of a set flag: true, a number other than 0, a text other than "" and "0".
#[must_use]
pub fn is_true(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(it)) => *it,
        Some(Value::String(it)) => !it.is_empty() && it != "0",
        Some(Value::Number(it)) => it.as_f64() != Some(0.0),
        Some(_) => true,
    }
}

/// A parameter such as `hostids`: one id or a list. `None`: not given, so not restricted. What is no
/// id means no object, unless that is to be refused.
///
/// # Errors
/// If one is no id, and `is_strict`.
pub fn ids(
    params: &Map<String, Value>,
    name: &str,
    is_strict: bool,
) -> Result<Option<Vec<u64>>, ApiError> {
    let is_scalar = params.get(name).is_some_and(|it| !it.is_array() && !it.is_object());
    let list: Vec<&Value> = match params.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list.iter().collect(),
        Some(Value::Object(list)) => list.values().collect(),
        Some(one) => vec![one],
    };
    let mut ids = Vec::with_capacity(list.len());
    for (at, it) in list.into_iter().enumerate() {
        let id = match it {
            Value::String(text) => text.parse().ok(),
            Value::Number(number) => number.as_u64(),
            _ => None,
        };
        if id.is_none() && is_strict && is_scalar {
            return Err(ApiError::field(&format!("/{name}"), "an array is expected"));
        }
        if id.is_none() && is_strict {
            let path = format!("/{name}/{}", at + 1);
            return Err(ApiError::field(&path, "a number is expected"));
        }
        ids.extend(id);
    }
    Ok(Some(ids))
}

/// What is no list of fields restricts nothing, unless that is to be refused.
fn by_field(
    is_strict: bool,
    parsed: Result<Vec<(String, Vec<String>)>, ApiError>,
) -> Result<Vec<(String, Vec<String>)>, ApiError> {
    if is_strict { parsed } else { Ok(parsed.unwrap_or_default()) }
}

fn texts_by_field(
    value: Option<&Value>,
    path: &str,
) -> Result<Vec<(String, Vec<String>)>, ApiError> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) if list.is_empty() => Ok(Vec::new()),
        Some(Value::Object(fields)) => Ok(fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(field, value)| (field.clone(), texts(value)))
            .collect()),
        Some(_) => Err(ApiError::field(path, "an array is expected")),
    }
}

/// A list of scalars, or one alone, as the answers write them.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().map(text).collect(),
        one => vec![text(one)],
    }
}

/// A scalar as the answers write it.
#[must_use]
pub fn text(value: &Value) -> String {
    match value {
        Value::String(it) => it.clone(),
        Value::Bool(it) => u8::from(*it).to_string(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn sort_fields(
    object: &Object,
    params: &Map<String, Value>,
) -> Result<Vec<(String, bool)>, ApiError> {
    let Some(fields) = params.get("sortfield").filter(|it| !it.is_null()) else {
        return Ok(Vec::new());
    };
    let orders = params.get("sortorder").map(texts).unwrap_or_default();
    let mut sort = Vec::new();
    for (at, field) in texts(fields).into_iter().enumerate().filter(|(_, it)| !it.is_empty()) {
        if !object.sort.contains(&field.as_str()) {
            if is_strict(object) {
                return Err(strict::unsortable(object, at));
            }
            let what = format!("Sorting by field \"{field}\" not allowed.");
            return Err(ApiError::application(what));
        }
        let order = orders.get(at).or_else(|| orders.first().filter(|_| orders.len() == 1));
        match order.map_or("ASC", String::as_str) {
            "ASC" | "" => sort.push((field, false)),
            "DESC" => sort.push((field, true)),
            _ if is_strict(object) => {
                let what = "value must be one of \"ASC\", \"DESC\"";
                return Err(ApiError::field("/sortorder", what));
            }
            _ => sort.push((field, false)),
        }
    }
    Ok(sort)
}

/// What is no positive number limits nothing, unless that is to be refused.
fn limit(is_strict: bool, value: Option<&Value>) -> Result<Option<usize>, ApiError> {
    let Some(value) = value.filter(|it| !it.is_null()) else { return Ok(None) };
    if is_strict {
        return strict::limit(value).map(Some);
    }
    let given = number(value).and_then(|it| usize::try_from(it).ok());
    Ok(given.filter(|it| *it != 0))
}

/// Gives single fields and related objects of the rows of one object.
pub trait Rows {
    type Row: Clone;

    /// A field as get answers it (ids, codes and numbers as texts).
    fn field(&self, row: &Self::Row, name: &str) -> Value;

    /// Writes what [`Self::field`] gives as JSON. Objects of which one answer holds many write
    /// without making a value first.
    fn write(&self, row: &Self::Row, name: &str, out: &mut Vec<u8>) {
        json::put(out, &self.field(row, name));
    }

    /// Whether a row has a field at all.
    fn has(&self, _row: &Self::Row, _name: &str) -> bool {
        true
    }

    /// A field to sort by, in the order of what [`Self::field`] answers. Objects of which there
    /// are many lend it.
    fn sort_key<'k>(&'k self, object: &Object, row: &Self::Row, name: &str) -> Key<'k> {
        Key::answered(object, name, self.field(row, name))
    }

    /// The ids of an id field for counting: an object may have several, as a host has groups.
    /// `None`: it has no such field.
    fn group_ids(&self, object: &Object, row: &Self::Row, name: &str) -> Option<Vec<String>> {
        object.field(name).map(|_| vec![text(&self.field(row, name))])
    }

    /// Related objects for a `select…` parameter.
    ///
    /// # Errors
    /// If related objects can't be read.
    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError>;
}

/// The answer of a get method over candidate rows, which come in the object's natural order. Rows
/// are written one by one as they come; only where they have to be sorted are they all kept.
///
/// # Errors
/// As [`Rows::select`].
pub fn answer<R: Rows>(
    object: &Object,
    rows: &R,
    candidates: impl Iterator<Item = R::Row>,
    options: &Options,
) -> Result<Answer, ApiError> {
    let n_max = if options.is_empty { 0 } else { usize::MAX };
    let hits = candidates.take(n_max).filter(|row| is_hit(object, rows, row, options));
    if options.count && !options.group_by.is_empty() {
        return Ok(counted(object, rows, hits, &options.group_by).into());
    }
    if options.count {
        return Ok(Value::String(hits.count().to_string()).into());
    }
    let columns = Columns::of(object, options);
    if !options.sort.is_empty() {
        let sorted = sort::first(object, rows, hits, &options.sort, options.limit);
        return columns.write_all(rows, sorted.into_iter(), options.out.text());
    }
    let first = hits.take(options.limit.unwrap_or(usize::MAX));
    columns.write_all(rows, first, options.out.text())
}

/// The members of each row of an answer, in order of their names.
struct Columns<'o> {
    /// The field of the id, if rows are members of an object by it.
    key: Option<&'static str>,
    list: Vec<Column<'o>>,
    limit_selects: Option<usize>,
}

struct Column<'o> {
    /// `"name":`
    start: Vec<u8>,
    gives: Member<'o>,
}

enum Member<'o> {
    Field(&'static str),
    Select(&'static Select, &'o Output),
}

impl<'o> Columns<'o> {
    fn of(object: &Object, options: &'o Options) -> Self {
        let fields = object.output_fields().filter(|it| {
            options.output.wants(it.name) || it.name == object.id && strict::adds_id(object)
        });
        let fields = fields.map(|it| (it.name, Member::Field(it.name)));
        let selects = options.selects.iter();
        let selects = selects.map(|(it, output)| (it.property, Member::Select(it, output)));
        let members: BTreeMap<&str, Member<'o>> = fields.chain(selects).collect();
        let list = members.into_iter().map(|(name, gives)| {
            let mut start = Vec::new();
            json::put(&mut start, name);
            start.push(b':');
            Column { start, gives }
        });
        let key = options.preserve_keys.then_some(object.id);
        Self { key, list: list.collect(), limit_selects: options.limit_selects }
    }

    fn write_all<R: Rows>(
        &self,
        rows: &R,
        hits: impl Iterator<Item = R::Row>,
        mut all: Text,
    ) -> Result<Answer, ApiError> {
        let mut written = Vec::new();
        match self.key {
            None => {
                // Rows without members are none.
                let hits = hits.take(if self.list.is_empty() { 0 } else { usize::MAX });
                for row in hits {
                    written.push(if all.is_empty() { b'[' } else { b',' });
                    self.write(rows, &row, &mut written)?;
                    all.push(&written);
                    all.check()?;
                    written.clear();
                }
                all.push(if all.is_empty() { b"[]" } else { b"]" });
            }
            // Of rows with the same id the last one counts.
            Some(id) => {
                let by_id: BTreeMap<String, R::Row> =
                    hits.map(|row| (text(&rows.field(&row, id)), row)).collect();
                for (id, row) in &by_id {
                    written.push(if all.is_empty() { b'{' } else { b',' });
                    json::put(&mut written, id);
                    written.push(b':');
                    self.write(rows, row, &mut written)?;
                    all.push(&written);
                    all.check()?;
                    written.clear();
                }
                // An empty object is an empty array: clients in PHP's tradition expect it.
                all.push(if all.is_empty() { b"[]" } else { b"}" });
            }
        }
        Ok(Answer::Text(all))
    }

    fn write<R: Rows>(&self, rows: &R, row: &R::Row, out: &mut Vec<u8>) -> Result<(), ApiError> {
        out.push(b'{');
        let mut is_first = true;
        for column in &self.list {
            if let Member::Field(name) = column.gives
                && !rows.has(row, name)
            {
                continue;
            }
            if !is_first {
                out.push(b',');
            }
            is_first = false;
            out.extend_from_slice(&column.start);
            match column.gives {
                Member::Field(name) => rows.write(row, name, out),
                Member::Select(select, output) => {
                    let mut related = rows.select(row, select, output)?;
                    if let (Gives::Objects(_), Some(max)) = (select.gives, self.limit_selects)
                        && let Value::Array(list) = &mut related
                    {
                        list.truncate(max);
                    }
                    json::put(out, &related);
                }
            }
        }
        out.push(b'}');
        Ok(())
    }
}

/// `[{"hostid": "1", "rowscount": "5"}, …]`, by id.
fn counted<R: Rows>(
    object: &Object,
    rows: &R,
    hits: impl Iterator<Item = R::Row>,
    group_by: &[(String, Set<String>)],
) -> Value {
    let mut counts: BTreeMap<Vec<(u64, &str, String)>, u64> = BTreeMap::new();
    for row in hits {
        let mut keys = vec![Vec::new()];
        for (field, wanted) in group_by {
            let Some(ids) = rows.group_ids(object, &row, field) else { continue };
            let ids: Vec<String> = ids.into_iter().filter(|it| wanted.contains(it)).collect();
            let mut longer = Vec::with_capacity(keys.len() * ids.len());
            for key in &keys {
                for id in &ids {
                    let mut key: Vec<(u64, &str, String)> = Vec::clone(key);
                    key.push((id.parse().unwrap_or(0), field, id.clone()));
                    longer.push(key);
                }
            }
            keys = longer;
        }
        for key in keys {
            *counts.entry(key).or_default() += 1;
        }
    }
    let list = counts.into_iter().map(|(key, count)| {
        let mut written = Map::new();
        for (_, field, id) in key {
            written.insert(field.to_owned(), Value::String(id));
        }
        written.insert("rowscount".to_owned(), Value::String(count.to_string()));
        Value::Object(written)
    });
    Value::Array(list.collect())
}

/// Related rows as a `select…` parameter answers them: a list, or their number.
pub fn related<R: Rows>(
    object: &Object,
    rows: &R,
    related: impl Iterator<Item = R::Row>,
    output: &Output,
) -> Value {
    if *output == Output::Count {
        return Value::String(related.count().to_string());
    }
    let written = related.map(|row| Value::Object(fields(object, rows, &row, output)));
    Value::Array(written.collect())
}

/// The chosen fields of one row; the id always.
pub fn fields<R: Rows>(
    object: &Object,
    rows: &R,
    row: &R::Row,
    output: &Output,
) -> Map<String, Value> {
    let chosen = chosen(object, output).filter(|it| rows.has(row, it.name));
    chosen.map(|it| (it.name.to_owned(), rows.field(row, it.name))).collect()
}

fn chosen(object: &Object, output: &Output) -> impl Iterator<Item = &'static Field> {
    object.output_fields().filter(|it| it.name == object.id || output.wants(it.name))
}

/// Whether a row passes `filter` and `search`.
pub(crate) fn is_hit<R: Rows>(object: &Object, rows: &R, row: &R::Row, options: &Options) -> bool {
    let known = |field: &String| object.field(field).is_some();
    let filter = options.filter.iter().filter(|(field, _)| known(field));
    let mut filters = filter.map(|(field, accepted)| {
        let value = text(&rows.field(row, field));
        accepted.contains(&value)
    });
    let filtered = options.filter.is_empty()
        || if options.search_by_any { filters.any(|it| it) } else { filters.all(|it| it) };
    filtered && is_found(object, rows, row, options)
}

fn is_found<R: Rows>(object: &Object, rows: &R, row: &R::Row, options: &Options) -> bool {
    if options.search.is_empty() {
        return true;
    }
    let search = options.search.iter().map(|(field, patterns)| (field, patterns));
    let known = search.filter(|(field, _)| object.field(field).is_some());
    options.finds(known, |field| text(&rows.field(row, field)).to_lowercase())
}

fn matches_pattern(value: &str, pattern: &str, options: &Options) -> bool {
    if options.wildcards && pattern.contains('*') {
        wildcard(value, pattern, options.start_search)
    } else if options.wildcards {
        // With wildcards enabled a pattern without one has to match as a whole.
        value == pattern
    } else if options.start_search {
        value.starts_with(pattern)
    } else {
        value.contains(pattern)
    }
}

fn wildcard(value: &str, pattern: &str, open_end: bool) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = value.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = "";
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
        last = part;
    }
    open_end || last.is_empty() || rest.is_empty() || value.ends_with(last)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::thing::THING;

    struct Things;
    impl Rows for Things {
        type Row = (u64, &'static str);
        fn field(&self, row: &Self::Row, name: &str) -> Value {
            if name == "thingid" { row.0.to_string().into() } else { row.1.into() }
        }
        fn group_ids(&self, _: &Object, row: &Self::Row, name: &str) -> Option<Vec<String>> {
            let parts: &[&str] = if row.0 == 9 { &["1", "2", "3"] } else { &["1"] };
            (name == "partid").then(|| parts.iter().map(|it| (*it).to_owned()).collect())
        }
        fn select(&self, _: &Self::Row, _: &Select, output: &Output) -> Result<Value, ApiError> {
            Ok(if *output == Output::Count { json!("2") } else { json!([]) })
        }
    }

    fn get(params: &Value) -> Result<Value, ApiError> {
        let things = [(10, "Web 1"), (9, "web 2"), (100, "Database")];
        let options = Options::parse(&THING, params.as_object().expect("an object"))?;
        let written = answer(&THING, &Things, things.into_iter(), &options)?.into_text();
        Ok(serde_json::from_slice(&written.into_bytes()).expect("JSON"))
    }

    fn names(params: &Value) -> Vec<String> {
        let answer = get(params).expect("an answer");
        answer.as_array().expect("a list").iter().map(|it| text(&it["name"])).collect()
    }

    #[test]
    fn rows_are_filtered_searched_sorted_and_limited() {
        for (params, expected) in [
            (json!({}), vec!["Web 1", "web 2", "Database"]),
            (json!({"filter": {"name": ["Web 1", "x"]}}), vec!["Web 1"]),
            (json!({"filter": {"thingid": 9}}), vec!["web 2"]),
            (json!({"filter": {"name": null}}), vec!["Web 1", "web 2", "Database"]),
            (json!({"search": {"name": "WEB"}}), vec!["Web 1", "web 2"]),
            (json!({"search": {"name": "web"}, "excludeSearch": true}), vec!["Database"]),
            (json!({"search": {"name": "base"}, "startSearch": true}), vec![]),
            (json!({"search": {"name": "d*e"}, "searchWildcardsEnabled": true}), vec!["Database"]),
            (json!({"search": {"name": "*eb"}, "searchWildcardsEnabled": true}), vec![]),
            (json!({"sortfield": "thingid"}), vec!["web 2", "Web 1", "Database"]),
            (
                json!({"sortfield": ["name"], "sortorder": "DESC", "limit": 2}),
                vec!["web 2", "Web 1"],
            ),
        ] {
            assert_eq!(names(&params), expected, "{params}");
        }
    }

    #[test]
    fn answers_have_the_form_that_was_asked_for() {
        assert_eq!(get(&json!({"countOutput": true})), Ok(json!("3")));
        let grouped = json!({"countOutput": true, "groupCount": true, "partids": ["1", "2"]});
        let expected =
            json!([{"partid": "1", "rowscount": "3"}, {"partid": "2", "rowscount": "1"}]);
        assert_eq!(get(&grouped), Ok(expected));
        let one = json!({"output": ["name"], "preservekeys": true, "limit": "1",
            "selectParts": "count"});
        let expected = json!({"10": {"thingid": "10", "name": "Web 1", "parts": "2"}});
        assert_eq!(get(&one), Ok(expected));
        assert_eq!(get(&json!({"filter": {"name": "?"}, "preservekeys": true})), Ok(json!([])));
        let error = get(&json!({"sortfield": "size"})).expect_err("no such field");
        assert_eq!(error, ApiError::application("Sorting by field \"size\" not allowed."));
    }

    #[test]
    fn older_methods_pass_over_what_they_do_not_know() {
        let all = vec!["Web 1", "web 2", "Database"];
        for params in [
            json!({"filter": "x"}),
            json!({"search": 5}),
            json!({"limit": "x"}),
            json!({"limit": -1}),
            json!({"limit": 1.5}),
            json!({"more": 1}),
        ] {
            assert_eq!(names(&params), all, "{params}");
        }
        assert_eq!(
            names(&json!({"sortfield": "name", "sortorder": "UP"})),
            ["Database", "Web 1", "web 2"]
        );
        assert_eq!(get(&json!({"output": "bad", "limit": 1})), Ok(json!([{"thingid": "10"}])));
        let params =
            json!({"hostids": ["7", "x", -1, 8.5, {}], "groupids": {"a": 3}, "itemids": ""});
        let ids = |name, is_strict| ids(params.as_object().expect("an object"), name, is_strict);
        assert_eq!(ids("hostids", false), Ok(Some(vec![7])));
        assert_eq!(ids("groupids", false), Ok(Some(vec![3])));
        assert_eq!(ids("itemids", false), Ok(Some(vec![])));
        let error = ApiError::field("/hostids/2", "a number is expected");
        assert_eq!(ids("hostids", true), Err(error));
    }
}
