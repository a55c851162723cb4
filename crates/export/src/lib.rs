//! Data for other systems in real time: values, trends and problems, from the journal to files and
//! over HTTP.
//!
//! A [`ExportTarget`] takes rows of records, writes them in a [format](formats) and delivers them:
//! [files](targets::Files), a [connector](targets::Connector),
//! [Elasticsearch](targets::Elasticsearch), or a receiver of Prometheus's [remote
//! write](targets::RemoteWrite). Each has a [`ExportFeed`] with a place of its own in the journal. The
//! journal is the queue: a feed reads one batch, and reads no further before it is delivered. So an
//! unavailable target delays neither the others nor the server, and memory is bounded by a batch a
//! target.
//!
//! - Only synced records are delivered, in the order of the journal: data that a power failure could
//!   take back is never delivered.
//! - The saved place follows delivery, at most about a second later: after a crash, records delivered
//!   since then are sent again (files detect those that they have).
//! - A target that lags more than [`LagLimits`] allow skips the oldest data, and reports that.
//!
//! Each is a worker with a thread of its own; [`runner`] starts them. Not here: the settings, HTTP itself ([`DeliveryClient`]), and where places are kept
//! ([`ExportPlaces`]): the app has them.

mod connector_document;
mod feed;
pub mod formats;
mod http;
mod labels;
mod macros;
mod ports;
mod registry;
mod rows;
pub mod runner;
mod target_worker;
pub mod targets;
#[cfg(test)]
mod testing;

pub use feed::{ExportFeed, ExportTurn, FeedParts};
pub use http::{
    ClientCertificate, DeliveryClient, DeliveryRequest, DeliveryResponse, ReceiverLogin, TlsVerify,
};
pub use labels::LabelCache;
pub use macros::shown as shown_name;
pub use ports::{ExportConfiguration, ExportPlace, ExportPlaces, PlaceError, PlaceStore};
pub use registry::{Exports, LagLimits, WhenBehind};
pub use rows::{
    DeliveryError, ExportRow, ExportValue, ExportedEvent, RowKind, RowOutcome, Wanted, each_row,
};
pub use targets::ExportTarget;
