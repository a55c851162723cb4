//! Values through the sender protocol: 1,000 values a request on a kept connection, and 250 values
//! on a new connection each, as `zabbix_sender` makes them. With `--texts` numbers and texts are compared.

mod texts;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::client::{Client, Load};
use super::process::Server;
use super::receiver::Bare;
use super::rounds::{Loaded, Phase, Senders};
use crate::common::{BenchError, Common};
use crate::report::report;

/// Times that the server and the bare receiver are loaded, in turns: what else the machine does then
/// weighs on both.
const TURNS: usize = 4;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct SenderArgs {
    #[arg(long, default_value_t = 1_000)]
    hosts: usize,
    /// Items a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Threshold triggers a host.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// Values to send in each of the two ways.
    #[arg(long, default_value_t = 20_000_000)]
    values: usize,
    /// Connections at once.
    #[arg(long, default_value_t = 4)]
    connections: usize,
    /// The server's program, to compare it with another one; the one beside this program by default.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Texts of 20 bytes beside numbers, sent to two servers in turns: what a text costs of a number.
    #[arg(long)]
    texts: bool,
    /// With `--texts`: how many values of an item that follow one another are equal, numbers as texts; each is measured.
    #[arg(long, value_delimiter = ',', default_value = "1,20")]
    repeat: Vec<i64>,
    #[command(flatten)]
    common: Common,
}

/// Both ways to send, with so many values each; in the second one fewer, since they take longer.
fn phases(values: usize) -> [(&'static str, Phase); 2] {
    [
        ("sender_1000", Phase { per_request: 1_000, keep: true, values }),
        ("sender_250_new", Phase { per_request: 250, keep: false, values: values / 4 }),
    ]
}

pub(super) fn run(args: &SenderArgs) -> Result<(), BenchError> {
    if args.texts {
        return texts::run(args);
    }
    let server = Server::start_program(&args.common.scratch, "sender", args.server.as_deref())?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let senders =
        Senders { connections: args.connections, ..Senders::new(args.hosts, args.items, 1) };
    // Every item once, so that windows, slots and chunks exist.
    let warm = Phase { per_request: 1_000, keep: true, values: args.hosts * args.items };
    let now = rt::clock::Clock::real().now().wall.clock();
    let mut first_clock = now - 80_000;
    first_clock = senders.load(server.receiving(), &warm, first_clock)?.next_clock;
    let bare = Bare::start()?;
    senders.load(bare.receiving(), &warm, first_clock)?;

    for (name, phase) in phases(args.values) {
        let disk = server.disk_bytes();
        let (mut result, mut least) = (Loaded::default(), Loaded::default());
        for _ in 0..TURNS {
            let part = Phase { values: phase.values.div_ceil(TURNS), ..phase };
            let loaded = senders.load(server.receiving(), &part, first_clock)?;
            least.add(&senders.load(bare.receiving(), &part, first_clock)?);
            first_clock = loaded.next_clock;
            result.add(&loaded);
        }
        let values = result.values.max(1);
        let memory = server.memory();
        let bare_ns = least.cpu_ns.max(1) / least.values.max(1);
        let ratio = result.cpu_ns as f64 / least.cpu_ns.max(1) as f64;
        report(
            &args.common,
            name,
            json!({
                "hosts": args.hosts,
                "items": args.hosts * args.items,
                "triggers": args.hosts * args.triggers,
                "values": values,
                "values_per_request": phase.per_request,
                "cpu_ns_per_value": result.cpu_ns / values,
                "bare_cpu_ns_per_value": bare_ns,
                "ratio_to_bare": (ratio * 100.0).round() / 100.0,
                "values_per_second": values * 1_000 / result.wall_ms.max(1),
                "rss_mb": memory.rss >> 20,
                "rss_peak_mb": memory.peak >> 20,
                "disk_bytes_per_value": server.disk_bytes().saturating_sub(disk) / values,
            }),
        )?;
    }
    Ok(())
}
