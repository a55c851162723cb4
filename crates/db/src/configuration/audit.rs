//! Who did what: a row for each change of the configuration by a user or an action, each login and each logout.
//!
//! Rows of changes are written in the transaction of the change. What is secret never gets here.
//! The server's own changes (discovery, bundled templates) are not kept, passwords that the operator
//! sets are.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use model::{Time, UserId};
use serde_json::{Map as JsonMap, Value as Json};
use tracing::warn;

use crate::actor::Actor;
use crate::error::DbError;
use crate::runtime::behind::{Behind, Entry};
use crate::sql::schema::AUDIT;
use crate::sql::{Cell, Conflict, Rows, Sql, Workers, as_int};

/// Longer details are left out: an import may be megabytes.
const DETAILS_BYTES_MAX: usize = 65_535;

/// The member of a record's details with the values before, by the names of the fields that were given. No field has
/// such a name; older records have none.
pub const BEFORE: &str = "$before";

const MASKED: &str = "******";

/// What was done, with Zabbix's codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Add = 0,
    Update = 1,
    Delete = 2,
    Logout = 4,
    Execute = 7,
    Login = 8,
    FailedLogin = 9,
}

/// One thing that was done.
#[derive(Clone, PartialEq, Debug)]
pub struct AuditRecord {
    pub auditid: u64,
    /// Seconds since 1970.
    pub clock: i64,
    pub userid: UserId,
    /// Code of [`Action`].
    pub action: i64,
    /// The kind of object, as in method names of the API.
    pub kind: String,
    pub resourceid: u64,
    /// Of the object, or what was typed as a user name.
    pub name: String,
    /// JSON: the fields that were given, without secrets, and under [`BEFORE`] what they were.
    pub details: String,
}

/// A record in the making.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AuditEntry {
    pub(crate) action: Action,
    pub(crate) kind: &'static str,
    pub(crate) resourceid: u64,
    pub(crate) name: String,
    pub(crate) details: JsonMap<String, Json>,
}

/// The audit log.
pub struct Audit {
    next: AtomicI64,
    workers: Arc<Workers>,
    behind: Behind,
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Audit")
    }
}

impl Audit {
    pub(crate) fn open(workers: Arc<Workers>, behind: Behind) -> Result<Self, DbError> {
        Ok(Self { next: AtomicI64::new(Self::next_id(&workers)?), workers, behind })
    }

    fn next_id(workers: &Workers) -> Result<i64, DbError> {
        workers.read("load audit", |sql| {
            let mut last = 0;
            sql.query("select coalesce(max(auditid), 0) from audit", &[], &mut |row| {
                last = row.int(0)?;
                Ok(false)
            })?;
            Ok(last + 1)
        })
    }

    /// Another server has written records, too.
    pub(crate) fn reload(&self) -> Result<(), DbError> {
        let next = Self::next_id(&self.workers)?;
        self.next.fetch_max(next, Ordering::Relaxed);
        Ok(())
    }

    /// The rows of entries, for the transaction of what they tell.
    pub(crate) fn rows(&self, actor: Actor, now: Time, entries: Vec<AuditEntry>) -> Rows {
        let mut rows = Rows::new(&AUDIT);
        for entry in entries {
            rows.push([
                Cell::Int(self.next.fetch_add(1, Ordering::Relaxed)),
                Cell::Int(now.clock()),
                Cell::id(actor.user().0),
                Cell::Int(entry.action as i64),
                Cell::text(entry.kind),
                Cell::id(entry.resourceid),
                Cell::Text(entry.name),
                Cell::Text(details(entry.details)),
            ]);
        }
        rows
    }

    /// Notes that somebody logged in or out, or failed to. It is saved behind that.
    pub fn session(&self, (action, user): (Action, UserId), username: &str, ip: &str, now: Time) {
        let entry = AuditEntry {
            action,
            kind: "user",
            resourceid: user.0,
            // Whatever somebody typed.
            name: username.chars().take(255).collect(),
            details: JsonMap::from_iter([("ip".to_owned(), Json::from(ip))]),
        };
        self.note(self.rows(Actor::User(user), now, vec![entry]));
    }

    fn note(&self, rows: Rows) {
        if !self.behind.put(Entry { rows: vec![(rows, Conflict::Ignore)], ..Entry::default() }) {
            warn!("too many records wait for the database; one is missing in the audit log");
        }
    }

    /// Notes that somebody executed a script. `details`: what, where, and what came of it; no secrets. It is saved
    /// behind that.
    pub fn executed(
        &self,
        actor: Actor,
        (script, name): (u64, &str),
        details: JsonMap<String, Json>,
        now: Time,
    ) {
        let entry = AuditEntry {
            action: Action::Execute,
            kind: "script",
            resourceid: script,
            name: name.to_owned(),
            details,
        };
        self.note(self.rows(actor, now, vec![entry]));
    }

    /// Records of some time (seconds since 1970) behind the id `after`, in order of id, at most
    /// `limit`.
    ///
    /// # Errors
    /// If the database is away.
    pub fn page(
        &self,
        times: RangeInclusive<i64>,
        after: u64,
        limit: u32,
    ) -> Result<Vec<AuditRecord>, DbError> {
        self.behind.flush();
        self.workers.scan("read audit", move |sql| read(sql, &times, after, limit))
    }

    /// Deletes the oldest of what is older than `before`, seconds since 1970; gives how many.
    pub(crate) fn expire(&self, before: i64, n_max: u32) -> Result<u64, DbError> {
        self.workers.write("expire audit", move |sql| {
            let statement = "delete from audit where auditid in \
                             (select auditid from audit where clock < ?1 order by clock limit ?2)";
            Ok(sql.execute(statement, &[Cell::Int(before), Cell::Int(i64::from(n_max))])?)
        })
    }
}

fn read(
    sql: &mut dyn Sql,
    times: &RangeInclusive<i64>,
    after: u64,
    limit: u32,
) -> Result<Vec<AuditRecord>, DbError> {
    let mut records = Vec::new();
    let statement = "select auditid, clock, userid, action, kind, resourceid, name, details \
                     from audit where auditid > ?1 and clock >= ?2 and clock <= ?3 \
                     order by auditid limit ?4";
    let params = [
        Cell::id(after),
        Cell::Int(*times.start()),
        Cell::Int(*times.end()),
        Cell::Int(i64::from(limit)),
    ];
    sql.query(statement, &params, &mut |row| {
        records.push(AuditRecord {
            auditid: row.id(0)?,
            clock: row.int(1)?,
            userid: UserId(row.id(2)?),
            action: row.int(3)?,
            kind: row.text(4)?.to_owned(),
            resourceid: row.id(5)?,
            name: row.text(6)?.to_owned(),
            details: row.text(7)?.to_owned(),
        });
        Ok(true)
    })?;
    Ok(records)
}

/// Fields whose value nobody may read later. `value` is that of user macros, which may be secret.
const SECRET: &[&str] = &[
    "passwd",
    "current_passwd",
    "password",
    "http_password",
    "privatekey",
    "ssl_key_password",
    "authpassphrase",
    "privpassphrase",
    "ipmi_password",
    "community",
    "securityname",
    "token",
    "tls_psk",
    "tls_psk_identity",
];

fn details(mut fields: JsonMap<String, Json>) -> String {
    hide(&mut fields);
    let mut text = Json::Object(fields.clone()).to_string();
    if DETAILS_BYTES_MAX < text.len() && fields.remove(BEFORE).is_some() {
        text = Json::Object(fields).to_string();
    }
    if text.len() <= DETAILS_BYTES_MAX { text } else { "{}".to_owned() }
}

fn hide(fields: &mut JsonMap<String, Json>) {
    let is_macro = fields.contains_key("macro");
    for (name, value) in fields {
        if SECRET.contains(&name.as_str()) || is_macro && name == "value" {
            *value = Json::from(MASKED);
            continue;
        }
        match value {
            Json::Object(inner) => hide(inner),
            Json::Array(list) => {
                list.iter_mut().filter_map(Json::as_object_mut).for_each(hide);
            }
            _ => {}
        }
    }
}

/// Hides the value of a user macro, and what it was.
pub(crate) fn hide_values(details: &mut JsonMap<String, Json>) {
    if let Some(value) = details.get_mut("value") {
        *value = Json::from(MASKED);
    }
    if let Some(Json::Object(before)) = details.get_mut(BEFORE) {
        hide_values(before);
    }
}

/// Ids for details and messages.
pub(crate) fn ids(ids: impl Iterator<Item = u64>) -> Json {
    Json::Array(ids.map(|it| Json::from(as_int(it).to_string())).collect())
}
