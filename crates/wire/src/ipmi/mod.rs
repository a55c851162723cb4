//! IPMI over LAN: sessions of RMCP+, messages, sensor records, readings.
//!
//! [`Opening`] logs in step by step, [`Session`] seals and opens packets, [`Exchange`] is a command and knows
//! its answer, and [`Sensor`] reads what a record says and turns readings into values.
//!
//! Not here: sockets, retries, the order of commands, sessions of IPMI 1.5.

mod message;
mod sensor;
mod session;
mod words;

pub use message::{Exchange, NetFn, completion_text};
pub use sensor::{Reading, Sensor, Thresholds, record_len};
pub use session::{
    CipherSuite, Login, Opening, PASSWORD_MAX, Session, Step, USERNAME_MAX, is_rmcp,
};

/// Why a device cannot be spoken to.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum IpmiError {
    #[error("an answer ends too early")]
    Truncated,
    #[error("the user or the password is wrong")]
    WrongPassword,
    #[error("the device answered with another cipher suite than it was asked for")]
    OtherSuite,
    #[error("{}", status_text(*.0))]
    Refused(u8),
}

impl IpmiError {
    /// Whether the device may know another suite.
    #[must_use]
    pub fn is_about_suite(self) -> bool {
        // Algorithms of authentication, integrity, confidentiality; no such suite.
        matches!(self, Self::OtherSuite | Self::Refused(0x04 | 0x05 | 0x10 | 0x11))
    }
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
