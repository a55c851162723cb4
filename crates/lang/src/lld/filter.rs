//! Which rows a rule keeps.

use std::collections::BTreeMap;

use model::content::{GlobalRegexp, LldFilter};
use model::snapshot::LldRow;
use thiserror::Error;

use crate::expression::formula;
use crate::global_regexp::{PatternError, TextPattern};
use formats::number;

/// Operators of conditions.
const MATCHES: i64 = 8;
const NOT_MATCHES: i64 = 9;
const EXISTS: i64 = 12;
const NOT_EXISTS: i64 = 13;

/// Why a filter can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FilterError {
    /// There is no global regular expression of this name.
    #[error("Global regular expression \"{0}\" does not exist.")]
    Missing(String),
    /// An operator that filters do not have.
    #[error("Unsupported operator {0} of a condition.")]
    Operator(i64),
    /// The custom formula is wrong.
    #[error("Cannot evaluate filter formula \"{formula}\": {reason}.")]
    Formula {
        /// As written.
        formula: String,
        /// The error.
        reason: String,
    },
}

#[derive(Debug, Clone)]
struct Condition {
    name: String,
    id: String,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Match {
        pattern: TextPattern,
        expected: bool,
    },
    /// A pattern that does not compile: the condition is unknown for every row.
    Invalid(String),
    Exists(bool),
}

/// The combination of conditions.
#[derive(Debug, Clone)]
enum Rule {
    /// Conditions on one macro: or; macros: and.
    AndOr,
    And,
    Or,
    Formula(String),
}

/// A compiled filter.
#[derive(Debug, Clone)]
pub struct RowFilter {
    rule: Rule,
    conditions: Vec<Condition>,
}

impl RowFilter {
    /// Compiles. `expand` replaces user macros; patterns may name one of `regexps`.
    ///
    /// # Errors
    /// If a global regular expression is not there, or an operator or the formula is wrong.
    pub fn new(
        filter: &LldFilter,
        expand: &mut dyn FnMut(&str) -> String,
        regexps: &[GlobalRegexp],
    ) -> Result<Self, FilterError> {
        let mut conditions = Vec::with_capacity(filter.conditions.len());
        for it in &filter.conditions {
            let test = match it.operator {
                MATCHES | NOT_MATCHES => {
                    let value = expand(&it.value);
                    match TextPattern::new(&value, regexps) {
                        Ok(pattern) => Test::Match { pattern, expected: it.operator == MATCHES },
                        Err(PatternError::Missing(name)) => return Err(FilterError::Missing(name)),
                        Err(PatternError::Invalid { .. }) => Test::Invalid(value),
                    }
                }
                EXISTS => Test::Exists(true),
                NOT_EXISTS => Test::Exists(false),
                operator => return Err(FilterError::Operator(operator)),
            };
            conditions.push(Condition { name: it.name.clone(), id: it.formulaid.clone(), test });
        }
        let rule = match filter.evaltype {
            1 => Rule::And,
            2 => Rule::Or,
            3 => Rule::Formula(filter.formula.clone()),
            _ => Rule::AndOr,
        };
        let filter = Self { rule, conditions };
        // A formula that can't be evaluated shows before the first row.
        filter.keeps(&LldRow::default())?;
        Ok(filter)
    }

    /// Is the row kept? Without conditions each is.
    ///
    /// # Errors
    /// If the formula is wrong.
    pub fn keeps(&self, row: &LldRow) -> Result<bool, FilterError> {
        Ok(self.verdict(row)? == RowVerdict::Kept)
    }

    /// The decision on the row, or why there is none.
    ///
    /// # Errors
    /// If the formula is wrong.
    pub fn verdict(&self, row: &LldRow) -> Result<RowVerdict, FilterError> {
        if self.conditions.is_empty() {
            return Ok(RowVerdict::Kept);
        }
        let found: Vec<Result<bool, String>> =
            self.conditions.iter().map(|it| it.holds(row)).collect();
        let holds = || self.conditions.iter().zip(found.iter().map(|it| it.as_ref().ok().copied()));
        let is_kept = match &self.rule {
            Rule::And => all(holds().map(|it| it.1)),
            Rule::Or => any(holds().map(|it| it.1)),
            Rule::AndOr => {
                let mut by_macro: BTreeMap<&str, Option<bool>> = BTreeMap::new();
                for (condition, holds) in holds() {
                    let known = by_macro.entry(&condition.name).or_insert(Some(false));
                    *known = any([*known, holds].into_iter());
                }
                all(by_macro.into_values())
            }
            Rule::Formula(formula) => {
                let values = holds().map(|(it, holds)| (it.id.as_str(), holds)).collect();
                evaluate(formula, &values)?
            }
        };
        Ok(match is_kept {
            Some(true) => RowVerdict::Kept,
            Some(false) => RowVerdict::Dropped,
            None => {
                let why = self.why_unknown(found);
                RowVerdict::Unknown(format!("Cannot evaluate expression: \"{why}\n\"."))
            }
        })
    }

    /// Of several conditions that can't be tested the last one counts, in the order of evaluation.
    fn why_unknown(&self, found: Vec<Result<bool, String>>) -> String {
        let errors = self.conditions.iter().zip(found).enumerate();
        let mut errors = errors.filter_map(|(at, (it, found))| Some((at, it, found.err()?)));
        let last = match &self.rule {
            Rule::Formula(formula) => {
                errors.max_by_key(|(at, it, _)| (last_of(formula, &it.id), *at))
            }
            Rule::AndOr => {
                errors.max_by(|one, two| (&one.1.name, one.0).cmp(&(&two.1.name, two.0)))
            }
            Rule::And | Rule::Or => errors.next_back(),
        };
        last.map(|(_, _, error)| error).unwrap_or_default()
    }
}

/// The decision of a filter on a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowVerdict {
    /// It stays.
    Kept,
    /// It goes.
    Dropped,
    /// It goes, too: the result depends on a condition that can't be tested; for the user.
    Unknown(String),
}

/// Where a formula names a condition last.
fn last_of(formula: &str, id: &str) -> Option<usize> {
    let is_letter = |it: Option<char>| it.is_some_and(|it| it.is_ascii_uppercase());
    let named = formula.match_indices(id).map(|(at, _)| at).filter(|at| {
        let before = formula.get(..*at).and_then(|it| it.chars().next_back());
        let after = formula.get(at + id.len()..).and_then(|it| it.chars().next());
        !is_letter(before) && !is_letter(after)
    });
    named.last()
}

/// Whether all hold; unknown ones do not matter if one does not.
fn all(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for value in values {
        match value {
            Some(false) => return value,
            Some(true) => {}
            None => known = None,
        }
    }
    known
}

/// Whether any holds; unknown ones do not matter if one does.
fn any(values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all(values.map(|it| it.map(|it| !it))).map(|it| !it)
}

impl Condition {
    /// The error says why it can't be tested.
    fn holds(&self, row: &LldRow) -> Result<bool, String> {
        let untested = |why: String| format!("Cannot accurately apply filter: {why}.");
        match (&self.test, row.get(&self.name)) {
            (Test::Exists(expected), value) => Ok(value.is_some() == *expected),
            (Test::Invalid(pattern), Some(_)) => {
                Err(untested(format!("invalid regular expression \"{pattern}\"")))
            }
            (Test::Match { pattern, expected }, Some(value)) => match pattern.is_match(value) {
                Ok(it) => Ok(it == *expected),
                Err(error) => Err(untested(error.to_string())),
            },
            (Test::Match { .. } | Test::Invalid(_), None) => {
                Err(untested(format!("no value received for macro \"{}\"", self.name)))
            }
        }
    }
}

fn evaluate(
    formula: &str,
    values: &BTreeMap<&str, Option<bool>>,
) -> Result<Option<bool>, FilterError> {
    let wrong = |reason: String| FilterError::Formula { formula: formula.to_owned(), reason };
    let mut text = String::with_capacity(formula.len());
    let mut rest = formula;
    while let Some(start) = rest.find(|it: char| it.is_ascii_uppercase()) {
        let (before, tail) = rest.split_at(start);
        let len = tail.find(|it: char| !it.is_ascii_uppercase()).unwrap_or(tail.len());
        let (id, after) = tail.split_at(len);
        let value = values.get(id).ok_or_else(|| wrong(format!("unknown condition \"{id}\"")))?;
        // Formulas also come as `{A}`.
        text.push_str(before.strip_suffix('{').unwrap_or(before));
        text.push_str(match value {
            Some(true) => "1",
            Some(false) => "0",
            None => formula::UNKNOWN,
        });
        rest = if before.ends_with('{') { after.strip_prefix('}').unwrap_or(after) } else { after };
    }
    text.push_str(rest);
    Ok(match formula::evaluate(&text, number::EPSILON).map_err(wrong)? {
        formula::FormulaOutcome::Number(it) => Some(it != 0.0),
        formula::FormulaOutcome::Unknown => None,
    })
}

#[cfg(test)]
mod tests {
    use model::content::{FilterCondition, RegexpExpression, RegexpKind};

    use super::*;

    fn filter(evaltype: i64, formula: &str, conditions: &[(&str, &str, &str, i64)]) -> LldFilter {
        let conditions = conditions
            .iter()
            .map(|(id, name, value, operator)| FilterCondition {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
                operator: *operator,
                formulaid: (*id).to_owned(),
            })
            .collect();
        LldFilter { evaltype, formula: formula.to_owned(), conditions }
    }

    fn keeps(filter: &LldFilter, row: &[(&str, &str)]) -> bool {
        let filter = RowFilter::new(filter, &mut str::to_owned, &[]).unwrap();
        filter.keeps(&LldRow::new(row.iter().copied())).unwrap()
    }

    #[test]
    fn a_row_without_the_macro_goes_unless_that_does_not_matter() {
        let conditions = [("A", "{#T}", "^ext", 8), ("B", "{#N}", "^/dev", 9)];
        let verdict = |evaltype, formula: &str, row: &[(&str, &str)]| {
            let filter =
                RowFilter::new(&filter(evaltype, formula, &conditions), &mut str::to_owned, &[]);
            filter.unwrap().verdict(&LldRow::new(row.iter().copied())).unwrap()
        };
        let unknown = |name: &str| {
            RowVerdict::Unknown(format!(
                "Cannot evaluate expression: \"Cannot accurately apply filter: no value received \
                 for macro \"{name}\".\n\"."
            ))
        };
        let (ext, xfs) = ([("{#T}", "ext4")], [("{#T}", "xfs")]);
        for (evaltype, formula, row, expected) in [
            (0, "", ext, unknown("{#N}")),
            (1, "", ext, unknown("{#N}")),
            (1, "", xfs, RowVerdict::Dropped),
            (2, "", ext, RowVerdict::Kept),
            (2, "", xfs, unknown("{#N}")),
            (3, "not B", ext, unknown("{#N}")),
            (3, "A or not B", ext, RowVerdict::Kept),
            (3, "A and not B", xfs, RowVerdict::Dropped),
        ] {
            assert_eq!(verdict(evaltype, formula, &row), expected, "{evaltype} {formula} {row:?}");
        }
    }

    #[test]
    fn the_last_of_several_unknown_conditions_is_reported() {
        let conditions = [("A", "{#O}", "", 8), ("B", "{#M}", "", 8), ("C", "{#BAD}", "(", 8)];
        for (evaltype, formula, reason) in [
            (0, "", "no value received for macro \"{#O}\""),
            (1, "", "invalid regular expression \"(\""),
            (2, "", "invalid regular expression \"(\""),
            (3, "C and B and A", "no value received for macro \"{#O}\""),
            (3, "A or C or B", "no value received for macro \"{#M}\""),
        ] {
            let filter = filter(evaltype, formula, &conditions);
            let filter = RowFilter::new(&filter, &mut str::to_owned, &[]).unwrap();
            let expected = format!(
                "Cannot evaluate expression: \"Cannot accurately apply filter: {reason}.\n\"."
            );
            let row = LldRow::new([("{#BAD}", "x")]);
            let verdict = filter.verdict(&row).unwrap();
            assert_eq!(verdict, RowVerdict::Unknown(expected), "{evaltype} {formula}");
        }
    }

    #[test]
    fn conditions_combine_by_rule() {
        let conditions =
            [("A", "{#T}", "^ext", 8), ("B", "{#T}", "^xfs", 8), ("C", "{#N}", "^/dev", 9)];
        let and_or = filter(0, "", &conditions);
        assert!(keeps(&and_or, &[("{#T}", "xfs"), ("{#N}", "/")]));
        assert!(!keeps(&and_or, &[("{#T}", "xfs"), ("{#N}", "/dev/shm")]));
        assert!(!keeps(&filter(1, "", &conditions), &[("{#T}", "xfs"), ("{#N}", "/")]));
        assert!(keeps(&filter(2, "", &conditions), &[("{#T}", "zfs"), ("{#N}", "/")]));
        let formula = filter(3, "(A or B) and not C", &conditions);
        assert!(keeps(&formula, &[("{#T}", "ext4"), ("{#N}", "/dev")]));
        let exists = filter(0, "", &[("A", "{#X}", "", 13)]);
        assert!(keeps(&exists, &[]));
    }

    #[test]
    fn conditions_may_name_global_regular_expressions() {
        let regexps = [GlobalRegexp {
            name: "disks".to_owned(),
            expressions: vec![RegexpExpression {
                expression: "^sd".to_owned(),
                kind: RegexpKind::True,
                exp_delimiter: ",".to_owned(),
                case_sensitive: true,
            }],
            ..GlobalRegexp::default()
        }];
        let written = filter(0, "", &[("A", "{#N}", "{$WANTED}", 8)]);
        let mut expand = |_: &str| "@disks".to_owned();
        let compiled = RowFilter::new(&written, &mut expand, &regexps).unwrap();
        assert!(compiled.keeps(&LldRow::new([("{#N}", "sda")])).unwrap());
        assert!(!compiled.keeps(&LldRow::new([("{#N}", "SDA")])).unwrap());
        let error = RowFilter::new(&written, &mut expand, &[]).unwrap_err();
        assert_eq!(error.to_string(), "Global regular expression \"disks\" does not exist.");
    }

    #[test]
    fn a_wrong_formula_is_refused_before_any_row() {
        let filter = filter(3, "A and D", &[("A", "{#T}", "x", 8)]);
        assert!(matches!(
            RowFilter::new(&filter, &mut str::to_owned, &[]),
            Err(FilterError::Formula { .. })
        ));
    }
}
