//! Objects that Saker does not have yet: there are none of them, and their get methods say so.
//!
//! Clients ask for proxies, maintenances or services in addition to other objects. An empty list is true, an
//! error would stop them. Their other methods do not exist.

use std::sync::OnceLock;

use db::objects::{ABSENT, Absent};
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::method::Method;
use crate::query::is_true;
use crate::shared::Ctx;

/// Their get methods.
pub(crate) fn methods() -> &'static [Method] {
    static METHODS: OnceLock<Vec<Method>> = OnceLock::new();
    METHODS.get_or_init(|| {
        let method = |it: &Absent| {
            // Once in the life of the process.
            let name: &'static str = format!("{}.get", it.name).leak();
            Method::read(name, none).of(it.read)
        };
        ABSENT.iter().map(method).collect()
    })
}

fn none(_: &Ctx, params: &Value) -> Result<Value, ApiError> {
    Ok(if is_true(params.get("countOutput")) { json!("0") } else { json!([]) })
}
