//! From the difference of two snapshots to rows.
//!
//! The only way configuration gets into the tables. Own rows get their content id here, and the
//! shared copy of content that others have already.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use imbl::OrdMap;
use model::content::{Group, HostMacro, Interface, ValueMap};
use model::encryption::Encryption;
use model::snapshot::{
    Discovered, DiscoveredHost, GivenToHost, GraphRow, HolderKind, Host, HostPrototypeRow, ItemRow,
    LldRow, Lost, Snapshot, TriggerRow,
};
use model::{HostId, ItemId};
use serde::Serialize;

use super::contents::{Contents, Interned};
use super::rows::Identity;
use crate::auth::{SecretChange, to_hex};
use crate::configuration::editor::Outcome;
use crate::configuration::ids::Ids;
use crate::configuration::objects::{self, Stored};
use crate::error::DbError;
use crate::sql::schema::{
    CONTENT, DISCOVERED, DOCUMENTS, FAILED_LOGINS, GLOBAL_MACROS, GRAPHS, GROUP_DISCOVERIES,
    HOST_GROUPS, HOST_INVENTORY, HOST_MACROS, HOST_PROTOTYPES, HOST_TEMPLATES, HOSTS,
    HOSTS_IN_GROUPS, IDS, INTERFACES, ITEMS, OVERRIDES, SESSIONS, TEMPLATE_GROUPS, TOKEN_SECRETS,
    TOKENS, TRIGGERS, USER_GROUPS, USER_SECRETS, USERS, USERS_SEEN, VALUEMAPS,
};
use crate::sql::{Cell, Conflict, NarrowRows, Rows, Sql, Table, as_int};

/// The row of `ids` that holds the mark of the last edit.
const MARK: &str = "edit";

/// Epoch and mark of the last edit that was saved. Waits for a transaction that still writes them,
/// perhaps of a connection that is no more.
pub(crate) fn last_edit(sql: &mut dyn Sql) -> Result<(i64, i64), DbError> {
    // Takes the lock of the row that every edit changes.
    sql.execute("update ids set next = next where name = 'epoch'", &[])?;
    let (mut epoch, mut mark) = (-1, -1);
    sql.query("select name, next from ids", &[], &mut |row| {
        match row.text(0)? {
            "epoch" => epoch = row.int(1)?,
            MARK => mark = row.int(1)?,
            _ => {}
        }
        Ok(true)
    })?;
    Ok((epoch, mark))
}

/// Everything one edit writes.
pub(crate) struct Writes {
    /// Of this edit alone, to find out later whether it was saved.
    mark: i64,
    epoch_before: i64,
    epoch: i64,
    next_id: i64,
    narrow_inserts: Vec<NarrowRows>,
    narrow_updates: Vec<NarrowRows>,
    /// Inserted or replaced.
    upserts: Vec<Rows>,
    /// Table, column, values. Done before the upserts.
    deletes: BTreeMap<(&'static str, &'static str), (&'static Table, Vec<i64>)>,
    /// Kind and id.
    removed_documents: Vec<(&'static str, i64)>,
}

/// The rows that lead from `base` to the outcome. Takes the content ids from the outcome's ids.
pub(crate) fn writes(
    base: &Snapshot,
    outcome: &mut Outcome,
    contents: &mut Contents,
    mark: i64,
) -> Writes {
    let mut diff = Diff {
        contents,
        ids: &mut outcome.ids,
        items: Narrow::new(&ITEMS),
        triggers: Narrow::new(&TRIGGERS),
        graphs: Narrow::new(&GRAPHS),
        host_prototypes: Narrow::new(&HOST_PROTOTYPES),
        upserts: BTreeMap::new(),
        deletes: BTreeMap::new(),
        removed_documents: Vec::new(),
    };
    for id in &outcome.touched {
        diff.holder(*id, base, &mut outcome.snapshot);
    }
    let next = &outcome.snapshot;
    diff.inventories(&outcome.delta.inventories_changed, next);
    if outcome.delta.groups_changed {
        diff.groups(&HOST_GROUPS, &base.host_groups, &next.host_groups, |it| it.0);
        diff.groups(&TEMPLATE_GROUPS, &base.template_groups, &next.template_groups, |it| it.0);
        diff.group_discoveries(base, next);
    }
    if outcome.delta.globals_changed {
        diff.global_macros(base, next);
    }
    diff.documents(&outcome.delta.documents_changed, next);
    if outcome.delta.access_changed {
        diff.access(base, next);
    }
    diff.secrets(&outcome.secrets);
    let mut content_rows = Rows::new(&CONTENT);
    let mut content_deletes = Vec::new();
    diff.contents.changes(&mut content_rows, &mut content_deletes);
    diff.upserts.insert(CONTENT.name, content_rows);
    diff.delete(&CONTENT, "contentid", content_deletes);
    Writes {
        mark,
        epoch_before: as_int(base.epoch),
        epoch: as_int(next.epoch),
        next_id: as_int(diff.ids.next),
        narrow_inserts: vec![
            diff.items.inserts,
            diff.triggers.inserts,
            diff.graphs.inserts,
            diff.host_prototypes.inserts,
        ],
        narrow_updates: vec![
            diff.items.updates,
            diff.triggers.updates,
            diff.graphs.updates,
            diff.host_prototypes.updates,
        ],
        upserts: diff.upserts.into_values().filter(|it| !it.is_empty()).collect(),
        deletes: diff.deletes,
        removed_documents: diff.removed_documents,
    }
}

impl Writes {
    /// Rows of a table that is no configuration.
    pub(crate) fn add(&mut self, rows: Rows) {
        if !rows.is_empty() {
            self.upserts.push(rows);
        }
    }

    /// Writes everything; the caller holds the transaction.
    pub(crate) fn run(&self, sql: &mut dyn Sql) -> Result<(), DbError> {
        let n_changed = sql.execute(
            "update ids set next = ?1 where name = 'epoch' and next = ?2",
            &[Cell::Int(self.epoch), Cell::Int(self.epoch_before)],
        )?;
        if n_changed != 1 {
            let mut found = -1;
            sql.query("select next from ids where name = 'epoch'", &[], &mut |row| {
                found = row.int(0)?;
                Ok(false)
            })?;
            return Err(DbError::ForeignWrite { found, expected: self.epoch_before });
        }
        let mut ids = Rows::new(&IDS);
        ids.push([Cell::text("object"), Cell::Int(self.next_id)]);
        ids.push([Cell::text(MARK), Cell::Int(self.mark)]);
        sql.insert(&ids, Conflict::Update)?;
        for ((_, column), (table, values)) in &self.deletes {
            sql.delete(table, column, values)?;
        }
        // Few at a time: people delete them by hand.
        for (kind, id) in &self.removed_documents {
            let statement = "delete from documents where kind = ?1 and documentid = ?2";
            sql.execute(statement, &[Cell::text(*kind), Cell::Int(*id)])?;
        }
        for rows in self.narrow_inserts.iter().filter(|it| !it.is_empty()) {
            sql.insert_narrow(rows, Conflict::Fail)?;
        }
        for rows in self.narrow_updates.iter().filter(|it| !it.is_empty()) {
            sql.insert_narrow(rows, Conflict::Update)?;
        }
        for rows in &self.upserts {
            sql.insert(rows, Conflict::Update)?;
        }
        Ok(())
    }
}

struct Narrow {
    inserts: NarrowRows,
    updates: NarrowRows,
}

impl Narrow {
    fn new(table: &'static Table) -> Self {
        Self { inserts: NarrowRows::new(table), updates: NarrowRows::new(table) }
    }
}

struct Diff<'a> {
    contents: &'a mut Contents,
    ids: &'a mut Ids,
    items: Narrow,
    triggers: Narrow,
    graphs: Narrow,
    host_prototypes: Narrow,
    upserts: BTreeMap<&'static str, Rows>,
    deletes: BTreeMap<(&'static str, &'static str), (&'static Table, Vec<i64>)>,
    removed_documents: Vec<(&'static str, i64)>,
}

fn json(value: &(impl Serialize + ?Sized)) -> Cell {
    Cell::Text(serde_json::to_string(value).expect("configuration is plain data"))
}

fn position(at: usize) -> Cell {
    Cell::Int(i64::try_from(at).unwrap_or(i64::MAX))
}

impl Diff<'_> {
    fn upsert<const N: usize>(&mut self, table: &'static Table, row: [Cell; N]) {
        self.upserts.entry(table.name).or_insert_with(|| Rows::new(table)).push(row);
    }

    fn delete(&mut self, table: &'static Table, column: &'static str, values: Vec<i64>) {
        if !values.is_empty() {
            let key = (table.name, column);
            self.deletes.entry(key).or_insert_with(|| (table, Vec::new())).1.extend(values);
        }
    }

    fn holder(&mut self, id: HostId, base: &Snapshot, next: &mut Snapshot) {
        let old = base.holder(id);
        let is_host = next.hosts.contains_key(&id);
        let new = if is_host { next.hosts.get_mut(&id) } else { next.templates.get_mut(&id) };
        match new {
            Some(new) => {
                let new = Arc::make_mut(new);
                self.identities::<ItemRow>(old.map(|it| &**it), new);
                self.identities::<TriggerRow>(old.map(|it| &**it), new);
                self.identities::<GraphRow>(old.map(|it| &**it), new);
                self.identities::<HostPrototypeRow>(old.map(|it| &**it), new);
                self.parts(old.map(|it| &**it), new);
            }
            None => {
                if let Some(old) = old {
                    self.removed(old);
                }
            }
        }
    }

    /// Items, triggers or graphs of one holder: all lists are sorted by id.
    fn identities<R: Interned>(&mut self, old: Option<&Host>, new: &mut Host) {
        let hostid = as_int(new.id.0);
        let mut old = old.map(R::rows).unwrap_or_default().iter().peekable();
        for row in R::rows_mut(new) {
            while let Some(gone) = old.next_if(|it| it.id() < row.id()) {
                self.removed_row(gone);
            }
            let before = old.next_if(|it| it.id() == row.id());
            self.row(hostid, before, row);
        }
        for gone in old {
            self.removed_row(gone);
        }
    }

    fn row<R: Interned>(&mut self, hostid: i64, old: Option<&R>, new: &mut R) {
        let same_content = old.is_some_and(|it| Arc::ptr_eq(it.content(), new.content()));
        let was_own = old.is_some_and(Identity::is_own);
        let same_place = old.is_some_and(|it| {
            it.source() == new.source() && it.flags() == new.flags() && it.is_own() == new.is_own()
        });
        if !(same_place && (same_content || !was_own)) {
            let mut contentid = 0;
            if new.is_own() {
                let (id, shared) = R::shelf(self.contents).acquire(new.content(), self.ids);
                new.set_content(shared);
                contentid = as_int(id.0);
            }
            if let Some(old) = old.filter(|it| it.is_own()) {
                R::shelf(self.contents).release(old.content());
            }
            let cells = [
                as_int(new.id()),
                hostid,
                as_int(new.source()),
                contentid,
                i64::from(new.flags().code()),
            ];
            let narrow = match R::KIND {
                super::KIND_ITEM => &mut self.items,
                super::KIND_TRIGGER => &mut self.triggers,
                super::KIND_GRAPH => &mut self.graphs,
                _ => &mut self.host_prototypes,
            };
            let rows = if old.is_some() { &mut narrow.updates } else { &mut narrow.inserts };
            rows.cells.extend(cells);
        }
        if !old.map_or(new.overrides().is_none() && new.discovered().is_none(), |it| {
            it.has_same_extra(new)
        }) {
            self.extra(old, new);
        }
    }

    fn extra<R: Identity>(&mut self, old: Option<&R>, new: &R) {
        let id = Cell::id(new.id());
        match new.overrides() {
            Some(it) => self.upsert(&OVERRIDES, [id.clone(), Cell::Int(R::KIND), json(it)]),
            None if old.is_some_and(|it| it.overrides().is_some()) => {
                self.delete(&OVERRIDES, "id", vec![as_int(new.id())]);
            }
            None => {}
        }
        match new.discovered() {
            Some(it) => self.upsert(&DISCOVERED, discovered_row(id, new, it)),
            None if old.is_some_and(|it| it.discovered().is_some()) => {
                self.delete(&DISCOVERED, "id", vec![as_int(new.id())]);
            }
            None => {}
        }
    }

    fn removed_row<R: Interned>(&mut self, old: &R) {
        if old.is_own() {
            R::shelf(self.contents).release(old.content());
        }
        let id = as_int(old.id());
        self.delete(R::table(), R::table().primary_key[0], vec![id]);
        if old.overrides().is_some() {
            self.delete(&OVERRIDES, "id", vec![id]);
        }
        if old.discovered().is_some() {
            self.delete(&DISCOVERED, "id", vec![id]);
        }
    }

    fn removed(&mut self, old: &Host) {
        for row in &old.items {
            self.removed_row(row);
        }
        for row in &old.triggers {
            self.removed_row(row);
        }
        for row in &old.graphs {
            self.removed_row(row);
        }
        for row in &old.host_prototypes {
            self.removed_row(row);
        }
        for table in [&HOSTS, &HOSTS_IN_GROUPS, &HOST_TEMPLATES] {
            self.delete(table, "hostid", vec![as_int(old.id.0)]);
        }
        self.list(&INTERFACES, old.id, &old.interfaces, &[]);
        self.list(&HOST_MACROS, old.id, &old.macros, &[]);
        self.list(&VALUEMAPS, old.id, &old.valuemaps, &[]);
    }

    fn parts(&mut self, old: Option<&Host>, new: &Host) {
        let body = HostBody::of(new);
        let is_same = old.is_some_and(|it| {
            it.host == new.host
                && it.name == new.name
                && it.status == new.status
                && HostBody::of(it) == body
        });
        if !is_same {
            self.upsert(
                &HOSTS,
                [
                    Cell::id(new.id.0),
                    Cell::Int(i64::from(new.kind == HolderKind::Template)),
                    Cell::text(&*new.host),
                    Cell::text(&*new.name),
                    Cell::Int(i64::from(new.status.code())),
                    json(&body),
                ],
            );
        }
        let groups = |it: &Host| -> Vec<u64> {
            let of_host = it.groups.iter().map(|it| it.0);
            of_host.chain(it.template_groups.iter().map(|it| it.0)).collect()
        };
        let templates = |it: &Host| -> Vec<u64> { it.templates.iter().map(|it| it.0).collect() };
        let old_groups = old.map(groups).unwrap_or_default();
        self.links(&HOSTS_IN_GROUPS, new.id, &old_groups, &groups(new));
        let old_templates = old.map(templates).unwrap_or_default();
        self.links(&HOST_TEMPLATES, new.id, &old_templates, &templates(new));
        let old_interfaces = old.map(|it| it.interfaces.as_slice()).unwrap_or_default();
        self.list(&INTERFACES, new.id, old_interfaces, &new.interfaces);
        let old_macros = old.map(|it| it.macros.as_slice()).unwrap_or_default();
        self.list(&HOST_MACROS, new.id, old_macros, &new.macros);
        let old_valuemaps = old.map(|it| it.valuemaps.as_slice()).unwrap_or_default();
        self.list(&VALUEMAPS, new.id, old_valuemaps, &new.valuemaps);
    }

    /// Ordered links of a holder: rewritten whole where they differ.
    fn links(&mut self, table: &'static Table, holder: HostId, old: &[u64], new: &[u64]) {
        if old == new {
            return;
        }
        if !old.is_empty() {
            self.delete(table, "hostid", vec![as_int(holder.0)]);
        }
        for (at, id) in new.iter().enumerate() {
            self.upsert(table, [Cell::id(holder.0), Cell::id(*id), position(at)]);
        }
    }

    fn list<P: Part>(&mut self, table: &'static Table, holder: HostId, old: &[P], new: &[P]) {
        if old == new {
            return;
        }
        let before: BTreeMap<u64, (usize, &P)> =
            old.iter().enumerate().map(|(at, it)| (it.id(), (at, it))).collect();
        let mut gone = before.clone();
        for (at, part) in new.iter().enumerate() {
            gone.remove(&part.id());
            if before.get(&part.id()) != Some(&(at, part)) {
                let row = [Cell::id(part.id()), Cell::id(holder.0), position(at), json(part)];
                self.upsert(table, row);
            }
        }
        let gone = gone.into_keys().map(as_int).collect();
        self.delete(table, table.primary_key[0], gone);
    }

    fn inventories(&mut self, changed: &[HostId], next: &Snapshot) {
        for id in changed {
            match next.inventories.get(id) {
                Some(it) => self.upsert(&HOST_INVENTORY, [Cell::id(id.0), json(&**it)]),
                None => self.delete(&HOST_INVENTORY, "hostid", vec![as_int(id.0)]),
            }
        }
    }

    fn groups<Id: Ord + Copy + Debug>(
        &mut self,
        table: &'static Table,
        old: &OrdMap<Id, Arc<Group>>,
        new: &OrdMap<Id, Arc<Group>>,
        number: impl Fn(Id) -> u64,
    ) {
        for (id, group) in new {
            if !old.get(id).is_some_and(|it| Arc::ptr_eq(it, group)) {
                let cells = [
                    Cell::id(number(*id)),
                    Cell::text(group.name.as_str()),
                    Cell::text(group.uuid.as_str()),
                ];
                self.upsert(table, cells);
            }
        }
        let gone = old.keys().filter(|it| !new.contains_key(*it));
        self.delete(table, "groupid", gone.map(|it| as_int(number(*it))).collect());
    }

    fn group_discoveries(&mut self, base: &Snapshot, next: &Snapshot) {
        let (old, new) = (&base.group_discoveries, &next.group_discoveries);
        for (id, it) in new {
            if !old.get(id).is_some_and(|old| Arc::ptr_eq(old, it)) {
                self.upsert(&GROUP_DISCOVERIES, [Cell::id(id.0), json(&**it)]);
            }
        }
        let gone = old.keys().filter(|it| !new.contains_key(*it));
        self.delete(&GROUP_DISCOVERIES, "groupid", gone.map(|it| as_int(it.0)).collect());
    }

    fn global_macros(&mut self, base: &Snapshot, next: &Snapshot) {
        let (old, new) = (&base.globals.macros, &next.globals.macros);
        for it in new.iter().filter(|it| !old.contains(it)) {
            self.upsert(&GLOBAL_MACROS, [Cell::id(it.hostmacroid.0), json(it)]);
        }
        let gone = old.iter().map(|it| it.hostmacroid);
        let gone = gone.filter(|id| new.iter().all(|it| it.hostmacroid != *id));
        self.delete(&GLOBAL_MACROS, "globalmacroid", gone.map(|it| as_int(it.0)).collect());
    }

    fn documents(&mut self, changed: &[(&'static str, u64)], next: &Snapshot) {
        for (kind, id) in changed {
            match next.documents.get(kind, *id) {
                Some(it) => {
                    let version = objects::named(kind).map_or(1, Stored::version);
                    let row =
                        [Cell::text(*kind), Cell::id(*id), Cell::Int(version), json(&it.body)];
                    self.upsert(&DOCUMENTS, row);
                }
                None => self.removed_documents.push((kind, as_int(*id))),
            }
        }
    }

    fn access(&mut self, base: &Snapshot, next: &Snapshot) {
        let (old, new) = (&base.access, &next.access);
        self.objects(&USERS, &old.users, &new.users, |id, it| {
            [Cell::id(id.0), Cell::text(it.username.as_str()), json(it)]
        });
        self.objects(&USER_GROUPS, &old.groups, &new.groups, |id, it| {
            [Cell::id(id.0), Cell::text(it.name.as_str()), json(it)]
        });
        self.objects(&TOKENS, &old.tokens, &new.tokens, |id, it| {
            [Cell::id(id.0), Cell::id(it.userid.0), Cell::text(it.name.as_str()), json(it)]
        });
        let numbers = |it: Vec<u64>| -> Vec<i64> { it.into_iter().map(as_int).collect() };
        self.delete(&USERS, "userid", numbers(gone(&old.users, &new.users, |it| it.0)));
        self.delete(&USER_GROUPS, "usrgrpid", numbers(gone(&old.groups, &new.groups, |it| it.0)));
        self.delete(&TOKENS, "tokenid", numbers(gone(&old.tokens, &new.tokens, |it| it.0)));
    }

    fn objects<Id: Ord + Copy, T, const N: usize>(
        &mut self,
        table: &'static Table,
        old: &OrdMap<Id, Arc<T>>,
        new: &OrdMap<Id, Arc<T>>,
        row: impl Fn(Id, &T) -> [Cell; N],
    ) {
        for (id, it) in new {
            if !old.get(id).is_some_and(|before| Arc::ptr_eq(before, it)) {
                self.upsert(table, row(*id, it));
            }
        }
    }

    fn secrets(&mut self, changes: &[SecretChange]) {
        for change in changes {
            match change {
                SecretChange::SetPassword { user, hash } => {
                    self.upsert(&USER_SECRETS, [Cell::id(user.0), Cell::text(hash.as_str())]);
                }
                SecretChange::DropUser(user) => {
                    self.delete(&USER_SECRETS, "userid", vec![as_int(user.0)]);
                    self.delete(&FAILED_LOGINS, "userid", vec![as_int(user.0)]);
                    self.delete(&USERS_SEEN, "userid", vec![as_int(user.0)]);
                    self.delete(&SESSIONS, "userid", vec![as_int(user.0)]);
                }
                SecretChange::SetToken { token, hash } => {
                    self.upsert(&TOKEN_SECRETS, [Cell::id(token.0), Cell::Text(to_hex(hash))]);
                }
                SecretChange::DropToken(token) => {
                    self.delete(&TOKEN_SECRETS, "tokenid", vec![as_int(token.0)]);
                }
                SecretChange::EndSessions(user) => {
                    self.delete(&SESSIONS, "userid", vec![as_int(user.0)]);
                }
            }
        }
    }
}

fn gone<Id: Ord + Copy, T>(
    old: &OrdMap<Id, Arc<T>>,
    new: &OrdMap<Id, Arc<T>>,
    number: impl Fn(Id) -> u64,
) -> Vec<u64> {
    old.keys().filter(|it| !new.contains_key(*it)).map(|it| number(*it)).collect()
}

fn discovered_row<R: Identity>(id: Cell, row: &R, it: &Discovered) -> [Cell; 10] {
    let (key, name) = row.texts();
    let lost = it.lost();
    [
        id,
        Cell::Int(R::KIND),
        Cell::id(it.rule.0),
        Cell::id(it.prototype),
        Cell::text(&*key),
        Cell::text(&*name),
        json(&*it.row),
        Cell::Int(lost.since),
        Cell::Int(lost.delete_at),
        Cell::Int(lost.disable_at),
    ]
}

/// The fields of a host or template that have no column or table of their own.
#[derive(Serialize, serde::Deserialize, PartialEq, Eq, Default)]
#[serde(default)]
pub(super) struct HostBody {
    pub(super) description: String,
    pub(super) uuid: String,
    pub(super) tags: Vec<model::content::Tag>,
    pub(super) inventory_mode: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parents: Vec<HostId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) vendor: Option<model::content::Vendor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ipmi: Option<model::content::IpmiLogin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) encryption: Option<Encryption>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) discovered: Option<HostDiscovery>,
}

/// Where a discovered host comes from, as it is kept.
#[derive(Serialize, serde::Deserialize, PartialEq, Eq)]
pub(super) struct HostDiscovery {
    prototype: u64,
    rule: ItemId,
    row: LldRow,
    #[serde(default)]
    lost: [i64; 3],
    #[serde(default)]
    given: GivenToHost,
}

impl HostDiscovery {
    fn of(it: &DiscoveredHost) -> Self {
        let lost = it.by.lost();
        Self {
            prototype: it.by.prototype,
            rule: it.by.rule,
            row: LldRow::clone(&it.by.row),
            lost: [lost.since, lost.delete_at, lost.disable_at],
            given: it.given.clone(),
        }
    }

    pub(super) fn read(self) -> DiscoveredHost {
        let mut by = Discovered::new(self.prototype, self.rule, Arc::new(self.row));
        let [since, delete_at, disable_at] = self.lost;
        by.set_lost(Lost { since, delete_at, disable_at });
        DiscoveredHost { by, given: self.given }
    }
}

impl HostBody {
    fn of(host: &Host) -> Self {
        Self {
            description: host.description.clone(),
            uuid: host.uuid.clone(),
            tags: host.tags.clone(),
            inventory_mode: i64::from(host.inventory_mode.code()),
            parents: host.parents.clone(),
            vendor: host.vendor.as_deref().cloned(),
            ipmi: host.ipmi.as_deref().cloned(),
            encryption: host.encryption.as_deref().cloned(),
            discovered: host.discovered.as_deref().map(HostDiscovery::of),
        }
    }
}

/// A part of a holder with an id and a place in a list.
trait Part: Serialize + PartialEq {
    fn id(&self) -> u64;
}

impl Part for Interface {
    fn id(&self) -> u64 {
        self.interfaceid.0
    }
}

impl Part for HostMacro {
    fn id(&self) -> u64 {
        self.hostmacroid.0
    }
}

impl Part for ValueMap {
    fn id(&self) -> u64 {
        self.valuemapid.0
    }
}
