//! After a panic in a step, or one whose record the journal could never take.
//!
//! The step may have changed a part of the shard's state, and nothing of it is durable. So the shard
//! is built anew as at a start, from checkpoint and journal ([`pipeline::Shard::go_on_for`]), and the
//! input comes once more: values and forwarded rows one by one, each with a record of its own. What
//! panics again is left out, said in the log and, where it is the value of an item, at the item. An item
//! that makes steps panic again and again is set aside ([`pipeline::Shard::set_aside`]).
//! Answers of workers and of readers across items are not tried again: there is no telling whether
//! they were the reason, and what they answer is asked again in time.
//!
//! Should the shard not come up again, the thread ends, and the process with it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use model::batch::{Batch, RawRef, Run};
use model::map::Map;
use model::{ItemId, Now};
use pipeline::{
    Effects, FetchFailed, Fetched, ForwardBatch, Input, Interrupted, PlanDelta, RunResult, Shard,
    WholePlan,
};
use tracing::error;

use super::{ShardThread, Unwritten};
use crate::server::checkpoint::Checkpoints;
use crate::server::open;

/// Answers of history that one item's windows may panic over; after that it gets none.
const BAD_WINDOWS_MAX: u32 = 2;

/// Inputs of one item that may panic within [`PANICS_FOR`]; after that it is set aside.
const PANICS_MAX: usize = 3;
const PANICS_FOR: Duration = Duration::from_secs(3_600);

/// What a shard is built of anew, beside the journal.
pub(in crate::server) struct Materials {
    checkpoints: Arc<Checkpoints>,
    plan: WholePlan,
    /// When inputs panicked that were one item's, by item; monotonic nanoseconds.
    panics: Map<ItemId, Vec<u64>>,
    /// Whether the last attempt failed by a panic.
    has_panicked: bool,
    /// Answers of history that panicked, by item.
    bad_windows: Map<ItemId, u32>,
}

impl Materials {
    pub(in crate::server) fn new(checkpoints: Arc<Checkpoints>, plan: WholePlan) -> Self {
        let (panics, bad_windows) = (Map::default(), Map::default());
        Self { checkpoints, plan, panics, has_panicked: false, bad_windows }
    }
}

impl ShardThread {
    /// Takes over a configuration.
    pub(super) fn configure(&mut self, now: Now, plan: PlanDelta) {
        self.materials.plan.take(&plan);
        self.effects.clear();
        let (shard, effects) = (&mut self.shard, &mut self.effects);
        if !survives(|| shard.configure(plan, now, effects)) {
            self.has_failed();
            self.rebuild(now, Interrupted::Again);
        }
        // Who is not aside any more has all tries again.
        let shard = &self.shard;
        self.materials.panics.retain(|item, it| it.len() < PANICS_MAX || shard.is_aside(*item));
        self.commit_or_leave_out();
        let gone = self.shard.take_gone();
        if !gone.is_empty() {
            self.head.forget(&gone);
        }
    }

    /// A step and its record; `false` if it panicked, or if the record is too large.
    pub(super) fn attempt(&mut self, now: Now, input: Input<'_>) -> bool {
        self.effects.clear();
        let (shard, effects, record) = (&mut self.shard, &mut self.effects, &mut self.record);
        let survived = survives(|| {
            #[cfg(test)]
            let fails = super::tests::fails(&input);
            shard.step(now, input, effects);
            #[cfg(test)]
            assert!(!fails, "a bug of a step");
            shard.encode(effects, record);
        });
        self.materials.has_panicked = !survived;
        survived && self.fits()
    }

    /// Many long texts at once make a record that is too large; one by one they may fit.
    fn fits(&self) -> bool {
        let (bytes, max) = (self.record.n_bytes(), self.shared.step_bytes_max);
        let fits = bytes <= max;
        if !fits {
            error!(shard = self.number, bytes, max, "a step's record is too large");
        }
        fits
    }

    /// Goes on after an input that panicked. What is left in the effects is still to be written.
    pub(super) fn recover(&mut self, now: Now, input: &Input<'_>) {
        let item = self.has_failed();
        match input {
            Input::Batch(batch) => self.one_by_one(now, batch),
            Input::Forwarded(batch) => self.row_by_row(now, batch),
            Input::Timer | Input::Close(_) => {
                self.rebuild(now, Interrupted::Again);
                self.again(now, super::copy(input));
            }
            Input::Fetched(_) => {
                *self.materials.bad_windows.entry(item).or_default() += 1;
                self.blame(now, item);
                self.rebuild(now, Interrupted::Skipped);
            }
            Input::ForwardedRow(..) | Input::HeavyDone(_) | Input::Gathered(_) => {
                self.blame(now, item);
                self.rebuild(now, Interrupted::Skipped);
            }
        }
    }

    /// The last try of an input; `false` if it is left out.
    fn again(&mut self, now: Now, input: Input<'_>) -> bool {
        if self.attempt(now, input) {
            return true;
        }
        let item = self.has_failed();
        self.shared.metrics.skipped_total.inc();
        error!(shard = self.number, %item, "an input failed twice and is left out");
        self.blame(now, item);
        self.rebuild(now, Interrupted::Skipped);
        false
    }

    /// Counts a panic over an input of one item. What panics too often is set aside, from the rebuild
    /// that follows on.
    fn blame(&mut self, now: Now, item: ItemId) {
        // Records that are too large are not the fault of a bug.
        if item.is_none() || !self.materials.has_panicked {
            return;
        }
        let from = now.mono_ns.saturating_sub(u64::try_from(PANICS_FOR.as_nanos()).unwrap_or(0));
        let panics = &mut self.materials.panics;
        let shard = &self.shard;
        panics.retain(|item, it| shard.is_aside(*item) || it.last().is_some_and(|it| from <= *it));
        let of_item = panics.entry(item).or_default();
        of_item.retain(|it| from <= *it);
        of_item.push(now.mono_ns);
        if PANICS_MAX < of_item.len() {
            of_item.remove(0);
        }
        if PANICS_MAX <= of_item.len() && !self.shard.is_aside(item) {
            let why = format!(
                "Internal error while processing values, {PANICS_MAX} times: values are refused until \
                 the configuration of the host changes or the server is restarted."
            );
            error!(
                shard = self.number,
                %item,
                panics = PANICS_MAX,
                "an item is set aside: its values made steps fail again and again"
            );
            self.shared.metrics.set_aside_total.inc();
            self.shard.set_aside(item, why.into());
        }
    }

    fn one_by_one(&mut self, now: Now, batch: &Batch) {
        self.rebuild(now, Interrupted::Again);
        let mut results = Vec::with_capacity(batch.runs.len());
        let mut row = 0;
        for run in &batch.runs {
            let mut result = RunResult::default();
            while row < run.end {
                let mut single = self.single(now, &batch.single(row as usize));
                if !self.commit_single(now) {
                    single = RunResult { failed: 1, ..RunResult::default() };
                }
                result.processed += single.processed;
                result.failed += single.failed;
                result.unsupported += single.unsupported;
                result.cut += single.cut;
                row += 1;
            }
            results.push(result);
        }
        self.effects.clear();
        self.effects.runs = results;
    }

    /// The record of one value's step; `false` if it is left out.
    fn commit_single(&mut self, now: Now) -> bool {
        let Err(Unwritten::Refused(error)) = self.commit(&[]) else { return true };
        self.leave_out(&error);
        self.rebuild(now, Interrupted::Skipped);
        false
    }

    /// One value in a step of its own; if it panics, the reason goes to the item in its place.
    fn single(&mut self, now: Now, value: &Batch) -> RunResult {
        let refused = RunResult { failed: 1, ..RunResult::default() };
        if self.again(now, Input::Batch(value)) {
            return self.effects.runs.last().copied().unwrap_or(refused);
        }
        let reason = RawRef::Error("internal error while processing the value");
        let mut instead = Batch::of_epoch(value.epoch);
        for (slot, time) in value.slots.iter().zip(&value.times) {
            if instead.push(*slot, *time, reason).is_ok() {
                instead.runs.push(Run { end: 1 });
            }
        }
        self.again(now, Input::Batch(&instead));
        refused
    }

    /// Rows that came from another partition; the mark goes last.
    fn row_by_row(&mut self, now: Now, batch: &ForwardBatch) {
        self.rebuild(now, Interrupted::Again);
        if self.shard.has_taken(batch) {
            return;
        }
        for row in &batch.rows {
            self.again(now, Input::ForwardedRow(batch.to, row));
            self.commit_single(now);
        }
        let (from, to, lsn) = (batch.from, batch.to, batch.lsn);
        self.again(now, Input::Forwarded(&ForwardBatch { from, to, lsn, rows: Vec::new() }));
    }

    /// Windows over which the shard has panicked before stay empty, with a reason.
    pub(super) fn distrust(&self, answers: &mut [Fetched]) {
        if self.materials.bad_windows.is_empty() {
            return;
        }
        for answer in answers {
            let item = self.shard.asked_for(answer.id).unwrap_or_default();
            let n_bad = self.materials.bad_windows.get(&item).copied().unwrap_or(0);
            if BAD_WINDOWS_MAX <= n_bad {
                let reason = "internal error while filling a window";
                answer.samples = Err(FetchFailed::because(reason));
            }
        }
    }

    /// Counts and tells a panic; the place of it is in the log already.
    fn has_failed(&mut self) -> ItemId {
        let item = self.shard.at_work();
        self.shared.metrics.panics_total.inc();
        error!(shard = self.number, %item, "a step failed; the shard is built anew");
        item
    }

    /// Puts a new shard in the place of the one that panicked.
    pub(super) fn rebuild(&mut self, now: Now, interrupted: Interrupted) {
        let (shared, materials) = (&self.shared, &self.materials);
        let built = open::rebuild(
            (&materials.checkpoints, &shared.journal),
            (&self.shard, &materials.plan),
            self.n_shards,
            &shared.clock,
        );
        let mut shard: Shard = built.expect("a shard can be built anew");
        self.effects = Effects::default();
        shard.go_on_for(&mut self.shard, interrupted, now, &mut self.effects);
        self.shard = shard;
        // The new one has asked for itself.
        self.questions.clear();
        self.wide_questions.clear();
        self.heavy.clear();
        self.commit_or_leave_out();
        self.effects.clear();
    }
}

/// Whether it ended without a panic.
fn survives(step: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(step)).is_ok()
}
