//! A cluster of ClickHouse: two nodes of Debian's server, and ZooKeeper. Separate from `stores`,
//! whose tests would take the machine from these: Debian's server does not survive a ZooKeeper that
//! is slow to answer.
#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]

#[path = "stores/support/mod.rs"]
mod support;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use history::contract::{NOW, ever, read};
use history::{FeedState, FeedTurn, RemoteStore as _};
use model::{Classes, ItemId, Retention, ValueType};
use peers::{ClickHouse, Line, Lost, ZooKeeper};
use rt::clock::Clock;
use rt::metrics::Registry;
use stores::clickhouse::ClickHouseSettings;
use support::{Behind, Make, numbers};

const N_ITEMS: u64 = 20;
/// More than is lost on the way between nodes that are busy.
const DEADLINE: Duration = Duration::from_secs(120);

fn settings(url: String) -> ClickHouseSettings {
    ClickHouseSettings {
        url,
        password: ClickHouse::PASSWORD.to_owned(),
        cluster: Some("together".to_owned()),
        ..ClickHouseSettings::default()
    }
}

fn make(settings: ClickHouseSettings) -> Make {
    Rc::new(move || {
        let store = stores::ClickHouse::new(settings.clone(), Clock::real(), &Registry::new());
        Arc::new(store.expect("the settings are sound"))
    })
}

/// Values `from..from + n` of each item.
fn append(behind: &Behind, from: u64, n: u64) {
    for n in from..from + n {
        let at = NOW.plus_secs(i64::try_from(n).expect("small"));
        behind.append(|record| {
            for item in 1..=N_ITEMS {
                record.unsigned(ItemId(item), at, n);
                record.text(ItemId(item), at, ValueType::Text, &n.to_string());
            }
        });
    }
}

/// Whether each item has the values `0..n`, each once.
fn has(behind: &Behind, n: u64) -> bool {
    let store = &*behind.store;
    (1..=N_ITEMS).all(|item| {
        let texts = read(store, &ever(ItemId(item), ValueType::Text)).len();
        numbers(store, ItemId(item)).into_iter().eq(0..n) && u64::try_from(texts) == Ok(n)
    })
}

fn query(node: &ClickHouse, sql: &str) -> String {
    let mut answer = ureq::post(node.url())
        .header("X-ClickHouse-User", "default")
        .header("X-ClickHouse-Key", ClickHouse::PASSWORD)
        .send(sql)
        .expect("the node answers");
    answer.body_mut().read_to_string().expect("a text")
}

fn count(node: &ClickHouse, table: &str) -> u64 {
    let text = query(node, &format!("SELECT count() FROM saker.{table} FINAL"));
    text.trim().parse().expect("a number")
}

#[test]
fn each_shard_has_its_items_and_any_node_answers_for_all() {
    let Some(zookeeper) = ZooKeeper::start() else { return };
    let Some(mut nodes) = ClickHouse::start_cluster(&zookeeper, 2, true) else { return };
    let line = Line::to(nodes[0].address);
    let mut behind = Behind::new(make(settings(format!("http://{}", line.address))));
    append(&behind, 0, 10);
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert!(has(&behind, 10));
    let parts = [&nodes[0], &nodes[1]].map(|it| count(it, "history_uint_local"));
    assert!(parts[0] > 0 && parts[1] > 0 && parts[0] + parts[1] == 10 * N_ITEMS, "{parts:?}");

    // The answer is lost: the rows come again, and count once.
    line.cut_at(b"history_uint%20", Lost::Answer);
    append(&behind, 10, 10);
    assert!(matches!(behind.run(), FeedTurn::Retry(_)));
    line.mend();
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert!(has(&behind, 20));

    // Another process that speaks to the other node finds the place in the journal, and all values.
    let mut other = Behind::new(make(settings(nodes[1].url())));
    assert_ne!(other.run(), FeedTurn::Idle, "the place is of a journal that this one is not");
    assert!(has(&other, 20));

    // Half of the rows have nowhere to go: that is reported, and each is there once in the end.
    nodes[1].kill();
    append(&behind, 20, 10);
    assert!(matches!(behind.run(), FeedTurn::Retry(_)));
    assert!(matches!(behind.state(), FeedState::Away(_)), "{:?}", behind.state());
    nodes[1].go_on();
    peers::wait_until("it goes on", DEADLINE, || behind.run() == FeedTurn::Idle);
    peers::wait_until("all is there", DEADLINE, || has(&behind, 30));

    // Items are deleted from all shards when the answer comes.
    let patient = ClickHouseSettings { timeout: DEADLINE, ..settings(nodes[0].url()) };
    let store = stores::ClickHouse::new(patient, Clock::real(), &Registry::new());
    let deleted: Vec<ItemId> = (1..=N_ITEMS).filter(|it| it % 5 < 3).map(ItemId).collect();
    store.expect("the settings are sound").delete(&deleted).expect("both are there");
    for item in (1..=N_ITEMS).map(ItemId) {
        let n = if deleted.contains(&item) { 0 } else { 30 };
        assert_eq!(numbers(&*behind.store, item).len(), n, "{item:?}");
    }
}

#[test]
fn a_graph_finds_items_by_their_names_on_all_shards() {
    let Some(zookeeper) = ZooKeeper::start() else { return };
    let Some(nodes) = ClickHouse::start_cluster(&zookeeper, 2, true) else { return };
    let store = stores::ClickHouse::new(settings(nodes[0].url()), Clock::real(), &Registry::new());
    let mut behind = Behind::new(make(settings(nodes[0].url())));
    support::load_and_other(&mut behind, &store.expect("the settings are sound"));
    let sql = support::graph_of_guide("clickhouse.md", &support::MACROS_OF_CLICKHOUSE);
    let sql = sql.replace("ALL INNER JOIN", "GLOBAL ALL INNER JOIN");
    for node in &nodes {
        let rows = || query(node, &format!("SELECT series, value FROM ({sql})"));
        // Rows of the other shard are on their way.
        peers::wait_until("it is found", DEADLINE, || rows() == "web-1: Load\t1\n");
    }
}

#[test]
fn days_that_are_over_are_dropped_on_all_shards() {
    let Some(zookeeper) = ZooKeeper::start() else { return };
    let Some(nodes) = ClickHouse::start_cluster(&zookeeper, 2, true) else { return };
    let today = Clock::real().now().wall;
    let mut behind = Behind::new(make(settings(nodes[0].url())));
    behind.append(|record| {
        record.classes(Classes { history: Retention::Day, ..Classes::default() });
        // A day of its own for each item: a node has days that the other one has not.
        for item in 1..=N_ITEMS {
            let age = i64::try_from(item).expect("small") - 1;
            record.unsigned(ItemId(item), today.plus_secs(-age * 86_400), item);
        }
    });
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    // Today's and yesterday's stay.
    let have = || [&nodes[0], &nodes[1]].map(|it| count(it, "history_uint_local"));
    peers::wait_until("the others are gone", DEADLINE, || have().iter().sum::<u64>() == 2);
    assert_eq!(numbers(&*behind.store, ItemId(2)), [2]);
}

#[test]
fn either_replica_has_all_and_goes_on_alone() {
    let Some(zookeeper) = ZooKeeper::start() else { return };
    let Some(mut nodes) = ClickHouse::start_cluster(&zookeeper, 2, false) else { return };
    let mut behind = Behind::new(make(settings(nodes[0].url())));
    append(&behind, 0, 10);
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    let rows = 10 * N_ITEMS;
    let have =
        |nodes: &[ClickHouse], rows| nodes.iter().all(|it| count(it, "history_uint_local") == rows);
    peers::wait_until("both have all", DEADLINE, || have(&nodes, rows));
    nodes[1].kill();
    append(&behind, 10, 10);
    assert_eq!(behind.run(), FeedTurn::Idle, "{:?}", behind.state());
    assert!(has(&behind, 20));
    nodes[1].go_on();
    peers::wait_until("the other one catches up", DEADLINE, || have(&nodes, 2 * rows));
    assert!(has(&behind, 20));
}
