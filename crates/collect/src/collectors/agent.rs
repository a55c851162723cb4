//! Passive agents: a connection, a key, a value.
//!
//! The JSON form of 7.0 goes first; an agent that does not know it is asked in the plain form, at
//! once and for an hour. Items of interfaces that the process serves itself never reach the
//! network: they are answered in the pool for blocking work.
//!
//! An agent that answers, even if only that a key is not supported, is available. Everything else
//! (no connection, no answer in time, an empty answer because the server's address is not allowed)
//! is a failure of the interface.

use std::borrow::Cow;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::InterfaceId;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use model::encryption::Encryption;
use model::map::Map;
use rt::queue::Receiver;
use rt::tls::Stream;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;
use wire::passive::{self, Fallback, Form};
use wire::zbxd;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::network::{describe, is_shortage};
use super::request::{CheckResult, Endpoint, Finished};
use super::scratch;
use crate::encryption::{connect_as, name_of_connection};
use crate::ports::not_supported;
use crate::transcript::LineKind;

/// An answer has one value: texts of up to 16 MiB, as in Zabbix. A longer one is an error.
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// Checks inside the process under way at once. A file system that hangs keeps its threads. With
/// all of them busy, checks time out.
const LOCAL_MAX: usize = 32;
const NS_PER_MS: u64 = 1_000_000;

rt::section! {
    /// Checks of passive agents.
    pub struct Settings in "collectors.agent" {
        /// Most checks at once. Each takes a file descriptor: the server uses at most an eighth of the
        /// descriptors that the system grants (`ulimit -n`) for them.
        pub checks_max: NonZeroUsize = "1_000",
    }
}

pub(crate) struct Agent;

/// With the key.
type Check = super::request::Check<String>;
type Request = super::request::Request<String>;

impl Collector for Agent {
    type Settings = Settings;
    type Payload = String;

    const USES_INTERFACE: bool = true;
    const HAS_LOCAL_AGENT: bool = true;
    const HAS_AVAILABILITY: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::ZabbixAgent).then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        JobLimits { jobs_max: settings.checks_max.get(), device_jobs_max: 4, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<String, CheckResult> {
        item.key().map(Cow::into_owned)
    }

    /// One task makes all checks: nine tenths of a check are work of the kernel.
    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let agents = Agents { shared, forms: Mutex::default(), n_local: Arc::default() };
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| agents.converse(it);
                        agents.shared.contained("agent check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

/// The state between checks.
struct Agents {
    shared: Arc<CollectorContext>,
    forms: Mutex<Map<InterfaceId, (u64, Fallback)>>,
    n_local: Arc<AtomicUsize>,
}

impl Agents {
    async fn converse(&self, mut request: Request) {
        let mut readings = std::mem::take(&mut request.done);
        for check in &request.checks {
            let result = match &request.endpoint {
                _ if request.is_local => self.ask_local(check).await,
                // In a box: otherwise each layer above moves some kilobytes, twice.
                Some(endpoint) => Box::pin(self.ask(endpoint, check)).await,
                None => CheckResult::Refused("No agent interface on the host.".to_owned()),
            };
            readings.push(check.reading(self.shared.clock.wall(), result));
        }
        self.shared.finish(Finished { job: request.job, readings }).await;
    }

    /// Asks across the network, within the check's time in all.
    async fn ask(&self, endpoint: &Endpoint, check: &Check) -> CheckResult {
        match timeout(check.timeout, self.exchange(endpoint, check)).await {
            Ok(Ok(result)) => result,
            Ok(Err(error)) if is_shortage(&error) => CheckResult::NotMade,
            Ok(Err(error)) if scratch::is_missing(&error) => {
                CheckResult::Answer(not_supported(error.to_string()))
            }
            Ok(Err(error)) => CheckResult::NetworkError(format!(
                "Get value from agent failed: cannot connect to [[{}]:{}]: {}",
                endpoint.address,
                endpoint.port,
                describe(&error)
            )),
            Err(_elapsed) => CheckResult::NetworkError(format!(
                "Get value from agent failed: timed out after {} s while asking [[{}]:{}]",
                check.timeout.as_secs_f32(),
                endpoint.address,
                endpoint.port
            )),
        }
    }

    async fn exchange(&self, endpoint: &Endpoint, check: &Check) -> std::io::Result<CheckResult> {
        let form = self.form(endpoint);
        let result = self.exchange_as(form, endpoint, check).await?;
        if let Some(result) = result {
            return Ok(result);
        }
        self.note_old(endpoint);
        let plain = self.exchange_as(Form::Plain, endpoint, check).await?;
        Ok(plain.unwrap_or(CheckResult::NotMade))
    }

    /// `None`: the peer does not know this form.
    async fn exchange_as(
        &self,
        form: Form,
        endpoint: &Endpoint,
        check: &Check,
    ) -> std::io::Result<Option<CheckResult>> {
        let address = (endpoint.address.as_str(), endpoint.port);
        exchange_as(
            &self.shared,
            form,
            (address, endpoint.encryption.as_deref()),
            (&check.payload, check.timeout),
        )
        .await
    }

    fn now_ms(&self) -> u64 {
        self.shared.clock.mono_ns() / NS_PER_MS
    }

    /// The form that the agent at an address speaks, as far as known.
    fn form(&self, endpoint: &Endpoint) -> Form {
        let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        match forms.get(&endpoint.interface) {
            Some((place, fallback)) if *place == place_of(endpoint) => fallback.form(self.now_ms()),
            Some(_elsewhere) => {
                forms.remove(&endpoint.interface);
                Form::Json
            }
            None => Form::Json,
        }
    }

    fn note_old(&self, endpoint: &Endpoint) {
        let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        let place = place_of(endpoint);
        let (_, fallback) =
            forms.entry(endpoint.interface).or_insert_with(|| (place, Fallback::default()));
        fallback.note_old_protocol(self.now_ms());
    }

    /// Answers inside the process. A check that hangs keeps its thread; its item gets the time-out
    /// as its error.
    async fn ask_local(&self, check: &Check) -> CheckResult {
        if LOCAL_MAX <= self.n_local.load(Ordering::Relaxed) {
            let reason = "Too many checks of this machine hang.";
            return CheckResult::Answer(not_supported(reason));
        }
        let (answer, answered) = oneshot::channel();
        let (agent, key) = (Arc::clone(&self.shared.local_agent), check.payload.clone());
        let running = Running::start(&self.n_local);
        let (tasks, item) = (self.shared.tasks.clone(), check.item);
        self.shared.tasks.spawn_blocking("local agent", move || {
            if let Ok(got) = tasks.contain_sync("agent check", item, || agent.get(&key)) {
                // The caller has left if this took too long.
                drop(answer.send(got));
            }
            drop(running);
        });
        if let Some(it) = &self.shared.transcript {
            it.push(LineKind::Note, "answered inside the server", b"");
            it.push(LineKind::Sent, &check.payload, b"");
        }
        let answer = match timeout(check.timeout, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_panicked)) => not_supported("The check ended without an answer."),
            Err(_elapsed) => not_supported("Timeout occurred while gathering data."),
        };
        if let Some(it) = &self.shared.transcript {
            it.push(LineKind::Received, &text_of(&answer), b"");
        }
        CheckResult::Answer(answer)
    }
}

/// Encrypts the connection as the host requires. No part of the request has been sent before.
async fn encrypt(
    shared: &CollectorContext,
    stream: TcpStream,
    ((address, port), encryption): ((&str, u16), Option<&Encryption>),
) -> Result<Stream, String> {
    if encryption.is_none() {
        return Ok(Stream::Plain(stream));
    }
    let how = connect_as(encryption);
    let how = how.map_err(|error| format!("Get value from agent failed: {error}"))?;
    shared.tls.connect(stream, &how).await.map_err(|error| {
        format!(
            "Get value from agent failed: TCP successful, cannot establish TLS to \
             [[{address}]:{port}]: {error}"
        )
    })
}

/// Asks an agent for a key. `None`: the agent does not know this form.
async fn exchange_as(
    shared: &CollectorContext,
    form: Form,
    (address, encryption): ((&str, u16), Option<&Encryption>),
    (key, time): (&str, Duration),
) -> std::io::Result<Option<CheckResult>> {
    let transcript = shared.transcript.as_ref();
    let stream = shared.dns.connect(address, time).await?;
    if let Some(it) = transcript
        && let Ok(peer) = stream.peer_addr()
    {
        let how = name_of_connection(encryption);
        it.push(LineKind::Note, &format!("connected to {peer}, {how}"), b"");
    }
    let mut stream = match encrypt(shared, stream, (address, encryption)).await {
        Ok(stream) => stream,
        Err(reason) => return Ok(Some(CheckResult::NetworkError(reason))),
    };
    let mut payload = Vec::with_capacity(key.len() + 64);
    let timeout_s = u32::try_from(time.as_secs()).unwrap_or(u32::MAX).max(1);
    passive::encode_request(form, key, timeout_s, &mut payload);
    let mut packet = Vec::with_capacity(payload.len() + 13);
    zbxd::encode(&payload, &mut packet);
    if let Some(it) = transcript {
        it.push(LineKind::Sent, "", &payload);
    }
    stream.write_all(&packet).await?;
    let mut limits = zbxd::FrameLimits::with_max(ANSWER_BYTES_MAX);
    limits.plain = zbxd::Plain::UntilClose;
    let mut decoder = zbxd::Decoder::for_short(limits);
    let mut reading = shared.readings.begin(address);
    loop {
        let n = match scratch::read(&mut stream, &mut decoder, &mut reading).await {
            Ok(n) => n,
            // An agent that refuses this server closes without reading the request.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => 0,
            Err(error) => return Err(error),
        };
        let frame = if n == 0 { decoder.close() } else { decoder.poll() };
        if let Some(it) = transcript {
            match &frame {
                Ok(Some(frame)) => it.push(LineKind::Received, "", frame.payload),
                Ok(None) if n == 0 => it.push(LineKind::Note, "the connection was closed", b""),
                // More bytes are to come, or the item reports the error.
                Ok(None) | Err(_) => {}
            }
        }
        match frame {
            Ok(Some(frame)) => return Ok(judge(form, frame.payload)),
            Ok(None) if n == 0 => return Ok(judge(form, b"")),
            Ok(None) => {}
            Err(error) => {
                let reason = format!("Get value from agent failed: {error}");
                return Ok(Some(CheckResult::NetworkError(reason)));
            }
        }
    }
}

/// The answer of an agent at an address to a key, within the time in all: for network discovery.
/// `None`: no value.
///
/// # Errors
/// If there is no connection.
pub(crate) async fn value_at(
    shared: &CollectorContext,
    (address, port): (IpAddr, u16),
    (key, time): (&str, Duration),
) -> std::io::Result<Option<String>> {
    let name = address.to_string();
    let asked = async {
        for form in [Form::Json, Form::Plain] {
            if let Some(result) =
                exchange_as(shared, form, ((&name, port), None), (key, time)).await?
            {
                return Ok(match result {
                    CheckResult::Answer(OwnedRaw::Text(value)) => Some(value),
                    _ => None,
                });
            }
        }
        Ok(None)
    };
    timeout(time, asked).await.unwrap_or(Ok(None))
}

/// The text that an agent across the network would send.
fn text_of(answer: &OwnedRaw) -> Cow<'_, str> {
    match answer {
        OwnedRaw::Text(it) | OwnedRaw::Error(it) => Cow::Borrowed(it),
        OwnedRaw::Unsigned(it) => Cow::Owned(it.to_string()),
        OwnedRaw::Float(it) => Cow::Owned(it.to_string()),
        OwnedRaw::Nothing => Cow::Borrowed(""),
    }
}

/// Counts a check inside the process while it lives.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn start(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The meaning of an answer; `None`: ask in the plain form.
fn judge(form: Form, payload: &[u8]) -> Option<CheckResult> {
    use passive::PassiveAnswer;
    let failed =
        |reason: &str| CheckResult::NetworkError(format!("Get value from agent failed: {reason}"));
    Some(match passive::parse_answer(form, payload) {
        PassiveAnswer::Value(value) => CheckResult::Answer(OwnedRaw::Text(value.into_owned())),
        PassiveAnswer::NoValue => CheckResult::Answer(OwnedRaw::Nothing),
        PassiveAnswer::NotSupported(reason) => CheckResult::Answer(not_supported(reason)),
        PassiveAnswer::AccessDenied => CheckResult::NetworkError(
            "Received empty response from Zabbix Agent. Assuming that agent dropped connection \
             because of access permissions."
                .to_owned(),
        ),
        PassiveAnswer::AgentError => failed("the agent answered ZBX_ERROR"),
        PassiveAnswer::RequestFailed(reason) => failed(&reason),
        PassiveAnswer::Malformed => failed("the answer has no data"),
        PassiveAnswer::OldProtocol => return None,
    })
}

/// Identifies an address: another address may be another agent.
fn place_of(endpoint: &Endpoint) -> u64 {
    use std::hash::BuildHasher;
    foldhash::fast::FixedState::default().hash_one((&endpoint.address, endpoint.port))
}
