//! Types of fields, and parts, that several objects of hosts and templates have.

use model::describe::{FLAG, Field, FieldType, Rule};
use model::limits;

pub(crate) const NAME: FieldType = FieldType::Text { max: limits::NAME_MAX };
pub(crate) const LINE: FieldType = FieldType::Text { max: 255 };
pub(crate) const LONG: FieldType = FieldType::Text { max: limits::TEXT_FIELD_MAX };

/// Of what templates have, and hosts hold by themselves.
pub(crate) const UUID: Field =
    Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports of templates");

/// Of prototypes: whether rows make objects of them. The API writes 0 for yes.
pub(crate) const fn discover(doc: &'static str) -> Field {
    Field::new("discover", FLAG, Rule::Default("0"), doc).overridable()
}

/// A header or query field of an item: how long all of them are counts, not how long one is.
pub const LINE_OF_REQUEST: &[Field] = &[
    Field::new("name", FieldType::Text { max: limits::TEXT_FIELD_MAX }, Rule::Required, "Name"),
    Field::new("value", FieldType::Text { max: limits::TEXT_FIELD_MAX }, Rule::Required, "Value")
        .or_empty(),
];

/// A header, query field, parameter or variable.
pub const PAIR: &[Field] = &[
    Field::new("name", LINE, Rule::Required, "Name"),
    Field::new("value", FieldType::Text { max: 2_048 }, Rule::Required, "Value").or_empty(),
];
