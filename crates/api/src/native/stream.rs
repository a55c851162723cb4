//! The live stream: one WebSocket a tab, deltas of what it asked for.
//!
//! Problems, counts and overviews come from the channel of all who may see the same ([`feed`]); latest values
//! are the client's own: the last value sent of each item is kept, and new ones are gathered when the client
//! has taken the previous message. A slow client gets fewer, larger messages. One that takes none for
//! [`SEND_TIME_MAX`] is closed; pages then reconnect and fetch their snapshots.
//!
//! **Operational data.** For the problems that a page shows it is expanded once a second, and sent where it
//! has changed: `{"type":"opdata","values":[["EVENTID","TEXT"]]}`.
//!
//! **Hosts.** Pages that show availability (`"availability": true`) are notified when that of any host has
//! changed, at most once a second, by `{"type":"availability"}`: they then request the rows that they show.
//!
//! **Problems.** A subscription is answered with the version where its changes begin (`since` = `version`). A
//! page whose snapshot is older than the `since` of a message asks for the missing changes:
//! `{"catch_up":{"problems":VERSION}}`. Where those are too many, or the user's permissions have changed, the
//! answer is `"resync": true`: the page fetches a new snapshot.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use model::map::{Map, Set};
use model::{EventId, HostId, ItemId, Time};
use rt::budget::NoRoom;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::feed::{self, Batch, Channel, Feed, Wanted};
use super::latest::Cell;
use super::overview::Overview;
use super::request::busy;
use super::session;
use super::state::Native;
use crate::error::ApiError;
use crate::http::body::failed;
use crate::http::sender;
use crate::http::websocket::{self, WebSocket};
use crate::memory::{StreamHold, wide};
use crate::objects::problems::opdata::Opdata;
use crate::objects::problems::visibility::visible_trigger;
use crate::role_rules::ShownBy;
use crate::shared::{ApiState, Caller, Ctx};
use crate::shares::StreamPlace;

/// How often values are checked.
const LATEST_PERIOD: Duration = Duration::from_secs(1);
/// The period of checking that the session still exists, and of a ping so that proxies keep the connection.
const SESSION_PERIOD: Duration = Duration::from_secs(20);

const SEND_TIME_MAX: Duration = Duration::from_secs(20);
/// The most items of one client: more than any page shows. Further ones are ignored, and the client is
/// notified.
const ITEMS_MAX: usize = 10_000;
/// The most problems of one client whose operational data is checked: more than any page shows. Further ones
/// are ignored.
const OPDATA_MAX: usize = 500;
/// Rows of one message: 200 kB.
const ROWS_MAX: usize = 500;
/// The longest message of a client: ids of its items. A longer one ends the stream.
const MESSAGE_BYTES_MAX: usize = 256 << 10;
/// The buffer for messages of clients: most are a few ids.
const READ_BYTES: usize = 8 << 10;

/// The client takes no messages.
const CLOSE_BEHIND: u16 = 4_000;
const CLOSE_SESSION: u16 = 4_001;
/// Memory of a stream for an item: its id and the last value sent, in a table that is half empty.
const ITEM_BYTES: u64 = 120;
/// And for a problem whose operational data is checked.
const OPDATA_BYTES: u64 = 48;

/// Another user got its place or its memory.
const CLOSE_PLACE: u16 = 4_002;
/// The server stops.
const CLOSE_AWAY: u16 = 1_001;

/// A message of a client.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ClientMessage {
    /// All that it wants from now on.
    Subscribe(Wants),
    CatchUp(Position),
}

/// The versions that a client has.
#[derive(Deserialize)]
struct Position {
    problems: u64,
}

#[derive(Clone, Deserialize, Default)]
#[serde(default)]
struct Wants {
    problems: bool,
    counts: bool,
    overview: bool,
    availability: bool,
    latest: LatestWants,
    opdata: OpdataWants,
}

#[derive(Clone, Deserialize, Default)]
#[serde(default)]
struct OpdataWants {
    eventids: Vec<EventId>,
}

#[derive(Clone, Deserialize, Default)]
#[serde(default)]
struct LatestWants {
    itemids: Vec<ItemId>,
}

pub(super) async fn open(State(native): State<Native>, request: Request<Body>) -> Response {
    let Native { shared, feed, .. } = native;
    let caller = match session::caller(&shared, &request) {
        Ok(it) => it,
        Err(response) => return response,
    };
    // The cookie comes along from any site: the pages have to be our own.
    if caller.is_cookie && !is_same_origin(request.headers()) {
        return failed(StatusCode::FORBIDDEN, "The stream is for our own pages.");
    }
    let address = sender::origin(request.extensions()).ip;
    let Some(place) = shared.streams.take(caller.identity.userid, address) else {
        return busy("Too many live streams are open.");
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX))
        .read_buffer_size(READ_BYTES);
    websocket::upgraded(request, config, move |socket| async move {
        let (tasks, peer) = (shared.tasks.clone(), caller.ip.clone());
        let stream = Stream::new((shared, feed), caller, socket, place);
        // Counted and logged there: its client opens another one.
        drop(tasks.contain("live stream", peer, stream.run()).await);
    })
}

fn is_same_origin(headers: &HeaderMap) -> bool {
    let value = |name| headers.get(name).and_then(|it| it.to_str().ok());
    let Some(origin) = value(header::ORIGIN) else { return false };
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == value(header::HOST)
}

/// Why a stream ends.
enum StreamEnd {
    /// The client went, or the line broke.
    Gone,
    Close(u16, &'static str),
}

impl StreamEnd {
    fn no_room() -> Self {
        Self::Close(CLOSE_PLACE, "other users need the memory")
    }
}

/// The last state sent of an item: time and text of its value, state and error.
type SentItem = (Time, u64, bool, u64);

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.metrics.streams_open.add(-1.0);
    }
}

struct Stream {
    shared: Arc<ApiState>,
    feed: Arc<Feed>,
    caller: Caller,
    socket: WebSocket,
    wants: Wants,
    /// Of all users with the same permissions; `None` before the first subscription to it.
    channel: Option<Arc<Channel>>,
    problems: Option<broadcast::Receiver<Arc<Batch>>>,
    counts: Option<watch::Receiver<Utf8Bytes>>,
    overview: Option<watch::Receiver<Option<Arc<Overview>>>>,
    /// The version of problems that the client has.
    version: u64,
    /// The overview that the client has.
    shown: Option<Arc<Overview>>,
    sent_items: Map<ItemId, SentItem>,
    /// Operational data that the client has, by its hash.
    sent_opdata: Map<EventId, u64>,
    hashes: RandomState,
    /// The version of availability that the client has.
    availability: u64,
    place: StreamPlace,
    hold: StreamHold,
}

impl Stream {
    fn new(
        (shared, feed): (Arc<ApiState>, Arc<Feed>),
        caller: Caller,
        socket: WebSocket,
        place: StreamPlace,
    ) -> Self {
        shared.metrics.streams_open.add(1.0);
        feed.start(&shared);
        let hold = StreamHold::new(&shared.memory, caller.identity.userid.0);
        Self {
            shared,
            feed,
            caller,
            socket,
            wants: Wants::default(),
            channel: None,
            problems: None,
            counts: None,
            overview: None,
            version: 0,
            shown: None,
            sent_items: Map::default(),
            sent_opdata: Map::default(),
            hashes: RandomState::new(),
            availability: 0,
            place,
            hold,
        }
    }

    async fn run(mut self) {
        let end = self.converse().await;
        if let StreamEnd::Close(code, reason) = end {
            if code == CLOSE_BEHIND {
                self.shared.metrics.streams_slow_total.inc();
            }
            let frame = CloseFrame { code: code.into(), reason: reason.into() };
            let sent = timeout(SEND_TIME_MAX, self.socket.send(Message::Close(Some(frame)))).await;
            if !matches!(sent, Ok(Ok(()))) {
                tracing::debug!(reason, "a live stream ended without a close frame");
            }
        }
    }

    async fn converse(&mut self) -> StreamEnd {
        let mut values = interval(LATEST_PERIOD);
        values.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sessions = interval(SESSION_PERIOD);
        sessions.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut hosts = self.shared.hosts.subscribe();
        let mut access = self.shared.access.clone();
        let shutdown = self.shared.shutdown.clone();
        loop {
            let done = tokio::select! {
                () = self.place.lost() => {
                    Err(StreamEnd::Close(CLOSE_PLACE, "other users need the place"))
                }
                () = self.hold.ended() => Err(StreamEnd::no_room()),
                () = shutdown.cancelled() => Err(StreamEnd::Close(CLOSE_AWAY, "the server stops")),
                message = self.socket.next() => self.receive(message).await,
                changed = hosts.recv() => self.send_hosts(changed).await,
                batch = next_batch(&mut self.problems) => self.send_batch(batch).await,
                () = next_state(&mut self.counts) => self.send_counts().await,
                () = next_state(&mut self.overview) => self.send_overview().await,
                Ok(()) = access.changed() => self.check_access().await,
                _ = values.tick(), if self.wants_values() => self.send_values().await,
                _ = sessions.tick() => self.check_session().await,
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    async fn receive(&mut self, message: Option<Result<Message, Error>>) -> Result<(), StreamEnd> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(
                Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_),
            )) => return Ok(()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(StreamEnd::Gone),
        };
        match serde_json::from_str(&text) {
            Ok(ClientMessage::Subscribe(wants)) => self.subscribe(wants).await,
            Ok(ClientMessage::CatchUp(Position { problems })) => {
                if self.problems.is_some() {
                    self.catch_up(problems).await
                } else {
                    Ok(())
                }
            }
            Err(_not_known) => {
                self.send(&json!({"type": "error", "error": "This is not a subscription."})).await
            }
        }
    }

    async fn subscribe(&mut self, mut wants: Wants) -> Result<(), StreamEnd> {
        if wants.latest.itemids.len() > ITEMS_MAX {
            wants.latest.itemids.truncate(ITEMS_MAX);
            self.send(&json!({"type": "limit", "latest": ITEMS_MAX})).await?;
        }
        wants.opdata.eventids.truncate(OPDATA_MAX);
        // Items beyond the limit are not kept.
        wants.latest.itemids.shrink_to_fit();
        wants.opdata.eventids.shrink_to_fit();
        self.leave_out(&mut wants);
        let kept = wide(wants.latest.itemids.len()) * ITEM_BYTES
            + wide(wants.opdata.eventids.len()) * OPDATA_BYTES;
        self.hold.keep(kept).await.map_err(|NoRoom| StreamEnd::no_room())?;
        let shown: Set<EventId> = wants.opdata.eventids.iter().copied().collect();
        self.sent_opdata.retain(|it, _| shown.contains(it));
        self.sent_opdata.shrink_to_fit();
        let wanted: Set<ItemId> = wants.latest.itemids.iter().copied().collect();
        self.sent_items.retain(|it, _| wanted.contains(it));
        self.sent_items.shrink_to_fit();
        let had_availability = self.wants.availability;
        self.wants = wants;
        if !self.wants.problems {
            self.problems = None;
        }
        if !self.wants.counts {
            self.counts = None;
        }
        if !self.wants.overview {
            self.overview = None;
            self.shown = None;
        }
        if !had_availability {
            // The page has requested its rows a moment ago.
            self.availability = self.shared.db.availability().version();
        }
        // New data are sent now, not with the next tick.
        self.join().await?;
        self.send_values().await
    }

    /// Data that the user's role does not let the pages show are not sent.
    fn leave_out(&self, wants: &mut Wants) {
        let snapshot = self.shared.db.snapshot();
        let role = snapshot.access.roles.get(&self.caller.identity.roleid);
        let is_shown = |parts: ShownBy| role.is_some_and(|it| parts.is_shown(it));
        wants.problems &= is_shown(ShownBy::PROBLEMS);
        wants.counts &= is_shown(ShownBy::PROBLEMS);
        wants.overview &= is_shown(ShownBy::OVERVIEW);
        if !is_shown(ShownBy::LATEST) {
            wants.latest = LatestWants::default();
        }
    }

    fn wants_values(&self) -> bool {
        self.wants.availability
            || !self.wants.latest.itemids.is_empty()
            || !self.wants.opdata.eventids.is_empty()
    }

    async fn send_values(&mut self) -> Result<(), StreamEnd> {
        self.send_latest().await?;
        self.send_opdata().await?;
        self.send_availability().await
    }

    async fn send_availability(&mut self) -> Result<(), StreamEnd> {
        let version = self.shared.db.availability().version();
        if !self.wants.availability || version == self.availability {
            return Ok(());
        }
        self.availability = version;
        self.send(&json!({"type": "availability"})).await
    }

    async fn send_opdata(&mut self) -> Result<(), StreamEnd> {
        if self.wants.opdata.eventids.is_empty() {
            return Ok(());
        }
        let events = self.wants.opdata.eventids.clone();
        let mut sent = std::mem::take(&mut self.sent_opdata);
        let hashes = self.hashes.clone();
        let (sent, values) = self
            .work(move |ctx| {
                let values = new_opdata(ctx, &events, (&mut sent, &hashes));
                (sent, values)
            })
            .await?;
        self.sent_opdata = sent;
        if values.is_empty() {
            return Ok(());
        }
        self.send(&json!({"type": "opdata", "values": values})).await
    }

    /// Takes the ends of the channel that are wanted and not there yet, and sends their state.
    async fn join(&mut self) -> Result<(), StreamEnd> {
        let wanted = Wanted {
            problems: self.wants.problems && self.problems.is_none(),
            counts: self.wants.counts && self.counts.is_none(),
            overview: self.wants.overview && self.overview.is_none(),
        };
        if wanted == Wanted::default() {
            return Ok(());
        }
        let feed = Arc::clone(&self.feed);
        let joined = self
            .work(move |ctx| feed.join(&ctx.shared, &ctx.rights.problem_scope(), wanted))
            .await?;
        self.channel = Some(joined.channel);
        if let Some((problems, version)) = joined.problems {
            self.problems = Some(problems);
            self.version = version;
            self.send_text(feed::position_message(version)).await?;
        }
        if wanted.counts {
            self.counts = joined.counts;
            self.send_counts().await?;
        }
        if wanted.overview {
            self.overview = joined.overview;
            self.send_overview().await?;
        }
        Ok(())
    }

    /// The permissions of the user may have changed: what they show now is sent as a new state.
    async fn check_access(&mut self) -> Result<(), StreamEnd> {
        let scope = self.work(|ctx| ctx.rights.problem_scope()).await?;
        if self.channel.as_ref().is_none_or(|it| it.scope == scope) {
            return Ok(());
        }
        let had_problems = self.problems.take().is_some();
        self.counts = None;
        self.overview = None;
        self.shown = None;
        self.join().await?;
        if had_problems { self.resync(self.version).await } else { Ok(()) }
    }

    async fn check_session(&mut self) -> Result<(), StreamEnd> {
        let now = self.shared.clock.wall();
        let Some(identity) = self.shared.db.authenticate(&self.caller.credential, now) else {
            return Err(StreamEnd::Close(CLOSE_SESSION, "the session has ended"));
        };
        self.caller.identity = identity;
        self.send_message(Message::Ping(Vec::new().into())).await
    }

    /// Runs work with the caller's rights as they are now, on a thread for that.
    async fn work<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Ctx) -> T + Send + 'static,
    ) -> Result<T, StreamEnd> {
        let (of_work, caller) = (Arc::clone(&self.shared), self.caller.clone());
        let pool = (&self.shared.live, caller.identity.userid);
        let done = self.shared.blocking_unrefused_of(pool, move || {
            let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
            Ok(work(&ctx))
        });
        done.await
            .flatten()
            .map_err(|_error| StreamEnd::Close(CLOSE_SESSION, "the session has ended"))
    }

    async fn send_batch(&mut self, batch: Result<Arc<Batch>, RecvError>) -> Result<(), StreamEnd> {
        let batch = match batch {
            Ok(batch) => batch,
            Err(RecvError::Lagged(_)) => {
                self.shared.metrics.stream_lags_total.inc();
                return self.catch_up(self.version).await;
            }
            // The channel lives as long as a stream holds it, and this one does.
            Err(RecvError::Closed) => return Err(StreamEnd::Close(CLOSE_AWAY, "the server stops")),
        };
        match &*batch {
            // The client has this since it caught up.
            Batch::Changes { version, .. } | Batch::Resync { version }
                if *version <= self.version =>
            {
                Ok(())
            }
            Batch::Changes { version, messages } => {
                for message in messages {
                    self.send_text(message.clone()).await?;
                }
                self.version = *version;
                Ok(())
            }
            Batch::Resync { version } => self.resync(*version).await,
        }
    }

    async fn catch_up(&mut self, since: u64) -> Result<(), StreamEnd> {
        let feed = Arc::clone(&self.feed);
        let caught_up = self
            .work(move |ctx| {
                let scope = ctx.rights.problem_scope();
                feed.catch_up(&ctx.shared, &scope, since)
            })
            .await?;
        let Some((version, messages)) = caught_up else { return self.resync(self.version).await };
        for message in messages {
            self.send_text(message).await?;
        }
        self.version = self.version.max(version);
        Ok(())
    }

    async fn resync(&mut self, version: u64) -> Result<(), StreamEnd> {
        self.shared.metrics.stream_resyncs_total.inc();
        self.version = version;
        self.send_text(feed::resync_message(version)).await
    }

    async fn send_counts(&mut self) -> Result<(), StreamEnd> {
        let Some(counts) = &mut self.counts else { return Ok(()) };
        let message = counts.borrow_and_update().clone();
        self.send_text(message).await
    }

    async fn send_overview(&mut self) -> Result<(), StreamEnd> {
        let newest = self.overview.as_mut().and_then(|it| it.borrow_and_update().clone());
        let Some(newest) = newest else { return Ok(()) };
        let message = match &self.shown {
            None => Some(newest.whole()),
            Some(shown) => newest.since(shown),
        };
        self.shown = Some(newest);
        match message {
            Some(message) => self.send_text(message).await,
            None => Ok(()),
        }
    }

    async fn send_latest(&mut self) -> Result<(), StreamEnd> {
        if self.wants.latest.itemids.is_empty() {
            return Ok(());
        }
        let items = self.wants.latest.itemids.clone();
        let mut sent = std::mem::take(&mut self.sent_items);
        let (sent, messages) = self
            .work(move |ctx| {
                let messages = latest_messages(ctx, &items, &mut sent);
                (sent, messages)
            })
            .await?;
        self.sent_items = sent;
        for message in messages {
            self.send_text(message.into()).await?;
        }
        Ok(())
    }

    async fn send_hosts(
        &mut self,
        changed: Result<Arc<[u64]>, RecvError>,
    ) -> Result<(), StreamEnd> {
        let ids = match changed {
            Ok(ids) => ids,
            // Which ones changed is not known any more: the pages read all.
            Err(RecvError::Lagged(_)) => Arc::from([]),
            Err(RecvError::Closed) => return Err(StreamEnd::Close(CLOSE_AWAY, "the server stops")),
        };
        let is_all = ids.is_empty();
        let visible = self.work(move |ctx| visible_hosts(ctx, &ids)).await?;
        if visible.is_empty() && !is_all {
            return Ok(());
        }
        self.send(&json!({"type": "hosts", "changed": visible})).await
    }

    async fn send(&mut self, message: &Value) -> Result<(), StreamEnd> {
        self.send_text(message.to_string().into()).await
    }

    async fn send_text(&mut self, text: Utf8Bytes) -> Result<(), StreamEnd> {
        self.send_message(Message::Text(text)).await
    }

    async fn send_message(&mut self, message: Message) -> Result<(), StreamEnd> {
        let bytes = match &message {
            Message::Text(it) => it.len(),
            _ => 0,
        };
        let sends = timeout(SEND_TIME_MAX, self.socket.send(message));
        let sent = self.hold.sending(bytes, SEND_TIME_MAX, sends).await;
        match sent.map_err(|NoRoom| StreamEnd::no_room())? {
            Ok(Ok(())) => {
                self.shared.metrics.stream_messages_total.inc();
                Ok(())
            }
            Ok(Err(_broken)) => Err(StreamEnd::Gone),
            Err(_elapsed) => Err(StreamEnd::Close(CLOSE_BEHIND, "too slow: fetch a new snapshot")),
        }
    }
}

/// The next batch; never without a receiver.
async fn next_batch(
    from: &mut Option<broadcast::Receiver<Arc<Batch>>>,
) -> Result<Arc<Batch>, RecvError> {
    match from {
        Some(from) => from.recv().await,
        None => std::future::pending().await,
    }
}

/// Waits for a newer state; without a receiver it never returns.
async fn next_state<T: Send + Sync>(of: &mut Option<watch::Receiver<T>>) {
    if let Some(of) = of
        && of.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// Ids of changed hosts that the user may know of; removed ones are known to users who saw them.
fn visible_hosts(ctx: &Ctx, ids: &[u64]) -> Vec<String> {
    let hosts = &ctx.snapshot.hosts;
    let may = |id: &&u64| hosts.get(&HostId(**id)).is_none_or(|it| ctx.may_read(it));
    ids.iter().filter(may).map(ToString::to_string).collect()
}

/// Operational data that differs from what the client has.
fn new_opdata(
    ctx: &Ctx,
    events: &[EventId],
    (sent, hashes): (&mut Map<EventId, u64>, &RandomState),
) -> Vec<Value> {
    let opdata = Opdata::default();
    let mut values = Vec::new();
    for id in events {
        let Some(problem) = ctx.db().events().problem(*id) else { continue };
        let Some(found) = visible_trigger(ctx, &problem.event) else { continue };
        let shown = opdata.of_trigger(ctx.into(), found, &problem.event);
        let hash = hashes.hash_one(&*shown);
        if sent.insert(*id, hash) != Some(hash) {
            values.push(json!([id, shown]));
        }
    }
    values
}

/// Items whose newest value or state differs from what the client has.
fn latest_messages(ctx: &Ctx, items: &[ItemId], sent: &mut Map<ItemId, SentItem>) -> Vec<String> {
    let mut values = Vec::new();
    for id in items {
        let live = ctx.ports().live.item(*id);
        let time = live.last.as_ref().map_or(Time::ZERO, |it| it.time);
        let fingerprint = live.last.as_ref().map_or(0, |it| fingerprint(&it.value));
        let error = live.error.as_deref().unwrap_or_default();
        let now = (time, fingerprint, live.is_unsupported, fingerprint_of(error));
        if sent.get(id) == Some(&now) {
            continue;
        }
        let Some((host, row)) = ctx.snapshot.item(*id).filter(|(it, _)| ctx.may_read(it)) else {
            continue;
        };
        sent.insert(*id, now);
        let cell = Cell::new(ctx, host, row, &live);
        let state = u8::from(live.is_unsupported);
        values.push(json!([id, cell.clock, cell.value, cell.prev, state, error, cell.text]));
    }
    let parts = values.chunks(ROWS_MAX);
    parts.map(|it| json!({"type": "latest", "values": it}).to_string()).collect()
}

/// Distinguishes values of one time: numbers exactly, texts by length and first bytes.
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
