//! Diagnostic information: the sections that may be requested, and the server's figures for them.

use model::field_path::FieldPath;
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::shared::Ctx;
use crate::validate;

const COUNT: FieldType = FieldType::Int { min: -2_147_483_648, max: 2_147_483_647 };

const fn top(name: &'static str) -> Field {
    Field::new(name, COUNT, Rule::Optional, "How many, sorted by this")
}

const BY_VALUES: &[Field] = &[top("values")];
const BY_REQUESTS: &[Field] = &[top("values"), top("request.values")];
const BY_ALERTS: &[Field] = &[top("media.alerts"), top("source.alerts")];

const STATS: Field = Field::new(
    "stats",
    FieldType::Texts { max: 255 },
    Rule::Optional,
    "Figures: `extend` or a list of names; those that the server does not have are left out",
)
.judged_later();

const fn of(by: &'static [Field]) -> Field {
    Field::new("top", FieldType::Object(by), Rule::Optional, "The largest; there are none")
}

const OF_VALUES: &[Field] = &[STATS, of(BY_VALUES)];

const fn section(name: &'static str, fields: &'static [Field], doc: &'static str) -> Field {
    Field::new(name, FieldType::Object(fields), Rule::Optional, doc)
}

/// The sections that may be requested, in Zabbix's order.
pub(super) const REQUEST: &[Field] = &[
    section("historycache", OF_VALUES, "Type 1: values that wait to be stored"),
    section("valuecache", &[STATS, of(BY_REQUESTS)], "Type 1: values that triggers read"),
    section("preprocessing", OF_VALUES, "Type 1: values that wait for preprocessing"),
    section("alerting", &[STATS, of(BY_ALERTS)], "Type 1: alerts that wait"),
    section("lld", OF_VALUES, "Type 1: values of discovery rules that wait"),
    section("connector", OF_VALUES, "Type 1: values that wait to be streamed"),
];

/// The figures of each.
const FIGURES: [(&str, &[&str]); 6] = [
    ("historycache", &["items", "values", "memory", "memory.data", "memory.index"]),
    ("valuecache", &["items", "values", "memory", "mode"]),
    ("preprocessing", &["values", "preproc.values"]),
    ("alerting", &["alerts"]),
    ("lld", &["rules", "values"]),
    ("connector", &["values"]),
];

/// Names of figures have to be known.
pub(super) fn check(task: &Value, path: &FieldPath) -> Result<(), ApiError> {
    for (name, known) in FIGURES {
        let Some(stats) = task.get("request").and_then(|it| it.get(name)?.get("stats")) else {
            continue;
        };
        validate::output(stats, known, &path.member(name).member("stats"))?;
    }
    Ok(())
}

/// The requested sections, as far as they exist here.
pub(super) fn answer(ctx: &Ctx, request: &Value) -> Value {
    let figures = ctx.ports().process.figures();
    let waiting: u64 = figures.shards.iter().map(|it| it.queue).sum();
    let mut sections = Map::new();
    for (name, known) in FIGURES {
        let Some(asked) = request.get(name) else { continue };
        let stats = match asked.get("stats") {
            Some(Value::Array(names)) => {
                known.iter().filter(|it| names.iter().any(|name| name == **it)).collect()
            }
            _ => known.iter().collect::<Vec<_>>(),
        };
        let mut of_section = Map::new();
        for it in stats {
            let figure = match (name, *it) {
                ("historycache" | "preprocessing", "values") => json!(waiting),
                // Nothing is missing in memory.
                ("valuecache", "mode") => json!(0),
                _ => continue,
            };
            of_section.insert((*it).to_owned(), figure);
        }
        if let Some(Value::Object(top)) = asked.get("top") {
            let none = top.keys().map(|it| (it.clone(), json!([])));
            of_section.insert("top".to_owned(), Value::Object(none.collect()));
        }
        of_section.insert("time".to_owned(), json!(0));
        sections.insert(name.to_owned(), Value::Object(of_section));
    }
    Value::Object(sections)
}
