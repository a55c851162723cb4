//! One device: its session, and commands in it.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use model::content::IpmiLogin;
use rt::clock::{Clock, nanos};
use tokio::net::UdpSocket;
use tokio::time::{Instant, sleep, timeout_at};
use wire::ipmi::{
    Authentication, CipherSuite, IpmiError, IpmiExchange, IpmiUser, NetFn, Opening,
    PASSWORD_15_MAX, PASSWORD_MAX, Sensor, Session, SessionKind, Step, USERNAME_MAX,
    completion_text,
};

use super::super::network::{describe, is_shortage};
use super::transcript;
use crate::transcript::{LineKind, Transcript};

/// How often a packet is sent.
pub(super) const SENDS: u32 = 3;
/// Largest packet.
const PACKET_MAX: usize = 2_048;
/// A session unused for this long is kept alive by a message, or closed. Devices end sessions by
/// themselves after 60 seconds.
const QUIET_MAX: Duration = Duration::from_secs(25);
/// A session is kept for this long after the last check.
const KEPT_MAX: Duration = Duration::from_secs(600);
/// After this time all state of a device is forgotten.
const KNOWN_MAX: Duration = Duration::from_secs(3_600);
/// A busy device is asked again.
const BUSY: u8 = 0xc0;
const BUSY_TRIES: u32 = 5;
const BUSY_WAIT: Duration = Duration::from_millis(100);
/// The privilege level at the start of a session.
const USER: u8 = 2;
const GET_DEVICE_ID: u8 = 0x01;
const SET_PRIVILEGE: u8 = 0x3b;
const CLOSE_SESSION: u8 = 0x3c;
/// As a host has it.
const AUTH_DEFAULT: i64 = -1;
const AUTH_NONE: i64 = 0;
const AUTH_MD5: i64 = 2;
const AUTH_STRAIGHT: i64 = 4;
const AUTH_RMCP_PLUS: i64 = 6;
/// The ways to try one after the other, unless IPMI 1.5 is asked for: falling back to it would
/// lower the security without the user's choice.
const RMCP_PLUS: [SessionKind; 2] =
    [SessionKind::RmcpPlus(CipherSuite::Sha256), SessionKind::RmcpPlus(CipherSuite::Sha1)];

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// The device does not answer, or refuses every login.
    Network(String),
    /// The device does not support it.
    NotSupported(String),
    /// The host's configuration does not allow the request.
    Refused(String),
    /// We could not ask.
    NotMade,
}

/// Sensors, and the time when their records were read.
pub(super) struct Known {
    pub(super) sensors: Vec<Sensor>,
    pub(super) read_ns: u64,
}

pub(super) struct Device {
    address: SocketAddr,
    login: Result<(IpmiUser, Vec<SessionKind>), Failure>,
    /// Time for the answer to one packet.
    time: Duration,
    link: Option<Link>,
    /// The way that the device is known to support.
    way: Option<SessionKind>,
    pub(super) known: Option<Known>,
    used_ns: u64,
    /// Time of the last packet.
    heard_ns: u64,
    /// The transcript of a trial.
    transcript: Option<Transcript>,
}

struct Link {
    socket: UdpSocket,
    session: Session,
    number: u8,
}

impl Device {
    pub(super) fn new(login: &IpmiLogin, address: SocketAddr, time: Duration) -> Self {
        let login = login_of(login);
        Self {
            address,
            login,
            time,
            link: None,
            way: None,
            known: None,
            used_ns: 0,
            heard_ns: 0,
            transcript: None,
        }
    }

    /// Records the exchange in the transcript, without the login.
    pub(super) fn with_transcript(self, transcript: Option<&Transcript>) -> Self {
        Self { transcript: transcript.cloned(), ..self }
    }

    pub(super) fn record(&self, kind: LineKind, text: impl FnOnce() -> String) {
        if let Some(it) = &self.transcript {
            it.push(kind, &text(), b"");
        }
    }

    /// Opens a session if there is none.
    pub(super) async fn open(&mut self, clock: &Clock) -> Result<(), Failure> {
        self.used_ns = clock.mono_ns();
        if self.link.is_some() && nanos(QUIET_MAX) * 2 < self.used_ns.saturating_sub(self.heard_ns)
        {
            // The session has ended by itself.
            self.link = None;
        }
        if self.link.is_some() {
            return Ok(());
        }
        let (login, ways) = self.login.clone()?;
        let ways = self.way.map_or(ways, |known| vec![known]);
        let mut failed = self.failed("no cipher suite");
        for way in ways {
            self.record(LineKind::Note, || {
                format!("login at {} by {}", self.address, transcript::way(way))
            });
            match self.log_in(way, login.clone()).await {
                Ok(link) => {
                    (self.link, self.way) = (Some(link), Some(way));
                    self.heard_ns = clock.mono_ns();
                    return self.raise(login.privilege, clock).await;
                }
                Err(LoginError::Device(error)) if error.is_about_suite() => {
                    failed = self.failed(&error.to_string());
                }
                Err(LoginError::Device(error)) => return Err(self.failed(&error.to_string())),
                // Some devices do not answer unknown requests.
                Err(LoginError::NoAnswer | LoginError::NoSession) => {
                    failed = self.failed("no answer");
                }
                Err(LoginError::Io(error)) if is_shortage(&error) => return Err(Failure::NotMade),
                Err(LoginError::Io(error)) => return Err(self.failed(&describe(&error))),
            }
        }
        // The device may have been replaced by one with fewer ways.
        self.way = None;
        Err(failed)
    }

    fn failed(&self, why: &str) -> Failure {
        let (ip, port) = (self.address.ip(), self.address.port());
        Failure::Network(format!("Cannot connect to IPMI host [{ip}]:{port}: {why}."))
    }

    async fn log_in(&self, way: SessionKind, login: IpmiUser) -> Result<Link, LoginError> {
        let any: SocketAddr = if self.address.is_ipv4() {
            (Ipv4Addr::UNSPECIFIED, 0).into()
        } else {
            (Ipv6Addr::UNSPECIFIED, 0).into()
        };
        let socket = UdpSocket::bind(any).await.map_err(LoginError::Io)?;
        socket.connect(self.address).await.map_err(LoginError::Io)?;
        let (mut opening, mut packet) = Opening::start(way, login, &random()?);
        for n in 0.. {
            let step = self.step(&socket, &mut opening, &packet).await;
            self.record_step(transcript::step(way, n), &step);
            match step {
                Ok(Step::Send(next)) => packet = next,
                Ok(Step::Opened(session)) => return Ok(Link { socket, session, number: 0 }),
                Err(LoginError::NoAnswer) if opening.waits_for_password() => {
                    return Err(LoginError::Device(IpmiError::WrongPassword));
                }
                Err(error) => {
                    // Otherwise the device keeps one of its few places for a session that never
                    // opens.
                    if matches!(error, LoginError::Device(IpmiError::WrongPassword))
                        && let Some(packet) = opening.refusal()
                    {
                        drop(socket.send(&packet).await);
                    }
                    return Err(error);
                }
            }
        }
        Err(LoginError::NoSession)
    }

    fn record_step(&self, name: &str, step: &Result<Step<Session>, LoginError>) {
        self.record(LineKind::Note, || match step {
            Ok(Step::Send(_)) => format!("{name}: answered"),
            Ok(Step::Opened(_)) => format!("{name}: answered, the session is open"),
            Err(LoginError::Device(error)) => format!("{name}: {error}"),
            Err(LoginError::Io(error)) => format!("{name}: {}", describe(error)),
            Err(LoginError::NoAnswer | LoginError::NoSession) => {
                format!("{name}: no answer, sent {SENDS} times, within {:?} each", self.time)
            }
        });
    }

    async fn step(
        &self,
        socket: &UdpSocket,
        opening: &mut Opening,
        packet: &[u8],
    ) -> Result<Step<Session>, LoginError> {
        let mut buffer = [0; PACKET_MAX];
        for _ in 0..SENDS {
            socket.send(packet).await.map_err(LoginError::Io)?;
            let until = Instant::now() + self.time;
            while let Ok(got) = timeout_at(until, socket.recv(&mut buffer)).await {
                let len = got.map_err(LoginError::Io)?;
                let got = opening.take(buffer.get(..len).unwrap_or_default());
                if let Some(step) = got.map_err(LoginError::Device)? {
                    return Ok(step);
                }
            }
        }
        Err(LoginError::NoAnswer)
    }

    async fn raise(&mut self, privilege: u8, clock: &Clock) -> Result<(), Failure> {
        if privilege == USER {
            return Ok(());
        }
        let (code, _) = self.command((NetFn::App, SET_PRIVILEGE, 0), &[privilege], clock).await?;
        self.record(LineKind::Note, || {
            format!("Set Session Privilege Level {privilege}: {}", transcript::answer(code, &[]))
        });
        if code == 0 {
            return Ok(());
        }
        self.close().await;
        Err(self.failed(&completion_text(code)))
    }

    /// Completion code and data of the answer to a command. If the answer is lost the session is
    /// given up and opened again once: the device may have ended it.
    pub(super) async fn exchange(
        &mut self,
        command: (NetFn, u8, u8),
        data: &[u8],
        clock: &Clock,
    ) -> Result<(u8, Vec<u8>), Failure> {
        let is_fresh = self.link.is_none();
        if is_fresh {
            self.open(clock).await?;
        }
        for n in 0.. {
            match self.command(command, data, clock).await {
                Ok((BUSY, _)) if n < BUSY_TRIES => sleep(BUSY_WAIT).await,
                Err(Failure::Network(_)) if !is_fresh && n == 0 => self.open(clock).await?,
                answer => return answer,
            }
        }
        Err(Failure::NotMade)
    }

    /// As [`Self::exchange`], in the session that is open: for commands that must not be executed
    /// twice. They are sent `n_sends` times. `None`: the answer is lost, and it is unknown whether
    /// the device has executed the command.
    pub(super) async fn exchange_in_session(
        &mut self,
        command: (NetFn, u8, u8),
        data: &[u8],
        n_sends: u32,
        clock: &Clock,
    ) -> Result<Option<(u8, Vec<u8>)>, Failure> {
        // The same time as for all packets together.
        let sending = Sending { n: n_sends, time: self.time * SENDS / n_sends.max(1) };
        for _ in 0..BUSY_TRIES {
            match self.send(command, data, sending, clock).await {
                // It was not begun.
                Ok((BUSY, _)) => sleep(BUSY_WAIT).await,
                Err(LoginError::NoAnswer) => return Ok(None),
                answer => return answer.map(Some).map_err(|error| self.lost(&error)),
            }
        }
        Ok(Some((BUSY, Vec::new())))
    }

    async fn command(
        &mut self,
        command: (NetFn, u8, u8),
        data: &[u8],
        clock: &Clock,
    ) -> Result<(u8, Vec<u8>), Failure> {
        let sending = Sending { n: SENDS, time: self.time };
        self.send(command, data, sending, clock).await.map_err(|error| self.lost(&error))
    }

    /// A lost answer gives the session up.
    async fn send(
        &mut self,
        (net_fn, command, lun): (NetFn, u8, u8),
        data: &[u8],
        sending: Sending,
        clock: &Clock,
    ) -> Result<(u8, Vec<u8>), LoginError> {
        let mut link = self.link.take().ok_or(LoginError::NoSession)?;
        let number = link.number;
        link.number = (number + 1) % 64;
        let exchange = IpmiExchange { net_fn, command, lun, number };
        let answer = link.converse(&exchange, data, sending).await?;
        self.link = Some(link);
        self.heard_ns = clock.mono_ns();
        Ok(answer)
    }

    fn lost(&self, error: &LoginError) -> Failure {
        self.record(LineKind::Note, || match error {
            LoginError::Io(error) => describe(error),
            _ => format!("no answer, sent {SENDS} times, within {:?} each", self.time),
        });
        match error {
            LoginError::Io(error) if is_shortage(error) => Failure::NotMade,
            LoginError::Io(error) => self.failed(&describe(error)),
            LoginError::NoSession => self.failed("no session"),
            LoginError::NoAnswer | LoginError::Device(_) => self.failed("no answer"),
        }
    }

    /// Keeps the session alive while it is in use, and closes it after that.
    pub(super) async fn keep(&mut self, clock: &Clock) {
        let now_ns = clock.mono_ns();
        if self.link.is_none() || now_ns.saturating_sub(self.heard_ns) < nanos(QUIET_MAX) {
            return;
        }
        if nanos(KEPT_MAX) < now_ns.saturating_sub(self.used_ns) {
            self.close().await;
            return;
        }
        // If it is lost, the next check opens another one.
        drop(self.command((NetFn::App, GET_DEVICE_ID, 0), &[], clock).await);
    }

    pub(super) fn is_forgotten(&self, clock: &Clock) -> bool {
        self.link.is_none() && nanos(KNOWN_MAX) < clock.mono_ns().saturating_sub(self.used_ns)
    }

    /// Gives the device its place back. No answer is awaited.
    pub(super) async fn close(&mut self) {
        let Some(mut link) = self.link.take() else { return };
        let exchange = IpmiExchange {
            net_fn: NetFn::App,
            command: CLOSE_SESSION,
            lun: 0,
            number: link.number,
        };
        let id = link.session.id();
        if let Ok(start) = random() {
            let packet = link.session.seal(&exchange.question(&id), start);
            drop(link.socket.send(&packet).await);
        }
    }
}

impl Link {
    async fn converse(
        &mut self,
        exchange: &IpmiExchange,
        data: &[u8],
        sending: Sending,
    ) -> Result<(u8, Vec<u8>), LoginError> {
        let question = exchange.question(data);
        let mut buffer = [0; PACKET_MAX];
        for _ in 0..sending.n {
            let packet = self.session.seal(&question, random()?);
            self.socket.send(&packet).await.map_err(LoginError::Io)?;
            let until = Instant::now() + sending.time;
            while let Ok(got) = timeout_at(until, self.socket.recv(&mut buffer)).await {
                let len = got.map_err(LoginError::Io)?;
                let message = self.session.open(buffer.get(..len).unwrap_or_default());
                if let Some((code, data)) = message.as_deref().and_then(|it| exchange.answer(it)) {
                    return Ok((code, data.to_vec()));
                }
            }
        }
        Err(LoginError::NoAnswer)
    }
}

/// How often a packet is sent, and the time to wait for its answer each time.
#[derive(Clone, Copy)]
struct Sending {
    n: u32,
    time: Duration,
}

enum LoginError {
    NoSession,
    NoAnswer,
    Device(IpmiError),
    Io(io::Error),
}

fn random<const N: usize>() -> Result<[u8; N], LoginError> {
    let mut random = [0; N];
    getrandom::fill(&mut random).map_err(|it| LoginError::Io(io::Error::other(it)))?;
    Ok(random)
}

/// The login, and the ways to try.
fn login_of(login: &IpmiLogin) -> Result<(IpmiUser, Vec<SessionKind>), Failure> {
    let (ways, password_max) = match login.authtype {
        AUTH_DEFAULT | AUTH_RMCP_PLUS => (RMCP_PLUS.to_vec(), PASSWORD_MAX),
        AUTH_NONE => (vec![SessionKind::Ipmi15(Authentication::None)], PASSWORD_15_MAX),
        AUTH_MD5 => (vec![SessionKind::Ipmi15(Authentication::Md5)], PASSWORD_15_MAX),
        AUTH_STRAIGHT => (vec![SessionKind::Ipmi15(Authentication::Straight)], PASSWORD_15_MAX),
        _ => {
            return Err(Failure::Refused(
                "The IPMI authentication algorithms MD2 and OEM are not supported: choose Default, RMCP+, MD5, Straight or None."
                    .to_owned(),
            ));
        }
    };
    if USERNAME_MAX < login.username.len() {
        return Err(Failure::Refused(format!(
            "The IPMI user name is longer than {USERNAME_MAX} characters."
        )));
    }
    if password_max < login.password.len() {
        return Err(Failure::Refused(format!(
            "The IPMI password is longer than {password_max} characters."
        )));
    }
    let login = IpmiUser {
        username: login.username.clone().into_bytes(),
        password: login.password.clone().into_bytes(),
        privilege: u8::try_from(login.privilege)
            .ok()
            .filter(|it| (1..=5).contains(it))
            .unwrap_or(USER),
    };
    Ok((login, ways))
}
