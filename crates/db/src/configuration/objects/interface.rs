//! Interfaces of hosts and host prototypes, and how SNMP is spoken there: their fields, described once.
//!
//! The API checks and answers by these fields, imports read and exports write by them. Rules beyond
//! single fields (the default interface of a type, fields of a version of SNMP) are in the editor
//! and in the API.

use model::content::{Interface, SnmpDetails};
use model::content_field::{ContentField, FieldValue};
use model::describe::{Depends, FLAG, Field, FieldType, Rule, When};

use super::in_file::{FileOrder, InFile, NoPart};
use super::names::{
    INTERFACE_TYPES, NO_YES, SNMP_AUTH_PROTOCOLS, SNMP_PRIV_PROTOCOLS, SNMP_SECURITY_LEVELS,
    SNMP_VERSIONS,
};
use super::parts::LINE;

/// A field of interfaces.
pub type InterfaceField = ContentField<Interface>;
/// A field of how SNMP is spoken.
pub type SnmpField = ContentField<SnmpDetails>;

/// Zabbix's words for anything that is missing.
pub const MISSING: &str = "Incorrect arguments passed to function.";

pub const MAIN: InterfaceField = InterfaceField::new(
    Field::new("main", FLAG, Rule::Required, "1: the default interface of its type")
        .or_message(MISSING),
    |it| FieldValue::Flag(it.main),
);
pub const TYPE: InterfaceField = InterfaceField::new(
    Field::new(
        "type",
        FieldType::Code(&[1, 2, 3, 4]),
        Rule::Required,
        "1 agent, 2 SNMP, 3 IPMI, 4 JMX",
    )
    .or_message(MISSING),
    |it| FieldValue::code(it.kind.code()),
);
pub const USEIP: InterfaceField = InterfaceField::new(
    Field::new("useip", FLAG, Rule::Required, "1: connect by IP, 0: by DNS name")
        .or_message(MISSING),
    |it| FieldValue::Flag(it.useip),
);
pub const IP: InterfaceField = InterfaceField::new(
    Field::new("ip", LINE, Rule::Required, "IP address; may hold user macros")
        .or_empty()
        .or_message(MISSING),
    |it| FieldValue::Text(&it.ip),
);
pub const DNS: InterfaceField = InterfaceField::new(
    Field::new("dns", LINE, Rule::Required, "DNS name; may hold user macros")
        .or_empty()
        .or_message(MISSING),
    |it| FieldValue::Text(&it.dns),
);
pub const PORT: InterfaceField = InterfaceField::new(
    Field::new("port", FieldType::Text { max: 64 }, Rule::Required, "Port; may be a user macro")
        .or_empty()
        .or_number()
        .or_message(MISSING),
    |it| FieldValue::Text(&it.port),
);
/// All but the details of SNMP.
pub const FIELDS: [InterfaceField; 6] = [MAIN, TYPE, USEIP, IP, DNS, PORT];

pub const VERSION: SnmpField = SnmpField::new(
    Field::new("version", FieldType::Code(&[1, 2, 3]), Rule::Required, "1, 2 (v2c) or 3"),
    |it| FieldValue::Number(it.version),
);
pub const BULK: SnmpField = SnmpField::new(
    Field::new("bulk", FLAG, Rule::Default("1"), "1: several values in one request"),
    |it| FieldValue::Flag(it.bulk),
);
const WITH_VERSION_3: &Depends = &Depends::goes_with(&[When::of("version", &["3"])]);

pub const COMMUNITY: SnmpField = SnmpField::new(
    Field::new("community", LINE, Rule::Default(""), "Of versions 1 and 2c")
        .depends(&Depends::goes_with(&[When::of("version", &["1", "2"])])),
    |it| FieldValue::Text(&it.community),
);
pub const MAX_REPETITIONS: SnmpField = SnmpField::new(
    Field::new(
        "max_repetitions",
        FieldType::Int { min: 1, max: 2_147_483_647 },
        Rule::Default("10"),
        "Of GETBULK",
    )
    .depends(&Depends::goes_with(&[When::of("version", &["2", "3"])])),
    |it| FieldValue::Number(it.max_repetitions),
);
pub const SECURITYNAME: SnmpField = SnmpField::new(
    Field::new("securityname", LINE, Rule::Default(""), "Of version 3").depends(WITH_VERSION_3),
    |it| FieldValue::Text(&it.securityname),
);
pub const SECURITYLEVEL: SnmpField = SnmpField::new(
    Field::new(
        "securitylevel",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 noAuthNoPriv, 1 authNoPriv, 2 authPriv",
    )
    .depends(WITH_VERSION_3),
    |it| FieldValue::Number(it.securitylevel),
);
pub const AUTHPASSPHRASE: SnmpField = SnmpField::new(
    Field::new("authpassphrase", LINE, Rule::Default(""), "Of version 3").depends(WITH_VERSION_3),
    |it| FieldValue::Text(&it.authpassphrase),
);
pub const PRIVPASSPHRASE: SnmpField = SnmpField::new(
    Field::new("privpassphrase", LINE, Rule::Default(""), "Of version 3").depends(WITH_VERSION_3),
    |it| FieldValue::Text(&it.privpassphrase),
);
pub const AUTHPROTOCOL: SnmpField = SnmpField::new(
    Field::new(
        "authprotocol",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512",
    )
    .depends(WITH_VERSION_3),
    |it| FieldValue::Number(it.authprotocol),
);
pub const PRIVPROTOCOL: SnmpField = SnmpField::new(
    Field::new(
        "privprotocol",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Default("0"),
        "0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C",
    )
    .depends(WITH_VERSION_3),
    |it| FieldValue::Number(it.privprotocol),
);
pub const CONTEXTNAME: SnmpField = SnmpField::new(
    Field::new("contextname", LINE, Rule::Default(""), "Of version 3").depends(WITH_VERSION_3),
    |it| FieldValue::Text(&it.contextname),
);

/// Details of all versions.
pub const OF_ALL: [SnmpField; 2] = [VERSION, BULK];
/// Details of versions 1 and 2c.
pub const OF_COMMUNITIES: [SnmpField; 1] = [COMMUNITY];
/// Details of versions 2c and 3.
pub const OF_BULK: [SnmpField; 1] = [MAX_REPETITIONS];
pub const OF_VERSION_3: [SnmpField; 7] = [
    SECURITYNAME,
    SECURITYLEVEL,
    AUTHPASSPHRASE,
    PRIVPASSPHRASE,
    AUTHPROTOCOL,
    PRIVPROTOCOL,
    CONTEXTNAME,
];

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InterfacePart {
    Details,
}

use InFile::{Field as F, Part as P};

/// In Zabbix's order.
pub(crate) const IN_FILES: FileOrder<Interface, InterfacePart> = &[&[
    F(MAIN.tagged("default").named(NO_YES).or("1")),
    F(TYPE.named(INTERFACE_TYPES).or("1")),
    F(USEIP.named(NO_YES).or("1")),
    F(IP.or("127.0.0.1")),
    F(DNS.or("")),
    F(PORT.or("10050")),
    P(InterfacePart::Details),
]];

/// In Zabbix's order.
pub(crate) const DETAILS_IN_FILES: FileOrder<SnmpDetails, NoPart> = &[&[
    F(VERSION.named(SNMP_VERSIONS).or("2")),
    F(COMMUNITY.credential()),
    F(CONTEXTNAME),
    F(SECURITYNAME),
    F(SECURITYLEVEL.named(SNMP_SECURITY_LEVELS)),
    F(AUTHPROTOCOL.named(SNMP_AUTH_PROTOCOLS)),
    F(AUTHPASSPHRASE.credential()),
    F(PRIVPROTOCOL.named(SNMP_PRIV_PROTOCOLS)),
    F(PRIVPASSPHRASE.credential()),
    F(BULK.named(NO_YES)),
    F(MAX_REPETITIONS),
]];

#[cfg(test)]
mod tests {
    use super::super::description_checks;
    use super::*;

    #[test]
    fn details_have_the_members_and_defaults_of_the_description() {
        let described = [&OF_ALL[..], &OF_COMMUNITIES, &OF_BULK, &OF_VERSION_3].concat();
        description_checks::of_content(&described, &[]);
        description_checks::of_files(&described, &[DETAILS_IN_FILES], &[]);
    }
}
