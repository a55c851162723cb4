//! Delivery from the journal to one target.

use std::sync::Arc;
use std::time::Duration;

use journal::{ErrorAction, JournalReader, Lsn, ReadOutcome, Upto};
use model::Time;
use model::record::RecordView;
use rt::clock::{Clock, nanos};
use rt::health::Level;
use tracing::{error, info, warn};

use crate::ports::{ExportPlace, PlaceError};
use crate::registry::{ExportRegistry, Exports, Followed, WhenBehind};
use crate::rows::{RowOutcome, each_row};
use crate::targets::ExportTarget;

/// Bytes of journal read in one turn.
const STRIDE_BYTES: u64 = 4 << 20;
/// Between two savings of a place that moves.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);
/// An idle stretch is saved after so much.
const SAVE_BYTES: u64 = 4 << 20;
/// How long a feed waits before it tries again: at first, and at most.
const PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// The result of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportTurn {
    /// There is more to do.
    More,
    /// It has delivered all synced records.
    Idle,
    /// Something is away: the same again, after this time.
    Retry(Duration),
}

/// Parts of a feed.
#[derive(Clone, Debug)]
pub struct FeedParts {
    pub exports: Exports,
    pub clock: Clock,
    /// The target's name in metrics.
    pub kind: &'static str,
    /// The target's name in health, log and its saved place.
    pub name: String,
}

/// Delivers the records of the journal to one target. A turn waits for nothing but the target.
pub struct ExportFeed {
    parts: FeedParts,
    shared: Arc<ExportRegistry>,
    followed: Arc<Followed>,
    target: Box<dyn ExportTarget>,
    reader: Option<JournalReader>,
    /// Where a target without a place begins; it may take a while until that is saved.
    begin: Option<Lsn>,
    /// Records before this position were delivered.
    delivered: u64,
    saved: Option<ExportPlace>,
    next_save_ns: u64,
    /// Records that the target has taken and not delivered: when the first one was received, and
    /// how many values and events they hold.
    pending: Option<(Time, u64)>,
    n_failures: u32,
    /// Rows that were skipped since the target was last at the end.
    n_skipped: u64,
    is_reported: bool,
}

impl std::fmt::Debug for ExportFeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Feed").field("name", &self.parts.name).finish_non_exhaustive()
    }
}

/// Why a turn ends early.
enum Stop {
    /// The same again, later.
    Retry(String),
}

impl From<PlaceError> for Stop {
    fn from(error: PlaceError) -> Self {
        Self::Retry(error.to_string())
    }
}

impl ExportFeed {
    /// From now on the journal is kept for the target. One that has no place begins at `from`.
    #[must_use]
    pub fn new(parts: FeedParts, target: Box<dyn ExportTarget>) -> Self {
        let followed = parts.exports.follow(&parts.name, parts.kind);
        let shared = Arc::clone(&parts.exports.shared);
        // An issue of a former feed that ended by a panic.
        shared.health.clear(&health_part(&parts.name));
        Self {
            parts,
            shared,
            followed,
            target,
            reader: None,
            begin: None,
            delivered: 0,
            saved: None,
            next_save_ns: 0,
            pending: None,
            n_failures: 0,
            n_skipped: 0,
            is_reported: false,
        }
    }

    /// Reads a batch and delivers it, or tries the undelivered one again.
    pub fn turn(&mut self, stopping: bool) -> ExportTurn {
        let turn = match self.work(stopping) {
            Ok(is_at_end) => {
                self.n_failures = 0;
                self.well(is_at_end);
                if is_at_end { ExportTurn::Idle } else { ExportTurn::More }
            }
            Err(Stop::Retry(why)) => self.retry(&why),
        };
        if stopping && turn != ExportTurn::More {
            // Records since the last save are delivered once more by the next start.
            if let Err(error) = self.save() {
                warn!(export = self.parts.name, %error, "the place of an export is not saved");
            }
        }
        self.followed.set_delivered(self.delivered, self.pending.map(|it| it.0));
        turn
    }

    /// The target is gone for good: the journal is not kept for it any more.
    pub fn end(mut self) {
        if let Err(error) = self.target.forget_place() {
            warn!(export = self.parts.name, %error, "the place of an export that was removed stays");
        }
        self.shared.health.clear(&health_part(&self.parts.name));
        self.parts.exports.leave(&self.parts.name);
    }

    /// Records were synced that it has not read.
    pub(crate) fn is_behind(&self) -> bool {
        self.delivered < self.shared.journal.synced().0
    }

    /// When a place that has moved is to be saved, in monotonic nanoseconds.
    pub(crate) fn next_save_ns(&self) -> Option<u64> {
        self.target.is_unsaved().then_some(self.next_save_ns)
    }

    fn work(&mut self, stopping: bool) -> Result<bool, Stop> {
        self.open()?;
        if self.pending.is_none() {
            self.read()?;
        } else {
            self.give_up_what_is_too_old();
        }
        if self.pending.is_some() {
            let result = self.target.deliver(stopping);
            let (delivered, metrics) = (self.target.count(), &self.shared.metrics);
            metrics.rows_total.of(self.parts.kind).add(delivered.rows);
            metrics.bytes_total.of(self.parts.kind).add(delivered.bytes);
            metrics.dropped_refused_total.of(self.parts.kind).add(delivered.refused);
            result.map_err(|it| Stop::Retry(it.0))?;
            self.pending = None;
        }
        let reached = self.reader.as_ref().map_or(self.delivered, |it| it.lsn().0);
        let moved = reached != self.delivered;
        self.delivered = reached;
        let now_ns = self.parts.clock.mono_ns();
        let unsaved = self.saved.map_or(u64::MAX, |it| reached.saturating_sub(it.lsn));
        let is_due = self.target.is_unsaved() && self.next_save_ns <= now_ns;
        if is_due || self.target.save_is_due() || SAVE_BYTES <= unsaved {
            self.save()?;
            self.next_save_ns = now_ns.saturating_add(nanos(SAVE_INTERVAL));
        }
        Ok(!moved && self.shared.journal.synced().0 <= reached)
    }

    /// Finds the place where the target left off.
    fn open(&mut self) -> Result<(), Stop> {
        if self.reader.is_some() {
            return Ok(());
        }
        let journal = &self.shared.journal;
        let identity = journal.identity();
        let known = match self.saved {
            Some(it) => Some(it),
            None => self.target.load_place()?,
        };
        // Records that a copy shares with its original were exported by that.
        let shared = known.and_then(|it| Some(journal.shared_with(it.journal)?.min(Lsn(it.lsn))));
        let from = match (known, shared) {
            // A new target begins with the next records.
            (None, _) => *self.begin.get_or_insert_with(|| journal.synced()),
            (_, Some(shared)) => shared,
            (Some(it), None) if it.journal != identity => {
                error!(
                    export = self.parts.name,
                    "this is not the journal that was exported from; the export \
                       goes on with all that this one holds"
                );
                journal.first_lsn()
            }
            (Some(it), None) => Lsn(it.lsn),
        };
        let opened = match journal.reader(from, Upto::Synced) {
            Err(journal::Error::Gone { lsn, first }) => {
                let lost = first.0.saturating_sub(lsn.0);
                error!(
                    export = self.parts.name,
                    bytes = lost,
                    "data to export is missing in the journal; the export continues after the gap"
                );
                self.n_skipped = self.n_skipped.saturating_add(1);
                journal.reader(first, Upto::Synced)
            }
            Err(journal::Error::Ahead { next, .. }) => {
                error!(
                    export = self.parts.name,
                    "the journal has lost records that were already exported"
                );
                journal.reader(next, Upto::Synced)
            }
            opened => opened,
        };
        let reader = opened.map_err(|error| Stop::Retry(error.to_string()))?;
        self.delivered = reader.lsn().0;
        let place = ExportPlace { journal: identity, lsn: self.delivered };
        // Its beginning too: a crash before the first row must not lose it.
        if known != Some(place) {
            self.target.save_place(place)?;
        }
        self.saved = Some(place);
        self.followed.set_saved(self.delivered);
        self.reader = Some(reader);
        Ok(())
    }

    /// Gives the target a batch.
    fn read(&mut self) -> Result<(), Stop> {
        self.target.begin();
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let (shared, kind) = (&self.shared, self.parts.kind);
        let (wanted, limits) = (self.target.wanted(), shared.limits);
        let now = self.parts.clock.wall();
        let end = reader.lsn().0.saturating_add(STRIDE_BYTES);
        let mut n_deleted = 0;
        let mut n_skipped = 0;
        while reader.lsn().0 < end && !self.target.is_full() {
            let record = match reader.next_found() {
                Ok(ReadOutcome::Record(it)) => it,
                Ok(ReadOutcome::End) => break,
                Ok(ReadOutcome::Damage { error, lost }) => {
                    shared.metrics.damaged_total.of(kind).inc();
                    let bytes = lost.to.0.saturating_sub(lost.from.0);
                    error!(export = self.parts.name, %error, bytes, "a damaged record is not exported");
                    continue;
                }
                Err(error) => {
                    let is_lost = ErrorAction::of(&error) != ErrorAction::Retry;
                    let why = error.to_string();
                    if is_lost {
                        // The place is looked for again.
                        self.reader = None;
                    }
                    return Err(Stop::Retry(why));
                }
            };
            let view = match RecordView::parse(record.payload) {
                Ok(it) => it,
                Err(error) => {
                    shared.metrics.damaged_total.of(kind).inc();
                    error!(export = self.parts.name, %error, "a record that can't be read is not exported");
                    continue;
                }
            };
            let n_rows = u64::from(view.n_values()) + u64::from(view.n_events());
            let lag = shared.journal.next_lsn().0.saturating_sub(record.next_lsn.0);
            let is_behind =
                limits.bytes_max < lag || is_older(view.head().now, now, limits.age_max);
            if is_behind && limits.when_behind == WhenBehind::LeaveBehind {
                n_skipped += n_rows;
                continue;
            }
            let target = &mut self.target;
            let taken = each_row(&record, &view, wanted, |row| {
                if target.take(&row) == RowOutcome::Deleted {
                    n_deleted += 1;
                }
            });
            if let Err(error) = taken {
                shared.metrics.damaged_total.of(kind).inc();
                error!(export = self.parts.name, %error, "rows that can't be read are not exported");
            }
            if !self.target.is_empty() {
                let (oldest, n) = self.pending.unwrap_or((view.head().now, 0));
                self.pending = Some((oldest, n + n_rows));
            }
        }
        shared.metrics.dropped_deleted_total.of(kind).add(n_deleted);
        self.skipped(n_skipped);
        Ok(())
    }

    /// Data that an unavailable target has taken may itself have become too old.
    fn give_up_what_is_too_old(&mut self) {
        let limits = self.shared.limits;
        let Some((oldest, n_rows)) = self.pending else { return };
        if limits.when_behind == WhenBehind::Hold {
            return;
        }
        let reached = self.reader.as_ref().map_or(self.delivered, |it| it.lsn().0);
        let lag = self.shared.journal.next_lsn().0.saturating_sub(reached);
        let now = self.parts.clock.wall();
        if limits.bytes_max < lag || is_older(oldest, now, limits.age_max) {
            self.target.clear();
            self.pending = None;
            self.skipped(n_rows);
        }
    }

    fn skipped(&mut self, n_rows: u64) {
        if n_rows == 0 {
            return;
        }
        self.shared.metrics.dropped_behind_total.of(self.parts.kind).add(n_rows);
        if self.n_skipped == 0 {
            error!(export = self.parts.name, "an export lags too far: the oldest data is skipped");
        }
        self.n_skipped = self.n_skipped.saturating_add(n_rows);
        self.report("it is too slow");
    }

    fn save(&mut self) -> Result<(), PlaceError> {
        let Some(saved) = self.saved else { return Ok(()) };
        let place = ExportPlace { lsn: self.delivered, ..saved };
        if place == saved && !self.target.is_unsaved() {
            return Ok(());
        }
        self.target.save_place(place)?;
        self.saved = Some(place);
        self.followed.set_saved(place.lsn);
        Ok(())
    }

    fn retry(&mut self, why: &str) -> ExportTurn {
        self.shared.metrics.retries_total.of(self.parts.kind).inc();
        if !self.is_reported {
            warn!(export = self.parts.name, why, "an export waits: the journal keeps its data");
        }
        self.report(why);
        let pause = PAUSE.saturating_mul(1 << self.n_failures.min(6)).min(PAUSE_MAX);
        self.n_failures = self.n_failures.saturating_add(1);
        ExportTurn::Retry(pause)
    }

    fn report(&mut self, why: &str) {
        self.is_reported = true;
        let (level, message) = match (self.n_skipped, self.shared.limits.when_behind) {
            (0, WhenBehind::LeaveBehind) => {
                (Level::Degraded, format!("its data waits in the journal: {why}"))
            }
            (_, WhenBehind::Hold) => (
                Level::Degraded,
                format!(
                    "the journal keeps its data, as set; no values are accepted after the disk is \
                         full: {why}"
                ),
            ),
            (n, WhenBehind::LeaveBehind) => (
                Level::Failing,
                format!(
                    "it lags more than export.lag_bytes_max and export.lag_max_s allow, and lacks the \
                         oldest data, {n} values and events so far: {why}"
                ),
            ),
        };
        self.shared.health.set(&health_part(&self.parts.name), level, message);
    }

    fn well(&mut self, is_at_end: bool) {
        // One that has missed something is well when it is up to date again.
        if !self.is_reported || (self.n_skipped != 0 && !is_at_end) {
            return;
        }
        self.is_reported = false;
        let missed = std::mem::take(&mut self.n_skipped);
        info!(export = self.parts.name, missed, "an export continues");
        self.shared.health.clear(&health_part(&self.parts.name));
    }
}

fn health_part(name: &str) -> String {
    format!("export {name}")
}

/// Records that no shard has written have no time.
fn is_older(received: Time, now: Time, max: Duration) -> bool {
    received.0 != 0 && u64::try_from(now.since_ns(received)).is_ok_and(|it| nanos(max) < it)
}

#[cfg(test)]
mod tests;
