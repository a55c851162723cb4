//! The thread that drives delivery: reads what is not sent from the database, starts attempts on threads
//! of the pool, and saves what came of them.
//!
//! **Once, or once more.** An alert is read when it is committed, and sent before that is saved: a
//! process that ends in between sends it again. Nothing new is started while an outcome is not saved,
//! so that no more than what was under way is ever sent twice.
//!
//! **Memory** holds a bounded part of each media type's queue; what finds no room stays where it is and
//! is read later (`left_behind`).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use crate::message_facts::FactSources;
use alert::delivery::{Delivery, DeliverySettings, Ended, MediaLimits, Step, Verdict, Waiting};
use db::alerts::{Alert, AlertKind, AlertOutcome, Unsent};
use db::objects::mediatype;
use db::{Db, DbError};
use formats::number::parse_duration_s;
use model::EventId;
use model::content::Tag;
use model::document::Document;
use rt::clock::Clock;
use rt::health::{Health, Level};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::task::Tasks;
use serde_json::Value as Json;
use tokio::runtime::Handle;
use tracing::{info, warn};

use crate::parameters::Expanded;
use crate::senders::Senders;
use crate::senders::outbound::{Outbound, SendError, Sent, Transcript};

/// What `/health` calls it.
const PART: &str = "alert-delivery";
const MEDIATYPE: &str = "mediatype";
/// Messages in memory of one media type.
const WAITING_MAX: usize = 1_000;
/// Read at once.
const PAGE: u32 = 500;
/// The longest wait: what nobody tells of is looked at so often.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// After the database refused.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// For attempts that are under way at the end.
const STOP_MAX: Duration = Duration::from_secs(2);
/// Longest error that is kept, in characters; Zabbix's column.
const ERROR_CHARS: usize = 2_048;

rt::metrics! {
    /// Sending messages of actions.
    pub struct DeliveryMetrics in "saker_alerts" {
        /// Messages that were sent.
        pub sent_total: Counter,
        /// Attempts that failed.
        pub failures_total: Counter,
        /// Messages that were given up.
        pub given_up_total: Counter,
        /// Messages that wait in memory; more may wait in the database.
        pub waiting: Gauge,
        /// Attempts under way.
        pub sending: Gauge,
        /// Time of one attempt, in seconds.
        pub attempt_seconds: TimeHistogram,
        /// Panics while a message was sent; each counts as a failed attempt.
        pub panics_total: Counter,
    }
}

/// What the driver hears.
enum Heard {
    /// There is something to look at.
    Wake,
    /// An attempt is over.
    Ended(Outcome),
}

struct Outcome {
    alert: u64,
    media_type: u64,
    ended: Result<Sent, SendError>,
}

/// What delivery needs of the server.
pub struct DeliveryParts {
    pub senders: Arc<Senders>,
    /// What macros of parameters stand for.
    pub sources: FactSources,
    pub clock: Clock,
    pub health: Health,
    pub tasks: Tasks,
    pub metrics: DeliveryMetrics,
    /// Attempts at once.
    pub sessions_max: usize,
    /// Messages a second.
    pub rate_per_s: u32,
}

opaque_debug!(DeliveryParts);

/// The thread's state.
pub struct Delivering {
    db: Db,
    clock: Clock,
    health: Health,
    tasks: Tasks,
    senders: Arc<Senders>,
    /// What macros of parameters stand for.
    sources: Arc<FactSources>,
    metrics: DeliveryMetrics,
    delivery: Delivery,
    /// Those in memory, by id.
    alerts: BTreeMap<u64, Alert>,
    /// All up to here was read.
    read_until: u64,
    /// Media types of which some were left in the database, with the id before the first of them.
    left_behind: BTreeMap<u64, u64>,
    unsaved: Vec<AlertOutcome>,
    news: Arc<News>,
    tell: SyncSender<Heard>,
    heard: Receiver<Heard>,
    /// Why the last attempts of a media type failed.
    last_errors: BTreeMap<u64, String>,
    is_degraded: bool,
}

opaque_debug!(Delivering);

/// What others tell.
#[derive(Default)]
struct News {
    has_alerts: AtomicBool,
    has_media_types: AtomicBool,
}

impl Delivering {
    #[must_use]
    pub fn new(parts: DeliveryParts) -> Self {
        let DeliveryParts { senders, sources, clock, health, tasks, metrics, .. } = parts;
        let sessions_max = parts.sessions_max;
        // An outcome for each attempt, and a word that there is news.
        let (tell, heard) = sync_channel(sessions_max + 1);
        let db = senders.db.clone();
        let news = Arc::new(News {
            has_alerts: AtomicBool::new(true),
            has_media_types: AtomicBool::new(true),
        });
        let (of_alerts, wake) = (Arc::clone(&news), tell.clone());
        db.alerts().watch(Box::new(move || {
            of_alerts.has_alerts.store(true, Ordering::Release);
            self::wake(&wake);
        }));
        let (of_db, wake) = (Arc::clone(&news), tell.clone());
        db.subscribe(Box::new(move |_, delta| {
            if delta.documents_changed.iter().any(|(kind, _)| *kind == MEDIATYPE) {
                of_db.has_media_types.store(true, Ordering::Release);
                self::wake(&wake);
            }
        }));
        let settings = DeliverySettings {
            sessions_max,
            waiting_max: WAITING_MAX,
            rate_per_s: parts.rate_per_s,
        };
        Self {
            clock,
            health,
            tasks,
            db,
            senders,
            sources: Arc::new(sources),
            metrics,
            delivery: Delivery::new(settings),
            alerts: BTreeMap::new(),
            read_until: 0,
            left_behind: BTreeMap::new(),
            unsaved: Vec::new(),
            news,
            tell,
            heard,
            last_errors: BTreeMap::new(),
            is_degraded: false,
        }
    }

    /// Goes on until shutdown. Blocking.
    pub fn run(mut self, runtime: &Handle) {
        let _entered = runtime.enter();
        let shutdown = self.tasks.shutdown().clone();
        while !shutdown.is_cancelled() {
            if let Err(error) = self.turn() {
                warn!(%error, n_unsaved = self.unsaved.len(), "messages wait for the database");
                let _is_over = shutdown.wait(RETRY_PAUSE);
                continue;
            }
            self.listen(self.pause());
        }
        self.finish();
    }

    /// Until when nothing has to be done, as far as is known.
    fn pause(&self) -> Duration {
        let now_ms = self.now_ms();
        let wait_ms = self.delivery.wake_ms(now_ms).map_or(i64::MAX, |it| it - now_ms);
        let wait = Duration::from_millis(u64::try_from(wait_ms.max(1)).unwrap_or(1));
        wait.min(LOOK_INTERVAL)
    }

    fn now_ms(&self) -> i64 {
        self.clock.wall().0 / 1_000_000
    }

    fn turn(&mut self) -> Result<(), DbError> {
        self.save()?;
        if self.news.has_media_types.swap(false, Ordering::AcqRel) {
            self.delivery.set_media_types(&limits(&self.db));
        }
        if self.news.has_alerts.swap(false, Ordering::AcqRel) {
            self.read_new().inspect_err(|_| self.news.has_alerts.store(true, Ordering::Release))?;
        }
        self.read_left_behind()?;
        let now_ms = self.now_ms();
        while let Some(step) = self.delivery.next(now_ms) {
            match step {
                Step::Start { id, media_type } => self.start(id, media_type),
                Step::GiveUp(verdict) => self.note(verdict),
            }
        }
        self.observe();
        self.save()
    }

    /// Reads what was committed since the last time.
    fn read_new(&mut self) -> Result<(), DbError> {
        loop {
            let page = self.db.alerts().unsent(Unsent {
                kind: AlertKind::Message,
                media_type: None,
                after: self.read_until,
                limit: PAGE,
            })?;
            let is_last = page.len() < PAGE as usize;
            for alert in page {
                self.read_until = alert.id;
                let (kind, before) = (alert.media_type, alert.id.saturating_sub(1));
                if !self.left_behind.contains_key(&kind) && !self.take(alert) {
                    self.left_behind.insert(kind, before);
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Reads what was left where it was, of media types that have room again.
    fn read_left_behind(&mut self) -> Result<(), DbError> {
        let kinds: Vec<(u64, u64)> =
            self.left_behind.iter().map(|(kind, it)| (*kind, *it)).collect();
        for (kind, mut after) in kinds {
            // In large pieces: each costs a query.
            if self.delivery.room(kind) < WAITING_MAX / 2 {
                continue;
            }
            let page = self.db.alerts().unsent(Unsent {
                kind: AlertKind::Message,
                media_type: Some(kind),
                after,
                limit: PAGE,
            })?;
            let mut is_over = page.len() < PAGE as usize;
            for alert in page {
                let id = alert.id;
                // Later ones are still to be read in order.
                if self.read_until < id {
                    is_over = true;
                    break;
                }
                self.take(alert);
                after = id;
            }
            if is_over {
                self.left_behind.remove(&kind);
            } else {
                self.left_behind.insert(kind, after);
            }
        }
        Ok(())
    }

    fn take(&mut self, alert: Alert) -> bool {
        if self.delivery.room(alert.media_type) == 0 {
            return false;
        }
        let is_new = self.delivery.take(Waiting {
            id: alert.id,
            media_type: alert.media_type,
            receiver: self.receiver(&alert),
            retries: alert.retries,
            due_ms: alert.next_at.saturating_mul(1_000),
        });
        if is_new {
            self.alerts.insert(alert.id, alert);
        }
        true
    }

    /// What fails as a whole: of e-mail the mail server, else whom the message is for.
    fn receiver(&self, alert: &Alert) -> u64 {
        let snapshot = self.db.snapshot();
        let kind = snapshot.documents.get(MEDIATYPE, alert.media_type);
        if kind.is_none_or(|it| it.text("type") == mediatype::EMAIL) {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        alert.sendto.hash(&mut hasher);
        hasher.finish()
    }

    fn start(&mut self, id: u64, media_type: u64) {
        let kind = self.db.snapshot().documents.get(MEDIATYPE, media_type).cloned();
        let (Some(alert), Some(kind)) = (self.alerts.get(&id), kind) else {
            // It was deleted since: the next turn knows.
            let ended = Err(SendError::Hopeless("Media type does not exist any more.".to_owned()));
            self.heard(Outcome { alert: id, media_type, ended });
            return;
        };
        let (sources, alert) = (Arc::clone(&self.sources), alert.clone());
        let attempts = kind.text("maxattempts").parse().unwrap_or(3);
        let (senders, tell) = (Arc::clone(&self.senders), self.tell.clone());
        let (tasks, metrics, clock) =
            (self.tasks.clone(), self.metrics.clone(), self.clock.clone());
        self.tasks.spawn_blocking("message", move || {
            let started_ns = clock.mono_ns();
            let send = || {
                let parameters = Expanded::of(&sources, &kind.body, &alert, clock.wall())?;
                let is_last = attempts <= alert.retries.saturating_add(1);
                let message = Outbound { is_last, ..outbound(&alert, &parameters) };
                let sent = senders.send(&kind.body, &message, &Transcript::default());
                sent.map_err(|error| parameters.masked(error))
            };
            let ended = tasks.contain_sync("message", id, send).unwrap_or_else(|_panicked| {
                metrics.panics_total.inc();
                Err(SendError::Failed("internal error while the message was sent".to_owned()))
            });
            metrics.attempt_seconds.observe_ns(clock.mono_ns().saturating_sub(started_ns));
            // There is room for each; nobody listens any more after the end.
            tell.send(Heard::Ended(Outcome { alert: id, media_type, ended })).ok();
        });
    }

    /// Takes in what came meanwhile, waiting for the first of it.
    fn listen(&mut self, pause: Duration) {
        match self.heard.recv_timeout(pause) {
            Ok(Heard::Ended(it)) => self.heard(it),
            Ok(Heard::Wake) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        while let Ok(it) = self.heard.try_recv() {
            if let Heard::Ended(it) = it {
                self.heard(it);
            }
        }
    }

    fn heard(&mut self, outcome: Outcome) {
        let Outcome { alert, media_type, ended } = outcome;
        let mut note = String::new();
        let ended = match ended {
            Ok(sent) => {
                self.metrics.sent_total.inc();
                self.last_errors.remove(&media_type);
                self.add_tags(alert, media_type, sent.returned.as_deref());
                note = sent.note.chars().take(ERROR_CHARS).collect();
                Ended::Sent
            }
            Err(error) => {
                self.metrics.failures_total.inc();
                let error = error.map(|it| it.chars().take(ERROR_CHARS).collect());
                match error {
                    SendError::Failed(text) => {
                        self.last_errors.insert(media_type, text.clone());
                        Ended::Failed(text)
                    }
                    SendError::Hopeless(text) => Ended::Hopeless(text),
                    SendError::Refused(text) => Ended::Refused(text),
                    SendError::Deferred(text) => Ended::Deferred(text),
                }
            }
        };
        let now_ms = self.now_ms();
        if let Some(mut verdict) = self.delivery.ended((media_type, alert), ended, now_ms) {
            if verdict.status == alert::AlertStatus::Sent {
                verdict.error = note;
            }
            self.note(verdict);
        }
    }

    fn note(&mut self, verdict: Verdict) {
        let is_final = verdict.due_ms == 0;
        let is_digest = self.alerts.get(&verdict.id).is_some_and(Alert::is_digest);
        if is_final {
            self.alerts.remove(&verdict.id);
        } else if let Some(it) = self.alerts.get_mut(&verdict.id) {
            it.retries = verdict.retries;
        }
        if verdict.status == alert::AlertStatus::Failed {
            self.metrics.given_up_total.inc();
        }
        self.unsaved.push(AlertOutcome {
            id: verdict.id,
            status: verdict.status,
            retries: verdict.retries,
            error: verdict.error,
            // Not earlier than it would have been without a restart.
            next_at: verdict.due_ms.div_euclid(1_000) + i64::from(verdict.due_ms % 1_000 != 0),
            is_digest,
        });
    }

    fn save(&mut self) -> Result<(), DbError> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        self.db.alerts().save(self.unsaved.clone())?;
        self.unsaved.clear();
        Ok(())
    }

    /// Tags that a webhook returned, where its media type says that they count.
    fn add_tags(&self, alert: u64, media_type: u64, returned: Option<&str>) {
        let Some(alert) = self.alerts.get(&alert) else { return };
        let snapshot = self.db.snapshot();
        let kind = snapshot.documents.get(MEDIATYPE, media_type);
        if kind.is_none_or(|it| it.text("process_tags") != "1") {
            return;
        }
        let tags = tags_of(returned.unwrap_or_default());
        let of = [alert.event, alert.problem].into_iter().filter(|it| *it != EventId(0));
        for event in of {
            if let Err(error) = self.db.events().add_tags(event, &tags) {
                warn!(%error, event = event.0, "tags that a webhook returned were not added");
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "metrics")]
    fn observe(&mut self) {
        self.metrics.waiting.set(self.delivery.n_waiting() as f64);
        self.metrics.sending.set(self.delivery.n_running() as f64);
        let snapshot = self.db.snapshot();
        let paused = self.delivery.paused().map(|(id, n)| {
            let kind = snapshot.documents.get(MEDIATYPE, id);
            let name = kind.map_or("", |it| it.text("name"));
            let error = self.last_errors.get(&id).map_or("", |it| it.as_str());
            let to = match kind.is_some_and(|it| it.text("type") == mediatype::EMAIL) {
                true => String::new(),
                false => format!(" to {n} of its recipients"),
            };
            format!("messages by media type \"{name}\"{to} fail: {error}")
        });
        let troubles: Vec<String> = paused.collect();
        if !troubles.is_empty() {
            self.health.set(PART, Level::Degraded, troubles.join("; "));
            self.is_degraded = true;
        } else if std::mem::take(&mut self.is_degraded) {
            self.health.clear(PART);
        }
    }

    /// What is under way gets a moment. What fails because the server ends has not failed.
    fn finish(mut self) {
        let time_ns = u64::try_from(STOP_MAX.as_nanos()).unwrap_or(u64::MAX);
        let end_ns = self.clock.mono_ns().saturating_add(time_ns);
        while 0 < self.delivery.n_running() && self.clock.mono_ns() < end_ns {
            match self.heard.recv_timeout(LOOK_INTERVAL) {
                Ok(Heard::Ended(it)) if it.ended.is_ok() => self.heard(it),
                Ok(Heard::Ended(it)) => {
                    let now_ms = self.now_ms();
                    let ended = Ended::Failed(String::new());
                    // Its row stays as it is.
                    drop(self.delivery.ended((it.media_type, it.alert), ended, now_ms));
                }
                Ok(Heard::Wake) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if let Err(error) = self.save() {
            warn!(%error, "some messages that were sent are sent again after the next start");
        }
        info!(n_waiting = self.delivery.n_waiting(), "delivery of messages has ended");
    }
}

/// Who does not find room need not tell: something is there to be heard.
fn wake(tell: &SyncSender<Heard>) {
    match tell.try_send(Heard::Wake) {
        Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
    }
}

fn limits(db: &Db) -> BTreeMap<u64, MediaLimits> {
    let snapshot = db.snapshot();
    let of = |it: &Arc<Document>| {
        let number = |name: &str| it.text(name).parse::<u32>().ok();
        let interval_s = parse_duration_s(it.text("attempt_interval")).unwrap_or(10);
        let limits = MediaLimits {
            is_enabled: it.text("status") == "0",
            sessions: number("maxsessions").map_or(1, |it| it as usize),
            attempts: number("maxattempts").unwrap_or(3),
            attempt_interval_ms: i64::try_from(interval_s).unwrap_or(3_600) * 1_000,
        };
        (it.id, limits)
    };
    snapshot.documents.of(MEDIATYPE).map(of).collect()
}

fn outbound(alert: &Alert, parameters: &Expanded) -> Outbound {
    let problem = if alert.problem == EventId(0) { alert.event } else { alert.problem };
    Outbound {
        alert: alert.id,
        problem: problem.0,
        clock: alert.clock,
        media_type: alert.media_type,
        sendto: alert.sendto.clone(),
        subject: alert.subject.clone(),
        message: alert.message.clone(),
        parameters: parameters.json.clone(),
        is_last: false,
    }
}

/// `{"tags": {"name": "value"}}`; anything else has none.
fn tags_of(returned: &str) -> Vec<Tag> {
    let returned: Json = serde_json::from_str(returned).unwrap_or_default();
    let tags = returned.get("tags").and_then(Json::as_object).into_iter().flatten();
    let text = |it: &Json| match it {
        Json::String(it) => Some(it.clone()),
        Json::Number(it) => Some(it.to_string()),
        Json::Bool(it) => Some(it.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    };
    // Zabbix's columns are as long.
    let cut = |it: &str| it.trim().chars().take(255).collect::<String>();
    let made = tags.filter_map(|(name, value)| {
        let (tag, value) = (cut(name), cut(&text(value)?));
        (!tag.is_empty()).then_some(Tag { tag, value })
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_texts_of_an_object() {
        let tags = tags_of(r#"{"tags": {"issue": "OPS-1", "n": 7, "list": [], " ": "x"}}"#);
        let shown: Vec<String> = tags.iter().map(|it| format!("{}={}", it.tag, it.value)).collect();
        assert_eq!(shown, ["issue=OPS-1", "n=7"]);
        for other in ["", "OK", "[]", "{}", r#"{"tags": "x"}"#] {
            assert!(tags_of(other).is_empty(), "{other}");
        }
    }
}
