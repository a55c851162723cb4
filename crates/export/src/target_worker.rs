//! The worker of a target: it gives the target's [`ExportFeed`] its turns.
//!
//! After the last synced record it waits for the next sync, and pauses for [`REST`] after each
//! turn, so that records of that time go in one batch. Rows that a target does not take are tried
//! again after the feed's own pauses, which syncs do not shorten and changes of a connector do.
//! After a panic the feed is lost, and a new one continues from the saved place.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use journal::{Following, Journal};
use model::time::Now;
use rt::clock::{Clock, nanos};
use rt::worker::{Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};

use crate::feed::{ExportFeed, ExportTurn};

/// After a turn a target leaves as much time for the next batch to gather.
const REST: Duration = Duration::from_millis(500);

const WAITS: &str = "values and problems wait to be exported, and the journal keeps them";

/// In the list of workers.
pub(crate) const FILES: WorkerRow = WorkerRow {
    name: "export-files",
    job: "writes values, trends and problems to files",
    woken_by: "records that are synced, the time of the next attempt",
    waits: WAITS,
    on_panic: OnPanic::Reload,
};

/// In the list of workers.
pub(crate) const ELASTICSEARCH: WorkerRow = WorkerRow {
    name: "export-elasticsearch",
    job: "sends values, trends and problems to Elasticsearch",
    ..FILES
};

/// In the list of workers.
pub(crate) const REMOTE_WRITE: WorkerRow = WorkerRow {
    name: "export-remote-write",
    job: "sends values to a receiver of Prometheus's remote write",
    ..FILES
};

/// In the list of workers; each connector has a worker, `export-connector-ID`.
pub(crate) const CONNECTORS: WorkerRow = WorkerRow {
    name: "export-connector",
    job: "sends values or problems to the URL of a connector",
    woken_by: "records that are synced, changes of the connector, the time of the next attempt",
    ..FILES
};

/// Whether a target is enabled: the configuration writes, the worker reads.
#[derive(Debug)]
pub(crate) struct Switch(Mutex<Switched>);

#[derive(Debug)]
struct Switched {
    state: SwitchState,
    /// Since the worker looked.
    is_changed: bool,
    worker: Option<Wake>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SwitchState {
    Enabled,
    /// Nothing is sent and no place is kept.
    Disabled,
    /// It is gone for good.
    Removed,
}

impl Switch {
    pub(crate) fn new() -> Self {
        let state = SwitchState::Enabled;
        Self(Mutex::new(Switched { state, is_changed: false, worker: None }))
    }

    /// Has the worker check the switch and its settings.
    pub(crate) fn set(&self, state: SwitchState) {
        let mut switched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (switched.state, switched.is_changed) = (state, true);
        let worker = switched.worker.clone();
        drop(switched);
        worker.inspect(Wake::wake);
    }

    fn reach(&self, worker: &Wake) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).worker = Some(worker.clone());
    }

    /// The state, and whether it or the settings were changed since this was last asked.
    fn look(&self) -> (SwitchState, bool) {
        let mut switched = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (switched.state, std::mem::take(&mut switched.is_changed))
    }
}

/// Syncs of the journal, which wake a target while it waits for them.
struct Syncs {
    is_awaited: Arc<AtomicBool>,
    _following: Following,
}

impl Syncs {
    fn new(journal: &Journal, wake: &Wake) -> Self {
        let is_awaited = Arc::new(AtomicBool::new(false));
        let (of_journal, wake) = (Arc::clone(&is_awaited), wake.clone());
        let following = journal.follow_synced(move || {
            if of_journal.load(Ordering::Relaxed) {
                wake.wake();
            }
        });
        Self { is_awaited, _following: following }
    }
}

/// Gives a target its turns.
pub(crate) struct TargetWorker {
    switch: Arc<Switch>,
    clock: Clock,
    new_feed: Box<dyn Fn() -> ExportFeed + Send>,
    /// `None`: the last turn ended by a panic, or the target is disabled.
    feed: Option<ExportFeed>,
    /// The journal is kept for it.
    is_followed: bool,
    syncs: Syncs,
    /// Syncs cause no turn before this time.
    not_before_ns: u64,
}

/// Parts of the worker of a target.
pub(crate) struct TargetParts {
    pub(crate) switch: Arc<Switch>,
    pub(crate) clock: Clock,
    pub(crate) new_feed: Box<dyn Fn() -> ExportFeed + Send>,
}

impl TargetWorker {
    /// Before this returns the journal is kept for the target.
    pub(crate) fn new(parts: TargetParts, journal: &Journal, wake: &Wake) -> Self {
        let TargetParts { switch, clock, new_feed } = parts;
        switch.reach(wake);
        let (feed, syncs) = (Some(new_feed()), Syncs::new(journal, wake));
        Self { switch, clock, new_feed, feed, is_followed: true, syncs, not_before_ns: 0 }
    }

    /// Taken out for a turn, so that a panic leaves none behind that is half changed.
    fn take_feed(&mut self) -> ExportFeed {
        self.is_followed = true;
        self.feed.take().unwrap_or_else(|| (self.new_feed)())
    }

    /// It is not wanted any more: no place is kept.
    fn end(&mut self) {
        if self.is_followed {
            self.take_feed().end();
            self.is_followed = false;
        }
    }

    fn wait_for_sync(&mut self, feed: &ExportFeed) -> Next {
        self.syncs.is_awaited.store(true, Ordering::Relaxed);
        let rested = Next::At(self.not_before_ns);
        // After the flag is set: a sync before this is seen here, a later one wakes the worker.
        if feed.is_behind() {
            return rested;
        }
        feed.next_save_ns().map_or(Next::WhenWoken, |at| Next::At(at.max(self.not_before_ns)))
    }
}

impl Worker for TargetWorker {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        self.syncs.is_awaited.store(false, Ordering::Relaxed);
        let (state, is_changed) = self.switch.look();
        if state != SwitchState::Enabled {
            self.end();
            self.not_before_ns = 0;
            let is_gone = state == SwitchState::Removed;
            return Ok(if is_gone { Next::Ended } else { Next::WhenWoken });
        }
        if now.mono_ns < self.not_before_ns && !is_changed {
            return Ok(Next::At(self.not_before_ns));
        }
        let mut feed = self.take_feed();
        let turn = feed.turn(false);
        let pause = match turn {
            ExportTurn::More => Duration::ZERO,
            ExportTurn::Idle => REST,
            ExportTurn::Retry(pause) => pause,
        };
        self.not_before_ns = self.clock.mono_ns().saturating_add(nanos(pause));
        let next = match turn {
            ExportTurn::More => Next::More,
            ExportTurn::Idle => self.wait_for_sync(&feed),
            ExportTurn::Retry(_) => Next::At(self.not_before_ns),
        };
        self.feed = Some(feed);
        Ok(next)
    }

    /// The next turn begins with a new feed where one was lost.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }

    /// Delivers the records of the journal. Undelivered ones are read again by the next start: the
    /// journal keeps them.
    fn stop(&mut self) -> Result<(), Infallible> {
        if self.switch.look().0 != SwitchState::Enabled {
            self.end();
            return Ok(());
        }
        let mut feed = self.take_feed();
        while feed.turn(true) == ExportTurn::More {}
        Ok(())
    }
}

#[cfg(test)]
mod tests;
