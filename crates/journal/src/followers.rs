//! Followers that are woken when more of the journal is synced.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

type Call = dyn Fn() + Send + Sync;

/// The calls of those that follow what is synced.
#[derive(Default)]
pub(crate) struct Followers(Mutex<Vec<Weak<Call>>>);

/// Follows until it is dropped: see [`crate::Journal::follow_synced`].
pub struct Following {
    _call: Arc<Call>,
}

impl Followers {
    pub(crate) fn add(&self, call: impl Fn() + Send + Sync + 'static) -> Following {
        let call: Arc<Call> = Arc::new(call);
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|it| 0 < it.strong_count());
        calls.push(Arc::downgrade(&call));
        Following { _call: call }
    }

    pub(crate) fn call(&self) {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter_map(Weak::upgrade).for_each(|it| it());
    }
}

impl fmt::Debug for Followers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Followers")
    }
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Following")
    }
}
