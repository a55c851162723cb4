//! Values of history functions at one point in time.

use directory::{Bound, BoundFormula, FunctionPlan, HostPlan, Way, span_of};
use jiff::tz::TimeZone;
use lang::expression::{Operand, Operands, Value as Computed};
use lang::functions::{self, FunctionContext, FunctionError, Needs, Range, Sample, SampleValue};
use model::{Time, Value, ValueType};
use window::{Ring, ValueRef, WindowAnswer, WindowSpan, scan};

use super::convert::to_millis;
use super::group::Group;
use super::items::Items;
use super::outage::Outages;
use super::state::{Cells, ENABLED, NO_DATA, QUARANTINED, Slot};
use crate::live::{LiveCell, Nth};

/// Inputs of evaluations besides the host's own cells.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) items: &'a Items,
    pub(super) group: &'a Group,
    pub(super) outages: &'a Outages,
    pub(super) zone: &'a TimeZone,
    /// The clock: of what is said of the present, whatever time is judged.
    pub(super) now: Time,
    /// The results of the formula's functions over many items.
    pub(super) many: &'a [Result<Computed, String>],
}

/// The inputs of a shard's evaluations. Not a method, so that hosts may change meanwhile.
macro_rules! sources {
    ($shard:expr) => {
        sources!($shard, &[])
    };
    ($shard:expr, $many:expr) => {
        Sources {
            items: &$shard.items,
            group: &$shard.group,
            outages: &$shard.outages,
            zone: &$shard.settings.zone,
            now: $shard.now.wall,
            many: $many,
        }
    };
}
pub(super) use sources;

/// The result of an evaluation.
#[derive(Debug)]
pub(super) enum Evaluated {
    Value(Computed),
    Unknown(String),
    /// The item at this slot needs history first.
    Cold(u32),
    /// This cell needs its trends first.
    Trend(u32),
}

/// A value is not in memory; history has it.
#[derive(Debug)]
pub(super) struct WindowNotLoaded;

/// Why a function has no value.
enum Missing {
    Error(FunctionError),
    Text(&'static str),
    /// The item is not monitored: the whole expression is unknown, whatever its other operands are.
    Disabled(&'static str),
    Said(String),
    Cold(u32),
    Trend(u32),
}

impl From<FunctionError> for Missing {
    fn from(error: FunctionError) -> Self {
        Self::Error(error)
    }
}

/// The value of one operand.
#[derive(Debug)]
pub(super) enum Known {
    Number(f64),
    Unsigned(u64),
    Text(Value),
    Other(Computed),
    Unknown(String),
    /// Of operands that are no functions.
    Constant,
}

struct Bindings<'a> {
    bound: &'a [Bound],
    known: &'a [Known],
}

impl Operands for Bindings<'_> {
    #[inline]
    fn operand(&self, idx: usize) -> Operand<'_> {
        match self.bound.get(idx) {
            Some(Bound::Number(it)) => Operand::Number(*it),
            Some(Bound::Text(it)) => Operand::Text(it),
            Some(Bound::Unknown(it)) => Operand::Unknown(it),
            Some(Bound::Function(_) | Bound::Many(_) | Bound::Refused(_)) => {
                match self.known.get(idx) {
                    Some(Known::Number(it)) => Operand::Number(*it),
                    Some(Known::Unsigned(it)) => Operand::UInt(*it),
                    Some(Known::Text(it)) => Operand::Text(it.as_text().unwrap_or_default()),
                    Some(Known::Other(it)) => operand_of(it),
                    Some(Known::Unknown(why)) => Operand::Unknown(why),
                    Some(Known::Constant) | None => Operand::Unknown("no such operand"),
                }
            }
            None => Operand::Unknown("no such operand"),
        }
    }
}

fn operand_of(value: &Computed) -> Operand<'_> {
    match value {
        Computed::Number(it) => Operand::Number(*it),
        Computed::UInt(it) => Operand::UInt(*it),
        Computed::Text(it) => Operand::Text(it),
        Computed::Vector(it) => Operand::Vector(it),
    }
}

impl Sources<'_> {
    /// The value of a formula at `time`. `known` is scratch memory.
    pub(super) fn evaluate(
        &self,
        formula: &BoundFormula,
        plan: &HostPlan,
        cells: &mut Cells,
        known: &mut Vec<Known>,
        time: Time,
    ) -> Evaluated {
        if let Err(early) = self.operands(formula, plan, cells, known, time) {
            return early;
        }
        let bindings = Bindings { bound: &formula.operands, known };
        match formula.program.eval(&bindings, &formula.env(time, self.zone)) {
            Ok(value) => Evaluated::Value(value),
            Err(error) => Evaluated::Unknown(error.to_string()),
        }
    }

    /// As [`Self::evaluate`], as a truth.
    pub(super) fn evaluate_truth(
        &self,
        formula: &BoundFormula,
        plan: &HostPlan,
        cells: &mut Cells,
        known: &mut Vec<Known>,
        time: Time,
    ) -> Result<bool, Evaluated> {
        self.operands(formula, plan, cells, known, time).map_or_else(Err, |()| {
            let bindings = Bindings { bound: &formula.operands, known };
            formula
                .program
                .eval_truth(&bindings, &formula.env(time, self.zone))
                .map_err(|error| Evaluated::Unknown(error.to_string()))
        })
    }

    fn operands(
        &self,
        formula: &BoundFormula,
        plan: &HostPlan,
        cells: &mut Cells,
        known: &mut Vec<Known>,
        time: Time,
    ) -> Result<(), Evaluated> {
        known.clear();
        for bound in &formula.operands {
            known.push(self.operand(bound, plan, cells, time)?);
        }
        Ok(())
    }

    #[inline]
    fn operand(
        &self,
        bound: &Bound,
        plan: &HostPlan,
        cells: &mut Cells,
        time: Time,
    ) -> Result<Known, Evaluated> {
        let at = match bound {
            Bound::Function(at) => at,
            Bound::Many(at) => {
                return Ok(match self.many.get(*at as usize) {
                    Some(Ok(it)) => Known::Other(it.clone()),
                    Some(Err(why)) => Known::Unknown(why.clone()),
                    None => Known::Unknown("no such function".to_owned()),
                });
            }
            Bound::Refused(it) => return Ok(Known::Unknown(plan.refusal(it))),
            Bound::Number(_) | Bound::Text(_) | Bound::Unknown(_) => return Ok(Known::Constant),
        };
        let Some(function) = plan.layout.functions.get(*at as usize) else {
            return Ok(Known::Unknown("no such function".to_owned()));
        };
        Ok(match self.function(function, plan, cells, time) {
            Ok(it) => it,
            Err(Missing::Cold(slot)) => return Err(Evaluated::Cold(slot)),
            Err(Missing::Disabled(text)) => {
                return Err(Evaluated::Unknown(why(function, plan, &text)));
            }
            Err(Missing::Error(error)) => Known::Unknown(why(function, plan, &error)),
            Err(Missing::Text(text)) => Known::Unknown(why(function, plan, &text)),
            Err(Missing::Said(text)) => Known::Unknown(why(function, plan, &text)),
            Err(Missing::Trend(cell)) => return Err(Evaluated::Trend(cell)),
        })
    }

    /// Finds the operands of a formula that are not known yet. Data that some of them wait for is
    /// added to `missing`; with all of them the formula has its value.
    pub(super) fn find_operands(
        &self,
        formula: &BoundFormula,
        (plan, cells): (&HostPlan, &mut Cells),
        known: &mut Vec<Option<Known>>,
        time: Time,
        missing: &mut Vec<Evaluated>,
    ) -> Option<Evaluated> {
        known.resize_with(formula.operands.len(), || None);
        for (bound, known) in formula.operands.iter().zip(known.iter_mut()) {
            if known.is_none() {
                match self.operand(bound, plan, cells, time) {
                    Ok(it) => *known = Some(it),
                    Err(unknown @ Evaluated::Unknown(_)) => return Some(unknown),
                    Err(it) => missing.push(it),
                }
            }
        }
        if known.iter().any(Option::is_none) {
            return None;
        }
        let known: Vec<Known> = known.drain(..).flatten().collect();
        let bindings = Bindings { bound: &formula.operands, known: &known };
        Some(match formula.program.eval(&bindings, &formula.env(time, self.zone)) {
            Ok(value) => Evaluated::Value(value),
            Err(error) => Evaluated::Unknown(error.to_string()),
        })
    }

    /// The value of one function.
    ///
    /// # Errors
    /// Why there is none, as users see it.
    pub(super) fn value_of(
        &self,
        function: &FunctionPlan,
        plan: &HostPlan,
        cells: &mut Cells,
        time: Time,
    ) -> Result<Known, String> {
        self.function(function, plan, cells, time).map_err(|missing| match missing {
            Missing::Error(error) => why(function, plan, &error),
            Missing::Text(text) | Missing::Disabled(text) => why(function, plan, &text),
            Missing::Said(text) => why(function, plan, &text),
            Missing::Cold(_) | Missing::Trend(_) => {
                why(function, plan, &"its values are being read from history")
            }
        })
    }

    #[inline]
    fn function(
        &self,
        function: &FunctionPlan,
        plan: &HostPlan,
        cells: &mut Cells,
        time: Time,
    ) -> Result<Known, Missing> {
        let at = plan.slots.get(function.position).ok_or(Missing::Text("item is missing"))?;
        let slot = self.items.get(at).ok_or(Missing::Text("item is missing"))?;
        if !slot.has(ENABLED) {
            if slot.has(QUARANTINED) {
                return Err(FunctionError::ItemUnsupported.into());
            }
            let mirror = plan.layout.mirror(function.position);
            let is_hosts = mirror.is_some_and(|it| !it.is_monitored);
            return Err(Missing::Disabled(if is_hosts {
                "item belongs to a disabled host"
            } else {
                "item is disabled"
            }));
        }
        let cell = self.items.cell(at);
        if function.way == Way::NoData {
            return self.no_data(function, (at, slot), &cell);
        }
        if cell.unsupported {
            return Err(FunctionError::ItemUnsupported.into());
        }
        match function.way {
            Way::Nth(n) => self.nth((at, slot), &cell, n, time),
            Way::Change => self.change((at, slot), &cell, time),
            Way::Latest => self.latest(function, (at, slot), &cell, time),
            Way::Aggregate(aggregate) => {
                let (ring, end) = self.ring(function, (at, slot), aggregate.span, time)?;
                let answer = if time.0 < end && ring.after(time.0) < ring.end() {
                    scan(&aggregate, ring, (end, time.0))
                } else {
                    cells.aggregates.at(&plan.layout.aggregates, &aggregate, ring, end)
                };
                match answer {
                    WindowAnswer::Float(it) => Ok(Known::Number(it)),
                    WindowAnswer::Unsigned(it) => Ok(Known::Unsigned(it)),
                    WindowAnswer::Empty => Err(FunctionError::NotEnoughData.into()),
                }
            }
            Way::Trend { cell } => self.trend(function, cell, cells, time),
            Way::Scan => self.scan(function, at, slot, time),
            Way::NoData => Err(Missing::Text("unreachable")),
        }
    }

    /// The newest or second newest value at `time`.
    #[inline]
    fn nth(
        &self,
        (at, slot): (u32, &Slot),
        cell: &LiveCell,
        n: u8,
        time: Time,
    ) -> Result<Known, Missing> {
        if cell.time <= time || cell.n_values == 0 {
            if cell.n_values < n {
                return Err(FunctionError::NotEnoughData.into());
            }
            let bits = if n == 1 { cell.bits } else { cell.prev_bits };
            return self.known(at, cell.kind, bits, n == 1);
        }
        let mut values = self.before((at, slot), cell, n.into(), time)?;
        if values.len() < n.into() {
            return Err(FunctionError::NotEnoughData.into());
        }
        Ok(values.swap_remove(0).1)
    }

    /// The newest `n` values (one or two) at or before a point in time that lies before the item's newest
    /// value, oldest first; fewer if there are no more. Where memory does not have them, history
    /// does.
    #[cold]
    fn before(
        &self,
        (at, slot): (u32, &Slot),
        cell: &LiveCell,
        n: usize,
        time: Time,
    ) -> Result<Vec<(Time, Known)>, Missing> {
        if n == 1 {
            if let Some(value) = self.of_group(at, cell, time) {
                return Ok(vec![(time, value?)]);
            }
            if cell.n_values == 2 && cell.prev_time <= time {
                let value = self.known(at, cell.kind, cell.prev_bits, false)?;
                return Ok(vec![(cell.prev_time, value)]);
            }
        }
        if cell.n_values == 1 {
            // It never had another one.
            return Ok(Vec::new());
        }
        let span = WindowSpan::Count(u32::try_from(n).unwrap_or(u32::MAX));
        let ring = self.items.ring(slot);
        let ring = ring.filter(|it| span.is_covered(it, time.0)).ok_or(Missing::Cold(at))?;
        let values = span.range(ring, (time.0, time.0)).filter_map(|it| {
            let value = match ring.value(it)? {
                ValueRef::Float(it) => Known::Number(it),
                ValueRef::Unsigned(it) => Known::Unsigned(it),
                ValueRef::Text(it) => Known::Text(it.clone()),
            };
            Some((Time(ring.time(it)?), value))
        });
        Ok(values.collect())
    }

    /// The late value of the time that is at work.
    fn of_group(&self, at: u32, cell: &LiveCell, time: Time) -> Option<Result<Known, Missing>> {
        if to_millis(self.group.time()) != to_millis(time) {
            return None;
        }
        Some(match self.group.late(at)? {
            (_, Some(text)) => Ok(Known::Text(text.clone())),
            (bits, None) => self.known(at, cell.kind, bits, false),
        })
    }

    /// The value that an item had at a time.
    ///
    /// # Errors
    /// If history has to be asked.
    pub(super) fn value_at(&self, at: u32, time: Time) -> Result<Option<Value>, WindowNotLoaded> {
        let Some(slot) = self.items.get(at) else { return Ok(None) };
        let cell = self.items.cell(at);
        match self.nth((at, slot), &cell, 1, time) {
            Ok(Known::Number(it)) => Ok(Some(Value::Float(it))),
            Ok(Known::Unsigned(it)) => Ok(Some(Value::Unsigned(it))),
            Ok(Known::Text(it)) => Ok(Some(it)),
            Err(Missing::Cold(_)) => Err(WindowNotLoaded),
            Ok(Known::Other(_) | Known::Unknown(_) | Known::Constant) | Err(_) => Ok(None),
        }
    }

    #[inline]
    fn known(&self, at: u32, kind: u8, bits: u64, is_newest: bool) -> Result<Known, Missing> {
        match ValueType::from_code(i64::from(kind)) {
            Some(ValueType::Float) => Ok(Known::Number(f64::from_bits(bits))),
            Some(ValueType::Unsigned) => Ok(Known::Unsigned(bits)),
            _ => {
                let nth = if is_newest { Nth::Newest } else { Nth::BeforeNewest };
                let text = self.items.text(at, bits, nth);
                text.map(Known::Text).ok_or(FunctionError::NotEnoughData.into())
            }
        }
    }

    fn change(
        &self,
        (at, slot): (u32, &Slot),
        cell: &LiveCell,
        time: Time,
    ) -> Result<Known, Missing> {
        let (prev, last) = if time < cell.time && cell.n_values != 0 {
            let mut values = self.before((at, slot), cell, 2, time)?.into_iter();
            let (Some(prev), Some(last)) = (values.next(), values.next()) else {
                return Err(FunctionError::NotEnoughData.into());
            };
            (prev.1, last.1)
        } else {
            if cell.n_values < 2 {
                return Err(FunctionError::NotEnoughData.into());
            }
            let last = self.known(at, cell.kind, cell.bits, true)?;
            (self.known(at, cell.kind, cell.prev_bits, false)?, last)
        };
        Ok(match (prev, last) {
            (Known::Number(prev), Known::Number(last)) => Known::Number(last - prev),
            (Known::Unsigned(prev), Known::Unsigned(last)) if prev <= last => {
                Known::Unsigned(last - prev)
            }
            (Known::Unsigned(prev), Known::Unsigned(last)) => {
                Known::Number(-formats::number::u64_to_f64(prev - last))
            }
            (Known::Text(prev), Known::Text(last)) => {
                Known::Unsigned(u64::from(prev.as_text() != last.as_text()))
            }
            _ => return Err(FunctionError::ValueType.into()),
        })
    }

    /// Functions of the one or two newest values.
    fn latest(
        &self,
        function: &FunctionPlan,
        (at, slot): (u32, &Slot),
        cell: &LiveCell,
        time: Time,
    ) -> Result<Known, Missing> {
        let values = if time < cell.time && cell.n_values != 0 {
            let n = if function.call.needs() == Needs::Values(2) { 2 } else { 1 };
            self.before((at, slot), cell, n, time)?
        } else {
            let mut values: Vec<(Time, Known)> = Vec::with_capacity(2);
            if cell.n_values == 2 {
                values.push((cell.prev_time, self.known(at, cell.kind, cell.prev_bits, false)?));
            }
            if 1 <= cell.n_values {
                values.push((cell.time, self.known(at, cell.kind, cell.bits, true)?));
            }
            values
        };
        let samples: Vec<Sample<'_>> = values
            .iter()
            .filter_map(|(time, it)| Some(Sample { time: *time, value: sample_of_known(it)? }))
            .collect();
        self.call(function, &samples, cell.kind, time)
    }

    fn call(
        &self,
        function: &FunctionPlan,
        samples: &[Sample<'_>],
        kind: u8,
        time: Time,
    ) -> Result<Known, Missing> {
        let kind = ValueType::from_code(i64::from(kind)).unwrap_or(ValueType::Text);
        let context = FunctionContext::new(time, self.zone, kind);
        Ok(Known::Other(function.call.eval(samples, &context)?))
    }

    /// Judged by the clock, at whatever time: a late value, or one from a clock that is ahead, says
    /// nothing of the period that ends now.
    fn no_data(
        &self,
        function: &FunctionPlan,
        (at, slot): (u32, &Slot),
        cell: &LiveCell,
    ) -> Result<Known, Missing> {
        let Range::Seconds(seconds) = function.call.period().range else {
            return Err(Missing::Text("invalid second parameter"));
        };
        let ns = seconds.saturating_mul(model::time::NANOS);
        let last = if cell.n_values == 0 {
            Time::ZERO
        } else if cell.time <= self.now {
            cell.time
        } else {
            let newest = self.before((at, slot), cell, 1, self.now)?;
            newest.first().map_or(Time::ZERO, |it| it.0)
        };
        if self.now.0.saturating_sub(ns) < last.0 {
            return Ok(Known::Unsigned(0));
        }
        if slot.has(NO_DATA) {
            return Err(FunctionError::TooEarly.into());
        }
        // Only time in which values could be received counts.
        let since = last.max(Time::from_clock(i64::from(slot.since), 0));
        if self.outages.observed_ns(since, self.now) < ns {
            return Err(FunctionError::TooEarly.into());
        }
        Ok(Known::Unsigned(1))
    }

    /// The function's value if its period was read.
    fn trend(
        &self,
        function: &FunctionPlan,
        at: u32,
        cells: &Cells,
        time: Time,
    ) -> Result<Known, Missing> {
        let hours = function.call.trend().and_then(|it| it.hours(time, self.zone));
        let hours = hours.ok_or(FunctionError::Shift)?;
        let cell = cells.trends.get(at as usize).filter(|it| it.hours == hours);
        match cell.and_then(|it| it.value.as_ref()) {
            Some(Ok(value)) => Ok(Known::Other(value.clone())),
            Some(Err(why)) => Err(Missing::Said(why.clone())),
            None => Err(Missing::Trend(at)),
        }
    }

    /// The item's ring, if it covers the window, and the window's end.
    fn ring(
        &self,
        function: &FunctionPlan,
        (at, slot): (u32, &Slot),
        span: WindowSpan,
        time: Time,
    ) -> Result<(&Ring, i64), Missing> {
        let shift = &function.call.period().shift;
        let mut end = shift.apply(time, self.zone).ok_or(FunctionError::Shift)?.0;
        if matches!(span, WindowSpan::Count(_)) {
            // The newest values known; of periods the end counts as well as what is known.
            end = end.min(time.0);
        }
        let Some(ring) = self.items.ring(slot) else {
            return Err(Missing::Cold(at));
        };
        if span.is_covered(ring, end) { Ok((ring, end)) } else { Err(Missing::Cold(at)) }
    }

    fn scan(
        &self,
        function: &FunctionPlan,
        at: u32,
        slot: &Slot,
        time: Time,
    ) -> Result<Known, Missing> {
        if !function.call.is_supported() {
            return Err(FunctionError::Unsupported.into());
        }
        let span = span_of(&function.call);
        let (ring, end) = self.ring(function, (at, slot), span, time)?;
        // Of a window that reaches ahead: later values are not known yet.
        let samples: Vec<Sample<'_>> = span
            .range(ring, (end, time.0))
            .filter_map(|it| {
                let time = Time(ring.time(it)?);
                Some(Sample { time, value: sample_value(ring.value(it)?) })
            })
            .collect();
        self.call(function, &samples, slot.kind, time)
    }
}

fn sample_of_known(known: &Known) -> Option<SampleValue<'_>> {
    match known {
        Known::Number(it) => Some(SampleValue::Float(*it)),
        Known::Unsigned(it) => Some(SampleValue::Unsigned(*it)),
        Known::Text(it) => Some(sample_value(ValueRef::Text(it))),
        Known::Other(_) | Known::Unknown(_) | Known::Constant => None,
    }
}

fn sample_value(value: ValueRef<'_>) -> SampleValue<'_> {
    match value {
        ValueRef::Float(it) => SampleValue::Float(it),
        ValueRef::Unsigned(it) => SampleValue::Unsigned(it),
        ValueRef::Text(Value::Log(it)) => SampleValue::Log(it),
        ValueRef::Text(it) => SampleValue::Text(it.as_text().unwrap_or_default()),
    }
}

/// The sentence that users see.
fn why(function: &FunctionPlan, plan: &HostPlan, error: &dyn std::fmt::Display) -> String {
    let (host, key) = plan.names(function.position);
    functions::error_text(function.call.name(), &host, &key, &function.parameters, error)
}
