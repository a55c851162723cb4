//! The requests that follow from a description: for each rule one that breaks it, for each boundary one that meets it.

use std::collections::BTreeMap;
use std::fmt;

use api::described::WrittenObject;
use db::objects;
use model::describe::{Field, FieldType, Rule, Unknown, When};
use serde_json::{Value, json};

use super::Fields;
use super::spot::{Place, Spot, holds, is_formed, not_default, not_like, valid};

/// Texts of which at least one does not have each form.
const FORMLESS: &[&str] =
    &["!", "-1", "a b", "[", "\\", "{", "x", "99999999999d", "0", "javascript:x", "1-"];

/// What a request has to be answered with.
#[derive(Debug)]
pub(super) enum Expected {
    Taken,
    /// An error with these data.
    Refused(String),
}

/// One request for one rule.
#[derive(Debug)]
pub(super) struct Probe {
    /// `Type.field.field`.
    pub(super) at: String,
    pub(super) rule: String,
    pub(super) method: &'static str,
    pub(super) params: Value,
    pub(super) expected: Expected,
    /// Where get has the value of a field that was left out.
    pub(super) default: Option<DefaultAt>,
}

/// A field that was left out, in an object that was made.
#[derive(Debug)]
pub(super) struct DefaultAt {
    /// The parts that it is in: lists and objects.
    pub(super) pointer: String,
    pub(super) field: &'static str,
    pub(super) value: &'static str,
}

impl DefaultAt {
    /// The values of the field in the parts of its list, as far as get returns them.
    pub(super) fn found<'a>(&self, whole: &'a Value) -> Vec<&'a Value> {
        let (list, at) = self.pointer.rsplit_once('/').unwrap_or_default();
        let parts = match whole.pointer(list).and_then(Value::as_array) {
            Some(list) if at.bytes().all(|it| it.is_ascii_digit()) => list.iter().collect(),
            _ => Vec::from_iter(whole.pointer(&self.pointer)),
        };
        parts.into_iter().filter_map(|it| it.get(self.field)).collect()
    }
}

impl Probe {
    pub(super) fn taken(at: &str, rule: &str, method: &'static str, params: Value) -> Self {
        let (at, rule) = (at.to_owned(), rule.to_owned());
        Self { at, rule, method, params, expected: Expected::Taken, default: None }
    }

    fn refused(at: String, rule: &str, method: &'static str, params: Value, text: String) -> Self {
        let (rule, expected) = (rule.to_owned(), Expected::Refused(text));
        Self { at, rule, method, params, expected, default: None }
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut params = self.params.to_string();
        if let Some((at, _)) = params.char_indices().nth(900) {
            params.truncate(at);
        }
        write!(
            f,
            "{} [{}] {} {params}\n    must be {:?}",
            self.at, self.rule, self.method, self.expected
        )
    }
}

fn wrong(path: &str, what: &str) -> String {
    format!("Invalid parameter \"{path}\": {what}.")
}

fn unexpected(path: &str, name: &str) -> String {
    wrong(path, &format!("unexpected parameter \"{name}\""))
}

fn is_given(field: &Field) -> bool {
    field.rule != Rule::ReadOnly && !field.is_ignored && !field.is_update_only
}

/// What may be sent back of an object that there is one of.
pub(super) fn writable(fields: &'static [Field], whole: &Value) -> Value {
    let given = whole.as_object().expect("an object");
    let goes = |it: &&Field| it.depends.only.iter().all(|when| holds(fields, given, when));
    let fields =
        fields.iter().filter(|it| is_given(it) && given.contains_key(it.name)).filter(goes);
    fields.map(|it| (it.name.to_owned(), given[it.name].clone())).collect::<Fields>().into()
}

/// All requests of create, or of update for what there is one of.
pub(super) fn of(object: &WrittenObject, bases: &[Value]) -> Vec<Probe> {
    let method = object.create.or(object.update).expect("it is written");
    let described = object.object;
    let writes = described.writes.expect("it says how it is written");
    let mut spots: BTreeMap<String, (usize, Spot<'_>)> = BTreeMap::new();
    let mut probes = Vec::new();
    let mut seen_places: Vec<String> = Vec::new();
    for base in bases {
        let root = Place {
            pointer: String::new(),
            path: if object.create.is_some() { "/1" } else { "" }.to_owned(),
            name: described.type_name.to_owned(),
            fields: described.fields,
            is_lenient: writes.unknown == Unknown::PassedOver,
        };
        for place in root.with_parts(base) {
            if !seen_places.contains(&place.name) {
                seen_places.push(place.name.clone());
                probes.extend(of_place(method, base, &place));
            }
            for field in place.fields.iter().filter(|it| is_given(it)) {
                let spot = Spot { request: base, place: place.clone(), field };
                let n_unmet = spot.n_unmet();
                let best = spots.get(&spot.name()).map(|it| it.0);
                if best.is_none_or(|it| n_unmet < it) {
                    spots.insert(spot.name(), (n_unmet, spot));
                }
            }
        }
    }
    probes.extend(unseen(method, described.type_name, described.fields, &spots));
    for (_, spot) in spots.values() {
        probes.extend(of_field(method, spot));
    }
    for names in writes.unique {
        probes.extend(twice(method, described.type_name, &bases[0], names));
    }
    probes
}

/// Lists and objects of which no start has one.
fn unseen(
    method: &'static str,
    name: &str,
    fields: &'static [Field],
    spots: &BTreeMap<String, (usize, Spot<'_>)>,
) -> Vec<Probe> {
    let mut probes = Vec::new();
    for field in fields.iter().filter(|it| is_given(it)) {
        let (FieldType::List(parts) | FieldType::Object(parts)) = field.kind else { continue };
        let name = format!("{name}.{}", field.name);
        let is_unseen = parts
            .iter()
            .find(|it| is_given(it))
            .is_some_and(|it| !spots.contains_key(&format!("{name}.{}", it.name)));
        if is_unseen {
            probes.push(Probe::taken(&name, "has no start", method, Value::Null));
        } else {
            probes.extend(unseen(method, &name, parts, spots));
        }
    }
    probes
}

/// Rules of an object or part as a whole.
fn of_place(method: &'static str, base: &Value, place: &Place) -> Vec<Probe> {
    let with = |name: &str, value: Value| {
        let mut request = base.clone();
        request.pointer_mut(&place.pointer).expect("the place is there")[name] = value;
        request
    };
    if place.is_lenient {
        return vec![Probe::taken(&place.name, "unknown", method, with("no_such_field", json!(1)))];
    }
    let refused = |name: &str, rule: &str, value: Value| {
        let text = unexpected(place.own_path(), name);
        Probe::refused(place.name.clone(), rule, method, with(name, value), text)
    };
    let mut probes = vec![refused("no_such_field", "unknown", json!(1))];
    let read_only = place.fields.iter().filter(|it| !is_given(it) && !it.is_ignored);
    probes.extend(read_only.map(|it| {
        let probe = refused(it.name, "read only", valid(it));
        Probe { at: format!("{}.{}", place.name, it.name), ..probe }
    }));
    probes
}

/// All rules of a field.
fn of_field(method: &'static str, spot: &Spot<'_>) -> Vec<Probe> {
    let mut probes = Probes { method, spot, all: Vec::new() };
    if spot.field.is_judged_later {
        probes.take("judged later", Value::Null);
        return probes.all;
    }
    probes.of_type();
    probes.of_presence();
    probes.of_conditions();
    match spot.field.kind {
        FieldType::Text { max } => probes.of_text(max),
        FieldType::Int { min, max } => probes.of_range(min, max),
        FieldType::Code(codes) => probes.of_codes(codes),
        FieldType::List(parts) => probes.of_list(parts),
        FieldType::Texts { max } => probes.of_texts(max),
        FieldType::Timestamp => probes.of_time(),
        FieldType::Uuid => probes.of_uuid(),
        FieldType::Bool => {
            [true, false].into_iter().for_each(|it| probes.take("boolean", json!(it)));
        }
        FieldType::Float => probes.take("float", spot.valid()),
        FieldType::Id | FieldType::Object(_) | FieldType::Inventory(_) => {}
    }
    probes.of_reference();
    probes.all
}

struct Probes<'a> {
    method: &'static str,
    spot: &'a Spot<'a>,
    all: Vec<Probe>,
}

impl Probes<'_> {
    fn add(&mut self, rule: &str, params: Value, expected: Expected) {
        let (at, rule) = (self.spot.name(), rule.to_owned());
        self.all.push(Probe { at, rule, method: self.method, params, expected, default: None });
    }

    fn take(&mut self, rule: &str, value: Value) {
        let request = self.spot.with(&[], value);
        self.add(rule, request, Expected::Taken);
    }

    fn refuse_request(&mut self, rule: &str, request: Value, what: &str) {
        let text = wrong(&self.spot.path(), what);
        self.add(rule, request, Expected::Refused(text));
    }

    fn refuse(&mut self, rule: &str, value: Value, what: &str) {
        self.refuse_request(rule, self.spot.with(&[], value), what);
    }

    fn of_type(&mut self) {
        let (value, what) = wrong_type(self.spot.field);
        self.refuse("type", value, what);
    }

    fn missing(&self) -> String {
        if let Some(it) = self.spot.field.missing_message {
            return it.to_owned();
        }
        let what = format!("the parameter \"{}\" is missing", self.spot.field.name);
        wrong(self.spot.place.own_path(), &what)
    }

    fn of_presence(&mut self) {
        let field = self.spot.field;
        let has_sense = matches!(
            field.kind,
            FieldType::Text { .. } | FieldType::Uuid | FieldType::List(_) | FieldType::Texts { .. }
        );
        let empty = if matches!(field.kind, FieldType::Text { .. } | FieldType::Uuid) {
            json!("")
        } else {
            json!([])
        };
        let needed = field.depends.needed;
        let is_text = empty == json!("");
        if field.rule == Rule::Required {
            self.add("missing", self.spot.without(&[]), Expected::Refused(self.missing()));
        } else if needed.is_empty() {
            self.add("left out", self.spot.without(&[]), Expected::Taken);
            let default = match field.rule {
                Rule::Default(it) | Rule::Constant(it) => Some(it),
                _ => field.implied,
            };
            let pointer = self.spot.place.pointer.clone();
            if let (Some(probe), Some(value)) = (self.all.last_mut(), default) {
                probe.default = Some(DefaultAt { pointer, field: field.name, value });
            }
        } else {
            let request = self.spot.without(needed);
            self.add("needed", request, Expected::Refused(self.missing()));
        }
        let is_never_empty = field.rule == Rule::Required || field.is_never_empty;
        for (rule, conditions) in [("needed", needed), ("filled", field.depends.filled)] {
            if !conditions.is_empty() && is_text && !field.may_be_empty {
                let request = self.spot.with(conditions, empty.clone());
                self.refuse_request(rule, request, "cannot be empty");
            }
        }
        if has_sense && is_never_empty && !field.may_be_empty {
            self.refuse("empty", empty, "cannot be empty");
        } else if has_sense
            && field.words.is_empty()
            && needed.is_empty()
            && field.depends.filled.is_empty()
        {
            self.take("empty", empty);
        }
    }

    /// A field that goes with others only has its default elsewhere, or is not known.
    fn of_conditions(&mut self) {
        let field = self.spot.field;
        for when in field.depends.only {
            let Some(request) = self.spot.against(when, not_default(field)) else { continue };
            if field.depends.is_absent_elsewhere {
                let text = unexpected(self.spot.place.own_path(), field.name);
                self.add("only with", request, Expected::Refused(text));
                continue;
            }
            let default = field.default_text();
            let what = match field.kind {
                FieldType::Text { .. } | FieldType::Uuid if default.is_empty() => {
                    "value must be empty".to_owned()
                }
                FieldType::Text { .. } | FieldType::Uuid => format!("value must be \"{default}\""),
                FieldType::List(_) | FieldType::Texts { .. } | FieldType::Object(_) => {
                    "should be empty".to_owned()
                }
                _ => format!("value must be {default}"),
            };
            self.refuse_request("only with", request, &what);
        }
        for (when, [min, max]) in field.depends.ranges {
            let conditions = [*when];
            let what = format!("value must be one of {min}-{max}");
            for (value, is_in) in [(min - 1, false), (*min, true), (*max, true), (max + 1, false)] {
                let request = self.spot.with(&conditions, json!(value));
                if is_in {
                    self.add("range with", request, Expected::Taken);
                } else {
                    self.refuse_request("range with", request, &what);
                }
            }
        }
    }

    fn of_text(&mut self, max: usize) {
        let field = self.spot.field;
        if !field.words.is_empty() {
            return self.of_words();
        }
        if max != usize::MAX && max <= 65_535 {
            self.refuse("too long", json!("1".repeat(max + 1)), "value is too long");
            if field.form.is_none() && field.judge.is_none() {
                self.take("longest", json!("a".repeat(max)));
            }
        }
        if field.takes_numbers && is_formed(field, "60") {
            self.take("number", json!(60));
        }
        let Some(judge) = field.form.map(|it| it.judge).or(field.judge) else { return };
        let mut texts: Vec<String> = Vec::new();
        if let Some([min, max_s]) = field.form.and_then(|it| it.range) {
            let outside = [min.checked_sub(1), max_s.checked_add(1)];
            texts.extend(outside.into_iter().flatten().map(|it| it.to_string()));
            for bound in [min, max_s].map(|it| it.to_string()) {
                if is_formed(field, &bound) {
                    self.take("form", json!(bound));
                }
            }
        }
        texts.extend(FORMLESS.iter().map(|it| (*it).to_owned()));
        let reported: Vec<(String, String)> = texts
            .into_iter()
            .filter(|it| it.chars().count() <= max)
            .filter_map(|it| judge(&it).err().map(|what| (it, what.into_owned())))
            .collect();
        if reported.is_empty() {
            self.refuse("form", Value::Null, "a text that is not of its form");
        }
        let mut seen: Vec<String> = Vec::new();
        for (text, what) in reported {
            if !seen.contains(&what) {
                self.refuse("form", json!(text), &what);
                seen.push(what);
            }
        }
    }

    fn of_words(&mut self) {
        let words = self.spot.field.words;
        let all: Vec<String> = words.iter().map(|it| format!("\"{it}\"")).collect();
        let one_of = if words.len() == 1 { "" } else { "one of " };
        self.refuse(
            "words",
            json!("no such word"),
            &format!("value must be {one_of}{}", all.join(", ")),
        );
        words.iter().for_each(|it| self.take("words", json!(it)));
    }

    fn of_range(&mut self, min: i64, max: i64) {
        if !self.spot.field.depends.ranges.is_empty() {
            return;
        }
        if !self.spot.field.accepts.is_empty() {
            self.spot.field.accepts.iter().for_each(|it| self.take("codes", json!(it)));
            return;
        }
        let reported = self.spot.field.range.map_or_else(|| format!("{min}-{max}"), str::to_owned);
        let outside = format!("value must be one of {reported}");
        let what = |it: i64| {
            let is_too_large = i32::try_from(it).is_err() && i32::try_from(max).is_ok();
            if is_too_large { "a number is too large" } else { outside.as_str() }
        };
        for it in [min.checked_sub(1), max.checked_add(1)].into_iter().flatten() {
            self.refuse("range", json!(it), what(it));
        }
        for it in [json!(min), json!(max), json!(min.to_string())] {
            self.take("range", it);
        }
    }

    fn of_codes(&mut self, codes: &[i64]) {
        let field = self.spot.field;
        let what = |codes: &[i64]| match codes {
            [one] => format!("value must be {one}"),
            several => {
                let all: Vec<String> = several.iter().map(ToString::to_string).collect();
                format!("value must be one of {}", all.join(", "))
            }
        };
        let beyond = codes.iter().max().expect("a code") + 1;
        if field.depends.codes.is_empty() {
            self.refuse("codes", json!(beyond), &what(codes));
            codes.iter().for_each(|it| self.take("codes", json!(it)));
            return;
        }
        for (when, narrowed) in field.depends.codes {
            let conditions: [When; 1] = [*when];
            let other = codes.iter().find(|it| !narrowed.contains(it)).copied().unwrap_or(beyond);
            let request = self.spot.with(&conditions, json!(other));
            self.refuse_request("codes with", request, &what(narrowed));
            for it in *narrowed {
                let request = self.spot.with(&conditions, json!(it));
                self.add("codes with", request, Expected::Taken);
            }
        }
    }

    fn of_list(&mut self, parts: &'static [Field]) {
        let field = self.spot.field;
        let valid = self.spot.valid();
        let Some(first) = valid.get(0).cloned() else { return };
        let path = self.spot.path();
        let n_parts = valid.as_array().map_or(0, Vec::len);
        if field.is_list_only {
            let scalar = first.as_object().and_then(|it| it.values().next());
            if scalar.is_some_and(|it| !it.is_object() && !it.is_array()) {
                let text = wrong(&format!("{path}/1"), "an array is expected");
                let request = self.spot.with(&[], first.clone());
                self.add("list only", request, Expected::Refused(text));
            }
        } else if n_parts == 1 {
            self.take("one object", first.clone());
        }
        self.refuse_request_at("part", json!([5]), &format!("{path}/1"), "an array is expected");
        let sets: Vec<&[&str]> = match parts {
            [Field { name, kind: FieldType::Id, .. }] => vec![std::slice::from_ref(name)],
            _ => field.unique.to_vec(),
        };
        for (at, names) in sets.iter().enumerate() {
            let Some(values) = values_of(parts, &first, names) else { continue };
            let Some(second) = with_others(parts, &first, &sets[..at], names) else { continue };
            let what =
                format!("value ({})=({}) already exists", names.join(", "), values.join(", "));
            let both = json!([first, second]);
            self.refuse_request_at("unique", both, &format!("{path}/2"), &what);
        }
    }

    fn refuse_request_at(&mut self, rule: &str, value: Value, path: &str, what: &str) {
        let request = self.spot.with(&[], value);
        self.add(rule, request, Expected::Refused(wrong(path, what)));
    }

    fn of_texts(&mut self, max: usize) {
        let path = format!("{}/1", self.spot.path());
        self.refuse_request_at("type", json!([[]]), &path, "a character string is expected");
        if max != usize::MAX && max <= 65_535 {
            self.refuse_request_at(
                "too long",
                json!(["a".repeat(max + 1)]),
                &path,
                "value is too long",
            );
            self.take("longest", json!(["a".repeat(max)]));
        }
        if self.spot.field.is_each_once {
            let first = self.spot.valid()[0].clone();
            let what = format!("value ({}) already exists", first.as_str().unwrap_or_default());
            let path = format!("{}/2", self.spot.path());
            self.refuse_request_at("each once", json!([first, first]), &path, &what);
        }
    }

    fn of_time(&mut self) {
        self.refuse("range", json!(-1), "an unsigned integer is expected");
        self.refuse("range", json!(2_147_483_648_i64), "a timestamp is too large");
        self.take("range", json!(2_147_483_647));
    }

    fn of_uuid(&mut self) {
        self.refuse("length", json!("abc"), "must be 32 characters long");
        self.refuse("form", json!("z".repeat(32)), "UUIDv4 is expected");
        self.take("form", json!("8f1ff1bd5d1a4c0f9d1c6d4f1b0b2a3c"));
    }

    fn of_reference(&mut self) {
        let Some(refers) = self.spot.field.refers else { return };
        let request = self.spot.with(&[], json!("999999"));
        let text = refers.missing_message.replacen("{}", "999999", 1);
        self.add("reference", request, Expected::Refused(text));
    }
}

fn wrong_type(field: &Field) -> (Value, &'static str) {
    match field.kind {
        FieldType::Id => (json!("x"), "a number is expected"),
        FieldType::Text { .. } | FieldType::Uuid => (json!([]), "a character string is expected"),
        FieldType::Int { .. } | FieldType::Code(_) => (json!("x"), "an integer is expected"),
        FieldType::Timestamp => (json!("x"), "an unsigned integer is expected"),
        FieldType::Bool => (json!(5), "a boolean is expected"),
        FieldType::Float => (json!([]), "a floating point value is expected"),
        FieldType::Object(_) | FieldType::Inventory(_) | FieldType::List(_) => {
            (json!(5), "an array is expected")
        }
        FieldType::Texts { .. } => (json!(true), "an array is expected"),
    }
}

/// The values of a part that a set of fields compares, if it has all of them as texts.
fn values_of(fields: &[Field], part: &Value, names: &[&str]) -> Option<Vec<String>> {
    let of = |name: &&str| match part.get(*name) {
        Some(Value::String(it)) => Some(it.clone()),
        Some(Value::Number(it)) => Some(it.to_string()),
        Some(_) => None,
        None => {
            let field = fields.iter().find(|it| it.name == *name)?;
            matches!(field.rule, Rule::Default(_)).then(|| field.default_text().to_owned())
        }
    };
    let values: Vec<String> = names.iter().map(of).collect::<Option<_>>()?;
    values.iter().any(|it| !it.is_empty()).then_some(values)
}

/// A part that differs in each of these sets, with the same in one more.
fn with_others(fields: &[Field], part: &Value, sets: &[&[&str]], same: &[&str]) -> Option<Value> {
    let mut other = part.clone();
    for names in sets {
        let name = names.iter().find(|it| !same.contains(it))?;
        let field = fields.iter().find(|it| it.name == *name)?;
        other[*name] = not_like(field, part.get(*name).unwrap_or(&Value::Null));
    }
    Some(other)
}

/// Two objects of one request with the same.
fn twice(method: &'static str, name: &str, base: &Value, names: &[&str]) -> Option<Probe> {
    let fields: Option<Vec<&str>> = names.iter().map(|it| base.get(*it)?.as_str()).collect();
    let fields = fields?;
    let what = format!("value ({})=({}) already exists", names.join(", "), fields.join(", "));
    let text = wrong("/2", &what);
    Some(Probe::refused(name.to_owned(), "unique", method, json!([base, base]), text))
}

/// A second object with the fields that are unique among all.
pub(super) fn of_taken_name(
    object: &WrittenObject,
    create: &'static str,
    base: &Value,
) -> Option<Probe> {
    let stored = objects::named(object.object.name)?;
    let unique = stored.unique.iter().find(|it| **it == "name").or(stored.unique.last())?;
    let shown = base.get(*unique)?.as_str()?;
    let text = stored.error_taken.replacen("{}", shown, 1);
    Some(Probe::refused(object.object.type_name.to_owned(), "taken", create, base.clone(), text))
}

/// Rules of update: the id, the fields that stay, and types.
pub(super) fn of_update(object: &WrittenObject, id: &str) -> Vec<Probe> {
    let described = object.object;
    let (Some(update), name) = (object.update, described.type_name) else { return Vec::new() };
    let is_lenient = described.writes.is_some_and(|it| it.unknown == Unknown::PassedOver);
    let missing = wrong("/1", &format!("the parameter \"{}\" is missing", described.id));
    let mut probes =
        vec![Probe::refused(name.to_owned(), "update without id", update, json!([{}]), missing)];
    let of = |field: &Field, rule: &str, value: Value, text: String| {
        let params = json!({described.id: id, field.name: value});
        Probe::refused(format!("{name}.{}", field.name), rule, update, params, text)
    };
    for field in described.fields.iter().filter(|it| it.name != described.id && !it.is_ignored) {
        if field.rule == Rule::ReadOnly || field.is_constant() {
            if !is_lenient {
                probes.push(of(
                    field,
                    "update of fixed",
                    valid(field),
                    unexpected("/1", field.name),
                ));
            }
        } else if !field.is_judged_later && !field.depends.is_absent_elsewhere {
            let (value, what) = wrong_type(field);
            let text = wrong(&format!("/1/{}", field.name), what);
            probes.push(of(field, "update type", value, text));
        }
    }
    probes
}
