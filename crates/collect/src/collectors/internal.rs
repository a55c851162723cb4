//! Internal items, `zabbix[...]`: those about polling and hosts are answered here, the rest by the
//! owner of the process.

use std::sync::Arc;

use lang::number::parse_duration_s;
use model::HostId;
use model::batch::OwnedRaw;
use model::content::InterfaceType;
use model::key::ItemKey;
use rt::queue::Receiver;

use super::{CheckResult, Finished, Request, Shared};
use crate::ports::{Answer, Available, not_supported};

/// Items that are late by less do not count as queued.
const QUEUE_FROM_S: u32 = 6;

pub(super) async fn run(shared: Arc<Shared>, requests: Receiver<Request>) {
    while let Some(request) = requests.receive().await {
        let Request { job, host, checks, done: mut readings, .. } = request;
        for check in &checks {
            let answer = match ItemKey::parse(&check.key) {
                Ok(key) if key.name == "zabbix" => value(&shared, &key, host),
                _ => not_supported("Unsupported item key."),
            };
            readings.push(check.reading(shared.clock.wall(), CheckResult::Answer(answer)));
        }
        shared.finish(Finished { job, readings }).await;
    }
}

fn value(shared: &Shared, key: &ItemKey, host: HostId) -> Answer {
    match key.param(0) {
        "queue" => queue(shared, key),
        "requiredperformance" if key.params.len() == 1 => {
            OwnedRaw::Float(shared.overview.required_performance())
        }
        "host" => of_host(shared, key, host),
        _ => shared.internals.value(key, host),
    }
}

fn queue(shared: &Shared, key: &ItemKey) -> Answer {
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

/// `zabbix[host,<type>,available]` and `zabbix[host,,items|items_unsupported]`.
fn of_host(shared: &Shared, key: &ItemKey, host: HostId) -> Answer {
    let snapshot = shared.configuration.snapshot();
    let Some(holder) = snapshot.hosts.get(&host) else {
        return not_supported("Unsupported item key.");
    };
    match (key.param(1), key.param(2)) {
        ("", "items") => {
            let items = holder.items.iter().filter(|it| it.is_monitored_item());
            OwnedRaw::Unsigned(items.count() as u64)
        }
        ("", "items_unsupported") => OwnedRaw::Unsigned(shared.item_states.n_unsupported(host)),
        ("active_agent", "available") => availability(shared.active.available(host)),
        (kind, "available") => {
            let kind = match kind {
                "agent" => InterfaceType::Agent,
                "snmp" => InterfaceType::Snmp,
                "ipmi" => InterfaceType::Ipmi,
                "jmx" => InterfaceType::Jmx,
                _ => return not_supported("Invalid second parameter."),
            };
            let main = holder.interfaces.iter().find(|it| it.main && it.kind == kind);
            let state = main.map(|it| shared.availability.interface(it.interfaceid).available);
            availability(state.unwrap_or_default())
        }
        _ => not_supported("Invalid third parameter."),
    }
}

/// Other numbers than the API has: 0 not available, 1 available, 2 unknown.
fn availability(available: Available) -> Answer {
    OwnedRaw::Unsigned(match available {
        Available::No => 0,
        Available::Yes => 1,
        Available::Unknown => 2,
    })
}

trait Monitored {
    fn is_monitored_item(&self) -> bool;
}

impl Monitored for model::snapshot::ItemRow {
    /// Enabled items, without rules and prototypes.
    fn is_monitored_item(&self) -> bool {
        use model::content::{ItemFlags, ItemStatus};
        matches!(self.flags, ItemFlags::Plain | ItemFlags::Discovered)
            && self.content.status == ItemStatus::Enabled
    }
}
