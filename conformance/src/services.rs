//! Business services.

use lang::service::{Algorithm, Measure, Propagation, Service, Status, StatusRule, Tree};
use model::content::Severity;
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("services/main_status", main_status),
    ("services/root_cause", root_cause),
    ("services/rule_status", rule_status),
    ("services/status", propagated_status),
];

fn status(value: &Value) -> Status {
    Severity::from_code(value.as_i64().unwrap_or(-1))
}

fn code(status: Status) -> i8 {
    status.map_or(-1, Severity::code)
}

fn number(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

fn propagation(value: &Value) -> Propagation {
    let by = u8::try_from(value["value"].as_i64().unwrap_or(0).max(0)).unwrap();
    match value["action"].as_str() {
        Some("INCREASE") => Propagation::Increase(by),
        Some("DECREASE") => Propagation::Decrease(by),
        Some("IGNORE") => Propagation::Ignore,
        Some("SET") => Propagation::Fixed(status(&value["value"])),
        _ => Propagation::AsIs,
    }
}

fn rule(value: &Value) -> StatusRule {
    let (measure, is_less) = match value["type"].as_str().unwrap() {
        "N_GE" => (Measure::Count, false),
        "NP_GE" => (Measure::Percent, false),
        "N_LT" => (Measure::Count, true),
        "NP_LT" => (Measure::Percent, true),
        "W_GE" => (Measure::Weight, false),
        "WP_GE" => (Measure::WeightPercent, false),
        "W_LT" => (Measure::Weight, true),
        _ => (Measure::WeightPercent, true),
    };
    StatusRule {
        measure,
        is_less,
        limit: status(&value["limit"]),
        value: number(&value["value"]),
        status: status(&value["status"]),
    }
}

/// The services of a case and the position of the one asked for.
fn tree(case: &Case<'_>) -> (Tree, usize) {
    let written = case.list("services");
    let position = |name: &Value| written.iter().position(|it| it["name"] == *name).unwrap();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let service = |it: &Value| Service {
        status: status(&it["status"]),
        // The names of the cases: MIN is the worst of any, MAX needs all to have problems.
        algorithm: match it["algorithm"].as_str() {
            Some("MIN") => Algorithm::MostCriticalOfAny,
            Some("MAX") => Algorithm::MostCriticalIfAll,
            _ => Algorithm::Ok,
        },
        rules: list(&it["rules"]).iter().map(rule).collect(),
        propagation: propagation(&it["propagation"]),
        weight: u32::try_from(number(&it["weight"])).unwrap(),
        children: list(&it["children"]).iter().map(position).collect(),
        problems: list(&it["events"])
            .iter()
            .map(|it| {
                let severity = i64::try_from(number(&it["severity"])).unwrap();
                (number(&it["id"]), Severity::from_code(severity).unwrap())
            })
            .collect(),
    };
    let services = written.iter().map(service).collect();
    (Tree { services }, position(case.get("service")))
}

fn propagated_status(case: &Case<'_>) -> Answer {
    let (tree, at) = tree(case);
    let service = &tree.services[at];
    Answer::Out(match service.propagation.apply(service.status) {
        Some(it) => json!({"ok": true, "status": code(it)}),
        None => json!({"ok": false}),
    })
}

fn main_status(case: &Case<'_>) -> Answer {
    let (tree, at) = tree(case);
    let found = tree.services[at].algorithm.status(&tree.children(at));
    Answer::Out(json!({"status": code(found)}))
}

fn rule_status(case: &Case<'_>) -> Answer {
    let (tree, at) = tree(case);
    let rules = &tree.services[at].rules;
    let rule = rules[usize::try_from(case.int("rule")).unwrap()];
    let found = if rule.applies(&tree.children(at)) { rule.status } else { None };
    Answer::Out(json!({"status": code(found)}))
}

fn root_cause(case: &Case<'_>) -> Answer {
    let (tree, at) = tree(case);
    Answer::Out(json!({"events": tree.root_cause(at)}))
}
