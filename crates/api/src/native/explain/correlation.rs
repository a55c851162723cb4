//! The rule that closed a problem, and the results of global correlation for it as a new event.

use std::collections::BTreeSet;

use alert::correlation::NewProblem;
use db::events::source;
use db::objects::correlation::rule;
use serde_json::{Value, json};

use super::about::{About, rows};
use crate::error::ApiError;
use crate::json::{Fields, list_of, str_of};

pub(super) fn explain(about: About<'_>) -> Result<Value, ApiError> {
    let ctx = about.ctx;
    let asked = json!({
        "output": ["correlationid", "name", "status"], "selectFilter": "extend",
        "sortfield": "name",
    });
    // Rules are of problems of triggers.
    let shown = match about.row.source == source::TRIGGER && about.row.value == 1 {
        true => rows(ctx, "correlation.get", &asked)?,
        false => Vec::new(),
    };
    let groups: BTreeSet<u64> = {
        let hosts = about.row.hosts.iter().filter_map(|it| ctx.snapshot.hosts.get(it));
        hosts.flat_map(|it| it.groups.iter().map(|group| group.0)).collect()
    };
    let new = NewProblem { id: about.row.eventid, tags: &about.row.tags, groups: &groups };
    let enabled = shown.iter().filter(|it| str_of(it, "status") == "0");
    let rules = enabled.filter_map(|it| {
        let id = str_of(it, "correlationid").parse().ok()?;
        let read = rule(&ctx.snapshot, ctx.snapshot.documents.get("correlation", id)?)?;
        let filter = it.get("filter").and_then(Value::as_object)?;
        let conditions = list_of(filter, "conditions").zip(&read.conditions);
        let conditions = conditions.map(|(shown, condition)| {
            json!({
                "formulaid": str_of(shown, "formulaid"),
                "text": condition_text(about, shown),
                "is_met": condition.met_by_new(&new),
            })
        });
        Some(json!({
            "correlationid": str_of(it, "correlationid"),
            "name": str_of(it, "name"),
            "formula": str_of(filter, "eval_formula"),
            "conditions": conditions.collect::<Value>(),
        }))
    });
    let rules: Vec<Value> = rules.collect();
    let closed_by = str_of(about.shown, "correlationid");
    let closed = match closed_by {
        "" | "0" => Value::Null,
        id => {
            let name = shown.iter().find(|it| str_of(it, "correlationid") == id);
            json!({
                "correlationid": id,
                "name": name.map(|it| str_of(it, "name")),
                "eventid": str_of(about.shown, "c_eventid"),
            })
        }
    };
    Ok(json!({"closed_by": closed, "rules": rules}))
}

fn condition_text(about: About<'_>, shown: &Fields) -> String {
    let of = |name: &str| str_of(shown, name);
    let operator = match of("operator") {
        "1" => "does not equal",
        "2" => "contains",
        "3" => "does not contain",
        _ => "equals",
    };
    match of("type") {
        "0" => format!("the old event has the tag {}", of("tag")),
        "1" => format!("the new event has the tag {}", of("tag")),
        "2" => {
            let id = of("groupid").parse().map(model::GroupId).ok();
            let group = id.and_then(|it| about.ctx.snapshot.host_groups.get(&it));
            // Groups that one may not read have no name.
            let can = |it: model::GroupId| db::Permission::Read <= about.ctx.rights.host_group(it);
            let name = group.filter(|_| id.is_some_and(can)).map(|it| it.name.to_string());
            let name = name.unwrap_or_else(|| format!("#{}", of("groupid")));
            format!("the host group of the new event {operator} {name}")
        }
        "3" => format!(
            "{} of the old event has the value of {} of the new one",
            of("oldtag"),
            of("newtag")
        ),
        "4" => format!("{} of the old event {operator} \u{201c}{}\u{201d}", of("tag"), of("value")),
        _ => format!("{} of the new event {operator} \u{201c}{}\u{201d}", of("tag"), of("value")),
    }
}
