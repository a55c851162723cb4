//! The expansion of one text: state that all its macros share.

use std::cell::OnceCell;

use lang::macros::{
    FuncEnv, Layer, Layers, Resolution, SECRET, Search, TokenKind, breadth_first, substitute,
};
use model::content::{MacroType, RoleType, User};
use model::snapshot::Snapshot;
use model::{HostId, UserId};

use super::facts::{MessageFacts, SecretMode};
use crate::event::{EventSource, MessageEvent};

/// Longest text that an expansion gives; longer ones are cut. The limit of the database for a
/// message in Zabbix.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// In place of the name of a user whom the recipient may not see.
pub(super) const INACCESSIBLE: &str = "Inaccessible user";

/// A macro as it is asked for.
pub(super) struct Asked<'a> {
    /// Without braces and index.
    pub(super) name: &'a str,
    /// Of the function whose item or host is meant, from 1.
    pub(super) index: usize,
    /// For a macro function, which gets values without units.
    pub(super) is_raw: bool,
}

/// The lists of names, above this file.
#[derive(Clone, Copy)]
pub(super) struct Above {
    /// The value of a built-in macro: its name without braces, and whether a function is applied to
    /// the value.
    pub(super) built_in: fn(&Expansion<'_>, &str, bool) -> Resolution,
    /// Hosts that user macros of an event are looked for on.
    pub(super) hosts_of: fn(&Expansion<'_>, &MessageEvent) -> Vec<HostId>,
}

/// The expansion of one text: facts that several of its macros use are kept.
pub(super) struct Expansion<'a> {
    pub(super) facts: &'a dyn MessageFacts,
    above: Above,
    /// User macros where no host is named.
    layers: OnceCell<MacroLayers>,
}

struct MacroLayers {
    hosts: Vec<Layer>,
    global: Layer,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(facts: &'a dyn MessageFacts, above: Above) -> Self {
        Self { facts, above, layers: OnceCell::new() }
    }

    pub(super) fn snapshot(&self) -> &'a Snapshot {
        self.facts.snapshot()
    }

    fn env(&self) -> FuncEnv<'_> {
        FuncEnv { zone: self.facts.zone(), now: self.facts.now() }
    }

    pub(super) fn text(&self, text: &str, search: Search) -> String {
        let mut room = Room::new(text);
        substitute(text, search, &self.env(), &mut |token, inner| {
            room.bounded(match token.kind {
                TokenKind::UserMacro | TokenKind::UserFuncMacro => self.user_macro(inner).into(),
                TokenKind::Macro | TokenKind::FuncMacro => {
                    let name = inner.trim_matches(['{', '}']);
                    (self.above.built_in)(self, name, token.func.is_some())
                }
                TokenKind::Expression | TokenKind::ExpressionFunc => self.expression(inner),
                _ => Resolution::Keep,
            })
        })
    }

    /// A text that stands for a macro and has macros of its own, fewer ones: `constant` gives `$1`, `built_in` is asked
    /// with a name and whether a function is applied to the value.
    pub(super) fn inner(
        &self,
        text: &str,
        search: Search,
        constant: &dyn Fn(usize) -> Option<String>,
        built_in: &dyn Fn(&str, bool) -> Resolution,
    ) -> String {
        let mut room = Room::new(text);
        substitute(text, search, &self.env(), &mut |token, inner| {
            room.bounded(match token.kind {
                TokenKind::UserMacro | TokenKind::UserFuncMacro => self.user_macro(inner).into(),
                TokenKind::Macro | TokenKind::FuncMacro => {
                    built_in(inner.trim_matches(['{', '}']), token.func.is_some())
                }
                TokenKind::Reference => {
                    let digit = inner.trim_start_matches('$').parse();
                    digit.ok().and_then(constant).into()
                }
                _ => Resolution::Keep,
            })
        })
    }

    /// `{?…}`: messages about triggers have it, of the time when they are made.
    fn expression(&self, inner: &str) -> Resolution {
        let event = self.facts.context().current();
        if event.is_none_or(|it| it.source != EventSource::Trigger) {
            return Resolution::Keep;
        }
        let written = inner.trim_start_matches("{?");
        let written = written.strip_suffix('}').unwrap_or(written);
        // Macros of hosts may stand in it, in place of their names.
        let written = substitute(written, Search::BASIC, &self.env(), &mut |token, inner| {
            let name = inner.trim_matches(['{', '}']);
            match token.kind {
                TokenKind::Macro if name.starts_with("HOST.HOST") => {
                    (self.above.built_in)(self, name, false)
                }
                TokenKind::UserMacro => self.user_macro(inner).into(),
                _ => Resolution::Keep,
            }
        });
        let value = self.facts.expression_value(&written, self.facts.now());
        value.map_or(Resolution::Unknown, Resolution::Value)
    }

    /// The value of a user macro on the hosts of the event, else the global one.
    pub(super) fn user_macro(&self, written: &str) -> Option<String> {
        let layers = self.layers.get_or_init(|| {
            let context = self.facts.context();
            let hosts = match (context.target, &context.event) {
                (Some(target), _) => vec![target],
                (None, Some(event)) => (self.above.hosts_of)(self, event),
                (None, None) => Vec::new(),
            };
            self.layers_of(&hosts)
        });
        self.resolve(layers, written)
    }

    /// `text` with its user macros as they are on a host.
    pub(super) fn user_macros(&self, text: &str, host: HostId) -> String {
        if !text.contains("{$") {
            return text.to_owned();
        }
        let layers = self.layers_of(&[host]);
        let mut room = Room::new(text);
        substitute(text, Search::BASIC, &self.env(), &mut |token, inner| match token.kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => {
                room.bounded(self.resolve(&layers, inner).into())
            }
            _ => Resolution::Keep,
        })
    }

    fn resolve(&self, layers: &MacroLayers, written: &str) -> Option<String> {
        let hosts: Vec<&Layer> = layers.hosts.iter().collect();
        let found = Layers { host: &hosts, global: &layers.global }.resolve(written)?;
        if found.kind == MacroType::Text {
            return Some(found.value.to_string());
        }
        match (self.facts.context().secrets, found.kind) {
            (SecretMode::Masked, _) => Some(SECRET.to_owned()),
            (SecretMode::Shown, MacroType::Vault) => self.facts.vault(&found.value),
            (SecretMode::Shown, _) => Some(found.value.to_string()),
        }
    }

    fn layers_of(&self, hosts: &[HostId]) -> MacroLayers {
        let snapshot = self.snapshot();
        let mut templates =
            |it: HostId| snapshot.holder(it).map_or_else(Vec::new, |it| it.templates.clone());
        let order = breadth_first(hosts, &mut templates);
        let holders = order.iter().filter_map(|it| snapshot.holder(*it));
        let hosts = holders.map(|it| Layer::new(&it.macros)).collect();
        MacroLayers { hosts, global: Layer::new(&snapshot.globals.macros) }
    }

    /// Whether the recipient may see the name of a user: super admins see all, others the users of
    /// their groups. Commands have no recipient and see all.
    pub(super) fn may_see(&self, user: UserId) -> bool {
        let recipient = self.facts.context().user;
        if recipient == UserId::NONE || recipient == user {
            return true;
        }
        let access = &self.snapshot().access;
        let Some(recipient) = access.users.get(&recipient) else { return false };
        let role = access.roles.get(&recipient.roleid);
        let shares = || {
            access
                .users
                .get(&user)
                .is_some_and(|it| it.groups.iter().any(|it| recipient.groups.contains(it)))
        };
        role.is_some_and(|it| it.kind == RoleType::SuperAdmin) || shares()
    }

    /// A user as the recipient reads of them.
    pub(super) fn user_shown(&self, user: UserId) -> String {
        if !self.may_see(user) {
            return INACCESSIBLE.to_owned();
        }
        let found = self.snapshot().access.users.get(&user);
        found.map_or_else(|| "unknown".to_owned(), |it| full_name(it))
    }
}

/// `Name Surname (username)`.
pub(super) fn full_name(user: &User) -> String {
    let names = [user.name.as_str(), user.surname.as_str()];
    let names: Vec<&str> = names.into_iter().filter(|it| !it.is_empty()).collect();
    if names.is_empty() {
        return user.username.clone();
    }
    format!("{} ({})", names.join(" "), user.username)
}

/// How much one text may still grow: a text of many macros whose values are long ends as unknown ones, instead of taking
/// all memory.
struct Room(usize);

impl Room {
    fn new(text: &str) -> Self {
        Self(TEXT_BYTES_MAX.saturating_sub(text.len()))
    }

    fn bounded(&mut self, answer: Resolution) -> Resolution {
        let Resolution::Value(value) = &answer else { return answer };
        match self.0.checked_sub(value.len()) {
            Some(left) => {
                self.0 = left;
                answer
            }
            None => Resolution::Unknown,
        }
    }
}
