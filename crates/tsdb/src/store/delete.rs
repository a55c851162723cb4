//! Deleting single series.
//!
//! A deletion stands in the manifest, with the number of the next segment and a position of the
//! journal: reads leave out what segments with smaller numbers hold, the next merge does not write
//! it again, and what is before the position is not taken from the journal again. It goes when no
//! such segment is left.

use std::collections::BTreeSet;

use super::{Inner, Tsdb};
use crate::manifest::Deletion;
use crate::series::SeriesKind;
use crate::{Result, SeriesKey};

impl Tsdb {
    /// Deletes all samples of these ids that the journal has before `cursor`. Kinds are those that
    /// the ids may have. Samples that come meanwhile may be deleted or not.
    ///
    /// The caller makes sure that the journal is durable up to `cursor`, and that nothing is frozen
    /// meanwhile.
    ///
    /// # Errors
    /// What is frozen can't be written, or the manifest not be replaced: nothing was deleted.
    pub fn delete(&self, ids: &[u64], kinds: &[SeriesKind], cursor: u64) -> Result<()> {
        // It would get a number that the deletion does not reach.
        self.flush()?;
        let inner = &*self.inner;
        inner.switch_all(None, |_, deletions| {
            let before_number = inner.read_state().next_number;
            let made =
                ids.iter().map(|id| Deletion { id: *id, before_number, before_cursor: cursor });
            deletions.extend(made.map(|it| (it.id, it)));
        })?;
        for head in &inner.heads {
            let mut head = head.lock().expect("nobody panics with a head");
            for id in ids {
                kinds.iter().for_each(|kind| head.clear(SeriesKey { id: *id, kind: *kind }));
            }
        }
        Ok(())
    }

    /// Ids that were deleted at a later position of the journal: their samples of the record at
    /// `position` must not be taken again.
    #[must_use]
    pub fn deleted_after(&self, position: u64) -> BTreeSet<u64> {
        let state = self.inner.read_state();
        let deletions = state.deletions.values();
        deletions.filter(|it| position < it.before_cursor).map(|it| it.id).collect()
    }
}

impl Inner {
    /// Ids whose samples in a segment are deleted.
    pub(super) fn deleted_in(&self, number: u64) -> BTreeSet<u64> {
        let state = self.read_state();
        let deletions = state.deletions.values();
        deletions.filter(|it| number < it.before_number).map(|it| it.id).collect()
    }
}
