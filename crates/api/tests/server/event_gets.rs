//! Events and alerts that get methods find, their order, and refused parameters.

use api::ports::TriggerLive;
use db::EscalationTurn;
use db::alerts::Alert;
use model::{EventId, TriggerId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::{id, problem, recovery, scene};

fn ids(session: &Session<'_>, method: &str, mut params: Value) -> Vec<String> {
    let name = if method == "alert.get" { "alertid" } else { "eventid" };
    params["output"] = json!([name]);
    let found = session.call(method, params);
    found.as_array().unwrap().iter().map(|it| it[name].as_str().unwrap().to_owned()).collect()
}

#[test]
fn events_sorted_by_clock_ignore_the_order_of_ids() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let now = server.now();
    // The last ones came late; two of them in one second.
    let events = [(1, 100), (2, 50), (3, 80), (4, 50), (5, 90)]
        .map(|(id, ago)| problem(id, &trigger, &host, now.plus_secs(-ago)));
    server.db.events().apply(events.to_vec(), 10).unwrap();
    let all_up = ["1", "5", "3", "2", "4"];
    let all_down = ["4", "2", "3", "5", "1"];
    for n in 1..=5 {
        let up = json!({"sortfield": "clock", "limit": n});
        assert_eq!(ids(&admin, "event.get", up), all_up[..n], "{n}");
        let down = json!({"sortfield": "clock", "sortorder": "DESC", "limit": n});
        assert_eq!(ids(&admin, "event.get", down), all_down[..n], "{n}");
        let mixed = json!({"sortfield": ["clock", "eventid"], "sortorder": ["DESC", "ASC"],
            "limit": n});
        assert_eq!(ids(&admin, "event.get", mixed), ["2", "4", "3", "5", "1"][..n], "{n}");
        let by_id = json!({"sortfield": "eventid", "sortorder": "DESC", "limit": n});
        assert_eq!(ids(&admin, "event.get", by_id), ["5", "4", "3", "2", "1"][..n], "{n}");
    }
    assert_eq!(ids(&admin, "event.get", json!({"sortfield": "clock"})), all_up);
    let since = json!({"sortfield": "clock", "limit": 2, "time_from": now.clock() - 85});
    assert_eq!(ids(&admin, "event.get", since), ["3", "2"]);
}

#[test]
fn alerts_sorted_by_clock_have_exclusive_time_bounds() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let event = problem(1, &trigger, &host, server.now());
    server.db.events().apply(vec![event], 10).unwrap();
    server.db.events().flush().unwrap();
    // A clock that was set back.
    let alerts =
        [100, 300, 200, 300].map(|clock| Alert { event: EventId(1), clock, ..Alert::default() });
    let turn = EscalationTurn { alerts: alerts.to_vec(), ..EscalationTurn::default() };
    server.db.escalations().save(turn).unwrap();
    for n in 1..=4 {
        let up = json!({"sortfield": "clock", "limit": n});
        assert_eq!(ids(&admin, "alert.get", up), ["1", "3", "2", "4"][..n], "{n}");
        let down = json!({"sortfield": "clock", "sortorder": "DESC", "limit": n});
        assert_eq!(ids(&admin, "alert.get", down), ["4", "2", "3", "1"][..n], "{n}");
    }
    assert_eq!(ids(&admin, "alert.get", json!({"time_from": 200})), ["2", "4"]);
    assert_eq!(ids(&admin, "alert.get", json!({"time_till": 300})), ["1", "3"]);
}

#[test]
fn problems_resolved_long_ago_take_comments_while_their_event_exists() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let now = server.now();
    let old = problem(1, &trigger, &host, now.plus_secs(-90_000));
    let end = recovery(2, &old, now.plus_secs(-80_000));
    let open = problem(3, &trigger, &host, now);
    server.db.events().apply(vec![old, end, open], 10).unwrap();
    server.db.events().expire(now);
    assert!(server.db.events().problem(EventId(1)).is_none(), "memory has let it go");
    let comment = json!({"eventids": ["3", "1", "1"], "action": 6, "message": "seen"});
    assert_eq!(admin.call("event.acknowledge", comment), json!({"eventids": ["3", "1"]}));
    let asked = json!({"eventids": "1", "output": ["acknowledged"],
        "selectAcknowledges": ["message"]});
    let shown = admin.call("event.get", asked)[0].clone();
    assert_eq!(shown["acknowledged"], "1");
    assert_eq!(shown["acknowledges"], json!([{"message": "seen"}]));
    let severe = json!({"eventids": "1", "action": 8, "severity": 5});
    admin.call("event.acknowledge", severe);
    // Nothing is left to close of it.
    admin.call("event.acknowledge", json!({"eventids": ["1"], "action": 1}));
    assert!(server.world.closed.lock().unwrap().is_empty());
    let nothing = json!({"eventids": ["1", "3"], "action": 0});
    assert_eq!(admin.call("event.acknowledge", nothing), json!({"eventids": ["1", "3"]}));
    let gone = json!({"eventids": ["1", "77"], "action": 0});
    assert_eq!(
        admin.error("event.acknowledge", gone),
        "No permissions to referred object or it does not exist!"
    );
}

#[test]
fn events_are_found_by_acknowledger_trigger_and_time_open() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let severe = admin.create(
        "trigger.create",
        json!({"description": "severe", "expression": "last(/h/k)>7", "priority": 5}),
    );
    let now = server.now();
    let at = |ago: i64| now.plus_secs(-ago);
    let (first, second) =
        (problem(1, &trigger, &host, at(900)), problem(3, &severe, &host, at(500)));
    let events = vec![
        first.clone(),
        recovery(2, &first, at(700)),
        second.clone(),
        recovery(4, &second, at(300)),
        problem(5, &trigger, &host, at(100)),
    ];
    server.db.events().apply(events, 10).unwrap();
    admin.call("event.acknowledge", json!({"eventids": "5", "action": 4, "message": "one"}));
    admin.call("event.acknowledge", json!({"eventids": "5", "action": 2}));
    let user = admin.create(
        "user.create",
        json!({"username": "ann", "passwd": "a long secret 1", "roleid": "3"}),
    );
    let of_both = [
        (json!({"action": 4}), vec!["5"]),
        (json!({"action": 2}), vec!["5"]),
        // Both by one entry.
        (json!({"action": 6}), vec![]),
        (json!({"action_userids": "1"}), vec!["5"]),
        (json!({"action_userids": [user, 1], "action": 4}), vec!["5"]),
        (json!({"action_userids": [user]}), vec![]),
    ];
    for (params, found) in of_both {
        assert_eq!(ids(&admin, "event.get", params.clone()), found, "{params}");
        assert_eq!(ids(&admin, "problem.get", params.clone()), found, "{params}");
    }
    let from = |from: i64, till: i64| json!({"problem_time_from": now.clock() - from, "problem_time_till": now.clock() - till});
    let with = |mut params: Value, value: Value| {
        params["value"] = value;
        params
    };
    for (params, found) in [
        (json!({"trigger_severities": [5]}), vec!["3", "4"]),
        (json!({"trigger_severities": [0, 3]}), vec!["1", "2", "5"]),
        (json!({"trigger_severities": [0, 1, 2, 3, 4, 5], "value": 0}), vec!["2", "4"]),
        (from(800, 600), vec!["1"]),
        (from(650, 0), vec!["3", "5"]),
        (from(700, 500), vec!["1", "3"]),
        (from(699, 501), vec![]),
        (with(from(650, 400), json!([0, 1])), vec!["3", "4"]),
        (with(from(1_000, 600), json!(0)), vec!["2"]),
        // Half a span is none.
        (json!({"problem_time_from": now.clock()}), vec!["1", "2", "3", "4", "5"]),
    ] {
        assert_eq!(ids(&admin, "event.get", params.clone()), found, "{params}");
    }
}

#[test]
fn parameters_that_are_wrong_are_refused() {
    let server = Server::start();
    let admin = server.login();
    scene(&admin);
    for method in ["event.get", "problem.get"] {
        for (params, what) in [
            (json!({"more": 1}), "/\": unexpected parameter \"more\"."),
            (json!({"output": "bad"}), "/output\": value must be \"extend\"."),
            (json!({"filter": {"nothing": 1}}), "/filter\": unexpected parameter \"nothing\"."),
            (json!({"search": {"nothing": "x"}}), "/search\": unexpected parameter \"nothing\"."),
            (json!({"acknowledged": "x"}), "/acknowledged\": a boolean is expected."),
            (json!({"suppressed": 1}), "/suppressed\": a boolean is expected."),
            (json!({"symptom": "1"}), "/symptom\": a boolean is expected."),
            (
                json!({"severities": [1, 9]}),
                "/severities/2\": value must be one of 0, 1, 2, 3, 4, 5.",
            ),
            (json!({"action": 512}), "/action\": value must be one of 1-511."),
            (json!({"action": 0}), "/action\": value must be one of 1-511."),
            (json!({"action_userids": ["x"]}), "/action_userids/1\": a number is expected."),
            (json!({"eventids": ["x"]}), "/eventids/1\": a number is expected."),
            (json!({"limit": 0}), "/limit\": value must be one of 1-2147483647."),
            (json!({"evaltype": 1}), "/evaltype\": value must be one of 0, 2."),
            (
                json!({"tags": [{"tag": "a", "values": "x"}]}),
                "/tags/1\": unexpected parameter \"values\".",
            ),
        ] {
            let error = admin.error(method, params.clone());
            assert_eq!(error, format!("Invalid parameter \"{what}"), "{method} {params}");
        }
    }
    let of_one = [
        ("problem.get", json!({"value": 1}), "/\": unexpected parameter \"value\"."),
        ("problem.get", json!({"selectHosts": 5}), "/\": unexpected parameter \"selectHosts\"."),
        ("event.get", json!({"recent": true}), "/\": unexpected parameter \"recent\"."),
        (
            "event.get",
            json!({"sortfield": "clock", "sortorder": "UP"}),
            "/sortorder\": value must be one of \"ASC\", \"DESC\".",
        ),
    ];
    for (method, params, what) in of_one {
        let error = admin.error(method, params.clone());
        assert_eq!(error, format!("Invalid parameter \"{what}"), "{method} {params}");
    }
}

#[test]
fn webhooks_have_entries_in_the_menu_of_events() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let hook = |name: &str, more: Value| {
        let mut fields = json!({"name": name, "type": 4, "script": "return 'OK';", "status": 0});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        admin.create("mediatype.create", fields)
    };
    let menu = |url: &str, name: &str| json!({"show_event_menu": 1, "event_menu_url": url, "event_menu_name": name});
    hook("tickets", menu("https://t.example/{EVENT.TAGS.issue}", "Ticket {EVENT.TAGS.issue}"));
    hook("plain", menu("https://wiki.example", "Wiki"));
    hook("quoted", menu("https://q.example/?{EVENT.TAGS.\"odd tag\"}", "Odd"));
    hook("made", menu("{EVENT.TAGS.link}", "Made of a tag"));
    let mut off = menu("https://off.example", "Off");
    off["status"] = json!(1);
    hook("off", off);
    hook("without", json!({}));
    let tag = |tag: &str, value: &str| model::content::Tag {
        tag: tag.to_owned(),
        value: value.to_owned(),
    };
    let with = |id: u64, tags: Vec<model::content::Tag>| db::EventRow {
        tags,
        ..problem(id, &trigger, &host, server.now())
    };
    let first = with(1, vec![tag("issue", "OPS-7"), tag("issue", "OPS-1"), tag("odd tag", "x")]);
    let second = with(2, vec![tag("link", " java\tscript:alert(1)")]);
    server.db.events().apply(vec![first, second], 1).unwrap();
    let wiki = json!({"url": "https://wiki.example", "name": "Wiki"});
    let all = json!([
        {"url": "https://t.example/OPS-1", "name": "Ticket OPS-1"},
        wiki,
        {"url": "https://q.example/?x", "name": "Odd"},
    ]);
    for method in ["event.get", "problem.get"] {
        let found = admin.call(method, json!({"output": ["urls"], "sortfield": "eventid"}));
        assert_eq!(found[0]["urls"], all, "{method}");
        assert_eq!(found[1]["urls"], json!([wiki]), "{method}: a tag must not make a script");
    }
}

#[test]
fn links_that_a_browser_would_run_are_refused() {
    let server = Server::start();
    let admin = server.login();
    let (_, _, trigger) = scene(&admin);
    for url in [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "\tjavascript:alert(1)",
        "java\tscript:alert(1)",
        "\u{1}javascript:alert(1)",
        "JavaScript:{$X}",
        "data:text/html,x",
        "https://x.example/\u{1}",
    ] {
        for (method, params, field) in [
            ("trigger.update", json!({"triggerid": trigger, "url": url}), "url"),
            ("script.create", json!({"name": "s", "type": 6, "scope": 4, "url": url}), "url"),
            (
                "mediatype.create",
                json!({"name": "m", "type": 4, "script": "return 1;", "show_event_menu": 1,
                    "event_menu_url": url, "event_menu_name": "n"}),
                "event_menu_url",
            ),
        ] {
            let error = admin.error(method, params);
            let expected = format!("Invalid parameter \"/1/{field}\": unacceptable URL.");
            assert_eq!(error, expected, "{method} {url:?}");
        }
    }
    let url = "https://{$HOST}/{EVENT.ID}?a=b:c";
    admin.call("trigger.update", json!({"triggerid": trigger, "url": url}));
}

/// The expanded address of a script is checked before it is shown.
#[test]
fn a_macro_does_not_make_a_script_of_an_address() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, _) = scene(&admin);
    let global = json!({"macro": "{$LINK}", "value": "javascript:alert(1)"});
    admin.create("usermacro.createglobal", global);
    let fields = json!({"name": "s", "type": 6, "scope": 2, "url": "{$LINK}"});
    admin.create("script.create", fields);
    let seen = admin.call("script.getscriptsbyhosts", json!({"hostid": host}));
    assert_eq!(seen[&host][0]["url"], "");
}

#[test]
fn the_last_event_of_a_trigger_is_the_latest_by_time() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let now = server.now();
    let last = || {
        let params = json!({"triggerids": trigger, "selectLastEvent": ["eventid", "value"]});
        admin.call("trigger.get", params)[0]["lastEvent"].clone()
    };
    let changed = |ago: i64| {
        let live = TriggerLive {
            is_problem: true,
            last_change: now.plus_secs(-ago),
            ..TriggerLive::default()
        };
        server.world.triggers.lock().unwrap().insert(TriggerId(id(&trigger)), live);
    };
    // The third problem came late.
    let events = [(1, 100), (2, 50), (3, 80)]
        .map(|(id, ago)| problem(id, &trigger, &host, now.plus_secs(-ago)));
    server.db.events().apply(events.to_vec(), 10).unwrap();
    changed(80);
    assert_eq!(last(), json!({"eventid": "2", "value": "1"}));
    // All end; a problem from before that comes late.
    let recovered = recovery(4, &events[1], now.plus_secs(-20));
    let late = problem(5, &trigger, &host, now.plus_secs(-30));
    server.db.events().apply(vec![recovered, late], 10).unwrap();
    changed(30);
    assert_eq!(last(), json!({"eventid": "4", "value": "0"}));
}
