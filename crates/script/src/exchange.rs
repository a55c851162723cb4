//! A request of a script: the host makes its exchanges, within the time that the run has left.

use std::time::Duration;

use super::host::{Host, HostRequest};
use wire::http::{Asked, Fetch, Jar, Response};

/// The rest of a run's limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    pub(super) deadline_ns: u64,
    pub(super) body_bytes: usize,
}

/// Makes a request. The headers are those of all answers up to the last.
pub(super) fn run(
    host: &mut dyn Host,
    jar: Option<&mut Jar>,
    left: Left,
    (asked, proxy): (&Asked, &str),
) -> Result<Response, String> {
    let mut none = Jar::default();
    let jar = jar.unwrap_or(&mut none);
    let mut fetch = Fetch::new(asked)?;
    let mut headers = Vec::new();
    loop {
        let exchange = fetch.next(jar)?;
        let time = Duration::from_nanos(left.deadline_ns.saturating_sub(host.now_ns()));
        if time.is_zero() {
            return Err("Timeout was reached".to_owned());
        }
        let answer = host.exchange(&HostRequest {
            method: &exchange.method,
            url: &exchange.url,
            headers: &exchange.headers,
            body: asked.body.as_deref().filter(|_| exchange.has_body),
            proxy,
            auth: exchange.auth.as_ref(),
            time,
            body_bytes_max: left.body_bytes,
        })?;
        headers.extend(answer.headers.iter().cloned());
        if fetch.take(jar, &answer, host.now_ns())? {
            return Ok(Response { headers, ..answer });
        }
    }
}
