//! Macros of texts that the API shows: user macros, and the built-in ones of trigger names.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use lang::macros::{Answer, FuncEnv, Layer, Layers, SECRET, Search, TokenKind, split_index};
use model::content::{Interface, MacroType, Tag};
use model::snapshot::{Discovered, Host, ItemRow};
use serde_json::Value;

use super::holder::templates_above;
use crate::json::item_value;
use crate::shared::Ctx;

/// The user macros that count for one host, gathered when the first one is met: most texts have
/// none.
pub(crate) struct HostMacros<'a> {
    ctx: &'a Ctx,
    host: &'a Host,
    layers: OnceCell<(Vec<Layer>, Layer)>,
}

impl<'a> HostMacros<'a> {
    pub(crate) fn lazy(ctx: &'a Ctx, host: &'a Host) -> Self {
        Self { ctx, host, layers: OnceCell::new() }
    }

    fn get(&self, written: &str) -> Option<String> {
        let (host, global) = self.layers.get_or_init(|| {
            let mut layers = vec![Layer::new(&self.host.macros)];
            let above = templates_above(self.ctx, self.host);
            layers.extend(above.iter().map(|it| Layer::new(&it.macros)));
            (layers, Layer::new(&self.ctx.snapshot.globals.macros))
        });
        let host: Vec<&Layer> = host.iter().collect();
        let found = Layers { host: &host, global }.resolve(written)?;
        let is_shown = found.kind == MacroType::Text;
        Some(if is_shown { found.value.to_string() } else { SECRET.to_owned() })
    }

    /// A text with user macros replaced.
    pub(crate) fn text(&self, text: &str) -> String {
        let env = FuncEnv { now: self.ctx.now, ..FuncEnv::new(self.ctx.db().zone()) };
        lang::macros::substitute_user(text, &env, &mut |it| self.get(it))
    }
}

impl HostMacros<'_> {
    /// A text of an object that is tried out: macros with a value that is typed in have it, discovery
    /// macros too; other user macros have theirs.
    pub(crate) fn text_with(&self, text: &str, typed: &BTreeMap<&str, &str>) -> String {
        let known = |it: &str| typed.get(it).map(|it| (*it).to_owned());
        let env = FuncEnv { now: self.ctx.now, ..FuncEnv::new(self.ctx.db().zone()) };
        lang::macros::substitute(text, Search::BASIC, &env, &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => {
                known(inner).or_else(|| self.get(inner)).into()
            }
            TokenKind::LldMacro | TokenKind::LldFuncMacro => known(inner).into(),
            _ => Answer::Keep,
        })
    }
}

/// The name of an item as people read it.
pub(crate) fn name(ctx: &Ctx, holder: &Host, row: &ItemRow) -> String {
    HostMacros::lazy(ctx, holder).text(&row.name())
}

/// A text of content with the values of a discovered row. Most are one macro, or none.
pub(crate) fn of_row<'a>(ctx: &Ctx, text: &'a str, found: &'a Discovered) -> Cow<'a, str> {
    if !text.contains("{#") {
        return Cow::Borrowed(text);
    }
    if let Some(value) = found.row.get(text) {
        return Cow::Borrowed(value);
    }
    discovered_text(ctx, text, Some(found)).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The tags of an item as it shows them.
pub(crate) fn row_tags<'a>(ctx: &Ctx, row: &'a ItemRow) -> Cow<'a, [Tag]> {
    let tags = &row.content.tags;
    let has_macros = |it: &Tag| it.tag.contains("{#") || it.value.contains("{#");
    match row.discovered().filter(|_| tags.iter().any(has_macros)) {
        None => Cow::Borrowed(tags),
        Some(found) => {
            let text = |it: &str| of_row(ctx, it, found).into_owned();
            tags.iter().map(|it| Tag { tag: text(&it.tag), value: text(&it.value) }).collect()
        }
    }
}

/// A text of content that may hold LLD macros, as a discovered object shows it.
pub(crate) fn discovered_text(
    ctx: &Ctx,
    text: &str,
    discovered: Option<&Discovered>,
) -> Option<String> {
    let found = discovered.filter(|_| text.contains("{#"))?;
    let row = lang::lld::RowIn::new(&found.row, ctx.db().zone());
    lang::lld::expand_text(text, row, lang::lld::Target::Text).ok()
}

/// A field of content as a discovered object shows it: LLD macros have the values of its row, in
/// lists as well.
pub(crate) fn discovered(ctx: &Ctx, value: Value, found: Option<&Discovered>) -> Value {
    if found.is_none() {
        return value;
    }
    match value {
        Value::String(it) => Value::String(discovered_text(ctx, &it, found).unwrap_or(it)),
        Value::Array(list) => list.into_iter().map(|it| discovered(ctx, it, found)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, it)| (name, discovered(ctx, it, found))).collect()
        }
        other => other,
    }
}

/// What the built-in macros of a trigger's texts are about.
pub(crate) struct TriggerText<'a> {
    pub(crate) ctx: &'a Ctx,
    /// Of the functions, in order.
    pub(crate) items: &'a [(&'a Arc<Host>, &'a ItemRow)],
    pub(crate) holder: &'a Arc<Host>,
}

impl TriggerText<'_> {
    /// A name, comment or other text of a trigger with its macros replaced.
    pub(crate) fn expand(&self, text: &str) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        let macros = HostMacros::lazy(self.ctx, self.holder);
        let env = FuncEnv { now: self.ctx.now, ..FuncEnv::new(self.ctx.db().zone()) };
        lang::macros::substitute(text, Search::BASIC, &env, &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => macros.get(inner).into(),
            TokenKind::Macro | TokenKind::FuncMacro => self.built_in(inner),
            _ => Answer::Keep,
        })
    }

    fn built_in(&self, inner: &str) -> Answer {
        let name = inner.trim_start_matches('{').trim_end_matches('}');
        let (name, index) = split_index(name);
        let Some((host, row)) = self.items.get(index - 1) else {
            return if is_known(name) { Answer::Unknown } else { Answer::Keep };
        };
        let value = match name {
            "HOST.HOST" | "HOSTNAME" => Some(host.host.to_string()),
            "HOST.NAME" => Some(host.name.to_string()),
            "HOST.ID" => Some(host.id.to_string()),
            "HOST.IP" | "IPADDRESS" => host.interface_of(row).map(|it| it.ip.clone()),
            "HOST.DNS" => host.interface_of(row).map(|it| it.dns.clone()),
            "HOST.CONN" => host.interface_of(row).map(connection),
            "HOST.PORT" => host.interface_of(row).map(|it| it.port.clone()),
            "ITEM.NAME" => Some(row.name().into_owned()),
            "ITEM.KEY" => Some(row.key().into_owned()),
            "ITEM.ID" => Some(row.id.to_string()),
            "ITEM.VALUE" | "ITEM.LASTVALUE" => {
                let live = self.ctx.ports().live.item(row.id);
                live.last.map(|it| shown_value(self.ctx, host, row, &it.value))
            }
            _ => return Answer::Keep,
        };
        value.map_or(Answer::Unknown, Answer::Value)
    }
}

fn is_known(name: &str) -> bool {
    let of_host = ["HOST.HOST", "HOSTNAME", "HOST.NAME", "HOST.IP", "HOST.DNS", "HOST.CONN"];
    of_host.contains(&name) || name.starts_with("ITEM.")
}

fn connection(it: &Interface) -> String {
    if it.useip { it.ip.clone() } else { it.dns.clone() }
}

/// A value as people read it: mapped, else with units.
pub(crate) fn shown_value(
    ctx: &Ctx,
    holder: &Arc<Host>,
    row: &ItemRow,
    value: &model::Value,
) -> String {
    let map = super::item_fields::valuemap_of(ctx, holder, row);
    match map {
        Some(map) => match lang::value::mapped(value, &map.mappings) {
            Some(name) => format!("{name} ({})", item_value(value)),
            None => item_value(value),
        },
        None => item_value(value),
    }
}
