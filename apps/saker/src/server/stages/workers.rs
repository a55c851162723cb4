//! The third stage: followers of configuration, problems and the journal.

use std::sync::Arc;

use alerting::senders::Senders;
use internals::figures::{self, FigureParts, FigureTaker, PublishedFigures};
use rt::worker::GroupHandle;

use super::engine::EngineStage;
use crate::server::base::{Base, Groups};
use crate::server::error::ServerError;
use crate::server::open::Stores;
use crate::server::own_agent::{self, OwnAgent, Sampler};
use crate::server::workers::{Followed, Found, Threads};
use crate::server::{alerting as messages, exports};

/// Workers at work.
pub(crate) struct WorkerStage {
    /// Where workers are added that need nothing but memory.
    pub(crate) timers: GroupHandle,
    /// Where agents that register themselves and devices that are found are reported.
    pub(crate) found: Found,
    /// Of messages.
    pub(crate) senders: Arc<Senders>,
    /// Of the whole process, each second.
    pub(crate) figures: Arc<PublishedFigures>,
    pub(crate) own_agent: Arc<OwnAgent>,
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
        stores.remote.start(
            base,
            (db, &stores.journal),
            &engine.housekeeping.stores,
            &groups.readers,
        )?;
        threads.follow(Followed {
            base,
            db,
            running: &engine.running,
            live: &engine.live,
            mailboxes: &engine.shared.mailboxes,
            events: Arc::clone(&engine.events),
        });
        let figures: Arc<PublishedFigures> = Arc::default();
        threads.add_timer(figures::ROW, |_| {
            FigureTaker::new(FigureParts {
                clock: base.clock.clone(),
                journal: stores.journal.clone(),
                mailboxes: engine.shared.mailboxes.clone(),
                metrics: engine.shared.metrics.clone(),
                states: Arc::clone(&engine.shared.states),
                cursors: Arc::clone(&engine.housekeeping.cursors),
                running: engine.running.watched(),
                shared: Arc::clone(&figures),
            })
        });
        let destinations = base.settings.outgoing.destinations();
        let own_agent = Arc::new(OwnAgent::new(db.clone(), base.clock.clone(), destinations));
        threads.add_timer(own_agent::ROW, |_| Sampler(Arc::clone(&own_agent)));
        let timers = threads.timers();
        threads.start()?;
        exports::start(base, db, &engine.secrets, &engine.exports, &groups.readers)?;
        let senders = Arc::new(messages::senders(base, db, &groups.input));
        Ok(Self { timers, found, senders, figures, own_agent })
    }
}
