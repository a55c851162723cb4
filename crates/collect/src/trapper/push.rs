//! Values that users push through the API, `history.push`: judged one by one, with a reason for
//! each refused one.
//!
//! The reasons and their order are Zabbix's. The caller knows permissions and maintenance
//! ([`Judge`]); the rest comes from the directory and the snapshot.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use ingress::{Last, Submission};
use model::batch::{RawRef, Refused};
use model::content::{HostStatus, ItemStatus, ItemType};
use model::map::Set;
use model::push::{PushedItem, PushedValue};
use model::snapshot::{Host, Snapshot};
use model::{HostId, ItemId, Time};
use thiserror::Error;
use tokio::time::timeout;

use super::Trapper;
use crate::allowed::peer_is_allowed;
use crate::{Directory, PreviousHost, ResolvedItem};

/// How long a request waits for the journal. After that the sender is asked to repeat it.
const WRITTEN_MAX: Duration = Duration::from_secs(30);

/// Whether a restricted item takes values of a peer.
pub(super) enum Taken {
    Yes,
    No,
    /// It depends on these names.
    Unknown(Vec<String>),
}

/// Why a value is refused, in Zabbix's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PushRefusal {
    #[error("No permissions to referred object or it does not exist.")]
    Unknown,
    #[error("Item is disabled.")]
    Disabled,
    #[error("Unsupported item type.")]
    ItemType,
    #[error("HTTP agent item trapping is not enabled.")]
    NoTraps,
    #[error("Host is not monitored.")]
    NotMonitored,
    #[error("Host is in maintenance without data collection.")]
    Maintenance,
    #[error("Client IP is not in item's allowed hosts list.")]
    NotAllowed,
    #[error("Duplicate timestamp found.")]
    Duplicate,
    /// Zabbix has no such limit below that of its packets.
    #[error("The values of this request are too long.")]
    TooLong,
    /// The shard refused it.
    #[error("{}", .0.reason())]
    Refused(Refused),
}

/// The outcome of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The item, if there is one that the user may know of.
    pub item: Option<ItemId>,
    pub refusal: Option<PushRefusal>,
}

/// Why the outcome of the values of a request is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PushError {
    #[error("the server is shutting down")]
    Closed,
    #[error("the values were not written in time; they may still be written")]
    Late,
}

/// The part of the decision that the collectors cannot make.
pub trait Judge: Sync {
    /// Whether the user may see a host.
    fn may_read(&self, host: &Host) -> bool;
    /// Whether values of this time are refused for a host because of a maintenance.
    fn is_without_data(&self, host: HostId, time: Time) -> bool;
}

/// A request under way.
struct Push<'a> {
    trapper: &'a Trapper,
    directory: Arc<dyn Directory>,
    snapshot: Arc<Snapshot>,
    judge: &'a dyn Judge,
    peer: Option<IpAddr>,
    looked_up: Vec<String>,
    /// Times of the request by item.
    times: Set<(ItemId, Time)>,
    now: Time,
    n_numbered: i64,
}

impl Trapper {
    /// Whether the item's list of hosts names the peer. User macros in it are resolved.
    #[cold]
    pub(super) fn is_allowed(
        &self,
        snapshot: &Arc<Snapshot>,
        found: &ResolvedItem,
        peer: IpAddr,
        looked_up: &[String],
    ) -> Taken {
        let Some((host, row)) = snapshot.item(found.item) else { return Taken::No };
        if row.content.trapper_hosts.is_empty() {
            // The encryption of its host restricts it, not a list.
            return Taken::Yes;
        }
        let context = self.resolver.context(snapshot, host, host.interface_of(row));
        let list = context.allowed_hosts(row);
        let mut unknown = Vec::new();
        let is_allowed = peer_is_allowed(&list, peer, &mut |name| {
            let is_of = self.names.is_of(name, peer);
            // An unresolved name covers no peer.
            if is_of.is_none() && !looked_up.iter().any(|it| it == name) {
                unknown.push(name.to_owned());
            }
            is_of == Some(true)
        });
        match (is_allowed, unknown.is_empty()) {
            (true, _) => Taken::Yes,
            (false, true) => Taken::No,
            (false, false) => Taken::Unknown(unknown),
        }
    }

    /// Takes values that a user pushes, and answers when they are written. A verdict for each, in
    /// their order.
    ///
    /// # Errors
    /// If the server stops, or the journal takes too long: it is then unknown which values are
    /// written.
    pub async fn push(
        &self,
        values: &[PushedValue<'_>],
        (peer, judge): (Option<IpAddr>, &dyn Judge),
    ) -> Result<Vec<Verdict>, PushError> {
        let push = Push {
            trapper: self,
            directory: self.configuration.directory(),
            snapshot: self.configuration.snapshot(),
            judge,
            peer,
            looked_up: Vec::new(),
            times: Set::default(),
            now: self.clock.wall(),
            n_numbered: 0,
        };
        let written = timeout(WRITTEN_MAX, push.take(values)).await;
        written.unwrap_or(Err(PushError::Late))
    }
}

impl Push<'_> {
    async fn take(mut self, values: &[PushedValue<'_>]) -> Result<Vec<Verdict>, PushError> {
        let closed = |_closed| PushError::Closed;
        let ingress = &self.trapper.ingress;
        let mut submission: Submission = ingress.submission();
        let mut request = ingress.request(self.directory.epoch());
        let mut verdicts = Vec::with_capacity(values.len());
        let mut previous = PreviousHost::default();
        for (number, value) in (0_u32..).zip(values) {
            let time = self.time(value);
            let found = match value.item {
                PushedItem::Id(id) => self.directory.item(id),
                PushedItem::Key { host, key } => self.directory.find(host, key, &mut previous),
            };
            let Some(found) = found else {
                verdicts.push(Verdict { item: None, refusal: Some(PushRefusal::Unknown) });
                continue;
            };
            let refusal = match self.refusal(&found, time) {
                Some(it) => Some(it),
                None if found.restricted && !self.is_allowed(&found).await => {
                    Some(PushRefusal::NotAllowed)
                }
                None if !self.times.insert((found.item, time)) => Some(PushRefusal::Duplicate),
                None => {
                    let to = (number, found.target);
                    let pushed = request.push_numbered(to, time, RawRef::Text(value.value));
                    pushed.is_err().then_some(PushRefusal::TooLong)
                }
            };
            let item = (refusal != Some(PushRefusal::Unknown)).then_some(found.item);
            verdicts.push(Verdict { item, refusal });
            if request.is_full() {
                let next = ingress.request(self.directory.epoch());
                let full = std::mem::replace(&mut request, next);
                submission.add(full, Last::No).await.map_err(closed)?;
            }
        }
        submission.add(request, Last::Yes).await.map_err(closed)?;
        for (number, why) in submission.wait_refused().await.map_err(closed)? {
            let at = usize::try_from(number).ok();
            if let Some(verdict) = at.and_then(|it| verdicts.get_mut(it)) {
                verdict.refusal = Some(PushRefusal::Refused(why));
            }
        }
        let n_refused = verdicts.iter().filter(|it| it.refusal.is_some()).count();
        let metrics = &self.trapper.metrics;
        metrics.pushed_refused_total.add_n(n_refused);
        metrics.pushed_total.add_n(verdicts.len().saturating_sub(n_refused));
        Ok(verdicts)
    }

    /// The reason to refuse a value, apart from its source.
    fn refusal(&self, found: &ResolvedItem, time: Time) -> Option<PushRefusal> {
        let Some((host, row)) = self.snapshot.item(found.item) else {
            return Some(PushRefusal::Unknown);
        };
        if !self.judge.may_read(host) {
            return Some(PushRefusal::Unknown);
        }
        if row.content.status != ItemStatus::Enabled {
            return Some(PushRefusal::Disabled);
        }
        match row.content.kind {
            ItemType::Trapper => {}
            ItemType::HttpAgent if found.allow_traps => {}
            ItemType::HttpAgent => return Some(PushRefusal::NoTraps),
            _ => return Some(PushRefusal::ItemType),
        }
        if host.status != HostStatus::Monitored || !found.enabled {
            return Some(PushRefusal::NotMonitored);
        }
        self.judge.is_without_data(host.id, time).then_some(PushRefusal::Maintenance)
    }

    async fn is_allowed(&mut self, found: &ResolvedItem) -> bool {
        // Without an address the peer cannot be one of those.
        let Some(peer) = self.peer else { return false };
        loop {
            match self.trapper.is_allowed(&self.snapshot, found, peer, &self.looked_up) {
                Taken::Yes => return true,
                Taken::No => return false,
                Taken::Unknown(names) => {
                    self.trapper.names.learn(&names).await;
                    self.looked_up.extend(names);
                }
            }
        }
    }

    /// Values without nanoseconds are numbered, from those of their arrival on: values of one second
    /// keep their order and none repeats another.
    fn time(&mut self, value: &PushedValue<'_>) -> Time {
        if let (Some(clock), Some(ns)) = (value.clock, value.ns) {
            return Time::from_clock(clock, ns);
        }
        let clock = value.clock.unwrap_or_else(|| self.now.clock());
        let ns = i64::from(self.now.ns()) + self.n_numbered;
        self.n_numbered += 1;
        Time(Time::from_clock(clock, 0).0.saturating_add(ns))
    }
}
