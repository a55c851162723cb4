//! Opening: database, journal, history, and the shards' state as it was.
//!
//! In order: the relational store; the journal, whose next event id is above all that the store has
//! seen; history, which reads back what its segments do not hold; the shards, each from its
//! partitions' checkpoints and the records behind them. Nothing is evaluated here.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use db::{Db, DbSettings};
use history::Embedded;
use ingress::{Sessions, Watermark};
use journal::{Found, Journal, Lsn};
use model::Time;
use model::record::{RecordError, RecordView};
use pipeline::{ForwardBatch, Live, PlanDelta, Shard, ShardSettings, UnderWay, WholePlan};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::shutdown::Shutdown;
use tracing::{error, info, warn};

use super::checkpoint::{Blob, Checkpoints, Kind, Loaded};
use super::{ServerError, bootstrap, under_way};
use crate::data_dir::DataDir;
use crate::settings::Settings;

/// Everything that state lives in.
pub(super) struct Stores {
    pub(super) db: Db,
    pub(super) journal: Journal,
    pub(super) history: Embedded,
}

/// Opens the stores of a data directory; fills a new installation.
///
/// # Errors
/// The first that cannot be opened, in words for the operator.
pub(super) fn stores(
    settings: &Settings,
    data_dir: &DataDir,
    n_shards: u16,
    (registry, health): (&Registry, &Health),
) -> Result<Stores, ServerError> {
    let location = data_dir.tables(&settings.database.url);
    let zone = jiff::tz::TimeZone::system();
    let (registry_of_db, health) = (registry.clone(), health.clone());
    let settings_of_db =
        DbSettings { zone, health, registry: registry_of_db, ..DbSettings::new(location) };
    let db = Db::open(&settings_of_db)?;
    bootstrap::first_start(&db, data_dir, settings.own_host)?;
    let newest = db.events().query(&db::EventQuery {
        is_descending: true,
        limit: 1,
        ..db::EventQuery::default()
    })?;
    let journal_settings = journal::Settings {
        next_id_min: newest.first().map_or(1, |it| it.eventid.0 + 1),
        // As all readers do: damage costs what is damaged, and is told.
        on_corruption: journal::OnCorruption::Isolate,
        ..journal::Settings::default()
    };
    let path = data_dir.path().join("journal");
    let (journal, recovered) = Journal::open(Arc::new(disk::OsDisk), &path, journal_settings)?;
    if let Some(cut) = &recovered.cut {
        info!(path = %cut.path.display(), bytes = cut.bytes, "the journal's torn end was cut off");
    }
    for lost in &recovered.lost {
        error!(from = %lost.from, to = %lost.to, "a part of the journal is damaged: it is lost");
    }
    let (history, _recovered) = Embedded::open(
        Arc::new(disk::OsDisk),
        &data_dir.path().join("history"),
        journal.clone(),
        n_shards,
        (history::Settings::default(), registry),
    )?;
    let replayed = history.replay()?;
    info!(
        records = replayed.n_records,
        values = replayed.n_values,
        "history has read back the journal"
    );
    Ok(Stores { db, journal, history })
}

/// The shards as they were, and up to where.
pub(super) struct Restored {
    pub(super) shards: Vec<Shard>,
    /// By shard: its configuration.
    pub(super) wholes: Vec<WholePlan>,
    /// By shard: what it had forwarded and nobody had taken.
    pub(super) outboxes: Vec<VecDeque<ForwardBatch>>,
    pub(super) sessions: Sessions,
}

/// Restores the shards from a checkpoint and the journal behind it.
///
/// # Errors
/// If the journal cannot be read, or a partition's state is not one.
pub(super) fn shards(
    loaded: Loaded,
    journal: &Journal,
    live: &Live,
    plans: Vec<PlanDelta>,
    clock: &Clock,
) -> Result<Restored, ServerError> {
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
    let restored: Vec<Result<Shard, ServerError>> = std::thread::scope(|scope| {
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
) -> Result<Shard, ServerError> {
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
) -> Result<Shard, ServerError> {
    for blob in blobs {
        shard
            .restore(blob.bytes)
            .map_err(|source| ServerError::Checkpoint { partition: blob.key, source })?;
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
pub(super) fn rebuild(
    (checkpoints, journal): (&Checkpoints, &Journal),
    (old, whole): (&Shard, &WholePlan),
    n_shards: u16,
    clock: &Clock,
) -> Result<Shard, ServerError> {
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
) -> Result<Shard, ServerError> {
    let Loaded { blobs, lsn, .. } = checkpoints.load(journal.first_lsn().0)?;
    let plan = whole.plan();
    let is_own = |it: &Blob| {
        it.kind == Kind::Partition && pipeline::shard_of(it.key, n_shards) == plan.shard
    };
    let blobs = blobs.into_iter().filter(is_own).collect();
    let shard = fill(old.anew(), plan, blobs, clock)?;
    replay(shard, journal, (Lsn(lsn), journal.next_lsn()))
}

fn replay(mut shard: Shard, journal: &Journal, range: (Lsn, Lsn)) -> Result<Shard, ServerError> {
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
) -> Result<UnderWay, ServerError> {
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
pub(super) fn each_record(
    journal: &Journal,
    range: (Lsn, Lsn),
    mut take: impl FnMut(&RecordView<'_>, &journal::Record<'_>) -> Result<(), RecordError>,
) -> Result<(), ServerError> {
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
pub(super) fn encode_sessions(sessions: &Sessions) -> Vec<u8> {
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
