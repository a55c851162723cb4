//! Overrides of a discovery rule: changes of single objects of a row.
//!
//! Each override has a filter over rows, and operations that select prototypes by the name that the row gives
//! their objects. Overrides apply in their order, and one may stop the rest. Where several change the same
//! field, the last one wins; tags add up.

use model::HostId;
use model::content::{GlobalRegexp, LldOperation, LldOverride, Severity, Tag};
use model::snapshot::LldRow;

use super::filter::{FilterError, RowFilter, RowVerdict};
use crate::global_regexp::TextPattern;

/// Kinds of prototypes, by the API's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverrideTarget {
    /// 0
    Item,
    /// 1
    Trigger,
    /// 2
    Graph,
    /// 3
    Host,
    /// 4
    Rule,
}

impl OverrideTarget {
    fn code(self) -> i64 {
        match self {
            Self::Item => 0,
            Self::Trigger => 1,
            Self::Graph => 2,
            Self::Host => 3,
            Self::Rule => 4,
        }
    }
}

/// The condition on a name.
#[derive(Debug, Clone)]
enum Pattern {
    Equal(String),
    Contains(String),
    Regexp(TextPattern),
}

#[derive(Debug, Clone)]
struct Operation {
    /// `None`: it can't be compiled, and fits no name.
    pattern: Option<Pattern>,
    /// The pattern must not fit.
    is_negated: bool,
    written: LldOperation,
}

#[derive(Debug, Clone)]
struct Step {
    filter: RowFilter,
    stop: bool,
    operations: Vec<Operation>,
}

/// The compiled overrides of a rule.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    steps: Vec<Step>,
    /// Errors of patterns: their operations match no name.
    warnings: Vec<String>,
}

/// The changes of one object. `None`: as the prototype has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverrideChanges {
    /// Whether the object is made at all.
    pub discover: Option<bool>,
    /// Whether it is made enabled.
    pub enabled: Option<bool>,
    /// Update interval of an item.
    pub delay: Option<String>,
    /// The history period of an item.
    pub history: Option<String>,
    /// The trend period of an item.
    pub trends: Option<String>,
    /// Severity of a trigger.
    pub severity: Option<Severity>,
    /// Tags in addition to those of the prototype, LLD macros not replaced.
    pub tags: Vec<Tag>,
    /// Templates of a host in addition to those of the prototype.
    pub templates: Vec<HostId>,
    /// Inventory mode of a host.
    pub inventory_mode: Option<i64>,
}

// Operators on names.
const EQUAL: i64 = 0;
const NOT_EQUAL: i64 = 1;
const LIKE: i64 = 2;
const NOT_LIKE: i64 = 3;
const REGEXP: i64 = 8;
const NOT_REGEXP: i64 = 9;

impl Overrides {
    /// Compiles. `expand` replaces user macros; patterns may name one of `regexps`.
    ///
    /// # Errors
    /// If a filter or an operator is wrong.
    pub fn new(
        overrides: &[LldOverride],
        expand: &mut dyn FnMut(&str) -> String,
        regexps: &[GlobalRegexp],
    ) -> Result<Self, FilterError> {
        let mut sorted: Vec<&LldOverride> = overrides.iter().collect();
        sorted.sort_by_key(|it| it.step);
        let mut steps = Vec::with_capacity(sorted.len());
        let mut warnings = Vec::new();
        for it in sorted {
            let operations =
                it.operations.iter().map(|it| Operation::new(it, expand, regexps, &mut warnings));
            steps.push(Step {
                operations: operations.collect::<Result<_, _>>()?,
                filter: RowFilter::new(&it.filter, expand, regexps)?,
                stop: it.stop,
            });
        }
        Ok(Self { steps, warnings })
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Operations that are left out, and why; for the rule's error.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The overrides that concern a row.
    ///
    /// # Errors
    /// If the formula of a filter is wrong.
    pub fn of_row(&self, row: &LldRow) -> Result<RowOverrides<'_>, FilterError> {
        let mut found = RowOverrides::default();
        for step in &self.steps {
            match step.filter.verdict(row)? {
                RowVerdict::Kept => {
                    found.operations.extend(&step.operations);
                    if step.stop {
                        break;
                    }
                }
                RowVerdict::Dropped => {}
                RowVerdict::Unknown(why) => found.warnings.push(why),
            }
        }
        Ok(found)
    }
}

/// The operations on objects of one row.
#[derive(Debug, Clone, Default)]
pub struct RowOverrides<'a> {
    operations: Vec<&'a Operation>,
    /// The reasons why filters of some overrides cannot be decided for this row; for the rule's error.
    warnings: Vec<String>,
}

impl RowOverrides<'_> {
    /// Why some overrides can't be applied to this row.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Is there nothing to say about any object?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The changes of an object with this name.
    #[must_use]
    pub fn changes(&self, object: OverrideTarget, name: &str) -> OverrideChanges {
        let mut changes = OverrideChanges::default();
        let operations = self.operations.iter().filter(|it| it.fits(object, name));
        for operation in operations.map(|it| &it.written) {
            let LldOperation { discover, enabled, delay, history, trends, severity, .. } =
                operation;
            let LldOperation { tags, templates, inventory_mode, .. } = operation;
            changes.discover = discover.or(changes.discover);
            changes.enabled = enabled.or(changes.enabled);
            changes.severity = severity.or(changes.severity);
            changes.inventory_mode = inventory_mode.or(changes.inventory_mode);
            for it in templates {
                if !changes.templates.contains(it) {
                    changes.templates.push(*it);
                }
            }
            for (new, old) in [
                (delay, &mut changes.delay),
                (history, &mut changes.history),
                (trends, &mut changes.trends),
            ] {
                if new.is_some() {
                    old.clone_from(new);
                }
            }
            let new_tags = tags.iter().filter(|it| !changes.tags.contains(it)).cloned();
            let new_tags: Vec<Tag> = new_tags.collect();
            changes.tags.extend(new_tags);
        }
        changes
    }
}

impl Operation {
    fn new(
        written: &LldOperation,
        expand: &mut dyn FnMut(&str) -> String,
        regexps: &[GlobalRegexp],
        warnings: &mut Vec<String>,
    ) -> Result<Self, FilterError> {
        let text = expand(&written.value);
        let compiled = match written.operator {
            EQUAL | NOT_EQUAL => Some(Pattern::Equal(text)),
            LIKE | NOT_LIKE => Some(Pattern::Contains(text)),
            REGEXP | NOT_REGEXP => match TextPattern::new(&text, regexps) {
                Ok(it) => Some(Pattern::Regexp(it)),
                Err(error) => {
                    warnings.push(format!("Cannot process override operation: {error}.\n"));
                    None
                }
            },
            other => return Err(FilterError::Operator(other)),
        };
        let is_negated = matches!(written.operator, NOT_EQUAL | NOT_LIKE | NOT_REGEXP);
        Ok(Self { pattern: compiled, is_negated, written: written.clone() })
    }

    fn fits(&self, object: OverrideTarget, name: &str) -> bool {
        let found = match &self.pattern {
            None => return false,
            Some(Pattern::Equal(text)) => name == text,
            Some(Pattern::Contains(text)) => name.contains(text.as_str()),
            // A pattern that is too expensive for a name says nothing about it.
            Some(Pattern::Regexp(regexp)) => match regexp.is_match(name) {
                Ok(it) => it,
                Err(_too_expensive) => return false,
            },
        };
        self.written.object == object.code() && found != self.is_negated
    }
}

#[cfg(test)]
mod tests {
    use model::content::{FilterCondition, LldFilter};

    use super::*;

    fn operation(object: i64, operator: i64, value: &str) -> LldOperation {
        LldOperation { object, operator, value: value.to_owned(), ..LldOperation::default() }
    }

    fn when(name: &str, value: &str) -> LldFilter {
        let condition = FilterCondition {
            name: name.to_owned(),
            value: value.to_owned(),
            operator: 8,
            formulaid: "A".to_owned(),
        };
        LldFilter { conditions: vec![condition], ..LldFilter::default() }
    }

    fn changes(overrides: &[LldOverride], row: &[(&str, &str)], name: &str) -> OverrideChanges {
        let overrides = Overrides::new(overrides, &mut str::to_owned, &[]).unwrap();
        let row = LldRow::new(row.iter().copied());
        overrides.of_row(&row).unwrap().changes(OverrideTarget::Item, name)
    }

    #[test]
    fn overrides_run_in_order_until_one_stops() {
        let step = |step: i64, stop: bool, delay: &str| LldOverride {
            step,
            stop,
            filter: when("{#T}", "^x"),
            operations: vec![LldOperation {
                delay: Some(delay.to_owned()),
                ..operation(0, LIKE, "disk")
            }],
            ..LldOverride::default()
        };
        let list = [step(3, false, "3m"), step(1, false, "1m"), step(2, true, "2m")];
        let found = changes(&list, &[("{#T}", "xfs")], "disk a");
        assert_eq!(found.delay.as_deref(), Some("2m"));
        assert_eq!(changes(&list, &[("{#T}", "ext4")], "disk a"), OverrideChanges::default());
        assert_eq!(changes(&list, &[("{#T}", "xfs")], "net a"), OverrideChanges::default());
    }

    #[test]
    fn operations_pick_kind_and_name() {
        let tag = |tag: &str| Tag { tag: tag.to_owned(), value: String::new() };
        let of = |operation: LldOperation| LldOverride {
            operations: vec![operation],
            ..LldOverride::default()
        };
        let list = [
            of(LldOperation { discover: Some(false), ..operation(1, LIKE, "") }),
            of(LldOperation { enabled: Some(false), ..operation(0, NOT_REGEXP, "^a") }),
            of(LldOperation { tags: vec![tag("t")], ..operation(0, REGEXP, "") }),
            of(LldOperation { tags: vec![tag("t"), tag("u")], ..operation(0, NOT_EQUAL, "x") }),
        ];
        let found = changes(&list, &[], "b");
        assert_eq!((found.discover, found.enabled), (None, Some(false)));
        assert_eq!(found.tags, [tag("t"), tag("u")]);
        assert_eq!(changes(&list, &[], "a").enabled, None);
    }

    #[test]
    fn patterns_that_do_not_compile_match_nothing_and_are_reported() {
        for (pattern, reason) in [
            ("(", "invalid regular expression \"(\": "),
            ("@nope", "global regular expression \"nope\" does not exist.\n"),
        ] {
            for operator in [REGEXP, NOT_REGEXP] {
                let off = LldOperation { discover: Some(false), ..operation(0, operator, pattern) };
                let list = [LldOverride { operations: vec![off], ..LldOverride::default() }];
                assert_eq!(changes(&list, &[], "a"), OverrideChanges::default());
                let overrides = Overrides::new(&list, &mut str::to_owned, &[]).unwrap();
                let expected = format!("Cannot process override operation: {reason}");
                let [warning] = overrides.warnings() else { panic!("one warning") };
                assert!(warning.starts_with(&expected), "{warning}");
            }
        }
    }

    #[test]
    fn a_filter_that_cannot_decide_is_reported_and_not_applied() {
        let off = LldOperation { discover: Some(false), ..operation(0, LIKE, "") };
        let list = [LldOverride {
            filter: when("{#M}", "x"),
            operations: vec![off],
            ..LldOverride::default()
        }];
        let overrides = Overrides::new(&list, &mut str::to_owned, &[]).unwrap();
        let of_row = overrides.of_row(&LldRow::default()).unwrap();
        assert!(of_row.is_empty());
        let expected = "Cannot evaluate expression: \"Cannot accurately apply filter: no value \
                        received for macro \"{#M}\".\n\".";
        assert_eq!(of_row.warnings(), [expected]);
    }
}
