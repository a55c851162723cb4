//! Value maps: `valuemap.*`.

use std::sync::Arc;

use db::ObjectKind;
use model::ValueMapId;
use model::content::ValueMap;
use model::snapshot::Host;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::describe::{Field, Gives, Kind, Object, Params, Rule, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, number, str_of, text};
use crate::objects::common::crud::Crud;
use crate::objects::common::parts::UUID;
use crate::objects::common::scope::{Get, Scope};
use crate::objects::hosts::host;
use crate::objects::{Entry, Method};
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
    Field::new("value", Kind::Text { max: 64 }, Rule::Optional, "What is compared"),
    Field::new("newvalue", Kind::Text { max: 64 }, Rule::Required, "Name of the value"),
];

const OBJECT: Object = Object {
    name: "valuemap",
    type_name: "ValueMap",
    id: "valuemapid",
    ids: "valuemapids",
    fields: &[
        Field::new("valuemapid", Kind::Id, Rule::ReadOnly, "Id"),
        Field::new("uuid", UUID, Rule::Default(""), "Identity in exports"),
        Field::new("name", Kind::Text { max: 64 }, Rule::Required, "Name"),
        Field::new("hostid", Kind::Id, Rule::Constant("0"), "Host or template"),
        Field::new("mappings", Kind::List(MAPPING), Rule::Required, "The first that fits counts"),
    ],
    selects: &[Select::new("selectMappings", "mappings", Gives::Parts(MAPPING))],
    params: Params::of(&["valuemapids", "hostids"]).strict(),
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
    let Some(Value::Array(mappings)) = fields.get_mut("mappings") else { return Ok(()) };
    let mut seen: Vec<(String, String)> = Vec::new();
    for (at, it) in mappings.iter_mut().enumerate() {
        let Value::Object(mapping) = it else { continue };
        let path = format!("{path}/mappings/{}", at + 1);
        check_mapping(mapping, &path)?;
        let pair = (str_of(mapping, "type").to_owned(), str_of(mapping, "value").to_owned());
        if seen.contains(&pair) {
            let what = match pair.0.as_str() {
                DEFAULT => "value (type)=(5) already exists".to_owned(),
                _ => format!("value (value)=({}) already exists", pair.1),
            };
            return Err(ApiError::field(&path, &what));
        }
        seen.push(pair);
    }
    Ok(())
}

/// The type of a mapping for all other values.
const DEFAULT: &str = "5";

fn check_mapping(mapping: &mut Fields, path: &str) -> Result<(), ApiError> {
    let kind = str_of(mapping, "type").to_owned();
    let Some(value) = mapping.get("value").and_then(Value::as_str).map(str::to_owned) else {
        if kind != DEFAULT {
            return Err(ApiError::field(path, "the parameter \"value\" is missing"));
        }
        mapping.insert("value".to_owned(), text(""));
        return Ok(());
    };
    let what = match kind.as_str() {
        "1" | "2" if value.parse::<f64>().is_err() => "a floating point value is expected",
        "3" if value.is_empty() => "cannot be empty",
        "3" if !is_range(&value) => "invalid range expression",
        "4" if value.is_empty() => "cannot be empty",
        "4" if formats::regexp::Regexp::new(&value).is_err() => "invalid regular expression",
        DEFAULT if !value.is_empty() => "should be empty",
        _ => return Ok(()),
    };
    Err(ApiError::field(&format!("{path}/value"), what))
}

/// `1-5,7,-3--1`: numbers and ranges of them.
fn is_range(text: &str) -> bool {
    let number = |it: &str| it.trim().parse::<f64>().ok().filter(|it| it.is_finite());
    text.split(',').all(|part| {
        let part = part.trim();
        // The dash behind the first character, which may be a sign, divides.
        let dash = part.char_indices().skip(1).find(|(_, it)| *it == '-').map(|(at, _)| at);
        match dash {
            None => number(part).is_some(),
            Some(at) => {
                let from = part.get(..at).and_then(number);
                let to = part.get(at + 1..).and_then(number);
                from.zip(to).is_some_and(|(from, to)| from <= to)
            }
        }
    })
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
    let get = Get::new(ctx, &OBJECT, params)?;
    let scope = Scope::of_ids(&get)?;
    let ids = get.id_set("valuemapids")?;
    let holders = scope.holders(ctx).into_iter();
    let maps = holders.flat_map(|it| it.valuemaps.iter().map(|map| (it.id.0, map.clone())));
    let maps =
        maps.filter(|(_, map)| ids.as_ref().is_none_or(|ids| ids.contains(&map.valuemapid.0)));
    query::answer(&OBJECT, &ValueMapRows, maps, &get.options)
}
