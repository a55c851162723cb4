//! Digests of held messages that are due: their contents are read and written. [`alert::digest`]
//! decides when, and defines the text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alert::digest::{DigestFacts, DigestProblem, Digests, HeldAlert, Recipient, html, texts};
use alert::{Alert, AlertStatus};
use db::objects::mediatype::{EMAIL, WEBHOOK};
use db::{AlertQuery, Db, DbError, NewDigest, Problem};
use jiff::tz::TimeZone;
use model::document::Document;
use model::settings::DigestRule;
use model::snapshot::Snapshot;
use model::{EventId, Time};

use super::recipients::zone_of;

/// Digests of one turn at most: others are due in the next one.
const TURN_MAX: usize = 100;

/// The rule of storms as it is now.
pub(super) fn rule(snapshot: &Snapshot) -> DigestRule {
    snapshot.globals.settings.digests
}

/// The state of digests, from saved alerts.
pub(super) fn load(db: &Db, rule: DigestRule, now: Time) -> Result<Digests, DbError> {
    let past = db.alerts().past(now.clock().saturating_sub(rule.memory_s()))?;
    Ok(Digests::restore(rule, past))
}

/// Whether a storm may become a digest: services that keep an object for each event, as their tags
/// show, need each message.
fn may_digest(media_type: Option<&Arc<Document>>) -> bool {
    media_type.is_none_or(|it| it.text("type") != WEBHOOK || it.text("process_tags") != "1")
}

/// Holds those of the messages that have to wait; gives how many.
pub(super) fn judge(digests: &mut Digests, alerts: &mut [Alert], snapshot: &Snapshot) -> u64 {
    let mut n_held = 0;
    for alert in alerts {
        let media_type = snapshot.documents.get("mediatype", alert.media_type);
        digests.judge(alert, may_digest(media_type));
        n_held += u64::from(alert.status == AlertStatus::Held);
    }
    n_held
}

/// Parts that digests are made with.
pub(super) struct DigestMaker<'a> {
    pub(super) db: &'a Db,
    pub(super) snapshot: &'a Snapshot,
    /// The server's.
    pub(super) zone: &'a TimeZone,
    pub(super) now: Time,
}

impl DigestMaker<'_> {
    /// Digests of all that is due.
    pub(super) fn make(&self, digests: &mut Digests) -> Result<Vec<NewDigest>, DbError> {
        let now = self.now.clock();
        let mut made = Vec::new();
        for recipient in digests.due(now).into_iter().take(TURN_MAX) {
            let held = self.db.alerts().held(&recipient)?;
            let media_type = self.snapshot.documents.get("mediatype", recipient.media_type);
            for due in digests.take_due(&recipient, held, (now, may_digest(media_type))) {
                made.push(self.digest(&recipient, &due)?);
            }
        }
        digests.forget(now);
        Ok(made)
    }

    fn digest(&self, recipient: &Recipient, due: &[HeldAlert]) -> Result<NewDigest, DbError> {
        let members = due.iter().map(|it| it.id).collect();
        let alert = match due {
            [only] => match self.same(only)? {
                Some(it) => it,
                None => self.many(recipient, due)?,
            },
            _ => self.many(recipient, due)?,
        };
        Ok(NewDigest { alert, members })
    }

    /// A single message needs no digest: it is sent as it is.
    fn same(&self, held: &HeldAlert) -> Result<Option<Alert>, DbError> {
        let query = AlertQuery { alertids: Some(vec![held.id]), ..AlertQuery::default() };
        let found = self.db.alerts().query(&query)?.into_iter().next();
        let clock = self.now.clock();
        let status = AlertStatus::New;
        Ok(found.map(|it| Alert { id: 0, clock, status, next_at: 0, digest: 0, ..it.alert }))
    }

    fn many(&self, recipient: &Recipient, due: &[HeldAlert]) -> Result<Alert, DbError> {
        let about: BTreeSet<EventId> = due.iter().map(HeldAlert::about).collect();
        let problems = self.problems(&about)?;
        let settings = &self.snapshot.globals.settings;
        let user = self.snapshot.access.users.get(&recipient.user);
        let zone = user.map_or_else(|| self.zone.clone(), |it| zone_of(it, self.zone));
        let url = self.snapshot.documents.get("settings", db::objects::SINGLE);
        let shown: Vec<DigestProblem> = problems.values().map(|it| self.shown(it)).collect();
        let facts = DigestFacts {
            n_messages: due.len(),
            first: due.iter().map(|it| it.clock).min().unwrap_or_default(),
            last: due.iter().map(|it| it.clock).max().unwrap_or_default(),
            n_others: about.len() - shown.len(),
            problems: shown,
            severity_names: settings.severity_names.each_ref().map(|it| &**it),
            zone: &zone,
            url: url.map_or("", |it| it.text("url")),
        };
        let (subject, text) = texts(&facts);
        let media_type = self.snapshot.documents.get("mediatype", recipient.media_type);
        let is_html = media_type
            .is_some_and(|it| it.text("type") == EMAIL && it.text("message_format") == "1");
        let lead = lead(&facts.problems, due);
        Ok(Alert {
            action: lead.action,
            event: lead.event,
            problem: lead.problem,
            user: recipient.user,
            clock: self.now.clock(),
            media_type: recipient.media_type,
            sendto: recipient.sendto.clone(),
            subject,
            message: if is_html { html(&text) } else { text },
            ..Alert::default()
        })
    }

    /// The problems among events, resolved ones included.
    fn problems(
        &self,
        about: &BTreeSet<EventId>,
    ) -> Result<BTreeMap<EventId, Arc<Problem>>, DbError> {
        let mut found = BTreeMap::new();
        let mut gone = Vec::new();
        for id in about {
            match self.db.events().problem(*id) {
                Some(it) => drop(found.insert(*id, it)),
                None => gone.push(*id),
            }
        }
        if !gone.is_empty() {
            let of_table = self.db.events().fetch_problems(&gone)?;
            found.extend(of_table.into_iter().map(|it| (it.eventid(), Arc::new(it))));
        }
        Ok(found)
    }

    fn shown(&self, problem: &Problem) -> DigestProblem {
        let event = &problem.event;
        let hosts = || event.hosts.iter().filter_map(|it| self.snapshot.hosts.get(it));
        let groups: BTreeSet<_> = hosts().flat_map(|it| it.groups.iter().copied()).collect();
        let groups = groups.iter().filter_map(|it| self.snapshot.host_groups.get(it));
        DigestProblem {
            event: problem.eventid(),
            name: event.name.clone(),
            severity: problem.severity,
            hosts: hosts().map(|it| it.name.to_string()).collect(),
            groups: groups.map(|it| it.name.clone()).collect(),
            tags: event.tags.iter().map(|it| (it.tag.clone(), it.value.clone())).collect(),
            clock: event.time.clock(),
            is_open: problem.is_open(),
            cause: problem.cause,
        }
    }
}

/// The message that represents the digest: the first of the worst causes.
fn lead<'a>(problems: &[DigestProblem], due: &'a [HeldAlert]) -> &'a HeldAlert {
    let causes = problems.iter().filter(|it| it.cause == EventId::NONE);
    let worst = causes.max_by_key(|it| (it.is_open, it.severity, std::cmp::Reverse(it.event)));
    let of_worst = worst.and_then(|worst| due.iter().find(|it| it.about() == worst.event));
    of_worst.unwrap_or(&due[0])
}
