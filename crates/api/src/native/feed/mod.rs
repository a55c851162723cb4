//! Common data of live streams: changes of problems, counts and overviews, computed and written once for all
//! users with the same permissions.
//!
//! Streams of users with equal [`ProblemScope`] share a [`Channel`]. One task ([`run`]) checks for changes
//! every quarter of a second; then it takes them over, writes each changed problem once, and puts those that
//! a scope may see into the scope's channel. Without readers nothing is done. Without changes nothing is
//! sent.
//!
//! **Queues.** A channel holds [`BATCHES_MAX`] batches. A stream that lags by more has lost some: it gets the
//! newest state of the problems that changed since its position ([`Feed::catch_up`]), which is less than all
//! batches, or has to fetch a snapshot where that is too much. Counts and overviews have no queue: a slow
//! stream gets the newest.
//!
//! **Locks.** `state` is held during computations, on threads that may wait. `changed_hosts` is
//! taken by edits, and before `state`, never with it.

pub(super) mod index;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use db::ProblemScope;
use model::EventId;
use model::map::Map;
use model::snapshot::{Delta, Snapshot};
use rt::task::Tasks;
use serde_json::json;
use tokio::sync::{broadcast, watch};
use tokio::time::{MissedTickBehavior, interval};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::loads::Loads;
use super::overview::{self, Overview, Overviews, Viewer};
use super::problems;
use crate::objects::problems::opdata::Opdata;
use crate::pool::Pool;
use crate::shared::{ApiState, ExpandContext};

use index::{ChangedHosts, Changes};
use index::{Counts, ProblemIndex, VisibleAudiences};

/// Counts go out at most this often: no user reads faster.
const COUNTS_TICKS: u64 = 4;
const OVERVIEW_TICKS: u64 = 8;

/// A scope without readers is kept for this long: the next page of the same user, or a client that asks
/// without a stream, finds its counts. Nothing is computed for it in that time.
const KEPT_NS: u64 = 60_000_000_000;

/// The pause after a panic of the task.
const BUG_PAUSE: Duration = Duration::from_secs(1);

/// Batches that wait in a channel for its slowest stream: usually those of eight seconds. Older ones are
/// dropped, and the stream catches up.
const BATCHES_MAX: usize = 32;
/// Rows of one message: 200 kB.
const ROWS_MAX: usize = 500;
/// Changed problems that are sent one by one; with more, the client fetches a snapshot: 100,000 cost as much
/// there.
const CHANGES_MAX: usize = 20_000;

/// Changes of problems for one scope.
#[derive(Debug)]
pub(super) enum Batch {
    Changes {
        version: u64,
        messages: Vec<Utf8Bytes>,
    },
    /// The changes are not known: the client fetches a snapshot.
    Resync {
        version: u64,
    },
}

/// The data that streams of one scope read.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) scope: ProblemScope,
    problems: broadcast::Sender<Arc<Batch>>,
    counts: watch::Sender<Utf8Bytes>,
    overview: watch::Sender<Option<Arc<Overview>>>,
}

/// The parts of its channel that a stream wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Wanted {
    pub(super) problems: bool,
    pub(super) counts: bool,
    pub(super) overview: bool,
}

/// A stream's ends of its channel; unwanted parts are `None`.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) channel: Arc<Channel>,
    /// With the version at which the batches begin.
    pub(super) problems: Option<(broadcast::Receiver<Arc<Batch>>, u64)>,
    pub(super) counts: Option<watch::Receiver<Utf8Bytes>>,
    pub(super) overview: Option<watch::Receiver<Option<Arc<Overview>>>>,
}

#[derive(Debug)]
pub(crate) struct Feed {
    state: Mutex<FeedState>,
    changed_hosts: Mutex<ChangedHosts>,
    has_changed_hosts: AtomicBool,
    is_running: AtomicBool,
    /// One after the other.
    pool: Pool,
}

#[derive(Debug, Default)]
struct FeedState {
    index: ProblemIndex,
    members: Map<ProblemScope, ScopeFeed>,
}

/// A scope with readers.
#[derive(Debug)]
struct ScopeFeed {
    channel: Arc<Channel>,
    visible: VisibleAudiences,
    /// The version up to which the channel has been sent changes; problems that it may not see do not count.
    version: u64,
    counts: Counts,
    overviews: Overviews,
    loads: Loads,
    /// When it was last asked for.
    used_ns: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a part until it ends by itself. One that ends by a bug, which is counted and logged, begins again
/// after a pause: the server does not stop over it.
async fn begin_again<F: Future<Output = ()>>(
    (kind, tasks): (&'static str, &Tasks),
    pause: Duration,
    mut begin: impl FnMut() -> F,
) {
    let stop = tasks.shutdown().clone();
    while tasks.contain(kind, "all streams", begin()).await.is_err() {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Keeps the channels fed until the server stops.
async fn run(feed: Arc<Feed>, shared: Arc<ApiState>) {
    let mut ticks = interval(shared.settings.changes_period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let shutdown = shared.shutdown.clone();
    let mut n_ticks: u64 = 0;
    let mut version = 0;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => n_ticks += 1,
        }
        let now = *shared.problems.borrow();
        let is_time = n_ticks.is_multiple_of(COUNTS_TICKS);
        let has_changes = now != version || feed.has_changed_hosts.load(Ordering::Relaxed);
        if !has_changes && !is_time {
            continue;
        }
        let (of_work, of_ticks) = (Arc::clone(&shared), Arc::clone(&feed));
        let work = move || of_ticks.tick(&of_work, n_ticks);
        match shared.blocking_unrefused(&feed.pool, work).await {
            Ok(()) => version = now,
            // The next tick tries again; a panic is counted and logged.
            Err(error) => tracing::debug!(error = %error.data(), "live streams got no changes"),
        }
    }
}

impl Feed {
    pub(crate) fn new(pool: Pool) -> Self {
        Self {
            state: Mutex::default(),
            changed_hosts: Mutex::default(),
            has_changed_hosts: AtomicBool::new(false),
            is_running: AtomicBool::new(false),
            pool,
        }
    }

    /// Starts the task with the first stream.
    pub(super) fn start(self: &Arc<Self>, shared: &Arc<ApiState>) {
        if !self.is_running.swap(true, Ordering::Relaxed) {
            let (feed, of_run) = (Arc::clone(self), Arc::clone(shared));
            shared.tasks.spawn("api-feed", async move {
                let begin = || run(Arc::clone(&feed), Arc::clone(&of_run));
                begin_again(("live feed", &of_run.tasks), BUG_PAUSE, begin).await;
            });
        }
    }

    /// Hears of a change of the configuration.
    pub(crate) fn configured(&self, delta: &Delta) {
        let mut changed = lock(&self.changed_hosts);
        changed.extend(delta.hosts_changed.iter().chain(&delta.hosts_removed).copied());
        self.has_changed_hosts.store(true, Ordering::Relaxed);
    }

    fn tick(&self, shared: &ApiState, n_ticks: u64) {
        self.has_changed_hosts.store(false, Ordering::Relaxed);
        let now_ns = shared.clock.mono_ns();
        let is_read = {
            let mut state = lock(&self.state);
            state.members.retain(|_, it| it.is_read() || now_ns < it.used_ns + KEPT_NS);
            state.members.values().any(ScopeFeed::is_read)
        };
        if !is_read {
            return;
        }
        let mut state = self.follow(shared);
        if n_ticks.is_multiple_of(COUNTS_TICKS) {
            state.publish_counts();
        }
        if n_ticks.is_multiple_of(OVERVIEW_TICKS) {
            let snapshot = shared.db.snapshot();
            state.publish_overviews(shared, &snapshot);
        }
    }

    /// Brings everything up to date and publishes changed problems on the channels.
    fn follow(&self, shared: &ApiState) -> MutexGuard<'_, FeedState> {
        self.has_changed_hosts.store(false, Ordering::Relaxed);
        let changed_hosts = std::mem::take(&mut *lock(&self.changed_hosts));
        let mut state = lock(&self.state);
        // Loaded after the list of changed hosts: has all of them.
        let snapshot = shared.db.snapshot();
        let (events, now) = (shared.db.events(), shared.clock.wall());
        let outdated = state.index.outdated(events, &changed_hosts, &snapshot, now);
        if !outdated.is_empty() {
            events.renew(&outdated);
        }
        let changes = state.index.sync(events, &snapshot, now);
        state.publish_problems(&changes, ExpandContext { shared, snapshot: &snapshot, now });
        state
    }

    /// Lets a stream read the wanted parts from now on.
    pub(super) fn join(&self, shared: &ApiState, scope: &ProblemScope, wanted: Wanted) -> Joined {
        let mut state = self.follow(shared);
        let FeedState { index, members } = &mut *state;
        let version = index.version();
        let member = ScopeFeed::of(members, scope, index, shared.clock.mono_ns());
        let channel = Arc::clone(&member.channel);
        if wanted.counts && channel.counts.receiver_count() == 0 {
            // Nothing was published while nobody listened.
            member.publish_counts(index);
        }
        if wanted.overview {
            let snapshot = shared.db.snapshot();
            member.publish_overview((shared, &snapshot), index, overview::FRESH_NS);
        }
        Joined {
            problems: wanted.problems.then(|| (channel.problems.subscribe(), version)),
            counts: wanted.counts.then(|| channel.counts.subscribe()),
            overview: wanted.overview.then(|| channel.overview.subscribe()),
            channel,
        }
    }

    /// The overview as it is now.
    pub(super) fn overview(&self, shared: &ApiState, scope: &ProblemScope) -> Utf8Bytes {
        let mut state = self.follow(shared);
        let FeedState { index, members } = &mut *state;
        let member = ScopeFeed::of(members, scope, index, shared.clock.mono_ns());
        let snapshot = shared.db.snapshot();
        member.publish_overview((shared, &snapshot), index, overview::FRESH_NS).whole()
    }

    /// Host groups and hosts with problems, as they are now.
    pub(super) fn loads(&self, shared: &ApiState, scope: &ProblemScope) -> Utf8Bytes {
        let mut state = self.follow(shared);
        let FeedState { index, members } = &mut *state;
        let member = ScopeFeed::of(members, scope, index, shared.clock.mono_ns());
        let snapshot = shared.db.snapshot();
        let as_of = (index.version(), snapshot.epoch);
        if let Some(known) = member.loads.known(as_of) {
            return known;
        }
        member.loads.keep(as_of, &index.loads(&member.visible), (&snapshot, &scope.hosts))
    }

    /// The changes of problems after a version, for a stream that missed them; with the version up to which
    /// they go. `None`: they are too many.
    pub(super) fn catch_up(
        &self,
        shared: &ApiState,
        scope: &ProblemScope,
        since: u64,
    ) -> Option<(u64, Vec<Utf8Bytes>)> {
        let mut state = self.follow(shared);
        let FeedState { index, members } = &mut *state;
        let visible = &ScopeFeed::of(members, scope, index, shared.clock.mono_ns()).visible;
        let version = index.version();
        let delta = shared.db.events().changes_since(since);
        if (delta.is_whole && since != 0) || CHANGES_MAX < delta.changed.len() {
            return None;
        }
        let (snapshot, now) = (shared.db.snapshot(), shared.clock.wall());
        let (view, opdata) =
            (ExpandContext { shared, snapshot: &snapshot, now }, Opdata::default());
        let mut writer = Writer::new(since);
        // Changes that the index does not know yet come with the next batch.
        for problem in delta.changed.iter().filter(|it| it.version <= version) {
            let is_visible = visible.admits(index.audience(problem.eventid()));
            match problems::row(view, &opdata, problem).filter(|_| is_visible) {
                Some(row) => writer.upsert(&row.to_string(), problem.version),
                // It may have been visible before.
                None => writer.remove(problem.eventid()),
            }
        }
        delta.removed.into_iter().for_each(|it| writer.remove(it));
        Some((version, writer.finish(version)))
    }
}

impl FeedState {
    fn publish_problems(&mut self, changes: &Changes, view: ExpandContext<'_>) {
        if changes.version == changes.since {
            return;
        }
        let opdata = Opdata::default();
        let mut rows: Vec<Option<String>> = vec![None; changes.changed.len()];
        for member in self.members.values_mut() {
            member.visible.follow(&self.index, &member.channel.scope);
            if member.channel.problems.receiver_count() == 0 {
                member.version = changes.version;
                continue;
            }
            let batch = if changes.is_whole || CHANGES_MAX < changes.changed.len() {
                Batch::Resync { version: changes.version }
            } else {
                let messages = member.messages(changes, &mut rows, (view, &opdata));
                if messages.is_empty() {
                    continue;
                }
                Batch::Changes { version: changes.version, messages }
            };
            member.version = changes.version;
            // An error means that the last stream left just now.
            if member.channel.problems.send(Arc::new(batch)).is_err() {
                tracing::trace!("the last stream of a channel has left");
            }
        }
    }

    fn publish_counts(&mut self) {
        for member in self.members.values_mut() {
            if 0 < member.channel.counts.receiver_count() {
                member.publish_counts(&self.index);
            }
        }
    }

    fn publish_overviews(&mut self, shared: &ApiState, snapshot: &Snapshot) {
        for member in self.members.values_mut() {
            if 0 < member.channel.overview.receiver_count() {
                member.publish_overview((shared, snapshot), &self.index, 0);
            }
        }
    }
}

impl ScopeFeed {
    fn of<'a>(
        members: &'a mut Map<ProblemScope, Self>,
        scope: &ProblemScope,
        index: &ProblemIndex,
        now_ns: u64,
    ) -> &'a mut Self {
        let member = members.entry(scope.clone()).or_insert_with(|| {
            let counts = Counts::default();
            let channel = Channel {
                scope: scope.clone(),
                problems: broadcast::Sender::new(BATCHES_MAX),
                counts: watch::Sender::new(counts_message(&counts)),
                overview: watch::Sender::new(None),
            };
            Self {
                channel: Arc::new(channel),
                visible: VisibleAudiences::default(),
                version: index.version(),
                counts,
                overviews: Overviews::default(),
                loads: Loads::default(),
                used_ns: 0,
            }
        });
        member.used_ns = now_ns;
        member.visible.follow(index, scope);
        member
    }

    /// A stream holds the channel.
    fn is_read(&self) -> bool {
        1 < Arc::strong_count(&self.channel)
    }

    /// The changes that the scope may see, as messages. Rows are written when the first scope needs them.
    fn messages(
        &self,
        changes: &Changes,
        rows: &mut [Option<String>],
        (view, opdata): (ExpandContext<'_>, &Opdata),
    ) -> Vec<Utf8Bytes> {
        let mut writer = Writer::new(self.version);
        for (change, row) in changes.changed.iter().zip(rows) {
            let problem = &change.problem;
            if self.visible.admits(change.audience) {
                let row = row.get_or_insert_with(|| {
                    problems::row(view, opdata, problem)
                        .map_or_else(String::new, |it| it.to_string())
                });
                if !row.is_empty() {
                    writer.upsert(row, problem.version);
                    continue;
                }
            }
            if self.visible.admits(change.before) {
                writer.remove(problem.eventid());
            }
        }
        let removed = changes.removed.iter().filter(|(_, audience)| self.visible.admits(*audience));
        removed.for_each(|(id, _)| writer.remove(*id));
        if writer.is_empty() { Vec::new() } else { writer.finish(changes.version) }
    }

    fn publish_counts(&mut self, index: &ProblemIndex) {
        self.visible.follow(index, &self.channel.scope);
        let counts = index.counts(&self.visible);
        if counts != self.counts {
            self.counts = counts;
            self.channel.counts.send_replace(counts_message(&counts));
        }
    }

    fn publish_overview(
        &mut self,
        (shared, snapshot): (&ApiState, &Snapshot),
        index: &ProblemIndex,
        age_ns_max: u64,
    ) -> Arc<Overview> {
        let Self { channel, visible, overviews, .. } = self;
        visible.follow(index, &channel.scope);
        let viewer = Viewer { shared, snapshot, scope: &channel.scope, index, visible };
        let (overview, is_new) = overviews.get(&viewer, age_ns_max);
        if is_new {
            channel.overview.send_replace(Some(Arc::clone(&overview)));
        }
        overview
    }
}

fn counts_message(counts: &Counts) -> Utf8Bytes {
    let by_severity = overview::by_severity(counts);
    let message = json!({"type": "counts", "problems_by_severity": by_severity});
    Utf8Bytes::from(message.to_string())
}

/// Says where the changes that follow begin.
pub(super) fn position_message(version: u64) -> Utf8Bytes {
    let message = json!({"type": "problems", "since": version, "version": version,
        "upsert": [], "remove": []});
    Utf8Bytes::from(message.to_string())
}

/// Says that the changes are not known: the client fetches a new snapshot.
pub(super) fn resync_message(version: u64) -> Utf8Bytes {
    let message = json!({"type": "problems", "version": version, "resync": true});
    Utf8Bytes::from(message.to_string())
}

/// Writes messages of problems:
/// `{"type":"problems","since":4,"version":9,"upsert":[row,…],"remove":[id,…]}`.
/// They bring a client with version `since` or a later one to `version`.
struct Writer {
    since: u64,
    /// Of the last row.
    version: u64,
    n_rows: usize,
    rows: String,
    removed: String,
    messages: Vec<Utf8Bytes>,
}

impl Writer {
    fn new(since: u64) -> Self {
        let (rows, removed) = (String::new(), String::new());
        Self { since, version: since, n_rows: 0, rows, removed, messages: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.n_rows == 0 && self.removed.is_empty() && self.messages.is_empty()
    }

    fn upsert(&mut self, row: &str, version: u64) {
        if self.n_rows == ROWS_MAX {
            self.end_message(self.version);
        }
        if self.n_rows > 0 {
            self.rows.push(',');
        }
        self.rows.push_str(row);
        self.n_rows += 1;
        self.version = version;
    }

    fn remove(&mut self, id: EventId) {
        if !self.removed.is_empty() {
            self.removed.push(',');
        }
        self.removed.push_str(&format!("\"{id}\""));
    }

    /// Problems that go are in the last message: until then they may be old, never missing.
    fn end_message(&mut self, version: u64) {
        let Self { since, rows, .. } = self;
        self.messages.push(Utf8Bytes::from(format!(
            r#"{{"type":"problems","since":{since},"version":{version},"upsert":[{rows}],"remove":[]}}"#
        )));
        self.rows.clear();
        self.n_rows = 0;
        self.since = version;
    }

    fn finish(mut self, version: u64) -> Vec<Utf8Bytes> {
        let Self { since, rows, removed, .. } = &self;
        self.messages.push(Utf8Bytes::from(format!(
            r#"{{"type":"problems","since":{since},"version":{version},"upsert":[{rows}],"remove":[{removed}]}}"#
        )));
        self.messages
    }
}

#[cfg(test)]
mod tests {
    use rt::metrics::Registry;

    use super::*;

    #[tokio::test]
    async fn a_feed_that_ends_by_a_bug_begins_again_and_stops_no_server() {
        let tasks = Tasks::new("test", &Registry::new());
        let mut n_begun = 0;
        begin_again(("live feed", &tasks), Duration::ZERO, || {
            n_begun += 1;
            let number = n_begun;
            async move { assert_eq!(number, 3, "a bug") }
        })
        .await;
        assert_eq!(n_begun, 3);
        let failure = tokio::time::timeout(Duration::ZERO, tasks.next_failure()).await;
        assert!(failure.is_err(), "nobody is asked to stop the server");
    }

    #[tokio::test]
    async fn a_feed_does_not_begin_again_when_the_server_stops() {
        let tasks = Tasks::new("test", &Registry::new());
        tasks.shutdown().cancel();
        let mut n_begun = 0;
        begin_again(("live feed", &tasks), Duration::from_secs(3_600), || {
            n_begun += 1;
            async { panic!("a bug") }
        })
        .await;
        assert_eq!(n_begun, 1);
    }
}
