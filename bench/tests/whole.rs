//! Small forms of the benchmarks that check the whole server: their oracles find nothing.

use std::path::Path;
use std::process::{Command, Stdio};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// A network of its own, where that is possible: elsewhere the kernel answers all pings, and only
/// agents vanish.
const OWN_NETWORK: &str = "scripts/with-own-network.sh";

fn has_own_network() -> bool {
    let mut tried = Command::new(OWN_NETWORK);
    tried.arg("true").current_dir(ROOT).stderr(Stdio::null());
    tried.status().is_ok_and(|it| it.success())
}

/// Runs it against the server that was built next to it; its report is in the error.
fn run(args: &[&str]) {
    let bench = env!("CARGO_BIN_EXE_saker-bench");
    let server = Path::new(bench).with_file_name("saker");
    assert!(server.is_file(), "build the server first: cargo build --workspace --bin saker");
    let mut command = Command::new(if has_own_network() { OWN_NETWORK } else { "/usr/bin/env" });
    command.arg(bench).args(args).arg("--server").arg(server);
    command.args(["--scratch", concat!(env!("CARGO_TARGET_TMPDIR"), "/whole")]);
    let done = command.current_dir(ROOT).output().expect("a program that was built");
    let text = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
}

#[test]
fn an_outage_opens_and_ends_every_problem_once() {
    let args = "outage --devices 150 --delay 1 --flap-seconds 5 --webhook-step 1 --limit-seconds 180 --impatient";
    run(&args.split(' ').collect::<Vec<_>>());
}

#[test]
fn pushes_of_each_kind_are_taken_and_answered() {
    let shapes = "push:10:2,push:10:1:new,push:300:1,remote_write:10:2,remote_write:1000:1,otlp:10:2,syslog:1:1,syslog:100:2";
    run(&["pushes", "--hosts", "10", "--requests", "10", "--shapes", shapes]);
}

#[test]
fn combined_load_loses_and_repeats_nothing() {
    let args = "mixed --devices 150 --delay 2 --values-per-s 2000 --texts --seconds 10 --old-events 1500 --limit-seconds 180";
    run(&args.split(' ').collect::<Vec<_>>());
}
