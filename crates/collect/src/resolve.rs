//! The values of macros in texts of the configuration on one host: user macros and the host's own.
//!
//! Layers of macros are parsed at first use and shared: those of a template by all its hosts. They
//! are found by the identity of the host or template in the snapshot, so that a change of the
//! configuration needs no notice here.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use formats::number::parse_duration_s;
use jiff::tz::TimeZone;
use lang::key::{ReplaceError, replace_oid, replace_params};
use lang::lld::{EscapeTarget, RowIn, expand_text};
use lang::macros::{
    FuncEnv, Layer, Layers, MacroToken, Resolution, Search, TokenKind, breadth_first,
    main_interface, substitute, tokens,
};
use model::HostId;
use model::content::{Interface, IpmiLogin, MacroType, SnmpDetails};
use model::map::Map;
use model::snapshot::{Globals, Host, ItemRow, LldRow, Snapshot};
use wire::snmp::Oid;

use crate::mibs::Mibs;
use crate::ports::Secrets;
use crate::secret_texts::SecretTexts;
use crate::transcript::Transcript;

/// Longest time-out of a check, as in Zabbix.
pub(crate) const TIMEOUT_MAX_S: u64 = 600;

/// Parsed macros of hosts and templates.
pub(crate) struct Resolver {
    zone: TimeZone,
    layers: Mutex<Parsed>,
    /// `None`: macros of vaults are not replaced.
    secrets: Option<Arc<dyn Secrets>>,
    mibs: Arc<Mibs>,
    /// The transcript of a trial, which has to hide values of secret macros.
    transcript: Option<Transcript>,
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").field("zone", &self.zone).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Parsed {
    /// With the host or template that they were read from: a different object with that id is a
    /// change.
    by_holder: Map<HostId, (Weak<Host>, Arc<Layer>)>,
    global: Option<(Weak<Globals>, Arc<Layer>)>,
}

/// For how long texts that a [`Context`] has resolved stay the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Holds {
    /// It may differ the next time: a secret of a vault, a name of a MIB file.
    Once,
    /// As long as the configuration does not change.
    WithSnapshot,
    /// As long as neither the host nor the global configuration changes.
    WithHost,
}

/// One host's view.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    resolver: &'a Resolver,
    snapshot: &'a Snapshot,
    host: &'a Arc<Host>,
    interface: Option<&'a Interface>,
    /// Why the first vault macro has no value.
    failure: OnceCell<String>,
    holds: Cell<Holds>,
    /// Values of secret macros in the resolved texts.
    secrets: RefCell<SecretTexts>,
}

impl Resolver {
    #[must_use]
    pub(crate) fn new(zone: TimeZone) -> Self {
        let mibs = Arc::new(Mibs::open(Vec::new()));
        Self { zone, layers: Mutex::default(), secrets: None, mibs, transcript: None }
    }

    /// The server's own.
    pub(crate) fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The source of the values of vault macros.
    pub(crate) fn secrets(&self) -> Option<Arc<dyn Secrets>> {
        self.secrets.clone()
    }

    /// Gives macros of vaults their values.
    #[must_use]
    pub(crate) fn with_secrets(self, secrets: Arc<dyn Secrets>) -> Self {
        Self { secrets: Some(secrets), ..self }
    }

    /// With the names of MIB files in addition to the common ones.
    #[must_use]
    pub(crate) fn with_mibs(self, mibs: Arc<Mibs>) -> Self {
        Self { mibs, ..self }
    }

    /// A resolver with the same state for a trial: all secrets that it resolves are hidden in the
    /// transcript.
    pub(crate) fn with_transcript(&self, transcript: &Transcript) -> Self {
        Self {
            zone: self.zone.clone(),
            layers: Mutex::default(),
            secrets: self.secrets.clone(),
            mibs: Arc::clone(&self.mibs),
            transcript: Some(transcript.clone()),
        }
    }

    /// The view of an item of `host` that uses this interface.
    pub(crate) fn context<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        host: &'a Arc<Host>,
        interface: Option<&'a Interface>,
    ) -> Context<'a> {
        let (holds, secrets) = (Cell::new(Holds::WithHost), RefCell::default());
        Context {
            resolver: self,
            snapshot,
            host,
            interface,
            failure: OnceCell::new(),
            holds,
            secrets,
        }
    }

    /// Layers of a host, nearest first, and the global one.
    fn layers(&self, snapshot: &Snapshot, host: &Arc<Host>) -> (Vec<Arc<Layer>>, Arc<Layer>) {
        let mut templates_of =
            |id: HostId| snapshot.holder(id).map(|it| it.templates.clone()).unwrap_or_default();
        let order = breadth_first(&[host.id], &mut templates_of);
        let mut parsed = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        let holders = order.into_iter().filter_map(|id| snapshot.holder(id));
        let with_macros = holders.filter(|it| !it.macros.is_empty());
        let own = with_macros.map(|it| parsed.of_holder(it)).collect();
        (own, parsed.of_globals(&snapshot.globals))
    }

    /// Forgets layers that no snapshot holds.
    pub(crate) fn forget_stale(&self) {
        let mut parsed = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
        parsed.by_holder.retain(|_, (holder, _)| 0 < holder.strong_count());
    }
}

impl Parsed {
    fn of_holder(&mut self, holder: &Arc<Host>) -> Arc<Layer> {
        if let Some((of, layer)) = self.by_holder.get(&holder.id)
            && of.as_ptr() == Arc::as_ptr(holder)
        {
            return Arc::clone(layer);
        }
        let layer = Arc::new(Layer::new(&holder.macros));
        self.by_holder.insert(holder.id, (Arc::downgrade(holder), Arc::clone(&layer)));
        layer
    }

    fn of_globals(&mut self, globals: &Arc<Globals>) -> Arc<Layer> {
        if let Some((of, layer)) = &self.global
            && of.as_ptr() == Arc::as_ptr(globals)
        {
            return Arc::clone(layer);
        }
        let layer = Arc::new(Layer::new(&globals.macros));
        self.global = Some((Arc::downgrade(globals), Arc::clone(&layer)));
        layer
    }
}

/// The discovery row of an item, if the text needs it.
pub(crate) fn lld_row<'a>(row: &'a ItemRow, text: &str) -> Option<&'a LldRow> {
    row.discovered().filter(|_| text.contains("{#")).map(|it| &*it.row)
}

impl Context<'_> {
    /// A text with user macros replaced; undefined ones stay.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains("{$") {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.replaced(text).unwrap_or_else(|| text.to_owned()))
    }

    /// As [`Context::text`], for an item that may be a discovered one: that shares the texts of its
    /// prototype, with the values of its own row. A value that is not allowed in the place of its
    /// macro leaves the text as it is.
    pub(crate) fn item_text<'t>(&self, row: &ItemRow, text: &'t str) -> Cow<'t, str> {
        let expand =
            |it: &LldRow| expand_text(text, RowIn::new(it, self.zone()), EscapeTarget::Text).ok();
        match lld_row(row, text).and_then(expand) {
            None => self.text(text),
            Some(it) => Cow::Owned(self.text(&it).into_owned()),
        }
    }

    /// Peers that may push to an item: as [`Context::item_text`], then macros of the host, which
    /// may also stand in values of user macros. Addresses are those of the host's main interface.
    pub(crate) fn allowed_hosts(&self, row: &ItemRow) -> String {
        let list = self.item_text(row, &row.content.trapper_hosts);
        if !list.contains("{H") && !list.contains("{I") {
            return list.into_owned();
        }
        let interface = main_interface(self.host);
        let of_interface = |text: fn(&Interface) -> &str| {
            interface.map_or(Resolution::Unknown, |it| {
                Resolution::Value(self.text(text(it)).into_owned())
            })
        };
        let env = FuncEnv::new(self.zone());
        let mut resolve = |token: &MacroToken, inner: &str| match (token.kind, inner) {
            (TokenKind::UserMacro | TokenKind::UserFuncMacro, _) => Resolution::Keep,
            (_, "{HOST.HOST}" | "{HOSTNAME}" | "{HOST.NAME}") => self.builtin(inner),
            (_, "{HOST.IP}" | "{IPADDRESS}") => of_interface(|it| &it.ip),
            (_, "{HOST.DNS}") => of_interface(|it| &it.dns),
            (_, "{HOST.CONN}") => of_interface(|it| if it.useip { &it.ip } else { &it.dns }),
            _ => Resolution::Keep,
        };
        substitute(&list, Search::BASIC, &env, &mut resolve)
    }

    /// A text of an item's request: as [`Context::item_text`], with the macros of host and item, and
    /// values written as `target` takes them.
    pub(crate) fn request_text(&self, row: &ItemRow, text: &str, target: EscapeTarget) -> String {
        let expand = |it: &LldRow| expand_text(text, RowIn::new(it, self.zone()), target).ok();
        let expanded = lld_row(row, text).and_then(expand);
        let text = expanded.as_deref().unwrap_or(text);
        let builtin = |name: &str| match name {
            "{ITEM.ID}" => Resolution::Value(row.id.to_string()),
            "{ITEM.KEY.ORIG}" => Resolution::Value(row.key().into_owned()),
            "{ITEM.KEY}" => {
                let key = row.key();
                Resolution::Value(self.key(&key).unwrap_or(Cow::Borrowed(&*key)).into_owned())
            }
            _ => self.builtin(name),
        };
        self.replaced_by(text, &builtin, target).unwrap_or_else(|| text.to_owned())
    }

    /// As [`Context::item_text`], but texts that look like macros of the host or the item stay: it
    /// is code.
    pub(crate) fn code_text(&self, row: &ItemRow, text: &str) -> String {
        let expand =
            |it: &LldRow| expand_text(text, RowIn::new(it, self.zone()), EscapeTarget::Text).ok();
        let expanded = lld_row(row, text).and_then(expand);
        let text = expanded.as_deref().unwrap_or(text);
        let replaced = self.replaced_by(text, &|_| Resolution::Keep, EscapeTarget::Text);
        replaced.unwrap_or_else(|| text.to_owned())
    }

    /// The enabled item of the host with this configured key.
    pub(crate) fn sibling(&self, key: &str) -> Option<model::ItemId> {
        self.host.item_by_key(key).filter(|it| it.is_enabled_item()).map(|it| it.id)
    }

    /// The time-out of the item itself, or of the settings for its type.
    ///
    /// # Errors
    /// The error of the item.
    pub(crate) fn timeout(&self, row: &ItemRow) -> Result<Option<Duration>, String> {
        let written = row.content.timeout.as_str();
        let written = match written {
            "" => self.snapshot.globals.settings.timeout(row.content.kind).map_or("", |it| it),
            own => own,
        };
        if written.is_empty() {
            return Ok(None);
        }
        let text = self.item_text(row, written);
        let seconds = parse_duration_s(&text).filter(|it| (1..=TIMEOUT_MAX_S).contains(it));
        let timeout = seconds.map(Duration::from_secs);
        timeout.map(Some).ok_or_else(|| format!("Unsupported timeout value \"{text}\"."))
    }

    /// The time zone for functions of macros.
    pub(crate) fn zone(&self) -> &TimeZone {
        &self.resolver.zone
    }

    /// An item key: user macros and those of the host in its parameters.
    ///
    /// # Errors
    /// If the key is malformed, or a value is not allowed in the place of its macro.
    pub(crate) fn key<'t>(&self, key: &'t str) -> Result<Cow<'t, str>, ReplaceError> {
        if !key.contains('{') {
            return Ok(Cow::Borrowed(key));
        }
        replace_params(key, &mut |it| self.replaced(it)).map(Cow::Owned)
    }

    /// The OID field of an SNMP item.
    ///
    /// # Errors
    /// As [`Context::key`].
    pub(crate) fn oid<'t>(&self, oid: &'t str) -> Result<Cow<'t, str>, ReplaceError> {
        if !oid.contains('{') {
            return Ok(Cow::Borrowed(oid));
        }
        replace_oid(oid, &mut |it| self.replaced(it)).map(Cow::Owned)
    }

    /// The SNMP object that a text names, by numbers or by names.
    ///
    /// # Errors
    /// In words for the user.
    pub(crate) fn object(&self, text: &str) -> Result<Oid, String> {
        if text.contains(|it: char| it.is_ascii_alphabetic()) {
            self.holds_only(Holds::Once);
        }
        self.resolver.mibs.oid(text)
    }

    /// IP address or DNS name of the interface, and its port.
    pub(crate) fn address<'t>(&self, interface: &'t Interface) -> (Cow<'t, str>, Cow<'t, str>) {
        let trimmed = |text: &'t str| match self.text(text) {
            Cow::Borrowed(it) => Cow::Borrowed(it.trim()),
            Cow::Owned(it) => Cow::Owned(it.trim().to_owned()),
        };
        let name = if interface.useip { &interface.ip } else { &interface.dns };
        (trimmed(name), trimmed(&interface.port))
    }

    /// How IPMI items of the host log in.
    pub(crate) fn ipmi_login(&self) -> IpmiLogin {
        let login = self.host.ipmi.as_deref().cloned().unwrap_or_default();
        let text = |it: &str| self.text(it).into_owned();
        IpmiLogin { username: text(&login.username), password: text(&login.password), ..login }
    }

    /// The interface's details for SNMP.
    pub(crate) fn snmp_details(&self, details: &SnmpDetails) -> SnmpDetails {
        let text = |it: &str| self.text(it).into_owned();
        SnmpDetails {
            community: text(&details.community),
            securityname: text(&details.securityname),
            authpassphrase: text(&details.authpassphrase),
            privpassphrase: text(&details.privpassphrase),
            contextname: text(&details.contextname),
            ..*details
        }
    }

    /// `None` if it has no macro.
    fn replaced(&self, text: &str) -> Option<String> {
        self.replaced_by(text, &|name| self.builtin(name), EscapeTarget::Text)
    }

    fn replaced_by(
        &self,
        text: &str,
        builtin: &dyn Fn(&str) -> Resolution,
        target: EscapeTarget,
    ) -> Option<String> {
        if !text.contains('{') {
            return None;
        }
        self.holds_only(Holds::WithSnapshot);
        let (own, global) = self.resolver.layers(self.snapshot, self.host);
        let own: Vec<&Layer> = own.iter().map(|it| &**it).collect();
        let layers = Layers { host: &own, global: &global };
        let env = FuncEnv::new(&self.resolver.zone);
        let has_secret = Cell::new(false);
        let mut resolve = |token: &MacroToken, inner: &str| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => {
                layers.resolve(inner).map_or(Resolution::Keep, |it| {
                    let value = match it.kind {
                        MacroType::Vault => self.secret(&it.value),
                        _ => Resolution::Value(it.value.to_string()),
                    };
                    if let (true, Resolution::Value(secret)) = (it.kind != MacroType::Text, &value)
                    {
                        has_secret.set(true);
                        self.hide(secret);
                    }
                    value
                })
            }
            _ => builtin(inner),
        };
        if target == EscapeTarget::Text {
            let replaced = substitute(text, Search::BASIC, &env, &mut resolve);
            // The result of a function of a secret is secret, too.
            if !(has_secret.take() && text.contains("{{")) {
                return Some(replaced);
            }
        }
        // Only the value of a macro with its function is escaped, not the text around it.
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for token in tokens(text, Search::BASIC) {
            let written = text.get(token.span.clone()).unwrap_or("");
            let value = substitute(written, Search::BASIC, &env, &mut resolve);
            out.push_str(text.get(done..token.span.start).unwrap_or(""));
            let is_secret = has_secret.take();
            if is_secret {
                self.hide(&value);
            }
            if value == written {
                out.push_str(&value);
            } else {
                let escaped = target.escape(&value);
                if is_secret {
                    self.hide(&escaped);
                }
                out.push_str(&escaped);
            }
            done = token.span.end;
        }
        out.push_str(text.get(done..).unwrap_or(""));
        Some(out)
    }

    /// Masks this text.
    fn hide(&self, secret: &str) {
        self.secrets.borrow_mut().add(secret);
        if let Some(it) = &self.resolver.transcript {
            it.hide(secret);
        }
    }

    /// The secrets of all texts resolved so far, and the given ones; `None`: there are none.
    pub(crate) fn secrets(&self, others: Option<&Arc<SecretTexts>>) -> Option<Arc<SecretTexts>> {
        let own = self.secrets.borrow();
        if own.is_empty() {
            return others.map(Arc::clone);
        }
        let mut all = SecretTexts::clone(&own);
        if let Some(it) = others {
            all.add_all(it);
        }
        Some(Arc::new(all))
    }

    /// A reason with the values of secret macros masked.
    pub(crate) fn shown(&self, reason: String) -> String {
        self.secrets.borrow().mask(reason)
    }

    /// The secret that a macro names.
    fn secret(&self, named: &str) -> Resolution {
        self.holds_only(Holds::Once);
        let Some(secrets) = &self.resolver.secrets else { return Resolution::Keep };
        match secrets.secret(named) {
            Ok(it) => Resolution::Value(it.to_string()),
            Err(reason) => {
                self.failure.get_or_init(|| reason);
                Resolution::Keep
            }
        }
    }

    /// For how long all texts resolved so far are valid.
    pub(crate) fn holds(&self) -> Holds {
        self.holds.get()
    }

    fn holds_only(&self, holds: Holds) {
        self.holds.set(self.holds.get().min(holds));
    }

    /// Why a resolved text is wrong: a secret in it is not available.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    fn builtin(&self, name: &str) -> Resolution {
        let of_interface = |text: fn(&Interface) -> &str| {
            self.interface.map_or(Resolution::Unknown, |it| Resolution::Value(text(it).to_owned()))
        };
        match name {
            "{HOST.HOST}" | "{HOSTNAME}" => Resolution::Value(self.host.host.to_string()),
            "{HOST.NAME}" => Resolution::Value(self.host.name.to_string()),
            "{HOST.ID}" => Resolution::Value(self.host.id.to_string()),
            "{HOST.IP}" | "{IPADDRESS}" => of_interface(|it| &it.ip),
            "{HOST.DNS}" => of_interface(|it| &it.dns),
            "{HOST.CONN}" => of_interface(|it| if it.useip { &it.ip } else { &it.dns }),
            "{HOST.PORT}" => of_interface(|it| &it.port),
            _ => Resolution::Keep,
        }
    }
}

#[cfg(test)]
mod tests {
    use model::content::{HostMacro, InterfaceType, ItemType};

    use super::*;
    use crate::fixtures::{discovered, host, interface, item, snapshot};

    fn text_macro(name: &str, value: &str) -> HostMacro {
        HostMacro {
            hostmacroid: model::HostMacroId(1),
            name: name.to_owned(),
            value: value.to_owned(),
            description: String::new(),
            kind: MacroType::Text,
        }
    }

    /// Peers that may push to a trapper item with this list.
    fn allowed(list: &str, interfaces: Vec<Interface>) -> String {
        let mut web = host(1, "web-1");
        web.name = "Web server".into();
        web.macros = vec![
            text_macro("{$CONN}", "{HOST.CONN}"),
            text_macro("{$ALL}", "192.0.2.7, {HOST.HOST},{HOST.DNS}"),
            text_macro("{$DOMAIN}", "example.com"),
        ];
        web.interfaces = interfaces;
        let mut row = item(5, ItemType::Trapper, "trap", "0");
        Arc::make_mut(&mut row.content).trapper_hosts = list.to_owned();
        let row = discovered(row, "trap", &[("{#ADDRESS}", "192.0.2.8")]);
        web.items = vec![row];
        let snapshot = snapshot(1, [web]);
        let (host, row) = snapshot.item(model::ItemId(5)).expect("there");
        let resolver = Resolver::new(TimeZone::UTC);
        resolver.context(&snapshot, host, host.interface_of(row)).allowed_hosts(row)
    }

    #[test]
    fn allowed_hosts_may_be_macros_of_the_host() {
        let snmp = interface(1, InterfaceType::Snmp, "192.0.2.2", 161);
        let mut other = interface(2, InterfaceType::Agent, "192.0.2.9", 10_050);
        other.main = false;
        let mut agent = interface(3, InterfaceType::Agent, "192.0.2.1", 10_050);
        "web.{$DOMAIN}".clone_into(&mut agent.dns);
        let mut by_name = agent.clone();
        by_name.useip = false;
        let all = vec![snmp.clone(), other, agent];
        for (list, expected) in [
            ("192.0.2.3", "192.0.2.3"),
            ("{HOST.CONN}", "192.0.2.1"),
            ("{HOST.IP}", "192.0.2.1"),
            ("{IPADDRESS}", "192.0.2.1"),
            ("{HOST.DNS}", "web.example.com"),
            ("{HOST.HOST}", "web-1"),
            ("{HOSTNAME}", "web-1"),
            ("{HOST.NAME}", "Web server"),
            ("{$CONN}", "192.0.2.1"),
            ("{$ALL}, 10.0.0.0/8", "192.0.2.7, web-1,web.example.com, 10.0.0.0/8"),
            ("{{HOST.HOST}.regsub(\"^(web)\", \\1)}.local", "web.local"),
            ("{#ADDRESS},{HOST.CONN}", "192.0.2.8,192.0.2.1"),
            ("{HOST.CONN}/24", "192.0.2.1/24"),
            // Not supported in this place.
            ("{HOST.PORT}", "{HOST.PORT}"),
            ("{HOST.ID},{ITEM.KEY}", "{HOST.ID},{ITEM.KEY}"),
        ] {
            assert_eq!(allowed(list, all.clone()), expected, "{list}");
        }
        assert_eq!(allowed("{HOST.CONN}", vec![by_name]), "web.example.com");
        assert_eq!(allowed("{HOST.CONN}", vec![snmp]), "192.0.2.2");
        // No peer has this address.
        assert_eq!(allowed("{HOST.CONN}", Vec::new()), "*UNKNOWN*");
    }
}
