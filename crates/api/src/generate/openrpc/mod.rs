//! The API as an [OpenRPC](https://spec.open-rpc.org) document, made of the descriptions.
//!
//! It is served at `/docs/api/openrpc.json` and by `rpc.discover`, and the reference in the pages is written
//! from it. Extensions hold facts that OpenRPC has no place for: `x-params`, the schema of a call's `params`
//! as a whole (most methods take an object or a list of them), `x-role`, the users that may call it, and in
//! examples `x-params`, the parameters sent.
//!
//! Invariant: every method that the server answers is in it, once.

pub mod examples;
mod get_params;
mod methods;
mod shape;

use model::content::RoleType;
use model::version::{EachVersion, Version};
use serde_json::{Map, Value, json};

use super::common::{PARTS, deleted_ids, is_input, is_single, method_for};
use crate::describe::{Field, Nouns, Object, fields_at};
use crate::error::ErrorClass;
use crate::method::{Method, ObjectEntry};
use crate::objects::common::single::answers_true;
use crate::registry;
use methods::{Given, Special, Taken};
use shape::{Param, Side, inline, of_field, part_schema, reference};

use examples::{Example, examples};

/// The version of the specification that the document follows.
const OPENRPC: &str = "1.3.2";

/// Methods that need no session: they belong to no object's table.
const WITHOUT_SESSION: &[&str] =
    &["apiinfo.version", "rpc.discover", "user.checkAuthentication", "user.login"];

/// The document of a version, the same for everybody. The first call writes it, in some milliseconds.
#[must_use]
pub fn document(version: Version) -> &'static Value {
    static DOCUMENTS: EachVersion<Value> = EachVersion::new();
    DOCUMENTS.get_or_init(version, || written(version))
}

/// The document as JSON.
#[must_use]
pub fn text(version: Version) -> &'static str {
    static TEXTS: EachVersion<String> = EachVersion::new();
    TEXTS.get_or_init(version, || document(version).to_string())
}

fn written(version: Version) -> Value {
    let speaks = format!(
        "JSON-RPC 2.0 as Zabbix {version} speaks it: `POST /api_jsonrpc.php`. Callers send a session of \
         `user.login` or a token of `token.generate` as `Authorization: Bearer …`."
    );
    json!({
        "openrpc": OPENRPC,
        "info": {
            "title": "Saker API",
            "version": version.patch(),
            "description": speaks,
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "servers": [{"name": "this server", "url": "/api_jsonrpc.php"}],
        "methods": methods(version),
        "components": {"schemas": schemas(version), "errors": errors(), "tags": tags(version)},
    })
}

fn schemas(version: Version) -> Value {
    let mut schemas = shape::basic();
    for (name, fields) in PARTS {
        for side in [Side::Answer, Side::Params] {
            schemas.insert(part_schema(name, side), inline(fields_at(fields, version), side));
        }
    }
    for entry in registry::all() {
        let object = entry.object.at(version);
        schemas.insert(object.type_name.to_owned(), shape::answered(object));
        if method_for(entry, "create").is_some() {
            schemas.insert(format!("{}Create", object.type_name), create(object));
        }
        if method_for(entry, "update").is_some() {
            schemas.insert(format!("{}Update", object.type_name), update(object));
        }
    }
    Value::Object(schemas)
}

fn create(object: &Object) -> Value {
    shape::object(object.fields.iter().filter(|it| is_input(it)), Side::Params)
}

/// The parameters of update: fields that are left out keep their values.
fn update(object: &Object) -> Value {
    let mut schema = json!({"type": "object", "properties": changed(object)});
    if !is_single(object) {
        let needed = object.id;
        schema["properties"][needed] =
            json!({"allOf": [reference("IdInput")], "description": "The object to change."});
        schema["required"] = json!([needed]);
    }
    schema
}

fn changed(object: &Object) -> Map<String, Value> {
    let fields = object.fields.iter().filter(|it| is_input(it) && !it.is_constant());
    let property = |it: &Field| {
        let mut schema = of_field(it, Side::Params);
        // Fields that are left out keep their values: defaults are for creation.
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("default");
        }
        (it.name.to_owned(), schema)
    };
    fields.map(property).collect()
}

const ERRORS: &[(&str, ErrorClass, &str)] = &[
    (
        "InvalidParams",
        ErrorClass::InvalidParams,
        "A parameter is missing, unknown or wrong, or the caller is not logged in",
    ),
    (
        "Application",
        ErrorClass::Application,
        "The role does not allow it, there is no such object, or the request cannot be done",
    ),
    (
        "System",
        ErrorClass::System,
        "The database or the store cannot answer now, or the server is busy",
    ),
    ("Internal", ErrorClass::Internal, "The server failed"),
];

fn errors() -> Value {
    let of = |(name, class, data): &(&str, ErrorClass, &str)| {
        let error = json!({"code": class.code(), "message": class.message(), "data": data});
        ((*name).to_owned(), error)
    };
    Value::Object(ERRORS.iter().map(of).collect())
}

fn error_references() -> Value {
    let names = ERRORS.iter().map(|(name, ..)| *name);
    names.map(|it| json!({"$ref": format!("#/components/errors/{it}")})).collect()
}

fn tags(version: Version) -> Value {
    let mut tags = Map::new();
    for name in every_name(version) {
        let object = object_of(name);
        let doc = registry::entry(object).map_or("", |it| it.object.doc);
        let mut tag = json!({"name": object});
        if !doc.is_empty() {
            tag["description"] = json!(format!("{doc}."));
        }
        if let Some(described) = registry::entry(object).map(|it| it.object) {
            tag["x-type"] = json!(described.type_name);
        }
        tags.insert(object.to_owned(), tag);
    }
    Value::Object(tags)
}

/// Names of all methods that the server answers, in order.
fn every_name(version: Version) -> Vec<&'static str> {
    let mut names: Vec<&str> =
        registry::methods().filter(|it| it.versions.has(version)).map(|it| it.name).collect();
    names.extend(WITHOUT_SESSION);
    names.sort_unstable();
    names.dedup();
    names
}

fn object_of(method: &str) -> &str {
    method.split_once('.').map_or(method, |(object, _)| object)
}

fn methods(version: Version) -> Value {
    every_name(version).into_iter().map(|it| method(it, version)).collect()
}

fn method(name: &'static str, version: Version) -> Value {
    let entry = registry::all().find(|it| it.methods().any(|it| it.name == name));
    let described = match (methods::special_of(name), entry) {
        (Some(special), entry) => of_special(special, entry, version),
        (None, Some(entry)) => of_verb(entry, name, version),
        (None, None) => of_absent(name),
    };
    let Described { summary, text, structure, params, whole, result } = described;
    let mut written = json!({
        "name": name,
        "summary": summary,
        "tags": [{"$ref": format!("#/components/tags/{}", object_of(name))}],
        "paramStructure": structure,
        "params": params,
        "result": {"name": "result", "schema": result},
        "errors": error_references(),
        "x-params": whole,
        "x-role": registry::method(name).map_or("anybody", who),
    });
    if !text.is_empty() {
        written["description"] = json!(text);
    }
    let pairs: Vec<Value> =
        examples().iter().filter(|it| it.method == name).map(Example::pair).collect();
    if !pairs.is_empty() {
        written["examples"] = json!(pairs);
    }
    written
}

fn who(method: &Method) -> &'static str {
    match method.role {
        RoleType::User => "user",
        RoleType::Admin => "admin",
        RoleType::SuperAdmin => "super admin",
    }
}

/// A method as the document describes it.
struct Described {
    summary: String,
    text: String,
    structure: &'static str,
    /// Content descriptors.
    params: Vec<Value>,
    /// The schema of `params` as a whole.
    whole: Value,
    result: Value,
}

/// A content descriptor of a property, which takes its description along.
fn descriptor(name: &str, mut schema: Value, is_required: bool) -> Value {
    let doc = schema.as_object_mut().and_then(|it| it.remove("description"));
    let mut descriptor = json!({"name": name, "schema": schema});
    if let Some(doc) = doc {
        descriptor["description"] = doc;
    }
    if is_required {
        descriptor["required"] = json!(true);
    }
    descriptor
}

fn descriptors(schema: &Value) -> Vec<Value> {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|it| it == name);
    let properties = schema["properties"].as_object();
    let each = properties.into_iter().flatten();
    let mut all: Vec<Value> =
        each.map(|(name, it)| descriptor(name, it.clone(), is_required(name))).collect();
    // Required parameters come first, as the specification wants it.
    all.sort_by_key(|it| it["required"] != true);
    all
}

fn of_params(params: &[Param]) -> Value {
    let property = |it: &Param| {
        let mut schema = it.schema();
        if schema.get("$ref").is_some() {
            schema = json!({"allOf": [schema]});
        }
        schema["description"] = json!(format!("{}.", it.doc));
        (it.name.to_owned(), schema)
    };
    let properties: Map<String, Value> = params.iter().map(property).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    let required: Vec<&str> = params.iter().filter(|it| it.is_required).map(|it| it.name).collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn or_list(one: &Value) -> Value {
    json!({"anyOf": [one, {"type": "array", "items": one}]})
}

/// Nothing may be given as an empty list, too.
fn or_empty_list(one: &Value) -> Value {
    json!({"anyOf": [one, {"type": "array", "maxItems": 0}]})
}

fn list_of_ids(id: &str, doc: &str) -> (Vec<Value>, Value) {
    let one =
        json!({"name": id, "description": doc, "required": true, "schema": reference("IdInput")});
    (vec![one], json!({"type": "array", "items": reference("IdInput"), "minItems": 1}))
}

fn ids(list: &str) -> Value {
    json!({
        "type": "object",
        "required": [list],
        "properties": {list: {"type": "array", "items": {"type": ["string", "integer"]}}},
    })
}

fn of_special(
    special: &Special,
    entry: Option<&'static ObjectEntry>,
    version: Version,
) -> Described {
    let (mut structure, id) = ("by-name", entry.map_or("id", |it| it.object.id));
    let (params, whole) = match special.taken {
        Taken::Named(params) => {
            let schema = of_params(params);
            let whole = if params.iter().any(|it| it.is_required) {
                schema.clone()
            } else {
                or_empty_list(&schema)
            };
            (descriptors(&schema), whole)
        }
        Taken::Fields(fields) => {
            let schema = inline(fields_at(fields, version), Side::Params);
            (descriptors(&schema), schema)
        }
        Taken::Each(fields) => {
            let schema = inline(fields_at(fields, version), Side::Params);
            (descriptors(&schema), or_list(&schema))
        }
        Taken::Update(params) => {
            let mut schema = of_params(params);
            let object = entry.map(|it| changed(it.object.at(version))).unwrap_or_default();
            for (name, property) in object {
                if schema["properties"].get(&name).is_none() {
                    schema["properties"][name] = property;
                }
            }
            (descriptors(&schema), schema)
        }
        Taken::Ids => {
            structure = "by-position";
            list_of_ids(id, "An id; more may follow.")
        }
    };
    let result = match special.given {
        Given::True => json!({"const": true}),
        Given::Text => json!({"type": "string"}),
        Given::Ids(list) => ids(list),
        Given::List => json!({"type": "array", "items": {"type": "object"}}),
        Given::Object => json!({"type": "object"}),
        Given::Any => json!({}),
    };
    let summary = special.summary.to_owned();
    Described { summary, text: special.text.to_owned(), structure, params, whole, result }
}

/// `create`, `get`, `update` or `delete`, for global macros with `global` after it.
fn of_verb(entry: &'static ObjectEntry, name: &str, version: Version) -> Described {
    let object = entry.object.at(version);
    let is = |verb: &str| method_for(entry, verb).is_some_and(|it| it.name == name);
    let Nouns { one, several } = object.nouns;
    let text = String::new();
    let structure = "by-name";
    let component = |suffix: &str| reference(&format!("{}{suffix}", object.type_name));
    if is("create") {
        let summary = format!("Creates {several}");
        let (params, whole) = (descriptors(&create(object)), or_list(&component("Create")));
        let text = format!("Takes {one} or a list of them.");
        return Described { summary, text, structure, params, whole, result: ids(object.ids) };
    }
    if is("update") && is_single(object) {
        let summary = format!("Changes {several}");
        let (params, whole) = (descriptors(&update(object)), component("Update"));
        let (text, result) = if answers_true(object) {
            ("Omitted fields keep their values.", json!({"const": true}))
        } else {
            let names = json!({"type": "array", "items": {"type": "string"}});
            ("Omitted fields keep their values. Returns the names of the given fields.", names)
        };
        let text = text.to_owned();
        return Described { summary, text, structure, params, whole, result };
    }
    if is("update") {
        let summary = format!("Changes {several}");
        let (params, whole) = (descriptors(&update(object)), or_list(&component("Update")));
        let text = format!(
            "Takes {one} or a list of them. Omitted fields keep their values; lists are replaced as a whole."
        );
        return Described { summary, text, structure, params, whole, result: ids(object.ids) };
    }
    if is("delete") {
        let (params, whole) = list_of_ids(object.id, "An id; more may follow.");
        let (structure, result) = ("by-position", ids(deleted_ids(object)));
        return Described {
            summary: format!("Deletes {several}"),
            text,
            structure,
            params,
            whole,
            result,
        };
    }
    let params = get_params(object);
    let whole = or_empty_list(&params);
    let result = if is_single(object) { reference(object.type_name) } else { found(object) };
    let text = if object.params.is_strict {
        "Parameters that are not known are refused.".to_owned()
    } else {
        String::new()
    };
    let summary = format!("Finds {several}");
    let summary = if is_single(object) { format!("Reads {several}") } else { summary };
    Described { summary, text, structure, params: descriptors(&params), whole, result }
}

/// The answer of a get method: rows, their number, or rows by id.
fn found(object: &Object) -> Value {
    // One method may find several types: user macros of hosts and global ones.
    let types = registry::all().map(|it| it.object).filter(|it| it.name == object.name);
    let mut types: Vec<Value> = types.map(|it| reference(it.type_name)).collect();
    let row = match types.len() {
        1 => types.remove(0),
        _ => json!({ "anyOf": types }),
    };
    json!({"anyOf": [
        {"type": "array", "items": row},
        {"type": "string", "pattern": "^[0-9]+$", "description": "With `countOutput`."},
        {"type": "object", "additionalProperties": row, "description": "With `preservekeys`."},
        {"type": "array", "items": {"type": "object", "required": ["rowscount"]}, "description": "With `countOutput` and `groupCount`."},
    ]})
}

fn get_params(object: &'static Object) -> Value {
    let mut properties = Map::new();
    let fields: Vec<&str> = object.output_fields().map(|it| it.name).collect();
    let words = json!({"type": "string", "enum": ["extend", "count", "shorten", "refer"]});
    let output = json!({
        "anyOf": [words, {"type": "array", "items": {"type": "string"}}],
        "description": "The fields to return: `extend` for all of them, or a list of names.",
        "x-fields": fields,
    });
    properties.insert("output".to_owned(), output);
    if is_single(object) {
        return json!({"type": "object", "properties": properties});
    }
    for select in object.selects {
        let count = if select.countable { ", or `count`" } else { "" };
        let schema = json!({
            "description": format!("Adds the property `{}`: `extend` or a list of fields{count}.", select.property),
        });
        properties.insert(select.param.to_owned(), schema);
    }
    let own = object.params.taken.iter().map(|name| {
        get_params::own(name).unwrap_or_else(|| shape::param(name, shape::Shape::Any, "A filter"))
    });
    let is_taken = |it: &&Param| !object.params.untaken.contains(&it.name);
    let common = get_params::COMMON.iter().filter(is_taken).copied();
    let all: Vec<Param> = own.chain(common).collect();
    if let Value::Object(described) = &of_params(&all)["properties"] {
        properties.extend(described.clone());
    }
    for name in object.params.foreign {
        let doc = json!({"description": "Nothing is found by it: there are no such objects."});
        properties.entry((*name).to_owned()).or_insert(doc);
    }
    if !object.sort.is_empty() {
        let one = json!({"type": "string", "enum": object.sort});
        let mut schema = or_list(&one);
        schema["description"] = json!("The fields to sort by.");
        properties.insert("sortfield".to_owned(), schema);
        let mut schema = or_list(&json!({"type": "string", "enum": ["ASC", "DESC"]}));
        schema["description"] = json!("The direction, for each field.");
        properties.insert("sortorder".to_owned(), schema);
    }
    json!({"type": "object", "properties": properties})
}

/// The get method of an object that Saker does not have.
fn of_absent(name: &str) -> Described {
    let object = object_of(name);
    let several = registry::nouns(object).map_or(object, |it| it.several);
    let schema = or_empty_list(&json!({"type": "object"}));
    Described {
        summary: format!("Finds {several}: there are none"),
        text: "Zabbix has them; here there are none yet. Clients that ask for them continue with an empty list."
            .to_owned(),
        structure: "by-name",
        params: Vec::new(),
        whole: schema,
        result: json!({"anyOf": [{"type": "array", "maxItems": 0}, {"const": "0"}]}),
    }
}

#[cfg(test)]
mod tests;
