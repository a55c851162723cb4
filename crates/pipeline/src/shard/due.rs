//! Work that is due by time: see [`super::timers`].

use model::{ItemId, Now, Time, time::NANOS};

use super::Shard;
use crate::effects::Effects;

/// The most evaluations in one step: some 250 µs of work.
const EVALUATIONS_MAX: usize = 256;
/// The interval between two checks of pending fetches from history.
const POLL_INTERVAL_NS: u64 = 10 * NANOS.unsigned_abs();

impl Shard {
    /// When the next [`crate::Input::Timer`] is due, in nanoseconds of [`Now::mono_ns`].
    #[must_use]
    pub fn next_timer(&self) -> Option<u64> {
        let now_ns = self.now.mono_ns;
        let under_way = self.fetches.n_under_way() != 0;
        let all = [
            self.timers.next_trigger(now_ns),
            self.timers.next_calculated().map(|it| self.mono_of(it)),
            self.fetches.next(),
            under_way.then(|| now_ns + POLL_INTERVAL_NS),
            self.events_awaiting_names.next(),
            self.deferred_evaluations.is_due().then_some(now_ns),
            self.trends.due().map(|it| self.mono_of(it)),
        ];
        all.into_iter().flatten().min()
    }

    /// When a second of wall time comes, on the monotonic clock.
    fn mono_of(&self, second: i64) -> u64 {
        let wait = Time::from_clock(second, 0).since_ns(self.now.wall).max(0);
        self.now.mono_ns.saturating_add(wait.unsigned_abs())
    }

    /// Their trends are about to be read.
    pub(super) fn end_hours_of(
        &mut self,
        now: Now,
        items: &[(u32, ItemId)],
        effects: &mut Effects,
    ) {
        for (at, item) in items {
            let Some(slot) = self.items.slot(*at).filter(|it| it.item == *item) else { continue };
            self.trends.end_hour((*at, &slot), now.wall, effects);
        }
    }

    pub(super) fn timer(&mut self, now: Now, effects: &mut Effects) {
        self.trends.end_hours(&self.items, now.wall, effects);
        self.expire_names(now, effects);
        if self.deferred_evaluations.is_due() {
            self.run_deferred(effects);
        }
        self.retry_fetches(now, effects);
        let mut left = EVALUATIONS_MAX;
        for (host, position) in self.timers.due_triggers(now.mono_ns, left) {
            left -= 1;
            if self.is_without_data(host, position) {
                continue;
            }
            self.work.on_trigger_of((&self.items, &self.hosts), (host, position));
            self.run(host, position, now.wall, effects);
        }
        while 0 < left {
            let Some(at) = self.timers.pop_due(now.wall.clock()) else { break };
            self.calculate(now, at, effects);
            left -= 1;
        }
    }
}
