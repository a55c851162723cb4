//! The host of scripts: clock, log, requests, signatures.

use std::sync::Arc;
use std::time::Duration;

use engine::workers::NewHost;
use outgoing::{Exchanger, Outgoing};
use rt::clock::Clock;
use rt::metrics::Counter;
use rt::shutdown::Shutdown;
use rt::task::Tasks;
use script::{Host, HostRequest, WebDriver};
use tracing::{debug, error, info, trace, warn};
use wire::http::Response;

use crate::web_driver::Driver;

/// Messages of one worker's scripts that reach the log in a second; further ones are only counted,
/// so that scripts cannot fill a disk.
const MESSAGES_PER_S: u32 = 100;
/// Longest message in the log, in characters.
const MESSAGE_CHARS: usize = 8_192;
const SECOND_NS: u64 = 1_000_000_000;

/// When long runs of scripts end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// The time of the script is over.
    AtLimit,
    /// Also when the tasks end.
    AtStop,
}

/// A host of scripts, until the tasks end.
#[must_use]
pub fn new_host(outgoing: &Outgoing, clock: &Clock, tasks: &Tasks, ends: Ends) -> NewHost {
    hosts(
        outgoing,
        clock,
        tasks,
        move |host| if ends == Ends::AtStop { host.ending_at_stop() } else { host },
    )
}

/// As [`new_host`], for scripts that have browsers and end with the tasks.
#[must_use]
pub fn new_host_with_browsers(
    outgoing: &Outgoing,
    clock: &Clock,
    tasks: &Tasks,
    driver: Driver,
) -> NewHost {
    hosts(outgoing, clock, tasks, move |host| ScriptHost {
        driver: Some(driver.clone()),
        ..host.ending_at_stop()
    })
}

/// Hosts, each adapted by `shaped`.
fn hosts(
    outgoing: &Outgoing,
    clock: &Clock,
    tasks: &Tasks,
    shaped: impl Fn(ScriptHost) -> ScriptHost + Send + Sync + 'static,
) -> NewHost {
    let (clock, stop) = (clock.clone(), tasks.shutdown().clone());
    let exchanger = outgoing.exchanger();
    Arc::new(move |dropped| {
        let (clock, stop, exchanger) = (clock.clone(), stop.clone(), exchanger.clone());
        Box::new(shaped(ScriptHost::new(clock, stop, exchanger, dropped.clone())))
    })
}

/// The host of one worker's scripts.
pub(crate) struct ScriptHost {
    clock: Clock,
    /// Ends waiting.
    stop: Shutdown,
    /// Runs end with the process.
    ends_at_stop: bool,
    exchanger: Exchanger,
    window_ns: u64,
    n_messages: u32,
    dropped: Counter,
    driver: Option<Driver>,
}

impl ScriptHost {
    /// `dropped` counts messages that found no room in the log.
    pub(crate) fn new(
        clock: Clock,
        stop: Shutdown,
        exchanger: Exchanger,
        dropped: Counter,
    ) -> Self {
        Self {
            clock,
            stop,
            ends_at_stop: false,
            exchanger,
            window_ns: 0,
            n_messages: 0,
            dropped,
            driver: None,
        }
    }

    /// For scripts that may take long: the end of the process does not wait for them.
    pub(crate) fn ending_at_stop(self) -> Self {
        Self { ends_at_stop: true, ..self }
    }

    /// Whether one more message may go to the log.
    fn has_room(&mut self) -> bool {
        let now_ns = self.clock.mono_ns();
        if now_ns.saturating_sub(self.window_ns) > SECOND_NS {
            (self.window_ns, self.n_messages) = (now_ns, 0);
        }
        self.n_messages = self.n_messages.saturating_add(1);
        self.n_messages <= MESSAGES_PER_S
    }
}

impl Host for ScriptHost {
    fn now_ns(&self) -> u64 {
        self.clock.mono_ns()
    }

    fn is_stopping(&self) -> bool {
        self.ends_at_stop && self.stop.is_cancelled()
    }

    fn sleep(&mut self, time: Duration) {
        // Cut short only when the process ends: such a run is repeated.
        let _is_over = self.stop.wait(time);
    }

    fn log(&mut self, level: i32, text: &str) {
        if !self.has_room() {
            self.dropped.inc();
            return;
        }
        let text: String = text.chars().take(MESSAGE_CHARS).collect();
        match level {
            i32::MIN..=0 => info!(text, "script"),
            1 | 2 => error!(text, "script"),
            3 => warn!(text, "script"),
            4 => debug!(text, "script"),
            5.. => trace!(text, "script"),
        }
    }

    fn exchange(&mut self, request: &HostRequest<'_>) -> Result<Response, String> {
        self.exchanger.exchange(request)
    }

    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        rt::signing::rs256(key, data)
    }

    fn web_driver(&mut self) -> Option<&mut dyn WebDriver> {
        self.driver.as_mut().map(|it| it as &mut dyn WebDriver)
    }
}

#[cfg(test)]
mod tests {
    use model::networks::Destinations;

    use super::*;
    use crate::testing::outgoing_to;

    const DENIED: &str = "The setting outgoing.denied forbids this address";

    fn host(denied: &str, allowed: &str) -> ScriptHost {
        let networks = |text: &str| text.parse().expect("networks");
        let destinations = Destinations { denied: networks(denied), allowed: networks(allowed) };
        let exchanger = outgoing_to(destinations).exchanger();
        ScriptHost::new(Clock::real(), Shutdown::default(), exchanger, Counter::default())
    }

    fn ask(host: &mut ScriptHost, url: &str, proxy: &str) -> Result<u16, String> {
        let request = HostRequest {
            method: "GET",
            url,
            headers: &[],
            body: None,
            proxy,
            auth: None,
            time: Duration::from_secs(10),
            body_bytes_max: 1_000,
        };
        host.exchange(&request).map(|it| it.status)
    }

    #[test]
    fn no_writing_of_a_denied_address_is_connected_to() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let mut denying = host("127.0.0.0/8, ::1, 169.254.0.0/16", "");
        for name in
            ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"]
        {
            let answer = ask(&mut denying, &format!("http://{name}:{port}/"), "");
            assert_eq!(answer, Err(DENIED.to_owned()), "{name}");
        }
        let proxy = format!("http://127.0.0.1:{port}");
        let answer = ask(&mut denying, "http://example.invalid/", &proxy);
        assert_eq!(answer, Err(DENIED.to_owned()), "the proxy itself");
        let mut to_proxy = host("169.254.0.0/16", "");
        for name in ["169.254.169.254", "2852039166", "[::ffff:169.254.169.254]"] {
            for scheme in ["http", "https"] {
                let answer = ask(&mut to_proxy, &format!("{scheme}://{name}/"), &proxy);
                assert_eq!(answer, Err(DENIED.to_owned()), "{scheme} {name}");
            }
        }
        listener.set_nonblocking(true).expect("a socket");
        assert!(listener.accept().is_err(), "nobody came");
        listener.set_nonblocking(false).expect("a socket");
        let answering = std::thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            let (mut stream, _peer) = listener.accept().expect("a connection");
            assert!(stream.read(&mut [0; 4_096]).expect("a request") > 0);
            let answer = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
            stream.write_all(answer).expect("sent");
        });
        let mut excepting = host("127.0.0.0/8", "127.0.0.1");
        assert_eq!(ask(&mut excepting, &format!("http://127.0.0.1:{port}/"), ""), Ok(204));
        answering.join().expect("it answered");
    }
}
