//! The cost of a part of a run for a server: processor time, writes, delay of its checks.

use std::sync::LazyLock;

use rt::clock::Clock;
use serde_json::{Value, json};

use super::client::Client;
use super::dead::Counts;
use super::process::{Io, Server};
use crate::common::BenchError;

/// Its time begins with it, so all ask the same one.
static CLOCK: LazyLock<Clock> = LazyLock::new(Clock::real);

pub(super) struct Usage {
    wall_ns: u64,
    cpu_ns: u64,
    io: Io,
    values: u64,
    counts: Counts,
    rss: u64,
}

impl Usage {
    pub(super) fn read(server: &Server, client: &Client) -> Result<Self, BenchError> {
        let metrics = client.metrics()?;
        let of_shards = metrics.lines().filter_map(|it| {
            it.strip_prefix("saker_shard_values_total{")?.rsplit_once(' ')?.1.parse::<u64>().ok()
        });
        Ok(Self {
            wall_ns: CLOCK.mono_ns(),
            cpu_ns: server.cpu_ns(),
            io: server.io(),
            values: of_shards.sum(),
            counts: Counts::read(client)?,
            rss: server.memory().rss,
        })
    }

    pub(super) fn since(&self, before: &Self) -> Value {
        let values = self.values.saturating_sub(before.values);
        let cpu_ns = self.cpu_ns.saturating_sub(before.cpu_ns);
        let wall_ms = (self.wall_ns.saturating_sub(before.wall_ns) / 1_000_000).max(1);
        let a_value = |n: u64| (n as f64 / values.max(1) as f64 * 1_000.0).round() / 1_000.0;
        let written = self.io.written_bytes.saturating_sub(before.io.written_bytes);
        let writes = self.io.writes.saturating_sub(before.io.writes);
        let to_disk = self.io.disk_bytes.saturating_sub(before.io.disk_bytes);
        json!({
            "ms": wall_ms,
            "values": values,
            "cpu_percent": (cpu_ns as f64 / (wall_ms * 1_000) as f64).round() / 10.0,
            "cpu_ns_per_value": cpu_ns / values.max(1),
            "written_bytes_per_value": a_value(written),
            "writes_per_value": a_value(writes),
            "disk_bytes_per_value": a_value(to_disk),
            "lag_p99_below_s": self.counts.lag_p99_s(&before.counts),
            "network_errors": self.counts.network_errors.saturating_sub(before.counts.network_errors),
            "rss_mb": self.rss >> 20,
        })
    }
}
