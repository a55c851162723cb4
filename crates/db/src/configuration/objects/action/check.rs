//! Rules of an action that its description does not have. Errors are Zabbix's.

use std::collections::BTreeSet;

use alert::EventSource;
use alert::judging::{ConditionKind, Formula};
use formats::number::parse_duration_s;
use lang::macros::UserMacro;
use lang::net::{IpRanges, PortRanges};
use lang::time_period::TimePeriod;
use model::document::Body;
use model::field_path::FieldPath;
use serde_json::{Value as Json, json};

use super::super::drule;
use crate::error::{ConfigError, edited};

const MINUTE: u64 = 60;
const WEEK: u64 = 7 * 86_400;

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
        if kind_of(it) == Some(ConditionKind::Proxy) {
            let path = edited("filter").member("conditions").element(at).member("conditiontype");
            return Err(ConfigError::invalid(path, "conditions on proxies are not supported yet"));
        }
    }
    Ok(())
}

/// Whether there are operations, and each has what it needs: checked before what they name is looked up.
pub fn check_operations(body: &Body) -> Result<(), ConfigError> {
    let source = source_of(body);
    let is_any = LISTS.iter().any(|(_, list)| parts(body, list).next().is_some());
    if !is_any {
        let name = text_of(body, "name");
        let what = format!("No operations defined for action \"{name}\".");
        return Err(ConfigError::parameters(what));
    }
    for (mode, list) in LISTS {
        let mut seen = BTreeSet::new();
        for it in parts(body, list) {
            if mode == Mode::Steps {
                check_once(it, &mut seen, text_of(body, "name"))?;
                check_steps(it)?;
            }
            check_targets(it, source)?;
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
        check_filter(filter)?;
    }
    for (mode, list) in LISTS {
        let Some(Json::Array(operations)) = body.get_mut(list) else { continue };
        for (at, it) in operations.iter_mut().filter_map(Json::as_object_mut).enumerate() {
            normalize(it, (source, mode));
            if let Some(period) = it.get("esc_period").and_then(Json::as_str) {
                check_period(period, true, &edited(list).element(at))?;
            }
            check_opconditions(it, &edited(list).element(at))?;
        }
    }
    check_operations(body)?;
    if let Some(Json::Array(operations)) = body.get_mut("operations")
        && source.has_problems()
    {
        for it in operations.iter_mut().filter_map(Json::as_object_mut) {
            for (name, value) in STEPS {
                it.entry(name).or_insert_with(|| json!(value));
            }
        }
    }
    Ok(())
}

const STEPS: [(&str, &str); 3] =
    [("esc_period", "0"), ("esc_step_from", "1"), ("esc_step_to", "1")];

/// Each operation on a host may exist once.
fn check_once(operation: &Body, seen: &mut BTreeSet<i64>, action: &str) -> Checked {
    const ONCE: [(i64, &str); 5] = [
        (2, "Add host"),
        (3, "Remove host"),
        (8, "Enable host"),
        (9, "Disable host"),
        (10, "Set host inventory mode"),
    ];
    let kind = number_of(operation, "operationtype");
    match ONCE.iter().find(|(it, _)| *it == kind) {
        Some((_, name)) if !seen.insert(kind) => Err(ConfigError::parameters(format_args!(
            "Operation \"{name}\" already exists for action \"{action}\"."
        ))),
        _ => Ok(()),
    }
}

fn source_of(body: &Body) -> EventSource {
    let code = u8::try_from(number_of(body, "eventsource")).unwrap_or_default();
    EventSource::from_code(code).unwrap_or(EventSource::Trigger)
}

fn kind_of(condition: &Body) -> Option<ConditionKind> {
    ConditionKind::from_code(text_of(condition, "conditiontype").parse().ok()?)
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

fn check_filter(filter: &mut Body) -> Checked {
    let path = edited("filter");
    // A filter that was left out has no value in it.
    if text_of(filter, "evaltype").is_empty() {
        filter.insert("evaltype".to_owned(), json!("0"));
    }
    let is_custom = text_of(filter, "evaltype") == "3";
    let formula = if is_custom { text_of(filter, "formula").to_owned() } else { String::new() };
    let mut letters = BTreeSet::new();
    if is_custom {
        let read = Formula::parse(&formula)
            .map_err(|error| ConfigError::invalid(path.member("formula"), error.to_string()))?;
        read.each(&mut |it| {
            letters.insert(it.clone());
        });
    }
    if let Some(Json::Array(conditions)) = filter.get_mut("conditions") {
        for (at, it) in conditions.iter_mut().filter_map(Json::as_object_mut).enumerate() {
            check_condition(it, is_custom, &path.member("conditions").element(at))?;
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

fn check_condition(condition: &mut Body, is_custom: bool, path: &FieldPath) -> Checked {
    let letters = text_of(condition, "formulaid");
    if is_custom && !letters.bytes().all(|it| it.is_ascii_uppercase()) {
        let what = "an uppercase identifier is expected";
        return Err(ConfigError::invalid(path.member("formulaid"), what));
    }
    check_value(condition, path)?;
    for (name, value) in [("operator", "0"), ("value", ""), ("value2", ""), ("formulaid", "")] {
        condition.entry(name).or_insert_with(|| json!(value));
    }
    if !is_custom {
        condition.insert("formulaid".to_owned(), json!(""));
    }
    Ok(())
}

fn check_value(condition: &Body, path: &FieldPath) -> Checked {
    let value = text_of(condition, "value");
    let wrong = |what: &str| Err(ConfigError::invalid(path.member("value"), what));
    let is_ordered = matches!(text_of(condition, "operator"), "2" | "3" | "5" | "6");
    match kind_of(condition) {
        Some(ConditionKind::ReceivedValue) if is_ordered && value.is_empty() => {
            wrong("cannot be empty")
        }
        Some(ConditionKind::TimePeriod)
            if !is_macro(value) && TimePeriod::parse(value).is_none() =>
        {
            wrong("a time period is expected")
        }
        Some(ConditionKind::HostIp) => match drule::range_error(value) {
            Some(what) => wrong(&what),
            None if IpRanges::parse(value).is_none() => {
                wrong(&format!("invalid address range \"{value}\""))
            }
            None => Ok(()),
        },
        Some(ConditionKind::ServicePort) if PortRanges::parse(value).is_none() => {
            wrong("invalid range expression")
        }
        _ => Ok(()),
    }
}

/// The parts that an operation has by its type.
fn parts_of(kind: i64, source: EventSource) -> &'static [&'static str] {
    match kind {
        MESSAGE => &["opmessage", "opmessage_grp", "opmessage_usr", "opmessage_oncall"],
        RECOVERY_MESSAGE | UPDATE_MESSAGE => &["opmessage"],
        COMMAND if source == EventSource::Service => &["opcommand"],
        COMMAND => &["opcommand", "opcommand_grp", "opcommand_hst"],
        4 | 5 => &["opgroup"],
        6 | 7 => &["optemplate"],
        10 => &["opinventory"],
        13 | 14 => &["optag"],
        _ => &[],
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

/// The fields of its type and time, and no others.
fn normalize(operation: &mut Body, (source, mode): (EventSource, Mode)) {
    let of_type = parts_of(number_of(operation, "operationtype"), source);
    for name in ALL_PARTS {
        if of_type.contains(&name) {
            operation.entry(name).or_insert_with(|| json!([]));
        } else {
            operation.remove(name);
        }
    }
    if let Some(Json::Object(message)) = operation.get_mut("opmessage") {
        for (name, value) in [("subject", ""), ("message", ""), ("mediatypeid", "0")] {
            message.entry(name).or_insert_with(|| json!(value));
        }
    }
    if mode == Mode::Steps && source == EventSource::Trigger {
        operation.entry("evaltype").or_insert_with(|| json!("0"));
        operation.entry("opconditions").or_insert_with(|| json!([]));
    } else {
        operation.remove("evaltype");
        operation.remove("opconditions");
    }
}

/// Steps are given from first to last.
fn check_steps(operation: &Body) -> Checked {
    let given = |name: &str| operation.get(name).and_then(Json::as_str);
    match (given("esc_step_from"), given("esc_step_to")) {
        (None, None) => Ok(()),
        (Some(_), Some(_)) => {
            let from = number_of(operation, "esc_step_from");
            let to = number_of(operation, "esc_step_to");
            if to != 0 && to < from {
                let what = "Incorrect action operation escalation step values.";
                return Err(ConfigError::parameters(what));
            }
            Ok(())
        }
        _ => {
            let what = "Parameters \"esc_step_from\" and \"esc_step_to\" must be set together.";
            Err(ConfigError::parameters(what))
        }
    }
}

fn check_opconditions(operation: &Body, path: &FieldPath) -> Checked {
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

fn check_targets(operation: &Body, source: EventSource) -> Checked {
    let has = |name: &str| parts(operation, name).next().is_some();
    let kind = number_of(operation, "operationtype");
    let recipients = ["opmessage_grp", "opmessage_usr", "opmessage_oncall"];
    if kind == MESSAGE && !recipients.into_iter().any(has) {
        let what = "No recipients specified for action operation message.";
        return Err(ConfigError::parameters(what));
    }
    let is_on_hosts = kind == COMMAND && source != EventSource::Service;
    if is_on_hosts && !has("opcommand_grp") && !has("opcommand_hst") {
        let what = "No targets specified for action operation global script.";
        return Err(ConfigError::parameters(what));
    }
    Ok(())
}

/// Objects that an action names by id, in the order in which they are checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Named {
    /// A global script of scope 1.
    Script,
    HostGroup,
    /// A host group whose hosts an operation changes, or where it executes something.
    ChangedHostGroup,
    Host,
    /// A host where an operation executes something.
    ChangedHost,
    Template,
    User,
    UserGroup,
    Trigger,
    /// Of network discovery.
    DiscoveryRule,
    DiscoveryCheck,
    Service,
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
