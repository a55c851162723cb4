//! Item prototypes: `itemprototype.*`.

use db::ObjectKind;
use db::objects::item as described;
use model::content::{ItemFlags, UiElement};
use model::field_path::FieldPath;
use serde_json::{Value, json};

use crate::describe::{
    Field, Gives, Nouns, Object, Params, RoleRule, RulesSee, Select, Unknown, Writes, count,
    flattened,
};
use crate::error::ApiError;
use crate::json::{Fields, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::graphs;
use crate::objects::common::items;
use crate::objects::common::parts::{STEP, TAG};
use crate::objects::common::triggers;
use crate::objects::items::fields::{
    BY_TYPE, HOSTID, ITEM_KEY, ITEM_NAME, ITEMID, ItemColumn, ItemFamily, OF_ALL,
    SELECT_DISCOVERY_OF_PROTOTYPE, SELECT_RULE_PROTOTYPE, STATUS, TAGS, TEMPLATE, UUID, VALUES,
    preprocessing as preprocessing_field, rule_of_prototype,
};
use crate::objects::items::item::{self, get_kind, related_kind, select_of_all};
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
    rule_of_prototype("Rule that it belongs to"),
    ITEM_NAME,
    ItemColumn::described(described::check_type(described::ITEM_TYPE)),
    ITEM_KEY,
];
const FURTHER: &[ItemColumn] = &[
    STATUS,
    ItemColumn::described(described::discover("0: rows create items, 1: they don't")),
    TAGS,
    preprocessing_field(STEP),
    TEMPLATE,
];
const LISTS: &[&[ItemColumn]] = &[OWN, &VALUES, &OF_ALL, FURTHER, &BY_TYPE];
#[expect(clippy::large_const_arrays, reason = "the fields are made of it while it is compiled")]
const COLUMNS: [ItemColumn; count(LISTS)] = flattened(LISTS);
#[expect(clippy::large_const_arrays, reason = "descriptions are made of it while it is compiled")]
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

pub(crate) const OBJECT: Object = Object {
    name: "itemprototype",
    type_name: "ItemPrototype",
    nouns: Nouns { one: "an item prototype", several: "item prototypes" },
    resource: Some(36),
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
        SELECT_RULE_PROTOTYPE,
        SELECT_DISCOVERY_OF_PROTOTYPE,
        Select::new("selectTriggers", "triggers", Gives::Objects("triggerprototype"))
            .limited("description")
            .countable(),
        Select::new("selectGraphs", "graphs", Gives::Objects("graphprototype"))
            .limited("name")
            .countable(),
        Select::new("selectPreprocessing", "preprocessing", Gives::Parts(STEP)),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
        Select::new("selectValueMap", "valuemap", Gives::Object("valuemap")),
    ],
    params: Params::of(item::PARAMS).filtered_by_owner(&["host"]),
    sort: &["itemid", "name", "key_", "delay", "type", "status"],
    doc: "A pattern of the items of a discovery rule",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("itemprototype.get", |ctx, params| {
            get_kind::<Prototypes>(ctx, params, &OBJECT, |it| it == ItemFlags::Prototype)
        }),
        Method::edit("itemprototype.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("itemprototype.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("itemprototype.delete", delete),
    ],
)
.related(|ctx, rows, output| related_kind::<Prototypes>(ctx, rows, output, &OBJECT));

/// The name of the ids in the answer of delete: create and update have another one.
pub(crate) const DELETED_IDS: &str = "prototypeids";

fn delete(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut answer = CRUD.delete(ctx, params)?;
    Ok(json!({ DELETED_IDS: answer[OBJECT.ids].take() }))
}

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::ItemPrototype, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    items::may_change(ctx, id, |it| it == ItemFlags::Prototype)
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    if let Some(holder) = item_rules::check_rule_of(ctx, fields, mode)? {
        fields.insert("hostid".to_owned(), text(holder.to_string()));
    }
    item_rules::check(ctx, fields, mode, ItemFlags::Prototype, path)
}

struct Prototypes;

impl Table for Prototypes {
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
                let rule = items::rule_above(ctx, holder, row.content.ruleid);
                ctx.related(select, Related::Items(rule), output)
            }
            "selectDiscoveryRulePrototype" => {
                let rule = items::rule_prototype_above(ctx, holder, row.content.ruleid);
                ctx.related(select, Related::Items(rule), output)
            }
            "selectTriggers" => {
                let prototypes = triggers::prototypes_of_item(ctx, holder, row);
                ctx.related(select, Related::Triggers(prototypes), output)
            }
            "selectGraphs" => {
                let prototypes = graphs::prototypes_of_item(ctx, holder, row);
                ctx.related(select, Related::Graphs(prototypes), output)
            }
            _ => select_of_all(ctx, (holder, row), select, output),
        })
    }
}
