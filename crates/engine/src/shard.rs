//! The thread of one shard: input, step, record, effects.
//!
//! Order within the thread: its mailbox first (plans, answers of history, forwarded values,
//! manual closing, reads), then due timers, then one delivery of external values, which is taken
//! only while nothing waits to be forwarded. So two shards that forward to each other can't lock:
//! a shard that can't forward keeps draining its own mailbox.
//!
//! Nothing of a step leaves before its record is in the journal. A journal that refuses (disk full,
//! failed sync) stops the thread right there: queues fill, sockets are read no more, and as soon as
//! the journal takes records again the thread goes on with the record that it could not write.
//! `/health` reports it meanwhile. A record that the journal will never take is left out: that is
//! reported and counted, the shard is rebuilt without it, and the thread goes on.

mod commit;
mod context;
mod metrics;
mod rebuild_materials;
mod recover;

use std::sync::atomic::Ordering;
use std::time::Duration;

use ingress::Delivery;
use model::Now;
use pipeline::cross_item::CrossItemQuery;
use pipeline::{Input, Interrupted, Sizes};
use rt::queue::ReceiveError;

use crate::mailboxes::ShardMessage;
use crate::turn::Turn;
use commit::Unwritten;
use rebuild_materials::Attempt;
use recover::reborrowed;

pub use commit::ShardLoop;
pub use context::{STEP_BYTES_MAX, ShardContext, ShardParts};
pub use metrics::ShardMetrics;

/// The pause between two attempts to hand over queries to history that found no room.
const QUESTIONS_PAUSE: Duration = Duration::from_millis(500);
/// The pause between two attempts to hand a job to the workers.
const FULL_PAUSE: Duration = Duration::from_millis(5);
/// The most messages of the mailbox handled before a delivery gets its turn.
const MESSAGES_RUN_MAX: usize = 256;

impl ShardLoop {
    /// Makes the effects of the start itself; before the first turn.
    pub fn begin(&mut self) {
        let now = self.shared.clock.now();
        self.effects.clear();
        self.shard.start(now, &mut self.effects);
        self.commit_or_skip();
    }

    /// Messages of the mailbox, what is due, and one delivery, for which it waits `wait_max` at most.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        self.flush_outboxes();
        let n_messages = self.take_messages();
        if !self.has_given_up {
            self.timers();
        }
        if self.has_given_up {
            return Turn::Ended;
        }
        if !self.outbox.is_empty() {
            // No room for what new values might forward.
            return if n_messages == 0 { Turn::Full } else { Turn::More };
        }
        let pause = self.pause(n_messages);
        let turn = match self.deliveries.receive_timeout(pause.min(wait_max)) {
            Ok(delivery) => {
                self.delivery(delivery);
                Turn::More
            }
            Err(ReceiveError::Empty) if pause.is_zero() || 0 < n_messages => Turn::More,
            Err(ReceiveError::Empty) => Turn::Idle(pause),
            Err(ReceiveError::Closed) => {
                if !self.shared.drained.load(Ordering::Relaxed) {
                    self.shared.drain();
                }
                Turn::More
            }
        };
        let ended = self.shared.drained.load(Ordering::Relaxed);
        if self.has_given_up {
            return Turn::Ended;
        }
        if ended && self.mailbox.depth() == 0 && self.deliveries.depth() == 0 {
            return Turn::Ended;
        }
        turn
    }

    /// How much the shard holds, and what waits in it.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.shard.sizes()
    }

    /// At the hard stop: batches that find no room come again after the next start, from the
    /// journal.
    pub fn give_up_forwarding(&mut self) {
        self.outbox.clear();
    }

    /// Until something is due: values and messages come sooner.
    fn pause(&self, n_messages: usize) -> Duration {
        if n_messages == MESSAGES_RUN_MAX {
            return Duration::ZERO;
        }
        if !self.heavy.is_empty() {
            return FULL_PAUSE;
        }
        let now = self.shared.clock.mono_ns();
        let due = self.shard.next_timer().map(|it| Duration::from_nanos(it.saturating_sub(now)));
        let asks = !self.fetches.is_empty() || !self.cross_item_queries.is_empty();
        let asks = asks.then_some(QUESTIONS_PAUSE);
        due.into_iter().chain(asks).min().unwrap_or(Duration::MAX)
    }

    fn take_messages(&mut self) -> usize {
        for n in 0..MESSAGES_RUN_MAX {
            if self.has_given_up {
                return n;
            }
            let Ok(message) = self.mailbox.try_receive() else { return n };
            let started = self.shared.clock.mono_ns();
            self.message(message);
            self.busy_since(started);
        }
        MESSAGES_RUN_MAX
    }

    fn message(&mut self, message: ShardMessage) {
        let now = self.shared.clock.now();
        match message {
            ShardMessage::Configure(plan) => self.configure(now, *plan),
            ShardMessage::CrossItemAnswer(answers) => {
                self.step(now, &Input::CrossItemAnswers(&answers));
            }
            ShardMessage::EndHours { asker, query, of } => {
                self.step(now, &Input::EndHours(&[of]));
                let query = CrossItemQuery { is_written: true, ..*query };
                self.cross_item_queries.push_back((asker, query));
                self.flush_outboxes();
            }
            ShardMessage::EndHour(of, answer) => {
                if self.written(now, &Input::EndHours(&[of])) {
                    // The caller may have gone.
                    answer.try_send(()).ok();
                }
            }
            ShardMessage::Fetched(mut answers) => {
                self.skip_bad_windows(&mut answers);
                self.step(now, &Input::Fetched(&answers));
            }
            ShardMessage::Forward(batch) => self.step(now, &Input::Forwarded(&batch)),
            ShardMessage::Calculate(items) => {
                items.into_iter().for_each(|(at, item)| self.shard.calculate_soon(at, item, now));
            }
            ShardMessage::HeavyDone(done) => self.step(now, &Input::HeavyDone(&[done])),
            ShardMessage::Close(close, answer) => {
                if self.written(now, &Input::Close(&close)) {
                    // The caller may have gone.
                    answer.try_send(()).ok();
                }
            }
            ShardMessage::WithoutData(hosts) => self.step(now, &Input::WithoutData(&hosts)),
            ShardMessage::Checkpoint(partition, answer) => {
                // Later records of other shards change nothing here: a quiet shard does not make
                // the journal keep what only others wrote.
                let position = self.shared.journal.next_lsn().0;
                answer.send(self.shard.checkpoint(partition, position));
            }
            ShardMessage::Barrier(answer) => {
                self.barriers.push(answer);
                self.flush_outboxes();
            }
        }
    }

    fn timers(&mut self) {
        let now = self.shared.clock.now();
        if self.shard.next_timer().is_some_and(|it| it <= now.mono_ns) {
            self.step(now, &Input::Timer);
            self.busy_since(now.mono_ns);
        }
    }

    /// Takes values in and answers their senders. If they could not be written, no sender gets an
    /// answer: they are sent again, after the next start.
    fn delivery(&mut self, mut delivery: Delivery) {
        if delivery.batch.is_empty() {
            return;
        }
        let now = self.shared.clock.now();
        self.values.add_n(delivery.batch.len());
        if !self.values(now, &delivery) {
            return;
        }
        let mut parts = delivery.parts.drain(..);
        let mut refused = 0;
        let mut processed = 0;
        for result in &self.effects.runs {
            processed += u64::from(result.processed);
            refused += u64::from(result.failed);
            if let Some(part) = parts.next() {
                let outcome = ingress::Outcome {
                    processed: result.processed,
                    failed: result.failed,
                    unsupported: result.unsupported,
                    cut: result.cut,
                };
                part.settle_rows(outcome, &result.refused);
            }
        }
        drop(parts);
        self.deliveries.recycle(delivery);
        self.shared.metrics.processed_total.add(processed);
        self.shared.metrics.refused_total.add(refused);
        self.shared.metrics.step_seconds.observe_ns(self.busy_since(now.mono_ns));
    }

    fn busy_since(&self, started_ns: u64) -> u64 {
        let spent = self.shared.clock.mono_ns().saturating_sub(started_ns);
        self.busy_ns.add(spent);
        spent
    }

    /// One input without a waiting caller.
    fn step(&mut self, now: Now, input: &Input<'_>) {
        // Values that are not written are reported.
        let _is_written = self.written(now, input);
    }

    /// One input with its record, whatever it takes; `false` if it could not be written until the
    /// hard stop, or never will be.
    fn written(&mut self, now: Now, input: &Input<'_>) -> bool {
        let written = match self.attempt(now, reborrowed(input)) {
            Attempt::Done => self.publish(&[]),
            Attempt::Failed(failure) => {
                self.recover(now, input, failure);
                self.commit(&[])
            }
        };
        match written {
            Ok(()) => true,
            Err(Unwritten::Refused(error)) => {
                self.skip_record(&error);
                self.rebuild(now, Interrupted::Skipped);
                false
            }
            Err(Unwritten::Stopped) => false,
        }
    }
}

#[cfg(test)]
mod tests;
