//! From a call to its answer: its caller, the caller's permissions, and the thread that it runs on.

use model::field_path::FieldPath;
use std::sync::Arc;

use rt::budget::NoRoom;
use serde_json::Value;

use crate::answer::{Out, Text};
use crate::error::{ApiError, ErrorClass};
use crate::generate::openrpc;
use crate::login;
use crate::memory::Held;
use crate::method::{Method, Pool, Run};
use crate::objects::history::push::take;
use crate::objects::history::pushed::{self, PushCall};
use crate::pool::{BUSY, Turn};
use crate::registry;
use crate::response_stream::StreamOpening;
use crate::role_rules;
use crate::rpc::RpcCall;
use crate::shared::{ApiState, Caller, Ctx};

/// The sender of a request, before the permissions are checked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sender {
    /// Of the `Authorization` header.
    pub(crate) bearer: Option<String>,
    /// Of the browser; only if the request proves to come from our own pages.
    pub(crate) cookie: Option<String>,
    pub(crate) ip: String,
}

/// Methods of Zabbix for clients without a session: it refuses them with one. `rpc.discover` is Saker's own,
/// and clients send it like all other calls.
const WITHOUT_SESSION: &[&str] = &["apiinfo.version", "user.login", "user.checkauthentication"];

/// Runs one call. Its answer is written JSON: the part that does not go through `opening`.
pub(crate) async fn call(
    shared: &Arc<ApiState>,
    sender: &Sender,
    call: RpcCall,
    opening: Option<StreamOpening>,
) -> Result<Text, ApiError> {
    let RpcCall { method, params, auth, .. } = call;
    // Names are taken in any case, as Zabbix takes them; errors show them as they came.
    let name = method.to_ascii_lowercase();
    if auth.is_some() && WITHOUT_SESSION.contains(&name.as_str()) {
        let what =
            format!("The \"{method}\" method must be called without the \"auth\" parameter.");
        return Err(ApiError::params(what));
    }
    if sender.bearer.is_some() && WITHOUT_SESSION.contains(&name.as_str()) {
        let what = format!("The \"{method}\" method must be called without authorization header.");
        return Err(ApiError::params(what));
    }
    match name.as_str() {
        "apiinfo.version" => {
            let version = shared.settings.zabbix_version;
            return without_params(&params).map(|()| Text::of(version.patch()));
        }
        "rpc.discover" => {
            without_params(&params)?;
            // Written once, by a thread for that.
            let version = shared.settings.zabbix_version;
            let work = move || Text::of_static(openrpc::text(version).as_bytes());
            return shared.blocking(&shared.before_login, work).await;
        }
        "user.login" => {
            let (of_work, ip) = (Arc::clone(shared), sender.ip.clone());
            let work = move || login::login(&of_work, &params, &ip);
            return shared.blocking(&shared.logins, work).await?.map(|it| Text::of(&it));
        }
        "user.checkauthentication" => {
            let answer = login::check_authentication(shared, &params, &sender.ip);
            return answer.map(|it| Text::of(&it));
        }
        _ => {}
    }
    let found = registry::method(&name).ok_or_else(|| no_method(&method))?;
    let caller = caller(shared, sender, auth)?;
    if !found.versions.has(shared.version_for(caller.is_cookie)) {
        return Err(no_method(&method));
    }
    run(shared, found, (caller, params), opening).await
}

fn without_params(params: &Value) -> Result<(), ApiError> {
    let is_empty = match params {
        Value::Array(it) => it.is_empty(),
        Value::Object(it) => it.is_empty(),
        _ => false,
    };
    if is_empty { Ok(()) } else { Err(ApiError::field(FieldPath::root(), "should be empty")) }
}

fn no_method(method: &str) -> ApiError {
    let (object, _) = method.split_once('.').unwrap_or((method, ""));
    let name = object.to_ascii_lowercase();
    let known = registry::entry(&name).is_some()
        || registry::method(&format!("{name}.get")).is_some()
        || matches!(&*name, "apiinfo" | "rpc" | "user");
    let what = if known {
        // One without a method is called by it.
        let dot = if method.contains('.') { "" } else { "." };
        format!("Incorrect method \"{method}{dot}\".")
    } else {
        format!("Incorrect API \"{object}\".")
    };
    ApiError::new(ErrorClass::MethodNotFound, what)
}

/// The user of the credentials.
pub(crate) fn caller(
    shared: &ApiState,
    sender: &Sender,
    auth: Option<String>,
) -> Result<Caller, ApiError> {
    let given = sender.bearer.clone().or(auth);
    let is_cookie = given.is_none();
    let credential = given.or_else(|| sender.cookie.clone());
    let credential = credential.ok_or_else(ApiError::not_authorized)?;
    let identity = shared.db.authenticate(&credential, shared.clock.wall());
    let identity = identity.ok_or_else(ApiError::session_ended)?;
    if is_cookie && !login::may_use_pages(shared, &identity.groups) {
        return Err(ApiError::application(login::NO_PAGES));
    }
    Ok(Caller { identity, credential, is_cookie, ip: sender.ip.clone() })
}

async fn run(
    shared: &Arc<ApiState>,
    method: &'static Method,
    (caller, params): (Caller, Value),
    opening: Option<StreamOpening>,
) -> Result<Text, ApiError> {
    check_role(shared, method, &caller)?;
    let pool = match method.pool_of(&params) {
        Pool::Read => &shared.calls,
        Pool::Stored => &shared.stored,
        Pool::Edit => &shared.edits,
        Pool::Push => &shared.pushes,
        Pool::Outside => &shared.outside,
    };
    let user = caller.identity.userid;
    let answer = async {
        let turn = pool.turn_of(user).await?;
        match method.run {
            Run::Pushed(pushed) if (pushed.is_small)(&params) => {
                let of_push = |ctx: Ctx| async move { (pushed.run)(&ctx, &params).await };
                here(shared, caller, of_push, opening.map(|it| it.held)).await
            }
            _ => on_a_thread(shared, (method, turn), (caller, params), opening).await,
        }
    };
    measured(shared, method, answer).await
}

/// Pushes values of a request that was read without a tree.
pub(crate) async fn push(
    shared: &Arc<ApiState>,
    sender: &Sender,
    call: &PushCall<'_>,
    held: Held,
) -> Result<Text, ApiError> {
    let name = pushed::NAME;
    let method = registry::method(name).ok_or_else(|| no_method(name))?;
    let caller = caller(shared, sender, None)?;
    check_role(shared, method, &caller)?;
    let answer = async {
        let _turn = shared.pushes.turn_of(caller.identity.userid).await?;
        let given = call.given().unwrap_or_default();
        let of_push = |ctx: Ctx| async move { take(&ctx, &given).await };
        here(shared, caller, of_push, Some(held)).await
    };
    measured(shared, method, answer).await
}

/// Counts a call and its time.
async fn measured(
    shared: &ApiState,
    method: &'static Method,
    answer: impl Future<Output = Result<Text, ApiError>>,
) -> Result<Text, ApiError> {
    shared.metrics.calls_total.of(method.name).inc();
    let start_ns = shared.clock.mono_ns();
    let answer = answer.await;
    shared.metrics.call_seconds.observe_ns(shared.clock.mono_ns().saturating_sub(start_ns));
    if answer.is_err() {
        shared.metrics.call_errors_total.inc();
    }
    answer
}

/// Runs a call that waits for the journal alone where its request was read.
async fn here<F: Future<Output = Result<Text, ApiError>>>(
    shared: &Arc<ApiState>,
    caller: Caller,
    work: impl FnOnce(Ctx) -> F,
    held: Option<Held>,
) -> Result<Text, ApiError> {
    let ctx = shared.ctx(caller).ok_or_else(ApiError::session_ended)?;
    let text = shared.contained("push", work(ctx)).await??;
    if let Some(held) = held {
        let grown = held.grow(text.own_bytes()).await;
        grown.map_err(|NoRoom| ApiError::new(ErrorClass::System, BUSY))?;
    }
    Ok(text)
}

async fn on_a_thread(
    shared: &Arc<ApiState>,
    (method, turn): (&'static Method, Turn),
    (caller, params): (Caller, Value),
    opening: Option<StreamOpening>,
) -> Result<Text, ApiError> {
    let of_work = Arc::clone(shared);
    let work = move |turn: Turn| {
        let mut ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        // A caller that has a turn keeps it to the end.
        let held = opening.as_ref().map(|it| it.held.clone());
        let (out, _turn) = match opening {
            Some(it) => (Out::to(it.outlet(turn)), None),
            None => (Out::default(), Some(turn)),
        };
        ctx.out = out;
        let text = method.run.answer(&ctx, &params)?.into_text().finish()?;
        // Before the turn goes to the next: answers that wait for room are few.
        if let Some(held) = held {
            let bytes = u64::try_from(text.own_bytes()).unwrap_or(u64::MAX);
            held.grow_here(bytes).map_err(|NoRoom| ApiError::new(ErrorClass::System, BUSY))?;
        }
        Ok(text)
    };
    shared.working(turn, work).await.flatten()
}

/// # Errors
/// If the caller's role keeps it from calling the method.
pub(crate) fn check_role(
    shared: &ApiState,
    method: &Method,
    caller: &Caller,
) -> Result<(), ApiError> {
    let snapshot = shared.db.snapshot();
    let role = snapshot.access.roles.get(&caller.identity.roleid);
    let is_allowed = role.is_some_and(|it| role_rules::lets_call(it, method, caller.is_cookie));
    if is_allowed { Ok(()) } else { Err(ApiError::not_allowed(method.name)) }
}
