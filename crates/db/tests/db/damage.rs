//! A SQLite database whose bits turn over: told with its file and place, never a panic.

use std::fs;
use std::path::{Path, PathBuf};

use db::{Actor, Db, DbError, DbSettings, Location};
use rt::health::Health;
use serde_json::json;

/// Of pages, and bits in them.
const ROUNDS: u64 = 150;
const PAGE_BYTES: usize = 4_096;

fn open(folder: &Path, health: &Health) -> Result<Db, DbError> {
    let location = Location::Sqlite(folder.join("saker.db"));
    Db::open(&DbSettings { health: health.clone(), ..DbSettings::new(location) })
}

/// Hosts and audit records, all of them in the log beside the database, as a kill leaves them.
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
fn a_damaged_log_of_changes_is_told_with_its_place_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let killed = killed(folder.path());
    let room = folder.path().join("room");
    copy(&killed, &room);
    let health = Health::default();
    assert_eq!(n_hosts(&open(&room, &health).unwrap()), 20);
    assert!(health.troubles().is_empty());

    copy(&killed, &room);
    let log = room.join("saker.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    // In a page of a frame in the last quarter: what was made before stays.
    let frame = 24 + PAGE_BYTES;
    let n = (bytes.len() - 32) / frame * 3 / 4;
    let offset = 32 + n * frame;
    bytes[offset + 100] ^= 4;
    fs::write(&log, &bytes).unwrap();
    let db = open(&room, &health).unwrap();
    let n_left = n_hosts(&db);
    assert!((1..20).contains(&n_left), "{n_left}");
    let troubles = health.troubles();
    let told: Vec<&str> = troubles.iter().map(|it| it.message.as_str()).collect();
    let place = format!("{} is damaged at offset {offset}: ", log.display());
    assert!(told.len() == 1 && told[0].starts_with(&place), "{told:?}");
    assert_eq!(fs::read(room.join("saker.db-wal.damaged")).unwrap(), bytes);
    drop(db);
    // What could be read is whole from then on.
    let health = Health::default();
    assert_eq!(n_hosts(&open(&room, &health).unwrap()), n_left);
    assert!(health.troubles().is_empty());
}

#[test]
fn any_bit_of_a_database_may_turn_over_without_a_panic_and_what_is_found_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let killed = killed(folder.path());
    // All of the log into the database.
    drop(open(&killed, &Health::default()).unwrap());
    let database = killed.join("saker.db");
    let connection = rusqlite::Connection::open(&database).unwrap();
    let left = connection.query_row("pragma wal_checkpoint(truncate)", [], |it| it.get(0));
    assert_eq!(left, Ok(0_i64));
    drop(connection);
    let whole = fs::read(&database).unwrap();
    let seed = getrandom::u64().unwrap();
    println!("seed {seed}");
    let mut random = seed;
    let mut next = |max: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % max
    };
    let room = folder.path().join("room");
    let n_pages = whole.len() / PAGE_BYTES;
    let mut n_told = 0;
    for _ in 0..ROUNDS {
        let mut damaged = whole.clone();
        // Where a page says what is in it, half of the time.
        let within = if next(2) == 0 { next(64) } else { next(PAGE_BYTES) };
        let at = next(n_pages) * PAGE_BYTES + within;
        let bit = next(8);
        damaged[at] ^= 1 << bit;
        fs::create_dir_all(&room).unwrap();
        copy(&killed, &room);
        fs::write(room.join("saker.db"), &damaged).unwrap();
        let what = format!("bit {bit} of byte {at} of {}", whole.len());
        let health = Health::default();
        match open(&room, &health) {
            Ok(db) => drop(db.snapshot()),
            Err(error) => {
                n_told += 1;
                let text = error.to_string();
                assert!(text.contains("room/saker.db"), "{what}: {text}");
                assert!(!text.contains("panicked"), "{what}: {text}");
            }
        }
    }
    println!("{n_told} of {ROUNDS} were told at the start");
    assert_ne!(n_told, 0);
}
