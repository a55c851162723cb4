//! How hosts are encrypted: the fields `tls_…`.

use std::sync::Arc;

use model::encryption::Encryption;
use model::field_path::FieldPath;
use model::snapshot::Host;
use serde_json::{Map as JsonMap, Value as Json};

use super::Editor;
use crate::configuration::encryption::{changed, has_one_key, other_key};
use crate::error::ConfigError;

type Fields = JsonMap<String, Json>;

impl Editor {
    /// The encryption of a host after a change of fields.
    pub(super) fn encryption(
        host: &Host,
        fields: &Fields,
    ) -> Result<Option<Arc<Encryption>>, ConfigError> {
        let none = Encryption::default();
        let old = host.encryption.as_deref().unwrap_or(&none);
        let new = changed(old, fields, &FieldPath::object(0))?;
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
        if self.identities_given.iter().any(is_wrong) {
            Err(other_key(&FieldPath::object(0)))
        } else {
            Ok(())
        }
    }
}
