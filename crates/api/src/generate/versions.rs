//! The guide's page of differences between versions: its introduction is written by hand, the rows are those
//! of the descriptions.

use model::version::{GENERAL, Version, Versions};

use super::common::Page;
use crate::describe::{Field, FieldType, Gives, Object};
use crate::registry;

const PATH: &str = "docs/user/api-versions.md";
const INTRODUCTION: &str = include_str!("versions.md");
const BEHIND: &str = include_str!("versions_missing.md");

/// Something that not all versions have.
struct Row {
    place: String,
    what: String,
    versions: Versions,
}

pub(super) fn page() -> Page {
    let mut text = INTRODUCTION.to_owned();
    text.push_str("\n## All methods\n\n");
    for row in GENERAL {
        text.push_str(&format!("- {} ({}).\n", row.doc, row.versions));
    }
    text.push_str("\n## Methods and objects\n\n");
    let names: Vec<String> = Version::ALL.iter().map(ToString::to_string).collect();
    text.push_str(&format!("| where | what | {} |\n|---|---|", names.join(" | ")));
    text.push_str(&"---|".repeat(names.len()));
    text.push('\n');
    for Row { place, what, versions } in rows() {
        let held = Version::ALL.iter().map(|it| if versions.has(*it) { "yes" } else { "" });
        let held: Vec<&str> = held.collect();
        text.push_str(&format!("| {place} | {what} | {} |\n", held.join(" | ")));
    }
    text.push_str(BEHIND);
    Page { path: PATH.to_owned(), text }
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for entry in registry::all() {
        for method in entry.methods() {
            push(&mut rows, "methods", format!("`{}`", method.name), method.versions);
        }
        of_object(&mut rows, entry.object);
    }
    rows
}

fn of_object(rows: &mut Vec<Row>, object: &'static Object) {
    of_fields(rows, object.type_name, "", object.fields);
    let get = format!("`{}.get`", object.name);
    for select in object.selects {
        let what = format!("`{}`, which adds `{}`", select.param, select.property);
        push(rows, &get, what, select.versions);
        if let Gives::Parts(fields) | Gives::Part(fields) = select.gives
            && object.field(select.property).is_none()
        {
            of_fields(rows, object.type_name, &format!("{}.", select.property), fields);
        }
    }
    for (name, versions) in object.params.by_version {
        push(rows, &get, format!("`{name}`"), *versions);
    }
    if let Some((first, names)) = object.params.checked_since {
        let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
        let what = format!("wrong values of {} are refused", names.join(", "));
        push(rows, &get, what, Versions::since(first));
    }
    if let Some(first) = object.params.without_id_since {
        let what = format!("`{}` is returned only if it is requested", object.id);
        push(rows, &get, what, Versions::since(first));
    }
}

fn of_fields(rows: &mut Vec<Row>, place: &str, prefix: &str, fields: &[Field]) {
    for field in fields {
        let name = format!("{prefix}{}", field.name);
        push(rows, place, format!("field `{name}`"), field.versions);
        for (code, versions) in field.codes_by_version.0 {
            push(rows, place, format!("`{name}` {code}"), *versions);
        }
        if let FieldType::Object(inner) | FieldType::List(inner) = field.kind {
            of_fields(rows, place, &format!("{name}."), inner);
        }
    }
}

fn push(rows: &mut Vec<Row>, place: &str, what: String, versions: Versions) {
    if versions != Versions::ALL {
        rows.push(Row { place: place.to_owned(), what, versions });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_each_version_are_on_the_page() {
        let rows = rows();
        for pair in Version::ALL.windows(2) {
            let [one, two] = pair else { continue };
            let differs = rows.iter().any(|it| it.versions.has(*one) != it.versions.has(*two));
            assert!(differs, "{one} and {two}");
        }
        let text = page().text;
        for row in &rows {
            assert!(text.contains(&format!("| {} | {} |", row.place, row.what)), "{}", row.what);
        }
        for row in GENERAL {
            assert!(text.contains(row.doc), "{}", row.doc);
        }
    }
}
