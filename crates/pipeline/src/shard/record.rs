//! Effects as a record of the journal.

use model::batch::RawRef;
use model::content::Severity;
use model::record::{
    DiscoveryRow, DispatchedRow, EventAwaitingNameRow, EventKind as RecordKind,
    EventRef as RecordRef, FirstSeenRow, ForwardRow, IssuedRow, ItemStateRow, MirroredRow,
    MirroredState, NewEvent, NewTransition, PendingRow, RecordBuilder, RecordHead, StepStateRow,
    Subject, Watermark,
};
use model::{Classes, Time, UserId, Value};

use super::Shard;
use super::events::as_name;
use super::recorded_values::{log_ref, remembered};
use crate::effects::{
    Change, Effects, OutBits, StateChange, StateEvent, StateOf, StepEventKind, StepEventRef,
    TriggerEvent,
};
use crate::input::Forwarded;

impl Shard {
    /// Puts the durable part of a step's effects into a new record. Call it right after the step.
    pub fn encode(&self, effects: &Effects, record: &mut RecordBuilder) {
        record.start(RecordHead {
            shard: self.settings.shard,
            n_shards: self.settings.n_shards,
            epoch: self.admission.epoch(),
            now: self.now.wall,
        });
        put_values(effects, record);
        for event in &effects.events {
            put_event(event, record);
        }
        for it in &effects.states {
            match it.what {
                StateOf::Item(item) => record.item_state(ItemStateRow {
                    item,
                    time: it.time,
                    error: it.error.as_deref(),
                }),
                StateOf::Trigger(trigger) => {
                    record.transition(&NewTransition {
                        subject: Subject::Trigger(trigger),
                        time: it.time,
                        problem: self.hosts.is_problem(trigger),
                        error: it.error.as_deref(),
                        event: None,
                    });
                }
            }
            if let Some(event) = &it.event {
                put_state_event(it, event, record);
            }
        }
        effects.trends.iter().for_each(|it| record.trend(it));
        for change in &effects.changes {
            put_change(change, self.now.wall, record);
        }
        for it in &effects.discoveries {
            record.discovery(DiscoveryRow { rule: it.rule, time: it.time, text: &it.json });
        }
        for it in &effects.forwards {
            record.forward(ForwardRow { from: it.from, to: it.to, sequence: 0, received: false });
            for row in &it.rows {
                if let Forwarded::Row(host, item, text) = &row.what {
                    let (from, host, item) = (it.from, *host, *item);
                    record.dispatched(DispatchedRow { from, host, item, time: row.time, text });
                }
            }
        }
    }
}

fn put_event(event: &TriggerEvent, record: &mut RecordBuilder) {
    let tags: Vec<(&str, &str)> =
        event.tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())).collect();
    let (kind, recovered, closed_by) = match &event.kind {
        StepEventKind::Problem => (RecordKind::Problem, Vec::new(), UserId::NONE),
        StepEventKind::Recovery { closes, user } => {
            let refs = closes.iter().map(|it| match it {
                StepEventRef::Id(id) => RecordRef::Id(*id),
                StepEventRef::Pending(k) => RecordRef::Here(*k),
            });
            (RecordKind::Ok, refs.collect(), *user)
        }
    };
    record.transition(&NewTransition {
        subject: Subject::Trigger(event.trigger),
        time: event.time,
        problem: event.is_problem,
        error: None,
        event: Some(NewEvent {
            kind,
            severity: event.severity,
            name: &event.name,
            opdata: &event.opdata,
            tags: &tags,
            recovered: &recovered,
            closed_by,
            details: &[],
        }),
    });
}

/// Behind the events of triggers, whose numbers are their places among the effects.
fn put_state_event(change: &StateChange, event: &StateEvent, record: &mut RecordBuilder) {
    let tags: Vec<(&str, &str)> =
        event.tags.iter().map(|it| (it.tag.as_str(), it.value.as_str())).collect();
    let is_normal = change.error.is_none();
    record.transition(&NewTransition {
        subject: event.subject,
        time: change.time,
        problem: !is_normal,
        error: None,
        event: Some(NewEvent {
            kind: if is_normal { RecordKind::Ok } else { RecordKind::Problem },
            severity: Severity::NotClassified,
            name: as_name(change.error.as_deref().unwrap_or_default()),
            opdata: "",
            tags: &tags,
            // All that are open of the subject, whatever they are.
            recovered: &[],
            closed_by: UserId::NONE,
            details: &[],
        }),
    });
}

fn put_values(effects: &Effects, record: &mut RecordBuilder) {
    let values = &effects.values;
    for row in &values.rows {
        record.classes(Classes { history: row.retention, trends: row.trends });
        match row.value {
            OutBits::Float(it) => record.float(row.item, row.time, it),
            OutBits::Unsigned(it) => record.unsigned(row.item, row.time, it),
            OutBits::Text { .. } => {
                record.text(row.item, row.time, row.kind, values.text(row.value));
            }
            OutBits::Log(at) => {
                if let Some(it) = values.logs.get(at as usize) {
                    record.log(row.item, row.time, &it.value, log_ref(it));
                }
            }
        }
    }
}

fn put_change(change: &Change, now: Time, record: &mut RecordBuilder) {
    match change {
        Change::Step { item, step, state } => {
            let (time, value) = remembered(state).unwrap_or((now, RawRef::Nothing));
            record.step_state(StepStateRow { item: *item, step: *step, time, value });
        }
        Change::Since { item, time } => {
            record.first_seen(FirstSeenRow { item: *item, time: *time });
        }
        Change::LogPosition { item, lastlogsize, mtime } => record.watermark(Watermark::Log {
            item: *item,
            lastlogsize: *lastlogsize,
            mtime: *mtime,
        }),
        Change::Mirrored { to, item, time, value: Value::Log(it) } => {
            let what = MirroredState::Log(*item, &it.value, log_ref(it));
            record.mirrored(MirroredRow { to: *to, time: *time, what });
        }
        Change::Mirrored { to, item, time, value } => {
            let value = match value {
                Value::Float(it) => RawRef::Float(*it),
                Value::Unsigned(it) => RawRef::Unsigned(*it),
                text => RawRef::Text(text.as_text().unwrap_or_default()),
            };
            let what = MirroredState::Value(*item, value);
            record.mirrored(MirroredRow { to: *to, time: *time, what });
        }
        Change::MirroredState { to, item, error } => {
            let value = error.as_deref().map_or(RawRef::Nothing, RawRef::Error);
            let what = MirroredState::Value(*item, value);
            record.mirrored(MirroredRow { to: *to, time: now, what });
        }
        Change::MirroredTrigger { to, trigger, is_problem } => {
            let what = MirroredState::Trigger(*trigger, *is_problem);
            record.mirrored(MirroredRow { to: *to, time: now, what });
        }
        Change::MirroredSince { to, item, time } => {
            let what = MirroredState::FirstSeen(*item);
            record.mirrored(MirroredRow { to: *to, time: *time, what });
        }
        Change::Pending(it) => record.pending(PendingRow::Issued(IssuedRow {
            id: it.id,
            item: it.item,
            step: it.step,
            steps: it.steps,
            time: it.time,
            value: it.value.as_ref().as_ref(),
            log: it.log.as_deref().map(log_ref),
        })),
        Change::PendingDone { id, item } => {
            record.pending(PendingRow::Done { id: *id, item: *item });
        }
        Change::AwaitsName(it) => record.event_awaiting_name(&it.row()),
        Change::AwaitingNamesLeft { trigger, n } => {
            record.event_awaiting_name(&EventAwaitingNameRow::Left { trigger: *trigger, n: *n });
        }
        Change::Maintenance(row) => record.maintenance(*row),
        Change::DeferredEvaluation(row) => record.deferred_evaluation(row),
        Change::Mark { to, from, lsn } => {
            record.forward(ForwardRow { from: *from, to: *to, sequence: *lsn, received: true });
        }
    }
}
