//! Kills at random points, again and again, with what a power cut leaves of files that were being written.

#![allow(clippy::disallowed_methods, reason = "how long the rounds took is told")]

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::crash::{Ledger, Times, check_all, configure};
use crate::support::{Server, now};

/// `CRASH_ROUNDS` asks for others.
const ROUNDS: u64 = 4;
/// Most requests of a round, of 500 values each: in a second or two files are written, merged and removed.
const REQUESTS_MAX: u64 = 1_000;
const N_SENDERS: u64 = 8;
/// Values begin so long ago at most: nothing but what is kept for a day is past its period.
const SPAN_MAX: i64 = 29 * 86_400;
/// Between two values of an item at most: three an hour.
const STEP_MAX: i64 = 1_200;

/// What kills met.
#[derive(Debug, Default)]
struct Met {
    /// By the server's log.
    n_merges: usize,
    n_expiries: usize,
    n_flushes: usize,
    /// Kills that left history files that the manifest does not name: they came in the middle of a flush, of a
    /// merge, or of the removal of what was merged or had expired.
    n_in_the_middle: usize,
    n_torn: usize,
}

/// Kills at any point of load, flushes, merges, drops and checkpoints. Times of values go on by some minutes from
/// request to request, so that hours and days become finished, files are merged, and those
/// of items that are kept for a day are removed.
#[test]
fn kills_at_random_points_lose_nothing_while_files_are_written_merged_and_removed() {
    let rounds = std::env::var("CRASH_ROUNDS").ok();
    let rounds = rounds.map_or(ROUNDS, |it| it.parse().expect("a number of rounds"));
    let started = Instant::now();
    let seed = u64::try_from(now()).unwrap();
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut server = Server::start_with(&[("SAKER_HISTORY_FLUSH_INTERVAL_S", "0")]);
    configure(&server);
    // Times stay in the past, also of a sender that gets more requests through than others.
    let n_most = i64::try_from(rounds * REQUESTS_MAX / N_SENDERS).unwrap().max(1);
    let step = (SPAN_MAX / n_most).clamp(60, STEP_MAX);
    let base = now() - (n_most * step).min(SPAN_MAX);
    let ledger = Ledger::of(Times { base, step });
    let mut met = Met::default();
    for round in 0..rounds {
        let n_requests = random.u64(1..REQUESTS_MAX);
        let log = ledger.round(&mut server, n_requests, |server| {
            let log = server.process().log();
            server.kill();
            log
        });
        // It is that of all starts so far.
        let count = |words| log.lines().filter(|it| it.contains(words)).count();
        met.n_merges = count("merged history files");
        met.n_expiries = count("removed history files past their period");
        met.n_flushes = count("wrote a history file");
        let data = server.data();
        let is_in_the_middle = segments(&data).any(|it| !named(&data).contains(&it));
        met.n_in_the_middle += usize::from(is_in_the_middle);
        let is_torn = random.bool();
        if is_torn {
            tear(&data, &mut random);
            met.n_torn += 1;
        }
        server.start_again();
        println!("round {round}: killed after {n_requests} requests, torn: {is_torn}");
    }
    let spent = started.elapsed();
    let checked = check_all(&mut server, &ledger);
    println!("{rounds} rounds in {spent:?}, then all read: {checked:?}, {met:?}");
    assert_ne!(checked.n_hours, 0, "hours became finished");
}

fn number(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_suffix(".segment")?.parse().ok()
}

/// Numbers of the history files that are there.
fn segments(data: &Path) -> impl Iterator<Item = u64> {
    let files = fs::read_dir(data.join("history")).unwrap();
    files.filter_map(|it| number(&it.unwrap().path()))
}

/// Numbers of those that count: docs/format/manifest.md.
fn named(data: &Path) -> BTreeSet<u64> {
    let Ok(bytes) = fs::read(data.join("history/manifest")) else { return BTreeSet::new() };
    let n = u32::from_le_bytes(bytes[40..44].try_into().unwrap());
    let rows = bytes[44..].chunks_exact(50).take(usize::try_from(n).unwrap());
    rows.map(|it| u64::from_le_bytes(it[..8].try_into().unwrap())).collect()
}

/// Adds what a write that was cut off may leave: behind the journal's end, in a history file that nothing names
/// yet, in a manifest or a checkpoint without its name.
fn tear(data: &Path, random: &mut fastrand::Rng) {
    let files = fs::read_dir(data.join("journal")).unwrap();
    let files = files.map(|it| it.unwrap().path());
    let newest = files.filter(|it| it.extension().is_some_and(|it| it == "journal")).max().unwrap();
    let history = data.join("history");
    let next = segments(data).max().unwrap_or(0) + 1;
    let others: [PathBuf; 3] = [
        history.join(format!("{next:010}.segment")),
        history.join("manifest.tmp"),
        data.join("checkpoints/checkpoint.tmp"),
    ];
    add_noise(&newest, random);
    for path in others {
        if random.bool() {
            add_noise(&path, random);
        }
    }
}

fn add_noise(path: &Path, random: &mut fastrand::Rng) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    let bytes: Vec<u8> = (0..random.usize(1..5_000)).map(|_| random.u8(..)).collect();
    file.write_all(&bytes).unwrap();
}
