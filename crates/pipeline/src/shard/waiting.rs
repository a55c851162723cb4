//! Waiting work of triggers, as checkpoints have it: events whose names wait, deferred evaluations.

use std::sync::Arc;

use model::TriggerId;
use model::map::Map;
use model::record::{
    DeferredEvaluationRow, EventAwaitingNameRow, RecordBuilder, RecordHead, RecordView,
};

use super::deferred_evaluations::{DeferredEvaluations, trigger_of};
use super::events::EventsAwaitingNames;
use super::hosts::Hosts;
use crate::event_awaiting_name::UnnamedEvent;

/// Waiting work of a trigger, as a checkpoint has it.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) awaiting: Vec<Arc<UnnamedEvent>>,
    pub(super) deferred_evaluations: Vec<DeferredEvaluationRow>,
}

/// Waiting work of triggers.
pub(super) type Saved = Map<TriggerId, Waiting>;

/// Reads what [`save`] wrote.
pub(super) fn read_saved(bytes: &[u8]) -> Option<Saved> {
    let mut saved = Saved::default();
    if bytes.is_empty() {
        return Some(saved);
    }
    let record = RecordView::parse(bytes).ok()?;
    for row in record.events_awaiting_names() {
        if let EventAwaitingNameRow::Waits(it) = row.ok()? {
            let awaiting = Arc::new(UnnamedEvent::read(&it));
            saved.entry(it.trigger).or_default().awaiting.push(awaiting);
        }
    }
    for row in record.deferred_evaluations() {
        let row = row.ok()?;
        saved.entry(trigger_of(&row)).or_default().deferred_evaluations.push(row);
    }
    Some(saved)
}

/// Waiting work of a partition's triggers; empty if there is none.
pub(super) fn save(
    hosts: &Hosts,
    (events_awaiting_names, deferred_evaluations): (&EventsAwaitingNames, &DeferredEvaluations),
    partition: u8,
) -> Vec<u8> {
    let mut record = RecordBuilder::new();
    record.start(RecordHead::default());
    for (at, host) in hosts.of_partition(partition) {
        for (position, _) in (0..).zip(&host.plan.layout.triggers) {
            events_awaiting_names
                .of(at, position)
                .for_each(|it| record.event_awaiting_name(&it.written().row()));
            if deferred_evaluations.has(at, position)
                && let Some(trigger) = host.trigger_id(position)
            {
                deferred_evaluations.save((at, position), trigger, &mut record);
            }
        }
    }
    if record.is_empty() { Vec::new() } else { record.finish().to_vec() }
}
