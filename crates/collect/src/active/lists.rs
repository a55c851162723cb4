//! Lists of active checks, kept in the form that agents read.
//!
//! A list is encoded once for a host, a revision and a form ([`ListForm`]), and shared by all
//! answers; only the positions of logs are looked up for each. A list with secrets of vaults is
//! encoded for each request, since they may change.
//!
//! Bound: [`BYTES_MAX`] of all kept lists. The least recently used ones are dropped first.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lang::interval::Interval;
use model::content::{GlobalRegexp, ItemStatus, ItemType, RegexpExpression, RegexpKind};
use model::key::ItemKey;
use model::map::{Map, Set};
use model::snapshot::{Host, ItemRow, Snapshot};
use model::{HostId, ItemId, ValueType};
use wire::Version;
use wire::active::{Check, EncodedList, ExpressionKind, ListForm, Regexp, SharedAnswer};

use crate::agent_commands::AgentCommands;
use crate::ports::ItemStates;
use crate::resolve::{Context, Holds, Resolver, TIMEOUT_MAX_S};

/// 64 MiB: some 500,000 checks. Agents of 6.4 and later ask for a list only when it has changed, so
/// that few of all lists are needed again soon.
const BYTES_MAX: usize = 64 << 20;
/// Bytes that a kept list takes in addition to its text.
const ENTRY_BYTES: usize = 256;

/// Makes and keeps lists.
pub(super) struct Lists {
    resolver: Arc<Resolver>,
    item_states: Arc<dyn ItemStates>,
    timeout: Duration,
    kept: Mutex<Kept>,
}

/// The list for an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) host: HostId,
    pub(super) revision: u64,
    pub(super) version: Version,
    /// Agents that name a session read the revision.
    pub(super) has_session: bool,
}

#[derive(Debug)]
struct Kept {
    lists: Map<(HostId, ListForm), KeptList>,
    /// By time of last use.
    order: BTreeMap<u64, (HostId, ListForm)>,
    next_use: u64,
    bytes: usize,
    bytes_max: usize,
}

#[derive(Debug)]
struct KeptList {
    list: Arc<EncodedList>,
    revision: u64,
    /// The list holds for this snapshot only.
    epoch: Option<u64>,
    bytes: usize,
    last_use: u64,
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lists").field("kept", &self.kept).finish_non_exhaustive()
    }
}

impl Wanted {
    fn key(&self) -> (HostId, ListForm) {
        (self.host, ListForm::of(self.version))
    }
}

impl Lists {
    pub(super) fn new(
        resolver: Arc<Resolver>,
        item_states: Arc<dyn ItemStates>,
        timeout: Duration,
    ) -> Self {
        Self { resolver, item_states, timeout, kept: Mutex::new(Kept::new(BYTES_MAX)) }
    }

    /// The list, if it is kept.
    pub(super) fn kept(&self, wanted: Wanted, epoch: u64) -> Option<Arc<EncodedList>> {
        self.lock().get(wanted, epoch)
    }

    /// The list; it is made now unless another thread has made it meanwhile. This may take long.
    pub(super) fn list(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        wanted: Wanted,
    ) -> Arc<EncodedList> {
        if let Some(it) = self.kept(wanted, snapshot.epoch) {
            return it;
        }
        let mut logs = Set::default();
        let mut holds = Holds::WithHost;
        let mut checks = Vec::new();
        // Unreadable items are left out; their error is shown at the item.
        for row in host.items.iter().filter(|it| is_active(it)) {
            let (check, of_row) = self.check(snapshot, host, row);
            holds = holds.min(of_row);
            let Ok(check) = check else { continue };
            if self.has_position(row, &check.key) {
                logs.insert(check.itemid);
            }
            checks.push(check);
        }
        let regexps = regexps_of(&checks, &snapshot.globals.regexps);
        let has_position = |it: &Check<'_>| logs.contains(&it.itemid);
        let list = Arc::new(EncodedList::new(checks, &regexps, (wanted.version, has_position)));
        match holds {
            Holds::Once => {}
            Holds::WithSnapshot => self.lock().keep(wanted, Some(snapshot.epoch), &list),
            Holds::WithHost => self.lock().keep(wanted, None, &list),
        }
        list
    }

    /// An answer with a list, and with the parts that only this answer has.
    pub(super) fn answer(
        &self,
        list: Arc<EncodedList>,
        wanted: Wanted,
        commands: &AgentCommands,
    ) -> SharedAnswer {
        let commands = commands.take(wanted.host, wanted.version);
        let revision = wanted.has_session.then_some(wanted.revision);
        SharedAnswer::new(list, (wanted.version, revision), &commands, |itemid| {
            let position = self.item_states.log_position(ItemId(itemid));
            (position.lastlogsize, u64::try_from(position.mtime).unwrap_or(0))
        })
    }

    /// Why an item is on no agent's list, for the user.
    pub(super) fn refusal(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        row: &ItemRow,
    ) -> Option<String> {
        self.check(snapshot, host, row).0.err()
    }

    /// Forgets the lists of a host.
    pub(super) fn forget(&self, host: HostId) {
        self.lock().forget(host);
    }

    pub(super) fn forget_all(&self) {
        let mut kept = self.lock();
        *kept = Kept { next_use: kept.next_use, ..Kept::new(kept.bytes_max) };
    }

    /// Memory that kept lists take.
    pub(super) fn n_bytes(&self) -> usize {
        self.lock().bytes
    }

    fn check(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        row: &ItemRow,
    ) -> (Result<Check<'static>, String>, Holds) {
        let context = self.resolver.context(snapshot, host, host.interface_of(row));
        let check = self.check_in(&context, row).map_err(|it| context.shown(it));
        (check, context.holds())
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
        Ok(Check {
            key_orig: (key != written).then(|| written.into_owned().into()),
            key: key.into(),
            itemid: row.id.0,
            delay: delay.into(),
            delay_s: u32::try_from(delay_s).unwrap_or(0),
            timeout: Some(format!("{timeout_s}s").into()),
            ..Check::default()
        })
    }

    /// Whether an answer needs the position of the item's log. An agent may read logs under other
    /// names, too: those of aliases and of its modules.
    fn has_position(&self, row: &ItemRow, key: &str) -> bool {
        row.content.value_type == ValueType::Log
            || !is_never_a_log(key)
            || self.item_states.log_position(row.id).lastlogsize != 0
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn new(bytes_max: usize) -> Self {
        Self { lists: Map::default(), order: BTreeMap::new(), next_use: 0, bytes: 0, bytes_max }
    }

    fn get(&mut self, wanted: Wanted, epoch: u64) -> Option<Arc<EncodedList>> {
        let key = wanted.key();
        let kept = self.lists.get_mut(&key)?;
        if kept.revision != wanted.revision || kept.epoch.is_some_and(|it| it != epoch) {
            return None;
        }
        self.order.remove(&kept.last_use);
        kept.last_use = self.next_use;
        self.order.insert(self.next_use, key);
        self.next_use += 1;
        Some(Arc::clone(&kept.list))
    }

    fn keep(&mut self, wanted: Wanted, epoch: Option<u64>, list: &Arc<EncodedList>) {
        let key = wanted.key();
        // Threads may be late: a newer list stays.
        if self.lists.get(&key).is_some_and(|it| wanted.revision < it.revision) {
            return;
        }
        self.remove(key);
        let bytes = list.n_bytes() + ENTRY_BYTES;
        if self.bytes_max < bytes {
            return;
        }
        while self.bytes_max - self.bytes < bytes {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            self.remove(oldest);
        }
        let (revision, last_use) = (wanted.revision, self.next_use);
        self.next_use += 1;
        self.bytes += bytes;
        self.order.insert(last_use, key);
        let list = Arc::clone(list);
        self.lists.insert(key, KeptList { list, revision, epoch, bytes, last_use });
    }

    fn forget(&mut self, host: HostId) {
        for form in ListForm::ALL {
            self.remove((host, form));
        }
    }

    fn remove(&mut self, key: (HostId, ListForm)) {
        if let Some(gone) = self.lists.remove(&key) {
            self.order.remove(&gone.last_use);
            self.bytes -= gone.bytes;
        }
    }
}

fn is_active(row: &ItemRow) -> bool {
    row.is_live()
        && row.content.kind == ItemType::ZabbixAgentActive
        && row.content.status == ItemStatus::Enabled
}

/// Whether an item waits for events at the agent, so that it may have no interval.
fn follows_events(key: &str) -> bool {
    key.starts_with("mqtt.get[")
}

/// Whether a key is one of the agent's own that reads no log.
fn is_never_a_log(key: &str) -> bool {
    const NAMES: [&str; 12] = [
        "agent.",
        "kernel.",
        "mqtt.",
        "net.",
        "perf_counter",
        "proc.",
        "service.",
        "system.",
        "vfs.",
        "vm.",
        "web.",
        "wmi.",
    ];
    NAMES.iter().any(|it| key.starts_with(it))
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use jiff::tz::TimeZone;
    use wire::active::{CheckList, ChecksAnswer};

    use super::*;
    use crate::LogPosition;
    use crate::fixtures::{discovered, host, item, snapshot};

    /// All logs were read up to here.
    #[derive(Default)]
    struct Positions(AtomicU64);

    impl ItemStates for Positions {
        fn log_position(&self, _: ItemId) -> LogPosition {
            LogPosition { lastlogsize: self.0.load(Ordering::Relaxed), mtime: 0 }
        }

        fn n_unsupported(&self, _: HostId) -> u64 {
            0
        }
    }

    fn lists(positions: &Arc<Positions>) -> Lists {
        let resolver = Arc::new(Resolver::new(TimeZone::UTC));
        Lists::new(resolver, Arc::clone(positions) as _, Duration::from_secs(3))
    }

    fn wanted(host: u64, revision: u64) -> Wanted {
        Wanted { host: HostId(host), revision, version: Version::OURS, has_session: true }
    }

    fn parsed(answer: &SharedAnswer) -> CheckList<'static> {
        let text: Vec<u8> = answer.pieces().flatten().copied().collect();
        match ChecksAnswer::parse(&text).expect("an answer") {
            ChecksAnswer::List(it) => it,
            other => panic!("no list: {other:?}"),
        }
    }

    /// The checks that the agent of host 1 receives.
    fn checks(lists: &Lists, snapshot: &Snapshot) -> Vec<Check<'static>> {
        let wanted = wanted(1, 1);
        let list = lists.list(snapshot, &snapshot.hosts[&HostId(1)], wanted);
        let answer = lists.answer(list, wanted, &AgentCommands::new(model::Time::default()));
        parsed(&answer).checks.expect("checks")
    }

    #[test]
    fn checks_of_discovered_items_hold_the_values_of_their_row() {
        let mut host = host(1, "a");
        let mut prototype = item(7, ItemType::ZabbixAgentActive, "fs[{#NAME}]", "{#DELAY}");
        Arc::make_mut(&mut prototype.content).timeout = "{#TIMEOUT}".to_owned();
        let row = [("{#DELAY}", "2m"), ("{#NAME}", "/"), ("{#TIMEOUT}", "7s")];
        host.items = vec![discovered(prototype, "fs[/]", &row)];
        let snapshot = snapshot(1, [host]);
        let host = &snapshot.hosts[&HostId(1)];
        let (check, _) = lists(&Arc::default()).check(&snapshot, host, &host.items[0]);
        let check = check.expect("a check");
        assert_eq!((&*check.key, &*check.delay, check.delay_s), ("fs[/]", "2m", 120));
        assert_eq!(check.timeout.as_deref(), Some("7s"));
    }

    #[test]
    fn unreadable_items_are_left_out_with_a_reason() {
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
        let mut lists = lists(&Arc::default());
        lists.timeout = Duration::from_millis(3_500);
        let snapshot = snapshot(1, [host]);
        let host = &snapshot.hosts[&HostId(1)];
        let list = checks(&lists, &snapshot);
        let list: Vec<_> = list
            .iter()
            .map(|it| (it.itemid, &*it.delay, it.timeout.as_deref().expect("always")))
            .collect();
        let expected = [(10, "1m", "4s"), (11, "0", "4s"), (12, "0;5s/1-7,00:00-24:00", "60s")];
        assert_eq!(list, expected);
        let refusals: Vec<_> =
            host.items.iter().filter_map(|it| lists.refusal(&snapshot, host, it)).collect();
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
    fn list_is_made_once_per_revision_with_present_log_positions() {
        let mut host = host(1, "a");
        host.items = vec![
            item(7, ItemType::ZabbixAgentActive, "log[/x]", "1m"),
            item(8, ItemType::ZabbixAgentActive, "agent.ping", "1m"),
            item(9, ItemType::ZabbixAgentActive, "an.alias.of.log.count", "1m"),
        ];
        let snapshot = snapshot(5, [host]);
        let host = &snapshot.hosts[&HostId(1)];
        let positions = Arc::new(Positions::default());
        let lists = lists(&positions);
        let commands = AgentCommands::new(model::Time::default());
        let first = lists.list(&snapshot, host, wanted(1, 5));
        positions.0.store(77, Ordering::Relaxed);
        let again = lists.kept(wanted(1, 5), 6).expect("kept");
        assert!(Arc::ptr_eq(&first, &again));
        let answer = parsed(&lists.answer(again, wanted(1, 5), &commands));
        assert_eq!(answer.config_revision, Some(5));
        let read: Vec<_> = answer.checks.expect("checks").iter().map(|it| it.lastlogsize).collect();
        assert_eq!(read, [77, 0, 77]);
        let older = Wanted { version: Version::parse(Some("6.4.0")), ..wanted(1, 5) };
        assert!(lists.kept(older, 5).is_none(), "another form");
        assert!(lists.kept(wanted(1, 6), 6).is_none(), "another revision");
        lists.list(&snapshot, host, older);
        lists.forget(HostId(1));
        assert!(lists.kept(wanted(1, 5), 5).is_none());
        assert_eq!(lists.n_bytes(), 0);
    }

    #[test]
    fn lists_with_macros_or_vault_secrets_are_kept_shorter() {
        let made = |holds: Option<u64>| {
            let mut kept = Kept::new(1 << 20);
            kept.keep(wanted(1, 5), holds, &Arc::default());
            (kept.get(wanted(1, 5), 5).is_some(), kept.get(wanted(1, 5), 6).is_some())
        };
        assert_eq!(made(None), (true, true));
        assert_eq!(made(Some(5)), (true, false));
    }

    #[test]
    fn kept_lists_are_bounded_and_evicted_least_recently_used_first() {
        let list = |n| {
            let check = |itemid| Check { key: "k".into(), itemid, ..Check::default() };
            let checks = (0..n).map(check);
            Arc::new(EncodedList::new(checks, &[], (Version::OURS, |_: &Check<'_>| false)))
        };
        let one = list(100).n_bytes() + ENTRY_BYTES;
        let mut kept = Kept::new(3 * one);
        for host in 1..=3 {
            kept.keep(wanted(host, 1), None, &list(100));
        }
        assert!(kept.get(wanted(1, 1), 1).is_some());
        kept.keep(wanted(4, 1), None, &list(100));
        let there = |kept: &mut Kept| -> Vec<u64> {
            (1..=9).filter(|it| kept.lists.contains_key(&wanted(*it, 1).key())).collect()
        };
        assert_eq!(there(&mut kept), [1, 3, 4]);
        assert_eq!(kept.bytes, 3 * one);
        kept.keep(wanted(5, 1), None, &list(1_000));
        assert_eq!(there(&mut kept), [1, 3, 4], "one that is larger than all room");
        for revision in 2..100 {
            kept.keep(wanted(1, revision), None, &list(100));
        }
        kept.keep(wanted(1, 50), None, &list(100));
        assert!(kept.get(wanted(1, 99), 1).is_some(), "a late one does not replace a newer one");
        assert_eq!((kept.bytes, kept.order.len(), kept.lists.len()), (3 * one, 3, 3));
        // Many hosts, each once.
        for host in 10..10_000 {
            kept.keep(wanted(host, 1), None, &list(host % 7));
            assert!(kept.bytes <= kept.bytes_max && kept.order.len() == kept.lists.len());
        }
    }
}
