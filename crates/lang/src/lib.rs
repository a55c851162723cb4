//! Texts that users write: keys, macros, expressions, functions, intervals, periods; the rules of their
//! configuration: discovery, maintenances, services, on call, tags, addresses; and values as the pages show
//! them.
//!
//! Pure: no clock, no files, no sockets, no randomness; times, time zones and random numbers are
//! arguments. Texts come from users and devices: no text makes a parser panic, recurse without bound
//! or run longer than its length allows.
//!
//! Tables, one line a row: functions over values in `expression::calls`, history functions in
//! [`functions`], macro functions in [`macros`].

pub mod backtest;
pub mod calendar;
pub mod email;
mod error;
pub mod expression;
pub mod functions;
#[doc(hidden)]
pub mod fuzz;
pub mod global_regexp;
pub mod host_name;
pub mod interval;
pub mod key;
pub mod link;
pub mod lld;
pub mod macros;
pub mod maintenance;
pub mod net;
pub mod oncall;
pub mod service;
pub mod sla;
pub mod tags;
pub mod text;
pub mod time_period;
pub mod value;

pub use error::ParseError;
