//! Sessions of IPMI 1.5 (IPMI 2.0, chapter 13.6): how they are opened, and the frame of a message.
//!
//! ```text
//! RMCP header (4) · authentication (1) · sequence (4) · session (4) · code (16) · length (1) · message
//! ```
//!
//! There is no code where the authentication is none. Nothing is encrypted; MD5 signs messages, a
//! straight password is in each packet as it is.

use md5::{Digest as _, Md5};

use super::session::{RMCP, USERNAME_MAX, WINDOW};
use super::{IpmiError, IpmiExchange, IpmiUser, NetFn};
use crate::snmp::is_equal;

const CODE: usize = 16;
/// Longer passwords are for sessions of IPMI 2.0.
pub const PASSWORD_15_MAX: usize = 16;
/// The channel of the request itself.
const THIS_CHANNEL: u8 = 0x0e;
const GET_CAPABILITIES: u8 = 0x38;
const GET_CHALLENGE: u8 = 0x39;
const ACTIVATE: u8 = 0x3a;

/// How packets prove knowledge of the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authentication {
    /// Not at all.
    None,
    Md5,
    /// The password itself.
    Straight,
}

impl Authentication {
    fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Md5 => 2,
            Self::Straight => 4,
        }
    }

    /// The authentication code of a packet; `None`: it has none.
    fn seal(
        self,
        password: &[u8; CODE],
        (id, number): ([u8; 4], u32),
        message: &[u8],
    ) -> Option<[u8; CODE]> {
        match self {
            Self::None => None,
            Self::Straight => Some(*password),
            Self::Md5 => {
                let mut hash = Md5::new();
                hash.update(password);
                hash.update(id);
                hash.update(message);
                hash.update(number.to_le_bytes());
                hash.update(password);
                Some(hash.finalize().into())
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Capabilities,
    Challenge,
    Activate,
}

type Step = super::Step<Box<Session15>>;

/// A session on its way.
pub struct Opening15 {
    authentication: Authentication,
    login: IpmiUser,
    password: [u8; CODE],
    stage: Stage,
    /// Requested number of the device's first packet in the session.
    their_number: u32,
    id: [u8; 4],
}

/// Without the password.
impl std::fmt::Debug for Opening15 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opening15").field("stage", &self.stage).finish_non_exhaustive()
    }
}

impl Opening15 {
    /// The start of a session, and its first packet.
    pub(super) fn start(
        authentication: Authentication,
        login: IpmiUser,
        random: &[u8; 20],
    ) -> (Self, Vec<u8>) {
        let [a, b, c, d, ..] = *random;
        // 0 is no number.
        let their_number = u32::from_le_bytes([a, b, c, d]) | 1;
        let password = padded(&login.password);
        let stage = Stage::Capabilities;
        let it = Self { authentication, login, password, stage, their_number, id: [0; 4] };
        let question = it.exchange().question(&[THIS_CHANNEL, it.login.privilege]);
        let packet = packet(Authentication::None.code(), ([0; 4], 0), None, &question);
        (it, packet)
    }

    pub(super) fn is_activating(&self) -> bool {
        self.stage == Stage::Activate
    }

    /// The command that is under way.
    fn exchange(&self) -> IpmiExchange {
        let (number, command) = match self.stage {
            Stage::Capabilities => (0, GET_CAPABILITIES),
            Stage::Challenge => (1, GET_CHALLENGE),
            Stage::Activate => (2, ACTIVATE),
        };
        IpmiExchange { net_fn: NetFn::App, command, lun: 0, number }
    }

    pub(super) fn take(&mut self, packet: &[u8]) -> Result<Option<Step>, IpmiError> {
        let Some(packet) = Packet::read(packet) else { return Ok(None) };
        let Some((code, data)) = self.exchange().answer(packet.message) else { return Ok(None) };
        if code != 0 {
            return Err(self.refused(code));
        }
        match self.stage {
            Stage::Capabilities => self.may_log_in(data).map(Some),
            Stage::Challenge => self.challenged(data).map(Some),
            Stage::Activate => self.activated(data).map(Some),
        }
    }

    /// In the words of the other kind of session where it has some.
    fn refused(&self, code: u8) -> IpmiError {
        match (self.stage, code) {
            (Stage::Challenge, 0x81 | 0x82) => IpmiError::Refused(0x0d),
            (Stage::Activate, 0x81 | 0x82) => IpmiError::Refused(0x01),
            (Stage::Activate, 0x83) => IpmiError::Refused(0x0a),
            (Stage::Activate, 0x86) => IpmiError::Refused(0x09),
            _ => IpmiError::NotActivated(code),
        }
    }

    fn may_log_in(&mut self, data: &[u8]) -> Result<Step, IpmiError> {
        let [_channel, ways, ..] = data else { return Err(IpmiError::Truncated) };
        if ways & 1 << self.authentication.code() == 0 {
            return Err(IpmiError::OtherAuthentication(ways & 0x3f));
        }
        self.stage = Stage::Challenge;
        let mut data = vec![self.authentication.code()];
        data.extend_from_slice(&padded(&self.login.username));
        let question = self.exchange().question(&data);
        Ok(Step::Send(packet(Authentication::None.code(), ([0; 4], 0), None, &question)))
    }

    fn challenged(&mut self, data: &[u8]) -> Result<Step, IpmiError> {
        let (id, challenge) = data.split_first_chunk().ok_or(IpmiError::Truncated)?;
        let challenge = challenge.first_chunk::<CODE>().ok_or(IpmiError::Truncated)?;
        (self.id, self.stage) = (*id, Stage::Activate);
        let mut data = vec![self.authentication.code(), self.login.privilege];
        data.extend_from_slice(challenge);
        data.extend_from_slice(&self.their_number.to_le_bytes());
        let question = self.exchange().question(&data);
        // Numbers begin with the session.
        let code = self.authentication.seal(&self.password, (self.id, 0), &question);
        Ok(Step::Send(packet(self.authentication.code(), (self.id, 0), code, &question)))
    }

    fn activated(&self, data: &[u8]) -> Result<Step, IpmiError> {
        let (authentication, rest) = data.split_first().ok_or(IpmiError::Truncated)?;
        let (id, rest) = rest.split_first_chunk().ok_or(IpmiError::Truncated)?;
        let number = rest.first_chunk().ok_or(IpmiError::Truncated)?;
        // Devices may send no codes after this.
        let authentication = match *authentication & 0x0f {
            0 => Authentication::None,
            it if it == self.authentication.code() => self.authentication,
            _ => return Err(IpmiError::OtherSuite),
        };
        Ok(Step::Opened(Box::new(Session15 {
            authentication,
            password: self.password,
            id: *id,
            next: u32::from_le_bytes(*number),
            newest: self.their_number,
        })))
    }
}

/// An open session.
pub struct Session15 {
    authentication: Authentication,
    password: [u8; CODE],
    id: [u8; 4],
    /// Number of the next packet to send.
    next: u32,
    /// Highest number of the device's packets.
    newest: u32,
}

impl std::fmt::Debug for Session15 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut it = f.debug_struct("Session15");
        it.field("authentication", &self.authentication).finish_non_exhaustive()
    }
}

impl Session15 {
    pub(super) fn id(&self) -> [u8; 4] {
        self.id
    }

    pub(super) fn seal(&mut self, message: &[u8]) -> Vec<u8> {
        // 0 stands for no session.
        let number = self.next.max(1);
        self.next = number.wrapping_add(1);
        let code = self.authentication.seal(&self.password, (self.id, number), message);
        packet(self.authentication.code(), (self.id, number), code, message)
    }

    pub(super) fn open(&mut self, packet: &[u8]) -> Option<Vec<u8>> {
        let packet = Packet::read(packet)?;
        if packet.id != self.id || packet.authentication != self.authentication.code() {
            return None;
        }
        let place = (self.id, packet.number);
        match (self.authentication.seal(&self.password, place, packet.message), packet.code) {
            (None, None) => {}
            (Some(made), Some(code)) if is_equal(&made, code) => {}
            _ => return None,
        }
        if packet.number.wrapping_add(WINDOW) < self.newest {
            return None;
        }
        self.newest = self.newest.max(packet.number);
        Some(packet.message.to_vec())
    }
}

/// The packet after the header of RMCP.
struct Packet<'a> {
    authentication: u8,
    number: u32,
    id: [u8; 4],
    code: Option<&'a [u8; CODE]>,
    message: &'a [u8],
}

impl<'a> Packet<'a> {
    fn read(packet: &'a [u8]) -> Option<Self> {
        let rest = packet.strip_prefix(&RMCP[..2]).and_then(|it| it.get(2..))?;
        let (authentication, rest) = rest.split_first()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (id, rest) = rest.split_first_chunk()?;
        let (code, rest) = match *authentication {
            0 => (None, rest),
            1..=5 => rest.split_first_chunk().map(|(code, rest)| (Some(code), rest))?,
            _ => return None,
        };
        let (len, rest) = rest.split_first()?;
        Some(Self {
            authentication: *authentication,
            number: u32::from_le_bytes(*number),
            id: *id,
            code,
            // Some devices pad packets of certain lengths by a byte.
            message: rest.get(..usize::from(*len))?,
        })
    }
}

fn packet(
    authentication: u8,
    (id, number): ([u8; 4], u32),
    code: Option<[u8; CODE]>,
    message: &[u8],
) -> Vec<u8> {
    let mut packet = RMCP.to_vec();
    packet.push(authentication);
    packet.extend_from_slice(&number.to_le_bytes());
    packet.extend_from_slice(&id);
    packet.extend(code.iter().flatten());
    packet.push(u8::try_from(message.len()).unwrap_or(u8::MAX));
    packet.extend_from_slice(message);
    packet
}

/// With zeros up to its length in packets.
fn padded(text: &[u8]) -> [u8; CODE] {
    const { assert!(USERNAME_MAX == CODE && PASSWORD_15_MAX == CODE, "both are as long") };
    let mut padded = [0; CODE];
    padded.iter_mut().zip(text).for_each(|(at, byte)| *at = *byte);
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(authentication: Authentication) -> (Opening15, Vec<u8>) {
        let login = IpmiUser { username: b"u".to_vec(), password: b"p".to_vec(), privilege: 2 };
        Opening15::start(authentication, login, &[7; 20])
    }

    /// A device's answer to a command: its code and data, without a session.
    fn answer(number: u8, command: u8, body: &[u8]) -> Vec<u8> {
        let sum = |it: &[u8]| it.iter().fold(0_u8, |sum, it| sum.wrapping_sub(*it));
        let mut message = vec![0x81, 0x1c];
        message.push(sum(&message));
        message.extend_from_slice(&[0x20, number << 2, command]);
        message.extend_from_slice(body);
        message.push(sum(&message[3..]));
        packet(0, ([0; 4], 0), None, &message)
    }

    #[test]
    fn the_first_packet_asks_how_to_log_in() {
        let (_, first) = opening(Authentication::Md5);
        let expected = [
            0x06, 0x00, 0xff, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09,
            0x20, 0x18, 0xc8, 0x81, 0x00, 0x38, 0x0e, 0x02, 0x37,
        ];
        assert_eq!(first, expected);
    }

    #[test]
    fn missing_algorithm_is_reported_with_the_available_ones() {
        let (mut it, _) = opening(Authentication::Straight);
        let error = it.take(&answer(0, GET_CAPABILITIES, &[0, 1, 0x86])).unwrap_err();
        assert_eq!(error, IpmiError::OtherAuthentication(6));
        assert!(error.to_string().ends_with("(it has: MD2, MD5)"), "{error}");
    }

    #[test]
    fn unknown_user_is_reported() {
        let (mut it, _) = opening(Authentication::None);
        let step = it.take(&answer(0, GET_CAPABILITIES, &[0, 1, 0x01])).unwrap();
        assert!(matches!(step, Some(Step::Send(_))));
        let error = it.take(&answer(1, GET_CHALLENGE, &[0x81])).unwrap_err();
        assert_eq!(error, IpmiError::Refused(0x0d));
    }

    /// Only two ends with the same fields read each other.
    #[test]
    fn signature_proves_knowledge_of_the_password() {
        for authentication in [Authentication::None, Authentication::Md5, Authentication::Straight]
        {
            let session = |password: &[u8], id| Session15 {
                authentication,
                password: padded(password),
                id,
                next: 5,
                newest: 0,
            };
            let id = [1, 2, 3, 4];
            let sealed = session(b"p", id).seal(b"message");
            assert_eq!(session(b"p", id).open(&sealed).as_deref(), Some(&b"message"[..]));
            assert_eq!(session(b"p", [9; 4]).open(&sealed), None);
            let other = session(b"q", id).open(&sealed);
            assert_eq!(other.is_none(), authentication != Authentication::None);
            for at in 0..sealed.len() {
                assert_eq!(session(b"p", id).open(&sealed[..at]), None, "{at}");
            }
            // A packet far older than the newest counts as a repetition.
            let mut late = session(b"p", id);
            late.newest = 1_000;
            assert_eq!(late.open(&sealed), None);
        }
    }
}
