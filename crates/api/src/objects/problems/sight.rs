//! Who may see the triggers, items and rules of problems, kept from call to call: to find the hosts of
//! an object costs a microsecond, and there may be 100,000 of them.
//!
//! Objects whose hosts lie in the same groups share an *audience*; whether somebody belongs to one is
//! found out once a call. What is kept holds for one epoch of the configuration. With another one,
//! what changed is found by the hosts: the object of a host that is the same as before is the same, too.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use db::ReadScope;
use db::events::{Facts, Piece, object};
use model::map::{Map, Set};
use model::snapshot::{HolderKind, Host, Snapshot};
use model::{GroupId, HostId, ItemId, TriggerId};

use super::event;
use crate::objects::common::refs::Refs;
use crate::shared::Ctx;

/// The groups of each host.
type HostGroups = Vec<Vec<GroupId>>;

/// With more audiences everything is found out anew: most of them are nobody's any more.
const AUDIENCES_MAX: usize = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sight {
    Unknown,
    /// There is no such object.
    Gone,
    /// It is there, and only super admins see it.
    Hidden,
    /// Whoever may read its hosts.
    Audience(u32),
    /// To be asked each time.
    Ask,
}

/// What is known of an object.
#[derive(Clone, Copy, Debug)]
struct Seen {
    objectid: u64,
    /// None: it may depend on more hosts than one.
    host: HostId,
    object: u8,
    sight: Sight,
}

const UNSEEN: Seen = Seen { objectid: 0, host: HostId::NONE, object: 0, sight: Sight::Unknown };

/// Kept from call to call.
#[derive(Default)]
pub(crate) struct Sights(Mutex<State>);

impl fmt::Debug for Sights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sights").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    epoch: u64,
    /// Grows when audiences are numbered anew.
    generation: u64,
    /// By the number that problems have of their object.
    objects: Vec<Seen>,
    audiences: Map<HostGroups, u32>,
    by_number: Vec<HostGroups>,
    /// The hosts that objects are of, as they were when that was looked at. They are let go with the
    /// configuration that they are of; the weak end tells another one from the same.
    hosts: Map<HostId, Weak<Host>>,
}

/// Somebody who looks at problems.
pub(super) struct Viewer<'a> {
    ctx: &'a Ctx,
    scope: ReadScope,
    generation: u64,
    /// By audience.
    admitted: Vec<Option<bool>>,
}

impl<'a> Viewer<'a> {
    pub(super) fn new(ctx: &'a Ctx) -> Self {
        let scope = ctx.rights.read_scope();
        Self { ctx, scope, generation: 0, admitted: Vec::new() }
    }

    /// Keeps the rows of a piece whose objects are there and may be seen.
    pub(super) fn retain(&mut self, piece: &Piece, rows: &mut Vec<usize>) {
        let ctx = self.ctx;
        let mut state = ctx.shared.sights.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.follow(&ctx.snapshot);
        rows.retain(|at| {
            let Some(facts) = piece.facts().get(*at) else { return false };
            match state.of(facts, &ctx.snapshot) {
                Sight::Gone => false,
                Sight::Unknown | Sight::Ask => piece.problem(*at).is_some_and(|it| {
                    event::has_object(ctx, &it.event) && event::is_visible(ctx, &it.event)
                }),
                _ if self.scope == ReadScope::All => true,
                Sight::Hidden => false,
                Sight::Audience(number) => self.belongs_to(&state, number),
            }
        });
    }

    fn belongs_to(&mut self, state: &State, number: u32) -> bool {
        if self.generation != state.generation {
            self.generation = state.generation;
            self.admitted.clear();
        }
        let Ok(at) = usize::try_from(number) else { return false };
        let Some(groups) = state.by_number.get(at) else { return false };
        if self.admitted.len() <= at {
            self.admitted.resize(at + 1, None);
        }
        let scope = &self.scope;
        let admits = || groups.iter().all(|it| scope.admits(it));
        self.admitted.get_mut(at).is_some_and(|it| *it.get_or_insert_with(admits))
    }
}

impl State {
    /// Forgets what another configuration may have changed.
    fn follow(&mut self, snapshot: &Snapshot) {
        if self.epoch == snapshot.epoch {
            return;
        }
        self.epoch = snapshot.epoch;
        if AUDIENCES_MAX < self.by_number.len() {
            *self = Self {
                epoch: self.epoch,
                generation: self.generation + 1,
                ..Self::default()
            };
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
                seen.sight = Sight::Unknown;
            }
        }
    }

    fn of(&mut self, facts: &Facts, snapshot: &Snapshot) -> Sight {
        let Ok(at) = usize::try_from(facts.object_number) else { return Sight::Ask };
        if self.objects.len() <= at {
            self.objects.resize(at + 1, UNSEEN);
        }
        if let Some(seen) = self.objects.get(at)
            && (seen.object, seen.objectid) == (facts.object, facts.objectid)
            && seen.sight != Sight::Unknown
        {
            return seen.sight;
        }
        let (host, sight) = self.look(facts, snapshot);
        if let Some(seen) = self.objects.get_mut(at) {
            *seen = Seen { objectid: facts.objectid, host, object: facts.object, sight };
        }
        sight
    }

    /// The host of an object, if it is one, and who may see it.
    fn look(&mut self, facts: &Facts, snapshot: &Snapshot) -> (HostId, Sight) {
        let (holder, hosts, is_live) = match facts.object {
            object::TRIGGER => match snapshot.trigger(TriggerId(facts.objectid)) {
                Some((holder, row)) => {
                    (holder, Refs::new(snapshot).hosts(holder, row), row.is_live())
                }
                None => return (HostId::NONE, Sight::Gone),
            },
            object::ITEM | object::RULE => match snapshot.item(ItemId(facts.objectid)) {
                Some((holder, _)) => (holder, vec![holder], true),
                None => return (HostId::NONE, Sight::Gone),
            },
            _ => return (HostId::NONE, Sight::Ask),
        };
        if hosts.iter().any(|it| it.kind == HolderKind::Template) {
            return (HostId::NONE, Sight::Ask);
        }
        let sight = if is_live { Sight::Audience(self.audience(&hosts)) } else { Sight::Hidden };
        if hosts.len() != 1 {
            return (HostId::NONE, sight);
        }
        self.hosts.entry(holder.id).or_insert_with(|| Arc::downgrade(holder));
        (holder.id, sight)
    }

    fn audience(&mut self, hosts: &[&Arc<Host>]) -> u32 {
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
