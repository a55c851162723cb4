//! Values through the sender protocol: 1,000 values a request on a kept connection, and 250 values
//! on a new connection each, as `zabbix_sender` makes them.

use clap::Args;
use serde_json::json;

use super::client::{Client, Load};
use super::process::Server;
use super::rounds::{Phase, Senders};
use super::{BenchError, Common, report};

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
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &SenderArgs) -> Result<(), BenchError> {
    let server = Server::start(&args.common.scratch, "sender")?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let senders =
        Senders { hosts: args.hosts, items: args.items, connections: args.connections, seconds: 1 };
    // Every item once, so that windows, slots and chunks exist.
    let warm = Phase { per_request: 1_000, keep: true, values: args.hosts * args.items };
    let now = rt::clock::Clock::real().now().wall.clock();
    let mut first_clock = now - 80_000;
    first_clock = senders.load(&server, &warm, first_clock)?.next_clock;

    for (name, phase) in [
        ("sender_1000", Phase { per_request: 1_000, keep: true, values: args.values }),
        ("sender_250_new", Phase { per_request: 250, keep: false, values: args.values / 4 }),
    ] {
        let disk = server.disk_bytes();
        let result = senders.load(&server, &phase, first_clock)?;
        first_clock = result.next_clock;
        let values = result.values.max(1);
        let memory = server.memory();
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
                "values_per_second": values * 1_000 / result.wall_ms.max(1),
                "rss_mb": memory.rss >> 20,
                "rss_peak_mb": memory.peak >> 20,
                "disk_bytes_per_value": server.disk_bytes().saturating_sub(disk) / values,
            }),
        )?;
    }
    Ok(())
}
