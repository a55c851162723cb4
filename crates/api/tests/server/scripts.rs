//! Scripts: permissions to start them, their input, and their records.

use api::ports::{Command, CommandLogin, IpmiCommand};
use db::events::{EventRow, object, source};
use model::content::{IpmiLogin, Severity};
use model::{EventId, HostId, UserId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn web(admin: &Session<'_>, group: &str) -> String {
    let fields = json!({
        "host": "web", "name": "Web server", "groups": [{"groupid": group}],
        "interfaces": [{
            "type": 1, "main": 1, "useip": 1, "ip": "192.0.2.1", "dns": "", "port": "{$PORT}",
        }],
        "macros": [
            {"macro": "{$PORT}", "value": "10055"}, {"macro": "{$TOKEN}", "value": "s3", "type": "1"},
        ],
    });
    admin.create("host.create", fields)
}

fn script(admin: &Session<'_>, name: &str, more: &Value) -> String {
    let mut fields = json!({"name": name, "type": 0, "scope": 2});
    // A page to open has none.
    if more["type"] != 6 {
        fields["command"] = "id".into();
    }
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    admin.create("script.create", fields)
}

fn names(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn a_command_runs_at_its_target_with_macros_expanded_once() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("hostgroup.create", json!({"name": "Shops"}));
    let host = web(&admin, &group);
    let input = json!({
        "execute_on": 0, "command": "echo {HOST.NAME} {$TOKEN} {MANUALINPUT}", "manualinput": 1,
        "manualinput_prompt": "Which?", "manualinput_validator": "^[^;]+$",
    });
    let on_agent = script(&admin, "agent", &input);
    let call = json!({"scriptid": on_agent, "hostid": host, "manualinput": "{$TOKEN} {HOST.IP}"});
    let done = admin.call("script.execute", call);
    assert_eq!(done["response"], "success");
    assert_eq!(done["value"], "done");
    let on_server =
        script(&admin, "server", &json!({"execute_on": 1, "command": "ping {HOST.CONN}"}));
    let by_ssh = script(
        &admin,
        "ssh",
        &json!({"type": 2, "username": "ann", "password": "{$TOKEN}", "port": 2222, "command": "a\r\nb"}),
    );
    let webhook = script(
        &admin,
        "webhook",
        &json!({
            "type": 5, "command": "return value", "timeout": "5s",
            "parameters": [{"name": "host", "value": "{HOST.HOST}"}, {"name": "who", "value": "{USER.USERNAME}"}],
        }),
    );
    for it in [&on_server, &by_ssh, &webhook] {
        admin.call("script.execute", json!({"scriptid": it, "hostid": host}));
    }
    let executed = server.world.commands.lock().unwrap().clone();
    let login = CommandLogin {
        address: "192.0.2.1".to_owned(),
        port: 2222,
        username: "ann".to_owned(),
        password: "s3".to_owned(),
    };
    let expected = [
        Command::Agent {
            address: "192.0.2.1".to_owned(),
            port: 10055,
            encryption: None,
            command: "echo Web server s3 {$TOKEN} {HOST.IP}".to_owned(),
        },
        Command::Server { command: "ping 192.0.2.1".to_owned() },
        Command::Ssh { login, key: None, command: "a\nb".to_owned() },
        Command::Webhook {
            source: "return value".to_owned(),
            parameters: r#"{"host":"web","who":"Admin"}"#.to_owned(),
            time: std::time::Duration::from_secs(5),
        },
    ];
    assert_eq!(executed, expected);
    let log = admin.call("auditlog.get", json!({"filter": {"action": 7}}));
    assert_eq!(log.as_array().unwrap().len(), 4, "{log}");
    assert!(!log.to_string().contains("s3"), "{log}");
}

#[test]
fn scripts_that_cannot_start_are_reported() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("hostgroup.create", json!({"name": "Shops"}));
    let host = web(&admin, &group);
    let error = |id: &str, more: Value| {
        let mut fields = json!({"scriptid": id, "hostid": host});
        for (name, value) in more.as_object().unwrap() {
            fields[name] = value.clone();
        }
        admin.error("script.execute", fields)
    };
    let url = script(&admin, "url", &json!({"type": 6, "url": "https://{HOST.CONN}/"}));
    assert_eq!(error(&url, json!({})), "Cannot execute URL type script.");
    let ipmi = script(&admin, "ipmi", &json!({"type": 1, "command": "power off"}));
    assert!(error(&ipmi, json!({})).contains("IPMI interface is not defined for the host."));
    let fan = script(&admin, "fan", &json!({"type": 1, "command": "fan 3"}));
    assert!(error(&fan, json!({})).contains("IPMI control \"fan\" is not supported"));
    let of_actions = script(&admin, "action", &json!({"scope": 1}));
    assert!(error(&of_actions, json!({})).contains("No permissions to referred object"));
    let asks = json!({
        "manualinput": 1, "manualinput_prompt": "p", "manualinput_validator": "dev,prod",
        "manualinput_validator_type": 1,
    });
    let asks = script(&admin, "asks", &asks);
    assert!(error(&asks, json!({})).contains("\"manualinput\" is missing"));
    assert!(error(&asks, json!({"manualinput": "test"})).contains("does not match the validator"));
    let plain = script(&admin, "plain", &json!({}));
    assert!(error(&plain, json!({"manualinput": "x"})).contains("script takes no input"));
    assert!(error("999", json!({})).contains("No permissions to referred object"));
    let same = admin
        .error("script.create", json!({"name": "plain", "type": 0, "command": "id", "scope": 2}));
    assert!(same.contains("Script \"plain\" already exists."), "{same}");
    assert!(server.world.commands.lock().unwrap().is_empty());
}

#[test]
fn users_start_what_is_for_them() {
    let server = Server::start();
    let admin = server.login();
    let shops = admin.create("hostgroup.create", json!({"name": "Shops"}));
    let inner = admin.create("hostgroup.create", json!({"name": "Shops/North"}));
    let other = admin.create("hostgroup.create", json!({"name": "Other"}));
    let host = web(&admin, &inner);
    let right = |id: &str| json!({"id": id, "permission": 2});
    let readers = admin.create(
        "usergroup.create",
        json!({"name": "Readers", "hostgroup_rights": [right(&shops), right(&inner)]}),
    );
    let others = admin.create("usergroup.create", json!({"name": "Others"}));
    admin.create(
        "user.create",
        json!({"username": "ann", "passwd": "a long one 1", "roleid": "1", "usrgrps": [{"usrgrpid": readers}]}),
    );
    let ann = server.login_as("ann", "a long one 1");
    let of_group = script(&admin, "group", &json!({"groupid": shops, "menu_path": "A/B"}));
    let free = script(&admin, "free", &json!({"confirmation": "On {HOST.NAME} with {$TOKEN}?"}));
    let no = [
        script(&admin, "writers", &json!({"host_access": 3})),
        script(&admin, "others", &json!({"usrgrpid": others})),
        script(&admin, "elsewhere", &json!({"groupid": other})),
    ];
    let seen = ann.call("script.getscriptsbyhosts", json!({"hostid": host}));
    assert_eq!(names(&seen[&host]), ["free", "group"]);
    assert_eq!(seen[&host][0]["confirmation"], "On Web server with ******?");
    // Fields that only authors of scripts need are not returned.
    assert_eq!(seen[&host][0]["command"], "");
    let got = ann.call("script.get", json!({"output": "extend"}));
    assert_eq!(names(&got), ["group", "free", "writers"]);
    assert_eq!(got[0]["command"], "");
    let all = admin.call("script.getscriptsbyhosts", json!({"hostid": host}));
    assert_eq!(names(&all[&host]), ["free", "group", "others", "writers"]);
    for it in [&of_group, &free] {
        assert_eq!(
            ann.call("script.execute", json!({"scriptid": it, "hostid": host}))["value"],
            "done"
        );
    }
    for it in &no {
        let error = ann.error("script.execute", json!({"scriptid": it, "hostid": host}));
        assert!(error.contains("No permissions to referred object"), "{error}");
    }
    let error = ann.error("script.create", json!({"name": "mine", "type": 0, "command": "id"}));
    assert!(error.contains("No permissions to call"), "{error}");
    let gone = admin.call("script.get", json!({"hostids": [host], "output": ["name"]}));
    assert_eq!(names(&gone), ["group", "free", "writers", "others"]);
}

#[test]
fn a_command_of_ipmi_goes_to_the_hosts_controller() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("hostgroup.create", json!({"name": "Shops"}));
    let fields = json!({
        "host": "machine", "groups": [{"groupid": group}],
        "interfaces": [{
            "type": 3, "main": 1, "useip": 0, "ip": "", "dns": "bmc.example", "port": "{$BMC_PORT}",
        }],
        "ipmi_privilege": 3, "ipmi_username": "operator", "ipmi_password": "{$BMC}",
        "macros": [
            {"macro": "{$BMC_PORT}", "value": "1623"}, {"macro": "{$BMC}", "value": "s3", "type": "1"},
        ],
    });
    let host = admin.create("host.create", fields);
    let input = json!({
        "type": 1, "command": "power {MANUALINPUT}", "manualinput": 1, "manualinput_prompt": "How?",
        "manualinput_validator": "cycle,status", "manualinput_validator_type": 1, "host_access": 3,
    });
    let power = script(&admin, "power", &input);
    let call = json!({"scriptid": power, "hostid": host, "manualinput": "cycle"});
    assert_eq!(admin.call("script.execute", call.clone())["value"], "done");
    let executed = server.world.commands.lock().unwrap().clone();
    let login = IpmiLogin {
        privilege: 3,
        username: "operator".to_owned(),
        password: "s3".to_owned(),
        ..IpmiLogin::default()
    };
    let expected = Command::Ipmi {
        address: "bmc.example".to_owned(),
        port: 1_623,
        login,
        command: IpmiCommand::PowerCycle,
    };
    assert_eq!(executed, [expected]);
    let log = admin.call("auditlog.get", json!({"filter": {"action": 7}}));
    assert!(!log.to_string().contains("s3"), "{log}");
    let right = json!({"id": group, "permission": 2});
    let readers =
        admin.create("usergroup.create", json!({"name": "Readers", "hostgroup_rights": [right]}));
    admin.create(
        "user.create",
        json!({"username": "ann", "passwd": "a long one 1", "roleid": "1", "usrgrps": [{"usrgrpid": readers}]}),
    );
    let error = server.login_as("ann", "a long one 1").error("script.execute", call);
    assert!(error.contains("No permissions to referred object"), "{error}");
    assert_eq!(server.world.commands.lock().unwrap().len(), 1);
}

#[test]
fn a_problem_has_scripts_of_its_own() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("hostgroup.create", json!({"name": "Shops"}));
    let host = web(&admin, &group);
    admin.trapper(&host, "load");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "load is high", "expression": "last(/web/load)>5", "priority": 4}),
    );
    let event = EventRow {
        eventid: EventId(7),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: trigger.parse().unwrap(),
        time: server.clock.wall(),
        value: 1,
        severity: Severity::High,
        name: "Load is high".to_owned(),
        opdata: String::new(),
        tags: Vec::new(),
        hosts: vec![HostId(host.parse().unwrap())],
        recovers: Vec::new(),
        userid: UserId::NONE,
    };
    server.db.events().apply(vec![event], 1).unwrap();
    let fields = json!({"scope": 4, "execute_on": 1, "command": "notify {EVENT.ID} {EVENT.NAME} {HOST.NAME} {TRIGGER.NAME}"});
    let id = script(&admin, "notify", &fields);
    let for_hosts = script(&admin, "host", &json!({}));
    let seen = admin.call("script.getscriptsbyevents", json!({"eventid": "7"}));
    assert_eq!(names(&seen["7"]), ["host", "notify"]);
    admin.call("script.execute", json!({"scriptid": id, "eventid": "7"}));
    let error = admin.error("script.execute", json!({"scriptid": for_hosts, "eventid": "7"}));
    assert!(error.contains("No permissions to referred object"), "{error}");
    let error = admin.error("script.execute", json!({"scriptid": id, "eventid": "8"}));
    assert!(error.contains("No permissions to referred object"), "{error}");
    let executed = server.world.commands.lock().unwrap().clone();
    let command = "notify 7 Load is high Web server load is high".to_owned();
    assert_eq!(executed, [Command::Server { command }]);
}
