//! A processed value is stored, shown, kept for windows, and given to what reads it; or an item has no
//! value, and says why.

use std::sync::Arc;

use directory::Way;
use model::record::Subject;
use model::{Retention, Time};
use window::{Arrival, Depth, Ring, ValueRef};

use super::Shard;
use super::convert::{ConvertedValue, Cut, to_millis};
use super::events::tags_of_item;
use super::notes::of_cut;
use super::state::{FORWARDED, HostState, MIRROR, NONE, QUICK, RULE, Slot, TRIGGERS};
use crate::effects::{Effects, OutBits, OutValue, StateChange, StateEvent, StateOf};
use crate::live::{LiveCell, Nth, TextRef};

impl Shard {
    /// Stores a processed value and runs, or queues, what reads it.
    #[inline]
    pub(super) fn store(
        &mut self,
        at: u32,
        slot: &Slot,
        time: Time,
        value: ConvertedValue<'_>,
        effects: &mut Effects,
    ) {
        let mut cell = self.items.cell(at);
        if self.repeats.has(&mut self.items, (at, slot), &cell, time) {
            self.counters.repeated += 1;
            self.checked(at, slot, time, effects);
            return;
        }
        self.items.set_kind(at, &mut cell, slot.kind);
        let (time, bits, out) = match &value {
            ConvertedValue::Float(it) => (to_millis(time), it.to_bits(), OutBits::Float(*it)),
            ConvertedValue::Unsigned(it) => (to_millis(time), *it, OutBits::Unsigned(*it)),
            text => match self.keep_text((at, &cell), time, text, effects) {
                Some((bits, out)) => (time, bits, out),
                None => return,
            },
        };
        let is_newest = self.publish((at, slot), cell, (time, bits), effects);
        if !slot.has(MIRROR) {
            effects.values.rows.push(OutValue {
                item: slot.item,
                time,
                value: out,
                slot: at,
                retention: Retention::from_code(slot.retention).unwrap_or_default(),
                trends: slot.trends(),
                partition: slot.partition,
                kind: slot.value_type(),
            });
            if slot.trends != Retention::Nothing as u8 {
                self.trends.stored((at, slot), (time, bits), effects);
            }
        }
        if time < self.hour_begin {
            self.overtake_trends(slot, time);
        }
        if slot.state != NONE {
            self.remember(slot, time, &value);
        }
        if slot.has(FORWARDED) {
            self.forwarding.value(slot, time, &value.to_value(), effects);
        }
        if slot.has(QUICK) && is_newest {
            self.touch_newest(slot, time, bits, effects);
        } else if slot.has(TRIGGERS) {
            self.touch(slot, time, effects);
        }
    }

    /// Puts the value into the item's live cell, which nobody has changed since it was read. True if there
    /// is no newer value.
    #[inline]
    fn publish(
        &mut self,
        (at, slot): (u32, &Slot),
        mut cell: LiveCell,
        (time, bits): (Time, u64),
        effects: &mut Effects,
    ) -> bool {
        cell.checked = true;
        if time < cell.time && cell.n_values != 0 {
            self.group.add_late(at, bits);
        }
        cell.push(time, bits);
        let was_unsupported = cell.unsupported;
        cell.unsupported = false;
        self.items.publish(at, &cell);
        if was_unsupported {
            self.supported(at, slot, time, effects);
        }
        cell.time == time
    }

    /// Trend functions read the hour of a late value again.
    fn overtake_trends(&mut self, slot: &Slot, time: Time) {
        let Some(state) = self.hosts.get_mut(slot.host) else { return };
        if state.cells.trends.is_empty() {
            return;
        }
        for function in &state.plan.layout.functions {
            if let Way::Trend { cell } = function.way
                && function.position == slot.position
                && let Some(known) = state.cells.trends.get_mut(cell as usize)
            {
                known.overtake(time.clock());
            }
        }
    }

    /// Puts a value into the item's ring, if windows need it.
    fn remember(&mut self, slot: &Slot, time: Time, value: &ConvertedValue<'_>) {
        let Some(state) = self.items.state_mut(slot) else { return };
        if let Some(loading) = &mut state.loading {
            loading.arrivals.push(Arrival { time, value: value.to_value(), step: self.step });
        }
        let Some(ring) = &mut state.ring else { return };
        if ring.is_full() {
            let host = self.hosts.get_mut(slot.host);
            make_room(ring, slot, host, self.now.wall.0.min(time.0));
        }
        match value {
            ConvertedValue::Float(it) => ring.push(time.0, ValueRef::Float(*it)),
            ConvertedValue::Unsigned(it) => ring.push(time.0, ValueRef::Unsigned(*it)),
            text => ring.push(time.0, ValueRef::Text(&text.to_value())),
        };
    }

    /// Keeps a text as one of the two newest; gives what its live cell has instead of a number's bits. `None` if the
    /// step holds no more text.
    #[inline]
    fn keep_text(
        &mut self,
        (at, cell): (u32, &LiveCell),
        time: Time,
        value: &ConvertedValue<'_>,
        effects: &mut Effects,
    ) -> Option<(u64, OutBits)> {
        let (text, out) = match value {
            ConvertedValue::Text(it) => (TextRef::Text(it), effects.values.keep_text(it)),
            ConvertedValue::Log(it) => (TextRef::Log(it), effects.values.keep_log(Arc::clone(it))),
            ConvertedValue::Float(_) | ConvertedValue::Unsigned(_) => return None,
        };
        let Some(out) = out else {
            self.counters.texts_dropped += 1;
            return None;
        };
        // The same rule as for numbers: see `LiveCell::push`.
        let bits = if cell.n_values == 0 || cell.time <= time {
            self.items.put_text(at, cell.bits, text, Nth::Newest)
        } else if cell.n_values == 1 || cell.prev_time <= time {
            self.items.put_text(at, cell.bits, text, Nth::BeforeNewest)
        } else {
            self.group.add_late_text(at, value.to_value());
            cell.bits
        };
        Some((bits, out))
    }

    /// A value arrived that is not kept: the item is normal, triggers are not evaluated.
    pub(super) fn checked(&mut self, at: u32, slot: &Slot, time: Time, effects: &mut Effects) {
        let mut cell = self.items.cell(at);
        let was_unsupported = cell.unsupported;
        cell.unsupported = false;
        cell.checked = true;
        self.items.set_kind(at, &mut cell, slot.kind);
        self.items.publish(at, &cell);
        if was_unsupported {
            self.supported(at, slot, time, effects);
        }
    }

    #[cold]
    fn supported(&mut self, at: u32, slot: &Slot, time: Time, effects: &mut Effects) {
        self.items.clear_error(at);
        self.state_changed(slot, (time, true), None, effects);
    }

    /// The item has no value, and says why.
    #[cold]
    pub(super) fn unsupported(
        &mut self,
        at: u32,
        slot: &Slot,
        time: Time,
        why: Arc<str>,
        effects: &mut Effects,
    ) {
        if self.fared.at == at {
            self.fared.unsupported = true;
        }
        self.counters.unsupported += u64::from(!slot.has(MIRROR));
        let mut cell = self.items.cell(at);
        let was_unsupported = cell.unsupported;
        let known = self.items.remarks(at).and_then(|it| it.error.as_ref());
        if was_unsupported && known == Some(&why) {
            // Nothing new about the item, but triggers may have come since it was said first.
            if slot.has(TRIGGERS) {
                self.touch(slot, time, effects);
            }
            return;
        }
        self.items.remarks_mut(at).error = Some(Arc::clone(&why));
        cell.unsupported = true;
        cell.checked = true;
        self.items.set_kind(at, &mut cell, slot.kind);
        self.items.publish(at, &cell);
        self.state_changed(slot, (time, !was_unsupported), Some(why), effects);
        // Becoming supported is judged with the value that did it; a discarded value is not judged.
        if slot.has(TRIGGERS) {
            self.touch(slot, time, effects);
        }
    }

    /// The item is not supported any more, or normal again (`is_other`), or has another reason.
    fn state_changed(
        &mut self,
        slot: &Slot,
        (time, is_other): (Time, bool),
        error: Option<Arc<str>>,
        effects: &mut Effects,
    ) {
        if !slot.has(MIRROR) {
            let host = self.hosts.get(slot.host);
            let (item, zone) = (slot.item, &self.settings.zone);
            let event = host.filter(|_| is_other).map(|host| StateEvent {
                subject: if slot.has(RULE) {
                    Subject::RuleState(item)
                } else {
                    Subject::ItemState(item)
                },
                tags: tags_of_item(host, slot, zone),
            });
            effects.states.push(StateChange {
                what: StateOf::Item(slot.item),
                host: host.map(|it| it.plan.host().id).unwrap_or_default(),
                time,
                error: error.clone(),
                event,
            });
        }
        if slot.has(FORWARDED) {
            self.forwarding.state(slot, time, error.as_ref(), effects);
        }
    }

    /// Of a text only the beginning is kept.
    #[cold]
    pub(super) fn note_cut(&mut self, at: u32, time: Time, cut: Cut) {
        self.counters.texts_cut += 1;
        if self.fared.at == at {
            self.fared.cut = true;
        }
        let note = of_cut(time, cut, self.now, &self.settings.zone);
        self.items.set_note(at, Some(note));
    }
}

/// Drops what none of the item's windows need at `now` and later.
#[cold]
fn make_room(ring: &mut Ring, slot: &Slot, host: Option<&mut HostState>, now: i64) {
    let mut depth = Depth::default();
    if let Some(HostState { plan, cells, .. }) = host
        && let Some(item) = plan.layout.item(slot.position)
    {
        depth = item.depth;
        if let Some(track) = item.track.filter(|_| ring.is_restless()) {
            cells.aggregates.follow(&plan.layout.aggregates, track, ring);
        }
    }
    ring.make_room(now, depth);
}
