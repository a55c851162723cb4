//! Pushes of values in the audit log. Exporters push many times a second: pushes of one user from
//! one address within a second are one record, with their sums.

use std::collections::BTreeMap;
use std::time::Duration;

use model::{Time, UserId};
use serde_json::json;

use super::act::{Act, AuditAction, Origin};

/// The most pushers whose sums are kept at once. Further ones get a record for each push.
const PUSHERS_MAX: usize = 1_024;

/// The counts of a push.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pushed {
    pub n_processed: usize,
    pub n_failed: usize,
    pub took: Duration,
}

impl Pushed {
    fn add(&mut self, more: Self) {
        self.n_processed += more.n_processed;
        self.n_failed += more.n_failed;
        self.took += more.took;
    }

    pub(super) fn act(self) -> Act {
        let said = [
            ("history.processed", self.n_processed.to_string()),
            ("history.failed", self.n_failed.to_string()),
            ("history.time", format!("{:.6}", self.took.as_secs_f64())),
        ];
        let details = said.map(|(path, value)| (path.to_owned(), json!(["add", value])));
        Act {
            action: AuditAction::Push,
            kind: "history",
            resourceid: 0,
            name: String::new(),
            details: details.into_iter().collect(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Pusher {
    pub(super) user: UserId,
    pub(super) username: String,
    pub(super) ip: String,
}

/// Pushes since the last record of each.
#[derive(Debug, Default)]
pub(super) struct Pushes {
    /// The second of the last record, and what came after it.
    by: BTreeMap<Pusher, (i64, Option<Pushed>)>,
    now: Time,
}

impl Pushes {
    /// Adds a push; gives what is to be recorded now.
    pub(super) fn add(
        &mut self,
        from: &Origin<'_>,
        pushed: Pushed,
        now: Time,
    ) -> Vec<(Pusher, Pushed)> {
        self.now = now;
        let of =
            Pusher { user: from.user, username: from.username.to_owned(), ip: from.ip.to_owned() };
        if PUSHERS_MAX <= self.by.len() && !self.by.contains_key(&of) {
            let mut due = self.take();
            due.push((of, pushed));
            return due;
        }
        let (second, waiting) = self.by.entry(of.clone()).or_insert((i64::MIN, None));
        let mut sum = waiting.take().unwrap_or_default();
        sum.add(pushed);
        if *second == now.clock() {
            *waiting = Some(sum);
            return Vec::new();
        }
        *second = now.clock();
        vec![(of, sum)]
    }

    /// All that waits, and when the last of it came.
    pub(super) fn take_all(&mut self) -> (Vec<(Pusher, Pushed)>, Time) {
        (self.take(), self.now)
    }

    fn take(&mut self) -> Vec<(Pusher, Pushed)> {
        let all = std::mem::take(&mut self.by).into_iter();
        all.filter_map(|(of, (_, waiting))| Some((of, waiting?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(n_processed: usize) -> Pushed {
        Pushed { n_processed, n_failed: 1, took: Duration::from_millis(2) }
    }

    #[test]
    fn pushes_of_one_second_are_one_record() {
        let mut pushes = Pushes::default();
        let ann = Origin { user: UserId(3), username: "ann", ip: "::1" };
        let bob = Origin { user: UserId(4), ..ann };
        let at = Time::ZERO.plus_secs(100);
        let sums = |due: Vec<(Pusher, Pushed)>| {
            due.into_iter().map(|it| (it.0.user.0, it.1.n_processed)).collect::<Vec<_>>()
        };
        assert_eq!(sums(pushes.add(&ann, pushed(1), at)), [(3, 1)]);
        assert_eq!(sums(pushes.add(&ann, pushed(2), at)), []);
        assert_eq!(sums(pushes.add(&bob, pushed(4), at)), [(4, 4)]);
        assert_eq!(sums(pushes.add(&ann, pushed(8), at.plus_secs(1))), [(3, 10)]);
        assert_eq!(sums(pushes.add(&ann, pushed(16), at.plus_secs(1))), []);
        assert_eq!(sums(pushes.take_all().0), [(3, 16)]);
        assert_eq!(sums(pushes.take_all().0), []);
    }

    #[test]
    fn pushers_are_bounded() {
        let mut pushes = Pushes::default();
        let at = Time::ZERO.plus_secs(100);
        for user in 0..=PUSHERS_MAX as u64 {
            let from = Origin { user: UserId(user), username: "u", ip: "" };
            assert_eq!(pushes.add(&from, pushed(1), at).len(), 1);
        }
        assert!(pushes.by.len() <= PUSHERS_MAX);
    }
}
