//! Scripts that actions and users start on hosts and for problems.

use std::borrow::Cow;

use formats::number::parse_signed_duration_s;
use formats::regexp::Regexp;
use lang::macros::UserMacro;
use model::content::{RoleAction, UiElement};
use model::describe::{
    ChangedFrom, Depends, FLAG, Field, FieldType, Form, Gives, NeededAction, Nouns, Object, Params,
    RoleRule, Rule, RulesSee, Select, Unknown, When, Writes,
};
use model::document::Body;
use model::snapshot::Snapshot;
use model::version::Version;
use model::{GroupId, UserGroupId};
use serde_json::Value as Json;

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

/// Codes of `type`.
pub const SHELL: &str = "0";
pub const IPMI: &str = "1";
pub const SSH: &str = "2";
pub const TELNET: &str = "3";
pub const WEBHOOK: &str = "5";
pub const URL: &str = "6";

/// Codes of `scope`.
pub const FOR_ACTIONS: &str = "1";
pub const FOR_HOSTS: &str = "2";
pub const FOR_EVENTS: &str = "4";

const TEXT: FieldType = FieldType::Text { max: 255 };
const LONG: FieldType = FieldType::Text { max: 2_048 };
const LARGE: FieldType = FieldType::Text { max: 65_535 };
const CREDENTIAL: FieldType = FieldType::Text { max: 64 };

const PARAMETER: &[Field] = &[
    Field::new("name", TEXT, Rule::Required, "Name, by which the script finds it"),
    Field::new("value", LONG, Rule::Required, "Value, which may hold macros").or_empty(),
];

/// Those that run something.
const RUNS: &[When] = &[When::of("type", &[SHELL, IPMI, SSH, TELNET, WEBHOOK])];
const OF_SHELL: &[When] = &[When::of("type", &[SHELL])];
const OF_SSH: &[When] = &[When::of("type", &[SSH])];
const OF_KEY: &[When] = &[When::of("type", &[SSH]), When::of("authtype", &["1"])];
const OF_LOGIN: &[When] = &[When::of("type", &[SSH, TELNET])];
const OF_WEBHOOK: &[When] = &[When::of("type", &[WEBHOOK])];
const OF_URL: &[When] = &[When::of("type", &[URL])];
const OF_USERS: When = When::of("scope", &[FOR_HOSTS, FOR_EVENTS]);
const BY_USERS: &[When] = &[OF_USERS];
const WITH_INPUT: &[When] = &[OF_USERS, When::of("manualinput", &["1"])];
const WITH_PATTERN: &[When] =
    &[OF_USERS, When::of("manualinput", &["1"]), When::of("manualinput_validator_type", &["0"])];

const ID: Field = Field::new("scriptid", FieldType::Id, Rule::ReadOnly, "Id");
const NAME: Field =
    Field::new("name", TEXT, Rule::Required, "Name, which no other has in the same menu");
const TYPE: Field = Field::new(
    "type",
    FieldType::Code(&[0, 1, 2, 3, 5, 6]),
    Rule::Required,
    "0 shell command, 1 IPMI, 2 SSH, 3 Telnet, 5 webhook, 6 URL that pages open",
)
.depends(&Depends::codes(&[(When::of("scope", &[FOR_ACTIONS]), &[0, 1, 2, 3, 5])]));
const SCOPE: Field = Field::new(
    "scope",
    FieldType::Code(&[1, 2, 4]),
    Rule::Required,
    "Who starts it: 1 operations of actions, 2 users on hosts, 4 users on problems",
);
const MENU_PATH: Field =
    Field::new("menu_path", TEXT, Rule::Default(""), "Folders in the menu, divided by slashes")
        .depends(&Depends::only(BY_USERS));
const USER_GROUP: Field =
    Field::new("usrgrpid", FieldType::Id, Rule::Default("0"), "Whose users may start it; 0 all")
        .depends(&Depends::only(BY_USERS));
const GROUP: Field = Field::new(
    "groupid",
    FieldType::Id,
    Rule::Default("0"),
    "On hosts of this group and those below it; 0 all",
);
const ACCESS: Field = Field::new(
    "host_access",
    FieldType::Code(&[2, 3]),
    Rule::Default("2"),
    "Right on the host that users need: 2 read, 3 write",
)
.depends(&Depends::only(BY_USERS));
const CONFIRMATION: Field = Field::new(
    "confirmation",
    TEXT,
    Rule::Default(""),
    "Question that the user confirms before the script runs",
)
.depends(&Depends::only(BY_USERS));
const NEW_WINDOW: Field =
    Field::new("new_window", FLAG, Rule::Default("1"), "Of URLs: 1 opens a window of its own")
        .depends(&Depends::only(OF_URL));
const ADDRESS: Field =
    Field::new("url", LONG, Rule::Default(""), "Of URLs: where to, which may hold macros")
        .depends(&Depends::needed(OF_URL));
const DESCRIPTION: Field = Field::new("description", LARGE, Rule::Default(""), "Description");
const INPUT: Field =
    Field::new("manualinput", FLAG, Rule::Default("0"), "1: users are asked for {MANUALINPUT}")
        .depends(&Depends::only(BY_USERS));
const PROMPT: Field =
    Field::new("manualinput_prompt", TEXT, Rule::Default(""), "What they are asked")
        .depends(&Depends::needed(WITH_INPUT));
const VALIDATOR: Field = Field::new(
    "manualinput_validator",
    LONG,
    Rule::Default(""),
    "Regular expression that the input has to match, or values to choose from, divided by commas",
)
.depends(&Depends::needed(WITH_INPUT));
const VALIDATOR_TYPE: Field = Field::new(
    "manualinput_validator_type",
    FieldType::Code(&[0, 1]),
    Rule::Default("0"),
    "0 regular expression, 1 list of values",
)
.depends(&Depends::only(WITH_INPUT));
const DEFAULT_INPUT: Field =
    Field::new("manualinput_default_value", TEXT, Rule::Default(""), "What stands there at first")
        .depends(&Depends::only(WITH_PATTERN));

const OUTPUTS: &[&str] = &[
    "scriptid",
    "name",
    "command",
    "host_access",
    "usrgrpid",
    "groupid",
    "description",
    "confirmation",
    "type",
    "execute_on",
    "timeout",
    "parameters",
    "scope",
    "port",
    "authtype",
    "username",
    "password",
    "publickey",
    "privatekey",
    "menu_path",
    "url",
    "new_window",
    "manualinput",
    "manualinput_prompt",
    "manualinput_validator_type",
    "manualinput_validator",
    "manualinput_default_value",
];
const OF_HOSTS: &[&str] = &[
    "hostid",
    "host",
    "name",
    "description",
    "status",
    "proxyid",
    "inventory_mode",
    "flags",
    "ipmi_authtype",
    "ipmi_privilege",
    "ipmi_username",
    "ipmi_password",
    "maintenanceid",
    "maintenance_status",
    "maintenance_type",
    "maintenance_from",
    "tls_connect",
    "tls_accept",
    "tls_issuer",
    "tls_subject",
];
const OF_ACTIONS: &[&str] = &[
    "actionid",
    "name",
    "eventsource",
    "status",
    "esc_period",
    "pause_suppressed",
    "notify_if_canceled",
    "pause_symptoms",
];
const FILTERS: &[&str] = &[
    "scriptid",
    "name",
    "command",
    "host_access",
    "usrgrpid",
    "groupid",
    "confirmation",
    "type",
    "url",
    "new_window",
    "execute_on",
    "scope",
    "menu_path",
    "manualinput",
    "manualinput_prompt",
    "manualinput_validator_type",
    "manualinput_validator",
    "manualinput_default_value",
];
const SEARCHES: &[&str] = &[
    "name",
    "command",
    "url",
    "description",
    "confirmation",
    "username",
    "menu_path",
    "manualinput_prompt",
    "manualinput_validator",
    "manualinput_default_value",
];

const OBJECT: Object = Object {
    name: "script",
    type_name: "Script",
    nouns: Nouns { one: "a script", several: "scripts" },
    resource: Some(25),
    role: RoleRule::one_of(&[UiElement::Scripts])
        .except(&[("execute", ChangedFrom::AnyPage)])
        .needs(NeededAction::For("execute", RoleAction::ExecuteScripts)),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "scriptid",
    ids: "scriptids",
    fields: &[
        ID,
        NAME,
        SCOPE,
        TYPE,
        GROUP,
        DESCRIPTION,
        MENU_PATH,
        USER_GROUP,
        ACCESS,
        CONFIRMATION,
        Field::new("command", LARGE, Rule::Default(""), "Command, or source of a webhook")
            .depends(&Depends::needed(RUNS)),
        Field::new(
            "execute_on",
            FieldType::Code(&[0, 1, 2]),
            Rule::Default("2"),
            "Of shell commands: 0 agent, 1 server, 2 server or the host's proxy",
        )
        .depends(&Depends::only(OF_SHELL)),
        Field::new(
            "port",
            CREDENTIAL,
            Rule::Default(""),
            "Of SSH and Telnet, if it is not the usual one",
        )
        .or_number()
        .shaped(&Form::new("port", "a port from 0 to 65535, or a user macro", port))
        .depends(&Depends::only(OF_LOGIN)),
        Field::new(
            "authtype",
            FieldType::Code(&[0, 1]),
            Rule::Default("0"),
            "Of SSH: 0 password, 1 key",
        )
        .depends(&Depends::only(OF_SSH)),
        Field::new("publickey", CREDENTIAL, Rule::Default(""), "Of SSH: name of the file")
            .depends(&Depends::needed(OF_KEY)),
        Field::new("privatekey", CREDENTIAL, Rule::Default(""), "Of SSH: name of the file")
            .depends(&Depends::needed(OF_KEY)),
        Field::new("username", CREDENTIAL, Rule::Default(""), "Of SSH and Telnet")
            .depends(&Depends::needed(OF_LOGIN)),
        Field::new("password", CREDENTIAL, Rule::Default(""), "Of SSH and Telnet; of the key")
            .secret()
            .depends(&Depends::only(OF_LOGIN)),
        Field::new("timeout", TEXT, Rule::Default("30s"), "Of webhooks: 1 s to 60 s")
            .or_number()
            .never_empty()
            .shaped(
                &Form::new(
                    "period-or-macro",
                    "seconds, or a number with one of the units s, m, h, d and w, or a user macro",
                    timeout,
                )
                .within(1, 60),
            )
            .depends(&Depends::only(OF_WEBHOOK)),
        Field::new("parameters", FieldType::List(PARAMETER), Rule::Optional, "Of webhooks")
            .answered()
            .list_only()
            .unique(&[&["name"]])
            .depends(&Depends::only(OF_WEBHOOK)),
        ADDRESS,
        NEW_WINDOW,
        INPUT,
        PROMPT,
        VALIDATOR_TYPE,
        VALIDATOR,
        DEFAULT_INPUT,
    ],
    selects: &[
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup"))
            .of_fields(&["groupid", "name", "flags", "uuid"]),
        Select::new("selectGroups", "groups", Gives::Objects("hostgroup")).until(Version::V7_0),
        Select::new("selectHosts", "hosts", Gives::Objects("host")).of_fields(OF_HOSTS),
        Select::new("selectActions", "actions", Gives::Objects("action")).of_fields(OF_ACTIONS),
    ],
    params: Params::of(&["scriptids", "groupids", "hostids", "usrgrpids"])
        .strict()
        .listed_in_order(OUTPUTS)
        .found_by(FILTERS, SEARCHES),
    sort: &["scriptid", "name"],
    doc: "What actions and users start on hosts and for problems",
};

/// Fields visible only to users who may change scripts: to others these fields are as they are
/// made.
pub const HIDDEN: &[&str] = &[
    "command",
    "authtype",
    "username",
    "password",
    "publickey",
    "privatekey",
    "port",
    "timeout",
    "parameters",
];

const SAMPLE: &str = r#"{"name": "Restart web server", "type": "0", "scope": "2",
    "command": "systemctl restart nginx", "execute_on": "0", "menu_path": "Services",
    "confirmation": "Restart it on {HOST.NAME}?"}"#;

pub static SCRIPT: Stored = Stored {
    check,
    key_form: |name, value| match name {
        "menu_path" => Cow::Owned(folders(value).join("/")),
        _ => Cow::Borrowed(value),
    },
    ..Stored::new(
        OBJECT,
        Edited::Plainly,
        &["name", "menu_path"],
        "Script \"{}\" already exists.",
        SAMPLE,
    )
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// The folders of a path in the menu, without those of a slash at its beginning or end. A backslash keeps a slash, or
/// another backslash, in a name.
fn folders(path: &str) -> Vec<String> {
    let mut folders = vec![String::new()];
    let mut chars = path.chars().peekable();
    while let Some(it) = chars.next() {
        match (it, chars.peek()) {
            ('\\', Some(next @ ('/' | '\\'))) => {
                let next = *next;
                folders.last_mut().expect("one at least").extend([it, next]);
                chars.next();
            }
            ('/', _) => folders.push(String::new()),
            _ => folders.last_mut().expect("one at least").push(it),
        }
    }
    let mut folders: Vec<String> = folders.iter().map(|it| it.trim().to_owned()).collect();
    folders.pop_if(|it| it.is_empty());
    if folders.first().is_some_and(String::is_empty) {
        folders.remove(0);
    }
    folders
}

/// A port number, or a user macro.
fn port(text: &str) -> Result<(), Cow<'static, str>> {
    let is_number = text.bytes().all(|it| it.is_ascii_digit());
    match text.parse::<u16>() {
        _ if UserMacro::parse_use(text).is_some() => Ok(()),
        Ok(_) if is_number => Ok(()),
        _ if is_number => Err("value must be one of 0-65535".into()),
        _ => Err("a port number is expected".into()),
    }
}

/// How long a webhook may take.
fn timeout(text: &str) -> Result<(), Cow<'static, str>> {
    match parse_signed_duration_s(text) {
        _ if UserMacro::parse_use(text).is_some() => Ok(()),
        Some(1..=60) => Ok(()),
        Some(_) => Err("value must be one of 1-60".into()),
        None => Err("a time unit is expected".into()),
    }
}

fn refuse(field: &str, what: &str) -> Result<(), ConfigError> {
    Err(ConfigError::invalid(edited(field), what))
}

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    if text_of(body, "type") == URL && text_of(body, "scope") == FOR_ACTIONS {
        return refuse("scope", "value must be one of 2, 4");
    }
    empty_what_has_no_use(body);
    if folders(text_of(body, "menu_path")).iter().any(String::is_empty) {
        return refuse("menu_path", "directory cannot be empty");
    }
    check_kind(body)?;
    super::link::check(snapshot, body, "url")?;
    check_validator(body)?;
    let users = UserGroupId(text_of(body, "usrgrpid").parse().unwrap_or(0));
    if !users.is_none() && !snapshot.access.groups.contains_key(&users) {
        return Err(ConfigError::parameters(format!(
            "User group with ID \"{users}\" is not available."
        )));
    }
    let group = GroupId(text_of(body, "groupid").parse().unwrap_or(0));
    if !group.is_none() && !snapshot.host_groups.contains_key(&group) {
        return Err(ConfigError::parameters(format!(
            "Host group with ID \"{group}\" is not available."
        )));
    }
    check_input(body)
}

/// Fields that go with other types and scopes are as they are made.
fn empty_what_has_no_use(body: &mut Body) {
    let kind = text_of(body, "type").to_owned();
    let is = |wanted: &[&str]| wanted.contains(&kind.as_str());
    let is_by_users = text_of(body, "scope") != FOR_ACTIONS;
    let has_input = is_by_users && text_of(body, "manualinput") == "1";
    let has_key = kind == SSH && text_of(body, "authtype") == "1";
    let has_pattern = has_input && text_of(body, "manualinput_validator_type") != "1";
    let fields: [(&str, &str, bool); 21] = [
        ("command", "", !is(&[URL])),
        ("execute_on", "2", is(&[SHELL])),
        ("authtype", "0", is(&[SSH])),
        ("username", "", is(&[SSH, TELNET])),
        ("password", "", is(&[SSH, TELNET])),
        ("publickey", "", has_key),
        ("privatekey", "", has_key),
        ("port", "", is(&[SSH, TELNET])),
        ("timeout", "30s", is(&[WEBHOOK])),
        ("url", "", is(&[URL])),
        ("new_window", "1", is(&[URL])),
        ("menu_path", "", is_by_users),
        ("usrgrpid", "0", is_by_users),
        ("host_access", "2", is_by_users),
        ("confirmation", "", is_by_users),
        ("manualinput", "0", is_by_users),
        ("manualinput_prompt", "", has_input),
        ("manualinput_validator", "", has_input),
        ("manualinput_validator_type", "0", has_input),
        ("manualinput_default_value", "", has_pattern),
        ("parameters", "", is(&[WEBHOOK])),
    ];
    for (name, value, has_use) in fields {
        if has_use {
            continue;
        }
        if name == "parameters" {
            body.remove(name);
        } else {
            body.insert(name.to_owned(), Json::from(value));
        }
    }
}

fn check_kind(body: &Body) -> Result<(), ConfigError> {
    let kind = text_of(body, "type");
    let mut needed: Vec<&str> = vec![if kind == URL { "url" } else { "command" }];
    if matches!(kind, SSH | TELNET) {
        needed.push("username");
    }
    if kind == SSH && text_of(body, "authtype") == "1" {
        needed.extend(["publickey", "privatekey"]);
    }
    if let Some(missing) = needed.into_iter().find(|it| text_of(body, it).is_empty()) {
        return refuse(missing, "cannot be empty");
    }
    // Names of files in the folder of keys, which nothing leads out of.
    for name in ["publickey", "privatekey"] {
        if text_of(body, name).contains(['/', '\\']) || text_of(body, name).contains("..") {
            return refuse(name, "a file name is expected");
        }
    }
    let parameters = body.get("parameters").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    for (at, it) in parameters.iter().enumerate() {
        let name = |it: &Json| it.get("name").and_then(Json::as_str).map(str::to_owned);
        if parameters.iter().take(at).any(|other| name(other) == name(it)) {
            let shown = name(it).unwrap_or_default();
            let what = format!("value (name)=({shown}) already exists");
            return Err(ConfigError::invalid(edited("parameters").element(at), what));
        }
    }
    Ok(())
}

fn check_validator(body: &Body) -> Result<(), ConfigError> {
    if text_of(body, "manualinput") != "1" {
        return Ok(());
    }
    for name in ["manualinput_prompt", "manualinput_validator"] {
        if text_of(body, name).is_empty() {
            return refuse(name, "cannot be empty");
        }
    }
    let is_pattern = text_of(body, "manualinput_validator_type") != "1";
    if is_pattern && Regexp::new(text_of(body, "manualinput_validator")).is_err() {
        return refuse("manualinput_validator", "invalid regular expression");
    }
    Ok(())
}

/// Values to choose from differ; what stands there at first passes the pattern.
fn check_input(body: &Body) -> Result<(), ConfigError> {
    if text_of(body, "manualinput") != "1" {
        return Ok(());
    }
    let validator = text_of(body, "manualinput_validator");
    if text_of(body, "manualinput_validator_type") == "1" {
        let mut values: Vec<&str> = validator.split(',').map(str::trim).collect();
        let n_values = values.len();
        values.sort_unstable();
        values.dedup();
        if values.len() != n_values {
            return refuse("manualinput_validator", "values must be unique");
        }
        return Ok(());
    }
    let default = text_of(body, "manualinput_default_value");
    if !default.is_empty() && !fits(body, default) {
        let what = format!("input does not match the provided pattern: {validator}");
        return refuse("manualinput_default_value", &what);
    }
    Ok(())
}

/// Whether what was typed in passes a script's validator.
#[must_use]
pub fn fits(script: &Body, input: &str) -> bool {
    let validator = text_of(script, "manualinput_validator");
    if text_of(script, "manualinput_validator_type") == "1" {
        return validator.split(',').any(|it| it.trim() == input);
    }
    Regexp::new(validator).is_ok_and(|it| it.is_match(input).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(change: &Json) -> Result<Body, String> {
        let mut given = json!({"name": "a", "type": "0", "scope": "2", "command": "id"});
        for (name, value) in change.as_object().expect("fields") {
            given[name] = value.clone();
        }
        let given = given.as_object().expect("an object");
        let mut body = SCRIPT.made_of(given).map_err(|it| it.to_string())?;
        check(&Snapshot::default(), &mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    #[test]
    fn fields_required_by_a_type_are_checked() {
        let input = |rest: Json| {
            let mut all = json!({"manualinput": "1", "manualinput_prompt": "p"});
            for (name, value) in rest.as_object().expect("fields") {
                all[name] = value.clone();
            }
            all
        };
        let cases = [
            (json!({"command": ""}), "/1/command\": cannot be empty"),
            (json!({"type": "2"}), "/1/username\": cannot be empty"),
            (
                json!({"type": "2", "username": "u", "authtype": "1"}),
                "/1/publickey\": cannot be empty",
            ),
            (
                json!({"type": "2", "username": "u", "authtype": "1", "publickey": "../k", "privatekey": "k"}),
                "a file name is expected",
            ),
            (json!({"type": "6"}), "/1/url\": cannot be empty"),
            (json!({"type": "6", "scope": "1", "url": "x"}), "value must be one of 2, 4"),
            (json!({"groupid": "7"}), "Host group with ID \"7\" is not available."),
            (json!({"usrgrpid": "7"}), "User group with ID \"7\" is not available."),
            (input(json!({})), "/1/manualinput_validator\": cannot be empty"),
            (input(json!({"manualinput_validator": "("})), "invalid regular expression"),
            (
                input(
                    json!({"manualinput_validator": "^[0-9]+$", "manualinput_default_value": "x"}),
                ),
                "input does not match the provided pattern: ^[0-9]+$",
            ),
            (
                input(json!({"manualinput_validator": "a,b,a", "manualinput_validator_type": "1"})),
                "values must be unique",
            ),
        ];
        for (change, expected) in cases {
            let error = checked(&change).expect_err("refused");
            assert!(error.contains(expected), "{change}: {error}");
        }
        let parameters = json!([{"name": "a", "value": ""}, {"name": "a", "value": ""}]);
        let error = checked(&json!({"type": "5", "parameters": parameters})).expect_err("twice");
        assert!(error.contains("already exists"), "{error}");
    }

    #[test]
    fn ports_and_times_have_their_form() {
        let error_of = |it: Result<(), Cow<'static, str>>| it.err().unwrap_or_default();
        for (text, expected) in [
            ("0", ""),
            ("65535", ""),
            ("{$PORT}", ""),
            ("65536", "value must be one of 0-65535"),
            ("ssh", "a port number is expected"),
        ] {
            assert_eq!(error_of(port(text)), expected, "{text}");
        }
        for (text, expected) in [
            ("1m", ""),
            ("{$T}", ""),
            ("61", "value must be one of 1-60"),
            ("x", "a time unit is expected"),
        ] {
            assert_eq!(error_of(timeout(text)), expected, "{text}");
        }
    }

    #[test]
    fn fields_of_other_types_are_as_they_were_made() {
        let body = checked(&json!({
            "type": "5", "execute_on": "0", "username": "u", "password": "p", "url": "x",
            "scope": "1", "menu_path": "a", "confirmation": "?", "timeout": "{$T}",
        }));
        let body = body.expect("good");
        let texts =
            ["execute_on", "username", "password", "url", "menu_path", "confirmation", "timeout"];
        assert_eq!(texts.map(|it| text_of(&body, it)), ["2", "", "", "", "", "", "{$T}"]);
    }

    #[test]
    fn paths_in_the_menu_are_compared_by_their_folders() {
        for path in ["a/b", "/a/b/", " a / b ", "a/b/"] {
            assert_eq!(folders(path), ["a", "b"], "{path}");
        }
        assert_eq!(folders(r"a\/b/c"), [r"a\/b", "c"]);
        assert_eq!((folders(""), folders("a//b").len()), (vec![], 3));
        let error = checked(&json!({"menu_path": "a//b"})).expect_err("a folder without a name");
        assert!(error.contains("/1/menu_path\": directory cannot be empty"), "{error}");
    }

    #[test]
    fn input_has_to_fit() {
        let of = |kind: &str, validator: &str| {
            let fields =
                json!({"manualinput_validator": validator, "manualinput_validator_type": kind});
            fields.as_object().cloned().expect("an object")
        };
        assert!(fits(&of("0", "^[0-9]+$"), "12"));
        assert!(!fits(&of("0", "^[0-9]+$"), "12; rm -rf /"));
        assert!(fits(&of("1", "dev, prod"), "prod"));
        assert!(!fits(&of("1", "dev, prod"), "pro"));
    }
}
