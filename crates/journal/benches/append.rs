//! Cost of an append by size of the record: `cargo bench -p journal --bench append`.
//!
//! With the machine's own disk, below `TMPDIR`: the write goes to the page cache, a sync follows
//! every 1,000 appends, as often as a busy server has one.

use std::sync::Arc;

use disk::OsDisk;
use divan::counter::BytesCount;
use journal::{Journal, JournalSettings, Upto};

/// Bytes of the record of a step of 62, 250 and 1,000 values (see the decision record).
const BYTES: [usize; 3] = [550, 2_100, 8_200];

fn main() {
    divan::main();
}

#[divan::bench(args = BYTES, sample_count = 20, sample_size = 1_000)]
fn append(bencher: divan::Bencher<'_, '_>, n: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let (journal, _) =
        Journal::open(Arc::new(OsDisk), dir.path(), JournalSettings::default()).expect("opens");
    let payload = vec![0x5a; n];
    let mut n_appended = 0_u32;
    bencher.counter(BytesCount::new(n)).bench_local(|| {
        n_appended += 1;
        if n_appended.is_multiple_of(1_000) {
            journal.sync_once().expect("syncs");
            journal.set_retention(journal.synced()).expect("removes");
        }
        journal.append(&payload, 1).expect("appends")
    });
}

#[divan::bench(args = BYTES, sample_count = 10)]
fn read_a_thousand(bencher: divan::Bencher<'_, '_>, n: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let (journal, _) =
        Journal::open(Arc::new(OsDisk), dir.path(), JournalSettings::default()).expect("opens");
    let payload = vec![0x5a; n];
    for _ in 0..1_000 {
        journal.append(&payload, 1).expect("appends");
    }
    bencher.counter(BytesCount::new(n * 1_000)).bench_local(|| {
        let mut reader = journal.reader(journal.first_lsn(), Upto::Written).expect("begins");
        let mut sum = 0;
        while let Some(record) = reader.next().expect("reads") {
            sum += record.payload.len();
        }
        sum
    });
}
