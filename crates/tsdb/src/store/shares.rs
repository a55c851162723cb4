//! Which series take how much room, with bounded work.

use std::collections::BTreeMap;

use super::Tsdb;

/// The bytes of ids in segments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shares {
    /// Bytes by id, all kinds of it together; without what directories and footers take.
    pub bytes: BTreeMap<u64, u64>,
    /// Bytes of the segments that were looked at.
    pub seen_bytes: u64,
    /// Bytes of all of them.
    pub all_bytes: u64,
    /// No page was shared by estimate.
    pub is_exact: bool,
}

impl Tsdb {
    /// The bytes that each id takes, newest segments first. `read_max` bytes are read: whole segments as long as there is
    /// room for them, then directories alone, which are exact to about a page (4 KiB), then
    /// nothing. Unreadable parts count as not seen.
    #[must_use]
    pub fn shares(&self, read_max: u64) -> Shares {
        let slots = self.inner.read_state().segments.clone();
        let mut shares = Shares { is_exact: true, ..Shares::default() };
        shares.all_bytes = slots.iter().map(|it| it.info.file_bytes).sum();
        let mut left = read_max;
        let mut newest_first = slots;
        newest_first.sort_by_key(|it| std::cmp::Reverse(it.info.max_ms));
        for slot in newest_first {
            let deleted = self.inner.deleted_in(slot.info.number);
            let Ok(segment) = slot.segment else { continue };
            // Half of the room is for directories.
            let is_exact = slot.info.file_bytes <= left.saturating_sub(read_max / 2);
            let n_read = if is_exact { slot.info.file_bytes } else { segment.directory_bytes() };
            if left < n_read {
                continue;
            }
            left -= n_read;
            let read = segment.shares(is_exact, &mut |key, n| {
                if !deleted.contains(&key.id) {
                    *shares.bytes.entry(key.id).or_default() += n;
                }
            });
            if read.is_ok() {
                shares.is_exact &= is_exact;
                shares.seen_bytes += slot.info.file_bytes;
            }
        }
        shares
    }
}
