//! What waits of triggers, as checkpoints have it: events whose names wait, moments.

use std::sync::Arc;

use model::TriggerId;
use model::map::Map;
use model::record::{HeldRow, MomentRow, RecordBuilder, RecordHead, RecordView};

use super::events::Unnamed;
use super::hosts::Hosts;
use super::moments::{Moments, trigger_of};
use crate::held::HeldEvent;

/// What waits of a trigger, as a checkpoint has it.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) held: Vec<Arc<HeldEvent>>,
    pub(super) moments: Vec<MomentRow>,
}

/// What waits of triggers.
pub(super) type Saved = Map<TriggerId, Waiting>;

/// Reads what [`save`] wrote.
pub(super) fn read_saved(bytes: &[u8]) -> Option<Saved> {
    let mut saved = Saved::default();
    if bytes.is_empty() {
        return Some(saved);
    }
    let record = RecordView::parse(bytes).ok()?;
    for row in record.held() {
        if let HeldRow::Waits(it) = row.ok()? {
            let held = Arc::new(HeldEvent::read(&it));
            saved.entry(it.trigger).or_default().held.push(held);
        }
    }
    for row in record.moments() {
        let row = row.ok()?;
        saved.entry(trigger_of(&row)).or_default().moments.push(row);
    }
    Some(saved)
}

/// What waits of a partition's triggers; empty if nothing does.
pub(super) fn save(
    hosts: &Hosts,
    (unnamed, moments): (&Unnamed, &Moments),
    partition: u8,
) -> Vec<u8> {
    let mut record = RecordBuilder::new();
    record.start(RecordHead::default());
    for (at, host) in hosts.of_partition(partition) {
        for (position, _) in (0..).zip(&host.plan.layout.triggers) {
            unnamed.of(at, position).for_each(|it| record.held(&it.written().row()));
            if moments.has(at, position)
                && let Some(trigger) = host.trigger_id(position)
            {
                moments.save((at, position), trigger, &mut record);
            }
        }
    }
    if record.is_empty() { Vec::new() } else { record.finish().to_vec() }
}
