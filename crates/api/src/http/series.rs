//! Where Prometheus and OpenTelemetry push series.
//!
//! Both need an API token: as a bearer, or as the password of basic authentication, where the name is
//! free. The browser's cookie will not do: these requests come from programs.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::body::{failed, read_body};
use super::sender::sender;
use crate::dispatch::{self, Sender};
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
    let (_, body) = match read_body(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let of_work = Arc::clone(&shared);
    let pushed = shared.blocking(&shared.pushes, move || {
        let ctx = of_work.ctx(caller)?;
        let may_write = |host: &model::snapshot::Host| ctx.may_write(host);
        let pusher = SeriesPusher { may_write: &may_write, may_create: ctx.is_super_admin() };
        Some(ctx.ports().series.push(protocol, &body, &pusher))
    });
    match pushed.await {
        Ok(Some(answer)) => response(answer),
        Ok(None) => failed(StatusCode::UNAUTHORIZED, "The user is gone."),
        Err(error) => failed(StatusCode::SERVICE_UNAVAILABLE, &error.data),
    }
}

/// Who pushes, if a token says so and the role of its user lets it use the API.
fn caller(shared: &ApiState, sender: Sender) -> Option<Caller> {
    let caller = dispatch::caller(shared, &sender, None).ok()?;
    let snapshot = shared.db.snapshot();
    let role = snapshot.access.roles.get(&caller.identity.roleid)?;
    (role.api_access && role.api_methods.allows("history.push")).then_some(caller)
}

fn basic_password(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, given) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let given = String::from_utf8(STANDARD.decode(given.trim()).ok()?).ok()?;
    let (_, password) = given.split_once(':')?;
    (!password.is_empty()).then(|| password.to_owned())
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
