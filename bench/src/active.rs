//! Active agents: each asks for its list of checks once, and then sends the values of all its items
//! in one request on a new connection, again and again, as `zabbix_agentd` does with a full buffer.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use serde_json::{Value, json};

use super::client::{Client, Load};
use super::load::Connection;
use super::process::Server;
use crate::common::{BenchError, Common};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct ActiveArgs {
    /// Agents.
    #[arg(long, default_value_t = 1_000)]
    hosts: usize,
    /// Items an agent, which are the values of a request.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Threshold triggers a host.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// Values to send.
    #[arg(long, default_value_t = 5_000_000)]
    values: usize,
    /// Agents that send at once.
    #[arg(long, default_value_t = 4)]
    connections: usize,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &ActiveArgs) -> Result<(), BenchError> {
    let server = Server::start(&args.common.scratch, "active")?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Active, args.items, args.triggers)?;
    client.create_hosts(args.hosts, Some(&template))?;
    let clock = rt::clock::Clock::real();

    let cpu = server.cpu_ns();
    let mut agents = (0..args.hosts)
        .map(|it| Agent::start(&server, it, args.items))
        .collect::<Result<Vec<_>, _>>()?;
    let cpu_ns_per_list = (server.cpu_ns() - cpu) / (args.hosts as u64).max(1);

    // Every item once, so that windows, slots and chunks exist.
    let first_clock = clock.now().wall.clock() - 80_000;
    let n_rounds = args.values.div_ceil((args.hosts * args.items).max(1));
    send(&server, &mut agents, args.connections, (first_clock, 1))?;
    let (cpu, wall) = (server.cpu_ns(), clock.mono_ns());
    let values = send(&server, &mut agents, args.connections, (first_clock + 1, n_rounds))?;
    let cpu_ns = server.cpu_ns() - cpu;
    let wall_ms = (clock.mono_ns() - wall) / 1_000_000;
    let memory = server.memory();
    report(
        &args.common,
        "active",
        json!({
            "hosts": args.hosts,
            "items": args.hosts * args.items,
            "triggers": args.hosts * args.triggers,
            "values": values,
            "values_per_request": args.items,
            "cpu_ns_per_value": cpu_ns / values.max(1),
            "values_per_second": values * 1_000 / wall_ms.max(1),
            "cpu_ns_per_list": cpu_ns_per_list,
            "rss_mb": memory.rss >> 20,
            "rss_peak_mb": memory.peak >> 20,
        }),
    )
}

/// All agents send `n_rounds` times, the values of a round a second later than those before.
/// Returns the number of values.
fn send(
    server: &Server,
    agents: &mut [Agent],
    n_threads: usize,
    (clock, n_rounds): (i64, usize),
) -> Result<u64, BenchError> {
    let (sent, processed) = (AtomicU64::new(0), AtomicU64::new(0));
    let worker = |agents: &mut [Agent]| -> Result<(), BenchError> {
        let (mut body, mut packet) = (String::new(), Vec::new());
        for round in 0..n_rounds {
            let at = clock + i64::try_from(round).unwrap_or(0);
            for agent in &mut *agents {
                agent.fill(at, &mut body);
                packet.clear();
                wire::zbxd::encode(body.as_bytes(), &mut packet);
                let (good, _failed) = Connection::open(server.trapper)?.send(&packet)?;
                sent.fetch_add(agent.items.len() as u64, Ordering::Relaxed);
                processed.fetch_add(good, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let (worker, each) = (&worker, agents.len().div_ceil(n_threads.max(1)).max(1));
        let parts = agents.chunks_mut(each);
        let workers: Vec<_> = parts.map(|some| scope.spawn(move || worker(some))).collect();
        workers.into_iter().try_for_each(|it| it.join().expect("a generator does not panic"))
    })?;
    let (sent, processed) = (sent.into_inner(), processed.into_inner());
    if processed == sent { Ok(processed) } else { Err(BenchError::Lost { sent, processed }) }
}

/// One agent, of version 7.0.
pub(super) struct Agent {
    host: String,
    session: String,
    items: Vec<u64>,
    last_id: u64,
}

impl Agent {
    /// Asks for the checks.
    pub(super) fn start(
        server: &Server,
        number: usize,
        n_items: usize,
    ) -> Result<Self, BenchError> {
        let (host, session) = (format!("bench-{number}"), format!("{number:032x}"));
        let mut agent = Self { host, session, items: Vec::new(), last_id: 0 };
        let mut packet = Vec::new();
        wire::zbxd::encode(agent.asks_list().as_bytes(), &mut packet);
        let text = Connection::open(server.trapper)?.ask(&packet)?;
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        let list = answer["data"].as_array().map(Vec::as_slice).unwrap_or_default();
        agent.items = list.iter().filter_map(|it| it["itemid"].as_u64()).collect();
        match agent.items.len() == n_items {
            true => Ok(agent),
            false => Err(BenchError::Answer(text)),
        }
    }

    /// The request for the list of checks.
    pub(super) fn asks_list(&self) -> String {
        let request = json!({
            "request": "active checks", "host": self.host, "version": "7.0.0", "variant": 1,
            "session": self.session, "config_revision": 0,
        });
        request.to_string()
    }

    /// The heartbeat.
    pub(super) fn lives(&self) -> String {
        let beat = json!({
            "request": "active check heartbeat", "host": self.host, "heartbeat_freq": 60,
            "version": "7.0.0", "variant": 1,
        });
        beat.to_string()
    }

    /// A request with a value for each item.
    pub(super) fn fill(&mut self, clock: i64, body: &mut String) {
        body.clear();
        let Self { host, session, .. } = self;
        write!(
            body,
            r#"{{"request":"agent data","session":"{session}","version":"7.0.0","variant":1,"host":"{host}","data":["#
        )
        .expect("writing to a String succeeds");
        for (at, item) in self.items.iter().enumerate() {
            self.last_id += 1;
            let value = (u64::try_from(clock).unwrap_or(0) * 31 + item * 7_919) % 99_991;
            write!(
                body,
                r#"{}{{"itemid":{item},"value":"{}.{}","id":{},"clock":{clock},"ns":{}}}"#,
                if at == 0 { "" } else { "," },
                value / 10,
                value % 10,
                self.last_id,
                item * 999_983 % 1_000_000_000,
            )
            .expect("writing to a String succeeds");
        }
        write!(body, r#"],"clock":{clock},"ns":0}}"#).expect("writing to a String succeeds");
    }
}
