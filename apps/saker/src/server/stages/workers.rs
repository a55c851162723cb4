//! The third stage: what follows configuration, problems and the journal.

use std::sync::Arc;

use alerting::senders::Senders;

use super::engine::EngineStage;
use crate::server::base::{Base, Groups};
use crate::server::error::ServerError;
use crate::server::open::Stores;
use crate::server::workers::{Followed, Found, Threads};
use crate::server::{alerting as messages, exports};

/// Workers at work.
pub(crate) struct WorkerStage {
    /// Where agents that register themselves and devices that are found are reported.
    pub(crate) found: Found,
    /// Of messages.
    pub(crate) senders: Arc<Senders>,
}

impl WorkerStage {
    /// # Errors
    /// The system refuses a thread.
    pub(crate) fn start(
        base: &Base,
        stores: &Stores,
        groups: &Groups,
        engine: &EngineStage,
    ) -> Result<Self, ServerError> {
        let db = &stores.db;
        let mut threads = Threads::new(base, groups);
        let found = threads.take_found(base, db, &engine.events);
        stores.remote.start(base, db, &engine.housekeeping.stores, &groups.readers)?;
        threads.follow(Followed {
            base,
            db,
            running: &engine.running,
            live: &engine.live,
            mailboxes: &engine.shared.mailboxes,
            events: Arc::clone(&engine.events),
        });
        threads.start()?;
        exports::start(base, db, &engine.secrets, &engine.exports, &groups.readers)?;
        let senders = Arc::new(messages::senders(base, db, &groups.input));
        Ok(Self { found, senders })
    }
}
