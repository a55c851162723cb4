//! Filters and overrides of discovery rules.

use serde_json::{Value as Json, json};

use super::fields::tags;
use super::reader::Node;
use crate::ConfigError;

const OBJECTS: &[(&str, i64)] = &[
    ("ITEM_PROTOTYPE", 0),
    ("TRIGGER_PROTOTYPE", 1),
    ("GRAPH_PROTOTYPE", 2),
    ("HOST_PROTOTYPE", 3),
];

const OPERATORS: &[(&str, i64)] = &[
    ("EQUAL", 0),
    ("NOT_EQUAL", 1),
    ("LIKE", 2),
    ("NOT_LIKE", 3),
    ("REGEXP", 8),
    ("NOT_REGEXP", 9),
];

pub(super) const SEVERITIES: &[(&str, i64)] = &[
    ("NOT_CLASSIFIED", 0),
    ("INFO", 1),
    ("WARNING", 2),
    ("AVERAGE", 3),
    ("HIGH", 4),
    ("DISASTER", 5),
];

/// The filter of a rule or an override.
pub(super) fn filter(mut filter: Node) -> Result<Json, ConfigError> {
    let kinds = &[("AND_OR", 0), ("AND", 1), ("OR", 2), ("FORMULA", 3)];
    let operators =
        &[("MATCHES_REGEX", 8), ("NOT_MATCHES_REGEX", 9), ("EXISTS", 12), ("NOT_EXISTS", 13)];
    let mut conditions = Vec::new();
    for mut condition in filter.list("conditions")? {
        conditions.push(json!({
            "macro": condition.needed_text("macro")?,
            "value": condition.text("value")?.unwrap_or_default(),
            "operator": condition.code("operator", operators, 8)?,
            "formulaid": condition.text("formulaid")?.unwrap_or_default(),
        }));
        condition.finish()?;
    }
    let request = json!({
        "evaltype": filter.code("evaltype", kinds, 0)?,
        "formula": filter.text("formula")?.unwrap_or_default(),
        "conditions": conditions,
    });
    filter.finish()?;
    Ok(request)
}

/// The overrides of a rule.
pub(super) fn overrides(rule: &mut Node) -> Result<Json, ConfigError> {
    let mut overrides = Vec::new();
    for mut it in rule.list("overrides")? {
        let mut request = json!({
            "name": it.needed_text("name")?,
            "step": it.needed_text("step")?,
            "stop": it.code("stop", &[("NO_STOP", 0), ("NO", 0), ("STOP", 1), ("YES", 1)], 0)?,
        });
        if let Some(node) = it.child("filter")? {
            request["filter"] = filter(node)?;
        }
        let operations = it.list("operations")?.into_iter().map(operation);
        request["operations"] = operations.collect::<Result<_, _>>()?;
        it.finish()?;
        overrides.push(request);
    }
    Ok(Json::Array(overrides))
}

fn operation(mut node: Node) -> Result<Json, ConfigError> {
    let mut request = json!({
        "operationobject": node.code("operationobject", OBJECTS, 0)?,
        "operator": node.code("operator", OPERATORS, 0)?,
        "value": node.text("value")?.unwrap_or_default(),
    });
    let yes_or_no = &[("ENABLED", 0), ("DISABLED", 1), ("DISCOVER", 0), ("NO_DISCOVER", 1)];
    let inventory = &[("DISABLED", -1), ("MANUAL", 0), ("AUTOMATIC", 1)];
    for (tag, outer, inner, codes) in [
        ("status", "opstatus", "status", Some(&yes_or_no[..])),
        ("discover", "opdiscover", "discover", Some(&yes_or_no[..])),
        ("delay", "opperiod", "delay", None),
        ("history", "ophistory", "history", None),
        ("trends", "optrends", "trends", None),
        ("severity", "opseverity", "severity", Some(SEVERITIES)),
        ("inventory_mode", "opinventory", "inventory_mode", Some(&inventory[..])),
    ] {
        let value = match codes {
            Some(codes) => node.code_if_any(tag, codes)?,
            None => node.text(tag)?,
        };
        if let Some(value) = value {
            request[outer] = json!({ inner: value });
        }
    }
    request["optag"] = tags(&mut node)?;
    // Templates of hosts that host prototypes make.
    node.keep_for_later(&["templates"]);
    node.finish()?;
    Ok(request)
}
