//! A dashboard of a template as one of its hosts shows it: `GET /api/v1/hosts/<hostid>/dashboards/<dashboardid>`.
//!
//! Widgets name items and graphs of the template, which users who may read the host need not see. Here they
//! name the host's inherited objects, so that nothing of the template is requested. The answer has the fields
//! of `templatedashboard.get`; fields of widgets whose object the host does not have are left out.

use std::sync::Arc;

use axum::body::Body as HttpBody;
use axum::extract::{Path, State};
use axum::http::Request;
use axum::response::Response;
use db::objects::dashboard::{
    GRAPH, GRAPH_PROTOTYPE, ITEM, ITEM_PROTOTYPE, TEMPLATE_DASHBOARD, reference,
};
use model::content::ItemFlags;
use model::document::Body;
use model::snapshot::Host;
use model::{GraphId, HostId, ItemId};
use serde_json::{Value, json};

use super::super::request::answer_text;
use crate::error::ApiError;
use crate::objects::common::holder::dashboards;
use crate::shared::{ApiState, Ctx};

pub(in crate::native) async fn answer(
    State(shared): State<Arc<ApiState>>,
    Path((host, dashboard)): Path<(String, String)>,
    request: Request<HttpBody>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(shown(ctx, &host, &dashboard)?.to_string())).await
}

fn shown(ctx: &Ctx, host: &str, dashboard: &str) -> Result<Value, ApiError> {
    let found = host.parse().ok().and_then(|id| ctx.snapshot.hosts.get(&HostId(id)));
    let host = found.filter(|it| ctx.may_read(it)).ok_or_else(ApiError::no_permissions)?;
    let id = dashboard.parse::<u64>().ok();
    let document = dashboards(ctx, host).into_iter().find(|it| Some(it.id) == id);
    let document = document.ok_or_else(ApiError::no_permissions)?;
    let own = |it: &Value| matches!(it, Value::Object(field) if !is_missing(field));
    let mut body = document.body.clone();
    for page in objects(&mut body, "pages") {
        for widget in objects(page, "widgets") {
            if let Some(Value::Array(fields)) = widget.get_mut("fields") {
                fields.iter_mut().filter_map(Value::as_object_mut).for_each(|it| {
                    to_host(ctx, host, it);
                });
                fields.retain(own);
            }
        }
    }
    body.insert(TEMPLATE_DASHBOARD.object.id.to_owned(), json!(document.id.to_string()));
    Ok(Value::Object(body))
}

/// The objects of a list in a body.
fn objects<'a>(of: &'a mut Body, name: &str) -> impl Iterator<Item = &'a mut Body> {
    let list = of.get_mut(name).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Whether the object of a field does not exist.
fn is_missing(field: &Body) -> bool {
    field.get("value").is_some_and(Value::is_null)
}

/// Puts the host's object in the place of the template's; nothing (`null`) where it has none.
fn to_host(ctx: &Ctx, host: &Host, field: &mut Body) {
    let Some((kind, id)) = reference(field) else { return };
    let own = match kind {
        ITEM | ITEM_PROTOTYPE => ctx.snapshot.item(ItemId(id)).and_then(|(_, named)| {
            let own = host.item_by_key(&named.key())?;
            let is_prototype = |it: ItemFlags| it == ItemFlags::Prototype;
            (is_prototype(own.flags) == (kind == ITEM_PROTOTYPE)).then_some(own.id.0)
        }),
        GRAPH | GRAPH_PROTOTYPE => ctx.snapshot.graph(GraphId(id)).and_then(|(_, named)| {
            let name = named.name();
            let is_same = |it: &&model::snapshot::GraphRow| {
                it.is_live() == (kind == GRAPH) && it.name() == name
            };
            host.graphs.iter().find(is_same).map(|it| it.id.0)
        }),
        _ => return,
    };
    let value = own.map_or(Value::Null, |it| json!(it.to_string()));
    field.insert("value".to_owned(), value);
}
