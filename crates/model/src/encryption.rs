//! How connections between the server and a host are encrypted.

use std::fmt;

use serde::{Deserialize, Serialize};

/// No encryption. As the codes below it is a bit, so that several may be accepted.
pub const UNENCRYPTED: u8 = 1;
/// A pre-shared key.
pub const PSK: u8 = 2;
/// Certificates.
pub const CERTIFICATE: u8 = 4;

/// Fields `tls_…` of a host.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Encryption {
    /// How the server connects to the host: one of the codes.
    pub connect: u8,
    /// What the server accepts from it: codes added up.
    pub accept: u8,
    /// Distinguished name that its certificate's issuer is to have; empty: any.
    pub issuer: String,
    /// Distinguished name that its certificate is to have; empty: any.
    pub subject: String,
    pub psk_identity: String,
    /// Hexadecimal digits.
    pub psk: String,
}

impl Default for Encryption {
    /// None at all.
    fn default() -> Self {
        Self {
            connect: UNENCRYPTED,
            accept: UNENCRYPTED,
            issuer: String::new(),
            subject: String::new(),
            psk_identity: String::new(),
            psk: String::new(),
        }
    }
}

/// Without the key.
impl fmt::Debug for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryption")
            .field("connect", &self.connect)
            .field("accept", &self.accept)
            .finish_non_exhaustive()
    }
}

impl Encryption {
    /// Whether a pre-shared key is used in either direction.
    #[must_use]
    pub fn uses_psk(&self) -> bool {
        (self.connect | self.accept) & PSK != 0
    }

    /// Whether certificates are used in either direction.
    #[must_use]
    pub fn uses_certificate(&self) -> bool {
        (self.connect | self.accept) & CERTIFICATE != 0
    }
}
