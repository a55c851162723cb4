//! Functions that have to be read elsewhere: over many items, over trends. See [`crate::gather`].
//!
//! A calculated item asks each time when it is due, and has its value at that moment once the answer
//! comes. What a trend function gives changes with its period only: it is asked for once a period
//! and kept beside the windows; triggers wait for it as for a cold window.

use std::sync::Arc;

use directory::{Formula, Layout, Way};
use lang::expression::Value as Computed;
use lang::functions::Hours;
use model::map::Map;
use model::{ItemId, Now, Time, time::NANOS};

use super::Shard;
use super::state::Slot;
use crate::effects::Effects;
use crate::gather::{Gather, Gathered, Gathering};
use crate::input::FetchFailed;

/// After so long without an answer the question is asked again.
const EXPIRES_NS: u64 = 60 * NANOS.unsigned_abs();

/// The value of a trend function for a period.
#[derive(Clone, Debug, Default)]
pub(super) struct TrendCell {
    pub(super) hours: Vec<Hours>,
    /// None: asked for.
    pub(super) value: Option<Result<Computed, String>>,
    /// Monotonic nanoseconds.
    asked_ns: u64,
}

/// Who waits for an answer.
#[derive(Debug)]
enum Asked {
    /// A calculated item, for its value of this time.
    Item { at: u32, item: ItemId, time: Time },
    /// A cell of a host, as long as its layout is this one.
    Trend { host: u32, layout: Arc<Layout>, cell: u32, hours: Vec<Hours> },
}

#[derive(Debug, Default)]
pub(super) struct Gathers {
    next_ticket: u64,
    under_way: Map<u64, Asked>,
    /// By slot: when its question was asked.
    items: Map<u32, u64>,
    /// Calculated items that wait for a trend.
    for_trends: Vec<(u32, ItemId, Time)>,
}

impl Gathers {
    pub(super) fn n_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Questions get numbers that the other has not given.
    pub(super) fn number_from(&mut self, other: &Self) {
        self.next_ticket = other.next_ticket;
    }

    fn ask(&mut self, time: Time, what: Gathering, asked: Asked, effects: &mut Effects) {
        self.next_ticket += 1;
        let ticket = self.next_ticket;
        self.under_way.insert(ticket, asked);
        effects.gathers.push(Gather { ticket, time, what });
    }
}

impl Shard {
    /// Asks for the values of many items that a calculated item needs. One question at a time.
    pub(super) fn ask_many(
        &mut self,
        at: u32,
        slot: &Slot,
        (formula, time): (&Formula, Time),
        effects: &mut Effects,
    ) {
        let now_ns = self.now.mono_ns;
        let asked_ns = self.gathers.items.get(&at).copied();
        if asked_ns.is_some_and(|it| now_ns < it.saturating_add(EXPIRES_NS)) {
            self.counters.gathers_skipped += 1;
            return;
        }
        let Some(host) = self.hosts.get(slot.host).map(|it| it.plan.host().id) else { return };
        self.gathers.items.insert(at, now_ns);
        let what = Gathering::Many { host, functions: formula.many.to_vec() };
        let asked = Asked::Item { at, item: slot.item, time };
        self.gathers
            .under_way
            .retain(|_, it| !matches!(it, Asked::Item { at: other, .. } if *other == at));
        self.gathers.ask(time, what, asked, effects);
        self.counters.gathers += 1;
    }

    /// Asks for a trend function of a host, unless it is asked for.
    pub(super) fn ask_trend(&mut self, host: u32, cell: u32, time: Time, effects: &mut Effects) {
        let Some(state) = self.hosts.get_mut(host) else { return };
        let plan = Arc::clone(&state.plan);
        let is_it = |way: Way| matches!(way, Way::Trend { cell: it } if it == cell);
        let Some(function) = plan.layout.functions.iter().find(|it| is_it(it.way)) else { return };
        let zone = &self.settings.zone;
        let hours = function.call.trend().and_then(|it| it.hours(time, zone)).unwrap_or_default();
        let Some(known) = state.cells.trends.get_mut(cell as usize) else { return };
        let is_asked = known.value.is_none() && known.asked_ns != 0;
        if is_asked && self.now.mono_ns < known.asked_ns.saturating_add(EXPIRES_NS) {
            return;
        }
        *known = TrendCell { hours: hours.clone(), value: None, asked_ns: self.now.mono_ns.max(1) };
        let Some(item) = plan.layout.item_id(plan.host(), function.position) else { return };
        let kind = plan.layout.item(function.position).map(|it| it.value_type);
        let Some(kind) = kind else { return };
        let what = Gathering::Trend { item, kind, call: function.call.clone() };
        let layout = Arc::clone(&plan.layout);
        self.gathers.ask(time, what, Asked::Trend { host, layout, cell, hours }, effects);
        self.counters.gathers += 1;
    }

    /// A calculated item waits for a trend that is asked for.
    pub(super) fn wait_for_trend(&mut self, at: u32, item: ItemId, time: Time) {
        self.gathers.for_trends.retain(|it| it.0 != at);
        self.gathers.for_trends.push((at, item, time));
    }

    pub(super) fn gathered(&mut self, now: Now, answers: &[Gathered], effects: &mut Effects) {
        let mut has_trends = false;
        for answer in answers {
            match self.gathers.under_way.remove(&answer.ticket) {
                Some(Asked::Item { at, item, time }) => {
                    self.gathers.items.remove(&at);
                    self.item_gathered((at, item, time), answer, effects);
                }
                Some(Asked::Trend { host, layout, cell, hours }) => {
                    let is_same = |it: &Arc<Layout>| Arc::ptr_eq(it, &layout);
                    if self.hosts.get(host).is_some_and(|it| is_same(&it.plan.layout)) {
                        has_trends = true;
                        self.trend_gathered((host, cell, hours), answer, effects);
                    }
                }
                None => {}
            }
        }
        if has_trends {
            self.name_events(effects);
            self.run_deferred(effects);
            for (at, item, time) in std::mem::take(&mut self.gathers.for_trends) {
                if self.items.get(at).is_some_and(|it| it.item == item) {
                    self.compute(at, time, None, effects);
                }
            }
            self.end_group(effects);
        }
        self.retry_fetches(now, effects);
    }

    fn item_gathered(
        &mut self,
        (at, item, time): (u32, ItemId, Time),
        answer: &Gathered,
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

    fn trend_gathered(
        &mut self,
        (host, cell, hours): (u32, u32, Vec<Hours>),
        answer: &Gathered,
        effects: &mut Effects,
    ) {
        let value = match &answer.values {
            Ok(values) => values.first().cloned(),
            Err(error) => {
                self.trends_failed(host, error, effects);
                // Asked again by the next evaluation after a while.
                return;
            }
        };
        if let Some(state) = self.hosts.get_mut(host)
            && let Some(known) = state.cells.trends.get_mut(cell as usize)
        {
            *known = TrendCell { hours, value, asked_ns: 0 };
        }
    }

    fn trends_failed(&mut self, host: u32, error: &FetchFailed, effects: &mut Effects) {
        self.fetch_failed(host, &error.to_string(), effects);
    }
}
