//! Actions from values that a sender brings to the alerts that are saved, over a kill.

use std::time::Duration;

use crate::support::on_call::OnCall;
use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);
/// With a macro of each: event, configuration, values.
const MESSAGE: &str = "Problem: {EVENT.NAME} ({HOST.NAME}: {ITEM.LASTVALUE})";

/// An action of three steps, two seconds each, for a user with a medium and permission for all
/// hosts.
fn with_action(server: &Server) {
    let texts = OnCall::default().text(0, MESSAGE);
    let texts = texts.text(1, "Over: {EVENT.NAME}").text(2, "Said: {EVENT.NAME}");
    let users = texts.reads_hosts().make(server);
    server.create("usermacro.createglobal", &json!({"macro": "{$STEP}", "value": "2s"}));
    let action = json!({"name": "To the people on call", "eventsource": "0", "esc_period": "{$STEP}",
        "operations": [{"operationtype": "0", "esc_step_from": "1", "esc_step_to": "3",
            "opmessage": {"default_msg": "1"}, "opmessage_grp": [{"usrgrpid": users}]}],
        "recovery_operations": [{"operationtype": "11", "opmessage": {"default_msg": "1"}}],
        "update_operations": [{"operationtype": "12", "opmessage": {"default_msg": "1"}}]});
    server.create("action.create", &action);
}

/// Messages: subject with step, of the event or of the one that it is about.
fn messages(server: &Server, event: &str) -> Vec<String> {
    let alerts = server.call("alert.get", &json!({"output": "extend", "sortfield": "alertid"}));
    let alerts = alerts.as_array().expect("a list").iter();
    let about = |it: &&Value| it["eventid"] == event || it["p_eventid"] == event;
    let line = |it: &Value| {
        assert_eq!(it["sendto"], "duty@example.com");
        let step = it["esc_step"].as_str().unwrap_or_default();
        format!("{step} {}", it["subject"].as_str().unwrap_or_default())
    };
    alerts.filter(about).map(line).collect()
}

fn problem_of(server: &Server, trigger: &str) -> Option<String> {
    let params = json!({"objectids": [trigger], "output": ["eventid"], "recent": true,
        "sortfield": "eventid", "sortorder": "DESC"});
    let found = server.call("problem.get", &params);
    found[0]["eventid"].as_str().map(str::to_owned)
}

#[test]
fn escalation_continues_after_a_kill_with_updates_and_recovery() {
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "k", FLOAT);
    let trigger = server.trigger("too much", "last(/h/k)>10");
    server.send("h", "k", "11", now());
    // Problems from before the first action have no messages.
    wait_until("the problem", LIMIT, || problem_of(&server, &trigger).is_some());
    server.send("h", "k", "1", now() + 1);
    wait_until("its end", LIMIT, || !server.is_problem(&trigger));
    let old = problem_of(&server, &trigger).expect("it was just over");
    with_action(&server);

    server.send("h", "k", "12", now() + 2);
    let newer = || problem_of(&server, &trigger).filter(|it| *it != old);
    wait_until("the problem", LIMIT, || newer().is_some());
    let event = newer().expect("it is there");
    wait_until("the first step", LIMIT, || !messages(&server, &event).is_empty());
    server.kill();
    server.start_again();
    wait_until("the last step", LIMIT, || messages(&server, &event).len() == 3);
    let problem = "Problem: too much (h: 12)";
    let steps = [1, 2, 3].map(|it| format!("{it} {problem}"));
    assert_eq!(messages(&server, &event), steps);

    server.call("event.acknowledge", &json!({"eventids": [event], "action": 6, "message": "mine"}));
    wait_until("the update", LIMIT, || messages(&server, &event).len() == 4);
    server.send("h", "k", "1", now() + 3);
    wait_until("the recovery", LIMIT, || messages(&server, &event).len() == 5);
    assert_eq!(messages(&server, &event)[3..], ["1 Said: too much", "1 Over: too much"]);
    assert_eq!(messages(&server, &old), Vec::<String>::new());
    assert_eq!(server.health_issue("escalations"), None);
}

#[test]
fn steps_wait_for_the_end_of_a_maintenance() {
    let server = Server::start();
    let (kept, other) = (server.host("h"), server.host("other"));
    for (host, name) in [(&kept, "h"), (&other, "other")] {
        server.trapper_item(host, "k", FLOAT);
        server.trigger(&format!("of {name}"), &format!("last(/{name}/k)>10"));
    }
    with_action(&server);
    let start = now() - 120;
    let params = json!({"name": "m", "active_since": start, "active_till": start + 86_400,
        "hosts": [{"hostid": kept}], "timeperiods": [{"start_date": start, "period": 43_200}]});
    let id = server.create("maintenance.create", &params).remove(0);
    let in_maintenance = json!({"hostids": [kept], "filter": {"maintenance_status": "1"}});
    wait_until("the maintenance", LIMIT, || server.call("host.get", &in_maintenance) != json!([]));
    let event_of = |name: &str| {
        let params = json!({"search": {"name": name}, "output": ["eventid"]});
        let found = server.call("problem.get", &params);
        found[0]["eventid"].as_str().map(str::to_owned)
    };
    server.send("h", "k", "11", now());
    wait_until("the suppressed problem", LIMIT, || event_of("of h").is_some());
    server.send("other", "k", "11", now());
    wait_until("the other problem", LIMIT, || event_of("of other").is_some());
    let event = event_of("of other").expect("it is there");
    wait_until("its steps", LIMIT, || messages(&server, &event).len() == 3);
    // It came before, and had the same time.
    let waiting = event_of("of h").expect("it is there");
    assert_eq!(messages(&server, &waiting), Vec::<String>::new());
    server.call("maintenance.delete", &json!([id]));
    wait_until("the first step", LIMIT, || messages(&server, &waiting).len() == 3);
    let steps = [1, 2, 3].map(|it| format!("{it} Problem: of h (h: 11)"));
    assert_eq!(messages(&server, &waiting), steps);
}

#[test]
fn flapping_triggers_and_symptoms_send_no_messages() {
    let mut server = Server::start();
    let rule = json!({"flapping_changes": 4, "flapping_period": "5m"});
    server.call("settings.update", &rule);
    let hosts = ["core", "floor"].map(|it| server.host(it));
    with_action(&server);
    let parents = json!([{"hostid": hosts[0]}]);
    server.call("host.update", &json!({"hostid": hosts[1], "parents": parents}));
    let trigger = |host: usize, name: &str, key: &str| {
        server.trapper_item(&hosts[host], key, FLOAT);
        let params = json!({"description": key, "expression": format!("last(/{name}/{key})=0"),
            "priority": 4});
        server.create("trigger.create", &params).remove(0)
    };
    let edge = trigger(0, "core", "edge");
    let (parent, child) = (trigger(0, "core", "agent.ping"), trigger(1, "floor", "agent.ping"));
    let other = trigger(1, "floor", "other");
    let is_flapping = |server: &Server| {
        let params = json!({"objectids": [edge], "output": ["eventid"], "filter": {"flapping": 1}});
        let found = server.call("problem.get", &params);
        found[0]["eventid"].as_str().map(str::to_owned)
    };
    for value in ["0", "1", "0", "1", "0"] {
        server.send("core", "edge", value, now());
    }
    wait_until("the mark", LIMIT, || is_flapping(&server).is_some());
    let flapping = is_flapping(&server).expect("a problem");
    assert_eq!(verdict(&server, &flapping), json!(["flapping", true, []]));
    server.send("core", "agent.ping", "0", now());
    wait_until("the parent's message", LIMIT, || {
        problem_of(&server, &parent).is_some_and(|it| !messages(&server, &it).is_empty())
    });
    server.send("floor", "agent.ping", "0", now());
    wait_until("the child's problem", LIMIT, || problem_of(&server, &child).is_some());
    server.kill();
    server.start_again();
    assert_eq!(is_flapping(&server), Some(flapping.clone()), "a start finds it");
    // An event that is judged after them has its message.
    server.send("floor", "other", "0", now());
    wait_until("another message", LIMIT, || {
        problem_of(&server, &other).is_some_and(|it| !messages(&server, &it).is_empty())
    });
    let symptom = problem_of(&server, &child).expect("a problem");
    assert_eq!(messages(&server, &flapping), Vec::<String>::new());
    assert_eq!(messages(&server, &symptom), Vec::<String>::new());
    assert_eq!(verdict(&server, &flapping), json!(["flapping", true, []]));
    assert_eq!(verdict(&server, &symptom), json!(["symptom", true, []]));
    // Without the rule nothing is flapping, and the delayed message is sent.
    server.call("settings.update", &json!({"flapping_changes": 0}));
    wait_until("stable", LIMIT, || is_flapping(&server).is_none());
    wait_until("what was paused", LIMIT, || !messages(&server, &flapping).is_empty());
    let stable = verdict(&server, &flapping);
    assert_eq!([&stable[0], &stable[1]], [&Value::Null, &json!(true)], "{stable}");
}

#[test]
fn parent_applies_as_soon_as_it_is_saved() {
    let server = Server::start();
    let [core, floor] = ["core", "floor"].map(|it| server.host(it));
    let down = |host: &str, name: &str| {
        server.trapper_item(host, "agent.ping", FLOAT);
        let trigger = server.trigger(name, &format!("last(/{name}/agent.ping)=0"));
        server.send(name, "agent.ping", "0", now());
        wait_until("the problem", LIMIT, || problem_of(&server, &trigger).is_some());
        problem_of(&server, &trigger).expect("it is there")
    };
    let (cause, symptom) = (down(&core, "core"), down(&floor, "floor"));
    let cause_of_symptom = || {
        let params = json!({"eventids": [symptom], "output": ["cause_eventid"]});
        server.call("problem.get", &params)[0]["cause_eventid"].clone()
    };
    assert_eq!(cause_of_symptom(), "0");
    // Not a moment later: an action may judge it by then.
    for (parents, expected) in [(json!([{"hostid": core}]), cause.as_str()), (json!([]), "0")] {
        server.call("host.update", &json!({"hostid": floor, "parents": parents}));
        assert_eq!(cause_of_symptom(), expected);
    }
}

/// The explanation of the action: why it waits, whether it concerns the event, and its alerts.
fn verdict(server: &Server, event: &str) -> Value {
    let explained = server.native_get(&format!("events/{event}/explain"));
    let actions = explained["actions"].as_array().expect("a list");
    let action = actions.iter().find(|it| it["name"] == "To the people on call").expect("it");
    json!([action["waits_while"], action["is_met"], explained["alerts"]])
}

/// Alerts of an event as `event.get` and the event page have them, by action; without the state of
/// their delivery, which continues.
fn made_of(server: &Server, event: &str) -> (Value, Value) {
    let params = json!({"eventids": [event], "source": 0, "object": 0, "output": ["eventid"],
        "selectAlerts": ["actionid", "esc_step", "subject", "clock"]});
    let by_event = server.call("event.get", &params)[0]["alerts"].clone();
    let explained = server.native_get(&format!("events/{event}/explain"));
    let mut explained = explained["alerts"].clone();
    for alert in explained.as_array_mut().expect("a list") {
        let alert = alert.as_object_mut().expect("an object");
        for field in ["status", "retries", "error"] {
            assert!(alert.remove(field).is_some(), "{field}");
        }
    }
    (by_event, explained)
}

#[test]
fn alerts_keep_their_action_and_service_after_a_kill() {
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "k", FLOAT);
    let params = json!({"description": "too much", "expression": "last(/h/k)>10", "priority": 4,
        "tags": [{"tag": "shop", "value": "web"}]});
    let trigger = server.create("trigger.create", &params).remove(0);
    let service = |name: &str| {
        let service = json!({"name": name, "algorithm": 2, "sortorder": 0,
            "problem_tags": [{"tag": "shop", "operator": 0, "value": "web"}]});
        server.create("service.create", &service).remove(0)
    };
    let services = [service("Shop"), service("Orders")];
    with_action(&server);
    let users = json!({"output": ["usrgrpid"], "filter": {"name": "on call"}});
    let users = server.call("usergroup.get", &users)[0]["usrgrpid"].clone();
    let action = |name: &str, source: &str| {
        let message = json!({"default_msg": "0", "subject": format!("{name}: {{EVENT.NAME}}"),
            "message": "x"});
        let action = json!({"name": name, "eventsource": source, "operations": [{
            "operationtype": "0", "opmessage": message, "opmessage_grp": [{"usrgrpid": users}]}]});
        server.create("action.create", &action).remove(0)
    };
    let second = action("Second", "0");
    let of_services = action("Services", "4");
    server.send("h", "k", "11", now());
    wait_until("the problem", LIMIT, || problem_of(&server, &trigger).is_some());
    let event = problem_of(&server, &trigger).expect("it is there");
    let by_action = |server: &Server, action: &str| -> Vec<Value> {
        let params = json!({"actionids": [action], "eventobject": 6, "eventsource": 4});
        let of_service = server.call("alert.get", &params);
        let params = json!({"actionids": [action]});
        let of_trigger = server.call("alert.get", &params);
        let lists = [of_trigger, of_service];
        lists.iter().flat_map(|it| it.as_array().expect("a list").clone()).collect()
    };
    // Three steps of one action, one of the other, and one for each service.
    wait_until("all messages", LIMIT, || {
        messages(&server, &event).len() == 4 && by_action(&server, &of_services).len() == 2
    });
    let check = |server: &Server| {
        let (by_event, explained) = made_of(server, &event);
        let subjects = |of: &Value| -> Vec<String> {
            let of = of.as_array().expect("a list").iter();
            let mut found: Vec<_> =
                of.map(|it| it["subject"].as_str().expect("a text").to_owned()).collect();
            found.sort();
            found
        };
        let own = "Problem: too much (h: 11)";
        let expected = [own, own, own, "Second: too much"];
        assert_eq!(subjects(&by_event), expected, "{by_event}");
        assert_eq!(subjects(&explained), expected, "{explained}");
        let of_second = by_action(server, &second);
        assert_eq!(of_second.len(), 1, "{of_second:?}");
        assert_eq!(of_second[0]["eventid"], *event);
        let of_services = by_action(server, &of_services);
        let mut names: Vec<&str> =
            of_services.iter().map(|it| it["subject"].as_str().expect("a text")).collect();
        names.sort_unstable();
        let of = |name: &str| format!("Services: Status of service \"{name}\" changed to High");
        assert_eq!(names, [of("Orders"), of("Shop")]);
        // They are about events of services, each its own.
        let mut events: Vec<&str> =
            of_services.iter().map(|it| it["eventid"].as_str().expect("an id")).collect();
        events.sort_unstable();
        events.dedup();
        assert!(events.len() == 2 && !events.contains(&&*event), "{events:?}");
        for it in &of_services {
            let id = it["eventid"].as_str().expect("an id");
            let explained = server.native_get(&format!("events/{id}/explain"));
            assert_eq!(explained["alerts"].as_array().map(Vec::len), Some(1), "{explained}");
            assert!(services.iter().any(|of| explained["objectid"] == **of), "{explained}");
        }
        (by_event, explained)
    };
    let before = check(&server);
    server.kill();
    server.start_again();
    assert_eq!(check(&server), before);
}

/// A row that the database refuses whatever is done, as it would text that it cannot hold.
#[test]
fn an_event_whose_alerts_cannot_be_saved_does_not_stop_the_others() {
    let server = Server::start();
    let host = server.host("h");
    for key in ["good", "bad", "later"] {
        server.trapper_item(&host, key, FLOAT);
    }
    let triggers =
        ["good", "bad", "later"].map(|key| server.trigger(key, &format!("last(/h/{key})>10")));
    with_action(&server);
    let database =
        rusqlite::Connection::open(server.data().join("saker.db")).expect("the database");
    database.busy_timeout(LIMIT).expect("a time");
    database
        .execute_batch(
            "create trigger refused before insert on alerts when new.subject like '%bad%' \
             begin select raise(abort, 'refused for good'); end",
        )
        .expect("a trigger");
    for key in ["good", "bad", "later"] {
        server.send("h", key, "11", now());
    }
    let has_message = |trigger: &str| {
        problem_of(&server, trigger).is_some_and(|it| !messages(&server, &it).is_empty())
    };
    wait_until("messages of the others", LIMIT, || {
        has_message(&triggers[0]) && has_message(&triggers[2])
    });
    assert!(!has_message(&triggers[1]));
    let issue = || server.health_issue("escalations-quarantine");
    wait_until("the quarantined step", LIMIT, || issue().is_some());
    let shown = issue().map_or_else(String::new, |it| it.to_string());
    assert!(shown.contains("refused for good"), "{shown}");
    assert_eq!(server.metric("saker_escalations_quarantined_total"), 1);
    wait_until("whole turns again", LIMIT, || server.health_issue("escalations").is_none());
}

#[test]
fn media_are_chosen_by_the_severity_of_the_trigger_and_what_they_do_not_want_makes_no_alert() {
    let server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "high", FLOAT);
    server.trapper_item(&host, "low", FLOAT);
    let trigger = |key: &str, priority: u8| {
        let params = json!({"description": key, "expression": format!("last(/h/{key})>10"),
            "priority": priority});
        server.create("trigger.create", &params).remove(0)
    };
    let (high, low) = (trigger("high", 4), trigger("low", 2));
    with_action(&server);
    let users = server.call("usergroup.get", &json!({"filter": {"name": "on call"}}));
    let group = users[0]["usrgrpid"].clone();
    let mail = server.call("mediatype.get", &json!({"filter": {"name": "Mail"}}))[0].clone();
    let duty = server.call("user.get", &json!({"filter": {"username": "duty"}}))[0].clone();
    let media = |sendto: &str, severity: u8, active: u8| {
        json!({"mediatypeid": mail["mediatypeid"], "sendto": [sendto], "severity": severity,
            "active": active})
    };
    // High alone; disabled.
    let of_duty = [media("duty@example.com", 16, 0), media("off@example.com", 63, 1)];
    let update = json!({"userid": duty["userid"], "medias": of_duty});
    server.call("user.update", &update);
    let nobody = json!({"username": "nobody", "passwd": "for-tests-only-1", "roleid": "1",
        "usrgrps": [{"usrgrpid": group}]});
    let nobody = server.create("user.create", &nobody).remove(0);
    server.send("h", "low", "11", now());
    server.send("h", "high", "11", now());
    let alerts = |event: &str| {
        let params = json!({"eventids": event, "output": ["userid", "sendto", "error", "esc_step"],
            "sortfield": "alertid"});
        server.call("alert.get", &params).as_array().expect("a list").clone()
    };
    let event_of = |trigger: &str| problem_of(&server, trigger).unwrap_or_default();
    let steps = |trigger: &str, step: &str| {
        let event = event_of(trigger);
        let alerts = if event.is_empty() { Vec::new() } else { alerts(&event) };
        alerts.iter().filter(|it| it["esc_step"] == step).cloned().collect::<Vec<Value>>()
    };
    wait_until("the last step", LIMIT, || !steps(&low, "3").is_empty());
    wait_until("the last step", LIMIT, || !steps(&high, "3").is_empty());
    let shown = |list: Vec<Value>| -> Vec<(String, String)> {
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        list.iter().map(|it| (text(&it["sendto"]), text(&it["error"]))).collect()
    };
    // Of a user whose media all exclude the message there is no alert.
    let none = (String::new(), "No media defined for user.".to_owned());
    assert_eq!(shown(steps(&low, "1")), [none]);
    assert_eq!(steps(&low, "1")[0]["userid"], nobody);
    let mut sent: Vec<String> = shown(steps(&high, "1")).into_iter().map(|it| it.0).collect();
    sent.sort_unstable();
    assert_eq!(sent, ["", "duty@example.com"]);
    let event = event_of(&high);
    server.call("event.acknowledge", &json!({"eventids": [event], "action": 8, "severity": 3}));
    let n_alerts = |what: &str| {
        let params = json!({"search": {"sendto": "duty@example.com"}, "output": ["p_eventid",
            "acknowledgeid"]});
        let found = server.call("alert.get", &params);
        found.as_array().expect("a list").iter().filter(|it| it[what] != "0").count()
    };
    wait_until("the update", LIMIT, || n_alerts("acknowledgeid") == 1);
    server.send("h", "high", "1", now() + 1);
    wait_until("the recovery, for its recipients", LIMIT, || n_alerts("p_eventid") == 1);
}
