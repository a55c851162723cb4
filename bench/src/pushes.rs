//! The cost of a push by its kind, its size and the number of clients, alternating with a bare
//! receiver: processor time, the wait of the client, and how often threads of the server go to
//! sleep for it.
//!
//! Kinds are `history.push` of the API, Prometheus's remote write, OpenTelemetry's metrics and lines of syslog over TCP.
//! Those have no answer: lines come at a pace, and the server is asked at the end whether it has all of them.

mod client;
mod messages;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use rt::clock::Clock;
use serde_json::json;

use super::client::{Client, Load};
use super::process::{Server, cpu_ns, free_address, load_average, pause, switches, wait};
use super::pushed::{import_template, labels, token};
use super::receiver::{Bare, Speaks};
use super::requests::{Measured, TURNS, rounded, side_by_side};
use super::settle::comes;
use crate::common::{BenchError, Common};
use crate::report::report;
use client::{Http, Lines, Target};
use messages::{Kind, Messages};

/// Values that each turn of a shape sends at least, and the fewest requests.
const VALUES_A_TURN: usize = 20_000;
const REQUESTS_A_TURN_MIN: usize = 100;
/// A client that sends lines writes once in this time for each of them, and not more often than ten times that.
const LINE_NS: u64 = 100_000;
const LINES_PACE_MIN: u64 = 10;
/// How long the server may take for the lines of a turn.
const LINES_SECONDS_MAX: u64 = 60;
/// … and for the items of new series.
const ITEMS_SECONDS_MAX: u64 = 120;
/// Between the end of lines and a reading of the processor time.
const SETTLED: usize = 3;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct PushesArgs {
    #[arg(long, default_value_t = 20)]
    hosts: usize,
    /// Items a host, and series a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Shapes that are measured, as KIND:VALUES:CLIENTS, or KIND:VALUES:CLIENTS:new for a connection a request. Kinds:
    /// push, remote_write, otlp, syslog.
    #[arg(long, value_delimiter = ',', value_parser = Shape::parse, default_value =
        "push:1:1,push:10:1,push:10:1:new,push:10:8,remote_write:10:1,remote_write:10:8,remote_write:2000:1,\
         otlp:10:1,otlp:10:8,syslog:1:1,syslog:1:8,syslog:100:1")]
    shapes: Vec<Shape>,
    /// Requests of a turn at most.
    #[arg(long, default_value_t = 2_000)]
    requests: usize,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Requests of one kind and size by some clients, each of which waits for an answer before it sends the next.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Shape {
    kind: Kind,
    values: usize,
    clients: usize,
    /// Several requests on one connection.
    keep: bool,
}

impl Shape {
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("not KIND:VALUES:CLIENTS or KIND:VALUES:CLIENTS:new: {text}");
        let parts: Vec<&str> = text.trim().split(':').collect();
        let (kind, values, clients, keep) = match *parts.as_slice() {
            [kind, values, clients] => (kind, values, clients, true),
            [kind, values, clients, "new"] => (kind, values, clients, false),
            _ => return Err(wrong()),
        };
        let kind = Kind::named(kind).ok_or_else(wrong)?;
        let number = |it: &str| it.parse().ok().filter(|it| 0 < *it).ok_or_else(wrong);
        Ok(Self { kind, values: number(values)?, clients: number(clients)?, keep })
    }

    fn speaks(&self) -> Speaks {
        if self.kind == Kind::Syslog { Speaks::Lines } else { Speaks::Http }
    }
}

/// Sends requests, turn after turn.
struct Generator {
    clock: Clock,
    messages: Messages,
    /// Of the next request that anybody sends.
    next: AtomicUsize,
    requests_max: usize,
}

impl Generator {
    /// Sends requests of a shape, and adds their results. `settle` returns when the lines of a turn
    /// are taken.
    fn load(
        &self,
        to: Target,
        shape: Shape,
        measured: &mut Measured,
        settle: impl Fn(usize) -> Result<(), BenchError>,
    ) -> Result<(), BenchError> {
        let most = self.requests_max.max(1);
        let n_requests =
            (VALUES_A_TURN / shape.values).max(REQUESTS_A_TURN_MIN).min(most).max(shape.clients);
        let worker = |take: &(dyn Fn() -> bool + Sync)| match shape.kind {
            Kind::Syslog => self.write_lines(to, shape, take),
            _ => self.ask(to, shape, take),
        };
        let (cpu, slept) = (cpu_ns(to.pid), switches(to.pid));
        measured.waits_us.extend(side_by_side(shape.clients, n_requests, worker)?);
        if shape.kind == Kind::Syslog {
            (0..SETTLED).for_each(|_| pause());
        }
        measured.cpu_ns += cpu_ns(to.pid).saturating_sub(cpu);
        measured.switches += switches(to.pid).saturating_sub(slept);
        settle(n_requests * shape.values)
    }

    /// Requests of one client of HTTP; how long it waited for each, in microseconds.
    fn ask(
        &self,
        to: Target,
        shape: Shape,
        take: impl Fn() -> bool,
    ) -> Result<Vec<u64>, BenchError> {
        let (mut request, mut kept, mut waits_us) = (Vec::new(), None, Vec::new());
        while take() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            self.messages.fill(shape.kind, (number, shape.values), &mut request)?;
            let begun_ns = self.clock.mono_ns();
            let mut connection = match kept.take() {
                Some(it) => it,
                None => Http::open(to.http)?,
            };
            connection.ask(&request)?;
            waits_us.push((self.clock.mono_ns() - begun_ns) / 1_000);
            kept = shape.keep.then_some(connection);
        }
        Ok(waits_us)
    }

    /// Writes lines at a pace; a wait is the time of the write alone.
    fn write_lines(
        &self,
        to: Target,
        shape: Shape,
        take: impl Fn() -> bool,
    ) -> Result<Vec<u64>, BenchError> {
        let (mut lines, mut connection) = (Vec::new(), Lines::open(to.lines)?);
        let mut waits_us = Vec::new();
        let each_ns = LINE_NS * LINES_PACE_MIN.max(shape.values as u64);
        let mut due_ns = self.clock.mono_ns();
        while take() {
            let left_ns = due_ns.saturating_sub(self.clock.mono_ns());
            due_ns += each_ns;
            #[expect(clippy::disallowed_methods, reason = "the pace is what is measured")]
            std::thread::sleep(std::time::Duration::from_nanos(left_ns));
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            self.messages.fill(shape.kind, (number, shape.values), &mut lines)?;
            let begun_ns = self.clock.mono_ns();
            connection.write(&lines)?;
            waits_us.push((self.clock.mono_ns() - begun_ns) / 1_000);
        }
        connection.end()?;
        Ok(waits_us)
    }
}

pub(super) fn run(args: &PushesArgs) -> Result<(), BenchError> {
    let lines = free_address().map_err(BenchError::Start)?;
    let settings = [
        ("SAKER_SYSLOG_LISTEN_TCP", &*lines.to_string().leak()),
        ("SAKER_SYSLOG_HOST_MESSAGES_PER_SECOND", "1000000000"),
    ];
    let (scratch, program) = (&args.common.scratch, args.server.as_deref());
    // They are read until the process ends.
    let server = Server::start_with(scratch, "pushes", program, Box::leak(Box::new(settings)))?;
    let client = Client::login(&server)?;
    configure(&client, args)?;
    let clock = Clock::real();
    let now_s = clock.now().wall.clock();
    let series = (0..args.hosts * args.items).map(|it| labels(it, args.items)).collect();
    let token = token(&client)?;
    let messages = Messages { series, items: args.items, first_clock: now_s - 80_000, token };
    let generator =
        Generator { clock, messages, next: AtomicUsize::new(0), requests_max: args.requests };
    let to = Target { pid: server.receiving().pid, http: server.http, lines };
    warm_up(&generator, to, args)?;
    let bares = [Bare::start_for(Speaks::Http)?, Bare::start_for(Speaks::Lines)?];
    let taken = || client.metric_or_zero("saker_syslog_values_total");
    for shape in &args.shapes {
        let bare = if shape.speaks() == Speaks::Http { &bares[0] } else { &bares[1] };
        let bare = bare.receiving();
        let to_bare = Target { pid: bare.pid, http: bare.trapper, lines: bare.trapper };
        let (mut of_server, mut of_bare) = (Measured::default(), Measured::default());
        let io = server.io();
        for _ in 0..TURNS {
            let before = taken()?;
            generator.load(to, *shape, &mut of_server, |n| {
                let is_all = || Ok(shape.kind != Kind::Syslog || before + n as u64 <= taken()?);
                match comes(LINES_SECONDS_MAX, is_all)? {
                    true => Ok(()),
                    false => Err(BenchError::Lost { sent: n as u64, processed: taken()? - before }),
                }
            })?;
            generator.load(to_bare, *shape, &mut of_bare, |_| Ok(()))?;
        }
        let writes = server.io().writes.saturating_sub(io.writes);
        let mut figures = of_server.compared_with(&mut of_bare);
        figures["kind"] = shape.kind.name().into();
        figures["values_per_request"] = shape.values.into();
        figures["clients"] = shape.clients.into();
        figures["kept"] = shape.keep.into();
        figures["writes"] = rounded(writes as f64 / of_server.n() as f64).into();
        figures["load_average"] = load_average().into();
        report(&args.common, "pushes", figures)?;
    }
    Ok(())
}

/// Hosts with trapper items, which take series and lines as well.
fn configure(client: &Client, args: &PushesArgs) -> Result<(), BenchError> {
    let load = client.create_template(Load::Senders, args.items, args.items / 5)?;
    let hosts = client.create_hosts(args.hosts, Some(&load))?;
    let template = import_template(client)?;
    let ids: Vec<_> = hosts.iter().map(|it| json!({"hostid": it})).collect();
    let with = json!({"hosts": ids, "templates": [{"templateid": template}]});
    client.call("host.massadd", &with)?;
    let Some(host) = hosts.first() else { return Ok(()) };
    let interface = json!({
        "hostid": host, "type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "",
        "port": "10050",
    });
    client.call("hostinterface.create", &interface)?;
    let item = json!({
        "hostid": host, "name": "Messages", "key_": "syslog", "type": 2, "value_type": 2,
    });
    client.call("item.create", &item).map(drop)
}

/// Every item and every series once, so that items, windows, slots and chunks exist.
fn warm_up(generator: &Generator, to: Target, args: &PushesArgs) -> Result<(), BenchError> {
    let mut request = Vec::new();
    for kind in [Kind::Push, Kind::RemoteWrite, Kind::Otlp] {
        for number in 0..args.hosts {
            generator.messages.fill(kind, (number, args.items), &mut request)?;
            // Items of new series take a busy machine some seconds: it says then that the request is to come again.
            let is_taken = comes(ITEMS_SECONDS_MAX, || match Http::open(to.http)?.ask(&request) {
                Err(BenchError::Answer(text)) if text.starts_with("HTTP/1.1 503") => Ok(false),
                asked => asked.map(|()| true),
            })?;
            if !is_taken {
                return Err(BenchError::Answer("503".to_owned()));
            }
        }
    }
    // Discovery has written its rows by then.
    wait(3);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_name_kind_values_clients_and_connections() {
        let shape = |text: &str| Shape::parse(text).ok().map(|it| (it.kind, it.values, it.keep));
        assert_eq!(shape("push:10:8"), Some((Kind::Push, 10, true)));
        assert_eq!(shape("remote_write:2000:1:new"), Some((Kind::RemoteWrite, 2_000, false)));
        for wrong in ["push", "push:10", "push:0:1", "pull:1:1", "push:1:1:kept", "push:1:x"] {
            assert_eq!(shape(wrong), None, "{wrong}");
        }
    }
}
