//! Which problems explain the status of a service.

use std::collections::BTreeSet;

use model::content::Severity;

use super::{Algorithm, Child, Children, Propagation, Status, StatusRule};

/// A service with the inputs of its status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Service {
    /// Its status now.
    pub status: Status,
    /// The computation from the children.
    pub algorithm: Algorithm,
    /// Additional rules.
    pub rules: Vec<StatusRule>,
    /// The status that its parents get.
    pub propagation: Propagation,
    /// Its weight in rules of its parents.
    pub weight: u32,
    /// Positions of its children in the tree.
    pub children: Vec<usize>,
    /// Problems that its tags pick: event id and severity.
    pub problems: Vec<(u64, Severity)>,
}

/// Services that refer to each other by position. A service may have several parents; one that is its own
/// ancestor is visited once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// The services.
    pub services: Vec<Service>,
}

/// Which children of a service matter: from which propagated status on, and whether without weight.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    least: Severity,
    needs_weight: bool,
}

impl Tree {
    /// Ids of the problems without which the service would have a better status, in ascending order.
    #[must_use]
    pub fn root_cause(&self, service: usize) -> Vec<u64> {
        let mut search = Search { tree: self, seen: BTreeSet::new(), events: BTreeSet::new() };
        search.visit(service, Severity::NotClassified);
        search.events.into_iter().collect()
    }

    /// The children of a service as it sees them.
    #[must_use]
    pub fn children(&self, service: usize) -> Children {
        self.seen_children(service).map(|(_, it)| it).collect()
    }

    fn seen_children(&self, service: usize) -> impl Iterator<Item = (usize, Child)> {
        let children = self.services.get(service).map_or(&[][..], |it| it.children.as_slice());
        children.iter().filter_map(|id| {
            let child = self.services.get(*id)?;
            let status = child.propagation.apply(child.status)?;
            Some((*id, Child { status, weight: child.weight }))
        })
    }
}

struct Search<'a> {
    tree: &'a Tree,
    /// Services with the least severity with which they were visited.
    seen: BTreeSet<(usize, Severity)>,
    events: BTreeSet<u64>,
}

impl Search<'_> {
    /// Collects the problems that give the service a status of `least` or worse.
    fn visit(&mut self, id: usize, least: Severity) {
        let Some(service) = self.tree.services.get(id) else { return };
        if service.status < Some(least) || !self.seen.insert((id, least)) {
            return;
        }
        let own = service.problems.iter().filter(|it| it.1 >= least);
        self.events.extend(own.map(|it| it.0));
        let children = self.tree.children(id);
        let mut wanted = Vec::new();
        if service.algorithm.status(&children) >= Some(least) {
            match service.algorithm {
                Algorithm::Ok => {}
                // Each of the children is needed, however mild its problem.
                Algorithm::MostCriticalIfAll => {
                    wanted.push(Wanted { least: Severity::NotClassified, needs_weight: false });
                }
                Algorithm::MostCriticalOfAny => wanted.push(Wanted { least, needs_weight: false }),
            }
        }
        let rules = service.rules.iter();
        let rules = rules.filter(|it| it.status >= Some(least) && it.applies(&children));
        wanted.extend(rules.filter_map(StatusRule::wanted));
        for wanted in wanted {
            self.visit_children(id, wanted);
        }
    }

    fn visit_children(&mut self, id: usize, wanted: Wanted) {
        let tree = self.tree;
        for (child, seen) in tree.seen_children(id) {
            if seen.status < Some(wanted.least) || (wanted.needs_weight && seen.weight == 0) {
                continue;
            }
            self.visit(child, tree.services[child].propagation.before(wanted.least));
        }
    }
}

impl StatusRule {
    /// Children that make the rule apply. For "less than … or better" these are the worse ones.
    fn wanted(&self) -> Option<Wanted> {
        let limit = self.limit.map_or(-1, |it| i64::from(it.code()));
        let least = if self.is_less { limit + 1 } else { limit.max(0) };
        let needs_weight =
            matches!(self.measure, super::Measure::Weight | super::Measure::WeightPercent);
        Some(Wanted { least: Severity::from_code(least)?, needs_weight })
    }
}

impl Propagation {
    /// The least status of a child that passes on `passed` or worse.
    fn before(self, passed: Severity) -> Severity {
        let code = i64::from(passed.code());
        let own = match self {
            Self::AsIs => code,
            Self::Increase(by) => code - i64::from(by),
            Self::Decrease(by) if code > 0 => code + i64::from(by),
            Self::Decrease(_) | Self::Ignore | Self::Fixed(_) => 0,
        };
        Severity::from_code(own.clamp(0, 5)).unwrap_or(passed)
    }
}

#[cfg(test)]
mod tests {
    use Severity::{Average, High, Information, Warning};

    use super::super::Measure;
    use super::*;

    fn leaf(event: u64, severity: Severity) -> Service {
        Service { status: Some(severity), problems: vec![(event, severity)], ..Service::default() }
    }

    #[test]
    fn only_problems_that_a_rule_counts_explain_a_status() {
        let rule = StatusRule {
            measure: Measure::Count,
            is_less: false,
            limit: Some(Average),
            value: 1,
            status: Some(High),
        };
        let top = Service {
            status: Some(High),
            rules: vec![rule],
            children: vec![1, 2, 3],
            ..Service::default()
        };
        let mild = Service { propagation: Propagation::Decrease(2), ..leaf(12, High) };
        let services = vec![top, leaf(10, Average), leaf(11, Warning), mild];
        assert_eq!(Tree { services }.root_cause(0), [10]);
    }

    #[test]
    fn circles_end() {
        let circle = Service {
            algorithm: Algorithm::MostCriticalOfAny,
            children: vec![0, 7],
            ..leaf(1, Information)
        };
        assert_eq!(Tree { services: vec![circle] }.root_cause(0), [1]);
    }
}
