//! Conditions on tags, and their order in lists.

use std::cmp::Ordering;

use model::content::Tag;

use crate::text::natural_order;

/// How a tag is compared.
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
    /// What is to hold.
    pub operator: TagOperator,
}

/// Conditions with their rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TagFilter {
    /// One condition is enough. Else conditions on one name are alternatives, and each name that has
    /// conditions needs one of them to hold (Zabbix: "And/Or").
    pub is_or: bool,
    /// Without conditions everything matches.
    pub conditions: Vec<TagCondition>,
}

impl TagFilter {
    /// Do the tags of an object match?
    #[must_use]
    pub fn matches(&self, tags: &[Tag]) -> bool {
        let mut conditions = self.conditions.iter();
        if self.conditions.is_empty() {
            true
        } else if self.is_or {
            conditions.any(|it| it.holds(tags))
        } else {
            conditions.all(|of| self.conditions.iter().any(|it| it.tag == of.tag && it.holds(tags)))
        }
    }
}

impl TagCondition {
    /// Does it hold for these tags?
    #[must_use]
    pub fn holds(&self, tags: &[Tag]) -> bool {
        let mut same = tags.iter().filter(|it| it.tag == self.tag);
        match self.operator {
            TagOperator::Equal => same.any(|it| it.value == self.value),
            TagOperator::NotEqual => !same.any(|it| it.value == self.value),
            TagOperator::Like => same.any(|it| it.value.contains(&self.value)),
            TagOperator::NotLike => !same.any(|it| it.value.contains(&self.value)),
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
}
