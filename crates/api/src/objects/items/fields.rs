//! What items, discovery rules and item prototypes have in common: their fields, and how these are
//! read.

use std::sync::Arc;

use model::content::{ItemContent, ItemType, NamedValue};
use model::limits;
use model::snapshot::{Host, ItemRow};
use serde_json::{Value, json};

use crate::describe::{FLAG, Field, FieldType, Gives, Rule, Select, joined};
use crate::json::Scalar;
use crate::objects::common::items;
use crate::objects::common::parts::{LINE, LONG, NAME, TAG};
use crate::objects::common::resolve;
use crate::ports::ItemLive;
use crate::query::table;
use crate::query::{Column, RowFamily};
use crate::shared::Ctx;

const CREDENTIAL: FieldType = FieldType::Text { max: 255 };
pub(crate) const PAIR: &[Field] = &[
    Field::new("name", LINE, Rule::Required, "Name"),
    Field::new("value", FieldType::Text { max: 2_048 }, Rule::Required, "Value").or_empty(),
];

pub(crate) const ITEM_TYPE: FieldType =
    FieldType::Code(&[0, 2, 3, 5, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]);
/// Rules have no formula and take no traps.
pub(crate) const RULE_TYPE: FieldType =
    FieldType::Code(&[0, 2, 3, 5, 7, 10, 11, 12, 13, 14, 16, 18, 19, 20, 21, 22, 23]);
pub(crate) const VALUE_TYPE: FieldType = FieldType::Code(&[0, 1, 2, 3, 4, 5]);
pub(crate) const KEY: FieldType = FieldType::Text { max: limits::KEY_MAX };

/// The prototype of a rule that a prototype belongs to.
pub(crate) const SELECT_RULE_PROTOTYPE: Select = Select::new(
    "selectDiscoveryRulePrototype",
    "discoveryRulePrototype",
    Gives::Object("discoveryruleprototype"),
);
/// The prototypes of rules that a rule or rule prototype has.
pub(crate) const SELECT_RULE_PROTOTYPES: Select = Select::new(
    "selectDiscoveryRulePrototypes",
    "discoveryRulePrototypes",
    Gives::Objects("discoveryruleprototype"),
)
.limited("name")
.countable();

/// Items, item prototypes and discovery rules, each with its holder.
pub(crate) struct ItemFamily;

pub(crate) type HolderItem<'a> = (&'a Arc<Host>, &'a ItemRow);
pub(crate) type ItemColumn = Column<ItemFamily>;

impl RowFamily for ItemFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = HolderItem<'a>;
    type Content = ItemContent;

    fn content<'a>((_, row): Self::Row<'a>) -> &'a ItemContent {
        &row.content
    }

    fn shown<'r, 'a>(ctx: &'r &'a Ctx, (_, row): HolderItem<'a>, value: Scalar<'r>) -> Scalar<'r> {
        match row.discovered() {
            None => value,
            found => Scalar::Tree(resolve::discovered(ctx, value.value(), found)),
        }
    }

    fn tells_credentials<'a>(ctx: &&'a Ctx, (holder, _): HolderItem<'a>) -> bool {
        ctx.may_write(holder)
    }
}

pub(crate) const ITEMID: ItemColumn =
    ItemColumn::of_row(Field::new("itemid", FieldType::Id, Rule::ReadOnly, "Id"), |_, (_, row)| {
        Scalar::Id(row.id.0)
    });
pub(crate) const HOSTID: ItemColumn = ItemColumn::of_row(
    Field::new("hostid", FieldType::Id, Rule::Constant("0"), "Host or template that it belongs to"),
    |_, (holder, _)| Scalar::Id(holder.id.0),
);
pub(crate) const ITEM_NAME: ItemColumn =
    ItemColumn::of_row(Field::new("name", NAME, Rule::Required, "Name"), |_, (_, row)| {
        Scalar::Made(row.name())
    });
const KEY_DOC: &str = "Key; of a prototype with an LLD macro at least";
pub(crate) const ITEM_KEY: ItemColumn =
    ItemColumn::of_row(Field::new("key_", KEY, Rule::Required, KEY_DOC), |_, (_, row)| {
        Scalar::Made(row.key())
    });

/// The type of check; rules have fewer.
pub(crate) const fn check_type(types: FieldType) -> ItemColumn {
    let field = Field::new("type", types, Rule::Required, "Type of check, by Zabbix's codes");
    ItemColumn::of_content(field, |it| Scalar::code(it.kind.code()))
}

/// Preprocessing; rules have fewer kinds of steps. Answered by a select.
pub(crate) const fn preprocessing(steps: &'static [Field]) -> ItemColumn {
    let kind = FieldType::List(steps);
    ItemColumn::given_only(Field::new(
        "preprocessing",
        kind,
        Rule::Optional,
        "Preprocessing, in order",
    ))
}

pub(crate) const TAGS: ItemColumn = ItemColumn::given_only(
    Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags").overridable(),
);
pub(crate) const STATUS: ItemColumn = ItemColumn::of_content(
    Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled").overridable(),
    |it| Scalar::code(it.status.code()),
);
pub(crate) const DESCRIPTION: ItemColumn = ItemColumn::of_content(
    Field::new("description", LONG, Rule::Default(""), "Description").overridable(),
    |it| Scalar::Text(&it.description),
);
pub(crate) const UUID: ItemColumn = ItemColumn::of_content(
    Field::new("uuid", FieldType::Uuid, Rule::Default(""), "Identity in exports of templates"),
    |it| Scalar::Text(&it.uuid),
);
pub(crate) const TEMPLATE: ItemColumn = ItemColumn::of_row(
    Field::new(
        "templateid",
        FieldType::Id,
        Rule::ReadOnly,
        "The object of the directly linked template that it comes from; 0: none",
    ),
    |_, (_, row)| Scalar::Id(row.source.0),
);
pub(crate) const STATE: Field =
    Field::new("state", FLAG, Rule::ReadOnly, "0 normal, 1 not supported");
pub(crate) const ERROR: Field = Field::new(
    "error",
    LONG,
    Rule::ReadOnly,
    "Why it is not supported; else what was wrong with its last values",
);

/// The error of an item that is not supported, else of its last values.
pub(crate) fn error_of(live: ItemLive) -> Scalar<'static> {
    Scalar::Made(live.error.map_or_else(Default::default, |it| it.to_string().into()))
}

/// What makes values, alike for items and their prototypes.
pub(crate) const VALUES: &[ItemColumn] = &[
    ItemColumn::of_content(
        Field::new(
            "value_type",
            VALUE_TYPE,
            Rule::Required,
            "0 float, 1 character, 2 log, 3 unsigned, 4 text, 5 binary",
        ),
        |it| Scalar::code(it.value_type.code()),
    ),
    ItemColumn::of_content(Field::new("units", LINE, Rule::Default(""), "Units"), |it| {
        Scalar::Text(&it.units)
    }),
    ItemColumn::of_content(
        Field::new("history", LINE, Rule::Default("31d"), "How long values are kept")
            .overridable()
            .or_number(),
        |it| Scalar::Text(&it.history),
    ),
    ItemColumn::of_content(
        Field::new("trends", LINE, Rule::Default("365d"), "How long trends are kept")
            .overridable()
            .or_number(),
        |it| Scalar::Text(&it.trends),
    ),
    ItemColumn::of_row(
        Field::new("valuemapid", FieldType::Id, Rule::Default("0"), "Value map of the same holder"),
        |ctx, (holder, row)| {
            let own = items::valuemap_of(ctx, holder, row);
            Scalar::Id(own.map_or(0, |it| it.valuemapid.0))
        },
    ),
    ItemColumn::of_content(
        Field::new("logtimefmt", FieldType::Text { max: 64 }, Rule::Default(""), "Of logs"),
        |it| Scalar::Text(&it.logtimefmt),
    ),
    TAGS,
];

const LIFETIME: FieldType = FieldType::Code(&[0, 1, 2]);
/// Of discovery rules.
pub(crate) const LIFETIMES: &[ItemColumn] = &[
    ItemColumn::of_content(
        Field::new("lifetime", LINE, Rule::Default("7d"), "How long lost objects are kept")
            .or_number(),
        |it| Scalar::Text(&it.lifetime),
    ),
    ItemColumn::of_content(
        Field::new("lifetime_type", LIFETIME, Rule::Default("0"), "0 after, 1 never, 2 at once"),
        |it| Scalar::code(it.lifetime_type.code()),
    ),
    ItemColumn::of_content(
        Field::new("enabled_lifetime", LINE, Rule::Default("0"), "How long they stay enabled")
            .or_number(),
        |it| Scalar::Text(&it.enabled_lifetime),
    ),
    ItemColumn::of_content(
        Field::new(
            "enabled_lifetime_type",
            LIFETIME,
            Rule::Default("2"),
            "0 after, 1 never, 2 at once",
        ),
        |it| Scalar::code(it.enabled_lifetime_type.code()),
    ),
];

/// Fields that only some types of checks use, in the order in which Zabbix looks whether they are at
/// their defaults where they are not used: those before the master item, and behind it.
pub(crate) const BY_TYPE_FIRST: &[ItemColumn] = &[
    ItemColumn::of_row(
        Field::new(
            "interfaceid",
            FieldType::Id,
            Rule::Default("0"),
            "Interface; 0: the host's main one of the type",
        )
        .overridable(),
        |_, (holder, row)| {
            // Items that follow the main interface name it, as Zabbix does.
            let is_used = row.content.kind.interface().is_some();
            let used = holder.interface_of(row).filter(|_| is_used);
            Scalar::Id(used.map_or(row.content.interfaceid, |it| it.interfaceid).0)
        },
    ),
    ItemColumn::of_content(
        Field::new(
            "authtype",
            FieldType::Code(&[0, 1, 2, 3, 4]),
            Rule::Default("0"),
            "How to log in",
        )
        .overridable(),
        |it| Scalar::Number(it.authtype),
    ),
    ItemColumn::of_content(
        Field::new("username", CREDENTIAL, Rule::Default(""), "User name").overridable(),
        |it| Scalar::Text(&it.username),
    ),
    ItemColumn::of_credential(
        Field::new("password", CREDENTIAL, Rule::Default(""), "Password").overridable(),
        |it| Scalar::Text(&it.password),
    ),
    ItemColumn::of_content(
        Field::new("params", LONG, Rule::Default(""), "Formula or script").overridable(),
        // A web scenario's are `httptest.get`'s to tell.
        |it| Scalar::Text(if it.kind == ItemType::WebItem { "" } else { &it.params }),
    ),
    ItemColumn::of_content(
        Field::new("timeout", LINE, Rule::Default(""), "Time-out; empty: the global one")
            .overridable()
            .or_number(),
        |it| Scalar::Text(&it.timeout),
    ),
    ItemColumn::of_content(
        Field::new(
            "delay",
            FieldType::Text { max: 1_024 },
            Rule::Default("0"),
            "Update interval, with flexible and scheduling parts after semicolons",
        )
        .overridable()
        .or_number(),
        |it| Scalar::Text(&it.delay),
    ),
    ItemColumn::of_content(
        Field::new("trapper_hosts", LINE, Rule::Default(""), "Who may send values").overridable(),
        |it| Scalar::Text(&it.trapper_hosts),
    ),
];
const MASTER: ItemColumn = ItemColumn::of_row(
    Field::new(
        "master_itemid",
        FieldType::Id,
        Rule::Default("0"),
        "Of dependent items: where the value comes from",
    ),
    // The reference is written in terms of the holder of the content.
    |ctx, (holder, row)| {
        let master = row.content.master_itemid.some();
        let master = master.and_then(|it| ctx.snapshot.item_meant(holder, it, row.discovered()));
        Scalar::Id(master.map_or(0, |(_, it)| it.id.0))
    },
);
pub(crate) const BY_TYPE_LAST: &[ItemColumn] = &[
    ItemColumn::of_content(
        Field::new("url", FieldType::Text { max: 2_048 }, Rule::Default(""), "Of HTTP agents"),
        |it| Scalar::Text(&it.url),
    ),
    ItemColumn::of_content(
        Field::new("query_fields", FieldType::List(PAIR), Rule::Optional, "Of HTTP agents")
            .answered(),
        |it| Scalar::Tree(pairs(&it.query_fields)),
    ),
    ItemColumn::of_content(
        Field::new(
            "request_method",
            FieldType::Code(&[0, 1, 2, 3]),
            Rule::Default("0"),
            "0 GET, 1 POST, 2 PUT, 3 HEAD",
        ),
        |it| Scalar::Number(it.request_method),
    ),
    ItemColumn::of_content(
        Field::new(
            "post_type",
            FieldType::Code(&[0, 2, 3]),
            Rule::Default("0"),
            "0 raw, 2 JSON, 3 XML",
        ),
        |it| Scalar::Number(it.post_type),
    ),
    ItemColumn::of_content(
        Field::new("posts", LONG, Rule::Default(""), "Body of HTTP agents' requests"),
        |it| Scalar::Text(&it.posts),
    ),
    ItemColumn::of_content(
        Field::new("headers", FieldType::List(PAIR), Rule::Optional, "Of HTTP agents").answered(),
        |it| Scalar::Tree(pairs(&it.headers)),
    ),
    ItemColumn::of_content(
        Field::new("status_codes", LINE, Rule::Default("200"), "Of HTTP agents: accepted ones"),
        |it| Scalar::Text(&it.status_codes),
    ),
    ItemColumn::of_content(
        Field::new("follow_redirects", FLAG, Rule::Default("1"), "Of HTTP agents"),
        |it| Scalar::Flag(it.follow_redirects),
    ),
    ItemColumn::of_content(
        Field::new(
            "retrieve_mode",
            FieldType::Code(&[0, 1, 2]),
            Rule::Default("0"),
            "0 body, 1 headers, 2 both",
        ),
        |it| Scalar::Number(it.retrieve_mode),
    ),
    ItemColumn::of_content(
        Field::new("output_format", FLAG, Rule::Default("0"), "0 raw, 1 JSON"),
        |it| Scalar::Number(it.output_format),
    ),
    ItemColumn::of_content(
        Field::new("http_proxy", LINE, Rule::Default(""), "Of HTTP agents"),
        |it| Scalar::Text(&it.http_proxy),
    ),
    ItemColumn::of_content(
        Field::new("verify_peer", FLAG, Rule::Default("0"), "Of HTTP agents"),
        |it| Scalar::Flag(it.verify_peer),
    ),
    ItemColumn::of_content(
        Field::new("verify_host", FLAG, Rule::Default("0"), "Of HTTP agents"),
        |it| Scalar::Flag(it.verify_host),
    ),
    ItemColumn::of_content(
        Field::new("ssl_cert_file", LINE, Rule::Default(""), "Of HTTP agents"),
        |it| Scalar::Text(&it.ssl_cert_file),
    ),
    ItemColumn::of_content(
        Field::new("ssl_key_file", LINE, Rule::Default(""), "Of HTTP agents"),
        |it| Scalar::Text(&it.ssl_key_file),
    ),
    ItemColumn::of_credential(
        Field::new(
            "ssl_key_password",
            FieldType::Text { max: 64 },
            Rule::Default(""),
            "Of HTTP agents",
        ),
        |it| Scalar::Text(&it.ssl_key_password),
    ),
    ItemColumn::of_content(
        Field::new("allow_traps", FLAG, Rule::Default("0"), "Of HTTP agents: take sent values")
            .overridable(),
        |it| Scalar::Flag(it.allow_traps),
    ),
    ItemColumn::of_content(
        Field::new("ipmi_sensor", FieldType::Text { max: 128 }, Rule::Default(""), "Of IPMI"),
        |it| Scalar::Text(&it.ipmi_sensor),
    ),
    ItemColumn::of_content(
        Field::new("jmx_endpoint", LINE, Rule::Default(""), "Of JMX").overridable(),
        |it| Scalar::Text(&it.jmx_endpoint),
    ),
    ItemColumn::of_content(
        Field::new("parameters", FieldType::List(PAIR), Rule::Optional, "Of scripts").answered(),
        |it| Scalar::Tree(pairs(&it.parameters)),
    ),
    ItemColumn::of_content(
        Field::new("snmp_oid", FieldType::Text { max: 512 }, Rule::Default(""), "Of SNMP"),
        |it| Scalar::Text(&it.snmp_oid),
    ),
    ItemColumn::of_content(
        Field::new("publickey", CREDENTIAL, Rule::Default(""), "Of SSH").overridable(),
        |it| Scalar::Text(&it.publickey),
    ),
    ItemColumn::of_credential(
        Field::new("privatekey", CREDENTIAL, Rule::Default(""), "Of SSH").overridable(),
        |it| Scalar::Text(&it.privatekey),
    ),
];

const WITH_MASTER: [ItemColumn; BY_TYPE_FIRST.len() + 1] = joined(BY_TYPE_FIRST, &[MASTER]);
/// Fields by type of check, alike for items, rules and prototypes.
pub(crate) const BY_TYPE: [ItemColumn; WITH_MASTER.len() + BY_TYPE_LAST.len()] =
    joined(&WITH_MASTER, BY_TYPE_LAST);

/// A field of what users write, as text; `None`: none that stands for itself.
pub(crate) fn content_field(content: &ItemContent, name: &str) -> Option<Value> {
    let columns: [&[ItemColumn]; 3] = [&BY_TYPE, VALUES, LIFETIMES];
    columns.into_iter().find_map(|it| table::content_value(it, content, name))
}

pub(crate) fn pairs(list: &[NamedValue]) -> Value {
    list.iter().map(|it| json!({"name": it.name, "value": it.value})).collect()
}
