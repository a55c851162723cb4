//! Items that live by rules of their own: calculated ones on demand, and ones without history.

use std::io::{Read, Write};
use std::time::Duration;

use crate::support::peer::Counts;
use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now, wait_until};
use serde_json::json;

const DEADLINE: Duration = Duration::from_secs(30);

#[test]
fn calculated_items_are_computed_on_demand() {
    let server = Server::start();
    let host = server.host("web");
    server.trapper_item(&host, "base", UNSIGNED);
    // Its own time comes within a day.
    let calculated = json!({
        "hostid": host, "name": "double", "key_": "double", "type": 15, "value_type": FLOAT,
        "delay": "1d", "params": "last(/web/base)*2"
    });
    let id = server.create("item.create", &calculated).remove(0);
    for (value, expected) in [("4", "8"), ("5", "10")] {
        assert_eq!(server.send("web", "base", value, now()), Counts(1, 0, 1));
        server.call("task.create", &json!({"type": 6, "request": {"itemid": id}}));
        wait_until("the item is computed", DEADLINE, || {
            server.last(&id).as_deref() == Some(expected)
        });
    }
}

#[test]
fn http_agent_items_ask_a_web_server() {
    let web = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = web.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in web.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let n = stream.read(&mut request).unwrap();
            let text = String::from_utf8_lossy(&request[..n]).into_owned();
            let path = text.split(' ').nth(1).unwrap_or_default();
            let answer = match path {
                "/old" => {
                    "HTTP/1.1 301 Moved\r\nLocation: /new?x\r\nContent-Length: 0\r\n".to_owned()
                }
                path => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{path}", path.len()),
            };
            let end = if path == "/old" { "\r\n" } else { "" };
            stream.write_all((answer + end).as_bytes()).unwrap();
        }
    });
    let server = Server::start();
    let host = server.host("web");
    let item = json!({
        "hostid": host, "name": "page", "key_": "page", "type": 19, "value_type": TEXT,
        "delay": "1d", "url": format!("http://localhost:{port}/old")
    });
    let id = server.create("item.create", &item).remove(0);
    server.call("task.create", &json!({"type": 6, "request": {"itemid": id}}));
    wait_until("the page is read", DEADLINE, || server.last(&id).as_deref() == Some("/new?x"));
}

#[test]
fn a_web_server_that_never_answers_does_not_hold_up_a_stop() {
    let web = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = web.local_addr().unwrap().port();
    let mut server = Server::start();
    let host = server.host("web");
    let item = json!({
        "hostid": host, "name": "page", "key_": "page", "type": 19, "value_type": TEXT,
        "delay": "1d", "timeout": "60s", "url": format!("http://127.0.0.1:{port}/")
    });
    let id = server.create("item.create", &item).remove(0);
    server.call("task.create", &json!({"type": 6, "request": {"itemid": id}}));
    let (mut stream, _) = web.accept().unwrap();
    let mut request = [0; 4096];
    assert!(stream.read(&mut request).unwrap() > 0);
    // Far less than the item's time.
    server.stop();
    drop(stream);
}

#[test]
fn items_without_history_have_last_values_and_triggers() {
    let mut server = Server::start();
    let host = server.host("web");
    let item = |key: &str, value_type: u8, history: &str| {
        let item = json!({
            "hostid": host, "name": key, "key_": key, "type": 2, "value_type": value_type,
            "history": history
        });
        server.create("item.create", &item).remove(0)
    };
    let (number, text) = (item("number", UNSIGNED, "0"), item("text", TEXT, "0"));
    let kept = item("kept", UNSIGNED, "1d");
    let trigger = server.trigger("high", "last(/web/number)>5");
    for (key, value) in [("number", "3"), ("number", "7"), ("text", "word"), ("kept", "9")] {
        assert_eq!(server.send("web", key, value, now()), Counts(1, 0, 1));
    }
    let check = |server: &Server| {
        wait_until("the last values are there", DEADLINE, || {
            server.last(&number).as_deref() == Some("7")
                && server.last(&text).as_deref() == Some("word")
        });
        wait_until("the trigger is judged", DEADLINE, || server.is_problem(&trigger));
        for (item, history, n) in [(&number, 3, 0), (&text, 4, 0), (&kept, 3, 1)] {
            let params = json!({"itemids": [item], "history": history});
            let rows = server.call("history.get", &params);
            assert_eq!(rows.as_array().unwrap().len(), n, "{rows}");
        }
    };
    check(&server);
    server.kill();
    server.start_again();
    check(&server);
    server.stop();
    server.start_again();
    check(&server);
}

#[test]
fn internal_items_count_as_in_zabbix_and_say_what_is_not_there_yet() {
    let server = Server::start();
    let host = server.host("web");
    let (a, b) = (server.trapper_item(&host, "a", UNSIGNED), server.trapper_item(&host, "b", TEXT));
    let other = server.host("other");
    server.trapper_item(&other, "c", UNSIGNED);
    server.trigger("on a", "last(/web/a)>5");
    let over_both = server.trigger("on both", "last(/web/a)>5 and last(/other/c)>5");
    let internal = |key: &str, value_type: u8| {
        let item = json!({
            "hostid": host, "name": key, "key_": key, "type": 5, "value_type": value_type,
            "delay": "1s",
        });
        server.create("item.create", &item).remove(0)
    };
    let triggers = internal("zabbix[triggers]", UNSIGNED);
    let items = internal("zabbix[items]", UNSIGNED);
    let unsupported = internal("zabbix[items_unsupported]", UNSIGNED);
    let refused = internal("zabbix[wcache,values,not supported]", UNSIGNED);
    let errors = [
        (
            "zabbix[process,lld worker,avg,busy]",
            "A reader of the journal applies the values of discovery rules: see zabbix[lld_queue] and \
             zabbix[spool,bytes,discovery].",
        ),
        (
            "zabbix[rcache,buffer,pused]",
            "The configuration has no buffer of a fixed size: see the metric process_resident_memory_bytes.",
        ),
        ("zabbix[wcache,index,pused]", "The index has no cache of a fixed size."),
        ("zabbix[wcache,history,x]", "Invalid third parameter."),
        ("zabbix[wcache,x]", "Invalid second parameter."),
        ("zabbix[uptime,x]", "Invalid number of parameters."),
        ("zabbix[nonsense]", "Invalid first parameter."),
    ];
    for (key, error) in errors {
        let id = internal(key, FLOAT);
        wait_until(&format!("{key} says why"), DEADLINE, || server.item(&id)["error"] == error);
    }
    let shows = |id: &str, n: usize| server.last(id) == Some(n.to_string());
    wait_until("both triggers count", DEADLINE, || shows(&triggers, 2));
    // Three trapper items and all the internal ones.
    wait_until("all items count", DEADLINE, || shows(&items, 7 + errors.len()));
    wait_until("those with a reason count", DEADLINE, || shows(&unsupported, errors.len()));
    let before: usize = server.last(&refused).unwrap().parse().unwrap();
    assert!(errors.len() <= before, "each of them at least once: {before}");

    server.call("host.update", &json!({"hostid": other, "status": 1}));
    wait_until("a trigger over a host that is off does not count", DEADLINE, || {
        shows(&triggers, 1) && shows(&items, 6 + errors.len())
    });
    server.call("trigger.delete", &json!([over_both]));
    server.call("item.update", &json!({"itemid": a, "status": 1}));
    wait_until("nor does one over an item that is off", DEADLINE, || shows(&triggers, 0));
    assert_eq!(server.send("web", "b", "word", now()), Counts(1, 0, 1));
    assert_eq!(server.last(&b).as_deref(), Some("word"));
}
