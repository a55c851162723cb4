//! JSON Schema (draft 7) of fields and parameters.
//!
//! Schemas that several places use are written once, below `components`, and referred to.

use model::version::Version;
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Gives, Object as Described, Rule, Select, When};
use crate::generate::common::{entry_of, part_name};
use crate::generate::sentences;

/// The type of a parameter that no field describes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Id,
    /// An id or a list of ids.
    Ids,
    Flag,
    Int,
    Time,
    Text,
    /// A text or a list of texts.
    Texts,
    Code(&'static [i64]),
    /// Conditions on tags.
    Tags,
    Object,
    /// A list of objects with these fields.
    List(&'static [Field]),
    Any,
}

/// A parameter of a method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
    /// One sentence without a full stop.
    pub(super) doc: &'static str,
}

pub(super) const fn param(name: &'static str, shape: Shape, doc: &'static str) -> Param {
    Param { name, shape, is_required: false, doc }
}

impl Param {
    pub(super) const fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    pub(super) fn schema(&self) -> Value {
        self.shape.schema()
    }
}

impl Shape {
    fn schema(self) -> Value {
        let or_list = |one: Value| json!({"anyOf": [one, {"type": "array", "items": one}]});
        match self {
            Self::Id => reference("IdInput"),
            Self::Ids => or_list(reference("IdInput")),
            // Flags that are not set may be null, or false, or nothing at all.
            Self::Flag => json!({"type": ["boolean", "integer", "string", "null"]}),
            Self::Int => json!({"type": ["integer", "string"]}),
            Self::Time => reference("TimeInput"),
            Self::Text => json!({"type": "string"}),
            Self::Texts => or_list(json!({"type": "string"})),
            Self::Code(codes) => one_of(codes),
            Self::Tags => json!({"type": "array", "items": reference("TagCondition")}),
            Self::Object => json!({"type": "object"}),
            Self::List(fields) => json!({"type": "array", "items": inline(fields, Side::Params)}),
            Self::Any => json!({}),
        }
    }
}

/// Whether something is answered or given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Answer,
    Params,
}

/// Schemas of types without a description: ids, times, conditions on tags.
pub(super) fn basic() -> Map<String, Value> {
    let basic = json!({
        "Id": {"type": "string", "pattern": "^[0-9]*$", "description": "An id, as text."},
        "IdInput": {"type": ["string", "integer"], "description": "An id."},
        "Time": {"type": "string", "pattern": "^-?[0-9]*$", "description": "Seconds since 1970, as text."},
        "TimeInput": {"type": ["integer", "string"], "description": "Seconds since 1970."},
        "TagCondition": {
            "type": "object",
            "required": ["tag"],
            "properties": {
                "tag": {"type": "string", "description": "Name of the tag."},
                "value": {"type": "string", "description": "The value to compare with."},
                "operator": {
                    "type": ["integer", "string"],
                    "description": "0 contains (the default), 1 equals, 2 does not contain, 3 does not equal, 4 exists, 5 does not exist.",
                },
            },
        },
    });
    match basic {
        Value::Object(it) => it,
        _ => Map::new(),
    }
}

pub(super) fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn one_of(codes: &[i64]) -> Value {
    let texts = codes.iter().map(|it| json!(it.to_string()));
    json!({"enum": codes.iter().map(|it| json!(it)).chain(texts).collect::<Value>()})
}

/// A field's schema with its text of the reference.
pub(super) fn of_field(field: &Field, side: Side) -> Value {
    let mut schema = kind(field, side);
    // Members next to a `$ref` have no effect.
    if schema.get("$ref").is_some() {
        schema = json!({"allOf": [schema]});
    }
    let rules_of_field = if side == Side::Params { sentences::of(field) } else { Vec::new() };
    schema["description"] = json!(described(field, &rules_of_field));
    if side == Side::Params {
        rules(field, &mut schema);
        match field.rule {
            Rule::Default(it) if !it.is_empty() => schema["default"] = json!(it),
            Rule::Constant(it) if !it.is_empty() => schema["default"] = json!(it),
            Rule::WriteOnly => schema["writeOnly"] = json!(true),
            Rule::Optional => match field.implied {
                Some(it) if !it.is_empty() => schema["default"] = json!(it),
                _ => {}
            },
            _ => {}
        }
        if field.is_constant() {
            schema["x-constant"] = json!(true);
        }
    } else if field.rule == Rule::ReadOnly {
        schema["readOnly"] = json!(true);
    }
    if !field.constants.is_empty() {
        let names = field.constants.iter().map(|(name, code)| (code.to_string(), json!(name)));
        schema["x-names"] = Value::Object(names.collect());
    }
    schema
}

/// The description of a field, followed by its rules.
fn described(field: &Field, rules: &[String]) -> String {
    let mut rules = rules.join("; ");
    let Some(first) = rules.chars().next() else { return format!("{}.", field.doc) };
    rules.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
    format!("{}. {rules}.", field.doc)
}

/// Rules that have a keyword, of JSON Schema or of our own.
fn rules(field: &Field, schema: &mut Value) {
    // A field that depends on others has its default elsewhere, whatever its own is.
    let is_free = field.depends.only.is_empty();
    if is_free && sentences::is_filled(field) {
        match field.kind {
            FieldType::Text { .. } | FieldType::Uuid => schema["minLength"] = json!(1),
            FieldType::List([_, ..]) => schema["minItems"] = json!(1),
            _ => {}
        }
    }
    if is_free && !field.words.is_empty() {
        schema["enum"] = json!(field.words);
    }
    if let Some(form) = field.form {
        schema["format"] = json!(form.name);
        if let Some(range) = form.range {
            schema["x-range"] = json!(range);
        }
    }
    if !field.unique.is_empty() {
        schema["x-unique"] = json!(field.unique);
    }
    if let Some(refers) = field.refers {
        schema["x-refers"] = json!(refers.to);
    }
    let whens = |all: &[When]| -> Value {
        let one = |it: &When| json!({"field": it.field, "oneOf": it.one_of});
        all.iter().map(one).collect()
    };
    let only = [field.depends.only, field.depends.goes_with].concat();
    if !only.is_empty() {
        schema["x-only-with"] = whens(&only);
    }
    if !field.depends.needed.is_empty() {
        schema["x-needed-with"] = whens(field.depends.needed);
    }
    if field.versions.since != Version::default() {
        schema["x-since"] = json!(field.versions.since.name());
    }
    if let Some(last) = field.versions.until {
        schema["x-until"] = json!(last.name());
    }
}

fn kind(field: &Field, side: Side) -> Value {
    let is_answer = side == Side::Answer;
    match field.kind {
        FieldType::Id => reference(if is_answer { "Id" } else { "IdInput" }),
        FieldType::Timestamp => reference(if is_answer { "Time" } else { "TimeInput" }),
        FieldType::Text { .. } if is_answer => json!({"type": "string"}),
        FieldType::Text { max } => {
            let kinds = if field.takes_numbers || !field.depends.kinds.is_empty() {
                json!(["string", "number"])
            } else {
                json!("string")
            };
            if max == usize::MAX {
                json!({"type": kinds})
            } else {
                json!({"type": kinds, "maxLength": max})
            }
        }
        FieldType::Uuid => json!({"type": "string", "pattern": "^([0-9a-f]{32})?$"}),
        FieldType::Int { .. } if is_answer => json!({"type": "string", "pattern": "^-?[0-9]*$"}),
        FieldType::Int { .. } if !field.accepts.is_empty() => one_of(field.accepts),
        FieldType::Int { min, max } => {
            json!({"type": ["integer", "string"], "minimum": min, "maximum": max})
        }
        FieldType::Code(codes) if is_answer => {
            json!({"enum": codes.iter().map(|it| json!(it.to_string())).collect::<Value>()})
        }
        FieldType::Code(codes) => one_of(codes),
        FieldType::Bool => json!({"type": "boolean"}),
        FieldType::Float if is_answer => json!({"type": "string"}),
        FieldType::Float => json!({"type": ["number", "string"]}),
        FieldType::Object(fields) | FieldType::Inventory(fields) => match side {
            Side::Answer => or_nothing(part(fields, side)),
            Side::Params => part(fields, side),
        },
        FieldType::List([]) => json!({"type": "array", "maxItems": 0}),
        FieldType::List(fields) => json!({"type": "array", "items": part(fields, side)}),
        FieldType::Texts { .. } => {
            let kinds = if is_answer { json!("string") } else { json!(["string", "integer"]) };
            let list = json!({"type": "array", "items": {"type": kinds}});
            if field.takes_one { json!({"anyOf": [list, {"type": kinds}]}) } else { list }
        }
    }
}

/// Where there is none, an empty list is answered.
fn or_nothing(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "array", "maxItems": 0}]})
}

/// The name of a part's schema.
pub(super) fn part_schema(name: &str, side: Side) -> String {
    match side {
        Side::Answer => name.to_owned(),
        Side::Params => format!("{name}Input"),
    }
}

fn part(fields: &'static [Field], side: Side) -> Value {
    match part_name(fields) {
        Some(name) => reference(&part_schema(name, side)),
        None => inline(fields, side),
    }
}

/// An object with these fields, written in place.
pub(super) fn inline(fields: &[Field], side: Side) -> Value {
    let own = fields.iter().filter(|it| match side {
        Side::Answer => it.is_output() || it.is_ignored,
        Side::Params => it.rule != Rule::ReadOnly || it.is_part_id,
    });
    object(own, side)
}

/// An object with these fields.
pub(super) fn object<'a>(fields: impl Iterator<Item = &'a Field>, side: Side) -> Value {
    let fields: Vec<&Field> = fields.collect();
    let properties =
        fields.iter().map(|it| (it.name.to_owned(), of_field(it, side))).collect::<Map<_, _>>();
    let mut schema = json!({"type": "object", "properties": properties});
    if side == Side::Answer {
        schema["additionalProperties"] = json!(false);
        return schema;
    }
    let needed = fields.iter().filter(|it| it.rule == Rule::Required);
    let needed: Vec<&str> = needed.map(|it| it.name).collect();
    if !needed.is_empty() {
        schema["required"] = json!(needed);
    }
    schema
}

/// The answer of a get method for an object: its fields and the properties of its selects.
pub(super) fn answered(described: &'static Described) -> Value {
    let mut schema = object(described.output_fields(), Side::Answer);
    for select in described.selects {
        let mut property = given_by(select);
        property["description"] = json!(format!("By `{}`.", select.param));
        schema["properties"][select.property] = property;
    }
    schema["description"] = json!(format!("{}.", described.doc));
    schema
}

fn given_by(select: &Select) -> Value {
    let of = |name: &str| reference(entry_of(name).object.type_name);
    let mut any = vec![match select.gives {
        Gives::Objects(name) => json!({"type": "array", "items": of(name)}),
        Gives::Object(name) => or_nothing(of(name)),
        Gives::Parts(fields) => json!({"type": "array", "items": part(fields, Side::Answer)}),
        Gives::Part(fields) => or_nothing(part(fields, Side::Answer)),
        Gives::Field => json!({"type": "string"}),
        Gives::Nothing => json!({"type": "array", "maxItems": 0}),
    }];
    if select.countable {
        any.push(json!({"type": "string", "pattern": "^[0-9]+$"}));
    }
    json!({"anyOf": any})
}
