//! What follows of problems from hosts, settings and the clock: ranks of those whose hosts' parents are down, and
//! triggers that change too often.
//!
//! Both are derived: found at the start, at once when what they depend on changes, and as time passes.

use std::time::Duration;

use db::Db;
use model::snapshot::Snapshot;
use rt::clock::Clock;
use rt::shutdown::Shutdown;

/// Between two looks at the clock.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

pub(super) struct ProblemRanks {
    db: Db,
    clock: Clock,
}

/// Takes over when triggers are flapping.
fn follow_rule(db: &Db, snapshot: &Snapshot, clock: &Clock) {
    let (rule, events) = (snapshot.globals.settings.flapping, db.events());
    if events.flapping_rule() != rule {
        events.set_flapping(rule, clock.wall());
    }
}

impl ProblemRanks {
    /// Ranks for the first time, and whenever the configuration changes from now on.
    pub(super) fn new(db: Db, clock: Clock) -> Self {
        let (of_db, of_clock) = (db.clone(), clock.clone());
        // At once: actions judge a problem by the rule and the parents that were in force when it began.
        db.subscribe(Box::new(move |snapshot, delta| {
            follow_rule(&of_db, snapshot, &of_clock);
            if of_db.topology().depends_on(snapshot, delta) {
                of_db.rank_by_parents(snapshot, of_clock.wall());
            }
        }));
        let snapshot = db.snapshot();
        db.rank_by_parents(&snapshot, clock.wall());
        follow_rule(&db, &snapshot, &clock);
        Self { db, clock }
    }

    /// Goes on until shutdown. Blocking.
    pub(super) fn run(&self, shutdown: &Shutdown) {
        while !shutdown.wait(LOOK_INTERVAL) {
            self.db.events().pass(self.clock.wall());
        }
    }
}
