//! Entry of the fuzz target in `fuzz/`; an ordinary test runs it over the corpus.

use jiff::tz::TimeZone;

use crate::{LiveTable, Shard, ShardSettings};

/// Takes any bytes for the checkpoint of a partition: taken over as a whole, or refused.
pub fn restore(data: &[u8]) {
    let settings = ShardSettings { shard: 0, n_shards: 1, zone: TimeZone::UTC };
    let mut shard = Shard::new(settings, &LiveTable::new(1));
    let _lsn = shard.restore(data);
}
