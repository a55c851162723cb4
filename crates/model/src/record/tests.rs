use proptest::prelude::*;

use super::*;

fn head() -> RecordHead {
    RecordHead { shard: 3, n_shards: 8, epoch: 77, now: Time::from_millis(1_700_000_000_123) }
}

/// All rows of a section, none of them unreadable.
fn all<T, R>(rows: R) -> Vec<T>
where
    R: Iterator<Item = Result<T, RecordError>>,
{
    rows.collect::<Result<_, _>>().expect("what was written can be read")
}

#[test]
fn an_empty_record_reads_back() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    assert!(builder.is_empty());
    let view = RecordView::parse(builder.finish()).expect("a record");
    assert_eq!((view.head(), view.n_values(), view.n_events()), (head(), 0, 0));
}

#[test]
fn values_of_all_types_read_back() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    let time = Time(1_700_000_000_123_456_789);
    builder.float(ItemId(5), time, 12.5);
    builder.unsigned(ItemId(6), time, u64::MAX);
    builder.text(ItemId(9), time, ValueType::Char, "ok");
    let log = LogRef { source: "kernel", timestamp: 17, severity: -3, logeventid: 4_000_000_000 };
    builder.log(ItemId(8), Time(-1), "oops: ünï", log);
    assert_eq!(builder.n_values(), 4);
    let view = RecordView::parse(builder.finish()).expect("a record");
    let ms = 1_700_000_000_123;
    let (classes, retention) = (Classes::default(), Retention::Month);
    let numbers = [
        NumberRow { item: ItemId(5), ms, value: Num::Float(12.5), classes },
        NumberRow { item: ItemId(6), ms, value: Num::Unsigned(u64::MAX), classes },
    ];
    assert_eq!(all(view.numbers()), numbers);
    let no_log = LogRef::default();
    let value_type = ValueType::Char;
    let texts = [
        TextRow { item: ItemId(9), time, value_type, text: "ok", retention, log: no_log },
        TextRow {
            item: ItemId(8),
            time: Time(-1),
            value_type: ValueType::Log,
            text: "oops: ünï",
            retention,
            log,
        },
    ];
    assert_eq!(all(view.texts()), texts);
}

#[test]
fn states_and_marks_read_back() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    let time = Time(5_000_000_001);
    let item_states = [
        ItemStateRow { item: ItemId(1), time, error: Some("no such key") },
        ItemStateRow { item: ItemId(1), time, error: None },
    ];
    let values = [
        RawRef::Float(0.25),
        RawRef::Unsigned(7),
        RawRef::Text("up"),
        RawRef::Error("bad"),
        RawRef::Nothing,
    ];
    let step_states =
        values.map(|value| StepStateRow { item: ItemId(u64::MAX), step: 65_535, time, value });
    let watermarks = [
        Watermark::Session { host: HostId(10_084), session: "abc", last_id: 99 },
        Watermark::Log { item: ItemId(4), lastlogsize: u64::MAX, mtime: -1 },
        Watermark::ProxySession {
            proxy: ProxyId(7),
            data: ProxyData::Autoregistration,
            session: "def",
            last_id: u64::MAX,
        },
    ];
    let pending = [
        PendingRow::Issued(IssuedRow {
            id: 1,
            item: ItemId(2),
            step: 3,
            steps: u64::MAX - 5,
            time,
            value: RawRef::Text("x"),
            log: None,
        }),
        PendingRow::Issued(IssuedRow {
            id: 2,
            item: ItemId(2),
            step: 0,
            steps: 7,
            time,
            value: RawRef::Nothing,
            log: Some(LogRef { source: "s", timestamp: -1, severity: 4, logeventid: 12 }),
        }),
        PendingRow::Done { id: 1, item: ItemId(2) },
    ];
    let forward = ForwardRow { from: 255, to: 0, sequence: 1 << 40, received: true };
    let discovery = DiscoveryRow { rule: ItemId(3), time, text: "[{}]" };
    item_states.into_iter().for_each(|it| builder.item_state(it));
    step_states.into_iter().for_each(|it| builder.step_state(it));
    watermarks.into_iter().for_each(|it| builder.watermark(it));
    pending.into_iter().for_each(|it| builder.pending(it));
    builder.forward(forward);
    builder.discovery(discovery);
    let birth = FirstSeenRow { item: ItemId(8), time };
    builder.first_seen(birth);
    let mirrored = [
        MirroredRow { to: 9, time, what: MirroredState::Value(ItemId(8), RawRef::Unsigned(4)) },
        MirroredRow { to: 0, time, what: MirroredState::Value(ItemId(8), RawRef::Error("no")) },
        MirroredRow { to: 255, time, what: MirroredState::Trigger(TriggerId(8), true) },
        MirroredRow { to: 1, time, what: MirroredState::FirstSeen(ItemId(8)) },
        MirroredRow {
            to: 1,
            time,
            what: MirroredState::Log(ItemId(8), "x", LogRef { source: "s", ..LogRef::default() }),
        },
    ];
    mirrored.into_iter().for_each(|it| builder.mirrored(it));
    let view = RecordView::parse(builder.finish()).expect("a record");
    assert_eq!(all(view.item_states()), item_states);
    assert_eq!(all(view.step_states()), step_states);
    assert_eq!(all(view.watermarks()), watermarks);
    assert_eq!(all(view.pending()), pending);
    assert_eq!(all(view.forwards()), [forward]);
    assert_eq!(all(view.discoveries()), [discovery]);
    assert_eq!(all(view.first_seen()), [birth]);
    assert_eq!(all(view.mirrored()), mirrored);
}

#[test]
fn rows_for_other_hosts_read_back() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    let row = |from, host, text| {
        let (item, time) = (ItemId(host + 1), Time(5_000_000_001));
        DispatchedRow { from, host: HostId(host), item, time, text }
    };
    let dispatched = [row(0, 5, "{}"), row(255, u64::MAX - 1, ""), row(7, 6, "ünï")];
    dispatched.into_iter().for_each(|it| builder.dispatched(it));
    let view = RecordView::parse(builder.finish()).expect("a record");
    assert_eq!(all(view.dispatched()), dispatched);
}

#[test]
fn deferred_evaluations_read_back() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    let trigger = TriggerId(16_000);
    let rows = [
        DeferredEvaluationRow::Waits { trigger, time: Time(5_000_000_001) },
        DeferredEvaluationRow::Waits { trigger: TriggerId(16_001), time: Time(5_000_000_001) },
        DeferredEvaluationRow::Left { trigger, n: 257 },
        DeferredEvaluationRow::Waits { trigger: TriggerId(u64::MAX), time: Time(-1) },
        DeferredEvaluationRow::Closed { trigger, is_closed: true },
        DeferredEvaluationRow::Closed { trigger, is_closed: false },
        DeferredEvaluationRow::Waits { trigger, time: Time(7) },
    ];
    rows.iter().for_each(|it| builder.deferred_evaluation(it));
    let view = RecordView::parse(builder.finish()).expect("a record");
    assert_eq!(all(view.deferred_evaluations()), rows);
}

#[test]
fn events_are_numbered_and_may_end_problems_of_the_same_record() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    let event = NewEvent {
        kind: EventKind::Problem,
        severity: Severity::High,
        name: "Host is down",
        opdata: "last: 0",
        tags: &[("scope", "availability"), ("empty", "")],
        recovered: &[],
        closed_by: UserId::NONE,
        details: &[],
    };
    let mut transition = NewTransition {
        subject: Subject::Trigger(TriggerId(16_000)),
        time: Time(7),
        problem: true,
        error: None,
        event: Some(event),
    };
    assert_eq!(builder.transition(&transition), Some(0));
    let recovered = [EventRef::Here(0), EventRef::Id(EventId(12))];
    transition.problem = false;
    transition.event = Some(NewEvent {
        kind: EventKind::Ok,
        recovered: &recovered,
        closed_by: UserId(1),
        ..event
    });
    assert_eq!(builder.transition(&transition), Some(1));
    transition.error = Some("cannot evaluate");
    transition.event = None;
    assert_eq!(builder.transition(&transition), None);
    assert_eq!(builder.n_events(), 2);

    let view = RecordView::parse(builder.finish()).expect("a record");
    assert_eq!(view.n_events(), 2);
    let rows = all(view.transitions());
    let first = rows[0].event.expect("an event");
    assert_eq!((rows[0].problem, first.number, first.kind), (true, 0, EventKind::Problem));
    assert_eq!((first.name, first.opdata), ("Host is down", "last: 0"));
    assert_eq!(first.tags.collect::<Vec<_>>(), event.tags);
    let second = rows[1].event.expect("an event");
    assert_eq!(second.recovered.collect::<Vec<_>>(), recovered);
    assert_eq!(second.closed_by, UserId(1));
    let ids: Vec<EventId> = second.recovered.map(|it| it.id(500)).collect();
    assert_eq!(ids, [EventId(500), EventId(12)]);
    assert_eq!((rows[2].error, rows[2].event.is_none()), (Some("cannot evaluate"), true));
}

#[test]
fn a_reused_builder_writes_the_same_bytes() {
    let mut builder = RecordBuilder::new();
    let mut fill = |n: u64| {
        builder.start(head());
        for id in 0..n {
            builder.float(ItemId(id * 3), Time(5), 0.5);
            builder.text(ItemId(id), Time(6), ValueType::Text, "text");
        }
        builder.finish().to_vec()
    };
    let first = fill(10);
    fill(2_000);
    assert_eq!(fill(10), first);
}

#[test]
fn other_versions_and_sections_are_refused() {
    assert_eq!(RecordView::parse(&[]).expect_err("empty"), RecordError::Head);
    assert_eq!(
        RecordView::parse(&[9, 0]).expect_err("version"),
        RecordError::Version { version: 9 }
    );
    let mut builder = RecordBuilder::new();
    builder.start(head());
    builder.float(ItemId(1), Time(0), 0.5);
    let mut bytes = builder.finish().to_vec();
    let len = bytes.len();
    bytes.extend([127, 0, 0]);
    let refused = |bytes: &[u8]| RecordView::parse(bytes).expect_err("section");
    assert_eq!(refused(&bytes), RecordError::UnknownSection { code: 127 });
    // Sections that no state depends on are skipped, but framed like all else.
    bytes.truncate(len);
    bytes.extend([128, 1, 2, 7, 7, 200, 0, 0]);
    let view = RecordView::parse(&bytes).expect("a record of a later program");
    assert_eq!(all(view.numbers()).len(), 1);
    bytes.pop();
    assert_eq!(refused(&bytes), RecordError::Sections);
    bytes.truncate(len);
    bytes.extend([200, 0, 0, 128, 0, 0]);
    assert_eq!(refused(&bytes), RecordError::Sections);
    // Version 1 had no such sections.
    bytes.truncate(len);
    bytes.extend([128, 0, 0]);
    bytes[0] = 1;
    assert_eq!(refused(&bytes), RecordError::UnknownSection { code: 128 });
}

#[test]
fn classes_read_back_and_cost_a_byte_a_run() {
    let mut builder = RecordBuilder::new();
    let classes = |history, trends| Classes { history, trends };
    let run = [
        classes(Retention::Month, Retention::Year),
        classes(Retention::Month, Retention::Year),
        classes(Retention::Nothing, Retention::Nothing),
        classes(Retention::Forever, Retention::Forever),
        classes(Retention::Forever, Retention::Forever),
        classes(Retention::Month, Retention::Year),
    ];
    let mut write = |run: &[Classes]| {
        builder.start(head());
        for (classes, id) in run.iter().zip(1..) {
            builder.classes(*classes);
            builder.unsigned(ItemId(id), Time(0), 5);
            builder.text(ItemId(id), Time(0), ValueType::Text, "x");
        }
        builder.finish().to_vec()
    };
    let bytes = write(&run);
    let view = RecordView::parse(&bytes).expect("a record");
    let back: Vec<Classes> = all(view.numbers()).into_iter().map(|it| it.classes).collect();
    assert_eq!(back, run);
    let back: Vec<Retention> = all(view.texts()).into_iter().map(|it| it.retention).collect();
    assert_eq!(back, run.map(|it| it.history));
    // Classes given to a builder are dropped with the record, and the usual classes cost nothing.
    assert_eq!(write(&[Classes::default(); 6]).len() + 3, bytes.len());
}

#[test]
fn values_of_version_1_have_the_default_retention() {
    let bytes = [
        [1_u8, 0, 1, 1, 0, 0].as_slice(),
        // Item 2 at 0 ms with 5.
        &[1, 1, 3, 0x00, 0xf1, 5],
        // Item 2 at 0 ns with the text "x".
        &[2, 1, 5, 4, 0, 4, 1, b'x'],
        // Item 2 keeps no history.
        &[12, 1, 1, 4],
    ];
    let bytes = bytes.concat();
    let view = RecordView::parse(&bytes).expect("a record of version 1");
    let (item, value) = (ItemId(1), Num::Unsigned(5));
    let row = NumberRow { item, ms: 0, value, classes: Classes::default() };
    assert_eq!(all(view.numbers()), [row]);
    assert_eq!(all(view.texts())[0].retention, Retention::Month);
    assert_eq!(all(view.unstored()), [ItemId(2)]);
}

#[test]
fn transitions_of_all_subjects_read_back() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    let subjects = [
        Subject::Trigger(TriggerId(9)),
        Subject::DiscoveredHost(9),
        Subject::DiscoveredService(u64::MAX),
        Subject::Autoregistered(1),
        Subject::TriggerState(TriggerId(9)),
        Subject::ItemState(ItemId(28_000)),
        Subject::RuleState(ItemId(28_001)),
        Subject::Service(3),
    ];
    let kinds = [EventKind::Ok, EventKind::Problem, EventKind::Discovered, EventKind::Lost];
    let details = [("ip", "192.0.2.7"), ("dns", ""), ("host_metadata", "Linux ünï")];
    for (nth, subject) in subjects.into_iter().enumerate() {
        let event = NewEvent {
            kind: kinds[nth % 4],
            severity: Severity::Warning,
            name: "name",
            opdata: "",
            tags: &[("a", "b")],
            recovered: &[EventRef::Id(EventId(4))],
            closed_by: UserId::NONE,
            details: &details[..nth % 4],
        };
        builder.transition(&NewTransition {
            subject,
            time: Time(5),
            problem: nth % 2 == 1,
            error: (nth % 3 == 0).then_some("why"),
            event: Some(event),
        });
    }
    let view = RecordView::parse(builder.finish()).expect("a record");
    let rows = all(view.transitions());
    assert_eq!(rows.iter().map(|it| it.subject).collect::<Vec<_>>(), subjects);
    for (nth, row) in rows.into_iter().enumerate() {
        let event = row.event.expect("an event");
        assert_eq!((event.kind, row.problem), (kinds[nth % 4], nth % 2 == 1));
        assert_eq!(row.error, (nth % 3 == 0).then_some("why"));
        assert_eq!(event.details.collect::<Vec<_>>(), details[..nth % 4]);
        assert_eq!(event.tags.collect::<Vec<_>>(), [("a", "b")]);
    }
    let numbers: Vec<(u8, u8)> = subjects.iter().map(|it| (it.source(), it.object())).collect();
    assert_eq!(numbers, [(0, 0), (1, 1), (1, 2), (2, 3), (3, 0), (3, 4), (3, 5), (4, 6)]);
}

#[test]
fn maintenance_reads_back() {
    let mut builder = RecordBuilder::new();
    builder.start(head());
    let row = |host, maintenance, what| MaintenanceRow {
        host: HostId(host),
        maintenance: MaintenanceId(maintenance),
        time: Time(-5),
        what,
    };
    let rows = [
        row(9, 1, MaintenanceChange::Begins { with_data: true }),
        row(u64::MAX, 1, MaintenanceChange::Begins { with_data: false }),
        row(9, u64::MAX, MaintenanceChange::Ends),
    ];
    rows.into_iter().for_each(|it| builder.maintenance(it));
    let view = RecordView::parse(builder.finish()).expect("a record");
    assert_eq!(all(view.maintenances()), rows);
}

#[test]
fn the_fuzz_corpus_never_panics() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/record");
    let mut n = 0;
    for entry in std::fs::read_dir(dir).expect("the corpus is part of the tree") {
        let path = entry.expect("an entry").path();
        crate::fuzz::record(&std::fs::read(path).expect("a file"));
        n += 1;
    }
    assert!(n > 3, "the corpus has {n} files");
}

fn number() -> impl Strategy<Value = Num> {
    prop_oneof![
        any::<u64>().prop_map(Num::Unsigned),
        (0_u64..5_000).prop_map(Num::Unsigned),
        any::<f64>().prop_map(Num::Float),
        (any::<i32>(), 0_i32..10).prop_map(|(m, e)| Num::Float(f64::from(m) / 10_f64.powi(e))),
    ]
}

fn bits(value: Num) -> (u8, u64) {
    match value {
        Num::Float(it) => (0, it.to_bits()),
        Num::Unsigned(it) => (1, it),
    }
}

fn trend() -> impl Strategy<Value = TrendRow> {
    let sums = prop_oneof![
        (number(), number(), any::<u128>()).prop_filter_map("whole numbers", |(a, b, sum)| {
            matches!((a, b), (Num::Unsigned(_), Num::Unsigned(_))).then_some((
                a,
                b,
                Sum::Unsigned(sum),
            ))
        }),
        (any::<f32>(), any::<f32>(), any::<f64>()).prop_map(|(a, b, sum)| (
            Num::Float(a.into()),
            Num::Float(b.into()),
            Sum::Float(sum)
        )),
    ];
    (any::<u64>(), any::<i64>(), any::<u32>(), 0..7_usize, sums).prop_map(
        |(item, hour, count, class, (min, max, sum))| TrendRow {
            item: ItemId(item),
            hour: Hour(hour),
            retention: Retention::ALL[class],
            count,
            min,
            max,
            sum,
        },
    )
}

proptest! {
    #[test]
    fn trends_of_any_size_read_back(rows in prop::collection::vec(trend(), 0..50)) {
        let mut builder = RecordBuilder::new();
        builder.start(head());
        rows.iter().for_each(|it| builder.trend(it));
        let view = RecordView::parse(builder.finish()).expect("a record");
        prop_assert_eq!(all(view.trends()), rows);
    }

    #[test]
    fn classes_of_any_order_read_back(
        rows in prop::collection::vec((any::<u64>(), number(), 0..7_usize, 0..7_usize), 0..100),
    ) {
        let mut builder = RecordBuilder::new();
        builder.start(head());
        let classes = |history: usize, trends: usize| Classes {
            history: Retention::ALL[history],
            trends: Retention::ALL[trends],
        };
        for (item, value, history, trends) in &rows {
            builder.classes(classes(*history, *trends));
            match value {
                Num::Float(it) => builder.float(ItemId(*item), Time(0), *it),
                Num::Unsigned(it) => builder.unsigned(ItemId(*item), Time(0), *it),
            }
        }
        let view = RecordView::parse(builder.finish()).expect("a record");
        let back: Vec<_> =
            all(view.numbers()).into_iter().map(|it| (it.item.0, bits(it.value), it.classes)).collect();
        let want = rows.into_iter().map(|(item, value, a, b)| (item, bits(value), classes(a, b)));
        prop_assert_eq!(back, want.collect::<Vec<_>>());
    }

    #[test]
    fn numbers_of_any_size_read_back(
        rows in prop::collection::vec((any::<u64>(), any::<i64>(), number()), 0..200),
    ) {
        let mut builder = RecordBuilder::new();
        builder.start(head());
        for (item, ns, value) in &rows {
            match value {
                Num::Float(it) => builder.float(ItemId(*item), Time(*ns), *it),
                Num::Unsigned(it) => builder.unsigned(ItemId(*item), Time(*ns), *it),
            }
        }
        let view = RecordView::parse(builder.finish()).expect("a record");
        let back: Vec<_> =
            all(view.numbers()).into_iter().map(|it| (it.item.0, it.ms, bits(it.value))).collect();
        let want: Vec<_> = rows
            .into_iter()
            .map(|(item, ns, value)| (item, Time(ns).millis(), bits(value)))
            .collect();
        prop_assert_eq!(back, want);
    }

    #[test]
    fn texts_of_any_content_read_back(
        rows in prop::collection::vec((any::<u64>(), any::<i64>(), ".*"), 0..50),
    ) {
        let mut builder = RecordBuilder::new();
        builder.start(head());
        for (item, ns, text) in &rows {
            builder.text(ItemId(*item), Time(*ns), ValueType::Text, text);
        }
        let view = RecordView::parse(builder.finish()).expect("a record");
        let back: Vec<_> = all(view.texts())
            .into_iter()
            .map(|it| (it.item.0, it.time.0, it.text.to_owned()))
            .collect();
        prop_assert_eq!(back, rows);
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        crate::fuzz::record(&bytes);
    }

    #[test]
    fn a_changed_record_is_read_without_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = crate::fuzz::sample_record();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        crate::fuzz::record(&bytes);
    }
}
