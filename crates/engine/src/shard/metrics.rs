//! Metrics of shards.

use pipeline::{Effects, RowCounters, Shard};
use rt::metrics::{Counter, Family, Gauge, TimeHistogram};

rt::metrics! {
    /// Shard threads.
    pub struct ShardMetrics in "saker_shard" {
        /// Values taken in, by shard.
        pub values_total: Family<Counter> = "shard",
        /// Nanoseconds of work, by shard.
        pub busy_ns_total: Family<Counter> = "shard",
        /// Values processed and written.
        pub processed_total: Counter,
        /// Values stored, by type; "unsupported" counts those that left their item unsupported.
        pub kinds_total: Family<Counter> = "type",
        /// Values refused by shards: unknown or older slot, disabled item, impossible time.
        pub refused_total: Counter,
        /// Values dropped because their host is in maintenance without data collection; their
        /// senders get the answer that they are processed.
        pub in_maintenance_total: Counter,
        /// Values dropped because their item had one of the same second and nanosecond.
        pub repeated_total: Counter,
        /// Texts of which only the beginning was kept: longer than their type of information allows.
        pub texts_cut_total: Counter,
        /// Time of one step with its record, in seconds.
        pub step_seconds: TimeHistogram,
        /// Records that the journal refused at first.
        pub journal_refusals_total: Counter,
        /// Steps that failed by a bug; the shard was rebuilt and took the input once more.
        pub panics_total: Counter,
        /// Steps whose record would have been too large; the values came once more in smaller parts.
        pub too_large_total: Counter,
        /// Times that a shard was rebuilt from checkpoint and journal, after either of these.
        pub rebuilds_total: Counter,
        /// Inputs that failed so twice and were left out, and records that the journal would never take.
        pub skipped_total: Counter,
        /// Items put into quarantine because their values made steps fail again and again.
        pub quarantined_total: Counter,
        /// Values that wait for steps which run outside of the shard, by shard.
        pub pending_values: Family<Gauge> = "shard",
        /// Bytes of these values, by shard.
        pub pending_bytes: Family<Gauge> = "shard",
        /// Values refused because too many of their item waited.
        pub pending_refused_total: Counter,
        /// Values dropped while they waited: item disabled or deleted, or its steps changed.
        pub pending_dropped_total: Counter,
        /// Expression macros of event names that history did not answer in time for.
        pub event_name_macros_unknown_total: Counter,
        /// Evaluations of triggers that are deferred until history has answered, by shard.
        pub deferred_evaluations_waiting: Family<Gauge> = "shard",
        /// Deferred evaluations dropped because too many of their trigger, or of the shard, waited.
        pub deferred_evaluations_dropped_total: Counter,
        /// Rows of documents for items of other hosts: sent and taken, and what kept the others.
        pub dispatched_rows_total: Family<Counter> = "result",
        /// Fetches from history that wait for room in its queue.
        pub fetches_waiting: Gauge,
    }
}

/// Counters of values by type, fed once a step.
pub(super) struct ValueTypeCounters {
    counts: [u64; 6],
    counters: [Counter; 6],
    unsupported: Counter,
}

/// The last counts of waiting values, events and deferred evaluations.
pub(super) struct PendingFigures {
    values: Gauge,
    bytes: Gauge,
    deferred_evaluations: Gauge,
    /// Counted so far.
    refused: u64,
    dropped: u64,
    event_name_macros_unknown: u64,
    deferred_evaluations_dropped: u64,
    texts_cut: u64,
    repeated: u64,
    in_maintenance: u64,
    unsupported: u64,
    rows: RowCounters,
}

impl PendingFigures {
    pub(super) fn new(metrics: &ShardMetrics, shard: &str) -> Self {
        let (values, bytes) = (metrics.pending_values.of(shard), metrics.pending_bytes.of(shard));
        Self {
            values,
            bytes,
            deferred_evaluations: metrics.deferred_evaluations_waiting.of(shard),
            refused: 0,
            dropped: 0,
            event_name_macros_unknown: 0,
            deferred_evaluations_dropped: 0,
            texts_cut: 0,
            repeated: 0,
            in_maintenance: 0,
            unsupported: 0,
            rows: RowCounters::default(),
        }
    }

    /// Publishes what has changed in the shard since the last call.
    pub(super) fn observe(
        &mut self,
        shard: &Shard,
        (metrics, kinds): (&ShardMetrics, &ValueTypeCounters),
    ) {
        let (counters, sizes) = (shard.counters(), shard.sizes());
        self.values.set_n(sizes.values_pending);
        self.bytes.set_n(sizes.bytes_pending);
        let (refused, dropped) = (counters.pending_refused, counters.pending_dropped);
        metrics.pending_refused_total.add(refused - self.refused);
        metrics.pending_dropped_total.add(dropped - self.dropped);
        (self.refused, self.dropped) = (refused, dropped);
        metrics
            .event_name_macros_unknown_total
            .add(counters.event_name_macros_unknown - self.event_name_macros_unknown);
        self.event_name_macros_unknown = counters.event_name_macros_unknown;
        self.deferred_evaluations.set_n(sizes.evaluations_deferred);
        metrics
            .deferred_evaluations_dropped_total
            .add(counters.deferred_dropped - self.deferred_evaluations_dropped);
        self.deferred_evaluations_dropped = counters.deferred_dropped;
        metrics.texts_cut_total.add(counters.texts_cut - self.texts_cut);
        self.texts_cut = counters.texts_cut;
        metrics.repeated_total.add(counters.repeated - self.repeated);
        self.repeated = counters.repeated;
        metrics.in_maintenance_total.add(counters.in_maintenance - self.in_maintenance);
        self.in_maintenance = counters.in_maintenance;
        kinds.unsupported.add(counters.unsupported - self.unsupported);
        self.unsupported = counters.unsupported;
        self.count_rows(metrics, counters.rows);
    }

    fn count_rows(&mut self, metrics: &ShardMetrics, rows: RowCounters) {
        let previous = std::mem::replace(&mut self.rows, rows);
        if rows == previous {
            return;
        }
        let total = &metrics.dispatched_rows_total;
        for (result, now, previous) in [
            ("sent", rows.sent, previous.sent),
            ("taken", rows.taken, previous.taken),
            ("nameless", rows.nameless, previous.nameless),
            ("unknown_host", rows.unknown_host, previous.unknown_host),
            ("unknown_item", rows.unknown_item, previous.unknown_item),
            ("not_taking", rows.not_taking, previous.not_taking),
            ("ambiguous", rows.ambiguous, previous.ambiguous),
            ("refused", rows.refused, previous.refused),
        ] {
            total.of(result).add(now - previous);
        }
    }
}

impl ValueTypeCounters {
    pub(super) fn new(metrics: &ShardMetrics) -> Self {
        let of = |name: &str| metrics.kinds_total.of(name);
        // By code of the value type.
        let counters = [of("float"), of("str"), of("log"), of("uint"), of("text"), of("binary")];
        Self { counts: [0; 6], counters, unsupported: of("unsupported") }
    }

    pub(super) fn count(&mut self, effects: &Effects) {
        for row in &effects.values.rows {
            let at = usize::try_from(row.kind.code()).unwrap_or(0);
            if let Some(n) = self.counts.get_mut(at) {
                *n += 1;
            }
        }
        for (count, counter) in self.counts.iter_mut().zip(&self.counters) {
            counter.add(std::mem::take(count));
        }
    }
}
