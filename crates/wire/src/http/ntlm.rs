//! NTLM authentication (MS-NLMP), the client's side: only version 2, which servers have accepted
//! since Windows NT 4 SP4.
//!
//! Three messages on one connection: the client's capabilities, the server's challenge, and the
//! answer that proves knowledge of the password. They are bytes here; the owner of the connection
//! sends all three along it. Nothing is signed or sealed afterwards.
//!
//! ```text
//! all       "NTLMSSP\0"  kind u32                                  little-endian
//! 1         flags u32, domain and workstation (length, space u16, offset u32): none
//! 2         target name at 12, flags at 20, challenge [u8; 8] at 24, target info at 40
//! 3         LM answer, NT answer, domain, user, workstation, session key, flags at 60, texts from 64 on
//! ```

use hmac::{Hmac, KeyInit, Mac};
use md4::{Digest, Md4};
use md5::Md5;

const SIGNATURE: &[u8; 8] = b"NTLMSSP\0";
const UNICODE: u32 = 0x1;
/// Unicode, OEM, request target, NTLM, always sign, extended session security.
const FLAGS: u32 = UNICODE | 0x2 | 0x4 | 0x200 | 0x8000 | 0x0008_0000;
/// Kind of a pair in the target info: the server's time, in 100 ns since 1601.
const TIME: u16 = 7;
const END: u16 = 0;
/// From 1601 to 1970, in 100 ns.
const EPOCH: u64 = 116_444_736_000_000_000;
/// Longest target info that is answered; real ones have some 200 bytes. A longer one is refused.
const INFO_BYTES_MAX: usize = 8 << 10;
/// The start of the texts of the third message.
const TEXTS_AT: usize = 64;

/// User and password.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NtlmLogin {
    /// May contain the domain: `DOMAIN\user`, or as part of the name: `user@domain`.
    pub user: String,
    pub password: String,
}

/// Without the password.
impl std::fmt::Debug for NtlmLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NtlmLogin").field("user", &self.user).finish_non_exhaustive()
    }
}

/// The first message, in base64.
#[must_use]
pub fn hello() -> String {
    let mut out = Vec::from(SIGNATURE);
    out.extend(1_u32.to_le_bytes());
    out.extend(FLAGS.to_le_bytes());
    out.extend([0; 16]);
    super::codes::base64(&out)
}

/// The server's challenge.
#[derive(Debug, PartialEq, Eq)]
pub struct Challenge {
    flags: u32,
    challenge: [u8; 8],
    info: Vec<u8>,
}

impl Challenge {
    /// Reads the value of a `WWW-Authenticate` header; `None`: it is no challenge.
    #[must_use]
    pub fn parse(header: &str) -> Option<Self> {
        use base64::Engine as _;
        let (kind, text) = header.trim().split_once(' ')?;
        if !kind.eq_ignore_ascii_case("ntlm") {
            return None;
        }
        let bytes = base64::engine::general_purpose::STANDARD.decode(text.trim()).ok()?;
        if !bytes.starts_with(SIGNATURE) || u32_at(&bytes, 8)? != 2 {
            return None;
        }
        let flags = u32_at(&bytes, 20)?;
        let challenge = bytes.get(24..32)?.try_into().ok()?;
        // Old servers end here.
        let info = match (bytes.get(40..42), u32_at(&bytes, 44)) {
            (Some(&[low, high]), Some(at)) => {
                let (at, len) =
                    (usize::try_from(at).ok()?, usize::from(u16::from_le_bytes([low, high])));
                bytes.get(at..at.checked_add(len)?)?.to_vec()
            }
            _ => Vec::new(),
        };
        (info.len() <= INFO_BYTES_MAX).then_some(Self { flags, challenge, info })
    }

    /// The third message, in base64. `own`: unpredictable bytes; `wall_ns`: since 1970.
    #[must_use]
    pub fn answer(&self, login: &NtlmLogin, own: [u8; 8], wall_ns: u64) -> String {
        let (domain, user) = match login.user.split_once(['\\', '/']) {
            Some((domain, user)) => (domain, user),
            None => ("", login.user.as_str()),
        };
        let key = key((domain, user), &login.password);
        let server_time = self.time();
        let time = server_time.unwrap_or_else(|| (wall_ns / 100).saturating_add(EPOCH));
        let mut said = vec![1, 1, 0, 0, 0, 0, 0, 0];
        said.extend(time.to_le_bytes());
        said.extend(own);
        said.extend([0; 4]);
        said.extend(&self.info);
        said.extend([0; 4]);
        let mut nt = hmac(&key, &[&self.challenge, &said]).to_vec();
        nt.extend(said);
        // A server that sends its time accepts no LM response.
        let lm = match server_time {
            Some(_) => vec![0; 24],
            None => [hmac(&key, &[&self.challenge, &own]).as_slice(), &own].concat(),
        };
        let is_unicode = self.flags & UNICODE != 0;
        let written = |text: &str| if is_unicode { utf16(text) } else { text.as_bytes().to_vec() };
        let flags = if is_unicode { FLAGS & !0x2 } else { FLAGS & !UNICODE };
        let texts = [lm, nt, written(domain), written(user), Vec::new(), Vec::new()];
        let mut out = Vec::from(SIGNATURE);
        out.extend(3_u32.to_le_bytes());
        let mut at = TEXTS_AT;
        for text in &texts {
            // Names of items are short enough; a longer name cannot be one that a server knows.
            let len = u16::try_from(text.len()).unwrap_or(u16::MAX);
            out.extend(len.to_le_bytes());
            out.extend(len.to_le_bytes());
            out.extend(u32::try_from(at).unwrap_or(u32::MAX).to_le_bytes());
            at += text.len();
        }
        out.extend(flags.to_le_bytes());
        out.extend(texts.concat());
        super::codes::base64(&out)
    }

    /// The server's time, if it sends one.
    fn time(&self) -> Option<u64> {
        let mut rest = self.info.as_slice();
        while let &[kind_low, kind_high, len_low, len_high, ref after @ ..] = rest {
            let kind = u16::from_le_bytes([kind_low, kind_high]);
            let len = usize::from(u16::from_le_bytes([len_low, len_high]));
            let value = after.get(..len)?;
            match kind {
                END => return None,
                TIME => return value.try_into().ok().map(u64::from_le_bytes),
                _ => rest = after.get(len..)?,
            }
        }
        None
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The common key of a user's answers.
fn key((domain, user): (&str, &str), password: &str) -> [u8; 16] {
    let password: [u8; 16] = Md4::digest(utf16(password)).into();
    hmac(&password, &[&utf16(&user.to_uppercase()), &utf16(domain)])
}

fn hmac(key: &[u8; 16], parts: &[&[u8]]) -> [u8; 16] {
    let mut mac = <Hmac<Md5> as KeyInit>::new_from_slice(key).expect("keys may have any length");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::codes::{base64, hex};

    fn unhex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> =
            text.chars().filter_map(|it| u8::try_from(it.to_digit(16)?).ok()).collect();
        digits.chunks(2).map(|it| it[0] << 4 | it[1]).collect()
    }

    /// MS-NLMP, section 4.2.4.
    #[test]
    fn the_example_of_the_specification() {
        let key = key(("Domain", "User"), "Password");
        assert_eq!(hex(&key), "0c868a403bfd7a93a3001ef22ef02e3f");
        let info =
            unhex("02000c0044006f006d00610069006e00 01000c00530065007200760065007200 00000000");
        let challenge = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
        let asked = Challenge { flags: FLAGS, challenge, info };
        let login = NtlmLogin { user: "Domain\\User".to_owned(), password: "Password".to_owned() };
        // The example's time is 0 of 1601.
        assert_eq!(asked.time(), None);
        let own = [0xaa; 8];
        let lm = hmac(&key, &[&challenge, &own]);
        assert_eq!(hex(&lm), "86c35097ac9cec102554764a57cccc19");
        let said = [&[1, 1][..], &[0; 6], &[0; 8], &own, &[0; 4], &asked.info, &[0; 4]].concat();
        let proof = hmac(&key, &[&challenge, &said]);
        assert_eq!(hex(&proof), "68cd0ab851e51c96aabc927bebef6a1c");
        use ::base64::Engine as _;
        let answer = asked.answer(&login, own, 0);
        let answer = ::base64::engine::general_purpose::STANDARD.decode(answer).expect("base64");
        assert!(answer.starts_with(b"NTLMSSP\0\x03\0\0\0\x18\0\x18\0\x40\0\0\0"));
        assert_eq!(answer.get(64..80), Some(lm.as_slice()));
        assert!(answer.ends_with(&[utf16("Domain"), utf16("User")].concat()));
    }

    #[test]
    fn challenges_are_read_with_the_time_of_the_server() {
        let info = [&[7, 0, 8, 0][..], &42_u64.to_le_bytes(), &[0; 4]].concat();
        let mut message = Vec::from(SIGNATURE);
        message.extend(2_u32.to_le_bytes());
        message.extend([0; 8]);
        message.extend(UNICODE.to_le_bytes());
        message.extend([1, 2, 3, 4, 5, 6, 7, 8]);
        message.extend([0; 8]);
        let len = u16::try_from(info.len()).expect("small").to_le_bytes();
        message.extend([len[0], len[1], len[0], len[1], 48, 0, 0, 0]);
        message.extend(&info);
        let header = format!("NTLM {}", base64(&message));
        let found = Challenge::parse(&header).expect("a challenge");
        assert_eq!((found.challenge, found.time()), ([1, 2, 3, 4, 5, 6, 7, 8], Some(42)));
        // Truncated anywhere, the message is refused without a panic.
        for end in 0..message.len() {
            let cut = format!("NTLM {}", base64(&message[..end]));
            if let Some(it) = Challenge::parse(&cut) {
                let login = NtlmLogin { user: "u".to_owned(), password: String::new() };
                assert!(!it.answer(&login, [0; 8], 0).is_empty());
            }
        }
        for other in ["NTLM", "Basic realm=\"x\"", "NTLM !!", &format!("NTLM {}", hello())] {
            assert_eq!(Challenge::parse(other), None, "{other}");
        }
    }
}
