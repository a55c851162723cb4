//! Values, problems and the live stream.

use api::ports::{ItemLive, Trend, TriggerLive};
use db::EventRow;
use db::events::{object, source};
use model::content::{Severity, Tag};
use model::value::Sample;
use model::{EventId, HostId, ItemId, Time, TriggerId, UserId, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::{Server, Session};

pub(crate) fn id(text: &str) -> u64 {
    text.parse().unwrap()
}

/// A host with an item and a trigger: their ids.
pub(crate) fn scene(admin: &Session<'_>) -> (String, String, String) {
    let host = admin.host("h");
    let item = admin.trapper(&host, "k");
    let trigger = admin.create(
        "trigger.create",
        json!({"description": "k is high", "expression": "last(/h/k)>5", "priority": 3,
            "manual_close": 1, "tags": [{"tag": "scope", "value": "x"}]}),
    );
    (host, item, trigger)
}

pub(crate) fn problem(eventid: u64, trigger: &str, host: &str, time: Time) -> EventRow {
    EventRow {
        eventid: EventId(eventid),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: id(trigger),
        time,
        value: 1,
        severity: Severity::Average,
        name: "k is high".to_owned(),
        opdata: String::new(),
        tags: vec![Tag { tag: "scope".to_owned(), value: "x".to_owned() }],
        hosts: vec![HostId(id(host))],
        recovers: vec![],
        userid: UserId::NONE,
    }
}

pub(crate) fn recovery(eventid: u64, of: &EventRow, time: Time) -> EventRow {
    EventRow { eventid: EventId(eventid), value: 0, time, recovers: vec![of.eventid], ..of.clone() }
}

#[test]
fn problems_are_read_acknowledged_and_closed() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let now = server.now();
    let first = problem(1, &trigger, &host, now.plus_secs(-60));
    let events = vec![
        first.clone(),
        recovery(2, &first, now.plus_secs(-30)),
        problem(3, &trigger, &host, now),
    ];
    server.db.events().apply(events, 10).unwrap();
    let get = json!({"output": ["eventid", "severity", "acknowledged", "r_eventid", "name"],
        "selectTags": "extend", "selectAcknowledges": "count"});
    let open = admin.call("problem.get", get);
    assert_eq!(
        open,
        json!([{"eventid": "3", "severity": "3", "acknowledged": "0", "r_eventid": "0",
            "name": "k is high", "tags": [{"tag": "scope", "value": "x"}], "acknowledges": "0"}])
    );
    let recent = json!({"recent": true, "output": ["r_eventid"], "sortfield": "eventid",
        "sortorder": "DESC"});
    assert_eq!(
        admin.call("problem.get", recent),
        json!([{"eventid": "3", "r_eventid": "0"}, {"eventid": "1", "r_eventid": "2"}])
    );
    let update = json!({"eventids": "3", "action": 2 | 4 | 8, "message": "on it", "severity": 5});
    assert_eq!(admin.call("event.acknowledge", update), json!({"eventids": ["3"]}));
    for (params, n) in [
        (json!({"acknowledged": true}), "1"),
        (json!({"acknowledged": false}), "0"),
        (json!({"severities": [5]}), "1"),
        (json!({"severities": [3]}), "0"),
        (json!({"hostids": [host]}), "1"),
        (json!({"hostids": ["999"]}), "0"),
        (json!({"groupids": ["2"]}), "1"),
        (json!({"objectids": trigger}), "1"),
        (json!({"tags": [{"tag": "scope", "value": "x", "operator": 1}]}), "1"),
        (json!({"suppressed": true}), "0"),
        (json!({"eventid_from": 4}), "0"),
    ] {
        let mut count = params.clone();
        count["countOutput"] = json!(true);
        assert_eq!(admin.call("problem.get", count), n, "{params}");
    }
    let event = &admin.call(
        "event.get",
        json!({"eventids": ["3"], "selectAcknowledges": ["message", "username", "new_severity"],
            "selectHosts": ["host"], "selectRelatedObject": ["description"],
            "output": ["value", "severity", "opdata"]}),
    )[0];
    assert_eq!(
        *event,
        json!({"eventid": "3", "value": "1", "severity": "5", "opdata": "",
            "acknowledges": [{"message": "on it", "username": "Admin", "new_severity": "5"}],
            "hosts": [{"hostid": host, "host": "h"}],
            "relatedObject": {"triggerid": trigger, "description": "k is high"}})
    );
    admin.call("event.acknowledge", json!({"eventids": ["3"], "action": 1}));
    assert_eq!(*server.world.closed.lock().unwrap(), [3]);
    for (params, data) in [
        (
            json!({"eventids": ["77"], "action": 2}),
            "No permissions to referred object or it does not exist!",
        ),
        (
            json!({"eventids": ["3"], "action": 4}),
            "Incorrect value for field \"message\": cannot be empty.",
        ),
    ] {
        assert_eq!(admin.error("event.acknowledge", params.clone()), data, "{params}");
    }
}

#[test]
fn recent_problems_are_open_or_ended_within_five_minutes() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let now = server.now();
    let mut events = Vec::new();
    for (eventid, ended_s) in [(1, 310), (3, 280), (5, 0)] {
        let began = problem(eventid, &trigger, &host, now.plus_secs(-1_000));
        events.push(began.clone());
        events.push(recovery(eventid + 1, &began, now.plus_secs(-ended_s)));
    }
    events.push(problem(7, &trigger, &host, now.plus_secs(-5_000)));
    server.db.events().apply(events, 10).unwrap();
    let found = |params: Value| {
        let found = admin.call("problem.get", params);
        let ids =
            found.as_array().unwrap().iter().map(|it| it["eventid"].as_str().unwrap().parse());
        ids.collect::<Result<Vec<u64>, _>>().unwrap()
    };
    assert_eq!(found(json!({"recent": true, "output": []})), [3, 5, 7]);
    let params = json!({"recent": true, "output": [], "objectids": trigger});
    assert_eq!(found(params), [3, 5, 7]);
    assert_eq!(found(json!({"recent": true, "output": [], "eventids": [1, 3, 7]})), [3, 7]);
    assert_eq!(found(json!({"output": []})), [7]);
}

fn burns(server: &Server, trigger: &str) {
    let live =
        TriggerLive { is_problem: true, last_change: server.now(), ..TriggerLive::default() };
    server.world.triggers.lock().unwrap().insert(TriggerId(id(trigger)), live);
}

fn descriptions(found: &Value) -> Vec<&str> {
    found.as_array().unwrap().iter().map(|it| it["description"].as_str().unwrap()).collect()
}

#[test]
fn triggers_behind_a_master_in_problem_are_skipped() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let items = ["k", "off"].map(|it| admin.trapper(&host, it));
    // Each depends on the one before.
    let chain = |names: [&str; 3], key: &str| {
        let mut ids: Vec<String> = Vec::new();
        for name in names {
            let masters: Vec<Value> =
                ids.last().map(|it| json!({"triggerid": it})).into_iter().collect();
            let expression = format!("last(/h/{key})>0");
            ids.push(admin.create(
                "trigger.create",
                json!({"description": name, "expression": expression, "dependencies": masters}),
            ));
        }
        ids
    };
    let far = chain(["burns", "quiet", "behind both"], "k");
    burns(&server, &far[0]);
    let cut = chain(["burns too", "disabled", "behind a disabled one"], "k");
    burns(&server, &cut[0]);
    burns(&server, &cut[1]);
    admin.call("trigger.update", json!({"triggerid": cut[1], "status": 1}));
    let dead = chain(["dead item", "behind a dead item", "and behind that"], "off");
    burns(&server, &dead[0]);
    admin.call("item.update", json!({"itemid": items[1], "status": 1}));
    // No trigger depends on it: it is shown.
    let lonely = admin.create(
        "trigger.create",
        json!({"description": "lonely", "expression": "last(/h/k)>1", "status": 1}),
    );
    burns(&server, &lonely);
    let skip = json!({"skipDependent": true, "output": ["description"], "hostids": host});
    let found = admin.call("trigger.get", skip);
    // All of the third chain have the dead item.
    let expected = ["burns", "burns too", "behind a disabled one", "and behind that", "lonely"];
    assert_eq!(descriptions(&found), expected);
}

#[test]
fn discovered_triggers_depend_on_what_their_own_row_made() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    let rule = admin.create(
        "discoveryrule.create",
        json!({"hostid": host, "name": "r", "key_": "r", "type": 2}),
    );
    let prototype = json!({"hostid": host, "ruleid": rule, "name": "i {#N}", "key_": "i[{#N}]",
        "type": 2, "value_type": 3});
    admin.create("itemprototype.create", prototype);
    let trigger = |name: &str, masters: Value| {
        let params = json!({"description": name, "expression": "last(/h/i[{#N}])>0",
            "dependencies": masters});
        admin.create("triggerprototype.create", params)
    };
    let first = trigger("T1 {#N}", json!([]));
    let second = trigger("T2 {#N}", json!([{"triggerid": first}]));
    let rows = "[{\"{#N}\": \"a\"}, {\"{#N}\": \"b\"}]";
    server.db.apply_lld(ItemId(id(&rule)), rows, server.now()).unwrap();
    let params = json!({"hostids": host, "output": ["description"],
        "selectDependencies": ["description"], "sortfield": "description"});
    let found = admin.call("trigger.get", params);
    assert_eq!(descriptions(&found), ["T1 a", "T1 b", "T2 a", "T2 b"]);
    for (dependent, master) in [(2, 0), (3, 1)] {
        let expected = json!([{"triggerid": found[master]["triggerid"],
            "description": found[master]["description"]}]);
        assert_eq!(found[dependent]["dependencies"], expected);
    }
    // Prototypes depend on prototypes.
    let params = json!({"triggerids": second, "selectDependencies": ["description"]});
    let prototypes = admin.call("triggerprototype.get", params);
    assert_eq!(prototypes[0]["dependencies"][0]["triggerid"], json!(first));
    burns(&server, found[0]["triggerid"].as_str().unwrap());
    let skip = json!({"skipDependent": true, "output": ["description"], "hostids": host,
        "sortfield": "description"});
    assert_eq!(descriptions(&admin.call("trigger.get", skip)), ["T1 a", "T1 b", "T2 b"]);
}

#[test]
fn triggers_that_were_in_problem_until_recently_count_as_true() {
    let server = Server::start();
    let admin = server.login();
    let host = admin.host("h");
    admin.trapper(&host, "k");
    for (name, is_problem, changed_s) in
        [("long", true, 9_000), ("over", false, 9_000), ("just over", false, 200)]
    {
        let params = json!({"description": name, "expression": "last(/h/k)>0"});
        let trigger = admin.create("trigger.create", params);
        let last_change = server.now().plus_secs(-changed_s);
        let live = TriggerLive { is_problem, last_change, ..TriggerLive::default() };
        server.world.triggers.lock().unwrap().insert(TriggerId(id(&trigger)), live);
    }
    let params = json!({"only_true": true, "output": ["description"], "hostids": host});
    assert_eq!(descriptions(&admin.call("trigger.get", params)), ["long", "just over"]);
}

#[test]
fn triggers_are_found_by_unacknowledged_events() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, _) = scene(&admin);
    let now = server.now();
    let mut events = Vec::new();
    let mut triggers = Vec::new();
    // The problems of each trigger, oldest first: whether it is acknowledged and whether it is resolved.
    for problems in [
        vec![(false, false)],
        vec![(true, false)],
        vec![(false, true)],
        vec![(false, true), (true, false)],
        vec![(true, true), (false, true)],
        vec![],
    ] {
        let name = format!("t{}", triggers.len());
        let trigger = admin
            .create("trigger.create", json!({"description": name, "expression": "last(/h/k)>6"}));
        for (acknowledged, is_over) in problems {
            let eventid = events.len() as u64 * 2 + 1;
            let began = problem(eventid, &trigger, &host, now.plus_secs(-100));
            events.push((began.clone(), acknowledged));
            if is_over {
                events.push((recovery(eventid + 1, &began, now.plus_secs(-50)), false));
            }
        }
        triggers.push(trigger);
    }
    let rows = events.iter().map(|(it, _)| it.clone()).collect();
    server.db.events().apply(rows, 10).unwrap();
    for (event, _) in events.iter().filter(|(_, it)| *it) {
        let params = json!({"eventids": [event.eventid.0.to_string()], "action": 2});
        admin.call("event.acknowledge", params);
    }
    let found = |params: Value| {
        let mut all = json!({"triggerids": triggers, "output": ["description"]});
        all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        let found = admin.call("trigger.get", all);
        let names = found.as_array().unwrap().iter();
        names.map(|it| it["description"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (flag, expected) in [
        ("withUnacknowledgedEvents", vec!["t0", "t2", "t3", "t4"]),
        ("withLastEventUnacknowledged", vec!["t0", "t2", "t4"]),
        ("withAcknowledgedEvents", vec!["t1", "t5"]),
    ] {
        assert_eq!(found(json!({flag: true})), expected, "{flag}");
        // The limit applies to the result; other filters apply as well.
        assert_eq!(found(json!({flag: true, "limit": 1})), expected[..1], "{flag}");
        let last = *expected.last().unwrap();
        assert_eq!(found(json!({flag: true, "filter": {"description": last}})), [last], "{flag}");
    }
    let both = json!({"withUnacknowledgedEvents": true, "withLastEventUnacknowledged": true});
    assert_eq!(found(both), ["t0", "t2", "t4"]);
    // Those that left memory count as well.
    server.db.events().expire(now.plus_secs(100_000));
    assert_eq!(found(json!({"withLastEventUnacknowledged": true})), ["t0", "t2", "t4"]);
}

#[test]
fn events_are_read_in_pages_and_in_order() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let start = Time::from_clock(1_000_000, 5);
    let events = (1..=12_000).map(|it| {
        let time = start.plus_secs(i64::try_from(it).unwrap());
        problem(it, &trigger, &host, time)
    });
    server.db.events().apply(events.collect(), 1).unwrap();
    assert_eq!(admin.call("event.get", json!({"countOutput": true})), "12000");
    let newest = json!({"output": ["clock", "ns"], "sortfield": ["clock", "eventid"],
        "sortorder": "DESC", "limit": 2});
    assert_eq!(
        admin.call("event.get", newest),
        json!([{"eventid": "12000", "clock": "1012000", "ns": "5"},
            {"eventid": "11999", "clock": "1011999", "ns": "5"}])
    );
    let some = json!({"eventid_from": 11_990, "time_till": 1_011_995, "countOutput": true});
    assert_eq!(admin.call("event.get", some), "6");
    assert_eq!(admin.call("event.get", json!({"objectids": [], "countOutput": true})), "0");
}

#[test]
fn last_values_read_as_the_database_of_zabbix_writes_them() {
    let server = Server::start();
    let admin = server.login();
    let (host, ..) = scene(&admin);
    let create = |key: &str, value_type: i64| {
        let params =
            json!({"hostid": host, "name": key, "key_": key, "type": 2, "value_type": value_type});
        admin.create("item.create", params)
    };
    let (text, float) = (create("text", 4), create("float", 0));
    let last = Sample { time: Time::from_clock(104, 0), value: ItemValue::Float(1e24) };
    let live = ItemLive { last: Some(last), ..ItemLive::default() };
    server.world.items.lock().unwrap().insert(ItemId(id(&float)), live);
    // Nothing is 0 where numbers are.
    for (item, last, prev) in [(&text, "", ""), (&float, "1e+24", "0")] {
        let params = json!({"itemids": item, "output": ["lastvalue", "prevvalue"]});
        assert_eq!(
            admin.call("item.get", params),
            json!([{"itemid": item, "lastvalue": last, "prevvalue": prev}])
        );
    }
}

#[test]
fn values_are_read_by_history_and_by_item() {
    let server = Server::start();
    let admin = server.login();
    let (_, item, trigger) = scene(&admin);
    let item_id = ItemId(id(&item));
    let sample = |clock: i64, value: u64| Sample {
        time: Time::from_clock(clock, 7),
        value: ItemValue::Unsigned(value),
    };
    let values: Vec<Sample> = (0..5).map(|it| sample(100 + it, it.unsigned_abs())).collect();
    let live = ItemLive {
        last: values.last().cloned(),
        prev: values.get(3).cloned(),
        ..ItemLive::default()
    };
    server.world.values.lock().unwrap().insert(item_id, values);
    server.world.items.lock().unwrap().insert(item_id, live);
    let burning =
        TriggerLive { is_problem: true, error: None, last_change: Time::from_clock(103, 0) };
    server.world.triggers.lock().unwrap().insert(TriggerId(id(&trigger)), burning);
    let history = json!({"itemids": [item], "history": 3, "sortfield": "clock",
        "sortorder": "DESC", "limit": 2, "time_till": 103, "output": "extend"});
    assert_eq!(
        admin.call("history.get", history),
        json!([{"itemid": item, "clock": "103", "ns": "7", "value": "3"},
            {"itemid": item, "clock": "102", "ns": "7", "value": "2"}])
    );
    let count = json!({"itemids": item, "history": 3, "countOutput": true, "time_from": 102});
    assert_eq!(admin.call("history.get", count), "3");
    assert_eq!(admin.call("trend.get", json!({"itemids": item})), json!([]));
    let hours = [(0, 7), (1, (1 << 53) + 1), (2, 3)].map(|(hour, value)| {
        let mut trend = Trend::of_unsigned(Time::from_clock(hour * 3_600, 0), value);
        assert!(
            trend.add(&Trend { hour: trend.hour, ..Trend::of_unsigned(Time::ZERO, value + 1) })
        );
        trend
    });
    server.world.trends.lock().unwrap().insert(ItemId(id(&item)), hours.to_vec());
    let trends = json!({"itemids": [item], "time_from": 1, "time_till": 7_200, "limit": 1});
    assert_eq!(
        admin.call("trend.get", trends),
        json!([{"itemid": item, "clock": "3600", "num": "2", "value_min": "9007199254740993",
            "value_avg": "9007199254740993", "value_max": "9007199254740994"}])
    );
    let newest = json!({"itemids": [item], "output": ["clock"], "sortfield": "clock",
        "sortorder": "DESC", "limit": 2});
    assert_eq!(
        admin.call("trend.get", newest),
        json!([{"clock": "7200", "itemid": item}, {"clock": "3600", "itemid": item}])
    );
    assert_eq!(admin.call("trend.get", json!({"countOutput": true, "time_till": 3_599})), "1");
    let items = admin.call(
        "item.get",
        json!({"output": ["lastvalue", "prevvalue", "lastclock", "lastns", "state"]}),
    );
    assert_eq!(
        items,
        json!([{"itemid": item, "lastvalue": "4", "prevvalue": "3", "lastclock": "104",
            "lastns": "7", "state": "0"}])
    );
    let triggers = admin.call(
        "trigger.get",
        json!({"only_true": true, "monitored": true, "output": ["value", "lastchange"]}),
    );
    assert_eq!(triggers, json!([{"triggerid": trigger, "value": "1", "lastchange": "103"}]));
}

#[test]
fn items_are_executed_now_and_failures_are_reported() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, _) = scene(&admin);
    let error = admin.error("task.create", json!([{"type": 6, "request": {"itemid": item}}]));
    assert_eq!(error, "Cannot send request: wrong item type.");
    let polled = admin.create(
        "item.create",
        json!({"hostid": host, "name": "p", "key_": "agent.ping", "type": 0, "value_type": 3,
            "delay": "1m"}),
    );
    admin.call("task.create", json!({"type": "6", "request": {"itemid": polled}}));
    assert_eq!(*server.world.executed.lock().unwrap(), [ItemId(id(&polled))]);
    // Items that were not executed are reported, each of them.
    let second = admin.create(
        "item.create",
        json!({"hostid": host, "name": "q", "key_": "agent.version", "type": 0, "value_type": 4,
            "delay": "1m"}),
    );
    *server.world.unknown.lock().unwrap() = vec![ItemId(id(&polled)), ItemId(id(&second))];
    let task = |item: &str| json!({"type": "6", "request": {"itemid": item}});
    let error = admin.error("task.create", task(&second));
    assert_eq!(error, "Cannot send request: no such item.");
    let error = admin.error("task.create", json!([task(&polled), task(&second)]));
    assert_eq!(
        error,
        "Cannot send request: item \"p\" on host \"h\": no such item; item \"q\" on host \"h\": no such item."
    );
}

#[test]
fn pages_get_columns() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, trigger) = scene(&admin);
    let now = server.now();
    server.db.events().apply(vec![problem(9, &trigger, &host, now)], 1).unwrap();
    let sample = Sample { time: Time::from_clock(50, 0), value: ItemValue::Unsigned(8) };
    let live = ItemLive { last: Some(sample.clone()), ..ItemLive::default() };
    server.world.items.lock().unwrap().insert(ItemId(id(&item)), live);
    server.world.values.lock().unwrap().insert(ItemId(id(&item)), vec![sample]);
    let bearer = format!("Bearer {}", admin.id);
    let get = |path: &str| server.get(path, &[("Authorization", &bearer)]).json();
    let problems = admin.problem_lines("");
    assert_eq!(problems[0], json!({"version": 1, "total": 1}));
    let columns = &problems[1];
    assert_eq!(columns["eventid"], json!([9]));
    assert_eq!(columns["host"], json!({"new": [[host, "h"]], "idx": [0]}));
    assert_eq!(columns["tags"], json!({"new": [[["scope", "x"]]], "idx": [0]}));
    assert_eq!(columns["flags"], json!([4]));
    assert_eq!(problems.len(), 2);
    let latest = get(&format!("/api/v1/latest?hostids={host}&search=K"));
    assert_eq!(latest["items"]["itemid"], json!([item]));
    assert_eq!(latest["items"]["lastvalue"], json!(["8"]));
    assert_eq!(latest["items"]["interval"], json!({"dict": ["0"], "idx": [0]}));
    assert_eq!(get("/api/v1/latest?search=none")["items"]["itemid"], json!([]));
    let series = get(&format!("/api/v1/series?itemids={item},999&from=0&to=100&buckets=10"));
    assert_eq!(
        series,
        json!({"series": [{"itemid": item, "t": [50], "min": [8], "avg": [7], "max": [8],
            "count": [1], "last": 8, "parts": [{"source": "history", "from": 0, "to": 100}]}]})
    );
    let overview = get("/api/v1/overview");
    assert_eq!(overview["system"]["hosts_total"], 1);
    assert_eq!(overview["system"]["values_per_second"], 12.5);
    assert_eq!(
        overview["problems_by_severity"][3],
        json!({"severity": 3, "total": 1, "acknowledged": 0})
    );
    assert_eq!(overview["nvps"], json!({"t": [1000, 1001], "v": [1.0, 2.5]}));
    for path in ["problems", "latest", "series", "overview", "stream"] {
        assert_eq!(server.get(&format!("/api/v1/{path}"), &[]).status, 401, "{path}");
    }
    let bad = server.get("/api/v1/series?itemids=x", &[("Authorization", &bearer)]);
    assert_eq!(bad.status, 400);
}

#[test]
fn hosts_and_groups_with_problems_are_counted_worst_first() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let group = admin.create("hostgroup.create", json!({"name": "Floor"}));
    let second = admin.create(
        "host.create",
        json!({"host": "second", "groups": [{"groupid": "2"}, {"groupid": group}]}),
    );
    let of_second = admin.trapper(&second, "k");
    let slow = admin.create(
        "trigger.create",
        json!({"description": "slow", "expression": "last(/second/k)>1", "priority": 5}),
    );
    let now = server.now();
    let event = |id: u64, trigger: &str, host: &str, severity: Severity| EventRow {
        severity,
        ..problem(id, trigger, host, now)
    };
    let rows = vec![
        event(1, &trigger, &host, Severity::Average),
        event(2, &trigger, &host, Severity::Average),
        event(3, &slow, &second, Severity::Disaster),
        event(4, &slow, &second, Severity::Disaster),
        event(5, &slow, &second, Severity::Disaster),
    ];
    server.db.events().apply(rows, 1).unwrap();
    let acknowledge = |id: &str, action: i64, more: Value| {
        let mut params = json!({"eventids": [id], "action": action});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        admin.call("event.acknowledge", params);
    };
    acknowledge("2", 2, json!({}));
    // One is suppressed, one a symptom: neither counts.
    acknowledge("4", 32, json!({"suppress_until": 0}));
    acknowledge("5", 256, json!({"cause_eventid": "3"}));
    let get = |session: &Session<'_>| {
        let bearer = format!("Bearer {}", session.id);
        server.get("/api/v1/overview/loads", &[("Authorization", &bearer)]).json()
    };
    let loads = get(&admin);
    let clock = now.clock();
    let host_group = admin.call(
        "host.get",
        json!({"hostids": host, "output": [],
        "selectHostGroups": ["name"]}),
    )[0]["hostgroups"][0]
        .clone();
    assert_eq!(
        loads["hosts"],
        json!([
            {"hostid": second, "host": "second", "counts": [0, 0, 0, 0, 0, 1], "unacknowledged": 1,
                "since": clock},
            {"hostid": host, "host": "h", "counts": [0, 0, 0, 2, 0, 0], "unacknowledged": 1,
                "since": clock}])
    );
    assert_eq!((&loads["hosts_total"], &loads["groups_total"]), (&json!(2), &json!(2)));
    assert_eq!(
        loads["groups"],
        json!([
            {"groupid": host_group["groupid"], "name": host_group["name"],
                "counts": [0, 0, 0, 2, 0, 1], "hosts": 2, "hosts_total": 2},
            {"groupid": group, "name": "Floor", "counts": [0, 0, 0, 0, 0, 1], "hosts": 1,
                "hosts_total": 1}])
    );
    assert_eq!(get(&admin), loads, "the same is answered again");
    assert!(!of_second.is_empty());
    // Users who see less count less; changes show at once.
    let bob = crate::rights::restricted(&server, &admin, 1, json!({}));
    let rights = json!({"filter": {"name": "restricted"}});
    let usrgrpid = admin.call("usergroup.get", rights)[0]["usrgrpid"].clone();
    let floor = json!([{"id": group, "permission": 0}]);
    admin.call("usergroup.update", json!({"usrgrpid": usrgrpid, "hostgroup_rights": floor}));
    assert_eq!(get(&bob)["hosts"], json!([]), "no rights");
    let floor = json!([{"id": group, "permission": 2}]);
    admin.call("usergroup.update", json!({"usrgrpid": usrgrpid, "hostgroup_rights": floor}));
    let seen = get(&bob);
    assert_eq!((&seen["hosts_total"], &seen["groups_total"]), (&json!(1), &json!(1)));
    assert_eq!(seen["groups"][0]["name"], "Floor");
    acknowledge("3", 2, json!({}));
    assert_eq!(get(&bob)["hosts"][0]["unacknowledged"], 0);
}

/// Event ids of a line, and the entries that they point to.
fn rows(line: &Value, names: &mut Vec<String>) -> Vec<(i64, String)> {
    let new = line["name"]["new"].as_array().unwrap();
    names.extend(new.iter().map(|it| it.as_str().unwrap().to_owned()));
    let mut id = 0;
    let ids = line["eventid"].as_array().unwrap().iter().map(|it| {
        id += it.as_i64().unwrap();
        id
    });
    let name = |it: &Value| names[usize::try_from(it.as_u64().unwrap()).unwrap()].clone();
    ids.zip(line["name"]["idx"].as_array().unwrap().iter().map(name)).collect()
}

#[test]
fn a_snapshot_of_problems_begins_with_the_first_page() {
    const N: u64 = 12_000;
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let other = admin.host("other");
    admin.trapper(&other, "k");
    let expression = json!({"description": "of other", "expression": "last(/other/k)>5"});
    let of_other = admin.create("trigger.create", expression);
    let start = Time::from_clock(1_000_000, 0);
    let events = (1..=N).map(|it| {
        let time = start.plus_secs(it.cast_signed() / 3);
        let (trigger, host) = if it == 7 { (&of_other, &other) } else { (&trigger, &host) };
        let severity = if it % 1_000 == 0 { Severity::Disaster } else { Severity::Warning };
        EventRow { severity, name: format!("problem {it}"), ..problem(it, trigger, host, time) }
    });
    server.db.events().apply(events.collect(), 1).unwrap();
    let ids = |it: &[(i64, String)]| it.iter().map(|(id, _)| *id).collect::<Vec<i64>>();
    let lines = admin.problem_lines("");
    assert_eq!(lines[0], json!({"version": N, "total": N}));
    let mut names = Vec::new();
    let parts: Vec<_> = lines[1..].iter().map(|it| rows(it, &mut names)).collect();
    assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [500, 10_000, 1_500]);
    let all = parts.concat();
    assert_eq!(ids(&all), (1..=N.cast_signed()).rev().collect::<Vec<i64>>());
    assert!(all.iter().all(|(id, name)| *name == format!("problem {id}")));
    // The first page's problems come first, and none comes twice.
    let first = |params: &str| {
        let (lines, mut names) = (admin.problem_lines(params), Vec::new());
        let all: Vec<_> = lines[1..].iter().flat_map(|it| rows(it, &mut names)).collect();
        let mut each = ids(&all);
        each.sort_unstable();
        assert_eq!(each, (1..=N.cast_signed()).collect::<Vec<i64>>());
        ids(&all)[..3].to_vec()
    };
    assert_eq!(first(&format!("?hostids={other}")), [7, 12_000, 11_999]);
    assert_eq!(first("?severities=5,4"), [12_000, 11_000, 10_000]);
    assert_eq!(first("?severities=2&sort=severity"), [11_999, 11_998, 11_997]);
    assert_eq!(first("?sort=severity"), [12_000, 11_000, 10_000]);
}

#[test]
fn expressions_keys_and_intervals_are_checked() {
    let server = Server::start();
    let admin = server.login();
    scene(&admin);
    let bearer = format!("Bearer {}", admin.id);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let check = |what: &str, body: Value| {
        let path = format!("/api/v1/check/{what}");
        server.post(&path, &headers, body.to_string().as_bytes()).json()
    };
    assert_eq!(check("expression", json!({"expression": "last(/h/k)>5"})), json!({"ok": true}));
    let wrong = check("expression", json!({"expression": "1+last(/h/none)>5"}));
    assert_eq!((&wrong["ok"], &wrong["error"]["position"]), (&json!(false), &json!(7)));
    let wrong = check("expression", json!({"expression": "last(/h/k)>"}));
    assert_eq!(wrong["ok"], json!(false), "{wrong}");
    assert_eq!(check("key", json!({"key": "a[b,\"c\"]"})), json!({"ok": true}));
    assert_eq!(check("key", json!({"key": "a[b"}))["error"]["position"], 3);
    assert_eq!(check("interval", json!({"interval": "30s;wd1-5h9"})), json!({"ok": true}));
    assert_eq!(check("interval", json!({"interval": "30s;x"}))["error"]["position"], 4);
}
