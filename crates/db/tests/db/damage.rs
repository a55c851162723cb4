//! A SQLite database with flipped bits: reported with its file and place, never a panic.

use std::fs;
use std::path::{Path, PathBuf};

use db::{Actor, Db, DbError, DbSettings, Location};
use rt::health::Health;
use serde_json::json;

/// Of pages, and bits in them.
const ROUNDS: u64 = 150;
/// Those that once found an error that named no file: the name of a column, a version that has the tables filled once more.
const SEEDS: [u64; 2] = [3_736_755_574_240_163_650, 17_584_257_551_680_394_889];
const PAGE_BYTES: usize = 4_096;

fn open(folder: &Path, health: &Health) -> Result<Db, DbError> {
    let location = Location::Sqlite(folder.join("saker.db"));
    Db::open(&DbSettings { health: health.clone(), ..DbSettings::new(location) })
}

/// Hosts and audit records, all of them in the log of the database, as a kill leaves them.
fn killed(folder: &Path) -> PathBuf {
    let live = folder.join("live");
    fs::create_dir(&live).unwrap();
    let db = open(&live, &Health::default()).unwrap();
    for n in 0..20 {
        let host = json!({"host": format!("h{n}"), "groups": [{"groupid": "2"}]});
        let host = host.as_object().unwrap().clone();
        db.edit(Actor::System, |e| e.create(db::ObjectKind::Host, host)).unwrap();
    }
    let killed = folder.join("killed");
    copy(&live, &killed);
    killed
}

fn copy(from: &Path, to: &Path) {
    let _gone = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for name in ["saker.db", "saker.db-wal"] {
        if fs::exists(from.join(name)).unwrap() {
            fs::copy(from.join(name), to.join(name)).unwrap();
        }
    }
}

fn n_hosts(db: &Db) -> usize {
    db.snapshot().hosts.values().filter(|it| it.host.starts_with('h')).count()
}

#[test]
fn damaged_change_log_is_reported_with_position_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let killed = killed(folder.path());
    let room = folder.path().join("room");
    copy(&killed, &room);
    let health = Health::default();
    assert_eq!(n_hosts(&open(&room, &health).unwrap()), 20);
    assert!(health.issues().is_empty());

    copy(&killed, &room);
    let log = room.join("saker.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    // In a page of a frame in the last quarter: earlier rows stay.
    let frame = 24 + PAGE_BYTES;
    let n = (bytes.len() - 32) / frame * 3 / 4;
    let offset = 32 + n * frame;
    bytes[offset + 100] ^= 4;
    fs::write(&log, &bytes).unwrap();
    let db = open(&room, &health).unwrap();
    let n_left = n_hosts(&db);
    assert!((1..20).contains(&n_left), "{n_left}");
    let issues = health.issues();
    let messages: Vec<&str> = issues.iter().map(|it| it.message.as_str()).collect();
    let place = format!("{} is damaged at offset {offset}: ", log.display());
    assert!(messages.len() == 1 && messages[0].starts_with(&place), "{messages:?}");
    assert_eq!(fs::read(room.join("saker.db-wal.damaged")).unwrap(), bytes);
    drop(db);
    // The readable part is consistent from then on.
    let health = Health::default();
    assert_eq!(n_hosts(&open(&room, &health).unwrap()), n_left);
    assert!(health.issues().is_empty());
}

/// All of a killed server's log is in the database.
fn one_file(folder: &Path) -> PathBuf {
    let killed = killed(folder);
    drop(open(&killed, &Health::default()).unwrap());
    let connection = rusqlite::Connection::open(killed.join("saker.db")).unwrap();
    let left = connection.query_row("pragma wal_checkpoint(truncate)", [], |it| it.get(0));
    assert_eq!(left, Ok(0_i64));
    killed
}

#[test]
fn any_bit_of_a_database_may_turn_over_without_a_panic_and_what_is_found_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let killed = one_file(folder.path());
    let whole = fs::read(killed.join("saker.db")).unwrap();
    let room = folder.path().join("room");
    let mut n_reported = 0;
    for seed in peers::seeds(&SEEDS) {
        let mut random = seed;
        let mut next = |max: usize| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).unwrap() % max
        };
        for _ in 0..ROUNDS {
            // Where a page says what is in it, half of the time.
            let within = if next(2) == 0 { next(64) } else { next(PAGE_BYTES) };
            let at = next(whole.len() / PAGE_BYTES) * PAGE_BYTES + within;
            let bit = next(8);
            copy(&killed, &room);
            n_reported += u64::from(is_reported(&room, &whole, (at, bit)));
        }
    }
    println!("{n_reported} were reported at the start");
    assert_ne!(n_reported, 0);
}

/// Whether a bit that has turned over is noticed, and then with the file.
fn is_reported(room: &Path, whole: &[u8], (at, bit): (usize, usize)) -> bool {
    let mut damaged = whole.to_owned();
    damaged[at] ^= 1 << bit;
    fs::write(room.join("saker.db"), &damaged).unwrap();
    let Err(error) = open(room, &Health::default()) else { return false };
    let text = error.to_string();
    let what = format!("bit {bit} of byte {at} of {}", whole.len());
    assert!(text.contains("room/saker.db"), "{what}: {text}");
    assert!(!text.contains("panicked"), "{what}: {text}");
    true
}

/// Each name of the schema is one that a statement of the start may miss.
#[test]
fn a_bit_of_any_name_in_the_schema_that_turns_over_is_reported_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let killed = one_file(folder.path());
    let whole = fs::read(killed.join("saker.db")).unwrap();
    let room = folder.path().join("room");
    let tables = [&b"CREATE TABLE"[..], b"create table"];
    let is_table = |it: &usize| tables.iter().any(|word| whole[*it..].starts_with(word));
    let mut n_reported = 0;
    for table in (0..whole.len()).filter(is_table) {
        // Behind the bracket: the first column's name.
        let column = whole[table..].iter().position(|it| *it == b'(').unwrap() + table;
        let name = (column..whole.len()).find(|it| whole[*it].is_ascii_lowercase()).unwrap();
        copy(&killed, &room);
        n_reported += u64::from(is_reported(&room, &whole, (name, 0)));
    }
    assert!(10 < n_reported, "{n_reported}");
}

#[test]
fn values_of_another_type_and_versions_of_the_future_are_reported_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let killed = one_file(folder.path());
    let room = folder.path().join("room");
    for change in [
        "update documents set version = 'x' where documentid = (select min(documentid) from documents)",
        "update documents set body = x'00ff'",
        "insert into schema_version (version, name) values (9999, 'x')",
        "alter table documents rename column body to content",
        "drop table sessions",
    ] {
        copy(&killed, &room);
        let other = rusqlite::Connection::open(room.join("saker.db")).unwrap();
        other.execute_batch(change).unwrap();
        drop(other);
        let text = open(&room, &Health::default()).unwrap_err().to_string();
        assert!(text.contains("room/saker.db"), "{change}: {text}");
    }
}
