//! Which values of a session are taken already.
//!
//! Agents number their values within a session (one run of the agent) and send again what was not
//! acknowledged. The mark of a session is written in the same journal record as its values, so a
//! value that was written but not acknowledged before a crash is not taken twice.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::HostId;
use model::map::Map;

use crate::Watermark;

/// Sessions kept per host: the running agent's, and those of a few restarts whose last answer may
/// have been lost.
const PER_HOST_MAX: usize = 4;
/// Characters of a token; anything else is no session.
const TOKEN_LEN: usize = 32;

/// The marks of all hosts.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<Marks>);

/// Sessions of each host, oldest first, with the last id taken.
type Marks = Map<HostId, VecDeque<(Arc<str>, u64)>>;

impl Sessions {
    /// A session of a host: its name as kept, and the last id taken (0: none). `None` if the token
    /// is not one.
    #[must_use]
    pub fn find(&self, host: HostId, token: &str) -> Option<(Arc<str>, u64)> {
        if token.len() != TOKEN_LEN {
            return None;
        }
        let marks = self.lock();
        let known = marks.get(&host).and_then(|it| it.iter().find(|(name, _)| &**name == token));
        Some(known.map_or_else(|| (token.into(), 0), |(name, id)| (Arc::clone(name), *id)))
    }

    /// Moves a session's mark forward; the oldest session of a host makes room for a new one.
    pub fn advance(&self, mark: &Watermark) {
        let mut marks = self.lock();
        let of_host = marks.entry(mark.host).or_default();
        if let Some((_, id)) = of_host.iter_mut().find(|(name, _)| *name == mark.session) {
            *id = mark.last_id.max(*id);
            return;
        }
        if PER_HOST_MAX <= of_host.len() {
            of_host.pop_front();
        }
        of_host.push_back((Arc::clone(&mark.session), mark.last_id));
    }

    /// All marks, for a checkpoint.
    #[must_use]
    pub fn all(&self) -> Vec<Watermark> {
        let marks = self.lock();
        let each = marks.iter().flat_map(|(host, of_host)| {
            of_host.iter().map(|(session, last_id)| Watermark {
                host: *host,
                session: Arc::clone(session),
                last_id: *last_id,
            })
        });
        each.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Marks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(number: u8, last_id: u64) -> Watermark {
        let session = format!("{number:032}").into();
        Watermark { host: HostId(1), session, last_id }
    }

    #[test]
    fn a_mark_never_goes_back_and_old_sessions_make_room() {
        let sessions = Sessions::default();
        sessions.advance(&mark(1, 7));
        sessions.advance(&mark(1, 5));
        assert_eq!(sessions.find(HostId(1), &mark(1, 0).session).expect("a token").1, 7);
        assert_eq!(sessions.find(HostId(1), "short"), None);
        for number in 2..=5 {
            sessions.advance(&mark(number, 1));
        }
        assert_eq!(sessions.find(HostId(1), &mark(1, 0).session).expect("a token").1, 0);
        assert_eq!(sessions.all().len(), PER_HOST_MAX);
    }
}
