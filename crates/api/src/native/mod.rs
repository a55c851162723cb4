//! What the pages use where JSON-RPC is the wrong shape: columns, series, live deltas.
//!
//! Answers are plain JSON; errors are `{"error": {"message", "data"}}` with HTTP's codes, 401 for
//! whoever is not logged in.

mod backtest;
mod backtest_answer;
mod check;
mod columns;
mod evaluate;
mod feed;
mod hosts;
mod import;
mod item_test;
mod latest;
mod origin;
mod overview;
mod problems;
mod series;
mod session;
mod stream;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::Value;

use crate::error::ApiError;
use crate::http::{failed, json_answer, read_json, text_answer};
use crate::pool::Pool;
use crate::shared::{Caller, Ctx, Shared};

pub(crate) use feed::Feed;
pub(crate) use hosts::HostIndex;

pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/login", post(session::login))
        .route("/logout", post(session::logout))
        .route("/session", get(session::session))
        .route("/overview", get(overview))
        .route("/problems", get(problems::snapshot))
        .route("/hosts", get(hosts::list))
        .route("/hosts/ids", get(hosts::all_ids))
        .route("/hosts/names", get(hosts::names))
        .route("/latest", get(latest))
        .route("/series", get(series))
        .route("/origin", get(origin))
        .route("/check/expression", post(expression))
        .route("/check/key", post(key))
        .route("/check/interval", post(interval))
        .route("/check/regexp", post(regexp))
        .route("/test/item", post(test_item))
        .route("/test/expression", post(test_expression))
        .route("/backtest", post(backtest_answer::answer))
        .route("/import", post(run_import))
        .route("/stream", get(stream::open))
}

/// Parameters of the address.
type Params = BTreeMap<String, String>;

/// Runs work for a user on a thread for that; its answer is written JSON.
async fn answer_text(
    shared: Arc<Shared>,
    request: Request<Body>,
    work: impl FnOnce(&Ctx) -> Result<String, ApiError> + Send + 'static,
) -> Response {
    let caller = match session::caller(&shared, &request) {
        Ok(it) => it,
        Err(response) => return response,
    };
    let of_work = Arc::clone(&shared);
    let answer = shared.blocking(&shared.calls, move || {
        let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        work(&ctx)
    });
    let answer = answer.await.flatten();
    text_answer(&shared, request.headers(), answer).await
}

async fn overview(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    let whole = |ctx: &Ctx| ctx.shared.feed.overview(&ctx.shared, &ctx.rights.read_scope());
    answer_text(shared, request, move |ctx| Ok(whole(ctx).as_str().to_owned())).await
}

async fn latest(
    State(shared): State<Arc<Shared>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| latest::latest(ctx, &params)).await
}

async fn series(
    State(shared): State<Arc<Shared>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| series::series(ctx, &params)).await
}

async fn origin(
    State(shared): State<Arc<Shared>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(origin::origin(ctx, &params)?.to_string())).await
}

async fn expression(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    checked(shared, request, check::expression).await
}

async fn key(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    checked(shared, request, check::key).await
}

async fn interval(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    checked(shared, request, check::interval).await
}

async fn regexp(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    checked(shared, request, check::regexp).await
}

async fn test_item(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    tried(shared, request, item_test::run).await
}

async fn test_expression(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    tried(shared, request, evaluate::run).await
}

/// An edit, in line with those of the API.
async fn run_import(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    posted(shared, request, |it| &it.edits, import::run).await
}

/// Trials take long: few run at once, beside the calls, and nobody waits in line for one.
async fn tried(
    shared: Arc<Shared>,
    request: Request<Body>,
    run: fn(&Ctx, &Value) -> Result<Value, ApiError>,
) -> Response {
    let (caller, headers, body) = match asked(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let Ok(permit) = Arc::clone(&shared.trials).try_acquire_owned() else {
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

const TRIALS_TAKEN: &str = "Other tests are running, try again.";

/// Who asks, and the JSON object that was sent.
async fn asked(
    shared: &Arc<Shared>,
    request: Request<Body>,
) -> Result<(Caller, HeaderMap, Value), Response> {
    let caller = session::caller(shared, &request)?;
    let headers = request.headers().clone();
    let body = read_json(shared, request).await?;
    Ok((caller, headers, body))
}

async fn checked(
    shared: Arc<Shared>,
    request: Request<Body>,
    check: fn(&Ctx, &Value) -> Value,
) -> Response {
    posted(shared, request, |it| &it.calls, move |ctx, body| Ok(check(ctx, body))).await
}

/// Works on a posted object for a user, no more at once than the pool has turns.
async fn posted(
    shared: Arc<Shared>,
    request: Request<Body>,
    pool: fn(&Shared) -> &Pool,
    work: impl FnOnce(&Ctx, &Value) -> Result<Value, ApiError> + Send + 'static,
) -> Response {
    let (caller, headers, body) = match asked(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let of_work = Arc::clone(&shared);
    let answer = shared.blocking(pool(&shared), move || {
        let ctx = of_work.ctx(caller).ok_or_else(ApiError::session_ended)?;
        work(&ctx, &body)
    });
    let answer = answer.await.flatten();
    json_answer(&shared, &headers, answer).await
}

/// Ids of a parameter such as `itemids=1,2`; `None` if it is not given.
fn ids(params: &Params, name: &str) -> Result<Option<Vec<u64>>, ApiError> {
    let Some(text) = params.get(name).filter(|it| !it.is_empty()) else { return Ok(None) };
    let ids: Result<Vec<u64>, _> = text.split(',').map(|it| it.trim().parse()).collect();
    ids.map(Some).map_err(|_error| ApiError::field(&format!("/{name}"), "numbers are expected"))
}

/// A whole number of the address, within bounds.
fn number(params: &Params, name: &str, default: i64, max: i64) -> Result<i64, ApiError> {
    let Some(text) = params.get(name).filter(|it| !it.is_empty()) else { return Ok(default) };
    let number = text.parse::<i64>();
    let number =
        number.map_err(|_error| ApiError::field(&format!("/{name}"), "an integer is expected"))?;
    Ok(number.min(max))
}

/// The answer to those whom no place is left for.
fn busy(what: &str) -> Response {
    failed(StatusCode::SERVICE_UNAVAILABLE, what)
}
