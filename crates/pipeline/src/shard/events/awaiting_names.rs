//! Events whose names wait.
//!
//! An expression macro of an event name (`{?avg(/host/key,1h)}`) may need a window that history has
//! to fill, or a trend. The trigger has its value at once, as far as later evaluations and triggers that
//! depend on it are concerned; its event and the change of its state are made, in one record, when
//! the name is whole; until then the event is journaled as one that waits (`journaled.rs`): see
//! `docs/decisions/0014-event-names-that-wait.md`. Everything else of the event (macros, tags,
//! operational data) is as it was at its time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use model::content::Tag;
use model::record::EventAwaitingNameRow;
use model::time::NANOS;
use model::{HostId, Now, Time};

use super::draft::Draft;
use super::journaled::{draft, written};
use crate::effects::{Change, Effects};
use crate::event_awaiting_name::{Decision, UnnamedEvent};

/// How long an event waits for its name. After that it is made without the unknown parts.
const WAIT_NS: u64 = 10 * NANOS.unsigned_abs();
/// The most waiting events of one trigger. Beyond it the oldest is made without the unknown parts
/// of its name.
const OF_TRIGGER_MAX: usize = 64;
/// The most waiting events of a shard, likewise.
const ALL_MAX: usize = 16_384;

/// An event that waits.
#[derive(Debug)]
pub(in super::super) struct AwaitingEvent {
    draft: Draft,
    /// As it is journaled.
    written: Arc<UnnamedEvent>,
    /// Monotonic nanoseconds.
    expires: u64,
}

impl AwaitingEvent {
    pub(in super::super) fn draft(&self) -> &Draft {
        &self.draft
    }

    pub(in super::super) fn draft_mut(&mut self) -> &mut Draft {
        &mut self.draft
    }

    pub(in super::super) fn into_draft(self) -> Draft {
        self.draft
    }

    /// As it is journaled.
    pub(in super::super) fn written(&self) -> &UnnamedEvent {
        &self.written
    }

    pub(in super::super) fn has_expired(&self, now: Now) -> bool {
        self.expires <= now.mono_ns
    }

    pub(in super::super) fn decision(&self) -> Decision {
        self.written.decision()
    }

    pub(in super::super) fn tags(&self) -> &[Tag] {
        &self.draft.event.tags
    }
}

/// Events of triggers, by host and position, in order of decision.
#[derive(Debug, Default)]
pub(in super::super) struct EventsAwaitingNames {
    awaiting: BTreeMap<(u32, u32), VecDeque<AwaitingEvent>>,
    len: usize,
    /// No event expires before.
    earliest: u64,
}

impl EventsAwaitingNames {
    pub(in super::super) fn len(&self) -> usize {
        self.len
    }

    /// When the timer has to look at them.
    pub(in super::super) fn next(&self) -> Option<u64> {
        (self.len != 0).then_some(self.earliest)
    }

    /// The oldest time of a host's events.
    pub(in super::super) fn oldest_of(&self, host: u32) -> Option<Time> {
        let of_host = self.awaiting.range((host, 0)..=(host, u32::MAX));
        of_host.flat_map(|it| it.1).map(|it| it.draft.event.time).min()
    }

    pub(in super::super) fn take(&mut self, host: u32, position: u32) -> VecDeque<AwaitingEvent> {
        let awaiting = self.awaiting.remove(&(host, position)).unwrap_or_default();
        self.len -= awaiting.len();
        awaiting
    }

    pub(in super::super) fn put(
        &mut self,
        host: u32,
        position: u32,
        awaiting: VecDeque<AwaitingEvent>,
    ) {
        if awaiting.is_empty() {
            return;
        }
        for it in &awaiting {
            let is_first = self.len == 0;
            self.earliest = if is_first { it.expires } else { self.earliest.min(it.expires) };
            self.len += 1;
        }
        self.awaiting.entry((host, position)).or_default().extend(awaiting);
    }

    pub(in super::super) fn of(
        &self,
        host: u32,
        position: u32,
    ) -> impl DoubleEndedIterator<Item = &AwaitingEvent> {
        self.awaiting.get(&(host, position)).into_iter().flatten()
    }

    pub(in super::super) fn triggers(&self) -> Vec<(u32, u32)> {
        self.awaiting.keys().copied().collect()
    }

    /// All events wait from now on.
    pub(in super::super) fn begin(&mut self, now: Now) {
        self.earliest = now.mono_ns.saturating_add(WAIT_NS);
        let all = self.awaiting.values_mut().flatten();
        all.for_each(|it| it.expires = self.earliest);
    }

    /// An event waits from now on, after those of its trigger; gives how many macros this leaves without
    /// a value, because too many wait.
    pub(in super::super) fn wait(
        &mut self,
        awaiting: &mut VecDeque<AwaitingEvent>,
        (draft, decision): (Draft, Decision),
        now: Now,
        effects: &mut Effects,
    ) -> u64 {
        let written = Arc::new(written(&draft, decision));
        effects.changes.push(Change::AwaitsName(Arc::clone(&written)));
        let expires = now.mono_ns.saturating_add(WAIT_NS);
        awaiting.push_back(AwaitingEvent { draft, written, expires });
        if awaiting.len() <= OF_TRIGGER_MAX && self.len < ALL_MAX {
            return 0;
        }
        awaiting.front_mut().map_or(0, |it| it.draft.give_up())
    }

    /// The value of a trigger when all its events are made.
    pub(in super::super) fn ahead(&self, host: u32, position: u32) -> Option<bool> {
        self.of(host, position).next_back().map(|it| it.decision().is_problem)
    }

    /// Takes an event that waits as a record or a checkpoint has it. `of`: host and position of its
    /// trigger, and the id of the host.
    pub(in super::super) fn put_awaiting(
        &mut self,
        (host, position, id): (u32, u32, HostId),
        written: Arc<UnnamedEvent>,
    ) {
        let draft = draft(&written, id);
        let awaiting = AwaitingEvent { draft, written, expires: u64::MAX };
        self.put(host, position, VecDeque::from([awaiting]));
    }

    /// Applies a record's row about waiting events of a trigger.
    pub(in super::super) fn apply(
        &mut self,
        (host, position, id): (u32, u32, HostId),
        row: &EventAwaitingNameRow<'_>,
    ) {
        match row {
            EventAwaitingNameRow::Waits(it) => {
                self.put_awaiting((host, position, id), Arc::new(UnnamedEvent::read(it)));
            }
            EventAwaitingNameRow::Left { n, .. } => {
                let mut awaiting = self.take(host, position);
                let n = usize::try_from(*n).unwrap_or(usize::MAX).min(awaiting.len());
                awaiting.drain(..n);
                self.put(host, position, awaiting);
            }
        }
    }
}
