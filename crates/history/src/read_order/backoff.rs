//! How long a store that did not answer is left alone.

use crate::Error;

/// After each failure twice as long. After that time one query tries, and the others go on without
/// the store until it has an answer.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failed: Option<Failed>,
}

#[derive(Debug)]
struct Failed {
    error: Error,
    n_times: u32,
    until_ns: u64,
}

impl Backoff {
    /// Why it is not asked now. Else the caller asks, for all.
    pub(super) fn is_paused(&mut self, now_ns: u64) -> Option<Error> {
        let failed = self.failed.as_mut()?;
        if now_ns < failed.until_ns {
            return Some(failed.error.clone());
        }
        // Its answer comes before that, or nobody waits for it any more.
        failed.until_ns = now_ns.saturating_add(TRY_NS);
        None
    }

    /// Whether it had failed before.
    pub(super) fn succeed(&mut self) -> bool {
        self.failed.take().is_some()
    }

    /// Whether it is the first failure.
    pub(super) fn fail(&mut self, error: &Error, now_ns: u64, (first, most): (u64, u64)) -> bool {
        let n_times = self.failed.as_ref().map_or(0, |it| it.n_times);
        let pause_ns = first.saturating_mul(1 << n_times.min(20)).min(most);
        let until_ns = now_ns.saturating_add(pause_ns);
        self.failed = Some(Failed { error: error.clone(), n_times: n_times + 1, until_ns });
        n_times == 0
    }
}

/// Longer than stores wait for an answer.
const TRY_NS: u64 = 60_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_question_tries_a_store_again_and_the_others_do_not_wait_for_it() {
        let mut backoff = Backoff::default();
        let error = Error::Away { reason: "gone".into() };
        assert!(backoff.is_paused(5).is_none() && !backoff.succeed());
        assert!(backoff.fail(&error, 100, (10, 25)));
        assert!(backoff.is_paused(109).is_some());
        assert!(backoff.is_paused(110).is_none(), "this one tries");
        assert!(backoff.is_paused(111).is_some(), "the next one does not");
        assert!(!backoff.fail(&error, 120, (10, 25)));
        assert!(backoff.is_paused(139).is_some() && backoff.is_paused(140).is_none());
        assert!(!backoff.fail(&error, 150, (10, 25)));
        assert!(backoff.is_paused(174).is_some() && backoff.is_paused(175).is_none());
        assert!(backoff.succeed());
        assert!(backoff.is_paused(176).is_none());
    }
}
