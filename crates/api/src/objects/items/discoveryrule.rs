//! Rules of low-level discovery: `discoveryrule.*`.

use db::ObjectKind;
use db::objects::item as described;
use model::ItemId;
use model::content::{ItemFlags, UiElement};
use model::field_path::FieldPath;
use serde_json::{Value, json};

use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, count, flattened,
};
use crate::error::ApiError;
use crate::json::{self, Fields, Scalar, list_of, str_of, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::graphs;
use crate::objects::common::items;
use crate::objects::common::parts::{LINE, RULE_STEP, STEP};
use crate::objects::common::resolve;
use crate::objects::common::triggers;
use crate::objects::items::fields::{
    BY_TYPE, ERROR, HOSTID, ITEM_KEY, ITEM_NAME, ITEMID, ItemColumn, ItemFamily, LIFETIMES, OF_ALL,
    SELECT_RULE_PROTOTYPES, STATE, STATUS, TEMPLATE, UUID, error_of,
    preprocessing as preprocessing_field,
};
use crate::objects::items::item::{self, get_kind, related_kind, select_of_all};
use crate::objects::items::overrides::{self, FILTER, LLD_MACRO, OVERRIDE};
use crate::objects::items::rules as item_rules;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{Output, Table};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

pub(crate) const MACRO_PATH: &[Field] = &[
    Field::new("lld_macro", LINE, Rule::Required, "LLD macro").shaped(&LLD_MACRO),
    Field::new("path", LINE, Rule::Required, "JSONPath of its value in a row"),
];

/// Of rules and their prototypes.
pub(crate) const FILTERED: ItemColumn = ItemColumn::given_only(Field::new(
    "filter",
    FieldType::Object(FILTER),
    Rule::WriteOnly,
    "Filter of rows",
));
pub(crate) const MACRO_PATHS: ItemColumn = ItemColumn::given_only(Field::new(
    "lld_macro_paths",
    FieldType::List(MACRO_PATH),
    Rule::Optional,
    "Paths of macros",
));
pub(crate) const OVERRIDES: ItemColumn = ItemColumn::given_only(Field::new(
    "overrides",
    FieldType::List(OVERRIDE),
    Rule::Optional,
    "Changes to single objects",
));

/// Where a discovered rule comes from.
const DISCOVERY_DATA: &[Field] = discovery_data();

const fn discovery_data() -> &'static [Field] {
    match item::DISCOVERY {
        // Without ids of the relation itself.
        [_, _, rest @ ..] => rest,
        all => all,
    }
}

/// In the order in which Zabbix looks at them.
const OWN: &[ItemColumn] = &[
    ITEMID,
    UUID,
    HOSTID,
    ITEM_NAME,
    ItemColumn::described(described::check_type(described::RULE_TYPE)),
    ITEM_KEY,
];
const FURTHER: &[ItemColumn] = &[
    STATUS,
    preprocessing_field(RULE_STEP),
    MACRO_PATHS,
    FILTERED,
    OVERRIDES,
    TEMPLATE,
    ItemColumn::of_row(
        Field::new(
            "flags",
            FieldType::Code(&[1, 5]),
            Rule::ReadOnly,
            "1: created by a user, 5: by another rule",
        ),
        |_, (_, row)| Scalar::code(row.flags.code()),
    ),
    ItemColumn::of_row(STATE, |ctx, (_, row)| Scalar::Flag(is_unsupported(ctx, row.id))),
    ItemColumn::of_row(ERROR, |ctx, (_, row)| error(ctx, row.id)),
];
const LISTS: &[&[ItemColumn]] = &[OWN, &LIFETIMES, &OF_ALL, FURTHER, &BY_TYPE];
#[expect(clippy::large_const_arrays, reason = "the fields are made of it while it is compiled")]
const COLUMNS: [ItemColumn; count(LISTS)] = flattened(LISTS);
#[expect(clippy::large_const_arrays, reason = "descriptions are made of it while it is compiled")]
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

/// Whether it has no result that can be used.
fn is_unsupported(ctx: &Ctx, rule: ItemId) -> bool {
    let of_result = || ctx.db().rule_errors().get(rule);
    ctx.ports().live.item(rule).is_unsupported || of_result().is_some_and(|it| it.is_unsupported)
}

/// The error of the rule; else that of the part of its last result that could not be applied, or was refused.
fn error(ctx: &Ctx, rule: ItemId) -> Scalar<'static> {
    let live = ctx.ports().live.item(rule);
    if live.is_unsupported {
        return error_of(live);
    }
    match ctx.db().rule_errors().get(rule) {
        Some(error) => Scalar::Made(error.text.to_string().into()),
        None => error_of(live),
    }
}

pub(crate) const OBJECT: Object = Object {
    name: "discoveryrule",
    type_name: "DiscoveryRule",
    nouns: Nouns { one: "a low-level discovery rule", several: "low-level discovery rules" },
    resource: Some(52),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Given,
        unique: &[&["uuid"], &["hostid", "key_"]],
    }),
    id: "itemid",
    ids: "itemids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectDiscoveryData", "discoveryData", Gives::Part(DISCOVERY_DATA)),
        Select::new("selectItems", "items", Gives::Objects("itemprototype"))
            .limited("name")
            .countable(),
        Select::new("selectTriggers", "triggers", Gives::Objects("triggerprototype"))
            .limited("description")
            .countable(),
        Select::new("selectGraphs", "graphs", Gives::Objects("graphprototype"))
            .limited("name")
            .countable(),
        Select::new("selectHostPrototypes", "hostPrototypes", Gives::Objects("hostprototype"))
            .countable(),
        SELECT_RULE_PROTOTYPES,
        Select::new("selectFilter", "filter", Gives::Part(FILTER)),
        Select::new("selectLLDMacroPaths", "lld_macro_paths", Gives::Parts(MACRO_PATH)),
        Select::new("selectPreprocessing", "preprocessing", Gives::Parts(STEP)),
        Select::new("selectOverrides", "overrides", Gives::Parts(OVERRIDE)),
    ],
    params: Params::of(item::PARAMS).filtered_by_owner(&["host"]),
    sort: &["itemid", "name", "key_", "delay", "type", "status"],
    doc: "A rule that creates items and triggers from data of a device",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("discoveryrule.get", |ctx, params| {
            get_kind::<Rules>(ctx, params, &OBJECT, ItemFlags::is_rule)
        }),
        Method::edit("discoveryrule.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("discoveryrule.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("discoveryrule.delete", delete),
    ],
)
.related(|ctx, rows, output| related_kind::<Rules>(ctx, rows, output, &OBJECT));

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::DiscoveryRule, may_change, check };

/// The name of the ids in the answer of delete: create and update have another one.
pub(crate) const DELETED_IDS: &str = "ruleids";

fn delete(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut answer = CRUD.delete(ctx, params)?;
    Ok(json!({ DELETED_IDS: answer[OBJECT.ids].take() }))
}

/// Whether the rule is there and on a host of the user's.
pub(crate) fn may_change(ctx: &Ctx, id: u64) -> bool {
    items::may_change(ctx, id, ItemFlags::is_rule)
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    check_kind(ctx, fields, mode, (ItemFlags::Rule, path))
}

/// Common rules of discovery rules and their prototypes.
pub(crate) fn check_kind(
    ctx: &Ctx,
    fields: &mut Fields,
    mode: Mode,
    (flags, path): (ItemFlags, &FieldPath),
) -> Result<(), ApiError> {
    item_rules::check_holder(fields, mode, path)?;
    check_macro_paths(fields, path)?;
    overrides::check_filter(fields, path)?;
    overrides::check(ctx, fields, path)?;
    item_rules::check(ctx, fields, mode, flags, path)
}

/// Each macro is found in one place.
fn check_macro_paths(fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    let mut seen: Vec<&str> = Vec::new();
    let path = path.member("lld_macro_paths");
    for (at, it) in list_of(fields, "lld_macro_paths").enumerate() {
        let (name, path) = (str_of(it, "lld_macro"), path.element(at));
        if seen.contains(&name) {
            let what = format!("value (lld_macro)=({name}) already exists");
            return Err(ApiError::field(&path, &what));
        }
        seen.push(name);
    }
    Ok(())
}

/// Rows of `discoveryrule.get`.
pub(crate) struct Rules;

impl Table for Rules {
    type Family = ItemFamily;

    fn columns() -> &'static [ItemColumn] {
        const { &COLUMNS }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        (holder, row): RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        Ok(match select.param {
            "selectDiscoveryRule" => {
                let by = row.discovered().map_or(ItemId::NONE, |it| it.rule);
                ctx.related(select, Related::Items(items::rule_above(ctx, holder, by)), output)
            }
            "selectDiscoveryData" => item::discovery(ctx, row, DISCOVERY_DATA, output),
            "selectDiscoveryRulePrototypes" => {
                let prototypes = items::rule_prototypes_of_rule(ctx, holder, row);
                ctx.related(select, Related::Items(prototypes), output)
            }
            "selectItems" => {
                let prototypes = items::prototypes_of_rule(ctx, holder, row);
                ctx.related(select, Related::Items(prototypes), output)
            }
            "selectTriggers" => {
                let prototypes = triggers::prototypes_of_rule(ctx, holder, row);
                ctx.related(select, Related::Triggers(prototypes), output)
            }
            "selectGraphs" => {
                let prototypes = graphs::prototypes_of_rule(ctx, holder, row);
                ctx.related(select, Related::Graphs(prototypes), output)
            }
            "selectHostPrototypes" => {
                let chain = ctx.snapshot.names_of_rule(holder, row);
                let prototypes = holder.host_prototypes.iter();
                let of_it = prototypes.filter(|it| chain.contains(&it.content.ruleid));
                let of_it = of_it.map(|it| (holder, it)).collect();
                ctx.related(select, Related::HostPrototypes(of_it), output)
            }
            "selectFilter" => {
                let filter = overrides::filter(&row.content.filter);
                resolve::discovered(ctx, filter, row.discovered())
            }
            "selectLLDMacroPaths" => {
                let paths = row.content.lld_macro_paths.iter();
                let paths = json::parts(MACRO_PATH, paths, output, |it, field| match field {
                    "lld_macro" => text(it.lld_macro.as_str()),
                    _ => text(it.path.as_str()),
                });
                resolve::discovered(ctx, paths, row.discovered())
            }
            "selectOverrides" => overrides::overrides(&row.content.overrides, output),
            _ => select_of_all(ctx, (holder, row), select, output),
        })
    }
}
