//! New ids: one growing number space for all objects, never reused.

/// The next free id. Saved with each change that took one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ids {
    pub(crate) next: u64,
}

impl Ids {
    /// Below are the predefined objects, with Zabbix's ids.
    pub(crate) const FIRST: u64 = 10_001;

    pub(crate) fn take(&mut self) -> u64 {
        self.take_run(1)
    }

    /// The first of `n` ids in a row.
    pub(crate) fn take_run(&mut self, n: u64) -> u64 {
        let first = self.next;
        self.next += n;
        first
    }
}
