//! Trigger prototypes: `triggerprototype.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::ItemId;
use model::content::ItemFlags;
use model::snapshot::{Host, ItemRow, TriggerRow};
use serde_json::Value;

use crate::answer::Answer;
use crate::describe::{FLAG, Field, Gives, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::TAG;
use crate::objects::common::scope::Get;
use crate::objects::triggers::fields::{COMMON, Expand, FUNCTION, Reader};
use crate::objects::triggers::trigger::{self, TriggerFilter};
use crate::objects::{Entry, Method};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;

const OWN: [Field; 1] =
    [Field::new("discover", FLAG, Rule::Default("0"), "0: rows make triggers, 1: they don't")
        .overridable()];
const FIELDS: [Field; 23] = crate::objects::joined(&COMMON, &OWN);

const OBJECT: Object = Object {
    name: "triggerprototype",
    type_name: "TriggerPrototype",
    id: "triggerid",
    ids: "triggerids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).countable(),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectTemplateGroups", "templategroups", Gives::Objects("templategroup")),
        Select::new("selectItems", "items", Gives::Objects("item")).countable(),
        Select::new("selectFunctions", "functions", Gives::Parts(FUNCTION)),
        Select::new("selectDependencies", "dependencies", Gives::Objects("trigger")).countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectTags", "tags", Gives::Parts(TAG)),
    ],
    params: Params::of(trigger::PARAMS).foreign(&["maintenance"]),
    sort: &["triggerid", "description", "status", "priority"],
    doc: "What a rule makes triggers from",
};

pub(crate) const ENTRY: Entry = Entry {
    object: &OBJECT,
    methods: &[
        Method::get("triggerprototype.get", get),
        Method::edit("triggerprototype.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("triggerprototype.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("triggerprototype.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
};

const CRUD: Crud = Crud {
    object: &OBJECT,
    kind: ObjectKind::TriggerPrototype,
    may_change: |ctx, id| trigger::may_change_kind(ctx, id, |it| it == ItemFlags::Prototype),
    check: trigger::check,
};

struct PrototypeRows<'a> {
    reader: Reader<'a>,
}

impl<'a> Rows for PrototypeRows<'a> {
    type Row = (&'a Arc<Host>, &'a TriggerRow);

    fn field(&self, (holder, row): &Self::Row, name: &str) -> Value {
        match name {
            "error" => crate::json::empty(),
            _ => self.reader.field(holder, row, name),
        }
    }

    fn select(
        &self,
        (holder, row): &Self::Row,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        trigger::select_of(&self.reader, (*holder, *row), select, output)
    }
}

fn related<'a>(
    ctx: &'a Ctx,
    rows: impl Iterator<Item = (&'a Arc<Host>, &'a TriggerRow)>,
    output: &Output,
) -> Value {
    let reader = Reader::new(ctx, Expand::default());
    query::related(&OBJECT, &PrototypeRows { reader }, rows, output)
}

fn prototypes(holder: &Host) -> impl Iterator<Item = &TriggerRow> {
    holder.triggers.iter().filter(|it| it.flags == ItemFlags::Prototype)
}

/// The prototypes of a rule, for its `selectTriggers`.
pub(crate) fn of_rule(ctx: &Ctx, holder: &Arc<Host>, rule: &ItemRow, output: &Output) -> Value {
    let chain: Vec<ItemId> = ctx.snapshot.item_chain(rule).collect();
    let of_it = prototypes(holder).filter(|it| chain.contains(&it.content.ruleid));
    related(ctx, of_it.map(|it| (holder, it)), output)
}

/// The trigger prototypes that use an item prototype.
pub(crate) fn of_item(ctx: &Ctx, holder: &Arc<Host>, item: &ItemRow, output: &Output) -> Value {
    let chain: Vec<ItemId> = ctx.snapshot.item_chain(item).collect();
    let uses = |it: &&TriggerRow| it.content.functions.iter().any(|it| chain.contains(&it.item));
    related(ctx, prototypes(holder).filter(uses).map(|it| (holder, it)), output)
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let expand = Expand { expression: get.flag("expandExpression"), ..Expand::default() };
    let filter = TriggerFilter::parse(&mut get, |it| it == ItemFlags::Prototype)?;
    let rows = PrototypeRows { reader: Reader::new(ctx, expand) };
    filter.answer(ctx, &OBJECT, &rows, &get.options)
}
