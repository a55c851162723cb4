//! The visibility of the triggers, items and rules of problems, kept from call to call: finding the hosts of
//! an object costs a microsecond, and there may be 100,000 of them.
//!
//! Objects whose hosts are in the same groups share an *audience*; whether a user belongs to one is computed
//! once a call. The cache is of one epoch of the configuration. With another one, changed objects are found
//! by their hosts: the object of a host that is the same as before is the same, too.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use db::events::{ProblemFacts, object};
use model::map::{Map, Set};
use model::snapshot::{HolderKind, Host, Snapshot};
use model::{GroupId, HostId, ItemId, TriggerId};

use crate::objects::common::refs::Refs;

/// The groups of each host.
pub(crate) type HostGroups = Vec<Vec<GroupId>>;

/// With more audiences all are computed again: most of them are no longer used. Bounds the memory of the
/// cache.
const AUDIENCES_MAX: usize = 100_000;

/// The visibility of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Visibility {
    Unknown,
    /// There is no such object.
    Gone,
    /// It is there, and only super admins see it.
    Hidden,
    /// Users who may read its hosts.
    Audience(u32),
    /// To be asked each time.
    Ask,
}

/// The cached visibility of an object.
#[derive(Clone, Copy, Debug)]
struct Seen {
    objectid: u64,
    /// None: it may depend on more hosts than one.
    host: HostId,
    object: u8,
    visibility: Visibility,
}

const UNSEEN: Seen =
    Seen { objectid: 0, host: HostId::NONE, object: 0, visibility: Visibility::Unknown };

/// Kept from call to call.
#[derive(Default)]
pub(crate) struct VisibilityCache(Mutex<ObjectVisibility>);

impl VisibilityCache {
    /// The cache, without entries that differ by this configuration.
    pub(crate) fn by(&self, snapshot: &Snapshot) -> MutexGuard<'_, ObjectVisibility> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.follow(snapshot);
        known
    }
}

impl fmt::Debug for VisibilityCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VisibilityCache").finish_non_exhaustive()
    }
}

#[derive(Default)]
pub(crate) struct ObjectVisibility {
    epoch: u64,
    /// Grows when audiences are numbered again from 0.
    pub(crate) generation: u64,
    /// By the number that problems have of their object.
    objects: Vec<Seen>,
    audiences: Map<HostGroups, u32>,
    by_number: Vec<HostGroups>,
    /// The hosts of objects, as they were when these were computed. They are dropped with their
    /// configuration; the weak pointer distinguishes a changed host from the same one.
    hosts: Map<HostId, Weak<Host>>,
}

impl ObjectVisibility {
    /// The groups of the hosts of an audience.
    pub(crate) fn audience(&self, number: u32) -> Option<&HostGroups> {
        self.by_number.get(usize::try_from(number).ok()?)
    }

    /// Drops entries that another configuration may have changed.
    fn follow(&mut self, snapshot: &Snapshot) {
        if self.epoch == snapshot.epoch {
            return;
        }
        self.epoch = snapshot.epoch;
        if AUDIENCES_MAX < self.by_number.len() {
            *self = Self { epoch: self.epoch, generation: self.generation + 1, ..Self::default() };
        }
        let is_same = |id: &HostId, known: &Weak<Host>| {
            snapshot.holder(*id).is_some_and(|it| std::ptr::eq(Arc::as_ptr(it), known.as_ptr()))
        };
        let mut changed = Set::default();
        self.hosts.retain(|id, known| {
            let is_same = is_same(id, known);
            if !is_same {
                changed.insert(*id);
            }
            is_same
        });
        for seen in &mut self.objects {
            if seen.host.is_none() || changed.contains(&seen.host) {
                seen.visibility = Visibility::Unknown;
            }
        }
    }

    /// The visibility of the object of a problem; never [`Visibility::Unknown`].
    pub(crate) fn of(&mut self, facts: &ProblemFacts, snapshot: &Snapshot) -> Visibility {
        let Ok(at) = usize::try_from(facts.object_number) else { return Visibility::Ask };
        if self.objects.len() <= at {
            self.objects.resize(at + 1, UNSEEN);
        }
        if let Some(seen) = self.objects.get(at)
            && (seen.object, seen.objectid) == (facts.object, facts.objectid)
            && seen.visibility != Visibility::Unknown
        {
            return seen.visibility;
        }
        let (host, visibility) = self.look(facts, snapshot);
        if let Some(seen) = self.objects.get_mut(at) {
            *seen = Seen { objectid: facts.objectid, host, object: facts.object, visibility };
        }
        visibility
    }

    /// The host of an object, if it is one, and the object's visibility.
    fn look(&mut self, facts: &ProblemFacts, snapshot: &Snapshot) -> (HostId, Visibility) {
        let (holder, hosts, is_live) = match facts.object {
            object::TRIGGER => match snapshot.trigger(TriggerId(facts.objectid)) {
                Some((holder, row)) => {
                    (holder, Refs::new(snapshot).hosts(holder, row), row.is_live())
                }
                None => return (HostId::NONE, Visibility::Gone),
            },
            object::ITEM | object::RULE => match snapshot.item(ItemId(facts.objectid)) {
                Some((holder, _)) => (holder, vec![holder], true),
                None => return (HostId::NONE, Visibility::Gone),
            },
            _ => return (HostId::NONE, Visibility::Ask),
        };
        if hosts.iter().any(|it| it.kind == HolderKind::Template) {
            return (HostId::NONE, Visibility::Ask);
        }
        let visibility =
            if is_live { Visibility::Audience(self.number_of(&hosts)) } else { Visibility::Hidden };
        if hosts.len() != 1 {
            return (HostId::NONE, visibility);
        }
        self.hosts.entry(holder.id).or_insert_with(|| Arc::downgrade(holder));
        (holder.id, visibility)
    }

    fn number_of(&mut self, hosts: &[&Arc<Host>]) -> u32 {
        let mut groups: HostGroups = hosts.iter().map(|it| it.groups.to_vec()).collect();
        groups.sort_unstable();
        groups.dedup();
        if let Some(number) = self.audiences.get(&groups) {
            return *number;
        }
        let number = u32::try_from(self.by_number.len()).unwrap_or(u32::MAX);
        self.by_number.push(groups.clone());
        self.audiences.insert(groups, number);
        number
    }
}
