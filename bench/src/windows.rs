//! The cost of five triggers over windows of 5 to 60 minutes on each item for a value of a sender,
//! in the whole server: two servers in turns, one of them without triggers.

use clap::Args;
use serde_json::json;

use super::client::{Client, Load};
use super::process::Server;
use super::rounds::{Loaded, Phase, Senders};
use crate::common::{BenchError, Common};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct WindowsArgs {
    #[arg(long, default_value_t = 1_000)]
    hosts: usize,
    /// Items a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Values of each item that are measured, one a minute; before them come 60 that fill the windows.
    #[arg(long, default_value_t = 60)]
    minutes: usize,
    /// How often each server is measured; medians are reported.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    #[command(flatten)]
    common: Common,
}

/// Function and parameters of each trigger; values stay below 10.
const TRIGGERS: [(&str, &str); 5] =
    [("avg", "5m"), ("max", "15m"), ("count", "30m,\"gt\",9"), ("avg", "1h"), ("max", "1h")];
const FILLING: usize = 60;

pub(super) fn run(args: &WindowsArgs) -> Result<(), BenchError> {
    let mut without = Vec::with_capacity(args.rounds);
    let mut with = Vec::with_capacity(args.rounds);
    for _ in 0..args.rounds.max(1) {
        without.push(measure(args, false)?);
        with.push(measure(args, true)?);
    }
    let [without_ns, with_ns] = [&without, &with].map(|it| median(it, |it| it.ns));
    let [without_bytes, with_bytes] = [&without, &with].map(|it| median(it, |it| it.bytes));
    let n_items = args.hosts * args.items;
    report(
        &args.common,
        "sender_windows",
        json!({
            "hosts": args.hosts,
            "items": n_items,
            "triggers": n_items * TRIGGERS.len(),
            "values": n_items * args.minutes,
            "values_per_request": 1_000,
            "rounds": args.rounds.max(1),
            "cpu_ns_per_value": with_ns,
            "cpu_ns_per_value_without": without_ns,
            "more_cpu_ns_per_value": with_ns - without_ns,
            "more_bytes_per_item": with_bytes - without_bytes,
        }),
    )
}

struct Cost {
    /// A value.
    ns: i64,
    /// An item; heap and stacks of the server.
    bytes: i64,
}

fn measure(args: &WindowsArgs, with_triggers: bool) -> Result<Cost, BenchError> {
    let server = Server::start(&args.common.scratch, "windows")?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, 0)?;
    if with_triggers {
        client.create_triggers((0..args.items).flat_map(|item| {
            TRIGGERS.map(|(function, rest)| {
                let item = format!("/Bench load/load[{item}]");
                json!({
                    "description": format!("{function} of {item} over {rest} is high"),
                    "priority": 3,
                    "expression": format!("{function}({item},{rest})>1000"),
                })
            })
        }))?;
    }
    client.create_hosts(args.hosts, Some(&template))?;
    let senders = Senders::new(args.hosts, args.items, 60);
    let n_items = args.hosts * args.items;
    let minutes = i64::try_from(FILLING + args.minutes).unwrap_or(i64::MAX / 60);
    let first = rt::clock::Clock::real().now().wall.clock() - minutes * 60;
    let phase = |n: usize| Phase { per_request: 1_000, keep: true, values: n_items * n };
    let filled: Loaded = senders.load(server.receiving(), &phase(FILLING), first)?;
    let measured = senders.load(server.receiving(), &phase(args.minutes), filled.next_clock)?;
    let per = |all: u64, n: u64| i64::try_from(all / n.max(1)).unwrap_or(i64::MAX);
    Ok(Cost {
        ns: per(measured.cpu_ns, measured.values),
        bytes: per(server.memory().anonymous, n_items as u64),
    })
}

fn median(costs: &[Cost], of: impl Fn(&Cost) -> i64) -> i64 {
    let mut sorted: Vec<i64> = costs.iter().map(of).collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}
