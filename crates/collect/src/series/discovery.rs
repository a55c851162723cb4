//! Applies the rows of hosts to their rules: new series get items, those that stopped are lost.

use std::sync::PoisonError;
use std::time::Duration;

use rt::clock::nanos;
use rt::shutdown::Shutdown;
use tracing::warn;

use super::receiver::SeriesReceiver;
use super::register::{Due, rules};

/// How often it is looked which series have stopped.
const EXPIRE_EACH: Duration = Duration::from_secs(10);
/// How often the rows of all hosts are applied, whether there is news or not: the filter of a rule may be
/// another one.
const REFRESH_EACH: Duration = Duration::from_secs(300);
/// Between two looks for the end of the process.
const IDLE: Duration = Duration::from_millis(500);
/// Rows of a host are applied at most each so often …
const REST_MIN: Duration = Duration::from_millis(500);
/// … and take at most this share of the time.
const REST_TIMES: u64 = 10;
/// After rows that could not be applied.
const RETRY: Duration = Duration::from_secs(10);

impl SeriesReceiver {
    /// Goes on until shutdown. Blocking.
    pub fn discover(&self, shutdown: &Shutdown) {
        self.load();
        let mut expired_ns = self.clock.mono_ns();
        let mut refreshed_ns = expired_ns;
        while !shutdown.is_cancelled() {
            let now_ns = self.clock.mono_ns();
            if nanos(EXPIRE_EACH) <= now_ns.saturating_sub(expired_ns) {
                expired_ns = now_ns;
                self.expire();
            }
            if nanos(REFRESH_EACH) <= now_ns.saturating_sub(refreshed_ns) {
                refreshed_ns = now_ns;
                self.lock().refresh();
            }
            let due = self.wait_for_due();
            for it in due {
                self.apply(&it);
            }
        }
    }

    /// What rules made before the start is known, so that it gets lost if it has no values any more.
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

    /// Waits a little for rows to apply.
    fn wait_for_due(&self) -> Vec<Due> {
        let mut register = self.lock();
        let now_ns = self.clock.mono_ns();
        let due_ns = register.next_due();
        if due_ns.is_none_or(|it| now_ns < it) {
            let left = due_ns.map_or(nanos(IDLE), |it| it.saturating_sub(now_ns).min(nanos(IDLE)));
            let waited = self.changed.wait_timeout(register, Duration::from_nanos(left));
            register = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        register.take_due(self.clock.mono_ns())
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
