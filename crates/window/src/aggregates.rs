//! Aggregates over windows, kept up to date as values come.
//!
//! All windows of one item that end together (those without a shift, or with the same one) are a
//! *track*. A track moves to later ends: values that come in are added to each window's *cell* and
//! those that fall out are taken from it, in amortised constant time. A window that ends before
//! its track is computed from the ring; after a change in the ring's middle a track starts over.
//!
//! Sums of floating point numbers carry what rounding took from them. As long as that is exact, which
//! it is where the values span less than some 15 decimal digits, the sum of what is left after values
//! were taken away is the sum of these values. From the first inexact addition on the sum is
//! computed again after as many departures as the window has values, so that neither huge values
//! that have left nor years of rounding stay behind in it.

use std::ops::Range;

use lang::functions::Shift;
use model::map::Map;

use super::aggregate::{AggregateRef, Compare, N_OF_ONE, WindowAnswer, WindowFunction, WindowSpan};
use super::bits::{as_f64, to_ms};
use super::compared::Compared;
use super::extremes::{Decides, decides, while_in_window};
use super::margins::{WindowTotal, of_sum};
use super::monotonic_deque::{MonotonicDeque, Wants, is_better};
use super::numbers::Numbers;
use super::ring::{RING_MAX, Ring, ValueRef};
use super::stable_until::StableUntil;

/// The state of a cell's window.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Kept {
    Number,
    Sum,
    Matches(Compare),
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct CellPlan {
    span: WindowSpan,
    kept: Kept,
}

/// Which monotonic deques a track has, and how far its windows with extremes reach: by time, by number.
#[derive(Clone, Copy, Debug)]
struct DequePlan {
    at: u32,
    less: bool,
    reach: [WindowSpan; 2],
}

#[derive(Clone, Debug)]
struct TrackPlan {
    cells: Range<u32>,
    deques: Range<u32>,
}

/// The windows of a host's items.
#[derive(Debug, Default)]
pub struct AggregatePlan {
    tracks: Box<[TrackPlan]>,
    cells: Box<[CellPlan]>,
    deques: Box<[DequePlan]>,
}

/// Collects functions over windows; equal windows of one track share what they keep.
#[derive(Debug, Default)]
pub struct AggregatePlanBuilder {
    tracks: Vec<(Shift, Vec<CellPlan>, Vec<DequePlan>)>,
    by_item: Map<u32, Vec<usize>>,
}

impl AggregatePlanBuilder {
    /// A function over the item at a position whose window ends at the evaluation, or shifted.
    pub fn add(
        &mut self,
        item: u32,
        shift: &Shift,
        aggregate: WindowFunction,
        span: WindowSpan,
    ) -> AggregateRef {
        let own = self.by_item.entry(item).or_default();
        let known = own.iter().copied().find(|it| self.tracks[*it].0 == *shift);
        let track = known.unwrap_or_else(|| {
            self.tracks.push((shift.clone(), Vec::new(), Vec::new()));
            own.push(self.tracks.len() - 1);
            self.tracks.len() - 1
        });
        let (_, cells, deques) = &mut self.tracks[track];
        let part = match aggregate {
            WindowFunction::Sum | WindowFunction::Avg => {
                cell_at(cells, CellPlan { span, kept: Kept::Sum })
            }
            WindowFunction::Count(None) => cell_at(cells, CellPlan { span, kept: Kept::Number }),
            WindowFunction::Count(Some(it)) => {
                cell_at(cells, CellPlan { span, kept: Kept::Matches(it) })
            }
            WindowFunction::Min | WindowFunction::Max => {
                deque_at(deques, aggregate == WindowFunction::Min, span)
            }
        };
        AggregateRef { aggregate, span, track: to_u32(track), part: to_u32(part) }
    }

    pub fn finish(self) -> AggregatePlan {
        let (mut tracks, mut cells, mut deques) = (Vec::new(), Vec::new(), Vec::new());
        for (_, own_cells, own_deques) in self.tracks {
            let (cell, deque) = (to_u32(cells.len()), to_u32(deques.len()));
            cells.extend(own_cells);
            deques.extend((deque..).zip(own_deques).map(|(at, it)| DequePlan { at, ..it }));
            tracks.push(TrackPlan {
                cells: cell..to_u32(cells.len()),
                deques: deque..to_u32(deques.len()),
            });
        }
        AggregatePlan { tracks: tracks.into(), cells: cells.into(), deques: deques.into() }
    }
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).expect("a host has fewer than 2^32 windows")
}

fn cell_at(cells: &mut Vec<CellPlan>, wanted: CellPlan) -> usize {
    cells.iter().position(|it| *it == wanted).unwrap_or_else(|| {
        cells.push(wanted);
        cells.len() - 1
    })
}

fn deque_at(deques: &mut Vec<DequePlan>, less: bool, span: WindowSpan) -> usize {
    let at = deques.iter().position(|it| it.less == less).unwrap_or_else(|| {
        let reach = [WindowSpan::Period { ms: 0 }, WindowSpan::Count(0)];
        deques.push(DequePlan { at: 0, less, reach });
        deques.len() - 1
    });
    match (span, &mut deques[at].reach) {
        (WindowSpan::Period { ms }, [WindowSpan::Period { ms: known }, _]) => {
            *known = ms.max(*known);
        }
        (WindowSpan::Count(n), [_, WindowSpan::Count(known)]) => *known = n.max(*known),
        _ => {}
    }
    at
}

/// One window: how many values it has, and what is kept of them.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    len: u32,
    /// Of matches: their number. Of sums of doubles: 0 as long as the sum is exact, then one more
    /// than the departures since.
    n: u32,
    /// Of sums: of doubles the sum and what rounding took, as bits; of whole numbers the halves.
    sum: [u64; 2],
}

const _: () = assert!(size_of::<Cell>() == 24, "one for each window of each item");

impl Cell {
    #[inline]
    fn enter(&mut self, kept: Kept, bits: u64, is_unsigned: bool) {
        self.len += 1;
        match kept {
            Kept::Number => {}
            Kept::Matches(it) => self.n += u32::from(it.matches(value_ref(bits, is_unsigned))),
            Kept::Sum if is_unsigned => self.set_whole(self.whole().wrapping_add(bits.into())),
            Kept::Sum => self.add(f64::from_bits(bits)),
        }
    }

    #[inline]
    fn leave(&mut self, kept: Kept, bits: u64, is_unsigned: bool) {
        self.len -= 1;
        match kept {
            Kept::Number => {}
            Kept::Matches(it) => self.n -= u32::from(it.matches(value_ref(bits, is_unsigned))),
            Kept::Sum if is_unsigned => self.set_whole(self.whole().wrapping_sub(bits.into())),
            Kept::Sum => {
                self.n += u32::from(self.n != 0);
                self.add(-f64::from_bits(bits));
            }
        }
    }

    /// Knuth's sum of two with the exact error, twice.
    #[inline]
    fn add(&mut self, value: f64) {
        let (sum, error) = two_sum(f64::from_bits(self.sum[0]), value);
        self.sum[0] = sum.to_bits();
        if error == 0.0 {
            return;
        }
        // Not a number is not 0 either.
        let (rest, lost) = two_sum(f64::from_bits(self.sum[1]), error);
        self.sum[1] = rest.to_bits();
        if lost != 0.0 {
            self.n = self.n.max(1);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "it is compared with a margin")]
    fn window_total(&self, aggregate: WindowFunction, is_unsigned: bool) -> WindowTotal {
        let total = match aggregate {
            WindowFunction::Count(None) => as_f64(self.len.into()),
            WindowFunction::Count(Some(_)) => as_f64(self.n.into()),
            _ if is_unsigned => self.whole() as f64,
            _ => f64::from_bits(self.sum[0]) + f64::from_bits(self.sum[1]),
        };
        WindowTotal { len: self.len, total, is_vague: self.n != 0 }
    }

    fn whole(&self) -> u128 {
        u128::from(self.sum[0]) | u128::from(self.sum[1]) << 64
    }

    fn set_whole(&mut self, sum: u128) {
        let low = |it: u128| u64::try_from(it & u128::from(u64::MAX)).unwrap_or(0);
        self.sum = [low(sum), low(sum >> 64)];
    }

    /// The window of these values.
    fn of(kept: Kept, numbers: &Numbers, range: Range<usize>) -> Self {
        let mut cell = Self::default();
        for index in range {
            if let Some((_, bits)) = numbers.get(index) {
                cell.enter(kept, bits, numbers.is_unsigned);
            }
        }
        cell
    }

    /// Moves the window to the end at `end`, with the values `known..high` new.
    #[inline]
    fn advance(&mut self, plan: &CellPlan, numbers: &Numbers, (end, new): (i64, Range<usize>)) {
        for index in new.clone() {
            if let Some((_, bits)) = numbers.get(index) {
                self.enter(plan.kept, bits, numbers.is_unsigned);
            }
        }
        while self.len != 0 {
            let Some((offset, bits)) = numbers.get(new.end - self.len as usize) else { break };
            let is_in = match plan.span {
                WindowSpan::Period { ms } => end.saturating_sub(ms) < offset,
                WindowSpan::Count(count) => self.len <= count,
            };
            if is_in {
                break;
            }
            self.leave(plan.kept, bits, numbers.is_unsigned);
        }
        if plan.kept == Kept::Sum && self.len < self.n && !numbers.is_unsigned {
            *self = Self::of(plan.kept, numbers, new.end - self.len as usize..new.end);
        }
    }

    #[inline]
    fn answer(&self, aggregate: WindowFunction, is_unsigned: bool) -> Option<WindowAnswer> {
        Some(match aggregate {
            WindowFunction::Count(None) => WindowAnswer::Unsigned(self.len.into()),
            WindowFunction::Count(Some(_)) => WindowAnswer::Unsigned(self.n.into()),
            // As Zabbix: the sum of nothing is zero, all else needs a value.
            WindowFunction::Sum if self.len == 0 && is_unsigned => WindowAnswer::Unsigned(0),
            WindowFunction::Sum if self.len == 0 => WindowAnswer::Float(0.0),
            _ if self.len == 0 => WindowAnswer::Empty,
            #[expect(clippy::cast_precision_loss, reason = "an average is a double")]
            WindowFunction::Avg if is_unsigned => {
                WindowAnswer::Float(self.whole() as f64 / as_f64(self.len.into()))
            }
            // As Zabbix: the sum of unsigned values is unsigned and wraps.
            _ if is_unsigned => WindowAnswer::Unsigned(self.sum[0]),
            _ => {
                let sum = f64::from_bits(self.sum[0]) + f64::from_bits(self.sum[1]);
                if !sum.is_finite() {
                    return None;
                }
                let n = as_f64(self.len.into());
                WindowAnswer::Float(if aggregate == WindowFunction::Avg { sum / n } else { sum })
            }
        })
    }
}

#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

#[inline]
fn value_ref(bits: u64, is_unsigned: bool) -> ValueRef<'static> {
    if is_unsigned { ValueRef::Unsigned(bits) } else { ValueRef::Float(f64::from_bits(bits)) }
}

/// Where the windows of a track end.
#[derive(Clone, Copy, Debug)]
struct Track {
    end_ms: i64,
    /// Number of the first value after the end.
    high: u64,
    version: u32,
}

const _: () = assert!(size_of::<Track>() == 24, "one for each item with windows");

/// The state of all windows of a host.
#[derive(Clone, Debug, Default)]
pub struct Aggregates {
    tracks: Box<[Track]>,
    cells: Box<[Cell]>,
    deques: Box<[MonotonicDeque]>,
}

impl Aggregates {
    pub fn new(plan: &AggregatePlan) -> Self {
        // Differs from a new ring's version, so the first evaluation starts over.
        let track = Track { end_ms: i64::MIN, high: 0, version: u32::MAX };
        Self {
            tracks: vec![track; plan.tracks.len()].into(),
            cells: vec![Cell::default(); plan.cells.len()].into(),
            deques: vec![MonotonicDeque::default(); plan.deques.len()].into(),
        }
    }

    /// Moves a track on to the newest value, if its windows have been asked for since the ring was as
    /// it is, and not too long ago: before values are dropped that are still to be taken from these
    /// windows.
    pub fn follow(&mut self, plan: &AggregatePlan, at: u32, ring: &Ring) {
        let is_in_use = self.tracks.get(at as usize).is_some_and(|it| {
            let n_new = usize::try_from(ring.end().saturating_sub(it.high)).unwrap_or(usize::MAX);
            it.version == ring.version() && n_new.saturating_mul(N_OF_ONE) < ring.len()
        });
        let numbers = ring.numbers().filter(|_| is_in_use);
        let Some(numbers) = numbers else { return };
        if let Some(end_ms) = numbers.len().checked_sub(1).and_then(|it| numbers.time_ms(it)) {
            self.advance(plan, at, (ring, numbers), end_ms);
        }
    }

    /// The value of a function for the window that ends at `end`. The ring must cover the window.
    #[inline]
    pub fn at(
        &mut self,
        plan: &AggregatePlan,
        at: &AggregateRef,
        ring: &Ring,
        end: i64,
    ) -> WindowAnswer {
        let Some(numbers) = ring.numbers() else {
            // The number of texts is all that is asked for.
            let range = at.span.range(ring, (end, end));
            return WindowAnswer::Unsigned(range.end - range.start);
        };
        let end_ms = to_ms(end);
        if !self.advance(plan, at.track, (ring, numbers), end_ms) {
            return scan_numbers(at, numbers, (end, end));
        }
        let own = &plan.tracks[at.track as usize];
        let is_unsigned = numbers.is_unsigned;
        if matches!(at.aggregate, WindowFunction::Min | WindowFunction::Max) {
            let deques = &self.deques[(own.deques.start + at.part) as usize];
            let high = self.tracks[at.track as usize].high;
            return deques.best(at.span, (end_ms, high)).map_or(WindowAnswer::Empty, |it| {
                if is_unsigned {
                    WindowAnswer::Unsigned(it)
                } else {
                    WindowAnswer::Float(f64::from_bits(it))
                }
            });
        }
        let cell = &self.cells[(own.cells.start + at.part) as usize];
        cell.answer(at.aggregate, is_unsigned)
            .unwrap_or_else(|| scan_numbers(at, numbers, (end, end)))
    }

    /// For how long a comparison of a function's answer gives what it gives now; no longer than what is
    /// `known` to hold is of interest. The answer was just asked for.
    pub fn stable_until(
        &self,
        plan: &AggregatePlan,
        (at, ring): (&AggregateRef, &Ring),
        (compared, known): (Compared, StableUntil),
    ) -> StableUntil {
        let (own, track) = (&plan.tracks[at.track as usize], &self.tracks[at.track as usize]);
        let is_newest = track.high == ring.end() && track.version == ring.version();
        let numbers = ring.numbers().filter(|_| is_newest);
        let Some(numbers) = numbers else { return StableUntil::NONE };
        if matches!(at.aggregate, WindowFunction::Min | WindowFunction::Max) {
            let deques = &self.deques[(own.deques.start + at.part) as usize];
            return of_extreme(at, (deques, numbers.is_unsigned), track, compared);
        }
        let cell = &self.cells[(own.cells.start + at.part) as usize];
        let window_total = cell.window_total(at.aggregate, numbers.is_unsigned);
        of_sum(at, (window_total, numbers), (track.end_ms, numbers.pause_ms()), (compared, known))
    }

    /// Moves a track on to `end_ms`; false if it stays where it is, because that is earlier.
    #[inline]
    fn advance(
        &mut self,
        plan: &AggregatePlan,
        at: u32,
        (ring, numbers): (&Ring, &Numbers),
        end_ms: i64,
    ) -> bool {
        let track = &mut self.tracks[at as usize];
        let is_same = track.version == ring.version();
        if is_same && track.end_ms == end_ms && track.high == ring.end() {
            return true;
        }
        if is_same && end_ms < track.end_ms || RING_MAX < numbers.len() {
            return false;
        }
        let own = &plan.tracks[at as usize];
        let end = numbers.offset(end_ms);
        let high = numbers.after(end);
        let known = track.high.checked_sub(ring.first()).and_then(|it| usize::try_from(it).ok());
        *track = Track { end_ms, high: ring.first() + high as u64, version: ring.version() };
        let cells = &mut self.cells[own.cells.start as usize..own.cells.end as usize];
        let plans = &plan.cells[own.cells.start as usize..own.cells.end as usize];
        // Values that the ring has dropped while a window still has them can't be taken from it.
        let one_decides = |known: &usize| cells.iter().all(|it| it.len as usize <= *known);
        let known = known.filter(|it| is_same && *it <= high && one_decides(it));
        for (cell, plan) in cells.iter_mut().zip(plans) {
            match known {
                Some(known) => cell.advance(plan, numbers, (end, known..high)),
                None => {
                    let range = range_of(plan.span, numbers, end, high);
                    *cell = Cell::of(plan.kept, numbers, range);
                }
            }
        }
        for plan in &plan.deques[own.deques.start as usize..own.deques.end as usize] {
            let deques = &mut self.deques[plan.at as usize];
            let new = known.unwrap_or_else(|| {
                deques.clear();
                let low = plan.reach.map(|it| range_of(it, numbers, end, high).start);
                low[0].min(low[1])
            });
            let wants = Wants { less: plan.less, unsigned: numbers.is_unsigned };
            for index in new..high {
                let Some((offset, bits)) = numbers.get(index) else { break };
                let ms = numbers.time_of(offset);
                deques.push((ms, ring.first() + index as u64), bits, wants);
            }
            deques.forget(plan.reach, (end_ms, ring.first() + high as u64));
        }
        true
    }
}

/// For how long an extreme stays on its side.
fn of_extreme(
    at: &AggregateRef,
    (deques, is_unsigned): (&MonotonicDeque, bool),
    track: &Track,
    compared: Compared,
) -> StableUntil {
    let number = |bits: u64| if is_unsigned { as_f64(bits) } else { f64::from_bits(bits) };
    let known = deques.best(at.span, (track.end_ms, track.high)).map(number);
    match known.and_then(|it| decides(at.aggregate, compared, (Some(it), is_unsigned))) {
        Some(Decides::All(bounds)) => StableUntil { bounds, ..StableUntil::UNLIMITED },
        Some(Decides::One(beyond)) => match deques.newest(track.high, |it| beyond.has(it)) {
            Some(place) => while_in_window(at.span, place, track.end_ms),
            None => StableUntil::NONE,
        },
        None => StableUntil::NONE,
    }
}

/// Indices of a window's values.
fn range_of(span: WindowSpan, numbers: &Numbers, end: i64, high: usize) -> Range<usize> {
    let low = match span {
        WindowSpan::Period { ms } => numbers.after(end.saturating_sub(ms)),
        WindowSpan::Count(count) => high.saturating_sub(count as usize),
    };
    low.min(high)..high
}

/// The value of a function for the window that ends at `end`, of what has come up to `until`. The ring
/// must cover the window.
#[cold]
pub fn scan(at: &AggregateRef, ring: &Ring, (end, until): (i64, i64)) -> WindowAnswer {
    let Some(numbers) = ring.numbers() else {
        let range = at.span.range(ring, (end, until));
        return WindowAnswer::Unsigned(range.end - range.start);
    };
    scan_numbers(at, numbers, (end, until))
}

/// The answer from the numbers alone: for windows that end before their track, and sums out of range.
#[cold]
fn scan_numbers(at: &AggregateRef, numbers: &Numbers, (end, until): (i64, i64)) -> WindowAnswer {
    let high = numbers.after(numbers.offset(to_ms(end.min(until))));
    let end = numbers.offset(to_ms(end));
    let range = range_of(at.span, numbers, end, high);
    let values = range.clone().filter_map(|it| numbers.get(it).map(|it| it.1));
    let kept = match at.aggregate {
        WindowFunction::Min | WindowFunction::Max => {
            let less = at.aggregate == WindowFunction::Min;
            let best = values.reduce(|old, new| {
                if is_better(new, old, numbers.is_unsigned, less) { new } else { old }
            });
            return match best {
                Some(it) if numbers.is_unsigned => WindowAnswer::Unsigned(it),
                Some(it) => WindowAnswer::Float(f64::from_bits(it)),
                None => WindowAnswer::Empty,
            };
        }
        WindowFunction::Sum | WindowFunction::Avg => Kept::Sum,
        WindowFunction::Count(None) => Kept::Number,
        WindowFunction::Count(Some(it)) => Kept::Matches(it),
    };
    let n = as_f64(range.len() as u64);
    let answer = Cell::of(kept, numbers, range).answer(at.aggregate, numbers.is_unsigned);
    answer.unwrap_or_else(|| {
        // Each value's part, because the sum is out of range.
        let part = |it: u64| {
            if at.aggregate == WindowFunction::Avg {
                f64::from_bits(it) / n
            } else {
                f64::from_bits(it)
            }
        };
        WindowAnswer::Float(values.map(part).sum())
    })
}
