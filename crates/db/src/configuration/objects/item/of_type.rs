//! Which fields an item has, by its type of check, by the type of its values, and by what else it says.
//!
//! The API refuses others; files may hold them, left from the type that the item had before or written by hand: there
//! they mean nothing, as in Zabbix.

use model::ValueType;
use model::content::ItemType;
use model::describe::Field;

use super::{
    ALLOW_TRAPS, AUTHTYPE, BY_TYPE_FIRST, BY_TYPE_LAST, DELAY, FOLLOW_REDIRECTS, HEADERS,
    HTTP_PROXY, INTERFACEID, INVENTORY_LINK, IPMI_SENSOR, JMX_ENDPOINT, LOGTIMEFMT, MASTER_ITEMID,
    OUTPUT_FORMAT, PARAMETERS, PARAMS, PASSWORD, POST_TYPE, POSTS, PRIVATEKEY, PUBLICKEY,
    QUERY_FIELDS, REQUEST_METHOD, RETRIEVE_MODE, SNMP_OID, SSL_CERT_FILE, SSL_KEY_FILE,
    SSL_KEY_PASSWORD, STATUS_CODES, TIMEOUT, TRAPPER_HOSTS, UNITS, URL, USERNAME, VERIFY_HOST,
    VERIFY_PEER,
};

/// The fields that a type of check uses, in the order in which Zabbix looks at them.
#[must_use]
pub fn fields_of(kind: ItemType) -> &'static [Field] {
    match kind {
        ItemType::ZabbixAgent | ItemType::External => {
            const { &[INTERFACEID, TIMEOUT.field, DELAY.field] }
        }
        ItemType::Trapper => const { &[TRAPPER_HOSTS.field] },
        ItemType::Simple => {
            const { &[INTERFACEID, USERNAME.field, PASSWORD.field, TIMEOUT.field, DELAY.field] }
        }
        ItemType::Internal => const { &[DELAY.field] },
        ItemType::ZabbixAgentActive => const { &[TIMEOUT.field, DELAY.field] },
        ItemType::Odbc => {
            const { &[USERNAME.field, PASSWORD.field, PARAMS.field, TIMEOUT.field, DELAY.field] }
        }
        ItemType::Ipmi => const { &[INTERFACEID, IPMI_SENSOR.field, DELAY.field] },
        ItemType::Ssh => const { &OF_SSH },
        ItemType::Telnet => const { &OF_TELNET },
        ItemType::Calculated => const { &[PARAMS.field, DELAY.field] },
        ItemType::Jmx => {
            const { &[INTERFACEID, JMX_ENDPOINT.field, USERNAME.field, PASSWORD.field, DELAY.field] }
        }
        ItemType::SnmpTrap => const { &[INTERFACEID] },
        ItemType::Dependent => const { &[MASTER_ITEMID] },
        ItemType::HttpAgent => const { &OF_HTTP },
        ItemType::Snmp => const { &[INTERFACEID, SNMP_OID.field, TIMEOUT.field, DELAY.field] },
        ItemType::Script | ItemType::Browser => {
            const { &[PARAMS.field, TIMEOUT.field, DELAY.field, PARAMETERS.field] }
        }
        ItemType::WebItem | ItemType::Nested => &[],
    }
}

const OF_SSH: [Field; 9] = [
    INTERFACEID,
    AUTHTYPE.field,
    USERNAME.field,
    PUBLICKEY.field,
    PRIVATEKEY.field,
    PASSWORD.field,
    PARAMS.field,
    TIMEOUT.field,
    DELAY.field,
];
const OF_TELNET: [Field; 6] =
    [INTERFACEID, USERNAME.field, PASSWORD.field, PARAMS.field, TIMEOUT.field, DELAY.field];
const OF_HTTP: [Field; 24] = [
    URL.field,
    QUERY_FIELDS.field,
    REQUEST_METHOD.field,
    POST_TYPE.field,
    POSTS.field,
    HEADERS.field,
    STATUS_CODES.field,
    FOLLOW_REDIRECTS.field,
    RETRIEVE_MODE.field,
    OUTPUT_FORMAT.field,
    HTTP_PROXY.field,
    INTERFACEID,
    AUTHTYPE.field,
    USERNAME.field,
    PASSWORD.field,
    VERIFY_PEER.field,
    VERIFY_HOST.field,
    SSL_CERT_FILE.field,
    SSL_KEY_FILE.field,
    SSL_KEY_PASSWORD.field,
    TIMEOUT.field,
    DELAY.field,
    ALLOW_TRAPS.field,
    TRAPPER_HOSTS.field,
];

/// The properties that decide which fields an item has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemShape<'a> {
    pub(crate) kind: ItemType,
    pub(crate) value_type: ValueType,
    pub(crate) key: &'a str,
    pub(crate) authtype: i64,
    pub(crate) takes_traps: bool,
}

impl ItemShape<'_> {
    /// Whether an item like this has the field of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        const AUTHTYPE_PUBLIC_KEY: i64 = 1;
        let is_http = self.kind == ItemType::HttpAgent;
        let counts = match name {
            it if it == TRAPPER_HOSTS.field.name => !is_http || self.takes_traps,
            it if it == USERNAME.field.name || it == PASSWORD.field.name => {
                !is_http || self.authtype != 0
            }
            it if it == PUBLICKEY.field.name || it == PRIVATEKEY.field.name => {
                self.authtype == AUTHTYPE_PUBLIC_KEY
            }
            // The agent sends such values as they come.
            it if it == DELAY.field.name => {
                self.kind != ItemType::ZabbixAgentActive || !self.key.starts_with("mqtt.get")
            }
            it if it == UNITS.field.name => self.value_type.is_numeric(),
            it if it == LOGTIMEFMT.field.name => self.value_type == ValueType::Log,
            it if it == INVENTORY_LINK.field.name => {
                !matches!(self.value_type, ValueType::Log | ValueType::Binary)
            }
            _ => true,
        };
        counts && (!is_by_type(name) || fields_of(self.kind).iter().any(|it| it.name == name))
    }
}

fn is_by_type(name: &str) -> bool {
    let mut fields = BY_TYPE_FIRST.iter().chain(&BY_TYPE_LAST).map(|it| &it.field);
    name == INTERFACEID.name || name == MASTER_ITEMID.name || fields.any(|it| it.name == name)
}
