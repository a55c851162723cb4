//! A start after a crash: values that stand in the journal alone are read back.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::client::{Client, Load};
use super::process::Server;
use super::rounds::{Phase, Senders};
use crate::common::{BenchError, Common};
use crate::report::report;

/// Crashes in a row: each start has all values to read back again.
const STARTS: usize = 3;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct StartArgs {
    #[arg(long, default_value_t = 1_000)]
    hosts: usize,
    /// Items a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Threshold triggers a host.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// Values that the journal has and no file of history.
    #[arg(long, default_value_t = 51_000_000)]
    values: usize,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &StartArgs) -> Result<(), BenchError> {
    let mut server = Server::start_program(&args.common.scratch, "start", args.server.as_deref())?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let senders = Senders::new(args.hosts, args.items, 1);
    let phase = Phase { per_request: 1_000, keep: true, values: args.values };
    let first_clock = rt::clock::Clock::real().wall().clock() - 80_000;
    let loaded = senders.load(server.receiving(), &phase, first_clock)?;
    let (mut wall_ms, mut cpu_ms) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        server = server.crash()?;
        wall_ms.push(u64::try_from(server.ready_after.as_millis()).unwrap_or(u64::MAX));
        cpu_ms.push(server.cpu_ns() / 1_000_000);
    }
    let memory = server.memory();
    report(
        &args.common,
        "start",
        json!({
            "hosts": args.hosts,
            "items": args.hosts * args.items,
            "triggers": args.hosts * args.triggers,
            "values": loaded.values,
            "start_to_ready_ms": wall_ms.iter().min(),
            "start_to_ready_worst_ms": wall_ms.iter().max(),
            "start_cpu_ms": cpu_ms.iter().min(),
            "rss_mb": memory.rss >> 20,
        }),
    )
}
