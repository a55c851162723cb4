//! Values that have waited go on: see [`super::pending`].

use std::sync::Arc;

use directory::HostPlan;
use directory::steps::{StepInput, data_of};
use preprocess::{Data, Trail};

use super::Shard;
use super::pending::{Next, ValueMeta};
use super::state::ENABLED;
use crate::effects::Effects;
use crate::heavy::HeavyDone;

impl Shard {
    /// Puts jobs into the effects, as many as may be under way.
    pub(super) fn issue(&mut self, effects: &mut Effects) {
        let n_before = effects.heavy.len() as u64;
        while let Some(at) = self.pending_queues.issue(&self.items, &self.hosts, effects) {
            self.drop_first(at, effects);
            self.go_on(at, effects);
        }
        self.counters.heavy_jobs += effects.heavy.len() as u64 - n_before;
        self.pending_queues.settle(effects);
    }

    /// Takes answers of workers, each once.
    pub(super) fn heavy_done(&mut self, answers: &[HeavyDone], effects: &mut Effects) {
        for answer in answers {
            let Some(job) = self.pending_queues.take_job(answer.ticket) else {
                self.counters.heavy_ignored += 1;
                continue;
            };
            let mut is_of_use = false;
            for (task, at) in job.slots().iter().enumerate() {
                if self.pending_queues.was_asked(*at, answer.ticket) {
                    is_of_use = true;
                    self.answered_heavy(*at, (answer, task), effects);
                }
            }
            self.pending_queues.has_taken(&job, is_of_use.then_some(answer.spent_ns));
            self.counters.heavy_ignored += u64::from(!is_of_use);
        }
    }

    fn answered_heavy(
        &mut self,
        at: u32,
        (answer, task): (&HeavyDone, usize),
        effects: &mut Effects,
    ) {
        let Some(slot) = self.items.slot(at) else { return };
        let Some(pending) = self.pending_queues.begin_answered(at) else { return };
        self.enter(&slot, at, pending.time, effects);
        let step = usize::from(pending.step);
        let raw = self.pending_queues.raw_of(&pending);
        let value = data_of(raw.as_ref().as_ref()).unwrap_or(Data::text(""));
        if let Some(rows) = answer.rows(task) {
            self.send_rows((at, &slot), (step, pending.time), rows, effects);
        }
        let trail = match pending.trail.as_deref() {
            Some(it) => it.clone(),
            None => Trail::of(step, &value),
        };
        let entry = StepInput::Resumed { step, trail, result: answer.result(task) };
        let progress = self.preprocess(at, &slot, entry, pending.time, effects);
        let waits = self.progressed(at, &slot, ValueMeta::of(&pending), progress, effects);
        self.pending_queues.ends();
        if waits {
            self.pending_queues.has_moved_on(at, &pending);
        } else {
            self.pending_queues.finished(at, &pending, effects);
            self.go_on(at, effects);
        }
    }

    fn drop_first(&mut self, at: u32, effects: &mut Effects) {
        let has_dropped = self.pending_queues.drop_first(at, effects);
        self.counters.pending_dropped += u64::from(has_dropped);
    }

    /// Takes up the values of a line until one has to wait for a job.
    fn go_on(&mut self, at: u32, effects: &mut Effects) {
        let Some(slot) = self.items.slot(at) else { return };
        loop {
            let pending = match self.pending_queues.take_up(&self.items, &self.hosts, at) {
                Next::Nothing => break,
                Next::Job => return,
                Next::Stale => {
                    self.drop_first(at, effects);
                    continue;
                }
                Next::Value(it) => it,
            };
            self.enter(&slot, at, pending.time, effects);
            let raw = self.pending_queues.raw_of(&pending);
            let entry = StepInput::Raw(raw.as_ref().as_ref(), None);
            let progress = self.preprocess(at, &slot, entry, pending.time, effects);
            let waits = self.progressed(at, &slot, ValueMeta::of(&pending), progress, effects);
            self.pending_queues.ends();
            if waits {
                self.pending_queues.has_moved_on(at, &pending);
                return;
            }
            self.pending_queues.finished(at, &pending, effects);
        }
        self.pending_queues.end_queue(&mut self.items, at);
    }

    /// After a change of these hosts.
    pub(super) fn review_lines(&mut self, plans: &[Arc<HostPlan>], effects: &mut Effects) {
        for at in self.pending_queues.slots_of(plans) {
            self.review_line(at, effects);
        }
    }

    /// After a start: waiting values go on.
    pub(super) fn review_all_lines(&mut self, effects: &mut Effects) {
        let n_dropped = self.pending_queues.review_fan_outs(&mut self.items, &self.hosts);
        self.counters.pending_dropped += n_dropped as u64;
        for at in self.pending_queues.slots() {
            self.review_line(at, effects);
        }
    }

    /// After a change of configuration: values that wait at a slot go on, or are dropped.
    fn review_line(&mut self, at: u32, effects: &mut Effects) {
        self.pending_queues.take_back(at);
        if self.items.get(at).is_some_and(|it| it.has(ENABLED)) {
            self.go_on(at, effects);
            return;
        }
        let n_dropped = self.pending_queues.forget(&mut self.items, at, Some(effects));
        self.counters.pending_dropped += n_dropped as u64;
    }

    /// A value during which a panic happened makes its item unsupported and waits no longer.
    pub(super) fn spoil_lines(&mut self, effects: &mut Effects) {
        let Some(at) = self.pending_queues.take_spoiled(&mut self.items, effects) else { return };
        let Some(slot) = self.items.slot(at) else { return };
        let why = "internal error while processing the value".into();
        self.unsupported(at, &slot, self.now.wall, why, effects);
    }
}
