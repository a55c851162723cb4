//! Flipped bits and truncated files, in every kind of file of a data directory: damage is found and
//! reported with file and place, and the rest is read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{Disk, OsDisk};
use engine::checkpoint::Checkpoints;
use history::{LiveStore, RangeQuery, TrendQuery, VerifyProgress};
use journal::{Journal, OnCorruption, ReadOutcome, Upto};
use model::record::Hour;
use model::value::Sample;
use model::{ItemId, Time, ValueType};
use rt::metrics::Registry;

use crate::support::{FLOAT, Server, TEXT, UNSIGNED, now};

/// Of each file, half of them bits, half of them ends. `DAMAGE_ROUNDS` asks for others.
const ROUNDS: u64 = 40;
/// Of places and bits.
const SEED: u64 = 1;
const N_VALUES: i64 = 60;
/// Of a journal file.
const HEADER_BYTES: usize = 48;

type Items = Vec<(ItemId, ValueType)>;
/// Values of each item; trends as text. `None`: an error gives the reason.
type Contents = BTreeMap<(ItemId, &'static str), Option<Vec<String>>>;

/// A stopped server with numbers, texts, trends and two checkpoints, whose journal has values that no
/// history file has.
fn stopped() -> (Server, Items) {
    let mut server = Server::start_with(&[("SAKER_HISTORY_FLUSH_INTERVAL_S", "0")]);
    let host = server.host("h");
    let mut items = Vec::new();
    for (key, kind, value_type) in [
        ("f", FLOAT, ValueType::Float),
        ("u", UNSIGNED, ValueType::Unsigned),
        ("t", TEXT, ValueType::Text),
    ] {
        let item = server.trapper_item(&host, key, kind);
        items.push((ItemId(item.parse().unwrap()), value_type));
    }
    // Two lives: each ends with a checkpoint and history files.
    for life in 0..2 {
        let base = now() - 40 * 3_600 + life * 20 * 3_600;
        for n in 0..N_VALUES {
            for key in ["f", "u", "t"] {
                server.send("h", key, &(n * 7 % 31).to_string(), base + n * 1_200);
            }
        }
        server.stop();
        if life == 1 {
            // In the last one all stays in the journal.
            server.set_env("SAKER_HISTORY_FLUSH_INTERVAL_S", "3600");
        }
        server.start_again();
    }
    for n in 0..N_VALUES {
        for key in ["f", "u", "t"] {
            server.send("h", key, &n.to_string(), now() - N_VALUES + n);
        }
    }
    server.kill();
    (server, items)
}

/// The contents of the data directory, as a start reads them, and the reported damage: files, with
/// places in them.
fn read(data: &Path, items: &Items) -> (Contents, Vec<String>) {
    let mut reported = Vec::new();
    let mut contents = Contents::new();
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    // Before anything is opened: a start changes files.
    let verified = history::verify(&*disk, data, |it| {
        if let VerifyProgress::Damaged(error) = it {
            reported.push(error.to_string());
        }
    });
    if let Err(error) = verified {
        reported.push(error.to_string());
    }
    let settings = journal::JournalSettings {
        on_corruption: OnCorruption::Isolate,
        ..journal::JournalSettings::default()
    };
    let journal = match Journal::open(Arc::clone(&disk), &data.join("journal"), settings) {
        Ok((journal, recovered)) => {
            reported.extend(recovered.damaged_headers.iter().map(ToString::to_string));
            reported.extend(recovered.lost.iter().map(|it| format!("journal: lost {}", it.from)));
            let cut = recovered.cut.iter();
            reported.extend(cut.map(|it| format!("{}: cut {}", it.path.display(), it.bytes)));
            journal
        }
        Err(error) => {
            reported.push(error.to_string());
            return (contents, reported);
        }
    };
    // All of it: a start reads no more than it needs.
    let mut reader = journal.reader(journal.first_lsn(), Upto::Written).unwrap();
    loop {
        match reader.next_found() {
            Ok(ReadOutcome::Record(_)) => {}
            Ok(ReadOutcome::Damage { error, .. }) => reported.push(error.to_string()),
            Ok(ReadOutcome::End) => break,
            Err(error) => {
                reported.push(error.to_string());
                break;
            }
        }
    }
    match Checkpoints::open(Arc::clone(&disk), data, journal.first_lsn().0) {
        Ok((_, loaded)) => reported.extend(loaded.skipped.iter().map(ToString::to_string)),
        Err(error) => reported.push(error.to_string()),
    }
    let place = data.join("history");
    let kind = history::StoreKind::default();
    let opened = match history::open(kind, (disk, &place), journal, 2, &Registry::new()) {
        Ok(opened) => opened.store,
        Err(error) => {
            reported.push(error.to_string());
            return (contents, reported);
        }
    };
    match opened.replay(&|_| ()) {
        Ok(replayed) => {
            reported.extend(replayed.lost.iter().map(|it| format!("journal: lost {}", it.from)));
        }
        Err(error) => reported.push(error.to_string()),
    }
    for (item, kind) in items {
        let (values, trends) = (values(&*opened, *item, *kind), trends(&*opened, *item, *kind));
        contents.insert((*item, "values"), note(values, &mut reported));
        contents.insert((*item, "trends"), note(trends, &mut reported));
    }
    (contents, reported)
}

fn note(
    read: Result<Vec<String>, history::Error>,
    reported: &mut Vec<String>,
) -> Option<Vec<String>> {
    read.inspect_err(|it| reported.push(it.to_string())).ok()
}

fn values(
    store: &dyn LiveStore,
    item: ItemId,
    kind: ValueType,
) -> Result<Vec<String>, history::Error> {
    let (from, till) = (Time(i64::MIN), Time(i64::MAX));
    let query = RangeQuery { item, kind, from, till, limit: 100_000, newest_first: false };
    let samples = store.range(&query)?.into_samples();
    Ok(samples.iter().map(|it: &Sample| format!("{it:?}")).collect())
}

fn trends(
    store: &dyn LiveStore,
    item: ItemId,
    kind: ValueType,
) -> Result<Vec<String>, history::Error> {
    let [from, till] = [-1, 1].map(|it| Hour(it * 1_000_000_000));
    let trends = store.trends(&[TrendQuery { item, kind, from, till }])?;
    Ok(trends.concat().iter().map(|it| format!("{it:?}")).collect())
}

/// Files of the directory, deep, but for the database: SQLite has its own way with them.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    let is_ours = |it: &PathBuf| {
        let dirs = ["history", "journal", "checkpoints"];
        let parent = it.parent().and_then(Path::file_name);
        dirs.iter().any(|dir| parent.is_some_and(|it| it == *dir))
    };
    found.retain(is_ours);
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else if path.is_file() {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// In order, so many of them in the original.
fn is_part(found: &[String], all: &[String]) -> bool {
    let mut all = all.iter();
    found.iter().all(|it| all.any(|other| other == it))
}

#[test]
fn damage_of_any_file_is_reported_and_costs_only_the_damaged_part() {
    let rounds = std::env::var("DAMAGE_ROUNDS").ok();
    let rounds: u64 = rounds.map_or(ROUNDS, |it| it.parse().expect("a number of rounds"));
    let mut random = fastrand::Rng::with_seed(peers::seeds(&[SEED])[0]);
    let (server, items) = stopped();
    let data = server.dir().join("whole");
    copy(&server.data(), &data);
    let room = server.dir().join("damaged");
    let (whole, files) = {
        copy(&data, &room);
        let (contents, reported) = read(&room, &items);
        assert!(reported.is_empty(), "{reported:?}");
        // A kill while files of history are written or merged leaves some that no manifest names: they are
        // removed when it is opened, and nobody reads them.
        let is_orphan = |it: &PathBuf| {
            let name = it.strip_prefix(&data).unwrap();
            name.starts_with("history") && !room.join(name).try_exists().unwrap()
        };
        let mut files = files(&data);
        files.retain(|it| !is_orphan(it));
        fs::remove_dir_all(&room).unwrap();
        (contents, files)
    };
    let kinds = |word: &str| files.iter().filter(|it| it.to_string_lossy().ends_with(word)).count();
    assert!(2 <= kinds(".segment") && 2 <= kinds(".checkpoint"), "{files:?}");
    assert!(1 <= kinds(".journal") && 1 == kinds("/manifest"), "{files:?}");
    let n_whole: usize = whole.values().flatten().map(Vec::len).sum();
    assert!(3 * 3 * usize::try_from(N_VALUES).unwrap() < n_whole, "values and trends: {n_whole}");

    for file in &files {
        let name = file.strip_prefix(&data).unwrap();
        let bytes = fs::read(file).unwrap();
        for round in 0..rounds {
            let mut damaged = bytes.clone();
            let at = random.usize(..bytes.len());
            let what = if round % 2 == 0 {
                let bit = random.u8(..8);
                damaged[at] ^= 1 << bit;
                format!("{}: bit {bit} of byte {at} of {}", name.display(), bytes.len())
            } else {
                damaged.truncate(at);
                format!("{}: the first {at} bytes of {}", name.display(), bytes.len())
            };
            copy(&data, &room);
            fs::write(room.join(name), &damaged).unwrap();
            let (contents, reported) = read(&room, &items);
            for (key, found) in &contents {
                let Some(found) = found else { continue };
                let all = whole[key].as_ref().expect("all is readable");
                assert!(is_part(found, all) || key.1 == "trends", "{what}: {key:?} is {found:?}");
            }
            let is_journal = name.starts_with("journal");
            let is_of_file = |it: &String| {
                it.contains(&*name.to_string_lossy()) || is_journal && it.starts_with("journal")
            };
            let old_checkpoint = name.starts_with("checkpoints") && reported.is_empty();
            // Of checkpoints only the newest is read, and a journal cut between two records has an end there.
            let is_silent = old_checkpoint && !is_newest(&files, file)
                || is_journal && round % 2 == 1 && !contents.is_empty()
                || is_superseded(&files, file, at);
            assert!(is_silent || reported.iter().any(is_of_file), "{what}: {reported:?}");
            // The journal and checkpoints are independent of history files.
            if name.starts_with("checkpoints") {
                assert_eq!(contents, whole, "{what}");
            }
            fs::remove_dir_all(&room).unwrap();
        }
    }
}

fn is_newest(files: &[PathBuf], file: &Path) -> bool {
    let checkpoints = files.iter().filter(|it| it.extension() == file.extension());
    checkpoints.max().is_some_and(|it| it == file)
}

/// Whether a byte of a journal file is one that a file with a higher number stands in for:
/// docs/format/journal.md.
fn is_superseded(files: &[PathBuf], file: &Path, at: usize) -> bool {
    let place = |it: &Path| {
        let (number, first) =
            it.file_name()?.to_str()?.strip_suffix(".journal")?.split_once('-')?;
        Some((number.parse::<u32>().ok()?, first.parse::<usize>().ok()?))
    };
    let Some((number, first)) = place(file) else { return false };
    let later = files.iter().filter_map(|it| place(it)).filter(|it| number < it.0);
    later.map(|it| it.1).min().is_some_and(|it| it <= first + at.saturating_sub(HEADER_BYTES))
}

/// Of a page of the database.
const PAGE_BYTES: usize = 4_096;

#[test]
fn damaged_database_is_reported_at_the_start() {
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "f", FLOAT);
    server.stop();
    let path = server.data().join("saker.db");
    // Pages in the write-ahead log would be used instead of damaged ones.
    let database = rusqlite::Connection::open(&path).unwrap();
    let left = database.pragma_update_and_check(None, "wal_checkpoint", "truncate", |it| it.get(0));
    assert_eq!(left, Ok(0), "somebody else has it open");
    drop(database);
    let whole = fs::read(&path).unwrap();
    assert!(10 * PAGE_BYTES < whole.len());
    let damaged = |of: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        of(&mut bytes);
        bytes
    };
    let cases = [
        ("the header", damaged(&|it| it[..100].fill(0xa5)), " is damaged at offset 0 (page 1): "),
        ("all pages but the first", damaged(&|it| it[PAGE_BYTES..].fill(0xa5)), " is damaged"),
        ("the second half is gone", damaged(&|it| it.truncate(it.len() / 2)), " is damaged"),
    ];
    for (what, bytes, place) in cases {
        fs::write(&path, bytes).unwrap();
        let said = server.refused_start();
        let is_reported = said.contains("malformed") || said.contains("not a database");
        let named = format!("database {}{place}", path.display());
        assert!(is_reported && said.contains(&named), "{what}: {said}");
        assert!(!said.contains("panicked"), "{what}: {said}");
    }
    fs::write(&path, whole).unwrap();
    server.start_again();
}

#[test]
fn damaged_log_of_changes_is_reported_and_the_rest_is_read() {
    let mut server = Server::start();
    let n_hosts = |server: &Server| {
        let hosts = server.call("host.get", &serde_json::json!({"output": ["host"]}));
        hosts.as_array().unwrap().len()
    };
    let n_first = n_hosts(&server);
    for n in 0..10 {
        server.host(&format!("h{n}"));
    }
    assert_eq!(n_hosts(&server), n_first + 10);
    server.kill();
    let log = server.data().join("saker.db-wal");
    let mut bytes = fs::read(&log).unwrap();
    // The header of the log has 32 bytes, that of a frame 24.
    let frame = 24 + PAGE_BYTES;
    let offset = 32 + (bytes.len() - 32) / frame * 4 / 5 * frame;
    bytes[offset + 1_000] ^= 1;
    fs::write(&log, &bytes).unwrap();
    server.start_again();
    let issue = server.health_issue("database-log").expect("it is reported");
    let reported = issue.to_string();
    let place = format!("{} is damaged at offset {offset}: ", log.display());
    assert!(reported.contains(&place), "{reported}");
    assert!((n_first..=n_first + 10).contains(&n_hosts(&server)));
    assert_eq!(fs::read(server.data().join("saker.db-wal.damaged")).unwrap(), bytes);
    server.stop();
    server.start_again();
    assert_eq!(server.health_issue("database-log"), None);
}
