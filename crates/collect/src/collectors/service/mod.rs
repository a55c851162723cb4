//! Simple checks of services: whether a service answers as it should, and how fast.
//!
//! A service that does not answer is a value, not an error: the item is 0. A check is one
//! connection, within the item's time in all; the HTTP client makes those with TLS (`https`).

mod key;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::content::{ItemContent, ItemType};
use rt::queue::Receiver;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;
use wire::http::codes::hex;
use wire::services::{Dialog, Service, Verdict, ntp};

use self::key::{Asked, ServiceCheck};
use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::network::{describe, is_shortage};
use super::request::{CheckResult, Finished};
use crate::ports::{HttpRequest, HttpTls};
use crate::transcript::LineKind;

/// Bytes of the body of an answer whose request wants no body.
const BODY_BYTES_MAX: usize = 1 << 16;
/// A service gets this time to take a farewell: many log clients that hang up without one.
const FAREWELL_MAX: Duration = Duration::from_millis(200);

rt::section! {
    /// Simple checks of services: availability and response time, `net.tcp.service` and
    /// `net.udp.service`.
    pub struct Settings in "collectors.service" {
        /// Most checks at once. Each takes a file descriptor, and at most 1 of 32 that the system grants is
        /// used for them.
        pub checks_max: NonZeroUsize = "500",
    }
}

pub(super) struct ServiceChecks;

type Check = super::request::Check<ServiceCheck>;
type Request = super::request::Request<ServiceCheck>;

impl Collector for ServiceChecks {
    type Settings = Settings;
    type Payload = ServiceCheck;

    const USES_INTERFACE: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        let is_service = content.kind == ItemType::Simple && key::is_service(&content.key_);
        is_service.then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        JobLimits { jobs_max: settings.checks_max.get(), device_jobs_max: 4, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<ServiceCheck, CheckResult> {
        ServiceCheck::parse(&item.key()?).map_err(CheckResult::Refused)
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let shared = &*shared;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| converse(shared, it);
                        shared.contained("service check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

async fn converse(shared: &CollectorContext, request: Request) {
    let own = request.endpoint.as_ref().map_or("", |it| &it.address);
    let mut readings = request.done;
    for check in &request.checks {
        let result = ask(shared, own, check).await;
        readings.push(check.reading(shared.clock.wall(), result));
    }
    shared.finish(Finished { job: request.job, readings }).await;
}

async fn ask(shared: &CollectorContext, own: &str, check: &Check) -> CheckResult {
    let asked = &check.payload;
    let target = if asked.target.is_empty() { own } else { &asked.target };
    if target.is_empty() {
        let reason = "Simple check must have target or host interface specified.";
        return CheckResult::Refused(reason.to_owned());
    }
    let (at, time) = ((target, asked.port), check.timeout);
    let answered = match asked.asked {
        Asked::Ntp => timed(shared, time, ask_clock(shared, at, time)).await,
        // Its time begins with its turn: the client has the bounds of both.
        Asked::Tcp(Service::Https) => {
            let took = ask_https(shared, at, time).await;
            let up = |it: Duration| format!("it is up, {}", after(it));
            record_note(shared, || took.map_or_else(|| "it is not up".to_owned(), up));
            Ok(took)
        }
        Asked::Tcp(service) => {
            // On the heap: a conversation has a buffer.
            let talk = Box::pin(async {
                let stream = shared.dns.connect(at, time).await?;
                exchange_words(stream, service, shared).await
            });
            timed(shared, time, talk).await
        }
    };
    match answered {
        Ok(took) => CheckResult::Answer(asked.value(took)),
        Err(error) if is_shortage(&error) => CheckResult::NotMade,
        Err(_no_connection) => CheckResult::Answer(asked.value(None)),
    }
}

/// Notes the result of a trial.
fn record_note(shared: &CollectorContext, note: impl FnOnce() -> String) {
    if let Some(it) = &shared.transcript {
        it.push(LineKind::Note, &note(), b"");
    }
}

fn after(took: Duration) -> String {
    format!("after {:.3} ms", took.as_secs_f64() * 1e3)
}

/// The time until a service had answered as it should; `None`: it did not, or not within the time.
async fn timed(
    shared: &CollectorContext,
    time: Duration,
    talk: impl Future<Output = io::Result<bool>>,
) -> io::Result<Option<Duration>> {
    let start_ns = shared.clock.mono_ns();
    let answered = timeout(time, talk).await;
    let took = Duration::from_nanos(shared.clock.mono_ns().saturating_sub(start_ns));
    record_note(shared, || match &answered {
        Ok(Ok(true)) => format!("it is up, {}", after(took)),
        Ok(Ok(false)) => format!("it is not up: unexpected answer, {}", after(took)),
        Ok(Err(error)) => format!("it is not up: {}, {}", describe(error), after(took)),
        Err(_elapsed) => format!("it is not up: it did not answer within {time:?}"),
    });
    match answered {
        Ok(is_up) => Ok(is_up?.then_some(took)),
        Err(_elapsed) => Ok(None),
    }
}

/// Whether a service answers at an address, within the time in all: for network discovery.
///
/// # Errors
/// If this machine lacks the resources for a connection.
pub(crate) async fn is_up_at(
    shared: &CollectorContext,
    service: Service,
    (address, port): (IpAddr, u16),
    time: Duration,
) -> io::Result<bool> {
    let name = address.to_string();
    let talk = async {
        if service == Service::Https {
            return Ok(ask_https(shared, (&name, port), time).await.is_some());
        }
        let stream = shared.dns.connect((&name, port), time).await?;
        exchange_words(stream, service, shared).await
    };
    match timeout(time, talk).await {
        Ok(Err(error)) if is_shortage(&error) => Err(error),
        answered => Ok(matches!(answered, Ok(Ok(true)))),
    }
}

/// Whether the service answers as it should.
async fn exchange_words(
    mut stream: TcpStream,
    service: Service,
    shared: &CollectorContext,
) -> io::Result<bool> {
    let transcript = shared.transcript.as_ref();
    if let Some(it) = transcript
        && let Ok(peer) = stream.peer_addr()
    {
        it.push(LineKind::Note, &format!("connected to {peer}"), b"");
    }
    let (mut dialog, mut say) = (Dialog::new(service), Vec::new());
    let mut verdict = dialog.open(&mut say);
    let mut buffer = [0; 4_096];
    while verdict == Verdict::Open {
        if let Some(it) = transcript.filter(|_| !say.is_empty()) {
            it.push(LineKind::Sent, "", &say);
        }
        stream.write_all(&say).await?;
        say.clear();
        let n = stream.read(&mut buffer).await?;
        let bytes = buffer.get(..n).unwrap_or_default();
        if let Some(it) = transcript {
            match bytes {
                [] => it.push(LineKind::Note, "the connection was closed", b""),
                bytes => it.push(LineKind::Received, "", bytes),
            }
        }
        verdict = match bytes {
            [] => dialog.close(),
            bytes => dialog.take(bytes, &mut say),
        };
    }
    if !say.is_empty() {
        if let Some(it) = transcript {
            it.push(LineKind::Sent, "", &say);
        }
        // Verdict and time are known already: the farewell runs in the background.
        shared.tasks.spawn_contained("service check", "farewell", async move {
            let farewell = async {
                stream.write_all(&say).await?;
                stream.shutdown().await
            };
            drop(timeout(FAREWELL_MAX, farewell).await);
        });
    }
    Ok(verdict == Verdict::Up)
}

async fn ask_clock(
    shared: &CollectorContext,
    (target, port): (&str, u16),
    time: Duration,
) -> io::Result<bool> {
    let transcript = shared.transcript.as_ref();
    let address = match shared.dns.address(target, time).await {
        Ok(address) => address,
        Err(reason) => {
            if let Some(it) = transcript {
                it.push(LineKind::Note, &reason, b"");
            }
            return Ok(false);
        }
    };
    let to = SocketAddr::new(address, port);
    let own: SocketAddr = if to.is_ipv4() {
        (std::net::Ipv4Addr::UNSPECIFIED, 0).into()
    } else {
        (std::net::Ipv6Addr::UNSPECIFIED, 0).into()
    };
    let socket = UdpSocket::bind(own).await?;
    // A connected socket receives only from this address, and reports a closed port.
    socket.connect(to).await?;
    // An attacker who does not see the question cannot guess it.
    let mark = shared.clock.mono_ns().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ shared.secret;
    let question = ntp::request(mark);
    if let Some(it) = transcript {
        it.push(
            LineKind::Sent,
            &format!("to {to}: NTP, {} bytes: {}", question.len(), hex(&question)),
            b"",
        );
    }
    socket.send(&question).await?;
    let mut buffer = [0; 1_024];
    loop {
        let n = socket.recv(&mut buffer).await?;
        let answer = buffer.get(..n).unwrap_or_default();
        let is_answer = ntp::is_answer(answer, mark);
        if let Some(it) = transcript {
            let other = if is_answer { "" } else { ", which does not answer this request" };
            it.push(LineKind::Received, &format!("{n} bytes{other}: {}", hex(answer)), b"");
        }
        if is_answer {
            return Ok(true);
        }
    }
}

/// The time of any answer to a request, whatever the certificate, as in Zabbix.
async fn ask_https(
    shared: &CollectorContext,
    (target, port): (&str, u16),
    time: Duration,
) -> Option<Duration> {
    let host = if target.contains(':') { format!("[{target}]") } else { target.to_owned() };
    let request = HttpRequest {
        method: "HEAD".to_owned(),
        url: format!("https://{host}:{port}/"),
        headers: Vec::new(),
        body: None,
        proxy: String::new(),
        tls: HttpTls { verify_peer: false, verify_host: false, ..HttpTls::default() },
        auth: None,
        time,
        body_bytes_max: BODY_BYTES_MAX,
    };
    let Some(transcript) = &shared.transcript else {
        return shared.http.exchange(request).await.ok().map(|it| it.time);
    };
    transcript.ask_http((&request.method, &request.url), &request.headers, None);
    let exchanged = shared.http.exchange(request).await;
    transcript.answer_http(exchanged.as_ref().map(|it| &it.answer).map_err(String::as_str));
    exchanged.ok().map(|it| it.time)
}
