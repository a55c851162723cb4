//! History in a store elsewhere: it may be away at any time, and has everything in the end, once.

use std::process::Command;
use std::time::Duration;

use crate::support::peer::{self, Counts};
use crate::support::{Server, TEXT, UNSIGNED, now, wait_until};
use peers::{ClickHouse, ClickHouseKind};
use serde_json::{Value, json};

const DEADLINE: Duration = Duration::from_secs(60);
const PART: &str = "history store clickhouse";

pub(crate) fn ask(clickhouse: &ClickHouse, sql: &str) -> String {
    try_ask(clickhouse, sql).unwrap()
}

/// An error also where a table is not made yet.
fn try_ask(clickhouse: &ClickHouse, sql: &str) -> Result<String, ureq::Error> {
    let mut answer = ureq::post(clickhouse.url())
        .header("X-ClickHouse-User", "default")
        .header("X-ClickHouse-Key", ClickHouse::PASSWORD)
        .send(sql)?;
    answer.body_mut().read_to_string()
}

/// Sends values `from..from + n`, each acknowledged.
fn send(server: &Server, base: i64, from: i64, n: i64) {
    let row = |it: i64| {
        [
            peer::row("h", "load", &it.to_string(), base + it),
            peer::row("h", "text", &format!("line {it}"), base + it),
        ]
    };
    let rows: Vec<Value> = (from..from + n).flat_map(row).collect();
    let total = u32::try_from(rows.len()).unwrap();
    let counts = peer::send(&mut server.connect(), &rows).unwrap();
    assert_eq!(counts, Counts(total.into(), 0, total.into()));
}

#[test]
fn clickhouse_has_every_value_once_whatever_was_away() {
    let Some(mut clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let env = [
        ("SAKER_CLICKHOUSE_URL", clickhouse.url()),
        ("SAKER_CLICKHOUSE_PASSWORD", ClickHouse::PASSWORD.to_owned()),
    ];
    let env = [(env[0].0, env[0].1.as_str()), (env[1].0, env[1].1.as_str())];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    let load = server.trapper_item(&host, "load", UNSIGNED);
    server.trapper_item(&host, "text", TEXT);
    let base = now() - 10_000;
    let has = |clickhouse: &ClickHouse, n: i64| {
        // The tables are not there before the store has been reached.
        let ask = |sql: &str| try_ask(clickhouse, sql).unwrap_or_default();
        // Numbers with their item and time; texts by count.
        let numbers = ask(&format!(
            "SELECT count(), uniqExact(value), sum(toUInt32(clock) - {base} = value) \
                 FROM (SELECT DISTINCT clock, value, seq FROM saker.history_uint \
                 WHERE itemid = {load})"
        ));
        let texts = ask("SELECT uniqExact(value), uniqExact(seq) FROM saker.history_text");
        numbers == format!("{n}\t{n}\t{n}\n") && texts == format!("{n}\t{n}\n")
    };
    send(&server, base, 0, 100);
    wait_until("values arrive", DEADLINE, || has(&clickhouse, 100));
    assert!(server.health_issue(PART).is_none());

    clickhouse.stop();
    send(&server, base, 100, 100);
    wait_until("the absence of the store is reported", DEADLINE, || {
        server.health_issue(PART).is_some()
    });
    let issue = server.health_issue(PART).unwrap();
    assert_eq!(issue["level"], "degraded", "{issue}");
    server.kill();
    // It starts without it, and stops without it.
    server.start_again();
    send(&server, base, 200, 100);
    server.stop();
    server.start_again();
    clickhouse.go_on();
    wait_until("what waited arrives", DEADLINE, || has(&clickhouse, 300));
    wait_until("the issue is resolved", DEADLINE, || server.health_issue(PART).is_none());

    clickhouse.kill();
    send(&server, base, 300, 100);
    clickhouse.go_on();
    wait_until("what waited arrives", DEADLINE, || has(&clickhouse, 400));
    let log = server.process().log();
    assert!(!log.contains(ClickHouse::PASSWORD), "a password is in the log");
}

#[test]
fn postgres_has_every_value_once_whatever_was_away() {
    let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
        peers::left_out("SAKER_TEST_POSTGRES is not set");
        return;
    };
    let config: postgres::Config = url.parse().unwrap();
    let [postgres::config::Host::Tcp(name)] = config.get_hosts() else { panic!("no host: {url}") };
    let address = format!("{name}:{}", config.get_ports()[0]);
    let line = peers::Line::to(address.parse().unwrap());
    let through = url.replace(&address, &line.address.to_string());
    let schema = format!("saker_history_{}", std::process::id());
    let env = [("SAKER_POSTGRES_URL", through.as_str()), ("SAKER_POSTGRES_SCHEMA", &schema)];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    let load = server.trapper_item(&host, "load", UNSIGNED);
    server.trapper_item(&host, "text", TEXT);
    let base = now() - 10_000;
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let mut has = |n: i64| {
        let sql = format!(
            "select count(*), count(distinct value), count(*) filter (where value = \
             extract(epoch from time) - {base}) from {schema}.history_uint where itemid = {load}"
        );
        // Before the first contact there is no table.
        let Ok(row) = client.query_one(&sql, &[]) else { return false };
        let texts = client.query_one(&format!("select count(*) from {schema}.history_text"), &[]);
        let counts: [i64; 3] = [row.get(0), row.get(1), row.get(2)];
        counts == [n; 3] && texts.unwrap().get::<_, i64>(0) == n
    };
    send(&server, base, 0, 100);
    wait_until("values arrive", DEADLINE, || has(100));
    line.cut();
    send(&server, base, 100, 100);
    let part = "history store postgres";
    wait_until("the absence of the store is reported", DEADLINE, || {
        server.health_issue(part).is_some()
    });
    server.kill();
    server.start_again();
    send(&server, base, 200, 100);
    server.stop();
    server.start_again();
    line.mend();
    wait_until("what waited arrives", DEADLINE, || has(300));
    wait_until("the issue is resolved", DEADLINE, || server.health_issue(part).is_none());
    server.stop();
    client.batch_execute(&format!("drop schema {schema} cascade")).unwrap();
}

#[test]
fn store_of_another_journal_is_reported_and_accepted_by_command() {
    let Some(clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let url = clickhouse.url();
    let env = [
        ("SAKER_CLICKHOUSE_URL", url.as_str()),
        ("SAKER_CLICKHOUSE_PASSWORD", ClickHouse::PASSWORD),
    ];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    server.trapper_item(&host, "load", UNSIGNED);
    server.trapper_item(&host, "text", TEXT);
    let base = now() - 10_000;
    // Rows of the other journal are there in addition to rows of this one.
    let has = |n: i64| {
        let sql = "SELECT uniqExact(value) FROM saker.history_text";
        // The tables are not there before the store has been reached.
        try_ask(&clickhouse, sql).is_ok_and(|it| it == format!("{n}\n"))
    };
    send(&server, base, 0, 10);
    wait_until("values arrive", DEADLINE, || has(10));
    server.stop();
    // A position that this journal has, too.
    ask(&clickhouse, "TRUNCATE TABLE saker.saker_places");
    ask(&clickhouse, "INSERT INTO saker.saker_places VALUES (1000000, 0, 77)");
    server.start_until(|_, answer| answer["state"] == "failing");
    let issue = server.health_issue(PART).unwrap();
    let message = issue["message"].as_str().unwrap();
    assert!(message.contains("not the journal that it was fed from"), "{message}");
    assert!(message.contains("saker journal accept-gap"), "{message}");
    send(&server, base, 10, 10);
    let accepted = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(["journal", "accept-gap", "--data"])
        .arg(server.data())
        .env_remove("SAKER_SETTINGS")
        .output()
        .unwrap();
    let printed = String::from_utf8(accepted.stdout).unwrap();
    assert!(printed.contains("history store clickhouse goes on at position"), "{printed}");
    wait_until("values arrive again", DEADLINE, || has(20));
    wait_until("all is well", DEADLINE, || server.health().is_some_and(|(it, _)| it == 200));
    server.stop();
    server.start_again();
    assert!(server.health_issue(PART).is_none());
    assert!(has(20));
}

#[test]
fn refusing_store_is_reported_and_blocks_nothing() {
    let Some(clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let url = clickhouse.url();
    let mut server = Server::start();
    server.stop();
    server.set_env("SAKER_CLICKHOUSE_URL", &url);
    server.set_env("SAKER_CLICKHOUSE_PASSWORD", "a guess");
    // It may refuse before the first look.
    server.start_until(|_, answer| answer["state"] == "failing");
    let host = server.host("h");
    server.trapper_item(&host, "load", UNSIGNED);
    let text = server.trapper_item(&host, "text", TEXT);
    wait_until("it is reported", DEADLINE, || server.health_issue(PART).is_some());
    let issue = server.health_issue(PART).unwrap();
    assert_eq!(issue["level"], "failing", "{issue}");
    assert!(issue["message"].as_str().unwrap().contains("Wrong password"), "{issue}");
    send(&server, now() - 1_000, 0, 10);
    wait_until("values are there all the same", DEADLINE, || {
        server.history_values(&text).len() == 10
    });
    assert!(!server.process().log().contains("a guess"));
    server.stop();
}

#[test]
fn item_names_are_stored_with_their_values() {
    let Some(clickhouse) = ClickHouse::start(ClickHouseKind::Debian) else { return };
    let env = [
        ("SAKER_CLICKHOUSE_URL", clickhouse.url()),
        ("SAKER_CLICKHOUSE_PASSWORD", ClickHouse::PASSWORD.to_owned()),
    ];
    let env = [(env[0].0, env[0].1.as_str()), (env[1].0, env[1].1.as_str())];
    let mut server = Server::start_with(&env);
    let host = server.host("h");
    let load = server.trapper_item(&host, "load", UNSIGNED);
    let text = server.trapper_item(&host, "text", TEXT);
    let has = |want: &str| {
        let sql = "SELECT host, key, name, value_type FROM saker.item_directory FINAL WHERE host = 'h' OR \
                   host = 'renamed' ORDER BY key";
        let is_so = || try_ask(&clickhouse, sql).is_ok_and(|it| it == want);
        wait_until("names are as they are configured", DEADLINE, is_so);
    };
    has("h\tload\tload\t3\nh\ttext\ttext\t4\n");
    server.call("usermacro.create", &json!({"hostid": host, "macro": "{$DISK}", "value": "sda"}));
    server.call("item.update", &json!({"itemid": load, "name": "Load of {$DISK}"}));
    has("h\tload\tLoad of sda\t3\nh\ttext\ttext\t4\n");
    server.call("host.update", &json!({"hostid": host, "host": "renamed"}));
    server.call("item.delete", &json!([text]));
    has("renamed\tload\tLoad of sda\t3\n");
    server.stop();
    // As if it had been deleted while the store was away.
    ask(
        &clickhouse,
        "INSERT INTO saker.item_directory VALUES (4000000000, 'h', 'k', 'n', '', 0, 1)",
    );
    server.start_again();
    has("renamed\tload\tLoad of sda\t3\n");
    server.stop();
}
