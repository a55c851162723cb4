//! Which values come in: those of an item that is there and enabled, by their time.

use model::{Now, Retention, Time, limits};

use super::hosts::Hosts;
use super::state::{ENABLED, MIRROR, Slot, low};

const FUTURE_MAX_NS: i64 = limits::FUTURE_MAX_SECS * model::time::NANOS;

#[derive(Debug, Default)]
pub(super) struct Admission {
    epoch: u64,
    /// The epoch in which a slot was born last: batches of this or later ones need no closer look.
    youngest: u64,
    /// Values of this time or later are kept by all items of a retention class.
    surely_kept: [Time; 7],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Admitted {
    Yes,
    No,
    /// Not for its time: that is said at the item.
    NotInTime,
}

impl Admission {
    /// A step begins.
    pub(super) fn begin(&mut self, now: Now) {
        for (from, code) in self.surely_kept.iter_mut().zip(0..) {
            let kept_s = Retention::from_code(code).and_then(Retention::least_seconds);
            *from = kept_s.map_or(Time::ZERO, |it| now.wall.plus_secs(-it));
        }
    }

    /// A configuration comes.
    pub(super) fn begin_epoch(&mut self, epoch: u64) {
        self.epoch = epoch;
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// A slot gets another item now; see [`Slot::born`].
    pub(super) fn first_seen_epoch(&mut self) -> u32 {
        self.youngest = self.epoch;
        low(self.epoch)
    }

    /// Whether a value for a slot may come in that was looked up at an epoch.
    #[inline]
    pub(super) fn admits(
        &self,
        hosts: &Hosts,
        slot: &Slot,
        (time, epoch): (Time, u64),
        now: Now,
    ) -> Admitted {
        if !slot.has(ENABLED) || slot.has(MIRROR) {
            return Admitted::No;
        }
        if epoch < self.youngest && low(epoch) < slot.born {
            return Admitted::No;
        }
        let is_too_new = now.wall.0.saturating_add(FUTURE_MAX_NS) < time.0;
        if !is_too_new && (self.surely_kept(slot) <= time || is_kept(hosts, slot, time, now)) {
            return Admitted::Yes;
        }
        Admitted::NotInTime
    }

    /// Values of this time or later are kept, whatever the item's exact period is.
    #[inline]
    fn surely_kept(&self, slot: &Slot) -> Time {
        self.surely_kept.get(usize::from(slot.retention)).copied().unwrap_or(Time::MAX)
    }
}

/// Whether the item keeps values of this time: exactly as long as configured.
#[cold]
fn is_kept(hosts: &Hosts, slot: &Slot, time: Time, now: Now) -> bool {
    let item = hosts.item_plan(slot);
    let oldest = item.map(|it| now.wall.plus_secs(-i64::from(it.history_s)).max(Time::ZERO));
    oldest.is_some_and(|it| it <= time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_former_epochs_and_of_the_far_future_stay_out() {
        let now = Now { wall: Time::from_clock(1_000_000_000, 0), ..Now::default() };
        let mut admission = Admission::default();
        admission.begin(now);
        admission.begin_epoch(5);
        let hosts = Hosts::default();
        let retention = Retention::Week as u8;
        let slot =
            Slot { flags: ENABLED, born: admission.first_seen_epoch(), retention, ..Slot::FREE };
        let admits = |slot: &Slot, time, epoch| admission.admits(&hosts, slot, (time, epoch), now);
        assert_eq!(admits(&slot, now.wall, 5), Admitted::Yes);
        assert_eq!(admits(&slot, now.wall, 4), Admitted::No);
        assert_eq!(admits(&Slot { flags: 0, ..slot }, now.wall, 5), Admitted::No);
        assert_eq!(admits(&slot, now.wall.plus_secs(2 * 86_400), 5), Admitted::NotInTime);
        assert_eq!(admits(&slot, Time::ZERO, 5), Admitted::NotInTime);
    }
}
