//! State shared by all parts of the compilation of a host: its rows, the results so far, and the
//! meaning of references in content.

use std::sync::Arc;

use lang::expression::OperandRef;
use model::content::{HostStatus, ItemStatus, ItemType, ValueMap};
use model::map::{Entry, Map, Set};
use model::snapshot::{Discovered, HolderKind, Host, ItemRow, LldRow, Snapshot};
use model::{HostId, ItemId, Retention, TriggerId, ValueMapId, ValueType};
use window::{AggregatePlanBuilder, Depth};

use super::parameters::Parameters;
use super::programs::Cache;
use crate::hash::Hasher;
use crate::keys::KeyTable;
use crate::layout::{Bound, FunctionPlan, ItemPlan, Mirror};
use crate::macros::{Expand, HostMacros};

/// Row of items that have none.
pub(super) const NO_ROW: u32 = u32::MAX;

/// Which row of the host a reference in content means.
struct Refs {
    /// Every id that names a row: itself and its sources.
    rows: Map<ItemId, u32>,
    /// Position of each row; `NO_ROW` for prototypes.
    positions: Vec<u32>,
    /// Positions of discovered items.
    made: MadeItems,
}

/// By prototype, rule and row: the items that discovered objects refer to by the prototype. Linear
/// in the items of the host, however many rows a rule has.
type MadeItems = Map<(ItemId, ItemId, Arc<LldRow>), u32>;

pub(in super::super) struct Compiler<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) host: &'a Arc<Host>,
    pub(super) macros: &'a HostMacros,
    pub(super) cache: &'a mut Cache,
    refs: Refs,
    pub(super) rows: Vec<u32>,
    hasher: &'a Hasher,
    pub(super) keys: KeyTable,
    pub(super) mirrors: Vec<Mirror>,
    mirror_positions: Map<ItemId, u32>,
    pub(super) functions: Vec<FunctionPlan>,
    pub(super) known_functions: Map<(u32, String, Parameters), u32>,
    pub(super) aggregates: AggregatePlanBuilder,
    pub(super) n_trends: u32,
    pub(super) foreign_masters: Vec<(HostId, TriggerId)>,
    pub(super) named_hosts: Set<Arc<str>>,
    pub(super) may_use_regexps: bool,
    pub(super) value_maps: Map<ValueMapId, Option<Arc<ValueMap>>>,
}

impl<'a> Compiler<'a> {
    pub(in super::super) fn new(
        snapshot: &'a Snapshot,
        host: &'a Arc<Host>,
        macros: &'a HostMacros,
        (cache, hasher): (&'a mut Cache, &'a Hasher),
    ) -> Self {
        let mut rows = Vec::new();
        let mut positions = vec![NO_ROW; host.items.len()];
        let mut made = MadeItems::default();
        for (row, it) in host.items.iter().enumerate().filter(|(_, it)| it.is_live()) {
            let position = to_u32(rows.len());
            positions[row] = position;
            rows.push(to_u32(row));
            if let Some(it) = it.discovered() {
                made.entry(made_key(ItemId(it.prototype), it)).or_insert(position);
            }
        }
        let refs = Refs { rows: snapshot.item_refs(host), positions, made };
        Self {
            snapshot,
            host,
            macros,
            cache,
            refs,
            hasher,
            keys: KeyTable::new(hasher, rows.iter().map(|it| &host.items[*it as usize])),
            rows,
            mirrors: Vec::new(),
            mirror_positions: Map::default(),
            functions: Vec::new(),
            known_functions: Map::default(),
            aggregates: AggregatePlanBuilder::default(),
            n_trends: 0,
            foreign_masters: Vec::new(),
            named_hosts: Set::default(),
            may_use_regexps: false,
            value_maps: Map::default(),
        }
    }

    pub(super) fn expand(&self, discovered: Option<&'a Discovered>) -> Expand<'a> {
        Expand { macros: self.macros, row: discovered.map(|it| it.row.as_ref()) }
    }

    pub(super) fn mirror(&self, mirror: &Mirror) -> ItemPlan {
        let content = self.snapshot.item(mirror.item).map(|(_, it)| &it.content);
        let is_enabled = content.is_some_and(|it| it.status == ItemStatus::Enabled);
        ItemPlan {
            row: NO_ROW,
            kind: ItemType::Internal,
            value_type: content.map_or(ValueType::Float, |it| it.value_type),
            retention: Retention::Nothing,
            history_s: 0,
            trends: Retention::Nothing,
            is_enabled: is_enabled && mirror.is_monitored,
            is_rule: false,
            allow_traps: false,
            restricted: false,
            hands_on: false,
            program: None,
            calculation: None,
            value_map: None,
            dependents: 0..0,
            triggers: 0..0,
            depth: Depth::default(),
            track: None,
        }
    }

    /// The position of the item that content of this host means by an id.
    pub(super) fn own_position(
        &self,
        reference: ItemId,
        referrer: Option<&Discovered>,
    ) -> Option<u32> {
        let row = *self.refs.rows.get(&reference)?;
        let position = *self.refs.positions.get(row as usize)?;
        if position != NO_ROW {
            return Some(position);
        }
        // A prototype stands for the item that the same discovered row made of it.
        let wanted = referrer?;
        let prototype = self.host.items.get(row as usize)?.id;
        self.refs.made.get(&made_key(prototype, wanted)).copied()
    }

    /// As [`Self::own_position`], also for items of other hosts, which get a mirror.
    pub(super) fn position(
        &mut self,
        reference: ItemId,
        referrer: Option<&Discovered>,
    ) -> Option<u32> {
        if let Some(own) = self.own_position(reference, referrer) {
            return Some(own);
        }
        if self.refs.rows.contains_key(&reference) {
            return None;
        }
        let (holder, row) = self.snapshot.item(reference)?;
        if holder.kind != HolderKind::Host || !row.is_live() {
            return None;
        }
        let mirror = mirror_of(holder, row);
        Some(self.mirror_position(mirror))
    }

    pub(super) fn mirror_position(&mut self, mirror: Mirror) -> u32 {
        let next = to_u32(self.rows.len() + self.mirrors.len());
        match self.mirror_positions.entry(mirror.item) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(it) => {
                self.mirrors.push(mirror);
                *it.insert(next)
            }
        }
    }

    /// The position of the host's own item with a key.
    pub(super) fn position_of_key(&self, key: &str) -> Option<u32> {
        self.keys.find(self.hasher, self.host, &self.rows, key)
    }

    /// The replacement of a text of an expression that names a secret of the vault: expressions
    /// must not have such.
    pub(super) fn secret_in(
        &self,
        text: &str,
        discovered: Option<&'a Discovered>,
    ) -> Option<Bound> {
        if !text.contains('{') {
            return None;
        }
        let (text, secrets) = self.expand(discovered).around_secrets(text);
        let written = text.get(secrets.first()?.place.clone()).unwrap_or_default();
        let why = format!(
            "Cannot evaluate expression: macro \"{written}\" is a secret of a vault, which expressions do not have"
        );
        Some(Bound::Unknown(why.into()))
    }

    /// Operands that are the same for every evaluation.
    pub(super) fn constant(
        &self,
        operand: &OperandRef,
        discovered: Option<&'a Discovered>,
    ) -> Bound {
        let text = match operand {
            OperandRef::UserMacro(it) | OperandRef::Macro(it) | OperandRef::Compound(it) => it,
            OperandRef::Call { name, .. } => {
                return Bound::Unknown(format!("Cannot evaluate function {name}()").into());
            }
            OperandRef::Function(_) | OperandRef::HistoryCall(_) => {
                return Bound::Unknown("Cannot evaluate expression: unexpected function".into());
            }
        };
        if let Some(refused) = self.secret_in(text, discovered) {
            return refused;
        }
        let value = self.expand(discovered).text(text);
        if value == *text {
            let why = format!("Cannot evaluate expression: unknown user macro \"{text}\"");
            return Bound::Unknown(why.into());
        }
        match formats::number::parse_suffixed(&value) {
            Some(number) => Bound::Number(number),
            None => Bound::Text(value.into()),
        }
    }
}

fn made_key(prototype: ItemId, discovered: &Discovered) -> (ItemId, ItemId, Arc<LldRow>) {
    (prototype, discovered.rule, Arc::clone(&discovered.row))
}

/// A value map of whatever holder.
pub(in super::super) fn value_map(snapshot: &Snapshot, id: ValueMapId) -> Option<&ValueMap> {
    let holder = snapshot.holder(*snapshot.valuemap_owner.get(&id)?)?;
    holder.valuemaps.iter().find(|it| it.valuemapid == id)
}

pub(super) fn mirror_of(host: &Host, row: &ItemRow) -> Mirror {
    Mirror {
        host: host.id,
        item: row.id,
        is_monitored: host.status == HostStatus::Monitored,
        host_name: Arc::clone(&host.host),
        key: row.key().as_ref().into(),
    }
}

pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).expect("a host has fewer than 2^32 items and triggers")
}
