//! Values of several items in one order.

use model::value::Sample;
use model::{ItemId, Time, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::id;

/// Items `a`, `b`, `c` with values at these times (seconds and nanoseconds); their values count from 0.
fn with_values<'s>(server: &'s Server, times: [&[(i64, u32)]; 3]) -> (Session<'s>, [String; 3]) {
    let admin = server.login();
    let host = admin.host("h");
    let items = ["a", "b", "c"].map(|it| admin.trapper(&host, it));
    for (item, times) in items.iter().zip(times) {
        let sample = |(n, (clock, ns)): (usize, &(i64, u32))| Sample {
            time: Time::from_clock(*clock, *ns),
            value: ItemValue::Unsigned(n.try_into().unwrap()),
        };
        let samples = times.iter().enumerate().map(sample).collect();
        server.world.values.lock().unwrap().insert(ItemId(id(item)), samples);
    }
    (admin, items)
}

/// Values as `item value`, in the order of the answer.
fn values(admin: &Session<'_>, items: &[String; 3], more: &Value) -> String {
    let mut params = json!({"history": 3, "itemids": items});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let rows = admin.call("history.get", params);
    let name = |row: &Value| {
        let at = items.iter().position(|it| row["itemid"] == **it).unwrap();
        format!("{}{}", ["a", "b", "c"][at], row["value"].as_str().unwrap())
    };
    rows.as_array().unwrap().iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn history_of_items_is_cleared_and_of_nothing_else() {
    let server = Server::start();
    let (admin, [a, b, _]) = with_values(&server, [&[(10, 5)], &[(10, 2)], &[(20, 0)]]);
    assert_eq!(admin.call("history.clear", json!([a, b])), json!({"itemids": [a, b]}));
    let cleared = || server.world.cleared.lock().unwrap().clone();
    assert_eq!(cleared(), [ItemId(id(&a)), ItemId(id(&b))]);
    for (params, error) in [
        (json!([]), "Invalid parameter \"/\": cannot be empty."),
        (json!([a, "999999"]), "No permissions to referred object or it does not exist!"),
    ] {
        let refused = admin.error("history.clear", params);
        assert!(refused.contains(error), "{refused}");
    }
    assert_eq!(cleared().len(), 2);
}

#[test]
fn values_of_several_items_are_sorted_as_requested() {
    let server = Server::start();
    let (admin, items) = with_values(
        &server,
        [&[(10, 5), (20, 1), (30, 0)], &[(10, 2), (10, 7), (40, 9)], &[(20, 0)]],
    );
    for (more, expected) in [
        (json!({}), "a0 a1 a2 b0 b1 b2 c0"),
        (json!({"sortfield": "clock"}), "a0 b0 b1 a1 c0 a2 b2"),
        (json!({"sortfield": "clock", "sortorder": "DESC"}), "b2 a2 a1 c0 a0 b1 b0"),
        (json!({"sortfield": ["clock", "ns"]}), "b0 a0 b1 c0 a1 a2 b2"),
        (json!({"sortfield": ["clock", "ns"], "sortorder": "DESC"}), "b2 a2 a1 c0 b1 a0 b0"),
        (
            json!({"sortfield": ["clock", "itemid"], "sortorder": ["ASC", "DESC"]}),
            "b0 b1 a0 c0 a1 a2 b2",
        ),
        (
            json!({"sortfield": ["itemid", "clock"], "sortorder": ["DESC", "DESC"]}),
            "c0 b2 b1 b0 a2 a1 a0",
        ),
        (
            json!({"sortfield": ["clock", "ns"], "sortorder": ["ASC", "DESC"]}),
            "b1 a0 b0 a1 c0 a2 b2",
        ),
        (json!({"sortfield": "ns"}), "a2 c0 a1 b0 a0 b1 b2"),
        (json!({"sortfield": "clock", "sortorder": "DESC", "limit": 3}), "b2 a2 a1"),
        (json!({"sortfield": "clock", "limit": 2, "time_from": 15, "time_till": 30}), "a1 c0"),
        // The limit applies to the found values, in any order.
        (json!({"sortfield": "ns", "limit": 2}), "a2 c0"),
        (json!({"sortfield": "clock", "limit": 2, "filter": {"value": 2}}), "a2 b2"),
    ] {
        assert_eq!(values(&admin, &items, &more), expected, "{more}");
    }
}

#[test]
fn a_count_ignores_the_limit() {
    let server = Server::start();
    let (admin, items) = with_values(&server, [&[(1, 0), (2, 0)], &[(1, 0)], &[]]);
    let params = json!({"history": 3, "itemids": items, "countOutput": true, "limit": 1});
    assert_eq!(admin.call("history.get", params), "3");
}

#[test]
fn pushed_values_are_checked_and_answered_one_by_one() {
    let server = Server::start();
    let admin = server.login();
    let answer = admin.call(
        "history.push",
        json!([
            {"itemid": "7", "value": 0.5, "clock": 1_700_000_000, "ns": 5},
            {"itemid": 8, "value": "text", "clock": "1700000001"},
            {"host": "h", "key": "k", "value": 12},
        ]),
    );
    let data = json!([{"itemid": "7"}, {"itemid": "8"}, {"error": "no k on h"}]);
    assert_eq!(answer, json!({"response": "success", "data": data}));
    let pushed = std::mem::take(&mut *server.world.pushed.lock().unwrap());
    assert_eq!(
        pushed,
        [
            "Some(127.0.0.1) 0.5 Some(1700000000) Some(5)",
            "Some(127.0.0.1) text Some(1700000001) None",
            "Some(127.0.0.1) 12 None None",
        ]
    );
    // One object is a list of one.
    let answer = admin.call("history.push", json!({"itemid": "7", "value": ""}));
    assert_eq!(answer["data"], json!([{"itemid": "7"}]));
    assert_eq!(server.world.pushed.lock().unwrap().len(), 1);
}

#[test]
fn pushes_that_make_no_sense_are_refused_as_a_whole() {
    let server = Server::start();
    let admin = server.login();
    for (params, error) in [
        (json!([]), "Invalid parameter \"/\": cannot be empty."),
        (json!({}), "Invalid parameter \"/\": cannot be empty."),
        (json!([1]), "Invalid parameter \"/1\": an array is expected."),
        (json!([{"value": 1}]), "Invalid parameter \"/1\": the parameter \"host\" is missing."),
        (
            json!([{"host": "h", "value": 1}]),
            "Invalid parameter \"/1\": the parameter \"key\" is missing.",
        ),
        (json!([{"host": "", "key": "k", "value": 1}]), "\"/1/host\": cannot be empty."),
        (
            json!([{"itemid": 1, "host": "h", "value": 1}]),
            "Invalid parameter \"/1\": unexpected parameter \"host\".",
        ),
        (json!([{"itemid": "x", "value": 1}]), "\"/1/itemid\": a number is expected."),
        (json!([{"itemid": 1}]), "Invalid parameter \"/1\": the parameter \"value\" is missing."),
        (
            json!([{"itemid": 1, "value": 1}, {"itemid": 1, "value": [1]}]),
            "\"/2/value\": a character string, integer or floating point value is expected.",
        ),
        (
            json!([{"itemid": 1, "value": 1, "ns": 1}]),
            "Invalid parameter \"/1\": unexpected parameter \"ns\".",
        ),
        (
            json!([{"itemid": 1, "value": 1, "clock": 4_000_000_000_u64}]),
            "\"/1/clock\": a timestamp is too large.",
        ),
        (
            json!([{"itemid": 1, "value": 1, "clock": 1, "ns": 1_000_000_000}]),
            "\"/1/ns\": value must be one of 0-999999999.",
        ),
        (
            json!([{"itemid": 1, "value": 1, "state": 1}]),
            "Invalid parameter \"/1\": unexpected parameter \"state\".",
        ),
    ] {
        let refused = admin.error("history.push", params);
        assert!(refused.contains(error), "{refused}");
    }
    assert!(server.world.pushed.lock().unwrap().is_empty());
}
