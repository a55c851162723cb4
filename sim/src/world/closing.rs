//! Problems that are closed by hand.

use model::{Time, UserId};
use pipeline::{CloseProblem, Input, Query, Reply, TriggerNow};

use super::World;
use crate::config::Rule;

impl World {
    /// Somebody closes an open problem.
    pub(super) fn close(&mut self) {
        let at = self.random.below(usize::from(self.settings.n_shards));
        let process = self.process.as_ref().expect("the process runs");
        let thread = &process.threads[at];
        let Reply::Triggers(triggers) = thread.shard.read(&Query::NotOk) else {
            panic!("triggers were asked for")
        };
        let has_waiting = 0 < thread.shard.sizes().evaluations_deferred;
        let is_closable = |it: &TriggerNow| {
            let rule = self.config.rules.iter().find(|rule| rule.0 == it.trigger);
            !it.open.is_empty() && rule.is_some_and(|rule| rule.1.is_closable())
        };
        let mut triggers: Vec<TriggerNow> = triggers.into_iter().filter(is_closable).collect();
        // Those whose moments may wait matter most.
        let reads_window = |it: &TriggerNow| {
            let rule = self.config.rules.iter().find(|rule| rule.0 == it.trigger);
            matches!(rule, Some((_, Rule::Window { .. })))
        };
        if has_waiting && triggers.iter().any(reads_window) {
            triggers.retain(reads_window);
        }
        if triggers.is_empty() || !thread.outbox.is_empty() {
            return;
        }
        let trigger = &triggers[self.random.below(triggers.len())];
        let event = trigger.open[self.random.below(trigger.open.len())];
        let close =
            CloseProblem { trigger: trigger.trigger, event, user: UserId(1), time: Time::ZERO };
        self.step(at, Input::Close(&close), &[]);
        self.summary.closed += 1;
        self.summary.closed_waiting += usize::from(has_waiting);
        let lsn = self.process().journal.next_lsn().0;
        self.closed.insert(event.0, lsn);
    }
}
