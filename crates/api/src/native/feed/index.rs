//! The audience of each problem, and counts of problems, without reading the problems again.
//!
//! A problem is visible to users who may read all hosts of its trigger, unless tag filters of user groups
//! hide it. Problems share an *audience* if their hosts are in the same groups and they have the same values
//! of the tags that any filter names. Counts are kept by audience. The problems that a user may see are then
//! one bit an audience, computed once, and the user's counts are sums over those audiences.
//!
//! A symptom does not count for users for whom its cause counts: the cause is counted in its place. A symptom
//! whose cause is resolved, suppressed or hidden from a user is counted itself. Symptoms of causes that count
//! are therefore counted by the audiences of both ([`Symptoms`]).
//!
//! The index follows `db`'s problems by their version: a change costs the problems that changed. A change of
//! the configuration that affects them gives the problems a new version (see [`ProblemIndex::outdated`]), so
//! that there is one order of all changes.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use db::{Events, Problem, ProblemScope};
use model::content::Tag;
use model::map::{Entry, Map, Set};
use model::snapshot::{Access, Host, Snapshot, TriggerRow};
use model::{EventId, GroupId, HostId, Time, TriggerId};

use crate::objects::common::refs::Refs;
use crate::objects::common::triggers;

/// Open problems that are not suppressed, by severity.
pub(crate) type Counts = [Count; 6];

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Count {
    pub(crate) total: u64,
    pub(crate) acknowledged: u64,
}

/// The problems of one host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HostLoad {
    /// By severity, not classified first.
    pub(crate) counts: [u64; 6],
    pub(crate) unacknowledged: u64,
    /// Beginning of the oldest one, seconds since 1970.
    pub(crate) since: i64,
}

/// A number for a list of hosts' groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Audience(u32);

impl Audience {
    /// The trigger is deleted or disabled, or the problem is none of a trigger.
    pub(crate) const NOBODY: Self = Self(0);
}

/// The groups of each host of a trigger.
type HostGroups = Vec<Vec<GroupId>>;

/// The facts that decide about the visibility of a problem.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct AudienceKey {
    hosts: HostGroups,
    /// Those that filters name.
    tags: Vec<Tag>,
}

impl AudienceKey {
    fn is_in(&self, scope: &ProblemScope) -> bool {
        let is_member = |id: GroupId| self.hosts.iter().any(|it| it.contains(&id));
        self.hosts.iter().all(|it| scope.hosts.admits(it))
            && scope.tags.admits(is_member, &self.tags)
    }
}

/// Tags that filters of user groups name, with their values; an empty one is any.
#[derive(Debug, Default)]
struct FilteredTags {
    /// The configuration of these filters.
    access: Option<Arc<Access>>,
    named: Vec<(String, String)>,
}

impl FilteredTags {
    fn is_of(&self, snapshot: &Snapshot) -> bool {
        self.access.as_ref().is_some_and(|it| Arc::ptr_eq(it, &snapshot.access))
    }

    fn of(snapshot: &Snapshot) -> Self {
        let filters = snapshot.access.groups.values().flat_map(|it| &it.tag_filters);
        let named = filters.filter(|it| !it.tag.is_empty());
        let mut named: Vec<(String, String)> =
            named.map(|it| (it.tag.clone(), it.value.clone())).collect();
        named.sort_unstable();
        named.dedup();
        Self { access: Some(Arc::clone(&snapshot.access)), named }
    }

    /// The tags that filters name.
    fn among(&self, tags: &[Tag]) -> Vec<Tag> {
        if self.named.is_empty() {
            return Vec::new();
        }
        let has = |tag: &str, value: &str| {
            let order = |it: &(String, String)| (it.0.as_str(), it.1.as_str()).cmp(&(tag, value));
            self.named.binary_search_by(order).is_ok()
        };
        let mut found = Vec::new();
        for Tag { tag, value } in tags {
            let values = [value.as_str(), ""];
            let named = values.into_iter().filter(|it| has(tag, it));
            found.extend(named.map(|it| Tag { tag: tag.clone(), value: it.to_owned() }));
        }
        found.sort_unstable_by(|a, b| (&a.tag, &a.value).cmp(&(&b.tag, &b.value)));
        found.dedup();
        found
    }
}

/// With more audiences in all, unused ones are dropped: bounds the memory of the index.
const AUDIENCES_MAX: usize = 100_000;

#[derive(Clone, Copy, Debug)]
struct IndexedProblem {
    audience: Audience,
    host: HostId,
    clock: i64,
    /// A hash of the configuration that a row shows.
    look: u64,
    /// When its suppression ends by itself; 0: never, or it has none.
    suppressed_until: i64,
    severity: u8,
    acknowledged: bool,
    is_counted: bool,
    /// The problem that it is a symptom of; `NONE`: none.
    cause: EventId,
    /// Other hosts than `host` count too.
    is_shared: bool,
}

/// The change of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) problem: Arc<Problem>,
    pub(crate) before: Audience,
    pub(crate) audience: Audience,
}

/// The changes since the index was last brought up to date.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) since: u64,
    pub(crate) version: u64,
    /// Everything was read again: the changes in between are not known.
    pub(crate) is_whole: bool,
    /// By version.
    pub(crate) changed: Vec<Change>,
    pub(crate) removed: Vec<(EventId, Audience)>,
}

/// The changes of the configuration since the last look at it.
#[derive(Debug, Default)]
pub(crate) struct ChangedHosts {
    pub(crate) hosts: Set<HostId>,
    /// Too many to name.
    pub(crate) is_all: bool,
}

impl ChangedHosts {
    const MAX: usize = 20_000;

    pub(crate) fn extend(&mut self, hosts: impl Iterator<Item = HostId>) {
        self.hosts.extend(hosts);
        if Self::MAX < self.hosts.len() {
            self.hosts = Set::default();
            self.is_all = true;
        }
    }

    fn is_empty(&self) -> bool {
        !self.is_all && self.hosts.is_empty()
    }
}

#[derive(Debug, Default)]
pub(crate) struct ProblemIndex {
    version: u64,
    /// Grows when audiences are numbered again from 0.
    generation: u64,
    entries: Map<EventId, IndexedProblem>,
    audiences: Audiences,
    filtered: FilteredTags,
    /// By audience, without symptoms whose causes count.
    counts: Vec<Counts>,
    symptoms: Symptoms,
    /// Problems whose suppression ends by itself, by when.
    suppressed: BTreeSet<(i64, EventId)>,
}

/// The symptoms that count where their cause does not.
#[derive(Debug, Default)]
struct Symptoms {
    /// Cause → audience → count. A change of a cause costs the audiences of its symptoms, not the symptoms.
    by_cause: Map<EventId, Map<Audience, Counts>>,
    /// Those of causes that count, by the audiences of cause and symptom.
    below: Map<(Audience, Audience), Counts>,
}

#[derive(Debug)]
struct Audiences {
    known: Map<AudienceKey, u32>,
    /// `None`: no user.
    by_number: Vec<Option<AudienceKey>>,
}

impl Default for Audiences {
    fn default() -> Self {
        Self { known: Map::default(), by_number: vec![None] }
    }
}

impl Audiences {
    fn of(&mut self, key: AudienceKey) -> Audience {
        if let Some(number) = self.known.get(&key) {
            return Audience(*number);
        }
        let number = u32::try_from(self.by_number.len()).unwrap_or(0);
        self.by_number.push(Some(key.clone()));
        self.known.insert(key, number);
        Audience(number)
    }
}

/// Which audiences a scope belongs to, as far as it was asked.
#[derive(Debug, Default)]
pub(crate) struct VisibleAudiences {
    generation: u64,
    admitted: Vec<bool>,
}

impl VisibleAudiences {
    /// Brings it up to date with the index.
    pub(crate) fn follow(&mut self, index: &ProblemIndex, scope: &ProblemScope) {
        if self.generation != index.generation {
            *self = Self { generation: index.generation, admitted: Vec::new() };
        }
        let new = index.audiences.by_number.iter().skip(self.admitted.len());
        let admits = |it: &Option<AudienceKey>| it.as_ref().is_some_and(|it| it.is_in(scope));
        self.admitted.extend(new.map(admits));
    }

    pub(crate) fn admits(&self, audience: Audience) -> bool {
        usize::try_from(audience.0).is_ok_and(|it| self.admitted.get(it) == Some(&true))
    }
}

impl ProblemIndex {
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The counts of a scope.
    pub(crate) fn counts(&self, visible: &VisibleAudiences) -> Counts {
        let mut sum = Counts::default();
        for (counts, is_admitted) in self.counts.iter().zip(&visible.admitted) {
            if !is_admitted {
                continue;
            }
            add(&mut sum, counts);
        }
        for ((cause, audience), counts) in &self.symptoms.below {
            if visible.admits(*audience) && !visible.admits(*cause) {
                add(&mut sum, counts);
            }
        }
        sum
    }

    /// Whether a problem counts for a scope.
    fn counts_for(&self, visible: &VisibleAudiences, it: &IndexedProblem) -> bool {
        it.is_counted
            && visible.admits(it.audience)
            && self.cause_that_counts(it.cause).is_none_or(|cause| !visible.admits(cause))
    }

    /// The audience of a cause, if the cause counts.
    fn cause_that_counts(&self, cause: EventId) -> Option<Audience> {
        if cause.is_none() {
            return None;
        }
        self.entries.get(&cause).filter(|it| it.is_counted).map(|it| it.audience)
    }

    /// The first `n` counted problems, worst first, oldest first of equals.
    pub(crate) fn worst(&self, visible: &VisibleAudiences, n: usize) -> Vec<EventId> {
        let seen = self.entries.iter().filter(|(_, it)| self.counts_for(visible, it));
        let mut worst = BTreeSet::new();
        for (id, it) in seen {
            worst.insert((Reverse(it.severity), it.clock, *id));
            if n < worst.len() {
                worst.pop_last();
            }
        }
        worst.into_iter().map(|(_, _, id)| id).collect()
    }

    /// The counts of a scope by host. A problem counts at the host that its trigger is listed at.
    pub(crate) fn loads(&self, visible: &VisibleAudiences) -> Map<HostId, HostLoad> {
        let mut loads: Map<HostId, HostLoad> = Map::default();
        for it in self.entries.values() {
            if !self.counts_for(visible, it) {
                continue;
            }
            let load = loads.entry(it.host).or_insert_with(|| HostLoad {
                counts: [0; 6],
                unacknowledged: 0,
                since: it.clock,
            });
            if let Some(count) = load.counts.get_mut(usize::from(it.severity)) {
                *count += 1;
            }
            load.unacknowledged += u64::from(!it.acknowledged);
            load.since = load.since.min(it.clock);
        }
        loads
    }

    /// The audience of a problem in the index.
    pub(crate) fn audience(&self, id: EventId) -> Audience {
        self.entries.get(&id).map_or(Audience::NOBODY, |it| it.audience)
    }

    /// Problems that are shown otherwise without having changed: by a change of their hosts, or because their
    /// suppression has ended. They need a new version.
    pub(crate) fn outdated(
        &self,
        events: &Events,
        changed: &ChangedHosts,
        snapshot: &Snapshot,
        now: Time,
    ) -> Vec<EventId> {
        let over = self.suppressed.iter().take_while(|(until, _)| *until <= now.clock());
        let mut outdated: Vec<EventId> = over.map(|(_, id)| *id).collect();
        if changed.is_empty() {
            return outdated;
        }
        let refs = Refs::new(snapshot);
        for (id, entry) in &self.entries {
            let is_affected = changed.is_all
                || entry.is_shared
                || entry.audience == Audience::NOBODY
                || changed.hosts.contains(&entry.host);
            let Some(problem) = is_affected.then(|| events.problem(*id)).flatten() else {
                continue;
            };
            let is_same = match Shown::of(&problem, snapshot, &refs) {
                Some(now) => {
                    let groups = usize::try_from(entry.audience.0)
                        .ok()
                        .and_then(|it| self.audiences.by_number.get(it)?.as_ref());
                    now.look() == entry.look && groups.is_some_and(|it| it.hosts == now.groups())
                }
                None => entry.audience == Audience::NOBODY,
            };
            if !is_same {
                outdated.push(*id);
            }
        }
        outdated
    }

    /// Takes over the changes of problems.
    pub(crate) fn sync(&mut self, events: &Events, snapshot: &Snapshot, now: Time) -> Changes {
        if AUDIENCES_MAX < self.audiences.by_number.len() {
            // Read again below.
            *self = Self { generation: self.generation, ..Self::default() };
        }
        if !self.filtered.is_of(snapshot) {
            let filtered = FilteredTags::of(snapshot);
            if filtered.named != self.filtered.named {
                // Audiences have changed: read again below.
                *self = Self { generation: self.generation, ..Self::default() };
            }
            self.filtered = filtered;
        }
        let since = self.version;
        let delta = events.changes_since(since);
        if delta.is_whole {
            let generation = self.generation + 1;
            let filtered = std::mem::take(&mut self.filtered);
            *self = Self { generation, filtered, ..Self::default() };
        }
        // From version 0 on all problems are reported: the index is complete then.
        let is_whole = delta.is_whole && since != 0;
        let mut changes = Changes { since, version: delta.version, is_whole, ..Changes::default() };
        let refs = Refs::new(snapshot);
        let shown = delta.changed.into_iter().filter(|it| it.event.is_of_trigger());
        for problem in shown {
            let before = self.forget(problem.eventid());
            let audience = self.put(&problem, snapshot, &refs, now);
            if !is_whole {
                changes.changed.push(Change { problem, before, audience });
            }
        }
        for id in delta.removed {
            let before = self.forget(id);
            if before != Audience::NOBODY {
                changes.removed.push((id, before));
            }
        }
        self.version = delta.version;
        changes
    }

    fn put<'a>(
        &mut self,
        problem: &Problem,
        snapshot: &'a Snapshot,
        refs: &Refs<'a>,
        now: Time,
    ) -> Audience {
        let shown = Shown::of(problem, snapshot, refs);
        let audience = shown.as_ref().map_or(Audience::NOBODY, |it| {
            let tags = self.filtered.among(&problem.event.tags);
            self.audiences.of(AudienceKey { hosts: it.groups(), tags })
        });
        let is_suppressed = problem.is_suppressed(now);
        let by_user = problem.is_suppressed_by_user(now);
        let suppressed_until = problem.suppressed_until.filter(|_| by_user).unwrap_or(0);
        if suppressed_until != 0 {
            self.suppressed.insert((suppressed_until, problem.eventid()));
        }
        let entry = IndexedProblem {
            audience,
            host: shown.as_ref().map_or(HostId::NONE, |it| it.holder.id),
            clock: problem.event.time.clock(),
            look: shown.as_ref().map_or(0, Shown::look),
            suppressed_until,
            severity: u8::try_from(problem.severity.code()).unwrap_or(0),
            acknowledged: problem.acknowledged,
            is_counted: problem.is_open() && !is_suppressed && audience != Audience::NOBODY,
            cause: problem.cause,
            is_shared: shown.as_ref().is_some_and(|it| 1 < it.hosts.len()),
        };
        self.entries.insert(problem.eventid(), entry);
        self.count(&entry, Step::Add);
        self.place_symptoms(problem.eventid(), &entry, Step::Add);
        audience
    }

    /// Takes a problem out; returns its audience.
    fn forget(&mut self, id: EventId) -> Audience {
        let Some(entry) = self.entries.get(&id).copied() else { return Audience::NOBODY };
        self.place_symptoms(id, &entry, Step::Remove);
        self.count(&entry, Step::Remove);
        self.entries.remove(&id);
        self.suppressed.remove(&(entry.suppressed_until, id));
        entry.audience
    }

    fn count(&mut self, entry: &IndexedProblem, step: Step) {
        if !entry.is_counted {
            return;
        }
        let mut counts = Counts::default();
        if let Some(count) = counts.get_mut(usize::from(entry.severity)) {
            *count = Count { total: 1, acknowledged: u64::from(entry.acknowledged) };
        }
        if entry.cause.is_some() {
            let of_cause = self.symptoms.by_cause.entry(entry.cause).or_default();
            change(of_cause, entry.audience, &counts, step);
            if of_cause.is_empty() {
                self.symptoms.by_cause.remove(&entry.cause);
            }
        }
        match self.cause_that_counts(entry.cause) {
            Some(cause) => {
                change(&mut self.symptoms.below, (cause, entry.audience), &counts, step);
            }
            None => self.count_alone(entry.audience, &counts, step),
        }
    }

    /// Moves the counts of a problem's symptoms below the problem, which begins to count, or takes them out again.
    fn place_symptoms(&mut self, cause: EventId, entry: &IndexedProblem, step: Step) {
        if !entry.is_counted {
            return;
        }
        let Some(symptoms) = self.symptoms.by_cause.get(&cause).cloned() else { return };
        for (audience, counts) in symptoms {
            let key = (entry.audience, audience);
            change(&mut self.symptoms.below, key, &counts, step);
            self.count_alone(audience, &counts, step.reversed());
        }
    }

    fn count_alone(&mut self, audience: Audience, counts: &Counts, step: Step) {
        let Ok(at) = usize::try_from(audience.0) else { return };
        if self.counts.len() <= at {
            self.counts.resize(at + 1, Counts::default());
        }
        if let Some(sum) = self.counts.get_mut(at) {
            step.apply(sum, counts);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Add,
    Remove,
}

impl Step {
    fn reversed(self) -> Self {
        match self {
            Self::Add => Self::Remove,
            Self::Remove => Self::Add,
        }
    }

    fn apply(self, sum: &mut Counts, counts: &Counts) {
        match self {
            Self::Add => add(sum, counts),
            Self::Remove => {
                for (sum, it) in sum.iter_mut().zip(counts) {
                    sum.total -= it.total;
                    sum.acknowledged -= it.acknowledged;
                }
            }
        }
    }
}

fn add(sum: &mut Counts, counts: &Counts) {
    for (sum, it) in sum.iter_mut().zip(counts) {
        sum.total += it.total;
        sum.acknowledged += it.acknowledged;
    }
}

/// Changes the counts of a key. A key without problems is dropped.
fn change<K: Hash + Eq>(of: &mut Map<K, Counts>, key: K, counts: &Counts, step: Step) {
    match of.entry(key) {
        Entry::Occupied(mut it) => {
            step.apply(it.get_mut(), counts);
            if *it.get() == Counts::default() {
                it.remove();
            }
        }
        Entry::Vacant(it) => step.apply(it.insert(Counts::default()), counts),
    }
}

/// The trigger of a problem, as the configuration has it now.
struct Shown<'a> {
    holder: &'a Arc<Host>,
    row: &'a TriggerRow,
    hosts: Vec<&'a Arc<Host>>,
}

impl<'a> Shown<'a> {
    /// `None` if it is deleted or disabled.
    fn of(problem: &Problem, snapshot: &'a Snapshot, refs: &Refs<'a>) -> Option<Self> {
        let found = snapshot.trigger(TriggerId(problem.event.objectid));
        let is_shown = |holder, row: &'a TriggerRow| {
            row.is_live() && triggers::is_monitored(refs, holder, row)
        };
        let (holder, row) = found.filter(|(holder, row)| is_shown(holder, row))?;
        Some(Self { holder, row, hosts: refs.hosts(holder, row) })
    }

    fn groups(&self) -> HostGroups {
        let mut groups: HostGroups = self.hosts.iter().map(|it| it.groups.to_vec()).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    fn look(&self) -> u64 {
        let shown = (&self.holder.name, self.row.content.manual_close);
        foldhash_of(&shown)
    }
}

fn foldhash_of(it: &impl Hash) -> u64 {
    Map::<(), ()>::default().hasher().hash_one(it)
}
