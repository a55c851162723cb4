//! Media types: how messages reach users.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;

use formats::number::parse_duration_s;
use model::content::{RoleType, UiElement};
use model::describe::{
    Depends, FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee,
    Select, Unknown, When, Writes,
};
use model::document::Body;
use model::version::Version;
use serde_json::Value as Json;

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

/// Codes of `type`.
pub const EMAIL: &str = "0";
pub const SCRIPT: &str = "1";
pub const SMS: &str = "2";
pub const WEBHOOK: &str = "4";

/// Codes of `smtp_authentication`.
pub const AUTH_PASSWORD: &str = "1";
pub const AUTH_OAUTH: &str = "2";

const TEXT: FieldType = FieldType::Text { max: 255 };
const LONG: FieldType = FieldType::Text { max: 2_048 };
/// Of texts that Zabbix keeps in columns of 64 kB.
const LARGE: FieldType = FieldType::Text { max: 65_535 };

/// Names of flags in exports.
const YES_NO: &[(&str, i64)] = &[("NO", 0), ("YES", 1)];
const SOURCES: &[(&str, i64)] =
    &[("TRIGGERS", 0), ("DISCOVERY", 1), ("AUTOREGISTRATION", 2), ("INTERNAL", 3), ("SERVICE", 4)];

const PARAMETER: &[Field] = &[
    Field::new(
        "sortorder",
        FieldType::Int { min: -2_147_483_648, max: 2_147_483_647 },
        Rule::Optional,
        "Of scripts: its place among the arguments",
    ),
    Field::new("name", TEXT, Rule::Optional, "Of webhooks: its name"),
    Field::new("value", LONG, Rule::Default(""), "Value, which may hold macros"),
];

pub const MESSAGE_TEMPLATE: &[Field] = &[
    Field::new(
        "eventsource",
        FieldType::Code(&[0, 1, 2, 3, 4]),
        Rule::Required,
        "Of what events: 0 trigger, 1 discovery, 2 autoregistration, 3 internal, 4 service",
    )
    .tagged("event_source")
    .named(SOURCES),
    Field::new(
        "recovery",
        FieldType::Code(&[0, 1, 2]),
        Rule::Required,
        "Of what operations: 0 problems, 1 recoveries, 2 updates",
    )
    .tagged("operation_mode")
    .depends(&Depends::codes(&[
        (When::of("eventsource", &["1", "2"]), &[0]),
        (When::of("eventsource", &["3"]), &[0, 1]),
    ]))
    .named(&[("PROBLEM", 0), ("RECOVERY", 1), ("UPDATE", 2)]),
    Field::new("subject", TEXT, Rule::Default(""), "Subject, which may hold macros"),
    Field::new("message", LARGE, Rule::Default(""), "Text, which may hold macros"),
];

const ID: Field = Field::new("mediatypeid", FieldType::Id, Rule::ReadOnly, "Id");
const NAME: Field =
    Field::new("name", FieldType::Text { max: 100 }, Rule::Required, "Name, which no other has");
const TYPE: Field = Field::new(
    "type",
    FieldType::Code(&[0, 1, 2, 4]),
    Rule::Required,
    "0 e-mail, 1 script, 2 SMS (nothing sends it), 4 webhook",
)
.named(&[("EMAIL", 0), ("SCRIPT", 1), ("SMS", 2), ("WEBHOOK", 4)]);
const STATUS: Field = Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled")
    .named(&[("ENABLED", 0), ("DISABLED", 1)]);
const ATTEMPTS: Field = Field::new(
    "maxattempts",
    FieldType::Int { min: 1, max: 100 },
    Rule::Default("3"),
    "How often a message is tried before it is given up",
)
.tagged("attempts");
const DESCRIPTION: Field = Field::new("description", LARGE, Rule::Default(""), "Description");

const BY_EMAIL: &[When] = &[When::of("type", &[EMAIL])];
const BY_SCRIPT: &[When] = &[When::of("type", &[SCRIPT])];
const BY_SMS: &[When] = &[When::of("type", &[SMS])];
const BY_WEBHOOK: &[When] = &[When::of("type", &[WEBHOOK])];
const BY_TLS: &[When] = &[When::of("type", &[EMAIL]), When::of("smtp_security", &["1", "2"])];
const BY_LOGIN: &[When] =
    &[When::of("type", &[EMAIL]), When::of("smtp_authentication", &[AUTH_PASSWORD, AUTH_OAUTH])];
const BY_PASSWORD: &[When] =
    &[When::of("type", &[EMAIL]), When::of("smtp_authentication", &[AUTH_PASSWORD])];
const BY_PASSWORD_OF_PROVIDER: &[When] = &[
    When::of("smtp_authentication", &[AUTH_PASSWORD]),
    When::of("provider", &["1", "2", "3", "4"]),
];
const BY_MENU: &[When] = &[When::of("type", &[WEBHOOK]), When::of("show_event_menu", &["1"])];

const FIELDS: &[Field] = &[
    ID,
    TYPE,
    NAME,
    Field::new(
        "provider",
        FieldType::Code(&[0, 1, 2, 3, 4]),
        Rule::Default("0"),
        "Of e-mail: 0 any SMTP server, 1 Gmail, 2 Gmail relay, 3 Office 365, 4 Office 365 relay",
    )
    .named(&[
        ("SMTP", 0),
        ("GMAIL", 1),
        ("GMAIL_RELAY", 2),
        ("OFFICE365", 3),
        ("OFFICE365_RELAY", 4),
    ]),
    Field::new("smtp_server", TEXT, Rule::Default(""), "Name or address of the SMTP server")
        .depends(&Depends::needed_with("type", BY_EMAIL)),
    Field::new(
        "smtp_helo",
        TEXT,
        Rule::Default(""),
        "Name in the greeting; empty: the domain of the sender",
    )
    .depends(&Depends::only(BY_EMAIL)),
    Field::new(
        "smtp_email",
        TEXT,
        Rule::Default(""),
        "Sender: an address, or a name and an address in angle brackets",
    )
    .depends(&Depends::needed_with("type", BY_EMAIL)),
    Field::new(
        "smtp_security",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 none, 1 STARTTLS, 2 TLS from the start",
    )
    .named(&[("NONE", 0), ("STARTTLS", 1), ("SSL_OR_TLS", 2)])
    .depends(&Depends::only(BY_EMAIL)),
    Field::new(
        "smtp_authentication",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 none, 1 user name and password, 2 OAuth 2.0 (XOAUTH2)",
    )
    .named(&[("NONE", 0), ("PASSWORD", 1), ("OAUTH", 2)])
    .depends(&Depends::only(BY_EMAIL)),
    Field::new(
        "exec_path",
        TEXT,
        Rule::Default(""),
        "Of scripts: file name in the folder that the server's settings name",
    )
    .tagged("script_name")
    .depends(&Depends::needed_with("type", BY_SCRIPT)),
    Field::new("gsm_modem", TEXT, Rule::Default(""), "Of SMS: device; nothing sends SMS")
        .depends(&Depends::needed_with("type", BY_SMS)),
    Field::new("username", TEXT, Rule::Default(""), "User name; for OAuth empty: the sender")
        .depends(&Depends::filled(BY_LOGIN, BY_PASSWORD_OF_PROVIDER)),
    Field::new("passwd", TEXT, Rule::Default(""), "Password")
        .secret()
        .tagged("password")
        .depends(&Depends::filled(BY_PASSWORD, BY_PASSWORD_OF_PROVIDER)),
    STATUS,
    Field::new(
        "smtp_port",
        FieldType::Int { min: 0, max: 65_535 },
        Rule::Default("25"),
        "Port of the SMTP server",
    )
    .depends(&Depends::only(BY_EMAIL)),
    Field::new("smtp_verify_peer", FLAG, Rule::Default("0"), "1: the certificate is checked")
        .named(YES_NO)
        .depends(&Depends::only(BY_TLS)),
    Field::new("smtp_verify_host", FLAG, Rule::Default("0"), "1: so is its name")
        .named(YES_NO)
        .depends(&Depends::only(BY_TLS)),
    Field::new(
        "maxsessions",
        FieldType::Int { min: 0, max: 100 },
        Rule::Default("1"),
        "Messages sent at once; 0 as many as the server allows",
    )
    .tagged("max_sessions")
    .depends(&Depends::only(&[When::of("type", &[EMAIL, SCRIPT, WEBHOOK])])),
    ATTEMPTS,
    Field::new(
        "attempt_interval",
        FieldType::Text { max: 32 },
        Rule::Default("10s"),
        "Between attempts, up to an hour",
    )
    .or_number(),
    Field::new("message_format", FLAG, Rule::Default("1"), "Of e-mail: 0 plain text, 1 HTML")
        .named(&[("TEXT", 0), ("HTML", 1), ("PLAIN_TEXT", 0)])
        .depends(&Depends::only(BY_EMAIL)),
    Field::new("script", LARGE, Rule::Default(""), "Of webhooks: JavaScript")
        .depends(&Depends::needed_with("type", BY_WEBHOOK)),
    Field::new("timeout", TEXT, Rule::Default("30s"), "Of webhooks: for one run, 1 s to 60 s")
        .or_number(),
    Field::new(
        "process_tags",
        FLAG,
        Rule::Default("0"),
        "Of webhooks: 1 tags of the result are added to the event",
    )
    .named(YES_NO)
    .depends(&Depends::only(BY_WEBHOOK)),
    Field::new(
        "show_event_menu",
        FLAG,
        Rule::Default("0"),
        "Of webhooks: 1 the menu of events has an entry",
    )
    .named(YES_NO)
    .depends(&Depends::only(BY_WEBHOOK)),
    Field::new("event_menu_url", LONG, Rule::Default(""), "Address of that entry")
        .depends(&Depends::needed_with("type", BY_MENU)),
    Field::new("event_menu_name", TEXT, Rule::Default(""), "Name of that entry")
        .depends(&Depends::needed_with("type", BY_MENU)),
    DESCRIPTION,
    Field::new("redirection_url", LONG, Rule::Default(""), "OAuth: kept for clients"),
    Field::new("client_id", TEXT, Rule::Default(""), "OAuth: id of this client"),
    Field::new("client_secret", TEXT, Rule::Default(""), "OAuth: secret of this client").secret(),
    Field::new("authorization_url", LONG, Rule::Default(""), "OAuth: kept for clients"),
    Field::new("token_url", LONG, Rule::Default(""), "OAuth: where access tokens are renewed"),
    Field::new(
        "tokens_status",
        FieldType::Int { min: 0, max: 3 },
        Rule::Default("0"),
        "OAuth: 1 the access token is valid, 2 the refresh token is, 3 both are",
    ),
    Field::new("access_token", LARGE, Rule::Default(""), "OAuth: access token").secret(),
    Field::new(
        "access_token_updated",
        FieldType::Timestamp,
        Rule::Default("0"),
        "OAuth: when the access token was given",
    ),
    Field::new(
        "access_expires_in",
        FieldType::Int { min: 0, max: 2_147_483_647 },
        Rule::Default("0"),
        "OAuth: how long the access token is good, in seconds; 0 no end",
    ),
    Field::new("refresh_token", LARGE, Rule::Default(""), "OAuth: gets new access tokens").secret(),
    Field::new(
        "parameters",
        FieldType::List(PARAMETER),
        Rule::Optional,
        "Arguments of a script by sortorder, parameters of a webhook by name",
    )
    .answered()
    .list_only(),
    Field::new(
        "message_templates",
        FieldType::List(MESSAGE_TEMPLATE),
        Rule::Optional,
        "Default messages",
    )
    .list_only()
    .unique(&[&["eventsource", "recovery"]]),
];

const OBJECT: Object = Object {
    name: "mediatype",
    type_name: "MediaType",
    nouns: Nouns { one: "a media type", several: "media types" },
    resource: Some(3),
    role: RoleRule::one_of(&[UiElement::MediaTypes]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Given, unique: &[] }),
    id: "mediatypeid",
    ids: "mediatypeids",
    fields: FIELDS,
    selects: &[
        Select::new("selectMessageTemplates", "message_templates", Gives::Parts(MESSAGE_TEMPLATE)),
        Select::new("selectActions", "actions", Gives::Objects("action")),
        Select::new("selectUsers", "users", Gives::Objects("user")),
    ],
    params: Params::of(&["mediatypeids", "mediaids", "userids"])
        .checked_since(Version::V7_2, &["output", "filter", "search"]),
    sort: &["mediatypeid", "name"],
    doc: "How messages reach users",
};

/// The fields for users who may not change media types.
pub const LIMITED: Object = Object {
    fields: &[ID, TYPE, NAME, STATUS, ATTEMPTS, DESCRIPTION],
    selects: &[
        Select::new("selectActions", "actions", Gives::Nothing),
        Select::new("selectUsers", "users", Gives::Objects("user")),
    ],
    ..OBJECT
};

const SAMPLE: &str = r#"{"name": "Team chat", "type": "4",
    "script": "return 'OK';", "timeout": "10s",
    "parameters": [{"name": "to", "value": "{ALERT.SENDTO}"}],
    "message_templates": [{"eventsource": "0", "recovery": "0",
        "subject": "{EVENT.NAME}", "message": "{EVENT.SEVERITY}: {EVENT.OPDATA}"}]}"#;

pub static MEDIATYPE: Stored = Stored {
    read: RoleType::User,
    tag: Some("media_types"),
    check: |snapshot, body| {
        check(body)?;
        super::link::check(snapshot, body, "event_menu_url")
    },
    ..Stored::new(
        OBJECT,
        Edited::AsMediaType,
        &["name"],
        "Media type \"{}\" already exists.",
        SAMPLE,
    )
};

/// Fields that media types of one kind only have.
const OF_EMAIL: &[&str] = &[
    "smtp_server",
    "smtp_port",
    "smtp_helo",
    "smtp_email",
    "smtp_security",
    "smtp_verify_peer",
    "smtp_verify_host",
    "smtp_authentication",
    "username",
    "passwd",
    "redirection_url",
    "client_id",
    "client_secret",
    "authorization_url",
    "token_url",
    "tokens_status",
    "access_token",
    "access_token_updated",
    "access_expires_in",
    "refresh_token",
    "message_format",
];
const OF_SCRIPT: &[&str] = &["exec_path"];
const OF_SMS: &[&str] = &["gsm_modem"];
const OF_WEBHOOK: &[&str] =
    &["script", "timeout", "process_tags", "show_event_menu", "event_menu_url", "event_menu_name"];
const OF_TLS: &[&str] = &["smtp_verify_peer", "smtp_verify_host"];
const OF_OAUTH: &[&str] = &[
    "redirection_url",
    "client_id",
    "client_secret",
    "authorization_url",
    "token_url",
    "tokens_status",
    "access_token",
    "access_token_updated",
    "access_expires_in",
    "refresh_token",
];
const OF_MENU: &[&str] = &["event_menu_url", "event_menu_name"];

/// Fields that have to be given when a media type of this kind is made.
fn needed(kind: &str) -> &'static [&'static str] {
    match kind {
        EMAIL => &["smtp_server", "smtp_email"],
        SCRIPT => &["exec_path"],
        SMS => &["gsm_modem"],
        _ => &["script"],
    }
}

/// Fields of a body that mean nothing in it, and so have their defaults.
#[must_use]
pub fn unused(body: &Body) -> Vec<&'static str> {
    let kind = text_of(body, "type");
    let by_kind = [(EMAIL, OF_EMAIL), (SCRIPT, OF_SCRIPT), (SMS, OF_SMS), (WEBHOOK, OF_WEBHOOK)];
    let others = by_kind.iter().filter(|(it, _)| *it != kind);
    let mut unused: Vec<&str> = others.flat_map(|(_, fields)| fields.iter().copied()).collect();
    if kind == EMAIL {
        if text_of(body, "smtp_security") == "0" {
            unused.extend(OF_TLS);
        }
        let auth = text_of(body, "smtp_authentication");
        if auth != AUTH_PASSWORD && auth != AUTH_OAUTH {
            unused.push("username");
        }
        if auth != AUTH_PASSWORD {
            unused.push("passwd");
        }
        if auth != AUTH_OAUTH {
            unused.extend(OF_OAUTH);
        }
    }
    if kind == WEBHOOK && text_of(body, "show_event_menu") != "1" {
        unused.extend(OF_MENU);
    }
    if kind == SMS {
        unused.push("maxsessions");
    }
    unused
}

/// The default of a field that is no list.
#[must_use]
pub fn default_of(name: &str) -> &'static str {
    match FIELDS.iter().find(|it| it.name == name).map(|it| it.rule) {
        Some(Rule::Default(it)) => it,
        _ => "",
    }
}

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn refuse<T>(field: &str, what: impl Display) -> Result<T, ConfigError> {
    Err(ConfigError::invalid(edited(field), what))
}

fn check(body: &mut Body) -> Result<(), ConfigError> {
    let kind = text_of(body, "type").to_owned();
    for name in unused(body) {
        let default = default_of(name);
        if name == "timeout" {
            check_seconds(body, name, 30..=30)?;
        } else if text_of(body, name) != default {
            let what = if default.is_empty() { "empty" } else { default };
            return refuse(name, format_args!("value must be {what}"));
        }
    }
    for name in needed(&kind) {
        if text_of(body, name).is_empty() {
            return refuse(name, "cannot be empty");
        }
    }
    check_seconds(body, "attempt_interval", 0..=3_600)?;
    match kind.as_str() {
        EMAIL => check_email(body)?,
        SCRIPT => check_file_name(text_of(body, "exec_path"))?,
        WEBHOOK => check_seconds(body, "timeout", 1..=60)?,
        _ => {}
    }
    check_parameters(&kind, body)
}

fn check_email(body: &Body) -> Result<(), ConfigError> {
    let (provider, auth) = (text_of(body, "provider"), text_of(body, "smtp_authentication"));
    if provider == "4" && auth == AUTH_OAUTH {
        return refuse("smtp_authentication", "value must be one of 0, 1");
    }
    let is_given = |name: &str| !text_of(body, name).is_empty();
    if auth == AUTH_OAUTH && !is_given("access_token") {
        let renewing = ["token_url", "client_id", "client_secret", "refresh_token"];
        if let Some(missing) = renewing.into_iter().find(|it| !is_given(it)) {
            return refuse(missing, "cannot be empty without an access token");
        }
    }
    for name in ["token_url", "authorization_url", "redirection_url"] {
        let url = text_of(body, name);
        let is_http = ["http://", "https://"].iter().any(|it| url.starts_with(it));
        if !url.is_empty() && !is_http {
            return refuse(name, "unacceptable URL");
        }
    }
    Ok(())
}

/// Executed files are in one folder, which the operator chose.
fn check_file_name(name: &str) -> Result<(), ConfigError> {
    if name.contains(['/', '\\', '\0']) || matches!(name, "." | "..") {
        return refuse("exec_path", "a file name without folders is expected");
    }
    Ok(())
}

fn check_seconds(
    body: &Body,
    name: &str,
    range: std::ops::RangeInclusive<u64>,
) -> Result<(), ConfigError> {
    match parse_duration_s(text_of(body, name)) {
        None if text_of(body, name).is_empty() => refuse(name, "cannot be empty"),
        None => refuse(name, "a time unit is expected"),
        Some(it) if range.contains(&it) => Ok(()),
        Some(_) if range.start() == range.end() => {
            refuse(name, format_args!("value must be one of {}", range.start()))
        }
        Some(_) => {
            refuse(name, format_args!("value must be one of {}-{}", range.start(), range.end()))
        }
    }
}

/// Checks the list, and sorts it as it is used.
fn check_parameters(kind: &str, body: &mut Body) -> Result<(), ConfigError> {
    let Some(Json::Array(list)) = body.get_mut("parameters") else { return Ok(()) };
    let (key, other) = match kind {
        SCRIPT => ("sortorder", "name"),
        WEBHOOK => ("name", "sortorder"),
        _ if list.is_empty() => return Ok(()),
        _ => return Err(ConfigError::unexpected(edited("parameters"), "0")),
    };
    let mut seen = BTreeSet::new();
    for (at, it) in list.iter().enumerate() {
        let Json::Object(it) = it else { continue };
        let path = edited("parameters").element(at);
        if it.contains_key(other) {
            return Err(ConfigError::unexpected(path, other));
        }
        if !it.contains_key(key) {
            return Err(ConfigError::missing(path, key));
        }
        let own = text_of(it, key);
        if own.is_empty() {
            return Err(ConfigError::invalid(path.member(key), "cannot be empty"));
        }
        if !seen.insert(own) {
            let what = format!("value ({key})=({own}) already exists");
            return Err(ConfigError::invalid(path, what));
        }
    }
    if kind == SCRIPT {
        let order = |it: &Json| -> i64 {
            it.get(key).and_then(Json::as_str).and_then(|it| it.parse().ok()).unwrap_or(0)
        };
        list.sort_by_key(order);
    }
    Ok(())
}

/// The default message for an event of a source at an operation (`recovery`: 0 problem, 1 recovery,
/// 2 update): subject and text. `None`: the media type has none.
#[must_use]
pub fn message_template(body: &Body, source: u8, recovery: u8) -> Option<(&str, &str)> {
    let list = body.get("message_templates")?.as_array()?;
    let (source, recovery) = (source.to_string(), recovery.to_string());
    let mut templates = list.iter().filter_map(Json::as_object);
    let found = templates
        .find(|it| text_of(it, "eventsource") == source && text_of(it, "recovery") == recovery)?;
    Some((text_of(found, "subject"), text_of(found, "message")))
}

/// Names and values of parameters in their order; of scripts the names are their places.
#[must_use]
pub fn parameters(body: &Body) -> Vec<(Arc<str>, &str)> {
    let list = body.get("parameters").and_then(Json::as_array);
    let parts = list.into_iter().flatten().filter_map(Json::as_object);
    let named = parts.map(|it| {
        let name = if it.contains_key("name") { "name" } else { "sortorder" };
        (Arc::from(text_of(it, name)), text_of(it, "value"))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(given: &Json) -> Result<Body, String> {
        let mut all = json!({"name": "a"});
        for (name, value) in given.as_object().expect("fields") {
            all[name] = value.clone();
        }
        let all = all.as_object().expect("an object");
        let mut body = MEDIATYPE.made_of(all).map_err(|it| it.to_string())?;
        check(&mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    fn email(change: &Json) -> Json {
        let mut all = json!({"type": "0", "smtp_server": "mail", "smtp_email": "a@example.com"});
        for (name, value) in change.as_object().expect("fields") {
            all[name] = value.clone();
        }
        all
    }

    #[test]
    fn conflicting_fields_are_refused_with_zabbix_texts() {
        let hook = |more: Json| {
            let mut all = json!({"type": "4", "script": "return 1;"});
            all.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
            all
        };
        let cases = [
            (json!({"type": "0"}), "\"/1/smtp_server\": cannot be empty"),
            (json!({"type": "1"}), "\"/1/exec_path\": cannot be empty"),
            (json!({"type": "2"}), "\"/1/gsm_modem\": cannot be empty"),
            (json!({"type": "4"}), "\"/1/script\": cannot be empty"),
            (hook(json!({"smtp_server": "x"})), "\"/1/smtp_server\": value must be empty"),
            (hook(json!({"smtp_port": "26"})), "\"/1/smtp_port\": value must be 25"),
            (hook(json!({"timeout": "61"})), "\"/1/timeout\": value must be one of 1-60"),
            (hook(json!({"timeout": "x"})), "\"/1/timeout\": a time unit is expected"),
            (hook(json!({"attempt_interval": "2h"})), "value must be one of 0-3600"),
            (hook(json!({"event_menu_url": "u"})), "\"/1/event_menu_url\": value must be empty"),
            (
                hook(json!({"parameters": [{"name": "a"}, {"name": "a"}]})),
                "\"/1/parameters/2\": value (name)=(a) already exists",
            ),
            (
                hook(json!({"parameters": [{"sortorder": "1"}]})),
                "\"/1/parameters/1\": unexpected parameter \"sortorder\"",
            ),
            (
                json!({"type": "1", "exec_path": "a", "parameters": [{"value": "x"}]}),
                "\"/1/parameters/1\": the parameter \"sortorder\" is missing",
            ),
            (json!({"type": "1", "exec_path": "../a"}), "a file name without folders"),
            (
                json!({"type": "2", "gsm_modem": "/dev/x", "maxsessions": "2"}),
                "\"/1/maxsessions\": value must be 1",
            ),
            (email(&json!({"parameters": [{"name": "a"}]})), "unexpected parameter \"0\""),
            (email(&json!({"smtp_verify_peer": "1"})), "smtp_verify_peer\": value must be 0"),
            (email(&json!({"username": "u"})), "\"/1/username\": value must be empty"),
            (email(&json!({"smtp_authentication": "2"})), "\"/1/token_url\": cannot be empty"),
        ];
        for (given, expected) in cases {
            let error = checked(&given).expect_err("refused");
            assert!(error.contains(expected), "{given}: {error}");
        }
    }

    #[test]
    fn arguments_of_scripts_stand_in_their_order() {
        let given = json!({"type": "1", "exec_path": "send.sh", "parameters": [
            {"sortorder": "10", "value": "c"}, {"sortorder": "2", "value": "b"}]});
        let body = checked(&given).expect("good");
        let found: Vec<String> =
            parameters(&body).iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(found, ["2=b", "10=c"]);
    }

    #[test]
    fn a_template_is_found_by_source_and_operation() {
        let body = checked(&email(&json!({"message_templates": [
            {"eventsource": "0", "recovery": "1", "subject": "S", "message": "M"}]})));
        let body = body.expect("good");
        assert_eq!(message_template(&body, 0, 1), Some(("S", "M")));
        assert_eq!(message_template(&body, 0, 0), None);
    }
}
