//! Batches on their way between partitions when the process ended.
//!
//! A record names the pairs of partitions that its step forwarded for, and the receiver's record the
//! position up to which it has taken them. Read in order, the journal so shows which batches were
//! not taken: their records are read once more, and the shards that own the items forward again
//! ([`crate::Shard::forward_again`]).
//!
//! It is enough to begin where replay does if a checkpoint begins with a barrier: then everything that
//! was sent before it is in the state of its receivers.

use std::collections::VecDeque;

use model::map::Map;
use model::record::RecordView;

use crate::input::ForwardBatch;

/// Batches that were sent and not taken.
#[derive(Debug, Default)]
pub struct InFlightForwards {
    /// By owning and using partition: records, each as the position after it and its own,
    /// ascending.
    sent: Map<(u8, u8), VecDeque<(u64, u64)>>,
}

impl InFlightForwards {
    /// Takes over what a record says, in order of the journal. `at` and `behind` are its positions.
    pub fn note(&mut self, record: &RecordView<'_>, at: u64, behind: u64) {
        for row in record.forwards().flatten() {
            let sent = self.sent.entry((row.from, row.to)).or_default();
            if row.received {
                while sent.pop_front_if(|it| it.0 <= row.sequence).is_some() {}
            } else {
                sent.push_back((behind, at));
            }
        }
    }

    /// The position of the first record of which something was not taken.
    #[must_use]
    pub fn oldest(&self) -> Option<u64> {
        let firsts = self.sent.values().filter_map(|it| it.front());
        firsts.map(|(_, at)| *at).min()
    }

    /// Whether a batch was not taken.
    #[must_use]
    pub fn has(&self, batch: &ForwardBatch) -> bool {
        let sent = self.sent.get(&(batch.from, batch.to));
        sent.is_some_and(|it| it.binary_search_by_key(&batch.lsn, |sent| sent.0).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use model::record::{ForwardRow, RecordBuilder, RecordHead};

    use super::*;

    /// Notes a record of `rows` that ends at `behind`.
    fn note(in_flight: &mut InFlightForwards, behind: u64, rows: &[ForwardRow]) {
        let mut record = RecordBuilder::new();
        record.start(RecordHead::default());
        rows.iter().for_each(|it| record.forward(*it));
        let view = RecordView::parse(record.finish()).expect("a record");
        in_flight.note(&view, behind - 10, behind);
    }

    fn sent(from: u8, to: u8) -> ForwardRow {
        ForwardRow { from, to, sequence: 0, received: false }
    }

    fn taken(from: u8, to: u8, sequence: u64) -> ForwardRow {
        ForwardRow { from, to, sequence, received: true }
    }

    fn batch(from: u8, to: u8, lsn: u64) -> ForwardBatch {
        ForwardBatch { from, to, lsn, rows: Vec::new() }
    }

    #[test]
    fn taken_messages_are_not_in_flight() {
        let mut in_flight = InFlightForwards::default();
        note(&mut in_flight, 110, &[sent(1, 2), sent(1, 3)]);
        note(&mut in_flight, 120, &[sent(1, 2)]);
        note(&mut in_flight, 130, &[taken(1, 2, 110), sent(2, 1)]);
        note(&mut in_flight, 140, &[taken(1, 3, 110)]);
        for (it, expected) in [
            (batch(1, 2, 110), false),
            (batch(1, 2, 120), true),
            (batch(1, 3, 110), false),
            (batch(2, 1, 130), true),
            (batch(2, 1, 120), false),
        ] {
            assert_eq!(in_flight.has(&it), expected, "{it:?}");
        }
        assert_eq!(in_flight.oldest(), Some(110));
    }

    #[test]
    fn when_everything_was_taken_nothing_is_read_again() {
        let mut in_flight = InFlightForwards::default();
        note(&mut in_flight, 110, &[sent(1, 2)]);
        note(&mut in_flight, 120, &[taken(1, 2, 110)]);
        // From before the records that are read.
        note(&mut in_flight, 130, &[taken(4, 2, 50)]);
        assert_eq!(in_flight.oldest(), None);
    }
}
