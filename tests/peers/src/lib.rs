//! The real programs that tests talk to: agents, snmpd, and whatever else a test starts.
//!
//! Each runs in a process group of its own and ends with its value, and with it everything that it
//! has started in turn; a program that is not installed gives `None`, and its name on standard error.
//! For tests only: nothing that ships uses it.

#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "what a test says")]

mod agent;
mod certificates;
mod clickhouse;
mod clock;
mod directory;
mod ipmi_sim;
mod java_gateway;
mod line;
mod nginx;
mod postgres;
mod process;
mod prometheus;
mod snmpd;
mod ssh;
mod telnet;
mod web_driver;
mod zookeeper;

use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use agent::{Agent, AgentKind};
pub use certificates::Certificates;
pub use clickhouse::{ClickHouse, ClickHouseKind};
pub use clock::Chronyd;
pub use directory::Slapd;
pub use ipmi_sim::{IPMI_USER, IpmiSim};
pub use java_gateway::JavaGateway;
pub use line::{Line, Lost};
pub use nginx::Nginx;
pub use postgres::Postgres;
pub use process::Process;
pub use prometheus::Prometheus;
pub use snmpd::Snmpd;
pub use ssh::Sshd;
pub use telnet::Telnetd;
pub use web_driver::WebDriver;
pub use zookeeper::ZooKeeper;

/// Of a program's start, on a machine that is busy with other tests.
const START_MAX: Duration = Duration::from_secs(60);

/// Set where all that tests talk to is expected to be there: nothing is left out then.
const REQUIRED: &str = "SAKER_REQUIRE_PEERS";

/// Set where a run draws seeds of its own: `make fresh-seeds`.
const SEED: &str = "SAKER_TEST_SEED";

/// The seeds of a test with random input: those stated in its call, with those that once failed
/// among them, so that each run does the same. A seed in the environment (`SAKER_TEST_SEED`)
/// replaces them. They are printed: a failed test shows them.
///
/// # Panics
/// If the environment names something else than a number.
#[must_use]
pub fn seeds(stated: &[u64]) -> Vec<u64> {
    let given = std::env::var(SEED).ok();
    let given = given.map(|it| it.parse().unwrap_or_else(|_| panic!("{SEED}={it} is no number")));
    let seeds = given.map_or_else(|| stated.to_owned(), |it| vec![it]);
    eprintln!("{SEED}: {seeds:?}");
    seeds
}

/// Says that a test is left out, and why.
///
/// # Panics
/// Where nothing may be left out.
pub fn left_out(why: &str) {
    assert!(
        std::env::var_os(REQUIRED).is_none_or(|it| it.is_empty() || it == "0"),
        "{why}, and {REQUIRED} is set"
    );
    // Not by a macro: the output of a passing test is captured, and would not be seen.
    let test = thread::current().name().unwrap_or("a test").to_owned();
    drop(writeln!(std::io::stderr(), "skipped: {test}: {why}"));
}

/// The program's path; `None`, with a word on standard error, if this machine lacks it.
///
/// # Panics
/// If this machine lacks it and nothing may be left out.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    let dirs = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
    let found = dirs.iter().map(|it| Path::new(it).join(name)).find(|it| it.is_file());
    if found.is_none() {
        left_out(&format!("there is no {name} on this machine"));
    }
    found
}

/// Asks again and again until there is an answer.
///
/// # Panics
/// If there is none before the deadline.
pub fn wait_for<T>(what: &str, deadline: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let mut answer = None;
    let is_answered = wait_up_to(deadline, || {
        answer = ask();
        answer.is_some()
    });
    assert!(is_answered, "after {deadline:?}, not so: {what}");
    answer.expect("just seen")
}

/// Whether a condition holds before the deadline.
pub fn wait_up_to(deadline: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while !holds() {
        if started.elapsed() >= deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(25));
    }
    true
}

/// Waits until a condition holds.
///
/// # Panics
/// If it does not before the deadline.
pub fn wait_until(what: &str, deadline: Duration, mut holds: impl FnMut() -> bool) {
    wait_for(what, deadline, || holds().then_some(()));
}

/// All addresses of this machine, with a port that nobody has. It lies below 32768: zabbix_agentd
/// takes no other.
#[must_use]
pub fn free_tcp_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 10_000).expect("below 10,000");
    loop {
        let offset = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        let address = (Ipv4Addr::UNSPECIFIED, 20_000 + offset).into();
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// The same for UDP, with any port.
#[must_use]
pub fn free_udp_address() -> SocketAddr {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).expect("there is a free port");
    socket.local_addr().expect("it is bound")
}

/// Where this machine reaches a program that listens at an address.
fn reached_at(listens: SocketAddr) -> SocketAddr {
    let ip = if listens.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { listens.ip() };
    (ip, listens.port()).into()
}
