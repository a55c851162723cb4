//! The surface for pages where JSON-RPC is the wrong shape: columns, series, live deltas.
//!
//! Answers are plain JSON; errors are `{"error": {"message", "data"}}` with HTTP's codes, 401 without a
//! login.

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
mod workers;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::Request;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use model::content::UiElement::{
    Dashboard, Hosts, Housekeeping, Maintenance, Maps, MediaTypes, Problems, Queue,
    SystemInformation, Templates, Users,
};

use self::feed::Feed;
use self::queue::QueueCache;
use self::request::{Params, answer_text, checked, posted, tried};
use self::storage::LargestCache;
use crate::role_rules::ShownBy;
use crate::shared::{ApiState, Ctx};

pub(crate) use state::Native;

/// An address.
struct Route {
    path: &'static str,
    shown_by: ShownBy,
    answer: MethodRouter<Native>,
}

/// All addresses. [`session::caller`] decides by these rows which roles may request one.
pub(crate) fn routes() -> Router<Native> {
    table().into_iter().fold(Router::new(), |router, it| {
        router.route(it.path, it.answer.layer(Extension(it.shown_by)))
    })
}

fn at(path: &'static str, shown_by: ShownBy, answer: MethodRouter<Native>) -> Route {
    Route { path, shown_by, answer }
}

fn table() -> Vec<Route> {
    vec![
        at("/login", ShownBy::EVERYBODY, post(session::login)),
        at(
            "/acknowledge/{token}",
            ShownBy::EVERYBODY,
            get(acknowledge::ask).post(acknowledge::confirm),
        ),
        at("/oncall/{id}/ical", ShownBy::EVERYBODY, get(ical::answer)),
        at("/logout", ShownBy::EVERYBODY, post(session::logout)),
        at("/session", ShownBy::EVERYBODY, get(session::session)),
        at("/overview", ShownBy::OVERVIEW, get(overview)),
        at("/overview/loads", ShownBy::OVERVIEW, get(overview_loads)),
        at("/problems", ShownBy::PROBLEMS, get(problems::snapshot)),
        at("/hosts", ShownBy::EVERYBODY, get(hosts::list)),
        at("/hosts/ids", ShownBy::EVERYBODY, get(hosts::all_ids)),
        at("/hosts/names", ShownBy::EVERYBODY, get(hosts::names)),
        at(
            "/hosts/{hostid}/dashboards/{dashboardid}",
            ShownBy::EVERYBODY,
            get(hosts::dashboard::answer),
        ),
        at("/latest", ShownBy::LATEST, get(latest)),
        at("/series", ShownBy::EVERYBODY, get(series)),
        at("/origin", ShownBy::EVERYBODY, get(origin)),
        at("/events/{eventid}/explain", ShownBy(&[Problems, Dashboard]), get(explain_event)),
        at("/views", ShownBy::EVERYBODY, get(list_views).post(keep_view)),
        at("/maintenance/calendar", ShownBy(&[Maintenance]), get(maintenance_calendar)),
        at("/maps/{id}", ShownBy::EVERYBODY, get(maps::map)),
        at("/images/{id}", ShownBy::EVERYBODY, get(maps::image)),
        at("/queue", ShownBy(&[Queue]), get(queue)),
        at("/workers", ShownBy(&[SystemInformation]), get(list_workers)),
        at("/users/seen", ShownBy(&[Users]), get(users_seen)),
        at("/storage", ShownBy(&[Housekeeping, SystemInformation]), get(storage_figures)),
        at("/storage/largest", ShownBy(&[Housekeeping, SystemInformation]), get(storage_largest)),
        at("/check/expression", ShownBy::EVERYBODY, post(expression)),
        at("/check/key", ShownBy::EVERYBODY, post(key)),
        at("/check/interval", ShownBy::EVERYBODY, post(interval)),
        at("/check/regexp", ShownBy::EVERYBODY, post(regexp)),
        at("/test/item", ShownBy(&[Hosts, Templates]), post(test_item)),
        at("/test/interface", ShownBy(&[Hosts]), post(test_interface)),
        at("/test/mediatype", ShownBy(&[MediaTypes]), post(test_mediatype)),
        at("/test/expression", ShownBy(&[Hosts, Templates]), post(test_expression)),
        at("/backtest", ShownBy(&[Hosts, Templates]), post(backtest_answer::answer)),
        at("/import", ShownBy(&[Hosts, Templates, Maps, MediaTypes]), post(run_import)),
        at("/import/preview", ShownBy(&[Hosts, Templates, Maps, MediaTypes]), post(preview_import)),
        at("/stream", ShownBy::EVERYBODY, get(stream::open)),
    ]
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

async fn list_workers(State(shared): State<Arc<ApiState>>, request: Request<Body>) -> Response {
    answer_text(shared, request, |ctx| Ok(workers::list(ctx)?.to_string())).await
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

#[cfg(test)]
mod tests {
    use model::RoleId;
    use model::content::{ApiMethods, Granted, Role, RoleType, ServiceAccess};

    use super::*;

    #[test]
    fn addresses_belong_to_parts_of_the_pages() {
        let of_problems = Role {
            roleid: RoleId(9),
            name: "test".to_owned(),
            kind: RoleType::User,
            readonly: false,
            api_access: true,
            api_methods: ApiMethods::default(),
            ui: Granted::of(RoleType::User, |it| it == Problems),
            actions: Granted::of(RoleType::User, |_| false),
            services_read: ServiceAccess::default(),
            services_write: ServiceAccess::default(),
        };
        for (path, is_allowed) in [
            ("/problems", true),
            ("/events/{eventid}/explain", true),
            ("/overview", false),
            ("/overview/loads", false),
            ("/latest", false),
            ("/storage/largest", false),
            ("/session", true),
            ("/stream", true),
        ] {
            let found = table().into_iter().find(|it| it.path == path).expect("it is an address");
            assert_eq!(found.shown_by.is_shown(&of_problems), is_allowed, "{path}");
        }
    }
}
