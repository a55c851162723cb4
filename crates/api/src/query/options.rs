//! Parameters that all get methods take.

use model::field_path::FieldPath;
use model::map::Set;
use model::version::{General, Version};
use serde_json::{Map, Value};

use super::given::{ids, is_true, texts};
use super::output::Output;
use super::strict::{self, is_strict};
use crate::answer::Out;
use crate::describe::{Gives, Object, Select};
use crate::error::{ApiError, param};
use crate::validate::number;

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
    /// The version of Zabbix whose fields are returned.
    pub version: Version,
}

impl Options {
    /// Takes the common parameters out of `params`; the rest is the object's own.
    ///
    /// # Errors
    /// In Zabbix's words, for the first parameter of a wrong kind.
    pub fn parse(
        object: &Object,
        params: &Map<String, Value>,
        version: Version,
    ) -> Result<Self, ApiError> {
        strict::check(object, params, version)?;
        let checks = |name: &str| object.params.checks(name, version);
        let flag = |name: &str| is_true(params.get(name));
        let mut options = Self {
            output: match params.get("output") {
                None | Some(Value::Null) => Output::Extend,
                Some(it) if checks("output") => strict::output(object, it)?,
                // A value that is no list and no known word selects only the id.
                Some(it) => {
                    Output::parse(it, &param("output")).unwrap_or(Output::Fields(Vec::new()))
                }
            },
            count: flag("countOutput"),
            selects: Vec::new(),
            filter: filter(object, params, version)?,
            search: by_field(checks("search"), patterns(params.get("search"), &param("search")))?,
            search_by_any: flag("searchByAny"),
            wildcards: flag("searchWildcardsEnabled"),
            start_search: flag("startSearch"),
            exclude_search: flag("excludeSearch"),
            sort: sort_fields(object, params)?,
            limit: limit((object, version), params, "limit")?,
            preserve_keys: flag("preservekeys"),
            editable: flag("editable"),
            group_by: Vec::new(),
            is_empty: strict::asks_for_foreign(object, params),
            limit_selects: match params.get("limitSelects") {
                Some(_) if object.params.taken.contains(&"limitSelects") => {
                    limit((object, version), params, "limitSelects")?
                }
                _ => None,
            },
            out: Out::default(),
            version,
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
                    // It is a parameter of the object's own as well, which reads it.
                    _ if object.params.taken.contains(&select.param) => Output::Extend,
                    Value::String(_) | Value::Bool(_) if select.is_lenient => {
                        Output::lenient(value)
                    }
                    _ => Output::parse(value, &param(name))?,
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

/// A field whose accepted values are an empty list or text is not filtered; a name of the rows' owners
/// matches nothing then. Newer versions take an empty list literally: nothing matches.
fn filter(
    object: &Object,
    params: &Map<String, Value>,
    version: Version,
) -> Result<Vec<(String, Vec<String>)>, ApiError> {
    let given = params.get("filter");
    let mut filter =
        by_field(object.params.checks("filter", version), texts_by_field(given, &param("filter")))?;
    if !version.does(General::EmptyFilterIsNone) {
        return Ok(filter);
    }
    filter.retain(|(field, _)| {
        let is_empty = match given.and_then(|it| it.get(field)) {
            Some(Value::Array(list)) => list.is_empty(),
            Some(Value::String(text)) => text.is_empty(),
            _ => false,
        };
        !is_empty || object.params.owner_filters.contains(&field.as_str())
    });
    Ok(filter)
}

/// Field → patterns, in lower case.
///
/// # Errors
/// If that is no object.
pub fn patterns(
    value: Option<&Value>,
    path: &FieldPath,
) -> Result<Vec<(String, Vec<String>)>, ApiError> {
    let mut search = texts_by_field(value, path)?;
    for (_, patterns) in &mut search {
        patterns.iter_mut().for_each(|it| *it = it.to_lowercase());
    }
    Ok(search)
}

/// Hits are counted by the ids that they were requested by: `hostids` gives `hostid`.
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

/// A value that is no list of fields restricts nothing, unless that is to be refused.
fn by_field(
    is_strict: bool,
    parsed: Result<Vec<(String, Vec<String>)>, ApiError>,
) -> Result<Vec<(String, Vec<String>)>, ApiError> {
    if is_strict { parsed } else { Ok(parsed.unwrap_or_default()) }
}

fn texts_by_field(
    value: Option<&Value>,
    path: &FieldPath,
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

fn sort_fields(
    object: &Object,
    params: &Map<String, Value>,
) -> Result<Vec<(String, bool)>, ApiError> {
    let orders = params.get("sortorder").map(texts).unwrap_or_default();
    let Some(fields) = params.get("sortfield").filter(|it| !it.is_null()) else {
        return Ok(Vec::new());
    };
    let mut sort = Vec::new();
    for (at, field) in texts(fields).into_iter().enumerate().filter(|(_, it)| !it.is_empty()) {
        if !object.sort.contains(&field.as_str()) {
            let what = format!("Sorting by field \"{field}\" not allowed.");
            return Err(ApiError::application(what));
        }
        let order = orders.get(at).or_else(|| orders.first().filter(|_| orders.len() == 1));
        let is_down = order.is_some_and(|it| it == "DESC");
        sort.push((field, is_down));
    }
    Ok(sort)
}

/// A value that is no positive number limits nothing, unless that is to be refused.
fn limit(
    (object, version): (&Object, Version),
    params: &Map<String, Value>,
    name: &str,
) -> Result<Option<usize>, ApiError> {
    let Some(value) = params.get(name).filter(|it| !it.is_null()) else { return Ok(None) };
    if object.params.checks(name, version) {
        return strict::limit(&param(name), value).map(Some);
    }
    let given = number(value).and_then(|it| usize::try_from(it).ok());
    Ok(given.filter(|it| *it != 0))
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
