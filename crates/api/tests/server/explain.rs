//! Why an event exists: the values that caused it, the decisions, the recipients, and who may ask.

use alert::{Alert, AlertStatus};
use db::events::{EventRow, object, source};
use model::content::{Severity, Tag};
use model::value::Sample;
use model::{EventId, HostId, ItemId, Time, UserId, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::{ADMIN, Server, Session};

/// A problem of `load` on `db-1` some time ago, when the value was 9, and one of its master before it.
struct World {
    host: String,
    trigger: String,
    time: Time,
}

fn event(id: u64, trigger: &str, host: &str, time: Time, name: &str) -> EventRow {
    EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: trigger.parse().unwrap(),
        time,
        value: 1,
        severity: Severity::High,
        name: name.to_owned(),
        opdata: String::new(),
        tags: vec![Tag { tag: "link".to_owned(), value: "eth0".to_owned() }],
        hosts: vec![HostId(host.parse().unwrap())],
        recovers: Vec::new(),
        userid: UserId::NONE,
    }
}

fn world(server: &Server, admin: &Session<'_>) -> World {
    let host = admin.host("db-1");
    let item = admin.trapper(&host, "load");
    admin.create("usermacro.create", json!({"hostid": host, "macro": "{$MAX}", "value": "5"}));
    let trigger = |name: &str, expression: &str, masters: Value| {
        let params = json!({"description": name, "expression": expression, "priority": 4,
            "dependencies": masters});
        admin.create("trigger.create", params)
    };
    let master = trigger("the router is down", "last(/db-1/load)>100", json!([]));
    let slave = trigger(
        "load is high",
        "last(/db-1/load)>{$MAX} and avg(/db-1/load,1m)>1 and last(/db-1/load)<>7",
        json!([{"triggerid": master}]),
    );
    let time = server.clock.wall().plus_secs(-600);
    let sample = |after_s: i64, value: f64| Sample {
        time: time.plus_secs(after_s),
        value: ItemValue::Float(value),
    };
    // Values after the event do not count.
    let values = vec![sample(-30, 3.0), sample(0, 9.0), sample(60, 77.0)];
    server.world.values.lock().unwrap().insert(ItemId(item.parse().unwrap()), values);
    let events = vec![
        event(1, &master, &host, time.plus_secs(-100), "the router is down"),
        event(2, &slave, &host, time, "load is high on db-1"),
    ];
    server.db.events().apply(events, 1).unwrap();
    World { host, trigger: slave, time }
}

fn explained(server: &Server, session: &Session<'_>, id: u64) -> (u16, Value) {
    let bearer = format!("Bearer {}", session.id);
    let path = format!("/api/v1/events/{id}/explain");
    let answer = server.get(&path, &[("Authorization", &bearer)]);
    (answer.status, answer.json())
}

fn ok(server: &Server, session: &Session<'_>, id: u64) -> Value {
    let (status, answer) = explained(server, session, id);
    assert_eq!(status, 200, "{answer}");
    answer
}

#[test]
fn functions_have_the_values_of_the_events_time() {
    let server = Server::start();
    let admin = server.login();
    let world = world(&server, &admin);
    let answer = ok(&server, &admin, 2);
    assert_eq!(answer["clock"], world.time.clock());
    let trigger = &answer["trigger"];
    assert_eq!(
        (&trigger["triggerid"], &trigger["name"]),
        (&json!(world.trigger), &json!("load is high"))
    );
    let expression = &trigger["expressions"][0];
    assert_eq!(trigger["expressions"].as_array().unwrap().len(), 1);
    assert_eq!(expression["kind"], "problem");
    assert_eq!(expression["explained"], "9>5 and 6>1 and 9<>7");
    assert_eq!(expression["value"], "1");
    // A function that is written twice is listed once.
    let functions: Vec<(&Value, &Value)> = expression["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["text"], &it["value"]))
        .collect();
    let expected =
        [(&json!("last(/db-1/load)"), &json!("9")), (&json!("avg(/db-1/load,1m)"), &json!("6"))];
    assert_eq!(functions, expected);
    assert_eq!(expression["functions"][0]["item"], "load");
    assert_eq!(expression["functions"][0]["item_value"], "9");
    assert_eq!(expression["functions"][0]["item_clock"], world.time.clock());
    let masters = &trigger["dependencies"];
    assert_eq!(masters[0]["name"], "the router is down");
    assert_eq!(masters[0]["had_problem"], true);

    // Values that history has deleted are not invented.
    server.world.values.lock().unwrap().clear();
    let gone = ok(&server, &admin, 2);
    let expression = &gone["trigger"]["expressions"][0];
    assert_eq!(expression["value"], Value::Null);
    assert_eq!(expression["functions"][0]["value"], Value::Null);
    assert_eq!(gone["trigger"]["dependencies"][0]["had_problem"], true);
}

#[test]
fn each_condition_says_whether_it_is_met_and_by_what() {
    let server = Server::start();
    let admin = server.login();
    let world = world(&server, &admin);
    let action = |name: &str, evaltype: i64, conditions: Value, more: Value| {
        let mut params = json!({"name": name, "eventsource": 0,
            "filter": {"evaltype": evaltype, "conditions": conditions},
            "operations": [{"operationtype": 0, "opmessage": {"default_msg": 1},
                "opmessage_usr": [{"userid": "1"}]}]});
        for (field, value) in more.as_object().unwrap() {
            params[field] = value.clone();
        }
        admin.create("action.create", params)
    };
    let severity = json!({"conditiontype": 4, "operator": 5, "value": "5"});
    let host = json!({"conditiontype": 1, "operator": 0, "value": world.host});
    let tag = json!({"conditiontype": 26, "operator": 2, "value": "eth", "value2": "link"});
    action("all of them", 1, json!([severity, host]), json!({}));
    action("any of them", 2, json!([severity, host, tag]), json!({"status": 1}));
    admin.create(
        "action.create",
        json!({"name": "of services", "eventsource": 4,
        "operations": [{"operationtype": 0, "opmessage": {"default_msg": 1},
            "opmessage_usr": [{"userid": "1"}]}]}),
    );
    let answer = ok(&server, &admin, 2);
    let actions = answer["actions"].as_array().unwrap();
    let of = |name: &str| actions.iter().find(|it| it["name"] == name).expect(name);
    assert!(!actions.iter().any(|it| it["name"] == "of services"), "{answer}");
    let all = of("all of them");
    assert_eq!((&all["is_met"], &all["is_enabled"]), (&json!(false), &json!(true)));
    assert_eq!(all["formula"], "A and B");
    let conditions = |of: &Value| -> Vec<(String, bool, String)> {
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        let each = of["conditions"].as_array().unwrap().iter();
        each.map(|it| (text(&it["text"]), it["is_met"] == true, text(&it["found"]))).collect()
    };
    let listed = conditions(all);
    assert_eq!(listed[0].0, "severity is greater than or equals Disaster");
    assert_eq!((listed[0].1, listed[0].2.as_str()), (false, "High"));
    assert_eq!((listed[1].0.as_str(), listed[1].1), ("host equals db-1", true));
    let any = of("any of them");
    assert_eq!((&any["is_met"], &any["is_enabled"]), (&json!(true), &json!(false)));
    let listed = conditions(any);
    assert_eq!((listed[2].0.as_str(), listed[2].1), ("tag link contains “eth”", true));
    assert!(listed[2].2.contains("eth0"), "{listed:?}");
}

#[test]
fn rules_say_of_a_new_event_what_they_can_say_of_it_alone() {
    let server = Server::start();
    let admin = server.login();
    world(&server, &admin);
    admin.create(
        "correlation.create",
        json!({"name": "links", "filter": {"evaltype": 1, "conditions": [
            {"type": 3, "oldtag": "link", "newtag": "link"},
            {"type": 5, "tag": "link", "operator": 0, "value": "eth1"},
            {"type": 1, "tag": "link"}]},
            "operations": [{"type": 0}]}),
    );
    let rules = ok(&server, &admin, 2)["correlation"]["rules"].clone();
    let conditions: Vec<(&Value, &Value)> = rules[0]["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["text"], &it["is_met"]))
        .collect();
    let expected = [
        (&json!("link of the old event has the value of link of the new one"), &Value::Null),
        (&json!("link of the new event equals “eth1”"), &json!(false)),
        (&json!("the new event has the tag link"), &json!(true)),
    ];
    assert_eq!(conditions, expected);
}

#[test]
fn sent_messages_are_listed_with_their_status() {
    let server = Server::start();
    let admin = server.login();
    world(&server, &admin);
    let alert = |id: u64, status: AlertStatus, error: &str| Alert {
        id,
        action: 3,
        event: EventId(2),
        user: ADMIN,
        clock: server.clock.wall().clock(),
        media_type: 1,
        sendto: "ada@example.com".to_owned(),
        subject: "load is high".to_owned(),
        step: 1,
        status,
        retries: 2,
        error: error.to_owned(),
        ..Alert::default()
    };
    let held = Alert { next_at: 77, ..alert(0, AlertStatus::Held, "") };
    let failed = alert(0, AlertStatus::Failed, "550 no such mailbox");
    server.db.alerts().add(vec![alert(0, AlertStatus::Sent, ""), failed, held]).unwrap();
    let alerts = ok(&server, &admin, 2)["alerts"].clone();
    let each: Vec<(&Value, &Value, &Value)> = alerts
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["status"], &it["error"], &it["users"][0]["username"]))
        .collect();
    let name = json!("Admin");
    let expected =
        [(&json!("1"), &json!(""), &name), (&json!("2"), &json!("550 no such mailbox"), &name)];
    assert_eq!(each[..2], expected);
    assert_eq!(
        [&alerts[2]["status"], &alerts[2]["held_until"], &alerts[2]["digestid"]],
        ["0", "77", "0"]
    );
    assert_eq!(alerts[0]["esc_step"], "1");
}

#[test]
fn suppression_and_causes_are_named() {
    let server = Server::start();
    let admin = server.login();
    world(&server, &admin);
    let answer = ok(&server, &admin, 2);
    assert_eq!(answer["suppression"], json!({"is_suppressed": false, "by": []}));
    assert_eq!(answer["cause"], Value::Null);
    admin.call("event.acknowledge", json!({"eventids": "2", "action": 32, "suppress_until": 0}));
    admin.call("event.acknowledge", json!({"eventids": "2", "action": 256, "cause_eventid": "1"}));
    let answer = ok(&server, &admin, 2);
    assert_eq!(answer["suppression"]["is_suppressed"], true);
    assert_eq!(answer["suppression"]["by"][0]["userid"], ADMIN.to_string());
    assert_eq!(answer["cause"], json!({"eventid": "1", "name": "the router is down"}));
}

#[test]
fn an_event_of_an_unreadable_host_is_not_explained() {
    let server = Server::start();
    let admin = server.login();
    world(&server, &admin);
    let group = admin.create("usergroup.create", json!({"name": "others"}));
    admin.create(
        "user.create",
        json!({"username": "eve", "passwd": "for-tests-only-1", "roleid": "1",
            "usrgrps": [{"usrgrpid": group}]}),
    );
    let eve = server.login_as("eve", "for-tests-only-1");
    let (status, answer) = explained(&server, &eve, 2);
    assert_eq!(status, 404, "{answer}");
    // As of an event that is not there.
    let (_, gone) = explained(&server, &eve, 999);
    assert_eq!(answer, gone);
    assert_eq!(server.get("/api/v1/events/2/explain", &[]).status, 401);
    let rights = json!([{"id": "2", "permission": 2}]);
    admin.call("usergroup.update", json!({"usrgrpid": group, "hostgroup_rights": rights}));
    let answer = ok(&server, &eve, 2);
    assert_eq!(answer["trigger"]["expressions"][0]["explained"], "9>5 and 6>1 and 9<>7");
    // Messages are for users who see their recipients, actions for users who see all objects that they name.
    assert_eq!(answer["alerts"], json!([]));
}

#[test]
fn unreadable_parts_of_an_event_are_left_out() {
    let server = Server::start();
    let admin = server.login();
    let world = world(&server, &admin);
    let vault = admin.create("hostgroup.create", json!({"name": "vault"}));
    let hidden =
        admin.create("host.create", json!({"host": "vault-1", "groups": [{"groupid": vault}]}));
    let gold = admin.trapper(&hidden, "gold");
    let trigger = |name: &str, expression: &str, masters: Value| {
        let params =
            json!({"description": name, "expression": expression, "dependencies": masters});
        admin.create("trigger.create", params)
    };
    let secret = trigger("gold is gone", "last(/vault-1/gold)=0", json!([]));
    let both = trigger("both", "last(/db-1/load)>5 and last(/vault-1/gold)=0", json!([]));
    let slave = trigger("waits for gold", "last(/db-1/load)>5", json!([{"triggerid": secret}]));
    let sample = Sample { time: world.time, value: ItemValue::Float(0.0) };
    server.world.values.lock().unwrap().insert(ItemId(gold.parse().unwrap()), vec![sample]);
    let mut of_both = event(4, &both, &world.host, world.time, "both");
    of_both.hosts.push(HostId(hidden.parse().unwrap()));
    let events = vec![
        event(3, &secret, &hidden, world.time, "gold is gone"),
        of_both,
        event(5, &slave, &world.host, world.time, "waits for gold"),
    ];
    server.db.events().apply(events, 2).unwrap();
    let group = admin.create(
        "usergroup.create",
        json!({"name": "others", "hostgroup_rights": [{"id": "2", "permission": 2}]}),
    );
    for (name, role) in [("eve", "1"), ("adam", "2")] {
        admin.create(
            "user.create",
            json!({"username": name, "passwd": "for-tests-only-1", "roleid": role,
                "usrgrps": [{"usrgrpid": group}]}),
        );
    }
    for name in ["eve", "adam"] {
        let user = server.login_as(name, "for-tests-only-1");
        // An event that is not there.
        let (_, gone) = explained(&server, &user, 999);
        for hidden in [3, 4] {
            let (status, answer) = explained(&server, &user, hidden);
            assert_eq!((status, &answer), (404, &gone), "{name}, event {hidden}");
        }
        // The trigger depends on one of a host that this user does not see.
        let answer = ok(&server, &user, 5);
        assert_eq!(answer["trigger"]["dependencies"], json!([]), "{name}");
        assert!(!answer.to_string().contains("gold is gone"), "{name}: {answer}");
    }
    let answer = ok(&server, &admin, 5);
    assert_eq!(answer["trigger"]["dependencies"][0]["name"], "gold is gone");
    // A tag filter of the group hides problems of hosts that it may read.
    let filter = json!([{"groupid": "2", "tag": "link", "value": "eth1"}]);
    admin.call("usergroup.update", json!({"usrgrpid": group, "tag_filters": filter}));
    let eve = server.login_as("eve", "for-tests-only-1");
    let (status, answer) = explained(&server, &eve, 2);
    assert_eq!(status, 404, "{answer}");
    // A cause that is filtered or hidden has no name either.
    let filter = json!([{"groupid": "2", "tag": "link", "value": "eth0"}]);
    admin.call("usergroup.update", json!({"usrgrpid": group, "tag_filters": filter}));
    admin.call("event.acknowledge", json!({"eventids": "5", "action": 256, "cause_eventid": "3"}));
    let answer = ok(&server, &eve, 5);
    assert_eq!(answer["cause"]["name"], "", "{answer}");
}
