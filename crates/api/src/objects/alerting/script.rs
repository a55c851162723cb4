//! Scripts: their visibility, and starting them.

use std::collections::BTreeMap;
use std::sync::Arc;

use alert::macros::{MessageContext, SecretMode, expand};
use db::audit::MASKED;
use db::objects::Stored;
use db::objects::action::{Named, named_in};
use db::objects::script::{FOR_EVENTS, FOR_HOSTS, HIDDEN, SCRIPT, URL, WEBHOOK, fits};
use db::{Act, AuditAction, Permission};
use model::document::Document;
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::Host;
use model::{EventId, GroupId, HostId, UserGroupId};
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Rule, Select};
use crate::error::{ApiError, ErrorClass, param};
use crate::json::{Fields, id_of, text};
use crate::method::{Method, Pool};
use crate::objects::alerting::action;
use crate::objects::common::document::{self, DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::objects::problems::visibility::readable_problem;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{Mode, elements, given_objects, object_at_root, unique};
use alerting::message_facts::{AlertFacts, FactSources, event_of};
use alerting::script_commands::{command, is_on_host, place_of};

const KIND: &str = "script";
/// The longest input: a longer one is refused.
const INPUT_MAX: usize = 2_048;

pub(crate) const SPECIAL: Special = Special {
    may_read: |ctx, script| ctx.is_super_admin() || is_for_user(ctx, script),
    check,
    candidates,
    field,
    select,
    relate: Some(|ctx, rows, output| {
        let Related::Documents(rows) = rows else { return json!([]) };
        let of = (&SCRIPT.object, &SPECIAL);
        rows.iter().map(|it| Value::Object(document::related_with(ctx, of, it, output))).collect()
    }),
    ..Special::NOTHING
};

pub(crate) const METHODS: &[Method] = &[
    Method::read("script.execute", execute).slow(Pool::Outside),
    Method::read("script.getscriptsbyhosts", by_hosts),
    Method::read("script.getscriptsbyevents", by_events),
];

/// The fields of a script are shown to users who may change it; others start it by its name.
fn field(ctx: &Ctx, _: &Document, name: &str) -> Option<Value> {
    if ctx.is_super_admin() || !HIDDEN.contains(&name) {
        return None;
    }
    let field = SCRIPT.object.field(name)?;
    Some(match field.kind {
        FieldType::List(_) => json!([]),
        _ => text(field.default_text()),
    })
}

/// Whether a user may start it on any host: users of its group, on hosts that they see.
fn is_for_user(ctx: &Ctx, script: &Document) -> bool {
    let group = UserGroupId(script.text("usrgrpid").parse().unwrap_or(0));
    let user = ctx.snapshot.access.users.get(&ctx.caller.identity.userid);
    let is_in_group = group.is_none() || user.is_some_and(|it| it.groups.contains(&group));
    let hosts = GroupId(script.text("groupid").parse().unwrap_or(0));
    let sees = hosts.is_none() || Permission::Read <= ctx.rights.host_group(hosts);
    is_in_group && sees
}

/// Whether the user may start a script on a host.
fn is_for_host(ctx: &Ctx, script: &Document, host: &Host) -> bool {
    let has_right = ctx.is_super_admin() || needed_right(script) <= ctx.rights.holder(host);
    let group = UserGroupId(script.text("usrgrpid").parse().unwrap_or(0));
    let user = ctx.snapshot.access.users.get(&ctx.caller.identity.userid);
    let is_in_group = group.is_none()
        || ctx.is_super_admin()
        || user.is_some_and(|it| it.groups.contains(&group));
    has_right && is_in_group && is_on_host(&ctx.snapshot, script, host)
}

fn readable_host(ctx: &Ctx, id: u64) -> Result<&Arc<Host>, ApiError> {
    let host = ctx.snapshot.hosts.get(&HostId(id)).filter(|it| ctx.may_read(it));
    host.ok_or_else(ApiError::no_permissions)
}

/// The groups and the groups above them, by their names.
fn with_those_above(ctx: &Ctx, groups: impl Iterator<Item = GroupId>) -> Set<GroupId> {
    let names: Vec<&str> = groups
        .filter(|it| Permission::Read <= ctx.rights.host_group(*it))
        .filter_map(|it| ctx.snapshot.host_groups.get(&it))
        .map(|it| it.name.as_str())
        .collect();
    let is_above = |name: &str| {
        names.iter().any(|it| {
            it.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let all = ctx.snapshot.host_groups.iter();
    all.filter(|(_, it)| is_above(&it.name)).map(|(id, _)| *id).collect()
}

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let id = |it: &Document, name: &str| it.text(name).parse::<u64>().unwrap_or(0);
    let of_hosts = get.id_set("hostids")?.map(|hosts| {
        let hosts = hosts.iter().filter_map(|it| ctx.snapshot.hosts.get(&HostId(*it)));
        let hosts = hosts.filter(|it| ctx.may_read(it));
        with_those_above(ctx, hosts.flat_map(|it| it.groups.iter().copied()))
    });
    let of_groups =
        get.id_set("groupids")?.map(|it| with_those_above(ctx, it.iter().map(|it| GroupId(*it))));
    let users = get.id_set("usrgrpids")?;
    let all = ctx.snapshot.documents.of(KIND);
    let is_wanted = |it: &&Arc<Document>| {
        let (group, user_group) = (GroupId(id(it, "groupid")), id(it, "usrgrpid"));
        let is_of = |groups: &Option<Set<GroupId>>| {
            groups.as_ref().is_none_or(|it| group.is_none() || it.contains(&group))
        };
        let is_for = users.as_ref().is_none_or(|it| user_group == 0 || it.contains(&user_group));
        is_of(&of_hosts) && is_of(&of_groups) && is_for
    };
    Ok(all.filter(is_wanted).cloned().collect())
}

/// The host groups on whose hosts the user may start a script.
fn groups_of(ctx: &Ctx, script: &Document) -> Vec<GroupId> {
    let needed = needed_right(script);
    let above = GroupId(script.text("groupid").parse().unwrap_or(0));
    let above = ctx.snapshot.host_groups.get(&above).map(|it| it.name.as_str());
    let all = ctx.snapshot.host_groups.iter();
    let is_below = |name: &str| {
        above.is_none_or(|above| {
            name.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let found = all.filter(|(id, it)| is_below(&it.name) && needed <= ctx.rights.host_group(**id));
    found.map(|(id, _)| *id).collect()
}

fn needed_right(script: &Document) -> Permission {
    if script.text("host_access") == "3" { Permission::Write } else { Permission::Read }
}

fn select(ctx: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    match select.property {
        "hostgroups" | "groups" => {
            let groups = groups_of(ctx, row).into_iter().map(|it| it.0).collect();
            Some(ctx.related(select, Related::Groups(groups), output))
        }
        "hosts" => {
            let groups: Set<GroupId> = groups_of(ctx, row).into_iter().collect();
            let hosts = ctx.snapshot.hosts.values();
            let hosts = hosts.filter(|it| {
                ctx.may_read(it) && it.groups.iter().any(|group| groups.contains(group))
            });
            Some(ctx.related(select, Related::Holders(hosts.collect()), output))
        }
        "actions" => {
            let actions = actions_with(ctx, row.id).filter(|it| action::may_read(ctx, it));
            Some(ctx.related(select, Related::Documents(actions.collect()), output))
        }
        _ => None,
    }
}

/// Actions that execute a script.
fn actions_with(ctx: &Ctx, script: u64) -> impl Iterator<Item = &Arc<Document>> {
    let all = ctx.snapshot.documents.of("action");
    all.filter(move |it| named_in(&it.body).contains(&(Named::Script, script)))
}

/// A script that actions use keeps the scope of actions.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    let id = id_of(fields, "scriptid").unwrap_or_default();
    let (Mode::Update, Some(old)) = (mode, ctx.snapshot.documents.get(KIND, id)) else {
        return Ok(());
    };
    let stays = fields.get("scope").is_none_or(|it| it == old.text("scope"));
    match actions_with(ctx, id).next().filter(|_| !stays) {
        Some(action) => Err(ApiError::params(format!(
            "Cannot update script scope. Script \"{}\" is used in action \"{}\".",
            old.text("name"),
            action.text("name")
        ))),
        None => Ok(()),
    }
}

pub(crate) const EXECUTE: &[Field] = &[
    Field::new("scriptid", FieldType::Id, Rule::Required, "Which"),
    Field::new("hostid", FieldType::Id, Rule::Optional, "On which host"),
    Field::new("eventid", FieldType::Id, Rule::Optional, "For which problem"),
    Field::new(
        "manualinput",
        FieldType::Text { max: INPUT_MAX },
        Rule::Optional,
        "The user's input",
    ),
];

/// The subject of a started script.
struct Started {
    host: Arc<Host>,
    /// Its id, if it is for one.
    event: Option<u64>,
    context: MessageContext,
}

fn execute(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(EXECUTE, params)?;
    let script = ctx.snapshot.documents.get(KIND, id_of(&fields, "scriptid").unwrap_or_default());
    let script = script.ok_or_else(ApiError::no_permissions)?;
    let started = started(ctx, &fields, script)?;
    if matches!(script.text("type"), URL) {
        return Err(ApiError::application("Cannot execute URL type script.".to_owned()));
    }
    let sources = FactSources { db: ctx.db().clone(), ports: ctx.ports().of_alerting() };
    let facts = AlertFacts::new(&sources, started.context, ctx.now);
    let outcome = match command(script, Some(&started.host), &facts) {
        Ok(command) => ctx.ports().commands.execute(&command),
        Err(why) => Err(why),
    };
    note(ctx, script, (&started.host, started.event), &outcome);
    match outcome {
        Ok(output) => Ok(json!({ "response": "success", "value": output, "debug": [] })),
        Err(why) => Err(ApiError::new(ErrorClass::Application, why)),
    }
}

fn started(ctx: &Ctx, fields: &Fields, script: &Arc<Document>) -> Result<Started, ApiError> {
    let user = ctx.caller.identity.userid;
    let given = |name: &str| fields.get(name).map(|_| id_of(fields, name).unwrap_or_default());
    let (host, event) = match (given("hostid"), given("eventid")) {
        (Some(_), Some(_)) => return Err(ApiError::unexpected(FieldPath::root(), "eventid")),
        (None, None) => return Err(ApiError::missing(FieldPath::root(), "eventid")),
        (Some(host), None) => (Arc::clone(readable_host(ctx, host)?), None),
        (None, Some(event)) => {
            let (host, event) = of_event(ctx, event)?;
            (host, Some(event))
        }
    };
    let scope = if event.is_some() { FOR_EVENTS } else { FOR_HOSTS };
    if script.text("scope") != scope || !is_for_host(ctx, script, &host) {
        return Err(ApiError::no_permissions());
    }
    let mut context = match event {
        Some(event) => {
            MessageContext { target: Some(host.id), user, ..MessageContext::of_event(event) }
        }
        None => MessageContext::of_host(host.id, user),
    };
    context.secrets = SecretMode::Shown;
    context.manual_input = input(fields, script)?;
    Ok(Started { host, event: given("eventid"), context })
}

/// The user's input, if the script asks for it.
fn input(fields: &Fields, script: &Document) -> Result<Option<String>, ApiError> {
    let given = fields.get("manualinput").and_then(Value::as_str);
    match (script.text("manualinput") == "1", given) {
        (false, None) => Ok(None),
        (false, Some(_)) => Err(ApiError::field(param("manualinput"), "script takes no input")),
        (true, None) => Err(ApiError::missing(FieldPath::root(), "manualinput")),
        (true, Some(it)) if fits(&script.body, it) => Ok(Some(it.to_owned())),
        (true, Some(_)) => {
            Err(ApiError::field(param("manualinput"), "input does not match the validator"))
        }
    }
}

/// A problem that the user may read, with the first of its hosts.
fn of_event(ctx: &Ctx, id: u64) -> Result<(Arc<Host>, alert::MessageEvent), ApiError> {
    let problem = readable_problem(ctx, EventId(id))?;
    if !problem.event.is_of_trigger() {
        return Err(ApiError::no_permissions());
    }
    let mut hosts = problem.event.hosts.iter().filter_map(|it| ctx.snapshot.hosts.get(it));
    let host = hosts.next().filter(|it| ctx.may_read(it)).ok_or_else(ApiError::no_permissions)?;
    let event = event_of(&problem.event, Some(&problem)).ok_or_else(ApiError::no_permissions)?;
    Ok((Arc::clone(host), event))
}

/// Each execution is logged, as one on a host. The command may have secrets, its text has not; its output may
/// be secret.
fn note(
    ctx: &Ctx,
    script: &Document,
    (host, event): (&Host, Option<u64>),
    outcome: &Result<String, String>,
) {
    let mut said = vec![("execute_on", script.text("execute_on").to_owned())];
    if let Some(event) = event {
        said.push(("eventid", event.to_string()));
    }
    said.push(("hostid", host.id.to_string()));
    if script.text("type") != WEBHOOK {
        said.push(("command", script.text("command").to_owned()));
    }
    match outcome {
        Ok(_) => said.push(("output", MASKED.to_owned())),
        Err(why) => said.push(("error", why.clone())),
    }
    let details = said.into_iter().map(|(name, it)| (format!("script.{name}"), json!(["add", it])));
    ctx.note_acts(vec![Act {
        action: AuditAction::Execute,
        kind: KIND,
        resourceid: host.id.0,
        name: host.name.to_string(),
        details: details.collect(),
    }]);
}

/// The parameter of the scripts' subjects: hosts, or events.
const fn asked_by(id: &'static str) -> [Field; 3] {
    [
        Field::new(id, FieldType::Id, Rule::Required, "Which"),
        Field::new("scriptid", FieldType::Id, Rule::Optional, "Only this script"),
        Field::new(
            "manualinput",
            FieldType::Text { max: 255 },
            Rule::Optional,
            "The user's input, for the texts that contain it",
        ),
    ]
}
pub(crate) const BY_HOSTS: &[Field] = &asked_by("hostid");
pub(crate) const BY_EVENTS: &[Field] = &asked_by("eventid");

/// The members of `getscriptsbyhosts` and `getscriptsbyevents`, judged.
fn asked(params: &Value, fields: &[Field]) -> Result<Vec<Fields>, ApiError> {
    if elements(params, false).is_some_and(|it| it.is_empty()) {
        return Ok(Vec::new());
    }
    let list = given_objects(fields, "", params, Mode::Create)?;
    unique(&list, &[fields[0].name])?;
    Ok(list)
}

fn by_hosts(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut out: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for asked in asked(params, BY_HOSTS)? {
        let id = id_of(&asked, "hostid").unwrap_or_default();
        let found = readable_host(ctx, id).map(|host| {
            let context = MessageContext::of_host(host.id, ctx.caller.identity.userid);
            startable(ctx, &asked, host, context)
        });
        out.entry(id).or_default().extend(found.unwrap_or_default());
    }
    Ok(by_id(out))
}

fn by_events(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut out: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for asked in asked(params, BY_EVENTS)? {
        let id = id_of(&asked, "eventid").unwrap_or_default();
        let found = of_event(ctx, id).map(|(host, event)| {
            let user = ctx.caller.identity.userid;
            let context =
                MessageContext { target: Some(host.id), user, ..MessageContext::of_event(event) };
            startable(ctx, &asked, &host, context)
        });
        out.entry(id).or_default().extend(found.unwrap_or_default());
    }
    Ok(by_id(out))
}

/// Empty, it is a list: so PHP writes it.
fn by_id(of: BTreeMap<u64, Vec<Value>>) -> Value {
    if of.is_empty() {
        return json!([]);
    }
    Value::Object(of.into_iter().map(|(id, list)| (id.to_string(), list.into())).collect())
}

/// The scripts that the user may start there, visible texts with their macros replaced.
fn startable(ctx: &Ctx, asked: &Fields, host: &Host, mut context: MessageContext) -> Vec<Value> {
    context.secrets = SecretMode::Masked;
    context.manual_input = asked.get("manualinput").and_then(Value::as_str).map(str::to_owned);
    let only = id_of(asked, "scriptid");
    let sources = FactSources { db: ctx.db().clone(), ports: ctx.ports().of_alerting() };
    let facts = AlertFacts::new(&sources, context, ctx.now);
    let scripts = ctx.snapshot.documents.of(KIND).filter(|it| {
        only.is_none_or(|only| it.id == only)
            && is_for_host(ctx, it, host)
            && place_of(it).is_none_or(|place| ctx.ports().commands.allows(place))
    });
    let written = |it: &Arc<Document>| {
        let mut fields = Map::new();
        for name in SCRIPT.object.fields.iter().map(|it| it.name).filter(|it| *it != "parameters") {
            let value = match name {
                "scriptid" => text(it.id.to_string()),
                "password" => text(""),
                "confirmation" | "manualinput_prompt" => text(expand(it.text(name), &facts)),
                // Macros may have made something else of it than its author wrote.
                "url" => {
                    let url = expand(it.text("url"), &facts);
                    text(if ctx.admits_link(&url) { url } else { String::new() })
                }
                _ => field(ctx, it, name)
                    .or_else(|| it.body.get(name).cloned())
                    .unwrap_or_else(|| text("")),
            };
            fields.insert(name.to_owned(), value);
        }
        Value::Object(fields)
    };
    let mut scripts: Vec<&Arc<Document>> = scripts.collect();
    scripts.sort_by(|a, b| a.text("name").cmp(b.text("name")).then(a.id.cmp(&b.id)));
    scripts.into_iter().map(written).collect()
}
