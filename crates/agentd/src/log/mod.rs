//! Log items: new lines of files, across rotation.
//!
//! `log` and `log.count` follow one file, `logrt` and `logrt.count` all files of a directory whose
//! names match a pattern, oldest first. A [`LogItem`] reads when [`LogItem::check`] is called, as
//! far as there is room for the values that it finds, and knows for each file how much of it is
//! done. After a restart of the agent the server says how far it had got (`lastlogsize`, `mtime`:
//! bytes of the newest file that is not older than this); a persistent directory keeps the whole
//! state of the item.
//!
//! A line without an end is read when it is complete. Longer lines than [`LINE_BYTES_MAX`] are cut
//! there.

mod files;
mod params;
mod position;
mod state;

use model::content::GlobalRegexp;
use model::key::ItemKey;

pub use files::LINE_BYTES_MAX;
pub use position::Position;

use files::{FileState, Found};
use params::{NotFound, Params};
use position::cannot;

/// Files that one item follows.
const FILES_MAX: usize = 10_000;
/// As in Zabbix, a file may be missing for a moment. After this many failed checks in a row the
/// item is not supported.
const FAILURES_MAX: u32 = 3;
/// Lines that are read for each line that may be sent: this bounds the time of a check. The next
/// check continues.
const LINES_READ_PER_SENT: u64 = 10;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogBatch {
    /// Values in their order.
    pub values: Vec<LogValue>,
    /// Where reading continues, if that differs from the position sent last.
    pub moved: Option<Position>,
}

/// A value, and the position at which reading continues after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogValue {
    /// The line, the part of it that the item wants, or a number of lines.
    pub text: String,
    /// Behind the line.
    pub position: Position,
}

/// The limits of a check.
#[derive(Debug, Clone, Copy)]
pub struct LogBudget {
    /// Seconds since the check before.
    pub interval_s: u64,
    /// Values that there is room for.
    pub n_values: usize,
    /// `MaxLinesPerSecond`.
    pub lines_per_second: u64,
}

/// A log item.
#[derive(Debug)]
pub struct LogItem {
    params: Params,
    files: Vec<FileState>,
    position: Position,
    /// The position sent last.
    sent: Position,
    /// Whether a check has succeeded before.
    has_started: bool,
    skips_old: bool,
    n_failures: u32,
}

impl LogItem {
    /// An item that continues at a position; `persistent` is an earlier result of
    /// [`LogItem::persistent`].
    ///
    /// # Errors
    /// What is wrong with the parameters.
    pub fn new(
        key: &ItemKey,
        position: Position,
        known: &[GlobalRegexp],
        persistent: Option<&str>,
    ) -> Result<Self, String> {
        let params = Params::parse(key, known)?;
        let is_new = position == Position::default();
        let mut item = Self {
            skips_old: params.skips_old && is_new,
            params,
            files: Vec::new(),
            position,
            sent: position,
            has_started: false,
            n_failures: 0,
        };
        // A server without a position for the item wants the file from its start.
        if let Some(kept) = persistent.filter(|_| !is_new).and_then(state::read) {
            item.files = kept.files;
            item.position = kept.position;
            item.has_started = true;
        }
        Ok(item)
    }

    /// The directory that the item's parameters name for [`LogItem::persistent`].
    #[must_use]
    pub fn persistent_dir(&self) -> Option<&str> {
        self.params.persistent_dir.as_deref()
    }

    /// The state of the item's files, for a restart.
    #[must_use]
    pub fn persistent(&self) -> String {
        state::write(&self.files, self.position)
    }

    /// Reads new lines.
    ///
    /// # Errors
    /// Why the item is not supported.
    pub fn check(&mut self, budget: LogBudget) -> Result<LogBatch, String> {
        match self.read(budget) {
            Ok(batch) => {
                self.n_failures = 0;
                Ok(batch)
            }
            Err(reason) => {
                self.n_failures += 1;
                // A file that was never readable is reported at once.
                if self.has_started && self.n_failures < FAILURES_MAX {
                    return Ok(LogBatch::default());
                }
                Err(reason)
            }
        }
    }

    fn read(&mut self, budget: LogBudget) -> Result<LogBatch, String> {
        let found = self.params.find(FILES_MAX).map_err(|it| match it {
            NotFound::NoFile(reason) => {
                // Later lines were written after the item began: none of them is old.
                self.skips_old = false;
                reason
            }
            NotFound::Wrong(reason) => reason,
        })?;
        self.reconcile(found)?;
        let rate = match self.params.lines_per_second {
            Some(it) => it,
            // Counted lines are not sent, so that only reading is limited.
            None if self.params.counts => {
                budget.lines_per_second.saturating_mul(LINES_READ_PER_SENT)
            }
            None => budget.lines_per_second,
        };
        let n_lines = rate.saturating_mul(budget.interval_s.max(1));
        let mut reading = Reading {
            values: Vec::new(),
            n_matched: 0,
            n_sent_max: usize::try_from(n_lines).unwrap_or(usize::MAX).min(budget.n_values),
            n_looked_at: 0,
            n_looked_at_max: if self.params.counts {
                n_lines
            } else {
                n_lines.saturating_mul(LINES_READ_PER_SENT)
            },
        };
        let mut n_bytes = 0;
        let mut is_whole = true;
        for at in 0..self.files.len() {
            let file = &mut self.files[at];
            if file.processed >= file.size {
                continue;
            }
            let before = file.processed;
            let params = &self.params;
            let path = file.path.display().to_string();
            is_whole = file
                .read_lines(params.charset, |line, position| reading.line(params, line, position))
                .map_err(|error| cannot("open", &path, &error))?;
            n_bytes += file.processed.saturating_sub(before);
            self.position = file.position();
            if !is_whole {
                break;
            }
        }
        if !is_whole {
            self.hurry(n_bytes, budget.interval_s.max(1));
        }
        if self.params.counts {
            let text = reading.n_matched.to_string();
            reading.values.push(LogValue { text, position: self.position });
        }
        let last = reading.values.last().map_or(self.sent, |it| it.position);
        self.sent = self.position;
        let moved = (last != self.position).then_some(self.position);
        Ok(LogBatch { values: reading.values, moved })
    }

    /// The present files, each with how much of it is done.
    fn reconcile(&mut self, found: Vec<Found>) -> Result<(), String> {
        let mut files = Vec::with_capacity(found.len());
        for it in found {
            let path = it.path.display().to_string();
            let file = it.look_at(&self.files).map_err(|error| cannot("open", &path, &error))?;
            files.push(file);
        }
        if !self.has_started {
            self.has_started = true;
            self.begin(&mut files);
        } else {
            files::match_up(&self.files, &mut files, self.params.rotation, self.params.rereads);
        }
        self.files = files;
        if self.files.iter().all(|it| it.processed >= it.size)
            && let Some(newest) = self.files.last()
            && (self.skips_old || self.position.lastlogsize > newest.size)
        {
            self.position = newest.position();
        }
        self.skips_old = false;
        Ok(())
    }

    /// The start of reading in files that this run of the agent has never seen.
    fn begin(&self, files: &mut [FileState]) {
        let is_exact = |it: &FileState| {
            (it.size, it.mtime) == (self.position.lastlogsize, self.position.mtime)
        };
        if let Some(at) = files.iter().rposition(is_exact).filter(|_| !self.skips_old) {
            for file in files.iter_mut().take(at + 1) {
                file.processed = file.size;
            }
            return;
        }
        let mut is_behind = false;
        for file in files {
            if self.skips_old || (!is_behind && file.mtime < self.position.mtime) {
                file.processed = file.size;
            } else if !is_behind {
                // The oldest file that may be the last one read.
                is_behind = true;
                if self.position.lastlogsize <= file.size {
                    file.processed = self.position.lastlogsize;
                }
            }
        }
    }

    /// Skips lines if reading at this pace would be too late.
    fn hurry(&mut self, n_bytes: u64, interval_s: u64) {
        let delay_max_s = self.params.delay_max_s;
        let left: u64 = self.files.iter().map(|it| it.size.saturating_sub(it.processed)).sum();
        if delay_max_s <= 0.0 || n_bytes == 0 || left == 0 {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let speed = n_bytes as f64 / interval_s as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes")]
        let kept = (speed * delay_max_s) as u64;
        let mut skipped = left.saturating_sub(kept);
        for file in &mut self.files {
            let here = file.size.saturating_sub(file.processed).min(skipped);
            if here == 0 {
                continue;
            }
            file.jump(here);
            skipped -= here;
            self.position = file.position();
        }
    }
}

/// The values of a check so far.
struct Reading {
    values: Vec<LogValue>,
    n_matched: u64,
    n_sent_max: usize,
    n_looked_at: u64,
    n_looked_at_max: u64,
}

impl Reading {
    /// Takes a line; `false`: there is no room for it, and it is read again.
    fn line(&mut self, params: &Params, line: &str, position: Position) -> bool {
        if self.n_looked_at >= self.n_looked_at_max {
            return false;
        }
        let Some(text) = params.text_of(line) else {
            self.n_looked_at += 1;
            return true;
        };
        if !params.counts {
            if self.values.len() >= self.n_sent_max {
                return false;
            }
            self.values.push(LogValue { text, position });
        }
        self.n_looked_at += 1;
        self.n_matched += 1;
        true
    }
}

#[cfg(test)]
mod tests;
