//! The audit log: `auditlog.get`, for super admins.

use std::collections::VecDeque;

use db::{AuditRecord, AuditScope, DbError, SYSTEM};
use model::UserId;
use model::content::RoleType;
use model::field_path::FieldPath;
use model::map::Set;
use serde_json::{Value, json};

use super::audit_old_records;
use super::cuid;
use crate::answer::Answer;
use crate::describe::{Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, Select};
use crate::error::{ApiError, param};
use crate::json::Scalar;
use crate::method::{Method, ObjectEntry, Pool};
use crate::objects::common::scope::Get;
use crate::query::table;
use crate::query::{self, Column, Output, RowFamily, Rows, SortKey};
use crate::shared::Ctx;

const TEXT: FieldType = FieldType::Text { max: 65_535 };
const CUID: FieldType = FieldType::Text { max: cuid::LENGTH };
const ACTION: FieldType = FieldType::Code(&[0, 1, 2, 4, 7, 8, 9, 10, 11, 12]);
const RESOURCE: FieldType = FieldType::Int { min: 0, max: 56 };

/// The code of items that values are pushed to.
const HISTORY: i64 = 53;

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
        Field::new("auditid", CUID, Rule::ReadOnly, "Id, a CUID; later ones are greater"),
        |it| Scalar::Made(cuid::of(it.clock, it.auditid).into()),
    ),
    AuditColumn::of_content(
        Field::new(
            "userid",
            FieldType::Id,
            Rule::ReadOnly,
            "The user; 0: the server, or an unknown user",
        ),
        |it| Scalar::Id(it.userid.0),
    ),
    AuditColumn::of_row(
        Field::new(
            "username",
            TEXT,
            Rule::ReadOnly,
            "The user's name at that time, as typed at a login; System: the server",
        ),
        |ctx, it| Scalar::Made(username(ctx, it).into()),
    ),
    AuditColumn::of_content(
        Field::new("clock", FieldType::Timestamp, Rule::ReadOnly, "When"),
        |it| Scalar::Number(it.clock),
    ),
    AuditColumn::of_content(
        Field::new("ip", TEXT, Rule::ReadOnly, "From where; empty if the server did it"),
        |it| match it.scope {
            Some(_) => Scalar::Text(&it.ip),
            None => Scalar::Made(audit_old_records::ip(it).into()),
        },
    ),
    AuditColumn::of_content(
        Field::new(
            "action",
            ACTION,
            Rule::ReadOnly,
            "0 add, 1 update, 2 delete, 4 logout, 7 execute, 8 login, 9 failed login, 10 history clear, 12 push",
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
             36 item prototype, 44 role, 45 token, 50 template group, 52 discovery rule, 53 history and so on",
        ),
        |ctx, it| {
            Scalar::Number(if it.kind == "history" { HISTORY } else { ctx.resource(&it.kind) })
        },
    ),
    AuditColumn::of_content(
        Field::new(
            "resourceid",
            FieldType::Id,
            Rule::ReadOnly,
            "Id of the object; of an executed script the host",
        ),
        |it| Scalar::Id(it.resourceid),
    ),
    AuditColumn::of_content(
        Field::new("resource_cuid", TEXT, Rule::ReadOnly, "0: nothing here has such an id"),
        |_| Scalar::Text("0"),
    ),
    AuditColumn::of_content(
        Field::new("resourcename", TEXT, Rule::ReadOnly, "Name of it, before an update"),
        |it| Scalar::Text(if is_session_of_before(it) { "" } else { &it.name }),
    ),
    AuditColumn::of_content(
        Field::new("recordsetid", CUID, Rule::ReadOnly, "The same for all that was done at once"),
        |it| {
            let first = if it.recordsetid == 0 { it.auditid } else { it.recordsetid };
            Scalar::Made(cuid::of(it.clock, first).into())
        },
    ),
    AuditColumn::of_content(
        Field::new(
            "details",
            TEXT,
            Rule::ReadOnly,
            "JSON: for each field its path, what was done (add, update, delete), the value, and of updates the value \
             before",
        ),
        |it| match it.scope {
            Some(_) => Scalar::Made(it.details_of_zabbix().into()),
            None => Scalar::Made(audit_old_records::details(it).into()),
        },
    ),
];
const FIELDS: [Field; COLUMNS.len()] = table::fields(COLUMNS);

const FILTERS: &[&str] = &[
    "auditid",
    "userid",
    "clock",
    "action",
    "resourcetype",
    "ip",
    "resourceid",
    "resourcename",
    "username",
    "recordsetid",
];
const SEARCHES: &[&str] = &["ip", "resourcename", "username", "details"];

/// Returns also the records that Zabbix leaves out. Zabbix has no such parameter.
const ALL_DETAILS: &str = "selectAllDetails";

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
    selects: &[Select::new(ALL_DETAILS, "all_details", Gives::Field)],
    params: Params::of(&["auditids", "userids", "time_from", "time_till"])
        .strict()
        .without(&["editable"])
        .found_by(FILTERS, SEARCHES)
        .without_id(),
    sort: &["auditid", "userid", "clock"],
    doc: "The audit log: changes by users and the server, logins, scripts, pushed values of the last 31 days",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(
    &OBJECT,
    &[Method::get("auditlog.get", get).slow(Pool::Stored).of(RoleType::SuperAdmin)],
);

/// Records that are read at once: some 64 MB at worst.
const PAGE: u32 = 250;

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

    fn select(&self, record: &Self::Row, _: &Select, _: &Output) -> Result<Value, ApiError> {
        Ok(match record.scope {
            Some(_) => json!(record.details),
            None => json!(audit_old_records::details(record)),
        })
    }
}

fn username(ctx: &Ctx, record: &AuditRecord) -> String {
    if record.scope.is_some() {
        return record.username.clone();
    }
    if let Some(typed) = audit_old_records::username(record) {
        return typed;
    }
    if record.userid == UserId::NONE {
        return SYSTEM.to_owned();
    }
    let user = ctx.snapshot.access.users.get(&record.userid);
    user.map_or_else(String::new, |it| it.username.clone())
}

fn is_session_of_before(record: &AuditRecord) -> bool {
    record.scope.is_none() && audit_old_records::username(record).is_some()
}

/// Records in order of id, read on demand.
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

/// The requested CUIDs.
fn cuids(get: &Get<'_>, name: &str) -> Result<Option<Set<String>>, ApiError> {
    let Some(given) = get.param(name) else { return Ok(None) };
    let list = match given {
        Value::Array(list) => list.as_slice(),
        Value::Object(_) | Value::Bool(_) => {
            return Err(ApiError::field(param(name), "an array is expected"));
        }
        one => std::slice::from_ref(one),
    };
    let checked = |(at, it): (usize, &Value)| {
        let path: FieldPath = param(name).element(at);
        let Value::String(text) = it else {
            return Err(ApiError::field(path, "a character string is expected"));
        };
        cuid::check(text).map_err(|why| ApiError::field(path, &why))?;
        Ok(text.clone())
    };
    list.iter().enumerate().map(checked).collect::<Result<_, _>>().map(Some)
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let ids = cuids(&get, "auditids")?;
    let users = get.id_set("userids")?;
    let has_all_details = get.options.selects.iter().any(|it| it.0.param == ALL_DETAILS);
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
        (has_all_details || it.scope != Some(AuditScope::Nothing))
            && ids.as_ref().is_none_or(|ids| ids.contains(&cuid::of(it.clock, it.auditid)))
            && users.as_ref().is_none_or(|users| users.contains(&user))
    };
    let found = pages.by_ref().filter(is_wanted);
    let answer = query::answer(&OBJECT, &AuditRows { ctx }, found, &get.options)?;
    match pages.failure {
        Some(error) => Err(error.into()),
        None => Ok(answer),
    }
}
