//! Readers of the journal that carry its results into the relational store: events and discovery.
//!
//! Each follows the journal with a cursor that the store keeps in the same transaction as what was
//! applied; after a crash it goes on there, and applying twice changes nothing. The order of the
//! journal is the order of event ids, so events become visible in the order of their ids. A store
//! that is away only makes its reader wait: the journal keeps what it has not read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use db::events::{ApplyError, EventRow, object, source};
use db::{Db, ErrorCode, Snapshot};
use journal::{Journal, Lsn, Reader, Record, Upto};
use model::ItemId;
use model::map::Map;
use model::record::{EventKind, RecordView, TransitionRow};
use rt::clock::Clock;
use rt::metrics::{Counter, Gauge};
use rt::shutdown::Shutdown;
use tokio::sync::Notify;
use tracing::{error, warn};

/// Events handed over at once: what the store writes in one transaction.
const EVENTS_MAX: usize = 5_000;
/// Bytes of journal read between two looks at the wish to stop.
const STRIDE_BYTES: u64 = 4 << 20;
/// How long a consumer waits before it asks a store again that refused.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Name of the discovery reader's cursor.
const DISCOVERY_CURSOR: &str = "discovery";
/// Without a wake-up, a reader looks for itself this often.
const IDLE: Duration = Duration::from_millis(500);

rt::metrics! {
    /// Readers behind the journal.
    pub(crate) struct ConsumerMetrics in "saker_consumer" {
        /// Events handed to the relational store.
        pub(crate) events_total: Counter,
        /// Discovery results applied.
        pub(crate) discoveries_total: Counter,
        /// Discovery results that the configuration refused.
        pub(crate) discoveries_failed_total: Counter,
        /// Records that could not be read and were passed over.
        pub(crate) damaged_total: Counter,
        /// Bytes of journal between its end and the reader of events.
        pub(crate) events_lag_bytes: Gauge,
        /// Bytes of journal between its end and the reader of discovery results.
        pub(crate) discovery_lag_bytes: Gauge,
    }
}

/// Told by shards when a record holds something for a reader.
#[derive(Clone, Debug, Default)]
pub(super) struct Wake(Arc<Notify>);

impl Wake {
    pub(super) fn wake(&self) {
        self.0.notify_one();
    }

    async fn wait(&self, shutdown: &Shutdown) {
        tokio::select! {
            () = self.0.notified() => {}
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(IDLE) => {}
        }
    }
}

/// Positions up to which each reader has done its work; the journal keeps what is behind.
#[derive(Debug, Default)]
pub(super) struct Cursors {
    pub(super) events: AtomicU64,
    pub(super) discovery: AtomicU64,
}

/// What both readers share.
#[derive(Clone)]
pub(super) struct Consumer {
    pub(super) db: Db,
    pub(super) journal: Journal,
    pub(super) clock: Clock,
    pub(super) cursors: Arc<Cursors>,
    pub(super) metrics: ConsumerMetrics,
    pub(super) shutdown: Shutdown,
}

impl Consumer {
    /// A reader from a cursor on. A cursor before the journal's first record (a new journal beside
    /// an old database, or the other way round) starts at the first.
    fn reader(&self, cursor: u64, name: &str) -> Option<Reader> {
        let first = self.journal.first_lsn();
        let next = self.journal.next_lsn();
        let from = Lsn(cursor).clamp(first, next);
        if from != Lsn(cursor) && cursor != 0 {
            warn!(reader = name, cursor, %first, %next, "the cursor is outside of the journal");
        }
        match self.journal.reader(from, Upto::Written) {
            Ok(it) => Some(it),
            Err(error) => {
                error!(reader = name, %error, "the journal cannot be read");
                None
            }
        }
    }

    /// Follows the journal with events, until shutdown and then to its end. Blocking.
    pub(super) fn follow_events(&self, wake: &Wake, runtime: &tokio::runtime::Handle) {
        let Some(mut reader) = self.reader(self.db.events().cursor(), "events") else { return };
        loop {
            let stopping = self.shutdown.is_cancelled();
            let mut rows = Vec::new();
            let position = self.collect_events(&mut reader, &mut rows);
            let at_end = self.journal.next_lsn() <= position;
            self.metrics.events_lag_bytes.set(lag(&self.journal, position));
            if !rows.is_empty() && !self.hand_over(rows, position) {
                return;
            }
            // Without rows the store is not told: its cursor may stay behind an idle stretch.
            self.cursors.events.store(position.0, Ordering::Relaxed);
            if stopping && at_end {
                return;
            }
            if at_end {
                runtime.block_on(wake.wait(&self.shutdown));
            }
        }
    }

    fn collect_events(&self, reader: &mut Reader, rows: &mut Vec<EventRow>) -> Lsn {
        let start = reader.lsn();
        let snapshot = self.db.snapshot();
        while rows.len() < EVENTS_MAX && reader.lsn().0 - start.0 < STRIDE_BYTES {
            match reader.next() {
                Ok(Some(record)) if record.n_ids == 0 => {}
                Ok(Some(record)) => read_events(&record, &snapshot, rows),
                Ok(None) => break,
                Err(error) => self.pass_over(reader, &error),
            }
        }
        reader.lsn()
    }

    /// What a power cut could still take back must not be in the store: its ids would be given
    /// again to other events. So the journal is synced up to here first.
    fn hand_over(&self, rows: Vec<EventRow>, position: Lsn) -> bool {
        while let Err(error) = self.journal.sync_to(position) {
            warn!(%error, "events wait for the journal to be synced");
            if self.shutdown.wait(RETRY_PAUSE) {
                return false;
            }
        }
        let n = rows.len();
        // Refused only while the database is away; whatever is refused is read again.
        let mut rows = rows;
        loop {
            match self.db.events().apply(rows.clone(), position.0) {
                Ok(()) => {
                    self.metrics.events_total.add_n(n);
                    return true;
                }
                Err(ApplyError::Stopped) => return false,
                Err(error @ ApplyError::Full { .. }) => {
                    warn!(%error, "events wait for the database");
                    if self.shutdown.wait(RETRY_PAUSE) {
                        return false;
                    }
                    rows.shrink_to_fit();
                }
            }
        }
    }

    /// Follows the journal with discovery results. Of several results of one rule that wait, only
    /// the newest is applied: each is the whole truth of its moment. Blocking.
    pub(super) fn follow_discovery(&self, wake: &Wake, runtime: &tokio::runtime::Handle) {
        let cursor = match self.db.cursor(DISCOVERY_CURSOR) {
            Ok(it) => it,
            Err(error) => {
                error!(%error, "the cursor of discovery cannot be read");
                return;
            }
        };
        let Some(mut reader) = self.reader(cursor, DISCOVERY_CURSOR) else { return };
        let mut saved = cursor;
        loop {
            let stopping = self.shutdown.is_cancelled();
            let mut newest: Map<ItemId, String> = Map::default();
            let position = self.collect_discoveries(&mut reader, &mut newest);
            let at_end = self.journal.next_lsn() <= position;
            self.metrics.discovery_lag_bytes.set(lag(&self.journal, position));
            let had_work = !newest.is_empty();
            for (rule, text) in newest {
                if !self.apply_discovery(rule, &text, saved) {
                    return;
                }
            }
            self.cursors.discovery.store(position.0, Ordering::Relaxed);
            let far = STRIDE_BYTES <= position.0.saturating_sub(saved);
            if (had_work || far || stopping)
                && position.0 != saved
                && self.db.set_cursor(DISCOVERY_CURSOR, position.0).is_ok()
            {
                saved = position.0;
            }
            if stopping && at_end {
                return;
            }
            if at_end {
                runtime.block_on(wake.wait(&self.shutdown));
            }
        }
    }

    fn collect_discoveries(&self, reader: &mut Reader, newest: &mut Map<ItemId, String>) -> Lsn {
        let start = reader.lsn();
        while reader.lsn().0 - start.0 < STRIDE_BYTES {
            match reader.next() {
                Ok(Some(record)) => {
                    let Ok(view) = RecordView::parse(record.payload) else { continue };
                    for row in view.discoveries().flatten() {
                        newest.insert(row.rule, row.text.to_owned());
                    }
                }
                Ok(None) => break,
                Err(error) => self.pass_over(reader, &error),
            }
        }
        reader.lsn()
    }

    /// Applies a result, and waits for a store that is away: the rule's next result may come a day
    /// later. False if the server stops meanwhile; the result is then read again at its start.
    fn apply_discovery(&self, rule: ItemId, text: &str, saved: u64) -> bool {
        loop {
            let Err(error) = self.db.apply_lld(rule, text, self.clock.wall()) else {
                self.metrics.discoveries_total.inc();
                return true;
            };
            // A store that still takes something else refuses this result for what it holds.
            let is_away = error.code == ErrorCode::System
                && self.db.set_cursor(DISCOVERY_CURSOR, saved).is_err();
            if !is_away {
                // A rule that was deleted meanwhile is no news.
                self.metrics.discoveries_failed_total.inc();
                tracing::debug!(%rule, %error, "a discovery result was not applied");
                return true;
            }
            warn!("results of discovery wait for the database");
            if self.shutdown.wait(RETRY_PAUSE) {
                return false;
            }
        }
    }

    fn pass_over(&self, reader: &mut Reader, error: &journal::Error) {
        self.metrics.damaged_total.inc();
        error!(%error, "a damaged record of the journal is passed over");
        if let Err(error) = reader.skip_damage() {
            error!(%error, "the journal cannot be read");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a metric")]
fn lag(journal: &Journal, position: Lsn) -> f64 {
    journal.next_lsn().0.saturating_sub(position.0) as f64
}

fn read_events(record: &Record<'_>, snapshot: &Snapshot, rows: &mut Vec<EventRow>) {
    let Ok(view) = RecordView::parse(record.payload) else {
        error!(lsn = %record.lsn, "a record of the journal is not one of ours");
        return;
    };
    for row in view.transitions().flatten() {
        rows.extend(event_row(&row, record.first_id, snapshot));
    }
}

fn event_row(row: &TransitionRow<'_>, first_id: u64, snapshot: &Snapshot) -> Option<EventRow> {
    let event = row.event?;
    let tags = event
        .tags
        .map(|(tag, value)| model::content::Tag { tag: tag.to_owned(), value: value.to_owned() });
    Some(EventRow {
        eventid: model::EventId(first_id.saturating_add(event.number.into())),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: row.trigger.0,
        time: row.time,
        value: u8::from(event.kind == EventKind::Problem),
        severity: event.severity,
        name: event.name.to_owned(),
        opdata: event.opdata.to_owned(),
        tags: tags.collect(),
        hosts: hosts_of(row.trigger, snapshot),
        recovers: event.recovered.map(|it| it.id(first_id)).collect(),
        userid: event.closed_by,
    })
}

/// The hosts whose items a trigger uses, its holder first.
fn hosts_of(trigger: model::TriggerId, snapshot: &Snapshot) -> Vec<model::HostId> {
    let Some((holder, row)) = snapshot.trigger(trigger) else { return Vec::new() };
    let mut hosts = vec![holder.id];
    for function in &row.content.functions {
        let Some((host, _)) = snapshot.item_by_ref(holder, function.item) else { continue };
        if !hosts.contains(&host.id) {
            hosts.push(host.id);
        }
    }
    hosts
}
