//! Macros of one host: which value counts, and replacing them in texts.

use std::sync::Arc;

use jiff::tz::TimeZone;
use lang::lld::{RowIn, expand_step};
use lang::macros::{
    FuncEnv, Layer, Layers, Resolution, SECRET, Search, TokenKind, breadth_first, substitute,
    substitute_user, tokens,
};
use model::content::{MacroType, PreprocStep};
use model::map::Map;
use model::snapshot::{Globals, Host, LldRow, Snapshot};
use model::{HostId, content::InterfaceType};
use preprocess::Secret;

/// The user macros that count for a host. Shared by hosts that have the same ones.
#[derive(Debug)]
pub struct HostMacros {
    chain: Vec<Arc<Layer>>,
    global: Arc<Layer>,
    /// Of the server: for functions of macros that write times.
    zone: TimeZone,
}

impl HostMacros {
    /// The value of a macro as written, `{$NAME:context}`. A vault macro has none.
    #[must_use]
    pub fn resolve(&self, written: &str) -> Option<Arc<str>> {
        self.found(written).filter(|it| it.1 != MacroType::Vault).map(|it| it.0)
    }

    /// As [`Self::resolve`], for texts that people read: a secret one is asterisks.
    #[must_use]
    pub fn shown(&self, written: &str) -> Option<Arc<str>> {
        let (value, kind) = self.found(written)?;
        Some(if kind == MacroType::Text { value } else { SECRET.into() })
    }

    /// Which secret of the vault a macro is, if it is one: path and key.
    #[must_use]
    pub fn vault_secret(&self, written: &str) -> Option<Arc<str>> {
        self.found(written).filter(|it| it.1 == MacroType::Vault).map(|it| it.0)
    }

    /// The value of a macro as written, of whatever type.
    pub(crate) fn found(&self, written: &str) -> Option<(Arc<str>, MacroType)> {
        let chain: Vec<&Layer> = self.chain.iter().map(AsRef::as_ref).collect();
        let layers = Layers { host: &chain, global: &self.global };
        let found = layers.resolve(written)?;
        Some((Arc::clone(&found.value), found.kind))
    }

    /// Replaces discovery macros by the row's values, then user macros. Unknown macros stay.
    #[must_use]
    pub fn expand(&self, text: &str, row: Option<&LldRow>) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        let text = self.expand_row(text, row);
        substitute_user(&text, &self.env(), &mut |it| self.resolve(it).map(|it| it.to_string()))
    }

    /// As [`Self::expand`], for texts that people read.
    #[must_use]
    pub fn expand_shown(&self, text: &str, row: Option<&LldRow>) -> String {
        if !text.contains('{') {
            return text.to_owned();
        }
        let text = self.expand_row(text, row);
        substitute_user(&text, &self.env(), &mut |it| self.shown(it).map(|it| it.to_string()))
    }

    /// As [`Self::expand`], for who has secrets of the vault when it is time: their macros stand as they are written, here
    /// with their places and what they name.
    #[must_use]
    pub fn expand_around_secrets(&self, text: &str, row: Option<&LldRow>) -> (String, Vec<Secret>) {
        let text = self.expand_row(text, row);
        let mut secrets = Vec::new();
        if !text.contains("{$") {
            return (text, secrets);
        }
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for token in tokens(&text, Search::BASIC) {
            if !matches!(token.kind, TokenKind::UserMacro | TokenKind::UserFuncMacro) {
                continue;
            }
            let written = text.get(token.macro_span).unwrap_or_default();
            let Some(name) = self.vault_secret(written) else { continue };
            out.push_str(&self.expand(text.get(done..token.span.start).unwrap_or_default(), None));
            let from = out.len();
            out.push_str(text.get(token.span.clone()).unwrap_or_default());
            secrets.push(Secret { place: from..out.len(), name });
            done = token.span.end;
        }
        out.push_str(&self.expand(text.get(done..).unwrap_or_default(), None));
        (out, secrets)
    }

    /// Values of secret macros in a text, and what functions make of them there.
    pub(crate) fn hidden_in(&self, text: &str, row: Option<&LldRow>) -> Vec<String> {
        let mut hidden = Vec::new();
        if !text.contains("{$") {
            return hidden;
        }
        let text = self.expand_row(text, row);
        for token in tokens(&text, Search::BASIC) {
            if !matches!(token.kind, TokenKind::UserMacro | TokenKind::UserFuncMacro) {
                continue;
            }
            let written = text.get(token.macro_span).unwrap_or_default();
            if let Some((value, MacroType::Secret)) = self.found(written) {
                hidden.push(value.to_string());
                hidden.push(self.expand(text.get(token.span).unwrap_or_default(), None));
            }
        }
        hidden
    }

    fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The dependencies of functions of macros.
    pub fn env(&self) -> FuncEnv<'_> {
        FuncEnv::new(&self.zone)
    }

    /// Replaces discovery macros by the row's values, also inside contexts of user macros.
    #[must_use]
    pub fn expand_row(&self, text: &str, row: Option<&LldRow>) -> String {
        let Some(row) = row.filter(|_| text.contains("{#")) else { return text.to_owned() };
        let value_of = |name: &str| row.get(name).map(str::to_owned);
        substitute(text, Search::BASIC, &self.env(), &mut |token, inner| match token.kind {
            TokenKind::LldMacro | TokenKind::LldFuncMacro => value_of(inner).into(),
            TokenKind::UserMacro if inner.contains("{#") => {
                let mut filled = inner.to_owned();
                for (name, value) in row.iter() {
                    filled = filled.replace(name, value);
                }
                Resolution::Value(filled)
            }
            _ => Resolution::Keep,
        })
    }
}

/// Replaces macros in texts of one object: those of its discovery row, then user macros.
#[derive(Clone, Copy)]
pub(crate) struct Expand<'a> {
    pub(crate) macros: &'a HostMacros,
    pub(crate) row: Option<&'a LldRow>,
}

impl Expand<'_> {
    pub(crate) fn text(&self, text: &str) -> String {
        self.macros.expand(text, self.row)
    }

    /// As [`Self::text`], for texts that people read.
    pub(crate) fn shown(&self, text: &str) -> String {
        self.macros.expand_shown(text, self.row)
    }

    /// Parameters of a step, with values of the row that made its item as the step takes them.
    pub(crate) fn of_step(&self, step: &PreprocStep) -> String {
        let Some(row) = self.row else { return step.params.clone() };
        // A value that cannot stand there leaves the parameters as they are: the step says so.
        expand_step(step.kind, &step.params, RowIn::new(row, self.macros.zone()))
            .unwrap_or_else(|_unquotable| step.params.clone())
    }

    pub(crate) fn around_secrets(&self, text: &str) -> (String, Vec<Secret>) {
        self.macros.expand_around_secrets(text, self.row)
    }

    pub(crate) fn hidden_in(&self, text: &str) -> Vec<String> {
        self.macros.hidden_in(text, self.row)
    }
}

/// Layers by holder, and sets of macros by their layers, so that equal ones are shared.
#[derive(Debug)]
pub(super) struct MacroCache {
    zone: TimeZone,
    layers: Map<HostId, (Arc<Host>, Arc<Layer>)>,
    sets: Map<Vec<usize>, Arc<HostMacros>>,
    global: Option<(Arc<Globals>, Arc<Layer>)>,
}

impl MacroCache {
    pub(super) fn new(zone: TimeZone) -> Self {
        Self { zone, layers: Map::default(), sets: Map::default(), global: None }
    }

    pub(super) fn of(&mut self, snapshot: &Snapshot, host: &Arc<Host>) -> Arc<HostMacros> {
        let global = self.global(snapshot);
        let order = breadth_first(&[host.id], &mut |it| {
            snapshot.holder(it).map(|it| it.templates.clone()).unwrap_or_default()
        });
        let holders = order.iter().filter_map(|it| snapshot.holder(*it));
        let chain: Vec<Arc<Layer>> =
            holders.filter(|it| !it.macros.is_empty()).map(|it| self.layer(it)).collect();
        let key: Vec<usize> = chain.iter().map(|it| Arc::as_ptr(it).addr()).collect();
        let zone = &self.zone;
        let set = || Arc::new(HostMacros { chain, global, zone: zone.clone() });
        Arc::clone(self.sets.entry(key).or_insert_with(set))
    }

    fn layer(&mut self, holder: &Arc<Host>) -> Arc<Layer> {
        if let Some((known, layer)) = self.layers.get_mut(&holder.id) {
            if known.macros == holder.macros {
                // The former host need not live on with all of its rows.
                *known = Arc::clone(holder);
                return Arc::clone(layer);
            }
            // Sets keep their layers alive, so addresses of replaced ones are not given out again.
            *known = Arc::clone(holder);
            *layer = Arc::new(Layer::new(&holder.macros));
            return Arc::clone(layer);
        }
        let layer = Arc::new(Layer::new(&holder.macros));
        self.layers.insert(holder.id, (Arc::clone(holder), Arc::clone(&layer)));
        layer
    }

    fn global(&mut self, snapshot: &Snapshot) -> Arc<Layer> {
        if let Some((known, layer)) = &self.global
            && Arc::ptr_eq(known, &snapshot.globals)
        {
            return Arc::clone(layer);
        }
        let layer = Arc::new(Layer::new(&snapshot.globals.macros));
        self.global = Some((Arc::clone(&snapshot.globals), Arc::clone(&layer)));
        self.sets.clear();
        layer
    }

    /// Forgets sets that no host uses any more.
    pub(super) fn prune(&mut self, snapshot: &Snapshot) {
        self.sets.retain(|_, it| 1 < Arc::strong_count(it));
        self.layers.retain(|id, _| snapshot.holder(*id).is_some());
    }
}

/// The built-in macros that texts of a host's objects may hold: `HOST.NAME`, `HOST.IP` and the like.
/// `None`: not one of these.
#[must_use]
pub fn host_macro(host: &Host, name: &str) -> Option<String> {
    let main = || {
        [InterfaceType::Agent, InterfaceType::Snmp, InterfaceType::Jmx, InterfaceType::Ipmi]
            .into_iter()
            .find_map(|kind| host.interfaces.iter().find(|it| it.main && it.kind == kind))
    };
    let unknown = || lang::macros::UNKNOWN.to_owned();
    Some(match name {
        "HOST.HOST" | "HOSTNAME" => host.host.to_string(),
        "HOST.NAME" => host.name.to_string(),
        "HOST.ID" => host.id.to_string(),
        "HOST.DESCRIPTION" => host.description.clone(),
        "HOST.IP" | "IPADDRESS" => main().map_or_else(unknown, |it| it.ip.clone()),
        "HOST.DNS" => main().map_or_else(unknown, |it| it.dns.clone()),
        "HOST.PORT" => main().map_or_else(unknown, |it| it.port.clone()),
        "HOST.CONN" => {
            main().map_or_else(unknown, |it| if it.useip { it.ip.clone() } else { it.dns.clone() })
        }
        _ => return None,
    })
}
