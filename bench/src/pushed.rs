//! Series that Prometheus pushes by remote write, through to durable storage.
//!
//! Each request has a value of 2,000 series, as Prometheus sends them, on kept connections. The
//! baseline is the cost of reading such a request and discarding it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use export::formats::remote_write::{SeriesSample, compress, put_series};
use serde_json::{Value, json};
use wire::series::{Labels, RemoteWriteVersion, Sink, decompress, read_remote_write};

use super::client::Client;
use super::process::{Server, load_average, thread_cpu_ns, wait};
use crate::common::{BenchError, Common};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct PushedArgs {
    #[arg(long, default_value_t = 100)]
    hosts: usize,
    /// Series of each host.
    #[arg(long, default_value_t = 100)]
    series: usize,
    /// Requests that are sent.
    #[arg(long, default_value_t = 2_000)]
    requests: usize,
    #[command(flatten)]
    common: Common,
}

/// Prometheus's own `max_samples_per_send`.
const PER_REQUEST: usize = 2_000;
const CONNECTIONS: usize = 2;
/// Times begin so long ago and advance by a second with each round over all series.
const FIRST_CLOCK_S: i64 = 80_000;
const TEMPLATE: &str = include_str!("../../templates/push/pushed_metrics.json");

pub(super) fn run(args: &PushedArgs) -> Result<(), BenchError> {
    let series: Vec<Vec<u8>> =
        (0..args.hosts * args.series).map(|it| labels(it, args.series)).collect();
    let server = Server::start(&args.common.scratch, "pushed")?;
    let client = Client::login(&server)?;
    configure(&client, args.hosts)?;
    let to = Receiver { http: server.http, token: token(&client)? };
    let pushed =
        Pushed { series, first_ms: (now_s() - FIRST_CLOCK_S) * 1_000, requests: AtomicU64::new(0) };
    // The items are made of the first round.
    let n_first = pushed.series.len().div_ceil(PER_REQUEST);
    let first_cpu = server.cpu_ns();
    pushed.send(&to, n_first)?;
    let first_cpu = server.cpu_ns() - first_cpu;
    wait(5);
    let clock = rt::clock::Clock::real();
    let before = pushed.bare_ns()?;
    let (cpu, wall) = (server.cpu_ns(), clock.mono_ns());
    pushed.send(&to, n_first + args.requests)?;
    let cpu_ns = server.cpu_ns() - cpu;
    let wall_ms = (clock.mono_ns() - wall) / 1_000_000;
    let values = (args.requests * PER_REQUEST.min(pushed.series.len())) as u64;
    let items = client.call("item.get", &json!({"countOutput": true, "filter": {"flags": 4}}))?;
    let figures = json!({
        "hosts": args.hosts,
        "series": pushed.series.len(),
        "items": items,
        "values": values,
        "values_per_second": values * 1_000 / wall_ms.max(1),
        "cpu_ns_per_value": cpu_ns / values.max(1),
        "bare_cpu_ns": before.min(pushed.bare_ns()?),
        "cpu_us_per_new_series": first_cpu / 1_000 / pushed.series.len().max(1) as u64,
        "load_average": load_average(),
        "rss_mb": server.memory().rss >> 20,
    });
    report(&args.common, "pushed_remote_write", figures)
}

fn now_s() -> i64 {
    rt::clock::Clock::real().now().wall.clock()
}

/// As an exporter names it, some 100 bytes.
pub(super) fn labels(number: usize, per_host: usize) -> Vec<u8> {
    let (host, series) = (number / per_host.max(1), number % per_host.max(1));
    let mut out = Vec::new();
    for (name, value) in [
        ("__name__", format!("node_bench_{}_bytes_total", series / 10)),
        ("device", format!("dev{}", series % 10)),
        ("instance", format!("bench-{host}:9100")),
        ("job", "node".to_owned()),
    ] {
        // Fields of protobuf: none is as long as 128 bytes, so a length is one byte.
        let mut label = Vec::new();
        for (field, text) in [(0x0a, name), (0x12, value.as_str())] {
            label.extend([field, u8::try_from(text.len()).unwrap_or(0)]);
            label.extend_from_slice(text.as_bytes());
        }
        out.extend([0x0a, u8::try_from(label.len()).unwrap_or(0)]);
        out.extend(label);
    }
    out
}

struct Receiver {
    http: SocketAddr,
    token: String,
}

struct Pushed {
    series: Vec<Vec<u8>>,
    first_ms: i64,
    /// Numbers of requests that are taken.
    requests: AtomicU64,
}

impl Pushed {
    /// The body of a request: consecutive series, round after round.
    fn body(&self, number: usize) -> Result<Vec<u8>, BenchError> {
        let n = self.series.len();
        let mut message = Vec::new();
        for at in number * PER_REQUEST..number * PER_REQUEST + PER_REQUEST.min(n) {
            let Some(labels) = self.series.get(at % n) else { continue };
            let ms = self.first_ms + i64::try_from(at / n).unwrap_or(0) * 1_000;
            put_series(
                &mut message,
                labels,
                &[SeriesSample { ms, value: (at * 7_919 % 99_991) as f64 }],
            );
        }
        compress(&message).map_err(|error| BenchError::Answer(error.to_string()))
    }

    /// Sends requests up to this number, some at once.
    fn send(&self, to: &Receiver, up_to: usize) -> Result<(), BenchError> {
        let send = || {
            let agent = ureq::Agent::new_with_defaults();
            loop {
                let number = self.requests.fetch_add(1, Ordering::Relaxed);
                let number = usize::try_from(number).unwrap_or(usize::MAX);
                if up_to <= number {
                    // For the next call.
                    self.requests.fetch_sub(1, Ordering::Relaxed);
                    return Ok(());
                }
                agent
                    .post(format!("http://{}/api/v1/write", to.http))
                    .header("Authorization", format!("Bearer {}", to.token))
                    .header("Content-Type", "application/x-protobuf")
                    .header("Content-Encoding", "snappy")
                    .send(self.body(number)?)?;
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(send)).collect();
            threads.into_iter().try_for_each(|it| {
                it.join().unwrap_or_else(|_panic| Err(BenchError::Answer("it panicked".to_owned())))
            })
        })
    }

    /// CPU a value to read requests and forget them.
    fn bare_ns(&self) -> Result<u64, BenchError> {
        struct Count(u64);
        impl Sink for Count {
            fn series(&mut self, labels: &mut Labels<'_>, samples: &[wire::series::Sample]) {
                self.0 += (labels.text("instance").len() + samples.len()) as u64;
            }
        }
        let body = self.body(0)?;
        let n = 500;
        let (mut count, before) = (Count(0), thread_cpu_ns());
        for _ in 0..n {
            let refused = |_error| BenchError::Answer("the request cannot be read".to_owned());
            let message = decompress(&body, 1 << 26).map_err(refused)?;
            read_remote_write(&message, RemoteWriteVersion::V1, &mut count).map_err(refused)?;
        }
        std::hint::black_box(count.0);
        Ok((thread_cpu_ns() - before) / (n * PER_REQUEST.min(self.series.len()) as u64))
    }
}

/// Imports the template of hosts that take series; gives its id.
pub(super) fn import_template(client: &Client) -> Result<Value, BenchError> {
    let rule = json!({"createMissing": true, "updateExisting": true});
    let rules = json!({
        "template_groups": rule, "templates": rule, "discoveryRules": rule, "items": rule,
    });
    let import = json!({"format": "json", "source": TEMPLATE, "rules": rules});
    client.call("configuration.import", &import)?;
    let query = json!({"filter": {"host": "Pushed metrics"}, "output": ["templateid"]});
    Ok(client.call("template.get", &query)?[0]["templateid"].clone())
}

fn configure(client: &Client, n_hosts: usize) -> Result<(), BenchError> {
    let template = import_template(client)?;
    let group = client.ids("hostgroup.create", &json!({"name": "Bench"}))?.remove(0);
    let host = |it: usize| {
        json!({
            "host": format!("bench-{it}"), "groups": [{"groupid": group}],
            "templates": [{"templateid": template}],
        })
    };
    let hosts: Vec<_> = (0..n_hosts).map(host).collect();
    client.ids("host.create", &json!(hosts)).map(drop)
}

/// A new API token of the first user.
pub(super) fn token(client: &Client) -> Result<String, BenchError> {
    let id = client.ids("token.create", &json!({"name": "push", "userid": "1"}))?.remove(0);
    let made = client.call("token.generate", &json!([id]))?;
    Ok(made[0]["token"].as_str().unwrap_or_default().to_owned())
}
