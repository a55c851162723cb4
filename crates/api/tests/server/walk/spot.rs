//! A field where it stands in a request, and the rest of the request arranged so that its rules apply.

use model::describe::{Field, FieldType, Rule, When};
use serde_json::{Value, json};

use super::Fields;

/// Texts of which at least one has each form.
const TEXTS: &[&str] = &[
    "a",
    "1m",
    "1h",
    "1",
    "60",
    "1-7,00:00-24:00",
    "00:00-24:00",
    "https://a.example/",
    "192.0.2.1",
    "FF0000",
    "{$M}",
    "{#M}",
    "UTC",
    "10:00",
    "/a",
    "1.3.6.1",
    "a@b.example",
    "1d",
    "30d",
    "80",
    "99.9",
];

/// An object of a request, or a part of one.
#[derive(Clone)]
pub(super) struct Place {
    /// Where it is in the object that is sent.
    pub(super) pointer: String,
    /// As errors name it: empty for what there is one of.
    pub(super) path: String,
    /// `Type.field.field`.
    pub(super) name: String,
    pub(super) fields: &'static [Field],
    /// Whether unknown members are skipped.
    pub(super) is_lenient: bool,
}

impl Place {
    /// The path of the object itself.
    pub(super) fn own_path(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }

    /// This and all parts of it that the request has.
    pub(super) fn with_parts(self, request: &Value) -> Vec<Self> {
        let mut all = Vec::new();
        let Some(Value::Object(given)) = request.pointer(&self.pointer) else { return all };
        for field in self.fields {
            let part = |pointer: String, path: String, fields| Self {
                pointer,
                path,
                name: format!("{}.{}", self.name, field.name),
                fields,
                is_lenient: self.is_lenient
                    && (field.ignores_unknown || matches!(field.kind, FieldType::Object(_))),
            };
            let (pointer, path) = (
                format!("{}/{}", self.pointer, field.name),
                format!("{}/{}", self.path, field.name),
            );
            match (field.kind, given.get(field.name)) {
                (FieldType::List(fields), Some(Value::Array(list))) => {
                    for at in 0..list.len() {
                        let part =
                            part(format!("{pointer}/{at}"), format!("{path}/{}", at + 1), fields);
                        all.extend(part.with_parts(request));
                    }
                }
                (FieldType::Object(fields), Some(Value::Object(_))) => {
                    all.extend(part(pointer, path, fields).with_parts(request));
                }
                _ => {}
            }
        }
        all.insert(0, self);
        all
    }
}

/// A field at a place of a request.
pub(super) struct Spot<'a> {
    pub(super) request: &'a Value,
    pub(super) place: Place,
    pub(super) field: &'static Field,
}

impl Spot<'_> {
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.place.name, self.field.name)
    }

    pub(super) fn path(&self) -> String {
        format!("{}/{}", self.place.path, self.field.name)
    }

    fn given(&self) -> Fields {
        let it = self.request.pointer(&self.place.pointer).and_then(Value::as_object);
        it.expect("the place is in the request").clone()
    }

    /// How many conditions of the field do not hold yet.
    pub(super) fn n_unmet(&self) -> usize {
        let given = self.given();
        let depends = self.field.depends;
        let all = depends.only.iter().chain(depends.goes_with);
        all.filter(|it| !holds(self.place.fields, &given, it)).count()
    }

    /// The object with these conditions met.
    pub(super) fn arranged(&self, conditions: &[When]) -> Fields {
        let mut given = self.given();
        let all = self.field.depends.only.iter().chain(conditions);
        for when in all {
            meet(self.place.fields, &mut given, when);
        }
        settle(self.place.fields, &mut given, self.field.name);
        given
    }

    /// The object with the field as it may be where its conditions hold.
    pub(super) fn valid(&self) -> Value {
        self.given().get(self.field.name).cloned().unwrap_or_else(|| valid(self.field))
    }

    /// The whole request with this object in place of its own.
    pub(super) fn request_of(&self, object: Fields) -> Value {
        let mut request = self.request.clone();
        *request.pointer_mut(&self.place.pointer).expect("the place is in the request") =
            Value::Object(object);
        request
    }

    /// The request with a value of the field, its conditions met.
    pub(super) fn with(&self, conditions: &[When], value: Value) -> Value {
        let mut object = self.arranged(conditions);
        object.insert(self.field.name.to_owned(), value);
        self.request_of(object)
    }

    pub(super) fn without(&self, conditions: &[When]) -> Value {
        let mut object = self.arranged(conditions);
        object.remove(self.field.name);
        self.request_of(object)
    }

    /// The request where this condition of the field does not hold, with a value.
    pub(super) fn against(&self, when: &When, value: Value) -> Option<Value> {
        let deciding = self.place.fields.iter().find(|it| it.name == when.field)?;
        let mut object = self.arranged(&[]);
        let FieldType::Code(codes) = deciding.kind else { return None };
        let mut others = codes.iter().map(ToString::to_string);
        let other = others.find(|it| !when.one_of.contains(&it.as_str()))?;
        object.insert(when.field.to_owned(), json!(other));
        object.remove(self.field.name);
        settle(self.place.fields, &mut object, self.field.name);
        object.insert(self.field.name.to_owned(), value);
        Some(self.request_of(object))
    }
}

/// A value as a text: what is given, or the default.
fn text(fields: &[Field], given: &Fields, name: &str) -> String {
    match given.get(name) {
        Some(Value::String(it)) => it.clone(),
        Some(it) => it.to_string(),
        None => {
            let field = fields.iter().find(|it| it.name == name);
            field.map_or("", Field::default_text).to_owned()
        }
    }
}

pub(super) fn holds(fields: &[Field], given: &Fields, when: &When) -> bool {
    when.one_of.contains(&text(fields, given, when.field).as_str())
}

fn meet(fields: &[Field], given: &mut Fields, when: &When) {
    let Some(deciding) = fields.iter().find(|it| it.name == when.field) else { return };
    for when in deciding.depends.only {
        meet(fields, given, when);
    }
    if !holds(fields, given, when) {
        given.insert(when.field.to_owned(), json!(when.one_of[0]));
    }
}

/// Removes the fields that do not go with the others, and adds those that are needed with them; all but one.
fn settle(fields: &[Field], given: &mut Fields, but: &str) {
    for field in fields.iter().filter(|it| it.name != but) {
        let depends = field.depends;
        let (has, goes) = (
            given.contains_key(field.name),
            depends.only.iter().all(|it| holds(fields, given, it)),
        );
        if !goes {
            given.remove(field.name);
            continue;
        }
        let is_needed =
            !depends.needed.is_empty() && depends.needed.iter().all(|it| holds(fields, given, it));
        let is_empty = given.get(field.name).is_none_or(|it| *it == json!(""));
        if is_needed && is_empty || !has && field.rule == Rule::Required {
            given.insert(field.name.to_owned(), valid(field));
        }
        let narrowed = depends.codes.iter().find(|(it, _)| holds(fields, given, it));
        if let Some((_, codes)) = narrowed
            && !codes.iter().any(|it| text(fields, given, field.name) == it.to_string())
        {
            given.insert(field.name.to_owned(), json!(codes[0].to_string()));
        }
    }
}

pub(super) fn is_formed(field: &Field, text: &str) -> bool {
    field.form.map(|it| it.judge).or(field.judge).is_none_or(|judge| judge(text).is_ok())
}

/// A value that the field takes.
pub(super) fn valid(field: &Field) -> Value {
    match field.kind {
        FieldType::Id => json!("1"),
        FieldType::Text { .. } => {
            let words = field.words.iter().copied().filter(|it| !it.is_empty());
            let mut all = words.chain(TEXTS.iter().copied().filter(|_| field.words.is_empty()));
            let fallback = field.default_text();
            json!(all.find(|it| is_formed(field, it)).unwrap_or(fallback))
        }
        FieldType::Uuid => json!("8f1ff1bd5d1a4c0f9d1c6d4f1b0b2a3c"),
        FieldType::Int { min, .. } => json!(min),
        FieldType::Code(codes) => json!(codes[0]),
        FieldType::Timestamp => json!(1_700_000_000),
        FieldType::Bool => json!(true),
        FieldType::Float => json!(1.5),
        FieldType::Object(fields) => Value::Object(part(fields)),
        FieldType::Inventory(_) => json!({}),
        FieldType::List(fields) => json!([part(fields)]),
        FieldType::Texts { .. } => json!(["a"]),
    }
}

/// A part with all that it needs.
fn part(fields: &[Field]) -> Fields {
    let needed = fields.iter().filter(|it| it.rule == Rule::Required);
    let mut part: Fields = needed.map(|it| (it.name.to_owned(), valid(it))).collect();
    settle(fields, &mut part, "");
    part
}

/// A value that is not the default.
pub(super) fn not_default(field: &Field) -> Value {
    let default = field.default_text();
    match field.kind {
        FieldType::Text { .. } => {
            json!(TEXTS.iter().find(|it| **it != default).expect("several texts"))
        }
        FieldType::Code(codes) => {
            let other = codes.iter().find(|it| it.to_string() != default);
            json!(other.copied().unwrap_or(codes[0] + 1))
        }
        FieldType::Int { min, max } => json!(if max.to_string() == default { min } else { max }),
        FieldType::List(_) => json!([{}]),
        FieldType::Object(_) => json!({"a": 1}),
        _ => valid(field),
    }
}

/// A value that the field takes, other than this one.
pub(super) fn not_like(field: &Field, value: &Value) -> Value {
    let is_other = |it: &&str| is_formed(field, it) && *value != json!(it);
    match field.kind {
        FieldType::Text { .. } if field.words.is_empty() => {
            json!(TEXTS.iter().copied().find(is_other))
        }
        FieldType::Text { .. } => json!(field.words.iter().copied().find(is_other)),
        _ => not_default(field),
    }
}
