//! Interfaces of host prototypes, as create and update read them. Those of hosts are of Zabbix's older kind,
//! with shorter errors.

use model::field_path::FieldPath;

use crate::describe::{Depends, FLAG, Field, FieldType, Rule, When};
use crate::error::ApiError;
use crate::json::{Fields, str_of};
use crate::objects::common::checks;
use crate::objects::common::parts::LINE;

const SHORT: FieldType = FieldType::Text { max: 64 };
const PROTOCOL: FieldType = FieldType::Code(&[0, 1, 2, 3, 4, 5]);

const OF_SNMP: &[When] = &[When::of("type", &["2"])];
const BY_IP: &[When] = &[When::of("useip", &["1"])];
const BY_DNS: &[When] = &[When::of("useip", &["0"])];

const V3: When = When::of("version", &["3"]);
const OF_COMMUNITIES: &[When] = &[When::of("version", &["1", "2"])];
const OF_BULK: &[When] = &[When::of("version", &["2", "3"])];
const OF_VERSION_3: &[When] = &[V3];
const WITH_AUTH: &[When] = &[V3, When::of("securitylevel", &["1", "2"])];
const WITH_PRIVACY: &[When] = &[V3, When::of("securitylevel", &["2"])];

const DETAILS: &[Field] = &[
    Field::new("version", FieldType::Code(&[1, 2, 3]), Rule::Required, "1, 2 (v2c) or 3"),
    Field::new("bulk", FLAG, Rule::Default("1"), "1: several values in one request"),
    Field::new("community", SHORT, Rule::Default(""), "Of versions 1 and 2c")
        .depends(&Depends::needed(OF_COMMUNITIES)),
    Field::new(
        "max_repetitions",
        FieldType::Int { min: 1, max: 2_147_483_647 },
        Rule::Default("10"),
        "Of GETBULK",
    )
    .depends(&Depends::only(OF_BULK)),
    Field::new("securityname", SHORT, Rule::Default(""), "Of version 3")
        .depends(&Depends::only(OF_VERSION_3)),
    Field::new(
        "securitylevel",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 noAuthNoPriv, 1 authNoPriv, 2 authPriv",
    )
    .depends(&Depends::only(OF_VERSION_3)),
    Field::new("authpassphrase", SHORT, Rule::Default(""), "Of version 3")
        .depends(&Depends::only(WITH_AUTH)),
    Field::new("privpassphrase", SHORT, Rule::Default(""), "Of version 3")
        .depends(&Depends::only(WITH_PRIVACY)),
    Field::new(
        "authprotocol",
        PROTOCOL,
        Rule::Default("0"),
        "0 MD5, 1 SHA1, 2 SHA224, 3 SHA256, 4 SHA384, 5 SHA512",
    )
    .depends(&Depends::only(WITH_AUTH)),
    Field::new(
        "privprotocol",
        PROTOCOL,
        Rule::Default("0"),
        "0 DES, 1 AES128, 2 AES192, 3 AES256, 4 AES192C, 5 AES256C",
    )
    .depends(&Depends::only(WITH_PRIVACY)),
    Field::new("contextname", LINE, Rule::Default(""), "Of version 3")
        .depends(&Depends::only(OF_VERSION_3)),
];

/// In Zabbix's order.
pub(crate) const FIELDS: &[Field] = &[
    Field::new(
        "type",
        FieldType::Code(&[1, 2, 3, 4]),
        Rule::Required,
        "1 agent, 2 SNMP, 3 IPMI, 4 JMX",
    ),
    Field::new("useip", FLAG, Rule::Required, "1: connect by IP, 0: by DNS name"),
    Field::new("ip", SHORT, Rule::Default(""), "IP address; may hold macros")
        .depends(&Depends { needed: BY_IP, ..Depends::ON_NOTHING }),
    Field::new("dns", LINE, Rule::Default(""), "DNS name; may hold macros")
        .depends(&Depends { needed: BY_DNS, ..Depends::ON_NOTHING }),
    Field::new("port", SHORT, Rule::Required, "Port; may be a macro").or_number(),
    Field::new("main", FLAG, Rule::Required, "1: the default interface of its type"),
    Field::new("details", FieldType::Object(DETAILS), Rule::Optional, "How SNMP is spoken")
        .depends(&Depends::needed(OF_SNMP)),
];

/// Whether addresses are such.
pub(crate) fn check(interface: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    let given = |name: &str| (str_of(interface, name).to_owned(), path.member(name));
    let (ip, at) = given("ip");
    checks::ip(&ip).map_err(|_error| ApiError::field(at, "an IP address is expected"))?;
    let (dns, at) = given("dns");
    checks::dns(&dns).map_err(|_error| ApiError::field(at, "a DNS name is expected"))?;
    let (port, at) = given("port");
    if checks::is_port(&port) {
        Ok(())
    } else {
        Err(ApiError::field(at, "a port number is expected"))
    }
}
