//! Both ends of an engine in a process of its own: the engine ([`serve`]), and the parent that
//! executes the requests of scripts ([`attend`]).
//!
//! The process sends a request and waits for the answer, so that at most one frame is under way;
//! only messages for the log have no answer. The parent starts the process, limits its time and
//! ends it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use wire::http::Response;

use crate::engine::{Engine, RunError};
use crate::frames::{self, Ask, FRAME_BYTES_MAX, Malformed, Order};
use crate::host::{Host, HostRequest, Limits, Opened, WebDriver, WebDriverCommand};
use crate::source::Script;

const BROKEN: &str = "the server does not answer the script's process";
const TOO_LONG: &str = "the request of the script is too long";

/// The channel from the process to its parent.
pub trait Channel {
    /// Sends a frame; false: the other end is gone.
    fn send(&mut self, frame: &[u8]) -> bool;

    /// The next frame; `None`: there will be none.
    fn receive(&mut self) -> Option<Vec<u8>>;

    /// A monotonic clock, in nanoseconds.
    fn now_ns(&self) -> u64;

    /// Limits the memory of this process before the first run: runs may take as much as these
    /// limits.
    fn bound(&mut self, limits: &Limits);
}

/// Runs scripts in this process until there are no more. The first frame is answered once the
/// engine is ready.
///
/// # Errors
/// If a frame is malformed, or there is no memory for an engine.
pub fn serve(channel: Box<dyn Channel>) -> Result<(), String> {
    let pipe = Pipe(Rc::new(RefCell::new(channel)));
    let mut engine = None;
    while let Some(frame) = pipe.receive() {
        match frames::order(&frame).map_err(|it| it.to_string())? {
            Order::Begin { limits, drives_browsers } => {
                let driver = drives_browsers.then(|| RemoteDriver(pipe.clone()));
                let host = RemoteHost { pipe: pipe.clone(), driver };
                pipe.0.borrow_mut().bound(&limits);
                engine = Some(Engine::new(limits, Box::new(host))?);
                if !pipe.send(&frames::done()) {
                    break;
                }
            }
            Order::Run { source, value, time } => {
                let engine = engine.as_mut().ok_or_else(|| Malformed.to_string())?;
                engine.set_time(time);
                let mut ended = frames::ended(&engine.execute(&Script::new(&source), &value));
                if FRAME_BYTES_MAX < ended.len() {
                    ended = frames::ended(&Err(RunError::Execute(TOO_LONG.to_owned())));
                }
                if !pipe.send(&ended) {
                    break;
                }
            }
        }
    }
    Ok(())
}

#[derive(Clone)]
struct Pipe(Rc<RefCell<Box<dyn Channel>>>);

impl Pipe {
    fn send(&self, frame: &[u8]) -> bool {
        self.0.borrow_mut().send(frame)
    }

    fn receive(&self) -> Option<Vec<u8>> {
        self.0.borrow_mut().receive()
    }

    fn ask(&self, frame: &[u8]) -> Result<Vec<u8>, String> {
        if FRAME_BYTES_MAX < frame.len() {
            return Err(TOO_LONG.to_owned());
        }
        let answer = if self.send(frame) { self.receive() } else { None };
        answer.ok_or_else(|| BROKEN.to_owned())
    }

    /// The answer to a frame, as `take` reads it.
    fn answered<T>(
        &self,
        frame: &[u8],
        take: impl FnOnce(&[u8]) -> Result<Result<T, String>, Malformed>,
    ) -> Result<T, String> {
        take(&self.ask(frame)?).unwrap_or_else(|it| Err(it.to_string()))
    }
}

/// The host at the other end of the pipe.
struct RemoteHost {
    pipe: Pipe,
    driver: Option<RemoteDriver>,
}

impl Host for RemoteHost {
    fn now_ns(&self) -> u64 {
        self.pipe.0.borrow().now_ns()
    }

    fn sleep(&mut self, time: Duration) {
        // Without an answer the next frame reports it.
        self.pipe.ask(&frames::sleep(time)).ok();
    }

    fn log(&mut self, level: i32, text: &str) {
        self.pipe.send(&frames::log(level, text));
    }

    fn exchange(&mut self, request: &HostRequest<'_>) -> Result<Response, String> {
        self.pipe.answered(&frames::exchange(request), frames::take_response)
    }

    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        self.pipe.answered(&frames::sign(key, data), frames::take_signature)
    }

    fn web_driver(&mut self) -> Option<&mut dyn WebDriver> {
        self.driver.as_mut().map(|it| it as &mut dyn WebDriver)
    }
}

struct RemoteDriver(Pipe);

impl WebDriver for RemoteDriver {
    fn open(&mut self, capabilities: &str, time: Duration) -> Result<Opened, String> {
        self.0.answered(&frames::open(capabilities, time), frames::take_opened)
    }

    fn call(&mut self, command: &WebDriverCommand<'_>) -> Result<Response, String> {
        self.0.answered(&frames::drive(command), frames::take_response)
    }

    fn close(&mut self, sessions: Vec<String>) {
        self.0.ask(&frames::close(&sessions)).ok();
    }
}

/// The first frame to a process: the limits of all its runs.
#[must_use]
pub fn begin(limits: &Limits, drives_browsers: bool) -> Vec<u8> {
    frames::begin(limits, drives_browsers)
}

/// The frame to a process that runs a script, within this time.
///
/// # Errors
/// If script and value are longer than a frame may be.
pub fn order_run(script: &Script, value: &str, time: Duration) -> Result<Vec<u8>, String> {
    let n_bytes = script.source().len().saturating_add(value.len());
    if FRAME_BYTES_MAX / 2 < n_bytes {
        return Err(format!("script and value are longer than {} bytes", FRAME_BYTES_MAX / 2));
    }
    Ok(frames::run(script.source(), value, time))
}

/// The result of a frame of a process.
#[derive(Debug)]
pub enum Attended {
    /// Send this to it.
    Answer(Vec<u8>),
    /// It wants no answer.
    Noted,
    /// The script has ended.
    Ended(Result<Option<String>, RunError>),
}

fn no_driver<T>() -> Result<T, String> {
    Err("there is no WebDriver".to_owned())
}

/// Executes a request of a process. `sessions` are the open browsers of its run.
///
/// # Errors
/// If the frame is malformed: the process is of no further use.
pub fn attend(
    frame: &[u8],
    host: &mut dyn Host,
    sessions: &mut Vec<String>,
) -> Result<Attended, Malformed> {
    let answer = match frames::ask(frame)? {
        Ask::Sleep(time) => {
            host.sleep(time);
            frames::done()
        }
        Ask::Log { level, text } => {
            host.log(level, &text);
            return Ok(Attended::Noted);
        }
        Ask::Exchange(it) => frames::response(host.exchange(&it.borrowed())),
        Ask::Sign { key, data } => frames::signature(host.sign(&key, &data)),
        Ask::Open { capabilities, time } => {
            let opened = match host.web_driver() {
                Some(driver) => driver.open(&capabilities, time),
                None => no_driver(),
            };
            sessions.extend(opened.iter().filter_map(|it| it.session.clone()));
            frames::opened(opened)
        }
        // A run may use only its own sessions.
        Ask::Drive(it) if !sessions.contains(&it.session) => frames::response(no_driver()),
        Ask::Drive(it) => frames::response(match host.web_driver() {
            Some(driver) => driver.call(&it.borrowed()),
            None => no_driver(),
        }),
        Ask::Close(closed) => {
            let closed: Vec<_> = closed.into_iter().filter(|it| sessions.contains(it)).collect();
            sessions.retain(|it| !closed.contains(it));
            if let Some(driver) = host.web_driver() {
                driver.close(closed);
            }
            frames::done()
        }
        Ask::Outcome(outcome) => return Ok(Attended::Ended(outcome)),
    };
    Ok(Attended::Answer(answer))
}
