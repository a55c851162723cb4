//! Both kinds of sessions as one.

use super::session::{CipherSuite, PlusOpening, PlusSession};
use super::session_15::{Authentication, Opening15, Session15};
use super::{IpmiError, IpmiUser, Step};

/// A kind of session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// IPMI 2.0: signed and encrypted.
    RmcpPlus(CipherSuite),
    /// IPMI 1.5: signed at best.
    Ipmi15(Authentication),
}

/// A session that is being opened, step by step.
#[derive(Debug)]
pub enum Opening {
    RmcpPlus(Box<PlusOpening>),
    Ipmi15(Box<Opening15>),
}

impl Opening {
    /// The start of a session, and its first packet. `random`: 20 unpredictable bytes.
    #[must_use]
    pub fn start(way: SessionKind, login: IpmiUser, random: &[u8; 20]) -> (Self, Vec<u8>) {
        match way {
            SessionKind::RmcpPlus(suite) => {
                let (opening, packet) = PlusOpening::start(suite, login, random);
                (Self::RmcpPlus(Box::new(opening)), packet)
            }
            SessionKind::Ipmi15(authentication) => {
                let (opening, packet) = Opening15::start(authentication, login, random);
                (Self::Ipmi15(Box::new(opening)), packet)
            }
        }
    }

    /// Takes a packet; `None`: it is not the expected one.
    ///
    /// # Errors
    /// If the device refuses, or does not know the password.
    pub fn take(&mut self, packet: &[u8]) -> Result<Option<Step<Session>>, IpmiError> {
        Ok(match self {
            Self::RmcpPlus(it) => it.take(packet)?.map(|it| it.map(Session::RmcpPlus)),
            Self::Ipmi15(it) => it.take(packet)?.map(|it| it.map(Session::Ipmi15)),
        })
    }

    /// The message that gives the session up, so that the device need not keep a place for it.
    /// `None`: the device keeps none before it knows the password.
    #[must_use]
    pub fn refusal(&mut self) -> Option<Vec<u8>> {
        match self {
            Self::RmcpPlus(it) => Some(it.refusal()),
            Self::Ipmi15(_) => None,
        }
    }

    /// Whether the last packet sent is signed by the password: devices of IPMI 1.5 are silent when
    /// it is wrong.
    #[must_use]
    pub fn waits_for_password(&self) -> bool {
        matches!(self, Self::Ipmi15(it) if it.is_activating())
    }
}

/// An open session.
#[derive(Debug)]
pub enum Session {
    RmcpPlus(Box<PlusSession>),
    Ipmi15(Box<Session15>),
}

impl Session {
    /// The device's id of the session.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        match self {
            Self::RmcpPlus(it) => it.id(),
            Self::Ipmi15(it) => it.id(),
        }
    }

    /// A packet with a message; `start` is 16 unpredictable bytes for the encryption.
    pub fn seal(&mut self, message: &[u8], start: [u8; 16]) -> Vec<u8> {
        match self {
            Self::RmcpPlus(it) => it.seal(message, start),
            Self::Ipmi15(it) => it.seal(message),
        }
    }

    /// The message in a packet; `None`: it is not one of this session, or an old one.
    pub fn open(&mut self, packet: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::RmcpPlus(it) => it.open(packet),
            Self::Ipmi15(it) => it.open(packet),
        }
    }
}
