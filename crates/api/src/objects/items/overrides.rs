//! Filters and overrides of discovery rules: their fields, checks and answers.

use std::borrow::Cow;

use model::HostId;
use model::content::{FilterCondition, LldFilter, LldOverride};
use model::field_path::FieldPath;
use serde_json::{Value, json};

use crate::describe::{Depends, FLAG, Field, FieldType, Form, Rule, When};
use crate::error::ApiError;
use crate::json::{self, Fields, flag, list_of, number, str_of, text};
use crate::objects::common::checks;
use crate::objects::common::parts::{LINE, TAG};
use crate::objects::items::interval;
use crate::objects::items::rules::single::{self, Macros, PERIOD_MAX_S};
use crate::query::Output;
use crate::shared::Ctx;

fn lld_macro(text: &str) -> Result<(), Cow<'static, str>> {
    if lang::macros::is_lld_macro(text) {
        return Ok(());
    }
    Err("a low-level discovery macro is expected".into())
}

/// The name of an LLD macro.
pub(crate) const LLD_MACRO: Form =
    Form::new("lld-macro", "an LLD macro such as `{#NAME}`", lld_macro);
const FORMULA: Form = Form::new(
    "condition-formula",
    "letters of conditions joined by `and`, `or`, `not` and parentheses",
    formula,
);

const WITH_PATTERN: &[When] = &[When::of("operator", &["8", "9"])];
const CUSTOM: &[When] = &[When::of("evaltype", &["3"])];

const CONDITION: &[Field] = &[
    Field::new("formulaid", LINE, Rule::Optional, "Letter in a custom formula"),
    Field::new("macro", LINE, Rule::Required, "LLD macro").shaped(&LLD_MACRO),
    Field::new(
        "operator",
        FieldType::Code(&[8, 9, 12, 13]),
        Rule::Default("8"),
        "8 matches, 9 does not match, 12 exists, 13 does not exist",
    ),
    Field::new("value", LINE, Rule::Default(""), "Regular expression, or @name of a global one")
        .or_empty()
        .depends(&Depends::needed(WITH_PATTERN)),
];

pub(crate) const FILTER: &[Field] = &[
    Field::new(
        "evaltype",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::Required,
        "0 and/or, 1 and, 2 or, 3 custom formula",
    ),
    Field::new("formula", LINE, Rule::Default(""), "Custom formula")
        .shaped(&FORMULA)
        .depends(&Depends::needed(CUSTOM)),
    Field::new("conditions", FieldType::List(CONDITION), Rule::Required, "Conditions").or_empty(),
    Field::new("eval_formula", LINE, Rule::WriteOnly, "Ignored").ignored(),
];

/// Which prototypes an action of an operation is for, by codes of `operationobject`.
macro_rules! for_objects {
    ($($code:literal),+) => {
        &Depends::only(&[When::of("operationobject", &[$($code),+])])
    };
}

const OPERATION: &[Field] = &[
    Field::new(
        "operationobject",
        FieldType::Code(&[0, 1, 2, 3, 4]),
        Rule::Required,
        "0 item, 1 trigger, 2 graph, 3 host, 4 rule prototypes",
    ),
    Field::new(
        "operator",
        FieldType::Code(&[0, 1, 2, 3, 8, 9]),
        Rule::Default("0"),
        "0 equals, 1 does not equal, 2 contains, 3 does not contain, 8 matches, 9 does not match",
    ),
    Field::new("value", LINE, Rule::Default(""), "The text to compare the object's name with"),
    Field::new(
        "opdiscover",
        FieldType::Object(&[Field::new("discover", FLAG, Rule::Required, "0 yes, 1 no")]),
        Rule::Optional,
        "Whether objects are made",
    ),
    Field::new(
        "opstatus",
        FieldType::Object(&[Field::new("status", FLAG, Rule::Required, "0 enabled, 1 disabled")]),
        Rule::Optional,
        "Status of created objects",
    )
    .depends(for_objects!("0", "1", "3", "4")),
    Field::new(
        "opperiod",
        FieldType::Object(&[
            Field::new("delay", LINE, Rule::Required, "Update interval").or_number()
        ]),
        Rule::Optional,
        "Update interval of items",
    )
    .depends(for_objects!("0", "4")),
    Field::new(
        "ophistory",
        FieldType::Object(&[Field::new("history", LINE, Rule::Required, "Period").or_number()]),
        Rule::Optional,
        "How long values of items are kept",
    )
    .depends(for_objects!("0")),
    Field::new(
        "optrends",
        FieldType::Object(&[Field::new("trends", LINE, Rule::Required, "Period").or_number()]),
        Rule::Optional,
        "How long trends of items are kept",
    )
    .depends(for_objects!("0")),
    Field::new(
        "opseverity",
        FieldType::Object(&[Field::new(
            "severity",
            FieldType::Code(&[0, 1, 2, 3, 4, 5]),
            Rule::Required,
            "Severity",
        )]),
        Rule::Optional,
        "Severity of triggers",
    )
    .depends(for_objects!("1")),
    Field::new("optag", FieldType::List(TAG), Rule::Optional, "Tags that objects get in addition")
        .depends(for_objects!("0", "1", "3")),
    Field::new(
        "optemplate",
        FieldType::List(&[Field::new("templateid", FieldType::Id, Rule::Required, "Id")]),
        Rule::Optional,
        "Templates that hosts get",
    )
    .depends(for_objects!("3")),
    Field::new(
        "opinventory",
        FieldType::Object(&[Field::new(
            "inventory_mode",
            FieldType::Code(&[-1, 0, 1]),
            Rule::Required,
            "-1 disabled, 0 manual, 1 automatic",
        )]),
        Rule::Optional,
        "Inventory of hosts",
    )
    .depends(for_objects!("3")),
];

pub(crate) const OVERRIDE: &[Field] = &[
    Field::new("name", LINE, Rule::Required, "Name"),
    Field::new(
        "step",
        FieldType::Int { min: 1, max: 2_147_483_647 },
        Rule::Required,
        "Overrides apply in this order",
    ),
    Field::new("stop", FLAG, Rule::Default("0"), "1: no further one applies to a row of this"),
    Field::new("filter", FieldType::Object(FILTER), Rule::Optional, "Which rows it concerns"),
    Field::new("operations", FieldType::List(OPERATION), Rule::Optional, "What it changes"),
];

/// Checks the filter of a rule or override, and removes fields that clients only send back.
pub(crate) fn check_filter(fields: &mut Fields, path: &FieldPath) -> Result<(), ApiError> {
    let Some(Value::Object(filter)) = fields.get_mut("filter") else { return Ok(()) };
    filter.remove("eval_formula");
    let path = path.member("filter");
    let is_custom = str_of(filter, "evaltype") == "3";
    let formula = str_of(filter, "formula").to_owned();
    let list = filter.get_mut("conditions").and_then(Value::as_array_mut);
    let conditions = list.into_iter().flatten().filter_map(Value::as_object_mut);
    let path_of_conditions = path.member("conditions");
    for (at, it) in conditions.enumerate() {
        check_condition(it, is_custom, &path_of_conditions.element(at))?;
    }
    if is_custom {
        check_letters(filter, &formula, &path)?;
    }
    Ok(())
}

fn check_condition(
    condition: &mut Fields,
    is_custom: bool,
    path: &FieldPath,
) -> Result<(), ApiError> {
    // For other filters clients send back the fields of an answer.
    if is_custom {
        let letter = condition.get("formulaid").and_then(Value::as_str);
        let letter = letter.ok_or_else(|| ApiError::missing(path, "formulaid"))?;
        let wrong = |what: &str| Err(ApiError::field(path.member("formulaid"), what));
        if letter.is_empty() {
            return wrong("cannot be empty");
        }
        if !letter.bytes().all(|it| it.is_ascii_uppercase()) {
            return wrong("uppercase identifier expected");
        }
    }
    check_pattern(str_of(condition, "value"), &path.member("value"))?;
    condition.entry("formulaid").or_insert_with(|| text(""));
    Ok(())
}

/// Each letter names one condition, and each condition is in the formula.
fn check_letters(filter: &Fields, formula: &str, path: &FieldPath) -> Result<(), ApiError> {
    let letters: Vec<&str> =
        list_of(filter, "conditions").map(|it| str_of(it, "formulaid")).collect();
    for (at, letter) in letters.iter().enumerate() {
        if letters.iter().take(at).any(|it| it == letter) {
            let path = path.member("conditions").element(at);
            let what = format!("value (formulaid)=({letter}) already exists");
            return Err(ApiError::field(&path, &what));
        }
    }
    let is_word = |it: &&str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_uppercase());
    let used: Vec<&str> =
        formula.split(|it: char| !it.is_ascii_alphanumeric()).filter(is_word).collect();
    if let Some(unknown) = used.iter().find(|it| !letters.contains(it)) {
        let what = format!("missing filter condition \"{unknown}\"");
        return Err(ApiError::field(path.member("formula"), &what));
    }
    match letters.iter().position(|it| !used.contains(it)) {
        Some(at) => Err(ApiError::field(
            path.member("conditions").element(at).member("formulaid"),
            "an identifier is not defined in the formula",
        )),
        None => Ok(()),
    }
}

/// Macros and global regular expressions are resolved when the rule runs.
fn check_pattern(pattern: &str, path: &FieldPath) -> Result<(), ApiError> {
    let is_open = pattern.starts_with('@') || pattern.contains("{$") || pattern.contains("{#");
    if is_open || formats::regexp::Regexp::new(pattern).is_ok() {
        return Ok(());
    }
    Err(ApiError::field(path, "invalid regular expression"))
}

fn formula(text: &str) -> Result<(), Cow<'static, str>> {
    match formula_fault(text) {
        Some(at) => {
            let rest = text.get(at..).unwrap_or_default();
            Err(format!("check expression starting from \"{rest}\"").into())
        }
        None => Ok(()),
    }
}

/// Where a formula of conditions goes wrong.
fn formula_fault(formula: &str) -> Option<usize> {
    let bytes = formula.as_bytes();
    let (mut at, mut depth, mut wants_value) = (0, 0_usize, true);
    // An operator at the end has no second operand.
    let mut last = 0;
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let word = bytes.iter().skip(at).take_while(|it| it.is_ascii_alphanumeric()).count();
        let len = word.max(1);
        last = at + len - 1;
        match formula.get(at..at + len).unwrap_or_default() {
            "(" if wants_value => depth += 1,
            ")" if !wants_value && depth > 0 => depth -= 1,
            "not" if wants_value => {}
            "and" | "or" if !wants_value => wants_value = true,
            it if wants_value && it.bytes().all(|it| it.is_ascii_uppercase()) => {
                wants_value = false;
            }
            _ => return Some(at),
        }
        at += len;
    }
    (wants_value || depth > 0).then_some(last)
}

/// Checks the overrides of a rule.
pub(crate) fn check(ctx: &Ctx, fields: &mut Fields, path: &FieldPath) -> Result<(), ApiError> {
    let Some(Value::Array(list)) = fields.get_mut("overrides") else { return Ok(()) };
    for unique in ["name", "step"] {
        let mut seen: Vec<&str> = Vec::new();
        for (at, it) in list.iter().filter_map(Value::as_object).enumerate() {
            let value = str_of(it, unique);
            if seen.contains(&value) {
                let path = path.member("overrides").element(at);
                let what = format!("value ({unique})=({value}) already exists");
                return Err(ApiError::field(&path, &what));
            }
            seen.push(value);
        }
    }
    for (at, it) in list.iter_mut().enumerate() {
        let Value::Object(it) = it else { continue };
        let path = path.member("overrides").element(at);
        check_filter(it, &path)?;
        drop_empty_actions(it);
        for (at, operation) in list_of(it, "operations").enumerate() {
            check_operation(ctx, operation, &path.member("operations").element(at))?;
        }
    }
    Ok(())
}

/// Clients send an empty object for an action that is not there.
fn drop_empty_actions(override_: &mut Fields) {
    let list = override_.get_mut("operations").and_then(Value::as_array_mut);
    for operation in list.into_iter().flatten().filter_map(Value::as_object_mut) {
        operation.retain(|_, value| match value {
            Value::Object(it) => !it.is_empty(),
            Value::Array(it) => !it.is_empty(),
            _ => true,
        });
    }
}

fn check_operation(ctx: &Ctx, operation: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    if matches!(str_of(operation, "operator"), "8" | "9") {
        check_pattern(str_of(operation, "value"), &path.member("value"))?;
    }
    let inner = |action: &str, field: &str| -> Option<String> {
        let action = operation.get(action)?.as_object()?;
        action.get(field)?.as_str().map(str::to_owned)
    };
    if let Some(delay) = inner("opperiod", "delay") {
        interval::check(&delay, Macros::UserAndLld, &path.member("opperiod").member("delay"))?;
    }
    for (action, field, min_s) in [("ophistory", "history", 3_600), ("optrends", "trends", 86_400)]
    {
        if let Some(period) = inner(action, field) {
            let path = path.member(action).member(field);
            single::period(&period, true, (min_s, PERIOD_MAX_S), Macros::UserAndLld, &path)?;
        }
    }
    checks::unique_tags_in(operation, "optag", path)?;
    for (at, template) in list_of(operation, "optemplate").enumerate() {
        let id = json::id_of(template, "templateid").map(HostId);
        let known = id.and_then(|it| ctx.snapshot.templates.get(&it));
        if !known.is_some_and(|it| ctx.may_read(it)) {
            let path = path.member("optemplate").element(at).member("templateid");
            return Err(ApiError::field(&path, "a template ID is expected"));
        }
    }
    Ok(())
}

/// The overrides of a rule as `selectOverrides` answers them, in their order.
pub(crate) fn overrides(overrides: &[LldOverride], output: &Output) -> Value {
    let mut sorted: Vec<&LldOverride> = overrides.iter().collect();
    sorted.sort_by_key(|it| it.step);
    json::parts(OVERRIDE, sorted.into_iter(), output, |it, field| match field {
        "name" => text(it.name.as_str()),
        "step" => number(it.step),
        "stop" => flag(it.stop),
        "filter" => filter(&it.filter),
        _ => json!(it.operations),
    })
}

/// A filter as selects answer it.
pub(crate) fn filter(filter: &LldFilter) -> Value {
    let conditions: Vec<Value> = filter.conditions.iter().map(condition).collect();
    let letters = filter.conditions.iter().enumerate();
    let letters: Vec<String> = letters.map(|(at, it)| letter(at, it)).collect();
    // The formula of the conditions; with and/or it depends on equal macros.
    let formula = match filter.evaltype {
        1 => letters.join(" and "),
        2 => letters.join(" or "),
        3 => filter.formula.clone(),
        _ => and_or(filter, &letters),
    };
    json!({
        "evaltype": filter.evaltype.to_string(),
        "formula": if filter.evaltype == 3 { filter.formula.as_str() } else { "" },
        "eval_formula": formula,
        "conditions": conditions,
    })
}

fn letter(at: usize, it: &FilterCondition) -> String {
    if !it.formulaid.is_empty() {
        return it.formulaid.clone();
    }
    let at = u8::try_from(at).unwrap_or(25).min(25);
    char::from(b'A' + at).to_string()
}

/// Conditions on one macro are alternatives, different macros add up.
fn and_or(filter: &LldFilter, letters: &[String]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (it, letter) in filter.conditions.iter().zip(letters) {
        match groups.iter_mut().find(|(name, _)| *name == it.name) {
            Some((_, group)) => group.push(letter),
            None => groups.push((&it.name, vec![letter])),
        }
    }
    let several = groups.len() > 1;
    let one = |group: &[&str]| match group {
        [one] => (*one).to_owned(),
        many if several => format!("({})", many.join(" or ")),
        many => many.join(" or "),
    };
    groups.iter().map(|(_, group)| one(group)).collect::<Vec<_>>().join(" and ")
}

fn condition(it: &FilterCondition) -> Value {
    json!({
        "macro": it.name,
        "value": it.value,
        "operator": it.operator.to_string(),
        "formulaid": it.formulaid,
    })
}
