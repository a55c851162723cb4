//! One check outside the schedule: the current value of an item on a host, whether the item is
//! saved or not.
//!
//! A trial has collectors of its own while it lasts, so it neither waits for checks that are due
//! nor counts for the availability of an interface. Its value goes to the caller, not to a shard,
//! together with the exchange with the host ([`Transcript`]).

use std::sync::Arc;

use model::content::ItemType;
use model::snapshot::Snapshot;
use model::{HostId, InterfaceId, ItemId};
use thiserror::Error;

use super::Collectors;
use crate::collectors::{self, CheckResult, CollectorContext, Preparer};
use crate::ports::CheckAnswer;
use crate::schedule::{Due, Job};
use crate::transcript::Transcript;

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TrialError {
    #[error("no such item")]
    NoSuchItem,
    #[error("values of items of this type cannot be requested")]
    WrongType,
    #[error("{0}")]
    Failed(String),
}

impl Collectors {
    /// Reads the value of an item of `snapshot`, which may be an unsaved one. The exchange is in
    /// the transcript, also if there is no value, as far as collectors of the item's type record
    /// it.
    ///
    /// # Errors
    /// If the host does not answer, or nothing can be asked.
    pub async fn try_item(
        &self,
        snapshot: &Snapshot,
        host: HostId,
        item: ItemId,
        transcript: &Transcript,
    ) -> Result<CheckAnswer, TrialError> {
        let job = job(snapshot, host, item)?;
        let collector = &collectors::table()[job.kind];
        let preparer = &self.0.polling.preparer;
        let preparer = Preparer {
            resolver: Arc::new(preparer.resolver.with_transcript(transcript)),
            local_agent: Arc::clone(&preparer.local_agent),
            timeout: preparer.timeout,
            clock: preparer.clock.clone(),
        };
        let shared = CollectorContext {
            transcript: Some(transcript.clone()),
            ..CollectorContext::clone(&self.0.shared)
        };
        let mut readings = collector.try_out(&shared, &preparer, snapshot, &job).await;
        match readings.pop().map(|it| it.result) {
            Some(CheckResult::Answer(answer)) => Ok(answer),
            Some(CheckResult::Refused(reason) | CheckResult::NetworkError(reason)) => {
                Err(TrialError::Failed(reason.trim_end_matches('.').to_owned()))
            }
            Some(CheckResult::NotMade | CheckResult::InMaintenance) | None => {
                Err(TrialError::Failed("the server is too busy for this now".to_owned()))
            }
        }
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
