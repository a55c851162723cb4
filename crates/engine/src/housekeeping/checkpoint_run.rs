//! A checkpoint under way: shards are asked, their answers are written as they come, then the journal is
//! synced and the file gets its name.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pipeline::Checkpoint;
use thiserror::Error;

use super::parts::HousekeeperParts;
use crate::checkpoint::{Blob, BlobKind, CheckpointError, Writing};
use crate::mailboxes::{Outbox, Replied, Replies, ShardMessage};
use crate::replay;
use crate::turn::Turn;

/// Why there is no checkpoint.
#[derive(Debug, Error)]
pub(super) enum Unfinished {
    #[error(transparent)]
    File(#[from] CheckpointError),
    #[error(transparent)]
    Journal(#[from] journal::Error),
    #[error("the shards have stopped")]
    Shards,
    #[error("the server stops; another one follows")]
    GivenUp,
}

/// A checkpoint that counts.
pub(super) struct Written {
    pub(super) n_bytes: usize,
    pub(super) spent_ns: u64,
}

/// How far one is after a turn.
pub(super) enum Progressed {
    Ongoing(Box<CheckpointRun>, Turn),
    Written(Written),
}

/// One that is being written. Dropped, it is as if it had not been begun.
pub(super) struct CheckpointRun {
    writing: Writing,
    started_ns: u64,
    n_bytes: usize,
    /// On their way to the shards.
    requests: Outbox,
    asking: Asking,
    /// Partitions that are still to be asked for, by shard.
    partitions: Vec<VecDeque<u8>>,
    /// Partitions that each shard is asked for at a time.
    n_asked: usize,
}

/// The request to the shards.
enum Asking {
    /// To say when everything that records so far forwarded is in the queues of its receivers, in
    /// front of what is asked of them next: so the checkpoint holds it, and a start need not look for
    /// it in older records.
    Barrier(Replies<()>),
    Partitions(Replies<Checkpoint>),
}

impl CheckpointRun {
    /// Begins one, with the sessions and the shards' barrier; `None` while another one is being
    /// written. Each shard is asked for so many partitions at a time.
    pub(super) fn begin(
        parts: &HousekeeperParts,
        n_asked: usize,
    ) -> Result<Option<Box<Self>>, Unfinished> {
        let started_ns = parts.clock.mono_ns();
        let Some(mut writing) = parts.checkpoints.begin()? else { return Ok(None) };
        // Taken first: marks of later records are read back from the journal.
        let lsn = parts.journal.next_lsn().0;
        let bytes = replay::encode_sessions(&parts.sessions);
        let n_bytes = bytes.len();
        writing.put(&Blob { kind: BlobKind::Sessions, key: 0, lsn, bytes })?;
        let n_shards = parts.mailboxes.n_shards();
        let mut requests = Outbox::new(parts.mailboxes.clone());
        let mut replies = Replies::new(n_shards.into());
        for shard in 0..n_shards {
            requests.push(shard, ShardMessage::Barrier(replies.reply()));
        }
        Ok(Some(Box::new(Self {
            writing,
            started_ns,
            n_bytes,
            requests,
            asking: Asking::Barrier(replies),
            partitions: by_shard(n_shards),
            n_asked,
        })))
    }

    /// Asks, takes an answer, for which it waits `wait_max` at most, or ends.
    pub(super) fn turn(
        mut self: Box<Self>,
        parts: &HousekeeperParts,
        wait_max: Duration,
    ) -> Result<Progressed, Unfinished> {
        if !self.requests.flush() {
            return Ok(Progressed::Ongoing(self, Turn::Full));
        }
        let turn = match &mut self.asking {
            Asking::Barrier(replies) if replies.n_open() == 0 => {
                self.ask_first();
                Turn::More
            }
            Asking::Barrier(replies) => match replies.next(wait_max) {
                Replied::With(()) => Turn::More,
                Replied::NotYet => Turn::Idle(Duration::ZERO),
                Replied::Never => return Err(Unfinished::Shards),
            },
            Asking::Partitions(replies) if replies.n_open() == 0 => {
                return self.finish(parts).map(Progressed::Written);
            }
            Asking::Partitions(replies) => match replies.next(wait_max) {
                Replied::With(state) => {
                    let shard = directory::shard_of(state.partition, parts.mailboxes.n_shards());
                    ask(&mut self.partitions, shard, (replies, &mut self.requests));
                    self.put(parts, state)?;
                    Turn::More
                }
                Replied::NotYet => Turn::Idle(Duration::ZERO),
                Replied::Never => return Err(Unfinished::Shards),
            },
        };
        Ok(Progressed::Ongoing(self, turn))
    }

    /// All shards have passed the barrier.
    fn ask_first(&mut self) {
        let mut replies = Replies::new(self.partitions.iter().map(VecDeque::len).sum());
        for (shard, _) in (0..).zip(self.partitions.clone()) {
            for _ in 0..self.n_asked {
                ask(&mut self.partitions, shard, (&mut replies, &mut self.requests));
            }
        }
        self.asking = Asking::Partitions(replies);
    }

    /// Writes the state of a partition.
    fn put(&mut self, parts: &HousekeeperParts, state: Checkpoint) -> Result<(), Unfinished> {
        let (key, lsn, bytes) = (state.partition, state.lsn, state.bytes);
        self.n_bytes += bytes.len();
        self.writing.put(&Blob { kind: BlobKind::Partition, key, lsn, bytes })?;
        parts.progress.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn finish(self, parts: &HousekeeperParts) -> Result<Written, Unfinished> {
        // A checkpoint must not know more than a journal that a power cut shortened.
        parts.journal.sync_once()?;
        self.writing.finish()?;
        let spent_ns = parts.clock.mono_ns().saturating_sub(self.started_ns);
        Ok(Written { n_bytes: self.n_bytes, spent_ns })
    }
}

/// Asks a shard for its next partition, if there is another.
fn ask(
    partitions: &mut [VecDeque<u8>],
    shard: u16,
    (replies, requests): (&mut Replies<Checkpoint>, &mut Outbox),
) {
    let next = partitions.get_mut(usize::from(shard)).and_then(VecDeque::pop_front);
    if let Some(partition) = next {
        requests.push(shard, ShardMessage::Checkpoint(partition, replies.reply()));
    }
}

fn by_shard(n_shards: u16) -> Vec<VecDeque<u8>> {
    let mut partitions = vec![VecDeque::new(); n_shards.into()];
    for partition in 0..=u8::MAX {
        let shard = directory::shard_of(partition, n_shards);
        if let Some(of_shard) = partitions.get_mut(usize::from(shard)) {
            of_shard.push_back(partition);
        }
    }
    partitions
}
