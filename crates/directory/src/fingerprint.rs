//! The dependencies of a layout, in one number: hosts with equal ones share their layout.
//!
//! Of discovered objects that is the key and which prototype and row they are of, by position in the
//! host; of the row's macros only those that compiled texts name. So the ports of a thousand switches
//! are compiled once although each port has a description of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher as _};
use std::sync::Arc;

use foldhash::fast::FixedState;
use lang::macros::{Search, TokenKind, tokens};
use model::content::{ItemContent, ItemType, MacroType, TriggerContent};
use model::map::Map;
use model::snapshot::{Discovered, Host, LldRow, Snapshot};
use model::{ItemId, TriggerId, ValueMapId};

use super::compile::{expressions_of, value_map};
use super::macros::{Expand, HostMacros};

/// Two hashes with different seeds: layouts with equal ones are taken for the same.
pub(super) type Fingerprint = (u64, u64);

/// Macros in compiled parts of contents, by address of the content.
#[derive(Debug, Default)]
pub(super) struct UsedMacros {
    by_content: Map<usize, Used>,
}

/// Macros in the compiled parts of a content, which is kept alive so that its address stays its own.
#[derive(Clone, Debug)]
struct Used {
    #[expect(dead_code, reason = "keeps the address from being given out again")]
    content: Kept,
    /// User macros.
    tokens: Arc<[Box<str>]>,
    /// LLD macros.
    lld: Arc<[Box<str>]>,
    /// Names other hosts: never shared.
    is_own: bool,
}

#[derive(Clone, Debug)]
enum Kept {
    Item(#[expect(dead_code, reason = "as above")] Arc<ItemContent>),
    Trigger(#[expect(dead_code, reason = "as above")] Arc<TriggerContent>),
}

impl UsedMacros {
    /// Lets go of contents, most of which may be used no more.
    pub(super) fn forget(&mut self) {
        self.by_content = Map::default();
    }

    /// The dependencies of a layout: contents and their origin, discovered keys, values of the
    /// macros that are compiled in. `None`: it depends on more.
    pub(super) fn fingerprint(
        &mut self,
        snapshot: &Snapshot,
        host: &Host,
        macros: &HostMacros,
    ) -> Option<Fingerprint> {
        let mut mix = Mix::new();
        let mut rows = Rows::default();
        let housekeeping = &snapshot.globals.settings.housekeeping;
        for all_s in [housekeeping.history_s, housekeeping.trends_s] {
            mix.number(all_s.map_or(u64::MAX, i64::unsigned_abs));
        }
        mix.number(host.items.len() as u64);
        for row in &host.items {
            let used = self.by_item(&row.content);
            if used.is_own && row.is_live() {
                return None;
            }
            mix.number(Arc::as_ptr(&row.content).addr() as u64);
            mix.number(u64::from(row.flags.code().unsigned_abs()));
            match row.discovered() {
                Some(it) => {
                    mix.position(
                        host.items.binary_search_by_key(&ItemId(it.prototype), |it| it.id),
                        it.prototype,
                    );
                    mix.text(&row.key());
                    mix.discovered(host, it, &mut rows);
                }
                // An own row's references are its own ids.
                None => mix.origin(row.source.0, row.id.0),
            }
            mix.used(used, row.discovered(), macros);
            mix.value_map(snapshot, row.content.valuemapid);
        }
        mix.number(host.triggers.len() as u64);
        let lost = times_of_loss(host);
        for row in &host.triggers {
            let used = self.by_trigger(&row.content);
            if used.is_own && row.is_live() {
                return None;
            }
            mix.number(Arc::as_ptr(&row.content).addr() as u64);
            mix.number(u64::from(row.flags.code().unsigned_abs()));
            match row.discovered() {
                Some(it) => {
                    mix.position(
                        host.triggers.binary_search_by_key(&TriggerId(it.prototype), |it| it.id),
                        it.prototype,
                    );
                    mix.discovered(host, it, &mut rows);
                    // Only objects that discovery lost earlier or together depend on a lost one:
                    // the order counts, not the time.
                    let before = lost.iter().filter(|since| **since < it.lost().since);
                    mix.number(before.count() as u64);
                }
                None => mix.origin(row.source.0, row.id.0),
            }
            mix.used(used, row.discovered(), macros);
        }
        Some(mix.finish())
    }

    fn by_item(&mut self, content: &Arc<ItemContent>) -> &Used {
        let make = || {
            let steps = content
                .preprocessing
                .iter()
                .flat_map(|it| [it.params.as_str(), it.error_handler_params.as_str()]);
            let own = [&*content.history, &*content.trends, &*content.params, &*content.delay];
            let texts: Vec<&str> = steps.chain(own).collect();
            let is_calculated = content.kind == ItemType::Calculated;
            Used {
                tokens: macros_in(&texts),
                lld: lld_macros_in(&texts),
                is_own: is_calculated && names_hosts(&content.params),
                content: Kept::Item(Arc::clone(content)),
            }
        };
        self.by_content.entry(Arc::as_ptr(content).addr()).or_insert_with(make)
    }

    fn by_trigger(&mut self, content: &Arc<TriggerContent>) -> &Used {
        let make = || {
            // Names count where they hold expressions.
            let is_named = !content.event_name.is_empty() || !content.description.contains("{?");
            let name = if is_named { &content.event_name } else { &content.description };
            let parameters = content.functions.iter().map(|it| it.parameter.as_str());
            let mut texts: Vec<&str> = parameters
                .chain([&*content.expression, &*content.recovery_expression])
                .chain(expressions_of(name))
                .collect();
            let tokens = macros_in(&texts);
            // A value that stands between the expressions of a name may bring one with it.
            texts.push(name);
            Used {
                tokens,
                lld: lld_macros_in(&texts),
                is_own: expressions_of(name).any(names_hosts),
                content: Kept::Trigger(Arc::clone(content)),
            }
        };
        self.by_content.entry(Arc::as_ptr(content).addr()).or_insert_with(make)
    }
}

impl Used {
    fn names(&self, lld_macro: &str) -> bool {
        self.lld.iter().any(|it| **it == *lld_macro)
    }
}

/// When triggers were lost, each time once, with 0 for those that are not.
fn times_of_loss(host: &Host) -> BTreeSet<i64> {
    let times = host.triggers.iter().filter_map(|it| Some(it.discovered()?.lost().since));
    times.chain([0]).collect()
}

/// User macros in texts that are compiled, each once.
fn macros_in(texts: &[&str]) -> Arc<[Box<str>]> {
    let mut found: Vec<Box<str>> = Vec::new();
    for text in texts.iter().filter(|it| it.contains("{$")) {
        for token in tokens(text, Search::BASIC) {
            let is_user = matches!(token.kind, TokenKind::UserMacro | TokenKind::UserFuncMacro);
            let inner = text.get(token.macro_span).unwrap_or_default();
            if is_user && !found.iter().any(|it| **it == *inner) {
                found.push(inner.into());
            }
        }
    }
    found.into()
}

/// LLD macros in such texts, wherever they stand, each once.
fn lld_macros_in(texts: &[&str]) -> Arc<[Box<str>]> {
    let mut found: Vec<Box<str>> = Vec::new();
    for text in texts {
        for (at, _) in text.match_indices("{#") {
            let rest = text.get(at..).unwrap_or_default();
            let Some(name) = rest.find('}').and_then(|end| rest.get(..=end)) else { continue };
            if !found.iter().any(|it| **it == *name) {
                found.push(name.into());
            }
        }
    }
    found.into()
}

/// Whether a formula names hosts, so that its meaning depends on which hosts there are.
fn names_hosts(formula: &str) -> bool {
    // `//key` and `/{HOST.HOST}/key` mean the item's own host; a formula that does not parse names
    // no host.
    let Ok(ast) = lang::expression::parse(formula) else { return false };
    ast.history_calls()
        .iter()
        .filter_map(|it| ast.query(it))
        .any(|it| !it.host.is_empty() && !it.host.starts_with("{HOST.HOST"))
}

/// Rows of one host, numbered as they come: a reference to a prototype means what was made of the
/// same row.
#[derive(Default)]
struct Rows<'a> {
    by_address: Map<usize, u64>,
    by_row: BTreeMap<&'a LldRow, u64>,
}

impl<'a> Rows<'a> {
    fn number(&mut self, row: &'a Arc<LldRow>) -> u64 {
        let Self { by_address, by_row } = self;
        *by_address.entry(Arc::as_ptr(row).addr()).or_insert_with(|| {
            let next = by_row.len() as u64;
            *by_row.entry(row).or_insert(next)
        })
    }
}

/// Hashes everything twice.
struct Mix {
    first: foldhash::fast::FoldHasher<'static>,
    second: foldhash::fast::FoldHasher<'static>,
}

impl Mix {
    fn new() -> Self {
        Self {
            first: FixedState::with_seed(0x5a6b_7c8d).build_hasher(),
            second: FixedState::with_seed(0x1f2e_3d4c).build_hasher(),
        }
    }

    fn number(&mut self, number: u64) {
        self.first.write_u64(number);
        self.second.write_u64(number);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.first.write(text.as_bytes());
        self.second.write(text.as_bytes());
    }

    /// Of a row that is not discovered: its source, or itself.
    fn origin(&mut self, source: u64, id: u64) {
        self.number(0);
        self.number(source);
        self.number(if source == 0 { id } else { 0 });
    }

    /// Where a row of the host stands; its id if it is nowhere.
    fn position(&mut self, found: Result<usize, usize>, id: u64) {
        match found {
            Ok(at) => {
                self.number(1);
                self.number(at as u64);
            }
            Err(_) => {
                self.number(2);
                self.number(id);
            }
        }
    }

    fn discovered<'a>(&mut self, host: &Host, it: &'a Discovered, rows: &mut Rows<'a>) {
        self.position(host.items.binary_search_by_key(&it.rule, |it| it.id), it.rule.0);
        self.number(rows.number(&it.row));
    }

    fn value_map(&mut self, snapshot: &Snapshot, id: ValueMapId) {
        self.number(id.0);
        let map = id.some().and_then(|it| value_map(snapshot, it));
        for it in map.into_iter().flat_map(|it| &it.mappings) {
            self.number(it.kind.cast_unsigned());
            self.text(&it.value);
            self.text(&it.newvalue);
        }
    }

    fn used(&mut self, used: &Used, discovered: Option<&Discovered>, macros: &HostMacros) {
        let row = discovered.map(|it| it.row.as_ref()).filter(|_| !used.lld.is_empty());
        for (name, value) in row.into_iter().flat_map(LldRow::iter).filter(|it| used.names(it.0)) {
            self.text(name);
            self.text(value);
            if value.contains("{$") {
                let (text, secrets) = macros.expand_around_secrets(value, None);
                self.text(&text);
                secrets.iter().for_each(|it| self.text(&it.name));
                macros.hidden_in(value, None).iter().for_each(|it| self.text(it));
            }
        }
        for token in used.tokens.iter() {
            let text = match row {
                Some(_) => Expand { macros, row }.text(token),
                None => macros.resolve(token).map(|it| it.to_string()).unwrap_or_default(),
            };
            self.text(&text);
            match macros.found(&macros.expand_row(token, row)) {
                // Its place is compiled in, with what it names.
                Some((it, MacroType::Vault)) => self.text(&it),
                // Errors show the same value of another host.
                Some((_, MacroType::Secret)) => self.number(1),
                _ => {}
            }
        }
    }

    fn finish(self) -> Fingerprint {
        (self.first.finish(), self.second.finish())
    }
}
