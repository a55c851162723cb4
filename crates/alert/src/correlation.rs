//! Global correlation: which open problems a new one closes, or whether it is closed itself.
//!
//! As in Zabbix 7.0 the conditions of a rule refer to the new event, to an old one, or to both. A
//! rule that refers to old events, or closes them, is evaluated for each open problem from before;
//! the first matching rule closes the problem. Open problems are found by an index over the tags
//! that rules name: the cost of an event depends on the number of problems with its tags, not on
//! the number of open ones. Rules without any such condition (`does not equal` alone) are evaluated
//! once for all problems with equal values of these tags.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::EventId;
use model::content::Tag;

use crate::judging::Formula;

/// How a value of a tag is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagComparison {
    Equal,
    NotEqual,
    Contains,
    NotContains,
}

impl TagComparison {
    /// As the API has it.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::Equal),
            1 => Some(Self::NotEqual),
            2 => Some(Self::Contains),
            3 => Some(Self::NotContains),
            _ => None,
        }
    }

    const fn is_negation(self) -> bool {
        matches!(self, Self::NotEqual | Self::NotContains)
    }

    /// Whether a value contains the name, before any negation.
    fn names(self, value: &str, named: &str) -> bool {
        match self {
            Self::Equal | Self::NotEqual => value == named,
            Self::Contains | Self::NotContains => value.contains(named),
        }
    }
}

/// A condition of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CorrelationCondition {
    OldTag(String),
    NewTag(String),
    /// `groups`: the one of the condition and those below it.
    NewGroup {
        groups: BTreeSet<u64>,
        is_negation: bool,
    },
    /// The old event has the tag `old` with the value that the new one has of `new`.
    Pair {
        old: String,
        new: String,
    },
    /// Negations hold for events without the tag, too.
    OldValue {
        tag: String,
        value: String,
        compare: TagComparison,
    },
    /// Negations need the tag with another value.
    NewValue {
        tag: String,
        value: String,
        compare: TagComparison,
    },
}

impl CorrelationCondition {
    const fn is_of_old(&self) -> bool {
        matches!(self, Self::OldTag(_) | Self::Pair { .. } | Self::OldValue { .. })
    }

    /// The tag of old events that it names.
    fn old_tag(&self) -> Option<&str> {
        match self {
            Self::OldTag(tag) | Self::Pair { old: tag, .. } | Self::OldValue { tag, .. } => {
                Some(tag)
            }
            Self::NewTag(_) | Self::NewGroup { .. } | Self::NewValue { .. } => None,
        }
    }

    /// Whether it is met, as far as the new event alone says; `None`: old events are asked, too.
    #[must_use]
    pub fn met_by_new(&self, new: &NewProblem<'_>) -> Option<bool> {
        (!self.is_of_old()).then(|| self.is_met(new, &[]))
    }

    /// `old`: asked of conditions on old events only.
    fn is_met(&self, new: &NewProblem<'_>, old: &[Tag]) -> bool {
        match self {
            Self::OldTag(tag) => old.iter().any(|it| it.tag == *tag),
            Self::NewTag(tag) => new.tags.iter().any(|it| it.tag == *tag),
            Self::NewGroup { groups, is_negation } => {
                new.groups.iter().any(|it| groups.contains(it)) != *is_negation
            }
            Self::Pair { old: old_tag, new: new_tag } => {
                let mut values = values_of(new.tags, new_tag);
                values.any(|value| values_of(old, old_tag).any(|it| it == value))
            }
            Self::OldValue { tag, value, compare } => {
                values_of(old, tag).any(|it| compare.names(it, value)) != compare.is_negation()
            }
            Self::NewValue { tag, value, compare } => {
                values_of(new.tags, tag).any(|it| compare.names(it, value) != compare.is_negation())
            }
        }
    }
}

fn values_of<'t>(tags: &'t [Tag], name: &str) -> impl Iterator<Item = &'t str> {
    tags.iter().filter(move |it| it.tag == name).map(|it| it.value.as_str())
}

/// An enabled rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CorrelationRule {
    pub id: u64,
    pub conditions: Vec<CorrelationCondition>,
    /// Over positions in `conditions`.
    pub formula: Formula<usize>,
    pub closes_old: bool,
    pub closes_new: bool,
}

impl CorrelationRule {
    fn condition(&self, at: usize) -> Option<&CorrelationCondition> {
        self.conditions.get(at)
    }

    fn is_of_old(&self) -> bool {
        self.closes_old || self.conditions.iter().any(CorrelationCondition::is_of_old)
    }

    fn is_met(&self, new: &NewProblem<'_>, old: &[Tag]) -> bool {
        self.formula.eval(&|at| self.condition(*at).is_some_and(|it| it.is_met(new, old)))
    }
}

/// A problem that has just begun.
#[derive(Clone, Copy, Debug)]
pub struct NewProblem<'e> {
    pub id: EventId,
    pub tags: &'e [Tag],
    /// Host groups of its hosts.
    pub groups: &'e BTreeSet<u64>,
}

/// The events that a rule closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Close {
    pub problem: EventId,
    pub rule: u64,
    /// The new event that made the rule close it.
    pub by: EventId,
}

/// An open problem, as far as rules ask.
pub trait Tagged {
    fn tags(&self) -> &[Tag];
}

/// Open problems that have a tag.
#[derive(Debug, Default)]
struct ByTag {
    n: usize,
    values: BTreeMap<String, BTreeSet<EventId>>,
}

/// All rules with the open problems of now.
#[derive(Debug)]
pub struct Correlator<P> {
    rules: Vec<CorrelationRule>,
    /// Open ones that no rule has closed.
    open: BTreeMap<EventId, Arc<P>>,
    /// Of the tags that rules name.
    by_tag: BTreeMap<String, ByTag>,
    /// By all their values of these tags, sorted: rules cannot distinguish problems with equal
    /// values.
    alike: BTreeMap<Vec<Tag>, BTreeSet<EventId>>,
}

impl<P: Tagged> Correlator<P> {
    /// In the order of their ids.
    #[must_use]
    pub fn new(mut rules: Vec<CorrelationRule>) -> Self {
        rules.sort_by_key(|it| it.id);
        let tags =
            rules.iter().flat_map(|it| &it.conditions).filter_map(CorrelationCondition::old_tag);
        let by_tag = tags.map(|it| (it.to_owned(), ByTag::default())).collect();
        Self { rules, open: BTreeMap::new(), by_tag, alike: BTreeMap::new() }
    }

    #[must_use]
    pub fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// A problem is open, perhaps with other tags than before.
    pub fn put(&mut self, id: EventId, problem: Arc<P>) {
        self.remove(id);
        for it in problem.tags() {
            let Some(of_tag) = self.by_tag.get_mut(&it.tag) else { continue };
            of_tag.n += usize::from(of_tag.values.entry(it.value.clone()).or_default().insert(id));
        }
        let named = self.named_tags(problem.tags());
        self.alike.entry(named).or_default().insert(id);
        self.open.insert(id, problem);
    }

    /// A problem is not open any more; gives whether it was.
    pub fn remove(&mut self, id: EventId) -> bool {
        let Some(problem) = self.open.remove(&id) else { return false };
        for it in problem.tags() {
            let Some(of_tag) = self.by_tag.get_mut(&it.tag) else { continue };
            let Some(ids) = of_tag.values.get_mut(&it.value) else { continue };
            of_tag.n -= usize::from(ids.remove(&id));
            if ids.is_empty() {
                of_tag.values.remove(&it.value);
            }
        }
        let named = self.named_tags(problem.tags());
        if let Some(ids) = self.alike.get_mut(&named) {
            ids.remove(&id);
            if ids.is_empty() {
                self.alike.remove(&named);
            }
        }
        true
    }

    /// Those of the tags that rules name.
    fn named_tags(&self, tags: &[Tag]) -> Vec<Tag> {
        let named = tags.iter().filter(|it| self.by_tag.contains_key(&it.tag));
        let sorted: BTreeSet<&Tag> = named.collect();
        sorted.into_iter().cloned().collect()
    }

    /// The events to close because of a new problem. From here on they count as closed.
    pub fn judge(&mut self, new: &NewProblem<'_>) -> Vec<Close> {
        let mut closes = Vec::new();
        for at in 0..self.rules.len() {
            let Some(rule) = self.rules.get(at) else { break };
            let met: Vec<EventId> = if rule.is_of_old() {
                self.matching(rule, new)
            } else if rule.is_met(new, &[]) {
                vec![EventId::NONE]
            } else {
                Vec::new()
            };
            let (id, closes_old, closes_new) = (rule.id, rule.closes_old, rule.closes_new);
            if met.is_empty() {
                continue;
            }
            let old = met.into_iter().filter(|it| closes_old && it.is_some());
            for problem in closes_new.then_some(new.id).into_iter().chain(old) {
                if self.remove(problem) {
                    closes.push(Close { problem, rule: id, by: new.id });
                }
            }
        }
        closes
    }

    /// Problems from before a new one that meet a rule together with it.
    fn matching(&self, rule: &CorrelationRule, new: &NewProblem<'_>) -> Vec<EventId> {
        let is_met = |id: &EventId| {
            let old = self.open.get(id).filter(|_| *id < new.id);
            old.is_some_and(|it| rule.is_met(new, it.tags()))
        };
        let mut found = BTreeSet::new();
        if self.size(rule, &rule.formula, new).is_some() {
            self.collect((rule, new), &rule.formula, &mut found);
            return found.into_iter().filter(is_met).collect();
        }
        for (_, ids) in self.alike.iter().filter(|(tags, _)| rule.is_met(new, tags)) {
            found.extend(ids.range(..new.id));
            if !rule.closes_old && !found.is_empty() {
                // That there is one is all that is asked.
                break;
            }
        }
        found.into_iter().collect()
    }

    /// How many problems can meet a part of a formula at most; `None`: all of them.
    fn size(
        &self,
        rule: &CorrelationRule,
        part: &Formula<usize>,
        new: &NewProblem<'_>,
    ) -> Option<usize> {
        match part {
            Formula::And(all) => all.iter().filter_map(|it| self.size(rule, it, new)).min(),
            Formula::Or(any) => any.iter().map(|it| self.size(rule, it, new)).sum(),
            Formula::Not(inner) => {
                let mut speaks_of_old = false;
                inner.each(&mut |at| {
                    speaks_of_old |=
                        rule.condition(*at).is_some_and(CorrelationCondition::is_of_old);
                });
                let value = |at: &usize| rule.condition(*at).is_some_and(|it| it.is_met(new, &[]));
                (!speaks_of_old && inner.eval(&value)).then_some(0)
            }
            Formula::Condition(at) => {
                let condition = rule.condition(*at)?;
                match condition {
                    CorrelationCondition::OldTag(tag) => {
                        Some(self.by_tag.get(tag).map_or(0, |it| it.n))
                    }
                    CorrelationCondition::Pair { .. }
                    | CorrelationCondition::OldValue { compare: TagComparison::Equal, .. } => {
                        Some(self.sets(condition, new).iter().map(|it| it.len()).sum())
                    }
                    // As many as have the tag: which values contain the text is found out if it has to be.
                    CorrelationCondition::OldValue {
                        tag,
                        compare: TagComparison::Contains,
                        ..
                    } => Some(self.by_tag.get(tag).map_or(0, |it| it.n)),
                    CorrelationCondition::OldValue { .. } => None,
                    of_new => (!of_new.is_met(new, &[])).then_some(0),
                }
            }
        }
    }

    /// The problems that [`Self::size`] counts.
    fn collect(
        &self,
        (rule, new): (&CorrelationRule, &NewProblem<'_>),
        part: &Formula<usize>,
        found: &mut BTreeSet<EventId>,
    ) {
        match part {
            Formula::And(all) => {
                let sized = all.iter().filter_map(|it| Some((self.size(rule, it, new)?, it)));
                if let Some((_, least)) = sized.min_by_key(|it| it.0) {
                    self.collect((rule, new), least, found);
                }
            }
            Formula::Or(any) => any.iter().for_each(|it| self.collect((rule, new), it, found)),
            Formula::Not(_) => {}
            Formula::Condition(at) => {
                let sets = rule.condition(*at).map(|it| self.sets(it, new)).unwrap_or_default();
                found.extend(sets.into_iter().flatten());
            }
        }
    }

    /// The problems that meet a condition, by values of its tag.
    fn sets(
        &self,
        condition: &CorrelationCondition,
        new: &NewProblem<'_>,
    ) -> Vec<&BTreeSet<EventId>> {
        let of_tag = condition.old_tag().and_then(|it| self.by_tag.get(it));
        let Some(ByTag { values, .. }) = of_tag else { return Vec::new() };
        match condition {
            CorrelationCondition::OldTag(_) => values.values().collect(),
            CorrelationCondition::Pair { new: new_tag, .. } => {
                values_of(new.tags, new_tag).filter_map(|it| values.get(it)).collect()
            }
            CorrelationCondition::OldValue { value, compare: TagComparison::Equal, .. } => {
                values.get(value).into_iter().collect()
            }
            CorrelationCondition::OldValue { value, compare: TagComparison::Contains, .. } => {
                let meets = values.iter().filter(|(it, _)| it.contains(value));
                meets.map(|(_, ids)| ids).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
