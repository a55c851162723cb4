//! Trigger prototypes: `triggerprototype.*`.

use db::ObjectKind;
use db::objects::trigger as described;
use model::content::{ItemFlags, UiElement};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, Gives, Nouns, Object, Params, RoleRule, RulesSee, Select, Unknown, Writes, joined,
};
use crate::error::ApiError;
use crate::json::Scalar;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::TAG;
use crate::objects::common::scope::Get;
use crate::objects::items::fields::{SELECT_DISCOVERY_OF_PROTOTYPE, SELECT_RULE_PROTOTYPE};
use crate::objects::triggers::fields::{
    COMMON, ERROR, Expand, FUNCTION, Reader, TriggerColumn, TriggerFamily,
};
use crate::objects::triggers::trigger::{self, TriggerFilter};
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Output, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;

const OWN: &[TriggerColumn] = &[
    TriggerColumn::of_row(ERROR, |_, _| Scalar::Text("")),
    TriggerColumn::described(described::DISCOVER),
];
const COLUMNS: [TriggerColumn; COMMON.len() + OWN.len()] = joined(&COMMON, OWN);
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

const OBJECT: Object = Object {
    name: "triggerprototype",
    type_name: "TriggerPrototype",
    nouns: Nouns { one: "a trigger prototype", several: "trigger prototypes" },
    resource: Some(31),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["uuid"], &["description", "expression"]],
    }),
    id: "triggerid",
    ids: "triggerids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).limited("host").countable(),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectTemplateGroups", "templategroups", Gives::Objects("templategroup")),
        Select::new("selectItems", "items", Gives::Objects("item")).countable(),
        Select::new("selectFunctions", "functions", Gives::Parts(FUNCTION)),
        Select::new("selectDependencies", "dependencies", Gives::Objects("trigger")).countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        SELECT_RULE_PROTOTYPE,
        SELECT_DISCOVERY_OF_PROTOTYPE,
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
    ],
    params: Params::of(&[
        "triggerids",
        "groupids",
        "templateids",
        "hostids",
        "itemids",
        "discoveryids",
        "functions",
        "group",
        "host",
        "inherited",
        "templated",
        "maintenance",
        "monitored",
        "active",
        "min_severity",
        "expandExpression",
        "expandMacros",
        "limitSelects",
    ])
    .filtered_by_owner(&["host"]),
    sort: &["triggerid", "description", "status", "priority", "discover"],
    doc: "A pattern of the triggers of a discovery rule",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("triggerprototype.get", get),
        Method::edit("triggerprototype.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("triggerprototype.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("triggerprototype.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Triggers(rows) = rows else { return json!([]) };
    let reader = Reader::new(ctx, Expand::default());
    query::related(&OBJECT, &PrototypeRows::new(reader), rows.into_iter(), output)
});

const CRUD: Crud = Crud {
    object: &OBJECT,
    kind: ObjectKind::TriggerPrototype,
    may_change: |ctx, id| trigger::may_change_kind(ctx, id, |it| it == ItemFlags::Prototype),
    check: |ctx, fields, _, path| {
        trigger::check_kind(ctx, fields, path, ("trigger prototype", |_| true))
    },
};

type PrototypeRows<'a> = TableRows<'a, Prototypes>;

struct Prototypes;

impl Table for Prototypes {
    type Family = TriggerFamily;

    fn columns() -> &'static [TriggerColumn] {
        const { &COLUMNS }
    }

    fn select<'a>(
        reader: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        trigger::select_of(reader, row, select, output)
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let expand = Expand {
        expression: get.flag("expandExpression"),
        keeps_macros: get.side("expandMacros") == Some(false),
        ..Expand::default()
    };
    let filter = TriggerFilter::of_prototypes(&mut get)?;
    let rows = PrototypeRows::new(Reader::new(ctx, expand));
    filter.answer(ctx, &OBJECT, &rows, &get.options)
}
