//! Names of built-in macros, the messages in which they exist, and the functions that resolve them.

use lang::macros::Resolution;

use super::expansion::{Asked, Expansion};
use super::{events, misc, objects};
use crate::event::{EventObject, EventSource, MessageEvent};

/// The subject of a message, as far as names of macros differ: sets of bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Scopes(u8);

impl Scopes {
    const TRIGGER: Self = Self(1);
    const DISCOVERY: Self = Self(2);
    const AUTOREGISTRATION: Self = Self(4);
    /// Internal events, by the type of their object.
    const TRIGGER_STATE: Self = Self(8);
    const ITEM_STATE: Self = Self(16);
    const RULE_STATE: Self = Self(32);
    const SERVICE: Self = Self(64);
    /// A script that is started for a host: there is no event.
    const HOST: Self = Self(128);

    pub(super) fn of(event: Option<&MessageEvent>) -> Self {
        let Some(event) = event else { return Self::HOST };
        match (event.source, event.object) {
            (EventSource::Trigger, _) => Self::TRIGGER,
            (EventSource::Discovery, _) => Self::DISCOVERY,
            (EventSource::Autoregistration, _) => Self::AUTOREGISTRATION,
            (EventSource::Service, _) => Self::SERVICE,
            (EventSource::Internal, EventObject::Trigger) => Self::TRIGGER_STATE,
            (EventSource::Internal, EventObject::DiscoveryRule) => Self::RULE_STATE,
            (EventSource::Internal, _) => Self::ITEM_STATE,
        }
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

pub(super) struct Name {
    /// One that ends with a dot is the beginning of many.
    name: &'static str,
    scopes: Scopes,
    /// Whether `{NAME2}` means the second function's; in messages about triggers.
    is_indexed: bool,
    run: fn(&Expansion<'_>, &Asked<'_>) -> Resolution,
}

const T: Scopes = Scopes::TRIGGER;
const INTERNAL: Scopes = Scopes::TRIGGER_STATE.and(Scopes::ITEM_STATE).and(Scopes::RULE_STATE);
const TRIGGERS: Scopes = T.and(Scopes::TRIGGER_STATE);
const ITEMS: Scopes = TRIGGERS.and(Scopes::ITEM_STATE);
const HOSTS: Scopes = ITEMS.and(Scopes::RULE_STATE).and(Scopes::HOST);
const D: Scopes = Scopes::DISCOVERY;
const A: Scopes = Scopes::AUTOREGISTRATION;
const S: Scopes = Scopes::SERVICE;
/// Those that have problems and recoveries.
const PROBLEMS: Scopes = T.and(INTERNAL).and(S);
const EVENTS: Scopes = PROBLEMS.and(D).and(A);
const ALL: Scopes = EVENTS.and(Scopes::HOST);
const TARGETS: Scopes = T.and(D).and(A);

type Run = fn(&Expansion<'_>, &Asked<'_>) -> Resolution;

const fn of(name: &'static str, scopes: Scopes, run: Run) -> Name {
    Name { name, scopes, is_indexed: false, run }
}

const fn indexed(name: &'static str, scopes: Scopes, run: Run) -> Name {
    Name { name, scopes, is_indexed: true, run }
}

/// All names of Zabbix 7.0, older ones for the same included. Sorted.
#[rustfmt::skip]
const NAMES: &[Name] = &[
    of("ACK.DATE", T, events::update),
    of("ACK.MESSAGE", T, events::update),
    of("ACK.TIME", T, events::update),
    of("ACTION.ID", EVENTS, misc::action),
    of("ACTION.NAME", EVENTS, misc::action),
    of("ALERT.ACKURL", T.and(S), misc::acknowledge_url),
    of("ALERT.MESSAGE", EVENTS, misc::alert),
    of("ALERT.SENDTO", EVENTS, misc::alert),
    of("ALERT.SUBJECT", EVENTS, misc::alert),
    of("DATE", EVENTS, misc::now),
    of("DISCOVERY.DEVICE.DNS", D, misc::discovery),
    of("DISCOVERY.DEVICE.IPADDRESS", D, misc::discovery),
    of("DISCOVERY.DEVICE.STATUS", D, misc::discovery),
    of("DISCOVERY.DEVICE.UPTIME", D, misc::discovery),
    of("DISCOVERY.RULE.NAME", D, misc::discovery),
    of("DISCOVERY.SERVICE.NAME", D, misc::discovery),
    of("DISCOVERY.SERVICE.PORT", D, misc::discovery),
    of("DISCOVERY.SERVICE.STATUS", D, misc::discovery),
    of("DISCOVERY.SERVICE.UPTIME", D, misc::discovery),
    of("ESC.HISTORY", PROBLEMS, misc::escalation),
    of("EVENT.ACK.HISTORY", T, events::history),
    of("EVENT.ACK.STATUS", T, events::plain),
    of("EVENT.AGE", EVENTS, events::plain),
    of("EVENT.CAUSE.", T, events::cause),
    of("EVENT.DATE", EVENTS, events::plain),
    of("EVENT.DURATION", PROBLEMS, events::plain),
    of("EVENT.ID", EVENTS, events::plain),
    of("EVENT.NAME", PROBLEMS, events::plain),
    of("EVENT.NSEVERITY", T.and(S), events::plain),
    of("EVENT.OBJECT", EVENTS, events::plain),
    of("EVENT.OPDATA", T, events::opdata),
    of("EVENT.RECOVERY.DATE", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.ID", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.NAME", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.STATUS", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.TAGS", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.TAGSJSON", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.TIME", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.TIMESTAMP", PROBLEMS, events::recovery),
    of("EVENT.RECOVERY.VALUE", PROBLEMS, events::recovery),
    of("EVENT.SEVERITY", T.and(S), events::plain),
    of("EVENT.SOURCE", EVENTS, events::plain),
    of("EVENT.STATUS", PROBLEMS, events::current),
    of("EVENT.SYMPTOMS", T, events::symptoms),
    of("EVENT.TAGS", PROBLEMS, events::plain),
    of("EVENT.TAGS.", PROBLEMS, events::plain),
    of("EVENT.TAGSJSON", PROBLEMS, events::plain),
    of("EVENT.TIME", EVENTS, events::plain),
    of("EVENT.TIMESTAMP", EVENTS, events::plain),
    of("EVENT.UPDATE.ACTION", T, events::update),
    of("EVENT.UPDATE.ACTIONJSON", T, events::update),
    of("EVENT.UPDATE.DATE", T.and(S), events::update),
    of("EVENT.UPDATE.HISTORY", T, events::history),
    of("EVENT.UPDATE.MESSAGE", T, events::update),
    of("EVENT.UPDATE.NSEVERITY", S, events::update),
    of("EVENT.UPDATE.SEVERITY", S, events::update),
    of("EVENT.UPDATE.STATUS", T.and(S), events::update),
    of("EVENT.UPDATE.TIME", T.and(S), events::update),
    of("EVENT.UPDATE.TIMESTAMP", T.and(S), events::update),
    of("EVENT.VALUE", PROBLEMS, events::current),
    indexed("FUNCTION.RECOVERY.VALUE", TRIGGERS, objects::function),
    indexed("FUNCTION.VALUE", TRIGGERS, objects::function),
    indexed("HOST.CONN", HOSTS, objects::host),
    indexed("HOST.DESCRIPTION", HOSTS, objects::host),
    indexed("HOST.DNS", HOSTS, objects::host),
    indexed("HOST.HOST", HOSTS.and(A), objects::host),
    indexed("HOST.ID", HOSTS, objects::host),
    indexed("HOST.IP", HOSTS.and(A), objects::host),
    of("HOST.METADATA", A, objects::host),
    indexed("HOST.NAME", HOSTS, objects::host),
    indexed("HOST.PORT", HOSTS.and(A), objects::host),
    of("HOST.TARGET.CONN", TARGETS, objects::target),
    of("HOST.TARGET.DNS", TARGETS, objects::target),
    of("HOST.TARGET.HOST", TARGETS, objects::target),
    of("HOST.TARGET.IP", TARGETS, objects::target),
    of("HOST.TARGET.NAME", TARGETS, objects::target),
    indexed("HOSTNAME", HOSTS, objects::host),
    indexed("INVENTORY.", HOSTS, objects::inventory),
    indexed("IPADDRESS", HOSTS.and(A), objects::host),
    indexed("ITEM.DESCRIPTION", ITEMS, objects::item),
    indexed("ITEM.DESCRIPTION.ORIG", ITEMS, objects::item),
    indexed("ITEM.ID", ITEMS, objects::item),
    indexed("ITEM.KEY", ITEMS, objects::item),
    indexed("ITEM.KEY.ORIG", ITEMS, objects::item),
    indexed("ITEM.LASTVALUE", T, objects::value),
    indexed("ITEM.LOG.AGE", T, objects::log),
    indexed("ITEM.LOG.DATE", T, objects::log),
    indexed("ITEM.LOG.EVENTID", T, objects::log),
    indexed("ITEM.LOG.NSEVERITY", T, objects::log),
    indexed("ITEM.LOG.SEVERITY", T, objects::log),
    indexed("ITEM.LOG.SOURCE", T, objects::log),
    indexed("ITEM.LOG.TIME", T, objects::log),
    indexed("ITEM.LOG.TIMESTAMP", T, objects::log),
    indexed("ITEM.NAME", ITEMS, objects::item),
    indexed("ITEM.NAME.ORIG", ITEMS, objects::item),
    of("ITEM.STATE", Scopes::ITEM_STATE, objects::state),
    of("ITEM.STATE.ERROR", Scopes::ITEM_STATE, objects::state),
    indexed("ITEM.VALUE", T, objects::value),
    indexed("ITEM.VALUETYPE", ITEMS, objects::item),
    of("LLDRULE.DESCRIPTION", Scopes::RULE_STATE, objects::item),
    of("LLDRULE.DESCRIPTION.ORIG", Scopes::RULE_STATE, objects::item),
    of("LLDRULE.ID", Scopes::RULE_STATE, objects::item),
    of("LLDRULE.KEY", Scopes::RULE_STATE, objects::item),
    of("LLDRULE.KEY.ORIG", Scopes::RULE_STATE, objects::item),
    of("LLDRULE.NAME", Scopes::RULE_STATE, objects::item),
    of("LLDRULE.NAME.ORIG", Scopes::RULE_STATE, objects::item),
    of("LLDRULE.STATE", Scopes::RULE_STATE, objects::state),
    of("LLDRULE.STATE.ERROR", Scopes::RULE_STATE, objects::state),
    of("MANUALINPUT", T.and(Scopes::HOST), misc::manual_input),
    indexed("PROFILE.", HOSTS, objects::inventory),
    indexed("PROXY.DESCRIPTION", ITEMS.and(Scopes::RULE_STATE).and(D).and(A), misc::proxy),
    indexed("PROXY.NAME", ITEMS.and(Scopes::RULE_STATE).and(D).and(A), misc::proxy),
    of("SERVICE.DESCRIPTION", S, misc::service),
    of("SERVICE.ID", S, misc::service),
    of("SERVICE.NAME", S, misc::service),
    of("SERVICE.ROOTCAUSE", S, misc::service),
    of("SERVICE.TAGS", S, misc::service),
    of("SERVICE.TAGS.", S, misc::service),
    of("SERVICE.TAGSJSON", S, misc::service),
    of("STATUS", T, objects::trigger),
    of("TIME", EVENTS, misc::now),
    of("TIMESTAMP", EVENTS, misc::now),
    of("TRIGGER.COMMENT", TRIGGERS, objects::trigger_text),
    of("TRIGGER.DESCRIPTION", TRIGGERS, objects::trigger_text),
    of("TRIGGER.EVENTS.ACK", T, objects::event_counts),
    of("TRIGGER.EVENTS.PROBLEM.ACK", T, objects::event_counts),
    of("TRIGGER.EVENTS.PROBLEM.UNACK", T, objects::event_counts),
    of("TRIGGER.EVENTS.UNACK", T, objects::event_counts),
    of("TRIGGER.EXPRESSION", TRIGGERS, objects::expression),
    of("TRIGGER.EXPRESSION.EXPLAIN", TRIGGERS, objects::expression),
    of("TRIGGER.EXPRESSION.RECOVERY", TRIGGERS, objects::expression),
    of("TRIGGER.EXPRESSION.RECOVERY.EXPLAIN", TRIGGERS, objects::expression),
    of("TRIGGER.HOSTGROUP.NAME", TRIGGERS, objects::groups),
    of("TRIGGER.ID", TRIGGERS, objects::trigger),
    indexed("TRIGGER.KEY", ITEMS, objects::item),
    of("TRIGGER.NAME", TRIGGERS, objects::trigger_text),
    of("TRIGGER.NAME.ORIG", TRIGGERS, objects::trigger),
    of("TRIGGER.NSEVERITY", TRIGGERS, objects::trigger),
    of("TRIGGER.SEVERITY", TRIGGERS, objects::trigger),
    of("TRIGGER.STATE", Scopes::TRIGGER_STATE, objects::state),
    of("TRIGGER.STATE.ERROR", Scopes::TRIGGER_STATE, objects::state),
    of("TRIGGER.STATUS", T, objects::trigger),
    of("TRIGGER.TEMPLATE.NAME", TRIGGERS, objects::templates),
    of("TRIGGER.URL", TRIGGERS, objects::trigger_text),
    of("TRIGGER.URL.NAME", TRIGGERS, objects::trigger_text),
    of("TRIGGER.VALUE", T, objects::trigger),
    of("USER.ALIAS", ALL, misc::user),
    of("USER.FULLNAME", ALL, misc::user),
    of("USER.NAME", ALL, misc::user),
    of("USER.SURNAME", ALL, misc::user),
    of("USER.USERNAME", ALL, misc::user),
];

/// The value of `name` (with its index, without braces) in the text being expanded.
pub(super) fn answer(of: &Expansion<'_>, name: &str, is_raw: bool) -> Resolution {
    let scope = Scopes::of(of.facts.context().current());
    let has = |it: &Name| it.scopes.has(scope);
    // `{HOST.NAME2}`, but not `{EVENT.TAGS.a2}`.
    let (base, index) = lang::macros::split_index(name);
    let is_about_triggers = TRIGGERS.has(scope);
    let known = find(name).map(|it| (it, name, 1));
    let known = known.filter(|(it, ..)| !(it.is_indexed && it.name.ends_with('.') && base != name));
    let known = known.or_else(|| {
        let it = find(base).filter(|it| it.is_indexed && is_about_triggers)?;
        Some((it, base, index))
    });
    match known.filter(|(it, ..)| has(it)) {
        Some((it, name, index)) => (it.run)(of, &Asked { name, index, is_raw }),
        None => Resolution::Keep,
    }
}

fn find(name: &str) -> Option<&'static Name> {
    let at = NAMES.partition_point(|it| it.name <= name).checked_sub(1)?;
    let whole = NAMES.get(at).filter(|it| it.name == name);
    whole.or_else(|| {
        NAMES.iter().find(|it| {
            it.name.ends_with('.') && name.len() > it.name.len() && name.starts_with(it.name)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_there_once() {
        assert!(NAMES.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn the_guide_has_all_names() {
        let guide = include_str!("../../../../docs/user/macros.md");
        for it in NAMES {
            assert!(guide.contains(&format!("`{{{}", it.name)), "{} is not in the guide", it.name);
        }
    }
}
