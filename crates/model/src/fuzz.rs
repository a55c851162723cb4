//! Entries for the fuzz targets in `fuzz/`; ordinary tests run them over the corpora.

use crate::batch::RawRef;
use crate::content::Severity;
use crate::record::{
    DeferredEvaluationRow, DiscoveryRow, DispatchedRow, EventAwaitingNameRow, EventKind, EventRef,
    FirstSeenRow, ForwardRow, Hour, IssuedRow, ItemStateRow, LogRef, MaintenanceChange,
    MaintenanceRow, MirroredRow, MirroredState, NewEvent, NewTransition, Num, PendingRow,
    ProxyData, RecordBuilder, RecordError, RecordHead, RecordView, StepStateRow, Subject, Sum,
    TrendRow, Watermark,
};
use crate::value::ValueType;
use crate::{
    Classes, EventId, HostId, ItemId, MaintenanceId, ProxyId, Retention, Time, TriggerId, UserId,
};

/// Reads any bytes as a record, to the last row.
pub fn record(data: &[u8]) {
    let Ok(view) = RecordView::parse(data) else { return };
    let n = drain(view.numbers())
        + drain(view.texts())
        + drain(view.item_states())
        + drain(view.step_states())
        + drain(view.watermarks())
        + drain(view.pending())
        + drain(view.forwards())
        + drain(view.discoveries())
        + drain(view.first_seen())
        + drain(view.mirrored())
        + drain(view.unstored())
        + drain(view.dispatched())
        + drain(view.events_awaiting_names())
        + drain(view.deferred_evaluations())
        + drain(view.trends())
        + drain(view.maintenances());
    assert!(n <= data.len(), "a row takes a byte at least");
    for row in view.transitions().map_while(Result::ok) {
        if let Some(event) = row.event {
            let n = event.tags.count() + event.recovered.count() + event.details.count();
            assert!(n <= data.len());
        }
    }
}

fn drain<T>(rows: impl Iterator<Item = Result<T, RecordError>>) -> usize {
    rows.map_while(Result::ok).count()
}

/// A record with rows of every kind.
#[must_use]
pub fn sample_record() -> Vec<u8> {
    let mut builder = RecordBuilder::new();
    let now = Time::from_millis(1_790_000_000_000);
    builder.start(RecordHead { shard: 1, n_shards: 2, epoch: 9, now });
    for id in 1..20_u32 {
        let item = ItemId(u64::from(id) * 7);
        builder.float(item, now, f64::from(id) / 10.0);
        builder.unsigned(item, now.plus_secs(1), u64::from(id) << 30);
    }
    builder.text(ItemId(3), now, ValueType::Text, "some text");
    let log = LogRef { source: "app", timestamp: 5, severity: 1, logeventid: 2 };
    builder.log(ItemId(4), now, "a line", log);
    builder.item_state(ItemStateRow { item: ItemId(3), time: now, error: Some("no value") });
    builder.item_state(ItemStateRow { item: ItemId(4), time: now, error: None });
    let value = RawRef::Float(1.5);
    builder.step_state(StepStateRow { item: ItemId(5), step: 1, time: now, value });
    let value = RawRef::Text("raw");
    builder.step_state(StepStateRow { item: ItemId(5), step: 2, time: now, value });
    let event = NewEvent {
        kind: EventKind::Problem,
        severity: Severity::Warning,
        name: "Too high",
        opdata: "",
        tags: &[("scope", "performance")],
        recovered: &[EventRef::Id(EventId(5)), EventRef::Here(0)],
        closed_by: UserId(1),
        details: &[],
    };
    builder.transition(&NewTransition {
        subject: Subject::Trigger(TriggerId(8)),
        time: now,
        problem: true,
        error: Some("unknown"),
        event: Some(event),
    });
    builder.watermark(Watermark::Session { host: HostId(1), session: "s", last_id: 4 });
    builder.watermark(Watermark::Log { item: ItemId(4), lastlogsize: 100, mtime: 3 });
    builder.pending(PendingRow::Issued(IssuedRow {
        id: 1,
        item: ItemId(5),
        step: 0,
        steps: 9,
        time: now,
        value,
        log: None,
    }));
    builder.pending(PendingRow::Done { id: 1, item: ItemId(5) });
    builder.forward(ForwardRow { from: 1, to: 2, sequence: 3, received: false });
    builder.discovery(DiscoveryRow { rule: ItemId(6), time: now, text: "[]" });
    builder.first_seen(FirstSeenRow { item: ItemId(6), time: now });
    let what = MirroredState::Value(ItemId(6), RawRef::Unsigned(3));
    builder.mirrored(MirroredRow { to: 4, time: now, what });
    let what = MirroredState::Trigger(TriggerId(8), true);
    builder.mirrored(MirroredRow { to: 4, time: now, what });
    let (host, item) = (HostId(9), ItemId(10));
    builder.dispatched(DispatchedRow { from: 1, host, item, time: now, text: "{}" });
    let trigger = TriggerId(8);
    builder.event_awaiting_name(&EventAwaitingNameRow::Left { trigger, n: 1 });
    builder.deferred_evaluation(&DeferredEvaluationRow::Waits { trigger, time: now });
    builder.deferred_evaluation(&DeferredEvaluationRow::Closed { trigger, is_closed: true });
    builder.deferred_evaluation(&DeferredEvaluationRow::Left { trigger, n: 1 });
    sample_of_version_2(&mut builder, now);
    builder.finish().to_vec()
}

/// Sections that version 1 did not have.
fn sample_of_version_2(builder: &mut RecordBuilder, now: Time) {
    builder.classes(Classes { history: Retention::Nothing, trends: Retention::Forever });
    builder.float(ItemId(3), now, 0.5);
    let event = NewEvent {
        kind: EventKind::Discovered,
        severity: Severity::NotClassified,
        name: "",
        opdata: "",
        tags: &[],
        recovered: &[],
        closed_by: UserId::NONE,
        details: &[("ip", "192.0.2.1")],
    };
    builder.transition(&NewTransition {
        subject: Subject::DiscoveredHost(8),
        time: now,
        problem: false,
        error: None,
        event: Some(event),
    });
    let (proxy, data) = (ProxyId(1), ProxyData::Discovery);
    builder.watermark(Watermark::ProxySession { proxy, data, session: "p", last_id: 4 });
    builder.trend(&TrendRow {
        item: ItemId(3),
        hour: Hour::of(now),
        retention: Retention::Year,
        count: 60,
        min: Num::Unsigned(0),
        max: Num::Unsigned(1 << 40),
        sum: Sum::Unsigned(1 << 70),
    });
    builder.maintenance(MaintenanceRow {
        host: HostId(9),
        maintenance: MaintenanceId(2),
        time: now,
        what: MaintenanceChange::Begins { with_data: false },
    });
}
