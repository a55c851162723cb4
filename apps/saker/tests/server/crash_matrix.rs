//! Kills at random and at chosen points, again and again, with partial writes as after a power
//! failure. The files after a kill show during which work it happened.

#![allow(clippy::disallowed_methods, reason = "how long the rounds took is printed")]

mod witness;

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::crash::{Checked, Ledger, Times, check_all, configure};
use crate::support::Server;
use witness::{Fell, Witness, segments};

/// `CRASH_ROUNDS` asks for others.
const ROUNDS: u64 = 4;
/// Rounds until everything is read: a loss happened in one of them.
const CHECK_EACH: u64 = 25;
/// Most requests of a round, of 500 values each: in a second or two files are written, merged and removed.
const REQUESTS_MAX: u64 = 1_000;
const N_SENDERS: u64 = 8;
/// Values begin so long ago at most: only values that are kept for a day are past their period.
const SPAN_MAX: i64 = 29 * 86_400;
/// Between two values of an item at most: three an hour.
const STEP_MAX: i64 = 1_200;
/// So long a kill waits for the work that it is to fall into.
const AIM_MAX: Duration = Duration::from_secs(6);
/// Rounds of which each work has been met at least once, most of them often.
const ROUNDS_OF_ALL: u64 = 100;

/// The point at which a kill happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    Anywhere,
    /// A history file that is not named yet.
    Written,
    /// One that is not named any more.
    Dropped,
    /// A new manifest.
    Switched,
    /// The last checkpoint of a planned stop.
    Checkpoint,
}

const AIMS: [Aim; 7] = [
    Aim::Anywhere,
    Aim::Written,
    Aim::Dropped,
    Aim::Switched,
    Aim::Written,
    Aim::Checkpoint,
    Aim::Dropped,
];

impl Aim {
    /// Waits for it in a tight loop, since it lasts for a millisecond, and kills.
    fn kill(self, server: &mut Server, witness: &mut Witness, delay: Duration) {
        if self == Self::Checkpoint {
            server.kill_in_last_checkpoint();
            return;
        }
        let started = Instant::now();
        while started.elapsed() < AIM_MAX {
            let fell = witness.look();
            let is_it = match self {
                Self::Anywhere | Self::Checkpoint => true,
                Self::Written => fell.flush + fell.merge > 0,
                Self::Dropped => fell.drop_of_merged + fell.expiry > 0,
                Self::Switched => fell.switch > 0,
            };
            if is_it {
                break;
            }
        }
        if self == Self::Written {
            // Anywhere in the written bytes.
            let seen = Instant::now();
            while seen.elapsed() < delay {
                std::hint::spin_loop();
            }
        }
        server.kill();
    }
}

/// Of requests, moments and torn files.
const SEED: u64 = 1;

pub(crate) fn rounds(usual: u64) -> u64 {
    let rounds = std::env::var("CRASH_ROUNDS").ok();
    rounds.map_or(usual, |it| it.parse().expect("a number of rounds"))
}

/// Kills at any point of load, flushes, merges, drops and checkpoints. Times of values advance by
/// some minutes from request to request, so that hours and days become finished, files are merged,
/// and those of items that are kept for a day are removed.
#[test]
fn random_kills_lose_no_values_while_files_change() {
    let rounds = rounds(ROUNDS);
    let started = Instant::now();
    let mut random = fastrand::Rng::with_seed(peers::seeds(&[SEED])[0]);
    let mut server = Server::start_with(&[
        ("SAKER_HISTORY_FLUSH_INTERVAL_S", "0"),
        ("SAKER_LOG_LEVEL", "info,history=debug"),
    ]);
    configure(&server);
    // Twice the requests that are asked for: there are more while kills wait for their moment.
    let n_steps = i64::try_from(2 * rounds * REQUESTS_MAX / N_SENDERS).unwrap().max(1);
    let step = (SPAN_MAX / n_steps).clamp(1, STEP_MAX);
    let ledger = Ledger::of(Times::until_now(n_steps.min(SPAN_MAX / step), step));
    let (mut fell, mut n_torn, mut checked) = (Fell::default(), 0, Checked::default());
    let mut witness = Witness::new(&server.data());
    for round in 0..rounds {
        let n_requests = random.u64(1..REQUESTS_MAX);
        let aim = AIMS[usize::try_from(round).unwrap() % AIMS.len()];
        let delay = Duration::from_micros(random.u64(..10_000));
        let looked = std::cell::RefCell::new(&mut witness);
        let log = ledger.round(
            &mut server,
            n_requests,
            || {
                looked.borrow_mut().look();
            },
            |server| {
                aim.kill(server, &mut looked.borrow_mut(), delay);
                server.log()
            },
        );
        let met = witness.fell(&log);
        fell.add(&met);
        let is_torn = random.bool();
        if is_torn {
            tear(&server.data(), &mut random);
            n_torn += 1;
        }
        witness.settle(&log);
        server.start_again();
        println!("round {round}: {aim:?} after {n_requests} requests: {met:?}, torn: {is_torn}");
        if (round + 1) % CHECK_EACH == 0 && round + 1 < rounds {
            checked = check_all(&mut server, &ledger);
            println!("after round {round} all is there: {checked:?}");
            server.start_again();
        }
    }
    let spent = started.elapsed();
    let before = checked;
    checked = check_all(&mut server, &ledger);
    let done = witness.done();
    println!(
        "{rounds} rounds in {spent:?}, {n_torn} torn, then all read: {checked:?}\n\
         kills fell in: {fell:?}\nfiles were: {done:?}"
    );
    assert!(before.n_acknowledged <= checked.n_acknowledged);
    assert_ne!(checked.n_hours, 0, "hours became finished");
    assert!(0 < done.flushes, "{done:?}");
    if ROUNDS_OF_ALL <= rounds {
        assert!(0 < done.merges && 0 < done.expiries, "{done:?}");
        let each = [fell.flush, fell.merge, fell.drop_of_merged + fell.expiry, fell.checkpoint];
        assert!(each.iter().all(|it| 0 < *it), "each work was met: {fell:?}");
    }
}

/// Adds the rest of an interrupted write: after the journal's end, in a history file that no
/// manifest names yet, in a manifest or a checkpoint without its name.
fn tear(data: &Path, random: &mut fastrand::Rng) {
    let files = fs::read_dir(data.join("journal")).unwrap();
    let files = files.map(|it| it.unwrap().path());
    let newest = files.filter(|it| it.extension().is_some_and(|it| it == "journal")).max().unwrap();
    let history = data.join("history");
    let next = segments(data).last().map_or(0, |it| *it) + 1;
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
