//! The details of records, as Zabbix 7.0 writes them: each field by its path, with what was done to it.
//!
//! `{"item.name": ["update", "new", "old"], "item.tags[7]": ["add"], "item.tags[7].tag": ["add", "os"]}`. An object is
//! given in the fields of the API, whole, as it is now and as it was; the differences follow from
//! that. The given fields decide only on secrets: a secret that is given again may be a new one.

use std::collections::{BTreeMap, BTreeSet};

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
    let now = subject.leaves(now, true);
    let mut said = Fields::new();
    for (path, leaf) in &now {
        if let Some(part) = part_of(path) {
            said.insert(part.to_owned(), json!(["add"]));
        }
        // A field that was not given has its default, whatever the table says.
        let is_by_itself = leaf.is_as_described && !subject.given.contains_key(&leaf.top);
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
    let (before, now) = (subject.leaves(before, false), subject.leaves(now, false));
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

fn say_added(said: &mut Fields, path: &str, leaf: &Leaf) {
    let what = match leaf {
        Leaf { is_masked: true, value, .. } if value.is_empty() => return,
        Leaf { is_masked: true, .. } => json!(["add", MASKED]),
        Leaf { is_usual: true, .. } => return,
        Leaf { is_blob: true, .. } => json!(["add"]),
        _ => json!(["add", leaf.value]),
    };
    said.insert(path.to_owned(), what);
}

/// A field with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Leaf {
    /// The field of the object that it is in.
    top: String,
    value: String,
    is_masked: bool,
    is_blob: bool,
    /// As Zabbix's table has it by itself.
    is_usual: bool,
    /// As the API gives it to who gives none.
    is_as_described: bool,
}

impl Leaf {
    fn shown(&self) -> &str {
        if self.is_masked { MASKED } else { &self.value }
    }
}

/// In order of path.
type Leaves = BTreeMap<String, Leaf>;

impl Subject<'_> {
    fn path_of(&self, name: &str) -> String {
        format!("{}.{name}", self.kind)
    }

    /// Whether it is a field of the object that was given.
    fn is_given(&self, path: &str, leaf: &Leaf) -> bool {
        part_of(path).is_none() && self.given.contains_key(&leaf.top)
    }

    /// Secrets that were given and are not recorded.
    fn hidden_secrets(&self, now: &Leaves) -> impl Iterator<Item = &str> {
        let is_hidden = |name: &str| {
            kinds::is_secret(name, &Fields::new()) && !now.contains_key(&self.path_of(name))
        };
        self.given.keys().map(String::as_str).filter(move |it| is_hidden(it))
    }

    fn leaves(&self, fields: &Fields, has_id: bool) -> Leaves {
        let mut leaves = Leaves::new();
        let described = objects::named(self.kind).map_or(&[][..], |it| it.object.fields);
        let mut walk = Walk { subject: *self, top: String::new(), leaves: &mut leaves };
        walk.object(&Place::top(self.kind), fields, described);
        let id = kinds::id_field(self.kind);
        if has_id && !id.is_empty() {
            let leaf = Leaf {
                top: id.to_owned(),
                value: self.id.to_string(),
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

/// Where an object stands: its path with the ids of parts, and without.
struct Place {
    path: String,
    plain: String,
    is_full: bool,
}

impl Place {
    fn top(kind: &str) -> Self {
        Self { path: kind.to_owned(), plain: kind.to_owned(), is_full: false }
    }

    fn member(&self, name: &str) -> Self {
        let (path, plain) = (format!("{}.{name}", self.path), format!("{}.{name}", self.plain));
        Self { path, plain, is_full: self.is_full }
    }

    fn part(&self, id: u64, list: &List) -> Self {
        let path = format!("{}[{id}]", self.path);
        Self { path, plain: self.plain.clone(), is_full: list.is_full }
    }
}

struct Walk<'a> {
    subject: Subject<'a>,
    top: String,
    leaves: &'a mut Leaves,
}

impl Walk<'_> {
    fn object(&mut self, place: &Place, fields: &Fields, described: &[Field]) {
        for (name, value) in fields {
            let at = place.member(name);
            if kinds::is_left_out(&at.plain) {
                continue;
            }
            if place.plain == self.subject.kind {
                self.top.clone_from(name);
            }
            let field = described.iter().find(|it| it.name == *name);
            let inner = match field.map(|it| it.kind) {
                Some(FieldType::Object(it) | FieldType::List(it) | FieldType::Inventory(it)) => it,
                _ => &[],
            };
            match value {
                Json::Null => {}
                Json::Object(it) => self.object(&at, it, inner),
                Json::Array(list) => self.list(&at, list, inner),
                value => {
                    let leaf = self.leaf((&at, name), scalar(value), fields, field);
                    self.leaves.insert(at.path, leaf);
                }
            }
        }
    }

    fn list(&mut self, place: &Place, parts: &[Json], described: &[Field]) {
        let list = kinds::list_at(&place.plain);
        let mut ids = BTreeSet::new();
        for (at, part) in parts.iter().enumerate() {
            let Json::Object(fields) = part else {
                let at = place.member(&at.to_string());
                let leaf = self.leaf((&at, ""), scalar(part), &Fields::new(), None);
                self.leaves.insert(at.path, leaf);
                continue;
            };
            let mut id = self.id_of(place, &list, (at, fields));
            while !ids.insert(id) {
                id += 1;
            }
            let at = place.part(id, &list);
            let mut fields = fields.clone();
            if !list.id.is_empty() {
                fields.insert(list.id.to_owned(), Json::from(id.to_string()));
            }
            self.object(&at, &fields, described);
        }
    }

    /// The id of a part: the store's, or one that follows from what makes it this part.
    fn id_of(&self, place: &Place, list: &List, (at, fields): (usize, &Fields)) -> u64 {
        let stored = fields.get(list.id).and_then(|it| scalar(it).parse().ok());
        if let Some(id) = stored.filter(|it| *it != 0 && !list.by.contains(&list.id)) {
            return id;
        }
        let value = |name: &&str| fields.get(*name).map(scalar).unwrap_or_default();
        match list.by {
            [] => at as u64 + 1,
            // The part is another object.
            [one] if one.ends_with("id") && value(one).parse::<u64>().is_ok_and(|it| it != 0) => {
                value(one).parse().unwrap_or_default()
            }
            names => {
                let mut key = format!("{} {}", self.subject.id, place.path);
                for name in names {
                    key.push('\0');
                    key.push_str(&value(name));
                }
                number_of(&key)
            }
        }
    }

    fn leaf(
        &self,
        (at, name): (&Place, &str),
        value: String,
        part: &Fields,
        field: Option<&Field>,
    ) -> Leaf {
        let is_id = kinds::list_at(&without_last(&at.plain)).id == name && !name.is_empty();
        let described = field.and_then(|it| match it.rule {
            Rule::Default(it) | Rule::Constant(it) => Some(it),
            _ => None,
        });
        let usual = kinds::usual_at(&at.plain).or(described).unwrap_or_default();
        let is_shown = is_id || at.is_full || kinds::is_always_recorded(&at.plain);
        Leaf {
            top: self.top.clone(),
            is_masked: kinds::is_secret(name, part) || field.is_some_and(|it| it.is_secret),
            is_blob: field.is_some_and(|it| it.is_blob),
            is_usual: !is_shown && is_usual(&value, usual),
            is_as_described: described.is_some_and(|it| is_same(&value, it)),
            value,
        }
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
fn scalar(value: &Json) -> String {
    match value {
        Json::String(it) => it.clone(),
        Json::Bool(it) => u8::from(*it).to_string(),
        Json::Null => String::new(),
        other => other.to_string(),
    }
}

/// The path of the part that a field stands in; none if it stands in the object itself.
fn part_of(path: &str) -> Option<&str> {
    let (part, _) = path.rsplit_once('.')?;
    part.contains('.').then_some(part)
}

fn parts(leaves: &Leaves) -> BTreeSet<&str> {
    leaves.keys().filter_map(|it| part_of(it)).collect()
}

fn without_last(plain: &str) -> String {
    plain.rsplit_once('.').map_or("", |it| it.0).to_owned()
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
