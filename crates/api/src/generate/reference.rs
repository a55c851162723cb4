//! The reference page of the API: its introduction is written by hand, the objects are not.

use std::collections::BTreeMap;

use super::common::{PARTS, Page, is_single, part_name};
use super::openrpc::examples;
use super::sentences;
use crate::describe::{Field, FieldType, Gives, Object, Rule};
use crate::method::ObjectEntry;
use crate::registry;
use db::objects::ABSENT;
use model::content::RoleType;
use model::version::Versions;

const PATH: &str = "docs/api.md";
const INTRODUCTION: &str = include_str!("introduction.md");

pub(super) fn page() -> Page {
    let mut text = INTRODUCTION.to_owned();
    text.push_str("\n## Objects\n");
    let examples = examples_by_method();
    for entry in registry::all() {
        object(&mut text, entry, &examples);
    }
    let absent: Vec<String> = ABSENT.iter().map(|it| format!("`{}.get`", it.name)).collect();
    text.push_str(&format!(
        "\n## Objects that there are none of\n\nZabbix has them; here there are none yet. They can be asked for, so that \
         clients go on, and the answer is an empty list: {}. Their other methods do not exist.\n",
        absent.join(", ")
    ));
    text.push_str("\n## Parts\n\nWhat several objects hold.\n");
    for (name, fields) in PARTS {
        text.push_str(&format!("\n### {name}\n\n"));
        table(&mut text, fields);
    }
    Page { path: PATH.to_owned(), text }
}

/// Methods, and the file with the first example of each.
fn examples_by_method() -> BTreeMap<String, &'static str> {
    let mut found = BTreeMap::new();
    for (file, list) in examples::played() {
        for example in list.into_iter().filter(|it| !it.hidden) {
            found.entry(example.method).or_insert(file);
        }
    }
    found
}

fn object(text: &mut String, entry: &ObjectEntry, examples: &BTreeMap<String, &'static str>) {
    let object = entry.object;
    text.push_str(&format!("\n### {}\n\n{}.\n\n", object.type_name, object.doc));
    text.push_str("| method | who may call it | example |\n|---|---|---|\n");
    for method in entry.methods() {
        let example = examples.get(method.name).map_or_else(String::new, |file| {
            format!("[{file}](../tests/api/examples/{file}.json)")
        });
        let since = only_in(method.versions);
        text.push_str(&format!(
            "| `{}`{since} | {} | {example} |\n",
            method.name,
            who(method.role)
        ));
    }
    text.push('\n');
    table(text, object.fields);
    selects(text, object);
    params(text, object);
    if let Some(stored) = db::objects::named(object.name) {
        let sample = stored.sample;
        let verb = if is_single(object) { "update" } else { "create" };
        text.push_str(&format!(
            "\nAn example for `{}.{verb}`:\n\n```json\n{sample}\n```\n",
            object.name
        ));
    }
    if !object.sort.is_empty() {
        let fields: Vec<String> = object.sort.iter().map(|it| format!("`{it}`")).collect();
        text.push_str(&format!("\n`sortfield`: {}.\n", fields.join(", ")));
    }
}

/// The parameters that only this object's get takes.
fn params(text: &mut String, object: &Object) {
    let list = |names: &[&str]| {
        let one = |it: &&str| format!("`{it}`{}", only_in(object.params.versions_of(it)));
        let names: Vec<String> = names.iter().map(one).collect();
        names.join(", ")
    };
    let params = &object.params;
    let mut line = |what: &str, names: &[&str], after: &str| {
        if !names.is_empty() {
            text.push_str(&format!("\n{what}: {}{after}.\n", list(names)));
        }
    };
    line("Parameters of get", params.taken, "");
    line("Nothing is found by", params.foreign, ": there are no such objects yet");
    if let Some((first, names)) = params.checked_since {
        text.push_str(&format!("\nSince {first} wrong values of {} are refused.\n", list(names)));
    }
    if params.is_strict {
        text.push_str("\nParameters that are not known are refused.\n");
    }
}

/// In which versions of Zabbix something is, if not in all.
fn only_in(versions: Versions) -> String {
    if versions == Versions::ALL { String::new() } else { format!(" ({versions})") }
}

fn who(role: RoleType) -> &'static str {
    match role {
        RoleType::User => "all users",
        RoleType::Admin => "admins",
        RoleType::SuperAdmin => "super admins",
    }
}

fn table(text: &mut String, fields: &[Field]) {
    text.push_str("| field | type | at creation | |\n|---|---|---|---|\n");
    rows(text, "", fields);
}

fn rows(text: &mut String, prefix: &str, fields: &[Field]) {
    for field in fields {
        text.push_str(&row(prefix, field));
        if let FieldType::Object(inner) | FieldType::Inventory(inner) | FieldType::List(inner) =
            field.kind
            && linked(inner).is_none()
        {
            rows(text, &format!("{prefix}{}.", field.name), inner);
        }
    }
}

fn row(prefix: &str, field: &Field) -> String {
    let text = [vec![field.doc.to_owned()], sentences::of(field)].concat().join("; ");
    let text = text.replace('|', "\\|");
    format!("| `{prefix}{}` | {} | {} | {text} |\n", field.name, kind(field), rule(field))
}

fn kind(field: &Field) -> String {
    match field.kind {
        FieldType::Id => "id".to_owned(),
        FieldType::Text { .. } => "text".to_owned(),
        FieldType::Int { .. } if !field.accepts.is_empty() => join(field.accepts),
        FieldType::Int { min, max } => format!("whole number, {min}–{max}"),
        FieldType::Code([one]) => one.to_string(),
        FieldType::Code(codes) => join(codes),
        FieldType::Timestamp => "time, seconds since 1970".to_owned(),
        FieldType::Bool => "true, false".to_owned(),
        FieldType::Float => "number".to_owned(),
        FieldType::Object(fields) | FieldType::Inventory(fields) => {
            part_link(fields).unwrap_or_else(|| "object".to_owned())
        }
        FieldType::List([]) => "empty list".to_owned(),
        FieldType::List(fields) => part_link(fields)
            .map_or_else(|| "list of objects".to_owned(), |it| format!("list of {it}")),
        FieldType::Uuid => "UUID of version 4, without dashes".to_owned(),
        FieldType::Texts { .. } => "list of texts".to_owned(),
    }
}

fn join(codes: &[i64]) -> String {
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    codes.join(", ")
}

/// The part that these fields are, with the same rules in all of them.
fn linked(fields: &[Field]) -> Option<&'static str> {
    let name = part_name(fields)?;
    let (_, part) = PARTS.iter().find(|(it, _)| *it == name)?;
    let is_same = part.iter().zip(fields).all(|(one, two)| row("", one) == row("", two));
    is_same.then_some(name)
}

fn part_link(fields: &[Field]) -> Option<String> {
    let name = linked(fields)?;
    Some(format!("[{name}](#{})", name.to_lowercase()))
}

fn rule(field: &Field) -> String {
    let default = |it: &str| if it.is_empty() { "empty".to_owned() } else { format!("`{it}`") };
    match (field.rule, field.implied) {
        (Rule::Default(it) | Rule::Constant(it), _) | (Rule::Optional, Some(it)) => default(it),
        (Rule::Required, _) => "required".to_owned(),
        (Rule::Optional, None) => "optional".to_owned(),
        (Rule::ReadOnly, _) => "read-only".to_owned(),
        (Rule::WriteOnly, _) => "write-only".to_owned(),
    }
}

fn selects(text: &mut String, object: &Object) {
    if object.selects.is_empty() {
        return;
    }
    text.push_str("\n| parameter | property | holds |\n|---|---|---|\n");
    for select in object.selects {
        let link = |name: &str| {
            let name = super::common::entry_of(name).object.type_name;
            format!("[{name}](#{})", name.to_lowercase())
        };
        let parts = |fields: &[Field]| part_link(fields).unwrap_or_else(|| inline(fields));
        let holds = match select.gives {
            Gives::Objects(name) => format!("list of {}", link(name)),
            Gives::Object(name) => format!("one {}", link(name)),
            Gives::Parts(fields) => format!("list of {}", parts(fields)),
            Gives::Part(fields) => format!("one {}", parts(fields)),
            Gives::Field => "the field".to_owned(),
            Gives::Nothing => "empty list".to_owned(),
        };
        let count = if select.countable { "; number with `count`" } else { "" };
        text.push_str(&format!(
            "| `{}`{} | `{}` | {holds}{count} |\n",
            select.param,
            only_in(select.versions),
            select.property
        ));
    }
}

fn inline(fields: &[Field]) -> String {
    let names: Vec<String> = fields.iter().map(|it| format!("`{}`", it.name)).collect();
    format!("object: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields with the row that each has.
    fn each(prefix: &str, fields: &'static [Field], found: &mut Vec<(String, &'static Field)>) {
        for field in fields {
            found.push((row(prefix, field), field));
            if let FieldType::Object(inner) | FieldType::List(inner) = field.kind {
                let is_part = linked(inner).is_some();
                let prefix =
                    if is_part { String::new() } else { format!("{prefix}{}.", field.name) };
                each(&prefix, inner, found);
            }
        }
    }

    #[test]
    fn each_rule_of_each_field_has_its_sentence_on_the_page() {
        let page = page().text;
        let mut found = Vec::new();
        for entry in registry::all() {
            each("", entry.object.fields, &mut found);
        }
        for (_, fields) in PARTS {
            each("", fields, &mut found);
        }
        let mut n_sentences = 0;
        for (row, field) in &found {
            assert!(page.contains(row.as_str()), "{row}");
            assert!(field.judge.is_none(), "{}: `shaped` has a sentence", field.name);
            for sentence in sentences::of(field) {
                n_sentences += 1;
                assert!(row.contains(&sentence.replace('|', "\\|")), "{}: {sentence}", field.name);
            }
        }
        assert!(found.len() > 500 && n_sentences > 500, "{} {n_sentences}", found.len());
    }
}
