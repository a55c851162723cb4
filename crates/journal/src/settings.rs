//! Settings of a journal.

/// The reaction at start to damage in synced records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnCorruption {
    /// Say where it is and do not start.
    #[default]
    Refuse,
    /// Start without the damaged records; they are listed in [`crate::RecoveredJournal::lost`].
    Isolate,
}

#[derive(Debug, Clone)]
pub struct JournalSettings {
    /// A file is closed when the next record would make it larger than this.
    pub file_bytes: u64,
    /// The first id that may be handed out, should the journal itself know a smaller one.
    pub next_id_min: u64,
    /// Distinguishes a new journal from others: drawn at random; 0 for none.
    pub identity: u32,
    pub on_corruption: OnCorruption,
}

impl Default for JournalSettings {
    fn default() -> Self {
        Self {
            // 128 MiB: some 15 million values; retention works in steps of it, and opening reads
            // at most the part of one that was not surely synced.
            file_bytes: 128 << 20,
            next_id_min: 1,
            identity: 0,
            on_corruption: OnCorruption::Refuse,
        }
    }
}
