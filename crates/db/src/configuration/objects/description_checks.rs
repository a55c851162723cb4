//! Checks of each description by tests: it matches contents, overrides and files.

use std::collections::BTreeSet;

use model::content_field::ContentField;
use model::describe::{Inherited, Rule};
use serde::Serialize;
use serde_json::Value as Json;

use super::in_file::{FileOrder, InFile};

/// Each field is a member of the content, is read of it and has its default; each member but `others` is described.
pub(super) fn of_content<C: Default + Serialize>(described: &[ContentField<C>], others: &[&str]) {
    let default = C::default();
    let Ok(Json::Object(content)) = serde_json::to_value(&default) else { panic!("an object") };
    for it in described {
        let name = it.field.name;
        let read = it.text_of(&default);
        let kept = content.get(name).unwrap_or_else(|| panic!("{name} is kept"));
        let kept = match kept {
            Json::String(text) => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            // Lists, and flags that the API writes the other way round.
            _ => None,
        };
        if kept.is_some() {
            assert_eq!(kept.as_deref(), read.as_deref(), "{name} is read");
        }
        let default = match it.field.rule {
            Rule::Default(expected) => Some(expected),
            _ => it.field.implied,
        };
        if default.is_some() {
            assert_eq!(read.as_deref(), default, "{name}");
        }
    }
    let is_described = |name: &str| described.iter().any(|it| it.field.name == name);
    for name in content.keys().map(String::as_str) {
        assert!(is_described(name) != others.contains(&name), "{name} is described");
    }
    for name in others {
        assert!(content.contains_key(*name), "{name} is no member any more");
    }
}

/// Fields that files leave out have the defaults of the content.
pub(super) fn of_defaults<C, P>(default: &C, order: FileOrder<C, P>) {
    for place in order.iter().copied().flatten() {
        let (InFile::Field(it) | InFile::OfPrototypes(it)) = place else { continue };
        if let Rule::Default(expected) = it.field.rule {
            assert_eq!(it.text_of(default).as_deref(), Some(expected), "{}", it.field.name);
        }
    }
}

/// Fields that may differ on inherited objects are those of overrides: fields, and `lists` that
/// have descriptions of their own.
pub(super) fn of_overrides<C>(
    described: &[ContentField<C>],
    lists: &[&'static str],
    overrides: &[&'static str],
) {
    let overridable = described.iter().filter(|it| it.field.inherited == Inherited::Override);
    let mut overridable: BTreeSet<&str> = overridable.map(|it| it.field.name).collect();
    overridable.extend(lists);
    assert_eq!(overridable, overrides.iter().copied().collect());
}

/// Each field has its place in files, but those that stand there in a form of their own (`parts`) or not at all.
pub(super) fn of_files<C, P>(
    described: &[ContentField<C>],
    orders: &[FileOrder<C, P>],
    parts: &[&str],
) {
    let places = orders.iter().copied().flatten().copied().flatten();
    let in_files: BTreeSet<&str> = places
        .filter_map(|it| match it {
            InFile::Field(it) | InFile::OfPrototypes(it) => Some(it.field.name),
            InFile::Part(_) => None,
        })
        .collect();
    for name in described.iter().map(|it| it.field.name) {
        assert!(in_files.contains(name) != parts.contains(&name), "{name} has its place in files");
    }
}
