//! Against a real server.

use std::io::Read as _;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use crate::support::{Behind, Contract, Make, NEXT, many_at_once, numbers};
use history::contract::{self, ITEM, NOW, ever, read};
use history::{FeedState, FeedTurn, Store as _};
use journal::Lsn;
use model::record::{Hour, Num, Sum, TrendRow};
use model::{Classes, ItemId, Retention, Time, ValueType};
use peers::{ClickHouseKind, Line, Lost};
use rt::clock::Clock;
use rt::metrics::Registry;
use stores::clickhouse::{ClickHouse, ClickHouseSettings};

fn settings(server: &peers::ClickHouse, database: &str) -> ClickHouseSettings {
    ClickHouseSettings {
        url: server.url(),
        password: peers::ClickHouse::PASSWORD.to_owned(),
        database: database.to_owned(),
        ..ClickHouseSettings::default()
    }
}

fn make(settings: ClickHouseSettings, clock: Clock) -> Make {
    Rc::new(move || {
        let store = ClickHouse::new(settings.clone(), clock.clone(), &Registry::new());
        Arc::new(store.expect("the settings are sound"))
    })
}

fn fed(settings: ClickHouseSettings) -> Behind {
    Behind::new(make(settings, Clock::real()))
}

static DATABASES: AtomicU64 = AtomicU64::new(0);

fn it_keeps_what_every_store_promises(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let of_server = settings(&server, "");
    NEXT.set(Some(Box::new(move || {
        let n = DATABASES.fetch_add(1, Ordering::Relaxed);
        let database = format!("contract {n}");
        make(ClickHouseSettings { database, ..of_server.clone() }, Clock::real())
    })));
    let promises = contract::promises::<Contract>().into_iter();
    for promise in promises.chain(contract::trend_promises::<Contract>()) {
        promise();
    }
}

fn an_outage_loses_nothing_and_doubles_nothing(kind: ClickHouseKind) {
    let Some(mut server) = peers::ClickHouse::start(kind) else { return };
    let mut behind = fed(settings(&server, "saker"));
    let mut next = 0..;
    let mut append = |behind: &Behind, n_records| {
        for _ in 0..n_records {
            let n = next.next().expect("endless");
            let at = |it: u64| NOW.plus_secs(i64::try_from(it).expect("small"));
            behind.append(|record| {
                record.unsigned(ITEM, at(n), n);
                record.float(ITEM, at(n), 0.5);
                record.text(ITEM, at(n), ValueType::Text, "up");
            });
        }
    };
    append(&behind, 10);
    assert_eq!(behind.run(), FeedTurn::Idle);
    server.stop();
    append(&behind, 10);
    assert!(matches!(behind.run(), FeedTurn::Retry(_)));
    assert!(matches!(behind.state(), FeedState::Away(_)), "{:?}", behind.state());
    // A server that starts while it is away knows no place, and waits.
    behind = behind.start_again();
    append(&behind, 10);
    assert!(matches!(behind.run(), FeedTurn::Retry(_)));
    let first = behind.journal.first_lsn();
    assert_eq!(behind.feeder.needed(0), first, "what it needs is not known, so all there is");
    server.go_on();
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    server.kill();
    append(&behind, 10);
    assert!(matches!(behind.run(), FeedTurn::Retry(_)));
    server.go_on();
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), (0..40).collect::<Vec<_>>());
    for kind in [ValueType::Float, ValueType::Text] {
        assert_eq!(read(&*behind.store, &ever(ITEM, kind)).len(), 40, "{kind:?}");
    }
    assert_eq!(behind.feeder.needed(0), behind.journal.next_lsn());
}

fn rows_whose_answer_was_lost_count_once(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let line = Line::to(server.address);
    let of_line = ClickHouseSettings {
        url: format!("http://{}", line.address),
        timeout: Duration::from_secs(10),
        ..settings(&server, "saker")
    };
    let mut behind = fed(of_line);
    assert_eq!(behind.run(), FeedTurn::Idle);
    let mut n = 0;
    for place in ["history_uint%20", "saker_places%20", "history_text%20"] {
        for is_restarted in [false, true] {
            for _ in 0..5 {
                let at = NOW.plus_secs(i64::try_from(n).expect("small"));
                behind.append(|record| {
                    record.unsigned(ITEM, at, n);
                    record.text(ITEM, at, ValueType::Text, &n.to_string());
                });
                n += 1;
            }
            line.cut_at(place.as_bytes(), Lost::Answer);
            assert!(matches!(behind.run(), FeedTurn::Retry(_)), "{place}");
            assert!(line.has_cut(), "{place}");
            line.mend();
            if is_restarted {
                behind = behind.start_again();
            }
            assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
            let store = &*behind.store;
            assert_eq!(numbers(store, ITEM), (0..n).collect::<Vec<_>>(), "{place}");
            let mut query = ever(ITEM, ValueType::Unsigned);
            query.limit = usize::try_from(n - 1).expect("small");
            assert_eq!(read(store, &query).len(), query.limit, "doubles do not use up the limit");
            let texts = read(store, &ever(ITEM, ValueType::Text));
            assert_eq!(texts.len(), usize::try_from(n).expect("small"), "{place}");
            let query = history::BucketQuery {
                item: ITEM,
                kind: ValueType::Unsigned,
                from: NOW.plus_secs(-1),
                till: NOW.plus_secs(1_000),
                n_buckets: 1,
            };
            let buckets = store.buckets(&query).expect("reads");
            assert_eq!(buckets.first().map(|it| it.n), Some(n), "{place}");
        }
    }
}

fn permanent_errors_are_reported_and_temporary_ones_retried(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let wrong = ClickHouseSettings { password: "guess".to_owned(), ..settings(&server, "saker") };
    let mut behind = fed(wrong);
    behind.append(|record| record.unsigned(ITEM, NOW, 1));
    assert_eq!(behind.run(), FeedTurn::Halted);
    let FeedState::Halted(why) = behind.state() else { panic!("{:?}", behind.state()) };
    assert!(why.to_lowercase().contains("password"), "{why}");
    assert!(!why.contains("guess") && !format!("{:?}", behind.store).contains("guess"), "{why}");
    // Tables of a newer program are left alone.
    let mut behind = fed(settings(&server, "saker"));
    assert_eq!(behind.run(), FeedTurn::Idle);
    query(&server, "INSERT INTO saker.saker_schema VALUES (1000, 'next')");
    let mut behind = behind.start_again();
    assert_eq!(behind.run(), FeedTurn::Halted);
    let FeedState::Halted(why) = behind.state() else { panic!("{:?}", behind.state()) };
    assert!(why.contains("a newer program: schema 1000"), "{why}");
}

fn query(server: &peers::ClickHouse, sql: &str) -> String {
    let mut answer = ureq::post(server.url())
        .header("X-ClickHouse-User", "default")
        .header("X-ClickHouse-Key", peers::ClickHouse::PASSWORD)
        .send(sql)
        .expect("the server answers");
    answer.body_mut().read_to_string().expect("a text")
}

fn days_whose_period_is_over_are_dropped_and_others_stay(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let clock = Clock::real();
    let today = clock.now().wall;
    let mut behind = Behind::new(make(settings(&server, "saker"), clock));
    let ages = [0, 1, 5, 20, 80, 300, 4_000];
    behind.append(|record| {
        for retention in [Retention::Day, Retention::Month, Retention::Forever] {
            record.classes(Classes { history: retention, ..Classes::default() });
            for age in ages {
                let id = ItemId(u64::from(retention as u8));
                record.unsigned(id, today.plus_secs(-age * 86_400), 1);
            }
        }
    });
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    let n =
        |retention: Retention| numbers(&*behind.store, ItemId(u64::from(retention as u8))).len();
    // With the end of a day: one of yesterday stays, those of the day before are gone.
    peers::wait_until("what has expired is gone", Duration::from_secs(60), || {
        (n(Retention::Day), n(Retention::Month)) == (2, 4)
    });
    assert_eq!(n(Retention::Forever), 7);
}

fn many_items_are_asked_for_at_once_and_each_has_its_own_limit(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    many_at_once(&mut fed(settings(&server, "saker")));
}

fn rows_of_a_trend_and_times_that_cannot_be_are_no_hindrance(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let mut behind = fed(settings(&server, "saker"));
    let trend = TrendRow {
        item: ITEM,
        hour: Hour::of(NOW),
        retention: Retention::Year,
        count: 3,
        min: Num::Unsigned(1),
        max: Num::Unsigned(u64::MAX),
        sum: Sum::Unsigned(u128::from(u64::MAX) * 2),
    };
    behind.append(|record| {
        record.trend(&trend);
        record.unsigned(ITEM, Time::from_clock(-5, 0), 1);
        record.unsigned(ITEM, Time::from_clock(5_000_000_000, 0), 2);
        record.unsigned(ITEM, NOW, 3);
    });
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), [3]);
    let sql = "SELECT num, value_min, value_max, value_sum, value_sum_high FROM saker.trends_uint";
    let want = format!("3\t1\t{}\t{}\t1\n", u64::MAX, u64::MAX - 1);
    assert_eq!(query(&server, sql), want);
}

#[test]
fn rows_go_encrypted_to_the_server_that_the_authority_knows_and_to_no_other() {
    let Some(certificates) = peers::Certificates::new() else { return };
    let Some(server) = peers::ClickHouse::start_encrypted(&certificates) else { return };
    let line = |host: &str, authority: &peers::Certificates| {
        let address = (std::net::Ipv4Addr::LOCALHOST, server.encrypted_port.expect("it has one"));
        let line = Line::to(address.into());
        let of_line = ClickHouseSettings {
            url: format!("https://{host}:{}", line.address.port()),
            ca_pem: Some(authority.authority_pem()),
            ..settings(&server, "saker")
        };
        // It goes with each request.
        line.cut_at(peers::ClickHouse::PASSWORD.as_bytes(), Lost::Request);
        (line, fed(of_line))
    };
    // The certificate is for localhost.
    let (passed, mut behind) = line("localhost", &certificates);
    behind.append(|record| record.unsigned(ITEM, NOW, 1));
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), [1]);
    assert!(!passed.has_cut(), "the password has passed in clear");

    let other = peers::Certificates::new().expect("there is an openssl");
    for (host, authority, why) in [
        ("localhost", &other, "certificate verify failed"),
        ("127.0.0.1", &certificates, "IP address mismatch"),
    ] {
        let (passed, mut behind) = line(host, authority);
        behind.append(|record| record.unsigned(ITEM, NOW, 1));
        assert!(matches!(behind.run(), FeedTurn::Retry(_)));
        let FeedState::Away(shown) = behind.state() else { panic!("{:?}", behind.state()) };
        assert!(shown.contains(why), "{shown}");
        assert!(!passed.has_cut());
    }
    // A server that does not encrypt gets nothing readable.
    let plain = Line::to(server.address);
    let of_plain = ClickHouseSettings {
        url: format!("https://localhost:{}", plain.address.port()),
        ca_pem: Some(certificates.authority_pem()),
        ..settings(&server, "saker")
    };
    plain.cut_at(peers::ClickHouse::PASSWORD.as_bytes(), Lost::Request);
    assert!(matches!(fed(of_plain).run(), FeedTurn::Retry(_)));
    assert!(!plain.has_cut());
}

#[test]
fn cursor_request_does_not_wait_for_a_hanging_server() {
    // Connections are taken by the system, and nobody reads them.
    let silent = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let url = format!("http://{}", silent.local_addr().expect("it is bound"));
    let timeout = Duration::from_secs(600);
    let settings = ClickHouseSettings { url, timeout, ..ClickHouseSettings::default() };
    let store = ClickHouse::new(settings, Clock::real(), &Registry::new());
    let store = Arc::new(store.expect("the settings are sound"));
    let of_thread = Arc::clone(&store);
    let asking = thread::spawn(move || of_thread.prepare());
    // Its request is on the way.
    let (mut peer, _) = silent.accept().expect("it comes");
    peer.read_exact(&mut [0; 4]).expect("it asks");
    let (reported, place) = mpsc::channel();
    let of_thread = Arc::clone(&store);
    thread::spawn(move || reported.send((of_thread.cursor(), of_thread.applied())));
    let place = place.recv_timeout(Duration::from_secs(60));
    assert_eq!(place, Ok((Lsn(0), Lsn(0))), "nobody waits");
    assert!(!asking.is_finished());
    drop((peer, silent));
    assert!(asking.join().expect("no panic").is_err());
}

fn a_copy_and_its_original_are_stored_side_by_side(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    crate::support::a_copy_and_its_original_are_stored_side_by_side(fed(settings(
        &server, "saker",
    )));
}

fn tables_of_the_first_schema_are_upgraded_and_keep_their_place(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let mut behind = fed(settings(&server, "saker"));
    behind.append(|record| record.unsigned(ITEM, NOW, 1));
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    for sql in [
        "CREATE TABLE saker.saker_cursor (number UInt64, journal UInt64, identity UInt32) \
         ENGINE = ReplacingMergeTree(number) ORDER BY tuple()",
        "INSERT INTO saker.saker_cursor SELECT number, journal, identity FROM saker.saker_places",
        "DROP TABLE saker.saker_places",
        "TRUNCATE TABLE saker.saker_schema",
        "INSERT INTO saker.saker_schema VALUES (1, 'former')",
    ] {
        query(&server, sql);
    }
    let mut behind = behind.start_again();
    behind.append(|record| record.unsigned(ITEM, NOW, 2));
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert_eq!(numbers(&*behind.store, ITEM), [1, 2]);
    assert_eq!(query(&server, "SELECT max(version) FROM saker.saker_schema"), "2\n");
    // Rows of now on stand in the new table alone.
    let sql = "SELECT count() FROM saker.saker_cursor";
    assert_eq!(query(&server, sql), "1\n");
}

/// The same with either of them.
fn item_names_are_stored_with_values(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let of_server = settings(&server, "names");
    let store = ClickHouse::new(of_server, Clock::real(), &Registry::new()).expect("sound");
    crate::support::names_are_kept(&store, &|| {
        let sql = "SELECT concat(toString(itemid), '|', host, '|', key, '|', name, '|', units, '|', \
                   toString(value_type)) FROM names.item_directory FINAL ORDER BY itemid FORMAT TabSeparatedRaw";
        let mut answer = ureq::post(server.url())
            .header("X-ClickHouse-User", "default")
            .header("X-ClickHouse-Key", peers::ClickHouse::PASSWORD)
            .send(sql)
            .expect("it answers");
        let text = answer.body_mut().read_to_string().expect("text");
        text.lines().map(str::to_owned).collect()
    });
}

/// The plug-in rounds and filters times like this.
fn a_graph_finds_items_by_their_names(kind: ClickHouseKind) {
    let Some(server) = peers::ClickHouse::start(kind) else { return };
    let store = ClickHouse::new(settings(&server, "saker"), Clock::real(), &Registry::new());
    crate::support::load_and_other(&mut fed(settings(&server, "saker")), &store.expect("sound"));
    let sql =
        crate::support::graph_of_guide("clickhouse.md", &crate::support::MACROS_OF_CLICKHOUSE);
    let rows = query(&server, &format!("SELECT series, value FROM ({sql})"));
    assert_eq!(rows, "web-1: Load\t1\n");
}

macro_rules! tests {
    ($module:ident $kind:ident: $($test:ident),* $(,)?) => {
        mod $module {
            $(#[test] fn $test() { super::$test(peers::ClickHouseKind::$kind); })*
        }
    };
    ($($test:ident),* $(,)?) => {
        tests!(debian Debian: $($test),*);
        tests!(engine Engine: $($test),*);
    };
}

tests!(
    it_keeps_what_every_store_promises,
    a_copy_and_its_original_are_stored_side_by_side,
    tables_of_the_first_schema_are_upgraded_and_keep_their_place,
    item_names_are_stored_with_values,
    a_graph_finds_items_by_their_names,
    an_outage_loses_nothing_and_doubles_nothing,
    rows_whose_answer_was_lost_count_once,
    permanent_errors_are_reported_and_temporary_ones_retried,
    days_whose_period_is_over_are_dropped_and_others_stay,
    many_items_are_asked_for_at_once_and_each_has_its_own_limit,
    rows_of_a_trend_and_times_that_cannot_be_are_no_hindrance,
);
