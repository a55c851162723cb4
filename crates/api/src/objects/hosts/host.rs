//! Hosts: `host.*`.

use model::content::UiElement;
use model::field_path::FieldPath;
use std::borrow::Cow;
use std::sync::Arc;

use db::ObjectKind;
use db::objects::host as described;
use model::HostId;
use model::encryption::UNENCRYPTED;
use model::snapshot::{HolderKind, Host};
use model::version::Version;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, Writes,
};
use crate::error::ApiError;
use crate::json::{Fields, Scalar, flag, id_of, list_of};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::access;
use crate::objects::common::checks;
use crate::objects::common::crud::Crud;
use crate::objects::common::holder;
use crate::objects::common::parts::{
    GROUP_REF, HOST_REF, HOST_TAG, MACRO, TAG, TEMPLATE_REF, UNUSED_TEXT, host_tags, macros, tags,
};
use crate::objects::common::scope::Get;
use crate::objects::hosts::discovered;
use crate::objects::hosts::host_filter::HostFilter;
use crate::objects::hosts::host_rules;
use crate::objects::hosts::interface::{self, INTERFACE};
use crate::objects::hosts::inventory::{self, INVENTORY};
use crate::query::table::{self, ReaderOf, RowOf};
use crate::query::{self, Column, Output, RowFamily, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{Mode, elements};

pub(crate) const OBJECT: Object = Object {
    name: "host",
    type_name: "Host",
    nouns: Nouns { one: "a host", several: "hosts" },
    resource: Some(4),
    role: RoleRule::one_of(&[UiElement::Hosts, UiElement::MonitoredHosts]),
    writes: Some(Writes { unknown: Unknown::PassedOver, rules_see: RulesSee::Filled, unique: &[] }),
    id: "hostid",
    ids: "hostids",
    fields: &FIELDS,
    selects: &[
        Select::new("selectInterfaces", "interfaces", Gives::Objects("hostinterface"))
            .limited("interfaceid")
            .countable(),
        Select::new("selectHostGroups", "hostgroups", Gives::Objects("hostgroup")),
        Select::new("selectGroups", "groups", Gives::Objects("hostgroup")).until(Version::V7_0),
        Select::new("selectParentTemplates", "parentTemplates", Gives::Objects("template"))
            .limited("host")
            .countable(),
        Select::new("selectParents", "parents", Gives::Objects("host")),
        Select::new("selectChildren", "children", Gives::Objects("host")),
        Select::new("selectTags", "tags", Gives::Parts(HOST_TAG)),
        Select::new("selectInheritedTags", "inheritedTags", Gives::Parts(TAG)),
        Select::new("selectMacros", "macros", Gives::Parts(MACRO)),
        Select::new("selectItems", "items", Gives::Objects("item")).limited("name").countable(),
        Select::new("selectTriggers", "triggers", Gives::Objects("trigger"))
            .limited("description")
            .countable(),
        Select::new("selectDiscoveries", "discoveries", Gives::Objects("discoveryrule"))
            .limited("name")
            .countable(),
        Select::new("selectDiscoveryRules", "discoveryRules", Gives::Objects("discoveryrule"))
            .limited("name")
            .countable()
            .since(Version::V7_4),
        Select::new("selectGraphs", "graphs", Gives::Objects("graph")).limited("name").countable(),
        Select::new("selectHttpTests", "httpTests", Gives::Objects("httptest"))
            .limited("name")
            .countable(),
        Select::new("selectDashboards", "dashboards", Gives::Objects("templatedashboard"))
            .limited("name")
            .countable(),
        Select::new("selectInventory", "inventory", Gives::Part(INVENTORY)).lenient(),
        Select::new("selectValueMaps", "valuemaps", Gives::Objects("valuemap")),
        Select::new("selectDiscoveryRule", "discoveryRule", Gives::Object("discoveryrule")),
        Select::new("selectHostDiscovery", "hostDiscovery", Gives::Part(discovered::DISCOVERY)),
        Select::new("selectDiscoveryData", "discoveryData", Gives::Part(discovered::DISCOVERY))
            .since(Version::V7_4),
    ],
    params: Params::of(&[
        "groupids",
        "hostids",
        "interfaceids",
        "dserviceids",
        "itemids",
        "maintenanceids",
        "templateids",
        "triggerids",
        "graphids",
        "with_graphs",
        "with_graph_prototypes",
        "monitored_hosts",
        "templated_hosts",
        "proxy_hosts",
        "with_monitored_hosts",
        "with_items",
        "with_item_prototypes",
        "with_monitored_items",
        "with_monitored_triggers",
        "with_simple_graph_items",
        "with_simple_graph_item_prototypes",
        "httptestids",
        "with_httptests",
        "with_monitored_httptests",
        "with_triggers",
        "severities",
        "withProblemsSuppressed",
        "evaltype",
        "tags",
        "inheritedTags",
        "searchInventory",
        "withInventory",
        "limitSelects",
    ])
    .foreign(&["proxyids", "proxy_groupids"])
    .checked(&["limitSelects"]),
    sort: &["hostid", "host", "name", "status"],
    doc: "A monitored device or service",
};

/// Hosts and templates.
pub(crate) struct HolderFamily;

pub(crate) type HolderColumn = Column<HolderFamily>;

impl RowFamily for HolderFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = &'a Arc<Host>;
    type Content = Host;

    fn content<'a>(row: Self::Row<'a>) -> &'a Host {
        row
    }
}

/// Templates to link and to unlink, alike for hosts and templates.
pub(crate) const TEMPLATES: HolderColumn = HolderColumn::given_only(Field::new(
    "templates",
    FieldType::List(TEMPLATE_REF),
    Rule::Optional,
    "Templates to link",
));
pub(crate) const TEMPLATES_CLEAR: HolderColumn = HolderColumn::given_only(Field::new(
    "templates_clear",
    FieldType::List(TEMPLATE_REF),
    Rule::Optional,
    "Update only: templates to unlink, with all inherited objects",
));
pub(crate) const MACROS: HolderColumn = HolderColumn::given_only(Field::new(
    "macros",
    FieldType::List(MACRO),
    Rule::Optional,
    "User macros",
));

const COLUMNS: &[HolderColumn] = &[
    HolderColumn::of_content(Field::new("hostid", FieldType::Id, Rule::ReadOnly, "Id"), |it| {
        Scalar::Id(it.id.0)
    }),
    HolderColumn::described(described::HOST),
    HolderColumn::described(described::NAME),
    HolderColumn::of_content(described::STATUS.field, status),
    HolderColumn::described(described::DESCRIPTION),
    HolderColumn::given_only(Field::new(
        "groups",
        FieldType::List(GROUP_REF),
        Rule::Required,
        "Host groups",
    )),
    HolderColumn::given_only(
        Field::new("interfaces", FieldType::List(INTERFACE), Rule::Optional, "Interfaces")
            .lenient(),
    ),
    TEMPLATES,
    TEMPLATES_CLEAR,
    HolderColumn::given_only(Field::new("tags", FieldType::List(HOST_TAG), Rule::Optional, "Tags")),
    HolderColumn::given_only(Field::new(
        "parents",
        FieldType::List(HOST_REF),
        Rule::Optional,
        "Saker's own: hosts by which it is reached; while all of them are down its unreachability problems are \
         symptoms",
    )),
    MACROS,
    HolderColumn::described(described::INVENTORY_MODE),
    HolderColumn::given_only(Field::new(
        "inventory",
        FieldType::Inventory(INVENTORY),
        Rule::WriteOnly,
        "Fields of the inventory; omitted fields keep their values, as do those that items fill",
    )),
    HolderColumn::of_content(
        Field::new("flags", FieldType::Code(&[0, 4]), Rule::ReadOnly, "0 plain, 4 discovered"),
        |it| Scalar::code(if it.is_discovered() { 4 } else { 0 }),
    ),
    HolderColumn::of_row(
        Field::new(
            "active_available",
            FieldType::Code(&[0, 1, 2]),
            Rule::ReadOnly,
            "Active agent: 0 unknown, 1 available, 2 not",
        ),
        |ctx, host| Scalar::code(holder::active_available(ctx, host)),
    ),
    HolderColumn::of_row(
        Field::new("maintenance_status", FLAG, Rule::ReadOnly, "1 while in maintenance"),
        |ctx, host| Scalar::Flag(in_maintenance(ctx, host).is_some()),
    ),
    HolderColumn::of_row(
        Field::new("maintenance_type", FLAG, Rule::ReadOnly, "0 with, 1 without data"),
        |ctx, host| Scalar::Flag(in_maintenance(ctx, host).is_some_and(|it| !it.1)),
    ),
    HolderColumn::of_row(
        Field::new(
            "maintenance_from",
            FieldType::Timestamp,
            Rule::ReadOnly,
            "Start of the maintenance",
        ),
        |ctx, host| Scalar::Number(in_maintenance(ctx, host).map_or(0, |it| it.2)),
    ),
    HolderColumn::of_row(
        Field::new("maintenanceid", FieldType::Id, Rule::ReadOnly, "Maintenance in effect"),
        |ctx, host| Scalar::Id(in_maintenance(ctx, host).map_or(0, |it| it.0)),
    ),
    HolderColumn::of_content(
        Field::new("monitored_by", FieldType::Code(&[0]), Rule::Default("0"), "0: the server"),
        |_| Scalar::Flag(false),
    ),
    HolderColumn::of_content(
        Field::new("proxyid", FieldType::Id, Rule::Default("0"), "Proxy; not used yet"),
        |_| Scalar::Flag(false),
    ),
    HolderColumn::of_content(
        Field::new("proxy_groupid", FieldType::Id, Rule::Default("0"), "Proxy group; not used yet"),
        |_| Scalar::Flag(false),
    ),
    HolderColumn::of_content(
        Field::new("assigned_proxyid", FieldType::Id, Rule::ReadOnly, "Proxy that the group chose"),
        |_| Scalar::Flag(false),
    ),
    HolderColumn::described(described::IPMI_AUTHTYPE),
    HolderColumn::described(described::IPMI_PRIVILEGE),
    HolderColumn::described(described::IPMI_USERNAME),
    HolderColumn::of_content(described::IPMI_PASSWORD.field, |_| Scalar::Text("")),
    HolderColumn::of_content(
        Field::new(
            "tls_connect",
            FieldType::Code(&[1, 2, 4]),
            Rule::Default("1"),
            "How the server connects to its agent: 1 unencrypted, 2 pre-shared key, 4 certificate",
        ),
        |it| Scalar::code(it.encryption.as_ref().map_or(UNENCRYPTED, |it| it.connect)),
    ),
    HolderColumn::of_content(
        Field::new(
            "tls_accept",
            FieldType::Int { min: 1, max: 7 },
            Rule::Default("1"),
            "How its agent and senders may connect: sum of 1 unencrypted, 2 pre-shared key, 4 certificate",
        ),
        |it| Scalar::code(it.encryption.as_ref().map_or(UNENCRYPTED, |it| it.accept)),
    ),
    HolderColumn::of_content(
        Field::new(
            "tls_issuer",
            FieldType::Text { max: 1024 },
            Rule::Default(""),
            "Issuer that its certificate has to have, as in RFC 4514; empty: any of the authorities",
        ),
        |it| Scalar::Text(it.encryption.as_ref().map_or("", |it| &it.issuer)),
    ),
    HolderColumn::of_content(
        Field::new(
            "tls_subject",
            FieldType::Text { max: 1024 },
            Rule::Default(""),
            "Subject that its certificate has to have, as in RFC 4514; empty: any",
        ),
        |it| Scalar::Text(it.encryption.as_ref().map_or("", |it| &it.subject)),
    ),
    HolderColumn::given_only(Field::new(
        "tls_psk_identity",
        FieldType::Text { max: 128 },
        Rule::WriteOnly,
        "Identity of the pre-shared key; needed if it is used in either direction",
    )),
    HolderColumn::given_only(Field::new(
        "tls_psk",
        FieldType::Text { max: 512 },
        Rule::WriteOnly,
        "The pre-shared key: at least 32 hexadecimal digits; one identity has one key everywhere",
    )),
    HolderColumn::of_content(
        Field::new("templateid", FieldType::Id, Rule::ReadOnly, "Always 0"),
        |_| Scalar::Flag(false),
    ),
    HolderColumn::of_content(
        Field::new("custom_interfaces", FLAG, Rule::ReadOnly, "Always 0"),
        |_| Scalar::Flag(false),
    ),
    HolderColumn::of_content(
        Field::new("uuid", UNUSED_TEXT, Rule::ReadOnly, "Always empty"),
        |it| Scalar::Text(if it.kind == HolderKind::Template { &it.uuid } else { "" }),
    ),
    HolderColumn::of_content(
        Field::new("vendor_name", UNUSED_TEXT, Rule::ReadOnly, "Always empty"),
        |_| Scalar::Text(""),
    ),
    HolderColumn::of_content(
        Field::new("vendor_version", UNUSED_TEXT, Rule::ReadOnly, "Always empty"),
        |_| Scalar::Text(""),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

/// Templates have a status of their own in Zabbix.
fn status(host: &Host) -> Scalar<'_> {
    match host.kind {
        HolderKind::Template => Scalar::Number(3),
        HolderKind::Host => Scalar::code(host.status.code()),
    }
}

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[
        Method::get("host.get", get),
        Method::edit("host.create", create),
        Method::edit("host.update", update),
        Method::edit("host.delete", |ctx, params| CRUD.delete(ctx, params)),
    ],
)
.related(|ctx, rows, output| {
    let Related::Holders(rows) = rows else { return json!([]) };
    query::related(&OBJECT, &HostRows::new(ctx), rows.into_iter(), output)
});

pub(crate) const CRUD: Crud = Crud { object: &OBJECT, kind: ObjectKind::Host, may_change, check };

fn may_change(ctx: &Ctx, id: u64) -> bool {
    ctx.snapshot.hosts.get(&HostId(id)).is_some_and(|it| ctx.may_write(it))
}

fn create(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let params = without_null_names(params);
    host_rules::judge(ctx, &FIELDS, &params, Mode::Create)?;
    let params = with_settled_interfaces(ctx, &params)?;
    CRUD.create(ctx, &params)
}

/// A visible name may be null, where it is that of the host: `netbox-zabbix-sync` says it so.
fn without_null_names(params: &Value) -> Cow<'_, Value> {
    let has_null = |given: &Value| given.get("name").is_some_and(Value::is_null);
    let without = |given: &mut Value| {
        if has_null(given) {
            given.as_object_mut().and_then(|fields| fields.remove("name"));
        }
    };
    let mut params = Cow::Borrowed(params);
    match &*params {
        Value::Array(list) if list.iter().any(has_null) => {
            params.to_mut().as_array_mut().into_iter().flatten().for_each(without);
        }
        one if has_null(one) => without(params.to_mut()),
        _ => {}
    }
    params
}

fn update(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    host_rules::judge(ctx, &FIELDS, params, Mode::Update)?;
    let params = with_settled_interfaces(ctx, params)?;
    CRUD.update(ctx, &params)
}

/// The hosts of a request, with details of interfaces as the description reads them.
pub(crate) fn with_settled_interfaces<'p>(
    ctx: &Ctx,
    params: &'p Value,
) -> Result<Cow<'p, Value>, ApiError> {
    let list = elements(params, false).unwrap_or_default();
    if !list.iter().any(|it| it.get("interfaces").is_some()) {
        return Ok(Cow::Borrowed(params));
    }
    let mut settled = Vec::with_capacity(list.len());
    for it in list {
        let mut it = it.clone();
        if let Some(list) = it.get_mut("interfaces") {
            *list = interface::settled(ctx, list)?;
        }
        settled.push(it);
    }
    Ok(Cow::Owned(Value::Array(settled)))
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, path: &FieldPath) -> Result<(), ApiError> {
    discovered::check(ctx, fields, |ctx, host, name| {
        table::scalar(COLUMNS, &ctx, host, name).value().as_str().map(str::to_owned)
    })?;
    host_rules::follow_name(fields);
    check_parts(ctx, fields, mode, path)
}

pub(crate) fn check_parts(
    ctx: &Ctx,
    fields: &mut Fields,
    mode: Mode,
    path: &FieldPath,
) -> Result<(), ApiError> {
    if mode == Mode::Create {
        fields.remove("templates_clear");
    }
    check_proxy(fields, path)?;
    checks::macros(ctx, fields, path)?;
    checks::unique_tags(fields, path)?;
    let old = id_of(fields, OBJECT.id).and_then(|it| ctx.snapshot.hosts.get(&HostId(it)));
    let old = old.map(|it| &**it);
    access::check_groups_of(ctx, fields, old, &access::HOST_GROUPS, path)?;
    access::check_templates(ctx, fields, old, path)?;
    access::check_parents(ctx, fields)?;
    let name = fields.get("host").and_then(Value::as_str);
    let name = name.or(old.map(|it| &*it.host));
    for (at, interface) in list_of(fields, "interfaces").enumerate() {
        let path = path.member("interfaces").element(at);
        interface::check(
            interface,
            interface::known(ctx, id_of(interface, "interfaceid")),
            &path,
            name,
        )?;
    }
    // Clients send back what they got.
    if let Some(Value::Array(interfaces)) = fields.get_mut("interfaces") {
        for interface in interfaces.iter_mut().filter_map(Value::as_object_mut) {
            interface.remove("hostid");
        }
    }
    Ok(())
}

fn check_proxy(fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    for field in ["proxyid", "proxy_groupid"] {
        if id_of(fields, field).is_some() {
            return Err(ApiError::field(path.member(field), "object does not exist"));
        }
    }
    Ok(())
}

/// Rows of `host.get`; also used by `selectHosts`, where a template is possible in a host's place.
pub(crate) type HostRows<'a> = TableRows<'a, Hosts>;

pub(crate) struct Hosts;

impl Table for Hosts {
    type Family = HolderFamily;

    fn columns() -> &'static [HolderColumn] {
        const { COLUMNS }
    }

    fn group_ids<'a>(
        _: &ReaderOf<'a, Self>,
        host: RowOf<'a, Self>,
        name: &str,
    ) -> Option<Vec<String>> {
        match name {
            "groupid" => Some(host.groups.iter().map(ToString::to_string).collect()),
            "templateid" => Some(host.templates.iter().map(ToString::to_string).collect()),
            _ => None,
        }
    }

    fn select<'a>(
        ctx: &ReaderOf<'a, Self>,
        host: RowOf<'a, Self>,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        let ctx = *ctx;
        Ok(match select.param {
            "selectInterfaces" => {
                let interfaces = host.interfaces.iter().map(|it| (host, it)).collect();
                ctx.related(select, Related::Interfaces(interfaces), output)
            }
            "selectDiscoveryRule" => {
                let rule = host.discovered.as_ref().and_then(|it| ctx.snapshot.item(it.by.rule));
                ctx.related(select, Related::Items(rule.into_iter().collect()), output)
            }
            "selectHostDiscovery" | "selectDiscoveryData" => discovered::related(host, output),
            "selectParentTemplates" => parent_templates(ctx, host, select, output),
            "selectHostGroups" | "selectGroups" => {
                ctx.related(select, Related::Groups(holder::group_ids(&[host])), output)
            }
            "selectParents" => relatives(ctx, &host.parents, select, output),
            "selectChildren" => {
                let topology = ctx.db().topology();
                relatives(ctx, topology.children_of(host.id), select, output)
            }
            "selectTags" => host_tags(host, output),
            "selectInheritedTags" => tags(&holder::inherited_tags(ctx, host), output),
            "selectMacros" => macros(ctx, host, output),
            "selectInventory" => inventory::related(ctx, host, output),
            _ => holder::select(ctx, host, select, output),
        })
    }
}

/// The hosts of these ids that the user may read.
fn relatives(ctx: &Ctx, ids: &[HostId], select: &Select, output: &Output) -> Value {
    let hosts = ids.iter().filter_map(|it| ctx.snapshot.hosts.get(it));
    ctx.related(select, Related::Holders(hosts.filter(|it| ctx.may_read(it)).collect()), output)
}

/// The templates of a host; `link_type` 0: linked by hand, not by discovery.
fn parent_templates(ctx: &Ctx, host: &Arc<Host>, select: &Select, output: &Output) -> Value {
    let mut list = holder::select(ctx, host, select, output);
    if output.wants("link_type") {
        for it in list.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            it.insert("link_type".to_owned(), flag(false));
        }
    }
    list
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let mut get = Get::new(ctx, &OBJECT, params)?;
    let filter = HostFilter::parse(&mut get)?;
    let hosts = filter.candidates(ctx).into_iter().filter(|it| filter.admits(&get, it));
    query::answer(&OBJECT, &HostRows::new(ctx), hosts, &get.options)
}

/// The maintenance of a host: its id, whether values are collected, and its begin.
fn in_maintenance(ctx: &Ctx, host: &Host) -> Option<(u64, bool, i64)> {
    let maintained = ctx.db().maintained();
    maintained.of(host.id).map(|it| (it.id.0, it.with_data, it.since))
}
