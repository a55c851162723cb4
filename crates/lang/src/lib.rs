//! What users write: keys, macros, expressions, functions, intervals, periods, JSONPath, JavaScript; and
//! the rules of what they configure: maintenances, services, tags, addresses.
//!
//! Pure: no clock, no files, no sockets, no randomness; times, time zones and random numbers are
//! arguments. Texts come from users and devices: no text makes a parser panic, recurse without bound
//! or run longer than its length allows.
//!
//! Tables, one line a row: functions over values in `expression::calls`, history functions in
//! [`functions`], preprocessing steps in [`preprocess`], macro functions in [`macros`].

pub mod calendar;
mod error;
pub mod expression;
pub mod functions;
#[doc(hidden)]
pub mod fuzz;
pub mod host_name;
pub mod interval;
pub mod json;
pub mod jsonpath;
pub mod key;
pub mod lld;
pub mod macros;
pub mod maintenance;
pub mod net;
pub mod number;
pub mod preprocess;
pub mod regexp;
pub mod script;
pub mod service;
pub mod tags;
pub mod text;
pub mod time_period;
pub mod value;
pub mod wildcard;

pub use error::ParseError;
