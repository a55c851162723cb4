//! Items, discovery rules and the prototypes of both: their fields, described once.
//!
//! The API checks and answers by these fields, imports read and exports write by them ([`files`]); which of them an
//! item has follows from its type ([`of_type`]). How an item is kept follows from its content ([`ItemContent`]), what
//! may differ on inherited ones from [`ItemOverrides`]: tests compare both with the description.
//! Rules beyond single fields (masters, interfaces, keys) are in `editor/item.rs`, Zabbix's rules
//! for values in the API's `items/rules`.
//!
//! A field of all four kinds is a member of the content with its default, and here a constant in [`OF_ALL`] (or the
//! list that it belongs to) and in [`files`].
//!
//! [`ItemOverrides`]: model::content::ItemOverrides

pub(crate) mod files;
pub mod of_type;

use model::content::{ItemContent, ItemType};
use model::content_field::{ContentField, FieldValue};
use model::describe::{Depends, FLAG, Field, FieldType, Rule, When};
use model::limits;

use super::parts::{self, LINE, LINE_OF_REQUEST, LONG, NAME as NAME_TEXT, PAIR};

/// A field of items, or of rules or prototypes.
pub type ItemField = ContentField<ItemContent>;

/// With these types of checks.
macro_rules! of_types {
    ($($code:literal),+) => {
        &Depends::goes_with(&[When::of("type", &[$($code),+])])
    };
}

const OF_HTTP: &Depends = of_types!("19");
const OF_NUMBERS: &Depends = &Depends::goes_with(&[When::of("value_type", &["0", "3"])]);
const WITH_KEYS: &Depends =
    &Depends::goes_with(&[When::of("type", &["13"]), When::of("authtype", &["1"])]);

const CREDENTIAL: FieldType = FieldType::Text { max: 255 };
const LIFETIME_CODE: FieldType = FieldType::Code(&[0, 1, 2]);

/// Types of items and their prototypes.
pub const ITEM_TYPE: FieldType =
    FieldType::Code(&[0, 2, 3, 5, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]);
/// Rules have no formula and take no traps.
pub const RULE_TYPE: FieldType =
    FieldType::Code(&[0, 2, 3, 5, 7, 10, 11, 12, 13, 14, 16, 18, 19, 20, 21, 22, 23]);
pub const KEY_TEXT: FieldType = FieldType::Text { max: limits::KEY_MAX };

pub const NAME: ItemField =
    ItemField::new(Field::new("name", NAME_TEXT, Rule::Required, "Name"), |it| {
        FieldValue::Text(&it.name)
    });
pub const KEY: ItemField = ItemField::new(
    Field::new("key_", KEY_TEXT, Rule::Required, "Key; of a prototype with an LLD macro at least"),
    |it| FieldValue::Text(&it.key_),
);

/// The type of check; rules have fewer.
#[must_use]
pub const fn check_type(types: FieldType) -> ItemField {
    let field = Field::new("type", types, Rule::Required, "Type of check, by Zabbix's codes");
    ItemField::new(field, |it| FieldValue::code(it.kind.code()))
}

pub const STATUS: ItemField = ItemField::new(
    Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled").overridable(),
    |it| FieldValue::code(it.status.code()),
);

/// Of prototypes: whether rows make objects.
#[must_use]
pub const fn discover(doc: &'static str) -> ItemField {
    // The API writes 0 for yes.
    ItemField::new(parts::discover(doc), |it| FieldValue::Flag(!it.discover))
}

pub const DESCRIPTION: ItemField = ItemField::new(
    Field::new("description", LONG, Rule::Default(""), "Description").overridable(),
    |it| FieldValue::Text(&it.description),
);

/// Not of Zabbix.
pub const NOTES: ItemField = ItemField::new(
    Field::new(
        "notes",
        LONG,
        Rule::Default(""),
        "Notes, shown only to users who may change it; empty for others",
    )
    .overridable(),
    |it| FieldValue::Text(&it.notes),
)
.credential();

/// Fields that stand for themselves, alike for items, rules and prototypes, whatever their type.
pub const OF_ALL: [ItemField; 2] = [DESCRIPTION, NOTES];

pub const UUID: ItemField = ItemField::new(parts::UUID, |it| FieldValue::Text(&it.uuid));

// Fields that produce values, alike for items and their prototypes.

pub const VALUE_TYPE: ItemField = ItemField::new(
    Field::new(
        "value_type",
        FieldType::Code(&[0, 1, 2, 3, 4, 5]),
        Rule::Required,
        "0 float, 1 character, 2 log, 3 unsigned, 4 text, 5 binary",
    ),
    |it| FieldValue::code(it.value_type.code()),
);
pub const UNITS: ItemField = ItemField::new(
    Field::new("units", LINE, Rule::Default(""), "Units").depends(OF_NUMBERS),
    |it| FieldValue::Text(&it.units),
);
pub const HISTORY: ItemField = ItemField::new(
    Field::new(
        "history",
        LINE,
        Rule::Default("31d"),
        "How long values are kept: 0 not at all, or 1 hour to 25 years",
    )
    .overridable()
    .or_number(),
    |it| FieldValue::Text(&it.history),
);
pub const TRENDS: ItemField = ItemField::new(
    Field::new(
        "trends",
        LINE,
        Rule::Default("365d"),
        "How long trends are kept: 0 not at all, or 1 day to 25 years",
    )
    .depends(OF_NUMBERS)
    .overridable()
    .or_number(),
    |it| FieldValue::Text(&it.trends),
);
pub const VALUEMAPID: Field =
    Field::new("valuemapid", FieldType::Id, Rule::Default("0"), "Value map of the same holder")
        .depends(&Depends::goes_with(&[When::of("value_type", &["0", "1", "3"])]));
pub const LOGTIMEFMT: ItemField = ItemField::new(
    Field::new("logtimefmt", FieldType::Text { max: 64 }, Rule::Default(""), "Of logs")
        .depends(&Depends::goes_with(&[When::of("value_type", &["2"])])),
    |it| FieldValue::Text(&it.logtimefmt),
);
/// Before their value map, and after it.
pub const VALUES_FIRST: [ItemField; 4] = [VALUE_TYPE, UNITS, HISTORY, TRENDS];
pub const VALUES_LAST: [ItemField; 1] = [LOGTIMEFMT];

/// Of items alone.
pub const INVENTORY_LINK: ItemField = ItemField::new(
    Field::new(
        "inventory_link",
        FieldType::Int { min: 0, max: 70 },
        Rule::Default("0"),
        "Field of the inventory to fill",
    )
    .depends(&Depends::goes_with(&[When::of("value_type", &["0", "1", "3", "4"])]))
    .overridable(),
    |it| FieldValue::Number(it.inventory_link),
);

// Of discovery rules and their prototypes.

pub const LIFETIME: ItemField = ItemField::new(
    Field::new(
        "lifetime",
        LINE,
        Rule::Default("7d"),
        "How long lost objects are kept: 0, or 1 hour to 25 years",
    )
    .depends(&Depends::goes_with(&[When::of("lifetime_type", &["0"])]))
    .or_number(),
    |it| FieldValue::Text(&it.lifetime),
);
pub const LIFETIME_TYPE: ItemField = ItemField::new(
    Field::new("lifetime_type", LIFETIME_CODE, Rule::Default("0"), "0 after, 1 never, 2 at once"),
    |it| FieldValue::code(it.lifetime_type.code()),
);
pub const ENABLED_LIFETIME: ItemField = ItemField::new(
    Field::new(
        "enabled_lifetime",
        LINE,
        Rule::Default("0"),
        "How long they stay enabled: 0, or 1 hour to 25 years",
    )
    .depends(&Depends::goes_with(&[When::of("enabled_lifetime_type", &["0"])]))
    .or_number(),
    |it| FieldValue::Text(&it.enabled_lifetime),
);
pub const ENABLED_LIFETIME_TYPE: ItemField = ItemField::new(
    Field::new(
        "enabled_lifetime_type",
        LIFETIME_CODE,
        Rule::Default("2"),
        "0 after, 1 never, 2 at once",
    ),
    |it| FieldValue::code(it.enabled_lifetime_type.code()),
);
pub const LIFETIMES: [ItemField; 4] =
    [LIFETIME_TYPE, LIFETIME, ENABLED_LIFETIME_TYPE, ENABLED_LIFETIME];

// Fields that only some types of checks use.

pub const INTERFACEID: Field = Field::new(
    "interfaceid",
    FieldType::Id,
    Rule::Default("0"),
    "Interface; 0: the host's main one of the type",
)
.depends(of_types!("0", "3", "10", "12", "13", "14", "16", "17", "19", "20"))
.overridable();
pub const AUTHTYPE: ItemField = ItemField::new(
    Field::new("authtype", FieldType::Code(&[0, 1, 2, 3, 4]), Rule::Default("0"), "How to log in")
        .depends(of_types!("13", "19"))
        .overridable(),
    |it| FieldValue::Number(it.authtype),
);
pub const USERNAME: ItemField = ItemField::new(
    Field::new("username", CREDENTIAL, Rule::Default(""), "User name")
        .depends(of_types!("3", "11", "13", "14", "16", "19"))
        .overridable(),
    |it| FieldValue::Text(&it.username),
);
pub const PASSWORD: ItemField = ItemField::new(
    Field::new("password", CREDENTIAL, Rule::Default(""), "Password")
        .depends(of_types!("3", "11", "13", "14", "16", "19"))
        .overridable(),
    |it| FieldValue::Text(&it.password),
)
.credential();
pub const PARAMS: ItemField = ItemField::new(
    Field::new("params", LONG, Rule::Default(""), "Formula or script")
        .depends(of_types!("11", "13", "14", "15", "21", "22"))
        .overridable(),
    // A web scenario's are `httptest.get`'s to return.
    |it| FieldValue::Text(if matches!(it.kind, ItemType::WebItem) { "" } else { &it.params }),
);
pub const TIMEOUT: ItemField = ItemField::new(
    Field::new(
        "timeout",
        LINE,
        Rule::Default(""),
        "Time-out, 1 to 600 seconds; empty: the global one",
    )
    .depends(of_types!("0", "3", "7", "10", "11", "13", "14", "19", "20", "21", "22"))
    .overridable()
    .or_number(),
    |it| FieldValue::Text(&it.timeout),
);
pub const DELAY: ItemField = ItemField::new(
    Field::new(
        "delay",
        FieldType::Text { max: 1_024 },
        Rule::Default("0"),
        "Update interval, with flexible and scheduling parts after semicolons",
    )
    .depends(of_types!(
        "0", "3", "5", "7", "10", "11", "12", "13", "14", "15", "16", "19", "20", "21", "22"
    ))
    .overridable()
    .or_number(),
    |it| FieldValue::Text(&it.delay),
);
pub const TRAPPER_HOSTS: ItemField = ItemField::new(
    Field::new("trapper_hosts", LINE, Rule::Default(""), "Who may send values")
        .depends(of_types!("2", "19"))
        .overridable(),
    |it| FieldValue::Text(&it.trapper_hosts),
);
pub const MASTER_ITEMID: Field = Field::new(
    "master_itemid",
    FieldType::Id,
    Rule::Default("0"),
    "Of dependent items: where the value comes from",
)
.depends(of_types!("18"));
pub const URL: ItemField = ItemField::new(
    Field::new("url", FieldType::Text { max: 2_048 }, Rule::Default(""), "Of HTTP agents")
        .depends(OF_HTTP),
    |it| FieldValue::Text(&it.url),
);
pub const QUERY_FIELDS: ItemField = ItemField::new(
    Field::new("query_fields", FieldType::List(LINE_OF_REQUEST), Rule::Optional, "Of HTTP agents")
        .depends(OF_HTTP)
        .answered(),
    |it| FieldValue::Pairs(&it.query_fields),
);
pub const REQUEST_METHOD: ItemField = ItemField::new(
    Field::new(
        "request_method",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::Default("0"),
        "0 GET, 1 POST, 2 PUT, 3 HEAD",
    )
    .depends(OF_HTTP),
    |it| FieldValue::Number(it.request_method),
);
pub const POST_TYPE: ItemField = ItemField::new(
    Field::new(
        "post_type",
        FieldType::Code(&[0, 2, 3]),
        Rule::Default("0"),
        "0 raw, 2 JSON, 3 XML",
    )
    .depends(OF_HTTP),
    |it| FieldValue::Number(it.post_type),
);
pub const POSTS: ItemField = ItemField::new(
    Field::new("posts", LONG, Rule::Default(""), "Body of HTTP agents' requests").depends(OF_HTTP),
    |it| FieldValue::Text(&it.posts),
);
pub const HEADERS: ItemField = ItemField::new(
    Field::new("headers", FieldType::List(LINE_OF_REQUEST), Rule::Optional, "Of HTTP agents")
        .depends(OF_HTTP)
        .answered(),
    |it| FieldValue::Pairs(&it.headers),
);
pub const STATUS_CODES: ItemField = ItemField::new(
    Field::new("status_codes", LINE, Rule::Default("200"), "Of HTTP agents: accepted ones")
        .depends(OF_HTTP),
    |it| FieldValue::Text(&it.status_codes),
);
pub const FOLLOW_REDIRECTS: ItemField = ItemField::new(
    Field::new("follow_redirects", FLAG, Rule::Default("1"), "Of HTTP agents").depends(OF_HTTP),
    |it| FieldValue::Flag(it.follow_redirects),
);
pub const RETRIEVE_MODE: ItemField = ItemField::new(
    Field::new(
        "retrieve_mode",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 body, 1 headers, 2 both",
    )
    .depends(OF_HTTP),
    |it| FieldValue::Number(it.retrieve_mode),
);
pub const OUTPUT_FORMAT: ItemField = ItemField::new(
    Field::new("output_format", FLAG, Rule::Default("0"), "0 raw, 1 JSON").depends(OF_HTTP),
    |it| FieldValue::Number(it.output_format),
);
pub const HTTP_PROXY: ItemField = ItemField::new(
    Field::new("http_proxy", LINE, Rule::Default(""), "Of HTTP agents").depends(OF_HTTP),
    |it| FieldValue::Text(&it.http_proxy),
);
pub const VERIFY_PEER: ItemField = ItemField::new(
    Field::new("verify_peer", FLAG, Rule::Default("0"), "Of HTTP agents").depends(OF_HTTP),
    |it| FieldValue::Flag(it.verify_peer),
);
pub const VERIFY_HOST: ItemField = ItemField::new(
    Field::new("verify_host", FLAG, Rule::Default("0"), "Of HTTP agents").depends(OF_HTTP),
    |it| FieldValue::Flag(it.verify_host),
);
pub const SSL_CERT_FILE: ItemField = ItemField::new(
    Field::new("ssl_cert_file", LINE, Rule::Default(""), "Of HTTP agents").depends(OF_HTTP),
    |it| FieldValue::Text(&it.ssl_cert_file),
);
pub const SSL_KEY_FILE: ItemField = ItemField::new(
    Field::new("ssl_key_file", LINE, Rule::Default(""), "Of HTTP agents").depends(OF_HTTP),
    |it| FieldValue::Text(&it.ssl_key_file),
);
pub const SSL_KEY_PASSWORD: ItemField = ItemField::new(
    Field::new(
        "ssl_key_password",
        FieldType::Text { max: 64 },
        Rule::Default(""),
        "Of HTTP agents",
    )
    .depends(OF_HTTP),
    |it| FieldValue::Text(&it.ssl_key_password),
)
.credential();
pub const ALLOW_TRAPS: ItemField = ItemField::new(
    Field::new("allow_traps", FLAG, Rule::Default("0"), "Of HTTP agents: take sent values")
        .depends(OF_HTTP)
        .overridable(),
    |it| FieldValue::Flag(it.allow_traps),
);
pub const IPMI_SENSOR: ItemField = ItemField::new(
    Field::new("ipmi_sensor", FieldType::Text { max: 128 }, Rule::Default(""), "Of IPMI")
        .depends(of_types!("12")),
    |it| FieldValue::Text(&it.ipmi_sensor),
);
pub const JMX_ENDPOINT: ItemField = ItemField::new(
    Field::new("jmx_endpoint", LINE, Rule::Default(""), "Of JMX")
        .depends(of_types!("16"))
        .overridable(),
    |it| FieldValue::Text(&it.jmx_endpoint),
);
pub const PARAMETERS: ItemField = ItemField::new(
    Field::new("parameters", FieldType::List(PAIR), Rule::Optional, "Of scripts")
        .depends(of_types!("21", "22"))
        .answered(),
    |it| FieldValue::Pairs(&it.parameters),
);
pub const SNMP_OID: ItemField = ItemField::new(
    Field::new("snmp_oid", FieldType::Text { max: 512 }, Rule::Default(""), "Of SNMP")
        .depends(of_types!("20")),
    |it| FieldValue::Text(&it.snmp_oid),
);
pub const PUBLICKEY: ItemField = ItemField::new(
    Field::new("publickey", CREDENTIAL, Rule::Default(""), "Of SSH")
        .depends(WITH_KEYS)
        .overridable(),
    |it| FieldValue::Text(&it.publickey),
);
pub const PRIVATEKEY: ItemField = ItemField::new(
    Field::new("privatekey", CREDENTIAL, Rule::Default(""), "Of SSH")
        .depends(WITH_KEYS)
        .overridable(),
    |it| FieldValue::Text(&it.privatekey),
)
.credential();

/// Fields by type of check in the order in which Zabbix looks whether they are at their defaults where they are not
/// used: those between the interface and the master item, and after it.
pub const BY_TYPE_FIRST: [ItemField; 7] =
    [AUTHTYPE, USERNAME, PASSWORD, PARAMS, TIMEOUT, DELAY, TRAPPER_HOSTS];
pub const BY_TYPE_LAST: [ItemField; 23] = [
    URL,
    QUERY_FIELDS,
    REQUEST_METHOD,
    POST_TYPE,
    POSTS,
    HEADERS,
    STATUS_CODES,
    FOLLOW_REDIRECTS,
    RETRIEVE_MODE,
    OUTPUT_FORMAT,
    HTTP_PROXY,
    VERIFY_PEER,
    VERIFY_HOST,
    SSL_CERT_FILE,
    SSL_KEY_FILE,
    SSL_KEY_PASSWORD,
    ALLOW_TRAPS,
    IPMI_SENSOR,
    JMX_ENDPOINT,
    PARAMETERS,
    SNMP_OID,
    PUBLICKEY,
    PRIVATEKEY,
];

#[cfg(test)]
mod tests {
    use model::content::ItemOverrides;
    use model::describe::Inherited;

    use super::super::description_checks;
    use super::*;

    /// Members of the content that are lists with descriptions of their own, or name other objects.
    const OTHERS: &[&str] = &[
        "interfaceid",
        "valuemapid",
        "master_itemid",
        "ruleid",
        "tags",
        "preprocessing",
        "filter",
        "lld_macro_paths",
        "overrides",
    ];

    /// The reference says of each field with which types it goes.
    #[test]
    fn types_of_a_field_are_those_whose_checks_use_it() {
        let by_type = BY_TYPE_FIRST.iter().chain(&BY_TYPE_LAST).map(|it| it.field);
        for field in by_type.chain([INTERFACEID, MASTER_ITEMID]) {
            let [When { field: "type", one_of }, ..] = field.depends.goes_with else {
                panic!("{} goes with types", field.name)
            };
            let uses = |it: &i64| {
                let kind = ItemType::from_code(*it);
                kind.is_some_and(|it| of_type::fields_of(it).iter().any(|it| it.name == field.name))
            };
            let using: Vec<String> = (0..24).filter(uses).map(|it| it.to_string()).collect();
            assert_eq!(*one_of, using, "{}", field.name);
        }
    }

    fn described() -> Vec<ItemField> {
        let lists: [&[ItemField]; 6] =
            [&OF_ALL, &VALUES_FIRST, &VALUES_LAST, &LIFETIMES, &BY_TYPE_FIRST, &BY_TYPE_LAST];
        let mut all = vec![
            NAME,
            KEY,
            check_type(RULE_TYPE),
            STATUS,
            discover("Of prototypes"),
            UUID,
            INVENTORY_LINK,
        ];
        all.extend(lists.into_iter().flatten());
        all
    }

    #[test]
    fn content_has_the_members_and_defaults_of_the_description() {
        description_checks::of_content(&described(), OTHERS);
    }

    #[test]
    fn inherited_item_fields_match_overrides() {
        assert_eq!(INTERFACEID.inherited, Inherited::Override);
        let others = [INTERFACEID.name, "tags"];
        description_checks::of_overrides(&described(), &others, ItemOverrides::FIELDS);
    }

    #[test]
    fn files_have_each_field_that_stands_for_itself() {
        let mut others = vec![UUID.field.name, INVENTORY_LINK.field.name];
        others.extend(files::NOT_IN_FILES.iter().map(|it| it.field.name));
        description_checks::of_files(&described(), &[files::ITEM, files::RULE], &others);
    }
}
