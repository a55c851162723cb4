//! Who is in maintenance: found out at the beginning of each minute, as in Zabbix, and at once when
//! maintenances, hosts or groups change. Shards are told of which hosts no values are taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use db::{Db, Maintained};
use engine::mailboxes::{Mailboxes, ShardMessage};
use model::Time;
use pipeline::HostWithoutData;
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
        /// Of these, hosts of which no values are taken.
        pub(super) hosts_without_data: Gauge,
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
    mailboxes: Mailboxes,
    without_data: Arc<[HostWithoutData]>,
    /// Shards that do not know of it yet.
    untold: Vec<u16>,
}

impl MaintenanceTimer {
    /// Finds out for the first time, and hears of changes from now on.
    pub(super) fn new(
        db: Db,
        clock: Clock,
        mailboxes: Mailboxes,
        metrics: MaintenanceMetrics,
    ) -> Self {
        let has_changes: Arc<AtomicBool> = Arc::default();
        let of_db = Arc::clone(&has_changes);
        db.subscribe(Box::new(move |snapshot, delta| {
            if Maintained::depends_on(snapshot, delta) {
                of_db.store(true, Ordering::Release);
            }
        }));
        let mut timer = Self {
            db,
            clock,
            metrics,
            has_changes,
            minute: 0,
            // What they know from their journal may be over.
            untold: (0..mailboxes.n_shards()).collect(),
            mailboxes,
            without_data: Arc::default(),
        };
        timer.turn();
        timer
    }

    /// Goes on until shutdown. Blocking.
    pub(super) fn run(&mut self, shutdown: &Shutdown) {
        while !shutdown.wait(LOOK_INTERVAL) {
            self.turn();
        }
    }

    fn turn(&mut self) {
        self.look();
        let (mailboxes, hosts) = (&self.mailboxes, &self.without_data);
        // A full mailbox is tried again with the next turn.
        self.untold.retain(|shard| {
            mailboxes.try_send(*shard, ShardMessage::WithoutData(Arc::clone(hosts))).is_err()
        });
    }

    fn look(&mut self) {
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
        let without_data: Vec<HostWithoutData> = maintained
            .without_data()
            .into_iter()
            .map(|(host, it)| HostWithoutData {
                host,
                maintenance: it.id,
                since: Time::from_clock(it.since, 0),
                until: Time::from_clock(it.until, 0),
            })
            .collect();
        self.metrics.hosts_without_data.set_n(without_data.len());
        if *self.without_data != *without_data {
            self.without_data = without_data.into();
            self.untold = (0..self.mailboxes.n_shards()).collect();
        }
        let took_ns = self.clock.mono_ns().saturating_sub(started_ns);
        self.metrics.evaluation_seconds.observe_ns(took_ns);
    }
}
