//! Events of devices and agents, as the journal has them.

use std::collections::VecDeque;

use db::Db;
use db::events::{EventQuery, source};
use journal::{Journal, Lsn, Upto};
use model::record::{EventKind, RecordView, Subject};
use model::{EventId, Time};

use super::kept::check_kept;

/// An event of the journal about a device, a service of one, or an agent.
#[derive(Clone, Debug)]
pub(super) struct JournalEvent {
    pub(super) id: EventId,
    pub(super) subject: Subject,
    pub(super) kind: EventKind,
    pub(super) time: Time,
    pub(super) details: Vec<(String, String)>,
}

impl JournalEvent {
    /// Its object, as tables name it: source, object and id.
    pub(super) fn about(&self) -> ((u8, u8), u64) {
        ((self.subject.source(), self.subject.object()), self.subject.id())
    }
}

/// Reads the journal as one more reader.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// Read up to here; `None`: nothing yet.
    at: Option<Lsn>,
    /// Of network discovery, not yet judged.
    pub(super) devices: VecDeque<JournalEvent>,
    /// Likewise of agents.
    pub(super) agents: VecDeque<JournalEvent>,
    /// All of both: source, id, kind, object and time.
    all: Vec<(u8, EventId, u8, u64, Time)>,
}

impl Reading {
    /// Records before this are not needed any more.
    pub(super) fn at(&self) -> Lsn {
        self.at.unwrap_or(Lsn(0))
    }

    pub(super) fn read_on(&mut self, journal: &Journal) {
        let from = self.at.unwrap_or_else(|| journal.first_lsn());
        let mut reader = journal.reader(from, Upto::Written).expect("the journal is there");
        while let Some(record) = reader.next().expect("the journal can be read") {
            let view = RecordView::parse(record.payload).expect("a record");
            for row in view.transitions() {
                let row = row.expect("a transition");
                let Some(event) = row.event else { continue };
                let event = JournalEvent {
                    id: EventId(record.first_id + u64::from(event.number)),
                    subject: row.subject,
                    kind: event.kind,
                    time: row.time,
                    details: event.details.map(|it| (it.0.to_owned(), it.1.to_owned())).collect(),
                };
                self.take(event);
            }
        }
        self.at = Some(reader.lsn());
    }

    fn take(&mut self, event: JournalEvent) {
        let ((source, _), object) = event.about();
        let to = match source {
            source::DISCOVERY => &mut self.devices,
            source::AUTOREGISTRATION => &mut self.agents,
            _ => return,
        };
        self.all.push((source, event.id, event.kind as u8, object, event.time));
        to.push_back(event);
    }

    /// Asserts that the database has each of them that has not expired, once and in order; gives how many have.
    pub(super) fn check_saved(&self, db: &Db, kept_from: Time) -> usize {
        let mut n_expired = 0;
        for of in [source::DISCOVERY, source::AUTOREGISTRATION] {
            let query = EventQuery { source: Some(of), ..EventQuery::default() };
            let rows = db.events().query(&query).expect("the database answers");
            let got = rows.iter().map(|it| (of, it.eventid, it.value, it.objectid, it.time));
            let expected = self.all.iter().filter(|it| it.0 == of).copied();
            let (got, expected): (Vec<_>, Vec<_>) = (got.collect(), expected.collect());
            n_expired += check_kept(&got, &expected, |it| kept_from <= it.4);
        }
        n_expired
    }
}
