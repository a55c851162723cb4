//! A metric with one label.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::{Declaration, Metric, MetricSample};

/// Most values of one label that have a counter of their own. All further values share the value
/// `other`, so that a mistake in a label cannot fill the memory. 256 is the number of partitions.
pub const LABEL_VALUES_MAX: usize = 256;

const OTHER: &str = "other";

/// One metric for each value of a label. Take the handle of a value once and keep it: finding it
/// takes a lock, using it does not.
#[derive(Clone, Debug)]
pub struct Family<M> {
    declaration: Declaration,
    members: Arc<RwLock<BTreeMap<String, M>>>,
}

impl<M: Metric> Family<M> {
    /// The metric of this label value, made on first use.
    #[must_use]
    pub fn of(&self, label_value: &str) -> M {
        {
            let members = self.members.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(member) = members.get(label_value) {
                return member.clone();
            }
        }
        let mut members = self.members.write().unwrap_or_else(PoisonError::into_inner);
        let value = if members.len() < LABEL_VALUES_MAX { label_value } else { OTHER };
        members.entry(value.to_owned()).or_insert_with(|| M::create(&self.declaration)).clone()
    }
}

impl<M> Family<M> {
    /// Removes a label value whose object is deleted. Handles that were taken before count for
    /// nobody.
    pub fn remove(&self, label_value: &str) {
        self.members.write().unwrap_or_else(PoisonError::into_inner).remove(label_value);
    }

    /// The label values that there are, ascending.
    #[must_use]
    pub fn label_values(&self) -> Vec<String> {
        self.members.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

impl<M: Metric> Metric for Family<M> {
    const KIND: &'static str = M::KIND;

    fn create(declaration: &Declaration) -> Self {
        assert!(!declaration.label.is_empty(), "{}: a family needs a label", declaration.name);
        Self { declaration: *declaration, members: Arc::default() }
    }

    fn render(&self, sample: MetricSample<'_>, out: &mut String) {
        let members = self.members.read().unwrap_or_else(PoisonError::into_inner);
        for (value, member) in members.iter() {
            let label = Some((self.declaration.label, value.as_str()));
            member.render(MetricSample { label, ..sample }, out);
        }
    }

    /// With no label value: the sum over all.
    fn value(&self, label_value: Option<&str>) -> Option<f64> {
        let members = self.members.read().unwrap_or_else(PoisonError::into_inner);
        match label_value {
            Some(value) => members.get(value)?.value(None),
            None => Some(members.values().filter_map(|it| it.value(None)).sum()),
        }
    }
}
