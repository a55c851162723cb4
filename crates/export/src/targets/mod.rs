//! Where rows go.

mod batch;
mod connector;
mod elasticsearch;
mod files;
mod http_target;
mod remote_write;

pub use connector::{
    Auth, ConnectorBatch, ConnectorDataType, ConnectorSettings, ConnectorTarget, CurrentSettings,
};
pub use elasticsearch::{BulkBatch, Elasticsearch, ElasticsearchSettings};
pub use files::{Files, FilesSettings};
pub use http_target::{HttpBatch, HttpDelivery, HttpTarget};
pub use remote_write::{RemoteWrite, RemoteWriteSettings, SampleBatch};

use crate::ports::{ExportPlace, PlaceError};
use crate::rows::{DeliveryError, ExportRow, RowOutcome, Wanted};

/// Counts of delivered rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Delivered {
    pub rows: u64,
    pub bytes: u64,
    /// Rows that the receiver will never take.
    pub refused: u64,
}

impl Delivered {
    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.refused += other.refused;
    }
}

/// Takes rows into a batch in memory, and delivers it.
pub trait ExportTarget: Send {
    /// A batch begins: settings and configuration are those of this moment.
    fn begin(&mut self);
    fn wanted(&self) -> Wanted;
    fn take(&mut self, row: &ExportRow<'_>) -> RowOutcome;
    /// No more is to be taken before this is delivered.
    fn is_full(&self) -> bool;
    fn is_empty(&self) -> bool;
    /// Delivers all taken rows.
    ///
    /// # Errors
    /// Undelivered rows stay, and are delivered by the next call.
    fn deliver(&mut self, stopping: bool) -> Result<(), DeliveryError>;
    /// Rows delivered since the last call, also by deliveries that failed.
    fn count(&mut self) -> Delivered;
    /// Drops the taken rows.
    fn clear(&mut self);
    /// Something was delivered since the place was saved.
    fn is_unsaved(&self) -> bool;
    /// So much that the place is to be saved now.
    fn save_is_due(&self) -> bool {
        false
    }
    /// # Errors
    /// Asked again later.
    fn load_place(&mut self) -> Result<Option<ExportPlace>, PlaceError>;
    /// # Errors
    /// Tried again later.
    fn save_place(&mut self, place: ExportPlace) -> Result<(), PlaceError>;
    /// # Errors
    /// Then it stays, which does no harm.
    fn forget_place(&mut self) -> Result<(), PlaceError>;
}

#[cfg(test)]
mod tests;
