//! Values of macros of messages, from the configuration, the newest values, history and the
//! database.

use alert::macros::{
    DiscoveredService, DiscoveryMacros, EscalationEntry, EventCounts, MessageContext, MessageFacts,
    ObjectState, Registered, ServiceFacts, StateOwner, Update,
};
use alert::{EventObject, EventSource, MessageEvent};
use db::events::{Acknowledge, EventQuery, EventRow, object, source};
use db::objects::drule::type_name;
use db::{Db, Permission, Problem, Rights};
use formats::number::{format_f64, parse_suffixed};
use history::RangeQuery;
use jiff::tz::TimeZone;
use lang::expression::{
    Ast, Env, HistoryCall, Operand, OperandRef, Program, Value as Computed, parse,
};
use lang::functions::{self, Call, Needs, Sample as Known};
use model::snapshot::{Host, ItemRow, Snapshot};
use model::value::Sample;
use model::{EventId, GroupId, HostId, ItemId, Time, TriggerId};
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use crate::acknowledge_links::AcknowledgeLink;
use crate::judged_event::check_type;
use crate::ports::{AlertingPorts, TrialFunction, TrialQuery};

/// Values that one function of a macro may read. The limit bounds the time and memory of a message;
/// a function over more has no value.
const VALUES_MAX: usize = 100_000;
/// Events of one trigger that are counted.
const COUNTED_MAX: usize = 10_000;

/// Where facts come from.
#[derive(Clone, Debug)]
pub struct FactSources {
    pub db: Db,
    pub ports: AlertingPorts,
}

/// The facts of one message.
pub struct AlertFacts<'a> {
    sources: &'a FactSources,
    snapshot: Arc<Snapshot>,
    context: MessageContext,
    now: Time,
    zone: TimeZone,
    /// The recipient's; `None`: there is no recipient, and everything is shown.
    rights: Option<Rights>,
    /// Data that several macros of a message use is read once.
    registered: OnceCell<Option<Registered>>,
    discovered: OnceCell<Option<DiscoveryMacros>>,
    service: OnceCell<Option<ServiceFacts>>,
    /// Values of vault macros.
    secrets: RefCell<Vec<Arc<str>>>,
    /// Why the first missing secret is unavailable.
    missing_secret: OnceCell<String>,
}

impl std::fmt::Debug for AlertFacts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Facts").field("context", &self.context).finish_non_exhaustive()
    }
}

impl<'a> AlertFacts<'a> {
    /// As everything is now. Times are written in the zone of the context's user, else in the server's.
    #[must_use]
    pub fn new(sources: &'a FactSources, context: MessageContext, now: Time) -> Self {
        let snapshot = sources.db.snapshot();
        let user = snapshot.access.users.get(&context.user);
        let named = user.map(|it| it.timezone.as_str()).unwrap_or_default();
        let own = match named {
            "" | "default" => None,
            "system" => None,
            name => TimeZone::get(name).ok(),
        };
        let zone = own.unwrap_or_else(|| sources.db.zone().clone());
        let rights = context.user.some().and_then(|it| sources.db.rights(it, &snapshot));
        Self {
            sources,
            snapshot,
            context,
            now,
            zone,
            rights,
            registered: OnceCell::new(),
            discovered: OnceCell::new(),
            service: OnceCell::new(),
            secrets: RefCell::default(),
            missing_secret: OnceCell::new(),
        }
    }

    /// To be asked before anything is done with a text that has secrets.
    ///
    /// # Errors
    /// Why one of them is unavailable: its macro stays in the text as it is written.
    pub fn has_all_secrets(&self) -> Result<(), String> {
        self.missing_secret.get().map_or(Ok(()), |why| Err(why.clone()))
    }

    /// The secrets of vaults that texts were given.
    #[must_use]
    pub fn secrets(&self) -> Vec<Arc<str>> {
        self.secrets.borrow().clone()
    }

    /// Whether agents are there.
    pub(crate) fn availability(&self) -> &db::Availability {
        self.sources.db.availability()
    }

    fn problem(&self, id: EventId) -> Option<Arc<Problem>> {
        let events = self.sources.db.events();
        events.problem(id).or_else(|| {
            let found = events.fetch_problems(&[id]).inspect_err(warn_of).ok()?;
            found.into_iter().next().map(Arc::new)
        })
    }

    /// The values of an item up to a time, oldest first.
    fn read(&self, row: &ItemRow, from: Time, till: Time, limit: usize) -> Option<Vec<Sample>> {
        let query = RangeQuery {
            item: row.id,
            kind: row.content.value_type,
            from,
            till,
            limit,
            newest_first: true,
        };
        let mut found = self.sources.ports.history.range(&query).ok()?;
        found.reverse();
        Some(found)
    }

    /// The result of a function over an item's history at a time.
    fn computed(&self, row: &ItemRow, name: &str, parameters: &str, at: Time) -> Option<Computed> {
        let regexps = &self.snapshot.globals.regexps;
        let call = Call::parse_with(name, parameters, regexps).ok()?;
        let zone = self.sources.db.zone();
        if call.trend().is_some() {
            let what = TrialFunction::Trend(row.id, row.content.value_type, call);
            let query = TrialQuery { time: at, what };
            return self.sources.ports.functions.evaluate(&query).ok()?.ok();
        }
        let end = call.period().window(at, zone)?.end;
        let (from, limit) = match call.needs() {
            Needs::Values(n) => (Time(i64::MIN), n.min(VALUES_MAX)),
            Needs::Seconds(seconds) => {
                (Time(end.plus_secs(-seconds).0.saturating_add(1)), VALUES_MAX)
            }
        };
        let seen = self.read(row, from, end, limit)?;
        let known: Vec<Known<'_>> =
            seen.iter().map(|it| Known { time: it.time, value: (&it.value).into() }).collect();
        let context = functions::FunctionContext::new(at, zone, row.content.value_type);
        call.eval(&known, &context).ok()
    }

    fn read_registered(&self) -> Option<Registered> {
        let event = self.context.current()?;
        if event.source != EventSource::Autoregistration {
            return None;
        }
        let rows = self.sources.db.events().autoregistered_of(&[event.object_id]).ok()?;
        let agent = rows.into_iter().next()?;
        Some(Registered {
            host: agent.host,
            ip: agent.listen_ip,
            port: agent.listen_port.to_string(),
            metadata: agent.host_metadata,
            // Proxies send no autoregistration yet.
            proxy: String::new(),
            proxy_description: String::new(),
        })
    }

    fn read_discovered(&self) -> Option<DiscoveryMacros> {
        let event = self.context.current()?;
        if event.source != EventSource::Discovery {
            return None;
        }
        let events = self.sources.db.events();
        let found = events.discovered_device(event.object.code(), event.object_id);
        let device = found.inspect_err(warn_of).ok()??;
        let since = |lastup: i64, lastdown: i64| {
            self.now.clock().saturating_sub(lastup.max(lastdown)).max(0)
        };
        let rule = self.snapshot.documents.get("drule", device.host.rule);
        let shown = device.service.as_ref().or_else(|| device.services.first());
        let service = device.service.as_ref().map(|it| DiscoveredService {
            name: service_name(check_type(&self.snapshot, device.host.rule, it.check)).to_owned(),
            port: it.port,
            is_up: it.is_up,
            since_s: since(it.lastup, it.lastdown),
        });
        Some(DiscoveryMacros {
            rule: rule.map_or_else(String::new, |it| it.text("name").to_owned()),
            ip: shown.map_or_else(String::new, |it| it.ip.clone()),
            dns: shown.map_or_else(String::new, |it| it.dns.clone()),
            is_up: device.host.is_up,
            since_s: since(device.host.lastup, device.host.lastdown),
            service,
            // The server looks by itself.
            ..DiscoveryMacros::default()
        })
    }

    fn read_service(&self) -> Option<ServiceFacts> {
        let event = self.context.event.as_ref()?;
        if event.source != EventSource::Service {
            return None;
        }
        let service = self.snapshot.services.get(event.object_id)?;
        let causes = self.sources.db.services().root_cause(event.object_id);
        let known =
            causes.into_iter().filter_map(|(id, _)| self.readable(&*self.problem(EventId(id))?));
        Some(ServiceFacts {
            name: service.name.clone(),
            description: service.description.clone(),
            root_cause: known.collect(),
        })
    }

    /// A problem, if the recipient may read all its hosts.
    fn readable(&self, problem: &Problem) -> Option<MessageEvent> {
        let may = self.rights.as_ref().is_none_or(|rights| {
            let hosts: Option<Vec<&Arc<Host>>> =
                problem.event.hosts.iter().map(|it| self.snapshot.hosts.get(it)).collect();
            hosts.is_some_and(|it| rights.sees_problem(&it, &problem.event.tags))
        });
        may.then(|| event_of(&problem.event, Some(problem))).flatten()
    }

    /// The event that ended a problem.
    fn end_of(&self, problem: &Problem) -> Option<MessageEvent> {
        let query = EventQuery {
            eventids: Some(vec![problem.r_eventid.some()?]),
            limit: 1,
            ..EventQuery::default()
        };
        let found = self.sources.db.events().query(&query).inspect_err(warn_of).ok()?;
        event_of(found.first()?, None)
    }

    fn called(&self, ast: &Ast, call: &HistoryCall, at: Time) -> Option<Computed> {
        let query = ast.query(call)?;
        // Without a name it is the host of the first function; names may be macros.
        let written = if query.host.is_empty() { "{HOST.HOST}" } else { query.host };
        let name = alert::macros::expand(written, self);
        let host = self.snapshot.host_named(&name)?;
        if self.rights.as_ref().is_some_and(|it| it.holder(host) < Permission::Read) {
            return None;
        }
        let row = host.item_by_key(query.key)?;
        let parameters: Vec<&str> = ast.call_args(call).collect();
        self.computed(row, ast.call_name(call), &parameters.join(","), at)
    }
}

/// The name of a type of checks of network discovery in messages.
fn service_name(kind: Option<u8>) -> &'static str {
    match kind {
        Some(11) => "SNMPv2c agent",
        kind => kind.map_or("unknown", |it| type_name(it.into())),
    }
}

fn warn_of(error: &db::DbError) {
    tracing::warn!(%error, "a macro of a message cannot be resolved");
}

/// An event as alerting uses it. Its later state is that of the problem.
#[must_use]
pub fn event_of(row: &EventRow, problem: Option<&Problem>) -> Option<MessageEvent> {
    Some(MessageEvent {
        id: row.eventid,
        source: EventSource::from_code(row.source)?,
        object: EventObject::from_code(row.object)?,
        object_id: row.objectid,
        time: row.time,
        value: row.value,
        severity: problem.map_or(row.severity, |it| it.severity),
        is_acknowledged: problem.is_some_and(|it| it.acknowledged),
        name: row.name.clone(),
        tags: row.tags.clone(),
        hosts: row.hosts.clone(),
    })
}

/// An entry below a problem, as messages show it.
#[must_use]
pub fn update_of(it: &Acknowledge) -> Update {
    Update {
        id: it.acknowledgeid,
        user: it.userid,
        clock: it.clock,
        message: it.message.clone(),
        action: it.action,
        old_severity: it.old_severity,
        new_severity: it.new_severity,
        suppress_until: it.suppress_until,
    }
}

fn operand(value: &Option<Computed>) -> Operand<'_> {
    match value {
        Some(Computed::Number(it)) => Operand::Number(*it),
        Some(Computed::UInt(it)) => Operand::UInt(*it),
        Some(Computed::Text(it)) => Operand::Text(it),
        Some(Computed::Vector(it)) => Operand::Vector(it),
        None => Operand::Unknown("no value"),
    }
}

fn shown(value: &Computed) -> Option<String> {
    match value {
        Computed::Number(it) => Some(format_f64(*it)),
        Computed::UInt(it) => Some(it.to_string()),
        Computed::Text(it) => Some(it.clone()),
        Computed::Vector(_) => None,
    }
}

impl MessageFacts for AlertFacts<'_> {
    fn vault(&self, path: &str) -> Option<String> {
        match self.sources.ports.commands.secret(path) {
            Ok(it) => {
                let shown = it.to_string();
                self.secrets.borrow_mut().push(it);
                Some(shown)
            }
            Err(why) => {
                self.missing_secret.get_or_init(|| why);
                None
            }
        }
    }

    fn registered(&self) -> Option<Registered> {
        self.registered.get_or_init(|| self.read_registered()).clone()
    }

    fn discovered(&self) -> Option<DiscoveryMacros> {
        self.discovered.get_or_init(|| self.read_discovered()).clone()
    }

    fn service(&self) -> Option<ServiceFacts> {
        self.service.get_or_init(|| self.read_service()).clone()
    }

    fn context(&self) -> &MessageContext {
        &self.context
    }

    fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn now(&self) -> Time {
        self.now
    }

    fn zone(&self) -> &TimeZone {
        &self.zone
    }

    fn value(&self, item: ItemId, until: Option<Time>) -> Option<Sample> {
        let live = self.sources.ports.live.item(item);
        let newest = [live.last, live.prev].into_iter().flatten();
        let mut fitting = newest.filter(|it| until.is_none_or(|until| it.time <= until));
        if let Some(found) = fitting.next() {
            return Some(found);
        }
        let (_, row) = self.snapshot.item(item)?;
        let till = until.unwrap_or(self.now);
        self.read(row, Time(i64::MIN), till, 1)?.pop()
    }

    fn acknowledge_url(&self) -> Option<String> {
        let event = self.context.event.as_ref()?.id;
        let user = self.context.user.some()?;
        let settings = self.snapshot.documents.get("settings", db::objects::SINGLE)?;
        let now = self.now.clock();
        self.sources.ports.links.url(settings.text("url"), AcknowledgeLink { event, user }, now)
    }

    fn object_state(&self, of: StateOwner) -> Option<ObjectState> {
        let live = &self.sources.ports.live;
        let text = |it: Option<Arc<str>>| it.map_or_else(String::new, |it| it.to_string());
        Some(match of {
            StateOwner::Item(id) => {
                let item = live.item(id);
                ObjectState { is_faulty: item.is_unsupported, error: text(item.error) }
            }
            StateOwner::Trigger(id) => {
                let error = live.trigger(id).error;
                ObjectState { is_faulty: error.is_some(), error: text(error) }
            }
        })
    }

    fn function_value(&self, of: TriggerId, position: usize, at: Time) -> Option<String> {
        let (holder, row) = self.snapshot.trigger(of)?;
        let content = &row.content;
        let function = content.functions.get(position)?;
        let (_, item) = self.snapshot.item_meant(holder, function.item, row.discovered())?;
        let parameter = match row.discovered() {
            Some(found) => {
                let in_row = lang::lld::RowIn::new(&found.row, &self.zone);
                let made =
                    lang::lld::expand_stored(&content.expression, &content.functions, in_row);
                made.ok()?.1.get(position)?.parameter.clone()
            }
            None => function.parameter.clone(),
        };
        let parameter = parameter.strip_prefix('$').unwrap_or(&parameter);
        let parameter = parameter.strip_prefix(',').unwrap_or(parameter);
        let parameter = alert::macros::expand(parameter, self);
        shown(&self.computed(item, &function.function, &parameter, at)?)
    }

    fn expression_value(&self, written: &str, at: Time) -> Option<String> {
        let ast = parse(written).ok()?;
        let program = Program::compile(&ast).ok()?;
        let value = |it: &OperandRef| match it {
            OperandRef::HistoryCall(at_call) => {
                self.called(&ast, ast.history_calls().get(*at_call)?, at)
            }
            OperandRef::UserMacro(it) | OperandRef::Macro(it) | OperandRef::Compound(it) => {
                let value = alert::macros::expand(it, self);
                Some(parse_suffixed(&value).map_or(Computed::Text(value), Computed::Number))
            }
            OperandRef::Call { .. } | OperandRef::Function(_) => None,
        };
        let values: Vec<Option<Computed>> = program.operands().iter().map(value).collect();
        let operands: Vec<Operand<'_>> = values.iter().map(operand).collect();
        let regexps = &self.snapshot.globals.regexps;
        let env = Env { regexps, ..Env::new(at, self.sources.db.zone()) };
        shown(&program.eval(&operands, &env).ok()?)
    }

    fn updates(&self, of: EventId) -> Vec<Update> {
        let problem = self.problem(of);
        problem.map_or_else(Vec::new, |it| it.acknowledges.iter().map(update_of).collect())
    }

    fn cause(&self, of: EventId) -> Option<(MessageEvent, Option<MessageEvent>)> {
        let cause = self.problem(self.problem(of)?.cause.some()?)?;
        Some((self.readable(&cause)?, self.end_of(&cause)))
    }

    fn symptoms(&self, of: EventId) -> Vec<MessageEvent> {
        let symptoms = self.sources.db.events().symptoms_of(of);
        symptoms.iter().filter_map(|it| self.readable(it)).collect()
    }

    fn event_counts(&self, of: TriggerId) -> Option<EventCounts> {
        let events = self.sources.db.events();
        let query = EventQuery {
            objectids: Some(vec![of.0]),
            source: Some(source::TRIGGER),
            object: Some(object::TRIGGER),
            is_descending: true,
            limit: COUNTED_MAX,
            ..EventQuery::default()
        };
        let rows = events.query(&query).inspect_err(warn_of).ok()?;
        let ids: Vec<EventId> =
            rows.iter().filter(|it| it.value == 1).map(|it| it.eventid).collect();
        let problems = events.fetch_problems(&ids).inspect_err(warn_of).ok()?;
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let done = count(problems.iter().filter(|it| it.acknowledged).count());
        let all = count(rows.len());
        Some(EventCounts {
            acknowledged: done,
            unacknowledged: all.saturating_sub(done),
            problems_acknowledged: done,
            problems_unacknowledged: count(ids.len()).saturating_sub(done),
        })
    }

    fn escalation(&self) -> Vec<EscalationEntry> {
        let (Some(event), action) = (&self.context.event, self.context.action.0) else {
            return Vec::new();
        };
        let query = db::alerts::AlertQuery {
            eventids: Some(vec![event.id.0]),
            actionids: Some(vec![action]),
            ..db::alerts::AlertQuery::default()
        };
        let rows = self.sources.db.alerts().query(&query).inspect_err(warn_of).unwrap_or_default();
        let media_type = |id: u64| {
            let found = self.snapshot.documents.get("mediatype", id);
            found.map_or_else(String::new, |it| it.text("name").to_owned())
        };
        let entry = |alert::Alert {
                         step,
                         clock,
                         kind,
                         status,
                         media_type: by,
                         sendto,
                         user,
                         message,
                         error,
                         ..
                     }| EscalationEntry {
            step,
            clock,
            kind,
            status,
            media_type: media_type(by),
            sendto,
            user,
            command: message,
            error,
        };
        rows.into_iter().map(|it| entry(it.alert)).collect()
    }

    fn may_read(&self, group: GroupId) -> bool {
        self.rights.as_ref().is_none_or(|it| Permission::Read <= it.host_group(group))
    }

    fn may_read_template(&self, template: HostId) -> bool {
        let right = |it: &Rights| it.holder_by_id(template, &self.snapshot);
        self.rights.as_ref().is_none_or(|it| Permission::Read <= right(it))
    }
}
