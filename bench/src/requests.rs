//! The cost of a request of the sender protocol by its size and the number of clients, alternating
//! with the bare receiver: processor time, the wait of the client, and how often threads of the
//! server go to sleep for it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use rt::clock::Clock;
use serde_json::{Value, json};

use super::client::{Client, Load};
use super::load::{Connection, Request};
use super::process::{Receiving, Server, cpu_ns, load_average, switches};
use super::receiver::Bare;
use crate::common::{BenchError, Common};
use crate::report::report;

/// Times that server and bare receiver are loaded, in turns: other work of the machine then affects
/// both.
pub(super) const TURNS: usize = 4;
/// Values that each turn of a shape sends at least, and the fewest and most requests.
const VALUES_A_TURN: usize = 200_000;
const REQUESTS_A_TURN: (usize, usize) = (500, 4_000);
/// A normal day: so many values a second, in requests of this size.
const PACED: (usize, usize) = (16_000, 250);

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct RequestsArgs {
    #[arg(long, default_value_t = 1_000)]
    hosts: usize,
    /// Items a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Threshold triggers a host.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// Shapes that are measured, as VALUES:CLIENTS or VALUES:CLIENTS:kept for several requests on a connection.
    #[arg(long, value_delimiter = ',', value_parser = Shape::parse, default_value =
        "1:1,10:1,10:8,10:64,100:8,250:8,250:4:kept,1000:8")]
    shapes: Vec<Shape>,
    /// Seconds of the paced part; 0: none.
    #[arg(long, default_value_t = 10)]
    paced_seconds: usize,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Requests of one size by some clients, each of which waits for an answer before it sends the next.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Shape {
    values: usize,
    clients: usize,
    /// Several requests on one connection.
    keep: bool,
}

impl Shape {
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("not VALUES:CLIENTS or VALUES:CLIENTS:kept: {text}");
        let parts: Vec<&str> = text.split(':').collect();
        let (values, clients, keep) = match *parts.as_slice() {
            [values, clients] => (values, clients, false),
            [values, clients, "kept"] => (values, clients, true),
            _ => return Err(wrong()),
        };
        let number = |it: &str| it.parse().ok().filter(|it| 0 < *it).ok_or_else(wrong);
        Ok(Self { values: number(values)?, clients: number(clients)?, keep })
    }

    fn requests_a_turn(&self) -> usize {
        (VALUES_A_TURN / self.values).clamp(REQUESTS_A_TURN.0, REQUESTS_A_TURN.1)
    }
}

/// Runs so many clients at once, each of which sends a request whenever its argument says that there is one left; returns
/// how long each request waited.
pub(super) fn side_by_side(
    n_clients: usize,
    n_requests: usize,
    client: impl Fn(&(dyn Fn() -> bool + Sync)) -> Result<Vec<u64>, BenchError> + Sync,
) -> Result<Vec<u64>, BenchError> {
    let left = AtomicUsize::new(n_requests);
    let take =
        || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it.checked_sub(1)).is_ok();
    let mut waits_us = Vec::new();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..n_clients).map(|_| scope.spawn(|| client(&take))).collect();
        clients.into_iter().try_for_each(|it| {
            waits_us.extend(it.join().expect("a generator does not panic")?);
            Ok::<(), BenchError>(())
        })
    })?;
    Ok(waits_us)
}

/// The results of some turns.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) cpu_ns: u64,
    pub(super) switches: u64,
    /// How long clients waited from the beginning of a connection, or of a request on a kept one, in microseconds.
    pub(super) waits_us: Vec<u64>,
}

impl Measured {
    /// Requests.
    pub(super) fn n(&self) -> u64 {
        (self.waits_us.len() as u64).max(1)
    }

    /// The results of the same requests to a server and to a bare receiver.
    pub(super) fn compared_with(&mut self, bare: &mut Self) -> Value {
        json!({
            "requests": self.n(),
            "cpu_us": self.cpu_us(),
            "bare_cpu_us": bare.cpu_us(),
            "ratio_to_bare": rounded(self.cpu_us() / bare.cpu_us().max(0.01)),
            "p50_ms": self.wait_ms(50),
            "p99_ms": self.wait_ms(99),
            "bare_p50_ms": bare.wait_ms(50),
            "bare_p99_ms": bare.wait_ms(99),
            "switches": rounded(self.switches as f64 / self.n() as f64),
            "bare_switches": rounded(bare.switches as f64 / bare.n() as f64),
        })
    }

    fn cpu_us(&self) -> f64 {
        rounded(self.cpu_ns as f64 / self.n() as f64 / 1_000.0)
    }

    /// In milliseconds.
    fn wait_ms(&mut self, percent: usize) -> f64 {
        self.waits_us.sort_unstable();
        let at = (self.waits_us.len() * percent / 100).min(self.waits_us.len().saturating_sub(1));
        self.waits_us.get(at).map_or(0.0, |it| *it as f64 / 1_000.0)
    }
}

pub(super) fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

struct Generator {
    clock: Clock,
    hosts: usize,
    items: usize,
    /// Of the next request that anybody sends.
    next: AtomicUsize,
    first_clock: i64,
}

impl Generator {
    /// The bytes of the next request: values of consecutive items, round after round over all of them.
    fn fill<'a>(&self, n: usize, request: &'a mut Request) -> &'a [u8] {
        let total = self.hosts * self.items;
        let per_round = (total / n).max(1);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let clock = self.first_clock + i64::try_from(number / per_round).unwrap_or(0);
        request.fill(number % per_round * n, n.min(total), self.items, clock)
    }

    /// Sends requests of a shape, and adds their results.
    fn load(&self, to: Receiving, shape: Shape, measured: &mut Measured) -> Result<(), BenchError> {
        let worker = |take: &(dyn Fn() -> bool + Sync)| {
            let (mut request, mut kept, mut waits_us) = (Request::default(), None, Vec::new());
            while take() {
                let packet = self.fill(shape.values, &mut request);
                let begun_ns = self.clock.mono_ns();
                let mut connection = match kept.take().filter(Connection::is_fresh) {
                    Some(it) => it,
                    None => Connection::open(to.trapper)?,
                };
                let (processed, failed) = connection.send(packet)?;
                waits_us.push((self.clock.mono_ns() - begun_ns) / 1_000);
                if processed != shape.values as u64 {
                    return Err(BenchError::Lost { sent: processed + failed, processed });
                }
                kept = shape.keep.then_some(connection);
            }
            Ok(waits_us)
        };
        let (cpu, slept) = (cpu_ns(to.pid), switches(to.pid));
        measured.waits_us.extend(side_by_side(shape.clients, shape.requests_a_turn(), worker)?);
        measured.cpu_ns += cpu_ns(to.pid).saturating_sub(cpu);
        measured.switches += switches(to.pid).saturating_sub(slept);
        Ok(())
    }

    /// Sends requests at times that do not depend on the answers; gives the number of values.
    fn pace(
        &self,
        to: Receiving,
        seconds: usize,
        measured: &mut Measured,
    ) -> Result<u64, BenchError> {
        let (values_a_second, n) = PACED;
        let n_requests = seconds * values_a_second / n;
        let each_ns = 1_000_000_000 * n as u64 / values_a_second as u64;
        let (cpu, slept, begun_ns) = (cpu_ns(to.pid), switches(to.pid), self.clock.mono_ns());
        let mut request = Request::default();
        for number in 0..n_requests as u64 {
            let due_ns = begun_ns + number * each_ns;
            let left_ns = due_ns.saturating_sub(self.clock.mono_ns());
            #[expect(clippy::disallowed_methods, reason = "the pace is what is measured")]
            std::thread::sleep(std::time::Duration::from_nanos(left_ns));
            let packet = self.fill(n, &mut request);
            let sent_ns = self.clock.mono_ns();
            let (processed, failed) = Connection::open(to.trapper)?.send(packet)?;
            measured.waits_us.push((self.clock.mono_ns() - sent_ns) / 1_000);
            if processed != n as u64 {
                return Err(BenchError::Lost { sent: processed + failed, processed });
            }
        }
        measured.cpu_ns += cpu_ns(to.pid).saturating_sub(cpu);
        measured.switches += switches(to.pid).saturating_sub(slept);
        Ok((n_requests * n) as u64)
    }
}

pub(super) fn run(args: &RequestsArgs) -> Result<(), BenchError> {
    let server = Server::start_program(&args.common.scratch, "requests", args.server.as_deref())?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let clock = Clock::real();
    let first_clock = clock.now().wall.clock() - 80_000;
    let generator = Generator {
        clock,
        hosts: args.hosts,
        items: args.items,
        next: AtomicUsize::new(0),
        first_clock,
    };
    let bare = Bare::start()?;
    // Every item once, so that windows, slots and chunks exist.
    let mut warm = Request::default();
    for host in 0..args.hosts {
        let packet = warm.fill(host * args.items, args.items, args.items, first_clock - 1);
        Connection::open(server.trapper)?.send(packet)?;
        Connection::open(bare.receiving().trapper)?.send(packet)?;
    }
    for shape in &args.shapes {
        let (mut of_server, mut of_bare) = (Measured::default(), Measured::default());
        let io = server.io();
        for _ in 0..TURNS {
            generator.load(server.receiving(), *shape, &mut of_server)?;
            generator.load(bare.receiving(), *shape, &mut of_bare)?;
        }
        let writes = server.io().writes.saturating_sub(io.writes);
        let mut figures = of_server.compared_with(&mut of_bare);
        figures["values_per_request"] = shape.values.into();
        figures["clients"] = shape.clients.into();
        figures["kept"] = shape.keep.into();
        figures["writes"] = rounded(writes as f64 / of_server.n() as f64).into();
        figures["load_average"] = load_average().into();
        report(&args.common, "requests", figures)?;
    }
    if args.paced_seconds == 0 {
        return Ok(());
    }
    let (mut paced, mut of_bare) = (Measured::default(), Measured::default());
    let (mut values, mut wall_ns, mut writes) = (0, 0, 0);
    for _ in 0..TURNS {
        let (seconds, begun_ns) = (args.paced_seconds.div_ceil(TURNS), generator.clock.mono_ns());
        let io = server.io();
        values += generator.pace(server.receiving(), seconds, &mut paced)?;
        wall_ns += generator.clock.mono_ns() - begun_ns;
        writes += server.io().writes.saturating_sub(io.writes);
        generator.pace(bare.receiving(), seconds, &mut of_bare)?;
    }
    report(
        &args.common,
        "requests_paced",
        json!({
            "values_per_second": values * 1_000_000_000 / wall_ns.max(1),
            "values_per_request": PACED.1,
            "cpu_ns_per_value": paced.cpu_ns / values.max(1),
            "bare_cpu_ns_per_value": of_bare.cpu_ns / values.max(1),
            "p50_ms": paced.wait_ms(50),
            "p99_ms": paced.wait_ms(99),
            "switches": rounded(paced.switches as f64 / paced.n() as f64),
            "writes_per_second": writes * 1_000_000_000 / wall_ns.max(1),
            "load_average": load_average(),
        }),
    )
}
