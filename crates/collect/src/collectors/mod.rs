//! The collectors: one file and one row of the table each.
//!
//! A collector prepares its checks from their items ([`Collector::prepare`]) and takes requests
//! (one conversation with one device each) from its queue. It makes as many at once as its limits
//! allow, and sends one [`Finished`] for each, with a reading for every check. It knows nothing of
//! schedules, shards or the meaning of values.
//!
//! Items that are not polled, because their values arrive by themselves, have [`LISTENERS`].
//! `docs/adding.md` says how one of each is added.

mod agent;
mod browser;
mod collector;
mod context;
mod datagrams;
mod external;
mod host_item;
mod http;
mod icmp;
mod internal;
mod ipmi;
mod jmx;
mod listener;
mod network;
mod odbc;
mod prepared_cache;
mod preparer;
mod request;
mod row;
mod scratch;
mod script;
mod service;
mod shell;
mod snmp;
mod unsupported;
mod web;

use std::sync::Arc;

use model::content::{ItemContent, ItemType, WebScenario};
use model::snapshot::{Host, ItemRow, Snapshot};

use self::collector::Grouping;
use self::listener::Listener;
use crate::schedule::Class;
use crate::syslog;

pub(crate) use self::agent::{Agent, value_at};
pub(crate) use self::collector::Collector;
pub(crate) use self::context::{CollectorContext, OdbcWorkers, Overview};
pub(crate) use self::icmp::{EchoRequest, answer_echoes};
pub use self::ipmi::Chassis;
pub(crate) use self::listener::Listening;
pub(crate) use self::network::{describe, is_shortage};
pub use self::odbc::ODBC_WORKER_ROLE;
pub(crate) use self::preparer::Preparer;
pub(crate) use self::request::{CheckResult, Finished, Reading};
pub(crate) use self::row::JobQueue;
pub(crate) use self::service::is_up_at;
pub(crate) use self::snmp::{Snmp, SnmpClient, Usm};

// All collectors; an item belongs to the first one that takes it.
row::table! {
    agent::Agent,
    snmp::Snmp,
    icmp::Icmp,
    service::ServiceChecks,
    http::Http,
    web::Web,
    script::Script,
    browser::Browser,
    external::External,
    shell::Shell,
    jmx::Jmx,
    odbc::Odbc,
    ipmi::Ipmi,
    internal::Internal,
    unsupported::Unsupported,
}

const LISTENERS: &[Listener] = &[
    Listener {
        takes: |it| it.kind == ItemType::ZabbixAgentActive,
        refusal: |it, snapshot, host, row| it.active.refusal(snapshot, host, row),
    },
    Listener {
        takes: |it| it.kind == ItemType::SnmpTrap,
        refusal: |it, snapshot, host, row| it.traps.refusal(snapshot, host, row),
    },
    Listener {
        takes: syslog::items::is_syslog,
        refusal: |_, snapshot, _, row| syslog::items::refusal(snapshot, row),
    },
];

/// Why an item that is not polled gets no values as it is configured.
pub(crate) fn refusal(
    listening: &Listening,
    snapshot: &Snapshot,
    host: &Arc<Host>,
    row: &ItemRow,
) -> Option<String> {
    let listener = LISTENERS.iter().find(|it| (it.takes)(&row.content))?;
    (listener.refusal)(listening, snapshot, host, row)
}

/// How an item is scheduled; `None`: it is not polled. Calculated and dependent items belong to the
/// pipeline.
pub(crate) fn classify(content: &ItemContent) -> Option<Class> {
    // One item of a web scenario is checked; it returns the values of the others.
    let is_scenario = content.kind == ItemType::WebItem && WebScenario::is_of(&content.key_);
    let is_asked = content.kind.is_polled() && content.kind != ItemType::Calculated;
    if !is_asked && !is_scenario {
        return None;
    }
    let each = TABLE.iter().enumerate();
    let (kind, row, grouping) =
        each.filter_map(|(kind, it)| Some((kind, it, (it.takes)(content)?))).next()?;
    Some(Class {
        kind,
        alone: grouping == Grouping::Alone,
        by_device: grouping == Grouping::Together,
        uses_interface: row.uses_interface,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The others would become unsupported each interval, between the values of the scenario.
    #[test]
    fn of_web_scenarios_one_item_is_polled() {
        let of_key = |key: &str| {
            let content =
                ItemContent { kind: ItemType::WebItem, key_: key.into(), ..ItemContent::default() };
            classify(&content).map(|it| table()[it.kind].name)
        };
        assert_eq!(of_key("web.test.fail[shop]"), Some("web"));
        for key in [
            "web.test.error[shop]",
            "web.test.in[shop,,bps]",
            "web.test.in[shop,cart,bps]",
            "web.test.time[shop,cart,resp]",
            "web.test.rspcode[shop,cart]",
        ] {
            assert_eq!(of_key(key), None, "{key}");
        }
    }

    /// Imports list the items without values by this.
    #[test]
    fn types_are_collected_where_a_collector_takes_them() {
        for (code, key) in (0..30).flat_map(|it| {
            [(it, "icmpping[,3]"), (it, "net.tcp.service[ssh]"), (it, "vmware.version[x]")]
        }) {
            let Some(kind) = ItemType::from_code(code) else { continue };
            // Whatever their keys are, they belong to a scenario.
            if kind == ItemType::WebItem {
                continue;
            }
            let content = ItemContent { kind, key_: key.into(), ..ItemContent::default() };
            let Some(class) = classify(&content) else { continue };
            let is_taken = table()[class.kind].name != "unsupported";
            assert_eq!(kind.is_collected(key), is_taken, "{kind:?} {key}");
        }
    }
}
