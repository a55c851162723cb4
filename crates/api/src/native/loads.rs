//! Host groups and hosts with problems, the worst first: `GET /api/v1/overview/loads`.
//!
//! `{"hosts_total", "groups_total", "hosts": [{"hostid", "host", "counts", "unacknowledged", "since"}], "groups":
//! [{"groupid", "name", "counts", "hosts", "hosts_total"}]}`: how many there are, and the first of them. `counts` are
//! by severity, not classified first. Suppressed problems do not count, and symptoms only where their cause does
//! not. A host counts in each of its groups; of a group `hosts` are those with problems.
//!
//! Computed once for all users with the same permissions, and again when problems or the configuration have
//! changed.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use db::ReadScope;
use model::map::Map;
use model::snapshot::Snapshot;
use model::{GroupId, HostId};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::feed::index::HostLoad;

/// The most rows of each table: as many as a person reads. The worst ones are shown.
const SHOWN_MAX: usize = 50;

/// The last answer, and the state that it is of.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// Version of the problems, epoch of the configuration.
    known: Option<((u64, u64), Utf8Bytes)>,
}

impl Loads {
    pub(super) fn known(&self, as_of: (u64, u64)) -> Option<Utf8Bytes> {
        self.known.as_ref().filter(|it| it.0 == as_of).map(|it| it.1.clone())
    }

    pub(super) fn keep(
        &mut self,
        as_of: (u64, u64),
        loads: &Map<HostId, HostLoad>,
        (snapshot, scope): (&Snapshot, &ReadScope),
    ) -> Utf8Bytes {
        let text = Utf8Bytes::from(answer(loads, snapshot, scope).to_string());
        self.known = Some((as_of, text.clone()));
        text
    }
}

#[derive(Default)]
struct GroupLoad {
    counts: [u64; 6],
    hosts: u64,
    hosts_total: u64,
}

/// A row with the keys of its order.
struct Ranked<'a> {
    counts: [u64; 6],
    name: &'a str,
    row: Value,
}

fn answer(loads: &Map<HostId, HostLoad>, snapshot: &Snapshot, scope: &ReadScope) -> Value {
    let mut groups: BTreeMap<GroupId, GroupLoad> = BTreeMap::new();
    let mut hosts = Vec::with_capacity(loads.len());
    for (id, load) in loads {
        let Some(host) = snapshot.hosts.get(id) else { continue };
        for group in host.groups.iter().filter(|it| scope.admits(&[**it])) {
            let of_group = groups.entry(*group).or_default();
            of_group.hosts += 1;
            for (sum, it) in of_group.counts.iter_mut().zip(load.counts) {
                *sum += it;
            }
        }
        let HostLoad { counts, unacknowledged, since } = load;
        let row = json!({"hostid": id.to_string(), "host": &*host.name, "counts": counts,
            "unacknowledged": unacknowledged, "since": since});
        hosts.push(Ranked { counts: *counts, name: &host.name, row });
    }
    for host in snapshot.hosts.values().filter(|it| scope.admits(&it.groups)) {
        for group in &host.groups {
            if let Some(of_group) = groups.get_mut(group) {
                of_group.hosts_total += 1;
            }
        }
    }
    let of_groups = groups.iter().filter_map(|(id, load)| {
        let name = snapshot.host_groups.get(id)?.name.as_str();
        let GroupLoad { counts, hosts, hosts_total } = load;
        let row = json!({"groupid": id.to_string(), "name": name, "counts": counts,
            "hosts": hosts, "hosts_total": hosts_total});
        Some(Ranked { counts: *counts, name, row })
    });
    let of_groups: Vec<Ranked<'_>> = of_groups.collect();
    json!({
        "hosts_total": hosts.len(),
        "groups_total": of_groups.len(),
        "hosts": worst(hosts),
        "groups": worst(of_groups),
    })
}

/// The more of a worse severity, the earlier; then by name.
fn worse_first(a: &Ranked<'_>, b: &Ranked<'_>) -> Ordering {
    let by_counts = b.counts.iter().rev().cmp(a.counts.iter().rev());
    by_counts.then_with(|| a.name.cmp(b.name))
}

fn worst(mut all: Vec<Ranked<'_>>) -> Vec<Value> {
    if SHOWN_MAX < all.len() {
        all.select_nth_unstable_by(SHOWN_MAX, worse_first);
        all.truncate(SHOWN_MAX);
    }
    all.sort_by(worse_first);
    all.into_iter().map(|it| it.row).collect()
}
