//! Who is in maintenance: found out at the beginning of each minute, as in Zabbix, and at once when
//! maintenances, hosts or groups change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use db::{Db, Maintained};
use rt::clock::Clock;
use rt::metrics::{Gauge, TimeHistogram};
use rt::shutdown::Shutdown;

/// Between two looks at the clock and at changes.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

rt::metrics! {
    /// Hosts in maintenance.
    pub(super) struct MaintenanceMetrics in "saker_maintenance" {
        /// Hosts that are in maintenance now.
        pub(super) hosts: Gauge,
        /// Time to find out which hosts are in maintenance and which problems that suppresses, in seconds.
        pub(super) evaluation_seconds: TimeHistogram,
    }
}

pub(super) struct MaintenanceTimer {
    db: Db,
    clock: Clock,
    metrics: MaintenanceMetrics,
    has_changes: Arc<AtomicBool>,
    /// That was last looked at.
    minute: i64,
}

impl MaintenanceTimer {
    /// Finds out for the first time, and hears of changes from now on.
    pub(super) fn new(db: Db, clock: Clock, metrics: MaintenanceMetrics) -> Self {
        let has_changes: Arc<AtomicBool> = Arc::default();
        let of_db = Arc::clone(&has_changes);
        db.subscribe(Box::new(move |snapshot, delta| {
            if Maintained::depends_on(snapshot, delta) {
                of_db.store(true, Ordering::Release);
            }
        }));
        let mut timer = Self { db, clock, metrics, has_changes, minute: 0 };
        timer.turn();
        timer
    }

    /// Goes on until shutdown. Blocking.
    pub(super) fn run(mut self, shutdown: &Shutdown) {
        while !shutdown.wait(LOOK_INTERVAL) {
            self.turn();
        }
    }

    fn turn(&mut self) {
        let now = self.clock.wall();
        let minute = now.clock().div_euclid(60);
        // Whatever changes from here on is seen in the next turn.
        let has_changes = self.has_changes.swap(false, Ordering::AcqRel);
        if minute == self.minute && !has_changes {
            return;
        }
        self.minute = minute;
        let started_ns = self.clock.mono_ns();
        let maintained = self.db.maintain(now);
        self.metrics.hosts.set_n(maintained.hosts().count());
        let took_ns = self.clock.mono_ns().saturating_sub(started_ns);
        self.metrics.evaluation_seconds.observe_ns(took_ns);
    }
}
