//! User-based security of SNMPv3 (RFC 3414, 3826, 7860): keys of passphrases, digests, ciphers.
//!
//! AES with 192 and 256 bits is in no standard. Two drafts lengthen keys that are too short for it,
//! and devices know one or the other: Blumenthal's is net-snmp's `AES-192`, Reeder's is Cisco's.

use std::fmt;

use aes::{Aes128, Aes192, Aes256};
use des::Des;
use des::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use hmac::{Hmac, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512};

/// Shortest passphrase, in bytes.
pub const PASSPHRASE_MIN: usize = 8;
/// A passphrase is repeated up to this length before it becomes a key.
const EXPANDED_LEN: usize = 1 << 20;
/// Length of the random part in the start of a cipher.
const SALT_LEN: usize = 8;
const AES_BLOCK: usize = 16;
const DES_BLOCK: usize = 8;
/// DES takes this many bytes of a localized key for its key, and as many for its start.
const DES_KEY: usize = 8;

/// How messages are signed. In the order of Zabbix's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuthProtocol {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// How messages are encrypted. In the order of Zabbix's codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PrivProtocol {
    Des,
    Aes128,
    Aes192,
    Aes256,
    /// With Cisco's method to lengthen keys.
    Aes192C,
    /// With Cisco's method to lengthen keys.
    Aes256C,
}

/// Runs code with the hash of a protocol.
macro_rules! with_hash {
    ($protocol:expr, $Hash:ident => $do:expr) => {
        match $protocol {
            AuthProtocol::Md5 => {
                type $Hash = Md5;
                $do
            }
            AuthProtocol::Sha1 => {
                type $Hash = Sha1;
                $do
            }
            AuthProtocol::Sha224 => {
                type $Hash = Sha224;
                $do
            }
            AuthProtocol::Sha256 => {
                type $Hash = Sha256;
                $do
            }
            AuthProtocol::Sha384 => {
                type $Hash = Sha384;
                $do
            }
            AuthProtocol::Sha512 => {
                type $Hash = Sha512;
                $do
            }
        }
    };
}

impl AuthProtocol {
    const ALL: [Self; 6] =
        [Self::Md5, Self::Sha1, Self::Sha224, Self::Sha256, Self::Sha384, Self::Sha512];

    /// The protocol of Zabbix's code.
    #[must_use]
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Length of a digest in a message, in bytes.
    #[must_use]
    pub fn digest_len(self) -> usize {
        match self {
            Self::Md5 | Self::Sha1 => 12,
            Self::Sha224 => 16,
            Self::Sha256 => 24,
            Self::Sha384 => 32,
            Self::Sha512 => 48,
        }
    }

    /// The digest of the parts of a message one after the other, cut to its length in messages.
    fn digest(self, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        let mut digest = with_hash!(self, Hash => {
            let mut mac = <Hmac<Hash> as KeyInit>::new_from_slice(key)
                .expect("a key may have any length");
            parts.iter().for_each(|it| mac.update(it));
            mac.finalize().into_bytes().to_vec()
        });
        digest.truncate(self.digest_len());
        digest
    }

    fn hash(self, parts: &[&[u8]]) -> Vec<u8> {
        with_hash!(self, Hash => {
            let mut hash = Hash::new();
            parts.iter().for_each(|it| hash.update(it));
            hash.finalize().to_vec()
        })
    }
}

impl PrivProtocol {
    const ALL: [Self; 6] =
        [Self::Des, Self::Aes128, Self::Aes192, Self::Aes256, Self::Aes192C, Self::Aes256C];

    /// The protocol of Zabbix's code.
    #[must_use]
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    fn key_len(self) -> usize {
        match self {
            Self::Des => DES_KEY + DES_BLOCK,
            Self::Aes128 => 16,
            Self::Aes192 | Self::Aes192C => 24,
            Self::Aes256 | Self::Aes256C => 32,
        }
    }
}

/// A key made from a passphrase, for any engine. It costs a hash over a megabyte, so keep it.
#[derive(Clone, PartialEq, Eq)]
pub struct MasterKey {
    protocol: AuthProtocol,
    key: Vec<u8>,
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({:?}, ..)", self.protocol)
    }
}

impl MasterKey {
    /// The key of a passphrase; `None` if that is shorter than [`PASSPHRASE_MIN`].
    #[must_use]
    pub fn of_passphrase(protocol: AuthProtocol, passphrase: &[u8]) -> Option<Self> {
        if passphrase.len() < PASSPHRASE_MIN {
            return None;
        }
        Some(Self { protocol, key: expanded(protocol, passphrase) })
    }

    /// The key for one engine.
    fn localized(&self, engine_id: &[u8]) -> Vec<u8> {
        self.protocol.hash(&[&self.key, engine_id, &self.key])
    }
}

/// The hash of a text repeated up to a megabyte.
fn expanded(protocol: AuthProtocol, text: &[u8]) -> Vec<u8> {
    // Whole repetitions in pieces of some thousand bytes, so that hashing does not go by bytes.
    let n_repeats = (4_096 / text.len().max(1)).max(1);
    let piece = text.repeat(n_repeats);
    with_hash!(protocol, Hash => {
        let mut hash = Hash::new();
        let mut left = EXPANDED_LEN;
        while 0 < left {
            let part = piece.get(..left.min(piece.len())).unwrap_or_default();
            hash.update(part);
            left -= part.len().clamp(1, left);
        }
        hash.finalize().to_vec()
    })
}

/// The keys of a user for one engine.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct UserKeys {
    auth: Option<(AuthProtocol, Vec<u8>)>,
    privacy: Option<(PrivProtocol, Vec<u8>)>,
}

impl fmt::Debug for UserKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (auth, privacy) =
            (self.auth.as_ref().map(|it| it.0), self.privacy.as_ref().map(|it| it.0));
        write!(f, "UserKeys({auth:?}, {privacy:?}, ..)")
    }
}

impl UserKeys {
    /// The keys of a user for an engine: one that signs, and one that encrypts, which must be a
    /// passphrase's key by the same hash.
    #[must_use]
    pub fn new(
        auth: Option<&MasterKey>,
        privacy: Option<(PrivProtocol, &MasterKey)>,
        engine_id: &[u8],
    ) -> Self {
        Self {
            auth: auth.map(|it| (it.protocol, it.localized(engine_id))),
            privacy: privacy.map(|(protocol, key)| {
                (protocol, lengthened(protocol, key.protocol, key.localized(engine_id), engine_id))
            }),
        }
    }

    /// The keys of a user who signs and does not encrypt.
    #[must_use]
    pub fn without_privacy(&self) -> Self {
        Self { auth: self.auth.clone(), privacy: None }
    }

    /// Whether messages are signed.
    #[must_use]
    pub fn has_auth(&self) -> bool {
        self.auth.is_some()
    }

    /// Whether messages are encrypted.
    #[must_use]
    pub fn has_privacy(&self) -> bool {
        self.privacy.is_some()
    }

    /// Length of a digest; 0 without signatures.
    pub(super) fn digest_len(&self) -> usize {
        self.auth.as_ref().map_or(0, |it| it.0.digest_len())
    }

    /// The digest of a message in parts; empty without signatures.
    pub(super) fn digest(&self, parts: &[&[u8]]) -> Vec<u8> {
        self.auth.as_ref().map_or(Vec::new(), |(protocol, key)| protocol.digest(key, parts))
    }

    /// Encrypts in place; returns the salt that the other side needs in the message. Without a
    /// cipher nothing happens.
    pub(super) fn encrypt(
        &self,
        (boots, time): (i32, i32),
        salt: u64,
        text: &mut Vec<u8>,
    ) -> Vec<u8> {
        let Some((protocol, key)) = &self.privacy else { return Vec::new() };
        let salt = if *protocol == PrivProtocol::Des {
            // By the standard the first half belongs to the engine.
            let [_, _, _, _, a, b, c, d] = salt.to_be_bytes();
            let [e, f, g, h] = boots.to_be_bytes();
            [e, f, g, h, a, b, c, d]
        } else {
            salt.to_be_bytes()
        };
        if *protocol == PrivProtocol::Des {
            text.resize(text.len().next_multiple_of(DES_BLOCK), 0);
            des_cbc(key, salt, text, Way::Encrypt);
        } else {
            aes_cfb(key, aes_start(boots, time, salt), text, Way::Encrypt);
        }
        salt.to_vec()
    }

    /// Decrypts in place; `None` without a cipher, or if the bytes cannot be a ciphertext of it.
    pub(super) fn decrypt(
        &self,
        (boots, time): (i32, i32),
        salt: &[u8],
        text: &mut [u8],
    ) -> Option<()> {
        let (protocol, key) = self.privacy.as_ref()?;
        let salt: [u8; SALT_LEN] = salt.try_into().ok()?;
        if *protocol == PrivProtocol::Des {
            if !text.len().is_multiple_of(DES_BLOCK) {
                return None;
            }
            des_cbc(key, salt, text, Way::Decrypt);
        } else {
            aes_cfb(key, aes_start(boots, time, salt), text, Way::Decrypt);
        }
        Some(())
    }
}

/// A key that is long enough for its cipher.
fn lengthened(
    protocol: PrivProtocol,
    auth: AuthProtocol,
    mut key: Vec<u8>,
    engine_id: &[u8],
) -> Vec<u8> {
    let wanted = protocol.key_len();
    let mut last = key.clone();
    while key.len() < wanted {
        last = match protocol {
            PrivProtocol::Aes192C | PrivProtocol::Aes256C => {
                // Reeder: the key as a passphrase makes the next one.
                let next = MasterKey { protocol: auth, key: expanded(auth, &last) };
                next.localized(engine_id)
            }
            // Blumenthal: the hash of everything before.
            _ => auth.hash(&[&key]),
        };
        key.extend_from_slice(&last);
    }
    key.truncate(wanted);
    key
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Encrypt,
    Decrypt,
}

fn aes_start(boots: i32, time: i32, salt: [u8; SALT_LEN]) -> [u8; AES_BLOCK] {
    let mut start = [0; AES_BLOCK];
    let parts = [boots.to_be_bytes().as_slice(), &time.to_be_bytes(), &salt].concat();
    start.copy_from_slice(&parts);
    start
}

/// Cipher feedback over whole blocks, of which the last may be cut.
fn aes_cfb(key: &[u8], start: [u8; AES_BLOCK], text: &mut [u8], way: Way) {
    match key.len() {
        16 => cfb(&Aes128::new_from_slice(key).expect("of its length"), start, text, way),
        24 => cfb(&Aes192::new_from_slice(key).expect("of its length"), start, text, way),
        _ => cfb(&Aes256::new_from_slice(key).expect("a key was lengthened"), start, text, way),
    }
}

fn cfb<C: BlockCipherEncrypt<BlockSize = aes::cipher::consts::U16>>(
    cipher: &C,
    start: [u8; AES_BLOCK],
    text: &mut [u8],
    way: Way,
) {
    let mut feedback = start;
    for part in text.chunks_mut(AES_BLOCK) {
        let mut pad: Block<C> = feedback.into();
        cipher.encrypt_block(&mut pad);
        for ((byte, pad), back) in part.iter_mut().zip(&pad).zip(&mut feedback) {
            let before = *byte;
            *byte ^= pad;
            *back = if way == Way::Encrypt { *byte } else { before };
        }
    }
}

/// Cipher block chaining over a text of whole blocks.
fn des_cbc(key: &[u8], salt: [u8; SALT_LEN], text: &mut [u8], way: Way) {
    let (key, pre_start) = key.split_at_checked(DES_KEY).expect("a key was lengthened");
    let cipher = Des::new_from_slice(key).expect("of its length");
    let mut chain = [0; DES_BLOCK];
    for ((byte, pre), salt) in chain.iter_mut().zip(pre_start).zip(salt) {
        *byte = pre ^ salt;
    }
    for part in text.chunks_exact_mut(DES_BLOCK) {
        let mut before = [0; DES_BLOCK];
        before.copy_from_slice(part);
        let mut block: Block<Des> = before.into();
        if way == Way::Encrypt {
            block.iter_mut().zip(chain).for_each(|(byte, it)| *byte ^= it);
            cipher.encrypt_block(&mut block);
            chain = block.into();
        } else {
            cipher.decrypt_block(&mut block);
            block.iter_mut().zip(chain).for_each(|(byte, it)| *byte ^= it);
            chain = before;
        }
        part.copy_from_slice(&block);
    }
}

/// Whether two texts are equal. The time does not depend on where they differ.
pub(crate) fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unhex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(|it| !it.is_ascii_whitespace()).collect();
        let byte = |it: &[u8]| u8::from_str_radix(str::from_utf8(it).unwrap(), 16).unwrap();
        digits.chunks(2).map(byte).collect()
    }

    const ENGINE: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];

    /// RFC 3414, appendix A.3.
    #[test]
    fn keys_of_the_standard() {
        for (protocol, master, localized) in [
            (
                AuthProtocol::Md5,
                "9faf3283884e92834ebc9847d8edd963",
                "526f5eed9fcce26f8964c2930787d82b",
            ),
            (
                AuthProtocol::Sha1,
                "9fb5cc0381497b3793528939ff788d5d79145211",
                "6695febc9288e36282235fc7151f128497b38f3f",
            ),
        ] {
            let key = MasterKey::of_passphrase(protocol, b"maplesyrup").expect("long enough");
            assert_eq!(key.key, unhex(master));
            assert_eq!(key.localized(&ENGINE), unhex(localized));
        }
        assert!(MasterKey::of_passphrase(AuthProtocol::Md5, b"1234567").is_none());
    }

    /// RFC 3414, appendix A.5: a key and the hash of another, for a key change.
    #[test]
    fn a_second_passphrase_of_the_standard() {
        let key = MasterKey::of_passphrase(AuthProtocol::Md5, b"newsyrup").expect("long enough");
        assert_eq!(key.localized(&ENGINE), unhex("87021d7bd9d101ba05ea6e3bf9d9bd4a"));
        let key = MasterKey::of_passphrase(AuthProtocol::Sha1, b"newsyrup").expect("long enough");
        assert_eq!(key.localized(&ENGINE), unhex("78e2dcce79d59403b58c1bbaa5bff46391f1cd25"));
    }

    /// RFC 2202 and RFC 4231, test case 1, cut as in messages.
    #[test]
    fn digests_of_the_standards() {
        for (protocol, key_len, digest) in [
            (AuthProtocol::Md5, 16, "9294727a3638bb1c13f48ef8158bfc9d"),
            (AuthProtocol::Sha1, 20, "b617318655057264e28bc0b6fb378c8ef146be00"),
            (AuthProtocol::Sha224, 20, "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
            (
                AuthProtocol::Sha256,
                20,
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                AuthProtocol::Sha384,
                20,
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4a\
                 f152e8b2fa9cb6",
            ),
            (
                AuthProtocol::Sha512,
                20,
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a70203\
                 8b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ),
        ] {
            let key = vec![0x0b; key_len];
            let made = protocol.digest(&key, &[b"Hi", b" There"]);
            assert_eq!(made, unhex(digest)[..protocol.digest_len()], "{protocol:?}");
        }
    }

    /// NIST SP 800-38A, F.3.13, F.3.15 and F.3.17: CFB128; RFC 3826 uses it.
    #[test]
    fn ciphertexts_of_aes() {
        let start: [u8; 16] = unhex("000102030405060708090a0b0c0d0e0f").try_into().unwrap();
        let text = unhex(
            "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 30c81c46a35ce411",
        );
        for (key, expected) in [
            (
                "2b7e151628aed2a6abf7158809cf4f3c",
                "3b3fd92eb72dad20333449f8e83cfb4a c8a64537a0b3a93fcde3cdad9f1ce58b 26751f67a3cbb140",
            ),
            (
                "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
                "cdc80d6fddf18cab34c25909c99a4174 67ce7f7f81173621961a2b70171d3d7a 2e1e8a1dd59b88b1",
            ),
            (
                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
                "dc7e84bfda79164b7ecd8486985d3860 39ffed143b28b1c832113c6331e5407b df10132415e54b92",
            ),
        ] {
            let mut made = text.clone();
            aes_cfb(&unhex(key), start, &mut made, Way::Encrypt);
            assert_eq!(made, unhex(expected));
            aes_cfb(&unhex(key), start, &mut made, Way::Decrypt);
            assert_eq!(made, text);
        }
    }

    /// FIPS 81, appendix C: CBC.
    #[test]
    fn ciphertexts_of_des() {
        let text = b"Now is the time for all ".to_vec();
        let mut key = unhex("0123456789abcdef");
        key.extend_from_slice(&unhex("1234567890abcdef"));
        let mut made = text.clone();
        des_cbc(&key, [0; 8], &mut made, Way::Encrypt);
        assert_eq!(made, unhex("e5c7cdde872bf27c 43e934008c389c0f 683788499a7c05f6"));
        des_cbc(&key, [0; 8], &mut made, Way::Decrypt);
        assert_eq!(made, text);
    }

    #[test]
    fn every_cipher_decrypts_its_own_text() {
        for protocol in PrivProtocol::ALL {
            for auth in AuthProtocol::ALL {
                let master = MasterKey::of_passphrase(auth, b"maplesyrup").expect("long enough");
                let keys = UserKeys::new(Some(&master), Some((protocol, &master)), &ENGINE);
                let mut text = b"a text of 29 bytes, not a block".to_vec();
                let salt = keys.encrypt((3, 70), 0x0102_0304_0506_0708, &mut text);
                assert!(!text.starts_with(b"a text"), "{protocol:?}");
                assert_eq!(keys.decrypt((3, 70), &salt, &mut text), Some(()), "{protocol:?}");
                assert!(text.starts_with(b"a text of 29 bytes, not a block"), "{protocol:?}");
                assert_eq!(keys.decrypt((3, 70), &salt[1..], &mut text), None, "a short salt");
            }
        }
    }
}
