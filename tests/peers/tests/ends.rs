//! Nothing that a test has started lives on.
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use peers::{Process, wait_for};

const WAIT_MAX: Duration = Duration::from_secs(30);

/// A shell and a program that it has started, which is not notified of its end; and that one's id.
fn family(folder: &Path) -> (Process, u32) {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg("sleep 1000 & echo $! >id; mv id child; wait").current_dir(folder);
    let process = Process::start(&mut command, folder.join("log"));
    let child = folder.join("child");
    let child = wait_for("the child is named", WAIT_MAX, || fs::read_to_string(&child).ok());
    (process, child.trim().parse().unwrap())
}

fn is_living(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|it| !it.contains(") Z "))
}

#[test]
fn children_end_with_a_program_that_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut process, child) = family(folder.path());
    process.signal(Signal::SIGKILL);
    wait_for("it has ended", WAIT_MAX, || process.has_ended().then_some(()));
    assert!(is_living(child), "killing a program does not end its children");
    assert_eq!(process.end(WAIT_MAX).code(), None);
    assert!(!is_living(child));
}

#[test]
fn children_end_with_the_value() {
    let folder = tempfile::tempdir().unwrap();
    let (process, child) = family(folder.path());
    let parent = process.id();
    drop(process);
    assert!(!is_living(parent) && !is_living(child));
}

/// Processes of a directory that still run, as the end of the run reports them.
fn left_running(folder: &Path) -> Vec<u32> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new("bash");
    command.arg("-c").arg(". scripts/lib.sh; left_running \"$(cat)\"").current_dir(root);
    // By a file elsewhere: the shell must not be found itself.
    let mut input = tempfile::tempfile().unwrap();
    input.write_all(folder.to_str().unwrap().as_bytes()).unwrap();
    input.rewind().unwrap();
    let output = command.stdin(input).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|it| it.parse().unwrap()).collect()
}

#[test]
fn the_end_of_a_run_finds_what_lives_on() {
    let folder = tempfile::tempdir().unwrap();
    let (process, child) = family(folder.path());
    assert_eq!(left_running(folder.path()), [process.id(), child]);
    drop(process);
    assert!(left_running(folder.path()).is_empty());
    // By its environment, too.
    let mut command = Command::new("sleep");
    command.arg("1000").env("TMPDIR", folder.path()).current_dir("/");
    let other = tempfile::tempdir().unwrap();
    let process = Process::start(&mut command, other.path().join("log"));
    assert_eq!(left_running(folder.path()), [process.id()]);
}

/// Run as a process of its own by the test below.
#[test]
fn asks_for_what_nobody_has() {
    if std::env::var_os("SAKER_TEST_CHILD").is_some() {
        assert_eq!(peers::program("a-program-that-nobody-has"), None);
    }
}

#[test]
fn missing_program_fails_where_all_are_required() {
    let run = |required: Option<&str>| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "asks_for_what_nobody_has"]).env("SAKER_TEST_CHILD", "1");
        child.env_remove("SAKER_REQUIRE_PEERS");
        required.map(|it| child.env("SAKER_REQUIRE_PEERS", it));
        child.output().unwrap().status.success()
    };
    assert_eq!([None, Some("0"), Some("1")].map(run), [true, true, false]);
}
