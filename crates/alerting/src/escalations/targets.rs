//! Where commands of actions are executed.

use std::collections::BTreeMap;

use alert::EventSource;
use alert::operation::CommandOperation;
use db::EventRow;
use model::HostId;
use model::snapshot::{Host, Snapshot};

use super::hosts::FoundHost;

/// One place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CommandPlace {
    /// `NONE`: the host that is made of the event, which may not be there yet; of services none.
    pub(super) host: HostId,
    /// Technical name; empty of services.
    pub(super) name: String,
    /// Why nothing is executed there; "" if something is.
    pub(super) error: &'static str,
}

impl CommandPlace {
    fn on(host: &Host) -> Self {
        Self { host: host.id, name: host.host.to_string(), error: "" }
    }
}

/// All places of an operation, each once: hosts of groups and of groups below them, named hosts, and the one of the
/// event. Disabled hosts are left out.
pub(super) fn places(
    snapshot: &Snapshot,
    event: &EventRow,
    found: Option<&FoundHost>,
    what: &CommandOperation,
) -> Vec<CommandPlace> {
    if event.source == EventSource::Service.code() {
        return vec![CommandPlace { host: HostId::NONE, name: String::new(), error: "" }];
    }
    let mut by_id: BTreeMap<HostId, CommandPlace> = BTreeMap::new();
    let mut add = |host: &Host| {
        if host.is_monitored() {
            by_id.insert(host.id, CommandPlace::on(host));
        }
    };
    if !what.groups.is_empty() {
        let of_groups = |it: &Host| what.groups.iter().any(|of| snapshot.is_in_group(it, *of));
        snapshot.hosts.values().filter(|it| of_groups(it)).for_each(|it| add(it));
    }
    what.hosts.iter().filter_map(|it| snapshot.hosts.get(it)).for_each(|it| add(it));
    let mut current = None;
    if what.is_on_current {
        match (found, event.hosts.as_slice()) {
            (Some(it), _) => {
                let host = it.in_snapshot(snapshot);
                let name = host.map_or_else(|| it.host.clone(), |it| it.host.to_string());
                let place = CommandPlace { host: HostId::NONE, name, error: "" };
                current = Some(place);
            }
            (None, [one]) => snapshot.hosts.get(one).into_iter().for_each(|it| add(it)),
            // As in Zabbix: the name is ambiguous.
            (None, [_, _, ..]) => {
                current = Some(CommandPlace {
                    host: HostId::NONE,
                    name: String::new(),
                    error: "Too many hosts in a trigger expression",
                });
            }
            (None, []) => {}
        }
    }
    // The host of a registration may be named as well.
    let is_twice = |place: &CommandPlace| {
        place.error.is_empty() && by_id.values().any(|it| it.name == place.name)
    };
    let current = current.filter(|it| !is_twice(it));
    current.into_iter().chain(by_id.clone().into_values()).collect()
}
