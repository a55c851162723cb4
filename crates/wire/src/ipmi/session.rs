//! Sessions of RMCP+ (IPMI 2.0, chapter 13): how they are opened, and the frame of a message.
//!
//! ```text
//! RMCP header (4) · kind of session (1: 6) · payload type (1) · session (4) · sequence (4) · length (2) ·
//! payload · pad · pad length (1) · next header (1: 7) · authentication code
//! ```
//!
//! Only signed packets have parts after the payload. An encrypted payload is a start of 16 bytes,
//! and the ciphertext of the message with its own pad.

use aes::Aes128;
use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::Sha256;

use super::{IpmiError, IpmiUser};
use crate::snmp::is_equal;

/// Version 1.0, no sequence number, class IPMI.
pub(super) const RMCP: [u8; 4] = [0x06, 0x00, 0xff, 0x07];
const RMCP_PLUS: u8 = 0x06;
const NEXT_HEADER: u8 = 0x07;
const ENCRYPTED: u8 = 0x80;
const SIGNED: u8 = 0x40;
const PAYLOAD_IPMI: u8 = 0x00;
const PAYLOAD_OPEN: u8 = 0x10;
const PAYLOAD_OPENED: u8 = 0x11;
const PAYLOAD_RAKP1: u8 = 0x12;
const PAYLOAD_RAKP2: u8 = 0x13;
const PAYLOAD_RAKP3: u8 = 0x14;
const PAYLOAD_RAKP4: u8 = 0x15;
/// The device's value does not match the password.
const INVALID_CHECK_VALUE: u8 = 0x0f;
/// The user is looked up by name alone.
const BY_NAME: u8 = 0x10;
pub const USERNAME_MAX: usize = 16;
pub const PASSWORD_MAX: usize = 20;
const BLOCK: usize = 16;
const HEAD: usize = 16;
/// A packet may be this much older than the newest one. Older ones are dropped as repetitions.
pub(super) const WINDOW: u32 = 32;

/// How a session is signed and encrypted; always both, the latter by AES with 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CipherSuite {
    /// Suite 17: HMAC-SHA256, cut to 128 bits.
    Sha256,
    /// Suite 3: HMAC-SHA1, cut to 96 bits. Every device has it.
    Sha1,
}

impl CipherSuite {
    /// Codes of authentication and integrity.
    fn codes(self) -> (u8, u8) {
        match self {
            Self::Sha256 => (3, 4),
            Self::Sha1 => (1, 1),
        }
    }

    fn hmac(self, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        fn made<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
            let mut mac = <M as KeyInit>::new_from_slice(key).expect("a key may have any length");
            parts.iter().for_each(|it| mac.update(it));
            mac.finalize().into_bytes().to_vec()
        }
        match self {
            Self::Sha256 => made::<Hmac<Sha256>>(key, parts),
            Self::Sha1 => made::<Hmac<Sha1>>(key, parts),
        }
    }

    /// Length of the code after a packet.
    fn code_len(self) -> usize {
        match self {
            Self::Sha256 => 16,
            Self::Sha1 => 12,
        }
    }
}

type Step = super::Step<Box<PlusSession>>;

/// A session that is being opened, step by step.
#[derive(Debug)]
pub struct PlusOpening {
    suite: CipherSuite,
    login: IpmiUser,
    /// The ids of the session, one for each side.
    own_id: [u8; 4],
    their_id: [u8; 4],
    own_random: [u8; 16],
    their_random: [u8; 16],
    their_guid: [u8; 16],
    tag: u8,
}

impl PlusOpening {
    /// The start of a session, and its first packet. `random`: 20 unpredictable bytes.
    #[must_use]
    pub fn start(suite: CipherSuite, login: IpmiUser, random: &[u8; 20]) -> (Self, Vec<u8>) {
        let (mut own_id, mut own_random) = ([0; 4], [0; 16]);
        own_id.copy_from_slice(&random[..4]);
        own_random.copy_from_slice(&random[4..]);
        // 0 is no session.
        own_id[0] |= 1;
        let mut it = Self {
            suite,
            login,
            own_id,
            their_id: [0; 4],
            own_random,
            their_random: [0; 16],
            their_guid: [0; 16],
            tag: 0,
        };
        let (auth, integrity) = suite.codes();
        let mut body = vec![it.login.privilege, 0, 0];
        body.extend_from_slice(&it.own_id);
        for (kind, code) in [(0, auth), (1, integrity), (2, 1)] {
            body.extend_from_slice(&[kind, 0, 0, 8, code, 0, 0, 0]);
        }
        let packet = it.packet(PAYLOAD_OPEN, &body);
        (it, packet)
    }

    /// Takes a packet; `None`: it is not the expected one.
    ///
    /// # Errors
    /// If the device refuses, or does not know the password.
    pub fn take(&mut self, packet: &[u8]) -> Result<Option<Step>, IpmiError> {
        let Some((kind, payload)) = unsigned(packet) else { return Ok(None) };
        let [tag, status, rest @ ..] = payload else { return Ok(None) };
        if *tag != self.tag {
            return Ok(None);
        }
        // Two reserved bytes, one of which is a privilege at first; then our session.
        let about = rest.get(2..6);
        let refused = *status != 0;
        if refused && matches!(kind, PAYLOAD_OPENED | PAYLOAD_RAKP2 | PAYLOAD_RAKP4) {
            return Err(IpmiError::Refused(*status));
        }
        if about != Some(&self.own_id) {
            return Ok(None);
        }
        let body = rest.get(6..).unwrap_or_default();
        match (self.tag, kind) {
            (1, PAYLOAD_OPENED) => self.opened(body).map(Some),
            (2, PAYLOAD_RAKP2) => self.challenged(body).map(Some),
            (3, PAYLOAD_RAKP4) => self.finished(body).map(Some),
            _ => Ok(None),
        }
    }

    /// The message that gives the session up, so that the device need not keep a place for it.
    #[must_use]
    pub fn refusal(&mut self) -> Vec<u8> {
        let mut body = vec![INVALID_CHECK_VALUE, 0, 0];
        body.extend_from_slice(&self.their_id);
        self.packet(PAYLOAD_RAKP3, &body)
    }

    fn opened(&mut self, body: &[u8]) -> Result<Step, IpmiError> {
        let (id, algorithms) = body.split_first_chunk().ok_or(IpmiError::Truncated)?;
        self.their_id = *id;
        let (auth, integrity) = self.suite.codes();
        for (chunk, wanted) in algorithms.chunks(8).zip([auth, integrity, 1]) {
            // Algorithms other than the requested ones are refused, above all none.
            if chunk.get(4).map(|it| it & 0x3f) != Some(wanted) {
                return Err(IpmiError::OtherSuite);
            }
        }
        if algorithms.len() < 24 {
            return Err(IpmiError::Truncated);
        }
        let mut body = vec![0, 0, 0];
        body.extend_from_slice(&self.their_id);
        body.extend_from_slice(&self.own_random);
        body.push(self.role());
        body.extend_from_slice(&[0, 0]);
        body.extend_from_slice(&self.named());
        Ok(Step::Send(self.packet(PAYLOAD_RAKP1, &body)))
    }

    fn challenged(&mut self, body: &[u8]) -> Result<Step, IpmiError> {
        let (random, rest) = body.split_first_chunk().ok_or(IpmiError::Truncated)?;
        let (guid, code) = rest.split_first_chunk().ok_or(IpmiError::Truncated)?;
        (self.their_random, self.their_guid) = (*random, *guid);
        let (role, named) = ([self.role()], self.named());
        let expected = self.suite.hmac(
            &self.login.password,
            &[
                &self.own_id,
                &self.their_id,
                &self.own_random,
                &self.their_random,
                &self.their_guid,
                &role,
                &named,
            ],
        );
        if !is_equal(&expected, code) {
            return Err(IpmiError::WrongPassword);
        }
        let mut body = vec![0, 0, 0];
        body.extend_from_slice(&self.their_id);
        let parts: [&[u8]; 4] = [&self.their_random, &self.own_id, &role, &named];
        body.extend_from_slice(&self.suite.hmac(&self.login.password, &parts));
        Ok(Step::Send(self.packet(PAYLOAD_RAKP3, &body)))
    }

    fn finished(&self, code: &[u8]) -> Result<Step, IpmiError> {
        let (role, named) = ([self.role()], self.named());
        let parts: [&[u8]; 4] = [&self.own_random, &self.their_random, &role, &named];
        let key = self.suite.hmac(&self.login.password, &parts);
        let parts: [&[u8]; 3] = [&self.own_random, &self.their_id, &self.their_guid];
        let mut expected = self.suite.hmac(&key, &parts);
        expected.truncate(self.suite.code_len());
        if !is_equal(&expected, code) {
            return Err(IpmiError::WrongPassword);
        }
        let sign_key = self.suite.hmac(&key, &[&[1; 20]]);
        let mut cipher_key = [0; BLOCK];
        let made = self.suite.hmac(&key, &[&[2; 20]]);
        cipher_key.copy_from_slice(made.get(..BLOCK).ok_or(IpmiError::Truncated)?);
        Ok(Step::Opened(Box::new(PlusSession {
            suite: self.suite,
            own_id: self.own_id,
            their_id: self.their_id,
            sign_key,
            cipher: Aes128::new(&cipher_key.into()),
            sent: 0,
            newest: 0,
        })))
    }

    fn role(&self) -> u8 {
        self.login.privilege | BY_NAME
    }

    /// The length of the name, and it.
    fn named(&self) -> Vec<u8> {
        let name = &self.login.username;
        let name = name.get(..USERNAME_MAX).unwrap_or(name);
        let mut named = vec![u8::try_from(name.len()).unwrap_or(0)];
        named.extend_from_slice(name);
        named
    }

    /// A packet of no session. Its tag is that of the step.
    fn packet(&mut self, kind: u8, body: &[u8]) -> Vec<u8> {
        self.tag += 1;
        let mut packet = RMCP.to_vec();
        packet.extend_from_slice(&[RMCP_PLUS, kind, 0, 0, 0, 0, 0, 0, 0, 0]);
        let len = u16::try_from(body.len() + 1).unwrap_or(u16::MAX);
        packet.extend_from_slice(&len.to_le_bytes());
        packet.push(self.tag);
        packet.extend_from_slice(body);
        packet
    }
}

/// Kind and payload of a packet that is neither signed nor encrypted.
fn unsigned(packet: &[u8]) -> Option<(u8, &[u8])> {
    let rest = packet.strip_prefix(&RMCP[..2]).and_then(|it| it.get(2..))?;
    let [RMCP_PLUS, kind, rest @ ..] = rest else { return None };
    let (len, rest) = rest.get(8..)?.split_first_chunk()?;
    if kind & (ENCRYPTED | SIGNED) != 0 {
        return None;
    }
    Some((*kind, rest.get(..u16::from_le_bytes(*len).into())?))
}

/// An open session.
pub struct PlusSession {
    suite: CipherSuite,
    own_id: [u8; 4],
    their_id: [u8; 4],
    sign_key: Vec<u8>,
    cipher: Aes128,
    /// Number of the last sent packet.
    sent: u32,
    /// Highest number of the device's packets.
    newest: u32,
}

impl std::fmt::Debug for PlusSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlusSession").field("suite", &self.suite).finish_non_exhaustive()
    }
}

impl PlusSession {
    /// The device's id of the session.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        self.their_id
    }

    /// A packet with a message; `start` is 16 unpredictable bytes.
    pub fn seal(&mut self, message: &[u8], start: [u8; BLOCK]) -> Vec<u8> {
        self.sent = self.sent.wrapping_add(1).max(1);
        let mut text = message.to_vec();
        let n_pad = (BLOCK - (text.len() + 1) % BLOCK) % BLOCK;
        text.extend((1..=n_pad).map(|it| u8::try_from(it).unwrap_or(0)));
        text.push(u8::try_from(n_pad).unwrap_or(0));
        self.encrypt(start, &mut text);
        let mut packet = RMCP.to_vec();
        packet.extend_from_slice(&[RMCP_PLUS, PAYLOAD_IPMI | ENCRYPTED | SIGNED]);
        packet.extend_from_slice(&self.their_id);
        packet.extend_from_slice(&self.sent.to_le_bytes());
        let len = u16::try_from(BLOCK + text.len()).unwrap_or(u16::MAX);
        packet.extend_from_slice(&len.to_le_bytes());
        packet.extend_from_slice(&start);
        packet.extend_from_slice(&text);
        // The signed part is a multiple of four bytes long, with the two that follow.
        let n_pad = (4 - (packet.len() - RMCP.len() + 2) % 4) % 4;
        packet.extend(std::iter::repeat_n(0xff, n_pad));
        packet.push(u8::try_from(n_pad).unwrap_or(0));
        packet.push(NEXT_HEADER);
        let signed = packet.get(RMCP.len()..).unwrap_or_default();
        let mut code = self.suite.hmac(&self.sign_key, &[signed]);
        code.truncate(self.suite.code_len());
        packet.extend_from_slice(&code);
        packet
    }

    /// The message in a packet; `None`: it is not one of this session, or an old one.
    pub fn open(&mut self, packet: &[u8]) -> Option<Vec<u8>> {
        let signed = packet.strip_prefix(&RMCP[..2]).and_then(|it| it.get(2..))?;
        let (signed, code) =
            signed.split_at_checked(signed.len().checked_sub(self.suite.code_len())?)?;
        let [RMCP_PLUS, kind, rest @ ..] = signed else { return None };
        if *kind != PAYLOAD_IPMI | ENCRYPTED | SIGNED {
            return None;
        }
        let (id, rest) = rest.split_first_chunk::<4>()?;
        let (number, rest) = rest.split_first_chunk::<4>()?;
        let (len, rest) = rest.split_first_chunk::<2>()?;
        if *id != self.own_id {
            return None;
        }
        let mut made = self.suite.hmac(&self.sign_key, &[signed]);
        made.truncate(self.suite.code_len());
        if !is_equal(&made, code) {
            return None;
        }
        let number = u32::from_le_bytes(*number);
        if number.wrapping_add(WINDOW) < self.newest {
            return None;
        }
        self.newest = self.newest.max(number);
        let payload = rest.get(..u16::from_le_bytes(*len).into())?;
        let (start, text) = payload.split_first_chunk::<BLOCK>()?;
        let mut text = text.to_vec();
        if text.is_empty() || !text.len().is_multiple_of(BLOCK) {
            return None;
        }
        self.decrypt(*start, &mut text);
        let n_pad = usize::from(text.pop()?);
        let end = text.len().checked_sub(n_pad)?;
        text.truncate(end);
        Some(text)
    }

    fn encrypt(&self, start: [u8; BLOCK], text: &mut [u8]) {
        let mut chain = start;
        for part in text.chunks_exact_mut(BLOCK) {
            part.iter_mut().zip(chain).for_each(|(byte, it)| *byte ^= it);
            let mut block = [0; BLOCK];
            block.copy_from_slice(part);
            let mut block: Block<Aes128> = block.into();
            self.cipher.encrypt_block(&mut block);
            chain = block.into();
            part.copy_from_slice(&chain);
        }
    }

    fn decrypt(&self, start: [u8; BLOCK], text: &mut [u8]) {
        let mut chain = start;
        for part in text.chunks_exact_mut(BLOCK) {
            let mut before = [0; BLOCK];
            before.copy_from_slice(part);
            let mut block: Block<Aes128> = before.into();
            self.cipher.decrypt_block(&mut block);
            let plain: [u8; BLOCK] = block.into();
            for ((byte, plain), chain) in part.iter_mut().zip(plain).zip(chain) {
                *byte = plain ^ chain;
            }
            chain = before;
        }
    }
}

/// Whether a packet is large enough to be one of a session.
#[must_use]
pub fn is_rmcp(packet: &[u8]) -> bool {
    HEAD <= packet.len() && packet.starts_with(&RMCP[..2])
}
