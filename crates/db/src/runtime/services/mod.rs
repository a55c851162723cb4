//! The status of business services: now and in the past, and its causes.
//!
//! [`ServiceManager`] follows problems and configuration and decides; its owner calls it in turns. Each
//! change of a status is a row of `service_alarms`, as in Zabbix: indicators of agreements and timelines
//! are read from these. [`Services`] is the readers' side.

mod changes;
mod manager;
mod store;
mod timeline;

use std::fmt;
use std::sync::{Arc, Mutex};

use lang::service::{Live, Status};
use model::content::{Severity, Tag};
use model::map::Map;

use crate::error::DbError;
use crate::locks::lock;
use crate::runtime::events::EventRow;
use crate::sql::Workers;

pub use changes::ServiceChanges;
pub use manager::{ServiceEvent, ServiceEventWriter, ServiceManager, SkippedAlarm};
pub use timeline::StatusTimeline;

/// Tags of a problem, shared with its event.
#[derive(Debug)]
struct EventTags(Arc<EventRow>);

impl AsRef<[Tag]> for EventTags {
    fn as_ref(&self) -> &[Tag] {
        &self.0.tags
    }
}

/// The current status of services, and access to the past.
pub struct Services {
    live: Mutex<Live<EventTags>>,
    workers: Arc<Workers>,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Services")
    }
}

impl Services {
    pub(crate) fn new(workers: Arc<Workers>) -> Self {
        Self { live: Mutex::default(), workers }
    }

    /// The status of a service; OK if nothing is known of it.
    #[must_use]
    pub fn status(&self, service: u64) -> Status {
        lock(&self.live).status(service)
    }

    /// The problems that explain the status of a service (event ids), with their severities.
    #[must_use]
    pub fn root_cause(&self, service: u64) -> Vec<(u64, Severity)> {
        lock(&self.live).root_cause(service)
    }

    /// The status of services from one second to another, which is not included. A service whose
    /// status never changed has an empty one.
    ///
    /// # Errors
    /// If the database is away.
    pub fn timelines(
        &self,
        services: &[u64],
        from: i64,
        to: i64,
    ) -> Result<Map<u64, StatusTimeline>, DbError> {
        let services = services.to_vec();
        let read = move |sql: &mut dyn crate::sql::Sql| store::timelines(sql, &services, from, to);
        self.workers.scan("read the status of services", read)
    }
}

#[cfg(test)]
mod tests;
