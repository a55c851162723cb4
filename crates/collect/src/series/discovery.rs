//! Applies the rows of hosts to their rules: new series get items, stopped ones are lost.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use model::Now;
use rt::clock::nanos;
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use tracing::warn;

use super::receiver::SeriesReceiver;
use super::register::{Due, rules};

/// For the list of workers.
pub const ROW: WorkerRow = WorkerRow {
    name: "series-discovery",
    job: "applies pushed series to discovery rules, which make their items, and expires stopped series",
    woken_by: "new series, the clock, each ten seconds while there are series",
    waits: "pushed series wait for their items",
    on_panic: OnPanic::Reload,
};

/// How often stopped series are searched for.
const EXPIRE_EACH: Duration = Duration::from_secs(10);
/// How often the rows of all hosts are applied, with or without new series: the filter of a rule
/// may have changed.
const REFRESH_EACH: Duration = Duration::from_secs(300);
/// Rows of a host are applied at most this often …
const REST_MIN: Duration = Duration::from_millis(500);
/// … and take at most this share of the time.
const REST_TIMES: u64 = 10;
/// Pause after rows that could not be applied.
const RETRY: Duration = Duration::from_secs(10);

/// The worker.
pub struct SeriesDiscovery {
    receiver: Arc<SeriesReceiver>,
    is_loaded: bool,
    expired_ns: u64,
    refreshed_ns: u64,
}

impl std::fmt::Debug for SeriesDiscovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SeriesDiscovery")
    }
}

impl SeriesDiscovery {
    /// Woken by new series, and by those whose items are gone.
    #[must_use]
    pub fn new(receiver: Arc<SeriesReceiver>, wake: &Wake) -> Self {
        receiver.wakes(wake);
        let now_ns = receiver.clock.mono_ns();
        Self { receiver, is_loaded: false, expired_ns: now_ns, refreshed_ns: now_ns }
    }
}

impl Worker for SeriesDiscovery {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        let receiver = &self.receiver;
        if !std::mem::replace(&mut self.is_loaded, true) {
            receiver.load();
        }
        let is_over = |since_ns: u64, time| nanos(time) <= now.mono_ns.saturating_sub(since_ns);
        if is_over(self.expired_ns, EXPIRE_EACH) {
            self.expired_ns = now.mono_ns;
            receiver.expire();
        }
        if is_over(self.refreshed_ns, REFRESH_EACH) {
            self.refreshed_ns = now.mono_ns;
            receiver.lock().refresh();
        }
        let due = receiver.lock().take_due(now.mono_ns);
        for it in due {
            receiver.apply(&it);
        }
        let register = receiver.lock();
        let next = register.next_due().map_or(Next::WhenWoken, Next::At);
        if register.n_series() == 0 {
            return Ok(next);
        }
        let each = [(self.expired_ns, EXPIRE_EACH), (self.refreshed_ns, REFRESH_EACH)];
        let each = each.map(|(since_ns, time)| since_ns.saturating_add(nanos(time)));
        Ok(each.into_iter().fold(next, |next, at| next.or(Next::At(at))))
    }

    /// Applies the rows of all hosts once more: some may have been taken and not applied.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        self.is_loaded = false;
        self.receiver.lock().refresh();
        Ok(())
    }
}

impl SeriesReceiver {
    /// The objects that rules made before the start are known, so that they expire if they get no
    /// more values.
    fn load(&self) {
        let snapshot = self.configuration.snapshot();
        let now = self.clock.wall().clock();
        let with_rule = snapshot.hosts.values().filter(|it| rules(it).next().is_some());
        for host in with_rule {
            self.lock().load(host, now);
        }
    }

    fn expire(&self) {
        let lost_after = i64::try_from(self.settings.lost_after.as_secs()).unwrap_or(i64::MAX);
        let before = self.clock.wall().clock().saturating_sub(lost_after);
        let mut register = self.lock();
        let n_lost = register.expire(before);
        self.metrics.lost_series_total.add_n(n_lost);
        self.metrics.series.set_n(register.n_series());
    }

    fn apply(&self, due: &Due) {
        let started_ns = self.clock.mono_ns();
        let snapshot = self.configuration.snapshot();
        let rules: Vec<_> =
            snapshot.hosts.get(&due.host).into_iter().flat_map(|it| rules(it)).collect();
        let mut applied = Ok(());
        for rule in rules {
            self.metrics.discoveries_total.inc();
            applied = applied.and(self.store.discover(rule, &due.rows, self.clock.wall()));
        }
        let now_ns = self.clock.mono_ns();
        let mut register = self.lock();
        match applied {
            Ok(()) => {
                let rest = now_ns.saturating_sub(started_ns).saturating_mul(REST_TIMES);
                let not_before_ns = now_ns.saturating_add(rest.max(nanos(REST_MIN)));
                register.applied(due, &self.configuration.snapshot(), not_before_ns);
            }
            Err(why) => {
                self.metrics.discoveries_failed_total.inc();
                register.not_applied(due.host, now_ns.saturating_add(nanos(RETRY)));
                warn!(host = %due.host, why, "series of a host could not be discovered");
            }
        }
        self.metrics.series.set_n(register.n_series());
        self.changed.notify_all();
    }
}
