//! Which segments to merge: from flushes to hours, to days, and on.
//!
//! A class of retention has spans, each longer than the one before. Neighbors of the class in the
//! manifest whose newest values lie within a span become one segment, once a later one shows that
//! the span is over. A segment alone in its span stays as it is, so that every value is written
//! again once a span at most.

use std::collections::BTreeSet;

use crate::SegmentInfo;
use crate::series::RetentionClass;

/// The most segments merged at once: each takes some 300 KB of memory meanwhile.
const INPUTS_MAX: usize = 64;
/// A segment does not become larger by merging. Larger ones save nothing any more, and while a
/// merge is under way the disk holds twice what it merges.
pub(super) const BYTES_MAX: u64 = 16 << 30;

/// Segments that are to become one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) inputs: Vec<SegmentInfo>,
    /// Of the result.
    pub(super) level: u8,
}

/// The segments to merge next, the shortest span first. Those that are `left_out` stay, and nothing
/// is merged across them. Inputs take `bytes_max` together at most.
pub(super) fn plan(
    segments: &[SegmentInfo],
    (left_out, bytes_max): (&BTreeSet<u64>, u64),
    spans_ms: impl Fn(RetentionClass) -> &'static [i64],
) -> Option<Plan> {
    let classes: BTreeSet<RetentionClass> = segments.iter().map(|it| it.class).collect();
    let n_levels = classes.iter().map(|it| spans_ms(*it).len()).max().unwrap_or(0);
    (0..n_levels).find_map(|below| {
        classes.iter().find_map(|class| {
            let span_ms = *spans_ms(*class).get(below)?;
            let below = u8::try_from(below).ok()?;
            let of_class: Vec<_> = segments.iter().filter(|it| it.class == *class).collect();
            let may = |it: &SegmentInfo| it.level <= below && !left_out.contains(&it.number);
            let inputs = finished(&of_class, (span_ms, bytes_max), may)?;
            Some(Plan { inputs, level: below + 1 })
        })
    })
}

/// The first neighbors within a span that is over.
fn finished(
    segments: &[&SegmentInfo],
    (span_ms, bytes_max): (i64, u64),
    may: impl Fn(&SegmentInfo) -> bool,
) -> Option<Vec<SegmentInfo>> {
    let mut group = Group::default();
    for segment in segments {
        let fits = may(segment) && group.takes(segment, (span_ms, bytes_max));
        if !fits {
            if group.segments.len() > 1 {
                return Some(group.segments);
            }
            group = Group::default();
        }
        if may(segment) {
            group.add(segment);
        }
    }
    (group.segments.len() == INPUTS_MAX).then_some(group.segments)
}

#[derive(Debug, Default)]
struct Group {
    segments: Vec<SegmentInfo>,
    n_bytes: u64,
    /// Of the newest values: the oldest and the newest.
    ends: Option<(i64, i64)>,
}

impl Group {
    fn takes(&self, segment: &SegmentInfo, (span_ms, bytes_max): (i64, u64)) -> bool {
        let end = segment.max_ms;
        let (first, last) = self.ends.map_or((end, end), |it| (it.0.min(end), it.1.max(end)));
        self.segments.len() < INPUTS_MAX
            && last.saturating_sub(first) < span_ms
            && self.n_bytes.saturating_add(segment.file_bytes) <= bytes_max
    }

    fn add(&mut self, segment: &SegmentInfo) {
        let end = segment.max_ms;
        self.segments.push(*segment);
        self.n_bytes = self.n_bytes.saturating_add(segment.file_bytes);
        self.ends = Some(self.ends.map_or((end, end), |it| (it.0.min(end), it.1.max(end))));
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "a test may fail by panic")]

    use super::*;

    const SPANS: &[i64] = &[10, 100];

    /// Newest value, class, level.
    fn segments(of: &[(i64, u8, u8)]) -> Vec<SegmentInfo> {
        let numbered = of.iter().zip(1..);
        let made = numbered.map(|((max_ms, class, level), number)| SegmentInfo {
            number,
            file_bytes: 100,
            n_values: 1,
            n_series: 1,
            min_ms: 0,
            max_ms: *max_ms,
            class: RetentionClass(*class),
            level: *level,
        });
        made.collect()
    }

    fn planned(of: &[(i64, u8, u8)], left_out: &[u64]) -> Option<(Vec<u64>, u8)> {
        let left_out = left_out.iter().copied().collect();
        let plan = plan(&segments(of), (&left_out, BYTES_MAX), |_| SPANS)?;
        Some((plan.inputs.iter().map(|it| it.number).collect(), plan.level))
    }

    #[test]
    fn neighbors_of_a_class_within_a_span_that_is_over_become_one() {
        let open = [(1, 1, 0), (4, 1, 0), (9, 1, 0)];
        assert_eq!(planned(&open, &[]), None, "more may come");
        let mut over = open.to_vec();
        over.push((11, 1, 0));
        assert_eq!(planned(&over, &[]), Some((vec![1, 2, 3], 1)));
        assert_eq!(planned(&over, &[2]), None, "not across one that is left out");
        over[1].1 = 2;
        assert_eq!(planned(&over, &[]), Some((vec![1, 3], 1)), "others lie between");
        over[2].1 = 3;
        assert_eq!(planned(&over, &[]), None);
    }

    #[test]
    fn longer_spans_take_what_shorter_ones_have_left() {
        let hours = [(9, 1, 1), (19, 1, 1), (40, 1, 0), (95, 1, 1)];
        assert_eq!(planned(&hours, &[]), None);
        let mut over = hours.to_vec();
        over.push((109, 1, 0));
        assert_eq!(planned(&over, &[]), Some((vec![1, 2, 3, 4], 2)));
        over.extend([(111, 1, 0), (125, 1, 0)]);
        assert_eq!(planned(&over, &[]), Some((vec![5, 6], 1)), "the shortest first");
        assert_eq!(planned(&[(9, 1, 2), (19, 1, 2), (400, 1, 2)], &[]), None, "all is done");
    }

    #[test]
    fn values_ahead_of_time_and_size_hold_up_nothing() {
        // The first holds a value of the day after.
        let ahead = [(90, 1, 0), (1, 1, 0), (2, 1, 0), (15, 1, 0)];
        assert_eq!(planned(&ahead, &[]), Some((vec![2, 3], 1)));
        let many: Vec<_> = (0..70).map(|_| (5, 1, 0)).collect();
        assert_eq!(planned(&many, &[]).map(|it| it.0.len()), Some(INPUTS_MAX));
        let mut large = segments(&[(1, 1, 0), (2, 1, 0), (3, 1, 0), (15, 1, 0)]);
        large[0].file_bytes = BYTES_MAX;
        let of_large = |bytes_max| plan(&large, (&BTreeSet::new(), bytes_max), |_| SPANS);
        assert_eq!(of_large(BYTES_MAX).expect("two are small").inputs, large[1..3]);
        assert_eq!(of_large(199), None, "two are too large for less");
    }
}
