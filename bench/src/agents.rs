//! A fleet of active agents in addition to values in bulk: each sends ten values every ten seconds
//! on a new connection, asks for its list of checks every two minutes and sends a heartbeat each
//! minute. Their cost is the difference to the bulk alone, and is reported with the cost of the
//! bare receiver for the same values.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use rt::clock::Clock;
use serde_json::json;

use super::active::Agent;
use super::background::{Background, Rate, percentile_ms, wait_until};
use super::client::{Client, Load};
use super::load::{Connection, frame};
use super::process::{Receiving, Server, cpu_ns, load_average};
use super::receiver::Bare;
use super::settle::wait_for;
use crate::common::{BenchError, Common};
use crate::report::report;

/// Values of each agent every [`ROUND_S`].
const ITEMS: usize = 10;
const ROUND_S: u64 = 10;
/// Rounds from one list to the next, and from one heartbeat to the next.
const LIST_EACH: usize = 12;
const HEARTBEAT_EACH: usize = 6;
/// Threads of the generator: requests under way at once.
const THREADS: usize = 8;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct AgentsArgs {
    #[arg(long, default_value_t = 10_000)]
    agents: usize,
    /// Values a second in bulk meanwhile, to items of their own.
    #[arg(long, default_value_t = 200_000)]
    values_per_s: u64,
    /// Seconds of each part: the bulk alone, with the agents, the agents alone, the bare receiver.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// The results of the agents' requests.
#[derive(Default)]
struct Played {
    times_ns: Vec<u64>,
    n_lists: u64,
    /// Of the process that takes the values, while they were sent.
    cpu_percent: f64,
}

/// Whether the answers are those of a server, or of a receiver that knows no lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Peer {
    Server,
    Bare,
}

struct Fleet<'a> {
    clock: &'a Clock,
    seconds: u64,
}

impl Fleet<'_> {
    /// All agents live for that time.
    fn play(&self, agents: &mut [Agent], to: Receiving, peer: Peer) -> Result<Played, BenchError> {
        let played = Mutex::new(Played::default());
        let (cpu, begun_ns) = (cpu_ns(to.pid), self.clock.mono_ns());
        let each = agents.len().div_ceil(THREADS).max(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = agents
                .chunks_mut(each)
                .map(|some| {
                    let played = &played;
                    scope.spawn(move || -> Result<(), BenchError> {
                        let part = self.some(some, begun_ns, (to.trapper, peer))?;
                        let mut all = played.lock().expect("a generator does not panic");
                        all.times_ns.extend(part.times_ns);
                        all.n_lists += part.n_lists;
                        Ok(())
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|it| it.join().expect("a generator does not panic"))
        })?;
        let mut played = played.into_inner().expect("a generator does not panic");
        played.cpu_percent = percent(cpu_ns(to.pid) - cpu, self.clock.mono_ns() - begun_ns);
        Ok(played)
    }

    /// One thread's agents, one after the other, at times that do not depend on answers.
    fn some(
        &self,
        agents: &mut [Agent],
        begun_ns: u64,
        (to, peer): (SocketAddr, Peer),
    ) -> Result<Played, BenchError> {
        let mut played = Played::default();
        let (mut body, mut packet) = (String::new(), Vec::new());
        let (n, n_rounds) =
            (agents.len(), usize::try_from(self.seconds.div_ceil(ROUND_S).max(1)).unwrap_or(1));
        let step_ns = ROUND_S * 1_000_000_000 / n.max(1) as u64;
        for turn in 0..n * n_rounds {
            let due_ns = begun_ns + step_ns * turn as u64;
            if self.seconds * 1_000_000_000 <= due_ns - begun_ns {
                break;
            }
            wait_until(self.clock, due_ns);
            let (round, at) = (turn / n, turn % n);
            let agent = &mut agents[at];
            if peer == Peer::Server && (round + at) % LIST_EACH == 0 {
                frame(&agent.asks_list(), &mut packet);
                Connection::open(to)?.ask(&packet)?;
                played.n_lists += 1;
            }
            if peer == Peer::Server && (round + at) % HEARTBEAT_EACH == 0 {
                frame(&agent.lives(), &mut packet);
                Connection::open(to)?.post(&packet)?;
            }
            agent.fill(self.clock.wall().clock(), &mut body);
            frame(&body, &mut packet);
            let sent_ns = self.clock.mono_ns();
            let (processed, failed) = Connection::open(to)?.send(&packet)?;
            played.times_ns.push(self.clock.mono_ns() - sent_ns);
            if peer == Peer::Server && processed != ITEMS as u64 {
                return Err(BenchError::Lost { sent: processed + failed, processed });
            }
        }
        Ok(played)
    }
}

fn percent(cpu_ns: u64, wall_ns: u64) -> f64 {
    (cpu_ns as f64 / wall_ns.max(1) as f64 * 10_000.0).round() / 100.0
}

pub(super) fn run(args: &AgentsArgs) -> Result<(), BenchError> {
    let server = Server::start_program(&args.common.scratch, "agents", args.server.as_deref())?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Active, ITEMS, ITEMS / 2)?;
    let bulk: Vec<_> = (ITEMS..2 * ITEMS)
        .map(|it| {
            json!({"hostid": template, "name": format!("Bulk {it}"), "key_": format!("load[{it}]"),
            "type": 2, "value_type": 0})
        })
        .collect();
    client.ids("item.create", &json!(bulk))?;
    client.create_hosts(args.agents, Some(&template))?;
    let mut agents = (0..args.agents)
        .map(|it| Agent::start(&server, it, ITEMS))
        .collect::<Result<Vec<_>, _>>()?;
    let rate = Rate {
        hosts: args.agents,
        items: ITEMS,
        first_item: ITEMS,
        values_per_s: args.values_per_s,
        has_texts: false,
    };
    let clock = Clock::real();
    let fleet = Fleet { clock: &clock, seconds: args.seconds };
    let part = Duration::from_secs(args.seconds);
    // Every item once, so that windows, slots and chunks exist.
    fleet.play(&mut agents, server.receiving(), Peer::Server)?;
    let load = Background::start(server.trapper, rate);
    wait_for(Duration::from_secs(10));
    let (cpu, wall) = (server.cpu_ns(), clock.mono_ns());
    wait_for(part);
    let alone = percent(server.cpu_ns() - cpu, clock.mono_ns() - wall);
    let mut with_bulk = fleet.play(&mut agents, server.receiving(), Peer::Server)?;
    let n_values = load.n_values();
    load.end()?;
    let mut quiet = fleet.play(&mut agents, server.receiving(), Peer::Server)?;
    let bare = Bare::start()?;
    let mut least = fleet.play(&mut agents, bare.receiving(), Peer::Bare)?;
    report(
        &args.common,
        "agents",
        json!({
            "agents": args.agents,
            "requests_per_second": with_bulk.times_ns.len() as u64 / args.seconds.max(1),
            "lists": with_bulk.n_lists,
            "bulk_values": n_values,
            "bulk_cpu_percent": alone,
            "agents_beside_bulk_cpu_percent": ((with_bulk.cpu_percent - alone) * 100.0).round() / 100.0,
            "agents_alone_cpu_percent": quiet.cpu_percent,
            "bare_cpu_percent": least.cpu_percent,
            "p50_ms": percentile_ms(&mut with_bulk.times_ns, 50),
            "p99_ms": percentile_ms(&mut with_bulk.times_ns, 99),
            "alone_p50_ms": percentile_ms(&mut quiet.times_ns, 50),
            "alone_p99_ms": percentile_ms(&mut quiet.times_ns, 99),
            "bare_p50_ms": percentile_ms(&mut least.times_ns, 50),
            "bare_p99_ms": percentile_ms(&mut least.times_ns, 99),
            "load_average": load_average(),
            "rss_mb": server.memory().rss >> 20,
        }),
    )
}
