//! The parts that hosts with equal items and triggers share: everything but ids, slots and state.

use std::ops::Range;
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::expression::{Env, Op, Program};
use lang::functions::{Call, Foreach};
use model::content::{
    CorrelationMode, GlobalRegexp, ItemType, RecoveryMode, TriggerContent, ValueMap,
};
use model::snapshot::Host;
use model::{HostId, ItemId, Retention, Time, TriggerId, ValueType};
use preprocess::HostBy;
use window::{AggregatePlan, AggregateRef, Depth};

use super::hash::Hasher;
use super::hidden::Hidden;
use super::keys::KeyTable;
use super::steps::ItemProgram;

/// Keys, programs and bindings of hosts that have the same content.
#[derive(Debug)]
pub struct Layout {
    pub keys: KeyTable,
    /// Own items in order of rows, then mirrors of other hosts' items.
    pub items: Box<[ItemPlan]>,
    pub n_own: u32,
    /// Row by position, separate from `items` so that a lookup touches little.
    pub rows: Box<[u32]>,
    /// The items of the mirrors, in order.
    pub mirrors: Box<[Mirror]>,
    /// In order of rows.
    pub triggers: Box<[TriggerPlan]>,
    pub functions: Box<[FunctionPlan]>,
    /// Windows of functions that are answered along the way.
    pub aggregates: AggregatePlan,
    pub n_trends: u32,
    /// Positions of dependent items, cut up by [`ItemPlan::dependents`].
    pub dependents: Box<[u32]>,
    /// Positions of triggers, cut up by [`ItemPlan::triggers`], and their short way if there is one.
    pub item_triggers: Box<[u32]>,
    pub quick: Box<[Option<Quick>]>,
    /// Triggers of other hosts that triggers of this layout depend on.
    pub foreign_masters: Box<[(HostId, TriggerId)]>,
    /// Names of hosts that formulas name: the layout holds for as long as these mean the same.
    pub named_hosts: Box<[Arc<str>]>,
    /// A parameter might name a global regular expression: the layout holds until one changes.
    pub may_use_regexps: bool,
    pub dispatches: Dispatches,
}

/// An item of another host that triggers or calculated items of this one use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mirror {
    pub host: HostId,
    pub item: ItemId,
    pub is_monitored: bool,
    /// For texts.
    pub host_name: Arc<str>,
    pub key: Arc<str>,
}

/// One item of a layout, by position.
#[derive(Clone, Debug)]
pub struct ItemPlan {
    /// Row in the host's items; of mirrors: beyond all.
    pub row: u32,
    pub kind: ItemType,
    pub value_type: ValueType,
    pub retention: Retention,
    /// The period that `retention` rounds up, exactly.
    pub history_s: u32,
    pub trends: Retention,
    pub is_enabled: bool,
    pub is_rule: bool,
    pub allow_traps: bool,
    pub restricted: bool,
    /// It or a dependant hands rows on to other hosts.
    pub hands_on: bool,
    pub program: Option<Arc<ItemProgram>>,
    pub calculation: Option<Arc<Calculation>>,
    /// For values in texts.
    pub value_map: Option<Arc<ValueMap>>,
    pub dependents: Range<u32>,
    pub triggers: Range<u32>,
    /// The past that windows need; empty: no ring.
    pub depth: Depth,
    /// The windows that end with each new value.
    pub track: Option<u32>,
}

/// The formula of a calculated item and when it is due.
#[derive(Debug)]
pub struct Calculation {
    pub formula: Result<BoundFormula, Arc<str>>,
    pub delay: Result<lang::interval::Interval, Arc<str>>,
    /// Of both.
    pub hidden: Hidden,
}

/// A program with its operands bound.
#[derive(Debug)]
pub struct BoundFormula {
    pub program: Arc<Program>,
    pub operands: Box<[Bound]>,
    /// Functions over many items; [`Bound::Many`] names them by position.
    pub many: Box<[Arc<Foreach>]>,
    /// Global regular expressions that patterns may name when the formula is calculated.
    pub regexps: Box<[GlobalRegexp]>,
}

impl BoundFormula {
    /// The dependencies of the program besides its operands.
    pub fn env<'a>(&'a self, time: Time, zone: &'a TimeZone) -> Env<'a> {
        Env { regexps: &self.regexps, ..Env::new(time, zone) }
    }
}

/// Where the value of an operand comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// Position in [`Layout::functions`].
    Function(u32),
    /// Position in [`BoundFormula::many`].
    Many(u32),
    Number(f64),
    Text(Arc<str>),
    /// Never a value; the reason.
    Unknown(Arc<str>),
    /// Never a value: a function that does not take its parameters.
    Refused(Arc<RefusedCall>),
}

/// A function that does not take its parameters. The text that users see of it names host and item,
/// which differ from host to host where these share a layout.
#[derive(Clone, PartialEq, Debug)]
pub struct RefusedCall {
    /// Of the item.
    pub position: u32,
    pub function: String,
    pub parameters: String,
    pub why: String,
}

#[derive(Debug)]
pub struct TriggerPlan {
    /// Row in the host's triggers.
    pub row: u32,
    pub is_enabled: bool,
    pub multiple: bool,
    /// Evaluated each 30 s as well.
    pub is_timer: bool,
    /// All functions read one item and nothing depends on the order: evaluated as the value comes.
    pub is_simple: bool,
    /// Others (here or on other hosts) depend on it, or it on them.
    pub recovery_mode: RecoveryMode,
    /// Masters come before their dependants.
    pub level: u16,
    pub content: Arc<TriggerContent>,
    /// An error makes the trigger unknown for as long as its configuration stays.
    pub problem: Result<BoundFormula, Arc<str>>,
    pub recovery: Option<Result<BoundFormula, Arc<str>>>,
    pub masters: Box<[Master]>,
    /// Positions of its items in order of functions, each once.
    pub items: Box<[u32]>,
    /// The item of each function of the content, as positions.
    pub function_items: Box<[Option<u32>]>,
    /// `{?…}` of its event name.
    pub name_macros: Box<[NameMacro]>,
    /// Of its expressions.
    pub hidden: Hidden,
}

/// An expression macro of an event name.
#[derive(Debug)]
pub struct NameMacro {
    /// As written, macros of the discovery row replaced.
    pub text: Box<str>,
    pub formula: Result<BoundFormula, Arc<str>>,
}

/// A trigger that another one depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Master {
    /// Position among the triggers of the same host.
    Own(u32),
    Foreign(TriggerId),
}

/// One history function over one item with resolved parameters.
#[derive(Debug)]
pub struct FunctionPlan {
    pub position: u32,
    pub call: Call,
    /// As written, resolved, secrets as asterisks: for people.
    pub parameters: Arc<str>,
    pub way: Way,
}

/// How a function is answered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Way {
    /// From the two newest values of the live state: `last()`, `last(#2)`.
    Nth(u8),
    Change,
    /// By the two newest values.
    Latest,
    /// From the time of the newest value.
    NoData,
    /// Along the way.
    Aggregate(AggregateRef),
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
pub struct Quick {
    /// The newest value, or a function over a window that ends at it.
    pub window: Option<AggregateRef>,
    pub op: Op,
    pub right: f64,
}

impl TriggerPlan {
    /// Whether a recovery may leave some of the trigger's problems open.
    #[must_use]
    pub fn correlates(&self) -> bool {
        self.content.correlation_mode == CorrelationMode::Tag
    }
}

impl Layout {
    #[inline]
    pub fn find(&self, hasher: &Hasher, host: &Host, key: &str) -> Option<u32> {
        self.keys.find(hasher, host, &self.rows, key)
    }

    #[inline]
    pub fn item(&self, position: u32) -> Option<&ItemPlan> {
        self.items.get(position as usize)
    }

    /// Positions of the items that depend on one.
    pub fn dependents_of(&self, plan: &ItemPlan) -> &[u32] {
        slice(&self.dependents, &plan.dependents)
    }

    /// Positions of the triggers that read an item.
    #[inline]
    pub fn triggers_of(&self, plan: &ItemPlan) -> &[u32] {
        slice(&self.item_triggers, &plan.triggers)
    }

    /// The same triggers' short ways.
    #[inline]
    pub fn quick_of(&self, plan: &ItemPlan) -> &[Option<Quick>] {
        slice(&self.quick, &plan.triggers)
    }

    /// The mirror at a position beyond the own items.
    pub fn mirror(&self, position: u32) -> Option<&Mirror> {
        self.mirrors.get(position.checked_sub(self.n_own)? as usize)
    }

    /// The durable id of the item at a position.
    pub fn item_id(&self, host: &Host, position: u32) -> Option<ItemId> {
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

/// How items of a layout hand rows on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dispatches {
    pub any: bool,
    pub by_ip: bool,
}

impl Dispatches {
    pub(super) fn of(layout: &Layout) -> Self {
        let ways = || layout.items.iter().filter_map(|it| it.program.as_ref()?.dispatches());
        Self { any: ways().next().is_some(), by_ip: ways().any(|it| it == HostBy::Ip) }
    }
}
