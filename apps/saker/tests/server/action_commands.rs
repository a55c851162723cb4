//! Actions that execute commands and make hosts, over kills.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::autoregistration::ask;
use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

fn server() -> Server {
    Server::start_with(&[("SAKER_COMMANDS_ON_SERVER", "true")])
}

/// A shell command on the server that actions execute.
fn script(server: &Server, command: &str) -> String {
    let script =
        json!({"name": command, "type": "0", "scope": "1", "execute_on": "1", "command": command});
    server.create("script.create", &script).remove(0)
}

fn on(script: &str, hosts: &[&str]) -> Value {
    let hosts: Vec<Value> = hosts.iter().map(|it| json!({ "hostid": it })).collect();
    json!({"operationtype": "1", "opcommand": {"scriptid": script}, "opcommand_hst": hosts})
}

fn lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Step, status, text and error of commands, in order.
fn alerts(server: &Server, more: &Value) -> Vec<(String, String, String, String)> {
    let mut params = json!({"output": "extend", "sortfield": "alertid"});
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    let rows = server.call("alert.get", &params);
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    let line = |it: &Value| {
        assert_eq!(
            (&it["userid"], &it["mediatypeid"], &it["sendto"]),
            (&json!("0"), &json!("0"), &json!(""))
        );
        (text(it, "esc_step"), text(it, "status"), text(it, "message"), text(it, "error"))
    };
    rows.as_array().unwrap().iter().filter(|it| it["alerttype"] == "1").map(line).collect()
}

#[test]
fn commands_run_at_problem_update_and_recovery() {
    let server = server();
    let said = server.dir().join("said");
    let (host, other) = (server.host("h"), server.host("other"));
    let group = server.group("Rack");
    let inner = server.group("Rack/One");
    let add = json!({"hosts": [{"hostid": other}], "groups": [{"groupid": inner}]});
    server.call("host.massadd", &add);
    server.create(
        "host.create",
        &json!({"host": "disabled", "status": "1", "groups": [{"groupid": group}]}),
    );
    server.create(
        "usermacro.create",
        &json!({"hostid": host, "macro": "{$TOKEN}", "value": "s3cret", "type": "1"}),
    );
    let file = said.display();
    let script_id = script(
        &server,
        &format!(
            "echo '{{HOST.HOST}} {{EVENT.NAME}} {{EVENT.VALUE}} {{EVENT.UPDATE.MESSAGE}} {{$TOKEN}}' >> {file}"
        ),
    );
    let grouped = json!({"operationtype": "1", "opcommand": {"scriptid": script_id},
        "opcommand_grp": [{"groupid": group}], "opcommand_hst": [{"hostid": "0"}]});
    let action = json!({"name": "Restart", "eventsource": "0", "operations": [grouped],
        "recovery_operations": [on(&script_id, &["0"])], "update_operations": [on(&script_id, &["0"])]});
    server.create("action.create", &action);
    server.trapper_item(&host, "k", FLOAT);
    let trigger = server.trigger("too much", "last(/h/k)>10");
    server.send("h", "k", "11", now());
    wait_until("both commands", LIMIT, || lines(&said).len() == 2);
    let mut first = lines(&said);
    first.sort();
    assert_eq!(
        first,
        [
            // Macros of hosts are those of the event; user macros those of the host that it is executed for.
            "h too much 1 {EVENT.UPDATE.MESSAGE} s3cret",
            "h too much 1 {EVENT.UPDATE.MESSAGE} {$TOKEN}"
        ]
    );
    let problem = server.call("problem.get", &json!({"objectids": [trigger]}));
    let event = problem[0]["eventid"].as_str().unwrap();
    server.call("event.acknowledge", &json!({"eventids": [event], "action": 4, "message": "mine"}));
    wait_until("that of the update", LIMIT, || lines(&said).len() == 3);
    server.send("h", "k", "1", now() + 1);
    wait_until("that of the recovery", LIMIT, || lines(&said).len() == 4);
    assert_eq!(
        lines(&said)[2..],
        ["h too much 1 mine s3cret", "h too much 0 {EVENT.UPDATE.MESSAGE} s3cret"]
    );
    wait_until("all outcomes", LIMIT, || alerts(&server, &json!({})).iter().all(|it| it.1 == "1"));
    let rows = alerts(&server, &json!({}));
    let steps: Vec<&str> = rows.iter().map(|it| &*it.0).collect();
    // Updates and recoveries count as the first step.
    assert_eq!(steps, ["1", "1", "1", "1"]);
    assert!(rows.iter().all(|it| it.3.is_empty()));
    // The secret is masked for all readers.
    let shown = |host: &str, token: &str| {
        format!("{host}:echo '{host} too much 1 {{EVENT.UPDATE.MESSAGE}} {token}' >> {file}")
    };
    assert!(rows[..2].iter().any(|it| it.2 == shown("h", "******")), "{rows:?}");
    assert_eq!(server.metric("saker_commands_executed_total"), 4);
}

#[test]
fn a_command_on_another_host_knows_the_problems_host_and_its_own() {
    let server = server();
    let said = server.dir().join("said");
    let group = server.group("Rack");
    let host = |name: &str, ip: &str| {
        let interface = json!({"type": 1, "main": 1, "useip": 1, "ip": ip, "dns": "", "port": "1"});
        let params = json!({"host": name, "name": format!("the {name}"),
            "groups": [{"groupid": group}], "interfaces": [interface],
            "macros": [{"macro": "{$SITE}", "value": format!("site of {name}")}]});
        server.create("host.create", &params).remove(0)
    };
    let (failed, gateway) = (host("web", "192.0.2.1"), host("gateway", "192.0.2.9"));
    let script_id = script(
        &server,
        &format!(
            "echo '{{HOST.HOST}} {{HOST.NAME}} {{HOST.IP}} {{HOST.CONN}} {{HOST.ID}}; {{HOST.TARGET.HOST}} \
             {{HOST.TARGET.NAME}} {{HOST.TARGET.IP}} {{HOST.TARGET.CONN}}; {{$SITE}}' >> {}",
            said.display()
        ),
    );
    let action = json!({"name": "Restart", "eventsource": "0",
        "operations": [on(&script_id, &["0", &gateway])], "recovery_operations": [on(&script_id, &[&gateway])]});
    server.create("action.create", &action);
    server.trapper_item(&failed, "k", FLOAT);
    server.trigger("too much", "last(/web/k)>10");
    server.send("web", "k", "11", now());
    wait_until("both commands", LIMIT, || lines(&said).len() == 2);
    let of_event = format!("web the web 192.0.2.1 192.0.2.1 {failed}");
    let on_gateway =
        format!("{of_event}; gateway the gateway 192.0.2.9 192.0.2.9; site of gateway");
    let on_own = format!("{of_event}; web the web 192.0.2.1 192.0.2.1; site of web");
    let mut both = lines(&said);
    both.sort();
    assert_eq!(both, [on_gateway.clone(), on_own]);
    // The text that users read says the same.
    let rows = alerts(&server, &json!({}));
    assert!(rows.iter().any(|it| it.2.starts_with("gateway:") && it.2.contains(&on_gateway)));
    server.send("web", "k", "1", now() + 1);
    wait_until("that of the recovery", LIMIT, || lines(&said).len() == 3);
    assert_eq!(lines(&said)[2], on_gateway);
}

#[test]
fn a_command_that_a_kill_cuts_off_is_not_executed_again() {
    let mut server = server();
    let (host, said) = (server.host("h"), server.dir().join("said"));
    let file = said.display();
    // Of one session each, so that the second one waits for the first.
    server.stop();
    server.set_env("SAKER_COMMANDS_SESSIONS_MAX", "1");
    server.start_again();
    let slow = script(&server, &format!("echo begun >> {file}; sleep 30; echo over >> {file}"));
    let quick = script(&server, &format!("echo next >> {file}"));
    let missing = script(&server, "exit 3");
    let action = json!({"name": "a", "eventsource": "0",
        "operations": [on(&slow, &["0"]), on(&quick, &["0"]), on(&missing, &["0"])]});
    server.create("action.create", &action);
    server.trapper_item(&host, "k", FLOAT);
    server.trigger("too much", "last(/h/k)>10");
    server.send("h", "k", "11", now());
    wait_until("it is begun", LIMIT, || lines(&said) == ["begun"]);
    server.kill();
    server.start_again();
    wait_until("all outcomes", LIMIT, || {
        let rows = alerts(&server, &json!({}));
        rows.len() == 3 && rows.iter().all(|it| it.1 == "1" || it.1 == "2")
    });
    let rows = alerts(&server, &json!({}));
    let outcomes: Vec<(&str, &str)> = rows.iter().map(|it| (&*it.1, &*it.3)).collect();
    assert_eq!(outcomes[0].0, "2");
    assert!(outcomes[0].1.starts_with("The server ended while the command was executed."));
    assert_eq!(outcomes[1..], [("1", ""), ("2", "Process exited with code: 3.")]);
    assert_eq!(lines(&said), ["begun", "next"]);
    assert_eq!(server.metric("saker_commands_cut_off_total"), 1);
}

#[test]
fn scripts_of_actions_are_for_actions_and_stay_while_they_are_used() {
    let server = server();
    let by_hand = json!({"name": "by hand", "type": "0", "scope": "2", "command": "true"});
    let by_hand = server.create("script.create", &by_hand).remove(0);
    let action =
        |script: &str| json!({"name": "a", "eventsource": "0", "operations": [on(script, &["0"])]});
    let error = |method: &str, params: &Value| {
        let error = server.try_call(method, params).expect_err("refused");
        error["data"].as_str().unwrap().to_owned()
    };
    let missing = "Specified script does not exist or you do not have rights on it for action operation command.";
    assert_eq!(error("action.create", &action(&by_hand)), missing);
    assert_eq!(error("action.create", &action("9999")), missing);
    let script = script(&server, "true");
    let id = server.create("action.create", &action(&script)).remove(0);
    assert_eq!(
        error("script.delete", &json!([script])),
        "Cannot delete scripts. Script \"true\" is used in action operation \"a\"."
    );
    assert_eq!(
        error("script.update", &json!({"scriptid": script, "scope": "2"})),
        "Cannot update script scope. Script \"true\" is used in action \"a\"."
    );
    let of = json!({"scriptids": [script], "output": ["name"], "selectActions": ["name"]});
    let found = server.call("script.get", &of);
    assert_eq!(found[0]["actions"], json!([{"actionid": id, "name": "a"}]));
    let of = |script: &str| {
        server.call("action.get", &json!({"scriptids": [script], "output": ["name"]}))
    };
    assert_eq!(of(&script), json!([{"actionid": id, "name": "a"}]));
    assert_eq!(of(&by_hand), json!([]));
}

#[test]
fn agents_that_register_themselves_become_hosts_once() {
    let mut server = server();
    let said = server.dir().join("said");
    let group = server.group("Web");
    let templates = server.call("templategroup.get", &json!({"output": ["groupid"], "limit": 1}));
    let template = json!({"host": "Agents", "groups": [{"groupid": templates[0]["groupid"]}]});
    let template = server.create("template.create", &template).remove(0);
    let item = json!({"hostid": template, "name": "k", "key_": "k", "type": "7", "value_type": "3", "delay": "1m"});
    server.create("item.create", &item);
    let hello = script(&server, &format!("echo '{{HOST.HOST}} {{HOST.IP}}' >> {}", said.display()));
    let action = json!({"name": "Agents", "eventsource": "2",
    "filter": {"evaltype": "0", "conditions": [
        {"conditiontype": "24", "operator": "2", "value": "web"}]},
    "operations": [
        {"operationtype": "2"},
        {"operationtype": "4", "opgroup": [{"groupid": group}]},
        {"operationtype": "6", "optemplate": [{"templateid": template}]},
        {"operationtype": "10", "opinventory": {"inventory_mode": "1"}},
        {"operationtype": "13", "optag": [{"tag": "by", "value": "agent"}]},
        on(&hello, &["0"]),
    ]});
    let action = server.create("action.create", &action).remove(0);
    let web = json!({"host": "web", "host_metadata": "web", "ip": "192.0.2.1", "port": 10051});
    let of = json!({"filter": {"host": "web"}, "output": ["host", "status", "inventory_mode"],
        "selectInterfaces": ["type", "main", "useip", "ip", "port"], "selectHostGroups": ["groupid"],
        "selectParentTemplates": ["templateid"], "selectTags": ["tag", "value"]});
    wait_until("the host", LIMIT, || {
        ask(&server, &web);
        server.call("host.get", &of) != json!([])
    });
    let made = server.call("host.get", &of);
    assert_eq!(made[0]["status"], "0");
    assert_eq!(made[0]["inventory_mode"], "1");
    assert_eq!(made[0]["hostgroups"], json!([{"groupid": "5"}, {"groupid": group}]));
    assert_eq!(made[0]["parentTemplates"], json!([{"templateid": template}]));
    assert_eq!(made[0]["tags"], json!([{"tag": "by", "value": "agent"}]));
    let mut interfaces = made[0]["interfaces"].clone();
    interfaces[0].as_object_mut().unwrap().remove("interfaceid");
    assert_eq!(
        interfaces,
        json!([{"type": "1", "main": "1", "useip": "1", "ip": "192.0.2.1", "port": "10051"}])
    );
    // Its agent gets its checks, and the command found the host that was made before it.
    wait_until("its checks", LIMIT, || ask(&server, &web)["data"][0]["key"] == "k");
    wait_until("the command", LIMIT, || lines(&said) == ["web 192.0.2.1"]);
    let id = made[0]["hostid"].as_str().unwrap();
    let log =
        server.call("auditlog.get", &json!({"output": "extend", "filter": {"resourceid": id}}));
    assert_eq!((&log[0]["username"], &log[0]["action"]), (&json!("System"), &json!("0")));

    // Forbidden commands appear among the alerts with their error.
    server.call(
        "action.update",
        &json!({"actionid": action, "operations": [{"operationtype": "2"}]}),
    );
    let taken = json!({"host": "Agents", "host_metadata": "web", "ip": "192.0.2.2"});
    let of_agents = json!({"eventsource": 2, "eventobject": 3, "filter": {"status": "2"}});
    wait_until("the refusal", LIMIT, || {
        ask(&server, &taken);
        !alerts(&server, &of_agents).is_empty()
    });
    let refused = alerts(&server, &of_agents).remove(0);
    assert_eq!(
        (&*refused.2, &*refused.3),
        ("Agents:add host", "Template with the same name \"Agents\" already exists.")
    );
    server.kill();
    server.start_again();
    assert_eq!(server.call("host.get", &of), made);
    assert_eq!(lines(&said), ["web 192.0.2.1"]);
}
