//! Internal items, `zabbix[...]`: those about polling and hosts are answered here, those about
//! other servers and the Java gateway by these, the rest by the owner of the process.

mod remote;

use std::sync::Arc;
use std::time::Duration;

use formats::number::parse_duration_s;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::HostId;
use model::batch::OwnedRaw;
use model::content::{Interface, InterfaceType, ItemContent, ItemType};
use model::key::ItemKey;
use model::snapshot::Host;
use rt::queue::Receiver;
pub(super) use rt::settings::NoSettings as Settings;
use serde_json::json;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Finished, Request};
use crate::ports::{Available, CheckAnswer, not_supported};

/// Items that are late by less do not count as queued.
const QUEUE_FROM_S: u32 = 6;

pub(super) struct Internal;

impl Collector for Internal {
    type Settings = Settings;
    type Payload = ItemKey;

    // As in Zabbix: the maintenance of a host is an internal item itself.
    const RUNS_IN_MAINTENANCE: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        // Items that another process answers do not delay the others.
        let is_remote =
            ["zabbix[stats,", "zabbix[java,"].iter().any(|it| content.key_.starts_with(it));
        let grouping = if is_remote { Grouping::Alone } else { Grouping::Together };
        (content.kind == ItemType::Internal).then_some(grouping)
    }

    fn limits(_: &Settings) -> JobLimits {
        JobLimits { jobs_max: 256, device_jobs_max: 4, job_checks_max: 256 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<ItemKey, CheckResult> {
        let key = ItemKey::parse(&item.key()?).ok().filter(|it| it.name == "zabbix");
        key.ok_or_else(|| CheckResult::Answer(not_supported("Unsupported item key.")))
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request<ItemKey>>) {
        let shared = &*shared;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| answer(shared, it);
                        shared.contained("internal check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

async fn answer(shared: &CollectorContext, request: Request<ItemKey>) {
    let Request { job, host, checks, done: mut readings, .. } = request;
    for check in &checks {
        let value = value(shared, &check.payload, (host, check.timeout)).await;
        readings.push(check.reading(shared.clock.wall(), CheckResult::Answer(value)));
    }
    shared.finish(Finished { job, readings }).await;
}

async fn value(
    shared: &CollectorContext,
    key: &ItemKey,
    (host, time): (HostId, Duration),
) -> CheckAnswer {
    if remote::is_remote(key) {
        return remote::value(shared, key, time).await;
    }
    match key.param(0) {
        "queue" => queue(shared, key),
        "requiredperformance" | "host" if key.params.len() != n_params(key.param(0)) => {
            not_supported("Invalid number of parameters.")
        }
        "requiredperformance" => OwnedRaw::Float(shared.overview.required_performance()),
        "host" => of_host(shared, key, host),
        _ => shared.internals.value(key, host),
    }
}

fn n_params(first: &str) -> usize {
    if first == "host" { 3 } else { 1 }
}

fn queue(shared: &CollectorContext, key: &ItemKey) -> CheckAnswer {
    if 3 < key.params.len() {
        return not_supported("Invalid number of parameters.");
    }
    let seconds = |text: &str| parse_duration_s(text).and_then(|it| u32::try_from(it).ok());
    let from_s = match key.param(1) {
        "" => QUEUE_FROM_S,
        text => match seconds(text) {
            Some(it) => it,
            None => return not_supported("Invalid second parameter."),
        },
    };
    let to_s = match key.param(2) {
        "" => None,
        text => match seconds(text) {
            Some(it) => Some(it),
            None => return not_supported("Invalid third parameter."),
        },
    };
    if to_s.is_some_and(|it| it < from_s) {
        return not_supported("Parameters represent an invalid interval.");
    }
    OwnedRaw::Unsigned(shared.overview.n_overdue(from_s, to_s))
}

/// `zabbix[host,<type>,available]`, `zabbix[host,discovery,interfaces]` and
/// `zabbix[host,,items|items_unsupported|maintenance]`.
fn of_host(shared: &CollectorContext, key: &ItemKey, host: HostId) -> CheckAnswer {
    let snapshot = shared.configuration.snapshot();
    let Some(holder) = snapshot.hosts.get(&host) else {
        return not_supported("Unsupported item key.");
    };
    match (key.param(1), key.param(2)) {
        (kind, "available") => availability(shared, holder, kind),
        ("discovery", "interfaces") => OwnedRaw::Text(interfaces(holder)),
        ("", "items") => {
            OwnedRaw::Unsigned(holder.items.iter().filter(|it| it.is_enabled_item()).count() as u64)
        }
        ("", "items_unsupported") => OwnedRaw::Unsigned(shared.item_states.n_unsupported(host)),
        ("", "maintenance") => OwnedRaw::Unsigned(shared.maintenances.of(host).code()),
        (_, "interfaces" | "items" | "items_unsupported" | "maintenance") => {
            not_supported("Invalid second parameter.")
        }
        _ => not_supported("Invalid third parameter."),
    }
}

/// Zabbix has two scales: that of the API for active agents (0 unknown, 1 available, 2 not
/// available), and the reverse for interfaces (0 not available, 1 available, 2 unknown).
fn availability(shared: &CollectorContext, host: &Host, kind: &str) -> CheckAnswer {
    let kind = match kind {
        "active_agent" => {
            return OwnedRaw::Unsigned(shared.active.available(host.id).code().into());
        }
        "agent" => InterfaceType::Agent,
        "snmp" => InterfaceType::Snmp,
        "ipmi" => InterfaceType::Ipmi,
        "jmx" => InterfaceType::Jmx,
        _ => return not_supported("Invalid second parameter."),
    };
    let main = host.interfaces.iter().find(|it| it.main && it.kind == kind);
    let state = main.map(|it| shared.availability.interface(it.interfaceid).available);
    OwnedRaw::Unsigned(match state.unwrap_or_default() {
        Available::No => 0,
        Available::Yes => 1,
        Available::Unknown => 2,
    })
}

/// The host's interfaces as a discovery rule reads them: by type, the default one first.
fn interfaces(host: &Host) -> String {
    let mut interfaces: Vec<&Interface> = host.interfaces.iter().collect();
    interfaces.sort_by_key(|it| (it.kind.code(), !it.main, it.interfaceid));
    let rows = interfaces.into_iter().map(|it| {
        let kind = match it.kind {
            InterfaceType::Agent => "AGENT",
            InterfaceType::Snmp => "SNMP",
            InterfaceType::Ipmi => "IPMI",
            InterfaceType::Jmx => "JMX",
        };
        let mut row = json!({
            "{#IF.CONN}": if it.useip { &it.ip } else { &it.dns },
            "{#IF.IP}": it.ip,
            "{#IF.DNS}": it.dns,
            "{#IF.PORT}": it.port,
            "{#IF.TYPE}": kind,
            "{#IF.DEFAULT}": u8::from(it.main),
        });
        if let Some(details) = it.details.as_ref().filter(|_| it.kind == InterfaceType::Snmp) {
            row["{#IF.SNMP.BULK}"] = u8::from(details.bulk).into();
            row["{#IF.SNMP.VERSION}"] = match details.version {
                1 => "SNMPv1",
                2 => "SNMPv2c",
                3 => "SNMPv3",
                _ => "UNKNOWN",
            }
            .into();
        }
        row
    });
    serde_json::Value::from_iter(rows).to_string()
}
