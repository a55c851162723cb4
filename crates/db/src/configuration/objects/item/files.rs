//! Items, rules and their prototypes in files: order and names of their fields.

use model::content::{ItemContent, ItemType};
use model::describe::{Field, Rule};

use super::of_type::fields_of;
use super::{
    ALLOW_TRAPS, AUTHTYPE, DELAY, DESCRIPTION, ENABLED_LIFETIME, ENABLED_LIFETIME_TYPE,
    FOLLOW_REDIRECTS, HEADERS, HISTORY, HTTP_PROXY, IPMI_SENSOR, ItemField, JMX_ENDPOINT, KEY,
    LIFETIME, LIFETIME_TYPE, LOGTIMEFMT, NAME, NOTES, OUTPUT_FORMAT, PARAMETERS, PARAMS, PASSWORD,
    POST_TYPE, POSTS, PRIVATEKEY, PUBLICKEY, QUERY_FIELDS, REQUEST_METHOD, RETRIEVE_MODE,
    RULE_TYPE, SNMP_OID, SSL_CERT_FILE, SSL_KEY_FILE, SSL_KEY_PASSWORD, STATUS, STATUS_CODES,
    TIMEOUT, TRAPPER_HOSTS, TRENDS, UNITS, URL, USERNAME, VALUE_TYPE, VERIFY_HOST, VERIFY_PEER,
    check_type, discover,
};
use crate::configuration::objects::in_file::{self, FileOrder};
use crate::configuration::objects::names::{
    AUTH_TYPES, DISCOVER, ENABLED, ENABLED_LIFETIMES, ITEM_TYPES, LIFETIMES, NO_YES,
    OUTPUT_FORMATS, POST_TYPES, REQUEST_METHODS, RETRIEVE_MODES, SSH_AUTH_TYPES, VALUE_TYPES,
};

/// The part at a place of an item in a file.
pub(crate) type InFile = in_file::InFile<ItemContent, FilePart>;

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FilePart {
    Uuid,
    InventoryLink,
    ValueMap,
    Preprocessing,
    Interface,
    Master,
    Tags,
    Triggers,
    Filter,
    Prototypes,
    ParentRule,
    MacroPaths,
    Overrides,
}

use FilePart as Part;
use in_file::InFile::{Field as F, OfPrototypes, Part as P};

const BEGIN: &[InFile] = &[
    P(Part::Uuid),
    F(NAME.optional()),
    F(CHECK_TYPE),
    F(SNMP_OID),
    F(KEY.tagged("key")),
    F(DELAY),
];
/// The type of an item, which decides how other fields are read.
pub(crate) const CHECK_TYPE: ItemField = check_type(RULE_TYPE).named(ITEM_TYPES).or("0");
const PERIODS: &[InFile] = &[F(HISTORY), F(TRENDS)];
const STATUSES: &[InFile] = &[F(STATUS.named(ENABLED))];
const VALUE_TYPES_IN_FILES: &[InFile] = &[F(VALUE_TYPE.named(VALUE_TYPES).or("3"))];
const DISCOVERED: &[InFile] = &[
    OfPrototypes(discover("Whether rows make objects").named(DISCOVER)),
    F(TRAPPER_HOSTS.tagged("allowed_hosts")),
];
/// The query and its credentials.
const QUESTION: &[InFile] = &[
    F(PARAMS),
    F(IPMI_SENSOR),
    F(AUTHTYPE.named(AUTH_TYPES)),
    F(USERNAME),
    F(PASSWORD),
    F(PUBLICKEY),
    F(PRIVATEKEY),
];
const TEXTS: &[InFile] = &[F(DESCRIPTION)];
/// Fields that Zabbix does not have have no place in its files; imports leave them unchanged.
pub(crate) const NOT_IN_FILES: [ItemField; 1] = [NOTES];
/// Where values come from, as far as it follows their preprocessing.
const SOURCE: &[InFile] = &[
    P(Part::Interface),
    F(JMX_ENDPOINT),
    P(Part::Master),
    F(TIMEOUT),
    F(URL),
    F(QUERY_FIELDS),
    F(PARAMETERS),
    F(POSTS),
    F(STATUS_CODES),
    F(FOLLOW_REDIRECTS.named(NO_YES)),
    F(POST_TYPE.named(POST_TYPES)),
    F(HTTP_PROXY),
    F(HEADERS),
    F(RETRIEVE_MODE.named(RETRIEVE_MODES)),
    F(REQUEST_METHOD.named(REQUEST_METHODS)),
    F(OUTPUT_FORMAT.named(OUTPUT_FORMATS)),
    F(ALLOW_TRAPS.named(NO_YES)),
    F(SSL_CERT_FILE),
    F(SSL_KEY_FILE),
    F(SSL_KEY_PASSWORD),
    F(VERIFY_PEER.named(NO_YES)),
    F(VERIFY_HOST.named(NO_YES)),
];

/// Items and their prototypes, in Zabbix's order.
pub(crate) const ITEM: FileOrder<ItemContent, FilePart> = &[
    BEGIN,
    PERIODS,
    STATUSES,
    VALUE_TYPES_IN_FILES,
    DISCOVERED,
    &[F(UNITS)],
    QUESTION,
    TEXTS,
    &[P(Part::InventoryLink), P(Part::ValueMap), F(LOGTIMEFMT), P(Part::Preprocessing)],
    SOURCE,
    &[P(Part::Tags), P(Part::Triggers)],
];

/// Rules and their prototypes, in Zabbix's order.
pub(crate) const RULE: FileOrder<ItemContent, FilePart> = &[
    BEGIN,
    STATUSES,
    DISCOVERED,
    QUESTION,
    &[
        P(Part::Filter),
        F(LIFETIME_TYPE.named(LIFETIMES)),
        F(LIFETIME),
        F(ENABLED_LIFETIME_TYPE.named(ENABLED_LIFETIMES)),
        F(ENABLED_LIFETIME),
    ],
    TEXTS,
    &[P(Part::Prototypes), P(Part::ParentRule)],
    SOURCE,
    &[P(Part::MacroPaths), P(Part::Preprocessing), P(Part::Overrides)],
];

/// A field as files of items of this type have it.
pub(crate) fn of_kind(field: &Field, kind: ItemType, is_numeric: bool) -> Field {
    let has_delay = || fields_of(kind).iter().any(|it| it.name == DELAY.field.name);
    match field.name {
        it if it == AUTHTYPE.field.name && kind == ItemType::Ssh => field.named(SSH_AUTH_TYPES),
        it if it == DELAY.field.name && has_delay() => {
            Field { rule: Rule::Default("1m"), ..*field }
        }
        it if it == TRENDS.field.name && !is_numeric => {
            Field { rule: Rule::Default("0"), ..*field }
        }
        _ => *field,
    }
}
