//! Objects that Saker does not have yet: there are none of them, and their get methods say so.
//!
//! Clients ask for proxies, maintenances or services beside what they are after; an empty list is
//! the truth, an error would stop them. Their other methods do not exist.

use std::sync::OnceLock;

use db::objects::ABSENT;
use model::content::RoleType;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::method::Method;
use crate::query::is_true;
use crate::shared::Ctx;

/// Those that Zabbix tells nobody else of.
const FOR_SUPER_ADMINS: &[&str] = &["mfa", "module", "userdirectory"];

/// Their get methods.
pub(crate) fn methods() -> &'static [Method] {
    static METHODS: OnceLock<Vec<Method>> = OnceLock::new();
    METHODS.get_or_init(|| {
        let named = ABSENT.iter().map(|it| -> &'static str { format!("{it}.get").leak() });
        let method = |it: &'static str| {
            let is_for_all =
                !FOR_SUPER_ADMINS.iter().any(|of| it.strip_suffix(".get") == Some(*of));
            let least = if is_for_all { RoleType::User } else { RoleType::SuperAdmin };
            Method::read(it, none).of(least)
        };
        named.map(method).collect()
    })
}

fn none(_: &Ctx, params: &Value) -> Result<Value, ApiError> {
    Ok(if is_true(params.get("countOutput")) { json!("0") } else { json!([]) })
}
