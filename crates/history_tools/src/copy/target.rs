//! The target of a copy: a store on another machine, or the server's own.

use std::ops::RangeInclusive;

use journal::Lsn;
use model::record::RecordView;
use stores::DayCount;

use super::error::CopyError;
use super::own::OwnTarget;
use super::remote_store::RemoteStore;

pub(super) enum Target {
    Elsewhere(RemoteStore),
    Embedded(Box<OwnTarget>),
}

impl Target {
    /// Sees to it that the target is empty and marked as a copy of the source, or the beginning of one.
    ///
    /// `true` if all rows are there, and were counted.
    ///
    /// # Errors
    /// It is neither.
    pub(super) fn begin(&self, mark: u32, journal: u32) -> Result<bool, CopyError> {
        match self {
            Self::Elsewhere(it) => begin_elsewhere(it, mark, journal).map(|()| false),
            Self::Embedded(it) => it.begin(mark),
        }
    }

    /// Rows that it has stored.
    pub(super) fn reached(&self) -> u64 {
        match self {
            Self::Elsewhere(it) => it.store().cursor().0,
            Self::Embedded(it) => it.store().cursor().0,
        }
    }

    /// Seconds since 1970 that it can store.
    pub(super) fn holds(&self) -> RangeInclusive<i64> {
        match self {
            Self::Elsewhere(it) => it.holds(),
            Self::Embedded(_) => i64::MIN..=i64::MAX,
        }
    }

    /// Takes rows, and stores them once there are enough.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub(super) fn apply(&self, record: &RecordView<'_>, next: Lsn) -> history::Result<()> {
        match self {
            Self::Elsewhere(it) => {
                let store = it.store();
                store.apply(record, next)?;
                if store.flush_is_due() { store.flush_once().map(drop) } else { Ok(()) }
            }
            Self::Embedded(it) => it.store().apply(record, next),
        }
    }

    /// Stores all that was taken.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn flush(&self) -> history::Result<()> {
        match self {
            Self::Elsewhere(it) => it.store().flush_once().map(drop),
            Self::Embedded(it) => it.store().flush(),
        }
    }

    /// Rows by type, period and day.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn counts(&self) -> history::Result<Vec<DayCount>> {
        match self {
            Self::Elsewhere(it) => it.counts(),
            Self::Embedded(it) => it.counts(),
        }
    }

    /// From here on the target belongs to the server's journal. Returns a notice for the operator.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub(super) fn complete(
        &self,
        (mark, journal): (u32, u32),
        place: Lsn,
    ) -> Result<Option<String>, CopyError> {
        match self {
            Self::Elsewhere(it) => {
                let store = it.store();
                // One step.
                store.set_journal_identity(journal);
                store.skip_to(place).map_err(CopyError::Target)?;
                Ok(None)
            }
            Self::Embedded(it) => it.complete(mark, place),
        }
    }
}

fn begin_elsewhere(target: &RemoteStore, mark: u32, journal: u32) -> Result<(), CopyError> {
    let store = target.store();
    store.prepare().map_err(CopyError::Target)?;
    match store.journal_identity() {
        it if it == mark => Ok(()),
        0 => {
            let counts = target.counts().map_err(CopyError::Target)?;
            let n = counts.iter().map(|it| it.n_rows).sum();
            if n > 0 || store.cursor() != Lsn(0) {
                return Err(CopyError::Filled { n });
            }
            store.set_journal_identity(mark);
            // Before the first row: the mark is stored with the place.
            store.skip_to(Lsn(0)).map_err(CopyError::Target)
        }
        it if it == journal => Err(CopyError::Fed),
        _ => Err(CopyError::Other),
    }
}
