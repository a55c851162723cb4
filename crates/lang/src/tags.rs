//! Conditions on tags, and their order in lists.

use std::cmp::Ordering;

use model::content::Tag;

use crate::text::natural_order;

/// The comparison of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagOperator {
    /// A tag of the name has the value.
    Equal,
    /// No tag of the name has the value.
    NotEqual,
    /// The value of a tag of the name contains the text.
    Like,
    /// The value of no tag of the name contains the text.
    NotLike,
    /// There is a tag of the name.
    Exists,
    /// There is no tag of the name.
    NotExists,
}

/// One condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCondition {
    /// Name of the tag.
    pub tag: String,
    /// Value or part of it.
    pub value: String,
    /// The condition on the tag's value.
    pub operator: TagOperator,
}

/// Conditions with their rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagFilter {
    /// One condition is enough. Else conditions on one name are alternatives, and each name with conditions
    /// needs one that holds (Zabbix: "And/Or").
    pub is_or: bool,
    /// Without conditions everything matches.
    pub conditions: Vec<TagCondition>,
}

impl TagFilter {
    /// Do the tags of an object match?
    #[must_use]
    pub fn matches(&self, tags: &[Tag]) -> bool {
        self.matches_by(|it| it.holds(tags))
    }

    /// As [`Self::matches`]; parts of values are looked for in whatever case, as connectors do.
    #[must_use]
    pub fn matches_parts_in_any_case(&self, tags: &[Tag]) -> bool {
        self.matches_by(|it| it.holds_in_any_case(tags))
    }

    fn matches_by(&self, holds: impl Fn(&TagCondition) -> bool) -> bool {
        let mut conditions = self.conditions.iter();
        if self.conditions.is_empty() {
            true
        } else if self.is_or {
            conditions.any(holds)
        } else {
            conditions.all(|of| self.conditions.iter().any(|it| it.tag == of.tag && holds(it)))
        }
    }
}

impl TagCondition {
    /// Does it hold for these tags?
    #[must_use]
    pub fn holds(&self, tags: &[Tag]) -> bool {
        self.holds_by(tags, |value| value.contains(&self.value))
    }

    fn holds_in_any_case(&self, tags: &[Tag]) -> bool {
        self.holds_by(tags, |value| value.to_lowercase().contains(&self.value.to_lowercase()))
    }

    fn holds_by(&self, tags: &[Tag], contains: impl Fn(&str) -> bool) -> bool {
        let mut same = tags.iter().filter(|it| it.tag == self.tag);
        match self.operator {
            TagOperator::Equal => same.any(|it| it.value == self.value),
            TagOperator::NotEqual => !same.any(|it| it.value == self.value),
            TagOperator::Like => same.any(|it| contains(&it.value)),
            TagOperator::NotLike => !same.any(|it| contains(&it.value)),
            TagOperator::Exists => same.next().is_some(),
            TagOperator::NotExists => same.next().is_none(),
        }
    }
}

/// Order of tags in lists: by name, then by value, numbers in them by size.
#[must_use]
pub fn order(left: &Tag, right: &Tag) -> Ordering {
    natural_order(&left.tag, &right.tag).then_with(|| natural_order(&left.value, &right.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(
        is_or: bool,
        conditions: &[(&str, TagOperator, &str)],
        tags: &[(&str, &str)],
    ) -> bool {
        let conditions = conditions
            .iter()
            .map(|(tag, operator, value)| TagCondition {
                tag: (*tag).to_owned(),
                value: (*value).to_owned(),
                operator: *operator,
            })
            .collect();
        let tags: Vec<Tag> = tags
            .iter()
            .map(|(tag, value)| Tag { tag: (*tag).to_owned(), value: (*value).to_owned() })
            .collect();
        TagFilter { is_or, conditions }.matches(&tags)
    }

    #[test]
    fn conditions_on_one_name_are_alternatives_and_names_add_up() {
        use TagOperator::{Equal, Exists, Like, NotEqual, NotExists, NotLike};
        let tags = &[("os", "Linux"), ("os", "Debian"), ("team", "db")];
        for (conditions, and_or, or) in [
            (&[][..], true, true),
            (&[("os", Equal, "Linux"), ("team", Equal, "web")], false, true),
            (&[("os", Equal, "BSD"), ("os", Like, "bian"), ("team", Equal, "db")], true, true),
            (&[("os", NotEqual, "Debian")], false, false),
            (&[("os", NotLike, "win"), ("rack", NotExists, "")], true, true),
            (&[("os", Exists, ""), ("rack", Exists, "")], false, true),
            (&[("os", Like, "linux")], false, false),
        ] {
            assert_eq!(matches(false, conditions, tags), and_or, "{conditions:?}");
            assert_eq!(matches(true, conditions, tags), or, "{conditions:?}");
        }
    }

    #[test]
    fn parts_are_found_in_any_case_where_that_is_asked_for() {
        let filter = |operator, value: &str| TagFilter {
            is_or: false,
            conditions: vec![TagCondition {
                tag: "os".to_owned(),
                value: value.to_owned(),
                operator,
            }],
        };
        let tags = [Tag { tag: "os".to_owned(), value: "Linux".to_owned() }];
        for (operator, value, exactly, in_any_case) in [
            (TagOperator::Like, "linux", false, true),
            (TagOperator::NotLike, "LINUX", true, false),
            (TagOperator::Equal, "linux", false, false),
            (TagOperator::NotEqual, "linux", true, true),
        ] {
            let filter = filter(operator, value);
            assert_eq!(filter.matches(&tags), exactly, "{filter:?}");
            assert_eq!(filter.matches_parts_in_any_case(&tags), in_any_case, "{filter:?}");
        }
    }
}
