//! Discovered items: interfaces of switches, all found at first, half of them lost later.

use clap::Args;
use serde_json::{Value, json};

use super::client::Client;
use super::load::{Connection, frame};
use super::process::{Memory, Server, wait};
use crate::common::{BenchError, Common};
use crate::report::report;

/// Until memory that was free is given back: the caches of the database take five seconds, the allocator
/// ten more.
const SETTLE_S: u64 = 20;
/// Polls, a second from each other, until discovery has processed the rows.
const LOOKS_MAX: u32 = 300;
const PROTOTYPES: [&str; 8] =
    ["in", "out", "in.errors", "out.errors", "in.discards", "out.discards", "speed", "status"];
/// Prototypes with a trigger.
const N_TRIGGERS: usize = 2;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct DiscoveredArgs {
    #[arg(long, default_value_t = 250)]
    hosts: usize,
    /// Interfaces of a host: each makes eight items and two triggers.
    #[arg(long, default_value_t = 50)]
    interfaces: usize,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &DiscoveredArgs) -> Result<(), BenchError> {
    let n_items = args.hosts * args.interfaces * PROTOTYPES.len();
    let server = Server::start(&args.common.scratch, "discovered")?;
    configure(&Client::login(&server)?, args.hosts)?;
    let server = server.restart()?;
    let before = settled(&server);
    discover(&server, args.hosts, args.interfaces)?;
    wait_for(&server, &json!({}), n_items)?;
    let found = settled(&server);
    let server = server.restart()?;
    let ready_ms = u64::try_from(server.ready_after.as_millis()).unwrap_or(u64::MAX);
    let restarted = settled(&server);
    let left = args.interfaces / 2;
    discover(&server, args.hosts, left)?;
    let n_lost = args.hosts * (args.interfaces - left) * PROTOTYPES.len();
    wait_for(&server, &json!({"status": "1"}), n_lost)?;
    let half_lost = settled(&server);
    let half_lost_restarted = settled(&server.restart()?);
    let mut figures = json!({
        "hosts": args.hosts,
        "items": n_items,
        "triggers": args.hosts * args.interfaces * N_TRIGGERS,
        "start_to_ready_ms": ready_ms,
    });
    for (stage, memory) in [
        ("found", found),
        ("restarted", restarted),
        ("half_lost", half_lost),
        ("half_lost_restarted", half_lost_restarted),
    ] {
        let more = memory.anonymous.saturating_sub(before.anonymous);
        figures[format!("anonymous_bytes_per_item_{stage}")] = json!(more / n_items.max(1) as u64);
        figures[format!("rss_{stage}_mb")] = json!(memory.rss >> 20);
    }
    report(&args.common, "discovered", figures)
}

fn settled(server: &Server) -> Memory {
    wait(SETTLE_S);
    server.memory()
}

/// A template with the rule, linked to all hosts.
fn configure(client: &Client, n_hosts: usize) -> Result<(), BenchError> {
    let group = client.ids("templategroup.create", &json!({"name": "Bench"}))?.remove(0);
    let template = json!({"host": "Bench interfaces", "groups": [{"groupid": group}]});
    let template = client.ids("template.create", &template)?.remove(0);
    let rule = json!({"hostid": template, "name": "Interfaces", "key_": "net.if.discovery",
        "type": 2, "lifetime": "30d", "enabled_lifetime_type": 2});
    let rule = client.ids("discoveryrule.create", &rule)?.remove(0);
    let items = PROTOTYPES.map(|it| {
        json!({
            "hostid": template, "ruleid": rule, "type": 2, "value_type": 3,
            "name": format!("Interface {{#IFNAME}}({{#IFALIAS}}): {it}"),
            "key_": format!("net.if.{it}[ifIndex.{{#SNMPINDEX}}]"),
            "tags": [{"tag": "component", "value": "network"},
                {"tag": "interface", "value": "{#IFNAME}"}],
        })
    });
    client.ids("itemprototype.create", &json!(items))?;
    let triggers = PROTOTYPES.iter().take(N_TRIGGERS).map(|it| {
        json!({
            "description": format!("Interface {{#IFNAME}}({{#IFALIAS}}): high {it}"),
            "expression":
                format!("last(/Bench interfaces/net.if.{it}[ifIndex.{{#SNMPINDEX}}])>1000000"),
        })
    });
    client.ids("triggerprototype.create", &Value::Array(triggers.collect()))?;
    client.create_hosts(n_hosts, Some(&template))?;
    Ok(())
}

/// Sends each host's rule its interfaces.
fn discover(server: &Server, n_hosts: usize, n_interfaces: usize) -> Result<(), BenchError> {
    let clock = rt::clock::Clock::real().wall().clock();
    let mut connection = Connection::open(server.trapper)?;
    let mut packet = Vec::new();
    for host in 0..n_hosts {
        let interfaces = (0..n_interfaces).map(|it| {
            json!({
                "{#SNMPINDEX}": (it + 1).to_string(), "{#IFTYPE}": "6",
                "{#IFNAME}": format!("GigabitEthernet1/0/{it}"),
                "{#IFALIAS}": format!("uplink {it} of {host}"),
                "{#IFOPERSTATUS}": "1", "{#IFADMINSTATUS}": "1",
            })
        });
        let value = Value::Array(interfaces.collect()).to_string();
        let row = json!({"host": format!("bench-{host}"), "key": "net.if.discovery",
            "value": value, "clock": clock, "ns": host});
        let request = json!({"request": "sender data", "data": [row], "clock": clock, "ns": 0});
        frame(&request.to_string(), &mut packet);
        let (processed, _) = connection.send(&packet)?;
        if processed != 1 {
            return Err(BenchError::Lost { sent: 1, processed });
        }
    }
    Ok(())
}

/// Waits until so many items of hosts pass a filter.
fn wait_for(server: &Server, filter: &Value, n_items: usize) -> Result<(), BenchError> {
    let client = Client::login(server)?;
    let params = json!({"countOutput": true, "templated": false, "filter": filter});
    let mut counted = 0;
    for _ in 0..LOOKS_MAX {
        let count = client.call("item.get", &params)?;
        counted = count.as_str().and_then(|it| it.parse().ok()).unwrap_or(0);
        if n_items as u64 <= counted {
            return Ok(());
        }
        wait(1);
    }
    Err(BenchError::Lost { sent: n_items as u64, processed: counted })
}
