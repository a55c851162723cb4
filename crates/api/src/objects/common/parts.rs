//! Parts that several objects have: tags, user macros, interfaces, preprocessing steps.

use model::content::{HostMacro, MacroType, PreprocStep, SnmpDetails, Tag};
use model::limits;
use model::snapshot::Host;
use serde_json::{Map, Value, json};

use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::json::{self, empty, flag, number, text};
use crate::query::Output;

pub(crate) const SEVERITY: FieldType = FieldType::Code(&[0, 1, 2, 3, 4, 5]);
pub(crate) const NAME: FieldType = FieldType::Text { max: limits::NAME_MAX };
pub(crate) const LONG: FieldType = FieldType::Text { max: limits::TEXT_FIELD_MAX };
pub(crate) const LINE: FieldType = FieldType::Text { max: 255 };
pub(crate) const UUID: FieldType = FieldType::Uuid;

/// Fields of parts that Zabbix knows and first versions of ours do not use: only the value that
/// means "not used" is taken.
pub(crate) const UNUSED_TEXT: FieldType = FieldType::Text { max: 0 };

pub(crate) const TAG: &[Field] = &[
    Field::new("tag", FieldType::Text { max: limits::TAG_MAX }, Rule::Required, "Name"),
    Field::new("value", FieldType::Text { max: limits::TAG_MAX }, Rule::Default(""), "Value"),
];

/// Tags of hosts know who set them.
pub(crate) const HOST_TAG: &[Field] = &[
    Field::new("tag", FieldType::Text { max: limits::TAG_MAX }, Rule::Required, "Name"),
    Field::new("value", FieldType::Text { max: limits::TAG_MAX }, Rule::Default(""), "Value"),
    Field::new("automatic", FLAG, Rule::Default("0"), "1 if discovery set it"),
];

pub(crate) fn tags(fields: &[Field], tags: &[Tag], output: &Output) -> Value {
    json::parts(fields, tags.iter(), output, |it, field| match field {
        "tag" => text(it.tag.as_str()),
        "value" => text(it.value.as_str()),
        _ => text("0"),
    })
}

pub(crate) const MACRO: &[Field] = &[
    Field::new("hostmacroid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("hostid", FieldType::Id, Rule::ReadOnly, "Host or template that it belongs to"),
    Field::new(
        "macro",
        FieldType::Text { max: limits::MACRO_NAME_MAX },
        Rule::Required,
        "Macro as written, with {$ and }",
    ),
    Field::new("value", FieldType::Text { max: limits::MACRO_VALUE_MAX }, Rule::Required, "Value")
        .or_empty(),
    Field::new(
        "type",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 text, 1 secret, 2 vault",
    ),
    Field::new("description", LONG, Rule::Default(""), "Description"),
    Field::new("automatic", FLAG, Rule::Default("0"), "1 if discovery made it"),
];

/// A field of a user macro; the value of a secret one is not told.
pub(crate) fn macro_field(it: &HostMacro, field: &str) -> Value {
    match field {
        "hostmacroid" | "globalmacroid" => number(it.hostmacroid),
        "macro" => text(it.name.as_str()),
        "value" if it.kind == MacroType::Secret => empty(),
        "value" => text(it.value.as_str()),
        "type" => number(it.kind.code()),
        "description" => text(it.description.as_str()),
        _ => text("0"),
    }
}

/// The macros of a host or template.
pub(crate) fn macros(holder: &Host, output: &Output) -> Value {
    let macros = holder.macros.iter();
    let mut written = json::parts(MACRO, macros.clone(), output, |it, field| match field {
        "hostid" => number(holder.id),
        _ => macro_field(it, field),
    });
    if let Value::Array(list) = &mut written {
        for (macro_, written) in macros.zip(list) {
            if let (MacroType::Secret, Value::Object(it)) = (macro_.kind, written) {
                it.remove("value");
            }
        }
    }
    written
}

pub(crate) const DETAILS: &[Field] = &[
    Field::new("version", FieldType::Code(&[1, 2, 3]), Rule::Required, "1, 2 (v2c) or 3"),
    Field::new("bulk", FLAG, Rule::Default("1"), "1: several values in one request"),
    Field::new("community", LINE, Rule::Default(""), "Of versions 1 and 2c"),
    Field::new(
        "max_repetitions",
        FieldType::Int { min: 1, max: 2_147_483_647 },
        Rule::Default("10"),
        "Of GETBULK",
    ),
    Field::new("securityname", LINE, Rule::Default(""), "Of version 3"),
    Field::new(
        "securitylevel",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 noAuthNoPriv, 1 authNoPriv, 2 authPriv",
    ),
    Field::new("authpassphrase", LINE, Rule::Default(""), "Of version 3"),
    Field::new("privpassphrase", LINE, Rule::Default(""), "Of version 3"),
    Field::new(
        "authprotocol",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512",
    ),
    Field::new(
        "privprotocol",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C",
    ),
    Field::new("contextname", LINE, Rule::Default(""), "Of version 3"),
];

/// SNMP details as Zabbix answers them: what the version uses; `[]` without details.
pub(crate) fn details(details: Option<&SnmpDetails>) -> Value {
    let Some(it) = details else { return json!([]) };
    let mut written = Map::new();
    let mut put = |name: &str, value: Value| {
        written.insert(name.to_owned(), value);
    };
    put("version", number(it.version));
    put("bulk", flag(it.bulk));
    if it.version != 1 {
        put("max_repetitions", number(it.max_repetitions));
    }
    if it.version == 3 {
        put("securityname", text(it.securityname.as_str()));
        put("securitylevel", number(it.securitylevel));
        put("authpassphrase", text(it.authpassphrase.as_str()));
        put("privpassphrase", text(it.privpassphrase.as_str()));
        put("authprotocol", number(it.authprotocol));
        put("privprotocol", number(it.privprotocol));
        put("contextname", text(it.contextname.as_str()));
    } else {
        put("community", text(it.community.as_str()));
    }
    Value::Object(written)
}

/// A step; rules have fewer kinds of them.
const fn step(kinds: &'static [i64]) -> [Field; 4] {
    [
        Field::new(
            "type",
            FieldType::Code(kinds),
            Rule::Required,
            "Kind of step, by Zabbix's codes",
        ),
        Field::new("params", LONG, Rule::Optional, "Parameters, one a line, if the kind has any"),
        Field::new(
            "error_handler",
            FieldType::Code(&[0, 1, 2, 3]),
            Rule::Optional,
            "On failure, of kinds that may fail: 0 error, 1 discard the value, 2 set a value, 3 set an \
             error",
        ),
        Field::new("error_handler_params", LINE, Rule::Optional, "The value or error to set"),
    ]
}

pub(crate) const STEP: &[Field] = &step(&[
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27, 28, 29, 30, 1001, 1002, 1003,
]);
pub(crate) const RULE_STEP: &[Field] =
    &step(&[5, 11, 12, 14, 15, 16, 17, 20, 21, 23, 24, 25, 27, 28, 29, 30]);

pub(crate) fn preprocessing(steps: &[PreprocStep], output: &Output) -> Value {
    json::parts(STEP, steps.iter(), output, |it, field| match field {
        "type" => number(it.kind.code()),
        "params" => text(it.params.as_str()),
        "error_handler" => number(it.error_handler.code()),
        _ => text(it.error_handler_params.as_str()),
    })
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
