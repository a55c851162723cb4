//! Servers that are killed in the middle of a load.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use journal::{Journal, Upto};
use model::record::RecordView;
use serde_json::Value;

use super::peer::{self, Counts};
use super::{Server, wait_until};

/// How often a server is killed until something was cut off often enough.
const ROUNDS_MAX: i64 = 12;
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Sends the rows of one number after the other and kills the server in the middle, until three
/// kills have cut off values that `waiting` counts in a record, or `numbers` are used up. Returns
/// the first number that was not sent; the server runs.
///
/// # Panics
/// If no kill has cut off anything.
pub fn kill_in_loads(
    server: &mut Server,
    rows: &(impl Fn(i64) -> Vec<Value> + Sync),
    waiting: impl Fn(&RecordView<'_>) -> i64,
    numbers: i64,
) -> i64 {
    let (mut next, mut n_cut_off) = (0, 0);
    for round in 0..ROUNDS_MAX {
        let (address, n_sent) = (server.trapper(), AtomicI64::new(next));
        let unanswered = thread::scope(|scope| {
            let load = scope.spawn(|| load(address, rows, &n_sent));
            // Killed at any point of the load.
            let wanted = next + 2 + round;
            wait_until("values are taken", WAIT_MAX, || wanted <= n_sent.load(Ordering::Relaxed));
            server.kill();
            load.join().unwrap()
        });
        // Whether the last one was taken is not known: it is not sent again.
        next = unanswered + 1;
        n_cut_off += usize::from(0 < count(&server.data(), &waiting));
        server.start_again();
        if 3 <= n_cut_off || numbers < next {
            break;
        }
    }
    assert_ne!(n_cut_off, 0, "no kill came while something waited");
    next
}

/// Until the server is gone; the number that it did not answer.
fn load(server: SocketAddr, rows: &impl Fn(i64) -> Vec<Value>, next: &AtomicI64) -> i64 {
    loop {
        let number = next.load(Ordering::Relaxed);
        let rows = rows(number);
        // A connection each: a slow one may be closed by a server that works.
        let sent = peer::try_connect(server).and_then(|mut it| peer::send(&mut it, &rows));
        let Ok(counts) = sent else { return number };
        let n = u64::try_from(rows.len()).unwrap();
        assert_eq!(counts, Counts(n, 0, n), "every value is processed");
        next.store(number + 1, Ordering::Relaxed);
    }
}

/// The sum over all records of the journal.
fn count(data: &Path, of: &impl Fn(&RecordView<'_>) -> i64) -> i64 {
    let disk = Arc::new(disk::OsDisk);
    let settings = journal::JournalSettings::default();
    let (journal, _) = Journal::open(disk, &data.join("journal"), settings).unwrap();
    let mut reader = journal.reader(journal.first_lsn(), Upto::Written).unwrap();
    let mut n = 0;
    while let Some(it) = reader.next().unwrap() {
        n += of(&RecordView::parse(it.payload).unwrap());
    }
    n
}
