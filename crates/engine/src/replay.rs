//! The state as it was: shards from their partitions' checkpoints and the records behind them, marks of
//! sessions, and what was under way between shards.
//!
//! Replay applies records and evaluates nothing.

use std::collections::VecDeque;
use std::time::Duration;

use ingress::{Sessions, Watermark};
use journal::{Found, Journal, Lsn};
use model::Time;
use model::record::{RecordError, RecordView};
use pipeline::{ForwardBatch, Live, PlanDelta, Shard, ShardSettings, UnderWay, WholePlan};
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use tracing::{error, info, warn};

use crate::EngineError;
use crate::checkpoint::{Blob, Checkpoints, Kind, Loaded};
use crate::under_way;

/// The shards as they were, and up to where.
pub struct Restored {
    pub shards: Vec<Shard>,
    /// By shard: its configuration.
    pub wholes: Vec<WholePlan>,
    /// By shard: what it had forwarded and nobody had taken.
    pub outboxes: Vec<VecDeque<ForwardBatch>>,
    pub sessions: Sessions,
}

opaque_debug!(Restored);

/// Restores the shards from a checkpoint and the journal behind it.
///
/// # Errors
/// If the journal cannot be read, or a partition's state is not one.
pub fn shards(
    loaded: Loaded,
    journal: &Journal,
    live: &Live,
    plans: Vec<PlanDelta>,
    clock: &Clock,
) -> Result<Restored, EngineError> {
    let started_ns = clock.mono_ns();
    let Loaded { blobs, lsn, .. } = loaded;
    let from = Lsn(lsn);
    let sessions = Sessions::default();
    for blob in blobs.iter().filter(|it| it.kind == Kind::Sessions) {
        restore_sessions(&sessions, blob, clock.wall());
    }
    let end = journal.next_lsn();
    let wholes = plans.iter().map(WholePlan::of).collect();
    let n_shards = u16::try_from(plans.len()).unwrap_or(u16::MAX);
    let mut blobs_of: Vec<Vec<Blob>> = plans.iter().map(|_| Vec::new()).collect();
    for blob in blobs.into_iter().filter(|it| it.kind == Kind::Partition) {
        if let Some(of) = blobs_of.get_mut(usize::from(pipeline::shard_of(blob.key, n_shards))) {
            of.push(blob);
        }
    }
    let restored: Vec<Result<Shard, EngineError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = plans
            .into_iter()
            .map(|plan| {
                let blobs = blobs_of.get_mut(usize::from(plan.shard)).map(std::mem::take);
                let blobs = blobs.unwrap_or_default();
                scope.spawn(move || {
                    let shard = restore_shard(plan, n_shards, live, blobs, clock)?;
                    replay(shard, journal, (from, end))
                })
            })
            .collect();
        let joined = threads.into_iter().map(|it| it.join().expect("restoring does not panic"));
        joined.collect()
    });
    let shards = restored.into_iter().collect::<Result<Vec<_>, _>>()?;
    let under_way = replay_shared(&sessions, journal, (from, end), clock.wall())?;
    let outboxes = under_way::collect(&under_way, &shards, journal, end)?;
    let n_again = outboxes.iter().map(VecDeque::len).sum::<usize>();
    let spent_ms = clock.mono_ns().saturating_sub(started_ns) / 1_000_000;
    info!(bytes = end.0 - from.0, n_again, spent_ms, "shards have read back the journal");
    Ok(Restored { shards, wholes, outboxes, sessions })
}

fn restore_shard(
    plan: PlanDelta,
    n_shards: u16,
    live: &Live,
    blobs: Vec<Blob>,
    clock: &Clock,
) -> Result<Shard, EngineError> {
    let zone = jiff::tz::TimeZone::system();
    let number = plan.shard;
    let shard = Shard::new(ShardSettings { shard: number, n_shards, zone }, live);
    fill(shard, plan, blobs, clock)
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

/// Between two tries to read the journal.
const READ_PAUSE: Duration = Duration::from_millis(200);
/// Tries to read checkpoint and journal together while the upkeep replaces the one and shortens the
/// other.
const TRIES: usize = 5;

/// A shard in the place of another one, as the journal has it now, while the process runs. Only the
/// thread of this shard may ask: nobody else writes records of its partitions.
///
/// # Errors
/// As [`shards`].
pub fn rebuild(
    (checkpoints, journal): (&Checkpoints, &Journal),
    (old, whole): (&Shard, &WholePlan),
    n_shards: u16,
    clock: &Clock,
) -> Result<Shard, EngineError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match rebuild_once((checkpoints, journal), (old, whole), n_shards, clock) {
            Ok(shard) => return Ok(shard),
            Err(error) if tries == TRIES => return Err(error),
            Err(error) => warn!(%error, "checkpoint and journal are read once more"),
        }
    }
}

fn rebuild_once(
    (checkpoints, journal): (&Checkpoints, &Journal),
    (old, whole): (&Shard, &WholePlan),
    n_shards: u16,
    clock: &Clock,
) -> Result<Shard, EngineError> {
    let Loaded { blobs, lsn, .. } = checkpoints.load(journal.first_lsn().0)?;
    let plan = whole.plan();
    let is_own = |it: &Blob| {
        it.kind == Kind::Partition && pipeline::shard_of(it.key, n_shards) == plan.shard
    };
    let blobs = blobs.into_iter().filter(is_own).collect();
    let shard = fill(old.anew(), plan, blobs, clock)?;
    replay(shard, journal, (Lsn(lsn), journal.next_lsn()))
}

fn replay(mut shard: Shard, journal: &Journal, range: (Lsn, Lsn)) -> Result<Shard, EngineError> {
    each_record(journal, range, |view, record| {
        shard.apply(view, record.next_lsn.0, record.first_id)
    })?;
    Ok(shard)
}

/// What is not one shard's: sessions, and what was under way between shards.
fn replay_shared(
    sessions: &Sessions,
    journal: &Journal,
    range: (Lsn, Lsn),
    now: Time,
) -> Result<UnderWay, EngineError> {
    let mut under_way = UnderWay::default();
    each_record(journal, range, |view, record| {
        for row in view.watermarks().flatten() {
            if let model::record::Watermark::Session { host, session, last_id } = row {
                sessions.restore(&Watermark { host, session: session.into(), last_id }, now);
            }
        }
        under_way.note(view, record.lsn.0, record.next_lsn.0);
        Ok(())
    })?;
    Ok(under_way)
}

/// Goes through the records of a part of the journal. What is damaged is told and passed over, as by
/// all readers; what can't be read for another reason never is.
///
/// # Errors
/// If the journal does not hold the part, its files can't be read, or a newer program wrote it.
pub fn each_record(
    journal: &Journal,
    range: (Lsn, Lsn),
    mut take: impl FnMut(&RecordView<'_>, &journal::Record<'_>) -> Result<(), RecordError>,
) -> Result<(), EngineError> {
    let pause = || _ = Shutdown::new().wait(READ_PAUSE);
    journal.replay(range, pause, |found| {
        match found {
            Found::Record(record) => {
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
            Found::Damage { error, lost } => {
                error!(%error, from = %lost.from, to = %lost.to,
                    "a damaged part of the journal is passed over");
            }
            Found::End => {}
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

fn restore_sessions(sessions: &Sessions, blob: &Blob, now: Time) {
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
        restore_sessions(&restored, &Blob { kind: Kind::Sessions, key: 0, lsn: 1, bytes }, now);
        assert_eq!(restored.all(), [mark(7, 42)]);
    }
}
