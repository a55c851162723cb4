//! Replacing the manifest, and removing files that it names no longer.
//!
//! Files go only after the manifest without them is durable; readers that hold them open read on.
//! A manifest that could not be stored may be there all the same after a crash: until one has been
//! stored, files of both stay.

use std::collections::BTreeSet;
use std::sync::Arc;

use disk::{Content, FileCopy};

use super::{Deletions, Inner, OpenSegment};
use crate::Result;
use crate::manifest::{Manifest, SegmentInfo, segment_path};

impl Inner {
    /// Makes a number for a new segment. Also after a failure it is not used again.
    pub(super) fn take_number(&self) -> u64 {
        let mut state = self.state.write().expect("nobody panics with the state");
        let number = state.next_number;
        state.next_number += 1;
        number
    }

    /// Removes the file of a segment that no manifest ever named.
    pub(super) fn abandon(&self, number: u64) {
        // The next start removes files that are left.
        drop(self.disk.remove(&segment_path(&self.dir, number)));
    }

    /// Removes the file of a segment, unless a manifest may name it that could not be stored.
    pub(super) fn abandon_unless_named(&self, number: u64) {
        let garbage = self.garbage.lock().expect("nobody panics while switching");
        if !garbage.contains(&number) {
            self.abandon(number);
        }
    }

    /// Changes which segments there are, and with a cursor what was frozen to be in them, in one
    /// step.
    pub(super) fn switch(
        &self,
        cursor: Option<u64>,
        change: impl FnOnce(&mut Vec<OpenSegment>),
    ) -> Result<()> {
        self.switch_all(cursor, |segments, _| change(segments))
    }

    /// As [`Self::switch`]; may also change which series were deleted.
    pub(super) fn switch_all(
        &self,
        cursor: Option<u64>,
        change: impl FnOnce(&mut Vec<OpenSegment>, &mut Deletions),
    ) -> Result<()> {
        let mut garbage = self.garbage.lock().expect("nobody panics while switching");
        let (mut manifest, before, mut deletions) = {
            let state = self.read_state();
            (state.manifest(), state.segments.clone(), state.deletions.clone())
        };
        let mut after = before.clone();
        change(&mut after, &mut deletions);
        manifest.cursor = cursor.unwrap_or(manifest.cursor);
        manifest.segments = after.iter().map(|it| it.info).collect();
        // Deleted ids that are in no file any more, and do not come from the journal again.
        let oldest = after.iter().map(|it| it.info.number).min().unwrap_or(u64::MAX);
        deletions.retain(|_, it| oldest < it.before_number || manifest.cursor < it.before_cursor);
        manifest.deletions = deletions.values().copied().collect();
        if let Err(error) = manifest.store(&*self.disk, &self.dir) {
            garbage.extend(numbers(&after).difference(&numbers(&before)));
            return Err(error);
        }
        garbage.extend(numbers(&before).difference(&numbers(&after)));
        {
            let mut state = self.state.write().expect("nobody panics with the state");
            state.segments = after;
            state.deletions = deletions;
            if let Some(cursor) = cursor {
                state.cursor = cursor;
                state.frozen = None;
            }
        }
        garbage.retain(|number| self.disk.remove(&segment_path(&self.dir, *number)).is_err());
        Ok(())
    }
}

fn numbers(segments: &[OpenSegment]) -> BTreeSet<u64> {
    segments.iter().map(|it| it.info.number).collect()
}

impl super::Tsdb {
    /// Segments and manifest as they are now, as files of a copy. They stay readable, whatever is
    /// merged or removed later. Segments that can't be opened are left out: the copy reports the
    /// same of them as this store.
    #[must_use]
    pub fn copy_of(&self) -> Vec<FileCopy> {
        let (manifest, segments) = {
            let state = self.inner.read_state();
            (state.manifest(), state.segments.clone())
        };
        let mut copies: Vec<_> = segments
            .iter()
            .filter_map(|it| {
                let file = Arc::clone(it.segment.as_ref().ok()?.file());
                let path = segment_path(&self.inner.dir, it.info.number);
                let name = path.file_name()?.into();
                Some(FileCopy { name, content: Content::Immutable { path, file } })
            })
            .collect();
        copies.push(manifest.copy());
        copies
    }
}

impl super::StoreState {
    fn manifest(&self) -> Manifest {
        Manifest {
            cursor: self.cursor,
            next_number: self.next_number,
            retention_clock_ms: self.retention_clock_ms,
            segments: self.infos(),
            deletions: self.deletions.values().copied().collect(),
        }
    }

    pub(super) fn infos(&self) -> Vec<SegmentInfo> {
        self.segments.iter().map(|it| it.info).collect()
    }
}
