//! Nodes of a cluster: `hanode.get`. There is no cluster, so the answer is that of a Zabbix server without
//! one: a single active node without a name.

use model::content::RoleType;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{Field, FieldType, Nouns, Object, Params, RoleRule, Rule, Select};
use crate::error::ApiError;
use crate::json::Scalar;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::scope::Get;
use crate::query::table::{self, PartColumn, PartFamily, ReaderOf, RowOf};
use crate::query::{self, Output, Table, TableRows};
use crate::shared::Ctx;

const TEXT: FieldType = FieldType::Text { max: 255 };
const ID: &str = "saker";
const ACTIVE: i64 = 3;

/// The node that answers.
struct Node {
    lastaccess: i64,
}

type NodeColumn = PartColumn<Node>;

const COLUMNS: &[NodeColumn] = &[
    NodeColumn::of_content(Field::new("ha_nodeid", TEXT, Rule::ReadOnly, "Id, a text"), |_| {
        Scalar::Text(ID)
    }),
    NodeColumn::of_content(
        Field::new("name", TEXT, Rule::ReadOnly, "Always empty: there is no cluster"),
        |_| Scalar::Text(""),
    ),
    NodeColumn::of_content(Field::new("address", TEXT, Rule::ReadOnly, "Always localhost"), |_| {
        Scalar::Text("localhost")
    }),
    NodeColumn::of_content(
        Field::new("port", FieldType::Int { min: 0, max: 65_535 }, Rule::ReadOnly, "Always 10051"),
        |_| Scalar::Number(10_051),
    ),
    NodeColumn::of_content(
        Field::new("lastaccess", FieldType::Timestamp, Rule::ReadOnly, "Now"),
        |it| Scalar::Number(it.lastaccess),
    ),
    NodeColumn::of_content(
        Field::new("status", FieldType::Code(&[0, 1, 2, 3]), Rule::ReadOnly, "Always 3: active"),
        |_| Scalar::Number(ACTIVE),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

const OBJECT: Object = Object {
    name: "hanode",
    type_name: "HaNode",
    nouns: Nouns { one: "a node", several: "nodes of the server" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "ha_nodeid",
    ids: "ha_nodeids",
    fields: &FIELDS,
    selects: &[],
    params: Params::of(&["ha_nodeids"]).strict(),
    sort: &["name", "lastaccess", "status"],
    doc: "The server itself, as a cluster of one",
};

pub(crate) const ENTRY: ObjectEntry =
    ObjectEntry::new(&OBJECT, &[Method::get("hanode.get", get).of(RoleType::SuperAdmin)]);

struct Nodes;

impl Table for Nodes {
    type Family = PartFamily<Node>;

    fn columns() -> &'static [NodeColumn] {
        COLUMNS
    }

    fn select<'a>(
        _: &ReaderOf<'a, Self>,
        _: RowOf<'a, Self>,
        _: &Select,
        _: &Output,
    ) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let is_asked = match get.param("ha_nodeids") {
        None => true,
        Some(Value::Array(ids)) => ids.iter().any(|it| it == ID),
        Some(one) => one == ID,
    };
    let node = Node { lastaccess: ctx.now.clock() };
    let rows = is_asked.then_some(&node);
    query::answer(&OBJECT, &TableRows::<Nodes>::new(()), rows.into_iter(), &get.options)
}
