//! The thread of one shard: input, step, record, effects.
//!
//! Order within the thread: internal input first (plans, answers of history, forwarded values,
//! manual closing, reads), then due timers, then one delivery of external values, which is taken
//! only while nothing waits to be forwarded. So two shards that forward to each other can't lock:
//! whoever can't forward keeps draining its own internal queue.
//!
//! Nothing of a step leaves before its record is in the journal. A journal that refuses (disk full,
//! failed sync) stops the thread right there: queues fill, sockets are read no more, and as soon as
//! the journal takes records again the thread goes on with the record that it could not write. `/health`
//! tells it meanwhile. A record that the journal will never take is left out: that is told and
//! counted, the shard is built anew without it, and the thread goes on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use directory::WholePlan;
use ingress::{Claim, Delivery, Sessions};
use journal::{Appended, Journal};
use model::batch::Batch;
use model::record::RecordBuilder;
use model::{EventId, Now};
use pipeline::cross_item::CrossItemQuery;
use pipeline::{
    Effects, Fetch, ForwardBatch, HeavyJob, Input, Interrupted, RowCounters, RunResult, Shard,
    Sizes,
};
use rt::clock::Clock;
use rt::metrics::{Counter, Family, Gauge, TimeHistogram};
use rt::queue::{ReceiveError, Receiver, SendError, Sender};
use tracing::{error, info};

use crate::checkpoint::Checkpoints;
use crate::fault_injection::InjectFaults;
use crate::mailboxes::{Internal, Mailboxes, Reply};
use crate::pause::Pause;
use crate::readers::Wake;
use crate::states::States;
use crate::troubles::{Troubles, Work};
use crate::turn::Turn;
use crate::values::HeadWriter;
use crate::workers::JobQueue;

mod recover;

use recover::{Attempt, RebuildMaterials};

/// Without timers and values the thread checks this often.
pub const IDLE: Duration = Duration::from_millis(500);
/// Between two tries to hand a job to the workers.
const FULL_PAUSE: Duration = Duration::from_millis(5);
/// Between two tries to write a record that the journal refused.
const JOURNAL_PAUSE: Duration = Duration::from_millis(200);
/// Internal messages handled before a delivery gets its turn.
const INTERNAL_RUN_MAX: usize = 256;
/// The largest record of a step, without the marks of senders and the frame around it.
pub const STEP_BYTES_MAX: usize = journal::RECORD_BYTES_MAX - (1 << 20);
/// The most that a record takes to say since when an item is known.
const BIRTH_BYTES_MAX: usize = 32;

rt::metrics! {
    /// Shard threads.
    pub struct ShardMetrics in "saker_shard" {
        /// Values taken in, by shard.
        pub values_total: Family<Counter> = "shard",
        /// Nanoseconds of work, by shard.
        pub busy_ns_total: Family<Counter> = "shard",
        /// Values processed and written.
        pub processed_total: Counter,
        /// Values stored, by type; "unsupported" counts those that left their item unsupported.
        pub kinds_total: Family<Counter> = "type",
        /// Values refused by shards: unknown or older slot, disabled item, impossible time.
        pub refused_total: Counter,
        /// Values dropped because their item had one of the same second and nanosecond.
        pub repeated_total: Counter,
        /// Texts of which only the beginning was kept: longer than their type of information allows.
        pub texts_cut_total: Counter,
        /// Time of one step with its record, in seconds.
        pub step_seconds: TimeHistogram,
        /// Records that the journal refused at first.
        pub journal_refusals_total: Counter,
        /// Steps that failed by a bug; the shard was built anew and took the input once more.
        pub panics_total: Counter,
        /// Steps whose record would have been too large; the values came once more in smaller parts.
        pub too_large_total: Counter,
        /// Times that a shard was built anew from checkpoint and journal, after either of these.
        pub rebuilds_total: Counter,
        /// Inputs that failed so twice and were left out, and records that the journal would never take.
        pub skipped_total: Counter,
        /// Items put into quarantine because their values made steps fail again and again.
        pub quarantined_total: Counter,
        /// Values that wait for steps which run outside of the shard, by shard.
        pub pending_values: Family<Gauge> = "shard",
        /// Bytes of these values, by shard.
        pub pending_bytes: Family<Gauge> = "shard",
        /// Values refused because too many of their item waited.
        pub pending_refused_total: Counter,
        /// Values dropped while they waited: item disabled or deleted, or its steps changed.
        pub pending_dropped_total: Counter,
        /// Expression macros of event names that history did not answer in time for.
        pub event_name_macros_unknown_total: Counter,
        /// Evaluations of triggers that are deferred until history has answered, by shard.
        pub deferred_evaluations_waiting: Family<Gauge> = "shard",
        /// Deferred evaluations dropped because too many of their trigger, or of the shard, waited.
        pub deferred_evaluations_dropped_total: Counter,
        /// Rows of documents for items of other hosts: sent and taken, and what kept the others.
        pub dispatched_rows_total: Family<Counter> = "result",
        /// Questions to history that wait for room in its queue.
        pub fetches_waiting: Gauge,
    }
}

/// What a shard's thread shares with the others.
#[derive(Clone)]
pub struct ShardContext {
    pub journal: Journal,
    /// Sync each record before it counts as written.
    pub sync_each: bool,
    pub mailboxes: Mailboxes,
    pub fetches: Sender<(u16, Fetch)>,
    pub jobs: Arc<JobQueue>,
    pub cross_item_queries: Sender<(u16, CrossItemQuery)>,
    pub sessions: Arc<Sessions>,
    pub events: Wake,
    pub discovery: Wake,
    pub clock: Clock,
    pub metrics: ShardMetrics,
    /// The hard stop: what can't be written by then is given up.
    pub stop: Arc<dyn Pause>,
    /// Set once external input has ended, so that the threads may end too.
    pub drained: Arc<AtomicBool>,
    pub states: Arc<States>,
    pub troubles: Arc<Troubles>,
    /// [`STEP_BYTES_MAX`].
    pub step_bytes_max: usize,
    /// A server has none.
    pub faults: Option<Arc<dyn InjectFaults>>,
}

opaque_debug!(ShardContext);

/// What one shard begins with.
pub struct ShardParts {
    pub number: u16,
    pub n_shards: u16,
    pub shard: Shard,
    /// Its configuration.
    pub whole: WholePlan,
    /// What it had forwarded and nobody had taken.
    pub outbox: VecDeque<ForwardBatch>,
    pub deliveries: Receiver<Delivery>,
    pub internal: Receiver<Internal>,
    pub head: HeadWriter,
    pub checkpoints: Arc<Checkpoints>,
    pub context: ShardContext,
}

opaque_debug!(ShardParts);

/// One shard with what comes in, what leaves, and what waits.
pub struct ShardLoop {
    number: u16,
    shard: Shard,
    n_shards: u16,
    deliveries: Receiver<Delivery>,
    internal: Receiver<Internal>,
    head: HeadWriter,
    shared: ShardContext,
    effects: Effects,
    record: RecordBuilder,
    /// Forwarded batches that found no room.
    outbox: VecDeque<ForwardBatch>,
    /// Who waits for the outbox to be empty.
    barriers: Vec<Reply<()>>,
    /// Questions to history that found no room.
    fetches: VecDeque<Fetch>,
    cross_item_queries: VecDeque<CrossItemQuery>,
    /// Jobs for the workers that found no room.
    heavy: VecDeque<HeavyJob>,
    pending: PendingFigures,
    materials: RebuildMaterials,
    values: Counter,
    busy_ns: Counter,
    kinds: ValueTypeCounters,
    /// A record was given up at the hard stop: the shard is ahead of the journal, and nothing that comes
    /// after may be in it.
    has_given_up: bool,
}

opaque_debug!(ShardLoop);

/// Counters of values by type, fed once a step.
struct ValueTypeCounters {
    counts: [u64; 6],
    counters: [Counter; 6],
    unsupported: Counter,
}

/// What is told of what waits: values, events, moments of triggers.
struct PendingFigures {
    values: Gauge,
    bytes: Gauge,
    deferred_evaluations: Gauge,
    /// Told so far.
    refused: u64,
    dropped: u64,
    event_name_macros_unknown: u64,
    deferred_evaluations_dropped: u64,
    texts_cut: u64,
    repeated: u64,
    unsupported: u64,
    rows: RowCounters,
}

impl PendingFigures {
    fn new(metrics: &ShardMetrics, shard: &str) -> Self {
        let (values, bytes) = (metrics.pending_values.of(shard), metrics.pending_bytes.of(shard));
        Self {
            values,
            bytes,
            deferred_evaluations: metrics.deferred_evaluations_waiting.of(shard),
            refused: 0,
            dropped: 0,
            event_name_macros_unknown: 0,
            deferred_evaluations_dropped: 0,
            texts_cut: 0,
            repeated: 0,
            unsupported: 0,
            rows: RowCounters::default(),
        }
    }
}

impl ValueTypeCounters {
    fn new(metrics: &ShardMetrics) -> Self {
        let of = |name: &str| metrics.kinds_total.of(name);
        // By code of the value type.
        let counters = [of("float"), of("str"), of("log"), of("uint"), of("text"), of("binary")];
        Self { counts: [0; 6], counters, unsupported: of("unsupported") }
    }

    fn flush(&mut self) {
        for (count, counter) in self.counts.iter_mut().zip(&self.counters) {
            counter.add(std::mem::take(count));
        }
    }
}

impl ShardLoop {
    #[must_use]
    pub fn new(parts: ShardParts) -> Self {
        let (metrics, name) = (&parts.context.metrics, parts.number.to_string());
        Self {
            number: parts.number,
            shard: parts.shard,
            n_shards: parts.n_shards,
            deliveries: parts.deliveries,
            internal: parts.internal,
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

    /// What follows from the start itself; before the first turn.
    pub fn begin(&mut self) {
        let now = self.shared.clock.now();
        self.effects.clear();
        self.shard.start(now, &mut self.effects);
        self.commit_or_skip();
    }

    /// Internal input, what is due, and one delivery, for which it waits `wait_max` at most.
    pub fn turn(&mut self, wait_max: Duration) -> Turn {
        self.flush_outboxes();
        let n_internal = self.internal();
        if !self.has_given_up {
            self.timers();
        }
        if self.has_given_up {
            return Turn::Ended;
        }
        if !self.outbox.is_empty() {
            // No room for what new values might forward.
            return if n_internal == 0 { Turn::Full } else { Turn::More };
        }
        let pause = self.pause(n_internal);
        let turn = match self.deliveries.receive_timeout(pause.min(wait_max)) {
            Ok(delivery) => {
                self.delivery(delivery);
                Turn::More
            }
            Err(ReceiveError::Empty) if pause.is_zero() => Turn::More,
            Err(ReceiveError::Empty) => Turn::Idle(pause),
            Err(ReceiveError::Closed) => {
                self.shared.drained.store(true, Ordering::Relaxed);
                Turn::More
            }
        };
        let ended = self.shared.drained.load(Ordering::Relaxed);
        if self.has_given_up {
            return Turn::Ended;
        }
        if ended && self.internal.depth() == 0 && self.deliveries.depth() == 0 {
            return Turn::Ended;
        }
        turn
    }

    /// How much the shard holds, and what waits in it.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        self.shard.sizes()
    }

    /// At the hard stop: what finds no room comes again after the next start, from the journal.
    pub fn give_up_forwarding(&mut self) {
        self.outbox.clear();
    }

    fn pause(&self, n_internal: usize) -> Duration {
        if n_internal == INTERNAL_RUN_MAX {
            return Duration::ZERO;
        }
        if !self.heavy.is_empty() {
            return FULL_PAUSE;
        }
        let now = self.shared.clock.mono_ns();
        let due = self.shard.next_timer().map(|it| Duration::from_nanos(it.saturating_sub(now)));
        due.unwrap_or(IDLE).min(IDLE)
    }

    fn internal(&mut self) -> usize {
        for n in 0..INTERNAL_RUN_MAX {
            if self.has_given_up {
                return n;
            }
            let Ok(message) = self.internal.try_receive() else { return n };
            let started = self.shared.clock.mono_ns();
            self.message(message);
            self.busy_since(started);
        }
        INTERNAL_RUN_MAX
    }

    fn message(&mut self, message: Internal) {
        let now = self.shared.clock.now();
        match message {
            Internal::Configure(plan) => self.configure(now, *plan),
            Internal::CrossItemAnswer(answers) => {
                self.step(now, &Input::CrossItemAnswers(&answers));
            }
            Internal::Fetched(mut answers) => {
                self.skip_bad_windows(&mut answers);
                self.step(now, &Input::Fetched(&answers));
            }
            Internal::Forward(batch) => self.step(now, &Input::Forwarded(&batch)),
            Internal::Calculate(items) => {
                items.into_iter().for_each(|(at, item)| self.shard.calculate_soon(at, item, now));
            }
            Internal::HeavyDone(done) => self.step(now, &Input::HeavyDone(&[done])),
            Internal::Close(close, answer) => {
                if self.written(now, &Input::Close(&close)) {
                    // Who asked may have gone.
                    answer.try_send(()).ok();
                }
            }
            Internal::Checkpoint(partition, answer) => {
                // Later records of other shards change nothing here: a quiet shard does not make
                // the journal keep what only others wrote.
                let position = self.shared.journal.next_lsn().0;
                answer.send(self.shard.checkpoint(partition, position));
            }
            Internal::Barrier(answer) => {
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

    /// Takes values in and answers who waits for them. If they could not be written, nobody is
    /// told anything: they are sent again, to the next start.
    fn delivery(&mut self, delivery: Delivery) {
        if delivery.batch.is_empty() {
            return;
        }
        let now = self.shared.clock.now();
        self.values.add_n(delivery.batch.len());
        if !self.values(now, &delivery) {
            return;
        }
        let mut parts = delivery.parts.into_iter();
        let mut refused = 0;
        let mut processed = 0;
        for result in &self.effects.runs {
            processed += u64::from(result.processed);
            refused += u64::from(result.failed);
            if let Some(part) = parts.next() {
                part.settle(ingress::Outcome {
                    processed: result.processed,
                    failed: result.failed,
                    unsupported: result.unsupported,
                    cut: result.cut,
                });
            }
        }
        self.shared.metrics.processed_total.add(processed);
        self.shared.metrics.refused_total.add(refused);
        self.shared.metrics.step_seconds.observe_ns(self.busy_since(now.mono_ns));
    }

    fn busy_since(&self, started_ns: u64) -> u64 {
        let spent = self.shared.clock.mono_ns().saturating_sub(started_ns);
        self.busy_ns.add(spent);
        spent
    }

    /// One input, for which nobody waits.
    fn step(&mut self, now: Now, input: &Input<'_>) {
        // What is not written is told.
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

    /// As [`Self::publish`], for effects that are in no record yet; in several records if one is too
    /// small.
    fn commit(&mut self, marks: &[(&Claim, u64)]) -> Result<(), Unwritten> {
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

    /// As [`Self::commit`], for what follows from the configuration or from a start. What the journal
    /// will never take of it follows from the next start again.
    fn commit_or_skip(&mut self) {
        if let Err(Unwritten::Refused(error)) = self.commit(&[]) {
            self.skip_record(&error);
            self.effects.clear();
        }
    }

    /// Tells that a record is not written.
    fn skip_record(&mut self, error: &history::Error) {
        let shard = self.number;
        self.shared.metrics.skipped_total.inc();
        error!(shard, %error, "a record is left out: the journal will never take it");
        self.shared.troubles.begin(Work::SkippedRecord { shard }, error);
    }

    /// Writes the record of the effects, then lets them out. Marks of sessions move here, with the
    /// record that holds their values, and nowhere before.
    fn publish(&mut self, marks: &[(&Claim, u64)]) -> Result<(), Unwritten> {
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
            self.count_kinds();
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
        self.cross_item_queries.extend(self.effects.cross_item_queries.drain(..));
        self.flush_outboxes();
        self.count_pending();
        Ok(())
    }

    fn count_pending(&mut self) {
        let (counters, sizes) = (self.shard.counters(), self.shard.sizes());
        self.pending.values.set_n(sizes.values_pending);
        self.pending.bytes.set_n(sizes.bytes_pending);
        let metrics = &self.shared.metrics;
        let (refused, dropped) = (counters.pending_refused, counters.pending_dropped);
        metrics.pending_refused_total.add(refused - self.pending.refused);
        metrics.pending_dropped_total.add(dropped - self.pending.dropped);
        (self.pending.refused, self.pending.dropped) = (refused, dropped);
        metrics
            .event_name_macros_unknown_total
            .add(counters.event_name_macros_unknown - self.pending.event_name_macros_unknown);
        self.pending.event_name_macros_unknown = counters.event_name_macros_unknown;
        self.pending.deferred_evaluations.set_n(sizes.evaluations_deferred);
        metrics
            .deferred_evaluations_dropped_total
            .add(counters.deferred_dropped - self.pending.deferred_evaluations_dropped);
        self.pending.deferred_evaluations_dropped = counters.deferred_dropped;
        metrics.texts_cut_total.add(counters.texts_cut - self.pending.texts_cut);
        self.pending.texts_cut = counters.texts_cut;
        metrics.repeated_total.add(counters.repeated - self.pending.repeated);
        self.pending.repeated = counters.repeated;
        self.kinds.unsupported.add(counters.unsupported - self.pending.unsupported);
        self.pending.unsupported = counters.unsupported;
        self.count_rows(counters.rows);
    }

    fn count_rows(&mut self, rows: RowCounters) {
        let told = std::mem::replace(&mut self.pending.rows, rows);
        if rows == told {
            return;
        }
        let total = &self.shared.metrics.dispatched_rows_total;
        for (result, now, told) in [
            ("sent", rows.sent, told.sent),
            ("taken", rows.taken, told.taken),
            ("nameless", rows.nameless, told.nameless),
            ("unknown_host", rows.unknown_host, told.unknown_host),
            ("unknown_item", rows.unknown_item, told.unknown_item),
            ("not_taking", rows.not_taking, told.not_taking),
            ("ambiguous", rows.ambiguous, told.ambiguous),
            ("refused", rows.refused, told.refused),
        ] {
            total.of(result).add(now - told);
        }
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

    fn count_kinds(&mut self) {
        for row in &self.effects.values.rows {
            let at = usize::try_from(row.kind.code()).unwrap_or(0);
            if let Some(n) = self.kinds.counts.get_mut(at) {
                *n += 1;
            }
        }
        self.kinds.flush();
    }

    /// Hands out what waited for room.
    fn flush_outboxes(&mut self) {
        while let Some(batch) = self.outbox.pop_front() {
            let to = directory::shard_of(batch.to, self.n_shards);
            if let Err(Internal::Forward(batch)) =
                self.shared.mailboxes.try_send(to, Internal::Forward(batch))
            {
                self.outbox.push_front(batch);
                break;
            }
        }
        if self.outbox.is_empty() {
            self.barriers.drain(..).for_each(|it| it.send(()));
        }
        while let Some(fetch) = self.fetches.pop_front() {
            if let Err(SendError::Full(_)) = self.shared.fetches.try_send((self.number, fetch)) {
                self.fetches.push_front(fetch);
                break;
            }
        }
        while let Some(query) = self.cross_item_queries.pop_front() {
            if let Err(SendError::Full((_, query))) =
                self.shared.cross_item_queries.try_send((self.number, query))
            {
                self.cross_item_queries.push_front(query);
                break;
            }
        }
        self.shared.metrics.fetches_waiting.set_n(self.fetches.len());
        // Where one line is full another may have room.
        for job in std::mem::take(&mut self.heavy) {
            if let Err(job) = self.shared.jobs.offer(self.number, job) {
                self.heavy.push_back(job);
            }
        }
    }
}

/// Why a record is not in the journal.
enum Unwritten {
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
                shared.troubles.begin(work, &error);
                if shared.stop.pause(JOURNAL_PAUSE) {
                    error!(shard, %error, "stopped without writing a record");
                    break Err(Unwritten::Stopped);
                }
            }
        }
    };
    if has_waited {
        shared.troubles.end(work);
    }
    done
}

/// What senders are told of a batch that is not in the journal.
fn refused(batch: &Batch) -> Vec<RunResult> {
    let rows = ingress::run_lengths(&batch.runs);
    rows.map(|failed| RunResult { failed, ..RunResult::default() }).collect()
}

/// An input's references once more.
fn reborrowed<'a>(input: &Input<'a>) -> Input<'a> {
    match input {
        Input::Batch(it) => Input::Batch(it),
        Input::Timer => Input::Timer,
        Input::Fetched(it) => Input::Fetched(it),
        Input::Forwarded(it) => Input::Forwarded(it),
        Input::ForwardedRow(to, row) => Input::ForwardedRow(*to, row),
        Input::HeavyDone(it) => Input::HeavyDone(it),
        Input::CrossItemAnswers(it) => Input::CrossItemAnswers(it),
        Input::Close(it) => Input::Close(it),
    }
}

#[cfg(test)]
mod tests;
