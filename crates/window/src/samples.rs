//! Values from a store.

use model::{Time, Value};

/// Values of one item, ascending by time.
#[derive(Clone, PartialEq, Debug)]
pub enum Samples {
    Float(Vec<(Time, f64)>),
    Unsigned(Vec<(Time, u64)>),
    /// Texts and log entries.
    Text(Vec<(Time, Value)>),
}

impl Samples {
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Float(it) => it.len(),
            Self::Unsigned(it) => it.len(),
            Self::Text(it) => it.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
