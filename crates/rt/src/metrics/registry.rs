//! All metrics of one process (or of one server in a test).

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Metric, MetricSample};

/// The description of one metric in a table.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    pub name: &'static str,
    /// The name before it was renamed; empty or beginning with `_` if it never was.
    pub former_name: &'static str,
    /// One or two sentences for the operator.
    pub help: &'static str,
    /// Name of the label; empty for none.
    pub label: &'static str,
}

impl Declaration {
    fn former_name(&self) -> Option<&'static str> {
        let is_renamed = !self.former_name.is_empty() && !self.former_name.starts_with('_');
        is_renamed.then_some(self.former_name)
    }
}

trait AnyMetric: Any + Send + Sync {
    fn kind(&self) -> &'static str;
    fn render(&self, sample: MetricSample<'_>, out: &mut String);
    fn value(&self, label_value: Option<&str>) -> Option<f64>;
    fn as_any(&self) -> &dyn Any;
}

impl<M: Metric> AnyMetric for M {
    fn kind(&self) -> &'static str {
        M::KIND
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        Metric::render(self, sample, out);
    }

    fn value(&self, label_value: Option<&str>) -> Option<f64> {
        Metric::value(self, label_value)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct DeclaredMetric {
    declaration: Declaration,
    metric: Box<dyn AnyMetric>,
}

/// Sets gauges that are only worth knowing when somebody looks; `false` when its subject is gone.
type Probe = Arc<dyn Fn() -> bool + Send + Sync>;

#[derive(Default)]
struct Entries {
    by_name: BTreeMap<&'static str, DeclaredMetric>,
    /// The name of today for each former one.
    renamed: BTreeMap<&'static str, &'static str>,
}

impl Entries {
    /// By its name or its former one.
    fn get(&self, name: &str) -> Option<&DeclaredMetric> {
        let by_former_name = || self.by_name.get(self.renamed.get(name)?);
        self.by_name.get(name).or_else(by_former_name)
    }
}

#[derive(Default)]
struct DeclaredMetrics {
    entries: Mutex<Entries>,
    /// Never called with `entries` locked: probes may declare and use metrics.
    probes: Mutex<Vec<Probe>>,
}

/// The set of declared metrics; a clone is the same set.
#[derive(Clone, Default)]
pub struct Registry(Arc<DeclaredMetrics>);

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_tuple("Registry").field(&entries.by_name.keys()).finish()
    }
}

impl Registry {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a metric, or finds the one that was declared by the same name before.
    ///
    /// # Panics
    /// When the name was declared with another type.
    #[must_use]
    pub fn declare<M: Metric>(&self, declaration: Declaration) -> M {
        let mut entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(former) = declaration.former_name() {
            entries.renamed.insert(former, declaration.name);
        }
        let entry = entries.by_name.entry(declaration.name).or_insert_with(|| DeclaredMetric {
            declaration,
            metric: Box::new(M::create(&declaration)),
        });
        let metric = entry.metric.as_any().downcast_ref::<M>();
        metric.unwrap_or_else(|| panic!("{} is declared with two types", declaration.name)).clone()
    }

    /// Calls `probe` before every reading of metrics, until it answers `false`.
    pub fn add_probe(&self, probe: impl Fn() -> bool + Send + Sync + 'static) {
        let mut probes = self.0.probes.lock().unwrap_or_else(PoisonError::into_inner);
        probes.push(Arc::new(probe));
    }

    fn run_probes(&self) {
        let probes = self.0.probes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let gone: Vec<Probe> = probes.into_iter().filter(|probe| !probe()).collect();
        if !gone.is_empty() {
            let mut probes = self.0.probes.lock().unwrap_or_else(PoisonError::into_inner);
            probes.retain(|it| !gone.iter().any(|gone| Arc::ptr_eq(it, gone)));
        }
    }

    /// Everything in Prometheus's text format (version 0.0.4), sorted by name; renamed metrics
    /// again by their former names at the end.
    #[must_use]
    pub fn render(&self) -> String {
        self.run_probes();
        let entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = String::with_capacity(entries.by_name.len() * 160);
        let mut show = |name: &str, help: &str, entry: &DeclaredMetric| {
            out.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {}\n", entry.metric.kind()));
            entry.metric.render(MetricSample { name, label: None }, &mut out);
        };
        for (name, entry) in &entries.by_name {
            let help = entry.declaration.help.trim().replace('\\', "\\\\").replace('\n', " ");
            show(name, &help, entry);
        }
        for (former, name) in &entries.renamed {
            if let Some(entry) = entries.by_name.get(name) {
                show(former, &format!("Former name of {name}, until the next release."), entry);
            }
        }
        out
    }

    /// The present value of one metric, for internal items: of a histogram the number of
    /// observations, of a family without label value the sum. `None` when there is none.
    #[must_use]
    pub fn value(&self, name: &str, label_value: Option<&str>) -> Option<f64> {
        self.run_probes();
        let entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(name)?.metric.value(label_value)
    }

    /// The handle of a declared metric, to read it without a look-up each time.
    #[must_use]
    pub fn find<M: Metric>(&self, name: &str) -> Option<M> {
        let entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(name)?.metric.as_any().downcast_ref::<M>().cloned()
    }

    /// All declarations, sorted by name.
    #[must_use]
    pub fn declarations(&self) -> Vec<Declaration> {
        let entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.by_name.values().map(|it| it.declaration).collect()
    }
}
