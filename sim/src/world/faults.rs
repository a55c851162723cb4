//! Panics in steps, and checkpoints of all partitions while everything goes on.

use std::collections::BTreeMap;

use directory::shard_of;
use model::batch::Batch;
use model::{Now, partition_of};
use pipeline::{Effects, ForwardBatch, Input, Interrupted};

use super::work::Answer;
use super::{PANIC_EACH, Sent, World, each_record};

impl World {
    /// A step panics after it has changed the shard's state. As the owner of a thread does
    /// (`crates/engine/src/shard/recover.rs`): the shard is built anew and the input comes again,
    /// piece by piece.
    pub(super) fn panic(&mut self, at: usize, input: &Input<'_>, sent: &[Sent]) {
        self.summary.panics += 1;
        let now = self.now();
        match input {
            Input::Batch(batch) => {
                self.spoil(at, now, Input::Batch(batch));
                self.rebuild(at, now, Interrupted::Again);
                for (row, sent) in sent.iter().enumerate() {
                    self.single(at, now, &batch.slice(row..row + 1), sent);
                }
            }
            Input::Forwarded(batch) => {
                self.spoil(at, now, Input::Forwarded(batch));
                self.rebuild(at, now, Interrupted::Again);
                self.row_by_row(at, now, batch);
            }
            Input::Timer => {
                self.spoil(at, now, Input::Timer);
                self.rebuild(at, now, Interrupted::Again);
                self.attempt(at, now, Input::Timer);
                self.commit(at);
            }
            Input::Close(close) => {
                self.spoil(at, now, Input::Close(close));
                self.rebuild(at, now, Interrupted::Again);
                self.attempt(at, now, Input::Close(close));
                self.commit(at);
            }
            Input::Fetched(answers) => {
                self.spoil(at, now, Input::Fetched(answers));
                self.rebuild(at, now, Interrupted::Skipped);
            }
            Input::CrossItemAnswers(answers) => {
                self.spoil(at, now, Input::CrossItemAnswers(answers));
                self.rebuild(at, now, Interrupted::Skipped);
            }
            other => panic!("{other:?} is given elsewhere"),
        }
    }

    /// A worker's answer; a panic over it takes the value with it.
    pub(super) fn answered(&mut self, at: usize, answer: &Answer) {
        let now = self.now();
        let is_script = self.config.work.iter().any(|it| it.scripts.contains(&answer.item));
        let done = std::slice::from_ref(&answer.done);
        if is_script && !self.is_calm && self.random.once_in(PANIC_EACH / 4) {
            self.summary.panics += 1;
            self.made.excused.insert((answer.item, answer.number));
            self.spoil(at, now, Input::HeavyDone(done));
            self.rebuild(at, now, Interrupted::Skipped);
            return;
        }
        self.attempt(at, now, Input::HeavyDone(done));
        self.commit(at);
    }

    fn attempt(&mut self, at: usize, now: Now, input: Input<'_>) {
        let thread = &mut self.process().threads[at];
        thread.effects.clear();
        thread.shard.step(now, input, &mut thread.effects);
    }

    /// Changes the state of a shard and forgets what follows.
    fn spoil(&mut self, at: usize, now: Now, input: Input<'_>) {
        self.attempt(at, now, input);
        self.process().threads[at].effects.clear();
    }

    fn single(&mut self, at: usize, now: Now, batch: &Batch, sent: &Sent) {
        self.attempt(at, now, Input::Batch(batch));
        let lsn = self.commit(at);
        let run = self.process().threads[at].effects.runs[0];
        assert_eq!((run.processed, run.failed), (1, 0), "all are taken");
        self.acknowledge(std::slice::from_ref(sent), lsn);
    }

    fn row_by_row(&mut self, at: usize, now: Now, batch: &ForwardBatch) {
        if self.process().threads[at].shard.has_taken(batch) {
            return;
        }
        for row in &batch.rows {
            self.attempt(at, now, Input::ForwardedRow(batch.to, row));
            self.commit(at);
        }
        let (from, to, lsn) = (batch.from, batch.to, batch.lsn);
        let mark = ForwardBatch { from, to, lsn, rows: Vec::new() };
        self.attempt(at, now, Input::Forwarded(&mark));
        self.commit(at);
    }

    /// Puts a new shard in the place of one that panicked.
    fn rebuild(&mut self, at: usize, now: Now, interrupted: Interrupted) {
        let n_shards = self.settings.n_shards;
        let from = self.replay_from();
        let process = self.process.as_mut().expect("the process runs");
        let thread = &mut process.threads[at];
        let mut shard = thread.shard.fresh_copy();
        for (partition, (bytes, _)) in &self.checkpoints {
            if usize::from(shard_of(*partition, n_shards)) == at {
                shard.restore(bytes.as_slice()).expect("a checkpoint");
            }
        }
        shard.configure(thread.plan.plan(), now, &mut Effects::default());
        let from = from.max(process.journal.first_lsn().0);
        each_record(&process.journal, from, |view, it| {
            shard.apply(view, it.next_lsn.0, it.first_id).expect("readable");
        });
        thread.effects = Effects::default();
        shard.resume_from(&mut thread.shard, interrupted, now, &mut thread.effects);
        thread.shard = shard;
        // The new one asks for itself. Workers know nothing of it: they answer.
        process.questions.retain(|it| it.0 != at);
        process.cross_item_queries.retain(|it| it.0 != at);
        self.commit(at);
        self.process().threads[at].effects.clear();
    }

    /// Saves all partitions, one after another, while everything goes on: first a barrier, so that
    /// what was forwarded before is in the state of its receivers.
    pub(super) fn save_all(&mut self) {
        let n_shards = usize::from(self.settings.n_shards);
        let barrier = self.process().journal.next_lsn().0;
        let mut barred: Vec<usize> = (0..n_shards).collect();
        while !barred.is_empty() {
            let open: Vec<usize> =
                barred.iter().copied().filter(|it| !self.is_empty(*it)).collect();
            barred = open;
            let at = self.random.below(n_shards);
            self.turn(at);
            if self.random.once_in(200) {
                // Given up: the process ends before it is whole.
                return;
            }
        }
        let mut saved = BTreeMap::new();
        let partitions: Vec<u8> =
            self.config.snapshot.hosts.keys().map(|it| partition_of(*it)).collect();
        for partition in partitions {
            let at = usize::from(shard_of(partition, self.settings.n_shards));
            // It stands in the queue behind what was there.
            while !self.process().threads[at].internal.is_empty() {
                self.turn(at);
            }
            let process = self.process();
            let lsn = process.journal.next_lsn().0;
            let checkpoint = process.threads[at].shard.checkpoint(partition, lsn);
            saved.insert(partition, (checkpoint.bytes, lsn));
            let other = self.random.below(n_shards);
            self.turn(other);
            if self.random.once_in(60) {
                return;
            }
        }
        self.sync();
        self.summary.checkpoints += saved.len();
        (self.checkpoints, self.barrier) = (saved, barrier);
        self.retain();
    }

    fn is_empty(&mut self, at: usize) -> bool {
        self.empty_outbox(at);
        self.process().threads[at].outbox.is_empty()
    }
}
