//! Functions that have to be read elsewhere: over many items, over trends. See [`crate::cross_item`].
//!
//! A calculated item asks each time when it is due, and has its value at that point in time once the answer
//! comes. The value of a trend function changes with its period only: it is queried once a period
//! and kept alongside the windows; triggers wait for it as for a cold window.

use std::sync::Arc;

use directory::{BoundFormula, Layout, Way};
use jiff::tz::TimeZone;
use lang::functions::Hours;
use model::map::Map;
use model::{HostId, ItemId, Now, Time, time::NANOS};

use super::hosts::Hosts;
use super::state::TrendCell;
use crate::cross_item::{CrossItemQuery, CrossItemRequest};
use crate::effects::Effects;

/// The time without an answer after which the query is made again.
const EXPIRES_NS: u64 = 60 * NANOS.unsigned_abs();

/// The evaluation that waits for an answer.
#[derive(Debug)]
pub(super) enum Asked {
    /// A calculated item, for its value of this time.
    Item { at: u32, item: ItemId, time: Time },
    /// A cell of a host, as long as its layout is this one.
    Trend { host: u32, layout: Arc<Layout>, cell: u32, hours: Vec<Hours> },
}

#[derive(Debug, Default)]
pub(super) struct CrossItemQueries {
    next_ticket: u64,
    under_way: Map<u64, Asked>,
    /// By slot: when its query was asked.
    items: Map<u32, u64>,
    /// Calculated items that wait for a trend.
    for_trends: Vec<(u32, ItemId, Time)>,
}

impl CrossItemQueries {
    pub(super) fn n_under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Queries get numbers that the other has not given.
    pub(super) fn number_from(&mut self, other: &Self) {
        self.next_ticket = other.next_ticket;
    }

    fn ask(&mut self, time: Time, what: CrossItemRequest, asked: Asked, effects: &mut Effects) {
        self.next_ticket += 1;
        let ticket = self.next_ticket;
        self.under_way.insert(ticket, asked);
        let is_written = false;
        effects.cross_item_queries.push(CrossItemQuery { ticket, time, what, is_written });
    }

    /// Asks for the values of many items that a calculated item needs. One query at a time; false if
    /// the one before has no answer yet.
    pub(super) fn ask_many(
        &mut self,
        (at, item, host): (u32, ItemId, HostId),
        (formula, time): (&BoundFormula, Time),
        now: Now,
        effects: &mut Effects,
    ) -> bool {
        let asked_ns = self.items.get(&at).copied();
        if asked_ns.is_some_and(|it| now.mono_ns < it.saturating_add(EXPIRES_NS)) {
            return false;
        }
        self.items.insert(at, now.mono_ns);
        self.under_way.retain(|_, it| !matches!(it, Asked::Item { at: other, .. } if *other == at));
        let what = CrossItemRequest::Many { host, functions: formula.many.to_vec() };
        self.ask(time, what, Asked::Item { at, item, time }, effects);
        true
    }

    /// Asks for a trend function of a host, unless it is asked for; gives how many queries that is.
    pub(super) fn ask_trend(
        &mut self,
        hosts: &mut Hosts,
        (host, cell, time): (u32, u32, Time),
        (now, zone): (Now, &TimeZone),
        effects: &mut Effects,
    ) -> u64 {
        let asked = Self::trend(hosts, (host, cell, time), (now, zone));
        let Some((what, asked)) = asked else { return 0 };
        self.ask(time, what, asked, effects);
        1
    }

    fn trend(
        hosts: &mut Hosts,
        (host, cell, time): (u32, u32, Time),
        (now, zone): (Now, &TimeZone),
    ) -> Option<(CrossItemRequest, Asked)> {
        let state = hosts.get_mut(host)?;
        let plan = &state.plan;
        let is_it = |way: Way| matches!(way, Way::Trend { cell: it } if it == cell);
        let function = plan.layout.functions.iter().find(|it| is_it(it.way))?;
        let hours = function.call.trend().and_then(|it| it.hours(time, zone)).unwrap_or_default();
        let known = state.cells.trends.get_mut(cell as usize)?;
        let is_asked = known.value.is_none() && known.asked_ns != 0;
        if is_asked && now.mono_ns < known.asked_ns.saturating_add(EXPIRES_NS) {
            return None;
        }
        let asked_ns = now.mono_ns.max(1);
        *known = TrendCell { hours: hours.clone(), value: None, asked_ns, is_overtaken: false };
        let item = plan.layout.item_id(plan.host(), function.position)?;
        let kind = plan.layout.item(function.position)?.value_type;
        let what = CrossItemRequest::Trend { item, kind, call: function.call.clone() };
        let layout = Arc::clone(&plan.layout);
        Some((what, Asked::Trend { host, layout, cell, hours }))
    }

    /// A calculated item waits for a trend that is asked for.
    pub(super) fn wait_for_trend(&mut self, at: u32, item: ItemId, time: Time) {
        self.for_trends.retain(|it| it.0 != at);
        self.for_trends.push((at, item, time));
    }

    /// Trends have come: the calculated items that waited for some.
    pub(super) fn take_for_trends(&mut self) -> Vec<(u32, ItemId, Time)> {
        std::mem::take(&mut self.for_trends)
    }

    /// An answer has come: returns the evaluation that waited for it.
    pub(super) fn take(&mut self, ticket: u64) -> Option<Asked> {
        let asked = self.under_way.remove(&ticket)?;
        if let Asked::Item { at, .. } = &asked {
            self.items.remove(at);
        }
        Some(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_one_question_at_a_time() {
        let mut cross_item_queries = CrossItemQueries::default();
        let mut effects = Effects::default();
        let stored = lang::expression::parse_stored("1").expect("parses");
        let program = lang::expression::Program::compile(&stored.ast).expect("compiles");
        let formula = BoundFormula {
            program: Arc::new(program),
            operands: Box::default(),
            many: Box::default(),
            regexps: Box::default(),
        };
        let mut ask = |cross_item_queries: &mut CrossItemQueries, mono_ns| {
            let now = Now { mono_ns, ..Now::default() };
            let whose = (3, ItemId(1), HostId(1));
            cross_item_queries.ask_many(
                whose,
                (&formula, Time(mono_ns.cast_signed())),
                now,
                &mut effects,
            )
        };
        assert!(ask(&mut cross_item_queries, 1));
        assert!(!ask(&mut cross_item_queries, EXPIRES_NS));
        // After so long the former answer is not waited for any more.
        assert!(ask(&mut cross_item_queries, EXPIRES_NS + 1));
        assert!(cross_item_queries.take(1).is_none());
        assert!(cross_item_queries.take(2).is_some());
        assert!(ask(&mut cross_item_queries, EXPIRES_NS + 2));
    }
}
