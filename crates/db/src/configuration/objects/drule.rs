//! Rules of network discovery: which addresses are looked at, how often, and for what.
//!
//! Checks are parts with ids of their own, which the editor gives: results are stored by them, and
//! conditions of actions name them. An update that names a check changes it and leaves fields that
//! it does not have; checks that it does not name are gone, unless an action has a condition on
//! them.

use std::collections::BTreeSet;

use formats::number::parse_duration_s;
use lang::macros::UserMacro;
use lang::net::{IpRange, PortRanges};
use model::content::{RoleType, UiElement};
use model::describe::{
    Depends, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, When, Writes,
};
use model::document::{Body, Document};
use model::key::ItemKey;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::{ChangeKind, Edited, Stored};
use crate::error::{ConfigError, edited};

/// Addresses of one range at most.
pub const ADDRESSES_MAX: u128 = 65_536;
const WEEK_S: u64 = 7 * 86_400;
/// Conditions of actions on rules and on checks.
const RULE_CONDITION: &str = "18";
const CHECK_CONDITION: &str = "19";

const AGENT: i64 = 9;
const SNMP_V1: i64 = 10;
const SNMP_V2C: i64 = 11;
const PING: i64 = 12;
const SNMP_V3: i64 = 13;
const TYPE_MAX: i64 = 15;
const FROM_VALUE: i64 = 3;
const AUTH_PROTOCOL_MAX: i64 = 5;
const PRIV_PROTOCOL_MAX: i64 = 5;

const TEXT: FieldType = FieldType::Text { max: 255 };
const PASSPHRASE: FieldType = FieldType::Text { max: 64 };
/// Numbers out of range have an error text of their own.
const NUMBER: FieldType = FieldType::Int { min: -2_147_483_648, max: 2_147_483_647 };

const OF_SNMP_3: &Depends = &Depends::goes_with(&[When::of("type", &["13"])]);
const TYPES: &[i64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const PROTOCOLS: &[i64] = &[0, 1, 2, 3, 4, 5];

/// Of a check.
pub const DCHECK: [Field; 16] = [
    Field::new("dcheckid", FieldType::Id, Rule::ReadOnly, "Id; in an update it names the check to change"),
    Field::new(
        "type",
        NUMBER,
        Rule::Required,
        "0 SSH, 1 LDAP, 2 SMTP, 3 FTP, 4 HTTP, 5 POP, 6 NNTP, 7 IMAP, 8 TCP, 9 Zabbix agent, 10 SNMPv1, 11 SNMPv2c, \
         12 ICMP ping, 13 SNMPv3, 14 HTTPS, 15 Telnet",
    ).accepting(TYPES)
    .or_message("Field \"type\" is mandatory."),
    Field::new("key_", FieldType::Text { max: 2_048 }, Rule::Default(""), "Of agents: the key; of SNMP: the OID").depends(&Depends::goes_with(&[When::of("type", &["9", "10", "11", "13"])])),
    Field::new("snmp_community", TEXT, Rule::Default(""), "Of SNMPv1 and SNMPv2c: the community").depends(&Depends::goes_with(&[When::of("type", &["10", "11"])])),
    Field::new(
        "ports",
        TEXT,
        Rule::Default("0"),
        "Ports and ranges of them, separated by commas; 0 the usual one of the type",
    )
    .or_number(),
    Field::new("snmpv3_securityname", PASSPHRASE, Rule::Default(""), "Of SNMPv3: the user").depends(OF_SNMP_3),
    Field::new(
        "snmpv3_securitylevel",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "Of SNMPv3: 0 noAuthNoPriv, 1 authNoPriv, 2 authPriv",
    ).depends(OF_SNMP_3),
    Field::new("snmpv3_authpassphrase", PASSPHRASE, Rule::Default(""), "Of SNMPv3: for authentication").depends(OF_SNMP_3).secret(),
    Field::new("snmpv3_privpassphrase", PASSPHRASE, Rule::Default(""), "Of SNMPv3: for privacy").depends(OF_SNMP_3).secret(),
    Field::new(
        "uniq",
        FieldType::Code(&[0, 1]),
        Rule::Default("0"),
        "1: addresses with the same value are one device; of agents and SNMP, and of one check only",
    ).depends(&Depends::goes_with(&[When::of("type", &["9", "10", "11", "13"])])),
    Field::new(
        "snmpv3_authprotocol",
        NUMBER,
        Rule::Default("0"),
        "Of SNMPv3: 0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512",
    ).depends(OF_SNMP_3).accepting(PROTOCOLS),
    Field::new(
        "snmpv3_privprotocol",
        NUMBER,
        Rule::Default("0"),
        "Of SNMPv3: 0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C",
    ).depends(OF_SNMP_3).accepting(PROTOCOLS),
    Field::new("snmpv3_contextname", TEXT, Rule::Default(""), "Of SNMPv3: the context").depends(OF_SNMP_3),
    Field::new(
        "host_source",
        NUMBER,
        Rule::Default("1"),
        "Technical name of hosts made of devices: 1 DNS name, 2 IP address, 3 the value of this check",
    ).accepting(&[1, 2, 3]),
    Field::new(
        "name_source",
        NUMBER,
        Rule::Default("0"),
        "Visible name of hosts made of devices: 0 none, 1 DNS name, 2 IP address, 3 the value of this check",
    ).accepting(&[0, 1, 2, 3]),
    Field::new(
        "allow_redirect",
        NUMBER,
        Rule::Default("0"),
        "Of ICMP ping: 1 an answer of another address counts",
    ).depends(&Depends::goes_with(&[When::of("type", &["12"])])).accepting(&[0, 1]),
];

const OBJECT: Object = Object {
    name: "drule",
    type_name: "NetworkDiscoveryRule",
    nouns: Nouns { one: "a network discovery rule", several: "network discovery rules" },
    resource: Some(23),
    role: RoleRule::one_of(&[UiElement::NetworkDiscovery]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "druleid",
    ids: "druleids",
    fields: &[
        Field::new("druleid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("proxyid", FieldType::Id, Rule::Default("0"), "Only 0 yet: the server looks"),
        Field::new("name", TEXT, Rule::Required, "Name")
            .or_message("Field \"name\" is mandatory.")
            .or_empty(),
        Field::new(
            "iprange",
            FieldType::Text { max: 2_048 },
            Rule::Required,
            "Addresses, ranges (192.0.2.1-99) and networks (192.0.2.0/24, 2001:db8::/120), separated by commas",
        )
        .or_message("Incorrect value for field \"iprange\": cannot be empty.")
        .or_empty(),
        Field::new(
            "delay",
            TEXT,
            Rule::Default("1h"),
            "From one round to the next: 1 s to 1 week, or a user macro",
        )
        .or_number(),
        Field::new("status", NUMBER, Rule::Default("0"), "0 enabled, 1 disabled").accepting(&[0, 1]),
        Field::new(
            "concurrency_max",
            NUMBER,
            Rule::Default("0"),
            "Checks at once: 0 as many as the server makes, 1 one after the other, at most 999",
        ),
        Field::new("error", TEXT, Rule::ReadOnly, "Why the last round was not made; empty if it was"),
        Field::new("dchecks", FieldType::List(&DCHECK), Rule::Optional, "What is looked for; at least one"),
    ],
    selects: &[
        Select::new("selectDChecks", "dchecks", Gives::Parts(&DCHECK)).countable().limited("dcheckid"),
        Select::new("selectDHosts", "dhosts", Gives::Objects("dhost")).countable().limited("dhostid"),
    ],
    params: Params::of(&["druleids", "dhostids", "dserviceids", "limitSelects"]),
    sort: &["druleid", "name"],
    doc: "Which addresses are looked at for devices, and by which checks",
};

const SAMPLE: &str = r#"{"name": "Office network", "iprange": "192.0.2.1-254,198.51.100.0/28", "delay": "30m",
    "dchecks": [{"type": "12"}, {"type": "9", "ports": "10050", "key_": "system.hostname", "uniq": "1",
        "host_source": "3", "name_source": "2"},
        {"type": "11", "ports": "161", "key_": "1.3.6.1.2.1.1.5.0", "snmp_community": "{$SNMP_COMMUNITY}"}]}"#;

pub static DRULE: Stored = Stored {
    write: RoleType::Admin,
    check: |_, body| check(body),
    guard,
    ..Stored::new(
        OBJECT,
        Edited::AsNetworkDiscovery,
        &["name"],
        "Discovery rule \"{}\" already exists.",
        SAMPLE,
    )
};

type Checked = Result<(), ConfigError>;

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number_of(body: &Body, name: &str) -> i64 {
    text_of(body, name).parse().unwrap_or(0)
}

/// The checks of a rule.
pub fn checks(body: &Body) -> impl Iterator<Item = &Body> {
    let list = body.get("dchecks").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

/// The ids of its checks.
pub(crate) fn check_ids(body: &Body) -> BTreeSet<u64> {
    checks(body)
        .filter_map(|it| text_of(it, "dcheckid").parse().ok())
        .filter(|it| *it != 0)
        .collect()
}

/// The error of a wrong value of a field.
fn incorrect(field: &str, what: &str) -> ConfigError {
    ConfigError::parameters(format_args!("Incorrect value for field \"{field}\": {what}."))
}

fn wrong_value(field: &str, value: &str) -> ConfigError {
    ConfigError::parameters(format_args!("Incorrect value \"{value}\" for \"{field}\" field."))
}

fn check(body: &Body) -> Checked {
    if text_of(body, "name").is_empty() {
        return Err(incorrect("name", "cannot be empty"));
    }
    check_ranges(text_of(body, "iprange"))?;
    check_delay(text_of(body, "delay"))?;
    for (field, most) in [("status", 1), ("concurrency_max", 999)] {
        if !(0..=most).contains(&number_of(body, field)) {
            return Err(wrong_value(field, text_of(body, field)));
        }
    }
    if number_of(body, "proxyid") != 0 {
        let what = "object does not exist, or you have no permissions to it";
        return Err(ConfigError::invalid(edited("proxyid"), what));
    }
    if checks(body).next().is_none() {
        return Err(ConfigError::parameters("Cannot save discovery rule without checks."));
    }
    check_checks(body)
}

fn check_ranges(text: &str) -> Checked {
    if text.is_empty() {
        return Err(incorrect("iprange", "cannot be empty"));
    }
    range_error(text).map_or(Ok(()), |what| Err(incorrect("iprange", &what)))
}

/// The error of the first wrong one of addresses, ranges and networks.
pub(super) fn range_error(text: &str) -> Option<String> {
    text.split(',').map(str::trim).find_map(|part| match IpRange::parse(part) {
        None => Some(format!("invalid address range \"{part}\"")),
        Some(range) if ADDRESSES_MAX < range.len() => {
            Some(format!("IP range \"{part}\" exceeds \"{ADDRESSES_MAX}\" address limit"))
        }
        Some(_) => None,
    })
}

fn check_delay(text: &str) -> Checked {
    if UserMacro::parse_definition(text).is_some() {
        return Ok(());
    }
    let what = match parse_duration_s(text) {
        _ if text.is_empty() => "cannot be empty".to_owned(),
        None => "a time unit is expected".to_owned(),
        Some(0) => "value must be no less than \"1\"".to_owned(),
        Some(it) if it <= WEEK_S => return Ok(()),
        Some(_) => format!("value must be no greater than \"{WEEK_S}\""),
    };
    Err(incorrect("delay", &what))
}

fn check_checks(body: &Body) -> Checked {
    let mut n_unique = 0;
    // Of all checks only one may name hosts by its value.
    let mut named_by_value = BTreeSet::new();
    let mut seen = Vec::new();
    for check in checks(body) {
        let kind = number_of(check, "type");
        let has_value = matches!(kind, AGENT | SNMP_V1 | SNMP_V2C | SNMP_V3);
        if text_of(check, "uniq") == "1" {
            if !has_value {
                return Err(ConfigError::parameters(
                    "Only Zabbix agent, SNMPv1, SNMPv2 and SNMPv3 checks can be made unique.",
                ));
            }
            n_unique += 1;
        }
        if PortRanges::parse(text_of(check, "ports")).is_none() {
            return Err(ConfigError::parameters("Incorrect port range."));
        }
        for (field, least) in [("name_source", 0), ("host_source", 1)] {
            let source = number_of(check, field);
            let is_possible = match source {
                FROM_VALUE => has_value && named_by_value.insert(field),
                _ => (least..FROM_VALUE).contains(&source),
            };
            if !is_possible {
                return Err(incorrect(field, text_of(check, field)));
            }
        }
        if !(0..=TYPE_MAX).contains(&kind) {
            return Err(wrong_value("type", text_of(check, "type")));
        }
        check_of_type(check, kind)?;
        let compared = compared(check);
        if seen.contains(&compared) {
            return Err(ConfigError::parameters("Checks should be unique."));
        }
        seen.push(compared);
    }
    if n_unique > 1 {
        return Err(ConfigError::parameters("Only one check can be unique."));
    }
    Ok(())
}

fn check_of_type(check: &Body, kind: i64) -> Checked {
    let key = text_of(check, "key_");
    match kind {
        AGENT if key.is_empty() => return Err(incorrect("key_", "cannot be empty")),
        AGENT => {
            if let Err(error) = ItemKey::parse(key) {
                return Err(ConfigError::parameters(format_args!(
                    "Invalid key \"{key}\": {error}."
                )));
            }
        }
        SNMP_V1 | SNMP_V2C if text_of(check, "snmp_community").is_empty() => {
            return Err(ConfigError::parameters("Incorrect SNMP community."));
        }
        SNMP_V1 | SNMP_V2C | SNMP_V3 if key.is_empty() => {
            return Err(ConfigError::parameters("Incorrect SNMP OID."));
        }
        PING if !(0..=1).contains(&number_of(check, "allow_redirect")) => {
            return Err(wrong_value("allow_redirect", text_of(check, "allow_redirect")));
        }
        _ => {}
    }
    let level = number_of(check, "snmpv3_securitylevel");
    for (field, from_level, most) in [
        ("snmpv3_authprotocol", 1, AUTH_PROTOCOL_MAX),
        ("snmpv3_privprotocol", 2, PRIV_PROTOCOL_MAX),
    ] {
        if from_level <= level && !(0..=most).contains(&number_of(check, field)) {
            return Err(wrong_value(field, text_of(check, field)));
        }
    }
    Ok(())
}

/// The fields by which checks are distinguished.
fn compared(check: &Body) -> Body {
    let mut fields = check.clone();
    fields.retain(|name, _| !matches!(name.as_str(), "dcheckid" | "uniq"));
    let level = number_of(check, "snmpv3_securitylevel");
    let unused: &[(&str, &str)] = match level {
        0 => &[
            ("snmpv3_authprotocol", "0"),
            ("snmpv3_privprotocol", "0"),
            ("snmpv3_authpassphrase", ""),
            ("snmpv3_privpassphrase", ""),
        ],
        1 => &[("snmpv3_privprotocol", "0"), ("snmpv3_privpassphrase", "")],
        _ => &[],
    };
    for (name, value) in unused {
        fields.insert((*name).to_owned(), Json::from(*value));
    }
    fields
}

/// The first action with a condition of a type on one of these ids: its name and the id.
pub(crate) fn action_on(
    snapshot: &Snapshot,
    condition: &str,
    ids: &BTreeSet<u64>,
) -> Option<(String, u64)> {
    snapshot.documents.of("action").find_map(|action| {
        let filter = action.body.get("filter").and_then(Json::as_object)?;
        let list = filter.get("conditions").and_then(Json::as_array)?;
        let mut conditions = list.iter().filter_map(Json::as_object);
        conditions.find_map(|it| {
            let id = text_of(it, "value").parse().ok()?;
            let is_on = text_of(it, "conditiontype") == condition && ids.contains(&id);
            is_on.then(|| (action.text("name").to_owned(), id))
        })
    })
}

fn guard(snapshot: &Snapshot, rule: &Document, change: ChangeKind) -> Checked {
    if change == ChangeKind::Update {
        return Ok(());
    }
    if let Some((action, _)) = action_on(snapshot, RULE_CONDITION, &BTreeSet::from([rule.id])) {
        return Err(ConfigError::parameters(format_args!(
            "Cannot delete discovery rule \"{}\": action \"{action}\" uses this discovery rule.",
            rule.text("name")
        )));
    }
    check_unused(snapshot, rule, &check_ids(&rule.body))
}

/// Checks that are about to go: no action may have a condition on them.
fn check_unused(snapshot: &Snapshot, rule: &Document, gone: &BTreeSet<u64>) -> Checked {
    let Some((action, id)) = action_on(snapshot, CHECK_CONDITION, gone) else { return Ok(()) };
    let id = id.to_string();
    let check = checks(&rule.body).find(|it| text_of(it, "dcheckid") == id);
    Err(ConfigError::parameters(format_args!(
        "Cannot delete discovery check \"{}\" of discovery rule \"{}\": action \"{action}\" uses this discovery check.",
        check.map(check_name).unwrap_or_default(),
        rule.text("name")
    )))
}

/// The services that checks look for, by their types.
pub const TYPE_NAMES: [&str; 16] = [
    "SSH",
    "LDAP",
    "SMTP",
    "FTP",
    "HTTP",
    "POP",
    "NNTP",
    "IMAP",
    "TCP",
    "Zabbix agent",
    "SNMPv1 agent",
    "SNMPv2 agent",
    "ICMP ping",
    "SNMPv3 agent",
    "HTTPS",
    "Telnet",
];

/// The service that a type of checks looks for.
#[must_use]
pub fn type_name(kind: i64) -> &'static str {
    usize::try_from(kind).ok().and_then(|it| TYPE_NAMES.get(it)).copied().unwrap_or("unknown")
}

/// As lists show a check: `SSH (22)`, `Zabbix agent (10050) "system.hostname"`.
#[must_use]
pub fn check_name(check: &Body) -> String {
    let kind = number_of(check, "type");
    let mut name = type_name(kind).to_owned();
    let ports = text_of(check, "ports");
    if kind != PING && !matches!(ports, "" | "0") {
        name.push_str(&format!(" ({ports})"));
    }
    if matches!(kind, AGENT | SNMP_V1 | SNMP_V2C | SNMP_V3) {
        name.push_str(&format!(" \"{}\"", text_of(check, "key_")));
    }
    name
}

/// The given fields of an existing rule, completed: checks that name their ids keep the fields that
/// are not given.
///
/// # Errors
/// If one names a check that the rule does not have, or names one twice, or an action needs one that would go.
pub(crate) fn completed(
    snapshot: &Snapshot,
    old: &Document,
    given: &Body,
) -> Result<Body, ConfigError> {
    let mut given = given.clone();
    let Some(Json::Array(list)) = given.get_mut("dchecks") else { return Ok(given) };
    let mut kept = BTreeSet::new();
    for (at, check) in list.iter_mut().filter_map(Json::as_object_mut).enumerate() {
        let id = text_of(check, "dcheckid").to_owned();
        if matches!(id.as_str(), "" | "0") {
            continue;
        }
        let path = edited("dchecks").element(at);
        let Some(before) = checks(&old.body).find(|it| text_of(it, "dcheckid") == id) else {
            let what = "object does not exist, or you have no permissions to it";
            return Err(ConfigError::invalid(path.member("dcheckid"), what));
        };
        if !kept.insert(id.parse().unwrap_or_default()) {
            let what = format!("value (dcheckid)=({id}) already exists");
            return Err(ConfigError::invalid(path, what));
        }
        for (name, value) in before {
            check.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    let gone = check_ids(&old.body).difference(&kept).copied().collect();
    check_unused(snapshot, old, &gone)?;
    Ok(given)
}

/// Gives checks their ids: those that are given, and new ones to others.
pub(crate) fn number_checks(body: &mut Body, given: &Body, mut take_id: impl FnMut() -> u64) {
    let Some(Json::Array(list)) = body.get_mut("dchecks") else { return };
    let mut given = checks(given);
    for check in list.iter_mut().filter_map(Json::as_object_mut) {
        let given = given.next().map(|it| text_of(it, "dcheckid")).unwrap_or_default();
        if matches!(text_of(check, "dcheckid"), "" | "0") {
            let is_known = !matches!(given, "" | "0");
            let id = if is_known { given.to_owned() } else { take_id().to_string() };
            check.insert("dcheckid".to_owned(), Json::from(id));
        }
    }
}

#[cfg(test)]
mod tests;
