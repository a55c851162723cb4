//! A large configuration: 10,000 hosts linked to a template of 100 items, a value for each, and
//! restarts, the last one under load.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::client::{Client, Load};
use super::load::{Connection, Request};
use super::process::{Server, wait};
use crate::common::{BenchError, Common};
use crate::report::report;

/// Values of a request.
const PER_REQUEST: usize = 1_000;
/// Connections that load the server while it is stopped, and for how long before.
const LOADERS: usize = 4;
const LOAD_S: u64 = 10;
/// The allocator returns free memory within ten seconds: only memory that is used after that is
/// needed.
const GIVEN_BACK_S: u64 = 15;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct ItemsArgs {
    #[arg(long, default_value_t = 10_000)]
    hosts: usize,
    /// Items of the template.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Threshold triggers of the template.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &ItemsArgs) -> Result<(), BenchError> {
    let server = Server::start_program(&args.common.scratch, "items", args.server.as_deref())?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    let hosts = client.create_hosts(args.hosts, None)?;
    let before = server.memory();

    let clock = rt::clock::Clock::real();
    let (started, cpu) = (clock.now().mono_ns, server.cpu_ns());
    let hosts: Vec<Value> = hosts.iter().map(|it| json!({"hostid": it})).collect();
    let link = json!({"hosts": hosts, "templates": [{"templateid": template}]});
    client.call("host.massadd", &link)?;
    let link_ms = (clock.now().mono_ns - started) / 1_000_000;
    let link_cpu_ms = (server.cpu_ns() - cpu) / 1_000_000;
    let linked = server.memory();
    wait(GIVEN_BACK_S);
    let linked_settled = server.memory();

    let n_items = (args.hosts * args.items) as u64;
    let counted = client.call("item.get", &json!({"countOutput": true, "templated": false}))?;
    let counted: u64 = counted.as_str().and_then(|it| it.parse().ok()).unwrap_or(0);
    if counted < n_items {
        return Err(BenchError::Lost { sent: n_items, processed: counted });
    }

    let disk = server.disk_bytes();
    let server = server.restart()?;
    let restarted = server.memory();
    give_values(&server, args, n_items)?;
    let with_values = server.memory();
    wait(GIVEN_BACK_S);
    let with_values_settled = server.memory();
    let server = server.restart()?;
    let restarted_with_values = server.memory();
    wait(GIVEN_BACK_S);
    let settled = server.memory();
    let client = Client::login(&server)?;
    let mut figures = json!({
        "hosts": args.hosts,
        "items": n_items,
        "triggers": args.hosts * args.triggers,
        "link_ms": link_ms,
        "link_cpu_ms": link_cpu_ms,
        "rss_peak_mb": linked.peak >> 20,
        "disk_bytes_per_item": disk / n_items.max(1),
        "start_to_ready_ms": u64::try_from(server.ready_after.as_millis()).unwrap_or(u64::MAX),
        "rss_peak_after_restart_mb": restarted_with_values.peak >> 20,
    });
    for (stage, memory) in [
        ("linked", linked),
        ("linked_settled", linked_settled),
        ("restarted", restarted),
        ("with_values", with_values),
        ("with_values_settled", with_values_settled),
        ("restarted_with_values", restarted_with_values),
        ("settled", settled),
    ] {
        let per_item = |now: u64, empty: u64| now.saturating_sub(empty) / n_items.max(1);
        figures[format!("rss_{stage}_mb")] = json!(memory.rss >> 20);
        figures[format!("bytes_per_item_{stage}")] = json!(per_item(memory.rss, before.rss));
        figures[format!("anonymous_bytes_per_item_{stage}")] =
            json!(per_item(memory.anonymous, before.anonymous));
    }
    for (name, method, params) in pages() {
        figures[name] = json!(time_ms(&client, method, &params)?);
    }
    figures["item_get_search_p99_us"] = json!(searches_p99_us(&client, args)?);
    let server = restart_under_load(server, args)?;
    let millis = |it: std::time::Duration| u64::try_from(it.as_millis()).unwrap_or(u64::MAX);
    figures["stop_under_load_ms"] = json!(millis(server.stopped_after));
    figures["start_after_load_ms"] = json!(millis(server.ready_after));
    report(&args.common, "items", figures)
}

/// Calls whose time is measured.
fn pages() -> [(&'static str, &'static str, Value); 6] {
    let page = |field: &str| json!({"output": "extend", "sortfield": field, "limit": 1_000});
    let search = json!({"output": ["itemid"], "search": {"key_": "load[7]"}, "countOutput": true});
    [
        ("item_get_count_ms", "item.get", json!({"countOutput": true})),
        ("item_get_search_ms", "item.get", search),
        ("item_get_page_ms", "item.get", page("name")),
        ("item_get_page_by_delay_ms", "item.get", page("delay")),
        ("trigger_get_page_ms", "trigger.get", page("description")),
        ("host_get_page_ms", "host.get", page("name")),
    ]
}

/// Searches, one after the other.
const SEARCHES: usize = 200;

/// The third slowest of two hundred searches over all items, each for another text: by key, by
/// name, with wildcards, with few, many and no results.
fn searches_p99_us(client: &Client, args: &ItemsArgs) -> Result<u64, BenchError> {
    let clock = rt::clock::Clock::real();
    let mut all_ns = Vec::with_capacity(SEARCHES);
    for number in 0..SEARCHES {
        let item = number % args.items.max(1);
        let search = match number % 4 {
            0 => json!({"search": {"key_": format!("AD[{item}]")}, "countOutput": true}),
            1 => json!({"search": {"name": format!("{item}")}, "limit": 100, "output": ["name"]}),
            2 => {
                json!({"search": {"key_": format!("load*{item}*"), "name": "*"}, "searchByAny": true,
                "searchWildcardsEnabled": true, "limit": 100, "output": ["key_"]})
            }
            _ => {
                json!({"search": {"name": "nothing has this", "key_": "nor this"}, "output": ["key_"]})
            }
        };
        let started_ns = clock.mono_ns();
        client.call("item.get", &search)?;
        all_ns.push(clock.mono_ns() - started_ns);
    }
    all_ns.sort_unstable();
    let p99_ns = all_ns.iter().rev().nth(SEARCHES / 100).copied();
    Ok(p99_ns.unwrap_or_default() / 1_000)
}

/// Stops the server while as much comes in as it takes, and starts it again.
fn restart_under_load(server: Server, args: &ItemsArgs) -> Result<Server, BenchError> {
    let address = server.trapper;
    std::thread::scope(|scope| {
        for number in 0..LOADERS {
            scope.spawn(move || load(address, args, number));
        }
        wait(LOAD_S);
        server.restart()
    })
}

/// Sends values to all items again and again, until the server is gone.
fn load(address: SocketAddr, args: &ItemsArgs, number: usize) {
    let clock = rt::clock::Clock::real();
    let (n_total, mut request) = (args.hosts * args.items, Request::default());
    let Ok(mut connection) = Connection::open(address) else { return };
    let mut first = n_total / LOADERS * number;
    loop {
        let n = PER_REQUEST.min(n_total - first);
        let bytes = request.fill(first, n, args.items, clock.wall().clock());
        if connection.send(bytes).is_err() {
            return;
        }
        first = (first + n) % n_total;
    }
}

/// Sends a value to each item.
fn give_values(server: &Server, args: &ItemsArgs, n_items: u64) -> Result<(), BenchError> {
    let clock = rt::clock::Clock::real().wall().clock();
    let mut connection = Connection::open(server.trapper)?;
    let mut request = Request::default();
    let n_total = args.hosts * args.items;
    let mut processed = 0;
    for first in (0..n_total).step_by(PER_REQUEST) {
        let n = PER_REQUEST.min(n_total - first);
        processed += connection.send(request.fill(first, n, args.items, clock))?.0;
    }
    if processed == n_items { Ok(()) } else { Err(BenchError::Lost { sent: n_items, processed }) }
}

/// The shortest of three calls.
fn time_ms(client: &Client, method: &str, params: &Value) -> Result<u64, BenchError> {
    let clock = rt::clock::Clock::real();
    let mut shortest = u64::MAX;
    for _ in 0..3 {
        let started_ns = clock.mono_ns();
        client.call(method, params)?;
        shortest = shortest.min((clock.mono_ns() - started_ns) / 1_000_000);
    }
    Ok(shortest)
}
