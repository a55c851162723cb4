//! Entry points of the fuzz target. It is here, and not next to the target, so that an ordinary
//! test runs every stored input through the same code.

use std::sync::Arc;

use crate::actor::Actor;

use crate::handle::Db;

use crate::configuration::import::ImportFormat;

use crate::configuration::import::ImportRules;

/// No text makes the import panic, and one that is refused changes nothing.
pub fn import(db: &Db, data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let before = db.snapshot();
    if db.import(Actor::System, &text, ImportFormat::guess(&text), &ImportRules::ALL).is_err() {
        assert!(Arc::ptr_eq(&before, &db.snapshot()), "what is refused changes nothing");
    }
}
