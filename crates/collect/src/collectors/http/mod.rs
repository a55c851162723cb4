//! HTTP agent items: one request, and the body of the answer, its headers or both.
//!
//! [`wire::http`] has the part of curl between request and answer (redirects, cookies,
//! authentication). The process's HTTP client ([`crate::ports::HttpClient`]) makes the exchanges
//! without threads, on connections that it keeps, within the item's time in all; waiting for a turn
//! with the server does not count. A server that does not answer does not count against the host's
//! interfaces: the item is not supported, with the reason.

mod answer;
mod prepare;

use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use rt::queue::Receiver;
use rt::reading::Reading;
use wire::http::{Fetch, Jar};

pub(super) use self::answer::{in_ranges, write_headers};
use self::prepare::HttpCheck;
pub(super) use self::prepare::{authentication, ranges, tls};
use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::request::{CheckResult, Finished};
use crate::ports::{HttpExchange, HttpRequest, not_supported};

/// Longest body of an answer. A longer one is an error; items keep 16 MiB of a text, but the part
/// that steps extract from a document may be small.
pub(super) const BODY_BYTES_MAX: usize = 64 << 20;

rt::section! {
    /// HTTP agent items.
    pub struct Settings in "collectors.http" {
        /// Most requests at once. The limit of one server adapts to its speed and starts at 8. Each request
        /// takes a file descriptor; as many connections are kept open for later requests. At most an eighth
        /// of the open files that the system grants are used.
        pub requests_max: NonZeroUsize = "1_000",
    }
}

pub(super) struct Http;

type Check = super::request::Check<HttpCheck>;
type Request = super::request::Request<HttpCheck>;

impl Collector for Http {
    type Settings = Settings;
    type Payload = HttpCheck;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::HttpAgent).then_some(Grouping::Single)
    }

    fn limits(settings: &Settings) -> JobLimits {
        let jobs_max = settings.requests_max.get();
        JobLimits { jobs_max, device_jobs_max: 8, job_checks_max: 1 }
    }

    fn prepare(item: &HostItem<'_>) -> Result<HttpCheck, CheckResult> {
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
                        shared.contained("HTTP check", request, converse)
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
    // The room of each body is kept until its value is handed over.
    let mut rooms = Vec::new();
    for check in &request.checks {
        let answer = ask(shared, check, &mut rooms).await.unwrap_or_else(not_supported);
        readings.push(check.reading(shared.clock.wall(), CheckResult::Answer(answer)));
    }
    shared.finish(Finished { job: request.job, readings }).await;
    drop(rooms);
}

/// The value, or the reason why there is none.
async fn ask(
    shared: &CollectorContext,
    check: &Check,
    rooms: &mut Vec<Reading>,
) -> Result<OwnedRaw, String> {
    let HttpCheck { asked, wanted, .. } = &check.payload;
    let failed = |error: String| format!("Cannot perform request: {error}");
    let mut left = check.timeout;
    let transcript = shared.transcript.as_ref();
    if let Some(it) = transcript {
        it.hide(&asked.password);
        // The form of basic authentication.
        it.hide(&format!("{}:{}", asked.user, asked.password));
    }
    let (mut jar, mut fetch) = (Jar::default(), Fetch::new(asked).map_err(failed)?);
    let mut headers = String::new();
    loop {
        let exchange = fetch.next(&jar).map_err(failed)?;
        let request = HttpRequest {
            method: exchange.method,
            url: exchange.url,
            headers: exchange.headers,
            body: asked.body.clone().filter(|_| exchange.has_body),
            proxy: check.payload.proxy.clone(),
            tls: check.payload.tls.clone(),
            auth: exchange.auth,
            time: left,
            body_bytes_max: BODY_BYTES_MAX,
        };
        if let Some(it) = transcript {
            let line = (request.method.as_str(), request.url.as_str());
            it.ask_http(line, &request.headers, request.body.as_deref());
        }
        let exchanged = shared.http.exchange(request).await;
        if let Some(it) = transcript {
            it.answer_http(exchanged.as_ref().map(|it| &it.answer).map_err(String::as_str));
        }
        let HttpExchange { answer, time, reading } = exchanged.map_err(failed)?;
        left = left.saturating_sub(time);
        if wanted.has_headers() {
            write_headers(&answer, &mut headers);
        }
        if fetch.take(&mut jar, &answer, shared.clock.mono_ns()).map_err(failed)? {
            rooms.extend(reading);
            return wanted.value(&headers, answer).map(OwnedRaw::Text);
        }
    }
}
