//! What follows of problems from hosts, settings and the clock: ranks of those whose hosts' parents are down, and
//! triggers that change too often.
//!
//! Both are derived: found at the start, at once when what they depend on changes, and as time passes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use db::Db;
use model::snapshot::Snapshot;
use rt::clock::Clock;
use rt::shutdown::Shutdown;

/// Between two looks at changes and the clock.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

pub(super) struct ProblemRanks {
    db: Db,
    clock: Clock,
    has_changes: Arc<AtomicBool>,
}

/// Takes over when triggers are flapping.
fn follow_rule(db: &Db, snapshot: &Snapshot, clock: &Clock) {
    let (rule, events) = (snapshot.globals.settings.flapping, db.events());
    if events.flapping_rule() != rule {
        events.set_flapping(rule, clock.wall());
    }
}

impl ProblemRanks {
    /// Ranks for the first time, and hears of changes from now on.
    pub(super) fn new(db: Db, clock: Clock) -> Self {
        let has_changes: Arc<AtomicBool> = Arc::default();
        let (of_db, flag) = (db.clone(), Arc::clone(&has_changes));
        let of_clock = clock.clone();
        db.subscribe(Box::new(move |snapshot, delta| {
            // At once: actions judge a problem by the rule that was in force when it began.
            follow_rule(&of_db, snapshot, &of_clock);
            if of_db.topology().depends_on(snapshot, delta) {
                flag.store(true, Ordering::Release);
            }
        }));
        db.rank_by_parents(clock.wall());
        follow_rule(&db, &db.snapshot(), &clock);
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
            self.db.events().pass(now);
        }
    }
}
