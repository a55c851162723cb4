//! From requests and polls to batches for shards.
//!
//! A [`Request`] gathers the rows of one sender request, agent message or poll in one small batch
//! per shard. [`Ingress::submit`] hands them over: large parts go to the shard's queue as they are,
//! small ones are gathered with those of other requests until there are [`BATCH_ROWS`] or
//! [`GATHER_MAX`] has passed, because a hop to a shard costs microseconds a batch and nothing a
//! value. Each request has a [`Ticket`], which the shard's thread settles once the rows' record is
//! written; only then is the request answered.
//!
//! Bounds: a shard's queue holds [`QUEUE_BATCHES`] deliveries; when it is full, submitters wait,
//! and with them the sockets they read. Nothing is dropped.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::batch::{ArenaFull, Batch, Extra, RawRef, Run};
use model::{HostId, Time, limits};
use rt::clock::Clock;
use rt::metrics::{Counter, Registry};
use rt::queue::{self, Receiver, SendError, Sender, WhenFull};
use rt::task::Tasks;
use tokio::sync::Notify;

use crate::Target;

/// Rows of a full batch: the hop to a shard (4 µs) is then 4 ns a value.
pub const BATCH_ROWS: usize = 1_000;
/// Parts of at least this many rows are not gathered with others.
const LARGE_ROWS: usize = 250;
/// How long small parts are gathered at most.
pub const GATHER_MAX: Duration = Duration::from_millis(1);
/// Deliveries waiting for one shard: 64 full batches are 64,000 values, some 10 ms of work.
pub const QUEUE_BATCHES: usize = 64;
/// Text of a batch that is handed over although it has few rows: large values should not be copied
/// into one arena by the hundred.
const BATCH_BYTES: usize = 1 << 20;

rt::metrics! {
    /// Values on their way to the shards.
    pub struct IngressMetrics in "collect_ingress" {
        /// Rows handed to shards.
        pub rows_total: Counter,
        /// Batches handed to shards.
        pub batches_total: Counter,
        /// Rows refused before a shard saw them: unknown host or key, wrong kind of item, not allowed.
        pub refused_total: Counter,
    }
}

/// What a shard's thread gets: a batch, and who waits for which of its runs.
#[derive(Debug, Default)]
pub struct Delivery {
    /// `batch.runs` has one run per ticket, in order. Without any, nobody waits.
    pub batch: Batch,
    pub tickets: Vec<Arc<Ticket>>,
    /// To be written into the same record as the rows.
    pub watermarks: Vec<Watermark>,
}

/// How far a session's values are taken: written with them, so that what the peer sends again after
/// a crash is known as a repetition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watermark {
    pub host: HostId,
    /// The peer's token of its run, 32 characters.
    pub session: Arc<str>,
    /// Ids up to this one are taken.
    pub last_id: u64,
}

/// What became of the rows of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    pub processed: u32,
    pub failed: u32,
    /// Of those processed: they left their item unsupported instead of a value.
    pub unsupported: u32,
    /// Of those processed: texts that were kept in part.
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

/// Counts down the parts of a request; settled by shard threads.
#[derive(Debug)]
pub struct Ticket {
    parts_left: AtomicU32,
    processed: AtomicU32,
    failed: AtomicU32,
    unsupported: AtomicU32,
    cut: AtomicU32,
    done: Notify,
}

impl Ticket {
    fn new(parts: u32) -> Self {
        Self {
            parts_left: AtomicU32::new(parts),
            processed: AtomicU32::new(0),
            failed: AtomicU32::new(0),
            unsupported: AtomicU32::new(0),
            cut: AtomicU32::new(0),
            done: Notify::new(),
        }
    }

    /// One part's rows are written (or were refused by the shard).
    pub fn settle(&self, part: Outcome) {
        self.processed.fetch_add(part.processed, Ordering::Relaxed);
        self.failed.fetch_add(part.failed, Ordering::Relaxed);
        self.unsupported.fetch_add(part.unsupported, Ordering::Relaxed);
        self.cut.fetch_add(part.cut, Ordering::Relaxed);
        // Release: whoever sees zero also sees all counts.
        if self.parts_left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.notify_one();
        }
    }

    async fn wait(&self) -> Outcome {
        loop {
            let notified = self.done.notified();
            if self.parts_left.load(Ordering::Acquire) == 0 {
                return Outcome {
                    processed: self.processed.load(Ordering::Relaxed),
                    failed: self.failed.load(Ordering::Relaxed),
                    unsupported: self.unsupported.load(Ordering::Relaxed),
                    cut: self.cut.load(Ordering::Relaxed),
                };
            }
            notified.await;
        }
    }
}

/// The rows of one request, by shard.
#[derive(Debug)]
pub struct Request {
    parts: Vec<Batch>,
    refused: u32,
    watermark: Option<Watermark>,
}

impl Request {
    /// Appends a row. A time of more than a day ahead is the shard's to judge, not ours.
    ///
    /// # Errors
    /// If the request holds more text than a batch may.
    pub fn push(&mut self, to: Target, time: Time, value: RawRef<'_>) -> Result<(), ArenaFull> {
        match self.parts.get_mut(usize::from(to.shard)) {
            Some(part) => part.push(to.slot, time, value),
            None => {
                self.refuse();
                Ok(())
            }
        }
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

    /// Rows of this request are values of a session up to this mark. They all go to one shard,
    /// because a session is one host's.
    pub fn mark(&mut self, watermark: Watermark) {
        self.watermark = Some(watermark);
    }

    /// Counts a row that no shard gets to see.
    pub fn refuse(&mut self) {
        self.refused += 1;
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(Batch::is_empty)
    }
}

fn truncate(text: &mut String, chars_max: usize) {
    if let Some((at, _)) = text.char_indices().nth(chars_max) {
        text.truncate(at);
    }
}

/// The way into the shards. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Ingress(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shards: Vec<Lane>,
    /// Emptied requests, to be used again with their memory.
    pool: Mutex<Vec<Request>>,
    metrics: IngressMetrics,
}

#[derive(Debug)]
struct Lane {
    queue: Sender<Delivery>,
    gathering: Mutex<Delivery>,
    /// Wakes the task that hands over what was gathered.
    gathered: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process is shutting down: nothing more is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the server is shutting down")]
pub struct Closed;

impl Ingress {
    /// Opens `n_shards` lanes and starts one gathering task for each; gives the receiving ends.
    #[must_use]
    pub fn open(
        n_shards: u16,
        clock: &Clock,
        registry: &Registry,
        tasks: &Tasks,
    ) -> (Self, Vec<Receiver<Delivery>>) {
        let (shards, receivers): (Vec<_>, Vec<_>) = (0..n_shards)
            .map(|shard| {
                let name = format!("shard-{shard}");
                let (queue, receiver) =
                    queue::bounded(&name, QUEUE_BATCHES, WhenFull::Block, clock, registry);
                let gathering = Mutex::default();
                (Lane { queue, gathering, gathered: Notify::new() }, receiver)
            })
            .unzip();
        let metrics = IngressMetrics::register(registry);
        let ingress = Self(Arc::new(Inner { shards, pool: Mutex::default(), metrics }));
        for shard in 0..n_shards {
            let (ingress, clock) = (ingress.clone(), clock.clone());
            let shutdown = tasks.shutdown().clone();
            tasks.spawn(&format!("gather-{shard}"), async move {
                tokio::select! {
                    () = ingress.gather(shard, &clock) => {}
                    () = shutdown.cancelled() => {}
                }
                // What was gathered is somebody's request: hand it over whatever happens.
                ingress.hand_over(shard).await.ok();
            });
        }
        (ingress, receivers)
    }

    /// An empty request whose rows are looked up under `epoch`.
    #[must_use]
    pub fn request(&self, epoch: u64) -> Request {
        let pooled = lock(&self.0.pool).pop();
        let mut request = pooled.unwrap_or_else(|| Request {
            parts: self.0.shards.iter().map(|_| Batch::default()).collect(),
            refused: 0,
            watermark: None,
        });
        for part in &mut request.parts {
            part.epoch = epoch;
        }
        request
    }

    /// Hands the rows over and waits until they are written. Refused rows count as failed.
    ///
    /// # Errors
    /// When the process shuts down.
    pub async fn submit(&self, request: Request) -> Result<Outcome, Closed> {
        let refused = request.refused;
        let parts = request.parts.iter().filter(|it| !it.is_empty()).count();
        let ticket = Arc::new(Ticket::new(u32::try_from(parts).unwrap_or(u32::MAX)));
        self.deliver(request, Some(&ticket)).await?;
        let mut outcome = if parts == 0 { Outcome::default() } else { ticket.wait().await };
        outcome.failed = outcome.failed.saturating_add(refused);
        Ok(outcome)
    }

    /// Hands the rows over; waits only for room in the shards' queues.
    ///
    /// # Errors
    /// When the process shuts down.
    pub async fn post(&self, request: Request) -> Result<(), Closed> {
        self.deliver(request, None).await
    }

    /// Wakes a shard's thread that waits for external input.
    pub fn wake(&self, shard: u16) {
        if let Some(lane) = self.0.shards.get(usize::from(shard)) {
            // A full queue means that the thread is awake.
            drop(lane.queue.try_send(Delivery::default()));
        }
    }

    async fn deliver(
        &self,
        mut request: Request,
        ticket: Option<&Arc<Ticket>>,
    ) -> Result<(), Closed> {
        self.0.metrics.refused_total.add(u64::from(request.refused));
        for (shard, part) in request.parts.iter_mut().enumerate() {
            let Some(lane) = self.0.shards.get(shard) else { continue };
            if part.is_empty() {
                continue;
            }
            self.0.metrics.rows_total.add_n(part.len());
            if LARGE_ROWS <= part.len() || BATCH_BYTES <= part.arena_len() {
                let end = u32::try_from(part.len()).expect("a request has fewer than 2^32 rows");
                part.runs.push(Run { end });
                let batch = mem::take(part);
                let tickets = ticket.cloned().into_iter().collect();
                let watermarks = request.watermark.iter().cloned().collect();
                self.send(lane, Delivery { batch, tickets, watermarks }).await?;
            } else {
                self.gather_part(lane, part, ticket, request.watermark.as_ref()).await?;
            }
        }
        self.recycle(request);
        Ok(())
    }

    /// Appends a small part to what is being gathered; hands over what is full or of another epoch.
    async fn gather_part(
        &self,
        lane: &Lane,
        part: &Batch,
        ticket: Option<&Arc<Ticket>>,
        watermark: Option<&Watermark>,
    ) -> Result<(), Closed> {
        let full = {
            let mut gathering = lock(&lane.gathering);
            let started = gathering.batch.is_empty();
            let replaced = if !started && gathering.batch.epoch != part.epoch {
                Some(mem::take(&mut *gathering))
            } else {
                None
            };
            if gathering.batch.append_run(part).is_err() {
                // Cannot happen below BATCH_BYTES a part and BATCH_BYTES gathered.
                self.0.metrics.refused_total.add_n(part.len());
            }
            gathering.tickets.push(ticket.cloned().unwrap_or_else(|| Arc::new(Ticket::new(1))));
            gathering.watermarks.extend(watermark.cloned());
            let is_full =
                BATCH_ROWS <= gathering.batch.len() || BATCH_BYTES <= gathering.batch.arena_len();
            let full = is_full.then(|| mem::take(&mut *gathering));
            if full.is_none() && (started || replaced.is_some()) {
                lane.gathered.notify_one();
            }
            [replaced, full]
        };
        for delivery in full.into_iter().flatten() {
            self.send(lane, delivery).await?;
        }
        Ok(())
    }

    async fn gather(&self, shard: u16, clock: &Clock) {
        let Some(lane) = self.0.shards.get(usize::from(shard)) else { return };
        loop {
            lane.gathered.notified().await;
            clock.sleep(GATHER_MAX).await;
            if self.hand_over(shard).await.is_err() {
                return;
            }
        }
    }

    async fn hand_over(&self, shard: u16) -> Result<(), Closed> {
        let Some(lane) = self.0.shards.get(usize::from(shard)) else { return Ok(()) };
        let delivery = mem::take(&mut *lock(&lane.gathering));
        if delivery.batch.is_empty() { Ok(()) } else { self.send(lane, delivery).await }
    }

    async fn send(&self, lane: &Lane, delivery: Delivery) -> Result<(), Closed> {
        self.0.metrics.batches_total.inc();
        match lane.queue.send(delivery).await {
            Ok(()) => Ok(()),
            Err(SendError::Full(it) | SendError::Closed(it)) => {
                // Whoever waits must not wait for ever: nothing of it was processed.
                for (ticket, rows) in it.tickets.iter().zip(run_lengths(&it.batch.runs)) {
                    ticket.settle(Outcome::failed(rows));
                }
                Err(Closed)
            }
        }
    }

    fn recycle(&self, mut request: Request) {
        request.refused = 0;
        request.watermark = None;
        request.parts.iter_mut().for_each(Batch::clear);
        let mut pool = lock(&self.0.pool);
        // A request's memory is some 100 kB: keep what a busy moment needs, not what a storm did.
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
mod tests {
    use super::*;

    fn open(n_shards: u16) -> (Ingress, Vec<Receiver<Delivery>>, Tasks) {
        let registry = Registry::new();
        let tasks = Tasks::new("test", &registry);
        let (ingress, receivers) = Ingress::open(n_shards, &Clock::real(), &registry, &tasks);
        (ingress, receivers, tasks)
    }

    fn request_of(ingress: &Ingress, n_rows: u32) -> Request {
        let mut request = ingress.request(1);
        for slot in 0..n_rows {
            let to = Target { shard: 0, slot };
            request.push(to, Time(1), RawRef::Nothing).expect("room");
        }
        request
    }

    fn settle_all(delivery: &Delivery) {
        for (ticket, rows) in delivery.tickets.iter().zip(run_lengths(&delivery.batch.runs)) {
            ticket.settle(Outcome::processed(rows));
        }
    }

    #[tokio::test]
    async fn a_request_is_answered_when_all_its_shards_have_written() {
        let (ingress, receivers, _tasks) = open(2);
        let mut request = ingress.request(5);
        for row in 0..600_u32 {
            let to = Target { shard: u16::from(row % 3 == 0), slot: row };
            request.push(to, Time(1), RawRef::Text("7")).expect("room");
        }
        request.refuse();
        let submitted = tokio::spawn({
            let ingress = ingress.clone();
            async move { ingress.submit(request).await }
        });
        let large = receivers[0].receive().await.expect("a delivery");
        assert_eq!((large.batch.len(), large.batch.epoch), (400, 5));
        settle_all(&large);
        let gathered = receivers[1].receive().await.expect("a delivery");
        assert_eq!(gathered.batch.len(), 200);
        assert!(!submitted.is_finished());
        settle_all(&gathered);
        let outcome = submitted.await.expect("no panic").expect("open");
        assert_eq!(outcome, Outcome { processed: 600, failed: 1, ..Outcome::default() });
    }

    #[tokio::test]
    async fn small_requests_travel_together_and_are_answered_apart() {
        let (ingress, receivers, _tasks) = open(1);
        let submit = |n: u32| {
            let ingress = ingress.clone();
            let request = request_of(&ingress, n);
            tokio::spawn(async move { ingress.submit(request).await })
        };
        let waiting: Vec<_> = (1..=20).map(submit).collect();
        let mut rows = 0;
        while rows < 210 {
            let delivery = receivers[0].receive().await.expect("a delivery");
            rows += delivery.batch.len();
            settle_all(&delivery);
        }
        for (n, answer) in (1_u32..).zip(waiting) {
            let outcome = answer.await.expect("no panic").expect("open");
            assert_eq!(outcome, Outcome::processed(n));
        }
    }

    #[tokio::test]
    async fn a_batch_never_mixes_epochs() {
        let (ingress, receivers, _tasks) = open(1);
        for epoch in [1, 2] {
            let mut request = ingress.request(epoch);
            request.push(Target { shard: 0, slot: 0 }, Time(1), RawRef::Nothing).expect("room");
            ingress.post(request).await.expect("open");
        }
        for epoch in [1, 2] {
            assert_eq!(receivers[0].receive().await.expect("a delivery").batch.epoch, epoch);
        }
    }

    #[tokio::test]
    async fn nobody_waits_for_a_shard_that_is_gone() {
        let (ingress, receivers, _tasks) = open(1);
        drop(receivers);
        let mut request = ingress.request(1);
        request.push(Target { shard: 0, slot: 0 }, Time(1), RawRef::Nothing).expect("room");
        let outcome = ingress.submit(request).await;
        assert_eq!(outcome, Ok(Outcome::failed(1)));
    }
}
