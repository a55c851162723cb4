//! Active agents: which checks they get, and whether they live.
//!
//! A list is sent when the agent's session is new here or its revision of the list is not the
//! present one; else the agent keeps what it has. The revision of a host's list is the epoch of
//! the last change of the host.
//!
//! An agent that beats is available; it is not any more when twice the time between its beats has
//! passed without one. Agents that do not beat (older ones, or where that is switched off) stay
//! unknown.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use lang::interval::Interval;
use model::HostId;
use model::content::{
    GlobalRegexp, HostStatus, ItemStatus, ItemType, RegexpExpression, RegexpKind,
};
use model::key::ItemKey;
use model::map::{Map, Set};
use model::snapshot::{Delta, Host, ItemRow, Snapshot};
use rt::clock::{Clock, nanos};
use wire::active::{
    Check, CheckList, ChecksAnswer, ChecksRequest, CommandResult, ExpressionKind, Heartbeat, Regexp,
};

use crate::Configuration;
use crate::agent_commands::AgentCommands;
use crate::encryption::{Peer, code_of, may_register, may_speak_for};
use crate::ports::{AvailabilitySink, Available, ItemStates, Registration, Registrations};
use crate::resolve::{Context, Resolver, TIMEOUT_MAX_S};
use crate::trapper::{ActiveAgents, warn_not_its_host};

/// How often agents that fell silent are looked for.
pub(crate) const SWEEP_EACH: Duration = Duration::from_secs(10);
/// Longest time between beats that an agent may announce.
const BEAT_MAX_S: u64 = 3_600;

/// Answers and watches active agents.
pub struct ActiveChecks {
    configuration: Arc<dyn Configuration>,
    item_states: Arc<dyn ItemStates>,
    availability: Arc<dyn AvailabilitySink>,
    registrations: Arc<dyn Registrations>,
    resolver: Arc<Resolver>,
    timeout: Duration,
    clock: Clock,
    agents: Mutex<Agents>,
    commands: Arc<AgentCommands>,
}

/// What [`ActiveChecks`] works with.
#[expect(missing_debug_implementations, reason = "holds trait objects; never printed")]
pub struct ActiveParts {
    pub configuration: Arc<dyn Configuration>,
    pub item_states: Arc<dyn ItemStates>,
    pub availability: Arc<dyn AvailabilitySink>,
    pub registrations: Arc<dyn Registrations>,
    /// Of checks whose item has none; agents are told whole seconds.
    pub timeout: Duration,
    /// Zone of macro functions.
    pub zone: TimeZone,
    pub clock: Clock,
}

#[derive(Debug, Default)]
struct Agents {
    by_host: Map<HostId, Agent>,
    /// Epochs of the hosts' last changes, where later than the first epoch.
    changed: Map<HostId, u64>,
    first_epoch: u64,
}

#[derive(Debug, Default)]
struct Agent {
    /// Token of the run that was given the list.
    session: Option<Box<str>>,
    beats: Option<Beats>,
}

#[derive(Debug)]
struct Beats {
    available: Available,
    each_ns: u64,
    last_ns: u64,
}

impl fmt::Debug for ActiveChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActiveChecks").finish_non_exhaustive()
    }
}

impl ActiveChecks {
    #[must_use]
    pub fn new(parts: ActiveParts) -> Self {
        let resolver = Arc::new(Resolver::new(parts.zone.clone()));
        Self::with_resolver(parts, resolver)
    }

    pub(crate) fn with_resolver(parts: ActiveParts, resolver: Arc<Resolver>) -> Self {
        let ActiveParts { configuration, item_states, availability, registrations, .. } = parts;
        let (timeout, clock) = (parts.timeout, parts.clock);
        let first_epoch = configuration.snapshot().epoch;
        let agents = Mutex::new(Agents { first_epoch, ..Agents::default() });
        let commands = Arc::new(AgentCommands::new(clock.wall()));
        Self {
            configuration,
            item_states,
            availability,
            registrations,
            resolver,
            timeout,
            clock,
            agents,
            commands,
        }
    }

    /// Commands that agents are given with their checks.
    #[must_use]
    pub fn commands(&self) -> &Arc<AgentCommands> {
        &self.commands
    }

    /// Takes over a change of the configuration. Of hosts that are not monitored any more nothing is
    /// known, here and wherever it was told.
    pub(crate) fn configure(&self, snapshot: &Snapshot, delta: &Delta) {
        for host in self.take_over(snapshot, delta) {
            self.availability.set_active_agent(host, Available::Unknown);
        }
    }

    /// Gives the hosts whose agents are no longer watched.
    fn take_over(&self, snapshot: &Snapshot, delta: &Delta) -> Vec<HostId> {
        let mut unwatched = Vec::new();
        let mut forget = |host: HostId, agents: &mut Agents| {
            let beats = agents.by_host.remove(&host).and_then(|it| it.beats);
            unwatched.extend(beats.map(|_| host));
        };
        let mut agents = self.lock();
        if delta.globals_changed || delta.regexps_changed {
            agents.changed.clear();
            agents.first_epoch = delta.epoch;
        }
        for host in &delta.hosts_changed {
            agents.changed.insert(*host, delta.epoch);
            let status = snapshot.hosts.get(host).map(|it| it.status);
            if status != Some(HostStatus::Monitored) {
                forget(*host, &mut agents);
            }
        }
        for host in &delta.hosts_removed {
            agents.changed.remove(host);
            forget(*host, &mut agents);
        }
        unwatched
    }

    /// Whether the active agent of a host lives.
    #[must_use]
    pub fn available(&self, host: HostId) -> Available {
        let agents = self.lock();
        let beats = agents.by_host.get(&host).and_then(|it| it.beats.as_ref());
        beats.map_or(Available::Unknown, |it| it.available)
    }

    /// Finds those that fell silent.
    pub(crate) fn sweep(&self) {
        let now_ns = self.clock.mono_ns();
        let mut silent = Vec::new();
        {
            let mut agents = self.lock();
            for (host, agent) in &mut agents.by_host {
                let Some(beats) = &mut agent.beats else { continue };
                let silence_ns = now_ns.saturating_sub(beats.last_ns);
                if beats.available == Available::Yes && beats.each_ns.saturating_mul(2) < silence_ns
                {
                    beats.available = Available::No;
                    silent.push(*host);
                }
            }
        }
        for host in silent {
            self.availability.set_active_agent(host, Available::No);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Agents> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The host's checks. Items that can't be read are left out: users are told at the item.
    fn list(&self, snapshot: &Snapshot, host: &Arc<Host>) -> Vec<Check<'static>> {
        let rows = host.items.iter().filter(|it| {
            it.is_live()
                && it.content.kind == ItemType::ZabbixAgentActive
                && it.content.status == ItemStatus::Enabled
        });
        rows.filter_map(|row| self.check(snapshot, host, row).ok()).collect()
    }

    /// Why an item is on no agent's list, in words for the user.
    pub(crate) fn refusal(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        row: &ItemRow,
    ) -> Option<String> {
        self.check(snapshot, host, row).err()
    }

    fn check(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        row: &ItemRow,
    ) -> Result<Check<'static>, String> {
        let context = self.resolver.context(snapshot, host, host.interface_of(row));
        self.check_in(&context, row).map_err(|it| context.shown(it))
    }

    fn check_in(&self, context: &Context<'_>, row: &ItemRow) -> Result<Check<'static>, String> {
        let written = row.key();
        let key = context.key(&written).map_err(|error| format!("{error}."))?.into_owned();
        let mut delay = context.item_text(row, &row.content.delay).into_owned();
        let delay_s = if follows_events(&key) && matches!(&*delay, "" | "0") {
            "0".clone_into(&mut delay);
            0
        } else {
            let invalid = |_error| format!("Invalid update interval \"{delay}\".");
            Interval::parse(&delay).map_err(invalid)?;
            let is_simple = !delay.contains(';');
            if is_simple { Interval::parse_simple(&delay).map_err(invalid)? } else { 0 }
        };
        let timeout = context.timeout(row)?.unwrap_or(self.timeout);
        let timeout_s = (timeout.as_millis().div_ceil(1_000)).clamp(1, TIMEOUT_MAX_S.into());
        let position = self.item_states.log_position(row.id);
        Ok(Check {
            key_orig: (key != written).then(|| written.into_owned().into()),
            key: key.into(),
            itemid: row.id.0,
            delay: delay.into(),
            delay_s: u32::try_from(delay_s).unwrap_or(0),
            lastlogsize: position.lastlogsize,
            mtime: u64::try_from(position.mtime).unwrap_or(0),
            timeout: Some(format!("{timeout_s}s").into()),
        })
    }

    /// Whether the agent has to be told, and the revision of the list.
    fn revision(&self, host: HostId, request: &ChecksRequest) -> (Option<u64>, bool) {
        let Some(session) = &request.session else { return (None, true) };
        let mut agents = self.lock();
        let first_epoch = agents.first_epoch;
        // Never 0: that is what an agent says that has nothing.
        let revision = agents.changed.get(&host).copied().unwrap_or(first_epoch).max(1);
        let agent = agents.by_host.entry(host).or_default();
        let is_known = agent.session.as_deref() == Some(&**session);
        if !is_known {
            agent.session = Some(session.as_str().into());
        }
        (Some(revision), !is_known || request.config_revision != Some(revision))
    }
}

/// Whether an item waits for events at the agent, so that it may have no interval.
fn follows_events(key: &str) -> bool {
    key.starts_with("mqtt.get[")
}

/// The expressions of the global regular expressions that parameters of keys name as `@name`.
fn regexps_of(checks: &[Check<'_>], known: &[GlobalRegexp]) -> Vec<Regexp<'static>> {
    let mut named: Set<String> = Set::default();
    for key in checks.iter().map(|it| &it.key).filter(|it| it.contains('@')) {
        let Ok(key) = ItemKey::parse(key) else { continue };
        let names = key.params.iter().filter_map(|it| it.as_str().strip_prefix('@'));
        named.extend(names.map(str::to_owned));
    }
    let used = known.iter().filter(|it| named.contains(&it.name));
    used.flat_map(|it| it.expressions.iter().map(|part| expression(&it.name, part))).collect()
}

fn expression(name: &str, part: &RegexpExpression) -> Regexp<'static> {
    Regexp {
        name: name.to_owned().into(),
        expression: part.expression.clone().into(),
        expression_type: match part.kind {
            RegexpKind::Included => ExpressionKind::Included,
            RegexpKind::AnyIncluded => ExpressionKind::AnyIncluded,
            RegexpKind::NotIncluded => ExpressionKind::NotIncluded,
            RegexpKind::True => ExpressionKind::True,
            RegexpKind::False => ExpressionKind::False,
        },
        exp_delimiter: part.exp_delimiter.clone().into(),
        case_sensitive: u8::from(part.case_sensitive),
    }
}

/// Characters of host metadata that are kept, as in Zabbix 7.0.
const METADATA_MAX: usize = 2_034;
/// Bytes of a DNS name.
const DNS_MAX: usize = 255;

/// What an agent says of itself; why it can't be so, in words for it.
fn registration(request: &ChecksRequest, peer: &Peer) -> Result<Registration, String> {
    if !lang::host_name::is_valid(&request.host) {
        return Err(format!("invalid host name [{}]", request.host));
    }
    let mut ip = match &request.ip {
        None => peer.ip.to_canonical().to_string(),
        Some(it) if it.parse::<IpAddr>().is_ok() => it.clone(),
        Some(it) => return Err(format!("\"{it}\" is not a valid IP address")),
    };
    let (mut dns, mut flags) = (String::new(), 0);
    match request.interface.as_deref() {
        None => {}
        Some(it) if it.parse::<IpAddr>().is_ok() => (ip, flags) = (it.to_owned(), 1),
        Some(it) if is_dns_name(it) => (dns, flags) = (it.to_owned(), 2),
        Some(it) => return Err(format!("\"{it}\" is not a valid IP or DNS")),
    }
    let metadata = request.host_metadata.as_deref().unwrap_or_default();
    Ok(Registration {
        host: request.host.clone(),
        metadata: metadata.chars().take(METADATA_MAX).collect(),
        ip,
        dns,
        port: request.port.unwrap_or(wire::active::AGENT_PORT),
        flags,
        tls_accepted: code_of(&peer.security),
    })
}

fn is_dns_name(text: &str) -> bool {
    let is_label = |it: &str| {
        !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
    };
    text.len() <= DNS_MAX && text.trim_end_matches('.').split('.').all(is_label)
}

impl ActiveAgents for ActiveChecks {
    fn checks(&self, request: &ChecksRequest, peer: &Peer) -> ChecksAnswer<'static> {
        let snapshot = self.configuration.snapshot();
        let registration = match registration(request, peer) {
            Ok(it) => it,
            Err(info) => return ChecksAnswer::Failed { info: info.into() },
        };
        let may = match snapshot.host_named(&request.host) {
            Some(host) => may_speak_for(host, &peer.security),
            None => may_register(&snapshot.globals.settings.autoregistration, &peer.security),
        };
        match may {
            Ok(()) => self.registrations.asked(registration, peer.ip),
            Err(reason) => {
                warn_not_its_host(peer.ip, &reason, self.clock.mono_ns());
                if snapshot.host_named(&request.host).is_some() {
                    return ChecksAnswer::Failed { info: reason.into() };
                }
            }
        }
        let failed = |why: &str| ChecksAnswer::Failed {
            info: format!("host [{}] {why}", request.host).into(),
        };
        let Some(host) = snapshot.host_named(&request.host) else { return failed("not found") };
        if host.status != HostStatus::Monitored {
            return failed("not monitored");
        }
        let (revision, is_wanted) = self.revision(host.id, request);
        let commands = self.commands.take(host.id, request.version);
        if !is_wanted {
            return ChecksAnswer::List(CheckList { commands, ..CheckList::default() });
        }
        let checks = self.list(&snapshot, host);
        ChecksAnswer::List(CheckList {
            config_revision: revision,
            regexps: regexps_of(&checks, &snapshot.globals.regexps),
            checks: Some(checks),
            commands,
            ..CheckList::default()
        })
    }

    fn command_results(&self, host: HostId, results: Vec<CommandResult>) {
        self.commands.answered(host, results);
    }

    fn heartbeat(&self, heartbeat: &Heartbeat, peer: &Peer) {
        let snapshot = self.configuration.snapshot();
        let Some(host) = snapshot.host_named(&heartbeat.host) else { return };
        if host.status != HostStatus::Monitored {
            return;
        }
        if let Err(reason) = may_speak_for(host, &peer.security) {
            return warn_not_its_host(peer.ip, &reason, self.clock.mono_ns());
        }
        let each_s = heartbeat.heartbeat_freq_s.min(BEAT_MAX_S);
        let available = if each_s == 0 { Available::Unknown } else { Available::Yes };
        let last_ns = self.clock.mono_ns();
        let each_ns = nanos(Duration::from_secs(each_s));
        let before = {
            let mut agents = self.lock();
            let agent = agents.by_host.entry(host.id).or_default();
            agent.beats.replace(Beats { available, each_ns, last_ns })
        };
        if before.is_none_or(|it| it.available != available) {
            self.availability.set_active_agent(host.id, available);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use model::{InterfaceId, ItemId, Time};

    use super::*;
    use crate::fixtures::{discovered, host, item, snapshot};
    use crate::{Directory, InterfaceState, LogPosition};

    struct Fixed(Arc<Snapshot>);

    impl Configuration for Fixed {
        fn directory(&self) -> Arc<dyn Directory> {
            unreachable!("not asked for")
        }

        fn snapshot(&self) -> Arc<Snapshot> {
            Arc::clone(&self.0)
        }
    }

    #[derive(Default)]
    struct Owner(Mutex<Vec<(HostId, Available)>>, Mutex<Vec<Registration>>);

    impl ItemStates for Owner {
        fn log_position(&self, _: ItemId) -> LogPosition {
            LogPosition::default()
        }

        fn n_unsupported(&self, _: HostId) -> u64 {
            0
        }
    }

    impl AvailabilitySink for Owner {
        fn interface(&self, _: InterfaceId) -> InterfaceState {
            InterfaceState::default()
        }

        fn set_interface(&self, _: InterfaceId, _: InterfaceState) {}

        fn set_active_agent(&self, host: HostId, available: Available) {
            self.0.lock().expect("no panic").push((host, available));
        }
    }

    impl Registrations for Owner {
        fn asked(&self, said: Registration, _: IpAddr) {
            self.1.lock().expect("no panic").push(said);
        }
    }

    fn active(host: Host, owner: &Arc<Owner>, clock: &Clock) -> ActiveChecks {
        ActiveChecks::new(ActiveParts {
            configuration: Arc::new(Fixed(snapshot(1, [host]))),
            item_states: Arc::clone(owner) as _,
            availability: Arc::clone(owner) as _,
            registrations: Arc::clone(owner) as _,
            timeout: Duration::from_secs(3),
            zone: TimeZone::UTC,
            clock: clock.clone(),
        })
    }

    #[test]
    fn checks_of_discovered_items_hold_the_values_of_their_row() {
        let mut host = host(1, "a");
        let mut prototype = item(7, ItemType::ZabbixAgentActive, "fs[{#NAME}]", "{#DELAY}");
        Arc::make_mut(&mut prototype.content).timeout = "{#TIMEOUT}".to_owned();
        let row = [("{#DELAY}", "2m"), ("{#NAME}", "/"), ("{#TIMEOUT}", "7s")];
        host.items = vec![discovered(prototype, "fs[/]", &row)];
        let active = active(host, &Arc::default(), &Clock::real());
        let snapshot = active.configuration.snapshot();
        let checks = active.list(&snapshot, &snapshot.hosts[&HostId(1)]);
        let [check] = checks.as_slice() else { panic!("one check: {checks:?}") };
        assert_eq!((&*check.key, &*check.delay, check.delay_s), ("fs[/]", "2m", 120));
        assert_eq!(check.timeout.as_deref(), Some("7s"));
    }

    #[test]
    fn items_that_cannot_be_read_are_left_out_and_say_why() {
        let mut host = host(1, "a");
        let items = [
            ("agent.ping", "1m", ""),
            ("mqtt.get[tcp://broker,topic]", "0", ""),
            ("log[/x]", "0;5s/1-7,00:00-24:00", "1m"),
            ("agent.ping", "0", ""),
            ("agent.ping", "{$NOBODY}", ""),
            ("vfs.file.size[{$A}", "1m", ""),
            ("agent.ping", "1m", "601s"),
            ("agent.ping", "1m", "{$NOBODY}"),
        ];
        let items = (10..).zip(items).map(|(id, (key, delay, timeout))| {
            let mut row = item(id, ItemType::ZabbixAgentActive, key, delay);
            Arc::make_mut(&mut row.content).timeout = timeout.to_owned();
            row
        });
        host.items = items.collect();
        let mut active = active(host, &Arc::default(), &Clock::real());
        active.timeout = Duration::from_millis(3_500);
        let snapshot = active.configuration.snapshot();
        let host = &snapshot.hosts[&HostId(1)];
        let list = active.list(&snapshot, host);
        let list: Vec<_> = list
            .iter()
            .map(|it| (it.itemid, &*it.delay, it.timeout.as_deref().expect("always")))
            .collect();
        let expected = [(10, "1m", "4s"), (11, "0", "4s"), (12, "0;5s/1-7,00:00-24:00", "60s")];
        assert_eq!(list, expected);
        let refusals: Vec<_> =
            host.items.iter().filter_map(|it| active.refusal(&snapshot, host, it)).collect();
        let expected = [
            "Invalid update interval \"0\".",
            "Invalid update interval \"{$NOBODY}\".",
            "Invalid item key at position 18.",
            "Unsupported timeout value \"601s\".",
            "Unsupported timeout value \"{$NOBODY}\".",
        ];
        assert_eq!(refusals, expected);
    }

    #[test]
    fn the_list_carries_the_regular_expressions_that_its_keys_name() {
        let part = |kind, expression: &str| RegexpExpression {
            expression: expression.to_owned(),
            kind,
            exp_delimiter: ",".to_owned(),
            case_sensitive: true,
        };
        let regexp = |name: &str, expressions| GlobalRegexp {
            name: name.to_owned(),
            expressions,
            ..GlobalRegexp::default()
        };
        let errors = vec![part(RegexpKind::AnyIncluded, "a,b"), part(RegexpKind::False, "^#")];
        let known = [
            regexp("my errors, all", errors),
            regexp("files", vec![part(RegexpKind::True, "^app")]),
            regexp("other", vec![part(RegexpKind::True, "x")]),
        ];
        let check = |key: &'static str| Check { key: key.into(), ..Check::default() };
        let checks = [
            check("log[/a.log,\"@my errors, all\"]"),
            check("logrt[/a/@files,@files,,,skip]"),
            check("log[/b.log,@files]"),
            check("log[/c.log,@unknown]"),
            check("vfs.file.regexp[/other,other@other]"),
        ];
        let names: Vec<(String, u8, String)> = regexps_of(&checks, &known)
            .into_iter()
            .map(|it| (it.name.into_owned(), it.expression_type.into(), it.expression.into_owned()))
            .collect();
        let row =
            |name: &str, kind, expression: &str| (name.to_owned(), kind, expression.to_owned());
        let expected = [
            row("my errors, all", 1, "a,b"),
            row("my errors, all", 4, "^#"),
            row("files", 3, "^app"),
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_changed_regular_expression_makes_a_new_revision() {
        let active = active(host(1, "a"), &Arc::default(), &Clock::real());
        let request = ChecksRequest {
            session: Some("0".repeat(32)),
            config_revision: Some(0),
            ..ChecksRequest::new("a", wire::Version::OURS)
        };
        let (first, _) = active.revision(HostId(1), &request);
        let request = ChecksRequest { config_revision: first, ..request };
        assert_eq!(active.revision(HostId(1), &request), (first, false));
        let delta = Delta { epoch: 9, regexps_changed: true, ..Delta::default() };
        active.configure(&active.configuration.snapshot(), &delta);
        assert_eq!(active.revision(HostId(1), &request), (Some(9), true));
    }

    #[test]
    fn an_agent_that_asks_says_who_it_is_whether_its_host_is_known_or_not() {
        let owner = Arc::new(Owner::default());
        let active = active(host(1, "a"), &owner, &Clock::real());
        let peer = Peer::unencrypted(Ipv4Addr::new(192, 0, 2, 7).into());
        let ask = |change: &dyn Fn(&mut ChecksRequest)| {
            let mut request = ChecksRequest::new("new", wire::Version::OURS);
            change(&mut request);
            let failed = match active.checks(&request, &peer) {
                ChecksAnswer::Failed { info } => Some(info.into_owned()),
                _ => None,
            };
            (failed, owner.1.lock().expect("no panic").pop())
        };
        let text = |it: &str| Some(it.to_owned());
        let said = |ip: &str, dns: &str, port, flags| Registration {
            host: "new".to_owned(),
            metadata: String::new(),
            ip: ip.to_owned(),
            dns: dns.to_owned(),
            port,
            flags,
            tls_accepted: 1,
        };
        let unknown = text("host [new] not found");
        assert_eq!(ask(&|_| {}), (unknown.clone(), Some(said("192.0.2.7", "", 10_050, 0))));
        let by_ip = ask(&|it| {
            (it.ip, it.interface, it.port) = (text("192.0.2.8"), text("192.0.2.9"), Some(10_060));
        });
        assert_eq!(by_ip, (unknown, Some(said("192.0.2.9", "", 10_060, 1))));
        let by_name = ask(&|it| it.interface = text("db-1.example"));
        assert_eq!(by_name.1, Some(said("192.0.2.7", "db-1.example", 10_050, 2)));
        let known = ask(&|it| (it.host, it.host_metadata) = ("a".to_owned(), text("Linux")));
        assert_eq!(known.0, None);
        let known = known.1.expect("told all the same");
        assert_eq!((&*known.host, &*known.metadata), ("a", "Linux"));
        for (change, why) in [
            (("ip", "nowhere"), "\"nowhere\" is not a valid IP address"),
            (("interface", "no name!"), "\"no name!\" is not a valid IP or DNS"),
            (("host", "a/b"), "invalid host name [a/b]"),
        ] {
            let refused = ask(&|it| match change.0 {
                "ip" => it.ip = text(change.1),
                "interface" => it.interface = text(change.1),
                _ => change.1.clone_into(&mut it.host),
            });
            assert_eq!(refused, (text(why), None));
        }
    }

    #[test]
    fn nothing_is_known_of_the_agent_of_a_host_that_is_not_monitored() {
        let owner = Arc::new(Owner::default());
        let active = active(host(1, "a"), &owner, &Clock::real());
        let beat = Heartbeat {
            host: "a".to_owned(),
            heartbeat_freq_s: 60,
            version: wire::Version::OURS,
            variant: None,
        };
        active.heartbeat(&beat, &Peer::unencrypted(Ipv4Addr::LOCALHOST.into()));
        let mut off = host(1, "a");
        off.status = HostStatus::NotMonitored;
        let delta = Delta { epoch: 2, hosts_changed: vec![HostId(1)], ..Delta::default() };
        active.configure(&snapshot(2, [off]), &delta);
        assert_eq!(active.available(HostId(1)), Available::Unknown);
        let told = owner.0.lock().expect("no panic").clone();
        assert_eq!(told, [(HostId(1), Available::Yes), (HostId(1), Available::Unknown)]);
    }

    #[test]
    fn an_agent_is_gone_after_twice_its_beat() {
        let clock = Clock::manual(Time::from_clock(1_700_000_000, 0));
        let owner = Arc::new(Owner::default());
        let active = active(host(1, "a"), &owner, &clock);
        let beat = Heartbeat {
            host: "a".to_owned(),
            heartbeat_freq_s: 60,
            version: wire::Version::OURS,
            variant: None,
        };
        let peer = Peer::unencrypted(Ipv4Addr::LOCALHOST.into());
        active.heartbeat(&beat, &peer);
        for (time_s, available) in [(120, Available::Yes), (1, Available::No), (500, Available::No)]
        {
            clock.advance(Duration::from_secs(time_s));
            active.sweep();
            assert_eq!(active.available(HostId(1)), available);
        }
        active.heartbeat(&beat, &peer);
        let told = owner.0.lock().expect("no panic").clone();
        let of = |it| (HostId(1), it);
        assert_eq!(told, [of(Available::Yes), of(Available::No), of(Available::Yes)]);
    }
}
