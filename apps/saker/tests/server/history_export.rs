//! `saker history export` in cases of failure. Its output is read in `tests/first_hour`.

#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]
#![allow(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "the state at each kill is printed"
)]

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;

use crate::crash_matrix::rounds;
use crate::support::peer::{self, Counts};
use crate::support::{FLOAT, Server, now};

/// Some 200 kB of CSV; a pipe holds 64 kB.
const N_ROWS: i64 = 5_000;

fn export(data: &Path, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saker"));
    command
        .args(["history", "export", "--format", "csv", "--data"])
        .arg(data)
        .arg("-o")
        .arg(file)
        .env_remove("SAKER_SETTINGS")
        .env_remove("SAKER_DATA");
    command
}

#[test]
fn a_file_has_its_name_only_when_it_is_complete() {
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "k", FLOAT);
    let base = now() - 10_000;
    let rows: Vec<_> = (0..N_ROWS).map(|it| peer::row("h", "k", "1.5", base + it)).collect();
    let n = u64::try_from(rows.len()).unwrap();
    assert_eq!(peer::send(&mut server.connect(), &rows).unwrap(), Counts(n, 0, n));
    let (data, file) = (server.data(), server.dir().join("values.csv"));
    let refused = export(&data, &file).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("is in use by another saker (process "), "{said}");
    assert!(said.contains("make a copy by `saker backup`"), "{said}");
    server.stop();

    // A pipe that is full long before all is written: so the export is ended in the middle.
    let partial = server.dir().join("values.csv.partial");
    nix::unistd::mkfifo(&partial, Mode::S_IRWXU).unwrap();
    let mut child = export(&data, &file).stderr(Stdio::null()).spawn().unwrap();
    let mut reader = fs::File::open(&partial).unwrap();
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    reader.read_to_end(&mut Vec::new()).unwrap();
    assert!(!file.try_exists().unwrap(), "it was not complete");

    fs::remove_file(&partial).unwrap();
    let done = export(&data, &file).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<_> = text.lines().filter(|it| it.contains(",h,k,0,")).collect();
    assert_eq!(lines.len() as u64, n);
    assert!(!partial.try_exists().unwrap());
}

/// So that an export has a middle.
const N_KILLED_ROWS: i64 = 100_000;
/// Kills for each round of `CRASH_ROUNDS`: one of ten.
const ROUNDS: u64 = 40;

/// Ends it so long after its start, or as soon as `is_there` holds.
fn kill(child: &mut Child, after: Duration, is_there: impl Fn() -> bool) {
    let started = Instant::now();
    while started.elapsed() < after && child.try_wait().unwrap().is_none() && !is_there() {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_export_that_is_killed_at_any_point_leaves_the_whole_file_or_none() {
    let kills = rounds(ROUNDS) / 10;
    let mut server = Server::start();
    let host = server.host("h");
    server.trapper_item(&host, "k", FLOAT);
    let base = now() - 2 * N_KILLED_ROWS;
    for first in (0..N_KILLED_ROWS).step_by(1_000) {
        let row = |it: i64| peer::row("h", "k", &format!("{it}.5"), base + it);
        let rows: Vec<_> = (first..first + 1_000).map(row).collect();
        let counts = peer::send(&mut server.connect(), &rows).unwrap();
        assert_eq!(counts, Counts(1_000, 0, 1_000));
    }
    // Values that are not in a history file yet have to be read from the journal.
    server.kill();
    let (data, whole) = (server.data(), server.dir().join("whole.csv"));
    let started = Instant::now();
    let done = export(&data, &whole).output().unwrap();
    let takes = started.elapsed();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let whole = fs::read(&whole).unwrap();
    let n_lines = whole.iter().filter(|it| **it == b'\n').count();
    assert!(usize::try_from(N_KILLED_ROWS).unwrap() < n_lines, "{n_lines}");

    let mut random = fastrand::Rng::with_seed(peers::seeds(&[1])[0]);
    let file = server.dir().join("values.csv");
    let partial = server.dir().join("values.csv.partial");
    let (mut n_middle, mut n_whole) = (0, 0);
    for round in 0..kills {
        let mut child = export(&data, &file).stderr(Stdio::null()).spawn().unwrap();
        if round % 2 == 0 {
            // Somewhere in its output.
            let bytes = random.usize(..whole.len());
            let is_there = || fs::metadata(&partial).is_ok_and(|it| bytes as u64 <= it.len());
            kill(&mut child, 10 * takes, is_there);
        } else {
            kill(&mut child, takes.mul_f64(random.f64() * 1.1), || false);
        }
        match fs::read(&file) {
            Ok(found) => {
                assert!(found == whole, "{} bytes of {}", found.len(), whole.len());
                fs::remove_file(&file).unwrap();
                n_whole += 1;
            }
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
        }
        n_middle += usize::from(fs::metadata(&partial).is_ok_and(|it| 0 < it.len()));
        // The rest of an interrupted export does not interfere.
        if round % 4 == 3 {
            let done = export(&data, &file).output().unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            assert!(fs::read(&file).unwrap() == whole, "the same as without a kill");
            assert!(!partial.try_exists().unwrap());
            fs::remove_file(&file).unwrap();
        }
    }
    println!("{kills} exports killed: {n_middle} in the middle, {n_whole} were whole");
    assert_ne!(n_middle, 0, "no kill came while it was writing");
}
