//! Macros of texts that the API shows: user macros, and the built-in ones of trigger names.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use lang::macros::{FuncEnv, Layer, Layers, Resolution, SECRET, Search, TokenKind, split_index};
use model::ValueType;
use model::content::{MacroType, Tag};
use model::snapshot::{Discovered, Host, ItemRow};
use serde_json::Value;

use crate::json::item_value;
use crate::objects::common::holder::templates_above;
use crate::objects::common::refs::Item;
use crate::shared::{Ctx, ExpandContext};

/// The user macros that count for one host, gathered when the first one is met: most texts have
/// none.
pub(crate) struct HostMacros<'a> {
    view: ExpandContext<'a>,
    host: &'a Host,
    layers: OnceCell<(Vec<Layer>, Layer)>,
}

impl<'a> HostMacros<'a> {
    pub(crate) fn lazy(view: impl Into<ExpandContext<'a>>, host: &'a Host) -> Self {
        Self { view: view.into(), host, layers: OnceCell::new() }
    }

    fn get(&self, written: &str) -> Option<String> {
        let (host, global) = self.layers.get_or_init(|| {
            let mut layers = vec![Layer::new(&self.host.macros)];
            let above = templates_above(self.view.snapshot, self.host);
            layers.extend(above.iter().map(|it| Layer::new(&it.macros)));
            (layers, Layer::new(&self.view.snapshot.globals.macros))
        });
        let host: Vec<&Layer> = host.iter().collect();
        let found = Layers { host: &host, global }.resolve(written)?;
        let is_shown = found.kind == MacroType::Text;
        Some(if is_shown { found.value.to_string() } else { SECRET.to_owned() })
    }

    /// A text with user macros replaced.
    pub(crate) fn text(&self, text: &str) -> String {
        let env = FuncEnv { now: self.view.now, ..FuncEnv::new(self.view.zone()) };
        lang::macros::substitute_user(text, &env, &mut |it| self.get(it))
    }
}

impl HostMacros<'_> {
    /// A text of a tested object: macros with a given value have it, discovery macros too; other user macros
    /// have theirs.
    pub(crate) fn text_with(&self, text: &str, typed: &BTreeMap<&str, &str>) -> String {
        let known = |it: &str| typed.get(it).map(|it| (*it).to_owned());
        let env = FuncEnv { now: self.view.now, ..FuncEnv::new(self.view.zone()) };
        lang::macros::substitute(text, Search::BASIC, &env, &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => {
                known(inner).or_else(|| self.get(inner)).into()
            }
            TokenKind::LldMacro | TokenKind::LldFuncMacro => known(inner).into(),
            _ => Resolution::Keep,
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
pub(crate) fn discovered_text<'a>(
    view: impl Into<ExpandContext<'a>>,
    text: &str,
    discovered: Option<&Discovered>,
) -> Option<String> {
    let found = discovered.filter(|_| text.contains("{#"))?;
    let row = lang::lld::RowIn::new(&found.row, view.into().zone());
    lang::lld::expand_text(text, row, lang::lld::EscapeTarget::Text).ok()
}

/// Preprocessing steps as a discovered item shows them: values are written as each step takes them.
pub(crate) fn discovered_steps(ctx: &Ctx, steps: Value, found: Option<&Discovered>) -> Value {
    let (Value::Array(steps), Some(by)) = (steps.clone(), found) else { return steps };
    let row = lang::lld::RowIn::new(&by.row, ExpandContext::from(ctx).zone());
    let shown = |step: Value| {
        let kind = step.get("type").and_then(Value::as_str).and_then(|it| it.parse().ok());
        let kind = kind.and_then(model::content::Step::from_code);
        let params = step.get("params").and_then(Value::as_str);
        let params =
            kind.zip(params).and_then(|(kind, it)| lang::lld::expand_step(kind, it, row).ok());
        let mut step = discovered(ctx, step, found);
        if let (Some(params), Some(fields)) = (params, step.as_object_mut()) {
            fields.insert("params".to_owned(), Value::String(params));
        }
        step
    };
    Value::Array(steps.into_iter().map(shown).collect())
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

/// Which values `{ITEM.VALUE}` means.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    /// The present values.
    Newest,
    /// The values of an event, by number of the function.
    Event(&'a [(usize, String)]),
}

/// The subject of the built-in macros of a trigger's texts.
pub(crate) struct TriggerText<'a> {
    pub(crate) view: ExpandContext<'a>,
    /// Of the functions, in order.
    pub(crate) items: &'a [Option<Item<'a>>],
    pub(crate) holder: &'a Arc<Host>,
    pub(crate) values: Values<'a>,
}

impl TriggerText<'_> {
    /// A name, comment or other text of a trigger with its macros replaced.
    pub(crate) fn expand(&self, text: &str) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        let macros = HostMacros::lazy(self.view, self.holder);
        let env = FuncEnv { now: self.view.now, ..FuncEnv::new(self.view.zone()) };
        lang::macros::substitute(text, Search::BASIC, &env, &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => macros.get(inner).into(),
            TokenKind::Macro | TokenKind::FuncMacro => self.built_in(inner, token.func.is_some()),
            _ => Resolution::Keep,
        })
    }

    /// `is_raw`: for a macro function.
    fn built_in(&self, inner: &str, is_raw: bool) -> Resolution {
        let name = inner.trim_start_matches('{').trim_end_matches('}');
        let (name, index) = split_index(name);
        let value_only = matches!(name, "ITEM.VALUE" | "ITEM.LASTVALUE");
        let of_log = name.strip_prefix("ITEM.LOG.").is_some_and(lang::macros::is_of_log);
        if !(value_only || OF_HOSTS.contains(&name) || of_log) {
            return Resolution::Keep;
        }
        let item = index.checked_sub(1).and_then(|it| *self.items.get(it)?);
        let Some((host, row)) = item else { return Resolution::Unknown };
        let newest = || self.view.shared.ports.live.item(row.id).last.map(|it| it.value);
        let value = match name {
            // Pages mean the main interface of a host, whatever the item uses.
            _ if OF_HOSTS.contains(&name) => lang::macros::of_host(host, None, name),
            "ITEM.VALUE" | "ITEM.LASTVALUE" => {
                let value = match self.values {
                    Values::Event(kept) if name == "ITEM.VALUE" => {
                        let kept = kept.iter().find(|it| it.0 == index);
                        kept.and_then(|it| read_back(&it.1, row.content.value_type))
                    }
                    _ => newest(),
                };
                value.map(|it| if is_raw { item_value(&it) } else { self.shown(host, row, &it) })
            }
            _ => newest().and_then(|it| self.of_log(name, &it)),
        };
        value.map_or(Resolution::Unknown, Resolution::Value)
    }

    fn shown(&self, host: &Arc<Host>, row: &ItemRow, value: &model::Value) -> String {
        let map = self.view.snapshot.value_map(host, row);
        let map = map.map(|it| it.mappings.as_slice()).unwrap_or_default();
        let content = &row.content;
        let zone = self.view.zone();
        lang::value::on_pages(value, content.value_type, &content.units, map, zone)
    }

    fn of_log(&self, name: &str, value: &model::Value) -> Option<String> {
        let model::Value::Log(entry) = value else { return None };
        let zone = self.view.zone();
        let time = |format: &str| {
            let (wall, _) = lang::calendar::local(entry.timestamp, zone)?;
            Some(wall.strftime(format).to_string())
        };
        match name.strip_prefix("ITEM.LOG.")? {
            "DATE" => time("%Y.%m.%d"),
            "TIME" => time("%H:%M:%S"),
            "TIMESTAMP" => Some(entry.timestamp.to_string()),
            "AGE" => Some(lang::value::age(self.view.now.clock() - entry.timestamp)),
            "SOURCE" => Some(entry.source.clone()),
            "SEVERITY" => Some(self.severity_name(entry.severity)),
            "NSEVERITY" => Some(entry.severity.to_string()),
            "EVENTID" => Some(entry.logeventid.to_string()),
            _ => None,
        }
    }

    /// As pages name severities, which are those of triggers.
    fn severity_name(&self, code: i32) -> String {
        let names = &self.view.snapshot.globals.settings.severity_names;
        let name = usize::try_from(code).ok().and_then(|it| names.get(it));
        name.map_or_else(|| "Unknown".to_owned(), |it| it.to_string())
    }
}

/// Macros about the host of an item.
const OF_HOSTS: [&str; 8] = [
    "HOST.HOST",
    "HOSTNAME",
    "HOST.NAME",
    "HOST.IP",
    "IPADDRESS",
    "HOST.DNS",
    "HOST.CONN",
    "HOST.PORT",
];

/// A value that an event kept, as one of the item's type.
fn read_back(kept: &str, kind: ValueType) -> Option<model::Value> {
    Some(match kind {
        ValueType::Float => model::Value::Float(kept.parse().ok()?),
        ValueType::Unsigned => model::Value::Unsigned(kept.parse().ok()?),
        _ => model::Value::Text(kept.into()),
    })
}
