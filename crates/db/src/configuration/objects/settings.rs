//! General settings of the server and its pages.

use std::sync::Arc;

use model::content::{ItemType, UiElement};
use model::describe::{
    FLAG, Field, FieldType, Nouns, Object, Params, RoleRule, Rule, RulesSee, Unknown, Writes,
};
use model::document::Body;
use model::field_path::FieldPath;
use model::settings::{DigestRule, FlappingRule, GlobalSettings};
use model::snapshot::Snapshot;
use model::{GroupId, UserGroupId};
use serde_json::Value as Json;

use super::text_formats::{self, is_on};
use super::{Edited, StoragePlace, Stored};
use crate::error::ConfigError;

const MINUTE: u64 = 60;
const HOUR: u64 = 3_600;
const DAY: u64 = 86_400;
const YEAR: u64 = 365 * DAY;

/// Locales that clients may set; the pages speak English where they have no catalogue of one.
pub const LOCALES: &[&str] = &[
    "en_GB", "en_US", "bg_BG", "ca_ES", "zh_CN", "zh_TW", "cs_CZ", "nl_NL", "fi_FI", "fr_FR",
    "ka_GE", "de_DE", "el_GR", "he_IL", "hu_HU", "id_ID", "it_IT", "ko_KR", "ja_JP", "lv_LV",
    "lt_LT", "nb_NO", "fa_IR", "pl_PL", "pt_BR", "pt_PT", "ro_RO", "ru_RU", "sk_SK", "es_ES",
    "sv_SE", "tr_TR", "uk_UA", "vi_VN",
];
pub const THEMES: &[&str] = &["blue-theme", "dark-theme", "hc-light", "hc-dark"];

const TILES: &[&str] = &[
    "",
    "OpenStreetMap.Mapnik",
    "OpenTopoMap",
    "Stamen.TonerLite",
    "Stamen.Terrain",
    "USGS.USTopo",
    "USGS.USImagery",
];

/// The types of items whose time-out each field is.
const TIMEOUTS: &[(&str, &[ItemType])] = &[
    ("timeout_zabbix_agent", &[ItemType::ZabbixAgent, ItemType::ZabbixAgentActive]),
    ("timeout_simple_check", &[ItemType::Simple]),
    ("timeout_snmp_agent", &[ItemType::Snmp]),
    ("timeout_external_check", &[ItemType::External]),
    ("timeout_db_monitor", &[ItemType::Odbc]),
    ("timeout_http_agent", &[ItemType::HttpAgent]),
    ("timeout_ssh_agent", &[ItemType::Ssh]),
    ("timeout_telnet_agent", &[ItemType::Telnet]),
    ("timeout_script", &[ItemType::Script]),
    ("timeout_browser", &[ItemType::Browser]),
];

const fn text(name: &'static str, max: usize, default: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldType::Text { max }, Rule::Default(default), doc)
}

const fn period(name: &'static str, default: &'static str, doc: &'static str) -> Field {
    text(name, 32, default, doc).or_number()
}

const fn timeout(name: &'static str, default: &'static str, doc: &'static str) -> Field {
    text(name, 255, default, doc).or_number()
}

const fn color(name: &'static str, default: &'static str, doc: &'static str) -> Field {
    text(name, 6, default, doc)
}

const fn number(
    name: &'static str,
    (min, max): (i64, i64),
    default: &'static str,
    doc: &'static str,
) -> Field {
    Field::new(name, FieldType::Int { min, max }, Rule::Default(default), doc)
}

const fn switch(name: &'static str, default: &'static str, doc: &'static str) -> Field {
    Field::new(name, FLAG, Rule::Default(default), doc)
}

const fn id(name: &'static str, default: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldType::Id, Rule::Default(default), doc)
}

const KEPT: &str = "Kept; without effect";

const OBJECT: Object = Object {
    name: "settings",
    type_name: "Settings",
    nouns: Nouns { one: "the general settings", several: "the general settings" },
    resource: Some(40),
    role: RoleRule::one_of(&[UiElement::General]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "",
    ids: "",
    fields: &[
        text("default_lang", 5, "en_US", "Of the pages for users who chose none").words(LOCALES),
        text("default_timezone", 50, "system", "Kept; pages show times in the browser's zone")
            .shaped(&text_formats::ZONE_OR_SYSTEM)
            .never_empty(),
        text(
            "default_theme",
            128,
            "blue-theme",
            "Kept; users choose dark or light in their browser",
        )
        .words(THEMES)
        .never_empty(),
        number("search_limit", (1, 999_999), "1000", "Kept; lists are read as they are scrolled"),
        number("max_overview_table_size", (5, 999_999), "50", KEPT),
        number("max_in_table", (1, 99_999), "50", "Kept; cells show what has room"),
        Field::new("server_check_interval", FieldType::Code(&[0, 10]), Rule::Default("10"), KEPT),
        text("work_period", 255, "1-5,09:00-18:00", "Kept; graphs do not shade hours of work")
            .shaped(&text_formats::TIMES_OF_WEEK)
            .never_empty(),
        switch("show_technical_errors", "0", KEPT),
        period("history_period", "24h", "Kept; the newest value is shown however old it is")
            .shaped(&text_formats::period::<DAY, { 7 * DAY }>())
            .never_empty(),
        period("period_default", "1h", "Kept; pages begin with an hour")
            .shaped(&text_formats::long_period::<MINUTE, { 10 * YEAR }>())
            .never_empty(),
        period("max_period", "2y", "Kept; any range may be chosen")
            .shaped(&text_formats::long_period::<YEAR, { 10 * YEAR }>())
            .never_empty(),
        timeout("timeout_zabbix_agent", "3s", "Of agent items that have none of their own")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_simple_check", "3s", "Of simple checks that have none of their own")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_snmp_agent", "3s", "Of SNMP items that have none of their own")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_external_check", "3s", "Of external checks")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_db_monitor", "3s", "Of database monitors")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_http_agent", "3s", "Of HTTP items that have none of their own")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_ssh_agent", "3s", "Of SSH items")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_telnet_agent", "3s", "Of telnet items")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_script", "3s", "Of script items that have none of their own")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        timeout("timeout_browser", "60s", "Of browser items")
            .shaped(&text_formats::period_or_macro::<1, 600>())
            .never_empty(),
        period("socket_timeout", "3s", KEPT)
            .shaped(&text_formats::period::<1, 300>())
            .never_empty(),
        period("connect_timeout", "3s", KEPT)
            .shaped(&text_formats::period::<1, 30>())
            .never_empty(),
        period("media_type_test_timeout", "65s", KEPT)
            .shaped(&text_formats::period::<1, 300>())
            .never_empty(),
        period("script_timeout", "60s", KEPT)
            .shaped(&text_formats::period::<1, 300>())
            .never_empty(),
        period("item_test_timeout", "60s", KEPT)
            .shaped(&text_formats::period::<1, 600>())
            .never_empty(),
        period("report_test_timeout", "60s", KEPT)
            .shaped(&text_formats::period::<1, 300>())
            .never_empty(),
        switch("custom_color", "0", KEPT),
        color("problem_unack_color", "CC0000", KEPT).shaped(&text_formats::COLOR).never_empty(),
        switch("problem_unack_style", "1", KEPT),
        color("problem_ack_color", "CC0000", KEPT).shaped(&text_formats::COLOR).never_empty(),
        switch("problem_ack_style", "1", KEPT),
        color("ok_unack_color", "009900", KEPT).shaped(&text_formats::COLOR).never_empty(),
        switch("ok_unack_style", "1", KEPT),
        color("ok_ack_color", "009900", KEPT).shaped(&text_formats::COLOR).never_empty(),
        switch("ok_ack_style", "1", KEPT),
        period("ok_period", "5m", "For how long resolved problems count as recent")
            .shaped(&text_formats::period::<0, DAY>())
            .never_empty(),
        period("blink_period", "2m", "Kept; nothing blinks")
            .shaped(&text_formats::period::<0, DAY>())
            .never_empty(),
        text("severity_name_0", 32, "Not classified", "Name of severity 0").never_empty(),
        color("severity_color_0", "97AAB3", "Kept; the color of severity 0")
            .shaped(&text_formats::COLOR)
            .never_empty(),
        text("severity_name_1", 32, "Information", "Name of severity 1").never_empty(),
        color("severity_color_1", "7499FF", "Kept; the color of severity 1")
            .shaped(&text_formats::COLOR)
            .never_empty(),
        text("severity_name_2", 32, "Warning", "Name of severity 2").never_empty(),
        color("severity_color_2", "FFC859", "Kept; the color of severity 2")
            .shaped(&text_formats::COLOR)
            .never_empty(),
        text("severity_name_3", 32, "Average", "Name of severity 3").never_empty(),
        color("severity_color_3", "FFA059", "Kept; the color of severity 3")
            .shaped(&text_formats::COLOR)
            .never_empty(),
        text("severity_name_4", 32, "High", "Name of severity 4").never_empty(),
        color("severity_color_4", "E97659", "Kept; the color of severity 4")
            .shaped(&text_formats::COLOR)
            .never_empty(),
        text("severity_name_5", 32, "Disaster", "Name of severity 5").never_empty(),
        color("severity_color_5", "E45959", "Kept; the color of severity 5")
            .shaped(&text_formats::COLOR)
            .never_empty(),
        text(
            "geomaps_tile_provider",
            255,
            "OpenStreetMap.Mapnik",
            "Empty where tiles have an address; others are not asked",
        )
        .words(TILES),
        text("geomaps_tile_url", 2_048, "", "Address of the tiles of geographical maps"),
        text("geomaps_attribution", 1_024, "", "Whose tiles they are"),
        number("geomaps_max_zoom", (0, 30), "0", "Largest zoom of tiles; 0 for 18"),
        text("url", 2_048, "", "Where browsers reach the server: links in messages begin with it"),
        id("discovery_groupid", "5", "Kept; for hosts that network discovery finds"),
        Field::new(
            "default_inventory_mode",
            FieldType::Code(&[-1, 0, 1]),
            Rule::Default("-1"),
            "Inventory mode of hosts that are made without saying one",
        ),
        id("alert_usrgrpid", "7", "Kept; nobody is notified of a database that is away"),
        switch("snmptrap_logging", "1", "SNMP traps that no item takes are logged"),
        number("login_attempts", (1, 32), "5", "Failed logins after which one has to wait"),
        period("login_block", "30s", "For how long one has to wait after failed logins")
            .shaped(&text_formats::period::<30, HOUR>())
            .never_empty(),
        Field::new(
            "vault_provider",
            FieldType::Code(&[0, 1]),
            Rule::Default("0"),
            "How values of vault macros are checked: 0 HashiCorp, 1 CyberArk. Secrets are read from HashiCorp's",
        ),
        switch("validate_uri_schemes", "1", "Links may have only the schemes below"),
        text(
            "uri_valid_schemes",
            255,
            "http,https,ftp,file,mailto,tel,ssh",
            "Schemes that links may have",
        ),
        text("x_frame_options", 255, "SAMEORIGIN", "Kept; pages are never shown in frames")
            .never_empty(),
        switch("iframe_sandboxing_enabled", "1", KEPT),
        text("iframe_sandboxing_exceptions", 255, "", KEPT),
        switch("auditlog_enabled", "1", "Changes and logins are written to the audit log"),
        switch(
            "auditlog_mode",
            "1",
            "What the server does by itself is written to it as well: discovery and operations of actions",
        ),
        number(
            "flapping_changes",
            (0, 100),
            "0",
            "Saker's own: a trigger that changes so often within the period below is flapping, and its problems send \
             nothing; 0: never",
        ),
        period("flapping_period", "10m", "Saker's own: see above; 1m to 30m")
            .shaped(&text_formats::period::<60, { HOUR / 2 }>())
            .never_empty(),
        number(
            "digest_messages",
            (0, 1_000),
            "0",
            "Saker's own: so many messages to one recipient within the period below are a storm, and what follows is put \
             together into digests; 0: never",
        ),
        period("digest_period", "5m", "Saker's own: see above; 10s to 1h")
            .shaped(&text_formats::period::<10, HOUR>())
            .never_empty(),
        period("digest_interval", "10m", "Saker's own: between two digests; 10s to 1d")
            .shaped(&text_formats::period::<10, DAY>())
            .never_empty(),
        Field::new(
            "ha_failover_delay",
            FieldType::Text { max: 32 },
            Rule::ReadOnly,
            "Always 1m; there is no second node",
        ),
    ],
    selects: &[],
    params: Params::of(&[]).strict(),
    sort: &[],
    doc: "General settings. There is one, of which get answers the fields themselves",
};

pub static SETTINGS: Stored = Stored {
    place: StoragePlace::Single,
    made_with: &[("ha_failover_delay", "1m")],
    check,
    project,
    concerns: super::Concerns::Globals,
    ..Stored::new(OBJECT, Edited::Plainly, &[], "", r#"{"login_attempts": "3"}"#)
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    let id = |name: &str| text_of(body, name).parse::<u64>().unwrap_or_default();
    let known = snapshot.documents.get(OBJECT.name, super::SINGLE);
    // An unchanged value is not checked again: its group may be gone.
    let is_new = |name: &str| known.is_none_or(|it| it.text(name) != text_of(body, name));
    let group = id("discovery_groupid");
    if is_new("discovery_groupid") && !snapshot.host_groups.contains_key(&GroupId(group)) {
        return Err(ConfigError::parameters(format_args!(
            "Host group with ID \"{group}\" is not available."
        )));
    }
    let group = id("alert_usrgrpid");
    if group != 0
        && is_new("alert_usrgrpid")
        && !snapshot.access.groups.contains_key(&UserGroupId(group))
    {
        return Err(ConfigError::parameters(format_args!(
            "User group with ID \"{group}\" is not available."
        )));
    }
    let tiles = text_of(body, "geomaps_tile_url");
    let schemes = snapshot.globals.settings.uri_schemes.as_deref();
    if !tiles.is_empty() && is_new("geomaps_tile_url") && !lang::link::is_acceptable(tiles, schemes)
    {
        let path = FieldPath::root().member("geomaps_tile_url");
        return Err(ConfigError::invalid(path, "unacceptable URL"));
    }
    let period = |name: &str| text_formats::long_period_s(text_of(body, name));
    if period("max_period") < period("period_default") {
        return Err(ConfigError::parameters(if is_new("period_default") {
            "Incorrect value for field \"period_default\": time filter default period exceeds the \
             max period."
        } else {
            "Incorrect value for field \"max_period\": max period is less than time filter default \
             period."
        }));
    }
    if !text_of(body, "geomaps_tile_provider").is_empty() {
        for (name, default) in
            [("geomaps_tile_url", ""), ("geomaps_max_zoom", "0"), ("geomaps_attribution", "")]
        {
            body.insert(name.to_owned(), Json::from(default));
        }
    }
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "as others of its kind")]
fn project(snapshot: &mut Snapshot, _: u64, body: Option<&Body>) -> Result<(), serde_json::Error> {
    let globals = Arc::make_mut(&mut snapshot.globals);
    let known = Arc::make_mut(&mut globals.settings);
    // Other objects say these.
    let (housekeeping, passwords) = (known.housekeeping.clone(), known.passwords);
    let autoregistration = Arc::clone(&known.autoregistration);
    let made = body.map_or_else(GlobalSettings::default, of);
    *known = GlobalSettings { housekeeping, passwords, autoregistration, ..made };
    Ok(())
}

fn of(body: &Body) -> GlobalSettings {
    let default = GlobalSettings::default();
    let mut names = default.severity_names;
    for (code, name) in names.iter_mut().enumerate() {
        *name = text_of(body, &format!("severity_name_{code}")).into();
    }
    let whole = |name: &str| text_of(body, name).parse::<i64>().ok();
    let schemes = || {
        let schemes = text_of(body, "uri_valid_schemes").split(',').map(str::trim);
        schemes.map(|it| it.to_ascii_lowercase().into_boxed_str()).collect()
    };
    GlobalSettings {
        severity_names: names,
        ok_period_s: text_formats::seconds(body, "ok_period").unwrap_or(default.ok_period_s),
        timeouts: timeouts(body),
        login_attempts: whole("login_attempts")
            .and_then(|it| u32::try_from(it).ok())
            .unwrap_or(default.login_attempts),
        login_block_s: text_formats::seconds(body, "login_block").unwrap_or(default.login_block_s),
        is_audited: is_on(body, "auditlog_enabled"),
        is_server_audited: is_on(body, "auditlog_mode"),
        uri_schemes: is_on(body, "validate_uri_schemes").then(schemes),
        inventory_mode: whole("default_inventory_mode").unwrap_or(default.inventory_mode),
        flapping: FlappingRule {
            changes: whole("flapping_changes")
                .and_then(|it| u32::try_from(it).ok())
                .unwrap_or(default.flapping.changes),
            period_s: text_formats::seconds(body, "flapping_period")
                .unwrap_or(default.flapping.period_s),
        },
        digests: DigestRule {
            messages: whole("digest_messages")
                .and_then(|it| u32::try_from(it).ok())
                .unwrap_or(default.digests.messages),
            period_s: text_formats::seconds(body, "digest_period")
                .unwrap_or(default.digests.period_s),
            interval_s: text_formats::seconds(body, "digest_interval")
                .unwrap_or(default.digests.interval_s),
        },
        logs_unmatched_traps: is_on(body, "snmptrap_logging"),
        ..default
    }
}

/// Those that are not as they were made: else what the server was started with counts.
fn timeouts(body: &Body) -> Vec<(ItemType, Arc<str>)> {
    let mut changed = Vec::new();
    for (name, kinds) in TIMEOUTS {
        let text = text_of(body, name);
        let rule = OBJECT.field(name).map(|it| it.rule);
        let is_as_made = matches!(rule, Some(Rule::Default(it)) if it == text);
        if !is_as_made {
            let text: Arc<str> = text.into();
            changed.extend(kinds.iter().map(|it| (*it, Arc::clone(&text))));
        }
    }
    changed
}
