//! The configuration, problems and users of one turn.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::judged_event::{FoundObject, JudgedEvent, with_macros};
use crate::message_facts::{AlertFacts, FactSources, event_of, update_of};
use crate::script_commands::shown_command;
use alert::action::Action;
use alert::escalation::{EscalationWorld, Involved, MessageMode, MessageStep, Occasion, Standing};
use alert::macros::MessageContext;
use alert::operation::{CommandOperation, HostOperation, MessageText};
use alert::{Alert, AlertKind, AlertStatus, CommandTarget, EventObject, EventSource};
use db::{AutoregisteredHost, Db, DbError, DiscoveredDevice, EventRow, Problem, ToJudge};
use formats::number::parse_duration_s;
use jiff::tz::TimeZone;
use model::content::{ItemStatus, Severity, TriggerStatus};
use model::encryption::PSK;
use model::snapshot::{Host, Snapshot, TriggerRow};
use model::{EventId, ItemId, Time, TriggerId, UserId};

use super::actions::Actions;
use super::devices;
use super::hosts::{FoundHost, HostChange, Refused};
use super::message;
use super::recipients::{Asked, Target};
use super::targets::{CommandPlace, places};

/// Of agents that registered themselves: they want to be asked by their names.
const BY_DNS: u8 = 2;

pub(super) struct TurnWorld<'a> {
    db: &'a Db,
    sources: &'a FactSources,
    snapshot: &'a Snapshot,
    zone: &'a TimeZone,
    actions: &'a Actions,
    now: Time,
    events: BTreeMap<EventId, Arc<EventRow>>,
    problems: BTreeMap<EventId, Arc<Problem>>,
    involved: BTreeMap<(u64, EventId), Vec<Involved>>,
    /// Agents that registered themselves, by the object of their events.
    registered: BTreeMap<u64, AutoregisteredHost>,
    /// Devices of network discovery, by object and id of events.
    devices: BTreeMap<(u8, u64), DiscoveredDevice>,
    /// The turn is given up if there is one: nothing is decided without the answer.
    failure: RefCell<Option<DbError>>,
    /// Messages to schedules by which nobody was on call.
    n_oncall_gaps: Cell<u64>,
    /// Operations on hosts to execute before the turn is saved.
    host_changes: Vec<HostChange>,
}

impl<'a> TurnWorld<'a> {
    pub(super) fn new(
        sources: &'a FactSources,
        (snapshot, zone): (&'a Snapshot, &'a TimeZone),
        actions: &'a Actions,
        now: Time,
    ) -> Self {
        Self {
            db: &sources.db,
            sources,
            snapshot,
            zone,
            actions,
            now,
            events: BTreeMap::new(),
            problems: BTreeMap::new(),
            involved: BTreeMap::new(),
            registered: BTreeMap::new(),
            devices: BTreeMap::new(),
            failure: RefCell::default(),
            n_oncall_gaps: Cell::default(),
            host_changes: Vec::new(),
        }
    }

    /// Reads the data of the turn: the new events, problems with updates and escalations, and
    /// recipients of those with updates.
    pub(super) fn fetch(
        &mut self,
        updated: &[EventId],
        looked_at: Vec<EventId>,
        to_judge: &ToJudge,
    ) -> Result<(), DbError> {
        let rows = to_judge.events.iter().map(|it| (it.eventid, Arc::new(it.clone())));
        self.events.extend(rows);
        let new = to_judge.events.iter().filter(|it| it.value != 0).map(|it| it.eventid);
        let ended = to_judge.events.iter().flat_map(|it| it.recovers.iter().copied());
        let wanted: BTreeSet<EventId> =
            looked_at.into_iter().chain(updated.iter().copied()).chain(new).chain(ended).collect();
        let mut gone = Vec::new();
        for id in wanted {
            match self.db.events().problem(id) {
                Some(problem) => self.add(problem),
                None => gone.push(id),
            }
        }
        if !gone.is_empty() {
            // Resolved long ago. Those of sources without problems stay events.
            let found = self.db.events().fetch_problems(&gone)?;
            found.into_iter().for_each(|it| self.add(Arc::new(it)));
        }
        let is_registration = |it: &&EventRow| it.source == EventSource::Autoregistration.code();
        let registered: Vec<u64> =
            to_judge.events.iter().filter(is_registration).map(|it| it.objectid).collect();
        if !registered.is_empty() {
            let rows = self.db.events().autoregistered_of(&registered)?;
            self.registered.extend(rows.into_iter().map(|it| (it.id, it)));
        }
        self.fetch_devices(to_judge)?;
        if !updated.is_empty() {
            for (action, event, by) in self.db.escalations().involved(updated)? {
                self.involved.entry((action, event)).or_default().push(by);
            }
        }
        Ok(())
    }

    /// Each round has an event for every device: nothing is read where no action asks.
    fn fetch_devices(&mut self, to_judge: &ToJudge) -> Result<(), DbError> {
        if !self.actions.enabled().any(|it| it.source == EventSource::Discovery) {
            return Ok(());
        }
        let of = |object: EventObject| {
            let events = to_judge.events.iter().filter(move |it| {
                it.source == EventSource::Discovery.code() && it.object == object.code()
            });
            events.map(|it| it.objectid).collect::<BTreeSet<u64>>()
        };
        let hosts = of(EventObject::DiscoveredHost);
        let services = of(EventObject::DiscoveredService);
        if hosts.is_empty() && services.is_empty() {
            return Ok(());
        }
        let list = |ids: &BTreeSet<u64>| ids.iter().copied().collect::<Vec<u64>>();
        let rows = self.db.events().discovered_of(&list(&hosts), &list(&services))?;
        for (object, ids) in
            [(EventObject::DiscoveredHost, hosts), (EventObject::DiscoveredService, services)]
        {
            let code = object.code();
            let found = ids.into_iter().filter_map(|it| Some(((code, it), rows.about(code, it)?)));
            self.devices.extend(found);
        }
        Ok(())
    }

    fn device_of(&self, row: &EventRow) -> Option<&DiscoveredDevice> {
        if row.source != EventSource::Discovery.code() {
            return None;
        }
        self.devices.get(&(row.object, row.objectid))
    }

    fn add(&mut self, problem: Arc<Problem>) {
        self.events.insert(problem.eventid(), Arc::clone(&problem.event));
        self.problems.insert(problem.eventid(), problem);
    }

    pub(super) fn n_oncall_gaps(&self) -> u64 {
        self.n_oncall_gaps.get()
    }

    /// The operations on hosts of this turn.
    pub(super) fn take_host_changes(&mut self) -> Vec<HostChange> {
        std::mem::take(&mut self.host_changes)
    }

    /// The error of the database that the turn met.
    pub(super) fn take_failure(&self) -> Option<DbError> {
        self.failure.take()
    }

    fn or_fail<T>(&self, answer: Result<T, DbError>) -> Option<T> {
        match answer {
            Ok(it) => Some(it),
            Err(error) => {
                self.failure.replace(Some(error));
                None
            }
        }
    }

    /// By which media of users are chosen. Of a trigger that is gone the event says it.
    fn media_severity(&self, row: &EventRow) -> Severity {
        match EventSource::from_code(row.source) {
            Some(EventSource::Trigger) => {
                let found = self.snapshot.trigger(TriggerId(row.objectid));
                found.map_or(row.severity, |(_, it)| it.content.priority)
            }
            Some(EventSource::Service) => {
                self.problem(row.eventid).map_or(row.severity, |it| it.severity)
            }
            _ => Severity::NotClassified,
        }
    }

    fn problem(&self, id: EventId) -> Option<&Problem> {
        self.problems.get(&id).map(Arc::as_ref)
    }

    /// Authors of entries of a problem before an entry.
    pub(super) fn authors_before(&self, event: EventId, entry: u64) -> Vec<UserId> {
        let Some(problem) = self.problem(event) else { return Vec::new() };
        let before = problem.acknowledges.iter().filter(|it| it.acknowledgeid < entry);
        before.map(|it| it.userid).collect()
    }

    /// The object of an event is disabled or deleted.
    fn canceled(&self, event: &EventRow) -> Option<Standing> {
        let of_trigger = |id| match self.snapshot.trigger(TriggerId(id)) {
            None => Some(Standing::Gone),
            Some((holder, row)) => self.of_trigger(holder, row),
        };
        match EventObject::from_code(event.object)? {
            EventObject::Trigger => of_trigger(event.objectid),
            EventObject::Service => {
                let is_gone = self.snapshot.services.get(event.objectid).is_none();
                is_gone.then_some(Standing::Gone)
            }
            EventObject::Item | EventObject::DiscoveryRule => {
                let Some((holder, row)) = self.snapshot.item(ItemId(event.objectid)) else {
                    return Some(Standing::Gone);
                };
                disabled_host(holder).or_else(|| {
                    let reason = || format!("item \"{}\" disabled.", row.name());
                    (row.content.status != ItemStatus::Enabled)
                        .then(|| Standing::Canceled(reason()))
                })
            }
            _ => None,
        }
    }

    fn of_trigger(&self, holder: &Arc<Host>, row: &TriggerRow) -> Option<Standing> {
        if !row.is_live() || row.content.status != TriggerStatus::Enabled {
            return Some(Standing::Canceled(format!("trigger \"{}\" disabled.", row.name())));
        }
        let refs = row.content.functions.iter().map(|it| it.item);
        for id in refs {
            let Some((_, item)) = self.snapshot.item_by_ref(holder, id) else { continue };
            if item.content.status != ItemStatus::Enabled {
                return Some(Standing::Canceled(format!("item \"{}\" disabled.", item.name())));
            }
        }
        None
    }

    /// The subject of an operation for its macros.
    fn context(&self, of: &Occasion<'_>) -> Option<MessageContext> {
        let row = self.events.get(&of.event)?;
        let problem = self.problem(of.event);
        let mut context = MessageContext::of_event(event_of(row, problem)?);
        context.recovery = match of.mode {
            MessageMode::Recovery(id) => self.events.get(&id).and_then(|it| event_of(it, None)),
            _ => None,
        };
        let acknowledge = acknowledge_of(of.mode);
        context.update = problem.and_then(|it| {
            let entry = it.acknowledges.iter().find(|it| it.acknowledgeid == acknowledge)?;
            Some(update_of(entry))
        });
        context.action = (of.action.id, of.action.name.clone());
        Some(context)
    }

    /// To nobody, with nothing to say.
    fn empty_alert(&self, of: &Occasion<'_>) -> Alert {
        let (event, problem) = match of.mode {
            MessageMode::Recovery(id) => (id, of.event),
            _ => (of.event, EventId::NONE),
        };
        Alert {
            action: of.action.id,
            event,
            problem,
            acknowledge: acknowledge_of(of.mode),
            clock: self.now.clock(),
            step: of.step,
            ..Alert::default()
        }
    }

    fn alert(&self, message: &MessageStep<'_>, target: &Target<'_>) -> Option<Alert> {
        let of = &message.of;
        let source = EventSource::from_code(self.events.get(&of.event)?.source)?;
        let mut context = self.context(of)?;
        context.user = target.user.userid;
        let facts = AlertFacts::new(self.sources, context, self.now);
        let media_type = target.media_type.map_or(0, |it| it.id);
        let (subject, text) = match of.mode {
            MessageMode::Canceled { reason } => {
                let to = Involved { user: target.user.userid, media_type };
                let last = self.db.escalations().last_message((of.action.id, of.event), to);
                let (subject, last) = self.or_fail(last)??;
                // Zabbix's text, so that programs that read the mails still know it.
                (
                    subject,
                    format!("NOTE: Escalation canceled: {reason}\nLast message sent:\n{last}"),
                )
            }
            _ => {
                let found =
                    message::texts(&facts, (message.text, of.mode), (source, target.media_type));
                found.unwrap_or_default()
            }
        };
        let has_template = matches!(message.text, MessageText::Own { .. })
            || matches!(of.mode, MessageMode::Canceled { .. })
            || target.media_type.is_none()
            || !(subject.is_empty() && text.is_empty());
        let (status, error) = match (target.error, has_template) {
            ("", false) => (AlertStatus::Failed, "No message defined for media type."),
            (error, _) => (target.status, error),
        };
        Some(Alert {
            user: target.user.userid,
            media_type,
            sendto: target.sendto.clone(),
            subject,
            message: text,
            status,
            error: error.to_owned(),
            next_at: if status == AlertStatus::New { target.quiet_until } else { 0 },
            ..self.empty_alert(of)
        })
    }

    /// A command on one host; it is expanded with secrets only when it is executed.
    fn command_alert(
        &self,
        of: &Occasion<'_>,
        what: &CommandOperation,
        place: CommandPlace,
    ) -> Option<Alert> {
        let mut context = self.context(of)?;
        context.target = place.host.some();
        let facts = AlertFacts::new(self.sources, context, self.now);
        let script = self.snapshot.documents.get("script", what.script);
        let shown = script.map_or_else(String::new, |it| shown_command(it, &facts));
        let error = match (script, place.error) {
            (None, _) => "The script does not exist any more.",
            (Some(_), error) => error,
        };
        let status = if error.is_empty() { AlertStatus::New } else { AlertStatus::Failed };
        Some(Alert {
            message: match place.name.as_str() {
                "" => shown,
                name => format!("{name}:{shown}"),
            },
            parameters: CommandTarget { script: what.script, host: place.host }.to_json(),
            kind: AlertKind::Command,
            status,
            error: error.to_owned(),
            ..self.empty_alert(of)
        })
    }

    /// A failed operation on a host, as users find it among alerts.
    pub(super) fn refused_alert(&self, refused: &Refused) -> Option<Alert> {
        let action = self.actions.get(refused.action)?;
        let mode = MessageMode::Problem;
        let of = Occasion { action: &action, event: refused.event, step: 1, mode };
        Some(Alert {
            message: format!("{}:{}", refused.host, refused.operation),
            kind: AlertKind::Command,
            status: AlertStatus::Failed,
            error: refused.why.clone(),
            ..self.empty_alert(&of)
        })
    }

    /// The host that an event of autoregistration or network discovery is about.
    fn found(&self, event: EventId) -> Option<FoundHost> {
        let row = self.events.get(&event)?;
        if let Some(device) = self.device_of(row) {
            return Some(devices::host_of(device, self.snapshot));
        }
        if row.source != EventSource::Autoregistration.code() {
            return None;
        }
        let agent = self.registered.get(&row.objectid)?;
        Some(FoundHost {
            host: agent.host.clone(),
            ip: agent.listen_ip.clone(),
            dns: agent.listen_dns.clone(),
            port: agent.listen_port,
            is_by_dns: agent.flags == BY_DNS,
            device: None,
            is_by_key: agent.tls_accepted == PSK,
        })
    }
}

const fn acknowledge_of(mode: MessageMode<'_>) -> u64 {
    match mode {
        MessageMode::Update { acknowledge, .. } => acknowledge,
        _ => 0,
    }
}

fn disabled_host(holder: &Host) -> Option<Standing> {
    let reason = || format!("host \"{}\" disabled.", holder.name);
    (!holder.is_monitored()).then(|| Standing::Canceled(reason()))
}

impl EscalationWorld for TurnWorld<'_> {
    fn action(&self, id: u64) -> Option<Arc<Action>> {
        self.actions.get(id)
    }

    fn concerned_by(&mut self, event: EventId) -> Vec<Arc<Action>> {
        let Some(row) = self.events.get(&event) else { return Vec::new() };
        let of = (self.snapshot, self.zone, self.now);
        let is_registration = row.source == EventSource::Autoregistration.code();
        let agent = self.registered.get(&row.objectid).filter(|_| is_registration);
        let found = match (agent, self.device_of(row)) {
            (Some(it), _) => FoundObject::Agent(it),
            (None, Some(it)) => FoundObject::Device(it),
            (None, None) => FoundObject::Nothing,
        };
        let facts = JudgedEvent::new(of, row, self.problem(event), found);
        let is_concerned =
            |it: &&Arc<Action>| it.source.code() == row.source && it.filter.judge(&facts).is_met;
        self.actions.enabled().filter(is_concerned).cloned().collect()
    }

    fn standing(&self, event: EventId, action: &Action) -> Standing {
        if !action.is_enabled {
            return Standing::Canceled(format!("action \"{}\" disabled.", action.name));
        }
        let Some(row) = self.events.get(&event) else { return Standing::Gone };
        let mut hosts = row.hosts.iter().filter_map(|it| self.snapshot.hosts.get(it));
        if let Some(it) = hosts.find_map(|it| disabled_host(it)) {
            return it;
        }
        if let Some(it) = self.canceled(row) {
            return it;
        }
        let problem = self.problem(event);
        if action.source.has_problems() && problem.is_none() {
            return Standing::Gone;
        }
        let is_suppressed = problem.is_some_and(|it| it.is_suppressed(self.now));
        let is_symptom = problem.is_some_and(Problem::is_symptom);
        // A rule of correlation is about to close it, or has: it gets no first message.
        let is_closing = problem.is_some_and(|it| it.correlation.is_some());
        let is_flapping = problem.is_some_and(|it| it.flapping);
        let is_paused = is_closing
            || is_flapping
            || action.pauses_suppressed && is_suppressed
            || action.pauses_symptoms && is_symptom;
        if is_paused { Standing::Paused } else { Standing::Going }
    }

    fn is_acknowledged(&self, event: EventId) -> bool {
        self.problem(event).is_some_and(|it| it.acknowledged)
    }

    fn period_s(&self, text: &str, event: EventId) -> Option<i64> {
        let host = self.events.get(&event).and_then(|it| it.hosts.first().copied());
        let text = with_macros(self.snapshot, host, text)?;
        i64::try_from(parse_duration_s(&text)?).ok()
    }

    fn involved(&self, action: u64, event: EventId) -> Vec<Involved> {
        self.involved.get(&(action, event)).cloned().unwrap_or_default()
    }

    fn send(&mut self, message: &MessageStep<'_>) -> Vec<Alert> {
        let of = &message.of;
        let Some(row) = self.events.get(&of.event) else { return Vec::new() };
        let except = match of.mode {
            MessageMode::Update { author, .. } => author,
            _ => UserId::NONE,
        };
        let severity = self.media_severity(row);
        let asked = Asked {
            snapshot: self.snapshot,
            zone: self.zone,
            now: self.now.clock(),
            hosts: &row.hosts,
            tags: (row.source == EventSource::Trigger.code()).then_some(row.tags.as_slice()),
            service: (row.source == EventSource::Service.code()).then_some(row.objectid),
            severity,
            media_type: message.media_type,
            except,
            n_gaps: &self.n_oncall_gaps,
        };
        let targets = asked.targets(message.to);
        targets.iter().filter_map(|it| self.alert(message, it)).collect()
    }

    fn command(&mut self, of: &Occasion<'_>, what: &CommandOperation) -> Vec<Alert> {
        let Some(row) = self.events.get(&of.event) else { return Vec::new() };
        let found = self.found(of.event);
        let places = places(self.snapshot, row, found.as_ref(), what);
        places.into_iter().filter_map(|it| self.command_alert(of, what, it)).collect()
    }

    fn change_host(&mut self, of: &Occasion<'_>, what: &[&HostOperation]) {
        let Some(found) = self.found(of.event) else { return };
        self.host_changes.push(HostChange {
            action: of.action.id,
            event: of.event,
            found,
            operations: what.iter().copied().cloned().collect(),
        });
    }
}
