//! Objects that Saker does not have yet: there are none of them, and their get methods say so.
//!
//! Clients ask for proxies, maintenances or services beside what they are after; an empty list is
//! the truth, an error would stop them. Their other methods do not exist.

use serde_json::{Value, json};

use crate::error::ApiError;
use crate::objects::Method;
use crate::query::is_true;
use crate::shared::Ctx;

/// To take one out: its own file exists now.
pub(crate) const METHODS: &[Method] = &[
    Method::read("action.get", none),
    Method::read("alert.get", none),
    Method::read("correlation.get", none),
    Method::read("dashboard.get", none),
    Method::read("drule.get", none),
    Method::read("graph.get", none),
    Method::read("graphitem.get", none),
    Method::read("graphprototype.get", none),
    Method::read("hostprototype.get", none),
    Method::read("httptest.get", none),
    Method::read("image.get", none),
    Method::read("maintenance.get", none),
    Method::read("map.get", none),
    Method::read("mediatype.get", none),
    Method::read("proxy.get", none),
    Method::read("proxygroup.get", none),
    Method::read("report.get", none),
    Method::read("script.get", none),
    Method::read("service.get", none),
    Method::read("sla.get", none),
    Method::read("task.get", none),
    Method::read("templatedashboard.get", none),
];

fn none(_: &Ctx, params: &Value) -> Result<Value, ApiError> {
    Ok(if is_true(params.get("countOutput")) { json!("0") } else { json!([]) })
}
