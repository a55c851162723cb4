//! The recipients of a message, and their media.
//!
//! As in Zabbix: enabled users of those that an operation names (also by on-call schedules) who may
//! read the hosts (or the service) of the event; of each the enabled media that take the severity
//! at this time of the week. A user without a medium of the requested type, and a medium whose
//! media type is disabled, make a failed alert, which explains the missing message. A medium whose
//! filter excludes the message makes none: the user has chosen so.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::judged_event::with_macros;
use alert::AlertStatus;
use alert::escalation::{Involved, MessageTo};
use db::objects::oncall::schedule;
use db::{Permission, Rights, ServiceRights};
use jiff::tz::TimeZone;
use lang::time_period::TimePeriod;
use model::content::{Media, Severity, Tag, User};
use model::document::Document;
use model::snapshot::Snapshot;
use model::{GroupId, HostId, UserId};

/// One alert to make.
#[derive(Clone, Debug)]
pub(super) struct Target<'a> {
    pub(super) user: &'a User,
    /// `None`: the user has no medium for it.
    pub(super) media_type: Option<&'a Document>,
    pub(super) sendto: String,
    pub(super) status: AlertStatus,
    pub(super) error: &'static str,
    /// It is quiet for the user until then, in seconds since 1970; 0: it is not.
    pub(super) quiet_until: i64,
}

/// The facts that decide about recipients.
pub(super) struct Asked<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) zone: &'a TimeZone,
    /// Seconds since 1970.
    pub(super) now: i64,
    /// Of the event.
    pub(super) hosts: &'a [HostId],
    /// Of the event, if it is one of a trigger: user groups may filter by them.
    pub(super) tags: Option<&'a [Tag]>,
    /// Of events of services: which.
    pub(super) service: Option<u64>,
    /// By it media are chosen: of events of triggers that of the trigger, whatever users made of the problem.
    pub(super) severity: Severity,
    /// 0: all that the user has.
    pub(super) media_type: u64,
    /// A user who gets no message: the author of an update.
    pub(super) except: UserId,
    /// Counts schedules by which nobody was on call.
    pub(super) n_gaps: &'a Cell<u64>,
}

impl<'a> Asked<'a> {
    pub(super) fn targets(&self, to: MessageTo<'_>) -> Vec<Target<'a>> {
        let mut wanted: BTreeSet<(UserId, u64)> = BTreeSet::new();
        match to {
            MessageTo::Named { users, groups, oncall } => {
                wanted.extend(users.iter().map(|it| (*it, self.media_type)));
                let all = self.snapshot.access.users.values();
                let members = all.filter(|it| it.groups.iter().any(|of| groups.contains(of)));
                wanted.extend(members.map(|it| (it.userid, self.media_type)));
                let on_call = oncall.iter().filter_map(|it| self.on_call(*it));
                wanted.extend(on_call.map(|it| (it, self.media_type)));
            }
            MessageTo::Involved(list) => wanted.extend(list.iter().map(|it| self.again(it))),
        }
        // All media of a user hold the one that is asked for as well.
        let all: BTreeSet<UserId> =
            wanted.iter().filter(|(_, by)| *by == 0).map(|(user, _)| *user).collect();
        wanted.retain(|(user, by)| *by == 0 || !all.contains(user));
        wanted.into_iter().flat_map(|(user, by)| self.of_user(user, by)).collect()
    }

    /// A recipient of an earlier message gets the next one by the same media type, unless another
    /// one is asked for.
    const fn again(&self, involved: &Involved) -> (UserId, u64) {
        let by = if self.media_type == 0 { involved.media_type } else { self.media_type };
        (involved.user, by)
    }

    /// The user on call now by a schedule.
    fn on_call(&self, id: u64) -> Option<UserId> {
        let document = self.snapshot.documents.get("oncall", id)?;
        let who = schedule(&document.body, self.zone).at(self.now);
        if who.is_none() {
            // The schedule has a gap now, which may be intended.
            self.n_gaps.set(self.n_gaps.get() + 1);
        }
        who.map(|it| UserId(it.user))
    }

    fn of_user(&self, user: UserId, media_type: u64) -> Vec<Target<'a>> {
        let Some(user) = self.snapshot.access.users.get(&user) else { return Vec::new() };
        if user.userid == self.except || !self.may_read(user) {
            return Vec::new();
        }
        let zone = zone_of(user, self.zone);
        let is_of_kind = |it: &&Media| {
            (media_type == 0 || it.mediatypeid == media_type)
                && self.snapshot.documents.get("mediatype", it.mediatypeid).is_some()
        };
        let is_wanted = |it: &&Media| {
            !it.is_disabled
                && it.takes_severity(u8::try_from(self.severity.code()).unwrap_or_default())
                && self.is_within(&it.period, &zone)
        };
        let mut media = user.medias.iter().filter(is_of_kind).peekable();
        if media.peek().is_some() {
            let wanted = media.filter(is_wanted);
            return wanted.filter_map(|it| self.by((user, &zone), it)).collect();
        }
        vec![Target {
            user,
            media_type: None,
            sendto: String::new(),
            status: AlertStatus::Failed,
            error: "No media defined for user.",
            quiet_until: 0,
        }]
    }

    fn by(&self, (user, zone): (&'a User, &TimeZone), media: &Media) -> Option<Target<'a>> {
        let document = self.snapshot.documents.get("mediatype", media.mediatypeid)?;
        let is_disabled = document.text("status") == "1";
        let (status, error) = if is_disabled {
            (AlertStatus::Failed, "Media type disabled.")
        } else {
            (AlertStatus::New, "")
        };
        let sendto = media.sendto.join(", ");
        let quiet_until = self.quiet_until(media, zone);
        Some(Target { user, media_type: Some(document), sendto, status, error, quiet_until })
    }

    /// The end of the quiet hours, if it is quiet for this severity now.
    fn quiet_until(&self, media: &Media, zone: &TimeZone) -> i64 {
        let severity = u8::try_from(self.severity.code()).unwrap_or_default();
        if media.quiet_period.is_empty() || !media.holds_severity(severity) {
            return 0;
        }
        let text = with_macros(self.snapshot, None, &media.quiet_period);
        // Quiet hours that cannot be read, or that never end, must not keep messages back.
        let period = text.and_then(|it| TimePeriod::parse(&it));
        period.and_then(|it| it.end(self.now, zone)).filter(|it| self.now < *it).unwrap_or(0)
    }

    /// Whether the user is enabled and may read the object of the event.
    fn may_read(&self, user: &User) -> bool {
        let access = &self.snapshot.access;
        let groups = || user.groups.iter().filter_map(|it| access.groups.get(it));
        if groups().any(|it| it.users_status != 0) {
            return false;
        }
        if let Some(service) = self.service {
            return ServiceRights::of_role(self.snapshot, user.roleid).may_read(service);
        }
        let Some(rights) = Rights::of(user.userid, self.snapshot) else { return false };
        let may = |it: &HostId| Permission::Read <= rights.holder_by_id(*it, self.snapshot);
        let is_in = |group: GroupId| {
            let mut hosts = self.hosts.iter().filter_map(|it| self.snapshot.hosts.get(it));
            hosts.any(|it| it.groups.contains(&group))
        };
        // A trigger over several hosts is visible with permission for all of them.
        self.hosts.iter().all(may)
            && self.tags.is_none_or(|it| rights.tag_scope().admits(is_in, it))
    }

    fn is_within(&self, period: &str, zone: &TimeZone) -> bool {
        let text = with_macros(self.snapshot, None, period);
        let period = text.and_then(|it| TimePeriod::parse(&it));
        // A period that cannot be read must not keep messages back.
        period.is_none_or(|it| it.contains(self.now, zone))
    }
}

/// The zone of a user, else the server's.
pub(super) fn zone_of(user: &User, server: &TimeZone) -> TimeZone {
    match user.timezone.as_str() {
        "" | "default" | "system" => server.clone(),
        name => TimeZone::get(name).unwrap_or_else(|_| server.clone()),
    }
}
