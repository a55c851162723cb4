//! Active agents that register themselves: the events of them, and the state that is kept over
//! restarts.

use std::io::Write as _;
use std::time::Duration;

use crate::support::on_call::OnCall;
use crate::support::peer::{packet, read_packet};
use crate::support::{Server, wait_until};
use db::{AutoregisteredHost, Db, DbSettings, Location};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

/// The response to an agent that requests its checks.
pub(crate) fn ask(server: &Server, more: &Value) -> Value {
    let mut request = json!({"request": "active checks", "version": "7.0.0", "variant": 2});
    for (name, value) in more.as_object().unwrap() {
        request[name] = value.clone();
    }
    let mut stream = server.connect();
    stream.write_all(&packet(request.to_string().as_bytes())).unwrap();
    serde_json::from_slice(&read_packet(&mut stream).unwrap()).unwrap()
}

fn events(server: &Server) -> Vec<(String, String, String)> {
    let of = json!({"source": 2, "object": 3, "output": ["objectid", "value", "name"],
        "sortfield": "eventid"});
    let rows = server.call("event.get", &of);
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|it| (text(it, "objectid"), text(it, "value"), text(it, "name"))).collect()
}

/// Repeats the request until its event is there: right after a start the server ignores requests.
fn register(server: &Server, request: &Value, n_events: usize) {
    wait_until("the event", LIMIT, || {
        ask(server, request);
        events(server).len() == n_events
    });
}

#[test]
fn registration_makes_one_event_until_the_agent_changes() {
    let mut server = Server::start();
    let web = json!({"host": "web", "host_metadata": "Linux", "ip": "192.0.2.1", "port": 10051});
    assert_eq!(ask(&server, &web)["info"], json!("host [web] not found"));
    register(&server, &web, 1);
    let event = |id: &str| (id.to_owned(), "1".to_owned(), String::new());
    assert_eq!(events(&server), [event("1")]);
    register(&server, &json!({"host": "db", "interface": "db.example", "ip": "192.0.2.2"}), 2);
    for is_orderly in [true, false] {
        if is_orderly {
            server.stop();
        } else {
            server.kill();
        }
        server.start_again();
        // An unchanged request makes no event; the event of the next one shows that it was
        // processed.
        ask(&server, &web);
        let name = format!("probe {is_orderly}");
        let n_before = events(&server).len();
        register(&server, &json!({"host": name}), n_before + 1);
        ask(&server, &web);
        let name = format!("{name} again");
        register(&server, &json!({"host": name}), n_before + 2);
    }
    assert_eq!(events(&server).iter().filter(|it| it.0 == "1").count(), 1);
    let moved = json!({"host": "web", "host_metadata": "Linux 6", "ip": "192.0.2.1"});
    let n_before = events(&server).len();
    register(&server, &moved, n_before + 1);
    assert_eq!(events(&server).last(), Some(&event("1")), "the same agent");
    // They are events and no problems.
    let problems = json!({"countOutput": true});
    assert_eq!(server.call("problem.get", &problems), json!("0"));
    server.kill();
    let path = server.data().join("saker.db");
    let db = Db::open(&DbSettings::new(Location::Sqlite(path))).unwrap();
    let web = AutoregisteredHost {
        id: 1,
        host: "web".to_owned(),
        listen_ip: "192.0.2.1".to_owned(),
        listen_dns: String::new(),
        listen_port: 10_050,
        host_metadata: "Linux 6".to_owned(),
        flags: 0,
        tls_accepted: 1,
    };
    assert_eq!(db.events().autoregistered_of(&[1, 99]).unwrap(), [web]);
    let db_host =
        db.events().autoregistered().unwrap().into_iter().find(|it| it.host == "db").unwrap();
    assert_eq!((&*db_host.listen_dns, db_host.flags), ("db.example", 2));
}

#[test]
fn actions_match_agents_by_name_and_metadata() {
    let server = Server::start();
    let users = OnCall::default().make(&server);
    let action = json!({"name": "New Linux agents", "eventsource": "2",
        "filter": {"evaltype": "0", "conditions": [
            {"conditiontype": "24", "operator": "2", "value": "Linux"},
            {"conditiontype": "22", "operator": "3", "value": "test"}]},
        "operations": [{"operationtype": "0", "opmessage_grp": [{"usrgrpid": users}],
            "opmessage": {"default_msg": "0", "message": "x",
                "subject": "{HOST.HOST} {HOST.IP}:{HOST.PORT} {HOST.METADATA}"}}]});
    server.create("action.create", &action);
    let agent = |host: &str, metadata: &str| json!({"host": host, "host_metadata": metadata, "ip": "192.0.2.1", "port": 10051});
    // The event of the last one shows that those before it were judged.
    register(&server, &agent("test-1", "Linux"), 1);
    register(&server, &agent("router", "IOS"), 2);
    register(&server, &agent("web", "Linux 6"), 3);
    let of_agents = json!({"output": ["subject"], "eventsource": 2, "eventobject": 3});
    let subjects = || {
        let rows = server.call("alert.get", &of_agents);
        let rows = rows.as_array().unwrap().iter();
        rows.map(|it| it["subject"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    wait_until("the message", LIMIT, || !subjects().is_empty());
    assert_eq!(subjects(), ["web 192.0.2.1:10051 Linux 6"]);
}
