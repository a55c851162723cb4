//! How long a discovery rule keeps lost objects.

use model::content::ItemContent;

use super::by_type::ItemRequest;
use super::single::{self, HOUR_S, Macros, PERIOD_MAX_S};
use crate::error::ApiError;
use crate::json::{Fields, str_of, text};

const AFTER: &str = "0";
const AT_ONCE: &str = "2";

/// Both periods with their types; a period that its type does not use is 0.
pub(super) fn check(request: &ItemRequest<'_>) -> Result<(), ApiError> {
    let deleted = now(request, "lifetime_type", AFTER);
    check_period(request, "lifetime", deleted == AFTER)?;
    if deleted == AT_ONCE {
        request.one_of("enabled_lifetime_type", &[AT_ONCE])?;
    }
    let disabled = now(request, "enabled_lifetime_type", AT_ONCE);
    check_period(request, "enabled_lifetime", deleted != AT_ONCE && disabled == AFTER)?;
    if deleted != AFTER || disabled != AFTER {
        return Ok(());
    }
    let seconds =
        |name: &str, default: &str| formats::number::parse_duration_s(&now(request, name, default));
    if let (Some(delete_s), Some(disable_s)) =
        (seconds("lifetime", "7d"), seconds("enabled_lifetime", "0"))
        && disable_s >= delete_s
        && (disable_s, delete_s) != (0, 0)
    {
        let other = request.at("lifetime");
        let what = format!("cannot be greater than or equal to the value of parameter \"{other}\"");
        return request.wrong("enabled_lifetime", &what);
    }
    Ok(())
}

fn now(request: &ItemRequest<'_>, name: &str, default: &str) -> String {
    match request.now(name) {
        it if it.is_empty() => default.to_owned(),
        it => it.into_owned(),
    }
}

fn check_period(request: &ItemRequest<'_>, name: &str, counts: bool) -> Result<(), ApiError> {
    match request.given(name) {
        Some(it) if counts => {
            single::period(it, true, (HOUR_S, PERIOD_MAX_S), Macros::User, &request.at(name))
        }
        Some("0") | None => Ok(()),
        Some(_) => request.wrong(name, "value must be \"0\""),
    }
}

/// Periods that a new type does not use are reset.
pub(super) fn fill(fields: &mut Fields, old: Option<&ItemContent>) {
    if old.is_some() && fields.get("lifetime_type").is_none() {
        return;
    }
    let deleted = str_of(fields, "lifetime_type").to_owned();
    if matches!(&*deleted, "1" | "2") {
        fields.entry("lifetime").or_insert_with(|| text("0"));
    }
    if deleted == AT_ONCE {
        fields.entry("enabled_lifetime_type").or_insert_with(|| text(AT_ONCE));
        fields.entry("enabled_lifetime").or_insert_with(|| text("0"));
    }
}
