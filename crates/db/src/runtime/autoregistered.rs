//! Active agents that have registered themselves: the last data of each.
//!
//! A row comes with its event, in the event's transaction, made of the event's details: after a
//! crash both are there or neither. Actions on such events find here what the event's id alone does
//! not say.

use model::encryption::UNENCRYPTED;
use model::map::Map;
use serde::{Deserialize, Serialize};

use crate::error::DbError;
use crate::runtime::events::{object, source};
use crate::sql::schema::AUTOREGISTERED_HOSTS;
use crate::sql::{Cell, Conflict, Rows, Sql};

/// Where in the column `flags` the way of the connection stands; 0 of rows of versions without encryption.
const TLS_SHIFT: u32 = 8;
/// The most ids in one statement; more take several.
const IDS_MAX: usize = 10_000;

/// An active agent, as it named itself.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AutoregisteredHost {
    /// The `objectid` of its events.
    pub id: u64,
    pub host: String,
    pub listen_ip: String,
    /// "" unless the agent named one.
    pub listen_dns: String,
    pub listen_port: u16,
    pub host_metadata: String,
    /// 0: the agent did not say by which address it wants to be reached; 1: by the IP, 2: by the DNS name.
    pub flags: u8,
    /// How it was connected: 1 unencrypted, 2 by the key of autoregistration.
    #[serde(default)]
    pub tls_accepted: u8,
}

impl AutoregisteredHost {
    /// As the details of an event, by the columns of Zabbix.
    #[must_use]
    pub fn details(&self) -> Vec<(&'static str, String)> {
        vec![
            ("host", self.host.clone()),
            ("listen_ip", self.listen_ip.clone()),
            ("listen_dns", self.listen_dns.clone()),
            ("listen_port", self.listen_port.to_string()),
            ("host_metadata", self.host_metadata.clone()),
            ("flags", self.flags.to_string()),
            ("tls_accepted", self.tls_accepted.to_string()),
        ]
    }

    /// The row of an event; `None` if it is not about a registration.
    #[must_use]
    pub fn of_event(
        (event_source, event_object): (u8, u8),
        id: u64,
        details: &[(String, String)],
    ) -> Option<Self> {
        if (event_source, event_object) != (source::AUTOREGISTRATION, object::AUTOREGISTERED) {
            return None;
        }
        let of = |name: &str| {
            let found = details.iter().find(|it| it.0 == name);
            found.map_or_else(String::new, |it| it.1.clone())
        };
        Some(Self {
            id,
            host: of("host"),
            listen_ip: of("listen_ip"),
            listen_dns: of("listen_dns"),
            listen_port: of("listen_port").parse().unwrap_or_default(),
            host_metadata: of("host_metadata"),
            flags: of("flags").parse().unwrap_or_default(),
            // Events of versions without encryption do not say it.
            tls_accepted: of("tls_accepted").parse().unwrap_or(UNENCRYPTED),
        })
    }
}

const COLUMNS: &str =
    "autoreg_hostid, host, listen_ip, listen_dns, listen_port, host_metadata, flags";

pub(crate) fn save(sql: &mut dyn Sql, hosts: &[AutoregisteredHost]) -> Result<(), DbError> {
    if hosts.is_empty() {
        return Ok(());
    }
    // One row an id: PostgreSQL refuses to update a row twice in one statement.
    let newest: Map<u64, &AutoregisteredHost> = hosts.iter().map(|it| (it.id, it)).collect();
    let mut rows = Rows::new(&AUTOREGISTERED_HOSTS);
    for it in newest.values() {
        rows.push([
            Cell::id(it.id),
            Cell::text(it.host.as_str()),
            Cell::text(it.listen_ip.as_str()),
            Cell::text(it.listen_dns.as_str()),
            Cell::Int(it.listen_port.into()),
            Cell::text(it.host_metadata.as_str()),
            Cell::Int(i64::from(it.flags) | i64::from(it.tls_accepted) << TLS_SHIFT),
        ]);
    }
    sql.insert(&rows, Conflict::Update)?;
    Ok(())
}

fn read(
    sql: &mut dyn Sql,
    condition: &str,
    take: &mut dyn FnMut(AutoregisteredHost),
) -> Result<(), DbError> {
    let statement =
        format!("select {COLUMNS} from autoreg_hosts {condition} order by autoreg_hostid");
    sql.query(&statement, &[], &mut |row| {
        take(AutoregisteredHost {
            id: row.id(0)?,
            host: row.text(1)?.to_owned(),
            listen_ip: row.text(2)?.to_owned(),
            listen_dns: row.text(3)?.to_owned(),
            listen_port: u16::try_from(row.int(4)?).unwrap_or_default(),
            host_metadata: row.text(5)?.to_owned(),
            flags: u8::try_from(row.int(6)? & 0xff).unwrap_or_default(),
            tls_accepted: match u8::try_from(row.int(6)? >> TLS_SHIFT) {
                Ok(0) | Err(_) => UNENCRYPTED,
                Ok(it) => it,
            },
        });
        Ok(true)
    })?;
    Ok(())
}

/// Maps each, by id. One is in memory at a time: metadata may be long.
pub(crate) fn each<T>(
    sql: &mut dyn Sql,
    make: impl Fn(AutoregisteredHost) -> T,
) -> Result<Vec<T>, DbError> {
    let mut made = Vec::new();
    read(sql, "", &mut |it| made.push(make(it)))?;
    Ok(made)
}

/// Deletes those with these ids.
pub(crate) fn delete(sql: &mut dyn Sql, ids: &[u64]) -> Result<(), DbError> {
    let ids: Vec<i64> = ids.iter().filter_map(|it| i64::try_from(*it).ok()).collect();
    Ok(sql.delete(&AUTOREGISTERED_HOSTS, "autoreg_hostid", &ids)?)
}

/// Those with these ids, by id.
pub(crate) fn load_some(
    sql: &mut dyn Sql,
    ids: &[u64],
) -> Result<Vec<AutoregisteredHost>, DbError> {
    let mut found = Vec::new();
    for some in ids.chunks(IDS_MAX) {
        let list: Vec<String> = some.iter().map(u64::to_string).collect();
        let condition = format!("where autoreg_hostid in ({})", list.join(","));
        read(sql, &condition, &mut |it| found.push(it))?;
    }
    Ok(found)
}
