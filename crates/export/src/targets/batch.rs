//! Lines in memory on their way over HTTP.

use std::time::Duration;

/// Size of a batch of lines: a target of any kind is full with so many bytes.
pub(super) const BATCH_BYTES: usize = 4 << 20;
/// Most rows of a batch: a bound for rows that are sent twice.
pub(super) const BATCH_ROWS: usize = 50_000;
/// While the server stops, a receiver that does not answer is not waited for.
pub(super) const STOPPING_TIME: Duration = Duration::from_secs(2);

/// Lines one behind the other; those in front go first.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) bytes: Vec<u8>,
    /// Where each line ends.
    ends: Vec<usize>,
    n_done: usize,
}

impl Lines {
    /// The bytes written since the last end are a line.
    pub(super) fn end_line(&mut self) {
        self.ends.push(self.bytes.len());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.n_done == self.ends.len()
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len() - self.n_done
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.n_done = 0;
    }

    fn start_of(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|it| self.ends.get(it)).copied().unwrap_or(0)
    }

    /// The first `n` lines.
    pub(super) fn first(&self, n: usize) -> &[u8] {
        let (start, end) = (self.start_of(self.n_done), self.start_of(self.n_done + n));
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// One of them, from 0.
    pub(super) fn line(&self, at: usize) -> &[u8] {
        let line = self.n_done + at;
        self.bytes.get(self.start_of(line)..self.start_of(line + 1)).unwrap_or_default()
    }

    /// The first `n` are done with.
    pub(super) fn done(&mut self, n: usize) {
        self.n_done = (self.n_done + n).min(self.ends.len());
        if self.is_empty() {
            self.clear();
        }
    }
}
