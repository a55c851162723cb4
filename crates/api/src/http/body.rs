//! Bodies of requests and answers: limits, time-outs, gzip both ways.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures_util::{StreamExt, stream};
use rt::budget::NoRoom;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::tree::{self, Meter, TreeError};
use crate::answer::Text;
use crate::error::ApiError;
use crate::memory::{Held, wide};
use crate::pool::BUSY;
use crate::shared::{ApiSettings, ApiState};

/// A client sends this many bytes of its request, or the rest, within `ApiSettings::stall_max`; else its
/// request is ended.
const STEP_BYTES: usize = 16 << 10;

/// A body grows by this at least.
const GROW_BYTES_MIN: usize = 4 << 10;

/// Bodies are inflated in blocks of this size.
const BLOCK_BYTES: usize = 32 << 10;

/// Larger bodies are parsed on a thread for that: half a millisecond is some 100 kB.
const PARSE_BYTES_MAX: usize = 64 << 10;

/// Most trees take no more than this, and the factor below times their text.
const TREE_BYTES_MIN: usize = 2 << 10;
const TREE_GUESS: usize = 4;

/// Of clients without a login, a parsed body takes this many times the limit of its text.
const TREE_FACTOR: u64 = 4;

/// Of a body that is refused, this many times the limit is read and thrown away, for at most
/// [`REFUSED_TIME_MAX`]: a connection that closes on a client in the middle of sending is reset,
/// and the client never sees why it was refused.
const REFUSED_LIMITS: usize = 16;

/// See [`REFUSED_LIMITS`].
const REFUSED_TIME_MAX: Duration = Duration::from_secs(10);

/// Answers below this are not worth compressing.
const COMPRESS_BYTES_MIN: usize = 1_400;

/// A mark of answers: how many of their bytes are memory of their own.
#[derive(Clone, Copy)]
pub(super) struct OwnBytes(pub(super) u64);

/// A mark of answers whose memory is counted already, or bounded by their source.
#[derive(Clone, Copy)]
pub(crate) struct Flowing;

/// An answer outside JSON-RPC with an error.
pub(crate) fn failed(status: StatusCode, data: &str) -> Response {
    let body =
        json!({"error": {"message": status.canonical_reason().unwrap_or("Error"), "data": data}});
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// A body that was read.
#[derive(Debug)]
pub(crate) struct ReadBody {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) held: Held,
}

/// The whole body, decompressed.
pub(crate) async fn read_body(
    shared: &Arc<ApiState>,
    request: Request<Body>,
) -> Result<ReadBody, Response> {
    let (parts, body) = request.into_parts();
    let headers = parts.headers;
    let Some(held) = parts.extensions.get::<Held>().cloned() else {
        return Err(failed(StatusCode::INTERNAL_SERVER_ERROR, "The request is not counted."));
    };
    let max = body_bytes_max(shared, &held);
    let mut stream = body.into_data_stream();
    let announced = content_length(&headers);
    let read = if announced.is_some_and(|it| max < it) {
        Err(Refused::TooLarge)
    } else {
        let stall_max = shared.settings.stall_max;
        collect(&mut stream, (announced.unwrap_or(max), max), (&held, stall_max)).await
    };
    let body = match read {
        Ok(body) => body,
        Err(refused) => {
            if matches!(refused, Refused::TooLarge | Refused::NoRoom) {
                spawn_throw_away(shared, stream, max.saturating_mul(REFUSED_LIMITS));
            }
            return Err(refused.response(held.is_user()));
        }
    };
    match headers.get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"" | b"identity") => Ok(ReadBody { headers, body, held }),
        Some(b"gzip" | b"x-gzip") => {
            let of_work = held.clone();
            let inflated = on_a_thread(shared, &held, move || inflate(body, max, &of_work)).await?;
            match inflated {
                Ok(body) => Ok(ReadBody { headers, body, held }),
                Err(Refused::NoRoom) => Err(Refused::NoRoom.response(true)),
                Err(_) => {
                    Err(failed(StatusCode::BAD_REQUEST, "The body is no gzip, or too large."))
                }
            }
        }
        Some(_) => Err(failed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Only gzip is understood.")),
    }
}

/// Largest body of a request. It is small for clients without a valid session or token in the header.
fn body_bytes_max(shared: &ApiState, held: &Held) -> usize {
    let ApiSettings { body_bytes_max, before_login_bytes_max, .. } = shared.settings;
    if held.is_user() { body_bytes_max } else { body_bytes_max.min(before_login_bytes_max) }
}

/// Work with a request: that of clients without a login waits in a queue of its own.
async fn on_a_thread<T: Send + 'static>(
    shared: &Arc<ApiState>,
    held: &Held,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Response> {
    let pool = if held.is_user() { &shared.requests } else { &shared.before_login };
    let done = shared.blocking(pool, work).await;
    done.map_err(|error| failed(StatusCode::SERVICE_UNAVAILABLE, &error.data()))
}

/// Why a body is not there.
#[derive(Clone, Copy, Debug)]
enum Refused {
    TooLarge,
    Broken,
    TooSlow,
    NoRoom,
}

impl Refused {
    fn response(self, is_user: bool) -> Response {
        let (status, what) = match self {
            Self::TooLarge if is_user => {
                (StatusCode::PAYLOAD_TOO_LARGE, "The request is too large.")
            }
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "The request is too large without a session or token in the Authorization header.",
            ),
            Self::Broken => (StatusCode::BAD_REQUEST, "The request ended before its time."),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "The request did not arrive in time."),
            Self::NoRoom => (StatusCode::SERVICE_UNAVAILABLE, BUSY),
        };
        failed(status, what)
    }
}

async fn collect(
    stream: &mut BodyDataStream,
    (announced, max): (usize, usize),
    (held, stall_max): (&Held, Duration),
) -> Result<Vec<u8>, Refused> {
    let mut body = Vec::new();
    let mut deadline = Instant::now() + stall_max;
    let mut moved = 0;
    loop {
        let part = held.awaiting(timeout_at(deadline, stream.next())).await;
        let Some(part) = part.map_err(|_elapsed| Refused::TooSlow)? else { return Ok(body) };
        let part = part.map_err(|_lost| Refused::Broken)?;
        if max.saturating_sub(body.len()) < part.len() {
            return Err(Refused::TooLarge);
        }
        let wanted = body.len() + part.len();
        if body.capacity() < wanted {
            // Doubled, but no more than was announced: room is taken as bytes come.
            let double = body.capacity().saturating_mul(2).max(GROW_BYTES_MIN).min(announced);
            reserve(&mut body, wanted.max(double), held).await?;
        }
        body.extend_from_slice(&part);
        held.moved(part.len());
        moved += part.len();
        if STEP_BYTES <= moved {
            moved = 0;
            deadline = Instant::now() + stall_max;
        }
    }
}

async fn reserve(body: &mut Vec<u8>, capacity: usize, held: &Held) -> Result<(), Refused> {
    let more = capacity.saturating_sub(body.capacity());
    held.grow(more).await.map_err(|NoRoom| Refused::NoRoom)?;
    body.reserve_exact(capacity.saturating_sub(body.len()));
    Ok(())
}

/// Reads a body alongside the answer, which does not wait for it.
pub(super) fn spawn_throw_away(shared: &ApiState, stream: BodyDataStream, max: usize) {
    shared.tasks.spawn_contained("refused body", "its peer", throw_away(stream, max));
}

async fn throw_away(mut stream: BodyDataStream, mut left: usize) {
    let thrown = async {
        while let Some(Ok(part)) = stream.next().await {
            let Some(rest) = left.checked_sub(part.len()) else { return };
            left = rest;
        }
    };
    // Either end is fine: an unread rest ends with its connection.
    let _elapsed = tokio::time::timeout(REFUSED_TIME_MAX, thrown).await;
}

/// The length that the sender gives: an answer need not wait for a body that is refused anyway.
fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

fn inflate(body: Vec<u8>, max: usize, held: &Held) -> Result<Vec<u8>, Refused> {
    let mut inflated = Vec::new();
    let mut decoder = GzDecoder::new(body.as_slice());
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let n = decoder.read(&mut block).map_err(|_no_gzip| Refused::Broken)?;
        let Some(part) = block.get(..n).filter(|it| !it.is_empty()) else { break };
        let wanted = inflated.len() + n;
        if max < wanted {
            return Err(Refused::TooLarge);
        }
        if inflated.capacity() < wanted {
            let capacity = inflated.capacity().saturating_mul(2).max(wanted).min(max);
            let more = u64::try_from(capacity - inflated.capacity()).unwrap_or(u64::MAX);
            held.grow_here(more).map_err(|NoRoom| Refused::NoRoom)?;
            inflated.reserve_exact(capacity - inflated.len());
        }
        inflated.extend_from_slice(part);
    }
    held.give(body.capacity());
    Ok(inflated)
}

/// Parses a body as JSON; `None`: it is none.
pub(crate) async fn parse_body(
    shared: &Arc<ApiState>,
    body: Vec<u8>,
    held: &Held,
) -> Result<Option<Value>, Response> {
    let max = if held.is_user() {
        shared.settings.memory_bytes_max
    } else {
        let limit = body_bytes_max(shared, held);
        u64::try_from(limit).unwrap_or(u64::MAX).saturating_mul(TREE_FACTOR)
    };
    let parsed = if body.len() < PARSE_BYTES_MAX {
        // Here nothing may wait later on, so that most trees have their room before.
        let first = body.len().saturating_mul(TREE_GUESS).saturating_add(TREE_BYTES_MIN);
        if held.grow(first).await.is_err() {
            return Err(Refused::NoRoom.response(true));
        }
        let mut grow = |bytes| held.try_grow(bytes).is_ok();
        let parsed = tree::parse(&body, Meter::new(max, &mut grow).with(wide(first)));
        held.give(body.capacity());
        parsed
    } else {
        let of_work = held.clone();
        let work = move || {
            let mut grow = |bytes| of_work.grow_here(bytes).is_ok();
            let parsed = tree::parse(&body, Meter::new(max, &mut grow));
            of_work.give(body.capacity());
            parsed
        };
        on_a_thread(shared, held, work).await?
    };
    match parsed {
        Ok(value) => Ok(Some(value)),
        Err(TreeError::NoJson) => Ok(None),
        Err(TreeError::TooLarge) => Err(Refused::TooLarge.response(held.is_user())),
        Err(TreeError::NoRoom) => Err(Refused::NoRoom.response(true)),
    }
}

/// A body that has to be a JSON object.
pub(crate) async fn read_json(
    shared: &Arc<ApiState>,
    request: Request<Body>,
) -> Result<Value, Response> {
    let ReadBody { body, held, .. } = read_body(shared, request).await?;
    let parsed = parse_body(shared, body, &held).await?.filter(Value::is_object);
    parsed.ok_or_else(|| failed(StatusCode::BAD_REQUEST, "A JSON object is expected."))
}

pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    accepts(headers, "gzip")
}

/// Whether `Accept-Encoding` names a coding without ruling it out.
pub(crate) fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let all = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|it| it.to_str().ok());
    all.flat_map(|it| it.split(',')).any(|it| {
        let (name, params) = it.split_once(';').unwrap_or((it, ""));
        let is_refused = matches!(params.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        name.trim().eq_ignore_ascii_case(coding) && !is_refused
    })
}

/// Writes an answer.
pub(crate) async fn json_answer(
    shared: &Arc<ApiState>,
    headers: &HeaderMap,
    answer: Result<Value, ApiError>,
) -> Response {
    let value = match answer {
        Ok(it) => it,
        Err(error) => return native_error(&error),
    };
    // The result of a finished call is returned, however busy the server is.
    match shared.blocking_unrefused(&shared.calls, move || Text::of(&value)).await {
        Ok(text) => send(shared, headers, text).await,
        Err(error) => failed(StatusCode::SERVICE_UNAVAILABLE, &error.data()),
    }
}

/// As [`json_answer`] for JSON that is written already.
pub(crate) async fn text_answer(
    shared: &Arc<ApiState>,
    headers: &HeaderMap,
    answer: Result<String, ApiError>,
) -> Response {
    match answer {
        Ok(text) => send(shared, headers, Text::from(text.into_bytes())).await,
        Err(error) => native_error(&error),
    }
}

/// Answers with JSON. A large one is compressed, on a thread for that, if the client takes it.
pub(super) async fn send(shared: &Arc<ApiState>, headers: &HeaderMap, text: Text) -> Response {
    // Static texts were compressed once and for all: not again for each client.
    if !accepts_gzip(headers) || text.len() < COMPRESS_BYTES_MIN || text.is_static() {
        return answered(text, false);
    }
    // An answer that is there is not refused for want of a turn.
    let Ok(turn) = shared.calls.turn().await else { return answered(text, false) };
    match shared.permitted(turn, move || compress(text)).await {
        Ok(compressed) => answered(compressed, true),
        Err(error) => failed(StatusCode::INTERNAL_SERVER_ERROR, &error.data()),
    }
}

/// Compresses piece by piece, each given back as soon as that is done.
fn compress(text: Text) -> Text {
    let mut encoder = GzEncoder::new(Text::default(), Compression::fast());
    for chunk in text.into_chunks() {
        encoder.write_all(&chunk).expect("a text takes everything");
    }
    encoder.finish().expect("a text takes everything")
}

pub(super) fn answered(text: Text, is_gzip: bool) -> Response {
    let (len, own) = (text.len(), text.own_bytes());
    let mut chunks: Vec<Bytes> = text.into_chunks().into_iter().map(bytes_of).collect();
    let body = if chunks.len() < 2 {
        Body::from(chunks.pop().unwrap_or_default())
    } else {
        // Each piece is given back when it is sent.
        Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, Infallible>)))
    };
    let mut response = json_response(body, is_gzip);
    response.extensions_mut().insert(OwnBytes(u64::try_from(own).unwrap_or(u64::MAX)));
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(len));
    response
}

pub(super) fn bytes_of(chunk: Cow<'static, [u8]>) -> Bytes {
    match chunk {
        Cow::Borrowed(it) => Bytes::from_static(it),
        Cow::Owned(it) => Bytes::from(it),
    }
}

pub(super) fn json_response(body: Body, is_gzip: bool) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if is_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Errors of the native surface have HTTP's codes.
fn native_error(error: &ApiError) -> Response {
    let status = if *error == ApiError::not_authorized() || *error == ApiError::session_ended() {
        StatusCode::UNAUTHORIZED
    } else if *error == ApiError::no_permissions() {
        StatusCode::NOT_FOUND
    } else {
        match error.class {
            crate::error::ErrorClass::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            crate::error::ErrorClass::System => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        }
    };
    let mut body = json!({"error": error.to_json()});
    if let Some(exchange) = &error.exchange {
        body["error"]["exchange"] = Value::clone(exchange);
    }
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
