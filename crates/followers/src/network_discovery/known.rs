//! Devices and services found by rules, and their changes by the checks of an address.
//!
//! Pure: addresses in, rows and events out. A service is a check that was answered once at an address and port; a device
//! is a set of services: those of one address, or those of all addresses that gave the same value for the rule's unique
//! check. Where an address has moved on to another device its services go along.
//!
//! A device is up while one of its services is, wherever that is. (Zabbix judges a device by the address that was looked
//! at last.)

use std::net::IpAddr;

use collect::discovery::{CheckedAddress, CheckedService};
use db::{DiscoveredHost, DiscoveredRow, DiscoveredRows, DiscoveredService};
use model::map::{Map, Set};
use model::record::EventKind;

/// A device or service as it is now, and what has become of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Transition {
    pub(super) row: DiscoveredRow,
    pub(super) kind: EventKind,
}

/// Everything that rules have found.
#[derive(Debug, Default)]
pub(super) struct Known {
    hosts: Map<u64, DiscoveredHost>,
    services: Map<u64, DiscoveredService>,
    /// Services by rule and address.
    at: Map<(u64, IpAddr), Vec<u64>>,
    /// Services by check and value.
    by_value: Map<(u64, String), Vec<u64>>,
    of_host: Map<u64, Set<u64>>,
    last_host: u64,
    last_service: u64,
}

impl Known {
    /// `last`: the greatest ids of devices and services that there have been.
    pub(super) fn new(rows: DiscoveredRows, last: (u64, u64)) -> Self {
        let mut known = Self { last_host: last.0, last_service: last.1, ..Self::default() };
        known.hosts = rows.hosts.into_iter().map(|it| (it.id, it)).collect();
        for it in rows.services {
            known.put(it);
        }
        known
    }

    pub(super) fn hosts(&self) -> impl Iterator<Item = &DiscoveredHost> {
        self.hosts.values()
    }

    /// Each service with the rule that found it.
    pub(super) fn services(&self) -> impl Iterator<Item = (&DiscoveredService, u64)> {
        self.services.values().filter_map(|it| Some((it, self.hosts.get(&it.host)?.rule)))
    }

    pub(super) fn len(&self) -> (usize, usize) {
        (self.hosts.len(), self.services.len())
    }

    /// Takes over what came of the checks of an address. `unique`: the rule's unique check.
    pub(super) fn apply(
        &mut self,
        checked: &CheckedAddress,
        unique: Option<u64>,
    ) -> Vec<Transition> {
        let mut transitions = Vec::new();
        let own = self.at.get(&(checked.rule, checked.address)).cloned().unwrap_or_default();
        let is_up = checked.services.iter().any(|it| it.value.is_some());
        if own.is_empty() && !is_up {
            return transitions;
        }
        let host = self.host_for(checked, &own, unique);
        let clock = checked.time.clock();
        for result in &checked.services {
            let found = own.iter().filter_map(|it| self.services.get(it));
            let found = found.filter(|it| it.check == result.check && it.port == result.port);
            let service = match (found.clone().next(), &result.value) {
                (Some(it), _) => DiscoveredService { host, ..it.clone() },
                (None, Some(_)) => self.new_service(host, checked.address, result),
                (None, None) => continue,
            };
            self.judge_service(service, (checked, result), clock, &mut transitions);
        }
        self.judge_host(host, clock, &mut transitions);
        transitions
    }

    fn new_service(
        &mut self,
        host: u64,
        address: IpAddr,
        result: &CheckedService,
    ) -> DiscoveredService {
        self.last_service += 1;
        DiscoveredService {
            id: self.last_service,
            host,
            check: result.check,
            ip: address.to_string(),
            port: result.port,
            ..DiscoveredService::default()
        }
    }

    /// The device that an address belongs to.
    fn host_for(&mut self, checked: &CheckedAddress, own: &[u64], unique: Option<u64>) -> u64 {
        let by_address = own.iter().find_map(|it| Some(self.services.get(it)?.host));
        let found = match unique {
            Some(check) => self.host_by_value(checked, check).or(by_address),
            // One address is one device.
            None => by_address.filter(|host| {
                let services = self.of_host.get(host).into_iter().flatten();
                services.into_iter().all(|it| own.contains(it))
            }),
        };
        if let Some(host) = found.filter(|it| self.hosts.contains_key(it)) {
            return host;
        }
        self.last_host += 1;
        let (id, rule) = (self.last_host, checked.rule);
        self.hosts.insert(id, DiscoveredHost { id, rule, ..DiscoveredHost::default() });
        id
    }

    /// The device of the rule that gave the same value for the unique check.
    fn host_by_value(&self, checked: &CheckedAddress, check: u64) -> Option<u64> {
        let answered = checked.services.iter().filter(|it| it.check == check);
        let value = answered.into_iter().find_map(|it| it.value.clone())?;
        let same = self.by_value.get(&(check, value)).into_iter().flatten();
        let hosts = same.filter_map(|it| Some(self.services.get(it)?.host));
        hosts.filter(|it| self.hosts.get(it).is_some_and(|it| it.rule == checked.rule)).min()
    }

    fn judge_service(
        &mut self,
        mut service: DiscoveredService,
        (checked, result): (&CheckedAddress, &CheckedService),
        clock: i64,
        transitions: &mut Vec<Transition>,
    ) {
        let is_new = service.lastup == 0 && service.lastdown == 0;
        let was_up = service.is_up && !is_new;
        service.is_up = result.value.is_some();
        if let Some(value) = &result.value {
            service.value.clone_from(value);
            service.dns.clone_from(&checked.dns);
        }
        let change = change_of((was_up, is_new), service.is_up);
        if change.is_some() {
            (service.lastup, service.lastdown) = since(service.is_up, clock);
        }
        let row = || DiscoveredRow::Service(service.clone());
        transitions.extend(change.map(|kind| Transition { row: row(), kind }));
        transitions.push(Transition { row: row(), kind: state_of(service.is_up) });
        self.put(service);
    }

    fn judge_host(&mut self, id: u64, clock: i64, transitions: &mut Vec<Transition>) {
        let services = self.of_host.get(&id).into_iter().flatten();
        let is_up = services.into_iter().any(|it| self.services.get(it).is_some_and(|it| it.is_up));
        let Some(host) = self.hosts.get_mut(&id) else { return };
        let is_new = host.lastup == 0 && host.lastdown == 0;
        let change = change_of((host.is_up && !is_new, is_new), is_up);
        host.is_up = is_up;
        if change.is_some() {
            (host.lastup, host.lastdown) = since(is_up, clock);
        }
        let row = DiscoveredRow::Host(*host);
        transitions.extend(change.map(|kind| Transition { row: row.clone(), kind }));
        transitions.push(Transition { row, kind: state_of(is_up) });
    }

    fn rule_of(&self, host: u64) -> u64 {
        self.hosts.get(&host).map_or(0, |it| it.rule)
    }

    fn put(&mut self, service: DiscoveredService) {
        self.take_out(service.id);
        let (id, rule) = (service.id, self.rule_of(service.host));
        if let Ok(address) = service.ip.parse() {
            self.at.entry((rule, address)).or_default().push(id);
        }
        if !service.value.is_empty() {
            let key = (service.check, service.value.clone());
            self.by_value.entry(key).or_default().push(id);
        }
        self.of_host.entry(service.host).or_default().insert(id);
        self.services.insert(id, service);
    }

    fn take_out(&mut self, id: u64) {
        let Some(service) = self.services.remove(&id) else { return };
        let rule = self.rule_of(service.host);
        if let Ok(address) = service.ip.parse() {
            leave(&mut self.at, &(rule, address), id);
        }
        leave(&mut self.by_value, &(service.check, service.value), id);
        if let Some(of_host) = self.of_host.get_mut(&service.host) {
            of_host.remove(&id);
        }
    }

    /// Forgets devices and services.
    pub(super) fn forget(&mut self, hosts: &[u64], services: &[u64]) {
        services.iter().for_each(|it| self.take_out(*it));
        for it in hosts {
            self.hosts.remove(it);
            self.of_host.remove(it);
        }
    }
}

fn leave<K: Eq + std::hash::Hash>(lists: &mut Map<K, Vec<u64>>, key: &K, id: u64) {
    if let Some(list) = lists.get_mut(key) {
        list.retain(|it| *it != id);
        if list.is_empty() {
            lists.remove(key);
        }
    }
}

/// The event of a change, in addition to that of the state.
fn change_of((was_up, is_new): (bool, bool), is_up: bool) -> Option<EventKind> {
    match (was_up, is_up) {
        (false, true) => Some(EventKind::Discovered),
        (true, false) => Some(EventKind::Lost),
        (false, false) if is_new => Some(EventKind::Lost),
        _ => None,
    }
}

fn state_of(is_up: bool) -> EventKind {
    if is_up { EventKind::Ok } else { EventKind::Problem }
}

/// `lastup` and `lastdown`.
fn since(is_up: bool, clock: i64) -> (i64, i64) {
    if is_up { (clock, 0) } else { (0, clock) }
}

#[cfg(test)]
mod tests;
