//! What users write: keys, macros, expressions, functions, intervals, periods, JSONPath, XPath,
//! JavaScript; the rules of what they configure: maintenances, services, tags, addresses; and the
//! formats of values: JSON, XML, CSV, Prometheus text, SNMP walks.
//!
//! Pure: no clock, no files, no sockets, no randomness; times, time zones and random numbers are
//! arguments. Texts come from users and devices: no text makes a parser panic, recurse without bound
//! or run longer than its length allows.
//!
//! Tables, one line a row: functions over values in `expression::calls`, history functions in
//! [`functions`], preprocessing steps in [`preprocess`], macro functions in [`macros`].

pub mod calendar;
pub mod csv;
mod error;
pub mod expression;
pub mod functions;
#[doc(hidden)]
pub mod fuzz;
pub mod global_regexp;
pub mod host_name;
pub mod http;
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
pub mod prometheus;
pub mod regexp;
pub mod script;
pub mod service;
pub mod snmp_walk;
pub mod tags;
pub mod text;
pub mod time_period;
pub mod value;
pub mod wildcard;
pub mod xml;

pub use error::ParseError;
