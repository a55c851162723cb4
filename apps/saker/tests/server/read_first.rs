//! History in stores elsewhere that are read first, or that are all there is.

use std::time::Duration;

use peers::{ClickHouse, ClickHouseKind, Line};
use serde_json::json;

use crate::support::peer::{self, Counts};
use crate::support::{Server, UNSIGNED, now, wait_until};

const DEADLINE: Duration = Duration::from_secs(60);

/// Sends values `from..from + n`, one a second from `base` on.
fn send(server: &Server, base: i64, from: i64, n: i64) {
    let rows: Vec<_> =
        (from..from + n).map(|it| peer::row("h", "load", &it.to_string(), base + it)).collect();
    let total = u64::try_from(rows.len()).unwrap();
    assert_eq!(peer::send(&mut server.connect(), &rows).unwrap(), Counts(total, 0, total));
}

fn values(from: i64, till: i64) -> Vec<String> {
    (from..till).map(|it| it.to_string()).collect()
}

/// As history has them, oldest first; nothing while it cannot be read.
fn read(server: &Server, item: &str) -> Option<Vec<String>> {
    let params = json!({
        "itemids": [item], "history": UNSIGNED, "sortfield": "clock", "sortorder": "ASC",
        "output": ["value"],
    });
    let rows = server.try_call("history.get", &params).ok()?;
    let value = |it: &serde_json::Value| it["value"].as_str().unwrap().to_owned();
    Some(rows.as_array().unwrap().iter().map(value).collect())
}

/// A PostgreSQL by way of a line, and a schema.
struct Peer {
    line: Line,
    url: String,
    schema: String,
}

impl Peer {
    fn new(schema: &str) -> Option<Self> {
        let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
            peers::left_out("SAKER_TEST_POSTGRES is not set");
            return None;
        };
        let config: postgres::Config = url.parse().unwrap();
        let [postgres::config::Host::Tcp(name)] = config.get_hosts() else {
            panic!("no host: {url}")
        };
        let address = format!("{name}:{}", config.get_ports()[0]);
        let line = Line::to(address.parse().unwrap());
        let url = url.replace(&address, &line.address.to_string());
        let schema = format!("{schema}_{}", std::process::id());
        Some(Self { line, url, schema })
    }

    fn env(&self) -> [(&str, &str); 4] {
        [
            ("SAKER_POSTGRES_URL", &self.url),
            ("SAKER_POSTGRES_SCHEMA", &self.schema),
            ("SAKER_HISTORY_STORES", "postgres"),
            ("SAKER_HISTORY_READ_TIMEOUT_MS", "5000"),
        ]
    }
}

const PART: &str = "reading history from postgres";

#[test]
fn a_server_without_a_store_of_its_own_reads_postgres_and_what_is_on_the_way_there() {
    let Some(peer) = Peer::new("alone") else { return };
    let mut server = Server::start_with(&peer.env());
    let host = server.host("h");
    let load = server.trapper_item(&host, "load", UNSIGNED);
    let high = server.trigger("high", "sum(/h/load,1h)>10000");
    let base = now() - 1_000;
    let has = |server: &Server, n| read(server, &load) == Some(values(0, n));
    // The first contact is a moment ago, or to come.
    wait_until("history can be read", DEADLINE, || has(&server, 0));
    send(&server, base, 0, 100);
    wait_until("values are seen", DEADLINE, || has(&server, 100));
    assert!(!server.is_problem(&high), "the sum is 4950");
    for is_killed in [true, false] {
        if is_killed {
            server.kill();
        } else {
            server.stop();
        }
        server.start_again();
        wait_until("values are there after a start", DEADLINE, || has(&server, 100));
    }
    assert_eq!(server.last(&load), Some("99".to_owned()), "from the checkpoint");
    // Its window is of values that only the store has.
    send(&server, base, 100, 60);
    wait_until("the window is read from the store", DEADLINE, || server.is_problem(&high));
    let graph = format!("series?itemids={load}&from={base}&to={}&buckets=10", base + 999);
    wait_until("a graph has all values", DEADLINE, || {
        let series = server.native_get(&graph);
        let counts = series["series"][0]["count"].as_array().unwrap().clone();
        counts.iter().map(|it| it.as_i64().unwrap()).sum::<i64>() == 160
    });
    let files = std::fs::read_dir(server.data().join("history")).unwrap();
    let names: Vec<_> = files.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|it| !it.ends_with(".segment")), "{names:?}");

    peer.line.cut();
    wait_until("it cannot be read", DEADLINE, || read(&server, &load).is_none());
    let error = server
        .try_call("history.get", &json!({ "itemids": [load], "history": UNSIGNED }))
        .unwrap_err();
    assert!(error.to_string().contains("postgres"), "{error}");
    let issue = server.health_issue(PART).unwrap();
    assert_eq!(issue["level"], "degraded", "{issue}");
    // Values are accepted, triggers are evaluated.
    let low = server.trigger("low", "last(/h/load)=500");
    send(&server, base, 500, 1);
    wait_until("triggers go on", DEADLINE, || server.is_problem(&low));
    peer.line.mend();
    let all = [values(0, 160), values(500, 501)].concat();
    wait_until("all is there again", DEADLINE, || read(&server, &load).as_ref() == Some(&all));
    wait_until("all is well", DEADLINE, || server.health_issue(PART).is_none());
    server.call("history.clear", &json!([load]));
    assert_eq!(read(&server, &load), Some(Vec::new()));
    server.stop();
}

#[test]
fn clickhouse_is_read_first_and_the_own_store_while_it_is_away() {
    let Some(mut clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let url = clickhouse.url();
    let mut server = Server::start_with(&[
        ("SAKER_CLICKHOUSE_URL", url.as_str()),
        ("SAKER_CLICKHOUSE_PASSWORD", ClickHouse::PASSWORD),
        ("SAKER_HISTORY_STORES", "clickhouse, embedded"),
    ]);
    let host = server.host("h");
    let load = server.trapper_item(&host, "load", UNSIGNED);
    let base = now() - 1_000;
    let answered = |server: &Server| {
        let line = "saker_history_read_answered_total{store=\"clickhouse\"} ";
        server.metrics().lines().any(|it| it.starts_with(line))
    };
    send(&server, base, 0, 100);
    assert_eq!(read(&server, &load), Some(values(0, 100)), "wherever they are");
    wait_until("it answers", DEADLINE, || {
        assert_eq!(read(&server, &load), Some(values(0, 100)));
        answered(&server)
    });
    clickhouse.stop();
    send(&server, base, 100, 100);
    assert_eq!(read(&server, &load), Some(values(0, 200)), "the own store answers");
    let part = "reading history from clickhouse";
    let issue = server.health_issue(part).unwrap();
    let message = issue["message"].as_str().unwrap();
    assert!(message.contains("the next store of history.stores answers"), "{message}");
    server.kill();
    server.start_again();
    assert_eq!(read(&server, &load), Some(values(0, 200)));
    assert!(!answered(&server), "it is away");
    clickhouse.go_on();
    wait_until("it answers again", DEADLINE, || {
        assert_eq!(read(&server, &load), Some(values(0, 200)));
        answered(&server)
    });
    wait_until("all is well", DEADLINE, || server.health_issue(part).is_none());
    wait_until("what is deleted is gone", DEADLINE, || {
        server.try_call("history.clear", &json!([load])).is_ok()
    });
    assert_eq!(read(&server, &load), Some(Vec::new()));
    server.stop();
}
