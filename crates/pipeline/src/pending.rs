//! A value that waits, and what it takes.

use std::sync::Arc;

use model::batch::{OwnedRaw, RawRef};
use model::record::FAN_OUT;
use model::value::LogEntry;
use model::{ItemId, Time};
use preprocess::Trail;

/// Bytes of a waiting value in addition to its text, about.
pub(crate) const ENTRY_BYTES: usize = 128;

/// A value that waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    /// Unique among the item's waiting values, ascending.
    pub id: u64,
    pub item: ItemId,
    /// The step that it stands before; of rows in records and checkpoints also
    /// [`model::record::FAN_OUT`].
    pub step: u16,
    /// Fingerprint of the item's steps, if it has come past some of them.
    pub steps: u64,
    pub time: Time,
    pub value: Arc<OwnedRaw>,
    pub log: Option<Arc<LogEntry>>,
    /// The master whose value it is, as it came from there; none: the value is here.
    pub from: ItemId,
    /// The results of earlier steps, for the text of an error; not journaled.
    pub trail: Option<Arc<Trail<'static>>>,
}

impl Pending {
    pub(crate) fn n_bytes(&self) -> usize {
        let trail = self.trail.as_ref().map_or(0, |it| it.n_bytes());
        ENTRY_BYTES + len_of(self.value.as_ref().as_ref()) + trail
    }

    /// A dependant's share of a master's value, as it is written.
    pub(crate) fn share(item: ItemId, (master, id): (ItemId, u64), time: Time) -> Self {
        let nothing = Arc::new(OwnedRaw::Nothing);
        Self::of_master(item, id, (FAN_OUT, master.0), (time, nothing))
    }

    /// A row of a master's value.
    pub(crate) fn of_master(
        item: ItemId,
        id: u64,
        (step, steps): (u16, u64),
        (time, value): (Time, Arc<OwnedRaw>),
    ) -> Self {
        Self { id, item, step, steps, time, value, log: None, from: ItemId::NONE, trail: None }
    }

    /// As it is saved.
    pub(crate) fn saved(&self) -> Self {
        if self.from.is_some() {
            Self::share(self.item, (self.from, self.id), self.time)
        } else {
            self.clone()
        }
    }
}

pub(crate) fn len_of(raw: RawRef<'_>) -> usize {
    match raw {
        RawRef::Text(it) | RawRef::Error(it) => it.len(),
        RawRef::Unsigned(_) | RawRef::Float(_) | RawRef::Nothing => 0,
    }
}
