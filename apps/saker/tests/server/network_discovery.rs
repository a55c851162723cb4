//! Network discovery: a real agent, snmpd and a TCP server are found, lost and found again, over restarts.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use crate::support::on_call::OnCall;
use crate::support::{Server, address, wait_until};
use peers::{Agent, AgentKind, Snmpd, Sshd};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);
const AGENT_PORT: u16 = 21_050;
const SNMP_PORT: u16 = 21_161;
const TCP_PORT: u16 = 21_022;

/// Codes of events.
const UP: &str = "0";
const DOWN: &str = "1";
const DISCOVERED: &str = "2";
const LOST: &str = "3";

fn agent(at: Ipv4Addr, name: &str) -> Option<Agent> {
    AgentKind::Agentd.start((at, AGENT_PORT).into(), &format!("Hostname={name}\n"))
}

fn text(of: &Value, name: &str) -> String {
    of[name].as_str().unwrap_or_else(|| panic!("{name} in {of}")).to_owned()
}

fn rows(server: &Server, method: &str, params: &Value) -> Vec<Value> {
    server.call(method, params).as_array().unwrap().clone()
}

fn agent_check() -> Value {
    json!({"type": "9", "ports": AGENT_PORT.to_string(), "key_": "agent.hostname"})
}

/// Services by address and port, with whether they are up and their value.
fn services(server: &Server, rule: &str) -> Vec<(String, String, bool, String)> {
    let of = json!({"druleids": [rule], "output": "extend", "sortfield": "ip"});
    let services = rows(server, "dservice.get", &of)
        .into_iter()
        .map(|it| (text(&it, "ip"), text(&it, "port"), it["status"] == "0", text(&it, "value")));
    services.collect()
}

/// The events of an object that are no states: discovered and lost, in order.
fn changes(server: &Server, object: u8, id: &str) -> Vec<String> {
    let of = json!({"source": 1, "object": object, "objectids": [id], "value": [2, 3],
        "output": ["value"], "sortfield": "eventid"});
    rows(server, "event.get", &of).iter().map(|it| text(it, "value")).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one story, step by step")]
fn restarts_repeat_no_discovery_events() {
    let mut server = Server::start();
    let [at_agent, at_snmp, at_tcp, nobody] = [(); 4].map(|()| address());
    let Some(first) = agent(at_agent, "linux") else { return };
    let Some(_snmpd) = Snmpd::start((at_snmp, SNMP_PORT).into(), "sysName switch-1") else {
        return;
    };
    let _tcp = TcpListener::bind((at_tcp, TCP_PORT)).unwrap();
    server.create("usermacro.createglobal", &json!({"macro": "{$EVERY}", "value": "1s"}));
    server.create("usermacro.createglobal", &json!({"macro": "{$COMMUNITY}", "value": "public"}));
    let rule = json!({"name": "Lab", "delay": "{$EVERY}",
        "iprange": format!("{at_agent},{at_snmp}, {at_tcp},{nobody}"),
        "dchecks": [agent_check(),
            {"type": "11", "ports": SNMP_PORT.to_string(), "key_": "1.3.6.1.2.1.1.5.0",
                "snmp_community": "{$COMMUNITY}"},
            {"type": "8", "ports": format!("{TCP_PORT}-{}", TCP_PORT + 1)}]});
    let rule = server.create("drule.create", &rule).remove(0);
    wait_until("three devices", LIMIT, || {
        let up = json!({"druleids": [rule], "filter": {"status": "0"}, "countOutput": true});
        server.call("dhost.get", &up) == "3"
    });
    let mut expected = vec![
        (at_agent.to_string(), AGENT_PORT.to_string(), true, "linux".to_owned()),
        (at_snmp.to_string(), SNMP_PORT.to_string(), true, "switch-1".to_owned()),
        (at_tcp.to_string(), TCP_PORT.to_string(), true, String::new()),
    ];
    expected.sort();
    let mut found = services(&server, &rule);
    found.sort();
    assert_eq!(found, expected);
    let of_agent = json!({"output": "extend", "filter": {"ip": at_agent.to_string()},
        "selectDHosts": "extend", "selectDRules": ["name"]});
    let service = rows(&server, "dservice.get", &of_agent).remove(0);
    assert_eq!(service["drules"], json!([{"druleid": rule, "name": "Lab"}]));
    assert_eq!(service["dhosts"][0]["status"], "0");
    assert_ne!(service["lastup"], "0");
    let (host, service) = (text(&service, "dhostid"), text(&service, "dserviceid"));
    let error = server.call("drule.get", &json!({"output": ["error"]}));
    assert_eq!(error[0]["error"], "");

    // The events: one that it is there, and one for each round in which it is up.
    let n_events = |object: u8, id: &str, value: &str| {
        let of = json!({"source": 1, "object": object, "objectids": [id], "value": [value],
            "countOutput": true});
        text(&json!({"n": server.call("event.get", &of)}), "n").parse::<u32>().unwrap()
    };
    wait_until("two rounds", LIMIT, || n_events(1, &host, UP) > 1 && n_events(2, &service, UP) > 1);
    assert_eq!((n_events(1, &host, DISCOVERED), n_events(2, &service, DISCOVERED)), (1, 1));
    assert_eq!((n_events(1, &host, DOWN), n_events(1, &host, LOST)), (0, 0));
    let first_two = json!({"source": 1, "object": 1, "objectids": [host], "output": ["value", "name"],
        "sortfield": "eventid", "limit": 2});
    let values: Vec<String> =
        rows(&server, "event.get", &first_two).iter().map(|it| text(it, "value")).collect();
    assert_eq!(values, [DISCOVERED, UP]);
    assert_eq!(server.call("problem.get", &json!({"countOutput": true})), json!("0"));

    // A crash, and an orderly stop: no event is made or kept twice.
    server.kill();
    server.start_again();
    let n_up = || {
        let of = json!({"source": 1, "object": 1, "objectids": [host], "value": [0], "countOutput": true});
        text(&json!({"n": server.call("event.get", &of)}), "n").parse::<u32>().unwrap()
    };
    let before = n_up();
    wait_until("a round after the crash", LIMIT, || n_up() > before);
    assert_eq!(server.call("dhost.get", &json!({"countOutput": true})), json!("3"));
    assert_eq!(changes(&server, 1, &host), [DISCOVERED]);

    // The device goes away.
    drop(first);
    wait_until("the device is lost", LIMIT, || changes(&server, 1, &host) == [DISCOVERED, LOST]);
    let down = server.call("dhost.get", &json!({"dhostids": [host], "output": "extend"}));
    assert_eq!((&down[0]["status"], &down[0]["lastup"]), (&json!("1"), &json!("0")));
    assert_ne!(down[0]["lastdown"], "0");
    assert_eq!(changes(&server, 2, &service), [DISCOVERED, LOST]);
    server.stop();
    server.start_again();
    let Some(_again) = agent(at_agent, "linux") else { return };
    wait_until("the device is back", LIMIT, || {
        changes(&server, 1, &host) == [DISCOVERED, LOST, DISCOVERED]
    });
    assert_eq!(changes(&server, 2, &service), [DISCOVERED, LOST, DISCOVERED]);

    // Devices that no rule looks for any more are forgotten, events about them are not.
    let narrow = json!({"druleid": rule, "iprange": at_agent.to_string()});
    server.call("drule.update", &narrow);
    wait_until("others are forgotten", LIMIT, || services(&server, &rule).len() == 1);
    server.call("drule.delete", &json!([rule]));
    assert_eq!(server.call("dhost.get", &json!({"countOutput": true})), json!("0"));
    assert_eq!(changes(&server, 1, &host).len(), 3);
    let audited =
        server.call("auditlog.get", &json!({"filter": {"resourcetype": 23}, "countOutput": true}));
    assert_eq!(audited, json!("3"));
}

#[test]
fn unique_value_joins_addresses_and_wrong_interval_is_reported() {
    let server = Server::start();
    let [one, other] = [(); 2].map(|()| address());
    let Some(_first) = agent(one, "router") else { return };
    let Some(_second) = agent(other, "router") else { return };
    let ranges = format!("{one},{other}");
    let rule = |name: &str, uniq: &str, delay: &str| {
        let mut check = agent_check();
        check["uniq"] = json!(uniq);
        let rule = json!({"name": name, "iprange": ranges, "delay": delay, "dchecks": [check]});
        server.create("drule.create", &rule).remove(0)
    };
    let (by_value, by_address) = (rule("by value", "1", "1s"), rule("by address", "0", "1s"));
    let wrong = rule("wrong", "0", "{$NOT.THERE}");
    wait_until("all are found", LIMIT, || {
        services(&server, &by_value).len() == 2 && services(&server, &by_address).len() == 2
    });
    let n_hosts =
        |rule: &str| server.call("dhost.get", &json!({"druleids": [rule], "countOutput": true}));
    assert_eq!((n_hosts(&by_value), n_hosts(&by_address)), (json!("1"), json!("2")));
    wait_until("the rule says what is wrong", LIMIT, || {
        let of = json!({"druleids": [wrong], "output": ["error"]});
        server.call("drule.get", &of)[0]["error"] == "Invalid update interval \"{$NOT.THERE}\"."
    });
}

#[test]
#[expect(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]
fn a_whole_network_of_dead_addresses_is_looked_at_in_time_and_polling_goes_on() {
    let server = Server::start();
    let host = server.group("Polled");
    let host = json!({"host": "polled", "groups": [{"groupid": host}]});
    let host = server.create("host.create", &host).remove(0);
    let item = json!({"hostid": host, "name": "up", "key_": "zabbix[uptime]", "type": 5,
        "value_type": 3, "delay": "1s"});
    let item = server.create("item.create", &item).remove(0);
    wait_until("polling", LIMIT, || server.last(&item).is_some());
    let [_, high, ..] = address().octets();
    let rule = json!({"name": "dead", "iprange": format!("127.{}.0.0/16", high ^ 0x80), "delay": "1h",
        "dchecks": [{"type": "8", "ports": "1"}]});
    let start = Instant::now();
    server.create("drule.create", &rule);
    let n_looked_at = || server.metric("saker_network_discovery_addresses_total");
    let n_waiting = || server.metric("saker_network_discovery_checks_waiting");
    let mut newest = server.last(&item);
    let mut longest = Duration::ZERO;
    let mut most_waiting = 0;
    let mut changed = Instant::now();
    wait_until("the round is over", Duration::from_secs(240), || {
        let last = server.last(&item);
        if last != newest {
            longest = longest.max(changed.elapsed());
            (newest, changed) = (last, Instant::now());
        }
        most_waiting = most_waiting.max(n_waiting());
        n_looked_at() == 65_534
    });
    eprintln!("65,534 addresses in {:?}, no value for {longest:?} at most", start.elapsed());
    assert!(longest < Duration::from_secs(30), "polling waited {longest:?}");
    assert!(0 < most_waiting, "the queue of discovery");
    wait_until("none waits", LIMIT, || n_waiting() == 0);
    assert_eq!(server.call("dhost.get", &json!({"countOutput": true})), json!("0"));
}

/// A template with one item of the agent.
fn template(server: &Server) -> String {
    let group = server.create("templategroup.create", &json!({"name": "Found"})).remove(0);
    let template = json!({"host": "Found by agent", "groups": [{"groupid": group}]});
    let template = server.create("template.create", &template).remove(0);
    let item = json!({"hostid": template, "name": "Name", "key_": "agent.hostname", "type": 0,
        "value_type": 4, "delay": "1s"});
    server.create("item.create", &item);
    template
}

fn condition(kind: u8, value: &str) -> Value {
    json!({"conditiontype": kind.to_string(), "operator": "0", "value": value})
}

fn action(server: &Server, name: &str, conditions: &[Value], operations: &Value) {
    let action = json!({"name": name, "eventsource": "1",
        "filter": {"evaltype": "0", "conditions": conditions}, "operations": operations});
    server.create("action.create", &action);
}

fn host_named(server: &Server, name: &str) -> Option<Value> {
    let of = json!({"filter": {"host": [name]}, "output": ["host", "name", "status", "inventory_mode"],
        "selectInterfaces": ["type", "main", "ip", "port"], "selectHostGroups": ["name"],
        "selectParentTemplates": ["host"], "selectTags": ["tag", "value"]});
    rows(server, "host.get", &of).pop()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one story, step by step")]
fn discovery_actions_continue_after_a_crash() {
    let mut server = Server::start();
    let [at_agent, at_snmp, at_tcp] = [(); 3].map(|()| address());
    let Some(first) = agent(at_agent, "web") else { return };
    let Some(_snmpd) = Snmpd::start((at_snmp, SNMP_PORT).into(), "sysName switch:1") else {
        return;
    };
    let _tcp = TcpListener::bind((at_tcp, TCP_PORT)).unwrap();
    let (users, template, group) =
        (OnCall::default().make(&server), template(&server), server.group("Devices"));
    let mut by_address = agent_check();
    by_address["host_source"] = json!("2");
    let rule = json!({"name": "Lab", "delay": "1s", "status": "1",
        "iprange": format!("{at_agent},{at_snmp},{at_tcp}"),
        "dchecks": [by_address,
            {"type": "11", "ports": SNMP_PORT.to_string(), "key_": "1.3.6.1.2.1.1.5.0",
                "snmp_community": "public", "host_source": "3"},
            {"type": "8", "ports": TCP_PORT.to_string(), "host_source": "2"}]});
    let rule = server.create("drule.create", &rule).remove(0);
    let checks =
        rows(&server, "dcheck.get", &json!({"druleids": [rule], "output": ["dcheckid", "type"]}));
    let agents = checks.iter().find(|it| it["type"] == "9").map(|it| text(it, "dcheckid")).unwrap();
    let (of_rule, is_up) = (condition(18, &rule), condition(10, UP));
    let tag = json!([{"tag": "found-by", "value": "Lab"}]);
    action(
        &server,
        "Make hosts",
        &[of_rule.clone(), is_up.clone(), condition(21, "1")],
        &json!([{"operationtype": "2"}, {"operationtype": "4", "opgroup": [{"groupid": group}]},
            {"operationtype": "13", "optag": tag},
            {"operationtype": "10", "opinventory": {"inventory_mode": "1"}}]),
    );
    action(
        &server,
        "Watch agents",
        &[of_rule, is_up, condition(19, &agents), condition(8, "9")],
        &json!([{"operationtype": "6", "optemplate": [{"templateid": template}]},
            {"operationtype": "8"}]),
    );
    let said = json!({"default_msg": "0", "message": "x", "subject": "{DISCOVERY.RULE.NAME}: {DISCOVERY.SERVICE.NAME} at \
        {DISCOVERY.DEVICE.IPADDRESS}:{DISCOVERY.SERVICE.PORT} is {DISCOVERY.SERVICE.STATUS}"});
    action(
        &server,
        "Report services",
        &[
            condition(10, DISCOVERED),
            condition(21, "2"),
            condition(7, &at_agent.to_string()),
            condition(9, "21000-21099"),
        ],
        &json!([{"operationtype": "0", "opmessage": said, "opmessage_grp": [{"usrgrpid": users}]}]),
    );
    action(
        &server,
        "Lost",
        &[condition(10, LOST), condition(21, "1")],
        &json!([{"operationtype": "9"}]),
    );
    server.call("drule.update", &json!({"druleid": rule, "status": "0"}));

    // No letter, digit, blank, dot, dash or underscore: no part of a technical name.
    let (web, switch, plain) = (at_agent.to_string(), "switch_1".to_owned(), at_tcp.to_string());
    let is_watched = || {
        host_named(&server, &web)
            .is_some_and(|it| it["parentTemplates"][0]["host"] == "Found by agent")
    };
    wait_until("the host of the agent", LIMIT, is_watched);
    wait_until("the other hosts", LIMIT, || {
        [&switch, &plain]
            .iter()
            .all(|it| host_named(&server, it).is_some_and(|it| it["tags"] == tag))
    });
    wait_until("its tag", LIMIT, || host_named(&server, &web).unwrap()["tags"] == tag);
    let made = host_named(&server, &web).unwrap();
    assert_eq!(made["inventory_mode"], "1");
    let interface = |of: &Value| {
        let it = &of["interfaces"][0];
        (text(it, "type"), text(it, "main"), text(it, "ip"), text(it, "port"))
    };
    let at =
        |kind: &str, ip: String, port: u16| (kind.to_owned(), "1".to_owned(), ip, port.to_string());
    assert_eq!(interface(&made), at("1", at_agent.to_string(), AGENT_PORT));
    let switch = host_named(&server, &switch).unwrap();
    assert_eq!(interface(&switch), at("2", at_snmp.to_string(), SNMP_PORT));
    let plain = host_named(&server, &plain).unwrap();
    assert_eq!(interface(&plain), at("1", at_tcp.to_string(), 10_050));
    assert_eq!(plain["parentTemplates"], json!([]));
    let groups = made["hostgroups"].as_array().unwrap().len();
    assert_eq!(groups, 2, "the group for what is found, and that of the action: {made}");
    // The template's item is polled.
    let item =
        rows(&server, "item.get", &json!({"hostids": [made["hostid"]], "output": ["itemid"]}));
    let item = text(&item[0], "itemid");
    wait_until("a value", LIMIT, || server.last(&item).as_deref() == Some("web"));
    let subjects = || {
        let of = json!({"output": ["subject"], "eventsource": 1, "eventobject": 2, "sortfield": "alertid"});
        rows(&server, "alert.get", &of).iter().map(|it| text(it, "subject")).collect::<Vec<_>>()
    };
    let expected = format!("Lab: Zabbix agent at {at_agent}:{AGENT_PORT} is UP");
    wait_until("the message", LIMIT, || !subjects().is_empty());
    assert_eq!(subjects(), std::slice::from_ref(&expected));

    let count = |server: &Server| server.call("host.get", &json!({"countOutput": true}));
    let n_hosts = count(&server);
    server.kill();
    server.start_again();
    drop(first);
    wait_until("the lost host is disabled", LIMIT, || {
        host_named(&server, &web).unwrap()["status"] == "1"
    });
    assert_eq!(count(&server), n_hosts);
    let Some(_again) = agent(at_agent, "web") else { return };
    wait_until("it is enabled again", LIMIT, || {
        host_named(&server, &web).unwrap()["status"] == "0"
    });
    let subjects = || {
        let of = json!({"output": ["subject"], "eventsource": 1, "eventobject": 2, "sortfield": "alertid"});
        rows(&server, "alert.get", &of).iter().map(|it| text(it, "subject")).collect::<Vec<_>>()
    };
    wait_until("another message", LIMIT, || subjects().len() == 2);
    assert_eq!(subjects(), [expected.clone(), expected]);
    assert_eq!(count(&server), n_hosts);
    // Rules that an action names cannot be deleted.
    let refused = server.try_call("drule.delete", &json!([rule])).unwrap_err();
    let expected =
        "Cannot delete discovery rule \"Lab\": action \"Make hosts\" uses this discovery rule.";
    assert_eq!(refused["data"], expected);
}

#[test]
fn pings_real_ssh_and_snmpv3_are_answered_and_addresses_that_nobody_has_are_not() {
    let server = Server::start();
    let at_snmp = address();
    let user = "sysName core\ncreateUser reader SHA \"authentication\" AES \"privacy-privacy\"\nrouser reader priv";
    let Some(_snmpd) = Snmpd::start((at_snmp, SNMP_PORT).into(), user) else { return };
    let Some(ssh) = Sshd::start() else { return };
    // No address of anybody, by RFC 5737.
    let nobody = "192.0.2.77";
    let check = |level: &str, passphrase: &str| {
        json!({"type": "13", "ports": SNMP_PORT.to_string(), "key_": "1.3.6.1.2.1.1.5.0",
            "snmpv3_securityname": "reader", "snmpv3_securitylevel": level, "snmpv3_authprotocol": "1",
            "snmpv3_authpassphrase": passphrase, "snmpv3_privprotocol": "1",
            "snmpv3_privpassphrase": "privacy-privacy"})
    };
    let rule = json!({"name": "All kinds", "delay": "1s",
        "iprange": format!("{at_snmp},{},{nobody}", ssh.address.ip()),
        "dchecks": [{"type": "12"}, {"type": "0", "ports": ssh.address.port().to_string()},
            check("2", "authentication"), check("2", "another-passphrase")]});
    let rule = server.create("drule.create", &rule).remove(0);
    let mut expected = vec![
        (at_snmp.to_string(), "0".to_owned(), true, String::new()),
        (at_snmp.to_string(), SNMP_PORT.to_string(), true, "core".to_owned()),
        (ssh.address.ip().to_string(), "0".to_owned(), true, String::new()),
        (ssh.address.ip().to_string(), ssh.address.port().to_string(), true, String::new()),
    ];
    expected.sort();
    wait_until("all are found", LIMIT, || services(&server, &rule).len() == expected.len());
    wait_until("the round is over", LIMIT, || {
        server.metric("saker_network_discovery_addresses_total") >= 3
    });
    let mut found = services(&server, &rule);
    found.sort();
    assert_eq!(found, expected);
    let of_home =
        json!({"druleids": [rule], "filter": {"ip": "127.0.0.1"}, "output": ["dns"], "limit": 1});
    let name = server.call("dservice.get", &of_home)[0]["dns"].clone();
    assert_eq!(name, "localhost", "by the hosts file");
}
