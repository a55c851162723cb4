//! Deferred evaluations are made: see [`super::deferred_evaluations`].

use model::Time;

use super::Shard;
use super::deferred_evaluations::{DeferredEvaluation, Judged, left};
use crate::effects::Effects;

impl Shard {
    /// Judges what waits, in order of time, until something is cold again.
    pub(super) fn run_deferred(&mut self, effects: &mut Effects) {
        for (host, position) in self.deferred_evaluations.begin_run() {
            self.run_deferred_of(host, position, effects);
        }
    }

    fn run_deferred_of(&mut self, host: u32, position: u32, effects: &mut Effects) {
        self.work.on_trigger_of((&self.items, &self.hosts), (host, position));
        let known = self.deferred_evaluations.take_before(host, position);
        let before = known.unwrap_or_else(|| Some(self.hosts.says(host, position)));
        let mut deferred_evaluations = self.deferred_evaluations.take(host, position);
        let n_before = deferred_evaluations.len();
        let latest = self.hosts.latest(&self.items, host, position).unwrap_or(Time::MAX);
        let multiple = self.hosts.trigger_plan(host, position).is_some_and(|it| it.multiple);
        let (mut last, mut has_ended) = (None, false);
        while let Some(evaluation) = deferred_evaluations.front().copied() {
            // Not one of a value, so that none is due for it.
            let is_passed_over = multiple && latest < evaluation.time;
            let judged = if is_passed_over {
                Judged::Done
            } else {
                let time = evaluation.time.min(latest);
                self.judge(host, position, DeferredEvaluation { time, ..evaluation }, effects)
            };
            match judged {
                Judged::Waits => break,
                Judged::Done => {}
                Judged::Ended => {
                    has_ended = true;
                    deferred_evaluations.iter_mut().for_each(|it| it.is_closed = false);
                }
            }
            deferred_evaluations.pop_front();
            last = Some(evaluation);
        }
        let n = u32::try_from(n_before - deferred_evaluations.len()).unwrap_or(u32::MAX);
        let is_over = deferred_evaluations.is_empty();
        self.deferred_evaluations.put(host, position, deferred_evaluations);
        if !is_over {
            self.deferred_evaluations.set_before(host, position, before);
        }
        self.note_left(host, position, (n, has_ended && !is_over), effects);
        // While the closed problem was open, the newest evaluation had its say.
        let last = last.filter(|it| is_over && (has_ended || !it.is_closed));
        if let Some(last) = last {
            self.note_behind((host, position), last.time, before);
        }
    }

    /// History would have to read too much for evaluations that are older than the newest value of
    /// triggers over an item: they are dropped, so that the present does not wait for them for
    /// ever. False if there are none: then the present itself asks for too much.
    #[cold]
    pub(super) fn drop_deferred_evaluations(
        &mut self,
        host: u32,
        item: u32,
        effects: &mut Effects,
    ) -> bool {
        let mut has_dropped = false;
        for position in self.deferred_evaluations.positions_of(host) {
            let Some(trigger) = self.hosts.trigger_plan(host, position) else { continue };
            if !trigger.items.contains(&item) {
                continue;
            }
            let newest = self.hosts.newest(&self.items, host, position).unwrap_or(Time::MAX);
            let dropped = self.deferred_evaluations.drop_before(host, position, newest);
            let Some((n, last)) = dropped else { continue };
            self.counters.deferred_dropped += u64::from(n);
            self.note_left(host, position, (n, false), effects);
            self.note_behind((host, position), last, None);
            has_dropped = true;
        }
        has_dropped
    }

    fn note_left(&self, host: u32, position: u32, what: (u32, bool), effects: &mut Effects) {
        if let Some(trigger) = self.hosts.trigger_id(host, position) {
            left(trigger, what, effects);
        }
    }
}
