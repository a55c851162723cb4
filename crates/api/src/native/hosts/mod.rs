//! The list of hosts, a window at a time: searched, filtered and sorted here, from memory.
//!
//! - `GET /api/v1/hosts` answers `{"total", "hosts"}`: how many hosts the filter admits, and those at
//!   `offset`, at most `limit`, in the order of `sort`.
//! - `GET /api/v1/hosts/ids`, with the same filter, answers `{"hostids"}`: all that it admits.
//! - `GET /api/v1/hosts/names` answers `{"hosts"}`, ids and names alone: of `hostids`, else the best `limit` hits
//!   of `q` in names. For fields that select hosts.
//!
//! A filter is `q` (each word in a name, an address, a group, a template, a tag or the inventory), `groupids`
//! (with the groups below them), `templateids`, `tags` (as those of `host.get`), `status` and `availability`.

pub(super) mod dashboard;
mod find;
pub(super) mod index;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::Request;
use axum::response::Response;
use model::HostId;
use model::snapshot::Host;
use serde_json::{Value, json};

use self::find::{Filter, Order};
use self::index::{Counts, HostIndex, Index, IndexedHost};
use super::request::{Params, answer_text, ids, number};
use crate::error::ApiError;
use crate::objects::common::holder;
use crate::shared::{ApiState, Ctx};

const ROWS: i64 = 100;
/// The most rows of an answer: more than any screen shows.
const ROWS_MAX: i64 = 1_000;
const NAMES: i64 = 50;

pub(super) async fn list(
    State(shared): State<Arc<ApiState>>,
    State(kept): State<Arc<HostIndex>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(rows(ctx, &kept, &params)?.to_string())).await
}

pub(super) async fn all_ids(
    State(shared): State<Arc<ApiState>>,
    State(kept): State<Arc<HostIndex>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(found_ids(ctx, &kept, &params)?.to_string())).await
}

pub(super) async fn names(
    State(shared): State<Arc<ApiState>>,
    State(kept): State<Arc<HostIndex>>,
    Query(params): Query<Params>,
    request: Request<Body>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(named(ctx, &kept, &params)?.to_string())).await
}

fn size(params: &Params, name: &str, default: i64, max: i64) -> Result<usize, ApiError> {
    Ok(usize::try_from(number(params, name, default, max)?).unwrap_or(0))
}

fn rows(ctx: &Ctx, kept: &HostIndex, params: &Params) -> Result<Value, ApiError> {
    let (filter, order) = (Filter::parse(params)?, Order::parse(params)?);
    let at = (size(params, "offset", 0, i64::MAX)?, size(params, "limit", ROWS, ROWS_MAX)?);
    let index = kept.get(&ctx.snapshot);
    let found = find::find(ctx, &index, &filter);
    let shown = find::window(ctx, &index, &found, order, at);
    let rows = entries(&index, &shown).filter_map(|it| ctx.snapshot.hosts.get(&it.id));
    let rows: Vec<Value> = rows.map(|it| row(ctx, it)).collect();
    Ok(json!({"total": found.len(), "hosts": rows}))
}

fn found_ids(ctx: &Ctx, kept: &HostIndex, params: &Params) -> Result<Value, ApiError> {
    let filter = Filter::parse(params)?;
    let index = kept.get(&ctx.snapshot);
    let found = find::find(ctx, &index, &filter);
    let ids: Vec<String> = entries(&index, &found).map(|it| it.id.to_string()).collect();
    Ok(json!({"hostids": ids}))
}

fn named(ctx: &Ctx, kept: &HostIndex, params: &Params) -> Result<Value, ApiError> {
    let limit = size(params, "limit", NAMES, ROWS_MAX)?;
    let name = |id: &HostId| {
        let host = ctx.snapshot.hosts.get(id).filter(|it| ctx.may_read(it))?;
        Some(json!({"hostid": id.to_string(), "name": host.name}))
    };
    let hosts: Vec<Value> = match ids(params, "hostids")? {
        Some(ids) => ids.into_iter().take(limit).filter_map(|it| name(&HostId(it))).collect(),
        None => {
            let index = kept.get(&ctx.snapshot);
            let found = find::by_name(ctx, &index, &find::words(params), limit);
            entries(&index, &found).filter_map(|it| name(&it.id)).collect()
        }
    };
    Ok(json!({"hosts": hosts}))
}

fn entries<'i>(index: &'i Index, found: &[u32]) -> impl Iterator<Item = &'i IndexedHost> {
    found.iter().filter_map(|at| index.entries.get(usize::try_from(*at).ok()?))
}

/// With the names that `host.get` gives its fields.
fn row(ctx: &Ctx, host: &Arc<Host>) -> Value {
    let Counts { items, triggers, discoveries } = Counts::of(host);
    let availability = ctx.db().availability();
    let interfaces = host.interfaces.iter().map(|it| {
        let state = availability.get(it.interfaceid);
        json!({
            "interfaceid": it.interfaceid.to_string(),
            "type": it.kind.code().to_string(),
            "main": u8::from(it.main).to_string(),
            "useip": u8::from(it.useip).to_string(),
            "ip": it.ip,
            "dns": it.dns,
            "port": it.port,
            "available": state.available.to_string(),
            "error": state.error,
        })
    });
    let groups = host.groups.iter().filter(|it| find::may_read_group(ctx, **it));
    let groups = groups.filter_map(|id| {
        let group = ctx.snapshot.host_groups.get(id)?;
        Some(json!({"groupid": id.to_string(), "name": group.name}))
    });
    let templates = host.templates.iter().filter_map(|id| {
        let template = ctx.snapshot.templates.get(id).filter(|it| ctx.may_read(it))?;
        Some(json!({"templateid": id.to_string(), "name": template.name}))
    });
    let tags = host.tags.iter().map(|it| json!({"tag": it.tag, "value": it.value}));
    json!({
        "hostid": host.id.to_string(),
        "host": host.host,
        "name": host.name,
        "status": host.status.code().to_string(),
        "active_available": holder::active_available(ctx, host).to_string(),
        "interfaces": interfaces.collect::<Vec<_>>(),
        "hostgroups": groups.collect::<Vec<_>>(),
        "parentTemplates": templates.collect::<Vec<_>>(),
        "tags": tags.collect::<Vec<_>>(),
        "items": items,
        "triggers": triggers,
        "discoveries": discoveries,
    })
}
