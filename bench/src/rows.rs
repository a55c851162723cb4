//! One discovery rule with very many rows: how long edits take meanwhile and afterwards, and the start.

use clap::Args;
use serde_json::{Value, json};

use super::client::Client;
use super::load::{Connection, frame};
use super::process::Server;
use crate::common::{BenchError, Common};
use crate::report::report;

/// Longest wait for the objects of a rule's value.
const LIMIT_NS: u64 = 900_000_000_000;
/// Items, triggers and graphs that a row makes.
const N_ITEMS: usize = 5;
const N_TRIGGERS: usize = 3;
const N_GRAPHS: usize = 1;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct RowsArgs {
    /// Each makes three items, a dependent and a calculated one, three triggers and a graph.
    #[arg(long, default_value_t = 50_000)]
    rows: usize,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &RowsArgs) -> Result<(), BenchError> {
    let server = Server::start(&args.common.scratch, "rows")?;
    let client = Client::login(&server)?;
    let hosts = configure(&client)?;
    let server = server.restart()?;
    let start_before = server.ready_after;
    let mut edits = Edits { hosts, n: 0 };

    send(&server, args.rows)?;
    let found = edits.until(&server, args.rows)?;
    let client = Client::login(&server)?;
    let own_ms = edits.make(&client, 0)?;
    let other_ms = edits.make(&client, 1)?;
    let server = server.restart()?;
    let start_after = server.ready_after;
    // Whatever a run does that changes nothing, an edit does not wait for it.
    send(&server, args.rows)?;
    let client = Client::login(&server)?;
    let unchanged_ms = (0..20).map(|_| edits.make(&client, 1)).collect::<Result<Vec<_>, _>>()?;
    send(&server, 0)?;
    let lost = edits.until(&server, 0)?;
    let ms = |it: std::time::Duration| u64::try_from(it.as_millis()).unwrap_or(u64::MAX);
    let figures = json!({
        "rows": args.rows,
        "items": args.rows * N_ITEMS,
        "triggers": args.rows * N_TRIGGERS,
        "found_ms": found.took_ms,
        "found_edit_ms_max": found.edit_ms_max,
        "edit_own_host_ms": own_ms,
        "edit_other_host_ms": other_ms,
        "edit_unchanged_ms_max": unchanged_ms.into_iter().max(),
        "start_ms_before": ms(start_before),
        "start_ms": ms(start_after),
        "deleted_ms": lost.took_ms,
        "deleted_edit_ms_max": lost.edit_ms_max,
        "rss_mb": server.memory().rss >> 20,
    });
    report(&args.common, "discovered_rows", figures)
}

/// A host with the rule, and another one.
fn configure(client: &Client) -> Result<Vec<String>, BenchError> {
    let hosts = client.create_hosts(2, None)?;
    let host = &hosts[0];
    let rule = json!({"hostid": host, "name": "Rows", "key_": "rows", "type": 2,
        "lifetime_type": 2, "enabled_lifetime_type": 2});
    let rule = client.ids("discoveryrule.create", &rule)?.remove(0);
    let item = |key: &str, more: Value| {
        let mut item = json!({"hostid": host, "ruleid": rule, "type": 2, "value_type": 0,
            "name": format!("{{#N}}: {key}"), "key_": format!("{key}[{{#N}}]")});
        if let (Value::Object(item), Value::Object(more)) = (&mut item, more) {
            item.extend(more);
        }
        item
    };
    let plain = json!([item("a", json!({})), item("b", json!({})), item("c", json!({}))]);
    let plain = client.ids("itemprototype.create", &plain)?;
    let made = json!([
        item("d", json!({"type": 18, "master_itemid": plain[0]})),
        item("e", json!({"type": 15, "delay": "1h", "params": "last(//a[{#N}])+1"})),
    ]);
    client.ids("itemprototype.create", &made)?;
    let trigger = |key: &str, masters: Value| {
        json!({"description": format!("{{#N}}: {key}"),
            "expression": format!("last(/bench-0/{key}[{{#N}}])>1000000"), "dependencies": masters})
    };
    let first = client.ids("triggerprototype.create", &trigger("a", json!([])))?.remove(0);
    let masters = json!([{"triggerid": first}]);
    let others = json!([trigger("b", masters.clone()), trigger("c", masters)]);
    client.ids("triggerprototype.create", &others)?;
    let graph = json!({"name": "{#N}", "width": 900, "height": 200,
        "gitems": [{"itemid": plain[0], "color": "00AA00"}]});
    client.ids("graphprototype.create", &graph)?;
    Ok(hosts)
}

/// Sends the rule its rows.
fn send(server: &Server, n_rows: usize) -> Result<(), BenchError> {
    let clock = rt::clock::Clock::real().wall();
    let rows: Vec<Value> = (0..n_rows).map(|it| json!({"{#N}": format!("row {it}")})).collect();
    let row = json!({"host": "bench-0", "key": "rows", "value": Value::Array(rows).to_string(),
        "clock": clock.clock(), "ns": 0});
    let request = json!({"request": "sender data", "data": [row], "clock": clock.clock(), "ns": 0});
    let mut packet = Vec::new();
    frame(&request.to_string(), &mut packet);
    let (processed, _) = Connection::open(server.trapper)?.send(&packet)?;
    if processed == 1 { Ok(()) } else { Err(BenchError::Lost { sent: 1, processed }) }
}

/// Items that people make one after the other.
struct Edits {
    hosts: Vec<String>,
    n: usize,
}

/// How long a run took, and the longest edit of another host meanwhile.
struct Run {
    took_ms: u64,
    edit_ms_max: u64,
}

impl Edits {
    /// Makes an item, and gives how long that took.
    fn make(&mut self, client: &Client, host: usize) -> Result<u64, BenchError> {
        self.n += 1;
        let item = json!({"hostid": self.hosts[host], "type": 2, "value_type": 0,
            "name": format!("Edit {}", self.n), "key_": format!("edit[{}]", self.n)});
        let clock = rt::clock::Clock::real();
        let begun_ns = clock.mono_ns();
        client.ids("item.create", &item)?;
        Ok((clock.mono_ns() - begun_ns) / 1_000_000)
    }

    /// Edits the other host until the first one has all that so many rows make.
    fn until(&mut self, server: &Server, rows: usize) -> Result<Run, BenchError> {
        let client = Client::login(server)?;
        let clock = rt::clock::Clock::real();
        let begun_ns = clock.mono_ns();
        let mut edit_ms_max = 0;
        let wanted = [
            ("item.get", rows * N_ITEMS),
            ("trigger.get", rows * N_TRIGGERS),
            ("graph.get", rows * N_GRAPHS),
        ];
        let params =
            json!({"countOutput": true, "hostids": self.hosts[0], "filter": {"flags": "4"}});
        loop {
            edit_ms_max = edit_ms_max.max(self.make(&client, 1)?);
            let took_ns = clock.mono_ns() - begun_ns;
            let mut has_all = true;
            for (method, n) in wanted {
                let count = client.call(method, &params)?;
                has_all &= count.as_str().and_then(|it| it.parse().ok()) == Some(n);
            }
            if has_all {
                return Ok(Run { took_ms: took_ns / 1_000_000, edit_ms_max });
            }
            if LIMIT_NS < took_ns {
                let limit = std::time::Duration::from_nanos(LIMIT_NS);
                return Err(BenchError::Waited { what: "discovery", limit });
            }
        }
    }
}
