//! Messages to shards from inside the process.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::time::Duration;

use directory::PlanDelta;
use ingress::Ingress;
use model::ItemId;
use pipeline::cross_item::{CrossItemAnswer, CrossItemQuery};
use pipeline::{Checkpoint, CloseProblem, Fetched, ForwardBatch, HeavyDone, HostWithoutData};
use rt::queue::{QueueSendError, Sender};

/// The most messages waiting for one shard.
pub const MAILBOX_MAX: usize = 4_096;

/// A message to a shard from inside the process.
pub enum ShardMessage {
    Configure(Box<PlanDelta>),
    Fetched(Vec<Fetched>),
    CrossItemAnswer(Vec<CrossItemAnswer>),
    /// A query of a shard for the trends of an item of this one, by slot: past hours are written,
    /// then it is asked once more.
    EndHours {
        asker: u16,
        query: Box<CrossItemQuery>,
        of: (u32, ItemId),
    },
    Forward(ForwardBatch),
    HeavyDone(HeavyDone),
    /// Ends an item's hour if it is past: another shard is about to read its trends. Answered once
    /// what there was of it is in the journal.
    EndHour((u32, ItemId), SyncSender<()>),
    /// Answered once it is in the journal.
    Close(CloseProblem, SyncSender<()>),
    /// All hosts of which no values are taken from now on.
    WithoutData(Arc<[HostWithoutData]>),
    /// Calculated items, by slot, that a user wants computed now.
    Calculate(Vec<(u32, ItemId)>),
    /// The state of a partition as of now.
    Checkpoint(u8, Reply<Checkpoint>),
    /// Answered once everything that the shard has forwarded is in the queues of the others.
    Barrier(Reply<()>),
}

opaque_debug!(ShardMessage);

/// The mailboxes of all shards.
#[derive(Clone, Debug)]
pub struct Mailboxes {
    pub queues: Arc<[Sender<ShardMessage>]>,
    pub ingress: Ingress,
}

impl Mailboxes {
    /// Waits for room. From outside of shard threads only.
    pub fn send(&self, shard: u16, message: ShardMessage) {
        let Some(queue) = self.queues.get(usize::from(shard)) else { return };
        // Closed: the shard has ended with the process.
        drop(queue.send_blocking(message));
        self.ingress.wake(shard);
    }

    /// How many messages wait for a shard.
    #[must_use]
    pub fn depth(&self, shard: u16) -> usize {
        self.queues.get(usize::from(shard)).map_or(0, Sender::depth)
    }

    /// # Errors
    /// The message, if the queue is full.
    pub fn try_send(&self, shard: u16, message: ShardMessage) -> Result<(), ShardMessage> {
        let Some(queue) = self.queues.get(usize::from(shard)) else { return Ok(()) };
        match queue.try_send(message) {
            Ok(()) => {
                self.ingress.wake(shard);
                Ok(())
            }
            Err(QueueSendError::Full(it)) => Err(it),
            Err(QueueSendError::Closed(_)) => Ok(()),
        }
    }

    pub fn n_shards(&self) -> u16 {
        u16::try_from(self.queues.len()).unwrap_or(u16::MAX)
    }
}

/// Answers on their way to shards, in order; those that find no room wait.
#[derive(Debug)]
pub struct Outbox {
    mailboxes: Mailboxes,
    waiting: VecDeque<(u16, ShardMessage)>,
}

impl Outbox {
    #[must_use]
    pub fn new(mailboxes: Mailboxes) -> Self {
        Self { mailboxes, waiting: VecDeque::new() }
    }

    #[must_use]
    pub fn mailboxes(&self) -> &Mailboxes {
        &self.mailboxes
    }

    /// Adds one. A sender that adds the next request before [`Self::flush`] was true has no bound.
    pub fn push(&mut self, shard: u16, message: ShardMessage) {
        self.waiting.push_back((shard, message));
    }

    /// Whether all are in their mailboxes.
    pub fn flush(&mut self) -> bool {
        while let Some((shard, message)) = self.waiting.pop_front() {
            if let Err(message) = self.mailboxes.try_send(shard, message) {
                self.waiting.push_front((shard, message));
                return false;
            }
        }
        true
    }
}

/// Where a shard's answer goes. If it is dropped without one, the caller gets an error.
#[derive(Debug)]
pub struct Reply<T>(Option<SyncSender<Option<T>>>);

impl<T> Reply<T> {
    pub fn send(mut self, answer: T) {
        if let Some(to) = self.0.take() {
            // There is room for all of them; the caller may have gone.
            to.try_send(Some(answer)).ok();
        }
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        if let Some(to) = self.0.take() {
            to.try_send(None).ok();
        }
    }
}

/// Answers to several requests, in the order in which they come.
#[derive(Debug)]
pub struct Replies<T> {
    to: SyncSender<Option<T>>,
    from: mpsc::Receiver<Option<T>>,
    n_open: usize,
}

/// The result of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replied<T> {
    With(T),
    NotYet,
    /// The shard has stopped.
    Never,
}

impl<T> Replies<T> {
    /// For `max` requests in all.
    #[must_use]
    pub fn new(max: usize) -> Self {
        let (to, from) = mpsc::sync_channel(max);
        Self { to, from, n_open: 0 }
    }

    /// For one more request.
    pub fn reply(&mut self) -> Reply<T> {
        self.n_open += 1;
        Reply(Some(self.to.clone()))
    }

    /// Requests without an answer.
    #[must_use]
    pub fn n_open(&self) -> usize {
        self.n_open
    }

    /// The next answer, for which it waits `wait_max` at most.
    pub fn next(&mut self, wait_max: Duration) -> Replied<T> {
        match self.from.recv_timeout(wait_max) {
            Ok(answer) => {
                self.n_open = self.n_open.saturating_sub(1);
                answer.map_or(Replied::Never, Replied::With)
            }
            Err(_nothing) => Replied::NotYet,
        }
    }
}
