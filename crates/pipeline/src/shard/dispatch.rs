//! Rows of a document go to items of other hosts.
//!
//! Preprocessing stops in front of the step; here the document is split into rows, unless it is so
//! long that a worker did it ([`crate::HeavyJob`]). Each row leaves as a forwarded one (`forward`):
//! journaled by the sender, through the queue of the partition of its host, taken there once as a
//! raw value. Rows that no host takes are counted and reported, and nothing waits for them.

use std::sync::Arc;

use directory::{Directory, NoRoute, Route};
use model::snapshot::ItemRow;
use model::{Time, partition_of};
use preprocess::{Dispatched, HostBy};

use super::counters::RowCounters;
use super::forward::add;
use super::hosts::Hosts;
use super::items::Items;
use super::state::Slot;
use crate::effects::{Effects, LostRows};
use crate::input::{Forwarded, ForwardedValue};
use crate::live::Note;

/// Characters of a host's name that are shown.
const SHOWN_MAX: usize = 64;

/// Finds who gets a row.
#[derive(Debug, Default)]
pub(super) struct Dispatcher {
    /// To find items of other hosts, if any item hands rows on.
    directory: Option<Arc<Directory>>,
}

impl Dispatcher {
    pub(super) fn new(directory: Option<Arc<Directory>>) -> Self {
        Self { directory }
    }

    /// Sends rows on their way.
    pub(super) fn send(
        &self,
        (items, hosts): (&mut Items, &Hosts),
        (at, slot): (u32, &Slot),
        (step, time, found): (usize, Time, &Dispatched),
        counters: &mut RowCounters,
        effects: &mut Effects,
    ) {
        let Some(plan) = hosts.get(slot.host).map(|it| &it.plan) else { return };
        let Some(item) = plan.layout.item(slot.position) else { return };
        let dispatch = item.program.as_ref().and_then(|it| it.steps().get(step)?.dispatch());
        let Some(dispatch) = dispatch else { return };
        let own_row = plan.host.items.get(item.row as usize);
        let own_key = own_row.map(ItemRow::key).unwrap_or_default();
        let key = dispatch.key().unwrap_or(&own_key);
        let mut first_lost = None;
        let mut n_lost = found.n_nameless;
        counters.nameless += found.n_nameless as u64;
        for (nth, (name, text)) in (0..).zip(&found.rows) {
            match self.route(dispatch.by(), name, key, counters) {
                Ok(to) => {
                    // An item may get several rows: they come one after the other.
                    let time = Time(time.0.saturating_add(nth));
                    counters.sent += 1;
                    let what = Forwarded::Row(to.host, to.item, text.as_str().into());
                    let pair = (slot.partition, partition_of(to.host));
                    add(effects, pair, ForwardedValue { time, what });
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
        note_lost(items, (at, slot), (n_rows, n_lost), why, effects);
    }

    fn route(
        &self,
        by: HostBy,
        name: &str,
        key: &str,
        rows: &mut RowCounters,
    ) -> Result<Route, NoRoute> {
        let directory = self.directory.as_ref().ok_or(NoRoute::UnknownHost);
        let route = directory.and_then(|it| it.route(by, name, key));
        match route {
            Ok(_) => {}
            Err(NoRoute::UnknownHost) => rows.unknown_host += 1,
            Err(NoRoute::UnknownItem) => rows.unknown_item += 1,
            Err(NoRoute::NotTaking) => rows.not_taking += 1,
            Err(NoRoute::Ambiguous) => rows.ambiguous += 1,
        }
        route
    }
}

/// Says at the item what was lost of its last document; nothing if nothing was.
fn note_lost(
    items: &mut Items,
    (at, slot): (u32, &Slot),
    (n_rows, n_lost): (usize, usize),
    why: Option<String>,
    effects: &mut Effects,
) {
    if why.is_none() && !items.cell(at).noted {
        return;
    }
    let note = why.as_ref().map(|why| Note {
        text: format!("{n_lost} of {n_rows} rows were not handed on: {why}.").into(),
        until: Time::MAX,
    });
    items.set_note(at, note);
    if let Some(why) = why {
        effects.lost_rows.push(LostRows { item: slot.item, n_rows, n_lost, why });
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
