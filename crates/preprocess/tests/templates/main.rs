//! Official templates in the directory next to the checkout parse completely: every expression,
//! key, interval, macro and preprocessing step. Skipped if there are none.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: a panic is a failed test; the count of what is refused is printed"
)]

mod patterns;
mod scripts;
mod walk;

use std::collections::BTreeMap;

use formats::jsonpath::JsonPath;
use formats::number;
use lang::expression::{self, Usage};
use lang::functions::{Call, Foreach, FunctionKind};
use lang::interval::Interval;
use lang::macros::{self, Search, TokenKind, UserMacro};
use lang::{functions, key};
use model::content::{OnFail, PreprocStep, Step};

use walk::{Found, Kind};

#[test]
fn official_templates_parse_completely() {
    let files = walk::files();
    if files.is_empty() {
        println!("skipped: there are no templates next to the checkout");
        return;
    }
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refused: Vec<String> = Vec::new();
    for file in &files {
        walk::walk(file, &mut |found| {
            *seen.entry(name_of(found.kind)).or_default() += 1;
            if let Err(why) = judge(&found) {
                let file = found.file.file_name().unwrap().to_string_lossy();
                refused.push(format!("{file} {}: {why}: {}", found.place, found.text));
            }
        });
    }
    println!("{} files: {seen:?}, {} refused", files.len(), refused.len());
    assert!(seen.len() >= 10, "all kinds were found");
    assert!(refused.is_empty(), "{} refused:\n{}", refused.len(), refused.join("\n"));
}

fn name_of(kind: Kind<'_>) -> &'static str {
    match kind {
        Kind::Trigger => "trigger expressions",
        Kind::Formula => "formulas",
        Kind::Key => "keys",
        Kind::Oid => "OIDs",
        Kind::Interval => "intervals",
        Kind::Period => "periods",
        Kind::UserMacro => "user macros",
        Kind::LldMacro => "LLD macros",
        Kind::JsonPath => "JSONPaths of LLD macros",
        Kind::FilterFormula => "filter formulas",
        Kind::Text => "texts",
        Kind::Step(_) => "preprocessing steps",
    }
}

fn judge(found: &Found<'_>) -> Result<(), String> {
    let text = found.text;
    match found.kind {
        Kind::Trigger => checked(text, Usage::Trigger),
        Kind::Formula => checked(text, Usage::Formula),
        Kind::Key => {
            key::ItemKey::parse(text).map_err(|it| it.to_string())?;
            key::replace_params(text, &mut |_| None).map_err(|it| it.to_string())?;
            macros_are_tokens(text)
        }
        Kind::Oid => {
            key::replace_oid(text, &mut |_| None).map_err(|it| it.to_string())?;
            macros_are_tokens(text)
        }
        Kind::Interval => lang::interval::validate(text)
            .map_err(|it| it.to_string())
            .and_then(|()| if text.contains('{') { Ok(()) } else { parsed(text) }),
        Kind::Period => {
            if text.contains('{') {
                return macros_are_tokens(text);
            }
            number::parse_duration_s(text).map(|_| ()).ok_or_else(|| "no period".to_owned())
        }
        Kind::UserMacro => {
            UserMacro::parse_definition(text).map(|_| ()).ok_or_else(|| "no user macro".to_owned())
        }
        Kind::LldMacro => {
            let is_macro = macros::is_lld_macro(text) || UserMacro::parse_use(text).is_some();
            if is_macro { Ok(()) } else { Err("no LLD macro".to_owned()) }
        }
        Kind::JsonPath => JsonPath::parse(text).map(|_| ()).map_err(|it| it.to_string()),
        Kind::FilterFormula => formula_of_letters(text),
        Kind::Text => {
            macros_are_tokens(text)?;
            expression_macros(text)
        }
        Kind::Step(step) => compiles(step),
    }
}

/// A preprocessing step with each macro replaced by a number.
fn compiles(step: &serde_json::Value) -> Result<(), String> {
    let name = step["type"].as_str().ok_or("step without a type")?.replace('_', "");
    let name = if name == "XMLPATH" { "XPath".to_owned() } else { name };
    let is_it = |it: &&Step| format!("{it:?}").eq_ignore_ascii_case(&name);
    let kind = *Step::ALL.iter().find(is_it).ok_or_else(|| format!("unknown step {name}"))?;
    let none = Vec::new();
    let params = step["parameters"].as_array().unwrap_or(&none);
    // Whole patterns may be macros: a name is one, a number is not.
    let is_pattern = matches!(kind, Step::PrometheusPattern | Step::PrometheusToJson);
    let value = if is_pattern { "metric" } else { "1" };
    let text = |it: &serde_json::Value| it.as_str().map_or_else(|| it.to_string(), str::to_owned);
    let params: Vec<String> =
        params.iter().map(|it| with_macros_as(text(it).trim_end_matches('\n'), value)).collect();
    let step = PreprocStep {
        kind,
        params: params.join("\n"),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    };
    match preprocess::Step::compile(&step).error() {
        None => Ok(()),
        Some(error) => Err(format!("{kind:?} {:?}: {error}", step.params)),
    }
}

fn parsed(text: &str) -> Result<(), String> {
    Interval::parse(text).map(|_| ()).map_err(|it| it.to_string())
}

/// An expression with every function and its parameters.
fn checked(text: &str, usage: Usage) -> Result<(), String> {
    let ast = expression::parse(text).map_err(|it| it.to_string())?;
    expression::check(&ast, usage).map_err(|it| it.to_string())?;
    expression::Program::compile(&ast).map_err(|it| it.to_string())?;
    for call in ast.history_calls() {
        let (name, args) = (ast.call_name(call), ast.call_args(call).collect::<Vec<_>>());
        // A number replaces each macro, with a unit for periods.
        let params = without_macros(&args.join(","));
        let query = ast.query(call).unwrap();
        if functions::find(name).is_some_and(|it| it.kind == FunctionKind::Foreach) {
            Foreach::parse(name, &query, &params).map_err(|it| format!("{name}: {it}"))?;
        } else {
            Call::parse(name, &params).map_err(|it| format!("{name}({params}): {it}"))?;
        }
    }
    Ok(())
}

fn without_macros(text: &str) -> String {
    with_macros_as(text, "1")
}

fn with_macros_as(text: &str, value: &str) -> String {
    macros::substitute(text, Search::BASIC, &macros::FuncEnv::utc(), &mut |_, _| {
        macros::Resolution::Value(value.to_owned())
    })
}

/// Every text that looks like a user or LLD macro is one.
fn macros_are_tokens(text: &str) -> Result<(), String> {
    let spans: Vec<_> = macros::tokens(text, Search::TEXT).map(|it| it.span).collect();
    for start in ["{$", "{#", "{{#", "{{$", "{?"] {
        for (at, _) in text.match_indices(start) {
            // One official text lacks a closing brace: it is plain text, in Zabbix as here.
            let name = text.get(at..).unwrap().trim_start_matches(['{', '$', '#', '?']);
            let is_name =
                |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || "_.".contains(it);
            let ends = name.trim_start_matches(is_name).starts_with(['}', ':']);
            if (ends || start == "{?") && !spans.iter().any(|it| it.contains(&at)) {
                return Err(format!("no macro at byte {at}"));
            }
        }
    }
    Ok(())
}

/// Expressions inside of `{?…}` parse as well.
fn expression_macros(text: &str) -> Result<(), String> {
    for token in macros::tokens(text, Search::TEXT) {
        if matches!(token.kind, TokenKind::Expression | TokenKind::ExpressionFunc) {
            let inner = text.get(token.name.clone()).unwrap();
            expression::parse(inner).map_err(|it| it.to_string())?;
        }
    }
    Ok(())
}

fn formula_of_letters(text: &str) -> Result<(), String> {
    let mut digits = String::new();
    for char in text.chars() {
        digits.push(if char.is_ascii_uppercase() { '1' } else { char });
    }
    expression::formula::evaluate(&digits, 1e-9).map(|_| ())
}
