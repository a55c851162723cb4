//! A merge under way: samples of several segments go to one, a piece at a time.
//!
//! Inputs are gone through series by series and, within a series, chunk by chunk, so that memory is
//! bounded by a few chunks of each. A sample is in exactly one input and goes to the output exactly once,
//! in order of time and, for equal times, of the inputs.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::plan::{BYTES_MAX, Plan};
use crate::codec::CHUNK_MAX;
use crate::segment::{Scan, SegmentWriter};
use crate::series::{SeriesKind, StoredSamples};
use crate::{Result, SegmentInfo, SeriesKey};

/// The bytes of texts that cost as much as a sample.
const BYTES_A_SAMPLE: usize = 64;
/// The most samples of a series that wait to be written.
const PENDING_SAMPLES: usize = 8 * CHUNK_MAX;
const PENDING_BYTES: usize = 1 << 20;

/// The result of a step of merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeStep {
    /// There is nothing to merge.
    Idle,
    /// A merge is under way.
    Ongoing,
    Merged {
        inputs: Vec<SegmentInfo>,
        /// `None` if all was deleted.
        output: Option<SegmentInfo>,
    },
}

/// The merge under way, and what is not to be merged.
#[derive(Debug)]
pub(super) struct Merging {
    pub(super) run: Option<MergeRun>,
    /// Segments are not merged into larger ones.
    pub(super) bytes_max: u64,
    /// Segments that are damaged.
    pub(super) left_out: BTreeSet<u64>,
}

impl Default for Merging {
    fn default() -> Self {
        Self { run: None, bytes_max: BYTES_MAX, left_out: BTreeSet::new() }
    }
}

impl Merging {
    /// Gives up a merge with one of these among its inputs; returns the number of its output.
    pub(super) fn give_up(&mut self, segments: &[SegmentInfo]) -> Option<u64> {
        let uses = |run: &mut MergeRun| run.plan.inputs.iter().any(|it| segments.contains(it));
        self.run.take_if(uses).map(|it| it.number)
    }
}

#[derive(Debug)]
pub(super) struct MergeRun {
    pub(super) plan: Plan,
    pub(super) number: u64,
    inputs: Vec<Scan>,
    /// Next sample of each input that has any.
    next: BinaryHeap<Reverse<(SeriesKey, i64, usize)>>,
    writer: SegmentWriter,
    /// The unwritten part of the series that is being written.
    key: Option<SeriesKey>,
    pending: StoredSamples,
    /// Parts of aggregates that were added to others.
    n_added_up: u64,
}

impl MergeRun {
    pub(super) fn new(plan: Plan, number: u64, inputs: Vec<Scan>, writer: SegmentWriter) -> Self {
        let n_inputs = inputs.len();
        let next = BinaryHeap::with_capacity(n_inputs);
        let pending = StoredSamples::new(SeriesKind::UNSIGNED);
        let mut run =
            Self { plan, number, inputs, next, writer, key: None, pending, n_added_up: 0 };
        (0..n_inputs).for_each(|input| run.enqueue(input));
        run
    }

    /// Moves about so many samples; `false` if there are no more.
    pub(super) fn go_on(&mut self, n_samples: usize) -> Result<bool> {
        let mut left = n_samples;
        while left > 0 {
            let Some(n) = self.take_some()? else {
                self.write_pending(true)?;
                return Ok(false);
            };
            left = left.saturating_sub(n);
        }
        Ok(true)
    }

    /// Samples that were read and do not come out again: those of deleted series, and parts of aggregates
    /// that were added to others.
    pub(super) fn n_gone(&self) -> u64 {
        self.n_added_up + self.inputs.iter().map(Scan::n_left_out).sum::<u64>()
    }

    pub(super) fn into_parts(self) -> (Plan, SegmentWriter) {
        (self.plan, self.writer)
    }

    fn enqueue(&mut self, input: usize) {
        if let Some((key, ms)) = self.inputs.get(input).and_then(Scan::place) {
            self.next.push(Reverse((key, ms, input)));
        }
    }

    /// Takes the samples of one input that come before all others, within a chunk. Says what it
    /// cost, or `None` if there are no more.
    fn take_some(&mut self) -> Result<Option<usize>> {
        let Some(Reverse((key, _, input))) = self.next.pop() else { return Ok(None) };
        if self.key != Some(key) {
            self.write_pending(true)?;
            self.key = Some(key);
            self.pending.kind = key.kind;
        }
        let to_ms = match self.next.peek() {
            Some(Reverse((other, ms, of))) if *other == key => {
                // Of equal times those of the older input come first.
                if input < *of { *ms } else { ms.saturating_sub(1) }
            }
            _ => i64::MAX,
        };
        let before = (self.pending.points.len(), self.pending.bytes.len());
        if let Some(scan) = self.inputs.get_mut(input) {
            scan.take(to_ms, &mut self.pending)?;
        }
        self.enqueue(input);
        let n_samples = self.pending.points.len() - before.0;
        if key.kind.is_aggregate() {
            self.n_added_up += self.pending.add_up(before.0) as u64;
        }
        let n_bytes = self.pending.bytes.len() - before.1;
        if PENDING_SAMPLES <= self.pending.points.len() || PENDING_BYTES <= self.pending.bytes.len()
        {
            self.write_pending(false)?;
        }
        Ok(Some(n_samples + n_bytes / BYTES_A_SAMPLE + 1))
    }

    /// Writes what has come together; of numbers, unless it is the last of its series, whole chunks.
    fn write_pending(&mut self, is_last: bool) -> Result<()> {
        let Some(key) = self.key else { return Ok(()) };
        let len = self.pending.points.len();
        let n = match key.kind {
            _ if is_last => len,
            kind if kind.is_number() => len - len % CHUNK_MAX,
            // More parts may come to be added to the last one.
            kind if kind.is_aggregate() => len.saturating_sub(1),
            _ => len,
        };
        let points = self.pending.points.get(..n).unwrap_or_default();
        self.writer.part_of_series(key, points, &self.pending)?;
        self.pending.points.drain(..n);
        if self.pending.points.is_empty() {
            self.pending.bytes.clear();
        }
        if key.kind.is_aggregate() {
            self.pending.forget_aggregates();
        }
        Ok(())
    }
}
