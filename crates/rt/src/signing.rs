//! Signatures with keys that users give.

use openssl::hash::MessageDigest;
use openssl::pkey::{Id, PKey};
use openssl::sign::Signer;

/// RSA signature (PKCS #1 v1.5) of the SHA-256 hash of `data`. `key` is DER: PKCS #1 or PKCS #8.
///
/// # Errors
/// The defect of the key.
pub fn rs256(key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
    let failed = |_| "cannot load private key".to_owned();
    let key = PKey::private_key_from_der(key).map_err(failed)?;
    if key.id() != Id::RSA {
        return Err("the private key is no RSA key".to_owned());
    }
    let mut signer = Signer::new(MessageDigest::sha256(), &key).map_err(failed)?;
    signer.sign_oneshot_to_vec(data).map_err(|error| format!("cannot sign data: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_fits_its_key() {
        let key = openssl::rsa::Rsa::generate(2048).unwrap();
        let pair = PKey::from_rsa(key.clone()).unwrap();
        for der in [key.private_key_to_der().unwrap(), pair.private_key_to_pkcs8().unwrap()] {
            let signed = rs256(&der, b"data").unwrap();
            let mut check = openssl::sign::Verifier::new(MessageDigest::sha256(), &pair).unwrap();
            assert!(check.verify_oneshot(&signed, b"data").unwrap());
        }
        assert!(rs256(b"no key", b"data").is_err());
    }
}
