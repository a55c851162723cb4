//! Graph prototypes: `graphprototype.*`.

use db::ObjectKind;
use db::objects::graph::{DISCOVER, GRAPH_ITEM};
use model::content::{ItemFlags, UiElement};
use model::version::Version;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, Gives, Nouns, Object, Params, RoleRule, RulesSee, Select, Unknown, Writes, joined,
};
use crate::error::ApiError;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::crud::Crud;
use crate::objects::common::scope::Get;
use crate::objects::graphs::fields::{COMMON, GraphColumn, GraphFamily, Reader, name};
use crate::objects::graphs::graph::{self, GraphFilter};
use crate::objects::graphs::judge;
use crate::objects::items::fields::{SELECT_DISCOVERY_OF_PROTOTYPE, SELECT_RULE_PROTOTYPE};
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Output, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

const OWN: &[GraphColumn] =
    &[name("Missing \"name\" field for graph prototype."), GraphColumn::described(DISCOVER)];
const COLUMNS: [GraphColumn; COMMON.len() + OWN.len()] = joined(OWN, &COMMON);
const FIELDS: [Field; COLUMNS.len()] = table::fields(&COLUMNS);

const OBJECT: Object = Object {
    name: "graphprototype",
    type_name: "GraphPrototype",
    nouns: Nouns { one: "a graph prototype", several: "graph prototypes" },
    resource: Some(35),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::Templates]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "graphid",
    ids: "graphids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectHosts", "hosts", Gives::Objects("host")).limited("host").countable(),
        Select::new("selectTemplates", "templates", Gives::Objects("template")),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectGroups", "groups", Gives::Objects("hostgroup")).until(Version::V7_0),
        Select::new("selectTemplateGroups", "templategroups", Gives::Objects("templategroup")),
        Select::new("selectItems", "items", Gives::Objects("item")).countable(),
        Select::new("selectGraphItems", "gitems", Gives::Parts(GRAPH_ITEM)).countable(),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        SELECT_RULE_PROTOTYPE,
        SELECT_DISCOVERY_OF_PROTOTYPE,
    ],
    params: Params::of(graph::PARAMS).filtered_by_owner(&["host"]),
    sort: &["graphid", "name", "graphtype"],
    doc: "A pattern of the graphs of a discovery rule",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("graphprototype.get", get),
        Method::edit("graphprototype.create", |ctx, params| {
            CRUD.create(ctx, &judge::judge(ctx, &KIND, Mode::Create, params)?)
        }),
        Method::edit("graphprototype.update", |ctx, params| {
            CRUD.update(ctx, &judge::judge(ctx, &KIND, Mode::Update, params)?)
        }),
        Method::edit("graphprototype.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Graphs(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &PrototypeRows::new(Reader::new(ctx)), rows.into_iter(), output)
});

const KIND: judge::Kind = judge::Kind {
    noun: "graph prototype",
    capital: "Graph prototype",
    is_prototype: true,
    fields: &FIELDS,
    may_change,
};

const CRUD: Crud =
    Crud { object: &OBJECT, kind: ObjectKind::GraphPrototype, may_change, check: graph::check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    graph::may_change_kind(ctx, id, |it| it == ItemFlags::Prototype)
}

type PrototypeRows<'a> = TableRows<'a, Prototypes>;

struct Prototypes;

impl Table for Prototypes {
    type Family = GraphFamily;

    fn columns() -> &'static [GraphColumn] {
        const { &COLUMNS }
    }

    fn group_ids<'a>(
        reader: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        name: &str,
    ) -> Option<Vec<String>> {
        graph::group_ids(reader, row, name)
    }

    fn select<'a>(
        reader: &ReaderOf<'a, Self>,
        row: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        Ok(graph::select_of(reader, row, select, output))
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let filter = GraphFilter::parse(&mut get, |it| it == ItemFlags::Prototype)?;
    filter.answer(ctx, &OBJECT, &PrototypeRows::new(Reader::new(ctx)), &get.options)
}
