//! Host prototypes: their fields, described once.
//!
//! The API checks and answers by these fields, imports read and exports write by them ([`IN_FILES`]). How a prototype
//! is kept follows from its content ([`HostPrototypeContent`]), what may differ on inherited ones from its overrides:
//! tests compare both with the description. Rules beyond single fields are in
//! `editor/hostprototype.rs`.

use model::content::HostPrototypeContent;
use model::content_field::{ContentField, FieldValue};
use model::describe::{FLAG, Field, FieldType, Rule};

use super::in_file::{FileOrder, InFile};
use super::names::{DISCOVER as DISCOVER_NAMES, ENABLED, INVENTORY_MODES, NO_YES};
use super::parts;

/// A field of host prototypes.
pub type HostPrototypeField = ContentField<HostPrototypeContent>;

const NAME_TEXT: FieldType = FieldType::Text { max: 128 };

pub const HOST: HostPrototypeField = HostPrototypeField::new(
    Field::new("host", NAME_TEXT, Rule::Required, "Technical name, with LLD macros"),
    |it| FieldValue::Text(&it.host),
);
pub const NAME: HostPrototypeField = HostPrototypeField::new(
    Field::new("name", NAME_TEXT, Rule::Optional, "Visible name; the technical one if left out")
        .never_empty(),
    |it| FieldValue::Text(&it.name),
);
pub const STATUS: HostPrototypeField = HostPrototypeField::new(
    Field::new("status", FLAG, Rule::Default("0"), "Of new hosts: 0 monitored, 1 not")
        .overridable(),
    |it| FieldValue::code(it.status.code()),
);
pub const DISCOVER: HostPrototypeField =
    HostPrototypeField::new(parts::discover("0: rows make hosts, 1: they don't"), |it| {
        // The API writes 0 for yes.
        FieldValue::Flag(!it.discover)
    });
pub const INVENTORY_MODE: HostPrototypeField = HostPrototypeField::new(
    Field::new(
        "inventory_mode",
        FieldType::Code(&[-1, 0, 1]),
        Rule::Default("-1"),
        "-1 disabled, 0 manual, 1 automatic",
    ),
    |it| FieldValue::Number(it.inventory_mode),
);
pub const CUSTOM_INTERFACES: HostPrototypeField = HostPrototypeField::new(
    Field::new(
        "custom_interfaces",
        FLAG,
        Rule::Default("0"),
        "0: interfaces of the host that the rule is on, 1: its own",
    ),
    |it| FieldValue::Flag(it.custom_interfaces),
);
pub const UUID: HostPrototypeField = HostPrototypeField::new(
    Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports"),
    |it| FieldValue::Text(&it.uuid),
);

/// Fields of the API that stand for themselves, in its order; the identity follows them.
pub const FIELDS: [HostPrototypeField; 6] =
    [HOST, NAME, STATUS, DISCOVER, INVENTORY_MODE, CUSTOM_INTERFACES];

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HostPrototypePart {
    Uuid,
    GroupLinks,
    GroupPrototypes,
    Templates,
    Macros,
    Tags,
    Interfaces,
}

use HostPrototypePart as Part;
use InFile::{Field as F, Part as P};

/// In Zabbix's order.
pub(crate) const IN_FILES: FileOrder<HostPrototypeContent, HostPrototypePart> = &[&[
    P(Part::Uuid),
    F(HOST),
    F(NAME),
    F(STATUS.named(ENABLED)),
    F(DISCOVER.named(DISCOVER_NAMES)),
    P(Part::GroupLinks),
    P(Part::GroupPrototypes),
    P(Part::Templates),
    P(Part::Macros),
    P(Part::Tags),
    F(CUSTOM_INTERFACES.named(NO_YES)),
    P(Part::Interfaces),
    F(INVENTORY_MODE.named(INVENTORY_MODES)),
]];

/// A field as a file has it, where the mode of the inventory that a file means by none is another one.
pub(crate) fn in_file(field: &Field, inventory_mode: &'static str) -> Field {
    match field.name {
        it if it == INVENTORY_MODE.field.name => {
            Field { rule: Rule::Default(inventory_mode), ..*field }
        }
        _ => *field,
    }
}

#[cfg(test)]
mod tests {
    use model::content::HostPrototypeOverrides;

    use super::super::description_checks;
    use super::*;

    /// Members that name other objects or are lists. A content without renamed groups does not write `group_keys`.
    const OTHERS: &[&str] =
        &["groups", "group_names", "templates", "macros", "tags", "interfaces", "ruleid"];

    fn described() -> Vec<HostPrototypeField> {
        [&FIELDS[..], &[UUID]].concat()
    }

    #[test]
    fn content_has_the_members_and_defaults_of_the_description() {
        description_checks::of_content(&described(), OTHERS);
    }

    #[test]
    fn inherited_prototype_fields_match_overrides() {
        description_checks::of_overrides(&described(), &[], HostPrototypeOverrides::FIELDS);
    }

    #[test]
    fn files_have_each_field_that_stands_for_itself() {
        description_checks::of_files(&described(), &[IN_FILES], &[UUID.field.name]);
    }
}
