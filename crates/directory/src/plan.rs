//! Hosts as they run, and what is known of an item at one place.

use std::sync::Arc;

use lang::functions::error_text;
use lang::macros::{Resolution, Search, TokenKind, split_index, substitute};
use model::content::ItemType;
use model::snapshot::{Host, ItemRow, LldRow};
use model::{HostId, ItemId, PARTITIONS, TriggerId, ValueType};

use super::layout::{Bound, BoundFormula, FunctionPlan, Layout, RefusedCall};
use super::macros::{HostMacros, host_macro};
use super::slots::Slots;
use super::spans::reach_ns;
use super::tag_holders::{OtherHost, TemplatesAbove};

/// Where an item lives and what its collector has to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemTarget {
    pub shard: u16,
    pub slot: u32,
    pub item: ItemId,
    pub host: HostId,
    pub kind: ItemType,
    pub value_type: ValueType,
    /// The item and its host are enabled.
    pub enabled: bool,
    /// A discovery rule.
    pub is_rule: bool,
    /// An HTTP agent item that also takes pushed values.
    pub allow_traps: bool,
    /// The item names the hosts that may push to it (`trapper_hosts`).
    pub restricted: bool,
    /// The host accepts other connections than unencrypted ones, or none but others.
    pub guarded: bool,
}

/// The shard thread that owns a partition.
#[must_use]
pub fn shard_of(partition: u8, n_shards: u16) -> u16 {
    let share = usize::from(partition) * usize::from(n_shards.max(1)) / PARTITIONS;
    u16::try_from(share).unwrap_or(0)
}

/// A host as it runs: shared by the directory and the shard that owns it.
#[derive(Debug)]
pub struct HostPlan {
    pub host: Arc<Host>,
    pub layout: Arc<Layout>,
    pub macros: Arc<HostMacros>,
    /// For the tags of events.
    pub templates: TemplatesAbove,
    /// Hosts whose items triggers of this host use, each once, by id.
    pub others: Box<[OtherHost]>,
    /// By position in the layout.
    pub slots: Slots,
    pub shard: u16,
    pub partition: u8,
}

impl HostPlan {
    #[must_use]
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// The user macros that count here.
    #[must_use]
    pub fn macros(&self) -> &Arc<HostMacros> {
        &self.macros
    }

    #[must_use]
    pub fn shard(&self) -> u16 {
        self.shard
    }

    #[must_use]
    pub fn partition(&self) -> u8 {
        self.partition
    }

    /// A host whose items triggers of this one use.
    #[must_use]
    pub fn other(&self, id: HostId) -> Option<&OtherHost> {
        let at = self.others.binary_search_by_key(&id, |it| it.host.id).ok()?;
        self.others.get(at)
    }

    /// Whether the host is monitored.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.host.status == model::content::HostStatus::Monitored
    }

    pub(super) fn target(&self, position: u32) -> Option<ItemTarget> {
        let plan = self.layout.items.get(position as usize)?;
        let row = self.host.items.get(plan.row as usize)?;
        Some(ItemTarget {
            shard: self.shard,
            slot: self.slots.get(position)?,
            item: row.id,
            host: self.host.id,
            kind: plan.kind,
            value_type: plan.value_type,
            enabled: plan.is_enabled && self.is_enabled(),
            is_rule: plan.is_rule,
            allow_traps: plan.allow_traps,
            restricted: plan.restricted,
            guarded: self.host.encryption.is_some(),
        })
    }

    /// The live item or rule with this id.
    #[must_use]
    pub fn by_item(&self, item: ItemId) -> Option<ItemTarget> {
        let row = self.host.items.binary_search_by_key(&item, |it| it.id).ok()?;
        let row = u32::try_from(row).ok()?;
        // Positions are in order of rows; mirrors of other hosts' items come last.
        let own = self.layout.items.get(..self.layout.n_own as usize)?;
        let position = own.binary_search_by_key(&row, |it| it.row).ok()?;
        self.target(u32::try_from(position).ok()?)
    }

    /// A text with discovery macros of `row`, user macros and those of the host replaced.
    #[must_use]
    pub fn resolve(&self, text: &str, row: Option<&LldRow>) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        self.of_host(&self.macros.expand(text, row))
    }

    /// As [`Self::resolve`], for texts that people read: secret macros are asterisks.
    #[must_use]
    pub fn shown(&self, text: &str, row: Option<&LldRow>) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        self.of_host(&self.macros.expand_shown(text, row))
    }

    fn of_host(&self, text: &str) -> String {
        substitute(text, Search::BASIC, &self.macros.env(), &mut |token, inner| match token.kind {
            TokenKind::Macro | TokenKind::FuncMacro => {
                let name = inner.trim_matches(['{', '}']);
                host_macro(&self.host, split_index(name).0).into()
            }
            _ => Resolution::Keep,
        })
    }

    /// Host and configured key of an item by position.
    pub fn names(&self, position: u32) -> (Arc<str>, String) {
        let row = self.layout.item(position).and_then(|it| self.host.items.get(it.row as usize));
        match (row, self.layout.mirror(position)) {
            (Some(row), _) => (Arc::clone(&self.host.host), row.key().into_owned()),
            (None, Some(mirror)) => (Arc::clone(&mirror.host_name), mirror.key.to_string()),
            (None, None) => ("".into(), String::new()),
        }
    }

    /// The sentence that users see of a function that does not take its parameters.
    pub fn refusal(&self, call: &RefusedCall) -> String {
        let (host, key) = self.names(call.position);
        error_text(&call.function, &host, &key, &call.parameters, &call.why)
    }

    /// Why an operand never has a value.
    fn never(&self, operand: &Bound) -> Option<Arc<str>> {
        match operand {
            Bound::Unknown(why) => Some(Arc::clone(why)),
            Bound::Refused(call) => Some(self.refusal(call).into()),
            _ => None,
        }
    }

    /// The reads of a trigger of this host.
    ///
    /// # Errors
    /// Why it never has a value.
    pub fn reads_of(&self, trigger: TriggerId) -> Result<Reads, Arc<str>> {
        let layout = &self.layout;
        let id_of = |row: u32| self.host.triggers.get(row as usize).map(|it| it.id);
        let mut reads = Reads::default();
        let plan = layout.triggers.iter().find(|it| id_of(it.row) == Some(trigger));
        let Some(plan) = plan else { return Ok(reads) };
        for formula in [Some(&plan.problem), plan.recovery.as_ref()].into_iter().flatten() {
            let formula = formula.as_ref().map_err(Arc::clone)?;
            functions_of(layout, formula).for_each(|it| reads.add(it));
        }
        // An operand without a value leaves it to the others to decide, if there are any.
        if let Ok(problem) = &plan.problem
            && functions_of(layout, problem).next().is_none()
            && let Some(why) = problem.operands.iter().find_map(|it| self.never(it))
        {
            return Err(why);
        }
        let mut positions = plan.items.to_vec();
        for formula in plan.name_macros.iter().filter_map(|it| it.formula.as_ref().ok()) {
            for function in functions_of(layout, formula) {
                reads.add(function);
                if !positions.contains(&function.position) {
                    positions.push(function.position);
                }
            }
        }
        for position in positions {
            if let (Some(item), Some(id)) =
                (layout.item(position), layout.item_id(&self.host, position))
            {
                reads.items.push((id, item.value_type, item.depth.count));
            }
        }
        Ok(reads)
    }

    /// All items and rules that take values, by id.
    pub fn items(&self) -> impl Iterator<Item = ItemView<'_>> {
        (0..self.layout.n_own).filter_map(|position| {
            let target = self.target(position)?;
            let plan = self.layout.items.get(position as usize)?;
            Some(ItemView { plan: self, row: self.host.items.get(plan.row as usize)?, target })
        })
    }
}

/// Items, the kind of their values and how many of these a trigger needs at least; and how far back.
#[derive(Debug, Default)]
pub struct Reads {
    pub items: Vec<(ItemId, ValueType, u32)>,
    pub reach_ns: i64,
    pub trends: Vec<lang::functions::TrendCall>,
}

impl Reads {
    fn add(&mut self, function: &FunctionPlan) {
        self.reach_ns = self.reach_ns.max(reach_ns(function));
        self.trends.extend(function.call.trend().cloned());
    }
}

fn functions_of<'a>(
    layout: &'a Layout,
    formula: &'a BoundFormula,
) -> impl Iterator<Item = &'a FunctionPlan> {
    formula.operands.iter().filter_map(|it| match it {
        Bound::Function(at) => layout.functions.get(*at as usize),
        _ => None,
    })
}

/// An item with its host.
#[derive(Clone, Copy, Debug)]
pub struct ItemView<'a> {
    pub plan: &'a HostPlan,
    pub row: &'a ItemRow,
    pub target: ItemTarget,
}

impl ItemView<'_> {
    /// A text of the item's content as it counts here: discovery macros, user macros and those of
    /// the host (`{HOST.IP}` and the like) replaced.
    #[must_use]
    pub fn resolve(&self, text: &str) -> String {
        self.plan.resolve(text, self.row.discovered().map(|it| it.row.as_ref()))
    }

    /// The key as devices are asked for it: all macros replaced.
    #[must_use]
    pub fn key(&self) -> String {
        self.resolve(&self.row.key())
    }
}
