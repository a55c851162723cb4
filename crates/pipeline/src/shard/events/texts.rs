//! Macros in names and tags of events: those that Zabbix 7.0 has there; others stay as they are.

use directory::{Bound, Formula, HostPlan, TriggerPlan};
use lang::expression::{NodeKind, OperandRef, Value as Computed};
use lang::macros::{Answer, FuncEnv, Search, TokenKind, split_index, substitute};
use model::content::{Interface, InterfaceType, Tag};
use model::snapshot::{Host, ItemRow, LldRow, TriggerRow};
use model::value::LogEntry;
use model::{Time, Value, limits};

use super::super::functions::{Known, Sources};
use super::super::state::HostState;
use super::draft::{cut, text_of};
use crate::event_awaiting_name::What;

/// Tags of one event.
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
            | TokenKind::VariableFunc => Answer::Keep,
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
    fn built_in(&self, name: &str, place: Place, is_raw: bool) -> Answer {
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
            ("TIME", Place::Name) => self.local(self.sources.now.clock(), "%H:%M:%S"),
            ("TIMESTAMP", Place::Name) => Some(self.sources.now.clock().to_string()),
            ("TRIGGER.EXPRESSION.EXPLAIN", Place::Name) => self.explained(),
            ("FUNCTION.VALUE", Place::Name) => {
                self.function_value(&self.trigger.content.expression, index)
            }
            ("FUNCTION.RECOVERY.VALUE", Place::Name) => {
                self.function_value(&self.trigger.content.recovery_expression, index)
            }
            _ => match name.strip_prefix("ITEM.LOG.") {
                Some(what) => self.of_log(what, index),
                None => return Answer::Keep,
            },
        };
        answer.map_or(Answer::Unknown, Answer::Value)
    }

    /// Position of the item of the function with this number in the expression.
    pub(super) fn item(&self, index: usize) -> Option<u32> {
        *self.trigger.function_items.get(index.checked_sub(1)?)?
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

    fn local(&self, clock: i64, format: &str) -> Option<String> {
        let (wall, _) = lang::calendar::local(clock, self.sources.zone)?;
        Some(wall.strftime(format).to_string())
    }

    /// `{ITEM.LOG.SOURCE}`: of the entry at the event's time.
    fn of_log(&self, what: &str, index: usize) -> Option<String> {
        let Some(Value::Log(entry)) = self.value_at(self.item(index)?, self.time) else {
            return None;
        };
        let LogEntry { source, timestamp, severity, logeventid, .. } = &*entry;
        match what {
            "DATE" => self.local(*timestamp, "%Y.%m.%d"),
            "TIME" => self.local(*timestamp, "%H:%M:%S"),
            "TIMESTAMP" => Some(timestamp.to_string()),
            "AGE" => Some(lang::value::age(self.sources.now.clock() - timestamp)),
            "SOURCE" => Some(source.clone()),
            "SEVERITY" => Some(log_severity(*severity).to_owned()),
            "NSEVERITY" => Some(severity.to_string()),
            "EVENTID" => Some(logeventid.to_string()),
            _ => None,
        }
    }

    /// The expression with what its functions give: `21>10 and "up"="up"`.
    fn explained(&self) -> Option<String> {
        let stored = lang::expression::parse_stored(&self.trigger.content.expression).ok()?;
        let ast = &stored.ast;
        let mut out = String::new();
        let mut done = 0;
        let replaced = [NodeKind::FunctionId, NodeKind::UserMacro, NodeKind::LldMacro];
        let mut nodes: Vec<_> =
            ast.nodes().iter().filter(|it| replaced.contains(&it.kind)).collect();
        nodes.sort_unstable_by_key(|it| it.start);
        for node in nodes {
            let range = node.range();
            out.push_str(ast.text().get(done..range.start).unwrap_or_default());
            let written = ast.node_text(node);
            if node.kind == NodeKind::FunctionId {
                let id = written.trim_matches(['{', '}']).parse().unwrap_or(usize::MAX);
                match self.computed(id) {
                    Some(Computed::Text(it)) => out.push_str(&format!("\"{it}\"")),
                    Some(it) => out.push_str(&text_of(it).unwrap_or_default()),
                    None => out.push_str(lang::macros::UNKNOWN),
                }
            } else {
                let text = self.plan.macros.expand_row(written, self.row);
                out.push_str(&self.user_macro(&text).unwrap_or(text));
            }
            done = range.end;
        }
        out.push_str(ast.text().get(done..).unwrap_or_default());
        Some(out)
    }

    /// What the function with this number in an expression gives.
    fn function_value(&self, expression: &str, index: usize) -> Option<String> {
        let stored = lang::expression::parse_stored(expression).ok()?;
        let ast = &stored.ast;
        let mut ids: Vec<_> =
            ast.nodes().iter().filter(|it| it.kind == NodeKind::FunctionId).collect();
        ids.sort_unstable_by_key(|it| it.start);
        let node = ids.get(index.checked_sub(1)?)?;
        let id = ast.node_text(node).trim_matches(['{', '}']).parse().ok()?;
        self.computed(id).and_then(text_of)
    }

    /// What a function of the trigger gives at the event's time.
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

    /// Tags of the trigger, its host and its items: each pair once.
    pub(super) fn tags(&self, what: What) -> Vec<Tag> {
        let host = &self.plan.host;
        let mut tags: Vec<Tag> = Vec::new();
        let mut add = |tag: String, value: String| {
            let trimmed =
                |it: &str| cut(it.trim().to_owned(), limits::TAG_MAX).trim_end().to_owned();
            let tag = Tag { tag: trimmed(&tag), value: trimmed(&value) };
            if !tag.tag.is_empty() && tags.len() < TAGS_MAX && !tags.contains(&tag) {
                tags.push(tag);
            }
        };
        // Events of problems that are closed by hand have the others only.
        let of_trigger = match what {
            What::Problem | What::Recovery => self.trigger.content.tags.as_slice(),
            What::Closing(..) => &[],
        };
        for it in of_trigger {
            add(self.expand(&it.tag, Place::Tag), self.expand(&it.value, Place::Tag));
        }
        for it in &host.tags {
            add(self.of_holder(&it.tag, None, None), self.of_holder(&it.value, None, None));
        }
        for position in &self.trigger.items {
            let Some(row) = self.item_row(*position) else { continue };
            let lld = row.discovered().map(|it| it.row.as_ref());
            for it in &row.content.tags {
                let text = |text| self.of_holder(text, lld, Some(row));
                add(text(&it.tag), text(&it.value));
            }
        }
        tags
    }

    /// A text of a tag of the host or an item.
    fn of_holder(&self, text: &str, lld: Option<&LldRow>, item: Option<&ItemRow>) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        let text = self.plan.macros.expand_shown(text, lld);
        let env = FuncEnv::new(self.sources.zone);
        substitute(&text, Search::BASIC, &env, &mut |token, inner| {
            if token.kind != TokenKind::Macro {
                return Answer::Keep;
            }
            match inner.trim_matches(['{', '}']) {
                "TRIGGER.ID" => Answer::Value(self.trigger_row.id.to_string()),
                name if name.starts_with("HOST.") => of_host(&self.plan.host, item, name).into(),
                _ => Answer::Keep,
            }
        })
    }
}

fn function_of(formula: &Formula, id: usize) -> Option<u32> {
    let operands = formula.program.operands().iter().zip(&formula.operands);
    let mut found = operands.filter_map(|(operand, bound)| match (operand, bound) {
        (OperandRef::Function(it), Bound::Function(at)) if *it == id => Some(*at),
        _ => None,
    });
    found.next()
}

/// What a macro says of a host; of addresses that of the item's interface.
fn of_host(host: &Host, item: Option<&ItemRow>, name: &str) -> Option<String> {
    use InterfaceType::{Agent, Ipmi, Jmx, Snmp};
    let main_of = |kind| host.interfaces.iter().find(|it| it.main && it.kind == kind);
    let main = || [Agent, Snmp, Jmx, Ipmi].into_iter().find_map(main_of);
    let interface = || item.and_then(|it| host.interface_of(it)).or_else(main);
    let address = |it: &Interface| if it.useip { it.ip.clone() } else { it.dns.clone() };
    match name {
        "HOST.HOST" | "HOSTNAME" => Some(host.host.to_string()),
        "HOST.NAME" => Some(host.name.to_string()),
        "HOST.ID" => Some(host.id.to_string()),
        "HOST.IP" | "IPADDRESS" => interface().map(|it| it.ip.clone()),
        "HOST.DNS" => interface().map(|it| it.dns.clone()),
        "HOST.CONN" => interface().map(address),
        "HOST.PORT" => interface().map(|it| it.port.clone()),
        _ => None,
    }
}

/// Severities of the Windows event log.
fn log_severity(code: i32) -> &'static str {
    match code {
        1 => "Information",
        2 => "Warning",
        4 => "Error",
        7 => "Failure Audit",
        8 => "Success Audit",
        9 => "Critical",
        10 => "Verbose",
        _ => "unknown",
    }
}
