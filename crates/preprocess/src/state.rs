//! The state of steps.

use model::Time;
use serde::{Deserialize, Serialize};

use super::data::Data;

/// The state of a step: the value that it last took, and its time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepState(Option<Box<(Data<'static>, Time)>>);

impl StepState {
    /// Restores a saved state.
    #[must_use]
    pub fn new(value: Data<'static>, time: Time) -> Self {
        Self(Some(Box::new((value, time))))
    }

    /// The last value.
    #[must_use]
    pub fn last(&self) -> Option<&(Data<'static>, Time)> {
        self.0.as_deref()
    }

    /// Forgets.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    pub(super) fn replace(
        &mut self,
        value: Data<'static>,
        time: Time,
    ) -> Option<(Data<'static>, Time)> {
        if let Some(known) = self.0.as_deref_mut() {
            return Some(std::mem::replace(known, (value, time)));
        }
        self.0 = Some(Box::new((value, time)));
        None
    }
}
