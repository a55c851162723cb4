//! Which records a shard applies.

use crate::kit::{Config, World, Written, at, item};
use model::ValueType;
use model::record::{RecordBuilder, RecordHead};

#[test]
fn records_of_another_shard_are_skipped_with_unchanged_shard_count() {
    let mut config = Config::new();
    let host = config.host("h");
    let item = config.item(host, item("k", ValueType::Float));
    // The shard is the first of one.
    for (shard, n_shards, is_applied) in [(0, 1, true), (1, 1, false), (1, 2, true), (0, 0, true)] {
        let mut world = World::new(&config);
        let mut record = RecordBuilder::new();
        record.start(RecordHead { shard, n_shards, epoch: 1, now: at(500) });
        record.float(item, at(5), 0.5);
        let (lsn, payload) = (world.lsn() + 1, record.finish().to_vec());
        world.journal.push(Written { lsn, first_event: world.next_event, payload });
        world.restart(0);
        assert_eq!(world.last_value("h", "k").is_some(), is_applied, "{shard} of {n_shards}");
    }
}
