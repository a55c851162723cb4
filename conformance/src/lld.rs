//! Low-level discovery.

use jiff::tz::TimeZone;
use lang::lld::{self as l, EscapeTarget, Paths, RowIn};
use lang::macros;
use model::content::LldMacroPath;
use model::snapshot::LldRow;
use serde_json::json;

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("lld/compare_rows", compare_rows),
    ("lld/is_macro", is_macro),
    ("lld/row_macros", row_macros),
    ("lld/substitute", substitute),
    ("lld/substitute_in_expression", substitute_in_expression),
];

fn row(case: &Case<'_>, name: &str) -> LldRow {
    let paths: Vec<LldMacroPath> = case
        .list("macros")
        .iter()
        .map(|it| LldMacroPath {
            lld_macro: it["macro"].as_str().unwrap().to_owned(),
            path: it["path"].as_str().unwrap().to_owned(),
        })
        .collect();
    let text = json!([case.get(name)]).to_string();
    Paths::new(&paths).unwrap().rows(&text).unwrap().remove(0)
}

fn is_macro(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": macros::is_lld_macro(case.text("name"))}))
}

fn compare_rows(case: &Case<'_>) -> Answer {
    let same = l::same_rows(&case.get("entry1").to_string(), &case.get("entry2").to_string());
    Answer::Out(json!({"ok": same.unwrap()}))
}

fn row_macros(case: &Case<'_>) -> Answer {
    let macros: Vec<_> = row(case, "entry")
        .iter()
        .map(|(name, value)| json!({"macro": name, "value": value}))
        .collect();
    Answer::Out(json!({"macros": macros}))
}

fn substitute(case: &Case<'_>) -> Answer {
    let has = |flag: &str| case.list("flags").iter().any(|it| it == flag);
    let targets = [
        ("token_json", EscapeTarget::Json),
        ("token_xpath", EscapeTarget::XPath),
        ("token_regexp", EscapeTarget::Regexp),
        ("token_regexp_output", EscapeTarget::RegexpOutput),
        ("token_prometheus", EscapeTarget::Prometheus),
        ("token_jsonpath", EscapeTarget::JsonPath),
        ("token_str_replace", EscapeTarget::StrReplace),
    ];
    let target = targets.iter().find(|it| has(it.0)).map_or(EscapeTarget::Text, |it| it.1);
    let row = row(case, "lld");
    let text = case.text("expression");
    let result = if has("func") {
        l::expand_parameter(text, RowIn::new(&row, &TimeZone::UTC), target)
    } else {
        l::expand_text(text, RowIn::new(&row, &TimeZone::UTC), target)
    };
    Answer::Out(match result {
        Ok(it) => json!({"ok": true, "expression": it}),
        Err(_) => json!({"ok": false}),
    })
}

fn substitute_in_expression(case: &Case<'_>) -> Answer {
    let row = row(case, "lld");
    Answer::Out(match l::expand_expression(case.text("data"), RowIn::new(&row, &TimeZone::UTC)) {
        Ok(it) => json!({"ok": true, "data": it}),
        Err(error) => json!({"ok": false, "error": error.to_string()}),
    })
}
