//! Items of types that nobody checks yet: the user is told so.

use std::sync::Arc;

use model::content::ItemType;
use rt::queue::Receiver;

use super::{CheckResult, Finished, Request, Shared};

pub(super) async fn run(shared: Arc<Shared>, requests: Receiver<Request>) {
    while let Some(request) = requests.receive().await {
        let now = shared.clock.wall();
        let Request { job, checks, done: mut readings, .. } = request;
        readings.extend(
            checks.iter().map(|it| it.reading(now, CheckResult::Refused(reason(it.kind, &it.key)))),
        );
        shared.finish(Finished { job, readings }).await;
    }
}

/// `key` with its macros resolved.
fn reason(kind: ItemType, key: &str) -> String {
    let what = match kind {
        ItemType::Simple => return reason_of_simple(key),
        ItemType::External => "External checks",
        ItemType::Odbc => "Database monitors",
        ItemType::Ipmi => "IPMI checks",
        ItemType::Ssh => "SSH checks",
        ItemType::Telnet => "Telnet checks",
        ItemType::Jmx => "JMX checks",
        ItemType::HttpAgent => "HTTP agent checks",
        ItemType::Script => "Script items",
        ItemType::Browser => "Browser items",
        _ => "Items of this type",
    };
    format!("{what} are not supported yet.")
}

/// Tells the keys that Zabbix has from those that nobody has.
fn reason_of_simple(key: &str) -> String {
    let name = key.split('[').next().unwrap_or_default();
    match name {
        "icmppingretry"
        | "net.tcp.service"
        | "net.tcp.service.perf"
        | "net.udp.service"
        | "net.udp.service.perf" => format!("The simple check {name} is not supported yet."),
        _ if name.starts_with("vmware.") => "VMware checks are not supported yet.".to_owned(),
        _ => "Unsupported item key.".to_owned(),
    }
}
