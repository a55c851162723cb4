//! `configuration.import`: templates from Zabbix's export format.

use db::{ImportFile, ImportFormat, ImportReport, ImportRule, ImportRules};
use model::content::RoleType;
use serde_json::Value;

use crate::describe::{FLAG, Field, FieldType, Object, Params, Rule};
use crate::error::ApiError;
use crate::json::{Fields, str_of};
use crate::method::{Method, ObjectEntry};
use crate::query;
use crate::shared::Ctx;
use crate::validate::object_at_root;

const CREATE: Field =
    Field::new("createMissing", FLAG, Rule::Default("0"), "Make what is not there");
const UPDATE: Field =
    Field::new("updateExisting", FLAG, Rule::Default("0"), "Update what is there");
const DELETE: Field = Field::new(
    "deleteMissing",
    FLAG,
    Rule::Default("0"),
    "Delete what templates have and the file does not",
);

const ALL: FieldType = FieldType::Object(&[CREATE, UPDATE, DELETE]);
const KEPT: FieldType = FieldType::Object(&[CREATE, UPDATE]);

const REFUSED: &str =
    "If set, a file that has them is refused as long as there are no such objects";

/// Rules of parts of templates that are not imported yet are taken and do nothing: clients send
/// them all.
const RULES: &[Field] = &[
    Field::new("template_groups", KEPT, Rule::Optional, "Template groups"),
    Field::new("templates", KEPT, Rule::Optional, "Templates with their macros and tags"),
    Field::new(
        "templateLinkage",
        FieldType::Object(&[CREATE, DELETE]),
        Rule::Optional,
        "Links between templates",
    ),
    Field::new("valueMaps", ALL, Rule::Optional, "Value maps"),
    Field::new("items", ALL, Rule::Optional, "Items"),
    Field::new("discoveryRules", ALL, Rule::Optional, "Discovery rules with their prototypes"),
    Field::new("triggers", ALL, Rule::Optional, "Triggers"),
    Field::new(
        "graphs",
        ALL,
        Rule::Optional,
        "Graphs; prototypes go by the rule of discovery rules",
    ),
    Field::new("host_groups", KEPT, Rule::Optional, "Host groups"),
    Field::new("hosts", KEPT, Rule::Optional, REFUSED),
    Field::new("httptests", ALL, Rule::Optional, "Web scenarios"),
    Field::new("images", KEPT, Rule::Optional, REFUSED),
    Field::new("maps", KEPT, Rule::Optional, REFUSED),
    Field::new(
        "mediaTypes",
        KEPT,
        Rule::Optional,
        "Media types; passwords and tokens stay as they are where the file has none",
    ),
    Field::new("templateDashboards", ALL, Rule::Optional, "Dashboards of templates"),
];

const SOURCE: Field =
    Field::new("source", FieldType::Text { max: usize::MAX }, Rule::Required, "The export")
        .or_empty();
const RULES_FIELD: Field =
    Field::new("rules", FieldType::Object(RULES), Rule::Required, "What the import may do");

const OBJECT: Object = Object {
    name: "configuration",
    type_name: "Configuration",
    id: "",
    ids: "",
    fields: &[
        Field::new(
            "format",
            FieldType::Text { max: 16 },
            Rule::Required,
            "`yaml`, `json` or `xml`",
        ),
        SOURCE,
        RULES_FIELD,
    ],
    selects: &[],
    params: Params::of(&[]),
    sort: &[],
    doc: "Templates in Zabbix's export format, 7.0 to 7.4; the answer of an import is `true`",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[Method::edit("configuration.import", import).of(RoleType::SuperAdmin)],
);

/// What `POST /api/v1/import` takes.
pub(crate) const REQUEST: &[Field] = &[SOURCE, RULES_FIELD];

fn import(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    check_rules(params)?;
    let fields = object_at_root(OBJECT.fields, params)?;
    let format = match str_of(&fields, "format") {
        "yaml" => ImportFormat::Yaml,
        "json" => ImportFormat::Json,
        "xml" => ImportFormat::Xml,
        _ => {
            let what = r#"value must be one of "yaml", "xml", "json""#;
            return Err(ApiError::field("/format", what));
        }
    };
    apply(ctx, &fields, format)?;
    Ok(Value::Bool(true))
}

/// What each rule may do is told by booleans alone.
fn check_rules(params: &Value) -> Result<(), ApiError> {
    let rules = params.get("rules").and_then(Value::as_object).into_iter().flatten();
    for (name, rule) in rules {
        for (flag, given) in rule.as_object().into_iter().flatten() {
            let is_known = [CREATE, UPDATE, DELETE].iter().any(|it| it.name == flag);
            let is_flag = given.is_boolean() || matches!(query::text(given).as_str(), "0" | "1");
            if is_known && !is_flag {
                let path = format!("/rules/{name}/{flag}");
                return Err(ApiError::field(&path, "a boolean is expected"));
            }
        }
    }
    Ok(())
}

/// Imports the `source` of canonical parameters.
pub(crate) fn apply(
    ctx: &Ctx,
    fields: &Fields,
    format: ImportFormat,
) -> Result<ImportReport, ApiError> {
    let rules = fields.get("rules").and_then(Value::as_object);
    let rule = |name: &str| {
        let rule = rules.and_then(|it| it.get(name)).and_then(Value::as_object);
        let flag = |name: &str| rule.is_some_and(|it| str_of(it, name) == "1");
        ImportRule {
            create: flag(CREATE.name),
            update: flag(UPDATE.name),
            delete_missing: flag(DELETE.name),
        }
    };
    let rules = ImportRules {
        host_groups: rule("host_groups"),
        template_groups: rule("template_groups"),
        templates: rule("templates"),
        template_linkage: rule("templateLinkage"),
        value_maps: rule("valueMaps"),
        items: rule("items"),
        discovery_rules: rule("discoveryRules"),
        triggers: rule("triggers"),
        web_scenarios: rule("httptests"),
        graphs: rule("graphs"),
        template_dashboards: rule("templateDashboards"),
        hosts: rule("hosts"),
        images: rule("images"),
        maps: rule("maps"),
        media_types: rule("mediaTypes"),
    };
    let file = ImportFile::read(str_of(fields, SOURCE.name), format)?;
    let report = ctx.edit(|e| file.apply(e, &rules))?;
    report.log();
    Ok(report)
}
