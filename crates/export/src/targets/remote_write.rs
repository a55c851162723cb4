//! Prometheus, and other receivers of its remote write.
//!
//! A receiver takes samples of a series in order of time only. It refuses a late sample with the
//! whole request, so a refused request is halved until the refused samples are alone.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use model::ItemId;
use model::map::Map;
use tracing::warn;

use super::Delivered;
use super::http_target::{
    ConfiguredReceiver, HttpBatch, HttpDelivery, HttpTarget, ReceiverRequest,
};
use crate::formats::remote_write::{self, STALE, SeriesSample};
use crate::http::{DeliveryClient, Outcome};
use crate::labels::{LabelCache, LabelLookup};
use crate::ports::{ExportConfiguration, PlaceStore};
use crate::rows::{DeliveryError, ExportRow, ExportValue, RowOutcome, Wanted};

/// Of a batch; receivers like requests of some thousands.
const SAMPLES_MAX: usize = 10_000;

#[derive(Clone)]
pub struct RemoteWriteSettings {
    /// Whole: `http://127.0.0.1:9090/api/v1/write`.
    pub url: String,
    /// Empty: none.
    pub user: String,
    pub password: String,
    /// Prefix of the names of metrics.
    pub prefix: String,
    pub time: Duration,
    pub tls_verify: bool,
}

impl std::fmt::Debug for RemoteWriteSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteWriteSettings").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Series {
    labels: Vec<u8>,
    samples: Vec<SeriesSample>,
}

/// Of all requests.
const HEADERS: [(&str, &str); 3] = [
    ("Content-Type", "application/x-protobuf"),
    ("Content-Encoding", "snappy"),
    ("X-Prometheus-Remote-Write-Version", "0.1.0"),
];

/// The target of Prometheus and other receivers of its remote write.
pub type RemoteWrite = HttpTarget<SampleBatch>;

/// Samples by series.
pub struct SampleBatch {
    settings: RemoteWriteSettings,
    labels: LabelCache,
    /// Of the batch, by arrival.
    series: VecDeque<Series>,
    index: Map<ItemId, usize>,
    n_samples: usize,
}

impl std::fmt::Debug for SampleBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleBatch").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl RemoteWrite {
    #[must_use]
    pub fn new(
        settings: RemoteWriteSettings,
        configuration: Arc<dyn ExportConfiguration>,
        http: Arc<dyn DeliveryClient>,
        place: Box<dyn PlaceStore>,
    ) -> Self {
        let batch = SampleBatch {
            settings,
            labels: LabelCache::new(configuration),
            series: VecDeque::new(),
            index: Map::default(),
            n_samples: 0,
        };
        Self::of(batch, http, place)
    }
}

impl SampleBatch {
    fn add(&mut self, item: ItemId, sample: SeriesSample) -> RowOutcome {
        let at = match self.index.get(&item) {
            Some(at) => *at,
            None => {
                let prefix = &self.settings.prefix;
                let labels = match self.labels.of(item, |of| Some(remote_write::label(prefix, of)))
                {
                    LabelLookup::Label(it) => it.to_vec(),
                    LabelLookup::NotWanted => return RowOutcome::NotWanted,
                    LabelLookup::Deleted => return RowOutcome::Deleted,
                };
                self.series.push_back(Series { labels, samples: Vec::with_capacity(1) });
                self.index.insert(item, self.series.len() - 1);
                self.series.len() - 1
            }
        };
        if let Some(series) = self.series.get_mut(at) {
            series.samples.push(sample);
            self.n_samples += 1;
        }
        RowOutcome::Yes
    }

    /// Sends the first `n` series.
    fn send(
        &self,
        delivery: &HttpDelivery,
        n: usize,
        stopping: bool,
    ) -> Result<SentSeries, DeliveryError> {
        let mut plain = Vec::with_capacity(n * 200);
        let series = self.series.iter().take(n);
        series.for_each(|it| remote_write::put_series(&mut plain, &it.labels, &it.samples));
        let body =
            remote_write::compress(&plain).map_err(|error| DeliveryError(error.to_string()))?;
        let RemoteWriteSettings { url, user, password, time, tls_verify, .. } = &self.settings;
        let receiver = ConfiguredReceiver { user, password, time: *time, tls_verify: *tls_verify };
        let request = ReceiverRequest { method: "POST", url, headers: &HEADERS, body: &body };
        let answer = receiver.exchange(delivery, &request, stopping)?;
        let bytes = body.len() as u64;
        Ok(SentSeries { outcome: answer.outcome(), why: answer.describe(), bytes })
    }
}

/// A request that was answered.
struct SentSeries {
    outcome: Outcome,
    /// The answer, for messages.
    why: String,
    bytes: u64,
}

impl HttpBatch for SampleBatch {
    fn begin(&mut self) {
        self.labels.refresh();
        self.clear();
    }

    fn wanted(&self) -> Wanted {
        Wanted { values: true, states: true, ..Wanted::default() }
    }

    fn take(&mut self, row: &ExportRow<'_>) -> RowOutcome {
        match row {
            ExportRow::Value { item, time, value, .. } => {
                let value = match value {
                    ExportValue::Float(it) => *it,
                    #[expect(
                        clippy::cast_precision_loss,
                        reason = "Prometheus has no other numbers"
                    )]
                    ExportValue::Unsigned(it) => *it as f64,
                    ExportValue::Text { .. } => return RowOutcome::NotWanted,
                };
                self.add(*item, SeriesSample { ms: time.millis(), value })
            }
            // A series without further values ends at once, not after the receiver's waiting
            // period.
            ExportRow::State { item, time, is_unsupported: true } => {
                let is_number = self
                    .labels
                    .snapshot()
                    .item(*item)
                    .is_some_and(|(_, row)| row.content.value_type.is_numeric());
                if !is_number {
                    return RowOutcome::NotWanted;
                }
                self.add(*item, SeriesSample { ms: time.millis(), value: f64::from_bits(STALE) })
            }
            ExportRow::State { .. } | ExportRow::Trend { .. } | ExportRow::Event(_) => {
                RowOutcome::NotWanted
            }
        }
    }

    fn is_full(&self) -> bool {
        SAMPLES_MAX <= self.n_samples
    }

    fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    fn deliver(
        &mut self,
        delivery: &mut HttpDelivery,
        stopping: bool,
    ) -> Result<(), DeliveryError> {
        self.index.clear();
        for series in &mut self.series {
            // The order of the journal is that of arrival.
            series.samples.sort_by_key(|it| it.ms);
            // One time has one value: the last that came.
            series.samples.reverse();
            series.samples.dedup_by_key(|it| it.ms);
            series.samples.reverse();
        }
        // How many of the first series go at once.
        let mut n_max = usize::MAX;
        while !self.series.is_empty() {
            let n = self.series.len().min(n_max);
            let part = self.series.make_contiguous().get(..n).unwrap_or_default();
            let n_samples: u64 = part.iter().map(|it| it.samples.len() as u64).sum();
            let SentSeries { outcome, why, bytes } = self.send(delivery, n, stopping)?;
            match outcome {
                Outcome::Later => return Err(DeliveryError(why)),
                Outcome::Delivered => {
                    delivery.done.add(Delivered { rows: n_samples, bytes, refused: 0 });
                    n_max = n_max.saturating_mul(2);
                }
                // Until each refused sample stands alone, however many requests that takes: behind a crash the
                // first of a batch are there already, and the others must not go with them.
                Outcome::Refused | Outcome::TooLarge if 1 < n => {
                    n_max = n / 2;
                    continue;
                }
                Outcome::Refused | Outcome::TooLarge if 1 < n_samples => {
                    // One series: its samples one by one, oldest first.
                    self.split_first();
                    n_max = 1;
                    continue;
                }
                Outcome::Refused | Outcome::TooLarge => {
                    warn!(why, n = n_samples, "samples are refused; they are dropped");
                    delivery.done.refused += n_samples;
                }
            }
            delivery.is_unsaved = true;
            self.series.drain(..n);
        }
        self.clear();
        Ok(())
    }

    fn clear(&mut self) {
        self.series.clear();
        self.index.clear();
        self.n_samples = 0;
    }
}

impl SampleBatch {
    /// The first series as one of each sample.
    fn split_first(&mut self) {
        let Some(Series { labels, samples }) = self.series.pop_front() else { return };
        // The oldest is to be the first again.
        for sample in samples.into_iter().rev() {
            self.series.push_front(Series { labels: labels.clone(), samples: vec![sample] });
        }
    }
}
