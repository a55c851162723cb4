//! The checks and their targets: the items and interfaces of each kind of check.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::super::snmpd;
use super::page::{N_METRICS, prometheus_pattern};

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Protocol {
    /// Passive agent checks, a connection each.
    Agent,
    /// The same, each encrypted by a pre-shared key.
    AgentPsk,
    /// SNMP v2c, get of single objects.
    Snmp,
    /// The same, of counters that a real snmpd answers; at most 29 items a host.
    Snmpd,
    /// The same by SNMP v3 with authentication and privacy (SHA-256, AES-128).
    SnmpdV3,
    /// Pings, one packet each; this machine answers by itself.
    Icmp,
    /// HTTP agent items on kept connections.
    Http,
    /// A page of Prometheus metrics with a dependent item for each of 500 of them.
    Prometheus,
    /// Script items, a small script.
    Script,
}

/// Of all hosts.
pub(super) const PSK: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// User of [`Protocol::SnmpdV3`].
pub(super) const V3_USER: (&str, &str, &str) = ("bench", "authentication", "privacy of all");
/// Parameters in, arithmetic, a number out.
const SCRIPT: &str = "var it = JSON.parse(value); return it.one * 2 + it.two.length;";

impl Protocol {
    /// As metrics name it.
    pub(super) fn collector(self) -> &'static str {
        match self {
            Self::Agent | Self::AgentPsk => "agent",
            Self::Snmp | Self::Snmpd | Self::SnmpdV3 => "snmp",
            Self::Icmp => "icmp",
            Self::Http | Self::Prometheus => "http",
            Self::Script => "script",
        }
    }

    /// As the figures name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Snmpd => "snmpd",
            Self::SnmpdV3 => "snmpd_v3",
            Self::AgentPsk => "agent_psk",
            Self::Prometheus => "prometheus",
            _ => self.collector(),
        }
    }

    /// Checks of a host. A ping is of the host, a page of metrics as well.
    pub(super) fn n_checks(self, items: usize) -> usize {
        match self {
            Self::Snmpd | Self::SnmpdV3 => items.min(snmpd::N_OBJECTS),
            Self::Icmp | Self::Prometheus => 1,
            _ => items,
        }
    }

    /// The fields of a check's item.
    pub(super) fn item(self, number: usize, port: u16) -> Value {
        match self {
            Self::Agent | Self::AgentPsk => json!({"type": 0, "key_": format!("bench[{number}]")}),
            Self::Snmp => json!({
                "type": 20, "key_": format!("bench[{number}]"),
                "snmp_oid": format!("1.3.6.1.4.1.8072.9999.9999.{}.0", number + 1),
            }),
            Self::Snmpd | Self::SnmpdV3 => json!({
                "type": 20, "key_": format!("bench[{number}]"), "snmp_oid": snmpd::oid(number),
            }),
            Self::Icmp => json!({"type": 3, "key_": "icmppingsec[,1]"}),
            Self::Http => json!({
                "type": 19, "key_": format!("bench[{number}]"),
                "url": format!("http://127.0.0.1:{port}/{number}"),
            }),
            Self::Prometheus => json!({
                "type": 19, "key_": "page", "value_type": 4, "history": "0",
                "url": format!("http://127.0.0.1:{port}/metrics"),
            }),
            Self::Script => json!({
                "type": 21, "key_": format!("bench[{number}]"), "params": SCRIPT, "timeout": "3s",
                "parameters": [{"name": "one", "value": "21"}, {"name": "two", "value": "a text"}],
            }),
        }
    }

    /// Items whose values come with a check's.
    pub(super) fn dependents(self, master: &str) -> Vec<Value> {
        if self != Self::Prometheus {
            return Vec::new();
        }
        let item = |number: usize| {
            let params = format!("{}\nvalue\n", prometheus_pattern(number));
            let step = json!({
                "type": 22, "params": params, "error_handler": 0, "error_handler_params": "",
            });
            json!({
                "type": 18, "name": format!("Metric {number}"), "key_": format!("metric[{number}]"),
                "value_type": 0, "master_itemid": master, "preprocessing": [step],
            })
        };
        (0..N_METRICS).map(item).collect()
    }

    /// None where checks have addresses of their own.
    fn interface(self, host: usize, port: u16) -> Option<Value> {
        let mut interface = json!({
            "type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": port.to_string()
        });
        match self {
            Self::Agent | Self::AgentPsk => {}
            Self::Snmp | Self::Snmpd => {
                interface["type"] = json!(2);
                interface["details"] = json!({"version": 2, "bulk": 1, "community": "public"});
            }
            Self::SnmpdV3 => {
                let (name, authentication, privacy) = V3_USER;
                interface["type"] = json!(2);
                interface["details"] = json!({
                    "version": 3, "bulk": 1, "securityname": name, "securitylevel": 2,
                    "authprotocol": 3, "authpassphrase": authentication,
                    "privprotocol": 1, "privpassphrase": privacy,
                });
            }
            Self::Icmp => {}
            Self::Http | Self::Prometheus | Self::Script => return None,
        }
        if let Self::Snmpd | Self::SnmpdV3 | Self::Icmp = self {
            interface["ip"] = json!(address(host));
        }
        Some(interface)
    }

    /// The fields of a host that are this protocol's.
    pub(super) fn host(self, number: usize, port: u16) -> Value {
        let interfaces: Vec<_> = self.interface(number, port).into_iter().collect();
        let mut host = json!({ "interfaces": interfaces });
        if self == Self::AgentPsk {
            host["tls_connect"] = json!(2);
            host["tls_psk_identity"] = json!("bench");
            host["tls_psk"] = json!(PSK);
        }
        host
    }
}

/// One of 127.0.0.0/8 for each host.
pub(in super::super) fn address(host: usize) -> String {
    format!("127.{}.{}.{}", 1 + host / 65_536, host / 256 % 256, host % 256)
}
