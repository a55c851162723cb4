//! The network that rules of network discovery check: machines that come and go, rounds, changes of
//! rules.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use collect::discovery::{CheckedAddress, CheckedService, DiscoveryResult};
use db::objects::drule::{DRULE, checks};
use db::{Actor, ConfigError, Db, Editor};
use model::Time;
use serde_json::{Value, json};

use super::devices::{Devices, Done, Version};
use crate::configuring::make;
use crate::random::Random;

/// Addresses of each rule.
const N_ADDRESSES: u8 = 4;
const AGENT: &str = "9";
const PING: &str = "12";
const HTTP: &str = "4";
/// Names of machines, by which the second rule identifies devices.
const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

/// The machine at an address.
#[derive(Clone, Debug, Default)]
struct Machine {
    is_on: bool,
    name: usize,
    /// Ports that do not answer although the machine is on.
    closed: BTreeSet<u16>,
}

/// A rule, with the round that is under way.
#[derive(Clone, Debug)]
struct Rule {
    id: u64,
    network: [u8; 3],
    machines: BTreeMap<u8, Machine>,
    /// Last parts of the addresses that are still to be checked.
    left: Vec<u8>,
    /// The first rule: it checks pings; a second port. The second one: it checks the last address.
    has_ping: bool,
    is_wide: bool,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Network {
    rules: [Rule; 2],
    /// Checked addresses: each has a time of its own.
    n_looks: u32,
}

/// Creates both rules. Of the first an address is a device, of the second all addresses with one
/// name.
pub(super) fn configure(editor: &mut Editor) -> Result<[u64; 2], ConfigError> {
    let by_address = json!({"name": "by address", "iprange": "192.0.2.1-4", "delay": "1h",
        "dchecks": [{"type": PING}, {"type": HTTP, "ports": "80,443"}]});
    let by_name = json!({"name": "by name", "iprange": "198.51.100.1-4", "delay": "1h", "dchecks": [
        {"type": AGENT, "ports": "10050", "key_": "system.hostname", "uniq": "1"}, {"type": PING}]});
    Ok([make(editor, DRULE.kind(), &by_address)?, make(editor, DRULE.kind(), &by_name)?])
}

impl Network {
    pub(super) fn new(ids: [u64; 2]) -> Self {
        let rule = |(id, network): (u64, [u8; 3])| Rule {
            id,
            network,
            machines: (1..=N_ADDRESSES).map(|it| (it, Machine::default())).collect(),
            left: Vec::new(),
            has_ping: true,
            is_wide: true,
        };
        let [first, second] = ids;
        let rules = [rule((first, [192, 0, 2])), rule((second, [198, 51, 100]))];
        Self { rules, n_looks: 0 }
    }

    /// Has the oracle know the rules as they are now.
    pub(super) fn show(&self, db: &Db, devices: &mut Devices) {
        for rule in &self.rules {
            let version = rule.version(db);
            devices.versions.entry(rule.id).or_default().push(version);
        }
    }

    /// Checks some addresses of a rule, in any order; returns the results of the round.
    pub(super) fn look(
        &mut self,
        (random, now): (&mut Random, Time),
        devices: &mut Devices,
    ) -> Vec<DiscoveryResult> {
        let rule = random.below(2);
        let n = 1 + random.below(6);
        self.look_at((rule, n), (random, now), devices)
    }

    /// Brings the rounds of both rules to their end, and makes another one of each.
    pub(super) fn look_at_all(
        &mut self,
        (random, now): (&mut Random, Time),
        devices: &mut Devices,
    ) -> Vec<DiscoveryResult> {
        let mut results = Vec::new();
        for rule in 0..2 {
            self.rules[rule].left.clear();
            let n = usize::from(N_ADDRESSES);
            results.append(&mut self.look_at((rule, n), (random, now), devices));
        }
        results
    }

    fn look_at(
        &mut self,
        (index, n): (usize, usize),
        (random, now): (&mut Random, Time),
        devices: &mut Devices,
    ) -> Vec<DiscoveryResult> {
        let rule = &mut self.rules[index];
        let version = devices.versions[&rule.id].len() - 1;
        let now_is = devices.versions[&rule.id][version].clone();
        if rule.left.is_empty() {
            rule.begin(random, &now_is);
        }
        let mut results = Vec::new();
        for _ in 0..n {
            let Some(last) = rule.left.pop() else { break };
            self.n_looks += 1;
            let time = Time::from_clock(now.clock(), self.n_looks);
            let at = rule.check(random, (last, time), &now_is);
            devices.note(Done::Looked { at: at.clone(), version });
            results.push(DiscoveryResult::Address(at));
        }
        if rule.left.is_empty() {
            devices.note(Done::Ended { rule: rule.id, version });
            results.push(DiscoveryResult::RoundEnded { rule: rule.id, error: String::new() });
        }
        results
    }

    /// Somebody changes a rule: its round restarts.
    pub(super) fn change(&mut self, random: &mut Random, db: &Db, devices: &mut Devices) {
        let index = random.below(2);
        let rule = &mut self.rules[index];
        if index == 0 && random.once_in(2) {
            rule.has_ping = !rule.has_ping;
        } else {
            rule.is_wide = !rule.is_wide;
        }
        let fields = if index == 0 { rule.checks(db) } else { rule.range() };
        let fields = fields.as_object().cloned().unwrap_or_default();
        let (id, kind) = (rule.id, DRULE.kind());
        let changed = db.edit(Actor::System, |editor| editor.update(kind, id, fields.clone()));
        changed.unwrap_or_else(|error| panic!("a rule is changed: {}", error.text()));
        rule.left.clear();
        let version = rule.version(db);
        let versions = devices.versions.entry(id).or_default();
        versions.push(version);
        let version = versions.len() - 1;
        devices.note(Done::Changed { rule: id, version });
    }

    /// The server has ended: rounds restart.
    pub(super) fn lose(&mut self) {
        for rule in &mut self.rules {
            rule.left.clear();
        }
    }
}

impl Rule {
    fn checks(&self, db: &Db) -> Value {
        let version = self.version(db);
        let is_http = |it: &&u64| version.checks[it].contains(&80);
        let http = version.checks.keys().find(is_http).expect("the check of HTTP");
        let ping = version.checks.keys().find(|it| !is_http(it));
        let ports = if self.is_wide { "80,443" } else { "80" };
        let mut list = vec![json!({"dcheckid": http.to_string(), "ports": ports})];
        match ping {
            Some(id) if self.has_ping => list.push(json!({"dcheckid": id.to_string()})),
            None if self.has_ping => list.push(json!({"type": PING})),
            _ => {}
        }
        json!({"dchecks": list})
    }

    fn range(&self) -> Value {
        let [a, b, c] = self.network;
        let last = if self.is_wide { N_ADDRESSES } else { N_ADDRESSES - 1 };
        json!({"iprange": format!("{a}.{b}.{c}.1-{last}")})
    }

    fn address(&self, last: u8) -> IpAddr {
        let [a, b, c] = self.network;
        IpAddr::from([a, b, c, last])
    }

    /// As the configuration has it.
    fn version(&self, db: &Db) -> Version {
        let snapshot = db.snapshot();
        let document = snapshot.documents.get("drule", self.id).expect("the rule");
        let (mut of, mut unique) = (BTreeMap::new(), None);
        for check in checks(&document.body) {
            let text = |name: &str| check.get(name).and_then(Value::as_str).unwrap_or_default();
            let id: u64 = text("dcheckid").parse().expect("an id");
            let ports = text("ports").split(',').filter_map(|it| it.parse().ok());
            let ports = if text("type") == PING { BTreeSet::from([0]) } else { ports.collect() };
            of.insert(id, ports);
            unique = unique.or((text("uniq") == "1").then_some(id));
        }
        let text = document.text("iprange");
        let last: u8 = text.rsplit('-').next().and_then(|it| it.parse().ok()).expect("a range");
        let addresses = (1..=last).map(|it| self.address(it)).collect();
        Version { addresses, checks: of, unique }
    }

    fn begin(&mut self, random: &mut Random, version: &Version) {
        let all = (1..=N_ADDRESSES).filter(|it| version.addresses.contains(&self.address(*it)));
        let mut all: Vec<u8> = all.collect();
        while !all.is_empty() {
            self.left.push(all.swap_remove(random.below(all.len())));
        }
    }

    /// The results of the checks of an address. The network changes meanwhile.
    fn check(
        &mut self,
        random: &mut Random,
        (last, time): (u8, Time),
        version: &Version,
    ) -> CheckedAddress {
        let address = self.address(last);
        let machine = self.machines.entry(last).or_default();
        if random.once_in(4) {
            machine.is_on = !machine.is_on;
        }
        if random.once_in(6) {
            machine.name = random.below(NAMES.len());
        }
        let mut services = Vec::new();
        for (check, ports) in &version.checks {
            for port in ports {
                if random.once_in(6) && !machine.closed.remove(port) {
                    machine.closed.insert(*port);
                }
                let value = if version.unique == Some(*check) { NAMES[machine.name] } else { "" };
                let is_answered = machine.is_on && !machine.closed.contains(port);
                let value = is_answered.then(|| value.to_owned());
                services.push(CheckedService { check: *check, port: *port, value });
            }
        }
        CheckedAddress { rule: self.id, address, dns: String::new(), time, services }
    }
}
