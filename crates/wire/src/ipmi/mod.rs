//! IPMI over LAN: sessions of RMCP+ and of IPMI 1.5, messages, sensor records, readings, and
//! chassis commands.
//!
//! [`Opening`] logs in step by step, [`Session`] seals and opens packets, [`IpmiExchange`] is a command
//! and recognizes its answer, and [`Sensor`] reads a record and converts readings into values.
//!
//! Not here: sockets, retries, the order of commands, MD2 and OEM algorithms of IPMI 1.5.

mod chassis;
mod message;
mod names;
mod opening;
mod sensor;
mod session;
mod session_15;

pub use chassis::{CHASSIS_CONTROL, CHASSIS_STATUS, ChassisControl, is_powered};
pub use message::{IpmiExchange, NetFn, completion_text};
pub use opening::{Opening, Session, SessionKind};
pub use sensor::{Sensor, SensorReading, Thresholds, record_len};
pub use session::{CipherSuite, PASSWORD_MAX, USERNAME_MAX, is_rmcp};
pub use session_15::{Authentication, PASSWORD_15_MAX};

/// A user of the device.
#[derive(Clone, PartialEq, Eq)]
pub struct IpmiUser {
    pub username: Vec<u8>,
    pub password: Vec<u8>,
    /// 1 callback, 2 user, 3 operator, 4 administrator, 5 OEM.
    pub privilege: u8,
}

/// Without the password.
impl std::fmt::Debug for IpmiUser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpmiUser").field("privilege", &self.privilege).finish_non_exhaustive()
    }
}

/// The next packet to send, or the session.
#[derive(Debug)]
pub enum Step<S> {
    Send(Vec<u8>),
    Opened(S),
}

impl<S> Step<S> {
    fn map<T>(self, opened: impl FnOnce(S) -> T) -> Step<T> {
        match self {
            Self::Send(packet) => Step::Send(packet),
            Self::Opened(session) => Step::Opened(opened(session)),
        }
    }
}

/// Why a session with a device fails.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum IpmiError {
    #[error("an answer ends too early")]
    Truncated,
    #[error("the user or the password is wrong")]
    WrongPassword,
    #[error("the device answered with another cipher suite than requested")]
    OtherSuite,
    #[error("{}", status_text(*.0))]
    Refused(u8),
    /// With the available ways, as bits: none, MD2, MD5, -, straight, OEM.
    #[error("the device refuses this user with the host's authentication algorithm (it has: {})", ways_text(*.0))]
    OtherAuthentication(u8),
    /// With a completion code.
    #[error("{}", completion_text(*.0))]
    NotActivated(u8),
}

impl IpmiError {
    /// Whether the device may know another suite.
    #[must_use]
    pub fn is_about_suite(self) -> bool {
        // Algorithms of authentication, integrity, confidentiality; no such suite.
        matches!(self, Self::OtherSuite | Self::Refused(0x04 | 0x05 | 0x10 | 0x11))
    }
}

fn ways_text(ways: u8) -> String {
    let names = [(1, "none"), (2, "MD2"), (4, "MD5"), (16, "straight"), (32, "OEM")];
    let names: Vec<_> = names.iter().filter(|it| ways & it.0 != 0).map(|it| it.1).collect();
    if names.is_empty() { "RMCP+ alone".to_owned() } else { names.join(", ") }
}

fn status_text(status: u8) -> String {
    let text = match status {
        0x01 => "the device has no room for another session",
        0x02 => "the device does not know the session",
        0x04 => "the device does not know the authentication algorithm",
        0x05 => "the device does not know the integrity algorithm",
        0x09 => "the user does not have this privilege level",
        0x0a => "the device has no room for another session at this privilege level",
        0x0b | 0x0e => "the device does not take the length of the name",
        0x0c => "the device does not take this user's name",
        0x0d => "the device does not know the user",
        0x0f => "the user or the password is wrong",
        0x10 => "the device does not know the confidentiality algorithm",
        0x11 => "the device has no matching cipher suite",
        0x12 => "the device did not understand a parameter",
        other => return format!("the device refuses the session with status 0x{other:02x}"),
    };
    text.to_owned()
}
