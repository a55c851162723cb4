//! The parameters of a request of the pages, its threads, and its answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use serde_json::Value;

use super::session;
use crate::error::{ApiError, param};
use crate::http::body::{failed, json_answer, read_json, text_answer};
use crate::pool::Pool;
use crate::shared::{ApiState, Caller, Ctx};

/// Parameters of the address.
pub(super) type Params = BTreeMap<String, String>;

/// Runs work for a user on a thread for that; its answer is written JSON.
pub(super) async fn answer_text(
    shared: Arc<ApiState>,
    request: Request<Body>,
    work: impl FnOnce(&Ctx) -> Result<String, ApiError> + Send + 'static,
) -> Response {
    let caller = match session::caller(&shared, &request) {
        Ok(it) => it,
        Err(response) => return response,
    };
    let (of_work, user) = (Arc::clone(&shared), caller.identity.userid);
    let answer = shared.blocking_of((&shared.calls, user), move || {
        let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        work(&ctx)
    });
    let answer = answer.await.flatten();
    text_answer(&shared, request.headers(), answer).await
}

pub(super) const TRIALS_TAKEN: &str = "Other tests are running, try again.";

/// The caller, and the JSON object that was sent.
pub(super) async fn asked(
    shared: &Arc<ApiState>,
    request: Request<Body>,
) -> Result<(Caller, HeaderMap, Value), Response> {
    let caller = session::caller(shared, &request)?;
    let headers = request.headers().clone();
    let body = read_json(shared, request).await?;
    Ok((caller, headers, body))
}

/// Tests take long: few run at once, with a limit of their own; one more is refused at once.
pub(super) async fn tried(
    shared: Arc<ApiState>,
    request: Request<Body>,
    run: fn(&Ctx, &Value) -> Result<Value, ApiError>,
) -> Response {
    let (caller, headers, body) = match asked(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let Some(permit) = shared.trials.take(caller.identity.userid) else {
        return busy(TRIALS_TAKEN);
    };
    let of_work = Arc::clone(&shared);
    let answer = shared.permitted(permit, move || {
        let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        run(&ctx, &body)
    });
    let answer = answer.await.flatten();
    json_answer(&shared, &headers, answer).await
}

pub(super) async fn checked(
    shared: Arc<ApiState>,
    request: Request<Body>,
    check: fn(&Ctx, &Value) -> Value,
) -> Response {
    posted(shared, request, |it| &it.calls, move |ctx, body| Ok(check(ctx, body))).await
}

/// Works on a posted object for a user, no more at once than the pool has turns.
pub(super) async fn posted(
    shared: Arc<ApiState>,
    request: Request<Body>,
    pool: fn(&ApiState) -> &Pool,
    work: impl FnOnce(&Ctx, &Value) -> Result<Value, ApiError> + Send + 'static,
) -> Response {
    let (caller, headers, body) = match asked(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let (of_work, user) = (Arc::clone(&shared), caller.identity.userid);
    let answer = shared.blocking_of((pool(&shared), user), move || {
        let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        work(&ctx, &body)
    });
    let answer = answer.await.flatten();
    json_answer(&shared, &headers, answer).await
}

/// Ids of a parameter such as `itemids=1,2`; `None` if it is not given.
pub(super) fn ids(params: &Params, name: &str) -> Result<Option<Vec<u64>>, ApiError> {
    let Some(text) = params.get(name).filter(|it| !it.is_empty()) else { return Ok(None) };
    let ids: Result<Vec<u64>, _> = text.split(',').map(|it| it.trim().parse()).collect();
    ids.map(Some).map_err(|_error| ApiError::field(param(name), "numbers are expected"))
}

/// A whole number of the address, within bounds.
pub(super) fn number(params: &Params, name: &str, default: i64, max: i64) -> Result<i64, ApiError> {
    let Some(text) = params.get(name).filter(|it| !it.is_empty()) else { return Ok(default) };
    let number = text.parse::<i64>();
    let number = number.map_err(|_error| ApiError::field(param(name), "an integer is expected"))?;
    Ok(number.min(max))
}

/// The answer to callers without a place.
pub(super) fn busy(what: &str) -> Response {
    failed(StatusCode::SERVICE_UNAVAILABLE, what)
}
