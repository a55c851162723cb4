//! Rules of network discovery, their checks, and their devices: visibility, filters, and changes.

use db::{DiscoveredHost, DiscoveredRow, DiscoveredService, RowsOfEvents};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn rule(admin: &Session<'_>, name: &str) -> (String, Vec<String>) {
    let rule = json!({"name": name, "iprange": "192.0.2.1-9", "dchecks": [
        {"type": 12}, {"type": 9, "ports": "10050", "key_": "agent.hostname", "uniq": 1}]});
    let id = admin.create("drule.create", rule);
    let checks = admin.call("dcheck.get", json!({"druleids": id, "output": ["dcheckid"]}));
    let checks = checks.as_array().unwrap().iter();
    (id, checks.map(|it| it["dcheckid"].as_str().unwrap().to_owned()).collect())
}

/// Two devices of a rule, the second one down, each with a service.
fn find(server: &Server, (rule, checks): &(String, Vec<String>)) {
    let number = |it: &String| it.parse::<u64>().unwrap();
    let host = |id: u64, is_up: bool| DiscoveredHost {
        id,
        rule: number(rule),
        is_up,
        lastup: if is_up { 100 } else { 0 },
        lastdown: if is_up { 0 } else { 200 },
    };
    let service = |id: u64, check: usize, ip: &str| DiscoveredService {
        id,
        host: id,
        check: number(&checks[check]),
        ip: ip.to_owned(),
        port: if check == 0 { 0 } else { 10_050 },
        value: "web".to_owned(),
        is_up: id == 1,
        lastup: 100,
        ..DiscoveredService::default()
    };
    let rows = RowsOfEvents {
        discovered: vec![
            DiscoveredRow::Host(host(1, true)),
            DiscoveredRow::Host(host(2, false)),
            DiscoveredRow::Service(service(1, 0, "192.0.2.1")),
            DiscoveredRow::Service(service(2, 1, "192.0.2.2")),
        ],
        ..RowsOfEvents::default()
    };
    server.db.events().apply_with(Vec::new(), rows, 1).unwrap();
}

#[test]
fn discovered_devices_are_found_by_each_filter_and_seen_by_admins() {
    let server = Server::start();
    let admin = server.login();
    let office = rule(&admin, "office");
    let other = rule(&admin, "other");
    find(&server, &office);
    let ids = |method: &str, id: &str, params: Value| -> Vec<String> {
        let rows = admin.call(method, params);
        let rows = rows.as_array().unwrap().iter();
        rows.map(|it| it[id].as_str().unwrap().to_owned()).collect()
    };
    for (params, expected) in [
        (json!({}), vec!["1", "2"]),
        (json!({"druleids": other.0}), vec![]),
        (json!({"druleids": [office.0], "filter": {"status": "1"}}), vec!["2"]),
        (json!({"dserviceids": "2"}), vec!["2"]),
        (json!({"dhostids": ["1", "9"]}), vec!["1"]),
        (json!({"sortfield": "dhostid", "sortorder": "DESC", "limit": 1}), vec!["2"]),
    ] {
        assert_eq!(ids("dhost.get", "dhostid", params.clone()), expected, "{params}");
    }
    for (params, expected) in [
        (json!({"dcheckids": office.1[1]}), vec!["2"]),
        (json!({"dhostids": "1"}), vec!["1"]),
        (json!({"druleids": office.0, "search": {"ip": ".2.2"}}), vec!["2"]),
        (json!({"druleids": other.0}), vec![]),
    ] {
        assert_eq!(ids("dservice.get", "dserviceid", params.clone()), expected, "{params}");
    }
    assert_eq!(ids("drule.get", "druleid", json!({"dhostids": "1"})), [office.0.as_str()]);
    assert_eq!(ids("drule.get", "druleid", json!({"dserviceids": "9"})), [""; 0]);
    assert_eq!(ids("dcheck.get", "dcheckid", json!({"dserviceids": "1"})), office.1);
    let host = json!({"host": "web", "groups": [{"groupid": "4"}], "interfaces": [
        {"type": 1, "main": 1, "useip": 1, "ip": "192.0.2.1", "dns": "", "port": "10050"}]});
    let web = admin.create("host.create", host);
    let all = json!({"dserviceids": "1", "output": ["ip"], "selectDRules": ["name"],
        "selectDHosts": ["status"], "selectHosts": ["host"]});
    let expected = json!([{"dserviceid": "1", "ip": "192.0.2.1",
        "drules": [{"druleid": office.0, "name": "office"}],
        "dhosts": [{"dhostid": "1", "status": "0"}], "hosts": [{"hostid": web, "host": "web"}]}]);
    let mut given = admin.call("dservice.get", all);
    given[0]["dserviceid"] = json!("1");
    assert_eq!(given, expected);
    for (services, expected) in
        [(json!("1"), 1), (json!(["1", "2"]), 1), (json!(2), 0), (json!("9"), 0)]
    {
        let params = json!({"dserviceids": services, "output": ["host"]});
        let hosts = admin.call("host.get", params);
        assert_eq!(hosts.as_array().unwrap().len(), expected, "{services} {hosts}");
        assert!(hosts.as_array().unwrap().iter().all(|it| it["host"] == "web"));
    }
    let selects = json!({"dhostids": "2", "output": ["lastdown"], "selectDServices": ["value"],
        "selectDRules": ["druleid"]});
    let host = admin.call("dhost.get", selects)[0].clone();
    assert_eq!(host["lastdown"], "200");
    assert_eq!(host["dservices"], json!([{"dserviceid": "2", "value": "web"}]));
    let counts = json!({"druleids": office.0, "output": ["error"], "selectDHosts": "count",
        "selectDChecks": "count"});
    let rule = admin.call("drule.get", counts)[0].clone();
    assert_eq!((&rule["dhosts"], &rule["dchecks"]), (&json!("2"), &json!("2")));

    let group = admin.create("usergroup.create", json!({"name": "readers"}));
    let user = json!({"username": "reader", "passwd": "for-tests-only-1", "roleid": "1",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let reader = server.login_as("reader", "for-tests-only-1");
    for method in ["drule.get", "dcheck.get", "dhost.get", "dservice.get"] {
        assert_eq!(reader.call(method, json!({"countOutput": true})), "0", "{method}");
    }
    let refused = reader.error("drule.delete", json!([office.0]));
    assert!(refused.contains("No permissions to call \"drule.delete\""), "{refused}");

    // Without the rule there is nothing of it.
    admin.call("drule.delete", json!([office.0]));
    assert_eq!(admin.call("dhost.get", json!({"countOutput": true})), "0");
    assert_eq!(admin.call("dservice.get", json!({"countOutput": true})), "0");
}

#[test]
fn a_rule_is_updated_by_check_and_checks_in_use_stay() {
    let server = Server::start();
    let admin = server.login();
    let (id, checks) = rule(&admin, "office");
    let change = json!({"druleid": id, "dchecks": [
        {"dcheckid": checks[1], "ports": "10060"}, {"type": 8, "ports": "80"}]});
    admin.call("drule.update", change);
    let params =
        json!({"druleids": id, "selectDChecks": ["dcheckid", "druleid", "type", "ports", "uniq"]});
    let rule = admin.call("drule.get", params)[0].clone();
    let kept =
        json!({"dcheckid": checks[1], "druleid": id, "type": "9", "ports": "10060", "uniq": "1"});
    assert_eq!(rule["dchecks"][0], kept);
    let new = rule["dchecks"][1]["dcheckid"].as_str().unwrap().to_owned();
    assert!(!checks.contains(&new), "{new}");
    let taken = admin.error(
        "drule.create",
        json!({"name": "office", "iprange": "192.0.2.1",
        "dchecks": [{"type": 12}]}),
    );
    assert!(taken.contains("Discovery rule \"office\" already exists."), "{taken}");

    let action = |value: &str, kind: u8| {
        json!({"name": format!("a {kind}"), "eventsource": 1,
            "filter": {"evaltype": 0, "conditions": [{"conditiontype": kind, "value": value}]},
            "operations": [{"operationtype": 2}]})
    };
    for (kind, what) in [(18, "discovery rule"), (19, "discovery check")] {
        let refused = admin.error("action.create", action("999", kind));
        assert!(refused.contains(&format!("Incorrect action condition {what}.")), "{refused}");
    }
    let of_check = admin.create("action.create", action(&new, 19));
    let refused =
        admin.error("drule.update", json!({"druleid": id, "dchecks": [{"dcheckid": checks[1]}]}));
    let expected = "Cannot delete discovery check \"TCP (80)\" of discovery rule \"office\": action \"a 19\" uses this \
                discovery check.";
    assert!(refused.contains(expected), "{refused}");
    admin.call("action.delete", json!([of_check]));
    let of_rule = admin.create("action.create", action(&id, 18));
    let refused = admin.error("drule.delete", json!([id]));
    let expected =
        "Cannot delete discovery rule \"office\": action \"a 18\" uses this discovery rule.";
    assert!(refused.contains(expected), "{refused}");
    admin.call("action.delete", json!([of_rule]));
    admin.call("drule.delete", json!([id]));
    // Passphrases are masked.
    let secret = json!({"name": "v3", "iprange": "192.0.2.1", "dchecks": [{"type": 13, "key_": "1.3",
        "snmpv3_securitylevel": 2, "snmpv3_authprotocol": 0, "snmpv3_privprotocol": 0,
        "snmpv3_authpassphrase": "never-shown", "snmpv3_privpassphrase": "never-shown"}]});
    admin.create("drule.create", secret);
    let audit = admin
        .call("auditlog.get", json!({"filter": {"resourcetype": 23}, "selectAllDetails": true}))
        .to_string();
    assert!(audit.contains("******") && !audit.contains("never-shown"), "{audit}");
}
