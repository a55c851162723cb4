//! Macros in names and tags of events: those that Zabbix 7.0 has there; others stay as they are.

use std::borrow::Cow;

use directory::{
    Bound, BoundFormula, HostMacros, HostPlan, OtherHost, TemplatesAbove, TriggerPlan,
};
use jiff::tz::TimeZone;
use lang::expression::{NodeKind, OperandRef, Value as Computed};
use lang::macros::{FuncEnv, Resolution, Search, TokenKind, of_host, split_index, substitute};
use model::content::Tag;
use model::snapshot::{Host, ItemRow, LldRow, TriggerRow};
use model::{Time, TriggerId, Value, limits};

use super::super::functions::{Known, Sources};
use super::super::state::{HostState, Slot};
use super::draft::{cut, text_of};
use crate::event_awaiting_name::What;

/// The most tags of one event; further ones are left out.
const TAGS_MAX: usize = 256;

/// Where a text stands: that decides which macros it may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Name,
    Tag,
}

/// The texts of one event.
pub(super) struct Texts<'a> {
    pub(super) sources: Sources<'a>,
    host: &'a HostState,
    plan: &'a HostPlan,
    pub(super) trigger: &'a TriggerPlan,
    pub(super) trigger_row: &'a TriggerRow,
    pub(super) row: Option<&'a LldRow>,
    pub(super) time: Time,
}

impl<'a> Texts<'a> {
    pub(super) fn new(
        sources: Sources<'a>,
        (host, position): (&'a HostState, u32),
        time: Time,
    ) -> Option<Self> {
        let plan = &*host.plan;
        let trigger = plan.layout.triggers.get(position as usize)?;
        let trigger_row = plan.host.triggers.get(trigger.row as usize)?;
        let row = trigger_row.discovered().map(|it| it.row.as_ref());
        Some(Self { sources, host, plan, trigger, trigger_row, row, time })
    }

    pub(super) fn expand(&self, text: &str, place: Place) -> String {
        let text = self.plan.macros.expand_row(text, self.row);
        let references = place == Place::Name && text.contains('$');
        if !references && !text.contains('{') {
            return text;
        }
        let search = Search { references, ..Search::TEXT };
        let env = FuncEnv { now: self.time, ..FuncEnv::new(self.sources.zone) };
        substitute(&text, search, &env, &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => self.user_macro(inner).into(),
            TokenKind::Macro | TokenKind::FuncMacro => {
                self.built_in(inner.trim_matches(['{', '}']), place, token.func.is_some())
            }
            TokenKind::Reference => self.constant(inner).into(),
            // Evaluated elsewhere, in names only.
            TokenKind::Expression
            | TokenKind::ExpressionFunc
            | TokenKind::ObjectId
            | TokenKind::LldMacro
            | TokenKind::LldFuncMacro
            | TokenKind::Variable
            | TokenKind::VariableFunc => Resolution::Keep,
        })
    }

    fn user_macro(&self, written: &str) -> Option<String> {
        self.plan.macros.shown(written).map(|it| it.to_string())
    }

    /// `$1`: a constant of the expression.
    fn constant(&self, inner: &str) -> Option<String> {
        let index = inner.trim_start_matches('$').parse::<usize>().ok()?;
        let stored = lang::expression::parse_stored(&self.trigger.content.expression).ok()?;
        let constants = lang::expression::constants(&stored.ast);
        let constant = constants.get(index.checked_sub(1)?)?;
        let constant = self.plan.macros.expand_row(constant, self.row);
        Some(self.user_macro(&constant).unwrap_or(constant))
    }

    /// `is_raw`: for a macro function, which gets values without units.
    fn built_in(&self, name: &str, place: Place, is_raw: bool) -> Resolution {
        let (name, index) = split_index(name);
        let answer = match (name, place) {
            ("HOSTNAME" | "IPADDRESS", Place::Name) | ("HOST.ID", Place::Tag) => {
                self.of_host(name, index)
            }
            ("HOST.HOST" | "HOST.NAME" | "HOST.IP" | "HOST.DNS" | "HOST.CONN" | "HOST.PORT", _) => {
                self.of_host(name, index)
            }
            ("ITEM.VALUE", _) => self.value(index, self.time, is_raw),
            ("ITEM.LASTVALUE", _) => self.value(index, self.sources.now, is_raw),
            ("TRIGGER.ID", Place::Tag) => Some(self.trigger_row.id.to_string()),
            ("TIME", Place::Name) => {
                lang::macros::time(self.sources.now.clock(), self.sources.zone)
            }
            ("TIMESTAMP", Place::Name) => Some(self.sources.now.clock().to_string()),
            ("TRIGGER.EXPRESSION.EXPLAIN", Place::Name) => self.explained(),
            ("FUNCTION.VALUE", Place::Name) => {
                self.function_value(&self.trigger.content.expression, index)
            }
            ("FUNCTION.RECOVERY.VALUE", Place::Name) => {
                self.function_value(&self.trigger.content.recovery_expression, index)
            }
            _ => match name.strip_prefix("ITEM.LOG.") {
                Some(what) if lang::macros::is_of_log(what) => self.of_log(what, index),
                _ => return Resolution::Keep,
            },
        };
        answer.map_or(Resolution::Unknown, Resolution::Value)
    }

    /// Position of the item of the function with this number in the expression's text.
    pub(super) fn item(&self, index: usize) -> Option<u32> {
        let items = &self.trigger.function_items;
        let expression = &self.trigger.content.expression;
        let in_text = lang::expression::functions_in_text(expression, items.len());
        *items.get(*in_text.get(index.checked_sub(1)?)?)?
    }

    fn of_host(&self, name: &str, index: usize) -> Option<String> {
        let position = self.item(index)?;
        // Items of other hosts are known by name only.
        if let Some(mirror) = self.plan.layout.mirror(position) {
            let is_name = matches!(name, "HOST.HOST" | "HOST.NAME" | "HOSTNAME");
            return match name {
                "HOST.ID" => Some(mirror.host.to_string()),
                _ => is_name.then(|| mirror.host_name.to_string()),
            };
        }
        of_host(&self.plan.host, self.item_row(position), name)
    }

    fn item_row(&self, position: u32) -> Option<&'a ItemRow> {
        let item = self.plan.layout.item(position)?;
        self.plan.host.items.get(item.row as usize)
    }

    /// The value of a function's item at a time, as people read it.
    fn value(&self, index: usize, time: Time, is_raw: bool) -> Option<String> {
        let position = self.item(index)?;
        let value = self.value_at(position, time)?;
        let row = self.item_row(position).filter(|_| !is_raw);
        let Some(row) = row else { return Some(lang::value::plain(&value)) };
        let item = self.plan.layout.item(position)?;
        let map = item.value_map.as_ref().map(|it| it.mappings.as_slice()).unwrap_or_default();
        let zone = self.sources.zone;
        Some(lang::value::format(&value, &row.content.units, map, zone))
    }

    pub(super) fn value_at(&self, position: u32, time: Time) -> Option<Value> {
        let at = self.plan.slots.get(position)?;
        self.sources.value_at(at, time).ok()?
    }

    /// `{ITEM.LOG.SOURCE}`: of the entry at the event's time.
    fn of_log(&self, what: &str, index: usize) -> Option<String> {
        let value = self.value_at(self.item(index)?, self.time)?;
        lang::macros::of_log(&value, what, self.sources.now, self.sources.zone)
    }

    /// The expression with what its functions give: `21>10 and "up"="up"`.
    fn explained(&self) -> Option<String> {
        let stored = &self.trigger.content.expression;
        lang::expression::explain(stored, &mut |kind, written| {
            if kind != NodeKind::FunctionId {
                let text = self.plan.macros.expand_row(written, self.row);
                return Some(self.user_macro(&text).unwrap_or(text));
            }
            let id = written.trim_matches(['{', '}']).parse().unwrap_or(usize::MAX);
            match self.computed(id) {
                Some(Computed::Text(it)) => Some(format!("\"{it}\"")),
                Some(it) => Some(text_of(it).unwrap_or_default()),
                None => Some(lang::macros::UNKNOWN.to_owned()),
            }
        })
    }

    /// The value of the function with this number in an expression.
    fn function_value(&self, expression: &str, index: usize) -> Option<String> {
        let stored = lang::expression::parse_stored(expression).ok()?;
        let id = *stored.in_text().get(index.checked_sub(1)?)?;
        self.computed(id).and_then(text_of)
    }

    /// The value of a function of the trigger at the event's time.
    fn computed(&self, id: usize) -> Option<Computed> {
        let formulas = [Some(&self.trigger.problem), self.trigger.recovery.as_ref()];
        let formulas = formulas.into_iter().flatten().filter_map(|it| it.as_ref().ok());
        let at = formulas.filter_map(|it| function_of(it, id)).next()?;
        let function = self.plan.layout.functions.get(at as usize)?;
        // Asking moves cells along; the shard's own stay where they are.
        let mut cells = self.host.cells.clone();
        let value = self.sources.value_of(function, self.plan, &mut cells, self.time).ok()?;
        Some(match value {
            Known::Number(it) => Computed::Number(it),
            Known::Unsigned(it) => Computed::UInt(it),
            Known::Text(it) => Computed::Text(it.as_text().unwrap_or_default().to_owned()),
            Known::Other(it) => it,
            Known::Unknown(_) | Known::Constant => return None,
        })
    }

    /// Tags of the trigger, its items, their hosts and the templates that these items come from, each pair once:
    /// as in Zabbix (`zbx_dc_get_item_tags`).
    pub(super) fn tags(&self, what: What) -> Vec<Tag> {
        let mut tags = TagSet::default();
        // Events of problems that are closed by hand have the others only.
        let of_trigger = match what {
            What::Problem | What::Recovery => self.trigger.content.tags.as_slice(),
            What::Closing(..) => &[],
        };
        for it in of_trigger {
            tags.add(&self.expand(&it.tag, Place::Tag), &self.expand(&it.value, Place::Tag));
        }
        let holder = self.holder();
        let rows = || self.trigger.items.iter().filter_map(|it| self.item_row(*it));
        rows().for_each(|it| holder.item_tags(it, &mut tags));
        holder.host_tags(&mut tags);
        rows().for_each(|it| holder.template_tags(it, &mut tags));
        for (other, row) in self.trigger.items.iter().filter_map(|it| self.mirrored(*it)) {
            let holder = HolderTexts::of_other(other, holder.trigger, self.sources.zone);
            holder.item_tags(row, &mut tags);
            holder.host_tags(&mut tags);
            holder.template_tags(row, &mut tags);
        }
        tags.0
    }

    /// The item of another host that a position stands for.
    fn mirrored(&self, position: u32) -> Option<(&'a OtherHost, &'a ItemRow)> {
        let mirror = self.plan.layout.mirror(position)?;
        let other = self.plan.other(mirror.host)?;
        Some((other, other.host.item(mirror.item)?))
    }

    fn holder(&self) -> HolderTexts<'a> {
        HolderTexts::of_own(self.plan, Some(self.trigger_row.id), self.sources.zone)
    }
}

/// Tags of one event: each pair once.
#[derive(Default)]
struct TagSet(Vec<Tag>);

impl TagSet {
    fn add(&mut self, tag: &str, value: &str) {
        let trimmed = |it: &str| cut(it.trim().to_owned(), limits::TAG_MAX).trim_end().to_owned();
        let tag = Tag { tag: trimmed(tag), value: trimmed(value) };
        if !tag.tag.is_empty() && self.0.len() < TAGS_MAX && !self.0.contains(&tag) {
            self.0.push(tag);
        }
    }
}

/// Tags of a host, its items and the templates that these come from.
struct HolderTexts<'a> {
    host: &'a Host,
    macros: &'a HostMacros,
    templates: &'a TemplatesAbove,
    /// Of an event of a trigger.
    trigger: Option<TriggerId>,
    zone: &'a TimeZone,
}

impl<'a> HolderTexts<'a> {
    fn of_own(plan: &'a HostPlan, trigger: Option<TriggerId>, zone: &'a TimeZone) -> Self {
        let HostPlan { host, macros, templates, .. } = plan;
        Self { host, macros, templates, trigger, zone }
    }

    fn of_other(other: &'a OtherHost, trigger: Option<TriggerId>, zone: &'a TimeZone) -> Self {
        let OtherHost { host, macros, templates } = other;
        Self { host, macros, templates, trigger, zone }
    }

    fn host_tags(&self, tags: &mut TagSet) {
        for it in &self.host.tags {
            tags.add(&self.expand(&it.tag, None), &self.expand(&it.value, None));
        }
    }

    fn item_tags(&self, row: &ItemRow, tags: &mut TagSet) {
        for it in &row.content.tags {
            tags.add(&self.expand(&it.tag, Some(row)), &self.expand(&it.value, Some(row)));
        }
    }

    fn template_tags(&self, row: &ItemRow, tags: &mut TagSet) {
        for it in self.templates.tags_of(self.host, row) {
            tags.add(&self.expand(&it.tag, None), &self.expand(&it.value, None));
        }
    }

    fn expand<'t>(&self, text: &'t str, item: Option<&ItemRow>) -> Cow<'t, str> {
        if !text.contains('{') {
            return text.into();
        }
        let lld = item.and_then(|it| it.discovered()).map(|it| it.row.as_ref());
        let text = self.macros.expand_shown(text, lld);
        let env = FuncEnv::new(self.zone);
        let expanded = substitute(&text, Search::BASIC, &env, &mut |token, inner| {
            if token.kind != TokenKind::Macro {
                return Resolution::Keep;
            }
            match (inner.trim_matches(['{', '}']), self.trigger) {
                ("TRIGGER.ID", Some(id)) => Resolution::Value(id.to_string()),
                (name, _) if name.starts_with("HOST.") => of_host(self.host, item, name).into(),
                _ => Resolution::Keep,
            }
        });
        expanded.into()
    }
}

/// Tags of an item, its host and the templates that it comes from, for an event about the item's state.
pub(in super::super) fn tags_of_item(host: &HostState, slot: &Slot, zone: &TimeZone) -> Vec<Tag> {
    let mut tags = TagSet::default();
    let plan = &*host.plan;
    let holder = HolderTexts::of_own(plan, None, zone);
    let item = plan.layout.item(slot.position);
    let row = item.and_then(|it| plan.host.items.get(it.row as usize));
    row.inspect(|it| holder.item_tags(it, &mut tags));
    holder.host_tags(&mut tags);
    row.inspect(|it| holder.template_tags(it, &mut tags));
    tags.0
}

/// Tags of a trigger, its host and its items, for an event about the trigger's state.
pub(in super::super) fn tags_of_trigger(
    sources: Sources<'_>,
    (host, position): (&HostState, u32),
    time: Time,
) -> Vec<Tag> {
    Texts::new(sources, (host, position), time).map_or_else(Vec::new, |it| it.tags(What::Problem))
}

fn function_of(formula: &BoundFormula, id: usize) -> Option<u32> {
    let operands = formula.program.operands().iter().zip(&formula.operands);
    let mut found = operands.filter_map(|(operand, bound)| match (operand, bound) {
        (OperandRef::Function(it), Bound::Function(at)) if *it == id => Some(*at),
        _ => None,
    });
    found.next()
}
