//! Expression macros of event names, `{?…}`: each is bound like the formula of a calculated item.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::expression::ItemQuery;
use lang::lld::{self, EscapeTarget, RowIn};
use lang::macros::{MacroToken, Search, TokenKind, split_index, tokens};
use model::snapshot::{LldRow, TriggerRow};

use super::compiler::Compiler;
use crate::layout::{BoundFormula, NameMacro};

/// An event name with the macros of its discovery row replaced; in expression macros quoted as keys
/// and parameters want it.
pub fn expanded<'t>(name: &'t str, row: Option<&LldRow>, zone: &TimeZone) -> Cow<'t, str> {
    let Some(row) = row.filter(|_| name.contains("{#")) else { return Cow::Borrowed(name) };
    match lld::expand_text(name, RowIn::new(row, zone), EscapeTarget::Text) {
        Ok(it) => Cow::Owned(it),
        // A text that can't be quoted stays as it is written: that macro has no value.
        Err(_) => Cow::Borrowed(name),
    }
}

/// The template of event names of a trigger.
pub fn event_name(trigger: &TriggerRow) -> Cow<'_, str> {
    let name = &trigger.content.event_name;
    if name.is_empty() { trigger.name() } else { Cow::Borrowed(name) }
}

/// The expression macros of a text.
pub fn expression_macros(text: &str) -> impl Iterator<Item = MacroToken> {
    let all = text.contains("{?").then(|| tokens(text, Search::TEXT));
    let is_it =
        |it: &MacroToken| matches!(it.kind, TokenKind::Expression | TokenKind::ExpressionFunc);
    all.into_iter().flatten().filter(is_it)
}

/// The expressions that an event name holds.
pub fn expressions_of(name: &str) -> impl Iterator<Item = &str> {
    expression_macros(name).filter_map(|it| name.get(it.name))
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

impl<'a> Compiler<'a> {
    /// The expression macros of a trigger's event name, each once.
    pub(super) fn name_macros(
        &mut self,
        it: &'a TriggerRow,
        items: &[Option<u32>],
    ) -> Box<[NameMacro]> {
        let row = it.discovered().map(|it| it.row.as_ref());
        let name = event_name(it);
        let name = expanded(&name, row, self.macros.env().zone);
        let mut macros: Vec<NameMacro> = Vec::new();
        for token in expression_macros(&name) {
            let text = slice(&name, token.macro_span);
            if macros.iter().all(|it| &*it.text != text) {
                let formula = self.name_formula(slice(&name, token.name), it, items);
                macros.push(NameMacro { text: text.into(), formula });
            }
        }
        macros.into()
    }

    fn name_formula(
        &mut self,
        text: &str,
        it: &'a TriggerRow,
        items: &[Option<u32>],
    ) -> Result<BoundFormula, Arc<str>> {
        self.formula(text, it.discovered(), Some(items))
    }

    /// Host and key that a query of an event name means: `/{HOST.HOST2}/{ITEM.KEY2}` those of the
    /// expression's second function, `//key` the host of the first. Unknown macros stay.
    pub(super) fn named(&self, query: ItemQuery<'_>, items: &[Option<u32>]) -> (String, String) {
        let position = |index: usize| *items.get(index.checked_sub(1)?)?;
        let host_index =
            if query.host.is_empty() { Some(1) } else { index_of(query.host, "HOST.HOST") };
        let host = host_index.and_then(position).map(|it| match self.rows.get(it as usize) {
            Some(_) => String::new(),
            None => self.names(it).0,
        });
        let key = index_of(query.key, "ITEM.KEY").and_then(position).map(|it| self.names(it).1);
        (host.unwrap_or_else(|| query.host.to_owned()), key.unwrap_or_else(|| query.key.to_owned()))
    }
}

/// The index of `{NAME}` or `{NAME2}`.
fn index_of(written: &str, name: &str) -> Option<usize> {
    let inner = written.strip_prefix('{')?.strip_suffix('}')?;
    let (found, index) = split_index(inner);
    (found == name).then_some(index)
}
