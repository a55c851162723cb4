//! Delivery from the journal to any number of stores.
//!
//! Each store has a [`Feed`] with a place of its own, so that one that is away holds up neither the
//! others nor the server: its cursor stays, and the journal keeps the records that it has not
//! stored. A feed does its work in turns, without threads and without waiting for anything but its
//! store; the owner of the thread calls the turns. Records that a store has taken but not stored
//! for good may be lost with a connection: [`Store::applied`] goes back then, and the feed with it.
//! So each record reaches what is stored for good once.
//!
//! Only synced records are delivered: records that a power cut could take back must not be in
//! another store.
//!
//! The journal can't grow for ever. A store that lags more than [`FeederSettings::hold_bytes_max`]
//! is *left behind*: the journal is let go of without it, and health says so; with
//! [`LagPolicy::Hold`] it goes on growing, up to what the disk holds. If it comes back in time
//! nothing is missing. Else its place is gone, it gets nothing more, and the operator decides:
//! [`Feeder::accept_gaps`] lets it go on with what the journal has.
//!
//! So does a store whose places are of another journal. Of one that this journal is a copy of it
//! has what both have in common: it goes on after that.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use journal::{ErrorAction, Journal, JournalReader, Lsn, Upto};
use model::record::{RecordError, RecordView};
use rt::health::{Health, Level};
use rt::metrics::{Counter, Family, Gauge, Registry};
use serde::{Deserialize, Serialize};
use tracing::{error, info, warn};

use crate::store::unreadable;
use crate::{Error, Flush, Result, Store};

rt::metrics! {
    /// Stores fed from the journal.
    pub struct FeederMetrics in "saker_history_store", formerly "history_store" {
        /// Records delivered, by store.
        pub(crate) records_total: Family<Counter> = "store",
        /// Times that a store did not take or keep what it was given, by store: it is tried again.
        pub(crate) retries_total: Family<Counter> = "store",
        /// Damaged records of the journal that were skipped, by store.
        pub(crate) damaged_total: Family<Counter> = "store",
        /// Times that the operator let a store go on after a gap, by store.
        pub(crate) gaps_accepted_total: Family<Counter> = "store",
        /// Bytes of journal that are not stored for good yet, by store.
        pub(crate) lag_bytes: Family<Gauge> = "store",
        /// Seconds since the oldest of that was written, by store; of what was there at the start, since then.
        pub(crate) lag_seconds: Family<Gauge> = "store",
        /// Values that were taken and are not stored for good yet, by store.
        pub(crate) unflushed_values: Family<Gauge> = "store",
    }
}

/// The policy for a store that lags more than the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LagPolicy {
    /// The journal is let go of without it: values will be missing there, and input goes on.
    #[default]
    LeaveBehind,
    /// The journal is kept all the same. When the disk is full no more values are accepted: agents
    /// and proxies keep theirs meanwhile.
    Hold,
}

#[derive(Clone, Copy, Debug)]
pub struct FeederSettings {
    /// Bytes of journal delivered in one turn.
    pub stride_bytes: u64,
    /// How much journal a store may hold back.
    pub hold_bytes_max: u64,
    /// The policy if it holds back more.
    pub when_full: LagPolicy,
    /// How long a feed waits before it tries again what was refused: at first, and at most.
    pub pause: (Duration, Duration),
}

impl Default for FeederSettings {
    fn default() -> Self {
        Self {
            stride_bytes: 4 << 20,
            // Some 2,000 million values: ten hours of 50,000 a second.
            hold_bytes_max: 16 << 30,
            when_full: LagPolicy::default(),
            pause: (Duration::from_secs(1), Duration::from_secs(60)),
        }
    }
}

/// The result of a feed's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeedTurn {
    /// There is more to do.
    More,
    /// It is at the end of what is synced.
    Idle,
    /// Something is away: the same again, after this time.
    Retry(Duration),
    /// Nothing is done before the operator has acted.
    Halted,
}

/// A store whose place the journal does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Where the store should go on, and what the journal holds.
    pub cursor: Lsn,
    pub first: Lsn,
    pub next: Lsn,
    /// Its place is of another journal.
    pub is_other_journal: bool,
}

/// How a store fares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum FeedState {
    #[default]
    Follows,
    /// It did not take or keep what it was given, and is tried again.
    Away(Arc<str>),
    /// Its place is not in the journal: see [`Feeder::accept_gaps`].
    Misses(Gap),
    /// It can't continue before the program or its data is changed.
    Halted(Arc<str>),
}

/// The state of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedStatus {
    pub name: Arc<str>,
    pub state: FeedState,
    /// Stored for good up to here.
    pub cursor: Lsn,
    /// The journal is let go of without it.
    pub is_left_behind: bool,
}

/// All stores that are fed from the journal; clones are the same.
#[derive(Clone, Debug)]
pub struct Feeder {
    shared: Arc<FeederParts>,
}

#[derive(Debug)]
struct FeederParts {
    journal: Journal,
    settings: FeederSettings,
    metrics: FeederMetrics,
    health: Health,
    stores: Mutex<BTreeMap<Arc<str>, WatchedStore>>,
    ages: Mutex<Ages>,
}

#[derive(Debug)]
struct WatchedStore {
    store: Arc<dyn Store>,
    state: FeedState,
    /// The store that shards write to, or one fed from the journal, which may be left behind.
    is_live: bool,
    /// Its place is known.
    is_in_contact: bool,
    is_left_behind: bool,
    /// It holds back more journal than it should, and may.
    is_over: bool,
    is_gap_accepted: bool,
    /// The condition that was last reported to health.
    reported: Option<(Level, String)>,
}

/// Brings one store what the journal holds.
#[derive(Debug)]
pub struct Feed {
    shared: Arc<FeederParts>,
    name: Arc<str>,
    store: Arc<dyn Flush>,
    reader: Option<JournalReader>,
    /// The position that the store had taken when it was last checked.
    applied: Lsn,
    n_failures: u32,
    skipped: Skipped,
}

/// Damage that the store will never get.
#[derive(Debug, Default)]
struct Skipped {
    /// Since the start.
    n: u64,
    /// Up to here it has been counted: a feed that restarts reads it again.
    to: Lsn,
}

/// Why a feed does not go on.
enum Stop {
    Retry(Error),
    Misses(Lsn),
    /// The store's place, in another journal.
    OtherJournal(Lsn),
    Halt(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        if error.retry() { Self::Retry(error) } else { Self::Halt(error) }
    }
}

impl From<journal::Error> for Stop {
    fn from(error: journal::Error) -> Self {
        match &error {
            journal::Error::Gone { lsn, .. } | journal::Error::Ahead { lsn, .. } => {
                Self::Misses(*lsn)
            }
            _ if ErrorAction::of(&error) == ErrorAction::Retry => Self::Retry(error.into()),
            _ => Self::Halt(error.into()),
        }
    }
}

impl Feeder {
    #[must_use]
    pub fn new(
        journal: Journal,
        settings: FeederSettings,
        (registry, health): (&Registry, &Health),
    ) -> Self {
        let metrics = FeederMetrics::register(registry);
        let (health, stores, ages) = (health.clone(), Mutex::default(), Mutex::default());
        let parts = FeederParts { journal, settings, metrics, health, stores, ages };
        Self { shared: Arc::new(parts) }
    }

    /// Counts the store that shards write to: the journal keeps what it has not stored for good.
    pub fn watch(&self, name: &str, store: Arc<dyn Store>) {
        self.shared.lock().insert(name.into(), WatchedStore::new(store, true));
    }

    /// Adds a store that is fed from the journal. Each name once; it is part of metrics.
    #[must_use]
    pub fn add(&self, name: &str, store: Arc<dyn Flush>) -> Feed {
        let name: Arc<str> = name.into();
        let of_entry: Arc<dyn Store> = Arc::clone(&store) as Arc<dyn Store>;
        self.shared.lock().insert(Arc::clone(&name), WatchedStore::new(of_entry, false));
        let applied = store.applied();
        let (shared, skipped) = (Arc::clone(&self.shared), Skipped::default());
        Feed { shared, name, store, reader: None, applied, n_failures: 0, skipped }
    }

    /// The oldest position that a store needs; to be asked each second or so, because it is here
    /// that stores are left behind and their lag is measured, by a monotonic clock. Without stores
    /// there is none: the end of all positions.
    #[must_use]
    pub fn needed(&self, now_ns: u64) -> Lsn {
        let shared = &*self.shared;
        let (first, next) = (shared.journal.first_lsn(), shared.journal.next_lsn());
        let mut ages = shared.ages.lock().unwrap_or_else(PoisonError::into_inner);
        ages.add(next, now_ns);
        let mut stores = shared.lock();
        let mut needed = Lsn(u64::MAX);
        for (name, entry) in stores.iter_mut() {
            // The needs of a store without contact so far are not known: everything is kept.
            let cursor = if entry.is_in_contact { entry.store.cursor() } else { first };
            let lag = next.0.saturating_sub(cursor.0);
            shared.metrics.lag_bytes.of(name).set_n(usize::try_from(lag).unwrap_or(usize::MAX));
            shared.metrics.lag_seconds.of(name).set(ages.seconds(cursor, now_ns));
            let is_over = !entry.is_live && shared.settings.hold_bytes_max < lag;
            let is_left_behind = is_over && shared.settings.when_full == LagPolicy::LeaveBehind;
            entry.is_over = is_over;
            if is_left_behind != entry.is_left_behind {
                entry.is_left_behind = is_left_behind;
                let max = shared.settings.hold_bytes_max;
                if is_left_behind {
                    error!(store = %name, lag, max, "a store of history is left behind");
                } else {
                    info!(store = %name, "a store of history has caught up");
                }
            }
            shared.report(name, entry, lag);
            if !is_left_behind {
                needed = needed.min(cursor);
            }
        }
        needed
    }

    #[must_use]
    pub fn status(&self) -> Vec<FeedStatus> {
        let stores = self.shared.lock();
        let status = stores.iter().map(|(name, entry)| FeedStatus {
            name: Arc::clone(name),
            state: entry.state.clone(),
            cursor: entry.store.cursor(),
            is_left_behind: entry.is_left_behind,
        });
        status.collect()
    }

    /// Lets all stores whose place is gone go on with what the journal has; gives what each of them misses.
    #[must_use]
    pub fn accept_gaps(&self) -> Vec<(Arc<str>, Gap)> {
        let mut stores = self.shared.lock();
        let missing = stores.iter_mut().filter_map(|(name, entry)| {
            let FeedState::Misses(gap) = entry.state else { return None };
            entry.is_gap_accepted = true;
            Some((Arc::clone(name), gap))
        });
        missing.collect()
    }
}

/// When the journal had grown to which position.
#[derive(Debug, Default)]
struct Ages {
    marks: VecDeque<(Lsn, u64)>,
}

impl Ages {
    const MAX: usize = 1_024;

    fn add(&mut self, next: Lsn, now_ns: u64) {
        if self.marks.back().is_some_and(|it| next <= it.0) {
            return;
        }
        if self.marks.len() == Self::MAX {
            // Ever coarser, the longer ago: each second one goes, but the first.
            let mut n = 0;
            self.marks.retain(|_| {
                n += 1;
                n % 2 == 1
            });
        }
        self.marks.push_back((next, now_ns));
    }

    /// How long ago what lies at a position was written.
    #[expect(clippy::cast_precision_loss, reason = "a metric")]
    fn seconds(&self, at: Lsn, now_ns: u64) -> f64 {
        let behind = self.marks.partition_point(|it| it.0 <= at);
        self.marks.get(behind).map_or(0.0, |it| now_ns.saturating_sub(it.1) as f64 / 1e9)
    }
}

impl WatchedStore {
    fn new(store: Arc<dyn Store>, is_live: bool) -> Self {
        Self {
            store,
            state: FeedState::Follows,
            is_live,
            is_in_contact: is_live,
            is_left_behind: false,
            is_over: false,
            is_gap_accepted: false,
            reported: None,
        }
    }

    fn issue(&self, lag: u64) -> Option<(Level, String)> {
        let cause = match &self.state {
            FeedState::Follows => None,
            FeedState::Away(why) => Some((
                Level::Degraded,
                format!("its records wait in the journal: {why}"),
            )),
            FeedState::Misses(Gap { is_other_journal: true, .. }) => Some((
                Level::Failing,
                "this is not the journal that it was fed from, but another one or a copy of that. It gets \
                 nothing more before it may go on with this one by `saker journal accept-gap`"
                    .to_owned(),
            )),
            FeedState::Misses(Gap { cursor, first, next, .. }) => Some((
                Level::Failing,
                format!(
                    "it has the records before position {cursor}, and the journal holds {first} to \
                     {next}: the records in between are gone. It gets nothing more before that is \
                     accepted with `saker journal accept-gap`"
                ),
            )),
            FeedState::Halted(why) => {
                Some((Level::Failing, format!("it stores nothing more: {why}")))
            }
        };
        if !self.is_over || matches!(self.state, FeedState::Misses(_)) {
            return cause;
        }
        let why = cause.map_or_else(|| "it is too slow".to_owned(), |it| it.1);
        // Rounded, so that small changes are not reported again.
        let lag = lag >> 30;
        let what = if self.is_left_behind {
            "the journal does not wait for it any more; values will be missing there unless it \
             catches up soon"
        } else {
            "the journal waits for it, as the settings say; when the disk is full no more values \
             are accepted"
        };
        let text = format!("it lags by more than {lag} GiB of journal, and {what}: {why}");
        Some((Level::Failing, text))
    }
}

impl FeederParts {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, WatchedStore>> {
        self.stores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, name: &str, entry: &mut WatchedStore, lag: u64) {
        let issue = entry.issue(lag);
        if entry.reported == issue {
            return;
        }
        let part = format!("history store {name}");
        match &issue {
            Some((level, text)) => self.health.set(&part, *level, text.clone()),
            None => self.health.clear(&part),
        }
        entry.reported = issue;
    }

    fn set_state(&self, name: &Arc<str>, state: FeedState) {
        let mut stores = self.lock();
        let Some(entry) = stores.get_mut(name) else { return };
        if entry.state != state {
            match &state {
                FeedState::Follows => info!(store = %name, "a store of history continues"),
                // Texts differ from try to try: the first one is reported.
                FeedState::Away(_) if matches!(entry.state, FeedState::Away(_)) => {}
                FeedState::Away(why) => warn!(store = %name, %why, "a store of history is away"),
                FeedState::Misses(gap) => {
                    error!(store = %name, ?gap, "the journal does not have a store's position");
                }
                FeedState::Halted(why) => error!(store = %name, %why, "a store of history halts"),
            }
            entry.state = state;
        }
        let lag = self.journal.next_lsn().0.saturating_sub(entry.store.cursor().0);
        self.report(name, entry, lag);
    }

    /// Whether the operator has accepted the gap; once.
    fn take_acceptance(&self, name: &str) -> bool {
        self.lock().get_mut(name).is_some_and(|it| std::mem::take(&mut it.is_gap_accepted))
    }

    fn is_halted(&self, name: &str) -> bool {
        let stores = self.lock();
        stores.get(name).is_some_and(|it| {
            matches!(it.state, FeedState::Halted(_))
                || matches!(it.state, FeedState::Misses(_)) && !it.is_gap_accepted
        })
    }
}

impl Feed {
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its store has values that it has not stored for good: that is done by a later turn.
    #[must_use]
    pub fn is_gathering(&self) -> bool {
        0 < self.store.n_values_unflushed()
    }

    /// Delivers what there is, a stride at most, and lets the store keep it when that is due, or when
    /// the server is `stopping`.
    pub fn turn(&mut self, stopping: bool) -> FeedTurn {
        if self.shared.is_halted(&self.name) {
            return FeedTurn::Halted;
        }
        match self.work(stopping) {
            Ok(is_at_end) => {
                self.n_failures = 0;
                self.shared.set_state(&self.name, FeedState::Follows);
                self.store.observe();
                let n_unflushed = usize::try_from(self.store.n_values_unflushed());
                let gauge = self.shared.metrics.unflushed_values.of(&self.name);
                gauge.set_n(n_unflushed.unwrap_or(usize::MAX));
                if is_at_end { FeedTurn::Idle } else { FeedTurn::More }
            }
            Err(stop) => self.stop(stop),
        }
    }

    fn stop(&mut self, stop: Stop) -> FeedTurn {
        // Reading starts again from the position of the store.
        self.reader = None;
        let shared = Arc::clone(&self.shared);
        match stop {
            Stop::Retry(error) => {
                shared.metrics.retries_total.of(&self.name).inc();
                shared.set_state(&self.name, FeedState::Away(error.to_string().into()));
                let (first, most) = shared.settings.pause;
                let pause = first.saturating_mul(1 << self.n_failures.min(20)).min(most);
                self.n_failures = self.n_failures.saturating_add(1);
                FeedTurn::Retry(pause)
            }
            Stop::Misses(cursor) => self.misses(cursor, false),
            Stop::OtherJournal(cursor) => self.misses(cursor, true),
            Stop::Halt(error) => {
                shared.set_state(&self.name, FeedState::Halted(error.to_string().into()));
                FeedTurn::Halted
            }
        }
    }

    fn misses(&self, cursor: Lsn, is_other_journal: bool) -> FeedTurn {
        let journal = &self.shared.journal;
        let (first, next) = (journal.first_lsn(), journal.next_lsn());
        let gap = Gap { cursor, first, next, is_other_journal };
        self.shared.set_state(&self.name, FeedState::Misses(gap));
        FeedTurn::Halted
    }

    /// True at the end of what is synced.
    fn work(&mut self, stopping: bool) -> Result<bool, Stop> {
        self.store.expect_journal(&self.shared.journal);
        self.store.prepare()?;
        if let Some(entry) = self.shared.lock().get_mut(&self.name) {
            entry.is_in_contact = true;
        }
        if self.shared.take_acceptance(&self.name)
            && let Err(error) = self.continue_after_gap()
        {
            // It stays accepted.
            if let Some(entry) = self.shared.lock().get_mut(&self.name) {
                entry.is_gap_accepted = true;
            }
            return Err(error.into());
        }
        let (known, identity) = (self.store.journal_identity(), self.shared.journal.identity());
        if known == 0 {
            self.store.set_journal_identity(identity);
        } else if known != identity {
            return Err(Stop::OtherJournal(self.store.applied()));
        }
        let delivered = self.deliver();
        // Also a store that takes nothing: it may be full.
        if stopping || self.store.flush_is_due() {
            self.store.flush_once()?;
        }
        delivered
    }

    fn continue_after_gap(&mut self) -> Result<()> {
        let (journal, known) = (&self.shared.journal, self.store.journal_identity());
        let (cursor, first) = (self.store.applied(), journal.first_lsn());
        // The part that a copy has in common with its original is there already.
        let to = match journal.shared_with(known).filter(|_| known != journal.identity()) {
            Some(end) => cursor.min(end).max(first),
            None => first,
        };
        self.store.set_journal_identity(journal.identity());
        if let Err(error) = self.store.skip_to(to) {
            self.store.set_journal_identity(known);
            return Err(error);
        }
        warn!(store = %self.name, %cursor, %to, "continues after a gap, as the operator accepted");
        self.shared.metrics.gaps_accepted_total.of(&self.name).inc();
        self.reader = None;
        Ok(())
    }

    fn deliver(&mut self) -> Result<bool, Stop> {
        let applied = self.store.applied();
        // It has lost what it had not stored for good, or another program has moved it.
        if applied != self.applied {
            self.reader = None;
            self.applied = applied;
        }
        let mut reader = match self.reader.take() {
            Some(it) => it,
            None => self.shared.journal.reader(applied, Upto::Synced)?,
        };
        let end = reader.lsn().0.saturating_add(self.shared.settings.stride_bytes);
        let mut n = 0;
        let result = loop {
            if end <= reader.lsn().0 {
                break Ok(false);
            }
            let record = match reader.next() {
                Ok(Some(it)) => it,
                Ok(None) => break Ok(true),
                Err(error) if ErrorAction::of(&error) == ErrorAction::Skip => {
                    let lost = reader.skip_damage()?;
                    self.skip(&error, (lost.from, lost.to));
                    continue;
                }
                Err(error) => break Err(error.into()),
            };
            let lsn = record.lsn;
            let taken = RecordView::parse(record.payload)
                .map_err(|source| unreadable(lsn)(source))
                .and_then(|view| self.store.apply(&view, record.next_lsn));
            match taken {
                Ok(()) => {
                    self.applied = record.next_lsn;
                    n += 1;
                }
                // Of a newer program: only a program that knows it can apply it.
                Err(Error::Record { source, .. }) if !is_of_newer_program(source) => {
                    self.skip(&source, (lsn, record.next_lsn));
                }
                Err(error) => break Err(error.into()),
            }
        };
        self.shared.metrics.records_total.of(&self.name).add(n);
        // After an error the place is looked for again.
        if result.is_ok() {
            self.reader = Some(reader);
        }
        result
    }

    /// Counts, logs and reports to health what a store does not get. It stays in health until the
    /// server ends, so that later readers see it.
    fn skip(&mut self, error: &dyn std::error::Error, (from, to): (Lsn, Lsn)) {
        if to <= self.skipped.to {
            return;
        }
        self.skipped.to = to;
        self.skipped.n += 1;
        self.shared.metrics.damaged_total.of(&self.name).inc();
        let bytes = to.0.saturating_sub(from.0);
        error!(store = %self.name, %from, bytes, %error, "a damaged record of the journal is skipped");
        let n = self.skipped.n;
        let others =
            if n == 1 { String::new() } else { format!(", the newest of {n} such places") };
        let message = format!(
            "the record of the journal at position {from} is damaged{others}: its values did not get into this \
             store and may be missing in it. Check the disk: {error}"
        );
        self.shared.health.set(&damage_part(&self.name), Level::Failing, message);
    }
}

/// The part of health for records that a store did not get.
fn damage_part(name: &str) -> String {
    format!("history store {name} damage")
}

fn is_of_newer_program(error: RecordError) -> bool {
    matches!(error, RecordError::Version { .. } | RecordError::UnknownSection { .. })
}

#[cfg(test)]
mod tests;
