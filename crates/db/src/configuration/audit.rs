//! The audit log: a row for each change of the configuration, each login and logout, and other
//! actions that Zabbix records.
//!
//! Rows of changes are written in the transaction of the change. Secrets never get here. The
//! details of a record are made when the object changes ([`details`]), by rows for each kind of
//! object ([`kinds`]).

mod act;
pub(crate) mod details;
pub(crate) mod kinds;
mod pushes;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use model::{Time, UserId};
use serde_json::{Map as JsonMap, Value as Json};
use tracing::warn;

pub use self::act::{Act, AuditAction, Origin};
pub use self::details::MASKED;
pub use self::kinds::AuditScope;
pub use self::pushes::Pushed;
use self::pushes::Pushes;
use crate::error::DbError;
use crate::locks::lock;
use crate::runtime::behind::{Behind, Entry};
use crate::sql::schema::AUDIT;
use crate::sql::{Cell, Conflict, Rows, Sql, Workers};

/// Longer details are left out: an import may be megabytes. A change of the longest script has it twice.
const DETAILS_BYTES_MAX: usize = 262_144;

/// The longest address and user name that are kept.
const IP_CHARS_MAX: usize = 39;
const USERNAME_CHARS_MAX: usize = 100;

/// In records of before, the member of details with the values before, by the names of the fields
/// that were given. No field has such a name.
pub const BEFORE: &str = "$before";

/// One action that was done.
#[derive(Clone, PartialEq, Debug)]
pub struct AuditRecord {
    pub auditid: u64,
    /// Seconds since 1970.
    pub clock: i64,
    pub userid: UserId,
    /// As the user was called then; of records of before empty.
    pub username: String,
    /// From where; empty if from the server itself.
    pub ip: String,
    /// Code of [`AuditAction`].
    pub action: i64,
    /// The kind of object, as in method names of the API.
    pub kind: String,
    pub resourceid: u64,
    pub name: String,
    /// The first record of what was done at once; 0 in records of before.
    pub recordsetid: u64,
    /// JSON: fields by their paths. Of records of before the fields that were given, and under
    /// [`BEFORE`] what they were.
    pub details: String,
    /// How much of it Zabbix says; `None` of records of before, which are in their own form.
    pub scope: Option<AuditScope>,
}

impl AuditRecord {
    /// The details as Zabbix has them.
    #[must_use]
    pub fn details_of_zabbix(&self) -> String {
        match self.scope {
            Some(AuditScope::Nothing) => String::new(),
            Some(AuditScope::Fields) if !self.details.is_empty() => {
                let mut said = match serde_json::from_str(&self.details) {
                    Ok(Json::Object(it)) => it,
                    _ => JsonMap::new(),
                };
                details::keep_updates_of_fields(&mut said);
                text_of(&said)
            }
            _ => self.details.clone(),
        }
    }
}

/// A record in the making.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AuditEntry {
    pub(crate) action: AuditAction,
    pub(crate) kind: &'static str,
    pub(crate) resourceid: u64,
    pub(crate) name: String,
    pub(crate) scope: AuditScope,
    pub(crate) details: JsonMap<String, Json>,
    /// It is of the switch of the audit log, and kept although that is off.
    pub(crate) is_of_switch: bool,
}

/// The audit log.
pub struct Audit {
    next: AtomicI64,
    workers: Arc<Workers>,
    behind: Behind,
    pushes: Mutex<Pushes>,
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Audit")
    }
}

impl Audit {
    pub(crate) fn open(workers: Arc<Workers>, behind: Behind) -> Result<Self, DbError> {
        let next = AtomicI64::new(Self::next_id(&workers)?);
        Ok(Self { next, workers, behind, pushes: Mutex::default() })
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

    /// The rows of entries, for the transaction of the changes that they record.
    pub(crate) fn rows(&self, from: &Origin<'_>, now: Time, entries: Vec<AuditEntry>) -> Rows {
        let mut rows = Rows::new(&AUDIT);
        let mut set = None;
        for entry in entries {
            let id = self.next.fetch_add(1, Ordering::Relaxed);
            let set = *set.get_or_insert(id);
            rows.push([
                Cell::Int(id),
                Cell::Int(now.clock()),
                Cell::id(from.user.0),
                Cell::Int(entry.action as i64),
                Cell::text(entry.kind),
                Cell::id(entry.resourceid),
                Cell::Text(entry.name),
                Cell::Text(text_of(&entry.details)),
                Cell::Text(from.username.chars().take(USERNAME_CHARS_MAX).collect()),
                Cell::Text(from.ip.chars().take(IP_CHARS_MAX).collect()),
                Cell::Int(set),
                Cell::Int(entry.scope.code()),
            ]);
        }
        rows
    }

    /// Records a login, a logout or a failed login. It is saved afterwards.
    pub fn session(&self, action: AuditAction, from: &Origin<'_>, now: Time) {
        let (kind, resourceid) = ("user", from.user.0);
        let (name, details) = (String::new(), JsonMap::new());
        self.acted(from, vec![Act { action, kind, resourceid, name, details }], now);
    }

    /// Records a push of values. Pushes of one user within a second are one record.
    pub fn pushed(&self, from: &Origin<'_>, pushed: Pushed, now: Time) {
        let due = lock(&self.pushes).add(from, pushed, now);
        self.note_pushes(due, now);
    }

    fn note_pushes(&self, due: Vec<(pushes::Pusher, Pushed)>, now: Time) {
        for (of, pushed) in due {
            let from = Origin { user: of.user, username: &of.username, ip: &of.ip };
            self.acted(&from, vec![pushed.act()], now);
        }
    }

    /// Records actions of a user. They are saved afterwards.
    pub fn acted(&self, from: &Origin<'_>, acts: Vec<Act>, now: Time) {
        let entry = |it: Act| AuditEntry {
            action: it.action,
            kind: it.kind,
            resourceid: it.resourceid,
            name: it.name,
            scope: AuditScope::Whole,
            details: it.details,
            is_of_switch: false,
        };
        self.note(self.rows(from, now, acts.into_iter().map(entry).collect()));
    }

    /// Keeps records that belong to no change of the configuration. They are saved after what they
    /// record.
    pub(crate) fn note(&self, rows: Rows) {
        if !self.behind.put(Entry { rows: vec![(rows, Conflict::Ignore)], ..Entry::default() }) {
            warn!("too many records wait for the database; one is missing in the audit log");
        }
    }

    /// Records of some time (seconds since 1970) after the id `after`, in order of id, at most
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
        let (due, now) = lock(&self.pushes).take_all();
        self.note_pushes(due, now);
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
    let statement = "select auditid, clock, userid, action, kind, resourceid, name, details, \
                     username, ip, recordsetid, told \
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
            username: row.text(8)?.to_owned(),
            ip: row.text(9)?.to_owned(),
            recordsetid: row.id(10)?,
            scope: AuditScope::of_code(row.int(11)?),
        });
        Ok(true)
    })?;
    Ok(records)
}

/// Details as they are stored: empty if there are none.
fn text_of(details: &JsonMap<String, Json>) -> String {
    if details.is_empty() {
        return String::new();
    }
    let text = serde_json::to_string(details).unwrap_or_default();
    if text.len() <= DETAILS_BYTES_MAX { text } else { String::new() }
}
