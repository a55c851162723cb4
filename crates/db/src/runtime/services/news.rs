//! What has changed since a manager looked.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use model::map::Set;

/// One for all managers of a process: who hears of changes stays in the list of those who do.
#[derive(Clone, Debug)]
pub(super) struct News {
    /// Services that changed and are not looked at yet.
    pub(super) changed: Arc<Mutex<Set<u64>>>,
    pub(super) has_news: Arc<AtomicBool>,
}
