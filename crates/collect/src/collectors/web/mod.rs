//! Web scenarios: pages requested one after the other, with one jar of cookies and with variables
//! that later steps take from earlier answers.
//!
//! A scenario is checked as its item `web.test.fail[…]`; the readings of its other items come with
//! that one's. The first step that fails ends the run: its number and the reason are the values,
//! and a scenario that fails is no unsupported item. [`wire::http`] has the part of curl between
//! request and answer; the process's HTTP client makes the exchanges. Each step has a time of its
//! own.

mod prepare;
mod variables;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use formats::regexp::Regexp;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::ItemId;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType, WebScenario};
use rt::queue::Receiver;
use rt::reading::Reading as Room;
use wire::http::{Asked, Fetch, Jar, Response};

use self::prepare::{StepCheck, WebCheck};
use self::variables::Variables;
use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::http::{BODY_BYTES_MAX, in_ranges, write_headers};
use super::request::{CheckResult, Finished, Reading};
use crate::ports::{HttpExchange, HttpRequest};
use crate::schedule::Ticket;

rt::section! {
    /// Web scenarios.
    pub struct Settings in "collectors.web" {
        /// Most scenarios at once. Each takes a file descriptor, and at most 1 of 32 that the system grants
        /// is used for them.
        pub scenarios_max: NonZeroUsize = "200",
    }
}

pub(super) struct Web;

type Request = super::request::Request<WebCheck>;
type Check = super::request::Check<WebCheck>;

impl Collector for Web {
    type Settings = Settings;
    type Payload = WebCheck;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        let is_scenario = content.kind == ItemType::WebItem && WebScenario::is_of(&content.key_);
        is_scenario.then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        JobLimits { jobs_max: settings.scenarios_max.get(), device_jobs_max: 4, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<WebCheck, CheckResult> {
        prepare::check(item).map_err(CheckResult::Refused)
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let shared = &*shared;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| converse(shared, it);
                        shared.contained("web scenario", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

async fn converse(shared: &CollectorContext, request: Request) {
    let mut readings = request.done;
    for check in &request.checks {
        run(shared, check, &mut readings).await;
    }
    shared.finish(Finished { job: request.job, readings }).await;
}

/// The figures of a step.
#[derive(Clone, Copy, Debug, Default)]
struct StepFigures {
    code: u16,
    seconds: f64,
    bytes_per_second: f64,
}

async fn run(shared: &CollectorContext, check: &Check, readings: &mut Vec<Reading>) {
    let scenario = &check.payload;
    let (mut jar, mut variables) = (Jar::default(), Variables::default());
    let mut failed = variables.set_plain(&scenario.variables).err().map(|it| (1, it));
    let mut speeds = Vec::new();
    let steps = if failed.is_none() { scenario.steps.as_slice() } else { &[] };
    for (at, step) in steps.iter().enumerate() {
        let mut figures = StepFigures::default();
        let made = make(shared, (scenario, step), &mut jar, (&mut variables, &mut figures)).await;
        let values = [
            (step.speed, OwnedRaw::Float(figures.bytes_per_second)),
            (step.time, OwnedRaw::Float(figures.seconds)),
            (step.code, OwnedRaw::Unsigned(figures.code.into())),
        ];
        for (item, value) in values {
            readings.extend(item.map(|it| side_reading(shared, it, value)));
        }
        speeds.push(figures.bytes_per_second);
        if let Err(reason) = made {
            failed = Some((at + 1, format!("{} (step \"{}\")", reason, step.name)));
            break;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand steps")]
    let mean = speeds.iter().sum::<f64>() / speeds.len().max(1) as f64;
    readings.extend(scenario.speed.map(|it| side_reading(shared, it, OwnedRaw::Float(mean))));
    let n_failed = failed.as_ref().map_or(0, |(at, _)| *at as u64);
    if let (Some(item), Some((_, reason))) = (scenario.error, failed) {
        readings.push(side_reading(shared, item, OwnedRaw::Text(check.shown(reason))));
    }
    let answer = CheckResult::Answer(OwnedRaw::Unsigned(n_failed));
    readings.push(check.reading(shared.clock.wall(), answer));
}

/// The reading of another item of the scenario.
fn side_reading(shared: &CollectorContext, item: ItemId, value: OwnedRaw) -> Reading {
    Reading {
        ticket: Ticket::NONE,
        item,
        time: shared.clock.wall(),
        result: CheckResult::Answer(value),
    }
}

/// Makes a step, with its attempts, and checks the answer.
async fn make(
    shared: &CollectorContext,
    (scenario, step): (&WebCheck, &StepCheck),
    jar: &mut Jar,
    (variables, figures): (&mut Variables, &mut StepFigures),
) -> Result<(), String> {
    variables.set_plain(&step.variables)?;
    let asked = step.asked(scenario, variables)?;
    let mut attempt = 1;
    // The room of the body is kept as long as the body.
    let (answer, headers, _reading) = loop {
        match ask(shared, (scenario, step), &asked, jar).await {
            Ok((answer, headers, time, reading)) => {
                figures.seconds = time.max(Duration::from_nanos(1)).as_secs_f64();
                figures.code = answer.status;
                #[expect(clippy::cast_precision_loss, reason = "bytes of one answer")]
                let bytes = answer.body.len() as f64;
                figures.bytes_per_second = bytes / figures.seconds;
                break (answer, headers, reading);
            }
            Err(error) if scenario.retries <= attempt => return Err(error),
            Err(_) => attempt += 1,
        }
    };
    let status = answer.status;
    let text = match step.retrieve_mode {
        0 => answer.into_text(),
        1 => headers,
        _ => format!("{headers}{}", answer.into_text()),
    };
    required(&variables.expand(&step.required), &text, &asked.url)?;
    let (written, ranges) = &step.status_codes;
    if !in_ranges(ranges, status) {
        return Err(format!(
            "response code \"{status}\" did not match any of the required status codes \
             \"{written}\""
        ));
    }
    variables.take(&scenario.variables, &text)?;
    variables.take(&step.variables, &text)
}

/// The final answer, the headers of all answers up to it, and the time that they took.
async fn ask(
    shared: &CollectorContext,
    (scenario, step): (&WebCheck, &StepCheck),
    asked: &Asked,
    jar: &mut Jar,
) -> Result<(Response, String, Duration, Option<Room>), String> {
    let mut took = Duration::ZERO;
    let mut fetch = Fetch::new(asked)?;
    let mut headers = String::new();
    loop {
        let exchange = fetch.next(jar)?;
        let request = HttpRequest {
            method: exchange.method,
            url: exchange.url,
            headers: exchange.headers,
            body: asked.body.clone().filter(|_| exchange.has_body),
            proxy: scenario.proxy.clone(),
            tls: scenario.tls.clone(),
            auth: exchange.auth,
            time: step.timeout.saturating_sub(took),
            body_bytes_max: BODY_BYTES_MAX,
        };
        let HttpExchange { answer, time, reading } = shared.http.exchange(request).await?;
        took += time;
        write_headers(&answer, &mut headers);
        if fetch.take(jar, &answer, shared.clock.mono_ns())? {
            return Ok((answer, headers, took, reading));
        }
    }
}

fn required(pattern: &str, text: &str, url: &str) -> Result<(), String> {
    if pattern.is_empty() {
        return Ok(());
    }
    let regexp = Regexp::new(pattern)
        .map_err(|_wrong| format!("invalid regular expression \"{pattern}\""))?;
    match regexp.is_match(text) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("required pattern \"{pattern}\" was not found on {url}")),
        Err(error) => Err(error.to_string()),
    }
}
