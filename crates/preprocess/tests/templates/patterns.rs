//! The share of the patterns in official templates that is matched in one pass.

use std::collections::BTreeSet;

use formats::regexp::Regexp;
use serde_json::Value;

use super::walk;

/// Steps whose first parameter is a pattern.
const STEPS: [&str; 4] = ["REGEX", "MATCHES_REGEX", "NOT_MATCHES_REGEX", "CHECK_REGEX_ERROR"];

#[test]
fn patterns_of_official_templates_are_linear() {
    let mut patterns = Vec::new();
    for file in walk::files() {
        let text = std::fs::read_to_string(&file).unwrap();
        let root: Value = serde_saphyr::from_str(&text).unwrap();
        collect(&root, &mut patterns);
    }
    if patterns.is_empty() {
        println!("skipped: there are no templates next to the checkout");
        return;
    }
    let (mut n_linear, mut others) = (0, BTreeSet::new());
    for pattern in &patterns {
        if Regexp::new(pattern).unwrap().is_linear() {
            n_linear += 1;
        } else {
            others.insert(pattern);
        }
    }
    println!("{n_linear} of {} patterns are linear, not: {others:#?}", patterns.len());
    assert!(n_linear * 100 >= patterns.len() * 95, "{n_linear} of {}", patterns.len());
}

fn collect(value: &Value, patterns: &mut Vec<String>) {
    let mut add = |it: &Value| {
        // Patterns with macros are known only with their values.
        if let Some(it) = it.as_str().filter(|it| !it.contains("{$") && !it.contains("{#")) {
            patterns.push(it.to_owned());
        }
    };
    let Value::Object(fields) = value else {
        value.as_array().into_iter().flatten().for_each(|it| collect(it, patterns));
        return;
    };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    if STEPS.contains(&text("type")) {
        add(&value["parameters"][0]);
    }
    // Operators of filters and overrides compare by patterns by default.
    let is_condition = text("macro").starts_with("{#") && text("operator") != "EXISTS";
    if is_condition || text("macro").ends_with("MATCHES}") {
        add(&value["value"]);
    }
    fields.values().for_each(|it| collect(it, patterns));
}
