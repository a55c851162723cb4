//! Messages between a script engine in a process of its own and its parent, as bytes.
//!
//! Every message is one frame; the carrier separates frames ([`LENGTH_BYTES`]). A frame is a byte
//! for its kind and its fields in their order: numbers as 64 bits (little-endian), texts and bytes
//! with their length before them. Both ends are the same program, so there are no versions.

use std::time::Duration;

use wire::http::ntlm::NtlmLogin;
use wire::http::{ConnectionAuth, Response};

use crate::engine::RunError;
use crate::host::{HostRequest, Limits, Opened, WebDriverCommand};

/// Size of the length before each frame (little-endian).
pub const LENGTH_BYTES: usize = 4;
/// The longest frame. A value, a result or an answer may have 64 MiB, plus a script and headers; a
/// longer one is a fault of the other end.
pub const FRAME_BYTES_MAX: usize = 192 << 20;

/// A frame in an unknown form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame of a script's process is malformed")]
pub struct Malformed;

/// To the process: an order.
#[derive(Debug)]
pub(crate) enum Order {
    /// The first one: the limits of all runs.
    Begin {
        limits: Limits,
        drives_browsers: bool,
    },
    Run {
        source: String,
        value: String,
        time: Duration,
    },
}

/// From the process: a request of a script to its host, or its result.
#[derive(Debug)]
pub(crate) enum Ask {
    Sleep(Duration),
    Log { level: i32, text: String },
    Exchange(OwnedRequest),
    Sign { key: Vec<u8>, data: Vec<u8> },
    Open { capabilities: String, time: Duration },
    Drive(OwnedCommand),
    Close(Vec<String>),
    Outcome(Result<Option<String>, RunError>),
}

#[derive(Debug)]
pub(crate) struct OwnedRequest {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    proxy: String,
    auth: Option<ConnectionAuth>,
    time: Duration,
    body_bytes_max: usize,
}

impl OwnedRequest {
    pub(crate) fn borrowed(&self) -> HostRequest<'_> {
        HostRequest {
            method: &self.method,
            url: &self.url,
            headers: &self.headers,
            body: self.body.as_deref(),
            proxy: &self.proxy,
            auth: self.auth.as_ref(),
            time: self.time,
            body_bytes_max: self.body_bytes_max,
        }
    }
}

#[derive(Debug)]
pub(crate) struct OwnedCommand {
    pub(crate) session: String,
    method: String,
    path: String,
    body: Option<String>,
    time: Duration,
    body_bytes_max: usize,
}

impl OwnedCommand {
    pub(crate) fn borrowed(&self) -> WebDriverCommand<'_> {
        WebDriverCommand {
            session: &self.session,
            method: &self.method,
            path: &self.path,
            body: self.body.clone(),
            time: self.time,
            body_bytes_max: self.body_bytes_max,
        }
    }
}

/// Writes a frame.
#[derive(Debug)]
pub(crate) struct Put(Vec<u8>);

impl Put {
    fn new(kind: u8) -> Self {
        Self(vec![kind])
    }

    fn number(mut self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn size(self, size: usize) -> Self {
        self.number(u64::try_from(size).unwrap_or(u64::MAX))
    }

    fn time(self, time: Duration) -> Self {
        self.number(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    fn flag(mut self, flag: bool) -> Self {
        self.0.push(u8::from(flag));
        self
    }

    fn bytes(self, bytes: &[u8]) -> Self {
        let mut it = self.size(bytes.len());
        it.0.extend_from_slice(bytes);
        it
    }

    fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    fn optional<T>(self, value: Option<T>, put: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => put(self.flag(true), value),
            None => self.flag(false),
        }
    }

    fn pairs(self, pairs: &[(String, String)]) -> Self {
        let it = self.size(pairs.len());
        pairs.iter().fold(it, |it, (name, value)| it.text(name).text(value))
    }

    fn response(self, it: &Response) -> Self {
        self.number(it.status.into()).pairs(&it.headers).bytes(&it.body)
    }

    /// A value, or a text with the reason why there is none.
    fn outcome<T>(self, outcome: Result<T, String>, put: impl FnOnce(Self, T) -> Self) -> Vec<u8> {
        match outcome {
            Ok(value) => put(self.flag(true), value).0,
            Err(why) => self.flag(false).text(&why).0,
        }
    }
}

/// Reads a frame.
struct Take<'a>(&'a [u8]);

impl<'a> Take<'a> {
    fn raw(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.raw(1)?.first().copied().ok_or(Malformed)
    }

    fn flag(&mut self) -> Result<bool, Malformed> {
        Ok(self.byte()? != 0)
    }

    fn number(&mut self) -> Result<u64, Malformed> {
        let bytes = self.raw(8)?.try_into().map_err(|_length| Malformed)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn size(&mut self) -> Result<usize, Malformed> {
        usize::try_from(self.number()?).map_err(|_large| Malformed)
    }

    fn time(&mut self) -> Result<Duration, Malformed> {
        Ok(Duration::from_nanos(self.number()?))
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Malformed> {
        let n = self.size()?;
        Ok(self.raw(n)?.to_vec())
    }

    fn text(&mut self) -> Result<String, Malformed> {
        String::from_utf8(self.bytes()?).map_err(|_bytes| Malformed)
    }

    fn optional<T>(
        &mut self,
        take: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        if self.flag()? { take(self).map(Some) } else { Ok(None) }
    }

    /// Grows with the elements read, not with the announced number.
    fn list<T>(
        &mut self,
        mut take: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let n = self.size()?;
        let mut list = Vec::new();
        for _ in 0..n {
            list.push(take(self)?);
        }
        Ok(list)
    }

    fn pairs(&mut self) -> Result<Vec<(String, String)>, Malformed> {
        self.list(|it| Ok((it.text()?, it.text()?)))
    }

    fn response(&mut self) -> Result<Response, Malformed> {
        let status = u16::try_from(self.number()?).map_err(|_large| Malformed)?;
        Ok(Response { status, headers: self.pairs()?, body: self.bytes()? })
    }

    fn outcome<T>(
        &mut self,
        take: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Result<T, String>, Malformed> {
        Ok(if self.flag()? { Ok(take(self)?) } else { Err(self.text()?) })
    }

    /// The whole frame is read by `take`.
    fn all<T>(
        frame: &'a [u8],
        take: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<T, Malformed> {
        let mut it = Self(frame);
        let taken = take(&mut it)?;
        if it.0.is_empty() { Ok(taken) } else { Err(Malformed) }
    }
}

pub(crate) fn begin(limits: &Limits, drives_browsers: bool) -> Vec<u8> {
    let put = Put::new(0).time(limits.time).size(limits.memory_bytes).size(limits.stack_bytes);
    let put = put.size(limits.result_bytes).size(limits.log_bytes).size(limits.requests);
    put.size(limits.body_bytes).size(limits.browsers).flag(drives_browsers).0
}

pub(crate) fn run(source: &str, value: &str, time: Duration) -> Vec<u8> {
    Put::new(1).text(source).text(value).time(time).0
}

pub(crate) fn order(frame: &[u8]) -> Result<Order, Malformed> {
    Take::all(frame, |it| match it.byte()? {
        0 => {
            let limits = Limits {
                time: it.time()?,
                memory_bytes: it.size()?,
                stack_bytes: it.size()?,
                result_bytes: it.size()?,
                log_bytes: it.size()?,
                requests: it.size()?,
                body_bytes: it.size()?,
                browsers: it.size()?,
            };
            Ok(Order::Begin { limits, drives_browsers: it.flag()? })
        }
        1 => Ok(Order::Run { source: it.text()?, value: it.text()?, time: it.time()? }),
        _ => Err(Malformed),
    })
}

pub(crate) fn sleep(time: Duration) -> Vec<u8> {
    Put::new(0).time(time).0
}

pub(crate) fn log(level: i32, text: &str) -> Vec<u8> {
    Put::new(1).number(u64::from(level.cast_unsigned())).text(text).0
}

pub(crate) fn exchange(it: &HostRequest<'_>) -> Vec<u8> {
    let put = Put::new(2).text(it.method).text(it.url).pairs(it.headers);
    let put = put.optional(it.body, Put::bytes).text(it.proxy).optional(it.auth, auth);
    put.time(it.time).size(it.body_bytes_max).0
}

fn auth(put: Put, auth: &ConnectionAuth) -> Put {
    match auth {
        ConnectionAuth::Ntlm(it) => put.flag(true).text(&it.user).text(&it.password),
        ConnectionAuth::Negotiate => put.flag(false),
    }
}

pub(crate) fn sign(key: &[u8], data: &[u8]) -> Vec<u8> {
    Put::new(3).bytes(key).bytes(data).0
}

pub(crate) fn open(capabilities: &str, time: Duration) -> Vec<u8> {
    Put::new(4).text(capabilities).time(time).0
}

pub(crate) fn drive(it: &WebDriverCommand<'_>) -> Vec<u8> {
    let put = Put::new(5).text(it.session).text(it.method).text(it.path);
    let put = put.optional(it.body.as_deref(), Put::text);
    put.time(it.time).size(it.body_bytes_max).0
}

pub(crate) fn close(sessions: &[String]) -> Vec<u8> {
    let put = Put::new(6).size(sessions.len());
    sessions.iter().fold(put, |put, it| put.text(it)).0
}

pub(crate) fn ended(outcome: &Result<Option<String>, RunError>) -> Vec<u8> {
    let put = Put::new(7);
    match outcome {
        Ok(it) => put.flag(true).optional(it.as_deref(), Put::text).0,
        Err(RunError::Compile(why)) => put.flag(false).flag(true).text(why).0,
        Err(RunError::Execute(why)) => put.flag(false).flag(false).text(why).0,
    }
}

pub(crate) fn ask(frame: &[u8]) -> Result<Ask, Malformed> {
    Take::all(frame, |it| {
        Ok(match it.byte()? {
            0 => Ask::Sleep(it.time()?),
            1 => {
                let level = u32::try_from(it.number()?).map_err(|_large| Malformed)?;
                Ask::Log { level: level.cast_signed(), text: it.text()? }
            }
            2 => Ask::Exchange(OwnedRequest {
                method: it.text()?,
                url: it.text()?,
                headers: it.pairs()?,
                body: it.optional(Take::bytes)?,
                proxy: it.text()?,
                auth: it.optional(take_auth)?,
                time: it.time()?,
                body_bytes_max: it.size()?,
            }),
            3 => Ask::Sign { key: it.bytes()?, data: it.bytes()? },
            4 => Ask::Open { capabilities: it.text()?, time: it.time()? },
            5 => Ask::Drive(OwnedCommand {
                session: it.text()?,
                method: it.text()?,
                path: it.text()?,
                body: it.optional(Take::text)?,
                time: it.time()?,
                body_bytes_max: it.size()?,
            }),
            6 => Ask::Close(it.list(Take::text)?),
            7 => Ask::Outcome(take_ended(it)?),
            _ => return Err(Malformed),
        })
    })
}

fn take_ended(it: &mut Take<'_>) -> Result<Result<Option<String>, RunError>, Malformed> {
    if it.flag()? {
        return Ok(Ok(it.optional(Take::text)?));
    }
    let failed = if it.flag()? { RunError::Compile } else { RunError::Execute };
    Ok(Err(failed(it.text()?)))
}

fn take_auth(it: &mut Take<'_>) -> Result<ConnectionAuth, Malformed> {
    if !it.flag()? {
        return Ok(ConnectionAuth::Negotiate);
    }
    Ok(ConnectionAuth::Ntlm(NtlmLogin { user: it.text()?, password: it.text()? }))
}

/// The answer to a request that has none of its own.
pub(crate) fn done() -> Vec<u8> {
    Put::new(0).0
}

pub(crate) fn response(answer: Result<Response, String>) -> Vec<u8> {
    Put::new(1).outcome(answer, |put, it| put.response(&it))
}

pub(crate) fn signature(answer: Result<Vec<u8>, String>) -> Vec<u8> {
    Put::new(2).outcome(answer, |put, it| put.bytes(&it))
}

pub(crate) fn opened(answer: Result<Opened, String>) -> Vec<u8> {
    Put::new(3).outcome(answer, |put, it| {
        put.optional(it.session.as_deref(), Put::text).response(&it.answer)
    })
}

/// An answer of a kind.
fn answer<T>(
    frame: &[u8],
    kind: u8,
    take: impl FnOnce(&mut Take<'_>) -> Result<T, Malformed>,
) -> Result<Result<T, String>, Malformed> {
    Take::all(frame, |it| if it.byte()? == kind { it.outcome(take) } else { Err(Malformed) })
}

pub(crate) fn take_response(frame: &[u8]) -> Result<Result<Response, String>, Malformed> {
    answer(frame, 1, |it| it.response())
}

pub(crate) fn take_signature(frame: &[u8]) -> Result<Result<Vec<u8>, String>, Malformed> {
    answer(frame, 2, |it| it.bytes())
}

pub(crate) fn take_opened(frame: &[u8]) -> Result<Result<Opened, String>, Malformed> {
    answer(frame, 3, |it| Ok(Opened { session: it.optional(Take::text)?, answer: it.response()? }))
}
