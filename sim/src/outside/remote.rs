//! A store of history on another machine, fed from the journal: its connection breaks, and then
//! rows that it had taken and not stored are lost.

use std::sync::{Arc, Mutex};

use history::{Error, Flush, FlushedValues, HistorySamples, RangeQuery, Result, SeriesRows, Store};
use journal::Lsn;
use model::record::RecordView;

use super::lock;
use crate::oracle::{Sent, values_in};

#[derive(Clone, Debug, Default)]
struct Part {
    rows: Vec<Sent>,
    lsn: Lsn,
}

#[derive(Debug, Default)]
struct Kept {
    stored: Part,
    taken: Part,
    is_away: bool,
    loses_answers: bool,
    n_refused: usize,
}

/// A clone is the same store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remote(Arc<Mutex<Kept>>);

impl Remote {
    pub(crate) fn set_faults(&self, is_away: bool, loses_answers: bool) {
        let mut kept = lock(&self.0);
        (kept.is_away, kept.loses_answers) = (is_away, loses_answers);
    }

    /// The connection, or the process at this end of it, is gone.
    pub(crate) fn disconnect(&self) {
        let mut kept = lock(&self.0);
        let lsn = kept.stored.lsn;
        kept.taken = Part { rows: Vec::new(), lsn };
    }

    pub(crate) fn stored(&self) -> Vec<Sent> {
        lock(&self.0).stored.rows.clone()
    }

    pub(crate) fn n_refused(&self) -> usize {
        lock(&self.0).n_refused
    }
}

impl Kept {
    fn call(&mut self) -> Result<()> {
        if self.is_away {
            self.n_refused += 1;
            return Err(Error::Away { reason: "connection refused".into() });
        }
        Ok(())
    }
}

impl Store for Remote {
    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        let mut kept = lock(&self.0);
        kept.call()?;
        assert!(kept.taken.lsn < next_lsn, "a record comes again");
        kept.taken.rows.extend(values_in(record));
        kept.taken.lsn = next_lsn;
        Ok(())
    }

    fn applied(&self) -> Lsn {
        lock(&self.0).taken.lsn
    }

    fn cursor(&self) -> Lsn {
        lock(&self.0).stored.lsn
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        panic!("nobody accepts that records before {to} are missing");
    }

    fn range(&self, _query: &RangeQuery) -> Result<HistorySamples> {
        Ok(HistorySamples { rows: SeriesRows::Other(Vec::new()), lsn: None })
    }
}

impl Flush for Remote {
    fn flush_is_due(&self) -> bool {
        !lock(&self.0).taken.rows.is_empty()
    }

    fn flush_once(&self) -> Result<Option<FlushedValues>> {
        let mut kept = lock(&self.0);
        kept.call()?;
        let n_values = kept.taken.rows.len() as u64;
        if kept.taken.lsn == kept.stored.lsn {
            return Ok(None);
        }
        let rows = std::mem::take(&mut kept.taken.rows);
        kept.stored.rows.extend(rows);
        kept.stored.lsn = kept.taken.lsn;
        if kept.loses_answers {
            return Err(Error::Away { reason: "the answer is lost".into() });
        }
        Ok(Some(FlushedValues { cursor: kept.stored.lsn, n_values, file_bytes: 0 }))
    }

    fn n_values_unflushed(&self) -> u64 {
        lock(&self.0).taken.rows.len() as u64
    }

    fn observe(&self) {}
}
