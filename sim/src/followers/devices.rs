//! The oracle of network discovery: the events of the checks of an address, by the state before.
//!
//! A result is taken in when the journal shows its events: all of them, or none if the server ended
//! before. Services that a rule does not look for any more may be forgotten from then on, and are
//! in the end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

use collect::discovery::{CheckedAddress, CheckedService};
use db::{Db, DiscoveredHost, DiscoveredRow, DiscoveredService};
use model::record::EventKind;

use super::journal_events::JournalEvent;

/// Services that may be forgotten at one address, of which each choice is tried.
const FORGOTTEN_MAX: usize = 10;

/// A rule as it was at some time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Version {
    pub(super) addresses: BTreeSet<IpAddr>,
    /// Ports by check.
    pub(super) checks: BTreeMap<u64, BTreeSet<u16>>,
    /// The check whose value identifies a device.
    pub(super) unique: Option<u64>,
}

impl Version {
    fn needs(&self, (address, check, port): Key) -> bool {
        let has_port = self.checks.get(&check).is_some_and(|it| it.contains(&port));
        has_port && self.addresses.contains(&address)
    }
}

/// Work in the order in which the server gets it.
#[derive(Clone, Debug)]
pub(super) enum Done {
    /// An address was checked while its rule had this version.
    Looked { at: CheckedAddress, version: usize },
    /// A round has ended.
    Ended { rule: u64, version: usize },
    /// The rule has this version now.
    Changed { rule: u64, version: usize },
}

/// A service by its place.
type Key = (IpAddr, u64, u16);

#[derive(Clone, Debug)]
struct Service {
    row: DiscoveredService,
    /// The last version of the rule that does not need it, if there was one since its check.
    forgettable: Option<usize>,
}

/// The discovered objects of one rule.
#[derive(Clone, Debug, Default)]
struct Found {
    services: BTreeMap<Key, Service>,
    devices: BTreeMap<u64, DiscoveredHost>,
}

/// The discovered objects of all rules.
#[derive(Debug, Default)]
pub(super) struct Devices {
    found: BTreeMap<u64, Found>,
    pub(super) versions: BTreeMap<u64, Vec<Version>>,
    done: VecDeque<Done>,
    /// The greatest ids of devices and services.
    last: (u64, u64),
    pub(super) n_events: usize,
}

/// The events of an object that was in a state before (`None`: not there) and now is up or not.
fn kinds(was_up: Option<bool>, is_up: bool) -> &'static [EventKind] {
    match (was_up, is_up) {
        (None | Some(false), true) => &[EventKind::Discovered, EventKind::Ok],
        (Some(true), true) => &[EventKind::Ok],
        (None | Some(true), false) => &[EventKind::Lost, EventKind::Problem],
        (Some(false), false) => &[EventKind::Problem],
    }
}

/// `lastup` and `lastdown` of something that changed, or did not.
fn since(before: Option<(bool, i64, i64)>, is_up: bool, now: i64) -> (i64, i64) {
    match before {
        Some((was_up, lastup, lastdown)) if was_up == is_up => (lastup, lastdown),
        _ if is_up => (now, 0),
        _ => (0, now),
    }
}

/// Events of one address, one after the other.
struct Events<'a>(std::slice::Iter<'a, JournalEvent>);

impl Events<'_> {
    /// Takes the events of something whose row is `row`, or whose ids are new; gives the row with its ids.
    fn take(
        &mut self,
        kinds: &[EventKind],
        complete: impl Fn(&DiscoveredRow) -> Option<DiscoveredRow>,
    ) -> Option<DiscoveredRow> {
        let mut row = None;
        for kind in kinds {
            let event = self.0.next()?;
            let (of, id) = event.about();
            let read = DiscoveredRow::of_event(of, id, &event.details)?;
            if event.kind != *kind || complete(&read)? != read {
                return None;
            }
            if row.as_ref().is_some_and(|it| *it != read) {
                return None;
            }
            row = Some(read);
        }
        row
    }
}

impl Found {
    fn forget(&mut self, keys: &[Key]) {
        for key in keys {
            self.services.remove(key);
        }
        if !keys.is_empty() {
            let left: BTreeSet<u64> = self.services.values().map(|it| it.row.host).collect();
            self.devices.retain(|id, _| left.contains(id));
        }
    }

    /// The device that an address belongs to; `None`: it is a new one.
    fn device(&self, at: &CheckedAddress, unique: Option<u64>) -> Option<u64> {
        let of_address = self.services.iter().find(|it| it.0.0 == at.address);
        let of_address = of_address.map(|it| it.1.row.host);
        let Some(unique) = unique else { return of_address };
        let value = at.services.iter().find(|it| it.check == unique);
        let Some(value) = value.and_then(|it| it.value.as_ref()) else { return of_address };
        let same = self.services.values().filter(|it| it.row.check == unique);
        let same = same.filter(|it| it.row.value == *value).map(|it| it.row.host);
        same.min().or(of_address)
    }

    /// Judges the events of an address that was checked, if they are the expected ones. `last`: the
    /// greatest ids.
    fn judge(
        &mut self,
        at: &CheckedAddress,
        (unique, version): (Option<u64>, usize),
        last: &mut (u64, u64),
        its_events: &[JournalEvent],
    ) -> Option<()> {
        let is_known = self.services.keys().any(|it| it.0 == at.address);
        if !is_known && at.services.iter().all(|it| it.value.is_none()) {
            return its_events.is_empty().then_some(());
        }
        let mut events = Events(its_events.iter());
        let mut device = self.device(at, unique);
        for result in &at.services {
            let key = (at.address, result.check, result.port);
            let before = self.services.get(&key).map(|it| it.row.clone());
            if before.is_none() && result.value.is_none() {
                continue;
            }
            let row = take_service((before, device), (at, result), last, &mut events)?;
            device = Some(row.host);
            let flag = self.services.get(&key).and_then(|it| it.forgettable);
            let forgettable = flag.filter(|it| version <= *it);
            self.services.insert(key, Service { row, forgettable });
        }
        let id = device?;
        let before = self.devices.get(&id).copied();
        let is_up = self.services.values().any(|it| it.row.host == id && it.row.is_up);
        let state = before.map(|it| (it.is_up, it.lastup, it.lastdown));
        let (lastup, lastdown) = since(state, is_up, at.time.clock());
        let want = DiscoveredHost { id, rule: at.rule, is_up, lastup, lastdown };
        events
            .take(kinds(before.map(|it| it.is_up), is_up), |_| Some(DiscoveredRow::Host(want)))?;
        if before.is_none() {
            (last.0 < id).then_some(())?;
            last.0 = id;
        }
        self.devices.insert(id, want);
        events.0.next().is_none().then_some(())
    }
}

/// The row of a service by its events, if they are as they have to be.
fn take_service(
    (before, device): (Option<DiscoveredService>, Option<u64>),
    (at, result): (&CheckedAddress, &CheckedService),
    last: &mut (u64, u64),
    events: &mut Events<'_>,
) -> Option<DiscoveredService> {
    let is_up = result.value.is_some();
    let state = before.as_ref().map(|it| (it.is_up, it.lastup, it.lastdown));
    let (lastup, lastdown) = since(state, is_up, at.time.clock());
    let value = result.value.clone().or_else(|| Some(before.as_ref()?.value.clone()));
    let complete = |seen_row: &DiscoveredRow| {
        let DiscoveredRow::Service(seen_row) = seen_row else { return None };
        Some(DiscoveredRow::Service(DiscoveredService {
            id: before.as_ref().map_or(seen_row.id, |it| it.id),
            host: device.unwrap_or(seen_row.host),
            check: result.check,
            ip: at.address.to_string(),
            port: result.port,
            dns: String::new(),
            value: value.clone().unwrap_or_default(),
            is_up,
            lastup,
            lastdown,
        }))
    };
    let seen_row = events.take(kinds(before.as_ref().map(|it| it.is_up), is_up), complete)?;
    let DiscoveredRow::Service(row) = seen_row else { return None };
    if before.is_none() {
        (last.1 < row.id).then_some(())?;
        last.1 = row.id;
    }
    Some(row)
}

impl Devices {
    pub(super) fn note(&mut self, done: Done) {
        self.done.push_back(done);
    }

    /// Takes in events. `is_over`: the server has ended, and has no state of checks any more.
    pub(super) fn take(&mut self, events: &mut VecDeque<JournalEvent>, is_over: bool) {
        self.n_events += events.len();
        for done in std::mem::take(&mut self.done) {
            match done {
                Done::Looked { at, version } => {
                    let n = events.iter().take_while(|it| it.time == at.time).count();
                    if n == 0 && events.is_empty() && is_over {
                        continue;
                    }
                    let its_events: Vec<JournalEvent> = events.drain(..n).collect();
                    self.looked(&at, version, &its_events);
                }
                Done::Ended { rule, version } => self.may_forget(rule, version, Version::needs),
                Done::Changed { rule, version } => {
                    self.may_forget(rule, version, |it, key| it.checks.contains_key(&key.1));
                }
            }
        }
        assert!(events.is_empty(), "events without a check: {:?}", events.front());
    }

    /// Services that a version of a rule does not need, or a later one, may be forgotten.
    fn may_forget(&mut self, rule: u64, from: usize, needs: impl Fn(&Version, Key) -> bool) {
        let versions: Vec<(usize, &Version)> =
            self.versions[&rule].iter().enumerate().skip(from).collect();
        for (key, service) in &mut self.found.entry(rule).or_default().services {
            let without = versions.iter().rev().find(|it| !needs(it.1, *key)).map(|it| it.0);
            service.forgettable = service.forgettable.max(without);
        }
    }

    /// Some choice of what is forgotten, and of the rule's versions since, has to explain the
    /// events.
    fn looked(&mut self, at: &CheckedAddress, version: usize, its_events: &[JournalEvent]) {
        let found = self.found.entry(at.rule).or_default();
        let is_alone = |key: &Key, unique: Option<u64>| unique.is_some() || key.0 == at.address;
        for (now, of) in self.versions[&at.rule].iter().enumerate().skip(version) {
            let mut seen = at.clone();
            seen.services.retain(|it| of.checks.contains_key(&it.check));
            let may = found.services.iter().filter(|(key, it)| {
                let is_gone = !of.checks.contains_key(&key.1);
                (it.forgettable.is_some() || is_gone) && is_alone(key, of.unique)
            });
            let may: Vec<Key> = may.map(|it| *it.0).collect();
            assert!(may.len() <= FORGOTTEN_MAX, "too many choices: {may:?}");
            for choice in 0..1_u32 << may.len() {
                let keys = may.iter().enumerate().filter(|it| choice >> it.0 & 1 == 1);
                let keys: Vec<Key> = keys.map(|it| *it.1).collect();
                let (mut next, mut last) = (found.clone(), self.last);
                next.forget(&keys);
                if next.judge(&seen, (of.unique, now), &mut last, its_events).is_some() {
                    (*found, self.last) = (next, last);
                    return;
                }
            }
        }
        panic!("{at:?} was checked with these events: {its_events:#?}, with {found:#?}");
    }

    /// Asserts that nothing waits and that the tables have the discovered objects of the rules.
    /// Nothing has failed for long, and both rules have made a round.
    pub(super) fn check_settled(&mut self, db: &Db) {
        assert!(self.done.is_empty(), "results that nobody has judged: {:?}", self.done);
        for (rule, found) in &mut self.found {
            let now = self.versions[rule].last().expect("a version");
            let keys = found.services.keys().filter(|it| !now.needs(**it));
            let keys: Vec<Key> = keys.copied().collect();
            found.forget(&keys);
        }
        self.check_saved(db);
    }

    fn check_saved(&self, db: &Db) {
        let rows = db.events().discovered().expect("the database answers");
        let mut services: Vec<DiscoveredService> = Vec::new();
        let mut hosts: Vec<DiscoveredHost> = Vec::new();
        for found in self.found.values() {
            let left: BTreeSet<u64> = found.services.values().map(|it| it.row.host).collect();
            hosts.extend(left.iter().map(|it| found.devices[it]));
            services.extend(found.services.values().map(|it| it.row.clone()));
        }
        services.sort_by_key(|it| it.id);
        hosts.sort_by_key(|it| it.id);
        assert_eq!(rows.services, services, "services in the database");
        assert_eq!(rows.hosts, hosts, "devices in the database");
    }
}
