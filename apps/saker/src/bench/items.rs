//! A large configuration: 10,000 hosts linked to a template of 100 items, and a value for each.

use clap::Args;
use serde_json::{Value, json};

use super::client::Client;
use super::load::{Connection, Request};
use super::process::Server;
use super::{BenchError, Common, report};

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
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &ItemsArgs) -> Result<(), BenchError> {
    let server = Server::start(&args.common.scratch, "items")?;
    let client = Client::login(&server)?;
    let template = client.create_template(args.items, args.triggers)?;
    let hosts = client.create_hosts(args.hosts, None)?;
    let (before, _) = server.memory();

    let clock = rt::clock::Clock::real();
    let (started, cpu) = (clock.now().mono_ns, server.cpu_ns());
    let hosts: Vec<Value> = hosts.iter().map(|it| json!({"hostid": it})).collect();
    let link = json!({"hosts": hosts, "templates": [{"templateid": template}]});
    client.call("host.massadd", &link)?;
    let link_ms = (clock.now().mono_ns - started) / 1_000_000;
    let link_cpu_ms = (server.cpu_ns() - cpu) / 1_000_000;
    let (after, peak) = server.memory();

    let n_items = (args.hosts * args.items) as u64;
    let counted = client.call("item.get", &json!({"countOutput": true, "templated": false}))?;
    let counted: u64 = counted.as_str().and_then(|it| it.parse().ok()).unwrap_or(0);
    if counted < n_items {
        return Err(BenchError::Lost { sent: n_items, processed: counted });
    }

    let disk = server.disk_bytes();
    let server = server.restart()?;
    let (restarted, _) = server.memory();
    let client = Client::login(&server)?;
    give_values(&server, args, n_items)?;
    let (with_values, _) = server.memory();
    let count_ms = time_ms(&client, &json!({"countOutput": true}))?;
    let page = json!({"output": "extend", "sortfield": "name", "limit": 1_000});
    let page_ms = time_ms(&client, &page)?;
    let search = json!({"output": ["itemid"], "search": {"key_": "load[7]"}, "countOutput": true});
    let search_ms = time_ms(&client, &search)?;
    report(
        &args.common,
        "items",
        json!({
            "hosts": args.hosts,
            "items": n_items,
            "triggers": args.hosts * args.triggers,
            "link_ms": link_ms,
            "link_cpu_ms": link_cpu_ms,
            "bytes_per_item": after.saturating_sub(before) / n_items.max(1),
            "rss_mb": after >> 20,
            "rss_peak_mb": peak >> 20,
            "disk_bytes_per_item": disk / n_items.max(1),
            "start_to_ready_ms": u64::try_from(server.ready_after.as_millis()).unwrap_or(u64::MAX),
            "rss_after_restart_mb": restarted >> 20,
            "bytes_per_item_after_restart": restarted.saturating_sub(before) / n_items.max(1),
            "bytes_per_item_with_value": with_values.saturating_sub(before) / n_items.max(1),
            "rss_with_values_mb": with_values >> 20,
            "item_get_count_ms": count_ms,
            "item_get_page_ms": page_ms,
            "item_get_search_ms": search_ms,
        }),
    )
}

/// Sends a value to each item.
fn give_values(server: &Server, args: &ItemsArgs, n_items: u64) -> Result<(), BenchError> {
    const PER_REQUEST: usize = 1_000;
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

/// The shortest of three calls of `item.get`.
fn time_ms(client: &Client, params: &Value) -> Result<u64, BenchError> {
    let clock = rt::clock::Clock::real();
    let mut shortest = u64::MAX;
    for _ in 0..3 {
        let started_ns = clock.mono_ns();
        client.call("item.get", params)?;
        shortest = shortest.min((clock.mono_ns() - started_ns) / 1_000_000);
    }
    Ok(shortest)
}
