//! Housekeeping: storage periods.

use model::content::UiElement;
use std::sync::Arc;

use model::describe::{
    FLAG, Field, FieldType, Nouns, Object, Params, RoleRule, Rule, RulesSee, Unknown, Writes,
};
use model::document::Body;
use model::settings::{EventPeriods, Housekeeping};
use model::snapshot::Snapshot;

use super::text_formats::{self, is_on};
use super::{Edited, StoragePlace, Stored};

const DAY: u64 = 86_400;
/// The longest period of Zabbix: 25 years.
const MAX: u64 = 25 * 365 * DAY;

/// Unless it is set otherwise.
const SERVICES_S: i64 = 365 * 86_400;

const fn period(name: &'static str, default: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldType::Text { max: 32 }, Rule::Default(default), doc).or_number()
}

const fn switch(name: &'static str, default: &'static str, doc: &'static str) -> Field {
    Field::new(name, FLAG, Rule::Default(default), doc)
}

const OBJECT: Object = Object {
    name: "housekeeping",
    type_name: "Housekeeping",
    nouns: Nouns { one: "the housekeeping settings", several: "the housekeeping settings" },
    resource: Some(41),
    role: RoleRule::one_of(&[UiElement::Housekeeping]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "",
    ids: "",
    fields: &[
        switch("hk_events_mode", "1", "Old events are deleted"),
        period("hk_events_trigger", "365d", "For how long events of triggers are kept")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        period("hk_events_service", "1d", "For how long events of services are kept")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        period("hk_events_internal", "1d", "For how long internal events are kept")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        period("hk_events_discovery", "1d", "For how long events of network discovery are kept")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        period("hk_events_autoreg", "1d", "For how long events of autoregistration are kept")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        switch("hk_services_mode", "1", "Old changes of the status of services are deleted"),
        period("hk_services", "365d", "For how long changes of the status of services are kept")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        switch("hk_audit_mode", "1", "Old records of the audit log are deleted"),
        period("hk_audit", "31d", "For how long records of the audit log are kept")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        switch("hk_sessions_mode", "1", "Sessions that were not used for long are deleted"),
        period("hk_sessions", "365d", "For how long sessions are kept after their last use")
            .shaped(&text_formats::period::<DAY, MAX>())
            .never_empty(),
        switch("hk_history_mode", "1", "Values past their period are removed"),
        switch("hk_history_global", "0", "`hk_history` counts in place of items' own periods"),
        period("hk_history", "31d", "For how long values are kept; 0: not at all")
            .shaped(&text_formats::period_or_zero::<3_600, MAX>())
            .never_empty(),
        switch("hk_trends_mode", "1", "Trends past their period are removed"),
        switch("hk_trends_global", "0", "`hk_trends` counts in place of items' own periods"),
        period("hk_trends", "365d", "For how long trends are kept; 0: not at all")
            .shaped(&text_formats::period_or_zero::<DAY, MAX>())
            .never_empty(),
        Field::new(
            "db_extension",
            FieldType::Text { max: 32 },
            Rule::ReadOnly,
            "Always empty: stores of history compress by themselves",
        ),
        switch("compression_status", "0", "Kept; stores of history compress by themselves"),
        period("compress_older", "7d", "Kept; stores of history compress by themselves")
            .shaped(&text_formats::period::<{ 7 * DAY }, MAX>())
            .never_empty(),
        Field::new("compression_availability", FLAG, Rule::ReadOnly, "Always 0"),
    ],
    selects: &[],
    params: Params::of(&[]).strict(),
    sort: &[],
    doc: "What is kept for how long. There is one, of which get answers the fields themselves",
};

pub static HOUSEKEEPING: Stored = Stored {
    place: StoragePlace::Single,
    made_with: &[("db_extension", ""), ("compression_availability", "0")],
    project,
    concerns: super::Concerns::Globals,
    ..Stored::new(OBJECT, Edited::Plainly, &[], "", r#"{"hk_events_trigger": "180d"}"#)
};

#[expect(clippy::unnecessary_wraps, reason = "as others of its kind")]
fn project(snapshot: &mut Snapshot, _: u64, body: Option<&Body>) -> Result<(), serde_json::Error> {
    let made = body.map_or_else(Housekeeping::default, of);
    let globals = Arc::make_mut(&mut snapshot.globals);
    Arc::make_mut(&mut globals.settings).housekeeping = made;
    Ok(())
}

fn of(body: &Body) -> Housekeeping {
    let default = EventPeriods::default();
    let seconds = |name: &str, default: i64| text_formats::seconds(body, name).unwrap_or(default);
    let kept = |switch: &str, name: &str| {
        text_formats::seconds(body, name).filter(|_| is_on(body, switch))
    };
    Housekeeping {
        events: is_on(body, "hk_events_mode").then(|| EventPeriods {
            trigger_s: seconds("hk_events_trigger", default.trigger_s),
            service_s: seconds("hk_events_service", default.service_s),
            internal_s: seconds("hk_events_internal", default.internal_s),
            discovery_s: seconds("hk_events_discovery", default.discovery_s),
            autoregistration_s: seconds("hk_events_autoreg", default.autoregistration_s),
        }),
        audit_s: kept("hk_audit_mode", "hk_audit"),
        sessions_s: kept("hk_sessions_mode", "hk_sessions"),
        expires_history: is_on(body, "hk_history_mode"),
        expires_trends: is_on(body, "hk_trends_mode"),
        history_s: kept("hk_history_global", "hk_history"),
        trends_s: kept("hk_trends_global", "hk_trends"),
    }
}

/// For how many seconds changes of the status of services are kept; `None`: for ever.
pub(crate) fn services_s(snapshot: &Snapshot) -> Option<i64> {
    let Some(document) = snapshot.documents.of(OBJECT.name).next() else {
        return Some(SERVICES_S);
    };
    let body = &document.body;
    text_formats::seconds(body, "hk_services").filter(|_| is_on(body, "hk_services_mode"))
}
