//! Parents of hosts, and their effect on problems.
//!
//! A host may name its *parents*: the devices by which it is reached. A host is *down* while it has an
//! open unreachability problem: one of a trigger that reads, of this host, an item which shows
//! whether the host answers ([`shows_reachability`]). While all parents of a host are down, its own
//! unreachability problems are symptoms of theirs: of the oldest problem at the root of the tree
//! that is down.
//!
//! It follows from the configuration and from open problems, so nothing of it is stored while a
//! problem is open; a rank set by users comes first. See [`crate::runtime::events`].

use std::sync::Arc;

use model::key::ItemKey;
use model::map::{Map, Set};
use model::snapshot::{Delta, Host, Snapshot};
use model::{HostId, TriggerId};

use crate::runtime::events::EventRow;

/// The most levels of ancestors that are searched; the editor refuses cycles.
pub(crate) const LEVELS_MAX: usize = 64;

/// Parents and children of hosts.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    snapshot: Arc<Snapshot>,
    parents: Map<HostId, Vec<HostId>>,
    children: Map<HostId, Vec<HostId>>,
}

impl Topology {
    /// That of a configuration.
    #[must_use]
    pub fn of(snapshot: &Arc<Snapshot>) -> Self {
        let mut topology = Self { snapshot: Arc::clone(snapshot), ..Self::default() };
        for host in snapshot.hosts.values().filter(|it| !it.parents.is_empty()) {
            topology.parents.insert(host.id, host.parents.clone());
            for parent in &host.parents {
                topology.children.entry(*parent).or_default().push(host.id);
            }
        }
        topology
    }

    /// That of the configuration which it was made of.
    pub(crate) fn epoch(&self) -> u64 {
        self.snapshot.epoch
    }

    /// Whether a host has a parent or a child.
    pub(crate) fn has(&self, host: HostId) -> bool {
        self.parents.contains_key(&host) || self.children.contains_key(&host)
    }

    /// Whether it, or what it says of problems, can be another one after a change of the configuration.
    #[must_use]
    pub fn depends_on(&self, snapshot: &Snapshot, delta: &Delta) -> bool {
        let has_parents =
            |it: &HostId| snapshot.hosts.get(it).is_some_and(|it| !it.parents.is_empty());
        delta.hosts_changed.iter().any(|it| self.has(*it) || has_parents(it))
            || delta.hosts_removed.iter().any(|it| self.has(*it))
    }

    /// The parents of a host; none is empty.
    pub(crate) fn parents_of(&self, host: HostId) -> &[HostId] {
        self.parents.get(&host).map(Vec::as_slice).unwrap_or_default()
    }

    /// The hosts of which a host is a parent.
    #[must_use]
    pub fn children_of(&self, host: HostId) -> &[HostId] {
        self.children.get(&host).map(Vec::as_slice).unwrap_or_default()
    }

    /// The hosts with all their descendants, each once.
    pub(crate) fn with_descendants(&self, hosts: Vec<HostId>) -> Vec<HostId> {
        let mut seen: Set<HostId> = hosts.iter().copied().collect();
        let mut all: Vec<HostId> = seen.iter().copied().collect();
        let mut at = 0;
        while let Some(host) = all.get(at).copied() {
            at += 1;
            for child in self.children.get(&host).into_iter().flatten() {
                if seen.insert(*child) {
                    all.push(*child);
                }
            }
        }
        all
    }

    /// The hosts with parents or children that an event says do not answer.
    pub(crate) fn unreachable_by(&self, event: &EventRow) -> Vec<HostId> {
        if !event.is_of_trigger() || !event.hosts.iter().any(|it| self.has(*it)) {
            return Vec::new();
        }
        let Some((holder, row)) = self.snapshot.trigger(TriggerId(event.objectid)) else {
            return Vec::new();
        };
        let mut hosts = Vec::new();
        for function in &row.content.functions {
            let Some((host, item)) = self.snapshot.item_by_ref(holder, function.item) else {
                continue;
            };
            if self.has(host.id) && !hosts.contains(&host.id) && shows_reachability(&item.key()) {
                hosts.push(host.id);
            }
        }
        hosts
    }
}

/// Whether an item of this key shows whether its host answers: `icmpping`, `agent.ping`, or
/// `zabbix[host,<type>,available]`, whatever their other parameters are.
#[must_use]
pub fn shows_reachability(key: &str) -> bool {
    let Ok(key) = ItemKey::parse(key) else { return false };
    match key.name.as_str() {
        "icmpping" | "agent.ping" => true,
        "zabbix" => key.param(0) == "host" && key.param(2) == "available",
        _ => false,
    }
}

/// The way from a host up to itself over the given parents, if there is one: `a → b → a`.
pub(crate) fn circle(snapshot: &Snapshot, start: &Host) -> Option<Vec<Arc<str>>> {
    // Each host with the one by which it was come to.
    let mut from: Map<HostId, HostId> = Map::default();
    let mut left: Vec<HostId> = vec![start.id];
    while let Some(id) = left.pop() {
        // The start has its parents to be, not those that it has.
        let known = snapshot.hosts.get(&id).map(Arc::as_ref);
        let Some(host) = (if id == start.id { Some(start) } else { known }) else { continue };
        for parent in &host.parents {
            if *parent == start.id {
                return way_back(snapshot, start, (id, &from));
            }
            if from.insert(*parent, id).is_none() {
                left.push(*parent);
            }
        }
    }
    None
}

/// The names from a host to itself: up to the last one by those by which each was come to.
fn way_back(
    snapshot: &Snapshot,
    start: &Host,
    (last, from): (HostId, &Map<HostId, HostId>),
) -> Option<Vec<Arc<str>>> {
    let mut way = vec![Arc::clone(&start.name)];
    let mut at = last;
    while at != start.id {
        let host = snapshot.hosts.get(&at);
        way.push(host.map_or_else(Arc::default, |it| Arc::clone(&it.name)));
        at = *from.get(&at)?;
    }
    way.push(Arc::clone(&start.name));
    way.reverse();
    Some(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reachability_items_count() {
        for key in [
            "icmpping",
            "icmpping[10.0.0.1,3]",
            "agent.ping",
            "zabbix[host,agent,available]",
            "zabbix[host,snmp,available]",
            "zabbix[host,active_agent,available]",
        ] {
            assert!(shows_reachability(key), "{key}");
        }
        for key in [
            "icmppingloss",
            "icmppingsec",
            "zabbix[host,,items]",
            "net.if.status[1]",
            "agent.pings",
            "[",
        ] {
            assert!(!shows_reachability(key), "{key}");
        }
    }
}
