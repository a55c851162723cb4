//! Turns of the server's parts.

use std::cell::RefCell;
use std::convert::Infallible;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use engine::readers::{self, ReaderWork};
use engine::turn::Turn;
use model::batch::OwnedRaw;
use pipeline::HeavyJob;

use super::{Open, World};
use crate::outside::lock;
use crate::process::Busy;

impl World {
    pub(super) fn turn_of_shard(&mut self) {
        let at = self.random.below(usize::from(self.settings.n_shards));
        self.turn_of(at);
    }

    fn turn_of(&mut self, at: usize) -> Turn {
        self.summary.turns += 1;
        self.process().shards[at].turn(Duration::ZERO)
    }

    pub(super) fn turn_of_history_reader(&mut self) -> Turn {
        self.process().history_reader.turn(Duration::ZERO)
    }

    pub(super) fn turn_of_cross_item_queries(&mut self) -> Turn {
        let turn = self.process().cross_item_queries.turn(Duration::ZERO);
        self.summary.cross_item_queries += usize::from(turn == Turn::More);
        turn
    }

    pub(super) fn turn_of_events(&mut self) -> readers::ReaderTurn {
        let turn = self.process().events.turn(false);
        self.follows(turn)
    }

    pub(super) fn turn_of_discovery(&mut self) -> readers::ReaderTurn {
        let turn = self.process().discovery.turn(false);
        self.follows(turn)
    }

    pub(super) fn turn_of_remote(&mut self) -> readers::ReaderTurn {
        let turn = self.process().remote.turn(false);
        self.follows(turn)
    }

    pub(super) fn turn_of_archive(&mut self) -> readers::ReaderTurn {
        let turn = self.process().archive.turn(false);
        self.follows(turn)
    }

    /// No reader ever misses anything.
    fn follows(&mut self, turn: readers::ReaderTurn) -> readers::ReaderTurn {
        let issues = self.process().health.issues();
        assert!(turn != readers::ReaderTurn::Halted, "a reader has lost its place: {issues:?}");
        let n_damaged = self.process().reader_metrics.damaged_total.get();
        assert_eq!(n_damaged, 0, "no disk has damaged anything");
        turn
    }

    pub(super) fn save_events(&mut self) -> bool {
        self.process().saver.save()
    }

    /// Workers take jobs and come back from them, and somebody sees which do not.
    pub(super) fn turn_of_workers(&mut self) {
        if self.is_resting || self.random.once_in(3) {
            // Jobs that have not come back by now never will.
            self.bring_back();
            self.watch_workers();
        }
        for at in (0..self.process().workers.len()).rev() {
            if self.is_resting || self.random.once_in(2) {
                self.turn_of_worker(at);
            }
        }
    }

    fn turn_of_worker(&mut self, at: usize) {
        let busy = &mut self.process().workers[at];
        if let Some(job) = busy.job.take() {
            let done = busy.worker.run(&job);
            busy.worker.answer(done);
            self.summary.jobs += 1;
        } else if let Ok(job) = busy.worker.take(Duration::ZERO) {
            if self.is_late(&job) {
                let mut busy = self.process().workers.remove(at);
                let done = busy.worker.run(&job);
                assert_eq!(busy.worker.answer(done), Turn::Ended, "somebody has answered");
            } else {
                self.process().workers[at].job = Some(job);
            }
        }
    }

    /// All workers with a job do it.
    fn bring_back(&mut self) {
        for busy in &mut self.process.as_mut().expect("the process runs").workers {
            if let Some(job) = busy.job.take() {
                let done = busy.worker.run(&job);
                busy.worker.answer(done);
                self.summary.jobs += 1;
            }
        }
    }

    fn watch_workers(&mut self) {
        let n_lost = self.process().worker_parts.metrics.given_up_total.get();
        let process = self.process();
        let come = RefCell::new(Vec::new());
        process.worker_watch.turn(|worker| {
            come.borrow_mut().push(worker);
            Ok::<(), Infallible>(())
        });
        for worker in come.into_inner() {
            process.workers.push(Busy::new(&process.worker_parts, worker));
        }
        let n_lost = process.worker_parts.metrics.given_up_total.get() - n_lost;
        self.summary.lost_jobs += usize::try_from(n_lost).expect("few");
    }

    /// Now and then a worker that runs a script comes back too late: another one is in its place
    /// then.
    fn is_late(&mut self, job: &HeavyJob) -> bool {
        let OwnedRaw::Text(text) = job.value.as_ref() else { return false };
        let number = text.parse().ok().filter(|it| lock(&self.bugs).masters.contains(it));
        let Some(number) = number else { return false };
        if self.is_resting || !self.random.once_in(12) {
            return false;
        }
        lock(&self.bugs).excused.insert(number);
        self.bring_back();
        self.pass(15_000);
        self.watch_workers();
        true
    }

    /// Syncs, history files, checkpoints, and the journal's old files.
    pub(super) fn keep_house(&mut self) {
        let what = self.random.below(8);
        match what {
            0..=2 => self.sync(),
            3 => self.flush(),
            4..=5 => {
                self.process().housekeeper.begin_checkpoint();
                self.hurry();
            }
            6 => self.clear(),
            _ => {}
        }
        let n = self.random.below(12);
        for _ in 0..n {
            self.turn_of_housekeeper();
        }
    }

    /// Many small files, and now and then the hour is over, so that they become one.
    pub(super) fn merge(&mut self) {
        if self.random.once_in(4) {
            self.pass(3_600_000);
        } else {
            self.flush();
        }
        for _ in 0..self.random.below(4) {
            let process = self.process();
            let n_merges = process.merges.get();
            // A disk that fails now does so again.
            let _is_more = process.history.maintain(process.clock.now());
            let n_merged = process.merges.get() - n_merges;
            self.summary.merges += usize::try_from(n_merged).expect("few");
            if self.settings.crash_every != 0 && self.random.once_in(12) {
                // In the middle, or just behind it.
                self.cut_power();
                return;
            }
        }
    }

    /// A while in which almost nothing happens except progress of the checkpoint: each partition of
    /// each shard is requested by itself.
    fn hurry(&mut self) {
        for _ in 0..self.random.below(600) {
            if matches!(self.turn_of_housekeeper(), Turn::Idle(time) if !time.is_zero()) {
                // It is written; the next turn is the one that it may be ahead of.
                match self.random.below(3) {
                    0 if self.settings.crash_every != 0 => self.cut_power(),
                    1 => self.flush(),
                    _ => {}
                }
                return;
            }
            self.turn_of_shard();
        }
    }

    pub(super) fn sync(&mut self) {
        self.fault_disk.make_good(&self.machine.disk);
        self.process().sync.turn();
    }

    fn flush(&mut self) {
        // Values that can't be written stay where they are.
        let flushed = self.process().history.flush_once();
        self.summary.flushes += usize::from(matches!(flushed, Ok(Some(_))));
    }

    /// Somebody deletes the values of an item that no trigger reads.
    fn clear(&mut self) {
        if self.agents.is_empty() {
            return;
        }
        let at = self.random.below(self.agents.len());
        let item = self.agents[at].item;
        let process = self.process();
        let until = process.journal.next_lsn().0;
        let is_certain = process.history.clear(&[item]).is_ok();
        self.summary.cleared += usize::from(is_certain);
        self.cleared.entry(item).or_default().push((until, is_certain));
    }

    pub(super) fn turn_of_housekeeper(&mut self) -> Turn {
        let process = self.process();
        let metrics = process.housekeeping.metrics.clone();
        let n_files = process.journal.counters().files_removed;
        let n = metrics.checkpoints_total.get();
        let n_merges = process.merges.get();
        let synced = process.journal.synced().0;
        self.fault_disk.begin(synced);
        let process = self.process();
        let turn = process.housekeeper.turn(Duration::ZERO);
        self.fault_disk.end();
        let process = self.process();
        let n_gone = process.journal.counters().files_removed - n_files;
        let n_written = metrics.checkpoints_total.get() - n;
        let n_merged = process.merges.get() - n_merges;
        self.summary.journal_files_gone += usize::try_from(n_gone).expect("few");
        self.summary.checkpoints += usize::try_from(n_written).expect("few");
        self.summary.merges += usize::try_from(n_merged).expect("few");
        turn
    }

    /// Connections continue, and those with a response end.
    pub(super) fn poll(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        let mut at = 0;
        while at < self.connections.len() {
            let Poll::Ready(answer) = self.connections[at].request.as_mut().poll(&mut context)
            else {
                at += 1;
                continue;
            };
            let Open { what, .. } = self.connections.remove(at);
            match answer {
                Ok(outcome) => self.answered(what, outcome),
                // It is unknown whether it is written: an agent sends it again.
                Err(_closed) => {}
            }
        }
        self.hear_of_closings();
    }

    /// Each part has its turn. Whether none had anything to do.
    pub(super) fn round(&mut self) -> bool {
        let mut is_idle = true;
        self.poll();
        for at in 0..usize::from(self.settings.n_shards) {
            is_idle &= matches!(self.turn_of(at), Turn::Idle(_));
        }
        is_idle &= matches!(self.turn_of_history_reader(), Turn::Idle(_));
        is_idle &= matches!(self.turn_of_cross_item_queries(), Turn::Idle(_));
        self.turn_of_workers();
        is_idle &= self.process().workers.iter().all(|it| it.job.is_none());
        self.fault_disk.make_good(&self.machine.disk);
        self.process().sync.turn();
        is_idle &= matches!(self.turn_of_housekeeper(), Turn::Idle(it) if !it.is_zero());
        is_idle &= self.turn_of_events() == readers::ReaderTurn::Idle;
        is_idle &= !self.save_events();
        is_idle &= self.turn_of_discovery() == readers::ReaderTurn::Idle;
        let remote = self.turn_of_remote();
        is_idle &= matches!(remote, readers::ReaderTurn::Gather | readers::ReaderTurn::Idle);
        is_idle &= self.turn_of_archive() == readers::ReaderTurn::Idle;
        is_idle
    }
}
