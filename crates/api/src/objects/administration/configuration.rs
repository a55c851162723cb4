//! `configuration.import`, `importcompare` and `export`: Zabbix's export format, in and out.

use std::collections::BTreeSet;
use std::sync::Arc;

use db::{
    ConfigError, ExportOptions, ImportComparison, ImportFile, ImportFormat, ImportReport,
    ImportRule, ImportRules, Permission, write,
};
use model::content::{RoleType, UiElement};
use model::snapshot::Host;
use model::{GroupId, HostId, TemplateGroupId};
use serde_json::Value;

use crate::describe::{ChangedFrom, Field, FieldType, Nouns, Object, Params, RoleRule, Rule};
use crate::error::{ApiError, ErrorClass, param};
use crate::json::{Fields, str_of};
use crate::memory::{RoomError, WorkRoom};
use crate::method::{Method, ObjectEntry};
use crate::objects::maps::rights as map_rights;
use crate::query;
use crate::shared::Ctx;
use crate::validate::object_at_root;

const CREATE: Field =
    Field::new("createMissing", FieldType::Bool, Rule::Optional, "Create missing objects")
        .implied("false");
const UPDATE: Field =
    Field::new("updateExisting", FieldType::Bool, Rule::Optional, "Update existing objects")
        .implied("false");
const DELETE: Field = Field::new(
    "deleteMissing",
    FieldType::Bool,
    Rule::Optional,
    "Delete objects of templates that are missing in the file",
)
.implied("false");

const ALL: FieldType = FieldType::Object(&[CREATE, UPDATE, DELETE]);
const CREATE_OR_UPDATE: FieldType = FieldType::Object(&[CREATE, UPDATE]);

const RULES: &[Field] = &[
    Field::new("template_groups", CREATE_OR_UPDATE, Rule::Optional, "Template groups"),
    Field::new(
        "templates",
        CREATE_OR_UPDATE,
        Rule::Optional,
        "Templates with their macros and tags",
    ),
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
        "Graphs; for prototypes the rule of discovery rules applies",
    ),
    Field::new("host_groups", CREATE_OR_UPDATE, Rule::Optional, "Host groups"),
    Field::new(
        "hosts",
        CREATE_OR_UPDATE,
        Rule::Optional,
        "Hosts with their interfaces, macros, tags and inventory",
    ),
    Field::new("httptests", ALL, Rule::Optional, "Web scenarios"),
    Field::new("images", CREATE_OR_UPDATE, Rule::Optional, "Images"),
    Field::new(
        "maps",
        CREATE_OR_UPDATE,
        Rule::Optional,
        "Maps; new ones belong to who imports them",
    ),
    Field::new(
        "mediaTypes",
        CREATE_OR_UPDATE,
        Rule::Optional,
        "Media types; passwords and tokens are kept if the file has none",
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
    nouns: Nouns { one: "configuration", several: "configuration" },
    resource: None,
    role: RoleRule::ANY_PAGE.except(&[(
        "import",
        ChangedFrom::OneOf(&[
            UiElement::Hosts,
            UiElement::Templates,
            UiElement::Maps,
            UiElement::MediaTypes,
        ]),
    )]),
    writes: None,
    id: "",
    ids: "",
    fields: &[
        Field::new(
            "format",
            FieldType::Text { max: usize::MAX },
            Rule::Required,
            "`yaml`, `json` or `xml`",
        )
        .or_empty()
        .words(&["yaml", "xml", "json"]),
        SOURCE,
        RULES_FIELD,
    ],
    selects: &[],
    params: Params::of(&[]),
    sort: &[],
    doc: "Configuration in Zabbix's export format: 6.0 to 7.4 is read, 7.0 is written. The fields are those of \
          import, which answers `true`, and of importcompare, which returns the changes that an import would make; export \
          takes `options` with lists of ids (`host_groups`, `template_groups`, `hosts`, `templates`, \
          `mediaTypes`, `images`, `maps`), `format` and `prettyprint`. Maps include their images",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::edit("configuration.import", import).of(RoleType::User),
        Method::edit("configuration.importcompare", compare).of(RoleType::SuperAdmin),
        Method::read("configuration.export", export),
    ],
);

const IDS: FieldType = FieldType::Texts { max: 20 };

const fn ids(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, IDS, Rule::Optional, doc).or_number()
}

const OPTIONS: &[Field] = &[
    ids("host_groups", "Ids of host groups"),
    ids("hosts", "Ids of hosts"),
    ids("images", "Ids of images"),
    ids("maps", "Ids of maps"),
    ids("mediaTypes", "Ids of media types"),
    ids("template_groups", "Ids of template groups"),
    ids("templates", "Ids of templates"),
];

pub(crate) const EXPORT: &[Field] = &[
    Field::new("format", FieldType::Text { max: usize::MAX }, Rule::Required, "Format")
        .or_empty()
        .words(&["yaml", "xml", "json", "raw"]),
    Field::new("prettyprint", FieldType::Bool, Rule::Optional, "Indented"),
    Field::new("options", FieldType::Object(OPTIONS), Rule::Required, "What is exported")
        .or_empty(),
];

/// The parameters of `POST /api/v1/import`.
pub(crate) const REQUEST: &[Field] = &[SOURCE, RULES_FIELD];

fn format_of(fields: &Fields) -> Result<ImportFormat, ApiError> {
    Ok(match str_of(fields, "format") {
        "yaml" => ImportFormat::Yaml,
        "json" => ImportFormat::Json,
        "xml" => ImportFormat::Xml,
        _ => {
            let what = r#"value must be one of "yaml", "xml", "json""#;
            return Err(ApiError::field(param("format"), what));
        }
    })
}

fn export(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(EXPORT, params)?;
    // Zabbix gives the document itself in place of a text.
    let is_raw = str_of(&fields, "format") == "raw";
    let format = if is_raw { ImportFormat::Json } else { format_of(&fields)? };
    let options = chosen(ctx, params, &fields)?;
    let mut room = room_of(ctx);
    room.take(weight(ctx, &options)).map_err(|error| match error {
        RoomError::TooLarge { .. } => ApiError::application(format!("Cannot export: {error}.")),
        RoomError::Busy => ApiError::new(ErrorClass::System, error.to_string()),
    })?;
    let document = db::export(&ctx.snapshot, &options);
    let text = write(&document, format, fields.get("prettyprint") == Some(&Value::Bool(true)));
    if is_raw {
        return serde_json::from_str(&text).map_err(|error| {
            ApiError::new(ErrorClass::System, format!("cannot read what was written: {error}"))
        });
    }
    Ok(Value::from(text))
}

/// The memory that a call builds is counted as the caller's.
fn room_of(ctx: &Ctx) -> WorkRoom {
    let (shared, user) = (&ctx.shared, ctx.caller.identity.userid.0);
    WorkRoom::new(&shared.memory, shared.settings.memory_bytes_max, shared.clock.clone(), user)
}

/// The approximate memory of an export's document and text: both exist at once.
fn weight(ctx: &Ctx, options: &ExportOptions) -> u64 {
    /// An item with its steps, its tags and a script. Those of the official templates take a third of it.
    const ROW_BYTES: usize = 8 << 10;
    let holders = options.hosts.iter().chain(&options.templates);
    let holders = holders.filter_map(|it| ctx.snapshot.holder(HostId(*it)));
    let rows: usize = holders
        .map(|it| 1 + it.items.len() + it.triggers.len() + it.graphs.len() + it.macros.len())
        .sum();
    let documents = options.media_types.len() + options.images.len() + options.maps.len();
    u64::try_from((rows + documents).saturating_mul(ROW_BYTES)).unwrap_or(u64::MAX)
}

/// The requested objects, as far as they exist and the user may read them. Credentials are only for users who
/// may change their holder, as everywhere.
fn chosen(ctx: &Ctx, params: &Value, fields: &Fields) -> Result<ExportOptions, ApiError> {
    let snapshot = &ctx.snapshot;
    check_ids(params)?;
    let options = fields.get("options").and_then(Value::as_object);
    let ids = |name: &str, is_there: &dyn Fn(u64) -> bool| -> BTreeSet<u64> {
        let list = options.and_then(|it| it.get(name)).and_then(Value::as_array);
        let ids = list.into_iter().flatten().filter_map(|it| it.as_str()?.parse().ok());
        ids.filter(|it| is_there(*it)).collect()
    };
    let may_read = |it: Option<&Arc<Host>>| it.is_some_and(|it| ctx.may_read(it));
    let is_document = |name: &str, id: u64| snapshot.documents.get(name, id).is_some();
    let hosts = ids("hosts", &|it| may_read(snapshot.hosts.get(&HostId(it))));
    let templates = ids("templates", &|it| may_read(snapshot.templates.get(&HostId(it))));
    let is_closed = |id: &u64| snapshot.holder(HostId(*id)).is_none_or(|it| !ctx.may_write(it));
    let without_credentials = hosts.iter().chain(&templates).copied().filter(is_closed).collect();
    let options = ExportOptions {
        host_groups: ids("host_groups", &|it| {
            let id = GroupId(it);
            snapshot.host_groups.contains_key(&id) && Permission::Read <= ctx.rights.host_group(id)
        }),
        template_groups: ids("template_groups", &|it| {
            let id = TemplateGroupId(it);
            snapshot.template_groups.contains_key(&id)
                && Permission::Read <= ctx.rights.template_group(id)
        }),
        hosts,
        templates,
        // Media types are for users who may write them: others see only parts of them.
        media_types: ids("mediaTypes", &|it| ctx.is_super_admin() && is_document("mediatype", it)),
        images: ids("images", &|it| is_document("image", it)),
        maps: ids("maps", &|it| is_document("map", it) && map_rights::is_whole(ctx, it)),
        without_credentials,
    };
    Ok(options.with_images_of_maps(snapshot))
}

/// Each option is a list of ids.
fn check_ids(params: &Value) -> Result<(), ApiError> {
    for field in OPTIONS {
        let Some(given) = params.get("options").and_then(|it| it.get(field.name)) else { continue };
        let path = param("options").member(field.name);
        let Value::Array(list) = given else {
            return Err(ApiError::field(path, "an array is expected"));
        };
        let is_id = |it: &Value| query::text(it).parse::<u64>().is_ok() && !it.is_boolean();
        if let Some(at) = list.iter().position(|it| !is_id(it)) {
            return Err(ApiError::field(path.element(at), "a number is expected"));
        }
    }
    Ok(())
}

fn compare(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(OBJECT.fields, params)?;
    let format = format_of(&fields)?;
    let changes = comparison(ctx, &fields, format)?.changes;
    // PHP has one kind of array.
    Ok(if changes.is_empty() { Value::Array(Vec::new()) } else { Value::Object(changes) })
}

/// The file, and the memory that it holds until it is used up.
fn read(
    ctx: &Ctx,
    fields: &Fields,
    format: ImportFormat,
) -> Result<(ImportFile, WorkRoom), ApiError> {
    let mut room = room_of(ctx);
    let mut is_busy = false;
    let mut take = |bytes| {
        room.take(bytes).map_err(|error| {
            is_busy = error == RoomError::Busy;
            ConfigError::application(format_args!("Cannot read the file: {error}."))
        })
    };
    let file = ImportFile::read_within(str_of(fields, SOURCE.name), format, &mut take);
    match file {
        Ok(file) => Ok((file.owned_by(ctx.rights.userid), room)),
        Err(_) if is_busy => Err(ApiError::new(ErrorClass::System, RoomError::Busy.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// The changes of an import.
pub(crate) fn comparison(
    ctx: &Ctx,
    fields: &Fields,
    format: ImportFormat,
) -> Result<ImportComparison, ApiError> {
    let rules = rules_of(fields);
    let (file, _room) = read(ctx, fields, format)?;
    Ok(ctx.try_out(|e| file.compare(e, &rules))?)
}

fn import(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(OBJECT.fields, params)?;
    let format = format_of(&fields)?;
    if !ctx.is_super_admin() {
        return Err(refused(ctx, &fields, format));
    }
    apply(ctx, &fields, format)?;
    Ok(Value::Bool(true))
}

/// The error for users who may not import: the first method that the import would call and they may not.
fn refused(ctx: &Ctx, fields: &Fields, format: ImportFormat) -> ApiError {
    let rules = rules_of(fields);
    let file = match read(ctx, fields, format) {
        Ok((file, _room)) => file,
        Err(error) => return error,
    };
    let makes = |list: &str, rule: ImportRule| rule.create && file.has(list);
    let method = if makes("template_groups", rules.template_groups) {
        "templategroup.create"
    } else if makes("host_groups", rules.host_groups) {
        "hostgroup.create"
    } else if makes("images", rules.images) {
        "image.create"
    } else if makes("media_types", rules.media_types) {
        "mediatype.create"
    } else {
        "configuration.import"
    };
    ApiError::not_allowed(method)
}

/// Imports the `source` of canonical parameters.
pub(crate) fn apply(
    ctx: &Ctx,
    fields: &Fields,
    format: ImportFormat,
) -> Result<ImportReport, ApiError> {
    let rules = rules_of(fields);
    let (file, _room) = read(ctx, fields, format)?;
    let report = ctx.edit(|e| file.apply(e, &rules))?;
    report.log();
    Ok(report)
}

fn rules_of(fields: &Fields) -> ImportRules {
    let rules = fields.get("rules").and_then(Value::as_object);
    let rule = |name: &str| {
        let rule = rules.and_then(|it| it.get(name)).and_then(Value::as_object);
        let flag = |name: &str| rule.and_then(|it| it.get(name)) == Some(&Value::Bool(true));
        ImportRule {
            create: flag(CREATE.name),
            update: flag(UPDATE.name),
            delete_missing: flag(DELETE.name),
        }
    };
    ImportRules {
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
    }
}
