//! Metrics: declared once with their help text, cheap to change, read as text or by name.
//!
//! A crate declares its metrics in one table with [`metrics!`](crate::metrics!), gets the handles
//! by `register`, and passes them down; there is no global registry, so two servers in one process
//! (as tests have them) do not count for each other. Handles are clones of one atomic: a change is
//! a relaxed addition, with no lock and no look-up.
//!
//! Names are `<crate>_<noun>_<unit>[_total]`. Labels: at most one a metric, of few values
//! ([`LABEL_VALUES_MAX`]); never a host, an item or anything else that users create, unless there are few of it and its
//! label values go with it ([`Family::remove`]).
//!
//! Not here: serving `/metrics` (api does it with [`Registry::render`]) and history of metrics
//! (internal items read [`Registry::value`] like any other source).

mod family;
mod histogram;
mod process;
mod registry;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub use family::{Family, LABEL_VALUES_MAX};
pub use histogram::{SizeHistogram, TimeHistogram};
pub use process::observe_process;
pub use registry::{Declaration, Registry};

/// Something that a table may declare.
pub trait Metric: Clone + Send + Sync + 'static {
    /// Prometheus's word for it: `counter`, `gauge`, `histogram`.
    const KIND: &'static str;

    fn create(declaration: &Declaration) -> Self;

    /// Appends the sample lines (without HELP and TYPE).
    fn render(&self, sample: MetricSample<'_>, out: &mut String);

    /// The present value; of a histogram the number of observations.
    /// `None` when there is no such label value.
    fn value(&self, label_value: Option<&str>) -> Option<f64>;
}

/// Name and label of a sample line.
#[derive(Clone, Copy, Debug)]
pub struct MetricSample<'a> {
    pub name: &'a str,
    pub label: Option<(&'a str, &'a str)>,
}

impl MetricSample<'_> {
    /// Writes `name_suffix{label="value",extra} number`.
    pub(crate) fn write(
        &self,
        suffix: &str,
        extra: Option<(&str, &str)>,
        value: f64,
        out: &mut String,
    ) {
        out.push_str(self.name);
        out.push_str(suffix);
        let mut opening = '{';
        for (key, value) in self.label.iter().chain(extra.iter()) {
            out.push(opening);
            opening = ',';
            out.push_str(key);
            out.push_str("=\"");
            escape_label(value, out);
            out.push('"');
        }
        if opening == ',' {
            out.push('}');
        }
        out.push(' ');
        push_number(value, out);
        out.push('\n');
    }
}

fn escape_label(value: &str, out: &mut String) {
    for c in value.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
}

fn push_number(value: f64, out: &mut String) {
    use fmt::Write;
    if value == f64::INFINITY {
        out.push_str("+Inf");
    } else if value == f64::NEG_INFINITY {
        out.push_str("-Inf");
    } else {
        write!(out, "{value}").expect("writing to a string does not fail");
    }
}

/// A number that only grows: work done, bytes moved.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    pub fn inc(&self) {
        self.add(1);
    }

    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Relaxed);
    }

    /// `add` for lengths; `usize` is never wider than `u64` where Saker runs.
    pub fn add_n(&self, n: usize) {
        self.add(n as u64);
    }

    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Metric for Counter {
    const KIND: &'static str = "counter";

    fn create(_: &Declaration) -> Self {
        Self::default()
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        sample.write("", None, self.get() as f64, out);
    }

    fn value(&self, label_value: Option<&str>) -> Option<f64> {
        label_value.is_none().then(|| self.get() as f64)
    }
}

/// A number that goes up and down: depths, shares, sizes. Zero at first.
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<AtomicU64>);

impl Gauge {
    pub fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Relaxed);
    }

    /// `set` for lengths; exact up to 2^53.
    pub fn set_n(&self, n: usize) {
        self.set(n as f64);
    }

    /// Adds `delta`, which may be negative.
    pub fn add(&self, delta: f64) {
        let mut bits = self.0.load(Relaxed);
        loop {
            let sum = (f64::from_bits(bits) + delta).to_bits();
            match self.0.compare_exchange_weak(bits, sum, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(seen) => bits = seen,
            }
        }
    }

    #[must_use]
    pub fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Relaxed))
    }
}

impl Metric for Gauge {
    const KIND: &'static str = "gauge";

    fn create(_: &Declaration) -> Self {
        Self::default()
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        sample.write("", None, self.get(), out);
    }

    fn value(&self, label_value: Option<&str>) -> Option<f64> {
        label_value.is_none().then(|| self.get())
    }
}

/// A counter that is kept elsewhere, by the kernel for example, and copied when metrics are read.
#[derive(Clone, Debug, Default)]
pub struct CounterCopy(Gauge);

impl CounterCopy {
    pub fn set(&self, value: f64) {
        self.0.set(value);
    }

    #[must_use]
    pub fn get(&self) -> f64 {
        self.0.get()
    }
}

impl Metric for CounterCopy {
    const KIND: &'static str = "counter";

    fn create(_: &Declaration) -> Self {
        Self::default()
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        self.0.render(sample, out);
    }

    fn value(&self, label_value: Option<&str>) -> Option<f64> {
        self.0.value(label_value)
    }
}

/// Declares the metrics of a crate: a struct of handles with a `register` function.
///
/// The doc comment of a field is its help text; the name is the prefix, `_` and the field's name.
/// `in "saker_poll", formerly "collect_poll"` renames a table: for one release its metrics are
/// shown and found by their former names, too.
/// `docs/metrics.md` is made from these tables by `cargo xtask docs`.
///
/// ```
/// rt::metrics! {
///     /// What the collectors count.
///     pub struct Metrics in "saker_collect" {
///         /// Checks finished, whatever their result.
///         pub checks_total: rt::metrics::Counter,
///         /// Checks that failed, by kind of check.
///         pub failures_total: rt::metrics::Family<rt::metrics::Counter> = "kind",
///     }
/// }
/// let registry = rt::metrics::Registry::new();
/// let metrics = Metrics::register(&registry);
/// metrics.checks_total.inc();
/// metrics.failures_total.of("agent").inc();
/// assert_eq!(registry.value("saker_collect_checks_total", None), Some(1.0));
/// assert_eq!(registry.value("saker_collect_failures_total", Some("agent")), Some(1.0));
/// ```
#[macro_export]
macro_rules! metrics {
    (
        $(#[doc = $table_doc:literal])*
        $vis:vis struct $table:ident in $prefix:literal { $($fields:tt)+ }
    ) => {
        $crate::metrics! {
            $(#[doc = $table_doc])*
            $vis struct $table in $prefix, formerly "" { $($fields)+ }
        }
    };
    (
        $(#[doc = $table_doc:literal])*
        $vis:vis struct $table:ident in $prefix:literal, formerly $former:literal {
            $( $(#[doc = $help:literal])+ $field_vis:vis $field:ident: $kind:ty $(= $label:literal)? ),+ $(,)?
        }
    ) => {
        $(#[doc = $table_doc])*
        #[derive(Clone, Debug)]
        $vis struct $table {
            $( $(#[doc = $help])+ $field_vis $field: $kind, )+
        }

        impl $table {
            /// Declares the table; a second registration gets the same metrics.
            #[must_use]
            $vis fn register(registry: &$crate::metrics::Registry) -> Self {
                Self {
                    $( $field: registry.declare::<$kind>($crate::metrics::Declaration {
                        name: concat!($prefix, "_", stringify!($field)),
                        former_name: concat!($former, "_", stringify!($field)),
                        help: concat!($($help),+),
                        label: [$($label,)? ""][0],
                    }), )+
                }
            }
        }
    };
}

#[cfg(test)]
mod tests;
