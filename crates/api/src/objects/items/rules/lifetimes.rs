//! How long a discovery rule keeps what it lost.

use model::content::ItemContent;

use super::by_type::Wish;
use super::single::{self, HOUR_S, Macros, PERIOD_MAX_S};
use crate::error::ApiError;
use crate::json::{Fields, str_of, text};

const AFTER: &str = "0";
const AT_ONCE: &str = "2";

/// Both periods with their types; a period that its type does not use is 0.
pub(super) fn check(wish: &Wish<'_>) -> Result<(), ApiError> {
    let deleted = now(wish, "lifetime_type", AFTER);
    check_period(wish, "lifetime", deleted == AFTER)?;
    if deleted == AT_ONCE {
        wish.one_of("enabled_lifetime_type", &[AT_ONCE])?;
    }
    let disabled = now(wish, "enabled_lifetime_type", AT_ONCE);
    check_period(wish, "enabled_lifetime", deleted != AT_ONCE && disabled == AFTER)?;
    if deleted != AFTER || disabled != AFTER {
        return Ok(());
    }
    let seconds =
        |name: &str, default: &str| formats::number::parse_duration_s(&now(wish, name, default));
    if let (Some(delete_s), Some(disable_s)) =
        (seconds("lifetime", "7d"), seconds("enabled_lifetime", "0"))
        && disable_s >= delete_s
        && (disable_s, delete_s) != (0, 0)
    {
        let other = wish.at("lifetime");
        let what = format!("cannot be greater than or equal to the value of parameter \"{other}\"");
        return wish.wrong("enabled_lifetime", &what);
    }
    Ok(())
}

fn now(wish: &Wish<'_>, name: &str, default: &str) -> String {
    match wish.now(name) {
        it if it.is_empty() => default.to_owned(),
        it => it.into_owned(),
    }
}

fn check_period(wish: &Wish<'_>, name: &str, counts: bool) -> Result<(), ApiError> {
    match wish.given(name) {
        Some(it) if counts => {
            single::period(it, true, (HOUR_S, PERIOD_MAX_S), Macros::User, &wish.at(name))
        }
        Some(it) => wish.no_time(name, it),
        None => Ok(()),
    }
}

/// Periods that a new type does not use are none.
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
