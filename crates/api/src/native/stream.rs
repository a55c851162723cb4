//! The live stream: one WebSocket a tab, deltas of what it asked for.
//!
//! Nothing is queued for a client. Its position in each source is kept (a version of problems, the
//! last value told of each item), and what is new is gathered when the client has taken the
//! message before: a slow client gets fewer, larger messages. One that takes none for
//! [`SEND_TIME_MAX`], or is so far behind that deltas no longer reach back, is closed; pages then
//! connect anew and fetch their snapshots.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts, State};
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::map::{Map, Set};
use model::{HostId, ItemId, Time};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::latest::Cell;
use super::{busy, overview, problems, session};
use crate::error::ApiError;
use crate::http::failed;
use crate::shared::{Caller, Ctx, Shared};

/// How often sources are looked at. Problems go out with each tick.
const TICK: Duration = Duration::from_millis(250);
const LATEST_TICKS: u64 = 4;
const OVERVIEW_TICKS: u64 = 8;
/// Whether the session still lives, and a ping so that proxies keep the line.
const SESSION_TICKS: u64 = 80;

const SEND_TIME_MAX: Duration = Duration::from_secs(20);
/// Items of one client: more than any page shows.
const ITEMS_MAX: usize = 10_000;
/// Rows of one message: 200 kB.
const ROWS_MAX: usize = 500;
/// Of a client: ids of its items.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// A page fetches its snapshot before its wish arrives here: what changed in between is told.
const LOOK_BACK_TICKS: usize = 40;

/// The stream cannot go on from where the client is: it has to fetch anew.
const CLOSE_BEHIND: u16 = 4_000;
const CLOSE_SESSION: u16 = 4_001;
/// The server stops.
const CLOSE_AWAY: u16 = 1_001;

#[derive(Deserialize)]
struct Subscription {
    subscribe: Wants,
}

#[derive(Clone, Deserialize, Default)]
#[serde(default)]
struct Wants {
    problems: bool,
    overview: bool,
    latest: LatestWants,
}

#[derive(Clone, Deserialize, Default)]
#[serde(default)]
struct LatestWants {
    itemids: Vec<ItemId>,
}

pub(super) async fn open(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    let caller = match session::caller(&shared, &request) {
        Ok(it) => it,
        Err(response) => return response,
    };
    // The cookie comes along from any site: the pages have to be our own.
    if caller.is_cookie && !is_same_origin(request.headers()) {
        return failed(StatusCode::FORBIDDEN, "The stream is for our own pages.");
    }
    let Ok(permit) = Arc::clone(&shared.streams).try_acquire_owned() else {
        return busy("Too many live streams are open.");
    };
    let (mut parts, _) = request.into_parts();
    let upgrade = match WebSocketUpgrade::from_request_parts(&mut parts, &shared).await {
        Ok(it) => it.max_message_size(MESSAGE_BYTES_MAX),
        Err(rejection) => return rejection.into_response(),
    };
    upgrade.on_upgrade(move |socket| Stream::new(shared, caller, socket, permit).run())
}

fn is_same_origin(headers: &HeaderMap) -> bool {
    let value = |name| headers.get(name).and_then(|it| it.to_str().ok());
    let Some(origin) = value(header::ORIGIN) else { return false };
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == value(header::HOST)
}

/// Why a stream ends.
enum End {
    /// The client went, or the line broke.
    Gone,
    Close(u16, &'static str),
}

/// What a client was told of an item: time and text of its value, state and error.
type Told = (Time, u64, bool, u64);

struct Stream {
    shared: Arc<Shared>,
    caller: Caller,
    socket: WebSocket,
    wants: Wants,
    /// Up to which version of problems the client was told.
    version: u64,
    /// Versions of the last ticks, oldest first.
    versions: VecDeque<u64>,
    told: Map<ItemId, Told>,
    _permit: OwnedSemaphorePermit,
}

impl Stream {
    fn new(
        shared: Arc<Shared>,
        caller: Caller,
        socket: WebSocket,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let version = *shared.problems.borrow();
        shared.metrics.streams_open.add(1.0);
        Self {
            shared,
            caller,
            socket,
            wants: Wants::default(),
            version,
            versions: VecDeque::from([version]),
            told: Map::default(),
            _permit: permit,
        }
    }

    async fn run(mut self) {
        let end = self.converse().await;
        if let End::Close(code, reason) = end {
            if code == CLOSE_BEHIND {
                self.shared.metrics.streams_slow_total.inc();
            }
            let frame = CloseFrame { code, reason: reason.into() };
            let sent = timeout(SEND_TIME_MAX, self.socket.send(Message::Close(Some(frame)))).await;
            if !matches!(sent, Ok(Ok(()))) {
                tracing::debug!(reason, "a live stream ended without a farewell");
            }
        }
        self.shared.metrics.streams_open.add(-1.0);
    }

    async fn converse(&mut self) -> End {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut hosts = self.shared.hosts.subscribe();
        let shutdown = self.shared.shutdown.clone();
        let mut n_ticks: u64 = 0;
        loop {
            let done = tokio::select! {
                () = shutdown.cancelled() => Err(End::Close(CLOSE_AWAY, "the server stops")),
                message = self.socket.recv() => self.receive(message).await,
                changed = hosts.recv() => self.send_hosts(changed).await,
                _ = ticks.tick() => {
                    n_ticks += 1;
                    self.tick(n_ticks).await
                }
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    async fn receive(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<(), End> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_))) => return Ok(()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(End::Gone),
        };
        let Ok(Subscription { subscribe: mut wants }) = serde_json::from_str(&text) else {
            return self.send(&json!({"type": "error", "error": "This is no subscription."})).await;
        };
        if wants.latest.itemids.len() > ITEMS_MAX {
            wants.latest.itemids.truncate(ITEMS_MAX);
            self.send(&json!({"type": "limit", "latest": ITEMS_MAX})).await?;
        }
        if wants.problems && !self.wants.problems {
            self.version = self.versions.front().copied().unwrap_or(self.version);
        }
        let wanted: Set<ItemId> = wants.latest.itemids.iter().copied().collect();
        self.told.retain(|it, _| wanted.contains(it));
        self.wants = wants;
        // What is new to the client comes now, not with the next tick.
        self.send_latest().await?;
        self.send_overview().await
    }

    async fn tick(&mut self, n: u64) -> Result<(), End> {
        let version = *self.shared.problems.borrow();
        if self.wants.problems && version != self.version {
            self.send_problems().await?;
        }
        if self.versions.len() >= LOOK_BACK_TICKS {
            self.versions.pop_front();
        }
        self.versions.push_back(version);
        if n.is_multiple_of(LATEST_TICKS) {
            self.send_latest().await?;
        }
        if n.is_multiple_of(OVERVIEW_TICKS) {
            self.send_overview().await?;
        }
        if n.is_multiple_of(SESSION_TICKS) {
            self.check_session().await?;
        }
        Ok(())
    }

    async fn check_session(&mut self) -> Result<(), End> {
        let now = self.shared.clock.wall();
        let Some(identity) = self.shared.db.authenticate(&self.caller.credential, now) else {
            return Err(End::Close(CLOSE_SESSION, "the session has ended"));
        };
        self.caller.identity = identity;
        self.send_message(Message::Ping(Vec::new().into())).await
    }

    /// Runs work with the caller's rights as they are now, on a thread for that.
    async fn work<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Ctx) -> T + Send + 'static,
    ) -> Result<T, End> {
        let (of_work, caller) = (Arc::clone(&self.shared), self.caller.clone());
        let done = self.shared.blocking(&self.shared.calls, move || {
            let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
            Ok(work(&ctx))
        });
        done.await.flatten().map_err(|_error| End::Close(CLOSE_SESSION, "the session has ended"))
    }

    async fn send_problems(&mut self) -> Result<(), End> {
        let since = self.version;
        let messages = self.work(move |ctx| problem_messages(ctx, since)).await?;
        let Some((version, messages)) = messages else {
            return Err(End::Close(CLOSE_BEHIND, "too far behind: fetch anew"));
        };
        for message in messages {
            self.send_message(Message::Text(message.into())).await?;
        }
        self.version = version;
        Ok(())
    }

    async fn send_latest(&mut self) -> Result<(), End> {
        if self.wants.latest.itemids.is_empty() {
            return Ok(());
        }
        let items = self.wants.latest.itemids.clone();
        let mut told = std::mem::take(&mut self.told);
        let (told, messages) = self
            .work(move |ctx| {
                let messages = latest_messages(ctx, &items, &mut told);
                (told, messages)
            })
            .await?;
        self.told = told;
        for message in messages {
            self.send_message(Message::Text(message.into())).await?;
        }
        Ok(())
    }

    async fn send_overview(&mut self) -> Result<(), End> {
        if !self.wants.overview {
            return Ok(());
        }
        let mut message = self.work(overview::overview).await?;
        if let Some(fields) = message.as_object_mut() {
            fields.insert("type".to_owned(), Value::String("overview".to_owned()));
        }
        self.send(&message).await
    }

    async fn send_hosts(&mut self, changed: Result<Arc<[u64]>, RecvError>) -> Result<(), End> {
        let ids = match changed {
            Ok(ids) => ids,
            // Which ones changed is not known any more: the pages read all.
            Err(RecvError::Lagged(_)) => Arc::from([]),
            Err(RecvError::Closed) => return Err(End::Close(CLOSE_AWAY, "the server stops")),
        };
        let is_all = ids.is_empty();
        let visible = self.work(move |ctx| visible_hosts(ctx, &ids)).await?;
        if visible.is_empty() && !is_all {
            return Ok(());
        }
        self.send(&json!({"type": "hosts", "changed": visible})).await
    }

    async fn send(&mut self, message: &Value) -> Result<(), End> {
        self.send_message(Message::Text(message.to_string().into())).await
    }

    async fn send_message(&mut self, message: Message) -> Result<(), End> {
        match timeout(SEND_TIME_MAX, self.socket.send(message)).await {
            Ok(Ok(())) => {
                self.shared.metrics.stream_messages_total.inc();
                Ok(())
            }
            Ok(Err(_broken)) => Err(End::Gone),
            Err(_elapsed) => Err(End::Close(CLOSE_BEHIND, "too slow: fetch anew")),
        }
    }
}

/// Ids of changed hosts that the user may know of; removed ones are known by those who saw them.
fn visible_hosts(ctx: &Ctx, ids: &[u64]) -> Vec<String> {
    let hosts = &ctx.snapshot.hosts;
    let may = |id: &&u64| hosts.get(&HostId(**id)).is_none_or(|it| ctx.may_read(it));
    ids.iter().filter(may).map(ToString::to_string).collect()
}

/// What happened to problems after a version, in parts; `None`: it cannot be told from there.
fn problem_messages(ctx: &Ctx, since: u64) -> Option<(u64, Vec<String>)> {
    let changes = ctx.db().events().changes_since(since);
    // From version 0 on all is told, which is whole and good.
    if changes.is_whole && since != 0 {
        return None;
    }
    let mut messages = Vec::new();
    let mut removed: Vec<String> = changes.removed.iter().map(ToString::to_string).collect();
    let mut rows = Vec::new();
    for (at, problem) in changes.changed.iter().enumerate() {
        match problems::row(ctx, problem) {
            Some(row) => rows.push(row),
            // It may have been visible before.
            None => removed.push(problem.eventid().to_string()),
        }
        let is_last = at + 1 == changes.changed.len();
        if rows.len() == ROWS_MAX && !is_last {
            let upsert = std::mem::take(&mut rows);
            let part = json!({"type": "problems", "version": problem.version, "upsert": upsert,
                "remove": []});
            messages.push(part.to_string());
        }
    }
    let last = json!({"type": "problems", "version": changes.version, "upsert": rows,
        "remove": removed});
    messages.push(last.to_string());
    Some((changes.version, messages))
}

/// Items whose newest value or state is not what the client was told.
fn latest_messages(ctx: &Ctx, items: &[ItemId], told: &mut Map<ItemId, Told>) -> Vec<String> {
    let mut values = Vec::new();
    for id in items {
        let live = ctx.ports().live.item(*id);
        let time = live.last.as_ref().map_or(Time::ZERO, |it| it.time);
        let fingerprint = live.last.as_ref().map_or(0, |it| fingerprint(&it.value));
        let error = live.error.as_deref().unwrap_or_default();
        let now = (time, fingerprint, live.is_unsupported, fingerprint_of(error));
        if told.get(id) == Some(&now) {
            continue;
        }
        let Some((host, row)) = ctx.snapshot.item(*id).filter(|(it, _)| ctx.may_read(it)) else {
            continue;
        };
        told.insert(*id, now);
        let cell = Cell::new(ctx, host, row, &live);
        let state = u8::from(live.is_unsupported);
        values.push(json!([id, cell.clock, cell.value, cell.prev, state, error, cell.text]));
    }
    let parts = values.chunks(ROWS_MAX);
    parts.map(|it| json!({"type": "latest", "values": it}).to_string()).collect()
}

/// Tells values of one time apart: numbers exactly, texts by length and first bytes.
fn fingerprint(value: &model::Value) -> u64 {
    use model::Value::{Float, Log, Text, Unsigned};
    match value {
        Float(it) => it.to_bits(),
        Unsigned(it) => *it,
        Text(it) => fingerprint_of(it),
        Log(it) => fingerprint_of(&it.value),
    }
}

fn fingerprint_of(text: &str) -> u64 {
    let start = text.bytes().take(64).fold(0_u64, |sum, it| sum.wrapping_mul(31) + u64::from(it));
    start ^ u64::try_from(text.len()).unwrap_or(u64::MAX)
}
