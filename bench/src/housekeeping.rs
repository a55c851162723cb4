//! Many old events are deleted by the housekeeper, while somebody edits hosts.

use std::fmt::Write as _;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::background::percentile_ms;
use super::client::{Client, Load};
use super::load::{Connection, frame};
use super::process::{Server, Settings, pause, wait};
use crate::common::{BenchError, Common};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct HousekeepingArgs {
    #[arg(long, default_value_t = 100)]
    hosts: usize,
    /// Triggers of a host.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// Events that expire, problems and their ends together.
    #[arg(long, default_value_t = 1_000_000)]
    events: usize,
    #[command(flatten)]
    common: Common,
}

/// A round soon after the period is made short.
const SETTINGS: Settings = &[("SAKER_HOUSEKEEPING_INTERVAL_S", "10")];
/// Values of a request.
const PER_REQUEST: usize = 1_000;
const DAY_S: i64 = 86_400;
/// Seconds of edits before the deletes, to compare with.
const BEFORE_S: u64 = 15;
const DELETED: &str = "saker_housekeeping_events_deleted_total";
const LIMIT: Duration = Duration::from_secs(1_800);

pub(super) fn run(args: &HousekeepingArgs) -> Result<(), BenchError> {
    let server = Server::start_with(&args.common.scratch, "housekeeping", None, SETTINGS)?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.triggers, args.triggers)?;
    let hosts = client.create_hosts(args.hosts, Some(&template))?;
    let clock = rt::clock::Clock::real();

    let (n_triggers, started_ns) = (args.hosts * args.triggers, clock.mono_ns());
    let n_cycles = args.events.div_ceil(2 * n_triggers.max(1));
    let n_events = (2 * n_cycles * n_triggers) as u64;
    send_events(&server, args, n_cycles)?;
    until(|| Ok(client.metric("saker_db_events_waiting")? == 0))?;
    let saved_ms = (clock.mono_ns() - started_ns) / 1_000_000;
    let n_before = n_saved(&client)?;
    if n_before < n_events {
        return Err(BenchError::Lost { sent: n_events, processed: n_before });
    }

    let mut edits = Edits { client: &client, hosts: &hosts, n: 0, times_ns: Vec::new() };
    let end_ns = clock.mono_ns() + BEFORE_S * 1_000_000_000;
    while clock.mono_ns() < end_ns {
        edits.make()?;
    }
    let mut quiet_ns = std::mem::take(&mut edits.times_ns);
    let disk_before = server.disk_bytes();
    client.call("housekeeping.update", &json!({"hk_events_trigger": "1d"}))?;
    until(|| Ok(client.metric(DELETED)? > 0))?;
    let busy = |client: &Client| client.metric_text("saker_housekeeping_transaction_seconds_sum");
    let (cpu, begun_ns, busy_before) = (server.cpu_ns(), clock.mono_ns(), busy(&client)?);
    let first = client.metric(DELETED)?;
    let mut deleted = first;
    // The newest event stays.
    while deleted + 1 < n_events {
        edits.make()?;
        deleted = client.metric(DELETED)?;
        if u128::from(clock.mono_ns() - begun_ns) > LIMIT.as_nanos() {
            return Err(BenchError::Waited { what: "the housekeeper", limit: LIMIT });
        }
    }
    let took_ns = (clock.mono_ns() - begun_ns).max(1);
    let busy_s = seconds(&busy(&client)?) - seconds(&busy_before);
    let cpu_ms = (server.cpu_ns() - cpu) / 1_000_000;
    let rounded = |it: f64| (it * 10.0).round() / 10.0;
    let mut figures = json!({
        "triggers": n_triggers,
        "events": n_events,
        "events_saved_ms": saved_ms,
        "delete_ms": took_ns / 1_000_000,
        "deleted_per_s": (deleted - first) * 1_000_000_000 / took_ns,
        "busy_percent": rounded(busy_s * 1e11 / took_ns as f64),
        "cpu_ms": cpu_ms,
        "edits_quiet": quiet_ns.len(),
        "edits_meanwhile": edits.times_ns.len(),
        "disk_mb_before": disk_before >> 20,
        "disk_mb_after": server.disk_bytes() >> 20,
    });
    for (when, times) in [("quiet", &mut quiet_ns), ("meanwhile", &mut edits.times_ns)] {
        for (what, percent) in [("median", 50), ("p99", 99), ("max", 100)] {
            figures[format!("edit_{when}_ms_{what}")] = json!(percentile_ms(times, percent));
        }
    }
    report(&args.common, "housekeeping", figures)
}

/// Problems of all triggers begin and end again and again, two days ago.
fn send_events(
    server: &Server,
    args: &HousekeepingArgs,
    n_cycles: usize,
) -> Result<(), BenchError> {
    let first_clock = rt::clock::Clock::real().wall().clock() - 2 * DAY_S;
    let mut connection = Connection::open(server.trapper)?;
    let (mut body, mut packet) = (String::new(), Vec::new());
    let items: Vec<usize> = (0..args.hosts * args.triggers).collect();
    for (half, of_values) in (0..2 * n_cycles).zip(first_clock..) {
        let value = if half % 2 == 0 { "2000000" } else { "1" };
        for part in items.chunks(PER_REQUEST) {
            body.clear();
            body.push_str(r#"{"request":"sender data","data":["#);
            for (at, item) in part.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                let (host, item) = (item / args.triggers, item % args.triggers);
                write!(
                    body,
                    r#"{comma}{{"host":"bench-{host}","key":"load[{item}]","value":"{value}","clock":{of_values}}}"#
                )
                .expect("writing to a String succeeds");
            }
            body.push_str("]}");
            frame(&body, &mut packet);
            let (processed, _failed) = connection.send(&packet)?;
            if processed != part.len() as u64 {
                return Err(BenchError::Lost { sent: part.len() as u64, processed });
            }
        }
    }
    Ok(())
}

/// A client that changes one host after the other.
struct Edits<'a> {
    client: &'a Client,
    hosts: &'a [String],
    n: usize,
    times_ns: Vec<u64>,
}

impl Edits<'_> {
    fn make(&mut self) -> Result<(), BenchError> {
        let clock = rt::clock::Clock::real();
        let host = self.hosts.get(self.n % self.hosts.len().max(1));
        let change = json!({"hostid": host, "description": format!("change {}", self.n)});
        let started_ns = clock.mono_ns();
        self.client.call("host.update", &change)?;
        self.times_ns.push(clock.mono_ns() - started_ns);
        self.n += 1;
        pause();
        Ok(())
    }
}

fn n_saved(client: &Client) -> Result<u64, BenchError> {
    let answer = client.call("event.get", &json!({"countOutput": true, "source": 0}))?;
    Ok(answer.as_str().and_then(|it| it.parse().ok()).unwrap_or(0))
}

fn seconds(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

fn until(is_so: impl Fn() -> Result<bool, BenchError>) -> Result<(), BenchError> {
    for _ in 0..LIMIT.as_secs() {
        if is_so()? {
            return Ok(());
        }
        wait(1);
    }
    Err(BenchError::Waited { what: "the database", limit: LIMIT })
}
