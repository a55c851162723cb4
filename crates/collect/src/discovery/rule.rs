//! A rule as a round works with it: macros replaced, ports and addresses parsed.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use formats::number::parse_duration_s;
use lang::macros::{FuncEnv, Layer, Layers, substitute_user};
use lang::net::{IpRanges, PortRanges};
use model::content::{MacroType, SnmpDetails};
use model::document::{Body, Document};
use model::snapshot::Snapshot;
use serde_json::Value as Json;
use wire::services::Service;

use crate::ports::Secrets;

/// SNMP's own port.
const SNMP_PORT: u16 = 161;
const AGENT_PORT: u16 = 10_050;
const WEEK_S: u64 = 7 * 86_400;

/// The work of one round.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: u64,
    pub(super) addresses: IpRanges,
    /// Time from the start of one round to the next.
    pub(super) delay: Duration,
    /// Checks at once; `None`: no limit of its own.
    pub(super) concurrency_max: Option<usize>,
    pub(super) checks: Vec<RuleCheck>,
}

/// A check of a rule.
#[derive(Debug)]
pub(super) struct RuleCheck {
    pub(super) id: u64,
    pub(super) ports: PortRanges,
    pub(super) what: What,
}

/// The kind of a check.
#[derive(Debug)]
pub(super) enum What {
    Ping { takes_redirected: bool },
    Service(Service),
    Agent { key: String },
    Snmp { oid: String, details: Box<SnmpDetails> },
}

fn text<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

impl Rule {
    /// # Errors
    /// Why the rule makes no rounds as it is, for users.
    pub(super) fn of(
        document: &Arc<Document>,
        snapshot: &Snapshot,
        secrets: Option<&dyn Secrets>,
    ) -> Result<Self, String> {
        let global = Layer::new(&snapshot.globals.macros);
        let layers = Layers { host: &[], global: &global };
        let zone = jiff::tz::TimeZone::UTC;
        let env = FuncEnv::new(&zone);
        let missing = OnceCell::new();
        let expand = |given: &str| {
            substitute_user(given, &env, &mut |written| {
                let found = layers.resolve(written)?;
                if found.kind != MacroType::Vault {
                    return Some(found.value.to_string());
                }
                let secret = secrets?.secret(&found.value);
                secret.map(|it| it.to_string()).map_err(|why| missing.get_or_init(|| why)).ok()
            })
        };
        let written = document.text("delay");
        let delay = parse_duration_s(&expand(written)).filter(|it| (1..=WEEK_S).contains(it));
        let delay = delay.ok_or_else(|| format!("Invalid update interval \"{written}\"."))?;
        let addresses = IpRanges::parse(document.text("iprange"))
            .ok_or_else(|| "Invalid format of IP addresses.".to_owned())?;
        let list = document.body.get("dchecks").and_then(Json::as_array);
        let list = list.into_iter().flatten().filter_map(Json::as_object);
        let checks = list.filter_map(|it| RuleCheck::of(it, &expand)).collect();
        if let Some(why) = missing.into_inner() {
            return Err(why);
        }
        Ok(Self {
            id: document.id,
            addresses,
            delay: Duration::from_secs(delay),
            concurrency_max: document.text("concurrency_max").parse().ok().filter(|it| *it != 0),
            checks,
        })
    }
}

impl RuleCheck {
    fn of(body: &Body, expand: &dyn Fn(&str) -> String) -> Option<Self> {
        let number = |name: &str| text(body, name).parse::<i64>().unwrap_or_default();
        let kind = number("type");
        let what = match kind {
            9 => What::Agent { key: expand(text(body, "key_")) },
            10 | 11 | 13 => What::Snmp {
                oid: expand(text(body, "key_")),
                details: Box::new(SnmpDetails {
                    version: [(10, 1), (11, 2)].iter().find(|it| it.0 == kind).map_or(3, |it| it.1),
                    bulk: false,
                    community: expand(text(body, "snmp_community")),
                    securityname: expand(text(body, "snmpv3_securityname")),
                    securitylevel: number("snmpv3_securitylevel"),
                    authpassphrase: expand(text(body, "snmpv3_authpassphrase")),
                    privpassphrase: expand(text(body, "snmpv3_privpassphrase")),
                    authprotocol: number("snmpv3_authprotocol"),
                    privprotocol: number("snmpv3_privprotocol"),
                    contextname: expand(text(body, "snmpv3_contextname")),
                    ..SnmpDetails::default()
                }),
            },
            12 => What::Ping { takes_redirected: number("allow_redirect") == 1 },
            _ => What::Service(service(kind)?),
        };
        let usual = match &what {
            What::Ping { .. } => 0,
            What::Agent { .. } => AGENT_PORT,
            What::Snmp { .. } => SNMP_PORT,
            What::Service(it) => it.default_port().unwrap_or_default(),
        };
        let given = text(body, "ports");
        let is_usual = matches!(given, "" | "0") || matches!(what, What::Ping { .. });
        let usual = usual.to_string();
        let ports = PortRanges::parse(if is_usual { &usual } else { given })?;
        Some(Self { id: text(body, "dcheckid").parse().ok()?, ports, what })
    }
}

fn service(kind: i64) -> Option<Service> {
    Some(match kind {
        0 => Service::Ssh,
        1 => Service::Ldap,
        2 => Service::Smtp,
        3 => Service::Ftp,
        4 => Service::Http,
        5 => Service::Pop,
        6 => Service::Nntp,
        7 => Service::Imap,
        8 => Service::Tcp,
        14 => Service::Https,
        15 => Service::Telnet,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use model::content::HostMacro;
    use serde_json::json;

    use super::*;

    fn rule(change: &Json) -> Result<Rule, String> {
        let mut body = json!({"iprange": "192.0.2.1-2", "delay": "{$EVERY}", "concurrency_max": "0",
            "dchecks": [
                {"dcheckid": "1", "type": "12", "ports": "0", "allow_redirect": "1"},
                {"dcheckid": "2", "type": "0", "ports": "0"},
                {"dcheckid": "3", "type": "8", "ports": "80,8000-8001"},
                {"dcheckid": "4", "type": "9", "ports": "", "key_": "system.run[{$EVERY}]"},
                {"dcheckid": "5", "type": "11", "ports": "161", "key_": "1.3", "snmp_community": "{$C}"},
                {"dcheckid": "6", "type": "13", "ports": "0", "key_": "1.3", "snmpv3_securityname": "u",
                    "snmpv3_securitylevel": "1", "snmpv3_authprotocol": "3"}]});
        for (name, value) in change.as_object().expect("fields") {
            body[name] = value.clone();
        }
        let mut snapshot = Snapshot::default();
        let mut globals = (*snapshot.globals).clone();
        let of = |name: &str, value: &str| HostMacro {
            hostmacroid: model::HostMacroId(1),
            name: name.to_owned(),
            value: value.to_owned(),
            description: String::new(),
            kind: if name.starts_with("{$VAULT") { MacroType::Vault } else { MacroType::Text },
        };
        globals.macros = vec![
            of("{$EVERY}", "5m"),
            of("{$C}", "secret"),
            of("{$VAULT}", "a:b"),
            of("{$VAULT.NOT}", "a:c"),
        ];
        snapshot.globals = Arc::new(globals);
        let body = body.as_object().expect("an object").clone();
        Rule::of(&Arc::new(Document { id: 7, key: "a".into(), body }), &snapshot, Some(&One))
    }

    struct One;

    impl Secrets for One {
        fn secret(&self, named: &str) -> Result<Arc<str>, String> {
            if named == "a:b" { Ok("of the vault".into()) } else { Err(format!("no {named}")) }
        }
    }

    #[test]
    fn credentials_may_be_secrets_of_a_vault() {
        let check = |community: &str| json!({"dchecks": [{"dcheckid": "5", "type": "11", "ports": "161", "key_": "1.3", "snmp_community": community}]});
        match &rule(&check("{$VAULT}")).expect("good").checks[0].what {
            What::Snmp { details, .. } => assert_eq!(details.community, "of the vault"),
            other => panic!("{other:?}"),
        }
        assert_eq!(rule(&check("{$VAULT.NOT}")).expect_err("refused"), "no a:c");
    }

    #[test]
    fn macros_are_replaced_and_ports_have_defaults() {
        let rule = rule(&json!({})).expect("good");
        assert_eq!(
            (rule.id, rule.delay, rule.concurrency_max),
            (7, Duration::from_secs(300), None)
        );
        assert_eq!(rule.addresses.iter().count(), 2);
        let ports: Vec<Vec<u16>> = rule.checks.iter().map(|it| it.ports.iter().collect()).collect();
        assert_eq!(
            ports,
            [vec![0], vec![22], vec![80, 8_000, 8_001], vec![10_050], vec![161], vec![161]]
        );
        match [
            &rule.checks[0].what,
            &rule.checks[3].what,
            &rule.checks[4].what,
            &rule.checks[5].what,
        ] {
            [
                What::Ping { takes_redirected: true },
                What::Agent { key },
                What::Snmp { details: v2, .. },
                What::Snmp { details: v3, .. },
            ] => {
                assert_eq!(key, "system.run[5m]");
                assert_eq!((v2.version, &*v2.community), (2, "secret"));
                assert_eq!((v3.version, &*v3.securityname, v3.authprotocol), (3, "u", 3));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn invalid_interval_is_reported() {
        for delay in ["{$NONE}", "8d", "0"] {
            let error = rule(&json!({"delay": delay})).expect_err("refused");
            assert_eq!(error, format!("Invalid update interval \"{delay}\"."));
        }
        let parsed = rule(&json!({"concurrency_max": "7"})).expect("good");
        assert_eq!(parsed.concurrency_max, Some(7));
    }
}
