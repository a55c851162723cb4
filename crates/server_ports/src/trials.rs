//! Tests that the API makes: checks outside the schedule, scripts, triggers evaluated with stored
//! values.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use api::ports::{
    BacktestOutcome, BacktestQuery, ExchangeLine, FetchQuery, FetchReport, FunctionValues,
    TrialError, TrialFunction, TrialQuery, Trials,
};
use collect::Transcript;
use collect::transcript::{Line, LineKind};
use directory::Directory;
use engine::cross_item::StoredAndLive;
use engine::history_fetch::{as_found, rising};
use engine::mailboxes::{Mailboxes, ShardMessage};
use engine::workers::ScriptIsolation;
use formats::number::format_f64;
use history::{RangeQuery, SeriesRows, Store};
use jiff::tz::TimeZone;
use lang::backtest::EndedBy;
use lang::expression::Value as Computed;
use model::batch::OwnedRaw;
use model::networks::Destinations;
use model::{ItemId, Time};
use pipeline::LiveTable;
use pipeline::backtest::{Backtest, BacktestInput, BacktestItem, BacktestLimits, BacktestSpec};
use pipeline::cross_item::{CrossItemQuery, CrossItemReader, CrossItemRequest};
use rt::clock::Clock;
use rt::shutdown::Shutdown;
use script::Scripts;
use tokio::runtime::Handle;
use window::Samples;

use crate::running::Running;

/// Somebody waits before a screen.
const FETCH_TIME_MAX: Duration = Duration::from_secs(60);
const LOOKUP_TIME_MAX: Duration = Duration::from_secs(10);
/// Longest wait for a shard to end an hour; a shard that exceeds it is reported as failing.
const END_HOUR_MAX: Duration = Duration::from_secs(10);

/// Tries out.
pub struct TrialPort {
    pub running: Arc<Running>,
    pub mailboxes: Mailboxes,
    pub history: Arc<dyn Store>,
    pub runtime: Handle,
    pub clock: Clock,
    pub shutdown: Shutdown,
    pub zone: TimeZone,
    pub live: LiveTable,
    /// That one backtest may take.
    pub backtest_time: Duration,
    pub isolation: ScriptIsolation,
    /// Where an interface that is not saved may lead.
    pub destinations: Destinations,
}

impl fmt::Debug for TrialPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TrialPort")
    }
}

impl FunctionValues for TrialPort {
    fn evaluate(&self, query: &TrialQuery) -> Result<Result<Computed, String>, TrialError> {
        let what = match &query.what {
            TrialFunction::Many(host, function) => {
                CrossItemRequest::Many { host: *host, functions: vec![Arc::clone(function)] }
            }
            TrialFunction::Trend(item, kind, call) => {
                CrossItemRequest::Trend { item: *item, kind: *kind, call: call.clone() }
            }
        };
        let query_of_engine =
            CrossItemQuery { ticket: 0, time: query.time, what, is_written: true };
        let directory = self.running.directory();
        if let TrialFunction::Trend(item, ..) = &query.what {
            self.end_hour(*item, &directory)?;
        }
        let mut stored = StoredAndLive { history: &*self.history, live: &self.live };
        let answer = CrossItemReader::new(self.zone.clone()).answer(
            &query_of_engine,
            &directory,
            &mut stored,
        );
        let values = answer.values.map_err(failed)?;
        values.into_iter().next().ok_or_else(|| failed("nothing was read"))
    }
}

impl Trials for TrialPort {
    fn scripts(&self) -> Box<dyn Scripts> {
        Box::new(self.isolation.scripts())
    }

    fn fetch(&self, query: &FetchQuery) -> FetchReport {
        let transcript = Transcript::default();
        let value = self.ask(query, &transcript);
        FetchReport { value, exchange: transcript.take().into_iter().map(exchange_line).collect() }
    }

    fn address(&self, name: &str) -> Result<IpAddr, TrialError> {
        let found: Vec<IpAddr> = match name.parse() {
            Ok(it) => vec![it],
            Err(_name) => {
                let asked = tokio::net::lookup_host((name, 0));
                let asked = async { tokio::time::timeout(LOOKUP_TIME_MAX, asked).await };
                let found = self.runtime.block_on(asked);
                let found = found.map_err(|_late| failed(format!("nobody knows {name}")))?;
                found.map_err(failed)?.map(|it| it.ip()).collect()
            }
        };
        let admitted = found.iter().find(|it| self.destinations.admit(**it)).copied();
        admitted.ok_or_else(|| match found.first() {
            Some(it) => TrialError::Refused(format!("requests to {it} are denied by the settings")),
            None => failed(format!("{name} has no address")),
        })
    }

    fn backtest(&self, query: &BacktestQuery) -> Result<BacktestOutcome, TrialError> {
        let limits = BacktestLimits::default();
        let mut spec = BacktestSpec {
            snapshot: &query.snapshot,
            host: query.host,
            trigger: query.trigger.clone(),
            zone: self.zone.clone(),
            from: query.from,
            until: query.until,
            not_before: Time::ZERO,
            limits,
        };
        let new = |spec: &BacktestSpec<'_>| {
            Backtest::new(spec).map_err(|it| TrialError::Refused(it.to_string()))
        };
        let stored_since = self.stored_since(new(&spec)?.needs())?;
        // Before the first value nobody can say whether there should have been one.
        spec.not_before = stored_since.map_or(Time::ZERO, |it| it.min(query.until));
        let test = new(&spec)?;
        let deadline_ns = self.clock.mono_ns().saturating_add(nanoseconds(self.backtest_time));
        let is_late_now = || {
            query.watch.is_cancelled()
                || self.shutdown.is_cancelled()
                || deadline_ns <= self.clock.mono_ns()
        };
        let share = (limits.values_max / test.needs().len().max(1)).max(1);
        let mut values = Vec::with_capacity(test.needs().len());
        let (mut complete_until, mut is_late) = (None::<Time>, false);
        for item in test.needs() {
            is_late |= is_late_now();
            let end = if is_late {
                Some(query.from)
            } else {
                let (samples, end) = self.read(item, share)?;
                values.push((item.item, samples));
                end
            };
            complete_until = [complete_until, end].into_iter().flatten().min();
        }
        let period = (test.start(), query.until);
        let mut is_over = |time: Time| {
            query.watch.reach(time, period);
            is_late_now()
        };
        let input = BacktestInput { values: &values, complete_until, is_over: &mut is_over };
        let report = test.run_while(input);
        let why = |by: EndedBy| match by {
            EndedBy::Caller => self.backtest_late(),
            EndedBy::Values if is_late => self.backtest_late(),
            EndedBy::Values => format!("there are more than {share} values of one item"),
            EndedBy::Transitions => format!("there are {} changes", limits.transitions_max),
            EndedBy::Steps => format!("{} points in time were tried", limits.steps_max),
        };
        let ended_reason = report.ended_early.map(|(_, by)| why(by));
        Ok(BacktestOutcome { report, ended_reason, stored_since })
    }
}

impl TrialPort {
    /// Requests a value; the exchange goes to the transcript, also if there is no value.
    fn ask(
        &self,
        query: &FetchQuery,
        transcript: &Transcript,
    ) -> Result<Result<String, String>, TrialError> {
        let collectors = self.running.collectors();
        let collectors = collectors.ok_or_else(|| failed("the server is starting"))?;
        let asked = collectors.try_item(&query.snapshot, query.host, query.item, transcript);
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

    /// Past hours count, also if nothing has ended them yet.
    fn end_hour(&self, item: ItemId, directory: &Directory) -> Result<(), TrialError> {
        // Of an item that is not running there is none.
        let Some(owner) = directory.by_item(item) else { return Ok(()) };
        let (answer, done) = mpsc::sync_channel(1);
        let message = ShardMessage::EndHour((owner.slot, owner.item), answer);
        let busy = || failed("the server is too busy");
        self.mailboxes.try_send(owner.shard, message).map_err(|_full| busy())?;
        done.recv_timeout(END_HOUR_MAX).map_err(|_late| busy())
    }

    fn range(
        &self,
        item: &BacktestItem,
        (from, till): (Time, Time),
        limit: usize,
        newest_first: bool,
    ) -> Result<SeriesRows, TrialError> {
        let (item, kind) = (item.item, item.kind);
        let query = RangeQuery { item, kind, from, till, limit, newest_first };
        self.history.range(&query).map(|it| it.rows).map_err(failed)
    }

    /// The values of a period and the newest before it, ascending; of more than `limit` the first,
    /// with the point in time up to which these are all.
    fn read(
        &self,
        item: &BacktestItem,
        limit: usize,
    ) -> Result<(Samples, Option<Time>), TrialError> {
        let after = Time(item.from.0.saturating_add(1));
        let newer = (after, item.until);
        let mut newer = as_found(self.range(item, newer, limit.saturating_add(1), false)?);
        let end = cut(&mut newer, limit);
        let count = usize::try_from(item.count).unwrap_or(usize::MAX).min(limit);
        let older = self.range(item, (Time(i64::MIN), item.from), count, true)?;
        Ok((joined(rising(older), newer), end))
    }

    /// When the first stored value of all items was.
    fn stored_since(&self, items: &[BacktestItem]) -> Result<Option<Time>, TrialError> {
        let mut since: Option<Time> = None;
        for item in items {
            let first = as_found(self.range(item, (Time(i64::MIN), Time::MAX), 1, false)?);
            since = [since, time_of(&first, 0)].into_iter().flatten().min();
        }
        Ok(since)
    }

    fn backtest_late(&self) -> String {
        format!("it took {} seconds", self.backtest_time.as_secs())
    }
}

fn exchange_line(it: Line) -> ExchangeLine {
    let by = match it.kind {
        LineKind::Sent => "server",
        LineKind::Received => "peer",
        LineKind::Note => "log",
    };
    ExchangeLine { by, text: it.text, left_out: it.left_out }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn time_of(samples: &Samples, at: usize) -> Option<Time> {
    match samples {
        Samples::Float(it) => it.get(at).map(|it| it.0),
        Samples::Unsigned(it) => it.get(at).map(|it| it.0),
        Samples::Text(it) => it.get(at).map(|it| it.0),
    }
}

/// Leaves the first values, whole points in time only; gives the one up to which these are all.
fn cut(samples: &mut Samples, limit: usize) -> Option<Time> {
    let end = time_of(samples, limit)?;
    match samples {
        Samples::Float(it) => it.truncate(it.partition_point(|it| it.0 < end)),
        Samples::Unsigned(it) => it.truncate(it.partition_point(|it| it.0 < end)),
        Samples::Text(it) => it.truncate(it.partition_point(|it| it.0 < end)),
    }
    Some(Time(end.0.saturating_sub(1)))
}

/// Values of one kind; those of another kind are of another series.
fn joined(older: Samples, newer: Samples) -> Samples {
    match (older, newer) {
        (Samples::Float(mut older), Samples::Float(newer)) => {
            older.extend(newer);
            Samples::Float(older)
        }
        (Samples::Unsigned(mut older), Samples::Unsigned(newer)) => {
            older.extend(newer);
            Samples::Unsigned(older)
        }
        (Samples::Text(mut older), Samples::Text(newer)) => {
            older.extend(newer);
            Samples::Text(older)
        }
        (_, newer) => newer,
    }
}

fn failed(what: impl ToString) -> TrialError {
    TrialError::Failed(what.to_string())
}
