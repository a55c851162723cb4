//! Facts of an event for conditions of actions, from the present configuration.

use std::collections::BTreeSet;

use alert::judging::{
    AutoregistrationFacts, ConditionFacts, DiscoveryFacts, EventFacts, InternalKind, ObjectLink,
};
use alert::{EventObject, EventSource};
use db::objects::drule::checks;
use db::{AutoregisteredHost, DiscoveredDevice, EventRow, Problem};
use jiff::tz::TimeZone;
use lang::macros::{Layer, Layers, breadth_first};
use lang::time_period::TimePeriod;
use model::snapshot::Snapshot;
use model::{GroupId, HostId, ItemId, Time, TriggerId};

/// The object of an event that is no part of the configuration.
#[derive(Clone, Copy, Debug)]
pub enum FoundObject<'a> {
    /// Nothing of the kind, or it is not there any more.
    Nothing,
    Agent(&'a AutoregisteredHost),
    Device(&'a DiscoveredDevice),
}

/// An event by the configuration of now.
#[derive(Debug)]
pub struct JudgedEvent<'a> {
    snapshot: &'a Snapshot,
    zone: &'a TimeZone,
    event: &'a EventRow,
    found: FoundObject<'a>,
    facts: EventFacts,
}

impl<'a> JudgedEvent<'a> {
    /// `problem`: the present state of the event.
    #[must_use]
    pub fn new(
        (snapshot, zone, now): (&'a Snapshot, &'a TimeZone, Time),
        event: &'a EventRow,
        problem: Option<&Problem>,
        found: FoundObject<'a>,
    ) -> Self {
        let source = EventSource::from_code(event.source).unwrap_or(EventSource::Trigger);
        let mut facts = EventFacts::new(source);
        facts.name.clone_from(&event.name);
        facts.severity = problem.map_or(event.severity, |it| it.severity);
        facts.tags.clone_from(&event.tags);
        facts.is_suppressed = problem.is_some_and(|it| it.is_suppressed(now));
        if source == EventSource::Internal {
            facts.internal = EventObject::from_code(event.object).and_then(|it| match it {
                EventObject::Trigger => Some(InternalKind::TriggerUnknown),
                EventObject::Item => Some(InternalKind::ItemNotSupported),
                EventObject::DiscoveryRule => Some(InternalKind::RuleNotSupported),
                _ => None,
            });
        }
        if source == EventSource::Service {
            let service = snapshot.services.get(event.objectid);
            facts.service = service.map(|it| it.name.clone());
        }
        match found {
            FoundObject::Nothing => {}
            FoundObject::Agent(it) => {
                facts.autoregistration = Some(AutoregistrationFacts {
                    host: it.host.clone(),
                    metadata: it.host_metadata.clone(),
                });
            }
            FoundObject::Device(it) => facts.discovery = Some(discovery_facts(snapshot, event, it)),
        }
        Self { snapshot, zone, event, found, facts }
    }

    fn is_of_group(&self, id: GroupId) -> Option<bool> {
        self.snapshot.host_groups.get(&id)?;
        let mut hosts = self.event.hosts.iter().filter_map(|it| self.snapshot.hosts.get(it));
        Some(hosts.any(|it| self.snapshot.is_in_group(it, id)))
    }

    fn is_of_template(&self, id: HostId) -> Option<bool> {
        self.snapshot.templates.get(&id)?;
        let mut holders = BTreeSet::new();
        match EventObject::from_code(self.event.object) {
            Some(EventObject::Trigger) => {
                for it in triggers_above(self.snapshot, TriggerId(self.event.objectid)) {
                    holders.extend(self.snapshot.trigger(it).map(|(holder, _)| holder.id));
                }
            }
            Some(EventObject::Item | EventObject::DiscoveryRule) => {
                let above = items_above(self.snapshot, ItemId(self.event.objectid));
                holders.extend(
                    above
                        .into_iter()
                        .filter_map(|it| self.snapshot.item_holder(it).map(|holder| holder.id)),
                );
            }
            _ => {}
        }
        Some(holders.contains(&id))
    }
}

/// Facts of a device or service for conditions.
fn discovery_facts(
    snapshot: &Snapshot,
    event: &EventRow,
    device: &DiscoveredDevice,
) -> DiscoveryFacts {
    let (lastup, lastdown) = match &device.service {
        Some(it) => (it.lastup, it.lastdown),
        None => (device.host.lastup, device.host.lastdown),
    };
    let service = device.service.as_ref();
    let kind = service.and_then(|it| check_type(snapshot, device.host.rule, it.check));
    DiscoveryFacts {
        object: event.object,
        status: event.value,
        addresses: device.addresses(),
        lasts_s: event.time.clock().saturating_sub(lastup.max(lastdown)).max(0),
        service_types: kind.into_iter().collect(),
        ports: service.map(|it| it.port).into_iter().collect(),
        values: service.map(|it| it.value.clone()).into_iter().collect(),
    }
}

/// The type of a check of network discovery.
#[must_use]
pub fn check_type(snapshot: &Snapshot, rule: u64, check: u64) -> Option<u8> {
    let rule = snapshot.documents.get("drule", rule)?;
    let id = check.to_string();
    let mut all = checks(&rule.body);
    let check = all.find(|it| it.get("dcheckid").and_then(|it| it.as_str()) == Some(&*id))?;
    check.get("type")?.as_str()?.parse().ok()
}

/// Whether there is a check of network discovery.
#[must_use]
pub fn has_check(snapshot: &Snapshot, check: u64) -> bool {
    snapshot.documents.of("drule").any(|it| check_type(snapshot, it.id, check).is_some())
}

/// A trigger and the triggers that it was inherited from; of a discovered one also its prototype
/// with its templates.
fn triggers_above(snapshot: &Snapshot, id: TriggerId) -> Vec<TriggerId> {
    let Some((_, row)) = snapshot.trigger(id) else { return Vec::new() };
    let mut all: Vec<TriggerId> = snapshot.trigger_chain(row).collect();
    let prototype = row.discovered().map(|it| TriggerId(it.prototype));
    if let Some((_, row)) = prototype.and_then(|it| snapshot.trigger(it)) {
        all.extend(snapshot.trigger_chain(row));
    }
    all
}

fn items_above(snapshot: &Snapshot, id: ItemId) -> Vec<ItemId> {
    let Some((_, row)) = snapshot.item(id) else { return Vec::new() };
    let mut all: Vec<ItemId> = snapshot.item_chain(row).collect();
    let prototype = row.discovered().map(|it| ItemId(it.prototype));
    if let Some((_, row)) = prototype.and_then(|it| snapshot.item(it)) {
        all.extend(snapshot.item_chain(row));
    }
    all
}

impl ConditionFacts for JudgedEvent<'_> {
    fn event(&self) -> &EventFacts {
        &self.facts
    }

    fn is_linked(&self, link: ObjectLink, id: u64) -> Option<bool> {
        match link {
            ObjectLink::HostGroup => self.is_of_group(GroupId(id)),
            ObjectLink::Host => {
                self.snapshot.hosts.get(&HostId(id))?;
                Some(self.event.hosts.contains(&HostId(id)))
            }
            ObjectLink::Trigger => {
                self.snapshot.trigger(TriggerId(id))?;
                let above = triggers_above(self.snapshot, TriggerId(self.event.objectid));
                Some(above.contains(&TriggerId(id)))
            }
            ObjectLink::Template => self.is_of_template(HostId(id)),
            ObjectLink::Service => {
                self.snapshot.services.get(id)?;
                let is_it = self.event.objectid == id;
                Some(is_it || self.snapshot.services.below([id]).contains(&self.event.objectid))
            }
            ObjectLink::DiscoveryRule => {
                self.snapshot.documents.get("drule", id)?;
                Some(matches!(self.found, FoundObject::Device(it) if it.host.rule == id))
            }
            ObjectLink::DiscoveryCheck => {
                let of_event = match self.found {
                    FoundObject::Device(it) => it.service.as_ref().map(|it| it.check),
                    _ => None,
                };
                let is_it = of_event == Some(id);
                (is_it || has_check(self.snapshot, id)).then_some(is_it)
            }
            // Nothing of the kind is in the configuration yet.
            ObjectLink::Proxy => None,
        }
    }

    fn is_within(&self, period: &str) -> Option<bool> {
        let text = with_macros(self.snapshot, None, period)?;
        let period = TimePeriod::parse(&text)?;
        Some(period.contains(self.event.time.clock(), self.zone))
    }
}

/// A text that may be a user macro: one of the host, else a global one. `None`: there is no such macro.
#[must_use]
pub fn with_macros(snapshot: &Snapshot, host: Option<HostId>, text: &str) -> Option<String> {
    if !text.starts_with("{$") {
        return Some(text.to_owned());
    }
    let order = host.map(|host| {
        breadth_first(&[host], &mut |it| {
            snapshot.holder(it).map(|it| it.templates.clone()).unwrap_or_default()
        })
    });
    let holders = order.iter().flatten().filter_map(|it| snapshot.holder(*it));
    let chain: Vec<Layer> = holders.map(|it| Layer::new(&it.macros)).collect();
    let chain: Vec<&Layer> = chain.iter().collect();
    let global = Layer::new(&snapshot.globals.macros);
    let found = Layers { host: &chain, global: &global }.resolve(text)?;
    Some(found.value.to_string())
}
