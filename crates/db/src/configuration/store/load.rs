//! The whole configuration from the tables.
//!
//! Identity rows come in order of id, a million of them in about a second, so nothing is looked up
//! per row but the content of its source: first templates are resolved (each row needs the one it
//! inherits from), then hosts, then what was discovered (which needs its prototype).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use imbl::OrdMap;
use model::content::{
    Group, HostMacro, HostStatus, Interface, Inventory, InventoryMode, ItemFlags, ValueMap,
};
use model::document::{Body, Document};
use model::map::Map;
use model::snapshot::{
    Access, Discovered, Globals, GraphRow, HolderKind, Host, HostPrototypeRow, ItemRow, LldNames,
    LldRow, Lost, LostTogether, RowIndex, Snapshot, TriggerRow,
};
use model::{
    ContentId, GroupId, HostId, InterfaceId, ItemId, TemplateGroupId, TokenId, UserGroupId, UserId,
    ValueMapId,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::applied::Overridden;
use super::contents::{Contents, Interned, Shelf};
use super::persist::HostBody;
use super::rows::Identity;
use super::{Applied, KIND_GRAPH, KIND_HOST_PROTOTYPE, KIND_ITEM, KIND_TRIGGER, applied};
use crate::auth::{FailedLogins, Secrets, Seen, SessionState, from_hex};
use crate::configuration::editor::Crossing;
use crate::configuration::ids::Ids;
use crate::configuration::objects;
use crate::error::DbError;
use crate::sql::schema::DOCUMENTS;
use crate::sql::{Cell, Conflict, Rows, Sql};

/// The result of [`load`].
pub(crate) struct Loaded {
    pub(crate) snapshot: Snapshot,
    pub(crate) secrets: Secrets,
    pub(crate) ids: Ids,
    pub(crate) contents: Contents,
    pub(crate) cross: Crossing,
}

fn parse<T: DeserializeOwned>(table: &'static str, id: u64, text: &str) -> Result<T, DbError> {
    serde_json::from_str(text).map_err(|error| damaged(table, id, &error.to_string()))
}

fn damaged(table: &'static str, id: u64, what: &str) -> DbError {
    DbError::Damaged { table, id, what: what.to_owned() }
}

pub(crate) fn load(sql: &mut dyn Sql) -> Result<Loaded, DbError> {
    let mut snapshot = Snapshot::default();
    let mut next_id = Ids::FIRST;
    sql.query("select name, next from ids", &[], &mut |row| {
        match row.text(0)? {
            "object" => next_id = row.id(1)?,
            "epoch" => snapshot.epoch = row.id(1)?,
            _ => {}
        }
        Ok(true)
    })?;
    load_groups(sql, &mut snapshot)?;
    snapshot.globals = Arc::new(load_globals(sql)?);
    snapshot.access = Arc::new(load_access(sql)?);
    load_documents(sql, &mut snapshot)?;
    let mut holders = load_holders(sql)?;
    snapshot.inventories = load_inventories(sql, &holders)?;
    let mut contents = load_contents(sql)?;
    let mut extras = load_extras(sql)?;
    load_identities::<ItemRow>(sql, &mut holders, &mut contents, &mut extras)?;
    load_identities::<TriggerRow>(sql, &mut holders, &mut contents, &mut extras)?;
    load_identities::<GraphRow>(sql, &mut holders, &mut contents, &mut extras)?;
    load_identities::<HostPrototypeRow>(sql, &mut holders, &mut contents, &mut extras)?;
    contents.items.loaded();
    contents.triggers.loaded();
    contents.graphs.loaded();
    contents.host_prototypes.loaded();
    let cross = index(&mut snapshot, holders);
    Ok(Loaded {
        snapshot,
        secrets: load_secrets(sql)?,
        ids: Ids { next: next_id },
        contents,
        cross,
    })
}

fn load_groups(sql: &mut dyn Sql, snapshot: &mut Snapshot) -> Result<(), DbError> {
    sql.query("select groupid, name, uuid from host_groups", &[], &mut |row| {
        let group = Group { name: row.text(1)?.to_owned(), uuid: row.text(2)?.to_owned() };
        snapshot.host_groups.insert(GroupId(row.id(0)?), Arc::new(group));
        Ok(true)
    })?;
    snapshot.group_discoveries = load_objects(sql, "group_discoveries", "groupid", GroupId)?;
    sql.query("select groupid, name, uuid from template_groups", &[], &mut |row| {
        let group = Group { name: row.text(1)?.to_owned(), uuid: row.text(2)?.to_owned() };
        snapshot.template_groups.insert(TemplateGroupId(row.id(0)?), Arc::new(group));
        Ok(true)
    })
}

fn load_globals(sql: &mut dyn Sql) -> Result<Globals, DbError> {
    let mut globals = Globals::default();
    let statement = "select globalmacroid, body from global_macros order by globalmacroid";
    sql.query(statement, &[], &mut |row| {
        globals.macros.push(parse("global_macros", row.id(0)?, row.text(1)?)?);
        Ok(true)
    })?;
    Ok(globals)
}

/// A table of (id, JSON).
fn load_objects<Id: Ord + Clone, T: DeserializeOwned>(
    sql: &mut dyn Sql,
    table: &'static str,
    id_column: &str,
    id: impl Fn(u64) -> Id,
) -> Result<OrdMap<Id, Arc<T>>, DbError> {
    let mut objects = OrdMap::new();
    sql.query(&format!("select {id_column}, body from {table}"), &[], &mut |row| {
        let number = row.id(0)?;
        objects.insert(id(number), Arc::new(parse(table, number, row.text(1)?)?));
        Ok(true)
    })?;
    Ok(objects)
}

fn load_access(sql: &mut dyn Sql) -> Result<Access, DbError> {
    Ok(Access {
        users: load_objects(sql, "users", "userid", UserId)?,
        groups: load_objects(sql, "user_groups", "usrgrpid", UserGroupId)?,
        // Made of documents.
        roles: OrdMap::new(),
        tokens: load_objects(sql, "tokens", "tokenid", TokenId)?,
    })
}

/// Bodies of older versions are brought to the newest one, also in the table.
fn load_documents(sql: &mut dyn Sql, snapshot: &mut Snapshot) -> Result<(), DbError> {
    let mut upgraded = Rows::new(&DOCUMENTS);
    let statement =
        "select kind, documentid, version, body from documents order by kind, documentid";
    sql.query(statement, &[], &mut |row| {
        let (id, version) = (row.id(1)?, row.int(2)?);
        let stored = objects::named(row.text(0)?)
            .ok_or_else(|| damaged("documents", id, "of a kind that this version does not know"))?;
        let kind = stored.object.name;
        let mut body: Body = parse("documents", id, row.text(3)?)?;
        if version != stored.version() {
            stored
                .upgrade(version, &mut body)
                .ok_or(DbError::FromTheFuture { found: version, known: stored.version() })?;
            upgraded.push([
                Cell::text(kind),
                Cell::id(id),
                Cell::Int(stored.version()),
                Cell::Text(Json::Object(body.clone()).to_string()),
            ]);
        }
        (stored.project)(snapshot, id, Some(&body))
            .map_err(|error| damaged("documents", id, &error.to_string()))?;
        let key = stored.key_of(&body);
        snapshot.documents.put(kind, Document { id, key, body });
        Ok(true)
    })?;
    if !upgraded.is_empty() {
        sql.insert(&upgraded, Conflict::Update)?;
    }
    objects::complete_singles(snapshot);
    Ok(())
}

fn load_secrets(sql: &mut dyn Sql) -> Result<Secrets, DbError> {
    let mut secrets = Secrets::default();
    sql.query("select userid, password_hash from user_secrets", &[], &mut |row| {
        secrets.passwords.insert(UserId(row.id(0)?), row.text(1)?.to_owned());
        Ok(true)
    })?;
    sql.query("select tokenid, hash from token_secrets", &[], &mut |row| {
        let id = row.id(0)?;
        let hash = from_hex(row.text(1)?).ok_or_else(|| damaged("token_secrets", id, "hash"))?;
        secrets.tokens.insert(hash, TokenId(id));
        Ok(true)
    })?;
    sql.query("select userid, hash, created_at, used_at from sessions", &[], &mut |row| {
        let id = row.id(0)?;
        let hash = from_hex(row.text(1)?).ok_or_else(|| damaged("sessions", id, "hash"))?;
        let used_at = row.int(3)?;
        let session =
            SessionState { user: UserId(id), created_at: row.int(2)?, used_at, saved_at: used_at };
        secrets.sessions.insert(hash, session);
        Ok(true)
    })?;
    sql.query("select userid, n, ip, clock from failed_logins", &[], &mut |row| {
        let n = u32::try_from(row.int(1)?).unwrap_or(u32::MAX);
        let failed = FailedLogins { n, ip: row.text(2)?.to_owned(), clock: row.int(3)? };
        secrets.failed.insert(UserId(row.id(0)?), failed);
        Ok(true)
    })?;
    sql.query("select userid, clock from users_seen", &[], &mut |row| {
        let clock = row.int(1)?;
        secrets.seen.insert(UserId(row.id(0)?), Seen { clock, saved_at: clock });
        Ok(true)
    })?;
    Ok(secrets)
}

type Holders = BTreeMap<HostId, Host>;

fn load_holders(sql: &mut dyn Sql) -> Result<Holders, DbError> {
    let mut holders = Holders::new();
    let statement = "select hostid, kind, host, name, status, body from hosts order by hostid";
    sql.query(statement, &[], &mut |row| {
        let id = row.id(0)?;
        let body: HostBody = parse("hosts", id, row.text(5)?)?;
        let kind = if row.int(1)? == 0 { HolderKind::Host } else { HolderKind::Template };
        let status = HostStatus::from_code(row.int(4)?);
        let host = Host {
            id: HostId(id),
            kind,
            host: row.text(2)?.into(),
            name: row.text(3)?.into(),
            status: status.ok_or_else(|| damaged("hosts", id, "status"))?,
            description: body.description,
            uuid: body.uuid,
            groups: Vec::new(),
            template_groups: Vec::new(),
            templates: Vec::new(),
            parents: body.parents,
            interfaces: Vec::new(),
            macros: Vec::new(),
            tags: body.tags,
            valuemaps: Vec::new(),
            inventory_mode: InventoryMode::from_code(body.inventory_mode)
                .ok_or_else(|| damaged("hosts", id, "inventory_mode"))?,
            vendor: body.vendor.map(Arc::new),
            ipmi: body.ipmi.map(Arc::new),
            encryption: body.encryption.map(Arc::new),
            items: Vec::new(),
            triggers: Vec::new(),
            graphs: Vec::new(),
            host_prototypes: Vec::new(),
            discovered: body.discovered.map(|it| Box::new(it.read())),
            row_index: RowIndex::default(),
        };
        holders.insert(host.id, host);
        Ok(true)
    })?;
    load_links(sql, &mut holders)?;
    load_part(sql, &mut holders, "interfaces", |host, it: Interface| host.interfaces.push(it))?;
    load_part(sql, &mut holders, "host_macros", |host, it: HostMacro| host.macros.push(it))?;
    load_part(sql, &mut holders, "valuemaps", |host, it: ValueMap| host.valuemaps.push(it))?;
    Ok(holders)
}

fn load_inventories(
    sql: &mut dyn Sql,
    holders: &Holders,
) -> Result<OrdMap<HostId, Arc<Inventory>>, DbError> {
    let mut inventories = OrdMap::new();
    sql.query("select hostid, body from host_inventory", &[], &mut |row| {
        let id = row.id(0)?;
        if !holders.contains_key(&HostId(id)) {
            return Err(damaged("host_inventory", id, "no such host"));
        }
        let inventory: Inventory = parse("host_inventory", id, row.text(1)?)?;
        inventories.insert(HostId(id), Arc::new(inventory));
        Ok(true)
    })?;
    Ok(inventories)
}

fn load_links(sql: &mut dyn Sql, holders: &mut Holders) -> Result<(), DbError> {
    let statement = "select hostid, groupid from hosts_in_groups order by hostid, position";
    sql.query(statement, &[], &mut |row| {
        let (id, group) = (row.id(0)?, row.id(1)?);
        let host = holders.get_mut(&HostId(id));
        let host = host.ok_or_else(|| damaged("hosts_in_groups", id, "no such host"))?;
        match host.kind {
            HolderKind::Host => host.groups.push(GroupId(group)),
            HolderKind::Template => host.template_groups.push(TemplateGroupId(group)),
        }
        Ok(true)
    })?;
    let statement = "select hostid, templateid from host_templates order by hostid, position";
    sql.query(statement, &[], &mut |row| {
        let id = row.id(0)?;
        let host = holders.get_mut(&HostId(id));
        let host = host.ok_or_else(|| damaged("host_templates", id, "no such host"))?;
        host.templates.push(HostId(row.id(1)?));
        Ok(true)
    })
}

fn load_part<T: DeserializeOwned>(
    sql: &mut dyn Sql,
    holders: &mut Holders,
    table: &'static str,
    push: impl Fn(&mut Host, T),
) -> Result<(), DbError> {
    let statement = format!("select hostid, body from {table} order by hostid, position");
    sql.query(&statement, &[], &mut |row| {
        let id = row.id(0)?;
        let host = holders.get_mut(&HostId(id));
        let host = host.ok_or_else(|| damaged(table, id, "no such host"))?;
        push(host, parse(table, id, row.text(1)?)?);
        Ok(true)
    })
}

fn load_contents(sql: &mut dyn Sql) -> Result<Contents, DbError> {
    let mut contents = Contents::default();
    sql.query("select contentid, kind, body from content", &[], &mut |row| {
        let (id, body) = (row.id(0)?, row.text(2)?);
        match row.int(1)? {
            KIND_ITEM => contents.items.load(ContentId(id), Arc::new(parse("content", id, body)?)),
            KIND_TRIGGER => {
                contents.triggers.load(ContentId(id), Arc::new(parse("content", id, body)?));
            }
            KIND_GRAPH => {
                contents.graphs.load(ContentId(id), Arc::new(parse("content", id, body)?));
            }
            KIND_HOST_PROTOTYPE => {
                let content = Arc::new(parse("content", id, body)?);
                contents.host_prototypes.load(ContentId(id), content);
            }
            _ => return Err(damaged("content", id, "unknown kind")),
        }
        Ok(true)
    })?;
    Ok(contents)
}

/// Data that few rows have, by object id (one number space for all).
#[derive(Default)]
struct Extras {
    overrides: Map<u64, String>,
    discovered: Map<u64, DiscoveredObject>,
    /// Keys and names of what was discovered. In one piece: freeing single texts would leave holes
    /// in memory.
    texts: String,
}

/// The origin of a discovered object, and the position of its row's texts.
struct DiscoveredObject {
    discovered: Discovered,
    key: Range<usize>,
    name: Range<usize>,
}

impl Extras {
    fn add_text(&mut self, text: &str) -> Range<usize> {
        let start = self.texts.len();
        self.texts.push_str(text);
        start..self.texts.len()
    }

    fn text(&self, range: &Range<usize>) -> &str {
        self.texts.get(range.clone()).unwrap_or_default()
    }
}

fn load_extras(sql: &mut dyn Sql) -> Result<Extras, DbError> {
    let mut extras = Extras::default();
    sql.query("select id, body from overrides", &[], &mut |row| {
        extras.overrides.insert(row.id(0)?, row.text(1)?.to_owned());
        Ok(true)
    })?;
    let mut names = LldNames::default();
    // Objects of one row share it.
    let mut shared: Map<(u64, String), Arc<LldRow>> = Map::default();
    let statement = "select id, ruleid, prototypeid, key_, name, row_, lost_since, delete_at, \
                     disable_at from discovered";
    sql.query(statement, &[], &mut |row| {
        let (id, rule, text) = (row.id(0)?, row.id(1)?, row.text(5)?);
        let lld_row = match shared.get(&(rule, text.to_owned())) {
            Some(it) => Arc::clone(it),
            None => {
                let mut parsed: LldRow = parse("discovered", id, text)?;
                names.share(&mut parsed);
                let parsed = Arc::new(parsed);
                shared.insert((rule, text.to_owned()), Arc::clone(&parsed));
                parsed
            }
        };
        let mut discovered = Discovered::new(row.id(2)?, ItemId(rule), lld_row);
        discovered.set_lost(Lost {
            since: row.int(6)?,
            delete_at: row.int(7)?,
            disable_at: row.int(8)?,
        });
        let (key, name) = (extras.add_text(row.text(3)?), extras.add_text(row.text(4)?));
        extras.discovered.insert(id, DiscoveredObject { discovered, key, name });
        Ok(true)
    })?;
    Ok(extras)
}

/// An identity row as it stands in the table.
struct Narrow {
    id: u64,
    host: HostId,
    source: u64,
    content: u64,
    flags: ItemFlags,
}

fn load_identities<R: Interned + Overridden>(
    sql: &mut dyn Sql,
    holders: &mut Holders,
    contents: &mut Contents,
    extras: &mut Extras,
) -> Result<(), DbError> {
    let (of_templates, of_hosts) = read_narrow::<R>(sql, holders)?;
    let mut resolver = Resolver::<R> {
        applied: contents.applied.clone(),
        shelf: R::shelf(contents),
        by_id: Map::default(),
        together: LostTogether::default(),
        table: R::table().name,
    };
    let mut pending: Map<u64, &Narrow> = Map::default();
    for narrow in &of_templates {
        pending.insert(narrow.id, narrow);
    }
    for narrow in &of_templates {
        resolver.resolve_chain(narrow, &pending, extras)?;
    }
    // Rows of a holder mostly lie together: it is looked up once for all of them.
    let same_host = |one: &Narrow, other: &Narrow| one.host == other.host;
    for rows in [&of_templates, &of_hosts].into_iter().flat_map(|it| it.chunk_by(same_host)) {
        let host = holder_of::<R>(rows, holders)?;
        for narrow in rows {
            if !has(&extras.discovered, narrow.id) {
                resolver.push(narrow, host, extras)?;
            }
        }
    }
    if extras.discovered.is_empty() {
        return Ok(());
    }
    let mut unsorted = Vec::new();
    for rows in of_hosts.chunk_by(same_host) {
        let host = holder_of::<R>(rows, holders)?;
        for narrow in rows {
            if has(&extras.discovered, narrow.id) {
                resolver.push(narrow, host, extras)?;
                unsorted.push(narrow.host);
            }
        }
    }
    unsorted.dedup();
    for host in unsorted {
        if let Some(host) = holders.get_mut(&host) {
            R::rows_mut(host).sort_unstable_by_key(Identity::id);
        }
    }
    Ok(())
}

/// The holder of rows that lie together.
fn holder_of<'a, R: Identity>(
    rows: &[Narrow],
    holders: &'a mut Holders,
) -> Result<&'a mut Host, DbError> {
    let (id, host) = rows.first().map_or((0, HostId(0)), |it| (it.id, it.host));
    holders.get_mut(&host).ok_or_else(|| damaged(R::table().name, id, "no such host"))
}

/// Of maps that are empty mostly.
fn has<V>(map: &Map<u64, V>, id: u64) -> bool {
    !map.is_empty() && map.contains_key(&id)
}

type Split = (Vec<Narrow>, Vec<Narrow>);

/// Rows of templates and rows of hosts, each in order of id.
fn read_narrow<R: Identity>(sql: &mut dyn Sql, holders: &mut Holders) -> Result<Split, DbError> {
    let table = R::table();
    let statement = format!(
        "select {} from {} order by {}",
        table.column_list(),
        table.name,
        table.primary_key[0]
    );
    let (mut of_templates, mut of_hosts) = Split::default();
    let mut counts: Map<HostId, (usize, HolderKind)> =
        holders.iter().map(|(id, it)| (*id, (0, it.kind))).collect();
    // Rows of the holder that the last ones were of.
    let mut last = (HostId(0), 0, HolderKind::Host);
    let count = |counts: &mut Map<HostId, (usize, HolderKind)>, (host, n, _)| {
        if let Some(count) = counts.get_mut(&host) {
            count.0 += n;
        }
    };
    sql.query(&statement, &[], &mut |row| {
        let id = row.id(0)?;
        let flags = ItemFlags::from_code(row.int(4)?);
        let narrow = Narrow {
            id,
            host: HostId(row.id(1)?),
            source: row.id(2)?,
            content: row.id(3)?,
            flags: flags.ok_or_else(|| damaged(table.name, id, "unknown flags"))?,
        };
        if last.0 != narrow.host {
            count(&mut counts, last);
            let kind = counts.get(&narrow.host).map(|it| it.1);
            last = (narrow.host, 0, kind.ok_or_else(|| damaged(table.name, id, "no such host"))?);
        }
        last.1 += 1;
        match last.2 {
            HolderKind::Template => of_templates.push(narrow),
            HolderKind::Host => of_hosts.push(narrow),
        }
        Ok(true)
    })?;
    count(&mut counts, last);
    for (id, (count, _)) in counts {
        if let Some(host) = holders.get_mut(&id) {
            R::rows_mut(host).reserve_exact(count);
        }
    }
    Ok((of_templates, of_hosts))
}

/// Finds the content that counts for a row.
struct Resolver<'a, R: Identity> {
    applied: Applied,
    shelf: &'a mut Shelf<R::Content>,
    /// Effective content of rows that others may need: those of templates, and prototypes.
    by_id: Map<u64, Arc<R::Content>>,
    together: LostTogether,
    table: &'static str,
}

impl<R: Interned + Overridden> Resolver<'_, R> {
    /// The effective content of a template's row, after those it inherits from.
    fn resolve_chain(
        &mut self,
        narrow: &Narrow,
        pending: &Map<u64, &Narrow>,
        extras: &Extras,
    ) -> Result<(), DbError> {
        let mut chain = vec![narrow];
        let mut at = narrow;
        while at.source != 0 && !self.by_id.contains_key(&at.source) {
            at = pending
                .get(&at.source)
                .ok_or_else(|| damaged(self.table, at.id, "its source is missing"))?;
            chain.push(at);
            if chain.len() > pending.len() {
                return Err(damaged(self.table, narrow.id, "inherits from itself"));
            }
        }
        for narrow in chain.into_iter().rev() {
            if !self.by_id.contains_key(&narrow.id) {
                let (_, content) = self.effective(narrow, extras)?;
                self.by_id.insert(narrow.id, content);
            }
        }
        Ok(())
    }

    fn effective(
        &mut self,
        narrow: &Narrow,
        extras: &Extras,
    ) -> Result<applied::Effective<R>, DbError> {
        let overrides = if has(&extras.overrides, narrow.id) {
            let text = extras.overrides.get(&narrow.id);
            text.map(|it| parse::<R::Overrides>("overrides", narrow.id, it)).transpose()?
        } else {
            None
        };
        let found = (!extras.discovered.is_empty()).then(|| extras.discovered.get(&narrow.id));
        let found = found.flatten();
        let from = found.map_or(narrow.source, |it| it.discovered.prototype);
        let base = if narrow.content != 0 {
            self.shelf.by_id(ContentId(narrow.content))
        } else {
            self.by_id.get(&from).cloned()
        };
        let base = base.ok_or_else(|| damaged(self.table, narrow.id, "its content is missing"))?;
        Ok(match overrides {
            None => (None, base),
            Some(it) => R::applied(&self.applied, it, &base),
        })
    }

    /// Adds the finished row to its holder.
    fn push(
        &mut self,
        narrow: &Narrow,
        host: &mut Host,
        extras: &mut Extras,
    ) -> Result<(), DbError> {
        let (overrides, content) = self.effective(narrow, extras)?;
        if narrow.content != 0 {
            self.shelf.count(&content);
        }
        if narrow.flags.is_prototype() {
            self.by_id.insert(narrow.id, Arc::clone(&content));
        }
        let mut row = R::made(narrow.id, narrow.source, Arc::clone(&content), narrow.flags);
        row.set_overrides(overrides, content);
        if let Some(found) = extras.discovered.get(&narrow.id) {
            let texts = (extras.text(&found.key), extras.text(&found.name));
            self.together.share(row.set_discovered(found.discovered.clone(), texts));
        }
        R::rows_mut(host).push(row);
        Ok(())
    }
}

/// Moves the holders into the snapshot and makes its look-ups. Gives what reaches over several
/// holders.
fn index(snapshot: &mut Snapshot, holders: Holders) -> Crossing {
    let mut cross = Crossing::default();
    let mut linked_to: BTreeMap<HostId, Vec<HostId>> = BTreeMap::new();
    for holder in holders.values() {
        for template in &holder.templates {
            linked_to.entry(*template).or_default().push(holder.id);
        }
        for interface in &holder.interfaces {
            let id: InterfaceId = interface.interfaceid;
            snapshot.interface_owner.insert(id, holder.id);
        }
        for valuemap in &holder.valuemaps {
            let id: ValueMapId = valuemap.valuemapid;
            snapshot.valuemap_owner.insert(id, holder.id);
        }
    }
    for (template, holders) in linked_to {
        snapshot.linked_to.insert(template, holders.into());
    }
    snapshot.item_runs = runs(
        &holders,
        |it| it.items.iter().map(|it| it.id).collect(),
        |one, next| one.0.checked_add(1) == Some(next.0),
    );
    snapshot.trigger_runs = runs(
        &holders,
        |it| it.triggers.iter().map(|it| it.id).collect(),
        |one, next| one.0.checked_add(1) == Some(next.0),
    );
    snapshot.graph_runs = runs(
        &holders,
        |it| it.graphs.iter().map(|it| it.id).collect(),
        |one, next| one.0.checked_add(1) == Some(next.0),
    );
    snapshot.host_prototype_runs = runs(
        &holders,
        |it| it.host_prototypes.iter().map(|it| it.id).collect(),
        |one, next| one.0.checked_add(1) == Some(next.0),
    );
    for (id, holder) in holders {
        let is_host = holder.kind == HolderKind::Host;
        let is_elsewhere = |item: ItemId| {
            let run = snapshot.item_runs.range(..=item).next_back();
            run.is_some_and(|(_, (_, of))| *of != id)
        };
        for trigger in holder.triggers.iter().filter(|it| it.is_own()) {
            if trigger.content.functions.iter().any(|it| is_elsewhere(it.item)) {
                cross.triggers.insert(trigger.id);
            }
        }
        for graph in holder.graphs.iter().filter(|it| it.is_own()) {
            if graph.content.items().any(is_elsewhere) {
                cross.graphs.insert(graph.id);
            }
        }
        let name = Arc::clone(&holder.host);
        snapshot.count_shared_key(None, holder.encryption.as_deref());
        if is_host {
            snapshot.host_by_name.insert(name, id);
            snapshot.hosts.insert(id, Arc::new(holder));
        } else {
            snapshot.template_by_name.insert(name, id);
            snapshot.templates.insert(id, Arc::new(holder));
        }
    }
    cross
}

/// Runs of ids that belong to one holder: from the first to the last, no other holder's id lies between.
fn runs<Id: Copy + Ord>(
    holders: &Holders,
    ids: impl Fn(&Host) -> Vec<Id>,
    follows: impl Fn(Id, Id) -> bool,
) -> OrdMap<Id, (Id, HostId)> {
    // Ids without a gap first, which are few for each holder; these are put in order.
    let mut parts: Vec<(Id, Id, HostId)> = Vec::new();
    for (holder, host) in holders {
        for ids in ids(host).chunk_by(|one, next| follows(*one, *next)) {
            if let (Some(first), Some(last)) = (ids.first(), ids.last()) {
                parts.push((*first, *last, *holder));
            }
        }
    }
    parts.sort_unstable();
    let of_holder = parts.chunk_by(|one, next| one.2 == next.2);
    let whole = of_holder.filter_map(|it| Some((it.first()?.0, (it.last()?.1, it.first()?.2))));
    whole.collect()
}
