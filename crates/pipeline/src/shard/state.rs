//! The state of a shard: slots, items, hosts and triggers.

use std::sync::Arc;

use directory::HostPlan;
use directory::steps::StepMemory;
use lang::expression::Value as Computed;
use lang::functions::Hours;
use model::{ItemId, Retention, Time, ValueType};
use window::{Aggregates, Arrival, HistoryRequest, Ring};

use super::open::OpenProblem;

/// Stands for none in columns of numbers.
pub(super) const NONE: u32 = u32::MAX;

/// The item is enabled and so is its host.
pub(super) const ENABLED: u16 = 1 << 0;
/// A number without preprocessing but one multiplier, or a text without any, and without
/// dependants: the short way.
pub(super) const PLAIN: u16 = 1 << 1;
/// Triggers read it.
pub(super) const TRIGGERS: u16 = 1 << 2;
/// Some of these triggers have to wait for other values of the same time.
pub(super) const COMPLEX: u16 = 1 << 3;
/// Stands for an item of another host.
pub(super) const MIRROR: u16 = 1 << 4;
/// Other partitions use its values.
pub(super) const FORWARDED: u16 = 1 << 5;
/// A discovery rule.
pub(super) const RULE: u16 = 1 << 6;
/// Has dependants.
pub(super) const MASTER: u16 = 1 << 7;
/// Values wait for a step that runs elsewhere; later ones wait after them.
pub(super) const QUEUED: u16 = 1 << 9;
/// Its values, or those of its dependants, may have to wait so.
pub(super) const MAY_WAIT: u16 = 1 << 10;
/// `multiplier` is a whole number, or there is none.
pub(super) const WHOLE: u16 = 1 << 8;
/// Some of its triggers have a short way.
pub(super) const QUICK: u16 = 1 << 11;
/// All of its triggers have one.
pub(super) const ALL_QUICK: u16 = 1 << 12;

/// The item is in quarantine: not enabled because its values make steps fail.
pub(super) const QUARANTINED: u16 = 1 << 13;

/// The host is in maintenance without data collection, and the item is none of those that go on.
pub(super) const NO_DATA: u16 = 1 << 15;

/// Several values share the millisecond of the newest: see `repeats.rs`.
pub(super) const TIED: u16 = 1 << 14;

/// State that each slot needs at every value: one cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// None: the slot is free.
    pub(super) item: ItemId,
    pub(super) multiplier: f64,
    pub(super) host: u32,
    pub(super) position: u32,
    /// Low half of the epoch since which the slot has this item.
    pub(super) born: u32,
    /// Seconds since 1970 from which on missing values count.
    pub(super) since: u32,
    /// Index of the rest of its state, or [`NONE`].
    pub(super) state: u32,
    /// Nanoseconds of the newest value within its millisecond, if known: see `repeats.rs`.
    pub(super) ns: u32,
    pub(super) flags: u16,
    /// Value type's code.
    pub(super) kind: u8,
    /// Classes of values and of trends.
    pub(super) retention: u8,
    pub(super) trends: u8,
    pub(super) partition: u8,
}

const _: () = assert!(size_of::<Slot>() == 48, "ten million items");

impl Slot {
    pub(super) const FREE: Self = Self {
        item: ItemId::NONE,
        multiplier: 1.0,
        host: NONE,
        position: 0,
        born: 0,
        since: 0,
        state: NONE,
        ns: NONE,
        flags: 0,
        kind: 0,
        retention: 0,
        trends: 0,
        partition: 0,
    };

    pub(super) fn value_type(&self) -> ValueType {
        ValueType::from_code(i64::from(self.kind)).unwrap_or(ValueType::Text)
    }

    /// The type of what goes through its steps: a rule's data are text, whatever its content says.
    pub(super) fn steps_type(&self) -> ValueType {
        if self.has(RULE) { ValueType::Text } else { self.value_type() }
    }

    /// Of a numeric item: whether its numbers are whole ones.
    pub(super) fn is_unsigned(&self) -> bool {
        i64::from(self.kind) == i64::from(ValueType::Unsigned.code())
    }

    pub(super) fn trends(&self) -> Retention {
        Retention::from_code(self.trends).unwrap_or_default()
    }

    pub(super) fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }
}

/// State that only some items need: two cache lines, the first one for each value.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct ItemState {
    /// The fetch from history that is under way.
    pub(super) loading: Option<Box<Loading>>,
    pub(super) ring: Option<Ring>,
    pub(super) memory: StepMemory,
}

const _: () = assert!(size_of::<ItemState>() == 128, "two cache lines");

/// A fetch under way, and what arrived meanwhile.
#[derive(Debug)]
pub(super) struct Loading {
    pub(super) id: u64,
    pub(super) from: Time,
    pub(super) count: u32,
    pub(super) count_until: Time,
    pub(super) arrivals: Vec<Arrival>,
    /// Nanoseconds of the monotonic clock.
    pub(super) expires: u64,
    /// Why the last fetch failed.
    pub(super) failed: Option<Arc<str>>,
}

impl Loading {
    pub(super) fn asked(&self) -> HistoryRequest {
        HistoryRequest { from: self.from.0, count: self.count, count_until: self.count_until.0 }
    }
}

/// Windows and trends of a host, by the numbers that its layout gives them.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    pub(super) aggregates: Aggregates,
    pub(super) trends: Vec<TrendCell>,
}

/// The value of a trend function for a period.
#[derive(Clone, Debug, Default)]
pub(super) struct TrendCell {
    pub(super) hours: Vec<Hours>,
    /// None: asked for.
    pub(super) value: Option<Result<Computed, String>>,
    /// Monotonic nanoseconds.
    pub(super) asked_ns: u64,
    /// A value of these hours came while it was asked for: the answer may lack it.
    pub(super) is_overtaken: bool,
}

impl TrendCell {
    /// A value came that belongs to an hour that was read, or is being read.
    pub(super) fn overtake(&mut self, second: i64) {
        let is_of_it = |it: &Hours| it.start <= second && second < it.end + 3_600;
        if !self.hours.iter().any(is_of_it) {
            return;
        }
        if self.value.is_some() {
            *self = Self::default();
        } else {
            self.is_overtaken = true;
        }
    }
}

/// A host with the state of its triggers.
#[derive(Debug)]
pub(super) struct HostState {
    pub(super) plan: Arc<HostPlan>,
    /// By position in the layout.
    pub(super) triggers: Vec<TriggerState>,
    /// The states of the same triggers in brief; never wrong, but one may be [`CachedState::Unsure`].
    pub(super) cached_states: Box<[CachedState]>,
    pub(super) cells: Cells,
}

/// A trigger whose state is known, for which nothing is to be judged first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum CachedState {
    #[default]
    Unsure,
    Ok,
    Problem,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TriggerState {
    pub(super) is_problem: bool,
    /// Its value when events whose names wait are made.
    pub(super) ahead: Option<bool>,
    /// Open problems, oldest first.
    pub(super) open: Vec<OpenProblem>,
    /// Why the value is unknown.
    pub(super) error: Option<Arc<str>>,
    /// The group of values in which it is queued.
    pub(super) stamp: u64,
}

const _: () = assert!(size_of::<TriggerState>() == 56 && size_of::<CachedState>() == 1, "millions");

/// The result of a trigger, as far as it is decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Says {
    is_problem: bool,
    is_unknown: bool,
}

impl Says {
    /// Of a trigger that is not there any more: nothing.
    pub(super) const NOTHING: Self = Self { is_problem: false, is_unknown: false };

    /// Whether nothing has been lost since: it has the value that it had, and is not unknown for now.
    pub(super) fn is_as(self, before: Self) -> bool {
        self.is_problem == before.is_problem && (before.is_unknown || !self.is_unknown)
    }
}

impl TriggerState {
    #[inline]
    pub(super) fn says(&self) -> Says {
        Says { is_problem: self.is_decided_problem(), is_unknown: self.error.is_some() }
    }

    /// Whether the trigger is in PROBLEM as far as it is decided.
    pub(super) fn is_decided_problem(&self) -> bool {
        self.ahead.unwrap_or(self.is_problem)
    }
}

/// As [`Slot::born`] has it.
pub(super) fn low(epoch: u64) -> u32 {
    u32::try_from(epoch & u64::from(u32::MAX)).unwrap_or(0)
}
