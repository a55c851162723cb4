//! Values through the sender protocol: 1,000 values a request on a kept connection, and 250 values
//! on a new connection each, as `zabbix_sender` makes them. With `--texts` numbers and texts are compared.

mod args;
mod texts;

use serde_json::json;

use super::client::{Client, Load};
use super::process::Server;
use super::receiver::Bare;
use super::rounds::{Loaded, Phase, Senders};
use crate::common::BenchError;
use crate::report::report;

pub(crate) use args::SenderArgs;
use args::{TURNS, phases};

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
