//! The configuration: its objects, how a change of it is made, kept and handed out, and the ways into it and out
//! of it (imports, exports, low-level discovery).
//!
//! - [`objects`] describes the documents; [`editor`] makes one change; [`commit`] saves and publishes it;
//!   [`store`] is between the snapshot and the tables; [`seed`] is what a new installation has.
//! - [`import`], [`export`] and [`comparison`] speak Zabbix's file format; [`lld`] makes objects of what rules find.
//! - [`audit`] keeps who changed what.

pub mod audit;
pub(crate) mod commit;
pub(crate) mod comparison;
pub mod editor;
pub(crate) mod encryption;
pub(crate) mod export;
pub(crate) mod ids;
pub mod import;
pub mod lld;
pub mod objects;
pub(crate) mod seed;
pub(crate) mod store;
