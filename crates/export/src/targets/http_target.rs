//! Common parts of targets that deliver over HTTP: the client, the place in the journal, and counts
//! of delivered rows. A target's own part is its batch ([`HttpBatch`]).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::batch::STOPPING_TIME;
use super::{Delivered, ExportTarget};
use crate::http::{self, DeliveryClient, DeliveryRequest, DeliveryResponse};
use crate::ports::{ExportPlace, PlaceError, PlaceStore};
use crate::rows::{DeliveryError, ExportRow, RowOutcome, Wanted};

/// Rows of one target on their way: which rows are taken, and how they are written and sent.
pub trait HttpBatch: Send {
    /// See [`ExportTarget::begin`].
    fn begin(&mut self);
    /// See [`ExportTarget::wanted`].
    fn wanted(&self) -> Wanted;
    /// See [`ExportTarget::take`].
    fn take(&mut self, row: &ExportRow<'_>) -> RowOutcome;
    /// See [`ExportTarget::is_full`].
    fn is_full(&self) -> bool;
    /// See [`ExportTarget::is_empty`].
    fn is_empty(&self) -> bool;
    /// Sends all rows by `delivery`, which counts them.
    ///
    /// # Errors
    /// Rows that are not delivered stay, and are delivered by the next call.
    fn deliver(&mut self, delivery: &mut HttpDelivery, stopping: bool)
    -> Result<(), DeliveryError>;
    /// See [`ExportTarget::clear`].
    fn clear(&mut self);
}

/// The way to a receiver, and counts of delivered rows.
pub struct HttpDelivery {
    pub(super) client: Arc<dyn DeliveryClient>,
    /// Something was delivered since the place was saved.
    pub(super) is_unsaved: bool,
    pub(super) done: Delivered,
}

impl fmt::Debug for HttpDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpDelivery").field("done", &self.done).finish_non_exhaustive()
    }
}

/// A target that delivers batches over HTTP, and keeps its place in the database.
pub struct HttpTarget<B> {
    pub(super) batch: B,
    delivery: HttpDelivery,
    place: Box<dyn PlaceStore>,
}

impl<B: fmt::Debug> fmt::Debug for HttpTarget<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpTarget").field("batch", &self.batch).finish_non_exhaustive()
    }
}

impl<B> HttpTarget<B> {
    pub(super) fn of(
        batch: B,
        client: Arc<dyn DeliveryClient>,
        place: Box<dyn PlaceStore>,
    ) -> Self {
        let delivery = HttpDelivery { client, is_unsaved: false, done: Delivered::default() };
        Self { batch, delivery, place }
    }
}

impl<B: HttpBatch> ExportTarget for HttpTarget<B> {
    fn begin(&mut self) {
        self.batch.begin();
    }

    fn wanted(&self) -> Wanted {
        self.batch.wanted()
    }

    fn take(&mut self, row: &ExportRow<'_>) -> RowOutcome {
        self.batch.take(row)
    }

    fn is_full(&self) -> bool {
        self.batch.is_full()
    }

    fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    fn deliver(&mut self, stopping: bool) -> Result<(), DeliveryError> {
        self.batch.deliver(&mut self.delivery, stopping)
    }

    fn count(&mut self) -> Delivered {
        std::mem::take(&mut self.delivery.done)
    }

    fn clear(&mut self) {
        self.batch.clear();
    }

    fn is_unsaved(&self) -> bool {
        self.delivery.is_unsaved
    }

    fn load_place(&mut self) -> Result<Option<ExportPlace>, PlaceError> {
        self.place.load()
    }

    fn save_place(&mut self, place: ExportPlace) -> Result<(), PlaceError> {
        self.place.save(place)?;
        self.delivery.is_unsaved = false;
        Ok(())
    }

    fn forget_place(&mut self) -> Result<(), PlaceError> {
        self.place.forget()
    }
}

/// A receiver of the settings file: user and password are all that it may ask for.
#[derive(Debug)]
pub(super) struct ConfiguredReceiver<'a> {
    pub(super) user: &'a str,
    pub(super) password: &'a str,
    pub(super) time: Duration,
    pub(super) tls_verify: bool,
}

impl ConfiguredReceiver<'_> {
    /// Fixed headers, and the authentication.
    pub(super) fn headers(&self, fixed: &[(&str, &str)]) -> Vec<(String, String)> {
        let mut headers: Vec<(String, String)> =
            fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        if !self.user.is_empty() {
            let value = http::basic(self.user, self.password);
            headers.push(("Authorization".to_owned(), value));
        }
        headers
    }

    /// Makes one exchange; while the server stops, a short one.
    ///
    /// # Errors
    /// There was no answer.
    pub(super) fn exchange(
        &self,
        delivery: &HttpDelivery,
        part: &ReceiverRequest<'_>,
        stopping: bool,
    ) -> Result<DeliveryResponse, DeliveryError> {
        let request = DeliveryRequest {
            method: part.method,
            url: part.url,
            headers: &self.headers(part.headers),
            body: part.body,
            proxy: "",
            tls_verify: self.tls_verify.into(),
            certificate: None,
            login: None,
            time: if stopping { self.time.min(STOPPING_TIME) } else { self.time },
            answer_bytes_max: http::ANSWER_BYTES_MAX,
        };
        delivery.client.exchange(&request).map_err(DeliveryError)
    }
}

/// The parts that differ between requests to one [`ConfiguredReceiver`].
#[derive(Debug)]
pub(super) struct ReceiverRequest<'a> {
    pub(super) method: &'static str,
    pub(super) url: &'a str,
    /// Without the authentication.
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) body: &'a [u8],
}
