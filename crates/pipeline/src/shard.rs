//! The state machine.

use std::sync::Arc;

use model::{EventId, Now};

use crate::directory::PlanDelta;
use crate::effects::Effects;
use crate::input::Input;
use crate::live::{Live, LiveShard};

/// Fixed for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct ShardSettings {
    pub shard: u16,
    pub n_shards: u16,
}

/// All hosts of one thread. See the crate's header for how to drive it.
#[derive(Debug)]
pub struct Shard {
    settings: ShardSettings,
    live: Arc<LiveShard>,
    epoch: u64,
}

impl Shard {
    /// # Panics
    /// If `live` has fewer shards than the settings say.
    #[must_use]
    pub fn new(settings: ShardSettings, live: &Live) -> Self {
        let live = live.shard(settings.shard).map(Arc::clone).expect("live state of every shard");
        Self { settings, live, epoch: 0 }
    }

    /// Takes over a new configuration.
    pub fn configure(&mut self, delta: PlanDelta, now: Now, effects: &mut Effects) {
        let _ = (now, effects, self.settings);
        self.live.reserve(delta.slots_end as usize);
        self.epoch = delta.epoch;
    }

    /// Takes one input and adds what follows from it to `effects`, which the caller has cleared.
    pub fn step(&mut self, now: Now, input: Input<'_>, effects: &mut Effects) {
        let _ = (now, input, effects);
    }

    /// The step's record is in the journal at `lsn`; its events have ids from `first_event` on.
    /// Call it after each durable step, before the next one.
    pub fn committed(&mut self, lsn: u64, first_event: EventId, effects: &mut Effects) {
        let _ = first_event;
        for batch in &mut effects.forwards {
            batch.lsn = lsn;
        }
    }

    /// When the next [`Input::Timer`] is due, in nanoseconds of [`Now::mono_ns`].
    #[must_use]
    pub fn next_timer(&self) -> Option<u64> {
        None
    }
}
