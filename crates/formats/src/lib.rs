//! How numbers, texts and documents are written: numbers with their suffixes, regular expressions,
//! JSON and JSONPath, XML and XPath, CSV, Prometheus text, SNMP walks.
//!
//! Pure, as [`model`] is; knows nothing of items, steps or macros. Texts come from users and devices:
//! no text makes a parser panic, recurse without bound or run longer than its length allows.

pub mod csv;
pub mod document;
#[doc(hidden)]
pub mod fuzz;
pub mod json;
pub mod jsonpath;
pub mod number;
pub mod prometheus;
pub mod regexp;
pub mod snmp_walk;
pub mod wildcard;
pub mod xml;
