//! Rows are filtered, searched, sorted, limited and written. Only hits are ever written out, so that
//! asking for one item of a million costs no million answers.

use std::collections::BTreeMap;

use model::map::{Map, Set};
use serde_json::{Map as JsonMap, Value};

use super::given::text;
use super::key::compare_natural;
use super::options::Options;
use super::output::Output;
use super::rows::Rows;
use super::sort;
use crate::answer::{Answer, Text};
use crate::describe::{Field, Object, Select};
use crate::error::ApiError;
use crate::json;

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
    let mut known = Known::default();
    let hits = candidates.take(n_max);
    let hits = hits.filter(|row| {
        is_filtered(object, rows, row, options) && known.is_found(object, rows, row, options)
    });
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
    Select(Selected<'o>),
}

struct Selected<'o> {
    select: &'static Select,
    output: &'o Output,
    /// Members of its parts that the version does not have.
    lacks: Vec<&'static str>,
}

impl Selected<'_> {
    fn without_lacking(&self, mut related: Value) -> Value {
        if self.lacks.is_empty() {
            return related;
        }
        let parts = match &mut related {
            Value::Array(list) => list.as_mut_slice(),
            one => std::slice::from_mut(one),
        };
        for part in parts.iter_mut().filter_map(Value::as_object_mut) {
            part.retain(|name, _| !self.lacks.contains(&name.as_str()));
        }
        related
    }
}

impl<'o> Columns<'o> {
    fn of(object: &Object, options: &'o Options) -> Self {
        let fields = object.output_fields().filter(|it| {
            it.versions.has(options.version)
                && (options.output.wants(it.name)
                    || it.name == object.id && object.params.adds_id_in(options.version)
                    || object.params.always.contains(&it.name))
        });
        let fields = fields.map(|it| (it.name, Member::Field(it.name)));
        let selects = options.selects.iter();
        let selects = selects.map(|(it, output)| {
            let lacks = it.gives.parts_without(options.version);
            (it.property, Member::Select(Selected { select: it, output, lacks }))
        });
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
            match &column.gives {
                Member::Field(name) => rows.write(row, name, out),
                Member::Select(selected) => {
                    let Selected { select, output, .. } = *selected;
                    let related = match (select.limited_by, self.limit_selects) {
                        (Some(by), Some(max)) if *output != Output::Count => {
                            let with_key = output.with(by);
                            let all = rows.select(row, select, &with_key)?;
                            first_related(all, by, max, output.wants(by))
                        }
                        _ => rows.select(row, select, output)?,
                    };
                    json::put(out, &selected.without_lacking(related));
                }
            }
        }
        out.push(b'}');
        Ok(())
    }
}

/// The first of related objects by a field, which is removed again where it was not requested.
fn first_related(related: Value, by: &str, max: usize, is_wanted: bool) -> Value {
    let Value::Array(mut list) = related else { return related };
    let key = |it: &Value| it.get(by).map(text).unwrap_or_default();
    list.sort_by(|one, other| compare_natural(&key(one), &key(other)));
    list.truncate(max);
    if !is_wanted {
        for object in list.iter_mut().filter_map(Value::as_object_mut) {
            object.remove(by);
        }
    }
    Value::Array(list)
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
        let mut written = JsonMap::new();
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
) -> JsonMap<String, Value> {
    let chosen = chosen(object, output).filter(|it| rows.has(row, it.name));
    chosen.map(|it| (it.name.to_owned(), rows.field(row, it.name))).collect()
}

fn chosen(object: &Object, output: &Output) -> impl Iterator<Item = &'static Field> {
    object.output_fields().filter(|it| it.name == object.id || output.wants(it.name))
}

/// Whether a row passes `filter` and `search`.
pub(crate) fn is_hit<R: Rows>(object: &Object, rows: &R, row: &R::Row, options: &Options) -> bool {
    is_filtered(object, rows, row, options) && is_found(object, rows, row, options)
}

fn is_filtered<R: Rows>(object: &Object, rows: &R, row: &R::Row, options: &Options) -> bool {
    if options.filter.is_empty() {
        return true;
    }
    let known =
        |field: &String| object.field(field).is_some_and(|it| it.versions.has(options.version));
    let filter = options.filter.iter().filter(|(field, _)| known(field));
    let mut filters = filter.map(|(field, accepted)| {
        let value = text(&rows.field(row, field));
        accepted.contains(&value)
    });
    if options.search_by_any { filters.any(|it| it) } else { filters.all(|it| it) }
}

/// The results of a search for contents that several rows share: items of ten thousand hosts have those of
/// one template.
#[derive(Default)]
struct Known {
    found: Map<usize, bool>,
}

impl Known {
    fn is_found<R: Rows>(
        &mut self,
        object: &Object,
        rows: &R,
        row: &R::Row,
        options: &Options,
    ) -> bool {
        let mut searched = options.search.iter();
        let Some((first, _)) = searched.next() else { return true };
        let content = rows.shared_content(row, first);
        let is_shared = |(field, _): &(String, Vec<String>)| {
            content.is_some() && rows.shared_content(row, field) == content
        };
        let Some(content) = content.filter(|_| searched.all(is_shared)) else {
            return is_found(object, rows, row, options);
        };
        *self.found.entry(content).or_insert_with(|| is_found(object, rows, row, options))
    }
}

fn is_found<R: Rows>(object: &Object, rows: &R, row: &R::Row, options: &Options) -> bool {
    if options.search.is_empty() {
        return true;
    }
    let search = options.search.iter().map(|(field, patterns)| (field, patterns));
    let known = search.filter(|(field, _)| {
        object.field(field).is_some_and(|it| it.versions.has(options.version))
    });
    options.finds(known, |field| text(&rows.field(row, field)).to_lowercase())
}

#[cfg(test)]
mod tests {
    use model::version::Version;
    use serde_json::json;

    use super::super::given::ids;
    use super::*;
    use crate::error::param;
    use crate::fixture::FIXTURE;

    struct Devices;
    impl Rows for Devices {
        type Row = (u64, &'static str);
        fn field(&self, row: &Self::Row, name: &str) -> Value {
            if name == "deviceid" { row.0.to_string().into() } else { row.1.into() }
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
        get_at(params, Version::default())
    }

    fn get_at(params: &Value, version: Version) -> Result<Value, ApiError> {
        let devices = [(10, "Web 1"), (9, "web 2"), (100, "Database")];
        let given = params.as_object().expect("an object");
        let options = Options::parse(&FIXTURE, given, version)?;
        let written = answer(&FIXTURE, &Devices, devices.into_iter(), &options)?.into_text();
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
            (json!({"filter": {"deviceid": 9}}), vec!["web 2"]),
            (json!({"filter": {"name": null}}), vec!["Web 1", "web 2", "Database"]),
            (json!({"search": {"name": "WEB"}}), vec!["Web 1", "web 2"]),
            (json!({"search": {"name": "web"}, "excludeSearch": true}), vec!["Database"]),
            (json!({"search": {"name": "base"}, "startSearch": true}), vec![]),
            (json!({"search": {"name": "d*e"}, "searchWildcardsEnabled": true}), vec!["Database"]),
            (json!({"search": {"name": "*eb"}, "searchWildcardsEnabled": true}), vec![]),
            (json!({"sortfield": "deviceid"}), vec!["web 2", "Web 1", "Database"]),
            (
                json!({"sortfield": ["name"], "sortorder": "DESC", "limit": 2}),
                vec!["web 2", "Web 1"],
            ),
        ] {
            assert_eq!(names(&params), expected, "{params}");
        }
    }

    #[test]
    fn empty_lists_in_filters_find_nothing_in_newer_versions() {
        for (filter, n_old, n_new) in [
            (json!({"name": []}), 3, 0),
            (json!({"name": ""}), 3, 0),
            (json!({"name": [], "deviceid": "9"}), 1, 0),
            (json!({"name": null}), 3, 3),
            (json!([]), 3, 3),
        ] {
            let params = json!({"filter": filter, "countOutput": true});
            let count = |version| get_at(&params, version).expect("an answer");
            assert_eq!(count(Version::V7_0), n_old.to_string(), "{params}");
            assert_eq!(count(Version::V7_2), n_new.to_string(), "{params}");
            assert_eq!(count(Version::V7_4), n_new.to_string(), "{params}");
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
        let expected = json!({"10": {"deviceid": "10", "name": "Web 1", "parts": "2"}});
        assert_eq!(get(&one), Ok(expected));
        assert_eq!(get(&json!({"filter": {"name": "?"}, "preservekeys": true})), Ok(json!([])));
        let error = get(&json!({"sortfield": "size"})).expect_err("no such field");
        assert_eq!(error, ApiError::application("Sorting by field \"size\" not allowed."));
    }

    #[test]
    fn older_methods_ignore_unknown_parameters() {
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
        assert_eq!(get(&json!({"output": "bad", "limit": 1})), Ok(json!([{"deviceid": "10"}])));
        let params =
            json!({"hostids": ["7", "x", -1, 8.5, {}], "groupids": {"a": 3}, "itemids": ""});
        let ids = |name, is_strict| ids(params.as_object().expect("an object"), name, is_strict);
        assert_eq!(ids("hostids", false), Ok(Some(vec![7])));
        assert_eq!(ids("groupids", false), Ok(Some(vec![3])));
        assert_eq!(ids("itemids", false), Ok(Some(vec![])));
        let error = ApiError::field(param("hostids").element(1), "a number is expected");
        assert_eq!(ids("hostids", true), Err(error));
    }
}
