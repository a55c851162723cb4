//! Filters and overrides of discovery rules.

use model::HostId;
use serde_json::{Value as Json, json};

use super::fields::tags;
use super::of_type::may_override;
use super::reader::Node;
use crate::configuration::objects::names::{
    FILTER_KINDS, FILTER_OPERATORS, INVENTORY_MODES, OPERATION_OBJECTS, OPERATION_OPERATORS,
    SEVERITIES,
};
use crate::error::ConfigError;

/// The filter of a rule or an override.
pub(super) fn filter(mut filter: Node) -> Result<Json, ConfigError> {
    let mut conditions = Vec::new();
    for mut condition in filter.list("conditions")? {
        conditions.push(json!({
            "macro": condition.needed_text("macro")?,
            "value": condition.text("value")?.unwrap_or_default(),
            "operator": condition.code("operator", FILTER_OPERATORS, 8)?,
            "formulaid": condition.text("formulaid")?.unwrap_or_default(),
        }));
        condition.finish()?;
    }
    let kind = filter.code("evaltype", FILTER_KINDS, 0)?;
    // Only filters with a formula of their own have one.
    let formula = filter.text("formula")?.filter(|_| kind == "3");
    let request = json!({
        "evaltype": kind,
        "formula": formula.unwrap_or_default(),
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
    let object = node.code("operationobject", OPERATION_OBJECTS, 0)?;
    let mut request = json!({
        "operationobject": object.as_str(),
        "operator": node.code("operator", OPERATION_OPERATORS, 0)?,
        "value": node.text("value")?.unwrap_or_default(),
    });
    let yes_or_no = &[("ENABLED", 0), ("DISABLED", 1), ("DISCOVER", 0), ("NO_DISCOVER", 1)];
    for (tag, outer, inner, codes) in [
        ("status", "opstatus", "status", Some(&yes_or_no[..])),
        ("discover", "opdiscover", "discover", Some(&yes_or_no[..])),
        ("delay", "opperiod", "delay", None),
        ("history", "ophistory", "history", None),
        ("trends", "optrends", "trends", None),
        ("severity", "opseverity", "severity", Some(SEVERITIES)),
        ("inventory_mode", "opinventory", "inventory_mode", Some(INVENTORY_MODES)),
    ] {
        let value = match codes {
            Some(codes) => node.code_if_any(tag, codes)?,
            None => node.text(tag)?,
        };
        if let Some(value) = value.filter(|_| may_override(&object, tag)) {
            request[outer] = json!({ inner: value });
        }
    }
    let tags = tags(&mut node)?;
    if may_override(&object, "tags") {
        request["optag"] = tags;
    }
    // Of hosts that host prototypes make; by name, until [`name_templates`].
    let mut templates = Vec::new();
    for mut template in node.list("templates")? {
        templates.push(json!({ "name": template.needed_text("name")? }));
        template.finish()?;
    }
    if !templates.is_empty() && may_override(&object, "templates") {
        request["optemplate"] = Json::Array(templates);
    }
    node.finish()?;
    Ok(request)
}

/// Puts ids in the place of the names of templates in operations.
pub(super) fn name_templates(
    overrides: &mut Json,
    id_of: impl Fn(&str) -> Result<HostId, ConfigError>,
) -> Result<(), ConfigError> {
    let overrides = overrides.as_array_mut().into_iter().flatten();
    let operations = overrides.filter_map(|it| it.get_mut("operations")?.as_array_mut());
    let templates = operations.flatten().filter_map(|it| it.get_mut("optemplate")?.as_array_mut());
    for template in templates.flatten() {
        let name = template.get("name").and_then(Json::as_str).unwrap_or_default();
        *template = json!({ "templateid": id_of(name)?.to_string() });
    }
    Ok(())
}
