//! User macros: their texts, and which value counts where.
//!
//! The order (the first that fits): a context match on the host, then on its templates by depth; a
//! global context match; the macro without context on the host, then its templates; the global one.
//! On each level an exact context comes before a regular expression.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use model::HostId;
use model::content::{HostMacro, MacroType};
use model::map::Map;
use thiserror::Error;

use super::token::user_macro_at;
use formats::regexp::Regexp;

/// The text shown in place of secrets.
pub const SECRET: &str = "******";

/// A parsed user macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMacro<'t> {
    /// Without `{$` and `}`.
    pub name: &'t str,
    /// Unquoted.
    pub context: Option<Cow<'t, str>>,
    /// The context is a regular expression; in definitions only.
    pub is_regex: bool,
}

impl<'t> UserMacro<'t> {
    /// The same for the same macro, however its context is written.
    #[must_use]
    pub fn key(&self) -> String {
        match &self.context {
            None => self.name.to_owned(),
            Some(it) if self.is_regex => format!("{}:regex:{it}", self.name),
            Some(it) => format!("{}::{it}", self.name),
        }
    }

    /// A macro as it is used: `regex:` is part of the context.
    #[must_use]
    pub fn parse_use(text: &'t str) -> Option<Self> {
        Self::parse(text, false)
    }

    /// A macro as it is defined.
    #[must_use]
    pub fn parse_definition(text: &'t str) -> Option<Self> {
        Self::parse(text, true)
    }

    fn parse(text: &'t str, regex_contexts: bool) -> Option<Self> {
        let spans = user_macro_at(text.as_bytes(), regex_contexts)?;
        if spans.len != text.len() {
            return None;
        }
        let context = match spans.context {
            Some(range) => Some(unquote_context(text.get(range)?)),
            None => None,
        };
        Some(Self { name: text.get(spans.name)?, context, is_regex: spans.is_regex })
    }
}

fn unquote_context(written: &str) -> Cow<'_, str> {
    match written.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
        Some(inner) if inner.contains("\\\"") => Cow::Owned(inner.replace("\\\"", "\"")),
        Some(inner) => Cow::Borrowed(inner),
        None => Cow::Borrowed(written),
    }
}

/// A context that can't be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("quoted context \"{0}\" cannot end with '\\' character")]
pub struct ContextError(pub String);

/// `context` as it is written in a macro: quoted if it must be (or `force`).
///
/// # Errors
/// If it must be quoted but ends with a backslash.
pub fn quote_context(context: &str, force: bool) -> Result<String, ContextError> {
    let must = context.starts_with(['"', ' ']) || context.contains('}');
    if context.ends_with('\\') {
        return if must { Err(ContextError(context.to_owned())) } else { Ok(context.to_owned()) };
    }
    if !must && !force {
        return Ok(context.to_owned());
    }
    Ok(format!("\"{}\"", context.replace('"', "\\\"")))
}

/// A macro with its value.
#[derive(Debug, Clone)]
pub struct MacroDefinition {
    context: Context,
    /// The value; of a vault macro the path.
    pub value: Arc<str>,
    /// The kind: visibility of the value.
    pub kind: MacroType,
}

#[derive(Debug, Clone)]
enum Context {
    None,
    Exact(Box<str>),
    Regex(Regexp),
    /// A regular expression that does not compile matches nothing.
    Broken,
}

impl MacroDefinition {
    fn matches(&self, context: &str) -> bool {
        match &self.context {
            Context::Exact(it) => &**it == context,
            Context::Regex(it) => it.is_match(context).unwrap_or(false),
            Context::None | Context::Broken => false,
        }
    }
}

/// The macros of one host, one template, or the global ones.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// By name: exact contexts first, then regular expressions, each in the order of their texts.
    macros: Map<Box<str>, Vec<MacroDefinition>>,
}

impl Layer {
    /// Parses macros; malformed ones are left out.
    #[must_use]
    pub fn new(macros: &[HostMacro]) -> Self {
        let mut sorted: Vec<&HostMacro> = macros.iter().collect();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        let mut layer = Self::default();
        for it in sorted {
            layer.add(&it.name, &it.value, it.kind);
        }
        layer
    }

    fn add(&mut self, text: &str, value: &str, kind: MacroType) {
        let Some(parsed) = UserMacro::parse_definition(text) else { return };
        let context = match parsed.context {
            None => Context::None,
            Some(it) if parsed.is_regex => Regexp::new(&it).map_or(Context::Broken, Context::Regex),
            Some(it) => Context::Exact(it.into()),
        };
        let rank = |it: &Context| u8::from(!matches!(it, Context::Exact(_)));
        let definitions = self.macros.entry(parsed.name.into()).or_default();
        let at = definitions.partition_point(|it| rank(&it.context) <= rank(&context));
        definitions.insert(at, MacroDefinition { context, value: value.into(), kind });
    }

    /// Are there no macros?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.macros.is_empty()
    }

    fn with_context(&self, name: &str, context: &str) -> Option<&MacroDefinition> {
        self.macros.get(name)?.iter().find(|it| it.matches(context))
    }

    fn base(&self, name: &str) -> Option<&MacroDefinition> {
        self.macros.get(name)?.iter().find(|it| matches!(it.context, Context::None))
    }
}

/// All layers that count for one host.
#[derive(Debug, Clone, Copy)]
pub struct Layers<'a> {
    /// The host, then its templates level by level (see [`breadth_first`]).
    pub host: &'a [&'a Layer],
    /// The global macros.
    pub global: &'a Layer,
}

impl<'a> Layers<'a> {
    /// The value of a macro as written (`{$NAME:context}`).
    #[must_use]
    pub fn resolve(&self, written: &str) -> Option<&'a MacroDefinition> {
        self.find(&UserMacro::parse_use(written)?)
    }

    /// The value of a macro.
    #[must_use]
    pub fn find(&self, wanted: &UserMacro<'_>) -> Option<&'a MacroDefinition> {
        let name = wanted.name;
        if let Some(context) = &wanted.context {
            let on_host = self.host.iter().find_map(|it| it.with_context(name, context));
            if let Some(found) = on_host.or_else(|| self.global.with_context(name, context)) {
                return Some(found);
            }
        }
        self.host.iter().find_map(|it| it.base(name)).or_else(|| self.global.base(name))
    }
}

/// The order of layers: `hosts`, then the templates that they link, level by level, those of one level by id;
/// each once.
#[must_use]
pub fn breadth_first(
    hosts: &[HostId],
    templates_of: &mut dyn FnMut(HostId) -> Vec<HostId>,
) -> Vec<HostId> {
    let mut seen = BTreeSet::new();
    let mut order: Vec<HostId> = hosts.iter().copied().filter(|it| seen.insert(*it)).collect();
    let mut level = 0..order.len();
    while !level.is_empty() {
        let mut next: Vec<HostId> =
            order[level.clone()].iter().flat_map(|it| templates_of(*it)).collect();
        next.sort_unstable();
        next.retain(|it| seen.insert(*it));
        level = order.len()..order.len() + next.len();
        order.extend(next);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(macros: &[(&str, &str)]) -> Layer {
        let mut layer = Layer::default();
        for (name, value) in macros {
            layer.add(name, value, MacroType::Text);
        }
        layer
    }

    #[test]
    fn a_global_context_beats_the_base_macro_of_the_host() {
        let host =
            layer(&[("{$M}", "host base"), ("{$N:regex:^a}", "regex"), ("{$N:ab}", "exact")]);
        let global = layer(&[("{$M:x}", "global context"), ("{$M}", "global base")]);
        let layers = Layers { host: &[&host], global: &global };
        let value = |it: &str| layers.resolve(it).map(|it| it.value.to_string());
        assert_eq!(value("{$M:x}").as_deref(), Some("global context"));
        assert_eq!(value("{$M:y}").as_deref(), Some("host base"));
        assert_eq!(value("{$N:\"ab\"}").as_deref(), Some("exact"));
        assert_eq!(value("{$N:abc}").as_deref(), Some("regex"));
        assert_eq!(value("{$N:b}"), None);
    }

    #[test]
    fn templates_count_level_by_level_and_by_id() {
        let mut templates = |it: HostId| match it.0 {
            1 => vec![HostId(9), HostId(5)],
            5 => vec![HostId(2)],
            9 => vec![HostId(5), HostId(1)],
            _ => vec![],
        };
        let order: Vec<u64> =
            breadth_first(&[HostId(1)], &mut templates).into_iter().map(|it| it.0).collect();
        assert_eq!(order, [1, 5, 9, 2]);
    }
}
