//! Methods that need no session: login, logout, and the check of a session.

use std::sync::Arc;

use db::{AuditAction, FailedLogins, LoginError, Origin, Session};
use model::content::{RoleType, User};
use model::field_path::FieldPath;
use model::snapshot::Snapshot;
use model::{UserGroupId, UserId};
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Object, Rule};
use crate::error::{ApiError, param};
use crate::json::{Fields, number};
use crate::method::Method;
use crate::objects::users::{BY_DIRECTORY, PAGES_DISABLED, user};
use crate::query::is_true;
use crate::shared::{ApiState, Caller, Ctx};
use crate::validate;

/// Methods of users that need a session and belong to it.
pub(crate) const METHODS: &[Method] = &[Method::edit("user.logout", logout).of(RoleType::User)];

/// Characters of a name or password that `user.login` takes.
const LOGIN_MAX: usize = 255;

/// `user.login`. Takes some 30 ms.
pub(crate) fn login(shared: &ApiState, params: &Value, ip: &str) -> Result<Value, ApiError> {
    let no_params = Map::new();
    let params = match params {
        Value::Object(params) => params,
        Value::Array(list) if list.is_empty() => &no_params,
        _ => return Err(ApiError::field(FieldPath::root(), "an array is expected")),
    };
    const KNOWN: &[&str] = &["username", "password", "userData"];
    if let Some(name) = params.keys().find(|it| !KNOWN.contains(&it.as_str())) {
        return Err(ApiError::unexpected(FieldPath::root(), name));
    }
    let username = text_param(params, "username")?;
    let password = text_param(params, "password")?;
    let (Session { sessionid: session, failed, .. }, user) =
        open_session(shared, &username, &password, ip)?;
    if !is_true(params.get("userData")) {
        return Ok(Value::String(session));
    }
    let snapshot = shared.db.snapshot();
    // Failures before this login, as Zabbix returns them.
    let mut data = user_data(&snapshot, &user, (ip, &failed));
    data.insert("sessionid".to_owned(), Value::String(session));
    Ok(Value::Object(data))
}

pub(crate) const NO_PAGES: &str = "GUI access disabled.";

/// Whether users of these groups may use the pages; the strictest one counts. The API takes no notice
/// of it, as in Zabbix.
pub(crate) fn may_use_pages(shared: &ApiState, groups: &[UserGroupId]) -> bool {
    let snapshot = shared.db.snapshot();
    let mut groups = groups.iter().filter_map(|it| snapshot.access.groups.get(it));
    groups.all(|it| it.gui_access != PAGES_DISABLED)
}

/// Opens a session for the pages.
pub(crate) fn open_page_session(
    shared: &ApiState,
    username: &str,
    password: &str,
    ip: &str,
) -> Result<(String, Arc<User>), ApiError> {
    let (Session { sessionid: session, .. }, user) = open_session(shared, username, password, ip)?;
    if !may_use_pages(shared, &user.groups) {
        shared.db.logout(&session);
        return Err(ApiError::application(NO_PAGES));
    }
    Ok((session, user))
}

/// Opens a session.
pub(crate) fn open_session(
    shared: &ApiState,
    username: &str,
    password: &str,
    ip: &str,
) -> Result<(Session, Arc<User>), ApiError> {
    let now = shared.clock.wall();
    let session = shared.db.login((username, ip.parse().ok()), password, now);
    match &session {
        Ok(session) => note(shared, (AuditAction::Login, session.userid), username, ip),
        // These cost nothing to make: the audit log would be filled with them. They are counted.
        Err(LoginError::Blocked { .. }) => {}
        Err(_) => {
            let snapshot = shared.db.snapshot();
            let known = snapshot.access.users.values().find(|it| it.username == username);
            let user = known.map_or(UserId::NONE, |it| it.userid);
            note(shared, (AuditAction::FailedLogin, user), username, ip);
        }
    }
    let session = session.map_err(|error| {
        shared.metrics.login_failures_total.inc();
        match error {
            LoginError::Store(error) => ApiError::from(error),
            LoginError::Refused | LoginError::Blocked { .. } | LoginError::Disabled => {
                ApiError::application(error.to_string())
            }
        }
    })?;
    let snapshot = shared.db.snapshot();
    let user = snapshot.access.users.get(&session.userid).cloned();
    let user = user.ok_or_else(ApiError::session_ended)?;
    let mut groups = user.groups.iter().filter_map(|it| snapshot.access.groups.get(it));
    if groups.any(|it| it.gui_access == BY_DIRECTORY) && may_use_pages(shared, &user.groups) {
        shared.db.logout(&session.sessionid);
        return Err(ApiError::application("LDAP authentication is disabled."));
    }
    Ok((session, user))
}

/// Notes a login or logout.
pub(crate) fn note(
    shared: &ApiState,
    (action, user): (AuditAction, UserId),
    username: &str,
    ip: &str,
) {
    if !shared.db.snapshot().globals.settings.is_audited {
        return;
    }
    let from = Origin { user, username, ip };
    shared.db.audit().session(action, &from, shared.clock.wall());
}

/// Ends a session on behalf of its user; false if there was none.
pub(crate) fn end_session(shared: &ApiState, caller: &Caller) -> bool {
    let is_ended = shared.db.logout(&caller.credential);
    if is_ended {
        let user = caller.identity.userid;
        let snapshot = shared.db.snapshot();
        let name = snapshot.access.users.get(&user).map_or("", |it| it.username.as_str());
        note(shared, (AuditAction::Logout, user), name, &caller.ip);
    }
    is_ended
}

fn text_param(params: &Map<String, Value>, name: &str) -> Result<String, ApiError> {
    match params.get(name) {
        Some(Value::String(it)) if it.chars().count() <= LOGIN_MAX => Ok(it.clone()),
        Some(Value::String(_)) => Err(ApiError::field(param(name), "value is too long")),
        Some(_) => Err(ApiError::field(param(name), "a character string is expected")),
        None => Err(ApiError::missing(FieldPath::root(), name)),
    }
}

/// The parameters of `user.checkAuthentication`.
const CHECKED: &[Field] = &[
    Field::new("sessionid", ANY_TEXT, Rule::Optional, "Id of a session"),
    Field::new("token", ANY_TEXT, Rule::Optional, "Text of a token"),
    Field::new("extend", FieldType::Bool, Rule::Optional, "Whether it is a use of the session"),
];
const ANY_TEXT: FieldType = FieldType::Text { max: usize::MAX };

/// `user.checkAuthentication` with a session id or a token.
pub(crate) fn check_authentication(
    shared: &ApiState,
    params: &Value,
    ip: &str,
) -> Result<Value, ApiError> {
    let read = validate::given_at_root(CHECKED, params, None)?;
    let (name, given) = match (read.get("sessionid"), read.get("token")) {
        (Some(given), None) => ("sessionid", given),
        (None, Some(given)) => ("token", given),
        _ => return Err(ApiError::params("Session ID or token is expected.")),
    };
    if name == "token" && read.contains_key("extend") {
        return Err(ApiError::unexpected(FieldPath::root(), "extend"));
    }
    let given = given.as_str().unwrap_or_default();
    let identity = shared.db.authenticate(given, shared.clock.wall());
    let identity = identity.ok_or_else(|| match name {
        "token" => ApiError::not_authorized(),
        _ => ApiError::session_ended(),
    })?;
    let snapshot = shared.db.snapshot();
    let user = snapshot.access.users.get(&identity.userid).ok_or_else(ApiError::session_ended)?;
    let failed = shared.db.failed_logins(identity.userid);
    let mut data = user_data(&snapshot, user, (ip, &failed));
    if user.lang == "default" {
        let language = snapshot.documents.of("settings").next().map(|it| it.text("default_lang"));
        data.insert("lang".to_owned(), json!(language.unwrap_or("en_US")));
    }
    let credential = if identity.token.is_some() { "token" } else { "sessionid" };
    data.insert(credential.to_owned(), Value::String(given.to_owned()));
    Ok(Value::Object(data))
}

fn user_data(snapshot: &Snapshot, user: &User, (ip, failed): (&str, &FailedLogins)) -> Fields {
    let object: &Object = &user::OBJECT;
    let fields = object.output_fields().map(|it| (it.name.to_owned(), user::field(user, it.name)));
    let mut data: Fields = fields.collect();
    let kind = snapshot.access.roles.get(&user.roleid).map_or(1, |it| it.kind.code());
    let groups = user.groups.iter().filter_map(|it| snapshot.access.groups.get(it));
    let (mut gui_access, mut debug_mode) = (0, 0);
    for group in groups {
        gui_access = gui_access.max(group.gui_access);
        debug_mode = debug_mode.max(group.debug_mode);
    }
    for (name, value) in [
        ("type", json!(kind)),
        ("userip", json!(ip)),
        ("attempt_failed", number(failed.n)),
        ("attempt_ip", json!(failed.ip)),
        ("attempt_clock", number(failed.clock)),
        ("gui_access", number(gui_access)),
        ("debug_mode", json!(debug_mode)),
        ("auth_type", json!(0)),
        ("deprovisioned", json!(false)),
        ("mfaid", json!(0)),
    ] {
        data.insert(name.to_owned(), value);
    }
    data
}

/// `user.logout`. A token does not end by it.
fn logout(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    validate::given_at_root(&[], params, None)?;
    if ctx.caller.identity.token.is_some() || !end_session(&ctx.shared, &ctx.caller) {
        return Err(ApiError::application("Cannot log out."));
    }
    Ok(Value::Bool(true))
}
