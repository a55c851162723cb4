//! Common parts of the generated pages: parts with a name, and the lookup of objects.

use crate::describe::{Field, Rule};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::parts;
use crate::objects::hosts::interface;
use crate::objects::hosts::inventory;
use crate::objects::items::discoveryrule;
use crate::objects::items::itemprototype;
use crate::objects::items::overrides;
use crate::objects::problems::event;
use crate::objects::triggers::fields as trigger_fields;
use crate::objects::users::usergroup;
use crate::registry;

/// Everything below this folder is generated.
pub const TYPES_FOLDER: &str = "ui/src/api/generated";

/// A file of the repository that is written from the descriptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// From the root of the repository, with slashes.
    pub path: String,
    pub text: String,
}

/// Parts of several objects, or worth a name. Others are written in place.
pub(super) const PARTS: &[(&str, &[Field])] = &[
    ("EventAcknowledge", event::ACKNOWLEDGE),
    ("GroupRight", usergroup::RIGHT),
    ("HostMacro", parts::MACRO),
    ("HostTag", parts::HOST_TAG),
    ("InterfaceOfHost", interface::INTERFACE),
    ("Inventory", inventory::INVENTORY),
    ("LldFilter", overrides::FILTER),
    ("LldMacroPath", discoveryrule::MACRO_PATH),
    ("LldOverride", overrides::OVERRIDE),
    ("NamedValue", db::objects::parts::PAIR),
    ("PreprocessingStep", parts::STEP),
    ("SnmpDetails", parts::DETAILS),
    ("Tag", parts::TAG),
    ("TriggerFunction", trigger_fields::FUNCTION),
    ("ValueMapping", db::objects::valuemap::MAPPING),
];

pub(super) fn part_name(fields: &[Field]) -> Option<&'static str> {
    // Constants have no address that could be relied on.
    let same = |it: &[Field]| {
        it.len() == fields.len()
            && it.iter().zip(fields).all(|(one, two)| one.name == two.name && one.doc == two.doc)
    };
    PARTS.iter().find(|(_, it)| same(it)).map(|(name, _)| *name)
}

pub(super) fn entry_of(object: &str) -> &'static ObjectEntry {
    registry::entry(object).expect("selects name objects of the table")
}

/// The method of an entry for `create`, `update`, `delete` or `get`; those of global macros end
/// in `global`.
pub(crate) fn method_for(entry: &ObjectEntry, verb: &str) -> Option<&'static Method> {
    entry.methods().find(|it| {
        let own = it.name.split_once('.').map_or("", |(_, verb)| verb);
        own.strip_suffix("global").unwrap_or(own) == verb
    })
}

/// The name of the ids in the answer of `delete`.
pub(super) fn deleted_ids(object: &crate::describe::Object) -> &'static str {
    match object.name {
        it if it == discoveryrule::OBJECT.name => discoveryrule::DELETED_IDS,
        it if it == itemprototype::OBJECT.name => itemprototype::DELETED_IDS,
        _ => object.ids,
    }
}

/// Whether there is exactly one of it: it is stored, and has no id.
pub(super) fn is_single(object: &crate::describe::Object) -> bool {
    object.id.is_empty() && db::objects::named(object.name).is_some()
}

/// Fields that create or update take.
pub(super) fn is_input(field: &Field) -> bool {
    field.rule != Rule::ReadOnly
}

/// Other names than words are quoted.
pub(super) fn property(name: &str) -> String {
    let is_plain = name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    if is_plain { name.to_owned() } else { format!("{name:?}") }
}
