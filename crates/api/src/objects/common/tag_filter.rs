//! The `tags` parameter of get methods: conditions on tags, and how they are joined.

use std::borrow::Cow;
use std::cell::RefCell;

use model::content::Tag;
use model::field_path::FieldPath;
use model::map::Map as HashMap;
use model::snapshot::Discovered;
use serde_json::{Map, Value};

use crate::error::{ApiError, param};
use crate::objects::common::resolve;
use crate::query;
use crate::shared::Ctx;
use crate::validate::{elements, integer, number};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TagFilter {
    /// One for each name, in the order given.
    names: Vec<NameConditions>,
    /// `evaltype` 2: one name is enough.
    is_or: bool,
}

/// The conditions on the tags of one name. Either of both lists is enough; a condition on the tag's existence
/// replaces the other one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct NameConditions {
    tag: String,
    with: Values,
    without: Values,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum Values {
    /// No condition.
    #[default]
    Nothing,
    Any,
    OneOf(Vec<ValueTest>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum ValueTest {
    /// Holds this text, which is in lower case.
    Like(String),
    Equal(String),
}

/// Codes of `operator` in `tags`; 1 is equal.
const LIKE: i64 = 0;
const NOT_LIKE: i64 = 2;
const NOT_EQUAL: i64 = 3;
const EXISTS: i64 = 4;
const NOT_EXISTS: i64 = 5;

impl TagFilter {
    pub(crate) fn parse(params: &Map<String, Value>) -> Result<Self, ApiError> {
        Self::parse_as(params, "tags", false)
    }

    /// Conditions of a parameter of this name; `is_strict`: values of a wrong kind are refused.
    pub(crate) fn parse_as(
        params: &Map<String, Value>,
        name: &str,
        is_strict: bool,
    ) -> Result<Self, ApiError> {
        let evaltype = match params.get("evaltype") {
            Some(it) if is_strict => {
                integer(it).map_err(|what| ApiError::field(param("evaltype"), what))?
            }
            it => it.and_then(number).unwrap_or(0),
        };
        if !matches!(evaltype, 0 | 2) {
            return Err(ApiError::field(param("evaltype"), "value must be one of 0, 2"));
        }
        let list = match params.get(name) {
            None => Vec::new(),
            Some(Value::Null) if !is_strict => Vec::new(),
            Some(it) => elements(it, is_strict)
                .ok_or_else(|| ApiError::field(param(name), "an array is expected"))?,
        };
        let mut filter = Self { names: Vec::new(), is_or: evaltype == 2 };
        for (at, it) in list.into_iter().enumerate() {
            let condition = condition(it, &param(name).element(at), is_strict)?;
            filter.add(condition);
        }
        Ok(filter)
    }

    fn add(&mut self, (tag, operator, value): (String, i64, String)) {
        let at = self.names.iter().position(|it| it.tag == tag).unwrap_or_else(|| {
            let (with, without) = (Values::Nothing, Values::Nothing);
            self.names.push(NameConditions { tag, with, without });
            self.names.len() - 1
        });
        let of = &mut self.names[at];
        let is_negative = matches!(operator, NOT_LIKE | NOT_EQUAL | NOT_EXISTS);
        let values = if is_negative { &mut of.without } else { &mut of.with };
        let is_like = matches!(operator, LIKE | NOT_LIKE);
        // an empty text is contained in every value
        if matches!(operator, EXISTS | NOT_EXISTS) || is_like && value.is_empty() {
            *values = Values::Any;
            return;
        }
        let test =
            if is_like { ValueTest::Like(value.to_lowercase()) } else { ValueTest::Equal(value) };
        match values {
            Values::Any => {}
            Values::Nothing => *values = Values::OneOf(vec![test]),
            Values::OneOf(tests) => tests.push(test),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(crate) fn matches(&self, tags: &[Tag]) -> bool {
        self.matches_pairs(tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())))
    }

    fn matches_pairs<'t>(&self, tags: impl Iterator<Item = (&'t str, &'t str)> + Clone) -> bool {
        let mut names = self.names.iter().map(|it| it.holds(tags.clone()));
        if self.is_or && !self.is_empty() { names.any(|it| it) } else { names.all(|it| it) }
    }

    fn names(&self, tag: &str) -> bool {
        self.names.iter().any(|it| it.tag == tag)
    }
}

/// The tag, the operator and the value.
fn condition(
    given: &Value,
    path: &FieldPath,
    is_strict: bool,
) -> Result<(String, i64, String), ApiError> {
    if is_strict && !given.is_object() && *given != Value::Array(Vec::new()) {
        return Err(ApiError::field(path, "an array is expected"));
    }
    let members = given.as_object();
    let unknown = |it: &&String| !matches!(it.as_str(), "tag" | "operator" | "value");
    if let Some(name) = members.and_then(|it| it.keys().find(unknown)).filter(|_| is_strict) {
        return Err(ApiError::unexpected(path, name));
    }
    let text_of = |name: &str| match given.get(name) {
        Some(it) if is_strict && !it.is_string() => {
            Err(ApiError::field(path.member(name), "a character string is expected"))
        }
        it => Ok(it.map(query::text)),
    };
    let tag = text_of("tag")?.ok_or_else(|| ApiError::missing(path, "tag"))?;
    let wrong = |what: &str| ApiError::field(path.member("operator"), what);
    let operator = match given.get("operator") {
        None => LIKE,
        Some(it) => {
            let number = if is_strict { Some(integer(it).map_err(wrong)?) } else { number(it) };
            number
                .filter(|it| (LIKE..=NOT_EXISTS).contains(it))
                .ok_or_else(|| wrong("value must be one of 0, 1, 2, 3, 4, 5"))?
        }
    };
    let value = text_of("value")?.unwrap_or_default();
    Ok((tag, operator, value))
}

impl NameConditions {
    fn holds<'t>(&self, tags: impl Iterator<Item = (&'t str, &'t str)> + Clone) -> bool {
        let same = tags.filter(|(tag, _)| *tag == self.tag).map(|(_, value)| value);
        let has = |values: &Values| match values {
            Values::Nothing => None,
            Values::Any => Some(same.clone().next().is_some()),
            Values::OneOf(tests) => {
                Some(same.clone().any(|value| tests.iter().any(|it| it.holds(value))))
            }
        };
        let (with, without) = match (&self.with, &self.without) {
            (Values::Any, _) => (has(&Values::Any), None),
            (_, Values::Any) => (None, has(&Values::Any)),
            (with, without) => (has(with), has(without)),
        };
        with == Some(true) || without == Some(false)
    }
}

impl ValueTest {
    fn holds(&self, value: &str) -> bool {
        match self {
            Self::Like(part) => value.to_lowercase().contains(part.as_str()),
            Self::Equal(whole) => value == whole,
        }
    }
}

/// Conditions on the tags of items and triggers. Many rows share their tags with their template or prototype:
/// these are checked once. Only where a tag of a condition has LLD macros each discovered row is checked by
/// its values.
#[derive(Debug, Default)]
pub(crate) struct RowTagFilter {
    filter: TagFilter,
    /// By the address of the tags, which the snapshot keeps for as long as the call lasts.
    judged: RefCell<HashMap<usize, Judged>>,
}

#[derive(Clone, Copy, Debug)]
struct Judged {
    as_written: bool,
    has_macros: bool,
}

impl RowTagFilter {
    pub(crate) fn new(filter: TagFilter) -> Self {
        Self { filter, judged: RefCell::default() }
    }

    pub(crate) fn matches(&self, ctx: &Ctx, tags: &[Tag], found: Option<&Discovered>) -> bool {
        if self.filter.is_empty() {
            return true;
        }
        let address = tags.as_ptr().addr();
        let known = self.judged.borrow().get(&address).copied();
        let judged = known.unwrap_or_else(|| {
            let judged = self.judge(tags);
            self.judged.borrow_mut().insert(address, judged);
            judged
        });
        match found {
            Some(found) if judged.has_macros => self.matches_row(ctx, tags, found),
            _ => judged.as_written,
        }
    }

    fn judge(&self, tags: &[Tag]) -> Judged {
        let counts = |it: &Tag| {
            it.tag.contains("{#") || it.value.contains("{#") && self.filter.names(&it.tag)
        };
        Judged { as_written: self.filter.matches(tags), has_macros: tags.iter().any(counts) }
    }

    fn matches_row(&self, ctx: &Ctx, tags: &[Tag], found: &Discovered) -> bool {
        let mut resolved: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::with_capacity(tags.len());
        for it in tags {
            let tag = resolve::of_row(ctx, &it.tag, found);
            if self.filter.names(&tag) {
                resolved.push((tag, resolve::of_row(ctx, &it.value, found)));
            }
        }
        self.filter.matches_pairs(resolved.iter().map(|(tag, value)| (&**tag, &**value)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn matches(params: &Value, tags: &[(&str, &str)]) -> bool {
        let tags: Vec<Tag> = tags
            .iter()
            .map(|(tag, value)| Tag { tag: (*tag).to_owned(), value: (*value).to_owned() })
            .collect();
        let filter = TagFilter::parse(params.as_object().expect("an object"));
        filter.expect("good parameters").matches(&tags)
    }

    #[test]
    fn tags_of_one_name_are_alternatives_and_names_add_up() {
        let tags = &[("os", "Linux"), ("team", "db")];
        for (conditions, evaltype, expected) in [
            (json!([]), 0, true),
            (json!([{"tag": "os", "value": "linux"}]), 0, true),
            (json!([{"tag": "os", "value": "linux", "operator": 1}]), 0, false),
            (json!([{"tag": "os", "value": "x"}, {"tag": "os", "value": "Lin"}]), 0, true),
            (json!([{"tag": "os", "value": "Lin"}, {"tag": "team", "value": "x"}]), 0, false),
            (json!([{"tag": "os", "value": "Lin"}, {"tag": "team", "value": "x"}]), 2, true),
            (json!([{"tag": "os", "operator": "4"}, {"tag": "rack", "operator": 5}]), 0, true),
            (json!([{"tag": "os", "value": "Linux", "operator": 3}]), 0, false),
            (json!([{"tag": "os", "value": "win", "operator": 2}]), 0, true),
            (json!({"tag": "os"}), 0, true),
            // none of the values, also where one name is enough
            (
                json!([{"tag": "os", "value": "Linux", "operator": 3}, {"tag": "os", "value": "x", "operator": 3}]),
                2,
                false,
            ),
            // with one, or without the other
            (
                json!([{"tag": "os", "value": "Linux", "operator": 1}, {"tag": "os", "value": "nux", "operator": 2}]),
                0,
                true,
            ),
            (
                json!([{"tag": "os", "operator": 4}, {"tag": "os", "value": "nux", "operator": 2}]),
                0,
                true,
            ),
            (
                json!([{"tag": "os", "operator": 5}, {"tag": "os", "value": "Linux", "operator": 1}]),
                0,
                false,
            ),
            (
                json!([{"tag": "no", "operator": 5}, {"tag": "no", "value": "Linux", "operator": 1}]),
                0,
                true,
            ),
        ] {
            let params = json!({"tags": conditions, "evaltype": evaltype});
            assert_eq!(matches(&params, tags), expected, "{params}");
        }
    }
}
