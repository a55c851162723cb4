//! Labels of elements, links and shapes, with their macros replaced.

use std::cell::Cell;
use std::sync::Arc;

use db::objects::map::{HOST, HOST_GROUP, SUBMAP, TRIGGER, number, text};
use lang::macros::{
    FuncEnv, Resolution, Search, TokenKind, inventory_number, split_index, substitute,
};
use model::TriggerId;
use model::document::{Body, Document};
use model::snapshot::Host;

use super::elements::Element;
use super::names::trigger_text;
use super::states::State;
use crate::native::evaluate;
use crate::objects::common::resolve::HostMacros;
use crate::shared::Ctx;

/// The most expressions that are evaluated for one answer: each may read history. Further ones are unknown.
const EXPRESSIONS_MAX: usize = 200;

const LABEL: i64 = 0;
const ADDRESS: i64 = 1;
const NAME: i64 = 2;
const STATUS: i64 = 3;
const CUSTOM: i64 = 5;

pub(super) struct Labels<'a> {
    ctx: &'a Ctx,
    map: &'a Document,
    n_expressions: Cell<usize>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(ctx: &'a Ctx, map: &'a Document) -> Self {
        Self { ctx, map, n_expressions: Cell::new(0) }
    }

    /// The label of an element; `None`: it has neither label nor status.
    pub(super) fn of(&self, element: &Element<'_>, state: &State) -> Option<String> {
        let body = &self.map.body;
        let (kind, custom) = if number(body, "label_format") == 1 {
            let name = match number(element.body, "elementtype") {
                HOST => "host",
                SUBMAP => "map",
                TRIGGER => "trigger",
                HOST_GROUP => "hostgroup",
                _ => "image",
            };
            let kind = number(body, &format!("label_type_{name}"));
            (kind, text(body, &format!("label_string_{name}")))
        } else {
            (number(body, "label_type"), "")
        };
        match kind {
            LABEL => Some(self.text(element, state, text(element.body, "label"))),
            ADDRESS => {
                let address = element.host.filter(|_| element.kind == HOST);
                Some(
                    address
                        .and_then(|it| lang::macros::of_host(it, None, "HOST.IP"))
                        .unwrap_or_default(),
                )
            }
            // An image has no other name.
            NAME if element.targets.is_empty() => {
                Some(self.text(element, state, text(element.body, "label")))
            }
            NAME => Some(element.name.clone()),
            STATUS => Some(String::new()),
            CUSTOM => Some(self.text(element, state, custom)),
            _ => None,
        }
    }

    pub(super) fn text(&self, element: &Element<'_>, state: &State, written: &str) -> String {
        if !written.contains('{') {
            return written.to_owned();
        }
        let of_trigger = match element.kind {
            TRIGGER => element.targets.first().and_then(|it| it.parse().ok()).map(TriggerId),
            _ => None,
        };
        let text = of_trigger.map_or_else(
            || written.to_owned(),
            |id| trigger_text(self.ctx, id, written).unwrap_or_else(|| written.to_owned()),
        );
        self.replaced(&text, element.host, &|name| match name {
            "HOSTGROUP.ID" if element.kind == HOST_GROUP => element.targets.first().cloned(),
            "TRIGGER.ID" if element.kind == TRIGGER => element.targets.first().cloned(),
            "MAP.ID" if element.kind == SUBMAP => element.targets.first().cloned(),
            "MAP.NAME" if element.kind == SUBMAP => Some(element.name.clone()),
            _ => count(state, name).map(|it| it.to_string()),
        })
    }

    /// The label of a link; macros are about its first end.
    pub(super) fn of_link(&self, end: Option<&Element<'_>>, link: &Body) -> String {
        let host = end.and_then(|it| it.host);
        self.replaced(text(link, "label"), host, &|_| None)
    }

    /// The text of a shape.
    pub(super) fn of_map(&self, written: &str) -> String {
        self.replaced(written, None, &|name| match name {
            "MAP.ID" => Some(self.map.id.to_string()),
            "MAP.NAME" => Some(self.map.text("name").to_owned()),
            _ => None,
        })
    }

    fn replaced(
        &self,
        written: &str,
        host: Option<&Arc<Host>>,
        more: &dyn Fn(&str) -> Option<String>,
    ) -> String {
        if !written.contains('{') {
            return written.to_owned();
        }
        let ctx = self.ctx;
        let env = FuncEnv { now: ctx.now, ..FuncEnv::new(ctx.db().zone()) };
        substitute(written, Search::TEXT, &env, &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => {
                let value = host.map(|it| HostMacros::lazy(ctx, it).text(inner));
                value.filter(|it| it != inner).into()
            }
            TokenKind::Macro | TokenKind::FuncMacro => {
                let name = inner.trim_start_matches('{').trim_end_matches('}');
                let (name, index) = split_index(name);
                if let Some(value) = more(name) {
                    return Resolution::Value(value);
                }
                let host = host.filter(|_| index == 1);
                host.and_then(|it| of_host(ctx, it, name)).into()
            }
            TokenKind::Expression | TokenKind::ExpressionFunc => {
                let n = self.n_expressions.replace(self.n_expressions.get() + 1);
                if EXPRESSIONS_MAX <= n {
                    return Resolution::Unknown;
                }
                let expression = inner.trim_start_matches("{?").trim_end_matches('}');
                evaluate::in_text(ctx, host, expression)
                    .map_or(Resolution::Unknown, Resolution::Value)
            }
            _ => Resolution::Keep,
        })
    }
}

fn of_host(ctx: &Ctx, host: &Arc<Host>, name: &str) -> Option<String> {
    lang::macros::of_host(host, None, name).or_else(|| {
        let number = inventory_number(name)?;
        let inventory = ctx.snapshot.inventories.get(&host.id);
        Some(inventory.map_or("", |it| it.get(number)).to_owned())
    })
}

/// Macros that count problems.
fn count(state: &State, name: &str) -> Option<usize> {
    let acknowledged = state.n_problems - state.n_unacknowledged;
    let triggers_unacknowledged = state.unacknowledged_triggers.len();
    Some(match name {
        "TRIGGER.EVENTS.ACK"
        | "TRIGGER.EVENTS.PROBLEM.ACK"
        | "TRIGGER.PROBLEM.EVENTS.PROBLEM.ACK" => acknowledged,
        "TRIGGER.EVENTS.UNACK"
        | "TRIGGER.EVENTS.PROBLEM.UNACK"
        | "TRIGGER.PROBLEM.EVENTS.PROBLEM.UNACK" => state.n_unacknowledged,
        "TRIGGERS.ACK" | "TRIGGERS.PROBLEM.ACK" => state.triggers.len() - triggers_unacknowledged,
        "TRIGGERS.UNACK" | "TRIGGERS.PROBLEM.UNACK" => triggers_unacknowledged,
        _ => return None,
    })
}
