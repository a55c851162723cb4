//! Results of network discovery: devices and their services, up or down.
//!
//! A row comes with each event about it, in the event's transaction, made of the event's details,
//! as those of [agents that register themselves](crate::AutoregisteredHost): after a crash both are
//! there or neither.

use std::net::IpAddr;
use std::sync::RwLock;

use model::map::{Map, Set};
use serde::{Deserialize, Serialize};

use crate::configuration::store::{cursor, max_of, set_cursor};
use crate::error::DbError;
use crate::locks;
use crate::runtime::events::{object, source};
use crate::sql::schema::{DISCOVERED_HOSTS, DISCOVERED_SERVICES};
use crate::sql::{Cell, Conflict, Rows, Sql};

/// The most ids in one statement; more take several.
const IDS_MAX: usize = 10_000;

/// A device that a rule has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DiscoveredHost {
    /// The `objectid` of its events.
    pub id: u64,
    /// The rule.
    pub rule: u64,
    pub is_up: bool,
    /// Since when it is up, in seconds since 1970; 0 while it is down.
    pub lastup: i64,
    /// Since when it is down; 0 while it is up.
    pub lastdown: i64,
}

/// A service of a device: a check that was answered at an address and port.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DiscoveredService {
    /// The `objectid` of its events.
    pub id: u64,
    /// The device.
    pub host: u64,
    pub check: u64,
    pub ip: String,
    /// 0 of pings.
    pub port: u16,
    /// The name of the address; "" if it has none.
    pub dns: String,
    /// Of agents and SNMP: the answer.
    pub value: String,
    pub is_up: bool,
    /// As of devices.
    pub lastup: i64,
    pub lastdown: i64,
}

/// A device or a service, as an event describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiscoveredRow {
    Host(DiscoveredHost),
    Service(DiscoveredService),
}

/// Why the last rounds of rules were not made. Of this process: the next round reports it again.
#[derive(Debug, Default)]
pub struct DiscoveryErrors(RwLock<Map<u64, String>>);

impl DiscoveryErrors {
    /// Empty: the rule works, as far as is known.
    #[must_use]
    pub fn of(&self, rule: u64) -> String {
        locks::read(&self.0).get(&rule).cloned().unwrap_or_default()
    }

    /// Empty: the rule works.
    pub fn set(&self, rule: u64, error: &str) {
        if error.is_empty() {
            locks::write(&self.0).remove(&rule);
        } else {
            locks::write(&self.0).insert(rule, error.to_owned());
        }
    }
}

/// All that rules have found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiscoveredRows {
    /// By id.
    pub hosts: Vec<DiscoveredHost>,
    /// By id.
    pub services: Vec<DiscoveredService>,
}

/// The subject of an event of network discovery.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DiscoveredDevice {
    pub host: DiscoveredHost,
    /// All of the device, by id.
    pub services: Vec<DiscoveredService>,
    /// Of an event about a service: that one.
    pub service: Option<DiscoveredService>,
}

impl DiscoveredRows {
    /// The device of an event about this object; `None`: it is not there any more, or is none of
    /// network discovery.
    #[must_use]
    pub fn about(&self, kind: u8, id: u64) -> Option<DiscoveredDevice> {
        let service = match kind {
            object::DISCOVERED_HOST => None,
            object::DISCOVERED_SERVICE => {
                let at = self.services.binary_search_by_key(&id, |it| it.id).ok()?;
                self.services.get(at).cloned()
            }
            _ => return None,
        };
        let host = service.as_ref().map_or(id, |it| it.host);
        let at = self.hosts.binary_search_by_key(&host, |it| it.id).ok()?;
        let services = self.services.iter().filter(|it| it.host == host).cloned().collect();
        Some(DiscoveredDevice { host: *self.hosts.get(at)?, services, service })
    }
}

impl DiscoveredDevice {
    /// The addresses of the device, or of the service that the event is about; each once.
    #[must_use]
    pub fn addresses(&self) -> Vec<IpAddr> {
        let of_event: Vec<&DiscoveredService> = match &self.service {
            Some(one) => vec![one],
            None => self.services.iter().collect(),
        };
        let mut addresses: Vec<IpAddr> = Vec::new();
        for it in of_event.iter().filter_map(|it| it.ip.parse().ok()) {
            if !addresses.contains(&it) {
                addresses.push(it);
            }
        }
        addresses
    }
}

/// Zabbix's code of a status.
fn status(is_up: bool) -> i64 {
    i64::from(!is_up)
}

impl DiscoveredRow {
    /// As the details of an event, by the columns of Zabbix.
    #[must_use]
    pub fn details(&self) -> Vec<(&'static str, String)> {
        let state = |is_up: bool, lastup: i64, lastdown: i64| {
            [
                ("status", status(is_up).to_string()),
                ("lastup", lastup.to_string()),
                ("lastdown", lastdown.to_string()),
            ]
        };
        let mut details = Vec::new();
        match self {
            Self::Host(it) => {
                details.push(("druleid", it.rule.to_string()));
                details.extend(state(it.is_up, it.lastup, it.lastdown));
            }
            Self::Service(it) => {
                details.extend([
                    ("dhostid", it.host.to_string()),
                    ("dcheckid", it.check.to_string()),
                    ("ip", it.ip.clone()),
                    ("port", it.port.to_string()),
                    ("dns", it.dns.clone()),
                    ("value", it.value.clone()),
                ]);
                details.extend(state(it.is_up, it.lastup, it.lastdown));
            }
        }
        details
    }

    /// The row of an event; `None` if it is not about network discovery.
    #[must_use]
    pub fn of_event(kind: (u8, u8), id: u64, details: &[(String, String)]) -> Option<Self> {
        let of = |name: &str| {
            let found = details.iter().find(|it| it.0 == name);
            found.map(|it| it.1.as_str()).unwrap_or_default()
        };
        let number = |name: &str| of(name).parse::<u64>().unwrap_or_default();
        let time = |name: &str| of(name).parse::<i64>().unwrap_or_default();
        let (is_up, lastup, lastdown) = (of("status") == "0", time("lastup"), time("lastdown"));
        match kind {
            (source::DISCOVERY, object::DISCOVERED_HOST) => {
                let rule = number("druleid");
                Some(Self::Host(DiscoveredHost { id, rule, is_up, lastup, lastdown }))
            }
            (source::DISCOVERY, object::DISCOVERED_SERVICE) => {
                Some(Self::Service(DiscoveredService {
                    id,
                    host: number("dhostid"),
                    check: number("dcheckid"),
                    ip: of("ip").to_owned(),
                    port: of("port").parse().unwrap_or_default(),
                    dns: of("dns").to_owned(),
                    value: of("value").to_owned(),
                    is_up,
                    lastup,
                    lastdown,
                }))
            }
            _ => None,
        }
    }
}

pub(crate) fn save(sql: &mut dyn Sql, rows: &[DiscoveredRow]) -> Result<(), DbError> {
    if rows.is_empty() {
        return Ok(());
    }
    // One row an id: PostgreSQL refuses to update a row twice in one statement.
    let (mut hosts, mut services) = (Map::default(), Map::default());
    for row in rows {
        match row {
            DiscoveredRow::Host(it) => drop(hosts.insert(it.id, it)),
            DiscoveredRow::Service(it) => drop(services.insert(it.id, it)),
        }
    }
    let mut of_hosts = Rows::new(&DISCOVERED_HOSTS);
    for it in hosts.values() {
        of_hosts.push([
            Cell::id(it.id),
            Cell::id(it.rule),
            Cell::Int(status(it.is_up)),
            Cell::Int(it.lastup),
            Cell::Int(it.lastdown),
        ]);
    }
    let mut of_services = Rows::new(&DISCOVERED_SERVICES);
    for it in services.values() {
        of_services.push([
            Cell::id(it.id),
            Cell::id(it.host),
            Cell::id(it.check),
            Cell::text(it.ip.as_str()),
            Cell::Int(it.port.into()),
            Cell::text(it.dns.as_str()),
            Cell::text(it.value.as_str()),
            Cell::Int(status(it.is_up)),
            Cell::Int(it.lastup),
            Cell::Int(it.lastdown),
        ]);
    }
    sql.insert(&of_hosts, Conflict::Update)?;
    sql.insert(&of_services, Conflict::Update)?;
    Ok(())
}

fn load_hosts(sql: &mut dyn Sql, condition: &str) -> Result<Vec<DiscoveredHost>, DbError> {
    let mut found = Vec::new();
    let statement = format!(
        "select dhostid, druleid, status, lastup, lastdown from dhosts {condition} order by dhostid"
    );
    sql.query(&statement, &[], &mut |row| {
        found.push(DiscoveredHost {
            id: row.id(0)?,
            rule: row.id(1)?,
            is_up: row.int(2)? == 0,
            lastup: row.int(3)?,
            lastdown: row.int(4)?,
        });
        Ok(true)
    })?;
    Ok(found)
}

fn load_services(sql: &mut dyn Sql, condition: &str) -> Result<Vec<DiscoveredService>, DbError> {
    let mut found = Vec::new();
    let statement = format!(
        "select dserviceid, dhostid, dcheckid, ip, port, dns, value, status, lastup, lastdown \
         from dservices {condition} order by dserviceid"
    );
    sql.query(&statement, &[], &mut |row| {
        found.push(DiscoveredService {
            id: row.id(0)?,
            host: row.id(1)?,
            check: row.id(2)?,
            ip: row.text(3)?.to_owned(),
            port: u16::try_from(row.int(4)?).unwrap_or_default(),
            dns: row.text(5)?.to_owned(),
            value: row.text(6)?.to_owned(),
            is_up: row.int(7)? == 0,
            lastup: row.int(8)?,
            lastdown: row.int(9)?,
        });
        Ok(true)
    })?;
    Ok(found)
}

fn list(ids: &[u64]) -> String {
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    ids.join(",")
}

/// Devices with these ids and those of services with these ids, each with all its services.
pub(crate) fn load_of(
    sql: &mut dyn Sql,
    hosts: &[u64],
    services: &[u64],
) -> Result<DiscoveredRows, DbError> {
    let mut ids: Set<u64> = hosts.iter().copied().collect();
    for some in services.chunks(IDS_MAX) {
        let condition = format!("where dserviceid in ({})", list(some));
        ids.extend(load_services(sql, &condition)?.iter().map(|it| it.host));
    }
    let mut ids: Vec<u64> = ids.into_iter().collect();
    ids.sort_unstable();
    let mut rows = DiscoveredRows::default();
    for some in ids.chunks(IDS_MAX) {
        let condition = format!("where dhostid in ({})", list(some));
        rows.hosts.append(&mut load_hosts(sql, &condition)?);
        rows.services.append(&mut load_services(sql, &condition)?);
    }
    rows.services.sort_by_key(|it| it.id);
    Ok(rows)
}

/// Names of the cursors that hold the greatest ids of devices and services that were forgotten.
const FORGOTTEN: [(&str, &str); 2] = [
    ("forgotten devices", "select coalesce(max(dhostid), 0) from dhosts"),
    ("forgotten device services", "select coalesce(max(dserviceid), 0) from dservices"),
];

/// The greatest ids of devices and of services that there have been.
pub(crate) fn last_ids(sql: &mut dyn Sql) -> Result<(u64, u64), DbError> {
    let [hosts, services] = FORGOTTEN;
    let mut last = |(forgotten, there): (&str, &str)| -> Result<u64, DbError> {
        Ok(cursor(sql, forgotten)?.max(max_of(sql, there)?))
    };
    Ok((last(hosts)?, last(services)?))
}

/// Before some are forgotten: their ids are never given again, although no row has them.
fn note_last_ids(sql: &mut dyn Sql) -> Result<(), DbError> {
    let (hosts, services) = last_ids(sql)?;
    for ((name, _), id) in FORGOTTEN.into_iter().zip([hosts, services]) {
        set_cursor(sql, name, id)?;
    }
    Ok(())
}

/// All that rules have found.
pub(crate) fn load_all(sql: &mut dyn Sql) -> Result<DiscoveredRows, DbError> {
    Ok(DiscoveredRows { hosts: load_hosts(sql, "")?, services: load_services(sql, "")? })
}

/// Deletes devices and services.
pub(crate) fn delete(sql: &mut dyn Sql, hosts: &[u64], services: &[u64]) -> Result<(), DbError> {
    note_last_ids(sql)?;
    let keys =
        |ids: &[u64]| -> Vec<i64> { ids.iter().filter_map(|it| i64::try_from(*it).ok()).collect() };
    for some in keys(services).chunks(IDS_MAX) {
        sql.delete(&DISCOVERED_SERVICES, "dserviceid", some)?;
    }
    for some in keys(hosts).chunks(IDS_MAX) {
        sql.delete(&DISCOVERED_HOSTS, "dhostid", some)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_all_of_a_row() {
        let host =
            DiscoveredHost { id: 3, rule: 7, is_up: false, lastup: 0, lastdown: 1_700_000_000 };
        let service = DiscoveredService {
            id: 9,
            host: 3,
            check: 11,
            ip: "192.0.2.1".to_owned(),
            port: 10_050,
            dns: "web.example.com".to_owned(),
            value: "Linux".to_owned(),
            is_up: true,
            lastup: 1_700_000_000,
            lastdown: 0,
        };
        for (row, kind, id) in [
            (DiscoveredRow::Host(host), object::DISCOVERED_HOST, 3),
            (DiscoveredRow::Service(service), object::DISCOVERED_SERVICE, 9),
        ] {
            let details = row.details().into_iter().map(|it| (it.0.to_owned(), it.1));
            let details: Vec<(String, String)> = details.collect();
            let read = DiscoveredRow::of_event((source::DISCOVERY, kind), id, &details);
            assert_eq!(read, Some(row.clone()));
            assert_eq!(DiscoveredRow::of_event((source::TRIGGER, 0), id, &details), None);
        }
    }
}
