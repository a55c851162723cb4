//! Keeping the files few and no older than wanted, piece by piece.

use std::sync::atomic::Ordering;
use std::time::Duration;

use model::{ItemId, Now};
use tracing::{debug, info, warn};
use tsdb::MergeStep;

use super::EmbeddedParts;
use super::retention::{Maintenance, RetentionClock, counts, keeps_from, rank, spans_ms};
use crate::class::{StoredKind, kept};
use crate::{Result, payload};

/// The server's clock may be so far ahead of the one of retention without a word: a night off.
const LAG_UNTOLD_MS: i64 = 86_400_000;

/// Values that a piece of merging moves: some 5 ms of a core.
const MERGE_VALUES: usize = 100_000;

/// How long the removal of files before their time is reported. After that health is clear again.
const SHRUNK_REPORTED_NS: u64 = 86_400_000_000_000;

impl EmbeddedParts {
    /// A piece of the work; `true` if there is more to do at once.
    pub(super) fn maintain(&self, now: Now) -> Result<bool> {
        let mut maintenance = self.maintenance.lock().expect("nobody panics while maintaining");
        let clock = maintenance
            .clock
            .get_or_insert_with(|| RetentionClock::resume(self.store.retention_clock_ms(), now));
        clock.follow(now);
        self.store.set_retention_clock_ms(clock.at_ms());
        let clock = *clock;
        self.report_lag(&clock, now);
        self.expire(clock.judged_by_ms(now))?;
        self.shrink(&mut maintenance, now)?;
        let goes_on = self.merge()?;
        let segment = self.store.merging_into();
        if let Some(segment) = segment.filter(|_| segment != maintenance.merging_into) {
            debug!(segment, "began to merge history files");
        }
        maintenance.merging_into = segment;
        Ok(goes_on)
    }

    /// Keeps to the budget of the disk.
    fn shrink(&self, maintenance: &mut Maintenance, now: Now) -> Result<()> {
        let budget_bytes = self.settings.disk_budget_bytes;
        if budget_bytes == 0 {
            return Ok(());
        }
        let dropped = self.store.shrink(budget_bytes, rank)?;
        if !dropped.is_empty() {
            let files = dropped.len();
            let (values, trends) = counts(&dropped);
            let bytes: u64 = dropped.iter().map(|it| it.file_bytes).sum();
            self.metrics.over_budget_files_total.add(files as u64);
            self.metrics.over_budget_values_total.add(values);
            self.metrics.over_budget_trends_total.add(trends);
            self.metrics.over_budget_bytes_total.add(bytes);
            warn!(
                files,
                values,
                trends,
                bytes,
                budget_bytes,
                "removed the oldest history files before their time, to stay within history.disk_budget_bytes"
            );
            maintenance.shrunk_ns = Some(now.mono_ns);
        }
        let is_recent = |it: u64| now.mono_ns.saturating_sub(it) < SHRUNK_REPORTED_NS;
        self.is_short.store(maintenance.shrunk_ns.is_some_and(is_recent), Ordering::Relaxed);
        Ok(())
    }

    /// Values that history should have and lacks.
    pub(super) fn shortfall(&self) -> Option<String> {
        let budget_bytes = self.settings.disk_budget_bytes;
        self.is_short.load(Ordering::Relaxed).then(|| {
            format!(
                "history.disk_budget_bytes is {budget_bytes}: less than the items' periods need"
            )
        })
    }

    fn merge(&self) -> Result<bool> {
        let step = self.store.merge_step(MERGE_VALUES, spans_ms).inspect_err(|_| {
            self.metrics.merge_failures_total.inc();
        })?;
        if let MergeStep::Merged { inputs, output } = &step {
            let (files, values) = (inputs.len(), output.map_or(0, |it| it.n_values));
            let bytes = output.map_or(0, |it| it.file_bytes);
            let bytes_before: u64 = inputs.iter().map(|it| it.file_bytes).sum();
            self.metrics.merges_total.inc();
            self.metrics.merged_values_total.add(values);
            self.metrics.merged_bytes_total.add(bytes);
            info!(files, values, bytes_before, bytes, "merged history files");
        }
        Ok(step != MergeStep::Idle)
    }

    fn expire(&self, now_ms: i64) -> Result<()> {
        let may_go = |class| match kept(class).0 {
            StoredKind::Values => self.expires_values.load(Ordering::Relaxed),
            StoredKind::Trends => self.expires_trends.load(Ordering::Relaxed),
        };
        let keeps_from = |class| keeps_from(class, now_ms).filter(|_| may_go(class));
        let expired = self.store.expire(keeps_from)?;
        if expired.is_empty() {
            return Ok(());
        }
        let files = expired.len();
        let (values, trends) = counts(&expired);
        let bytes: u64 = expired.iter().map(|it| it.file_bytes).sum();
        self.metrics.expired_files_total.add(files as u64);
        self.metrics.expired_values_total.add(values);
        self.metrics.expired_trends_total.add(trends);
        self.metrics.expired_bytes_total.add(bytes);
        info!(files, values, trends, bytes, "removed history files past their period");
        Ok(())
    }

    /// Deletes all values and trends of items up to now.
    pub(super) fn clear(&self, items: &[ItemId]) -> Result<()> {
        let _one = self.flush.lock().expect("nobody panics while flushing");
        if self.settings.buffer_of.is_some() {
            // Files of before may have them, too.
            self.empty_buffer();
        }
        self.write_frozen()?;
        let cursor = {
            let _gates: Vec<_> = (0..self.gates.len()).map(|it| self.gate(it)).collect();
            self.journal.next_lsn()
        };
        // A deletion must not reach beyond the end that a power cut leaves.
        self.journal.sync_once()?;
        let ids: Vec<u64> = items.iter().map(|it| it.0).collect();
        let kinds: Vec<_> = payload::kinds().collect();
        Ok(self.store.delete(&ids, &kinds, cursor.0)?)
    }

    fn report_lag(&self, clock: &RetentionClock, now: Now) {
        static LIMIT: rt::log::Limit = rt::log::Limit::new(1, Duration::from_secs(3_600));
        let lag_ms = clock.lag_ms(now).max(0);
        self.metrics.retention_lag_seconds.set_n(usize::try_from(lag_ms / 1_000).unwrap_or(0));
        if lag_ms > LAG_UNTOLD_MS && LIMIT.admit(now.mono_ns).is_some() {
            let lag_days = lag_ms / 86_400_000;
            warn!(
                lag_days,
                "the clock is far ahead of the last time of history: unless the server was off for so long, \
                 correct it; old values are removed as if a day passed each hour"
            );
        }
    }
}
