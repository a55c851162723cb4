//! `saker backup` of a server that takes values, and its effect on the senders.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::json;

use super::background::{Background, Rate, percentile_ms};
use super::client::{Client, Load};
use super::process::{Server, server_program, wait};
use super::rounds::{Phase, Senders};
use crate::common::{BenchError, Common, io_error};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct BackupArgs {
    #[arg(long, default_value_t = 1_000)]
    hosts: usize,
    /// Items a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Threshold triggers a host.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// Values that are there before: more than 60,000,000 and some are in files.
    #[arg(long, default_value_t = 100_000_000)]
    values: usize,
    /// Values a second that come in meanwhile.
    #[arg(long, default_value_t = 300_000)]
    values_per_s: u64,
    /// Where the copy goes; below the scratch directory if it is not said. On another file system nothing is linked.
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Seconds of load before the backup, to compare with.
const BEFORE_S: u64 = 20;

pub(super) fn run(args: &BackupArgs) -> Result<(), BenchError> {
    let server = Server::start(&args.common.scratch, "backup")?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let senders = Senders::new(args.hosts, args.items, 1);
    let phase = Phase { per_request: 1_000, keep: true, values: args.values };
    let first_clock = rt::clock::Clock::real().wall().clock() - 160_000;
    senders.load(server.receiving(), &phase, first_clock)?;

    let (hosts, items) = (args.hosts, args.items);
    let rate =
        Rate { hosts, items, first_item: 0, values_per_s: args.values_per_s, has_texts: false };
    let load = Background::start(server.trapper, rate);
    wait(BEFORE_S);
    let mut quiet_ns = load.take_times_ns();
    let clock = rt::clock::Clock::real();
    let (started_ns, before, cpu) = (clock.mono_ns(), load.n_values(), server.cpu_ns());
    let copy = Copy::make(args.to.as_ref().unwrap_or(&args.common.scratch), None, &server)?;
    let took_ns = (clock.mono_ns() - started_ns).max(1);
    let mut backup_ns = load.take_times_ns();
    let per_s = (load.n_values() - before) * 1_000_000_000 / took_ns;
    let cpu_ms = (server.cpu_ns() - cpu) / 1_000_000;
    load.end()?;
    let mut figures = json!({
        "items": args.hosts * args.items,
        "values_before": args.values,
        "values_per_s": per_s,
        "backup_ms": took_ns / 1_000_000,
        "backup_bytes": copy.bytes,
        "linked_bytes": copy.linked_bytes,
        "cpu_ms_load_included": cpu_ms,
    });
    for (when, times) in [("before", &mut quiet_ns), ("meanwhile", &mut backup_ns)] {
        for (what, percent) in [("median", 50), ("p99", 99), ("max", 100)] {
            figures[format!("request_{when}_ms_{what}")] = json!(percentile_ms(times, percent));
        }
    }
    report(&args.common, "backup", figures)
}

pub(super) struct Copy {
    pub(super) bytes: u64,
    linked_bytes: u64,
}

impl Copy {
    /// Runs `saker backup`, and removes its output.
    pub(super) fn make(
        below: &Path,
        program: Option<&Path>,
        server: &Server,
    ) -> Result<Self, BenchError> {
        let dir = below.join(format!("backup-{}.copy", std::process::id()));
        let program = server_program(program).map_err(BenchError::Start)?;
        let done = Command::new(program)
            .arg("backup")
            .arg(&dir)
            .arg("--data")
            .arg(server.data())
            .stderr(Stdio::inherit())
            .output()
            .map_err(io_error("run saker backup"))?;
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        std::fs::remove_dir_all(&dir).map_err(io_error("remove the backup"))?;
        // "N bytes are in DIR", and "N of them are links …" where there are any.
        let n = |line: Option<&str>| line.and_then(|it| it.split(' ').next()?.parse().ok());
        let mut lines = text.lines();
        match n(lines.next()) {
            Some(bytes) => Ok(Self { bytes, linked_bytes: n(lines.next()).unwrap_or(0) }),
            None => Err(BenchError::Answer(text)),
        }
    }
}
