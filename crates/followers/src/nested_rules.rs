//! Hands rows of discovery to rules of the type *Nested*: as values of these rules, through the same door as all
//! others, so that preprocessing, errors and the journal are those of all values.

use std::sync::Arc;
use std::time::Duration;

use db::Snapshot;
use engine::readers::SinkError;
use engine::running::RunningConfiguration;
use ingress::{Ingress, Last};
use model::batch::RawRef;
use model::{ItemId, Time};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// How long rows wait for the journal; they come again later.
const WRITTEN_MAX: Duration = Duration::from_secs(10);

/// Where rows of nested rules go.
pub struct NestedRules {
    pub ingress: Ingress,
    pub running: Arc<RunningConfiguration>,
    pub runtime: Handle,
}

opaque_debug!(NestedRules);

impl NestedRules {
    /// Gives each rule its row. Rows handed over twice are discovered twice, which changes nothing.
    ///
    /// # Errors
    /// If the rows are not written, or nobody knows: to be tried again.
    pub fn hand_over(
        &self,
        rows: &[(ItemId, String)],
        snapshot: &Snapshot,
        time: Time,
    ) -> Result<(), SinkError> {
        if rows.is_empty() {
            return Ok(());
        }
        let directory = self.running.directory();
        if directory.epoch() < snapshot.epoch {
            return Err("the rules that were found are not in force yet".into());
        }
        let submitted = async {
            let mut submission = self.ingress.submission();
            let mut request = self.ingress.request(directory.epoch());
            for (rule, text) in rows {
                // One that is gone meanwhile takes no rows.
                let Some(found) = directory.by_item(*rule) else { continue };
                let to = ingress::Target { shard: found.shard, slot: found.slot };
                if request.push(to, time, RawRef::Text(text)).is_err() {
                    request.refuse();
                }
                if request.is_full() {
                    let next = self.ingress.request(directory.epoch());
                    let full = std::mem::replace(&mut request, next);
                    submission.add(full, Last::No).await?;
                }
            }
            submission.add(request, Last::Yes).await?;
            submission.wait().await
        };
        let written = self.runtime.block_on(async { timeout(WRITTEN_MAX, submitted).await });
        match written {
            Ok(Ok(_outcome)) => Ok(()),
            Ok(Err(closed)) => Err(closed.into()),
            Err(_late) => Err("rows of nested rules were not written in time".into()),
        }
    }
}
