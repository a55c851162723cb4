//! Hosts with SNMP interfaces at an address, and items that take traps.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use model::HostId;
use model::content::{HostStatus, Interface, InterfaceType, ItemStatus, ItemType, SnmpDetails};
use model::map::Map;
use model::snapshot::{Delta, Host, ItemRow, Snapshot};

use crate::resolve::{Context, Resolver};

pub(super) struct TrapHosts {
    resolver: Arc<Resolver>,
    index: Mutex<Index>,
    /// The names of interfaces that resolve to each address. Never locked with the index.
    names: Mutex<Map<String, Vec<String>>>,
}

#[derive(Default)]
struct Index {
    by_address: Map<String, Vec<HostId>>,
    by_host: BTreeMap<HostId, Vec<String>>,
}

/// An address in the form of the index: one spelling each, and names in small letters.
pub(super) fn canonical(address: &str) -> String {
    let address = address.trim();
    match address.parse::<IpAddr>() {
        Ok(it) => it.to_canonical().to_string(),
        Err(_name) => address.to_ascii_lowercase(),
    }
}

/// Whether an item takes traps now.
pub(super) fn is_trap_item(row: &ItemRow) -> bool {
    row.content.kind == ItemType::SnmpTrap
        && row.is_live()
        && row.content.status == ItemStatus::Enabled
}

impl TrapHosts {
    pub(super) fn new(resolver: Arc<Resolver>) -> Self {
        Self { resolver, index: Mutex::default(), names: Mutex::default() }
    }

    pub(super) fn configure(&self, snapshot: &Snapshot, delta: Option<&Delta>) {
        match delta.filter(|it| !it.globals_changed) {
            None => {
                let mut index = Index::default();
                for host in snapshot.hosts.values() {
                    index.set(host.id, self.addresses(snapshot, host));
                }
                *self.index.lock().unwrap_or_else(PoisonError::into_inner) = index;
            }
            Some(delta) => {
                let changed = delta.hosts_changed.iter().chain(&delta.hosts_removed);
                for id in changed {
                    let host = snapshot.hosts.get(id);
                    let addresses = host.map_or(Vec::new(), |it| self.addresses(snapshot, it));
                    let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
                    index.set(*id, addresses);
                }
            }
        }
    }

    /// Hosts with trap items at an interface of this address.
    pub(super) fn at(&self, address: &str) -> Vec<HostId> {
        let aliases = self.aliases(address);
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let found = aliases.iter().filter_map(|it| index.by_address.get(it)).flatten();
        let mut hosts: Vec<HostId> = found.copied().collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts
    }

    /// The interfaces of a host that have this address.
    pub(super) fn interfaces<'a>(
        &self,
        snapshot: &Snapshot,
        host: &'a Arc<Host>,
        address: &str,
    ) -> Vec<&'a Interface> {
        let wanted = self.aliases(address);
        let is_there = |it: &&Interface| {
            it.kind == InterfaceType::Snmp && wanted.contains(&self.address(snapshot, host, it))
        };
        host.interfaces.iter().filter(is_there).collect()
    }

    /// Users of SNMPv3 of the interfaces at an address, at most `n_max`.
    pub(super) fn users_at(
        &self,
        snapshot: &Snapshot,
        address: &str,
        n_max: usize,
    ) -> Vec<SnmpDetails> {
        let mut users = Vec::new();
        for id in self.at(address) {
            let Some(host) = snapshot.hosts.get(&id) else { continue };
            for interface in self.interfaces(snapshot, host, address) {
                let details = interface.details.as_ref().filter(|it| it.version == 3);
                let context = self.resolver.context(snapshot, host, Some(interface));
                users.extend(details.map(|it| context.snmp_details(it)));
                if n_max <= users.len() {
                    return users;
                }
            }
        }
        users
    }

    /// Names among the addresses.
    pub(super) fn names(&self) -> Vec<String> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let names = index.by_address.keys().filter(|it| it.parse::<IpAddr>().is_err());
        names.cloned().collect()
    }

    /// Sets the names of each address.
    pub(super) fn set_names(&self, of_address: Map<String, Vec<String>>) {
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = of_address;
    }

    /// An address in the form of the index, and the names that resolve to it.
    fn aliases(&self, address: &str) -> Vec<String> {
        let mut all = vec![canonical(address)];
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(names.get(&all[0]).into_iter().flatten().cloned());
        all
    }

    pub(super) fn context<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        host: &'a Arc<Host>,
        row: &ItemRow,
    ) -> Context<'a> {
        self.resolver.context(snapshot, host, host.interface_of(row))
    }

    fn address(&self, snapshot: &Snapshot, host: &Arc<Host>, interface: &Interface) -> String {
        let context = self.resolver.context(snapshot, host, Some(interface));
        canonical(&context.address(interface).0)
    }

    fn addresses(&self, snapshot: &Snapshot, host: &Arc<Host>) -> Vec<String> {
        let is_on = host.status == HostStatus::Monitored && host.items.iter().any(is_trap_item);
        if !is_on {
            return Vec::new();
        }
        let snmp = host.interfaces.iter().filter(|it| it.kind == InterfaceType::Snmp);
        let mut addresses: Vec<_> = snmp.map(|it| self.address(snapshot, host, it)).collect();
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }
}

impl Index {
    fn set(&mut self, host: HostId, addresses: Vec<String>) {
        for address in self.by_host.remove(&host).into_iter().flatten() {
            if let Some(hosts) = self.by_address.get_mut(&address) {
                hosts.retain(|it| *it != host);
                if hosts.is_empty() {
                    self.by_address.remove(&address);
                }
            }
        }
        if addresses.is_empty() {
            return;
        }
        for address in &addresses {
            self.by_address.entry(address.clone()).or_default().push(host);
        }
        self.by_host.insert(host, addresses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_found_in_any_spelling() {
        for (written, expected) in [
            (" 192.0.2.7 ", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:DB8:0::1", "2001:db8::1"),
            ("Switch.Example", "switch.example"),
        ] {
            assert_eq!(canonical(written), expected);
        }
    }

    #[test]
    fn hosts_leave_addresses_that_they_had() {
        let mut index = Index::default();
        let at = |index: &Index, address: &str| index.by_address.get(address).cloned();
        index.set(HostId(1), vec!["a".to_owned(), "b".to_owned()]);
        index.set(HostId(2), vec!["b".to_owned()]);
        assert_eq!(at(&index, "b"), Some(vec![HostId(1), HostId(2)]));
        index.set(HostId(1), vec!["c".to_owned()]);
        assert_eq!((at(&index, "a"), at(&index, "b")), (None, Some(vec![HostId(2)])));
        index.set(HostId(1), Vec::new());
        assert_eq!(at(&index, "c"), None);
        assert_eq!(index.by_host.len(), 1);
    }
}
