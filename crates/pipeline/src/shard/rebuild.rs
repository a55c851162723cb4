//! A shard that is rebuilt in the place of one that panicked.
//!
//! A panic in a step leaves the shard's state half changed, and nothing of the step is durable. So the
//! state is thrown away: a new shard is made as at a start, from checkpoint, configuration and
//! journal, and goes on where the last record ends. State that is not durable but has to continue
//! is taken over from the old one here: numbers that name fetches, queries and jobs (an answer to
//! an old one must not be taken for that to a new one), when slots were born (batches on their way
//! were looked up before), due work, counters, outages. Windows are cold, as after a start; queries
//! to history are made again.

use std::sync::Arc;

use model::Now;

use super::Shard;
use crate::effects::Effects;
use crate::live::LiveShard;

/// The treatment of the input in which the shard panicked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interrupted {
    /// It comes again.
    Again,
    /// It is skipped.
    Skipped,
}

impl Shard {
    /// An empty shard with the same settings, to be brought to where this one was before the step
    /// that panicked: restore, configure, apply, and then [`Shard::resume_from`].
    #[must_use]
    pub fn fresh_copy(&self) -> Self {
        // Readers keep what they see until the new state is whole.
        Self::of(self.settings.clone(), Arc::new(LiveShard::default()))
    }

    /// Replay is over: from here on this shard stands in for the one that panicked. As
    /// [`Shard::start`], but that no time has passed.
    pub fn resume_from(
        &mut self,
        old: &mut Self,
        interrupted: Interrupted,
        now: Now,
        effects: &mut Effects,
    ) {
        self.begin(now);
        self.replay = None;
        self.step = old.step + 1;
        self.counters = old.counters;
        self.outages = std::mem::take(&mut old.outages);
        self.items.take_over(&old.items);
        self.fetches.number_from(&old.fetches);
        self.cross_item_queries.number_from(&old.cross_item_queries);
        self.pending_queues.number_from(&mut old.pending_queues);
        if interrupted == Interrupted::Again {
            old.timers.undo();
        }
        self.timers.take_over(&old.timers);
        self.maintenance.take_over(&mut old.maintenance);
        self.spoil_lines(effects);
        self.take_over_quarantine(old, effects);
        self.run_up(effects);
    }
}
