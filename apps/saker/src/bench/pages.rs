//! What open pages cost the server: many live streams beside a large configuration with 200,000 open
//! problems, while nothing happens and while problems change.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use clap::Args;
use serde_json::{Value, json};

use super::client::{Client, Load};
use super::load::{Connection, frame};
use super::process::{PASSWORD, Server, wait};
use super::{BenchError, Common, io_error, report};

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
    /// The server's program, to compare it with another one; this one by default.
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
/// Before a measurement: what was opened has been told how things stand.
const SETTLE_S: u64 = 3;

pub(super) fn run(args: &PagesArgs) -> Result<(), BenchError> {
    let server = Server::start_program(&args.common.scratch, "pages", args.server.as_deref())?;
    let client = Client::login(&server)?;
    let template = client.create_template(Load::Senders, args.items, args.triggers)?;
    if let Some(opdata) = &args.opdata {
        let of = json!({"templateids": template, "output": ["triggerid"]});
        let mut triggers = client.call("trigger.get", &of)?;
        for it in triggers.as_array_mut().into_iter().flatten() {
            it["opdata"] = json!(opdata);
        }
        client.call("trigger.update", &triggers)?;
    }
    let hosts = client.create_hosts(args.hosts, None)?;
    let hosts: Vec<Value> = hosts.iter().map(|it| json!({"hostid": it})).collect();
    let link = json!({"hosts": hosts, "templates": [{"templateid": template}]});
    client.call("host.massadd", &link)?;
    open_problems(&server, &client, args)?;

    let mut figures = json!({
        "items": args.hosts * args.items,
        "problems": args.hosts * args.triggers,
        "streams": args.streams,
        "idle_cpu_percent": percent(&server, args.seconds),
    });
    for (name, n, wants) in [
        ("overview_1", 1, json!({"overview": true})),
        ("overview", args.streams, json!({"overview": true})),
        ("badge", args.streams, json!({"counts": true})),
        ("problems", args.streams, json!({"problems": true, "counts": true})),
    ] {
        let measured = measure(&server, &client, (n, &wants), args)?;
        figures[format!("{name}_idle_cpu_percent")] = json!(measured.cpu_percent);
        figures[format!("{name}_idle_bytes_per_s_and_stream")] =
            json!(measured.bytes_per_s / n as u64);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let changing = Changing::start(&server, args, &stop);
    wait(SETTLE_S);
    let before = changing.n_done();
    figures["changes_cpu_percent"] = json!(percent(&server, args.seconds));
    figures["changes_per_s"] = json!((changing.n_done() - before) / args.seconds.max(1));
    for (name, wants) in [
        ("badge", json!({"counts": true})),
        ("problems", json!({"problems": true, "counts": true})),
    ] {
        let measured = measure(&server, &client, (args.streams, &wants), args)?;
        figures[format!("{name}_changes_cpu_percent")] = json!(measured.cpu_percent);
        figures[format!("{name}_changes_bytes_per_s")] = json!(measured.bytes_per_s);
    }
    stop.store(true, Ordering::Relaxed);
    changing.join()?;
    let (cpu, clock) = (server.cpu_ns(), rt::clock::Clock::real());
    let started_ns = clock.mono_ns();
    let bytes = client.download("/api/v1/problems")?;
    figures["snapshot_ms"] = json!((clock.mono_ns() - started_ns) / 1_000_000);
    figures["snapshot_cpu_ms"] = json!((server.cpu_ns() - cpu) / 1_000_000);
    figures["snapshot_bytes"] = json!(bytes);
    let (cpu, started_ns) = (server.cpu_ns(), clock.mono_ns());
    client.call("problem.get", &json!({"output": "extend"}))?;
    figures["problem_get_ms"] = json!((clock.mono_ns() - started_ns) / 1_000_000);
    figures["problem_get_cpu_ms"] = json!((server.cpu_ns() - cpu) / 1_000_000);
    figures["rss_mb"] = json!(server.memory().rss >> 20);
    report(&args.common, "pages", figures)?;
    if args.hold {
        hold(&server);
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "whoever holds the server needs its address")]
fn hold(server: &Server) {
    println!("http://{} Admin {PASSWORD}", server.http);
    let mut rest = Vec::new();
    // What comes is nothing to us; that it ends is.
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
