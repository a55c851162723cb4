//! Scripts of items: a pool of threads with engines, which are kept for later scripts. A script
//! that is tested has an engine of its own, whose host records its requests.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use collect::Transcript;
use collect::ports::{ScriptAnswer, ScriptError, ScriptHost, ScriptRequest};
use collect::transcript::LineKind;
use engine::workers::{ScriptFailure, ScriptIsolation, ScriptPool};
use rt::clock::Clock;
use script::{Host, HostRequest, Script, WebDriver};
use wire::http::Response;

/// The script host of items.
pub struct ScriptItems {
    pool: ScriptPool,
    /// For trials.
    isolation: ScriptIsolation,
    /// The part of each script's time that is kept for closing; at most a fifth.
    closing: Duration,
}

impl fmt::Debug for ScriptItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptItems").field("closing", &self.closing).finish_non_exhaustive()
    }
}

impl ScriptItems {
    /// At most `scripts_max` scripts run at once.
    #[must_use]
    pub fn new(isolation: ScriptIsolation, scripts_max: NonZeroUsize, clock: Clock) -> Self {
        let pool = ScriptPool::new(isolation.clone(), scripts_max, clock);
        Self { pool, isolation, closing: Duration::ZERO }
    }

    /// Keeps this part of each script's time, a fifth at most, for closing after its end.
    #[must_use]
    pub fn closing_in(self, closing: Duration) -> Self {
        Self { closing, ..self }
    }

    fn time_of(&self, request: &ScriptRequest) -> Duration {
        request.time.saturating_sub(self.closing.min(request.time / 5))
    }
}

impl ScriptHost for ScriptItems {
    fn run(&self, request: ScriptRequest) -> ScriptAnswer<'_> {
        Box::pin(async move {
            let time = self.time_of(&request);
            let outcome = self.pool.run(&request.source, request.value, time).await;
            outcome.map_err(script_error)
        })
    }

    fn run_with_transcript(
        &self,
        request: ScriptRequest,
        transcript: &Transcript,
    ) -> ScriptAnswer<'_> {
        let mut isolation = self.isolation.clone();
        let (inner, transcript) = (Arc::clone(&isolation.new_host), transcript.clone());
        isolation.new_host = Arc::new(move |dropped| {
            Box::new(Recording { inner: inner(dropped), transcript: transcript.clone() })
        });
        Box::pin(async move {
            let time = self.time_of(&request);
            // The host blocks its thread, so this one is of those for blocking work.
            let run = move || {
                let script = Script::new(&request.source);
                isolation.scripts().run_within(&script, &request.value, time)
            };
            let outcome = self.isolation.tasks.offload("script trial", run).await;
            outcome.map_err(script_error)
        })
    }
}

/// A host that records the requests of a script in a transcript.
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
        self.transcript.push(LineKind::Note, "log: ", text.as_bytes());
        self.inner.log(level, text);
    }

    fn exchange(&mut self, request: &HostRequest<'_>) -> Result<Response, String> {
        let line = (request.method, request.url);
        self.transcript.ask_http(line, request.headers, request.body);
        let answer = self.inner.exchange(request);
        self.transcript.answer_http(answer.as_ref().map_err(String::as_str));
        answer
    }

    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        self.inner.sign(key, data)
    }

    fn web_driver(&mut self) -> Option<&mut dyn WebDriver> {
        self.inner.web_driver()
    }
}

fn script_error(fault: ScriptFailure) -> ScriptError {
    match fault {
        ScriptFailure::Environment(it) => ScriptError::Environment(it),
        ScriptFailure::Compile(it) => ScriptError::Compile(it),
        ScriptFailure::Execute(it) => ScriptError::Execute(it),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::{SocketAddr, TcpListener};

    use engine::workers::JobWorkerMetrics;
    use model::networks::Destinations;
    use rt::metrics::Registry;
    use rt::task::Tasks;
    use script::Limits;
    use tokio::time::timeout;

    use super::*;
    use crate::host;
    use crate::testing::outgoing_to;

    fn host_with(limits: Limits, denied: &str) -> (ScriptItems, Tasks) {
        let registry = Registry::new();
        let denied = denied.parse().expect("networks");
        let destinations = Destinations { denied, ..Destinations::default() };
        let (tasks, clock) = (Tasks::new("test", &registry), Clock::real());
        let (stop, exchanger) = (tasks.shutdown().clone(), outgoing_to(destinations).exchanger());
        let isolation = ScriptIsolation {
            name: "script-item",
            limits,
            new_host: Arc::new(move |dropped| {
                let (clock, stop, exchanger) = (clock.clone(), stop.clone(), exchanger.clone());
                let host = host::ScriptHost::new(clock, stop, exchanger, dropped.clone());
                Box::new(host.ending_at_stop())
            }),
            metrics: JobWorkerMetrics::register(&registry),
            tasks: tasks.clone(),
            n_stuck: Arc::default(),
            processes: None,
        };
        let host =
            ScriptItems::new(isolation, NonZeroUsize::new(2).expect("not zero"), Clock::real());
        (host, tasks)
    }

    fn host() -> ScriptItems {
        host_with(Limits::default(), "").0
    }

    fn request(source: &str, value: &str) -> ScriptRequest {
        let (source, value) = (source.to_owned(), value.to_owned());
        ScriptRequest { source, value, time: Duration::from_secs(20) }
    }

    /// A server that answers one request with its first line and its body.
    fn serve() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        std::thread::spawn(move || {
            let (mut stream, _peer) = listener.accept().expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
            let (mut first, mut token) = (String::new(), String::new());
            reader.read_line(&mut first).expect("a line");
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line");
                if line.trim().is_empty() {
                    break;
                }
                if let Some(it) = line.to_ascii_lowercase().strip_prefix("x-token:") {
                    it.trim().clone_into(&mut token);
                }
            }
            let body = format!("{} {token}", first.trim());
            let head = format!("HTTP/1.1 201 Created\r\nContent-Length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).expect("sent");
        });
        address
    }

    const ASKING: &str = "var p = JSON.parse(value), r = new HttpRequest(); \
        r.addHeader('X-Token: ' + p.token); \
        var body = r.get(p.url); \
        return JSON.stringify({status: r.getStatus(), body: body});";

    #[tokio::test]
    async fn a_script_asks_a_server_with_its_parameters() {
        let value = format!(r#"{{"url":"http://{}/a?b","token":"t1"}}"#, serve());
        let result = host().run(request(ASKING, &value)).await;
        let expected = r#"{"status":201,"body":"GET /a?b HTTP/1.1 t1"}"#;
        assert_eq!(result, Ok(Some(expected.to_owned())));
    }

    #[tokio::test]
    async fn trial_of_a_script_shows_its_log_requests_and_answers() {
        let address = serve();
        let value = format!(r#"{{"url":"http://{address}/a","token":"hush"}}"#);
        let transcript = Transcript::default();
        transcript.hide("hush");
        let source = format!("Zabbix.log(4, 'with ' + value); {ASKING}");
        let result = host().run_with_transcript(request(&source, &value), &transcript).await;
        let expected = r#"{"status":201,"body":"GET /a HTTP/1.1 hush"}"#;
        assert_eq!(result, Ok(Some(expected.to_owned())));
        let lines = transcript.take();
        let said: Vec<_> = lines.iter().map(|it| (it.kind, it.text.as_str())).collect();
        let logged = format!(r#"log: with {{"url":"http://{address}/a","token":"******"}}"#);
        assert_eq!(said[0], (LineKind::Note, logged.as_str()));
        let asked = said[1].1;
        assert!(asked.starts_with(&format!("GET http://{address}/a\n")), "{asked}");
        assert!(asked.contains("X-Token: ******"), "{asked}");
        let answered = "HTTP 201\ncontent-length: 20\n\nGET /a HTTP/1.1 ******";
        assert_eq!(
            (said[2].0, said[2].1.to_lowercase()),
            (LineKind::Received, answered.to_lowercase())
        );
        assert_eq!(said.len(), 3, "{said:?}");
        // A broken script is reported as outside of a trial.
        let failed = host().run_with_transcript(request("throw 'no'", "{}"), &transcript).await;
        assert!(
            matches!(&failed, Err(ScriptError::Execute(it)) if it.contains("no")),
            "{failed:?}"
        );
    }

    #[tokio::test]
    async fn no_script_asks_where_it_is_denied() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let value = format!(r#"{{"url":"http://{address}/","token":""}}"#);
        let answer =
            host_with(Limits::default(), "127.0.0.0/8").0.run(request(ASKING, &value)).await;
        let Err(ScriptError::Execute(answer)) = answer else { panic!("{answer:?}") };
        assert!(answer.contains("The setting outgoing.denied forbids this address"), "{answer}");
        listener.set_nonblocking(true).expect("a socket");
        assert!(listener.accept().is_err(), "nobody came");
    }

    #[tokio::test]
    async fn errors_of_a_script_are_reported() {
        let host = host();
        let answer = host.run(request("return (", "{}")).await;
        assert!(
            matches!(&answer, Err(ScriptError::Compile(it)) if it.contains("SyntaxError")),
            "{answer:?}"
        );
        let answer = host.run(request("throw 'no'", "{}")).await;
        assert!(
            matches!(&answer, Err(ScriptError::Execute(it)) if it.contains("no")),
            "{answer:?}"
        );
        assert_eq!(host.run(request("return null", "{}")).await, Ok(None));
        // State of one run is not seen by the next.
        assert_eq!(host.run(request("leak = 1; return 'a'", "{}")).await, Ok(Some("a".to_owned())));
        let found = host.run(request("return typeof leak", "{}")).await;
        assert_eq!(found, Ok(Some("undefined".to_owned())));
    }

    #[tokio::test]
    async fn a_script_ends_when_its_time_is_over() {
        let host = host();
        let endless =
            ScriptRequest { time: Duration::from_millis(100), ..request("while (true) {}", "{}") };
        let answer = host.run(endless).await;
        let is_late = |it: &str| it.starts_with(script::TIMEOUT);
        assert!(matches!(&answer, Err(ScriptError::Execute(it)) if is_late(it)), "{answer:?}");
        // The engine is intact: the same one does the next with a time of its own.
        assert_eq!(host.run(request("return value", "v")).await, Ok(Some("v".to_owned())));
        assert!(host.pool.n_threads() <= 2);
    }

    #[tokio::test]
    async fn a_script_has_only_so_much_memory() {
        let limits = Limits { memory_bytes: 16 << 20, ..Limits::default() };
        let source = "var a = []; for (;;) a.push(new Uint8Array(100000))";
        let answer = host_with(limits, "").0.run(request(source, "{}")).await;
        assert!(
            matches!(&answer, Err(ScriptError::Execute(it)) if it.contains("out of memory")),
            "{answer:?}"
        );
    }

    #[tokio::test]
    async fn no_more_scripts_run_at_once_than_may() {
        let host = host();
        let run = || host.run(request("Zabbix.sleep(20); return 1 + value", "{}"));
        let results: [_; 4] = tokio::join!(run(), run(), run(), run()).into();
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        assert!(host.pool.n_threads() <= 2);
    }

    #[tokio::test]
    async fn the_end_of_the_process_ends_scripts() {
        let (host, tasks) = host_with(Limits::default(), "");
        let endless = ScriptRequest {
            time: Duration::from_secs(600),
            ..request("Zabbix.log(4, 'begun'); while (true) {}", "{}")
        };
        let mut running = host.run(endless);
        assert!(timeout(Duration::from_millis(50), &mut running).await.is_err(), "it is endless");
        tasks.shutdown().cancel();
        assert!(running.await.is_err());
        let joined = tasks.join(Duration::from_secs(60)).await;
        assert!(joined.is_ok(), "{joined:?}");
    }
}
