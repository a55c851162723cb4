//! Elasticsearch and OpenSearch, by bulk requests.
//!
//! A response has an outcome for each document: documents that were refused for their contents are
//! dropped, those for which there was no room are sent again. Ids are made of places in the
//! journal, so a document that is sent again replaces itself.

use std::sync::Arc;
use std::time::Duration;

use model::record::TrendRow;
use serde::Deserialize;
use tracing::warn;

use super::batch::{BATCH_BYTES, BATCH_ROWS, Lines};
use super::http_target::{
    ConfiguredReceiver, HttpBatch, HttpDelivery, HttpTarget, ReceiverRequest,
};
use crate::formats::bulk;
use crate::http::{DeliveryClient, DeliveryResponse, Outcome};
use crate::labels::{LabelCache, LabelLookup};
use crate::ports::{ExportConfiguration, PlaceStore};
use crate::rows::{DeliveryError, ExportRow, ExportedEvent, RowOutcome, Wanted};

#[derive(Clone)]
pub struct ElasticsearchSettings {
    /// Without `/_bulk`.
    pub url: String,
    /// Empty: none.
    pub user: String,
    pub password: String,
    /// Prefix of the names of indices: `PREFIX-history-2026.11.23`.
    pub index: String,
    pub wanted: Wanted,
    pub time: Duration,
    pub tls_verify: bool,
}

impl std::fmt::Debug for ElasticsearchSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ElasticsearchSettings").field("url", &self.url).finish_non_exhaustive()
    }
}

/// The target of Elasticsearch and OpenSearch.
pub type Elasticsearch = HttpTarget<BulkBatch>;

/// Documents for bulk requests.
pub struct BulkBatch {
    settings: ElasticsearchSettings,
    /// Part of all ids: another journal has the same places.
    journal: u32,
    labels: LabelCache,
    /// Each is an action and its document.
    rows: Lines,
    has_template: bool,
}

impl std::fmt::Debug for BulkBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BulkBatch").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A request below the URL of the settings.
struct BulkDocument<'a> {
    method: &'static str,
    path: &'a str,
    content_type: &'a str,
    body: &'a [u8],
}

/// The outcome of each document in a response.
#[derive(Deserialize)]
struct BulkAnswer {
    errors: bool,
    #[serde(default)]
    items: Vec<BulkItem>,
}

#[derive(Deserialize)]
struct BulkItem {
    index: BulkStatus,
}

#[derive(Deserialize)]
struct BulkStatus {
    status: u16,
    #[serde(default)]
    error: Option<serde_json::Value>,
}

impl Elasticsearch {
    #[must_use]
    pub fn new(
        settings: ElasticsearchSettings,
        journal: u32,
        configuration: Arc<dyn ExportConfiguration>,
        http: Arc<dyn DeliveryClient>,
        place: Box<dyn PlaceStore>,
    ) -> Self {
        let batch = BulkBatch {
            settings,
            journal,
            labels: LabelCache::new(configuration),
            rows: Lines::default(),
            has_template: false,
        };
        Self::of(batch, http, place)
    }
}

impl BulkBatch {
    fn exchange(
        &self,
        delivery: &HttpDelivery,
        document: &BulkDocument<'_>,
        stopping: bool,
    ) -> Result<DeliveryResponse, DeliveryError> {
        let ElasticsearchSettings { url, user, password, time, tls_verify, .. } = &self.settings;
        let url = format!("{}{}", url.trim_end_matches('/'), document.path);
        let receiver = ConfiguredReceiver { user, password, time: *time, tls_verify: *tls_verify };
        let request = ReceiverRequest {
            method: document.method,
            url: &url,
            headers: &[("Content-Type", document.content_type)],
            body: document.body,
        };
        receiver.exchange(delivery, &request, stopping)
    }

    /// Sets the types of the fields before the first document makes Elasticsearch guess: a field
    /// that began as a whole number would cut all later ones.
    fn put_template(
        &mut self,
        delivery: &HttpDelivery,
        stopping: bool,
    ) -> Result<(), DeliveryError> {
        if self.has_template {
            return Ok(());
        }
        let keyword = serde_json::json!({"type": "keyword", "ignore_above": 1024});
        let pair = serde_json::json!({"properties": {"tag": keyword, "value": keyword}});
        let named = serde_json::json!({"properties": {"host": keyword, "name": keyword}});
        let template = serde_json::json!({
            "index_patterns": [format!("{}-*", self.settings.index)],
            "template": {"mappings": {"properties": {
                "@timestamp": {"type": "date_nanos"},
                "itemid": {"type": "long"}, "eventid": {"type": "long"},
                "p_eventid": {"type": "long"}, "triggerid": {"type": "long"},
                "value": {"type": "double"}, "min": {"type": "double"}, "avg": {"type": "double"},
                "max": {"type": "double"}, "count": {"type": "long"}, "text": {"type": "text"},
                "host": named, "hosts": named, "key": keyword, "name": keyword, "groups": keyword,
                "item_tags": pair, "tags": pair, "type": {"type": "byte"}, "severity": {"type": "integer"},
                "timestamp": {"type": "long"}, "source": keyword, "logeventid": {"type": "long"},
            }}},
        });
        let path = format!("/_index_template/{}", self.settings.index);
        let body = template.to_string();
        let document = BulkDocument {
            method: "PUT",
            path: &path,
            content_type: "application/json",
            body: body.as_bytes(),
        };
        let answer = self.exchange(delivery, &document, stopping)?;
        if answer.outcome() != Outcome::Delivered {
            return Err(DeliveryError(format!("the index template: {}", answer.describe())));
        }
        self.has_template = true;
        Ok(())
    }

    fn index(&self, what: &str) -> String {
        format!("{}-{what}", self.settings.index)
    }

    fn take_trend(&mut self, row: &TrendRow, seq: u64) -> RowOutcome {
        let index = self.index("trends");
        let label = match self.labels.of(row.item, |of| Some(bulk::label(of))) {
            LabelLookup::Label(it) => it,
            LabelLookup::NotWanted => return RowOutcome::NotWanted,
            LabelLookup::Deleted => return RowOutcome::Deleted,
        };
        let (out, journal) = (&mut self.rows.bytes, self.journal);
        bulk::put_action(out, &index, format_args!("{journal:x}-t{seq:x}"), row.hour.start());
        bulk::put_trend(out, label, row);
        self.rows.end_line();
        RowOutcome::Yes
    }

    fn take_event(&mut self, event: &ExportedEvent<'_>) -> RowOutcome {
        let index = self.index("problems");
        let (journal, id) = (self.journal, event.id.0);
        let snapshot = Arc::clone(self.labels.snapshot());
        let recovered: Vec<_> = match (event.is_problem, &*event.recovers) {
            (true, _) => vec![None],
            (false, ended) => ended.iter().map(|it| Some(*it)).collect(),
        };
        for problem in recovered {
            let before = self.rows.bytes.len();
            let out = &mut self.rows.bytes;
            let of = problem.map_or(0, |it| it.0);
            bulk::put_action(out, &index, format_args!("{journal:x}-e{id}-{of}"), event.time);
            if !bulk::put_event(out, &snapshot, event, problem) {
                self.rows.bytes.truncate(before);
                return RowOutcome::Deleted;
            }
            self.rows.end_line();
        }
        RowOutcome::Yes
    }

    /// Keeps the documents to send again; returns their number, and the number of those that were
    /// refused.
    fn sort_out(&mut self, answer: &BulkAnswer, n: usize) -> (usize, u64, Option<String>) {
        let mut again = Lines::default();
        let (mut n_refused, mut why) = (0, None);
        for (at, item) in answer.items.iter().enumerate() {
            match item.index.status {
                200..=299 => continue,
                429 | 500.. => {
                    again.bytes.extend_from_slice(self.rows.line(at));
                    again.end_line();
                }
                _ => n_refused += 1,
            }
            let reason = item.index.error.as_ref().and_then(|it| it.get("reason")?.as_str());
            let reason = reason.unwrap_or("no reason given");
            let reason: String = reason.chars().take(200).collect();
            why.get_or_insert_with(|| format!("{} {reason}", item.index.status));
        }
        let n_again = again.len();
        for at in n..self.rows.len() {
            again.bytes.extend_from_slice(self.rows.line(at));
            again.end_line();
        }
        self.rows = again;
        (n_again, n_refused, why)
    }
}

impl HttpBatch for BulkBatch {
    fn begin(&mut self) {
        self.labels.refresh();
        self.clear();
    }

    fn wanted(&self) -> Wanted {
        self.settings.wanted
    }

    fn take(&mut self, row: &ExportRow<'_>) -> RowOutcome {
        match row {
            ExportRow::Value { item, time, seq, value } => {
                let index = self.index("history");
                let label = match self.labels.of(*item, |of| Some(bulk::label(of))) {
                    LabelLookup::Label(it) => it,
                    LabelLookup::NotWanted => return RowOutcome::NotWanted,
                    LabelLookup::Deleted => return RowOutcome::Deleted,
                };
                let (out, journal) = (&mut self.rows.bytes, self.journal);
                bulk::put_action(out, &index, format_args!("{journal:x}-v{seq:x}"), *time);
                bulk::put_value(out, label, value);
                self.rows.end_line();
                RowOutcome::Yes
            }
            ExportRow::Trend { row, seq } => self.take_trend(row, *seq),
            ExportRow::Event(event) => self.take_event(event),
            ExportRow::State { .. } => RowOutcome::NotWanted,
        }
    }

    fn is_full(&self) -> bool {
        BATCH_BYTES <= self.rows.bytes.len() || BATCH_ROWS <= self.rows.len()
    }

    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn deliver(
        &mut self,
        delivery: &mut HttpDelivery,
        stopping: bool,
    ) -> Result<(), DeliveryError> {
        self.put_template(delivery, stopping)?;
        let mut n_max = usize::MAX;
        while !self.rows.is_empty() {
            let n = self.rows.len().min(n_max);
            let body = self.rows.first(n);
            let bytes = body.len() as u64;
            let document = BulkDocument {
                method: "POST",
                path: "/_bulk",
                content_type: "application/x-ndjson",
                body,
            };
            let answer = self.exchange(delivery, &document, stopping)?;
            match answer.outcome() {
                Outcome::Delivered => {}
                Outcome::Later => return Err(DeliveryError(answer.describe())),
                Outcome::TooLarge if 1 < n => {
                    n_max = n / 2;
                    continue;
                }
                Outcome::TooLarge | Outcome::Refused => {
                    warn!(
                        why = answer.describe(),
                        "a bulk request is refused; its documents are dropped"
                    );
                    delivery.done.refused += n as u64;
                    self.rows.done(n);
                    continue;
                }
            }
            let answer_body: BulkAnswer =
                serde_json::from_slice(&answer.body).map_err(|error| {
                    DeliveryError(format!("an answer that is not one of bulk requests: {error}"))
                })?;
            delivery.is_unsaved = true;
            delivery.done.bytes += bytes;
            if !answer_body.errors {
                delivery.done.rows += n as u64;
                self.rows.done(n);
                continue;
            }
            if answer_body.items.len() != n {
                return Err(DeliveryError(format!(
                    "a response for {} documents instead of {n}",
                    answer_body.items.len()
                )));
            }
            let (n_again, n_refused, why) = self.sort_out(&answer_body, n);
            let why = why.unwrap_or_default();
            if n_refused != 0 {
                warn!(n = n_refused, why, "documents are refused; they are dropped");
            }
            delivery.done.refused += n_refused;
            delivery.done.rows += ((n - n_again) as u64).saturating_sub(n_refused);
            if n_again != 0 {
                return Err(DeliveryError(format!(
                    "{n_again} of {n} documents are sent again: {why}"
                )));
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.rows.clear();
    }
}
