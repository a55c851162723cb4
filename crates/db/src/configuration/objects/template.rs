//! Templates: their fields of a holder, described once. Hosts, which are kept alike, are in
//! [`super::host`].
//!
//! The API checks and answers by these fields, imports read and exports write by them
//! ([`IN_FILES`]). Objects of templates have descriptions of their own.

use model::content_field::{ContentField, FieldValue};
use model::describe::{Field, FieldType, Rule};
use model::limits;
use model::snapshot::Host;

use super::in_file::{FileOrder, InFile, NoPart};
use super::parts::LONG;

/// A field of templates.
pub type TemplateField = ContentField<Host>;

pub const HOST: TemplateField = TemplateField::new(
    Field::new(
        "host",
        FieldType::Text { max: limits::HOST_NAME_MAX },
        Rule::Required,
        "Technical name",
    ),
    |it| FieldValue::Text(&it.host),
);
pub const NAME: TemplateField = TemplateField::new(
    Field::new(
        "name",
        FieldType::Text { max: limits::VISIBLE_NAME_MAX },
        Rule::Optional,
        "Visible name; the technical one if left out",
    )
    .never_empty(),
    |it| FieldValue::Text(&it.name),
);
pub const DESCRIPTION: TemplateField =
    TemplateField::new(Field::new("description", LONG, Rule::Default(""), "Description"), |it| {
        FieldValue::Text(&it.description)
    });
pub const UUID: TemplateField = TemplateField::new(
    Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports"),
    |it| FieldValue::Text(&it.uuid),
);
pub const VENDOR_NAME: TemplateField = TemplateField::new(
    Field::new(
        "vendor_name",
        FieldType::Text { max: 64 },
        Rule::Default(""),
        "Who made the template",
    ),
    |it| FieldValue::Text(it.vendor.as_deref().map_or("", |it| &it.name)),
);
pub const VENDOR_VERSION: TemplateField = TemplateField::new(
    Field::new(
        "vendor_version",
        FieldType::Text { max: 32 },
        Rule::Default(""),
        "Version of the template, as its maker counts",
    ),
    |it| FieldValue::Text(it.vendor.as_deref().map_or("", |it| &it.version)),
);

/// Fields of the API that stand for themselves, in its order: those before the groups, and after the macros.
pub const FIRST: [TemplateField; 3] = [HOST, NAME, DESCRIPTION];
pub const LAST: [TemplateField; 3] = [UUID, VENDOR_NAME, VENDOR_VERSION];

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TemplatePart {
    Uuid,
    Vendor,
    Templates,
    Groups,
    /// Items, rules and web scenarios with what is below them.
    Objects,
    Tags,
    Macros,
    Dashboards,
    ValueMaps,
}

use InFile::{Field as F, Part as P};

/// In Zabbix's order.
pub(crate) const IN_FILES: FileOrder<Host, TemplatePart> = &[&[
    P(TemplatePart::Uuid),
    F(HOST.tagged("template")),
    F(NAME),
    F(DESCRIPTION),
    P(TemplatePart::Vendor),
    P(TemplatePart::Templates),
    P(TemplatePart::Groups),
    P(TemplatePart::Objects),
    P(TemplatePart::Tags),
    P(TemplatePart::Macros),
    P(TemplatePart::Dashboards),
    P(TemplatePart::ValueMaps),
]];

/// The part of the vendor.
pub(crate) const VENDOR_IN_FILES: FileOrder<Host, NoPart> =
    &[&[F(VENDOR_NAME.tagged("name")), F(VENDOR_VERSION.tagged("version"))]];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::HostId;
    use model::snapshot::HolderKind;

    use super::super::description_checks;
    use super::*;

    #[test]
    fn a_new_template_has_the_defaults_of_the_description() {
        let template = Host::new(HostId(1), HolderKind::Template, Arc::from("a"), Arc::from("a"));
        description_checks::of_defaults(&template, IN_FILES);
        description_checks::of_defaults(&template, VENDOR_IN_FILES);
    }

    #[test]
    fn files_have_each_field_that_stands_for_itself() {
        let described = [FIRST, LAST].concat();
        let others = [UUID, VENDOR_NAME, VENDOR_VERSION].map(|it| it.field.name);
        description_checks::of_files(&described, &[IN_FILES], &others);
        description_checks::of_files(&[VENDOR_NAME, VENDOR_VERSION], &[VENDOR_IN_FILES], &[]);
    }
}
