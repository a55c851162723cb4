//! Script items: JavaScript that computes the value, with parameters, an HTTP client and a log.
//!
//! The engines belong to the process ([`crate::ports::ScriptHost`]). A script takes a whole thread
//! while it runs, so few run at once. A failure does not count against the host's interfaces: the
//! item is not supported, with the reason.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lang::lld::EscapeTarget;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use rt::queue::Receiver;
use tokio::time::timeout;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Finished, Request};
use crate::ports::{ScriptError, ScriptHost, ScriptRequest, not_supported};
use crate::transcript::{LineKind, Transcript};

/// The host limits the time; a request waits no longer than this for a host that fails to.
const GRACE: Duration = Duration::from_secs(5);

rt::section! {
    /// Script items.
    pub struct Settings in "collectors.script" {
        /// Most scripts of items that run at once. Each takes a thread and the memory of an engine, at most
        /// `script.memory_bytes_max`.
        pub scripts_max: NonZeroUsize = "10",
    }
}

pub(super) struct Script;

/// A script with its parameters.
#[derive(Debug)]
pub(crate) struct ScriptCheck {
    pub(super) source: String,
    /// The parameters as JSON.
    pub(super) value: String,
}

type Check = super::request::Check<ScriptCheck>;

impl Collector for Script {
    type Settings = Settings;
    type Payload = ScriptCheck;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::Script).then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        let jobs_max = settings.scripts_max.get();
        JobLimits { jobs_max, device_jobs_max: 4, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<ScriptCheck, CheckResult> {
        Ok(check(item))
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request<ScriptCheck>>) {
        let shared = &*shared;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| converse(shared, &*shared.scripts, it);
                        shared.contained("script check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

/// An item's script with its parameters.
pub(super) fn check(item: &HostItem<'_>) -> ScriptCheck {
    ScriptCheck { source: item.code(&item.content().params), value: parameters(item) }
}

/// The object in a script's `value`, in the order of the form.
fn parameters(item: &HostItem<'_>) -> String {
    let quoted =
        |text: &str| serde_json::Value::from(item.text(text, EscapeTarget::Text)).to_string();
    let pairs = item.content().parameters.iter();
    let members = pairs.map(|it| format!("{}:{}", quoted(&it.name), quoted(&it.value)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// Runs the scripts of a request.
pub(super) async fn converse(
    shared: &CollectorContext,
    scripts: &dyn ScriptHost,
    request: Request<ScriptCheck>,
) {
    let mut readings = request.done;
    for check in &request.checks {
        let answer = ask(scripts, check, shared.transcript.as_ref()).await;
        readings.push(check.reading(shared.clock.wall(), CheckResult::Answer(answer)));
    }
    shared.finish(Finished { job: request.job, readings }).await;
}

/// The value, or the reason why there is none. A script that returns null gives an empty text.
async fn ask(scripts: &dyn ScriptHost, check: &Check, transcript: Option<&Transcript>) -> OwnedRaw {
    let ScriptCheck { source, value } = &check.payload;
    let request =
        ScriptRequest { source: source.clone(), value: value.clone(), time: check.timeout };
    let run = match transcript {
        None => scripts.run(request),
        Some(it) => {
            it.push(LineKind::Note, &format!("value = {value}"), b"");
            scripts.run_with_transcript(request, it)
        }
    };
    let answer = timeout(check.timeout.saturating_add(GRACE), run).await;
    let late = |_| Err(ScriptError::Execute("it did not end in time".to_owned()));
    match answer.unwrap_or_else(late) {
        Ok(text) => OwnedRaw::Text(text.unwrap_or_default()),
        Err(error) => not_supported(error.to_string()),
    }
}
