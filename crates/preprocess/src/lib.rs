//! Preprocessing steps: pure functions of a value and of the step's state from the value before.
//!
//! [`Step::compile`] reads the parameters (macros already replaced), [`run`] takes a value through
//! a list of steps with their error handlers. State is plain data that the caller keeps and
//! journals; an error anywhere clears the state of all steps, a discarded value that of the later
//! ones.
//!
//! Steps that run a script or go through a long text are *heavy* ([`Step::is_heavy`]):
//! [`run_light`] stops there, the caller has [`Step::apply_heavy`] done elsewhere and continues
//! with [`resume`].
//!
//! Dependents of one master get its unchanged value: [`ParsedForms`] keeps its parsed forms for all
//! of them.

mod aggregate;
mod change;
mod compile;
mod data;
mod dispatch;
mod documents;
mod error;
mod extract;
mod fields;
#[doc(hidden)]
pub mod fuzz;
mod heavy;
mod numbers;
mod run;
mod shared;
mod state;
pub mod test_request;
mod texts;
mod trail;

pub use compile::{OnFail, Step};
pub use data::{Data, FLOAT_MAX, convert};
pub use dispatch::{Dispatch, Dispatched, HostBy};
pub use error::{ConvertError, StepError};
pub use heavy::HeavyResult;
pub use run::{
    Context, Failure, Outcome, Progress, Trace, resume, run, run_light, run_traced,
    run_with_scripts,
};
pub use script::Secret;
pub use shared::ParsedForms;
pub use state::StepState;
pub use trail::Trail;
