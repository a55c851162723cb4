//! Business services and their parents.

use std::sync::Arc;

use imbl::{OrdMap, OrdSet};

use crate::content::Service;
use crate::map::Set;

/// All services of a snapshot. Copies share their common parts. No service is its own ancestor: the editor
/// ensures that.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Services {
    by_id: OrdMap<u64, Arc<Service>>,
    children: OrdMap<u64, OrdSet<u64>>,
}

impl Services {
    #[must_use]
    pub fn get(&self, id: u64) -> Option<&Arc<Service>> {
        self.by_id.get(&id)
    }

    /// All, by id.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Arc<Service>)> {
        self.by_id.iter().map(|(id, it)| (*id, it))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Ids of the children of a service, ascending.
    pub fn children(&self, id: u64) -> impl Iterator<Item = u64> {
        self.children.get(&id).into_iter().flatten().copied()
    }

    /// Ids of the parents of a service.
    pub fn parents(&self, id: u64) -> impl Iterator<Item = u64> {
        self.by_id.get(&id).into_iter().flat_map(|it| it.parents.iter()).map(|it| it.serviceid)
    }

    /// Adds a service, or replaces the one with its id.
    pub fn put(&mut self, id: u64, service: Arc<Service>) {
        self.leave_parents(id);
        for parent in &service.parents {
            self.children.entry(parent.serviceid).or_default().insert(id);
        }
        self.by_id.insert(id, service);
    }

    pub fn remove(&mut self, id: u64) {
        self.leave_parents(id);
        self.by_id.remove(&id);
    }

    fn leave_parents(&mut self, id: u64) {
        let parents: Vec<u64> = self.parents(id).collect();
        for parent in parents {
            let Some(children) = self.children.get_mut(&parent) else { continue };
            children.remove(&id);
            if children.is_empty() {
                self.children.remove(&parent);
            }
        }
    }

    /// The children of services, their children and so on; the services themselves only where they are
    /// among these.
    #[must_use]
    pub fn below(&self, ids: impl IntoIterator<Item = u64>) -> Set<u64> {
        let mut found = Set::default();
        let mut open: Vec<u64> = ids.into_iter().collect();
        while let Some(id) = open.pop() {
            for child in self.children(id) {
                if found.insert(child) {
                    open.push(child);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::ServiceRef;

    fn of(parents: &[u64]) -> Arc<Service> {
        let parents = parents.iter().map(|it| ServiceRef { serviceid: *it }).collect();
        Arc::new(Service { parents, ..Service::default() })
    }

    #[test]
    fn children_follow_from_parents() {
        let mut services = Services::default();
        services.put(2, of(&[1]));
        services.put(1, of(&[]));
        services.put(3, of(&[1, 2]));
        let children = |it: &Services, id| it.children(id).collect::<Vec<_>>();
        assert_eq!(children(&services, 1), [2, 3]);
        assert_eq!(children(&services, 2), [3]);
        let mut below: Vec<u64> = services.below([2]).into_iter().collect();
        below.sort_unstable();
        assert_eq!(below, [3]);
        services.put(3, of(&[2]));
        assert_eq!(children(&services, 1), [2]);
        services.remove(3);
        assert_eq!((children(&services, 2), services.len()), (vec![], 2));
    }
}
