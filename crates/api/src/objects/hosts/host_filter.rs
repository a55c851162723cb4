//! The hosts that `host.get` finds: its own parameters.

use std::net::IpAddr;
use std::sync::Arc;

use db::events::{object, source};
use model::content::ItemFlags;
use model::map::Set;
use model::snapshot::{HolderKind, Host, ItemRow};
use model::{HostId, ItemId};

use crate::error::ApiError;
use crate::objects::common::graphs;
use crate::objects::common::holder;
use crate::objects::common::items;
use crate::objects::common::refs::Refs;
use crate::objects::common::scope::{Get, Scope, is_monitored};
use crate::objects::common::tag_filter::TagFilter;
use crate::objects::common::triggers;
use crate::objects::hosts::inventory::InventoryFilter;
use crate::objects::hosts::maintenance;
use crate::objects::networkdiscovery;
use crate::shared::Ctx;

/// The parameters of `host.get` in addition to the common ones.
pub(super) struct HostFilter {
    scope: Scope,
    ids: Option<Set<u64>>,
    /// Hosts of the requested maintenances.
    maintained: Option<Set<u64>>,
    templates: Option<Set<u64>>,
    items: Option<Set<u64>>,
    scenarios: Option<Set<u64>>,
    triggers: Option<Set<u64>>,
    graphs: Option<Set<u64>>,
    interfaces: Option<Set<u64>>,
    /// Of services that network discovery has found.
    services: Option<Set<IpAddr>>,
    groups: Option<Set<u64>>,
    /// Templates are meant as well.
    with_templates: bool,
    /// Technical names, by `filter`: found without looking at all hosts.
    names: Option<Vec<String>>,
    addresses: Vec<(&'static str, Vec<String>)>,
    tags: TagFilter,
    inventory: InventoryFilter,
    /// Hosts with problems of the requested kind.
    with_problems: Option<Set<HostId>>,
}

impl HostFilter {
    pub(super) fn parse(get: &mut Get<'_>) -> Result<Self, ApiError> {
        let names = if get.options.search_by_any { None } else { get.take_filter("host") };
        let mut addresses = Vec::new();
        for field in ["ip", "dns", "port"] {
            addresses.extend(get.take_filter(field).map(|it| (field, it)));
        }
        Ok(Self {
            scope: Scope::readable(get),
            ids: get.id_set("hostids")?,
            maintained: maintenance::named(get, "hosts")?,
            templates: get.id_set("templateids")?,
            items: get.id_set("itemids")?,
            scenarios: get.id_set("httptestids")?,
            triggers: get.id_set("triggerids")?,
            graphs: get.id_set("graphids")?,
            interfaces: get.id_set("interfaceids")?,
            services: match get.ids("dserviceids")? {
                Some(ids) => Some(networkdiscovery::found::addresses(get.ctx, &ids)?),
                None => None,
            },
            groups: get.id_set("groupids")?,
            // Whatever its value is, as in Zabbix.
            with_templates: get.param("templated_hosts").is_some()
                && get.param("monitored_hosts").is_none(),
            names,
            addresses,
            tags: get.tags()?,
            inventory: InventoryFilter::parse(get)?,
            with_problems: with_problems(get)?,
        })
    }

    pub(super) fn candidates<'c>(&self, ctx: &'c Ctx) -> Vec<&'c Arc<Host>> {
        let snapshot = &ctx.snapshot;
        let mut found: Vec<&Arc<Host>> = if let Some(names) = &self.names {
            let named =
                |it: &String| snapshot.host_named(it).or_else(|| snapshot.template_named(it));
            names.iter().filter_map(named).collect()
        } else if let Some(ids) = &self.ids {
            ids.iter().filter_map(|it| snapshot.holder(HostId(*it))).collect()
        } else if let Some(items) = &self.items {
            items.iter().filter_map(|it| snapshot.item_holder(ItemId(*it))).collect()
        } else {
            let templates = snapshot.templates.values().filter(|_| self.with_templates);
            snapshot.hosts.values().chain(templates).collect()
        };
        let is_meant = |it: &Host| it.kind == HolderKind::Host || self.with_templates;
        found.retain(|it| is_meant(it) && self.scope.admits(ctx, it));
        found.sort_unstable_by_key(|it| it.id);
        found.dedup_by_key(|it| it.id);
        found
    }

    pub(super) fn admits(&self, get: &Get<'_>, host: &Arc<Host>) -> bool {
        let is_in =
            |set: &Option<Set<u64>>, any: &dyn Fn(&Set<u64>) -> bool| set.as_ref().is_none_or(any);
        let has_item = |set: &Set<u64>| set.iter().any(|it| host.item(ItemId(*it)).is_some());
        let interfaces = &host.interfaces;
        is_in(&self.ids, &|it| it.contains(&host.id.0))
            && self.with_problems.as_ref().is_none_or(|it| it.contains(&host.id))
            && is_in(&self.groups, &|it| crate::objects::common::scope::in_groups(host, it))
            && is_in(&self.maintained, &|it| it.contains(&host.id.0))
            && is_in(&self.templates, &|it| host.templates.iter().any(|id| it.contains(&id.0)))
            && is_in(&self.items, &has_item)
            && is_in(&self.scenarios, &|set| {
                items::web_scenarios(host).any(|it| set.contains(&it.id.0))
            })
            && is_in(&self.triggers, &|set| triggers::are_of_host(get.ctx, host, set))
            && is_in(&self.graphs, &|set| graphs::are_of_host(get.ctx, host, set))
            && is_in(&self.interfaces, &|set| {
                interfaces.iter().any(|it| set.contains(&it.interfaceid.0))
            })
            && self.services.as_ref().is_none_or(|found| {
                let mut addresses = interfaces.iter().filter_map(|it| it.ip.parse().ok());
                addresses.any(|it: IpAddr| found.contains(&it))
            })
            && self.has_address(host)
            && self.has_parts(get, host)
            && self.has_tags(get, host)
            && self.inventory.admits(get, host)
    }

    fn has_address(&self, host: &Host) -> bool {
        self.addresses.iter().all(|(field, accepted)| {
            host.interfaces.iter().any(|it| {
                let value = match *field {
                    "ip" => &it.ip,
                    "dns" => &it.dns,
                    _ => &it.port,
                };
                accepted.contains(value)
            })
        })
    }

    fn has_tags(&self, get: &Get<'_>, host: &Host) -> bool {
        if self.tags.is_empty() {
            true
        } else if get.flag("inheritedTags") {
            let mut all = host.tags.clone();
            all.extend(holder::inherited_tags(get.ctx, host));
            self.tags.matches(&all)
        } else {
            self.tags.matches(&host.tags)
        }
    }

    /// `monitored_hosts`, `with_items` and the like: the older ones whatever their value is, and of those on one kind
    /// of objects the widest.
    fn has_parts(&self, get: &Get<'_>, host: &Arc<Host>) -> bool {
        let asked = |name: &str| get.param(name).is_some();
        (!asked("monitored_hosts") || is_monitored(host))
            && (!get.flag("with_monitored_hosts") || is_monitored(host))
            && !get.flag("proxy_hosts")
            && has_items(host, &asked)
            && (!asked("with_item_prototypes") || items::has_prototypes(host))
            && (asked("with_item_prototypes")
                || !asked("with_simple_graph_item_prototypes")
                || items::has_plotted_prototypes(host))
            && has_triggers(get.ctx, host, &asked)
            && (!asked("with_graphs") || graphs::live(host).next().is_some())
            && (!asked("with_graph_prototypes") || graphs::has_prototypes(host))
            && has_scenarios(host, &|name| get.flag(name))
    }
}

fn has_items(host: &Host, asked: &dyn Fn(&str) -> bool) -> bool {
    let is_meant = |it: &ItemRow| matches!(it.flags, ItemFlags::Plain | ItemFlags::Discovered);
    let mut items = host.items.iter().filter(|it| is_meant(it));
    if asked("with_items") {
        items.next().is_some()
    } else if asked("with_monitored_items") {
        items.any(items::is_enabled)
    } else if asked("with_simple_graph_items") {
        items.any(|it| items::is_enabled(it) && it.content.value_type.is_numeric())
    } else {
        true
    }
}

fn has_triggers(ctx: &Ctx, host: &Arc<Host>, asked: &dyn Fn(&str) -> bool) -> bool {
    if asked("with_triggers") {
        triggers::live(host).next().is_some()
    } else if asked("with_monitored_triggers") {
        let refs = Refs::new(&ctx.snapshot);
        let enabled = triggers::live(host).filter(|it| triggers::is_enabled(it));
        let mut items = enabled.flat_map(|it| refs.items(host, it));
        items.any(|(of, item)| of.id == host.id && items::is_enabled(item))
    } else {
        true
    }
}

fn has_scenarios(host: &Host, asked: &dyn Fn(&str) -> bool) -> bool {
    if asked("with_httptests") {
        items::web_scenarios(host).next().is_some()
    } else if asked("with_monitored_httptests") {
        items::web_scenarios(host).any(items::is_enabled)
    } else {
        true
    }
}

/// The hosts of open problems of triggers, by `severities` and `withProblemsSuppressed`; `None`: they
/// are not asked for.
fn with_problems(get: &Get<'_>) -> Result<Option<Set<HostId>>, ApiError> {
    let severities = get.numbers("severities")?;
    let suppressed = get.side("withProblemsSuppressed");
    if severities.is_none() && suppressed.is_none() {
        return Ok(None);
    }
    let wanted = |it: &db::Problem| {
        it.is_open()
            && (it.event.source, it.event.object) == (source::TRIGGER, object::TRIGGER)
            && severities.as_ref().is_none_or(|list| list.contains(&it.severity.code().into()))
            && suppressed.is_none_or(|is| it.is_suppressed(get.ctx.now) == is)
    };
    let problems = get.ctx.db().events().view();
    let found = problems.iter().filter(|it| wanted(it));
    Ok(Some(found.flat_map(|it| it.event.hosts.iter().copied()).collect()))
}
