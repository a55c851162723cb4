//! A map as pages draw it: `GET /api/v1/maps/<sysmapid>?severity_min=…`, and the bytes of an image:
//! `GET /api/v1/images/<imageid>`.
//!
//! Host groups that show each host are expanded to their hosts, labels are expanded, and each element has its
//! icon and the state of its objects, as far as the caller may see them.

mod elements;
mod item_looks;
mod labels;
mod names;
mod states;

use std::sync::Arc;

use axum::body::Body as HttpBody;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use db::objects::image;
use db::objects::map::{MAP, OF_ITEM, list, number, text};
use model::document::{Body, Document};
use model::map::Set;
use serde_json::{Map, Value, json};

use self::elements::{Element, Elements};
use self::labels::Labels;
use self::states::{LinkStates, State as ElementState, States};
use super::request::{self, Params, answer_text};
use super::session;
use crate::error::ApiError;
use crate::http::body::failed;
use crate::objects::maps::{rights, urls};
use crate::shared::{ApiState, Ctx};

const SEVERITY_MAX: i64 = 5;
/// An image of one id and version is always the same.
const IMAGE_KEPT: &str = "private, max-age=60";

pub(super) async fn map(
    State(shared): State<Arc<ApiState>>,
    Path(id): Path<String>,
    Query(params): Query<Params>,
    request: Request<HttpBody>,
) -> Response {
    answer_text(shared, request, move |ctx| Ok(drawn(ctx, &id, &params)?.to_string())).await
}

/// A map as the caller sees it.
fn drawn(ctx: &Ctx, id: &str, params: &Params) -> Result<Value, ApiError> {
    let found = id.parse().ok().and_then(|id| ctx.snapshot.documents.get(MAP.object.name, id));
    let map = found.filter(|it| rights::permission(ctx, it) >= rights::READ);
    let map = map.ok_or_else(ApiError::no_permissions)?;
    let of_map = number(&map.body, "severity_min");
    let severity_min = request::number(params, "severity_min", of_map, SEVERITY_MAX)?;
    let elements = Elements::of(ctx, map);
    let links = LinkStates::new(&map.body);
    let (states, links) = States::of(ctx, map, &elements, links, severity_min.max(0));
    let labels = Labels::new(ctx, map);
    let mut images: Set<u64> = Set::default();
    images.extend(map.text("backgroundid").parse::<u64>());
    let written = elements.all.iter().zip(&states.each).map(|(element, state)| {
        let icon = icon(element, state);
        images.insert(icon);
        let mut written = one(&labels, map, element, state);
        written.insert("iconid".to_owned(), json!(icon.to_string()));
        Value::Object(written)
    });
    let written: Vec<Value> = written.collect();
    let areas = elements.areas.iter().map(|it| {
        json!({"selementid": it.selementid, "x": it.x, "y": it.y, "width": it.width,
            "height": it.height, "name": it.name, "hidden": it.n_hidden})
    });
    let mut answer = head(ctx, map);
    answer.insert("clock".to_owned(), json!(ctx.now.clock()));
    answer.insert("severity_min".to_owned(), json!(severity_min));
    answer.insert("elements".to_owned(), Value::Array(written));
    answer.insert("areas".to_owned(), areas.collect());
    answer.insert("links".to_owned(), drawn_links(ctx, &labels, map, &elements, &links));
    answer.insert("shapes".to_owned(), shapes(&labels, &map.body));
    answer.insert("lines".to_owned(), list(&map.body, "lines").cloned().collect());
    answer.insert("images".to_owned(), sizes(ctx, &images));
    Ok(Value::Object(answer))
}

/// The fields of the map itself.
fn head(ctx: &Ctx, map: &Document) -> Map<String, Value> {
    let fields = MAP.object.output_fields().filter(|it| it.name != "severity_min");
    let fields = fields.filter_map(|it| Some((it.name.to_owned(), map.body.get(it.name)?.clone())));
    let mut head: Map<String, Value> = fields.collect();
    head.insert("sysmapid".to_owned(), json!(map.id.to_string()));
    let may_write = rights::permission(ctx, map) >= rights::WRITE;
    head.insert("writable".to_owned(), json!(may_write));
    head
}

fn one(
    labels: &Labels<'_>,
    map: &Document,
    element: &Element<'_>,
    state: &ElementState,
) -> Map<String, Value> {
    let expand = |it: &str| labels.text(element, state, it);
    let addresses = if element.is_readable {
        urls::of_element(&map.body, element.body, expand)
    } else {
        Vec::new()
    };
    let addresses: Vec<Value> =
        addresses.into_iter().map(|(name, url)| json!({"name": name, "url": url})).collect();
    let label = if element.is_readable { labels.of(element, state) } else { None };
    let location = match number(element.body, "label_location") {
        -1 => number(&map.body, "label_location"),
        it => it,
    };
    let written = json!({
        "id": element.id,
        "selementid": text(element.body, "selementid"),
        "elementtype": element.kind,
        "x": element.x,
        "y": element.y,
        "centered": element.is_centered,
        "cell": element.cell,
        "zindex": number(element.body, "zindex"),
        "readable": element.is_readable,
        "name": if element.is_readable { element.name.as_str() } else { "" },
        "targets": if element.is_readable { element.targets.as_slice() } else { &[] },
        // None: neither label nor status.
        "label": label,
        "label_location": location,
        "always": shows_label(&map.body, "show_element_label", element.body),
        "urls": addresses,
        "state": state.written(),
    });
    match written {
        Value::Object(it) => it,
        _ => Map::new(),
    }
}

/// Whether a label is always shown, or only while the pointer is on its part.
fn shows_label(map: &Body, of_all: &str, part: &Body) -> bool {
    match text(part, "show_label") {
        "0" => false,
        "1" => true,
        _ => text(map, of_all) != "0",
    }
}

/// The icon by the state of an element's objects.
fn icon(element: &Element<'_>, state: &ElementState) -> u64 {
    let of = |name: &str| text(element.body, name).parse::<u64>().ok().filter(|it| *it != 0);
    let usual = || of("iconid_off").unwrap_or_default();
    if let Some(mapped) = element.mapped_icon {
        return mapped;
    }
    let special = if !element.is_readable {
        None
    } else if state.n_problems > 0 {
        of("iconid_on")
    } else if state.is_in_maintenance() {
        of("iconid_maintenance")
    } else if state.is_disabled() {
        of("iconid_disabled")
    } else {
        None
    };
    special.unwrap_or_else(usual)
}

/// Links between drawn elements: of an expanded host group, one to each host.
fn drawn_links(
    ctx: &Ctx,
    labels: &Labels<'_>,
    map: &Document,
    elements: &Elements<'_>,
    states: &LinkStates,
) -> Value {
    let mut written = Vec::new();
    for link in list(&map.body, "links") {
        let id = text(link, "linkid");
        let look = match text(link, "indicator_type") {
            OF_ITEM => item_looks::look(ctx, link),
            _ => states.look(id),
        };
        let is_problem = look.is_some();
        let (color, drawtype) =
            look.unwrap_or_else(|| (text(link, "color").to_owned(), number(link, "drawtype")));
        let label = labels.of_link(elements.of_part(text(link, "selementid1")).next(), link);
        for from in elements.of_part(text(link, "selementid1")) {
            for to in elements.of_part(text(link, "selementid2")) {
                written.push(json!({
                    "id": format!("{id}:{}:{}", from.id, to.id), "linkid": id, "from": from.id,
                    "to": to.id, "color": color, "drawtype": drawtype, "label": label,
                    "problem": is_problem, "always": shows_label(&map.body, "show_link_label", link),
                }));
            }
        }
    }
    Value::Array(written)
}

fn shapes(labels: &Labels<'_>, body: &Body) -> Value {
    let each = list(body, "shapes").map(|it| {
        let mut shape = it.clone();
        shape.insert("text".to_owned(), json!(labels.of_map(text(it, "text"))));
        Value::Object(shape)
    });
    each.collect()
}

fn sizes(ctx: &Ctx, images: &Set<u64>) -> Value {
    let sizes = images.iter().filter_map(|id| {
        let (width, height) = image::size(ctx.snapshot.documents.get("image", *id)?)?;
        Some((id.to_string(), json!([width, height])))
    });
    Value::Object(sizes.collect())
}

/// An image as a file. All users may see all images.
pub(super) async fn image(
    State(shared): State<Arc<ApiState>>,
    Path(id): Path<String>,
    request: Request<HttpBody>,
) -> Response {
    if let Err(response) = session::caller(&shared, &request) {
        return response;
    }
    let snapshot = shared.db.snapshot();
    let found = id.parse().ok().and_then(|id| snapshot.documents.get("image", id));
    let Some(document) = found else {
        return failed(StatusCode::NOT_FOUND, "No such image.");
    };
    let bytes = image::bytes(document);
    let mut headers = HeaderMap::new();
    let kind = HeaderValue::from_static(image::media_type(&bytes));
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(IMAGE_KEPT));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    (headers, bytes).into_response()
}
