//! Active agents: their checks, and their availability.
//!
//! A list is sent when the agent's session is new here or its revision of the list is not the
//! present one; otherwise the agent keeps its list. The revision of a host's list is the epoch of
//! the last change of the host.
//!
//! An agent that sends heartbeats is available; it is unavailable after twice its interval without
//! one. Agents without heartbeats (older ones, or where they are switched off) stay unknown.
//!
//! Lists are made on threads of their own and kept ([`lists`]): a request for the same list costs a
//! look-up.

mod lists;

use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use model::content::HostStatus;
use model::map::Map;
use model::snapshot::{Delta, Host, ItemRow, Snapshot};
use model::{HostId, Now};
use rt::clock::{Clock, nanos};
use rt::worker::{Next, OnPanic, Worker, WorkerFailure, WorkerRow};
use wire::active::{CheckList, ChecksAnswer, ChecksRequest, CommandResult, Heartbeat};

use crate::Configuration;
use crate::agent_commands::AgentCommands;
use crate::encryption::{Peer, code_of, may_register, may_send_for};
use crate::ports::{AvailabilitySink, Available, ItemStates, Registration, Registrations};
use crate::resolve::Resolver;
use crate::trapper::{ActiveAgents, ChecksReply, warn_not_its_host};
use lists::{Lists, Wanted};

/// Pause between searches for silent agents.
const SWEEP_EACH: Duration = Duration::from_secs(10);
/// Longest interval of heartbeats that an agent may announce.
const HEARTBEAT_MAX_S: u64 = 3_600;
/// Positions of logs that are looked up in the thread of the connection, which delays others: some
/// 50 µs. More are looked up elsewhere.
const POSITIONS_INLINE_MAX: usize = 100;

/// Answers and watches active agents.
pub struct ActiveChecks {
    configuration: Arc<dyn Configuration>,
    availability: Arc<dyn AvailabilitySink>,
    registrations: Arc<dyn Registrations>,
    clock: Clock,
    agents: Mutex<Agents>,
    lists: Arc<Lists>,
    commands: Arc<AgentCommands>,
}

/// For the list of workers.
pub(crate) const ROW: WorkerRow = WorkerRow {
    name: "active-agents",
    job: "finds silent active agents",
    woken_by: "the clock, each ten seconds",
    waits: "active agents that are silent are shown as available",
    on_panic: OnPanic::Reload,
};

/// Finds agents that have fallen silent.
pub(crate) struct SilenceWatch(pub(crate) Arc<ActiveChecks>);

impl Worker for SilenceWatch {
    type Error = Infallible;

    fn turn(&mut self, now: Now) -> Result<Next, Infallible> {
        self.0.sweep();
        Ok(Next::after(now, SWEEP_EACH))
    }

    /// The agents are not its own state.
    fn reload(&mut self, _: WorkerFailure) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The parts that [`ActiveChecks`] works with.
#[expect(missing_debug_implementations, reason = "holds trait objects; never printed")]
pub struct ActiveParts {
    pub configuration: Arc<dyn Configuration>,
    pub item_states: Arc<dyn ItemStates>,
    pub availability: Arc<dyn AvailabilitySink>,
    pub registrations: Arc<dyn Registrations>,
    /// For checks whose item has none; agents receive whole seconds.
    pub timeout: Duration,
    /// Time zone of macro functions.
    pub zone: TimeZone,
    pub clock: Clock,
}

#[derive(Debug, Default)]
struct Agents {
    by_host: Map<HostId, Agent>,
    /// Epochs of the hosts' last changes, if later than the first epoch.
    changed: Map<HostId, u64>,
    first_epoch: u64,
}

#[derive(Debug, Default)]
struct Agent {
    /// Token of the run that received the list.
    session: Option<Box<str>>,
    heartbeats: Option<Heartbeats>,
}

#[derive(Debug)]
struct Heartbeats {
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
        let lists = Arc::new(Lists::new(resolver, item_states, timeout));
        Self { configuration, availability, registrations, clock, agents, lists, commands }
    }

    /// Commands for agents, sent with their checks.
    #[must_use]
    pub fn commands(&self) -> &Arc<AgentCommands> {
        &self.commands
    }

    /// Applies a change of the configuration. The state of hosts that are no longer monitored is
    /// forgotten, here and in the availability sink.
    pub(crate) fn configure(&self, snapshot: &Snapshot, delta: &Delta) {
        for host in self.take_over(snapshot, delta) {
            self.availability.set_active_agent(host, Available::Unknown);
        }
    }

    /// Returns the hosts whose agents are no longer watched.
    fn take_over(&self, snapshot: &Snapshot, delta: &Delta) -> Vec<HostId> {
        let mut unwatched = Vec::new();
        let mut forget = |host: HostId, agents: &mut Agents| {
            let heartbeats = agents.by_host.remove(&host).and_then(|it| it.heartbeats);
            unwatched.extend(heartbeats.map(|_| host));
        };
        let mut agents = self.lock();
        if delta.globals_changed || delta.regexps_changed {
            agents.changed.clear();
            agents.first_epoch = delta.epoch;
            self.lists.forget_all();
        }
        for host in &delta.hosts_changed {
            agents.changed.insert(*host, delta.epoch);
            self.lists.forget(*host);
            let status = snapshot.hosts.get(host).map(|it| it.status);
            if status != Some(HostStatus::Monitored) {
                forget(*host, &mut agents);
            }
        }
        for host in &delta.hosts_removed {
            agents.changed.remove(host);
            self.lists.forget(*host);
            forget(*host, &mut agents);
        }
        unwatched
    }

    /// Whether the active agent of a host is available.
    #[must_use]
    pub fn available(&self, host: HostId) -> Available {
        let agents = self.lock();
        let heartbeats = agents.by_host.get(&host).and_then(|it| it.heartbeats.as_ref());
        heartbeats.map_or(Available::Unknown, |it| it.available)
    }

    /// Finds silent agents.
    fn sweep(&self) {
        let now_ns = self.clock.mono_ns();
        let mut silent = Vec::new();
        {
            let mut agents = self.lock();
            for (host, agent) in &mut agents.by_host {
                let Some(heartbeats) = &mut agent.heartbeats else { continue };
                let silence_ns = now_ns.saturating_sub(heartbeats.last_ns);
                if heartbeats.available == Available::Yes
                    && heartbeats.each_ns.saturating_mul(2) < silence_ns
                {
                    heartbeats.available = Available::No;
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

    /// Why an item is on no agent's list, for the user.
    pub(crate) fn refusal(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        row: &ItemRow,
    ) -> Option<String> {
        self.lists.refusal(snapshot, host, row)
    }

    /// Whether the agent needs the list again, and the revision of the list. An older snapshot has
    /// an older revision: the agent asks again for what it lacks.
    fn revision(&self, host: HostId, epoch: u64, request: &ChecksRequest) -> (u64, bool) {
        let mut agents = self.lock();
        let first_epoch = agents.first_epoch;
        let changed = agents.changed.get(&host).copied().unwrap_or(first_epoch);
        // Never 0: an agent without a list sends that.
        let revision = changed.min(epoch).max(1);
        let Some(session) = &request.session else { return (revision, true) };
        let agent = agents.by_host.entry(host).or_default();
        let is_known = agent.session.as_deref() == Some(&**session);
        if !is_known {
            agent.session = Some(session.as_str().into());
        }
        (revision, !is_known || request.config_revision != Some(revision))
    }
}

/// Characters of host metadata that are kept, as in Zabbix 7.0.
const METADATA_MAX: usize = 2_034;
/// Bytes of a DNS name.
const DNS_MAX: usize = 255;

/// The registration data of an agent; an error says why they are invalid, in words for the agent.
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

fn refused(request: &ChecksRequest, info: String) -> ChecksReply {
    ChecksReply::Answer(ChecksAnswer::Failed { info: info.into() }.encode(request.version))
}

impl ActiveAgents for ActiveChecks {
    fn checks(&self, request: &ChecksRequest, peer: &Peer) -> ChecksReply {
        let snapshot = self.configuration.snapshot();
        let registration = match registration(request, peer) {
            Ok(it) => it,
            Err(info) => return refused(request, info),
        };
        let may = match snapshot.host_named(&request.host) {
            Some(host) => may_send_for(host, &peer.security),
            None => may_register(&snapshot.globals.settings.autoregistration, &peer.security),
        };
        match may {
            Ok(()) => self.registrations.asked(registration, peer.ip),
            Err(reason) => {
                warn_not_its_host(peer.ip, &reason, self.clock.mono_ns());
                if snapshot.host_named(&request.host).is_some() {
                    return refused(request, reason);
                }
            }
        }
        let failed = |why: &str| refused(request, format!("host [{}] {why}", request.host));
        let Some(host) = snapshot.host_named(&request.host) else { return failed("not found") };
        if host.status != HostStatus::Monitored {
            return failed("not monitored");
        }
        let (revision, is_wanted) = self.revision(host.id, snapshot.epoch, request);
        let version = request.version;
        if !is_wanted {
            let commands = self.commands.take(host.id, version);
            let keep = ChecksAnswer::List(CheckList { commands, ..CheckList::default() });
            return ChecksReply::Answer(keep.encode(version));
        }
        let wanted =
            Wanted { revision, has_session: request.session.is_some(), version, host: host.id };
        let kept = self.lists.kept(wanted, snapshot.epoch);
        if let Some(list) = kept.filter(|it| it.n_positions() <= POSITIONS_INLINE_MAX) {
            return ChecksReply::List(self.lists.answer(list, wanted, &self.commands));
        }
        let (lists, commands) = (Arc::clone(&self.lists), Arc::clone(&self.commands));
        let host = Arc::clone(host);
        ChecksReply::Later(Box::new(move || {
            let list = lists.list(&snapshot, &host, wanted);
            lists.answer(list, wanted, &commands)
        }))
    }

    fn lists_bytes(&self) -> usize {
        self.lists.n_bytes()
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
        if let Err(reason) = may_send_for(host, &peer.security) {
            return warn_not_its_host(peer.ip, &reason, self.clock.mono_ns());
        }
        let each_s = heartbeat.heartbeat_freq_s.min(HEARTBEAT_MAX_S);
        let available = if each_s == 0 { Available::Unknown } else { Available::Yes };
        let last_ns = self.clock.mono_ns();
        let each_ns = nanos(Duration::from_secs(each_s));
        let before = {
            let mut agents = self.lock();
            let agent = agents.by_host.entry(host.id).or_default();
            agent.heartbeats.replace(Heartbeats { available, each_ns, last_ns })
        };
        if before.is_none_or(|it| it.available != available) {
            self.availability.set_active_agent(host.id, available);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use model::content::ItemType;
    use model::{InterfaceId, ItemId, Time};

    use super::*;
    use crate::fixtures::{host, item, snapshot};
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
    fn a_changed_regular_expression_makes_a_new_revision() {
        let active = active(host(1, "a"), &Arc::default(), &Clock::real());
        let request = ChecksRequest {
            session: Some("0".repeat(32)),
            config_revision: Some(0),
            ..ChecksRequest::new("a", wire::Version::OURS)
        };
        let (first, _) = active.revision(HostId(1), 9, &request);
        let request = ChecksRequest { config_revision: Some(first), ..request };
        assert_eq!(active.revision(HostId(1), 9, &request), (first, false));
        let delta = Delta { epoch: 9, regexps_changed: true, ..Delta::default() };
        active.configure(&active.configuration.snapshot(), &delta);
        assert_eq!(active.revision(HostId(1), 9, &request), (9, true));
    }

    #[test]
    fn positions_of_many_logs_are_looked_up_off_the_runtime() {
        for n in [POSITIONS_INLINE_MAX, POSITIONS_INLINE_MAX + 1] {
            let mut host = host(1, "a");
            let log = |id: usize| {
                item(id as u64, ItemType::ZabbixAgentActive, &format!("log[/var/log/{id}]"), "1m")
            };
            host.items = (1..=n).map(log).collect();
            let active = active(host, &Arc::default(), &Clock::real());
            let request = ChecksRequest::new("a", wire::Version::OURS);
            let peer = Peer::unencrypted(Ipv4Addr::LOCALHOST.into());
            let ChecksReply::Later(make) = active.checks(&request, &peer) else {
                panic!("nobody has made the list")
            };
            let made = make().n_bytes();
            let again = match active.checks(&request, &peer) {
                ChecksReply::List(it) if n == POSITIONS_INLINE_MAX => it,
                ChecksReply::Later(it) if n > POSITIONS_INLINE_MAX => it(),
                other => panic!("{n} logs: {other:?}"),
            };
            assert_eq!(again.n_bytes(), made);
        }
    }

    #[test]
    fn every_request_registers_its_agent() {
        let owner = Arc::new(Owner::default());
        let active = active(host(1, "a"), &owner, &Clock::real());
        let peer = Peer::unencrypted(Ipv4Addr::new(192, 0, 2, 7).into());
        let ask = |change: &dyn Fn(&mut ChecksRequest)| {
            let mut request = ChecksRequest::new("new", wire::Version::OURS);
            change(&mut request);
            let failed = match active.checks(&request, &peer) {
                ChecksReply::Answer(it) => match ChecksAnswer::parse(&it).expect("an answer") {
                    ChecksAnswer::Failed { info } => Some(info.into_owned()),
                    _ => None,
                },
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
        let known = known.1.expect("the host is known");
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
        let seen = owner.0.lock().expect("no panic").clone();
        assert_eq!(seen, [(HostId(1), Available::Yes), (HostId(1), Available::Unknown)]);
    }

    #[test]
    fn agent_is_unavailable_after_twice_its_heartbeat_interval() {
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
        let seen = owner.0.lock().expect("no panic").clone();
        let of = |it| (HostId(1), it);
        assert_eq!(seen, [of(Available::Yes), of(Available::No), of(Available::Yes)]);
    }
}
