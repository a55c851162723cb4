//! Parts that several objects have: tags, user macros, interfaces, preprocessing steps.

use std::sync::Arc;

use db::objects::interface::{OF_ALL, OF_BULK, OF_COMMUNITIES, OF_VERSION_3, SnmpField};
use model::content::{HostMacro, MacroType, PreprocStep, SnmpDetails, Tag};
use model::limits;
use model::snapshot::Host;
use serde_json::{Value, json};

use crate::describe::{FLAG, Field, FieldType, Rule, count, flattened, joined};
use crate::json::Scalar;
use crate::objects::common::checks;
use crate::query::table::{self, PartColumn};
use crate::query::{Column, Output, RowFamily};
use crate::shared::Ctx;

pub(crate) const SEVERITY: FieldType = FieldType::Code(&[0, 1, 2, 3, 4, 5]);
pub(crate) const NAME: FieldType = FieldType::Text { max: limits::NAME_MAX };
pub(crate) const LONG: FieldType = FieldType::Text { max: limits::TEXT_FIELD_MAX };
pub(crate) const LINE: FieldType = FieldType::Text { max: 255 };
pub(crate) const UUID: FieldType = FieldType::Uuid;

/// Where objects of hosts come from.
pub(crate) const FLAGS: Field = Field::new(
    "flags",
    FieldType::Code(&[0, 2, 4]),
    Rule::ReadOnly,
    "0 plain, 2 prototype, 4 discovered",
);

/// Whether and when a discovered object was lost.
pub(crate) const LOST: [Field; 3] = [
    Field::new(
        "lastcheck",
        FieldType::Timestamp,
        Rule::ReadOnly,
        "When it was lost; 0: it still exists",
    ),
    Field::new("status", FLAG, Rule::ReadOnly, "1: lost"),
    Field::new("ts_delete", FieldType::Timestamp, Rule::ReadOnly, "When it will be deleted"),
];
/// Objects that are disabled before they are deleted have them, too.
pub(crate) const LOST_AND_DISABLED: [Field; 5] = joined(
    &LOST,
    &[
        Field::new("ts_disable", FieldType::Timestamp, Rule::ReadOnly, "When it will be disabled"),
        Field::new("disable_source", FLAG, Rule::ReadOnly, "1: discovery disabled it"),
    ],
);

/// Fields of parts that Zabbix knows and first versions of ours do not use: only the value that
/// means "not used" is taken.
pub(crate) const UNUSED_TEXT: FieldType = FieldType::Text { max: 0 };

const TAG_COLUMNS: [PartColumn<Tag>; 2] = [
    PartColumn::of_content(
        Field::new("tag", FieldType::Text { max: limits::TAG_MAX }, Rule::Required, "Name"),
        |it| Scalar::Text(&it.tag),
    ),
    PartColumn::of_content(
        Field::new("value", FieldType::Text { max: limits::TAG_MAX }, Rule::Default(""), "Value"),
        |it| Scalar::Text(&it.value),
    ),
];
/// Tags of hosts with their origin.
const HOST_TAG_COLUMNS: [PartColumn<Tag>; 3] = joined(
    &TAG_COLUMNS,
    &[PartColumn::of_content(
        Field::new("automatic", FLAG, Rule::Default("0"), "1 if discovery set it"),
        |_| Scalar::Flag(false),
    )],
);
pub(crate) const TAG: &[Field] = &table::fields::<_, { TAG_COLUMNS.len() }>(&TAG_COLUMNS);
pub(crate) const HOST_TAG: &[Field] =
    &table::fields::<_, { HOST_TAG_COLUMNS.len() }>(&HOST_TAG_COLUMNS);

pub(crate) fn tags(tags: &[Tag], output: &Output) -> Value {
    table::parts(&TAG_COLUMNS, &(), tags.iter(), output)
}

/// The tags of a host.
pub(crate) fn host_tags(host: &Host, output: &Output) -> Value {
    let mut written = table::parts(&HOST_TAG_COLUMNS, &(), host.tags.iter(), output);
    if let Value::Array(list) = &mut written {
        let tags = host.tags.iter().zip(list).filter(|(tag, _)| host.was_given_tag(tag));
        for automatic in tags.filter_map(|(_, it)| it.get_mut("automatic")) {
            *automatic = Value::from("1");
        }
    }
    written
}

/// User macros with their holders; `None`: global ones.
pub(crate) struct MacroFamily;

pub(crate) type MacroColumn = Column<MacroFamily>;
pub(crate) type MacroOfHolder<'a> = (Option<&'a Arc<Host>>, &'a HostMacro);

impl RowFamily for MacroFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = MacroOfHolder<'a>;
    type Content = HostMacro;

    fn content<'a>((_, it): Self::Row<'a>) -> &'a HostMacro {
        it
    }
}

pub(crate) const HOSTMACROID: MacroColumn =
    MacroColumn::of_content(Field::new("hostmacroid", FieldType::Id, Rule::ReadOnly, "Id"), |it| {
        Scalar::Id(it.hostmacroid.0)
    });

/// The holder of a macro; the rule differs by method.
pub(crate) const fn holder_of_macro(rule: Rule) -> MacroColumn {
    let field = Field::new("hostid", FieldType::Id, rule, "Host or template that it belongs to");
    let field = if matches!(rule, Rule::Required) { field.fixed() } else { field };
    MacroColumn::of_row(field, |_, (holder, _)| Scalar::Id(holder.map_or(0, |it| it.id.0)))
}

/// Of all macros.
pub(crate) const MACRO_COMMON: [MacroColumn; 4] = [
    MacroColumn::of_content(
        Field::new(
            "macro",
            FieldType::Text { max: limits::MACRO_NAME_MAX },
            Rule::Required,
            "Macro as written, with {$ and }",
        )
        .shaped(&checks::MACRO_SYNTAX),
        |it| Scalar::Text(&it.name),
    ),
    MacroColumn::of_content(
        Field::new(
            "type",
            FieldType::Code(&[0, 1, 2]),
            Rule::Default("0"),
            "0 text, 1 secret, 2 vault",
        ),
        |it| Scalar::code(it.kind.code()),
    ),
    MacroColumn::of_content(
        Field::new(
            "value",
            FieldType::Text { max: limits::MACRO_VALUE_MAX },
            Rule::Required,
            "Value",
        )
        .or_empty(),
        |it| Scalar::Text(if it.kind == MacroType::Secret { "" } else { &it.value }),
    ),
    MacroColumn::of_content(
        Field::new("description", LONG, Rule::Default(""), "Description"),
        |it| Scalar::Text(&it.description),
    ),
];
/// Macros as new ones are given to several holders.
pub(crate) const NEW_MACRO: &[Field] = &table::fields::<_, { MACRO_COMMON.len() }>(&MACRO_COMMON);
const AUTOMATIC: Field =
    Field::new("automatic", FLAG, Rule::Default("0"), "1 if discovery made it");

const fn automatic(field: Field) -> MacroColumn {
    MacroColumn::of_row(field, |_, (holder, it)| {
        Scalar::Flag(holder.is_some_and(|of| of.was_given_macro(&it.name)))
    })
}

/// Of macros of hosts and templates.
const MACRO_OF_HOST: [MacroColumn; 5] = joined(&MACRO_COMMON, &[automatic(AUTOMATIC)]);
/// The same of macros that are created one by one.
pub(crate) const MACRO_ALONE: [MacroColumn; 5] =
    joined(&MACRO_COMMON, &[automatic(AUTOMATIC.update_only())]);
/// Of macros of host prototypes, which belong to no host yet.
const PROTOTYPE_MACRO_COLUMNS: [MacroColumn; 5] = joined(&[HOSTMACROID], &MACRO_COMMON);
pub(crate) const MACRO_OF_PROTOTYPE: &[Field] =
    &table::fields::<_, { PROTOTYPE_MACRO_COLUMNS.len() }>(&PROTOTYPE_MACRO_COLUMNS);
const MACRO_COLUMNS: [MacroColumn; 7] =
    joined(&[HOSTMACROID, holder_of_macro(Rule::ReadOnly)], &MACRO_OF_HOST);
pub(crate) const MACRO: &[Field] = &table::fields::<_, { MACRO_COLUMNS.len() }>(&MACRO_COLUMNS);

/// Of a secret macro not even an empty value is answered.
pub(crate) fn has_field(it: &HostMacro, name: &str) -> bool {
    name != "value" || it.kind != MacroType::Secret
}

/// The macros of a host or template.
pub(crate) fn macros(ctx: &Ctx, holder: &Arc<Host>, output: &Output) -> Value {
    let macros = holder.macros.iter();
    let rows = macros.clone().map(|it| (Some(holder), it));
    let mut written = table::parts(&MACRO_COLUMNS, &ctx, rows, output);
    if let Value::Array(list) = &mut written {
        for (macro_, written) in macros.zip(list) {
            if let Value::Object(fields) = written {
                fields.retain(|name, _| has_field(macro_, name));
            }
        }
    }
    written
}

/// The macros of a host prototype.
pub(crate) fn macros_of(ctx: &Ctx, macros: &[HostMacro], output: &Output) -> Value {
    let rows = macros.iter().map(|it| (None, it));
    let mut written = table::parts(&PROTOTYPE_MACRO_COLUMNS, &ctx, rows, output);
    if let Value::Array(list) = &mut written {
        for (macro_, written) in macros.iter().zip(list) {
            if let Value::Object(fields) = written {
                fields.retain(|name, _| has_field(macro_, name));
            }
        }
    }
    written
}

type DetailColumn = PartColumn<SnmpDetails>;

const DETAILS_OF_ALL: [DetailColumn; OF_ALL.len()] = table::described(&OF_ALL);
const DETAILS_OF_COMMUNITIES: [DetailColumn; OF_COMMUNITIES.len()] =
    table::described(&OF_COMMUNITIES);
const DETAILS_OF_BULK: [DetailColumn; OF_BULK.len()] = table::described(&OF_BULK);
const DETAILS_OF_VERSION_3: [DetailColumn; OF_VERSION_3.len()] = table::described(&OF_VERSION_3);
const DETAIL_LISTS: &[&[DetailColumn]] =
    &[&DETAILS_OF_ALL, &DETAILS_OF_COMMUNITIES, &DETAILS_OF_BULK, &DETAILS_OF_VERSION_3];
const DETAIL_COLUMNS: [DetailColumn; count(DETAIL_LISTS)] = flattened(DETAIL_LISTS);
pub(crate) const DETAILS: &[Field] = &table::fields::<_, { DETAIL_COLUMNS.len() }>(&DETAIL_COLUMNS);

/// SNMP details as Zabbix returns them: the fields of the version; `[]` without details.
pub(crate) fn details(details: Option<&SnmpDetails>) -> Value {
    let Some(it) = details else { return json!([]) };
    let used: [(&[SnmpField], bool); 4] = [
        (&OF_ALL, true),
        (&OF_COMMUNITIES, it.version != 3),
        (&OF_BULK, it.version != 1),
        (&OF_VERSION_3, it.version == 3),
    ];
    let fields = used.into_iter().filter(|(_, is_used)| *is_used).flat_map(|(it, _)| it);
    let names = fields.map(|it| it.field.name);
    names.map(|name| (name, table::scalar(&DETAIL_COLUMNS, &(), it, name).value())).collect()
}

/// A step; rules have fewer kinds of them.
const fn step(kinds: &'static [i64]) -> [PartColumn<PreprocStep>; 4] {
    [
        PartColumn::of_content(
            Field::new(
                "type",
                FieldType::Code(kinds),
                Rule::Required,
                "Kind of step, by Zabbix's codes",
            ),
            |it| Scalar::code(it.kind.code()),
        ),
        PartColumn::of_content(
            Field::new(
                "params",
                LONG,
                Rule::Optional,
                "Parameters, one a line, if the kind has any",
            ).implied(""),
            |it| Scalar::Text(&it.params),
        ),
        PartColumn::of_content(
            Field::new(
                "error_handler",
                FieldType::Code(&[0, 1, 2, 3]),
                Rule::Optional,
                "On failure, of kinds that may fail: 0 error, 1 discard the value, 2 set a value, 3 set an \
                 error",
            ).implied("0")
            .judged_later(),
            |it| Scalar::code(it.error_handler.code()),
        ),
        PartColumn::of_content(
            Field::new("error_handler_params", LINE, Rule::Optional, "The value or error to set").implied(""),
            |it| Scalar::Text(&it.error_handler_params),
        ),
    ]
}

const STEP_COLUMNS: [PartColumn<PreprocStep>; 4] = step(&[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27, 28, 29, 30, 1001, 1002, 1003,
]);
pub(crate) const STEP: &[Field] = &table::fields::<_, 4>(&STEP_COLUMNS);
pub(crate) const RULE_STEP: &[Field] =
    &table::fields::<_, 4>(&step(&[5, 11, 12, 14, 15, 16, 17, 20, 21, 23, 24, 25, 27, 28, 29, 30]));

pub(crate) fn preprocessing(steps: &[PreprocStep], output: &Output) -> Value {
    table::parts(&STEP_COLUMNS, &(), steps.iter(), output)
}

/// A reference `{groupid}`, `{templateid}` and so on.
macro_rules! reference {
    ($name:ident, $id:literal) => {
        pub(crate) const $name: &[Field] = &[Field::new($id, FieldType::Id, Rule::Required, "Id")];
    };
}
reference!(GROUP_REF, "groupid");
reference!(TEMPLATE_REF, "templateid");
reference!(HOST_REF, "hostid");
reference!(TRIGGER_REF, "triggerid");
reference!(USER_REF, "userid");
reference!(USER_GROUP_REF, "usrgrpid");
