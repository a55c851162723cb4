//! The browser's session: a cookie that scripts cannot read.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use model::content::User;
use model::snapshot::Snapshot;
use serde_json::{Value, json};

use crate::error::Class;
use crate::http::body::{failed, json_answer, read_json};
use crate::http::sender::{self, COOKIE, OWN_PAGES};
use crate::shared::{ApiState, Caller};
use crate::{dispatch, login};

/// Finds out who asks; the answer to others is 401.
#[expect(clippy::result_large_err, reason = "an answer is the error, and made once a request")]
pub(super) fn caller(shared: &Arc<ApiState>, request: &Request<Body>) -> Result<Caller, Response> {
    let sender = sender::sender(request.method(), request.headers(), request.extensions());
    dispatch::caller(shared, &sender, None)
        .map_err(|error| failed(StatusCode::UNAUTHORIZED, &error.data))
}

pub(super) async fn login(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    // A login from another site would put its victim into an account of the attacker's.
    if request.headers().get(OWN_PAGES.0).is_none_or(|it| it != OWN_PAGES.1) {
        return failed(StatusCode::FORBIDDEN, "The header X-Requested-With is missing.");
    }
    let is_https = sender::origin(request.extensions()).is_https;
    let ip = sender::ip(request.extensions());
    let body = match read_json(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (username, password) = (text("username"), text("password"));
    let of_work = Arc::clone(&shared);
    let work = move || login::open_page_session(&of_work, &username, &password, &ip);
    let opened = shared.blocking(&shared.logins, work).await.flatten();
    let (session, user) = match opened {
        Ok(it) => it,
        Err(error) if error.class == Class::System => {
            return failed(StatusCode::SERVICE_UNAVAILABLE, &error.data);
        }
        Err(error) => return failed(StatusCode::UNAUTHORIZED, &error.data),
    };
    let answer = signed_in(&shared, &shared.db.snapshot(), &user);
    let response = json_answer(&shared, &HeaderMap::new(), Ok(answer)).await;
    with_cookie(response, &session, None, is_https)
}

pub(super) async fn logout(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
) -> Response {
    let is_https = sender::origin(request.extensions()).is_https;
    if let Ok(caller) = caller(&shared, &request)
        && caller.identity.token.is_none()
    {
        let of_work = Arc::clone(&shared);
        let work = move || login::end_session(&of_work, &caller);
        match shared.blocking(&shared.edits, work).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::warn!(error = %error.data, "a session could not be ended in the database");
            }
            Err(error) => return failed(StatusCode::SERVICE_UNAVAILABLE, &error.data),
        }
    }
    let response = json_answer(&shared, &HeaderMap::new(), Ok(json!({}))).await;
    with_cookie(response, "", Some(0), is_https)
}

/// Who is logged in. Nobody is an answer too: pages ask before there is a login.
pub(super) async fn session(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
) -> Response {
    let snapshot = shared.db.snapshot();
    let caller = caller(&shared, &request).ok();
    let user = caller.and_then(|it| snapshot.access.users.get(&it.identity.userid));
    let answer = user.map_or_else(|| json!({"user": null}), |it| signed_in(&shared, &snapshot, it));
    json_answer(&shared, request.headers(), Ok(answer)).await
}

/// With the server's time zone by its IANA name, null where it has none.
fn signed_in(shared: &ApiState, snapshot: &Snapshot, user: &User) -> Value {
    json!({"user": shown(snapshot, user), "timezone": shared.db.zone().iana_name()})
}

fn shown(snapshot: &Snapshot, user: &User) -> Value {
    let kind = snapshot.access.roles.get(&user.roleid).map_or(1, |it| it.kind.code());
    json!({
        "userid": user.userid,
        "username": user.username,
        "name": user.name,
        "surname": user.surname,
        "roleid": user.roleid,
        "type": kind,
    })
}

fn with_cookie(
    mut response: Response,
    session: &str,
    age_s: Option<u32>,
    is_https: bool,
) -> Response {
    let age = age_s.map_or_else(String::new, |it| format!("; Max-Age={it}"));
    let secure = if is_https { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict{age}{secure}");
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}
