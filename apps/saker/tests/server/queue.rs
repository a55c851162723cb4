//! The queue: late checks and costs of checks, over the API and the trapper port.

use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::peer::{self, packet, read_packet};
use crate::support::{PASSWORD, Server, wait_up_to};

const WAIT_MAX: Duration = Duration::from_secs(60);

fn ask(server: &Server, request: &Value) -> Value {
    let mut stream = peer::connect(server.trapper());
    stream.write_all(&packet(request.to_string().as_bytes())).unwrap();
    serde_json::from_slice(&read_packet(&mut stream).unwrap()).unwrap()
}

#[test]
fn a_check_that_gets_no_answer_is_late_and_its_host_dear() {
    let mut server = Server::start();
    let host = server.host("silent");
    // Connections are taken, and nobody ever says a word.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let item = server.create(
        "item.create",
        &json!({
            "hostid": host, "name": "page", "key_": "page", "type": 19, "value_type": 4,
            "url": format!("http://{}", silent.local_addr().unwrap()), "delay": "1s",
            "timeout": "8s",
        }),
    );
    let mut page = Value::Null;
    let is_late = wait_up_to(WAIT_MAX, || {
        page = server.native_get("queue");
        page["late"] == 1
    });
    assert!(is_late, "{page}");
    assert_eq!(page["kinds"], json!([{ "type": 19, "counts": [1, 0, 0, 0, 0, 0] }]));
    assert_eq!(page["latest"][0]["itemid"], json!(item[0]));
    assert!(5 <= page["latest"][0]["delay_s"].as_i64().unwrap(), "{page}");
    let jobs = |page: &Value| {
        let collectors = page["collectors"].as_array().unwrap();
        collectors.iter().find(|it| it["name"] == "http").unwrap()["jobs"].clone()
    };
    assert_eq!(jobs(&page), 1);

    // The same for tools that speak to the trapper port, by a session of a super admin.
    let login = json!({ "username": "Admin", "password": PASSWORD });
    let session = server.call("user.login", &login);
    let overview = json!({ "request": "queue.get", "type": "overview", "sid": session });
    let details =
        json!({ "request": "queue.get", "type": "details", "limit": "10", "sid": session });
    let mut answers = (Value::Null, Value::Null);
    let is_shown = wait_up_to(WAIT_MAX, || {
        answers = (ask(&server, &overview), ask(&server, &details));
        answers.1["total"] == 1 && answers.0["data"][0]["itemtype"] == 19
    });
    assert!(is_shown, "{answers:?}");
    assert_eq!(answers.0["data"][0]["delay5"], 1, "{answers:?}");
    assert_eq!(answers.1["data"][0]["itemid"].to_string(), item[0]);
    let stranger = json!({ "request": "queue.get", "type": "overview", "sid": "0123" });
    assert_eq!(
        ask(&server, &stranger),
        json!({ "response": "failed", "info": "Permission denied." })
    );
    let stats = ask(&server, &json!({ "request": "zabbix.stats" }));
    assert_eq!((&stats["response"], &stats["data"]["hosts"]), (&json!("success"), &json!(1)));
    // The names that Zabbix's own templates read.
    for path in [
        "/items_unsupported",
        "/discovery_queue",
        "/preprocessing/queue",
        "/vcache/cache/hits",
        "/vcache/cache/mode",
        "/wcache/history/pused",
        "/wcache/values/all",
    ] {
        let page = stats["data"].pointer(path);
        assert!(page.is_some_and(Value::is_number), "{path}: {stats}");
    }
    let late = json!({ "request": "zabbix.stats", "type": "queue", "params": { "from": "1h" } });
    assert_eq!(ask(&server, &late), json!({ "response": "success", "queue": 0 }));

    // A timeout is known after its end.
    let is_over = wait_up_to(WAIT_MAX, || {
        page = server.native_get("queue");
        page["devices"][0]["timeouts"].as_u64().is_some_and(|it| 1 <= it)
    });
    assert!(is_over, "{page}");
    let device = &page["devices"][0];
    assert_eq!((&device["hostid"], &device["collector"]), (&json!(host), &json!("http")));
    assert!(7_900.0 < device["mean_ms"].as_f64().unwrap(), "{page}");
    assert_eq!(device["slowest"]["itemid"], json!(item[0]));
    assert_eq!(page["items"][0]["itemid"], json!(item[0]));
    server.stop();
}
