//! Scripts: who sees and starts them, and starting them.

use std::collections::BTreeMap;
use std::sync::Arc;

use alert::macros::{MessageContext, Secrets, expand};
use db::objects::Stored;
use db::objects::action::{Named, named_in};
use db::objects::script::{FOR_ACTIONS, FOR_EVENTS, FOR_HOSTS, LIMITED, SCRIPT, URL, fits};
use db::{Actor, Permission};
use model::document::Document;
use model::field_path::FieldPath;
use model::map::Set;
use model::snapshot::Host;
use model::{EventId, GroupId, HostId, UserGroupId};
use serde_json::{Map, Value, json};

use crate::describe::{Field, FieldType, Object, Rule, Select};
use crate::error::{ApiError, Class, param};
use crate::json::{Fields, id_of, text};
use crate::method::{Method, Pool};
use crate::objects::alerting::action;
use crate::objects::common::document::{self, DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::objects::problems::visibility::readable_problem;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::{Mode, object_at_root};
use alerting::message_facts::{FactSources, Facts, event_of};
use alerting::script_commands::{command, is_on_host, place_of};

const KIND: &str = "script";
/// Longest input that is taken.
const INPUT_MAX: usize = 2_048;

pub(crate) const SPECIAL: Special = Special {
    may_read: |ctx, script| ctx.is_super_admin() || is_for_user(ctx, script),
    check,
    candidates,
    select,
    shown,
    relate: Some(|ctx, rows, output| {
        let Related::Documents(rows) = rows else { return json!([]) };
        let object = shown(ctx, &SCRIPT.object);
        rows.iter().map(|it| Value::Object(document::related(ctx, object, it, output))).collect()
    }),
    ..Special::NOTHING
};

pub(crate) const METHODS: &[Method] = &[
    Method::read("script.execute", execute).slow(Pool::Outside),
    Method::read("script.getscriptsbyhosts", by_hosts),
    Method::read("script.getscriptsbyevents", by_events),
];

fn shown(ctx: &Ctx, whole: &'static Object) -> &'static Object {
    if ctx.is_super_admin() { whole } else { &LIMITED }
}

/// Whether a user may start it, wherever: users of its group, on hosts that they see.
fn is_for_user(ctx: &Ctx, script: &Document) -> bool {
    let group = UserGroupId(script.text("usrgrpid").parse().unwrap_or(0));
    let user = ctx.snapshot.access.users.get(&ctx.caller.identity.userid);
    let is_in_group = group.is_none() || user.is_some_and(|it| it.groups.contains(&group));
    let hosts = GroupId(script.text("groupid").parse().unwrap_or(0));
    let sees = hosts.is_none() || Permission::Read <= ctx.rights.host_group(hosts);
    script.text("scope") != FOR_ACTIONS && is_in_group && sees
}

/// Whether the user may start a script on a host.
fn is_for_host(ctx: &Ctx, script: &Document, host: &Host) -> bool {
    let needed =
        if script.text("host_access") == "3" { Permission::Write } else { Permission::Read };
    let has_right = ctx.is_super_admin() || needed <= ctx.rights.holder(host);
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

fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let (hosts, groups) = (get.id_set("hostids")?, get.id_set("groupids")?);
    let users = get.id_set("usrgrpids")?;
    let id = |it: &Document, name: &str| it.text(name).parse::<u64>().unwrap_or(0);
    let has = |wanted: &Option<Set<u64>>, id: u64| {
        wanted.as_ref().is_none_or(|wanted| id == 0 || wanted.contains(&id))
    };
    let on_hosts = |it: &Document| {
        hosts.as_ref().is_none_or(|wanted| {
            let mut found = wanted.iter().filter_map(|it| ctx.snapshot.hosts.get(&HostId(*it)));
            found.any(|host| ctx.may_read(host) && is_on_host(&ctx.snapshot, it, host))
        })
    };
    let all = ctx.snapshot.documents.of(KIND);
    let is_wanted = |it: &&Arc<Document>| {
        has(&groups, id(it, "groupid")) && has(&users, id(it, "usrgrpid")) && on_hosts(it)
    };
    Ok(all.filter(is_wanted).cloned().collect())
}

fn select(ctx: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    match select.property {
        "hostgroups" => {
            let wanted = row.text("groupid").parse::<u64>().unwrap_or(0);
            let groups = match wanted {
                0 => ctx.snapshot.host_groups.keys().map(|it| it.0).collect(),
                one => vec![one],
            };
            Some(ctx.related(select, Related::Groups(groups), output))
        }
        "hosts" => {
            let hosts = ctx.snapshot.hosts.values();
            let hosts = hosts.filter(|it| ctx.may_read(it) && is_on_host(&ctx.snapshot, row, it));
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

/// What actions execute stays what actions may execute.
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
        "What was typed in",
    ),
];

/// What a script is started for.
struct Started {
    host: Arc<Host>,
    context: MessageContext,
}

fn execute(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(EXECUTE, params)?;
    let script = ctx.snapshot.documents.get(KIND, id_of(&fields, "scriptid").unwrap_or_default());
    let script = script.ok_or_else(ApiError::no_permissions)?;
    let started = started(ctx, &fields, script)?;
    if matches!(script.text("type"), URL) {
        return Err(ApiError::field(param("scriptid"), "cannot execute URL type script"));
    }
    let sources = FactSources { db: ctx.db().clone(), ports: ctx.ports().of_alerting() };
    let facts = Facts::new(&sources, started.context, ctx.now);
    let outcome = match command(script, Some(&started.host), &facts) {
        Ok(command) => ctx.ports().commands.execute(&command),
        Err(why) => Err(why),
    };
    note(ctx, script, &started.host, &outcome);
    match outcome {
        Ok(output) => Ok(json!({ "response": "success", "value": output, "debug": [] })),
        Err(why) => Err(ApiError::new(Class::Application, why)),
    }
}

fn started(ctx: &Ctx, fields: &Fields, script: &Arc<Document>) -> Result<Started, ApiError> {
    let user = ctx.caller.identity.userid;
    let (host, event) = match (id_of(fields, "hostid"), id_of(fields, "eventid")) {
        (Some(_), Some(_)) => {
            return Err(ApiError::params(
                "Invalid parameter \"/\": only one of hostid and eventid.",
            ));
        }
        (None, None) => {
            return Err(ApiError::missing(FieldPath::root(), "hostid"));
        }
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
    context.secrets = Secrets::Shown;
    context.manual_input = input(fields, script)?;
    Ok(Started { host, context })
}

/// What was typed in, if the script asks for it.
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

/// Each execution is noted, with its outcome; the command itself may have secrets, its text has not.
fn note(ctx: &Ctx, script: &Document, host: &Host, outcome: &Result<String, String>) {
    if !ctx.snapshot.globals.settings.is_audited {
        return;
    }
    let mut details = Map::new();
    details.insert("hostid".to_owned(), text(host.id.to_string()));
    details.insert("type".to_owned(), text(script.text("type")));
    details.insert("command".to_owned(), text(script.text("command")));
    match outcome {
        // What a command prints may be secret; how much of it there was is not.
        Ok(output) => details.insert("output_bytes".to_owned(), output.len().into()),
        Err(why) => details.insert("error".to_owned(), text(why.as_str())),
    };
    let actor = Actor::User(ctx.caller.identity.userid);
    ctx.db().audit().executed(actor, (script.id, script.text("name")), details, ctx.now);
}

/// An object with the one script that is meant, if one is, and what was typed in.
type Asked = (u64, Option<u64>, Option<String>);

/// Objects with an id, optionally a script and what was typed in; ids alone are taken as well.
fn asked(params: &Value, id: &str) -> Result<Vec<Asked>, ApiError> {
    let list: Vec<&Value> = match params {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    };
    let mut out = Vec::new();
    for (at, it) in list.into_iter().enumerate() {
        let number = |it: &Value| match it {
            Value::String(it) => it.parse().ok(),
            other => other.as_u64(),
        };
        let path = FieldPath::object(at);
        let (of, script, input) = match it {
            Value::Object(fields) => (
                fields.get(id).and_then(number),
                fields.get("scriptid").and_then(number),
                fields.get("manualinput").and_then(Value::as_str).map(str::to_owned),
            ),
            other => (number(other), None, None),
        };
        let of = of.ok_or_else(|| ApiError::missing(&path, id))?;
        out.push((of, script, input));
    }
    Ok(out)
}

fn by_hosts(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut out: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for (host, script, input) in asked(params, "hostid")? {
        let host = readable_host(ctx, host)?;
        let context = MessageContext::of_host(host.id, ctx.caller.identity.userid);
        let found = startable(ctx, (FOR_HOSTS, script), host, context, input);
        out.entry(host.id.0).or_default().extend(found);
    }
    Ok(by_id(out))
}

fn by_events(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let mut out: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for (id, script, input) in asked(params, "eventid")? {
        let (host, event) = of_event(ctx, id)?;
        let user = ctx.caller.identity.userid;
        let context =
            MessageContext { target: Some(host.id), user, ..MessageContext::of_event(event) };
        let found = startable(ctx, (FOR_EVENTS, script), &host, context, input);
        out.entry(id).or_default().extend(found);
    }
    Ok(by_id(out))
}

fn by_id(of: BTreeMap<u64, Vec<Value>>) -> Value {
    Value::Object(of.into_iter().map(|(id, list)| (id.to_string(), list.into())).collect())
}

/// The scripts that the user may start there, texts that people read with their macros replaced.
fn startable(
    ctx: &Ctx,
    (scope, only): (&str, Option<u64>),
    host: &Host,
    mut context: MessageContext,
    input: Option<String>,
) -> Vec<Value> {
    context.secrets = Secrets::Masked;
    context.manual_input = input;
    let sources = FactSources { db: ctx.db().clone(), ports: ctx.ports().of_alerting() };
    let facts = Facts::new(&sources, context, ctx.now);
    let object = shown(ctx, &SCRIPT.object);
    let scripts = ctx.snapshot.documents.of(KIND).filter(|it| {
        it.text("scope") == scope
            && only.is_none_or(|only| it.id == only)
            && is_for_host(ctx, it, host)
            && place_of(it).is_none_or(|place| ctx.ports().commands.allows(place))
    });
    let written = |it: &Arc<Document>| {
        let mut fields = Map::new();
        for field in object.fields {
            let value = match field.name {
                "scriptid" => text(it.id.to_string()),
                "password" => text(""),
                "confirmation" | "manualinput_prompt" => text(expand(it.text(field.name), &facts)),
                // Macros may have made something else of it than its author wrote.
                "url" => {
                    let url = expand(it.text("url"), &facts);
                    text(if ctx.admits_link(&url) { url } else { String::new() })
                }
                name => it.body.get(name).cloned().unwrap_or_else(|| match field.kind {
                    FieldType::List(_) => json!([]),
                    _ => text(""),
                }),
            };
            fields.insert(field.name.to_owned(), value);
        }
        Value::Object(fields)
    };
    scripts.map(written).collect()
}
