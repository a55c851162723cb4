//! Devices that network discovery found, as the hosts that actions make of them.

use db::objects::drule::checks;
use db::{DiscoveredDevice, DiscoveredService};
use model::HostId;
use model::content::{InterfaceType, SnmpDetails};
use model::document::Body;
use model::snapshot::Snapshot;

use super::hosts::{FoundDevice, FoundHost, FoundInterface};

/// Of hosts made for services that are no agents: where an agent would listen.
const AGENT_PORT: u16 = 10_050;
/// Codes of `host_source` and `name_source`.
const BY_NAME: &str = "1";
const BY_ADDRESS: &str = "2";
const BY_VALUE: &str = "3";

fn text<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(|it| it.as_str()).unwrap_or_default()
}

/// The host that stands for a device, if there is one.
pub(crate) fn find(device: &DiscoveredDevice, snapshot: &Snapshot) -> Option<HostId> {
    host_of(device, snapshot).in_snapshot(snapshot).map(|it| it.id)
}

/// The host that stands for a device, or is to.
pub(super) fn host_of(device: &DiscoveredDevice, snapshot: &Snapshot) -> FoundHost {
    let rule = snapshot.documents.get("drule", device.host.rule);
    let list: Vec<&Body> = rule.iter().flat_map(|it| checks(&it.body)).collect();
    let check_of = |it: &DiscoveredService| {
        let id = it.check.to_string();
        list.iter().copied().find(|check| text(check, "dcheckid") == id)
    };
    let named = |field: &str| name_by((device, list.as_slice()), field);
    let interfaces = device.services.iter().map(|it| interface(it, check_of(it)));
    let mut addresses = Vec::new();
    for it in device.services.iter().filter_map(|it| it.ip.parse().ok()) {
        if !addresses.contains(&it) {
            addresses.push(it);
        }
    }
    FoundHost {
        host: technical(&named("host_source")),
        device: Some(FoundDevice {
            name: named("name_source"),
            addresses,
            interfaces: interfaces.collect(),
        }),
        ..FoundHost::default()
    }
}

/// A name by the way that the rule's checks say: the value of a check if one of them names hosts by it and has
/// answered, else as the others say. Where there is no such name it is the address.
fn name_by((device, list): (&DiscoveredDevice, &[&Body]), field: &str) -> String {
    let first = device.services.first();
    let address = || first.map_or_else(String::new, |it| it.ip.clone());
    let by_value = list.iter().find(|it| text(it, field) == BY_VALUE);
    let value = by_value.and_then(|check| {
        let of_check = |it: &&DiscoveredService| it.check.to_string() == text(check, "dcheckid");
        let mut services = device.services.iter().filter(of_check);
        services.find(|it| !it.value.trim().is_empty()).map(|it| it.value.trim().to_owned())
    });
    if let Some(value) = value {
        return value;
    }
    let others = list.iter().map(|it| text(it, field)).find(|it| *it != BY_VALUE);
    // A rule that names hosts by a value alone falls back to names, as in Zabbix.
    match others.unwrap_or(BY_NAME) {
        BY_NAME => {
            let names = device.services.iter().map(|it| &it.dns);
            names.into_iter().find(|it| !it.is_empty()).cloned().unwrap_or_else(address)
        }
        BY_ADDRESS => address(),
        _ => String::new(),
    }
}

/// A technical name may have letters, digits, blanks, dots, dashes and underscores.
fn technical(name: &str) -> String {
    let fit = |it: char| it.is_ascii_alphanumeric() || matches!(it, ' ' | '.' | '-' | '_');
    let name: String = name.chars().map(|it| if fit(it) { it } else { '_' }).take(128).collect();
    name.trim().to_owned()
}

fn interface(service: &DiscoveredService, check: Option<&Body>) -> FoundInterface {
    let number = |name: &str| check.and_then(|it| text(it, name).parse::<i64>().ok());
    let given = |name: &str| check.map_or_else(String::new, |it| text(it, name).to_owned());
    let kind = number("type").unwrap_or_default();
    let (of, port) = match kind {
        9 => (InterfaceType::Agent, service.port),
        10 | 11 | 13 => (InterfaceType::Snmp, service.port),
        _ => (InterfaceType::Agent, AGENT_PORT),
    };
    let snmp = (of == InterfaceType::Snmp).then(|| SnmpDetails {
        version: match kind {
            10 => 1,
            11 => 2,
            _ => 3,
        },
        community: given("snmp_community"),
        securityname: given("snmpv3_securityname"),
        securitylevel: number("snmpv3_securitylevel").unwrap_or_default(),
        authpassphrase: given("snmpv3_authpassphrase"),
        privpassphrase: given("snmpv3_privpassphrase"),
        authprotocol: number("snmpv3_authprotocol").unwrap_or_default(),
        privprotocol: number("snmpv3_privprotocol").unwrap_or_default(),
        contextname: given("snmpv3_contextname"),
        ..SnmpDetails::default()
    });
    FoundInterface { kind: of, ip: service.ip.clone(), dns: service.dns.clone(), port, snmp }
}
