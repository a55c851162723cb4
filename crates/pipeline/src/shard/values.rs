//! From a raw value to a stored one: checks, preprocessing, conversion, live state, rings.

use std::sync::Arc;

use directory::steps::{Entry, ItemProgram, data_of, input, owned, raw_of};
use model::batch::{Batch, Extra, OwnedRaw, RawRef};
use model::record::FEED;
use model::value::LogEntry;
use model::{Now, Retention, Time, Value, limits};
use preprocess::{Context, Failure, Outcome, Progress, Shared, StepState, Trail};
use window::{Arrival, Depth, Ring, ValueRef};

use super::Shard;
use super::convert::{Ready, plain, ready, to_millis};
use super::pending::Came;
use super::quick::AHEAD;
use super::state::{
    COMPLEX, ENABLED, FORWARDED, HostState, MASTER, MAY_WAIT, MIRROR, NONE, PLAIN, QUEUED, QUICK,
    RULE, Slot, TRIGGERS,
};
use crate::effects::{
    Change, Discovery, Effects, OutBits, OutValue, RunResult, StateChange, StateOf,
};

/// Positions of steps behind that are not told apart; what stands above has a meaning of its own.
const STEPS_MAX: u16 = FEED - 1;

impl Shard {
    /// Takes a batch: in order of time, values of one time before the triggers that read them.
    pub(super) fn batch(&mut self, now: Now, batch: &Batch, effects: &mut Effects) {
        let mut rows_of = std::mem::take(&mut self.scratch.rows);
        rows_of.clear();
        let mut order = std::mem::take(&mut self.scratch.order);
        order.clear();
        order.extend(0..batch.len());
        if !batch.times.is_sorted() {
            order.sort_by_key(|row| batch.times[*row]);
        }
        for rows in order.chunks(AHEAD) {
            self.look_ahead(batch, rows);
            for row in rows {
                self.row(now, batch, *row, &mut rows_of, effects);
            }
        }
        self.scratch.order = order;
        self.end_group(effects);
        rows_of.sort();
        settle(batch, &rows_of, effects);
        self.counters.values += batch.len() as u64;
        self.counters.refused += rows_of.failed.len() as u64;
        self.scratch.rows = rows_of;
    }

    fn row(
        &mut self,
        now: Now,
        batch: &Batch,
        row: usize,
        rows_of: &mut RowsOf,
        effects: &mut Effects,
    ) {
        let (at, time) = (batch.slots[row], batch.times[row]);
        let extra = if batch.extras.is_empty() { None } else { extra_of(batch, row) };
        let raw = batch.value(row);
        let Some(slot) = self.items.slot(at) else {
            rows_of.failed.push(row);
            return;
        };
        if !self.accepts(now, &slot, (at, time), batch.epoch) {
            rows_of.failed.push(row);
            return;
        }
        let too_large = match raw {
            RawRef::Text(text) if limits::RAW_VALUE_BYTES_MAX < text.len() => Some(text.len()),
            _ => None,
        };
        if too_large.is_none() && slot.has(MAY_WAIT) && !self.has_room(at, raw) {
            rows_of.failed.push(row);
            return;
        }
        self.enter(&slot, at, time, effects);
        if let Some(extra) = extra {
            self.log_position(at, &slot, extra, effects);
        }
        if let Some(n) = too_large {
            rows_of.failed.push(row);
            let max = limits::RAW_VALUE_BYTES_MAX;
            let why = format!("A value of {n} bytes was refused: at most {max} are taken.");
            self.process(at, time, RawRef::Error(&why), None, effects);
            return;
        }
        if slot.has(PLAIN)
            && let Some(ready) = plain(&slot, raw)
        {
            self.store(at, &slot, time, ready, effects);
            return;
        }
        self.fared = Fared::of(at);
        self.process(at, time, raw, extra.and_then(|it| it.log.as_ref()), effects);
        let fared = std::mem::take(&mut self.fared);
        if fared.unsupported {
            rows_of.unsupported.push(row);
        }
        if fared.cut {
            rows_of.cut.push(row);
        }
    }

    /// A value of this time comes next: ends the group of values of another time.
    #[inline]
    pub(super) fn enter(&mut self, slot: &Slot, at: u32, time: Time, effects: &mut Effects) {
        if time != self.group.time() {
            self.end_group(effects);
            self.group.begin(time);
        }
        self.work.on(slot.item);
        if slot.has(COMPLEX) && !self.group.add(at) {
            // A second value of the same time: the first one's triggers run before it.
            self.end_group(effects);
            self.group.add(at);
        }
    }

    /// The long way: any preprocessing, any type, dependants.
    pub(super) fn process(
        &mut self,
        at: u32,
        time: Time,
        raw: RawRef<'_>,
        log: Option<&LogEntry>,
        effects: &mut Effects,
    ) {
        let Some(slot) = self.items.slot(at) else { return };
        let came = Came { id: 0, time, log };
        self.take(at, &slot, came, (raw, None), effects);
    }

    /// A value waits behind others of its item, or goes on.
    fn take<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        came: Came<'_>,
        (raw, shared): (RawRef<'a>, Option<&mut Shared<'a>>),
        effects: &mut Effects,
    ) {
        if slot.has(QUEUED) {
            // Values from outside have been asked for before.
            if self.has_room(at, raw) {
                self.wait(at, slot, came, (0, Arc::new(owned(raw)), None), effects);
            }
            return;
        }
        let progress = self.preprocess(at, slot, Entry::Raw(raw, shared), came.time, effects);
        self.progressed(at, slot, came, progress, effects);
    }

    /// Whether a value that may have to wait would find room.
    pub(super) fn has_room(&mut self, at: u32, raw: RawRef<'_>) -> bool {
        let has_room = self.lines.has_room_for(at, raw);
        self.counters.pending_refused += u64::from(!has_room);
        has_room
    }

    /// A value waits before a step: for its job, or behind others.
    fn wait(
        &mut self,
        at: u32,
        slot: &Slot,
        came: Came<'_>,
        what: (u16, Arc<OwnedRaw>, Option<Arc<Trail<'static>>>),
        effects: &mut Effects,
    ) {
        let steps = self.hosts.fingerprint(slot);
        self.lines.wait(&mut self.items, (at, slot, steps), came, what, effects);
    }

    /// What preprocessing gave goes on; true if it has to wait.
    pub(super) fn progressed(
        &mut self,
        at: u32,
        slot: &Slot,
        came: Came<'_>,
        progress: Progress<'_>,
        effects: &mut Effects,
    ) -> bool {
        let outcome = match progress {
            Progress::Done(it) => it,
            // Taken apart by now, see `preprocess`.
            Progress::Rows { value, .. } => Outcome::Value(value),
            Progress::Heavy { step, value, trail } => {
                let step = u16::try_from(step).unwrap_or(STEPS_MAX);
                let value = Arc::new(owned(raw_of(&value)));
                self.wait(at, slot, came, (step, value, trail.map(Arc::from)), effects);
                return true;
            }
        };
        let time = came.time;
        let data = match outcome {
            Outcome::Value(data) => {
                if slot.has(MASTER) {
                    self.feed_dependents(slot, time, raw_of(&data), effects);
                }
                data
            }
            Outcome::Discarded => {
                self.checked(at, slot, time, effects);
                return false;
            }
            Outcome::Failed(failure) => {
                let why: Arc<str> = failure.text.into();
                if slot.has(MASTER) {
                    self.feed_dependents(slot, time, RawRef::Error(&why), effects);
                }
                self.unsupported(at, slot, time, why, effects);
                return false;
            }
        };
        if slot.has(RULE) {
            self.discovery(at, slot, time, data.into_text().into_owned(), effects);
            return false;
        }
        match ready(data, slot.value_type(), came.log) {
            Ok((ready, cut)) => {
                if let Some(cut) = cut {
                    self.note_cut(at, time, cut);
                }
                self.store(at, slot, time, ready, effects);
            }
            Err(why) => self.unsupported(at, slot, time, why.into(), effects),
        }
        false
    }

    pub(super) fn preprocess<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        entry: Entry<'a, '_>,
        time: Time,
        effects: &mut Effects,
    ) -> Progress<'a> {
        let plan = self.hosts.get(slot.host);
        let program = plan
            .and_then(|it| it.plan.layout.item(slot.position))
            .and_then(|it| it.program.clone());
        let Some(program) = program else {
            let Entry::Raw(raw, _) = entry else { return Progress::Done(Outcome::Discarded) };
            return Progress::Done(match input(raw) {
                None => Outcome::Discarded,
                Some(Ok(data)) => Outcome::Value(data),
                Some(Err(text)) => Outcome::Failed(Failure { step: None, text }),
            });
        };
        let progress = self.run_steps(at, slot, &program, (entry, time), effects);
        if program.dispatches().is_none() {
            return progress;
        }
        self.hand_on(at, slot, &program, (progress, time), effects)
    }

    pub(super) fn run_steps<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        program: &ItemProgram,
        (entry, time): (Entry<'a, '_>, Time),
        effects: &mut Effects,
    ) -> Progress<'a> {
        let context = Context { time, value_type: slot.steps_type() };
        if !program.has_state() {
            return program.run(entry, context, &mut [], &mut |_, _| {});
        }
        let memory = &mut self.items.make_state(at).memory;
        if memory.len() != program.n_steps() {
            *memory = (0..program.n_steps()).map(|_| StepState::default()).collect();
        }
        let item = slot.item;
        program.run(entry, context, memory, &mut |step, state| {
            effects.changes.push(Change::Step { item, step, state: state.clone() });
        })
    }

    /// Hands a value on to the item's dependants. Those for which it is heavy, and those for which
    /// others wait already, have to wait.
    fn feed_dependents(&mut self, slot: &Slot, time: Time, raw: RawRef<'_>, effects: &mut Effects) {
        let Some(host) = self.hosts.get(slot.host) else {
            return;
        };
        let plan = Arc::clone(&host.plan);
        let Some(item) = plan.layout.item(slot.position) else { return };
        // Zabbix allows three levels; content from elsewhere might hold a circle.
        if limits::DEPENDENT_LEVELS_MAX <= self.level {
            self.counters.too_deep += 1;
            return;
        }
        // Errors go through light steps only.
        let n_bytes = data_of(raw).map(|it| it.len());
        let mut shared = match raw {
            RawRef::Text(text) => Some(Shared::new(text)),
            _ => None,
        };
        let came = Came { id: 0, time, log: None };
        let mut waiting = Vec::new();
        self.level += 1;
        for position in plan.layout.dependents_of(item) {
            let Some(at) = plan.slots.get(*position) else { continue };
            let dependent = self.items.slot(at);
            let Some(dependent) = dependent.filter(|it| it.has(ENABLED)) else { continue };
            let program = plan.layout.item(*position).and_then(|it| it.program.as_ref());
            let is_heavy = |n| program.is_some_and(|it| it.begins_heavy(n));
            if dependent.has(QUEUED) || n_bytes.is_some_and(is_heavy) {
                waiting.push(at);
            } else {
                self.take(at, &dependent, came, (raw, shared.as_mut()), effects);
            }
        }
        self.level -= 1;
        if !waiting.is_empty() {
            let items = &mut self.items;
            let n_refused = self.lines.feed(items, slot.item, (time, raw), waiting, effects);
            self.counters.pending_refused += n_refused as u64;
        }
    }

    /// Stores a processed value and runs, or queues, what reads it.
    #[inline]
    pub(super) fn store(
        &mut self,
        at: u32,
        slot: &Slot,
        time: Time,
        value: Ready,
        effects: &mut Effects,
    ) {
        if self.repeats(at, slot, time) {
            self.checked(at, slot, time, effects);
            return;
        }
        let (time, bits, out) = match &value {
            Ready::Float(it) => (to_millis(time), it.to_bits(), OutBits::Float(*it)),
            Ready::Unsigned(it) => (to_millis(time), *it, OutBits::Unsigned(*it)),
            Ready::Text(it) => match self.keep_text(at, time, it, effects) {
                Some(out) => (time, 0, out),
                None => return,
            },
        };
        let is_newest = self.publish(at, slot, time, bits, effects);
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
        if slot.state != NONE {
            self.remember(slot, time, value.as_ref());
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

    /// True if there is no newer value.
    #[inline]
    fn publish(
        &mut self,
        at: u32,
        slot: &Slot,
        time: Time,
        bits: u64,
        effects: &mut Effects,
    ) -> bool {
        let mut cell = self.items.cell(at);
        cell.kind = slot.kind;
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

    /// Puts a value into the item's ring, if windows need it.
    fn remember(&mut self, slot: &Slot, time: Time, value: ValueRef<'_>) {
        let Some(state) = self.items.state_mut(slot) else { return };
        if let Some(loading) = &mut state.loading {
            loading.arrivals.push(Arrival { time, value: value.to_value(), step: self.step });
        }
        let Some(ring) = &mut state.ring else { return };
        if ring.is_full() {
            let host = self.hosts.get_mut(slot.host);
            make_room(ring, slot, host, self.now.wall.0.min(time.0));
        }
        ring.push(time.0, value);
    }

    /// Keeps a text as one of the two newest. `None` if the step holds no more text.
    fn keep_text(
        &mut self,
        at: u32,
        time: Time,
        value: &Value,
        effects: &mut Effects,
    ) -> Option<OutBits> {
        let out = match value {
            Value::Log(it) => effects.values.keep_log(Arc::clone(it)),
            other => effects.values.keep_text(other.as_text().unwrap_or_default()),
        };
        let Some(out) = out else {
            self.counters.texts_dropped += 1;
            return None;
        };
        let cell = self.items.cell(at);
        let texts = self.items.texts_mut(at);
        // The same rule as for numbers: see `live::Cell::push`.
        if cell.n_values == 0 || cell.time <= time {
            texts.prev = texts.last.replace(value.clone());
        } else if cell.n_values == 1 || cell.prev_time <= time {
            texts.prev = Some(value.clone());
        } else {
            self.group.add_late_text(at, value.clone());
        }
        Some(out)
    }

    /// A value arrived that is not kept: the item is normal, triggers are not evaluated.
    pub(super) fn checked(&mut self, at: u32, slot: &Slot, time: Time, effects: &mut Effects) {
        let mut cell = self.items.cell(at);
        let was_unsupported = cell.unsupported;
        cell.unsupported = false;
        cell.checked = true;
        cell.kind = slot.kind;
        self.items.publish(at, &cell);
        if was_unsupported {
            self.supported(at, slot, time, effects);
        }
    }

    #[cold]
    fn supported(&mut self, at: u32, slot: &Slot, time: Time, effects: &mut Effects) {
        self.items.clear_error(at);
        self.state_changed(slot, time, None, effects);
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
        let known = self.items.texts(at).and_then(|it| it.error.as_ref());
        if cell.unsupported && known == Some(&why) {
            // Nothing new about the item, but triggers may have come since it was said first.
            if slot.has(TRIGGERS) {
                self.touch(slot, time, effects);
            }
            return;
        }
        self.items.texts_mut(at).error = Some(Arc::clone(&why));
        cell.unsupported = true;
        cell.checked = true;
        cell.kind = slot.kind;
        self.items.publish(at, &cell);
        self.state_changed(slot, time, Some(why), effects);
        // Becoming supported is judged with the value that did it; a discarded value is not judged.
        if slot.has(TRIGGERS) {
            self.touch(slot, time, effects);
        }
    }

    fn state_changed(
        &mut self,
        slot: &Slot,
        time: Time,
        error: Option<Arc<str>>,
        effects: &mut Effects,
    ) {
        if !slot.has(MIRROR) {
            let host = self.hosts.get(slot.host);
            effects.states.push(StateChange {
                what: StateOf::Item(slot.item),
                host: host.map(|it| it.plan.host().id).unwrap_or_default(),
                time,
                error: error.clone(),
            });
        }
        if slot.has(FORWARDED) {
            self.forwarding.state(slot, time, error.as_ref(), effects);
        }
    }

    fn discovery(&mut self, at: u32, slot: &Slot, time: Time, json: String, effects: &mut Effects) {
        let host = self.hosts.get(slot.host);
        let host = host.map(|it| it.plan.host().id).unwrap_or_default();
        effects.discoveries.push(Discovery { rule: slot.item, host, time, json });
        self.checked(at, slot, time, effects);
    }

    fn log_position(&mut self, at: u32, slot: &Slot, extra: &Extra, effects: &mut Effects) {
        let (Some(size), mtime) = (extra.lastlogsize, extra.mtime) else { return };
        let position = (size, mtime.unwrap_or(0));
        self.items.texts_mut(at).position = Some(position);
        effects.changes.push(Change::LogPosition {
            item: slot.item,
            lastlogsize: position.0,
            mtime: position.1,
        });
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
            cells.folds.follow(&plan.layout.folds, track, ring);
        }
    }
    ring.make_room(now, depth);
}

fn extra_of(batch: &Batch, row: usize) -> Option<&Extra> {
    let at = batch.extras.binary_search_by_key(&row, |it| it.row as usize).ok()?;
    batch.extras.get(at)
}

/// Rows of a batch, by what became of them.
#[derive(Debug, Default)]
pub(super) struct RowsOf {
    failed: Vec<usize>,
    unsupported: Vec<usize>,
    cut: Vec<usize>,
}

impl RowsOf {
    fn clear(&mut self) {
        self.failed.clear();
        self.unsupported.clear();
        self.cut.clear();
    }

    fn sort(&mut self) {
        self.failed.sort_unstable();
        self.unsupported.sort_unstable();
        self.cut.sort_unstable();
    }
}

/// What became of the value at work, besides its being processed.
#[derive(Debug)]
pub(super) struct Fared {
    /// The slot that it came to; what its dependants make of it does not count.
    pub(super) at: u32,
    pub(super) unsupported: bool,
    pub(super) cut: bool,
}

impl Fared {
    fn of(at: u32) -> Self {
        Self { at, unsupported: false, cut: false }
    }
}

impl Default for Fared {
    fn default() -> Self {
        Self::of(NONE)
    }
}

/// Counts each request's rows.
fn settle(batch: &Batch, rows_of: &RowsOf, effects: &mut Effects) {
    let mut start = 0;
    for run in &batch.runs {
        let end = run.end as usize;
        let n_of = |rows: &[usize]| {
            rows.partition_point(|it| *it < end) - rows.partition_point(|it| *it < start)
        };
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let n_failed = n_of(&rows_of.failed);
        effects.runs.push(RunResult {
            processed: count(end.saturating_sub(start).saturating_sub(n_failed)),
            failed: count(n_failed),
            unsupported: count(n_of(&rows_of.unsupported)),
            cut: count(n_of(&rows_of.cut)),
        });
        start = end;
    }
}
