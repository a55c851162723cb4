//! Hashes of passwords: argon2id, verified in constant time.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

use crate::error::DbError;

/// The longest password, in characters.
pub const PASSWORD_CHARS_MAX: usize = 255;

/// Of no password. Verified against where there is no such user, so that the answer takes as long; a start need not
/// make it.
pub(crate) const DECOY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
                                $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A salted hash in PHC form, which names its own parameters.
pub(crate) fn hash_password(password: &str) -> Result<String, DbError> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|it| it.to_string()).map_err(|error| DbError::Password(error.to_string()))
}

/// False also for a hash that cannot be read.
pub(crate) fn verify_password(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash)
        .is_ok_and(|it| Argon2::default().verify_password(password.as_bytes(), &it).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_password_matches_and_hashes_are_salted() {
        let hash = hash_password("Pä55 wort").unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(verify_password("Pä55 wort", &hash));
        assert!(!verify_password("pä55 wort", &hash));
        assert!(!verify_password("", &hash));
        assert_ne!(hash, hash_password("Pä55 wort").unwrap());
    }

    #[test]
    fn the_decoy_takes_as_long_as_a_hash_and_matches_nothing() {
        let hash = hash_password("secret").unwrap();
        let work = |it: &str| it.split('$').take(4).collect::<Vec<_>>().join("$");
        assert_eq!(work(DECOY), work(&hash));
        assert_eq!(DECOY.len(), hash.len());
        assert!(PasswordHash::new(DECOY).is_ok(), "it is read as a hash");
        assert!(!verify_password("", DECOY));
    }

    #[test]
    fn a_damaged_hash_lets_nobody_in() {
        for hash in ["", "x", "$argon2id$v=19$m=1,t=1,p=1$", "$2y$10$abc"] {
            assert!(!verify_password("", hash), "{hash}");
        }
    }
}
