//! Chunks: the samples of one series, compressed.
//!
//! Monitoring values are short decimals and counters, sampled at nearly regular times. So floats
//! become whole numbers where that is exact, and whole numbers (times as well) are stored as
//! bit-packed differences from the cheapest of four guesses; see `ints` and `floats`. The same
//! codec serves blocks of eight in the head and chunks of 256 in segments.
//!
//! Bytes: `docs/format/segment.md`. Decoding never panics; wrong bytes give `None`.

mod bits;
mod floats;
mod ints;
mod scratch;

use varint::Bytes;

use crate::AggregatePart;
pub(crate) use scratch::CHUNK_MAX;
use scratch::with_scratch;

use crate::series::{Point, SeriesKind, StoredSamples};

/// Compresses times, which must ascend, as differences from the first one.
pub(crate) fn encode_times(points: &[Point], out: &mut Vec<u8>) {
    let start = points.first().map_or(0, |it| it.ms);
    with_scratch(points.len(), |times| {
        for (time, point) in times.iter_mut().zip(points) {
            *time = point.ms.wrapping_sub(start);
        }
        ints::encode(times, out);
    });
}

/// Compresses the bits of numbers.
pub(crate) fn encode_values(kind: SeriesKind, points: &[Point], out: &mut Vec<u8>) {
    if kind == SeriesKind::FLOAT {
        floats::encode(points, out);
    } else {
        with_scratch(points.len(), |values| {
            for (value, point) in values.iter_mut().zip(points) {
                *value = point.bits.cast_signed();
            }
            ints::encode(values, out);
        });
    }
}

/// Compresses aggregates, column by column.
pub(crate) fn encode_aggregates(samples: &StoredSamples, points: &[Point], out: &mut Vec<u8>) {
    let floats = samples.kind == SeriesKind::FLOAT_AGGREGATE;
    let number = if floats { SeriesKind::FLOAT } else { SeriesKind::UNSIGNED };
    let mut column = |kind: SeriesKind, bits: &dyn Fn(&AggregatePart) -> u64| {
        with_scratch(points.len(), |column| {
            for (to, point) in column.iter_mut().zip(points) {
                *to = Point { bits: bits(&samples.aggregate_of(point.bits)), ..*point };
            }
            encode_values(kind, column, out);
        });
    };
    column(SeriesKind::UNSIGNED, &|it| it.count);
    column(number, &|it| it.min);
    column(number, &|it| it.max);
    column(number, &|it| it.sum_halves().0);
    if !floats {
        column(number, &|it| it.sum_halves().1);
    }
}

/// Appends `n` aggregates, the first of which is at `start`.
pub(crate) fn decode_aggregates(
    bytes: &mut Bytes<'_>,
    (n, start): (usize, i64),
    out: &mut StoredSamples,
) -> Option<()> {
    if n == 0 || n > CHUNK_MAX {
        return None;
    }
    let floats = out.kind == SeriesKind::FLOAT_AGGREGATE;
    let mut columns = [[0; CHUNK_MAX]; 6];
    let n_columns = if floats { 5 } else { 6 };
    for (nth, column) in columns.iter_mut().enumerate().take(n_columns) {
        let column = column.get_mut(..n)?;
        // Times and counts are whole numbers of either.
        if floats && nth >= 2 {
            floats::decode(bytes, column)?;
        } else {
            ints::decode(bytes, column)?;
        }
    }
    let [times, counts, mins, maxs, lows, highs] = &columns;
    for (((time, (count, min)), max), (low, high)) in
        times.iter().zip(counts.iter().zip(mins)).zip(maxs).zip(lows.iter().zip(highs)).take(n)
    {
        let numbers = (count.cast_unsigned(), min.cast_unsigned(), max.cast_unsigned());
        let halves = (low.cast_unsigned(), high.cast_unsigned());
        out.push_aggregate(start.wrapping_add(*time), AggregatePart::from_halves(numbers, halves));
    }
    Some(())
}

/// Fills `times` with differences from the first time.
pub(crate) fn decode_times(bytes: &mut Bytes<'_>, times: &mut [i64]) -> Option<()> {
    ints::decode(bytes, times)
}

/// Appends `n` points, the first of which is at `start`, to `out`; returns where they begin.
pub(crate) fn decode(
    kind: SeriesKind,
    bytes: &mut Bytes<'_>,
    (n, start): (usize, i64),
    out: &mut Vec<Point>,
) -> Option<()> {
    if n == 0 || n > CHUNK_MAX {
        return None;
    }
    with_scratch(n, |times| {
        ints::decode(bytes, times)?;
        with_scratch(n, |values| {
            if kind == SeriesKind::FLOAT {
                floats::decode(bytes, values)?;
            } else {
                ints::decode(bytes, values)?;
            }
            let pairs = times.iter().zip(values.iter());
            out.extend(pairs.map(|(time, value)| Point {
                ms: start.wrapping_add(*time),
                bits: value.cast_unsigned(),
            }));
            Some(())
        })
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::indexing_slicing, reason = "a test may fail by panic")]

    use proptest::prelude::*;

    use super::*;

    fn round_trip(kind: SeriesKind, points: &[Point]) -> usize {
        let mut out = Vec::new();
        encode_times(points, &mut out);
        encode_values(kind, points, &mut out);
        let mut bytes = Bytes::new(&out);
        let mut back = Vec::new();
        let start = points.first().expect("not empty").ms;
        decode(kind, &mut bytes, (points.len(), start), &mut back).expect("reads back");
        assert_eq!(back, points);
        assert!(bytes.left.is_empty());
        out.len()
    }

    /// Bytes a value of 240 samples each minute with up to 999 ms of jitter.
    fn bytes_a_value(kind: SeriesKind, value: impl Fn(u64, u64) -> u64) -> f64 {
        let mut random = 5_u64;
        let points: Vec<Point> = (0..240)
            .map(|n| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99_991);
                let noise = random >> 33;
                let ms = i64::try_from(n * 60_000 + noise % 4).expect("small");
                Point { ms, bits: value(n, noise) }
            })
            .collect();
        round_trip(kind, &points) as f64 / points.len() as f64
    }

    #[test]
    fn usual_series_take_few_bytes() {
        let percent =
            bytes_a_value(SeriesKind::FLOAT, |_, x| ((x % 10_000) as f64 / 100.0).to_bits());
        assert!(percent < 2.5, "noisy percentages: {percent}");
        let constant = bytes_a_value(SeriesKind::UNSIGNED, |_, _| 8_589_934_592);
        assert!(constant < 0.6, "a constant: {constant}");
        let rare = bytes_a_value(SeriesKind::UNSIGNED, |n, _| if n == 100 { 5 } else { 1 << 40 });
        assert!(rare < 0.7, "a rare change: {rare}");
        let counter =
            bytes_a_value(SeriesKind::UNSIGNED, |n, x| (1 << 50) + n * 1_000_000 + x % 256);
        assert!(counter < 2.0, "a counter: {counter}");
        let third = bytes_a_value(SeriesKind::FLOAT, |_, x| (x as f64 / 3.0).to_bits());
        assert!(third < 8.6, "no short decimals: {third}");
    }

    #[test]
    fn extreme_values_read_back() {
        let floats = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN, 5e-324, 0.1, 1e300];
        let points: Vec<Point> = floats
            .iter()
            .zip([i64::MIN, -5, 0, 0, 1, 7, i64::MAX - 1, i64::MAX])
            .map(|(value, ms)| Point { ms, bits: value.to_bits() })
            .collect();
        round_trip(SeriesKind::FLOAT, &points);
        for n in 1..=points.len() {
            round_trip(SeriesKind::FLOAT, &points[..n]);
            round_trip(SeriesKind::UNSIGNED, &points[..n]);
        }
    }

    fn value() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            0..3_u64,
            (any::<i32>(), 0..12_i32).prop_map(|(m, e)| (f64::from(m) / 10_f64.powi(e)).to_bits()),
            any::<f64>().prop_map(f64::to_bits),
        ]
    }

    proptest! {
        #[test]
        fn any_chunk_reads_back(
            mut points in prop::collection::vec((any::<i64>(), value()), 1..CHUNK_MAX),
            small in any::<bool>(),
            kind in 0..2_u8,
        ) {
            for point in &mut points {
                if small {
                    point.0 %= 100_000;
                }
            }
            points.sort_by_key(|it| it.0);
            let points: Vec<Point> =
                points.into_iter().map(|(ms, bits)| Point { ms, bits }).collect();
            round_trip(SeriesKind(kind), &points);
        }

        #[test]
        fn any_bytes_decode_without_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            n in 0..300_usize,
            kind in 0..2_u8,
        ) {
            let mut out = Vec::new();
            let _ = decode(SeriesKind(kind), &mut Bytes::new(&bytes), (n, 0), &mut out);
            prop_assert!(out.len() <= n);
        }
    }
}
