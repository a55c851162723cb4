//! Messages and commands that actions made: table `alerts`.
//!
//! **Making.** [`insert`] is part of the deciding worker's transaction ([`crate::DbError`] leaves
//! neither the decision nor the alert); it gives the ids, so that they grow in the order of commits
//! and no id is ever given twice, even when the newest alerts are deleted. After the commit the one
//! who made it calls [`Alerts::announce`].
//!
//! **Sending.** Delivery reads what is not sent by id ([`Alerts::unsent`]) and saves what came of it
//! ([`Alerts::save`]). A restart begins again with all unsent alerts.
//!
//! **Holding.** What waits for a digest ([`alert::digest`]) has a status that delivery does not read. A digest is an alert
//! as well; those in it point to it by `digestid`, and what becomes of it becomes of them.
//!
//! Alerts go with their events (see [`crate::runtime::housekeeping`]), those of deleted users, actions and media
//! types stay until then.

mod digests;
mod query;
mod store;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, RwLock};

use alert::digest::{HeldAlert, Past, Recipient};
pub use alert::{Alert, AlertKind, AlertStatus};
use tracing::warn;

pub use self::digests::NewDigest;
pub(crate) use self::digests::insert as insert_digests;
pub use self::query::{AlertQuery, AlertRow};
pub(crate) use self::store::insert;
pub use self::store::{AlertOutcome, Unsent};
use crate::error::DbError;
use crate::locks;
use crate::sql::Workers;

/// Called after alerts were made. It must be quick and must not call back.
pub type AlertWatcher = Box<dyn Fn() + Send + Sync>;

/// The alerts of the store.
pub struct Alerts {
    workers: Arc<Workers>,
    watchers: RwLock<Vec<AlertWatcher>>,
}

impl fmt::Debug for Alerts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Alerts")
    }
}

impl Alerts {
    pub(crate) fn new(workers: Arc<Workers>) -> Self {
        Self { workers, watchers: RwLock::default() }
    }

    /// Calls back after each later [`Self::announce`].
    pub fn watch(&self, watcher: AlertWatcher) {
        locks::write(&self.watchers).push(watcher);
    }

    /// Notifies the senders that there are new alerts: to be called after each commit that made
    /// some.
    pub fn announce(&self) {
        locks::read(&self.watchers).iter().for_each(|it| it());
    }

    /// Saves alerts that no other change goes with, and announces them. Gives their ids: the value
    /// of `id` is ignored.
    ///
    /// # Errors
    /// If the database refuses; none is saved then.
    pub fn add(&self, mut alerts: Vec<Alert>) -> Result<Vec<u64>, DbError> {
        if alerts.is_empty() {
            return Ok(Vec::new());
        }
        let ids = self.workers.write("save alerts", move |sql| {
            insert(sql, &mut alerts)?;
            Ok(alerts.iter().map(|it| it.id).collect())
        })?;
        self.announce();
        Ok(ids)
    }

    /// Alerts that are still to be sent, by id.
    ///
    /// # Errors
    /// If the database is away.
    pub fn unsent(&self, wanted: Unsent) -> Result<Vec<Alert>, DbError> {
        self.workers.read("read alerts to send", move |sql| store::unsent(sql, wanted))
    }

    /// Saves the results of alerts. Those that are gone by now are skipped.
    ///
    /// # Errors
    /// If the database refuses; nothing is saved then.
    pub fn save(&self, outcomes: Vec<AlertOutcome>) -> Result<(), DbError> {
        if outcomes.is_empty() {
            return Ok(());
        }
        let n_given = outcomes.len() as u64;
        let n_saved = self
            .workers
            .write("save what became of alerts", move |sql| store::save(sql, &outcomes))?;
        if n_saved < n_given {
            warn!(n_given, n_saved, "alerts were deleted while they were sent");
        }
        Ok(())
    }

    /// The alerts of recipients of digests: messages made after a time, the last digest after it,
    /// held messages.
    ///
    /// # Errors
    /// If the database is away.
    pub fn past(&self, since: i64) -> Result<BTreeMap<Recipient, Past>, DbError> {
        self.workers.read("read what waits for digests", move |sql| digests::past(sql, since))
    }

    /// Held messages of a recipient, by id.
    ///
    /// # Errors
    /// If the database is away.
    pub fn held(&self, recipient: &Recipient) -> Result<Vec<HeldAlert>, DbError> {
        let recipient = recipient.clone();
        self.workers.read("read held alerts", move |sql| digests::held(sql, &recipient))
    }

    /// Alerts as readers want them.
    ///
    /// # Errors
    /// If the database is away.
    pub fn query(&self, query: &AlertQuery) -> Result<Vec<AlertRow>, DbError> {
        let query = query.clone();
        self.workers.scan("read alerts", move |sql| query::run(sql, &query))
    }
}
