//! The browser's session: a cookie that scripts cannot read.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use db::Rights;
use db::objects::SINGLE;
use model::content::{Role, RoleElement, User};
use model::snapshot::Snapshot;
use serde_json::{Value, json};

use crate::error::ErrorClass;
use crate::http::body::{failed, json_answer, read_json};
use crate::http::sender::{self, COOKIE, OWN_PAGES};
use crate::method::Method;
use crate::role_rules::ShownBy;
use crate::shared::{ApiState, Caller};
use crate::{dispatch, login, registry, role_rules};

/// Identifies the caller. Others get 401, and callers whose role does not have the page of this address 403.
#[expect(clippy::result_large_err, reason = "an answer is the error, and made once a request")]
pub(super) fn caller(shared: &Arc<ApiState>, request: &Request<Body>) -> Result<Caller, Response> {
    let sender = sender::sender(request.method(), request.headers(), request.extensions());
    let caller = dispatch::caller(shared, &sender, None)
        .map_err(|error| failed(StatusCode::UNAUTHORIZED, &error.data()))?;
    // An address that says nothing of it is refused.
    let shown_by = request.extensions().get::<ShownBy>();
    let snapshot = shared.db.snapshot();
    let is_allowed = snapshot.access.roles.get(&caller.identity.roleid).is_some_and(|role| {
        (caller.is_cookie || role.api_access) && shown_by.is_some_and(|it| it.is_shown(role))
    });
    if is_allowed { Ok(caller) } else { Err(failed(StatusCode::FORBIDDEN, NO_ACCESS)) }
}

/// How long the browser keeps the session of a user who stays logged in, as in Zabbix. Unused sessions end by
/// the server's settings all the same.
const STAYS_S: u32 = 30 * 86_400;

const NO_ACCESS: &str = "Your role does not allow this.";

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
        Err(error) if error.class == ErrorClass::System => {
            return failed(StatusCode::SERVICE_UNAVAILABLE, &error.data());
        }
        Err(error) => return failed(StatusCode::UNAUTHORIZED, &error.data()),
    };
    let answer = signed_in(&shared, &shared.db.snapshot(), &user);
    let response = json_answer(&shared, &HeaderMap::new(), Ok(answer)).await;
    let stays = (user.autologin == "1").then_some(STAYS_S);
    with_cookie(response, &session, stays, is_https)
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
        // Not among the edits: those may wait for a database.
        if let Err(error) = shared.blocking(&shared.logins, work).await {
            return failed(StatusCode::SERVICE_UNAVAILABLE, &error.data());
        }
    }
    let response = json_answer(&shared, &HeaderMap::new(), Ok(json!({}))).await;
    with_cookie(response, "", Some(0), is_https)
}

/// The user who is logged in. No user is an answer too: pages ask before there is a login.
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

/// The user, the permissions of the role, and the settings of the pages. `denied` names the methods that the
/// pages may not call for the user, by the same check as calls: pages do not offer them.
fn shown(snapshot: &Snapshot, user: &User) -> Value {
    let role = snapshot.access.roles.get(&user.roleid);
    let (ui, actions) = role.map(|it| (it.ui, it.actions)).unwrap_or_default();
    let rights = Rights::of(user.userid, snapshot);
    let may_call = |method: &Method| {
        role.is_some_and(|it| role_rules::lets_call(it, method, true))
            && role.zip(rights.as_ref()).is_some_and(|(role, it)| has_place(it, role, method))
    };
    let denied: Vec<&str> =
        registry::methods().filter(|it| !may_call(it)).map(|it| it.name).collect();
    let settings = snapshot.documents.get("settings", SINGLE);
    // Zabbix's default is no user's choice: browsers may replace it.
    let or_default = |own: &str, default: &str, built_in: &str| match own {
        "" | "default" => settings
            .map(|it| it.text(default))
            .filter(|it| !it.is_empty() && *it != built_in)
            .unwrap_or("default")
            .to_owned(),
        own => own.to_owned(),
    };
    json!({
        "userid": user.userid,
        "username": user.username,
        "name": user.name,
        "surname": user.surname,
        "roleid": user.roleid,
        "type": role.map_or(1, |it| it.kind.code()),
        "ui": ui.iter().map(RoleElement::name).collect::<Vec<_>>(),
        "actions": actions.iter().map(RoleElement::name).collect::<Vec<_>>(),
        "denied": denied,
        "url": user.url,
        "theme": or_default(&user.theme, "default_theme", "blue-theme"),
        "lang": or_default(&user.lang, "default_lang", "en_US"),
        "timezone": or_default(&user.timezone, "default_timezone", "system"),
        "autologout": formats::number::parse_duration_s(&user.autologout).unwrap_or(0),
        "refresh": formats::number::parse_duration_s(&user.refresh).unwrap_or(30),
        "rows_per_page": user.rows_per_page.parse().unwrap_or(50_u32),
    })
}

/// Whether there is any object that a method could change, or a place for new ones: hosts and maintenance
/// want a host group that may be written, templates a template group, services a role that names some.
fn has_place(rights: &Rights, role: &Role, method: &Method) -> bool {
    let services = &role.services_write;
    match method.name {
        "host.create" | "maintenance.create" => rights.writes_hosts(),
        "template.create" => rights.writes_templates(),
        "service.create" | "service.update" | "service.delete" => {
            services.all || !services.ids.is_empty() || services.tag.is_some()
        }
        _ => true,
    }
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
