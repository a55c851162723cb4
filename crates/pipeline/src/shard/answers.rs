//! Answers of history: to fetches for windows ([`super::fetch`]) and for what is read elsewhere
//! ([`super::cross_item_queries`]).

use std::sync::Arc;

use directory::Layout;
use lang::functions::Hours;
use model::{ItemId, Now, Time};

use super::Shard;
use super::cross_item_queries::Asked;
use super::state::TrendCell;
use crate::cross_item::CrossItemAnswer;
use crate::effects::Effects;
use crate::input::Fetched;

impl Shard {
    /// The item that a fetch is about, while it is under way.
    #[must_use]
    pub fn asked_for(&self, fetch: u64) -> Option<ItemId> {
        self.items.get(self.fetches.slot_of(fetch)?).map(|it| it.item)
    }

    /// Asks what waits to be asked.
    pub(super) fn ask(&mut self, effects: &mut Effects) {
        let n_before = effects.fetches.len() as u64;
        while let Some(at) = self.fetches.next_waiting() {
            let Some(slot) = self.items.slot(at) else { continue };
            let Some(depth) = self.hosts.item_plan(&slot).map(|it| it.depth) else { continue };
            // Evaluations at the time of late values look further back.
            let latest = |position| self.hosts.latest(&self.items, slot.host, position);
            let deferred = self.deferred_evaluations.oldest_of(slot.host, latest);
            let events_awaiting_names = self.events_awaiting_names.oldest_of(slot.host);
            let oldest =
                [deferred, events_awaiting_names, Some(self.now.wall)].into_iter().flatten().min();
            let oldest = oldest.unwrap_or(self.now.wall);
            self.fetches.ask(&mut self.items, (at, &slot), (depth, oldest), self.now, effects);
        }
        self.counters.fetches += effects.fetches.len() as u64 - n_before;
    }

    pub(super) fn fetched(&mut self, now: Now, answers: &[Fetched], effects: &mut Effects) {
        let mut calculations = Vec::new();
        for answer in answers {
            let Some(at) = self.fetches.take(answer.id) else { continue };
            self.answered(now, at, answer, effects);
            calculations.extend(self.fetches.take_calculations(at));
        }
        self.name_events(effects);
        self.run_deferred(effects);
        for (at, item, time) in calculations {
            if self.items.has(at, item) {
                self.compute(at, time, None, effects);
            }
        }
        self.end_group(effects);
    }

    fn answered(&mut self, now: Now, at: u32, answer: &Fetched, effects: &mut Effects) {
        let Some(slot) = self.items.slot(at) else { return };
        self.work.on(slot.item);
        let Some(state) = self.items.state_mut(&slot) else { return };
        let Some(loading) = state.loading.take_if(|it| it.id == answer.id) else { return };
        match &answer.samples {
            Ok(samples) => {
                let answer = (samples, answer.lsn);
                self.fetches.merge(&mut self.items, &slot, *loading, answer);
            }
            Err(error)
                if error.is_too_much
                    && self.drop_deferred_evaluations(slot.host, slot.position, effects) => {}
            Err(error) => {
                let why: Arc<str> = error.to_string().into();
                self.fetches.failed(&mut self.items, at, loading, (Arc::clone(&why), now));
                self.fetch_failed(slot.host, &why, effects);
            }
        }
    }

    /// Triggers that wait for windows of a host are unknown until history answers.
    fn fetch_failed(&mut self, host: u32, why: &str, effects: &mut Effects) {
        self.counters.fetches_failed += 1;
        for position in self.deferred_evaluations.positions_of(host) {
            let why = format!("Cannot evaluate expression: {why}.");
            self.unknown(host, position, self.now.wall, why, effects);
        }
        self.give_up_names(host, effects);
    }

    /// Asks again where an answer failed or did not come.
    pub(super) fn retry_fetches(&mut self, now: Now, effects: &mut Effects) {
        for at in self.fetches.retry(&self.items, now) {
            if let Some(slot) = self.items.slot(at) {
                self.fetch_failed(slot.host, "history does not answer", effects);
            }
        }
        self.ask(effects);
    }

    pub(super) fn answers(&mut self, now: Now, answers: &[CrossItemAnswer], effects: &mut Effects) {
        let mut has_trends = false;
        let mut cells = Vec::new();
        for answer in answers {
            match self.cross_item_queries.take(answer.ticket) {
                Some(Asked::Item { at, item, time }) => {
                    self.item_computed((at, item, time), answer, effects);
                }
                Some(Asked::Trend { host, layout, cell, hours }) => {
                    let is_same = |it: &Arc<Layout>| Arc::ptr_eq(it, &layout);
                    if self.hosts.get(host).is_some_and(|it| is_same(&it.plan.layout)) {
                        has_trends = true;
                        cells.push((host, cell));
                        self.trend_computed((host, cell, hours), answer, effects);
                    }
                }
                None => {}
            }
        }
        if has_trends {
            self.name_events(effects);
            self.run_deferred(effects);
            for (at, item, time) in self.cross_item_queries.take_for_trends() {
                if self.items.has(at, item) {
                    self.compute(at, time, None, effects);
                }
            }
            self.end_group(effects);
            // Waiting evaluations have used the old value; the next one reads again.
            for (host, cell) in cells {
                if let Some(state) = self.hosts.get_mut(host)
                    && let Some(known) = state.cells.trends.get_mut(cell as usize)
                    && known.is_overtaken
                    && known.value.is_some()
                {
                    *known = TrendCell::default();
                }
            }
        }
        self.retry_fetches(now, effects);
    }

    fn item_computed(
        &mut self,
        (at, item, time): (u32, ItemId, Time),
        answer: &CrossItemAnswer,
        effects: &mut Effects,
    ) {
        let Some(slot) = self.items.slot(at).filter(|it| it.item == item) else {
            return;
        };
        match &answer.values {
            Ok(values) => self.compute(at, time, Some(values), effects),
            Err(error) => {
                self.counters.fetches_failed += 1;
                let why = format!("Cannot evaluate expression: {error}.");
                self.unsupported(at, &slot, time, why.into(), effects);
            }
        }
        self.end_group(effects);
    }

    fn trend_computed(
        &mut self,
        (host, cell, hours): (u32, u32, Vec<Hours>),
        answer: &CrossItemAnswer,
        effects: &mut Effects,
    ) {
        let value = match &answer.values {
            Ok(values) => values.first().cloned(),
            Err(error) => {
                self.fetch_failed(host, &error.to_string(), effects);
                // Asked again by the next evaluation after a while.
                return;
            }
        };
        if let Some(state) = self.hosts.get_mut(host)
            && let Some(known) = state.cells.trends.get_mut(cell as usize)
        {
            let is_overtaken = known.is_overtaken;
            *known = TrendCell { hours, value, asked_ns: 0, is_overtaken };
        }
    }
}
