//! How the status of a business service follows from its children and problems.
//!
//! A status is the severity of the worst problem that counts, or none: all is well. A child passes its
//! status on by its propagation; the parent's algorithm and its additional rules make one of them.

mod cause;

use model::content::Severity;

pub use cause::{Service, Tree};

/// Status of a service; `None` is OK and less than any severity.
pub type Status = Option<Severity>;

/// What a child passes to its parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Propagation {
    /// Its status.
    #[default]
    AsIs,
    /// A problem, that many severities worse.
    Increase(u8),
    /// A problem, that many severities milder.
    Decrease(u8),
    /// Nothing: parents don't see it.
    Ignore,
    /// This status whenever it has a problem.
    Fixed(Status),
}

impl Propagation {
    /// The status that parents see; `None`: they don't see the child.
    #[must_use]
    pub fn apply(self, status: Status) -> Option<Status> {
        let Some(severity) = status else {
            return if self == Self::Ignore { None } else { Some(None) };
        };
        let moved = |by: i64| Severity::from_code((i64::from(severity.code()) + by).clamp(0, 5));
        match self {
            Self::AsIs => Some(status),
            Self::Increase(by) => Some(moved(i64::from(by))),
            Self::Decrease(by) => Some(moved(-i64::from(by))),
            Self::Ignore => None,
            Self::Fixed(fixed) => Some(fixed),
        }
    }
}

/// How the status follows from the children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Not at all: OK, if no additional rule says otherwise.
    #[default]
    Ok,
    /// The worst of all children, if each has a problem.
    MostCriticalIfAll,
    /// The worst of all children.
    MostCriticalOfAny,
}

/// What an additional rule counts, and how its limit is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Children.
    Count,
    /// Their share in percent of all children.
    Percent,
    /// The weights of children.
    Weight,
    /// Their share in percent of the weights of all children.
    WeightPercent,
}

/// An additional rule: `status` counts if there are at least `value` children (or weights) with a
/// status of `limit` or worse; or less than `value` with `limit` or better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// What is counted.
    pub measure: Measure,
    /// "Less than … with limit or better" instead of "at least … with limit or worse".
    pub is_less: bool,
    /// Status of a child that counts.
    pub limit: Status,
    /// How many, how much or how many percent.
    pub value: u64,
    /// The status that the rule sets.
    pub status: Status,
}

/// A child as its parent sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Child {
    /// Propagated status.
    pub status: Status,
    /// Weight for rules that count by weight.
    pub weight: u32,
}

impl Algorithm {
    /// The status that follows from the children alone.
    #[must_use]
    pub fn status(self, children: &[Child]) -> Status {
        let worst = children.iter().map(|it| it.status).max().flatten();
        match self {
            Self::Ok => None,
            Self::MostCriticalOfAny => worst,
            Self::MostCriticalIfAll if children.iter().all(|it| it.status.is_some()) => worst,
            Self::MostCriticalIfAll => None,
        }
    }
}

impl Rule {
    /// Does the rule set its status? Never without children, whatever is less than a limit then.
    #[must_use]
    pub fn applies(&self, children: &[Child]) -> bool {
        let amount = |child: &Child| match self.measure {
            Measure::Count | Measure::Percent => 1,
            Measure::Weight | Measure::WeightPercent => u128::from(child.weight),
        };
        let total: u128 = children.iter().map(amount).sum();
        let counted: u128 = children.iter().filter(|it| self.counts(it.status)).map(amount).sum();
        let value = u128::from(self.value);
        let (found, wanted) = match self.measure {
            Measure::Count | Measure::Weight => (counted, value),
            // Without rounding: found / total against value / 100.
            Measure::Percent | Measure::WeightPercent if total > 0 => {
                (counted * 100, value * total)
            }
            Measure::Percent | Measure::WeightPercent => return false,
        };
        !children.is_empty() && if self.is_less { found < wanted } else { found >= wanted }
    }

    /// Is a child with this status one of those that the rule counts?
    fn counts(&self, status: Status) -> bool {
        if self.is_less { status <= self.limit } else { status >= self.limit }
    }
}

/// The status of a service with children: the worst of its algorithm and the rules that apply.
#[must_use]
pub fn status(algorithm: Algorithm, rules: &[Rule], children: &[Child]) -> Status {
    let by_rules = rules.iter().filter(|it| it.applies(children)).map(|it| it.status);
    by_rules.max().flatten().max(algorithm.status(children))
}

#[cfg(test)]
mod tests {
    use Severity::{Average, Disaster, High, Information, NotClassified, Warning};

    use super::*;

    fn child(status: Status, weight: u32) -> Child {
        Child { status, weight }
    }

    #[test]
    fn propagation_stays_within_severities() {
        assert_eq!(Propagation::Increase(3).apply(Some(High)), Some(Some(Disaster)));
        assert_eq!(Propagation::Decrease(3).apply(Some(Information)), Some(Some(NotClassified)));
        assert_eq!(Propagation::Increase(1).apply(None), Some(None));
        assert_eq!(Propagation::Fixed(Some(Average)).apply(None), Some(None));
        assert_eq!(Propagation::Fixed(None).apply(Some(High)), Some(None));
        assert_eq!(Propagation::Ignore.apply(None), None);
    }

    #[test]
    fn algorithms_take_the_worst() {
        let mixed = [child(None, 0), child(Some(Warning), 0), child(Some(High), 0)];
        assert_eq!(Algorithm::MostCriticalOfAny.status(&mixed), Some(High));
        assert_eq!(Algorithm::MostCriticalIfAll.status(&mixed), None);
        assert_eq!(Algorithm::MostCriticalIfAll.status(&mixed[1..]), Some(High));
        assert_eq!(Algorithm::Ok.status(&mixed[1..]), None);
        assert_eq!(Algorithm::MostCriticalIfAll.status(&[]), None);
    }

    #[test]
    fn rules_count_children_and_weights() {
        let children = [child(None, 10), child(Some(Warning), 30), child(Some(High), 60)];
        let rule = |measure, is_less, limit, value| Rule {
            measure,
            is_less,
            limit,
            value,
            status: Some(Disaster),
        };
        for (rule, expected) in [
            (rule(Measure::Count, false, Some(Warning), 2), true),
            (rule(Measure::Count, false, Some(Average), 2), false),
            (rule(Measure::Percent, false, Some(Warning), 66), true),
            (rule(Measure::Percent, false, Some(Warning), 67), false),
            (rule(Measure::Weight, false, Some(Average), 60), true),
            (rule(Measure::WeightPercent, false, Some(Average), 61), false),
            (rule(Measure::Count, true, None, 2), true),
            (rule(Measure::WeightPercent, true, Some(Warning), 40), false),
        ] {
            assert_eq!(rule.applies(&children), expected, "{rule:?}");
            assert!(!rule.applies(&[]), "{rule:?}");
        }
        let rules = [rule(Measure::Count, false, Some(Warning), 2)];
        assert_eq!(status(Algorithm::MostCriticalOfAny, &rules, &children), Some(Disaster));
    }
}
