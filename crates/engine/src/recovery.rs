//! From a data directory to a running engine: the work of a start after a crash or a stop, in the
//! server and in a simulation alike.
//!
//! In order: [`open`] opens the journal, whose next event id is above all that the relational store
//! has seen, then the values and the newest checkpoint that can be read. [`read_back`] brings
//! values and shards to the end of the journal: values what their files do not hold, shards what
//! the checkpoint does not. These are [`Piece`]s that do not touch each other; the caller decides
//! whether they run in parallel. Last, [`restore_states`] says how triggers and items stand.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use directory::{FullPlan, PlanDelta};
use disk::Disk;
use history::{Replayed, Store, StoreKind};
use ingress::Sessions;
use journal::{Journal, Lsn, OnCorruption};
use model::{Time, TriggerId};
use pipeline::{ForwardBatch, InFlightForwards, Shard, ShardQuery};
use rt::metrics::Registry;
use tracing::{error, info, warn};

use crate::EngineError;
use crate::checkpoint::{Blob, BlobKind, Checkpoints, Loaded};
use crate::in_flight;
use crate::pause::Pause;
use crate::replay::{self, ReplayContext};
use crate::states::States;
use crate::values::SharedLiveStore;

/// Folders of the data directory.
pub(crate) const JOURNAL: &str = "journal";
pub(crate) const HISTORY: &str = "history";

/// Where a data directory is, and how it is opened.
pub struct OpenSettings<'a> {
    pub disk: Arc<dyn Disk>,
    pub data: &'a Path,
    pub n_shards: u16,
    /// Above the ids of all events that the relational store has.
    pub next_event_id_min: u64,
    pub journal: journal::JournalSettings,
    pub store: StoreKind,
}

opaque_debug!(['a] OpenSettings<'a>);

/// The opened parts of a data directory.
pub struct OpenedData {
    pub journal: Journal,
    pub history: SharedLiveStore,
    /// Where values are read: that store, unless the owner puts another one in front.
    pub read: Arc<dyn Store>,
    pub checkpoints: Arc<Checkpoints>,
    /// Of the newest checkpoint that can be read; those that cannot are in it too.
    pub loaded: Loaded,
}

opaque_debug!(OpenedData);

/// Opens journal, values and checkpoints.
///
/// # Errors
/// The first that cannot be opened.
pub fn open(settings: OpenSettings<'_>, registry: &Registry) -> Result<OpenedData, EngineError> {
    let OpenSettings { disk, data, n_shards, next_event_id_min, journal, store } = settings;
    let settings = journal::JournalSettings {
        next_id_min: next_event_id_min,
        // As all readers do: only the damaged records are lost, and the damage is reported.
        on_corruption: OnCorruption::Isolate,
        ..journal
    };
    let (journal, recovered) = Journal::open(Arc::clone(&disk), &data.join(JOURNAL), settings)?;
    if let Some(cut) = &recovered.cut {
        info!(path = %cut.path.display(), bytes = cut.bytes, "the journal's torn end was cut off");
    }
    for lost in &recovered.lost {
        error!(from = %lost.from, to = %lost.to, "a part of the journal is damaged: it is lost");
    }
    for damaged in &recovered.damaged_headers {
        warn!(%damaged, "a journal file is damaged without loss of records: the disk may be failing");
    }
    let path = data.join(HISTORY);
    let place = (Arc::clone(&disk), path.as_path());
    let history = history::open(store, place, journal.clone(), n_shards, registry)?.store;
    let (checkpoints, loaded) = Checkpoints::open(disk, data, journal.first_lsn().0)?;
    let read = Arc::clone(&history) as Arc<dyn Store>;
    Ok(OpenedData { journal, history, read, checkpoints: Arc::new(checkpoints), loaded })
}

/// The shards as they were, and up to where.
pub struct Restored {
    pub shards: Vec<Shard>,
    /// By shard: its configuration.
    pub wholes: Vec<FullPlan>,
    /// By shard: forwarded batches that were not taken.
    pub outboxes: Vec<VecDeque<ForwardBatch>>,
    pub sessions: Sessions,
}

opaque_debug!(Restored);

/// A part of a recovery that touches no other one.
pub type Piece<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Does the pieces in order; [`crate::runner::side_by_side`] gives each a thread.
pub fn one_by_one(pieces: Vec<Piece<'_>>) {
    pieces.into_iter().for_each(|it| it());
}

/// Brings values and shards to the end of the journal, from the checkpoint that was loaded and for the
/// plans of all shards.
///
/// # Errors
/// The journal cannot be read, or what is restored is no state.
///
/// # Panics
/// If `spread` leaves a piece out.
pub fn read_back(
    context: ReplayContext<'_>,
    loaded: Loaded,
    plans: Vec<PlanDelta>,
    spread: impl FnOnce(Vec<Piece<'_>>),
) -> Result<Restored, EngineError> {
    let ReplayContext { journal, clock, .. } = context;
    let started_ns = clock.mono_ns();
    let range = (Lsn(loaded.lsn), journal.next_lsn());
    let wholes = plans.iter().map(FullPlan::of).collect();
    let n_shards = u16::try_from(plans.len()).unwrap_or(u16::MAX);
    let mut blobs_of: Vec<Vec<Blob>> = plans.iter().map(|_| Vec::new()).collect();
    let sessions = Sessions::default();
    for blob in loaded.blobs {
        let shard = usize::from(directory::shard_of(blob.key, n_shards));
        match blob.kind {
            BlobKind::Sessions => replay::restore_sessions(&sessions, &blob, clock.wall()),
            BlobKind::Partition => {
                if let Some(of_shard) = blobs_of.get_mut(shard) {
                    of_shard.push(blob);
                }
            }
            BlobKind::ProxySessions => {}
        }
    }
    let mut shared = None;
    let mut values: Vec<Option<history::Result<Option<Replayed>>>> = Vec::new();
    values.resize_with(plans.len(), || None);
    let mut restored: Vec<Option<Result<Shard, EngineError>>> = Vec::new();
    restored.resize_with(plans.len(), || None);
    let mut pieces: Vec<Piece<'_>> =
        vec![Box::new(|| shared = Some(replay::shared(&sessions, context, range)))];
    for (writer, values) in (0..n_shards).zip(&mut values) {
        pieces.push(Box::new(move || {
            *values =
                Some(context.history.replay_of(writer, &|time| _ = context.pause.pause(time)));
        }));
    }
    for ((plan, blobs), restored) in plans.into_iter().zip(blobs_of).zip(&mut restored) {
        pieces.push(Box::new(move || {
            *restored = Some(replay::shard((plan, n_shards), blobs, context, range));
        }));
    }
    spread(pieces);
    let values = values.into_iter().map(|it| it.expect("no piece is left out"));
    values_are_read_back(context, values.collect::<Result<_, _>>()?, started_ns)?;
    let restored = restored.into_iter().map(|it| it.expect("no piece is left out"));
    let shards = restored.collect::<Result<Vec<_>, _>>()?;
    let in_flight: InFlightForwards = shared.expect("no piece is left out")?;
    let outboxes = in_flight::collect(&in_flight, &shards, context, range.1)?;
    let n_again = outboxes.iter().map(VecDeque::len).sum::<usize>();
    let spent_ms = clock.mono_ns().saturating_sub(started_ns) / 1_000_000;
    info!(bytes = range.1.0 - range.0.0, n_again, spent_ms, "shards have read back the journal");
    Ok(Restored { shards, wholes, outboxes, sessions })
}

/// Says what history has read back; where its parts had no room in memory, it reads once more, one
/// record after the other, and writes as it goes.
fn values_are_read_back(
    context: ReplayContext<'_>,
    parts: Option<Vec<Replayed>>,
    started_ns: u64,
) -> Result<(), EngineError> {
    let parts = match parts {
        Some(parts) => parts,
        None => vec![context.history.replay(&|time| _ = context.pause.pause(time))?],
    };
    let sum = |count: fn(&Replayed) -> u64| parts.iter().map(count).sum::<u64>();
    info!(
        records = sum(|it| it.n_records),
        values = sum(|it| it.n_values),
        spent_ms = context.clock.mono_ns().saturating_sub(started_ns) / 1_000_000,
        "history has read back the journal"
    );
    Ok(())
}

/// The relational store's events when a server starts.
#[derive(Debug)]
pub struct KnownEvents {
    /// The position of the journal up to which it has them.
    pub cursor: u64,
    /// When triggers had their last ones.
    pub last_changes: Vec<(TriggerId, Time)>,
}

/// Which triggers are not OK and which items unsupported, as the shards restored them, and when triggers
/// had their last events: those that the relational store does not have yet are in the journal.
///
/// # Errors
/// The journal cannot be read.
pub fn restore_states(
    states: &States,
    shards: &[Shard],
    known: &KnownEvents,
    (journal, pause): (&Journal, &dyn Pause),
) -> Result<(), EngineError> {
    states.restore_changes(known.last_changes.iter().copied());
    // Where the journal does not have this position, the reader of events says so.
    let from = Lsn(known.cursor).clamp(journal.first_lsn(), journal.next_lsn());
    replay::each_record(journal, (from, journal.next_lsn()), pause, |view, record| {
        if record.n_ids != 0 {
            let rows = view.transitions().flatten().filter(|it| it.event.is_some());
            let changes = rows.filter_map(|it| Some((it.subject.trigger()?, it.time)));
            states.restore_changes(changes);
        }
        Ok(())
    })?;
    for shard in shards {
        states.restore(shard.read(&ShardQuery::NotOk));
        states.restore(shard.read(&ShardQuery::Unsupported));
    }
    Ok(())
}
