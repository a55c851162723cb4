//! The entry to the engine: from requests and polls to batches for shards.
//!
//! An [`IngressRequest`] gathers the rows of one sender request, agent message or poll in one small batch
//! per shard. [`Ingress::submit`] hands them over: large parts go to the shard's queue as they are.
//! The first small one begins a batch, whose place in the queue it takes; parts that arrive before
//! the shard has reached that place join it, up to [`BATCH_ROWS`]. So a free shard gets a lone
//! request at once, and everything that arrives while it works is one step and one record: a hop to
//! a shard costs microseconds a batch and nothing a value. There is no timer. Each request has a
//! ticket, whose parts the shards' threads settle once the rows' record is written; only then is
//! the request answered. A part that is dropped unsettled, because its shard has ended, ends the
//! waiting with [`Closed`]: it is then unknown whether its rows are written.
//!
//! A large request is sent in several parts ([`Submission`]), so that neither a step nor its record
//! grows with the request of one peer.
//!
//! Bounds: a shard's queue holds [`QUEUE_BATCHES`] deliveries, including gathered ones; when it is
//! full, submitters wait, and with them the sockets they read. Nothing is dropped. Waiting has no
//! time-out here: submitters have one, and may be dropped at any time.

mod sessions;

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::batch::{ArenaFull, Batch, Extra, RawRef, Refused, Run};
use model::{Time, limits};
use rt::clock::Clock;
use rt::metrics::{Counter, Registry};
use rt::queue::{self, ReceiveError, Receiver, Sender, WhenFull};
use tokio::sync::Notify;

pub use sessions::{Claim, Sessions, Taken, Watermark};

/// The destination of an item's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    pub shard: u16,
    pub slot: u32,
}

/// Rows of a full batch: the hop to a shard (4 µs) is then 4 ns a value.
pub const BATCH_ROWS: usize = 1_000;
/// Parts of at least this many rows are not batched with others.
const LARGE_ROWS: usize = 250;
/// Deliveries waiting for one shard: 64 full batches are 64,000 values, some 10 ms of work.
pub const QUEUE_BATCHES: usize = 64;
/// Text of a batch that is handed over although it has few rows: large values should not be copied
/// into one arena by the hundred.
const BATCH_BYTES: usize = 1 << 20;
/// Rows of a request that go to a shard in one step: some milliseconds of its time.
const PART_ROWS: usize = 10_000;
/// Text of a request that goes to a shard in one step: a record, which has at most 64 MiB, holds it
/// even if most of it is stored several times, for dependent items.
const PART_BYTES: usize = 4 << 20;

rt::metrics! {
    /// Values on their way to the shards.
    pub struct IngressMetrics in "saker_ingress", formerly "collect_ingress" {
        /// Rows handed to shards.
        pub rows_total: Counter,
        /// Batches handed to shards.
        pub batches_total: Counter,
        /// Rows refused before a shard saw them: unknown host or key, wrong kind of item, not allowed.
        pub refused_total: Counter,
    }
}

/// The input of a shard's thread: a batch, and the waiting callers of its runs.
#[derive(Debug, Default)]
pub struct Delivery {
    /// `batch.runs` has one run per part, in order. Without runs no caller waits.
    pub batch: Batch,
    pub parts: Vec<Part>,
    /// Written into the same record as the rows.
    pub marks: Vec<Mark>,
}

impl Delivery {
    fn is_full(&self) -> bool {
        BATCH_ROWS <= self.batch.len() || BATCH_BYTES <= self.batch.arena_len()
    }

    /// How far the sessions of these rows are once the rows are written: written into the same
    /// record, and passed to [`Claim::written`] after that.
    pub fn marks_of(&self, rows: Range<u32>) -> impl Iterator<Item = (&Claim, u64)> {
        self.marks.iter().filter_map(move |mark| {
            let run = self.batch.runs.get(mark.run)?;
            let start = match mark.run.checked_sub(1) {
                Some(before) => self.batch.runs.get(before)?.end,
                None => 0,
            };
            let last =
                run.end.min(rows.end).checked_sub(1).filter(|it| start.max(rows.start) <= *it)?;
            let reached = *mark.reached.get((last - start) as usize)?;
            (reached != 0).then_some((&*mark.claim, reached))
        })
    }
}

/// A run whose rows are values of a session.
#[derive(Debug)]
pub struct Mark {
    /// Its position in the batch.
    run: usize,
    claim: Arc<Claim>,
    /// By row of the run: the highest id of the session up to it; 0: none.
    reached: Vec<u64>,
}

/// The outcome of the rows of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    pub processed: u32,
    pub failed: u32,
    /// Processed values that left their item unsupported.
    pub unsupported: u32,
    /// Processed texts that were kept in part.
    pub cut: u32,
}

impl Outcome {
    #[must_use]
    pub fn processed(rows: u32) -> Self {
        Self { processed: rows, ..Self::default() }
    }

    #[must_use]
    pub fn failed(rows: u32) -> Self {
        Self { failed: rows, ..Self::default() }
    }
}

/// Counts the unsettled parts of a request; shard threads settle them.
#[derive(Debug, Default)]
struct Ticket {
    parts_left: AtomicU32,
    processed: AtomicU32,
    failed: AtomicU32,
    unsupported: AtomicU32,
    cut: AtomicU32,
    /// Numbers of refused rows ([`IngressRequest::push_numbered`]).
    refused: Mutex<Vec<(u32, Refused)>>,
    /// A part was dropped.
    is_lost: AtomicBool,
    done: Notify,
}

impl Ticket {
    fn part(self: &Arc<Self>, numbers: Vec<u32>) -> Part {
        self.parts_left.fetch_add(1, Ordering::Relaxed);
        Part { ticket: Some(Arc::clone(self)), numbers }
    }

    fn end_part(&self) {
        // Release: a reader of zero also sees all counts.
        if self.parts_left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.notify_one();
        }
    }

    /// Waits until each part is settled or dropped; all have been made.
    async fn wait(&self) -> Result<Outcome, Closed> {
        loop {
            let notified = self.done.notified();
            if self.parts_left.load(Ordering::Acquire) == 0 {
                break;
            }
            notified.await;
        }
        if self.is_lost.load(Ordering::Relaxed) {
            return Err(Closed);
        }
        Ok(Outcome {
            processed: self.processed.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
            unsupported: self.unsupported.load(Ordering::Relaxed),
            cut: self.cut.load(Ordering::Relaxed),
        })
    }
}

/// Rows of a request with or without a waiting caller. Dropped without being settled, it reports to
/// the caller that the outcome of the rows is unknown.
#[derive(Debug)]
pub struct Part {
    ticket: Option<Arc<Ticket>>,
    /// Numbers of the rows, if the caller wants to know which ones are refused.
    numbers: Vec<u32>,
}

impl Part {
    /// The rows are written, or the shard refused them.
    pub fn settle(self, outcome: Outcome) {
        self.settle_rows(outcome, &[]);
    }

    /// As [`Self::settle`], with the refused rows by their place in the run.
    pub fn settle_rows(mut self, outcome: Outcome, refused: &[(u32, Refused)]) {
        let Some(ticket) = self.ticket.take() else { return };
        if !self.numbers.is_empty() && !refused.is_empty() {
            let number = |(row, why): &(u32, Refused)| {
                let at = usize::try_from(*row).ok()?;
                Some((*self.numbers.get(at)?, *why))
            };
            lock(&ticket.refused).extend(refused.iter().filter_map(number));
        }
        ticket.processed.fetch_add(outcome.processed, Ordering::Relaxed);
        ticket.failed.fetch_add(outcome.failed, Ordering::Relaxed);
        ticket.unsupported.fetch_add(outcome.unsupported, Ordering::Relaxed);
        ticket.cut.fetch_add(outcome.cut, Ordering::Relaxed);
        ticket.end_part();
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            ticket.is_lost.store(true, Ordering::Relaxed);
            ticket.end_part();
        }
    }
}

/// The rows of one request, by shard.
#[derive(Debug)]
pub struct IngressRequest {
    parts: Vec<Batch>,
    refused: u32,
    /// Whether a part is so large that the next rows should go into another request.
    is_full: bool,
    /// Rows that a part makes room for with its first one.
    expected_rows: usize,
    /// The session whose values some rows are. They all go to one shard, because a session belongs
    /// to one host.
    session: Option<SessionRows>,
    /// By part: numbers of its rows; see [`IngressRequest::push_numbered`]. Empty if the caller does not
    /// need them.
    numbers: Vec<Vec<u32>>,
}

/// See [`Mark`].
#[derive(Debug)]
struct SessionRows {
    shard: usize,
    claim: Arc<Claim>,
    /// For each row of that shard that was checked: the newest id up to it.
    reached: Vec<u64>,
}

impl IngressRequest {
    /// Appends a row. The shard decides about a time more than a day ahead.
    ///
    /// # Errors
    /// If the request holds more text than a batch may.
    pub fn push(&mut self, to: Target, time: Time, value: RawRef<'_>) -> Result<(), ArenaFull> {
        match self.parts.get_mut(usize::from(to.shard)) {
            Some(part) => {
                if part.is_empty() {
                    part.reserve(self.expected_rows);
                }
                part.push(to.slot, time, value)?;
                self.is_full |= PART_ROWS <= part.len() || PART_BYTES <= part.arena_len();
                Ok(())
            }
            None => {
                self.refuse();
                Ok(())
            }
        }
    }

    /// Announces this many rows: room for them is made at once instead of by doubling, but not for
    /// more than one step handles.
    pub fn expect_rows(&mut self, n_rows: usize) {
        self.expected_rows = n_rows.min(PART_ROWS);
    }

    /// As [`Self::push`] for a peer that wants to know which rows are refused, by these numbers of
    /// its own: [`Submission::wait_refused`]. Either all rows of a request have numbers, or none.
    ///
    /// # Errors
    /// As there.
    pub fn push_numbered(
        &mut self,
        (number, to): (u32, Target),
        time: Time,
        value: RawRef<'_>,
    ) -> Result<(), ArenaFull> {
        self.push(to, time, value)?;
        self.numbers.resize_with(self.parts.len(), Vec::new);
        if let Some(numbers) = self.numbers.get_mut(usize::from(to.shard)) {
            numbers.push(number);
        }
        Ok(())
    }

    /// Adds log fields or a position to the row pushed last for that shard.
    pub fn extra(&mut self, to: Target, mut extra: Extra) {
        if let Some(part) = self.parts.get_mut(usize::from(to.shard))
            && let Some(row) = part.len().checked_sub(1).and_then(|it| u32::try_from(it).ok())
        {
            extra.row = row;
            if let Some(log) = &mut extra.log {
                truncate(&mut log.source, limits::LOG_SOURCE_MAX);
            }
            part.extras.push(extra);
        }
    }

    /// The row pushed last for that shard is the value `id` of a session. All values of a request
    /// belong to one session.
    pub fn mark(&mut self, to: Target, claim: &Arc<Claim>, id: u64) {
        let shard = usize::from(to.shard);
        let Some(part) = self.parts.get(shard) else { return };
        let session_rows = self.session.get_or_insert_with(|| SessionRows {
            shard,
            claim: Arc::clone(claim),
            reached: Vec::with_capacity(LARGE_ROWS),
        });
        if session_rows.shard == shard && !part.is_empty() {
            session_rows.reach(part.len(), id);
        }
    }

    /// Counts a row that is refused before any shard.
    pub fn refuse(&mut self) {
        self.refused += 1;
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(Batch::is_empty)
    }

    /// Whether it is so large that the next rows should go into another one.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}

impl SessionRows {
    /// The first `n_rows` rows of the part are checked; the last of them has this id.
    fn reach(&mut self, n_rows: usize, id: u64) {
        let before = self.reached.last().copied().unwrap_or(0);
        self.reached.resize(n_rows - 1, before);
        self.reached.push(before.max(id));
    }

    /// All rows of the part are checked.
    fn end(mut self, n_rows: usize, run: usize) -> Mark {
        let last = self.reached.last().copied().unwrap_or(0);
        self.reached.resize(n_rows, last);
        Mark { run, claim: self.claim, reached: self.reached }
    }
}

fn truncate(text: &mut String, chars_max: usize) {
    if let Some((at, _)) = text.char_indices().nth(chars_max) {
        text.truncate(at);
    }
}

/// The rows of one peer's request, in several [`IngressRequest`]s one after another.
#[derive(Debug)]
pub struct Submission {
    ingress: Ingress,
    ticket: Arc<Ticket>,
    refused: u32,
    n_added: u32,
}

/// Whether the rows of a request end with this [`IngressRequest`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    Yes,
    No,
}

/// How small parts reach their shard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Handover {
    Batched,
    /// At once: in their place before later parts. A session's rows must not overtake those before
    /// them, or its mark would stand for rows that are not written.
    Direct,
}

impl Submission {
    /// Hands rows over; waits for room in the shards' queues.
    ///
    /// # Errors
    /// When the process shuts down.
    pub async fn add(&mut self, request: IngressRequest, last: Last) -> Result<(), Closed> {
        let is_alone = self.n_added == 0 && last == Last::Yes;
        self.n_added += 1;
        self.refused = self.refused.saturating_add(request.refused);
        let way = if is_alone { Handover::Batched } else { Handover::Direct };
        self.ingress.deliver(request, Some(&self.ticket), way).await
    }

    /// Waits until all rows are written. Refused ones count as failed.
    ///
    /// # Errors
    /// When the process shuts down; it is then unknown which rows are written.
    pub async fn wait(self) -> Result<Outcome, Closed> {
        let mut outcome = self.ticket.wait().await?;
        outcome.failed = outcome.failed.saturating_add(self.refused);
        Ok(outcome)
    }

    /// As [`Self::wait`]; returns the rows that shards refused, by their numbers, in order.
    ///
    /// # Errors
    /// As there.
    pub async fn wait_refused(self) -> Result<Vec<(u32, Refused)>, Closed> {
        self.ticket.wait().await?;
        let mut refused = mem::take(&mut *lock(&self.ticket.refused));
        refused.sort_unstable();
        Ok(refused)
    }
}

/// The way into the shards. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ingress(Arc<IngressShared>);

#[derive(Debug)]
struct IngressShared {
    shards: Vec<ShardMailbox>,
    /// Emptied requests, to be used again with their memory.
    pool: Mutex<Vec<IngressRequest>>,
    metrics: IngressMetrics,
}

/// An entry of a shard's queue.
#[derive(Debug)]
enum Entry {
    Whole(Delivery),
    /// The place of the oldest batch of [`Gathering`].
    Gathered,
}

/// Locked after the queue, never before it.
#[derive(Debug, Default)]
struct Gathering {
    /// Batches of small parts, the oldest first: each has its place in the queue, and the last one
    /// may still grow.
    batches: VecDeque<Delivery>,
    /// Emptied deliveries, to be used again with their memory.
    spare: Vec<Delivery>,
}

/// Deliveries that are kept empty for each shard: some megabytes at most.
const SPARE_MAX: usize = 4;

#[derive(Debug)]
struct ShardMailbox {
    queue: Sender<Entry>,
    gathering: Arc<Mutex<Gathering>>,
}

/// A part, and its waiting caller.
struct SmallPart<'a> {
    rows: &'a Batch,
    waiting: Option<(Part, Option<SessionRows>)>,
}

impl SmallPart<'_> {
    fn put_into(&mut self, batch: &mut Delivery) {
        let run = batch.batch.runs.len();
        // Cannot fail below BATCH_BYTES a part and BATCH_BYTES a batch.
        if batch.batch.append_run(self.rows).is_ok()
            && let Some((waiting, session_rows)) = self.waiting.take()
        {
            batch.parts.push(waiting);
            batch.marks.extend(session_rows.map(|it| it.end(self.rows.len(), run)));
        }
    }
}

impl ShardMailbox {
    /// Adds a part to the batch that the shard has not reached yet, if there is one with room for it.
    fn join(&self, part: &mut SmallPart<'_>) -> bool {
        let mut gathering = lock(&self.gathering);
        let Some(last) = gathering.batches.back_mut() else { return false };
        if last.batch.epoch != part.rows.epoch || last.is_full() {
            return false;
        }
        part.put_into(last);
        true
    }

    /// Begins a batch. The caller has a place in the queue for it.
    fn begin(&self, part: &mut SmallPart<'_>) {
        let mut gathering = lock(&self.gathering);
        let mut batch = gathering.spare.pop().unwrap_or_default();
        part.put_into(&mut batch);
        gathering.batches.push_back(batch);
    }

    fn spare(&self) -> Delivery {
        lock(&self.gathering).spare.pop().unwrap_or_default()
    }
}

/// The end of a shard's queue that it reads.
#[derive(Debug)]
pub struct Deliveries {
    // Dropped in this order: a sender that finds no reader gathers nothing more.
    queue: Receiver<Entry>,
    gathered: Gathered,
}

/// The reading side of [`Gathering`]. Its end is reported to every caller that waits for a part of
/// it.
#[derive(Debug)]
struct Gathered(Arc<Mutex<Gathering>>);

impl Drop for Gathered {
    fn drop(&mut self) {
        let left = mem::take(&mut *lock(&self.0));
        drop(left);
    }
}

impl Deliveries {
    /// Waits for a delivery for at most `time_max`. For threads.
    ///
    /// # Errors
    /// [`ReceiveError::Empty`] when the time is over, or after [`Ingress::wake`];
    /// [`ReceiveError::Closed`] when nothing is left and all senders are gone.
    pub fn receive_timeout(&self, time_max: Duration) -> Result<Delivery, ReceiveError> {
        Ok(self.take(self.queue.receive_timeout(time_max)?))
    }

    /// The next delivery if there is one.
    ///
    /// # Errors
    /// [`ReceiveError`] says whether another delivery may follow.
    pub fn try_receive(&self) -> Result<Delivery, ReceiveError> {
        Ok(self.take(self.queue.try_receive()?))
    }

    /// The next delivery; `None` when nothing is left and all senders are gone. Cancel-safe.
    pub async fn receive(&self) -> Option<Delivery> {
        Some(self.take(self.queue.receive().await?))
    }

    /// Takes back the memory of a delivery. Callers that still wait for its rows learn that the
    /// outcome is unknown.
    pub fn recycle(&self, mut delivery: Delivery) {
        // Unusually large memory of a storm is not kept.
        let is_usual =
            delivery.batch.len() <= PART_ROWS && delivery.batch.arena_len() < BATCH_BYTES;
        delivery.batch.clear();
        delivery.parts.clear();
        delivery.marks.clear();
        let mut gathering = lock(&self.gathered.0);
        if is_usual && gathering.spare.len() < SPARE_MAX {
            gathering.spare.push(delivery);
        }
    }

    /// Deliveries waiting now.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.queue.depth()
    }

    fn take(&self, entry: Entry) -> Delivery {
        match entry {
            Entry::Whole(delivery) => delivery,
            Entry::Gathered => {
                let oldest = lock(&self.gathered.0).batches.pop_front();
                oldest.expect("each place of a gathered batch has its batch")
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process is shutting down: no more rows are accepted, and it is unknown which ones are
/// written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the server is shutting down")]
pub struct Closed;

impl Ingress {
    /// The way into `n_shards` shards, and the receiving ends of their queues.
    #[must_use]
    pub fn new(n_shards: u16, clock: &Clock, registry: &Registry) -> (Self, Vec<Deliveries>) {
        let (shards, deliveries): (Vec<_>, Vec<_>) = (0..n_shards)
            .map(|shard| {
                let name = format!("shard-{shard}");
                let (queue, receiver) =
                    queue::bounded(&name, QUEUE_BATCHES, WhenFull::Block, clock, registry);
                let gathering = Arc::<Mutex<Gathering>>::default();
                let gathered = Gathered(Arc::clone(&gathering));
                let deliveries = Deliveries { queue: receiver, gathered };
                (ShardMailbox { queue, gathering }, deliveries)
            })
            .unzip();
        let metrics = IngressMetrics::register(registry);
        (Self(Arc::new(IngressShared { shards, pool: Mutex::default(), metrics })), deliveries)
    }

    /// An empty request whose rows are looked up under `epoch`.
    #[must_use]
    pub fn request(&self, epoch: u64) -> IngressRequest {
        let pooled = lock(&self.0.pool).pop();
        let mut request = pooled.unwrap_or_else(|| IngressRequest {
            parts: self.0.shards.iter().map(|_| Batch::default()).collect(),
            refused: 0,
            is_full: false,
            expected_rows: 0,
            session: None,
            numbers: Vec::new(),
        });
        request.expected_rows = 0;
        for part in &mut request.parts {
            part.epoch = epoch;
        }
        request
    }

    /// Hands the rows over and waits until they are written. Refused rows count as failed.
    ///
    /// # Errors
    /// When the process shuts down; it is then unknown which rows are written.
    pub async fn submit(&self, request: IngressRequest) -> Result<Outcome, Closed> {
        let mut submission = self.submission();
        submission.add(request, Last::Yes).await?;
        submission.wait().await
    }

    /// For requests whose rows arrive in several [`IngressRequest`]s.
    #[must_use]
    pub fn submission(&self) -> Submission {
        Submission { ingress: self.clone(), ticket: Arc::default(), refused: 0, n_added: 0 }
    }

    /// Hands the rows over; waits only for room in the shards' queues.
    ///
    /// # Errors
    /// When the process shuts down.
    pub async fn post(&self, request: IngressRequest) -> Result<(), Closed> {
        self.deliver(request, None, Handover::Batched).await
    }

    /// Wakes a shard's thread that waits for external input.
    pub fn wake(&self, shard: u16) {
        if let Some(mailbox) = self.0.shards.get(usize::from(shard)) {
            mailbox.queue.interrupt();
        }
    }

    async fn deliver(
        &self,
        mut request: IngressRequest,
        ticket: Option<&Arc<Ticket>>,
        way: Handover,
    ) -> Result<(), Closed> {
        self.0.metrics.refused_total.add(u64::from(request.refused));
        let mut session = request.session.take();
        for (shard, part) in request.parts.iter_mut().enumerate() {
            let Some(mailbox) = self.0.shards.get(shard) else { continue };
            if part.is_empty() {
                continue;
            }
            self.0.metrics.rows_total.add_n(part.len());
            let is_large = LARGE_ROWS <= part.len() || BATCH_BYTES <= part.arena_len();
            let numbers = request.numbers.get_mut(shard).map(mem::take).unwrap_or_default();
            let waiting = match ticket {
                Some(ticket) => ticket.part(numbers),
                None => Part { ticket: None, numbers },
            };
            let session_rows = session.take_if(|it| it.shard == shard);
            if is_large || way == Handover::Direct {
                let end = u32::try_from(part.len()).expect("a request has fewer than 2^32 rows");
                part.runs.push(Run { end });
                let mut delivery = mailbox.spare();
                delivery.parts.push(waiting);
                delivery.marks.extend(session_rows.map(|it| it.end(part.len(), 0)));
                mem::swap(&mut delivery.batch, part);
                self.send(mailbox, delivery).await?;
            } else {
                let waiting = Some((waiting, session_rows));
                self.gather(mailbox, SmallPart { rows: part, waiting }).await?;
            }
        }
        self.recycle(request);
        Ok(())
    }

    /// Adds a small part to the batch that its shard has not reached yet, or begins one, for which
    /// it waits for a place in the queue. May be dropped while it waits: then its rows are not
    /// sent.
    async fn gather(&self, mailbox: &ShardMailbox, mut part: SmallPart<'_>) -> Result<(), Closed> {
        if mailbox.join(&mut part) {
            return Ok(());
        }
        let begin = || {
            // Another thread may have begun one meanwhile.
            if mailbox.join(&mut part) {
                return None;
            }
            mailbox.begin(&mut part);
            self.0.metrics.batches_total.inc();
            Some(Entry::Gathered)
        };
        mailbox.queue.send_from(begin).await.map_err(|_closed| Closed)
    }

    async fn send(&self, mailbox: &ShardMailbox, delivery: Delivery) -> Result<(), Closed> {
        self.0.metrics.batches_total.inc();
        // Dropping the delivery reports to its callers that it was not sent.
        mailbox.queue.send(Entry::Whole(delivery)).await.map_err(|_unsent| Closed)
    }

    fn recycle(&self, mut request: IngressRequest) {
        request.refused = 0;
        request.is_full = false;
        request.session = None;
        request.numbers.clear();
        request.parts.iter_mut().for_each(Batch::clear);
        let mut pool = lock(&self.0.pool);
        // A request's memory is some 100 kB: the pool keeps enough for a busy moment, not for a
        // storm.
        if pool.len() < 256 && request.parts.iter().all(|it| it.arena_len() < BATCH_BYTES) {
            pool.push(request);
        }
    }
}

/// The number of rows of each run.
pub fn run_lengths(runs: &[Run]) -> impl Iterator<Item = u32> {
    let mut start = 0;
    runs.iter().map(move |run| {
        let rows = run.end.saturating_sub(start);
        start = run.end;
        rows
    })
}

#[cfg(test)]
mod tests;
