//! Steps over values, and what follows a panic in a step, or one whose record the journal could never
//! take.
//!
//! Values come in pieces whose records will be small enough, by what records of earlier pieces had. A
//! step whose record is too large all the same, or that panics, may have changed a part of the shard's
//! state, and nothing of it is durable. So the shard is rebuilt as at a start, from checkpoint and
//! journal ([`pipeline::Shard::resume_from`]), and the input comes once more: values in halves if
//! they were too large, else one by one, each with a record of its own, as forwarded rows do. Input
//! that fails again is left out, and reported in the log and, if it is the value of an item, at the
//! item.
//!
//! A rebuild may take seconds, in which the shard takes no values. So an item that makes steps fail
//! again and again is quarantined ([`pipeline::Shard::quarantine_item`]); so are all items of a program
//! (preprocessing steps) over which those of several items failed, and triggers of a content over
//! which evaluations did ([`pipeline::Shard::quarantine_trigger`]); and once there are too many
//! rebuilds in a short time, whatever is at work when a step fails.
//!
//! Answers of workers and of readers across items are not tried again: there is no telling whether
//! they were the reason, and what they answer is asked again in time.
//!
//! A disk that cannot read checkpoint or journal for a while is waited for. Should the shard not come up
//! for another reason, the thread ends, and the process with it.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use directory::PlanDelta;
use ingress::Delivery;
use model::Now;
use model::batch::{Batch, RawRef, Refused, Run};
use pipeline::{
    AtWork, Effects, FetchFailed, Fetched, ForwardBatch, Input, Interrupted, RunResult, Shard,
    SharedProgram,
};
use tracing::{error, warn};

use super::commit::{JOURNAL_PAUSE, ShardLoop, Unwritten};
use super::rebuild_materials::{Attempt, FAILURES_MAX, Failure, OF_PROGRAM_MAX, ROW_BYTES};
use crate::health_issues::Work;
use crate::replay::{self, Rebuild};

/// Of the largest record, a step should have no more than one in so many parts, by what is known
/// before.
const STEP_SHARE: f64 = 2.0;
/// Records below this say nothing of how much values grow.
const GROWTH_FROM_BYTES: usize = 1 << 20;
/// Answers of history that one item's windows may panic over; after that it gets none.
const BAD_WINDOWS_MAX: u32 = 2;

/// Items of a program that are quarantined at once: their states have to fit one record. The others
/// follow with their first failures.
const QUARANTINED_AT_ONCE: usize = 100_000;

impl ShardLoop {
    /// Takes over a configuration.
    pub(super) fn configure(&mut self, now: Now, plan: PlanDelta) {
        self.materials.plan.take(&plan);
        self.effects.clear();
        let (shard, effects) = (&mut self.shard, &mut self.effects);
        if !survives(|| shard.configure(plan, now, effects)) {
            self.report_failure(Failure::Panicked);
            self.rebuild(now, Interrupted::Again);
        }
        // Items that left quarantine have all tries again, and records may be of another size.
        let shard = &self.shard;
        let materials = &mut self.materials;
        materials
            .of_items
            .retain(|item, it| it.len() < FAILURES_MAX || shard.is_quarantined(*item));
        materials.growth = 1.0;
        self.commit_or_skip();
        let gone = self.shard.take_gone();
        if !gone.is_empty() {
            self.head.forget(&gone);
        }
    }

    /// A step and its record.
    pub(super) fn attempt(&mut self, now: Now, input: Input<'_>) -> Attempt {
        self.effects.clear();
        let (shard, effects, record) = (&mut self.shard, &mut self.effects, &mut self.record);
        let injected = self.shared.faults.as_deref().map(|it| (it, reborrowed(&input)));
        let survived = survives(|| {
            shard.step(now, input, effects);
            if let Some((faults, input)) = injected {
                faults.after_step(self.number, &input, effects);
            }
            shard.encode(effects, record);
        });
        if !survived {
            return Attempt::Failed(Failure::Panicked);
        }
        if self.shared.step_bytes_max < self.record.n_bytes() {
            return Attempt::Failed(Failure::TooLarge);
        }
        Attempt::Done
    }

    /// Takes a batch in. Its effects, but for what became of its runs, are out after that; `false`
    /// if something could not be written until the hard stop.
    pub(super) fn values(&mut self, now: Now, delivery: &Delivery) -> bool {
        let batch = &delivery.batch;
        let mut todo = self.pieces(batch, 0..batch.len());
        if todo.len() == 1 {
            match self.attempt(now, Input::Batch(batch)) {
                Attempt::Done => {
                    self.learn_growth(batch);
                    let marks: Vec<_> = delivery.marks_of(0..rows_of(batch.len())).collect();
                    return match self.publish(&marks) {
                        Ok(()) => true,
                        Err(Unwritten::Stopped) => false,
                        Err(Unwritten::Refused(error)) => {
                            self.record_refused(now, &error);
                            self.effects.runs = refused(batch);
                            true
                        }
                    };
                }
                Attempt::Failed(failure) => {
                    self.fail(now, (failure, Interrupted::Again), batch);
                    todo = self.pieces_after(failure, batch, 0..batch.len());
                }
            }
        }
        self.piece_by_piece(now, delivery, todo)
    }

    fn piece_by_piece(&mut self, now: Now, delivery: &Delivery, pieces: Vec<Range<usize>>) -> bool {
        let batch = &delivery.batch;
        let mut results = vec![RunResult::default(); batch.runs.len()];
        let mut todo = pieces;
        todo.reverse();
        while let Some(rows) = todo.pop() {
            let piece = batch.slice(rows.clone());
            let first = batch.runs.partition_point(|it| it.end as usize <= rows.start);
            let mut of_piece = match self.attempt(now, Input::Batch(&piece)) {
                Attempt::Done => {
                    self.learn_growth(&piece);
                    self.effects.runs.clone()
                }
                Attempt::Failed(failure) if 1 < rows.len() => {
                    self.fail(now, (failure, Interrupted::Again), &piece);
                    todo.extend(self.pieces_after(failure, batch, rows).into_iter().rev());
                    continue;
                }
                Attempt::Failed(failure) => {
                    self.give_up_input(now, (failure, Interrupted::Skipped));
                    self.replace_by_error(now, failure, &piece);
                    refused(&piece)
                }
            };
            let marks: Vec<_> = delivery.marks_of(rows_of(rows.start)..rows_of(rows.end)).collect();
            match self.commit(&marks) {
                Ok(()) => {}
                Err(Unwritten::Stopped) => return false,
                Err(Unwritten::Refused(error)) => {
                    self.record_refused(now, &error);
                    of_piece = refused(&piece);
                }
            }
            let begun = first.checked_sub(1).and_then(|it| batch.runs.get(it));
            // The first run of a piece may have begun in one before it.
            let mut offset = rows_of(rows.start) - begun.map_or(0, |it| it.end);
            for (sum, it) in results.iter_mut().skip(first).zip(&of_piece) {
                add(sum, it, offset);
                offset = 0;
            }
        }
        self.effects.clear();
        self.effects.runs = results;
        true
    }

    /// The journal will never take the record of the last step.
    fn record_refused(&mut self, now: Now, error: &history::Error) {
        self.skip_record(error);
        self.rebuild(now, Interrupted::Skipped);
    }

    /// The reason goes to the item in the place of its value.
    fn replace_by_error(&mut self, now: Now, failure: Failure, value: &Batch) {
        let mut instead = Batch::of_epoch(value.epoch);
        for (slot, time) in value.slots.iter().zip(&value.times) {
            if instead.push(*slot, *time, RawRef::Error(failure.of_value())).is_ok() {
                instead.runs.push(Run { end: 1 });
            }
        }
        if let Attempt::Failed(failure) = self.attempt(now, Input::Batch(&instead)) {
            self.give_up_input(now, (failure, Interrupted::Skipped));
        }
    }

    /// Cuts rows into pieces whose records will not be too large, as far as is known.
    fn pieces(&self, batch: &Batch, rows: Range<usize>) -> Vec<Range<usize>> {
        let all = (batch.arena_len() + ROW_BYTES * batch.len()) as f64 * self.materials.growth;
        let whole = rows.clone();
        let aim = self.shared.step_bytes_max as f64 / STEP_SHARE;
        if all <= aim {
            return vec![whole];
        }
        let (mut pieces, mut start, mut bytes) = (Vec::new(), rows.start, 0.0);
        for row in rows.clone() {
            let of_row = self.materials.expected(batch, row);
            if start < row && aim < bytes + of_row {
                pieces.push(start..row);
                (start, bytes) = (row, 0.0);
            }
            bytes += of_row;
        }
        pieces.push(start..rows.end);
        pieces
    }

    /// The rows of a step that failed once more: one by one if one of them made it panic, else in
    /// smaller pieces than before.
    fn pieces_after(
        &self,
        failure: Failure,
        batch: &Batch,
        rows: Range<usize>,
    ) -> Vec<Range<usize>> {
        if failure == Failure::Panicked {
            return rows.map(|it| it..it + 1).collect();
        }
        let pieces = self.pieces(batch, rows.clone());
        if 1 < pieces.len() {
            return pieces;
        }
        let middle = rows.start + rows.len() / 2;
        [rows.start..middle, middle..rows.end].into_iter().filter(|it| !it.is_empty()).collect()
    }

    /// By what the record has that was made of these values last.
    fn learn_growth(&mut self, batch: &Batch) {
        let bytes = self.record.n_bytes();
        if GROWTH_FROM_BYTES <= bytes {
            let growth = bytes as f64 / (batch.arena_len() + ROW_BYTES * batch.len()).max(1) as f64;
            self.materials.growth = self.materials.growth.max(growth);
        }
    }

    /// After a step over values that will come again in another form.
    fn fail(&mut self, now: Now, (failure, interrupted): (Failure, Interrupted), batch: &Batch) {
        self.report_failure(failure);
        if failure == Failure::TooLarge {
            self.learn_growth(batch);
        }
        self.rebuild(now, interrupted);
    }

    /// Goes on after an input, not of values, that failed. Remaining effects are still to be
    /// written.
    pub(super) fn recover(&mut self, now: Now, input: &Input<'_>, failure: Failure) {
        let at_work = self.report_failure(failure);
        match input {
            Input::Batch(_) => self.rebuild(now, Interrupted::Skipped),
            Input::Forwarded(batch) => self.row_by_row(now, batch),
            Input::Timer | Input::Close(_) | Input::WithoutData(_) => {
                self.rebuild(now, Interrupted::Again);
                self.last_attempt(now, reborrowed(input));
            }
            Input::Fetched(_) => {
                *self.materials.bad_windows.entry(at_work.item).or_default() += 1;
                self.record_failure(now, at_work, failure);
                self.rebuild(now, Interrupted::Skipped);
            }
            Input::ForwardedRow(..)
            | Input::HeavyDone(_)
            | Input::CrossItemAnswers(_)
            | Input::EndHours(_) => {
                self.record_failure(now, at_work, failure);
                self.rebuild(now, Interrupted::Skipped);
            }
        }
    }

    /// The last try of an input.
    fn last_attempt(&mut self, now: Now, input: Input<'_>) {
        if let Attempt::Failed(failure) = self.attempt(now, input) {
            self.give_up_input(now, (failure, Interrupted::Skipped));
        }
    }

    /// An input has failed for the last time.
    fn give_up_input(&mut self, now: Now, (failure, interrupted): (Failure, Interrupted)) {
        let at_work = self.report_failure(failure);
        self.shared.metrics.skipped_total.inc();
        let item = at_work.item;
        error!(shard = self.number, %item, "an input failed twice and is left out");
        self.record_failure(now, at_work, failure);
        self.rebuild(now, interrupted);
    }

    /// Counts a failure over an input of one item. Repeated failures quarantine, from the next
    /// rebuild on, the item or all items with the program in which it fails.
    fn record_failure(&mut self, now: Now, at_work: AtWork, failure: Failure) {
        let AtWork { item, program } = at_work;
        if item.is_none() {
            return;
        }
        // A record is too large because of the values, whatever the program.
        let program = program.filter(|_| failure == Failure::Panicked);
        let materials = &mut self.materials;
        let bad_program = program.filter(|it| materials.is_program_bad(*it, item, now.mono_ns));
        let is_of_trigger = matches!(program, Some(SharedProgram::Trigger(_)));
        // Failures of its trigger are not the item's fault, unless they continue.
        let is_bad = materials.is_item_bad(item, now.mono_ns) && !is_of_trigger;
        let what = failure.of_item();
        match bad_program {
            Some(SharedProgram::Steps(steps)) => {
                let why = format!(
                    "{what} of {OF_PROGRAM_MAX} items with the same preprocessing: values are \
                     refused until the configuration of the host changes or the server is restarted."
                );
                let items = self.shard.items_of(steps, QUARANTINED_AT_ONCE);
                let n_items = items.len();
                error!(shard = self.number, %item, n_items, "items are quarantined: their \
                    preprocessing made steps fail again and again");
                let why: Arc<str> = why.into();
                self.shared.metrics.quarantined_total.add_n(n_items);
                items.into_iter().for_each(|it| self.shard.quarantine_item(it, Arc::clone(&why)));
            }
            Some(SharedProgram::Trigger(content)) => {
                let why = format!(
                    "Internal error while evaluating the trigger, {OF_PROGRAM_MAX} times: it is not \
                     evaluated until the configuration of the host changes or the server is \
                     restarted."
                );
                error!(shard = self.number, %item, "triggers are quarantined: their evaluation made \
                    steps fail again and again");
                self.shared.metrics.quarantined_total.inc();
                self.shard.quarantine_trigger(content, why.into());
            }
            None => {}
        }
        if is_bad && !self.shard.is_quarantined(item) {
            let n = self.materials.of_items.get(&item).map_or(1, Vec::len);
            let times = if n == 1 { "once".to_owned() } else { format!("{n} times") };
            let why = format!(
                "{what}, {times}: values are refused until the configuration of the host changes or \
                 the server is restarted."
            );
            error!(shard = self.number, %item, n, "an item is quarantined: its values made steps fail");
            self.shared.metrics.quarantined_total.inc();
            self.shard.quarantine_item(item, why.into());
        }
    }

    /// Rows that came from another partition; the batch's mark goes last.
    fn row_by_row(&mut self, now: Now, batch: &ForwardBatch) {
        self.rebuild(now, Interrupted::Again);
        if self.shard.has_taken(batch) {
            return;
        }
        for at in 0..batch.rows.len() {
            self.last_attempt(now, Input::ForwardedRow(batch, at));
            if let Err(Unwritten::Refused(error)) = self.commit(&[]) {
                self.record_refused(now, &error);
            }
        }
        let (from, to, lsn) = (batch.from, batch.to, batch.lsn);
        self.last_attempt(now, Input::Forwarded(&ForwardBatch { from, to, lsn, rows: Vec::new() }));
    }

    /// Windows over which the shard has panicked before stay empty, with a reason.
    pub(super) fn skip_bad_windows(&self, answers: &mut [Fetched]) {
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

    /// Counts and reports a failure; the place of a panic is in the log already.
    fn report_failure(&mut self, failure: Failure) -> AtWork {
        let at_work = self.shard.at_work();
        let (shard, item) = (self.number, at_work.item);
        match failure {
            Failure::Panicked => {
                self.shared.metrics.panics_total.inc();
                error!(shard, %item, "a step failed; the shard is rebuilt");
            }
            Failure::TooLarge => {
                self.shared.metrics.too_large_total.inc();
                let bytes = self.record.n_bytes();
                warn!(shard, %item, bytes, max = self.shared.step_bytes_max,
                    "a step's record is too large; the shard is rebuilt and takes less at once");
            }
        }
        at_work
    }

    /// Puts a new shard in the place of the one that panicked.
    pub(super) fn rebuild(&mut self, now: Now, interrupted: Interrupted) {
        self.shared.metrics.rebuilds_total.inc();
        self.materials.count_rebuild(now.mono_ns);
        let Some(mut shard) = self.rebuilt() else {
            self.has_given_up = true;
            self.effects.clear();
            return;
        };
        self.effects = Effects::default();
        shard.resume_from(&mut self.shard, interrupted, now, &mut self.effects);
        self.shard = shard;
        // The new one has asked for itself.
        self.fetches.clear();
        let own = self.number;
        self.cross_item_queries.retain(|it| it.0 != own);
        self.heavy.clear();
        self.commit_or_skip();
        self.effects.clear();
    }
}

impl ShardLoop {
    /// A shard as checkpoint and journal have it, however long the disk can't read them; `None` at the
    /// hard stop.
    fn rebuilt(&self) -> Option<Shard> {
        let (shared, materials) = (&self.shared, &self.materials);
        let from = Rebuild {
            checkpoints: &materials.checkpoints,
            journal: &shared.journal,
            n_shards: self.n_shards,
            clock: &shared.clock,
            pause: &*shared.stop,
        };
        let work = Work::Record { shard: self.number };
        let mut has_waited = false;
        loop {
            match replay::rebuild(from, (&self.shard, &materials.plan)) {
                Ok(shard) => {
                    if has_waited {
                        shared.issues.end(work);
                    }
                    return Some(shard);
                }
                Err(error) if error.retry() => {
                    has_waited = true;
                    shared.issues.begin(work, &error);
                    if shared.stop.pause(JOURNAL_PAUSE) {
                        error!(shard = self.number, %error, "stopped without rebuilding a shard");
                        return None;
                    }
                }
                Err(error) => panic!("a shard cannot be rebuilt: {error}"),
            }
        }
    }
}

fn rows_of(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Adds what became of the rows of a run from `offset` on.
fn add(sum: &mut RunResult, result: &RunResult, offset: u32) {
    sum.refused.extend(result.refused.iter().map(|(row, why)| (row + offset, *why)));
    sum.processed += result.processed;
    sum.failed += result.failed;
    sum.unsupported += result.unsupported;
    sum.cut += result.cut;
}

/// Whether it ended without a panic.
fn survives(step: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(step)).is_ok()
}

/// The answer to senders of a batch that is not in the journal.
fn refused(batch: &Batch) -> Vec<RunResult> {
    let rows = ingress::run_lengths(&batch.runs);
    let of_run = |failed| RunResult {
        failed,
        refused: (0..failed).map(|row| (row, Refused::Failed)).collect(),
        ..RunResult::default()
    };
    rows.map(of_run).collect()
}

/// An input's references once more.
pub(super) fn reborrowed<'a>(input: &Input<'a>) -> Input<'a> {
    match input {
        Input::Batch(it) => Input::Batch(it),
        Input::Timer => Input::Timer,
        Input::Fetched(it) => Input::Fetched(it),
        Input::Forwarded(it) => Input::Forwarded(it),
        Input::ForwardedRow(it, at) => Input::ForwardedRow(it, *at),
        Input::HeavyDone(it) => Input::HeavyDone(it),
        Input::CrossItemAnswers(it) => Input::CrossItemAnswers(it),
        Input::EndHours(it) => Input::EndHours(it),
        Input::Close(it) => Input::Close(it),
        Input::WithoutData(it) => Input::WithoutData(it),
    }
}
