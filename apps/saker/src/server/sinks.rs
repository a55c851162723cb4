//! The relational store as the reader of discovery results sees it.

use std::time::Duration;

use db::events::{object, source};
use db::{ConfigError, Db, LldReport};
use engine::event_writer::{EventWriter, OutsideEvent};
use engine::readers::discovery::{self, DiscoverySink, Unapplied};
use engine::readers::{JournalOfSink, SinkError};
use followers::nested_rules::NestedRules;
use model::content::Severity;
use model::record::{EventKind, Subject};
use model::{ItemId, Time};

/// Where results of discovery go.
pub(super) struct SqlDiscovery {
    pub(super) db: Db,
    /// For rules that fail, or work again.
    pub(super) events: EventWriter,
    /// For rules that have their rows from those of others.
    pub(super) nested: NestedRules,
}

/// For the events of a rule that are on their way: a few milliseconds while the database answers.
const CARRIED_MAX: Duration = Duration::from_secs(2);

impl SqlDiscovery {
    /// Reports that a rule's results are unusable, or usable again. The open event keeps the state
    /// that was reported last, also by the shard, which reports rules that get no result at all.
    fn report_state(&self, rule: ItemId, report: &LldReport, time: Time) -> Result<(), SinkError> {
        let kind = (source::INTERNAL, object::RULE);
        let is_open = || !self.db.events().open_of(kind, rule.0).is_empty();
        if !report.is_unsupported && !is_open() {
            return Ok(());
        }
        if !self.events.wait_carried(self.events.end(), CARRIED_MAX) {
            return Err("events of the rule wait for the database".into());
        }
        if report.is_unsupported == is_open() {
            return Ok(());
        }
        let snapshot = self.db.snapshot();
        let tags = snapshot.item_holder(rule).map_or_else(Vec::new, |host| host.tags.clone());
        let kind = if report.is_unsupported { EventKind::Problem } else { EventKind::Ok };
        let name = if report.is_unsupported { report.error.clone() } else { String::new() };
        self.events.write(&[OutsideEvent {
            subject: Subject::RuleState(rule),
            time,
            kind,
            severity: Severity::NotClassified,
            name,
            tags,
            recovers: Vec::new(),
            details: Vec::new(),
        }])?;
        Ok(())
    }
}

impl JournalOfSink for SqlDiscovery {
    fn journal_identity(&self) -> Result<u32, SinkError> {
        Ok(self.db.journal_of(discovery::NAME)?)
    }

    fn set_journal_identity(&self, identity: u32) -> Result<(), SinkError> {
        Ok(self.db.set_journal_of(discovery::NAME, identity)?)
    }
}

impl DiscoverySink for SqlDiscovery {
    fn cursor(&self) -> Result<u64, SinkError> {
        Ok(self.db.cursor(discovery::NAME)?)
    }

    fn set_cursor(&self, lsn: u64) -> Result<(), SinkError> {
        Ok(self.db.set_cursor(discovery::NAME, lsn)?)
    }

    fn is_known(&self, rule: ItemId) -> bool {
        self.db.snapshot().item(rule).is_some()
    }

    fn apply(&self, rule: ItemId, text: &str, now: Time) -> Result<(), Unapplied> {
        let why = |error: ConfigError| {
            if error.retry() {
                Unapplied::Away(error.into())
            } else {
                Unapplied::Refused(error.into())
            }
        };
        let report = self.db.apply_lld(rule, text, now).map_err(why)?;
        let snapshot = self.db.snapshot();
        self.nested.hand_over(&report.nested, &snapshot, now).map_err(Unapplied::Away)?;
        self.report_state(rule, &report, now).map_err(Unapplied::Away)
    }
}
