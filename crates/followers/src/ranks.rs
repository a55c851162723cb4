//! State of problems that follows from hosts, settings and the clock: ranks of those whose hosts'
//! parents are down, and triggers that change too often.
//!
//! Both are derived: found at the start, at once when what they depend on changes, and as time passes.

use std::convert::Infallible;

use db::Db;
use model::Now;
use model::snapshot::Snapshot;
use rt::clock::Clock;
use rt::worker::{Next, OnPanic, Worker, WorkerFailure, WorkerRow};

/// In the list of what runs.
pub const ROW: WorkerRow = WorkerRow {
    name: "ranks",
    job: "makes problems causes again that outlived those of their parents, and ends flapping",
    woken_by: "the clock, each second",
    waits: "ranks of problems and the end of flapping wait",
    on_panic: OnPanic::Reload,
};

/// The worker.
pub struct ProblemRanks {
    db: Db,
}

opaque_debug!(ProblemRanks);

/// Takes over when triggers are flapping.
fn follow_rule(db: &Db, snapshot: &Snapshot, clock: &Clock) {
    let (rule, events) = (snapshot.globals.settings.flapping, db.events());
    if events.flapping_rule() != rule {
        events.set_flapping(rule, clock.wall());
    }
}

impl ProblemRanks {
    /// Ranks for the first time, and whenever the configuration changes from now on.
    #[must_use]
    pub fn new(db: Db, clock: &Clock) -> Self {
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
        follow_rule(&db, &snapshot, clock);
        Self { db }
    }
}

impl Worker for ProblemRanks {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        self.db.events().pass(now.wall);
        // Flapping and the delay after a parent's end are given in seconds.
        Ok(Next::at_next_second(now))
    }

    /// Nothing is kept here, and no row is the cause: all is found at once.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }
}
