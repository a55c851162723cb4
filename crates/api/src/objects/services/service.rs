//! Services: the rules that their description does not have. The status comes from the server, permissions
//! from rules of roles.

use std::sync::Arc;

use db::ServiceRights;
use db::objects::Stored;
use db::objects::service::{ALARM, PROBLEM_EVENT, SERVICE, TIMELINE, ids_of};
use db::objects::sla;
use db::services::StatusTimeline;
use model::EventId;
use model::content::{Service, Severity, Tag};
use model::document::Document;
use model::field_path::FieldPath;
use model::map::Set;
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Gives, Rule, Select};
use crate::error::{ApiError, param};
use crate::json::{self, Fields, id_of, number, str_of, text};
use crate::objects::common::document::{self, DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::objects::common::service_rights::service_rights;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{self, Mode};

const KIND: &str = "service";
const TIMELINE_PARAM: &str = "selectStatusTimeline";
const NO_ACCESS: &str = "read-write access to the service is required";
const TO_RETAIN: &str = "read-write access to the service must be retained";

pub(crate) const SPECIAL: Special = Special {
    may_change,
    may_delete,
    check,
    candidates,
    field,
    select,
    relate: Some(relate),
    ..Special::NOTHING
};

/// Zabbix's code of a status.
pub(super) fn code(status: Option<Severity>) -> i64 {
    status.map_or(-1, |it| it.code().into())
}

fn field(ctx: &Ctx, row: &Document, name: &str) -> Option<Value> {
    (name == "status").then(|| number(code(ctx.db().services().status(row.id))))
}

fn service(ctx: &Ctx, id: u64) -> Option<&Arc<Service>> {
    ctx.snapshot.services.get(id)
}

/// A service that the user may not read does not exist for the user; one that may only be read is an error of
/// its own.
fn may_change(ctx: &Ctx, id: u64) -> bool {
    service_rights(ctx).may_read(id)
}

fn refused(verb: &str, name: &str, why: &str) -> ApiError {
    ApiError::application(format!("Cannot {verb} service \"{name}\": {why}."))
}

fn may_delete(ctx: &Ctx, ids: &[u64]) -> Result<(), ApiError> {
    let rights = service_rights(ctx);
    if rights.writes_all() {
        return Ok(());
    }
    if !ids.iter().all(|it| rights.may_read(*it)) {
        return Err(ApiError::no_permissions());
    }
    for id in ids {
        let name = service(ctx, *id).map_or("", |it| &it.name);
        if !rights.may_write(*id) {
            return Err(refused("delete", name, NO_ACCESS));
        }
        for child in ctx.snapshot.services.children(*id).filter(|it| !ids.contains(it)) {
            if !stays_writable(ctx, &rights, child, ids) {
                let child = service(ctx, child).map_or("", |it| &it.name);
                let why =
                    format!("read-write access to the child service \"{child}\" must be retained");
                return Err(refused("delete", name, &why));
            }
        }
    }
    Ok(())
}

/// Whether a service could still be written if it lost these parents.
fn stays_writable(ctx: &Ctx, rights: &ServiceRights<'_>, id: u64, lost: &[u64]) -> bool {
    let Some(of) = service(ctx, id) else { return true };
    let mut parents = of.parents.iter().map(|it| it.serviceid).filter(|it| !lost.contains(it));
    rights.names(Some(id), pairs(&of.tags)) || parents.any(|it| rights.may_write(it))
}

fn pairs(tags: &[Tag]) -> impl Iterator<Item = (String, String)> {
    tags.iter().map(|it| (it.tag.clone(), it.value.clone()))
}

fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let id = id_of(fields, "serviceid").filter(|_| mode == Mode::Update);
    let old = id.and_then(|it| service(ctx, it));
    let name = old.map_or_else(|| str_of(fields, "name").to_owned(), |it| it.name.clone());
    check_rights(ctx, fields, id, &name)?;
    check_propagation(fields, old, &name)
}

fn check_rights(ctx: &Ctx, fields: &Fields, id: Option<u64>, name: &str) -> Result<(), ApiError> {
    let rights = service_rights(ctx);
    let (parents, children) = (ids_of(fields, "parents"), ids_of(fields, "children"));
    let mut named = parents.iter().chain(&children).flatten();
    if !named.all(|it| Some(*it) == id || rights.may_read(*it)) {
        return Err(ApiError::no_permissions());
    }
    if rights.writes_all() {
        return Ok(());
    }
    let verb = if id.is_some() { "update" } else { "create" };
    if id.is_some_and(|it| !rights.may_write(it)) {
        return Err(refused(verb, name, NO_ACCESS));
    }
    let old_tags = id.and_then(|it| service(ctx, it)).map(|it| it.tags.as_slice());
    let is_named = if fields.contains_key("tags") {
        let tags = json::list_of(fields, "tags");
        let pair = |it: &Fields| (str_of(it, "tag").to_owned(), str_of(it, "value").to_owned());
        rights.names(id, tags.map(pair))
    } else {
        rights.names(id, pairs(old_tags.unwrap_or_default()))
    };
    let has_parent = match &parents {
        Some(it) => it.iter().any(|it| rights.may_write(*it)),
        // Unchanged tags are the ones that make it writable.
        None => {
            id.is_some_and(|id| ctx.snapshot.services.parents(id).any(|it| rights.may_write(it)))
        }
    };
    if !is_named && !has_parent {
        let why = if id.is_some() { TO_RETAIN } else { NO_ACCESS };
        return Err(refused(verb, name, why));
    }
    check_children(ctx, &rights, (id, children), (verb, name))
}

fn check_children(
    ctx: &Ctx,
    rights: &ServiceRights<'_>,
    (id, children): (Option<u64>, Option<Vec<u64>>),
    (verb, name): (&str, &str),
) -> Result<(), ApiError> {
    let Some(children) = children else { return Ok(()) };
    if let Some(child) = children.iter().find(|it| !rights.may_write(**it)) {
        let child = service(ctx, *child).map_or("", |it| &it.name);
        let why = format!("read-write access to the child service \"{child}\" is required");
        return Err(refused(verb, name, &why));
    }
    let Some(id) = id else { return Ok(()) };
    let mut left = ctx.snapshot.services.children(id).filter(|it| !children.contains(it));
    match left.find(|it| !stays_writable(ctx, rights, *it, &[id])) {
        Some(child) => {
            let child = service(ctx, child).map_or("", |it| &it.name);
            Err(refused("update", child, TO_RETAIN))
        }
        None => Ok(()),
    }
}

/// Rule and value of propagation belong together.
fn check_propagation(
    fields: &Fields,
    old: Option<&Arc<Service>>,
    name: &str,
) -> Result<(), ApiError> {
    let (rule, value) = (fields.get("propagation_rule"), fields.get("propagation_value"));
    let Some(value) = value else {
        return if rule.is_none() {
            Ok(())
        } else {
            Err(ApiError::params(format!(
                "Cannot specify \"propagation_rule\" parameter without specifying \
                 \"propagation_value\" parameter for service \"{name}\"."
            )))
        };
    };
    let rule = match rule {
        Some(it) => validate::number(it).unwrap_or(0),
        None => old.map_or(0, |it| it.propagation_rule.code().into()),
    };
    let value = validate::number(value).unwrap_or(0);
    let fits = match rule {
        1 | 2 => (1..=5).contains(&value),
        4 => (-1..=5).contains(&value),
        _ => value == 0,
    };
    if fits {
        return Ok(());
    }
    Err(ApiError::params(format!(
        "Incompatible \"propagation_rule\" and \"propagation_value\" parameters for service \"{name}\"."
    )))
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let rights = service_rights(ctx);
    let services = &ctx.snapshot.services;
    let ids = get.id_set("serviceids")?;
    let parents = get.id_set("parentids")?;
    let is_deep = get.flag("deep_parentids");
    let below = match &parents {
        // 0 is above all.
        Some(it) if is_deep && !it.contains(&0) => {
            Some(services.below(it.iter().copied().filter(|it| rights.may_read(*it))))
        }
        _ => None,
    };
    let parents = parents.filter(|_| !is_deep);
    let children = get.id_set("childids")?;
    let tags = get.conditions("tags")?;
    let problem_tags = get.conditions("problem_tags")?;
    let without = get.flag("without_problem_tags") && problem_tags.is_empty();
    let slas = get.ids("slaids")?.map(|ids| {
        let known = ids.into_iter().filter_map(|it| ctx.snapshot.documents.get("sla", it));
        known.cloned().collect::<Vec<_>>()
    });
    let is_wanted = |id: u64, it: &Service| {
        let of_parents = || {
            parents.as_ref().is_none_or(|wanted| {
                it.parents
                    .iter()
                    .any(|it| wanted.contains(&it.serviceid) && rights.may_read(it.serviceid))
                    || wanted.contains(&0) && rights.is_root(id)
            })
        };
        let own_problem_tags = || -> Vec<Tag> {
            let tag = |it: &model::content::ServiceProblemTag| Tag {
                tag: it.tag.clone(),
                value: it.value.clone(),
            };
            it.problem_tags.iter().map(tag).collect()
        };
        ids.as_ref().is_none_or(|it| it.contains(&id))
            && (if get.options.editable { rights.may_write(id) } else { rights.may_read(id) })
            && below.as_ref().is_none_or(|it| it.contains(&id))
            && of_parents()
            && children.as_ref().is_none_or(|it| services.children(id).any(|id| it.contains(&id)))
            && tags.matches(&it.tags)
            && (problem_tags.is_empty() || problem_tags.matches(&own_problem_tags()))
            && (!without || it.problem_tags.is_empty())
            && slas
                .as_ref()
                .is_none_or(|list| list.iter().any(|of| sla::has_service(&of.body, &it.tags)))
    };
    let wanted = services.iter().filter(|(id, it)| is_wanted(*id, it)).map(|(id, _)| id);
    let documents = wanted.filter_map(|id| ctx.snapshot.documents.get(KIND, id));
    let mut list: DocumentList = documents.cloned().collect();
    if get.options.output.wants("readonly") {
        list.iter_mut().for_each(|it| set_readonly(&rights, it));
    }
    if let Some(wanted) = get.param(TIMELINE_PARAM) {
        add_timelines(ctx, &mut list, wanted)?;
    }
    Ok(list)
}

const CLOCK: FieldType = FieldType::Int { min: 0, max: 2_147_483_647 };
const PERIOD: &[Field] = &[
    Field::new("period_from", CLOCK, Rule::Required, "When it begins"),
    Field::new("period_to", CLOCK, Rule::Required, "When it ends"),
];
const PERIODS: Field =
    Field::new(TIMELINE_PARAM, FieldType::List(PERIOD), Rule::Required, "Periods")
        .unique(&[&["period_from", "period_to"]]);

/// Periods of `selectStatusTimeline`.
fn periods(given: &Value) -> Result<Vec<(i64, i64)>, ApiError> {
    let list = validate::parts(&PERIODS, given, &param(TIMELINE_PARAM))?;
    let clock = |it: &Fields, name: &str| it.get(name).and_then(validate::number).unwrap_or(0);
    Ok(list.iter().map(|it| (clock(it, "period_from"), clock(it, "period_to"))).collect())
}

fn add_timelines(ctx: &Ctx, list: &mut DocumentList, given: &Value) -> Result<(), ApiError> {
    let periods = periods(given)?;
    let ids: Vec<u64> = list.iter().map(|it| it.id).collect();
    let from = periods.iter().map(|it| it.0).min().unwrap_or(0);
    let to = periods.iter().map(|it| it.1).max().unwrap_or(0);
    let known = ctx.db().services().timelines(&ids, from, to)?;
    let never = StatusTimeline::default();
    for it in list {
        let whole = known.get(&it.id).unwrap_or(&never);
        let timelines = periods.iter().map(|(from, to)| written(&whole.part(*from, *to)));
        let timelines: Value = timelines.collect();
        Arc::make_mut(it).body.insert("status_timeline".to_owned(), timelines);
    }
    Ok(())
}

fn written(timeline: &StatusTimeline) -> Value {
    let alarm = |(clock, status): &(i64, Option<Severity>)| {
        json::part(ALARM, &Output::Extend, |field| match field {
            "clock" => number(*clock),
            _ => number(code(*status)),
        })
    };
    json::part(TIMELINE, &Output::Extend, |field| match field {
        "start_value" => number(code(timeline.start)),
        _ => timeline.changes.iter().map(alarm).collect(),
    })
}

fn select(ctx: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    let services = &ctx.snapshot.services;
    match select.property {
        "parents" => Some(others(ctx, select, services.parents(row.id), output)),
        "children" => Some(others(ctx, select, services.children(row.id), output)),
        "problem_events" => {
            let causes = ctx.db().services().root_cause(row.id);
            Some(json::parts(PROBLEM_EVENT, causes.into_iter(), output, |(id, severity), field| {
                match field {
                    "eventid" => number(*id),
                    "severity" => number(severity.code()),
                    _ => text(
                        ctx.db()
                            .events()
                            .problem(EventId(*id))
                            .map_or_else(String::new, |it| it.event.name.clone()),
                    ),
                }
            }))
        }
        "status_timeline" => Some(row.body.get("status_timeline").cloned().unwrap_or(json!([]))),
        _ => match select.gives {
            // Read from the document as any list.
            Gives::Parts(_) => None,
            _ => Some(json!([])),
        },
    }
}

/// Parents or children that the user may read.
fn others(ctx: &Ctx, select: &Select, ids: impl Iterator<Item = u64>, output: &Output) -> Value {
    let rights = service_rights(ctx);
    let rows: Vec<&Arc<Document>> = ids
        .filter(|it| rights.may_read(*it))
        .filter_map(|it| ctx.snapshot.documents.get(KIND, it))
        .collect();
    if *output == Output::Count {
        return number(rows.len());
    }
    ctx.related(select, Related::Documents(rows), output)
}

fn set_readonly(rights: &ServiceRights<'_>, service: &mut Arc<Document>) {
    let is_readonly = !rights.may_write(service.id);
    Arc::make_mut(service).body.insert("readonly".to_owned(), Value::Bool(is_readonly));
}

fn relate(ctx: &Ctx, rows: Related<'_>, output: &Output) -> Value {
    let Related::Documents(rows) = rows else { return json!([]) };
    let rights = service_rights(ctx);
    let row = |it: &&Arc<Document>| {
        let mut row = Arc::clone(it);
        if output.wants("readonly") {
            set_readonly(&rights, &mut row);
        }
        let of = (&SERVICE.object, &SPECIAL);
        Value::Object(document::related_with(ctx, of, &row, output))
    };
    rows.iter().map(row).collect()
}

/// Ids of the services of an agreement that the user may read.
pub(super) fn of_agreement(ctx: &Ctx, agreement: &Document, wanted: Option<&Set<u64>>) -> Vec<u64> {
    let rights = service_rights(ctx);
    let services = ctx.snapshot.services.iter().filter(|(id, it)| {
        wanted.is_none_or(|wanted| wanted.contains(id))
            && rights.may_read(*id)
            && sla::has_service(&agreement.body, &it.tags)
    });
    services.map(|(id, _)| id).collect()
}

/// Fields of an object of the request.
pub(super) type Params = Map<String, Value>;
