//! Requests with series: settings, permissions, and reports.

use std::time::Duration;

use model::batch::Refused;
use model::snapshot::Host;
use model::{ItemId, Time};
use rt::metrics::{Counter, Family, Gauge};
use thiserror::Error;
use wire::series::{
    RemoteWriteVersion, SeriesError, Sink, read_otlp, read_otlp_json, read_remote_write,
};

use super::register::Handle;

rt::metrics! {
    /// Pushed series.
    pub struct SeriesMetrics in "saker_series", formerly "collect_series" {
        /// Requests, by protocol.
        pub requests_total: Family<Counter> = "protocol",
        /// Requests that were refused as a whole or asked to be sent again, by reason.
        pub requests_failed_total: Family<Counter> = "reason",
        /// Values that were taken.
        pub values_total: Counter,
        /// Values without an item, because the filter of the host's rule excludes their series.
        pub filtered_total: Counter,
        /// Values that are not numbers, such as those that end a series.
        pub not_numbers_total: Counter,
        /// Native histograms of Prometheus, which items cannot store.
        pub skipped_total: Counter,
        /// Values that were refused, by reason.
        pub refused_total: Family<Counter> = "reason",
        /// Known series.
        pub series: Gauge,
        /// Series that were new.
        pub new_series_total: Counter,
        /// Series that stopped.
        pub lost_series_total: Counter,
        /// Hosts created for series.
        pub new_hosts_total: Counter,
        /// Attempts to apply the rows of a host's rule, including failed ones.
        pub discoveries_total: Counter,
        /// Failed attempts to apply the rows of a host's rule.
        pub discoveries_failed_total: Counter,
    }
}

/// The operator's settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesSettings {
    /// Labels that name the host of a series; the first one present counts.
    pub host_labels: Vec<String>,
    /// Whether unknown hosts are made.
    pub new_hosts: bool,
    pub host_series_max: usize,
    /// Series of all hosts.
    pub series_max: usize,
    pub new_series_per_minute: u32,
    pub labels_max: usize,
    /// Bytes of a label's name and value, each.
    pub label_bytes_max: usize,
    /// A series without values for this long has stopped.
    pub lost_after: Duration,
}

/// The interface from a receiver to the process. Its methods may block.
pub trait SeriesStore: Send + Sync {
    /// Applies rows, as JSON, to a discovery rule. The configuration has its items when it returns.
    ///
    /// # Errors
    /// Why not.
    fn discover(&self, rule: ItemId, rows: &str, now: Time) -> Result<(), String>;

    /// Makes a host that takes series.
    ///
    /// # Errors
    /// Why not.
    fn create_host(&self, name: &str) -> Result<(), String>;
}

/// The permissions of a sender.
pub trait SeriesJudge: Sync {
    /// Whether the sender may push values of this host.
    fn may_write(&self, host: &Host) -> bool;
    /// Whether hosts are made for the sender.
    fn may_create(&self) -> bool;
}

/// A decompressed request.
#[derive(Clone, Copy, Debug)]
pub enum PushedMessage<'a> {
    RemoteWrite(RemoteWriteVersion, &'a [u8]),
    Otlp(&'a [u8]),
    OtlpJson(&'a [u8]),
}

impl PushedMessage<'_> {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::RemoteWrite(RemoteWriteVersion::V1, _) => "remote_write",
            Self::RemoteWrite(RemoteWriteVersion::V2, _) => "remote_write_2",
            Self::Otlp(_) => "otlp",
            Self::OtlpJson(_) => "otlp_json",
        }
    }

    pub(super) fn read(&self, sink: &mut dyn Sink) -> Result<(), SeriesError> {
        match self {
            Self::RemoteWrite(version, message) => read_remote_write(message, *version, sink),
            Self::Otlp(message) => read_otlp(message, sink),
            Self::OtlpJson(body) => read_otlp_json(body, sink),
        }
    }
}

/// The outcome of the values of a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeriesReport {
    pub n_taken: u64,
    /// Values of series that a filter excludes, or whose items are disabled.
    pub n_filtered: u64,
    pub n_refused: u64,
    /// The reason of the first refused value, with its series.
    pub refusal: Option<String>,
}

/// Why a value is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SeriesRefusal {
    #[error("no metric name")]
    NoName,
    #[error("none of its labels names a host")]
    NoHost,
    #[error("its host is not known")]
    UnknownHost,
    #[error("no permissions to its host")]
    NoPermission,
    #[error("its host has no discovery rule \"push.series\" of type Zabbix trapper")]
    NoRule,
    #[error("too many labels")]
    TooManyLabels,
    #[error("a label or the whole series is too long")]
    TooLong,
    #[error("its host has too many series")]
    HostSeries,
    #[error("too many series")]
    AllSeries,
    #[error("too many new series within a minute")]
    NewSeries,
    #[error("its item takes values of named hosts only")]
    Restricted,
    #[error("its item does not exist any more")]
    Gone,
    #[error("{}", words_of(*.0))]
    Shard(Refused),
}

/// Why a shard refused a value, as the end of a sentence.
fn words_of(refused: Refused) -> &'static str {
    match refused {
        Refused::NoItem => "its item is disabled",
        Refused::Time => {
            "its time is more than a day ahead of the server's clock or older than the item's history is kept"
        }
        Refused::Full => "too many values wait for its item's preprocessing",
        Refused::TooLong => "its value is too long",
        Refused::Failed => "it could not be processed",
    }
}

impl SeriesRefusal {
    /// As metrics name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NoName => "no_name",
            Self::NoHost => "no_host",
            Self::UnknownHost => "unknown_host",
            Self::NoPermission => "no_permission",
            Self::NoRule => "no_rule",
            Self::TooManyLabels => "too_many_labels",
            Self::TooLong => "too_long",
            Self::HostSeries => "series_of_host",
            Self::AllSeries => "series",
            Self::NewSeries => "new_series",
            Self::Restricted => "restricted",
            Self::Gone => "gone",
            Self::Shard(it) => it.name(),
        }
    }
}

/// Why none of the values of a request was taken, or why the outcome is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PushSeriesError {
    #[error(transparent)]
    Message(#[from] SeriesError),
    #[error("items of new series are still being made, send it again")]
    Waiting,
    #[error("the values were not written in time")]
    Late,
    #[error("the server is stopping")]
    Closed,
}

/// A value on its way to the items of its series.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// In the register.
    pub(super) series: Handle,
    pub(super) time: Time,
    pub(super) value: f64,
}
