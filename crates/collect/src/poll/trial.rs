//! One check beside the schedule: what does a host say right now to an item, saved or not?
//!
//! A trial has collectors of its own for as long as it takes, so it neither waits behind what is due
//! nor counts for the availability of an interface. Its value goes to whoever asked, to no shard.

use std::sync::Arc;

use model::content::ItemType;
use model::snapshot::Snapshot;
use model::{HostId, InterfaceId, ItemId};
use rt::metrics::Registry;
use rt::queue::{self, WhenFull};
use thiserror::Error;

use super::Collectors;
use crate::collectors::{self, CheckResult, Shared};
use crate::ports::Answer;
use crate::schedule::{Due, Job};

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TrialError {
    #[error("no such item")]
    NoSuchItem,
    #[error("values of items of this type cannot be asked for")]
    WrongType,
    #[error("{0}")]
    Failed(String),
}

impl Collectors {
    /// Asks for the value of an item of `snapshot`, which may be one that nobody saved.
    ///
    /// # Errors
    /// If the host does not answer, or nothing can be asked.
    pub async fn try_item(
        &self,
        snapshot: &Snapshot,
        host: HostId,
        item: ItemId,
    ) -> Result<Answer, TrialError> {
        let job = job(snapshot, host, item)?;
        let kind = job.kind;
        let request = self.0.polling.prepare(snapshot, &job);
        let mut readings = if request.checks.is_empty() {
            request.done
        } else {
            self.converse(kind, request).await
        };
        match readings.pop().map(|it| it.result) {
            Some(CheckResult::Answer(answer)) => Ok(answer),
            Some(CheckResult::Refused(reason) | CheckResult::NetworkError(reason)) => {
                Err(TrialError::Failed(reason.trim_end_matches('.').to_owned()))
            }
            Some(CheckResult::NotMade) | None => {
                Err(TrialError::Failed("the server is too busy for this now".to_owned()))
            }
        }
    }

    async fn converse(
        &self,
        kind: usize,
        request: collectors::Request,
    ) -> Vec<collectors::Reading> {
        let of_all = &self.0.shared;
        // Queues of one request need no figures.
        let registry = Registry::new();
        let clock = &of_all.clock;
        let (finished, results) =
            queue::bounded("trial-finished", 1, WhenFull::Block, clock, &registry);
        let (lane, requests) = queue::bounded("trial", 1, WhenFull::Refuse, clock, &registry);
        let shared = Arc::new(Shared { finished, ..Shared::clone(of_all) });
        if lane.try_send(request).is_err() {
            return Vec::new();
        }
        // With the sender gone the collector ends after this one.
        drop(lane);
        collectors::table()[kind].run(shared, requests).await;
        results.try_receive().map(|it| it.readings).unwrap_or_default()
    }
}

fn job(snapshot: &Snapshot, host: HostId, item: ItemId) -> Result<Job, TrialError> {
    let holder = snapshot.hosts.get(&host).ok_or(TrialError::NoSuchItem)?;
    let row = holder.item(item).ok_or(TrialError::NoSuchItem)?;
    let class = collectors::classify(&row.content).ok_or(TrialError::WrongType)?;
    let interface = holder.interface_of(row).map_or(InterfaceId::NONE, |it| it.interfaceid);
    if class.uses_interface && interface.is_none() && row.content.kind != ItemType::Simple {
        return Err(TrialError::Failed("the host has no interface for this item".to_owned()));
    }
    Ok(Job::trial(class.kind, (host, interface), Due::trial(item)))
}
