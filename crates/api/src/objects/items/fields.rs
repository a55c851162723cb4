//! What items, discovery rules and item prototypes have in common: their fields, how these are
//! read, and what they demand of each other.

use std::sync::Arc;

use model::content::{ItemContent, NamedValue};
use model::limits;
use model::snapshot::{Host, ItemRow};
use serde_json::{Value, json};

use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::json::{flag, number, text};
use crate::objects::common::items;
use crate::objects::common::parts::{LINE, LONG, RULE_STEP, STEP, TAG};
use crate::objects::common::resolve;
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
    FieldType::Code(&[0, 2, 3, 5, 7, 10, 11, 12, 13, 14, 16, 18, 19, 20, 21, 22]);
pub(crate) const VALUE_TYPE: FieldType = FieldType::Code(&[0, 1, 2, 3, 4, 5]);
pub(crate) const KEY: FieldType = FieldType::Text { max: limits::KEY_MAX };

pub(crate) const PREPROCESSING: Field =
    Field::new("preprocessing", FieldType::List(STEP), Rule::Optional, "Preprocessing, in order");
pub(crate) const RULE_PREPROCESSING: Field = Field::new(
    "preprocessing",
    FieldType::List(RULE_STEP),
    Rule::Optional,
    "Preprocessing, in order",
);
pub(crate) const TAGS: Field =
    Field::new("tags", FieldType::List(TAG), Rule::Optional, "Tags").overridable();
pub(crate) const DELAY: Field = Field::new(
    "delay",
    FieldType::Text { max: 1_024 },
    Rule::Default("0"),
    "Update interval, with flexible and scheduling parts after semicolons",
)
.overridable()
.or_number();
pub(crate) const STATUS: Field =
    Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled").overridable();
pub(crate) const DESCRIPTION: Field =
    Field::new("description", LONG, Rule::Default(""), "Description").overridable();
pub(crate) const INTERFACE: Field = Field::new(
    "interfaceid",
    FieldType::Id,
    Rule::Default("0"),
    "Interface; 0: the host's main one of the type",
)
.overridable();
pub(crate) const MASTER: Field = Field::new(
    "master_itemid",
    FieldType::Id,
    Rule::Default("0"),
    "Of dependent items: where the value comes from",
);
pub(crate) const UUID: Field = Field::new(
    "uuid",
    crate::objects::common::parts::UUID,
    Rule::Default(""),
    "Identity in exports of templates",
);
pub(crate) const TEMPLATE: Field = Field::new(
    "templateid",
    FieldType::Id,
    Rule::ReadOnly,
    "The object of the directly linked template that it comes from; 0: none",
);
pub(crate) const STATE: Field =
    Field::new("state", FLAG, Rule::ReadOnly, "0 normal, 1 not supported");
pub(crate) const ERROR: Field = Field::new(
    "error",
    LONG,
    Rule::ReadOnly,
    "Why it is not supported; else what was wrong with its last values",
);

/// Fields by type of check, alike for items, rules and prototypes.
pub(crate) const BY_TYPE: [Field; 33] = [
    Field::new("snmp_oid", FieldType::Text { max: 512 }, Rule::Default(""), "Of SNMP"),
    Field::new("params", LONG, Rule::Default(""), "Formula or script").overridable(),
    Field::new("trapper_hosts", LINE, Rule::Default(""), "Who may send values").overridable(),
    Field::new("username", CREDENTIAL, Rule::Default(""), "User name").overridable(),
    Field::new("password", CREDENTIAL, Rule::Default(""), "Password").overridable(),
    Field::new("authtype", FieldType::Code(&[0, 1, 2, 3, 4]), Rule::Default("0"), "How to log in")
        .overridable(),
    Field::new("publickey", CREDENTIAL, Rule::Default(""), "Of SSH").overridable(),
    Field::new("privatekey", CREDENTIAL, Rule::Default(""), "Of SSH").overridable(),
    Field::new("jmx_endpoint", LINE, Rule::Default(""), "Of JMX").overridable(),
    Field::new("ipmi_sensor", FieldType::Text { max: 128 }, Rule::Default(""), "Of IPMI"),
    Field::new("timeout", LINE, Rule::Default(""), "Time-out; empty: the global one")
        .overridable()
        .or_number(),
    Field::new("url", FieldType::Text { max: 2_048 }, Rule::Default(""), "Of HTTP agents"),
    Field::new("query_fields", FieldType::List(PAIR), Rule::Optional, "Of HTTP agents").answered(),
    Field::new("posts", LONG, Rule::Default(""), "Body of HTTP agents' requests"),
    Field::new("headers", FieldType::List(PAIR), Rule::Optional, "Of HTTP agents").answered(),
    Field::new("parameters", FieldType::List(PAIR), Rule::Optional, "Of scripts").answered(),
    Field::new(
        "post_type",
        FieldType::Code(&[0, 2, 3]),
        Rule::Default("0"),
        "0 raw, 2 JSON, 3 XML",
    ),
    Field::new(
        "request_method",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::Default("0"),
        "0 GET, 1 POST, 2 PUT, 3 HEAD",
    ),
    Field::new(
        "retrieve_mode",
        FieldType::Code(&[0, 1, 2]),
        Rule::Default("0"),
        "0 body, 1 headers, 2 both",
    ),
    Field::new("output_format", FLAG, Rule::Default("0"), "0 raw, 1 JSON"),
    Field::new("status_codes", LINE, Rule::Default("200"), "Of HTTP agents: accepted ones"),
    Field::new("http_proxy", LINE, Rule::Default(""), "Of HTTP agents"),
    Field::new("follow_redirects", FLAG, Rule::Default("1"), "Of HTTP agents"),
    Field::new("verify_peer", FLAG, Rule::Default("0"), "Of HTTP agents"),
    Field::new("verify_host", FLAG, Rule::Default("0"), "Of HTTP agents"),
    Field::new("ssl_cert_file", LINE, Rule::Default(""), "Of HTTP agents"),
    Field::new("ssl_key_file", LINE, Rule::Default(""), "Of HTTP agents"),
    Field::new(
        "ssl_key_password",
        FieldType::Text { max: 64 },
        Rule::Default(""),
        "Of HTTP agents",
    ),
    Field::new("allow_traps", FLAG, Rule::Default("0"), "Of HTTP agents: take sent values")
        .overridable(),
    DELAY,
    STATUS,
    DESCRIPTION,
    INTERFACE,
];

/// A field of content; `None` for fields that are not content.
pub(crate) fn content_field(content: &ItemContent, name: &str) -> Option<Value> {
    Some(match name {
        "type" => number(content.kind.code()),
        "value_type" => number(content.value_type.code()),
        "delay" => text(content.delay.as_str()),
        "history" => text(content.history.as_str()),
        "trends" => text(content.trends.as_str()),
        "units" => text(content.units.as_str()),
        "description" => text(content.description.as_str()),
        "status" => number(content.status.code()),
        "uuid" => text(content.uuid.as_str()),
        "logtimefmt" => text(content.logtimefmt.as_str()),
        "inventory_link" => number(content.inventory_link),
        "discover" => flag(!content.discover),
        "lifetime" => text(content.lifetime.as_str()),
        "lifetime_type" => number(content.lifetime_type.code()),
        "enabled_lifetime" => text(content.enabled_lifetime.as_str()),
        "enabled_lifetime_type" => number(content.enabled_lifetime_type.code()),
        other => return by_type_field(content, other),
    })
}

fn by_type_field(content: &ItemContent, name: &str) -> Option<Value> {
    Some(match name {
        "snmp_oid" => text(content.snmp_oid.as_str()),
        "params" => text(content.params.as_str()),
        "trapper_hosts" => text(content.trapper_hosts.as_str()),
        "username" => text(content.username.as_str()),
        "password" => text(content.password.as_str()),
        "authtype" => number(content.authtype),
        "publickey" => text(content.publickey.as_str()),
        "privatekey" => text(content.privatekey.as_str()),
        "jmx_endpoint" => text(content.jmx_endpoint.as_str()),
        "ipmi_sensor" => text(content.ipmi_sensor.as_str()),
        "timeout" => text(content.timeout.as_str()),
        "url" => text(content.url.as_str()),
        "query_fields" => pairs(&content.query_fields),
        "posts" => text(content.posts.as_str()),
        "headers" => pairs(&content.headers),
        "parameters" => pairs(&content.parameters),
        "post_type" => number(content.post_type),
        "request_method" => number(content.request_method),
        "retrieve_mode" => number(content.retrieve_mode),
        "output_format" => number(content.output_format),
        "status_codes" => text(content.status_codes.as_str()),
        "http_proxy" => text(content.http_proxy.as_str()),
        "follow_redirects" => flag(content.follow_redirects),
        "verify_peer" => flag(content.verify_peer),
        "verify_host" => flag(content.verify_host),
        "ssl_cert_file" => text(content.ssl_cert_file.as_str()),
        "ssl_key_file" => text(content.ssl_key_file.as_str()),
        "ssl_key_password" => text(content.ssl_key_password.as_str()),
        "allow_traps" => flag(content.allow_traps),
        _ => return None,
    })
}

pub(crate) fn pairs(list: &[NamedValue]) -> Value {
    list.iter().map(|it| json!({"name": it.name, "value": it.value})).collect()
}

/// A field of a row: identity, then content.
pub(crate) fn row_field(ctx: &Ctx, holder: &Arc<Host>, row: &ItemRow, name: &str) -> Value {
    match name {
        "itemid" => number(row.id),
        "hostid" => number(holder.id),
        "key_" => text(row.key()),
        "name" => text(row.name()),
        "templateid" => number(row.source),
        "flags" => number(row.flags.code()),
        "interfaceid" => {
            // Items that follow the main interface name it, as Zabbix does.
            let used = holder.interface_of(row).filter(|_| row.content.kind.interface().is_some());
            number(used.map_or(row.content.interfaceid, |it| it.interfaceid))
        }
        // The reference is written in terms of the holder of the content.
        "master_itemid" => {
            let master = row.content.master_itemid.some();
            let master =
                master.and_then(|it| ctx.snapshot.item_meant(holder, it, row.discovered()));
            number(master.map_or(0, |(_, it)| it.id.0))
        }
        "valuemapid" => {
            let own = items::valuemap_of(ctx, holder, row);
            number(own.map_or(0, |it| it.valuemapid.0))
        }
        _ => {
            let value = content_field(&row.content, name).unwrap_or(Value::Null);
            resolve::discovered(ctx, value, row.discovered())
        }
    }
}
