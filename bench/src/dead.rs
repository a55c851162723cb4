//! Thousands of devices, a part of which drops every packet: the cost of the dead ones, and the
//! effect on the living.
//!
//! Dead devices have addresses of a network that swallows packets (`scripts/with-dead-network.sh` makes one); living ones are
//! responders of this process. The same server is measured with the living alone, while it finds out that
//! the others are dead, and when it knows.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread;

use clap::Args;
use serde_json::{Value, json};

use super::client::Client;
use super::polling::devices::{answer_agents, answer_snmp};
use super::polling::protocol::address;
use super::process::{Server, load_average, wait};
use crate::common::{BenchError, Common, io_error};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct DeadArgs {
    /// Devices, each an agent, an SNMP agent and an address that is pinged.
    #[arg(long, default_value_t = 10_000)]
    hosts: usize,
    /// Each item is due once in so many seconds.
    #[arg(long, default_value_t = 30)]
    delay: u64,
    /// How long each of the three times is measured.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    #[command(flatten)]
    common: Common,
}

/// Items of each kind of a host.
const AGENT_ITEMS: usize = 5;
const SNMP_ITEMS: usize = 10;
/// 198.18.0.0/15 is for benchmarks: nobody else has it.
const DEAD_NETWORK: &str = "198.18";
/// Until an interface that fails is not available any more, and its probes are rare.
const SETTLE_S: u64 = 60;

pub(super) fn run(args: &DeadArgs) -> Result<(), BenchError> {
    let ports = respond()?;
    let server = Server::start(&args.common.scratch, "dead")?;
    let client = Client::login(&server)?;
    let configuration = Configuration::create(&client, args)?;
    let n_living = args.hosts / 2;
    configuration
        .hosts(&client, 0..n_living, |host| (address(host), "127.0.0.1".to_owned(), ports))?;
    wait(args.delay + 10);
    let living = Period::measure(&server, &client, args.seconds)?;
    let dead = |host: usize| format!("{DEAD_NETWORK}.{}.{}", host / 250 % 250, host % 250 + 2);
    configuration.hosts(&client, n_living..args.hosts, |host| (dead(host), dead(host), ports))?;
    let dying = Period::measure(&server, &client, args.seconds)?;
    wait(SETTLE_S);
    let settled = Period::measure(&server, &client, args.seconds)?;
    let ratio = |it: &Period| (it.cpu_percent / living.cpu_percent * 100.0).round() / 100.0;
    let figures = json!({
        "hosts": args.hosts,
        "items": args.hosts * (AGENT_ITEMS + SNMP_ITEMS + 1),
        "living_alone": living.figures(),
        "dying": dying.figures(),
        "half_dead": settled.figures(),
        "cpu_ratio_dying": ratio(&dying),
        "cpu_ratio_half_dead": ratio(&settled),
        "load_average": load_average(),
    });
    report(&args.common, "dead_devices", figures)
}

/// Ports of an agent and of an SNMP agent.
type Ports = (u16, u16);

fn respond() -> Result<Ports, BenchError> {
    let opened = io_error("open a port");
    let listener = std::net::TcpListener::bind("0.0.0.0:0").map_err(opened)?;
    let agent = listener.local_addr().map_err(io_error("open a port"))?.port();
    thread::spawn(move || answer_agents(listener));
    let socket = UdpSocket::bind("127.0.0.1:0").map_err(io_error("open a port"))?;
    let snmp = socket.local_addr().map_err(io_error("open a port"))?.port();
    let n_requests = Arc::new(AtomicU64::new(0));
    thread::spawn(move || answer_snmp(&socket, &n_requests));
    Ok((agent, snmp))
}

struct Configuration {
    template: String,
    group: String,
}

impl Configuration {
    fn create(client: &Client, args: &DeadArgs) -> Result<Self, BenchError> {
        let group = client.ids("templategroup.create", &json!({"name": "Bench"}))?.remove(0);
        let template = json!({"host": "Bench devices", "groups": [{"groupid": group}]});
        let template = client.ids("template.create", &template)?.remove(0);
        let agent = (0..AGENT_ITEMS).map(|it| json!({"type": 0, "key_": format!("agent[{it}]")}));
        let snmp = (0..SNMP_ITEMS).map(|it| {
            let oid = format!("1.3.6.1.4.1.8072.9999.9999.{}.0", it + 1);
            json!({"type": 20, "key_": format!("snmp[{it}]"), "snmp_oid": oid})
        });
        let ping = json!({"type": 3, "key_": "icmppingsec[,1]"});
        let mut items: Vec<Value> = agent.chain(snmp).chain([ping]).collect();
        for item in &mut items {
            item["hostid"] = json!(template);
            item["name"] = item["key_"].clone();
            item["value_type"] = json!(0);
            item["delay"] = json!(format!("{}s", args.delay));
        }
        client.ids("item.create", &json!(items))?;
        let group = client.ids("hostgroup.create", &json!({"name": "Bench"}))?.remove(0);
        Ok(Self { template, group })
    }

    /// `place`: addresses of the agent and of the SNMP agent, and their ports.
    fn hosts(
        &self,
        client: &Client,
        numbers: std::ops::Range<usize>,
        place: impl Fn(usize) -> (String, String, Ports),
    ) -> Result<(), BenchError> {
        let host = |number: usize| {
            let (agent, snmp, ports) = place(number);
            let interface = |kind: u8, ip: &str, port: u16| json!({"type": kind, "main": 1, "useip": 1, "ip": ip, "dns": "", "port": port.to_string()});
            let mut by_snmp = interface(2, &snmp, ports.1);
            by_snmp["details"] = json!({"version": 2, "bulk": 1, "community": "public"});
            json!({
                "host": format!("bench-{number}"), "groups": [{"groupid": self.group}],
                "templates": [{"templateid": self.template}],
                "interfaces": [interface(1, &agent, ports.0), by_snmp],
            })
        };
        let hosts: Vec<Value> = numbers.map(host).collect();
        hosts.chunks(1_000).try_for_each(|it| client.ids("host.create", &json!(it)).map(drop))
    }
}

/// Some time of the server's life.
struct Period {
    cpu_percent: f64,
    values_per_second: u64,
    network_errors: u64,
    /// The bound of the histogram's bucket below which 99 % of the checks started.
    lag_p99_s: f64,
    n_late: u64,
    anonymous_mb: [u64; 2],
}

impl Period {
    fn measure(server: &Server, client: &Client, seconds: u64) -> Result<Self, BenchError> {
        let clock = rt::clock::Clock::real();
        let anonymous = || server.memory().anonymous >> 20;
        let (before, cpu, wall, memory) =
            (Counts::read(client)?, server.cpu_ns(), clock.mono_ns(), anonymous());
        wait(seconds);
        let (after, cpu_ns, wall_ns) =
            (Counts::read(client)?, server.cpu_ns() - cpu, (clock.mono_ns() - wall).max(1));
        Ok(Self {
            cpu_percent: (cpu_ns as f64 / wall_ns as f64 * 1_000.0).round() / 10.0,
            values_per_second: (after.checks - before.checks) * 1_000_000_000 / wall_ns,
            network_errors: after.network_errors - before.network_errors,
            lag_p99_s: after.lag_p99_s(&before),
            n_late: after.late,
            anonymous_mb: [memory, anonymous()],
        })
    }

    fn figures(&self) -> Value {
        json!({
            "cpu_percent": self.cpu_percent,
            "checks_per_second": self.values_per_second,
            "network_errors": self.network_errors,
            "lag_p99_below_s": self.lag_p99_s,
            "late_5s": self.n_late,
            "anonymous_mb": self.anonymous_mb,
        })
    }
}

/// Counters of checks.
pub(super) struct Counts {
    pub(super) checks: u64,
    pub(super) network_errors: u64,
    late: u64,
    /// Bounds in seconds, and checks that started within them.
    lag: Vec<(f64, u64)>,
}

impl Counts {
    pub(super) fn read(client: &Client) -> Result<Self, BenchError> {
        let text = client.metrics()?;
        let lines = |name: &'static str| {
            text.lines().filter_map(move |it| it.strip_prefix(name)?.rsplit_once(' '))
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a counter")]
        let whole = |it: &str| it.parse::<f64>().map_or(0, |it| it as u64);
        let sum = |name: &'static str| lines(name).map(|it| whole(it.1)).sum();
        let lag = lines("saker_poll_lag_seconds_bucket{le=\"").filter_map(|(bound, n)| {
            let bound = bound.split('"').next()?;
            let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().ok()? };
            Some((bound, whole(n)))
        });
        Ok(Self {
            checks: sum("saker_poll_checks_total{"),
            network_errors: sum("saker_poll_network_errors_total{"),
            late: sum("saker_poll_overdue{"),
            lag: lag.collect(),
        })
    }

    pub(super) fn lag_p99_s(&self, before: &Self) -> f64 {
        let since: Vec<(f64, u64)> = self
            .lag
            .iter()
            .zip(&before.lag)
            .map(|(now, then)| (now.0, now.1.saturating_sub(then.1)))
            .collect();
        let all = since.last().map_or(0, |it| it.1);
        let within = since.iter().find(|it| all * 99 <= it.1 * 100);
        within.map_or(0.0, |it| it.0)
    }
}
