//! Values of one time.
//!
//! Triggers that read more than one item, and those with masters, run when all values of a time have
//! come, each once.

use model::map::Set;
use model::{Time, Value};

/// Values of one time, before the triggers that read more than one item run.
#[derive(Debug, Default)]
pub(super) struct Group {
    time: Time,
    stamp: u64,
    /// Numbers that are older than their item's newest value.
    late: Vec<(u32, u64)>,
    late_texts: Vec<(u32, Value)>,
    /// Slots that have had their value of this time.
    slots: Set<u32>,
    /// Level, host, position and time of triggers that wait.
    triggers: Vec<(u16, u32, u32, Time)>,
}

impl Group {
    pub(super) fn new() -> Self {
        Self { stamp: 1, ..Self::default() }
    }

    pub(super) fn time(&self) -> Time {
        self.time
    }

    /// Values of another time come; the former ones have been ended.
    #[inline]
    pub(super) fn begin(&mut self, time: Time) {
        self.time = time;
    }

    /// Whether a slot has had no value of this time; it has now.
    #[inline]
    pub(super) fn add(&mut self, at: u32) -> bool {
        self.slots.insert(at)
    }

    /// A number that is older than its item's newest value.
    pub(super) fn add_late(&mut self, at: u32, bits: u64) {
        self.late.push((at, bits));
    }

    pub(super) fn add_late_text(&mut self, at: u32, text: Value) {
        self.late_texts.push((at, text));
    }

    /// The late value of a slot: its bits, and its text if it is one.
    pub(super) fn late(&self, at: u32) -> Option<(u64, Option<&Value>)> {
        let (_, bits) = self.late.iter().rev().find(|it| it.0 == at)?;
        let text = self.late_texts.iter().rev().find(|it| it.0 == at);
        Some((*bits, text.map(|it| &it.1)))
    }

    /// A trigger waits for the other values of this time. `stamp`: its own, of the group that it
    /// waited in last.
    pub(super) fn queue(&mut self, stamp: &mut u64, trigger: (u16, u32, u32, Time)) {
        if *stamp != self.stamp {
            *stamp = self.stamp;
            self.triggers.push(trigger);
        }
    }

    pub(super) fn has_triggers(&self) -> bool {
        !self.triggers.is_empty()
    }

    /// Takes out what waits, masters first: level, host, position, time. The list comes back by
    /// [`Self::give_back`].
    pub(super) fn take_triggers(&mut self) -> Vec<(u16, u32, u32, Time)> {
        let mut queued = std::mem::take(&mut self.triggers);
        self.stamp += 1;
        queued.sort_unstable();
        queued
    }

    /// The memory of [`Self::take_triggers`], to be used again.
    pub(super) fn give_back(&mut self, mut queued: Vec<(u16, u32, u32, Time)>) {
        queued.clear();
        self.triggers = queued;
    }

    /// Forgets the values of this time.
    #[inline]
    pub(super) fn end(&mut self) {
        if !(self.late.is_empty() && self.late_texts.is_empty() && self.slots.is_empty()) {
            self.late.clear();
            self.late_texts.clear();
            self.slots.clear();
        }
    }

    /// Forgets everything: values that were only applied.
    pub(super) fn reset(&mut self) {
        *self = Self { stamp: self.stamp, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_waits_once_in_a_group_and_masters_come_first() {
        let mut group = Group::new();
        let (mut first, mut second) = (0, 0);
        group.queue(&mut first, (1, 0, 0, Time(5)));
        group.queue(&mut first, (1, 0, 0, Time(5)));
        group.queue(&mut second, (0, 0, 1, Time(5)));
        assert_eq!(group.take_triggers(), [(0, 0, 1, Time(5)), (1, 0, 0, Time(5))]);
        group.queue(&mut first, (1, 0, 0, Time(6)));
        assert_eq!(group.take_triggers().len(), 1);
    }

    #[test]
    fn the_last_of_several_late_values_counts() {
        let mut group = Group::new();
        group.add_late(3, 1);
        group.add_late(3, 2);
        assert_eq!(group.late(3), Some((2, None)));
        assert_eq!(group.late(4), None);
        group.end();
        assert_eq!(group.late(3), None);
    }
}
