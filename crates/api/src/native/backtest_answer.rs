//! The answer of a backtest: one JSON object at its end, or, for clients that accept lines of JSON, lines
//! with the progress, the last one with the result.
//!
//! ```text
//! {"progress":{"done":null,"clock":null}}      values are read
//! {"progress":{"done":0.412,"clock":1763762400}}
//! {"report":{…}}                                or {"error":{…}}
//! ```
//!
//! A failure within [`TICK`] is answered with a status of HTTP, as everywhere. A run ends when the client
//! goes away: the server drops the answer, and the drop cancels the run.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Request, header};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::time::{Instant, Interval, interval_at, timeout};

use super::backtest;
use super::request::{TRIALS_TAKEN, asked, busy};
use crate::error::ApiError;
use crate::http::body::json_answer;
use crate::ports::BacktestWatch;
use crate::shared::ApiState;

/// Between two lines: about as often as a waiting user looks.
const TICK: Duration = Duration::from_millis(250);

const LINES: &str = "application/x-ndjson";

type Run = Pin<Box<dyn Future<Output = Result<Value, ApiError>> + Send>>;

pub(super) async fn answer(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
) -> Response {
    let (caller, headers, body) = match asked(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let Some(permit) = shared.trials.take(caller.identity.userid) else {
        return busy(TRIALS_TAKEN);
    };
    let watch = Watched(Arc::default());
    let (of_work, of_run) = (Arc::clone(&shared), Arc::clone(&watch.0));
    let mut run: Run = Box::pin(async move {
        let of_ctx = Arc::clone(&of_work);
        let done = of_work.permitted(permit, move || {
            let ctx = of_ctx.ctx(caller).ok_or_else(ApiError::session_ended)?;
            backtest::run(&ctx, &body, &of_run)
        });
        done.await.flatten()
    });
    if !accepts_lines(&headers) {
        return json_answer(&shared, &headers, run.await).await;
    }
    let first = timeout(TICK, &mut run).await;
    if let Ok(failed @ Err(_)) = first {
        return json_answer(&shared, &headers, failed).await;
    }
    let lines = match first {
        Ok(done) => Body::from(json_text(done)),
        Err(_elapsed) => Body::from_stream(Lines::new(run, watch).stream()),
    };
    let mut response = Response::new(lines);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(LINES));
    response
}

fn accepts_lines(headers: &HeaderMap) -> bool {
    let all = headers.get_all(header::ACCEPT).iter().filter_map(|it| it.to_str().ok());
    let mut kinds = all.flat_map(|it| it.split(','));
    kinds.any(|it| it.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(LINES)))
}

/// Dropped when no client waits any more.
struct Watched(Arc<BacktestWatch>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

struct Lines {
    /// `None` after its last line.
    run: Option<Run>,
    watch: Watched,
    tick: Interval,
}

impl Lines {
    fn new(run: Run, watch: Watched) -> Self {
        Self { run: Some(run), watch, tick: interval_at(Instant::now(), TICK) }
    }

    fn stream(self) -> impl futures_util::Stream<Item = Result<Bytes, Infallible>> {
        futures_util::stream::unfold(self, |mut it| async move {
            let line = it.next().await?;
            Some((Ok(Bytes::from(line)), it))
        })
    }

    async fn next(&mut self) -> Option<String> {
        let run = self.run.as_mut()?;
        let done = tokio::select! {
            done = run => done,
            _ = self.tick.tick() => return Some(self.progress()),
        };
        self.run = None;
        Some(json_text(done))
    }

    fn progress(&self) -> String {
        let reached = self.watch.0.reached();
        #[expect(clippy::cast_precision_loss, reason = "a thousand at most")]
        let done = reached.map(|(thousandths, _)| thousandths as f64 / 1_000.0);
        let clock = reached.map(|(_, time)| time.clock());
        line(&json!({"progress": {"done": done, "clock": clock}}))
    }
}

fn json_text(done: Result<Value, ApiError>) -> String {
    line(&match done {
        Ok(report) => json!({ "report": report }),
        Err(error) => json!({ "error": error.to_json() }),
    })
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}
