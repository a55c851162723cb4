//! All targets of a server: their positions, and the records that the journal keeps for them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use journal::{Journal, Lsn};
use model::Time;
use rt::health::Health;
use rt::metrics::{Counter, Family, Gauge, Registry};
use serde::{Deserialize, Serialize};

rt::metrics! {
    /// Exported data; connectors are counted together.
    pub struct ExportMetrics in "saker_export" {
        /// Values, trends and events delivered, by target.
        pub rows_total: Family<Counter> = "target",
        /// Bytes delivered, as they were sent or written, by target.
        pub bytes_total: Family<Counter> = "target",
        /// Deliveries that failed and are tried again, by target.
        pub retries_total: Family<Counter> = "target",
        /// Values and events that were skipped because the target lagged too far, by target.
        pub dropped_behind_total: Family<Counter> = "target",
        /// Values, trends and events that the receiver refused for their contents, by target.
        pub dropped_refused_total: Family<Counter> = "target",
        /// Values, trends and events of items and triggers that had been deleted by then, by target.
        pub dropped_deleted_total: Family<Counter> = "target",
        /// Damaged records of the journal that were skipped, by target.
        pub damaged_total: Family<Counter> = "target",
        /// Bytes of journal that are not delivered yet, by target; of connectors the most.
        pub lag_bytes: Family<Gauge> = "target",
        /// Age of the oldest record that is not delivered yet, in seconds, by target; of connectors the most.
        pub lag_seconds: Family<Gauge> = "target",
    }
}

/// The policy for a target that lags more than the limits allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenBehind {
    /// The oldest data is skipped: it will be missing there.
    #[default]
    LeaveBehind,
    /// The journal is kept all the same; when the disk is full no more values are accepted.
    Hold,
}

/// How far behind a target may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LagLimits {
    pub bytes_max: u64,
    /// Since the oldest record was received.
    pub age_max: Duration,
    pub when_behind: WhenBehind,
}

/// All targets; clones are the same.
#[derive(Clone, Debug)]
pub struct Exports {
    pub(crate) shared: Arc<ExportRegistry>,
}

#[derive(Debug)]
pub(crate) struct ExportRegistry {
    pub(crate) journal: Journal,
    pub(crate) limits: LagLimits,
    pub(crate) metrics: ExportMetrics,
    pub(crate) health: Health,
    followed: Mutex<BTreeMap<String, Arc<Followed>>>,
}

/// How far one target is.
#[derive(Debug)]
pub(crate) struct Followed {
    pub(crate) kind: &'static str,
    /// The journal is kept from here. 0, which keeps everything, until the place is known.
    saved: AtomicU64,
    /// Delivered up to here.
    delivered: AtomicU64,
    /// When the oldest record was received that is known not to be delivered, in nanoseconds; 0: there is none.
    oldest_ns: AtomicI64,
}

impl Exports {
    #[must_use]
    pub fn new(
        journal: Journal,
        limits: LagLimits,
        (registry, health): (&Registry, &Health),
    ) -> Self {
        let metrics = ExportMetrics::register(registry);
        let (health, followed) = (health.clone(), Mutex::default());
        Self { shared: Arc::new(ExportRegistry { journal, limits, metrics, health, followed }) }
    }

    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.shared.journal
    }

    /// The oldest position that a target needs; to be asked each second or so, because it is here that lag is
    /// measured. Without targets there is none: the end of all positions.
    #[must_use]
    pub fn needed(&self, now: Time) -> Lsn {
        let followed = self.shared.lock();
        if followed.is_empty() {
            return Lsn(u64::MAX);
        }
        let (first, next) = (self.shared.journal.first_lsn(), self.shared.journal.next_lsn());
        let mut lags: BTreeMap<&'static str, (u64, i64)> = BTreeMap::new();
        for it in followed.values() {
            let delivered = it.delivered.load(Ordering::Relaxed).max(first.0);
            let oldest_ns = it.oldest_ns.load(Ordering::Relaxed);
            let age = if oldest_ns == 0 { 0 } else { now.since_ns(Time(oldest_ns)).max(0) };
            let lag = lags.entry(it.kind).or_default();
            *lag = (lag.0.max(next.0.saturating_sub(delivered)), lag.1.max(age));
        }
        for (kind, (bytes, age_ns)) in lags {
            let metrics = &self.shared.metrics;
            metrics.lag_bytes.of(kind).set_n(usize::try_from(bytes).unwrap_or(usize::MAX));
            metrics.lag_seconds.of(kind).set(seconds(age_ns));
        }
        Lsn(followed.values().map(|it| it.saved.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX))
    }

    /// The journal is kept for a target of this name from now on.
    pub(crate) fn follow(&self, name: &str, kind: &'static str) -> Arc<Followed> {
        let followed = Arc::new(Followed {
            kind,
            saved: AtomicU64::new(0),
            delivered: AtomicU64::new(0),
            oldest_ns: AtomicI64::new(0),
        });
        self.shared.lock().insert(name.to_owned(), Arc::clone(&followed));
        followed
    }

    pub(crate) fn leave(&self, name: &str) {
        let mut followed = self.shared.lock();
        if let Some(left) = followed.remove(name)
            && !followed.values().any(|it| it.kind == left.kind)
        {
            self.shared.metrics.lag_bytes.of(left.kind).set(0.0);
            self.shared.metrics.lag_seconds.of(left.kind).set(0.0);
        }
    }
}

impl ExportRegistry {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Followed>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Followed {
    pub(crate) fn set_saved(&self, lsn: u64) {
        self.saved.store(lsn, Ordering::Relaxed);
    }

    /// `oldest`: of records that were read and are not delivered.
    pub(crate) fn set_delivered(&self, lsn: u64, oldest: Option<Time>) {
        self.delivered.store(lsn, Ordering::Relaxed);
        self.oldest_ns.store(oldest.map_or(0, |it| it.0.max(1)), Ordering::Relaxed);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a metric")]
fn seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}
