//! What hosts with equal items and triggers share: everything but ids, slots and state.

use std::ops::Range;
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::expression::{Env, Op, Program};
use lang::functions::{Call, Foreach};
use model::content::{GlobalRegexp, ItemType, RecoveryMode, TriggerContent, ValueMap};
use model::snapshot::Host;
use model::{HostId, ItemId, Time, TriggerId, ValueType};

use super::dispatch::Dispatches;
use super::hash::Hasher;
use super::keys::KeyTable;
use crate::effects::Retention;
use crate::steps::ItemProgram;
use crate::window::{Depth, FoldAt, FoldsPlan};

/// Keys, programs and bindings of hosts that have the same content.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) keys: KeyTable,
    /// Own items in order of rows, then mirrors of other hosts' items.
    pub(crate) items: Box<[ItemPlan]>,
    pub(crate) n_own: u32,
    /// Row by position, apart from `items` so that a lookup touches little.
    pub(crate) rows: Box<[u32]>,
    /// What the mirrors stand for, in order.
    pub(crate) mirrors: Box<[Mirror]>,
    /// In order of rows.
    pub(crate) triggers: Box<[TriggerPlan]>,
    pub(crate) functions: Box<[FunctionPlan]>,
    /// Windows of functions that are answered along the way.
    pub(crate) folds: FoldsPlan,
    pub(crate) n_trends: u32,
    /// Positions of dependent items, cut up by [`ItemPlan::dependents`].
    pub(crate) dependents: Box<[u32]>,
    /// Positions of triggers, cut up by [`ItemPlan::triggers`], and their short way if there is one.
    pub(crate) item_triggers: Box<[u32]>,
    pub(crate) quick: Box<[Option<Quick>]>,
    /// Triggers of other hosts that triggers of this layout depend on.
    pub(crate) foreign_masters: Box<[(HostId, TriggerId)]>,
    /// Names of hosts that formulas name: the layout holds for as long as these mean the same.
    pub(crate) named_hosts: Box<[Arc<str>]>,
    /// A parameter might name a global regular expression: the layout holds until one changes.
    pub(crate) may_use_regexps: bool,
    pub(crate) dispatches: Dispatches,
}

/// An item of another host that triggers or calculated items of this one use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mirror {
    pub(crate) host: HostId,
    pub(crate) item: ItemId,
    pub(crate) is_monitored: bool,
    /// For texts.
    pub(crate) host_name: Arc<str>,
    pub(crate) key: Arc<str>,
}

/// One item of a layout, by position.
#[derive(Clone, Debug)]
pub(crate) struct ItemPlan {
    /// Row in the host's items; of mirrors: beyond all.
    pub(crate) row: u32,
    pub(crate) kind: ItemType,
    pub(crate) value_type: ValueType,
    pub(crate) retention: Retention,
    /// The period that `retention` rounds up, exactly.
    pub(crate) history_s: u32,
    pub(crate) is_enabled: bool,
    pub(crate) is_rule: bool,
    pub(crate) allow_traps: bool,
    pub(crate) restricted: bool,
    /// It or a dependant hands rows on to other hosts.
    pub(crate) hands_on: bool,
    pub(crate) program: Option<Arc<ItemProgram>>,
    pub(crate) calculation: Option<Arc<Calculation>>,
    /// For values in texts.
    pub(crate) value_map: Option<Arc<ValueMap>>,
    pub(crate) dependents: Range<u32>,
    pub(crate) triggers: Range<u32>,
    /// What windows need of the past; empty: no ring.
    pub(crate) depth: Depth,
    /// The windows that end with each new value.
    pub(crate) track: Option<u32>,
}

/// The formula of a calculated item and when it is due.
#[derive(Debug)]
pub(crate) struct Calculation {
    pub(crate) formula: Result<Formula, Arc<str>>,
    pub(crate) delay: Result<lang::interval::Interval, Arc<str>>,
}

/// A program with its operands bound.
#[derive(Debug)]
pub(crate) struct Formula {
    pub(crate) program: Arc<Program>,
    pub(crate) operands: Box<[Bound]>,
    /// Functions over many items; [`Bound::Many`] names them by position.
    pub(crate) many: Box<[Arc<Foreach>]>,
    /// Global regular expressions that patterns may name when the formula is calculated.
    pub(crate) regexps: Box<[GlobalRegexp]>,
}

impl Formula {
    /// What the program depends on besides its operands.
    pub(crate) fn env<'a>(&'a self, time: Time, zone: &'a TimeZone) -> Env<'a> {
        Env { regexps: &self.regexps, ..Env::new(time, zone) }
    }
}

/// Where the value of an operand comes from.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Bound {
    /// Position in [`Layout::functions`].
    Function(u32),
    /// Position in [`Formula::many`].
    Many(u32),
    Number(f64),
    Text(Arc<str>),
    /// Never a value; the reason.
    Unknown(Arc<str>),
    /// Never a value: a function that does not take its parameters.
    Refused(Arc<RefusedCall>),
}

/// A function that does not take its parameters. What users see of it names host and item, which
/// differ from host to host where these share a layout.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RefusedCall {
    /// Of the item.
    pub(crate) position: u32,
    pub(crate) function: String,
    pub(crate) parameters: String,
    pub(crate) why: String,
}

#[derive(Debug)]
pub(crate) struct TriggerPlan {
    /// Row in the host's triggers.
    pub(crate) row: u32,
    pub(crate) is_enabled: bool,
    pub(crate) multiple: bool,
    /// Evaluated each 30 s as well.
    pub(crate) is_timer: bool,
    /// All functions read one item and nothing depends on the order: evaluated as the value comes.
    pub(crate) is_simple: bool,
    /// Others (here or on other hosts) depend on it, or it on them.
    pub(crate) recovery_mode: RecoveryMode,
    /// Masters come before their dependants.
    pub(crate) level: u16,
    pub(crate) content: Arc<TriggerContent>,
    /// An error makes the trigger unknown for as long as its configuration stays.
    pub(crate) problem: Result<Formula, Arc<str>>,
    pub(crate) recovery: Option<Result<Formula, Arc<str>>>,
    pub(crate) masters: Box<[Master]>,
    /// Positions of its items in order of functions, each once.
    pub(crate) items: Box<[u32]>,
    /// The item of each function of the content, as positions.
    pub(crate) function_items: Box<[Option<u32>]>,
    /// `{?…}` of its event name.
    pub(crate) name_macros: Box<[NameMacro]>,
}

/// An expression macro of an event name.
#[derive(Debug)]
pub(crate) struct NameMacro {
    /// As written, macros of the discovery row replaced.
    pub(crate) text: Box<str>,
    pub(crate) formula: Result<Formula, Arc<str>>,
}

/// A trigger that another one depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Master {
    /// Position among the triggers of the same host.
    Own(u32),
    Foreign(TriggerId),
}

/// One history function over one item with resolved parameters.
#[derive(Debug)]
pub(crate) struct FunctionPlan {
    pub(crate) position: u32,
    pub(crate) call: Call,
    /// As written, resolved: for error texts.
    pub(crate) parameters: Arc<str>,
    pub(crate) way: Way,
}

/// How a function is answered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Way {
    /// From the two newest values of the live state: `last()`, `last(#2)`.
    Nth(u8),
    Change,
    /// By the two newest values.
    Latest,
    /// From the time of the newest value.
    NoData,
    /// Along the way.
    Fold(FoldAt),
    /// From trends, which are read once a period.
    Trend {
        cell: u32,
    },
    /// By the values of the window.
    Scan,
}

/// A trigger that does nothing but compare one value of its one item with a number, and has one
/// problem at a time: as long as the comparison gives what it gave, nothing follows from a new value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Quick {
    /// The newest value, or a function over a window that ends at it.
    pub(crate) window: Option<FoldAt>,
    pub(crate) op: Op,
    pub(crate) right: f64,
}

impl Layout {
    #[inline]
    pub(crate) fn find(&self, hasher: &Hasher, host: &Host, key: &str) -> Option<u32> {
        self.keys.find(hasher, host, &self.rows, key)
    }

    #[inline]
    pub(crate) fn item(&self, position: u32) -> Option<&ItemPlan> {
        self.items.get(position as usize)
    }

    /// Positions of the items that depend on one.
    pub(crate) fn dependents_of(&self, plan: &ItemPlan) -> &[u32] {
        slice(&self.dependents, &plan.dependents)
    }

    /// Positions of the triggers that read an item.
    #[inline]
    pub(crate) fn triggers_of(&self, plan: &ItemPlan) -> &[u32] {
        slice(&self.item_triggers, &plan.triggers)
    }

    /// The same triggers' short ways.
    #[inline]
    pub(crate) fn quick_of(&self, plan: &ItemPlan) -> &[Option<Quick>] {
        slice(&self.quick, &plan.triggers)
    }

    /// What a position beyond the own items stands for.
    pub(crate) fn mirror(&self, position: u32) -> Option<&Mirror> {
        self.mirrors.get(position.checked_sub(self.n_own)? as usize)
    }

    /// The durable id of the item at a position.
    pub(crate) fn item_id(&self, host: &Host, position: u32) -> Option<ItemId> {
        let plan = self.item(position)?;
        match position.checked_sub(self.n_own) {
            None => host.items.get(plan.row as usize).map(|it| it.id),
            Some(mirror) => self.mirrors.get(mirror as usize).map(|it| it.item),
        }
    }
}

#[inline]
fn slice<'a, T>(all: &'a [T], range: &Range<u32>) -> &'a [T] {
    all.get(range.start as usize..range.end as usize).unwrap_or_default()
}
