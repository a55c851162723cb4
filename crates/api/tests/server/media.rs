//! Media types, medias of users, and the alerts that were made of them.

use db::alerts::{Alert, AlertStatus};
use db::events::{EventRow, object, source};
use model::content::Severity;
use model::{EventId, HostId, UserId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn webhook(name: &str) -> Value {
    json!({"name": name, "type": "4", "script": "return 'OK';",
        "parameters": [{"name": "to", "value": "{ALERT.SENDTO}"}]})
}

fn email(name: &str) -> Value {
    json!({"name": name, "type": 0, "smtp_server": "mail.example.com",
        "smtp_email": "ops@example.com", "smtp_authentication": 1, "username": "ops",
        "passwd": "a secret"})
}

fn user<'s>(server: &'s Server, admin: &Session<'_>) -> (String, Session<'s>) {
    let fields = json!({"username": "op", "passwd": "secret-1", "roleid": "1",
        "usrgrps": [{"usrgrpid": "8"}]});
    let id = admin.create("user.create", fields);
    let group = json!({"usrgrpid": "8", "users_status": 0, "gui_access": 0});
    admin.call("usergroup.update", group);
    (id, server.login_as("op", "secret-1"))
}

#[test]
fn fields_of_the_type_are_required_and_others_reset() {
    let server = Server::start();
    let admin = server.login();
    let reported = admin.error("mediatype.create", json!({"name": "m", "type": 0}));
    assert_eq!(reported, "Invalid parameter \"/1\": the parameter \"smtp_server\" is missing.");
    let id = admin.create("mediatype.create", email("mail"));
    let wrong = json!({"mediatypeid": id, "script": "x"});
    let reported = admin.error("mediatype.update", wrong);
    assert_eq!(reported, "Invalid parameter \"/1/script\": value must be empty.");
    admin.call("mediatype.update", json!({"mediatypeid": id, "type": 4, "script": "return 1;"}));
    let get = json!({"mediatypeids": [id],
        "output": ["type", "smtp_server", "smtp_port", "passwd", "script", "maxsessions"]});
    let expected = json!([{"mediatypeid": id, "type": "4", "smtp_server": "", "smtp_port": "25",
        "passwd": "", "script": "return 1;", "maxsessions": "1"}]);
    assert_eq!(admin.call("mediatype.get", get), expected);
    let records = admin.call("auditlog.get", json!({"filter": {"resourceid": id}}));
    assert!(!records.to_string().contains("a secret"), "{records}");
}

#[test]
fn those_who_may_not_change_media_types_see_little_of_them() {
    let server = Server::start();
    let admin = server.login();
    let id = admin.create("mediatype.create", email("mail"));
    let (_, user) = user(&server, &admin);
    let get = json!({"mediatypeids": [id]});
    let row = user.call("mediatype.get", get)[0].clone();
    let names: Vec<&String> = row.as_object().unwrap().keys().collect();
    let expected = ["description", "maxattempts", "mediatypeid", "name", "status", "type"];
    assert_eq!(names.len(), expected.len());
    assert!(expected.iter().all(|it| row.get(it).is_some()), "{row}");
    let hidden = user.call("mediatype.get", json!({"mediatypeids": [id], "output": ["passwd"]}));
    assert_eq!(hidden, json!([{"mediatypeid": id}]));
    let by_secret = json!({"filter": {"passwd": "a secret"}, "countOutput": true});
    let by_other = json!({"filter": {"passwd": "b"}, "countOutput": true});
    assert_eq!(user.call("mediatype.get", by_secret), user.call("mediatype.get", by_other));
}

#[test]
fn users_have_medias_and_lose_them_with_their_media_type() {
    let server = Server::start();
    let admin = server.login();
    let mail = admin.create("mediatype.create", email("mail"));
    let hook = admin.create("mediatype.create", webhook("chat"));
    let (id, user) = user(&server, &admin);
    let set = |medias: Value| json!({"userid": id, "medias": medias});
    let two = json!([
        {"mediatypeid": mail, "sendto": ["a@example.com", "B <b@example.com>"], "severity": 48,
            "period": "1-5,09:00-18:00", "quiet_period": "1-7,22:00-24:00;1-7,00:00-07:00",
            "quiet_severity": 5},
        {"mediatypeid": hook, "sendto": "#ops", "active": 1},
    ]);
    user.call("user.update", set(two.clone()));
    let read = |by: &Session<'_>| {
        let get = json!({"userids": [id], "output": ["username"], "selectMedias": "extend",
            "selectMediatypes": ["name"]});
        by.call("user.get", get)[0].clone()
    };
    let row = read(&user);
    assert_eq!(row, read(&admin));
    let (first, second) = (row["medias"][0].clone(), row["medias"][1].clone());
    let expected = json!({"mediaid": first["mediaid"], "mediatypeid": mail, "active": "0",
        "sendto": ["a@example.com", "B <b@example.com>"], "severity": "48",
        "period": "1-5,09:00-18:00", "quiet_period": "1-7,22:00-24:00;1-7,00:00-07:00",
        "quiet_severity": "5"});
    assert_eq!(first, expected);
    let shown = json!([second["sendto"], second["active"], second["severity"], second["period"]]);
    assert_eq!(shown, json!(["#ops", "1", "63", "1-7,00:00-24:00"]));
    assert_eq!(row["mediatypes"].as_array().map(Vec::len), Some(2));
    // One for the same address stays the same.
    user.call("user.update", set(json!([two[1]])));
    assert_eq!(read(&user)["medias"][0]["mediaid"], second["mediaid"]);
    user.call("user.update", set(two));
    let by_kind = |get: Value| admin.call("user.get", get);
    assert_eq!(by_kind(json!({"mediatypeids": [hook], "countOutput": true})), "1");
    assert_eq!(by_kind(json!({"mediaids": ["999999"], "countOutput": true})), "0");
    let used = json!({"userids": [id], "output": ["name"], "selectUsers": ["username"]});
    let used = admin.call("mediatype.get", used);
    assert_eq!(used[0]["users"], json!([{"userid": id, "username": "op"}]));
    assert_eq!(used.as_array().map(Vec::len), Some(2));
    let action = json!({"name": "Notify", "eventsource": 0, "operations": [{"operationtype": 0,
        "opmessage": {"default_msg": 1, "mediatypeid": hook}, "opmessage_usr": [{"userid": id}]}]});
    let action = admin.create("action.create", action);
    let by = json!({"mediatypeids": [hook], "output": ["name"], "selectActions": ["name"]});
    let by = admin.call("mediatype.get", by);
    assert_eq!(by[0]["actions"], json!([{"actionid": action, "name": "Notify"}]));
    admin.call("action.delete", json!([action]));

    let bad = [
        (
            json!({"mediatypeid": "999", "sendto": "x"}),
            "/1/medias/1/mediatypeid\": object does not exist.",
        ),
        (
            json!({"mediatypeid": mail, "sendto": "x"}),
            "/1/medias/1/sendto/1\": an email address is expected.",
        ),
        (json!({"mediatypeid": mail, "sendto": [""]}), "/1/medias/1/sendto/1\": cannot be empty."),
        (json!({"mediatypeid": mail, "sendto": []}), "/1/medias/1/sendto\": cannot be empty."),
        (
            json!({"mediatypeid": hook, "sendto": ["a", "b"]}),
            "/1/medias/1/sendto\": a character string is expected.",
        ),
        (
            json!({"mediatypeid": hook, "sendto": "a", "period": "x"}),
            "/1/medias/1/period\": a time period is expected.",
        ),
        (
            json!({"mediatypeid": hook, "sendto": "a", "severity": 64}),
            "/1/medias/1/severity\": value must be one of 0-63.",
        ),
    ];
    for (media, expected) in bad {
        let reported = user.error("user.update", set(json!([media])));
        assert!(reported.contains(expected), "{media}: {reported}");
    }
    admin.call("mediatype.delete", json!([mail]));
    assert_eq!(read(&user)["medias"].as_array().map(Vec::len), Some(1));
}

fn problem(id: u64, trigger: &str, host: &str) -> EventRow {
    EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: trigger.parse().unwrap(),
        time: model::Time::from_clock(1_700_000_000, 0),
        value: 1,
        severity: Severity::High,
        name: "Broken".to_owned(),
        opdata: String::new(),
        tags: Vec::new(),
        hosts: vec![HostId(host.parse().unwrap())],
        recovers: Vec::new(),
        userid: UserId::NONE,
    }
}

fn alert(event: u64, media_type: &str, status: AlertStatus) -> Alert {
    Alert {
        action: 3,
        event: EventId(event),
        user: UserId(1),
        clock: 1_700_000_000 + i64::try_from(event).unwrap(),
        media_type: media_type.parse().unwrap(),
        sendto: "#ops".to_owned(),
        subject: "S".to_owned(),
        message: "M".to_owned(),
        step: 1,
        status,
        ..Alert::default()
    }
}

#[test]
fn alerts_are_returned_to_users_who_see_the_trigger() {
    let server = Server::start();
    let admin = server.login();
    let hook = admin.create("mediatype.create", webhook("chat"));
    let host = admin.host("db-1");
    admin.trapper(&host, "load");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "load is high", "expression": "last(/db-1/load)>5"}),
    );
    let events = vec![problem(1, &trigger, &host), problem(2, &trigger, &host)];
    server.db.events().apply(events, 1).unwrap();
    server.db.events().flush().unwrap();
    let alerts = vec![
        alert(1, &hook, AlertStatus::Sent),
        alert(2, &hook, AlertStatus::Failed),
        alert(2, &hook, AlertStatus::New),
    ];
    server.db.alerts().add(alerts).unwrap();
    let get = json!({"eventids": [1], "selectHosts": ["host"], "selectMediatypes": ["name"],
        "selectUsers": ["username"]});
    let row = admin.call("alert.get", get)[0].clone();
    let expected = json!({"alertid": "1", "actionid": "3", "eventid": "1", "userid": "1",
        "clock": "1700000001", "mediatypeid": hook, "sendto": "#ops", "subject": "S",
        "message": "M", "status": "1", "retries": "0", "error": "", "esc_step": "1",
        "alerttype": "0", "p_eventid": "0", "acknowledgeid": "0", "digestid": "0",
        "held_until": "0",
        "hosts": [{"hostid": host, "host": "db-1"}],
        "mediatypes": [{"mediatypeid": hook, "name": "chat"}],
        "users": [{"userid": "1", "username": "Admin"}]});
    assert_eq!(row, expected);
    let ids = |by: &Session<'_>, params: Value| -> Vec<String> {
        let found = by.call("alert.get", params);
        let ids = found.as_array().unwrap().iter().map(|it| it["alertid"].as_str().unwrap());
        ids.map(str::to_owned).collect()
    };
    let found = |params: Value| ids(&admin, params);
    assert_eq!(found(json!({"sortfield": "clock", "sortorder": "DESC", "limit": 2})), ["3", "2"]);
    assert_eq!(found(json!({"sortfield": "alertid", "sortorder": "DESC", "limit": 1})), ["3"]);
    assert_eq!(found(json!({"filter": {"status": ["2", "3"]}})), ["2", "3"]);
    assert_eq!(found(json!({"search": {"sendto": "OPS"}, "limit": 1})), ["1"]);
    assert_eq!(found(json!({"hostids": [host], "objectids": [trigger]})), ["1", "2", "3"]);
    assert_eq!(found(json!({"mediatypeids": [hook], "time_from": 1_700_000_001})), ["2", "3"]);
    for none in [
        json!({"hostids": ["1"]}),
        json!({"groupids": ["1"]}),
        json!({"actionids": ["4"]}),
        json!({"userids": ["2"]}),
        json!({"eventsource": 3, "eventobject": 4}),
        json!({"filter": {"status": 1, "userid": 2}}),
    ] {
        assert!(found(none.clone()).is_empty(), "{none}");
    }
    assert_eq!(admin.call("alert.get", json!({"countOutput": true})), "3");
    let (_, user) = user(&server, &admin);
    assert!(ids(&user, json!({})).is_empty());
    let rights = json!({"usrgrpid": "8", "hostgroup_rights": [{"id": "2", "permission": 2}]});
    admin.call("usergroup.update", rights);
    assert_eq!(ids(&user, json!({})), ["1", "2", "3"]);
}

#[test]
fn quiet_hours_of_a_media_are_stored_and_checked() {
    let server = Server::start();
    let admin = server.login();
    let hook = admin.create("mediatype.create", webhook("chat"));
    let (id, user) = user(&server, &admin);
    let set = |media: &Value| json!({"userid": id, "medias": [media]});
    let mut media = json!({"mediatypeid": hook, "sendto": "#ops"});
    let shown = || {
        let get = json!({"userids": [id], "output": [], "selectMedias": ["quiet_period", "quiet_severity"]});
        user.call("user.get", get)[0]["medias"][0].clone()
    };
    user.call("user.update", set(&media));
    assert_eq!(shown(), json!({"quiet_period": "", "quiet_severity": "4"}));
    for (name, value, expected) in [
        ("quiet_period", json!("1-7,22:00"), "quiet_period\": a time period is expected."),
        ("quiet_severity", json!(6), "quiet_severity\": value must be one of 0-5."),
    ] {
        let mut wrong = media.clone();
        wrong[name] = value;
        let reported = user.error("user.update", set(&wrong));
        assert!(reported.contains(&format!("/1/medias/1/{expected}")), "{reported}");
    }
    media["quiet_period"] = json!("{$NIGHT}");
    media["quiet_severity"] = json!(0);
    user.call("user.update", set(&media));
    assert_eq!(shown(), json!({"quiet_period": "{$NIGHT}", "quiet_severity": "0"}));
}

#[test]
fn alerts_that_wait_and_their_digests_lead_to_each_other() {
    let server = Server::start();
    let admin = server.login();
    let hook = admin.create("mediatype.create", webhook("chat"));
    let host = admin.host("db-1");
    admin.trapper(&host, "load");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "load is high", "expression": "last(/db-1/load)>5"}),
    );
    let events = vec![problem(1, &trigger, &host), problem(2, &trigger, &host)];
    server.db.events().apply(events, 1).unwrap();
    server.db.events().flush().unwrap();
    let held = |event| Alert { next_at: 1_700_000_600, ..alert(event, &hook, AlertStatus::Held) };
    let digested = |event, status| Alert { digest: 4, ..alert(event, &hook, status) };
    let alerts = vec![
        held(1),
        digested(2, AlertStatus::Held),
        digested(2, AlertStatus::Sent),
        digested(2, AlertStatus::New),
    ];
    server.db.alerts().add(alerts).unwrap();
    let shown = |params: Value| -> Vec<[String; 4]> {
        let found = admin.call("alert.get", params);
        let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
        let names = ["alertid", "status", "digestid", "held_until"];
        found.as_array().unwrap().iter().map(|it| names.map(|name| text(it, name))).collect()
    };
    let row = |texts: [&str; 4]| texts.map(str::to_owned);
    let (waits, in_one) = (row(["1", "0", "0", "1700000600"]), row(["2", "0", "4", "0"]));
    let (sent, digest) = (row(["3", "1", "4", "0"]), row(["4", "3", "4", "0"]));
    let all = [waits.clone(), in_one.clone(), sent.clone(), digest.clone()];
    assert_eq!(shown(json!({"sortfield": "alertid"})), all);
    assert_eq!(shown(json!({"digestids": ["4"]})), [in_one.clone(), sent, digest]);
    // Clients that know nothing of it see messages that are not sent yet.
    assert_eq!(shown(json!({"filter": {"status": 0}})), [waits, in_one]);
    assert!(shown(json!({"filter": {"status": 4}})).is_empty());
}

#[test]
fn events_list_their_actions_newest_first() {
    let server = Server::start();
    let admin = server.login();
    let hook = admin.create("mediatype.create", webhook("chat"));
    let host = admin.host("db-1");
    admin.trapper(&host, "load");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "load is high", "expression": "last(/db-1/load)>5"}),
    );
    let events = (1..=3).map(|it| problem(it, &trigger, &host)).collect();
    server.db.events().apply(events, 1).unwrap();
    server.db.events().flush().unwrap();
    let of_action = |action, event| Alert { action, ..alert(event, &hook, AlertStatus::Sent) };
    let link = "https://saker.example.com/api/v1/acknowledge/1.2.3456789abcdef";
    let command = Alert {
        kind: db::alerts::AlertKind::Command,
        media_type: 0,
        user: UserId(0),
        sendto: String::new(),
        ..of_action(4, 2)
    };
    let to_other = Alert { user: UserId(2), message: link.to_owned(), ..of_action(4, 1) };
    let all = vec![of_action(3, 1), of_action(3, 2), to_other, command];
    server.db.alerts().add(all).unwrap();
    let ids = |params: Value| -> Vec<(String, Vec<String>)> {
        let found = admin.call("event.get", params);
        let id = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
        let alerts = |it: &Value| {
            let list = it["alerts"].as_array().unwrap().iter();
            list.map(|it| id(it, "alertid")).collect()
        };
        let found = found.as_array().unwrap().iter();
        found.map(|it| (id(it, "eventid"), alerts(it))).collect()
    };
    let row = |event: &str, alerts: &[&str]| {
        (event.to_owned(), alerts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    };
    let (first, second, third) = (row("1", &["3", "1"]), row("2", &["4", "2"]), row("3", &[]));
    for name in ["selectAlerts", "select_alerts"] {
        let get = json!({"output": ["eventid"], (name): ["alertid"], "sortfield": "eventid"});
        assert_eq!(ids(get), [first.clone(), second.clone(), third.clone()]);
    }
    // A page of events at a time.
    for sort in ["eventid", "clock"] {
        let get = json!({"output": ["eventid"], "selectAlerts": "extend", "limit": 2,
            "sortfield": sort, "sortorder": "DESC"});
        assert_eq!(ids(get), [third.clone(), second.clone()], "{sort}");
    }
    let get = json!({"eventids": [1], "output": ["eventid"], "selectAlerts": "extend"});
    let shown = admin.call("event.get", get)[0]["alerts"].clone();
    assert_eq!([&shown[0]["actionid"], &shown[1]["actionid"]], ["4", "3"]);
    assert_eq!(shown[1]["mediatypes"][0]["name"], "chat");
    assert_eq!(shown[1]["subject"], "S");
    assert!(!shown[0]["message"].to_string().contains("3456789abcdef"), "{shown}");
    let get = json!({"eventids": [2], "output": ["eventid"], "selectAlerts": ["sendto"]});
    let of_command = admin.call("event.get", get)[0]["alerts"][0].clone();
    assert_eq!(of_command, json!({"alertid": "4", "sendto": "", "mediatypes": []}));
}
