//! Requests of the API to the running server: live state, storage, polling, and commands of users.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use api::ports::{
    Control, ControlError, HistoryError, ItemLive, LiveState, Polling, QueueFigures, Shares,
    Storage, StorageFigures, TriggerLive,
};
use engine::mailboxes::{Mailboxes, ShardMessage};
use engine::states::States;
use history::ReadOrder;
use journal::Journal;
use model::content::ItemType;
use model::value::Sample;
use model::{ItemId, Time, TriggerId, UserId};
use nix::sys::statvfs::statvfs;
use pipeline::{CloseProblem, LiveTable};
use rt::clock::Clock;

use crate::running::Running;

/// Longest wait for the journal when a user closes a problem.
const CLOSE_MAX: Duration = Duration::from_secs(10);

/// The newest values, from the shards' live state.
pub struct LivePort {
    pub running: Arc<Running>,
    pub live: LiveTable,
    pub states: Arc<States>,
    pub clock: Clock,
}

impl fmt::Debug for LivePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LivePort")
    }
}

impl LiveState for LivePort {
    fn item(&self, id: ItemId) -> ItemLive {
        let Some(target) = self.running.directory().by_item(id) else {
            return ItemLive::default();
        };
        let it = self.live.last(target.shard, target.slot);
        let note = it.note.filter(|it| self.clock.wall() < it.until);
        let sample =
            |it: Option<(Time, model::Value)>| it.map(|(time, value)| Sample { time, value });
        ItemLive {
            last: sample(it.last),
            prev: sample(it.prev),
            is_unsupported: it.error.is_some(),
            error: it.error.or_else(|| note.map(|it| it.text)),
        }
    }

    fn is_unsupported(&self, id: ItemId) -> bool {
        let target = self.running.directory().by_item(id);
        target
            .and_then(|it| Some(self.live.shard(it.shard)?.cell(it.slot).unsupported))
            .unwrap_or(false)
    }

    fn unsupported(&self) -> Vec<ItemId> {
        self.states.unsupported()
    }

    fn trigger(&self, id: TriggerId) -> TriggerLive {
        let it = self.states.trigger(id);
        TriggerLive { is_problem: it.is_problem, error: it.error, last_change: it.last_change }
    }
}

/// Commands of users to the server.
pub struct ControlPort {
    pub running: Arc<Running>,
    pub mailboxes: Mailboxes,
    pub history: Arc<ReadOrder>,
    pub clock: Clock,
}

impl fmt::Debug for ControlPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ControlPort")
    }
}

impl Control for ControlPort {
    fn execute_now(&self, items: &[ItemId]) -> Result<(), ControlError> {
        let Some(collectors) = self.running.collectors() else { return Err(ControlError::Busy) };
        let directory = self.running.directory();
        let is_calculated = |it: &ItemId| {
            let row = directory.snapshot().item(*it).map(|(_, row)| row);
            row.is_some_and(|it| it.content.kind == ItemType::Calculated)
        };
        let (calculated, polled): (Vec<_>, Vec<_>) = items.iter().copied().partition(is_calculated);
        let mut refused: Vec<(ItemId, String)> = Vec::new();
        // Those are the shards' own work.
        let mut by_shard: BTreeMap<u16, Vec<(u32, ItemId)>> = BTreeMap::new();
        for item in calculated {
            match directory.by_item(item) {
                Some(it) => by_shard.entry(it.shard).or_default().push((it.slot, it.item)),
                None => refused.push((item, "the item is not known to the server yet".to_owned())),
            }
        }
        for (shard, items) in by_shard {
            let ids: Vec<ItemId> = items.iter().map(|(_, it)| *it).collect();
            if self.mailboxes.try_send(shard, ShardMessage::Calculate(items)).is_err() {
                let why = ControlError::Busy.to_string();
                refused.extend(ids.into_iter().map(|it| (it, why.clone())));
            }
        }
        let asked = polled.iter().copied().zip(collectors.execute_now(&polled));
        refused.extend(asked.filter_map(|(it, asked)| Some((it, asked.err()?.to_string()))));
        if refused.is_empty() { Ok(()) } else { Err(ControlError::Items(refused)) }
    }

    fn clear_history(&self, items: &[ItemId]) -> Result<(), HistoryError> {
        Ok(self.history.clear(items)?)
    }

    fn close(&self, problem: &db::Problem, user: UserId) -> Result<(), ControlError> {
        let trigger = TriggerId(problem.event.objectid);
        let directory = self.running.directory();
        // A trigger that is gone has no shard, and its problem nothing that would recover it.
        let Some((holder, _)) = directory.snapshot().trigger(trigger) else { return Ok(()) };
        let shard = directory.shard_of_host(holder.id);
        let (event, time) = (problem.eventid(), self.clock.wall());
        let close = CloseProblem { trigger, event, user, time };
        let (answer, done) = mpsc::sync_channel(1);
        let sent = self.mailboxes.try_send(shard, ShardMessage::Close(close, answer));
        sent.map_err(|_full| ControlError::Busy)?;
        // From here on the end of the process undoes nothing that was promised.
        done.recv_timeout(CLOSE_MAX).map_err(|it| match it {
            RecvTimeoutError::Timeout => ControlError::Busy,
            RecvTimeoutError::Disconnected => ControlError::Stopping,
        })
    }
}

/// Sizes of history and the other stores.
pub struct StoragePort {
    pub history: Arc<ReadOrder>,
    pub journal: Journal,
    pub data: PathBuf,
    pub tables: db::Location,
    pub budget_bytes: u64,
}

impl fmt::Debug for StoragePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoragePort")
    }
}

impl Storage for StoragePort {
    fn figures(&self) -> StorageFigures {
        let live = self.history.live();
        let database = match &self.tables {
            db::Location::Sqlite(path) => ("SQLite", sqlite_bytes(path)),
            db::Location::Postgres(_) => ("PostgreSQL", None),
        };
        StorageFigures {
            keeps_history: live.holds_all(),
            files: live.files(),
            journal_bytes: self.journal.next_lsn().0.saturating_sub(self.journal.first_lsn().0),
            database,
            disk: statvfs(&self.data).ok().map(|it| {
                let block = it.fragment_size();
                // Free for users that are not root.
                (it.blocks_available().saturating_mul(block), it.blocks().saturating_mul(block))
            }),
            budget_bytes: self.budget_bytes,
            stores: self.history.fed().iter().map(|it| (it.name, it.is_read)).collect(),
        }
    }

    fn shares(&self, read_max: u64) -> Shares {
        self.history.live().shares(read_max)
    }
}

/// How polling does.
pub struct PollingPort(pub Arc<Running>);

impl fmt::Debug for PollingPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PollingPort")
    }
}

impl Polling for PollingPort {
    fn queue(&self, n_max: usize) -> QueueFigures {
        self.0.collectors().map_or_else(QueueFigures::default, |it| it.queue(n_max))
    }
}

/// Including data that is not written into the main file yet.
fn sqlite_bytes(path: &Path) -> Option<u64> {
    let main = fs::metadata(path).ok()?.len();
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Some(main + fs::metadata(log).map_or(0, |it| it.len()))
}
