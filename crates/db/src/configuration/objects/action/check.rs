//! Valid combinations of fields in an action. Errors are Zabbix's.

use std::collections::BTreeSet;

use alert::EventSource;
use alert::judging::{ConditionKind, ConditionOperator, Formula, InternalKind};
use formats::number::parse_duration_s;
use lang::macros::UserMacro;
use lang::net::{IpRanges, PortRanges};
use lang::time_period::TimePeriod;
use model::document::Body;
use model::field_path::FieldPath;
use serde_json::{Value as Json, json};

use crate::error::{ConfigError, edited};

const MINUTE: u64 = 60;
const WEEK: u64 = 7 * 86_400;
/// Codes of services that network discovery looks for.
const SERVICE_TYPES: &[i64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const MONTH: i64 = 30 * 86_400;

const MESSAGE: i64 = 0;
const COMMAND: i64 = 1;
const RECOVERY_MESSAGE: i64 = 11;
const UPDATE_MESSAGE: i64 = 12;

/// When operations are done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Steps,
    Recovery,
    Update,
}

const LISTS: [(Mode, &str); 3] = [
    (Mode::Steps, "operations"),
    (Mode::Recovery, "recovery_operations"),
    (Mode::Update, "update_operations"),
];

type Checked = Result<(), ConfigError>;

/// Checks a whole body and brings it into its form. Whether what it names by id is there is asked where
/// it is given: objects deleted later must not keep an action from being changed.
pub(super) fn check(body: &mut Body) -> Checked {
    check_form(body)?;
    let filter = body.get("filter").and_then(Json::as_object);
    for (at, it) in filter.into_iter().flat_map(|it| parts(it, "conditions")).enumerate() {
        if text_of(it, "conditiontype") == ConditionKind::Proxy.code().to_string() {
            let path = edited("filter").member("conditions").element(at).member("conditiontype");
            return Err(ConfigError::invalid(path, "conditions on proxies are not supported yet"));
        }
    }
    Ok(())
}

/// All but what is not supported yet and what is not there.
fn check_form(body: &mut Body) -> Checked {
    let source = source_of(body);
    if source.has_problems() {
        check_period(text_of(body, "esc_period"), false, &FieldPath::object(0))?;
    }
    if let Some(Json::Object(filter)) = body.get_mut("filter") {
        check_filter(filter, source)?;
    }
    let is_any = LISTS.iter().any(|(_, list)| parts(body, list).next().is_some());
    if !is_any {
        let name = text_of(body, "name");
        let what = format!("No operations defined for action \"{name}\".");
        return Err(ConfigError::parameters(what));
    }
    for (mode, list) in LISTS {
        let is_possible = match mode {
            Mode::Steps => true,
            Mode::Recovery => source.has_problems(),
            Mode::Update => source.has_updates(),
        };
        let Some(Json::Array(operations)) = body.get_mut(list) else { continue };
        if !operations.is_empty() && !is_possible {
            return Err(ConfigError::unexpected(FieldPath::object(0), list));
        }
        for (at, it) in operations.iter_mut().filter_map(Json::as_object_mut).enumerate() {
            check_operation(it, (source, mode), &edited(list).element(at))?;
        }
    }
    check_once(body)
}

/// Each operation on a host may exist once.
fn check_once(body: &Body) -> Checked {
    const ONCE: [(&str, &str); 5] = [
        ("2", "Add host"),
        ("3", "Remove host"),
        ("8", "Enable host"),
        ("9", "Disable host"),
        ("10", "Set host inventory mode"),
    ];
    for (kind, name_of_kind) in ONCE {
        let n = parts(body, "operations").filter(|it| text_of(it, "operationtype") == kind).count();
        if n > 1 {
            let name = text_of(body, "name");
            return Err(ConfigError::parameters(format_args!(
                "Operation \"{name_of_kind}\" already exists for action \"{name}\"."
            )));
        }
    }
    Ok(())
}

fn source_of(body: &Body) -> EventSource {
    let code = u8::try_from(number_of(body, "eventsource")).unwrap_or_default();
    EventSource::from_code(code).unwrap_or(EventSource::Trigger)
}

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number_of(body: &Body, name: &str) -> i64 {
    text_of(body, name).parse().unwrap_or(0)
}

pub(super) fn parts<'a>(body: &'a Body, name: &str) -> impl Iterator<Item = &'a Body> {
    let list = body.get(name).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Json::as_object)
}

fn one_of(codes: impl IntoIterator<Item = i64>) -> String {
    let codes: Vec<String> = codes.into_iter().map(|it| it.to_string()).collect();
    match codes.as_slice() {
        [one] => format!("value must be {one}"),
        _ => format!("value must be one of {}", codes.join(", ")),
    }
}

fn is_macro(text: &str) -> bool {
    UserMacro::parse_definition(text).is_some()
}

/// The `esc_period` of what stands at a path.
fn check_period(text: &str, may_be_zero: bool, path: &FieldPath) -> Checked {
    if is_macro(text) {
        return Ok(());
    }
    let wrong = |what: &str| Err(ConfigError::invalid(path.member("esc_period"), what));
    match parse_duration_s(text) {
        None => wrong("a time unit is expected"),
        Some(0) if may_be_zero => Ok(()),
        Some(it) if (MINUTE..=WEEK).contains(&it) => Ok(()),
        Some(_) => {
            let zero = if may_be_zero { "0, " } else { "" };
            wrong(&format!("value must be one of {zero}{MINUTE}-{WEEK}"))
        }
    }
}

fn check_filter(filter: &mut Body, source: EventSource) -> Checked {
    let path = edited("filter");
    // Lists that were left out are empty by now.
    if filter.values().all(is_empty) {
        filter.insert("evaltype".to_owned(), json!("0"));
    } else if !filter.contains_key("evaltype") {
        return Err(ConfigError::missing(path, "evaltype"));
    }
    let is_custom = text_of(filter, "evaltype") == "3";
    let formula = text_of(filter, "formula").to_owned();
    if is_custom && !filter.contains_key("formula") {
        return Err(ConfigError::missing(path, "formula"));
    }
    if !is_custom && !formula.is_empty() {
        return Err(ConfigError::unexpected(path, "formula"));
    }
    let mut letters = BTreeSet::new();
    let at_formula = || path.member("formula");
    if is_custom {
        if formula.is_empty() {
            return Err(ConfigError::invalid(at_formula(), "cannot be empty"));
        }
        let read = Formula::parse(&formula)
            .map_err(|error| ConfigError::invalid(at_formula(), error.to_string()))?;
        read.each(&mut |it| {
            letters.insert(it.clone());
        });
    }
    if let Some(Json::Array(conditions)) = filter.get_mut("conditions") {
        for (at, it) in conditions.iter_mut().filter_map(Json::as_object_mut).enumerate() {
            check_condition(it, (source, is_custom), &path.member("conditions").element(at))?;
        }
    }
    if is_custom {
        check_letters(filter, &letters, &path.member("conditions"))?;
    }
    filter.insert("formula".to_owned(), Json::from(formula));
    filter.entry("conditions").or_insert_with(|| json!([]));
    Ok(())
}

fn check_letters(filter: &Body, letters: &BTreeSet<String>, path: &FieldPath) -> Checked {
    let mut seen = BTreeSet::new();
    for (at, it) in parts(filter, "conditions").enumerate() {
        let own = text_of(it, "formulaid");
        if !seen.insert(own) {
            let what = format!("value (formulaid)=({own}) already exists");
            return Err(ConfigError::invalid(path.element(at), what));
        }
    }
    if seen.len() != letters.len() {
        return Err(ConfigError::invalid(path, "incorrect number of conditions"));
    }
    for (at, it) in parts(filter, "conditions").enumerate() {
        if !letters.contains(text_of(it, "formulaid")) {
            let path = path.element(at).member("formulaid");
            let what = "an identifier is not defined in the formula";
            return Err(ConfigError::invalid(path, what));
        }
    }
    Ok(())
}

fn check_condition(
    condition: &mut Body,
    (source, is_custom): (EventSource, bool),
    path: &FieldPath,
) -> Checked {
    let code = u8::try_from(number_of(condition, "conditiontype")).unwrap_or(u8::MAX);
    let kind = ConditionKind::all_of(source).find(|it| it.code() == code);
    let Some(kind) = kind else {
        let what = one_of(ConditionKind::all_of(source).map(|it| i64::from(it.code())));
        return Err(ConfigError::invalid(path.member("conditiontype"), what));
    };
    if is_custom {
        let letters = text_of(condition, "formulaid");
        if !condition.contains_key("formulaid") {
            return Err(ConfigError::missing(path, "formulaid"));
        }
        if letters.is_empty() || !letters.bytes().all(|it| it.is_ascii_uppercase()) {
            let what = if letters.is_empty() {
                "cannot be empty"
            } else {
                "an uppercase identifier is expected"
            };
            return Err(ConfigError::invalid(path.member("formulaid"), what));
        }
    } else {
        condition.insert("formulaid".to_owned(), json!(""));
    }
    let operator = match condition.get("operator").and_then(Json::as_str) {
        Some(it) => it.parse().unwrap_or(u8::MAX),
        None if kind.operators().contains(&ConditionOperator::Equal) => 0,
        None => return Err(ConfigError::missing(path, "operator")),
    };
    if !kind.operators().iter().any(|it| it.code() == operator) {
        let what = one_of(kind.operators().iter().map(|it| i64::from(it.code())));
        return Err(ConfigError::invalid(path.member("operator"), what));
    }
    condition.insert("operator".to_owned(), Json::from(operator.to_string()));
    check_value(condition, kind, path)?;
    let is_of_tag = kind == ConditionKind::TagValue;
    let tag = text_of(condition, "value2");
    match (is_of_tag, tag.is_empty()) {
        (true, true) if !condition.contains_key("value2") => {
            return Err(ConfigError::missing(path, "value2"));
        }
        (true, true) => {
            return Err(ConfigError::invalid(path.member("value2"), "cannot be empty"));
        }
        (false, false) => return Err(ConfigError::unexpected(path, "value2")),
        _ => {}
    }
    for name in ["value", "value2"] {
        condition.entry(name).or_insert_with(|| json!(""));
    }
    Ok(())
}

fn check_value(condition: &Body, kind: ConditionKind, path: &FieldPath) -> Checked {
    let value = text_of(condition, "value");
    let wrong = |what: &str| Err(ConfigError::invalid(path.member("value"), what));
    if kind == ConditionKind::Suppressed {
        return if value.is_empty() { Ok(()) } else { Err(ConfigError::unexpected(path, "value")) };
    }
    if !condition.contains_key("value") && kind != ConditionKind::TagValue {
        return Err(ConfigError::missing(path, "value"));
    }
    let codes = |codes: &[i64]| match value.parse::<i64>() {
        Ok(it) if codes.contains(&it) => Ok(()),
        Ok(_) => wrong(&one_of(codes.iter().copied())),
        Err(_) => wrong("an integer is expected"),
    };
    let is_ordered = matches!(text_of(condition, "operator"), "2" | "3" | "5" | "6");
    match kind {
        _ if kind.link().is_some() => match value.parse::<u64>() {
            Ok(_) => Ok(()),
            Err(_) => wrong("a number is expected"),
        },
        ConditionKind::Severity => codes(&[0, 1, 2, 3, 4, 5]),
        ConditionKind::DiscoveryStatus => codes(&[0, 1, 2, 3]),
        ConditionKind::DiscoveryObject => codes(&[1, 2]),
        ConditionKind::ServiceType => codes(SERVICE_TYPES),
        ConditionKind::EventType => codes(&[
            i64::from(InternalKind::ItemNotSupported.code()),
            i64::from(InternalKind::RuleNotSupported.code()),
            i64::from(InternalKind::TriggerUnknown.code()),
        ]),
        ConditionKind::Duration => match value.parse::<i64>() {
            Ok(it) if (0..=MONTH).contains(&it) => Ok(()),
            Ok(_) => wrong(&format!("value must be one of 0-{MONTH}")),
            Err(_) => wrong("an integer is expected"),
        },
        ConditionKind::TagValue => Ok(()),
        ConditionKind::ReceivedValue if !is_ordered => Ok(()),
        _ if value.is_empty() => wrong("cannot be empty"),
        ConditionKind::TimePeriod if is_macro(value) => Ok(()),
        ConditionKind::TimePeriod if TimePeriod::parse(value).is_none() => {
            wrong("a time period is expected")
        }
        ConditionKind::HostIp if IpRanges::parse(value).is_none() => {
            wrong("an IP address, range or subnet is expected")
        }
        ConditionKind::ServicePort if PortRanges::parse(value).is_none() => {
            wrong("invalid range expression")
        }
        _ => Ok(()),
    }
}

/// Types of operations that there are for events of a source, at a time.
fn kinds_of(source: EventSource, mode: Mode) -> &'static [i64] {
    match (source, mode) {
        (EventSource::Internal, Mode::Steps) => &[MESSAGE],
        (EventSource::Internal, _) => &[MESSAGE, RECOVERY_MESSAGE],
        (EventSource::Discovery, _) => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14],
        (EventSource::Autoregistration, _) => &[0, 1, 2, 4, 6, 9, 10, 13, 14],
        (_, Mode::Steps) => &[MESSAGE, COMMAND],
        (_, Mode::Recovery) => &[MESSAGE, COMMAND, RECOVERY_MESSAGE],
        (_, Mode::Update) => &[MESSAGE, COMMAND, UPDATE_MESSAGE],
    }
}

/// The parts that an operation has by its type: those that it must have, and those that it may have.
fn parts_of(kind: i64, source: EventSource) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        MESSAGE => (&["opmessage"], &["opmessage_grp", "opmessage_usr", "opmessage_oncall"]),
        RECOVERY_MESSAGE | UPDATE_MESSAGE => (&["opmessage"], &[]),
        COMMAND if source == EventSource::Service => (&["opcommand"], &[]),
        COMMAND => (&["opcommand"], &["opcommand_grp", "opcommand_hst"]),
        4 | 5 => (&["opgroup"], &[]),
        6 | 7 => (&["optemplate"], &[]),
        10 => (&["opinventory"], &[]),
        13 | 14 => (&["optag"], &[]),
        _ => (&[], &[]),
    }
}

const ALL_PARTS: [&str; 11] = [
    "opmessage",
    "opmessage_grp",
    "opmessage_usr",
    "opmessage_oncall",
    "opcommand",
    "opcommand_grp",
    "opcommand_hst",
    "opgroup",
    "optemplate",
    "opinventory",
    "optag",
];

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Array(it) => it.is_empty(),
        Json::Object(it) => it.is_empty(),
        _ => false,
    }
}

fn check_operation(
    operation: &mut Body,
    (source, mode): (EventSource, Mode),
    path: &FieldPath,
) -> Checked {
    let kind = number_of(operation, "operationtype");
    let kinds = kinds_of(source, mode);
    if !kinds.contains(&kind) {
        let path = path.member("operationtype");
        return Err(ConfigError::invalid(path, one_of(kinds.iter().copied())));
    }
    check_steps(operation, mode == Mode::Steps && source.has_problems(), path)?;
    check_opconditions(operation, mode == Mode::Steps && source == EventSource::Trigger, path)?;
    let (needed, possible) = parts_of(kind, source);
    for name in ALL_PARTS {
        let is_of_kind = needed.contains(&name) || possible.contains(&name);
        match operation.get(name) {
            Some(value) if !is_of_kind && !is_empty(value) => {
                return Err(ConfigError::unexpected(path, name));
            }
            Some(_) if !is_of_kind => {
                operation.remove(name);
            }
            None if needed.contains(&name) => return Err(ConfigError::missing(path, name)),
            None if is_of_kind => {
                operation.insert(name.to_owned(), json!([]));
            }
            Some(Json::Array(it)) if needed.contains(&name) && it.is_empty() => {
                let path = path.member(name);
                return Err(ConfigError::invalid(path, "cannot be empty"));
            }
            _ => {}
        }
    }
    if let Some(Json::Object(command)) = operation.get("opcommand")
        && !command.contains_key("scriptid")
    {
        return Err(ConfigError::missing(path.member("opcommand"), "scriptid"));
    }
    if let Some(Json::Object(inventory)) = operation.get("opinventory")
        && !inventory.contains_key("inventory_mode")
    {
        return Err(ConfigError::missing(path.member("opinventory"), "inventory_mode"));
    }
    if let Some(Json::Object(message)) = operation.get_mut("opmessage") {
        check_message(message, kind, &path.member("opmessage"))?;
    }
    let has = |name: &str| parts(operation, name).next().is_some();
    let recipients = ["opmessage_grp", "opmessage_usr", "opmessage_oncall"];
    if kind == MESSAGE && !recipients.into_iter().any(has) {
        let what = "No recipients specified for action operation message.";
        return Err(ConfigError::parameters(what));
    }
    if kind == COMMAND
        && source != EventSource::Service
        && !has("opcommand_grp")
        && !has("opcommand_hst")
    {
        let what = "No targets specified for action operation global script.";
        return Err(ConfigError::parameters(what));
    }
    Ok(())
}

const STEPS: [(&str, &str); 3] =
    [("esc_period", "0"), ("esc_step_from", "1"), ("esc_step_to", "1")];

fn check_steps(operation: &mut Body, has_steps: bool, path: &FieldPath) -> Checked {
    if !has_steps {
        return match STEPS.iter().find(|(name, _)| operation.contains_key(*name)) {
            Some((name, _)) => Err(ConfigError::unexpected(path, name)),
            None => Ok(()),
        };
    }
    if let Some(period) = operation.get("esc_period").and_then(Json::as_str) {
        check_period(period, true, path)?;
    }
    let has = |name: &str| operation.contains_key(name);
    if has("esc_step_from") != has("esc_step_to") {
        let what = "Parameters \"esc_step_from\" and \"esc_step_to\" must be set together.";
        return Err(ConfigError::parameters(what));
    }
    for (name, value) in STEPS {
        operation.entry(name).or_insert_with(|| json!(value));
    }
    let (from, to) = (number_of(operation, "esc_step_from"), number_of(operation, "esc_step_to"));
    if to != 0 && to < from {
        let what = "Incorrect action operation escalation step values.";
        return Err(ConfigError::parameters(what));
    }
    Ok(())
}

fn check_opconditions(operation: &mut Body, is_possible: bool, path: &FieldPath) -> Checked {
    if !is_possible {
        if parts(operation, "opconditions").next().is_some() {
            return Err(ConfigError::unexpected(path, "opconditions"));
        }
        if operation.remove("evaltype").is_some_and(|it| it != "0") {
            return Err(ConfigError::unexpected(path, "evaltype"));
        }
        operation.remove("opconditions");
        return Ok(());
    }
    operation.entry("evaltype").or_insert_with(|| json!("0"));
    operation.entry("opconditions").or_insert_with(|| json!([]));
    let mut seen = BTreeSet::new();
    for (at, it) in parts(operation, "opconditions").enumerate() {
        let value = text_of(it, "value");
        if !seen.insert(value) {
            let what = format!("value (value)=({value}) already exists");
            return Err(ConfigError::invalid(path.member("opconditions").element(at), what));
        }
    }
    Ok(())
}

fn check_message(message: &mut Body, kind: i64, path: &FieldPath) -> Checked {
    message.entry("default_msg").or_insert_with(|| json!("1"));
    if kind == RECOVERY_MESSAGE && !matches!(text_of(message, "mediatypeid"), "" | "0") {
        return Err(ConfigError::unexpected(path, "mediatypeid"));
    }
    if text_of(message, "default_msg") == "1" {
        for name in ["subject", "message"] {
            if !text_of(message, name).is_empty() {
                return Err(ConfigError::unexpected(path, name));
            }
        }
    }
    for (name, value) in [("subject", ""), ("message", ""), ("mediatypeid", "0")] {
        message.entry(name).or_insert_with(|| json!(value));
    }
    Ok(())
}

/// Objects that an action names by id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Named {
    HostGroup,
    Host,
    Template,
    Trigger,
    User,
    UserGroup,
    /// A global script of scope 1.
    Script,
    /// A host group whose hosts an operation changes, or where it executes something.
    ChangedHostGroup,
    /// A host where an operation executes something.
    ChangedHost,
    Service,
    /// Of network discovery.
    DiscoveryRule,
    DiscoveryCheck,
}

impl Named {
    /// The error if it does not exist, or the caller may not see it.
    #[must_use]
    pub const fn error_text(self) -> &'static str {
        match self {
            Self::Script => {
                "Specified script does not exist or you do not have rights on it for action operation \
                 command."
            }
            Self::HostGroup | Self::ChangedHostGroup => {
                "Incorrect action condition or operation host group. Host group does not exist or you \
                 have no access to it."
            }
            Self::Host | Self::ChangedHost => {
                "Incorrect action condition or operation host. Host does not exist or you have no \
                 access to it."
            }
            Self::Service => {
                "Incorrect action condition service. Service does not exist or you have no access to it."
            }
            Self::DiscoveryRule => {
                "Incorrect action condition discovery rule. Discovery rule does not exist or you have no \
                 access to it."
            }
            Self::DiscoveryCheck => {
                "Incorrect action condition discovery check. Discovery check does not exist or you have \
                 no access to it."
            }
            Self::Template => {
                "Incorrect action condition or operation template. Template does not exist or you have \
                 no access to it."
            }
            Self::Trigger => {
                "Incorrect action condition trigger. Trigger does not exist or you have no access to it."
            }
            Self::User => {
                "Incorrect action operation user. User does not exist or you have no access to it."
            }
            Self::UserGroup => {
                "Incorrect action operation user group. User group does not exist or you have no access \
                 to it."
            }
        }
    }
}

/// Objects that a body, or its given part, names by id.
#[must_use]
pub fn named_in(body: &Body) -> BTreeSet<(Named, u64)> {
    let mut named = BTreeSet::new();
    let mut add = |what: Named, part: &Body, field: &str| {
        // Host 0 of a command is the one of the event.
        if let Some(id) =
            text_of(part, field).parse().ok().filter(|it| *it != 0 || field != "hostid")
        {
            named.insert((what, id));
        }
    };
    let filter = body.get("filter").and_then(Json::as_object);
    for it in filter.into_iter().flat_map(|it| parts(it, "conditions")) {
        match text_of(it, "conditiontype") {
            "0" => add(Named::HostGroup, it, "value"),
            "1" => add(Named::Host, it, "value"),
            "2" => add(Named::Trigger, it, "value"),
            "13" => add(Named::Template, it, "value"),
            "18" => add(Named::DiscoveryRule, it, "value"),
            "19" => add(Named::DiscoveryCheck, it, "value"),
            "27" => add(Named::Service, it, "value"),
            _ => {}
        }
    }
    for operation in LISTS.iter().flat_map(|(_, list)| parts(body, list)) {
        for (list, what, field) in [
            ("opmessage_grp", Named::UserGroup, "usrgrpid"),
            ("opmessage_usr", Named::User, "userid"),
            ("opcommand_grp", Named::ChangedHostGroup, "groupid"),
            ("opcommand_hst", Named::ChangedHost, "hostid"),
            ("opgroup", Named::ChangedHostGroup, "groupid"),
            ("optemplate", Named::Template, "templateid"),
        ] {
            parts(operation, list).for_each(|it| add(what, it, field));
        }
        if let Some(Json::Object(command)) = operation.get("opcommand") {
            add(Named::Script, command, "scriptid");
        }
    }
    named
}

#[cfg(test)]
mod tests;
