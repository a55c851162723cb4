//! Values through the sender protocol: 1,000 values a request on a kept connection, and 250 values
//! on a new connection each, as `zabbix_sender` makes them.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use clap::Args;
use serde_json::json;

use super::client::{Client, Load};
use super::load::{Connection, Request};
use super::process::Server;
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
    // Every item once, so that windows, slots and chunks exist.
    let warm = Phase { per_request: 1_000, keep: true, values: args.hosts * args.items };
    let now = rt::clock::Clock::real().now().wall.clock();
    let mut first_clock = now - 80_000;
    first_clock = load(args, &server, &warm, first_clock)?.next_clock;

    for (name, phase) in [
        ("sender_1000", Phase { per_request: 1_000, keep: true, values: args.values }),
        ("sender_250_new", Phase { per_request: 250, keep: false, values: args.values / 4 }),
    ] {
        let disk = server.disk_bytes();
        let result = load(args, &server, &phase, first_clock)?;
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

struct Phase {
    per_request: usize,
    /// Several requests on one connection.
    keep: bool,
    values: usize,
}

struct Loaded {
    values: u64,
    cpu_ns: u64,
    wall_ms: u64,
    next_clock: i64,
}

/// Sends rounds over all items, each round one second later than the one before.
fn load(
    args: &SenderArgs,
    server: &Server,
    phase: &Phase,
    clock: i64,
) -> Result<Loaded, BenchError> {
    let n_total = args.hosts * args.items;
    let per_round = n_total.div_ceil(phase.per_request);
    let n_requests = phase.values.div_ceil(phase.per_request);
    let next = AtomicUsize::new(0);
    let (processed, sent) = (AtomicU64::new(0), AtomicU64::new(0));
    let real = rt::clock::Clock::real();
    let (cpu, wall) = (server.cpu_ns(), real.now().mono_ns);

    let worker = || -> Result<(), BenchError> {
        let mut request = Request::default();
        let mut kept = None;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if n_requests <= number {
                return Ok(());
            }
            let (round, part) = (number / per_round, number % per_round);
            let first = part * phase.per_request;
            let n = phase.per_request.min(n_total - first);
            let at = clock + i64::try_from(round).unwrap_or(0);
            let packet = request.fill(first, n, args.items, at);
            let mut connection = match kept.take() {
                Some(it) => it,
                None => Connection::open(server.trapper)?,
            };
            let (good, _failed) = connection.send(packet)?;
            sent.fetch_add(n as u64, Ordering::Relaxed);
            processed.fetch_add(good, Ordering::Relaxed);
            kept = phase.keep.then_some(connection);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..args.connections).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|it| it.join().expect("a generator does not panic"))
    })?;

    let (processed, sent) = (processed.into_inner(), sent.into_inner());
    if processed != sent {
        return Err(BenchError::Lost { sent, processed });
    }
    Ok(Loaded {
        values: processed,
        cpu_ns: server.cpu_ns() - cpu,
        wall_ms: (real.now().mono_ns - wall) / 1_000_000,
        next_clock: clock + i64::try_from(n_requests.div_ceil(per_round)).unwrap_or(0),
    })
}
