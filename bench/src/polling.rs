//! Checks that this server makes: passive agents, SNMP, pings, HTTP, scripts.
//!
//! The devices are responders of our own on loopback that do as little as they can, so that the
//! figures are the server's and the kernel's; `snmpd` has Debian's snmpd answer instead, on an
//! address for each host. CPU time is the server process's alone. More checks are due each second
//! than the machine can make, so values a second is the limit of the server together with the
//! responders on the same cores. Before and after the run a bare client asks the same devices; the
//! better of its two runs is reported.

mod baselines;
pub(super) mod devices;
mod page;
pub(super) mod protocol;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use self::devices::Devices;
use self::protocol::Protocol;
use super::client::Client;
use super::process::{Server, load_average, wait};
use crate::common::{BenchError, Common};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct PollingArgs {
    #[arg(long, default_value_t = 500)]
    hosts: usize,
    /// Items a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Each item is due once in so many seconds.
    #[arg(long, default_value_t = 1)]
    delay: u64,
    /// How long to measure.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Protocols to measure.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "agent,snmp,icmp,http,script")]
    protocols: Vec<Protocol>,
    /// Another program as the server.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Before anything is measured: every device has answered once by then.
const WARM_UP_S: u64 = 8;

pub(super) fn run(args: &PollingArgs) -> Result<(), BenchError> {
    args.protocols.iter().try_for_each(|it| measure(args, *it))
}

fn measure(args: &PollingArgs, protocol: Protocol) -> Result<(), BenchError> {
    let devices = Devices::start(protocol, &args.common.scratch)?;
    let n_checks = protocol.n_checks(args.items);
    let baseline = || {
        let size = (args.hosts, n_checks.min(60));
        baselines::measure(protocol, devices.port, size, &args.common.scratch)
    };
    let before = baseline()?;
    let mut figures = poll(args, protocol, &devices)?;
    for ((name, before), (_, after)) in before.into_iter().zip(baseline()?) {
        figures[name] = json!(before.min(after));
    }
    report(&args.common, &format!("polling_{}", protocol.name()), figures)
}

fn poll(args: &PollingArgs, protocol: Protocol, devices: &Devices) -> Result<Value, BenchError> {
    let n_checks = protocol.n_checks(args.items);
    let server = Server::start_program(&args.common.scratch, "polling", args.server.as_deref())?;
    let client = Client::login(&server)?;
    configure(&client, args, (protocol, devices.port))?;
    wait(WARM_UP_S.max(args.delay + 2));
    let metric = |name: &str| client.metric_or_zero(&labelled(name, protocol));
    // Checks that were answered since the server's start.
    let answered = || {
        let failed =
            metric("saker_poll_network_errors_total")? + metric("saker_poll_not_made_total")?;
        Ok::<_, BenchError>(metric("saker_poll_checks_total")?.saturating_sub(failed))
    };
    let clock = rt::clock::Clock::real();
    let (n, cpu, wall) = (answered()?, server.cpu_ns(), clock.mono_ns());
    let (device_cpu, n_requests) = (devices.cpu_ns(), devices.n_requests());
    wait(args.seconds);
    let values = answered()? - n;
    let cpu_ns = server.cpu_ns() - cpu;
    let device_cpu_ns = devices.cpu_ns() - device_cpu;
    let n_requests = devices.n_requests() - n_requests;
    let wall_ms = (clock.mono_ns() - wall) / 1_000_000;
    let mut figures = json!({
        "hosts": args.hosts,
        "items": args.hosts * n_checks,
        "values": values,
        "network_errors": metric("saker_poll_network_errors_total")?,
        "not_supported": metric("saker_poll_not_supported_total")?,
        "values_per_second": values * 1_000 / wall_ms.max(1),
        "cpu_ns_per_value": cpu_ns / values.max(1),
        "cores_busy_percent": cpu_ns / (wall_ms * 10_000).max(1),
        "load_average": load_average(),
        "rss_mb": server.memory().rss >> 20,
    });
    if devices.snmpd.is_some() {
        figures["snmpd_cpu_ns_per_value"] = json!(device_cpu_ns / values.max(1));
    }
    if 0 < n_requests {
        figures["values_per_request"] = json!(values as f64 / n_requests as f64);
        figures["cpu_ns_per_request"] = json!(cpu_ns / n_requests);
    }
    if protocol == Protocol::Icmp {
        (figures["lost"], figures["longest_us"]) = pings(&client)?;
    }
    if protocol == Protocol::Prometheus {
        figures["dependents"] = json!(page::N_METRICS);
        figures["page_bytes"] = json!(page::prometheus_page().len());
        figures["with_values"] = json!(with_values(&client)?);
    }
    Ok(figures)
}

/// A metric of this protocol's collector.
fn labelled(name: &str, protocol: Protocol) -> String {
    format!("{name}{{collector=\"{}\"}}", protocol.collector())
}

/// Of the last ping of each host: how many had no answer, and how long the longest took.
fn pings(client: &Client) -> Result<(Value, Value), BenchError> {
    // The server has items of its own.
    let of_hosts = json!({"key_": "icmppingsec[,1]"});
    let query = json!({
        "output": ["lastvalue", "lastclock"], "filter": of_hosts, "templated": false,
    });
    let items = client.call("item.get", &query)?;
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    let has_value = |it: &&Value| it["lastclock"] != "0";
    let seconds = |it: &Value| it["lastvalue"].as_str().and_then(|it| it.parse::<f64>().ok());
    let all: Vec<f64> = items.iter().filter(has_value).filter_map(seconds).collect();
    let lost = all.iter().filter(|it| **it == 0.0).count();
    let longest_us = all.iter().copied().fold(0.0, f64::max) * 1e6;
    Ok((json!(lost + items.len() - all.len()), json!(longest_us.round())))
}

/// Dependent items that have one.
fn with_values(client: &Client) -> Result<usize, BenchError> {
    let items =
        client.call("item.get", &json!({"output": ["lastclock"], "filter": {"type": 18}}))?;
    let items = items.as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(items.iter().filter(|it| it["lastclock"] != "0").count())
}

fn configure(
    client: &Client,
    args: &PollingArgs,
    (protocol, port): (Protocol, u16),
) -> Result<(), BenchError> {
    let group = client.ids("templategroup.create", &json!({"name": "Bench"}))?.remove(0);
    let template = json!({"host": "Bench polling", "groups": [{"groupid": group}]});
    let template = client.ids("template.create", &template)?.remove(0);
    let items: Vec<Value> = (0..protocol.n_checks(args.items))
        .map(|it| {
            let mut item = protocol.item(it, port);
            item["hostid"] = json!(template);
            item["name"] = json!(format!("Item {it}"));
            if item["value_type"].is_null() {
                item["value_type"] = json!(0);
            }
            item["delay"] = json!(format!("{}s", args.delay));
            item
        })
        .collect();
    let items = client.ids("item.create", &json!(items))?;
    let mut dependents = protocol.dependents(items.first().map_or("", String::as_str));
    for item in &mut dependents {
        item["hostid"] = json!(template);
    }
    if !dependents.is_empty() {
        client.ids("item.create", &json!(dependents))?;
    }
    let group = client.ids("hostgroup.create", &json!({"name": "Bench"}))?.remove(0);
    let hosts: Vec<Value> = (0..args.hosts)
        .map(|it| {
            let mut host = protocol.host(it, port);
            host["host"] = json!(format!("bench-{it}"));
            host["groups"] = json!([{"groupid": group}]);
            host["templates"] = json!([{"templateid": template}]);
            host
        })
        .collect();
    for some in hosts.chunks(1_000) {
        client.ids("host.create", &json!(some))?;
    }
    Ok(())
}
