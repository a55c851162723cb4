//! Bodies of requests and answers: limits, time-outs, gzip both ways.

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
use serde_json::{Value, json};

use crate::answer::Text;
use crate::error::ApiError;
use crate::shared::ApiState;

/// A request has to be sent within this.
const BODY_TIME_MAX: Duration = Duration::from_secs(60);

/// Of a body that is refused, this many times the limit is read and thrown away, for at most
/// [`REFUSED_TIME_MAX`]: a connection that closes on a client in the middle of sending is reset,
/// and the client never sees why it was refused.
const REFUSED_LIMITS: usize = 16;

/// See [`REFUSED_LIMITS`].
const REFUSED_TIME_MAX: Duration = Duration::from_secs(10);

/// Answers below this are not worth compressing.
const COMPRESS_BYTES_MIN: usize = 1_400;

/// An answer outside JSON-RPC that says what went wrong.
pub(crate) fn failed(status: StatusCode, data: &str) -> Response {
    let body =
        json!({"error": {"message": status.canonical_reason().unwrap_or("Error"), "data": data}});
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// The whole body, decompressed.
pub(crate) async fn read_body(
    shared: &Arc<ApiState>,
    request: Request<Body>,
) -> Result<(HeaderMap, Bytes), Response> {
    let max = shared.settings.body_bytes_max;
    let (parts, body) = request.into_parts();
    let mut stream = body.into_data_stream();
    let announced = content_length(&parts.headers);
    let read = if announced.is_some_and(|it| max < it) {
        Ok(Collected::TooLarge)
    } else {
        let room = announced.unwrap_or(0);
        tokio::time::timeout(BODY_TIME_MAX, collect(&mut stream, room, max)).await
    };
    let body = match read {
        Ok(Collected::Whole(body)) => body,
        Ok(Collected::TooLarge) => {
            // Beside the answer, which does not wait for it.
            let rest = throw_away(stream, max.saturating_mul(REFUSED_LIMITS));
            shared.tasks.spawn_contained("refused body", "its peer", rest);
            return Err(failed(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large."));
        }
        Ok(Collected::Broken) => {
            return Err(failed(StatusCode::BAD_REQUEST, "The request ended before its time."));
        }
        Err(_elapsed) => {
            return Err(failed(StatusCode::REQUEST_TIMEOUT, "The request did not arrive in time."));
        }
    };
    match parts.headers.get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes) {
        None | Some(b"" | b"identity") => Ok((parts.headers, body)),
        Some(b"gzip" | b"x-gzip") => {
            let inflated = shared.blocking(&shared.calls, move || inflate(&body, max)).await;
            match inflated {
                Ok(Some(body)) => Ok((parts.headers, body)),
                Ok(None) => {
                    Err(failed(StatusCode::BAD_REQUEST, "The body is no gzip, or too large."))
                }
                Err(error) => Err(failed(StatusCode::SERVICE_UNAVAILABLE, &error.data)),
            }
        }
        Some(_) => Err(failed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Only gzip is understood.")),
    }
}

/// How the reading of a body ended.
enum Collected {
    Whole(Bytes),
    TooLarge,
    Broken,
}

async fn collect(stream: &mut BodyDataStream, room: usize, max: usize) -> Collected {
    let mut body = Vec::with_capacity(room.min(max));
    while let Some(part) = stream.next().await {
        let Ok(part) = part else { return Collected::Broken };
        if max.saturating_sub(body.len()) < part.len() {
            return Collected::TooLarge;
        }
        body.extend_from_slice(&part);
    }
    Collected::Whole(body.into())
}

pub(super) async fn throw_away(mut stream: BodyDataStream, mut left: usize) {
    let thrown = async {
        while let Some(Ok(part)) = stream.next().await {
            let Some(rest) = left.checked_sub(part.len()) else { return };
            left = rest;
        }
    };
    // Either end will do: what is not read by then ends with its connection.
    let _elapsed = tokio::time::timeout(REFUSED_TIME_MAX, thrown).await;
}

/// What the sender says: an answer need not wait for a body that is refused anyway.
fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

fn inflate(body: &[u8], max: usize) -> Option<Bytes> {
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    let mut inflated = Vec::new();
    GzDecoder::new(body).take(limit).read_to_end(&mut inflated).ok()?;
    (inflated.len() <= max).then(|| Bytes::from(inflated))
}

/// A body that has to be a JSON object.
pub(crate) async fn read_json(
    shared: &Arc<ApiState>,
    request: Request<Body>,
) -> Result<Value, Response> {
    let (_, body) = read_body(shared, request).await?;
    let parsed = serde_json::from_slice(&body).ok().filter(Value::is_object);
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
    // What was done is told, however busy the server is.
    match shared.blocking_unrefused(&shared.calls, move || Text::of(&value)).await {
        Ok(text) => send(shared, headers, text).await,
        Err(error) => failed(StatusCode::SERVICE_UNAVAILABLE, &error.data),
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
    if !accepts_gzip(headers) || text.len() < COMPRESS_BYTES_MIN {
        return answered(text, false);
    }
    // An answer that is there is not refused for want of a turn.
    let Ok(turn) = shared.calls.turn().await else { return answered(text, false) };
    match shared.permitted(turn, move || compress(text)).await {
        Ok(compressed) => answered(compressed, true),
        Err(error) => failed(StatusCode::INTERNAL_SERVER_ERROR, &error.data),
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
    let len = text.len();
    let mut chunks = text.into_chunks();
    let body = if chunks.len() < 2 {
        Body::from(chunks.pop().unwrap_or_default())
    } else {
        // Each piece is given back when it is sent.
        Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, Infallible>)))
    };
    let mut response = json_response(body, is_gzip);
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(len));
    response
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
            crate::error::Class::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            crate::error::Class::System => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_REQUEST,
        }
    };
    let mut body = json!({"error": error.to_json()});
    if let Some(exchange) = &error.exchange {
        body["error"]["exchange"] = Value::clone(exchange);
    }
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
