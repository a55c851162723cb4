//! How hosts are encrypted: the fields `tls_…`.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::encryption::{Encryption, UNENCRYPTED};
use model::snapshot::{Host, Snapshot};
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use super::content::{int_field, text_field};
use crate::ConfigError;

type Fields = JsonMap<String, Json>;

/// Hexadecimal digits that a pre-shared key has at least. Source: Zabbix's manual.
const DIGITS_MIN: usize = 32;
/// What is told where an identity has another key already.
const OTHER_KEY: &str = "another tls_psk value is already associated with given tls_psk_identity";

/// A whole encryption of what is given and what was there. Fields that are not used any more are emptied.
///
/// # Errors
/// As Zabbix has them, with the path of the object first.
pub(crate) fn changed(
    old: &Encryption,
    fields: &Fields,
    path: &str,
) -> Result<Encryption, ConfigError> {
    let code = |name: &str, old: u8| {
        int_field(fields, name).map_or(old, |it| u8::try_from(it).unwrap_or(UNENCRYPTED))
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
        let given = text_field(fields, name);
        match (given, is_used) {
            (Some(text), true) => text.clone_into(new),
            (None, true) => old.clone_into(new),
            (None | Some(""), false) => {}
            (Some(_), false) => {
                return Err(ConfigError::invalid(
                    format_args!("{path}/{name}"),
                    "value must be empty",
                ));
            }
        }
        if uses_psk && name.starts_with("tls_psk") && new.is_empty() {
            return Err(match given {
                None => ConfigError::invalid(
                    if path.is_empty() { "/" } else { path },
                    format_args!("the parameter \"{name}\" is missing"),
                ),
                Some(_) => ConfigError::invalid(format_args!("{path}/{name}"), "cannot be empty"),
            });
        }
    }
    if uses_psk {
        let invalid = |what: &str| ConfigError::invalid(format_args!("{path}/tls_psk"), what);
        if new.psk.len() < DIGITS_MIN {
            return Err(invalid(&format!("minimum length is {DIGITS_MIN} characters")));
        }
        if new.psk.len() % 2 != 0 || !new.psk.bytes().all(|it| it.is_ascii_hexdigit()) {
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

pub(crate) fn other_key(path: &str) -> ConfigError {
    ConfigError::invalid(format_args!("{path}/tls_psk"), OTHER_KEY)
}

impl Editor {
    /// What a host's fields make of its encryption.
    pub(super) fn encryption(
        host: &Host,
        fields: &Fields,
    ) -> Result<Option<Arc<Encryption>>, ConfigError> {
        let none = Encryption::default();
        let old = host.encryption.as_deref().unwrap_or(&none);
        let new = changed(old, fields, "/1")?;
        Ok(if new == *old { host.encryption.clone() } else { (new != none).then(|| Arc::new(new)) })
    }

    /// Takes over what was changed of a host, with the look-up of its key.
    pub(super) fn count_shared_key(
        &mut self,
        before: Option<&Encryption>,
        now: Option<&Encryption>,
    ) {
        if let Some(now) = now.filter(|it| it.uses_psk()) {
            self.identities_given.insert(now.psk_identity.clone());
        }
        self.next.count_shared_key(before, now);
    }

    /// Each identity that was given has one key, once all is done: several hosts may get a new key in one
    /// edit.
    ///
    /// # Errors
    /// If one has two.
    pub(crate) fn check_shared_keys(&self) -> Result<(), ConfigError> {
        let is_wrong = |it: &String| !has_one_key(&self.next, it);
        if self.identities_given.iter().any(is_wrong) { Err(other_key("/1")) } else { Ok(()) }
    }
}

/// Identities whose key an edit has to look at.
pub(super) type IdentitiesGiven = BTreeSet<String>;
