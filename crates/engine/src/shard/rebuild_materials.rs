//! Failures of steps and their records: the materials from which a shard is rebuilt, and candidates
//! for quarantine.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use directory::FullPlan;
use model::ItemId;
use model::batch::Batch;
use model::map::Map;
use pipeline::SharedProgram;
use rt::clock::nanos;

use crate::checkpoint::Checkpoints;

/// Bytes of a value in a record in addition to its text.
pub(super) const ROW_BYTES: usize = 64;
/// Inputs of one item over which steps may fail within [`FAILURES_FOR`]; after that it is quarantined.
pub(super) const FAILURES_MAX: usize = 3;
/// Items of one program, and evaluations of one trigger, likewise.
pub(super) const OF_PROGRAM_MAX: usize = 3;
const FAILURES_FOR: Duration = Duration::from_secs(3_600);
/// Rebuilds within [`REBUILDS_FOR`]; with more, an item is quarantined at its first failure.
const REBUILDS_MAX: usize = 20;
const REBUILDS_FOR: Duration = Duration::from_secs(600);
/// How a step went.
pub(super) enum Attempt {
    Done,
    Failed(Failure),
}

/// Why a step left no record that can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    Panicked,
    TooLarge,
}

impl Failure {
    pub(super) fn of_item(self) -> &'static str {
        match self {
            Self::Panicked => "Internal error while processing values",
            Self::TooLarge => "Values too large to be stored with those of dependent items",
        }
    }

    pub(super) fn of_value(self) -> &'static str {
        match self {
            Self::Panicked => "internal error while processing the value",
            Self::TooLarge => "the value is too large to be stored with those of dependent items",
        }
    }
}

/// The materials from which a shard is rebuilt, in addition to the journal.
pub(super) struct RebuildMaterials {
    pub(super) checkpoints: Arc<Checkpoints>,
    pub(super) plan: FullPlan,
    /// How often a byte of values was in the record at most, by what records had so far.
    pub(super) growth: f64,
    /// When steps failed over one item, by item; monotonic nanoseconds.
    pub(super) of_items: Map<ItemId, Vec<u64>>,
    /// Which items they failed over, and when, by program.
    of_programs: Map<SharedProgram, Vec<(ItemId, u64)>>,
    rebuilds: VecDeque<u64>,
    /// Answers of history that panicked, by item.
    pub(super) bad_windows: Map<ItemId, u32>,
}

impl RebuildMaterials {
    pub(super) fn new(checkpoints: Arc<Checkpoints>, plan: FullPlan) -> Self {
        Self {
            checkpoints,
            plan,
            growth: 1.0,
            of_items: Map::default(),
            of_programs: Map::default(),
            rebuilds: VecDeque::new(),
            bad_windows: Map::default(),
        }
    }

    /// Counts a failure over an item; whether there were too many of it.
    pub(super) fn is_item_bad(&mut self, item: ItemId, now_ns: u64) -> bool {
        let from = now_ns.saturating_sub(nanos(FAILURES_FOR));
        self.of_items.retain(|_, it| it.last().is_some_and(|it| from <= *it));
        let of_item = self.of_items.entry(item).or_default();
        of_item.retain(|it| from <= *it);
        of_item.push(now_ns);
        let n_failures = of_item.len();
        let recent = now_ns.saturating_sub(nanos(REBUILDS_FOR));
        let n_rebuilds = self.rebuilds.iter().filter(|it| recent <= **it).count();
        FAILURES_MAX <= n_failures || REBUILDS_MAX <= n_rebuilds
    }

    /// As [`Self::is_item_bad`], for a program; failures over one item of it count once, those of
    /// triggers each.
    pub(super) fn is_program_bad(
        &mut self,
        program: SharedProgram,
        item: ItemId,
        now_ns: u64,
    ) -> bool {
        let from = now_ns.saturating_sub(nanos(FAILURES_FOR));
        self.of_programs.retain(|_, it| it.last().is_some_and(|(_, at)| from <= *at));
        let of_program = self.of_programs.entry(program).or_default();
        of_program.retain(|(of, at)| {
            from <= *at && (*of != item || matches!(program, SharedProgram::Trigger(_)))
        });
        if OF_PROGRAM_MAX <= of_program.len() {
            of_program.remove(0);
        }
        of_program.push((item, now_ns));
        OF_PROGRAM_MAX <= of_program.len()
    }

    pub(super) fn count_rebuild(&mut self, now_ns: u64) {
        if REBUILDS_MAX <= self.rebuilds.len() {
            self.rebuilds.pop_front();
        }
        self.rebuilds.push_back(now_ns);
    }

    /// The expected bytes of a row in a record.
    pub(super) fn expected(&self, batch: &Batch, row: usize) -> f64 {
        (batch.text_len(row) + ROW_BYTES) as f64 * self.growth
    }
}
