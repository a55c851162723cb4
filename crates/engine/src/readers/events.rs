//! Events: from records of the journal to the relational store.

use std::sync::Arc;

use journal::Record;
use model::content::Tag;
use model::event::EventRow;
use model::record::{RecordView, Subject, TransitionRow};
use model::snapshot::Snapshot;
use model::{EventId, HostId, TriggerId};

use super::follower::{Follower, ReaderParts, ReaderWork};
use super::{JournalOfSink, ReaderTurn, STRIDE_BYTES, SinkError};

/// Events handed over at once: the store writes them in one transaction.
const EVENTS_MAX: usize = 5_000;
/// The reader's name at `/health`.
pub const NAME: &str = "events";

/// An event on its way from the journal to the relational store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SinkEvent {
    pub row: EventRow,
    /// Fields that identify the subject in addition to its id, by Zabbix's names of columns. It
    /// becomes rows of its own.
    pub details: Vec<(String, String)>,
}

/// Where events go.
pub trait EventSink: JournalOfSink {
    /// The position up to which events are saved.
    fn cursor(&self) -> u64;
    /// Whether some were taken and are not saved yet.
    fn is_waiting(&self) -> bool;
    /// The configuration, for the hosts of triggers.
    fn snapshot(&self) -> Arc<Snapshot>;
    /// Whether so many more are taken now.
    ///
    /// # Errors
    /// If not; asked again later.
    fn has_room(&self, n_events: usize) -> Result<(), SinkError>;
    /// Takes events, and the position after them; without any, only the position. Known events
    /// change nothing.
    ///
    /// # Errors
    /// Nothing was taken then, and the events are still there; they come again later.
    fn apply(&self, events: &mut Vec<SinkEvent>, lsn: u64) -> Result<(), SinkError>;
    /// Goes on at another position of the journal.
    ///
    /// # Errors
    /// Asked again later.
    fn restart_at(&self, lsn: u64) -> Result<(), SinkError>;
}

/// Carries events into a store.
pub struct EventFeed<S> {
    follower: Follower,
    sink: S,
    /// Read and not handed over yet.
    rows: Vec<SinkEvent>,
    /// Up to here records were passed to the sink.
    handed_over: u64,
}

opaque_debug!([S] EventFeed<S>);

impl<S: EventSink> EventFeed<S> {
    pub fn new(sink: S, parts: ReaderParts) -> Self {
        let handed_over = sink.cursor();
        Self { follower: Follower::new(NAME, parts), sink, rows: Vec::new(), handed_over }
    }

    fn work(&mut self, stopping: bool) -> Result<ReaderTurn, ReaderTurn> {
        let sink = &self.sink;
        self.follower.find(sink.cursor(), sink, |lsn| sink.restart_at(lsn))?;
        if self.rows.is_empty() {
            let (snapshot, rows) = (self.sink.snapshot(), &mut self.rows);
            self.follower.read(|record, parts| {
                if record.n_ids != 0 {
                    read_events(record, &snapshot, rows, parts);
                }
                rows.len() < EVENTS_MAX
            })?;
        }
        self.hand_over(stopping)?;
        Ok(if self.follower.is_at_end() { ReaderTurn::Idle } else { ReaderTurn::More })
    }

    fn hand_over(&mut self, stopping: bool) -> Result<(), ReaderTurn> {
        let lsn = self.follower.lsn().0;
        // The position of an idle stretch is saved too, but not each time.
        let is_far = STRIDE_BYTES <= lsn.abs_diff(self.handed_over) || stopping;
        if self.rows.is_empty() && (!is_far || lsn == self.handed_over) {
            return Ok(());
        }
        self.follower.sync()?;
        if let Err(error) = self.sink.has_room(self.rows.len()) {
            return Err(self.follower.retry(&*error));
        }
        let n = self.rows.len();
        if let Err(error) = self.sink.apply(&mut self.rows, lsn) {
            return Err(self.follower.retry(&*error));
        }
        self.rows.clear();
        self.follower.went_well();
        self.follower.parts.metrics.events_total.add_n(n);
        self.handed_over = lsn;
        Ok(())
    }
}

impl<S: EventSink> ReaderWork for EventFeed<S> {
    fn turn(&mut self, stopping: bool) -> ReaderTurn {
        self.follower.parts.cursors.reader(NAME).begin_turn();
        let mut turn = self.work(stopping).unwrap_or_else(|it| it);
        if turn == ReaderTurn::Halted {
            // Nothing of the journal is given up before the operator has decided.
            self.follower.parts.cursors.reader(NAME).keep_all();
        } else {
            // In this order: events handed over between the two count as not saved.
            let is_waiting = self.sink.is_waiting() || !self.rows.is_empty();
            let parts = &self.follower.parts;
            let progress = parts.cursors.reader(NAME);
            let lag = self.follower.report_progress(progress, self.sink.cursor(), is_waiting);
            parts.metrics.events_lag_bytes.set(lag);
            match turn {
                // They are saved some time, and only a turn reports it.
                ReaderTurn::Idle if is_waiting => turn = ReaderTurn::Poll,
                ReaderTurn::Idle => progress.idle(),
                _ => {}
            }
        }
        turn
    }
}

fn read_events(
    record: &Record<'_>,
    snapshot: &Snapshot,
    rows: &mut Vec<SinkEvent>,
    parts: &ReaderParts,
) {
    let view = match RecordView::parse(record.payload) {
        Ok(it) => it,
        Err(error) => return parts.report_skipped(NAME, record.lsn, &error),
    };
    for row in view.transitions() {
        match row {
            Ok(row) => rows.extend(carried_event(&row, record.first_id, snapshot)),
            Err(error) => parts.report_skipped(NAME, record.lsn, &error),
        }
    }
}

fn carried_event(row: &TransitionRow<'_>, first_id: u64, snapshot: &Snapshot) -> Option<SinkEvent> {
    let event = row.event?;
    let tags = event.tags.map(|(tag, value)| Tag { tag: tag.to_owned(), value: value.to_owned() });
    let details = event.details.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let row = EventRow {
        eventid: EventId(first_id.saturating_add(event.number.into())),
        source: row.subject.source(),
        object: row.subject.object(),
        objectid: row.subject.id(),
        time: row.time,
        value: event.kind as u8,
        severity: event.severity,
        name: event.name.to_owned(),
        opdata: event.opdata.to_owned(),
        tags: tags.collect(),
        hosts: hosts_of_subject(row.subject, snapshot),
        recovers: event.recovered.map(|it| it.id(first_id)).collect(),
        userid: event.closed_by,
    };
    Some(SinkEvent { row, details: details.collect() })
}

/// The hosts that an event is of.
fn hosts_of_subject(subject: Subject, snapshot: &Snapshot) -> Vec<HostId> {
    match subject {
        Subject::Trigger(it) | Subject::TriggerState(it) => hosts_of(it, snapshot),
        Subject::ItemState(it) | Subject::RuleState(it) => {
            snapshot.item_holder(it).map(|it| it.id).into_iter().collect()
        }
        Subject::DiscoveredHost(_)
        | Subject::DiscoveredService(_)
        | Subject::Autoregistered(_)
        | Subject::Service(_) => Vec::new(),
    }
}

/// The hosts whose items a trigger uses, its holder first.
fn hosts_of(trigger: TriggerId, snapshot: &Snapshot) -> Vec<HostId> {
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
