//! Which hosts are down, and of which problem that makes another one a symptom.
//!
//! Pure: from opened and resolved problems it knows the unreachability problems of hosts with
//! parents or children. Its answers depend only on these, the topology, ranks set by users and the
//! clock: not on the order of problems, nor on former answers.
//!
//! Hosts below a parent answer again some time after it. So a host counts as down for [`GRACE_S`]
//! seconds more: a problem that outlives its cause by less is never a cause.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::map::Map;
use model::{EventId, HostId, Time};

use super::EventRow;
use crate::runtime::parents::{LEVELS_MAX, Topology};

/// After the end of the last problem of a host, in seconds: three checks, one each minute, and some
/// time for them.
pub(super) const GRACE_S: i64 = 300;

/// Unreachability problems of a host.
#[derive(Debug, Default)]
struct Down {
    open: BTreeSet<EventId>,
    /// Over for less than the grace.
    leaving: BTreeSet<EventId>,
}

#[derive(Debug, Default)]
pub(super) struct ByParents {
    topology: Arc<Topology>,
    /// Unreachability problems, with the hosts that do not answer.
    hosts_of: Map<EventId, Box<[HostId]>>,
    /// The same by host; never empty ones.
    down: Map<HostId, Down>,
    /// Resolved problems, by the second from which on they do not count.
    leaving: BTreeSet<(i64, EventId)>,
    /// Hosts of which something has changed.
    changed: Vec<HostId>,
    /// Problems of which users have said something else.
    ranked: Vec<EventId>,
}

/// The second from which on a problem resolved at a time does not count.
fn ends(time: Time) -> i64 {
    time.clock().saturating_add(GRACE_S)
}

impl ByParents {
    /// Takes over another topology, with all problems and the times of their ends.
    pub(super) fn set<'a>(
        &mut self,
        topology: Arc<Topology>,
        problems: impl Iterator<Item = (&'a EventRow, Option<Time>)>,
        now: Time,
    ) {
        // Problems ranked by the former one are checked as well.
        let before: Vec<EventId> = self.hosts_of.keys().copied().collect();
        *self = Self { topology, ranked: before, ..Self::default() };
        for (event, over) in problems {
            if over.is_none_or(|it| now.clock() < ends(it)) {
                self.opened(event);
                if let Some(time) = over {
                    self.over(event.eventid, time);
                }
            }
        }
    }

    /// A problem is open from now on.
    pub(super) fn opened(&mut self, event: &EventRow) {
        let hosts = self.topology.unreachable_by(event);
        if hosts.is_empty() {
            return;
        }
        for host in &hosts {
            self.down.entry(*host).or_default().open.insert(event.eventid);
        }
        self.changed.extend_from_slice(&hosts);
        self.hosts_of.insert(event.eventid, hosts.into());
    }

    /// A problem is resolved.
    pub(super) fn over(&mut self, id: EventId, time: Time) {
        let Some(hosts) = self.hosts_of.get(&id) else { return };
        for host in hosts {
            if let Some(down) = self.down.get_mut(host) {
                down.open.remove(&id);
                down.leaving.insert(id);
            }
        }
        self.leaving.insert((ends(time), id));
        self.changed.extend_from_slice(hosts);
    }

    /// Problems resolved for longer than the grace do not count any more.
    pub(super) fn leave(&mut self, now: Time) {
        while let Some((end, id)) = self.leaving.first().copied()
            && end <= now.clock()
        {
            self.leaving.pop_first();
            self.gone(id);
        }
    }

    /// There is no such problem any more.
    pub(super) fn gone(&mut self, id: EventId) {
        let Some(hosts) = self.hosts_of.remove(&id) else { return };
        for host in &hosts {
            if let Some(down) = self.down.get_mut(host) {
                down.open.remove(&id);
                down.leaving.remove(&id);
                if down.open.is_empty() && down.leaving.is_empty() {
                    self.down.remove(host);
                }
            }
        }
        self.changed.extend_from_slice(&hosts);
    }

    /// Users have said something of a problem.
    pub(super) fn look_at(&mut self, id: EventId) {
        self.ranked.push(id);
        if let Some(hosts) = self.hosts_of.get(&id) {
            self.changed.extend_from_slice(hosts);
        }
    }

    /// The open problems whose cause may be another one than when this was last asked, by id, each with the
    /// problem that it is a symptom of (0: none). `ranked`: the ranks that users set.
    pub(super) fn take_changed(
        &mut self,
        ranked: impl Fn(EventId) -> Option<EventId>,
    ) -> BTreeMap<EventId, EventId> {
        let mut found = BTreeMap::new();
        if self.changed.is_empty() && self.ranked.is_empty() {
            return found;
        }
        let hosts = self.topology.with_descendants(std::mem::take(&mut self.changed));
        let mut known = Map::default();
        let ids = hosts.iter().filter_map(|it| self.down.get(it)).flat_map(|it| &it.open).copied();
        for id in ids.chain(std::mem::take(&mut self.ranked)) {
            found.entry(id).or_insert_with(|| self.cause_of(id, &ranked, &mut known));
        }
        found
    }

    /// The problem that an unreachability problem is a symptom of because of the parents of its hosts.
    fn cause_of(
        &self,
        id: EventId,
        ranked: &impl Fn(EventId) -> Option<EventId>,
        known: &mut Map<HostId, EventId>,
    ) -> EventId {
        let Some(hosts) = self.hosts_of.get(&id) else { return EventId::NONE };
        let causes: Option<Vec<EventId>> = hosts
            .iter()
            .map(|it| Some(self.above(*it, ranked, known, 0)).filter(|it| it.is_some()))
            .collect();
        let cause = causes.and_then(|it| it.into_iter().min());
        cause.filter(|it| *it != id).unwrap_or_default()
    }

    /// The oldest root of what is down above a host: 0 unless all its parents are down.
    fn above(
        &self,
        host: HostId,
        ranked: &impl Fn(EventId) -> Option<EventId>,
        known: &mut Map<HostId, EventId>,
        level: usize,
    ) -> EventId {
        if let Some(it) = known.get(&host) {
            return *it;
        }
        if LEVELS_MAX <= level {
            return EventId::NONE;
        }
        let mut oldest: Option<EventId> = None;
        for parent in self.topology.parents_of(host) {
            // A resolved one stands for the host only without an open one.
            let first = self.down.get(parent).and_then(|it| it.open.first().or(it.leaving.last()));
            let Some(first) = first else {
                oldest = None;
                break;
            };
            let above = self.above(*parent, ranked, known, level + 1);
            let root = match ranked(*first) {
                Some(by_user) if by_user.is_some() => by_user,
                None if above.is_some() => above,
                _ => *first,
            };
            oldest = Some(oldest.map_or(root, |it| it.min(root)));
        }
        let cause = oldest.unwrap_or_default();
        known.insert(host, cause);
        cause
    }
}

#[cfg(test)]
mod tests;
