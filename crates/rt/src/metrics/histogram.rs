//! Histograms over powers of two: one relaxed addition into a bucket and one to the sum.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::{Declaration, Metric, MetricSample};

/// Buckets `2^first ..= 2^last` and one for all above.
#[derive(Debug)]
struct Buckets {
    first: u32,
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
    /// One counted unit, in the unit of the metric.
    scale: f64,
}

impl Buckets {
    fn new(first: u32, last: u32, scale: f64) -> Self {
        let counts = (first..=last + 1).map(|_| AtomicU64::new(0)).collect();
        Self { first, counts, sum: AtomicU64::new(0), scale }
    }

    fn observe(&self, amount: u64) {
        // The smallest `e` with `amount <= 2^e`.
        let exponent = u64::BITS - amount.saturating_sub(1).leading_zeros();
        let idx = (exponent.saturating_sub(self.first) as usize).min(self.counts.len() - 1);
        self.counts[idx].fetch_add(1, Relaxed);
        self.sum.fetch_add(amount, Relaxed);
    }

    fn n(&self) -> u64 {
        self.counts.iter().map(|it| it.load(Relaxed)).sum()
    }

    fn bound(&self, idx: usize) -> f64 {
        let exponent = i32::try_from(idx).expect("64 buckets at most")
            + i32::try_from(self.first).expect("64 buckets at most");
        2f64.powi(exponent) * self.scale
    }

    fn quantile(&self, share: f64) -> f64 {
        let rank = share.clamp(0.0, 1.0) * self.n() as f64;
        let mut seen = 0.0;
        for (idx, count) in self.counts.iter().enumerate() {
            seen += count.load(Relaxed) as f64;
            if rank <= seen && 0.0 < seen {
                return self.bound(idx);
            }
        }
        0.0
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        let mut n = 0;
        for (idx, count) in self.counts.iter().enumerate() {
            n += count.load(Relaxed);
            let is_last = idx + 1 == self.counts.len();
            let bound = if is_last { "+Inf".to_owned() } else { self.bound(idx).to_string() };
            sample.write("_bucket", Some(("le", &bound)), n as f64, out);
        }
        sample.write("_sum", None, self.sum.load(Relaxed) as f64 * self.scale, out);
        // The sum of the buckets above, so that a reader never sees them disagree.
        sample.write("_count", None, n as f64, out);
    }
}

/// How long something took; the name ends in `_seconds`. From 1 µs to 68 s, doubling.
#[derive(Clone, Debug)]
pub struct TimeHistogram(Arc<Buckets>);

impl TimeHistogram {
    pub fn observe(&self, time: Duration) {
        self.observe_ns(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    pub fn observe_ns(&self, time_ns: u64) {
        self.0.observe(time_ns);
    }

    /// Observations so far.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.0.n()
    }

    /// The bound in seconds that `share` (0..=1) of all observations stay below; 0 without any.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        self.0.quantile(share)
    }
}

impl Metric for TimeHistogram {
    const KIND: &'static str = "histogram";

    fn create(_: &Declaration) -> Self {
        // 2^10 ns is about a microsecond, 2^36 ns are 68 s: longer than any time-out.
        Self(Arc::new(Buckets::new(10, 36, 1e-9)))
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        self.0.render(sample, out);
    }

    fn value(&self, label_value: Option<&str>) -> Option<f64> {
        label_value.is_none().then(|| self.n() as f64)
    }
}

/// How large something was, in the unit of its name (values, bytes): 1 to 2^27, doubling.
#[derive(Clone, Debug)]
pub struct SizeHistogram(Arc<Buckets>);

impl SizeHistogram {
    pub fn observe(&self, size: u64) {
        self.0.observe(size);
    }

    /// `observe` for lengths.
    pub fn observe_n(&self, n: usize) {
        self.observe(n as u64);
    }

    /// Observations so far.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.0.n()
    }

    /// The bound that `share` (0..=1) of all observations stay below; 0 without any.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        self.0.quantile(share)
    }
}

impl Metric for SizeHistogram {
    const KIND: &'static str = "histogram";

    fn create(_: &Declaration) -> Self {
        // 2^27 is the largest packet, 128 MiB.
        Self(Arc::new(Buckets::new(0, 27, 1.0)))
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        self.0.render(sample, out);
    }

    fn value(&self, label_value: Option<&str>) -> Option<f64> {
        label_value.is_none().then(|| self.n() as f64)
    }
}
