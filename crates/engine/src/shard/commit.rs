//! The state of a loop, and how the effects of a step leave it: into a record, and once that is in
//! the journal to their receivers.

use std::collections::VecDeque;
use std::time::Duration;

use ingress::{Claim, Deliveries};
use journal::Appended;
use model::EventId;
use model::record::RecordBuilder;
use pipeline::cross_item::CrossItemQuery;
use pipeline::{Effects, Fetch, ForwardBatch, HeavyJob, Shard};
use rt::metrics::Counter;
use rt::queue::{QueueSendError, Receiver};
use tracing::{error, info};

use super::context::{ShardContext, ShardParts};
use super::metrics::{PendingFigures, ValueTypeCounters};
use super::rebuild_materials::RebuildMaterials;
use crate::health_issues::Work;
use crate::mailboxes::{Reply, ShardMessage};
use crate::values::HeadWriter;

/// The pause between two attempts to write a record that the journal refused.
pub(super) const JOURNAL_PAUSE: Duration = Duration::from_millis(200);
/// The most that a record takes to say since when an item is known.
pub(super) const BIRTH_BYTES_MAX: usize = 32;

/// One shard with what comes in, what leaves, and what waits.
pub struct ShardLoop {
    pub(super) number: u16,
    pub(super) shard: Shard,
    pub(super) n_shards: u16,
    pub(super) deliveries: Deliveries,
    pub(super) mailbox: Receiver<ShardMessage>,
    pub(super) head: HeadWriter,
    pub(super) shared: ShardContext,
    pub(super) effects: Effects,
    pub(super) record: RecordBuilder,
    /// Forwarded batches that found no room.
    pub(super) outbox: VecDeque<ForwardBatch>,
    /// Callers that wait for the outbox to be empty.
    pub(super) barriers: Vec<Reply<()>>,
    /// Fetches from history that found no room.
    pub(super) fetches: VecDeque<Fetch>,
    /// The same, with the shard that is answered.
    pub(super) cross_item_queries: VecDeque<(u16, CrossItemQuery)>,
    /// Jobs for the workers that found no room.
    pub(super) heavy: VecDeque<HeavyJob>,
    pub(super) pending: PendingFigures,
    pub(super) materials: RebuildMaterials,
    pub(super) values: Counter,
    pub(super) busy_ns: Counter,
    pub(super) kinds: ValueTypeCounters,
    /// A record was given up at the hard stop: the shard is ahead of the journal, and nothing that comes
    /// after may be in it.
    pub(super) has_given_up: bool,
}

opaque_debug!(ShardLoop);

impl ShardLoop {
    #[must_use]
    pub fn new(parts: ShardParts) -> Self {
        let (metrics, name) = (&parts.context.metrics, parts.number.to_string());
        Self {
            number: parts.number,
            shard: parts.shard,
            n_shards: parts.n_shards,
            deliveries: parts.deliveries,
            mailbox: parts.mailbox,
            head: parts.head,
            effects: Effects::default(),
            record: RecordBuilder::new(),
            outbox: parts.outbox,
            barriers: Vec::new(),
            fetches: VecDeque::new(),
            cross_item_queries: VecDeque::new(),
            heavy: VecDeque::new(),
            pending: PendingFigures::new(metrics, &name),
            materials: RebuildMaterials::new(parts.checkpoints, parts.whole),
            values: metrics.values_total.of(&name),
            busy_ns: metrics.busy_ns_total.of(&name),
            kinds: ValueTypeCounters::new(metrics),
            has_given_up: false,
            shared: parts.context,
        }
    }

    /// As [`Self::publish`], for effects that are in no record yet; in several records if one is too
    /// small.
    pub(super) fn commit(&mut self, marks: &[(&Claim, u64)]) -> Result<(), Unwritten> {
        self.shard.encode(&self.effects, &mut self.record);
        let max = self.shared.step_bytes_max;
        if max < self.record.n_bytes() {
            let mut rest = std::mem::take(&mut self.effects);
            for part in rest.split_births(max / BIRTH_BYTES_MAX) {
                self.effects = part;
                self.shard.encode(&self.effects, &mut self.record);
                self.publish(&[])?;
            }
            self.effects = rest;
            self.shard.encode(&self.effects, &mut self.record);
        }
        self.publish(marks)
    }

    /// As [`Self::commit`], for what follows from the configuration or from a start. Effects that
    /// the journal never takes are made again by the next start.
    pub(super) fn commit_or_skip(&mut self) {
        if let Err(Unwritten::Refused(error)) = self.commit(&[]) {
            self.skip_record(&error);
            self.effects.clear();
        }
    }

    /// Reports that a record is not written.
    pub(super) fn skip_record(&mut self, error: &history::Error) {
        let shard = self.number;
        self.shared.metrics.skipped_total.inc();
        error!(shard, %error, "a record is left out: the journal will never take it");
        self.shared.issues.begin(Work::SkippedRecord { shard }, error);
    }

    /// Writes the record of the effects, then lets them out. Marks of sessions move here, with the
    /// record that holds their values, and nowhere before.
    pub(super) fn publish(&mut self, marks: &[(&Claim, u64)]) -> Result<(), Unwritten> {
        if self.has_given_up {
            return Err(Unwritten::Stopped);
        }
        if self.effects.is_durable() || !marks.is_empty() {
            for (claim, last_id) in marks {
                self.record.watermark(model::record::Watermark::Session {
                    host: claim.host(),
                    session: claim.token(),
                    last_id: *last_id,
                });
            }
            let n_events = self.record.n_events();
            let appended = self.write(n_events)?;
            marks.iter().for_each(|(claim, last_id)| claim.written(*last_id));
            let first_event = EventId(appended.first_id);
            self.shard.committed(appended.next_lsn.0, first_event, &mut self.effects);
            self.kinds.count(&self.effects);
            self.shared.states.apply(&self.effects);
            if n_events != 0 {
                self.shared.events.wake();
            }
            if !self.effects.discoveries.is_empty() {
                self.shared.discovery.wake();
            }
        }
        self.log_lost_rows();
        self.outbox.extend(self.effects.forwards.drain(..));
        self.fetches.extend(self.effects.fetches.drain(..));
        self.heavy.extend(self.effects.heavy.drain(..));
        let (own, queries) = (self.number, self.effects.cross_item_queries.drain(..));
        self.cross_item_queries.extend(queries.map(|it| (own, it)));
        self.flush_outboxes();
        self.pending.observe(&self.shard, (&self.shared.metrics, &self.kinds));
        Ok(())
    }

    /// Says which documents had rows that went nowhere, not too often.
    fn log_lost_rows(&mut self) {
        static LIMIT: rt::log::Limit = rt::log::Limit::new(3, Duration::from_secs(60));
        for it in self.effects.lost_rows.drain(..) {
            let Some(n_left_out) = LIMIT.admit(self.shared.clock.mono_ns()) else { continue };
            let (item, n_rows, n_lost) = (it.item, it.n_rows, it.n_lost);
            info!(%item, n_rows, n_lost, why = it.why, n_left_out,
                "rows of a document were not handed on to other hosts");
        }
    }

    /// Writes the record, however long the journal refuses; gives up at the hard stop only, and when
    /// waiting is no use.
    fn write(&mut self, n_events: u32) -> Result<Appended, Unwritten> {
        if self.has_given_up {
            return Err(Unwritten::Stopped);
        }
        let payload = self.record.finish();
        let (shared, head) = (&self.shared, &mut self.head);
        let written = retry_until_written(shared, self.number, || head.commit(payload, n_events));
        let synced = written.and_then(|appended| {
            if shared.sync_each {
                retry_until_written(shared, self.number, || {
                    Ok(shared.journal.sync_to(appended.next_lsn)?)
                })?;
            }
            Ok(appended)
        });
        self.has_given_up = matches!(synced, Err(Unwritten::Stopped));
        synced
    }

    /// Hands out what waited for room.
    pub(super) fn flush_outboxes(&mut self) {
        while let Some(batch) = self.outbox.pop_front() {
            let to = directory::shard_of(batch.to, self.n_shards);
            if let Err(ShardMessage::Forward(batch)) =
                self.shared.mailboxes.try_send(to, ShardMessage::Forward(batch))
            {
                self.outbox.push_front(batch);
                break;
            }
        }
        if self.outbox.is_empty() {
            self.barriers.drain(..).for_each(|it| it.send(()));
        }
        while let Some(fetch) = self.fetches.pop_front() {
            if let Err(QueueSendError::Full(_)) = self.shared.fetches.try_send((self.number, fetch))
            {
                self.fetches.push_front(fetch);
                break;
            }
        }
        while let Some(query) = self.cross_item_queries.pop_front() {
            if let Err(QueueSendError::Full(query)) = self.shared.cross_item_queries.try_send(query)
            {
                self.cross_item_queries.push_front(query);
                break;
            }
        }
        self.shared.metrics.fetches_waiting.set_n(self.fetches.len());
        // Where one queue is full another may have room.
        for job in std::mem::take(&mut self.heavy) {
            if let Err(job) = self.shared.jobs.offer(self.number, job) {
                self.heavy.push_back(job);
            }
        }
    }
}

/// Why a record is not in the journal.
pub(super) enum Unwritten {
    /// The hard stop came first.
    Stopped,
    /// The journal will never take it.
    Refused(history::Error),
}

/// Asks until it is done, as long as that may help.
fn retry_until_written<T>(
    shared: &ShardContext,
    shard: u16,
    mut ask: impl FnMut() -> history::Result<T>,
) -> Result<T, Unwritten> {
    let work = Work::Record { shard };
    let mut has_waited = false;
    let done = loop {
        match ask() {
            Ok(it) => break Ok(it),
            Err(error) if !error.retry() => break Err(Unwritten::Refused(error)),
            Err(error) => {
                has_waited = true;
                shared.metrics.journal_refusals_total.inc();
                shared.issues.begin(work, &error);
                if shared.stop.pause(JOURNAL_PAUSE) {
                    error!(shard, %error, "stopped without writing a record");
                    break Err(Unwritten::Stopped);
                }
            }
        }
    };
    if has_waited {
        shared.issues.end(work);
    }
    done
}
