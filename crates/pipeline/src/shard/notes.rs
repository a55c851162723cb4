//! Which values come in, by their time; and what is said at an item of values that did not, or not
//! whole.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::{Now, Time, limits};

use super::Shard;
use super::convert::Cut;
use super::state::{ENABLED, MIRROR, Slot, low};
use crate::live::Note;

/// How long it is told of an item what became of one of its values.
const TOLD_S: i64 = 86_400;
const FUTURE_MAX_NS: i64 = limits::FUTURE_MAX_SECS * model::time::NANOS;

impl Shard {
    /// Whether a value for a slot may come in; if not, it is said at the item why.
    #[inline]
    pub(super) fn accepts(
        &mut self,
        now: Now,
        slot: &Slot,
        (at, time): (u32, Time),
        epoch: u64,
    ) -> bool {
        if !slot.has(ENABLED) || slot.has(MIRROR) {
            return false;
        }
        if epoch < self.youngest && low(epoch) < slot.born {
            return false;
        }
        let is_too_new = now.wall.0.saturating_add(FUTURE_MAX_NS) < time.0;
        if !is_too_new && (self.surely_kept(slot) <= time || self.is_kept(slot, time, now)) {
            return true;
        }
        self.refuse_time(at, time, now);
        false
    }

    /// Values of this time or later are kept, whatever the item's exact period is.
    #[inline]
    fn surely_kept(&self, slot: &Slot) -> Time {
        self.surely_kept.get(usize::from(slot.retention)).copied().unwrap_or(Time::MAX)
    }

    /// Whether the item keeps values of this time: exactly as long as configured.
    #[cold]
    fn is_kept(&self, slot: &Slot, time: Time, now: Now) -> bool {
        let item = self.hosts.item_plan(slot);
        let oldest = item.map(|it| now.wall.plus_secs(-i64::from(it.history_s)).max(Time::ZERO));
        oldest.is_some_and(|it| it <= time)
    }

    #[cold]
    fn refuse_time(&mut self, at: u32, time: Time, now: Now) {
        self.counters.refused_times += 1;
        let why = if now.wall < time {
            "more than a day ahead of the server's clock"
        } else {
            "older than the item's history is kept"
        };
        let when = local_text(time, &self.settings.zone);
        self.note(at, format!("A value of {when} was refused: {why}."), now);
    }

    /// Of a text only the beginning is kept.
    #[cold]
    pub(super) fn note_cut(&mut self, at: u32, time: Time, cut: Cut) {
        self.counters.texts_cut += 1;
        if self.fared.at == at {
            self.fared.cut = true;
        }
        let when = local_text(time, &self.settings.zone);
        let Cut { from_chars, to_chars } = cut;
        let text =
            format!("The value of {when} was cut from {from_chars} characters to {to_chars}.");
        self.note(at, text, self.now);
    }

    fn note(&mut self, at: u32, text: String, now: Now) {
        let until = now.wall.plus_secs(TOLD_S);
        self.items.set_note(at, Some(Note { text: text.into(), until }));
    }
}

/// A moment as people read it.
fn local_text(time: Time, zone: &TimeZone) -> String {
    match Timestamp::from_second(time.clock()) {
        Ok(it) => it.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_outside) => time.to_string(),
    }
}
