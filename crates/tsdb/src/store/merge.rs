//! Merging segments into one.
//!
//! The result is a segment like any other; one switch of the manifest puts it in the place of its
//! inputs, whose files then go. Until then readers see the inputs, and a crash leaves a file behind
//! that the next start removes. Unreadable samples are not left out: their segment is not merged.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::flush::info;
use super::merge_run::{MergeRun, MergeStep, Merging};
use super::plan::plan;
use super::{Inner, OpenSegment, Tsdb};
use crate::manifest::segment_path;
use crate::segment::{Scan, SegmentWriter};
use crate::series::RetentionClass;
use crate::{Error, Result, SegmentInfo};

impl Tsdb {
    /// Does a piece of merging: begins a merge, or moves about so many samples. `spans_ms` has for
    /// each class the longest times between the newest values of segments that become one, from
    /// short to long.
    ///
    /// # Errors
    /// The merge under way is given up, and nothing has changed. A damaged segment is not tried
    /// again.
    pub fn merge_step(
        &self,
        n_samples: usize,
        spans_ms: impl Fn(RetentionClass) -> &'static [i64],
    ) -> Result<MergeStep> {
        let inner = &*self.inner;
        let mut merging = inner.merging.lock().expect("nobody panics while merging");
        let Some(mut run) = merging.run.take() else {
            let begun = inner.begin_merge(&mut merging, spans_ms)?;
            let step = if begun.is_some() { MergeStep::Ongoing } else { MergeStep::Idle };
            merging.run = begun;
            return Ok(step);
        };
        let number = run.number;
        let inputs: Vec<u64> = run.plan.inputs.iter().map(|it| it.number).collect();
        let step = match run.go_on(n_samples) {
            Ok(true) => {
                merging.run = Some(run);
                return Ok(MergeStep::Ongoing);
            }
            Ok(false) => inner.finish_merge(run),
            Err(error) => Err(error),
        };
        if let Err(error) = &step {
            if let Error::Corrupt { path, .. } = error {
                let is_it = |it: &u64| segment_path(&inner.dir, *it) == *path;
                merging.left_out.extend(inputs.into_iter().filter(is_it));
            }
            inner.abandon_unless_named(number);
        }
        step
    }

    /// From now on segments are not merged into ones of more than `bytes_max`.
    pub fn limit_merges(&self, bytes_max: u64) {
        let mut merging = self.inner.merging.lock().expect("nobody panics while merging");
        merging.bytes_max = merging.bytes_max.min(bytes_max);
    }

    /// The number of the segment that a merge is writing.
    #[must_use]
    pub fn merging_into(&self) -> Option<u64> {
        let merging = self.inner.merging.lock().expect("nobody panics while merging");
        merging.run.as_ref().map(|it| it.number)
    }
}

impl Inner {
    fn begin_merge(
        &self,
        merging: &mut Merging,
        spans_ms: impl Fn(RetentionClass) -> &'static [i64],
    ) -> Result<Option<MergeRun>> {
        let segments = self.read_state().segments.clone();
        let damaged = segments.iter().filter(|it| it.segment.is_err());
        merging.left_out.extend(damaged.map(|it| it.info.number));
        let infos: Vec<_> = segments.iter().map(|it| it.info).collect();
        let Some(plan) = plan(&infos, (&merging.left_out, merging.bytes_max), spans_ms) else {
            return Ok(None);
        };
        let mut inputs = Vec::with_capacity(plan.inputs.len());
        for info in &plan.inputs {
            let Some(open) = segments.iter().find(|it| it.info == *info) else { continue };
            let segment = Arc::clone(open.segment.as_ref().map_err(Error::clone)?);
            let scan = Scan::new(segment, self.deleted_in(info.number));
            if matches!(scan, Err(Error::Corrupt { .. })) {
                merging.left_out.insert(info.number);
            }
            inputs.push(scan?);
        }
        let number = self.take_number();
        let writer = SegmentWriter::create(&*self.disk, &segment_path(&self.dir, number))?;
        Ok(Some(MergeRun::new(plan, number, inputs, writer)))
    }

    fn finish_merge(&self, run: MergeRun) -> Result<MergeStep> {
        let (number, n_gone) = (run.number, run.n_gone());
        let (plan, writer) = run.into_parts();
        let (totals, file_bytes) = writer.finish()?;
        let wanted: u64 = plan.inputs.iter().map(|it| it.n_values).sum();
        if totals.n_values + n_gone != wanted {
            let path = segment_path(&self.dir, number);
            let reason = "a merge wrote another number of values than it read";
            return Err(Error::Corrupt { path, offset: 0, reason });
        }
        let class = plan.inputs.first().map_or(RetentionClass::UNKNOWN, |it| it.class);
        let merged = if totals.n_values == 0 {
            self.abandon(number);
            None
        } else {
            Some(self.open_written(info(number, (totals, file_bytes), (class, plan.level)))?)
        };
        let output = merged.as_ref().map(|it| it.info);
        self.switch(None, |all| replace(all, &plan.inputs, merged))?;
        let tally = &self.tally;
        tally.merges.fetch_add(1, Ordering::Relaxed);
        tally.merged_values.fetch_add(totals.n_values, Ordering::Relaxed);
        tally.merged_bytes.fetch_add(output.map_or(0, |it| it.file_bytes), Ordering::Relaxed);
        Ok(MergeStep::Merged { inputs: plan.inputs, output })
    }
}

/// Puts a segment into the place of the oldest of those that it replaces.
fn replace(all: &mut Vec<OpenSegment>, inputs: &[SegmentInfo], merged: Option<OpenSegment>) {
    let is_input = |it: &OpenSegment| inputs.contains(&it.info);
    if let (Some(place), Some(merged)) = (all.iter_mut().find(|it| is_input(it)), merged) {
        *place = merged;
    }
    all.retain(|it| !is_input(it));
}
