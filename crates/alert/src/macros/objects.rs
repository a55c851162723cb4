//! Macros about triggers, their items and hosts.

use std::sync::Arc;

use lang::expression::{NodeKind, functions_in_text, parse_stored};
use lang::lld::{EscapeTarget, RowIn};
use lang::macros::{Resolution, Search, UNKNOWN, inventory_number, of_host, of_log};
use model::content::TriggerContent;
use model::snapshot::{Discovered, Host, ItemRow, Snapshot, TriggerRow};
use model::{HostId, ItemId, Time, TriggerId, Value};

use super::expansion::{Asked, Expansion};
use super::facts::StateOwner;
use crate::event::{EventObject, EventSource, MessageEvent};

/// References in the texts of a trigger, in addition to macros.
const OF_TRIGGER: Search = Search { references: true, ..Search::BASIC };

type Item<'a> = (&'a Arc<Host>, &'a ItemRow);

fn known(value: Option<String>) -> Resolution {
    value.map_or(Resolution::Unknown, Resolution::Value)
}

/// A trigger with its holder.
#[derive(Clone, Copy)]
struct Trigger<'a> {
    snapshot: &'a Snapshot,
    holder: &'a Arc<Host>,
    row: &'a TriggerRow,
}

impl<'a> Trigger<'a> {
    fn of(of: &Expansion<'a>, event: &MessageEvent) -> Option<Self> {
        let snapshot = of.snapshot();
        let (holder, row) = (event.object == EventObject::Trigger)
            .then(|| snapshot.trigger(TriggerId(event.object_id)))
            .flatten()?;
        Some(Self { snapshot, holder, row })
    }

    fn content(self) -> &'a TriggerContent {
        &self.row.content
    }

    fn referred(self, reference: ItemId) -> Option<Item<'a>> {
        self.snapshot.item_meant(self.holder, reference, self.row.discovered())
    }

    /// The item of the function with this number, from 1, as functions stand in the expression's text.
    fn item(self, index: usize) -> Option<Item<'a>> {
        let functions = &self.content().functions;
        let in_text = functions_in_text(&self.content().expression, functions.len());
        let position = *in_text.get(index.checked_sub(1)?)?;
        self.referred(functions.get(position)?.item)
    }

    /// The items of all functions, each once.
    fn items(self) -> Vec<Item<'a>> {
        let mut items: Vec<Item<'a>> = Vec::new();
        for function in &self.content().functions {
            let item = self.referred(function.item);
            items.extend(item.filter(|it| items.iter().all(|known| known.1.id != it.1.id)));
        }
        items
    }
}

/// The item that a macro with an index means: of the trigger's function, else the event's own.
fn item_of<'a>(of: &Expansion<'a>, index: usize) -> Option<Item<'a>> {
    let event = of.facts.context().current()?;
    match event.object {
        EventObject::Trigger => Trigger::of(of, event)?.item(index),
        EventObject::Item | EventObject::DiscoveryRule => {
            of.snapshot().item(ItemId(event.object_id))
        }
        _ => None,
    }
}

fn trigger_of<'a>(of: &Expansion<'a>) -> Option<Trigger<'a>> {
    Trigger::of(of, of.facts.context().current()?)
}

/// A text of content as the row of a discovery rule made it.
fn discovered(of: &Expansion<'_>, text: &str, found: Option<&Discovered>) -> String {
    let Some(found) = found.filter(|_| text.contains("{#")) else { return text.to_owned() };
    let row = RowIn::new(&found.row, of.facts.zone());
    lang::lld::expand_text(text, row, EscapeTarget::Text).unwrap_or_else(|_invalid| text.to_owned())
}

/// Hosts that user macros of an event are looked for on.
pub(super) fn hosts_of(of: &Expansion<'_>, event: &MessageEvent) -> Vec<HostId> {
    let snapshot = of.snapshot();
    let hosts: Vec<HostId> = match event.object {
        EventObject::Trigger => {
            let trigger = Trigger::of(of, event);
            let items = trigger.map_or_else(Vec::new, Trigger::items);
            let mut hosts: Vec<HostId> = items.iter().map(|(host, _)| host.id).collect();
            hosts.sort_unstable();
            hosts.dedup();
            hosts
        }
        EventObject::Item | EventObject::DiscoveryRule => {
            snapshot.item(ItemId(event.object_id)).map(|(host, _)| host.id).into_iter().collect()
        }
        _ => Vec::new(),
    };
    if hosts.is_empty() { event.hosts.clone() } else { hosts }
}

pub(super) fn host(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let context = of.facts.context();
    let Some(event) = context.current() else {
        let host = context.target.and_then(|it| of.snapshot().hosts.get(&it));
        return known(host.and_then(|it| of.of_host(it, None, asked.name)));
    };
    if event.source == EventSource::Autoregistration {
        let Some(agent) = of.facts.registered() else { return Resolution::Unknown };
        return known(match asked.name {
            "HOST.HOST" => Some(agent.host),
            "HOST.IP" | "IPADDRESS" => Some(agent.ip),
            "HOST.PORT" => Some(agent.port),
            "HOST.METADATA" => Some(agent.metadata),
            _ => None,
        });
    }
    let item = item_of(of, asked.index);
    known(item.and_then(|(host, row)| of.of_host(host, Some(row), asked.name)))
}

/// The host where a command is executed; messages have none.
pub(super) fn target(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(target) = of.facts.context().target else { return Resolution::Keep };
    let name = asked.name.replace("HOST.TARGET.", "HOST.");
    let host = of.snapshot().hosts.get(&target);
    known(host.and_then(|it| of.of_host(it, None, &name)))
}

pub(super) fn inventory(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(number) = inventory_number(asked.name) else { return Resolution::Keep };
    let context = of.facts.context();
    let host = match context.current() {
        Some(_) => item_of(of, asked.index).map(|(host, _)| host.id),
        None => context.target,
    };
    let snapshot = of.snapshot();
    let inventory = host.and_then(|it| snapshot.inventories.get(&it));
    known(host.map(|_| inventory.map_or_else(String::new, |it| it.get(number).to_owned())))
}

pub(super) fn item(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some((host, row)) = item_of(of, asked.index) else { return Resolution::Unknown };
    let (_, what) = asked.name.split_once('.').unwrap_or_default();
    let description = || discovered(of, &row.content.description, row.discovered());
    Resolution::Value(match what {
        "DESCRIPTION" => of.user_macros(&description(), host.id),
        "DESCRIPTION.ORIG" => description(),
        "ID" => row.id.to_string(),
        "KEY" => of.item_key(host, row),
        "KEY.ORIG" => row.key().into_owned(),
        "NAME" => of.user_macros(&row.name(), host.id),
        "NAME.ORIG" => row.name().into_owned(),
        // Zabbix's code.
        _ => (row.content.value_type as u8).to_string(),
    })
}

/// Of the event's time, or the newest one.
pub(super) fn value(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let until = if asked.name == "ITEM.VALUE" { event_time(of) } else { None };
    let item = item_of(of, asked.index);
    known(item.and_then(|it| value_of(of, it, until, asked.is_raw)))
}

fn event_time(of: &Expansion<'_>) -> Option<Time> {
    of.facts.context().current().map(|it| it.time)
}

fn value_of(
    of: &Expansion<'_>,
    (host, row): Item<'_>,
    until: Option<Time>,
    is_raw: bool,
) -> Option<String> {
    let value = of.facts.value(row.id, until)?.value;
    Some(if is_raw { lang::value::plain(&value) } else { shown(of, (host, row), &value) })
}

fn shown(of: &Expansion<'_>, (host, row): Item<'_>, value: &Value) -> String {
    let map = of.snapshot().value_map(host, row);
    let mappings = map.map(|it| it.mappings.as_slice()).unwrap_or_default();
    lang::value::format(value, &row.content.units, mappings, of.facts.zone())
}

pub(super) fn log(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let what = asked.name.strip_prefix("ITEM.LOG.").unwrap_or_default();
    let entry = item_of(of, asked.index).and_then(|it| of.facts.value(it.1.id, event_time(of)));
    known(entry.and_then(|it| of_log(&it.value, what, of.facts.now(), of.facts.zone())))
}

/// `{EVENT.OPDATA}`: the trigger's operational data, else the newest values of its items.
pub(super) fn opdata(of: &Expansion<'_>, event: &MessageEvent) -> Resolution {
    let Some(trigger) = Trigger::of(of, event) else { return Resolution::Unknown };
    let text = &trigger.content().opdata;
    if !text.is_empty() {
        return Resolution::Value(inner(of, trigger, event, text));
    }
    let value = |it: Item<'_>| value_of(of, it, None, false).unwrap_or_else(|| UNKNOWN.to_owned());
    Resolution::Value(trigger.items().into_iter().map(value).collect::<Vec<_>>().join(", "))
}

/// A text of a trigger's own: name, description, operational data.
fn inner(of: &Expansion<'_>, trigger: Trigger<'_>, event: &MessageEvent, text: &str) -> String {
    let text = discovered(of, text, trigger.row.discovered());
    let constant = |digit: usize| {
        let stored = parse_stored(&trigger.content().expression).ok()?;
        let constant = lang::expression::constants(&stored.ast).get(digit.checked_sub(1)?)?.clone();
        let constant = discovered(of, &constant, trigger.row.discovered());
        Some(of.user_macro(&constant).unwrap_or(constant))
    };
    of.inner(&text, OF_TRIGGER, &constant, &|name, is_raw| {
        inner_macro(of, trigger, event, name, is_raw)
    })
}

/// The macros within texts of triggers.
fn inner_macro(
    of: &Expansion<'_>,
    trigger: Trigger<'_>,
    event: &MessageEvent,
    name: &str,
    is_raw: bool,
) -> Resolution {
    let (name, index) = lang::macros::split_index(name);
    let item = || trigger.item(index);
    let at = Some(event.time);
    known(match name {
        "HOST.HOST" | "HOSTNAME" | "HOST.NAME" | "HOST.ID" | "HOST.IP" | "IPADDRESS"
        | "HOST.DNS" | "HOST.CONN" | "HOST.PORT" => {
            item().and_then(|(host, row)| of.of_host(host, Some(row), name))
        }
        "ITEM.VALUE" => item().and_then(|it| value_of(of, it, at, is_raw)),
        "ITEM.LASTVALUE" => item().and_then(|it| value_of(of, it, None, is_raw)),
        "TRIGGER.ID" => Some(trigger.row.id.to_string()),
        "EVENT.ID" => Some(event.id.to_string()),
        _ => match name.strip_prefix("ITEM.LOG.") {
            Some(what) => {
                let entry = item().and_then(|it| of.facts.value(it.1.id, at));
                entry.and_then(|it| of_log(&it.value, what, of.facts.now(), of.facts.zone()))
            }
            None => return Resolution::Keep,
        },
    })
}

/// Texts of the trigger with their own macros replaced.
pub(super) fn trigger_text(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let (Some(trigger), Some(event)) = (trigger_of(of), of.facts.context().current()) else {
        return Resolution::Unknown;
    };
    let content = trigger.content();
    let text = match asked.name {
        "TRIGGER.NAME" => trigger.row.name(),
        "TRIGGER.URL" => content.url.as_str().into(),
        "TRIGGER.URL.NAME" => content.url_name.as_str().into(),
        _ => content.comments.as_str().into(),
    };
    Resolution::Value(inner(of, trigger, event, &text))
}

pub(super) fn trigger(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(event) = of.facts.context().current() else { return Resolution::Keep };
    if asked.name == "TRIGGER.ID" {
        return Resolution::Value(event.object_id.to_string());
    }
    let is_problem = event.value == 1;
    match asked.name {
        "TRIGGER.VALUE" => return Resolution::Value(u8::from(is_problem).to_string()),
        "TRIGGER.STATUS" | "STATUS" => {
            return Resolution::Value(if is_problem { "PROBLEM" } else { "OK" }.to_owned());
        }
        _ => {}
    }
    let Some(trigger) = Trigger::of(of, event) else { return Resolution::Unknown };
    let severity = trigger.content().priority;
    Resolution::Value(match asked.name {
        "TRIGGER.NSEVERITY" => severity.code().to_string(),
        "TRIGGER.SEVERITY" => of.facts.severity_name(severity),
        _ => trigger.row.name().into_owned(),
    })
}

pub(super) fn event_counts(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let trigger = of.facts.context().current().map(|it| TriggerId(it.object_id));
    let counts = trigger.and_then(|it| of.facts.event_counts(it));
    known(counts.map(|it| {
        let count = match asked.name {
            "TRIGGER.EVENTS.ACK" => it.acknowledged,
            "TRIGGER.EVENTS.UNACK" => it.unacknowledged,
            "TRIGGER.EVENTS.PROBLEM.ACK" => it.problems_acknowledged,
            _ => it.problems_unacknowledged,
        };
        count.to_string()
    }))
}

pub(super) fn expression(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(trigger) = trigger_of(of) else { return Resolution::Unknown };
    let content = trigger.content();
    let stored = match asked.name.contains(".RECOVERY") {
        true if content.recovery_expression.is_empty() => return Resolution::Value(String::new()),
        true => &content.recovery_expression,
        false => &content.expression,
    };
    if asked.name.ends_with(".EXPLAIN") {
        return known(explained(of, trigger, stored));
    }
    let found = trigger.row.discovered();
    let made = found.and_then(|it| {
        let row = RowIn::new(&it.row, of.facts.zone());
        lang::lld::expand_stored(stored, &content.functions, row).ok()
    });
    let (text, functions) = match &made {
        Some((text, functions)) => (text.as_str(), functions.as_slice()),
        None => (stored.as_str(), content.functions.as_slice()),
    };
    let mut name = |reference: ItemId| {
        let (host, row) = trigger.referred(reference)?;
        Some((host.host.to_string(), row.key().into_owned()))
    };
    known(lang::expression::render(text, functions, &mut name).ok())
}

/// The expression with the results of its functions: `21>10`.
fn explained(of: &Expansion<'_>, trigger: Trigger<'_>, stored: &str) -> Option<String> {
    let at = event_time(of)?;
    lang::expression::explain(stored, &mut |kind, written| match kind {
        NodeKind::FunctionId => {
            let position = written.trim_matches(['{', '}']).parse().unwrap_or(usize::MAX);
            let value = of.facts.function_value(trigger.row.id, position, at);
            let text = value.map_or_else(|| UNKNOWN.to_owned(), |it| quoted(&it));
            Some(text)
        }
        _ => {
            let text = discovered(of, written, trigger.row.discovered());
            Some(of.user_macro(&text).unwrap_or(text))
        }
    })
}

/// Texts stand in quotes in an explained expression.
fn quoted(value: &str) -> String {
    if formats::number::parse_f64(value).is_some() {
        value.to_owned()
    } else {
        lang::expression::quote_string(value)
    }
}

/// The result of a function of an expression.
pub(super) fn function(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let (Some(trigger), Some(at)) = (trigger_of(of), event_time(of)) else {
        return Resolution::Unknown;
    };
    let content = trigger.content();
    let is_recovery = asked.name == "FUNCTION.RECOVERY.VALUE";
    let stored = if is_recovery { &content.recovery_expression } else { &content.expression };
    let positions = parse_stored(stored).map_or_else(|_invalid| Vec::new(), |it| it.in_text());
    let position = asked.index.checked_sub(1).and_then(|it| positions.get(it).copied());
    known(position.and_then(|it| of.facts.function_value(trigger.row.id, it, at)))
}

/// Groups of the hosts, as far as the recipient may see them.
pub(super) fn groups(of: &Expansion<'_>, _asked: &Asked<'_>) -> Resolution {
    let Some(trigger) = trigger_of(of) else { return Resolution::Unknown };
    let snapshot = of.snapshot();
    let items = trigger.items();
    let ids = items.iter().flat_map(|(host, _)| &host.groups).filter(|it| of.facts.may_read(**it));
    let names = ids.filter_map(|it| snapshot.host_groups.get(it)).map(|it| it.name.to_string());
    joined(names.collect())
}

fn joined(mut names: Vec<String>) -> Resolution {
    names.sort();
    names.dedup();
    if names.is_empty() { Resolution::Unknown } else { Resolution::Value(names.join(", ")) }
}

/// The templates that the trigger was made on.
pub(super) fn templates(of: &Expansion<'_>, _asked: &Asked<'_>) -> Resolution {
    let Some(trigger) = trigger_of(of) else { return Resolution::Unknown };
    let snapshot = of.snapshot();
    let row = match trigger.row.discovered() {
        Some(found) => snapshot.trigger(TriggerId(found.prototype)).map(|(_, row)| row),
        None => Some(trigger.row),
    };
    let chain = row.map(|it| snapshot.trigger_chain(it).collect::<Vec<_>>()).unwrap_or_default();
    let origin = chain.last().and_then(|it| snapshot.trigger(*it));
    let Some((holder, row)) = origin else { return Resolution::Unknown };
    let origin = Trigger { snapshot, holder, row };
    let mut names: Vec<String> = origin
        .items()
        .iter()
        .map(|(it, _)| it)
        .filter(|it| snapshot.templates.contains_key(&it.id))
        .filter(|it| of.facts.may_read_template(it.id))
        .map(|it| it.name.to_string())
        .collect();
    if names.is_empty() && snapshot.templates.contains_key(&holder.id) {
        names.push(holder.name.to_string());
    }
    joined(names)
}

/// Of internal events: the state of the object, and its reason.
pub(super) fn state(of: &Expansion<'_>, asked: &Asked<'_>) -> Resolution {
    let Some(event) = of.facts.context().current() else { return Resolution::Keep };
    let is_trigger = event.object == EventObject::Trigger;
    if asked.name.ends_with(".ERROR") {
        let object = if is_trigger {
            StateOwner::Trigger(TriggerId(event.object_id))
        } else {
            StateOwner::Item(ItemId(event.object_id))
        };
        return known(of.facts.object_state(object).map(|it| it.error));
    }
    let words = match (event.value, is_trigger) {
        (0, _) => "Normal",
        (_, true) => "Unknown",
        (_, false) => "Not supported",
    };
    Resolution::Value(words.to_owned())
}

impl Expansion<'_> {
    /// The value of a macro of a host, user macros of its addresses replaced.
    fn of_host(&self, host: &Arc<Host>, item: Option<&ItemRow>, name: &str) -> Option<String> {
        let text = of_host(host, item, name)?;
        let is_written_by_users = !matches!(name, "HOST.HOST" | "HOSTNAME" | "HOST.NAME");
        Some(if is_written_by_users { self.user_macros(&text, host.id) } else { text })
    }

    /// The key with macros of its parameters replaced.
    fn item_key(&self, host: &Arc<Host>, row: &ItemRow) -> String {
        let key = row.key();
        let expand = &mut |part: &str| {
            let text = self.user_macros(part, host.id);
            let name = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
            Some(name.and_then(|it| of_host(host, Some(row), it)).unwrap_or(text))
        };
        lang::key::replace_params(&key, expand).unwrap_or_else(|_invalid| key.to_string())
    }
}
