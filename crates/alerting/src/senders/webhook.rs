//! Webhooks: a script in JavaScript gets the parameters as JSON, and its result counts.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use db::objects::mediatype;
use formats::number::parse_duration_s;
use model::document::Body;
use script::{Host, HostRequest, Script};
use serde_json::{Map, Value as Json};
use std::sync::Arc;
use wire::http::Response;

use crate::ports::{ScriptRun, ScriptRuns};

use super::outbound::{MessageError, Outbound, Said, Transcript, failed, text_of, with_message};

/// Shown of the body of a request or an answer, in characters.
const BODY_CHARS: usize = 4_096;
/// Names of headers whose value is not shown.
const SECRET_HEADERS: &[&str] =
    &["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];

/// Runs the scripts of webhooks. Engines that nobody uses are kept, as many as run at once.
pub struct Webhooks {
    runs: Arc<dyn ScriptRuns>,
    idle: Mutex<Vec<(Box<dyn ScriptRun>, Transcript)>>,
    idle_max: usize,
}

opaque_debug!(Webhooks);

impl Webhooks {
    #[must_use]
    pub fn new(runs: Arc<dyn ScriptRuns>, idle_max: usize) -> Self {
        Self { runs, idle: Mutex::default(), idle_max }
    }

    /// An engine whose requests and messages are written down.
    fn engine(&self) -> (Box<dyn ScriptRun>, Transcript) {
        let idle = self.idle().pop();
        if let Some(it) = idle {
            return it;
        }
        let transcript = Transcript::default();
        let shared = transcript.clone();
        let recording = move |inner| -> Box<dyn Host> {
            Box::new(Recording { inner, transcript: shared.clone() })
        };
        (self.runs.begin(Arc::new(recording)), transcript)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<(Box<dyn ScriptRun>, Transcript)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(
        &self,
        kind: &Body,
        message: &Outbound,
        transcript: &Transcript,
    ) -> Result<String, MessageError> {
        let value = parameters(kind, message);
        let seconds = parse_duration_s(text_of(kind, "timeout")).unwrap_or(30).clamp(1, 60);
        let (mut engine, recorded) = self.engine();
        let script = Script::new(text_of(kind, "script"));
        let outcome = engine.run(&script, &value, Duration::from_secs(seconds));
        for (said, text) in recorded.take() {
            transcript.add(said, text);
        }
        let is_stuck = matches!(&outcome, Err(it) if it.is_late);
        if !is_stuck && !self.runs.is_ending() {
            let mut idle = self.idle();
            if idle.len() < self.idle_max {
                idle.push((engine, recorded));
            }
        }
        match outcome {
            // As in Zabbix: null is a result like any other.
            Ok(result) => Ok(result.unwrap_or_default()),
            Err(fault) => Err(failed(fault.text)),
        }
    }
}

/// The script's `value`: the parameters of the alert, or of the media type with the known values.
fn parameters(kind: &Body, message: &Outbound) -> String {
    if !message.parameters.is_empty() {
        return message.parameters.clone();
    }
    let named = mediatype::parameters(kind).into_iter();
    let made: Map<String, Json> = named
        .map(|(name, value)| (name.to_string(), Json::from(with_message(value, message))))
        .collect();
    Json::Object(made).to_string()
}

/// Host functions of a script that record their calls.
struct Recording {
    inner: Box<dyn Host>,
    transcript: Transcript,
}

impl Host for Recording {
    fn now_ns(&self) -> u64 {
        self.inner.now_ns()
    }

    fn is_stopping(&self) -> bool {
        self.inner.is_stopping()
    }

    fn sleep(&mut self, time: Duration) {
        self.inner.sleep(time);
    }

    fn log(&mut self, level: i32, text: &str) {
        self.transcript.add(Said::Log, text);
        self.inner.log(level, text);
    }

    fn exchange(&mut self, request: &HostRequest<'_>) -> Result<Response, String> {
        self.transcript.add(Said::Us, shown_request(request));
        let answer = self.inner.exchange(request);
        match &answer {
            Ok(it) => self.transcript.add(Said::Them, shown_answer(it)),
            Err(error) => self.transcript.add(Said::Them, format!("(no answer: {error})")),
        }
        answer
    }

    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        self.inner.sign(key, data)
    }
}

fn shown_request(request: &HostRequest<'_>) -> String {
    let mut text = format!("{} {}", request.method, request.url);
    push_headers(&mut text, request.headers);
    if let Some(body) = request.body {
        push_body(&mut text, body);
    }
    text
}

fn shown_answer(answer: &Response) -> String {
    let mut text = format!("HTTP {}", answer.status);
    push_headers(&mut text, &answer.headers);
    push_body(&mut text, &answer.body);
    text
}

fn push_headers(text: &mut String, headers: &[(String, String)]) {
    for (name, value) in headers {
        let is_secret = SECRET_HEADERS.contains(&name.to_ascii_lowercase().as_str());
        let value = if is_secret { "******" } else { value };
        text.push_str(&format!("\n{name}: {value}"));
    }
}

fn push_body(text: &mut String, body: &[u8]) {
    if body.is_empty() {
        return;
    }
    let body = String::from_utf8_lossy(body);
    text.push_str("\n\n");
    text.extend(body.chars().take(BODY_CHARS));
    if body.chars().nth(BODY_CHARS).is_some() {
        text.push('…');
    }
}
