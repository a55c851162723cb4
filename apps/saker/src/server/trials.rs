//! What the API tries out: checks beside the schedule, scripts, triggers over stored values.

use std::sync::Arc;
use std::time::Duration;

use api::ports::{
    BacktestChange, BacktestFunction, BacktestQuery, BacktestReport, BacktestUnknown, FetchQuery,
    TrialError, Trials,
};
use history::{Embedded, RangeQuery, Rows, Store};
use jiff::tz::TimeZone;
use lang::expression::Value as Computed;
use lang::number::format_f64;
use lang::preprocess::Scripts;
use lang::script::{Engine, Limits};
use model::Time;
use model::batch::OwnedRaw;
use pipeline::backtest::{Backtest, BacktestItem, BacktestLimits, BacktestSpec, Transition};
use pipeline::{FunctionNow, Samples};
use rt::clock::Clock;
use rt::metrics::Counter;
use rt::shutdown::Shutdown;
use tokio::runtime::Handle;

use super::cold::rising;
use super::config::Running;
use super::script_host::ScriptHost;
use super::workers::EngineMaker;

/// Somebody waits before a screen.
const FETCH_TIME_MAX: Duration = Duration::from_secs(60);

pub(super) struct TrialPort {
    pub(super) running: Arc<Running>,
    pub(super) history: Embedded,
    pub(super) runtime: Handle,
    pub(super) clock: Clock,
    pub(super) shutdown: Shutdown,
    /// Of scripts.
    pub(super) limits: Limits,
    pub(super) tls_verify: bool,
    pub(super) zone: TimeZone,
    pub(super) engines: EngineMaker,
}

impl Trials for TrialPort {
    fn scripts(&self) -> Box<dyn Scripts> {
        let (clock, stop) = (self.clock.clone(), self.shutdown.clone());
        // Of messages that find no room in the log nobody asks: the trial ends with its answer.
        let host = ScriptHost::new(clock, stop, self.tls_verify, Counter::default());
        match Engine::new(self.limits, Box::new(host)) {
            Ok(engine) => Box::new(engine),
            Err(error) => {
                tracing::warn!(error, "a script cannot be tried out");
                (self.engines)()
            }
        }
    }

    fn zone(&self) -> TimeZone {
        self.zone.clone()
    }

    fn fetch(&self, query: &FetchQuery) -> Result<Result<String, String>, TrialError> {
        let collectors = self.running.collectors();
        let collectors = collectors.ok_or_else(|| failed("the server is starting"))?;
        let asked = collectors.try_item(&query.snapshot, query.host, query.item);
        let asked = async { tokio::time::timeout(FETCH_TIME_MAX, asked).await };
        let answer = self.runtime.block_on(asked);
        let answer = answer.map_err(|_late| failed("the host took longer than a minute"))?;
        match answer.map_err(failed)? {
            OwnedRaw::Text(it) => Ok(Ok(it)),
            OwnedRaw::Unsigned(it) => Ok(Ok(it.to_string())),
            OwnedRaw::Float(it) => Ok(Ok(format_f64(it))),
            OwnedRaw::Error(it) => Ok(Err(it)),
            OwnedRaw::Nothing => Err(failed("there is no value now")),
        }
    }

    fn backtest(&self, query: &BacktestQuery) -> Result<BacktestReport, TrialError> {
        let limits = BacktestLimits::default();
        let spec = BacktestSpec {
            snapshot: &query.snapshot,
            host: query.host,
            trigger: query.trigger.clone(),
            zone: self.zone.clone(),
            from: query.from,
            until: query.until,
            not_before: Time::ZERO,
            limits,
        };
        let test = Backtest::new(&spec).map_err(|it| TrialError::Refused(it.to_string()))?;
        let mut values = Vec::with_capacity(test.needs().len());
        let mut left = limits.values_max;
        for item in test.needs() {
            let samples = self.read(item, left)?;
            left -= samples.len().min(left);
            values.push((item.item, samples));
        }
        let report = test.run(&values);
        let unknown = report.unknown.into_iter().map(|it| BacktestUnknown {
            from: it.from,
            until: it.until,
            reason: it.reason,
        });
        Ok(BacktestReport {
            starts_in_problem: report.starts_in_problem,
            changes: report.transitions.into_iter().map(change).collect(),
            unknown: unknown.collect(),
            n_values: u64::try_from(report.n_values).unwrap_or(u64::MAX),
            n_evaluations: report.n_evaluations,
            ended_early: report.ended_early,
        })
    }
}

impl TrialPort {
    /// The values of a period and the newest before it, ascending; an error beyond `limit` values.
    fn read(&self, item: &BacktestItem, limit: usize) -> Result<Samples, TrialError> {
        let range = |from: Time, till: Time, limit: usize| {
            let (id, kind) = (item.item, item.kind);
            let query = RangeQuery { item: id, kind, from, till, limit, newest_first: true };
            self.history.range(&query).map(|it| it.rows).map_err(failed)
        };
        let after = Time(item.from.0.saturating_add(1));
        let mut rows = range(after, item.until, limit.saturating_add(1))?;
        let count = usize::try_from(item.count).unwrap_or(usize::MAX).min(limit);
        append(&mut rows, range(Time(i64::MIN), item.from, count)?);
        if limit < rows.len() {
            let max = BacktestLimits::default().values_max;
            let what = format!("more than {max} values are stored for it, choose a shorter period");
            return Err(TrialError::Failed(what));
        }
        Ok(rising(rows))
    }
}

/// Rows of one kind; those of another kind are of another series.
fn append(rows: &mut Rows, older: Rows) {
    match (rows, older) {
        (Rows::Float(rows), Rows::Float(older)) => rows.extend(older),
        (Rows::Unsigned(rows), Rows::Unsigned(older)) => rows.extend(older),
        (Rows::Other(rows), Rows::Other(older)) => rows.extend(older),
        _ => {}
    }
}

fn failed(what: impl ToString) -> TrialError {
    TrialError::Failed(what.to_string())
}

fn change(it: Transition) -> BacktestChange {
    BacktestChange {
        time: it.time,
        is_problem: it.is_problem,
        name: it.name,
        functions: it.functions.into_iter().map(function).collect(),
    }
}

fn function(it: FunctionNow) -> BacktestFunction {
    BacktestFunction {
        item: it.item,
        host: it.host,
        key: it.key,
        function: it.function.to_owned(),
        parameters: it.parameters.to_string(),
        value: it.value.map(|it| shown(&it)),
        last: it.last,
    }
}

fn shown(value: &Computed) -> String {
    match value {
        Computed::Number(it) => format_f64(*it),
        Computed::UInt(it) => it.to_string(),
        Computed::Text(it) => it.clone(),
        Computed::Vector(list) => {
            let list: Vec<String> = list.iter().map(shown).collect();
            format!("[{}]", list.join(", "))
        }
    }
}
