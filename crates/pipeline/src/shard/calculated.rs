//! Calculated items: when they are due, and their values.

use std::sync::Arc;

use directory::steps::raw_of;
use lang::expression::Value as Computed;
use lang::interval::NEVER;
use model::{ItemId, Now, Time};
use preprocess::Data;

use super::Shard;
use super::convert::to_millis;
use super::fetch::why_not_loaded;
use super::functions::{Evaluated, Sources, sources};
use super::grace::is_in_grace;
use super::state::{ENABLED, NO_DATA};
use crate::effects::Effects;

impl Shard {
    /// Plans the next value of a calculated item.
    pub(super) fn plan_calculated(&mut self, now: Now, at: u32) {
        let Some(slot) = self.items.slot(at) else { return };
        let Some(host) = self.hosts.get(slot.host) else { return };
        let plan = Arc::clone(&host.plan);
        let item = plan.layout.item(slot.position);
        let Some(calculation) = item.and_then(|it| it.calculation.as_ref()) else { return };
        let second = match &calculation.delay {
            Ok(delay) => {
                let next = delay.next_check(now.wall.clock(), slot.item.0, &self.settings.zone);
                Some(next).filter(|it| *it < NEVER)
            }
            // Said at the item each minute.
            Err(_) => Some(now.wall.clock() + 60),
        };
        match second {
            Some(second) if slot.has(ENABLED) => self.timers.set_due(at, second),
            _ => self.timers.forget(at),
        }
    }

    /// The clock on the wall was set back: items planned by it would wait for as long.
    pub(super) fn plan_all_calculated(&mut self, now: Now) {
        for at in self.timers.all_due() {
            self.plan_calculated(now, at);
        }
    }

    /// Has a calculated item computed with the next timer, besides its interval: a user asked for
    /// it. An item that is not calculated, not enabled or not in this slot is left alone.
    pub fn calculate_soon(&mut self, at: u32, item: ItemId, now: Now) {
        let is_there = self.items.get(at).is_some_and(|it| it.item == item);
        if is_there && self.timers.has_due(at) {
            self.timers.set_due(at, now.wall.clock());
        }
    }

    pub(super) fn calculate(&mut self, now: Now, at: u32, effects: &mut Effects) {
        // History and windows of this time; milliseconds, as all numbers.
        let time = to_millis(now.wall);
        self.compute(at, time, None, effects);
        self.end_group(effects);
        self.plan_calculated(now, at);
    }

    /// Gives a calculated item its value of a time. `many`: the results of its functions over many
    /// items, if they were queried.
    pub(super) fn compute(
        &mut self,
        at: u32,
        time: Time,
        many: Option<&[Result<Computed, String>]>,
        effects: &mut Effects,
    ) {
        let Some(slot) = self.items.slot(at).filter(|it| !it.has(NO_DATA)) else { return };
        self.work.on(slot.item);
        let Some(host) = self.hosts.get_mut(slot.host) else { return };
        let plan = Arc::clone(&host.plan);
        let item = plan.layout.item(slot.position);
        let Some(calculation) = item.and_then(|it| it.calculation.as_ref()) else { return };
        let evaluated = match (&calculation.delay, &calculation.formula) {
            (Err(why), _) => Evaluated::Unknown(why.to_string()),
            (_, Err(why)) => Evaluated::Unknown(why.to_string()),
            (Ok(_), Ok(formula)) if many.is_none() && !formula.many.is_empty() => {
                let whose = (at, slot.item, plan.host().id);
                if self.cross_item_queries.ask_many(whose, (formula, time), self.now, effects) {
                    self.counters.cross_item_queries += 1;
                } else {
                    self.counters.cross_item_queries_skipped += 1;
                }
                return;
            }
            (Ok(_), Ok(formula)) => {
                self.counters.evaluations += 1;
                let sources = sources!(self, many.unwrap_or_default());
                sources.evaluate(formula, &plan, &mut host.cells, &mut self.scratch.known, time)
            }
        };
        match evaluated {
            Evaluated::Value(value) => {
                let data = match value {
                    Computed::Number(it) => Data::Float(it),
                    Computed::UInt(it) => Data::Unsigned(it),
                    Computed::Text(it) => Data::text(it),
                    Computed::Vector(_) => Data::text(""),
                };
                self.process(at, time, raw_of(&data), None, effects);
            }
            Evaluated::Unknown(why) => {
                let early = match (&calculation.formula, &calculation.delay) {
                    (Ok(formula), Ok(delay)) => {
                        let many = many.unwrap_or_default();
                        is_in_grace(
                            (&self.items, &self.outages),
                            &slot,
                            &plan,
                            (formula, delay),
                            many,
                            time,
                        )
                    }
                    _ => false,
                };
                if !early {
                    let why = calculation.hidden.shown(why);
                    self.unsupported(at, &slot, time, why.into(), effects);
                }
            }
            Evaluated::Cold(cold) => {
                // Computed for this time as soon as history has answered.
                self.fetches.calculate_then(cold, (at, slot.item, time));
                self.fetches.load(&mut self.items, cold);
                if let Some(why) = why_not_loaded(&self.items, cold) {
                    let why = format!("Cannot evaluate expression: {why}.");
                    self.unsupported(at, &slot, time, why.into(), effects);
                }
            }
            Evaluated::Trend(cell) => {
                self.cross_item_queries.wait_for_trend(at, slot.item, time);
                let clock = (self.now, &self.settings.zone);
                let which = (slot.host, cell, time);
                self.counters.cross_item_queries +=
                    self.cross_item_queries.ask_trend(&mut self.hosts, which, clock, effects);
            }
        }
    }
}
