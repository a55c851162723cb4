//! Devices and services found by network discovery: `dhost.get` and `dservice.get`.

use std::net::IpAddr;
use std::sync::Arc;

use db::objects::drule::checks;
use db::{DiscoveredHost, DiscoveredRows, DiscoveredService};
use model::map::{Map, Set};
use model::snapshot::Host;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, Select,
};
use crate::error::ApiError;
use crate::json::{Scalar, number, str_of};
use crate::method::{Method, ObjectEntry, Pool};
use crate::objects::common::scope::Get;
use crate::objects::networkdiscovery::drule::may_see;
use crate::query::{self, Column, Output, RowFamily, Table, TableRows};
use crate::relation::Related;
use crate::shared::Ctx;

const TEXT: FieldType = FieldType::Text { max: 255 };

/// The context of reading rows.
pub(crate) struct Reader<'a> {
    ctx: &'a Ctx,
    hosts: Map<u64, &'a DiscoveredHost>,
    services: Map<u64, Vec<&'a DiscoveredService>>,
    /// Hosts by the addresses of their interfaces; built on demand.
    by_address: std::cell::OnceCell<Map<IpAddr, Vec<&'a Arc<Host>>>>,
}

impl<'a> Reader<'a> {
    fn new(ctx: &'a Ctx, rows: &'a DiscoveredRows) -> Self {
        let mut services: Map<u64, Vec<&DiscoveredService>> = Map::default();
        for it in &rows.services {
            services.entry(it.host).or_default().push(it);
        }
        let hosts = rows.hosts.iter().map(|it| (it.id, it)).collect();
        Self { ctx, hosts, services, by_address: std::cell::OnceCell::new() }
    }

    fn services_of(&self, host: u64) -> &[&'a DiscoveredService] {
        self.services.get(&host).map(Vec::as_slice).unwrap_or_default()
    }

    /// Hosts that the caller may read and that have an interface with this address.
    fn hosts_at(&self, ip: &str) -> Vec<&'a Arc<Host>> {
        let by_address = self.by_address.get_or_init(|| {
            let mut all: Map<IpAddr, Vec<&Arc<Host>>> = Map::default();
            for host in self.ctx.snapshot.hosts.values().filter(|it| self.ctx.may_read(it)) {
                let addresses: Set<IpAddr> =
                    host.interfaces.iter().filter_map(|it| it.ip.parse().ok()).collect();
                for it in addresses {
                    all.entry(it).or_default().push(host);
                }
            }
            all
        });
        let found = ip.parse().ok().and_then(|it: IpAddr| by_address.get(&it));
        found.cloned().unwrap_or_default()
    }

    fn rule(&self, host: u64, select: &Select, output: &Output) -> Value {
        let rule = self.hosts.get(&host).map(|it| it.rule).unwrap_or_default();
        let found = self.ctx.snapshot.documents.get("drule", rule);
        self.ctx.related(select, Related::Documents(found.into_iter().collect()), output)
    }
}

pub(crate) struct HostFamily;

impl RowFamily for HostFamily {
    type Reader<'a> = Reader<'a>;
    type Row<'a> = &'a DiscoveredHost;
    type Content = DiscoveredHost;

    fn content<'a>(row: Self::Row<'a>) -> &'a DiscoveredHost {
        row
    }
}

pub(crate) struct ServiceFamily;

impl RowFamily for ServiceFamily {
    type Reader<'a> = Reader<'a>;
    type Row<'a> = &'a DiscoveredService;
    type Content = DiscoveredService;

    fn content<'a>(row: Self::Row<'a>) -> &'a DiscoveredService {
        row
    }
}

const STATUS: Field = Field::new("status", FLAG, Rule::ReadOnly, "0 up, 1 down");
const LAST_UP: Field = Field::new(
    "lastup",
    FieldType::Timestamp,
    Rule::ReadOnly,
    "Since when it is up; 0 while it is down",
);
const LAST_DOWN: Field = Field::new(
    "lastdown",
    FieldType::Timestamp,
    Rule::ReadOnly,
    "Since when it is down; 0 while it is up",
);

type HostColumn = Column<HostFamily>;
type ServiceColumn = Column<ServiceFamily>;

const HOST_COLUMNS: &[HostColumn] = &[
    HostColumn::of_content(Field::new("dhostid", FieldType::Id, Rule::ReadOnly, "Id"), |it| {
        Scalar::Id(it.id)
    }),
    HostColumn::of_content(
        Field::new("druleid", FieldType::Id, Rule::ReadOnly, "The rule that found it"),
        |it| Scalar::Id(it.rule),
    ),
    HostColumn::of_content(STATUS, |it| Scalar::Flag(!it.is_up)),
    HostColumn::of_content(LAST_UP, |it| Scalar::Number(it.lastup)),
    HostColumn::of_content(LAST_DOWN, |it| Scalar::Number(it.lastdown)),
];
const HOST_FIELDS: [Field; HOST_COLUMNS.len()] = query::table::fields(HOST_COLUMNS);

const SERVICE_COLUMNS: &[ServiceColumn] = &[
    ServiceColumn::of_content(
        Field::new("dserviceid", FieldType::Id, Rule::ReadOnly, "Id"),
        |it| Scalar::Id(it.id),
    ),
    ServiceColumn::of_content(
        Field::new("dhostid", FieldType::Id, Rule::ReadOnly, "The device"),
        |it| Scalar::Id(it.host),
    ),
    ServiceColumn::of_content(
        Field::new("value", TEXT, Rule::ReadOnly, "What an agent or SNMP answered last"),
        |it| Scalar::Text(&it.value),
    ),
    ServiceColumn::of_content(
        Field::new(
            "port",
            FieldType::Int { min: 0, max: 65_535 },
            Rule::ReadOnly,
            "Port; 0 of pings",
        ),
        |it| Scalar::code(it.port),
    ),
    ServiceColumn::of_content(STATUS, |it| Scalar::Flag(!it.is_up)),
    ServiceColumn::of_content(LAST_UP, |it| Scalar::Number(it.lastup)),
    ServiceColumn::of_content(LAST_DOWN, |it| Scalar::Number(it.lastdown)),
    ServiceColumn::of_content(
        Field::new("dcheckid", FieldType::Id, Rule::ReadOnly, "The check that it answered"),
        |it| Scalar::Id(it.check),
    ),
    ServiceColumn::of_content(Field::new("ip", TEXT, Rule::ReadOnly, "Address"), |it| {
        Scalar::Text(&it.ip)
    }),
    ServiceColumn::of_content(
        Field::new("dns", TEXT, Rule::ReadOnly, "Name of the address; empty if it has none"),
        |it| Scalar::Text(&it.dns),
    ),
];
const SERVICE_FIELDS: [Field; SERVICE_COLUMNS.len()] = query::table::fields(SERVICE_COLUMNS);

const RULES: Select =
    Select::new("selectDRules", "drules", Gives::Objects("drule")).limited("name");

const HOST: Object = Object {
    name: "dhost",
    type_name: "DiscoveredHost",
    nouns: Nouns { one: "a discovered device", several: "devices that network discovery found" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "dhostid",
    ids: "dhostids",
    fields: &HOST_FIELDS,
    selects: &[
        RULES,
        Select::new("selectDServices", "dservices", Gives::Objects("dservice"))
            .countable()
            .limited("dserviceid"),
    ],
    params: Params::of(&["dhostids", "druleids", "dserviceids", "limitSelects"]),
    sort: &["dhostid", "druleid"],
    doc: "A device that a rule of network discovery has found",
};

const SERVICE: Object = Object {
    name: "dservice",
    type_name: "DiscoveredService",
    nouns: Nouns { one: "a discovered service", several: "services that network discovery found" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "dserviceid",
    ids: "dserviceids",
    fields: &SERVICE_FIELDS,
    selects: &[
        RULES,
        Select::new("selectDHosts", "dhosts", Gives::Objects("dhost")).limited("dhostid"),
        Select::new("selectHosts", "hosts", Gives::Objects("host")).countable().limited("hostid"),
    ],
    params: Params::of(&["dserviceids", "dhostids", "dcheckids", "druleids", "limitSelects"]),
    sort: &["dserviceid", "dhostid", "ip"],
    doc: "A service of such a device: a check that was answered",
};

pub(crate) const HOST_ENTRY: ObjectEntry =
    ObjectEntry::new(&HOST, &[Method::get("dhost.get", get_hosts).slow(Pool::Stored)]).related(
        |ctx, rows, output| {
            let Related::DiscoveredHosts(hosts) = rows else { return json!([]) };
            let hosts: Vec<DiscoveredHost> = hosts.into_iter().copied().collect();
            let found = DiscoveredRows { hosts, services: Vec::new() };
            let rows = TableRows::<Hosts>::new(Reader::new(ctx, &found));
            query::related(&HOST, &rows, found.hosts.iter(), output)
        },
    );

pub(crate) const SERVICE_ENTRY: ObjectEntry =
    ObjectEntry::new(&SERVICE, &[Method::get("dservice.get", get_services).slow(Pool::Stored)]);

struct Hosts;

impl Table for Hosts {
    type Family = HostFamily;

    fn columns() -> &'static [HostColumn] {
        const { HOST_COLUMNS }
    }

    fn select<'a>(
        reader: &Reader<'a>,
        row: &'a DiscoveredHost,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        Ok(match (select.param, output) {
            ("selectDServices", Output::Count) => number(reader.services_of(row.id).len()),
            ("selectDServices", _) => {
                let none = DiscoveredRows::default();
                let rows = TableRows::<Services>::new(Reader::new(reader.ctx, &none));
                let services = reader.services_of(row.id).iter().copied();
                query::related(&SERVICE, &rows, services, output)
            }
            // As in Zabbix, which counts no rules here.
            (_, Output::Count) => json!([]),
            _ => reader.rule(row.id, select, output),
        })
    }
}

struct Services;

impl Table for Services {
    type Family = ServiceFamily;

    fn columns() -> &'static [ServiceColumn] {
        const { SERVICE_COLUMNS }
    }

    fn select<'a>(
        reader: &Reader<'a>,
        row: &'a DiscoveredService,
        select: &Select,
        output: &Output,
    ) -> Result<Value, ApiError> {
        Ok(match (select.param, output) {
            ("selectHosts", _) => {
                let hosts = reader.hosts_at(&row.ip);
                match output {
                    Output::Count => number(hosts.len()),
                    _ => reader.ctx.related(select, Related::Holders(hosts), output),
                }
            }
            (_, Output::Count) => json!([]),
            ("selectDHosts", _) => {
                let none = DiscoveredRows::default();
                let rows = TableRows::<Hosts>::new(Reader::new(reader.ctx, &none));
                let host = reader.hosts.get(&row.host).copied();
                query::related(&HOST, &rows, host.into_iter(), output)
            }
            _ => reader.rule(row.host, select, output),
        })
    }

    fn group_ids<'a>(
        reader: &Reader<'a>,
        row: &'a DiscoveredService,
        name: &str,
    ) -> Option<Vec<String>> {
        if name != "druleid" {
            return None;
        }
        let host = reader.hosts.get(&row.host)?;
        Some(vec![host.rule.to_string()])
    }
}

/// The addresses of services, by which hosts are theirs.
pub(crate) fn addresses(ctx: &Ctx, services: &[u64]) -> Result<Set<IpAddr>, ApiError> {
    let rows = known(ctx, None, Some(services))?;
    let asked = rows.services.iter().filter(|it| services.contains(&it.id));
    Ok(asked.filter_map(|it| it.ip.parse().ok()).collect())
}

/// The devices of [`known`] that the caller may see.
fn found(
    ctx: &Ctx,
    hosts: Option<&[u64]>,
    services: Option<&[u64]>,
) -> Result<DiscoveredRows, ApiError> {
    if !may_see(ctx) {
        return Ok(DiscoveredRows::default());
    }
    known(ctx, hosts, services)
}

/// The requested devices whose rules and checks still exist.
fn known(
    ctx: &Ctx,
    hosts: Option<&[u64]>,
    services: Option<&[u64]>,
) -> Result<DiscoveredRows, ApiError> {
    let events = ctx.db().events();
    let mut rows = match (hosts, services) {
        (None, None) => events.discovered()?,
        (hosts, services) => {
            events.discovered_of(hosts.unwrap_or_default(), services.unwrap_or_default())?
        }
    };
    let (mut rules, mut known) = (Set::default(), Set::default());
    for rule in ctx.snapshot.documents.of("drule") {
        rules.insert(rule.id);
        let ids = checks(&rule.body).filter_map(|it| str_of(it, "dcheckid").parse::<u64>().ok());
        known.extend(ids);
    }
    rows.hosts.retain(|it| rules.contains(&it.rule));
    let hosts: Set<u64> = rows.hosts.iter().map(|it| it.id).collect();
    rows.services.retain(|it| known.contains(&it.check) && hosts.contains(&it.host));
    Ok(rows)
}

fn get_hosts(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &HOST, params)?;
    let (ids, services) = (get.ids("dhostids")?, get.ids("dserviceids")?);
    let rules = get.id_set("druleids")?;
    let rows = found(ctx, ids.as_deref(), services.as_deref())?;
    let of_services: Option<Set<u64>> = services.map(|ids| {
        let services = rows.services.iter().filter(|it| ids.binary_search(&it.id).is_ok());
        services.map(|it| it.host).collect()
    });
    let is_wanted = |it: &&DiscoveredHost| {
        ids.as_ref().is_none_or(|ids| ids.binary_search(&it.id).is_ok())
            && rules.as_ref().is_none_or(|ids| ids.contains(&it.rule))
            && of_services.as_ref().is_none_or(|ids| ids.contains(&it.id))
    };
    let hosts = rows.hosts.iter().filter(is_wanted);
    query::answer(&HOST, &TableRows::<Hosts>::new(Reader::new(ctx, &rows)), hosts, &get.options)
}

fn get_services(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &SERVICE, params)?;
    let (ids, hosts) = (get.ids("dserviceids")?, get.ids("dhostids")?);
    let (checks, rules) = (get.id_set("dcheckids")?, get.id_set("druleids")?);
    let rows = found(ctx, hosts.as_deref(), ids.as_deref())?;
    let reader = Reader::new(ctx, &rows);
    let rule_of: Map<u64, u64> = rows.hosts.iter().map(|it| (it.id, it.rule)).collect();
    let is_wanted = |it: &&DiscoveredService| {
        let rule = rule_of.get(&it.host).copied().unwrap_or_default();
        ids.as_ref().is_none_or(|ids| ids.binary_search(&it.id).is_ok())
            && hosts.as_ref().is_none_or(|ids| ids.binary_search(&it.host).is_ok())
            && checks.as_ref().is_none_or(|ids| ids.contains(&it.check))
            && rules.as_ref().is_none_or(|ids| ids.contains(&rule))
    };
    let services = rows.services.iter().filter(is_wanted);
    query::answer(&SERVICE, &TableRows::<Services>::new(reader), services, &get.options)
}
