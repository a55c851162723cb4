//! The status of a business service, computed from its children and problems.
//!
//! A status is the severity of the worst problem that counts, or none: OK. A child passes its status on by
//! its propagation; the parent's algorithm and its additional rules compute one of them.

mod cause;
mod live;

use model::content::{self, Severity};

pub use cause::{Service, Tree};
pub use live::{Live, ProblemState, ServiceDefinition, StatusChange};

/// Status of a service; `None` is OK and less than any severity.
pub type Status = Option<Severity>;

/// The status that a child passes to its parents.
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

/// The computation of the status from the children.
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

/// The measure of an additional rule, and the meaning of its limit.
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
pub struct StatusRule {
    /// The measure.
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

/// The children of a service as far as its status follows from them: how many have which status, and
/// their weights. A change of one child changes two numbers, however many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Children {
    /// OK, then the severities.
    counts: [u64; N_STATUSES],
    weights: [u64; N_STATUSES],
}

const N_STATUSES: usize = 7;

/// OK is 0.
fn place(status: Status) -> usize {
    status.map_or(0, |it| usize::from(it.code().unsigned_abs()) + 1)
}

fn status_at(place: usize) -> Status {
    Severity::from_code(i64::try_from(place).ok()? - 1)
}

impl Children {
    /// One more.
    pub fn add(&mut self, child: Child) {
        let at = place(child.status);
        self.counts[at] += 1;
        self.weights[at] += u64::from(child.weight);
    }

    /// One that was added is there no more.
    pub fn remove(&mut self, child: Child) {
        let at = place(child.status);
        self.counts[at] = self.counts[at].saturating_sub(1);
        self.weights[at] = self.weights[at].saturating_sub(u64::from(child.weight));
    }

    fn is_empty(&self) -> bool {
        self.counts.iter().all(|it| *it == 0)
    }

    fn worst(&self) -> Status {
        status_at(self.counts.iter().rposition(|it| *it != 0)?)
    }
}

impl FromIterator<Child> for Children {
    fn from_iter<T: IntoIterator<Item = Child>>(list: T) -> Self {
        let mut children = Self::default();
        list.into_iter().for_each(|it| children.add(it));
        children
    }
}

impl Algorithm {
    /// The status that follows from the children alone.
    #[must_use]
    pub fn status(self, children: &Children) -> Status {
        match self {
            Self::Ok => None,
            Self::MostCriticalOfAny => children.worst(),
            Self::MostCriticalIfAll if children.counts[0] == 0 => children.worst(),
            Self::MostCriticalIfAll => None,
        }
    }
}

impl StatusRule {
    /// Does the rule set its status? Never without children, whatever is less than a limit then.
    #[must_use]
    pub fn applies(&self, children: &Children) -> bool {
        let amounts = match self.measure {
            Measure::Count | Measure::Percent => &children.counts,
            Measure::Weight | Measure::WeightPercent => &children.weights,
        };
        let limit = place(self.limit);
        // "Less than" counts those with the limit or better.
        let counted = if self.is_less { &amounts[..=limit] } else { &amounts[limit..] };
        let sum = |list: &[u64]| list.iter().map(|it| u128::from(*it)).sum::<u128>();
        let (total, counted) = (sum(amounts), sum(counted));
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
}

impl From<&content::ServiceRule> for StatusRule {
    fn from(rule: &content::ServiceRule) -> Self {
        use content::ServiceRuleType as Type;
        let (measure, is_less) = match rule.kind {
            Type::CountAtLeast => (Measure::Count, false),
            Type::PercentAtLeast => (Measure::Percent, false),
            Type::CountLess => (Measure::Count, true),
            Type::PercentLess => (Measure::Percent, true),
            Type::WeightAtLeast => (Measure::Weight, false),
            Type::WeightPercentAtLeast => (Measure::WeightPercent, false),
            Type::WeightLess => (Measure::Weight, true),
            Type::WeightPercentLess => (Measure::WeightPercent, true),
        };
        Self {
            measure,
            is_less,
            limit: Severity::from_code(rule.limit_status),
            value: u64::try_from(rule.limit_value).unwrap_or(0),
            status: Some(rule.new_status),
        }
    }
}

impl From<content::ServiceAlgorithm> for Algorithm {
    fn from(algorithm: content::ServiceAlgorithm) -> Self {
        match algorithm {
            content::ServiceAlgorithm::Ok => Self::Ok,
            content::ServiceAlgorithm::MostCriticalIfAll => Self::MostCriticalIfAll,
            content::ServiceAlgorithm::MostCriticalOfAny => Self::MostCriticalOfAny,
        }
    }
}

impl From<&content::Service> for Propagation {
    fn from(service: &content::Service) -> Self {
        let by = u8::try_from(service.propagation_value).unwrap_or(0);
        match service.propagation_rule {
            content::ServicePropagation::AsIs => Self::AsIs,
            content::ServicePropagation::Increase => Self::Increase(by),
            content::ServicePropagation::Decrease => Self::Decrease(by),
            content::ServicePropagation::Ignore => Self::Ignore,
            content::ServicePropagation::Fixed => {
                Self::Fixed(Severity::from_code(service.propagation_value))
            }
        }
    }
}

/// The status of a service with children: the worst of its algorithm and the rules that apply.
#[must_use]
pub fn status(algorithm: Algorithm, rules: &[StatusRule], children: &Children) -> Status {
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
        let bad = [child(Some(Warning), 0), child(Some(High), 0)];
        let mixed: Children = bad.into_iter().chain([child(None, 0)]).collect();
        let bad: Children = bad.into_iter().collect();
        assert_eq!(Algorithm::MostCriticalOfAny.status(&mixed), Some(High));
        assert_eq!(Algorithm::MostCriticalIfAll.status(&mixed), None);
        assert_eq!(Algorithm::MostCriticalIfAll.status(&bad), Some(High));
        assert_eq!(Algorithm::Ok.status(&bad), None);
        assert_eq!(Algorithm::MostCriticalIfAll.status(&Children::default()), None);
    }

    #[test]
    fn rules_count_children_and_weights() {
        let children = [child(None, 10), child(Some(Warning), 30), child(Some(High), 60)];
        let children: Children = children.into_iter().collect();
        let rule = |measure, is_less, limit, value| StatusRule {
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
            assert!(!rule.applies(&Children::default()), "{rule:?}");
        }
        let rules = [rule(Measure::Count, false, Some(Warning), 2)];
        assert_eq!(status(Algorithm::MostCriticalOfAny, &rules, &children), Some(Disaster));
    }
}
