//! Groups by name and UUID, gathered once in an edit: files name thousands of them.

use std::sync::Arc;

use model::content::Group;
use model::map::Map;
use model::snapshot::comparisons;

/// The groups of one kind. Some may have another name by now, so each that is found is looked at.
#[derive(Default)]
pub(super) struct GroupNames {
    pub(super) by_name: Map<Box<str>, u64>,
    pub(super) by_uuid: Map<Box<str>, u64>,
}

impl GroupNames {
    pub(super) fn of<'g>(groups: impl Iterator<Item = (u64, &'g Arc<Group>)>) -> Self {
        let mut known = Self::default();
        for (id, group) in groups {
            comparisons::count();
            known.note(id, group);
        }
        known
    }

    /// A group is there or has another name.
    pub(super) fn note(&mut self, id: u64, group: &Group) {
        self.by_name.insert(group.name.as_str().into(), id);
        if !group.uuid.is_empty() {
            self.by_uuid.insert(group.uuid.as_str().into(), id);
        }
    }
}
