//! The worker that drives delivery: it reads unsent messages from the database, has attempts made
//! in the background, and saves their outcomes.
//!
//! **At least once.** An alert is read when it is committed, and sent before that is saved: a
//! process that ends in between sends it again. Nothing new is started while an outcome is not
//! saved, so that no more messages than those under way are ever sent twice.
//!
//! **Memory** holds a bounded part of each media type's queue; messages without room stay in the
//! database and are read later (`left_behind`). After a panic everything but attempts under way and
//! their outcomes is read again.
//!
//! **Rows that always fail.** An outcome that the database refuses three times alone is given up.
//! One at which three turns panicked is saved without its further effects.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use crate::message_facts::FactSources;
use alert::AlertStatus;
use alert::delivery::{
    DeliveryQueues, DeliverySettings, DeliveryStep, DeliveryVerdict, Ended, MediaLimits, Waiting,
};
use db::alerts::{Alert, AlertKind, AlertOutcome, Unsent};
use db::objects::mediatype;
use db::{Db, DbError};
use formats::number::parse_duration_s;
use model::EventId;
use model::content::Tag;
use model::document::Document;
use model::time::Now;
use rt::clock::{Clock, nanos};
use rt::health::{Health, Level};
use rt::metrics::{Counter, Gauge, TimeHistogram};
use rt::task::Tasks;
use rt::worker::{FAILURES_UNTIL_PUT_ASIDE, Next, OnPanic, Wake, Worker, WorkerFailure, WorkerRow};
use serde_json::Value as Json;
use tracing::{info, warn};

use crate::parameters::Expanded;
use crate::ports::{Background, Mailer};
use crate::senders::outbound::{MessageError, Outbound, Sent, Transcript};

/// The worker as operators know it.
pub const ROW: WorkerRow = WorkerRow {
    name: PART,
    job: "sends messages of actions",
    woken_by: "new messages, attempts that end, changes of media types, the time of the next attempt",
    waits: "messages wait for the database",
    on_panic: OnPanic::Reload,
};

/// Its name in `/health`.
const PART: &str = "alert-delivery";
const MEDIATYPE: &str = "mediatype";
/// Messages in memory of one media type.
const WAITING_MAX: usize = 1_000;
/// Read at once.
const PAGE: u32 = 500;
/// The time of an attempt is wall time, and the wall clock may be set: it is read so often while
/// messages wait.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
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

/// How an attempt ended.
#[derive(Clone)]
struct Outcome {
    alert: u64,
    media_type: u64,
    ended: Result<Sent, MessageError>,
}

/// Parts of the server that delivery needs.
pub struct DeliveryParts {
    pub mailer: Arc<dyn Mailer>,
    pub background: Arc<dyn Background>,
    /// Sources of macros of parameters.
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

/// The worker's state.
pub struct Delivering {
    db: Db,
    clock: Clock,
    health: Health,
    tasks: Tasks,
    mailer: Arc<dyn Mailer>,
    background: Arc<dyn Background>,
    /// Sources of macros of parameters.
    sources: Arc<FactSources>,
    metrics: DeliveryMetrics,
    delivery: DeliveryQueues,
    settings: DeliverySettings,
    /// Those in memory, by id.
    alerts: BTreeMap<u64, Alert>,
    /// All up to here was read.
    read_until: u64,
    /// Media types of which some were left in the database, with the id before the first of them.
    left_behind: BTreeMap<u64, u64>,
    unsaved: Vec<AlertOutcome>,
    changes: Arc<Changes>,
    wake: Wake,
    outcomes_in: SyncSender<Outcome>,
    outcomes: Receiver<Outcome>,
    /// Attempts that have not ended, by the id of their alert.
    under_way: BTreeMap<u64, Alert>,
    /// Attempts that have ended and are to be worked off.
    ended: VecDeque<Outcome>,
    /// At how many turns the first of them was there when they panicked.
    n_panics: u32,
    /// The message that is taken in or begun now.
    current: Option<u64>,
    /// Messages that are not taken in any more, because three turns panicked over it.
    aside: BTreeSet<u64>,
    /// Whether the last failure may pass with time.
    is_mended_by_time: bool,
    /// Why the last attempts of a media type failed.
    last_errors: BTreeMap<u64, String>,
    is_degraded: bool,
}

opaque_debug!(Delivering);

/// Changes that other parts have made.
#[derive(Default)]
struct Changes {
    has_alerts: AtomicBool,
    has_media_types: AtomicBool,
}

impl Delivering {
    /// Turns are caused by its wake-ups.
    #[must_use]
    pub fn new(parts: DeliveryParts, wake: &Wake) -> Self {
        let sessions_max = parts.sessions_max;
        // An outcome for each attempt, and for those that a panic has made the worker forget.
        let (outcomes_in, outcomes) = sync_channel(2 * sessions_max);
        let db = parts.sources.db.clone();
        let changes = Arc::new(Changes {
            has_alerts: AtomicBool::new(true),
            has_media_types: AtomicBool::new(true),
        });
        let (of_alerts, woken) = (Arc::clone(&changes), wake.clone());
        db.alerts().watch(Box::new(move || {
            of_alerts.has_alerts.store(true, Ordering::Release);
            woken.wake();
        }));
        let (of_db, woken) = (Arc::clone(&changes), wake.clone());
        db.subscribe(Box::new(move |_, delta| {
            if delta.documents_changed.iter().any(|(kind, _)| *kind == MEDIATYPE) {
                of_db.has_media_types.store(true, Ordering::Release);
                woken.wake();
            }
        }));
        let settings = DeliverySettings {
            sessions_max,
            waiting_max: WAITING_MAX,
            rate_per_s: parts.rate_per_s,
        };
        Self {
            clock: parts.clock,
            health: parts.health,
            tasks: parts.tasks,
            db,
            mailer: parts.mailer,
            background: parts.background,
            sources: Arc::new(parts.sources),
            metrics: parts.metrics,
            delivery: DeliveryQueues::new(settings),
            settings,
            alerts: BTreeMap::new(),
            read_until: 0,
            left_behind: BTreeMap::new(),
            unsaved: Vec::new(),
            changes,
            wake: wake.clone(),
            outcomes_in,
            outcomes,
            under_way: BTreeMap::new(),
            ended: VecDeque::new(),
            n_panics: 0,
            current: None,
            aside: BTreeSet::new(),
            is_mended_by_time: false,
            last_errors: BTreeMap::new(),
            is_degraded: false,
        }
    }

    /// When there is something to do although nothing else happens.
    fn next(&self) -> Next {
        let now = self.clock.now();
        let now_ms = now.wall.0 / 1_000_000;
        let Some(at_ms) = self.delivery.wake_ms(now_ms) else { return Next::WhenWoken };
        let wait = u64::try_from(at_ms.saturating_sub(now_ms).max(1)).unwrap_or(1);
        Next::after(now, Duration::from_millis(wait).min(LOOK_INTERVAL))
    }

    fn now_ms(&self) -> i64 {
        self.clock.wall().0 / 1_000_000
    }

    fn turn_by_state(&mut self) -> Result<(), DbError> {
        self.listen();
        self.save()?;
        if self.changes.has_media_types.swap(false, Ordering::AcqRel) {
            self.delivery.set_media_types(&limits(&self.db));
        }
        if self.changes.has_alerts.swap(false, Ordering::AcqRel) {
            self.read_new()
                .inspect_err(|_| self.changes.has_alerts.store(true, Ordering::Release))?;
        }
        self.read_left_behind()?;
        let now_ms = self.now_ms();
        while let Some(step) = self.delivery.next(now_ms) {
            match step {
                DeliveryStep::Start { id, media_type } => self.start(id, media_type),
                DeliveryStep::GiveUp(verdict) => self.note(verdict),
            }
        }
        self.observe();
        self.save()
    }

    /// Reads messages that were committed since the last time.
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

    /// Reads messages that had no room, of media types that have room again.
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
        if self.aside.contains(&alert.id)
            || self.under_way.contains_key(&alert.id)
            || self.ended.iter().any(|it| it.alert == alert.id)
        {
            // It was read before a panic, and its outcome is still to be processed.
            return true;
        }
        if self.delivery.room(alert.media_type) == 0 {
            return false;
        }
        self.current = Some(alert.id);
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
        self.current = None;
        true
    }

    /// The unit of failure: for e-mail the mail server, else the address of the message.
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
        self.current = Some(id);
        let kind = self.db.snapshot().documents.get(MEDIATYPE, media_type).cloned();
        let (Some(alert), Some(kind)) = (self.alerts.get(&id), kind) else {
            // It was deleted since: the next turn knows.
            let ended =
                Err(MessageError::Hopeless("Media type does not exist any more.".to_owned()));
            self.work_off(&Outcome { alert: id, media_type, ended });
            self.current = None;
            return;
        };
        let (sources, alert) = (Arc::clone(&self.sources), alert.clone());
        let attempts = kind.text("maxattempts").parse().unwrap_or(3);
        let (mailer, outcomes, wake) =
            (Arc::clone(&self.mailer), self.outcomes_in.clone(), self.wake.clone());
        let (tasks, metrics, clock) =
            (self.tasks.clone(), self.metrics.clone(), self.clock.clone());
        self.under_way.insert(id, alert.clone());
        let work = move || {
            let started_ns = clock.mono_ns();
            let send = || {
                let parameters = Expanded::of(&sources, &kind.body, &alert, clock.wall())?;
                let is_last = attempts <= alert.retries.saturating_add(1);
                let message = Outbound { is_last, ..outbound(&alert, &parameters) };
                let sent = mailer.send(&kind.body, &message, &Transcript::default());
                sent.map_err(|error| parameters.masked(error))
            };
            let ended = tasks.contain_sync("message", id, send).unwrap_or_else(|_panicked| {
                metrics.panics_total.inc();
                Err(MessageError::Failed("internal error while the message was sent".to_owned()))
            });
            metrics.attempt_seconds.observe_ns(clock.mono_ns().saturating_sub(started_ns));
            // There is room for each; nobody listens any more after the end.
            outcomes.send(Outcome { alert: id, media_type, ended }).ok();
            wake.wake();
        };
        self.background.begin("message", Box::new(work));
        self.current = None;
    }

    /// Takes the outcomes of attempts, and processes them one after the other, so that a panic is
    /// known to be of the first.
    fn listen(&mut self) {
        while let Ok(it) = self.outcomes.try_recv() {
            self.under_way_ended(it);
        }
        while let Some(outcome) = self.ended.front().cloned() {
            self.work_off(&outcome);
            self.ended.pop_front();
            self.n_panics = 0;
        }
    }

    fn under_way_ended(&mut self, outcome: Outcome) {
        if let Some(alert) = self.under_way.remove(&outcome.alert) {
            self.alerts.entry(outcome.alert).or_insert(alert);
        }
        self.ended.push_back(outcome);
    }

    fn work_off(&mut self, outcome: &Outcome) {
        let Outcome { alert, media_type, ended } = outcome.clone();
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
                    MessageError::Failed(text) => {
                        self.last_errors.insert(media_type, text.clone());
                        Ended::Failed(text)
                    }
                    MessageError::Hopeless(text) => Ended::Hopeless(text),
                    MessageError::Refused(text) => Ended::Refused(text),
                    MessageError::Deferred(text) => Ended::Deferred(text),
                }
            }
        };
        let now_ms = self.now_ms();
        let verdict = self.delivery.ended((media_type, alert), ended.clone(), now_ms);
        let mut verdict = verdict.unwrap_or_else(|| self.forgotten(alert, media_type, ended));
        if verdict.status == AlertStatus::Sent {
            verdict.error = note;
        }
        self.note(verdict);
    }

    /// The verdict on an attempt that began before a panic. A message that is tried again is read
    /// again.
    fn forgotten(&mut self, id: u64, media_type: u64, ended: Ended) -> DeliveryVerdict {
        let retries = self.alerts.get(&id).map_or(0, |it| it.retries);
        let failed = |error, retries| DeliveryVerdict {
            id,
            status: AlertStatus::Failed,
            retries,
            error,
            due_ms: 0,
        };
        let error = match ended {
            Ended::Sent => {
                return DeliveryVerdict {
                    status: AlertStatus::Sent,
                    ..failed(String::new(), retries)
                };
            }
            Ended::Hopeless(error) | Ended::Refused(error) => return failed(error, retries),
            Ended::Failed(error) | Ended::Deferred(error) => error,
        };
        let limits = limits(&self.db).get(&media_type).copied();
        let Some(limits) = limits.filter(|it| retries + 1 < it.attempts) else {
            return failed(error, retries + 1);
        };
        self.read_until = self.read_until.min(id.saturating_sub(1));
        self.changes.has_alerts.store(true, Ordering::Release);
        let due_ms = self.now_ms().saturating_add(limits.attempt_interval_ms.max(1));
        DeliveryVerdict { status: AlertStatus::NotSent, due_ms, ..failed(error, retries + 1) }
    }

    fn note(&mut self, verdict: DeliveryVerdict) {
        let is_final = verdict.due_ms == 0;
        let is_digest = self.alerts.get(&verdict.id).is_some_and(Alert::is_digest);
        if is_final {
            self.alerts.remove(&verdict.id);
        } else if let Some(it) = self.alerts.get_mut(&verdict.id) {
            it.retries = verdict.retries;
        }
        if verdict.status == AlertStatus::Failed {
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
        let issues: Vec<String> = paused.collect();
        if !issues.is_empty() {
            self.health.set(PART, Level::Degraded, issues.join("; "));
            self.is_degraded = true;
        } else if std::mem::take(&mut self.is_degraded) {
            self.health.clear(PART);
        }
    }
}

impl Worker for Delivering {
    type Error = DbError;

    fn turn(&mut self, _: Now) -> Result<Next, DbError> {
        let turn = self.turn_by_state();
        if let Err(error) = &turn {
            self.is_mended_by_time = error.retry();
            warn!(%error, n_unsaved = self.unsaved.len(), "messages wait for the database");
        }
        turn.map(|()| self.next())
    }

    /// After an error all is as it was. After a panic messages are read again, but for those that are under way.
    fn reload(&mut self, after: WorkerFailure) -> Result<(), DbError> {
        self.is_mended_by_time = false;
        if let Some(id) = self.current.take() {
            // It was not begun.
            self.under_way.remove(&id);
        }
        if after == WorkerFailure::Error {
            return Ok(());
        }
        self.n_panics += u32::from(!self.ended.is_empty());
        self.delivery = DeliveryQueues::new(self.settings);
        let of_ended: Vec<u64> = self.ended.iter().map(|it| it.alert).collect();
        self.alerts.retain(|id, _| of_ended.contains(id));
        self.left_behind.clear();
        self.read_until = 0;
        self.changes.has_alerts.store(true, Ordering::Release);
        self.changes.has_media_types.store(true, Ordering::Release);
        Ok(())
    }

    /// The outcome of a message that always fails, or that the database refuses.
    fn put_aside(&mut self) -> Option<String> {
        if FAILURES_UNTIL_PUT_ASIDE <= self.n_panics + 1
            && let Some(Outcome { alert: id, ended, .. }) = self.ended.pop_front()
        {
            self.n_panics = 0;
            let (status, error) = match ended {
                Ok(_) => (AlertStatus::Sent, String::new()),
                Err(error) => {
                    (AlertStatus::Failed, error.into_text().chars().take(ERROR_CHARS).collect())
                }
            };
            self.note(DeliveryVerdict { id, status, retries: 0, error, due_ms: 0 });
            return Some(format!("message {id}"));
        }
        if let Some(id) = self.current.take() {
            self.under_way.remove(&id);
            self.aside.insert(id);
            self.note(DeliveryVerdict {
                id,
                status: AlertStatus::Failed,
                retries: 0,
                error: "An internal error keeps the message from being sent.".to_owned(),
                due_ms: 0,
            });
            return Some(format!("message {id}"));
        }
        if self.is_mended_by_time {
            return None;
        }
        let mut refused = None;
        for outcome in std::mem::take(&mut self.unsaved) {
            let id = outcome.id;
            match self.db.alerts().save(vec![outcome.clone()]) {
                Err(error) if refused.is_none() && !error.retry() => refused = Some(id),
                Err(_) => self.unsaved.push(outcome),
                Ok(()) => {}
            }
        }
        refused.map(|id| format!("what became of message {id}"))
    }

    /// Attempts under way get a moment. An attempt that fails because the server ends has not
    /// failed.
    fn stop(&mut self) -> Result<(), DbError> {
        let end_ns = self.clock.mono_ns().saturating_add(nanos(STOP_MAX));
        while !self.under_way.is_empty() {
            let left = Duration::from_nanos(end_ns.saturating_sub(self.clock.mono_ns()));
            let Ok(it) = self.outcomes.recv_timeout(left) else { break };
            if it.ended.is_ok() {
                self.under_way_ended(it);
            } else {
                // Its row stays as it is.
                self.under_way.remove(&it.alert);
            }
        }
        self.listen();
        info!(n_waiting = self.delivery.n_waiting(), "delivery of messages has ended");
        self.save().inspect_err(|error| {
            warn!(%error, "some messages that were sent are sent again after the next start");
        })
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
