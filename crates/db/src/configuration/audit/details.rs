//! The details of records, as Zabbix 7.0 writes them: each field by its path, with what was done to it.
//!
//! `{"item.name": ["update", "new", "old"], "item.tags[7]": ["add"], "item.tags[7].tag": ["add", "os"]}`. An object is
//! given in the fields of the API, whole, as it is now and as it was; the differences follow from
//! that. The given fields decide only on secrets: a secret that is given again may be a new one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use model::describe::{Field, FieldType, Rule};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::kinds::{self, List};
use crate::configuration::objects;

pub(crate) type Fields = JsonMap<String, Json>;

/// In the place of what is secret.
pub const MASKED: &str = "******";

/// An object that a record is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// As in method names of the API, and at the beginning of paths.
    pub(crate) kind: &'a str,
    pub(crate) id: u64,
    /// The given fields, by name.
    pub(crate) given: &'a Fields,
}

/// The details of a new object.
pub(crate) fn added(subject: Subject<'_>, now: &Fields) -> Fields {
    let now = subject.leaves(now, None);
    let mut said = Fields::new();
    for (path, leaf) in &now {
        if let Some(part) = part_of(path) {
            said.insert(part.to_owned(), json!(["add"]));
        }
        // A field that was not given has its default, whatever the table says.
        let is_by_itself = leaf.is_as_described && !subject.given.contains_key(leaf.top);
        if !is_by_itself {
            say_added(&mut said, path, leaf);
        }
    }
    for name in subject.hidden_secrets(&now) {
        said.insert(subject.path_of(name), json!(["add", MASKED]));
    }
    said
}

/// The details of a change; empty if there is none.
pub(crate) fn updated(subject: Subject<'_>, before: &Fields, now: &Fields) -> Fields {
    let (before, now) = (subject.leaves(before, Some(now)), subject.leaves(now, Some(before)));
    let (had, has) = (parts(&before), parts(&now));
    let mut said = Fields::new();
    for part in had.difference(&has) {
        said.insert((*part).to_owned(), json!(["delete"]));
    }
    for part in has.difference(&had) {
        said.insert((*part).to_owned(), json!(["add"]));
    }
    for (path, leaf) in &now {
        let Some(old) = before.get(path) else {
            let is_field = part_of(path).is_none();
            if is_field && leaf.is_masked {
                said.insert(path.clone(), json!(["update", MASKED, MASKED]));
            } else {
                say_added(&mut said, path, leaf);
            }
            continue;
        };
        let is_secret = !leaf.value.is_empty() && (leaf.is_masked || old.is_masked);
        let is_given_again =
            is_secret && subject.is_given(path, leaf) && kinds::is_given_in_part(subject.kind);
        if is_same(&leaf.value, &old.value) && !is_given_again {
            continue;
        }
        if let Some(part) = part_of(path) {
            said.insert(part.to_owned(), json!(["update"]));
        }
        let what = if leaf.is_blob {
            json!(["update"])
        } else {
            json!(["update", leaf.shown(), old.shown()])
        };
        said.insert(path.clone(), what);
    }
    for name in subject.hidden_secrets(&now) {
        said.insert(subject.path_of(name), json!(["update", MASKED, MASKED]));
    }
    said
}

/// Takes out what Zabbix does not say of kinds of which it says little: parts, and what was added.
pub(crate) fn keep_updates_of_fields(said: &mut Fields) {
    said.retain(|path, what| part_of(path).is_none() && !path.contains('[') && what[0] == "update");
}

fn say_added(said: &mut Fields, path: &str, leaf: &Leaf<'_>) {
    let what = match leaf {
        Leaf { is_masked: true, value, .. } if value.is_empty() => return,
        Leaf { is_masked: true, .. } => json!(["add", MASKED]),
        Leaf { is_usual: true, .. } => return,
        Leaf { is_blob: true, .. } => json!(["add"]),
        _ => json!(["add", &*leaf.value]),
    };
    said.insert(path.to_owned(), what);
}

/// A field with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Leaf<'a> {
    /// The field of the object that it is in.
    top: &'a str,
    value: Cow<'a, str>,
    is_masked: bool,
    is_blob: bool,
    /// As Zabbix's table has it by itself.
    is_usual: bool,
    /// As the API gives it to who gives none.
    is_as_described: bool,
}

impl Leaf<'_> {
    fn shown(&self) -> &str {
        if self.is_masked { MASKED } else { &self.value }
    }
}

/// In order of path.
type Leaves<'a> = BTreeMap<String, Leaf<'a>>;

impl Subject<'_> {
    fn path_of(&self, name: &str) -> String {
        format!("{}.{name}", self.kind)
    }

    /// Whether it is a field of the object that was given.
    fn is_given(&self, path: &str, leaf: &Leaf<'_>) -> bool {
        part_of(path).is_none() && self.given.contains_key(leaf.top)
    }

    /// Secrets that were given and are not recorded.
    fn hidden_secrets(&self, now: &Leaves<'_>) -> impl Iterator<Item = &str> {
        let is_hidden = |name: &str| {
            kinds::is_secret(name, &Fields::new()) && !now.contains_key(&self.path_of(name))
        };
        self.given.keys().map(String::as_str).filter(move |it| is_hidden(it))
    }

    /// The leaves of what is there; of a change those of fields that `other` has otherwise, and of given secrets.
    fn leaves<'f>(&self, fields: &'f Fields, other: Option<&Fields>) -> Leaves<'f> {
        let described = objects::named(self.kind).map_or(&[][..], |it| it.object.fields);
        let is_given_secret = |name: &str| {
            let is_secret = || described.iter().any(|it| it.is_secret && it.name == name);
            self.given.contains_key(name)
                && (kinds::is_secret(name, &Fields::new())
                    || kinds::is_secret(name, fields)
                    || is_secret())
        };
        let is_same = |name: &str, value: &Json| {
            other.is_some_and(|it| it.get(name) == Some(value)) && !is_given_secret(name)
        };
        let mut walk = Walk {
            id: self.id,
            top: None,
            path: self.kind.to_owned(),
            plain: self.kind.to_owned(),
            leaves: Leaves::new(),
        };
        walk.object(Part::default(), &|name, value| !is_same(name, value), fields, described);
        let mut leaves = walk.leaves;
        let id = kinds::id_field(self.kind);
        if other.is_none() && !id.is_empty() {
            let leaf = Leaf {
                top: id,
                value: self.id.to_string().into(),
                is_masked: false,
                is_blob: false,
                is_usual: false,
                is_as_described: false,
            };
            leaves.insert(self.path_of(id), leaf);
        }
        leaves
    }
}

/// The part of a list that fields stand in; the default: the object itself.
#[derive(Clone, Default)]
struct Part {
    /// The field of its id, and the id; an empty name if it has none.
    id: (&'static str, u64),
    is_full: bool,
}

/// Whether a field is walked, by name and value.
type IsWanted<'w> = &'w dyn Fn(&str, &Json) -> bool;

/// There may be thousands of objects in a call: paths grow and shrink in place, and values are borrowed.
struct Walk<'a> {
    /// The id of the object.
    id: u64,
    /// The field of the object that the walk is in.
    top: Option<&'a str>,
    /// Where the walk is, with the ids of parts, and without.
    path: String,
    plain: String,
    leaves: Leaves<'a>,
}

impl<'a> Walk<'a> {
    fn object(
        &mut self,
        part: Part,
        is_wanted: IsWanted<'_>,
        fields: &'a Fields,
        described: &[Field],
    ) {
        let (id_field, id) = part.id;
        for (name, value) in fields {
            if name == id_field || !is_wanted(name, value) {
                continue;
            }
            let is_top = self.top.is_none();
            if is_top {
                self.top = Some(name);
            }
            self.member(name, |walk| {
                if !kinds::is_left_out(&walk.plain) {
                    let field = described.iter().find(|it| it.name == *name);
                    walk.value(part.is_full, (name, value), fields, field);
                }
            });
            if is_top {
                self.top = None;
            }
        }
        if !id_field.is_empty() {
            let field = described.iter().find(|it| it.name == id_field);
            self.member(id_field, |walk| {
                walk.leaf(true, (id_field, id.to_string().into()), fields, field);
            });
        }
    }

    /// Does something one step down.
    fn member(&mut self, name: &str, act: impl FnOnce(&mut Self)) {
        let (path, plain) = (self.path.len(), self.plain.len());
        for at in [&mut self.path, &mut self.plain] {
            at.push('.');
            at.push_str(name);
        }
        act(self);
        self.path.truncate(path);
        self.plain.truncate(plain);
    }

    fn value(
        &mut self,
        is_full: bool,
        (name, value): (&str, &'a Json),
        part: &Fields,
        field: Option<&Field>,
    ) {
        let inner = match field.map(|it| it.kind) {
            Some(FieldType::Object(it) | FieldType::List(it) | FieldType::Inventory(it)) => it,
            _ => &[],
        };
        match value {
            Json::Null => {}
            Json::Object(it) => {
                self.object(Part { is_full, ..Part::default() }, &|_, _| true, it, inner);
            }
            Json::Array(list) => self.list(is_full, list, inner),
            value => self.leaf(is_full, (name, scalar(value)), part, field),
        }
    }

    fn list(&mut self, is_full: bool, parts: &'a [Json], described: &[Field]) {
        let list = kinds::list_at(&self.plain);
        let mut ids = BTreeSet::new();
        for (at, part) in parts.iter().enumerate() {
            let Json::Object(fields) = part else {
                let none = Fields::new();
                self.member(&at.to_string(), |walk| {
                    walk.leaf(is_full, ("", scalar(part)), &none, None);
                });
                continue;
            };
            let mut id = self.id_of(&list, (at, fields));
            while !ids.insert(id) {
                id += 1;
            }
            let path = self.path.len();
            let _infallible = write!(self.path, "[{id}]");
            let part = Part { id: (list.id, id), is_full: list.is_full };
            self.object(part, &|_, _| true, fields, described);
            self.path.truncate(path);
        }
    }

    /// The id of a part: the store's, or one that follows from what makes it this part.
    fn id_of(&self, list: &List, (at, fields): (usize, &Fields)) -> u64 {
        let stored = fields.get(list.id).and_then(|it| scalar(it).parse().ok());
        if let Some(id) = stored.filter(|it| *it != 0 && !list.by.contains(&list.id)) {
            return id;
        }
        let value = |name: &str| fields.get(name).map(scalar).unwrap_or_default();
        match list.by {
            [] => at as u64 + 1,
            // The part is another object.
            [one] if one.ends_with("id") && value(one).parse::<u64>().is_ok_and(|it| it != 0) => {
                value(one).parse().unwrap_or_default()
            }
            names => {
                let mut key = format!("{} {}", self.id, self.path);
                for name in names {
                    key.push('\0');
                    key.push_str(&value(name));
                }
                number_of(&key)
            }
        }
    }

    /// Puts the leaf where the walk is; `is_full`: it is recorded with any value.
    fn leaf(
        &mut self,
        is_full: bool,
        (name, value): (&str, Cow<'a, str>),
        part: &Fields,
        field: Option<&Field>,
    ) {
        let described = field.and_then(|it| match it.rule {
            Rule::Default(it) | Rule::Constant(it) => Some(it),
            _ => None,
        });
        let usual = kinds::usual_at(&self.plain).or(described).unwrap_or_default();
        let leaf = Leaf {
            top: self.top.unwrap_or_default(),
            is_masked: kinds::is_secret(name, part) || field.is_some_and(|it| it.is_secret),
            is_blob: field.is_some_and(|it| it.is_blob),
            is_usual: !is_full
                && is_usual(&value, usual)
                && !kinds::is_always_recorded(&self.plain),
            is_as_described: described.is_some_and(|it| is_same(&value, it)),
            value,
        };
        self.leaves.insert(self.path.clone(), leaf);
    }
}

/// Whether a value is the default.
fn is_usual(value: &str, usual: &str) -> bool {
    match usual {
        "" => value.is_empty() || is_same(value, "0"),
        it => is_same(value, it),
    }
}

/// Whether two values mean the same: numbers are compared as such.
fn is_same(one: &str, two: &str) -> bool {
    if one == two {
        return true;
    }
    let whole = |it: &str| it.parse::<i64>().ok();
    if let (Some(one), Some(two)) = (whole(one), whole(two)) {
        return one == two;
    }
    match (number(one), number(two)) {
        (Some(one), Some(two)) => one.total_cmp(&two).is_eq(),
        _ => false,
    }
}

fn number(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|it| it.is_ascii_digit() || b"+-.eE".contains(&it));
    text.parse::<f64>().ok().filter(|it| is_plain && it.is_finite())
}

/// As the API writes it.
fn scalar(value: &Json) -> Cow<'_, str> {
    match value {
        Json::String(it) => Cow::Borrowed(it),
        Json::Bool(it) => Cow::Borrowed(if *it { "1" } else { "0" }),
        Json::Null => Cow::Borrowed(""),
        other => Cow::Owned(other.to_string()),
    }
}

/// The path of the part that a field stands in; none if it stands in the object itself.
fn part_of(path: &str) -> Option<&str> {
    let (part, _) = path.rsplit_once('.')?;
    part.contains('.').then_some(part)
}

fn parts<'a>(leaves: &'a Leaves<'_>) -> BTreeSet<&'a str> {
    leaves.keys().filter_map(|it| part_of(it)).collect()
}

/// A number that is the same for the same text (FNV-1a), as long as ids of rows are.
fn number_of(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    1 + hash % 0x7fff_ffff
}

#[cfg(test)]
mod tests;
