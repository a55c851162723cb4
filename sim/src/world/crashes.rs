//! Ends of the process, and the starts that follow.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use engine::housekeeping::LastHousekeeping;
use engine::readers::{self, ReaderWork};
use engine::turn::Turn;
use model::Time;

use super::{Defect, STUCK, World};
use crate::process::{Process, Start};

impl World {
    /// The process ends in one way or another.
    pub(super) fn crash(&mut self) {
        if self.machine.is_power_off() {
            self.cut_power();
            return;
        }
        match self.random.below(if self.machine.is_ending() { 2 } else { 5 }) {
            0 => self.cut_power(),
            1..=3 => self.kill(),
            _ => self.stop(),
        }
    }

    fn count_cut_off(&mut self) {
        let shards = &self.process().shards;
        let waiting: usize = shards.iter().map(|it| it.sizes().evaluations_deferred).sum();
        self.summary.cut_off += waiting;
    }

    /// Everything of the process is gone at once.
    fn end(&mut self) {
        self.count_cut_off();
        self.connections.clear();
        self.closings.clear();
        self.process = None;
    }

    pub(super) fn kill(&mut self) {
        self.summary.kills += 1;
        let end = self.process().journal.next_lsn().0;
        self.end();
        self.machine.disk.restart_after_kill();
        self.start();
        let found = self.process().found;
        assert!(end <= found, "a kill takes nothing that was written: {found} of {end}");
    }

    pub(super) fn cut_power(&mut self) {
        self.summary.power_cuts += 1;
        let synced = self.process().journal.synced().0;
        let synced = self.fault_disk.durable(synced);
        self.end();
        self.machine.disk.restart_after_power_cut();
        self.start();
        let found = self.process().found;
        assert!(synced <= found, "a power cut takes nothing that was synced: {found} of {synced}");
        let n_before = self.acknowledged.len() + self.sessions.acknowledged.len();
        if !self.settings.syncs_each() {
            // Records after the last sync may be lost.
            self.acknowledged.retain(|_, lsn| *lsn <= synced);
            let of_agents = std::mem::take(&mut self.sessions.acknowledged);
            let (kept, lost) = of_agents.into_iter().partition(|it| it.1 <= synced);
            self.sessions.acknowledged = kept;
            let lost: BTreeMap<u64, u64> = lost;
            self.sessions.lost.extend(lost.into_keys());
            self.closed.retain(|_, lsn| *lsn <= synced);
        }
        let n_after = self.acknowledged.len() + self.sessions.acknowledged.len();
        self.summary.lost_in_power_cuts += n_before - n_after;
    }

    /// A planned stop: input ends, the shards process their queues while the last checkpoint is
    /// written, then the readers go to the journal's end.
    fn stop(&mut self) {
        self.process().housekeeper.give_up();
        let mut last = LastHousekeeping::new(self.process().housekeeping.clone());
        let n_before = self.process().housekeeping.metrics.checkpoints_total.get();
        for n in 0.. {
            self.poll();
            self.turns_of_shards();
            if last.turn(Duration::ZERO) == Turn::Ended {
                break;
            }
            if self.machine.is_ending() || self.machine.is_power_off() {
                // The disk does not come back: no longer planned.
                self.crash();
                return;
            }
            assert!(n < STUCK, "the last checkpoint does not end");
            self.pass(1);
        }
        let n_written = self.process().housekeeping.metrics.checkpoints_total.get() - n_before;
        self.summary.checkpoints += usize::try_from(n_written).expect("few");
        self.process().drained.store(true, Ordering::Relaxed);
        for n in 0.. {
            self.poll();
            if self.turns_of_shards() {
                break;
            }
            // Its hard stop.
            if STUCK / 10 < n {
                self.process().shards.iter_mut().for_each(|it| it.give_up_forwarding());
            }
            assert!(n < STUCK, "the shards do not end");
            self.pass(1);
        }
        self.process().sync.turn();
        let is_done = |turn| turn != readers::ReaderTurn::More;
        while !is_done(self.process().events.turn(true)) {}
        self.save_events();
        while !is_done(self.process().discovery.turn(true)) {}
        while !is_done(self.process().remote.turn(true)) {}
        self.poll();
        let end = self.process().journal.next_lsn().0;
        if self.machine.is_power_off() {
            self.cut_power();
            return;
        }
        self.summary.stops += 1;
        self.end();
        self.machine.disk.restart_after_kill();
        self.start();
        let found = self.process().found;
        assert!(end <= found, "a stop takes nothing that was written: {found} of {end}");
    }

    /// Whether all have ended.
    fn turns_of_shards(&mut self) -> bool {
        self.summary.turns += 1;
        let shards = self.process().shards.iter_mut();
        let ended = shards.filter_map(|it| (it.turn(Duration::ZERO) == Turn::Ended).then_some(()));
        ended.count() == usize::from(self.settings.n_shards)
    }

    /// A start of the process.
    pub(super) fn start(&mut self) {
        self.now_ms += 5_000;
        // Nobody can start without it.
        self.database.with(|it| it.is_away = false);
        let start = Start {
            n_shards: self.settings.n_shards,
            mailbox: self.settings.mailbox,
            sync_each: self.settings.syncs_each(),
            hash_seed: self.random.next(),
            counts_unsaved: self.settings.defect == Some(Defect::UnsavedCounts),
            wall: Time::from_millis(self.now_ms + self.skew_ms),
            snapshot: Arc::clone(&self.snapshot),
            machine: &self.machine,
            disk: self.fault_disk.disk(&self.machine.disk),
            database: &self.database,
            remote: &self.remote,
            archive: &self.archive,
            bugs: &self.bugs,
            flaws: &self.flaws,
        };
        let process = Process::start(&start);
        self.process = Some(process.unwrap_or_else(|error| panic!("the server starts: {error}")));
        let level = self.process().health.issues();
        assert!(level.is_empty(), "all is well after a start: {level:?}");
        self.process().shards.iter_mut().for_each(|it| it.begin());
    }
}
