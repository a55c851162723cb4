//! All conditions of an action, and their verdict on an event.

use std::collections::BTreeMap;

use thiserror::Error;

use super::condition::{Condition, ConditionKind, ConditionResult};
use super::facts::{ConditionFacts, ObjectLink};
use super::formula::{Formula, FormulaError, letter};

/// How conditions are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EvalType {
    /// Those of one kind are alternatives, and each kind there is needs one that is met.
    #[default]
    AndOr,
    And,
    Or,
    /// As a formula says.
    Custom,
}

impl EvalType {
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::AndOr),
            1 => Some(Self::And),
            2 => Some(Self::Or),
            3 => Some(Self::Custom),
            _ => None,
        }
    }

    /// The formula over positions that it means; `None`: without conditions all events pass.
    #[must_use]
    pub fn formula<K: Copy + PartialEq>(self, kinds: &[K]) -> Option<Formula<usize>> {
        let all = || (0..kinds.len()).map(Formula::Condition).collect::<Vec<_>>();
        let join = |mut list: Vec<_>, join: fn(Vec<_>) -> Formula<usize>| match list.len() {
            0 => None,
            1 => list.pop(),
            _ => Some(join(list)),
        };
        match self {
            Self::And => join(all(), Formula::And),
            Self::Or => join(all(), Formula::Or),
            Self::AndOr | Self::Custom => {
                let mut kept: Vec<K> = Vec::new();
                for kind in kinds {
                    if !kept.contains(kind) {
                        kept.push(*kind);
                    }
                }
                let of_kind = |kind: &K| {
                    let same = kinds.iter().enumerate().filter(|(_, it)| *it == kind);
                    join(same.map(|(at, _)| Formula::Condition(at)).collect(), Formula::Or)
                };
                join(kept.iter().filter_map(of_kind).collect(), Formula::And)
            }
        }
    }
}

/// Why a filter lets nothing pass.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FilterFault {
    #[error("the formula of its conditions is wrong: {0}")]
    Formula(#[from] FormulaError),
    #[error("its formula names condition {0}, which does not exist")]
    NoCondition(String),
    #[error("condition {letters}: there is no {} with id {id} any more", link.name())]
    Missing { letters: String, link: ObjectLink, id: u64 },
    #[error("condition {letters}: {what}")]
    Unreadable { letters: String, what: String },
}

/// The conditions of an action with their rule.
#[derive(Clone, Debug)]
pub struct ActionFilter {
    /// With their letters.
    conditions: Vec<(String, Condition)>,
    /// `None`: all events pass.
    rule: Result<Option<Formula<usize>>, FilterFault>,
}

/// The verdict of a filter on an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterVerdict {
    pub is_met: bool,
    /// Of each condition: its letters, and its result.
    pub conditions: Vec<(String, ConditionResult)>,
    /// Why nothing is met, whatever the conditions say.
    pub fault: Option<FilterFault>,
}

impl ActionFilter {
    /// Makes a filter of conditions. `letters` are those that users gave them, for a formula; where
    /// there is none, conditions are called by their positions.
    #[must_use]
    pub fn new(
        evaltype: EvalType,
        formula: &str,
        conditions: Vec<(String, Result<Condition, String>)>,
    ) -> Self {
        let mut read = Vec::new();
        let mut fault = None;
        for (at, (letters, condition)) in conditions.into_iter().enumerate() {
            let letters = if evaltype == EvalType::Custom { letters } else { letter(at) };
            match condition {
                Ok(it) => read.push((letters, it)),
                Err(what) => {
                    fault.get_or_insert(FilterFault::Unreadable { letters, what });
                }
            }
        }
        let rule = match fault {
            Some(it) => Err(it),
            None if evaltype == EvalType::Custom => custom(formula, &read).map(Some),
            None => {
                let kinds: Vec<ConditionKind> = read.iter().map(|(_, it)| it.kind).collect();
                Ok(evaltype.formula(&kinds))
            }
        };
        Self { conditions: read, rule }
    }

    /// A fault that does not depend on the event.
    #[must_use]
    pub fn fault(&self) -> Option<&FilterFault> {
        self.rule.as_ref().err()
    }

    /// The conditions with their letters.
    #[must_use]
    pub fn conditions(&self) -> &[(String, Condition)] {
        &self.conditions
    }

    /// Asks all conditions of an event.
    #[must_use]
    pub fn judge(&self, facts: &dyn ConditionFacts) -> FilterVerdict {
        let ask = |(letters, it): &(String, Condition)| (letters.clone(), it.ask(facts));
        let conditions: Vec<(String, ConditionResult)> = self.conditions.iter().map(ask).collect();
        let missing = || {
            self.conditions.iter().find_map(|(letters, it)| {
                let (link, id) = it.missing(facts)?;
                Some(FilterFault::Missing { letters: letters.clone(), link, id })
            })
        };
        let fault = self.fault().cloned().or_else(missing);
        let value = |at: &usize| conditions.get(*at).is_some_and(|(_, it)| it.is_met);
        let is_met = match (&self.rule, &fault) {
            (Ok(rule), None) => rule.as_ref().is_none_or(|it| it.eval(&value)),
            _ => false,
        };
        FilterVerdict { is_met, conditions, fault }
    }
}

fn custom(text: &str, conditions: &[(String, Condition)]) -> Result<Formula<usize>, FilterFault> {
    let positions: BTreeMap<&str, usize> =
        conditions.iter().enumerate().map(|(at, (letters, _))| (letters.as_str(), at)).collect();
    let position = |letters: &String| {
        let found = positions.get(letters.as_str()).copied();
        found.ok_or_else(|| FilterFault::NoCondition(letters.clone()))
    };
    Formula::parse(text)?.map(&position)
}

#[cfg(test)]
mod tests;
