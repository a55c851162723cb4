//! The content of datagrams: traps and informs of v1 and v2c as they are, those of v3 by their
//! user.
//!
//! The sender's engine keeps the time of a trap, our engine that of an inform: the sender of an
//! inform asks for our id first, then for our time, and gets both in reports. A user is one of the
//! interfaces at the address that a message comes from, or of the operator's file.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lang::text::truncate_value;
use model::content::SnmpDetails;
use model::limits::TEXT_VALUE_MAX;
use model::map::LookupMap;
use model::snapshot::Snapshot;
use rt::clock::Clock;
use rt::task::Tasks;
use wire::snmp::{
    Notification, ReportReason, ScopedPdu, SecurityError, UserKeys, V3Head, V3Message,
};

use super::hosts::TrapHosts;
use super::local_engine::{LocalEngine, RemoteClock};
use super::matching::TrapText;
use super::parts::{Trap, TrapParts};
use super::port::is_v3;
use super::users::TrapUser;
use crate::collectors::Usm;
use crate::mibs::Mibs;

/// Users of one name that are tried. Further ones are ignored.
const USERS_TRIED_MAX: usize = 16;
/// Keys and clocks of engines that are kept; with more, all are made and learned again.
const ENGINES_MAX: usize = 10_000;

/// The outcome of a datagram.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// For items; with the answer to send once they have it.
    Text(TrapText, Option<Vec<u8>>),
    /// Nothing for items, but a report for the sender.
    Report(Vec<u8>),
    /// Refused, with the reason.
    Refused(&'static str),
}

/// By engine and user: with the details that the keys were made from.
type Keys = LookupMap<(Vec<u8>, Vec<u8>), (SnmpDetails, UserKeys)>;

pub(super) struct TrapReader {
    own: SocketAddr,
    /// Users of the file; those of interfaces are looked up.
    users: Vec<TrapUser>,
    /// `None`: messages of v3 are refused.
    engine: Option<LocalEngine>,
    usm: Usm,
    keys: Mutex<Keys>,
    clocks: Mutex<LookupMap<Vec<u8>, RemoteClock>>,
    /// Reports sent: the counter that each of them has to name.
    n_reports: AtomicU32,
    mibs: Arc<Mibs>,
    clock: Clock,
    tasks: Tasks,
}

impl TrapReader {
    pub(super) fn new(
        (own, users): (SocketAddr, Vec<TrapUser>),
        engine: Option<LocalEngine>,
        parts: &TrapParts,
        tasks: &Tasks,
    ) -> Self {
        Self {
            own,
            users,
            engine,
            usm: Usm::new(parts.clock.clone(), tasks.clone(), parts.secret.rotate_left(17)),
            keys: Mutex::default(),
            clocks: Mutex::default(),
            n_reports: AtomicU32::new(0),
            mibs: Arc::clone(&parts.mibs),
            clock: parts.clock.clone(),
            tasks: tasks.clone(),
        }
    }

    pub(super) async fn read(
        &self,
        trap: &Trap,
        hosts: &TrapHosts,
        snapshot: &Snapshot,
    ) -> Outcome {
        if is_v3(&trap.datagram) {
            return self.read_v3(trap, hosts, snapshot).await;
        }
        let Ok(it) = Notification::decode(&trap.datagram) else {
            return Outcome::Refused("it is damaged");
        };
        let answer = it.is_inform.then(|| {
            let mut answer = Vec::new();
            it.write_answer(&mut answer);
            answer
        });
        Outcome::Text(self.text_of(&it, trap), answer)
    }

    async fn read_v3(&self, trap: &Trap, hosts: &TrapHosts, snapshot: &Snapshot) -> Outcome {
        let Ok(message) = V3Message::decode(&trap.datagram) else {
            return Outcome::Refused("it is damaged");
        };
        let Some(engine) = &self.engine else {
            return Outcome::Refused("this server has no engine for SNMPv3");
        };
        let is_ours = message.engine_id == engine.id;
        if message.is_reportable() && !is_ours {
            return self.report(engine, &message, ReportReason::UnknownEngineId, None);
        }
        let mut failed = None;
        let users = self.users(&message, trap, hosts, snapshot);
        for details in &users {
            let Some(keys) = self.keys(&message, details).await else {
                failed.get_or_insert(SecurityError::WrongDigest);
                continue;
            };
            let mut buffer = Vec::new();
            match message.open(&keys, &mut buffer) {
                Ok(scoped) => return self.opened(engine, (&message, &scoped), &keys, trap),
                Err(error) => failed = Some(error),
            }
        }
        let reason = match failed {
            None => ReportReason::UnknownUserName,
            Some(SecurityError::LessSecure) => ReportReason::UnsupportedSecurityLevel,
            Some(SecurityError::WrongDigest) => ReportReason::WrongDigest,
            Some(SecurityError::CannotDecrypt) => ReportReason::DecryptionError,
            Some(SecurityError::Damaged(_)) => return Outcome::Refused("it is damaged"),
        };
        self.report(engine, &message, reason, None)
    }

    /// A decrypted message of its user.
    fn opened(
        &self,
        engine: &LocalEngine,
        (message, scoped): (&V3Message<'_>, &ScopedPdu<'_>),
        keys: &UserKeys,
        trap: &Trap,
    ) -> Outcome {
        let (boots, time) = (message.boots, message.time);
        if message.is_signed() {
            if message.engine_id == engine.id {
                if !engine.is_in_time(boots, time) {
                    let with = Some((keys, scoped.pdu.request_id));
                    return self.report(engine, message, ReportReason::NotInTimeWindow, with);
                }
            } else if !self.is_current(message) {
                return Outcome::Refused("its time is not that of its engine");
            }
        }
        let Ok(it) = Notification::of_scoped(message.user, scoped) else {
            return Outcome::Refused("it is no trap");
        };
        let answer = it.is_inform.then(|| {
            let (boots, time) = engine.now();
            let mut answer = Vec::new();
            let head = V3Head { context_name: scoped.context_name, ..self.head(engine, message) };
            V3Head { boots, time, ..head }.encode_answer(scoped, keys, &mut answer);
            answer
        });
        Outcome::Text(self.text_of(&it, trap), answer)
    }

    /// Whether a signed message of a sending engine is current.
    fn is_current(&self, message: &V3Message<'_>) -> bool {
        let (boots, time, now_ns) = (message.boots, message.time, self.clock.mono_ns());
        let mut clocks = self.clocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = clocks.get_mut(message.engine_id) {
            return known.accept(boots, time, now_ns);
        }
        if ENGINES_MAX <= clocks.len() {
            clocks.clear();
        }
        clocks.insert(message.engine_id.to_vec(), RemoteClock::new(boots, time, now_ns));
        true
    }

    /// Users that may have sent it, the nearest first.
    fn users(
        &self,
        message: &V3Message<'_>,
        trap: &Trap,
        hosts: &TrapHosts,
        snapshot: &Snapshot,
    ) -> Vec<SnmpDetails> {
        let from = trap.from.ip().to_string();
        let mut users = hosts.users_at(snapshot, &from, USERS_TRIED_MAX);
        users.retain(|it| it.securityname.as_bytes() == message.user);
        let of_file = self.users.iter().filter(|it| {
            let is_of_engine = it.engine.as_ref().is_none_or(|it| it == message.engine_id);
            is_of_engine && it.details.securityname.as_bytes() == message.user
        });
        users.extend(of_file.map(|it| it.details.clone()));
        users.truncate(USERS_TRIED_MAX);
        users
    }

    /// The user's keys for the message's engine. `None`: another user signed it.
    async fn keys(&self, message: &V3Message<'_>, details: &SnmpDetails) -> Option<UserKeys> {
        let place = (message.engine_id.to_vec(), message.user.to_vec());
        {
            let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, keys)) = keys.get(&place).filter(|it| it.0 == *details) {
                return Some(keys.clone());
            }
        }
        // A user whose passphrase is too short, or of no known protocol, cannot sign.
        let user = self.usm.user(details).await.ok()?;
        let mut keys = user.auth_keys(message.engine_id);
        if keys.has_auth() {
            // Keys and state are kept only for engines that know the passphrase.
            if !message.is_authentic(&keys) {
                return (!message.is_signed()).then_some(keys);
            }
            if 2 <= details.securitylevel {
                let (user, engine) = (user.into_owned_keys(), message.engine_id.to_vec());
                // Some users lengthen a key by hashing a megabyte.
                keys = self.tasks.offload("SNMPv3 key", move || user.keys(&engine)).await;
            }
            let mut known = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
            if ENGINES_MAX <= known.len() {
                known.clear();
            }
            known.insert(place, (details.clone(), keys.clone()));
        }
        Some(keys)
    }

    fn head<'a>(&self, engine: &'a LocalEngine, message: &V3Message<'a>) -> V3Head<'a> {
        let (boots, time) = engine.now();
        V3Head {
            message_id: message.message_id,
            is_reportable: false,
            engine_id: &engine.id,
            boots,
            time,
            user: message.user,
            context_name: &[],
            salt: self.usm.next_salt(),
        }
    }

    /// Reports why a message is refused, if its sender asks for reports: signed, if the user is
    /// known.
    fn report(
        &self,
        engine: &LocalEngine,
        message: &V3Message<'_>,
        reason: ReportReason,
        with: Option<(&UserKeys, i32)>,
    ) -> Outcome {
        if !message.is_reportable() {
            return Outcome::Refused(match reason {
                ReportReason::UnknownUserName => "its user is not known",
                ReportReason::UnsupportedSecurityLevel => {
                    "it is less secure than its user requires"
                }
                ReportReason::WrongDigest => "its digest is wrong",
                ReportReason::DecryptionError => "it cannot be decrypted",
                _ => "it is not in time",
            });
        }
        let count = self.n_reports.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        let (none, mut report) = (UserKeys::default(), Vec::new());
        let (keys, request_id) = with.map_or((none, 0), |(keys, id)| (keys.without_privacy(), id));
        let head = self.head(engine, message);
        head.encode_report((reason, count), request_id, &keys, &mut report);
        Outcome::Report(report)
    }

    /// A trap as items see it.
    fn text_of(&self, notification: &Notification<'_>, trap: &Trap) -> TrapText {
        let time = Timestamp::from_second(trap.time.clock()).unwrap_or_default();
        let zoned = time.to_zoned(TimeZone::system());
        let mut text = zoned.strftime("%Y-%m-%dT%H:%M:%S%z ").to_string();
        notification.write_text(trap.from, self.own, &self.mibs.name_of(), &mut text);
        let text = truncate_value(text.trim_end(), TEXT_VALUE_MAX).into_owned();
        TrapText { from: trap.from.ip().to_string(), text, time: trap.time }
    }
}
