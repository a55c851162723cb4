//! Value maps: `valuemap.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::ValueMapId;
use model::content::ValueMap;
use model::snapshot::Host;
use serde_json::{Map, Value, json};

use super::crud::Crud;
use super::parts::UUID;
use super::scope::{Get, Scope};
use super::{Entry, Method, host};
use crate::answer::Answer;
use crate::describe::{Field, Gives, Kind, Object, Rule, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, list_of, number, str_of, text};
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;
use crate::validate::Mode;

pub(crate) const MAPPING: &[Field] = &[
    Field::new(
        "type",
        Kind::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 equals, 1 at least, 2 at most, 3 in range, 4 regular expression, 5 default",
    ),
    Field::new("value", Kind::Text { max: 64 }, Rule::Default(""), "What is compared"),
    Field::new("newvalue", Kind::Text { max: 64 }, Rule::Required, "Name of the value"),
];

const OBJECT: Object = Object {
    name: "valuemap",
    type_name: "ValueMap",
    id: "valuemapid",
    ids: "valuemapids",
    fields: &[
        Field::new("valuemapid", Kind::Id, Rule::ReadOnly, "Id"),
        Field::new("hostid", Kind::Id, Rule::Constant("0"), "Host or template"),
        Field::new("name", Kind::Text { max: 64 }, Rule::Required, "Name"),
        Field::new("mappings", Kind::List(MAPPING), Rule::Required, "The first that fits counts"),
        Field::new("uuid", UUID, Rule::Default(""), "Identity in exports"),
    ],
    selects: &[Select::new("selectMappings", "mappings", Gives::Parts(MAPPING))],
    sort: &["valuemapid", "name"],
    doc: "Names for values",
};

pub(crate) const ENTRY: Entry = Entry {
    object: &OBJECT,
    methods: &[
        Method::get("valuemap.get", get),
        Method::edit("valuemap.create", |ctx, params| CRUD.create(ctx, params)),
        Method::edit("valuemap.update", |ctx, params| CRUD.update(ctx, params)),
        Method::edit("valuemap.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
};

const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::ValueMap, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    let owner = ctx.snapshot.valuemap_owner.get(&ValueMapId(id));
    owner.and_then(|it| ctx.snapshot.holder(*it)).is_some_and(|it| ctx.may_write(it))
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &str) -> Result<(), ApiError> {
    if mode == Mode::Create {
        let Some(hostid) = id_of(fields, "hostid") else {
            return Err(ApiError::field(path, "the parameter \"hostid\" is missing"));
        };
        host::writable(ctx, hostid)?;
    }
    let is_default = |it: &&Fields| str_of(it, "type") == "5";
    if list_of(fields, "mappings").filter(is_default).count() > 1 {
        let path = format!("{path}/mappings");
        return Err(ApiError::field(&path, "value (type)=(5) already exists"));
    }
    Ok(())
}

struct ValueMapRows;

impl Rows for ValueMapRows {
    type Row = (u64, ValueMap);

    fn field(&self, (hostid, map): &Self::Row, name: &str) -> Value {
        match name {
            "valuemapid" => number(map.valuemapid),
            "hostid" => number(hostid),
            "name" => text(map.name.as_str()),
            "uuid" => text(map.uuid.as_str()),
            _ => Value::Null,
        }
    }

    fn select(&self, (_, map): &Self::Row, _: &Select, output: &Output) -> Result<Value, ApiError> {
        Ok(mappings(map, output))
    }
}

fn mappings(map: &ValueMap, output: &Output) -> Value {
    json::parts(MAPPING, map.mappings.iter(), output, |it, field| match field {
        "type" => number(it.kind),
        "value" => text(it.value.as_str()),
        _ => text(it.newvalue.as_str()),
    })
}

/// Value maps for selects of hosts and templates, with their mappings.
pub(crate) fn related<'a>(
    _: &Ctx,
    maps: impl Iterator<Item = (&'a Arc<Host>, &'a ValueMap)>,
    output: &Output,
) -> Value {
    maps.map(|(host, map)| written(host, map, output)).collect()
}

fn written(host: &Host, map: &ValueMap, output: &Output) -> Value {
    let mut fields: Map<String, Value> =
        query::fields(&OBJECT, &ValueMapRows, &(host.id.0, map.clone()), output);
    if output.wants("mappings") {
        fields.insert("mappings".to_owned(), mappings(map, &Output::Extend));
    }
    Value::Object(fields)
}

/// The value map of an item; `[]` without one.
pub(crate) fn one(_: &Ctx, host: &Host, map: Option<&ValueMap>, output: &Output) -> Value {
    map.map_or(json!([]), |it| written(host, it, output))
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let scope = Scope::of_parts(&mut get)?;
    let ids = get.id_set("valuemapids")?;
    let holders = scope.holders(ctx).into_iter();
    let maps = holders.flat_map(|it| it.valuemaps.iter().map(|map| (it.id.0, map.clone())));
    let maps =
        maps.filter(|(_, map)| ids.as_ref().is_none_or(|ids| ids.contains(&map.valuemapid.0)));
    query::answer(&OBJECT, &ValueMapRows, maps, &get.options)
}
