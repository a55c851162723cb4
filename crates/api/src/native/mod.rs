//! What the pages use where JSON-RPC is the wrong shape: columns, series, live deltas.
//!
//! Answers are plain JSON; errors are `{"error": {"message", "data"}}` with HTTP's codes, 401 for
//! whoever is not logged in.

mod acknowledge;
mod backtest;
mod backtest_answer;
mod check;
mod columns;
mod editable;
mod evaluate;
mod explain;
mod feed;
mod hosts;
mod ical;
mod import;
mod interface_test;
mod item_test;
mod latest;
mod loads;
mod maintenance;
mod maps;
mod mediatype_test;
mod origin;
mod overview;
mod problems;
mod queue;
mod request;
mod seen;
mod series;
mod session;
mod state;
mod storage;
mod stream;
mod views;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::Request;
use axum::response::Response;
use axum::routing::{get, post};

use self::feed::Feed;
use self::queue::QueueCache;
use self::request::{Params, answer_text, checked, posted, tried};
use self::storage::LargestCache;
use crate::shared::{ApiState, Ctx};

pub(crate) use state::Native;

pub(crate) fn routes() -> Router<Native> {
    Router::new()
        .route("/login", post(session::login))
        .route("/acknowledge/{token}", get(acknowledge::ask).post(acknowledge::confirm))
        .route("/oncall/{id}/ical", get(ical::answer))
        .route("/logout", post(session::logout))
        .route("/session", get(session::session))
        .route("/overview", get(overview))
        .route("/overview/loads", get(overview_loads))
        .route("/problems", get(problems::snapshot))
        .route("/hosts", get(hosts::list))
        .route("/hosts/ids", get(hosts::all_ids))
        .route("/hosts/names", get(hosts::names))
        .route("/hosts/{hostid}/dashboards/{dashboardid}", get(hosts::dashboard::answer))
        .route("/latest", get(latest))
        .route("/series", get(series))
        .route("/origin", get(origin))
        .route("/events/{eventid}/explain", get(explain_event))
        .route("/views", get(list_views).post(keep_view))
        .route("/maintenance/calendar", get(maintenance_calendar))
        .route("/maps/{id}", get(maps::map))
        .route("/images/{id}", get(maps::image))
        .route("/queue", get(queue))
        .route("/users/seen", get(users_seen))
        .route("/storage", get(storage_figures))
        .route("/storage/largest", get(storage_largest))
        .route("/check/expression", post(expression))
        .route("/check/key", post(key))
        .route("/check/interval", post(interval))
        .route("/check/regexp", post(regexp))
        .route("/test/item", post(test_item))
        .route("/test/interface", post(test_interface))
        .route("/test/mediatype", post(test_mediatype))
        .route("/test/expression", post(test_expression))
        .route("/backtest", post(backtest_answer::answer))
        .route("/import", post(run_import))
        .route("/import/preview", post(preview_import))
        .route("/stream", get(stream::open))
}

async fn overview(
    State(shared): State<Arc<ApiState>>,
    State(feed): State<Arc<Feed>>,
    request: Request<Body>,
) -> Response {
    let whole = move |ctx: &Ctx| feed.overview(&ctx.shared, &ctx.rights.problem_scope());
    answer_text(shared, request, move |ctx| Ok(whole(ctx).as_str().to_owned())).await
}

async fn overview_loads(
    State(shared): State<Arc<ApiState>>,
    State(feed): State<Arc<Feed>>,
    request: Request<Body>,
) -> Response {
    let loads = move |ctx: &Ctx| feed.loads(&ctx.shared, &ctx.rights.problem_scope());
    answer_text(shared, request, move |ctx| Ok(loads(ctx).as_str().to_owned())).await
}

async fn latest(
    State(shared): State<Arc<ApiState>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| latest::latest(ctx, &params)).await
}

async fn series(
    State(shared): State<Arc<ApiState>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| series::series(ctx, &params)).await
}

async fn origin(
    State(shared): State<Arc<ApiState>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(origin::origin(ctx, &params)?.to_string())).await
}

async fn explain_event(
    State(shared): State<Arc<ApiState>>,
    Path(id): Path<String>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(explain::explain(ctx, &id)?.to_string())).await
}

async fn list_views(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    answer_text(shared, request, |ctx| Ok(views::list(ctx)?.to_string())).await
}

async fn keep_view(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    posted(shared, request, |it| &it.edits, views::keep).await
}

async fn maintenance_calendar(
    State(shared): State<Arc<ApiState>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    let answer = move |ctx: &Ctx| Ok(maintenance::calendar(ctx, &params)?.to_string());
    answer_text(shared, request, answer).await
}

async fn queue(
    State(shared): State<Arc<ApiState>>,
    State(cache): State<Arc<QueueCache>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| queue::queue(ctx, &params, &cache)).await
}

async fn users_seen(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    answer_text(shared, request, |ctx| Ok(seen::seen(ctx)?.to_string())).await
}

async fn storage_figures(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    answer_text(shared, request, storage::storage).await
}

async fn storage_largest(
    State(shared): State<Arc<ApiState>>,
    State(cache): State<Arc<LargestCache>>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| storage::largest(ctx, &cache)).await
}

async fn expression(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    checked(shared, request, check::expression).await
}

async fn key(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    checked(shared, request, check::key).await
}

async fn interval(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    checked(shared, request, check::interval).await
}

async fn regexp(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    checked(shared, request, check::regexp).await
}

async fn test_item(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    tried(shared, request, item_test::run).await
}

async fn test_interface(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    tried(shared, request, interface_test::run).await
}

async fn test_mediatype(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    tried(shared, request, mediatype_test::run).await
}

async fn test_expression(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    tried(shared, request, evaluate::run).await
}

/// Waits in line with the API's edits: it makes one and takes it back.
async fn preview_import(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    posted(shared, request, |it| &it.edits, import::preview).await
}

async fn run_import(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    posted(shared, request, |it| &it.edits, import::run).await
}
