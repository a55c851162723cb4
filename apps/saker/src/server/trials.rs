//! What the API tries out: checks beside the schedule, scripts, triggers over stored values.

use std::sync::Arc;
use std::time::Duration;

use api::ports::{BacktestQuery, BacktestReport, FetchQuery, TrialError, Trials};
use history::Embedded;
use jiff::tz::TimeZone;
use lang::preprocess::{NoScripts, Scripts};
use model::batch::OwnedRaw;
use tokio::runtime::Handle;

use super::config::Running;

/// Somebody waits before a screen.
const FETCH_TIME_MAX: Duration = Duration::from_secs(60);

pub(super) struct TrialPort {
    pub(super) running: Arc<Running>,
    pub(super) history: Embedded,
    pub(super) runtime: Handle,
    pub(super) zone: TimeZone,
}

impl Trials for TrialPort {
    fn scripts(&self) -> Box<dyn Scripts> {
        Box::new(NoScripts)
    }

    fn zone(&self) -> TimeZone {
        self.zone.clone()
    }

    fn fetch(&self, query: &FetchQuery) -> Result<Result<String, String>, TrialError> {
        let failed = |what: &str| TrialError::Failed(what.to_owned());
        let collectors = self.running.collectors();
        let collectors = collectors.ok_or_else(|| failed("the server is starting"))?;
        let asked = collectors.try_item(&query.snapshot, query.host, query.item);
        let answer = self.runtime.block_on(tokio::time::timeout(FETCH_TIME_MAX, asked));
        let answer = answer.map_err(|_late| failed("the host took longer than a minute"))?;
        match answer.map_err(|error| TrialError::Failed(error.to_string()))? {
            OwnedRaw::Text(it) => Ok(Ok(it)),
            OwnedRaw::Unsigned(it) => Ok(Ok(it.to_string())),
            OwnedRaw::Float(it) => Ok(Ok(lang::number::format_f64(it))),
            OwnedRaw::Error(it) => Ok(Err(it)),
            OwnedRaw::Nothing => Err(failed("there is no value now")),
        }
    }

    fn backtest(&self, _query: &BacktestQuery) -> Result<BacktestReport, TrialError> {
        Err(TrialError::Failed("not available yet".to_owned()))
    }
}
