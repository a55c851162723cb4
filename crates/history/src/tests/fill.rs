//! A folder of the embedded store that is filled by a copy.

use model::record::{Hour, Num, RecordView, Sum, TrendRow};
use model::{Classes, Retention};

use super::*;

const HOUR_MS: i64 = 3_600_000;
const ITEMS: [ItemId; 3] = [ItemId(5), ItemId(6), ItemId(9)];
const HOURS: i64 = 20 * 24;

fn target(disk: &disk::MemDisk) -> CopyTarget {
    CopyTarget::open(Arc::new(disk.clone()), Path::new("/history"), 400, NOW).expect("opens")
}

fn hour(n: i64) -> i64 {
    (NOW.millis() / HOUR_MS - HOURS + n) * HOUR_MS
}

/// The rows of a copy: series by series, each from the oldest to the newest.
fn pieces() -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    let mut builder = RecordBuilder::new();
    let mut piece = |fill: &dyn Fn(&mut RecordBuilder)| {
        builder.start(RecordHead::default());
        builder.classes(Classes { history: Retention::Month, trends: Retention::Year });
        fill(&mut builder);
        pieces.push(builder.finish().to_vec());
    };
    for item in ITEMS {
        for hours in [0..HOURS / 2, HOURS / 2..HOURS] {
            piece(&|record| {
                for n in hours.clone() {
                    record.unsigned(item, Time::from_millis(hour(n)), n.unsigned_abs());
                }
            });
        }
        piece(&|record| {
            record.text(item, NOW, ValueType::Text, "text");
            record.float(item, NOW, 0.5);
        });
    }
    for item in ITEMS {
        piece(&|record| {
            for n in 0..HOURS {
                let (min, max) = (Num::Unsigned(1), Num::Unsigned(u64::MAX));
                record.trend(&TrendRow {
                    item,
                    hour: Hour(hour(n) / HOUR_MS),
                    retention: Retention::Year,
                    count: 60,
                    min,
                    max,
                    sum: Sum::Unsigned(u128::from(u64::MAX) * 3),
                });
            }
        });
    }
    pieces
}

/// Goes through all pieces as a copy does, up to where it is cut off.
fn fill(target: &CopyTarget, pieces: &[Vec<u8>], n_pieces: usize) {
    let reached = target.cursor().0;
    let mut position = 0;
    for piece in pieces.iter().take(n_pieces) {
        let record = RecordView::parse(piece).expect("just made");
        let before = position;
        position += u64::from(record.n_values()) + u64::from(record.n_trends());
        assert!(position <= reached || reached <= before, "it stops at borders");
        if reached < position {
            target.apply(&record, journal::Lsn(position)).expect("a sound disk");
        }
    }
}

#[test]
fn a_copy_that_is_cut_off_goes_on_and_has_each_row_once() {
    let disk = disk::MemDisk::new(7);
    let pieces = pieces();
    let mut n_resumed = 0;
    for n in 0..=pieces.len() {
        let target = target(&disk);
        n_resumed += u32::from(target.cursor().0 > 0);
        fill(&target, &pieces, n);
        drop(target);
        disk.restart_after_kill();
    }
    assert!(n_resumed > 3);
    let target = target(&disk);
    fill(&target, &pieces, pieces.len());
    target.flush().expect("a sound disk");
    let counts = target.counts().expect("a sound disk");
    let of = |stored, kind| -> u64 {
        let of = counts.iter().filter(|(day, _)| (day.stored, day.kind) == (stored, kind));
        of.map(|it| it.1).sum()
    };
    let n_hours = HOURS.unsigned_abs() * 3;
    assert_eq!(of(StoredKind::Values, ValueType::Unsigned), n_hours);
    assert_eq!(of(StoredKind::Values, ValueType::Text), 3);
    assert_eq!(of(StoredKind::Values, ValueType::Float), 3);
    assert_eq!(of(StoredKind::Trends, ValueType::Unsigned), n_hours);
    target.finish(journal::Lsn(0)).expect("a sound disk");
    drop(target);

    // As a server reads it; and what is old goes in its time.
    let (_, store, _) =
        open(&disk::MemDisk::new(1), &disk, &EmbeddedSettings::default()).expect("opens");
    for item in ITEMS {
        let values = read(&store, &ever(item, ValueType::Unsigned));
        let values: Vec<_> = values.iter().map(|it| it.value.clone()).collect();
        let expected: Vec<_> = (0..HOURS.unsigned_abs()).map(Value::Unsigned).collect();
        assert_eq!(values, expected);
        let query =
            TrendQuery { item, kind: ValueType::Unsigned, from: Hour(0), till: Hour(1 << 40) };
        let trends = store.trends(&[query]).expect("a sound disk").remove(0);
        assert_eq!(i64::try_from(trends.len()), Ok(HOURS));
        assert!(trends.iter().all(|it| it.count == 60), "parts were added up");
    }
    let later = model::Now { wall: Time::from_millis(hour(31 * 24 + 30)), mono_ns: 0 };
    store.maintain(later).expect("a sound disk");
    let left = read(&store, &ever(ITEMS[0], ValueType::Unsigned));
    let n_left = i64::try_from(left.len()).expect("small");
    assert!((HOURS - 48..HOURS).contains(&n_left), "a file of a day or two has gone: {n_left}");
}
