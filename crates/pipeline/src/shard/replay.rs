//! The state of a replay of checkpoints and records, until the shard starts.

use model::map::Map;
use model::{ItemId, PARTITIONS, Time, TriggerId};

use super::checkpoint::SavedItems;
use super::saved::SavedItem;
use super::state::TriggerState;

/// The state until the shard starts.
#[derive(Debug)]
pub(super) struct Replay {
    /// By using partition; own items under their own partition.
    pub(super) items: Map<u8, SavedItems>,
    pub(super) triggers: Map<TriggerId, TriggerState>,
    pub(super) waiting: super::waiting::Saved,
    /// Position up to which each partition's state is in its checkpoint.
    pub(super) positions: Box<[u64; PARTITIONS]>,
    pub(super) last_now: Time,
    pub(super) index: Option<Map<ItemId, u32>>,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            items: Map::default(),
            triggers: Map::default(),
            waiting: Map::default(),
            positions: Box::new([0; PARTITIONS]),
            last_now: Time::ZERO,
            index: None,
        }
    }
}

impl Replay {
    pub(super) fn item(&mut self, partition: u8, item: ItemId, mirror: bool) -> Option<SavedItem> {
        self.index = None;
        self.items.get_mut(&partition)?.take(item, mirror)
    }

    pub(super) fn trigger(&mut self, trigger: TriggerId) -> Option<TriggerState> {
        self.triggers.remove(&trigger)
    }
}
