//! A connector of Zabbix: lines of values or events, POSTed to its URL.
//!
//! Lines of one item (of events: one trigger) always go by the same sender, one request after the
//! other, so that they arrive in order with any number of senders. Lines that a receiver does not
//! take are tried again as often as the connector says, and then by the feed, at growing intervals:
//! Zabbix would drop them. Only lines that the receiver calls invalid are dropped.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use formats::number::parse_duration_s;
use lang::tags::TagFilter;
use rt::shutdown::Shutdown;
use tracing::warn;

use super::Delivered;
use super::batch::{BATCH_BYTES, BATCH_ROWS, Lines, STOPPING_TIME};
use super::http_target::{HttpBatch, HttpDelivery, HttpTarget};
use crate::formats::ndjson;
use crate::http::{
    self, ClientCertificate, DeliveryClient, DeliveryRequest, Outcome, ReceiverLogin, TlsVerify,
};
use crate::labels::{LabelCache, LabelLookup};
use crate::macros;
use crate::ports::{ExportConfiguration, PlaceStore};
use crate::rows::{DeliveryError, ExportRow, RowOutcome, Wanted};

/// Requests of one sender in a batch, about.
const REQUESTS: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectorDataType {
    Values,
    Events,
}

/// A connector as users write it; texts may hold global macros.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnectorSettings {
    pub data_type: ConnectorDataType,
    pub url: String,
    /// Bits of Zabbix's `item_value_type`.
    pub value_types: u8,
    pub auth: Auth,
    /// 0: as many as there are.
    pub max_records: usize,
    pub max_senders: usize,
    pub max_attempts: u32,
    pub attempt_interval: String,
    pub timeout: String,
    pub http_proxy: String,
    pub tls_verify: TlsVerify,
    pub certificate: ClientCertificate,
    pub tags: TagFilter,
}

/// Authentication of requests.
#[derive(Clone, PartialEq, Eq)]
pub enum Auth {
    None,
    Basic { user: String, password: String },
    Bearer(String),
    Login(ReceiverLogin),
}

impl std::fmt::Debug for ConnectorSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without credentials; URLs may contain them, too.
        f.debug_struct("ConnectorSettings")
            .field("data_type", &self.data_type)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Auth")
    }
}

/// The present settings of a connector: the configuration writes, the target reads.
#[derive(Clone, Debug)]
pub struct CurrentSettings(Arc<RwLock<Arc<ConnectorSettings>>>);

impl CurrentSettings {
    #[must_use]
    pub fn new(settings: ConnectorSettings) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(settings))))
    }

    pub fn set(&self, settings: ConnectorSettings) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    fn get(&self) -> Arc<ConnectorSettings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Sends lines to a connector's URL.
pub type ConnectorTarget = HttpTarget<ConnectorBatch>;

/// Lines for a connector's senders.
pub struct ConnectorBatch {
    current: CurrentSettings,
    /// As the batch under way was taken.
    used: Arc<ConnectorSettings>,
    configuration: Arc<dyn ExportConfiguration>,
    labels: LabelCache,
    queues: Vec<Lines>,
    n_bytes: usize,
    n_rows: usize,
    stop: Shutdown,
}

impl std::fmt::Debug for ConnectorBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectorBatch").field("n_rows", &self.n_rows).finish_non_exhaustive()
    }
}

/// A connector's request but for its body, with macros replaced.
struct Request {
    url: String,
    headers: Vec<(String, String)>,
    proxy: String,
    time: Duration,
    n_attempts: u32,
    attempt_interval: Duration,
    max_records: usize,
    tls_verify: TlsVerify,
    certificate: Option<ClientCertificate>,
    login: Option<ReceiverLogin>,
}

impl ConnectorTarget {
    #[must_use]
    pub fn new(
        current: CurrentSettings,
        configuration: Arc<dyn ExportConfiguration>,
        http: Arc<dyn DeliveryClient>,
        place: Box<dyn PlaceStore>,
        stop: Shutdown,
    ) -> Self {
        let used = current.get();
        let labels = LabelCache::new(Arc::clone(&configuration));
        let batch = ConnectorBatch {
            current,
            used,
            configuration,
            labels,
            queues: Vec::new(),
            n_bytes: 0,
            n_rows: 0,
            stop,
        };
        Self::of(batch, http, place)
    }
}

impl ConnectorBatch {
    fn request(&self, stopping: bool) -> Result<Request, DeliveryError> {
        let settings = self.current.get();
        let snapshot = self.configuration.snapshot();
        let text =
            |it: &str| macros::global(&*self.configuration, &snapshot, it).map_err(DeliveryError);
        let seconds = |name: &str, it: &str| {
            let seconds = parse_duration_s(&text(it)?).filter(|it| *it <= 60);
            let error = || DeliveryError(format!("its {name} is no time of up to 60 s"));
            seconds.map(Duration::from_secs).ok_or_else(error)
        };
        let mut headers = vec![("Content-Type".to_owned(), "application/x-ndjson".to_owned())];
        let mut login = None;
        match &settings.auth {
            Auth::None => {}
            Auth::Basic { user, password } => {
                let basic = http::basic(&text(user)?, &text(password)?);
                headers.push(("Authorization".to_owned(), basic));
            }
            Auth::Bearer(token) => {
                headers.push(("Authorization".to_owned(), format!("Bearer {}", text(token)?)));
            }
            Auth::Login(of) => login = Some(expanded(of, text)?),
        }
        let ClientCertificate { cert_file, key_file, key_password } = &settings.certificate;
        let certificate: Option<Result<_, DeliveryError>> = (!cert_file.is_empty()).then(|| {
            Ok(ClientCertificate {
                cert_file: text(cert_file)?,
                key_file: text(key_file)?,
                key_password: text(key_password)?,
            })
        });
        let time = seconds("timeout", &settings.timeout)?.max(Duration::from_secs(1));
        Ok(Request {
            url: text(&settings.url)?,
            headers,
            proxy: text(&settings.http_proxy)?,
            time: if stopping { time.min(STOPPING_TIME) } else { time },
            n_attempts: if stopping { 1 } else { settings.max_attempts.max(1) },
            attempt_interval: seconds("attempt interval", &settings.attempt_interval)?,
            max_records: if settings.max_records == 0 { usize::MAX } else { settings.max_records },
            tls_verify: settings.tls_verify,
            certificate: certificate.transpose()?,
            login,
        })
    }
}

/// With the values of its macros.
fn expanded(
    login: &ReceiverLogin,
    text: impl Fn(&str) -> Result<String, DeliveryError>,
) -> Result<ReceiverLogin, DeliveryError> {
    Ok(match login {
        ReceiverLogin::Digest { user, password } => {
            ReceiverLogin::Digest { user: text(user)?, password: text(password)? }
        }
        ReceiverLogin::Ntlm { user, password } => {
            ReceiverLogin::Ntlm { user: text(user)?, password: text(password)? }
        }
        ReceiverLogin::Kerberos => ReceiverLogin::Kerberos,
    })
}

impl HttpBatch for ConnectorBatch {
    fn begin(&mut self) {
        let current = self.current.get();
        if !Arc::ptr_eq(&current, &self.used) {
            self.used = current;
            self.labels.forget();
        }
        self.labels.refresh();
        self.clear();
        self.queues.resize_with(self.used.max_senders.max(1), Lines::default);
    }

    fn wanted(&self) -> Wanted {
        let values = self.used.data_type == ConnectorDataType::Values;
        Wanted { values, events: !values, ..Wanted::default() }
    }

    fn take(&mut self, row: &ExportRow<'_>) -> RowOutcome {
        let settings = Arc::clone(&self.used);
        match row {
            ExportRow::Value { item, time, value, .. } => {
                if settings.value_types & (1 << value.type_code()) == 0 {
                    return RowOutcome::NotWanted;
                }
                let label = self.labels.of(*item, |of| {
                    settings.tags.matches_parts_in_any_case(&of.tags).then(|| ndjson::label(of))
                });
                let label = match label {
                    LabelLookup::Label(it) => it,
                    LabelLookup::NotWanted => return RowOutcome::NotWanted,
                    LabelLookup::Deleted => return RowOutcome::Deleted,
                };
                let at = queue_of(item.0, self.queues.len());
                let Some(queue) = self.queues.get_mut(at) else { return RowOutcome::NotWanted };
                let before = queue.bytes.len();
                ndjson::put_value(&mut queue.bytes, label, *time, value);
                queue.end_line();
                self.n_bytes += queue.bytes.len() - before;
                self.n_rows += 1;
                RowOutcome::Yes
            }
            ExportRow::Event(event) => {
                if !settings.tags.matches_parts_in_any_case(&event.tags) {
                    return RowOutcome::NotWanted;
                }
                let snapshot = Arc::clone(self.labels.snapshot());
                let at = queue_of(event.trigger.0, self.queues.len());
                let Some(queue) = self.queues.get_mut(at) else { return RowOutcome::NotWanted };
                let before = queue.bytes.len();
                let mut n = 1;
                if event.is_problem {
                    if !ndjson::put_problem(&mut queue.bytes, &snapshot, event) {
                        return RowOutcome::Deleted;
                    }
                    queue.end_line();
                } else {
                    n = event.recovers.len();
                    for problem in &event.recovers {
                        ndjson::put_recovery(&mut queue.bytes, event, *problem);
                        queue.end_line();
                    }
                }
                self.n_bytes += queue.bytes.len() - before;
                self.n_rows += n;
                RowOutcome::Yes
            }
            ExportRow::Trend { .. } | ExportRow::State { .. } => RowOutcome::NotWanted,
        }
    }

    fn is_full(&self) -> bool {
        // The place moves behind a whole batch: where requests are small there are not thousands in one.
        let max_records =
            if self.used.max_records == 0 { BATCH_ROWS } else { self.used.max_records };
        let of_requests =
            max_records.saturating_mul(self.used.max_senders).saturating_mul(REQUESTS);
        BATCH_BYTES <= self.n_bytes || BATCH_ROWS.min(of_requests) <= self.n_rows
    }

    fn is_empty(&self) -> bool {
        self.queues.iter().all(Lines::is_empty)
    }

    fn deliver(
        &mut self,
        delivery: &mut HttpDelivery,
        stopping: bool,
    ) -> Result<(), DeliveryError> {
        let request = self.request(stopping)?;
        let mut queues: Vec<&mut Lines> =
            self.queues.iter_mut().filter(|it| !it.is_empty()).collect();
        let (http, stop) = (&*delivery.client, &self.stop);
        let sent: Vec<(Delivered, Option<DeliveryError>)> = match &mut *queues {
            [] => Vec::new(),
            [queue] => vec![send(queue, &request, http, stop)],
            queues => std::thread::scope(|scope| {
                let request = &request;
                let start = |queue| scope.spawn(move || send(queue, request, http, stop));
                let senders: Vec<_> = queues.iter_mut().map(|queue| start(queue)).collect();
                let failed = || Some(DeliveryError("a sender ended by a bug".to_owned()));
                let ended = |it: std::thread::ScopedJoinHandle<'_, _>| {
                    it.join().unwrap_or_else(|_| (Delivered::default(), failed()))
                };
                senders.into_iter().map(ended).collect()
            }),
        };
        delivery.is_unsaved = true;
        let mut failure = None;
        for (delivered, error) in sent {
            delivery.done.add(delivered);
            failure = failure.or(error);
        }
        if let Some(error) = failure {
            return Err(error);
        }
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.queues.iter_mut().for_each(Lines::clear);
        self.queues.truncate(self.used.max_senders.max(1));
        (self.n_bytes, self.n_rows) = (0, 0);
    }
}

/// Which of the senders lines of an item or trigger go by.
fn queue_of(id: u64, n_queues: usize) -> usize {
    let n = u64::try_from(n_queues.max(1)).unwrap_or(1);
    usize::try_from(id % n).unwrap_or(0)
}

/// Sends a queue's lines in order, up to the first failure.
fn send(
    lines: &mut Lines,
    with: &Request,
    client: &dyn DeliveryClient,
    stop: &Shutdown,
) -> (Delivered, Option<DeliveryError>) {
    let mut delivered = Delivered::default();
    let mut records_max = with.max_records;
    while !lines.is_empty() {
        let n = lines.len().min(records_max);
        let body = lines.first(n);
        let bytes = body.len() as u64;
        match attempt(body, with, client, stop) {
            Err(error) => return (delivered, Some(error)),
            Ok(Outcome::TooLarge) if 1 < n => {
                records_max = n / 2;
                continue;
            }
            Ok(Outcome::TooLarge | Outcome::Refused) => delivered.refused += n as u64,
            Ok(Outcome::Delivered | Outcome::Later) => {
                delivered.rows += n as u64;
                delivered.bytes += bytes;
            }
        }
        lines.done(n);
    }
    (delivered, None)
}

fn attempt(
    body: &[u8],
    with: &Request,
    client: &dyn DeliveryClient,
    stop: &Shutdown,
) -> Result<Outcome, DeliveryError> {
    let mut why = String::new();
    for attempt in 0..with.n_attempts {
        if attempt != 0 && stop.wait(with.attempt_interval) {
            break;
        }
        let request = DeliveryRequest {
            method: "POST",
            url: &with.url,
            headers: &with.headers,
            body,
            proxy: &with.proxy,
            tls_verify: with.tls_verify,
            certificate: with.certificate.as_ref(),
            login: with.login.as_ref(),
            time: with.time,
            answer_bytes_max: http::ANSWER_BYTES_MAX,
        };
        why = match client.exchange(&request) {
            Ok(answer) => match answer.outcome() {
                Outcome::Later => answer.describe(),
                outcome => {
                    if outcome == Outcome::Refused {
                        warn!(
                            why = answer.describe(),
                            "a connector's receiver refuses data; the data is dropped"
                        );
                    }
                    return Ok(outcome);
                }
            },
            Err(why) => why,
        };
    }
    Err(DeliveryError(why))
}
