//! Prototypes of discovery rules: `discoveryruleprototype.*`.

use db::ObjectKind;
use db::objects::item as described;
use model::content::{ItemFlags, UiElement};
use model::field_path::FieldPath;
use serde_json::Value;

use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes, count, flattened,
};
use crate::error::ApiError;
use crate::json::{Fields, Scalar};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::items;
use crate::objects::common::parts::{RULE_STEP, STEP};
use crate::objects::items::discoveryrule::{
    self, FILTERED, MACRO_PATH, MACRO_PATHS, OVERRIDES, Rules,
};
use crate::objects::items::fields::{
    BY_TYPE, HOSTID, ITEM_KEY, ITEM_NAME, ITEMID, ItemColumn, ItemFamily, LIFETIMES, OF_ALL,
    SELECT_DISCOVERY_OF_PROTOTYPE, SELECT_RULE_PROTOTYPE, SELECT_RULE_PROTOTYPES, STATUS, TEMPLATE,
    UUID, preprocessing as preprocessing_field, rule_of_prototype,
};
use crate::objects::items::item::{self, get_kind, related_kind};
use crate::objects::items::overrides::{FILTER, OVERRIDE};
use crate::objects::items::rules as item_rules;
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{Output, Table};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

/// In the order in which Zabbix looks at them.
const OWN: &[ItemColumn] = &[
    ITEMID,
    UUID,
    HOSTID,
    rule_of_prototype("Rule, or prototype of a rule, that it belongs to"),
    ITEM_NAME,
    ItemColumn::described(described::check_type(described::RULE_TYPE)),
    ITEM_KEY,
];
const FURTHER: &[ItemColumn] = &[
    STATUS,
    ItemColumn::described(described::discover("0: rows make rules, 1: they don't")),
    preprocessing_field(RULE_STEP),
    MACRO_PATHS,
    FILTERED,
    OVERRIDES,
    TEMPLATE,
    ItemColumn::of_row(
        Field::new("flags", FieldType::Code(&[3]), Rule::ReadOnly, "Always 3"),
        |_, (_, row)| Scalar::code(row.flags.code()),
    ),
];
const LISTS: &[&[ItemColumn]] = &[OWN, &LIFETIMES, &OF_ALL, FURTHER, &BY_TYPE];
#[expect(clippy::large_const_arrays, reason = "the fields are made of it while it is compiled")]
const COLUMNS: [ItemColumn; count(LISTS)] = flattened(LISTS);
#[expect(clippy::large_const_arrays, reason = "descriptions are made of it while it is compiled")]
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

const OBJECT: Object = Object {
    name: "discoveryruleprototype",
    type_name: "DiscoveryRulePrototype",
    nouns: Nouns {
        one: "a prototype of a low-level discovery rule",
        several: "prototypes of low-level discovery rules",
    },
    resource: Some(56),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Given,
        unique: &[&["hostid", "key_"]],
    }),
    id: "itemid",
    ids: "itemids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        SELECT_RULE_PROTOTYPE,
        SELECT_DISCOVERY_OF_PROTOTYPE,
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
    sort: &["itemid", "name", "key_", "delay", "type", "status", "discover"],
    doc: "A pattern of the rules of a discovery rule",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("discoveryruleprototype.get", |ctx, params| {
            get_kind::<RulePrototypes>(ctx, params, &OBJECT, |it| it == ItemFlags::RulePrototype)
        }),
        Method::edit("discoveryruleprototype.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("discoveryruleprototype.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("discoveryruleprototype.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| related_kind::<RulePrototypes>(ctx, rows, output, &OBJECT));

const CRUD: Crud =
    Crud { object: &OBJECT, kind: ObjectKind::DiscoveryRulePrototype, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    items::may_change(ctx, id, |it| it == ItemFlags::RulePrototype)
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    item_rules::check_rule_of(ctx, fields, mode)?;
    discoveryrule::check_kind(ctx, fields, mode, (ItemFlags::RulePrototype, path))
}

struct RulePrototypes;

impl Table for RulePrototypes {
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
        match select.param {
            "selectDiscoveryRule" => {
                let rule = items::rule_above(ctx, holder, row.content.ruleid);
                Ok(ctx.related(select, Related::Items(rule), output))
            }
            "selectDiscoveryRulePrototype" => {
                let rule = items::rule_prototype_above(ctx, holder, row.content.ruleid);
                Ok(ctx.related(select, Related::Items(rule), output))
            }
            // All else is that of rules.
            _ => Rules::select(ctx, (holder, row), select, output),
        }
    }
}
