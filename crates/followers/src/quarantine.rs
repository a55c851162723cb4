//! Finds out which row makes turns fail, so that it is put aside and others go on.
//!
//! A turn is made of many rows. After one that failed, turns are made of one row each, so that it is known which one
//! fails: the runner of workers asks for that row after three failures in a row. A temporary
//! failure, as a database that is away, is not blamed on a row.

/// Turns of one row each that have to go well until turns are whole again.
const SINGLE_TURNS: u32 = 20;

/// See the module. `K` names a row.
#[derive(Debug)]
pub(crate) struct Quarantine<K> {
    /// Turns of one row each that are still to be made.
    n_single: u32,
    /// The row that the turn is about which goes on or has failed.
    current: Option<K>,
}

impl<K> Default for Quarantine<K> {
    fn default() -> Self {
        Self { n_single: 0, current: None }
    }
}

impl<K> Quarantine<K> {
    /// Whether a turn takes one row only.
    pub(crate) const fn is_single(&self) -> bool {
        0 < self.n_single
    }

    /// From here on the turn is about this row.
    pub(crate) fn begin(&mut self, row: K) {
        self.current = Some(row);
    }

    /// The current or next failure is not blamed on a row.
    pub(crate) fn excuse(&mut self) {
        self.current = None;
    }

    /// The turn went well.
    pub(crate) fn passed(&mut self) {
        self.current = None;
        self.n_single = self.n_single.saturating_sub(1);
    }

    /// A turn has failed.
    pub(crate) const fn failed(&mut self) {
        self.n_single = SINGLE_TURNS;
    }

    /// The row at which the last turn failed.
    pub(crate) fn culprit(&mut self) -> Option<K> {
        self.current.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_single_after_a_failure_until_twenty_went_well() {
        let mut quarantine = Quarantine::default();
        assert!(!quarantine.is_single());
        quarantine.begin(7);
        quarantine.failed();
        assert_eq!(quarantine.culprit(), Some(7));
        for n in 0..SINGLE_TURNS {
            assert!(quarantine.is_single(), "{n}");
            quarantine.begin(n);
            quarantine.passed();
        }
        assert!(!quarantine.is_single());
        assert_eq!(quarantine.culprit(), None, "it passed");
    }

    #[test]
    fn temporary_errors_are_not_blamed_on_rows() {
        let mut quarantine = Quarantine::default();
        quarantine.begin(7);
        quarantine.excuse();
        quarantine.failed();
        assert_eq!(quarantine.culprit(), None);
    }
}
