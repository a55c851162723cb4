//! Items of types that the server does not check yet: they are not supported and say so.

use std::convert::Infallible;
use std::sync::Arc;

use model::content::{ItemContent, ItemType};
use rt::queue::Receiver;
pub(super) use rt::settings::NoSettings as Settings;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Request};

pub(super) struct Unsupported;

impl Collector for Unsupported {
    type Settings = Settings;
    type Payload = Infallible;

    fn takes(_: &ItemContent) -> Option<Grouping> {
        Some(Grouping::Single)
    }

    fn limits(_: &Settings) -> JobLimits {
        JobLimits { jobs_max: 256, device_jobs_max: 4, job_checks_max: 256 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<Infallible, CheckResult> {
        Err(CheckResult::Refused(reason(item.content().kind, &item.key()?)))
    }

    /// No request ever arrives: no check can be prepared.
    async fn run(_: Arc<CollectorContext>, requests: Receiver<Request<Infallible>>) {
        while requests.receive().await.is_some() {}
    }
}

/// `key` with its macros resolved.
fn reason(kind: ItemType, key: &str) -> String {
    match kind {
        ItemType::Simple => reason_of_simple(key),
        _ => "Items of this type are not supported yet.".to_owned(),
    }
}

/// Distinguishes keys that Zabbix has from unknown ones.
fn reason_of_simple(key: &str) -> String {
    if key.starts_with("vmware.") {
        return "VMware checks are not supported yet.".to_owned();
    }
    "Unsupported item key.".to_owned()
}
