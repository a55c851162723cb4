//! The way of events from the journal to memory and SQL, and the readers' side of problems.

mod correlated;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use model::content::Tag;
use model::settings::FlappingRule;
use model::snapshot::Snapshot;
use model::{EventId, ItemId, Time, TriggerId};
use tracing::info;

use super::live::{AcknowledgeEntry, Live, Ranked, Touched, change};
use super::saver::{Batch, Queue, RowsOfEvents, SavedWatcher};
use super::table::ProblemView;
use super::{
    Acknowledged, Acknowledgement, ApplyError, Changes, EventQuery, EventRow, EventSettings,
    Problem, action, object, query, store,
};
use crate::error::{ConfigError, DbError};
use crate::locks::{self, lock};
use crate::runtime::autoregistered::{self, AutoregisteredHost};
use crate::runtime::discovered::{self, DiscoveredDevice, DiscoveredRows};
use crate::runtime::maintenance::RunningMaintenances;
use crate::runtime::parents::Topology;
use crate::sql::{Conflict, Sql, Workers};

pub use self::correlated::Correlator;

/// Called after problems changed, with the new version. It must be quick and must not call back.
pub type Watcher = Box<dyn Fn(u64) + Send + Sync>;

/// Events and problems.
pub struct Events {
    /// Locked before the queue where both are.
    live: Arc<Mutex<Live>>,
    queue: Arc<Queue>,
    next_acknowledgeid: AtomicU64,
    /// Held from the id of an acknowledgement to its commit, before any other lock: they are seen in the order
    /// of their ids.
    acknowledging: Mutex<()>,
    watchers: RwLock<Vec<Watcher>>,
    /// The last event that global correlation has judged, as far as this process knows.
    correlated: AtomicU64,
    workers: Arc<Workers>,
}

/// The most problems renewed under one lock: some milliseconds, for which the feed of events waits.
const RENEW_MAX: usize = 5_000;

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("version", &self.version()).finish_non_exhaustive()
    }
}

impl Events {
    pub(crate) fn open(settings: EventSettings, workers: Arc<Workers>) -> Result<Self, DbError> {
        let waiting_max = settings.waiting_max;
        let mut live = Live::new(settings.clone());
        let restored = workers.load("load problems", move |sql| store::load(sql, &settings))?;
        info!(n_problems = restored.problems.len(), "problems loaded");
        live.restore(restored.problems, restored.last_eventid);
        let live = Arc::new(Mutex::new(live));
        let queue = Arc::new(Queue::new(restored.lsn, waiting_max, Arc::clone(&workers)));
        queue.start(&live)?;
        let next_acknowledgeid = AtomicU64::new(restored.next_acknowledgeid);
        let (acknowledging, watchers) = (Mutex::default(), RwLock::default());
        let correlated = AtomicU64::new(0);
        Ok(Self { live, queue, next_acknowledgeid, acknowledging, watchers, correlated, workers })
    }

    /// Takes events in journal order; `lsn` is the position after their record. Problems show
    /// them at once. Events that are known already do nothing. Without any, only the position is
    /// saved. Does not wait for the database.
    ///
    /// # Errors
    /// [`ApplyError::Full`]: nothing was taken.
    pub fn apply(&self, events: Vec<EventRow>, lsn: u64) -> Result<(), ApplyError> {
        self.apply_with(events, RowsOfEvents::default(), lsn)
    }

    /// As [`Self::apply`], with what is saved together with the events.
    ///
    /// # Errors
    /// As there.
    pub fn apply_with(
        &self,
        events: Vec<EventRow>,
        rows: RowsOfEvents,
        lsn: u64,
    ) -> Result<(), ApplyError> {
        let mut touched = Touched::new();
        let version = {
            let mut live = lock(&self.live);
            self.queue.has_room(events.len())?;
            let events: Vec<Arc<EventRow>> =
                events.into_iter().map(|it| live.apply(it, &mut touched)).collect();
            let problems = touched.clone();
            let batch = Batch { events, problems, rows, ..Batch::default() };
            self.queue.put(batch, Some(lsn));
            live.version()
        };
        if !touched.is_empty() {
            self.notify_watchers(version);
        }
        Ok(())
    }

    /// Whether [`Self::apply`] would take so many events now.
    ///
    /// # Errors
    /// Why not.
    pub fn has_room(&self, n_events: usize) -> Result<(), ApplyError> {
        self.queue.has_room(n_events)
    }

    /// Goes on at another position of the journal, also an earlier one, and saves that.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn restart_at(&self, lsn: u64) -> Result<(), DbError> {
        self.queue.put(Batch::default(), Some(lsn));
        self.queue.flush()
    }

    fn notify_watchers(&self, version: u64) {
        for watcher in locks::read(&self.watchers).iter() {
            watcher(version);
        }
    }

    /// Calls back after each later change of problems.
    pub fn watch(&self, watcher: Watcher) {
        locks::write(&self.watchers).push(watcher);
    }

    /// Calls back whenever events are in the database that were not before, and when global
    /// correlation has judged some.
    pub fn watch_saved(&self, watcher: SavedWatcher) {
        self.queue.watch(watcher);
    }

    /// Up to where the journal's events are in SQL: feed from here after a start or a refusal.
    #[must_use]
    pub fn cursor(&self) -> u64 {
        self.queue.cursor()
    }

    /// Events that are not in SQL yet.
    #[must_use]
    pub fn n_waiting(&self) -> usize {
        self.queue.n_waiting()
    }

    /// Grows with each change of a problem.
    #[must_use]
    pub fn version(&self) -> u64 {
        lock(&self.live).version()
    }

    /// Problems that changed after `version`; with 0, all that are in memory.
    #[must_use]
    pub fn changes_since(&self, version: u64) -> Changes {
        lock(&self.live).changes_since(version)
    }

    /// Gives problems a new version, for readers who see them differently without a change of theirs: by
    /// the configuration, or because a suppression has ended.
    pub fn renew(&self, ids: &[EventId]) {
        // In parts: the feed of events waits for the lock.
        for ids in ids.chunks(RENEW_MAX) {
            let version = {
                let mut live = lock(&self.live);
                live.renew(ids);
                live.version()
            };
            self.notify_watchers(version);
        }
    }

    /// Adds tags to an event, but for those that it has. Gives whether there is such an event.
    ///
    /// # Errors
    /// If the database is away, or the event waits for it.
    pub fn add_tags(&self, id: EventId, tags: &[Tag]) -> Result<bool, DbError> {
        if tags.is_empty() {
            return Ok(true);
        }
        self.flush()?;
        let given = tags.to_vec();
        let all = self.workers.write("add tags", move |sql| store::add_tags(sql, id, given))?;
        let Some(all) = all else { return Ok(false) };
        let version = {
            let mut live = lock(&self.live);
            live.set_tags(id, all);
            live.version()
        };
        self.notify_watchers(version);
        Ok(true)
    }

    /// Shows which problems are suppressed now that other hosts are in maintenance, or by others.
    pub(crate) fn set_maintained(&self, maintained: Arc<RunningMaintenances>) {
        let other = lock(&self.live).set_maintained(maintained);
        // In parts: the feed of events waits for the lock.
        for ids in other.chunks(RENEW_MAX) {
            let version = {
                let mut live = lock(&self.live);
                live.suppress(ids);
                live.version()
            };
            self.notify_watchers(version);
        }
    }

    /// Ranks problems by parents of hosts from now on.
    pub(crate) fn set_topology(&self, topology: Arc<Topology>, now: Time) {
        self.change(|live| live.set_topology(topology, now));
    }

    /// Makes problems causes again that have outlived those of their hosts' parents, and ends the
    /// flapping of triggers that have been stable. Call it each second.
    pub fn pass(&self, now: Time) {
        self.change(|live| live.pass(now));
    }

    /// When a trigger is flapping from now on. To be called at the start as well.
    pub fn set_flapping(&self, rule: FlappingRule, now: Time) {
        self.change(|live| live.set_flapping(rule, now));
    }

    #[must_use]
    pub fn flapping_rule(&self) -> FlappingRule {
        lock(&self.live).flapping_rule()
    }

    fn change(&self, change: impl FnOnce(&mut Live)) {
        let (before, after) = {
            let mut live = lock(&self.live);
            let before = live.version();
            change(&mut live);
            (before, live.version())
        };
        if before != after {
            self.notify_watchers(after);
        }
    }

    /// An open or recently resolved problem.
    #[must_use]
    pub fn problem(&self, id: EventId) -> Option<Arc<Problem>> {
        lock(&self.live).get(id).cloned()
    }

    /// All open and recently resolved problems, by event id.
    #[must_use]
    pub fn problems(&self) -> Vec<Arc<Problem>> {
        self.view().iter().cloned().collect()
    }

    /// All open and recently resolved problems as they are now. Cheap, and readers block nobody.
    #[must_use]
    pub fn view(&self) -> ProblemView {
        lock(&self.live).view().clone()
    }

    /// The open problems of an object, by source and kind of object.
    #[must_use]
    pub fn open_of(&self, kind: (u8, u8), objectid: u64) -> Vec<Arc<Problem>> {
        lock(&self.live).open_of(kind, objectid)
    }

    /// Open and recently resolved problems that are symptoms of another one.
    #[must_use]
    pub fn symptoms_of(&self, cause: EventId) -> Vec<Arc<Problem>> {
        lock(&self.live).symptoms_of(cause)
    }

    #[must_use]
    pub fn n_open(&self) -> usize {
        lock(&self.live).n_open()
    }

    /// Lets problems go that were resolved long ago. Call it each minute.
    pub fn expire(&self, now: Time) {
        self.change(|live| live.expire(now));
    }

    /// Lets problems go whose trigger, item or rule is not there any more, as Zabbix does; gives how
    /// many. Their events stay until housekeeping. Call it each minute.
    pub fn drop_orphans(&self, snapshot: &Snapshot) -> usize {
        let view = self.view();
        let rows = view.pieces().iter().flat_map(|it| it.facts());
        let is_gone = |object: u8, id: u64| match object {
            object::TRIGGER => snapshot.trigger(TriggerId(id)).is_none(),
            object::ITEM | object::RULE => snapshot.item(ItemId(id)).is_none(),
            object::SERVICE => snapshot.services.get(id).is_none(),
            _ => false,
        };
        let gone = rows.filter(|it| is_gone(it.object, it.objectid));
        let gone: Vec<EventId> = gone.map(|it| it.eventid).collect();
        for some in gone.chunks(RENEW_MAX) {
            let version = {
                let mut live = lock(&self.live);
                let problems = live.drop_all(some);
                let gone = some.to_vec();
                self.queue.put(Batch { problems, gone, ..Batch::default() }, None);
                live.version()
            };
            self.notify_watchers(version);
        }
        gone.len()
    }

    /// Does to problems what a user wants, and saves it. Ids of no problem are left out; the caller
    /// has checked rights and which actions are allowed.
    ///
    /// # Errors
    /// If the database refuses; nothing has changed then.
    pub fn acknowledge(
        &self,
        request: &Acknowledgement,
        now: Time,
    ) -> Result<Acknowledged, ConfigError> {
        let n = u64::try_from(request.eventids.len()).unwrap_or(u64::MAX);
        let _turn = lock(&self.acknowledging);
        let first = self.next_acknowledgeid.fetch_add(n, Ordering::Relaxed);
        let is_gone = |it: &&EventId| lock(&self.live).get(**it).is_none();
        let gone: Vec<EventId> = request.eventids.iter().filter(is_gone).copied().collect();
        let fetched = if gone.is_empty() { Vec::new() } else { self.fetch_problems(&gone)? };
        let (done, ranked, version) = {
            let mut live = lock(&self.live);
            let done = live.acknowledge(request, &fetched, first, now.clock());
            let ranked: Arc<[Ranked]> = live.rank(request).into();
            (done, ranked, live.version())
        };
        let entry = |(problem, entry): &(Arc<Problem>, Option<_>)| {
            entry.clone().map(|it| (problem.eventid(), it))
        };
        let entries: Arc<[AcknowledgeEntry]> = done.iter().filter_map(entry).collect();
        if let Err(error) = self.save_acknowledges(&entries, &ranked) {
            self.undo(&entries, &ranked);
            return Err(error.into());
        }
        self.notify_watchers(version);
        let wants_close = request.action & action::CLOSE != 0;
        let close = done.iter().map(|(it, _)| it).filter(|it| wants_close && it.is_open());
        Ok(Acknowledged {
            eventids: done.iter().map(|(it, _)| it.eventid()).collect(),
            close: close.cloned().collect(),
        })
    }

    fn save_acknowledges(
        &self,
        entries: &Arc<[AcknowledgeEntry]>,
        ranked: &Arc<[Ranked]>,
    ) -> Result<(), DbError> {
        let save = |conflict| {
            let of = (Arc::clone(entries), Arc::clone(ranked));
            let live = Arc::clone(&self.live);
            let save =
                move |sql: &mut dyn Sql| save_acknowledges(sql, (&of.0, &of.1), &live, conflict);
            self.workers.write("acknowledge", save)
        };
        match save(Conflict::Fail) {
            // Doing it again does no harm, and its answer says what holds.
            Err(error) if error.is_unknown() => save(Conflict::Ignore),
            done => done,
        }
    }

    /// Takes an acknowledgement back, in memory and, for the case that it got there, in SQL.
    fn undo(&self, entries: &[AcknowledgeEntry], ranked: &[Ranked]) {
        let version = {
            let mut live = lock(&self.live);
            let mut problems = live.undo_rank(ranked);
            problems.extend(live.undo(entries));
            let undone = entries.to_vec();
            self.queue.put(Batch { problems, undone, ..Batch::default() }, None);
            live.version()
        };
        self.notify_watchers(version);
    }

    /// Reads events from SQL, newest last unless the query says otherwise. Events that still wait
    /// for the database are written first.
    ///
    /// # Errors
    /// If the database is away.
    pub fn query(&self, query: &EventQuery) -> Result<Vec<EventRow>, DbError> {
        self.flush()?;
        let query = query.clone();
        if query.eventids.is_some() {
            return self.workers.read("read events", move |sql| query::run(sql, &query));
        }
        self.workers.scan("search events", move |sql| query::run(sql, &query))
    }

    /// The objects of a source and kind among `objectids` that have unacknowledged problem events.
    ///
    /// # Errors
    /// If the database is away.
    pub fn unacknowledged(
        &self,
        kind: (u8, u8),
        objectids: Vec<u64>,
        which: query::Unacknowledged,
    ) -> Result<Vec<u64>, DbError> {
        self.flush()?;
        let read = move |sql: &mut dyn Sql| query::unacknowledged(sql, kind, &objectids, which);
        self.workers.scan("read unacknowledged events", read)
    }

    /// When each trigger last had an event, as SQL has it.
    ///
    /// # Errors
    /// If the database is away.
    pub fn last_changes(&self) -> Result<Vec<(TriggerId, Time)>, DbError> {
        self.workers.load("read last changes", |sql| store::last_changes(sql))
    }

    /// The state of problems by event id, also of those that left memory long ago.
    ///
    /// # Errors
    /// If the database is away.
    pub fn fetch_problems(&self, ids: &[EventId]) -> Result<Vec<Problem>, DbError> {
        self.flush()?;
        let ids = ids.to_vec();
        self.workers.read("read problems", move |sql| query::problems(sql, &ids))
    }

    /// All active agents that have registered themselves, by id.
    ///
    /// # Errors
    /// If the database is away.
    pub fn autoregistered(&self) -> Result<Vec<AutoregisteredHost>, DbError> {
        self.autoregistered_as(|it| it)
    }

    /// Maps each of them, by id: all of them at once may be large.
    ///
    /// # Errors
    /// If the database is away.
    pub fn autoregistered_as<T: Send + 'static>(
        &self,
        make: impl Fn(AutoregisteredHost) -> T + Send + 'static,
    ) -> Result<Vec<T>, DbError> {
        self.flush()?;
        self.workers.read("read registered agents", move |sql| autoregistered::each(sql, make))
    }

    /// Deletes those with these ids, in one transaction.
    ///
    /// # Errors
    /// If the database is away.
    pub fn forget_autoregistered(&self, ids: &[u64]) -> Result<(), DbError> {
        let ids = ids.to_vec();
        let delete = move |sql: &mut dyn Sql| autoregistered::delete(sql, &ids);
        self.workers.write("forget registered agents", delete)
    }

    /// Those among them with these ids, by id.
    ///
    /// # Errors
    /// If the database is away.
    pub fn autoregistered_of(&self, ids: &[u64]) -> Result<Vec<AutoregisteredHost>, DbError> {
        self.flush()?;
        let ids = ids.to_vec();
        let read = move |sql: &mut dyn Sql| autoregistered::load_some(sql, &ids);
        self.workers.read("read registered agents", read)
    }

    /// All that rules of network discovery have found.
    ///
    /// # Errors
    /// If the database is away.
    pub fn discovered(&self) -> Result<DiscoveredRows, DbError> {
        self.flush()?;
        self.workers.scan("read discovered devices", discovered::load_all)
    }

    /// Devices with these ids and those that have services with these ids, each with all its services.
    ///
    /// # Errors
    /// If the database is away.
    pub fn discovered_of(
        &self,
        hosts: &[u64],
        services: &[u64],
    ) -> Result<DiscoveredRows, DbError> {
        self.flush()?;
        let (hosts, services) = (hosts.to_vec(), services.to_vec());
        let read = move |sql: &mut dyn Sql| discovered::load_of(sql, &hosts, &services);
        self.workers.read("read discovered devices", read)
    }

    /// The device of an event; `None`: it is not there any more, or the event is none of network
    /// discovery.
    ///
    /// # Errors
    /// If the database is away.
    pub fn discovered_device(
        &self,
        kind: u8,
        id: u64,
    ) -> Result<Option<DiscoveredDevice>, DbError> {
        let rows = match kind {
            object::DISCOVERED_HOST => self.discovered_of(&[id], &[])?,
            object::DISCOVERED_SERVICE => self.discovered_of(&[], &[id])?,
            _ => return Ok(None),
        };
        Ok(rows.about(kind, id))
    }

    /// The greatest ids that devices and services ever had.
    ///
    /// # Errors
    /// If the database is away.
    pub fn last_discovered_ids(&self) -> Result<(u64, u64), DbError> {
        self.flush()?;
        self.workers.read("read ids of discovered devices", discovered::last_ids)
    }

    /// Forgets devices and services. Events about them stay. Call it when no event about them is on its way.
    ///
    /// # Errors
    /// If the database is away.
    pub fn forget_discovered(&self, hosts: &[u64], services: &[u64]) -> Result<(), DbError> {
        self.flush()?;
        let (hosts, services) = (hosts.to_vec(), services.to_vec());
        let delete = move |sql: &mut dyn Sql| discovered::delete(sql, &hosts, &services);
        self.workers.write("forget discovered devices", delete)
    }

    /// Waits until everything taken so far is in SQL, half a minute at most.
    ///
    /// # Errors
    /// If the database refuses or takes longer.
    pub fn flush(&self) -> Result<(), DbError> {
        self.queue.flush()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.queue.stop();
    }
}

/// Writes entries, and problems as they are now: events may have changed them since, and that may be
/// saved already.
fn save_acknowledges(
    sql: &mut dyn Sql,
    (entries, ranked): (&[AcknowledgeEntry], &[Ranked]),
    live: &Mutex<Live>,
    conflict: Conflict,
) -> Result<(), DbError> {
    let mut problems = Vec::with_capacity(entries.len());
    for (id, entry) in entries {
        let in_memory = lock(live).get(*id).cloned();
        if let Some(problem) = in_memory {
            problems.push(problem);
            continue;
        }
        for mut problem in store::load_problems(sql, &id.to_string())? {
            change(&mut problem, entry);
            problems.push(Arc::new(problem));
        }
    }
    let live = lock(live);
    problems.extend(ranked.iter().filter_map(|it| live.get(it.id).cloned()));
    drop(live);
    store::save_acknowledges(sql, entries, &problems, conflict)
}
