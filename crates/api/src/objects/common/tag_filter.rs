//! The `tags` parameter of get methods: conditions on tags, and how they are joined.

use std::borrow::Cow;
use std::cell::RefCell;

use model::content::Tag;
use model::field_path::FieldPath;
use model::map::Map as HashMap;
use model::snapshot::Discovered;
use serde_json::{Map, Value};

use crate::describe::{Field, FieldType, Rule};
use crate::error::{ApiError, param};
use crate::objects::common::resolve;
use crate::query;
use crate::shared::Ctx;
use crate::validate;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TagFilter {
    conditions: Vec<TagCondition>,
    /// `evaltype` 2: one condition is enough.
    is_or: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct TagCondition {
    tag: String,
    value: String,
    /// The value in lower case.
    lower: String,
    operator: i64,
}

const EVALTYPE: Field =
    Field::new("evaltype", FieldType::Code(&[0, 2]), Rule::Default("0"), "0 and/or, 2 or");
const CONDITION: &[Field] = &[
    Field::new("tag", FieldType::Text { max: usize::MAX }, Rule::Required, "Name").or_empty(),
    Field::new("operator", FieldType::Code(&[0, 1, 2, 3, 4, 5]), Rule::Default("0"), "How"),
    Field::new("value", FieldType::Text { max: usize::MAX }, Rule::Default(""), "Value"),
];
const CONDITIONS: Field =
    Field::new("tags", FieldType::List(CONDITION), Rule::Optional, "Conditions").list_only();

/// Codes of `operator` in `tags`.
const LIKE: i64 = 0;
const EQUAL: i64 = 1;
const NOT_LIKE: i64 = 2;
const NOT_EQUAL: i64 = 3;
const EXISTS: i64 = 4;
const NOT_EXISTS: i64 = 5;

impl TagFilter {
    pub(crate) fn parse(params: &Map<String, Value>) -> Result<Self, ApiError> {
        Self::parse_as(params, "tags")
    }

    /// Conditions of another parameter.
    pub(crate) fn parse_as(params: &Map<String, Value>, name: &str) -> Result<Self, ApiError> {
        let evaltype = params.get("evaltype").and_then(validate::number).unwrap_or(0);
        if !matches!(evaltype, 0 | 2) {
            return Err(ApiError::field(param("evaltype"), "value must be one of 0, 2"));
        }
        let list = match params.get(name) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(list)) => list.as_slice(),
            Some(one @ Value::Object(_)) => std::slice::from_ref(one),
            Some(_) => return Err(ApiError::field(param(name), "an array is expected")),
        };
        let each = list.iter().enumerate();
        let conditions = each.map(|(at, it)| condition(it, &param(name).element(at)));
        Ok(Self { conditions: conditions.collect::<Result<_, _>>()?, is_or: evaltype == 2 })
    }

    /// Conditions of a parameter of a method that refuses wrong ones.
    pub(crate) fn checked(params: &Map<String, Value>, name: &str) -> Result<Self, ApiError> {
        if let Some(it) = params.get("evaltype") {
            validate::value(&EVALTYPE, it, &param("evaltype"))?;
        }
        let parts = match params.get(name) {
            Some(it) => validate::parts(&CONDITIONS, it, &param(name))?,
            None => Vec::new(),
        };
        let list = Value::Array(parts.into_iter().map(Value::Object).collect());
        let evaltype = params.get("evaltype").cloned().unwrap_or(Value::Null);
        let both = [(name.to_owned(), list), ("evaltype".to_owned(), evaltype)];
        Self::parse_as(&both.into_iter().collect(), name)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    pub(crate) fn matches(&self, tags: &[Tag]) -> bool {
        self.matches_pairs(tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())))
    }

    fn matches_pairs<'t>(&self, tags: impl Iterator<Item = (&'t str, &'t str)> + Clone) -> bool {
        if self.conditions.is_empty() {
            return true;
        }
        if self.is_or {
            return self.conditions.iter().any(|it| it.holds(tags.clone()));
        }
        // And/or: conditions on one tag are alternatives, different tags add up. Negations all
        // have to hold.
        let alternatives = |of: &TagCondition| {
            let mut same =
                self.conditions.iter().filter(|it| it.tag == of.tag && !it.is_negative());
            same.any(|it| it.holds(tags.clone()))
        };
        self.conditions
            .iter()
            .all(|it| if it.is_negative() { it.holds(tags.clone()) } else { alternatives(it) })
    }

    fn names(&self, tag: &str) -> bool {
        self.conditions.iter().any(|it| it.tag == tag)
    }
}

fn condition(given: &Value, path: &FieldPath) -> Result<TagCondition, ApiError> {
    let Some(tag) = given.get("tag") else {
        return Err(ApiError::missing(path, "tag"));
    };
    let operator = given.get("operator").map_or(Some(LIKE), validate::number);
    let operator = operator.filter(|it| (LIKE..=NOT_EXISTS).contains(it));
    let operator = operator.ok_or_else(|| {
        let path = path.member("operator");
        ApiError::field(&path, "value must be one of 0, 1, 2, 3, 4, 5")
    })?;
    let value = given.get("value").map(query::text).unwrap_or_default();
    Ok(TagCondition { tag: query::text(tag), lower: value.to_lowercase(), value, operator })
}

impl TagCondition {
    fn is_negative(&self) -> bool {
        matches!(self.operator, NOT_LIKE | NOT_EQUAL | NOT_EXISTS)
    }

    fn holds<'t>(&self, tags: impl Iterator<Item = (&'t str, &'t str)>) -> bool {
        let mut same = tags.filter(|(tag, _)| *tag == self.tag).map(|(_, value)| value);
        // An empty text is contained in every value.
        let is_like = |it: &str| self.lower.is_empty() || it.to_lowercase().contains(&self.lower);
        match self.operator {
            EQUAL => same.any(|it| it == self.value),
            NOT_EQUAL => !same.any(|it| it == self.value),
            NOT_LIKE => !same.any(is_like),
            EXISTS => same.next().is_some(),
            NOT_EXISTS => same.next().is_none(),
            _ => same.any(is_like),
        }
    }
}

/// Conditions on the tags of items and triggers. Many rows share their tags with the template or
/// prototype that they come from: these are judged once. Only where a tag that counts has LLD macros
/// each discovered row is judged by its values.
#[derive(Debug)]
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
        ] {
            let params = json!({"tags": conditions, "evaltype": evaltype});
            assert_eq!(matches(&params, tags), expected, "{params}");
        }
    }
}
