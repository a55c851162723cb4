//! Where Prometheus and OpenTelemetry push series.
//!
//! Both need an API token: as a bearer, or as the password of basic authentication, where the name is
//! free. The browser's cookie will not do: these requests come from programs.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::body::{ReadBody, failed, read_body};
use super::sender::{basic_password, sender};
use crate::dispatch::{self, Sender};
use crate::pool::BUSY;
use crate::ports::{SeriesAnswer, SeriesProtocol, SeriesPusher};
use crate::shared::{ApiState, Caller};

pub(super) async fn remote_write(
    State(shared): State<Arc<ApiState>>,
    mut request: Request<Body>,
) -> Response {
    let kind = content_type(request.headers());
    let (kind, parameters) = kind.split_once(';').unwrap_or((kind, ""));
    if !kind.trim().eq_ignore_ascii_case("application/x-protobuf") {
        return failed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "application/x-protobuf is expected.");
    }
    let protocol = match parameters.trim().strip_prefix("proto=") {
        None | Some("prometheus.WriteRequest") => SeriesProtocol::RemoteWrite,
        Some("io.prometheus.write.v2.Request") => SeriesProtocol::RemoteWrite2,
        Some(_) => {
            return failed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The message is of no known kind.");
        }
    };
    let coding = request.headers_mut().remove(header::CONTENT_ENCODING);
    if coding.is_none_or(|it| it != "snappy") {
        return failed(StatusCode::UNSUPPORTED_MEDIA_TYPE, "A body in snappy is expected.");
    }
    push(shared, request, protocol).await
}

pub(super) async fn otlp(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    let kind = content_type(request.headers()).split(';').next().unwrap_or_default().trim();
    let protocol = if kind.eq_ignore_ascii_case("application/x-protobuf") {
        SeriesProtocol::Otlp
    } else if kind.eq_ignore_ascii_case("application/json") {
        SeriesProtocol::OtlpJson
    } else {
        let what = "application/x-protobuf or application/json is expected.";
        return failed(StatusCode::UNSUPPORTED_MEDIA_TYPE, what);
    };
    push(shared, request, protocol).await
}

fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default()
}

async fn push(shared: Arc<ApiState>, request: Request<Body>, protocol: SeriesProtocol) -> Response {
    let sent_by = sender(request.method(), request.headers(), request.extensions());
    let bearer = sent_by.bearer.clone().or_else(|| basic_password(request.headers()));
    let Some(caller) = caller(&shared, Sender { bearer, cookie: None, ..sent_by }) else {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer, Basic realm=\"API token\"")];
        let what =
            "An API token is needed, as a bearer or as the password of basic authentication.";
        return (challenge, failed(StatusCode::UNAUTHORIZED, what)).into_response();
    };
    let ReadBody { body, held, .. } = match read_body(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let turn = match shared.pushes.turn_of(caller.identity.userid).await {
        Ok(it) => it,
        Err(error) => return failed(StatusCode::SERVICE_UNAVAILABLE, &error.data()),
    };
    // The decoded samples count until the request is answered.
    let made = made_of(protocol, &body, shared.settings.body_bytes_max);
    if held.grow(usize::try_from(made).unwrap_or(usize::MAX)).await.is_err() {
        return failed(StatusCode::SERVICE_UNAVAILABLE, BUSY);
    }
    if made <= HERE_BYTES_MAX {
        match push_here(&shared, &caller, (protocol, &body)).await {
            Ok(None) => {}
            Ok(Some(answer)) => return response(answer),
            Err(refused) => return refused,
        }
    }
    let of_work = Arc::clone(&shared);
    let pushed = shared.permitted(turn, move || {
        let answer = run(&of_work, caller, (protocol, &body));
        drop(held);
        answer
    });
    match pushed.await {
        Ok(Some(answer)) => response(answer),
        Ok(None) => failed(StatusCode::UNAUTHORIZED, "The user is gone."),
        Err(error) => failed(StatusCode::SERVICE_UNAVAILABLE, &error.data()),
    }
}

/// Takes a small request where it was read. `None`: that takes a thread.
async fn push_here(
    shared: &Arc<ApiState>,
    caller: &Caller,
    (protocol, body): (SeriesProtocol, &[u8]),
) -> Result<Option<SeriesAnswer>, Response> {
    let Some(ctx) = shared.ctx(caller.clone()) else {
        return Err(failed(StatusCode::UNAUTHORIZED, "The user is gone."));
    };
    let may_write = |host: &model::snapshot::Host| ctx.may_write(host);
    let pusher = SeriesPusher { may_write: &may_write, may_create: ctx.is_super_admin() };
    let pushed = ctx.ports().series.push_here(protocol, body, &pusher);
    let pushed = shared.contained("push", pushed).await;
    pushed.map_err(|error| failed(StatusCode::SERVICE_UNAVAILABLE, &error.data()))
}

fn run(
    shared: &Arc<ApiState>,
    caller: Caller,
    (protocol, body): (SeriesProtocol, &[u8]),
) -> Option<SeriesAnswer> {
    let ctx = shared.ctx(caller)?;
    let may_write = |host: &model::snapshot::Host| ctx.may_write(host);
    let pusher = SeriesPusher { may_write: &may_write, may_create: ctx.is_super_admin() };
    Some(ctx.ports().series.push(protocol, body, &pusher))
}

/// A request of which no more is made is handled where it was read: some 500 samples. To hand it to a thread and wait
/// for it there costs four changes of threads.
const HERE_BYTES_MAX: u64 = 256 << 10;
/// The memory of samples and labels, as a multiple of the bytes of their message.
const MADE_FACTOR: u64 = 4;
/// … as JSON.
const MADE_OF_JSON_FACTOR: u64 = 8;

/// Memory in bytes that is made of a body.
fn made_of(protocol: SeriesProtocol, body: &[u8], bytes_max: usize) -> u64 {
    let wide = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
    match protocol {
        SeriesProtocol::RemoteWrite | SeriesProtocol::RemoteWrite2 => {
            snappy_bytes(body).min(wide(bytes_max)).saturating_mul(MADE_FACTOR)
        }
        SeriesProtocol::Otlp => wide(body.len()).saturating_mul(MADE_FACTOR),
        SeriesProtocol::OtlpJson => wide(body.len()).saturating_mul(MADE_OF_JSON_FACTOR),
    }
}

/// The length in a snappy block's header: the varint at its begin.
fn snappy_bytes(body: &[u8]) -> u64 {
    let mut bytes: u64 = 0;
    for (at, byte) in body.iter().take(5).enumerate() {
        bytes |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            break;
        }
    }
    bytes
}

/// The user who pushes, if the token is valid and the role of its user may use the API.
fn caller(shared: &ApiState, sender: Sender) -> Option<Caller> {
    let caller = dispatch::caller(shared, &sender, None).ok()?;
    let snapshot = shared.db.snapshot();
    let role = snapshot.access.roles.get(&caller.identity.roleid)?;
    (role.api_access && role.api_methods.allows("history.push")).then_some(caller)
}

fn response(answer: SeriesAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = status;
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
    }
    response
}
