//! Compiles one host's rows into a layout.
//!
//! Content that holds no macros of its own compiles once, however many hosts have it ([`Cache`]);
//! only bindings (positions, macro values) are made per layout.

mod compiler;
mod formulas;
mod functions;
mod masters;
mod names;
mod parameters;
mod programs;

use std::ops::Range;
use std::sync::Arc;

use lang::expression::{OperandRef, Program};
use model::content::{ItemStatus, ItemType, TriggerStatus, ValueMap};
use model::map::Set;
use model::settings::Housekeeping;
use model::snapshot::{Host, ItemRow, TriggerRow};
use model::{Retention, ValueMapId, ValueType};
use window::Depth;

pub(super) use compiler::{Compiler, value_map};
pub use names::{event_name, expanded, expression_macros, expressions_of};
pub(super) use programs::Cache;

use super::dispatch::mark_dispatchers;
use super::layout::{Bound, BoundFormula, Dispatches, ItemPlan, Layout, Master, TriggerPlan, Way};
use super::quick::quick_ways;
use super::spans::depth_of;
use compiler::to_u32;
use masters::set_levels;

/// For how long an item keeps trends; only numbers have any.
fn trends_of(text: &str, value_type: ValueType, housekeeping: &Housekeeping) -> Retention {
    if !value_type.is_numeric() {
        return Retention::Nothing;
    }
    Retention::for_seconds(housekeeping.trends_of(formats::number::parse_duration_s(text)))
}

impl<'a> Compiler<'a> {
    pub(super) fn compile(mut self) -> Layout {
        let mut items: Vec<ItemPlan> = (0..self.rows.len()).map(|it| self.item(it)).collect();
        let triggers = self.triggers();
        let mirrors: Vec<ItemPlan> = self.mirrors.iter().map(|it| self.mirror(it)).collect();
        items.extend(mirrors);
        let dependents = self.dependents(&mut items);
        let item_triggers = item_triggers(&mut items, &triggers);
        for function in &self.functions {
            let item = &mut items[function.position as usize];
            item.depth = item.depth.join(depth_of(function));
            if let Way::Aggregate(it) = function.way
                && function.call.period().shift.steps().is_empty()
            {
                item.track = Some(it.track);
            }
        }
        let quick = quick_ways(&items, &item_triggers, &triggers, &self.functions);
        let mut layout = Layout {
            keys: self.keys,
            n_own: to_u32(self.rows.len()),
            items: items.into(),
            rows: self.rows.into(),
            mirrors: self.mirrors.into(),
            triggers: triggers.into(),
            functions: self.functions.into(),
            aggregates: self.aggregates.finish(),
            n_trends: self.n_trends,
            dependents: dependents.into(),
            item_triggers: item_triggers.into(),
            quick: quick.into(),
            foreign_masters: self.foreign_masters.into(),
            named_hosts: self.named_hosts.into_iter().collect(),
            may_use_regexps: self.may_use_regexps,
            dispatches: Dispatches::default(),
        };
        layout.dispatches = Dispatches::of(&layout);
        mark_dispatchers(&mut layout);
        layout
    }

    fn item(&mut self, position: usize) -> ItemPlan {
        let row = self.rows[position];
        let host: &'a Arc<Host> = self.host;
        let it: &'a ItemRow = &host.items[row as usize];
        let content = &it.content;
        let expand = self.expand(it.discovered());
        let is_calculated = content.kind == ItemType::Calculated && !it.flags.is_rule();
        let calculation = is_calculated.then(|| Arc::new(self.calculation(it)));
        let history = expand.text(&content.history);
        let housekeeping = &self.snapshot.globals.settings.housekeeping;
        let history_s = housekeeping.history_of(formats::number::parse_duration_s(&history));
        ItemPlan {
            row,
            kind: content.kind,
            value_type: content.value_type,
            retention: Retention::for_seconds(i64::from(history_s)),
            history_s,
            trends: trends_of(&expand.text(&content.trends), content.value_type, housekeeping),
            is_enabled: content.status == ItemStatus::Enabled,
            is_rule: it.flags.is_rule(),
            allow_traps: content.allow_traps,
            restricted: !content.trapper_hosts.is_empty(),
            hands_on: false,
            program: self.cache.item(content, &expand),
            calculation,
            value_map: self.value_map(content.valuemapid),
            dependents: 0..0,
            triggers: 0..0,
            depth: Depth::default(),
            track: None,
        }
    }

    fn value_map(&mut self, id: ValueMapId) -> Option<Arc<ValueMap>> {
        if id.is_none() {
            return None;
        }
        let known = self.value_maps.entry(id);
        known.or_insert_with(|| value_map(self.snapshot, id).cloned().map(Arc::new)).clone()
    }

    /// Groups dependants by master, and sets each item's range.
    fn dependents(&self, items: &mut [ItemPlan]) -> Vec<u32> {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (position, row) in self.rows.iter().enumerate() {
            let it = &self.host.items[*row as usize];
            if it.content.kind == ItemType::Dependent
                && let Some(master) = self.own_position(it.content.master_itemid, it.discovered())
            {
                pairs.push((master, to_u32(position)));
            }
        }
        let set = |item: &mut ItemPlan, range| item.dependents = range;
        cut(items, pairs, set)
    }

    fn triggers(&mut self) -> Vec<TriggerPlan> {
        let host: &'a Arc<Host> = self.host;
        let live: Vec<(u32, &'a TriggerRow)> = host
            .triggers
            .iter()
            .enumerate()
            .filter(|(_, it)| it.is_live())
            .map(|(row, it)| (to_u32(row), it))
            .collect();
        let mut plans: Vec<TriggerPlan> =
            live.iter().map(|(row, it)| self.trigger(*row, it)).collect();
        self.masters(&live, &mut plans);
        set_levels(&mut plans);
        let has_dependants: Set<u32> = plans
            .iter()
            .flat_map(|it| it.masters.iter())
            .filter_map(|it| match it {
                Master::Own(position) => Some(*position),
                Master::Foreign(_) => None,
            })
            .collect();
        for (position, plan) in plans.iter_mut().enumerate() {
            plan.is_simple = plan.items.len() == 1
                && plan.masters.is_empty()
                && !has_dependants.contains(&to_u32(position));
        }
        plans
    }

    fn trigger(&mut self, row: u32, it: &'a TriggerRow) -> TriggerPlan {
        let content = &it.content;
        let programs = self.cache.trigger(content);
        let mut function_items = vec![None; content.functions.len()];
        let problem = self.bind(it, programs.problem, &mut function_items);
        let recovery = programs.recovery.map(|it2| self.bind(it, it2, &mut function_items));
        let mut items: Vec<u32> = Vec::new();
        for position in function_items.iter().flatten() {
            if !items.contains(position) {
                items.push(*position);
            }
        }
        let n = function_items.len();
        let in_text = lang::expression::functions_in_text(&content.expression, n);
        let in_text: Vec<Option<u32>> =
            in_text.iter().map(|it| function_items.get(*it).copied().flatten()).collect();
        let name_macros = self.name_macros(it, &in_text);
        let expand = self.expand(it.discovered());
        let texts = content.functions.iter().map(|it| &it.parameter);
        let texts = texts.chain([&content.expression, &content.recovery_expression]);
        let hidden = texts.flat_map(|it| expand.hidden_in(it)).collect();
        TriggerPlan {
            hidden,
            row,
            is_enabled: content.status == TriggerStatus::Enabled,
            multiple: content.multiple,
            is_timer: programs.is_timer,
            is_simple: false,
            recovery_mode: content.recovery_mode,
            level: 0,
            content: Arc::clone(content),
            problem,
            recovery,
            masters: Box::default(),
            items: items.into(),
            function_items: function_items.into(),
            name_macros,
        }
    }

    fn bind(
        &mut self,
        row: &'a TriggerRow,
        program: Result<Arc<Program>, Arc<str>>,
        function_items: &mut [Option<u32>],
    ) -> Result<BoundFormula, Arc<str>> {
        let program = program?;
        let mut operands = Vec::with_capacity(program.operands().len());
        for operand in program.operands() {
            let bound = match operand {
                OperandRef::Function(at) => match row.content.functions.get(*at) {
                    Some(function) => {
                        let (position, bound) = self.function(function, row.discovered());
                        function_items[*at] = position;
                        bound
                    }
                    None => Bound::Unknown(format!("no function with position {at}").into()),
                },
                other => self.constant(other, row.discovered()),
            };
            operands.push(bound);
        }
        Ok(BoundFormula {
            program,
            operands: operands.into(),
            many: Box::default(),
            regexps: Box::default(),
        })
    }
}

fn item_triggers(items: &mut [ItemPlan], triggers: &[TriggerPlan]) -> Vec<u32> {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (at, trigger) in triggers.iter().enumerate().filter(|(_, it)| it.is_enabled) {
        pairs.extend(trigger.items.iter().map(|it| (*it, to_u32(at))));
    }
    cut(items, pairs, |item, range| item.triggers = range)
}

/// Sorts (item, value) pairs by item, sets each item's range, and returns the values.
fn cut(
    items: &mut [ItemPlan],
    mut pairs: Vec<(u32, u32)>,
    set: impl Fn(&mut ItemPlan, Range<u32>),
) -> Vec<u32> {
    pairs.sort_unstable();
    let mut start = 0;
    for chunk in pairs.chunk_by(|a, b| a.0 == b.0) {
        let end = start + to_u32(chunk.len());
        set(&mut items[chunk[0].0 as usize], start..end);
        start = end;
    }
    pairs.into_iter().map(|it| it.1).collect()
}
