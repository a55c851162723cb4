//! The cost of open pages for the server: many live streams with a large configuration and 200,000
//! open problems, while nothing happens and while problems change.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use clap::Args;
use serde_json::{Value, json};

use super::background::{Background, Rate, percentile_ms};
use super::client::{Client, Load};
use super::load::{Connection, frame};
use super::process::{PASSWORD, Server, wait};
use crate::common::{BenchError, Common, io_error};
use crate::report::report;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct PagesArgs {
    #[arg(long, default_value_t = 10_000)]
    hosts: usize,
    /// Items of a host.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// Triggers of a host: each has an open problem.
    #[arg(long, default_value_t = 20)]
    triggers: usize,
    /// Live streams that are open at once.
    #[arg(long, default_value_t = 50)]
    streams: usize,
    /// Problems that begin or end in a second.
    #[arg(long, default_value_t = 4_000)]
    changes: usize,
    /// Seconds of each measurement.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Operational data of the triggers, such as "{ITEM.LASTVALUE}".
    #[arg(long, value_name = "TEXT")]
    opdata: Option<String>,
    /// Values a second for items without triggers, from when all problems are open on.
    #[arg(long, default_value_t = 0)]
    load: u64,
    /// Tags for the triggers, host groups of 500 hosts, and two more users: one with permission for
    /// all problems by a user group, one with permission for a fifth of them by its tag filter.
    #[arg(long)]
    tags: bool,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Afterwards, keep the server until the standard input ends, for a browser.
    #[arg(long)]
    hold: bool,
    #[command(flatten)]
    common: Common,
}

/// Values of a request.
const PER_REQUEST: usize = 1_000;
/// Before a measurement: opened streams have received the present state.
const SETTLE_S: u64 = 3;

pub(super) fn run(args: &PagesArgs) -> Result<(), BenchError> {
    let server = Server::start_program(&args.common.scratch, "pages", args.server.as_deref())?;
    let client = Client::login(&server)?;
    configure(&client, args)?;
    open_problems(&server, &client, args)?;
    let load = (args.load > 0).then(|| {
        let items = args.items.saturating_sub(args.triggers).max(1);
        let (hosts, first_item) = (args.hosts, args.triggers);
        let rate = Rate { hosts, items, first_item, values_per_s: args.load, has_texts: false };
        Background::start(server.trapper, rate)
    });

    let mut figures = json!({
        "items": args.hosts * args.items,
        "problems": args.hosts * args.triggers,
        "streams": args.streams,
    });
    let values_before = load.as_ref().map_or(0, Background::n_values);
    figures["idle_cpu_percent"] = json!(percent(&server, args.seconds));
    let n_values = load.as_ref().map_or(0, Background::n_values) - values_before;
    figures["values_per_s"] = json!(n_values / args.seconds.max(1));
    measure_streams(&server, &client, args, &mut figures)?;
    measure_answers(&server, ("", &client), &mut figures)?;
    if args.tags {
        for user in USERS {
            let of_user = Client::login_as(&server, user)?;
            measure_answers(&server, (&format!("{user}_"), &of_user), &mut figures)?;
        }
    }
    let (cpu, clock) = (server.cpu_ns(), rt::clock::Clock::real());
    let started_ns = clock.mono_ns();
    client.call("problem.get", &json!({"output": "extend"}))?;
    figures["problem_get_ms"] = json!((clock.mono_ns() - started_ns) / 1_000_000);
    figures["problem_get_cpu_ms"] = json!((server.cpu_ns() - cpu) / 1_000_000);
    figures["rss_mb"] = json!(server.memory().rss >> 20);
    report(&args.common, "pages", figures)?;
    if args.hold {
        hold(&server);
    }
    load.map_or(Ok(()), Background::end)
}

/// Users with permissions of a user group: for all problems, and for those that a tag filter
/// allows.
const USERS: [&str; 2] = ["unfiltered", "filtered"];
const HOSTS_OF_GROUP: usize = 500;

fn configure(client: &Client, args: &PagesArgs) -> Result<(), BenchError> {
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    if args.opdata.is_some() || args.tags {
        let of = json!({"templateids": template, "output": ["triggerid"]});
        let mut triggers = client.call("trigger.get", &of)?;
        for (n, it) in triggers.as_array_mut().into_iter().flatten().enumerate() {
            if let Some(opdata) = &args.opdata {
                it["opdata"] = json!(opdata);
            }
            if args.tags {
                let class = format!("class-{}", n % 5);
                it["tags"] = json!([{"tag": "component", "value": class}, {"tag": "scope", "value": "load"}]);
            }
        }
        client.call("trigger.update", &triggers)?;
    }
    let ids = client.create_hosts(args.hosts, None)?;
    let hosts: Vec<Value> = ids.iter().map(|it| json!({"hostid": it})).collect();
    let link = json!({"hosts": hosts, "templates": [{"templateid": template}]});
    client.call("host.massadd", &link)?;
    if args.tags {
        for (n, hosts) in hosts.chunks(HOSTS_OF_GROUP).enumerate() {
            let group =
                client.ids("hostgroup.create", &json!({"name": format!("Bench site {n}")}))?;
            let groups: Vec<Value> = group.iter().map(|it| json!({"groupid": it})).collect();
            client.call("hostgroup.massadd", &json!({"groups": groups, "hosts": hosts}))?;
        }
        create_users(client)?;
    }
    Ok(())
}

fn create_users(client: &Client) -> Result<(), BenchError> {
    let of = json!({"filter": {"name": "Bench"}, "output": ["groupid"]});
    let group = client.call("hostgroup.get", &of)?[0]["groupid"].clone();
    let role =
        client.call("role.get", &json!({"filter": {"name": "User role"}}))?[0]["roleid"].clone();
    for username in USERS {
        let mut user_group = json!({
            "name": format!("Bench {username}"),
            "hostgroup_rights": [{"id": group, "permission": 2}],
        });
        if username == "filtered" {
            user_group["tag_filters"] =
                json!([{"groupid": group, "tag": "component", "value": "class-1"}]);
        }
        let user_group = client.ids("usergroup.create", &user_group)?.remove(0);
        let user = json!({
            "username": username, "passwd": PASSWORD, "roleid": role,
            "usrgrps": [{"usrgrpid": user_group}],
        });
        client.call("user.create", &user)?;
    }
    Ok(())
}

/// The cost of open streams, while nothing happens and while problems change.
fn measure_streams(
    server: &Server,
    client: &Client,
    args: &PagesArgs,
    figures: &mut Value,
) -> Result<(), BenchError> {
    for (name, n, wants) in [
        ("overview_1", 1, json!({"overview": true})),
        ("overview", args.streams, json!({"overview": true})),
        ("badge", args.streams, json!({"counts": true})),
        ("problems", args.streams, json!({"problems": true, "counts": true})),
    ] {
        let measured = measure(server, client, (n, &wants), args)?;
        figures[format!("{name}_idle_cpu_percent")] = json!(measured.cpu_percent);
        figures[format!("{name}_idle_bytes_per_s_and_stream")] =
            json!(measured.bytes_per_s / n as u64);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let changing = Changing::start(server, args, &stop);
    wait(SETTLE_S);
    let before = changing.n_done();
    figures["changes_cpu_percent"] = json!(percent(server, args.seconds));
    figures["changes_per_s"] = json!((changing.n_done() - before) / args.seconds.max(1));
    for (name, wants) in [
        ("badge", json!({"counts": true})),
        ("overview", json!({"overview": true})),
        ("problems", json!({"problems": true, "counts": true})),
    ] {
        let measured = measure(server, client, (args.streams, &wants), args)?;
        figures[format!("{name}_changes_cpu_percent")] = json!(measured.cpu_percent);
        figures[format!("{name}_changes_bytes_per_s")] = json!(measured.bytes_per_s);
    }
    if args.tags {
        for user in USERS {
            let of_user = Client::login_as(server, user)?;
            let wants = json!({"problems": true, "counts": true});
            let measured = measure(server, &of_user, (args.streams, &wants), args)?;
            figures[format!("{user}_problems_changes_cpu_percent")] = json!(measured.cpu_percent);
        }
    }
    stop.store(true, Ordering::Relaxed);
    changing.join()
}

/// Calls of each kind; the median is reported.
const CALLS: usize = 5;

/// The requests of a page when it is opened, elapsed and in processor time of the server.
fn measure_answers(
    server: &Server,
    (prefix, client): (&str, &Client),
    figures: &mut Value,
) -> Result<(), BenchError> {
    let count = json!({"countOutput": true});
    let newest = json!({
        "output": "extend", "selectTags": "extend", "sortfield": ["eventid"], "sortorder": "DESC",
        "limit": 1_000,
    });
    let called = |method: &str, params: &Value| {
        client
            .call(method, params)
            .map(|it| it.as_str().and_then(|it| it.parse().ok()).unwrap_or(0))
    };
    let snapshot = timed(server, || client.download("/api/v1/problems"))?;
    figures[format!("{prefix}snapshot_bytes")] = json!(snapshot.answer);
    let overview = timed(server, || client.download("/api/v1/overview"))?;
    let counted = timed(server, || called("problem.get", &count))?;
    figures[format!("{prefix}count")] = json!(counted.answer);
    let newest = timed(server, || called("problem.get", &newest))?;
    for (name, it) in [
        ("snapshot", snapshot),
        ("overview_call", overview),
        ("count_call", counted),
        ("newest_1000_call", newest),
    ] {
        figures[format!("{prefix}{name}_ms")] = json!(it.ms);
        figures[format!("{prefix}{name}_cpu_ms")] = json!(it.cpu_ms);
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Timed {
    answer: usize,
    ms: f64,
    cpu_ms: f64,
}

fn timed(
    server: &Server,
    mut call: impl FnMut() -> Result<usize, BenchError>,
) -> Result<Timed, BenchError> {
    let clock = rt::clock::Clock::real();
    let (mut elapsed_ns, mut cpu_ns, mut answer) = (Vec::new(), Vec::new(), 0);
    for _ in 0..CALLS {
        let (cpu, started_ns) = (server.cpu_ns(), clock.mono_ns());
        answer = call()?;
        elapsed_ns.push(clock.mono_ns() - started_ns);
        cpu_ns.push(server.cpu_ns() - cpu);
    }
    let (ms, cpu_ms) = (percentile_ms(&mut elapsed_ns, 50), percentile_ms(&mut cpu_ns, 50));
    Ok(Timed { answer, ms, cpu_ms })
}

#[expect(clippy::print_stdout, reason = "the caller of a held server needs its address")]
fn hold(server: &Server) {
    println!("http://{} Admin {PASSWORD}", server.http);
    let mut rest = Vec::new();
    // Only the end of the input counts.
    drop(std::io::stdin().read_to_end(&mut rest));
}

/// Lets every trigger fire.
fn open_problems(server: &Server, client: &Client, args: &PagesArgs) -> Result<(), BenchError> {
    let mut connection = Connection::open(server.trapper)?;
    let n = args.hosts * args.triggers;
    let mut request = Values::default();
    for first in (0..n).step_by(PER_REQUEST) {
        let packet = request.fill(first, PER_REQUEST.min(n - first), args.triggers, true);
        connection.send(packet)?;
    }
    let count = json!({"countOutput": true});
    let mut open = 0;
    for _ in 0..120 {
        let answer = client.call("problem.get", &count)?;
        open = answer.as_str().and_then(|it| it.parse().ok()).unwrap_or(0);
        if n as u64 <= open {
            return Ok(());
        }
        wait(1);
    }
    Err(BenchError::Lost { sent: n as u64, processed: open })
}

/// Sender requests that make the triggers of consecutive hosts fire or recover.
#[derive(Default)]
struct Values {
    body: String,
    packet: Vec<u8>,
}

impl Values {
    fn fill(&mut self, first: usize, n: usize, n_triggers: usize, is_problem: bool) -> &[u8] {
        let value = if is_problem { "2000000" } else { "1" };
        let values: Vec<String> = (first..first + n)
            .map(|at| {
                let (host, item) = (at / n_triggers, at % n_triggers);
                format!(r#"{{"host":"bench-{host}","key":"load[{item}]","value":"{value}"}}"#)
            })
            .collect();
        self.body = format!(r#"{{"request":"sender data","data":[{}]}}"#, values.join(","));
        frame(&self.body, &mut self.packet);
        &self.packet
    }
}

/// A thread that makes problems end and begin again.
struct Changing {
    n_done: Arc<AtomicU64>,
    thread: JoinHandle<Result<(), BenchError>>,
}

impl Changing {
    fn start(server: &Server, args: &PagesArgs, stop: &Arc<AtomicBool>) -> Self {
        let n_done = Arc::new(AtomicU64::new(0));
        let (of_thread, stop, args) = (Arc::clone(&n_done), Arc::clone(stop), args.clone());
        let trapper = server.trapper;
        let thread = std::thread::spawn(move || change(trapper, &args, &of_thread, &stop));
        Self { n_done, thread }
    }

    fn n_done(&self) -> u64 {
        self.n_done.load(Ordering::Relaxed)
    }

    fn join(self) -> Result<(), BenchError> {
        self.thread.join().unwrap_or_else(|_panicked| Err(BenchError::Answer("a panic".to_owned())))
    }
}

fn change(
    trapper: SocketAddr,
    args: &PagesArgs,
    n_done: &AtomicU64,
    stop: &AtomicBool,
) -> Result<(), BenchError> {
    let clock = rt::clock::Clock::real();
    let n_problems = args.hosts * args.triggers;
    let per_request = (args.changes / 10).clamp(1, n_problems);
    let (started_ns, mut n_requests) = (clock.mono_ns(), 0_usize);
    let mut request = Values::default();
    while !stop.load(Ordering::Relaxed) {
        // Ten requests a second: each part recovers, and fires again with the next round.
        let first = (n_requests / 2 * per_request) % (n_problems - per_request + 1);
        let packet = request.fill(first, per_request, args.triggers, n_requests % 2 == 1);
        Connection::open(trapper)?.send(packet)?;
        n_requests += 1;
        n_done.fetch_add(per_request as u64, Ordering::Relaxed);
        while clock.mono_ns() - started_ns < n_requests as u64 * 100_000_000 {
            super::process::pause();
        }
    }
    Ok(())
}

struct Measured {
    cpu_percent: f64,
    /// Of all streams.
    bytes_per_s: u64,
}

/// CPU time of the server, in percent of a core.
fn percent(server: &Server, seconds: u64) -> f64 {
    let clock = rt::clock::Clock::real();
    let (cpu, started_ns) = (server.cpu_ns(), clock.mono_ns());
    wait(seconds);
    let share = (server.cpu_ns() - cpu) as f64 / (clock.mono_ns() - started_ns) as f64;
    (share * 1_000.0).round() / 10.0
}

fn measure(
    server: &Server,
    client: &Client,
    (n, wants): (usize, &Value),
    args: &PagesArgs,
) -> Result<Measured, BenchError> {
    let n_bytes = Arc::new(AtomicU64::new(0));
    let streams: Result<Vec<Stream>, BenchError> =
        (0..n).map(|_| Stream::open(server.http, client, wants, &n_bytes)).collect();
    let streams = streams?;
    wait(SETTLE_S);
    let before = n_bytes.load(Ordering::Relaxed);
    let cpu_percent = percent(server, args.seconds);
    let bytes_per_s = (n_bytes.load(Ordering::Relaxed) - before) / args.seconds.max(1);
    drop(streams);
    wait(1);
    Ok(Measured { cpu_percent, bytes_per_s })
}

/// A live stream whose messages are counted and thrown away, as cheap as possible.
struct Stream {
    socket: TcpStream,
    reader: Option<JoinHandle<()>>,
}

impl Stream {
    fn open(
        to: SocketAddr,
        client: &Client,
        wants: &Value,
        n_bytes: &Arc<AtomicU64>,
    ) -> Result<Self, BenchError> {
        let mut socket = TcpStream::connect(to).map_err(io_error("connect to the server"))?;
        let session = client.session();
        let ask = format!(
            "GET /api/v1/stream HTTP/1.1\r\nHost: {to}\r\nAuthorization: Bearer {session}\r\n\
             Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: c2FrZXIgYmVuY2ggcGFnZQ==\r\n\r\n"
        );
        socket.write_all(ask.as_bytes()).map_err(io_error("ask for a live stream"))?;
        let subscription = json!({"subscribe": wants}).to_string();
        socket.write_all(&text_frame(&subscription)).map_err(io_error("subscribe"))?;
        let mut of_reader = socket.try_clone().map_err(io_error("read a live stream"))?;
        let n_bytes = Arc::clone(n_bytes);
        let reader = std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(n) = of_reader.read(&mut buffer)
                && n > 0
            {
                n_bytes.fetch_add(n as u64, Ordering::Relaxed);
            }
        });
        Ok(Self { socket, reader: Some(reader) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        drop(self.socket.shutdown(Shutdown::Both));
        if let Some(reader) = self.reader.take() {
            drop(reader.join());
        }
    }
}

/// A text message of a client: masked, by zeros.
fn text_frame(text: &str) -> Vec<u8> {
    let mut bytes = vec![0x81];
    match u8::try_from(text.len()) {
        Ok(len) if len < 126 => bytes.push(0x80 | len),
        _ => {
            let len = u16::try_from(text.len()).expect("a subscription is short");
            bytes.push(0x80 | 126);
            bytes.extend_from_slice(&len.to_be_bytes());
        }
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(text.as_bytes());
    bytes
}
