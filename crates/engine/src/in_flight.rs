//! Batches on their way between partitions when the process ended, sent again at the start.
//!
//! It is enough to begin where replay does: a checkpoint begins with a barrier, so everything that
//! was sent before it is in the state of its receivers (see [`crate::housekeeping`]).

use std::collections::VecDeque;

use journal::Lsn;
use pipeline::{ForwardBatch, InFlightForwards, Shard};

use crate::EngineError;
use crate::replay::{ReplayContext, each_record};

/// The batches that were not taken, again, by the shard that sends them, in order.
///
/// # Errors
/// If the journal can't be read.
pub(crate) fn collect(
    in_flight: &InFlightForwards,
    shards: &[Shard],
    context: ReplayContext<'_>,
    end: Lsn,
) -> Result<Vec<VecDeque<ForwardBatch>>, EngineError> {
    let mut outboxes: Vec<VecDeque<ForwardBatch>> =
        shards.iter().map(|_| VecDeque::new()).collect();
    let Some(from) = in_flight.oldest() else { return Ok(outboxes) };
    let mut again = Vec::new();
    let (journal, pause) = (context.journal, context.pause);
    each_record(journal, (Lsn(from), end), pause, |view, record| {
        for (shard, outbox) in shards.iter().zip(&mut outboxes) {
            shard.forward_again(view, record.next_lsn.0, &mut again)?;
            outbox.extend(again.drain(..).filter(|it| in_flight.has(it)));
        }
        Ok(())
    })?;
    Ok(outboxes)
}
