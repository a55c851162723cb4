//! Rows of a document go to items of other hosts.
//!
//! Preprocessing stops in front of the step; here the document is taken apart, unless it is so long
//! that a worker did it ([`crate::HeavyJob`]). Each row leaves as a forwarded one (`forward`):
//! journaled by the sender, through the queue of the partition of its host, taken there once as a raw
//! value. Rows that nobody takes are counted and told, and nothing waits for them.

use std::sync::Arc;

use directory::steps::{Entry, ItemProgram};
use directory::{NoRoute, Route};
use model::batch::RawRef;
use model::snapshot::ItemRow;
use model::{HostId, ItemId, Time, partition_of};
use preprocess::{Dispatched, HostBy, Progress, Trail};

use super::Shard;
use super::forward::add;
use super::state::{MAY_WAIT, Slot};
use crate::effects::{Effects, LostRows};
use crate::input::{ForwardRow, Forwarded};
use crate::live::Note;

/// Characters of a host's name that are shown.
const SHOWN_MAX: usize = 64;

impl Shard {
    /// Goes on behind a step that hands rows on, if preprocessing stands before one.
    pub(super) fn hand_on<'a>(
        &mut self,
        at: u32,
        slot: &Slot,
        program: &ItemProgram,
        (mut progress, time): (Progress<'a>, Time),
        effects: &mut Effects,
    ) -> Progress<'a> {
        while let Progress::Rows { step, value, trail } = progress {
            let Some(dispatch) = program.steps().get(step).and_then(|it| it.dispatch()) else {
                return Progress::Rows { step, value, trail };
            };
            let found = dispatch.split(&value.as_text());
            let trail = match trail {
                Some(it) => *it,
                None => Trail::of(step, &value),
            };
            let entry = match found {
                Ok(found) => {
                    self.hand_on_rows(at, slot, (step, time), Some(&found), effects);
                    Entry::Resumed { step, trail, result: Ok(Some(value)) }
                }
                Err(error) => Entry::Resumed { step, trail, result: Err(error) },
            };
            progress = self.run_steps(at, slot, program, (entry, time), effects);
        }
        progress
    }

    /// Sends rows on their way.
    pub(super) fn hand_on_rows(
        &mut self,
        at: u32,
        slot: &Slot,
        (step, time): (usize, Time),
        found: Option<&Dispatched>,
        effects: &mut Effects,
    ) {
        let Some(found) = found else { return };
        let Some(plan) = self.hosts.get(slot.host).map(|it| Arc::clone(&it.plan)) else { return };
        let Some(item) = plan.layout.item(slot.position) else { return };
        let dispatch = item.program.as_ref().and_then(|it| it.steps().get(step)?.dispatch());
        let Some(dispatch) = dispatch else { return };
        let own_row = plan.host.items.get(item.row as usize);
        let own_key = own_row.map(ItemRow::key).unwrap_or_default();
        let key = dispatch.key().unwrap_or(&own_key);
        let mut first_lost = None;
        let mut n_lost = found.n_nameless;
        self.counters.rows.nameless += found.n_nameless as u64;
        for (nth, (name, text)) in (0..).zip(&found.rows) {
            match self.route(dispatch.by(), name, key) {
                Ok(to) => {
                    // An item may get several rows: they come one after the other.
                    let time = Time(time.0.saturating_add(nth));
                    self.counters.rows.sent += 1;
                    let what = Forwarded::Row(to.host, to.item, text.as_str().into());
                    let pair = (slot.partition, partition_of(to.host));
                    add(effects, pair, ForwardRow { time, what });
                }
                Err(why) => {
                    n_lost += 1;
                    first_lost.get_or_insert_with(|| lost_text(why, name, key));
                }
            }
        }
        let why =
            (n_lost != 0).then(|| first_lost.unwrap_or_else(|| "they name no host".to_owned()));
        let n_rows = found.rows.len() + found.n_nameless;
        self.note_lost(at, slot, (n_rows, n_lost), why, effects);
    }

    fn route(&mut self, by: HostBy, name: &str, key: &str) -> Result<Route, NoRoute> {
        let directory = self.directory.as_ref().ok_or(NoRoute::UnknownHost);
        let route = directory.and_then(|it| it.route(by, name, key));
        let rows = &mut self.counters.rows;
        match route {
            Ok(_) => {}
            Err(NoRoute::UnknownHost) => rows.unknown_host += 1,
            Err(NoRoute::UnknownItem) => rows.unknown_item += 1,
            Err(NoRoute::NotTaking) => rows.not_taking += 1,
            Err(NoRoute::Ambiguous) => rows.ambiguous += 1,
        }
        route
    }

    /// Says at the item what was lost of its last document; nothing if nothing was.
    fn note_lost(
        &mut self,
        at: u32,
        slot: &Slot,
        (n_rows, n_lost): (usize, usize),
        why: Option<String>,
        effects: &mut Effects,
    ) {
        if why.is_none() && !self.items.cell(at).noted {
            return;
        }
        let note = why.as_ref().map(|why| Note {
            text: format!("{n_lost} of {n_rows} rows were not handed on: {why}.").into(),
            until: Time::MAX,
        });
        self.items.set_note(at, note);
        if let Some(why) = why {
            effects.lost_rows.push(LostRows { item: slot.item, n_rows, n_lost, why });
        }
    }

    /// A row for an item of this shard arrived.
    pub(super) fn take_row(
        &mut self,
        (host, item): (HostId, ItemId),
        time: Time,
        text: &str,
        effects: &mut Effects,
    ) {
        let at = self.hosts.by_id(host);
        let at = at.and_then(|it| it.plan.by_item(item)).map(|it| it.slot);
        let slot = at.and_then(|it| self.items.slot(it));
        let raw = RawRef::Text(text);
        let taken = at.zip(slot).filter(|(at, slot)| {
            // It was looked up by id just now, so it is of no older epoch.
            self.accepts(self.now, slot, (*at, time), u64::MAX)
                && (!slot.has(MAY_WAIT) || self.has_room(*at, raw))
        });
        let Some((at, slot)) = taken else {
            self.counters.rows.refused += 1;
            return;
        };
        self.counters.rows.taken += 1;
        self.enter(&slot, at, time, effects);
        self.repeats.are_taken = true;
        self.process(at, time, raw, None, effects);
        self.repeats.are_taken = false;
    }
}

fn lost_text(why: NoRoute, name: &str, key: &str) -> String {
    let name: String = name.chars().take(SHOWN_MAX).collect();
    match why {
        NoRoute::UnknownHost => format!("host \"{name}\" is unknown"),
        NoRoute::UnknownItem => format!("host \"{name}\" has no item \"{key}\""),
        NoRoute::NotTaking => {
            format!("item \"{key}\" of host \"{name}\" does not take values from other hosts")
        }
        NoRoute::Ambiguous => {
            format!("several hosts with the address \"{name}\" have item \"{key}\"")
        }
    }
}
