use serde_json::json;

use super::*;

fn checked(change: &Json) -> Result<(), String> {
    let mut given =
        json!({"name": "office", "iprange": "192.0.2.1-9", "dchecks": [{"type": "12"}]});
    for (name, value) in change.as_object().expect("fields") {
        given[name] = value.clone();
    }
    let body = DRULE.made_of(given.as_object().expect("an object")).map_err(|it| it.text())?;
    check(&body).map_err(|it| it.text())
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn faults_are_reported_with_zabbix_texts() {
    let long = "1.".repeat(30);
    let of = |check: Json| json!({"dchecks": [check]});
    let pair = |one: Json, other: Json| json!({"dchecks": [one, other]});
    let agent = json!({"type": "9", "key_": "agent.ping", "ports": "10050"});
    for (change, text) in [
        (json!({"name": ""}), "Incorrect value for field \"name\": cannot be empty."),
        (json!({"iprange": ""}), "Incorrect value for field \"iprange\": cannot be empty."),
        (
            json!({"iprange": "192.0.2.1,192.0.2.9-1"}),
            "Incorrect value for field \"iprange\": invalid address range \"192.0.2.9-1\".",
        ),
        (
            json!({"iprange": "192.0.2.0/31"}),
            "Incorrect value for field \"iprange\": invalid address range \"192.0.2.0/31\".",
        ),
        (
            json!({"iprange": "example.com"}),
            "Incorrect value for field \"iprange\": invalid address range \"example.com\".",
        ),
        (
            json!({"iprange": "10.0.0.0/15"}),
            "Incorrect value for field \"iprange\": IP range \"10.0.0.0/15\" exceeds \"65536\" address limit.",
        ),
        (
            json!({"iprange": "2001:db8::/111"}),
            "Incorrect value for field \"iprange\": IP range \"2001:db8::/111\" exceeds \"65536\" address limit.",
        ),
        (json!({"delay": ""}), "Incorrect value for field \"delay\": cannot be empty."),
        (
            json!({"delay": "0"}),
            "Incorrect value for field \"delay\": value must be no less than \"1\".",
        ),
        (
            json!({"delay": "8d"}),
            "Incorrect value for field \"delay\": value must be no greater than \"604800\".",
        ),
        (json!({"delay": "soon"}), "Incorrect value for field \"delay\": a time unit is expected."),
        (json!({"status": "2"}), "Incorrect value \"2\" for \"status\" field."),
        (
            json!({"concurrency_max": "1000"}),
            "Incorrect value \"1000\" for \"concurrency_max\" field.",
        ),
        (
            json!({"proxyid": "7"}),
            "Invalid parameter \"/1/proxyid\": object does not exist, or you have no permissions to it.",
        ),
        (json!({"dchecks": []}), "Cannot save discovery rule without checks."),
        (of(json!({"type": "16"})), "Incorrect value \"16\" for \"type\" field."),
        (of(json!({"type": "0", "ports": "22,70000"})), "Incorrect port range."),
        (of(json!({"type": "0", "ports": ""})), "Incorrect port range."),
        (of(json!({"type": "9"})), "Incorrect value for field \"key_\": cannot be empty."),
        (of(json!({"type": "11", "key_": "1.3"})), "Incorrect SNMP community."),
        (of(json!({"type": "10", "snmp_community": "public"})), "Incorrect SNMP OID."),
        (of(json!({"type": "13"})), "Incorrect SNMP OID."),
        (
            of(json!({"type": "12", "allow_redirect": "2"})),
            "Incorrect value \"2\" for \"allow_redirect\" field.",
        ),
        (
            of(json!({"type": "12", "host_source": "3"})),
            "Incorrect value for field \"host_source\": 3.",
        ),
        (
            of(json!({"type": "12", "host_source": "0"})),
            "Incorrect value for field \"host_source\": 0.",
        ),
        (
            of(json!({"type": "12", "name_source": "4"})),
            "Incorrect value for field \"name_source\": 4.",
        ),
        (
            of(json!({"type": "12", "uniq": "1"})),
            "Only Zabbix agent, SNMPv1, SNMPv2 and SNMPv3 checks can be made unique.",
        ),
        (
            of(
                json!({"type": "13", "key_": "1.3", "snmpv3_securitylevel": "2", "snmpv3_privprotocol": "6"}),
            ),
            "Incorrect value \"6\" for \"snmpv3_privprotocol\" field.",
        ),
        (
            pair(json!({"type": "8", "ports": "80"}), json!({"type": "8", "ports": "80"})),
            "Checks should be unique.",
        ),
        (
            pair(
                json!({"type": "9", "key_": "a", "uniq": "1"}),
                json!({"type": "9", "key_": "b", "uniq": "1"}),
            ),
            "Only one check can be unique.",
        ),
        (
            pair(
                json!({"type": "9", "key_": "a", "host_source": "3"}),
                json!({"type": "9", "key_": "b", "host_source": "3"}),
            ),
            "Incorrect value for field \"host_source\": 3.",
        ),
    ] {
        assert_eq!(checked(&change), Err(text.to_owned()), "{change}");
    }
    let refused = checked(&of(json!({"type": "9", "key_": "a["}))).expect_err("a bad key");
    assert!(refused.starts_with("Invalid key \"a[\": "), "{refused}");
    assert!(checked(&json!({"iprange": long})).is_err());
    for change in [
        json!({"iprange": "192.0.2.1-255, 198.51.100.0/24,2001:db8::1-ff,10.0.0.0/16"}),
        json!({"delay": "{$DISCOVERY.DELAY}"}),
        json!({"concurrency_max": "999", "status": "1"}),
        pair(agent, json!({"type": "9", "key_": "agent.ping", "ports": "10051"})),
        of(json!({"type": "13", "key_": "1.3", "snmpv3_authprotocol": "9"})),
    ] {
        assert_eq!(checked(&change), Ok(()), "{change}");
    }
}

#[test]
fn checks_are_named_as_lists_show_them() {
    let name = |check: Json| check_name(check.as_object().expect("an object"));
    assert_eq!(name(json!({"type": "12", "ports": "0"})), "ICMP ping");
    assert_eq!(name(json!({"type": "8", "ports": "80,8000-8010"})), "TCP (80,8000-8010)");
    let agent = json!({"type": "9", "ports": "10050", "key_": "agent.ping"});
    assert_eq!(name(agent), "Zabbix agent (10050) \"agent.ping\"");
}

#[test]
fn checks_keep_ids_and_fields_missing_in_an_update() {
    let given = json!({"name": "office", "iprange": "192.0.2.1", "dchecks": [
        {"type": "8", "ports": "80"}, {"type": "9", "key_": "agent.ping", "uniq": "1"}]});
    let mut next = 10;
    let mut take_id = || {
        next += 1;
        next
    };
    let mut body = DRULE.made_of(given.as_object().expect("an object")).expect("good");
    number_checks(&mut body, &Body::new(), &mut take_id);
    assert_eq!(check_ids(&body), BTreeSet::from([11, 12]));
    let old = Document { id: 1, key: "office".into(), body };
    let snapshot = Snapshot::default();
    let update =
        json!({"dchecks": [{"type": "0", "ports": "22"}, {"dcheckid": "12", "ports": "10060"}]});
    let update = completed(&snapshot, &old, update.as_object().expect("an object")).expect("good");
    let mut body = DRULE.changed_by(&old.body, &update).expect("good");
    number_checks(&mut body, &update, &mut take_id);
    let found: Vec<[&str; 4]> = checks(&body)
        .map(|it| ["dcheckid", "type", "ports", "uniq"].map(|name| text_of(it, name)))
        .collect();
    assert_eq!(found, [["13", "0", "22", "0"], ["12", "9", "10060", "1"]]);
    let foreign = json!({"dchecks": [{"dcheckid": "99"}]});
    let refused = completed(&snapshot, &old, foreign.as_object().expect("an object"));
    let expected = "Invalid parameter \"/1/dchecks/1/dcheckid\": object does not exist, or you have no permissions to it.";
    assert_eq!(refused.expect_err("not there").text(), expected);
}
