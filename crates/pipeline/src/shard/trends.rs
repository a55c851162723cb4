//! Trends: hourly aggregates of the numbers of each item.
//!
//! An item's hour under way is an [`Accumulator`]. It becomes a part of the trend ([`TrendRow`]) in the
//! record of the step that ends it: with the item's first number of a later hour, or, of silent items,
//! some time after the hour. A number of an earlier hour than the one under way is a part of its own.
//! Parts add up, and each is in one record: so trends are exact whatever comes late and whenever the
//! process ends.
//!
//! Replay gives numbers to the accumulators in the same order and throws away the parts, which are in
//! the records. Hours ended by time, and not by a number, are known from the parts.

use model::Time;
use model::record::{Hour, Num, Sum, TrendRow};

use super::codec::{Reader, Writer};
use super::items::Items;
use super::state::Slot;
use crate::effects::Effects;

/// Accumulators are made so many at once, for slots next to each other: where only texts are, none is.
const PAGE: usize = 64;
/// The time after its end when an hour of a silent item is written.
const GRACE_S: i64 = 120;
/// The most pages checked in one step.
const PAGES_MAX: usize = 64;
/// In front of the hour: the numbers are whole ones.
const UNSIGNED: u32 = 1 << 31;

/// Numbers of one item and hour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Accumulator {
    /// Hours since 1970, and [`UNSIGNED`].
    hour: u32,
    /// 0: there is nothing.
    count: u32,
    min: u64,
    max: u64,
    /// A whole number of 128 bits, low half first; or a float, and what rounding has taken from it.
    sum: [u64; 2],
}

const _: () = assert!(size_of::<Accumulator>() == 40, "a million items");

type Page = Box<[Accumulator; PAGE]>;

/// The hours under way of all items.
#[derive(Debug, Default)]
pub(super) struct Trends {
    pages: Vec<Option<Page>>,
    /// Hours before this one have been ended for silent items, but for pages from the place on.
    ended: i64,
    place: usize,
}

impl Accumulator {
    fn start(hour: u32, bits: u64) -> Self {
        let sum = if hour & UNSIGNED == 0 { [bits, 0_f64.to_bits()] } else { [bits, 0] };
        Self { hour, count: 1, min: bits, max: bits, sum }
    }

    #[inline]
    fn add(&mut self, bits: u64) {
        self.count = self.count.saturating_add(1);
        if self.hour & UNSIGNED == 0 {
            let value = f64::from_bits(bits);
            self.min = f64::from_bits(self.min).min(value).to_bits();
            self.max = f64::from_bits(self.max).max(value).to_bits();
            // The rounding loss of the smaller one is added up separately.
            let [sum, lost] = self.sum.map(f64::from_bits);
            let total = sum + value;
            let rest = if value.abs() <= sum.abs() {
                (sum - total) + value
            } else {
                (value - total) + sum
            };
            self.sum = [total.to_bits(), (lost + rest).to_bits()];
        } else {
            self.min = self.min.min(bits);
            self.max = self.max.max(bits);
            let (low, carry) = self.sum[0].overflowing_add(bits);
            self.sum = [low, self.sum[1] + u64::from(carry)];
        }
    }

    fn part(&self, slot: &Slot) -> TrendRow {
        let is_unsigned = self.hour & UNSIGNED != 0;
        let num = |bits: u64| {
            if is_unsigned { Num::Unsigned(bits) } else { Num::Float(f64::from_bits(bits)) }
        };
        let [low, high] = self.sum;
        let sum = if is_unsigned {
            Sum::Unsigned(u128::from(high) << 64 | u128::from(low))
        } else {
            let (sum, lost) = (f64::from_bits(low), f64::from_bits(high));
            // Of infinite numbers nothing can be lost.
            Sum::Float(if lost.is_finite() { sum + lost } else { sum })
        };
        TrendRow {
            item: slot.item,
            hour: Hour((self.hour & !UNSIGNED).into()),
            retention: slot.trends(),
            count: self.count,
            min: num(self.min),
            max: num(self.max),
            sum,
        }
    }

    pub(super) fn put(&self, out: &mut Writer) {
        out.number(self.count.into());
        if self.count == 0 {
            return;
        }
        out.number(self.hour.into());
        for bits in [self.min, self.max, self.sum[0], self.sum[1]] {
            if self.hour & UNSIGNED == 0 { out.bits(bits) } else { out.number(bits) }
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let count = u32::try_from(reader.number()?).ok()?;
        if count == 0 {
            return Some(Self::default());
        }
        let hour = u32::try_from(reader.number()?).ok()?;
        let mut bits = || if hour & UNSIGNED == 0 { reader.bits() } else { reader.number() };
        Some(Self { hour, count, min: bits()?, max: bits()?, sum: [bits()?, bits()?] })
    }
}

/// The hour of a time, with the type in front. `None` before 1970 and after the year 200,000.
#[inline]
fn hour_of(time: Time, is_unsigned: bool) -> Option<u32> {
    let hour = u32::try_from(Hour::of(time).0).ok().filter(|it| it & UNSIGNED == 0)?;
    Some(if is_unsigned { hour | UNSIGNED } else { hour })
}

impl Trends {
    /// Reads a little of what [`Self::add`] will need: see `quick.rs`.
    #[inline]
    pub(super) fn prefetch(&self, at: u32) -> u64 {
        let (page, place) = (at as usize / PAGE, at as usize % PAGE);
        let Some(Some(page)) = self.pages.get(page) else { return 0 };
        // It may lie in two lines of memory.
        u64::from(page[place].hour) ^ page[place].sum[1]
    }

    /// Adds a number. Returns the part that it ends: of another hour or type, or itself.
    #[inline]
    fn add(&mut self, at: u32, hour: u32, bits: u64) -> Option<Accumulator> {
        let known = self.own(at);
        if known.hour == hour && known.count != 0 {
            known.add(bits);
            return None;
        }
        if known.count != 0 && hour & !UNSIGNED < known.hour & !UNSIGNED {
            return Some(Accumulator::start(hour, bits));
        }
        let before = std::mem::replace(known, Accumulator::start(hour, bits));
        Some(before).filter(|it| it.count != 0)
    }

    #[inline]
    fn own(&mut self, at: u32) -> &mut Accumulator {
        let (page, place) = (at as usize / PAGE, at as usize % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([Accumulator::default(); PAGE]));
        &mut page[place]
    }

    pub(super) fn get(&self, at: u32) -> Accumulator {
        let (page, place) = (at as usize / PAGE, at as usize % PAGE);
        self.pages.get(page).and_then(Option::as_ref).map_or_else(Default::default, |it| it[place])
    }

    pub(super) fn set(&mut self, at: u32, to: Accumulator) {
        // None is made to be empty.
        if to.count != 0 || self.get(at).count != 0 {
            *self.own(at) = to;
        }
    }

    /// In replay: the part is in the record, what is left of it here is over.
    pub(super) fn ended(&mut self, at: u32, row: &TrendRow) {
        let known = self.get(at);
        let is_unsigned = matches!(row.sum, Sum::Unsigned(_));
        if hour_of(row.hour.start(), is_unsigned) == Some(known.hour) {
            self.set(at, Accumulator::default());
        }
    }

    /// When silent items are looked at next: a second of wall time.
    pub(super) fn due(&self) -> Option<i64> {
        let is_used = !self.pages.is_empty();
        is_used.then(|| Hour(self.ended + 1).start().clock().saturating_add(GRACE_S))
    }

    /// A number was stored.
    #[inline]
    pub(super) fn stored(
        &mut self,
        (at, slot): (u32, &Slot),
        (time, bits): (Time, u64),
        effects: &mut Effects,
    ) {
        let Some(hour) = hour_of(time, slot.is_unsigned()) else { return };
        if let Some(ended) = self.add(at, hour, bits) {
            effects.trends.push(ended.part(slot));
        }
    }

    /// A number is in a record: the part that it ends is there as well.
    pub(super) fn apply(&mut self, at: u32, is_unsigned: bool, (time, bits): (Time, u64)) {
        if let Some(hour) = hour_of(time, is_unsigned) {
            let _in_the_record = self.add(at, hour, bits);
        }
    }

    /// Ends the hour of one item, if it is over: somebody wants to read it. Later numbers are
    /// another part.
    pub(super) fn end_hour(&mut self, (at, slot): (u32, &Slot), now: Time, effects: &mut Effects) {
        let known = self.get(at);
        if known.count != 0 && i64::from(known.hour & !UNSIGNED) < Hour::of(now).0 {
            self.set(at, Accumulator::default());
            effects.trends.push(known.part(slot));
        }
    }

    /// Ends the hour of an item that goes: the part so far is written.
    pub(super) fn give_up(&mut self, at: u32, slot: &Slot, effects: &mut Effects) {
        let known = self.get(at);
        if known.count != 0 {
            effects.trends.push(known.part(slot));
        }
    }

    /// Ends hours that are over for items that are silent, a part of them at once.
    pub(super) fn end_hours(&mut self, items: &Items, now: Time, effects: &mut Effects) {
        let hour = Hour::of(now.plus_secs(-GRACE_S)).0;
        if hour <= self.ended {
            return;
        }
        let first = self.place;
        let last = self.pages.len().min(first + PAGES_MAX);
        for (page, nth) in self.pages[first..last].iter_mut().zip(first..) {
            let Some(page) = page else { continue };
            for (it, place) in page.iter_mut().zip(0..) {
                if it.count == 0 || hour <= i64::from(it.hour & !UNSIGNED) {
                    continue;
                }
                let ended = std::mem::take(it);
                let at = u32::try_from(nth * PAGE + place);
                let slot = at.ok().and_then(|it| items.get(it));
                effects.trends.extend(slot.map(|it| ended.part(it)));
            }
        }
        if last == self.pages.len() {
            (self.ended, self.place) = (hour, 0);
        } else {
            self.place = last;
        }
    }
}
