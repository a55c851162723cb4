//! Rules for the fields `tls_…` of hosts and autoregistration.

use model::encryption::{Encryption, UNENCRYPTED};
use model::field_path::FieldPath;
use model::snapshot::Snapshot;
use serde_json::{Map as JsonMap, Value as Json};

use crate::error::ConfigError;

type Fields = JsonMap<String, Json>;

/// Hexadecimal digits that a pre-shared key has at least. Source: Zabbix's manual.
const DIGITS_MIN: usize = 32;
/// The error if an identity has another key already.
const OTHER_KEY: &str = "another tls_psk value is already associated with given tls_psk_identity";

fn number(fields: &Fields, name: &str) -> Option<i64> {
    match fields.get(name)? {
        Json::String(it) => it.parse().ok(),
        it => it.as_i64(),
    }
}

/// A whole encryption of what is given and what was there. Fields that are not used any more are emptied.
///
/// # Errors
/// As Zabbix has them, with the path of the object first.
pub fn changed(
    old: &Encryption,
    fields: &Fields,
    path: &FieldPath,
) -> Result<Encryption, ConfigError> {
    let code = |name: &str, old: u8| {
        number(fields, name).map_or(old, |it| u8::try_from(it).unwrap_or(UNENCRYPTED))
    };
    let mut new = Encryption {
        connect: code("tls_connect", old.connect),
        accept: code("tls_accept", old.accept),
        ..Encryption::default()
    };
    let (uses_psk, uses_certificate) = (new.uses_psk(), new.uses_certificate());
    for (name, is_used, old, new) in [
        ("tls_issuer", uses_certificate, &old.issuer, &mut new.issuer),
        ("tls_subject", uses_certificate, &old.subject, &mut new.subject),
        ("tls_psk_identity", uses_psk, &old.psk_identity, &mut new.psk_identity),
        ("tls_psk", uses_psk, &old.psk, &mut new.psk),
    ] {
        let given = fields.get(name).and_then(Json::as_str);
        match (given, is_used) {
            (Some(text), true) => text.clone_into(new),
            (None, true) => old.clone_into(new),
            (None | Some(""), false) => {}
            (Some(_), false) => {
                return Err(ConfigError::invalid(path.member(name), "value must be empty"));
            }
        }
        if uses_psk && name.starts_with("tls_psk") && new.is_empty() {
            return Err(match given {
                None => ConfigError::missing(path, name),
                Some(_) => ConfigError::invalid(path.member(name), "cannot be empty"),
            });
        }
    }
    if uses_psk {
        let invalid = |what: &str| ConfigError::invalid(path.member("tls_psk"), what);
        if new.psk.len() < DIGITS_MIN {
            return Err(invalid(&format!("minimum length is {DIGITS_MIN} characters")));
        }
        if !new.psk.len().is_multiple_of(2) || !new.psk.bytes().all(|it| it.is_ascii_hexdigit()) {
            return Err(invalid("an even number of hexadecimal characters is expected"));
        }
        // The same key however it is written.
        new.psk.make_ascii_lowercase();
    }
    Ok(new)
}

/// Whether an identity has one key, among hosts and with autoregistration.
pub(crate) fn has_one_key(snapshot: &Snapshot, identity: &str) -> bool {
    let Some(shared) = snapshot.shared_keys.get(identity) else { return true };
    let Some(key) = shared.key() else { return false };
    let registration = &snapshot.globals.settings.autoregistration;
    !registration.uses_psk() || registration.psk_identity != identity || registration.psk == key
}

pub(crate) fn other_key(path: &FieldPath) -> ConfigError {
    ConfigError::invalid(path.member("tls_psk"), OTHER_KEY)
}
