//! Who did what: `auditlog.get`, for super admins.

use std::collections::VecDeque;

use db::audit::BEFORE;
use db::{AuditRecord, DbError};
use model::UserId;
use model::content::RoleType;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::describe::{Field, FieldType, Nouns, Object, Params, RoleRule, Rule, Select};
use crate::error::ApiError;
use crate::json::Scalar;
use crate::method::{Method, ObjectEntry, Pool};
use crate::objects::common::scope::Get;
use crate::query::table;
use crate::query::{self, Column, Output, RowFamily, Rows, SortKey};
use crate::shared::Ctx;

const TEXT: FieldType = FieldType::Text { max: 65_535 };
const ACTION: FieldType = FieldType::Code(&[0, 1, 2, 4, 8, 9]);
const RESOURCE: FieldType = FieldType::Int { min: 0, max: 56 };

/// In the place of what is secret.
const MASKED: &str = "******";

struct AuditFamily;

type AuditColumn = Column<AuditFamily>;

impl RowFamily for AuditFamily {
    type Reader<'a> = &'a Ctx;
    type Row<'a> = &'a AuditRecord;
    type Content = AuditRecord;

    fn content<'a>(it: Self::Row<'a>) -> &'a AuditRecord {
        it
    }
}

const COLUMNS: &[AuditColumn] = &[
    AuditColumn::of_content(
        Field::new("auditid", FieldType::Id, Rule::ReadOnly, "Id; later ones are greater"),
        |it| Scalar::Id(it.auditid),
    ),
    AuditColumn::of_content(
        Field::new("userid", FieldType::Id, Rule::ReadOnly, "Who; 0: nobody known"),
        |it| Scalar::Id(it.userid.0),
    ),
    AuditColumn::of_row(
        Field::new("username", TEXT, Rule::ReadOnly, "Who: user name, as typed at a login"),
        |ctx, it| Scalar::Made(username(ctx, it).into()),
    ),
    AuditColumn::of_content(
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When"),
        |it| Scalar::Number(it.clock),
    ),
    AuditColumn::of_content(
        Field::new("ip", TEXT, Rule::ReadOnly, "Of logins and logouts: from where"),
        |it| Scalar::Made(ip(it).into()),
    ),
    AuditColumn::of_content(
        Field::new(
            "action",
            ACTION,
            Rule::ReadOnly,
            "0 add, 1 update, 2 delete, 4 logout, 8 login, 9 failed login",
        ),
        |it| Scalar::Number(it.action),
    ),
    AuditColumn::of_row(
        Field::new(
            "resourcetype",
            RESOURCE,
            Rule::ReadOnly,
            "As in Zabbix: 0 user, 4 host, 11 user group, 13 trigger, 14 host group, 15 item, \
             17 value map, 28 regular expression, 29 macro, 30 template, 31 trigger prototype, \
             36 item prototype, 44 role, 45 token, 50 template group, 52 discovery rule and so on",
        ),
        |ctx, it| Scalar::Number(ctx.resource(&it.kind)),
    ),
    AuditColumn::of_content(
        Field::new("resourceid", FieldType::Id, Rule::ReadOnly, "Of what"),
        |it| Scalar::Id(it.resourceid),
    ),
    AuditColumn::of_content(Field::new("resourcename", TEXT, Rule::ReadOnly, "Name of it"), |it| {
        Scalar::Text(&it.name)
    }),
    AuditColumn::of_content(
        Field::new("recordsetid", FieldType::Id, Rule::ReadOnly, "The same as auditid"),
        |it| Scalar::Id(it.auditid),
    ),
    AuditColumn::of_content(
        Field::new(
            "details",
            TEXT,
            Rule::ReadOnly,
            "JSON: for each field that was given its path, what was done (add, update, delete), the value, and of updates \
             the value before, as far as it is known",
        ),
        |it| Scalar::Made(details(it).into()),
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

const OBJECT: Object = Object {
    name: "auditlog",
    type_name: "AuditRecord",
    nouns: Nouns { one: "an audit record", several: "audit records" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "auditid",
    ids: "auditids",
    fields: &FIELDS,
    selects: &[],
    params: Params::of(&["auditids", "userids", "time_from", "time_till"]).strict(),
    sort: &["auditid", "userid", "clock"],
    doc: "Who did what: changes by users, logins and logouts of the last 31 days",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[Method::get("auditlog.get", get).slow(Pool::Stored).of(RoleType::SuperAdmin)],
);

/// Records read at once: some 64 MB at worst.
const PAGE: u32 = 1_000;

/// Codes of actions on sessions, whose records have details of their own.
const SESSION_ACTIONS: [i64; 3] = [4, 8, 9];

struct AuditRows<'a> {
    ctx: &'a Ctx,
}

impl Rows for AuditRows<'_> {
    type Row = AuditRecord;

    fn field(&self, record: &Self::Row, name: &str) -> Value {
        table::scalar(COLUMNS, &self.ctx, record, name).value()
    }

    fn sort_key<'k>(&'k self, object: &Object, record: &Self::Row, name: &str) -> SortKey<'k> {
        match name {
            "auditid" => SortKey::number(record.auditid),
            "clock" => SortKey::number(record.clock),
            _ => SortKey::answered(object, name, self.field(record, name)),
        }
    }

    fn select(&self, _: &Self::Row, _: &Select, _: &Output) -> Result<Value, ApiError> {
        Ok(json!([]))
    }
}

fn username(ctx: &Ctx, record: &AuditRecord) -> String {
    if SESSION_ACTIONS.contains(&record.action) {
        return record.name.clone();
    }
    if record.userid == UserId::NONE {
        return "System".to_owned();
    }
    let user = ctx.snapshot.access.users.get(&record.userid);
    user.map_or_else(String::new, |it| it.username.clone())
}

fn ip(record: &AuditRecord) -> String {
    if !SESSION_ACTIONS.contains(&record.action) {
        return String::new();
    }
    let details: Value = serde_json::from_str(&record.details).unwrap_or_default();
    details["ip"].as_str().unwrap_or_default().to_owned()
}

/// As Zabbix writes them: `{"host.name": ["update", "new", "old"], "host.tags[1].tag": ["add", "os"]}`. Of fields whose
/// values before are not kept all that was given is told.
fn details(record: &AuditRecord) -> String {
    if SESSION_ACTIONS.contains(&record.action) {
        return String::new();
    }
    let mut given: Value = serde_json::from_str(&record.details).unwrap_or_default();
    let before = given.as_object_mut().and_then(|it| it.remove(BEFORE)).unwrap_or_default();
    let done = if record.action == 0 { "add" } else { "update" };
    let (mut new, mut old) = (Map::new(), Map::new());
    flatten(&record.kind, &given, &mut new);
    flatten(&record.kind, &before, &mut old);
    let mut written = Map::new();
    for (path, value) in &new {
        let said = match old.get(path) {
            // What is masked may be another one.
            Some(old) if old == value && value != MASKED => continue,
            Some(old) => json!(["update", value, old]),
            None if is_part_of(&record.kind, path, &before) => json!(["add", value]),
            None => json!([done, value]),
        };
        written.insert(path.clone(), said);
    }
    for (path, value) in &old {
        // Of a part that is still there, what is not given again stays.
        let part = path.rsplit_once('.').map_or("", |it| it.0);
        let is_there = part != record.kind && new.keys().any(|it| is_below(it, part));
        if !new.contains_key(path) && !is_there {
            written.insert(path.clone(), json!(["delete", value]));
        }
    }
    if written.is_empty() { String::new() } else { Value::Object(written).to_string() }
}

fn is_below(path: &str, part: &str) -> bool {
    path.strip_prefix(part).is_some_and(|it| it.starts_with('.'))
}

/// Whether a path leads into a field whose value before is known.
fn is_part_of(kind: &str, path: &str, before: &Value) -> bool {
    let rest = path.strip_prefix(kind).and_then(|it| it.strip_prefix('.')).unwrap_or(path);
    let name = rest.split(['.', '[']).next().unwrap_or_default();
    before.get(name).is_some()
}

fn flatten(path: &str, given: &Value, written: &mut Map<String, Value>) {
    match given {
        Value::Object(fields) => {
            for (name, value) in fields {
                flatten(&format!("{path}.{name}"), value, written);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                flatten(&format!("{path}[{}]", at + 1), value, written);
            }
        }
        Value::Null => {}
        value => {
            written.insert(path.to_owned(), json!(query::text(value)));
        }
    }
}

/// Records in order of id, read as they are asked for.
struct Pages<'a> {
    ctx: &'a Ctx,
    from: i64,
    till: i64,
    after: u64,
    page: VecDeque<AuditRecord>,
    is_last: bool,
    failure: Option<DbError>,
}

impl Iterator for Pages<'_> {
    type Item = AuditRecord;

    fn next(&mut self) -> Option<AuditRecord> {
        if self.page.is_empty() && !self.is_last {
            let times = self.from..=self.till;
            match self.ctx.db().audit().page(times, self.after, PAGE) {
                Ok(page) => {
                    self.is_last = page.len() < PAGE as usize;
                    self.page = page.into();
                }
                Err(error) => {
                    self.is_last = true;
                    self.failure = Some(error);
                }
            }
        }
        let record = self.page.pop_front()?;
        self.after = record.auditid;
        Some(record)
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = get.id_set("auditids")?;
    let users = get.id_set("userids")?;
    let mut pages = Pages {
        ctx,
        from: get.number("time_from")?.unwrap_or(i64::MIN),
        till: get.number("time_till")?.unwrap_or(i64::MAX),
        after: 0,
        page: VecDeque::new(),
        is_last: false,
        failure: None,
    };
    let is_wanted = |it: &AuditRecord| {
        let UserId(user) = it.userid;
        ids.as_ref().is_none_or(|ids| ids.contains(&it.auditid))
            && users.as_ref().is_none_or(|users| users.contains(&user))
    };
    let found = pages.by_ref().filter(is_wanted);
    let answer = query::answer(&OBJECT, &AuditRows { ctx }, found, &get.options)?;
    match pages.failure {
        Some(error) => Err(error.into()),
        None => Ok(answer),
    }
}
