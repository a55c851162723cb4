//! Pushed series: Prometheus's remote write and OpenTelemetry's metrics over HTTP.
//!
//! Both come down to the same: labels with names and values, and samples with times. The reader
//! passes one series after another to the caller's [`Sink`] and keeps nothing; labels are slices of
//! the request where that is possible.
//!
//! Bytes of messages are in [`protobuf`]'s form, whose reader skips unknown fields. No input makes
//! more than a small multiple of its size: a compressed body states its inflated size first.

mod otlp;
mod otlp_json;
mod protobuf;
mod remote_write;

use std::borrow::Cow;

use thiserror::Error;

pub use otlp::{OtlpAnswer, read as read_otlp};
pub use otlp_json::read as read_otlp_json;
pub use remote_write::{RemoteWriteVersion, STALE, decompress, read as read_remote_write};

/// The label that names the metric.
pub const NAME: &str = "__name__";

/// A value at a time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Nanoseconds since 1970; 0: none was given.
    pub ns: i64,
    pub value: f64,
}

/// The kind of metric of a series, if the sender gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    #[default]
    Unknown,
    Counter,
    Gauge,
    Histogram,
    Summary,
}

impl Kind {
    /// Empty if it is unknown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
            Self::Summary => "summary",
        }
    }
}

/// A label with its value.
pub type Label<'a> = (Cow<'a, str>, Cow<'a, str>);

/// Labels of a series, and its other properties.
#[derive(Clone, Debug, Default)]
pub struct Labels<'a> {
    /// In the order of the request; [`Labels::sort`] sorts them.
    pub labels: Vec<Label<'a>>,
    pub kind: Kind,
    pub unit: &'a str,
}

impl Labels<'_> {
    /// By name; empty values are the same as none.
    pub fn sort(&mut self) {
        self.labels.retain(|(_, value)| !value.is_empty());
        let is_sorted = self.labels.is_sorted_by(|one, other| one.0 < other.0);
        if !is_sorted {
            self.labels.sort_by(|one, other| one.0.cmp(&other.0));
            // The last of several with the same name counts.
            self.labels.reverse();
            self.labels.dedup_by(|later, kept| later.0 == kept.0);
            self.labels.reverse();
        }
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(it, _)| it == name).map(|(_, value)| &**value)
    }

    /// The name of the metric.
    #[must_use]
    pub fn metric(&self) -> Option<&str> {
        self.get(NAME)
    }

    /// `name{a="b",c="d"}`, the text that Prometheus writes: the same for the same labels. Without
    /// the labels of `left_out`. To be called after [`Self::sort`].
    #[must_use]
    pub fn text(&self, left_out: &str) -> String {
        let mut text = String::with_capacity(self.labels.iter().map(|it| it.1.len() + 16).sum());
        text.push_str(self.metric().unwrap_or_default());
        let mut opening = '{';
        for (name, value) in &self.labels {
            if name == NAME || name == left_out {
                continue;
            }
            text.push(opening);
            opening = ',';
            text.push_str(name);
            text.push_str("=\"");
            for c in value.chars() {
                match c {
                    '\\' => text.push_str("\\\\"),
                    '"' => text.push_str("\\\""),
                    '\n' => text.push_str("\\n"),
                    c => text.push(c),
                }
            }
            text.push('"');
        }
        if opening == ',' {
            text.push('}');
        }
        text
    }
}

/// Receives the series of a request, in their order.
pub trait Sink {
    fn series(&mut self, labels: &mut Labels<'_>, samples: &[Sample]);

    /// Parts that have no values here: histograms of Prometheus's own form, exemplars.
    fn skipped(&mut self, n: usize) {
        let _unused = n;
    }
}

/// The error of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SeriesError {
    #[error("the body is no block of snappy")]
    Snappy,
    #[error("the body is longer than {0} bytes when it is decompressed")]
    TooLong(usize),
    #[error("the body is no message of this kind")]
    Message,
    #[error("a text is no UTF-8")]
    Text,
    #[error("a label's number is out of range")]
    Symbol,
}

/// Text of a field.
fn text(bytes: &[u8]) -> Result<&str, SeriesError> {
    std::str::from_utf8(bytes).map_err(|_invalid| SeriesError::Text)
}

#[cfg(test)]
mod tests;
