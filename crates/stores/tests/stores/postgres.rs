//! Against a real server, the one of `SAKER_TEST_POSTGRES`.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::{Behind, Contract, Make, NEXT, many_at_once, numbers};
use ::postgres::{Client, NoTls};
use history::contract::{self, ITEM, NOW, ever, read};
use history::{BucketQuery, FeedState, FeedTurn};
use model::record::{Hour, Num, Sum, TrendRow};
use model::{Classes, ItemId, Retention, Time, Value, ValueType};
use peers::{Line, Lost};
use rt::clock::Clock;
use rt::metrics::Registry;
use stores::postgres::{Postgres, PostgresSettings};

/// A schema of its own, by way of a line that the test may cut.
struct Server {
    url: String,
    through: String,
    line: Line,
    schema: String,
}

impl Server {
    /// `None`, with a word, where `SAKER_TEST_POSTGRES` names no server.
    fn new() -> Option<Self> {
        static N: AtomicU64 = AtomicU64::new(0);
        let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
            peers::left_out("SAKER_TEST_POSTGRES is not set");
            return None;
        };
        let config: ::postgres::Config = url.parse().expect("a URL");
        let [::postgres::config::Host::Tcp(host)] = config.get_hosts() else {
            panic!("no host: {url}")
        };
        let address = format!("{host}:{}", config.get_ports()[0]);
        let line = Line::to(address.parse().expect("an address"));
        let through = url.replace(&address, &line.address.to_string());
        let n = N.fetch_add(1, Ordering::Relaxed);
        let schema = format!("stores \"{}\" {n}", std::process::id());
        Some(Self { url, through, line, schema })
    }

    fn settings(&self) -> PostgresSettings {
        PostgresSettings {
            url: self.through.clone(),
            schema: self.schema.clone(),
            ..PostgresSettings::default()
        }
    }

    fn fed(&self) -> Behind {
        Behind::new(make(self.settings(), Clock::real()))
    }

    fn query(&self, sql: &str) -> Vec<String> {
        let mut client = Client::connect(&self.url, NoTls).expect("the server answers");
        let schema = self.schema.replace('"', "\"\"");
        client.batch_execute(&format!("set search_path = \"{schema}\"")).expect("it is there");
        let rows = client.query(sql, &[]).expect("a sound query");
        rows.iter().map(|it| it.get(0)).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut client = Client::connect(&self.url, NoTls).expect("the server answers");
        let schema = self.schema.replace('"', "\"\"");
        let quiet = "set client_min_messages = warning";
        client
            .batch_execute(&format!("{quiet}; drop schema if exists \"{schema}\" cascade"))
            .expect("nobody uses it");
    }
}

fn make(settings: PostgresSettings, clock: Clock) -> Make {
    Rc::new(move || {
        let store = Postgres::new(settings.clone(), clock.clone(), &Registry::new());
        Arc::new(store.expect("the settings are sound"))
    })
}

#[test]
fn it_keeps_what_every_store_promises() {
    let Some(server) = Server::new() else { return };
    let n = AtomicU64::new(0);
    let settings = server.settings();
    let drops = settings.clone();
    NEXT.set(Some(Box::new(move || {
        let n = n.fetch_add(1, Ordering::Relaxed);
        let schema = format!("{} {n}", settings.schema);
        make(PostgresSettings { schema, ..settings.clone() }, Clock::real())
    })));
    let promises = contract::promises::<Contract>().into_iter();
    let all = promises.chain(contract::trend_promises::<Contract>());
    for (n, promise) in all.enumerate() {
        promise();
        let schema = format!("{} {n}", drops.schema).replace('"', "\"\"");
        let mut client = Client::connect(&server.url, NoTls).expect("the server answers");
        let quiet = "set client_min_messages = warning";
        client
            .batch_execute(&format!("{quiet}; drop schema \"{schema}\" cascade"))
            .expect("the promise has made it");
    }
}

#[test]
fn a_copy_and_its_original_are_stored_side_by_side() {
    let Some(server) = Server::new() else { return };
    crate::support::a_copy_and_its_original_are_stored_side_by_side(server.fed());
}

#[test]
fn tables_of_the_first_schema_are_upgraded_and_keep_their_place() {
    let Some(server) = Server::new() else { return };
    let mut behind = server.fed();
    behind.append(|record| record.unsigned(ITEM, NOW, 1));
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    let former = [
        "alter table saker_cursor drop constraint saker_cursor_pkey",
        "alter table saker_cursor add column id boolean primary key default true check (id)",
        "alter table saker_cursor alter column id drop default",
        "update saker_schema set version = 1",
    ];
    former.iter().for_each(|it| drop(server.query(it)));
    let mut behind = behind.start_again();
    behind.append(|record| record.unsigned(ITEM, NOW, 2));
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), [1, 2]);
    assert_eq!(server.query("select max(version)::text from saker_schema"), ["2"]);
    assert_eq!(server.query("select identity::text from saker_cursor"), ["7"]);
}

#[test]
fn item_names_are_stored_with_values() {
    let Some(server) = Server::new() else { return };
    let store = Postgres::new(server.settings(), Clock::real(), &Registry::new()).expect("sound");
    crate::support::names_are_kept(&store, &|| {
        server.query(
            "select concat_ws('|', itemid, host, key, name, units, value_type) from item_directory \
             order by itemid",
        )
    });
}

#[test]
fn a_graph_finds_items_by_their_names() {
    let Some(server) = Server::new() else { return };
    let store = Postgres::new(server.settings(), Clock::real(), &Registry::new()).expect("sound");
    crate::support::load_and_other(&mut server.fed(), &store);
    // The plug-in rounds and filters times like this.
    let macros = [
        ("$__timeGroup(h.time, $__interval)", "floor(extract(epoch from h.time) / 60) * 60"),
        (
            "$__timeFilter(h.time)",
            "h.time between '2023-01-01T00:00:00Z' and '2030-01-01T00:00:00Z'",
        ),
        ("saker_history.", ""),
    ];
    let sql = crate::support::graph_of_guide("postgres-history.md", &macros);
    let rows = server.query(&format!("select metric || '=' || value from ({sql}) as graph"));
    assert_eq!(rows, ["web-1: Load=1"]);
}

/// Values `from..from + n`, a record each.
fn append(behind: &Behind, from: u64, n: u64) {
    for n in from..from + n {
        let at = NOW.plus_secs(i64::try_from(n).expect("small"));
        behind.append(|record| {
            record.unsigned(ITEM, at, n);
            record.text(ITEM, at, ValueType::Text, &n.to_string());
        });
    }
}

/// Values `0..n`, each once, however they are read.
fn assert_has(behind: &Behind, n: u64) {
    let store = &*behind.store;
    assert_eq!(numbers(store, ITEM), (0..n).collect::<Vec<_>>());
    let texts = read(store, &ever(ITEM, ValueType::Text));
    assert_eq!(texts.len(), usize::try_from(n).expect("small"));
    let query = BucketQuery {
        item: ITEM,
        kind: ValueType::Unsigned,
        from: NOW.plus_secs(-1),
        till: NOW.plus_secs(100_000),
        n_buckets: 1,
    };
    assert_eq!(store.buckets(&query).expect("reads").first().map(|it| it.n), Some(n));
}

#[test]
fn an_outage_loses_nothing_and_doubles_nothing() {
    let Some(server) = Server::new() else { return };
    let mut behind = server.fed();
    append(&behind, 0, 10);
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    server.line.cut();
    append(&behind, 10, 10);
    assert!(matches!(behind.run(), FeedTurn::Retry(_)));
    assert!(matches!(behind.state(), FeedState::Away(_)), "{:?}", behind.state());
    assert!(behind.store.range(&ever(ITEM, ValueType::Unsigned)).is_err());
    behind = behind.start_again();
    append(&behind, 20, 10);
    assert!(matches!(behind.run(), FeedTurn::Retry(_)));
    assert_eq!(behind.feeder.needed(0), behind.journal.first_lsn(), "what it needs is not known");
    server.line.mend();
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_has(&behind, 30);
    assert_eq!(behind.feeder.needed(0), behind.journal.next_lsn());
}

#[test]
fn a_transaction_whose_answer_was_lost_counts_once() {
    let Some(server) = Server::new() else { return };
    let mut behind = server.fed();
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    let mut n = 0;
    for lost in [Lost::Request, Lost::Answer] {
        for place in ["COMMIT", ".history_text ("] {
            for is_restarted in [false, true] {
                append(&behind, n, 5);
                n += 5;
                server.line.cut_at(place.as_bytes(), lost);
                assert!(matches!(behind.run(), FeedTurn::Retry(_)), "{place}");
                assert!(server.line.has_cut(), "{place}");
                server.line.mend();
                if is_restarted {
                    behind = behind.start_again();
                }
                assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
                assert_has(&behind, n);
            }
        }
    }
}

#[test]
fn permanent_errors_are_reported() {
    let Some(server) = Server::new() else { return };
    let url = server.through.replace("saker@", "nobody:secret@");
    assert_ne!(url, server.through);
    let wrong = PostgresSettings { url, ..server.settings() };
    let mut behind = Behind::new(make(wrong, Clock::real()));
    append(&behind, 0, 1);
    assert_eq!(behind.run(), FeedTurn::Halted, "{:?}", behind.state());
    let FeedState::Halted(why) = behind.state() else { panic!("{:?}", behind.state()) };
    assert!(why.contains("nobody") && !why.contains("secret"), "{why}");
    assert!(!format!("{:?}", behind.store).contains("secret"));
    let unread = PostgresSettings { url: "postgres://a:secret@[".to_owned(), ..server.settings() };
    let error = Postgres::new(unread, Clock::real(), &Registry::new()).expect_err("no URL");
    assert!(!error.to_string().contains("secret"), "{error}");
    // Tables of a newer program are left alone.
    let mut behind = server.fed();
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    server.query("insert into saker_schema values (1000) returning 'made'");
    let mut behind = behind.start_again();
    assert_eq!(behind.run(), FeedTurn::Halted);
    let FeedState::Halted(why) = behind.state() else { panic!("{:?}", behind.state()) };
    assert!(why.contains("a newer program: schema 1000"), "{why}");
}

#[test]
fn rows_go_encrypted_to_the_server_that_the_authority_knows_and_to_no_other() {
    let Some(certificates) = peers::Certificates::new() else { return };
    let Some(server) = peers::Postgres::start(Some(&certificates)) else { return };
    let url = |host: &str| format!("postgres://saker@{host}:{}/saker", server.address.port());
    let of = |url: String, ca_pem: String| {
        make(
            PostgresSettings { url, ca_pem: Some(ca_pem), ..PostgresSettings::default() },
            Clock::real(),
        )
    };
    // The certificate is for localhost.
    let mut behind = Behind::new(of(url("localhost"), certificates.authority_pem()));
    append(&behind, 0, 10);
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_has(&behind, 10);
    let mut client = Client::connect(&server.url(), NoTls).expect("the server answers");
    let sql = "select count(*), count(*) filter (where ssl) from pg_stat_ssl \
               join pg_stat_activity using (pid) where application_name = 'saker history'";
    let row = client.query_one(sql, &[]).expect("a sound query");
    let (n, n_encrypted): (i64, i64) = (row.get(0), row.get(1));
    assert!(n >= 2 && n == n_encrypted, "one writes, another reads: {n_encrypted} of {n}");

    let other = peers::Certificates::new().expect("there is an openssl");
    for (host, authority, why) in [
        ("localhost", &other, "certificate verify failed"),
        ("127.0.0.1", &certificates, "IP address mismatch"),
    ] {
        let mut behind = Behind::new(of(url(host), authority.authority_pem()));
        append(&behind, 0, 1);
        assert!(matches!(behind.run(), FeedTurn::Retry(_)));
        let FeedState::Away(shown) = behind.state() else { panic!("{:?}", behind.state()) };
        assert!(shown.contains(why), "{shown}");
    }
}

#[test]
fn days_whose_period_is_over_are_dropped_and_others_stay() {
    let Some(server) = Server::new() else { return };
    let clock = Clock::real();
    let today = clock.now().wall;
    let mut behind = server.fed();
    behind.append(|record| {
        for retention in [Retention::Day, Retention::Month, Retention::Year, Retention::Forever] {
            record.classes(Classes { history: retention, ..Classes::default() });
            for age in [0, 1, 5, 20, 80, 300, 400, 4_000] {
                let id = ItemId(u64::from(retention as u8));
                record.unsigned(id, today.plus_secs(-age * 86_400), 1);
            }
        }
    });
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    let n =
        |retention: Retention| numbers(&*behind.store, ItemId(u64::from(retention as u8))).len();
    assert_eq!((n(Retention::Day), n(Retention::Month)), (2, 4));
    assert_eq!((n(Retention::Year), n(Retention::Forever)), (6, 8));
}

#[test]
fn many_items_are_asked_for_at_once_and_each_has_its_own_limit() {
    let Some(server) = Server::new() else { return };
    many_at_once(&mut server.fed());
}

#[test]
fn trends_odd_texts_and_odd_times_are_stored_as_they_are() {
    let Some(server) = Server::new() else { return };
    let mut behind = server.fed();
    let trend = TrendRow {
        item: ITEM,
        hour: Hour::of(NOW),
        retention: Retention::Year,
        count: 3,
        min: Num::Unsigned(1),
        max: Num::Unsigned(u64::MAX),
        sum: Sum::Unsigned(u128::from(u64::MAX) * 2),
    };
    let odd = "tab\tline\nreturn\r back\\slash \\N \\. ünï";
    behind.append(|record| {
        record.trend(&trend);
        record.unsigned(ITEM, Time::from_clock(-5, 0), 1);
        record.unsigned(ITEM, Time::from_clock(5_000_000_000, 0), u64::MAX);
        record.float(ITEM, NOW, f64::NEG_INFINITY);
        record.text(ITEM, NOW, ValueType::Text, odd);
        record.text(ITEM, NOW.plus_secs(1), ValueType::Text, "nul \0");
        // No item has such a number; nothing else is lost by it.
        record.unsigned(ItemId(u64::MAX), NOW, 1);
    });
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), [1, u64::MAX]);
    let floats = read(&*behind.store, &ever(ITEM, ValueType::Float));
    assert_eq!(floats[0].value, Value::Float(f64::NEG_INFINITY));
    let texts = read(&*behind.store, &ever(ITEM, ValueType::Text));
    let texts: Vec<Value> = texts.into_iter().map(|it| it.value).collect();
    assert_eq!(texts, [Value::Text(odd.into()), Value::Text("nul \u{fffd}".into())]);
    let sql = "select concat_ws(' ', num, value_min, value_max, value_sum) from trends_uint";
    let sum = u128::from(u64::MAX) * 2;
    assert_eq!(server.query(sql), [format!("3 1 {} {sum}", u64::MAX)]);
}
