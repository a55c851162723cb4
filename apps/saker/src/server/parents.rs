//! Problems of hosts whose parents are down: their ranks follow changes of hosts at once, and the clock each
//! second, because a host counts as down for some time behind its last problem.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use db::Db;
use rt::clock::Clock;
use rt::shutdown::Shutdown;

/// Between two looks at changes and the clock.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

pub(super) struct ParentRanks {
    db: Db,
    clock: Clock,
    has_changes: Arc<AtomicBool>,
}

impl ParentRanks {
    /// Ranks for the first time, and hears of changes from now on.
    pub(super) fn new(db: Db, clock: Clock) -> Self {
        let has_changes: Arc<AtomicBool> = Arc::default();
        let (of_db, flag) = (db.clone(), Arc::clone(&has_changes));
        db.subscribe(Box::new(move |snapshot, delta| {
            if of_db.topology().depends_on(snapshot, delta) {
                flag.store(true, Ordering::Release);
            }
        }));
        db.rank_by_parents(clock.wall());
        Self { db, clock, has_changes }
    }

    /// Goes on until shutdown. Blocking.
    pub(super) fn run(self, shutdown: &Shutdown) {
        while !shutdown.wait(LOOK_INTERVAL) {
            let now = self.clock.wall();
            // Whatever changes from here on is seen in the next turn.
            if self.has_changes.swap(false, Ordering::AcqRel) {
                self.db.rank_by_parents(now);
            }
            self.db.events().leave_parents(now);
        }
    }
}
