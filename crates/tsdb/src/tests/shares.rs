//! Which series take how much room.

use super::*;

#[test]
fn bytes_of_series_are_counted_within_what_may_be_read() {
    let disk = MemDisk::new(1);
    let store = filled(&disk, 20);
    store.flush().expect("flushes");
    // One series has as many values as all others together, and they do not compress.
    for n in 0..6_000_i64 {
        let noise = (n as f64).sin() * 1e9;
        append(&store, 0, key(7, 3), n * 1_000, &noise.to_bits().to_le_bytes()).expect("room");
    }
    assert!(store.freeze(5));
    store.flush().expect("flushes");
    let all = store.shares(u64::MAX);
    assert!(all.is_exact && all.seen_bytes == all.all_bytes, "{all:?}");
    let files: u64 = store.segments().iter().map(|it| it.file_bytes).sum();
    assert_eq!(all.all_bytes, files);
    let sum: u64 = all.bytes.values().sum();
    assert!(sum < files && files / 2 < sum, "{sum} of {files}");
    assert_eq!(all.bytes.len(), 20);
    let largest = |it: &Shares| it.bytes.iter().max_by_key(|it| it.1).map(|it| *it.0);
    assert_eq!(largest(&all), Some(7));
    // Of directories alone: about, and the same one is the largest.
    let about = store.shares(2_000);
    assert!(!about.is_exact && about.seen_bytes > 0, "{about:?}");
    assert_eq!(largest(&about), Some(7));
    // No room: nothing is read.
    assert_eq!(store.shares(0).seen_bytes, 0);
    // Deleted samples do not count.
    store.delete(&[7], &[SeriesKind(0), SeriesKind(3)], 9).expect("a sound disk");
    assert_eq!(store.shares(u64::MAX).bytes.get(&7), None);
}
