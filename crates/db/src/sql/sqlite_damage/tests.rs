//! Logs of changes with flipped bits, compared with what SQLite itself reads of them.

use std::fs;

use super::*;

const N_ROWS: u32 = 12;
const PAGE_BYTES: usize = 4_096;
const FRAME_BYTES: usize = FRAME_HEADER_BYTES + PAGE_BYTES;

/// A database with a log that has a transaction for each row, as a kill leaves it.
fn killed(dir: &Path) -> PathBuf {
    let live = dir.join("live.db");
    let writer = Connection::open(&live).unwrap();
    let set = "pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma synchronous = full;
               create table t (x integer primary key, y text);";
    writer.execute_batch(set).unwrap();
    let mode: (i64, i64, i64) = writer
        .query_row("pragma wal_checkpoint(truncate)", [], |it| {
            Ok((it.get(0)?, it.get(1)?, it.get(2)?))
        })
        .unwrap();
    assert_eq!(mode.0, 0);
    for x in 0..N_ROWS {
        writer.execute("insert into t values (?1, ?2)", (x, "y".repeat(3_000))).unwrap();
    }
    let database = dir.join("saker.db");
    fs::copy(&live, &database).unwrap();
    fs::copy(log_of(&live), log_of(&database)).unwrap();
    database
}

fn n_rows(database: &Path) -> u32 {
    let connection = Connection::open(database).unwrap();
    connection.query_row("select count(*) from t", [], |it| it.get(0)).unwrap()
}

/// Rows that SQLite reads, with the log as given.
fn read_with(dir: &Path, database: &Path, log: &[u8]) -> u32 {
    let place = dir.join("read.db");
    for name in [place.clone(), log_of(&place)] {
        let _gone = fs::remove_file(name);
    }
    fs::copy(database, &place).unwrap();
    fs::write(log_of(&place), log).unwrap();
    n_rows(&place)
}

#[test]
fn a_bit_that_turned_over_is_found_where_sqlite_ends_without_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let database = killed(dir.path());
    let log = log_of(&database);
    assert_eq!(damaged_frame(&log).unwrap(), None);
    assert_eq!(damaged_frame(&dir.path().join("none")).unwrap(), None);
    let whole = fs::read(&log).unwrap();
    assert_eq!(read_with(dir.path(), &database, &whole), N_ROWS);
    let n_frames = (whole.len() - HEADER_BYTES) / FRAME_BYTES;
    assert!(N_ROWS as usize <= n_frames, "{n_frames}");
    let last = HEADER_BYTES + (n_frames - 1) * FRAME_BYTES;
    // Bits of the header, and of each frame's number, size, salt, checksum and page.
    let in_header = [0, 3, 5, 9, 17, 21, 25, 31];
    let in_frames = (0..n_frames).flat_map(|n| {
        [1, 5, 9, 13, 17, 22, 30, FRAME_BYTES - 1].map(|it| HEADER_BYTES + n * FRAME_BYTES + it)
    });
    for at in in_header.into_iter().chain(in_frames) {
        for bit in [0, 6] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            let n_read = read_with(dir.path(), &database, &damaged);
            fs::write(&log, &damaged).unwrap();
            let found = damaged_frame(&log).unwrap();
            let what = format!("bit {bit} of byte {at}: {n_read} of {N_ROWS} rows, {found:?}");
            let n_lost = u64::from(N_ROWS - n_read);
            if last <= at {
                // As a power cut would leave it: of a transaction that was not confirmed.
                assert_eq!(found, None, "{what}");
                continue;
            }
            let found = found.expect(&what);
            assert_ne!(n_lost, 0, "{what}");
            let place = if at < HEADER_BYTES { 0 } else { at - (at - HEADER_BYTES) % FRAME_BYTES };
            assert_eq!(found.offset, place as u64, "{what}");
            // A frame's own mark of an end may be what is damaged.
            let is_of_mark =
                at >= HEADER_BYTES && (4..8).contains(&((at - HEADER_BYTES) % FRAME_BYTES));
            let is_counted = found.n_transactions == n_lost || is_of_mark;
            assert!(is_counted, "{what}");
        }
    }
}

#[test]
fn a_log_that_ends_anywhere_or_goes_on_with_an_earlier_turn_is_none_that_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let database = killed(dir.path());
    let log = log_of(&database);
    let whole = fs::read(&log).unwrap();
    for len in (0..whole.len()).step_by(997) {
        fs::write(&log, &whole[..len]).unwrap();
        assert_eq!(damaged_frame(&log).unwrap(), None, "the first {len} bytes");
    }
    // SQLite writes from the beginning again once all is in the database; old frames stay after the
    // new ones.
    let live = dir.path().join("live.db");
    let writer = Connection::open(&live).unwrap();
    writer.execute_batch("pragma journal_mode = wal; pragma wal_autocheckpoint = 0").unwrap();
    for x in 100..130 {
        writer.execute("insert into t values (?1, ?2)", (x, "z".repeat(3_000))).unwrap();
    }
    let before = fs::metadata(log_of(&live)).unwrap().len();
    let row = writer.query_row("pragma wal_checkpoint(restart)", [], |it| it.get::<_, i64>(0));
    assert_eq!(row, Ok(0));
    writer.execute("insert into t values (999, 'new')", []).unwrap();
    assert_eq!(fs::metadata(log_of(&live)).unwrap().len(), before, "it is written over");
    assert_eq!(damaged_frame(&log_of(&live)).unwrap(), None);
}

#[test]
fn pages_that_do_not_fit_together_are_named_with_their_offsets() {
    let dir = tempfile::tempdir().unwrap();
    let database = killed(dir.path());
    let connection = Connection::open(&database).unwrap();
    let left =
        connection.query_row("pragma wal_checkpoint(truncate)", [], |it| it.get::<_, i64>(0));
    assert_eq!(left, Ok(0));
    drop(connection);
    assert_eq!(places(&database), "");
    let mut bytes = fs::read(&database).unwrap();
    let third = 2 * PAGE_BYTES;
    bytes[third..third + 16].fill(0xff);
    fs::write(&database, &bytes).unwrap();
    let said = places(&database);
    assert!(said.contains("offset 8192 (page 3)"), "{said}");
    bytes[..16].fill(0);
    fs::write(&database, &bytes).unwrap();
    assert_eq!(places(&database), " at offset 0 (page 1)");
}
