//! Views of the problem list, which users keep for themselves: filters with a name.

use db::UserView;
use serde_json::{Map, Value, json};

use crate::error::{ApiError, param};
use crate::shared::Ctx;

/// The most views of one user: one more is refused.
const VIEWS_MAX: i64 = 50;
const NAME_CHARS_MAX: usize = 60;
/// The longest search that the pages write into the address.
const SEARCH_BYTES_MAX: usize = 4_096;

/// `GET /api/v1/views`: the caller's views, by name.
pub(super) fn list(ctx: &Ctx) -> Result<Value, ApiError> {
    let found = ctx.db().views().of(ctx.rights.userid);
    let views = found.into_iter().map(|it| {
        // A search that cannot be read is a view without filters.
        let search: Map<String, Value> = serde_json::from_str(&it.search).unwrap_or_default();
        json!({"name": it.name, "search": search})
    });
    Ok(json!({"views": views.collect::<Value>()}))
}

/// `POST /api/v1/views`: `{"name", "search": {…}}` stores a view in place of one of the same name, `{"name",
/// "search": null}` deletes it. Returns all views then.
pub(super) fn keep(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    let name = body.get("name").and_then(Value::as_str).unwrap_or_default().trim();
    if name.is_empty() {
        return Err(ApiError::field(param("name"), "cannot be empty"));
    }
    if NAME_CHARS_MAX < name.chars().count() {
        return Err(ApiError::field(param("name"), "value is too long"));
    }
    let (views, user) = (ctx.db().views(), ctx.rights.userid);
    match body.get("search") {
        Some(Value::Null) => views.forget(user, name)?,
        Some(Value::Object(search)) => {
            let search = Value::Object(search.clone()).to_string();
            if SEARCH_BYTES_MAX < search.len() {
                return Err(ApiError::field(param("search"), "value is too long"));
            }
            let view = UserView { name: name.to_owned(), search };
            if !views.keep(user, view, VIEWS_MAX)? {
                return Err(ApiError::field(param("name"), "there are 50 views already"));
            }
        }
        _ => return Err(ApiError::field(param("search"), "an object or null is expected")),
    }
    list(ctx)
}
