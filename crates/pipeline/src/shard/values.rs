//! From a raw value to one that is stored: checks, preprocessing, conversion.

use std::sync::Arc;

use directory::steps::{ItemProgram, StepInput, data_of, input, owned, raw_of};
use model::batch::{Batch, Extra, OwnedRaw, RawRef, Refused};
use model::record::FAN_OUT;
use model::value::LogEntry;
use model::{Now, Time, limits};
use preprocess::{Context, Dispatched, Failure, Outcome, ParsedForms, Progress, StepState, Trail};

use super::Shard;
use super::admission::Admitted;
use super::convert::{convert_to_type, plain};
use super::notes::of_refused;
use super::outcome::{Fared, RowsOf};
use super::pending::ValueMeta;
use super::quick::AHEAD;
use super::state::{COMPLEX, ENABLED, MASTER, MAY_WAIT, NO_DATA, PLAIN, QUEUED, RULE, Slot};
use crate::effects::{Change, Discovery, Effects, RunResult};

/// Positions of later steps are not distinguished; numbers above have a meaning of their own.
const STEPS_MAX: u16 = FAN_OUT - 1;

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
            self.prefetch_rows(batch, rows);
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
            rows_of.failed.push((row, Refused::NoItem));
            return;
        };
        if let Err(refused) = self.admit(now, &slot, (at, time), batch.epoch) {
            rows_of.failed.push((row, refused));
            return;
        }
        let too_large = match raw {
            RawRef::Text(text) if limits::RAW_VALUE_BYTES_MAX < text.len() => Some(text.len()),
            _ => None,
        };
        if too_large.is_none() && slot.has(MAY_WAIT) && !self.has_room(at, raw) {
            rows_of.failed.push((row, Refused::Full));
            return;
        }
        if slot.has(NO_DATA) && self.is_dropped(&slot, time) {
            // The sender continues after it: sending it again would be useless.
            if let Some(extra) = extra {
                self.log_position(at, &slot, extra, effects);
            }
            return;
        }
        self.enter(&slot, at, time, effects);
        if let Some(extra) = extra {
            self.log_position(at, &slot, extra, effects);
        }
        if let Some(n) = too_large {
            rows_of.failed.push((row, Refused::TooLong));
            let max = limits::RAW_VALUE_BYTES_MAX;
            let why = format!("A value of {n} bytes was refused: at most {max} are taken.");
            self.process(at, time, RawRef::Error(&why), None, effects);
            return;
        }
        if slot.has(PLAIN)
            && !slot.has(QUEUED)
            && let Some(converted) = plain(&slot, raw)
        {
            self.store(at, &slot, time, converted, effects);
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

    /// Whether a value for a slot may come in; if not for its time, it is said at the item why.
    #[inline]
    pub(super) fn accepts(
        &mut self,
        now: Now,
        slot: &Slot,
        place: (u32, Time),
        epoch: u64,
    ) -> bool {
        self.admit(now, slot, place, epoch).is_ok()
    }

    /// As [`Self::accepts`], with the reason.
    #[inline]
    fn admit(
        &mut self,
        now: Now,
        slot: &Slot,
        (at, time): (u32, Time),
        epoch: u64,
    ) -> Result<(), Refused> {
        match self.admission.admits(&self.hosts, slot, (time, epoch), now) {
            Admitted::Yes => Ok(()),
            Admitted::No => Err(Refused::NoItem),
            Admitted::NotInTime => {
                self.counters.refused_times += 1;
                let note = of_refused(time, now, &self.settings.zone);
                self.items.set_note(at, Some(note));
                Err(Refused::Time)
            }
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
        let meta = ValueMeta { id: 0, time, log };
        self.take(at, &slot, meta, (raw, None), effects);
    }

    /// A value waits after others of its item, or goes on.
    fn take<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        meta: ValueMeta<'_>,
        (raw, shared): (RawRef<'a>, Option<&mut ParsedForms<'a>>),
        effects: &mut Effects,
    ) {
        if slot.has(QUEUED) {
            // Values from outside have been asked for before.
            if self.has_room(at, raw) {
                self.wait(at, slot, meta, (0, Arc::new(owned(raw)), None), effects);
            }
            return;
        }
        let progress = self.preprocess(at, slot, StepInput::Raw(raw, shared), meta.time, effects);
        self.progressed(at, slot, meta, progress, effects);
    }

    /// Whether a value that may have to wait would find room.
    pub(super) fn has_room(&mut self, at: u32, raw: RawRef<'_>) -> bool {
        let has_room = self.pending_queues.has_room_for(at, raw);
        self.counters.pending_refused += u64::from(!has_room);
        has_room
    }

    /// A value waits before a step: for its job, or after others.
    fn wait(
        &mut self,
        at: u32,
        slot: &Slot,
        meta: ValueMeta<'_>,
        what: (u16, Arc<OwnedRaw>, Option<Arc<Trail<'static>>>),
        effects: &mut Effects,
    ) {
        let steps = self.hosts.fingerprint(slot);
        self.pending_queues.wait(&mut self.items, (at, slot, steps), meta, what, effects);
    }

    /// Passes on the result of preprocessing; true if it has to wait.
    pub(super) fn progressed(
        &mut self,
        at: u32,
        slot: &Slot,
        meta: ValueMeta<'_>,
        progress: Progress<'_>,
        effects: &mut Effects,
    ) -> bool {
        let outcome = match progress {
            Progress::Done(it) => it,
            // Split by now, see `preprocess`.
            Progress::Rows { value, .. } => Outcome::Value(value),
            Progress::Heavy { step, value, trail } => {
                let step = u16::try_from(step).unwrap_or(STEPS_MAX);
                let value = Arc::new(owned(raw_of(&value)));
                self.wait(at, slot, meta, (step, value, trail.map(Arc::from)), effects);
                return true;
            }
        };
        let time = meta.time;
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
                let plan = self.hosts.get(slot.host).map(|it| &it.plan.layout);
                let program = plan.and_then(|it| it.item(slot.position)?.program.as_ref());
                let why = match program {
                    Some(program) => program.shown(failure.text),
                    None => failure.text,
                };
                let why: Arc<str> = why.into();
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
        match convert_to_type(data, slot.value_type(), meta.log) {
            Ok((converted, cut)) => {
                if let Some(cut) = cut {
                    self.note_cut(at, time, cut);
                }
                self.store(at, slot, time, converted, effects);
            }
            Err(why) => self.unsupported(at, slot, time, why.into(), effects),
        }
        false
    }

    pub(super) fn preprocess<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        entry: StepInput<'a, '_>,
        time: Time,
        effects: &mut Effects,
    ) -> Progress<'a> {
        let plan = self.hosts.get(slot.host);
        let program = plan
            .and_then(|it| it.plan.layout.item(slot.position))
            .and_then(|it| it.program.clone());
        let Some(program) = program else {
            let StepInput::Raw(raw, _) = entry else { return Progress::Done(Outcome::Discarded) };
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

    /// Goes on after a step that hands rows on, if preprocessing stands before one.
    fn hand_on<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        program: &ItemProgram,
        (mut progress, time): (Progress<'a>, Time),
        effects: &mut Effects,
    ) -> Progress<'a> {
        while let Progress::Rows { step, value, trail } = progress {
            let Some(dispatch) = program.steps().get(step).and_then(|it| it.dispatch()) else {
                return Progress::Rows { step, value, trail };
            };
            let found = dispatch.split(&value.as_text());
            let trail = match trail {
                Some(it) => *it,
                None => Trail::of(step, &value),
            };
            let entry = match found {
                Ok(found) => {
                    self.send_rows((at, slot), (step, time), &found, effects);
                    StepInput::Resumed { step, trail, result: Ok(Some(value)) }
                }
                Err(error) => StepInput::Resumed { step, trail, result: Err(error) },
            };
            progress = self.run_steps(at, slot, program, (entry, time), effects);
        }
        progress
    }

    /// Sends rows of a document on their way.
    pub(super) fn send_rows(
        &mut self,
        of: (u32, &Slot),
        (step, time): (usize, Time),
        rows: &Dispatched,
        effects: &mut Effects,
    ) {
        let parts = (&mut self.items, &self.hosts);
        let counters = &mut self.counters.rows;
        self.dispatcher.send(parts, of, (step, time, rows), counters, effects);
    }

    fn run_steps<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        program: &ItemProgram,
        (entry, time): (StepInput<'a, '_>, Time),
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
            RawRef::Text(text) => Some(ParsedForms::new(text)),
            _ => None,
        };
        let meta = ValueMeta { id: 0, time, log: None };
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
                self.take(at, &dependent, meta, (raw, shared.as_mut()), effects);
            }
        }
        self.level -= 1;
        if !waiting.is_empty() {
            let items = &mut self.items;
            let n_refused =
                self.pending_queues.fan_out(items, slot.item, (time, raw), waiting, effects);
            self.counters.pending_refused += n_refused as u64;
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
        self.items.remarks_mut(at).position = Some(position);
        effects.changes.push(Change::LogPosition {
            item: slot.item,
            lastlogsize: position.0,
            mtime: position.1,
        });
    }
}

fn extra_of(batch: &Batch, row: usize) -> Option<&Extra> {
    let at = batch.extras.binary_search_by_key(&row, |it| it.row as usize).ok()?;
    batch.extras.get(at)
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
        let from = rows_of.failed.partition_point(|it| it.0 < start);
        let till = rows_of.failed.partition_point(|it| it.0 < end);
        let failed = rows_of.failed.get(from..till).unwrap_or_default();
        effects.runs.push(RunResult {
            processed: count(end.saturating_sub(start).saturating_sub(failed.len())),
            failed: count(failed.len()),
            refused: failed.iter().map(|(row, why)| (count(row - start), *why)).collect(),
            unsupported: count(n_of(&rows_of.unsupported)),
            cut: count(n_of(&rows_of.cut)),
        });
        start = end;
    }
}
