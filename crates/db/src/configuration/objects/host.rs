//! Hosts: their own fields, described once. Their interfaces, macros and inventory have
//! descriptions of their own.
//!
//! The API checks and answers by these fields, imports read and exports write by them ([`IN_FILES`]). Proxies, which
//! files may name, are refused by the import; encryption and parents have no place in files.

use model::content_field::{ContentField, FieldValue};
use model::describe::{FLAG, Field, FieldType, Rule};
use model::limits;
use model::snapshot::Host;

use super::in_file::{FileOrder, InFile};
use super::names::{ENABLED, INVENTORY_MODES, IPMI_AUTH_TYPES, IPMI_PRIVILEGES};
use super::parts::LONG;

/// A field of hosts.
pub type HostField = ContentField<Host>;

pub const HOST: HostField = HostField::new(
    Field::new(
        "host",
        FieldType::Text { max: limits::HOST_NAME_MAX },
        Rule::Required,
        "Technical name: what agents and senders call themselves",
    )
    .or_empty()
    .or_number()
    .or_message("Wrong fields for host \"\"."),
    |it| FieldValue::Text(&it.host),
);
pub const NAME: HostField = HostField::new(
    Field::new(
        "name",
        FieldType::Text { max: limits::VISIBLE_NAME_MAX },
        Rule::Optional,
        "Visible name; the technical one if left out",
    )
    .or_number(),
    |it| FieldValue::Text(&it.name),
);
pub const STATUS: HostField = HostField::new(
    Field::new("status", FLAG, Rule::Default("0"), "0 monitored, 1 not monitored"),
    |it| FieldValue::code(it.status.code()),
);
pub const DESCRIPTION: HostField = HostField::new(
    Field::new("description", LONG, Rule::Default(""), "Description").or_number(),
    |it| FieldValue::Text(&it.description),
);
pub const INVENTORY_MODE: HostField = HostField::new(
    Field::new(
        "inventory_mode",
        FieldType::Code(&[-1, 0, 1]),
        Rule::Optional,
        "Inventory: -1 none, 0 by hand, 1 filled by items too; none, or 0 for new hosts with `inventory`",
    ),
    |it| FieldValue::code(it.inventory_mode.code()),
);
pub const IPMI_AUTHTYPE: HostField = HostField::new(
    Field::new(
        "ipmi_authtype",
        FieldType::Code(&[-1, 0, 1, 2, 4, 5, 6]),
        Rule::Default("-1"),
        "IPMI authentication algorithm: -1 default, 0 none, 1 MD2, 2 MD5, 4 straight, 5 OEM, 6 RMCP+; items \
         are not asked for by 1 and 5",
    ),
    |it| FieldValue::Number(it.ipmi.as_ref().map_or(-1, |it| it.authtype)),
);
pub const IPMI_PRIVILEGE: HostField = HostField::new(
    Field::new(
        "ipmi_privilege",
        FieldType::Code(&[1, 2, 3, 4, 5]),
        Rule::Default("2"),
        "IPMI privilege level: 1 callback, 2 user, 3 operator, 4 admin, 5 OEM",
    ),
    |it| FieldValue::Number(it.ipmi.as_ref().map_or(2, |it| it.privilege)),
);
pub const IPMI_USERNAME: HostField = HostField::new(
    Field::new("ipmi_username", FieldType::Text { max: 16 }, Rule::Default(""), "IPMI user name"),
    |it| FieldValue::Text(it.ipmi.as_ref().map_or("", |it| &it.username)),
);
/// The API returns it empty to every caller.
pub const IPMI_PASSWORD: HostField = HostField::new(
    Field::new(
        "ipmi_password",
        FieldType::Text { max: 20 },
        Rule::Default(""),
        "IPMI password; never returned",
    ),
    |it| FieldValue::Text(it.ipmi.as_ref().map_or("", |it| &it.password)),
)
.credential();

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HostPart {
    Templates,
    Groups,
    Interfaces,
    /// Items, rules and web scenarios with what is below them.
    Objects,
    Tags,
    Macros,
    Inventory,
    ValueMaps,
}

use InFile::{Field as F, Part as P};

/// In Zabbix's order.
pub(crate) const IN_FILES: FileOrder<Host, HostPart> = &[&[
    F(HOST),
    F(NAME),
    F(DESCRIPTION),
    F(STATUS.named(ENABLED)),
    F(IPMI_AUTHTYPE.named(IPMI_AUTH_TYPES)),
    F(IPMI_PRIVILEGE.named(IPMI_PRIVILEGES)),
    F(IPMI_USERNAME),
    F(IPMI_PASSWORD),
    P(HostPart::Templates),
    P(HostPart::Groups),
    P(HostPart::Interfaces),
    P(HostPart::Objects),
    P(HostPart::Tags),
    P(HostPart::Macros),
    P(HostPart::Inventory),
    F(INVENTORY_MODE.named(INVENTORY_MODES)),
    P(HostPart::ValueMaps),
]];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::HostId;
    use model::snapshot::HolderKind;

    use super::super::description_checks;
    use super::*;

    #[test]
    fn a_new_host_has_the_defaults_of_the_description() {
        let host = Host::new(HostId(1), HolderKind::Host, Arc::from("a"), Arc::from("a"));
        description_checks::of_defaults(&host, IN_FILES);
    }
}
