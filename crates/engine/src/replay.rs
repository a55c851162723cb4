//! The state as it was: shards from their partitions' checkpoints and the records after them, marks of
//! sessions, and what was in flight between shards.
//!
//! Replay applies records and evaluates nothing.

use std::time::Duration;

use directory::{FullPlan, PlanDelta};
use ingress::{Sessions, Watermark};
use jiff::tz::TimeZone;
use journal::{Journal, Lsn, ReadOutcome};
use model::Time;
use model::record::{RecordError, RecordView};
use pipeline::{InFlightForwards, LiveTable, Shard, ShardSettings};
use rt::clock::Clock;
use tracing::{error, warn};

use crate::EngineError;
use crate::checkpoint::{Blob, BlobKind, Checkpoints, Loaded};
use crate::pause::Pause;
use crate::values::SharedLiveStore;

/// The inputs of a replay.
#[derive(Clone, Copy)]
pub struct ReplayContext<'a> {
    pub journal: &'a Journal,
    pub history: &'a SharedLiveStore,
    pub live: &'a LiveTable,
    pub zone: &'a TimeZone,
    pub clock: &'a Clock,
    pub pause: &'a dyn Pause,
}

opaque_debug!(['a] ReplayContext<'a>);

/// One shard, from its partitions' checkpoints and the records after them.
pub(crate) fn shard(
    (plan, n_shards): (PlanDelta, u16),
    blobs: Vec<Blob>,
    context: ReplayContext<'_>,
    range: (Lsn, Lsn),
) -> Result<Shard, EngineError> {
    let zone = context.zone.clone();
    let shard = Shard::new(ShardSettings { shard: plan.shard, n_shards, zone }, context.live);
    let shard = fill(shard, plan, blobs, context.clock)?;
    replay(shard, (context.journal, context.pause), range)
}

/// Gives an empty shard its partitions' checkpoints and its configuration.
fn fill(
    mut shard: Shard,
    plan: PlanDelta,
    blobs: Vec<Blob>,
    clock: &Clock,
) -> Result<Shard, EngineError> {
    for blob in blobs {
        shard
            .restore(blob.bytes)
            .map_err(|source| EngineError::Checkpoint { partition: blob.key, source })?;
    }
    // Nothing of this is durable: the first step's effects are taken when the thread starts.
    let mut effects = pipeline::Effects::default();
    shard.configure(plan, clock.now(), &mut effects);
    Ok(shard)
}

/// The pause between two attempts to read the journal.
const READ_PAUSE: Duration = Duration::from_millis(200);
/// Tries to read checkpoint and journal together while the housekeeping replaces the one and shortens the
/// other.
const TRIES: usize = 5;

/// The inputs for rebuilding a shard while the process runs.
#[derive(Clone, Copy)]
pub struct Rebuild<'a> {
    pub checkpoints: &'a Checkpoints,
    pub journal: &'a Journal,
    pub n_shards: u16,
    pub clock: &'a Clock,
    pub pause: &'a dyn Pause,
}

opaque_debug!(['a] Rebuild<'a>);

/// A shard in the place of another one, as the journal has it now, while the process runs. Only the
/// thread of this shard may ask: nobody else writes records of its partitions.
///
/// # Errors
/// The journal cannot be read, or a partition's state is not one.
pub fn rebuild(from: Rebuild<'_>, (old, whole): (&Shard, &FullPlan)) -> Result<Shard, EngineError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match rebuild_once(from, (old, whole)) {
            Ok(shard) => return Ok(shard),
            Err(error) if tries == TRIES => return Err(error),
            Err(error) => warn!(%error, "checkpoint and journal are read once more"),
        }
    }
}

fn rebuild_once(
    from: Rebuild<'_>,
    (old, whole): (&Shard, &FullPlan),
) -> Result<Shard, EngineError> {
    let Rebuild { checkpoints, journal, n_shards, clock, pause } = from;
    let Loaded { blobs, lsn, .. } = checkpoints.load(journal.first_lsn().0)?;
    let plan = whole.plan();
    let is_own = |it: &Blob| {
        it.kind == BlobKind::Partition && directory::shard_of(it.key, n_shards) == plan.shard
    };
    let blobs = blobs.into_iter().filter(is_own).collect();
    let shard = fill(old.fresh_copy(), plan, blobs, clock)?;
    replay(shard, (journal, pause), (Lsn(lsn), journal.next_lsn()))
}

fn replay(
    mut shard: Shard,
    (journal, pause): (&Journal, &dyn Pause),
    range: (Lsn, Lsn),
) -> Result<Shard, EngineError> {
    each_record(journal, range, pause, |view, record| {
        shard.apply(view, record.next_lsn.0, record.first_id)
    })?;
    Ok(shard)
}

/// State that belongs to no single shard: sessions, and batches in flight between shards.
pub(crate) fn shared(
    sessions: &Sessions,
    context: ReplayContext<'_>,
    range: (Lsn, Lsn),
) -> Result<InFlightForwards, EngineError> {
    let now = context.clock.wall();
    let mut in_flight = InFlightForwards::default();
    each_record(context.journal, range, context.pause, |view, record| {
        for row in view.watermarks().flatten() {
            if let model::record::Watermark::Session { host, session, last_id } = row {
                sessions.restore(&Watermark { host, session: session.into(), last_id }, now);
            }
        }
        in_flight.note(view, record.lsn.0, record.next_lsn.0);
        Ok(())
    })?;
    Ok(in_flight)
}

/// Goes through the records of a part of the journal. Damaged records are reported and skipped, as
/// by all readers; records that can't be read for another reason never are.
///
/// # Errors
/// If the journal does not hold the part, its files can't be read, or a newer program wrote it.
pub fn each_record(
    journal: &Journal,
    range: (Lsn, Lsn),
    pause: &dyn Pause,
    mut take: impl FnMut(&RecordView<'_>, &journal::Record<'_>) -> Result<(), RecordError>,
) -> Result<(), EngineError> {
    // At the hard stop the tries only follow one another without a pause.
    let pause = || _ = pause.pause(READ_PAUSE);
    journal.replay(range, pause, |found| {
        match found {
            ReadOutcome::Record(record) => {
                match RecordView::parse(record.payload).and_then(|it| take(&it, &record)) {
                    Ok(()) => {}
                    Err(
                        source @ (RecordError::Version { .. } | RecordError::UnknownSection { .. }),
                    ) => return Err(history::Error::Record { lsn: record.lsn, source }.into()),
                    Err(error) => {
                        error!(%error, lsn = %record.lsn, "a record of the journal cannot be applied");
                    }
                }
            }
            ReadOutcome::Damage { error, lost } => {
                error!(%error, from = %lost.from, to = %lost.to,
                    "a damaged part of the journal is skipped");
            }
            ReadOutcome::End => {}
        }
        Ok(())
    })
}

/// Sessions as bytes: per mark host u64, id u64, length u8 and the token.
pub fn encode_sessions(sessions: &Sessions) -> Vec<u8> {
    let mut bytes = Vec::new();
    for mark in sessions.all() {
        let Ok(len) = u8::try_from(mark.session.len()) else { continue };
        bytes.extend_from_slice(&mark.host.0.to_le_bytes());
        bytes.extend_from_slice(&mark.last_id.to_le_bytes());
        bytes.push(len);
        bytes.extend_from_slice(mark.session.as_bytes());
    }
    bytes
}

pub(crate) fn restore_sessions(sessions: &Sessions, blob: &Blob, now: Time) {
    let mut rest = blob.bytes.as_slice();
    while let Some(((host, last_id, session), behind)) = take_session(rest) {
        let host = model::HostId(host);
        sessions.restore(&Watermark { host, session: session.into(), last_id }, now);
        rest = behind;
    }
}

/// Host, last id and token.
type Session<'a> = (u64, u64, &'a str);

fn take_session(bytes: &[u8]) -> Option<(Session<'_>, &[u8])> {
    let (host, rest) = bytes.split_first_chunk::<8>()?;
    let (last_id, rest) = rest.split_first_chunk::<8>()?;
    let (len, rest) = rest.split_first()?;
    let (session, rest) = rest.split_at_checked(usize::from(*len))?;
    let session = std::str::from_utf8(session).ok()?;
    Some(((u64::from_le_bytes(*host), u64::from_le_bytes(*last_id), session), rest))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn sessions_survive_a_checkpoint() {
        let now = Time::from_clock(1_790_000_000, 0);
        let sessions = Arc::new(Sessions::default());
        let token = "0123456789abcdef0123456789abcdef";
        let mark =
            |host, last_id| Watermark { host: model::HostId(host), session: token.into(), last_id };
        sessions.restore(&mark(7, 42), now);
        let bytes = encode_sessions(&sessions);
        let restored = Sessions::default();
        restore_sessions(&restored, &Blob { kind: BlobKind::Sessions, key: 0, lsn: 1, bytes }, now);
        assert_eq!(restored.all(), [mark(7, 42)]);
    }
}
