//! The status of all services as it is, following problems and configuration change by change.
//!
//! A change marks the affected services as due; [`Live::evaluate_due`] evaluates them from the leaves up,
//! each once, and only as far up as a status changes. A service knows its children as numbers ([`Children`]),
//! so that one of ten thousand costs it no more than one of two.

use std::collections::{BTreeMap, BTreeSet};

use model::content::{self, ServiceProblemTag, ServiceTagOperator, Severity, Tag};
use model::map::{Map, Set};

use super::{Algorithm, Child, Children, Propagation, Service, Status, StatusRule, Tree, status};

/// A service, as its status needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceDefinition {
    /// The computation from the children.
    pub algorithm: Algorithm,
    /// Additional rules.
    pub rules: Vec<StatusRule>,
    /// The status that its parents get.
    pub propagation: Propagation,
    /// Its weight in rules of its parents.
    pub weight: u32,
    /// A problem that fulfils all of these is its own. Without any, none is.
    pub problem_tags: Vec<ServiceProblemTag>,
    /// Ids.
    pub parents: Vec<u64>,
}

impl From<&content::Service> for ServiceDefinition {
    fn from(service: &content::Service) -> Self {
        Self {
            algorithm: service.algorithm.into(),
            rules: service.status_rules.iter().map(StatusRule::from).collect(),
            propagation: service.into(),
            weight: u32::try_from(service.weight).unwrap_or(0),
            problem_tags: service.problem_tags.clone(),
            parents: service.parents.iter().map(|it| it.serviceid).collect(),
        }
    }
}

/// An open problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemState {
    /// As it is now.
    pub severity: Severity,
    /// False while it is suppressed: services don't see it then.
    pub counts: bool,
}

/// A service has another status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusChange {
    /// The service.
    pub service: u64,
    /// The previous status.
    pub from: Status,
    /// The new status.
    pub to: Status,
}

#[derive(Debug, Default)]
struct Node {
    definition: ServiceDefinition,
    /// More than that of any child.
    height: usize,
    children: Children,
    /// All that its tags pick, also those that do not count.
    problems: BTreeSet<u64>,
    /// Of those that count, by severity.
    counted: [u32; 6],
    status: Status,
}

#[derive(Debug)]
struct Problem<T> {
    state: ProblemState,
    tags: T,
    services: Vec<u64>,
}

/// Ids by the name and the value of a tag.
type ByTag<I> = Map<String, BTreeMap<String, Set<I>>>;

/// All services with the open problems. `T` gives the tags of a problem.
#[derive(Debug)]
pub struct Live<T> {
    nodes: Map<u64, Node>,
    /// Ids by parent, also of parents that do not exist yet.
    children: Map<u64, BTreeSet<u64>>,
    problems: Map<u64, Problem<T>>,
    /// Of problems.
    by_tag: ByTag<u64>,
    /// Services by one of their conditions, by operator: the others are checked where that one holds.
    equal: ByTag<u64>,
    like: ByTag<u64>,
    /// By height.
    due: BTreeSet<(usize, u64)>,
}

impl<T> Default for Live<T> {
    fn default() -> Self {
        Self {
            nodes: Map::default(),
            children: Map::default(),
            problems: Map::default(),
            by_tag: ByTag::default(),
            equal: ByTag::default(),
            like: ByTag::default(),
            due: BTreeSet::new(),
        }
    }
}

fn insert(index: &mut ByTag<u64>, tag: &str, value: &str, id: u64) {
    let values = index.entry_ref(tag).or_default();
    match values.get_mut(value) {
        Some(ids) => {
            ids.insert(id);
        }
        None => {
            values.insert(value.to_owned(), [id].into_iter().collect());
        }
    }
}

fn remove(index: &mut ByTag<u64>, tag: &str, value: &str, id: u64) {
    let Some(values) = index.get_mut(tag) else { return };
    let Some(ids) = values.get_mut(value) else { return };
    ids.remove(&id);
    if ids.is_empty() {
        values.remove(value);
    }
    if values.is_empty() {
        index.remove(tag);
    }
}

fn holds(condition: &ServiceProblemTag, tags: &[Tag]) -> bool {
    tags.iter().filter(|it| it.tag == condition.tag).any(|it| match condition.operator {
        ServiceTagOperator::Equal => it.value == condition.value,
        ServiceTagOperator::Like => it.value.contains(&condition.value),
    })
}

/// The condition that a service is found by: the most selective kind.
fn key(conditions: &[ServiceProblemTag]) -> Option<&ServiceProblemTag> {
    let is_equal = |it: &&ServiceProblemTag| it.operator == ServiceTagOperator::Equal;
    conditions.iter().find(is_equal).or(conditions.first())
}

impl Node {
    fn passed(&self) -> Option<Child> {
        let status = self.definition.propagation.apply(self.status)?;
        Some(Child { status, weight: self.definition.weight })
    }

    fn evaluated(&self, has_children: bool) -> Status {
        let own = self.counted.iter().rposition(|it| *it != 0);
        let own = own.and_then(|it| Severity::from_code(i64::try_from(it).ok()?));
        if !has_children {
            return own;
        }
        status(self.definition.algorithm, &self.definition.rules, &self.children).max(own)
    }

    fn count(&mut self, state: ProblemState, is_more: bool) {
        if !state.counts {
            return;
        }
        let count = &mut self.counted[usize::from(state.severity.code().unsigned_abs())];
        *count = if is_more { *count + 1 } else { count.saturating_sub(1) };
    }
}

impl<T: AsRef<[Tag]>> Live<T> {
    /// The status of a service as of the last [`Self::evaluate_due`]; OK if it is not there.
    #[must_use]
    pub fn status(&self, service: u64) -> Status {
        self.nodes.get(&service).and_then(|it| it.status)
    }

    /// Open problems that are known.
    #[must_use]
    pub fn problems(&self) -> Vec<u64> {
        self.problems.keys().copied().collect()
    }

    /// Creates, changes or (`None`) removes services. All of one change of the configuration together: in
    /// between, a service could be its own ancestor.
    pub fn put_services(&mut self, services: Vec<(u64, Option<ServiceDefinition>)>) {
        for (id, _) in &services {
            self.detach(*id);
        }
        for (id, definition) in services {
            match definition {
                Some(definition) => self.attach(id, definition),
                None => self.forget(id),
            }
        }
    }

    /// Takes a service off its parents.
    fn detach(&mut self, id: u64) {
        let Some(node) = self.nodes.get(&id) else { return };
        let passed = node.passed();
        for parent in node.definition.parents.clone() {
            if let Some(children) = self.children.get_mut(&parent) {
                children.remove(&id);
                if children.is_empty() {
                    self.children.remove(&parent);
                }
            }
            if let Some(parent_node) = self.nodes.get_mut(&parent) {
                if let Some(passed) = passed {
                    parent_node.children.remove(passed);
                }
                self.due.insert((parent_node.height, parent));
            }
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            node.definition.parents.clear();
        }
    }

    fn attach(&mut self, id: u64, definition: ServiceDefinition) {
        let is_new = !self.nodes.contains_key(&id);
        if is_new {
            let ids = self.children.get(&id).into_iter().flatten();
            let known: Vec<&Node> = ids.filter_map(|it| self.nodes.get(it)).collect();
            let node = Node {
                children: known.iter().filter_map(|it| it.passed()).collect(),
                height: known.iter().map(|it| it.height + 1).max().unwrap_or(0),
                ..Node::default()
            };
            self.nodes.insert(id, node);
        }
        let parents = definition.parents.clone();
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let old = std::mem::replace(&mut node.definition, definition);
        let (height, passed) = (node.height, node.passed());
        self.due.insert((height, id));
        if old.problem_tags != self.nodes[&id].definition.problem_tags {
            self.drop_problems(id, &old.problem_tags);
            self.take_problems(id);
        }
        for parent in parents {
            self.children.entry(parent).or_default().insert(id);
            if let Some(parent_node) = self.nodes.get_mut(&parent) {
                if let Some(passed) = passed {
                    parent_node.children.add(passed);
                }
                self.due.insert((parent_node.height, parent));
                self.raise(parent, height + 1);
            }
        }
    }

    fn forget(&mut self, id: u64) {
        let Some(node) = self.nodes.get(&id) else { return };
        let (conditions, height) = (node.definition.problem_tags.clone(), node.height);
        self.drop_problems(id, &conditions);
        self.due.remove(&(height, id));
        self.nodes.remove(&id);
    }

    /// The height of a service is above that of all its children.
    fn raise(&mut self, id: u64, least: usize) {
        let mut open = vec![(id, least)];
        while let Some((id, least)) = open.pop() {
            let n_max = self.nodes.len();
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            // A circle, which the editor does not let happen, ends here.
            if least <= node.height || n_max < least {
                continue;
            }
            if self.due.remove(&(node.height, id)) {
                self.due.insert((least, id));
            }
            node.height = least;
            open.extend(node.definition.parents.iter().map(|it| (*it, least + 1)));
        }
    }

    /// The service loses its problems.
    fn drop_problems(&mut self, id: u64, conditions: &[ServiceProblemTag]) {
        if let Some(key) = key(conditions) {
            let index = match key.operator {
                ServiceTagOperator::Equal => &mut self.equal,
                ServiceTagOperator::Like => &mut self.like,
            };
            remove(index, &key.tag, &key.value, id);
        }
        let Some(node) = self.nodes.get_mut(&id) else { return };
        node.counted = [0; 6];
        for problem in std::mem::take(&mut node.problems) {
            if let Some(problem) = self.problems.get_mut(&problem) {
                problem.services.retain(|it| *it != id);
            }
        }
    }

    /// The service gets the problems that its conditions pick.
    fn take_problems(&mut self, id: u64) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let conditions = node.definition.problem_tags.clone();
        let Some(key) = key(&conditions) else { return };
        let is_equal = key.operator == ServiceTagOperator::Equal;
        let index = if is_equal { &mut self.equal } else { &mut self.like };
        insert(index, &key.tag, &key.value, id);
        let Some(values) = self.by_tag.get(&key.tag) else { return };
        let picked: BTreeSet<u64> = if is_equal {
            values.get(&key.value).into_iter().flatten().copied().collect()
        } else {
            let like = values.iter().filter(|(value, _)| value.contains(&key.value));
            like.flat_map(|(_, ids)| ids).copied().collect()
        };
        for found in picked {
            let Some(problem) = self.problems.get_mut(&found) else { continue };
            if conditions.iter().all(|it| holds(it, problem.tags.as_ref())) {
                problem.services.push(id);
                node.problems.insert(found);
                node.count(problem.state, true);
            }
        }
    }

    /// Opens a problem or changes its state. The tags of a known one stay.
    pub fn put_problem(&mut self, id: u64, state: ProblemState, tags: T) {
        if let Some(problem) = self.problems.get_mut(&id) {
            let old = std::mem::replace(&mut problem.state, state);
            if old == state {
                return;
            }
            for service in &problem.services {
                if let Some(node) = self.nodes.get_mut(service) {
                    node.count(old, false);
                    node.count(state, true);
                    self.due.insert((node.height, *service));
                }
            }
            return;
        }
        let list = tags.as_ref();
        for it in list {
            insert(&mut self.by_tag, &it.tag, &it.value, id);
        }
        let services = self.services_of(list);
        for service in &services {
            if let Some(node) = self.nodes.get_mut(service) {
                node.problems.insert(id);
                node.count(state, true);
                self.due.insert((node.height, *service));
            }
        }
        self.problems.insert(id, Problem { state, tags, services });
    }

    /// A problem is resolved or deleted.
    pub fn remove_problem(&mut self, id: u64) {
        let Some(problem) = self.problems.remove(&id) else { return };
        for it in problem.tags.as_ref() {
            remove(&mut self.by_tag, &it.tag, &it.value, id);
        }
        for service in problem.services {
            if let Some(node) = self.nodes.get_mut(&service) {
                node.problems.remove(&id);
                node.count(problem.state, false);
                self.due.insert((node.height, service));
            }
        }
    }

    /// Whether a problem is known and open.
    #[must_use]
    pub fn has_problem(&self, id: u64) -> bool {
        self.problems.contains_key(&id)
    }

    /// Services whose conditions all hold for these tags.
    fn services_of(&self, tags: &[Tag]) -> Vec<u64> {
        let mut candidates = BTreeSet::new();
        for it in tags {
            if let Some(values) = self.equal.get(&it.tag) {
                candidates.extend(values.get(&it.value).into_iter().flatten());
            }
            if let Some(values) = self.like.get(&it.tag) {
                let like = values.iter().filter(|(value, _)| it.value.contains(value.as_str()));
                candidates.extend(like.flat_map(|(_, ids)| ids));
            }
        }
        let fits = |id: &u64| {
            let conditions = self.nodes.get(id).map(|it| &it.definition.problem_tags);
            conditions.is_some_and(|it| it.iter().all(|it| holds(it, tags)))
        };
        candidates.into_iter().filter(fits).collect()
    }

    /// Evaluates the services with changes, and returns those whose status changed, each child before its
    /// parents.
    pub fn evaluate_due(&mut self) -> Vec<StatusChange> {
        let mut changes = Vec::new();
        while let Some((_, id)) = self.due.pop_first() {
            let has_children = self.children.contains_key(&id);
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            let status = node.evaluated(has_children);
            if status == node.status {
                continue;
            }
            let before = node.passed();
            let from = std::mem::replace(&mut node.status, status);
            let after = node.passed();
            changes.push(StatusChange { service: id, from, to: status });
            if before == after {
                continue;
            }
            for parent in node.definition.parents.clone() {
                let Some(node) = self.nodes.get_mut(&parent) else { continue };
                if let Some(before) = before {
                    node.children.remove(before);
                }
                if let Some(after) = after {
                    node.children.add(after);
                }
                self.due.insert((node.height, parent));
            }
        }
        changes
    }

    /// The problems that explain the status of a service, with their severities, by id.
    #[must_use]
    pub fn root_cause(&self, service: u64) -> Vec<(u64, Severity)> {
        if self.status(service).is_none() {
            return Vec::new();
        }
        let tree = self.tree_below(service);
        let causes = tree.root_cause(0).into_iter();
        causes.filter_map(|it| Some((it, self.problems.get(&it)?.state.severity))).collect()
    }

    /// The service at position 0, and its descendants as far as they are not OK.
    fn tree_below(&self, service: u64) -> Tree {
        let mut places: Map<u64, usize> = Map::default();
        let mut ids = vec![service];
        places.insert(service, 0);
        let mut at = 0;
        while let Some(id) = ids.get(at).copied() {
            at += 1;
            if self.status(id).is_none() {
                continue;
            }
            for child in self.children.get(&id).into_iter().flatten() {
                if !places.contains_key(child) {
                    places.insert(*child, ids.len());
                    ids.push(*child);
                }
            }
        }
        Tree { services: ids.iter().map(|it| self.described(*it, &places)).collect() }
    }

    fn described(&self, id: u64, places: &Map<u64, usize>) -> Service {
        let Some(node) = self.nodes.get(&id) else { return Service::default() };
        let children = if node.status.is_some() { self.children.get(&id) } else { None };
        let problem = |it: &u64| {
            let state = self.problems.get(it)?.state;
            state.counts.then_some((*it, state.severity))
        };
        Service {
            status: node.status,
            algorithm: node.definition.algorithm,
            rules: node.definition.rules.clone(),
            propagation: node.definition.propagation,
            weight: node.definition.weight,
            children: children
                .into_iter()
                .flatten()
                .filter_map(|it| places.get(it).copied())
                .collect(),
            problems: node.problems.iter().filter_map(problem).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
