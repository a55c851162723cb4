//! Triggers and trigger prototypes: their fields, described once.
//!
//! The API checks and answers by these fields, imports read and exports write by them ([`IN_FILES`]). How a trigger is
//! kept follows from its content ([`TriggerContent`]), what may differ on inherited ones from its overrides: tests
//! compare both with the description. Rules beyond single fields (expressions, dependencies, modes)
//! are in `editor/trigger.rs` and in the rules of the API.

use model::content::TriggerContent;
use model::content_field::{ContentField, FieldValue};
use model::describe::{Depends, FLAG, Field, FieldType, Rule, When};

use super::in_file::{FileOrder, InFile};
use super::names::{
    CORRELATION_MODES, DISCOVER as DISCOVER_NAMES, ENABLED, NO_YES, RECOVERY_MODES, SEVERITIES,
    TRIGGER_TYPES,
};
use super::parts::{self, LINE, LONG, NAME};

/// A field of triggers or their prototypes.
pub type TriggerField = ContentField<TriggerContent>;

/// The name.
pub const DESCRIPTION: TriggerField = TriggerField::new(
    Field::new("description", NAME, Rule::Required, "Name; may hold macros"),
    |it| FieldValue::Text(&it.description),
);
pub const EXPRESSION: Field = Field::new("expression", LONG, Rule::Required, "Problem expression");
pub const EVENT_NAME: TriggerField = TriggerField::new(
    Field::new("event_name", FieldType::Text { max: 2_048 }, Rule::Default(""), "Name of events")
        .overridable(),
    |it| FieldValue::Text(&it.event_name),
);
pub const OPDATA: TriggerField = TriggerField::new(
    Field::new("opdata", LINE, Rule::Default(""), "Operational data").overridable(),
    |it| FieldValue::Text(&it.opdata),
);
pub const COMMENTS: TriggerField = TriggerField::new(
    Field::new("comments", LONG, Rule::Default(""), "Description").overridable(),
    |it| FieldValue::Text(&it.comments),
);
pub const PRIORITY: TriggerField = TriggerField::new(
    Field::new(
        "priority",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "Severity: 0 not classified … 5 disaster",
    )
    .overridable(),
    |it| FieldValue::code(it.priority.code()),
);
pub const STATUS: TriggerField = TriggerField::new(
    Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled").overridable(),
    |it| FieldValue::code(it.status.code()),
);
pub const TYPE: TriggerField = TriggerField::new(
    Field::new("type", FLAG, Rule::Default("0"), "1: each problem result creates an event")
        .overridable(),
    |it| FieldValue::Flag(it.multiple),
);
pub const URL: TriggerField = TriggerField::new(
    Field::new("url", FieldType::Text { max: 2_048 }, Rule::Default(""), "Address").overridable(),
    |it| FieldValue::Text(&it.url),
);
pub const URL_NAME: TriggerField = TriggerField::new(
    Field::new("url_name", FieldType::Text { max: 64 }, Rule::Default(""), "Label of the address")
        .overridable(),
    |it| FieldValue::Text(&it.url_name),
);
pub const RECOVERY_MODE: TriggerField = TriggerField::new(
    Field::new(
        "recovery_mode",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 expression, 1 recovery expression, 2 none",
    ),
    |it| FieldValue::code(it.recovery_mode.code()),
);
pub const RECOVERY_EXPRESSION: Field =
    Field::new("recovery_expression", LONG, Rule::Default(""), "With recovery mode 1")
        .depends(&Depends::goes_with(&[When::of("recovery_mode", &["1"])]));
pub const CORRELATION_MODE: TriggerField = TriggerField::new(
    Field::new("correlation_mode", FLAG, Rule::Default("0"), "OK ends 0 all, 1 those of a tag"),
    |it| FieldValue::code(it.correlation_mode.code()),
);
pub const CORRELATION_TAG: TriggerField = TriggerField::new(
    Field::new("correlation_tag", LINE, Rule::Default(""), "The tag of mode 1")
        .depends(&Depends::goes_with(&[When::of("correlation_mode", &["1"])])),
    |it| FieldValue::Text(&it.correlation_tag),
);
pub const MANUAL_CLOSE: TriggerField = TriggerField::new(
    Field::new("manual_close", FLAG, Rule::Default("0"), "1: users may close problems"),
    |it| FieldValue::Flag(it.manual_close),
);
pub const UUID: TriggerField = TriggerField::new(parts::UUID, |it| FieldValue::Text(&it.uuid));
/// Of prototypes.
pub const DISCOVER: TriggerField =
    TriggerField::new(parts::discover("0: rows make triggers, 1: they don't"), |it| {
        // The API writes 0 for yes.
        FieldValue::Flag(!it.discover)
    });

/// Fields of the API that stand for themselves, between the description and the recovery expression.
pub const FIRST: [TriggerField; 6] = [PRIORITY, STATUS, TYPE, URL, URL_NAME, RECOVERY_MODE];
/// Behind the recovery expression.
pub const LAST: [TriggerField; 3] = [CORRELATION_MODE, CORRELATION_TAG, MANUAL_CLOSE];

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TriggerPart {
    Uuid,
    Expression,
    RecoveryExpression,
    Dependencies,
    Tags,
}

use InFile::{Field as F, OfPrototypes, Part as P};

/// In Zabbix's order.
pub(crate) const IN_FILES: FileOrder<TriggerContent, TriggerPart> = &[&[
    P(TriggerPart::Uuid),
    P(TriggerPart::Expression),
    F(RECOVERY_MODE.named(RECOVERY_MODES)),
    P(TriggerPart::RecoveryExpression),
    F(DESCRIPTION.tagged("name")),
    F(EVENT_NAME),
    F(OPDATA),
    F(CORRELATION_MODE.named(CORRELATION_MODES)),
    F(CORRELATION_TAG),
    F(URL_NAME),
    F(URL),
    F(STATUS.named(ENABLED)),
    OfPrototypes(DISCOVER.named(DISCOVER_NAMES)),
    F(PRIORITY.named(SEVERITIES)),
    F(COMMENTS.tagged("description")),
    F(TYPE.named(TRIGGER_TYPES)),
    F(MANUAL_CLOSE.named(NO_YES)),
    P(TriggerPart::Dependencies),
    P(TriggerPart::Tags),
]];

#[cfg(test)]
mod tests {
    use model::content::TriggerOverrides;

    use super::super::description_checks;
    use super::*;

    /// Members that name other objects, are kept in another form, or are lists.
    const OTHERS: &[&str] =
        &["expression", "recovery_expression", "functions", "tags", "dependencies", "ruleid"];

    fn described() -> Vec<TriggerField> {
        let alone = [DESCRIPTION, EVENT_NAME, OPDATA, COMMENTS, UUID, DISCOVER];
        [&alone[..], &FIRST, &LAST].concat()
    }

    #[test]
    fn content_has_the_members_and_defaults_of_the_description() {
        description_checks::of_content(&described(), OTHERS);
    }

    #[test]
    fn inherited_trigger_fields_match_overrides() {
        let api_name = |it: &'static str| if it == "multiple" { TYPE.field.name } else { it };
        let overrides: Vec<&str> = TriggerOverrides::FIELDS.iter().copied().map(api_name).collect();
        description_checks::of_overrides(&described(), &["tags", "dependencies"], &overrides);
    }

    #[test]
    fn files_have_each_field_that_stands_for_itself() {
        description_checks::of_files(&described(), &[IN_FILES], &[UUID.field.name]);
    }
}
