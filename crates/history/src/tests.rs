use std::path::Path;
use std::sync::Arc;

use journal::Journal;
use model::record::{RecordBuilder, RecordHead};
use model::value::Sample;
use model::{ItemId, Time, Value, ValueType};
use proptest::prelude::*;
use rt::metrics::Registry;

use super::*;
use crate::contract::{Harness, ITEM, NOW, contract, ever, read};
use crate::embedded::Embedded;

mod fill;
mod trends;

/// The embedded store on disks in memory.
struct OnMemory {
    journal_disk: disk::MemDisk,
    store_disk: disk::MemDisk,
    settings: EmbeddedSettings,
    journal: Journal,
    store: Embedded,
    replayed: Replayed,
    builder: RecordBuilder,
    n_written: u16,
}

const N_WRITERS: u16 = 2;

fn open(
    journal_disk: &disk::MemDisk,
    store_disk: &disk::MemDisk,
    settings: &EmbeddedSettings,
) -> Result<(Journal, Embedded, Replayed)> {
    let on_corruption = journal::OnCorruption::Isolate;
    let journal_settings = journal::JournalSettings {
        file_bytes: 4_000,
        on_corruption,
        ..journal::JournalSettings::default()
    };
    let disk = Arc::new(journal_disk.clone());
    let (journal, _) = Journal::open(disk, Path::new("/journal"), journal_settings)?;
    let disk = Arc::new(store_disk.clone());
    let registry = Registry::default();
    let (store, _) = Embedded::open(
        disk,
        Path::new("/history"),
        journal.clone(),
        N_WRITERS,
        (settings.clone(), &registry),
    )?;
    let replayed = store.replay(&|_| ())?;
    Ok((journal, store, replayed))
}

impl OnMemory {
    fn with(seed: u64, settings: EmbeddedSettings) -> Self {
        let journal_disk = disk::MemDisk::new(seed);
        let store_disk = disk::MemDisk::new(seed.wrapping_add(1));
        let (journal, store, replayed) =
            open(&journal_disk, &store_disk, &settings).expect("opens");
        let builder = RecordBuilder::new();
        Self { journal_disk, store_disk, settings, journal, store, replayed, builder, n_written: 0 }
    }

    /// Writes a record; the writers take turns by `shard`.
    fn commit(
        &mut self,
        shard: u16,
        fill: impl Fn(&mut RecordBuilder),
    ) -> Result<journal::Appended> {
        let head = RecordHead { shard, n_shards: N_WRITERS, epoch: 1, now: NOW };
        self.builder.start(head);
        fill(&mut self.builder);
        let n_ids = self.builder.n_events();
        self.store.writer(shard).commit(self.builder.finish(), n_ids)
    }

    fn reopen(&mut self) {
        (self.journal, self.store, self.replayed) =
            open(&self.journal_disk, &self.store_disk, &self.settings).expect("opens");
    }
}

impl Harness for OnMemory {
    fn new() -> Self {
        Self::with(1, EmbeddedSettings::default())
    }

    fn store(&self) -> &dyn Store {
        &self.store
    }

    fn write(&mut self, fill: impl Fn(&mut RecordBuilder)) {
        // Whichever shard it was: a store must not care.
        self.n_written += 1;
        self.commit(self.n_written % N_WRITERS, fill).expect("a sound disk");
    }

    fn settle(&mut self) {
        self.store.flush_once().expect("a sound disk");
    }

    fn restart(&mut self) {
        self.journal_disk.restart_after_kill();
        self.store_disk.restart_after_kill();
        self.reopen();
    }
}

contract!(OnMemory);

#[test]
fn a_start_reads_only_what_is_not_in_segments() {
    let mut harness = OnMemory::new();
    for n in 0..10 {
        harness.write(|record| record.unsigned(ITEM, NOW, n));
    }
    let flushed = harness.store.flush_once().expect("flushes").expect("something new");
    assert_eq!((flushed.n_values, flushed.cursor), (10, harness.journal.next_lsn()));
    assert_eq!(harness.store.flush_once().expect("nothing to do"), None);
    harness.journal.set_retention(harness.store.cursor()).expect("removes");
    harness.write(|record| {
        record.unsigned(ITEM, NOW, 10);
        record.text(ITEM, NOW, ValueType::Text, "text");
    });
    harness.restart();
    assert_eq!((harness.replayed.n_records, harness.replayed.n_values), (1, 2));
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len(), 11);
}

#[test]
fn flushing_is_due_by_journal_and_by_values() {
    let settings = EmbeddedSettings { flush_journal_bytes: 300, ..EmbeddedSettings::default() };
    let mut harness = OnMemory::with(1, settings);
    assert!(!harness.store.flush_is_due());
    for _ in 0..6 {
        harness.write(|record| record.float(ITEM, NOW, 0.5));
    }
    assert!(harness.store.flush_is_due());
    harness.settle();
    assert!(!harness.store.flush_is_due());

    let settings = EmbeddedSettings { flush_values: 3, ..EmbeddedSettings::default() };
    let mut harness = OnMemory::with(1, settings);
    for n in 1..=3 {
        harness.write(|record| record.float(ITEM, NOW, 0.5));
        assert_eq!(harness.store.flush_is_due(), n == 3);
    }
}

#[test]
fn values_are_refused_when_flushing_lags() {
    let settings = EmbeddedSettings { flush_journal_bytes: 100, ..EmbeddedSettings::default() };
    let mut harness = OnMemory::with(1, settings);
    let fill = |record: &mut RecordBuilder| record.float(ITEM, NOW, 0.5);
    let mut n_written = 0;
    let error = loop {
        match harness.commit(0, fill) {
            Ok(_) => n_written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Behind { .. }) && error.retry(), "{error}");
    assert!(n_written > 5, "{n_written}");
    harness.settle();
    harness.commit(0, fill).expect("there is room again");
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Float)).len(), n_written + 1);
}

#[test]
fn a_refusing_journal_takes_no_values() {
    let mut harness = OnMemory::new();
    harness.write(|record| record.float(ITEM, NOW, 0.5));
    harness.journal_disk.set_capacity(harness.journal_disk.used_bytes());
    let refused = harness.commit(1, |record| record.float(ITEM, NOW, 1.5));
    assert!(matches!(refused, Err(Error::Journal(_))));
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Float)).len(), 1);
}

#[test]
fn an_answer_says_which_records_it_has() {
    let mut harness = OnMemory::new();
    let other = ItemId(5);
    let first = harness.commit(0, |record| record.float(ITEM, NOW, 1.0)).expect("written");
    let second = harness.commit(1, |record| record.float(other, NOW, 2.0)).expect("written");
    let lsn_of =
        |store: &Embedded, item| store.range(&ever(item, ValueType::Float)).expect("reads").lsn;
    assert_eq!(lsn_of(&harness.store, ITEM), Some(first.next_lsn));
    assert_eq!(lsn_of(&harness.store, other), Some(second.next_lsn));
    assert_eq!(lsn_of(&harness.store, ItemId(9)), Some(first.next_lsn), "the smaller of both");
    harness.restart();
    for item in [ITEM, other, ItemId(9)] {
        assert_eq!(lsn_of(&harness.store, item), Some(second.next_lsn));
    }
}

#[test]
fn a_journal_that_lost_its_beginning_is_noticed() {
    let mut harness = OnMemory::new();
    for n in 0..200 {
        harness.write(|record| record.text(ITEM, NOW, ValueType::Text, &"long ".repeat(n)));
    }
    harness.journal.sync_once().expect("syncs");
    harness.journal.set_retention(harness.journal.next_lsn()).expect("removes");
    let opened = open(&harness.journal_disk, &harness.store_disk, &harness.settings);
    assert!(matches!(opened, Err(Error::Gap { .. })));
}

#[test]
fn damaged_records_are_skipped_and_reported() {
    let mut harness = OnMemory::new();
    for n in 0..200_u32 {
        harness.write(|record| record.unsigned(ITEM, NOW.plus_secs(n.into()), n.into()));
    }
    harness.journal.sync_once().expect("syncs");
    let oldest = harness.journal_disk.paths().remove(0);
    drop(harness.journal_disk.corrupt(&oldest, 200));
    harness.write(|record| record.unsigned(ITEM, NOW, 1_000));
    harness.reopen();
    assert_eq!(harness.replayed.lost.len(), 1);
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len(), 200);
}

#[test]
fn temporarily_unreadable_record_is_not_skipped() {
    let mut harness = OnMemory::new();
    for n in 0..200_u32 {
        harness.write(|record| record.unsigned(ITEM, NOW.plus_secs(n.into()), n.into()));
    }
    harness.journal.sync_once().expect("syncs");
    harness.reopen();
    // The journal is open; reading it back fails a few times.
    harness.journal_disk.fail_reads(4);
    let again = fresh(&harness).replay(&|_| ()).expect("the disk comes back");
    assert_eq!((again.n_records, again.lost.len()), (200, 0));
    harness.journal_disk.fail_reads(u32::MAX);
    let error = fresh(&harness).replay(&|_| ()).expect_err("the disk does not come back");
    assert!(error.to_string().contains("cannot read /journal/"), "{error}");
}

/// Another store over the same journal that has nothing yet.
fn fresh(harness: &OnMemory) -> Embedded {
    let disk = Arc::new(disk::MemDisk::new(7));
    let settings = (harness.settings.clone(), &Registry::default());
    let journal = harness.journal.clone();
    Embedded::open(disk, Path::new("/fresh"), journal, N_WRITERS, settings).expect("opens").0
}

#[test]
fn a_head_without_room_waits_for_a_flush_and_nothing_is_lost() {
    let settings = EmbeddedSettings { head_bytes_max: 3 << 20, ..EmbeddedSettings::default() };
    let mut harness = OnMemory::with(1, settings);
    let mut writer = harness.store.writer(0);
    let mut builder = RecordBuilder::new();
    let (mut n, mut n_flushes) = (0_u32, 0);
    while n_flushes < 3 {
        builder.start(RecordHead { shard: 0, n_shards: N_WRITERS, epoch: 1, now: NOW });
        for row in 0..1_000 {
            // Distant times and numbers of any size: the blocks are large.
            let at = Time::from_millis(i64::from(n + row) * 7_777_777);
            builder.float(ITEM, at, f64::from(n + row).sqrt());
        }
        match writer.commit(builder.finish(), 0) {
            Ok(_) => n += 1_000,
            Err(error) => {
                assert!(error.retry() && harness.store.flush_is_due(), "{error}");
                harness.store.flush_once().expect("a sound disk");
                assert!(!harness.store.flush_is_due());
                n_flushes += 1;
            }
        }
    }
    let all = usize::try_from(n).expect("few");
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Float)).len(), all);
    harness.reopen();
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Float)).len(), all);
    // A start that has more to read back than the heads take writes it.
    let again = fresh(&harness);
    assert_eq!(again.replay(&|_| ()).expect("readable").n_values, u64::from(n));
    assert_eq!(read(&again, &ever(ITEM, ValueType::Float)).len(), all);
    assert!(1 < again.engine().segments().len());
    // In parts there is no room for them: they are taken once more from the beginning, and no value twice.
    let again = fresh(&harness);
    assert_eq!(again.replay_of(0, &|_| ()).expect("readable"), None);
    let other = again.replay_of(1, &|_| ()).expect("readable").expect("it has no values");
    assert_eq!((other.n_records, other.n_values), (0, 0));
    assert_eq!(again.replay(&|_| ()).expect("readable").n_values, u64::from(n));
    assert_eq!(read(&again, &ever(ITEM, ValueType::Float)).len(), all);
}

#[test]
fn parts_of_a_start_take_what_a_whole_one_takes() {
    let mut harness = OnMemory::new();
    let other = ItemId(ITEM.0 + 1);
    for n in 0..300_u32 {
        let at = NOW.plus_secs(n.into());
        let (shard, item) = if n % 3 == 0 { (1, other) } else { (0, ITEM) };
        harness.commit(shard, |it| it.unsigned(item, at, n.into())).expect("a sound disk");
    }
    let whole = fresh(&harness);
    let replayed = whole.replay(&|_| ()).expect("readable");
    assert_eq!((replayed.n_records, replayed.n_values), (300, 300));
    let parts = fresh(&harness);
    for (writer, n) in [(1, 100), (0, 200)] {
        let part = parts.replay_of(writer, &|_| ()).expect("readable").expect("there is room");
        assert_eq!((part.n_records, part.n_values), (n, n));
    }
    for item in [ITEM, other] {
        let query = ever(item, ValueType::Unsigned);
        assert_eq!(read(&parts, &query), read(&whole, &query));
    }
    assert_eq!(parts.n_values_unflushed(), 300);
}

#[test]
fn a_value_that_cannot_be_read_keeps_no_other_from_history() {
    let mut harness = OnMemory::new();
    let mut builder = RecordBuilder::new();
    let mut writer = harness.store.writer(0);
    for n in 0..3_u32 {
        let at = NOW.plus_secs(n.into());
        builder.start(RecordHead { shard: 0, n_shards: N_WRITERS, epoch: 1, now: NOW });
        builder.text(ITEM, at, ValueType::Text, "some text");
        builder.unsigned(ITEM, at, n.into());
        let mut payload = builder.finish().to_vec();
        if n == 1 {
            let text = payload.windows(4).position(|it| it == b"text").expect("is in it");
            payload[text] = 0xff;
        }
        writer.commit(&payload, 0).expect("a sound disk");
    }
    for _ in 0..2 {
        assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len(), 3);
        assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Text)).len(), 2);
        harness.reopen();
    }
    assert!(harness.store.flush_once().expect("goes on").is_some());
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len(), 3);
}

#[test]
fn readers_see_committed_values_while_writers_and_flushes_go_on() {
    let harness = OnMemory::new();
    let mut builder = RecordBuilder::new();
    let mut writer = harness.store.writer(0);
    std::thread::scope(|scope| {
        let writing = scope.spawn(move || {
            for n in 0..3_000_u32 {
                builder.start(RecordHead { shard: 0, n_shards: N_WRITERS, epoch: 1, now: NOW });
                builder.unsigned(ITEM, Time::from_millis(n.into()), n.into());
                writer.commit(builder.finish(), 0).expect("a sound disk");
            }
        });
        let mut n_before = 0;
        while !writing.is_finished() {
            harness.store.flush_once().expect("a sound disk");
            let found = read(&harness.store, &ever(ITEM, ValueType::Unsigned));
            assert!(found.len() >= n_before, "values do not vanish");
            n_before = found.len();
            let values = found.iter().zip(0_u64..);
            values.for_each(|(it, n)| assert_eq!(it.value, Value::Unsigned(n)));
        }
    });
}

#[derive(Debug, Clone)]
enum Op {
    Write { shard: u16, rows: Vec<(u64, i64, u64)> },
    Sync,
    Flush,
    Retain,
    Kill,
    PowerCut { journal_ops: u64, store_ops: u64 },
}

fn op() -> impl Strategy<Value = Op> {
    let row = (0..4_u64, 0..50_i64, any::<u64>());
    prop_oneof![
        12 => (0..N_WRITERS, prop::collection::vec(row, 1..20))
            .prop_map(|(shard, rows)| Op::Write { shard, rows }),
        3 => Just(Op::Sync),
        2 => Just(Op::Flush),
        1 => Just(Op::Retain),
        1 => Just(Op::Kill),
        1 => (0..10_u64, 0..12_u64)
            .prop_map(|(journal_ops, store_ops)| Op::PowerCut { journal_ops, store_ops }),
    ]
}

/// Items belong to one shard, as hosts do.
fn item(shard: u16, id: u64) -> ItemId {
    ItemId(u64::from(shard) * 10 + id)
}

/// A record as the oracle remembers it.
#[derive(Debug, Clone)]
struct Written {
    next_lsn: journal::Lsn,
    shard: u16,
    rows: Vec<(u64, i64, u64)>,
}

fn check(harness: &OnMemory, written: &[Written]) {
    for shard in 0..N_WRITERS {
        for id in 0..4 {
            let records = written.iter().filter(|it| it.shard == shard);
            let rows = records.flat_map(|it| it.rows.iter().filter(|row| row.0 == id));
            let mut want: Vec<Sample> = rows
                .map(|(_, ms, value)| Sample {
                    time: Time::from_millis(*ms),
                    value: Value::Unsigned(*value),
                })
                .collect();
            want.sort_by_key(|it| it.time);
            let found = read(&harness.store, &ever(item(shard, id), ValueType::Unsigned));
            assert_eq!(found, want);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Journal and store on two disks that fail at any operation: after each start the store has
    /// exactly the values of the journal's life, each once.
    #[test]
    fn crashes_neither_lose_nor_double_values(
        seed in any::<u64>(),
        ops in prop::collection::vec(op(), 1..60),
    ) {
        let mut harness = OnMemory::with(seed, EmbeddedSettings::default());
        let mut written: Vec<Written> = Vec::new();
        for op in ops {
            match op {
                Op::Write { shard, rows } => {
                    let appended = harness.commit(shard, |record| {
                        for (id, ms, value) in &rows {
                            record.unsigned(item(shard, *id), Time::from_millis(*ms), *value);
                        }
                    });
                    let next_lsn = appended.expect("a sound disk").next_lsn;
                    written.push(Written { next_lsn, shard, rows });
                }
                Op::Sync => {
                    harness.journal.sync_once().expect("a sound disk");
                }
                Op::Flush => harness.settle(),
                Op::Retain => {
                    harness.journal.set_retention(harness.store.cursor()).expect("removes");
                }
                Op::Kill => harness.restart(),
                Op::PowerCut { journal_ops, store_ops } => {
                    let synced = harness.journal.synced();
                    harness.journal_disk.cut_power_after(journal_ops);
                    harness.store_disk.cut_power_after(store_ops);
                    drop(harness.store.flush_once());
                    harness.journal_disk.restart_after_power_cut();
                    harness.store_disk.restart_after_power_cut();
                    harness.reopen();
                    let end = harness.journal.next_lsn();
                    prop_assert!(end >= synced);
                    written.retain(|it| it.next_lsn <= end);
                }
            }
            check(&harness, &written);
        }
    }

    #[test]
    fn any_stored_bytes_are_read_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        fuzz::payload(&bytes);
    }
}

#[test]
fn the_fuzz_corpus_never_panics() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/payload");
    for entry in std::fs::read_dir(folder).expect("a corpus") {
        fuzz::payload(&std::fs::read(entry.expect("an entry").path()).expect("a file"));
    }
}

/// A time of the server: so many days after [`NOW`], all of which it was running.
fn day(n: u32) -> model::Now {
    let seconds = i64::from(n) * 86_400;
    model::Now { wall: NOW.plus_secs(seconds), mono_ns: u64::from(n) * 86_400_000_000_000 }
}

fn write_as(harness: &mut OnMemory, history: model::Retention, at: Time) {
    harness.write(|record| {
        record.classes(model::Classes { history, ..model::Classes::default() });
        record.unsigned(ITEM, at, 1);
        record.text(ITEM, at, ValueType::Text, "text");
    });
}

#[test]
fn values_are_kept_for_the_class_of_their_item() {
    use model::Retention::{Day, Forever, Week};
    let mut harness = OnMemory::new();
    // The item's period changes: its values are found in all.
    for (history, hour) in [(Day, 0), (Week, 1), (Forever, 2), (Day, 3)] {
        write_as(&mut harness, history, NOW.plus_secs(hour * 3_600));
    }
    harness.store.maintain(day(0)).expect("a sound disk");
    let n = |harness: &OnMemory| {
        let n = read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len();
        assert_eq!(n, read(&harness.store, &ever(ITEM, ValueType::Text)).len());
        n
    };
    for (day_n, n_left) in [(0, 4), (1, 4), (2, 2), (7, 2), (8, 1), (4_000, 1)] {
        if day_n == 1 {
            harness.settle();
        }
        harness.store.maintain(day(day_n)).expect("a sound disk");
        assert_eq!(n(&harness), n_left, "after {day_n} days");
    }
    harness.restart();
    assert_eq!((n(&harness), harness.replayed.n_values), (1, 0));
    assert_eq!(harness.store.engine().segments().len(), 1);
}

#[test]
fn values_stay_while_nothing_is_to_expire() {
    let mut harness = OnMemory::new();
    write_as(&mut harness, model::Retention::Day, NOW);
    harness.store.maintain(day(0)).expect("a sound disk");
    harness.settle();
    let n = |harness: &OnMemory| read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len();
    for (values, trends, n_left) in [(false, true, 1), (true, false, 0)] {
        harness.store.set_expiring(values, trends);
        harness.store.maintain(day(3)).expect("a sound disk");
        assert_eq!(n(&harness), n_left);
    }
}

#[test]
fn a_clock_that_jumps_does_not_empty_the_store() {
    let mut harness = OnMemory::new();
    write_as(&mut harness, model::Retention::Week, NOW);
    harness.store.maintain(day(0)).expect("a sound disk");
    harness.settle();
    harness.restart();
    // A year ahead, and running for a second.
    let ahead = model::Now { mono_ns: 1_000_000_000, ..day(365) };
    harness.store.maintain(model::Now { mono_ns: 0, ..ahead }).expect("a sound disk");
    harness.store.maintain(ahead).expect("a sound disk");
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len(), 1);
    // Somebody lets it be so.
    harness
        .store
        .maintain(model::Now { mono_ns: 9 * 3_600_000_000_000, ..ahead })
        .expect("a sound disk");
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Unsigned)).len(), 0);
}

#[test]
fn files_of_an_hour_become_one_and_nothing_is_lost() {
    let mut harness = OnMemory::new();
    for minute in 0..61 {
        write_as(&mut harness, model::Retention::Week, NOW.plus_secs(minute * 60));
        harness.settle();
    }
    let before = read(&harness.store, &ever(ITEM, ValueType::Text));
    while harness.store.maintain(day(0)).expect("a sound disk") {}
    assert_eq!(harness.store.engine().segments().len(), 2);
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Text)), before);
    harness.restart();
    assert_eq!(read(&harness.store, &ever(ITEM, ValueType::Text)), before);
    assert_eq!((before.len(), harness.replayed.n_values), (61, 0));
}

#[test]
fn cleared_items_stay_cleared_after_a_crash_and_take_new_values() {
    let mut harness = OnMemory::new();
    let other = ItemId(ITEM.0 + 1);
    let both = |record: &mut RecordBuilder| {
        for item in [ITEM, other] {
            record.unsigned(item, NOW, 1);
            record.text(item, NOW, ValueType::Text, "text");
        }
    };
    // In a file, frozen and in the head.
    harness.write(both);
    harness.settle();
    harness.write(both);
    harness.write(both);
    harness.store.clear(&[ITEM]).expect("a sound disk");
    let n = |harness: &OnMemory, item| {
        let n = read(&harness.store, &ever(item, ValueType::Unsigned)).len();
        assert_eq!(n, read(&harness.store, &ever(item, ValueType::Text)).len());
        n
    };
    assert_eq!((n(&harness, ITEM), n(&harness, other)), (0, 3));
    harness.write(both);
    assert_eq!((n(&harness, ITEM), n(&harness, other)), (1, 4));
    for _ in 0..2 {
        harness.restart();
        assert_eq!((n(&harness, ITEM), n(&harness, other)), (1, 4));
        harness.settle();
    }
    harness.store_disk.fail_syncs(1);
    harness.store.clear(&[ITEM]).expect_err("the manifest cannot be stored");
    assert_eq!((n(&harness, ITEM), n(&harness, other)), (1, 4));
}

#[test]
fn a_budget_of_the_disk_takes_the_oldest_and_says_so() {
    let settings = EmbeddedSettings { disk_budget_bytes: 1_000, ..EmbeddedSettings::default() };
    let mut harness = OnMemory::with(1, settings);
    for hour in 0..10 {
        write_as(&mut harness, model::Retention::Forever, NOW.plus_secs(hour * 3_600));
        harness.settle();
    }
    assert_eq!(harness.store.shortfall(), None);
    while harness.store.maintain(day(1)).expect("a sound disk") {}
    let left = read(&harness.store, &ever(ITEM, ValueType::Unsigned));
    assert!(!left.is_empty() && left.len() < 10, "{}", left.len());
    let newest = NOW.plus_secs(9 * 3_600).millis();
    assert_eq!(left.last().map(|it| it.time.millis()), Some(newest));
    let bytes: u64 = harness.store.engine().segments().iter().map(|it| it.file_bytes).sum();
    assert!(bytes <= 1_000, "{bytes}");
    let reported = harness.store.shortfall().expect("files are missing");
    assert!(reported.contains("history.disk_budget_bytes is 1000"), "{reported}");
    // A day without having to.
    while harness.store.maintain(day(3)).expect("a sound disk") {}
    assert_eq!(harness.store.shortfall(), None);
}

#[test]
fn statistics_count_each_class() {
    use model::Retention::{Forever, Week};
    let mut harness = OnMemory::new();
    for (history, hour) in [(Week, 0), (Forever, 1), (Week, 2)] {
        write_as(&mut harness, history, NOW.plus_secs(hour * 3_600));
        harness.settle();
    }
    let found = stats(&harness.store_disk, Path::new("/")).expect("a manifest");
    let segments = harness.store.engine().segments();
    let bytes: u64 = segments.iter().map(|it| it.file_bytes).sum();
    assert_eq!(found.iter().map(|it| it.n_bytes).sum::<u64>(), bytes);
    let counted: Vec<_> = found.iter().map(|it| (it.retention, it.n_files, it.n_values)).collect();
    assert_eq!(counted, [(Week, 2, 4), (Forever, 1, 2)]);
    let hours = |time: Time| (time.millis() - NOW.millis()) / 3_600_000;
    assert_eq!((hours(found[0].oldest), hours(found[0].newest)), (0, 2));
}

proptest! {
    #[test]
    fn pages_have_every_value_once(
        steps in proptest::collection::vec(0..3_i64, 0..60),
        size in 1..8_usize,
        n_flushed in 0..60_usize,
        is_text: bool,
    ) {
        let mut harness = OnMemory::new();
        let (mut time, mut expected) = (NOW, Vec::new());
        for (n, step) in steps.iter().enumerate() {
            // Texts lie at nanoseconds, several in a millisecond.
            time = Time(time.0 + step * if is_text { 300_000 } else { 1_000_000 });
            let text = n.to_string();
            let number = u64::try_from(n).expect("a few");
            let value = if is_text { query::text(&text) } else { Value::Unsigned(number) };
            harness.commit(0, |record| match is_text {
                true => record.text(ITEM, time, ValueType::Text, &text),
                false => record.unsigned(ITEM, time, number),
            }).expect("a sound disk");
            let time = if is_text { time } else { Time::from_millis(time.millis()) };
            expected.push(Sample { time, value });
            if n == n_flushed {
                harness.settle();
            }
        }
        let kind = if is_text { ValueType::Text } else { ValueType::Unsigned };
        let series = Series { item: ITEM, kind };
        let known = LiveStore::series(&harness.store).expect("a sound store");
        prop_assert_eq!(known, if steps.is_empty() { vec![] } else { vec![series] });
        let mut pages = Pages::new(series, (Time(i64::MIN), Time::MAX)).resized(size);
        let mut found = Vec::new();
        while let Some(rows) = pages.next(&harness.store).expect("a sound store") {
            prop_assert!(!rows.is_empty());
            found.extend(HistorySamples { rows, lsn: None }.into_samples());
        }
        prop_assert_eq!(found, expected);
    }
}
